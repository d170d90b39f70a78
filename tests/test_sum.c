/* Sums of all packs over nodes of all kinds, held against J H^-1 J^T in full: products, entries, blocks, views of
 * islands, forms, colours and solvers. */
#include "check.h"

#include <lapacke.h>
#include <string.h>

#include "base/largest.h"
#include "base/threads.h"
#include "node_scene.h"
#include "operator/colouring.h"
#include "operator/primal.h"
#include "operator/saddle.h"
#include "operator/solve.h"
#include "precond/over_nodes.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

static const node_sizes sizes[] = {
    /* bodies, particles, joints, contacts, general, more */
    {8, 8, 6, 6, 6, 0, 0, 0},      {8, 8, 6, 6, 6, 4, 1, 1}, {0, 20, 0, 0, 20, 0, 0, 0}, {6, 1, 0, 8, 1, 1, 0, 0},
    {12, 12, 9, 12, 12, 12, 1, 0}, {5, 0, 3, 0, 4, 0, 0, 0}, {0, 20, 0, 0, 20, 0, 0, 1}, {5, 0, 3, 0, 4, 0, 0, 1},
};

enum {
    SIZES = sizeof sizes / sizeof *sizes,
    ROUNDS = 4 /* random instances of each */
};

/* of sums of up to 48 terms of size one by inverse masses up to two, twice */
static const double rounding = 2000 * (double)NB_REAL_EPSILON;

/* D of a view in full */
static void fill_reference(const node_scene *s, const nb_sum_view *view, double *d) {
    static double answer[NODE_VELOCITIES];
    int32_t rows = view->base.rows, velocities = s->nodes.velocity[s->nodes.count];
    for (int32_t r = 0; r < rows; r++) {
        const double *j = s->j[row_in_whole(view, r)];
        for (int32_t i = 0; i < velocities; i++) {
            answer[i] = 0;
            for (int32_t k = 0; k < velocities; k++) answer[i] += s->hi[i][k] * j[k];
        }
        for (int32_t c = 0; c < rows; c++) {
            const double *other = s->j[row_in_whole(view, c)];
            d[(ptrdiff_t)r * rows + c] = 0;
            for (int32_t i = 0; i < velocities; i++) d[(ptrdiff_t)r * rows + c] += answer[i] * other[i];
        }
    }
}

static double *reference_of(const node_scene *s, const nb_sum_view *view) {
    double *d = calloc((size_t)view->base.rows * (size_t)view->base.rows + 1, sizeof *d);
    assert_non_null(d);
    fill_reference(s, view, d);
    return d;
}

static void free_scene(node_scene *s) {
    nb_sparse_mass_destroy(s->coupled);
    free(s);
}

static node_scene *make_scene(uint64_t *seed, int n) {
    node_scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    make_node_scene(s, seed, &sizes[n % SIZES]);
    return s;
}

/* ---- products ---- */

static void check_products(const node_scene *s, const nb_sum_view *view, const double *d, uint64_t *seed) {
    static real w[NODE_ROWS], c[NODE_ROWS], x[NODE_ROWS], y[NODE_ROWS];
    int32_t rows = view->base.rows;
    for (int32_t r = 0; r < rows; r++) {
        w[r] = R(test_random(seed, 0, 1));
        c[r] = R(test_random(seed, 0, 1));
        x[r] = R(test_random(seed, -1, 1));
    }
    view->base.type->apply(&view->base, w, c, x, y);
    for (int32_t r = 0; r < rows; r++) {
        double sum = (double)c[r] * (double)x[r];
        for (int32_t k = 0; k < rows; k++)
            sum += (double)w[r] * d[(ptrdiff_t)r * rows + k] * (double)w[k] * (double)x[k];
        CHECK_NEAR(y[r], sum, 10 * rounding);
    }
    view->base.type->diagonal(&view->base, y);
    for (int32_t r = 0; r < rows; r++) CHECK_NEAR(y[r], d[(ptrdiff_t)r * (rows + 1)], rounding);
    memset(y, 0, sizeof y);
    nb_sum_block_diagonal(view, 0, view->base.block_count, y);
    for (int32_t r = 0; r < rows; r++) CHECK_NEAR(y[r], d[(ptrdiff_t)r * (rows + 1)], rounding);
    for (int32_t i = 0; i < s->nodes.count; i++) /* who carries velocities along relies on it */
        for (int32_t k = s->place[i]; !s->moves[i] && k < s->place[i + 1]; k++) assert_true(s->velocity[k] == 0);
}

/* ---- entries ---- */

static void check_entries(const nb_sum_view *view, const double *d) {
    const nb_delassus *of = &view->base;
    int32_t rows = of->rows;
    nb_csr *matrix;
    CHECK_OK(of->type->pattern(of, &matrix));
    int64_t allocations = nb_allocation_count();
    of->type->values(of, matrix);
    assert_int_equal(nb_allocation_count(), allocations);
    assert_int_equal(matrix->rows, rows);
    for (int32_t r = 0; r < rows; r++) {
        int64_t e = matrix->start[r];
        for (int32_t c = 0; c < rows; c++) { /* columns ascend, and whatever has no entry is zero */
            int has = e < matrix->start[r + 1] && matrix->column[e] == c;
            CHECK_NEAR(has ? (double)matrix->value[e] : 0, d[(ptrdiff_t)r * rows + c], has ? rounding : 0);
            e += has;
        }
        assert_int_equal(e, matrix->start[r + 1]);
    }
    nb_csr_destroy(matrix);
}

static void check_blocks(const nb_sum_view *view, const double *d) {
    const nb_delassus *of = &view->base;
    real block[NB_BLOCK_ROWS * NB_BLOCK_ROWS];
    for (int32_t i = 0; i < of->block_count; i++)
        for (int32_t k = 0; k < of->block_count; k++) {
            int32_t columns = of->block_start[k + 1] - of->block_start[k];
            of->type->block(of, i, k, block);
            for (int32_t r = of->block_start[i], e = 0; r < of->block_start[i + 1]; r++)
                for (int32_t c = 0; c < columns; c++, e++)
                    CHECK_NEAR(block[e], d[(ptrdiff_t)r * of->rows + of->block_start[k] + c], rounding);
        }
}

/* velocities carried along block by block, as relaxations do: after all pushes they are H^-1 J^T z, and each block's
 * rows are those of D z */
static void check_pushes(const node_scene *s, const nb_sum_view *view, const double *d, uint64_t *seed) {
    const nb_delassus *of = &view->base;
    static real z[NODE_ROWS], velocity[NODE_NUMBERS];
    memset(velocity, 0, sizeof velocity);
    for (int32_t r = 0; r < of->rows; r++) z[r] = R(test_random(seed, -1, 1));
    for (int32_t i = 0; i < of->block_count; i++) {
        real out[NB_BLOCK_ROWS];
        of->type->push_block(of, i, z + of->block_start[i], velocity);
        of->type->block_velocity(of, i, velocity, out);
        for (int32_t r = of->block_start[i]; r < of->block_start[i + 1]; r++) {
            double sum = 0;
            for (int32_t c = 0; c < of->block_start[i + 1]; c++) sum += d[(ptrdiff_t)r * of->rows + c] * (double)z[c];
            CHECK_NEAR(out[r - of->block_start[i]], sum, 10 * rounding);
        }
    }
    for (int32_t i = 0; i < s->nodes.count; i++)
        for (int32_t k = s->place[i]; !s->moves[i] && k < s->place[i + 1]; k++) assert_true(velocity[k] == 0);
}

/* J of each block over its nodes with mass, and over all of them */
static void check_jacobians(const node_scene *s, const nb_sum_view *view) {
    const nb_delassus *of = &view->base;
    for (int32_t i = 0; i < of->block_count; i++)
        for (int whole = 0; whole < 2; whole++) {
            real block[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
            int32_t node[NB_BLOCK_NODES], listed[NB_BLOCK_NODES];
            int count =
                whole ? nb_sum_whole_jacobian(view, i, node, block) : of->type->block_jacobian(of, i, node, block);
            const real *at = block;
            if (!whole) {
                assert_int_equal(of->type->block_nodes(of, i, listed), count);
                assert_memory_equal(node, listed, (size_t)count * sizeof *node);
            }
            for (int32_t r = of->block_start[i]; r < of->block_start[i + 1]; r++) {
                double row[NODE_VELOCITIES];
                memcpy(row, s->j[row_in_whole(view, r)], sizeof row);
                for (int n = 0; n < count; n++) {
                    assert_true(whole || s->moves[node[n]]);
                    for (int32_t c = s->velocity_start[node[n]]; c < s->velocity_start[node[n] + 1]; c++, at++) {
                        CHECK_NEAR(*at, row[c], 4 * NB_REAL_EPSILON);
                        row[c] = 0;
                    }
                }
                for (int32_t n = 0; n < s->nodes.count; n++) /* nothing is left but for nodes without mass */
                    for (int32_t c = s->velocity_start[n]; c < s->velocity_start[n + 1]; c++)
                        assert_true(row[c] == 0 || (!whole && !s->moves[n]));
            }
        }
}

TEST(sums_are_what_they_are_in_full) {
    uint64_t seed = test_seed();
    for (int n = 0; n < SIZES * ROUNDS; n++) {
        node_scene *s = make_scene(&seed, n);
        const nb_sum_view *views[] = {&s->whole, &s->island[0], &s->island[1]};
        nb_rigid_rows rigid;
        assert_false(nb_rigid_rows_of(&s->whole.base, &rigid)); /* packed layouts leave it alone */
        for (int v = 0; v < 3; v++) {
            double *d = reference_of(s, views[v]);
            check_products(s, views[v], d, &seed);
            check_entries(views[v], d);
            if (!s->coupled) check_blocks(views[v], d);
            if (!s->coupled) check_pushes(s, views[v], d, &seed);
            check_jacobians(s, views[v]);
            free(d);
        }
        free_scene(s);
    }
}

/* whichever allocation fails in making a pattern, with nodes on their own and coupled: a fault, nothing leaked */
TEST(patterns_without_memory) {
    uint64_t seed = test_seed();
    for (int n = 0; n < 2; n++) {
        node_scene *s = make_scene(&seed, n);
        const nb_delassus *d = &s->whole.base;
        nb_status status = NB_ERROR_MEMORY;
        for (int64_t successes = 0; status != NB_OK; successes++) {
            int64_t held = nb_allocation_held();
            nb_csr *matrix;
            nb_allocation_fail_after(successes);
            status = d->type->pattern(d, &matrix);
            nb_allocation_fail_after(-1);
            nb_csr_destroy(matrix);
            assert_int_equal(nb_allocation_held(), held);
            assert_true(status == NB_ERROR_MEMORY || (status == NB_OK && successes > 4)); /* all of them were tried */
        }
        free_scene(s);
    }
}

/* blocks of 1, 2 and 3 rows over pairs of particles, enough of them that threads share them: the same bits */
TEST(threads_share_general_blocks) {
    enum {
        MANY = 4000,
        AMONG = 20
    };
    static uint8_t kind[AMONG];
    static int32_t velocity_start[AMONG + 1], place[AMONG + 1], row_start[MANY + 1], node_start[MANY + 1],
        node[2 * MANY];
    static int64_t value_start[MANY + 1];
    static real value[18 * MANY], velocity[NB_PARTICLE_STRIDE * AMONG], y[2][3 * MANY];
    uint64_t seed = test_seed();
    nb_nodes nodes;
    memset(kind, NB_NODE_PARTICLE, sizeof kind);
    nb_nodes_number(AMONG, nb_node_kinds, kind, velocity_start, place, &nodes);
    for (int i = 0; i < MANY; i++) {
        row_start[i + 1] = row_start[i] + 1 + i % 3;
        node_start[i + 1] = node_start[i] + 2;
        node[2 * i] = i % AMONG;
        node[2 * i + 1] = (i + 1 + i % 7) % AMONG;
    }
    int64_t length = nb_general_pack_number(&nodes, MANY, row_start, node_start, node, value_start);
    for (int64_t e = 0; e < length; e++) value[e] = R(test_random(&seed, -1, 1));
    for (int k = 0; k < NB_PARTICLE_STRIDE * AMONG; k++) velocity[k] = R(test_random(&seed, -1, 1));
    const nb_general_pack pack =
        nb_general_pack_of(&nodes, MANY, (nb_general_blocks){row_start, node_start, node, value_start, value});
    for (int threads = 1; threads <= 3; threads += 2) {
        nb_threads_set(threads);
        nb_general_pack_class.velocities(&pack.base, 1, MANY, velocity, y[threads == 3] + 1);
    }
    nb_threads_set(1);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    for (int i = 1; i < MANY; i++) {
        real out[3];
        nb_general_pack_class.block_velocity(&pack.base, i, velocity, out);
        assert_memory_equal(out, y[1] + row_start[i], (size_t)(1 + i % 3) * sizeof *out);
    }
}

/* ---- colours ---- */

/* whether H^-1 couples two nodes */
static int are_coupled(const node_scene *s, int32_t i, int32_t k) {
    if (s->coupled)
        for (int32_t r = s->velocity_start[i]; r < s->velocity_start[i + 1]; r++)
            for (int32_t c = s->velocity_start[k]; c < s->velocity_start[k + 1]; c++)
                if (s->hi[r][c] != 0) return 1;
    return 0;
}

/* whether two groups act on a node with mass, or on two that are coupled */
static int share_a_node(const node_scene *s, const nb_delassus *d, int32_t one, int32_t other) {
    int32_t mine[NB_BLOCK_NODES], theirs[NB_BLOCK_NODES];
    int count = d->type->block_nodes(d, d->group_start[one], mine),
        others = d->type->block_nodes(d, d->group_start[other], theirs);
    for (int n = 0; n < count; n++)
        for (int k = 0; k < others; k++)
            if (mine[n] == theirs[k] || are_coupled(s, mine[n], theirs[k])) return 1;
    return 0;
}

TEST(colours_keep_neighbours_apart) {
    uint64_t seed = test_seed();
    for (int n = 0; n < SIZES * ROUNDS; n++) {
        node_scene *s = make_scene(&seed, n);
        const nb_delassus *d = &s->whole.base;
        nb_system *system;
        nb_colouring c = {0};
        int32_t expected[4 * NODE_BLOCKS], colours = 0;
        CHECK_OK(nb_system_create(d, &system));
        CHECK_OK(nb_colouring_make(system, &c));
        for (int32_t g = 0; g < d->group_count; g++) { /* greedy: the first colour that no neighbour before it has */
            int taken;
            expected[g] = 0;
            do {
                taken = 0;
                for (int32_t k = 0; k < g; k++)
                    taken = taken || (expected[k] == expected[g] && share_a_node(s, d, k, g));
                expected[g] += taken;
            } while (taken);
            if (expected[g] >= colours) colours = expected[g] + 1;
        }
        assert_int_equal(c.colours, colours);
        for (int32_t k = 0; k < colours; k++)
            for (int32_t at = c.start[k]; at < c.start[k + 1]; at++) {
                assert_int_equal(expected[c.group[at]], k);
                expected[c.group[at]] = -1; /* once only */
            }
        assert_int_equal(c.start[colours], d->group_count);
        nb_colouring_clear(&c);
        nb_system_destroy(system);
        free_scene(s);
    }
}

/* ---- forms and solvers ---- */

typedef struct weighted {
    nb_system *system;
    real momentum[NODE_VELOCITIES];
    double du[NODE_VELOCITIES], y[NODE_ROWS]; /* the solution */
} weighted;

/* S, C, b, K and g, and what solves them, by a dense solve of both equations */
static void weigh(const node_scene *s, uint64_t *seed, int blocks, weighted *w) {
    const nb_delassus *d = &s->whole.base;
    int32_t velocities = s->nodes.velocity[s->nodes.count], rows = d->rows, n = velocities + rows;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a), *x = calloc((size_t)n, sizeof *x);
    lapack_int *pivot = calloc((size_t)n, sizeof *pivot);
    assert_true(a && x && pivot);
    CHECK_OK(nb_system_create(d, &w->system));
    if (blocks) CHECK_OK(nb_system_use_blocks(w->system));
    for (int32_t i = 0; blocks && i < d->block_count; i++) {
        int32_t first = d->block_start[i], width = d->block_start[i + 1] - first;
        real *k = nb_system_diagonal_block(w->system, i);
        for (int32_t e = 0; e < width * width; e++) { /* 1 and a skew part */
            int32_t r = e / width, c = e % width;
            k[e] = r == c ? 1 : r < c ? R(test_random(seed, -1, 1)) : -k[c * width + r];
            a[(ptrdiff_t)(velocities + first + r) * n + velocities + first + c] = (double)k[e];
        }
    }
    for (int32_t r = 0; r < rows; r++) {
        w->system->s[r] = r % 11 == 5 ? 0 : R(test_random(seed, 0, 1));
        w->system->c[r] = R(test_random(seed, 0.1, 1));
        w->system->b[r] = R(test_random(seed, -1, 1));
        a[(ptrdiff_t)(velocities + r) * (n + 1)] += (double)w->system->c[r];
        x[velocities + r] = (double)w->system->b[r];
        for (int32_t i = 0; i < s->nodes.count; i++)
            for (int32_t c = s->velocity_start[i]; s->moves[i] && c < s->velocity_start[i + 1]; c++) {
                a[(ptrdiff_t)(velocities + r) * n + c] = (double)w->system->s[r] * s->j[r][c];
                a[(ptrdiff_t)c * n + velocities + r] = -(double)w->system->s[r] * s->j[r][c];
            }
    }
    for (int32_t i = 0; i < s->nodes.count; i++)
        for (int32_t r = s->velocity_start[i]; r < s->velocity_start[i + 1]; r++) {
            w->momentum[r] = s->moves[i] ? R(test_random(seed, -1, 1)) : 0;
            x[r] = -(double)w->momentum[r];
            for (int32_t c = 0; c < velocities; c++) a[(ptrdiff_t)r * n + c] = s->h[r][c];
            if (!s->moves[i]) a[(ptrdiff_t)r * (n + 1)] = 1;
        }
    nb_system_values_changed(w->system);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, a, n, pivot, x, 1), 0);
    memcpy(w->du, x, (size_t)velocities * sizeof *x);
    memcpy(w->y, x + velocities, (size_t)rows * sizeof *x);
    free(a), free(x), free(pivot);
}

static void solve(nb_system *system, const char *solver, const char *preconditioner, int iterations, real *x) {
    const nb_linear_solver_class *type;
    const nb_preconditioner_class *with = NULL;
    nb_solve *state;
    nb_solve_report report;
    double standard[16], standard_with[16];
    CHECK_OK(nb_linear_solver_find(solver, &type));
    nb_options_standard(type->options, type->option_count, standard);
    if (preconditioner) {
        CHECK_OK(nb_preconditioner_find(preconditioner, &with));
        nb_options_standard(with->options, with->option_count, standard_with);
    }
    CHECK_OK(nb_solve_create(type, standard, with, standard_with, &state));
    CHECK_OK(nb_solve_run(state, system, &(nb_linear_stop){.iterations = iterations, .tolerance = 0}, NULL, NULL, x,
                          &report));
    nb_solve_destroy(state);
}

/* Conditions are of order 1e3 to 1e4: entries of D up to 30, C of 0.1 and more. Krylov methods stop at 1e-12 of the
 * residual. */
static void compare(const char *what, int32_t count, const real *x, const double *expected) {
    double largest = 0, worst = 0;
    for (int32_t i = 0; i < count; i++) nb_raise(&largest, fabs(expected[i]));
    for (int32_t i = 0; i < count; i++) nb_raise(&worst, fabs((double)x[i] - expected[i]));
    if (!(worst <= (1e4 * (double)NB_REAL_EPSILON + 1e-9) * largest))
        fail_msg("%s: differs by %g", what, worst / largest);
}

static void check_form(const nb_form_class *type, const node_scene *s, const weighted *w) {
    static real du[NODE_VELOCITIES], y[NODE_ROWS];
    nb_form *form;
    CHECK_OK(nb_form_create(type, w->system, &form));
    CHECK_OK(nb_form_assemble(form, w->system, w->momentum));
    solve(form->system, form->system->symmetric ? "cholesky" : "umfpack", NULL, 1, form->x);
    memset(du, 1, sizeof du);
    form->type->recover(form, w->system, du, y);
    compare(type->name, s->nodes.velocity[s->nodes.count], du, w->du);
    compare(type->name, w->system->rows, y, w->y);
    nb_form_destroy(form);
}

/* b + S J H^-1 g: the dual form's right-hand side */
static void make_dual(const node_scene *s, weighted *w) {
    int32_t velocities = s->nodes.velocity[s->nodes.count];
    for (int32_t r = 0; r < w->system->rows; r++)
        for (int32_t i = 0; i < velocities; i++)
            for (int32_t k = 0; k < velocities; k++)
                w->system->b[r] += w->system->s[r] * (real)(s->j[r][i] * s->hi[i][k] * (double)w->momentum[k]);
}

TEST(forms_and_solvers_agree) {
    uint64_t seed = test_seed();
    static const struct {
        const char *solver, *preconditioner;
        int iterations, unsymmetric; /* whether it takes K */
    } solvers[] = {{"cholesky", NULL, 1, 0},         {"dense-cholesky", NULL, 1, 0},
                   {"umfpack", NULL, 1, 1},          {"pcr", "none", 1000, 0},
                   {"pcr", "jacobi", 1000, 0},       {"pcr", "block-jacobi", 1000, 0},
                   {"pcr", "ssor", 1000, 0},         {"pcr", "lu", 20, 0},
                   {"gmres", "lu", 20, 1},           {"gauss-seidel", NULL, 20000, 0},
                   {"gmres", "block-jacobi", 400, 1}};
    for (int n = 0; n < 2 * SIZES; n++) {
        node_scene *s = make_scene(&seed, n);
        static weighted w;
        static real y[NODE_ROWS];
        int blocks = n >= SIZES;
        weigh(s, &seed, blocks, &w);
        assert_int_equal(nb_system_has_blocks(w.system), !s->coupled);
        check_form(&nb_primal_form, s, &w);
        check_form(&nb_saddle_form, s, &w);
        make_dual(s, &w);
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
            if (blocks && !solvers[k].unsymmetric) continue;
            memset(y, 0, sizeof y);
            solve(w.system, solvers[k].solver, solvers[k].preconditioner, solvers[k].iterations, y);
            compare(solvers[k].solver, w.system->rows, y, w.y);
        }
        nb_system_destroy(w.system);
        free_scene(s);
    }
}

/* what multifrontal LU is told of rows that follow each other is so, and of each node's first three */
TEST(rows_in_threes_have_the_same_columns) {
    uint64_t seed = test_seed();
    for (int n = 0; n < SIZES; n++) {
        node_scene *s = make_scene(&seed, n);
        nb_system *system;
        nb_over_nodes over = {0};
        CHECK_OK(nb_system_create(&s->whole.base, &system));
        CHECK_OK(nb_over_nodes_set_pattern(&over, system));
        const nb_lu_matrix *a = &over.matrix;
        for (int32_t r = 0; r < a->rows; r++)
            for (int32_t k = r + 1; a->triple[r] && k < r + 3; k++) {
                assert_true(k < a->rows && a->start[k + 1] - a->start[k] == a->start[r + 1] - a->start[r]);
                assert_memory_equal(a->column + a->start[k], a->column + a->start[r],
                                    (size_t)(a->start[r + 1] - a->start[r]) * sizeof *a->column);
            }
        for (int32_t i = 0; i < over.primal.pairs.nodes; i++) assert_true(a->triple[over.primal.pairs.row[i]]);
        nb_over_nodes_clear(&over);
        nb_system_destroy(system);
        free_scene(s);
    }
}

RUN_TESTS(sums_are_what_they_are_in_full, patterns_without_memory, threads_share_general_blocks,
          colours_keep_neighbours_apart, forms_and_solvers_agree, rows_in_threes_have_the_same_columns)
