/* What rows answer with where contacts are springs: impulses z of the values of a problem's rows, and their slopes.
 * Every row has an impulse of its own, without an equation:
 *
 *     contacts   z = acts h f(d, v) of smoothed_friction.h: d = h value_n the gap, v the slip at the end of the step
 *     others     z = -E^-1 (value + damping J u), E the compliance: joints, elements
 *     T          -dz/d(J u), block by block, for J^T T J of the Newton matrix:
 *                -acts h df/dv and -acts h^2 df/dd of contacts, E^-1 (1 + damping) of others
 *
 * A rigid joint has no damping, and its E is a small share of w, the diagonal of J M^-1 J^T (penalty_joints.h).
 *
 * T of a contact is symmetric where its friction is lagged: then it takes its normal force from elsewhere. Private to
 * methods. */
#ifndef NB_PENALTY_ROWS_H
#define NB_PENALTY_ROWS_H

#include "constraint/problem.h"
#include "constraint/smoothed_friction.h"

#define nb_penalty_rows NB_REAL_NAME(nb_penalty_rows)
#define nb_penalty_rows_check NB_REAL_NAME(nb_penalty_rows_check)
#define nb_penalty_rows_along NB_REAL_NAME(nb_penalty_rows_along)
#define nb_penalty_rows_compliance NB_REAL_NAME(nb_penalty_rows_compliance)
#define nb_penalty_rows_contacts NB_REAL_NAME(nb_penalty_rows_contacts)
#define nb_penalty_rows_impulses NB_REAL_NAME(nb_penalty_rows_impulses)
#define nb_penalty_rows_slopes NB_REAL_NAME(nb_penalty_rows_slopes)
#define nb_penalty_rows_gaps NB_REAL_NAME(nb_penalty_rows_gaps)

typedef struct nb_penalty_rows {
    nb_smoothed_friction law;
    int slippery;       /* 1: as if all friction coefficients were 0, viscous friction too */
    const real *lagged; /* [contacts] normal forces that friction is of [N]; NULL: those of the gap, implicit */
    real acts;          /* contact forces act over so many lengths of the step: 1 but with decoupled-tr */
    real share;         /* of these, what the forces of the gap take their place by: 0 lagged, 1 implicit */
    real damping;       /* of other rows: Rayleigh's beta over the step's length [1] */
    real rigid;         /* E of rigid joints over w [1] */
} nb_penalty_rows;

/* NB_OK where every row is of a Coulomb contact without a compliance of its own, of a joint or of an element; else
 * NB_ERROR_UNSUPPORTED, with a line that says what the method does not know. NB_ERROR_USAGE where a contact's
 * coefficient does not go with the law (nb_smoothed_friction_check). */
nb_status nb_penalty_rows_check(const nb_penalty_rows *rows, const nb_problem *problem);

/* E of row i of a range of joints [1/kg], by `w` of the last evaluate; 1 where nothing moves that a rigid one holds */
real nb_penalty_rows_compliance(const nb_penalty_rows *rows, const nb_problem *problem, const nb_law_range *range,
                                int32_t i);

/* J x of block `block`, of one row, for x [velocities] */
real nb_penalty_rows_along(const nb_problem *problem, int32_t block, const real *x);

/* contacts of bodies and of particles together, in the order of their rows */
int32_t nb_penalty_rows_contacts(const nb_problem *problem);

/* z [rows] of problem->value, which is of the last evaluate */
void nb_penalty_rows_impulses(const nb_penalty_rows *rows, const nb_problem *problem, real *z);

/* T of all blocks, each by rows, block i (of delassus->block_start) from place[i] on */
void nb_penalty_rows_slopes(const nb_penalty_rows *rows, const nb_problem *problem, const int64_t *place, double *t);

/* gap [contacts] at the end of the step [m]; NULL: only the least one is wanted, which is returned (INFINITY: there is
 * no contact) */
real nb_penalty_rows_gaps(const nb_problem *problem, real *gap);

#endif
