/* Points, faces and edges of deformable surfaces where they are: what the searches for their contacts share (private to
 * core/contact). */
#ifndef NB_CONTACT_SOFT_PARTS_H
#define NB_CONTACT_SOFT_PARTS_H

#include "contact/soft_search.h"

/* the sine of the angle by which a feature may be turned away from the other and still face it, as in polyhedra.c */
#define NB_SOFT_TURNED_AWAY 0.5
/* edges with a smaller sine between them, or between their faces, are parallel, or flat */
#define NB_SOFT_PARALLEL 1e-3
/* what is aside of an edge by more than this (sine) is over a face; what is nearer to it than this part of its length
 * is on both faces */
#define NB_SOFT_ASIDE 0.05
#define NB_SOFT_ON_EDGE 1e-6
/* edges deeper in each other than this part of the shorter one are parted by corners and faces */
#define NB_SOFT_DEEPEST 0.1

/* a point of the surface, and what it has of its particles */
typedef struct nb_soft_spot {
    int count;
    int32_t particle[3];
    double weight[3];
    nb_vec3 place, velocity;
    double radius, friction;
    int moves;
} nb_soft_spot;

nb_soft_spot nb_soft_spot_of(const nb_soft_search *s, int count, const int32_t *particle, const double *weight);

/* a face: its normal, and how deep its tetrahedron is; a triangle's normal may be either */
typedef struct nb_placed_face {
    nb_vec3 corner[3], normal;
    double twice_area, depth;
    int two_sided;
} nb_placed_face;

nb_placed_face nb_soft_place_face(const nb_soft_search *s, const nb_surface_face *face);

/* whether it can touch anything: it has an area, and is not inside out */
static inline int nb_soft_is_proper(const nb_placed_face *f) {
    return f->twice_area > 0 && (f->two_sided || f->depth > 0);
}

/* How high the point is above the face, below it down to -depth, and which way is out there: of a triangle towards the
 * point, so that no point is below. 0 where it is deeper. */
int nb_soft_height(const nb_placed_face *f, nb_vec3 point, double *height, nb_vec3 *out);

/* what the point's foot on the face takes of its corners; 0 where it is beside the face, or on a triangle's border */
int nb_soft_weights(const nb_placed_face *f, nb_vec3 point, double weight[3]);

/* An edge: its faces' normals, and which way each face lies from it. A sheet's border has its one face twice, with
 * opposite normals; other normals of sheets are of one side. */
typedef struct nb_placed_edge {
    nb_vec3 start, along, normal[2], inward[2];
    int two_sided;
} nb_placed_edge;

nb_placed_edge nb_soft_place_edge(const nb_soft_search *s, const nb_surface_edge *edge);

/* whether its faces are in one plane, on either side of it */
static inline int nb_soft_is_flat(const nb_placed_edge *e) {
    return nb_dot(e->normal[0], e->normal[1]) > 1 - NB_SOFT_PARALLEL * NB_SOFT_PARALLEL;
}

/* whether what comes from straight `out` meets the edge, and not one of its faces */
int nb_soft_edge_faces(const nb_placed_edge *e, nb_vec3 out, double sine);

/* The foot of a point that is beside the edge, and not over a face nor on it: its share of the edge and the direction
 * away. 0 where it is elsewhere. */
int nb_soft_beside(const nb_placed_edge *e, nb_vec3 place, double *share, nb_vec3 *out);

static inline nb_vec3 nb_soft_position(const nb_soft_search *s, int32_t particle) {
    return s->world->particles[particle].position;
}

#endif
