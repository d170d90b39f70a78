/* Joining, and the calls of rank 0 that the other ranks repeat. */
#include "petsc/ranks.h"

#include <string.h>

struct nb_petsc_ranks nb_petsc_ranks = {.count = 1};

/* what a call of rank 0 is, for the others */
typedef struct call {
    int32_t function, set, iterations, monitored;
    double tolerance;
} call;
enum {
    CREATE,
    SET_UP_PATTERN,
    SET_UP_VALUES,
    SOLVE,
    DESTROY,
    LEAVE
};

static void tell(call c) {
    if (nb_petsc_ranks.rank == 0) MPI_Bcast(&c, sizeof c, MPI_BYTE, 0, MPI_COMM_WORLD);
}

NCPBENCH_EXPORT const char *ncpbench_petsc_join(const char *folder);
NCPBENCH_EXPORT void ncpbench_petsc_serve(void);
NCPBENCH_EXPORT void ncpbench_petsc_leave(void);

const char *ncpbench_petsc_join(const char *folder) {
    nb_petsc_factors f = {.bodies = 0};
    const char *text = nb_petsc_start(1);
    if (text) return text;
    MPI_Comm_size(MPI_COMM_WORLD, &nb_petsc_ranks.count);
    MPI_Comm_rank(MPI_COMM_WORLD, &nb_petsc_ranks.rank);
    text = nb_petsc_read_factors(folder, &f);
    if (!text) text = nb_petsc_take_rows(&f);
    nb_petsc_free_factors(&f);
    nb_petsc_ranks.joined = !text;
    return text;
}

void ncpbench_petsc_leave(void) {
    tell((call){.function = LEAVE});
    PetscFinalize();
}

int nb_petsc_joined(void) {
    return nb_petsc_ranks.joined;
}

const char *nb_petsc_ranks_about(void) {
    return nb_petsc_ranks.about;
}

double nb_petsc_sum(double own) {
    double all = own;
    if (nb_petsc_ranks.joined) MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* ---- solving together ---- */

/* rank 0 has all rows in the file's order (others: NULL), and nb_petsc_ranks.all has room for them in that of ranks */
static void scatter(const double *b) {
    for (int32_t i = 0; b && i < nb_petsc_ranks.all_rows; i++) nb_petsc_ranks.all[nb_petsc_ranks.place[i]] = b[i];
    MPI_Scatterv(nb_petsc_ranks.all, nb_petsc_ranks.row_count, nb_petsc_ranks.row_start, MPI_DOUBLE, nb_petsc_ranks.b,
                 nb_petsc_ranks.rows, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void gather(const double *x, double *all) {
    MPI_Gatherv(x, nb_petsc_ranks.rows, MPI_DOUBLE, nb_petsc_ranks.all, nb_petsc_ranks.row_count,
                nb_petsc_ranks.row_start, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int32_t i = 0; all && i < nb_petsc_ranks.all_rows; i++) all[i] = nb_petsc_ranks.all[nb_petsc_ranks.place[i]];
}

static void monitor(void *host, int32_t iteration, const double *x) {
    (void)host;
    double *all = nb_petsc_ranks.rank == 0 ? nb_petsc_ranks.all + nb_petsc_ranks.all_rows : NULL;
    gather(x, all);
    if (nb_petsc_ranks.rank == 0) nb_petsc_ranks.request->monitor(nb_petsc_ranks.request->host, iteration, all);
}

static void own_norm(void *host, double norm) {
    (void)host;
    if (nb_petsc_ranks.rank == 0) nb_petsc_ranks.request->own_norm(nb_petsc_ranks.request->host, norm);
}

static const char *solve_own(void *own, const call *c, ncpbench_outcome *outcome) {
    nb_petsc_ranks.own_request = (ncpbench_request_f64){.size = sizeof nb_petsc_ranks.own_request,
                                                        .iterations = c->iterations,
                                                        .tolerance = c->tolerance,
                                                        .monitor = c->monitored ? monitor : NULL,
                                                        .own_norm = own_norm};
    memset(nb_petsc_ranks.x, 0, (size_t)nb_petsc_ranks.rows * sizeof *nb_petsc_ranks.x);
    return nb_petsc_functions.solve(own, &nb_petsc_ranks.system, &nb_petsc_ranks.own_request, nb_petsc_ranks.x,
                                    outcome);
}

void nb_petsc_tell_create(int set) {
    if (nb_petsc_ranks.joined) tell((call){.function = CREATE, .set = set});
}

void nb_petsc_tell_destroy(void) {
    if (nb_petsc_ranks.joined) tell((call){.function = DESTROY});
}

static const char *lead_pattern(void *own, const ncpbench_system_f64 *system) {
    if (!nb_petsc_ranks.joined) return nb_petsc_functions.set_up_pattern(own, system);
    if (system->rows != nb_petsc_ranks.all_rows) return "A has other rows than J";
    tell((call){.function = SET_UP_PATTERN});
    return nb_petsc_functions.set_up_pattern(own, &nb_petsc_ranks.system);
}

static const char *lead_values(void *own, const ncpbench_system_f64 *system, ncpbench_outcome *outcome) {
    if (!nb_petsc_ranks.joined) return nb_petsc_functions.set_up_values(own, system, outcome);
    tell((call){.function = SET_UP_VALUES});
    return nb_petsc_functions.set_up_values(own, &nb_petsc_ranks.system, outcome);
}

static const char *lead_solve(void *own, const ncpbench_system_f64 *system, const ncpbench_request_f64 *request,
                              double *x, ncpbench_outcome *outcome) {
    if (!nb_petsc_ranks.joined) return nb_petsc_functions.solve(own, system, request, x, outcome);
    const call c = {SOLVE, 0, request->iterations, request->monitor != NULL, request->tolerance};
    nb_petsc_ranks.request = request;
    tell(c);
    scatter(system->b);
    const char *text = solve_own(own, &c, outcome);
    if (!text) gather(nb_petsc_ranks.x, x);
    return text;
}

const ncpbench_solver_f64 nb_petsc_lead = {
    .size = sizeof nb_petsc_lead, .set_up_pattern = lead_pattern, .set_up_values = lead_values, .solve = lead_solve};

/* the calls of rank 0, until it leaves; their faults are its own as well */
void ncpbench_petsc_serve(void) {
    void *own = NULL;
    call c = {.function = LEAVE};
    do {
        ncpbench_outcome outcome = {.size = sizeof outcome};
        const char *text = NULL;
        MPI_Bcast(&c, sizeof c, MPI_BYTE, 0, MPI_COMM_WORLD);
        const double values[] = {c.set};
        switch (c.function) {
        case CREATE: nb_petsc_create_shell(values, 64, &own); break;
        case SET_UP_PATTERN: nb_petsc_functions.set_up_pattern(own, &nb_petsc_ranks.system); break;
        case SET_UP_VALUES: nb_petsc_functions.set_up_values(own, &nb_petsc_ranks.system, &outcome); break;
        case SOLVE:
            scatter(NULL);
            text = solve_own(own, &c, &outcome);
            if (!text) gather(nb_petsc_ranks.x, NULL);
            break;
        case DESTROY:
            nb_petsc_destroy(own);
            own = NULL;
            break;
        default: break;
        }
    } while (c.function != LEAVE);
    PetscFinalize();
}
