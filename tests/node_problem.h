/* A problem over nodes, put together from a mass and one pack: values J u + rate, momentum H (u - u~) - J^T z. What a
 * step makes of a world, for masses that no step has. */
#ifndef NB_TESTS_NODE_PROBLEM_H
#define NB_TESTS_NODE_PROBLEM_H

#include <string.h>

#include "base/largest.h"
#include "check.h"
#include "constraint/problem.h"
#include "operator/sum.h"

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
static inline void widen_nodes(const nb_nodes *nodes, const real *from, real *to) {
    for (int32_t i = 0; i < nodes->count; i++)
        memcpy(to + nodes->place[i], from + nodes->velocity[i], (size_t)nb_node_velocities(nodes, i) * sizeof *to);
}

static inline void narrow_nodes(const nb_nodes *nodes, const real *from, real *to) {
    for (int32_t i = 0; i < nodes->count; i++)
        memcpy(to + nodes->velocity[i], from + nodes->place[i], (size_t)nb_node_velocities(nodes, i) * sizeof *to);
}

static inline void problem_evaluate(nb_problem *problem, const real *force_weight) {
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
static inline void problem_answer(node_problem *p, real sign, const real *y) {
    const nb_mass *mass = p->sum.mass;
    memset(p->scratch, 0, sizeof p->scratch);
    widen_nodes(mass->nodes, p->momentum, p->scratch);
    for (int k = 0; k < PROBLEM_NUMBERS; k++) p->scratch[k] *= sign;
    if (y) nb_sum_add_forces(&p->view, NULL, y, p->scratch);
    mass->type->solve(mass, p->view.dynamic_count, p->view.dynamic, p->scratch, p->velocity);
}

static inline void problem_momentum_rows(const nb_problem *problem, real *out) {
    node_problem *p = (node_problem *)problem;
    problem_answer(p, 1, NULL);
    nb_sum_row_velocities(&p->view, p->velocity, out);
}

static inline void problem_velocity_step(const nb_problem *problem, const real *y, real *du) {
    node_problem *p = (node_problem *)problem;
    problem_answer(p, -1, y);
    narrow_nodes(problem->nodes, p->velocity, du);
}

static inline void problem_rows_of_velocity(const nb_problem *problem, const real *du, real *out) {
    node_problem *p = (node_problem *)problem;
    widen_nodes(problem->nodes, du, p->scratch);
    nb_sum_row_velocities(&p->view, p->scratch, out);
}

static inline double problem_momentum_error(const nb_problem *problem) {
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
static inline nb_problem *node_problem_finish(node_problem *p, const nb_mass *mass, const nb_pack *pack,
                                              const nb_law *law) {
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

#endif
