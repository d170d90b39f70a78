/* The gyroscopic torque of a step of be: the midpoint rule and its derivatives, and bodies that spin freely. */
#include "model/gyroscopic.h"

#include "base/largest.h"
#include "model/free_turn.h"
#include "staged_scene.h"

NB_PRECISIONS(f64);

enum {
    TRIALS = 200
};

static nb_vec3 random_vec3(uint64_t *seed, double most) {
    const double x = test_random(seed, -most, most), y = test_random(seed, -most, most);
    return nb_vec3_of(x, y, test_random(seed, -most, most));
}

/* moments that a body may have: each at most the sum of both others */
static nb_body random_body(uint64_t *seed, double speed) {
    const double a = test_random(seed, 0.001, 1), b = test_random(seed, 0.001, 1), c = test_random(seed, 0.001, 1);
    nb_body body = {.kind = NB_BODY_DYNAMIC, .mass = 2, .inertia = {b + c, c + a, a + b}, .shape = -1};
    const nb_vec3 turn = random_vec3(seed, 1);
    body.orientation = nb_quat_normalized((nb_quat){test_random(seed, -1, 1), turn.x, turn.y, turn.z});
    body.angular_velocity = random_vec3(seed, speed);
    body.torque = random_vec3(seed, speed);
    return body;
}

/* energy of rotation [J] and |I w| [N m s] of a spin where the body stands */
static double energy_of(const nb_body *body, nb_vec3 spin, double *momentum) {
    const nb_mat3 inertia = nb_inertia_at(body, body->orientation);
    const nb_vec3 l = nb_mat3_apply(&inertia, spin);
    *momentum = nb_norm(l);
    return nb_dot(spin, l) / 2;
}

TEST(the_midpoint_rule_holds) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < TRIALS; trial++) {
        const double h = 0.01;
        const nb_body body = random_body(&seed, 40);
        const nb_mat3 inertia = nb_inertia_at(&body, body.orientation);
        nb_free_spin free;
        nb_free_spin_of(&body, NB_GYROSCOPIC_IMPLICIT, h, &free);
        const nb_vec3 middle = nb_scale(0.5, nb_add(free.spin, body.angular_velocity)),
                      gained = nb_mat3_apply(&inertia, nb_sub(free.spin, body.angular_velocity));
        nb_vec3 left = nb_add_scaled(gained, h, nb_cross(middle, nb_mat3_apply(&inertia, middle)));
        left = nb_add_scaled(left, -h, body.torque);
        CHECK_BELOW(nb_norm(left), 1e-13 * nb_norm(nb_mat3_apply(&inertia, middle)));
        nb_free_spin_of(&body, NB_GYROSCOPIC_EXPLICIT, h, &free);
        const nb_vec3 spin = nb_spin_after(&body, h, body.orientation, body.angular_velocity);
        CHECK_BELOW(nb_norm(nb_sub(free.spin, spin)), 1e-14 * nb_norm(spin));
    }
}

/* at any spin: beyond some radians a step the rule is solved in parts */
TEST(free_bodies_keep_energy_and_momentum) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < TRIALS; trial++) {
        nb_body body = random_body(&seed, pow(10, test_random(&seed, -2, 5)));
        body.torque = nb_vec3_of(0, 0, 0);
        double momentum[2];
        nb_free_spin free;
        nb_free_spin_of(&body, NB_GYROSCOPIC_IMPLICIT, 0.01, &free);
        const double energy[2] = {energy_of(&body, body.angular_velocity, &momentum[0]),
                                  energy_of(&body, free.spin, &momentum[1])};
        CHECK_NEAR(energy[1], energy[0], 1e-12 * energy[0]);
        CHECK_NEAR(momentum[1], momentum[0], 1e-12 * momentum[0]);
    }
}

static nb_vec3 column(const nb_mat3 *a, int k) {
    return nb_vec3_of(a->m[0][k], a->m[1][k], a->m[2][k]);
}

TEST(derivatives_are_those_of_differences) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < TRIALS; trial++) {
        const double by = 1e-4;
        const nb_gyroscopic_torque torque = trial % 2 ? NB_GYROSCOPIC_EXPLICIT : NB_GYROSCOPIC_IMPLICIT;
        const nb_body body = random_body(&seed, 40);
        nb_free_spin free, ends[2];
        nb_free_spin_of(&body, torque, 0.01, &free);
        for (int k = 0; k < 6; k++) {
            for (int side = 0; side < 2; side++) {
                nb_body moved = body;
                nb_vec3 *input = k < 3 ? &moved.angular_velocity : &moved.torque;
                double *x = k % 3 == 0 ? &input->x : k % 3 == 1 ? &input->y : &input->z;
                *x += side ? by : -by;
                nb_free_spin_of(&moved, torque, 0.01, &ends[side]);
            }
            const nb_vec3 found = nb_scale(1 / (2 * by), nb_sub(ends[1].spin, ends[0].spin)),
                          given = column(k < 3 ? &free.by_spin : &free.by_torque, k % 3);
            CHECK_BELOW(nb_norm(nb_sub(found, given)), 1e-7 * (1 + nb_norm(given)));
        }
    }
}

TEST(what_is_not_finite_ends) {
    nb_body body = {.kind = NB_BODY_DYNAMIC, .mass = 1, .inertia = {1, 2, 2.5}, .orientation = {1, 0, 0, 0}};
    nb_free_spin free;
    body.angular_velocity = nb_vec3_of(1, NAN, 0);
    nb_free_spin_of(&body, NB_GYROSCOPIC_IMPLICIT, 0.01, &free);
    assert_true(isnan(free.spin.y));
    body.angular_velocity = nb_vec3_of(3e150, 2e150, 1e150);
    nb_free_spin_of(&body, NB_GYROSCOPIC_IMPLICIT, 0.01, &free);
    CHECK_NEAR(nb_norm(free.spin), nb_norm(body.angular_velocity), 1e-12 * nb_norm(body.angular_velocity));
}

/* What 4 s of steps of 10 ms leave of energy and of |I w|; the largest change on the way, and the most energy. */
static void spin_freely(nb_integrator integrator, nb_vec3 inertia, nb_vec3 spin, nb_gyroscopic_torque torque,
                        double left[2], double largest[2]) {
    scene s;
    int32_t index;
    double start[2], now[2];
    const nb_body body = {.kind = NB_BODY_DYNAMIC,
                          .mass = 1,
                          .inertia = inertia,
                          .orientation = nb_quat_identity(),
                          .angular_velocity = spin,
                          .shape = -1};
    open_scene(integrator, "newton", "", &s);
    s.world->gravity = nb_vec3_of(0, 0, 0);
    s.world->settings.gyroscopic = torque;
    CHECK_OK(nb_world_add_body(s.world, &body, &index));
    if (integrator != NB_INTEGRATOR_BE) begin(&s);
    start[0] = energy_of(&body, spin, &start[1]);
    largest[0] = largest[1] = 0;
    for (int n = 0; n < 400; n++) {
        if (integrator != NB_INTEGRATOR_BE)
            step(&s, 0.01);
        else
            solve(&s, 0.01);
        now[0] = energy_of(&s.world->bodies[0], s.world->bodies[0].angular_velocity, &now[1]);
        for (int k = 0; k < 2; k++) {
            left[k] = now[k] / start[k];
            nb_raise(&largest[0], fabs(left[k] - 1));
            if (k == 0) nb_raise(&largest[1], left[0]);
        }
    }
    close_scene(&s);
}

/* a rod of 1 m and a disk of 0.2 m, of 1 kg, each spinning about its axis and a little across; and one of three moments
 * about the middle axis, which it leaves */
TEST(rods_and_disks_spin_on) {
    const nb_vec3 rod = nb_vec3_of(0.0005, 0.0838, 0.0838), disk = nb_vec3_of(0.01, 0.01, 0.02);
    double left[2], largest[2];
    const nb_vec3 cases[][2] = {{rod, {20, 1, 0}}, {disk, {1, 2, 60}}, {{1, 2, 3}, {0.3, 30, 0.1}}};
    for (int i = 0; i < 3; i++) {
        spin_freely(NB_INTEGRATOR_BE, cases[i][0], cases[i][1], NB_GYROSCOPIC_IMPLICIT, left, largest);
        print_message("implicit: energy x %.15g, |I w| x %.15g, largest change %.1e\n", left[0], left[1], largest[0]);
        CHECK_BELOW(largest[0], 1e-8); /* each step is solved to 1e-12 m/s */
    }
    spin_freely(NB_INTEGRATOR_BE, rod, cases[0][1], NB_GYROSCOPIC_EXPLICIT, left, largest);
    print_message("explicit: energy x %.3g, |I w| x %.3g\n", left[0], left[1]);
    CHECK_NEAR(left[0] / 1e6, 1.6, 0.1);
}

/* at 2 rad a step, too */
TEST(no_integrator_gains_energy) {
    const nb_vec3 cases[][2] = {{{0.0005, 0.0838, 0.0838}, {20, 1, 0}},
                                {{0.0005, 0.0838, 0.0838}, {200, 10, 0}},
                                {{0.01, 0.01, 0.02}, {1, 2, 60}},
                                {{1, 2, 3}, {0.3, 60, 0.1}}};
    for (int i = 0; i < NB_INTEGRATORS; i++)
        for (int k = 0; k < 4; k++) {
            double left[2], largest[2];
            spin_freely((nb_integrator)i, cases[k][0], cases[k][1], NB_GYROSCOPIC_IMPLICIT, left, largest);
            print_message("%s: energy x %.6g, at most %.9g; |I w| x %.6g\n", nb_integrator_names[i], left[0],
                          largest[1], left[1]);
            CHECK_BELOW(largest[1], 1 + 1e-3);
        }
}

RUN_TESTS(the_midpoint_rule_holds, free_bodies_keep_energy_and_momentum, derivatives_are_those_of_differences,
          what_is_not_finite_ends, rods_and_disks_spin_on, no_integrator_gains_energy)
