/* One contact with Coulomb's law, solved exactly (private to solvers/method/projected). Of its impulse z, with A the
 * contact's own block of N and v the velocity at the impulse that it has,
 *
 *     b = v - A z:    b_n >= 0: z = 0, it opens;   else, with S = A_tt - A_tn A_nt/A_nn, c = b_t - A_tn b_n/A_nn,
 *     z_t(a) = -(S + a)^-1 c,   z_n(a) = -(b_n + A_nt z_t)/A_nn
 *
 * where a = 0 if |z_t| <= mu z_n, it sticks; else a > 0 with |z_t| = mu z_n, it slides: v_t = -a z_t. That a is a root
 * of 1/|z_t| - 1/(mu z_n), nearly a straight line, found by Newton's method inside a bracket. Where mu |A_nt| > A_nn
 * there may be several solutions; this is one of them.
 *
 * Sources: Moreau, "Unilateral contact and dry friction in finite freedom dynamics", 1988 (the local problem);
 * Bonnefon, Daviet, "Quartic formulation of Coulomb 3D frictional contact", 2011 (S in axes of its own). */
#ifndef NB_PROJECTED_COULOMB_BLOCK_H
#define NB_PROJECTED_COULOMB_BLOCK_H

#include <math.h>

/* S in its own axes, and what is kept from one solve to the next */
typedef struct nb_coulomb_block {
    double normal, inverse; /* A_nn [1/kg], and 1/A_nn, 0 where that is not positive */
    double tilt[2];         /* A_nt in the axes of S */
    double size[2];         /* eigenvalues of S, the larger first; 0: round-off */
    double cosine, sine;    /* of the first axis */
    double slide;           /* a of the last solve that slid [1/kg]; 0: none did */
} nb_coulomb_block;

enum {
    NB_COULOMB_EVALUATIONS = 100 /* at most */
};

/* Of the symmetric own [9], by rows; a normal's entry that is not positive leaves a contact without an impulse. */
static inline void nb_coulomb_block_begin(nb_coulomb_block *c, const double own[9]) {
    const double n = own[0], inverse = n > 0 ? 1 / n : 0, p = own[1] * inverse, q = own[2] * inverse;
    const double s11 = own[4] - own[1] * p, s12 = own[5] - own[1] * q, s22 = own[8] - own[2] * q;
    const double mean = (s11 + s22) / 2, half = (s11 - s22) / 2, radius = hypot(half, s12);
    const double angle = radius > 0 ? 0.5 * atan2(s12, half) : 0, small = 1e-13 * (own[4] + own[8]);
    *c = (nb_coulomb_block){.normal = n, .inverse = inverse, .cosine = cos(angle), .sine = sin(angle)};
    c->size[0] = mean + radius > small ? mean + radius : 0;
    c->size[1] = mean - radius > small ? mean - radius : 0;
    c->tilt[0] = c->cosine * own[1] + c->sine * own[2];
    c->tilt[1] = c->cosine * own[2] - c->sine * own[1];
}

/* where a = `slide`: the friction in the axes of S and 1/(size + a), |z_t|, z_n, and Newton's step to its root */
typedef struct nb_coulomb_point {
    double friction[2], inverse[2], size, normal, normal_slope, step;
} nb_coulomb_point;

static inline void nb_coulomb_evaluate(const nb_coulomb_block *c, double mu, const double free[3], double slide,
                                       nb_coulomb_point *at) {
    const double a = c->size[0] + slide, b = c->size[1] + slide, both = a * b > 0 ? 1 / (a * b) : 0;
    const double g = both > 0 ? b * both : a > 0 ? 1 / a : 0, k = a * both, f = -free[1] * g, h = -free[2] * k;
    const double square = f * f + h * h, slope = f * f * g + h * h * k; /* slope: -|z_t| d|z_t|/da */
    const double size = sqrt(square), n = mu * c->inverse * -(free[0] + c->tilt[0] * f + c->tilt[1] * h),
                 n_slope = mu * c->inverse * (c->tilt[0] * f * g + c->tilt[1] * h * k);
    *at = (nb_coulomb_point){.friction = {f, h},
                             .inverse = {g, k},
                             .size = size,
                             .normal = n,
                             .normal_slope = n_slope,
                             .step = (size - n) * square * n / (slope * n * n + n_slope * square * size)};
}

/* z [3], from the velocity and the impulse that the contact has; velocity_i + A (z - before) obeys the law */
static inline void nb_coulomb_block_solve(nb_coulomb_block *c, double mu, const double velocity[3],
                                          const double before[3], double z[3]) {
    nb_coulomb_point at;
    z[0] = z[1] = z[2] = 0;
    const double turn = velocity[0] * c->inverse;
    const double old[2] = {c->cosine * before[1] + c->sine * before[2], c->cosine * before[2] - c->sine * before[1]};
    const double v[2] = {c->cosine * velocity[1] + c->sine * velocity[2],
                         c->cosine * velocity[2] - c->sine * velocity[1]};
    /* b_n, and c in the axes of S */
    const double free[3] = {velocity[0] - c->normal * before[0] - c->tilt[0] * old[0] - c->tilt[1] * old[1],
                            v[0] - c->size[0] * old[0] - c->tilt[0] * turn,
                            v[1] - c->size[1] * old[1] - c->tilt[1] * turn};
    if (!(free[0] < 0) || c->inverse == 0) return;
    if (!(mu > 0)) {
        z[0] = -free[0] * c->inverse;
        return;
    }
    nb_coulomb_evaluate(c, mu, free, 0, &at);
    const int moves = (c->size[0] == 0 && free[1] != 0) || (c->size[1] == 0 && free[2] != 0);
    double share = 1;
    if (moves || at.size > at.normal) {
        double low = 0, high = INFINITY, a = c->slide > 0 ? c->slide : c->size[0] + mu * c->normal;
        int evaluations = 0;
        for (; evaluations < NB_COULOMB_EVALUATIONS; evaluations++) {
            nb_coulomb_evaluate(c, mu, free, a, &at);
            if (at.normal > 0 && fabs(at.step) * at.inverse[1] <= 1e-6 &&
                fabs(at.step * at.normal_slope) <= 1e-6 * at.normal)
                break;
            *(at.size > at.normal ? &low : &high) = a;
            const double next = at.normal > 0 ? a + at.step : -1;
            a = next > low && next < high ? next : high < INFINITY ? (low + high) / 2 : 8 * a;
        }
        if (evaluations == NB_COULOMB_EVALUATIONS) { /* no root to rounding: it stays as it is */
            for (int j = 0; j < 3; j++) z[j] = before[j];
            return;
        }
        c->slide = a + at.step;
        double square = 0;
        for (int k = 0; k < 2; k++) { /* the last step, of which 1e-18 is left out */
            const double d = at.step * at.inverse[k];
            at.friction[k] *= 1 - d * (1 - d);
            square += at.friction[k] * at.friction[k];
        }
        at.normal = -mu * c->inverse * (free[0] + c->tilt[0] * at.friction[0] + c->tilt[1] * at.friction[1]);
        share = square > 0 ? at.normal / sqrt(square) : 0;
    }
    z[0] = -c->inverse * (free[0] + c->tilt[0] * at.friction[0] + c->tilt[1] * at.friction[1]);
    z[1] = share * (c->cosine * at.friction[0] - c->sine * at.friction[1]);
    z[2] = share * (c->sine * at.friction[0] + c->cosine * at.friction[1]);
}

#endif
