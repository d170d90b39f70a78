#include "contact/narrow_phase.h"

#include "contact/polyhedra.h"

/* a sphere against the piece of the other body whose nearest point to its centre is `point`, `distance` away */
static nb_status add_sphere(const nb_encounter *encounter, nb_feature_kind kind, int32_t feature, nb_vec3 point,
                            nb_vec3 normal) {
    const nb_piece *sphere = encounter->a.piece;
    return nb_encounter_add(encounter, kind, 0, feature, nb_add_scaled(sphere->centre, -sphere->radius, normal), point,
                            normal);
}

static nb_status collide_spheres(const nb_encounter *encounter) {
    const nb_piece *a = encounter->a.piece, *b = encounter->b.piece;
    nb_vec3 apart = nb_sub(a->centre, b->centre);
    double distance = nb_norm(apart);
    /* spheres in one place have no direction; any will part them */
    nb_vec3 normal = distance > 1e-12 * (a->radius + b->radius) ? nb_scale(1 / distance, apart) : nb_vec3_of(0, 0, 1);
    return add_sphere(encounter, NB_FEATURE_VERTEX_FACE, 0, nb_add_scaled(b->centre, b->radius, normal), normal);
}

static nb_status collide_sphere_half_space(const nb_encounter *encounter) {
    const nb_piece *a = encounter->a.piece, *b = encounter->b.piece;
    nb_vec3 normal = b->normals[0];
    double height = nb_dot(normal, nb_sub(a->centre, b->centre));
    return add_sphere(encounter, NB_FEATURE_VERTEX_FACE, 0, nb_add_scaled(a->centre, -height, normal), normal);
}

/* the point of the edge nearest to `point` */
static nb_vec3 nearest_on_edge(const nb_piece *piece, int32_t edge, nb_vec3 point) {
    const int32_t *ends = &piece->polyhedron->edge_vertex[2 * edge];
    nb_vec3 start = piece->vertices[ends[0]], along = nb_sub(piece->vertices[ends[1]], start);
    double s = nb_dot(along, nb_sub(point, start)) / nb_dot(along, along);
    return nb_add_scaled(start, fmin(1, fmax(0, s)), along);
}

static nb_status add_sphere_edge(const nb_encounter *encounter) {
    const nb_piece *sphere = encounter->a.piece, *b = encounter->b.piece;
    double nearest = INFINITY;
    int32_t edge = 0;
    for (int32_t e = 0; e < b->polyhedron->edge_count; e++) {
        double distance = nb_norm(nb_sub(sphere->centre, nearest_on_edge(b, e, sphere->centre)));
        if (distance < nearest) nearest = distance, edge = e;
    }
    nb_vec3 foot = nearest_on_edge(b, edge, sphere->centre);
    return add_sphere(encounter, NB_FEATURE_VERTEX_EDGE, edge, foot,
                      nb_scale(1 / nearest, nb_sub(sphere->centre, foot)));
}

/* The polyhedron's surface point nearest to the sphere's centre: for a centre outside on a face that contains the foot
 * of the perpendicular, or else on an edge; for a centre inside on the face that is left first. */
static nb_status collide_sphere_polyhedron(const nb_encounter *encounter) {
    const nb_piece *sphere = encounter->a.piece, *b = encounter->b.piece;
    double highest = -INFINITY, touching = 1e-9 * b->radius;
    int32_t face = -1, over = -1; /* the highest of all faces, and of those with the centre straight above them */
    for (int32_t f = 0; f < b->polyhedron->face_count; f++) {
        double height = nb_face_height(b, f, sphere->centre);
        nb_vec3 foot = nb_add_scaled(sphere->centre, -height, b->normals[f]);
        if (height > touching && nb_face_contains(b, f, foot, 0)) over = f;
        if (height > highest) highest = height, face = f;
    }
    if (highest > touching && over < 0) return add_sphere_edge(encounter);
    if (highest > touching) face = over;
    nb_vec3 normal = b->normals[face];
    double height = nb_face_height(b, face, sphere->centre);
    return add_sphere(encounter, NB_FEATURE_VERTEX_FACE, face, nb_add_scaled(sphere->centre, -height, normal), normal);
}

static nb_status collide_polyhedron_half_space(const nb_encounter *encounter) {
    const nb_piece *a = encounter->a.piece, *b = encounter->b.piece;
    nb_vec3 normal = b->normals[0];
    double reach = nb_encounter_reach(encounter);
    nb_status status = NB_OK;
    for (int32_t v = 0; v < a->polyhedron->vertex_count; v++) {
        double height = nb_dot(normal, nb_sub(a->vertices[v], b->centre));
        if (height > reach || !nb_vertex_faces(a, v, normal)) continue;
        NB_TRY(nb_encounter_add(encounter, NB_FEATURE_VERTEX_FACE, v, 0, a->vertices[v],
                                nb_add_scaled(a->vertices[v], -height, normal), normal));
    }
out:
    return status;
}

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

static nb_encounter swapped_encounter(const nb_encounter *encounter) {
    nb_encounter other = *encounter;
    other.a = encounter->b, other.b = encounter->a;
    other.swapped = !encounter->swapped;
    return other;
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
    if (a == NB_SHAPE_COMPOUND && b == NB_SHAPE_COMPOUND) return nb_encounter_collide_polyhedra(encounter);
    if (a == NB_SHAPE_SPHERE && b == NB_SHAPE_SPHERE) return collide_spheres(encounter);
    if (a == NB_SHAPE_SPHERE && b == NB_SHAPE_HALF_SPACE) return collide_sphere_half_space(encounter);
    if (a == NB_SHAPE_HALF_SPACE && b == NB_SHAPE_SPHERE) return collide_sphere_half_space(&other);
    if (a == NB_SHAPE_SPHERE) return collide_sphere_polyhedron(encounter);
    if (b == NB_SHAPE_SPHERE) return collide_sphere_polyhedron(&other);
    return collide_polyhedron_half_space(b == NB_SHAPE_HALF_SPACE ? encounter : &other);
}
