#include "system/system.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

nb_status nb_system_create(const nb_delassus *delassus, nb_system **system) {
    nb_status status;
    nb_system *a = NULL;
    NB_TRY(NB_ALLOCATE(1, &a));
    a->delassus = delassus;
    a->rows = delassus->rows;
    a->pattern_epoch = a->value_epoch = 1;
    NB_TRY(NB_ALLOCATE(a->rows, &a->s));
    NB_TRY(NB_ALLOCATE(a->rows, &a->c));
    NB_TRY(NB_ALLOCATE(a->rows, &a->b));
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
    nb_free(system->s);
    nb_free(system->c);
    nb_free(system->b);
    nb_free(system);
}

void nb_system_values_changed(nb_system *system) {
    system->value_epoch++;
}

void nb_system_pattern_changed(nb_system *system) {
    system->pattern_epoch++;
    system->value_epoch++;
}

void nb_system_count_product(nb_system *system) {
    system->products++;
}

void nb_system_apply(nb_system *system, const real *x, real *y) {
    const nb_delassus *d = system->delassus;
    nb_system_count_product(system);
    d->class->apply(d, system->s, system->c, x, y);
}

void nb_system_diagonal(const nb_system *system, real *diagonal) {
    const nb_delassus *d = system->delassus;
    d->class->diagonal(d, diagonal);
    for (int32_t i = 0; i < system->rows; i++) diagonal[i] = system->s[i] * system->s[i] * diagonal[i] + system->c[i];
}

/* the entries of A = S D S + C from those of D, in the same pattern */
static void weigh_entries(const nb_system *system) {
    const nb_csr *d = system->delassus_matrix;
    nb_csr *a = system->matrix;
    for (int32_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            int32_t j = a->column[k];
            a->value[k] = system->s[i] * d->value[k] * system->s[j];
            if (i == j) a->value[k] += system->c[i];
        }
}

/* makes both matrices anew for a new pattern of D */
static nb_status assemble_pattern(nb_system *system) {
    nb_status status;
    nb_csr_destroy(system->matrix);
    nb_csr_destroy(system->delassus_matrix);
    system->matrix = system->delassus_matrix = NULL;
    const nb_delassus *d = system->delassus;
    NB_TRY(d->class->pattern(d, &system->delassus_matrix));
    const nb_csr *pattern = system->delassus_matrix;
    int64_t nonzeros = pattern->start[pattern->rows];
    NB_TRY(nb_csr_create(pattern->rows, nonzeros, &system->matrix));
    memcpy(system->matrix->start, pattern->start, ((size_t)pattern->rows + 1) * sizeof *pattern->start);
    memcpy(system->matrix->column, pattern->column, (size_t)nonzeros * sizeof *pattern->column);
    system->matrix_pattern_epoch = system->pattern_epoch;
out:
    return status;
}

nb_status nb_system_matrix(nb_system *system, const nb_csr **matrix) {
    nb_status status = NB_OK;
    if (!system->matrix || system->matrix_pattern_epoch != system->pattern_epoch) {
        NB_TRY(assemble_pattern(system));
        system->matrix_value_epoch = 0;
    }
    if (system->matrix_value_epoch != system->value_epoch) {
        system->delassus->class->values(system->delassus, system->delassus_matrix);
        weigh_entries(system);
        system->matrix_value_epoch = system->value_epoch;
    }
    *matrix = system->matrix;
out:
    return status;
}

int nb_system_has_blocks(const nb_system *system) {
    return system->delassus->class->block != NULL;
}

void nb_system_block(const nb_system *system, int32_t i, int32_t k, real *out) {
    const nb_delassus *d = system->delassus;
    int32_t first = d->block_start[i], other = d->block_start[k];
    int32_t rows = d->block_start[i + 1] - first, columns = d->block_start[k + 1] - other;
    d->class->block(d, i, k, out);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < columns; c++) {
            real *entry = &out[r * columns + c];
            *entry *= system->s[first + r] * system->s[other + c];
            if (first + r == other + c) *entry += system->c[first + r];
        }
}

double nb_system_residual(nb_system *system, const real *x, real *r) {
    double sum = 0;
    nb_system_apply(system, x, r);
    for (int32_t i = 0; i < system->rows; i++) {
        r[i] = system->b[i] - r[i];
        sum += (double)r[i] * (double)r[i];
    }
    return sqrt(sum);
}
