#include "record/gradient.h"

#include "base/memory.h"
#include "record/group.h"
#include "record/h5.h"
#include "record/partial.h"
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
    {NB_LINE("parameters", nb_gradient, parameters, LONG_TEXT)},
    {NB_LINE("objective", nb_gradient, objective, TEXT)},
    {NB_LINE("smoothing", nb_gradient, smoothing, REAL)},
    {NB_LINE("value", nb_gradient, value, REAL)},
    {NB_LINE("steps_s", nb_gradient, steps_s, REAL)},
    {NB_LINE("gradient_s", nb_gradient, gradient_s, REAL)},
    {NB_LINE("bodies", nb_gradient, bodies, COUNT)},
    {NB_LINE("steps", nb_gradient, steps, COUNT)},
    {NB_LINE("columns", nb_gradient, columns, COUNT)},
    ARRAY("m, 1", "places and orientations (w, x, y, z) at the start", q_before, REAL, BODIES, NB_EACH(7)),
    ARRAY("m/s, rad/s", "velocities at the start", u_before, REAL, BODIES, NB_EACH(6)),
    ARRAY("m, 1", "places and orientations at the end", q, REAL, BODIES, NB_EACH(7)),
    ARRAY("m/s, rad/s", "velocities at the end", u, REAL, BODIES, NB_EACH(6)),
    ARRAY("1", "what is left of the smoothed equations, relative", residual, REAL, STEPS),
    ARRAY("m/s", "smoothed velocities less the step's own, in the norm of the masses", distance, REAL, STEPS),
    ARRAY("1", "Newton iterations to the central path", iterations, INT32, STEPS),
    ARRAY("1", "contacts of the step", contacts, INT32, STEPS),
    MAYBE("1", "the body whose input a column is", column_body, INT32, COLUMNS),
    MAYBE("1", "the input: see the attribute inputs", column_input, INT32, COLUMNS),
    MAYBE("SI", "d(place, turn, velocity, angular velocity at the end)/d(input)", derivative, REAL, BODIES,
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

static nb_status write_file(hid_t file, const nb_gradient *gradient, const char *command,
                            const nb_provenance *provenance) {
    nb_status status;
    const int32_t version = 1;
    char now[32];
    hid_t group = -1;
    nb_time_now(now);
    NB_TRY(nb_h5_write_text(file, "schema", "ncpbench-gradient"));
    NB_TRY(nb_h5_write_integer(file, "schema_version", H5T_NATIVE_INT32, &version));
    NB_TRY(nb_h5_write_text(file, "created", now));
    NB_TRY(nb_h5_write_text(file, "command", command));
    NB_TRY(nb_h5_write_text(file, "inputs", inputs));
    NB_TRY(nb_group_write(file, &nb_gradient_members, gradient));
    NB_TRY(nb_h5_create_group(file, "provenance", &group));
    NB_TRY(nb_group_write(group, &nb_provenance_members, provenance));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

nb_status nb_gradient_write(const char *path, const nb_gradient *gradient, const char *command,
                            const nb_provenance *provenance) {
    char *partial;
    hid_t file = -1;
    nb_h5_quiet();
    nb_status status = nb_partial_begin(path, &partial);
    if (status != NB_OK) return status;
    status = nb_h5_create_file(partial, path, &file);
    if (status == NB_OK) status = write_file(file, gradient, command, provenance);
    if (file >= 0 && H5Fclose(file) < 0 && status == NB_OK) status = nb_h5_fault(path);
    status = nb_partial_end(status, partial, path);
    nb_free(partial);
    return status;
}
