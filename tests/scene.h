/* Small worlds for tests of contact detection, put together without the world's own checks. */
#ifndef NB_TESTS_SCENE_H
#define NB_TESTS_SCENE_H

#include <string.h>

#include "check.h"
#include "contact/contact.h"
#include "model/polyhedron.h"
#include "model/world.h"

typedef struct test_scene {
    nb_world world;
    nb_contacts *contacts;
    int32_t body_limit, shape_limit;
} test_scene;

static inline test_scene scene_create(int32_t body_limit, int32_t shape_limit, double margin) {
    test_scene scene = {.body_limit = body_limit, .shape_limit = shape_limit};
    scene.world.bodies = test_calloc((size_t)body_limit, sizeof(nb_body));
    scene.world.shapes = test_calloc((size_t)shape_limit, sizeof(nb_shape *));
    scene.world.settings.contact_margin = margin;
    scene.world.settings.friction_ratio = 1;
    CHECK_OK(nb_contacts_create(&scene.contacts));
    return scene;
}

static inline void scene_destroy(test_scene *scene) {
    for (int32_t i = 0; i < scene->world.shape_count; i++) nb_shape_destroy(scene->world.shapes[i]);
    test_free(scene->world.shapes);
    test_free(scene->world.bodies);
    nb_contacts_destroy(scene->contacts);
}

static inline int32_t scene_add_shape(test_scene *scene, nb_shape *shape) {
    assert_true(scene->world.shape_count < scene->shape_limit);
    scene->world.shapes[scene->world.shape_count] = shape;
    return scene->world.shape_count++;
}

static inline int32_t scene_box_shape(test_scene *scene, double x, double y, double z) {
    nb_shape *shape;
    CHECK_OK(nb_shape_box(nb_vec3_of(x, y, z), &shape));
    return scene_add_shape(scene, shape);
}

static inline int32_t scene_sphere_shape(test_scene *scene, double radius) {
    nb_shape *shape;
    CHECK_OK(nb_shape_sphere(radius, &shape));
    return scene_add_shape(scene, shape);
}

static inline int32_t scene_half_space_shape(test_scene *scene) {
    nb_shape *shape;
    CHECK_OK(nb_shape_half_space(&shape));
    return scene_add_shape(scene, shape);
}

static inline nb_body *scene_add(test_scene *scene, nb_body_kind kind, int32_t shape, nb_vec3 position, nb_quat turn) {
    assert_true(scene->world.body_count < scene->body_limit);
    nb_body *body = &scene->world.bodies[scene->world.body_count++];
    *body = (nb_body){.kind = kind,
                      .mass = 1,
                      .inertia = {1, 1, 1},
                      .position = position,
                      .orientation = turn,
                      .shape = shape,
                      .friction = 0.5};
    return body;
}

static inline const nb_contacts *scene_detect(test_scene *scene, double h) {
    CHECK_OK(nb_contacts_detect(&scene->world, h, scene->contacts));
    return scene->contacts;
}

/* what holds for every contact set, whatever the scene */
static inline void check_contacts(const test_scene *scene) {
    const nb_contacts *contacts = scene->contacts;
    for (int32_t i = 0; i < contacts->count; i++) {
        const nb_contact *c = &contacts->items[i];
        assert_in_range(c->body_a, 0, scene->world.body_count - 1);
        assert_in_range(c->body_b, 0, scene->world.body_count - 1);
        assert_int_equal(scene->world.bodies[c->body_a].kind, NB_BODY_DYNAMIC);
        assert_true(scene->world.bodies[c->body_b].kind != NB_BODY_DYNAMIC || c->body_a < c->body_b);
        CHECK_NEAR(nb_norm(c->normal), 1, 1e-14);
        double size = 1 + nb_norm(c->point_a); /* round-off grows with the coordinates */
        CHECK_NEAR(c->gap, nb_dot(c->normal, nb_sub(c->point_a, c->point_b)), 1e-14 * size);
        /* nearest points: nothing but the gap lies between them */
        CHECK_NEAR(nb_norm(nb_sub(c->point_a, c->point_b)), fabs(c->gap), 1e-11 * size);
        if (i == 0) continue;
        const nb_contact *last = c - 1;
        assert_true(last->body_a < c->body_a || (last->body_a == c->body_a && last->body_b < c->body_b) ||
                    (last->body_a == c->body_a && last->body_b == c->body_b && last->feature < c->feature));
    }
}

static inline nb_quat test_random_turn(uint64_t *seed) {
    nb_quat q;
    double square;
    do {
        q = (nb_quat){test_random(seed, -1, 1), 0, 0, 0};
        q.x = test_random(seed, -1, 1), q.y = test_random(seed, -1, 1), q.z = test_random(seed, -1, 1);
        square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    } while (square > 1 || square < 0.01);
    return nb_quat_normalized(q);
}

static inline nb_vec3 test_random_vector(uint64_t *seed, double low, double high) {
    nb_vec3 v = {test_random(seed, low, high), 0, 0};
    v.y = test_random(seed, low, high);
    v.z = test_random(seed, low, high);
    return v;
}

#endif
