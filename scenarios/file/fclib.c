#include "fclib.h"

#include <stdio.h>

#include "base/csr.h"
#include "base/memory.h"
#include "hdf5_input.h"

/* appends row r of `a`, its columns moved to the right by `offset` */
static void append_row(const nb_csr_f64 *a, int32_t r, int32_t offset, nb_csr_f64 *to, int64_t *count) {
    for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
        to->column[*count] = a->column[k] + offset;
        to->value[(*count)++] = a->value[k];
    }
}

/* [a b; c d] */
static nb_status csr_of_blocks(const nb_csr_f64 *a, const nb_csr_f64 *b, const nb_csr_f64 *c, const nb_csr_f64 *d,
                               nb_csr_f64 **matrix) {
    const nb_csr_f64 *block[2][2] = {{a, b}, {c, d}};
    int64_t count = 0, nonzeros = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) nonzeros += block[i][j]->start[block[i][j]->rows];
    nb_status status = nb_csr_create_f64(a->rows + c->rows, a->columns + b->columns, nonzeros, matrix);
    if (status != NB_OK) return status;
    for (int32_t r = 0; r < a->rows + c->rows; r++) {
        const nb_csr_f64 *const *pair = block[r >= a->rows];
        int32_t inside = r < a->rows ? r : r - a->rows;
        append_row(pair[0], inside, 0, *matrix, &count);
        append_row(pair[1], inside, a->columns, *matrix, &count);
        (*matrix)->start[r + 1] = count;
    }
    return NB_OK;
}

/* [a b] side by side; both have as many rows. The caller destroys the matrix. */
static nb_status csr_beside(const nb_csr_f64 *a, const nb_csr_f64 *b, nb_csr_f64 **matrix) {
    int64_t none[1] = {0};
    const nb_csr_f64 below[2] = {{.columns = a->columns, .start = none}, {.columns = b->columns, .start = none}};
    return csr_of_blocks(a, b, &below[0], &below[1], matrix);
}

/* the groups that may hold a problem */
typedef struct kind {
    const char *parent;
    int global, rolling; /* rolling: 1 where 3 rows a contact are those of rolling friction in two dimensions */
} kind;

static const kind kinds[] = {
    {"/fclib_local", 0, 0}, {"/fclib_global", 1, 0}, {"/fclib_local_rolling", 0, 1}, {"/fclib_global_rolling", 1, 1}};

static nb_status bad(const nb_hdf5_input *in, const char *group, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "'%s': %s %s", nb_hdf5_path(in), group, what);
}

/* ---- matrices ---- */

/* what a matrix group holds */
typedef struct stored {
    char group[64];
    int32_t rows, columns, nz;
    int32_t *p, *i;
    double *x;
    int64_t p_count, i_count, x_count;
} stored;

static void stored_release(stored *s) {
    nb_free(s->p);
    nb_free(s->i);
    nb_free(s->x);
}

static nb_status stored_read(const nb_hdf5_input *in, stored *s) {
    nb_status status;
    NB_TRY(nb_hdf5_read_integer(in, s->group, "m", &s->rows));
    NB_TRY(nb_hdf5_read_integer(in, s->group, "n", &s->columns));
    NB_TRY(nb_hdf5_read_integer(in, s->group, "nz", &s->nz));
    NB_TRY(nb_hdf5_read_integers(in, s->group, "p", &s->p_count, &s->p));
    NB_TRY(nb_hdf5_read_integers(in, s->group, "i", &s->i_count, &s->i));
    NB_TRY(nb_hdf5_read_numbers(in, s->group, "x", &s->x_count, &s->x));
out:
    return status;
}

static nb_status check_indices(const nb_hdf5_input *in, const char *group, char name, int64_t count,
                               const int32_t *index, int32_t limit) {
    for (int64_t k = 0; k < count; k++)
        if (index[k] < 0 || index[k] >= limit)
            return nb_fail(NB_ERROR_INPUT, "'%s': %s/%c holds %d at index %lld, outside 0 to %d", nb_hdf5_path(in),
                           group, name, (int)index[k], (long long)k, (int)limit - 1);
    return NB_OK;
}

/* checks the pointers p [lines + 1] of compressed storage; *count receives the number of entries */
static nb_status check_pointers(const nb_hdf5_input *in, const stored *s, int32_t lines, int64_t *count) {
    if (s->p_count != (int64_t)lines + 1)
        return nb_fail(NB_ERROR_INPUT, "'%s': %s/p has %lld elements, expected %lld", nb_hdf5_path(in), s->group,
                       (long long)s->p_count, (long long)lines + 1);
    if (s->p[0] != 0) return bad(in, s->group, "does not start at p[0] = 0");
    for (int32_t k = 0; k < lines; k++)
        if (s->p[k + 1] < s->p[k])
            return nb_fail(NB_ERROR_INPUT, "'%s': %s/p falls from %d to %d at index %d", nb_hdf5_path(in), s->group,
                           (int)s->p[k], (int)s->p[k + 1], (int)k + 1);
    *count = s->p[lines];
    return NB_OK;
}

/* the line (row or column) of every entry of compressed storage, in place of the pointers */
static nb_status expand_pointers(stored *s, int32_t lines, int64_t count) {
    int32_t *line = NULL;
    nb_status status = NB_ALLOCATE(count, &line);
    if (status != NB_OK) return status;
    for (int32_t k = 0; k < lines; k++)
        for (int32_t e = s->p[k]; e < s->p[k + 1]; e++) line[e] = k;
    nb_free(s->p);
    s->p = line;
    return NB_OK;
}

/* PARENT/NAME, which must be rows x columns */
static nb_status read_matrix(const nb_hdf5_input *in, const char *parent, const char *name, int64_t rows,
                             int64_t columns, nb_csr_f64 **matrix) {
    nb_status status;
    stored s = {0};
    int64_t count = 0;
    *matrix = NULL;
    snprintf(s.group, sizeof s.group, "%s/%s", parent, name);
    if (!nb_hdf5_has(in, parent, name)) NB_TRY(bad(in, s.group, "is missing"));
    NB_TRY(stored_read(in, &s));
    if (s.rows != rows || s.columns != columns)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%s': %s is %d x %d, but the vectors make it %lld x %lld", nb_hdf5_path(in),
                       s.group, (int)s.rows, (int)s.columns, (long long)rows, (long long)columns));
    if (s.nz < -2)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%s': %s/nz is %d, expected -2, -1 or a number of entries", nb_hdf5_path(in),
                       s.group, (int)s.nz));
    int32_t lines = s.nz == -1 ? s.columns : s.rows;
    if (s.nz < 0)
        NB_TRY(check_pointers(in, &s, lines, &count));
    else
        count = s.nz;
    if (s.i_count < count || s.x_count < count || (s.nz >= 0 && s.p_count < count))
        NB_TRY(bad(in, s.group, "has fewer indices or values than entries"));
    if (s.nz < 0) NB_TRY(expand_pointers(&s, lines, count));
    /* p holds columns and i rows, except by compressed rows */
    NB_TRY(check_indices(in, s.group, 'i', count, s.i, s.nz == -2 ? s.columns : s.rows));
    if (s.nz >= 0) NB_TRY(check_indices(in, s.group, 'p', count, s.p, s.columns));
    NB_TRY(nb_csr_from_triplets_f64(s.rows, s.columns, count, s.nz == -2 ? s.p : s.i, s.nz == -2 ? s.i : s.p, s.x,
                                    matrix));
out:
    stored_release(&s);
    return status;
}

/* ---- vectors ---- */

/* PARENT/vectors/NAME; `expected` elements, or as many as there are where that is negative */
static nb_status read_vector(const nb_hdf5_input *in, const char *parent, const char *name, int64_t expected,
                             int64_t *count, double **values) {
    char group[64];
    snprintf(group, sizeof group, "%s/vectors", parent);
    if (!nb_hdf5_has(in, parent, "vectors")) return bad(in, group, "is missing");
    nb_status status = nb_hdf5_read_numbers(in, group, name, count, values);
    if (status != NB_OK || expected < 0 || *count == expected) return status;
    return nb_fail(NB_ERROR_INPUT, "'%s': %s/%s has %lld elements, expected %lld", nb_hdf5_path(in), group, name,
                   (long long)*count, (long long)expected);
}

/* coefficients of friction */
static nb_status read_friction(const nb_hdf5_input *in, const char *parent, const char *name, int64_t contacts,
                               double **mu) {
    int64_t count;
    nb_status status = read_vector(in, parent, name, contacts, &count, mu);
    if (status != NB_OK) return status;
    for (int64_t i = 0; i < contacts; i++)
        if ((*mu)[i] < 0)
            return nb_fail(NB_ERROR_INPUT, "'%s': %s/vectors/%s holds %g at index %lld: expected at least 0",
                           nb_hdf5_path(in), parent, name, (*mu)[i], (long long)i);
    return NB_OK;
}

/* contacts from the length `rows` of their vector, and mu */
static nb_status read_contacts(const nb_hdf5_input *in, const char *parent, int64_t rows, nb_fclib_problem *problem) {
    nb_file_data *data = &problem->data;
    int64_t contacts = rows / data->dimension, of_problem = problem->rolling ? 5 : 3;
    if (rows == 0) return bad(in, parent, "has no contacts: there is nothing to solve");
    if ((int64_t)data->bilaterals + of_problem * contacts > INT32_MAX)
        return bad(in, parent, "has more than 2^31 - 1 rows");
    if (rows % data->dimension != 0)
        return nb_fail(NB_ERROR_INPUT, "'%s': %s has %lld contact rows: expected a multiple of spacedim %d",
                       nb_hdf5_path(in), parent, (long long)rows, (int)data->dimension);
    nb_status status = read_friction(in, parent, "mu", contacts, &problem->mu);
    if (status == NB_OK && problem->rolling) status = read_friction(in, parent, "mu_r", contacts, &problem->mu_r);
    data->contacts = (int32_t)contacts;
    return status;
}

/* q = [first; second] */
static nb_status join(int64_t first_count, const double *first, int64_t second_count, const double *second,
                      double **joined) {
    nb_status status = NB_ALLOCATE(first_count + second_count, joined);
    if (status != NB_OK) return status;
    for (int64_t i = 0; i < first_count; i++) (*joined)[i] = first[i];
    for (int64_t i = 0; i < second_count; i++) (*joined)[first_count + i] = second[i];
    return NB_OK;
}

/* ---- local problems ---- */

static nb_status read_local(const nb_hdf5_input *in, const char *parent, nb_fclib_problem *problem) {
    nb_status status;
    nb_csr_f64 *w = NULL, *v = NULL, *vt = NULL, *r = NULL;
    double *q = NULL, *s = NULL;
    int64_t m = 0, p = 0;
    int has_v = nb_hdf5_has(in, parent, "V"), has_r = nb_hdf5_has(in, parent, "R");
    if (has_v != has_r) NB_TRY(bad(in, parent, has_v ? "has V but no R" : "has R but no V"));
    if (has_v) NB_TRY(read_vector(in, parent, "s", -1, &p, &s));
    problem->data.bilaterals = (int32_t)p;
    NB_TRY(read_vector(in, parent, "q", -1, &m, &q));
    NB_TRY(read_contacts(in, parent, m, problem));
    NB_TRY(read_matrix(in, parent, "W", m, m, &w));
    NB_TRY(join(p, s, m, q, &problem->q));
    if (!has_v) {
        problem->w = w;
        w = NULL;
        goto out;
    }
    NB_TRY(read_matrix(in, parent, "V", m, p, &v));
    NB_TRY(read_matrix(in, parent, "R", p, p, &r));
    NB_TRY(nb_csr_transpose_f64(v, &vt));
    NB_TRY(csr_of_blocks(r, vt, v, w, &problem->w));
out:
    nb_csr_destroy_f64(w);
    nb_csr_destroy_f64(v);
    nb_csr_destroy_f64(vt);
    nb_csr_destroy_f64(r);
    nb_free(q);
    nb_free(s);
    return status;
}

/* ---- global problems ---- */

static nb_status read_global(const nb_hdf5_input *in, const char *parent, nb_fclib_problem *problem) {
    nb_status status;
    nb_csr_f64 *h = NULL, *g = NULL;
    double *w = NULL, *b = NULL;
    int64_t n = 0, m = 0, p = 0;
    int has_g = nb_hdf5_has(in, parent, "G");
    NB_TRY(read_vector(in, parent, "f", -1, &n, &problem->force));
    if (has_g) NB_TRY(read_vector(in, parent, "b", -1, &p, &b));
    problem->data.bilaterals = (int32_t)p;
    NB_TRY(read_vector(in, parent, "w", -1, &m, &w));
    NB_TRY(read_contacts(in, parent, m, problem));
    NB_TRY(read_matrix(in, parent, "M", n, n, &problem->mass));
    NB_TRY(read_matrix(in, parent, "H", n, m, has_g ? &h : &problem->jacobian));
    NB_TRY(join(p, b, m, w, &problem->free_velocity));
    if (has_g) {
        NB_TRY(read_matrix(in, parent, "G", n, p, &g));
        NB_TRY(csr_beside(g, h, &problem->jacobian));
    }
    NB_TRY(nb_fclib_condense(nb_hdf5_path(in), problem));
out:
    nb_csr_destroy_f64(h);
    nb_csr_destroy_f64(g);
    nb_free(w);
    nb_free(b);
    return status;
}

/* ---- the whole ---- */

/* Five rows a contact are always those of rolling friction, three are where the group says so. */
static nb_status read_dimension(const nb_hdf5_input *in, const kind *k, nb_fclib_problem *problem) {
    int32_t dimension;
    nb_status status = nb_hdf5_read_integer(in, k->parent, "spacedim", &dimension);
    if (status != NB_OK) return status;
    problem->rolling = k->rolling || dimension == 5;
    if (dimension != 3 && dimension != 5 && (k->rolling || dimension != 2))
        return nb_fail(NB_ERROR_INPUT, "'%s': %s/spacedim is %d, expected %s", nb_hdf5_path(in), k->parent,
                       (int)dimension, k->rolling ? "3 or 5" : "2 or 3, or 5 with rolling friction");
    problem->data.dimension = dimension;
    return NB_OK;
}

static nb_status read_info(const nb_hdf5_input *in, const char *parent, nb_fclib_problem *problem) {
    nb_status status;
    char group[64];
    snprintf(group, sizeof group, "%s/info", parent);
    NB_TRY(nb_hdf5_read_text(in, group, "title", &problem->title));
    NB_TRY(nb_hdf5_read_text(in, group, "description", &problem->description));
    NB_TRY(nb_hdf5_read_text(in, group, "math_info", &problem->math_info));
out:
    return status;
}

static nb_status read_problem(const nb_hdf5_input *in, nb_fclib_problem *problem) {
    nb_status status;
    const kind *k = kinds, *end = kinds + sizeof kinds / sizeof *kinds;
    while (k < end && !nb_hdf5_has(in, "", k->parent + 1)) k++;
    if (k == end)
        return nb_fail(NB_ERROR_INPUT,
                       "'%s' holds no FCLIB problem: neither /fclib_local nor /fclib_global, nor one of these with "
                       "_rolling at its end",
                       nb_hdf5_path(in));
    NB_TRY(read_dimension(in, k, problem));
    NB_TRY(k->global ? read_global(in, k->parent, problem) : read_local(in, k->parent, problem));
    NB_TRY(read_info(in, k->parent, problem));
    NB_TRY(nb_fclib_finish(nb_hdf5_path(in), problem));
out:
    return status;
}

nb_status nb_fclib_read(const char *path, nb_fclib_problem **problem) {
    nb_status status;
    nb_hdf5_input *in = NULL;
    *problem = NULL;
    NB_TRY(nb_hdf5_open(path, &in));
    NB_TRY(NB_ALLOCATE(1, problem));
    NB_TRY(read_problem(in, *problem));
out:
    nb_hdf5_close(in);
    if (status != NB_OK) {
        nb_fclib_destroy(*problem);
        *problem = NULL;
    }
    return status;
}
