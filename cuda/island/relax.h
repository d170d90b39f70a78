/* Gauss-Seidel in the island kernel (private to program.h): contact after contact in colour order, as the processor's
 * does with order=colour. Each element has its *turn* in a sweep: elements of one turn touch no body with mass
 * together, those of a pair of bodies follow each other. The velocities of x are carried along in shared memory. */
#ifndef NB_ISLAND_RELAX_H
#define NB_ISLAND_RELAX_H

#include "island/stages.h"
#include "symmetric_block.h"

NB_FN void nb_island_clear_velocities(const nb_island_shared *s, int t, int threads) {
    for (int32_t i = t; i < 6 * s->slots; i += threads) s->velocity[i] = 0;
}

/* the block of D of a contact by rows, its lower triangle */
NB_FN void nb_island_contact_block(const nb_island_shared *s, const nb_island_lane *l, real block[9]) {
    real frame[9], inverse[7], turned[3], moved[3];
    nb_island_frame(l, frame);
    for (int k = 0; k < 9; k++) block[k] = 0;
    for (int side = 0; side < 2; side++) {
        const real *arm = l->geometry + 6 + 3 * side;
        nb_island_of_slot(s->inverse_mass, s->slots, side ? l->b : l->a, 7, inverse);
        for (int k = 0; k < 3; k++) {
            nb_lane_cross(arm, frame + 3 * k, turned);
            nb_island_symmetric(inverse + 1, turned, moved);
            for (int i = 0; i <= k; i++) {
                nb_lane_cross(arm, frame + 3 * i, turned);
                block[3 * k + i] += inverse[0] * nb_lane_dot(frame + 3 * i, frame + 3 * k) + nb_lane_dot(turned, moved);
            }
        }
    }
}

/* factorises the element's own block of A */
NB_FN void nb_island_set_factor(const nb_island_shared *s, nb_island_lane *l) {
    real block[9];
    int at = 0;
    if (l->kind == 1) {
        nb_island_contact_block(s, l, block);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i <= k; i++) {
                block[3 * k + i] *= l->s[k > 0] * l->s[i > 0];
                if (i == k) block[4 * k] += l->c[k > 0];
            }
        nb_block_factorize_symmetric(3, block, NB_PIVOT_SKIP);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i <= k; i++) l->factor[at++] = block[3 * k + i];
    } else if (l->kind == 2) {
        l->factor[0] = l->s[0] * l->s[0] * l->diagonal[0] + l->c[0];
        nb_block_factorize_symmetric(1, l->factor, NB_PIVOT_SKIP);
    }
}

NB_FN void nb_island_solve_block(const nb_island_lane *l, real y[3]) {
    real block[9];
    int at = 0;
    if (l->kind == 2) {
        y[0] *= l->factor[0];
        return;
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i <= k; i++) block[3 * k + i] = l->factor[at++];
    nb_block_solve_symmetric(3, block, y);
}

/* velocity += sign H^-1 (force, torque) of a slot with mass */
NB_FN void nb_island_push(const nb_island_shared *s, int32_t slot, real sign, const real force[3],
                          const real torque[3]) {
    real inverse[7], turned[3];
    if (slot < 0 || slot >= s->bodies) return;
    nb_island_of_slot(s->inverse_mass, s->slots, slot, 7, inverse);
    nb_island_symmetric(inverse + 1, torque, turned);
    for (int k = 0; k < 3; k++) {
        s->velocity[k * s->slots + slot] += sign * inverse[0] * force[k];
        s->velocity[(3 + k) * s->slots + slot] += sign * turned[k];
    }
}

/* the velocities of row impulses y of the element */
NB_FN void nb_island_push_element(const nb_island_shared *s, const nb_island_lane *l, const real y[3]) {
    if (l->kind == 2) {
        nb_island_push(s, l->a, y[0], l->geometry, l->geometry + 3);
        nb_island_push(s, l->b, y[0], l->geometry + 6, l->geometry + 9);
    } else {
        real frame[9], force[3], torque[3];
        nb_island_frame(l, frame);
        for (int k = 0; k < 3; k++) force[k] = y[0] * frame[k] + y[1] * frame[3 + k] + y[2] * frame[6 + k];
        nb_lane_cross(l->geometry + 6, force, torque);
        nb_island_push(s, l->a, 1, force, torque);
        nb_lane_cross(l->geometry + 9, force, torque);
        nb_island_push(s, l->b, -1, force, torque);
    }
}

/* The elements whose turn it is: x_B += omega A_BB^-1 (b - A x)_B. Sum: the energy of the residuals. */
NB_FN void nb_island_relax(const nb_island *v, const nb_island_settings *p, const nb_island_shared *s,
                           nb_island_lane *l, int t, int32_t turn) {
    real u[3], y[3], residual[3];
    if (!l->kind || v->turn[t] != turn) return;
    nb_island_row_velocities(s, l, s->velocity, u);
    for (int k = 0; k < 3; k++) {
        residual[k] = nb_island_has_row(l, k) ? l->b_rows[k] - l->s[k > 0] * u[k] - l->c[k > 0] * l->x[k] : R(0);
        y[k] = residual[k];
    }
    nb_island_solve_block(l, y);
    for (int k = 0; k < 3; k++) {
        real change = p->omega * y[k];
        l->sums[0] += (double)residual[k] * (double)y[k];
        l->x[k] += change;
        y[k] = l->s[k > 0] * change;
    }
    nb_island_push_element(s, l, y);
}

#endif
