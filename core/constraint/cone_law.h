/* The laws of contacts with friction, three rows a block. Coulomb's: the normal is unilateral, and the friction lies in
 * the disc of radius mu z_n, opposing the slip (problem.h). Its convex relaxation (model/friction_law.h) and the laws
 * whose friction lies in a polygon have the same parameters. The second tangents may have another friction: an ellipse.
 */
#ifndef NB_CONSTRAINT_CONE_LAW_H
#define NB_CONSTRAINT_CONE_LAW_H

#include "constraint/law.h"
#include "model/contact_field.h"
#include "model/friction_law.h"

#define nb_cone_law NB_REAL_NAME(nb_cone_law)
#define nb_cone_class NB_REAL_NAME(nb_cone_class)
#define nb_relaxed_class NB_REAL_NAME(nb_relaxed_class)
#define nb_field_class NB_REAL_NAME(nb_field_class)
#define nb_softness NB_REAL_NAME(nb_softness)
#define nb_softness_of NB_REAL_NAME(nb_softness_of)
#define nb_softness_add NB_REAL_NAME(nb_softness_add)
#define nb_law_is_friction NB_REAL_NAME(nb_law_is_friction)
#define nb_friction_class_of NB_REAL_NAME(nb_friction_class_of)
#define nb_polyhedral_class NB_REAL_NAME(nb_polyhedral_class)
#define nb_polyhedral_relaxed_class NB_REAL_NAME(nb_polyhedral_relaxed_class)

/* of a contact that gives way (model/contact_model.h): R_n, R_t [1/kg] and b [m/s] */
typedef struct nb_softness {
    real normal, tangent, shift[3];
} nb_softness;

typedef struct nb_cone_law {
    nb_law base;    /* first, of one of the five classes */
    const real *mu; /* [blocks] along the first tangent; borrowed */
    real ratio;     /* of the friction along the second tangents to that along the first; 1: a disc */
    real soft;      /* compliance e/h^2 of every normal [1/kg]; 0: rigid */
    int32_t facets; /* corners of the polygon that friction lies in, by the polyhedral classes */
    /* [blocks], of the relaxed class, whose law is of c = v + b + R z in the place of v; borrowed. NULL: c = v */
    const nb_softness *softness;
    const nb_contact_field *field; /* [blocks], of the class of fields; borrowed */
} nb_cone_law;

/* of the contact among those that the law has parameters of */
static inline nb_softness nb_softness_of(const nb_cone_law *law, int32_t contact) {
    return law->softness ? law->softness[contact] : (nb_softness){law->soft, 0, {0, 0, 0}};
}

/* c [3] of velocities and impulses */
static inline void nb_softness_add(const nb_softness *softness, const real *v, const real *z, real *c) {
    for (int k = 0; k < 3; k++) c[k] = v[k] + softness->shift[k] + (k ? softness->tangent : softness->normal) * z[k];
}

extern const nb_law_class nb_cone_class;    /* Coulomb's (cone_law.c) */
extern const nb_law_class nb_relaxed_class; /* relaxed (relaxed_law.c) */

/* impulses that are a function of velocities (field_law.c): only what a primal method needs of a law */
extern const nb_law_class nb_field_class;

/* in a polygon (polyhedral_law.c): what Newton's method and scaled problems need of a law they do not have */
extern const nb_law_class nb_polyhedral_class, nb_polyhedral_relaxed_class;

/* whether it is one of the five */
static inline int nb_law_is_friction(const nb_law_class *type) {
    return type == &nb_cone_class || type == &nb_relaxed_class || type == &nb_polyhedral_class ||
           type == &nb_polyhedral_relaxed_class || type == &nb_field_class;
}

/* the class of a law of friction */
static inline const nb_law_class *nb_friction_class_of(nb_friction_law law) {
    return law == NB_FRICTION_RELAXED              ? &nb_relaxed_class
           : law == NB_FRICTION_POLYHEDRAL         ? &nb_polyhedral_class
           : law == NB_FRICTION_POLYHEDRAL_RELAXED ? &nb_polyhedral_relaxed_class
                                                   : &nb_cone_class;
}

#endif
