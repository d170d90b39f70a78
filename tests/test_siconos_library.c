/* Siconos's text as Siconos's own library writes it (Debian's libsiconos-numerics-dev), in all storages, in 2D and 3D,
 * local and global. Built only where that library is installed. */
#include <FrictionContactProblem.h>
#include <GlobalFrictionContactProblem.h>
#include <GlobalRollingFrictionContactProblem.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <RollingFrictionContactProblem.h>
#include <SparseBlockMatrix.h>
#include <fcntl.h>
#include <projectionOnRollingCone.h>
#include <rolling_fc2d_compute_error.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "cone/rolling_cone.h"
#include "file/siconos_text.h"
#include "measure/natural_map.h"

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

typedef enum storage {
    DENSE,
    BLOCKS,
    TRIPLETS,
    BY_COLUMNS,
    BY_ROWS,
    STORAGES
} storage;

/* the matrix a [rows x columns], by columns, in one of Siconos's storages; its zeros are left out of all but DENSE */
static NumericsMatrix *make_matrix(storage kind, int rows, int columns, const double *a, int block) {
    if (kind == DENSE) {
        NumericsMatrix *dense = NM_create(NM_DENSE, rows, columns);
        memcpy(dense->matrix0, a, (size_t)rows * (size_t)columns * sizeof *a);
        return dense;
    }
    NumericsMatrix *sparse = NM_create(NM_SPARSE, rows, columns);
    NM_triplet_alloc(sparse, (long)rows * columns);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            if (a[i + j * rows] != 0) NM_entry(sparse, i, j, a[i + j * rows]);
    if (kind == BY_COLUMNS) {
        NM_csc(sparse);
        sparse->matrix2->origin = NSM_CSC;
    } else if (kind == BY_ROWS) { /* the columns of the transpose, which is what its printing takes them for */
        NumericsMatrix *transposed = NM_transpose(sparse);
        NM_csc(transposed);
        transposed->matrix2->csr = transposed->matrix2->csc;
        transposed->matrix2->csc = NULL;
        transposed->matrix2->origin = NSM_CSR;
        NM_clear(sparse);
        free(sparse);
        return transposed;
    } else if (kind == BLOCKS) {
        NumericsMatrix *m = NM_create(NM_SPARSE_BLOCK, rows, columns);
        if (!m->matrix1) m->matrix1 = SBM_new();
        SBM_from_csparse(block, NM_csc(sparse), m->matrix1);
        NM_clear(sparse);
        free(sparse);
        return m;
    }
    return sparse;
}

static void destroy_matrix(NumericsMatrix *m) {
    NM_clear(m);
    free(m);
}

/* the name of a new file */
static void make_name(char *path) {
    strcpy(path, "test_siconos_library_XXXXXX.dat");
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
}

static void write_with_siconos(problem *p, NumericsMatrix *m, char *path) {
    FrictionContactProblem theirs = {
        .dimension = p->dimension, .numberOfContacts = CONTACTS, .M = m, .q = p->q, .mu = p->mu};
    make_name(path);
    assert_int_equal(frictionContact_printInFilename(&theirs, path), 0);
}

/* what is left of a number that Siconos prints in a sparse storage */
static double to_six_digits(double x) {
    char text[32];
    snprintf(text, sizeof text, "%g", x);
    return strtod(text, NULL);
}

/* Siconos prints 25 digits, and every bit comes back; or six. */
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
        for (int i = 0; i < p->rows; i++) {
            double w = p->w[i + j * p->rows];
            CHECK_NEAR(column[i], read->digits ? to_six_digits(w) : w, 0);
        }
    }
}

TEST(what_siconos_writes_is_read) {
    uint64_t random = 7;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (storage kind = DENSE; kind < STORAGES; kind++) {
            problem p;
            char path[64];
            nb_fclib_problem *read;
            fill(&p, dimension, &random);
            NumericsMatrix *m = make_matrix(kind, p.rows, p.rows, p.w, dimension);
            write_with_siconos(&p, m, path);
            CHECK_OK(nb_siconos_read(path, &read));
            assert_int_equal(read->digits, kind < TRIPLETS ? 0 : 6);
            check_same(&p, read);
            nb_fclib_destroy(read);
            destroy_matrix(m);
            unlink(path);
        }
}

/* a number of few digits, so that it is the same in all storages */
static double short_number(uint64_t *random, int least, int most) {
    return (int)(test_random(random, 16 * least, 16 * most)) / 16.;
}

enum {
    VELOCITIES = 6
};

/* M of two blocks of 3 x 3, and H; not all of H filled */
static void fill_global(double *mass, double *h, int rows, uint64_t *random) {
    for (int j = 0; j < VELOCITIES; j++)
        for (int i = 0; i < VELOCITIES; i++)
            mass[i + j * VELOCITIES] = i / 3 != j / 3 ? 0 : short_number(random, -1, 1) + 8 * (i == j);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < VELOCITIES; i++)
            h[i + j * VELOCITIES] = (i / 3 + j) % 3 == 0 ? 0 : short_number(random, -2, 2);
}

/* Siconos's own condensed problem, of which it prints all */
static FrictionContactProblem *condense(GlobalFrictionContactProblem *theirs) {
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    FrictionContactProblem *local = globalFrictionContact_reformulation_FrictionContact(theirs);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(nowhere);
    return local;
}

/* W and q are those of Siconos's own condensed problem. */
static void check_condensed(GlobalFrictionContactProblem *theirs, const nb_fclib_problem *read) {
    FrictionContactProblem *local = condense(theirs);
    const nb_file_data *d = &read->data;
    int rows = theirs->dimension * theirs->numberOfContacts;
    assert_int_equal(d->dimension, theirs->dimension);
    assert_int_equal(d->contacts, theirs->numberOfContacts);
    for (int i = 0; i < rows; i++) {
        double line[MOST] = {0};
        for (int64_t k = d->w->start[i]; k < d->w->start[i + 1]; k++) line[d->w->column[k]] = d->w->value[k];
        /* sums of twelve products of the size 4/8, and an inverse of the condition 2 */
        for (int j = 0; j < rows; j++) CHECK_NEAR(line[j], NM_get_value(local->M, i, j), 1e-14);
        CHECK_NEAR(d->q[i], local->q[i], 1e-13);
    }
    for (int i = 0; i < d->contacts; i++) CHECK_NEAR(d->mu[i], theirs->mu[i], 0);
    frictionContactProblem_free(local);
}

TEST(global_problems_that_siconos_writes_are_read) {
    uint64_t random = 8;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (storage of_mass = DENSE; of_mass < STORAGES; of_mass++)
            for (storage of_h = DENSE; of_h < BY_ROWS; of_h++) {
                double mass[VELOCITIES * VELOCITIES], h[VELOCITIES * MOST], q[VELOCITIES], b[MOST], mu[CONTACTS];
                int contacts = dimension == 2 ? 3 : 5, rows = dimension * contacts; /* 2D: as many as velocities */
                char path[64];
                nb_fclib_problem *read;
                if (of_h == BLOCKS && rows % 3 != 0) continue;
                fill_global(mass, h, rows, &random);
                for (int i = 0; i < VELOCITIES; i++) q[i] = test_random(&random, -8, 8);
                for (int i = 0; i < rows; i++) b[i] = test_random(&random, -1, 1);
                for (int i = 0; i < contacts; i++) mu[i] = test_random(&random, 0, 1);
                NumericsMatrix *m_dense = make_matrix(DENSE, VELOCITIES, VELOCITIES, mass, 3);
                NumericsMatrix *h_dense = make_matrix(DENSE, VELOCITIES, rows, h, 3);
                GlobalFrictionContactProblem theirs = {
                    .dimension = dimension, .numberOfContacts = contacts, .q = q, .b = b, .mu = mu};
                theirs.M = make_matrix(of_mass, VELOCITIES, VELOCITIES, mass, 3);
                theirs.H = make_matrix(of_h, VELOCITIES, rows, h, 3);
                make_name(path);
                assert_int_equal(globalFrictionContact_printInFileName(&theirs, path), 0);
                destroy_matrix(theirs.M);
                destroy_matrix(theirs.H);
                CHECK_OK(nb_siconos_read(path, &read));
                unlink(path);
                assert_int_equal(read->global, 1);
                assert_int_equal(read->velocities, VELOCITIES);
                theirs.M = m_dense;
                theirs.H = h_dense;
                check_condensed(&theirs, read);
                nb_fclib_destroy(read);
                destroy_matrix(m_dense);
                destroy_matrix(h_dense);
            }
}

/* ---- rolling friction ---- */

/* its header has the guard of that in two dimensions */
int rolling_fc3d_compute_error(RollingFrictionContactProblem *problem, double *z, double *w, double tolerance,
                               SolverOptions *options, double norm, double *error);

/* Siconos's own reader says of a file what ours says: local, in two and three dimensions and in every storage that it
 * reads itself. */
TEST(rolling_problems_that_siconos_writes_are_read) {
    uint64_t random = 9;
    for (int dimension = 3; dimension <= 5; dimension += 2)
        for (storage kind = DENSE; kind < BY_ROWS; kind++) {
            enum {
                COUNT = 3,
                ROWS = 5 * COUNT
            };
            double w[ROWS * ROWS], q[ROWS], mu[COUNT], mu_r[COUNT], z[ROWS], u[ROWS], theirs_u[ROWS], error;
            int rows = dimension * COUNT;
            char path[64];
            nb_fclib_problem *read;
            nb_natural_map map;
            for (int i = 0; i < rows * rows; i++) w[i] = short_number(&random, -1, 1) + (i % (rows + 1) == 0 ? 3 : 0);
            for (int i = 0; i < rows; i++) q[i] = test_random(&random, -1, 1);
            for (int i = 0; i < COUNT; i++) mu[i] = test_random(&random, 0, 1);
            for (int i = 0; i < COUNT; i++) mu_r[i] = test_random(&random, 0, 0.1);
            RollingFrictionContactProblem theirs = {
                .dimension = dimension, .numberOfContacts = COUNT, .q = q, .mu = mu, .mu_r = mu_r};
            theirs.M = make_matrix(kind, rows, rows, w, dimension);
            make_name(path);
            assert_int_equal(rollingFrictionContact_printInFilename(&theirs, path), 0);
            CHECK_OK(nb_siconos_read(path, &read));
            unlink(path);
            const nb_file_data *d = &read->data;
            assert_int_equal(d->dimension, dimension);
            assert_int_equal(d->contacts, COUNT);
            for (int i = 0; i < COUNT; i++) CHECK_NEAR(d->mu[i], mu[i], 0);
            for (int i = 0; i < COUNT; i++) CHECK_NEAR(d->mu_r[i], mu_r[i], 0);
            /* their error of some impulses is our natural map's: relative to q in 2D, to the largest norm in 3D */
            for (int trial = 0; trial < 20; trial++) {
                for (int i = 0; i < rows; i++) z[i] = test_random(&random, i % dimension ? -1 : 0, 1);
                nb_natural_map_compute(d, z, u, &map);
                (dimension == 5 ? rolling_fc3d_compute_error : rolling_fc2d_compute_error)(&theirs, z, theirs_u, 1e-8,
                                                                                           NULL, read->norm_q, &error);
                double own = dimension == 5 ? map.siconos : map.contacts / read->norm_q;
                CHECK_NEAR(own, error, 1e-14 * (1 + error)); /* sums of fifteen numbers of the size 1 */
            }
            nb_fclib_destroy(read);
            destroy_matrix(theirs.M);
        }
}

TEST(global_rolling_problems_are_read) {
    uint64_t random = 10;
    for (int dimension = 3; dimension <= 5; dimension += 2)
        for (storage kind = DENSE; kind < BY_ROWS; kind++) {
            enum {
                COUNT = 3,
                ROWS = 5 * COUNT
            };
            double mass[VELOCITIES * VELOCITIES], h[VELOCITIES * MOST], q[VELOCITIES], b[ROWS], mu[COUNT], mu_r[COUNT];
            int rows = dimension * COUNT;
            char path[64];
            nb_fclib_problem *read;
            fill_global(mass, h, rows, &random);
            for (int i = 0; i < VELOCITIES; i++) q[i] = test_random(&random, -8, 8);
            for (int i = 0; i < rows; i++) b[i] = test_random(&random, -1, 1);
            for (int i = 0; i < COUNT; i++) mu[i] = test_random(&random, 0, 1), mu_r[i] = test_random(&random, 0, 0.1);
            GlobalRollingFrictionContactProblem theirs = {
                .dimension = dimension, .numberOfContacts = COUNT, .q = q, .b = b, .mu = mu, .mu_r = mu_r};
            theirs.M = make_matrix(kind, VELOCITIES, VELOCITIES, mass, 3);
            theirs.H = make_matrix(kind, VELOCITIES, rows, h, 3);
            make_name(path);
            assert_int_equal(globalRollingFrictionContact_printInFilename(&theirs, path), 0);
            CHECK_OK(nb_siconos_read(path, &read));
            unlink(path);
            assert_int_equal(read->global, 1);
            assert_int_equal(read->rolling, 1);
            GlobalFrictionContactProblem alike = {
                .dimension = dimension, .numberOfContacts = COUNT, .q = q, .b = b, .mu = mu};
            alike.M = make_matrix(DENSE, VELOCITIES, VELOCITIES, mass, 3);
            alike.H = make_matrix(DENSE, VELOCITIES, rows, h, 3);
            check_condensed(&alike, read);
            for (int i = 0; i < COUNT; i++) CHECK_NEAR(read->data.mu_r[i], mu_r[i], 0);
            nb_fclib_destroy(read);
            destroy_matrix(theirs.M);
            destroy_matrix(theirs.H);
            destroy_matrix(alike.M);
            destroy_matrix(alike.H);
        }
}

TEST(projections_are_those_of_siconos) {
    uint64_t random = 11;
    for (int trial = 0; trial < 2000; trial++) {
        double mu = test_random(&random, 0.01, 2), mu_r = test_random(&random, 0.001, 1), x[5], theirs[5], p[5],
               rest[5];
        for (int k = 0; k < 5; k++) x[k] = theirs[k] = test_random(&random, -1, 1);
        projectionOnRollingCone(theirs, mu, mu_r);
        nb_rolling_cone_project(5, mu, mu_r, x, p, rest);
        for (int k = 0; k < 5; k++) CHECK_NEAR(p[k], theirs[k], 1e-15 * 8);
        for (int k = 0; k < 3; k++) theirs[k] = x[k];
        projectionOn2DRollingCone(theirs, mu, mu_r);
        nb_rolling_cone_project(3, mu, mu_r, x, p, rest);
        for (int k = 0; k < 3; k++) CHECK_NEAR(p[k], theirs[k], 1e-15 * 8);
    }
}

RUN_TESTS(what_siconos_writes_is_read, global_problems_that_siconos_writes_are_read,
          rolling_problems_that_siconos_writes_are_read, global_rolling_problems_are_read,
          projections_are_those_of_siconos)
