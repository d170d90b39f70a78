/* Against the reference library (Debian's libfclib-dev): files it wrote are read, and its error measure is ours. Built
 * only where that library is installed. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "fclib.h"
#include "natural_map.h"

#include NB_FCLIB_HEADER /* the library's fclib.h, by its whole path: our own has the same name */

/* the library's merit function keeps its transposes of V */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libcxsparse";
}

enum {
    CONTACTS = 4,
    M = 3 * CONTACTS,
    P = 2,
    N = 6
};

/* a full matrix by compressed columns, the only form the library's merit function understands */
typedef struct columns {
    int p[M + 1], i[M * M];
    double x[M * M];
    struct fclib_matrix matrix;
} columns;

static void fill(columns *c, int rows, int count, double diagonal, uint64_t *random) {
    int k = 0;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < rows; i++, k++) {
            c->i[k] = i;
            c->x[k] = test_random(random, -1, 1) + (i == j ? diagonal : 0);
            c->p[j + 1] = k + 1;
        }
    c->p[0] = 0;
    c->matrix = (struct fclib_matrix){.nzmax = k, .m = rows, .n = count, .p = c->p, .i = c->i, .x = c->x, .nz = -1};
}

static void fill_vector(double *x, int count, double low, double high, uint64_t *random) {
    for (int i = 0; i < count; i++) x[i] = test_random(random, low, high);
}

/* the name of a file that does not exist yet */
static void make_name(char *path) {
    strcpy(path, "test_fclib_library_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
}

static void local_problems_and_their_merit(void **state) {
    (void)state;
    uint64_t seed = 41, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 10; trial++) {
        static columns w, v, r;
        double mu[CONTACTS], q[M], s[P], z[P + M], u[P + M];
        char path[64], title[] = "random", none[] = "";
        struct fclib_info info = {title, none, none};
        fill(&w, M, M, 3, &random);
        fill(&v, M, P, 0, &random);
        fill(&r, P, P, 3, &random);
        fill_vector(mu, CONTACTS, 0, 1, &random);
        fill_vector(q, M, -1, 1, &random);
        fill_vector(s, P, -1, 1, &random);
        fill_vector(z, P + M, -1, 1, &random);
        struct fclib_local local = {&w.matrix, &v.matrix, &r.matrix, mu, q, s, 3, &info};
        struct fclib_solution solution = {.u = u, .r = z + P, .l = z};
        make_name(path);
        assert_int_equal(fclib_write_local(&local, path), 1);
        nb_fclib_problem *problem;
        nb_natural_map map;
        CHECK_OK(nb_fclib_read(path, &problem));
        unlink(path);
        assert_string_equal(problem->title, "random");
        nb_natural_map_compute(&problem->data, z, u, &map);
        double theirs = fclib_merit_local(&local, MERIT_1, &solution);
        CHECK_NEAR(map.fclib, theirs, 1e-13); /* sums of 14 numbers of size 1 */
        nb_fclib_destroy(problem);
    }
}

static void global_problems_are_read(void **state) {
    (void)state;
    uint64_t seed = 42, random = seed;
    static columns mass, h, g;
    double mu[CONTACTS], f[N], w[M], b[P];
    char path[64];
    fill(&mass, N, N, 8, &random);
    fill(&h, N, M, 0, &random);
    fill(&g, N, P, 0, &random);
    fill_vector(mu, CONTACTS, 0, 1, &random);
    fill_vector(f, N, -1, 1, &random);
    fill_vector(w, M, -1, 1, &random);
    fill_vector(b, P, -1, 1, &random);
    struct fclib_global global = {&mass.matrix, &h.matrix, &g.matrix, mu, f, b, w, 3, NULL};
    make_name(path);
    assert_int_equal(fclib_write_global(&global, path), 1);
    nb_fclib_problem *problem;
    CHECK_OK(nb_fclib_read(path, &problem));
    unlink(path);
    /* for impulses z the velocities solve M v = [G H] z + f: hold W z + q against [b; w] + [G H]^T v for a v of our
     * choice */
    const nb_file_data *data = &problem->data;
    assert_int_equal(data->bilaterals, P);
    assert_int_equal(data->contacts, CONTACTS);
    assert_int_equal(problem->velocities, N);
    double z[P + M], u[P + M], force[N], v[N];
    fill_vector(z, P + M, -1, 1, &random);
    nb_file_data_velocities(data, z, u);
    for (int i = 0; i < N; i++) {
        force[i] = f[i];
        for (int j = 0; j < P + M; j++) force[i] += z[j] * (j < P ? g.x[j * N + i] : h.x[(j - P) * N + i]);
        v[i] = 0;
    }
    for (int sweep = 0; sweep < 200; sweep++) /* Gauss-Seidel: M is dominated by its diagonal */
        for (int i = 0; i < N; i++) {
            double rest = force[i];
            for (int j = 0; j < N; j++) rest -= j == i ? 0 : mass.x[j * N + i] * v[j];
            v[i] = rest / mass.x[i * N + i];
        }
    for (int j = 0; j < P + M; j++) {
        double expected = j < P ? b[j] : w[j - P];
        for (int i = 0; i < N; i++) expected += v[i] * (j < P ? g.x[j * N + i] : h.x[(j - P) * N + i]);
        CHECK_NEAR(u[j], expected, 1e-13);
    }
    nb_fclib_destroy(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_problems_and_their_merit),
        cmocka_unit_test(global_problems_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
