#include "export_problem.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "exchange/write_fclib.h"
#include "file/linear_problem.h"
#include "file_readers.h"
#include "run/scene_problem.h"
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

nb_status nb_export_write_problem(const nb_fclib_problem *problem, const char *from, const char *to, int global,
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

nb_status nb_export_problem(const char *from, const char *to, int global, const char *line) {
    nb_status status;
    nb_fclib_problem *problem = NULL;
    if (nb_linear_problem_is(from))
        return nb_fail(NB_ERROR_USAGE, "export: '%.200s' is a linear system, and no contact problem", from);
    NB_TRY(nb_check_problem(from));
    NB_TRY(nb_problem_file_read(from, &problem));
    if (global && !problem->global)
        NB_TRY(nb_fail(NB_ERROR_USAGE,
                       "export: '%.200s' is a local problem, of which M and H are not known: --format fclib", from));
    NB_TRY(nb_export_write_problem(problem, from, to, global, line));
out:
    nb_fclib_destroy(problem);
    return status;
}

nb_status nb_export_checksum(const char *path) {
    nb_status status;
    nb_fclib_problem *problem = NULL;
    char sum[NB_SHA256_TEXT];
    if (nb_linear_problem_is(path))
        return nb_fail(NB_ERROR_USAGE, "export: '%.200s' is a linear system, and no contact problem", path);
    NB_TRY(nb_check_problem(path));
    NB_TRY(nb_problem_file_read(path, &problem));
    nb_file_data_checksum(&problem->data, sum);
    nb_print(stdout, "%s  %s\n", sum, path);
out:
    nb_fclib_destroy(problem);
    return status;
}
