/* What friction is to obey, a choice of the problem. With the velocity v = (v_n, v_t) and the impulse z = (z_n, z_t) of
 * a contact, and the cone K = {|z_t| <= mu z_n}, whose dual is K* = {v_n >= mu |v_t|}:
 *
 *     coulomb   K* contains (v_n + mu |v_t|, v_t), orthogonal to z in K: the friction opposes the slip
 *     relaxed   K* contains v, orthogonal to z in K: the cone complementarity problem of Anitescu and Tasora. It is the
 *               optimality condition of a convex problem, but a contact that slides opens, v_n = mu |v_t|
 *
 * Sources: Anitescu, "Optimization-based simulation of nonsmooth rigid multibody dynamics", 2006; Tasora, Anitescu,
 * "A fast NCP solver for large rigid-body problems with contacts, friction, and joints", 2009. */
#ifndef NB_MODEL_FRICTION_LAW_H
#define NB_MODEL_FRICTION_LAW_H

typedef enum nb_friction_law {
    NB_FRICTION_COULOMB,
    NB_FRICTION_RELAXED,
    NB_FRICTION_LAWS
} nb_friction_law;

extern const char *const nb_friction_law_names[NB_FRICTION_LAWS + 1]; /* NULL-terminated */

#endif
