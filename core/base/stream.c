#include "base/stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

uint64_t nb_checksum(uint64_t checksum, const void *data, size_t bytes) {
    for (const unsigned char *byte = data; bytes > 0; bytes--)
        checksum = (checksum ^ *byte++) * UINT64_C(0x100000001b3);
    return checksum;
}

static nb_status cannot(const char *verb, const nb_stream *stream) {
    return nb_fail(NB_ERROR_IO, "cannot %s '%.300s': %s", verb, stream->path, strerror(errno));
}

static nb_status damaged(const nb_stream *stream) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s' is damaged or cut short", stream->path);
}

nb_status nb_stream_create(const char *path, nb_stream *stream) {
    *stream = (nb_stream){.path = path, .checksum = NB_CHECKSUM_OF_NOTHING};
    return nb_file_open(path, 'w', &stream->file);
}

/* the checksum of everything but the last eight bytes against those */
static nb_status verify(nb_stream *stream) {
    unsigned char buffer[1 << 14];
    uint64_t checksum = NB_CHECKSUM_OF_NOTHING, stored;
    if (fseek(stream->file, 0, SEEK_END) != 0) return cannot("read", stream);
    long size = ftell(stream->file);
    if (size < (long)sizeof stored) return damaged(stream);
    stream->left = size - (long)sizeof stored;
    rewind(stream->file);
    for (int64_t left = stream->left; left > 0;) {
        size_t bytes = left < (int64_t)sizeof buffer ? (size_t)left : sizeof buffer;
        if (fread(buffer, 1, bytes, stream->file) != bytes) return cannot("read", stream);
        checksum = nb_checksum(checksum, buffer, bytes);
        left -= (int64_t)bytes;
    }
    if (fread(&stored, sizeof stored, 1, stream->file) != 1 || stored != checksum) return damaged(stream);
    rewind(stream->file);
    return NB_OK;
}

nb_status nb_stream_open(const char *path, nb_stream *stream) {
    *stream = (nb_stream){.path = path};
    nb_status status = nb_file_open(path, 'r', &stream->file);
    if (status == NB_OK) status = verify(stream);
    if (status != NB_OK) nb_stream_close(stream);
    return status;
}

nb_status nb_stream_put(nb_stream *stream, const void *data, size_t bytes) {
    if (bytes > 0 && fwrite(data, 1, bytes, stream->file) != bytes) return cannot("write", stream);
    if (!stream->unchecked) stream->checksum = nb_checksum(stream->checksum, data, bytes);
    return NB_OK;
}

nb_status nb_stream_get(nb_stream *stream, void *data, size_t bytes) {
    if ((uint64_t)bytes > (uint64_t)stream->left) return damaged(stream);
    if (bytes > 0 && fread(data, 1, bytes, stream->file) != bytes) return cannot("read", stream);
    stream->left -= (int64_t)bytes;
    return NB_OK;
}

nb_status nb_stream_put_array(nb_stream *stream, int64_t count, size_t size, const void *data) {
    nb_status status;
    NB_TRY(nb_stream_put(stream, &count, sizeof count));
    NB_TRY(nb_stream_put(stream, data, (size_t)count * size));
out:
    return status;
}

nb_status nb_stream_get_array(nb_stream *stream, int64_t *count, size_t size, int64_t *capacity, void *pointer) {
    nb_status status;
    void *data;
    NB_TRY(nb_stream_get(stream, count, sizeof *count));
    if (*count < 0 || (size > 0 && *count > stream->left / (int64_t)size)) return damaged(stream);
    NB_TRY(nb_reserve(*count, size, capacity, pointer));
    memcpy(&data, pointer, sizeof data);
    NB_TRY(nb_stream_get(stream, data, (size_t)*count * size));
out:
    return status;
}

nb_status nb_stream_put_text(nb_stream *stream, const char *text) {
    return nb_stream_put_array(stream, (int64_t)strlen(text) + 1, 1, text);
}

nb_status nb_stream_get_text(nb_stream *stream, char **text) {
    int64_t count, capacity = 0;
    *text = NULL;
    nb_status status = nb_stream_get_array(stream, &count, 1, &capacity, text);
    if (status == NB_OK && (count == 0 || (*text)[count - 1] != '\0')) status = damaged(stream);
    if (status == NB_OK) return NB_OK;
    nb_free(*text);
    *text = NULL;
    return status;
}

nb_status nb_stream_finish(nb_stream *stream, const char *target, int sync) {
    nb_status status = NB_OK;
    uint64_t checksum = stream->checksum;
    int good = fwrite(&checksum, sizeof checksum, 1, stream->file) == 1 && fflush(stream->file) == 0 &&
               (!sync || fsync(fileno(stream->file)) == 0);
    if (!good) status = cannot("write", stream);
    if (fclose(stream->file) != 0 && status == NB_OK) status = cannot("write", stream);
    stream->file = NULL;
    if (status == NB_OK && rename(stream->path, target) != 0) status = cannot("write", stream);
    if (status != NB_OK) unlink(stream->path);
    return status;
}

void nb_stream_close(nb_stream *stream) {
    if (stream->file) fclose(stream->file);
    stream->file = NULL;
}
