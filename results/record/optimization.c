#include "record/optimization.h"

#include "record/result_file.h"

static const nb_meaning body_axis = {"body", "1", "body, from 0"};
static const nb_meaning state_axis = {"state", "1", "steps done"};
static const nb_meaning row_axis = {"row", "1", "evaluation, from 0"};
static const nb_meaning control_axis = {"control", "1", "control, from 0"};
static const nb_meaning knot_axis = {"knot", "1", "knot of the control trajectories, from 0"};

#define EXTENT(count, plus, axis) \
    { NB_EXTENT_COUNT32, (plus), offsetof(nb_optimization, count), &(axis), 0 }
#define BODIES EXTENT(bodies, 0, body_axis)
#define STATES EXTENT(steps, 1, state_axis)
#define ROWS EXTENT(rows, 0, row_axis)
#define CONTROLS EXTENT(controls, 0, control_axis)
#define KNOTS EXTENT(knots, 0, knot_axis)
#define ARRAY(unit, text, member, KIND, ...) \
    { NB_LINE_ARRAY(#member, unit, text, nb_optimization, member, KIND, __VA_ARGS__) }

static const nb_member members[] = {
    {NB_LINE_PART(nb_optimization, info, nb_run_info_members)},
    {NB_LINE("parameters", nb_optimization, parameters, VALUES)},
    {NB_LINE("seconds", nb_optimization, seconds, REAL)},
    {NB_LINE("bodies", nb_optimization, bodies, COUNT)},
    {NB_LINE("steps", nb_optimization, steps, COUNT)},
    {NB_LINE("controls", nb_optimization, controls, COUNT)},
    {NB_LINE("knots", nb_optimization, knots, COUNT)},
    {NB_LINE("rows", nb_optimization, rows, COUNT)},
    ARRAY("J", "complementarity product of every contact, impulse times velocity (rho)", smoothing, REAL, ROWS),
    ARRAY("1", "cost of the smoothed motion", cost, REAL, ROWS),
    ARRAY("1", "part of the cost that is due to goals", goal_cost, REAL, ROWS),
    ARRAY("1", "largest component of the gradient by the controls, in their units", gradient, REAL, ROWS),
    ARRAY("1", "length of the step that was tried, in units of the controls", step, REAL, ROWS),
    ARRAY("1", "damping of the step that was tried", damping, REAL, ROWS),
    ARRAY("1", "1: the step was taken", taken, INT32, ROWS),
    ARRAY("1", "termination reason of this smoothing, as steps/reason; else 0", reason, INT32, ROWS),
    ARRAY("m", "final distance of the first goal's body, smoothed motion", distance, REAL, ROWS),
    ARRAY("rad", "final angle of the first goal's body, smoothed motion", angle, REAL, ROWS),
    ARRAY("1", "cost of the unsmoothed motion with these controls", exact_cost, REAL, ROWS),
    ARRAY("m", "final distance of the first goal's body, unsmoothed motion", exact_distance, REAL, ROWS),
    ARRAY("rad", "final angle of the first goal's body, unsmoothed motion", exact_angle, REAL, ROWS),
    ARRAY("1", "body of the control", control_body, INT32, CONTROLS),
    ARRAY("1", "input of the control (attribute inputs)", control_input, INT32, CONTROLS),
    ARRAY("SI", "change from knot to knot that costs 1/2", control_unit, REAL, CONTROLS),
    ARRAY("1", "steps done when a knot is reached", knot_step, INT32, KNOTS),
    ARRAY("SI", "initial values of the controls", start, REAL, CONTROLS),
    ARRAY("SI", "control trajectories, initial", first, REAL, KNOTS, CONTROLS),
    ARRAY("SI", "control trajectories, final", best, REAL, KNOTS, CONTROLS),
    ARRAY("s", "time of a state", time, REAL, STATES),
    ARRAY("m, 1", "positions and orientations (w, x, y, z), smoothed motion, initial", q_first, REAL, STATES, BODIES,
          NB_EACH(7)),
    ARRAY("m/s, rad/s", "velocities, smoothed motion, initial", u_first, REAL, STATES, BODIES, NB_EACH(6)),
    ARRAY("m, 1", "positions and orientations, smoothed motion, final", q_best, REAL, STATES, BODIES, NB_EACH(7)),
    ARRAY("m/s, rad/s", "velocities, smoothed motion, final", u_best, REAL, STATES, BODIES, NB_EACH(6)),
    ARRAY("m, 1", "positions and orientations, unsmoothed motion, final controls", q_exact, REAL, STATES, BODIES,
          NB_EACH(7)),
    ARRAY("m/s, rad/s", "velocities, unsmoothed motion, final controls", u_exact, REAL, STATES, BODIES, NB_EACH(6)),
};
const nb_members nb_optimization_members = NB_MEMBERS(nb_optimization, members);

static const char inputs[] = "0-2 place of a hand at the end of a step [m], 12-14 force [N], 15-17 torque [N m]";

void nb_optimization_clear(nb_optimization *optimization) {
    nb_members_clear(&nb_optimization_members, optimization);
}

nb_status nb_optimization_write(const char *path, const nb_optimization *optimization, const char *command,
                                const nb_provenance *provenance) {
    const nb_result_file file = {"ncpbench-optimization", inputs, command, provenance};
    return nb_result_file_write(path, &file, &nb_optimization_members, optimization);
}

nb_status nb_optimization_read(const char *path, nb_optimization *optimization) {
    return nb_result_file_read(path, "ncpbench-optimization", &nb_optimization_members, optimization);
}
