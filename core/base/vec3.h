/* Vectors in 3-space, quaternions (w, x, y, z; unit length) and 3 x 3 matrices (row by row), in double. */
#ifndef NB_BASE_VEC3_H
#define NB_BASE_VEC3_H

#include "base/features.h"

typedef struct nb_vec3 {
    double x, y, z;
} nb_vec3;

typedef struct nb_quat {
    double w, x, y, z;
} nb_quat;

typedef struct nb_mat3 {
    double m[3][3];
} nb_mat3;

NB_INLINE_FN nb_vec3 nb_vec3_of(double x, double y, double z) {
    nb_vec3 v = {x, y, z};
    return v;
}
NB_INLINE_FN nb_vec3 nb_add(nb_vec3 a, nb_vec3 b) {
    return nb_vec3_of(a.x + b.x, a.y + b.y, a.z + b.z);
}
NB_INLINE_FN nb_vec3 nb_sub(nb_vec3 a, nb_vec3 b) {
    return nb_vec3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}
NB_INLINE_FN nb_vec3 nb_scale(double s, nb_vec3 a) {
    return nb_vec3_of(s * a.x, s * a.y, s * a.z);
}
/* a + s b */
NB_INLINE_FN nb_vec3 nb_add_scaled(nb_vec3 a, double s, nb_vec3 b) {
    return nb_vec3_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
NB_INLINE_FN double nb_dot(nb_vec3 a, nb_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
NB_INLINE_FN nb_vec3 nb_cross(nb_vec3 a, nb_vec3 b) {
    return nb_vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
NB_INLINE_FN double nb_norm(nb_vec3 a) {
    return sqrt(nb_dot(a, a));
}
/* a / |a|; the zero vector stays what it is */
NB_INLINE_FN nb_vec3 nb_normalized(nb_vec3 a) {
    double length = nb_norm(a);
    return length > 0 ? nb_scale(1 / length, a) : a;
}

/* Two unit tangents so that (n, t1, t2) is right-handed and orthonormal; continuous except near n = -z. */
NB_INLINE_FN void nb_tangents(nb_vec3 n, nb_vec3 *t1, nb_vec3 *t2) {
    nb_vec3 axis = fabs(n.x) < 0.57735 ? nb_vec3_of(1, 0, 0) : nb_vec3_of(0, 1, 0);
    *t1 = nb_normalized(nb_add_scaled(axis, -nb_dot(axis, n), n));
    *t2 = nb_cross(n, *t1);
}

NB_INLINE_FN nb_quat nb_quat_of(double w, double x, double y, double z) {
    nb_quat q = {w, x, y, z};
    return q;
}
NB_INLINE_FN nb_quat nb_quat_identity(void) {
    return nb_quat_of(1, 0, 0, 0);
}
/* the rotation by `angle` [rad] about the unit vector `axis` */
NB_INLINE_FN nb_quat nb_quat_about(nb_vec3 axis, double angle) {
    double s = sin(0.5 * angle);
    return nb_quat_of(cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z);
}
NB_INLINE_FN nb_quat nb_quat_product(nb_quat a, nb_quat b) {
    return nb_quat_of(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}
NB_INLINE_FN nb_quat nb_quat_conjugate(nb_quat q) {
    return nb_quat_of(q.w, -q.x, -q.y, -q.z);
}
NB_INLINE_FN nb_quat nb_quat_normalized(nb_quat q) {
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return nb_quat_of(s * q.w, s * q.x, s * q.y, s * q.z);
}
NB_INLINE_FN nb_vec3 nb_quat_rotate(nb_quat q, nb_vec3 a) {
    nb_vec3 v = {q.x, q.y, q.z};
    nb_vec3 t = nb_scale(2, nb_cross(v, a));
    return nb_add(nb_add_scaled(a, q.w, t), nb_cross(v, t));
}
NB_INLINE_FN nb_mat3 nb_quat_matrix(nb_quat q) {
    double w = q.w, x = q.x, y = q.y, z = q.z;
    nb_mat3 r = {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                  {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                  {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
    return r;
}
/* q- advanced by h times the angular velocity omega (world frame): normalised q- + h/2 (0, omega) q-, eq. (88), (89) */
NB_INLINE_FN nb_quat nb_quat_advance(nb_quat q, double h, nb_vec3 omega) {
    nb_quat d = nb_quat_product(nb_quat_of(0, omega.x, omega.y, omega.z), q);
    return nb_quat_normalized(
        nb_quat_of(q.w + 0.5 * h * d.w, q.x + 0.5 * h * d.x, q.y + 0.5 * h * d.y, q.z + 0.5 * h * d.z));
}
/* the angular velocity that turns `from` into `to` in h (nb_quat_advance) */
NB_INLINE_FN nb_vec3 nb_quat_spin_between(nb_quat from, nb_quat to, double h) {
    nb_quat by = nb_quat_product(to, nb_quat_conjugate(from));
    return nb_scale(2 / (h * by.w), nb_vec3_of(by.x, by.y, by.z));
}
NB_INLINE_FN nb_vec3 nb_mat3_apply(const nb_mat3 *a, nb_vec3 x) {
    return nb_vec3_of(a->m[0][0] * x.x + a->m[0][1] * x.y + a->m[0][2] * x.z,
                      a->m[1][0] * x.x + a->m[1][1] * x.y + a->m[1][2] * x.z,
                      a->m[2][0] * x.x + a->m[2][1] * x.y + a->m[2][2] * x.z);
}
NB_INLINE_FN nb_mat3 nb_mat3_product(const nb_mat3 *a, const nb_mat3 *b) {
    nb_mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}
NB_INLINE_FN nb_mat3 nb_mat3_transposed(const nb_mat3 *a) {
    nb_mat3 t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t.m[i][j] = a->m[j][i];
    return t;
}
/* R D R^T for the rotation R of q: a tensor of the body frame in the world frame */
NB_INLINE_FN nb_mat3 nb_mat3_rotated(nb_quat q, const nb_mat3 *d) {
    nb_mat3 r = nb_quat_matrix(q), t = nb_mat3_transposed(&r), rd = nb_mat3_product(&r, d);
    return nb_mat3_product(&rd, &t);
}
/* the inverse of a (must be invertible) */
NB_INLINE_FN nb_mat3 nb_mat3_inverse(const nb_mat3 *a) {
    const double(*m)[3] = a->m;
    double c00 = m[1][1] * m[2][2] - m[1][2] * m[2][1], c01 = m[1][2] * m[2][0] - m[1][0] * m[2][2],
           c02 = m[1][0] * m[2][1] - m[1][1] * m[2][0], s = 1 / (m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02);
    nb_mat3 inverse = {
        {{s * c00, s * (m[0][2] * m[2][1] - m[0][1] * m[2][2]), s * (m[0][1] * m[1][2] - m[0][2] * m[1][1])},
         {s * c01, s * (m[0][0] * m[2][2] - m[0][2] * m[2][0]), s * (m[0][2] * m[1][0] - m[0][0] * m[1][2])},
         {s * c02, s * (m[0][1] * m[2][0] - m[0][0] * m[2][1]), s * (m[0][0] * m[1][1] - m[0][1] * m[1][0])}}};
    return inverse;
}

#endif
