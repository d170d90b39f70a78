#include "contact_file.h"

#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "siconos_text.h"

static int is_siconos(const char *path) {
    static const char signature[] = "\x89HDF";
    char begin[32] = "";
    size_t length = strlen(path), space;
    int named = length >= 4 && strcasecmp(path + length - 4, ".dat") == 0;
    FILE *file;
    if (nb_file_open(path, 'r', &file) != NB_OK) return named;
    const size_t got = fread(begin, 1, sizeof begin - 1, file);
    fclose(file);
    if (got >= 4 && memcmp(begin, signature, 4) == 0) return 0;
    space = strspn(begin, " \t\r\n");
    return named || strspn(begin + space, "0123456789") > 0;
}

nb_status nb_contact_file_read(const char *path, nb_fclib_problem **problem) {
    return is_siconos(path) ? nb_siconos_read(path, problem) : nb_fclib_read(path, problem);
}
