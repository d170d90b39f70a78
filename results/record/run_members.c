/* The members of a run, in the one table that its record, the processes that hand it on, and checkpoints go through. */
#include "record/run.h"

#include <string.h>

#define RUN(member) offsetof(nb_run, member)

/* ---- what was asked for, and what it took ---- */

#define INFO(member, KIND) \
    { NB_LINE(#member, nb_run_info, member, KIND) }

static const nb_member info[] = {
    INFO(scenario, TEXT),
    INFO(method, TEXT),
    INFO(linear_solver, TEXT),
    INFO(preconditioner, TEXT),
    INFO(device, TEXT),
    INFO(precision, TEXT),
    INFO(geometry, TEXT),
    INFO(time_step, REAL),
    INFO(newton_tolerance, REAL),
    INFO(relative_tolerance, REAL),
    INFO(linear_tolerance, REAL),
    INFO(newton_iterations, INT32),
    INFO(linear_iterations, INT32),
    INFO(steps, INT32),
    INFO(settle, INT32),
    {NB_LINE("settle_tolerance", nb_run_info, settle_tolerance, REAL), .optional = 1},
    INFO(lead, INT32),
    {NB_LINE("lead_exact", nb_run_info, lead_exact, INT32), .optional = 1},
    INFO(threads, INT32),
    INFO(warmup, INT32),
    INFO(time_limit, REAL),
    {NB_LINE("repeat", nb_run_info, repeats, INT32)},
    INFO(warm_start, INT32),
    INFO(seed, UINT64),
    INFO(bodies, INT32),
    INFO(joints, INT32),
    INFO(tetrahedra, INT32),
    {NB_LINE("linear_norm", nb_run_info, linear_norm, TEXT), .optional = 1},
    {NB_LINE("triangles", nb_run_info, triangles, INT32), .optional = 1},
    INFO(whole_steps, INT32),
    {NB_LINE("batch_contacts", nb_run_info, batch_contacts, INT32), .optional = 1},
    INFO(batch, INT32),
    {NB_LINE("batch_seeds", nb_run_info, batch_seeds, INT32), .optional = 1},
    INFO(reference, INT32),
    {NB_LINE("reference_linear", nb_run_info, reference_linear, INT32), .optional = 1},
    INFO(batch_perturbation, REAL),
};
const nb_members nb_run_info_members = NB_MEMBERS(nb_run_info, info);

int nb_run_info_is_found(const char *name) {
    static const char *const found[] = {"bodies", "joints", "tetrahedra", "triangles"};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (strcmp(found[i], name) == 0) return 1;
    return 0;
}

#define USAGE(member) \
    { NB_LINE(#member, nb_run_usage, member, REAL) }

static const nb_member usage[] = {
    USAGE(peak_bytes),
    USAGE(peak_resident_bytes),
    USAGE(wall_s),
    USAGE(record_s),
    USAGE(device_work_s),
    USAGE(device_transfer_s),
    USAGE(reference_error),
    {NB_LINE("settle_unsolved", nb_run_usage, settle_unsolved, REAL), .optional = 1},
    {NB_LINE("settle_error", nb_run_usage, settle_error, REAL), .optional = 1},
    {NB_LINE("start_penetration", nb_run_usage, start_penetration, REAL), .optional = 1},
    {NB_LINE("start_joint_error", nb_run_usage, start_joint_error, REAL), .optional = 1},
    {NB_LINE("start_joint_turn", nb_run_usage, start_joint_turn, REAL), .optional = 1},
};
const nb_members nb_run_usage_members = NB_MEMBERS(nb_run_usage, usage);

static nb_status check_bodies(void *owner) {
    const nb_run *run = owner;
    return run->info.bodies >= 0 ? NB_OK : nb_fail(NB_ERROR_INPUT, "a run of %d bodies", (int)run->info.bodies);
}

static const nb_member head[] = {
    {NB_LINE("parameters", nb_run, info.parameters, VALUES)},
    {NB_LINE_PART(nb_run, info, nb_run_info_members)},
    {NB_LINE("fault", nb_run, fault, TEXT), .optional = 1},
    {NB_LINE("linear_solver_words", nb_run, solver_words, TEXT), .optional = 1},
    {NB_LINE("method_words", nb_run, remark, TEXT), .optional = 1},
    {NB_LINE("problem_words", nb_run, problem_words, TEXT), .optional = 1},
    {NB_LINE("start_words", nb_run, start_words, TEXT), .optional = 1},
    {NB_LINE_CHECKSUM("texts_checksum")},
    {NB_LINE("finished", nb_run, finished, INT32)},
    {NB_LINE("provenance", nb_run, provenance, INT32), .optional = 1},
    {NB_LINE("sweep_run", nb_run, sweep_run, INT32), .optional = 1},
    {NB_LINE_CHECK(check_bodies)},
};
const nb_members nb_run_head_members = NB_MEMBERS(nb_run, head);

/* ---- what was done ---- */

const nb_meaning nb_step_axis = {"step", "1", "recorded time step, from 0"};
static const nb_meaning newton_axis = {"newton", "1", "Newton iteration of the step, from 0"};
static const nb_meaning iteration_axis = {"iteration", "1", "linear iteration; 0: initial guess"};
static const nb_meaning repeat_axis = {"repeat", "1", "timed repetition, from 0"};
static const nb_meaning time_axis = {"time", "s", "time of each frame"}; /* which is an array */
static const nb_meaning contact_axis = {"contact", "1", "contact of the frame, from 0"};
static const nb_meaning iterate_axis = {"iterate", "1", "iterate kept of the frame's step, from 0"};

#define ROOM(which) .room = RUN(growing[which])
#define STEPS \
    { NB_EXTENT_COUNT32, 0, RUN(step_count), &nb_step_axis, 0 }
#define NEWTONS \
    { NB_EXTENT_RAGGED, 0, RUN(newton_start), &newton_axis, RUN(growing[NB_RUN_NEWTON_START]) }
#define LINEARS \
    { NB_EXTENT_RAGGED, 0, RUN(linear_start), &iteration_axis, RUN(growing[NB_RUN_LINEAR_START]) }
#define REPEATS \
    { NB_EXTENT_COUNT32, 0, RUN(repeat_count), &repeat_axis, 0 }
#define FRAMES \
    { NB_EXTENT_COUNT32, 0, RUN(frame_count), &time_axis, 0 }
#define FRAME_CONTACTS \
    { NB_EXTENT_RAGGED, 0, RUN(frame_contact_start), &contact_axis, RUN(growing[NB_RUN_FRAME_CONTACT_START]) }
#define ITERATES \
    { NB_EXTENT_RAGGED, 0, RUN(frame_iterate_start), &iterate_axis, RUN(growing[NB_RUN_FRAME_ITERATE_START]) }
#define BODIES NB_COUNT32(nb_run, info.bodies)

static const nb_columns step_columns = {nb_step_columns, NB_STEP_COLUMNS, NULL};
static const nb_columns linear_columns = {nb_linear_columns, NB_LINEAR_COLUMNS, NULL};
static const nb_columns frame_contact_columns = {nb_frame_contact_columns, NB_FRAME_CONTACT_COLUMNS, NULL};

static const nb_member steps[] = {
    {NB_LINE_ROWS(nb_run, steps, step_columns, STEPS), ROOM(NB_RUN_STEPS), .optional_from = NB_STEP_INFEASIBILITY},
};
static const nb_members step_group = NB_MEMBERS(nb_run, steps);

static const nb_member newton[] = {
    {NB_LINE_STARTS("count", "rows of the step: its Newton iterations, and one for the final state", nb_run,
                    newton_start, STEPS),
     ROOM(NB_RUN_NEWTON_START)},
    {NB_LINE_OWN_ROWS(nb_run, newton, newton_columns, STEPS, NEWTONS), ROOM(NB_RUN_NEWTON)},
};
/* The harness finds its own by their places. */
static nb_status check_newton_columns(void *owner) {
    const nb_columns *columns = &((const nb_run *)owner)->newton_columns;
    for (int i = 0; i < NB_NEWTON_COLUMNS; i++)
        if (i >= columns->count || strcmp(columns->items[i].name, nb_newton_columns[i].name) != 0)
            return nb_fail(NB_ERROR_INPUT, "column %d of a run's Newton iterations is not '%s'", i,
                           nb_newton_columns[i].name);
    return NB_OK;
}

static const nb_members newton_group = NB_MEMBERS(nb_run, newton);

static const nb_member linear[] = {
    {NB_LINE_STARTS("count", "rows of the Newton iteration: its linear iterations and the initial guess", nb_run,
                    linear_start, STEPS, NEWTONS),
     ROOM(NB_RUN_LINEAR_START)},
    {NB_LINE_ROWS(nb_run, linear, linear_columns, STEPS, NEWTONS, LINEARS), ROOM(NB_RUN_LINEAR),
     .optional_from = NB_LINEAR_ENERGY_ERROR},
};
static const nb_members linear_group = NB_MEMBERS(nb_run, linear);

#define REPEATED(title, member, text) \
    { NB_LINE_ARRAY(title, "s", text, nb_run, member, REAL, REPEATS, STEPS) }

static const nb_member repeats[] = {
    REPEATED("setup_s", repeat_setup_s, "time of linear solvers' set-up"),
    REPEATED("solve_s", repeat_solve_s, "time of linear solves"),
    REPEATED("assembly_s", repeat_assembly_s, "time of assembly and updates"),
    REPEATED("step_s", repeat_step_s, "time of the step"),
    {NB_LINE_ARRAY("order", "1", "repetitions of all runs made before this one", nb_run, repeat_order, REAL, REPEATS)},
};
static const nb_members repeat_group = NB_MEMBERS(nb_run, repeats);

#define SOLVED(member, text) \
    { NB_LINE_ARRAY(#member, "file", text, nb_run, member, REAL, NB_COUNT64(nb_run, reaction_count)) }

static const nb_member solution[] = {
    SOLVED(reaction, "reactions of the contacts in the file's own order and units"),
    SOLVED(velocity, "velocities of the contacts in the file's own order and units"),
};
static const nb_members solution_part = NB_MEMBERS(nb_run, solution);

static const nb_member final[] = {
    {NB_LINE_PART(nb_run, final, nb_snapshot_members)},
    {NB_LINE_GROUP(NULL, solution_part), .optional = 1},
};
static const nb_members final_group = NB_MEMBERS(nb_run, final);

#define PARTICLES NB_COUNT32(nb_run, frame_particles)
static const nb_member particle_states[] = {
    {NB_LINE("frame_particles", nb_run, frame_particles, COUNT)},
    {NB_LINE_ARRAY("particle_x", "m", "position of each particle in each frame", nb_run, frame_x, REAL, FRAMES,
                   PARTICLES, NB_EACH(3)),
     ROOM(NB_RUN_FRAME_PARTICLES)},
    {NB_LINE_ARRAY("particle_v", "m/s", "velocity of each particle in each frame", nb_run, frame_v, REAL, FRAMES,
                   PARTICLES, NB_EACH(3)),
     ROOM(NB_RUN_FRAME_PARTICLE_VELOCITIES)},
};
static const nb_members particle_part = NB_MEMBERS(nb_run, particle_states);

static const nb_member joint_states[] = {
    {NB_LINE("frame_bilaterals", nb_run, frame_bilaterals, COUNT)},
    {NB_LINE_ARRAY("bilateral_error", "m/s", "natural map of each joint row", nb_run, frame_bilateral_error, REAL,
                   FRAMES, NB_COUNT32(nb_run, frame_bilaterals)),
     ROOM(NB_RUN_FRAME_BILATERALS)},
};
static const nb_members joint_part = NB_MEMBERS(nb_run, joint_states);

static const nb_member momentum_states[] = {
    {NB_LINE_ARRAY("momentum_error", "m/s", "momentum error of each body as a velocity", nb_run, frame_momentum_error,
                   REAL, FRAMES, BODIES),
     ROOM(NB_RUN_FRAME_MOMENTA)},
};
static const nb_members momentum_part = NB_MEMBERS(nb_run, momentum_states);

static const nb_member contact_states[] = {
    {NB_LINE_STARTS("contact_count", "contacts of each frame", nb_run, frame_contact_start, FRAMES),
     ROOM(NB_RUN_FRAME_CONTACT_START)},
    {NB_LINE_ROWS(nb_run, frame_contacts, frame_contact_columns, FRAMES, FRAME_CONTACTS), ROOM(NB_RUN_FRAME_CONTACTS),
     .optional_from = NB_FRAME_CONTACT_POINT},
};
static const nb_members contact_part = NB_MEMBERS(nb_run, contact_states);

static const nb_columns iterate_columns = {&nb_iterate_column, 1, NULL};

static const nb_member iterate_states[] = {
    {NB_LINE_STARTS("iterate_count", "iterates kept of each frame's step", nb_run, frame_iterate_start, FRAMES),
     ROOM(NB_RUN_FRAME_ITERATE_START)},
    {NB_LINE_ROWS(nb_run, frame_iterates, iterate_columns, FRAMES, ITERATES), ROOM(NB_RUN_FRAME_ITERATES)},
    {NB_LINE("iterate_error_count", nb_run, iterate_error_count, COUNT)},
    {NB_LINE_ARRAY("iterate_error", "m/s",
                   "natural map of the frame's contacts in each iterate: larger one of e_n, e_f", nb_run,
                   iterate_errors, REAL, NB_COUNT64(nb_run, iterate_error_count)),
     ROOM(NB_RUN_ITERATE_ERRORS), .noise = 1},
};
static const nb_members iterate_part = NB_MEMBERS(nb_run, iterate_states);

static nb_status check_iterates(void *owner) {
    const nb_run *run = owner;
    const int64_t errors = nb_run_iterate_errors_before(run, run->frame_count);
    if (errors == run->iterate_error_count) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "%lld errors of iterates where %lld belong", (long long)run->iterate_error_count,
                   (long long)errors);
}

static const nb_member states[] = {
    {NB_LINE_ARRAY("time", "s", "time of each frame", nb_run, frame_time, REAL, FRAMES), ROOM(NB_RUN_FRAME_TIME)},
    {NB_LINE_ARRAY("q", "m, 1", "center of mass and quaternion w x y z of each body", nb_run, frames, REAL, FRAMES,
                   BODIES, NB_EACH(7)),
     ROOM(NB_RUN_FRAMES)},
    {NB_LINE_ARRAY("u", "m/s, rad/s", "linear and angular velocity of each body", nb_run, frame_u, REAL, FRAMES, BODIES,
                   NB_EACH(6)),
     ROOM(NB_RUN_FRAME_VELOCITIES)},
    {NB_LINE_GROUP(NULL, particle_part), .optional = 1},
    {NB_LINE_GROUP(NULL, joint_part), .optional = 1},
    {NB_LINE_GROUP(NULL, momentum_part), .optional = 1},
    {NB_LINE_GROUP(NULL, contact_part), .optional = 1},
    {NB_LINE_GROUP(NULL, iterate_part), .optional = 1},
    {NB_LINE_CHECK(check_iterates)},
};
static const nb_members state_group = NB_MEMBERS(nb_run, states);

/* numbers that others index with */
static nb_status check_reference(void *owner) {
    const nb_run *run = owner;
    const nb_reference_solution *reference = &run->reference;
    if (!reference->solution.q) return NB_OK;
    if (reference->solution.bodies != run->final.bodies)
        return nb_fail(NB_ERROR_INPUT, "a reference of %d bodies in a run of %d", (int)reference->solution.bodies,
                       (int)run->final.bodies);
    if (reference->step < 0 || reference->step >= run->step_count)
        return nb_fail(NB_ERROR_INPUT, "a reference of step %d in a run of %d", (int)reference->step,
                       (int)run->step_count);
    return NB_OK;
}

/* a record says this once */
static nb_status set_step_count(void *owner) {
    nb_run *run = owner;
    if (run->reference.solution.q) run->reference.solution.step_count = run->final.step_count;
    return NB_OK;
}

static nb_status check_mesh(void *owner) {
    const nb_run *run = owner;
    return nb_mesh_check(&run->mesh, run->info.bodies, run->frame_particles);
}

enum {
    BEGUN = NB_CHECKPOINT /* what a run that is gone on with has anyway, or not yet */
};

static const nb_member members[] = {
    {NB_LINE_GROUP(NULL, nb_run_head_members), .left_out = BEGUN},
    {NB_LINE_PART(nb_run, usage, nb_run_usage_members), .left_out = NB_RECORD}, /* which has it when all is written */
    {NB_LINE("step_count", nb_run, step_count, COUNT)},
    {NB_LINE("repeat_count", nb_run, repeat_count, COUNT), .left_out = BEGUN},
    {NB_LINE("reaction_count", nb_run, reaction_count, COUNT), .left_out = BEGUN},
    {NB_LINE("frame_count", nb_run, frame_count, COUNT)},
    {NB_LINE("system_count", nb_run, system_count, COUNT), .left_out = BEGUN},
    {NB_LINE_GROUP("steps", step_group)},
    {NB_LINE_PART(nb_run, newton_columns, nb_own_columns_members), .name = "columns", .left_out = NB_CHECKPOINT},
    {NB_LINE_CHECK(check_newton_columns)},
    {NB_LINE_GROUP("newton", newton_group)},
    {NB_LINE_GROUP("linear", linear_group), .optional = 1},
    {NB_LINE_GROUP("repeats", repeat_group), .optional = 1, .left_out = BEGUN},
    {NB_LINE_GROUP("final", final_group), .left_out = BEGUN},
    {NB_LINE_PART(nb_run, reference, nb_reference_solution_members), .name = "reference", .optional = 1,
     .left_out = BEGUN},
    {NB_LINE_CHECK(set_step_count), .left_out = NB_TRANSFER | NB_CHECKPOINT},
    {NB_LINE_CHECK(check_reference), .left_out = BEGUN},
    {NB_LINE_GROUP("states", state_group), .optional = 1},
    {NB_LINE_PART(nb_run, mesh, nb_mesh_members), .left_out = NB_RECORD | BEGUN}, /* VTK's arrays come from it */
    {NB_LINE_CHECK(check_mesh), .left_out = NB_RECORD | BEGUN},
    {NB_LINE_STRUCTS(nb_run, systems, nb_stored_system_members, NB_COUNT32(nb_run, system_count)), ROOM(NB_RUN_SYSTEMS),
     .left_out = NB_RECORD | BEGUN}, /* groups of their own: systems.h */
    {NB_LINE_PART(nb_run, checks, nb_checks_members), .name = "checks", .left_out = BEGUN},
    {NB_LINE_PART(nb_run, batch, nb_batch_members), .name = "batch", .optional = 1, .left_out = BEGUN},
};
const nb_members nb_run_members = NB_MEMBERS(nb_run, members);
