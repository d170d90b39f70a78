/* Scenarios beyond what test_scene_table.c runs: steps that are hard, scenes without a solution, checks that fail, any
 * parameters. */
#include "check.h"

#include <string.h>

#include "base/memory.h"
#include "contact/contact.h"
#include "reason.h"
#include "scenario_run.h"

static nb_request request_of(const char *scenario, const char *settings, int steps) {
    return request_of_scenario(scenario, settings, steps, 1e-10);
}

/* runs so many steps, each of which is solved as far as rho lets it come */
static nb_run *run_single_level(const char *scenario, const char *settings, int steps, const char *rho_unit) {
    nb_request request = request_of(scenario, settings, steps);
    strcpy(request.info.method, "single-level");
    CHECK_OK(nb_request_set_option(&request, "rho-unit", rho_unit));
    *request.info.linear_solver = 0;
    request.info.newton_iterations = 0; /* the method's own */
    request.info.newton_tolerance = 0;
    nb_run *done = run(&request);
    assert_int_equal(done->step_count, steps);
    for (int32_t s = 0; s < steps; s++)
        assert_int_equal((int)done->steps[(ptrdiff_t)s * NB_STEP_COLUMNS + NB_STEP_REASON], NB_REASON_CONVERGED);
    return done;
}

/* in how many iterations of a step the products were brought up, to go on along a path that folds */
static int rises(const nb_run *done, int32_t step) {
    int count = 0, column = nb_run_newton_column(done, "centring");
    for (int64_t row = done->newton_start[step]; row < done->newton_start[step + 1]; row++)
        count += nb_run_newton_number(done, row, column) > 1 + 1e-6;
    return count;
}

/* Steps that Newton's matrix alone does not solve: legs of tables on tops, spheres that flow, disks that jam. Where rho
 * is the product itself, four steps of the spheres follow a path that folds; others do not bring products up more than
 * once, if at all. */
TEST(convex_sets_slide_and_jam) {
    for (int product = 0; product < 2; product++) {
        const char *unit = product ? "product" : "weight";
        nb_run_destroy(run_single_level("piling", "count=10", 24, unit));
        nb_run_destroy(run_single_level("brazil-nut", "count=12 mu=1", 1, unit));
    }
    nb_run_destroy(run_single_level("granular", "count=30", 20, "weight"));
    nb_run *done = run_single_level("granular", "count=30", 20, "product");
    int folded = 0;
    for (int32_t s = 0; s < done->step_count; s++) folded += rises(done, s) >= 10;
    assert_in_range(folded, 2, 6); /* four, and round-off has its say */
    nb_run_destroy(done);
}

/* How far the disks of three-disks have gone in 0.25 s at most, and how far the upper one has risen; NULL: by
 * interior-point. */
static void way_of_disks(const char *settings, int steps, const char *rho, double *way, double *risen) {
    const double radius = 3, top = radius * (1 + sqrt(3)),
                 start[3][2] = {{-radius, radius}, {radius, radius}, {0, top}};
    nb_request request = request_of("three-disks", settings, steps);
    strcpy(request.info.method, rho ? "single-level" : "interior-point");
    *request.info.linear_solver = 0;
    request.info.time_step = 0.25 / steps;
    if (rho) {
        request.info.newton_iterations = 0; /* the method's own */
        request.info.newton_tolerance = 0;
        CHECK_OK(nb_request_set_option(&request, "rho", rho));
    }
    nb_run *done = run(&request);
    *way = 0;
    for (int i = 0; i < 3; i++) {
        const double *q = done->final.q + 7 * (i + 1);
        *way = fmax(*way, fmax(fabs(q[0] - start[i][0]), fabs(q[2] - start[i][1])));
        *risen = q[2] - top;
    }
    nb_run_destroy(done);
}

/* What rho leaves is the same at every time step: velocities of sqrt(rho g L), as of a fall from a gap of rho L. Where
 * impulse times gap was rho m L sqrt(g L), the upper disk rose, and the way at mu = 0.2 and rho = 1e-6 was 26.7
 * and 46.8 mm for 13.6 and 13.2. At mu = 0.3 they stand. */
TEST(rho_leaves_the_same_at_every_step) {
    static const char *const rhos[] = {"1e-4", "1e-6", "1e-8"}, *const settings[] = {"mu=0.2", "mu=0.3"};
    for (int stand = 0; stand < 2; stand++)
        for (int i = 0, steps = 30; i < test_trials(3); i++, steps *= 4) {
            double exact, way, risen;
            way_of_disks(settings[stand], steps, NULL, &exact, &risen);
            if (stand) CHECK_NEAR(exact, 0, 1e-9);
            for (int k = 0; k < 3; k++) {
                way_of_disks(settings[stand], steps, rhos[k], &way, &risen);
                CHECK_NEAR(way, exact, 2 * sqrt(atof(rhos[k]) * 9.81 * 3) * 0.25);
                CHECK_BELOW(risen, 0);
            }
        }
}

/* Where walls lean by less than the friction angle nothing frees the box, whatever the law, and the check says so. */
TEST(boxes_jam) {
    static const char *const methods[] = {"psor", "interior-point", "auto"};
    for (int k = 0; k < 6; k++) {
        nb_request request = request_of("jammed-box", "", 1);
        strcpy(request.info.method, methods[k / 2]);
        *request.info.linear_solver = 0;
        request.info.newton_iterations = 1000; /* the sweeps of psor where none are asked for */
        request.scene.friction_law = k % 2 ? NB_FRICTION_COULOMB : NB_FRICTION_RELAXED;
        nb_run *done = run(&request);
        const nb_reason reason = (nb_reason)done->steps[NB_STEP_REASON];
        if (k % 2)
            assert_false(nb_reason_converged(reason));
        else
            assert_int_equal(reason, NB_REASON_INFEASIBLE);
        assert_true(failures(done, 0) > 0);
        nb_run_destroy(done);
    }
}

/* with as many bodies and joints as the paper's, besides the slot's four sides */
TEST(arms_push_beams) {
    nb_request request = request_of("beam", "arm=1", 20);
    strcpy(request.info.method, "interior-point");
    *request.info.linear_solver = 0;
    nb_run *done = run(&request);
    assert_int_equal(failures(done, 1), 0);
    assert_int_equal(done->info.bodies, 42 + 4);
    assert_int_equal(done->info.joints, 42);
    assert_true(done->final.contacts > 30);
    nb_run_destroy(done);
}

/* what a solver that does nothing leaves must not pass */
TEST(checks_can_fail) {
    static const char *const scenarios[] = {"heavy-stack", "arch", "wall", "incline"};
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        nb_request request = request_of(scenarios[i], "", 10);
        strcpy(request.info.linear_solver, "overhead");
        request.info.newton_iterations = 2;
        nb_run *done = run(&request);
        assert_true(failures(done, 0) >= 2);
        nb_run_destroy(done);
    }
    /* lagged friction creeps at the slip threshold: the closed form says so */
    nb_request request = request_of("incline", "mu=0.5463024898437905", 60);
    request.info.newton_tolerance = 0;
    request.info.newton_iterations = 20;
    nb_run *lagged = run(&request);
    assert_true(failures(lagged, 0) >= 1);
    nb_run_destroy(lagged);
    request = request_of("incline", "mu=0.5463024898437905", 60);
    request.info.newton_iterations = 20;
    CHECK_OK(nb_request_set_option(&request, "finish", "exact"));
    strcpy(request.info.geometry, "frozen");
    nb_run *exact = run(&request);
    assert_int_equal(failures(exact, 1), 0);
    nb_run_destroy(exact);
}

/* nothing overlaps at the start; the same seed gives the same scene, another one another */
TEST(scenes_start_clean_and_repeat) {
    for (int i = 0; nb_scenarios[i]; i++) {
        const nb_scenario_class *scenario = nb_scenarios[i];
        double values[64];
        nb_world *world[3];
        nb_contacts *contacts;
        nb_options_standard(scenario->parameters, scenario->parameter_count, values);
        for (int k = 0; k < 3; k++) CHECK_OK(scenario->build(values, k < 2 ? 7 : 8, &world[k]));
        CHECK_OK(nb_contacts_create(&contacts));
        CHECK_OK(nb_contacts_detect(world[0], scenario->time_step, contacts));
        for (int32_t c = 0; c < contacts->count && strcmp(scenario->name, "jammed-box") != 0; c++)
            if (contacts->items[c].gap < -1e-9)
                fail_msg("%s starts with a gap of %g m", scenario->name, contacts->items[c].gap);
        int same = 1, other = 1;
        for (int32_t b = 0; b < world[0]->body_count; b++) {
            same &= memcmp(&world[0]->bodies[b].position, &world[1]->bodies[b].position, sizeof(nb_vec3)) == 0;
            other &= memcmp(&world[0]->bodies[b].position, &world[2]->bodies[b].position, sizeof(nb_vec3)) == 0;
        }
        assert_true(same);
        static const char *const shuffled[] = {"piling", "humanoids", "granular", "drop"};
        int random = 0;
        for (size_t k = 0; k < sizeof shuffled / sizeof *shuffled; k++) random |= !strcmp(scenario->name, shuffled[k]);
        assert_int_equal(other, !random);
        nb_contacts_destroy(contacts);
        for (int k = 0; k < 3; k++) nb_world_destroy(world[k]);
    }
}

/* a number from the option's range, often one of its ends; counts stay small */
static double random_value(const nb_option *option, uint64_t *seed) {
    if (option->choices) {
        uint64_t count = 0;
        while (option->choices[count]) count++;
        return (double)(test_random_bits(seed) % count);
    }
    double low = option->minimum, high = option->integer ? fmin(option->maximum, 40) : option->maximum;
    double where = test_random(seed, 0, 1);
    if (where < 0.15) return low;
    if (where < 0.3) return high;
    double x = low > 0 ? exp(test_random(seed, log(low), log(high))) : test_random(seed, low, high);
    return option->integer ? floor(x) : x;
}

/* How far bodies may overlap at first, in margins: round-off of coordinates, up to some thousand times the margin. A
 * jammed box is made to be in by as much as half of it; two random offsets, of 50 margins times `offset` each, may add
 * up. */
static double overlap(const nb_scenario_class *scenario, const double *values) {
    if (strcmp(scenario->name, "jammed-box") == 0) return 0.5000001;
    for (int32_t k = 0; k < scenario->parameter_count; k++)
        if (strcmp(scenario->parameters[k].name, "offset") == 0) return 1e-7 + 2 * 50 * values[k];
    return 1e-7;
}

/* Whatever the ranges allow is built without other overlaps, or refused in a line that names the scenario. */
TEST(any_parameters_build_cleanly_or_are_refused) {
    uint64_t seed = test_seed();
    const int trials = test_trials(48);
    for (int i = 0; nb_scenarios[i]; i++) {
        const nb_scenario_class *scenario = nb_scenarios[i];
        int built = 0;
        for (int trial = 0; trial < trials; trial++) {
            double values[64];
            nb_world *world;
            nb_contacts *contacts;
            nb_options_standard(scenario->parameters, scenario->parameter_count, values);
            for (int changes = 0; changes < 3; changes++) {
                size_t k = test_random_bits(&seed) % (uint64_t)scenario->parameter_count;
                values[k] = random_value(&scenario->parameters[k], &seed);
            }
            nb_status status = scenario->build(values, test_random_bits(&seed), &world);
            if (status != NB_OK) {
                assert_int_equal(status, NB_ERROR_USAGE);
                assert_non_null(strstr(nb_error_message(), scenario->name));
                assert_null(world);
                continue;
            }
            built++;
            CHECK_OK(nb_contacts_create(&contacts));
            CHECK_OK(nb_contacts_detect(world, scenario->time_step, contacts));
            for (int32_t c = 0; c < contacts->count; c++)
                CHECK_BELOW(-contacts->items[c].gap, overlap(scenario, values) * world->settings.contact_margin);
            nb_contacts_destroy(contacts);
            nb_world_destroy(world);
        }
        assert_true(built > trials / 4);
    }
}

/* what the paper counts: 134 contacts of the arch, about 300 of the beam, 936 of the tables; here with its own
 * iterations. How the tables come to lie is chaotic: four seeds and the roundings of different builds and instruction
 * sets gave 746 to 931. */
TEST(contacts_are_about_as_many_as_the_papers) {
    static const struct {
        const char *name;
        int steps, least, most;
    } known[] = {{"arch", 60, 120, 140}, {"beam", 132, 240, 320}, {"piling", 150, 650, 1050}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        nb_request request;
        nb_request_standard(&request);
        snprintf(request.info.scenario, sizeof request.info.scenario, "%s", known[i].name);
        request.info.steps = known[i].steps;
        request.linear_history = 0;
        nb_run *done = run(&request);
        print_message("%s: %d contacts\n", known[i].name, done->final.contacts);
        assert_in_range(done->final.contacts, known[i].least, known[i].most);
        nb_run_destroy(done);
    }
}

/* boxes that stand on each other from the start, for measuring: about 15 contacts a box */
TEST(piles_of_boxes_touch_at_once) {
    const nb_scenario_class *piling = NULL;
    double values[64];
    nb_world *world;
    nb_contacts *contacts;
    static const char *const settings[][2] = {{"count", "3000"}, {"shape", "box"}, {"spacing", "0"},
                                              {"tilt", "0"},     {"yaw", "0"},     {"stagger", "0.5"}};
    for (int i = 0; nb_scenarios[i]; i++)
        if (strcmp(nb_scenarios[i]->name, "piling") == 0) piling = nb_scenarios[i];
    nb_options_standard(piling->parameters, piling->parameter_count, values);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        CHECK_OK(nb_options_set(piling->parameters, piling->parameter_count, "piling", settings[i][0], settings[i][1],
                                values));
    CHECK_OK(piling->build(values, 1, &world));
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_contacts_detect(world, piling->time_step, contacts));
    assert_true(contacts->count > 13 * 3000);
    int touching = 0;
    for (int32_t c = 0; c < contacts->count; c++) touching += fabs(contacts->items[c].gap) < 1e-9;
    assert_true(touching > 12 * 3000);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

TEST(impossible_parameters_are_named) {
    nb_request request = request_of("arch", "count=2", 1);
    CHECK_FAULT(nb_simulate_prepare(&request), NB_ERROR_USAGE, "count = 2 is out of range");
    request = request_of("arch", "cuont=5", 1);
    CHECK_FAULT(nb_simulate_prepare(&request), NB_ERROR_USAGE, "did you mean 'count'");
    request = request_of("piling", "shape=cube", 1);
    CHECK_FAULT(nb_simulate_prepare(&request), NB_ERROR_USAGE, "shape");
    nb_run *none;
    request = request_of("heavy-stack", "count=150", 1);
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_FAULT(nb_simulate(&request, NULL, NULL, &none), NB_ERROR_USAGE, "count = 150 and mass-ratio = 8");
    nb_run_destroy(none);
    nb_free(request.info.parameters);
    request = request_of("arch", "rise=0.01", 1);
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_FAULT(nb_simulate(&request, NULL, NULL, &none), NB_ERROR_USAGE, "rise = 0.01 m");
    nb_run_destroy(none);
    nb_free(request.info.parameters);
    request = request_of("wall", "width=1.5", 1);
    CHECK_FAULT(nb_simulate_prepare(&request), NB_ERROR_USAGE, "whole number");
}

RUN_TESTS(convex_sets_slide_and_jam, rho_leaves_the_same_at_every_step, boxes_jam, arms_push_beams, checks_can_fail,
          scenes_start_clean_and_repeat, any_parameters_build_cleanly_or_are_refused,
          contacts_are_about_as_many_as_the_papers, piles_of_boxes_touch_at_once, impossible_parameters_are_named)
