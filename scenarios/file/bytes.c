#include "bytes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"

nb_status nb_bytes_check(const char *path, const char *data, int64_t size) {
    static const struct {
        const char *begin, *what;
    } kinds[] = {
        {"\x1f\x8b", "compressed by gzip: unpack it first"},
        {"BZh", "compressed by bzip2: unpack it first"},
        {"\xfd"
         "7zXZ",
         "compressed by xz: unpack it first"},
        {"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it first"},
        {"PK\x03\x04", "a zip archive: unpack it first"},
        {"\xff\xfe", "text in UTF-16: save it as ASCII or UTF-8"},
        {"\xfe\xff", "text in UTF-16: save it as ASCII or UTF-8"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].begin);
        if (size >= (int64_t)length && memcmp(data, kinds[i].begin, length) == 0)
            return nb_fail(NB_ERROR_INPUT, "'%.300s' is %s", path, kinds[i].what);
    }
    return NB_OK;
}

nb_status nb_bytes_read(const char *path, char **data, int64_t *size) {
    nb_status status;
    struct stat info;
    FILE *file;
    *size = 0;
    *data = NULL;
    NB_TRY(nb_file_open(path, 'r', &file));
    if (fstat(fileno(file), &info) != 0)
        NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno)));
    NB_TRY(NB_ALLOCATE((int64_t)info.st_size, data));
    *size = (int64_t)fread(*data, 1, (size_t)info.st_size, file);
    if (ferror(file)) NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno)));
    NB_TRY(nb_bytes_check(path, *data, *size));
out:
    if (file) fclose(file);
    return status;
}
