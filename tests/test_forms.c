/* The forms of one Newton system (operator/form.h) give one answer, that of a dense solve of both its equations: with
 * contacts and joints, K or none, more contacts than velocities, bodies without mass, and a mass that couples nodes. */
#include "check.h"

#include <lapacke.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "operator/delassus_matrix.h"
#include "operator/primal.h"
#include "operator/saddle.h"
#include "operator/solve.h"
#include "operator/sum.h"
#include "random_scene.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_UNKNOWNS = 800
};

static const int sizes[][3] = {/* bodies, joints, runs of contacts: ten times as many rows as velocities in the last */
                               {3, 0, 1},
                               {3, 1, 0},
                               {8, 2, 3},
                               {20, 12, 20},
                               {8, 0, 40}};
enum {
    SIZES = sizeof sizes / sizeof *sizes
};

typedef enum blocks {
    NO_BLOCKS,
    SYMMETRIC,
    UNSYMMETRIC,
    KINDS
} blocks;

/* K: 1 + v v^T, and a skew part */
static void give_blocks(nb_system *system, uint64_t *seed, blocks kind) {
    const nb_delassus *d = system->delassus;
    CHECK_OK(nb_system_use_blocks(system));
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t n = d->block_start[i + 1] - d->block_start[i];
        real v[NB_BLOCK_ROWS], *block = nb_system_diagonal_block(system, i);
        for (int32_t r = 0; r < n; r++) v[r] = R(test_random(seed, -1, 1));
        for (int32_t r = 0; r < n; r++)
            for (int32_t c = 0; c <= r; c++) {
                real skew = kind == UNSYMMETRIC && r != c ? R(test_random(seed, -2, 2)) : 0;
                block[r * n + c] = (r == c) + v[r] * v[c] + skew;
                block[c * n + r] = (r == c) + v[r] * v[c] - skew;
            }
    }
    system->symmetric = kind == SYMMETRIC;
}

/* S from 0 to 1 with exact zeros, C from 0.01 to 1, b */
static void give_weights(nb_system *system, uint64_t *seed) {
    for (int32_t r = 0; r < system->rows; r++) {
        system->s[r] = r % 11 == 5 ? 0 : R(test_random(seed, 0, 1));
        system->c[r] = R(test_random(seed, 0.01, 1));
        system->b[r] = R(test_random(seed, -1, 1));
    }
    nb_system_values_changed(system);
}

/* ---- the dense reference ---- */

/* H over all velocities, by products; ones on the diagonal for nodes without mass */
static void dense_mass(const nb_mass *mass, double *h, int32_t stride) {
    const nb_nodes *nodes = mass->nodes;
    static real in[NB_BODY_STRIDE * MOST_BODIES], out[NB_BODY_STRIDE * MOST_BODIES];
    int32_t list[MOST_BODIES], count = 0;
    for (int32_t i = 0; i < nodes->count; i++)
        if (mass->moves[i]) list[count++] = i;
    for (int32_t i = 0; i < nodes->count; i++)
        for (int32_t c = nodes->velocity[i]; c < nodes->velocity[i + 1]; c++) {
            if (!mass->moves[i]) {
                h[(ptrdiff_t)c * stride + c] = 1;
                continue;
            }
            memset(in, 0, sizeof in);
            in[nodes->place[i] + c - nodes->velocity[i]] = 1;
            mass->type->apply(mass, count, list, in, out);
            for (int32_t k = 0; k < count; k++)
                for (int32_t r = nodes->velocity[list[k]]; r < nodes->velocity[list[k] + 1]; r++)
                    h[(ptrdiff_t)r * stride + c] = (double)out[nodes->place[list[k]] + r - nodes->velocity[list[k]]];
        }
}

/* du and y [velocities + rows] of H du - J^T S y = -g, S J du + (C + K) y = b; J by its products with unit velocities
 */
static void solve_dense(const nb_problem *p, const nb_system *system, const nb_mass *mass, const real *g, double *x) {
    const nb_delassus *d = system->delassus;
    int32_t velocities = p->velocities, rows = p->rows, n = velocities + rows;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a);
    real *unit = calloc((size_t)velocities, sizeof *unit), *column = calloc((size_t)rows, sizeof *column);
    lapack_int *pivot = calloc((size_t)n, sizeof *pivot);
    assert_true(n <= MOST_UNKNOWNS);
    dense_mass(mass, a, n);
    for (int32_t i = 0; i < mass->nodes->count; i++)
        for (int32_t c = 6 * i; c < 6 * i + 6; c++) {
            x[c] = mass->moves[i] ? -(double)g[c] : 0;
            if (!mass->moves[i]) continue;
            unit[c] = 1;
            p->type->rows_of_velocity(p, unit, column);
            unit[c] = 0;
            for (int32_t r = 0; r < rows; r++) {
                a[(ptrdiff_t)(velocities + r) * n + c] = (double)system->s[r] * (double)column[r];
                a[(ptrdiff_t)c * n + velocities + r] = -(double)system->s[r] * (double)column[r];
            }
        }
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t first = d->block_start[i], width = d->block_start[i + 1] - first;
        for (int32_t e = 0; system->k && e < width * width; e++)
            a[(ptrdiff_t)(velocities + first + e / width) * n + velocities + first + e % width] =
                (double)nb_system_diagonal_block(system, i)[e];
    }
    for (int32_t r = 0; r < rows; r++) {
        a[(ptrdiff_t)(velocities + r) * (n + 1)] += (double)system->c[r];
        x[velocities + r] = (double)system->b[r];
    }
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, a, n, pivot, x, 1), 0);
    free(a), free(unit), free(column), free(pivot);
}

/* ---- the forms ---- */

static void solve_system(nb_system *system, const char *solver_name, real *x) {
    const nb_linear_solver_class *solver;
    nb_solve *state;
    nb_solve_report report;
    double standard[16];
    CHECK_OK(nb_linear_solver_find(solver_name, &solver));
    nb_options_standard(solver->options, solver->option_count, standard);
    CHECK_OK(nb_solve_create(solver, standard, NULL, NULL, &state));
    CHECK_OK(nb_solve_run(state, system, &(nb_linear_stop){.iterations = 1, .tolerance = 0}, NULL, NULL, x, &report));
    assert_int_equal(report.reason, NB_REASON_EXACT);
    nb_solve_destroy(state);
}

static double largest_of(int32_t count, const double *x) {
    double largest = 0;
    for (int32_t i = 0; i < count; i++) nb_raise(&largest, fabs(x[i]));
    return largest;
}

/* Entries are of size one, C is 0.01 at least, H between 0.5 and 3: conditions are of order 1e4. A solver's residual is
 * some hundred units of round-off. */
static void compare(const char *what, const nb_problem *p, const real *du, const real *y, const double *expected) {
    double velocity = largest_of(p->velocities, expected), row = largest_of(p->rows, expected + p->velocities),
           worst = 0;
    for (int32_t i = 0; i < p->velocities; i++) nb_raise(&worst, fabs((double)du[i] - expected[i]) / velocity);
    for (int32_t r = 0; r < p->rows; r++) nb_raise(&worst, fabs((double)y[r] - expected[p->velocities + r]) / row);
    if (!(worst <= 3e3 * (double)NB_REAL_EPSILON)) fail_msg("%s: differs by %g", what, worst);
}

/* e_u . H e_u + e_y . (C + K) e_y of the change from (du, y) to (du', y'), by dense matrices */
static double dense_energy(const nb_problem *p, const nb_system *system, const real *du[2], const real *y[2]) {
    const nb_delassus *d = system->delassus;
    const int32_t n = p->velocities;
    double *h = calloc((size_t)n * (size_t)n, sizeof *h), sum = 0;
    dense_mass(d->mass, h, n);
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < n; k++)
            sum +=
                ((double)du[1][i] - (double)du[0][i]) * h[(ptrdiff_t)i * n + k] * ((double)du[1][k] - (double)du[0][k]);
    for (int32_t i = 0; i < d->block_count; i++) {
        const int32_t first = d->block_start[i], width = d->block_start[i + 1] - first;
        for (int32_t r = first; r < first + width; r++)
            for (int32_t c = first; c < first + width; c++) {
                double entry = r == c ? (double)system->c[r] : 0;
                if (system->k) entry += (double)nb_system_diagonal_block(system, i)[(r - first) * width + c - first];
                sum += ((double)y[1][r] - (double)y[0][r]) * entry * ((double)y[1][c] - (double)y[0][c]);
            }
    }
    free(h);
    return sum;
}

/* The energy norm of an error in a form's unknowns is that of what it makes of velocities and impulses. Both pass
 * through inverses of C, 0.01 at least, hence a hundred times the allowance of solutions. */
static void check_energy(nb_form *form, const nb_problem *p, const nb_system *system, uint64_t *seed) {
    static real du[2][MOST_UNKNOWNS], y[2][MOST_UNKNOWNS], e[MOST_UNKNOWNS], image[MOST_UNKNOWNS];
    double sum = 0, largest = 0;
    form->type->recover(form, system, du[0], y[0]);
    for (int32_t i = 0; i < form->system->rows; i++) nb_raise(&largest, fabs((double)form->x[i]));
    for (int32_t i = 0; i < form->system->rows; i++) {
        const real kept = form->x[i];
        form->x[i] += R(test_random(seed, -largest, largest));
        e[i] = form->x[i] - kept;
    }
    form->type->recover(form, system, du[1], y[1]);
    nb_system_apply(form->system, e, image);
    for (int32_t i = 0; i < form->system->rows; i++) sum += (double)e[i] * (double)image[i];
    const double expected = dense_energy(p, system, (const real *[]){du[0], du[1]}, (const real *[]){y[0], y[1]});
    assert_true(expected > 0);
    CHECK_NEAR(sum, expected, 3e5 * (double)NB_REAL_EPSILON * expected);
}

/* assembles the form, solves it, and compares; where rows begin to carry, the pattern grows */
static void check_form(nb_form *form, const nb_problem *p, const nb_system *system, const real *g,
                       const double *expected) {
    static real du[MOST_UNKNOWNS], y[MOST_UNKNOWNS];
    const int64_t allocations = nb_allocation_count(), epoch = form->system->pattern_epoch;
    CHECK_OK(nb_form_assemble(form, system, g));
    if (form->system->pattern_epoch == epoch) assert_int_equal(nb_allocation_count(), allocations);
    assert_int_equal(form->system->symmetric, form->type->symmetric && system->symmetric);
    solve_system(form->system, form->system->symmetric ? "cholesky" : "umfpack", form->x);
    memset(du, 1, sizeof du);
    memset(y, 1, sizeof y);
    form->type->recover(form, system, du, y);
    compare(form->type->name, p, du, y, expected);
}

/* (S D S + C + K) y = b + S J H^-1 g, du = H^-1 (J^T S y - g) */
static void check_dual(const nb_problem *p, nb_system *system, const double *expected) {
    static real y[MOST_UNKNOWNS], force[MOST_UNKNOWNS], du[MOST_UNKNOWNS], kept[MOST_UNKNOWNS];
    memcpy(kept, system->b, (size_t)system->rows * sizeof *kept);
    p->type->momentum_rows(p, force);
    for (int32_t r = 0; r < system->rows; r++) system->b[r] += system->s[r] * force[r];
    solve_system(system, system->symmetric ? "cholesky" : "umfpack", y);
    memcpy(system->b, kept, (size_t)system->rows * sizeof *kept);
    for (int32_t r = 0; r < system->rows; r++) force[r] = system->s[r] * y[r];
    p->type->velocity_step(p, force, du);
    compare("dual", p, du, y, expected);
}

static const nb_form_class *const forms[] = {&nb_primal_form, &nb_saddle_form};

TEST(all_forms_agree) {
    uint64_t seed = test_seed();
    for (int n = 0; n < SIZES * KINDS; n++) {
        static scene s;
        static double expected[MOST_UNKNOWNS];
        const int *size = sizes[n / KINDS];
        begin_scene(&s, &seed, size[0], size[1], size[2]);
        const nb_problem *p = nb_step_problem(s.step);
        nb_system *system = s.system;
        if (n % KINDS != NO_BLOCKS) give_blocks(system, &seed, n % KINDS);
        nb_form *form[2];
        for (int f = 0; f < 2; f++) CHECK_OK(nb_form_create(forms[f], system, &form[f]));
        for (int again = 0; again < 3; again++) { /* other values; then another right-hand side alone */
            if (again < 2)
                give_weights(system, &seed);
            else
                for (int32_t r = 0; r < system->rows; r++) system->b[r] = R(test_random(&seed, -1, 1));
            solve_dense(p, system, system->delassus->mass, p->momentum, expected);
            check_dual(p, system, expected);
            for (int f = 0; f < 2; f++) {
                int64_t epoch = form[f]->system->value_epoch;
                check_form(form[f], p, system, p->momentum, expected);
                check_energy(form[f], p, system, &seed);
                assert_int_equal(form[f]->system->value_epoch != epoch, again < 2);
            }
        }
        for (int f = 0; f < 2; f++) nb_form_destroy(form[f]);
        end_scene(&s);
    }
}

/* ---- pairs without a row that carries ---- */

/* Pairs of nodes with an entry that is not zero, by their first rows; every entry of the dense S J tells. */
static int64_t stored_pairs(const nb_csr *a) {
    int64_t pairs = 0;
    for (int32_t r = 0; r < a->rows; r += 6) pairs += (a->start[r + 1] - a->start[r]) / 6 - 1;
    return pairs;
}

static int64_t coupled_pairs(const nb_system *system) {
    const nb_delassus *d = system->delassus;
    const int32_t nodes = d->mass->nodes->count;
    int64_t pairs = 0;
    uint8_t *seen = calloc((size_t)nodes * (size_t)nodes, 1);
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t node[NB_BLOCK_NODES];
        const int count = d->type->block_nodes(d, i, node);
        double weight = 0;
        for (int32_t r = d->block_start[i]; r < d->block_start[i + 1]; r++) weight += fabs((double)system->s[r]);
        for (int a = 0; weight > 0 && a < count; a++)
            for (int b = 0; b < count; b++) {
                uint8_t *one = &seen[node[a] * nodes + node[b]];
                pairs += a != b && !*one;
                *one = 1;
            }
    }
    free(seen);
    return pairs;
}

/* The matrix has the pairs that carry and no others; it grows with them, and is kept where they are there. */
TEST(pairs_come_with_weights) {
    uint64_t seed = test_seed();
    static scene s;
    static double expected[MOST_UNKNOWNS];
    nb_form *form;
    begin_scene(&s, &seed, 20, 12, 20);
    const nb_problem *p = nb_step_problem(s.step);
    const nb_delassus *d = s.system->delassus;
    CHECK_OK(nb_form_create(&nb_primal_form, s.system, &form));
    int64_t before = 0, most = 0;
    for (int32_t carrying = 0; carrying <= 4; carrying++) { /* none, a quarter, and so on */
        give_weights(s.system, &seed);
        for (int32_t g = 0; g < d->group_count; g++)
            for (int32_t r = d->block_start[d->group_start[g]]; r < d->block_start[d->group_start[g + 1]]; r++)
                s.system->s[r] = g % 4 < carrying ? R(test_random(&seed, 0.1, 1)) : 0;
        solve_dense(p, s.system, d->mass, p->momentum, expected);
        check_form(form, p, s.system, p->momentum, expected);
        most = coupled_pairs(s.system);
        assert_true(carrying == 0 || most > before);
        assert_int_equal(stored_pairs(form->matrix), most);
        before = most;
    }
    const int64_t epoch = form->system->pattern_epoch;
    for (int32_t r = 0; r < d->rows / 2; r++) s.system->s[r] = 0;
    nb_system_values_changed(s.system);
    solve_dense(p, s.system, d->mass, p->momentum, expected);
    check_form(form, p, s.system, p->momentum, expected);
    assert_int_equal(form->system->pattern_epoch, epoch);
    assert_int_equal(stored_pairs(form->matrix), most);
    nb_form_destroy(form);
    end_scene(&s);
}

/* ---- operations of making the values ---- */

/* additions and multiplications, one by one: T J and the upper half of J^T T J of blocks with a weight */
static double count_primal(const nb_system *system) {
    const nb_delassus *d = system->delassus;
    double count = 0;
    for (int32_t g = 0; g < d->group_count; g++) {
        int32_t node[NB_BLOCK_NODES], first = d->block_start[d->group_start[g]],
                                      end = d->block_start[d->group_start[g + 1]];
        const int columns = 6 * d->type->block_nodes(d, d->group_start[g], node);
        int carries = 0;
        for (int32_t r = first; r < end; r++) carries = carries || system->s[r] != 0;
        for (int32_t r = first; carries && r < end; r++)
            for (int a = 0; a < columns; a++) {
                count += 1;
                for (int b = a; b < columns; b++) count += 2;
            }
    }
    return count;
}

/* H^-1 J^T, and the products of all pairs of rows that act on a node */
static double count_dual(const nb_system *system) {
    const nb_delassus *d = system->delassus;
    double count = 0;
    for (int32_t i = 0; i < d->block_count; i++)
        for (int32_t k = 0; k < d->block_count; k++) {
            int32_t one[NB_BLOCK_NODES], other[NB_BLOCK_NODES];
            const int ones = d->type->block_nodes(d, i, one), others = d->type->block_nodes(d, k, other);
            const double rows = d->block_start[i + 1] - d->block_start[i],
                         columns = d->block_start[k + 1] - d->block_start[k];
            for (int a = 0; a < ones; a++) {
                if (i == k) count += rows * 2 * 6 * 6;
                for (int b = 0; b < others; b++) count += one[a] == other[b] ? rows * columns * 2 * 6 : 0;
            }
        }
    return count;
}

static double counted(const char *name, nb_system *system, real *x) {
    const nb_linear_solver_class *solver;
    nb_solve *state;
    nb_solve_report report;
    double standard[16], first;
    CHECK_OK(nb_linear_solver_find(name, &solver));
    nb_options_standard(solver->options, solver->option_count, standard);
    CHECK_OK(nb_solve_create(solver, standard, NULL, NULL, &state));
    CHECK_OK(nb_solve_run(state, system, &(nb_linear_stop){.iterations = 1}, NULL, NULL, x, &report));
    first = report.assembly_flops;
    CHECK_OK(nb_solve_run(state, system, &(nb_linear_stop){.iterations = 1}, NULL, NULL, x, &report));
    CHECK_NEAR(report.assembly_flops, 0, 0); /* the values are there */
    nb_solve_destroy(state);
    return first;
}

TEST(assembly_is_counted) {
    uint64_t seed = test_seed();
    static scene s;
    static real x[MOST_UNKNOWNS];
    nb_form *form;
    begin_scene(&s, &seed, 20, 12, 20);
    const nb_problem *p = nb_step_problem(s.step);
    give_weights(s.system, &seed);
    CHECK_NEAR(counted("cholesky", s.system, x), count_dual(s.system), 0);
    CHECK_NEAR(counted("pcg", s.system, x), 0, 0); /* asks for no entries */
    CHECK_OK(nb_form_create(&nb_primal_form, s.system, &form));
    CHECK_OK(nb_form_assemble(form, s.system, p->momentum));
    CHECK_NEAR(counted("cholesky", form->system, x), count_primal(s.system), 0);
    CHECK_NEAR(counted("pcg", form->system, x), count_primal(s.system), 0);
    nb_form_destroy(form);
    end_scene(&s);
}

/* ---- a mass that couples nodes ---- */

/* H = that of the bodies, and 0.2 of the unit matrix between the linear velocities of neighbours */
static nb_mass_class coupled_class;
static const nb_mass_class *own_class;

static void coupled_apply(const nb_mass *m, int32_t count, const int32_t *node, const real *velocity, real *force) {
    own_class->apply(m, count, node, velocity, force);
    for (int32_t k = 0; k + 1 < count; k++)
        for (int c = 0; c < 3; c++) {
            int32_t a = m->nodes->place[node[k]] + c, b = m->nodes->place[node[k + 1]] + c;
            force[a] += R(0.2) * velocity[b];
            force[b] += R(0.2) * velocity[a];
        }
}

static nb_status coupled_matrix(const nb_mass *m, nb_csr **matrix) {
    nb_status status;
    int32_t n = m->nodes->velocity[m->nodes->count];
    double *h = calloc((size_t)n * (size_t)n, sizeof *h);
    int64_t used = 0;
    dense_mass(m, h, n);
    for (int32_t i = 0; i < m->nodes->count; i++) /* empty rows where there is no mass */
        for (int32_t r = 6 * i; !m->moves[i] && r < 6 * i + 6; r++) h[(ptrdiff_t)r * (n + 1)] = 0;
    status = nb_csr_create(n, n, (int64_t)n * n, matrix);
    for (int32_t r = 0; status == NB_OK && r < n; r++) {
        for (int32_t c = 0; c < n; c++) {
            if (h[(ptrdiff_t)r * n + c] == 0) continue;
            (*matrix)->column[used] = c;
            (*matrix)->value[used++] = (real)h[(ptrdiff_t)r * n + c];
        }
        (*matrix)->start[r + 1] = used;
    }
    free(h);
    return status;
}

TEST(a_mass_may_couple_nodes) {
    uint64_t seed = test_seed();
    for (int n = 0; n < SIZES; n++) {
        static scene s;
        static double expected[MOST_UNKNOWNS];
        begin_scene(&s, &seed, sizes[n][0], sizes[n][1], sizes[n][2]);
        const nb_problem *p = nb_step_problem(s.step);
        nb_sum_view view = *(const nb_sum_view *)p->delassus;
        nb_sum sum = *view.sum;
        nb_block_mass mass = *(const nb_block_mass *)sum.mass;
        nb_system *system;
        own_class = mass.base.type;
        coupled_class = (nb_mass_class){.apply = coupled_apply, .matrix = coupled_matrix};
        mass.base.type = &coupled_class;
        sum.mass = view.base.mass = &mass.base;
        view.sum = &sum;
        CHECK_OK(nb_system_create(&view.base, &system));
        give_weights(system, &seed);
        solve_dense(p, system, &mass.base, p->momentum, expected);
        for (int f = 0; f < 2; f++) {
            nb_form *form;
            CHECK_OK(nb_form_create(forms[f], system, &form));
            check_form(form, p, system, p->momentum, expected);
            nb_form_destroy(form);
        }
        nb_system_destroy(system);
        end_scene(&s);
    }
}

/* ---- what a form refuses ---- */

/* A hinge without compliance: the primal form says which row, the saddle form solves it. */
TEST(rows_without_compliance) {
    uint64_t seed = test_seed();
    static scene s;
    static double expected[MOST_UNKNOWNS];
    nb_form *form;
    begin_scene(&s, &seed, 3, 1, 0);
    const nb_problem *p = nb_step_problem(s.step);
    give_weights(s.system, &seed);
    for (int32_t r = 0; r < s.system->rows; r++) s.system->s[r] = 1;
    s.system->c[4] = 0;
    CHECK_OK(nb_form_create(&nb_primal_form, s.system, &form));
    CHECK_FAULT(nb_form_assemble(form, s.system, p->momentum), NB_ERROR_NUMERIC,
                "positive compliance in every row; row 4 has 0");
    nb_form_destroy(form);
    for (int32_t r = 0; r < s.system->rows; r++) s.system->c[r] = 0;
    nb_system_values_changed(s.system);
    solve_dense(p, s.system, s.system->delassus->mass, p->momentum, expected);
    CHECK_OK(nb_form_create(&nb_saddle_form, s.system, &form));
    check_form(form, p, s.system, p->momentum, expected);
    nb_form_destroy(form);
    CHECK_OK(nb_system_use_blocks(s.system)); /* K = 0 */
    s.system->symmetric = 1;
    s.system->c[0] = s.system->c[1] = 1;
    nb_system_values_changed(s.system);
    CHECK_OK(nb_form_create(&nb_primal_form, s.system, &form));
    CHECK_FAULT(nb_form_assemble(form, s.system, p->momentum), NB_ERROR_NUMERIC, "row 2");
    nb_form_destroy(form);
    end_scene(&s);
}

/* a matrix alone has no nodes */
TEST(a_matrix_has_no_other_form) {
    nb_csr *matrix;
    nb_delassus *d;
    nb_system *system;
    nb_form *form;
    CHECK_OK(nb_csr_create(1, 1, 1, &matrix));
    matrix->start[1] = 1;
    CHECK_OK(nb_delassus_matrix_create(matrix, 1, NULL, 0, NULL, &d));
    CHECK_OK(nb_system_create(d, &system));
    for (int f = 0; f < 2; f++) {
        CHECK_FAULT(nb_form_create(forms[f], system, &form), NB_ERROR_UNSUPPORTED, forms[f]->name);
        assert_null(form);
    }
    nb_system_destroy(system);
    nb_delassus_matrix_destroy(d);
}

/* whichever allocation fails in making a form: a fault, nothing leaked */
TEST(forms_without_memory) {
    uint64_t seed = test_seed();
    static scene s;
    begin_scene(&s, &seed, 8, 2, 3);
    for (int f = 0; f < 2; f++)
        for (int64_t successes = 0;; successes++) {
            nb_form *form;
            int64_t held = nb_allocation_held();
            nb_allocation_fail_after(successes);
            nb_status status = nb_form_create(forms[f], s.system, &form);
            nb_allocation_fail_after(-1);
            nb_form_destroy(form);
            assert_int_equal(nb_allocation_held(), held);
            if (status == NB_OK) {
                assert_true(successes > 10); /* all of them were tried */
                break;
            }
            assert_int_equal(status, NB_ERROR_MEMORY);
        }
    end_scene(&s);
}

RUN_TESTS(all_forms_agree, a_mass_may_couple_nodes, rows_without_compliance, a_matrix_has_no_other_form,
          forms_without_memory, pairs_come_with_weights, assembly_is_counted)
