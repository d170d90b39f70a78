/* The three rows of a contact in a step (constraint/step.h), in double, and their exact derivatives.
 *
 * With arms r of the bodies' centres to the contact's points, which turn with their bodies over the step, r+ = C r,
 * directions d = (n, t_1, t_2), velocities (v, omega) of the bodies and the impulses z:
 *
 *     value      n . (v_a + (r_a+ - r_a)/h - ...) + gap/h,   t . (v_a + omega_a x r_a+ - ...)   [m/s]
 *     wrench     p = sum z_k d_k on a at r_a+, -p on b at r_b+: J^T z                            [N s, N m s]
 *
 * or, where they are linear in the velocities, with r in the place of r+ in all rows, and omega x r in that of (r+ -
 * r)/h. From a slip on a kinematic body its excess at the centre of a is taken off (model/carried.h). The wrench is not
 * the transpose of the value's derivative where bodies turn: both are here. */
#ifndef NB_DERIVATIVE_CONTACT_ROWS_H
#define NB_DERIVATIVE_CONTACT_ROWS_H

#include "derivative/contact_tangent.h"

/* how a body turns over a step: R+ = C R by the unit quaternion of (1, e), e = h omega/2 */
typedef struct nb_body_turn {
    nb_vec3 e;
    double scale; /* 2/(1 + e . e) */
} nb_body_turn;

nb_body_turn nb_body_turn_of(double h, nb_vec3 omega);
/* C x */
nb_vec3 nb_body_turn_apply(const nb_body_turn *turn, nb_vec3 x);
/* C^T x */
nb_vec3 nb_body_turn_back(const nb_body_turn *turn, nb_vec3 x);
/* L domega, the small turn of R+ that a change of the angular velocity makes: dR+ = [L domega] R+; L^T x */
nb_vec3 nb_body_turn_change(const nb_body_turn *turn, double h, nb_vec3 domega);
nb_vec3 nb_body_turn_change_back(const nb_body_turn *turn, double h, nb_vec3 x);

/* what a contact's derivatives need of a body */
typedef struct nb_contact_end {
    nb_vec3 v, omega; /* [m/s], [rad/s] */
    nb_body_turn turn;
    nb_vec3 start, arm; /* r, r+ (linear: r) [m] */
} nb_contact_end;

typedef struct nb_contact_rows_at {
    double h;
    int linear;
    nb_vec3 direction[3];  /* n, t_1, t_2 */
    nb_contact_end end[2]; /* a, b */
    nb_vec3 moved, slip;   /* of a's point against b's: (displacement)/h, velocity [m/s] */
    int carried, at_end;   /* 1: b is kinematic, and its excess is taken off the slip; with the arm of the end */
    double value[3];       /* [m/s] */
} nb_contact_rows_at;

/* At the velocities `a` and `b` [6] of the bodies, which stand as `world` has them at the start of the step. */
void nb_contact_rows_evaluate(const nb_world *world, const nb_contact *contact, double h, int linear, const double *a,
                              const double *b, nb_contact_rows_at *rows);

/* The same without what a kinematic body carries, which the second takes off: `at_end` 1 with the arm of the end. */
void nb_contact_rows_evaluate_bare(const nb_world *world, const nb_contact *contact, double h, int linear,
                                   const double *a, const double *b, nb_contact_rows_at *rows);
void nb_contact_rows_carry(const nb_world *start, const nb_contact *contact, int at_end, nb_contact_rows_at *rows);

/* What that adds to the values where the centre of a moves against that of b at the start of the step; its transpose.
 * by_geometry has it, where `carried`. */
void nb_contact_rows_carry_change(const nb_contact_rows_at *rows, nb_vec3 apart, double value[3]);
nb_vec3 nb_contact_rows_carry_change_back(const nb_contact_rows_at *rows, const double by_value[3]);

/* J: what impulses of the rows do to a and b */
void nb_contact_rows_jacobian(const nb_contact_rows_at *rows, double jacobian[3][12]);

/* the derivatives of the values by the velocities of a and b */
void nb_contact_rows_by_velocity(const nb_contact_rows_at *rows, double by_velocity[3][12]);

/* those of the torques of impulses z by the angular velocities, [0] of a by a's, [1] of b by b's; there are no others
 */
void nb_contact_rows_stiffness(const nb_contact_rows_at *rows, const double z[3], double stiffness[2][3][3]);

/* What the motion of the bodies at the start of the step does at these velocities and impulses: to the values, and to
 * the wrenches on a and b. Tangents turn with the normal, not about it. */
void nb_contact_rows_by_geometry(const nb_contact_rows_at *rows, const nb_contact_features *features, const double z[3],
                                 const nb_body_tangent *a, const nb_body_tangent *b, double value[3],
                                 double wrench[12]);

/* The transpose of that: the derivatives of a number by the motion of a and b, from those by the values and wrenches.
 */
void nb_contact_rows_by_geometry_back(const nb_contact_rows_at *rows, const nb_contact_features *features,
                                      const double z[3], const double by_value[3], const double by_wrench[12],
                                      nb_body_tangent by[2]);

#endif
