#include "operator/system.h"

#include <math.h>

#include "base/interrupt.h"
#include "base/memory.h"

NB_PRECISIONS(f32, f64);

static _Atomic int64_t systems; /* made so far */

nb_status nb_system_create(const nb_delassus *delassus, nb_system **system) {
    nb_status status;
    nb_system *a = NULL;
    NB_TRY(NB_ALLOCATE(1, &a));
    a->delassus = delassus;
    a->rows = delassus->rows;
    a->serial = ++systems;
    a->pattern_epoch = a->value_epoch = a->weighted_epoch = 1;
    a->symmetric = 1;
    NB_TRY(NB_ALLOCATE(a->rows, &a->s));
    NB_TRY(NB_ALLOCATE(a->rows, &a->c));
    NB_TRY(NB_ALLOCATE(a->rows, &a->b));
    NB_TRY(NB_ALLOCATE(a->rows, &a->diagonal));
    for (int32_t i = 0; i < a->rows; i++) a->s[i] = 1;
out:
    if (status != NB_OK) {
        nb_system_destroy(a);
        a = NULL;
    }
    *system = a;
    return status;
}

void nb_system_destroy(nb_system *system) {
    if (!system) return;
    nb_csr_destroy(system->matrix);
    nb_csr_destroy(system->delassus_matrix);
    nb_free(system->diagonal);
    nb_free(system->s);
    nb_free(system->c);
    nb_free(system->b);
    nb_free(system->k);
    nb_free(system->diagonal_blocks);
    nb_free(system->k_place);
    nb_free(system);
}

nb_status nb_system_use_blocks(nb_system *system) {
    nb_status status = NB_OK;
    const nb_delassus *d = system->delassus;
    real *k = NULL, *kept = NULL;
    int64_t *place = NULL;
    if (system->k) return NB_OK;
    NB_TRY(NB_ALLOCATE((int64_t)d->block_count + 1, &place));
    for (int32_t i = 0; i < d->block_count; i++) {
        int64_t n = d->block_start[i + 1] - d->block_start[i];
        place[i + 1] = place[i] + n * n;
    }
    NB_TRY(NB_ALLOCATE(place[d->block_count], &kept));
    NB_TRY(NB_ALLOCATE(place[d->block_count] + 1, &k)); /* not NULL for a system without rows */
    system->diagonal_blocks = kept;
    system->k = k;
    system->k_place = place;
    system->symmetric = 0;
    nb_system_pattern_changed(system);
    return NB_OK;
out:
    nb_free(place);
    nb_free(kept);
    return status;
}

real *nb_system_diagonal_block(const nb_system *system, int32_t i) {
    return system->k + system->k_place[i];
}

void nb_system_values_changed(nb_system *system) {
    system->value_epoch++;
    system->weighted_epoch++;
}

void nb_system_blocks_changed(nb_system *system) {
    system->value_epoch++;
    if (!system->k) system->weighted_epoch++; /* C was added where S D S stood */
}

void nb_system_pattern_changed(nb_system *system) {
    system->pattern_epoch++;
    nb_system_values_changed(system);
}

void nb_system_count_product(nb_system *system) {
    system->products++;
}

/* y += B x, B n x n by rows */
static inline void add_block_product(int n, const real *b, const real *x, real *y) {
    for (int r = 0; r < n; r++) {
        real sum = 0;
        for (int c = 0; c < n; c++) sum += b[r * n + c] * x[c];
        y[r] += sum;
    }
}

/* the same of a symmetric B, by columns */
static inline void add_symmetric_product(int n, const real *b, const real *x, real *y) {
    real sum[NB_BLOCK_ROWS] = {0};
    for (int c = 0; c < n; c++)
        for (int r = 0; r < n; r++) sum[r] += b[c * n + r] * x[c];
    for (int r = 0; r < n; r++) y[r] += sum[r];
}

/* y += K x */
static void add_blocks(const nb_system *system, const real *x, real *y) {
    const int32_t *start = system->delassus->block_start;
    for (int32_t i = 0; i < system->delassus->block_count; i++) {
        int32_t first = start[i], n = start[i + 1] - first;
        const real *block = nb_system_diagonal_block(system, i);
        if (n == 3) /* a constant: loops unrolled */
            add_block_product(3, block, x + first, y + first);
        else if (n == 6 && system->symmetric) /* of elements, most of what is read: all rows at a time */
            add_symmetric_product(6, block, x + first, y + first);
        else
            add_block_product(n, block, x + first, y + first);
    }
}

/* whether A is D, as of forms */
static int is_plain(nb_system *system) {
    if (system->plain_epoch == system->value_epoch) return system->plain;
    system->plain_epoch = system->value_epoch;
    system->plain = 1;
    for (int32_t i = 0; system->plain && i < system->rows; i++) system->plain = system->s[i] == 1 && system->c[i] == 0;
    return system->plain;
}

void nb_system_apply(nb_system *system, const real *x, real *y) {
    const nb_delassus *d = system->delassus;
    const int plain = is_plain(system);
    nb_system_count_product(system);
    d->type->apply(d, plain ? NULL : system->s, plain ? NULL : system->c, x, y);
    if (system->k) add_blocks(system, x, y);
}

void nb_system_diagonal(const nb_system *system, real *diagonal) {
    const nb_delassus *d = system->delassus;
    d->type->diagonal(d, diagonal);
    for (int32_t i = 0; i < system->rows; i++) diagonal[i] = system->s[i] * system->s[i] * diagonal[i] + system->c[i];
    for (int32_t i = 0; system->k && i < d->block_count; i++) {
        int32_t first = d->block_start[i], n = d->block_start[i + 1] - first;
        const real *block = nb_system_diagonal_block(system, i);
        for (int32_t r = 0; r < n; r++) diagonal[first + r] += block[r * n + r];
    }
}

/* a row of S D S whose pattern is the same in A as in D: all of them but where K adds to it */
static void weigh_row(const nb_system *system, int32_t i, const real *restrict from, real *restrict to) {
    const nb_csr *a = system->matrix;
    const int32_t *column = a->column + a->start[i];
    const real *s = system->s, weight = s[i];
    for (int64_t k = 0; k < a->start[i + 1] - a->start[i]; k++) to[k] = weight * from[k] * s[column[k]];
}

static void weigh_wider_row(const nb_system *system, int32_t i) {
    const nb_csr *d = system->delassus_matrix, *a = system->matrix;
    int64_t e = d->start[i], end = d->start[i + 1];
    for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
        int32_t j = a->column[k];
        a->value[k] = e < end && d->column[e] == j ? system->s[i] * d->value[e++] * system->s[j] : 0;
    }
}

/* the entries of S D S from those of D */
static void weigh_entries(const nb_system *system) {
    const nb_csr *d = system->delassus_matrix, *a = system->matrix;
    for (int32_t i = 0; i < a->rows; i++)
        if (a->start[i + 1] - a->start[i] == d->start[i + 1] - d->start[i])
            weigh_row(system, i, d->value + d->start[i], a->value + a->start[i]);
        else
            weigh_wider_row(system, i);
}

/* whether S D S is D, entry by entry */
static int is_unweighted(const nb_system *system) {
    if (nb_csr_nonzeros(system->matrix) != nb_csr_nonzeros(system->delassus_matrix)) return 0;
    for (int32_t i = 0; i < system->rows; i++)
        if (system->s[i] != 1) return 0;
    return 1;
}

static void add_diagonal(const nb_system *system) {
    for (int32_t i = 0; i < system->rows; i++) system->matrix->value[system->diagonal[i]] += system->c[i];
}

/* The diagonal blocks, which stand around the diagonal entries: those of S D S are kept the first time, and the next
 * ones begin with them. */
static void add_blocks_to_entries(const nb_system *system, int first_time) {
    const nb_delassus *d = system->delassus;
    real *kept = system->diagonal_blocks;
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t first = d->block_start[i], n = d->block_start[i + 1] - first;
        const real *block = nb_system_diagonal_block(system, i);
        for (int32_t r = 0; r < n; r++, kept += n, block += n) {
            real *row = system->matrix->value + system->diagonal[first + r] - r;
            for (int32_t c = 0; c < n; c++) {
                if (first_time) kept[c] = row[c];
                row[c] = (c == r ? kept[c] + system->c[first + r] : kept[c]) + block[c];
            }
        }
    }
}

/* The columns of a row of A, ascending: those of D's row and first .. end - 1. Writes them to `out` where that is not
 * NULL; returns their number. */
static int64_t merge_columns(const nb_csr *d, int32_t row, int32_t first, int32_t end, int32_t *out) {
    int64_t count = 0;
    for (int64_t e = d->start[row]; e < d->start[row + 1] || first < end; count++) {
        int32_t left = e < d->start[row + 1] ? d->column[e] : INT32_MAX, right = first < end ? first : INT32_MAX;
        if (out) out[count] = left < right ? left : right;
        e += left <= right;
        first += right <= left;
    }
    return count;
}

/* A's pattern: that of D, and with K full diagonal blocks */
static nb_status merge_pattern(const nb_delassus *delassus, const nb_csr *d, int full, nb_csr **matrix) {
    nb_status status = NB_OK;
    int64_t nonzeros = 0;
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        int64_t place = 0;
        for (int32_t block = 0; block < delassus->block_count; block++) {
            int32_t first = delassus->block_start[block], end = delassus->block_start[block + 1];
            for (int32_t row = first; row < end; row++) {
                int32_t *out = pass == 0 ? NULL : (*matrix)->column + place;
                if (pass == 1) (*matrix)->start[row] = place;
                place += merge_columns(d, row, full ? first : end, end, out);
            }
        }
        nonzeros = place;
        if (pass == 0) NB_TRY(nb_csr_create(d->rows, d->rows, nonzeros, matrix));
    }
    (*matrix)->start[d->rows] = nonzeros;
out:
    return status;
}

/* makes both matrices again, for a new pattern of D */
static nb_status assemble_pattern(nb_system *system) {
    nb_status status;
    nb_csr_destroy(system->matrix);
    nb_csr_destroy(system->delassus_matrix);
    system->matrix = system->delassus_matrix = NULL;
    const nb_delassus *d = system->delassus;
    NB_TRY(d->type->pattern(d, &system->delassus_matrix));
    NB_TRY(merge_pattern(d, system->delassus_matrix, system->k != NULL, &system->matrix));
    NB_TRY(nb_csr_find_triples(system->matrix));
    nb_csr_diagonal(system->matrix, system->diagonal);
    system->matrix_pattern_epoch = system->pattern_epoch;
out:
    return status;
}

nb_status nb_system_matrix(nb_system *system, const nb_csr **matrix) {
    nb_status status = NB_OK;
    system->asked_epoch = system->value_epoch;
    if (!system->matrix || system->matrix_pattern_epoch != system->pattern_epoch) {
        NB_TRY(assemble_pattern(system));
        system->matrix_value_epoch = system->matrix_weighted_epoch = 0;
    }
    if (system->matrix_value_epoch != system->value_epoch) {
        int weigh = system->matrix_weighted_epoch != system->weighted_epoch;
        if (weigh && is_unweighted(system)) {
            system->delassus->type->values(system->delassus, system->matrix);
        } else if (weigh) {
            system->delassus->type->values(system->delassus, system->delassus_matrix);
            weigh_entries(system);
        }
        NB_TRY(nb_interrupt_check()); /* for which loops over entries end early */
        if (system->k)
            add_blocks_to_entries(system, weigh);
        else
            add_diagonal(system);
        system->matrix_value_epoch = system->value_epoch;
        system->matrix_weighted_epoch = system->weighted_epoch;
    }
    *matrix = system->matrix;
out:
    return status;
}

int nb_system_has_blocks(const nb_system *system) {
    return system->delassus->type->block != NULL;
}

void nb_system_block(const nb_system *system, int32_t i, int32_t k, real *out) {
    const nb_delassus *d = system->delassus;
    int32_t first = d->block_start[i], other = d->block_start[k];
    int32_t rows = d->block_start[i + 1] - first, columns = d->block_start[k + 1] - other;
    d->type->block(d, i, k, out);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < columns; c++) {
            real *entry = &out[r * columns + c];
            *entry *= system->s[first + r] * system->s[other + c];
            if (first + r == other + c) *entry += system->c[first + r];
            if (i == k && system->k) *entry += nb_system_diagonal_block(system, i)[r * columns + c];
        }
}

double nb_system_residual(nb_system *system, const real *x, real *r) {
    double sum = 0;
    nb_system_apply(system, x, r);
    for (int32_t i = 0; i < system->rows; i++) {
        r[i] = system->b[i] - r[i];
        sum += (double)r[i] * (double)r[i];
    }
    nb_system_reduce(system, NB_REDUCTION_SUM, &sum, 1);
    return sqrt(sum);
}

void nb_system_reduce(const nb_system *system, nb_reduction how, double *numbers, int count) {
    if (system->device && system->device->reduce) system->device->reduce(how, numbers, count);
}
