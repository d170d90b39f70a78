/* Where runs with springs for contacts begin: as the scene has them, raised to a gap, or loaded. */
#include "contact/contact.h"
#include "run/scene_run.h"
#include "scenario_run.h"

NB_PRECISIONS(f64);

static const double delta = 1e-3, gravity = 9.81;

/* the scene as a run begins with it */
static void build(nb_request *request, const char *scenario, const char *settings, const char *contact,
                  nb_scene_run *scene) {
    *request = request_of_scenario(scenario, settings, 3, 0);
    strcpy(request->info.method, "smoothed");
    request->info.linear_solver[0] = '\0'; /* the method's own */
    request->info.newton_iterations = 1000;
    CHECK_OK(nb_request_set_option(request, "initial-contact", contact));
    CHECK_OK(nb_simulate_prepare(request));
    *scene = (nb_scene_run){.request = request};
    CHECK_OK(nb_scene_run_build(scene));
}

static void drop(nb_request *request, nb_scene_run *scene) {
    nb_scene_run_clear(scene);
    nb_free(request->info.parameters);
}

/* the least gap of contacts that something lies on */
static double least_gap(nb_scene_run *scene) {
    double least = INFINITY;
    scene->world->settings.contact_margin = fmax(scene->world->settings.contact_margin, 2 * delta);
    CHECK_OK(nb_contacts_detect(scene->world, 0, scene->contacts));
    for (int32_t i = 0; i < scene->contacts->count; i++)
        if (fabs(scene->contacts->items[i].normal.z) > 0.5) least = fmin(least, scene->contacts->items[i].gap);
    return least;
}

static double mass_of(const nb_world *world) {
    double sum = 0;
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == NB_BODY_DYNAMIC) sum += world->bodies[i].mass;
    return sum;
}

static const char *const starts[] = {"touching", "gap", "loaded"};

/* A wall of bricks that touch at gap 0 jumps. Raised by a gap a course it falls by some of that, and loaded it rests:
 * the first step has a ten-thousandth of the energy of a fall by delta. Bricks touch sideways, too, and the friction of
 * loading, which held them there, is gone. */
TEST(a_loaded_wall_rests) {
    double energy[3];
    for (int k = 0; k < 3; k++) {
        nb_request request;
        nb_scene_run scene;
        double row[NB_STEP_COLUMNS];
        build(&request, "wall", "width=3 height=4", starts[k], &scene);
        const double least = least_gap(&scene), fall = mass_of(scene.world) * gravity * delta;
        for (int32_t i = 0; i < scene.world->body_count; i++)
            assert_true(nb_norm(scene.world->bodies[i].linear_velocity) == 0);
        if (k == 0) CHECK_NEAR(least, 0, 1e-12);
        if (k == 1) CHECK_NEAR(least, delta, 1e-12); /* round-off of positions up to a metre */
        if (k == 2) assert_true(least > 0.3 * delta && least < 0.7 * delta);
        CHECK_OK(nb_scene_run_advance(&scene, NULL, NB_START_ZERO, NULL, row));
        energy[k] = row[NB_STEP_KINETIC_ENERGY] / fall;
        print_message("%s: least gap %.3g m, then %.3g of a fall by delta\n", starts[k], least, energy[k]);
        assert_true(scene.world->time == request.info.time_step); /* no time has passed before */
        drop(&request, &scene);
    }
    assert_true(energy[0] > 1 && energy[1] < 1);
    CHECK_BELOW(energy[2], 1e-3);
}

/* What slides keeps its velocity, friction and place along the slope while it is loaded. */
TEST(what_slides_goes_on) {
    nb_request request[2];
    nb_scene_run scene[2];
    for (int k = 0; k < 2; k++) build(&request[k], "incline", "", starts[2 * k], &scene[k]);
    const nb_world *was = scene[0].world, *is = scene[1].world;
    const nb_vec3 up = nb_scale(-1 / nb_norm(was->gravity), was->gravity);
    assert_int_equal(was->body_count, is->body_count);
    for (int32_t i = 0; i < was->body_count; i++) {
        const nb_body *a = &was->bodies[i], *b = &is->bodies[i];
        assert_memory_equal(&a->linear_velocity, &b->linear_velocity, sizeof a->linear_velocity);
        assert_true(a->friction == b->friction && a->kind == b->kind);
        CHECK_BELOW(nb_norm(nb_sub(a->position, b->position)), 2 * delta);
        if (a->kind == NB_BODY_DYNAMIC) assert_true(nb_dot(up, nb_sub(b->position, a->position)) > 0.1 * delta);
    }
    for (int k = 0; k < 2; k++) drop(&request[k], &scene[k]);
}

/* The friction of loading is no more than static friction, which sliding may not pass. One spring carries the box of
 * `stick-slip` at half of delta, and its four do at three quarters. */
TEST(loading_takes_static_friction) {
    nb_request request;
    nb_scene_run scene;
    build(&request, "stick-slip", "", "loaded", &scene);
    CHECK_NEAR(least_gap(&scene), 0.75 * delta, 1e-5 * delta);
    drop(&request, &scene);
}

/* A block on a slope of 1.2 rad slides even with the friction of loading, 2 < tan(1.2), and does not come to rest. */
TEST(what_does_not_rest_is_said) {
    nb_request request = request_of_scenario("incline", "angle=1.2", 3, 0);
    strcpy(request.info.method, "smoothed");
    request.info.linear_solver[0] = '\0';
    request.info.newton_iterations = 1000;
    CHECK_OK(nb_request_set_option(&request, "initial-contact", "loaded"));
    CHECK_OK(nb_simulate_prepare(&request));
    nb_scene_run scene = {.request = &request};
    assert_int_equal(nb_scene_run_build(&scene), NB_ERROR_NUMERIC);
    assert_non_null(strstr(nb_error_message(), "--initial-contact loaded: after 100 steps bodies still move"));
    drop(&request, &scene);
}

RUN_TESTS(a_loaded_wall_rests, what_slides_goes_on, loading_takes_static_friction, what_does_not_rest_is_said)
