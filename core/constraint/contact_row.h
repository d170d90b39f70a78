/* What one contact, or one row that pushes and does not pull, contributes to a Newton system: the source of
 * newton_rows.h and of kernels on a GPU. */
#ifndef NB_NCP_CONTACT_ROW_H
#define NB_NCP_CONTACT_ROW_H

#include "constraint/ncp.h"

#define nb_normal_row NB_REAL_NAME(nb_normal_row)
#define nb_contact_row NB_REAL_NAME(nb_contact_row)

/* One row of 0 <= a _|_ z >= 0, the normal of a contact among them. */
typedef struct nb_normal_row {
    real s, c, b, update;
} nb_normal_row;

/* A row of phi(a, rho z) = 0, linearised: `rho` [1/kg]; `soft`: compliance e/h^2 [1/kg]; `least` clamps alpha from
 * below; `paper`: alpha on row and force as printed, else its root on row and unknown. */
NB_FN nb_normal_row nb_normal_row_from(const nb_ncp_normal_value *value, int paper, real least, real soft, real rho) {
    nb_normal_row row;
    const nb_ncp_normal_value normal = *value;
    /* sqrt(alpha) on row and unknown keeps A symmetric and bounded; an inactive contact of the minimum map has no row:
     * its force goes to zero */
    real clamped = normal.alpha > least ? normal.alpha : least, root = NB_SQRT(clamped);
    real weight = paper ? normal.alpha : root, divisor = paper ? R(1) : root;
    row.s = normal.alpha > 0 ? weight : R(0);
    row.c = normal.beta * rho + (normal.alpha > 0 ? weight * divisor * soft : R(0));
    row.b = -normal.phi / (normal.alpha > 0 ? divisor : R(1));
    row.update = normal.alpha > 0 ? divisor : R(1);
    return row;
}

NB_FN nb_normal_row nb_normal_row_of(nb_ncp_function function, int paper, real least, real soft, real rho, real value,
                                     real z) {
    const nb_ncp_normal_value normal = nb_ncp_normal(function, value + soft * z, rho * z);
    return nb_normal_row_from(&normal, paper, least, soft, rho);
}

/* The weights, the diagonal C, the right-hand side and what the solution is multiplied with to give the change of z:
 * [0] normal, [1] tangents where both have the same (the weight and the update of the second: times `ratio`). */
typedef struct nb_contact_row {
    real s[2], c[2], b[3], update[2];
} nb_contact_row;

/* value, z: normal and tangents; w_normal and w_friction [1/kg]; `soft`: the normal's compliance e/h^2 [1/kg]; `ratio`:
 * of the friction along the second tangent to that along the first, which mu is of: the ellipse is the disc of
 * (v_1, ratio v_2) and (z_1, z_2/ratio), so that the second tangent's weight and update are `ratio` times the first's;
 * `least` clamps alpha from below; `paper`: alpha on row and force as printed, else its root on row and unknown. */
NB_FN nb_contact_row nb_contact_row_of(nb_ncp_function function, nb_ncp_scaling scaling, int paper, real h, real least,
                                       real soft, real ratio, real mu, const real value[3], const real z[3],
                                       real w_normal, real w_friction) {
    nb_contact_row row;
    real v1 = value[1], v2 = ratio * value[2], z1 = z[1], z2 = z[2] / ratio,
         w_mean = w_friction * (1 + ratio * ratio) / 2;
    real limit = mu * z[0], slip = nb_ncp_length(v1, v2), rho_normal, rho_friction;
    nb_ncp_factors(scaling, h, w_normal + soft, w_mean, slip, limit, &rho_normal, &rho_friction);
    nb_normal_row normal = nb_normal_row_of(function, paper, least, soft, rho_normal, value[0], z[0]);
    row.s[0] = normal.s;
    row.c[0] = normal.c;
    row.b[0] = normal.b;
    row.update[0] = normal.update;

    real lagged = nb_ncp_friction(function, slip, nb_ncp_length(z1, z2), limit, rho_friction, w_mean);
    /* A weight on row and unknown for friction, too, that leaves the step as it is and the diagonal near w. A contact
     * without a limit takes its friction to zero; (106) writes z_f = 0, which for a velocity's sake is w z_f here. */
    real most = NB_NCP_MOST_COMPLIANCE * w_mean, light = NB_SQRT(most / lagged);
    int weighed = !paper && most > 0;
    real weight_friction = limit > 0 && weighed && lagged > most ? light : R(1), idle = weighed ? w_mean : R(1);
    real active = limit > 0 ? weight_friction : R(0), compliance = limit > 0 ? weight_friction * lagged : idle;
    row.s[1] = active;
    row.c[1] = compliance * weight_friction;
    row.b[1] = -(active * v1 + compliance * z1);
    row.b[2] = -(active * v2 + compliance * z2);
    row.update[1] = weight_friction;
    return row;
}

#endif
