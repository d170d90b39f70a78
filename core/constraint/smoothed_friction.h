/* Soft contact with smoothed friction at one point: forces, and their derivatives, of a gap d [m] and a sliding
 * velocity v = (v1, v2) [m/s]. Pure functions of numbers, one source for this processor and a GPU. Loops over contacts
 * use vector instructions where they are compiled with -fno-trapping-math.
 *
 * The gap's penalty acts below the tolerance delta:
 *
 *     b = kappa (delta - d)^3/delta,   lambda = -db/dd = 3 kappa (delta - d)^2/delta    for d < delta, else 0
 *
 * The friction force is smooth where sliding begins: with x = |v|
 *
 *     f = -(mu(x) lambda s(x)/x + mu_v) v,   s = 2 x/eps - x^2/eps^2 for x < eps, else 1
 *     mu = mu_d + (mu_s - mu_d) g(x/v_s),    g(y) = (2 y + 1) (y - 1)^2 for y < 1, else 0
 *
 * A sticking contact therefore creeps, at less than eps. Velocities above 1e150 m/s (1e18 in f32) are not supported.
 *
 * Larionov, Longva, Ascher, Bender, Pai 2023, eq. (2), (13), (14); Li et al. 2020 (s); Stribeck 1902 (mu). */
#ifndef NB_CONSTRAINT_SMOOTHED_FRICTION_H
#define NB_CONSTRAINT_SMOOTHED_FRICTION_H

#include "base/features.h"
#include "base/status.h"

#define nb_smoothed_friction NB_REAL_NAME(nb_smoothed_friction)
#define nb_sliding_contact NB_REAL_NAME(nb_sliding_contact)
#define nb_friction_slope NB_REAL_NAME(nb_friction_slope)
#define nb_sliding_terms NB_REAL_NAME(nb_sliding_terms)
#define nb_smoothed_friction_check NB_REAL_NAME(nb_smoothed_friction_check)

/* what the contacts of a scene have in common */
typedef struct nb_smoothed_friction {
    real stiffness;         /* of a contact [N/m] — kappa */
    real contact_tolerance; /* the gap below which contacts push [m] — delta */
    real sliding_tolerance; /* the velocity from which friction is whole [m/s] — eps */
    real static_mu;         /* coefficient of static friction — mu_s; 0: that of sliding */
    real stribeck_velocity; /* from which friction is that of sliding [m/s] — v_s; not used where static_mu is 0 */
    real viscous;           /* viscous friction of a contact [N s/m] — mu_v */
} nb_smoothed_friction;

/* NB_OK, or NB_ERROR_USAGE with a message that names what is wrong for a contact of coefficient mu. All numbers must be
 * finite. kappa, delta and eps must be above 0, mu and mu_v not below 0, mu_s not below mu, and v_s not below eps. */
nb_status nb_smoothed_friction_check(const nb_smoothed_friction *law, real mu);

/* ---- the gap ---- */

/* how far d is below the tolerance [m]; 0 where it is not */
NB_FN real nb_penalty_depth(const nb_smoothed_friction *law, real d) {
    real depth = law->contact_tolerance - d;
    return depth > 0 ? depth : R(0);
}

/* energy b [J] */
NB_FN real nb_penalty_energy(const nb_smoothed_friction *law, real d) {
    real depth = nb_penalty_depth(law, d);
    return law->stiffness / law->contact_tolerance * depth * depth * depth;
}

/* force lambda >= 0 [N] */
NB_FN real nb_penalty_force(const nb_smoothed_friction *law, real d) {
    real depth = nb_penalty_depth(law, d);
    return 3 * (law->stiffness / law->contact_tolerance) * depth * depth;
}

/* dlambda/dd <= 0 [N/m] */
NB_FN real nb_penalty_slope(const nb_smoothed_friction *law, real d) {
    return -6 * (law->stiffness / law->contact_tolerance) * nb_penalty_depth(law, d);
}

/* The stiffness kappa [N/m] whose gap under `force` [N] is delta/2. */
NB_FN real nb_penalty_stiffness(real force, real contact_tolerance) {
    return 4 * force / (3 * contact_tolerance);
}

/* The stiffness [N/m] with which a step is repeated whose deepest gap is d < 0. A load that does not change has a gap
 * of delta/2 under it. It is at least four times the stiffness before. */
NB_FN real nb_penalty_raised(const nb_smoothed_friction *law, real d) {
    real ratio = 2 * nb_penalty_depth(law, d) / law->contact_tolerance;
    return law->stiffness * ratio * ratio;
}

/* ---- the friction coefficient ---- */

/* what friction is of the sliding speed, for a unit of lambda */
typedef struct nb_friction_slope {
    real c;  /* mu(x) s(x)/x [s/m] */
    real dc; /* its derivative by x [s^2/m^2] */
} nb_friction_slope;

/* g(y) and dg/dy for y >= 0 */
NB_FN real nb_stribeck(real y, real *slope) {
    real z = y < 1 ? y : R(1), less = z - 1;
    *slope = 6 * z * less;
    return (2 * z + 1) * less * less;
}

/* mu_s - mu of a contact, and 1/v_s [s/m]; both 0 without static friction */
NB_FN real nb_stribeck_excess(const nb_smoothed_friction *law, real mu, real *rate) {
    real excess = law->static_mu - mu;
    *rate = law->static_mu > 0 ? 1 / law->stribeck_velocity : R(0);
    return excess > 0 ? excess : R(0);
}

/* at a speed x >= 0, for the coefficient mu of sliding */
NB_FN nb_friction_slope nb_friction_slope_at(const nb_smoothed_friction *law, real mu, real x) {
    nb_friction_slope at;
    real eps = law->sliding_tolerance, more = x > eps ? x : eps, less = x > eps ? eps : x, rate, dg;
    real inverse = 1 / more; /* s/x = (2 - min(x, eps)/eps)/max(x, eps): no division by 0 */
    real excess = nb_stribeck_excess(law, mu, &rate), g = nb_stribeck(x * rate, &dg);
    real smooth = (2 - less * (1 / eps)) * inverse, all = mu + excess * g;
    at.c = all * smooth;
    at.dc = excess * dg * rate * smooth - all * (inverse * inverse);
    return at;
}

/* the derivative of c by the coefficient mu of sliding, at a speed x >= 0 [s/m] */
NB_FN real nb_friction_by_mu(const nb_smoothed_friction *law, real mu, real x) {
    real eps = law->sliding_tolerance, more = x > eps ? x : eps, less = x > eps ? eps : x, rate, dg;
    real excess = nb_stribeck_excess(law, mu, &rate), g = nb_stribeck(x * rate, &dg);
    return (excess > 0 ? 1 - g : R(1)) * (2 - less * (1 / eps)) * (1 / more);
}

/* The integral of mu(t) s(t) from 0 to x [m/s]. Where lambda is fixed, lambda times it plus mu_v x^2/2 is a potential
 * [W]: its negative gradient by v is the friction force. */
NB_FN real nb_friction_integral(const nb_smoothed_friction *law, real mu, real x) {
    real eps = law->sliding_tolerance, less = x < eps ? x : eps, over = x - less, y = less / eps, rate, sum;
    real excess = nb_stribeck_excess(law, mu, &rate);
    sum = mu * (eps * y * y * (1 - y / 3) + over);
    if (!(excess > 0)) return sum;
    /* g s is a polynomial below eps, and g one from there to v_s */
    real v = law->stribeck_velocity, a = v / eps, p = less * rate, q = x < v ? x * rate : R(1), from = eps * rate;
    sum +=
        excess * v * p * p * (a - p * (a * a / 3 + p * (a * 3 / 2 - p * ((3 * a * a + 4 * a) / 5 - p * (a * a / 3)))));
    if (x > eps)
        sum += excess * v * (q - from) - excess * v * (q * q * q * (1 - q / 2) - from * from * from * (1 - from / 2));
    return sum;
}

/* ---- a contact ---- */

/* Where friction takes its normal force from. */
typedef struct nb_sliding_contact {
    real d;    /* gap [m] */
    real v[2]; /* sliding velocity along t1 and t2 [m/s] */
    real mu;   /* coefficient of sliding friction */
    /* the normal force of friction [N]: below 0, that of the gap (implicit); else this one (lagged) */
    real lagged;
} nb_sliding_contact;

/* The normal force of a lagged friction from those of the two steps before, to first order: second order in the step.
 */
NB_FN real nb_smoothed_extrapolated(real lambda, real before) {
    real next = 2 * lambda - before;
    return next > 0 ? next : R(0);
}

/* Viscous friction is of touching contacts alone. */
NB_FN real nb_smoothed_viscous(const nb_smoothed_friction *law, real normal) {
    return normal > 0 ? law->viscous : R(0);
}

/* What force and derivatives are made of, at a sliding speed x: with w the sliding velocity, u = w/x and n the normal
 *
 *     f = -k w + lambda n,   df/dw = -k (1 - n n^T) - across u u^T,   df/dd = (slope n - by_gap w) */
typedef struct nb_sliding_terms {
    real lambda; /* [N] */
    real k;      /* [N s/m] */
    real across; /* [N s/m]; 0 at x = 0 */
    real slope;  /* dlambda/dd [N/m] */
    real by_gap; /* dk/dd [N s/m^2]; 0 where friction is lagged */
} nb_sliding_terms;

NB_FN nb_sliding_terms nb_sliding_terms_at(const nb_smoothed_friction *law, real d, real mu, real lagged, real x) {
    nb_sliding_terms at;
    nb_friction_slope friction = nb_friction_slope_at(law, mu, x);
    at.lambda = nb_penalty_force(law, d);
    at.slope = nb_penalty_slope(law, d);
    real normal = lagged < 0 ? at.lambda : lagged;
    at.k = normal * friction.c + nb_smoothed_viscous(law, normal);
    at.across = normal * friction.dc * x;
    at.by_gap = friction.c * (lagged < 0 ? at.slope : R(0));
    return at;
}

/* force [N] along (t1, t2, n) on the side whose velocity v and gap d are; the other side's is its negative */
NB_FN void nb_smoothed_force(const nb_smoothed_friction *law, const nb_sliding_contact *at, real force[3]) {
    real x = NB_SQRT(at->v[0] * at->v[0] + at->v[1] * at->v[1]);
    nb_sliding_terms terms = nb_sliding_terms_at(law, at->d, at->mu, at->lagged, x);
    force[0] = -terms.k * at->v[0];
    force[1] = -terms.k * at->v[1];
    force[2] = terms.lambda;
}

/* and the derivatives of (t1, t2, n) by (v1, v2, d), row by row: two columns [N s/m] and one [N/m]. The column of d
 * makes it unsymmetric where friction is implicit; a lagged one has zeros there, and is symmetric. Continuous at v = 0.
 */
NB_FN void nb_smoothed_block(const nb_smoothed_friction *law, const nb_sliding_contact *at, real force[3],
                             real block[9]) {
    real x = NB_SQRT(at->v[0] * at->v[0] + at->v[1] * at->v[1]), over = 1 / (x > NB_REAL_TINY ? x : NB_REAL_TINY);
    nb_sliding_terms terms = nb_sliding_terms_at(law, at->d, at->mu, at->lagged, x);
    real u1 = at->v[0] * over, u2 = at->v[1] * over;
    force[0] = -terms.k * at->v[0];
    force[1] = -terms.k * at->v[1];
    force[2] = terms.lambda;
    block[0] = -terms.k - terms.across * u1 * u1;
    block[1] = block[3] = -terms.across * u1 * u2;
    block[4] = -terms.k - terms.across * u2 * u2;
    block[2] = -terms.by_gap * at->v[0];
    block[5] = -terms.by_gap * at->v[1];
    block[6] = block[7] = 0;
    block[8] = terms.slope;
}

/* s = w without its part along the unit normal n; returns |s| */
NB_FN real nb_sliding_part(const real n[3], const real w[3], real s[3]) {
    real along = n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
    for (int i = 0; i < 3; i++) s[i] = w[i] - along * n[i];
    return NB_SQRT(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
}

/* The same in the world's axes, where no tangents are needed: of a relative velocity w [m/s] and the unit normal n. The
 * block [N s/m], row by row, is what an implicit step's matrix takes: the derivative of the force by w at the end of a
 * time `step` [s]. The gap has moved by step n . w in it. */
NB_FN void nb_smoothed_world_force(const nb_smoothed_friction *law, real d, real mu, real lagged, const real n[3],
                                   const real w[3], real force[3]) {
    real s[3], x = nb_sliding_part(n, w, s);
    nb_sliding_terms at = nb_sliding_terms_at(law, d, mu, lagged, x);
    for (int i = 0; i < 3; i++) force[i] = at.lambda * n[i] - at.k * s[i];
}

NB_FN void nb_smoothed_world_block(const nb_smoothed_friction *law, real d, real mu, real lagged, real step,
                                   const real n[3], const real w[3], real force[3], real block[9]) {
    real s[3], x = nb_sliding_part(n, w, s), over = 1 / (x > NB_REAL_TINY ? x : NB_REAL_TINY);
    nb_sliding_terms at = nb_sliding_terms_at(law, d, mu, lagged, x);
    for (int i = 0; i < 3; i++) {
        real by_n = (at.k + step * at.slope) * n[i] - step * at.by_gap * s[i], by_u = -at.across * (s[i] * over);
        force[i] = at.lambda * n[i] - at.k * s[i];
        for (int j = 0; j < 3; j++) block[3 * i + j] = by_n * n[j] + by_u * (s[j] * over) - (i == j ? at.k : R(0));
    }
}

/* ---- what the smoothing costs ---- */

/* The velocity [m/s] at which a contact creeps, without static and viscous friction: eps (1 - sqrt(1 - r)). Of the
 * friction that it can have it has the share r = F/(mu lambda) >= 0. It slides for r >= 1: INFINITY. */
NB_FN real nb_smoothed_creep(real sliding_tolerance, real r) {
    return r < 1 ? sliding_tolerance * r / (1 + NB_SQRT(1 - r)) : R(INFINITY);
}

/* its derivative by F [m/(N s)], of a contact with mu lambda = `most` [N]: without bound as r comes to 1 */
NB_FN real nb_smoothed_creep_slope(real sliding_tolerance, real most, real r) {
    return r < 1 ? sliding_tolerance / (2 * most * NB_SQRT(1 - r)) : R(INFINITY);
}

/* The step [s] below which the equations of a mass [kg] have one solution at every load. A contact of normal force
 * `normal` [N] holds it, whose friction falls with speed by no more than 1.5 (mu_s - mu) normal/v_s. INFINITY without
 * static friction. */
NB_FN real nb_stribeck_step(const nb_smoothed_friction *law, real mu, real mass, real normal) {
    real rate, excess = nb_stribeck_excess(law, mu, &rate);
    return excess > 0 && normal > 0 ? mass / (R(1.5) * excess * normal * rate) : R(INFINITY);
}

#endif
