/* Controlled motions: their derivatives against differences, and optima that are known: free flight under forces, a
 * fingertip that goes to a target by itself. And the grasp, whose plan is bettered. */
#include "run/optimize.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "run/prepare.h"
#include "step_gradient.h"

/* prepared; the caller frees its parameters */
static nb_request request_by(const char *method, const char *scenario, int steps, int settings,
                             const char *const (*setting)[2]) {
    nb_request request;
    nb_request_standard(&request);
    snprintf(request.info.scenario, sizeof request.info.scenario, "%s", scenario);
    snprintf(request.info.method, sizeof request.info.method, "%s", method);
    request.info.steps = steps;
    request.info.newton_tolerance = strcmp(method, "single-level") == 0 ? 0 : 1e-9;
    for (int i = 0; i < settings; i++) {
        snprintf(request.settings[i].name, sizeof request.settings[i].name, "%s", setting[i][0]);
        snprintf(request.settings[i].value, sizeof request.settings[i].value, "%s", setting[i][1]);
    }
    request.setting_count = settings;
    CHECK_OK(nb_simulate_prepare(&request));
    return request;
}

static nb_request request_of(const char *scenario, int steps, int settings, const char *const (*setting)[2]) {
    return request_by("auto", scenario, steps, settings, setting);
}

/* ---- derivatives ---- */

typedef struct space {
    double time[64], q[64 * 7 * 6], u[64 * 6 * 6];
} space;

static double state_number(const nb_controlled_motion *m, const nb_trajectory *trajectory, int32_t body, int n) {
    return n < 3 ? nb_trajectory_q(m, trajectory, m->steps)[7 * (ptrdiff_t)body + n]
                 : nb_trajectory_u(m, trajectory, m->steps)[6 * (ptrdiff_t)body + n - 3];
}

/* Places and velocities of the box and both fingers at the end, by every knot: before they touch, when they grip, on
 * their way. */
static void check_derivatives(const char *method, int steps, double rho, double tolerance) {
    nb_request request = request_by(method, "grasp", steps, 0, NULL);
    nb_controlled_motion m = {.request = &request};
    static space room[2];
    const nb_trajectory below = {room[0].time, room[0].q, room[0].u}, above = {room[1].time, room[1].q, room[1].u};
    double knots[3 * 6], *columns, width = 1e-6, largest = 0, off = 0;
    CHECK_OK(nb_controlled_motion_open(&m, 3));
    assert_int_equal(m.unknowns, 18);
    /* aside a little: where nothing at all slides the smoothed step has a kink, |v_t| */
    for (int k = 0; k < 18; k++) knots[k] = m.plan[k] + 1e-3 * sin(1 + 2.3 * k);
    CHECK_OK(NB_ALLOCATE(18 * 12 * (int64_t)m.bodies, &columns));
    CHECK_OK(nb_controlled_motion_move(&m, knots, rho, 1, &below));
    memcpy(columns, m.columns, 18 * 12 * (size_t)m.bodies * sizeof *columns);
    for (int k = 0; k < 18; k++) {
        knots[k] += width;
        CHECK_OK(nb_controlled_motion_move(&m, knots, rho, 0, &above));
        knots[k] -= 2 * width;
        CHECK_OK(nb_controlled_motion_move(&m, knots, rho, 0, &below));
        knots[k] += width;
        for (int32_t body = 1; body < m.bodies; body++)
            for (int n = 0; n < 9; n++) {
                double difference =
                    (state_number(&m, &above, body, n) - state_number(&m, &below, body, n)) / (2 * width);
                double own = columns[12 * (m.bodies * k + body) + (n < 3 ? n : n + 3)];
                if (body % 2 == 1 && body > 1) continue; /* a hand: it is the control itself */
                largest = fmax(largest, fabs(difference));
                off = fmax(off, fabs(own - difference));
            }
    }
    print_message("%s, %d steps, rho %g: largest %g, off by %g\n", method, steps, rho, largest, off);
    assert_true(largest > 0.3);
    CHECK_BELOW(off, tolerance * largest);
    nb_free(columns);
    nb_controlled_motion_close(&m);
    nb_free(request.info.parameters);
}

TEST(columns_are_differences_of_the_motion) {
    check_derivatives("auto", 6, 3e-3, 1e-6);
    check_derivatives("auto", 16, 3e-3, 1e-6);
    check_derivatives("auto", 16, 1e-4, 1e-6);
    check_derivatives("auto", 30, 3e-3, 1e-6);
    check_derivatives("single-level", 6, 1e-3, 1e-6);
    check_derivatives("single-level", 16, 1e-3, 1e-6);
    check_derivatives("single-level", 16, 1e-4, 1e-6);
    check_derivatives("single-level", 30, 1e-3, 1e-6);
}

/* ---- free flight ---- */

static const double MASS = 2, HEIGHT = 50, TARGET_Z = 60, PLACE_UNIT = 0.1, SPEED_UNIT = 0.5, FORCE_UNIT = 30;

static nb_status build_flight(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    nb_shape *ball;
    int32_t shape, body;
    (void)p, (void)seed;
    NB_TRY(nb_world_create(world));
    NB_TRY(nb_shape_sphere(0.1, &ball));
    NB_TRY(nb_world_add_shape(*world, ball, &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, MASS, 0.5, nb_vec3_of(0, 0, HEIGHT), nb_quat_identity(),
                              &body));
    (*world)->gravity = nb_vec3_of(0, 0, -9.81);
out:
    return status;
}

static void set_flight(const double *p, nb_task *task) {
    (void)p;
    task->controls[task->control_count++] = (nb_control){.body = 0, .input = NB_INPUT_FORCE + 2, .unit = FORCE_UNIT};
    task->goals[task->goal_count++] = (nb_goal){.body = 0,
                                                .position = nb_vec3_of(0, 0, TARGET_Z),
                                                .orientation = nb_quat_identity(),
                                                .place_unit = PLACE_UNIT,
                                                .velocity_unit = SPEED_UNIT};
}

static const nb_scenario_class flight = {.name = "flight", .build = build_flight, .set_task = set_flight};

/* One force that grows from 0 to f: places and velocities are linear in f, and so the least is known. */
TEST(a_flight_takes_the_least_force) {
    const int steps = 40;
    nb_request request = request_of("grasp", steps, 0, NULL);
    request.choices.scenario = &flight;
    nb_optimize_request what = nb_optimize_standard();
    what.knots = 1;
    what.tolerance = 1e-15;
    nb_optimization o = {0};
    CHECK_OK(nb_optimize(&request, &what, &o));
    double h = request.info.time_step, z = HEIGHT, v = 0, dz = 0, dv = 0; /* at f = 0, and by f */
    for (int k = 0; k < steps; k++) {
        v -= h * 9.81;
        dv += h * (k + 1) / steps / MASS;
        z += h * v;
        dz += h * dv;
    }
    double a = dz / PLACE_UNIT, b = dv / SPEED_UNIT, c = 1 / FORCE_UNIT;
    double least = -(a * (z - TARGET_Z) / PLACE_UNIT + b * v / SPEED_UNIT) / (a * a + b * b + c * c);
    double cost = 0.5 * (pow(a * least + (z - TARGET_Z) / PLACE_UNIT, 2) + pow(b * least + v / SPEED_UNIT, 2) +
                         pow(c * least, 2));
    CHECK_NEAR(o.best[0], least, 1e-6 * fabs(least));
    CHECK_NEAR(o.cost[o.rows - 1], cost, 1e-9 * cost);
    CHECK_NEAR(o.exact_cost[o.rows - 1], cost, 1e-9 * cost); /* nothing is in contact: nothing is smoothed */
    CHECK_NEAR(o.goal_cost[0], 0.5 * (pow((z - TARGET_Z) / PLACE_UNIT, 2) + pow(v / SPEED_UNIT, 2)), 1e-9 * cost);
    CHECK_NEAR(o.distance[0], TARGET_Z - z, 1e-9);
    assert_true(o.rows <= 3 * 12 && o.smoothing[0] == 3e-3 && o.smoothing[o.rows - 1] == 3e-5);
    nb_optimization_clear(&o);
    nb_free(request.info.parameters);
}

/* ---- turns ---- */

static void set_turn(const double *p, nb_task *task) {
    (void)p;
    for (int k = 0; k < 3; k++)
        task->controls[task->control_count++] = (nb_control){.body = 0, .input = NB_INPUT_FORCE + 3 + k, .unit = 1e6};
    task->goals[task->goal_count++] = (nb_goal){
        .body = 0,
        .orientation = nb_quat_about(nb_normalized(nb_vec3_of(1, -2, 0.5)), 1.8),
        .turn_unit = 0.01,
    };
}

/* Any turn is reached where torques cost next to nothing, if the derivative of its error is right: to round-off, since
 * near the goal Gauss-Newton steps converge quadratically. */
TEST(a_turn_is_reached) {
    static const nb_scenario_class turning = {.name = "turning", .build = build_flight, .set_task = set_turn};
    nb_request request = request_of("grasp", 20, 0, NULL);
    request.choices.scenario = &turning;
    nb_optimize_request what = nb_optimize_standard();
    what.knots = 1;
    what.smoothing_count = 1;
    what.tolerance = 1e-12;
    nb_optimization o = {0};
    CHECK_OK(nb_optimize(&request, &what, &o));
    CHECK_NEAR(o.angle[0], 1.8, 1e-12);
    CHECK_BELOW(o.angle[o.rows - 1], 1e-9);
    assert_true(o.rows < 20);
    nb_optimization_clear(&o);
    nb_free(request.info.parameters);
}

/* ---- the grasp ---- */

/* From its plan, which springs and rolling fingertips keep off the goal: the pose is reached, and by the motion that is
 * not smoothed as well where the smoothing is small. */
TEST(a_grasp_comes_to_its_pose) {
    nb_request request = request_of("grasp", 50, 0, NULL);
    nb_optimize_request what = nb_optimize_standard();
    what.knots = 5;
    what.smoothing_count = 1;
    what.smoothing[0] = 1e-4;
    what.iterations = 9;
    nb_optimization o = {0};
    CHECK_OK(nb_optimize(&request, &what, &o));
    assert_true(o.exact_distance[0] > 2e-3 && o.exact_angle[0] > 0.05);
    int32_t last = o.rows - 1;
    CHECK_BELOW(o.distance[last], 2e-4);
    CHECK_BELOW(o.angle[last], 2e-3);
    CHECK_BELOW(o.exact_distance[last], 6e-4);
    CHECK_BELOW(o.exact_angle[last], 0.01);
    for (int32_t row = 1; row < o.rows; row++) assert_true(o.cost[row] <= o.cost[row - 1]);
    /* the plan's trajectories are first, and the motion of the end ends where the last row says */
    CHECK_NEAR(o.first[0], o.start[0] + 0.032, 1e-12); /* the left hand has closed: the gap, and 12 N over 1000 N/m */
    CHECK_NEAR(hypot(hypot(o.q_best[(50 * 6 + 1) * 7] - 0.1, o.q_best[(50 * 6 + 1) * 7 + 1]),
                     o.q_best[(50 * 6 + 1) * 7 + 2] - 0.15),
               o.distance[last], 1e-12);
    nb_optimization_clear(&o);
    nb_free(request.info.parameters);
}

TEST(without_a_task_it_is_refused) {
    nb_request request = request_of("incline", 5, 0, NULL);
    nb_optimize_request what = nb_optimize_standard();
    nb_optimization o = {0};
    CHECK_FAULT(nb_optimize(&request, &what, &o), NB_ERROR_USAGE, "'incline' has no controls");
    nb_optimization_clear(&o);
    nb_free(request.info.parameters);
    nb_request few = request_of("grasp", 5, 0, NULL);
    CHECK_FAULT(nb_optimize(&few, &what, &o), NB_ERROR_USAGE, "--knots 10: the motion has 5 steps");
    nb_optimization_clear(&o);
    nb_free(few.info.parameters);
}

RUN_TESTS(columns_are_differences_of_the_motion, a_flight_takes_the_least_force, a_turn_is_reached,
          a_grasp_comes_to_its_pose, without_a_task_it_is_refused)
