/* Rigid joints in method smoothed: their error is E z, a share of the velocity that their impulse makes; motions come
 * to those of joints without compliance as that share falls; and steps are solved in few iterations. */
#include "gradient_scene.h"

#define SOLVED "residual-tolerance=1e-11 "

static void start(gradient_scene *s, const char *method, double share) {
    char options[128];
    snprintf(options, sizeof options, SOLVED "joint-compliance=%g", share);
    gradient_scene_start_with(s, method, share > 0 ? options : "");
}

/* a step, and the world as it is after it */
static nb_step_outcome advance(gradient_scene *s) {
    nb_step_outcome outcome;
    nb_step_counts counts;
    CHECK_OK(nb_contacts_detect(s->world, s->h, s->contacts));
    CHECK_OK(nb_stepper_f64.begin(s->stepper, s->world, s->contacts, s->h, NB_GEOMETRY_JOINTS));
    CHECK_OK(nb_measure_begin(s->measure, s->world, s->contacts, s->h, NB_GEOMETRY_JOINTS));
    CHECK_OK(
        nb_stepper_f64.step(s->stepper, s->world, s->contacts, s->h, 1, s->measure, NULL, &outcome, &counts, NULL));
    return outcome;
}

static void hang(gradient_scene *s, double compliance) {
    const double all[6] = {compliance, compliance, compliance, compliance, compliance, compliance};
    int32_t joint;
    gradient_scene_box(s, nb_vec3_of(0.1, 0.1, 0.1), 2.5, 0, nb_vec3_of(0, 0, 1), nb_quat_identity());
    CHECK_OK(nb_world_add_joint_at(s->world, NB_JOINT_SPHERICAL, 0, -1, nb_vec3_of(0, 0, 1), nb_quat_identity(), all,
                                   &joint));
}

/* A body that hangs by its centre: w = 1/m and z = m g h, so that it hangs share g h^2 low. */
TEST(a_body_hangs_by_the_share) {
    const double shares[] = {1e-2, 1e-4, 1e-6};
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        gradient_scene *s = gradient_scene_open();
        hang(s, 0);
        start(s, "smoothed", shares[k]);
        for (int n = 0; n < 30; n++) assert_int_equal(advance(s).reason, NB_REASON_CONVERGED);
        CHECK_NEAR(1 - s->world->bodies[0].position.z, shares[k] * 9.81 * s->h * s->h, 1e-6 * shares[k]);
        gradient_scene_close(s);
    }
}

/* one with compliance e hangs by m g e, as before, whatever the share is */
TEST(compliance_stays) {
    gradient_scene *s = gradient_scene_open();
    hang(s, 1e-4);
    start(s, "smoothed", 1e-2);
    for (int n = 0; n < 200; n++) advance(s);
    CHECK_NEAR(1 - s->world->bodies[0].position.z, 2.5 * 9.81 * 1e-4, 1e-9);
    gradient_scene_close(s);
}

/* the places after `steps` steps of a chain of joints of every kind, in the air, some of which give way */
static int32_t move_chain(const char *method, double share, int steps, nb_vec3 *place, int32_t *iterations) {
    gradient_scene *s = gradient_scene_open();
    gradient_scene_jointed(s);
    const int32_t count = s->world->body_count;
    for (int32_t i = 1; i < count; i++) s->world->bodies[i].position.z += 1;
    for (int32_t i = 0; i < s->world->joint_count; i++)
        if (s->world->joints[i].body_b < 0) s->world->joints[i].anchor_b.z += 1;
    start(s, method, share);
    *iterations = 0;
    for (int n = 0; n < steps; n++) {
        const nb_step_outcome outcome = advance(s);
        if (share > 0) assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
        if (n > 0 && outcome.newton_iterations > *iterations) *iterations = outcome.newton_iterations;
    }
    for (int32_t i = 0; i < count; i++) place[i] = s->world->bodies[i].position;
    gradient_scene_close(s);
    return count;
}

TEST(motions_come_to_those_of_hard_joints) {
    nb_vec3 hard[GRADIENT_BODIES], soft[GRADIENT_BODIES];
    const double shares[] = {1e-4, 1e-5, 1e-6};
    double off[3] = {0};
    int32_t iterations;
    const int32_t count = move_chain("interior-point", 0, 20, hard, &iterations);
    for (int k = 0; k < 3; k++) {
        move_chain("smoothed", shares[k], 20, soft, &iterations);
        for (int32_t i = 0; i < count; i++) off[k] = fmax(off[k], nb_norm(nb_sub(soft[i], hard[i])));
        print_message("share %g: %.2e m off, %d iterations\n", shares[k], off[k], (int)iterations);
        /* but of the first one, in which frames that begin 0.6 rad apart come together; linear, as J moves */
        assert_true(iterations <= 15);
    }
    CHECK_NEAR(off[0] / off[1], 10, 1); /* in proportion */
    CHECK_NEAR(off[1] / off[2], 10, 1);
    CHECK_BELOW(off[2], 1e-5);
}

RUN_TESTS(a_body_hangs_by_the_share, compliance_stays, motions_come_to_those_of_hard_joints)
