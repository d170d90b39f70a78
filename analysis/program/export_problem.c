#include "export_problem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "exchange/write_fclib.h"
#include "file/linear_problem.h"
#include "file_readers.h"
#include "overwrite.h"
#include "run/scene_problem.h"
#include "run/standard_set.h"
#include "text/plain.h"

/* the columns of the problem's matrices as rows, and its texts */
typedef struct turned {
    nb_csr_f64 *delassus, *mass, *jacobian;
    char title[160], description[1200];
} turned;

static nb_status turn(const nb_fclib_problem *problem, int global, turned *t) {
    nb_status status = NB_OK;
    if (global) {
        NB_TRY(nb_csr_transpose_f64(problem->mass, &t->mass));
        NB_TRY(nb_csr_transpose_f64(problem->jacobian, &t->jacobian));
    } else {
        NB_TRY(nb_csr_transpose_f64(problem->data.w, &t->delassus));
    }
out:
    return status;
}

/* The file's own title and description go on; what digits were lost, and what was guessed, is added. */
static void describe(const nb_fclib_problem *problem, const char *from, const char *line, turned *t) {
    const char *name = strrchr(from, '/');
    snprintf(t->title, sizeof t->title, "%s", *problem->title ? problem->title : name ? name + 1 : from);
    int used = snprintf(t->description, sizeof t->description, "%.600s%s%.500s", problem->description,
                        *problem->description ? "; " : "", line);
    if (problem->digits > 0 && used < (int)sizeof t->description)
        used += snprintf(t->description + used, sizeof t->description - (size_t)used, "; matrices of %d digits",
                         problem->digits);
    if (problem->ambiguous && used < (int)sizeof t->description)
        snprintf(t->description + used, sizeof t->description - (size_t)used,
                 "; read as rolling friction in two dimensions, where a plasticity problem looks the same");
}

static nb_status write(const nb_fclib_problem *problem, const char *to, int global, const turned *t) {
    const nb_file_data *data = &problem->data;
    const nb_fclib_form form = {.dimension = data->dimension,
                                .bilaterals = data->bilaterals,
                                .contacts = data->contacts,
                                .rows = nb_file_data_rows(data),
                                .velocities = problem->velocities,
                                .delassus = t->delassus,
                                .mass = t->mass,
                                .jacobian = t->jacobian,
                                .q = data->q,
                                .w = problem->free_velocity,
                                .f = problem->force,
                                .mu = data->mu,
                                .mu_r = data->mu_r,
                                .title = t->title,
                                .description = t->description,
                                .math_info = problem->math_info};
    return nb_fclib_write_form(to, &form, global);
}

/* The same of a problem that was read from there; without a title it has the file's name. */
static nb_status write_turned(const nb_fclib_problem *problem, const char *from, const char *to, int global,
                              const char *line) {
    nb_status status;
    turned t = {0};
    NB_TRY(turn(problem, global, &t));
    describe(problem, from, line, &t);
    NB_TRY(write(problem, to, global, &t));
out:
    nb_csr_destroy_f64(t.delassus);
    nb_csr_destroy_f64(t.mass);
    nb_csr_destroy_f64(t.jacobian);
    return status;
}

static nb_status read_problem(const char *path, nb_fclib_problem **problem) {
    if (nb_linear_problem_is(path))
        return nb_fail(NB_ERROR_USAGE, "export: '%.200s' is a linear system, and no contact problem", path);
    nb_status status = nb_check_problem(path);
    return status == NB_OK ? nb_problem_file_read(path, problem) : status;
}

nb_status nb_export_problem(const char *from, const char *to, int global, const char *line) {
    nb_status status;
    nb_fclib_problem *problem = NULL;
    NB_TRY(read_problem(from, &problem));
    if (global && !problem->global)
        NB_TRY(nb_fail(NB_ERROR_USAGE,
                       "export: '%.200s' is a local problem, of which M and H are not known: --format fclib", from));
    NB_TRY(write_turned(problem, from, to, global, line));
out:
    nb_fclib_destroy(problem);
    return status;
}

nb_status nb_export_checksum(const char *path) {
    nb_status status;
    nb_fclib_problem *problem = NULL;
    char sum[NB_SHA256_TEXT];
    NB_TRY(read_problem(path, &problem));
    nb_file_data_checksum(&problem->data, sum);
    nb_print(stdout, "%s  %s\n", sum, path);
out:
    nb_fclib_destroy(problem);
    return status;
}

/* export of a standard set: its problems in FCLIB's format, for other programs. */

enum {
    MOST_PATH = 4096,
    MOST_WORDS = 400
};

/* its title is its name; the description says what the table does */
static nb_status describe_member(const nb_standard_problem *of, nb_fclib_problem *problem) {
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
    NB_TRY(describe_member(of, problem));
    NB_TRY(write_turned(problem, of->path, path, 0, line));
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
