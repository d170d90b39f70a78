/* The contract of linear solvers (linear_solver.h), clause by clause, of every entry of the table with every
 * preconditioner where it takes one, called as the harness calls it; and for each clause an entry that breaks it. */
#include "contract.h"
#include "linear_solver.h"
#include "preconditioner_variants.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;

enum {
    ENOUGH = 20000, /* iterations of the slowest, l1-Jacobi */
    FEW = 3,
    MARK = 77 /* of what is not to be written */
};

typedef struct entry {
    const nb_linear_solver_class *type;
    const nb_preconditioner_class *with; /* NULL: it takes none */
    double values[MOST_OPTIONS];
} entry;

static entry entry_of(const nb_linear_solver_class *type, const nb_preconditioner_class *with) {
    entry e = {.type = type, .with = type->takes_preconditioner ? with : NULL};
    assert_true(type->option_count <= MOST_OPTIONS);
    nb_options_standard(type->options, type->option_count, e.values);
    if (strcmp(type->name, "jacobi") == 0) /* the only variant that converges on every positive definite system */
        CHECK_OK(nb_options_set(type->options, type->option_count, type->name, "variant", "l1", e.values));
    return e;
}

/* solves nothing, by design */
static int does_nothing(const entry *e) {
    return strcmp(e->type->name, "overhead") == 0;
}

/* half the digits: far above the round-off of a residual */
static double half_the_digits(void) {
    return sqrt(epsilon);
}

/* an entry at work */
typedef struct worker {
    const entry *e;
    void *state, *with;
    nb_linear_outcome outcome;
    nb_reason set_up; /* what broke down there: nothing is solved then */
    real x[MOST + 1];
    /* what the monitor heard */
    int rows, heard, in_order;
    real first[MOST], last[MOST];
} worker;

static nb_status worker_try(const entry *e, nb_system *system, worker *w) {
    nb_status status;
    nb_reason reason = NB_REASON_NONE;
    *w = (worker){.e = e, .outcome = {.failed_row = -1}, .rows = system->rows};
    NB_TRY(e->type->create(e->values, &w->state));
    if (e->with) {
        const variant v = variant_of(e->with);
        NB_TRY(e->with->create(v.values, &w->with));
        NB_TRY(e->with->set_up_pattern(w->with, system));
        NB_TRY(e->with->set_up_values(w->with, system, &reason));
    }
    NB_TRY(e->type->set_up_pattern(w->state, system));
    NB_TRY(e->type->set_up_values(w->state, system, &w->outcome));
    w->set_up = w->outcome.reason;
out:
    return status;
}

static void worker_create(const entry *e, nb_system *system, worker *w) {
    CHECK_OK(worker_try(e, system, w));
}

static void worker_set_values(worker *w, nb_system *system) {
    nb_reason reason = NB_REASON_NONE;
    if (w->with) CHECK_OK(w->e->with->set_up_values(w->with, system, &reason));
    w->outcome.reason = NB_REASON_NONE;
    CHECK_OK(w->e->type->set_up_values(w->state, system, &w->outcome));
    w->set_up = w->outcome.reason;
}

static void worker_destroy(worker *w) {
    w->e->type->destroy(w->state);
    if (w->e->with) w->e->with->destroy(w->with);
}

static void hear(void *context, int32_t iteration, const void *x) {
    worker *w = context;
    w->in_order = (w->heard == 0 || w->in_order) && iteration == w->heard;
    memcpy(w->heard ? w->last : w->first, x, (size_t)w->rows * sizeof(real));
    if (w->heard++ == 0) memcpy(w->last, x, (size_t)w->rows * sizeof(real));
}

static void worker_solve(worker *w, nb_system *system, nb_linear_stop stop, int monitored) {
    const nb_linear_request request = {.stop = stop,
                                       .monitor = monitored ? hear : NULL,
                                       .monitor_context = w,
                                       .preconditioner = w->e->with,
                                       .preconditioner_state = w->with};
    memset(w->x, 0, sizeof w->x);
    w->x[system->rows] = MARK;
    w->heard = w->in_order = 0;
    w->outcome.iterations = 0;
    w->outcome.reason = w->set_up;
    if (w->set_up != NB_REASON_NONE) return;
    CHECK_OK(w->e->type->solve(w->state, system, &request, w->x, &w->outcome));
}

static nb_linear_stop until(double tolerance) {
    return (nb_linear_stop){.iterations = ENOUGH, .tolerance = tolerance};
}

/* a random system of contacts that the entry takes: positive definite; with blocks that are not symmetric, as well,
 * where `unsymmetric` and it says so */
static void draw_system(const entry *e, int unsymmetric, uint64_t *seed, random_system *t) {
    random_system_create(seed, 0, 0.5, t);
    if (unsymmetric && e->type->takes_unsymmetric && (!e->with || e->with->takes_unsymmetric))
        random_system_add_blocks(seed, t);
}

static const char *end(worker *w, random_system *t, const char *fault) {
    if (w) worker_destroy(w);
    random_system_destroy(t);
    return fault;
}

/* r = b - A x in double */
static double residual_of(const random_system *t, const real *x, double *r) {
    double sum = 0;
    for (int i = 0; i < t->rows; i++) {
        r[i] = (double)t->system->b[i];
        for (int j = 0; j < t->rows; j++) r[i] -= t->dense[i][j] * (double)x[j];
        sum += r[i] * r[i];
    }
    return sqrt(sum);
}

/* ---- the clauses ---- */

static const char *has_a_name(const entry *e, uint64_t *seed) {
    (void)seed;
    return named(e->type->name, e->type->summary);
}

/* of a residual that it forms itself, which rounds otherwise; what round-off leaves of one is far less */
static const char *solves(const entry *e, uint64_t *seed) {
    const char *fault = NULL;
    for (int unsymmetric = 0; unsymmetric < 2 && !does_nothing(e); unsymmetric++) {
        random_system t;
        worker w;
        real zero[MOST] = {0};
        double r[MOST];
        draw_system(e, unsymmetric, seed, &t);
        worker_create(e, t.system, &w);
        worker_solve(&w, t.system, until(half_the_digits()), 0);
        double share = residual_of(&t, w.x, r) / residual_of(&t, zero, r);
        if (!nb_reason_converged(w.outcome.reason)) fault = broken("it ends as %s", nb_reason_name(w.outcome.reason));
        if (!(share <= 1.01 * half_the_digits())) fault = broken("a residual of %.3g of b is left", share);
        end(&w, &t, NULL);
    }
    return fault;
}

/* |P r| and sqrt(r . P r) where they are asked for: iterates carry r along, so that twice the tolerance is allowed */
static const char *measures_the_norm(const entry *e, uint64_t *seed) {
    const char *fault = NULL;
    const double tolerance = half_the_digits();
    for (int norm = NB_NORM_TRUE + 1; norm < NB_LINEAR_NORMS && e->with && !e->type->true_norm_only; norm++) {
        random_system t;
        worker w;
        double size[2];
        draw_system(e, 0, seed, &t);
        worker_create(e, t.system, &w);
        worker_solve(&w, t.system, (nb_linear_stop){ENOUGH, tolerance, (nb_linear_norm)norm}, 0);
        for (int k = 0; k < 2; k++) {
            double r[MOST], squares = 0, product = 0;
            real zero[MOST] = {0}, given[MOST], z[MOST];
            residual_of(&t, k ? w.x : zero, r);
            for (int i = 0; i < t.rows; i++) given[i] = (real)r[i];
            e->with->apply(w.with, given, z);
            for (int i = 0; i < t.rows; i++) {
                squares += (double)z[i] * (double)z[i];
                product += (double)z[i] * r[i];
            }
            size[k] = sqrt(norm == NB_NORM_PRECONDITIONED ? squares : product);
        }
        if (!(size[1] <= 2 * tolerance * size[0])) fault = broken("norm %d: %.3g is left", norm, size[1] / size[0]);
        end(&w, &t, NULL);
    }
    return fault;
}

/* once more, and by a new state, in the same bits */
static const char *repeats_bits(const entry *e, uint64_t *seed) {
    random_system t;
    worker w, other;
    real first[MOST];
    draw_system(e, 1, seed, &t);
    worker_create(e, t.system, &w);
    worker_create(e, t.system, &other);
    worker_solve(&w, t.system, until(half_the_digits()), 0);
    memcpy(first, w.x, sizeof first);
    worker_solve(&w, t.system, until(half_the_digits()), 0);
    worker_solve(&other, t.system, until(half_the_digits()), 0);
    int again = differs(t.rows, first, w.x, sizeof(real)), anew = differs(t.rows, first, other.x, sizeof(real));
    worker_destroy(&other);
    return end(&w, &t, again >= 0 || anew >= 0 ? broken("row %d differs", again >= 0 ? again : anew) : NULL);
}

/* who listens changes nothing */
static const char *is_not_changed_by_a_monitor(const entry *e, uint64_t *seed) {
    random_system t;
    worker w;
    real alone[MOST];
    draw_system(e, 1, seed, &t);
    worker_create(e, t.system, &w);
    worker_solve(&w, t.system, until(half_the_digits()), 0);
    memcpy(alone, w.x, sizeof alone);
    int iterations = w.outcome.iterations;
    worker_solve(&w, t.system, until(half_the_digits()), 1);
    int at = differs(t.rows, alone, w.x, sizeof(real));
    return end(&w, &t,
               at >= 0 || iterations != w.outcome.iterations
                   ? broken("row %d differs, after %d iterations and %d", at, iterations, w.outcome.iterations)
                   : NULL);
}

/* from 0, with x = 0, to the last, with the solution, one after the other */
static const char *shows_its_iterates(const entry *e, uint64_t *seed) {
    random_system t;
    worker w;
    const char *fault = NULL;
    draw_system(e, 1, seed, &t);
    worker_create(e, t.system, &w);
    worker_solve(&w, t.system, until(half_the_digits()), 1);
    if (!w.in_order || w.heard != w.outcome.iterations + 1)
        fault = broken("%d calls, in order: %d, of %d iterations", w.heard, w.in_order, w.outcome.iterations);
    for (int i = 0; i < t.rows && w.heard > 0; i++) {
        if (w.first[i] != 0) fault = broken("it does not start at zero");
        if (w.last[i] != w.x[i]) fault = broken("row %d of the last iterate is not that of the solution", i);
    }
    return end(&w, &t, fault);
}

static const char *keeps_to_the_most_iterations(const entry *e, uint64_t *seed) {
    random_system t;
    worker w;
    const char *fault = NULL;
    draw_system(e, 1, seed, &t);
    worker_create(e, t.system, &w);
    worker_solve(&w, t.system, (nb_linear_stop){.iterations = FEW}, 0);
    if (w.outcome.iterations > FEW) fault = broken("%d iterations of %d", w.outcome.iterations, FEW);
    /* round-off it may be, by a preconditioner that is nearly the inverse; a tolerance of zero is not met */
    if (w.outcome.iterations == FEW && !e->type->direct && nb_reason_converged(w.outcome.reason) &&
        w.outcome.reason != NB_REASON_ROUND_OFF)
        fault = broken("it ends as %s after %d", nb_reason_name(w.outcome.reason), FEW);
    if (e->type->direct && w.outcome.iterations > 1) fault = broken("a direct one iterates");
    return end(&w, &t, fault);
}

/* few iterations by P and by its P = 1 are not the same */
static const char *uses_its_preconditioner(const entry *e, uint64_t *seed) {
    random_system t;
    worker w, other;
    entry plain = *e;
    if (!e->with || strcmp(e->with->name, "none") == 0) return NULL;
    CHECK_OK(nb_preconditioner_find("none", &plain.with));
    draw_system(e, 0, seed, &t);
    worker_create(e, t.system, &w);
    worker_create(&plain, t.system, &other);
    worker_solve(&w, t.system, (nb_linear_stop){.iterations = FEW}, 0);
    worker_solve(&other, t.system, (nb_linear_stop){.iterations = FEW}, 0);
    int at = differs(t.rows, w.x, other.x, sizeof(real));
    worker_destroy(&other);
    return end(&w, &t, at < 0 ? broken("iterates are those without it") : NULL);
}

/* neither inside a solve nor for new values */
static const char *allocates_for_patterns_alone(const entry *e, uint64_t *seed) {
    random_system t;
    worker w;
    draw_system(e, 1, seed, &t);
    worker_create(e, t.system, &w);
    int64_t before = nb_allocation_count();
    worker_solve(&w, t.system, until(half_the_digits()), 0);
    nb_system_values_changed(t.system);
    worker_set_values(&w, t.system);
    worker_solve(&w, t.system, until(half_the_digits()), 0);
    int made = (int)(nb_allocation_count() - before);
    return end(&w, &t, made > 0 ? broken("%d allocations", made) : NULL);
}

static const char *writes_the_solution_alone(const entry *e, uint64_t *seed) {
    random_system t;
    worker w;
    real b[MOST], s[MOST], c[MOST];
    const char *fault = NULL;
    draw_system(e, 1, seed, &t);
    const size_t size = (size_t)t.rows * sizeof(real);
    memcpy(b, t.system->b, size);
    memcpy(s, t.system->s, size);
    memcpy(c, t.system->c, size);
    worker_create(e, t.system, &w);
    worker_solve(&w, t.system, until(half_the_digits()), 0);
    if (w.x[t.rows] != MARK) fault = broken("what follows the last row is written");
    if (memcmp(b, t.system->b, size) != 0) fault = broken("the right-hand side is written");
    if (memcmp(s, t.system->s, size) != 0 || memcmp(c, t.system->c, size) != 0) fault = broken("A is written");
    return end(&w, &t, fault);
}

/* new values, and a new pattern of the same entries: the bits of a new state */
static const char *follows_values(const entry *e, uint64_t *seed) {
    random_system t;
    worker w, other;
    const char *fault = NULL;
    draw_system(e, 1, seed, &t);
    worker_create(e, t.system, &w);
    for (int pattern = 0; pattern < 2; pattern++) {
        for (int i = 0; i < t.rows; i++) t.system->c[i] += (real)(1 + i % 3);
        if (pattern) nb_system_pattern_changed(t.system);
        nb_system_values_changed(t.system);
        if (pattern && w.with) CHECK_OK(e->with->set_up_pattern(w.with, t.system));
        if (pattern) CHECK_OK(e->type->set_up_pattern(w.state, t.system));
        worker_set_values(&w, t.system);
        worker_create(e, t.system, &other);
        worker_solve(&w, t.system, until(half_the_digits()), 0);
        worker_solve(&other, t.system, until(half_the_digits()), 0);
        if (differs(t.rows, w.x, other.x, sizeof(real)) >= 0) fault = broken("x is not that of a new state");
        worker_destroy(&other);
    }
    return end(&w, &t, fault);
}

static const char *takes_zero_and_no_rows(const entry *e, uint64_t *seed) {
    const char *fault = NULL;
    for (int rows = 0; rows < 2; rows++) {
        random_system t;
        worker w;
        double dense[MOST][MOST] = {{0}};
        if (rows) {
            draw_system(e, 1, seed, &t);
            memset(t.system->b, 0, (size_t)t.rows * sizeof(real));
        } else {
            system_of_dense(0, dense, 0, NULL, 0, NULL, &t);
        }
        worker_create(e, t.system, &w);
        worker_solve(&w, t.system, until(half_the_digits()), 0);
        for (int i = 0; i < t.rows; i++)
            if (w.x[i] != 0) fault = broken("x is not zero where b is");
        if (w.x[t.rows] != MARK) fault = broken("x is written where there are no rows");
        end(&w, &t, NULL);
    }
    e->type->destroy(NULL); /* allowed */
    return fault;
}

/* whichever allocation fails, of making or set-up: a fault, and nothing leaked */
static const char *survives_failing_allocations(const entry *e, uint64_t *seed) {
    random_system t;
    const nb_csr *matrix;
    const char *fault = NULL;
    nb_status status = NB_ERROR_MEMORY;
    random_system_create(seed, 0, 0.5, &t);
    CHECK_OK(nb_system_matrix(t.system, &matrix)); /* which the system keeps */
    for (int64_t successes = 0; status != NB_OK && !fault; successes++) {
        int64_t held = nb_allocation_held();
        worker w;
        nb_allocation_fail_after(successes);
        status = worker_try(e, t.system, &w);
        nb_allocation_fail_after(-1);
        worker_destroy(&w);
        if (nb_allocation_held() != held) fault = broken("memory is kept after failure %d", (int)successes);
        if (status != NB_OK && status != NB_ERROR_MEMORY) fault = broken("status %d of an allocation", (int)status);
    }
    return end(NULL, &t, fault);
}

/* ---- entries that break them ---- */

static const nb_linear_solver_class *right; /* what is put wrong */
static int calls;

static nb_status solve_rightly(void *state, nb_system *system, const nb_linear_request *request, real *x,
                               nb_linear_outcome *outcome) {
    return right->solve(state, system, request, x, outcome);
}

#define WRONG(name)                                                                                  \
    static nb_status name(void *state, nb_system *system, const nb_linear_request *request, real *x, \
                          nb_linear_outcome *outcome)

WRONG(off_by_a_little) {
    nb_status status = solve_rightly(state, system, request, x, outcome);
    for (int32_t i = 0; i < system->rows; i++) x[i] *= R(1.01); /* a hundredth of b is left */
    return status;
}

WRONG(lax_in_other_norms) {
    nb_linear_request lax = *request;
    if (lax.stop.norm != NB_NORM_TRUE) lax.stop.tolerance *= 30;
    return solve_rightly(state, system, &lax, x, outcome);
}

WRONG(wandering) {
    nb_status status = solve_rightly(state, system, request, x, outcome);
    x[3] *= 1 + (real)(calls++ % 7) * NB_REAL_EPSILON;
    return status;
}

WRONG(shy) {
    nb_status status = solve_rightly(state, system, request, x, outcome);
    if (request->monitor) x[1] *= 1 + 2 * NB_REAL_EPSILON;
    return status;
}

WRONG(silent) {
    nb_linear_request alone = *request;
    alone.monitor = NULL;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    return solve_rightly(state, system, &alone, x, outcome);
}

WRONG(once_more) {
    nb_linear_request longer = *request;
    longer.stop.iterations++;
    return solve_rightly(state, system, &longer, x, outcome);
}

WRONG(unpreconditioned) {
    nb_linear_request plain = *request;
    CHECK_OK(nb_preconditioner_find("none", &plain.preconditioner));
    return solve_rightly(state, system, &plain, x, outcome);
}

WRONG(allocating) {
    real *own = NULL;
    nb_status status = NB_ALLOCATE(1, &own);
    if (status == NB_OK) status = solve_rightly(state, system, request, x, outcome);
    nb_free(own);
    return status;
}

WRONG(overrunning) {
    nb_status status = solve_rightly(state, system, request, x, outcome);
    x[system->rows] = 0;
    return status;
}

WRONG(using_up_b) {
    nb_status status = solve_rightly(state, system, request, x, outcome);
    system->b[0] = 0;
    return status;
}

WRONG(never_zero) {
    nb_status status = solve_rightly(state, system, request, x, outcome);
    if (system->rows > 0) x[0] += NB_REAL_EPSILON;
    return status;
}

static nb_status pattern_of_right(void *state, nb_system *system) {
    calls = 0;
    return right->set_up_pattern(state, system);
}

static nb_status first_values_only(void *state, nb_system *system, nb_linear_outcome *outcome) {
    return calls++ > 0 ? NB_OK : right->set_up_values(state, system, outcome);
}

/* leaves its own where making the rest fails */
static nb_status leaking(const double *values, void **state) {
    static void *own; /* within reach: no leak to a sanitizer */
    *state = NULL;
    nb_status status = nb_allocate(1, 8, &own);
    if (status != NB_OK) return status;
    status = right->create(values, state);
    if (status == NB_OK) nb_free(own);
    return status;
}

/* ---- both tests ---- */

typedef const char *clause(const entry *e, uint64_t *seed);

static const struct {
    const char *name;
    clause *holds;
    const char *of;               /* the entry that is put wrong */
    nb_linear_solver_class wrong; /* what differs of the entry that breaks it */
} clauses[] = {
    {"has a name", has_a_name, "pcr", {.name = "Two Words"}},
    {"solves", solves, "pcr", {.solve = off_by_a_little}},
    {"solves what it says it takes", solves, "cholesky", {.takes_unsymmetric = 1}},
    {"measures the norm", measures_the_norm, "pcr", {.solve = lax_in_other_norms}},
    {"repeats its bits", repeats_bits, "pcr", {.solve = wandering}},
    {"is not changed by a monitor", is_not_changed_by_a_monitor, "pcr", {.solve = shy}},
    {"shows its iterates", shows_its_iterates, "pcr", {.solve = silent}},
    {"keeps to the most iterations", keeps_to_the_most_iterations, "pcr", {.solve = once_more}},
    {"uses its preconditioner", uses_its_preconditioner, "gmres", {.solve = unpreconditioned}},
    {"allocates for patterns alone", allocates_for_patterns_alone, "pcr", {.solve = allocating}},
    {"writes its rows alone", writes_the_solution_alone, "pcr", {.solve = overrunning}},
    {"leaves the system as it is", writes_the_solution_alone, "pcr", {.solve = using_up_b}},
    {"follows values", follows_values, "dense-cholesky", {.set_up_values = first_values_only}},
    {"takes zero and no rows", takes_zero_and_no_rows, "pcr", {.solve = never_zero}},
    {"keeps nothing where memory fails", survives_failing_allocations, "pcr", {.create = leaking}},
};
enum {
    CLAUSES = sizeof clauses / sizeof *clauses
};

TEST(every_entry_keeps_every_clause) {
    uint64_t seed = test_seed();
    for (int i = 0; nb_linear_solvers[i]; i++) {
        for (int j = 0; nb_preconditioners[j]; j++) {
            const entry e = entry_of(nb_linear_solvers[i], nb_preconditioners[j]);
            char name[80];
            if (j > 0 && !e.with) break;
            snprintf(name, sizeof name, "%s %s", e.type->name, e.with ? e.with->name : "");
            print_message("  %s\n", name);
            for (int k = 0; k < CLAUSES; k++) contract_expect(clauses[k].name, name, clauses[k].holds(&e, &seed), 1);
        }
        for (int k = 0; k < i; k++) assert_string_not_equal(nb_linear_solvers[i]->name, nb_linear_solvers[k]->name);
    }
}

TEST(every_clause_can_fail) {
    uint64_t seed = test_seed();
    const nb_preconditioner_class *jacobi;
    CHECK_OK(nb_preconditioner_find("jacobi", &jacobi));
    for (int k = 0; k < CLAUSES; k++) {
        const nb_linear_solver_class *w = &clauses[k].wrong;
        CHECK_OK(nb_linear_solver_find(clauses[k].of, &right));
        nb_linear_solver_class type = *right;
        if (w->name) type.name = w->name;
        if (w->takes_unsymmetric) type.takes_unsymmetric = 1;
        if (w->create) type.create = w->create;
        if (w->set_up_values) type.set_up_values = w->set_up_values;
        if (w->solve) type.solve = w->solve;
        type.set_up_pattern = pattern_of_right;
        const entry e = entry_of(&type, jacobi);
        contract_expect(clauses[k].name, type.name, clauses[k].holds(&e, &seed), 0);
    }
}

RUN_TESTS(every_entry_keeps_every_clause, every_clause_can_fail)
