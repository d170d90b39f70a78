/* The stages of the island kernel: functions of a thread's number and of what it keeps. Between two of them that
 * exchange something stands a barrier; within one, no thread reads what another writes. */
#ifndef NB_ISLAND_STAGES_H
#define NB_ISLAND_STAGES_H

#include "constraint/contact_row.h"
#include "island/view.h"

#define NB_LANE real
#include "constraint/joint_formulas.h"

/* what becomes of the forces that a body has gathered */
typedef enum nb_island_gathering {
    NB_ISLAND_PRODUCT,  /* velocity = H^-1 f */
    NB_ISLAND_MOMENTUM, /* velocity = momentum = H^-1 g = (u - u~) - H^-1 f */
    NB_ISLAND_UPDATE,   /* u += t (H^-1 f - momentum) */
    NB_ISLAND_FORCE     /* velocity = f */
} nb_island_gathering;

/* which of the sums of all lanes are largest numbers: those from there on */
enum {
    NB_ALL_LARGEST_BUT_FIRST = 1,
    NB_LARGEST = NB_ISLAND_SUMS - 1,
    NB_SUM = NB_ISLAND_SUMS
};

NB_FN void nb_island_clear_sums(nb_island_lane *l) {
    for (int k = 0; k < NB_ISLAND_SUMS; k++) l->sums[k] = 0;
}

/* the larger one; NaN where either is */
NB_FN double nb_island_larger(double a, double b) {
    return b > a || isnan(b) ? b : a;
}

/* frame[9] from n and t1 */
NB_FN void nb_island_frame(const nb_island_lane *l, real frame[9]) {
    for (int k = 0; k < 6; k++) frame[k] = l->geometry[k];
    nb_lane_cross(frame, frame + 3, frame + 6);
}

NB_FN void nb_island_of_slot(const real *array, int32_t slots, int32_t slot, int count, real *to) {
    for (int k = 0; k < count; k++) to[k] = array[k * slots + slot];
}

/* ---- the start ---- */

NB_FN void nb_island_load(const nb_island *v, nb_island_lane *l, int t) {
    l->kind = t < v->contacts ? 1 : t >= v->joint_first && t < v->joint_first + v->joint_rows ? 2 : 0;
    l->a = l->kind ? v->a[t] : -1;
    l->b = l->kind ? v->b[t] : -1;
    for (int k = 0; k < 12; k++) l->geometry[k] = l->kind ? v->geometry[k * v->threads + t] : R(0);
    for (int k = 0; k < 3; k++) {
        l->z[k] = l->kind == 1 || (l->kind == 2 && k == 0) ? v->z[k * v->threads + t] : R(0);
        l->root[k] = l->diagonal[k] = l->b_rows[k] = l->x[k] = l->d[k] = l->q[k] = l->r[k] = l->w[k] = 0;
    }
    l->s[0] = l->s[1] = l->c[0] = l->c[1] = 0;
    l->update[0] = l->update[1] = 1;
    nb_island_clear_sums(l);
}

/* slots t, t + threads, ... */
NB_FN void nb_island_load_bodies(const nb_island *v, const nb_island_shared *s, int t, int threads) {
    for (int32_t i = t; i < s->slots; i += threads)
        for (int k = 0; k < 6; k++) {
            s->motion[k * s->slots + i] = v->u[k * s->slots + i];
            s->velocity[k * s->slots + i] = s->momentum[k * s->slots + i] = 0;
        }
    for (int32_t i = t; i < 7 * s->slots; i += threads) s->inverse_mass[i] = v->inverse_mass[i];
    for (int32_t i = t; i <= s->bodies; i += threads) s->side_start[i] = v->side_start[i];
    for (int32_t i = t; i < (int32_t)nb_island_sides(v); i += threads) s->side_list[i] = v->side_list[i];
}

NB_FN void nb_island_set_motion(const nb_island_settings *p, const nb_island_shared *s, int t, int threads) {
    for (int32_t i = t; i < s->slots; i += threads) {
        real omega[3];
        nb_island_of_slot(s->motion + 3 * s->slots, s->slots, i, 3, omega);
        s->motion[NB_MOTION_SCALE * s->slots + i] = nb_lane_motion_scale(p->h, omega);
    }
}

/* ---- assembly ---- */

/* a contact's arms, the values of its rows and the diagonal of D */
NB_FN void nb_island_evaluate_contact(const nb_island *v, const nb_island_settings *p, const nb_island_shared *s,
                                      nb_island_lane *l, int t, real value[3]) {
    real frame[9], motion[7], inverse[7], start[3], moved_a[3] = {0}, moved_b[3] = {0}, slip_a[3], slip_b[3];
    real *arm_a = l->geometry + 6, *arm_b = l->geometry + 9;
    nb_island_frame(l, frame);
    nb_island_of_slot(s->motion, s->slots, l->a, 7, motion);
    if (!p->contacts_linear) {
        nb_island_of_slot(v->geometry + 6 * s->elements, s->elements, t, 3, start);
        nb_lane_advance_contact(motion, p->h, start, v->arms_turn[t], arm_a, moved_a);
    }
    nb_lane_velocity_at(motion, arm_a, slip_a);
    nb_island_of_slot(s->motion, s->slots, l->b, 7, motion);
    if (!p->contacts_linear) {
        nb_island_of_slot(v->geometry + 9 * s->elements, s->elements, t, 3, start);
        nb_lane_advance_contact(motion, p->h, start, v->arms_turn[t], arm_b, moved_b);
    }
    nb_lane_velocity_at(motion, arm_b, slip_b);
    for (int k = 0; k < 3; k++) {
        slip_a[k] -= slip_b[k];
        moved_a[k] = p->contacts_linear ? slip_a[k] : moved_a[k] - moved_b[k];
        l->diagonal[k] = 0;
    }
    value[0] = v->offset[t] + nb_lane_dot(frame, moved_a);
    value[1] = nb_lane_dot(frame + 3, slip_a);
    value[2] = nb_lane_dot(frame + 6, slip_a);
    nb_island_of_slot(s->inverse_mass, s->slots, l->a, 7, inverse);
    nb_lane_add_share(inverse, arm_a, frame, l->diagonal);
    nb_island_of_slot(s->inverse_mass, s->slots, l->b, 7, inverse);
    nb_lane_add_share(inverse, arm_b, frame, l->diagonal);
    for (int k = 0; k < 6; k++) s->arm[k * s->elements + t] = l->geometry[6 + k];
}

/* what J of a joint row makes of the velocities of its bodies */
NB_FN real nb_island_joint_row_velocity(const nb_island_shared *s, const nb_island_lane *l, const real *velocity) {
    real sum = 0;
    for (int k = 0; k < 6; k++) {
        if (l->a >= 0) sum += l->geometry[k] * velocity[k * s->slots + l->a];
        if (l->b >= 0) sum += l->geometry[6 + k] * velocity[k * s->slots + l->b];
    }
    return sum;
}

/* how a slot moves, or the world (-1) */
NB_FN void nb_island_motion_of(const nb_island_shared *s, int32_t slot, real motion[7]) {
    for (int k = 0; k < 6; k++) motion[k] = 0;
    motion[NB_MOTION_SCALE] = 2;
    if (slot >= 0) nb_island_of_slot(s->motion, s->slots, slot, 7, motion);
}

/* c_b/h of a joint row. Where it moves, it is also written where bodies gather by it. */
NB_FN real nb_island_evaluate_joint_row(const nb_island *v, const nb_island_settings *p, const nb_island_shared *s,
                                        nb_island_lane *l, int t) {
    real motion_a[7], motion_b[7], start[NB_JOINT_NUMBERS];
    if (!v->joints_move) return v->offset[t] + nb_island_joint_row_velocity(s, l, s->motion);
    nb_island_motion_of(s, l->a, motion_a);
    nb_island_motion_of(s, l->b, motion_b);
    nb_island_of_slot(v->joint, s->elements, t, NB_JOINT_NUMBERS, start);
    real value = nb_joint_moved(v->motion[t], start, v->offset[t], p->h, motion_a, motion_b, l->geometry);
    for (int k = 0; k < 12; k++) v->geometry[k * s->elements + t] = l->geometry[k];
    return value;
}

/* y = m x, m as xx yy zz xy xz yz */
NB_FN void nb_island_symmetric(const real m[6], const real x[3], real y[3]) {
    y[0] = m[0] * x[0] + m[3] * x[1] + m[4] * x[2];
    y[1] = m[3] * x[0] + m[1] * x[1] + m[5] * x[2];
    y[2] = m[4] * x[0] + m[5] * x[1] + m[2] * x[2];
}

NB_FN real nb_island_joint_row_diagonal(const nb_island_shared *s, const nb_island_lane *l) {
    real sum = 0, inverse[7], turned[3];
    for (int side = 0; side < 2; side++) {
        int32_t slot = side ? l->b : l->a;
        const real *j = l->geometry + 6 * side;
        if (slot < 0) continue;
        nb_island_of_slot(s->inverse_mass, s->slots, slot, 7, inverse);
        nb_island_symmetric(inverse + 1, j + 3, turned);
        sum += inverse[0] * nb_lane_dot(j, j) + nb_lane_dot(j + 3, turned);
    }
    return sum;
}

/* the mean of a contact's two tangent rows */
NB_FN real nb_island_friction_mass(const nb_island_lane *l) {
    return (l->diagonal[1] + l->diagonal[2]) * R(0.5);
}

/* the force of row impulses y on body a in the world's axes, into shared memory */
NB_FN void nb_island_put_force(const nb_island_shared *s, const nb_island_lane *l, int t, const real y[3]) {
    real frame[9];
    if (l->kind == 2) s->force[t] = y[0];
    if (l->kind != 1) return;
    nb_island_frame(l, frame);
    for (int k = 0; k < 3; k++)
        s->force[k * s->elements + t] = y[0] * frame[k] + y[1] * frame[3 + k] + y[2] * frame[6 + k];
}

/* The rows of the Newton system but for the momentum's part of b, and the forces of z. */
NB_FN void nb_island_assemble(const nb_island *v, const nb_island_settings *p, const nb_island_shared *s,
                              nb_island_lane *l, int t) {
    real value[3], z[3];
    if (l->kind == 1) {
        nb_island_evaluate_contact(v, p, s, l, t, value);
        nb_contact_row row =
            nb_contact_row_of(p->ncp, p->scaling, p->paper_row_scaling, p->h, p->alpha_minimum, p->soft, 1,
                              v->coefficient[t], value, l->z, l->diagonal[0], nb_island_friction_mass(l));
        for (int k = 0; k < 2; k++) {
            l->s[k] = row.s[k];
            l->c[k] = row.c[k];
            l->update[k] = row.update[k];
        }
        for (int k = 0; k < 3; k++) l->b_rows[k] = row.b[k];
    } else if (l->kind == 2) {
        real compliance = v->coefficient[t], c = nb_island_evaluate_joint_row(v, p, s, l, t);
        l->diagonal[0] = nb_island_joint_row_diagonal(s, l);
        l->s[0] = 1;
        l->c[0] = compliance;
        l->b_rows[0] = -(c + compliance * l->z[0]);
    }
    /* the literal form weighs the forces of the momentum residual as well */
    for (int k = 0; k < 3; k++) z[k] = p->paper_row_scaling ? l->s[k > 0] * l->z[k] : l->z[k];
    nb_island_put_force(s, l, t, z);
}

/* J times velocities in shared memory */
NB_FN void nb_island_row_velocities(const nb_island_shared *s, const nb_island_lane *l, const real *velocities,
                                    real out[3]) {
    real frame[9], velocity[6], at_a[3], at_b[3];
    out[0] = out[1] = out[2] = 0;
    if (l->kind == 2) out[0] = nb_island_joint_row_velocity(s, l, velocities);
    if (l->kind != 1) return;
    nb_island_of_slot(velocities, s->slots, l->a, 6, velocity);
    nb_lane_velocity_at(velocity, l->geometry + 6, at_a);
    nb_island_of_slot(velocities, s->slots, l->b, 6, velocity);
    nb_lane_velocity_at(velocity, l->geometry + 9, at_b);
    for (int k = 0; k < 3; k++) at_a[k] -= at_b[k];
    nb_island_frame(l, frame);
    for (int k = 0; k < 3; k++) out[k] = nb_lane_dot(frame + 3 * k, at_a);
}

/* 1 for the rows that the element has */
NB_FN int nb_island_has_row(const nb_island_lane *l, int k) {
    return l->kind == 1 || (l->kind == 2 && k == 0);
}

/* Regularisation, the momentum's part of b, the preconditioner, and the linear solver's start. Sums: b . b, the
 * residual's square, and the largest |b|. */
NB_FN void nb_island_finish_rows(const nb_island_settings *p, const nb_island_shared *s, nb_island_lane *l) {
    real jv[3], eps = p->regularization, mass[2];
    nb_island_row_velocities(s, l, s->velocity, jv);
    nb_island_clear_sums(l);
    mass[0] = l->diagonal[0];
    mass[1] = nb_island_friction_mass(l);
    for (int k = 0; k < 2; k++)
        if (nb_island_has_row(l, k))
            l->c[k] += eps * (p->regularization_absolute ? R(1) : l->s[k] * l->s[k] * mass[k] + l->c[k]);
    for (int k = 0; k < 3; k++) {
        real weight = l->s[k > 0], diagonal = weight * weight * l->diagonal[k] + l->c[k > 0];
        l->b_rows[k] += weight * jv[k];
        double b = (double)l->b_rows[k];
        l->sums[0] += b * b;
        l->sums[3] = nb_island_larger(l->sums[3], fabs(b));
        if (p->solver == NB_ISLAND_JACOBI)
            l->root[k] = diagonal > 0 ? NB_SQRT(p->omega / diagonal) : R(0);
        else if (p->precondition)
            l->root[k] = diagonal != 0 ? NB_SQRT(1 / NB_ABS(diagonal)) : R(0);
        else
            l->root[k] = nb_island_has_row(l, k) ? R(1) : R(0);
        l->r[k] = l->root[k] * l->b_rows[k];
        l->x[k] = l->d[k] = l->q[k] = 0;
        l->sums[1] += (double)l->r[k] * (double)l->r[k];
    }
}

/* ---- bodies ---- */

/* what one of a body's lanes gathers of its force and torque */
NB_FN void nb_island_gather(const nb_island *v, const nb_island_shared *s, int32_t body, int lane, real total[6]) {
    for (int k = 0; k < 6; k++) total[k] = 0;
    if (body >= s->bodies) return;
    for (int32_t e = s->side_start[body] + lane; e < s->side_start[body + 1]; e += NB_ISLAND_BODY_LANES) {
        int32_t element = s->side_list[e] / 2, side = s->side_list[e] % 2;
        if (element >= s->joint_first) {
            real f = s->force[element];
            for (int k = 0; k < 6; k++) total[k] += f * v->geometry[(6 * side + k) * s->elements + element];
        } else {
            real f[3], arm[3], torque[3], sign = side ? R(-1) : R(1);
            nb_island_of_slot(s->force, s->elements, element, 3, f);
            nb_island_of_slot(s->arm + 3 * side * s->elements, s->elements, element, 3, arm);
            nb_lane_cross(arm, f, torque);
            for (int k = 0; k < 3; k++) {
                total[k] += sign * f[k];
                total[3 + k] += sign * torque[k];
            }
        }
    }
}

/* What the body with mass makes of its whole force (half 0), or of its whole torque (half 1): the two are of no concern
 * to each other. */
NB_FN void nb_island_move_body(const nb_island *v, const nb_island_settings *p, const nb_island_shared *s,
                               nb_island_gathering what, int32_t body, int half, const real f[3]) {
    real inverse[7], out[3];
    nb_island_of_slot(s->inverse_mass, s->slots, body, 7, inverse);
    nb_island_symmetric(inverse + 1, f, out);
    for (int k = 0; k < 3; k++) {
        int32_t at = (3 * half + k) * s->slots + body;
        if (half == 0) out[k] = inverse[0] * f[k];
        if (what == NB_ISLAND_FORCE) {
            s->velocity[at] = f[k];
        } else if (what == NB_ISLAND_PRODUCT) {
            s->velocity[at] = out[k];
        } else if (what == NB_ISLAND_MOMENTUM) {
            s->velocity[at] = s->momentum[at] = s->motion[at] - v->u_free[at] - out[k];
        } else {
            s->motion[at] += p->damping * (out[k] - s->momentum[at]);
        }
    }
}

/* ---- the linear solver ---- */

/* the forces of the vector y of the solver's space */
NB_FN void nb_island_put(const nb_island_shared *s, const nb_island_lane *l, int t, const real y[3]) {
    real weighted[3];
    for (int k = 0; k < 3; k++) weighted[k] = l->s[k > 0] * l->root[k] * y[k];
    nb_island_put_force(s, l, t, weighted);
}

/* w = A y from the bodies' velocities, in the solver's space */
NB_FN void nb_island_product(const nb_island_shared *s, nb_island_lane *l, const real y[3]) {
    real jv[3];
    nb_island_row_velocities(s, l, s->velocity, jv);
    for (int k = 0; k < 3; k++) l->w[k] = l->root[k] * (l->s[k > 0] * jv[k] + l->c[k > 0] * l->root[k] * y[k]);
}

/* Sums: r . r, r . w, w . w, and w . q in the last. */
NB_FN void nb_island_pcr_product(const nb_island_shared *s, nb_island_lane *l) {
    nb_island_product(s, l, l->r);
    nb_island_clear_sums(l);
    for (int k = 0; k < 3; k++) {
        double r = (double)l->r[k], w = (double)l->w[k];
        l->sums[0] += r * r;
        l->sums[1] += r * w;
        l->sums[2] += w * w;
        l->sums[3] += w * (double)l->q[k];
    }
}

NB_FN void nb_island_pcr_step(const nb_island_shared *s, nb_island_lane *l, int t, real alpha, real beta) {
    for (int k = 0; k < 3; k++) {
        l->d[k] = l->r[k] + beta * l->d[k];
        l->q[k] = l->w[k] + beta * l->q[k];
        l->x[k] += alpha * l->d[k];
        l->r[k] -= alpha * l->q[k];
    }
    nb_island_put(s, l, t, l->r);
}

NB_FN void nb_island_pcg_direction(const nb_island_shared *s, nb_island_lane *l, int t, real beta) {
    for (int k = 0; k < 3; k++) l->d[k] = l->r[k] + beta * l->d[k];
    nb_island_put(s, l, t, l->d);
}

/* Sum: d . A d. */
NB_FN void nb_island_pcg_product(const nb_island_shared *s, nb_island_lane *l) {
    nb_island_product(s, l, l->d);
    nb_island_clear_sums(l);
    for (int k = 0; k < 3; k++) l->sums[0] += (double)l->d[k] * (double)l->w[k];
}

/* x += alpha y, r -= alpha w. Sum: r . r. */
NB_FN void nb_island_step(nb_island_lane *l, real alpha, const real y[3]) {
    nb_island_clear_sums(l);
    for (int k = 0; k < 3; k++) {
        real r = l->r[k] - alpha * l->w[k];
        l->x[k] += alpha * y[k];
        l->r[k] = r;
        l->sums[0] += (double)r * (double)r;
    }
}

/* ---- the end of a Newton iteration ---- */

/* The row impulses' change in x, and its forces; NaN in the sum where it is not finite. */
NB_FN void nb_island_take_solution(const nb_island_shared *s, nb_island_lane *l, int t) {
    real weighted[3];
    nb_island_clear_sums(l);
    for (int k = 0; k < 3; k++) {
        l->x[k] *= l->root[k];
        l->sums[0] += 0 * (double)l->x[k];
        weighted[k] = l->s[k > 0] * l->x[k];
    }
    nb_island_put_force(s, l, t, weighted);
}

NB_FN void nb_island_drop_solution(const nb_island_shared *s, nb_island_lane *l, int t) {
    for (int k = 0; k < 3; k++) l->x[k] = 0;
    nb_island_put_force(s, l, t, l->x);
}

/* Takes the step; largest: w |dz|. */
NB_FN void nb_island_move_rows(const nb_island_settings *p, nb_island_lane *l) {
    nb_island_clear_sums(l);
    for (int k = 0; k < 3; k++) {
        real change = p->damping * l->update[k > 0] * l->x[k];
        real mass = k == 0 ? l->diagonal[0] : nb_island_friction_mass(l);
        double size = fabs((double)(change * mass));
        l->z[k] += change;
        l->sums[3] = nb_island_larger(l->sums[3], size);
    }
}

/* The iterate into memory; zeros where a lane has no row. The block may have threads beyond the island's. */
NB_FN void nb_island_store(const nb_island *v, const nb_island_shared *s, const nb_island_lane *l, int t, int threads,
                           int32_t place) {
    real *u = v->iterates + place * nb_island_iterate_length(v), *z = u + 6 * s->slots;
    for (int32_t i = t; i < s->slots; i += threads)
        for (int k = 0; k < 6; k++) u[k * s->slots + i] = s->motion[k * s->slots + i];
    for (int k = 0; k < 3 && t < s->elements; k++) z[k * s->elements + t] = l->z[k];
}

#endif
