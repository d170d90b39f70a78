#include "export_standard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "export_problem.h"
#include "file_readers.h"
#include "overwrite.h"
#include "run/scene_problem.h"
#include "run/standard_set.h"

enum {
    MOST_PATH = 4096,
    MOST_WORDS = 400
};

/* its title is its name; the description says what the table does */
static nb_status describe(const nb_standard_problem *of, nb_fclib_problem *problem) {
    nb_status status;
    char words[MOST_WORDS];
    nb_free(problem->title);
    nb_free(problem->description);
    problem->title = problem->description = NULL;
    snprintf(words, sizeof words,
             "standard set, class %s, SHA-256 of W, q, mu %s, best known natural map over ||q|| %s", of->class,
             *of->sha256 ? of->sha256 : "not known", *of->best ? of->best : "not known");
    NB_TRY(nb_copy_text(of->name, &problem->title));
    NB_TRY(nb_copy_text(words, &problem->description));
out:
    return status;
}

static nb_status export_one(const nb_standard_problem *of, const char *folder, int force, const char *line) {
    nb_status status;
    nb_fclib_problem *problem = NULL;
    char path[MOST_PATH];
    if (snprintf(path, sizeof path, "%s/%s.hdf5", folder, of->name) >= (int)sizeof path)
        return nb_fail(NB_ERROR_IO, "cannot write into '%.300s': the name is too long", folder);
    NB_TRY(nb_overwrite_check(path, NB_WRITTEN_PROBLEM, force));
    NB_TRY(nb_check_problem(of->path));
    NB_TRY(nb_problem_file_read(of->path, &problem));
    NB_TRY(nb_standard_problem_check(of, &problem->data));
    NB_TRY(describe(of, problem));
    NB_TRY(nb_export_write_problem(problem, of->path, path, 0, line));
out:
    nb_fclib_destroy(problem);
    return status;
}

nb_status nb_export_standard(const char *which, const char *folder, int force, const char *line) {
    nb_status status;
    nb_standard_set set = {0};
    NB_TRY(nb_standard_set_find(which, &set));
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        NB_TRY(nb_fail(NB_ERROR_IO, "cannot make the folder '%.300s': %s", folder, strerror(errno)));
    for (int64_t i = 0; i < set.count; i++) NB_TRY(export_one(&set.items[i], folder, force, line));
out:
    nb_standard_set_clear(&set);
    return status;
}
