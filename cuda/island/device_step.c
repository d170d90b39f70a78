/* Whole Newton iterations of a step (solvers/method/newton/device_step.h) by the island kernel. */
#include "method/newton/device_step.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "constraint/cone_rows.h"
#include "island/run.h"
#include "step/columns.h"
#include "trajectory/run.h"

NB_PRECISIONS(f32, f64);

#define nb_device_step_cuda NB_REAL_NAME(nb_device_step_cuda)
#define nb_device_step_emulated NB_REAL_NAME(nb_device_step_emulated)

static nb_island_settings settings_of(int contacts_linear, real h, real soft, const nb_method_settings *m,
                                      const nb_device_step_way *way) {
    int jacobi = strcmp(m->linear_solver, "jacobi") == 0, pcg = strcmp(m->linear_solver, "pcg") == 0;
    int relaxes = strcmp(m->linear_solver, "gauss-seidel") == 0;
    int damped = jacobi && m->linear_solver_values[0] == NB_DEVICE_STEP_JACOBI_DAMPED;
    return (nb_island_settings){
        .ncp = way->ncp,
        .scaling = way->scaling,
        .solver = relaxes  ? NB_ISLAND_GAUSS_SEIDEL
                  : jacobi ? NB_ISLAND_JACOBI
                  : pcg    ? NB_ISLAND_PCG
                           : NB_ISLAND_PCR,
        .paper_row_scaling = way->paper_row_scaling,
        .regularization_absolute = way->regularization_absolute,
        .precondition = !relaxes && strcmp(m->preconditioner, "jacobi") == 0,
        .contacts_linear = contacts_linear,
        .newton_iterations = m->newton_iterations,
        .linear_iterations = m->linear.iterations,
        .h = h,
        .damping = (real)way->damping,
        .regularization = (real)way->regularization,
        .alpha_minimum = (real)way->alpha_minimum,
        .soft = soft,
        .symmetric = relaxes && m->linear_solver_values[0] == NB_DEVICE_STEP_GAUSS_SEIDEL_SYMMETRIC,
        .omega = damped || relaxes ? (real)m->linear_solver_values[1] : 1,
        .linear_tolerance = m->linear.tolerance};
}

/* a step on its way */
typedef struct device_step {
    nb_island_set set;
    nb_island_settings settings;
} device_step;

static void destroy(void *outcome) {
    device_step *w = outcome;
    if (!w) return;
    nb_island_set_clear(&w->set);
    nb_free(w);
}

static nb_status check_block(const nb_runtime *runtime, int64_t bytes) {
    int64_t most = runtime->block_bytes() - NB_ISLAND_OWN_BYTES;
    if (bytes <= most) return NB_OK;
    return nb_fail(NB_ERROR_UNSUPPORTED,
                   "an island takes %lld bytes of a block's shared memory, which has %lld; passes (without whole "
                   "steps) take any",
                   (long long)bytes, (long long)most);
}

static nb_status build(const nb_runtime *runtime, nb_problem *problem, const nb_method_settings *settings,
                       const nb_device_step_way *way, void **outcome) {
    nb_status status;
    device_step *w = NULL;
    nb_cone_rows laws;
    *outcome = NULL;
    if (problem->nodes && problem->nodes->count > problem->nodes->bodies)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps does not support particles");
    NB_TRY(nb_cone_rows_of(problem, "--whole-steps", &laws));
    nb_step *step = nb_step_of(problem);
    if (!step) return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps requires the steps of a world");
    NB_TRY(runtime->open());
    NB_TRY(NB_ALLOCATE(1, &w));
    w->settings = settings_of(problem->contacts_linear, problem->h, laws.cone->soft, settings, way);
    NB_TRY(nb_island_set_build(step, way->islands && problem->island_count > 1, problem->frozen,
                               settings->newton_iterations, 1, w->settings.solver == NB_ISLAND_GAUSS_SEIDEL, &w->set));
    NB_TRY(check_block(runtime, w->set.shared_bytes));
    *outcome = w;
    return NB_OK;
out:
    destroy(w);
    return status;
}

static nb_status launch(const nb_runtime *runtime, void *const *outcomes, int32_t count) {
    nb_status status;
    nb_island_set **sets = NULL;
    NB_TRY(NB_ALLOCATE(count, &sets));
    for (int32_t i = 0; i < count; i++) sets[i] = &((device_step *)outcomes[i])->set;
    NB_TRY(nb_islands_run(runtime, sets, count, &((const device_step *)outcomes[0])->settings));
out:
    nb_free(sets);
    return status;
}

/* all islands together, as newton.c reports its parts: the worst speaks for all, work counts by rows */
static void take(const void *outcome, int32_t iteration, nb_problem *problem, nb_newton_report *report) {
    const nb_island_set *set = &((const device_step *)outcome)->set;
    double square = 0, *of = report->values;
    of[NB_COLUMN_RESIDUAL_LINF] = 0;
    nb_island_set_take(set, iteration, problem);
    for (int32_t i = 0; i < set->count; i++) {
        const nb_island *v = &set->islands[i];
        const nb_island_report *own = &v->reports[iteration];
        if (v->contacts + v->joint_rows == 0 && set->count > 1) continue; /* bodies on their own */
        nb_raise(&of[NB_COLUMN_RESIDUAL_LINF], own->residual_linf);
        square += own->residual_l2 * own->residual_l2;
        nb_raise(&of[NB_COLUMN_STEP_LINF], own->step_linf);
        if (of[NB_COLUMN_COLOURS] < v->colours) of[NB_COLUMN_COLOURS] = v->colours;
        if (of[NB_COLUMN_LINEAR_ITERATIONS] < own->linear_iterations)
            of[NB_COLUMN_LINEAR_ITERATIONS] = own->linear_iterations;
        if (of[NB_COLUMN_LINEAR_REASON] == NB_REASON_NONE || !nb_reason_converged((nb_reason)own->reason))
            of[NB_COLUMN_LINEAR_REASON] = own->reason;
        if (problem->rows > 0)
            of[NB_COLUMN_OPERATOR_APPLICATIONS] += own->products * (v->joint_rows + 3.0 * v->contacts) / problem->rows;
    }
    of[NB_COLUMN_RESIDUAL_L2] = sqrt(square);
}

static nb_status make_trajectories(const nb_runtime *runtime, const nb_trajectories_start *start,
                                   const nb_method_settings *settings, const nb_device_step_way *way,
                                   nb_trajectories **trajectories) {
    const nb_island_settings own = settings_of(1, (real)start->h, 0, settings, way);
    if (own.solver == NB_ISLAND_GAUSS_SEIDEL)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "--whole-steps trajectory does not support linear solver gauss-seidel; use pcr, pcg or jacobi");
    if (start->warm_start)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "--whole-steps trajectory requires --warm-start off, or --method interior-point");
    if (way->islands)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps trajectory requires --islands off (got 'on')");
    return nb_trajectories_create(runtime, start, &own, settings->newton_tolerance, trajectories);
}

/* Of 1780 steps of piles to 1e-6 m/s 8 take more than 200 iterations, 7 of them more than 320. */
static nb_status make_exact_trajectories(const nb_runtime *runtime, const nb_trajectories_start *start,
                                         const nb_method_settings *settings, nb_trajectories **trajectories) {
    const int32_t most = 200;
    if (NB_REAL_BITS != 64)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "--whole-steps trajectory of method interior-point requires --precision f64");
    const nb_island_settings own = {
        .exact = 1,
        .contacts_linear = 1,
        .newton_iterations = settings->newton_iterations < most ? settings->newton_iterations : most,
        .h = (real)start->h};
    return nb_trajectories_create(runtime, start, &own, settings->newton_tolerance, trajectories);
}

extern const nb_device_step_class nb_device_step_cuda, nb_device_step_emulated;
const nb_device_step_class nb_device_step_cuda = {
    &nb_runtime_cuda, build, launch, take, destroy, make_trajectories, make_exact_trajectories};
const nb_device_step_class nb_device_step_emulated = {
    &nb_runtime_emulated, build, launch, take, destroy, make_trajectories, make_exact_trajectories};
