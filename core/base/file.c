#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static nb_status cannot(const char *verb, const char *path, const char *why) {
    return nb_fail(NB_ERROR_IO, "cannot %s '%.300s': %s", verb, path, why);
}

static const char *why_not(const struct stat *info) {
    return S_ISDIR(info->st_mode) ? "it is a folder" : "it is not a regular file";
}

nb_status nb_file_open(const char *path, char mode, FILE **file) {
    const char *verb = mode == 'r' ? "read" : "write";
    struct stat info;
    nb_status status = NB_OK;
    *file = NULL;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return cannot(verb, path, why_not(&info));
    /* O_NONBLOCK: should it become a pipe just now */
    int flags = mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
    int opened = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0666);
    if (opened < 0) return cannot(verb, path, strerror(errno));
    if (fstat(opened, &info) != 0 || !S_ISREG(info.st_mode)) {
        status = cannot(verb, path, "it is not a regular file");
    } else if (!(*file = fdopen(opened, mode == 'r' ? "rb" : "wb"))) {
        status = cannot(verb, path, strerror(errno));
        if (mode == 'w') unlink(path); /* it is empty */
    }
    if (!*file) close(opened);
    return status;
}

enum {
    PARTIAL = 20 /* letters that the name of a file may have more while it is written: .partial-1234567 */
};

/* of the folder that the file is in, which has to take the name of what is written first, too */
static nb_status check_folder(const char *path, const char *real) {
    char folder[4200] = ".";
    const char *slash = strrchr(real, '/');
    if (strlen(slash ? slash + 1 : real) > NAME_MAX - PARTIAL) return cannot("write", path, strerror(ENAMETOOLONG));
    if (slash) snprintf(folder, sizeof folder, "%.*s", slash == real ? 1 : (int)(slash - real), real);
    if (access(folder, W_OK | X_OK) == 0) return NB_OK;
    return nb_fail(NB_ERROR_IO, "cannot write '%.200s': folder '%.200s': %s", path, folder, strerror(errno));
}

nb_status nb_file_check_target(const char *path) {
    struct stat info;
    char *real;
    if (stat(path, &info) == 0) {
        if (!S_ISREG(info.st_mode)) return cannot("write", path, why_not(&info));
    } else if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        return cannot("write", path, "it is a link to a file that is missing");
    }
    nb_status status = nb_file_resolve(path, &real);
    if (status != NB_OK) return status;
    status = check_folder(path, real);
    nb_free(real);
    return status;
}

nb_status nb_file_resolve(const char *path, char **real) {
    struct stat info;
    int is_link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
    char *target = is_link ? realpath(path, NULL) : NULL;
    if (is_link && !target && errno == ENOMEM) {
        *real = NULL;
        return nb_fail(NB_ERROR_MEMORY, "out of memory for the path '%.300s'", path);
    }
    nb_status status = nb_copy_text(target ? target : path, real);
    free(target); /* the C library's own */
    return status;
}

int nb_file_list_next(const char **list, char path[NB_FILE_NAME]) {
    struct stat info;
    if (!*list) return 0;
    const char *comma = lstat(*list, &info) == 0 ? NULL : strchr(*list, ',');
    snprintf(path, NB_FILE_NAME, "%.*s", comma ? (int)(comma - *list) : NB_FILE_NAME - 1, *list);
    *list = comma ? comma + 1 : NULL;
    return 1;
}
