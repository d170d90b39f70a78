/* The order of the trajectory kernel's stages (see island/program.h, whose macros are defined before). */
#ifndef NB_TRAJECTORY_STEPS_H
#define NB_TRAJECTORY_STEPS_H

#include "island/program.h"
#include "trajectory/stages.h"

#define NB_TRAJECTORY_ARGUMENTS                                                                \
    nb_trajectory *c, const nb_trajectory_scene *k, nb_island *v, const nb_island_settings *p, \
        const nb_island_shared *s, nb_island_lane *lanes
#define NB_TRAJECTORY_VALUES c, k, v, p, s, lanes

/* contacts of the bodies where they are; returns how deep they are in each other */
NB_PROGRAM double nb_trajectory_detect(NB_TRAJECTORY_ARGUMENTS) {
    double sums[NB_ISLAND_SUMS];
    (void)p;
    NB_EACH(nb_trajectory_place(c, k, t, s->threads));
    NB_EACH(nb_trajectory_find_near(c, k, t, s->threads));
    NB_EACH(if (t == 0) nb_trajectory_list_near(c, k, v));
    for (int32_t first = 0; first < c->near_pairs; first += k->turn) {
        NB_EACH(nb_trajectory_collide(c, k, first, t, s->threads));
        NB_EACH(if (t == 0) nb_trajectory_number(c, k, first, v));
        NB_EACH(nb_trajectory_list(c, k, first, t, s->threads));
    }
    NB_OWN(nb_trajectory_measure_depth(c, v, l, t));
    NB_REDUCE(NB_LARGEST);
    return sums[NB_ISLAND_SUMS - 1];
}

/* the island's arrays at the start of the step */
NB_PROGRAM void nb_trajectory_begin(NB_TRAJECTORY_ARGUMENTS, int32_t step) {
    NB_EACH(nb_trajectory_begin_bodies(c, k, v, t, s->threads); nb_trajectory_begin_joints(c, k, step, t, s->threads));
    NB_EACH(nb_trajectory_begin_contact(c, k, v, t); nb_trajectory_begin_joint_row(c, k, p, v, t));
    NB_EACH(nb_trajectory_count_sides(v, t, s->threads));
    NB_EACH(if (t == 0) nb_trajectory_add_sides(v));
    NB_EACH(nb_trajectory_list_sides(v, t, s->threads));
    NB_EACH(nb_island_load(v, l, t); nb_island_load_bodies(v, s, t, s->threads));
}

/* the natural map of the iterate; with `values` the largest value of a row in its place */
NB_PROGRAM double nb_trajectory_measure(NB_TRAJECTORY_ARGUMENTS, int values) {
    double sums[NB_ISLAND_SUMS];
    (void)p;
    NB_EACH(nb_trajectory_measure_contact(c, k, v, s, l, t, values);
            nb_trajectory_measure_joint_row(c, k, s, l, t, values));
    if (!values) NB_OWN(nb_trajectory_measure_bodies(c, s, l, t, s->threads));
    NB_REDUCE(NB_LARGEST);
    return sums[NB_ISLAND_SUMS - 1];
}

/* Newton iterations until the step ends, as nb_device_step_read has it */
NB_PROGRAM void nb_trajectory_solve(NB_TRAJECTORY_ARGUMENTS, nb_trajectory_row *row) {
    nb_reason reason = NB_REASON_NONE;
    nb_island_report own, *report = &own;
    double scale = INFINITY; /* not known yet */
    row->newton_iterations = 0;
    row->products = 0;
    for (;;) {
        const double error = nb_trajectory_measure(NB_TRAJECTORY_VALUES, 0);
        row->natural_map = error;
        if (row->newton_iterations == 0)
            scale = nb_island_larger(error, nb_trajectory_measure(NB_TRAJECTORY_VALUES, 1));
        if (!isfinite(error) || error > 1e8 * scale) reason = NB_REASON_DIVERGED;
        if (k->tolerance > 0 && error <= k->tolerance) reason = NB_REASON_CONVERGED;
        if (reason == NB_REASON_NONE && row->newton_iterations == p->newton_iterations) reason = NB_REASON_ITERATIONS;
        if (reason != NB_REASON_NONE) break;
        nb_island_iterate(NB_PROGRAM_VALUES, 0);
        row->newton_iterations++;
        row->products += report->products;
    }
    row->reason = reason;
}

#if NB_REAL_BITS == 64
#include "trajectory/exact_steps.h"
#else
typedef struct nb_exact {
    nb_body_factor factor;
} nb_exact, nb_exact_lane; /* of no use */
#endif

/* what the block's shared memory has behind the island's */
NB_FN void nb_exact_share(const nb_trajectory *c, const nb_trajectory_scene *k, const nb_island *v, double *memory,
                          nb_exact *at) {
    nb_body_factor_share(v->bodies, v->threads, k->near_blocks, memory + nb_island_shared_bytes(v) / 8 + 1,
                         c->far_blocks, &at->factor);
}

/* with `at`, in double alone, by the interior point */
NB_PROGRAM void nb_trajectory_step(NB_TRAJECTORY_ARGUMENTS, nb_exact *at, nb_exact_lane *exact, int32_t step,
                                   nb_trajectory_row *row) {
    double sums[NB_ISLAND_SUMS];
    nb_trajectory_begin(NB_TRAJECTORY_VALUES, step);
#if NB_REAL_BITS == 64
    if (at)
        nb_exact_solve(NB_TRAJECTORY_VALUES, at, exact, row);
    else
#endif
        nb_trajectory_solve(NB_TRAJECTORY_VALUES, row);
    (void)at, (void)exact;
    NB_EACH(nb_trajectory_move(c, k, s, l, t, s->threads));
    if (k->springs) NB_OWN(nb_trajectory_add_spring(c, k, l, t - s->joint_first));
    NB_REDUCE(NB_SUM);
    row->kinetic_energy = sums[0];
    row->potential_energy = sums[1];
}

/* `steps` steps of a copy; rows [steps] are all zeros before, as those of steps that are not made stay. How deep bodies
 * are in each other at the end of a step is known where the next one begins. */
NB_PROGRAM void nb_trajectory_program(NB_TRAJECTORY_ARGUMENTS, nb_exact *at, nb_exact_lane *exact, int32_t steps,
                                      nb_trajectory_row *rows) {
    const int32_t made = c->made;
    int ended = c->ended;
    for (int32_t i = 0; !ended; i++) {
        nb_trajectory_row row;
        const double depth = nb_trajectory_detect(NB_TRAJECTORY_VALUES);
        if (i > 0) NB_ONE(rows[i - 1].penetration = depth);
        if (i == steps) {
            NB_ONE(c->made = made + steps);
            break;
        }
        row.natural_map = row.kinetic_energy = row.potential_energy = row.penetration = row.products = NAN;
        row.newton_iterations = 0;
        row.reason = NB_REASON_NONE;
        row.contacts = c->crowded ? c->crowded : c->found_total;
        row.crowded = c->crowded > 0;
        ended = c->contacts < c->found_total;
        if (!ended) {
            nb_trajectory_step(NB_TRAJECTORY_VALUES, at, exact, made + i, &row);
            ended = row.reason == NB_REASON_DIVERGED;
        }
        NB_ONE((rows[i] = row, c->ended = ended));
    }
}

#endif
