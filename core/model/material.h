/* What elements are made of, and a tetrahedron's rest shape (double; SI units). */
#ifndef NB_MODEL_MATERIAL_H
#define NB_MODEL_MATERIAL_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"

typedef enum nb_material_kind {
    NB_MATERIAL_LINEAR,                /* co-rotational: linear in the stretch S - 1; six rows an element */
    NB_MATERIAL_NEO_HOOKEAN,           /* stable Neo-Hookean (107), six rows */
    NB_MATERIAL_NEO_HOOKEAN_PRINCIPAL, /* the same as the paper has it: three rows, of the principal stretches */
    NB_MATERIAL_KINDS
} nb_material_kind;

extern const char *const nb_material_names[]; /* "linear", "neo-hookean", "neo-hookean-principal", NULL */

typedef struct nb_material {
    nb_material_kind kind;
    double young;   /* Young's modulus [Pa] */
    double poisson; /* Poisson's ratio, above -1 and below 1/2 */
    double density; /* [kg/m^3] */
} nb_material;

/* NB_ERROR_INPUT for what no material has, NB_OK else; `which` is its number, for the message. */
nb_status nb_material_check(const nb_material *material, int32_t which);

/* the Lame parameters [Pa] */
static inline double nb_material_mu(const nb_material *m) {
    return m->young / (2 * (1 + m->poisson));
}
static inline double nb_material_lambda(const nb_material *m) {
    return m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
}

/* a tetrahedron at rest */
typedef struct nb_rest_shape {
    nb_vec3 gradient[4]; /* of the shape functions [1/m]: F = sum x_a (x) gradient[a] */
    double volume;       /* [m^3], positive in either order of the corners */
    double length;       /* [m] (6 V)^(1/3): the edges of a corner of a cube of that volume */
} nb_rest_shape;

/* NB_ERROR_INPUT where the corners have no volume to speak of: less than 1e-10 of the cube of the longest edge, where
 * gradients would be round-off. `which` is the element's number, for the message. */
nb_status nb_rest_shape_of(const nb_vec3 corner[4], int32_t which, nb_rest_shape *rest);

/* F of the corners [3][3] */
nb_mat3 nb_rest_shape_gradient(const nb_rest_shape *rest, const nb_vec3 corner[4]);

#endif
