/* The law of contacts whose impulses are a function of velocities (model/contact_field.h). It relaxes Coulomb's. */
#include <stddef.h>
#include <tgmath.h>

#include "base/largest.h"
#include "base/vec3.h"
#include "constraint/cone_law.h"

NB_PRECISIONS(f32, f64);

static const nb_cone_law *law_of(const nb_law_range *range) {
    return (const nb_cone_law *)range->law;
}

/* of similar on the cone, of lagged on its cylinder */
static void project(const nb_law_range *range, real *z) {
    nb_law_range one = *range;
    one.blocks = 1;
    for (int32_t i = 0; i < range->blocks; i++, one.first++, one.first_row += 3) {
        const nb_contact_field *field = &law_of(range)->field[one.first];
        real *own = z + one.first_row;
        const double length = hypot((double)own[1], (double)own[2]);
        if (field->similar) {
            nb_cone_class.project(&one, z);
            continue;
        }
        if (own[0] < 0) own[0] = 0;
        for (int k = 1; k < 3 && length > field->bound; k++) own[k] *= (real)(field->bound / length);
    }
}

/* The natural map in velocities, v less the v' of v' - w z(v') = v - w z, by one step of Newton's method from v: the
 * solution e of (1/w + G) e = z - z(v). Zero where the law holds, and w z where the contact is open. */
static void error_of_contact(const nb_contact_field *field, const double v[3], const double z[3], const double w[2],
                             nb_law_errors *errors) {
    double own[3], g[9], e[3] = {0};
    nb_contact_field_potential(field, v, own, g);
    nb_mat3 m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m.m[i][j] = g[3 * i + j] + (i == j ? 1 / w[i > 0] : 0);
    const nb_mat3 inverse = nb_mat3_inverse(&m);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) e[i] += inverse.m[i][j] * (z[j] - own[j]);
    nb_raise(&errors->complementarity, fabs(e[0]));
    nb_raise(&errors->friction, sqrt(e[1] * e[1] + e[2] * e[2]));
}

static void error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    for (int32_t i = 0; i < range->blocks; i++) {
        const ptrdiff_t r = range->first_row + 3 * (ptrdiff_t)i;
        double v[3], z[3];
        const double w[2] = {(double)at->w[r], (double)at->w[r + 1]};
        for (int k = 0; k < 3; k++) {
            v[k] = (double)at->value[r + k] - (k ? 0 : law_of(range)->field[range->first + i].lead);
            z[k] = (double)at->z[r + k];
        }
        error_of_contact(&law_of(range)->field[range->first + i], v, z, w, errors);
        nb_raise(&errors->penetration, (double)(-at->value[r] * at->h));
    }
}

const nb_law_class nb_field_class = {
    .name = "field",
    .rows = 3,
    .relaxes = &nb_cone_class,
    .project = project,
    .error = error,
};
