#include "constraint/file_problem.h"

#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "base/union_find.h"
#include "constraint/cone_rows.h"
#include "constraint/rolling_law.h"
#include "operator/delassus_matrix.h"

NB_PRECISIONS(f32, f64);

typedef struct file_problem {
    nb_problem base; /* first: a file problem is a problem */
    nb_cone_laws laws;
    nb_rolling_law rolling; /* in the place of the cone's, where there is rolling friction */
    int32_t contact_rows;   /* rows a contact: 3, 5 with rolling friction */
    nb_csr *matrix;         /* W as it stands, over the problem's rows */
    nb_delassus *symmetric;
    nb_delassus *unsymmetric; /* NULL where W is symmetric */
    real *q;                  /* [rows] */
    real *mu, *mu_r;          /* [contacts]; mu_r: NULL where there is no rolling friction */
    real *compliance;         /* [bilaterals] zero: files have none */
    real *force;              /* [rows] scratch */
} file_problem;

/* ---- W over the problem's rows ---- */

static nb_status convert(double from, const char *what, int32_t row, real *to) {
    *to = (real)from;
    if (isfinite(*to)) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "%s has the entry %g in row %d, which %s cannot hold", what, from, (int)row,
                   NB_REAL_NAMED);
}

static void append(nb_csr *a, int64_t *count, int32_t column, real value) {
    a->column[*count] = column;
    a->value[(*count)++] = value;
}

/* one row of W, the diagonal entry included even where the file has none; *diagonal receives it */
static nb_status expand_row(const nb_file_data *data, int32_t i, nb_csr *a, int64_t *count, real *diagonal) {
    int32_t row = nb_file_data_problem_row(data, i);
    int seen = 0;
    *diagonal = 0;
    for (int64_t k = data->w->start[i]; k < data->w->start[i + 1]; k++) {
        int32_t column = nb_file_data_problem_row(data, data->w->column[k]);
        real value;
        nb_status status = convert(data->w->value[k], "W", i, &value);
        if (status != NB_OK) return status;
        if (column > row && !seen) append(a, count, row, 0);
        if (column >= row) seen = 1;
        if (column == row) *diagonal = value;
        append(a, count, column, value);
    }
    if (!seen) append(a, count, row, 0);
    if (*diagonal < 0)
        return nb_fail(NB_ERROR_INPUT, "W has the diagonal entry %g in row %d: it must be positive semidefinite",
                       (double)*diagonal, (int)i);
    return NB_OK;
}

/* whether the next of the problem's rows is one that a problem in two dimensions is given in addition */
static int has_second(const nb_file_data *data, int32_t i) {
    int planar = data->dimension == (data->mu_r ? 3 : 2), own = (i - data->bilaterals) % data->dimension;
    return planar && i >= data->bilaterals && own > 0;
}

static nb_status expand(const nb_file_data *data, nb_csr **matrix) {
    nb_status status;
    int32_t file_rows = nb_file_data_rows(data), rows = (int32_t)nb_file_data_problem_rows(data);
    int64_t count = 0;
    nb_csr *a;
    NB_TRY(nb_csr_create(rows, rows, data->w->start[file_rows] + rows, matrix));
    a = *matrix;
    for (int32_t i = 0; i < file_rows; i++) {
        real diagonal;
        int32_t row = nb_file_data_problem_row(data, i);
        NB_TRY(expand_row(data, i, a, &count, &diagonal));
        a->start[row + 1] = count;
        if (!has_second(data, i)) continue;
        append(a, &count, row + 1, diagonal);
        a->start[row + 2] = count;
    }
    NB_TRY(nb_csr_find_triples(a));
out:
    return status;
}

/* ---- its symmetric part ---- */

/* The pattern of (W + W^T)/2 by whole blocks: the rows of a contact share their columns, as those between bodies do. */
typedef struct block_pattern {
    int32_t block_count;
    int32_t *block_start; /* [block_count + 1] first row of each block */
    int32_t *block_of;    /* [rows] */
    int32_t *mark;        /* [block_count] last block whose rows touch this one, + 1 */
    int32_t *touched;     /* [block_count] */
    int64_t *place;       /* [block_count] where a touched block's columns begin within a row */
} block_pattern;

static void block_pattern_release(block_pattern *b) {
    nb_free(b->block_start);
    nb_free(b->block_of);
    nb_free(b->mark);
    nb_free(b->touched);
    nb_free(b->place);
}

static nb_status block_pattern_create(const nb_problem *p, int32_t contact_rows, block_pattern *b) {
    nb_status status;
    b->block_count = p->bilaterals + p->contacts;
    NB_TRY(NB_ALLOCATE((int64_t)b->block_count + 1, &b->block_start));
    NB_TRY(NB_ALLOCATE(p->rows, &b->block_of));
    NB_TRY(NB_ALLOCATE(b->block_count, &b->mark));
    NB_TRY(NB_ALLOCATE(b->block_count, &b->touched));
    NB_TRY(NB_ALLOCATE(b->block_count, &b->place));
    for (int32_t i = 0; i < b->block_count; i++) {
        b->block_start[i + 1] = b->block_start[i] + (i < p->bilaterals ? 1 : contact_rows);
        for (int32_t r = b->block_start[i]; r < b->block_start[i + 1]; r++) b->block_of[r] = i;
    }
out:
    return status;
}

static int compare_blocks(const void *a, const void *b) {
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

/* lists the blocks that the rows of `block` touch in a or t, ascending; returns the length of its rows */
static int64_t touch(block_pattern *b, int32_t block, const nb_csr *a, const nb_csr *t, int32_t *count) {
    const nb_csr *both[2] = {a, t};
    int64_t length = 0;
    *count = 0;
    for (int i = 0; i < 2; i++)
        for (int64_t k = both[i]->start[b->block_start[block]]; k < both[i]->start[b->block_start[block + 1]]; k++) {
            int32_t other = b->block_of[both[i]->column[k]];
            if (b->mark[other] == block + 1) continue;
            b->mark[other] = block + 1;
            b->touched[(*count)++] = other;
        }
    qsort(b->touched, (size_t)*count, sizeof *b->touched, compare_blocks);
    for (int32_t i = 0; i < *count; i++) {
        b->place[b->touched[i]] = length;
        length += b->block_start[b->touched[i] + 1] - b->block_start[b->touched[i]];
    }
    return length;
}

/* `weight` times row r of `from` into the row of `sum` that begins at `begin` */
static void add_row(const block_pattern *b, const nb_csr *from, real weight, int32_t r, int64_t begin, nb_csr *sum) {
    for (int64_t k = from->start[r]; k < from->start[r + 1]; k++) {
        int32_t block = b->block_of[from->column[k]];
        sum->value[begin + b->place[block] + from->column[k] - b->block_start[block]] += weight * from->value[k];
    }
}

/* share a + (1 - share) t for t = a^T, in the pattern of both */
static nb_status mix(const nb_csr *a, const nb_csr *t, real share, block_pattern *b, nb_csr **sum) {
    nb_status status;
    int64_t nonzeros = 0, begin = 0;
    int32_t count;
    memset(b->mark, 0, (size_t)b->block_count * sizeof *b->mark);
    for (int32_t i = 0; i < b->block_count; i++)
        nonzeros += touch(b, i, a, t, &count) * (b->block_start[i + 1] - b->block_start[i]);
    memset(b->mark, 0, (size_t)b->block_count * sizeof *b->mark);
    NB_TRY(nb_csr_create(a->rows, a->rows, nonzeros, sum));
    for (int32_t i = 0; i < b->block_count; i++) {
        int64_t length = touch(b, i, a, t, &count);
        for (int32_t r = b->block_start[i]; r < b->block_start[i + 1]; r++, begin += length) {
            int32_t *column = (*sum)->column + begin;
            for (int32_t j = 0; j < count; j++)
                for (int32_t c = b->block_start[b->touched[j]]; c < b->block_start[b->touched[j] + 1]; c++)
                    *column++ = c;
            add_row(b, a, share, r, begin, *sum);
            add_row(b, t, 1 - share, r, begin, *sum);
            (*sum)->start[r + 1] = begin + length;
        }
    }
out:
    return status;
}

/* whether two matrices of one pattern are the same but for round-off */
static int alike(const nb_csr *a, const nb_csr *b) {
    real largest = 0, difference = 0;
    for (int64_t k = 0; k < a->start[a->rows]; k++) {
        largest = fmax(largest, fabs(a->value[k]));
        difference = fmax(difference, fabs(a->value[k] - b->value[k]));
    }
    return difference <= 16 * NB_REAL_EPSILON * largest;
}

static nb_status make_delassus(file_problem *f) {
    nb_status status;
    nb_csr *t = NULL, *sum = NULL, *whole = NULL;
    block_pattern blocks = {0};
    NB_TRY(nb_csr_transpose(f->matrix, &t));
    NB_TRY(block_pattern_create(&f->base, f->contact_rows, &blocks));
    NB_TRY(mix(f->matrix, t, R(0.5), &blocks, &sum));
    NB_TRY(mix(f->matrix, t, 1, &blocks, &whole));
    int symmetric = alike(whole, sum);
    nb_csr *taken = sum; /* it is taken over in every case */
    sum = NULL;
    NB_TRY(nb_delassus_matrix_create(taken, blocks.block_count, blocks.block_start, 0, NULL, &f->symmetric));
    f->base.delassus = f->base.exact = f->symmetric;
    if (symmetric) goto out;
    taken = whole;
    whole = NULL;
    NB_TRY(nb_delassus_matrix_create(taken, blocks.block_count, blocks.block_start, 0, NULL, &f->unsymmetric));
    f->base.exact = f->unsymmetric;
out:
    nb_csr_destroy(sum);
    nb_csr_destroy(whole);
    nb_csr_destroy(t);
    block_pattern_release(&blocks);
    return status;
}

/* ---- effective inverse masses, islands ---- */

/* the diagonal of W, friction rows averaged; a row without any is given the mean of the others, since w divides */
static void fill_masses(file_problem *f) {
    nb_problem *p = &f->base;
    double sum = 0;
    int32_t positive = 0;
    p->delassus->type->diagonal(p->delassus, p->w);
    for (int32_t i = 0; i < p->contacts; i++) {
        real *w = p->w + p->bilaterals + f->contact_rows * (int64_t)i;
        for (int32_t k = 1; k < f->contact_rows; k += 2) w[k] = w[k + 1] = (w[k] + w[k + 1]) / 2;
    }
    for (int32_t r = 0; r < p->rows; r++)
        if (p->w[r] > 0) {
            sum += (double)p->w[r];
            positive++;
        }
    for (int32_t r = 0; r < p->rows; r++)
        if (!(p->w[r] > 0)) p->w[r] = positive > 0 ? (real)(sum / positive) : 1;
}

static nb_status find_islands(file_problem *f) {
    nb_problem *p = &f->base;
    nb_status status;
    int32_t *parent = NULL, *contacts = NULL;
    NB_TRY(NB_ALLOCATE(p->rows, &parent));
    NB_TRY(NB_ALLOCATE(p->rows, &contacts));
    for (int32_t r = 0; r < p->rows; r++) parent[r] = r;
    for (int32_t i = 0; i < p->contacts; i++)
        for (int k = 1; k < f->contact_rows; k++)
            nb_unite(parent, p->bilaterals + f->contact_rows * i, p->bilaterals + f->contact_rows * i + k);
    for (int32_t r = 0; r < p->rows; r++)
        for (int64_t k = f->matrix->start[r]; k < f->matrix->start[r + 1]; k++)
            if (f->matrix->value[k] != 0) nb_unite(parent, r, f->matrix->column[k]);
    for (int32_t r = 0; r < p->rows; r++) p->island_count += nb_root(parent, r) == r;
    for (int32_t i = 0; i < p->contacts; i++) {
        int32_t size = ++contacts[nb_root(parent, p->bilaterals + f->contact_rows * i)];
        if (size > p->largest_island) p->largest_island = size;
    }
out:
    nb_free(parent);
    nb_free(contacts);
    return status;
}

/* ---- the problem ---- */

/* momentum: H^-1 g = u - q - W z, since there is no H apart from W */
static void evaluate(nb_problem *problem, const real *force_weight) {
    file_problem *f = (file_problem *)problem;
    memcpy(problem->value, problem->u, (size_t)problem->rows * sizeof(real));
    for (int32_t r = 0; r < problem->rows; r++)
        f->force[r] = force_weight ? force_weight[r] * problem->z[r] : problem->z[r];
    nb_csr_apply(f->matrix, f->force, problem->momentum);
    for (int32_t r = 0; r < problem->rows; r++) problem->momentum[r] = problem->u[r] - f->q[r] - problem->momentum[r];
}

static void momentum_rows(const nb_problem *problem, real *out) {
    memcpy(out, problem->momentum, (size_t)problem->rows * sizeof(real));
}

static void velocity_step(const nb_problem *problem, const real *y, real *du) {
    nb_csr_apply(((const file_problem *)problem)->matrix, y, du);
    for (int32_t r = 0; r < problem->rows; r++) du[r] -= problem->momentum[r];
}

static void rows_of_velocity(const nb_problem *problem, const real *du, real *out) {
    memcpy(out, du, (size_t)problem->rows * sizeof(real));
}

static double momentum_error(const nb_problem *problem) {
    double largest = 0;
    for (int32_t r = 0; r < problem->rows; r++) {
        double error = fabs((double)problem->momentum[r]);
        if (!(error <= largest)) largest = error;
    }
    return largest;
}

static const nb_problem_class file_class = {
    .evaluate = evaluate,
    .momentum_rows = momentum_rows,
    .velocity_step = velocity_step,
    .rows_of_velocity = rows_of_velocity,
    .momentum_error = momentum_error,
};

/* the contacts' law is the rolling one */
static nb_status publish_rolling(file_problem *f, const nb_file_data *data) {
    nb_status status;
    if (data->friction_law != NB_FRICTION_COULOMB)
        return nb_fail(NB_ERROR_UNSUPPORTED, "rolling friction has Coulomb's law alone, and not the %s one",
                       nb_friction_law_names[data->friction_law]);
    NB_TRY(NB_ALLOCATE(data->contacts, &f->mu_r));
    for (int32_t i = 0; i < data->contacts; i++) NB_TRY(convert(data->mu_r[i], "mu_r", i, &f->mu_r[i]));
    f->rolling = (nb_rolling_law){.base = {&nb_rolling_class}, .mu = f->mu, .mu_r = f->mu_r};
    f->laws.range[f->base.range_count - 1].law = &f->rolling.base;
out:
    return status;
}

static nb_status make_vectors(file_problem *f, const nb_file_data *data) {
    nb_status status;
    nb_problem *p = &f->base;
    NB_TRY(NB_ALLOCATE(p->rows, &f->q));
    NB_TRY(NB_ALLOCATE(p->contacts, &f->mu));
    NB_TRY(NB_ALLOCATE(p->bilaterals, &f->compliance));
    NB_TRY(NB_ALLOCATE(p->rows, &f->force));
    NB_TRY(NB_ALLOCATE(p->velocities, &p->u));
    NB_TRY(NB_ALLOCATE(p->velocities, &p->momentum));
    NB_TRY(NB_ALLOCATE(p->rows, &p->z));
    NB_TRY(NB_ALLOCATE(p->rows, &p->value));
    NB_TRY(NB_ALLOCATE(p->rows, &p->w));
    for (int32_t i = 0; i < nb_file_data_rows(data); i++)
        NB_TRY(convert(data->q[i], "q", i, &f->q[nb_file_data_problem_row(data, i)]));
    for (int32_t i = 0; i < p->contacts; i++) NB_TRY(convert(data->mu[i], "mu", i, &f->mu[i]));
    f->laws.bilateral.compliance = f->compliance;
    f->laws.cone.mu = f->mu;
    f->laws.cone.ratio = 1;
    f->laws.cone.facets = data->facets;
    f->laws.friction = data->friction_law;
    nb_cone_laws_publish(&f->laws, p);
    if (data->mu_r) NB_TRY(publish_rolling(f, data));
out:
    return status;
}

nb_status nb_file_problem_create(const nb_file_data *data, nb_problem **problem) {
    nb_status status;
    file_problem *f = NULL;
    NB_TRY(NB_ALLOCATE(1, &f));
    f->contact_rows = nb_file_data_contact_rows(data);
    f->base = (nb_problem){.type = &file_class,
                           .bilaterals = data->bilaterals,
                           .contacts = data->contacts,
                           .rows = (int32_t)nb_file_data_problem_rows(data),
                           .velocities = (int32_t)nb_file_data_problem_rows(data),
                           .h = 1,
                           .frozen = 1,
                           .contacts_linear = 1,
                           .pattern_epoch = 1,
                           .value_epoch = 1};
    NB_TRY(make_vectors(f, data));
    NB_TRY(expand(data, &f->matrix));
    NB_TRY(make_delassus(f));
    fill_masses(f);
    NB_TRY(find_islands(f));
    memcpy(f->base.u, f->q, (size_t)f->base.rows * sizeof(real));
    evaluate(&f->base, NULL);
out:
    if (status != NB_OK && f) {
        nb_file_problem_destroy(&f->base);
        f = NULL;
    }
    *problem = f ? &f->base : NULL;
    return status;
}

void nb_file_problem_destroy(nb_problem *problem) {
    file_problem *f = (file_problem *)problem;
    if (!f) return;
    nb_csr_destroy(f->matrix);
    if (f->symmetric) nb_delassus_matrix_destroy(f->symmetric);
    if (f->unsymmetric) nb_delassus_matrix_destroy(f->unsymmetric);
    nb_free(f->q);
    nb_free(f->mu);
    nb_free(f->mu_r);
    nb_free(f->compliance);
    nb_free(f->force);
    nb_free(problem->u);
    nb_free(problem->momentum);
    nb_free(problem->z);
    nb_free(problem->value);
    nb_free(problem->w);
    nb_free(f);
}
