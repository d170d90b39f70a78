/* Rows of joint coordinates: their gradients are derivatives, and steps of random arms are those that enumerate all
 * ways in which rows can be at their bounds. */
#include "staged_scene.h"

#include <lapacke.h>

#include "base/largest.h"

#include "model/coordinate.h"
#include "model/drive.h"
#include "model/energy.h"

enum {
    LINKS = 2,
    JOINT_ROWS = 5 * LINKS,
    MOST_BOXES = 5 * LINKS + 1,
    MOST = 6 * LINKS + JOINT_ROWS + MOST_BOXES
};

static const double h = 0.01;

static nb_vec3 random_vector(uint64_t *seed, double size) {
    return nb_vec3_of(test_random(seed, -size, size), test_random(seed, -size, size), test_random(seed, -size, size));
}

static nb_quat random_turn(uint64_t *seed) {
    nb_quat q = {test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1),
                 test_random(seed, -1, 1)};
    return nb_quat_normalized(q);
}

static int chance(uint64_t *seed, double part) {
    return test_random(seed, 0, 1) < part;
}

/* An arm of links, each on the one before; its bodies are balls, which turn without gyroscopic torque. What its joints
 * have is drawn, and may be anything that files may have. */
static void draw_arm(nb_world *world, uint64_t *seed) {
    int32_t index;
    world->gravity = random_vector(seed, 10);
    for (int32_t i = 0; i < LINKS; i++) {
        const double mass = test_random(seed, 0.2, 3), inertia = test_random(seed, 0.05, 1);
        const nb_body body = {.kind = NB_BODY_DYNAMIC,
                              .mass = mass,
                              .inertia = nb_vec3_of(inertia, inertia, inertia),
                              .shape = -1,
                              .position = random_vector(seed, 1),
                              .orientation = random_turn(seed),
                              .force = random_vector(seed, 30),
                              .torque = random_vector(seed, 30)};
        CHECK_OK(nb_world_add_body(world, &body, &index));
        const int along = chance(seed, 0.4);
        const double none[6] = {0};
        CHECK_OK(nb_world_add_joint_at(world, along ? NB_JOINT_PRISMATIC : NB_JOINT_REVOLUTE, i, i - 1,
                                       random_vector(seed, 1), random_turn(seed), none, &index));
        nb_joint *joint = &world->joints[index];
        joint->limited = chance(seed, 0.6);
        joint->limits[0] = -test_random(seed, 0, 0.003);
        joint->limits[1] = test_random(seed, 0, 0.003);
        joint->friction = chance(seed, 0.6) ? test_random(seed, 0, 20) : 0;
        joint->armature = chance(seed, 0.5) ? test_random(seed, 0.01, 1) : 0;
        if (!chance(seed, 0.5)) continue;
        const nb_motor motor = {.joint = index,
                                .along = along,
                                .stiffness = test_random(seed, 0, 300),
                                .damping = test_random(seed, 0, 30),
                                .target = test_random(seed, -0.1, 0.1),
                                .rate = test_random(seed, -1, 1),
                                .anchor = joint->anchor_b,
                                .frame = joint->frame_b,
                                .effort = test_random(seed, 0.1, 20)};
        CHECK_OK(NB_RESERVE(world->motor_count + 1, &world->motor_capacity, &world->motors));
        world->motors[world->motor_count++] = motor;
    }
    if (!chance(seed, 0.4)) return;
    nb_coupling coupling = {.count = 2, .joint = {1, 0}, .offset = test_random(seed, -0.001, 0.001)};
    for (int k = 0; k < 2; k++) coupling.factor[k] = test_random(seed, 0.5, 2) * (chance(seed, 0.5) ? 1 : -1);
    for (int k = 0; k < 2; k++) world->joints[k].limited = 0; /* which the coupling might not meet */
    CHECK_OK(nb_world_add_coupling(world, &coupling));
}

/* ---- the reference ---- */

/* a row J u + rate + soft z with bounds */
typedef struct row {
    double j[6 * LINKS], rate, soft, low, high;
} row;

typedef struct reference {
    int boxes;
    row joint[JOINT_ROWS], box[MOST_BOXES];
    double mass[6 * LINKS], free[6 * LINKS]; /* velocities without constraints */
    double u[6 * LINKS];
} reference;

static void put_row(const nb_joint *joint, const nb_joint_row *from, double sign, row *to) {
    for (int side = 0; side < 2; side++) {
        const int32_t body = side ? joint->body_b : joint->body_a;
        if (body < 0) continue;
        const nb_vec3 v = side ? from->linear_b : from->linear_a, w = side ? from->angular_b : from->angular_a;
        const double numbers[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int k = 0; k < 6; k++) to->j[6 * body + k] += sign * numbers[k];
    }
}

/* the box rows of a joint at s = 0, without the program's list of them */
static void put_boxes(const nb_world *world, int32_t j, reference *f) {
    const nb_joint *joint = &world->joints[j];
    nb_coordinate c;
    assert_true(nb_coordinate_of(world, j, &c));
    const nb_joint_row s = nb_coordinate_now(world, &c, 0);
    const row limits[2] = {{.rate = -joint->limits[0] / h, .high = INFINITY},
                           {.rate = joint->limits[1] / h, .high = INFINITY}};
    for (int k = 0; joint->limited && k < 2; k++) {
        f->box[f->boxes] = limits[k];
        put_row(joint, &s, k ? -1 : 1, &f->box[f->boxes++]);
    }
    if (joint->friction > 0) {
        f->box[f->boxes] = (row){.low = -h * joint->friction, .high = h * joint->friction};
        put_row(joint, &s, 1, &f->box[f->boxes++]);
    }
    if (joint->armature > 0) {
        f->box[f->boxes] = (row){.soft = 1 / joint->armature, .low = -INFINITY, .high = INFINITY};
        put_row(joint, &s, 1, &f->box[f->boxes++]);
    }
    for (int32_t m = 0; m < world->motor_count; m++) {
        const nb_motor *motor = &world->motors[m];
        if (motor->joint != j) continue;
        /* lambda = -k (s + h v - target) - d (v - rate), as v + rate' + soft z = 0 */
        const double stiff = h * motor->stiffness + motor->damping,
                     pull = motor->stiffness * motor->target + motor->damping * motor->rate;
        f->box[f->boxes] =
            (row){.rate = -pull / stiff, .soft = 1 / (stiff * h), .low = -h * motor->effort, .high = h * motor->effort};
        put_row(joint, &s, 1, &f->box[f->boxes++]);
    }
}

static void make_reference(const nb_world *world, reference *f) {
    memset(f, 0, sizeof *f);
    for (int32_t i = 0; i < LINKS; i++) {
        const nb_body *b = &world->bodies[i];
        const nb_vec3 v = nb_add_scaled(nb_scale(h, world->gravity), h / b->mass, b->force),
                      w = nb_scale(h / b->inertia.x, b->torque);
        const double free[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int k = 0; k < 6; k++) {
            f->mass[6 * i + k] = k < 3 ? b->mass : b->inertia.x;
            f->free[6 * i + k] = free[k];
        }
    }
    for (int32_t j = 0, r = 0; j < LINKS; j++) {
        const nb_joint *joint = &world->joints[j];
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        nb_vec3 xa, xb;
        nb_quat qa, qb;
        nb_world_pose(world, joint->body_a, &xa, &qa);
        nb_world_pose(world, joint->body_b, &xb, &qb);
        const int count = nb_joint_evaluate(joint, xa, qa, xb, qb, rows);
        for (int k = 0; k < count; k++) put_row(joint, &rows[k], 1, &f->joint[r++]);
        put_boxes(world, j, f);
    }
    for (int32_t i = 0; i < world->coupling_count; i++) {
        const nb_coupling *coupling = &world->couplings[i];
        row *to = &f->box[f->boxes++];
        *to = (row){.rate = -coupling->offset / h, .low = -INFINITY, .high = INFINITY};
        for (int32_t k = 0; k < coupling->count; k++) {
            nb_coordinate c;
            assert_true(nb_coordinate_of(world, coupling->joint[k], &c));
            const nb_joint_row s = nb_coordinate_now(world, &c, 0);
            put_row(&world->joints[coupling->joint[k]], &s, coupling->factor[k], to);
        }
    }
}

/* Solves with box row i held at its lower bound (0), its upper one (1) or v = 0 (2); returns whether all signs are
 * right. */
static int solve_case(const reference *f, const int *state, double *u) {
    static double a[MOST * MOST], b[MOST];
    lapack_int pivot[MOST];
    const int bodies = 6 * LINKS, n = bodies + JOINT_ROWS + f->boxes;
    const double tolerance = 1e-9;
    memset(a, 0, sizeof a);
    for (int k = 0; k < bodies; k++) {
        a[k * n + k] = f->mass[k];
        b[k] = f->mass[k] * f->free[k];
    }
    for (int r = 0; r < JOINT_ROWS + f->boxes; r++) {
        const row *of = r < JOINT_ROWS ? &f->joint[r] : &f->box[r - JOINT_ROWS];
        const int at = bodies + r, held = r < JOINT_ROWS ? 2 : state[r - JOINT_ROWS];
        for (int k = 0; k < bodies; k++) {
            a[k * n + at] = -of->j[k];
            a[at * n + k] = held == 2 ? of->j[k] : 0;
        }
        a[at * n + at] = held == 2 ? of->soft : 1;
        b[at] = held == 2 ? -of->rate : held ? of->high : of->low;
    }
    if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, a, n, pivot, b, 1) != 0) return 0;
    for (int k = 0; k < bodies; k++)
        if (!(fabs(b[k]) < 1e6)) return 0; /* both limits of a joint are held, and round-off makes the matrix regular */
    for (int r = 0; r < f->boxes; r++) {
        const row *of = &f->box[r];
        const double z = b[bodies + JOINT_ROWS + r];
        double v = of->rate + of->soft * z;
        for (int k = 0; k < bodies; k++) v += of->j[k] * b[k];
        if (z < of->low - tolerance || z > of->high + tolerance) return 0;
        if ((state[r] != 1 && v < -tolerance) || (state[r] != 0 && v > tolerance))
            return 0; /* of a singular matrix, too */
    }
    memcpy(u, b, (size_t)bodies * sizeof *u);
    return 1;
}

static void enumerate(reference *f) {
    int state[MOST_BOXES] = {0}, cases = 1;
    for (int r = 0; r < f->boxes; r++) cases *= 3;
    for (int i = 0; i < cases; i++) {
        int possible = 1;
        for (int r = 0, rest = i; r < f->boxes; r++, rest /= 3) {
            state[r] = rest % 3;
            possible &= !(state[r] == 0 && isinf(f->box[r].low)) && !(state[r] == 1 && isinf(f->box[r].high));
        }
        if (possible && solve_case(f, state, f->u)) return;
    }
    fail_msg("none of %d cases has the right signs", cases);
}

/* ---- tests ---- */

TEST(steps_are_those_of_enumeration) {
    static const char *const methods[][2] = {{"interior-point", ""},
                                             {"auto", ""},
                                             {"newton", "ncp=minimum-map"},
                                             {"newton", "ncp=fischer-burmeister"},
                                             {"newton", "ncp=fischer-burmeister row-scaling=paper"},
                                             {"newton", "finish=exact"},
                                             {"psor", "record-every=10"},
                                             {"psor", "record-every=10 joints=direct"},
                                             {"psor", "record-every=10 lambda=0.8"},
                                             {"psor", "record-every=10 acceleration=nncg"},
                                             {"pssor", "record-every=10 joints=direct"},
                                             {"nsgs", "record-every=10"},
                                             {"nsgs", "record-every=10 order=coloured"},
                                             {"nsgs", "record-every=10 order=symmetric joints=direct"},
                                             {"apgd", ""},
                                             {"apgd", "joints=direct step-lengths=blocks"},
                                             {"admm", ""},
                                             {"admm", "preset=kamino"},
                                             {"admm", "preset=siconos"},
                                             {"fbf", ""}};
    const int trials = test_trials(120);
    uint64_t seed = test_seed();
    double largest[sizeof methods / sizeof *methods] = {0};
    int bounded = 0;
    for (int trial = 0; trial < trials; trial++) {
        const uint64_t arm = seed + (uint64_t)trial;
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            scene s;
            reference f;
            uint64_t own = arm;
            nb_step_counts counts;
            nb_step_outcome outcome;
            open_scene(NB_INTEGRATOR_BE, methods[m][0], methods[m][1], &s);
            s.geometry = NB_GEOMETRY_FROZEN;
            draw_arm(s.world, &own);
            make_reference(s.world, &f);
            enumerate(&f);
            CHECK_OK(nb_contacts_detect(s.world, h, s.contacts));
            CHECK_OK(type->begin(s.stepper, s.world, s.contacts, h, s.geometry));
            CHECK_OK(nb_measure_begin(s.measure, s.world, s.contacts, h, s.geometry));
            CHECK_OK(type->step(s.stepper, s.world, s.contacts, h, 0, s.measure, NULL, &outcome, &counts, NULL));
            bounded += f.boxes;
            if (!nb_reason_converged(outcome.reason) && !(outcome.errors.natural_map < 1e-9))
                fail_msg("arm %llu: %s %s ends by %s, off by %g", (unsigned long long)arm, methods[m][0], methods[m][1],
                         nb_reason_name(outcome.reason), outcome.errors.natural_map);
            for (int32_t i = 0; i < LINKS; i++) {
                const nb_body *b = &s.world->bodies[i];
                const double u[6] = {b->linear_velocity.x,  b->linear_velocity.y,  b->linear_velocity.z,
                                     b->angular_velocity.x, b->angular_velocity.y, b->angular_velocity.z};
                for (int k = 0; k < 6; k++) nb_raise(&largest[m], fabs(u[k] - f.u[6 * i + k]));
            }
            close_scene(&s);
        }
    }
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        print_message("%s %s: off by %.2g m/s\n", methods[m][0], methods[m][1], largest[m]);
        assert_true(largest[m] < 1e-8);
    }
    assert_true(bounded > trials);
}

TEST(gradients_are_derivatives) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 200; trial++) {
        nb_world *world;
        nb_coordinate c;
        const double t = 1e-6;
        double s[2];
        CHECK_OK(nb_world_create(&world));
        draw_arm(world, &seed);
        assert_true(nb_coordinate_of(world, 1, &c));
        /* a motion that the joint allows: of its own rate, and of both bodies together */
        const nb_joint_row at = nb_coordinate_now(world, &c, 0);
        const nb_vec3 spin = random_vector(&seed, 1), v = random_vector(&seed, 1),
                      axis =
                          nb_quat_rotate(nb_quat_product(world->bodies[0].orientation, c.frame_b), nb_vec3_of(1, 0, 0));
        const double own = test_random(&seed, -1, 1);
        nb_body *a = &world->bodies[1], *b = &world->bodies[0];
        const nb_vec3 anchor = nb_add(a->position, nb_quat_rotate(a->orientation, c.anchor_a));
        b->linear_velocity = v;
        b->angular_velocity = spin;
        a->angular_velocity = c.along ? spin : nb_add_scaled(spin, own, axis);
        a->linear_velocity = nb_add(v, nb_cross(spin, nb_sub(anchor, b->position)));
        if (c.along) a->linear_velocity = nb_add_scaled(a->linear_velocity, own, axis);
        a->linear_velocity = nb_sub(a->linear_velocity, nb_cross(a->angular_velocity, nb_sub(anchor, a->position)));
        CHECK_NEAR(nb_coordinate_rate(world, &c, &at), own, 1e-12);
        const nb_body kept[2] = {*b, *a};
        for (int k = 0; k < 2; k++) {
            *b = kept[0], *a = kept[1];
            nb_body_move(b, k ? t : -t);
            nb_body_move(a, k ? t : -t);
            s[k] = nb_coordinate_now(world, &c, 0).value;
        }
        CHECK_NEAR((s[1] - s[0]) / (2 * t), own, 1e-8);
        nb_world_destroy(world);
    }
}

TEST(angles_are_those_next_to_another) {
    const nb_coordinate c = {.body_a = 0, .body_b = -1, .frame_a = {1, 0, 0, 0}, .frame_b = {1, 0, 0, 0}};
    const nb_vec3 zero = {0, 0, 0};
    for (int k = -20; k <= 20; k++) {
        const double angle = 0.37 * k;
        const nb_quat turn = nb_quat_about(nb_vec3_of(1, 0, 0), angle);
        CHECK_NEAR(nb_coordinate_at(&c, angle + 3, zero, turn, zero, nb_quat_identity()).value, angle, 1e-12);
        CHECK_NEAR(nb_coordinate_at(&c, angle - 3, zero, turn, zero, nb_quat_identity()).value, angle, 1e-12);
    }
}

TEST(rotors_have_energy) {
    nb_world *world;
    int32_t index;
    const double none[6] = {0};
    const nb_body body = {.kind = NB_BODY_DYNAMIC,
                          .mass = 2,
                          .inertia = {1, 1, 1},
                          .shape = -1,
                          .orientation = {1, 0, 0, 0},
                          .angular_velocity = {3, 0, 0}};
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_world_add_body(world, &body, &index));
    CHECK_OK(
        nb_world_add_joint_at(world, NB_JOINT_REVOLUTE, 0, -1, nb_vec3_of(0, 0, 0), nb_quat_identity(), none, &index));
    CHECK_NEAR(nb_world_kinetic_energy(world), 4.5, 1e-14);
    world->joints[index].armature = 0.5;
    CHECK_NEAR(nb_world_kinetic_energy(world), 4.5 + 0.25 * 9, 1e-14);
    nb_world_destroy(world);
}

RUN_TESTS(steps_are_those_of_enumeration, gradients_are_derivatives, angles_are_those_next_to_another,
          rotors_have_energy)
