/* What scenes of robots use: links, and joints with motors. */
#ifndef NB_SCENARIOS_ROBOT_H
#define NB_SCENARIOS_ROBOT_H

#include "common.h"

/* where a robot stands: its own frame in the world's */
typedef struct nb_placed {
    nb_vec3 position;
    nb_quat turn;
} nb_placed;

/* a link of a robot: a box, in the robot's frame, joined to a link before it */
typedef struct nb_link {
    nb_vec3 half, centre;      /* [m] */
    nb_vec3 anchor;            /* of the joint to the link before it [m] */
    nb_vec3 axis;              /* of the joint, a unit vector */
    double mass;               /* [kg] */
    double stiffness, damping; /* of the motor */
    nb_joint_kind kind;        /* of the joint: revolute and prismatic have a motor, and one of distance is none */
    int32_t parent;            /* number of the link before it, or -1: the world */
    int32_t ghost;             /* 1: mass alone, which nothing touches, as inside a joint of two axes */
    int32_t shape;             /* in the world; nb_add_link_shapes */
} nb_link;

/* Adds the links' shapes, which all robots of these links share. */
nb_status nb_add_link_shapes(nb_world *world, nb_link *links, int32_t count);

/* Adds a robot of links at a place: bodies and joints in their order, with motors in the order of the links that have
 * one. *first is the first body. `friction` is that of all links. */
nb_status nb_add_robot(nb_world *world, const nb_link *links, int32_t count, double friction, const nb_placed *at,
                       int32_t *first);

/* a turn that takes the x axis to the unit vector `axis` */
nb_quat nb_turn_to(nb_vec3 axis);

/* 0 before `from`, 1 after `to`, with no jump of speed; and its rate [1/s] */
double nb_ramp(double t, double from, double to, double *rate);

#endif
