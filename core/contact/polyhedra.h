/* What features of polyhedra are to other pieces. */
#ifndef NB_CONTACT_POLYHEDRA_H
#define NB_CONTACT_POLYHEDRA_H

#include "contact/encounter.h"

/* the sine of the angle by which a feature may be turned away from the other and still face it: 30 degrees */
#define NB_TURNED_AWAY 0.5

/* whether the point, seen along the face's normal, lies in the face or at most `tolerance` [m] beyond its border */
NB_INLINE_FN int nb_face_contains(const nb_piece *piece, int32_t face, nb_vec3 point, double tolerance) {
    const nb_polyhedron *p = piece->polyhedron;
    int32_t begin = p->face_start[face], end = p->face_start[face + 1];
    for (int32_t k = begin; k < end; k++) {
        nb_vec3 corner = piece->vertices[p->face_vertex[k]];
        nb_vec3 edge = nb_sub(piece->vertices[p->face_vertex[k + 1 < end ? k + 1 : begin]], corner);
        const double depth = nb_dot(nb_cross(piece->normals[face], edge), nb_sub(point, corner));
        if (depth < 0 && depth < -tolerance * nb_norm(edge)) return 0;
    }
    return 1;
}

/* Whether a vertex can meet a plane with this normal that comes from below: no edge descends from it, against the
 * normal, by more than 30 degrees. (With none at all only the lowest vertex of a box that rocks would count.) */
NB_INLINE_FN int nb_vertex_faces(const nb_piece *piece, int32_t vertex, nb_vec3 normal) {
    const nb_polyhedron *p = piece->polyhedron;
    for (int32_t e = 0; e < p->edge_count; e++) {
        const int32_t *ends = &p->edge_vertex[2 * e];
        if (ends[0] != vertex && ends[1] != vertex) continue;
        nb_vec3 edge = nb_sub(piece->vertices[ends[0] == vertex ? ends[1] : ends[0]], piece->vertices[vertex]);
        if (nb_dot(edge, normal) < -NB_TURNED_AWAY * nb_norm(edge)) return 0;
    }
    return 1;
}

#endif
