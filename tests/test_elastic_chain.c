/* A mass that couples nodes, at work: a chain of particles with springs between them, H = M + h^2 K, that falls on a
 * floor and against itself. What methods find is what a dense reference finds. */
#include "check.h"

#include <lapacke.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "constraint/cone_law.h"
#include "constraint/problem.h"
#include "constraint/unilateral.h"
#include "measure/measure.h"
#include "method.h"
#include "operator/general_pack.h"
#include "operator/sum.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "sparse_mass.h"

NB_PRECISIONS(f64);

/* A problem over nodes, put together from a mass and one pack: values J u + rate, momentum H (u - u~) - J^T z. What a
 * step makes of a world, for masses that no step has. */

enum {
    PROBLEM_VELOCITIES = 64,
    PROBLEM_NUMBERS = 96,
    PROBLEM_ROWS = 40,
    PROBLEM_NODES = 20
};

typedef struct node_problem {
    nb_problem base; /* first */
    nb_sum sum;
    nb_sum_view view;
    nb_law_range range[2];
    real u_free[PROBLEM_VELOCITIES], rate[PROBLEM_ROWS]; /* the maker's */
    real u[PROBLEM_VELOCITIES], momentum[PROBLEM_VELOCITIES], z[PROBLEM_ROWS], value[PROBLEM_ROWS], w[PROBLEM_ROWS],
        diagonal[PROBLEM_ROWS], force[PROBLEM_NUMBERS], velocity[PROBLEM_NUMBERS], scratch[PROBLEM_NUMBERS];
    int32_t dynamic[PROBLEM_NODES], block_start[PROBLEM_ROWS + 1], group_start[PROBLEM_ROWS + 1];
} node_problem;

/* to padded arrays, and back */
static void widen_nodes(const nb_nodes *nodes, const real *from, real *to) {
    for (int32_t i = 0; i < nodes->count; i++)
        memcpy(to + nodes->place[i], from + nodes->velocity[i], (size_t)nb_node_velocities(nodes, i) * sizeof *to);
}

static void narrow_nodes(const nb_nodes *nodes, const real *from, real *to) {
    for (int32_t i = 0; i < nodes->count; i++)
        memcpy(to + nodes->velocity[i], from + nodes->place[i], (size_t)nb_node_velocities(nodes, i) * sizeof *to);
}

static void problem_evaluate(nb_problem *problem, const real *force_weight) {
    node_problem *p = (node_problem *)problem;
    const nb_mass *mass = p->sum.mass;
    real moved[PROBLEM_VELOCITIES];
    memset(p->scratch, 0, sizeof p->scratch);
    widen_nodes(problem->nodes, p->u, p->scratch); /* prescribed ones as well */
    nb_sum_row_velocities(&p->view, p->scratch, p->value);
    for (int32_t r = 0; r < problem->rows; r++) p->value[r] += p->rate[r];
    for (int32_t i = 0; i < problem->velocities; i++) moved[i] = p->u[i] - p->u_free[i];
    widen_nodes(problem->nodes, moved, p->scratch);
    memset(p->momentum, 0, sizeof p->momentum);
    memset(p->force, 0, sizeof p->force);
    nb_sum_add_forces(&p->view, force_weight, p->z, p->force);
    mass->type->apply(mass, p->view.dynamic_count, p->view.dynamic, p->scratch, p->velocity);
    for (int32_t k = 0; k < p->view.dynamic_count; k++) {
        int32_t node = p->view.dynamic[k];
        for (int c = 0; c < nb_node_velocities(problem->nodes, node); c++)
            p->momentum[problem->nodes->velocity[node] + c] =
                p->velocity[problem->nodes->place[node] + c] - p->force[problem->nodes->place[node] + c];
    }
}

/* p->velocity = H^-1 (J^T y + sign g) */
static void problem_answer(node_problem *p, real sign, const real *y) {
    const nb_mass *mass = p->sum.mass;
    memset(p->scratch, 0, sizeof p->scratch);
    widen_nodes(mass->nodes, p->momentum, p->scratch);
    for (int k = 0; k < PROBLEM_NUMBERS; k++) p->scratch[k] *= sign;
    if (y) nb_sum_add_forces(&p->view, NULL, y, p->scratch);
    mass->type->solve(mass, p->view.dynamic_count, p->view.dynamic, p->scratch, p->velocity);
}

static void problem_momentum_rows(const nb_problem *problem, real *out) {
    node_problem *p = (node_problem *)problem;
    problem_answer(p, 1, NULL);
    nb_sum_row_velocities(&p->view, p->velocity, out);
}

static void problem_velocity_step(const nb_problem *problem, const real *y, real *du) {
    node_problem *p = (node_problem *)problem;
    problem_answer(p, -1, y);
    narrow_nodes(problem->nodes, p->velocity, du);
}

static void problem_rows_of_velocity(const nb_problem *problem, const real *du, real *out) {
    node_problem *p = (node_problem *)problem;
    widen_nodes(problem->nodes, du, p->scratch);
    nb_sum_row_velocities(&p->view, p->scratch, out);
}

static double problem_momentum_error(const nb_problem *problem) {
    node_problem *p = (node_problem *)problem;
    double largest = 0;
    problem_answer(p, 1, NULL);
    for (int k = 0; k < PROBLEM_NUMBERS; k++) nb_raise(&largest, fabs((double)p->velocity[k]));
    return largest;
}

static const nb_problem_class node_problem_class = {.evaluate = problem_evaluate,
                                                    .momentum_rows = problem_momentum_rows,
                                                    .velocity_step = problem_velocity_step,
                                                    .rows_of_velocity = problem_rows_of_velocity,
                                                    .momentum_error = problem_momentum_error};

/* *p, which has u~, rates, and u of nodes without mass: its rows are those of `pack`, of this law */
static nb_problem *node_problem_finish(node_problem *p, const nb_mass *mass, const nb_pack *pack, const nb_law *law) {
    nb_problem *problem = &p->base;
    const nb_nodes *nodes = mass->nodes;
    int32_t rows = nb_pack_row(pack, pack->blocks);
    assert_true(rows <= PROBLEM_ROWS && nodes->velocity[nodes->count] <= PROBLEM_VELOCITIES);
    assert_true(nb_nodes_length(nodes) <= PROBLEM_NUMBERS && nodes->count <= PROBLEM_NODES);
    p->sum = (nb_sum){
        .mass = mass, .packs = 1, .pack = {pack}, .force = p->force, .velocity = p->velocity, .diagonal = p->diagonal};
    p->view = (nb_sum_view){.sum = &p->sum, .end = {pack->blocks}, .dynamic = p->dynamic};
    for (int32_t i = 0; i < nodes->count; i++)
        if (mass->moves[i]) p->dynamic[p->view.dynamic_count++] = i;
    for (int32_t i = 0; i <= pack->blocks; i++) {
        p->block_start[i] = nb_pack_row(pack, i);
        p->group_start[i] = i;
    }
    nb_sum_count_blocks(&p->view);
    p->view.base =
        (nb_delassus){nb_sum_class_for(mass), rows, pack->blocks, p->block_start, pack->blocks, p->group_start, mass};
    nb_sum_block_diagonal(&p->view, 0, pack->blocks, p->diagonal);
    p->range[0] = (nb_law_range){.law = law, .blocks = pack->blocks};
    for (int32_t i = 0, n = law->type->rows; i < pack->blocks; i++)
        for (int32_t r = 0; r < n; r++) /* friction rows: the mean of a contact's two */
            p->w[n * i + r] = r == 0 ? p->diagonal[n * i] : (p->diagonal[n * i + 1] + p->diagonal[n * i + 2]) / 2;
    problem->type = &node_problem_class;
    problem->delassus = problem->exact = &p->view.base;
    problem->ranges = p->range;
    problem->range_count = 1;
    problem->rows = rows;
    problem->contacts = law->type->rows == 3 ? pack->blocks : 0;
    problem->velocities = nodes->velocity[nodes->count];
    problem->nodes = nodes;
    problem->h = R(0.01);
    problem->frozen = 1; /* rows are linear in u */
    problem->pattern_epoch = problem->value_epoch = 1;
    problem->u = p->u;
    problem->z = p->z;
    problem->value = p->value;
    problem->momentum = p->momentum;
    problem->w = p->w;
    return problem;
}

enum {
    LINKS = 10, /* particles; the first is fixed, the last pulled along by a hand */
    VELOCITIES = 3 * LINKS,
    BLOCKS = LINKS - 2 + 2 /* every particle with mass and the floor; two pairs of particles */
};

static const double h = 0.01;

/* all of a scene, of which each problem keeps its own */
typedef struct chain {
    nb_nodes nodes;
    uint8_t kind[LINKS], moves[LINKS];
    int32_t velocity_start[LINKS + 1], place[LINKS + 1];
    nb_mass *mass;
    int32_t row_start[BLOCKS + 1], node_start[BLOCKS + 1], node[2 * BLOCKS];
    int64_t value_start[BLOCKS + 1];
    real value[BLOCKS * 3 * 6], mu[BLOCKS];
    nb_general_pack pack;
    nb_unilateral_law stops;
    nb_cone_law cones;
    node_problem problem;
    double dense[VELOCITIES * VELOCITIES]; /* H over nodes with mass, ones for others */
} chain;

/* H: a mass each, and springs of 50 to 500 N/m in all directions between neighbours */
static nb_csr *make_matrix(chain *c, uint64_t *seed) {
    nb_csr *matrix;
    int64_t used = 0;
    double stiffness[LINKS - 1];
    for (int i = 0; i + 1 < LINKS; i++) stiffness[i] = test_random(seed, 50, 500);
    CHECK_OK(nb_csr_create(VELOCITIES, VELOCITIES, 3 * VELOCITIES, &matrix));
    for (int32_t r = 0; r < VELOCITIES; r++) {
        int32_t i = r / 3;
        double before = i > 0 ? h * h * stiffness[i - 1] : 0, after = i + 1 < LINKS ? h * h * stiffness[i] : 0;
        const double entry[] = {-before, 0.01 * (1 + i % 3) + before + after, -after};
        for (int k = 0; k < 3; k++) {
            int32_t column = r + 3 * (k - 1);
            if (column < 0 || column >= VELOCITIES) continue;
            matrix->column[used] = column;
            matrix->value[used++] = entry[k];
            if (c->moves[i] && c->moves[column / 3]) c->dense[r * VELOCITIES + column] = entry[k];
        }
        matrix->start[r + 1] = used;
        if (!c->moves[i]) c->dense[r * (VELOCITIES + 1)] = 1;
    }
    return matrix;
}

/* `rows` 1: normals alone; 3: a frame each. The first node of a block is pushed along +normal, a second one along -. */
static void make_blocks(chain *c, uint64_t *seed, int rows) {
    static const int pairs[][2] = {{2, 4}, {5, 8}};
    for (int b = 0; b < BLOCKS; b++) {
        int pair = b - (LINKS - 2), count = pair < 0 ? 1 : 2;
        int32_t *node = c->node + c->node_start[b];
        c->row_start[b + 1] = c->row_start[b] + rows;
        c->node_start[b + 1] = c->node_start[b] + count;
        node[0] = pair < 0 ? b + 1 : pairs[pair][0];
        if (count == 2) node[1] = pairs[pair][1];
    }
    nb_general_pack_number(&c->nodes, BLOCKS, c->row_start, c->node_start, c->node, c->value_start);
    for (int b = 0; b < BLOCKS; b++) {
        int count = (int)(c->node_start[b + 1] - c->node_start[b]);
        nb_vec3 n = count == 1 ? nb_vec3_of(0, 0, 1)
                               : nb_normalized(nb_vec3_of(test_random(seed, -1, 1), 1, test_random(seed, -1, 1))),
                t1, t2;
        nb_tangents(n, &t1, &t2);
        const nb_vec3 direction[3] = {n, t1, t2};
        real *to = c->value + c->value_start[b];
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < count; k++) {
                *to++ = k ? -direction[r].x : direction[r].x;
                *to++ = k ? -direction[r].y : direction[r].y;
                *to++ = k ? -direction[r].z : direction[r].z;
            }
        c->mu[b] = test_random(seed, 0.1, 0.8);
    }
}

/* the last block becomes the one before it, the other way round */
static void squeeze_pair(chain *c) {
    const int one = BLOCKS - 2, other = BLOCKS - 1;
    for (int k = 0; k < 2; k++) c->node[c->node_start[other] + k] = c->node[c->node_start[one] + k];
    for (int64_t e = 0; e < c->value_start[other + 1] - c->value_start[other]; e++)
        c->value[c->value_start[other] + e] = -c->value[c->value_start[one] + e];
    for (int b = one; b <= other; b++) c->problem.rate[c->row_start[b]] = R(-0.5);
}

static nb_problem *make_chain(chain *c, uint64_t seed, int rows, int squeezed) {
    *c = (chain){0};
    for (int i = 0; i < LINKS; i++) c->moves[i] = i != 0 && i != LINKS - 1;
    memset(c->kind, NB_NODE_PARTICLE, sizeof c->kind);
    nb_nodes_number(LINKS, nb_node_kinds, c->kind, c->velocity_start, c->place, &c->nodes);
    nb_csr *matrix = make_matrix(c, &seed);
    CHECK_OK(nb_sparse_mass_create(&c->nodes, c->moves, matrix, &c->mass));
    nb_csr_destroy(matrix);
    make_blocks(c, &seed, rows);
    c->pack = nb_general_pack_of(&c->nodes, BLOCKS,
                                 (nb_general_blocks){c->row_start, c->node_start, c->node, c->value_start, c->value});
    c->stops = (nb_unilateral_law){.base = {&nb_unilateral_class}};
    c->cones = (nb_cone_law){.base = {&nb_cone_class}, .mu = c->mu, .ratio = 1};
    node_problem *p = &c->problem;
    for (int k = 0; k < VELOCITIES; k++) p->u_free[k] = test_random(&seed, -1, 1) - (k % 3 == 2);
    for (int k = 0; k < 3; k++) p->u_free[k] = 0;
    for (int k = VELOCITIES - 3; k < VELOCITIES; k++) p->u[k] = p->u_free[k]; /* the hand */
    for (int b = 0; b < BLOCKS; b++) p->rate[rows * b] = test_random(&seed, 0, 0.5);
    if (squeezed) squeeze_pair(c);
    return node_problem_finish(p, c->mass, &c->pack.base, rows == 1 ? &c->stops.base : &c->cones.base);
}

static void free_chain(chain *c) {
    nb_sparse_mass_destroy(c->mass);
}

/* ---- the reference ---- */

/* D = J H^-1 J^T, q = J u~ + rate, and H^-1 J^T [velocities][rows], in full */
typedef struct reference {
    int n;
    double d[PROBLEM_ROWS * PROBLEM_ROWS], q[PROBLEM_ROWS], answer[VELOCITIES * PROBLEM_ROWS];
    double z[PROBLEM_ROWS], u[VELOCITIES]; /* the solution */
} reference;

static void make_reference(const chain *c, reference *f) {
    static double j[PROBLEM_ROWS][VELOCITIES], a[VELOCITIES * VELOCITIES];
    lapack_int pivot[VELOCITIES];
    int n = f->n = (int)c->problem.base.rows;
    memset(j, 0, sizeof j);
    for (int b = 0; b < BLOCKS; b++) {
        const real *from = c->value + c->value_start[b];
        for (int32_t r = c->row_start[b]; r < c->row_start[b + 1]; r++)
            for (int32_t k = c->node_start[b]; k < c->node_start[b + 1]; k++)
                for (int l = 0; l < 3; l++) j[r][3 * c->node[k] + l] = *from++;
    }
    for (int r = 0; r < n; r++) {
        f->q[r] = c->problem.rate[r];
        for (int i = 0; i < VELOCITIES; i++) {
            f->q[r] += j[r][i] * c->problem.u_free[i];
            f->answer[i * n + r] = c->moves[i / 3] ? j[r][i] : 0;
        }
    }
    memcpy(a, c->dense, sizeof a);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, VELOCITIES, n, a, VELOCITIES, pivot, f->answer, n), 0);
    for (int r = 0; r < n; r++)
        for (int k = 0; k < n; k++) {
            f->d[r * n + k] = 0;
            for (int i = 0; i < VELOCITIES; i++) f->d[r * n + k] += j[r][i] * f->answer[i * n + k];
        }
}

static void move_nodes(const chain *c, reference *f) {
    for (int i = 0; i < VELOCITIES; i++) {
        f->u[i] = c->problem.u_free[i];
        for (int r = 0; r < f->n; r++) f->u[i] += f->answer[i * f->n + r] * f->z[r];
    }
}

/* Stops: of all sets of closed rows, the one whose impulses and gaps have the right signs. There is one alone, for D is
 * positive definite. Returns how many rows are closed. */
static int solve_stops(const chain *c, reference *f) {
    static double a[PROBLEM_ROWS * PROBLEM_ROWS];
    int n = f->n, closed = -1;
    for (int set = 0; set < 1 << n; set++) {
        int row[PROBLEM_ROWS], count = 0, right = 1;
        double x[PROBLEM_ROWS] = {0};
        for (int r = 0; r < n; r++)
            if (set >> r & 1) row[count++] = r;
        for (int i = 0; i < count; i++) {
            x[i] = -f->q[row[i]];
            for (int k = 0; k < count; k++) a[i * count + k] = f->d[row[i] * n + row[k]];
        }
        if (count > 0) assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', count, 1, a, count, x, 1), 0);
        for (int i = 0; i < count; i++) right = right && x[i] > 0;
        for (int r = 0; r < n && right; r++) {
            double gap = f->q[r];
            for (int k = 0; k < count; k++) gap += f->d[r * n + row[k]] * x[k];
            right = set >> r & 1 || gap >= 0;
        }
        if (!right) continue;
        assert_int_equal(closed, -1);
        closed = count;
        memset(f->z, 0, sizeof f->z);
        for (int i = 0; i < count; i++) f->z[row[i]] = x[i];
    }
    assert_true(closed >= 0);
    move_nodes(c, f);
    return closed;
}

/* Cones: z = P(z - v/(2 sum |D|)), contact by contact, until nothing moves. */
static int solve_cones(const chain *c, reference *f) {
    int n = f->n, closed = 0;
    double moved = 1;
    memset(f->z, 0, sizeof f->z);
    for (int sweep = 0; sweep < 200000 && moved > 1e-16; sweep++) {
        moved = 0;
        for (int r = 0; r < n; r += 3) {
            double x[3], size = 0;
            for (int k = 0; k < 3; k++) {
                double v = f->q[r + k], row = 0;
                for (int l = 0; l < n; l++) v += f->d[(r + k) * n + l] * f->z[l];
                for (int l = r; l < r + 3; l++) row += fabs(f->d[(r + k) * n + l]);
                size = fmax(size, row);
                x[k] = v;
            }
            for (int k = 0; k < 3; k++) x[k] = f->z[r + k] - x[k] / size;
            x[0] = fmax(x[0], 0);
            double friction = hypot(x[1], x[2]), most = c->mu[r / 3] * x[0];
            for (int k = 1; k < 3 && friction > most; k++) x[k] *= most / friction;
            for (int k = 0; k < 3; k++) {
                moved = fmax(moved, fabs(x[k] - f->z[r + k]));
                f->z[r + k] = x[k];
            }
        }
    }
    assert_true(moved <= 1e-16);
    for (int r = 0; r < n; r += 3) closed += f->z[r] > 0;
    move_nodes(c, f);
    return closed;
}

/* ---- methods ---- */

typedef struct way {
    const char *method, *form, *solver, *preconditioner;
    int exact; /* 1: --finish exact, which friction near its limit takes (formulation.md) */
} way;

static nb_status run(const way *w, nb_problem *p, nb_measure *measure, nb_step_outcome *outcome) {
    nb_status status;
    const nb_method_class *type;
    nb_method *state = NULL;
    nb_request request;
    nb_request_standard(&request);
    strcpy(request.info.scenario, "incline"); /* whose settings are as good as any */
    strcpy(request.info.method, w->method);
    strcpy(request.info.linear_solver, w->solver);
    strcpy(request.info.preconditioner, w->preconditioner);
    if (w->form) NB_TRY(nb_request_set_option(&request, "form", w->form));
    if (w->exact) NB_TRY(nb_request_set_option(&request, "finish", "exact"));
    strcpy(request.info.geometry, "frozen");
    request.info.newton_iterations = 200;
    request.info.newton_tolerance = 1e-11;
    request.info.linear_iterations = 400;
    NB_TRY(nb_simulate_prepare(&request));
    nb_method_settings settings = nb_request_settings(&request);
    NB_TRY(nb_method_find(w->method, &type));
    NB_TRY(type->create(type, &settings, &state));
    status = type->step(state, p, measure, NULL, outcome);
    type->destroy(state);
out:
    nb_free(request.info.parameters);
    return status;
}

/* the step by one method, against the reference */
static void check_way(const way *w, uint64_t seed, int rows, const reference *f) {
    static chain own, measured;
    nb_measure *measure;
    nb_step_outcome outcome;
    nb_problem *p = make_chain(&own, seed, rows, 0);
    CHECK_OK(nb_measure_create_problem(make_chain(&measured, seed, rows, 0), &measure));
    CHECK_OK(run(w, p, measure, &outcome));
    print_message("%s, %s, %s: %d iterations, natural map %.1e m/s\n", w->method, w->form ? w->form : "-", w->solver,
                  (int)outcome.newton_iterations, outcome.errors.natural_map);
    assert_true(outcome.reason == NB_REASON_CONVERGED || outcome.reason == NB_REASON_ROUND_OFF);
    /* velocities are off by the tolerance times what the condition of D makes of it, some hundred; impulses by that
     * over inverse masses of ten and more */
    for (int i = 0; i < VELOCITIES; i++) CHECK_NEAR(p->u[i], f->u[i], 1e-9);
    for (int r = 0; r < f->n; r++) CHECK_NEAR(p->z[r], f->z[r], 1e-9);
    nb_measure_destroy(measure);
    free_chain(&own);
    free_chain(&measured);
}

TEST(methods_find_what_stops_do) {
    static const way ways[] = {
        {"newton", "compliance", "pcr", "jacobi", 0},    {"newton", "compliance", "pcr", "block-jacobi", 0},
        {"newton", "compliance", "cholesky", "none", 0}, {"newton", "compliance", "gauss-seidel", "none", 0},
        {"newton", "stiffness", "cholesky", "none", 0},  {"newton", "saddle", "umfpack", "none", 0}};
    uint64_t seed = test_seed();
    for (int round = 0; round < 3; round++) {
        static chain c;
        static reference f;
        uint64_t own = test_random_bits(&seed);
        make_chain(&c, own, 1, 0);
        make_reference(&c, &f);
        int closed = solve_stops(&c, &f);
        print_message("%d of %d stops closed\n", closed, BLOCKS);
        assert_true(closed > 0);
        free_chain(&c);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) check_way(&ways[k], own, 1, &f);
    }
}

TEST(methods_find_what_contacts_do) {
    static const way ways[] = {{"newton", "compliance", "pcr", "jacobi", 1},
                               {"newton", "stiffness", "cholesky", "none", 1},
                               {"newton", "saddle", "umfpack", "none", 1},
                               {"interior-point", NULL, "umfpack", "none", 0},
                               {"interior-point", NULL, "gmres", "lu", 0}};
    uint64_t seed = test_seed();
    for (int round = 0; round < 3; round++) {
        static chain c;
        static reference f;
        uint64_t own = test_random_bits(&seed);
        make_chain(&c, own, 3, 0);
        make_reference(&c, &f);
        int closed = solve_cones(&c, &f);
        print_message("%d of %d contacts closed\n", closed, BLOCKS);
        assert_true(closed > 0);
        free_chain(&c);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) check_way(&ways[k], own, 3, &f);
    }
}

/* Two contacts that push a pair apart and together: there is no solution, and the proof goes by the entries of D. */
TEST(a_squeezed_chain_is_infeasible) {
    uint64_t seed = test_seed();
    for (int squeezed = 0; squeezed < 2; squeezed++) {
        static const way interior_point = {"interior-point", NULL, "umfpack", "none", 0};
        static chain own, measured;
        nb_measure *measure;
        nb_step_outcome outcome;
        nb_problem *p = make_chain(&own, seed, 3, squeezed);
        CHECK_OK(nb_measure_create_problem(make_chain(&measured, seed, 3, squeezed), &measure));
        CHECK_OK(run(&interior_point, p, measure, &outcome));
        assert_int_equal(outcome.reason == NB_REASON_INFEASIBLE, squeezed);
        nb_measure_destroy(measure);
        free_chain(&own);
        free_chain(&measured);
    }
}

RUN_TESTS(methods_find_what_stops_do, methods_find_what_contacts_do, a_squeezed_chain_is_infeasible)
