/* The members of scene files, one table for each kind of object. The reader fills structures by the tables, export
 * writes structures by them, and `ncpbench list --format schema` prints them. */
#ifndef NB_FILE_SCENE_MEMBERS_H
#define NB_FILE_SCENE_MEMBERS_H

#include <stddef.h>

#include "file/json_input.h"
#include "model/world.h"

typedef enum nb_scene_value {
    NB_VALUE_NUMBER, /* double */
    NB_VALUE_WHOLE,  /* int32_t */
    NB_VALUE_INDEX,  /* int32_t, a position in a list of the scene */
    NB_VALUE_CHOICE, /* an enum, of which each enumerator is the position of its name among the choices */
    NB_VALUE_TEXT,   /* const char * */
    NB_VALUE_OBJECT
} nb_scene_value;

/* whether a number has a lower bound, where `least` and `most` are 0 */
typedef enum nb_scene_bound {
    NB_BOUND_NONE,
    NB_BOUND_FROM, /* least, or more */
    NB_BOUND_ABOVE /* more than least */
} nb_scene_bound;

typedef enum nb_scene_list {
    NB_LIST_BODIES, /* the first four as nb_track_kind */
    NB_LIST_PARTICLES,
    NB_LIST_MOTORS,
    NB_LIST_TETRAHEDRA,
    NB_LIST_SHAPES,
    NB_LIST_JOINTS,
    NB_LIST_MATERIALS
} nb_scene_list;

enum {
    NB_SCENE_ANY = -1, /* an extent of any length */
    NB_SCENE_RANK = 2,
    NB_SCENE_MOST_MEMBERS = 40
};

typedef struct nb_scene_object nb_scene_object;

typedef struct nb_scene_member {
    const char *name;
    nb_scene_value value;
    int shape[NB_SCENE_RANK]; /* extents of arrays, the outermost first; 0: none */
    const char *unit;         /* "1": a plain number; NULL: no quantity */
    const char *standard;     /* the default; "": none; NULL: the member is required */
    const char *frame;        /* whose axes a vector has; NULL: none */
    const char *summary;
    /* In the structure of the object, where `in` is 1: entries follow each other. */
    size_t offset;
    int in;
    /* Of numbers; `most` 0: any. Those of NB_VALUE_NUMBER are for the schema: the world checks them. An index has no
     * upper bound here. */
    nb_scene_bound bound;
    double least, most;
    int64_t least_items, most_items; /* of the outermost extent; 0: any */
    const char *const *choices;      /* NULL-terminated */
    const nb_scene_object *object;
    const char *word; /* a text that may stand in the place of the number, or NULL */
    nb_scene_list of; /* of an index */
    unsigned kinds;   /* of a shape: bit 1 << kind for those that have the member; 0: all */
} nb_scene_member;

struct nb_scene_object {
    const char *name, *summary;
    const nb_scene_member *members; /* [count] */
    int count;
    int (*more)(int i, nb_scene_member *member); /* members from other tables, before these; NULL: none */
    int open;                                    /* 1: members of any name */
};

/* the kinds of shapes, as files call them */
enum {
    NB_FILE_NONE,
    NB_FILE_SPHERE,
    NB_FILE_HALF_SPACE,
    NB_FILE_BOX,
    NB_FILE_ELLIPSOID,
    NB_FILE_POLYHEDRA,
    NB_FILE_SOLID, /* from here on as nb_shape_kind from capsule on */
    NB_FILE_SHAPES = NB_FILE_SOLID + NB_SHAPE_BUNDLE - NB_SHAPE_CAPSULE + 1
};

/* names by their kinds, NULL-terminated */
extern const char *const nb_scene_shape_kinds[NB_FILE_SHAPES + 1],
    *const nb_scene_term_kinds[], *const nb_scene_quantity_names[], *const nb_scene_axis_names[];

/* what a scene has besides lists and objects */
typedef struct nb_scene_head {
    double time, time_step; /* [s] */
    nb_vec3 gravity;
    int32_t planar;
    double contact_margin, contact_compliance, contact_thickness;
} nb_scene_head;

/* member "run"; 0 iterations: as the method has them */
typedef struct nb_scene_run_values {
    const char *method;
    int32_t steps, newton_iterations, linear_iterations, warm_start;
} nb_scene_run_values;

typedef enum nb_expected_quantity {
    NB_EXPECT_POSITION,
    NB_EXPECT_VELOCITY,
    NB_EXPECT_SPIN,
    NB_EXPECT_FORCE, /* from here on of the scene */
    NB_EXPECT_CONTACTS,
    NB_EXPECT_ENERGY,
    NB_EXPECT_DRIFT,
    NB_EXPECT_JOINTS
} nb_expected_quantity;

/* an item of member "expect" */
typedef struct nb_scene_expectation {
    int quantity, axis;      /* axis 0 to 2 of vectors, else -1 */
    int32_t body;            /* -1: of the scene */
    int32_t after_steps;     /* 0: after any number of steps */
    double value, tolerance; /* in the quantity's unit */
} nb_scene_expectation;

/* the member of the scene itself that a setting of this name is; NULL: it is one of its `settings` */
const char *nb_scene_member_of_setting(const char *name);

/* The scene holds the others. Structures: nb_scene_head, nb_scene_run_values, nb_body, nb_joint, nb_motor, nb_coupling,
 * nb_pair, nb_particle, nb_material, nb_tetrahedron, nb_triangle, nb_spring, nb_volume_law, nb_scene_expectation;
 * others have none. */
extern const nb_scene_object nb_scene_members, nb_scene_settings_members, nb_scene_run_members, nb_scene_shape_members,
    nb_scene_solid_members, nb_scene_term_members, nb_scene_set_members, nb_scene_polyhedron_members,
    nb_scene_body_members, nb_scene_joint_members, nb_scene_motor_members, nb_scene_coupling_members,
    nb_scene_pair_members, nb_scene_particle_members, nb_scene_material_members, nb_scene_tetrahedron_members,
    nb_scene_triangle_members, nb_scene_spring_members, nb_scene_cavity_members, nb_scene_track_members,
    nb_scene_expectation_members;

/* Member i of the object; 0 after the last. */
int nb_scene_member_at(const nb_scene_object *object, int i, nb_scene_member *member);

/* An object with no members but those of its table. */
nb_status nb_scene_check_members(const nb_input_at *at, const nb_scene_object *object);

/* Checks the members and reads those that the structure has. What the file leaves out stays as it is in `to`. Indices
 * are held against the lists of `world`, which may be NULL where the table has none. */
nb_status nb_scene_fill(const nb_input_at *at, const nb_scene_object *object, const nb_world *world, void *to);

/* Reads the items of list `key` into the world, each by `read`. */
typedef nb_status nb_scene_reader(const nb_input_at *at, nb_world *world);
nb_status nb_scene_read_list(const nb_input_at *scene, const char *key, nb_scene_reader *read, nb_world *world);

#endif
