#include "file/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/memory.h"

enum {
    GZIP_ALONE = 16 + MAX_WBITS, /* inflateInit2: a gzip header, and the largest window */
    FIRST_ROOM = 1 << 16
};

int nb_gzip_is(const char *bytes, int64_t size) {
    return size >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

static nb_status damaged(const char *path, const char *why) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s' is damaged: %.100s", path, why);
}

/* into text [room]; *ended: the end was reached, with its checksum */
static nb_status expand_into(const char *path, z_stream *z, char *text, int64_t room, int *ended) {
    z->next_out = (Bytef *)text + z->total_out;
    z->avail_out = (uInt)(room - (int64_t)z->total_out);
    const int said = inflate(z, Z_NO_FLUSH);
    *ended = said == Z_STREAM_END;
    if (*ended) return z->avail_in == 0 ? NB_OK : damaged(path, "there are bytes behind the end of the gzip file");
    if (said == Z_MEM_ERROR) return nb_fail(NB_ERROR_MEMORY, "out of memory for '%.300s'", path);
    if (said != Z_OK && said != Z_BUF_ERROR) return damaged(path, z->msg ? z->msg : "it is no gzip file");
    return z->avail_out > 0 ? damaged(path, "the gzip file is cut short") : NB_OK;
}

nb_status nb_gzip_expand(const char *path, const char *bytes, int64_t size, int64_t most, char **text,
                         int64_t *length) {
    nb_status status;
    int64_t room = 0;
    int ended = 0;
    z_stream z = {.next_in = (z_const Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size};
    *text = NULL;
    if (size > INT_MAX || most > INT_MAX) return nb_fail(NB_ERROR_INPUT, "'%.300s' is too large", path);
    if (inflateInit2(&z, GZIP_ALONE) != Z_OK) return nb_fail(NB_ERROR_MEMORY, "out of memory for '%.300s'", path);
    while (!ended) {
        if ((int64_t)z.total_out > most)
            NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s' holds more than %lld bytes when it is expanded", path,
                           (long long)most));
        int64_t wanted = room > 0 ? 4 * room : FIRST_ROOM;
        if (wanted > most + 2) wanted = most + 2;
        NB_TRY(NB_RESERVE(wanted, &room, text));
        NB_TRY(expand_into(path, &z, *text, (wanted < room ? wanted : room) - 1, &ended));
    }
    *length = (int64_t)z.total_out;
    if (*length > most)
        NB_TRY(
            nb_fail(NB_ERROR_INPUT, "'%.300s' holds more than %lld bytes when it is expanded", path, (long long)most));
    (*text)[*length] = '\0';
out:
    inflateEnd(&z);
    if (status != NB_OK) {
        nb_free(*text);
        *text = NULL;
    }
    return status;
}
