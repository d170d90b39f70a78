#include "exchange/write_tar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "record/partial.h"

enum {
    BLOCK = 512
};

static const int64_t most_bytes = INT64_C(1) << 33; /* eleven octal digits */

typedef struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6], version[2],
        owner[64], major[8], minor[8], prefix[155], rest[12];
} header;
_Static_assert(sizeof(header) == BLOCK, "a header is a block");

typedef struct archive {
    const char *folder;
    int64_t seconds;
    int count;
    const nb_tar_file *files;
} archive;

static void put_header(const archive *a, const char *name, int64_t size, FILE *file) {
    header h = {.mode = "0000644", .uid = "0000000", .gid = "0000000", .type = '0', .magic = "ustar", .version = "00"};
    unsigned sum = 0;
    snprintf(h.name, sizeof h.name, "%s", name);
    snprintf(h.prefix, sizeof h.prefix, "%s", a->folder);
    snprintf(h.size, sizeof h.size, "%011llo", (unsigned long long)size);
    snprintf(h.mtime, sizeof h.mtime, "%011llo", (unsigned long long)a->seconds & 077777777777);
    memset(h.checksum, ' ', sizeof h.checksum);
    for (size_t i = 0; i < sizeof h; i++) sum += ((const unsigned char *)&h)[i];
    snprintf(h.checksum, sizeof h.checksum, "%06o", sum);
    fwrite(&h, sizeof h, 1, file);
}

static void put_zeros(int64_t bytes, FILE *file) {
    for (; bytes > 0; bytes--) putc(0, file);
}

static nb_status put_file(const archive *a, const nb_tar_file *f, FILE *file) {
    nb_status status = NB_OK;
    char buffer[1 << 14];
    FILE *from = NULL;
    int64_t size = f->path ? 0 : (int64_t)strlen(f->text), left;
    size_t got;
    if (f->path) NB_TRY(nb_file_open(f->path, 'r', &from));
    if (from && (fseek(from, 0, SEEK_END) != 0 || (size = ftell(from)) < 0 || fseek(from, 0, SEEK_SET) != 0))
        NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", f->path, strerror(errno)));
    if (size >= most_bytes) NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "'%.300s': a bundle holds less than 8 GiB", f->name));
    put_header(a, f->name, size, file);
    if (!from) fwrite(f->text, 1, (size_t)size, file);
    for (left = size; from && left > 0; left -= (int64_t)got) {
        got = fread(buffer, 1, left < (int64_t)sizeof buffer ? (size_t)left : sizeof buffer, from);
        if (got == 0) NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s' to its end", f->path));
        if (fwrite(buffer, 1, got, file) != got) break; /* nb_partial_write says so */
    }
    put_zeros((BLOCK - size % BLOCK) % BLOCK, file);
out:
    if (from) fclose(from);
    return status;
}

static nb_status put_archive(const void *context, FILE *file) {
    const archive *a = context;
    nb_status status = NB_OK;
    for (int i = 0; i < a->count; i++) NB_TRY(put_file(a, &a->files[i], file));
    put_zeros((int64_t)2 * BLOCK, file);
out:
    return status;
}

nb_status nb_tar_write(const char *path, const char *folder, int64_t seconds, int count, const nb_tar_file *files) {
    const archive a = {folder, seconds, count, files};
    for (int i = 0; i < count; i++)
        if (strlen(files[i].name) >= sizeof((header *)0)->name)
            return nb_fail(NB_ERROR_UNSUPPORTED, "'%.300s': a name in a bundle has less than %zu bytes", files[i].name,
                           sizeof((header *)0)->name);
    if (strlen(folder) >= sizeof((header *)0)->prefix)
        return nb_fail(NB_ERROR_UNSUPPORTED, "'%.300s': the name of a bundle has less than %zu bytes", path,
                       sizeof((header *)0)->prefix);
    return nb_partial_write(path, put_archive, &a);
}
