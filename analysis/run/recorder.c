#include "run/recorder.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

NB_PRECISIONS(f64);

enum {
    NB_ENERGY_DELAY = 10,         /* iterations that a bound of the energy error looks ahead */
    MOST_ITERATE_ERRORS = 1 << 28 /* of a run; then the last iterate of each step alone is kept */
};

/* the time since `start` was spent on recording */
static nb_status spent(const nb_recorder *recorder, double start, nb_status status) {
    recorder->run->usage.record_s += nb_clock_seconds() - start;
    return status;
}

/* The decrease in the square of the energy error to iterate `iteration`, whose row is the next, belongs to the bounds
 * of the rows before it: of as many as these are delayed by, in the same solve. */
static void add_decrease(nb_run *run, int32_t iteration, double decrease) {
    const int64_t next = run->linear_start[run->newton_start[run->step_count + 1] + 1];
    const int32_t rows = iteration < NB_ENERGY_DELAY ? iteration : NB_ENERGY_DELAY;
    if (!(decrease >= 0)) return;
    for (int64_t r = next - rows; r < next; r++) {
        double *bound = &run->linear[r * NB_LINEAR_COLUMNS + NB_LINEAR_ENERGY_BOUND];
        *bound = sqrt((isnan(*bound) ? 0 : *bound * *bound) + decrease);
    }
}

static nb_status hear_linear(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    nb_recorder *recorder = context;
    double row[NB_LINEAR_COLUMNS], start = nb_clock_seconds();
    row[NB_LINEAR_RESIDUAL_L2] = iterate->residual_l2; /* rows come in order, from 0 */
    row[NB_LINEAR_PRECONDITIONED_RESIDUAL] = iterate->preconditioned_residual;
    row[NB_LINEAR_ENERGY_ERROR] = iterate->energy_error;
    row[NB_LINEAR_ENERGY_BOUND] = NAN;
    row[NB_LINEAR_OWN_NORM] = iterate->own_norm;
    add_decrease(recorder->run, iteration, iterate->energy_decrease);
    return spent(recorder, start, nb_run_add_linear(recorder->run, row));
}

/* How many contacts do another thing than in the row before; NaN where there is none of the step, where rows were made
 * anew, or the modes are of another iterate by now. Keeps them for the next row. */
static double count_changed(nb_recorder *recorder, const nb_largest_error *largest) {
    const nb_run *run = recorder->run;
    const nb_contact_modes *modes = largest->modes;
    const int known = modes && largest->serial == modes->serial;
    const int begun = run->newton_start[run->step_count + 1] > run->newton_start[run->step_count];
    const int comparable = known && begun && modes->count == recorder->mode_count;
    int32_t changed = 0;
    for (int32_t i = 0; comparable && i < modes->count; i++) changed += modes->mode[i] != recorder->modes[i];
    recorder->mode_count = -1;
    if (!known || NB_RESERVE(modes->count, &recorder->mode_capacity, &recorder->modes) != NB_OK) return NAN;
    memcpy(recorder->modes, modes->mode, (size_t)modes->count);
    recorder->mode_count = modes->count;
    return comparable ? (double)changed : (double)NAN;
}

static void fill_place(nb_recorder *recorder, const nb_largest_error *largest, double row[NB_PLACE_COLUMNS]) {
    for (int i = 0; i < NB_PLACE_COLUMNS; i++) row[i] = NAN;
    if (largest->serial == 0) return;
    row[NB_PLACE_KIND] = largest->kind;
    row[NB_PLACE_ROW] = largest->row;
    row[NB_PLACE_INDEX] = largest->index;
    row[NB_PLACE_NODE_A] = largest->nodes[0];
    row[NB_PLACE_NODE_B] = largest->nodes[1];
    for (int i = 0; i < NB_MODE_COUNT; i++) row[NB_PLACE_OPEN + i] = largest->contacts[i];
    row[NB_PLACE_CHANGED] = count_changed(recorder, largest);
}

/* Of many iterations those of at most two significant digits: 90 in 1000 to 10,000. */
static int is_round_number(double iteration) {
    int64_t i = (int64_t)iteration;
    for (; i >= 100; i /= 10)
        if (i % 10 != 0) return 0;
    return 1;
}

/* The iterate of the row that comes next. */
static nb_status add_iterate(nb_recorder *recorder, const nb_newton_report *report, const double *row) {
    nb_run *run = recorder->run;
    const nb_contact_errors *errors = nb_largest_error_contacts(&report->largest);
    recorder->last = recorder->iteration >= 0
                         ? row[recorder->iteration]
                         : (double)(run->newton_start[run->step_count + 1] - run->newton_start[run->step_count]);
    if (!report->solved || !errors || !is_round_number(recorder->last)) return NB_OK;
    if (run->iterate_error_count + errors->count > MOST_ITERATE_ERRORS) return NB_OK;
    return nb_run_add_iterate(run, recorder->last, errors);
}

static nb_status hear_newton(void *context, const nb_newton_report *report) {
    nb_recorder *recorder = context;
    nb_run *run = recorder->run;
    double row[NB_NEWTON_COLUMNS + NB_METHOD_COLUMNS + 1 + NB_SOLUTION_COLUMNS + NB_PLACE_COLUMNS],
        start = nb_clock_seconds();
    row[NB_NEWTON_CONSTRAINT_ERROR] = report->constraint_error;
    row[NB_NEWTON_COMPLEMENTARITY_ERROR] = report->complementarity_error;
    row[NB_NEWTON_FRICTION_ERROR] = report->friction_error;
    row[NB_NEWTON_BILATERAL_ERROR] = report->bilateral_error;
    row[NB_NEWTON_MOMENTUM_ERROR] = report->momentum_error;
    row[NB_NEWTON_NATURAL_MAP_ERROR] = report->natural_map_error;
    row[NB_NEWTON_NATURAL_MAP_RELATIVE] = report->file_error;
    row[NB_NEWTON_VELOCITY_ERROR] = report->velocity_error;
    row[NB_NEWTON_FORCE_ERROR] = report->force_error;
    row[NB_NEWTON_ASSEMBLY_S] = report->solved ? report->assembly_s : NAN;
    row[NB_NEWTON_SETUP_S] = report->solved ? report->setup_s : NAN;
    row[NB_NEWTON_SOLVE_S] = report->solved ? report->solve_s : NAN;
    memcpy(row + NB_NEWTON_COLUMNS, report->values, (size_t)recorder->own * sizeof *row);
    if (recorder->coulomb >= 0) row[recorder->coulomb] = report->coulomb_error;
    for (int i = 0; recorder->distances >= 0 && i < NB_SOLUTION_COLUMNS; i++)
        row[recorder->distances + i] = report->distance[i];
    if (recorder->place >= 0) fill_place(recorder, &report->largest, row + recorder->place);
    nb_status status = recorder->observer.contact_errors ? add_iterate(recorder, report, row) : NB_OK;
    if (status == NB_OK) status = nb_run_add_newton(run, row);
    spent(recorder, start, status);
    recorder->late = recorder->deadline > 0 && start > recorder->deadline;
    if (status != NB_OK || !recorder->late) return status;
    return nb_fail(NB_ERROR_NUMERIC, "the run takes more than %g s (--time-limit)", run->info.time_limit);
}

static nb_status hear_system(void *context, int32_t newton, void *system, const void *problem) {
    nb_recorder *recorder = context;
    nb_stored_system stored;
    int32_t step = recorder->run->step_count;
    if (recorder->only_step >= 0 && (step != recorder->only_step || newton != recorder->only_newton)) return NB_OK;
    double start = nb_clock_seconds();
    nb_status status = recorder->keep_systems->store(system, problem, &stored);
    if (status != NB_OK) return status;
    stored.step = step;
    stored.newton = newton;
    return spent(recorder, start, nb_run_add_system(recorder->run, &stored));
}

void nb_recorder_start(nb_recorder *recorder, nb_run *run, int linear_history, const nb_stepper_class *keep_systems) {
    *recorder = (nb_recorder){.run = run, .keep_systems = keep_systems, .only_step = -1};
    recorder->coulomb = nb_columns_find(&run->newton_columns, nb_coulomb_column.name);
    recorder->distances = nb_columns_find(&run->newton_columns, nb_solution_columns[0].name);
    recorder->place = nb_columns_find(&run->newton_columns, nb_place_columns[0].name);
    recorder->iteration = nb_columns_find(&run->newton_columns, "iteration");
    recorder->own = run->newton_columns.count - NB_NEWTON_COLUMNS - (recorder->coulomb >= 0) -
                    (recorder->distances >= 0 ? NB_SOLUTION_COLUMNS : 0) -
                    (recorder->place >= 0 ? NB_PLACE_COLUMNS : 0);
    recorder->observer.context = recorder;
    recorder->observer.newton = hear_newton;
    if (linear_history) recorder->observer.linear = hear_linear;
    if (keep_systems) recorder->observer.system = hear_system;
}

void nb_recorder_clear(nb_recorder *recorder) {
    nb_free(recorder->modes);
    nb_free(recorder->errors.error);
    recorder->modes = NULL;
    recorder->errors.error = NULL;
}

void nb_recorder_keep_iterates(nb_recorder *recorder, int keep) {
    recorder->observer.contact_errors = keep;
}

nb_status nb_recorder_add_frame(nb_recorder *recorder, double time, const nb_snapshot *state) {
    nb_status status;
    nb_contact_errors *last = &recorder->errors;
    if (recorder->observer.contact_errors) {
        NB_TRY(NB_RESERVE(state->contacts, &last->capacity, &last->error));
        last->count = state->contacts;
        for (int64_t i = 0; i < state->contacts; i++)
            last->error[i] = (float)fmax(state->contact_error[2 * i], state->contact_error[2 * i + 1]);
        NB_TRY(nb_run_add_iterate(recorder->run, recorder->last, last));
    }
    status = nb_run_add_frame(recorder->run, time, state);
out:
    return status;
}

void nb_recorder_fill_step(const nb_step_outcome *outcome, const nb_step_counts *counts, double row[NB_STEP_COLUMNS]) {
    for (int i = 0; i < NB_STEP_COLUMNS; i++) row[i] = NAN;
    row[NB_STEP_CONTACTS] = counts->contacts;
    row[NB_STEP_ROWS] = counts->rows;
    row[NB_STEP_ISLANDS] = counts->islands;
    row[NB_STEP_LARGEST_ISLAND] = counts->largest_island;
    if (counts->verification.rounds >= 0) {
        row[NB_STEP_VERIFY_ROUNDS] = counts->verification.rounds;
        row[NB_STEP_VERIFY_CONTACTS] = counts->verification.contacts;
        row[NB_STEP_VERIFY_OVERLAP] = counts->verification.overlap;
    }
    row[NB_STEP_NEWTON_ITERATIONS] = outcome->newton_iterations;
    row[NB_STEP_REASON] = outcome->reason;
    row[NB_STEP_NATURAL_MAP_ERROR] = outcome->errors.natural_map;
    row[NB_STEP_ASSEMBLY_S] = outcome->assembly_s;
    row[NB_STEP_SETUP_S] = outcome->setup_s;
    row[NB_STEP_SOLVE_S] = outcome->solve_s;
    row[NB_STEP_OPERATOR_APPLICATIONS] = outcome->operator_applications;
    row[NB_STEP_PRECONDITIONER_APPLICATIONS] = outcome->preconditioner_applications;
    row[NB_STEP_LIMIT_NORM_A] = outcome->norm_a;
    row[NB_STEP_LIMIT_NORM_A_INVERSE] = outcome->norm_a_inverse;
}
