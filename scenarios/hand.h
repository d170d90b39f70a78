/* A hand of 21 bodies and 21 joints over the origin, with as many as the Allegro hand in the paper's scenes, in boxes:
 * a palm that is lifted, and four fingers, of which three face one. Its motors are the world's first. */
#ifndef NB_SCENARIOS_HAND_H
#define NB_SCENARIOS_HAND_H

#include "robot.h"

enum {
    NB_HAND_LINKS = 21 /* the palm is the first */
};

extern const double nb_hand_height; /* of the palm's centre at first [m] */
extern const double nb_hand_lifted; /* when it is as high as it gets [s] */

/* `stiffness` and `damping` are those of the fingers' motors. */
nb_status nb_add_hand(nb_world *world, double friction, double stiffness, double damping, int32_t *first);

/* Lets it close its fingers, each joint by up to `grip` [rad], and then lift by `lift` [m]. Takes world->prescribe. */
void nb_set_grasp(nb_world *world, double grip, double lift);

#endif
