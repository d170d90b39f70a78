/* How contacts move with their bodies, against differences of detection itself: every kind of feature pair, in random
 * places. */
#include "derivative/contact_tangent.h"

#include "contact/narrow_phase.h"
#include "scene.h"

enum {
    BOX,
    SPHERE,
    HALF_SPACE,
    ELLIPSOID,
    KINDS = 7
};

/* two bodies with a shape each, as they were made */
typedef struct pair {
    test_scene scene;
    nb_body body[2];
    nb_vec3 vertex[2][8];
    double radius[2];
    nb_vec3 half[2];
    double h; /* of the step that is looked ahead over: pieces that will meet have a contact before they do [s] */
} pair;

static void add(pair *p, int which, int shape, nb_body_kind kind, nb_vec3 place, nb_quat turn) {
    static const nb_vec3 half = {0.5, 0.4, 0.3};
    nb_shape *made = NULL;
    if (shape == BOX) CHECK_OK(nb_shape_box(half, &made));
    if (shape == SPHERE) CHECK_OK(nb_shape_sphere(0.35, &made));
    if (shape == HALF_SPACE) CHECK_OK(nb_shape_half_space(&made));
    if (shape == ELLIPSOID) CHECK_OK(nb_shape_ellipsoid(half, &made));
    scene_add(&p->scene, kind, scene_add_shape(&p->scene, made), place, turn);
    p->body[which] = p->scene.world.bodies[which];
    p->radius[which] = made->radius;
    p->half[which] = made->half;
    if (shape == BOX) memcpy(p->vertex[which], made->parts[0].vertices, sizeof p->vertex[which]);
}

static pair pair_of(int a, nb_body_kind kind_a, int b, nb_body_kind kind_b, nb_vec3 apart, nb_quat qa, nb_quat qb) {
    pair p = {.scene = scene_create(2, 2, 0.3)};
    add(&p, 0, a, kind_a, apart, qa);
    add(&p, 1, b, kind_b, nb_vec3_of(0, 0, 0), qb);
    return p;
}

/* the bodies and shapes moved by t times their tangents */
static void place(pair *p, const nb_body_tangent tangent[2], double t) {
    for (int i = 0; i < 2; i++) {
        nb_body *body = &p->scene.world.bodies[i];
        nb_shape *shape = p->scene.world.shapes[i];
        double angle = t * nb_norm(tangent[i].turn), grown = 1 + t * tangent[i].size;
        nb_quat turn = nb_quat_about(nb_normalized(tangent[i].turn), angle);
        body->position = nb_add_scaled(p->body[i].position, t, tangent[i].move);
        body->orientation = nb_quat_normalized(nb_quat_product(turn, p->body[i].orientation));
        shape->radius = grown * p->radius[i];
        shape->half = nb_scale(grown, p->half[i]);
        for (int v = 0; shape->kind == NB_SHAPE_COMPOUND && v < 8; v++)
            shape->parts[0].vertices[v] = nb_scale(grown, p->vertex[i][v]);
    }
}

/* the numbers of a contact that is found there; 0 where it is not */
static int numbers_at(pair *p, const nb_body_tangent tangent[2], double t, uint64_t feature, double numbers[10]) {
    place(p, tangent, t);
    const nb_contacts *contacts = scene_detect(&p->scene, p->h);
    for (int32_t i = 0; i < contacts->count; i++) {
        const nb_contact *c = &contacts->items[i];
        const double all[10] = {c->point_a.x, c->point_a.y, c->point_a.z, c->point_b.x, c->point_b.y,
                                c->point_b.z, c->normal.x,  c->normal.y,  c->normal.z,  c->gap};
        if (c->feature != feature) continue;
        memcpy(numbers, all, sizeof all);
        return 1;
    }
    return 0;
}

/* Richardson's extrapolation of central differences; 0 where the features change */
static int differences(pair *p, const nb_body_tangent tangent[2], uint64_t feature, double derivative[10]) {
    const double t = 2e-5;
    double at[4][10];
    const double place_of[4] = {-t, -t / 2, t / 2, t};
    for (int k = 0; k < 4; k++)
        if (!numbers_at(p, tangent, place_of[k], feature, at[k])) return 0;
    for (int n = 0; n < 10; n++) derivative[n] = (4 * (at[2][n] - at[1][n]) / t - (at[3][n] - at[0][n]) / (2 * t)) / 3;
    return 1;
}

/* whether the normal is a direction between points that nearly meet: it then turns without bound */
static int is_steep(const nb_contact *c) {
    int kind = (int)(c->feature >> 32 & 7);
    return kind == NB_FEATURE_NEAREST && fabs(c->gap) < 0.02;
}

static void check_pair(pair *p, uint64_t *random, int count[KINDS]) {
    static const nb_body_tangent none[2];
    nb_contact contacts[64];
    nb_body_tangent tangent[2];
    place(p, none, 0);
    int32_t found = scene_detect(&p->scene, p->h)->count;
    assert_true(found <= 64);
    for (int32_t i = 0; i < found; i++) contacts[i] = p->scene.contacts->items[i];
    for (int k = 0; k < 2; k++) {
        nb_vec3 move = test_random_vector(random, -1, 1), turn = test_random_vector(random, -1, 1);
        tangent[k] = (nb_body_tangent){move, turn, test_random(random, -1, 1)};
    }
    for (int32_t i = 0; i < found; i++) {
        const nb_contact *c = &contacts[i];
        nb_contact_features features;
        nb_contact_tangent moved;
        double numbers[10];
        if (is_steep(c)) continue;
        place(p, none, 0);
        if (nb_contact_features_of(&p->scene.world, c, &features) != NB_OK) {
            assert_int_equal(c->feature >> 32 & 7, NB_FEATURE_DEEPEST);
            continue;
        }
        if (!differences(p, tangent, c->feature, numbers)) continue;
        nb_contact_features_move(&features, &tangent[c->body_a], &tangent[c->body_b], &moved);
        const double own[10] = {moved.point_a.x, moved.point_a.y, moved.point_a.z, moved.point_b.x, moved.point_b.y,
                                moved.point_b.z, moved.normal.x,  moved.normal.y,  moved.normal.z,  moved.gap};
        /* round-off of differences over 2e-5, and their fourth-order error where edges are nearly parallel */
        for (int n = 0; n < 10; n++) CHECK_NEAR(own[n], numbers[n], 1e-8 * fmax(1, fabs(numbers[n])));
        count[c->feature >> 32 & 7]++;
    }
}

TEST(contacts_move_as_detection_says) {
    static const struct {
        int a, b;
        nb_body_kind kind_a, kind_b;
    } pairs[] = {
        {BOX, BOX, NB_BODY_DYNAMIC, NB_BODY_DYNAMIC},
        {SPHERE, BOX, NB_BODY_DYNAMIC, NB_BODY_DYNAMIC},
        {BOX, SPHERE, NB_BODY_DYNAMIC, NB_BODY_FIXED},
        {SPHERE, SPHERE, NB_BODY_DYNAMIC, NB_BODY_DYNAMIC},
        {BOX, HALF_SPACE, NB_BODY_DYNAMIC, NB_BODY_FIXED},
        {SPHERE, HALF_SPACE, NB_BODY_DYNAMIC, NB_BODY_FIXED},
        {ELLIPSOID, HALF_SPACE, NB_BODY_DYNAMIC, NB_BODY_FIXED},
    };
    uint64_t random = test_seed();
    int of_pair[sizeof pairs / sizeof *pairs][KINDS] = {{0}}, of_kind[KINDS] = {0};
    for (int trial = 0; trial < 8000; trial++) {
        size_t k = (size_t)trial % (sizeof pairs / sizeof *pairs);
        nb_vec3 way = nb_normalized(test_random_vector(&random, -1, 1));
        nb_quat qa = test_random_turn(&random), qb = test_random_turn(&random);
        int meets = trial % 2; /* within a step; pieces far apart then have their nearest points alone */
        double far = test_random(&random, 0.3, meets ? 2.2 : 1.2);
        if (pairs[k].b == HALF_SPACE)
            far = test_random(&random, 0.2, 0.6), way = nb_quat_rotate(qb, nb_vec3_of(0, 0, 1));
        pair p = pair_of(pairs[k].a, pairs[k].kind_a, pairs[k].b, pairs[k].kind_b, nb_scale(far, way), qa, qb);
        p.h = meets ? 0.4 : 0;
        p.scene.world.bodies[0].linear_velocity = nb_scale(-6, way);
        check_pair(&p, &random, of_pair[k]);
        scene_destroy(&p.scene);
    }
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        int sum = 0;
        for (int n = 0; n < KINDS; n++) {
            sum += of_pair[k][n];
            of_kind[n] += of_pair[k][n];
        }
        assert_true(sum > 20);
    }
    for (int n = 0; n < NB_FEATURE_DEEPEST; n++) {
        print_message("kind %d: %d contacts\n", n, of_kind[n]);
        assert_true(of_kind[n] > 20);
    }
}

/* crossed and parallel edges, and corners that touch: one answer or one line */
TEST(what_has_no_derivative_is_refused) {
    nb_contact_features features;
    pair p = pair_of(BOX, NB_BODY_DYNAMIC, BOX, NB_BODY_DYNAMIC, nb_vec3_of(0.05, 0, 0), nb_quat_identity(),
                     nb_quat_identity());
    nb_contact contact = {.body_a = 0, .body_b = 1, .normal = {0, 0, 1}};
    contact.feature = (uint64_t)NB_FEATURE_DEEPEST << 32;
    CHECK_FAULT(nb_contact_features_of(&p.scene.world, &contact, &features), NB_ERROR_UNSUPPORTED, "deepest");
    contact.feature = (uint64_t)NB_FEATURE_EDGE_EDGE << 32; /* edge 0 of both */
    CHECK_FAULT(nb_contact_features_of(&p.scene.world, &contact, &features), NB_ERROR_UNSUPPORTED, "parallel");
    contact.feature |= 0x7fff; /* edge 32767 */
    CHECK_FAULT(nb_contact_features_of(&p.scene.world, &contact, &features), NB_ERROR_UNSUPPORTED, "no features");
    contact.body_a = 2;
    CHECK_FAULT(nb_contact_features_of(&p.scene.world, &contact, &features), NB_ERROR_UNSUPPORTED, "particles");
    scene_destroy(&p.scene);
}

RUN_TESTS(contacts_move_as_detection_says, what_has_no_derivative_is_refused)
