#include "workload.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "contact/contact.h"
#include "run/request.h"

static int same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* what there is to know of a run's scene and solver */
typedef struct look {
    const nb_run_info *info;
    const char *problem;
    const nb_scenario_class *scenario; /* NULL: a problem file */
    double parameters[NB_MAX_OPTIONS];
    double rows;
} look;

static int same_kind(const look *a, const look *b, nb_forecast_kind kind) {
    const nb_run_info *x = a->info, *y = b->info;
    switch (kind) {
    case NB_FORECAST_SOLVER:
        return strcmp(x->method, y->method) == 0 && strcmp(x->linear_solver, y->linear_solver) == 0 &&
               strcmp(x->preconditioner, y->preconditioner) == 0 && strcmp(x->device, y->device) == 0;
    case NB_FORECAST_SCENARIO: return strcmp(x->scenario, y->scenario) == 0;
    case NB_FORECAST_SCENE:
        return a->scenario == b->scenario && same_text(a->problem, b->problem) &&
               (!a->scenario ||
                memcmp(a->parameters, b->parameters, (size_t)a->scenario->parameter_count * sizeof(double)) == 0);
    default: return same_kind(a, b, NB_FORECAST_SOLVER) && same_kind(a, b, NB_FORECAST_SCENE);
    }
}

/* Three rows a contact of the scene as it is built, but no fewer than three contacts a body, which may be falling yet;
 * five rows a joint. */
static double rows_of_world(const nb_world *world, double time_step) {
    nb_contacts *contacts = NULL;
    double rows = 9.0 * world->body_count;
    if (nb_contacts_create(&contacts) == NB_OK && nb_contacts_detect(world, time_step, contacts) == NB_OK &&
        rows < 3.0 * contacts->count)
        rows = 3.0 * contacts->count;
    nb_contacts_destroy(contacts);
    return rows + 5.0 * world->joint_count;
}

/* the rows of a Newton system, about; of a file, a row in a hundred bytes */
static double count_rows(const look *l) {
    nb_world *world = NULL;
    struct stat file;
    double rows = 100;
    if (l->problem) return stat(l->problem, &file) == 0 ? (double)file.st_size / 100 : rows;
    if (l->scenario->build(l->parameters, l->info->seed, &world) == NB_OK)
        rows = rows_of_world(world, l->info->time_step);
    nb_world_destroy(world);
    return rows;
}

static int factorises(const nb_run_info *info) {
    static const char *const direct[] = {"cholesky", "dense-cholesky", "ldl", "klu", "umfpack", "multifrontal"};
    for (size_t i = 0; i < sizeof direct / sizeof *direct; i++)
        if (strcmp(info->linear_solver, direct[i]) == 0) return 1;
    return 0;
}

/* linear iterations of a Newton iteration, in those of PCR: a sweep counts as three; with a factorisation over the
 * bodies there are few, and that counts as a hundred */
static double count_linear(const nb_run_info *info) {
    if (strcmp(info->preconditioner, "lu") == 0) return 100;
    int sweeps = strcmp(info->linear_solver, "jacobi") == 0 || strcmp(info->linear_solver, "gauss-seidel") == 0;
    return info->linear_iterations * (sweeps ? 3.0 : 1.0);
}

static void fill_work(const nb_request *request, double rows, nb_forecast_work *w) {
    const nb_run_info *info = &request->info;
    *w = (nb_forecast_work){.rows = rows,
                            .steps = info->steps,
                            .settle = info->settle,
                            .newton = info->newton_iterations + info->lead,
                            .linear = count_linear(info),
                            .tolerance = info->newton_tolerance + request->relative_tolerance,
                            .direct = factorises(info),
                            .inner = strcmp(info->method, "interior-point") == 0,
                            .bound = request->limits,
                            .reference = info->reference,
                            .copies = info->batch > 1 ? info->batch : 0};
}

nb_status nb_workload(const nb_plan *plan, nb_forecast *forecast, nb_forecast_work *works) {
    nb_status status;
    look *looks = NULL;
    NB_TRY(NB_ALLOCATE(plan->count, &looks));
    for (int64_t i = 0; i < plan->count; i++) {
        const nb_request *request = plan->requests[i];
        nb_forecast_run *run = &forecast->runs[i];
        looks[i] = (look){.info = &request->info, .problem = request->problem_path};
        looks[i].scenario = request->choices.scenario;
        memcpy(looks[i].parameters, request->choices.parameters, sizeof looks[i].parameters);
        for (int kind = 0; kind < NB_FORECAST_KINDS; kind++) {
            int64_t first = 0;
            while (!same_kind(&looks[first], &looks[i], (nb_forecast_kind)kind)) first++;
            run->kind[kind] = (int32_t)first;
        }
        int32_t first = run->kind[NB_FORECAST_SCENE];
        looks[i].rows = first < i ? looks[first].rows : count_rows(&looks[i]);
        fill_work(request, looks[i].rows, &works[i]);
        run->prior = nb_forecast_prior(&works[i], 0);
        run->repeat_prior = nb_forecast_prior(&works[i], 1);
        run->passes = 1 + request->info.warmup;
        run->repeats = request->info.repeats;
    }
out:
    nb_free(looks);
    return status;
}
