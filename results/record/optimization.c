#include "record/optimization.h"

#include "base/memory.h"
#include "reason.h"
#include "record/group.h"
#include "record/h5.h"
#include "record/partial.h"

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
    {NB_LINE("parameters", nb_optimization, parameters, LONG_TEXT)},
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

static nb_status write_file(hid_t file, const nb_optimization *optimization, const char *command,
                            const nb_provenance *provenance) {
    nb_status status;
    const int32_t version = 1;
    char now[32];
    hid_t group = -1;
    nb_time_now(now);
    NB_TRY(nb_h5_write_text(file, "schema", "ncpbench-optimization"));
    NB_TRY(nb_h5_write_integer(file, "schema_version", H5T_NATIVE_INT32, &version));
    NB_TRY(nb_h5_write_text(file, "created", now));
    NB_TRY(nb_h5_write_text(file, "command", command));
    NB_TRY(nb_h5_write_text(file, "inputs", inputs));
    NB_TRY(nb_group_write(file, &nb_optimization_members, optimization));
    NB_TRY(nb_h5_create_group(file, "provenance", &group));
    NB_TRY(nb_group_write(group, &nb_provenance_members, provenance));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

nb_status nb_optimization_write(const char *path, const nb_optimization *optimization, const char *command,
                                const nb_provenance *provenance) {
    char *partial;
    hid_t file = -1;
    nb_h5_quiet();
    nb_status status = nb_partial_begin(path, &partial);
    if (status != NB_OK) return status;
    status = nb_h5_create_file(partial, path, &file);
    if (status == NB_OK) status = write_file(file, optimization, command, provenance);
    if (file >= 0 && H5Fclose(file) < 0 && status == NB_OK) status = nb_h5_fault(path);
    status = nb_partial_end(status, partial, path);
    nb_free(partial);
    return status;
}
