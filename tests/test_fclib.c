/* Reading FCLIB files: every storage kind, condensation against a dense reference, published files, hostile files. */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "file/fclib.h"

/* Writes small FCLIB files for tests with plain HDF5: dense matrices in any of the format's storage kinds. */

enum {
    BY_COLUMNS = -1,
    BY_ROWS = -2,
    TRIPLETS = 0,       /* in a scrambled order */
    SPLIT_TRIPLETS = 1, /* each entry in two halves, to be summed */
    MOST_ENTRIES = 4096
};

static void write_set(hid_t at, const char *name, hid_t type, hid_t memory, hsize_t count, const void *values) {
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (count > 0) assert_true(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void write_integers(hid_t at, const char *name, int count, const int *values) {
    write_set(at, name, H5T_STD_I32LE, H5T_NATIVE_INT, (hsize_t)count, values);
}

static void write_integer(hid_t at, const char *name, int value) {
    write_integers(at, name, 1, &value);
}

static void write_numbers(hid_t at, const char *name, int count, const double *values) {
    write_set(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, (hsize_t)count, values);
}

static void write_text(hid_t at, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
}

static hid_t make_group(hid_t at, const char *name) {
    hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(group >= 0);
    return group;
}

/* the group NAME with the rows x columns matrix `a`, its zeros left out */
static void write_matrix(hid_t at, const char *name, int rows, int columns, const double *a, int kind) {
    static int p[MOST_ENTRIES], index[MOST_ENTRIES];
    static double x[MOST_ENTRIES];
    int count = 0, outer = kind == BY_COLUMNS ? columns : rows, inner = kind == BY_COLUMNS ? rows : columns;
    hid_t group = make_group(at, name);
    for (int o = 0; o < outer; o++) {
        if (kind < 0) p[o] = count;
        for (int k = 0; k < inner; k++) {
            int i = kind == BY_COLUMNS ? k : o, j = kind == BY_COLUMNS ? o : k;
            if (kind >= 0) { /* scrambled */
                i = rows - 1 - i;
                j = (j * 7 + 3) % columns;
                if (columns % 7 == 0) j = columns - 1 - k;
            }
            if (a[i * columns + j] == 0) continue;
            for (int part = 0; part <= (kind == SPLIT_TRIPLETS); part++) {
                assert_true(count < MOST_ENTRIES - 1);
                x[count] = kind == SPLIT_TRIPLETS ? a[i * columns + j] / 2 : a[i * columns + j];
                if (kind >= 0) p[count] = j;
                index[count++] = kind == BY_ROWS ? j : i;
            }
        }
    }
    if (kind < 0) p[outer] = count;
    write_integer(group, "nzmax", count + 5);
    write_integer(group, "m", rows);
    write_integer(group, "n", columns);
    write_integer(group, "nz", kind < 0 ? kind : count);
    write_integers(group, "p", kind < 0 ? outer + 1 : count, p);
    write_integers(group, "i", count, index);
    write_numbers(group, "x", count, x);
    H5Gclose(group);
}

static hid_t create_file(const char *path) {
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* a local problem; p = 0 leaves V, R and s out */
static void write_local(const char *path, int dimension, int contacts, int p, const double *w, const double *v,
                        const double *r, const double *q, const double *s, const double *mu, int kind) {
    int m = dimension * contacts;
    hid_t file = create_file(path), local = make_group(file, "fclib_local");
    write_integer(local, "spacedim", dimension);
    write_matrix(local, "W", m, m, w, kind);
    hid_t vectors = make_group(local, "vectors");
    write_numbers(vectors, "q", m, q);
    write_numbers(vectors, "mu", contacts, mu);
    if (p > 0) {
        write_matrix(local, "V", m, p, v, kind);
        write_matrix(local, "R", p, p, r, kind);
        write_numbers(vectors, "s", p, s);
    }
    H5Gclose(vectors);
    H5Gclose(local);
    H5Fclose(file);
}

/* a global problem; p = 0 leaves G and b out */
static void write_global(const char *path, int dimension, int contacts, int n, int p, const double *mass,
                         const double *h, const double *g, const double *f, const double *w, const double *b,
                         const double *mu, int kind) {
    int m = dimension * contacts;
    hid_t file = create_file(path), global = make_group(file, "fclib_global");
    write_integer(global, "spacedim", dimension);
    write_matrix(global, "M", n, n, mass, kind);
    write_matrix(global, "H", n, m, h, kind);
    hid_t vectors = make_group(global, "vectors");
    write_numbers(vectors, "f", n, f);
    write_numbers(vectors, "w", m, w);
    write_numbers(vectors, "mu", contacts, mu);
    if (p > 0) {
        write_matrix(global, "G", n, p, g, kind);
        write_numbers(vectors, "b", p, b);
    }
    H5Gclose(vectors);
    H5Gclose(global);
    H5Fclose(file);
}

enum {
    MOST = 40
};

/* HDF5 itself loses a few hundred bytes when it gives up on some damaged files; what this project allocates is still
 * checked */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5";
}

static char path[] = "test_fclib_XXXXXX"; /* the file that each test writes */

static int make_path(void **state) {
    (void)state;
    int file = mkstemp(path);
    if (file < 0) return -1;
    close(file);
    return 0;
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

/* ---- dense references ---- */

static void fill_random(double *a, int count, double zeros, uint64_t *random) {
    for (int i = 0; i < count; i++) {
        double value = test_random(random, -1, 1);
        a[i] = test_random(random, 0, 1) < zeros ? 0 : value;
    }
}

/* x = a^-1 b by elimination with row pivots; a and b are overwritten */
static void solve_dense(int n, double *a, double *b) {
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c + 1; i < n; i++)
            if (fabs(a[i * n + c]) > fabs(a[pivot * n + c])) pivot = i;
        for (int j = 0; j < n; j++) {
            double swap = a[c * n + j];
            a[c * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        double swap = b[c];
        b[c] = b[pivot];
        b[pivot] = swap;
        for (int i = c + 1; i < n; i++) {
            double factor = a[i * n + c] / a[c * n + c];
            for (int j = c; j < n; j++) a[i * n + j] -= factor * a[c * n + j];
            b[i] -= factor * b[c];
        }
    }
    for (int i = n; i-- > 0;) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

static void check_matrix(const nb_file_data *data, const double *expected, double tolerance) {
    int rows = nb_file_data_rows(data);
    static double found[MOST * MOST];
    memset(found, 0, sizeof found);
    for (int i = 0; i < rows; i++)
        for (int64_t k = data->w->start[i]; k < data->w->start[i + 1]; k++) {
            assert_true(k == data->w->start[i] || data->w->column[k] > data->w->column[k - 1]);
            found[i * rows + data->w->column[k]] = data->w->value[k];
        }
    for (int i = 0; i < rows * rows; i++) CHECK_NEAR(found[i], expected[i], tolerance);
}

/* ---- local problems ---- */

TEST(local_problems_in_every_storage) {
    const int kinds[] = {BY_COLUMNS, BY_ROWS, TRIPLETS, SPLIT_TRIPLETS};
    uint64_t seed = 31, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 32; trial++) {
        int dimension = 2 + trial % 2, contacts = 1 + trial % 5, p = trial / 4 % 3, m = dimension * contacts,
            rows = p + m;
        double w[MOST * MOST], v[MOST * MOST], r[MOST * MOST], q[MOST], s[MOST], mu[MOST], all[MOST * MOST], sum = 0;
        fill_random(w, m * m, 0.4, &random);
        fill_random(v, m * p, 0.4, &random);
        fill_random(r, p * p, 0.4, &random);
        fill_random(q, m, 0, &random);
        fill_random(s, p, 0, &random);
        for (int i = 0; i < m; i++) w[i * m + i] = fabs(w[i * m + i]);
        for (int i = 0; i < p; i++) r[i * p + i] = fabs(r[i * p + i]);
        for (int i = 0; i < contacts; i++) mu[i] = test_random(&random, 0, 1);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) /* [R V^T; V W] */
                all[i * rows + j] = i < p   ? j < p ? r[i * p + j] : v[(j - p) * p + i]
                                      : j < p ? v[(i - p) * p + j]
                                            : w[(i - p) * m + j - p];
        write_local(path, dimension, contacts, p, w, v, r, q, s, mu, kinds[trial % 4]);
        nb_fclib_problem *problem;
        CHECK_OK(nb_fclib_read(path, &problem));
        const nb_file_data *data = &problem->data;
        assert_int_equal(data->dimension, dimension);
        assert_int_equal(data->contacts, contacts);
        assert_int_equal(data->bilaterals, p);
        assert_int_equal(problem->global, 0);
        check_matrix(data, all, 0); /* halves of a number add up exactly */
        for (int i = 0; i < rows; i++) {
            CHECK_NEAR(data->q[i], i < p ? s[i] : q[i - p], 0);
            sum += data->q[i] * data->q[i];
        }
        for (int i = 0; i < contacts; i++) CHECK_NEAR(data->mu[i], mu[i], 0);
        CHECK_NEAR(problem->norm_q, sqrt(sum), 1e-14);
        assert_string_equal(problem->title, "");
        nb_fclib_destroy(problem);
    }
}

/* ---- global problems ---- */

/* the reference: column by column, (K^T M^-1 K) and K^T M^-1 f + [b; w] for K = [G H] */
static void condense_dense(int n, int p, int m, const double *mass, const double *g, const double *h, const double *f,
                           const double *b, const double *w, double *all, double *q) {
    int rows = p + m;
    static double k[MOST * MOST], copy[MOST * MOST];
    double x[MOST];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < rows; j++) k[i * rows + j] = j < p ? g[i * p + j] : h[i * m + j - p];
    for (int j = -1; j < rows; j++) {
        memcpy(copy, mass, (size_t)(n * n) * sizeof *mass);
        for (int i = 0; i < n; i++) x[i] = j < 0 ? f[i] : k[i * rows + j];
        solve_dense(n, copy, x);
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int l = 0; l < n; l++) sum += k[l * rows + i] * x[l];
            if (j < 0)
                q[i] = sum + (i < p ? b[i] : w[i - p]);
            else
                all[i * rows + j] = sum;
        }
    }
}

TEST(global_problems_are_condensed) {
    const int kinds[] = {BY_COLUMNS, BY_ROWS, TRIPLETS, SPLIT_TRIPLETS};
    uint64_t seed = 32, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 48; trial++) {
        int dimension = 2 + trial % 2, contacts = 1 + trial % 4, p = trial / 4 % 3, m = dimension * contacts, n = 12;
        double mass[MOST * MOST] = {0}, h[MOST * MOST], g[MOST * MOST], f[MOST], w[MOST], b[MOST], mu[MOST];
        double all[MOST * MOST], q[MOST];
        fill_random(h, n * m, 0.5, &random);
        fill_random(g, n * p, 0.5, &random);
        fill_random(f, n, 0, &random);
        fill_random(w, m, 0, &random);
        fill_random(b, p, 0, &random);
        for (int i = 0; i < contacts; i++) mu[i] = test_random(&random, 0, 1);
        int shared = trial % 4; /* blocks of 1, of 3 scattered members, of all; the last kind is not symmetric */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int same = shared == 0 ? i == j : shared == 1 ? i % 4 == j % 4 : 1;
                double noise = test_random(&random, -0.2, 0.2);
                mass[i * n + j] = !same ? 0 : i == j ? 4 + i : shared == 3 ? noise : 0.1 * ((i + j) % 3);
            }
        write_global(path, dimension, contacts, n, p, mass, h, g, f, w, b, mu, kinds[trial / 2 % 4]);
        condense_dense(n, p, m, mass, g, h, f, b, w, all, q);
        nb_fclib_problem *problem;
        CHECK_OK(nb_fclib_read(path, &problem));
        assert_int_equal(problem->data.contacts, contacts);
        assert_int_equal(problem->data.bilaterals, p);
        assert_int_equal(problem->global, 1);
        assert_int_equal(problem->velocities, n);
        check_matrix(&problem->data, all, 1e-14); /* numbers of size 1, M of condition 4 */
        for (int i = 0; i < p + m; i++) CHECK_NEAR(problem->data.q[i], q[i], 1e-14);
        nb_fclib_destroy(problem);
    }
}

static const double one_w[9] = {1, 0.5, 0, 0.5, 2, 0, 0, 0, 2}, one_q[3] = {-1, 0.2, 0}, one_mu[1] = {0.5};

static void write_one(void) {
    write_local(path, 3, 1, 0, one_w, NULL, NULL, one_q, NULL, one_mu, BY_ROWS);
}

TEST(words_are_read) {
    write_one();
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), info = make_group(file, "/fclib_local/info");
    write_text(info, "title", "a title");
    write_text(info, "description", "two\nlines");
    H5Gclose(info);
    H5Fclose(file);
    nb_fclib_problem *problem;
    CHECK_OK(nb_fclib_read(path, &problem));
    assert_string_equal(problem->title, "a title");
    assert_string_equal(problem->description, "two lines");
    assert_string_equal(problem->math_info, "");
    nb_fclib_destroy(problem);
}

/* ---- published problems ---- */

TEST(published_problems) {
    /* kind, contacts and velocities from the data's own description; norms of q computed with numpy and scipy */
    static const struct {
        const char *name;
        int global, contacts, velocities;
        double mu, norm_q;
    } known[] = {
        {"one-contact.hdf5", 0, 1, 0, 0.5, 1.019803902718557},
        {"BoxesStack-48.hdf5", 0, 48, 0, 0.7, 0.0098100001758449577},
        {"Capsules-i125-1213.hdf5", 0, 286, 0, 0.7, 7.0837901363237554},
        {"LMGC_100_PR_PerioBox-i00361-60-03000.hdf5", 0, 60, 0, 0.5, 0.84453371069767313},
        {"Box_Stacks-i0122-82-5.hdf5", 1, 82, 450, 0.3, 0.011247583260269391},
        {"spheres-in-a-box-98-i10000-256-10.hdf5", 1, 256, 588, 0.1, 0.11316815675960878},
    };
    const char *shared = getenv("NB_SHARED_DIR"), *source = getenv("NB_SOURCE_DIR");
    char folder[512], name[1024];
    struct stat entry;
    snprintf(folder, sizeof folder, "%s%s/data/fclib",
             shared   ? shared
             : source ? source
                      : ".",
             shared ? "" : "/../shared");
    if (stat(folder, &entry) != 0) {
        print_message("skipped: no folder %s (NB_SHARED_DIR says where it is)\n", folder);
        skip();
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        nb_fclib_problem *problem;
        snprintf(name, sizeof name, "%s/%s", folder, known[i].name);
        CHECK_OK(nb_fclib_read(name, &problem));
        assert_int_equal(problem->data.dimension, 3);
        assert_int_equal(problem->data.bilaterals, 0);
        assert_int_equal(problem->data.contacts, known[i].contacts);
        assert_int_equal(problem->global, known[i].global);
        assert_int_equal(problem->velocities, known[i].velocities);
        CHECK_NEAR(problem->data.mu[0], known[i].mu, 0);
        CHECK_NEAR(problem->norm_q, known[i].norm_q, 1e-14 * known[i].norm_q);
        assert_true(problem->title[0] != 0);
        nb_fclib_destroy(problem);
    }
}

/* ---- bad files ---- */

static void replace_integers(hid_t file, const char *name, int count, const int *values) {
    H5Ldelete(file, name, H5P_DEFAULT);
    write_integers(file, name, count, values);
}

static void replace_numbers(hid_t file, const char *name, int count, const double *values) {
    H5Ldelete(file, name, H5P_DEFAULT);
    write_numbers(file, name, count, values);
}

/* a good file with one fault, the status and a word of the message it must bring */
typedef struct fault {
    const char *what, *word;
    nb_status status;
    void (*make)(hid_t file);
} fault;

#define FAULT(name, action)        \
    static void name(hid_t file) { \
        action;                    \
    }
#define INTEGERS(...)                                            \
    (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (int[]) { \
        __VA_ARGS__                                              \
    }
#define NUMBERS(...)                                                      \
    (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]) { \
        __VA_ARGS__                                                       \
    }
FAULT(no_w, H5Ldelete(file, "/fclib_local/W", H5P_DEFAULT))
FAULT(no_x, H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT))
FAULT(no_vectors, H5Ldelete(file, "/fclib_local/vectors", H5P_DEFAULT))
FAULT(no_mu, H5Ldelete(file, "/fclib_local/vectors/mu", H5P_DEFAULT))
FAULT(no_spacedim, H5Ldelete(file, "/fclib_local/spacedim", H5P_DEFAULT))
FAULT(spacedim_4, replace_integers(file, "/fclib_local/spacedim", INTEGERS(4)))
FAULT(spacedim_5, replace_integers(file, "/fclib_local/spacedim", INTEGERS(5)))
FAULT(spacedim_2, replace_integers(file, "/fclib_local/spacedim", INTEGERS(2)))
FAULT(spacedim_many, replace_integers(file, "/fclib_local/spacedim", INTEGERS(3, 3)))
FAULT(spacedim_real, replace_numbers(file, "/fclib_local/spacedim", NUMBERS(2.5)))
FAULT(index_high, replace_integers(file, "/fclib_local/W/i", INTEGERS(0, 1, 0, 3, 2)))
FAULT(index_negative, replace_integers(file, "/fclib_local/W/i", INTEGERS(0, 1, -1, 1, 2)))
FAULT(index_few, replace_integers(file, "/fclib_local/W/i", INTEGERS(0, 1, 0, 1)))
FAULT(index_real, replace_numbers(file, "/fclib_local/W/i", NUMBERS(0, 1, 0, 1e10, 2)))
FAULT(pointers_fall, replace_integers(file, "/fclib_local/W/p", INTEGERS(0, 4, 2, 5)))
FAULT(pointers_start, replace_integers(file, "/fclib_local/W/p", INTEGERS(1, 2, 4, 5)))
FAULT(pointers_far, replace_integers(file, "/fclib_local/W/p", INTEGERS(0, 2, 4, 2000000000)))
FAULT(pointers_few, replace_integers(file, "/fclib_local/W/p", INTEGERS(0, 2, 5)))
FAULT(nz_unknown, replace_integers(file, "/fclib_local/W/nz", INTEGERS(-3)))
FAULT(nz_many, replace_integers(file, "/fclib_local/W/nz", INTEGERS(2147483647)))
FAULT(m_other, replace_integers(file, "/fclib_local/W/m", INTEGERS(6)))
FAULT(m_negative, replace_integers(file, "/fclib_local/W/m", INTEGERS(-3)))
FAULT(x_nan, replace_numbers(file, "/fclib_local/W/x", NUMBERS(1, 0.5, 0.5, NAN, 2)))
FAULT(x_text, H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT); write_text(file, "/fclib_local/W/x", "12345"))
FAULT(x_group, H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT); H5Gclose(make_group(file, "/fclib_local/W/x")))
FAULT(diagonal_negative, replace_numbers(file, "/fclib_local/W/x", NUMBERS(1, 0.5, 0.5, -2, 2)))
FAULT(w_overflows, replace_numbers(file, "/fclib_local/vectors/q", NUMBERS(1e300, 1e300, 1)))
FAULT(q_infinite, replace_numbers(file, "/fclib_local/vectors/q", NUMBERS(-1, INFINITY, 0)))
FAULT(q_none, replace_numbers(file, "/fclib_local/vectors/q", 0, NULL))
FAULT(q_four, replace_numbers(file, "/fclib_local/vectors/q", NUMBERS(1, 2, 3, 4)))
FAULT(q_six, replace_numbers(file, "/fclib_local/vectors/q", NUMBERS(1, 2, 3, 4, 5, 6)))
FAULT(mu_negative, replace_numbers(file, "/fclib_local/vectors/mu", NUMBERS(-0.5)))
FAULT(mu_many, replace_numbers(file, "/fclib_local/vectors/mu", NUMBERS(0.5, 0.5)))
FAULT(v_alone, H5Gclose(make_group(file, "/fclib_local/V")))
FAULT(r_alone, H5Gclose(make_group(file, "/fclib_local/R")))
FAULT(no_problem, H5Ldelete(file, "/fclib_local", H5P_DEFAULT))
FAULT(rolling, H5Ldelete(file, "/fclib_local", H5P_DEFAULT); H5Gclose(make_group(file, "/fclib_global_rolling")))
FAULT(no_mu_r, H5Lmove(file, "/fclib_local", file, "/fclib_local_rolling", H5P_DEFAULT, H5P_DEFAULT))
FAULT(mu_r_negative, H5Lmove(file, "/fclib_local", file, "/fclib_local_rolling", H5P_DEFAULT, H5P_DEFAULT);
      write_numbers(file, "/fclib_local_rolling/vectors/mu_r", NUMBERS(-0.1)))
FAULT(rolling_of_2, replace_integers(file, "/fclib_local/spacedim", INTEGERS(2));
      H5Lmove(file, "/fclib_local", file, "/fclib_local_rolling", H5P_DEFAULT, H5P_DEFAULT))
FAULT(link_elsewhere, H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
      H5Lcreate_external("/etc/passwd", "/x", file, "/fclib_local/W/x", H5P_DEFAULT, H5P_DEFAULT))
FAULT(link_to_itself, H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
      H5Lcreate_soft("/fclib_local/W/x", file, "/fclib_local/W/x", H5P_DEFAULT, H5P_DEFAULT))

FAULT(group_elsewhere, H5Ldelete(file, "/fclib_local/W", H5P_DEFAULT);
      H5Lcreate_external(path, "/fclib_local/vectors", file, "/fclib_local/W", H5P_DEFAULT, H5P_DEFAULT))
FAULT(far_link, H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
      H5Lcreate_external(path, "/", file, "/far", H5P_DEFAULT, H5P_DEFAULT);
      H5Lcreate_soft("/far/fclib_local/vectors/q", file, "/fclib_local/W/x", H5P_DEFAULT, H5P_DEFAULT))
FAULT(dense_matrix, H5Ldelete(file, "/fclib_local/W", H5P_DEFAULT);
      write_numbers(file, "/fclib_local/W", NUMBERS(1, 0, 0, 0, 1, 0, 0, 0, 1)))

static void q_of_two_dimensions(hid_t file) {
    hsize_t extent[2] = {3, 2};
    hid_t space = H5Screate_simple(2, extent, NULL);
    H5Ldelete(file, "/fclib_local/vectors/q", H5P_DEFAULT);
    H5Dclose(H5Dcreate2(file, "/fclib_local/vectors/q", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
}

/* in the place of h5py's, which this program does not have */
static size_t pass(unsigned flags, size_t count, const unsigned values[], size_t bytes, size_t *size, void **buffer) {
    (void)flags, (void)count, (void)values, (void)size, (void)buffer;
    return bytes;
}

static void other_filter(hid_t file) {
    const H5Z_class2_t lzf = {H5Z_CLASS_T_VERS, 32000, 1, 1, "lzf", NULL, NULL, pass};
    const double x[5] = {1, 0.5, 0.5, 1, 2};
    hsize_t count = 5;
    hid_t space = H5Screate_simple(1, &count, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Zregister(&lzf);
    H5Pset_chunk(plist, 1, &count);
    H5Pset_filter(plist, 32000, 0, 0, NULL);
    H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, "/fclib_local/W/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    H5Zunregister(32000);
}

/* a dataset of 10^9 numbers of which nothing is stored */
static void claims_much(hid_t file) {
    hsize_t count = 1000000000, chunk = 1000;
    hid_t space = H5Screate_simple(1, &count, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, &chunk);
    H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
    H5Dclose(H5Dcreate2(file, "/fclib_local/W/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Pclose(plist);
    H5Sclose(space);
}

/* numbers kept in another file */
static void kept_elsewhere(hid_t file) {
    hsize_t count = 5;
    hid_t space = H5Screate_simple(1, &count, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plist, "/etc/passwd", 0, 40);
    H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
    H5Dclose(H5Dcreate2(file, "/fclib_local/W/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Pclose(plist);
    H5Sclose(space);
}

static const fault faults[] = {
    {"W missing", "/fclib_local/W is missing", NB_ERROR_INPUT, no_w},
    {"x missing", "/fclib_local/W/x is missing", NB_ERROR_INPUT, no_x},
    {"vectors missing", "/fclib_local/vectors is missing", NB_ERROR_INPUT, no_vectors},
    {"mu missing", "vectors/mu is missing", NB_ERROR_INPUT, no_mu},
    {"spacedim missing", "spacedim is missing", NB_ERROR_INPUT, no_spacedim},
    {"spacedim 4", "spacedim is 4, expected 2 or 3", NB_ERROR_INPUT, spacedim_4},
    {"spacedim 5", "multiple of spacedim 5", NB_ERROR_INPUT, spacedim_5},
    {"spacedim of 3 rows", "multiple of spacedim 2", NB_ERROR_INPUT, spacedim_2},
    {"two spacedims", "spacedim is not one number", NB_ERROR_INPUT, spacedim_many},
    {"spacedim 2.5", "spacedim holds 2.5 at index 0: expected a whole number", NB_ERROR_INPUT, spacedim_real},
    {"index too high", "W/i holds 3 at index 3, outside 0 to 2", NB_ERROR_INPUT, index_high},
    {"index negative", "W/i holds -1 at index 2", NB_ERROR_INPUT, index_negative},
    {"indices missing", "fewer indices", NB_ERROR_INPUT, index_few},
    {"an index beyond 32 bits", "W/i holds 1e+10 at index 3: expected a whole number below 2^31", NB_ERROR_INPUT,
     index_real},
    {"pointers fall", "W/p falls from 4 to 2", NB_ERROR_INPUT, pointers_fall},
    {"pointers start late", "p[0] = 0", NB_ERROR_INPUT, pointers_start},
    {"pointers beyond the end", "fewer indices", NB_ERROR_INPUT, pointers_far},
    {"pointers missing", "W/p has 3 elements, expected 4", NB_ERROR_INPUT, pointers_few},
    {"unknown storage", "W/nz is -3", NB_ERROR_INPUT, nz_unknown},
    {"more triplets than there are", "fewer indices", NB_ERROR_INPUT, nz_many},
    {"W of another size", "W is 6 x 3", NB_ERROR_INPUT, m_other},
    {"W of negative size", "W is -3 x 3", NB_ERROR_INPUT, m_negative},
    {"NaN in W", "W/x holds nan at index 3", NB_ERROR_INPUT, x_nan},
    {"text for numbers", "W/x holds text, expected numbers", NB_ERROR_INPUT, x_text},
    {"a group for numbers", "W/x is no readable dataset", NB_ERROR_INPUT, x_group},
    {"negative diagonal", "-2 in row 1", NB_ERROR_INPUT, diagonal_negative},
    {"q beyond range", "q overflows", NB_ERROR_INPUT, w_overflows},
    {"infinity in q", "vectors/q holds inf at index 1", NB_ERROR_INPUT, q_infinite},
    {"no contacts", "nothing to solve", NB_ERROR_INPUT, q_none},
    {"q of 4 rows", "4 contact rows", NB_ERROR_INPUT, q_four},
    {"q of 6 rows", "vectors/mu has 1 elements, expected 2", NB_ERROR_INPUT, q_six},
    {"mu negative", "mu holds -0.5", NB_ERROR_INPUT, mu_negative},
    {"two mu", "vectors/mu has 2 elements, expected 1", NB_ERROR_INPUT, mu_many},
    {"V without R", "has V but no R", NB_ERROR_INPUT, v_alone},
    {"R without V", "has R but no V", NB_ERROR_INPUT, r_alone},
    {"no problem in the file", "holds no FCLIB problem", NB_ERROR_INPUT, no_problem},
    {"rolling friction", "/fclib_global_rolling/spacedim is missing", NB_ERROR_INPUT, rolling},
    {"mu_r missing", "vectors/mu_r is missing", NB_ERROR_INPUT, no_mu_r},
    {"mu_r negative", "vectors/mu_r holds -0.1 at index 0", NB_ERROR_INPUT, mu_r_negative},
    {"2 rows that roll", "spacedim is 2, expected 3 or 5", NB_ERROR_INPUT, rolling_of_2},
    {"a link into another file", "W/x is a link into another file", NB_ERROR_INPUT, link_elsewhere},
    {"a group in another file", "/fclib_local/W is a link into another file", NB_ERROR_INPUT, group_elsewhere},
    {"a link to a link into another file", "W/x is a link to what this file does not have", NB_ERROR_INPUT, far_link},
    {"a link to itself", "W/x is a link to what this file does not have", NB_ERROR_INPUT, link_to_itself},
    {"a dense matrix", "W/m is no readable dataset", NB_ERROR_INPUT, dense_matrix},
    {"two dimensions", "vectors/q has 2 dimensions (3 x 2), expected one", NB_ERROR_INPUT, q_of_two_dimensions},
    {"an unknown filter", "W/x is compressed by HDF5's filter 32000 (lzf)", NB_ERROR_INPUT, other_filter},
    {"10^9 numbers claimed", "claims more elements", NB_ERROR_INPUT, claims_much},
    {"numbers kept elsewhere", "W/x has its numbers in other files", NB_ERROR_INPUT, kept_elsewhere},
};

TEST(faults_get_one_clear_line) {
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        nb_fclib_problem *problem;
        write_one();
        CHECK_OK(nb_fclib_read(path, &problem)); /* good before the fault */
        nb_fclib_destroy(problem);
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        faults[i].make(file);
        H5Fclose(file);
        print_message("%s\n", faults[i].what);
        CHECK_FAULT(nb_fclib_read(path, &problem), faults[i].status, faults[i].word);
        assert_null(problem);
        assert_non_null(strstr(nb_error_message(), path));
        assert_null(strchr(nb_error_message(), '\n'));
    }
}

TEST(singular_masses_are_refused) {
    const double mass[4] = {1, 0, 0, 0}, h[4] = {1, 0, 0, 1}, f[2] = {0, -1}, w[2] = {0, 0}, mu[1] = {0.5};
    nb_fclib_problem *problem;
    write_global(path, 2, 1, 2, 0, mass, h, NULL, f, w, NULL, mu, BY_COLUMNS);
    CHECK_FAULT(nb_fclib_read(path, &problem), NB_ERROR_INPUT, "M is singular in the block of velocity 1");
    assert_non_null(strstr(nb_error_message(), path));
    const double tiny[4] = {1, 0, 0, 1e-310};
    write_global(path, 2, 1, 2, 0, tiny, h, NULL, f, w, NULL, mu, BY_COLUMNS);
    CHECK_FAULT(nb_fclib_read(path, &problem), NB_ERROR_INPUT, path); /* overflows, or counts as singular */
}

TEST(a_multiplier_needs_its_vector) {
    nb_fclib_problem *problem;
    const double mass[4] = {1, 0, 0, 1}, h[4] = {1, 0, 0, 1}, g[2] = {1, 1}, f[2] = {0, -1}, w[2] = {0}, b[1] = {0};
    write_global(path, 2, 1, 2, 1, mass, h, g, f, w, b, one_mu, BY_ROWS);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, "/fclib_global/vectors/b", H5P_DEFAULT);
    H5Fclose(file);
    CHECK_FAULT(nb_fclib_read(path, &problem), NB_ERROR_INPUT, "vectors/b is missing");
}

TEST(what_is_no_file_is_said) {
    nb_fclib_problem *problem;
    CHECK_FAULT(nb_fclib_read("no/such/file.hdf5", &problem), NB_ERROR_IO, "no/such/file.hdf5");
    CHECK_FAULT(nb_fclib_read(".", &problem), NB_ERROR_IO, "folder");
    CHECK_FAULT(nb_fclib_read("/dev/null", &problem), NB_ERROR_IO, "not a regular file");
    FILE *file = fopen(path, "w");
    fclose(file);
    CHECK_FAULT(nb_fclib_read(path, &problem), NB_ERROR_INPUT, "is not an HDF5 file");
    file = fopen(path, "w");
    fputs("%%MatrixMarket matrix coordinate real general\n", file);
    fclose(file);
    CHECK_FAULT(nb_fclib_read(path, &problem), NB_ERROR_INPUT, "is not an HDF5 file");
}

/* ---- damaged files ---- */

static unsigned char *load(long *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc((size_t)*size);
    assert_int_equal(fread(bytes, 1, (size_t)*size, file), *size);
    fclose(file);
    return bytes;
}

static void store(const unsigned char *bytes, long size) {
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, (size_t)size, file), size);
    fclose(file);
}

/* reads a damaged file: a problem, or one line that names the file */
static int survives(void) {
    nb_fclib_problem *problem;
    nb_status status = nb_fclib_read(path, &problem);
    nb_fclib_destroy(problem);
    if (status == NB_OK) return 1;
    assert_null(problem);
    assert_non_null(strstr(nb_error_message(), path));
    assert_null(strchr(nb_error_message(), '\n'));
    return 0;
}

TEST(truncated_files_are_survived) {
    long size;
    write_one();
    unsigned char *bytes = load(&size);
    for (long length = 0; length < size; length += 61) {
        store(bytes, length);
        assert_false(survives());
    }
    free(bytes);
}

TEST(flipped_bits_are_survived) {
    long size, read = 0, refused = 0;
    write_one();
    unsigned char *bytes = load(&size);
    for (long bit = 0; bit < 8 * size; bit += 37) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        store(bytes, size);
        *(survives() ? &read : &refused) += 1;
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    print_message("%ld of %ld damaged files could be read\n", read, read + refused);
    assert_true(read > 0 && refused > 0);
    free(bytes);
}

TEST(every_failed_allocation_is_reported) {
    const double mass[4] = {1, 0, 0, 1}, h[4] = {1, 0, 0, 1}, g[2] = {1, 1}, f[2] = {0, -1}, w[2] = {0}, b[1] = {0};
    write_global(path, 2, 1, 2, 1, mass, h, g, f, w, b, one_mu, TRIPLETS);
    for (int64_t after = 0;; after++) {
        nb_fclib_problem *problem;
        nb_allocation_fail_after(after);
        nb_status status = nb_fclib_read(path, &problem);
        nb_allocation_fail_after(-1);
        if (status == NB_OK) {
            nb_fclib_destroy(problem);
            assert_true(after > 50);
            break;
        }
        assert_int_equal(status, NB_ERROR_MEMORY);
        assert_null(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_problems_in_every_storage),
        cmocka_unit_test(global_problems_are_condensed),
        cmocka_unit_test(words_are_read),
        cmocka_unit_test(published_problems),
        cmocka_unit_test(faults_get_one_clear_line),
        cmocka_unit_test(singular_masses_are_refused),
        cmocka_unit_test(a_multiplier_needs_its_vector),
        cmocka_unit_test(what_is_no_file_is_said),
        cmocka_unit_test(truncated_files_are_survived),
        cmocka_unit_test(flipped_bits_are_survived),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
