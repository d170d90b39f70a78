/* The stages of a step's exact solution: the interior point of method/interior_point/island_loop.h, where a contact is
 * a thread's and contacts are linear. Its equations and variables are written there; cones are those of cone/cone.h. */
#ifndef NB_TRAJECTORY_EXACT_STAGES_H
#define NB_TRAJECTORY_EXACT_STAGES_H

#include "cone/smoothed_cone.h"
#include "trajectory/body_factor.h"

/* what a thread keeps of its contact */
typedef struct nb_exact_lane {
    double s[3], compliance; /* S; S E S of the normal */
    double x[3], y[3], centre[3], residual[3], dx[3], dy[3];
    nb_cone_scaling scaling;
    double tilt[2]; /* theta y_T/|y_T| */
    double inverse[9], right[3];
} nb_exact_lane;

/* what all threads know alike */
typedef struct nb_exact {
    double unit, eps, theta;   /* as in island_loop.h */
    double speed;              /* root mean square of the rows' values without impulses [m/s] */
    double tau, size, far_off; /* x.y a contact; largest residual; largest |x - c| */
    double least, before;      /* progress */
    int32_t idle, centres;     /* iterations without; proximal points */
    int failed;                /* the last step was none */
    nb_body_factor factor;
} nb_exact;

/* ---- the start ---- */

/* masses, and the velocities without impulses as the first iterate */
NB_FN void nb_exact_begin_bodies(nb_trajectory *c, const nb_trajectory_scene *k, const nb_island *v,
                                 const nb_island_shared *s, int t, int threads) {
    for (int32_t i = t; i < s->bodies; i += threads) {
        const nb_body *body = &c->world.bodies[k->body[i]];
        c->mass[i] = body->mass;
        c->inertia[i] = nb_turned_inertia(body, body->orientation);
        for (int j = 0; j < 6; j++) s->motion[j * s->slots + i] = v->u_free[j * s->slots + i];
    }
}

/* S [1/sqrt(kg)], the arms, and x = y = e */
NB_FN void nb_exact_begin_contact(const nb_trajectory *c, const nb_trajectory_scene *k, const nb_island *v,
                                  const nb_island_shared *s, const nb_island_lane *l, int t, nb_exact_lane *e) {
    for (int i = 0; i < 3; i++) e->s[i] = e->x[i] = e->y[i] = e->centre[i] = 0;
    if (l->kind != 1) return;
    const double mu = v->coefficient[t], normal = c->weight[2 * t] + k->soft, across = c->weight[2 * t + 1];
    const double weight = mu > 0 ? sqrt(3 / (normal + 2 * mu * mu * across)) : 1 / sqrt(normal);
    e->s[0] = weight;
    e->s[1] = e->s[2] = mu * weight;
    e->compliance = k->soft * weight * weight;
    e->x[0] = e->y[0] = 1;
    for (int i = 0; i < 6; i++) s->arm[i * s->elements + t] = l->geometry[6 + i];
}

/* S times the values of the rows at the iterate */
NB_FN void nb_exact_values(const nb_island *v, const nb_island_shared *s, const nb_island_lane *l, int t,
                           const nb_exact_lane *e, double value[3]) {
    nb_island_row_velocities(s, l, s->motion, value);
    if (l->kind == 1) value[0] += v->offset[t];
    for (int i = 0; i < 3; i++) value[i] *= e->s[i];
}

/* Sums: the squares of these, and of the values themselves. */
NB_FN void nb_exact_sum_squares(const nb_island *v, const nb_island_shared *s, nb_island_lane *l, int t,
                                const nb_exact_lane *e) {
    double value[3];
    nb_island_clear_sums(l);
    nb_exact_values(v, s, l, t, e, value);
    for (int i = 0; i < 3; i++) {
        l->sums[0] += value[i] * value[i];
        l->sums[1] += e->s[i] > 0 ? value[i] * value[i] / (e->s[i] * e->s[i]) : 0;
    }
}

/* ---- a warm start ---- */

NB_INLINE_FN int nb_exact_is_before(const nb_trajectory_memory *m, const nb_contact *contact) {
    if (m->body_a != contact->body_a) return m->body_a < contact->body_a;
    if (m->body_b != contact->body_b) return m->body_b < contact->body_b;
    return m->feature < contact->feature;
}

/* The contact's impulses z in the step before, 0 where it had none, and x of these; and the velocities before, of each
 * thread those of its bodies. */
NB_FN void nb_exact_recall(const nb_trajectory *c, const nb_trajectory_scene *k, const nb_island_shared *s,
                           nb_island_lane *l, int t, int threads, const nb_exact *at, nb_exact_lane *e) {
    int32_t low = 0, high = c->remembered;
    for (int32_t i = t; i < s->bodies; i += threads) {
        const nb_body *body = &c->world.bodies[k->body[i]];
        nb_trajectory_put(s->motion, s->slots, i, body->linear_velocity);
        nb_trajectory_put(s->motion + 3 * s->slots, s->slots, i, body->angular_velocity);
    }
    if (l->kind != 1) return;
    const nb_contact *contact = &c->contact[t];
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (nb_exact_is_before(&c->memory[middle], contact))
            low = middle + 1;
        else
            high = middle;
    }
    const nb_trajectory_memory *m = &c->memory[low];
    const int known = low < c->remembered && m->body_a == contact->body_a && m->body_b == contact->body_b &&
                      m->feature == contact->feature;
    for (int i = 0; i < 3; i++) {
        l->z[i] = known ? m->z[i] : 0;
        e->x[i] = e->s[i] > 0 ? l->z[i] / (at->unit * e->s[i]) : 0;
        e->y[i] = 0;
    }
}

NB_FN void nb_exact_remember(nb_trajectory *c, const nb_island *v, const nb_island_lane *l, int t) {
    if (t == 0) c->remembered = v->contacts;
    if (l->kind != 1) return;
    nb_trajectory_memory *m = &c->memory[t];
    m->body_a = c->contact[t].body_a;
    m->body_b = c->contact[t].body_b;
    m->feature = c->contact[t].feature;
    for (int i = 0; i < 3; i++) m->z[i] = l->z[i];
}

/* ---- the iterate ---- */

/* Sum: x . y. Largest: residuals and |x - c|. The impulses z. */
NB_FN void nb_exact_measure(const nb_island *v, const nb_island_shared *s, nb_island_lane *l, int t, const nb_exact *at,
                            nb_exact_lane *e) {
    double value[3];
    nb_island_clear_sums(l);
    if (l->kind != 1) return;
    nb_exact_values(v, s, l, t, e, value);
    value[0] += e->compliance * at->unit * e->x[0] + at->unit * nb_cone_tangential(e->y);
    for (int i = 0; i < 3; i++) {
        const double off = e->x[i] - e->centre[i];
        e->residual[i] = value[i] / at->unit + at->eps * off - e->y[i];
        l->sums[0] += e->x[i] * e->y[i];
        l->sums[1] = nb_island_larger(l->sums[1], fabs(e->residual[i]));
        l->sums[2] = nb_island_larger(l->sums[2], fabs(off));
        l->z[i] = at->unit * e->s[i] * e->x[i];
    }
}

/* each thread those of its bodies, which it moves at the end, too */
NB_FN void nb_exact_keep_motion(const nb_trajectory *c, const nb_island_shared *s, int back, int t, int threads) {
    for (int32_t i = t; i < s->bodies; i += threads)
        for (int j = 0; j < 6; j++) {
            double *motion = &s->motion[j * s->slots + i], *best = &c->best_motion[j * s->slots + i];
            *(back ? motion : best) = *(back ? best : motion);
        }
}

/* ---- the proximal term ---- */

/* Takes the contact to the central path of `tau`, keeping x - v - |v_T| e_N. */
NB_FN void nb_exact_centre(const nb_island *v, const nb_island_shared *s, const nb_island_lane *l, int t,
                           const nb_exact *at, double tau, nb_exact_lane *e) {
    double value[3], w[3];
    nb_smoothed_cone pair;
    if (l->kind != 1) return;
    nb_exact_values(v, s, l, t, e, value);
    for (int i = 0; i < 3; i++) value[i] /= at->unit;
    value[0] += nb_cone_tangential(value) + e->compliance * e->x[0];
    for (int i = 0; i < 3; i++) w[i] = e->x[i] - value[i];
    nb_smoothed_cone_at(tau, w, &pair);
    /* inside the cone in floating point, too */
    pair.x[0] = fmax(pair.x[0], nb_cone_tangential(pair.x) * (1 + 1e-15) + 1e-300);
    pair.y[0] = fmax(pair.y[0], nb_cone_tangential(pair.y) * (1 + 1e-15) + 1e-300);
    for (int i = 0; i < 3; i++) {
        e->x[i] = pair.x[i];
        e->y[i] = pair.y[i];
    }
}

/* c goes `over` times as far as x, or to what x is by itself admitted as */
NB_FN void nb_exact_move_centre(const nb_island_lane *l, int settled, double over, nb_exact_lane *e) {
    if (l->kind != 1) return;
    if (!settled) nb_cone_project(e->x, e->centre);
    for (int i = 0; settled && i < 3; i++) e->centre[i] += over * (e->x[i] - e->centre[i]);
}

/* ---- the linear system ---- */

NB_FN void nb_exact_invert(const double m[9], double out[9]) {
    const double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
    const double d = 1 / (m[0] * a + m[1] * b + m[2] * c);
    out[0] = a * d, out[1] = (m[2] * m[7] - m[1] * m[8]) * d, out[2] = (m[1] * m[5] - m[2] * m[4]) * d;
    out[3] = b * d, out[4] = (m[0] * m[8] - m[2] * m[6]) * d, out[5] = (m[2] * m[3] - m[0] * m[5]) * d;
    out[6] = c * d, out[7] = (m[1] * m[6] - m[0] * m[7]) * d, out[8] = (m[0] * m[4] - m[1] * m[3]) * d;
}

/* The scaling, (N F^2 + shift)^-1, and K = (S D)^T of it (S D) of the frame D. */
NB_FN void nb_exact_eliminate(const nb_island_shared *s, const nb_island_lane *l, int t, const nb_exact *at,
                              nb_exact_lane *e) {
    const double diagonal = 1e-3 * at->tau + at->eps; /* keeps steps along impulses that cancel from running away */
    double m[9], frame[9], turned[9];
    if (l->kind != 1) return;
    nb_cone_scale(e->x, e->y, &e->scaling);
    nb_cone_square(&e->scaling, m);
    const double length = nb_cone_tangential(e->y), over = length > 0 ? at->theta / length : 0;
    for (int i = 0; i < 2; i++) e->tilt[i] = e->y[1 + i] * over;
    for (int i = 0; i < 3; i++) m[i] -= e->tilt[0] * m[3 + i] + e->tilt[1] * m[6 + i];
    for (int i = 0; i < 3; i++) m[4 * i] += diagonal;
    m[0] += e->compliance;
    nb_exact_invert(m, e->inverse);
    nb_island_frame(l, frame);
    for (int i = 0; i < 9; i++) frame[i] *= e->s[i / 3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            turned[3 * i + j] = e->inverse[3 * i] * frame[j] + e->inverse[3 * i + 1] * frame[3 + j] +
                                e->inverse[3 * i + 2] * frame[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            at->factor.k[(3 * i + j) * s->elements + t] =
                frame[i] * turned[j] + frame[3 + i] * turned[3 + j] + frame[6 + i] * turned[6 + j];
}

/* ---- directions ---- */

NB_FN void nb_exact_apply(const double m[9], const double x[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = m[3 * i] * x[0] + m[3 * i + 1] * x[1] + m[3 * i + 2] * x[2];
}

/* The right-hand side for x o y = target e and `weight` of the residuals, with the second-order term of the direction
 * before where `correct`; its forces, with those of `weight` z. */
NB_FN void nb_exact_aim(const nb_island_shared *s, const nb_island_lane *l, int t, const nb_exact *at, double target,
                        int correct, double weight, nb_exact_lane *e) {
    double r[3], g[3], force[3];
    if (l->kind != 1) return;
    r[0] = target;
    r[1] = r[2] = 0;
    if (correct) {
        double a[3], b[3];
        nb_cone_apply(&e->scaling, e->dx, a);
        nb_cone_apply_inverse(&e->scaling, e->dy, b);
        nb_cone_product(a, b, a);
        for (int i = 0; i < 3; i++) r[i] -= a[i];
    }
    nb_cone_divide(e->scaling.lambda, e->scaling.determinant, r, g);
    for (int i = 0; i < 3; i++) g[i] -= e->scaling.lambda[i];
    nb_cone_apply(&e->scaling, g, e->dy);
    for (int i = 0; i < 3; i++) e->right[i] = e->dy[i] - weight * e->residual[i];
    e->right[0] -= e->tilt[0] * e->dy[1] + e->tilt[1] * e->dy[2];
    nb_exact_apply(e->inverse, e->right, force);
    for (int i = 0; i < 3; i++) force[i] = at->unit * e->s[i] * force[i] + weight * l->z[i];
    nb_island_put_force(s, l, t, force);
}

/* The bodies' right-hand side: what they gathered without `weight` M (u - u~). */
NB_FN void nb_exact_balance(const nb_trajectory *c, const nb_island *v, const nb_island_shared *s, double weight, int t,
                            int threads) {
    const int32_t n = s->slots;
    for (int32_t i = t; i < s->bodies; i += threads) {
        double off[6];
        for (int j = 0; j < 6; j++) off[j] = weight * (s->motion[j * n + i] - v->u_free[j * n + i]);
        const nb_vec3 turned = nb_mat3_apply(&c->inertia[i], nb_vec3_of(off[3], off[4], off[5]));
        for (int j = 0; j < 3; j++) s->momentum[j * n + i] = s->velocity[j * n + i] - c->mass[i] * off[j];
        s->momentum[3 * n + i] = s->velocity[3 * n + i] - turned.x;
        s->momentum[4 * n + i] = s->velocity[4 * n + i] - turned.y;
        s->momentum[5 * n + i] = s->velocity[5 * n + i] - turned.z;
    }
}

/* dx and dy of the bodies' step. Largest: 1 over the longest step of x and y within their cones. */
NB_FN void nb_exact_follow(const nb_island_shared *s, nb_island_lane *l, const nb_exact *at, nb_exact_lane *e) {
    double moved[3], f[3];
    nb_island_clear_sums(l);
    if (l->kind != 1) return;
    nb_island_row_velocities(s, l, s->velocity, moved);
    for (int i = 0; i < 3; i++) f[i] = e->right[i] - e->s[i] * moved[i] / at->unit;
    nb_exact_apply(e->inverse, f, e->dx);
    nb_cone_apply(&e->scaling, e->dx, f);
    nb_cone_apply(&e->scaling, f, f);
    for (int i = 0; i < 3; i++) e->dy[i] -= f[i];
    l->sums[3] = nb_island_larger(1 / nb_cone_step(e->x, e->dx), 1 / nb_cone_step(e->y, e->dy));
}

/* Sums: x . y after a step of length alpha; how many of x and y are outside their cones there, in floating point. */
NB_FN void nb_exact_look_ahead(nb_island_lane *l, double alpha, const nb_exact_lane *e) {
    double x[3], y[3];
    nb_island_clear_sums(l);
    if (l->kind != 1) return;
    for (int i = 0; i < 3; i++) {
        x[i] = e->x[i] + alpha * e->dx[i];
        y[i] = e->y[i] + alpha * e->dy[i];
        l->sums[0] += x[i] * y[i];
    }
    if (!(x[0] > 0 && nb_cone_determinant(x) > 0)) l->sums[1]++;
    if (!(y[0] > 0 && nb_cone_determinant(y) > 0)) l->sums[1]++;
}

NB_FN void nb_exact_step(const nb_island_shared *s, double alpha, int t, int threads, nb_exact_lane *e) {
    for (int i = 0; i < 3; i++) {
        e->x[i] += alpha * e->dx[i];
        e->y[i] += alpha * e->dy[i];
    }
    for (int32_t i = t; i < 6 * s->slots; i += threads)
        if (i % s->slots < s->bodies) s->motion[i] += alpha * s->velocity[i];
}

#endif
