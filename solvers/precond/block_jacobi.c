/* Inverse diagonal blocks, of one contact or of all rows between the same two bodies, by L D L^T of each; where the
 * system is not symmetric, by L U. Rows of a contact set are often dependent: a pivot that vanishes against its
 * diagonal (its row) is replaced by the size of that, so that P stays positive definite. A row whose diagonal is zero
 * is left alone: P = 0 there. */
#include <string.h>
#include <tgmath.h>

#include "base/instruction_set.h"
#include "base/memory.h"
#include "blocks.h"
#include "precond/block_diagonal.h"
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
    int32_t *start; /* [diagonal.count + 1] first row of each block */
    nb_block_diagonal diagonal;
    int symmetric;     /* the system's; if not, the factors are those of blocks.h */
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
    nb_block_diagonal_clear(&p->diagonal);
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
    const int32_t count = p->blocks == PAIR ? d->group_count : d->block_count;
    if (!nb_system_has_blocks(system)) NB_TRY(nb_system_matrix(system, &matrix));
    NB_TRY(NB_ALLOCATE(count + 1, &p->start));
    for (int32_t i = 0; i <= count; i++) p->start[i] = d->block_start[p->blocks == PAIR ? d->group_start[i] : i];
    NB_TRY(nb_block_diagonal_make(&p->diagonal, count, p->start, nb_instruction_set()));
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
    for (int32_t block = 0; block < p->diagonal.count; block++) {
        int32_t first = p->start[block], n = p->start[block + 1] - first;
        real *factor = p->diagonal.factor + p->diagonal.place[block];
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
    if (p->symmetric) nb_block_diagonal_load(&p->diagonal);
    return NB_OK;
}

static void apply(void *state, const real *r, real *z) {
    const block_jacobi *p = state;
    const nb_block_diagonal *d = &p->diagonal;
    if (p->symmetric) {
        nb_block_diagonal_apply(d, r, z);
        return;
    }
    memcpy(z, r, (size_t)p->start[d->count] * sizeof *z);
    for (int32_t i = 0; i < d->count; i++) {
        const int32_t n = p->start[i + 1] - p->start[i], *exchange = p->exchange + p->start[i];
        const real *factor = d->factor + d->place[i];
        real *x = z + p->start[i];
        if (n == 3) /* constants: loops unrolled */
            nb_block_solve(3, factor, exchange, x);
        else
            nb_block_solve(n, factor, exchange, x);
    }
}

static void parts(const void *state, nb_preconditioner_parts *parts) {
    const nb_block_diagonal *d = &((const block_jacobi *)state)->diagonal;
    parts->matrix = (nb_block_matrix){.count = d->count, .start = d->start, .place = d->place, .value = d->factor};
}

/* to the leading order in n: n^3/3 of an L D L^T, 2 n^3/3 of an L U; 2 n^2 of a solve with either */
static void work(const void *state, nb_preconditioner_work *work) {
    const block_jacobi *p = state;
    *work = (nb_preconditioner_work){0};
    for (int32_t i = 0; i < p->diagonal.count; i++) {
        const double n = p->start[i + 1] - p->start[i];
        work->setup_flops += (p->symmetric ? 1 : 2) * n * n * n / 3;
        work->apply_flops += 2 * n * n;
        work->nonzeros += p->symmetric ? n * (n + 1) / 2 : n * n;
    }
    work->apply_bytes = (work->nonzeros + 2 * p->start[p->diagonal.count]) * (double)sizeof(real);
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
