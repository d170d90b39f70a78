/* Inverse diagonal blocks, of one contact or of all rows between the same two bodies, by L D L^T of each; where the
 * system is not symmetric, by L U. Rows of a contact set are often dependent: a pivot that vanishes against its
 * diagonal (its row) is replaced by the size of that, so that P stays positive definite. A row whose diagonal is zero
 * is left alone: P = 0 there. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "blocks.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

enum {
    CONTACT,
    PAIR
};

static const char *const choices[] = {[CONTACT] = "contact", [PAIR] = "pair", NULL};

static const nb_option options[] = {
    {"blocks", "1", CONTACT, 0, 0, 0, choices, "one contact, or all rows between two bodies"},
};

typedef struct block_jacobi {
    int blocks;
    int32_t count;
    int32_t *start; /* [count + 1] first row of each block */
    int64_t *place; /* [count + 1] where its factor starts: n x n (blocks.h) */
    real *factors;
    int symmetric;     /* the system's: which factors they are */
    int32_t *exchange; /* [rows] of the L U */
    real *scale;       /* [rows] scratch */
} block_jacobi;

static nb_status create(const double *values, void **state) {
    block_jacobi *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) p->blocks = (int)values[0];
    *state = p;
    return status;
}

static void release(block_jacobi *p) {
    nb_free(p->start);
    nb_free(p->place);
    nb_free(p->factors);
    nb_free(p->exchange);
    nb_free(p->scale);
    *p = (block_jacobi){.blocks = p->blocks};
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    block_jacobi *p = state;
    nb_status status;
    const nb_csr *matrix;
    const nb_delassus *d = system->delassus;
    release(p);
    p->count = p->blocks == PAIR ? d->group_count : d->block_count;
    if (!nb_system_has_blocks(system)) NB_TRY(nb_system_matrix(system, &matrix));
    NB_TRY(NB_ALLOCATE(p->count + 1, &p->start));
    NB_TRY(NB_ALLOCATE(p->count + 1, &p->place));
    for (int32_t i = 0; i <= p->count; i++) p->start[i] = d->block_start[p->blocks == PAIR ? d->group_start[i] : i];
    for (int32_t i = 0; i < p->count; i++) {
        int64_t n = p->start[i + 1] - p->start[i];
        p->place[i + 1] = p->place[i] + n * n;
    }
    NB_TRY(NB_ALLOCATE(p->place[p->count], &p->factors));
    NB_TRY(NB_ALLOCATE(system->rows, &p->exchange));
    NB_TRY(NB_ALLOCATE(system->rows, &p->scale));
out:
    return status;
}

/* the entries of the blocks begin .. end - 1 of the system, which are n x n */
static void copy_blocks(const nb_system *system, int32_t begin, int32_t end, int32_t n, real *block) {
    const int32_t *start = system->delassus->block_start;
    real part[NB_BLOCK_ROWS * NB_BLOCK_ROWS];
    for (int32_t i = begin; i < end; i++)
        for (int32_t k = begin; k < end; k++) {
            if (system->symmetric && k > i) break; /* only the lower triangle is read */
            int32_t rows = start[i + 1] - start[i], columns = start[k + 1] - start[k];
            real *to = block + (int64_t)(start[i] - start[begin]) * n + start[k] - start[begin];
            nb_system_block(system, i, k, part);
            for (int32_t r = 0; r < rows; r++)
                memcpy(to + (int64_t)r * n, part + r * columns, (size_t)columns * sizeof *to);
        }
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    block_jacobi *p = state;
    const nb_delassus *d = system->delassus;
    const nb_csr *a = NULL;
    (void)reason;
    if (!nb_system_has_blocks(system)) {
        nb_status status = nb_system_matrix(system, &a);
        if (status != NB_OK) return status;
    }
    p->symmetric = system->symmetric;
    for (int32_t block = 0; block < p->count; block++) {
        int32_t first = p->start[block], n = p->start[block + 1] - first;
        real *factor = p->factors + p->place[block];
        if (a)
            nb_block_copy(a, first, n, factor);
        else if (p->blocks == PAIR)
            copy_blocks(system, d->group_start[block], d->group_start[block + 1], n, factor);
        else
            copy_blocks(system, block, block + 1, n, factor);
        if (p->symmetric)
            nb_block_factorize_symmetric(n, factor, NB_PIVOT_REPLACE);
        else
            nb_block_factorize(n, factor, p->exchange + first, p->scale);
    }
    return NB_OK;
}

static inline void solve_block(const block_jacobi *p, int32_t block, int32_t n, real *x) {
    const real *factor = p->factors + p->place[block];
    if (p->symmetric)
        nb_block_solve_symmetric(n, factor, x);
    else
        nb_block_solve(n, factor, p->exchange + p->start[block], x);
}

static void apply(void *state, const real *r, real *z) {
    const block_jacobi *p = state;
    memcpy(z, r, (size_t)p->start[p->count] * sizeof *z);
    for (int32_t block = 0; block < p->count; block++) {
        int32_t n = p->start[block + 1] - p->start[block];
        if (n == 3) /* constants: loops unrolled */
            solve_block(p, block, 3, z + p->start[block]);
        else if (n == 6)
            solve_block(p, block, 6, z + p->start[block]);
        else
            solve_block(p, block, n, z + p->start[block]);
    }
}

static void parts(const void *state, nb_preconditioner_parts *parts) {
    const block_jacobi *p = state;
    parts->matrix = (nb_block_matrix){.count = p->count, .start = p->start, .place = p->place, .value = p->factors};
}

/* to the leading order in n: n^3/3 of an L D L^T, 2 n^3/3 of an L U; 2 n^2 of a solve with either */
static void work(const void *state, nb_preconditioner_work *work) {
    const block_jacobi *p = state;
    *work = (nb_preconditioner_work){0};
    for (int32_t i = 0; i < p->count; i++) {
        const double n = p->start[i + 1] - p->start[i];
        work->setup_flops += (p->symmetric ? 1 : 2) * n * n * n / 3;
        work->apply_flops += 2 * n * n;
        work->nonzeros += p->symmetric ? n * (n + 1) / 2 : n * n;
    }
    work->apply_bytes = (work->nonzeros + 2 * p->start[p->count]) * (double)sizeof(real);
}

static void destroy(void *state) {
    block_jacobi *p = state;
    if (p) release(p);
    nb_free(p);
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_block_jacobi) = {
    .name = "block-jacobi",
    .summary = "inverse diagonal blocks: of a contact, or of a pair of bodies",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_unsymmetric = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .parts = parts,
    .work = work,
    .destroy = destroy,
};
