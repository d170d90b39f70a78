#include "stiffness.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "operator/delassus_matrix.h"

NB_PRECISIONS(f32, f64);

struct nb_stiffness {
    int32_t bodies;        /* with mass */
    int32_t *slot;         /* [velocities / 6] the body's place in the system, or -1 */
    nb_delassus *delassus; /* holds K */
    nb_csr *matrix;        /* K, owned by delassus */
    nb_system *system;
    real *unknowns; /* [6 bodies] */
    int64_t *start; /* J by compressed rows */
    int32_t *column;
    double *value;
    double *inverse_mass; /* [velocities / 6][36] */
};

void nb_stiffness_destroy(nb_stiffness *stiffness) {
    if (!stiffness) return;
    nb_system_destroy(stiffness->system);
    nb_delassus_matrix_destroy(stiffness->delassus);
    nb_free(stiffness->slot);
    nb_free(stiffness->unknowns);
    nb_free(stiffness->start);
    nb_free(stiffness->column);
    nb_free(stiffness->value);
    nb_free(stiffness->inverse_mass);
    nb_free(stiffness);
}

/* the places of the (at most two) bodies with mass that row r acts on, with their first entry in J */
static int row_bodies(const nb_stiffness *k, int32_t r, int32_t place[2], int64_t entry[2]) {
    int count = 0;
    for (int64_t e = k->start[r]; e < k->start[r + 1]; e += 6) {
        int32_t slot = k->slot[k->column[e] / 6];
        if (slot < 0) continue;
        place[count] = slot;
        entry[count++] = e;
    }
    return count;
}

static int compare_pairs(const void *a, const void *b) {
    const int32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* K's pattern: a 6 x 6 block for every pair of bodies that share a row, and for every body */
static nb_status make_pattern(nb_stiffness *k, int32_t rows) {
    nb_status status;
    int32_t(*pairs)[2] = NULL, place[2];
    int64_t entry[2], count = 0, kept = 0;
    NB_TRY(NB_ALLOCATE(2 * (int64_t)rows + k->bodies, &pairs));
    for (int32_t i = 0; i < k->bodies; i++, count++) pairs[count][0] = pairs[count][1] = i;
    for (int32_t r = 0; r < rows; r++)
        if (row_bodies(k, r, place, entry) == 2)
            for (int side = 0; side < 2; side++, count++) {
                pairs[count][0] = place[side];
                pairs[count][1] = place[1 - side];
            }
    qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || compare_pairs(pairs[i], pairs[kept - 1]) != 0) memmove(pairs[kept++], pairs[i], sizeof *pairs);
    NB_TRY(nb_csr_create(6 * k->bodies, 6 * k->bodies, 36 * kept, &k->matrix));
    int64_t used = 0;
    for (int64_t first = 0, end; first < kept; first = end) {
        for (end = first; end < kept && pairs[end][0] == pairs[first][0];) end++;
        for (int32_t i = 0; i < 6; i++) {
            k->matrix->start[6 * pairs[first][0] + i] = used;
            for (int64_t e = first; e < end; e++)
                for (int32_t j = 0; j < 6; j++) k->matrix->column[used++] = 6 * pairs[e][1] + j;
        }
    }
    k->matrix->start[6 * k->bodies] = used;
out:
    nb_free(pairs);
    return status;
}

static nb_status make_system(nb_stiffness *k) {
    nb_status status;
    int32_t *block_start = NULL;
    NB_TRY(NB_ALLOCATE(k->bodies + 1, &block_start));
    for (int32_t i = 0; i <= k->bodies; i++) block_start[i] = 6 * i;
    nb_csr *matrix = k->matrix;
    k->matrix = NULL; /* the stored operator takes it over, also on a fault */
    NB_TRY(nb_delassus_matrix_create(matrix, k->bodies, block_start, 0, NULL, &k->delassus));
    k->matrix = matrix;
    NB_TRY(nb_system_create(k->delassus, &k->system));
    NB_TRY(NB_ALLOCATE(6 * (int64_t)k->bodies, &k->unknowns));
out:
    nb_free(block_start);
    return status;
}

nb_status nb_stiffness_create(nb_problem *p, nb_stiffness **stiffness) {
    nb_status status;
    nb_stiffness *k = NULL;
    int32_t all = p->velocities / 6;
    *stiffness = NULL;
    if (!p->type->factors)
        return nb_fail(NB_ERROR_UNSUPPORTED, "the stiffness form needs velocities, which a problem file does not have");
    NB_TRY(NB_ALLOCATE(1, &k));
    NB_TRY(NB_ALLOCATE(all, &k->slot));
    NB_TRY(NB_ALLOCATE(p->rows + 1, &k->start));
    NB_TRY(NB_ALLOCATE(12 * (int64_t)p->rows, &k->column));
    NB_TRY(NB_ALLOCATE(12 * (int64_t)p->rows, &k->value));
    NB_TRY(NB_ALLOCATE(36 * (int64_t)all, &k->inverse_mass));
    p->type->factors(p, k->start, k->column, k->value, k->inverse_mass);
    for (int32_t i = 0; i < all; i++) k->slot[i] = k->inverse_mass[36 * (int64_t)i] > 0 ? k->bodies++ : -1;
    NB_TRY(make_pattern(k, p->rows));
    NB_TRY(make_system(k));
out:
    if (status != NB_OK) {
        if (k && !k->delassus) nb_csr_destroy(k->matrix);
        nb_stiffness_destroy(k);
        k = NULL;
    }
    *stiffness = k;
    return status;
}

nb_system *nb_stiffness_system(nb_stiffness *stiffness) {
    return stiffness->system;
}

real *nb_stiffness_unknowns(nb_stiffness *stiffness) {
    return stiffness->unknowns;
}

/* where the 6 x 6 block (i, j) starts in the first of its six rows */
static int64_t block_place(const nb_csr *matrix, int32_t i, int32_t j) {
    int64_t low = matrix->start[6 * i], first = low, high = matrix->start[6 * i + 1];
    while (high - low > 6) { /* blocks are six entries wide and ascending */
        int64_t middle = low + (high - low) / 12 * 6;
        if (matrix->column[middle] <= 6 * j)
            low = middle;
        else
            high = middle;
    }
    return low - first;
}

static void add_block(nb_csr *matrix, int32_t i, int32_t j, double weight, const double *row, const double *column) {
    int64_t place = block_place(matrix, i, j);
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            matrix->value[matrix->start[6 * i + a] + place + b] += (real)(weight * row[a] * column[b]);
}

/* the body's own mass block, from its inverse */
static void add_mass(nb_csr *matrix, int32_t i, const double *inverse) {
    int64_t place = block_place(matrix, i, i);
    nb_mat3 reciprocal;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) reciprocal.m[a][b] = inverse[6 * (3 + a) + 3 + b];
    nb_mat3 inertia = nb_mat3_inverse(&reciprocal);
    for (int a = 0; a < 3; a++) {
        matrix->value[matrix->start[6 * i + a] + place + a] += (real)(1 / inverse[0]);
        for (int b = 0; b < 3; b++)
            matrix->value[matrix->start[6 * i + 3 + a] + place + 3 + b] += (real)inertia.m[a][b];
    }
}

nb_status nb_stiffness_assemble(nb_stiffness *k, const nb_problem *p, const nb_system *rows) {
    int32_t place[2];
    int64_t entry[2];
    p->type->factors(p, k->start, k->column, k->value, k->inverse_mass);
    memset(k->matrix->value, 0, (size_t)k->matrix->start[k->matrix->rows] * sizeof *k->matrix->value);
    for (int32_t i = 0; i < p->velocities / 6; i++) {
        if (k->slot[i] < 0) continue;
        add_mass(k->matrix, k->slot[i], k->inverse_mass + 36 * (int64_t)i);
        for (int j = 0; j < 6; j++) k->system->b[6 * k->slot[i] + j] = -p->momentum[6 * (int64_t)i + j];
    }
    for (int32_t r = 0; r < p->rows; r++) {
        if (!(rows->c[r] > 0))
            return nb_fail(NB_ERROR_NUMERIC,
                           "the stiffness form needs a positive compliance in every row; row %d has %g", (int)r,
                           (double)rows->c[r]);
        double s = (double)rows->s[r], weight = s * s / (double)rows->c[r],
               load = s * (double)rows->b[r] / (double)rows->c[r];
        int count = row_bodies(k, r, place, entry);
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++)
                add_block(k->matrix, place[i], place[j], weight, k->value + entry[i], k->value + entry[j]);
            for (int a = 0; a < 6; a++) k->system->b[6 * place[i] + a] += (real)(load * k->value[entry[i] + a]);
        }
    }
    nb_system_values_changed(k->system);
    return NB_OK;
}

void nb_stiffness_recover(const nb_stiffness *k, const nb_problem *p, const nb_system *rows, real *du, real *y) {
    for (int32_t i = 0; i < p->velocities / 6; i++)
        for (int j = 0; j < 6; j++) du[6 * i + j] = k->slot[i] < 0 ? 0 : k->unknowns[6 * k->slot[i] + j];
    p->type->rows_of_velocity(p, du, y);
    for (int32_t r = 0; r < p->rows; r++) y[r] = (rows->b[r] - rows->s[r] * y[r]) / rows->c[r];
}
