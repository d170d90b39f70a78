#include "contact/narrow_phase.h"

#define NB_KEEP_CONTACT nb_encounter_add
#include "contact/narrow_phase_formulas.h"

/* The point of the ellipsoid that lies farthest against the plane's normal. While it turns another one does: the
 * contact is taken where any may come near. */
static nb_status collide_ellipsoid_half_space(const nb_encounter *encounter) {
    const nb_piece *a = encounter->a.piece, *b = encounter->b.piece;
    nb_vec3 normal = b->normals[0], point = a->centre;
    double along[3], reach = 0;
    for (int i = 0; i < 3; i++) {
        along[i] = nb_dot(a->normals[i], normal);
        reach += along[i] * along[i];
    }
    reach = sqrt(reach); /* of the surface below the centre */
    for (int i = 0; i < 3; i++) point = nb_add_scaled(point, -along[i] / reach, a->normals[i]);
    nb_encounter wide = *encounter;
    wide.margin += 2 * encounter->h * encounter->a.turning_speed;
    double height = nb_dot(normal, nb_sub(point, b->centre));
    return nb_encounter_add(&wide, NB_FEATURE_VERTEX_FACE, 0, 0, point, nb_add_scaled(point, -height, normal), normal);
}

/* what only methods that find contact points themselves let touch */
static nb_status refuse_solid(const nb_encounter *encounter) {
    const nb_piece *a = encounter->a.piece, *b = encounter->b.piece, *solid = a->solid ? a : b;
    return nb_fail(NB_ERROR_UNSUPPORTED,
                   "bodies %d and %d meet: collision detection does not support shape %s; use --method single-level "
                   "or bilevel",
                   (int)a->body, (int)b->body, nb_shape_kind_name(solid->kind));
}

nb_status nb_encounter_collide(const nb_encounter *encounter) {
    nb_shape_kind a = encounter->a.piece->kind, b = encounter->b.piece->kind;
    nb_encounter other = swapped_encounter(encounter);
    if (a == NB_SHAPE_HALF_SPACE && b == NB_SHAPE_HALF_SPACE) return NB_OK;
    if (encounter->a.piece->solid || encounter->b.piece->solid) return refuse_solid(encounter);
    if (a == NB_SHAPE_ELLIPSOID && b == NB_SHAPE_HALF_SPACE) return collide_ellipsoid_half_space(encounter);
    if (a == NB_SHAPE_HALF_SPACE && b == NB_SHAPE_ELLIPSOID) return collide_ellipsoid_half_space(&other);
    if (a == NB_SHAPE_ELLIPSOID || b == NB_SHAPE_ELLIPSOID)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "bodies %d and %d meet, one of them an ellipsoid: these touch half-spaces alone",
                       (int)encounter->a.piece->body, (int)encounter->b.piece->body);
    return nb_encounter_collide_known(encounter, &other);
}
