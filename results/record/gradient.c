#include "record/gradient.h"

#include "record/result_file.h"
#include "step_gradient.h"

static const nb_meaning body_axis = {"body", "1", "body, from 0"};
static const nb_meaning step_axis = {"step", "1", "step, from 0"};
static const nb_meaning column_axis = {"column", "1", "column, from 0"};

#define BODIES \
    { NB_EXTENT_COUNT32, 0, offsetof(nb_gradient, bodies), &body_axis, 0 }
#define STEPS \
    { NB_EXTENT_COUNT32, 0, offsetof(nb_gradient, steps), &step_axis, 0 }
#define COLUMNS \
    { NB_EXTENT_COUNT32, 0, offsetof(nb_gradient, columns), &column_axis, 0 }
#define ARRAY(unit, text, member, KIND, ...) \
    { NB_LINE_ARRAY(#member, unit, text, nb_gradient, member, KIND, __VA_ARGS__) }
#define MAYBE(unit, text, member, KIND, ...) \
    { NB_LINE_ARRAY(#member, unit, text, nb_gradient, member, KIND, __VA_ARGS__), .optional = 1 }

static const nb_member members[] = {
    {NB_LINE_PART(nb_gradient, info, nb_run_info_members)},
    {NB_LINE("parameters", nb_gradient, parameters, VALUES)},
    {NB_LINE("objective", nb_gradient, objective, TEXT)},
    {NB_LINE("smoothing", nb_gradient, smoothing, REAL)},
    {NB_LINE("value", nb_gradient, value, REAL)},
    {NB_LINE("steps_s", nb_gradient, steps_s, REAL)},
    {NB_LINE("gradient_s", nb_gradient, gradient_s, REAL)},
    {NB_LINE("bodies", nb_gradient, bodies, COUNT)},
    {NB_LINE("steps", nb_gradient, steps, COUNT)},
    {NB_LINE("columns", nb_gradient, columns, COUNT)},
    ARRAY("m, 1", "positions and orientations (w, x, y, z) at the start", q_before, REAL, BODIES, NB_EACH(7)),
    ARRAY("m/s, rad/s", "velocities at the start", u_before, REAL, BODIES, NB_EACH(6)),
    ARRAY("m, 1", "positions and orientations at the end", q, REAL, BODIES, NB_EACH(7)),
    ARRAY("m/s, rad/s", "velocities at the end", u, REAL, BODIES, NB_EACH(6)),
    ARRAY("1", "relative residual of the smoothed equations", residual, REAL, STEPS),
    ARRAY("m/s", "distance of smoothed and actual velocities, in the norm of the masses", distance, REAL, STEPS),
    ARRAY("1", "Newton iterations to the central path", iterations, INT32, STEPS),
    ARRAY("1", "contacts of the step", contacts, INT32, STEPS),
    ARRAY("1", "1: the smoothing alone determines the velocities; 0: it does not; -1: not tested", open, INT32, STEPS),
    MAYBE("1", "body of the column's input", column_body, INT32, COLUMNS),
    MAYBE("1", "input of the column (attribute inputs)", column_input, INT32, COLUMNS),
    MAYBE("SI", "d(position, rotation, velocity, angular velocity at the end)/d(input)", derivative, REAL, BODIES,
          NB_EACH(NB_GRADIENT_STATE), COLUMNS),
    MAYBE("SI", "d(objective)/d(input)", by_input, REAL, BODIES, NB_EACH(NB_INPUTS)),
    MAYBE("SI", "d(objective)/d(force, torque of each step)", by_force, REAL, STEPS, BODIES, NB_EACH(6)),
};
const nb_members nb_gradient_members = NB_MEMBERS(nb_gradient, members);

/* by their places, NB_INPUT_POSITION and so on */
static const char inputs[] =
    "0-2 place [m], 3-5 turn in the world's axes [rad], 6-8 velocity [m/s], 9-11 angular velocity [rad/s], 12-14 force "
    "[N], 15-17 torque [N m], 18 mass with moments in proportion [kg], 19 ln(moments), 20 ln(scale of the shape), 21 "
    "friction coefficient of the body";

void nb_gradient_clear(nb_gradient *gradient) {
    nb_members_clear(&nb_gradient_members, gradient);
}

nb_status nb_gradient_write(const char *path, const nb_gradient *gradient, const char *command,
                            const nb_provenance *provenance) {
    const nb_result_file file = {"ncpbench-gradient", inputs, command, provenance};
    return nb_result_file_write(path, &file, &nb_gradient_members, gradient);
}
