/* How a contact's geometry moves with its two bodies: derivatives of what detection finds (contact/narrow_phase.h),
 * while the two features stay the same.
 *
 * A body moves by a small displacement of its centre, a small turn (a vector in the world: R goes to exp([turn]) R),
 * and its shape grows about the body's centre by a factor 1 + size. Each kind of feature pair has its own formula:
 * vertex and face, sphere and face, two spheres, two edges, the nearest points of two edges, sphere and edge, ellipsoid
 * and half-space. Not differentiable: the one deepest point of polyhedra that pass through each other, edges that are
 * parallel, and particles. */
#ifndef NB_DERIVATIVE_CONTACT_TANGENT_H
#define NB_DERIVATIVE_CONTACT_TANGENT_H

#include "base/status.h"
#include "contact/list.h"
#include "model/world.h"

/* a body's small motion */
typedef struct nb_body_tangent {
    nb_vec3 move; /* of the centre of mass [m] */
    nb_vec3 turn; /* in the world's axes [rad] */
    double size;  /* of the shape: d ln(scale) */
} nb_body_tangent;

/* what comes of it */
typedef struct nb_contact_tangent {
    nb_vec3 point_a, point_b; /* [m] */
    nb_vec3 normal;
    double gap; /* [m] */
} nb_contact_tangent;

/* The features of a contact between rigid bodies, in the world: all that its derivatives need. */
typedef struct nb_contact_features {
    int kind;                   /* private */
    nb_vec3 centre_a, centre_b; /* of the bodies [m] */
    nb_vec3 point_a, point_b, normal;
    nb_vec3 edge_a, edge_b;    /* along the edges, with their lengths [m] */
    double distance;           /* of what the normal is a direction between: centres, points [m] */
    double radius_a, radius_b; /* of spheres, else 0 [m] */
    int free_a, free_b;        /* 1: the nearest point is inside of the edge */
    nb_vec3 axis[3];           /* half axes of an ellipsoid a [m] */
    int flipped;               /* the roles of a and b are exchanged in what stands above */
} nb_contact_features;

/* Of a contact that was found in this world as it stands. NB_ERROR_UNSUPPORTED, with what the features are, where they
 * have no derivative. */
nb_status nb_contact_features_of(const nb_world *world, const nb_contact *contact, nb_contact_features *features);

/* The contact's small motion, for the two bodies of the contact. */
void nb_contact_features_move(const nb_contact_features *features, const nb_body_tangent *a, const nb_body_tangent *b,
                              nb_contact_tangent *moved);

/* The transpose of that: the derivatives of a number by the motion of a and b, from those by the contact's. */
void nb_contact_features_move_back(const nb_contact_features *features, const nb_contact_tangent *by_contact,
                                   nb_body_tangent by[2]);

#endif
