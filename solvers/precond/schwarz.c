/* Additive Schwarz: the sum of the inverses of overlapping diagonal blocks of A,
 *
 *     P = sum over parts p of R_p^T (R_p A R_p^T)^-1 R_p,   R_p takes the rows of part p
 *
 * Parts are METIS's (partition.h), of about `size` nodes (blocks, block_graph.h), and `overlap` times all neighbours of
 * what is in a part join it. Each has a Cholesky factor, in double, of its scaled matrix; where that is not positive,
 * its diagonal is raised until it is. A row whose diagonal is zero is left alone.
 *
 * With one level iterations grow with the number of parts. With `coarse` geneo they do not, but eigenproblems of all
 * parts, dense ones, cost a hundred times what the factors do (coarse_space.h). With `refresh` step, vectors of a
 * step's first system serve its later ones, with auto until iterations have doubled; Z^T A Z alone is made anew. Rigid
 * motions of parts cost little, and leave it a growth.
 *
 * Dryja, Widlund 1987; Toselli, Widlund, "Domain decomposition methods", 2005. */
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "cholmod_factor.h"
#include "dense_serial.h"
#include "precond/coarse_space.h"
#include "precond/partition.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

enum {
    NONE,
    RIGID,
    GENEO
};

static const char *const spaces[] = {[NONE] = "none", [RIGID] = "rigid", [GENEO] = "geneo", NULL};

enum {
    EACH,
    STEP,
    AUTO
};

static const char *const refreshes[] = {[EACH] = "each", [STEP] = "step", [AUTO] = "auto", NULL};

static const nb_option options[] = {
    {"size", "1", 20, 2, 1000, 1, NULL, "nodes of a part, about, without its overlap"},
    {"overlap", "1", 1, 0, 3, 1, NULL, "layers of neighbors that are added to a part"},
    {"coarse", "1", NONE, 0, 0, 0, spaces,
     "a second level: motions of parts as one body, or soft ones (form stiffness)"},
    {"refresh", "1", EACH, 0, 0, 0, refreshes,
     "vectors of the second level: with each system, each step, or when iterations have doubled"},
};

enum {
    SIZE,
    OVERLAP,
    COARSE,
    REFRESH
};

static const char *why_ignored(const double *values, int i) {
    static const char *const why[] = {[NONE] = "coarse none", [RIGID] = "coarse rigid", [GENEO] = NULL};
    return i == REFRESH ? why[(int)values[COARSE]] : NULL; /* rigid vectors are of the step's start in any case */
}

typedef struct part {
    nb_part_rows own;
    int64_t *source; /* [entries] of A, of each entry of the factor's matrix */
    nb_cholmod_factor factor;
} part;

typedef struct schwarz {
    int32_t size, overlap, rows;
    int coarse, refresh;
    int known;             /* 1: `space` is of these parts */
    int64_t serial;        /* of the last system, */
    int64_t pattern_epoch; /* and of its last pattern */
    int32_t first, last;   /* iterations of the first solve with its vectors, -1: none yet; and of the last */
    nb_coarse_space space;
    nb_block_graph graph;
    nb_partition partition;
    int32_t parts;
    part *part;             /* [parts] */
    int32_t *layer, *place; /* [blocks] of the part in the making: 0: not in it; [rows] where a row is in it, or -1 */
    double *scale, *z, *residual; /* [rows] D^-1/2; what apply sums up; what is given to the parts */
    double setup_flops;
    int64_t layer_capacity, place_capacity, scale_capacity, z_capacity, residual_capacity;
} schwarz;

static nb_status create(const double *values, void **state) {
    schwarz *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) {
        p->size = (int32_t)values[SIZE];
        p->overlap = (int32_t)values[OVERLAP];
        p->coarse = (int)values[COARSE];
        p->refresh = (int)values[REFRESH];
    }
    *state = p;
    return status;
}

static void clear_parts(schwarz *p) {
    for (int32_t k = 0; k < p->parts; k++) {
        nb_free(p->part[k].own.row);
        nb_free(p->part[k].source);
        nb_cholmod_factor_end(&p->part[k].factor);
    }
    nb_free(p->part);
    p->part = NULL;
    p->parts = 0;
    p->known = 0;
}

static void destroy(void *state) {
    schwarz *p = state;
    if (!p) return;
    clear_parts(p);
    nb_block_graph_clear(&p->graph);
    nb_partition_clear(&p->partition);
    nb_coarse_space_clear(&p->space);
    nb_free(p->layer);
    nb_free(p->residual);
    nb_free(p->place);
    nb_free(p->scale);
    nb_free(p->z);
    nb_free(p);
}

/* ---- the parts ---- */

/* Marks the blocks of part k: layer 1 what the partition has, 2 what joins next, and so on. Returns their rows. */
static int32_t mark_blocks(schwarz *p, int32_t k) {
    const nb_block_graph *g = &p->graph;
    int32_t rows = 0;
    memset(p->layer, 0, (size_t)g->count * sizeof *p->layer);
    for (int32_t m = p->partition.start[k]; m < p->partition.start[k + 1]; m++) p->layer[p->partition.member[m]] = 1;
    for (int32_t layer = 1; layer <= p->overlap; layer++)
        for (int32_t i = 0; i < g->count; i++)
            for (int64_t e = g->start[i]; p->layer[i] == layer && e < g->start[i + 1]; e++)
                if (p->layer[g->neighbour[e]] == 0) p->layer[g->neighbour[e]] = layer + 1;
    for (int32_t i = 0; i < g->count; i++)
        if (p->layer[i]) rows += g->first[i + 1] - g->first[i];
    return rows;
}

/* the pattern of the part's matrix, of which entries are above the diagonal by rows (cholmod_factor.h), or their number
 * where `part->source` is NULL */
static int64_t fill_pattern(const schwarz *p, const nb_csr *a, part *q) {
    int64_t used = 0;
    SuiteSparse_long *start = q->source ? q->factor.matrix->p : NULL, *row = q->source ? q->factor.matrix->i : NULL;
    for (int32_t i = 0; i < q->own.rows; i++) {
        if (start) start[i] = used;
        for (int64_t k = a->start[q->own.row[i]]; k < a->start[q->own.row[i] + 1]; k++) {
            const int32_t j = p->place[a->column[k]];
            if (j < i) continue;
            if (start) {
                row[used] = j;
                q->source[used] = k;
            }
            used++;
        }
    }
    if (start) start[q->own.rows] = used;
    return used;
}

static nb_status choose_rows(schwarz *p, int32_t k) {
    nb_status status;
    part *q = &p->part[k];
    const nb_block_graph *g = &p->graph;
    int32_t count = 0;
    q->own.rows = mark_blocks(p, k);
    NB_TRY(NB_ALLOCATE(q->own.rows, &q->own.row));
    for (int32_t i = 0; i < g->count; i++)
        for (int32_t r = g->first[i]; p->layer[i] && r < g->first[i + 1]; r++) q->own.row[count++] = r;
out:
    return status;
}

static nb_status analyse(schwarz *p, const nb_csr *a, part *q) {
    nb_status status;
    NB_TRY(nb_interrupt_check());
    nb_free(q->source);
    q->source = NULL;
    for (int32_t i = 0; i < q->own.rows; i++) p->place[q->own.row[i]] = i;
    const int64_t entries = fill_pattern(p, a, q);
    NB_TRY(nb_cholmod_factor_reserve(&q->factor, q->own.rows, entries));
    NB_TRY(NB_ALLOCATE(entries, &q->source));
    fill_pattern(p, a, q);
    for (int32_t i = 0; i < q->own.rows; i++) p->place[q->own.row[i]] = -1;
    NB_TRY(nb_cholmod_factor_analyse(&q->factor));
out:
    return status;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    schwarz *p = state;
    nb_status status;
    const nb_csr *a;
    const int grown = p->serial == system->serial && p->pattern_epoch < system->pattern_epoch;
    p->serial = system->serial;
    p->pattern_epoch = system->pattern_epoch;
    NB_TRY(nb_system_matrix(system, &a));
    if (grown && p->known && p->refresh != EACH) { /* vectors that are kept for a step, with their parts */
        memset(p->place, -1, (size_t)a->rows * sizeof *p->place);
        for (int32_t k = 0; k < p->parts; k++) NB_TRY(analyse(p, a, &p->part[k]));
        return NB_OK;
    }
    clear_parts(p);
    p->rows = a->rows;
    NB_TRY(nb_block_graph_make(&p->graph, system, a));
    NB_TRY(nb_partition_make(&p->partition, &p->graph, p->size));
    NB_TRY(NB_RESERVE(p->graph.count, &p->layer_capacity, &p->layer));
    NB_TRY(NB_RESERVE(a->rows, &p->place_capacity, &p->place));
    NB_TRY(NB_RESERVE(a->rows, &p->scale_capacity, &p->scale));
    NB_TRY(NB_RESERVE(a->rows, &p->z_capacity, &p->z));
    NB_TRY(NB_RESERVE(a->rows, &p->residual_capacity, &p->residual));
    memset(p->place, -1, (size_t)a->rows * sizeof *p->place);
    NB_TRY(NB_ALLOCATE(p->partition.parts, &p->part));
    for (; p->parts < p->partition.parts; p->parts++) nb_cholmod_factor_begin(&p->part[p->parts].factor);
    for (int32_t k = 0; k < p->parts; k++) {
        NB_TRY(choose_rows(p, k));
        NB_TRY(analyse(p, a, &p->part[k]));
    }
out:
    return status;
}

/* ---- values ---- */

/* the part's scaled matrix with a shift; a row left alone has a one on its diagonal */
static void load(const schwarz *p, const nb_csr *a, part *q, double shift) {
    const SuiteSparse_long *start = q->factor.matrix->p, *column = q->factor.matrix->i;
    double *value = q->factor.matrix->x;
    for (int32_t i = 0; i < q->own.rows; i++)
        for (SuiteSparse_long e = start[i]; e < start[i + 1]; e++) {
            const double left = p->scale[q->own.row[i]], right = p->scale[q->own.row[column[e]]];
            value[e] = left * (double)a->value[q->source[e]] * right;
            if (column[e] == i) value[e] = left > 0 ? value[e] + shift : 1;
        }
}

/* *done 0 where no shift helps. Pivots that may be round-off, as those of a singular A are, do not count as positive.
 */
static nb_status factorize(schwarz *p, const nb_csr *a, part *q, int *done) {
    nb_status status = NB_OK;
    const double least = 4096 * (double)NB_REAL_EPSILON;
    *done = 0;
    for (double shift = 0; shift < 100 && !*done && status == NB_OK; shift = fmax(4 * shift, least)) {
        int32_t failed;
        load(p, a, q, shift);
        status = nb_cholmod_factor_make(&q->factor, &failed);
        p->setup_flops += q->factor.common.fl;
        *done = failed < 0 && cholmod_l_rcond(q->factor.factor, &q->factor.common) > least;
    }
    return status;
}

static nb_status find_vectors(schwarz *p, nb_system *system, const nb_csr *a) {
    nb_status status;
    int32_t found;
    p->known = 0;
    memset(p->place, 0, (size_t)a->rows * sizeof *p->place);
    for (int32_t k = 0; k < p->parts; k++)
        for (int32_t i = 0; i < p->part[k].own.rows; i++) p->place[p->part[k].own.row[i]]++;
    NB_TRY(nb_coarse_space_begin(&p->space, system, a, &p->graph, p->place));
    for (int32_t k = 0; k < p->parts; k++)
        NB_TRY(
            (p->coarse == GENEO ? nb_coarse_space_add : nb_coarse_space_add_rigid)(&p->space, &p->part[k].own, &found));
    p->known = 1;
    p->first = -1;
out:
    return status;
}

static nb_status make_space(schwarz *p, nb_system *system, const nb_csr *a, nb_reason *reason) {
    nb_status status;
    const int doubled = p->refresh == AUTO && p->first >= 0 && p->last > 2 * p->first;
    if (p->refresh != EACH && p->known && !doubled)
        nb_coarse_space_keep(&p->space, system, a);
    else
        NB_TRY(find_vectors(p, system, a));
    NB_TRY(nb_coarse_space_finish(&p->space, reason));
    if (*reason != NB_REASON_NONE) p->known = 0;
    p->setup_flops += p->space.flops;
out:
    return status;
}

static nb_status make_values(schwarz *p, nb_system *system, nb_reason *reason) {
    const nb_csr *a;
    nb_status status = nb_system_matrix(system, &a);
    p->setup_flops = 0;
    for (int32_t i = 0; status == NB_OK && i < a->rows; i++) {
        p->scale[i] = 0;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->column[k] == i && a->value[k] != 0) p->scale[i] = 1 / sqrt(fabs((double)a->value[k]));
    }
    for (int32_t k = 0; status == NB_OK && k < p->parts; k++) {
        int done;
        status = factorize(p, a, &p->part[k], &done);
        if (!done) *reason = NB_REASON_NOT_POSITIVE_DEFINITE;
    }
    if (status == NB_OK && p->coarse != NONE && *reason == NB_REASON_NONE) status = make_space(p, system, a, reason);
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    nb_dense_serial_begin();
    const nb_status status = make_values(state, system, reason);
    nb_dense_serial_end();
    return status;
}

static void apply(void *state, const real *r, real *z) {
    schwarz *p = state;
    nb_dense_serial_begin();
    double *y = p->residual;
    for (int32_t i = 0; i < p->rows; i++) y[i] = (double)r[i];
    if (p->coarse != NONE) nb_coarse_space_before(&p->space, y);
    memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
    for (int32_t k = 0; k < p->parts; k++) {
        part *q = &p->part[k];
        double *b = q->factor.b->x;
        for (int32_t i = 0; i < q->own.rows; i++) b[i] = p->scale[q->own.row[i]] * y[q->own.row[i]];
        nb_cholmod_factor_solve(&q->factor); /* takes no memory after the first, which set-up made */
        const double *x = q->factor.x->x;
        for (int32_t i = 0; i < q->own.rows; i++) p->z[q->own.row[i]] += x[i];
    }
    for (int32_t i = 0; i < p->rows; i++) p->z[i] *= p->scale[i];
    if (p->coarse != NONE) nb_coarse_space_after(&p->space, p->z);
    for (int32_t i = 0; i < p->rows; i++) z[i] = (real)p->z[i];
    nb_dense_serial_end();
}

static void solved(void *state, int32_t iterations) {
    schwarz *p = state;
    if (p->first < 0) p->first = iterations;
    p->last = iterations;
}

/* two operations an entry of each factor in each of two solves, and the scaling */
static void work(const void *state, nb_preconditioner_work *work) {
    const schwarz *p = state;
    *work = (nb_preconditioner_work){.setup_flops = p->setup_flops, .apply_flops = p->rows};
    for (int32_t k = 0; k < p->parts; k++) {
        work->nonzeros += p->part[k].factor.common.lnz;
        work->apply_flops += 4 * p->part[k].factor.common.lnz + 2.0 * p->part[k].own.rows;
        work->apply_bytes += (2 * p->part[k].factor.common.lnz + 4.0 * p->part[k].own.rows) * (double)sizeof(double);
    }
    if (p->coarse != NONE) { /* besides two products with A: Z four times, the factor of Z^T A Z twice */
        const double n = p->space.columns, entries = n > 0 ? (double)p->space.place[p->space.columns] : 0;
        work->nonzeros += entries + n * (n + 1) / 2;
        work->apply_flops += 8 * entries + 4 * n * n;
        work->apply_bytes += (4 * entries + 2 * n * n) * (double)sizeof(double);
    }
    work->apply_bytes += 2.0 * p->rows * (double)sizeof(real);
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_schwarz) = {
    .name = "schwarz",
    .summary = "factors of overlapping parts of the graph (METIS), in one level or two",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .factorises = 1, /* where there is one part, all of A */
    .why_ignored = why_ignored,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .solved = solved,
    .work = work,
    .destroy = destroy,
};
