#include "record/optimization.h"

#include "reason.h"
#include "record/result_file.h"

static const nb_meaning body_axis = {"body", "1", "body, from 0"};
static const nb_meaning state_axis = {"state", "1", "steps done"};
static const nb_meaning row_axis = {"row", "1", "evaluation, from 0"};
static const nb_meaning control_axis = {"control", "1", "control, from 0"};
static const nb_meaning knot_axis = {"knot", "1", "knot of the controls' courses, from 0"};

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
    ARRAY("J", "impulse times velocity in every contact", smoothing, REAL, ROWS),
    ARRAY("1", "cost of the smoothed motion", cost, REAL, ROWS),
    ARRAY("1", "the part of it that goals have", goal_cost, REAL, ROWS),
    ARRAY("1", "largest component of the gradient by the controls, in their units", gradient, REAL, ROWS),
    ARRAY("1", "length of the step that was tried, in units of the controls", step, REAL, ROWS),
    ARRAY("1", "damping of the step that was tried", damping, REAL, ROWS),
    ARRAY("1", "1: the step was taken", taken, INT32, ROWS),
    ARRAY("1", "why this smoothing ended here: " NB_REASON_LEGEND, reason, INT32, ROWS),
    ARRAY("m", "of the first goal's body from it, smoothed motion", distance, REAL, ROWS),
    ARRAY("rad", "of the first goal's body from it, smoothed motion", angle, REAL, ROWS),
    ARRAY("1", "cost of the motion that is not smoothed, with these controls", exact_cost, REAL, ROWS),
    ARRAY("m", "of the first goal's body from it, motion that is not smoothed", exact_distance, REAL, ROWS),
    ARRAY("rad", "of the first goal's body from it, motion that is not smoothed", exact_angle, REAL, ROWS),
    ARRAY("1", "the body that a control is of", control_body, INT32, CONTROLS),
    ARRAY("1", "the input: see the attribute inputs", control_input, INT32, CONTROLS),
    ARRAY("SI", "a change of so much from knot to knot costs 1/2", control_unit, REAL, CONTROLS),
    ARRAY("1", "steps done when a knot is reached", knot_step, INT32, KNOTS),
    ARRAY("SI", "what the controls' courses begin with", start, REAL, CONTROLS),
    ARRAY("SI", "courses of the controls at first", first, REAL, KNOTS, CONTROLS),
    ARRAY("SI", "courses of the controls in the end", best, REAL, KNOTS, CONTROLS),
    ARRAY("s", "time of a state", time, REAL, STATES),
    ARRAY("m, 1", "places and orientations (w, x, y, z), the smoothed motion at first", q_first, REAL, STATES, BODIES,
          NB_EACH(7)),
    ARRAY("m/s, rad/s", "velocities, the smoothed motion at first", u_first, REAL, STATES, BODIES, NB_EACH(6)),
    ARRAY("m, 1", "places and orientations, the smoothed motion in the end", q_best, REAL, STATES, BODIES, NB_EACH(7)),
    ARRAY("m/s, rad/s", "velocities, the smoothed motion in the end", u_best, REAL, STATES, BODIES, NB_EACH(6)),
    ARRAY("m, 1", "places and orientations, not smoothed, with the controls of the end", q_exact, REAL, STATES, BODIES,
          NB_EACH(7)),
    ARRAY("m/s, rad/s", "velocities, not smoothed, with the controls of the end", u_exact, REAL, STATES, BODIES,
          NB_EACH(6)),
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
