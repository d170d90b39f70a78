/* Against the reference library (Debian's libfclib-dev): files it wrote are read, files written here are read by it,
 * and its error measure is ours. Built only where that library is installed. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "contact_scene.h"
#include "exchange/write_fclib.h"
#include "file/fclib.h"
#include "measure/natural_map.h"

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

TEST(local_problems_and_their_merit) {
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

TEST(global_problems_are_read) {
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

/* ---- files written here ---- */

/* the library's matrix by compressed columns is the dense rows x columns matrix whose entry (i, j) is a[i di + j dj] */
static void holds(const struct fclib_matrix *matrix, int rows, int count, const double *a, int di, int dj) {
    assert_non_null(matrix);
    assert_int_equal(matrix->nz, -1);
    assert_int_equal(matrix->m, rows);
    assert_int_equal(matrix->n, count);
    double dense[SCENE_VELOCITIES * SCENE_VELOCITIES] = {0};
    for (int j = 0; j < count; j++)
        for (int k = matrix->p[j]; k < matrix->p[j + 1]; k++) dense[matrix->i[k] * count + j] = matrix->x[k];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < count; j++) CHECK_NEAR(dense[i * count + j], a[i * di + j * dj], 0);
}

TEST(written_local_problems_are_read) {
    char path[64];
    contact_scene *s = contact_scene_make(91, 0);
    int b = SCENE_JOINT_ROWS, m = 3 * SCENE_CONTACTS;
    make_name(path);
    CHECK_OK(nb_fclib_write(path, &s->problem, 0, "a title", "a description"));
    struct fclib_local *local = fclib_read_local(path);
    unlink(path);
    assert_non_null(local);
    assert_int_equal(local->spacedim, 3);
    assert_string_equal(local->info->title, "a title");
    assert_string_equal(local->info->description, "a description");
    holds(local->W, m, m, &s->d[b][b], SCENE_ROWS, 1);
    holds(local->V, m, b, &s->d[b][0], SCENE_ROWS, 1);
    holds(local->R, b, b, &s->d[0][0], SCENE_ROWS, 1);
    assert_memory_equal(local->q, s->q + b, (size_t)m * sizeof(double));
    assert_memory_equal(local->s, s->q, (size_t)b * sizeof(double));
    assert_memory_equal(local->mu, s->mu, sizeof s->mu);
    fclib_delete_local(local);
    free(local);
    free(s);
}

TEST(written_global_problems_are_read) {
    char path[64];
    contact_scene *s = contact_scene_make(92, 0);
    int b = SCENE_JOINT_ROWS, m = 3 * SCENE_CONTACTS, n = SCENE_VELOCITIES - 6; /* one body has no mass */
    make_name(path);
    CHECK_OK(nb_fclib_write(path, &s->problem, 1, "a title", "a description"));
    struct fclib_global *global = fclib_read_global(path);
    unlink(path);
    assert_non_null(global);
    assert_int_equal(global->spacedim, 3);
    holds(global->M, n, n, &s->mass[6][6], SCENE_VELOCITIES, 1);
    holds(global->H, n, m, &s->j[b][6], 1, SCENE_VELOCITIES);
    holds(global->G, n, b, &s->j[0][6], 1, SCENE_VELOCITIES);
    assert_memory_equal(global->f, s->f + 6, (size_t)n * sizeof(double));
    assert_memory_equal(global->w, s->w + b, (size_t)m * sizeof(double));
    assert_memory_equal(global->b, s->w, (size_t)b * sizeof(double));
    assert_memory_equal(global->mu, s->mu, sizeof s->mu);
    fclib_delete_global(global);
    free(global);
    free(s);
}

/* without joints the library has to find that V, R and s, or G and b, are not there */
TEST(written_problems_without_joints_are_read) {
    char path[64];
    contact_scene *s = contact_scene_make(93, 0);
    nb_contact_problem *p = &s->problem;
    p->bilaterals = 0;
    p->rows = 3 * SCENE_CONTACTS; /* the first rows are contacts now: any three rows can be one */
    double d[3 * SCENE_CONTACTS][3 * SCENE_CONTACTS];
    for (int i = 0; i < 3 * SCENE_CONTACTS; i++) memcpy(d[i], s->d[i], sizeof d[i]);
    p->delassus = scene_compress(3 * SCENE_CONTACTS, 3 * SCENE_CONTACTS, &d[0][0], &s->sparse_d);
    make_name(path);
    CHECK_OK(nb_fclib_write(path, p, 0, "", ""));
    struct fclib_local *local = fclib_read_local(path);
    unlink(path);
    assert_non_null(local);
    assert_null(local->V);
    holds(local->W, 3 * SCENE_CONTACTS, 3 * SCENE_CONTACTS, &s->d[0][0], SCENE_ROWS, 1);
    fclib_delete_local(local);
    free(local);
    CHECK_OK(nb_fclib_write(path, p, 1, "", ""));
    struct fclib_global *global = fclib_read_global(path);
    unlink(path);
    assert_non_null(global);
    assert_null(global->G);
    holds(global->H, SCENE_VELOCITIES - 6, 3 * SCENE_CONTACTS, &s->j[0][6], 1, SCENE_VELOCITIES);
    fclib_delete_global(global);
    free(global);
    free(s);
}

RUN_TESTS(local_problems_and_their_merit, global_problems_are_read, written_local_problems_are_read,
          written_global_problems_are_read, written_problems_without_joints_are_read)
