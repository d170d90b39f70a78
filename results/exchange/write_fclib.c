#include "exchange/write_fclib.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/h5.h"
#include "record/partial.h"
#include "record/whole.h"

/* a matrix by compressed columns, all indices of 32 bits */
typedef struct columns {
    int32_t rows, columns, *start, *row;
    double *value;
} columns;

static void columns_clear(columns *c) {
    nb_free(c->start);
    nb_free(c->row);
    nb_free(c->value);
    *c = (columns){0};
}

/* Columns from the rows first .. first + count - 1 of `a`: the transpose of that part, of the columns `to[j]` >= 0
 * alone, which become rows to[j] out of `rows`. */
static nb_status take_rows(const nb_csr_f64 *a, int64_t first, int64_t count, const int32_t *to, int32_t rows,
                           columns *c) {
    nb_status status;
    int64_t most = a->start[first + count] - a->start[first], used = 0;
    *c = (columns){.rows = rows, .columns = (int32_t)count};
    if (most > INT32_MAX) NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "FCLIB's format has no place for 2^31 entries"));
    NB_TRY(NB_ALLOCATE(count + 1, &c->start));
    NB_TRY(NB_ALLOCATE(most, &c->row));
    NB_TRY(NB_ALLOCATE(most, &c->value));
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = a->start[first + i]; k < a->start[first + i + 1]; k++) {
            if (to[a->column[k]] < 0) continue;
            c->row[used] = to[a->column[k]];
            c->value[used++] = a->value[k];
        }
        c->start[i + 1] = (int32_t)used;
    }
out:
    return status;
}

/* ---- datasets ---- */

static nb_status write_numbers(hid_t group, const char *name, const char *units, const char *long_name, int64_t count,
                               const double *x) {
    const nb_meaning meaning = {name, units, long_name};
    hsize_t dims[1] = {(hsize_t)count};
    return nb_h5_write_array(group, &meaning, H5T_NATIVE_DOUBLE, 1, dims, x);
}

static nb_status write_integers(hid_t group, const char *name, const char *long_name, int64_t count, const int32_t *x) {
    const nb_meaning meaning = {name, "1", long_name};
    hsize_t dims[1] = {(hsize_t)count};
    return nb_h5_write_array(group, &meaning, H5T_NATIVE_INT32, 1, dims, x);
}

static nb_status write_columns(hid_t parent, const char *name, const char *units, const columns *c) {
    nb_status status;
    hid_t group = -1;
    int32_t count = c->start[c->columns], by_columns = -1;
    NB_TRY(nb_h5_create_group(parent, name, &group));
    NB_TRY(write_integers(group, "nzmax", "room for entries", 1, &count));
    NB_TRY(write_integers(group, "m", "rows", 1, &c->rows));
    NB_TRY(write_integers(group, "n", "columns", 1, &c->columns));
    NB_TRY(write_integers(group, "nz", "-1: compressed columns", 1, &by_columns));
    NB_TRY(write_integers(group, "p", "column j is p[j] .. p[j + 1] - 1", (int64_t)c->columns + 1, c->start));
    NB_TRY(write_integers(group, "i", "row of each entry", count, c->row));
    NB_TRY(write_numbers(group, "x", units, "entries", count, c->value));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

/* rows of `a` as the columns of the matrix NAME; see take_rows */
static nb_status write_part(hid_t parent, const char *name, const char *units, const nb_csr_f64 *a, int64_t first,
                            int64_t count, const int32_t *to, int32_t rows) {
    columns c;
    nb_status status = take_rows(a, first, count, to, rows, &c);
    if (status == NB_OK) status = write_columns(parent, name, units, &c);
    columns_clear(&c);
    return status;
}

static nb_status write_text(hid_t group, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    herr_t written = set < 0 ? -1 : H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return written < 0 ? nb_h5_fault("cannot write the description") : NB_OK;
}

static nb_status write_info(hid_t parent, const nb_fclib_form *p) {
    nb_status status;
    hid_t group = -1;
    NB_TRY(nb_h5_create_group(parent, "info", &group));
    NB_TRY(write_text(group, "title", p->title));
    NB_TRY(write_text(group, "description", p->description));
    NB_TRY(write_text(group, "math_info", p->math_info));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

/* ---- the two forms ---- */

static nb_status fill_range(int64_t count, int64_t first, int64_t end, int32_t **to) {
    nb_status status = NB_ALLOCATE(count, to);
    for (int64_t j = 0; status == NB_OK && j < count; j++) (*to)[j] = j >= first && j < end ? (int32_t)(j - first) : -1;
    return status;
}

/* adds E/h^2 to the diagonal of R */
static void add_compliance(const nb_fclib_form *p, columns *r) {
    if (!p->compliance) return;
    for (int32_t j = 0; j < r->columns; j++)
        for (int32_t k = r->start[j]; k < r->start[j + 1]; k++)
            if (r->row[k] == j) r->value[k] += p->compliance[j];
}

static nb_status write_local(hid_t group, hid_t vectors, const nb_fclib_form *p) {
    nb_status status;
    int32_t *contact_rows = NULL, *joint_rows = NULL;
    columns r = {0};
    int32_t m = p->dimension * p->contacts;
    NB_TRY(fill_range(p->rows, p->bilaterals, p->rows, &contact_rows));
    NB_TRY(fill_range(p->rows, 0, p->bilaterals, &joint_rows));
    NB_TRY(write_part(group, "W", "1/kg", p->delassus, p->bilaterals, m, contact_rows, m));
    NB_TRY(write_numbers(vectors, "q", "m/s", "free velocities of the contacts", m, p->q + p->bilaterals));
    if (p->bilaterals > 0) {
        NB_TRY(write_part(group, "V", "1/kg", p->delassus, 0, p->bilaterals, contact_rows, m));
        NB_TRY(take_rows(p->delassus, 0, p->bilaterals, joint_rows, p->bilaterals, &r));
        add_compliance(p, &r);
        NB_TRY(write_columns(group, "R", "1/kg", &r));
        NB_TRY(write_numbers(vectors, "s", "m/s", "free velocities of the joints", p->bilaterals, p->q));
    }
out:
    columns_clear(&r);
    nb_free(contact_rows);
    nb_free(joint_rows);
    return status;
}

/* the place of each velocity among those of bodies with mass, or -1 */
static nb_status number_velocities(const nb_fclib_form *p, int32_t **to, int32_t *count) {
    nb_status status = NB_ALLOCATE(p->velocities, to);
    *count = 0;
    for (int64_t i = 0; status == NB_OK && i < p->velocities; i++)
        (*to)[i] = p->mass->start[i + 1] > p->mass->start[i] ? (*count)++ : -1;
    return status;
}

/* M of the bodies with mass alone */
static nb_status write_mass(hid_t group, const nb_fclib_form *p, const int32_t *to, int32_t n) {
    columns all, heavy;
    nb_status status;
    NB_TRY(take_rows(p->mass, 0, p->velocities, to, n, &all));
    heavy = all; /* the columns of bodies without mass are empty: only their pointers go */
    heavy.columns = n;
    for (int64_t j = 0; j < p->velocities; j++)
        if (to[j] >= 0) heavy.start[to[j] + 1] = all.start[j + 1];
    NB_TRY(write_columns(group, "M", "kg, kg m^2", &heavy));
out:
    columns_clear(&all);
    return status;
}

static nb_status write_global(hid_t group, hid_t vectors, const nb_fclib_form *p) {
    nb_status status;
    int32_t *to = NULL, n;
    double *f = NULL;
    NB_TRY(number_velocities(p, &to, &n));
    NB_TRY(NB_ALLOCATE(n, &f));
    for (int64_t i = 0; i < p->velocities; i++)
        if (to[i] >= 0) f[to[i]] = p->f[i];
    NB_TRY(write_mass(group, p, to, n));
    NB_TRY(write_part(group, "H", "1, m", p->jacobian, p->bilaterals, p->rows - p->bilaterals, to, n));
    NB_TRY(write_numbers(vectors, "f", "N s, N m s", "momentum without constraints", n, f));
    NB_TRY(write_numbers(vectors, "w", "m/s", "gap over the time step, and prescribed velocities",
                         p->rows - p->bilaterals, p->w + p->bilaterals));
    if (p->bilaterals > 0) {
        NB_TRY(write_part(group, "G", "1, m", p->jacobian, 0, p->bilaterals, to, n));
        NB_TRY(write_numbers(vectors, "b", "m/s", "joint error over the time step", p->bilaterals, p->w));
    }
out:
    nb_free(to);
    nb_free(f);
    return status;
}

static nb_status check(const nb_contact_problem *p, int global) {
    if (p->contacts == 0) return nb_fail(NB_ERROR_INPUT, "the step has no contacts: there is no contact problem");
    for (int32_t i = 0; global && i < p->bilaterals; i++)
        if (p->compliance[i] > 0)
            return nb_fail(NB_ERROR_UNSUPPORTED, "a global FCLIB problem has no place for compliant joints: take the "
                                                 "local one, --format fclib");
    if (global && p->soft > 0)
        return nb_fail(NB_ERROR_UNSUPPORTED, "a global FCLIB problem has no place for compliant contacts: take the "
                                             "local one, --format fclib");
    return NB_OK;
}

/* the group of a problem */
static const char *group_of(const nb_fclib_form *p, int global) {
    if (p->mu_r) return global ? "fclib_global_rolling" : "fclib_local_rolling";
    return global ? "fclib_global" : "fclib_local";
}

/* closes the file */
static nb_status write_file(hid_t file, const nb_fclib_form *p, int global) {
    nb_status status;
    hid_t group = -1, vectors = -1;
    NB_TRY(nb_h5_create_group(file, group_of(p, global), &group));
    NB_TRY(nb_h5_create_group(group, "vectors", &vectors));
    NB_TRY(write_integers(group, "spacedim", "rows a contact", 1, &p->dimension));
    NB_TRY(global ? write_global(group, vectors, p) : write_local(group, vectors, p));
    NB_TRY(write_numbers(vectors, "mu", "1", "coefficients of friction", p->contacts, p->mu));
    if (p->mu_r) NB_TRY(write_numbers(vectors, "mu_r", "m", "coefficients of rolling friction", p->contacts, p->mu_r));
    NB_TRY(write_info(group, p));
out:
    if (vectors >= 0) H5Gclose(vectors);
    if (group >= 0) H5Gclose(group);
    if (H5Fclose(file) < 0 && status == NB_OK) status = nb_h5_fault("cannot write the file");
    return status;
}

nb_status nb_fclib_write_form(const char *path, const nb_fclib_form *form, int global) {
    char *partial, cause[300];
    hid_t file;
    nb_status status = nb_partial_begin(path, &partial);
    if (status != NB_OK) return status;
    nb_h5_quiet();
    NB_TRY(nb_h5_create_common_file(partial, path, &file));
    status = write_file(file, form, global);
    if (status == NB_ERROR_IO) {
        snprintf(cause, sizeof cause, "%s", nb_error_message());
        status = nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, cause);
    }
    if (status == NB_OK) status = nb_whole_written(partial, path);
out:
    status = nb_partial_end(status, partial, path);
    nb_free(partial);
    return status;
}

nb_status nb_fclib_write(const char *path, const nb_contact_problem *problem, int global, const char *title,
                         const char *description) {
    nb_status status = check(problem, global);
    if (status != NB_OK) return status;
    const nb_fclib_form form = {
        .dimension = 3,
        .bilaterals = problem->bilaterals,
        .contacts = problem->contacts,
        .rows = problem->rows,
        .velocities = problem->velocities,
        .delassus = &problem->delassus,
        .mass = &problem->mass,
        .jacobian = &problem->jacobian,
        .q = problem->q,
        .w = problem->w,
        .f = problem->f,
        .mu = problem->mu,
        .compliance = problem->compliance,
        .title = title,
        .description = description,
        .math_info = "symmetric positive semidefinite W, often singular; SI units, impulses over one time step; a "
                     "contact's rows are its normal (with the gap over the step) and two tangents, the second as long "
                     "as the friction's ratio where that is not the same in all directions"};
    return nb_fclib_write_form(path, &form, global);
}
