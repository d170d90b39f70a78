#include "figure/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum {
    PATH_LENGTH = 4700
};

nb_status nb_figure_files_add(nb_figure_files *files, const char *path, char **bytes, size_t count) {
    nb_figure_file *f = &files->file[files->count];
    nb_status status = nb_file_check_target(path);
    if (status == NB_OK) status = nb_file_resolve(path, &f->path);
    if (status != NB_OK) {
        nb_free(*bytes);
        *bytes = NULL;
        return status;
    }
    f->bytes = *bytes;
    f->count = count;
    *bytes = NULL;
    files->count++;
    return NB_OK;
}

nb_status nb_figure_files_add_text(nb_figure_files *files, const char *path, const char *text) {
    char *bytes = NULL;
    nb_status status = nb_copy_text(text, &bytes);
    return status == NB_OK ? nb_figure_files_add(files, path, &bytes, strlen(text)) : status;
}

nb_status nb_figure_files_text_path(const char *path, char *text_path, size_t size) {
    const char *ending = strrchr(path, '.');
    if ((size_t)snprintf(text_path, size, "%.*s.txt", (int)(ending - path), path) >= size)
        return nb_fail(NB_ERROR_IO, "cannot write '%.100s...': the name is too long", path);
    return NB_OK;
}

nb_status nb_figure_files_check_text(const char *path, const char *text) {
    char start[64] = "";
    size_t length = strlen(text);
    FILE *file;
    nb_status status = nb_file_check_target(path);
    if (status != NB_OK || access(path, F_OK) != 0) return status;
    status = nb_file_open(path, 'r', &file);
    if (status != NB_OK) return status;
    size_t count = fread(start, 1, length < sizeof start ? length : sizeof start, file);
    fclose(file);
    if (count == 0 || strncmp(start, text, length) == 0) return NB_OK;
    return nb_fail(NB_ERROR_USAGE,
                   "'%.300s' is not a figure's text, and stays: draw to another name, or with --caption off", path);
}

/* Opens a new file beside the place: what has its name is of a process that ended. 0, or why not. */
static int open_partial(const char *path, char partial[PATH_LENGTH], FILE **file) {
    if (snprintf(partial, PATH_LENGTH, "%s.partial-%ld", path, (long)getpid()) >= PATH_LENGTH) return ENAMETOOLONG;
    unlink(partial);
    *file = fopen(partial, "wbx");
    return *file ? 0 : errno;
}

nb_status nb_figure_files_check_place(const char *path) {
    char partial[PATH_LENGTH], *real = NULL;
    FILE *file;
    nb_status status;
    NB_TRY(nb_file_check_target(path));
    NB_TRY(nb_file_resolve(path, &real));
    int reason = open_partial(real, partial, &file);
    if (reason) NB_TRY(nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(reason)));
    fclose(file);
    unlink(partial);
out:
    nb_free(real);
    return status;
}

/* writes beside the place; 0, or why not */
static int write_partial(const nb_figure_file *f, char partial[PATH_LENGTH]) {
    FILE *file;
    int unopened = open_partial(f->path, partial, &file);
    if (unopened) return unopened;
    int reason = fwrite(f->bytes, 1, f->count, file) == f->count ? 0 : errno;
    if (fclose(file) != 0 && !reason) reason = errno;
    return reason;
}

/* Holds on to what stands at the place, under another name. *held is 1; 0 where nothing stands there; -1 where the file
 * system has no links: a fault between two files then costs the first. Returns 0, or why not. */
static int hold_earlier(const nb_figure_file *f, char earlier[PATH_LENGTH], int *held) {
    *held = -1;
    if (snprintf(earlier, PATH_LENGTH, "%s.earlier-%ld", f->path, (long)getpid()) >= PATH_LENGTH) return ENAMETOOLONG;
    unlink(earlier);
    if (link(f->path, earlier) == 0)
        *held = 1;
    else if (errno == ENOENT)
        *held = 0;
    else if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK)
        return errno;
    return 0;
}

/* All files of the figure, or, where one cannot be put in its place, what was there. */
nb_status nb_figure_files_put(const nb_figure_files *files) {
    enum {
        MOST = sizeof files->file / sizeof *files->file
    };
    char partial[MOST][PATH_LENGTH], earlier[MOST][PATH_LENGTH];
    int reason = 0, tried = 0, put = 0, at = 0, held[MOST] = {0};
    for (; tried < files->count && !reason; tried++) {
        at = tried;
        reason = write_partial(&files->file[at], partial[at]);
        if (!reason) reason = hold_earlier(&files->file[at], earlier[at], &held[at]);
    }
    while (put < files->count && !reason) { /* the drawing, which is the first, comes last */
        at = files->count - 1 - put;
        if (rename(partial[at], files->file[at].path) == 0)
            put++;
        else
            reason = errno;
    }
    for (int i = files->count - put; i < files->count && reason; i++) {
        if (held[i] == 1) (void)rename(earlier[i], files->file[i].path);
        if (held[i] == 0) unlink(files->file[i].path);
    }
    for (int i = 0; i < tried; i++) {
        if (held[i] == 1) unlink(earlier[i]);
        if (reason) unlink(partial[i]);
    }
    if (!reason) return NB_OK;
    return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", files->file[at].path, strerror(reason));
}

void nb_figure_files_clear(nb_figure_files *files) {
    for (int i = 0; i < files->count; i++) {
        nb_free(files->file[i].path);
        nb_free(files->file[i].bytes);
    }
    *files = (nb_figure_files){0};
}
