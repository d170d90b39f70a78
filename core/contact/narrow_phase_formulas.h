/* Narrow phase of spheres, half-spaces and polyhedra. One source for this processor and a GPU; whoever includes this
 * defines NB_KEEP_CONTACT before (polyhedra_formulas.h). */
#ifndef NB_CONTACT_NARROW_PHASE_FORMULAS_H
#define NB_CONTACT_NARROW_PHASE_FORMULAS_H

#include "base/features.h"
#include "contact/polyhedra_formulas.h"

/* a sphere against the piece of the other body whose nearest point to its centre is `point`, `distance` away */
NB_INLINE_FN nb_status add_sphere(const nb_encounter *encounter, nb_feature_kind kind, int32_t feature, nb_vec3 point,
                                  nb_vec3 normal) {
    const nb_piece *sphere = encounter->a.piece;
    return NB_KEEP_CONTACT(encounter, kind, 0, feature, nb_add_scaled(sphere->centre, -sphere->radius, normal), point,
                           normal);
}

NB_INLINE_FN nb_status collide_spheres(const nb_encounter *encounter) {
    const nb_piece *a = encounter->a.piece, *b = encounter->b.piece;
    nb_vec3 apart = nb_sub(a->centre, b->centre);
    double distance = nb_norm(apart);
    /* spheres in one place have no direction; any will part them */
    nb_vec3 normal = distance > 1e-12 * (a->radius + b->radius) ? nb_scale(1 / distance, apart) : nb_vec3_of(0, 0, 1);
    return add_sphere(encounter, NB_FEATURE_VERTEX_FACE, 0, nb_add_scaled(b->centre, b->radius, normal), normal);
}

NB_INLINE_FN nb_status collide_sphere_half_space(const nb_encounter *encounter) {
    const nb_piece *a = encounter->a.piece, *b = encounter->b.piece;
    nb_vec3 normal = b->normals[0];
    double height = nb_dot(normal, nb_sub(a->centre, b->centre));
    return add_sphere(encounter, NB_FEATURE_VERTEX_FACE, 0, nb_add_scaled(a->centre, -height, normal), normal);
}

/* the point of the edge nearest to `point` */
NB_INLINE_FN nb_vec3 nearest_on_edge(const nb_piece *piece, int32_t index, nb_vec3 point) {
    const int32_t *ends = &piece->polyhedron->edge_vertex[2 * index];
    nb_vec3 start = piece->vertices[ends[0]], along = nb_sub(piece->vertices[ends[1]], start);
    double s = nb_dot(along, nb_sub(point, start)) / nb_dot(along, along);
    return nb_add_scaled(start, fmin(1.0, fmax(0.0, s)), along);
}

NB_INLINE_FN nb_status add_sphere_edge(const nb_encounter *encounter) {
    const nb_piece *sphere = encounter->a.piece, *b = encounter->b.piece;
    double nearest = INFINITY;
    int32_t index = 0;
    for (int32_t e = 0; e < b->polyhedron->edge_count; e++) {
        double distance = nb_norm(nb_sub(sphere->centre, nearest_on_edge(b, e, sphere->centre)));
        if (distance < nearest) nearest = distance, index = e;
    }
    nb_vec3 foot = nearest_on_edge(b, index, sphere->centre);
    return add_sphere(encounter, NB_FEATURE_VERTEX_EDGE, index, foot,
                      nb_scale(1 / nearest, nb_sub(sphere->centre, foot)));
}

/* The polyhedron's surface point nearest to the sphere's centre: for a centre outside on a face that contains the foot
 * of the perpendicular, or else on an edge; for a centre inside on the face that is left first. */
NB_INLINE_FN nb_status collide_sphere_polyhedron(const nb_encounter *encounter) {
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

NB_INLINE_FN nb_status collide_polyhedron_half_space(const nb_encounter *encounter) {
    const nb_piece *a = encounter->a.piece, *b = encounter->b.piece;
    nb_vec3 normal = b->normals[0];
    double reach = nb_encounter_reach(encounter);
    nb_status status = NB_OK;
    for (int32_t v = 0; v < a->polyhedron->vertex_count; v++) {
        double height = nb_dot(normal, nb_sub(a->vertices[v], b->centre));
        if (height > reach || !nb_vertex_faces(a, v, normal)) continue;
        NB_TRY(NB_KEEP_CONTACT(encounter, NB_FEATURE_VERTEX_FACE, v, 0, a->vertices[v],
                               nb_add_scaled(a->vertices[v], -height, normal), normal));
    }
out:
    return status;
}

NB_INLINE_FN nb_encounter swapped_encounter(const nb_encounter *encounter) {
    nb_encounter other = *encounter;
    other.a = encounter->b, other.b = encounter->a;
    other.swapped = !encounter->swapped;
    return other;
}

/* Appends all contacts of two pieces of these kinds, of which not both are half-spaces; `other` is the encounter
 * swapped. */
NB_INLINE_FN nb_status nb_encounter_collide_known(const nb_encounter *encounter, const nb_encounter *other) {
    const nb_shape_kind a = encounter->a.piece->kind, b = encounter->b.piece->kind;
    if (a == NB_SHAPE_COMPOUND && b == NB_SHAPE_COMPOUND) return nb_encounter_collide_polyhedra(encounter);
    if (a == NB_SHAPE_SPHERE && b == NB_SHAPE_SPHERE) return collide_spheres(encounter);
    if (a == NB_SHAPE_SPHERE && b == NB_SHAPE_HALF_SPACE) return collide_sphere_half_space(encounter);
    if (a == NB_SHAPE_HALF_SPACE && b == NB_SHAPE_SPHERE) return collide_sphere_half_space(other);
    if (a == NB_SHAPE_SPHERE) return collide_sphere_polyhedron(encounter);
    if (b == NB_SHAPE_SPHERE) return collide_sphere_polyhedron(other);
    return collide_polyhedron_half_space(b == NB_SHAPE_HALF_SPACE ? encounter : other);
}

#endif
