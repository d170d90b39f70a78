/* Siconos's text as Siconos's own library writes it (Debian's libsiconos-numerics-dev), in both storages; and 2D and
 * 3D. Built only where that library is installed. */
#include <FrictionContactProblem.h>
#include <NumericsMatrix.h>
#include <SparseBlockMatrix.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "siconos_text.h"

enum {
    CONTACTS = 5,
    MOST = 3 * CONTACTS
};

typedef struct problem {
    int dimension, rows;
    double w[MOST * MOST], q[MOST], mu[CONTACTS]; /* W by columns, not symmetric, with blocks of zeros */
} problem;

static void fill(problem *p, int dimension, uint64_t *random) {
    p->dimension = dimension;
    p->rows = dimension * CONTACTS;
    for (int j = 0; j < p->rows; j++)
        for (int i = 0; i < p->rows; i++) {
            int a = i / dimension, b = j / dimension, filled = a == b || (a + 2 * b) % 3 == 0;
            p->w[i + j * p->rows] = filled ? test_random(random, -1, 1) + 3 * (i == j) : 0;
        }
    for (int i = 0; i < p->rows; i++) p->q[i] = test_random(random, -1e3, 1e-3);
    for (int i = 0; i < CONTACTS; i++) p->mu[i] = test_random(random, 0, 2);
}

/* the dimension's blocks of W that are not zero, in Siconos's structure */
static NumericsMatrix *make_blocks(problem *p) {
    NumericsMatrix *sparse = NM_create(NM_SPARSE, p->rows, p->rows), *m = NM_create(NM_SPARSE_BLOCK, p->rows, p->rows);
    NM_triplet_alloc(sparse, (long)p->rows * p->rows);
    for (int j = 0; j < p->rows; j++)
        for (int i = 0; i < p->rows; i++)
            if (p->w[i + j * p->rows] != 0) NM_entry(sparse, i, j, p->w[i + j * p->rows]);
    if (!m->matrix1) m->matrix1 = SBM_new();
    SBM_from_csparse(p->dimension, NM_csc(sparse), m->matrix1);
    NM_clear(sparse);
    free(sparse);
    return m;
}

static void write_with_siconos(problem *p, NumericsMatrix *m, char *path) {
    FrictionContactProblem theirs = {
        .dimension = p->dimension, .numberOfContacts = CONTACTS, .M = m, .q = p->q, .mu = p->mu};
    strcpy(path, "test_siconos_library_XXXXXX.dat");
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(frictionContact_printInFilename(&theirs, path), 0);
}

/* Siconos prints 25 digits: every bit comes back */
static void check_same(const problem *p, const nb_fclib_problem *read) {
    const nb_file_data *d = &read->data;
    double column[MOST];
    assert_int_equal(d->dimension, p->dimension);
    assert_int_equal(d->contacts, CONTACTS);
    for (int i = 0; i < p->rows; i++) CHECK_NEAR(d->q[i], p->q[i], 0);
    for (int i = 0; i < CONTACTS; i++) CHECK_NEAR(d->mu[i], p->mu[i], 0);
    for (int j = 0; j < p->rows; j++) {
        memset(column, 0, sizeof column);
        for (int i = 0; i < p->rows; i++)
            for (int64_t k = d->w->start[i]; k < d->w->start[i + 1]; k++)
                if (d->w->column[k] == j) column[i] = d->w->value[k];
        for (int i = 0; i < p->rows; i++) CHECK_NEAR(column[i], p->w[i + j * p->rows], 0);
    }
}

static void what_siconos_writes_is_read(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int storage = 0; storage < 2; storage++) {
            problem p;
            char path[64];
            nb_fclib_problem *read;
            fill(&p, dimension, &random);
            NumericsMatrix *m = storage ? make_blocks(&p) : NM_create_from_data(NM_DENSE, p.rows, p.rows, p.w);
            write_with_siconos(&p, m, path);
            CHECK_OK(nb_siconos_read(path, &read));
            check_same(&p, read);
            nb_fclib_destroy(read);
            if (!storage) m->matrix0 = NULL; /* ours */
            NM_clear(m);
            free(m);
            unlink(path);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_siconos_writes_is_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
