/* Incomplete LU by threshold, ILUT (Saad 1994), of the matrix scaled from both sides by the roots of its diagonal's
 * size: S A S ~ L U, P = S (L U)^-1 S. In a row without a diagonal, S is one over the root of its largest entry.
 *
 * Row after row is made from those before it, in the system's order. What is smaller than `drop` times the norm of the
 * row of S A S goes, and the `fill` largest entries of L's part stay, and as many of U's. A pivot that is round-off of
 * its row becomes `drop` times the row's norm. A row of zeros is left alone.
 *
 * Where the system is over nodes (over_nodes.h), this is done with B in the place of A, as `lu` does it: of A itself
 * too much is lost. There, a row's numbers of one node stay where one of them is large: late systems of an
 * interior-point method have directions in which stiff contacts cancel, and that is lost where single numbers go. GMRES
 * to 1e-8 on an arch, a system: 8.0 iterations, one by one 28, with A 179; `lu` 2.2.
 *
 * Over nodes a solution x of B x = f is corrected so many times by its residual, x += (L U)^-1 (f - B x). An error
 * there is one of A's system times B M^-1, which stiff contacts make 1e4 and more: the correction comes before that.
 *
 * Of a symmetric system, L U is `ict`'s L L^T of A: P is to be symmetric there. */
#include <tgmath.h>

#include "base/memory.h"
#include "base/options.h"
#include "precond/kept.h"
#include "precond/over_nodes.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const nb_option options[] = {
    {"drop", "1", 1e-3, 0, 1, 0, NULL,
     "entries of a row of L and U below this times the norm of the scaled A's are dropped"},
    {"fill", "1", 200, 0, 1e6, 1, NULL, "most entries of a row of L, and of a row of U without its diagonal"},
    {"corrections", "1", 5, 0, 20, 1, NULL, "over bodies, times that a solution is improved by its residual"},
};

enum {
    DROP,
    FILL,
    CORRECTIONS,
    ROOM = 4 /* entries of L, or of U, over those of A, for which there is room before any values are known */
};

#define ict_class NB_REAL_NAME(nb_precond_ict)
extern const nb_preconditioner_class ict_class;

/* rows of one factor, one after the other */
typedef struct part {
    int64_t *start; /* [rows + 1] */
    int32_t *column;
    real *value;
    int64_t start_capacity, column_capacity, value_capacity;
} part;

typedef struct ilut {
    double drop;
    int32_t fill, rows, corrections;
    int symmetric;
    void *ict;          /* what takes symmetric systems */
    nb_over_nodes over; /* where `on_nodes` */
    int on_nodes;
    nb_csr nodes; /* its B */
    real *x;      /* [rows of B] a residual, and what it is solved to */
    double *v;    /* [rows of B] the solution */
    part lower, upper;
    real *scale, *inverse;  /* [rows] S; 1 / U_ii, or 0 for a row left alone */
    int32_t *group;         /* [rows] where `on_nodes`: the first row of each one's node */
    int32_t *heap, *chosen; /* [rows] columns left of the diagonal that are still to be eliminated; scratch */
    int32_t waiting;        /* columns in the heap */
    nb_kept row;
    double setup_flops;
    int64_t x_capacity, v_capacity, scale_capacity, inverse_capacity, group_capacity, heap_capacity, chosen_capacity;
} ilut;

static void clear_part(part *f) {
    nb_free(f->start);
    nb_free(f->column);
    nb_free(f->value);
}

static void destroy(void *state) {
    ilut *p = state;
    if (!p) return;
    ict_class.destroy(p->ict);
    clear_part(&p->lower);
    clear_part(&p->upper);
    nb_kept_clear(&p->row);
    nb_over_nodes_clear(&p->over);
    nb_csr_clear(&p->nodes);
    nb_free(p->x);
    nb_free(p->v);
    nb_free(p->scale);
    nb_free(p->inverse);
    nb_free(p->group);
    nb_free(p->heap);
    nb_free(p->chosen);
    nb_free(p);
}

static nb_status create(const double *values, void **state) {
    nb_status status;
    ilut *p = NULL;
    double *of_ict = NULL;
    NB_TRY(NB_ALLOCATE(1, &p));
    p->drop = values[DROP];
    p->fill = (int32_t)values[FILL];
    p->corrections = (int32_t)values[CORRECTIONS];
    NB_TRY(NB_ALLOCATE(ict_class.option_count, &of_ict));
    nb_options_standard(ict_class.options, ict_class.option_count, of_ict);
    of_ict[DROP] = values[DROP]; /* its first two are the same */
    of_ict[FILL] = values[FILL];
    NB_TRY(ict_class.create(of_ict, &p->ict));
out:
    nb_free(of_ict);
    if (status != NB_OK) {
        destroy(p);
        p = NULL;
    }
    *state = p;
    return status;
}

static nb_status reserve_part(part *f, int64_t count) {
    nb_status status;
    NB_TRY(NB_RESERVE(count, &f->column_capacity, &f->column));
    NB_TRY(NB_RESERVE(count, &f->value_capacity, &f->value));
out:
    return status;
}

/* B's pattern */
static nb_status set_nodes(ilut *p, const nb_system *system) {
    nb_status status;
    NB_TRY(nb_over_nodes_set_pattern(&p->over, system));
    const nb_lu_matrix *b = &p->over.matrix;
    const int64_t count = b->rows > 0 ? b->start[b->rows] : 0;
    nb_csr_clear(&p->nodes);
    NB_TRY(nb_csr_make((int32_t)b->rows, (int32_t)b->rows, count, &p->nodes));
    for (int32_t i = 0; i <= b->rows; i++) p->nodes.start[i] = b->start[i];
    for (int64_t k = 0; k < count; k++) p->nodes.column[k] = (int32_t)b->column[k];
    NB_TRY(NB_RESERVE(b->rows, &p->x_capacity, &p->x));
    NB_TRY(NB_RESERVE(b->rows, &p->v_capacity, &p->v));
    NB_TRY(NB_RESERVE(b->rows, &p->group_capacity, &p->group));
    const nb_node_pairs *pairs = &p->over.primal.pairs;
    for (int32_t i = 0; i < pairs->nodes; i++)
        for (int32_t r = pairs->row[i]; r < pairs->row[i + 1]; r++) p->group[r] = pairs->row[i];
out:
    return status;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    ilut *p = state;
    nb_status status;
    const nb_csr *a = &p->nodes;
    p->symmetric = system->symmetric;
    if (p->symmetric) return ict_class.set_up_pattern(p->ict, system);
    p->on_nodes = nb_primal_fits(system->delassus);
    if (p->on_nodes)
        NB_TRY(set_nodes(p, system));
    else
        NB_TRY(nb_system_matrix(system, &a));
    const int64_t n = p->rows = a->rows, all = n * (n - 1) / 2, room = ROOM * nb_csr_nonzeros(a);
    NB_TRY(NB_RESERVE(n, &p->scale_capacity, &p->scale));
    NB_TRY(NB_RESERVE(n, &p->inverse_capacity, &p->inverse));
    NB_TRY(NB_RESERVE(n, &p->heap_capacity, &p->heap));
    NB_TRY(NB_RESERVE(n, &p->chosen_capacity, &p->chosen));
    NB_TRY(NB_RESERVE(n + 1, &p->lower.start_capacity, &p->lower.start));
    NB_TRY(NB_RESERVE(n + 1, &p->upper.start_capacity, &p->upper.start));
    NB_TRY(nb_kept_reserve(&p->row, p->rows));
    NB_TRY(reserve_part(&p->lower, all < room ? all : room));
    NB_TRY(reserve_part(&p->upper, all < room ? all : room));
out:
    return status;
}

/* the matrix that is factorised, up to date */
static nb_status take_matrix(ilut *p, nb_system *system, const nb_csr **a) {
    if (!p->on_nodes) return nb_system_matrix(system, a);
    /* the least that `lu` takes: rows without C and K are to give way a little */
    nb_over_nodes_set_values(&p->over, system, fmax(1e-10, 16 * (double)NB_REAL_EPSILON));
    for (int64_t k = 0; k < p->nodes.start[p->rows]; k++) p->nodes.value[k] = (real)p->over.matrix.value[k];
    *a = &p->nodes;
    return NB_OK;
}

static void find_scale(ilut *p, const nb_csr *a) {
    for (int32_t i = 0; i < p->rows; i++) {
        real diagonal = 0, largest = 0;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            if (a->column[k] == i) diagonal = fabs(a->value[k]);
            largest = fmax(largest, fabs(a->value[k]));
        }
        const real size = diagonal > 0 ? diagonal : largest;
        p->scale[i] = size > 0 ? 1 / sqrt(size) : 0;
    }
}

/* ---- the columns that are still to be eliminated, the least first ---- */

static void push(ilut *p, int32_t column) {
    int32_t at = p->waiting++;
    for (; at > 0 && p->heap[(at - 1) / 2] > column; at = (at - 1) / 2) p->heap[at] = p->heap[(at - 1) / 2];
    p->heap[at] = column;
}

static int32_t pop(ilut *p) {
    const int32_t least = p->heap[0], last = p->heap[--p->waiting];
    int32_t at = 0;
    for (int32_t child = 1; child < p->waiting; child = 2 * at + 1) {
        if (child + 1 < p->waiting && p->heap[child + 1] < p->heap[child]) child++;
        if (p->heap[child] >= last) break;
        p->heap[at] = p->heap[child];
        at = child;
    }
    p->heap[at] = last;
    return least;
}

/* number += x in column j of row i */
static void add(ilut *p, int32_t i, int32_t j, real x) {
    if (j < i && !p->row.taken[j]) push(p, j);
    nb_kept_add(&p->row, j, x);
}

/* row i of S A S; returns its norm */
static double load(ilut *p, const nb_csr *a, int32_t i) {
    double sum = 0;
    for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
        const real x = p->scale[i] * a->value[k] * p->scale[a->column[k]];
        if (x != 0) add(p, i, a->column[k], x);
        p->setup_flops += 2;
        sum += (double)x * (double)x;
    }
    return sqrt(sum);
}

/* whether the factor of row k, or where columns go together one of its node's others that are left, is large */
static int is_large(const ilut *p, int32_t k, double least) {
    if (!p->on_nodes) return (double)fabs(p->row.number[k] * p->inverse[k]) > least;
    for (int32_t c = p->group[k]; c < p->rows && p->group[c] == p->group[k]; c++)
        if ((double)fabs(p->row.number[c] * p->inverse[c]) > least) return 1;
    return 0;
}

/* takes the rows before out of row i */
static void eliminate(ilut *p, int32_t i, double least) {
    while (p->waiting > 0) {
        const int32_t k = pop(p);
        const real factor = p->row.number[k] * p->inverse[k];
        const int dropped = !is_large(p, k, least);
        p->row.number[k] = dropped ? 0 : factor;
        p->setup_flops += 1 + (dropped ? 0 : 2 * (double)(p->upper.start[k + 1] - p->upper.start[k]));
        for (int64_t e = p->upper.start[k]; !dropped && e < p->upper.start[k + 1]; e++)
            add(p, i, p->upper.column[e], -factor * p->upper.value[e]);
    }
}

/* appends the largest of the row's numbers from column `first` to before `end` to a factor's row i */
static nb_status store(ilut *p, part *f, int32_t i, int32_t first, int32_t end, double least) {
    const int64_t begin = f->start[i];
    const int32_t count = nb_kept_choose(&p->row, p->on_nodes ? p->group : NULL, first, end, least, p->fill, p->chosen);
    nb_status status = reserve_part(f, begin + count);
    if (status != NB_OK) return status;
    for (int32_t e = 0; e < count; e++) {
        f->column[begin + e] = p->chosen[e];
        f->value[begin + e] = p->row.number[p->chosen[e]];
    }
    f->start[i + 1] = begin + count;
    return NB_OK;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    ilut *p = state;
    const nb_csr *a;
    nb_status status = NB_OK;
    if (p->symmetric != system->symmetric) status = set_up_pattern(p, system); /* K is of another kind than before */
    if (status != NB_OK) return status;
    if (p->symmetric) return ict_class.set_up_values(p->ict, system, reason);
    status = take_matrix(p, system, &a);
    if (status != NB_OK) return status;
    find_scale(p, a);
    p->setup_flops = 0;
    p->lower.start[0] = p->upper.start[0] = 0;
    for (int32_t i = 0; i < p->rows && status == NB_OK; i++) {
        const double norm = load(p, a, i), least = p->drop * norm;
        eliminate(p, i, least);
        real pivot = p->row.number[i];
        if (!(fabs(pivot) > 16 * NB_REAL_EPSILON * norm))
            pivot = (real)(fmax(p->drop, 1e-4) * norm) * (pivot < 0 ? -1 : 1);
        p->inverse[i] = pivot != 0 ? 1 / pivot : 0;
        status = store(p, &p->lower, i, 0, i, least);
        if (status == NB_OK) status = store(p, &p->upper, i, i + 1, p->rows, least);
        nb_kept_restart(&p->row);
    }
    return status;
}

/* z = S (L U)^-1 S r; z may be r */
static void solve(const ilut *p, const real *r, real *z) {
    const part *l = &p->lower, *u = &p->upper;
    for (int32_t i = 0; i < p->rows; i++) {
        real sum = p->scale[i] * r[i];
        for (int64_t e = l->start[i]; e < l->start[i + 1]; e++) sum -= l->value[e] * z[l->column[e]];
        z[i] = sum;
    }
    for (int32_t i = p->rows - 1; i >= 0; i--) {
        real sum = z[i];
        for (int64_t e = u->start[i]; e < u->start[i + 1]; e++) sum -= u->value[e] * z[u->column[e]];
        z[i] = sum * p->inverse[i];
    }
    for (int32_t i = 0; i < p->rows; i++) z[i] *= p->scale[i];
}

/* v ~ B^-1 f, in double but for the factors */
static void solve_nodes(ilut *p, const double *f) {
    const nb_lu_matrix *b = &p->over.matrix;
    for (int32_t i = 0; i < p->rows; i++) p->x[i] = (real)f[i];
    solve(p, p->x, p->x);
    for (int32_t i = 0; i < p->rows; i++) p->v[i] = (double)p->x[i];
    for (int32_t k = 0; k < p->corrections; k++) {
        for (int32_t i = 0; i < p->rows; i++) {
            double sum = f[i];
            for (int64_t e = p->nodes.start[i]; e < p->nodes.start[i + 1]; e++)
                sum -= b->value[e] * p->v[p->nodes.column[e]];
            p->x[i] = (real)sum;
        }
        solve(p, p->x, p->x);
        for (int32_t i = 0; i < p->rows; i++) p->v[i] += (double)p->x[i];
    }
}

static void apply(void *state, const real *r, real *z) {
    ilut *p = state;
    if (p->symmetric) {
        ict_class.apply(p->ict, r, z);
    } else if (!p->on_nodes) {
        solve(p, r, z);
    } else {
        solve_nodes(p, nb_primal_begin(&p->over.primal, r));
        nb_primal_finish(&p->over.primal, r, p->v, z);
    }
}

/* 2 operations an entry of L and U, and what corrections, T and J take where B is in A's place */
static void work(const void *state, nb_preconditioner_work *work) {
    const ilut *p = state;
    if (p->symmetric) {
        ict_class.work(p->ict, work);
        return;
    }
    const double rows = p->rows, own = sizeof(real),
                 entries = (double)(p->lower.start[p->rows] + p->upper.start[p->rows]);
    *work = (nb_preconditioner_work){
        .setup_flops = p->setup_flops, .apply_flops = 2 * entries + 3 * rows, .nonzeros = entries + rows};
    work->apply_bytes = entries * (own + sizeof(int32_t)) + 6 * rows * own;
    if (!p->on_nodes) return;
    const double corrections = p->corrections, b = (double)nb_csr_nonzeros(&p->nodes);
    work->apply_flops += corrections * (work->apply_flops + 2 * b + rows);
    work->apply_bytes +=
        corrections * (work->apply_bytes + b * (sizeof(double) + sizeof(int32_t)) + 2 * rows * (double)sizeof(double));
    nb_primal_add_work(&p->over.primal, work);
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_ilut) = {
    .name = "ilut",
    .summary = "incomplete LU by threshold; of symmetric systems, ict",
    .suits = "stiffness",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_unsymmetric = 1,
    .of_symmetric = "ict",
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .work = work,
    .destroy = destroy,
};
