/* Narrow phase of two polyhedra, and what their features are to other pieces. */
#ifndef NB_CONTACT_POLYHEDRA_H
#define NB_CONTACT_POLYHEDRA_H

#include "contact/encounter.h"

/* Appends all contacts of two polyhedra: vertex-face pairs both ways and edge-edge pairs whose nearest points lie
 * within the face or within both edges, where each feature faces the other.
 *
 * Pieces apart: every such pair. Pieces that touch or pass through each other: those whose normal is near the axis of
 * least penetration (separating axis theorem over face normals and edge cross products, faces preferred), so that boxes
 * sunk into each other are pushed apart through the faces that met. Where no pair remains although the pieces overlap
 * or would meet within the step, one contact stands in: the deepest vertex, or the nearest points of two edges. */
nb_status nb_encounter_collide_polyhedra(const nb_encounter *encounter);

/* whether the point, seen along the face's normal, lies in the face or at most `tolerance` [m] beyond its border */
int nb_face_contains(const nb_piece *piece, int32_t face, nb_vec3 point, double tolerance);

/* Whether a vertex can meet a plane with this normal that comes from below: no edge descends from it, against the
 * normal, by more than 30 degrees. (With none at all only the lowest vertex of a box that rocks would count.) */
int nb_vertex_faces(const nb_piece *piece, int32_t vertex, nb_vec3 normal);

#endif
