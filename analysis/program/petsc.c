#include "petsc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "plugin/load.h"

enum {
    MOST_SETS = 63,
    MOST_TEXT = 65536
};

static int names_petsc(const nb_parameter_grid *grid) {
    int64_t count;
    char *const *values = nb_parameter_grid_values(grid, "--linear-solver", &count);
    for (int64_t i = 0; i < count; i++)
        if (strcmp(values[i], "petsc") == 0 || strcmp(values[i], "petsc-shell") == 0) return 1;
    return 0;
}

/* one space between words, none around them */
static void tidy(char *text) {
    char *out = text;
    for (const char *c = text; *c; c++)
        if (!isspace((unsigned char)*c))
            *out++ = *c;
        else if (out > text && out[-1] != ' ')
            *out++ = ' ';
    if (out > text && out[-1] == ' ') out--;
    *out = '\0';
}

/* a file's options, one or several a line; what follows a '#' is left out */
static nb_status read_set(const char *path, char **set) {
    nb_status status;
    FILE *file = NULL;
    NB_TRY(nb_file_open(path, 'r', &file));
    NB_TRY(NB_ALLOCATE(MOST_TEXT, set));
    const size_t length = fread(*set, 1, MOST_TEXT - 1, file);
    if (ferror(file)) NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s'", path));
    (*set)[length] = '\0';
    for (char *comment = strchr(*set, '#'); comment; comment = strchr(comment, '#'))
        while (*comment && *comment != '\n') *comment++ = ' ';
out:
    if (file) fclose(file);
    return status;
}

static nb_status take_set(const char *text, size_t length, char **set) {
    nb_status status;
    char *copy = NULL;
    NB_TRY(NB_ALLOCATE((int64_t)length + 1, &copy));
    memcpy(copy, text, length);
    tidy(copy);
    if (*copy == '@') {
        status = read_set(copy + 1, set);
        nb_free(copy);
        copy = NULL;
        if (status != NB_OK) goto out;
        tidy(*set);
    } else {
        *set = copy;
        copy = NULL;
    }
    if (**set != '-')
        NB_TRY(
            nb_fail(NB_ERROR_USAGE, "--petsc: '%.80s' is no set of options such as '-ksp_type cg -pc_type sor'", *set));
out:
    nb_free(copy);
    return status;
}

nb_status nb_petsc_set(nb_parameter_grid *grid, const char *sets) {
    nb_status status = NB_OK;
    char *words[MOST_SETS] = {NULL}; /* the plugin keeps them */
    int count = 0;
    if (!names_petsc(grid))
        return sets ? nb_fail(NB_ERROR_USAGE, "--petsc requires --linear-solver petsc or petsc-shell") : NB_OK;
    for (const char *item = sets; item; item = *item == ',' ? item + 1 : NULL) {
        const size_t length = strcspn(item, ",");
        if (count == MOST_SETS) NB_TRY(nb_fail(NB_ERROR_USAGE, "--petsc: more than %d option sets", (int)MOST_SETS));
        NB_TRY(take_set(item, length, &words[count]));
        count++;
        item += length;
    }
    NB_TRY(nb_plugin_load_own("petsc", count, (const char *const *)words));
    return count > 0 ? nb_parameter_grid_set_solver(grid, "--petsc", "options", count, (const char *const *)words)
                     : NB_OK;
out:
    for (int i = 0; i < MOST_SETS; i++) nb_free(words[i]); /* nobody keeps them */
    return status;
}
