#include "model/material.h"

#include <math.h>
#include <stddef.h>

const char *const nb_material_names[] = {"linear", "neo-hookean", "neo-hookean-principal", NULL};

nb_status nb_material_check(const nb_material *m, int32_t which) {
    if (!(m->young > 0 && m->young < INFINITY))
        return nb_fail(NB_ERROR_INPUT, "material %d: Young's modulus %g Pa must be positive and finite", (int)which,
                       m->young);
    if (!(m->poisson > -1 && m->poisson < 0.5))
        return nb_fail(NB_ERROR_INPUT, "material %d: Poisson's ratio %g must be above -1 and below 0.5", (int)which,
                       m->poisson);
    if (!(m->density >= 0 && m->density < INFINITY))
        return nb_fail(NB_ERROR_INPUT, "material %d: density %g kg/m^3 must not be negative", (int)which, m->density);
    return NB_OK;
}

nb_status nb_rest_shape_of(const nb_vec3 corner[4], int32_t which, nb_rest_shape *rest) {
    const double least = 1e-10;
    nb_vec3 e1 = nb_sub(corner[1], corner[0]), e2 = nb_sub(corner[2], corner[0]), e3 = nb_sub(corner[3], corner[0]);
    double longest = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++) longest = fmax(longest, nb_norm(nb_sub(corner[a], corner[b])));
    double six = nb_dot(e1, nb_cross(e2, e3));
    if (!(fabs(six) > least * longest * longest * longest && fabs(six) < INFINITY))
        return nb_fail(NB_ERROR_INPUT, "tetrahedron %d has a volume of %g m^3, and a longest edge of %g m", (int)which,
                       fabs(six) / 6, longest);
    rest->gradient[1] = nb_scale(1 / six, nb_cross(e2, e3));
    rest->gradient[2] = nb_scale(1 / six, nb_cross(e3, e1));
    rest->gradient[3] = nb_scale(1 / six, nb_cross(e1, e2));
    rest->gradient[0] = nb_scale(-1, nb_add(rest->gradient[1], nb_add(rest->gradient[2], rest->gradient[3])));
    rest->volume = fabs(six) / 6;
    rest->length = cbrt(fabs(six));
    return NB_OK;
}

nb_mat3 nb_rest_shape_gradient(const nb_rest_shape *rest, const nb_vec3 corner[4]) {
    nb_mat3 f = {{{0}}};
    for (int a = 1; a < 4; a++) {
        nb_vec3 x = nb_sub(corner[a], corner[0]), b = rest->gradient[a];
        const double from[3] = {x.x, x.y, x.z}, to[3] = {b.x, b.y, b.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) f.m[i][j] += from[i] * to[j];
    }
    return f;
}
