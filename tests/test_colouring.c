/* Sweeps in colour order. No two groups of one colour act on each other; Gauss-Seidel and SSOR make of a system in
 * colour order what they make, in natural order, of the system with its blocks reordered; and over bodies, without
 * entries, what they make of the entries. */
#include "operator/colouring.h"

#include <stdio.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "check.h"
#include "operator/delassus_matrix.h"
#include "operator/solve.h"
#include "random_scene.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_OPTIONS = 8
};

/* bodies, joints, runs of contacts */
static const int sizes[][3] = {{60, 20, 100}, {50, 30, 0}, {40, 0, 110}, {12, 4, 20}, {3, 1, 2}, {3, 0, 0}};

/* a stored system, of blocks in another order than those it was made of */
typedef struct stored_system {
    nb_delassus *delassus;
    nb_system *system;
    int32_t from[MOST_ROWS]; /* the row that each of its rows was */
} stored_system;

/* the rows of `source` by these blocks (NULL: as they are) */
static void store(nb_system *source, const int32_t *order, stored_system *t) {
    static int32_t block_start[MOST_ROWS + 1], group_start[MOST_ROWS + 1], to[MOST_ROWS];
    const nb_delassus *d = source->delassus;
    const nb_csr *a;
    nb_csr *matrix;
    int32_t rows = 0;
    CHECK_OK(nb_system_matrix(source, &a));
    CHECK_OK(nb_csr_create(a->rows, a->rows, a->start[a->rows], &matrix));
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t block = order ? order[i] : i;
        block_start[i] = rows;
        for (int32_t r = d->block_start[block]; r < d->block_start[block + 1]; r++) t->from[rows++] = r;
    }
    block_start[d->block_count] = rows;
    for (int32_t i = 0; i < rows; i++) to[t->from[i]] = i;
    for (int32_t i = 0; i < rows; i++) {
        static real dense[MOST_ROWS];
        static char there[MOST_ROWS];
        int64_t place = matrix->start[i];
        for (int64_t k = a->start[t->from[i]]; k < a->start[t->from[i] + 1]; k++) {
            there[to[a->column[k]]] = 1;
            dense[to[a->column[k]]] = a->value[k];
        }
        for (int32_t j = 0; j < rows; j++) {
            if (!there[j]) continue;
            matrix->column[place] = j;
            matrix->value[place++] = dense[j];
            there[j] = 0;
        }
        matrix->start[i + 1] = place;
    }
    memcpy(group_start, d->group_start, ((size_t)d->group_count + 1) * sizeof *group_start);
    CHECK_OK(nb_delassus_matrix_create(matrix, d->block_count, block_start, order ? 0 : d->group_count,
                                       order ? NULL : group_start, &t->delassus));
    CHECK_OK(nb_system_create(t->delassus, &t->system));
    for (int32_t i = 0; i < rows; i++) t->system->b[i] = source->b[t->from[i]];
    nb_system_values_changed(t->system);
}

static void discard(stored_system *t) {
    nb_system_destroy(t->system);
    nb_delassus_matrix_destroy(t->delassus);
}

/* ---- the colouring ---- */

static void check_colouring(nb_system *system, const nb_colouring *c) {
    static int32_t group_of[MOST_ROWS], colour_of[MOST_ROWS];
    const nb_delassus *d = system->delassus;
    const nb_csr *a;
    int32_t blocks = 0;
    CHECK_OK(nb_system_matrix(system, &a));
    for (int32_t i = 0; i < d->group_count; i++) {
        colour_of[i] = -1;
        for (int32_t r = d->block_start[d->group_start[i]]; r < d->block_start[d->group_start[i + 1]]; r++)
            group_of[r] = i;
    }
    assert_int_equal(c->start[0], 0);
    assert_int_equal(c->start[c->colours], d->group_count);
    for (int32_t k = 0; k < c->colours; k++) {
        assert_true(c->start[k] < c->start[k + 1]);
        for (int32_t i = c->start[k]; i < c->start[k + 1]; i++) {
            assert_int_equal(colour_of[c->group[i]], -1);
            colour_of[c->group[i]] = k;
            if (i > c->start[k]) assert_true(c->group[i - 1] < c->group[i]);
            for (int32_t block = d->group_start[c->group[i]]; block < d->group_start[c->group[i] + 1]; block++)
                assert_int_equal(c->block[blocks++], block);
        }
    }
    assert_int_equal(blocks, d->block_count);
    for (int32_t r = 0; r < a->rows; r++)
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
            int32_t one = group_of[r], other = group_of[a->column[k]];
            if (one != other) assert_int_not_equal(colour_of[one], colour_of[other]);
        }
}

TEST(groups_of_a_colour_are_strangers) {
    static scene s;
    static stored_system entries;
    nb_colouring over_bodies = {0}, over_entries = {0};
    uint64_t seed = 31;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        begin_scene(&s, &seed, sizes[i][0], sizes[i][1], sizes[i][2]);
        store(s.system, NULL, &entries);
        CHECK_OK(nb_colouring_make(s.system, &over_bodies));
        CHECK_OK(nb_colouring_make(entries.system, &over_entries));
        check_colouring(s.system, &over_bodies);
        /* the same groups meet, so that both are the same */
        assert_int_equal(over_bodies.colours, over_entries.colours);
        assert_memory_equal(over_bodies.group, over_entries.group,
                            (size_t)s.system->delassus->group_count * sizeof *over_bodies.group);
        discard(&entries);
        end_scene(&s);
    }
    nb_colouring_clear(&over_bodies);
    nb_colouring_clear(&over_entries);
}

/* ---- the work it takes ---- */

/* groups of one block between pairs of bodies: any graph */
enum {
    MOST_PAIRS = 30000
};

typedef struct graph {
    nb_delassus delassus; /* first: it is one */
    nb_nodes nodes;
    nb_mass mass;
    int32_t pair[MOST_PAIRS][2], start[MOST_PAIRS + 1];
} graph;

static int graph_pair(const nb_delassus *d, int32_t i, int32_t node[NB_BLOCK_NODES]) {
    const int32_t *pair = ((const graph *)d)->pair[i];
    int count = 0;
    for (int side = 0; side < 2; side++)
        if (pair[side] >= 0) node[count++] = pair[side];
    return count;
}

static const nb_delassus_class graph_class = {.block_nodes = graph_pair};

static void add_pair(graph *g, int32_t a, int32_t b) {
    int32_t i = g->delassus.group_count++;
    assert_true(i < MOST_PAIRS);
    g->pair[i][0] = a;
    g->pair[i][1] = b;
    g->start[i + 1] = i + 1;
}

static void begin_graph(graph *g, int32_t bodies) {
    g->nodes = (nb_nodes){.count = bodies};
    g->mass = (nb_mass){.nodes = &g->nodes};
    g->start[0] = 0;
    g->delassus =
        (nb_delassus){.type = &graph_class, .block_start = g->start, .group_start = g->start, .mass = &g->mass};
}

/* every group against all before it */
static void check_first_fit(const graph *g, const nb_colouring *c) {
    static int32_t colour_of[MOST_PAIRS];
    for (int32_t k = 0; k < c->colours; k++)
        for (int32_t i = c->start[k]; i < c->start[k + 1]; i++) colour_of[c->group[i]] = k;
    for (int32_t i = 0; i < g->delassus.group_count; i++) {
        static char taken[MOST_PAIRS];
        int32_t first = 0;
        memset(taken, 0, sizeof taken);
        for (int32_t j = 0; j < i; j++)
            for (int k = 0; k < 4; k++)
                if (g->pair[i][k / 2] >= 0 && g->pair[i][k / 2] == g->pair[j][k % 2]) taken[colour_of[j]] = 1;
        while (taken[first]) first++;
        assert_int_equal(colour_of[i], first);
    }
}

/* what was looked at, for a group; `first_fit`: whether to check the colours, which takes the square of the groups */
static double colour(graph *g, int first_fit) {
    nb_colouring c = {0};
    g->delassus.block_count = g->delassus.rows = g->delassus.group_count;
    CHECK_OK(nb_colouring_over_nodes(&g->delassus, &c));
    if (first_fit) check_first_fit(g, &c);
    double each = (double)c.looked_at / g->delassus.group_count;
    nb_colouring_clear(&c);
    return each;
}

TEST(random_graphs_have_the_first_colour_that_fits) {
    static graph g;
    uint64_t seed = 35;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 30; trial++) {
        int32_t bodies = 2 + (int32_t)(test_random_bits(&seed) % 60), pairs = (int32_t)(test_random_bits(&seed) % 400);
        begin_graph(&g, bodies);
        for (int32_t i = 0; i < pairs; i++) { /* some of one body alone, and most at a few of them */
            int32_t a = (int32_t)(test_random_bits(&seed) % (uint64_t)bodies), b = a;
            while (a == b)
                b = (int32_t)(test_random_bits(&seed) % (uint64_t)(trial % 3 ? bodies : 2 + bodies / 10)) - 1;
            add_pair(&g, a, b);
        }
        colour(&g, 1);
    }
}

/* A plate that everything lies on: first each body meets one of its own, so that the plate never gets the first colour;
 * or the ground, without mass; or two plates with the same bodies between them. */
static void make_plates(graph *g, int32_t count, int kind) {
    begin_graph(g, 2 * count + 2);
    for (int32_t i = 0; kind == 0 && i < count; i++) add_pair(g, 2 + i, 2 + count + i);
    for (int32_t i = 0; i < count; i++) add_pair(g, kind == 1 ? -1 : 0, 2 + i);
    for (int32_t i = 0; kind == 2 && i < count; i++) add_pair(g, 2 + i, 1);
}

TEST(a_body_with_many_neighbours_takes_no_more_work_for_each) {
    static graph g;
    for (int kind = 0; kind < 3; kind++) {
        make_plates(&g, 500, kind);
        double few = colour(&g, 1);
        make_plates(&g, 15000, kind);
        double many = colour(&g, 0);
        print_message("%g looked at for each of some hundred groups, %g for each of thousands\n", few, many);
        assert_true(many <= few + 1 && many <= 4); /* two bodies, the lesser of which has two groups at most */
    }
}

/* ---- sweeps ---- */

static void set_options(const nb_option *options, int count, const char *order, const char *name, const char *text,
                        double *values) {
    nb_options_standard(options, count, values);
    CHECK_OK(nb_options_set(options, count, "test", "order", order, values));
    if (name) CHECK_OK(nb_options_set(options, count, "test", name, text, values));
}

/* three sweeps of Gauss-Seidel; returns the colours it tells of */
static int32_t relax(nb_system *system, const char *order, const char *name, const char *text, real *x) {
    const nb_linear_solver_class *solver;
    double values[MOST_OPTIONS];
    nb_solve *solve;
    nb_solve_report report;
    CHECK_OK(nb_linear_solver_find("gauss-seidel", &solver));
    set_options(solver->options, solver->option_count, order, name, text, values);
    CHECK_OK(nb_solve_create(solver, values, NULL, NULL, &solve));
    CHECK_OK(nb_solve_run(solve, system, &(nb_linear_stop){.iterations = 3, .tolerance = 0}, NULL, NULL, x, &report));
    nb_solve_destroy(solve);
    return report.colours;
}

/* z = P r by SSOR */
static int32_t precondition(nb_system *system, const char *order, const char *name, const char *text, const real *r,
                            real *z) {
    const nb_preconditioner_class *ssor;
    double values[MOST_OPTIONS];
    void *state;
    nb_reason reason = NB_REASON_NONE;
    CHECK_OK(nb_preconditioner_find("ssor", &ssor));
    set_options(ssor->options, ssor->option_count, order, name, text, values);
    CHECK_OK(ssor->create(values, &state));
    CHECK_OK(ssor->set_up_pattern(state, system));
    CHECK_OK(ssor->set_up_values(state, system, &reason));
    ssor->apply(state, r, z);
    int32_t colours = ssor->colours(state);
    ssor->destroy(state);
    return colours;
}

static double largest(int32_t n, const real *x) {
    double most = 0;
    for (int32_t i = 0; i < n; i++) nb_raise(&most, fabs((double)x[i]));
    return most;
}

/* Sums in another order, over up to some hundred entries a row, passed on from row to row by a few sweeps that do not
 * grow (C = 1/2 on the diagonal): some hundred roundings. `other` has its rows by `from`, NULL: as they are. */
static void check_same(int32_t rows, const real *one, const real *other, const int32_t *from) {
    double tolerance = 1000 * (double)NB_REAL_EPSILON * largest(rows, one);
    for (int32_t i = 0; i < rows; i++) CHECK_NEAR(other[i], one[from ? from[i] : i], tolerance);
}

typedef struct sweep_case {
    const char *name, *text;
} sweep_case;

static void compare_gauss_seidel(nb_system *system, stored_system *entries, stored_system *reordered) {
    static const sweep_case cases[] = {{NULL, NULL}, {"omega", "1.3"}, {"sweep", "symmetric"}};
    static real x[MOST_ROWS], y[MOST_ROWS];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const sweep_case *c = &cases[k];
        assert_int_equal(relax(system, "natural", c->name, c->text, x), 0);
        relax(entries->system, "natural", c->name, c->text, y);
        check_same(system->rows, x, y, NULL);
        int32_t colours = relax(system, "colour", c->name, c->text, x);
        assert_true(colours > 0 || system->rows == 0);
        assert_int_equal(relax(entries->system, "colour", c->name, c->text, y), colours);
        check_same(system->rows, x, y, NULL);
        relax(reordered->system, "natural", c->name, c->text, y);
        check_same(system->rows, x, y, reordered->from);
    }
}

static void compare_ssor(nb_system *system, stored_system *entries, stored_system *reordered, uint64_t *seed) {
    static const sweep_case cases[] = {{NULL, NULL}, {"omega", "1.3"}};
    static real r[MOST_ROWS], moved[MOST_ROWS], x[MOST_ROWS], y[MOST_ROWS];
    for (int32_t i = 0; i < system->rows; i++) r[i] = R(test_random(seed, -1, 1));
    for (int32_t i = 0; i < system->rows; i++) moved[i] = r[reordered->from[i]];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const sweep_case *c = &cases[k];
        assert_int_equal(precondition(system, "natural", c->name, c->text, r, x), 0);
        precondition(entries->system, "natural", c->name, c->text, r, y);
        check_same(system->rows, x, y, NULL);
        int32_t colours = precondition(system, "colour", c->name, c->text, r, x);
        assert_int_equal(precondition(entries->system, "colour", c->name, c->text, r, y), colours);
        check_same(system->rows, x, y, NULL);
        precondition(reordered->system, "natural", c->name, c->text, moved, y);
        check_same(system->rows, x, y, reordered->from);
    }
}

TEST(colour_order_is_natural_order_of_blocks_reordered) {
    static scene s;
    static stored_system entries, reordered;
    nb_colouring colouring = {0};
    uint64_t seed = 32;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        begin_scene(&s, &seed, sizes[i][0], sizes[i][1], sizes[i][2]);
        for (int32_t r = 0; r < s.system->rows; r++) s.system->c[r] = R(0.5);
        nb_system_values_changed(s.system);
        CHECK_OK(nb_colouring_make(s.system, &colouring));
        store(s.system, NULL, &entries);
        store(s.system, colouring.block, &reordered);
        compare_gauss_seidel(s.system, &entries, &reordered);
        compare_ssor(s.system, &entries, &reordered, &seed);
        discard(&entries);
        discard(&reordered);
        end_scene(&s);
    }
    nb_colouring_clear(&colouring);
}

static double product(int32_t n, const real *x, const real *y) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (double)x[i] * (double)y[i];
    return sum;
}

/* P is what a Krylov method may have: symmetric up to the roundings of a sweep, and positive */
TEST(ssor_in_colours_is_symmetric_and_positive) {
    static scene s;
    static real x[MOST_ROWS], y[MOST_ROWS], px[MOST_ROWS], py[MOST_ROWS];
    uint64_t seed = 33;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i + 1 < sizeof sizes / sizeof *sizes; i++) {
        begin_scene(&s, &seed, sizes[i][0], sizes[i][1], sizes[i][2]);
        int32_t n = s.system->rows;
        for (int trial = 0; trial < 5; trial++) {
            for (int32_t r = 0; r < n; r++) {
                x[r] = R(test_random(&seed, -1, 1));
                y[r] = R(test_random(&seed, -1, 1));
            }
            precondition(s.system, "colour", "omega", "1.2", x, px);
            precondition(s.system, "colour", "omega", "1.2", y, py);
            double size = sqrt(product(n, px, px) * product(n, y, y));
            CHECK_NEAR(product(n, x, py), product(n, px, y), 1000 * (double)NB_REAL_EPSILON * size);
            assert_true(product(n, x, px) > 0);
        }
        end_scene(&s);
    }
}

TEST(allocations_that_fail_leave_nothing_behind) {
    static scene s;
    uint64_t seed = 34;
    begin_scene(&s, &seed, 12, 4, 20);
    int64_t held = nb_allocation_held();
    nb_status status = NB_ERROR_MEMORY;
    for (int i = 0; status != NB_OK && i < 20; i++) {
        nb_colouring c = {0};
        nb_allocation_fail_after(i);
        status = nb_colouring_make(s.system, &c);
        nb_allocation_fail_after(-1);
        assert_true(status == NB_OK || status == NB_ERROR_MEMORY);
        nb_colouring_clear(&c);
        assert_int_equal(nb_allocation_held(), held);
    }
    assert_int_equal(status, NB_OK);
    end_scene(&s);
}

RUN_TESTS(groups_of_a_colour_are_strangers, random_graphs_have_the_first_colour_that_fits,
          a_body_with_many_neighbours_takes_no_more_work_for_each, colour_order_is_natural_order_of_blocks_reordered,
          ssor_in_colours_is_symmetric_and_positive, allocations_that_fail_leave_nothing_behind)
