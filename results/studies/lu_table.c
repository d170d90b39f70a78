/* The sparse LU solvers beside MUMPS, built where MUMPS is found: all factorise and solve the Newton systems of one
 * step of the interior point method, one after the other as the method does, on one thread. Systems are those over the
 * bodies (what the preconditioner `lu` factorises) and those over the contacts.
 *
 *     lu_table [rounds=N] [settle=N] [over=bodies|contacts] FILE | SCENARIO [NAME=VALUE...]
 *
 * A line a solver: medians over the rounds, in which the solvers take turns, of the analysis of the pattern, and of the
 * factorisation and one solution of the mean system [ms]; entries of L and U; the largest |b - A x| / |b| after the
 * step of refinement that the harness makes, and how many systems have it above 1e-8. Over the contacts many systems
 * are singular. Over the bodies none is, and it fails where ours leaves more residuals above 1e-8 than MUMPS as it
 * comes; nothing is asserted of times. */
#include <dmumps_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "contact/contact.h"
#include "file/contact_file.h"
#include "linear/lu.h"
#include "measure/measure.h"
#include "precond/over_nodes.h"
#include "run/blas.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/stepper.h"

enum {
    MOST_SYSTEMS = 40,
    MOST_ROUNDS = 101,
    MOST_ROWS = 6000, /* over the contacts: beyond, entries alone take a gigabyte */
    USE_COMM_WORLD = -987654
};

static const double few = 1e-8, shift = 1e-10; /* of the preconditioner lu */

/* ---- MUMPS ---- */

/* as MUMPS counts its parameters */
#define ICNTL(i) icntl[(i)-1]

typedef struct mumps {
    DMUMPS_STRUC_C id;
    MUMPS_INT *row, *column;
} mumps;

static nb_status mumps_begin(void **state) {
    mumps *m;
    nb_status status = NB_ALLOCATE(1, &m);
    *state = m;
    if (status != NB_OK) return status;
    m->id.par = 1;
    m->id.sym = 0;
    m->id.comm_fortran = USE_COMM_WORLD;
    m->id.job = -1;
    dmumps_c(&m->id);
    for (int i = 1; i <= 4; i++) m->id.ICNTL(i) = i < 4 ? -1 : 0; /* no words */
    return NB_OK;
}

/* its matrices have good pivots on the diagonal: no search for others before the analysis, order by minimum degree */
static nb_status mumps_begin_diagonal(void **state) {
    nb_status status = mumps_begin(state);
    if (status != NB_OK) return status;
    mumps *m = *state;
    m->id.ICNTL(6) = 0;
    m->id.ICNTL(7) = 0;
    return NB_OK;
}

static void mumps_end(void *state) {
    mumps *m = state;
    if (!m) return;
    m->id.job = -2;
    dmumps_c(&m->id);
    nb_free(m->row);
    nb_free(m->column);
    nb_free(m);
}

static nb_status mumps_do(mumps *m, int job, const char *what) {
    m->id.job = job;
    dmumps_c(&m->id);
    if (m->id.infog[0] >= 0) return NB_OK;
    return nb_fail(NB_ERROR_NUMERIC, "MUMPS: %s ended with %d, %d", what, (int)m->id.infog[0], (int)m->id.infog[1]);
}

static nb_status mumps_analyse(void *state, const nb_lu_matrix *a) {
    mumps *m = state;
    nb_status status;
    int64_t count = a->start[a->rows];
    nb_free(m->row);
    nb_free(m->column);
    m->row = m->column = NULL;
    NB_TRY(NB_ALLOCATE(count, &m->row));
    NB_TRY(NB_ALLOCATE(count, &m->column));
    for (SuiteSparse_long i = 0; i < a->rows; i++)
        for (SuiteSparse_long k = a->start[i]; k < a->start[i + 1]; k++) {
            m->row[k] = (MUMPS_INT)i + 1;
            m->column[k] = (MUMPS_INT)a->column[k] + 1;
        }
    m->id.n = (MUMPS_INT)a->rows;
    m->id.nnz = count;
    m->id.irn = m->row;
    m->id.jcn = m->column;
    m->id.a = a->value;
    NB_TRY(mumps_do(m, 1, "analysis"));
out:
    return status;
}

static nb_status mumps_factorise(void *state, const nb_lu_matrix *a, int fresh, nb_lu_factors *factors) {
    enum {
        SINGULAR = -10,
        ROOM = -9
    };
    mumps *m = state;
    (void)fresh;
    m->id.a = a->value;
    nb_status status = mumps_do(m, 2, "factorisation");
    for (int i = 0; i < 5 && status != NB_OK && m->id.infog[0] == ROOM; i++) {
        m->id.ICNTL(14) *= 2;
        status = mumps_do(m, 2, "factorisation");
    }
    if (m->id.infog[0] == SINGULAR) {
        factors->failed_row = 0;
        return NB_OK;
    }
    factors->nonzeros = m->id.infog[28] > 0 ? m->id.infog[28] : -1000000 * (int64_t)m->id.infog[28];
    return status;
}

static nb_status mumps_solve(void *state, const nb_lu_matrix *a, int transposed, double *x) {
    mumps *m = state;
    (void)a;
    m->id.ICNTL(9) = !transposed;
    m->id.rhs = x;
    m->id.nrhs = 1;
    m->id.lrhs = m->id.n;
    return mumps_do(m, 3, "solution");
}

#define MUMPS(text, begin)                                                                                           \
    {                                                                                                                \
        .name = text, .create = begin, .destroy = mumps_end, .analyse = mumps_analyse, .factorise = mumps_factorise, \
        .solve = mumps_solve                                                                                         \
    }
static const nb_lu_library mumps_default = MUMPS("MUMPS", mumps_begin),
                           mumps_diagonal = MUMPS("MUMPS, AMD", mumps_begin_diagonal);

enum {
    OURS,
    THEIRS = 3, /* MUMPS as it comes */
    SOLVERS = 5
};
static const nb_lu_library *const solvers[SOLVERS] = {&nb_lu_multifrontal, &nb_lu_umfpack, &nb_lu_klu, &mumps_default,
                                                      &mumps_diagonal};

/* ---- the systems ---- */

/* those of one step that have one pattern */
typedef struct series {
    const char *over;
    int wanted, count;
    nb_lu_matrix matrix; /* its values are one system's */
    double *value[MOST_SYSTEMS], *b[MOST_SYSTEMS];
} series;

typedef struct collected {
    series bodies, contacts;
} collected;

static nb_status add_system(series *s, const nb_lu_matrix *a, const double *b) {
    nb_status status = NB_OK;
    int64_t entries = a->start[a->rows], rows = a->rows;
    if (s->count == MOST_SYSTEMS) return NB_OK;
    if (s->count == 0) {
        NB_TRY(nb_lu_matrix_reserve(&s->matrix, rows, entries));
        memcpy(s->matrix.start, a->start, ((size_t)rows + 1) * sizeof *a->start);
        memcpy(s->matrix.column, a->column, (size_t)entries * sizeof *a->column);
        memcpy(s->matrix.triple, a->triple, (size_t)rows);
        s->matrix.scaled = a->scaled;
    } else if (rows != s->matrix.rows || entries != s->matrix.start[rows]) {
        return NB_OK;
    }
    NB_TRY(NB_ALLOCATE(entries, &s->value[s->count]));
    NB_TRY(NB_ALLOCATE(rows, &s->b[s->count]));
    memcpy(s->value[s->count], a->value, (size_t)entries * sizeof *a->value);
    memcpy(s->b[s->count], b, (size_t)rows * sizeof *b);
    s->count++;
out:
    return status;
}

static nb_status add_over_contacts(series *s, nb_system *system) {
    nb_status status;
    nb_lu_matrix a = {0};
    const nb_csr *entries;
    NB_TRY(nb_system_matrix(system, &entries));
    NB_TRY(nb_lu_matrix_copy(&a, entries, system->filled));
    a.scaled = system->k != NULL;
    NB_TRY(add_system(s, &a, system->b));
out:
    nb_lu_matrix_clear(&a);
    return status;
}

static nb_status add_over_nodes(series *s, nb_system *system) {
    nb_status status;
    nb_over_nodes over = {0};
    NB_TRY(nb_over_nodes_set_pattern(&over, system));
    nb_over_nodes_set_values(&over, system, shift);
    NB_TRY(add_system(s, &over.matrix, nb_primal_begin(&over.primal, system->b)));
out:
    nb_over_nodes_clear(&over);
    return status;
}

/* hears the Newton systems of the step */
static nb_status collect(void *context, int32_t newton, void *system_of_iteration, const void *problem) {
    collected *c = context;
    nb_status status = NB_OK;
    nb_system *system = (nb_system *)(uintptr_t)system_of_iteration; /* its entries are made on demand */
    (void)newton, (void)problem;
    if (system->rows == 0) return NB_OK;
    if (c->bodies.wanted && nb_primal_fits(system->delassus)) NB_TRY(add_over_nodes(&c->bodies, system));
    if (c->contacts.wanted && system->rows <= MOST_ROWS) NB_TRY(add_over_contacts(&c->contacts, system));
out:
    return status;
}

static void clear(series *s) {
    for (int i = 0; i < s->count; i++) {
        nb_free(s->value[i]);
        nb_free(s->b[i]);
    }
    nb_lu_matrix_clear(&s->matrix);
}

/* ---- the comparison ---- */

typedef struct result {
    double analysis[MOST_ROUNDS], factor[MOST_ROUNDS], solve[MOST_ROUNDS]; /* [s] of a round */
    double residual;
    int failed;
    int64_t nonzeros;
} result;

/* r = b - A x; |r| / |b| */
static double residual(const nb_lu_matrix *a, const double *b, const double *x, double *r) {
    double sum = 0, size = 0;
    for (SuiteSparse_long i = 0; i < a->rows; i++) {
        r[i] = b[i];
        for (SuiteSparse_long k = a->start[i]; k < a->start[i + 1]; k++) r[i] -= a->value[k] * x[a->column[k]];
        sum += r[i] * r[i];
        size += b[i] * b[i];
    }
    return size > 0 ? sqrt(sum / size) : 0;
}

static nb_status solve_once(const nb_lu_library *l, void *state, const nb_lu_matrix *a, const double *b, double *x) {
    memcpy(x, b, (size_t)a->rows * sizeof *x);
    return l->solve(state, a, 0, x);
}

/* One system: factors, new ones where old pivots do not do, and a solution, both timed; then refined. */
static nb_status take_turn(const nb_lu_library *l, void *state, const nb_lu_matrix *a, const double *b, double *x,
                           double *r, double *factor_s, double *solve_s, double *size, int64_t *nonzeros) {
    nb_status status = NB_OK;
    *size = INFINITY;
    for (int fresh = 0; fresh < 2; fresh++) {
        nb_lu_factors factors = {.failed_row = -1, .replaced_row = -1};
        double start = nb_clock_seconds();
        NB_TRY(l->factorise(state, a, fresh, &factors));
        double factorised = nb_clock_seconds();
        *factor_s += factorised - start;
        if (factors.failed_row >= 0) return NB_OK;
        *nonzeros = factors.nonzeros;
        NB_TRY(solve_once(l, state, a, b, x));
        double solved = nb_clock_seconds() - factorised;
        *size = residual(a, b, x, r);
        if (!(*size <= few) && factors.old_pivots) continue;
        *solve_s += solved;
        break;
    }
    NB_TRY(l->solve(state, a, 0, r));
    for (SuiteSparse_long i = 0; i < a->rows; i++) x[i] += r[i];
    *size = residual(a, b, x, r);
out:
    return status;
}

static nb_status run_round(series *s, const nb_lu_library *l, int round, double *x, double *r, result *out) {
    nb_status status;
    void *state = NULL;
    nb_lu_matrix *a = &s->matrix;
    double *kept = a->value, analysis_s = 0, factor_s = 0, solve_s = 0;
    NB_TRY(l->create(&state));
    a->value = s->value[0];
    double start = nb_clock_seconds();
    NB_TRY(l->analyse(state, a));
    analysis_s = nb_clock_seconds() - start;
    out->failed = 0;
    out->residual = 0;
    for (int i = 0; i < s->count; i++) {
        double size;
        a->value = s->value[i];
        NB_TRY(take_turn(l, state, a, s->b[i], x, r, &factor_s, &solve_s, &size, &out->nonzeros));
        if (!(size <= few)) out->failed++;
        if (!(size <= out->residual)) out->residual = size;
    }
out:
    a->value = kept;
    if (round >= 0) {
        out->analysis[round] = analysis_s;
        out->factor[round] = factor_s / s->count;
        out->solve[round] = solve_s / s->count;
    }
    l->destroy(state);
    return status;
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ms(double *x, int count) {
    qsort(x, (size_t)count, sizeof *x, compare_numbers);
    return 1e3 * x[count / 2];
}

static nb_status compare(series *s, int rounds, int *worse) {
    static result results[SOLVERS];
    nb_status status = NB_OK;
    double *x = NULL, *r = NULL;
    if (s->count == 0) return NB_OK;
    NB_TRY(NB_ALLOCATE(s->matrix.rows, &x));
    NB_TRY(NB_ALLOCATE(s->matrix.rows, &r));
    for (int round = -1; round < rounds; round++) /* the first one warms up */
        for (int i = 0; i < SOLVERS; i++) {
            int k = (i + round + SOLVERS) % SOLVERS;
            NB_TRY(run_round(s, solvers[k], round, x, r, &results[k]));
        }
    printf("over the %s: %lld rows, %lld entries, %d systems\n", s->over, (long long)s->matrix.rows,
           (long long)s->matrix.start[s->matrix.rows], s->count);
    printf("  %-18s %9s %9s %9s %9s  %-8s %s\n", "", "analysis", "factor", "solve", "entries", "residual",
           "above 1e-8");
    for (int i = 0; i < SOLVERS; i++) {
        result *o = &results[i];
        printf("  %-18s %9.3f %9.3f %9.4f %9lld  %.1e  %d\n", solvers[i]->name, median_ms(o->analysis, rounds),
               median_ms(o->factor, rounds), median_ms(o->solve, rounds), (long long)o->nonzeros, o->residual,
               o->failed);
    }
    fflush(stdout);
    *worse = results[OURS].failed > results[THEIRS].failed;
out:
    nb_free(x);
    nb_free(r);
    return status;
}

/* ---- where the systems come from ---- */

typedef struct task {
    nb_request request;
    int rounds, settle;
    collected systems;
} task;

static nb_status read_words(int argc, char **argv, task *t) {
    nb_request *request = &t->request;
    nb_request_standard(request);
    snprintf(request->info.method, sizeof request->info.method, "interior-point");
    *t = (task){.request = *request, .rounds = 9, .settle = 30};
    t->systems.bodies = (series){.over = "bodies", .wanted = 1};
    t->systems.contacts = (series){.over = "contacts", .wanted = 1};
    for (int i = 1; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        printf("%s%s", i > 1 ? " " : "", argv[i]);
        if (!equals && strchr(argv[i], '.')) {
            request->problem_path = argv[i];
        } else if (!equals) {
            snprintf(request->info.scenario, sizeof request->info.scenario, "%s", argv[i]);
        } else if (strncmp(argv[i], "rounds=", 7) == 0) {
            t->rounds = atoi(equals + 1);
        } else if (strncmp(argv[i], "settle=", 7) == 0) {
            t->settle = atoi(equals + 1);
        } else if (strncmp(argv[i], "over=", 5) == 0) {
            t->systems.bodies.wanted = strcmp(equals + 1, "bodies") == 0;
            t->systems.contacts.wanted = !t->systems.bodies.wanted;
        } else if (request->setting_count < NB_MAX_SETTINGS) {
            nb_setting *setting = &request->settings[request->setting_count++];
            snprintf(setting->name, sizeof setting->name, "%.*s", (int)(equals - argv[i]), argv[i]);
            snprintf(setting->value, sizeof setting->value, "%s", equals + 1);
        }
    }
    printf("\n");
    if (t->rounds < 1 || t->rounds > MOST_ROUNDS) return nb_fail(NB_ERROR_USAGE, "1 to %d rounds", MOST_ROUNDS);
    return nb_simulate_prepare(request);
}

static nb_status take_file(task *t) {
    nb_status status;
    nb_method_settings settings = nb_request_settings(&t->request);
    nb_fclib_problem *file = NULL;
    nb_measure *measure = NULL;
    void *stepper = NULL;
    double *impulse = NULL;
    nb_step_outcome outcome;
    nb_step_counts counts;
    nb_observer observer = {.context = &t->systems, .system = collect};
    NB_TRY(nb_contact_file_read(t->request.problem_path, &file));
    NB_TRY(nb_measure_create_file(&file->data, &measure));
    NB_TRY(NB_ALLOCATE(nb_file_data_rows(&file->data), &impulse));
    settings.relative_tolerance = 1e-8;
    NB_TRY(nb_stepper_f64.create("interior-point", &settings, &stepper));
    NB_TRY(nb_stepper_f64.solve(stepper, &file->data, measure, &observer, &outcome, &counts, impulse));
out:
    if (stepper) nb_stepper_f64.destroy(stepper);
    nb_free(impulse);
    nb_measure_destroy(measure);
    nb_fclib_destroy(file);
    return status;
}

static nb_status take_scene(task *t) {
    nb_status status;
    const nb_choices *choices = &t->request.choices;
    nb_world *world = NULL;
    nb_contacts *contacts = NULL;
    nb_measure *measure = NULL;
    void *stepper = NULL;
    nb_step_outcome outcome;
    nb_step_counts counts;
    nb_observer observer = {.context = &t->systems, .system = collect};
    double h = t->request.info.time_step;
    nb_method_settings settings = nb_request_settings(&t->request), reference = nb_lead_settings();
    reference.newton_iterations = 30;
    reference.newton_tolerance = 1e-9;
    NB_TRY(choices->scenario->build(choices->parameters, t->request.info.seed, &world));
    NB_TRY(nb_contacts_create(&contacts));
    NB_TRY(nb_measure_create(&measure));
    NB_TRY(nb_stepper_f64.create("newton", &reference, &stepper));
    for (int step = 0; step <= t->settle; step++) {
        int last = step == t->settle;
        if (last) NB_TRY(nb_stepper_f64.configure(stepper, "interior-point", &settings));
        if (world->prescribe) world->prescribe(world, h);
        NB_TRY(nb_contacts_detect(world, h, contacts));
        NB_TRY(nb_measure_begin(measure, world, contacts, h, NB_GEOMETRY_UPDATED));
        NB_TRY(nb_stepper_f64.begin(stepper, world, contacts, h, NB_GEOMETRY_UPDATED));
        NB_TRY(nb_stepper_f64.step(stepper, world, contacts, h, !last, measure, last ? &observer : NULL, &outcome,
                                   &counts, NULL));
    }
    printf("%d contacts, ", (int)counts.contacts);
out:
    if (stepper) nb_stepper_f64.destroy(stepper);
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
    return status;
}

static nb_status run(int argc, char **argv, task *t, int *worse) {
    nb_status status;
    NB_TRY(read_words(argc, argv, t));
    NB_TRY(t->request.problem_path ? take_file(t) : take_scene(t));
    if (t->systems.bodies.count + t->systems.contacts.count == 0)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "there are no systems of fewer than %d rows", MOST_ROWS + 1));
    int unsolved; /* over the contacts nothing follows from it */
    NB_TRY(compare(&t->systems.contacts, t->rounds, &unsolved));
    NB_TRY(compare(&t->systems.bodies, t->rounds, worse));
out:
    clear(&t->systems.bodies);
    clear(&t->systems.contacts);
    nb_free(t->request.info.parameters);
    return status;
}

int main(int argc, char **argv) {
    static task t;
    int worse = 0;
    nb_blas_restart(argv);
    nb_blas_set_threads(1);
    nb_status status = run(argc, argv, &t, &worse);
    fflush(stdout);
    if (status != NB_OK) fprintf(stderr, "lu_table: %s\n", nb_error_message());
    if (worse) fprintf(stderr, "lu_table: ours leaves a residual above %g where MUMPS does not\n", few);
    return status != NB_OK || worse;
}
