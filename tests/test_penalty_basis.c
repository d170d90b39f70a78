/* --basis-derivatives and --cavity-derivatives of method smoothed: the same motion, in fewer Newton iterations where
 * normals turn, or a cavity's pressure changes. */
#include "scenario_run.h"

static nb_run *move(const char *scenario, const char *settings, int steps, const char *option) {
    nb_request request = request_of_scenario(scenario, settings, steps, 0);
    strcpy(request.info.method, "smoothed");
    strcpy(request.info.linear_solver, "multifrontal");
    request.info.newton_iterations = 1000;
    set_options(option, &request);
    return run(&request);
}

/* the rows of steps, less the last of each */
static int64_t iterations_of(const nb_run *run) {
    return run->newton_start[run->step_count] - run->step_count;
}

/* an ellipse that falls on a table and rocks, and spheres that fall on each other */
TEST(the_motion_is_the_same_in_fewer_iterations) {
    static const struct {
        const char *scenario, *settings;
        int steps;
    } scenes[] = {{"ellipse", "", 40}, {"piling", "shape=sphere count=5 spacing=0.05 stagger=0.5", 30}};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        nb_run *without = move(scenes[k].scenario, scenes[k].settings, scenes[k].steps, ""),
               *with = move(scenes[k].scenario, scenes[k].settings, scenes[k].steps, "basis-derivatives=on");
        double worst = 0;
        for (int i = 0; i < 7 * without->info.bodies; i++)
            worst = fmax(worst, fabs(with->final.q[i] - without->final.q[i]));
        print_message("%s: %d iterations, %d without; %.1e m apart\n", scenes[k].scenario, (int)iterations_of(with),
                      (int)iterations_of(without), worst);
        CHECK_BELOW(worst, 1e-6); /* the residual's tolerance */
        CHECK_BELOW((double)iterations_of(with), 0.95 * (double)iterations_of(without));
        nb_run_destroy(with);
        nb_run_destroy(without);
    }
}

/* Without the change of pressure the matrix knows nothing of what holds the volume. */
TEST(a_squeezed_ball_takes_more_without_its_pressure) {
    static const char settings[] = "frequency=2 volume=quadratic duration=0.1";
    nb_run *whole = move("ball-squish", settings, 12, ""),
           *sparse = move("ball-squish", settings, 12, "cavity-derivatives=sparse");
    double worst = 0;
    for (int i = 0; i < 3 * whole->final.particles; i++)
        worst = fmax(worst, fabs(whole->final.particle_x[i] - sparse->final.particle_x[i]));
    print_message("%d iterations, %d without; %.1e m apart\n", (int)iterations_of(whole), (int)iterations_of(sparse),
                  worst);
    CHECK_BELOW(worst, 1e-6); /* the residual's tolerance */
    CHECK_BELOW(1.5 * (double)iterations_of(whole), (double)iterations_of(sparse));
    nb_run_destroy(whole);
    nb_run_destroy(sparse);
}

TEST(lagged_friction_stays_symmetric) {
    nb_request request = request_of_scenario("ellipse", "", 1, 0);
    strcpy(request.info.method, "smoothed");
    set_options("basis-derivatives=on friction-coupling=lagged", &request);
    CHECK_FAULT(nb_simulate_prepare(&request), NB_ERROR_USAGE, "requires --friction-coupling implicit");
    nb_free(request.info.parameters);
}

RUN_TESTS(the_motion_is_the_same_in_fewer_iterations, a_squeezed_ball_takes_more_without_its_pressure,
          lagged_friction_stays_symmetric)
