/* The rows of one tetrahedron in compliance form, in formulas over NB_LANE (stretch_formulas.h).
 *
 * The strain of a row block is that of the stretch, s = S - 1 with F = R S, six rows in the frame of the rest shape:
 * they do not change when the element turns as a whole. A length l of the element makes velocities of them, J = l ds/dx
 * and z = h lambda/l, so that all rows of a problem have the same units:
 *
 *     J u + E z = -(value + E z),   value = l e/h,   E = l^2 N^-1/(V h^2)
 *
 *     linear       e = s - a,          N the isotropic stiffness            (a: activation)
 *     Neo-Hookean  e = N^-1 dPsi/ds,   N = |d^2 Psi/ds^2|, bounded below    (107)
 *
 * N^-1 of the Neo-Hookean one is that of the principal frame, turned: absolute eigenvalues of the normal part, with the
 * floor C1, and |G| >= C1 in shear, G of the pair (i, j) = C1 - D1 (J - alpha) s_k. At a solution lambda = -V dPsi/ds
 * whatever N is.
 *
 * Source: Macklin et al. 2019, section 9 and appendix B, corrected as core/deformables.md says. */
#ifndef NB_ELEMENT_TETRAHEDRON_FORMULAS_H
#define NB_ELEMENT_TETRAHEDRON_FORMULAS_H

#include "element/stretch_formulas.h"

/* dPsi/ds and the strain e = N^-1 dPsi/ds [1] in the principal frame; N^-1 [1/Pa] there: `normal` symmetric, `shear` of
 * the pairs (1, 2), (0, 2), (0, 1) */
typedef struct nb_lane_principal {
    NB_LANE stress[3], strain[3], normal[6], shear[3];
} nb_lane_principal;

/* C1 (I - 3) + D1 (J - alpha)^2, C1 = mu/2, D1 = (lambda + mu)/2, alpha = 1 + C1/D1 [Pa] */
NB_FN NB_LANE nb_lane_neo_hookean_energy(NB_LANE mu, NB_LANE lambda, const NB_LANE s[3]) {
    NB_LANE beyond = s[0] * s[1] * s[2] - (1 + mu / (lambda + mu));
    return (mu * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3) + (lambda + mu) * beyond * beyond) / 2;
}

/* the stress dPsi/ds [Pa] */
NB_FN void nb_lane_neo_hookean_stress(NB_LANE mu, NB_LANE lambda, const NB_LANE s[3], NB_LANE stress[3]) {
    NB_LANE both = lambda + mu, beyond = both * (s[0] * s[1] * s[2]) - (both + mu);
    stress[0] = mu * s[0] + beyond * s[1] * s[2];
    stress[1] = mu * s[1] + beyond * s[0] * s[2];
    stress[2] = mu * s[2] + beyond * s[0] * s[1];
}

/* the second derivatives as they are: of stretches, symmetric, and the stiffness G of the pairs [Pa] */
NB_FN void nb_lane_neo_hookean_stiffness(NB_LANE mu, NB_LANE lambda, const NB_LANE s[3], NB_LANE normal[6],
                                         NB_LANE shear[3]) {
    NB_LANE both = lambda + mu, j = s[0] * s[1] * s[2], alpha = 1 + mu / both, k = both * (2 * j - alpha);
    normal[0] = mu + both * (s[1] * s[2]) * (s[1] * s[2]);
    normal[1] = mu + both * (s[0] * s[2]) * (s[0] * s[2]);
    normal[2] = mu + both * (s[0] * s[1]) * (s[0] * s[1]);
    normal[3] = k * s[0];
    normal[4] = k * s[1];
    normal[5] = k * s[2];
    for (int i = 0; i < 3; i++) shear[i] = (mu - both * (j - alpha) * s[i]) / 2;
}

NB_FN void nb_lane_neo_hookean(NB_LANE mu, NB_LANE lambda, const NB_LANE s[3], nb_lane_principal *out) {
    NB_LANE stiffness[6], floor = mu / 2, inverse[3];
    nb_lane_svd apart;
    nb_lane_neo_hookean_stress(mu, lambda, s, out->stress);
    nb_lane_neo_hookean_stiffness(mu, lambda, s, stiffness, out->shear);
    const NB_LANE full[9] = {stiffness[0], stiffness[5], stiffness[4], stiffness[5], stiffness[1],
                             stiffness[3], stiffness[4], stiffness[3], stiffness[2]};
    nb_lane_svd_of(full, &apart); /* of a symmetric matrix: the absolute eigenvalues */
    for (int k = 0; k < 3; k++) {
        inverse[k] = 1 / nb_lane_largest(nb_lane_abs(apart.s[k]), floor);
        out->shear[k] = 1 / nb_lane_largest(nb_lane_abs(out->shear[k]), floor);
    }
    nb_lane_symmetric(apart.v, inverse, out->normal);
    nb_lane_symmetric_apply(out->normal, out->stress, out->strain);
}

/* V diag(x) V^T as a strain: twice yz xz xy */
NB_FN void nb_lane_strain_of(const NB_LANE v[9], const NB_LANE x[3], NB_LANE out[6]) {
    nb_lane_symmetric(v, x, out);
    for (int k = 3; k < 6; k++) out[k] *= 2;
}

/* out = V m V^T as a strain, of m = (e_i e_j^T + e_j e_i^T)/2 */
NB_FN void nb_lane_strain_of_pair(const NB_LANE v[9], int i, int j, NB_LANE out[6]) {
    const NB_LANE *x = v, *y = v + 3, *z = v + 6;
    out[0] = x[i] * x[j];
    out[1] = y[i] * y[j];
    out[2] = z[i] * z[j];
    out[3] = y[i] * z[j] + z[i] * y[j];
    out[4] = x[i] * z[j] + z[i] * x[j];
    out[5] = x[i] * y[j] + y[i] * x[j];
}

/* The lower triangle, by rows, of Q N^-1 Q^T: N^-1 of the principal frame V in that of the rest shape. */
NB_FN void nb_lane_turned_compliance(const NB_LANE v[9], const nb_lane_principal *at, NB_LANE out[21]) {
    NB_LANE normal[3][6], pair[6], moved[3][6];
    const NB_LANE *n = at->normal;
    for (int i = 0; i < 3; i++) nb_lane_strain_of_pair(v, i, i, normal[i]);
    for (int k = 0; k < 6; k++) {
        moved[0][k] = n[0] * normal[0][k] + n[5] * normal[1][k] + n[4] * normal[2][k];
        moved[1][k] = n[5] * normal[0][k] + n[1] * normal[1][k] + n[3] * normal[2][k];
        moved[2][k] = n[4] * normal[0][k] + n[3] * normal[1][k] + n[2] * normal[2][k];
    }
    for (int r = 0, e = 0; r < 6; r++)
        for (int c = 0; c <= r; c++, e++)
            out[e] = normal[0][r] * moved[0][c] + normal[1][r] * moved[1][c] + normal[2][r] * moved[2][c];
    for (int i = 0; i < 3; i++) {
        nb_lane_strain_of_pair(v, (i + 1) % 3, (i + 2) % 3, pair);
        for (int r = 0, e = 0; r < 6; r++)
            for (int c = 0; c <= r; c++, e++) out[e] += at->shear[i] * pair[r] * pair[c];
    }
}

#endif
