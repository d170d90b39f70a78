/* A random scene of bodies, joints and contacts, and the Newton system of its first step. */
#ifndef NB_RANDOM_SCENE_H
#define NB_RANDOM_SCENE_H

#include "check.h"
#include "constraint/step.h"
#include "operator/system.h"

enum {
    MOST_BODIES = 60,
    MOST_CONTACTS = 600,
    MOST_ROWS = 3 * MOST_CONTACTS + 200
};

/* a random scene, and the Newton system of its first step */
typedef struct scene {
    nb_world *world;
    nb_contact items[MOST_CONTACTS];
    nb_step *step;
    nb_system *system;
} scene;

static inline nb_vec3 random_vector(uint64_t *seed) {
    return nb_vec3_of(test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1));
}

static inline nb_quat random_turn(uint64_t *seed) {
    return nb_quat_normalized((nb_quat){test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1),
                                        test_random(seed, -1, 1)});
}

/* the last body is fixed, the one before kinematic */
static inline void add_bodies(scene *s, uint64_t *seed, int count) {
    int32_t index;
    for (int i = 0; i < count; i++) {
        nb_body body = {.mass = test_random(seed, 0.5, 3), .shape = -1, .friction = 0.5};
        body.kind = i == count - 1 ? NB_BODY_FIXED : i == count - 2 ? NB_BODY_KINEMATIC : NB_BODY_DYNAMIC;
        body.inertia = nb_vec3_of(test_random(seed, 1, 2), test_random(seed, 1, 2), test_random(seed, 1, 2));
        body.position = random_vector(seed);
        body.orientation = random_turn(seed);
        CHECK_OK(nb_world_add_body(s->world, &body, &index));
    }
}

/* joints of 1, 3, 5 and 6 rows */
static inline void add_joints(scene *s, uint64_t *seed, int count, int dynamic) {
    static const nb_joint_kind kinds[] = {NB_JOINT_FIXED, NB_JOINT_SPHERICAL, NB_JOINT_REVOLUTE, NB_JOINT_PRISMATIC};
    const double compliance[6] = {0, 1e-4, 0, 0, 1e-3, 0};
    int32_t index;
    for (int i = 0; i < count; i++) {
        int32_t a = (int32_t)(test_random_bits(seed) % (uint64_t)dynamic), b = (a + 1) % dynamic;
        if (a == b || i % 5 == 4) b = -1;
        CHECK_OK(nb_world_add_joint_at(s->world, kinds[i % 4], a, b, random_vector(seed), random_turn(seed), compliance,
                                       &index));
    }
}

/* Runs of 1 to 9 contacts of a pair of bodies, often with one normal; sorted by bodies as the detection does. */
static inline nb_contacts add_contacts(scene *s, uint64_t *seed, int runs, int bodies) {
    int count = 0;
    for (int run = 0; run < runs; run++) {
        int32_t a = (int32_t)(run * (bodies - 2) / runs);
        int32_t b = a + 1 + (int32_t)(test_random_bits(seed) % (uint64_t)(bodies - 1 - a));
        nb_vec3 normal = nb_normalized(random_vector(seed));
        int length = 1 + (int)(test_random_bits(seed) % 9);
        for (int i = 0; i < length && count < MOST_CONTACTS; i++, count++) {
            if (test_random_bits(seed) % 6 == 0) normal = nb_normalized(random_vector(seed));
            nb_contact *c = &s->items[count];
            *c = (nb_contact){.body_a = a, .body_b = b, .friction = 0.3, .feature = (uint64_t)count, .normal = normal};
            c->gap = test_random(seed, -0.01, 0.02);
            c->point_b = nb_add(s->world->bodies[b].position, random_vector(seed));
            c->point_a = nb_add_scaled(c->point_b, c->gap, normal);
        }
    }
    return (nb_contacts){.count = count, .items = s->items};
}

static inline void begin_step(scene *s, uint64_t *seed, int bodies, nb_contacts contacts) {
    CHECK_OK(nb_step_create(&s->step));
    CHECK_OK(nb_step_begin(s->step, s->world, &contacts, 0.01, NB_GEOMETRY_UPDATED));
    nb_problem *p = nb_step_problem(s->step);
    assert_true(p->rows <= MOST_ROWS);
    for (int32_t i = 0; i < 6 * (bodies - 2); i++) p->u[i] = R(test_random(seed, -1, 1));
    p->type->evaluate(p, NULL);
    CHECK_OK(nb_system_create(p->delassus, &s->system));
    for (int32_t r = 0; r < p->rows; r++) {
        s->system->s[r] = R(test_random(seed, 0, 1));
        s->system->c[r] = R(test_random(seed, 0, 1));
        s->system->b[r] = R(test_random(seed, -1, 1));
    }
    nb_system_values_changed(s->system);
}

static inline void begin_scene(scene *s, uint64_t *seed, int bodies, int joints, int runs) {
    CHECK_OK(nb_world_create(&s->world));
    add_bodies(s, seed, bodies);
    add_joints(s, seed, joints, bodies - 2);
    begin_step(s, seed, bodies, add_contacts(s, seed, runs, bodies));
}

/* A chain of bodies, each with one contact with the next, and the first ten with the next but one. */
static inline void begin_chain(scene *s, uint64_t *seed, int bodies) {
    nb_contacts contacts = {.items = s->items};
    CHECK_OK(nb_world_create(&s->world));
    add_bodies(s, seed, bodies);
    for (int32_t a = 0; a + 3 < bodies; a++)
        for (int32_t b = a + 1; b <= a + 1 + (a < 10); b++) {
            assert_true(contacts.count < MOST_CONTACTS);
            nb_contact *c = &s->items[contacts.count++];
            *c = (nb_contact){.body_a = a, .body_b = b, .friction = 0.3, .feature = (uint64_t)contacts.count};
            c->normal = nb_normalized(random_vector(seed));
            c->point_a = c->point_b = nb_add(s->world->bodies[b].position, random_vector(seed));
        }
    begin_step(s, seed, bodies, contacts);
}

static inline void end_scene(scene *s) {
    nb_system_destroy(s->system);
    nb_step_destroy(s->step);
    nb_world_destroy(s->world);
}

#endif
