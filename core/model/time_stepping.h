/* How a step goes from one state to the next, a choice of the problem.
 *
 *     implicit        gaps and joints hold at the end of the step (Macklin et al. 2019): joints and elements by
 *                     C(q+), contacts by gap/h + J v+ >= 0, or as nb_geometry says
 *     anitescu-hart   linearised at the start of the step, n . v+ + Phi(q)/h >= 0 and nu . v+ + Theta(q)/h = 0, for the
 *                     contacts of the active set: constraint stabilisation
 *     tasora          the same with K Phi/h and K C/h, 0 < K < 1, and dC/dt of what is driven
 *
 * The two linearised ones are one formula, and differ in the K that they take unless told. K = 0 is the step without
 * stabilisation, whose errors add up. With e the restitution and v- the velocities at the start, a contact has
 *
 *     n . v+ >= max(-max(K Phi/h, -recovery), -e n . v-)
 *
 * the second where it comes near so fast that the bodies meet within the step. With e > 0, K is 1 where Phi > 0: a gap
 * may close at once. With K < 1 a body would be braked above the other one, and part with e times what is left of its
 * speed, by chance of where steps fall and no better as h falls. A joint's K C/h is bounded by the
 * recovery speed from both sides. Soft rows are forces: K is 1 for them.
 *
 * Sources: Anitescu, Hart, "A constraint-stabilized time-stepping approach for rigid multibody dynamics with joints,
 * contact and friction", 2004; Tasora, Anitescu, "A fast NCP solver for large rigid-body problems with contacts,
 * friction, and joints", 2009, eq. (1)-(6). */
#ifndef NB_MODEL_TIME_STEPPING_H
#define NB_MODEL_TIME_STEPPING_H

typedef enum nb_stepping_scheme {
    NB_STEPPING_OPEN = -1, /* in what is asked for: nobody says */
    NB_STEPPING_IMPLICIT,
    NB_STEPPING_ANITESCU_HART,
    NB_STEPPING_TASORA,
    NB_STEPPING_SCHEMES
} nb_stepping_scheme;

/* Which constraints of an implicit step are evaluated at its end; the others stay linear in u, with J and values of its
 * start. A linear contact takes energy out or none: with gap >= 0, the work of its impulse is -z gap/h <= 0. One whose
 * arms turn carries the contact point of a rolling body up its side. */
typedef enum nb_geometry {
    NB_GEOMETRY_UPDATED, /* all: of contacts the normals stay, and arms turn with the bodies; but contacts of spheres
                            and ellipsoids, whose points do not turn with the body, stay linear */
    NB_GEOMETRY_FROZEN,  /* none */
    NB_GEOMETRY_JOINTS,  /* joints and elements: the default */
    NB_GEOMETRIES
} nb_geometry;

extern const char *const nb_geometry_names[NB_GEOMETRIES + 1]; /* NULL-terminated */

extern const char *const nb_stepping_names[NB_STEPPING_SCHEMES + 1]; /* NULL-terminated */

typedef struct nb_time_stepping {
    nb_stepping_scheme scheme;
    /* of a linearised one: */
    double stabilization;  /* K */
    double recovery_speed; /* the most that a position error asks for [m/s, rad/s]; INFINITY: any */
    double active_set;     /* contacts with larger gaps are left out [m]; INFINITY: none of those detected */
    double restitution;    /* e */
} nb_time_stepping;

/* Small steps (--substeps N): a step detects contacts once, and makes N steps of h/N. Between these the points of a
 * contact move with their bodies, those of spheres and ellipsoids without turning, and its normal stays
 * (nb_contacts_follow). With `relax` each of them is solved twice from its start. The first solve leads to its
 * positions. The second one gives its velocities: it is linearised at the start, and corrects no error there, gap < 0
 * or C (nb_time_stepping_relaxed). Source: Box2D 3, "Soft Step" (Catto, "Solver2D", 2024). */
typedef enum nb_relaxation {
    NB_RELAX_OPEN = -1, /* in what is asked for: nobody says */
    NB_RELAX_OFF,
    NB_RELAX_ON,
    NB_RELAXATIONS
} nb_relaxation;

extern const char *const nb_relaxation_names[NB_RELAXATIONS + 1]; /* NULL-terminated */

/* the same steps without a correction of positions; restitution stays */
nb_time_stepping nb_time_stepping_relaxed(const nb_time_stepping *stepping);

/* what the scheme takes unless told */
nb_time_stepping nb_time_stepping_of(nb_stepping_scheme scheme);

#endif
