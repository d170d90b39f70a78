/* How much energy the error of a scheme may add in a step: what `check` allows for where nothing drives a scene. Of the
 * states at both ends and the forces of joints. With K = 1/2 dp . M^-1 dp of the change dp of momentum, linear and
 * angular about each centre of mass in the world, and T the kinetic energy:
 *
 *     be, or a step with impacts    min(K, 2 M h^2 g^2) + C + J + G
 *     order 2                       16 K min(1, (K/T)^1/2) + sum of T_w (|w| h)^3 (1 - I_min/I_max) over bodies
 *     order 2, with contacts        the same, and 4 K + C
 *     C = sum of m g r (|w| h)^2 over bodies, r the radius about the centre of mass
 *     J = sum over joints of min(F s + T (a + b)^2/2, M g s), s = (r_a a^2 + r_b b^2)/2, of its force F and torque T,
 *         a and b the turns |w| h of its bodies, r from their centres of mass to the joint
 *     G = sum over couplings of |T| sum_k |factor_k| (h |v_k|)^3/12, v the rates of angles, which turn by 2 atan(h v/2)
 *
 * K is of order h^2, and its sum over steps of order h. An impact's dp is no error, so that a step with impacts has
 * that of accelerations up to 2 g alone, and so has be, which loses K but for rods that push: J is the work of joints
 * as their bodies turn out of the tangent. C is what the linear rows of contacts leave of penetrations,
 * which the next step lifts. The momentum of free bodies does not change, and schemes of order 2 make an error of that
 * order in their rotational energy T_w; be with an implicit gyroscopic torque loses some. The factors are some twice
 * what bdf2 takes on a four-bar linkage and on an ellipse that rocks. */
#ifndef NB_ENERGY_ROOM_H
#define NB_ENERGY_ROOM_H

#include "model/world.h"
#include "snapshot.h"

typedef enum nb_step_errors {
    NB_ERRORS_OF_BE, /* or with impacts */
    NB_ERRORS_OF_ORDER_TWO,
    NB_ERRORS_OF_CONTACTS /* that stay closed in a step of order 2 */
} nb_step_errors;

/* starts as all zeros */
typedef struct nb_energy_room {
    double *momentum; /* [bodies][2][3], [particles][3] at the start of the step */
    double kinetic;   /* [J] there */
    int64_t capacity;
} nb_energy_room;

/* Takes the world at the start of a step. */
nb_status nb_energy_room_begin(nb_energy_room *room, const nb_world *world);
/* The room [J] of the step of length h [s] that has brought the world to where it is now, by the forces of `final`. */
double nb_energy_room_end(const nb_energy_room *room, const nb_world *world, const nb_snapshot *final, double h,
                          nb_step_errors errors);
void nb_energy_room_clear(nb_energy_room *room);

#endif
