/* The stored Newton systems of a run. They can be large, so that they are read only when they are asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/h5.h"
#include "record/reader.h"
#include "record/record.h"

/* pointers that rise to the number of entries, columns that ascend and are in range */
static nb_status check_matrix(const char *name, const nb_stored_matrix *m) {
    int good = m->start[0] == 0 && m->start[m->rows] == m->nonzeros;
    for (int64_t i = 0; good && i < m->rows; i++) good = m->start[i + 1] >= m->start[i];
    for (int64_t i = 0; good && i < m->rows; i++)
        for (int64_t k = m->start[i]; good && k < m->start[i + 1]; k++)
            good = m->column[k] >= (k > m->start[i] ? m->column[k - 1] + 1 : 0) && m->column[k] < m->columns;
    return good ? NB_OK : nb_fail(NB_ERROR_INPUT, "the stored matrix %s holds places that make no sense", name);
}

/* the matrix NAME of the group, which must be rows x columns */
static nb_status read_matrix(hid_t parent, const char *name, int64_t rows, int64_t columns, nb_stored_matrix *m) {
    nb_status status;
    hsize_t dims[1];
    hid_t group = nb_h5_has(parent, name) ? H5Gopen2(parent, name, H5P_DEFAULT) : -1;
    if (group < 0) return nb_fail(NB_ERROR_INPUT, "the stored matrix %s is missing", name);
    NB_TRY(nb_h5_read_number(group, "rows", H5T_NATIVE_INT64, &m->rows));
    NB_TRY(nb_h5_read_number(group, "columns", H5T_NATIVE_INT64, &m->columns));
    if (m->rows != rows || m->columns != columns)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "the stored matrix %s is %lld x %lld where %lld x %lld belong", name,
                       (long long)m->rows, (long long)m->columns, (long long)rows, (long long)columns));
    dims[0] = (hsize_t)rows + 1;
    NB_TRY(nb_h5_read_array(group, "start", H5T_NATIVE_INT64, sizeof *m->start, 1, dims, &m->start));
    NB_TRY(nb_h5_dimensions(group, "column", 1, dims));
    m->nonzeros = (int64_t)dims[0];
    NB_TRY(nb_h5_read_array(group, "column", H5T_NATIVE_INT32, sizeof *m->column, 1, dims, &m->column));
    NB_TRY(nb_h5_read_array(group, "value", H5T_NATIVE_DOUBLE, sizeof *m->value, 1, dims, &m->value));
    NB_TRY(check_matrix(name, m));
out:
    H5Gclose(group);
    return status;
}

static nb_status read_vector(hid_t group, const char *name, int64_t count, double **x) {
    hsize_t dims[1] = {(hsize_t)count};
    return nb_h5_read_array(group, name, H5T_NATIVE_DOUBLE, sizeof **x, 1, dims, x);
}

static nb_status read_system(hid_t group, nb_stored_system *system) {
    nb_status status;
    hsize_t dims[1];
    NB_TRY(nb_h5_dimensions(group, "b", 1, dims));
    system->rows = (int64_t)dims[0];
    NB_TRY(read_vector(group, "b", system->rows, &system->b));
    NB_TRY(read_vector(group, "s", system->rows, &system->s));
    NB_TRY(read_vector(group, "h", system->rows, &system->residual_h));
    NB_TRY(read_matrix(group, "A", system->rows, system->rows, &system->a));
    NB_TRY(read_matrix(group, "C", system->rows, system->rows, &system->c));
    if (nb_h5_has(group, "K")) NB_TRY(read_matrix(group, "K", system->rows, system->rows, &system->k));
    if (!nb_h5_has(group, "g")) return NB_OK; /* of a problem file: no bodies */
    NB_TRY(nb_h5_dimensions(group, "g", 1, dims));
    system->velocities = (int64_t)dims[0];
    NB_TRY(read_vector(group, "g", system->velocities, &system->g));
    NB_TRY(read_matrix(group, "H", system->velocities, system->velocities, &system->h));
    NB_TRY(read_matrix(group, "J", system->rows, system->velocities, &system->j));
out:
    return status;
}

/* step and iteration from a name like 0012_003 */
static int parse_name(const char *name, int32_t *step, int32_t *newton) {
    int s, k, end = 0;
    if (strspn(name, "0123456789_") != strlen(name) || sscanf(name, "%8d_%8d%n", &s, &k, &end) != 2 || name[end])
        return 0;
    *step = s;
    *newton = k;
    return 1;
}

/* the i-th system by name, added to the run */
static nb_status add_system(hid_t systems, hsize_t i, nb_run *run) {
    nb_status status;
    char name[32] = "", message[300];
    nb_stored_system system = {0};
    ssize_t length = H5Lget_name_by_idx(systems, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    if (length <= 0 || length >= (ssize_t)sizeof name || !parse_name(name, &system.step, &system.newton))
        return nb_fail(NB_ERROR_INPUT, "the group 'systems' has a member that is no system");
    hid_t group = nb_h5_has(systems, name) ? H5Gopen2(systems, name, H5P_DEFAULT) : -1;
    status = group < 0 ? nb_fail(NB_ERROR_INPUT, "not a group") : read_system(group, &system);
    if (group >= 0) H5Gclose(group);
    if (status == NB_OK) return nb_run_add_system(run, &system);
    nb_stored_system_clear(&system);
    if (status == NB_ERROR_MEMORY) return status;
    snprintf(message, sizeof message, "%.280s", nb_error_message());
    return nb_fail(status, "system '%s': %s", name, message);
}

static int by_step_and_newton(const void *a, const void *b) {
    const nb_stored_system *x = a, *y = b;
    return x->step != y->step ? (x->step > y->step) - (x->step < y->step)
                              : (x->newton > y->newton) - (x->newton < y->newton);
}

/* the group of a system; negative where there is none */
static hid_t open_system(hid_t run_group, int32_t step, int32_t newton) {
    char name[32];
    if (!nb_h5_has(run_group, "systems")) return -1;
    hid_t systems = H5Gopen2(run_group, "systems", H5P_DEFAULT);
    if (systems < 0) return -1;
    snprintf(name, sizeof name, "%04d_%03d", (int)step, (int)newton);
    hid_t group = nb_h5_has(systems, name) ? H5Gopen2(systems, name, H5P_DEFAULT) : -1;
    H5Gclose(systems);
    return group;
}

int nb_has_system(hid_t run_group, int32_t step, int32_t newton) {
    hid_t group = open_system(run_group, step, newton);
    if (group >= 0) H5Gclose(group);
    return group >= 0;
}

nb_status nb_read_system(hid_t run_group, nb_stored_system *system) {
    hid_t group = open_system(run_group, system->step, system->newton);
    nb_status status = group < 0 ? nb_fail(NB_ERROR_INPUT, "the system is missing") : read_system(group, system);
    if (group >= 0) H5Gclose(group);
    return status;
}

nb_status nb_read_systems(hid_t run_group, nb_run *run) {
    nb_status status = NB_OK;
    H5G_info_t info;
    if (!nb_h5_has(run_group, "systems")) return NB_OK;
    hid_t group = H5Gopen2(run_group, "systems", H5P_DEFAULT);
    if (group < 0 || H5Gget_info(group, &info) < 0) NB_TRY(nb_fail(NB_ERROR_INPUT, "'systems' is no group"));
    for (hsize_t i = 0; i < info.nlinks; i++) NB_TRY(add_system(group, i, run));
    /* names of more than four digits are not in order */
    if (run->system_count > 0) qsort(run->systems, (size_t)run->system_count, sizeof *run->systems, by_step_and_newton);
out:
    if (group >= 0) H5Gclose(group);
    return status;
}
