/* Method smoothed on scenarios, by their states alone: contacts found at the end of a step are complete, their points
 * are on their bodies, and their forces account for the change of momentum. */
#include "reason.h"
#include "scenario_run.h"
#include "table/recheck.h"

static nb_run *run_smoothed(const char *scenario, const char *options, int steps) {
    nb_request request = request_of_scenario(scenario, strcmp(scenario, "drop") == 0 ? "set=polytope" : "", steps, 0);
    strcpy(request.info.method, "smoothed");
    strcpy(request.info.linear_solver, "multifrontal");
    request.info.newton_iterations = 20000;
    set_options(options, &request);
    return run(&request);
}

/* The corners that a voussoir opens come back within a step: detection at its end finds nothing below zero. */
TEST(voussoirs_stay_apart) {
    double worst = 0;
    nb_run *made = run_smoothed("arch", "", 40);
    for (int32_t k = 0; k < made->step_count; k++) {
        const double *row = made->steps + (int64_t)k * NB_STEP_COLUMNS;
        assert_true(row[NB_STEP_REASON] == NB_REASON_CONVERGED);
        worst = fmax(worst, row[NB_STEP_MAX_PENETRATION]);
    }
    print_message("arch: %.2g m at most\n", worst);
    CHECK_BELOW(worst, 1e-9);
    nb_run_destroy(made);
}

/* how far the point, in the frame of a body at the start of the step, is from the nearest corner of the body */
static double off_corner(const nb_world *world, const nb_snapshot *final, int32_t body, const double *point) {
    const double *q = final->q_before + 7 * (ptrdiff_t)body;
    const nb_polyhedron *of = &world->shapes[world->bodies[body].shape]->parts[0];
    const nb_vec3 arm = nb_sub(nb_vec3_of(point[0], point[1], point[2]), nb_vec3_of(q[0], q[1], q[2])),
                  own = nb_quat_rotate(nb_quat_conjugate((nb_quat){q[3], q[4], q[5], q[6]}), arm);
    double least = INFINITY;
    for (int32_t v = 0; v < of->vertex_count; v++) least = fmin(least, nb_norm(nb_sub(own, of->vertices[v])));
    return least;
}

/* The points of a polytope that lands are corners of it at the start of the step, though it turns in it. */
TEST(points_are_on_their_body) {
    const nb_scenario_class *scenario;
    double *values, worst = 0, turned = 0;
    nb_world *world;
    int touched = 0;
    for (int steps = 30; steps < 60; steps += 3) {
        nb_run *made = run_smoothed("drop", "", steps);
        const nb_snapshot *final = &made->final;
        CHECK_OK(nb_run_rebuild(made, &scenario, &values, &world));
        for (int32_t i = 0; i < final->contacts; i++) {
            const int32_t body = final->contact_bodies[2 * (ptrdiff_t)i];
            const double *w = final->u + 6 * (ptrdiff_t)body + 3;
            worst = fmax(worst, off_corner(world, final, body, final->contact_point + 3 * (ptrdiff_t)i));
            turned = fmax(turned, final->time_step * nb_norm(nb_vec3_of(w[0], w[1], w[2])));
            touched++;
        }
        nb_world_destroy(world);
        nb_free(values);
        nb_run_destroy(made);
    }
    print_message("%d contacts, off by %.2g m; turned by %.2g rad\n", touched, worst, turned);
    assert_true(touched > 0 && turned > 1e-3);
    CHECK_BELOW(worst, 1e-12);
}

RUN_TESTS(voussoirs_stay_apart, points_are_on_their_body)
