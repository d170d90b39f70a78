/* Joints' rows followed by increments from the start of a step are those of nb_joint_evaluate at the places that their
 * bodies have moved to, whose gradients are tested by differences. */
#include <math.h>

#include "base/real.h"
#include "check.h"
#include "model/joint.h"

NB_PRECISIONS(f32, f64);

#define NB_LANE real
#include "constraint/joint_formulas.h"

static const nb_joint_kind kinds[] = {NB_JOINT_FIXED, NB_JOINT_SPHERICAL, NB_JOINT_REVOLUTE, NB_JOINT_PRISMATIC,
                                      NB_JOINT_DISTANCE};
static const double h = 0.01;

static nb_vec3 random_vector(uint64_t *seed) {
    return nb_vec3_of(test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1));
}

static nb_quat random_turn(uint64_t *seed) {
    return nb_quat_normalized((nb_quat){test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1),
                                        test_random(seed, -1, 1)});
}

/* a body at a place, and after it has moved; `still`: the world */
typedef struct mover {
    nb_vec3 x, to;
    nb_quat q, turned;
    real motion[7];
} mover;

static mover random_mover(uint64_t *seed, double speed, int still) {
    mover m = {.x = random_vector(seed), .q = random_turn(seed)};
    if (still) m = (mover){.q = nb_quat_identity()};
    for (int k = 0; k < 6; k++) m.motion[k] = still ? R(0) : R(speed * test_random(seed, -1, 1));
    m.motion[NB_MOTION_SCALE] = nb_lane_motion_scale(R(h), m.motion + 3);
    const real *u = m.motion;
    m.to = nb_add_scaled(m.x, (double)R(h), nb_vec3_of((double)u[0], (double)u[1], (double)u[2]));
    m.turned = nb_quat_advance(m.q, (double)R(h), nb_vec3_of((double)u[3], (double)u[4], (double)u[5]));
    return m;
}

static void check_vector(const real *got, nb_vec3 expected, double tolerance) {
    CHECK_NEAR(got[0], expected.x, tolerance);
    CHECK_NEAR(got[1], expected.y, tolerance);
    CHECK_NEAR(got[2], expected.z, tolerance);
}

/* c/h within `of_rate`, j within some tens of roundings: arms are 4 long at most, and k is below 1 */
static void check_joint(const nb_joint *joint, const mover *a, const mover *b, double of_rate) {
    nb_joint_row before[NB_JOINT_MAX_ROWS], after[NB_JOINT_MAX_ROWS];
    nb_joint_start starts[NB_JOINT_MAX_ROWS];
    int count = nb_joint_evaluate(joint, a->x, a->q, b->x, b->q, before);
    nb_joint_evaluate(joint, a->to, a->turned, b->to, b->turned, after);
    assert_int_equal(nb_joint_begin(joint, a->x, a->q, b->x, b->q, starts), count);
    for (int i = 0; i < count; i++) {
        real numbers[NB_JOINT_NUMBERS], j[12];
        for (int k = 0; k < NB_JOINT_NUMBERS; k++) numbers[k] = (real)starts[i].numbers[k];
        real rate = nb_joint_moved((int)starts[i].motion, numbers, (real)(before[i].value / (double)R(h)), R(h),
                                   a->motion, b->motion, j);
        CHECK_NEAR(rate, after[i].value / (double)R(h), of_rate);
        const double of_row = 100 * (double)NB_REAL_EPSILON;
        check_vector(j, after[i].linear_a, of_row);
        check_vector(j + 6, after[i].linear_b, of_row);
        if (joint->body_a >= 0) check_vector(j + 3, after[i].angular_a, of_row);
        if (joint->body_b >= 0) check_vector(j + 9, after[i].angular_b, of_row);
    }
}

/* where the rotation vector of a to b turns over, at pi, round-off decides to which side */
static int turns_over(const nb_joint *joint, const mover *a, const mover *b) {
    nb_quat q = nb_quat_product(nb_quat_conjugate(nb_quat_product(b->turned, joint->frame_b)),
                                nb_quat_product(a->turned, joint->frame_a));
    return fabs(q.w) < 0.01;
}

TEST(rows_are_those_of_the_places_moved_to) {
    uint64_t seed = 61;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 2000; trial++) {
        int world = trial % 7; /* one of the two bodies now and then */
        nb_joint joint = {.kind = kinds[trial % 5], .length = 0.7};
        joint.body_a = world == 1 ? -1 : 0;
        joint.body_b = world == 2 ? -1 : 1;
        joint.anchor_a = random_vector(&seed);
        joint.anchor_b = random_vector(&seed);
        joint.frame_a = random_turn(&seed);
        joint.frame_b = random_turn(&seed);
        double speed = trial % 3 ? 5 : 100; /* by half a radian in a step */
        mover a = random_mover(&seed, speed, world == 1), b = random_mover(&seed, speed, world == 2);
        if (turns_over(&joint, &a, &b)) continue;
        check_joint(&joint, &a, &b, 100 * (double)NB_REAL_EPSILON / h); /* c is some units long, rounded, over h */
    }
}

/* What of c/h is due to a motion is as exact as the motion: of joints that hold, and of links of any length. */
TEST(small_motions_keep_their_digits) {
    uint64_t seed = 62;
    const double speed = 1e-3;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 1000; trial++) {
        mover a = random_mover(&seed, speed, 0), b = random_mover(&seed, speed, 0);
        nb_vec3 anchor = random_vector(&seed);
        nb_quat frame = random_turn(&seed);
        nb_joint joint = {.kind = kinds[trial % 5], .body_a = 0, .body_b = 1};
        joint.anchor_a = nb_quat_rotate(nb_quat_conjugate(a.q), nb_sub(anchor, a.x));
        joint.anchor_b = nb_quat_rotate(nb_quat_conjugate(b.q), nb_sub(anchor, b.x));
        joint.frame_a = nb_quat_product(nb_quat_conjugate(a.q), frame);
        joint.frame_b = nb_quat_product(nb_quat_conjugate(b.q), frame);
        if (joint.kind == NB_JOINT_DISTANCE) {
            joint.anchor_a = nb_vec3_of(3, 4, 0);
            joint.length = nb_norm(nb_sub(nb_add(a.x, nb_quat_rotate(a.q, joint.anchor_a)),
                                          nb_add(b.x, nb_quat_rotate(b.q, joint.anchor_b))));
        }
        /* besides, what double makes of places of some metres, over h */
        check_joint(&joint, &a, &b, 100 * ((double)NB_REAL_EPSILON * speed + 2.3e-16 / h));
    }
}

RUN_TESTS(rows_are_those_of_the_places_moved_to, small_motions_keep_their_digits)
