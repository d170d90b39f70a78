/* Two levels, the coarse one of soft motions of parts: spectral smoothed aggregation without overlap. Of the stiffness
 * form of bodies, iterations do not grow with the system.
 *
 * Blocks of A (block_graph.h) are cut into parts of about `size` (partition.h). Of the stiffness form, whose
 * A = H + sum over rows of J^T S (1/C) S J, a part p has N_p, the masses of its bodies and those rows that act on them
 * alone, so that the sum of all N_p is at most A. With D the diagonal blocks of A, the vectors N_p v = l D v with l
 * below `theta`, in all parts, are the columns of Z and span the coarse space:
 *
 *     1 - P A = (1 - S A) (1 - Q A) (1 - S A),   Q = Z (Z^T A Z)^-1 Z^T,
 *
 * S a polynomial in D^-1 A of Chebyshev, for eigenvalues from `top` / 8 to `top`. Each row acts on at most `top`
 * bodies, 2 if not more, so that no eigenvalue of D^-1 A is above it, and the condition number of P A is at most about
 * top / theta. Z^T A Z is sparse, and has a Cholesky factor by CHOLMOD.
 *
 * Where rows are not known, or elements couple bodies, N_p is the part's principal submatrix of A without what makes up
 * for its couplings to other parts (nb_dense_compensate), and top a bound by the norms of couplings. It may be
 * indefinite; then there is no such bound.
 *
 * Chartier et al. 2003, "Spectral AMGe"; Spillane et al. 2014, of overlapping parts. */
#include <cblas.h>
#include <lapacke.h>
#include <string.h>
#include <tgmath.h>

#include "base/dense_room.h"
#include "base/instruction_set.h"
#include "base/interrupt.h"
#include "base/long_call.h"
#include "base/memory.h"
#include "cholmod_factor.h"
#include "dense_serial.h"
#include "precond/block_diagonal.h"
#include "precond/dense_block.h"
#include "precond/partition.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const nb_option options[] = {
    {"size", "1", 20, 1, 1000, 1, NULL, "bodies of a part, about"},
    {"theta", "1", 0.05, 1e-6, 0.99, 0, NULL,
     "eigenvectors of a part below this span the coarse space; the condition number is at most about 2 / theta"},
    {"degree", "1", 2, 1, 20, 1, NULL,
     "applications of block-jacobi in the smoother, before and after the coarse space"},
};

enum {
    SIZE,
    THETA,
    DEGREE,
    RATIO = 8 /* of the smoother's interval */
};

typedef struct spectral {
    int32_t size;
    int degree;
    double theta, top;
    nb_system *system; /* of the last set-up; borrowed */
    nb_block_graph graph;
    nb_partition partition;
    int32_t *part;               /* [blocks] */
    int64_t area;                /* of a block: widest^2 */
    double *scale;               /* [blocks][area] C^-1 */
    double *own;                 /* [blocks][area] of N_p on the diagonal */
    nb_block_diagonal inverse;   /* D^-1 */
    int32_t *local;              /* [blocks] first row of a block in its part */
    int bodies;                  /* that a row acts on at most, 2 if not more; 0: not known, or elements couple them */
    int32_t *slot;               /* [nodes] block of a node, -1: without mass; where `bodies` is known */
    int32_t *node;               /* [blocks] node of a block */
    int64_t *inside;             /* [parts + 1] of each in `rows` */
    int32_t *rows;               /* blocks of rows that act on bodies of one part alone */
    int32_t *first;              /* [parts + 1] first column of each part in Z */
    int64_t *place;              /* [parts + 1] where its numbers are in z */
    double *z;                   /* Z: of each part [rows][columns] */
    nb_cholmod_factor coarse;    /* of Z^T A Z */
    int32_t *near, *offset;      /* [parts] scratch: parts that meet the one at hand; where their columns are, or -1 */
    int32_t rows_at_hand, found; /* of that part's matrix: rows, eigenvectors */
    double *dense, *vectors, *values, *image, *product; /* scratch of a part */
    real *step, *residual, *scaled;                     /* [rows] */
    double setup_flops;
    int64_t part_capacity, scale_capacity, own_capacity, local_capacity, first_capacity, place_capacity, z_capacity,
        near_capacity, offset_capacity, dense_capacity, vectors_capacity, values_capacity, image_capacity,
        product_capacity, step_capacity, residual_capacity, scaled_capacity, slot_capacity, node_capacity,
        inside_capacity, rows_capacity;
} spectral;

static nb_status create(const double *values, void **state) {
    spectral *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) {
        p->size = (int32_t)values[SIZE];
        p->theta = values[THETA];
        p->degree = (int)values[DEGREE];
        nb_cholmod_factor_begin(&p->coarse);
    }
    *state = p;
    return status;
}

static void destroy(void *state) {
    spectral *p = state;
    if (!p) return;
    nb_block_graph_clear(&p->graph);
    nb_block_diagonal_clear(&p->inverse);
    nb_partition_clear(&p->partition);
    nb_cholmod_factor_end(&p->coarse);
    void *owned[] = {p->part, p->scale,    p->own,    p->local,   p->first,  p->place,  p->z,
                     p->near, p->offset,   p->dense,  p->vectors, p->values, p->image,  p->product,
                     p->step, p->residual, p->scaled, p->slot,    p->node,   p->inside, p->rows};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    nb_free(p);
}

static inline int32_t size_of(const spectral *p, int32_t block) {
    return p->graph.first[block + 1] - p->graph.first[block];
}

static int32_t rows_of(const spectral *p, int32_t k) {
    const int32_t last = p->partition.member[p->partition.start[k + 1] - 1];
    return p->local[last] + size_of(p, last);
}

static int32_t columns_of(const spectral *p, int32_t k) {
    return p->first[k + 1] - p->first[k];
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    spectral *p = state;
    nb_status status;
    const nb_csr *a;
    const nb_block_graph *g = &p->graph;
    NB_TRY(nb_system_matrix(system, &a));
    NB_TRY(nb_block_graph_make(&p->graph, system, a));
    NB_TRY(nb_partition_make(&p->partition, g, p->size));
    p->area = (int64_t)g->widest * g->widest;
    NB_TRY(NB_RESERVE(g->count, &p->part_capacity, &p->part));
    NB_TRY(NB_RESERVE(g->count * p->area, &p->scale_capacity, &p->scale));
    NB_TRY(NB_RESERVE(g->count * p->area, &p->own_capacity, &p->own));
    NB_TRY(nb_block_diagonal_make(&p->inverse, g->count, g->first, nb_instruction_set()));
    NB_TRY(NB_RESERVE(g->count, &p->local_capacity, &p->local));
    NB_TRY(NB_RESERVE(p->partition.parts + 1, &p->first_capacity, &p->first));
    NB_TRY(NB_RESERVE(p->partition.parts + 1, &p->place_capacity, &p->place));
    NB_TRY(NB_RESERVE(p->partition.parts, &p->near_capacity, &p->near));
    NB_TRY(NB_RESERVE(p->partition.parts, &p->offset_capacity, &p->offset));
    NB_TRY(NB_RESERVE(a->rows, &p->step_capacity, &p->step));
    NB_TRY(NB_RESERVE(a->rows, &p->residual_capacity, &p->residual));
    NB_TRY(NB_RESERVE(a->rows, &p->scaled_capacity, &p->scaled));
    for (int32_t k = 0; k < p->partition.parts; k++) {
        int32_t row = 0;
        p->offset[k] = -1;
        for (int32_t m = p->partition.start[k]; m < p->partition.start[k + 1]; m++) {
            const int32_t i = p->partition.member[m];
            p->part[i] = k;
            p->local[i] = row;
            row += size_of(p, i);
        }
    }
out:
    return status;
}

/* ---- the parts ---- */

/* Which rows are inside parts: sets `bodies`. */
static nb_status find_rows(spectral *p) {
    nb_status status = NB_OK;
    const nb_system *rows = p->system->origin;
    const nb_delassus *d = rows ? rows->delassus : NULL;
    const int32_t parts = p->partition.parts;
    int32_t node[NB_BLOCK_NODES], slots = 0;
    p->bodies = 0;
    if (!rows || rows->k || !d->type->block_jacobian || !d->mass || nb_mass_couples(d->mass)) return NB_OK;
    const int32_t nodes = d->mass->nodes->count;
    NB_TRY(NB_RESERVE(nodes, &p->slot_capacity, &p->slot));
    NB_TRY(NB_RESERVE(p->graph.count, &p->node_capacity, &p->node));
    NB_TRY(NB_RESERVE(parts + 2, &p->inside_capacity, &p->inside));
    NB_TRY(NB_RESERVE(d->block_count, &p->rows_capacity, &p->rows));
    for (int32_t i = 0; i < nodes; i++) {
        p->slot[i] = d->mass->moves[i] && slots < p->graph.count ? slots : -1;
        if (p->slot[i] >= 0) p->node[slots++] = i;
    }
    if (slots != p->graph.count) return NB_OK; /* blocks are not the bodies */
    memset(p->inside, 0, (size_t)(parts + 2) * sizeof *p->inside);
    p->bodies = 2;
    for (int pass = 0; pass < 2; pass++) { /* counts into inside[k + 2], then fills from inside[k + 1] on */
        for (int32_t i = 0; i < d->block_count; i++) {
            const int count = d->type->block_nodes(d, i, node);
            int within = count > 0;
            for (int l = 1; l < count; l++) within &= p->part[p->slot[node[l]]] == p->part[p->slot[node[0]]];
            if (count > p->bodies) p->bodies = count;
            if (!within) continue;
            int64_t *at = p->inside + p->part[p->slot[node[0]]];
            if (pass == 0)
                at[2]++;
            else
                p->rows[at[1]++] = i;
        }
        for (int32_t k = 0; k < parts && pass == 0; k++) p->inside[k + 2] += p->inside[k + 1];
    }
out:
    return status;
}

/* the block of A between i and j in the units of C; 0: it is zero */
static int load_scaled(spectral *p, const nb_csr *a, int32_t i, int32_t j, double *out) {
    const int32_t n = size_of(p, i), m = size_of(p, j);
    double full[NB_DENSE_BLOCK];
    if (!nb_dense_gather(a, p->graph.first[i], n, p->graph.first[j], m, full)) return 0;
    nb_dense_scale(n, m, p->scale + i * p->area, full, p->scale + j * p->area, out);
    p->setup_flops += 2.0 * n * m * (n + m);
    return 1;
}

/* C^-1 and D^-1 of block i (0: it is not finite), and in the units of C its mass, or its block of A. A row whose
 * diagonal is zero is left alone. */
static int scale_block(spectral *p, const nb_csr *a, int32_t i) {
    const int32_t n = size_of(p, i), row = p->graph.first[i];
    real mass[NB_DENSE_BLOCK];
    double full[NB_DENSE_BLOCK], root[NB_DENSE_BLOCK];
    double *g = p->scale + i * p->area, *own = p->own + i * p->area;
    nb_dense_gather(a, row, n, row, n, full);
    nb_dense_root(n, full, 64 * (double)NB_REAL_EPSILON, root, g);
    for (int32_t k = 0; k < n; k++) { /* L = C without its diagonal, which D takes */
        const double inverse = g[k * n + k];
        for (int32_t r = k + 1; r < n; r++) root[r * n + k] *= inverse;
        root[k * n + k] = inverse * inverse;
    }
    if (p->bodies > 0) {
        const nb_mass *h = p->system->origin->delassus->mass;
        h->type->block(h, p->node[i], mass);
        for (int32_t k = 0; k < n * n; k++) full[k] = (double)mass[k];
    }
    nb_dense_scale(n, n, g, full, g, own);
    for (int32_t k = 0; k < n; k++)
        if (!(g[k * n + k] > 0)) own[k * n + k] = 1;
    p->setup_flops += 14.0 * n * n * n / 3;
    return nb_dense_round(n * n, root, p->inverse.factor + p->inverse.place[i]);
}

/* The square of the spectral norm of f [n][m] is at most the largest sum of a row times that of a column. */
static double norm_bound(int32_t n, int32_t m, const double *f) {
    double row = 0, column = 0;
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int32_t j = 0; j < m; j++) sum += fabs(f[i * m + j]);
        row = fmax(row, sum);
    }
    for (int32_t j = 0; j < m; j++) {
        double sum = 0;
        for (int32_t i = 0; i < n; i++) sum += fabs(f[i * m + j]);
        column = fmax(column, sum);
    }
    return sqrt(row * column);
}

/* takes couplings between parts out of the N_p of principal submatrices, and bounds `top` */
static nb_status share_couplings(spectral *p, const nb_csr *a) {
    const nb_block_graph *g = &p->graph;
    double f[NB_DENSE_BLOCK], left[NB_DENSE_BLOCK], right[NB_DENSE_BLOCK];
    for (int32_t i = 0; i < g->count; i++) {
        const int32_t n = size_of(p, i);
        double sum = 1;
        if (i % 1024 == 0 && nb_interrupt_requested()) return nb_interrupt_check();
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
            const int32_t j = g->neighbour[e], m = size_of(p, j);
            if (!load_scaled(p, a, i, j, f)) continue;
            sum += norm_bound(n, m, f);
            if (j < i || p->part[i] == p->part[j]) continue;
            memset(left, 0, sizeof left);
            memset(right, 0, sizeof right);
            nb_dense_compensate(n, m, f, left, right);
            for (int32_t k = 0; k < n * n; k++) p->own[i * p->area + k] -= left[k];
            for (int32_t k = 0; k < m * m; k++) p->own[j * p->area + k] -= right[k];
            p->setup_flops += nb_dense_compensation_flops(n, m);
        }
        p->top = fmax(p->top, sum);
    }
    return NB_OK;
}

/* the lower triangle of N_p from A, in the units of C */
static void load_submatrix(spectral *p, const nb_csr *a, int32_t k) {
    const nb_block_graph *g = &p->graph;
    const int32_t n = rows_of(p, k);
    double f[NB_DENSE_BLOCK];
    for (int32_t member = p->partition.start[k]; member < p->partition.start[k + 1]; member++) {
        const int32_t i = p->partition.member[member], rows = size_of(p, i);
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
            const int32_t j = g->neighbour[e], columns = size_of(p, j);
            if (p->part[j] != k || j > i || !load_scaled(p, a, i, j, f)) continue;
            for (int32_t r = 0; r < rows; r++)
                memcpy(p->dense + (int64_t)(p->local[i] + r) * n + p->local[j], f + r * columns,
                       (size_t)columns * sizeof *f);
        }
    }
}

/* the lower triangle of N_p += the rows inside the part, in the units of C */
static void add_rows(spectral *p, int32_t k) {
    const nb_system *rows = p->system->origin;
    const nb_delassus *d = rows->delassus;
    const int32_t n = rows_of(p, k);
    real jacobian[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    double line[NB_BLOCK_COLUMNS];
    int32_t node[NB_BLOCK_NODES], at[NB_BLOCK_COLUMNS];
    for (int64_t e = p->inside[k]; e < p->inside[k + 1]; e++) {
        const int32_t i = p->rows[e];
        const int nodes = d->type->block_jacobian(d, i, node, jacobian);
        int32_t columns = 0;
        for (int l = 0; l < nodes; l++) columns += size_of(p, p->slot[node[l]]);
        for (int32_t r = d->block_start[i]; r < d->block_start[i + 1]; r++) {
            const double weight = (double)rows->s[r] * (double)rows->s[r] / (double)rows->c[r];
            const real *own = jacobian + (int64_t)(r - d->block_start[i]) * columns;
            for (int32_t l = 0, first = 0; l < nodes; l++) { /* C^-1 J^T */
                const int32_t block = p->slot[node[l]], width = size_of(p, block);
                const double *scale = p->scale + block * p->area;
                for (int32_t c = 0; c < width; c++) {
                    at[first + c] = p->local[block] + c;
                    line[first + c] = 0;
                    for (int32_t b = 0; b <= c; b++) line[first + c] += scale[c * width + b] * (double)own[first + b];
                }
                first += width;
            }
            for (int32_t b = 0; b < columns; b++)
                for (int32_t c = 0; c < columns; c++)
                    if (at[c] <= at[b]) p->dense[(int64_t)at[b] * n + at[c]] += weight * line[b] * line[c];
            p->setup_flops += 14.0 * columns + 1.5 * columns * columns;
        }
    }
}

/* the eigenvectors below theta of the matrix at hand, by columns */
static void solve_eigenproblem(void *state) {
    spectral *p = state;
    const lapack_int n = p->rows_at_hand;
    int32_t *support = (int32_t *)(void *)(p->values + n);
    if (LAPACKE_dsyevr(LAPACK_ROW_MAJOR, 'V', 'V', 'L', n, p->dense, n, -1e30, p->theta, 0, 0, 0, &p->found, p->values,
                       p->vectors, n, support) != 0)
        p->found = 0; /* no vectors: only the bound is lost */
}

/* Z of part k: C^-T times the eigenvectors of N_p below theta */
static nb_status find_vectors(spectral *p, const nb_csr *a, int32_t k) {
    nb_status status;
    const int32_t n = rows_of(p, k), begin = p->partition.start[k], end = p->partition.start[k + 1];
    const int64_t square = (int64_t)n * n;
    NB_TRY(nb_interrupt_check());
    NB_TRY(NB_RESERVE(square, &p->dense_capacity, &p->dense));
    NB_TRY(NB_RESERVE(square, &p->vectors_capacity, &p->vectors));
    NB_TRY(NB_RESERVE(2 * (int64_t)n, &p->values_capacity, &p->values));
    memset(p->dense, 0, (size_t)square * sizeof *p->dense);
    for (int32_t member = begin; member < end; member++) {
        const int32_t i = p->partition.member[member], rows = size_of(p, i);
        for (int32_t r = 0; r < rows; r++)
            memcpy(p->dense + (int64_t)(p->local[i] + r) * n + p->local[i], p->own + i * p->area + r * rows,
                   (size_t)rows * sizeof *p->dense);
    }
    if (p->bodies > 0)
        add_rows(p, k);
    else
        load_submatrix(p, a, k);
    const double operations = 4.0 / 3 * n * n * n;
    p->rows_at_hand = n;
    NB_TRY(nb_long_call(operations, solve_eigenproblem, p));
    const int32_t found = p->found;
    p->first[k + 1] = p->first[k] + found;
    p->place[k + 1] = p->place[k] + (int64_t)n * found;
    p->setup_flops += operations + 4.0 * n * n * found;
    NB_TRY(NB_RESERVE(p->place[k + 1], &p->z_capacity, &p->z));
    for (int32_t member = begin; member < end; member++) {
        const int32_t i = p->partition.member[member], rows = size_of(p, i);
        const double *scale = p->scale + i * p->area;
        for (int32_t r = 0; r < rows; r++) {
            double *out = p->z + p->place[k] + (int64_t)(p->local[i] + r) * found;
            for (int32_t c = 0; c < found; c++) out[c] = 0;
            for (int32_t l = r; l < rows; l++) {
                const double *v = p->vectors + (int64_t)(p->local[i] + l) * n;
                for (int32_t c = 0; c < found; c++) out[c] += scale[l * rows + r] * v[c];
            }
        }
    }
out:
    return status;
}

/* ---- the coarse matrix ---- */

/* The parts from k on that meet part k, ascending, into `near`, and where their columns are in a row of blocks into
 * `offset`; *columns: of all. Returns how many. */
static int32_t find_near(spectral *p, int32_t k, int32_t *columns) {
    const nb_block_graph *g = &p->graph;
    int32_t count = 0;
    *columns = 0;
    p->near[count++] = k;
    p->offset[k] = 0;
    for (int32_t m = p->partition.start[k]; m < p->partition.start[k + 1]; m++)
        for (int32_t i = p->partition.member[m], e = 0; e < (int32_t)(g->start[i + 1] - g->start[i]); e++) {
            const int32_t q = p->part[g->neighbour[g->start[i] + e]];
            if (q < k || p->offset[q] >= 0) continue;
            p->offset[q] = 0;
            int32_t to = count++; /* sorted in, as lists are short */
            for (; p->near[to - 1] > q; to--) p->near[to] = p->near[to - 1];
            p->near[to] = q;
        }
    for (int32_t l = 0; l < count; l++) {
        p->offset[p->near[l]] = *columns;
        *columns += columns_of(p, p->near[l]);
    }
    return count;
}

static void forget_near(spectral *p, int32_t count) {
    for (int32_t l = 0; l < count; l++) p->offset[p->near[l]] = -1;
}

/* image [rows of part k][width] += A_ij Z_j in the columns of j's part */
static void add_image(spectral *p, const nb_csr *a, int32_t i, int32_t j, int32_t width) {
    const int32_t rows = size_of(p, i), inner = size_of(p, j), q = p->part[j], columns = columns_of(p, q);
    double entries[NB_DENSE_BLOCK];
    const double *z = p->z + p->place[q] + (int64_t)p->local[j] * columns;
    nb_dense_gather(a, p->graph.first[i], rows, p->graph.first[j], inner, entries);
    for (int32_t r = 0; r < rows; r++) {
        double *out = p->image + (int64_t)(p->local[i] + r) * width + p->offset[q];
        for (int32_t l = 0; l < inner; l++) {
            const double x = entries[r * inner + l];
            for (int32_t c = 0; x != 0 && c < columns; c++) out[c] += x * z[(int64_t)l * columns + c];
        }
    }
    p->setup_flops += 2.0 * rows * inner * columns;
}

/* the rows of Z^T A Z of part k, on and right of the diagonal, into the factor's matrix */
static nb_status fill_rows(spectral *p, const nb_csr *a, int32_t k) {
    nb_status status;
    const nb_block_graph *g = &p->graph;
    int32_t width;
    const int32_t own = columns_of(p, k), rows = rows_of(p, k), count = find_near(p, k, &width);
    SuiteSparse_long *start = p->coarse.matrix->p, *column = p->coarse.matrix->i;
    double *value = p->coarse.matrix->x;
    NB_TRY(nb_interrupt_check());
    NB_TRY(NB_RESERVE((int64_t)rows * width, &p->image_capacity, &p->image));
    NB_TRY(NB_RESERVE((int64_t)own * width, &p->product_capacity, &p->product));
    memset(p->image, 0, (size_t)rows * (size_t)width * sizeof *p->image);
    for (int32_t m = p->partition.start[k]; own > 0 && m < p->partition.start[k + 1]; m++) {
        const int32_t i = p->partition.member[m];
        add_image(p, a, i, i, width);
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
            if (p->part[g->neighbour[e]] >= k) add_image(p, a, i, g->neighbour[e], width);
    }
    if (own > 0 && width > 0)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, own, width, rows, 1, p->z + p->place[k], own, p->image,
                    width, 0, p->product, width);
    p->setup_flops += 2.0 * own * width * rows;
    for (int32_t r = 0; r < own; r++) {
        SuiteSparse_long at = start[p->first[k] + r];
        for (int32_t l = 0; l < count; l++) {
            const int32_t q = p->near[l], columns = columns_of(p, q);
            for (int32_t c = q == k ? r : 0; c < columns; c++) {
                column[at] = p->first[q] + c;
                value[at++] = p->product[(int64_t)r * width + p->offset[q] + c];
            }
        }
        start[p->first[k] + r + 1] = at;
    }
out:
    forget_near(p, count);
    return status;
}

/* instead of what CHOLMOD's message says of a factorization; 16 bytes an entry of the matrix, 8 of the factor */
static nb_status beyond_memory(const spectral *p, int64_t entries) {
    const double factor = p->coarse.factor ? p->coarse.common.lnz : 0;
    return nb_fail(NB_ERROR_MEMORY,
                   "preconditioner spectral: out of memory: the matrix and the factor of its coarse space, %d vectors, "
                   "take %.2g GB or more; use a smaller theta",
                   (int)p->first[p->partition.parts], (16 * (double)entries + 8 * factor) / 1e9);
}

/* A singular A, or round-off, may make Z^T A Z singular: its diagonal, where D is one, is raised until it is not. */
static nb_status factorize(spectral *p, nb_reason *reason) {
    const double least = 4096 * (double)NB_REAL_EPSILON;
    const SuiteSparse_long *start = p->coarse.matrix->p;
    double *value = p->coarse.matrix->x, before = 0;
    for (double shift = 0; shift < 100; shift = fmax(4 * shift, least)) {
        int32_t failed;
        for (int32_t i = 0; i < p->first[p->partition.parts]; i++) value[start[i]] += shift - before;
        before = shift;
        const nb_status status = nb_cholmod_factor_make(&p->coarse, &failed);
        p->setup_flops += p->coarse.common.fl;
        if (status != NB_OK) return status;
        if (failed < 0 && cholmod_l_rcond(p->coarse.factor, &p->coarse.common) > least) return NB_OK;
    }
    *reason = NB_REASON_SINGULAR;
    return NB_OK;
}

static nb_status make_coarse(spectral *p, const nb_csr *a, nb_reason *reason) {
    nb_status status;
    const int32_t parts = p->partition.parts;
    int64_t entries = 0; /* of the matrix */
    for (int32_t k = 0; k < parts; k++) {
        int32_t width;
        const int64_t own = columns_of(p, k);
        forget_near(p, find_near(p, k, &width));
        entries += own * width - own * (own - 1) / 2;
    }
    status = nb_cholmod_factor_reserve(&p->coarse, p->first[parts], entries);
    if (status == NB_OK) {
        ((SuiteSparse_long *)p->coarse.matrix->p)[0] = 0;
        for (int32_t k = 0; k < parts; k++) NB_TRY(fill_rows(p, a, k));
        if (p->first[parts] == 0) return NB_OK;
        status = nb_cholmod_factor_analyse(&p->coarse);
    }
    if (status == NB_OK) status = factorize(p, reason);
    if (status == NB_ERROR_MEMORY) status = beyond_memory(p, entries);
out:
    return status;
}

static nb_status make_values(spectral *p, nb_system *system, nb_reason *reason) {
    nb_status status;
    const nb_csr *a;
    p->system = system;
    p->setup_flops = 0;
    NB_TRY(nb_system_matrix(system, &a));
    NB_TRY(nb_dense_room());
    NB_TRY(find_rows(p));
    p->top = p->bodies;
    for (int32_t i = 0; i < p->graph.count; i++)
        if (!scale_block(p, a, i)) *reason = NB_REASON_NAN;
    nb_block_diagonal_load(&p->inverse);
    if (*reason != NB_REASON_NONE) return NB_OK;
    if (p->bodies == 0) NB_TRY(share_couplings(p, a));
    p->first[0] = 0;
    p->place[0] = 0;
    for (int32_t k = 0; k < p->partition.parts; k++) NB_TRY(find_vectors(p, a, k));
    NB_TRY(make_coarse(p, a, reason));
out:
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    nb_dense_serial_begin();
    const nb_status status = make_values(state, system, reason);
    nb_dense_serial_end();
    return status;
}

/* ---- an application ---- */

/* step = alpha step + beta D^-1 r, z += step */
static void relax(const spectral *p, double alpha, double beta, const real *r, real *z) {
    const real share = (real)alpha, own = (real)beta;
    nb_block_diagonal_apply(&p->inverse, r, p->scaled);
    for (int32_t i = 0; i < p->system->rows; i++) {
        p->step[i] = share * p->step[i] + own * p->scaled[i];
        z[i] += p->step[i];
    }
}

/* residual = r - A z */
static void find_residual(spectral *p, const real *r, const real *z) {
    nb_system_apply(p->system, z, p->residual);
    for (int32_t i = 0; i < p->system->rows; i++) p->residual[i] = r[i] - p->residual[i];
}

/* z += S (r - A z); `zero` 1: z is zero */
static void smooth(spectral *p, int zero, const real *r, real *z) {
    const double middle = p->top * (1 + 1.0 / RATIO) / 2, half = p->top * (1 - 1.0 / RATIO) / 2;
    double rho = half / middle;
    memset(p->step, 0, (size_t)p->system->rows * sizeof *p->step);
    if (!zero) find_residual(p, r, z);
    relax(p, 0, 1 / middle, zero ? r : p->residual, z);
    for (int k = 1; k < p->degree; k++) {
        const double next = 1 / (2 * middle / half - rho);
        find_residual(p, r, z);
        relax(p, next * rho, 2 * next / half, p->residual, z);
        rho = next;
    }
}

/* z += Q (r - A z) */
static void correct(spectral *p, const real *r, real *z) {
    const nb_partition *q = &p->partition;
    double *b = p->coarse.b->x;
    find_residual(p, r, z);
    for (int32_t k = 0; k < q->parts; k++) {
        const int32_t own = columns_of(p, k);
        double *c = b + p->first[k];
        for (int32_t l = 0; l < own; l++) c[l] = 0;
        for (int32_t m = q->start[k]; m < q->start[k + 1]; m++)
            for (int32_t i = q->member[m], row = 0; row < size_of(p, i); row++) {
                const double *line = p->z + p->place[k] + (int64_t)(p->local[i] + row) * own,
                             x = (double)p->residual[p->graph.first[i] + row];
                for (int32_t l = 0; l < own; l++) c[l] += line[l] * x;
            }
    }
    nb_cholmod_factor_solve(&p->coarse); /* takes no memory after the first, which set-up made */
    for (int32_t k = 0; k < q->parts; k++) {
        const int32_t own = columns_of(p, k);
        const double *c = (double *)p->coarse.x->x + p->first[k];
        for (int32_t m = q->start[k]; m < q->start[k + 1]; m++)
            for (int32_t i = q->member[m], row = 0; row < size_of(p, i); row++) {
                const double *line = p->z + p->place[k] + (int64_t)(p->local[i] + row) * own;
                double sum = 0;
                for (int32_t l = 0; l < own; l++) sum += line[l] * c[l];
                z[p->graph.first[i] + row] += (real)sum;
            }
    }
}

static void apply(void *state, const real *r, real *z) {
    spectral *p = state;
    memset(z, 0, (size_t)p->system->rows * sizeof *z);
    smooth(p, 1, r, z);
    if (p->first[p->partition.parts] > 0) {
        nb_dense_serial_begin();
        correct(p, r, z);
        nb_dense_serial_end();
    }
    smooth(p, 0, r, z);
}

/* besides the products with A, which the system counts: D^-1 and three vectors a step of the smoother, Z twice, and the
 * factor twice */
static void work(const void *state, nb_preconditioner_work *work) {
    const spectral *p = state;
    const double rows = p->system->rows, steps = 2 * p->degree, coarse = p->first[p->partition.parts],
                 z = (double)p->place[p->partition.parts], factor = coarse > 0 ? p->coarse.common.lnz : 0;
    double blocks = 0;
    for (int32_t i = 0; i < p->graph.count; i++) blocks += size_of(p, i) * (size_of(p, i) + 1.0) / 2;
    *work = (nb_preconditioner_work){
        .setup_flops = p->setup_flops,
        .apply_flops = steps * (4 * blocks + 3 * rows) + 4 * z + 4 * factor,
        .apply_bytes = (steps * (blocks + 7 * rows)) * (double)sizeof(real) + (2 * z + 2 * factor) * sizeof(double),
        .nonzeros = blocks + z + factor};
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_spectral) = {
    .name = "spectral",
    .summary = "a coarse space of soft motions of parts: iterations do not grow with the system",
    .suits = "stiffness",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .work = work,
    .destroy = destroy,
};
