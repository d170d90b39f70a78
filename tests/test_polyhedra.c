/* Contacts of polyhedra with more edges than are held against another piece's at a time. */
#include "contact/contact.h"
#include "contact/encounter.h"
#include "scene.h"

enum {
    SIDES = 40,
    EDGES = 3 * SIDES,
    LOT = 64, /* of edges held at a time */
    POSES = 2000
};

/* a prism with many sides about the y axis, of radius 1/2 and length 1 */
static int32_t add_prism(test_scene *scene) {
    nb_vec3 normals[SIDES + 2] = {{0, 1, 0}, {0, -1, 0}};
    double heights[SIDES + 2];
    nb_shape *shape;
    for (int k = 0; k < SIDES + 2; k++) heights[k] = 0.5;
    for (int k = 0; k < SIDES; k++) {
        const double angle = 2 * 3.14159265358979323846 * k / SIDES;
        normals[k + 2] = nb_vec3_of(cos(angle), 0, sin(angle));
    }
    CHECK_OK(nb_shape_polytope(SIDES + 2, normals, heights, &shape));
    assert_int_equal(shape->parts[0].edge_count, EDGES);
    return scene_add_shape(scene, shape);
}

/* whether the list has this contact with its bodies changed over */
static int has_reverse(const nb_contacts *contacts, const nb_contact *of) {
    for (int32_t i = 0; i < contacts->count; i++) {
        const nb_contact *c = &contacts->items[i];
        if (nb_norm(nb_sub(c->point_a, of->point_b)) < 1e-9 && nb_norm(nb_sub(c->point_b, of->point_a)) < 1e-9 &&
            nb_norm(nb_add(c->normal, of->normal)) < 1e-9)
            return 1;
    }
    return 0;
}

static nb_contacts *detect_pair(test_scene *scene, int prism_first, int32_t prism, int32_t box, nb_vec3 place,
                                nb_quat turn) {
    scene->world.body_count = 0;
    if (prism_first) scene_add(scene, NB_BODY_DYNAMIC, prism, nb_vec3_of(0, 0, 0), nb_quat_identity());
    scene_add(scene, NB_BODY_DYNAMIC, box, place, turn);
    if (!prism_first) scene_add(scene, NB_BODY_DYNAMIC, prism, nb_vec3_of(0, 0, 0), nb_quat_identity());
    scene_detect(scene, 0);
    check_contacts(scene);
    return scene->contacts;
}

static int kind_of(const nb_contact *contact) {
    return (int)(contact->feature >> 32 & 7);
}

/* A prism on a box and the box on the prism touch at the same points: the edges of the one body are taken in lots,
 * those of the other one by one. */
TEST(test_order_of_bodies_does_not_matter) {
    uint64_t seed = test_seed();
    test_scene scene = scene_create(2, 2, 0.02);
    int32_t prism = add_prism(&scene), box = scene_box_shape(&scene, 0.4, 0.3, 0.2);
    int late_edges = 0;
    for (int pose = 0; pose < POSES; pose++) {
        nb_vec3 place = nb_vec3_of(test_random(&seed, -1, 1), test_random(&seed, -1, 1), test_random(&seed, -1, 1));
        nb_quat turn = test_random_turn(&seed);
        nb_contact first[64];
        const nb_contacts *contacts = detect_pair(&scene, 1, prism, box, place, turn);
        int32_t count = contacts->count;
        assert_true(count <= 64);
        if (count == 1 && kind_of(&contacts->items[0]) == NB_FEATURE_DEEPEST)
            continue; /* of the first body's vertices */
        for (int32_t i = 0; i < count; i++) {
            first[i] = contacts->items[i];
            late_edges +=
                kind_of(&first[i]) == NB_FEATURE_EDGE_EDGE && (int32_t)(first[i].feature >> 16 & 0xffff) >= LOT;
        }
        detect_pair(&scene, 0, prism, box, place, turn);
        assert_int_equal(contacts->count, count);
        for (int32_t i = 0; i < count; i++) assert_true(has_reverse(contacts, &first[i]));
    }
    assert_true(late_edges > 0);
    print_message("%d contacts with edges beyond the first lot\n", late_edges);
    scene_destroy(&scene);
}

static double depth_of(const nb_contacts *contacts) {
    double depth = 0;
    for (int32_t i = 0; i < contacts->count; i++) depth = fmax(depth, -contacts->items[i].gap);
    return depth;
}

/* Contacts that only may come near on the way ahead hide no overlap: pairs of flat, long and many-sided pieces, in each
 * other by any depth, are as deep with a way as without. */
TEST(test_a_way_hides_no_overlap) {
    uint64_t seed = test_seed();
    test_scene scene = scene_create(2, 4, 1e-6);
    const int32_t shapes[] = {add_prism(&scene), scene_box_shape(&scene, 0.5, 0.01, 0.01),
                              scene_box_shape(&scene, 0.3, 0.3, 0.01), scene_box_shape(&scene, 0.1, 0.05, 0.02)};
    int overlapping = 0;
    for (int pose = 0; pose < POSES; pose++) {
        scene.world.body_count = 0;
        for (int k = 0; k < 2; k++) {
            const int32_t shape = shapes[test_random_bits(&seed) % 4];
            const nb_vec3 place = test_random_vector(&seed, -0.1, 0.1);
            scene_add(&scene, NB_BODY_DYNAMIC, shape, place, test_random_turn(&seed));
            scene.world.bodies[k].linear_velocity = test_random_vector(&seed, -300, 300);
            scene.world.bodies[k].angular_velocity = test_random_vector(&seed, -300, 300);
        }
        const double depth = depth_of(scene_detect(&scene, 0));
        CHECK_NEAR(depth_of(scene_detect(&scene, 0.1)), depth, 4 * NB_TOUCHING);
        overlapping += depth > 1e-3;
    }
    print_message("%d of %d pairs overlap\n", overlapping, POSES);
    assert_in_range(overlapping, POSES / 10, POSES);
    scene_destroy(&scene);
}

RUN_TESTS(test_order_of_bodies_does_not_matter, test_a_way_hides_no_overlap)
