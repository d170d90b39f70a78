/* The bodies, particles, joints and shapes of a scene, and their state.
 *
 * SI units, z up. Velocities u = (linear velocity of the centre of mass, angular velocity in the world frame),
 * positions q = (centre of mass, unit quaternion w x y z that turns the body's frame into the world's). The body's
 * frame has its origin at the centre of mass and its axes along the principal axes of inertia. */
#ifndef NB_MODEL_WORLD_H
#define NB_MODEL_WORLD_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"
#include "model/cavity.h"
#include "model/joint.h"
#include "model/material.h"
#include "model/motor.h"
#include "model/scene_settings.h"
#include "model/shape.h"
#include "model/track.h"

typedef enum nb_body_kind {
    NB_BODY_DYNAMIC,
    NB_BODY_FIXED,     /* never moves: zero inverse mass */
    NB_BODY_KINEMATIC, /* moves as prescribed: zero inverse mass */
} nb_body_kind;

typedef struct nb_body {
    nb_body_kind kind;
    double mass;              /* [kg] */
    nb_vec3 inertia;          /* principal moments [kg m^2] */
    nb_vec3 position;         /* centre of mass [m] */
    nb_quat orientation;      /* unit quaternion */
    nb_vec3 linear_velocity;  /* [m/s] */
    nb_vec3 angular_velocity; /* world frame [rad/s] */
    nb_vec3 force, torque;    /* external, besides gravity, constant over a step [N], [N m] */
    int32_t shape;            /* index into shapes, or -1 */
    double friction;          /* coefficient; a contact takes the geometric mean of its two bodies', or the pair's */
    /* of a kinematic one: its velocities of the step before (nb_world_begin_step) */
    nb_vec3 linear_before, angular_before;
    /* Where a step takes inertia and gyroscopic torque: as it starts, or, in a stage (model/integration.h), here. */
    int32_t in_stage;
    nb_quat stage_turn;
    nb_vec3 stage_spin; /* world frame [rad/s] */
} nb_body;

/* A point with mass that does not turn. What touches it, touches the sphere of its radius; the force acts on the point,
 * so that friction on a radius turns nothing. */
typedef struct nb_particle {
    nb_body_kind kind;
    double mass;      /* [kg] */
    nb_vec3 position; /* [m] */
    nb_vec3 velocity; /* [m/s] */
    nb_vec3 before;   /* of a kinematic one: its velocity of the step before (nb_world_begin_step) [m/s] */
    nb_vec3 force;    /* external, besides gravity, constant over a step [N] */
    double friction;  /* coefficient; a contact takes the geometric mean of its two sides' */
    double radius;    /* 0: the point itself [m] */
    nb_vec3 rest;     /* where it was as it, or the last of its elements, was added (or nb_soft_part_set_rest) [m] */
} nb_particle;

/* four particles with an elastic material between them */
typedef struct nb_tetrahedron {
    int32_t particle[4];
    int32_t material;     /* index into materials */
    nb_rest_shape rest;   /* from where the particles were as it was added */
    double activation[6]; /* the strain that it wants to have, xx yy zz and twice yz xz xy; of a linear material */
} nb_tetrahedron;

/* two particles with a spring between them, which pulls and pushes */
typedef struct nb_spring {
    int32_t particle[2];
    double length;    /* at rest [m] */
    double stiffness; /* [N/m]; INFINITY: a rod */
} nb_spring;

/* three particles with a face between them that touches from both sides, with their radii as half its thickness; it
 * has no stiffness: what holds it together is springs */
typedef struct nb_triangle {
    int32_t particle[3];
} nb_triangle;

/* Two bodies whose contacts differ from the rule (model/pair.h). */
typedef struct nb_pair {
    int32_t body[2];
    int32_t contact; /* 0: none is detected; 1: also where a joint is between them */
    double friction; /* coefficient; NAN: the geometric mean */
} nb_pair;

enum {
    NB_COUPLED = 4 /* joints of a coupling, at most */
};

/* joints whose free coordinates are coupled (model/coordinate.h): sum factor_i s_i = offset */
typedef struct nb_coupling {
    int32_t count, joint[NB_COUPLED];
    double factor[NB_COUPLED];
    double offset; /* [rad or m, times factors] */
} nb_coupling;

typedef struct nb_integration nb_integration;

/* a closed surface between particles, and the law of what it encloses */
typedef struct nb_filled_cavity {
    nb_cavity surface; /* its triangles are the world's own */
    nb_volume_law law;
} nb_filled_cavity;

typedef struct nb_world {
    int32_t body_count, particle_count, joint_count, motor_count, shape_count, material_count, tetrahedron_count,
        spring_count, triangle_count, cavity_count, pair_count, coupling_count;
    nb_body *bodies;            /* [body_count] */
    nb_particle *particles;     /* [particle_count] */
    nb_joint *joints;           /* [joint_count] */
    nb_motor *motors;           /* [motor_count] */
    nb_shape **shapes;          /* [shape_count] */
    nb_material *materials;     /* [material_count] */
    nb_tetrahedron *tetrahedra; /* [tetrahedron_count] */
    nb_spring *springs;         /* [spring_count] */
    nb_triangle *triangles;     /* [triangle_count] */
    nb_filled_cavity *cavities; /* [cavity_count] */
    nb_pair *pairs;             /* [pair_count] sorted */
    nb_coupling *couplings;     /* [coupling_count] */
    nb_vec3 gravity;            /* [m/s^2] */
    /* 1: bodies that move by forces begin in the plane y = 0 and stay in it, whatever a method leaves. Their contacts
     * have points, normals and first tangents in the plane. Set before bodies are added; no particles. */
    int32_t planar;
    int32_t skips_unknown;      /* 1: pairs of shapes that detection does not know are no fault: a method finds them */
    nb_scene_settings settings; /* how contacts, friction and time steps are made; none is left open */
    double time;                /* [s] */
    /* at work in a stage that starts where the world is (model/integration.h); NULL: a step starts there (borrowed) */
    nb_integration *integration;
    /* Sets the state of kinematic bodies for the step that ends at `time + h`, which is their velocities over the whole
     * step, the targets of motors, and the external forces of that end. Called before each step; NULL where nothing is
     * prescribed. */
    void (*prescribe)(struct nb_world *world, double h);
    double prescribed[16]; /* the scenario's own numbers for `prescribe` */
    nb_tracks *tracks;     /* tracks that `prescribe` plays (track_player.h); NULL: none */
    int64_t body_capacity, particle_capacity, joint_capacity, motor_capacity, shape_capacity, material_capacity,
        tetrahedron_capacity, spring_capacity, triangle_capacity, cavity_capacity, pair_capacity,
        coupling_capacity; /* private */
} nb_world;

nb_status nb_world_create(nb_world **world);
void nb_world_destroy(nb_world *world);

/* Takes over `shape` (also on a fault) and gives its index. */
nb_status nb_world_add_shape(nb_world *world, nb_shape *shape, int32_t *index);

/* Copies `body` and gives its index. Whatever cannot be of a body (mass or moments of a dynamic one that are not
 * positive, a shape that is not there, an orientation that is not of unit length, numbers that are not finite; in a
 * planar world a dynamic one that lies, turns or is pushed out of the plane) is NB_ERROR_INPUT. */
nb_status nb_world_add_body(nb_world *world, const nb_body *body, int32_t *index);

/* Copies `particle` and gives its index. Numbers that are not finite, a friction or a radius below 0 and, of a dynamic
 * one, a mass that is not positive are NB_ERROR_INPUT; in a planar world, NB_ERROR_UNSUPPORTED. */
nb_status nb_world_add_particle(nb_world *world, const nb_particle *particle, int32_t *index);

/* Copies `material` and gives its index. What no material has is NB_ERROR_INPUT (nb_material_check). */
nb_status nb_world_add_material(nb_world *world, const nb_material *material, int32_t *index);

/* A tetrahedron that is at rest with its particles, at least one of which is dynamic, where they now are; `activation`
 * NULL: none. One without volume, and activation of a material that is not linear, are NB_ERROR_INPUT. Masses are the
 * particles' own. */
nb_status nb_world_add_tetrahedron(nb_world *world, const int32_t particle[4], int32_t material,
                                   const double activation[6], int32_t *index);

/* A spring between two particles, at least one of which is dynamic. */
nb_status nb_world_add_spring(nb_world *world, const nb_spring *spring, int32_t *index);

/* A triangle between three particles, at least one of which is dynamic; they are at rest where they now are. One
 * without area is NB_ERROR_INPUT. Triangles of one sheet may have their corners in either order. */
nb_status nb_world_add_triangle(nb_world *world, const int32_t particle[3], int32_t *index);

/* A cavity of this compression [1/atm], which holds this gauge pressure [atm] where its particles now are
 * (nb_volume_law_make). Copies the triangles. A surface that is open or inverted is NB_ERROR_INPUT; a compression or a
 * pressure that no such law has is NB_ERROR_USAGE. Elements are to hold its particles: a step of a world that has none
 * is refused. */
nb_status nb_world_add_cavity(nb_world *world, const nb_cavity *surface, nb_volume_model model, double compression,
                              double gauge_pressure, int32_t *index);

/* the volume of cavity i where its particles are [m^3] */
double nb_world_cavity_volume(const nb_world *world, int32_t i);

/* Fills x [particles][3] with where the particles are [m]. */
void nb_world_particle_positions(const nb_world *world, double *x);

/* NB_ERROR_UNSUPPORTED, with `what` and the number of particles, where the world has any: what knows bodies alone. */
nb_status nb_world_refuse_particles(const nb_world *world, const char *what);

/* A body at rest with this shape at this place: mass and moments from a uniform density that gives `mass`.
 * The shape of a dynamic one must be centred (nb_shape_centre; boxes and spheres are), or it is NB_ERROR_INPUT. */
nb_status nb_world_add_solid(nb_world *world, nb_body_kind kind, int32_t shape, double mass, double friction,
                             nb_vec3 position, nb_quat orientation, int32_t *index);

/* Copies `joint` and gives its index. Ends that are not there, frames that are not of unit length (the distance joint
 * has none), and negative compliances or lengths are NB_ERROR_INPUT. */
nb_status nb_world_add_joint(nb_world *world, const nb_joint *joint, int32_t *index);

/* A joint at the world point `anchor` with the world frame `frame`, in the bodies' present places. */
nb_status nb_world_add_joint_at(nb_world *world, nb_joint_kind kind, int32_t body_a, int32_t body_b, nb_vec3 anchor,
                                nb_quat frame, const double compliance[6], int32_t *index);

/* Where a body is; the world itself for -1. */
NB_INLINE_FN void nb_world_pose(const nb_world *world, int32_t body, nb_vec3 *x, nb_quat *q) {
    *x = body < 0 ? nb_vec3_of(0, 0, 0) : world->bodies[body].position;
    *q = body < 0 ? nb_quat_identity() : world->bodies[body].orientation;
}

#endif
