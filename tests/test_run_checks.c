/* Checks of whole runs: what a scene begins with, how deep bodies are in each other in any of its steps, and bounds
 * that follow the tolerance. */
#include "../scenarios/common.h"
#include "measure/infeasibility.h"
#include "measure/start_errors.h"
#include "scenario_run.h"

static const nb_check *find(const nb_run *run, const char *name) {
    for (int i = 0; i < run->checks.count; i++)
        if (strcmp(run->checks.items[i].name, name) == 0) return &run->checks.items[i];
    fail_msg("no check '%s'", name);
    return NULL;
}

/* ---- the start ---- */

/* a ball this high above the ground, held by a joint that is this far and by this angle off */
static nb_start_errors look(double height, double off, double angle, char *text, size_t size) {
    static const double rigid[6] = {0};
    nb_start_errors errors;
    nb_world *world;
    nb_shape *ball;
    int32_t index, ground, body;
    CHECK_OK(nb_world_create(&world));
    world->settings.contact_margin = 0.01;
    CHECK_OK(nb_add_ground(world, 0.5, nb_quat_identity(), &ground));
    CHECK_OK(nb_shape_sphere(0.5, &ball));
    CHECK_OK(nb_world_add_shape(world, ball, &index));
    CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, index, 1, 0.5, nb_vec3_of(0, 0, 0.5 + height),
                                nb_quat_identity(), &body));
    CHECK_OK(
        nb_world_add_joint_at(world, NB_JOINT_FIXED, -1, body, nb_vec3_of(0, 0, 3), nb_quat_identity(), rigid, &index));
    world->joints[index].anchor_a = nb_add(world->joints[index].anchor_a, nb_vec3_of(off, 0, 0));
    world->joints[index].frame_a = nb_quat_about(nb_vec3_of(0, 1, 0), angle);
    CHECK_OK(nb_start_errors_of(world, &errors));
    nb_start_errors_describe(world, &errors, text, size);
    print_message("'%s'\n", text);
    nb_world_destroy(world);
    return errors;
}

TEST(a_start_tells_its_errors) {
    char text[256];
    nb_start_errors errors = look(0, 0, 0, text, sizeof text);
    CHECK_BELOW(errors.penetration + errors.apart + errors.turned, 1e-14);
    assert_string_equal(text, "");
    errors = look(-0.2, 1, 0.5, text, sizeof text);
    CHECK_NEAR(errors.penetration, 0.2, 1e-14);
    CHECK_NEAR(errors.apart, 1, 1e-14);
    CHECK_NEAR(errors.turned, 0.5, 1e-14);
    assert_non_null(strstr(text, "body 1 (sphere) is 0.2 m deep in body 0 (half-space)"));
    assert_non_null(strstr(text, "joint 0 of the world and body 1 is 1 m apart"));
    assert_non_null(strstr(text, "is 0.5 rad off"));
    (void)look(-0.9e-4, 0.9e-4, 0.9e-3, text, sizeof text); /* the shares of the margin, and of a turn */
    assert_string_equal(text, "");
    (void)look(-1.1e-4, 0, 0, text, sizeof text);
    assert_non_null(strstr(text, "is 0.00011 m deep"));
}

/* ---- all steps ---- */

/* Disks in a box that goes to and fro at 20 m/s meet in a step whose start had them far apart. The state at the end of
 * the run says nothing of it. */
TEST(penetration_of_any_step_is_noticed) {
    for (int verified = 0; verified < 2; verified++) {
        nb_request request = request_of_scenario("brazil-nut", "count=40 amplitude=4", 40, 0);
        strcpy(request.info.method, "auto");
        *request.info.linear_solver = '\0';
        request.info.newton_iterations = 0;
        request.info.time_step = 0.1;
        if (verified) request.scene.verify_contacts = 1e-3;
        nb_run *made = run(&request);
        const nb_check *deepest = find(made, "deepest penetration of all steps");
        print_message("%g m, %g m allowed\n", deepest->actual, deepest->tolerance);
        assert_int_equal(deepest->passed, verified);
        assert_true(find(made, "penetration over the contact margin")->passed);
        if (!verified) assert_true(deepest->actual > 0.1);
        nb_run_destroy(made);
    }
}

TEST(only_a_jam_may_begin_jammed) {
    nb_request request = request_of_scenario("jammed-box", "", 1, 1e-8);
    nb_run *made = run(&request);
    const nb_check *start = find(made, "penetration at the start");
    CHECK_NEAR(start->actual, 5e-4, 1e-12);
    assert_true(start->passed && *start->premise);
    assert_non_null(strstr(made->start_words, "0.0005 m deep"));
    nb_run_destroy(made);
}

/* ---- thickness ---- */

/* Points of thick contacts lie apart: forces along the faces have arms to where each of the two bodies ends. */
TEST(thickness_is_part_of_the_arms) {
    for (int i = 0; i < 2; i++) {
        nb_request request = request_of_scenario("disks", "", 5, 1e-10);
        strcpy(request.info.method, "auto");
        *request.info.linear_solver = '\0';
        request.info.newton_iterations = 0;
        strcpy(request.info.geometry, i ? "updated" : "joints");
        request.scene.contact_thickness = 1e-3;
        nb_run *made = run(&request);
        assert_true(find(made, "angular momentum defect over weight times radius")->passed);
        assert_true(made->final.contacts > 40);
        nb_run_destroy(made);
    }
}

/* ---- bounds ---- */

/* As a force over the weight: 1e-8 m/s over steps of 1e-4 s is more than 1e-5, and no step above 1e-6 m/s is solved. */
TEST(bounds_follow_the_tolerance) {
    static const struct {
        double h, tolerance, bound;
    } known[] = {{1e-2, 1e-8, 1e-5}, {1e-4, 1e-8, 1.7656e-5}, {1e-4, 0, 1e-5}, {1e-2, 1e-2, 1.7656e-5}};
    for (int i = 0; i < 4; i++) {
        nb_request request = request_of_scenario("incline", "", 1, known[i].tolerance);
        request.info.time_step = known[i].h;
        nb_run *made = run(&request);
        CHECK_NEAR(find(made, "momentum defect over a body's weight")->tolerance, known[i].bound, 1e-9);
        CHECK_NEAR(find(made, "friction beyond the cone over a body's weight")->tolerance, known[i].bound, 1e-9);
        nb_run_destroy(made);
    }
}

RUN_TESTS(a_start_tells_its_errors, penetration_of_any_step_is_noticed, only_a_jam_may_begin_jammed,
          thickness_is_part_of_the_arms, bounds_follow_the_tolerance)
