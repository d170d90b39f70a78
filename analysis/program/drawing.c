#include "drawing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "overwrite.h"

const char *const nb_formats[NB_FORMATS] = {"svg", "pdf", "png", "tex"};

static const char *figure_at(const void *context, int i) {
    (void)context;
    return nb_figure_at(i)->name;
}

static nb_status add_figure(nb_figure_list *list, const char *name, int count) {
    int i = nb_name_find(name, count, figure_at, NULL);
    if (i < 0) return nb_name_unknown("figure", name, count, figure_at, NULL);
    for (int j = 0; j < list->count; j++)
        if (list->figures[j] == nb_figure_at(i))
            return nb_fail(NB_ERROR_USAGE, "figure: '%s' stands twice in the list", name);
    list->figures[list->count++] = nb_figure_at(i);
    return NB_OK;
}

/* adds every figure "PAPER-..."; 0 where there is none */
static int add_paper(nb_figure_list *list, const char *paper, int count) {
    const size_t length = strlen(paper);
    const int before = list->count;
    for (int i = 0; i < count; i++) {
        const char *name = nb_figure_at(i)->name;
        if (strncmp(name, paper, length) == 0 && name[length] == '-') list->figures[list->count++] = nb_figure_at(i);
    }
    return list->count - before;
}

nb_status nb_figures_parse(const char *names, int any_runs, nb_figure_list *list) {
    int count = 0;
    while (count < NB_MOST_FIGURES && nb_figure_at(count)) count++;
    list->count = 0;
    if (strcmp(names, "all") == 0) {
        for (int i = 0; i < count; i++) {
            const nb_figure_class *f = nb_figure_at(i);
            if (f->apart && !any_runs) continue;
            if (!f->runs || f->runs[0] || (any_runs ? f->of_all : f->makes != NULL)) list->figures[list->count++] = f;
        }
        return NB_OK;
    }
    if (nb_name_find(names, count, figure_at, NULL) < 0 && add_paper(list, names, count)) return NB_OK;
    for (const char *item = names;; item++) {
        char name[64];
        size_t length = strcspn(item, ",");
        if (length == 0) return nb_fail(NB_ERROR_USAGE, "figure: empty item in the list '%.80s'", names);
        snprintf(name, sizeof name, "%.*s", (int)length, item);
        nb_status status = add_figure(list, name, count);
        if (status != NB_OK) return status;
        item += length;
        if (!*item) return NB_OK;
    }
}

nb_status nb_formats_parse(const char *text, int wanted[NB_FORMATS]) {
    memset(wanted, 0, NB_FORMATS * sizeof *wanted);
    for (const char *item = text;; item++) {
        char name[16];
        size_t length = strcspn(item, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, item);
        int format;
        nb_status status = nb_name_choose("--format", name, nb_formats, NB_FORMATS, &format);
        if (status != NB_OK) return status;
        wanted[format] = 1;
        item += length;
        if (!*item) return NB_OK;
    }
}

int nb_path_is_drawing(const char *path) {
    const char *ending = strrchr(path, '.');
    for (int i = 0; ending && i < NB_FORMATS; i++)
        if (strcmp(ending + 1, nb_formats[i]) == 0) return 1;
    return 0;
}

int nb_path_is_folder(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

const char *nb_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

nb_status nb_folder_make(const char *path) {
    if (nb_path_is_folder(path) || mkdir(path, 0777) == 0) return NB_OK;
    return nb_fail(NB_ERROR_IO, "cannot make the folder '%s': %s", path,
                   errno == EEXIST ? "a file has this name" : strerror(errno));
}

nb_status nb_drawing_check(const char *path, int force) {
    char beside[4096];
    size_t length = strlen(path);
    nb_status status = nb_overwrite_check(path, NB_WRITTEN_DRAWING, force);
    if (status != NB_OK || length < 4 || strcmp(path + length - 4, ".tex") != 0) return status;
    if ((size_t)snprintf(beside, sizeof beside, "%.*s.pdf", (int)length - 4, path) >= sizeof beside) return NB_OK;
    return nb_overwrite_check(beside, NB_WRITTEN_DRAWING, force);
}

nb_status nb_drawing_path(const char *folder, const char *name, const char *ending, char *path, size_t size) {
    if ((size_t)snprintf(path, size, "%s/%s.%s", folder, name, ending) >= size)
        return nb_fail(NB_ERROR_USAGE, "the path '%.80s...' is too long", folder);
    return NB_OK;
}
