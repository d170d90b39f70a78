/* What friction is to obey, a choice of the problem. With the velocity v = (v_n, v_t) and the impulse z = (z_n, z_t) of
 * a contact, and the cone K = {|z_t| <= mu z_n}, whose dual is K* = {v_n >= mu |v_t|}:
 *
 *     coulomb   K* contains (v_n + mu |v_t|, v_t), orthogonal to z in K: the friction opposes the slip
 *     relaxed   K* contains v, orthogonal to z in K: the cone complementarity problem of Anitescu and Tasora. It is the
 *               optimality condition of a convex problem, but a contact that slides opens, v_n = mu |v_t|
 *   polyhedral, polyhedral-relaxed
 *               the same two with the disc of friction replaced by the polygon of l facet directions, t(2 pi i/l) in
 * the plane of the contact's tangents (friction_polygon.h): linear complementarity problems
 *
 * Sources: Anitescu, "Optimization-based simulation of nonsmooth rigid multibody dynamics", 2006; Tasora, Anitescu,
 * "A fast NCP solver for large rigid-body problems with contacts, friction, and joints", 2009; for facets Anitescu,
 * Hart, "Constrained-based simulation of multi-rigid-body dynamics with contact and friction", ICIAM 2003. */
#ifndef NB_MODEL_FRICTION_LAW_H
#define NB_MODEL_FRICTION_LAW_H

typedef enum nb_friction_law {
    NB_FRICTION_OPEN = -1, /* in what is asked for: nobody says */
    NB_FRICTION_COULOMB,
    NB_FRICTION_RELAXED,
    NB_FRICTION_POLYHEDRAL,
    NB_FRICTION_POLYHEDRAL_RELAXED,
    NB_FRICTION_LAWS
} nb_friction_law;

/* sets of laws, a bit 1 << law each */
enum {
    NB_FRICTION_ROUND = 1 << NB_FRICTION_COULOMB | 1 << NB_FRICTION_RELAXED,
    NB_FRICTION_FACETED = 1 << NB_FRICTION_POLYHEDRAL | 1 << NB_FRICTION_POLYHEDRAL_RELAXED
};

enum {
    NB_FACETS = 8, /* l where it is left open */
    NB_LEAST_FACETS = 2,
    NB_MOST_FACETS = 1024
};

static inline int nb_friction_has_facets(nb_friction_law law) {
    return law == NB_FRICTION_POLYHEDRAL || law == NB_FRICTION_POLYHEDRAL_RELAXED;
}

static inline int nb_friction_is_relaxed(nb_friction_law law) {
    return law == NB_FRICTION_RELAXED || law == NB_FRICTION_POLYHEDRAL_RELAXED;
}

extern const char *const nb_friction_law_names[NB_FRICTION_LAWS + 1]; /* NULL-terminated */

#endif
