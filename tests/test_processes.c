/* A vector backend over several processes is one class of backend and one reduction: the methods take no sum over
 * entries themselves. Here two threads stand for the processes. Each has a system of its own rows, whose operator
 * exchanges the iterate with the other's, and a backend that adds up what both have summed. Both must make every call
 * in the same order, or they wait for each other for ever; and each iterate is that of one process up to round-off. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/storage.h"
#include "device.h"
#include "linear/vector_backend.h"
#include "linear/vector_backend_class.h"
#include "operator/solve.h"
#include "random_system.h"
#include "registry.h"

NB_PRECISIONS(f32, f64, mixed);

enum {
    PROCESSES = 2,
    MOST_NUMBERS = 4,
    ITERATIONS = 6,
    MIDDLE = 4, /* where the second one's rows begin: in a contact, and before as many rows as iterations */
    PATIENCE_S = 60
};

/* ---- what the processes share ---- */

static _Thread_local int rank; /* of this process */
static pthread_barrier_t meeting;
static double numbers[PROCESSES][MOST_NUMBERS];
static real exchanged[MOST];

static void reduce(nb_reduction how, double *x, int count) {
    memcpy(numbers[rank], x, (size_t)count * sizeof *x);
    pthread_barrier_wait(&meeting);
    for (int k = 0; k < count; k++) {
        x[k] = numbers[0][k];
        for (int i = 1; i < PROCESSES; i++)
            x[k] = how == NB_REDUCTION_SUM ? x[k] + numbers[i][k] : fmax(x[k], numbers[i][k]);
    }
    pthread_barrier_wait(&meeting); /* until all have read */
}

/* ---- the operator of one process's rows ---- */

typedef struct part {
    nb_delassus base; /* first */
    const nb_csr *whole;
    int32_t first; /* of its rows */
    int32_t starts[MOST + 1];
} part;

static void part_apply(const nb_delassus *d, const real *s, const real *c, const real *x, real *y) {
    const part *p = (const part *)d;
    for (int32_t i = 0; i < d->rows; i++) exchanged[p->first + i] = s ? s[i] * x[i] : x[i];
    pthread_barrier_wait(&meeting);
    for (int32_t i = 0; i < d->rows; i++) {
        real sum = 0;
        for (int64_t k = p->whole->start[p->first + i]; k < p->whole->start[p->first + i + 1]; k++)
            sum += p->whole->value[k] * exchanged[p->whole->column[k]];
        y[i] = (s ? s[i] * sum : sum) + (c ? c[i] * x[i] : 0);
    }
    pthread_barrier_wait(&meeting);
}

static void part_diagonal(const nb_delassus *d, real *diagonal) {
    const part *p = (const part *)d;
    for (int32_t i = 0; i < d->rows; i++)
        for (int64_t k = p->whole->start[p->first + i]; k < p->whole->start[p->first + i + 1]; k++)
            if (p->whole->column[k] == p->first + i) diagonal[i] = p->whole->value[k];
}

static const nb_delassus_class part_class = {.apply = part_apply, .diagonal = part_diagonal};

/* ---- the backend: that of one process over its rows, and its sums added up ---- */

static void begin_product(void *state, double a, const storage *x, double b, storage *y, double sums[2]) {
    nb_vector_backend_matrix.begin_product(state, a, x, b, y, sums);
    if (sums) reduce(NB_REDUCTION_SUM, sums, 2);
}

static double finish_pcr(void *state, const storage *y, double alpha, double beta, storage *x, storage *d, storage *ad,
                         int with_sum) {
    double sum = nb_vector_backend_matrix.finish_pcr(state, y, alpha, beta, x, d, ad, with_sum);
    reduce(NB_REDUCTION_SUM, &sum, 1);
    return sum;
}

static double finish_pcg(void *state, const storage *y, double alpha, storage *x, storage *r, int with_sum) {
    double sum = nb_vector_backend_matrix.finish_pcg(state, y, alpha, x, r, with_sum);
    reduce(NB_REDUCTION_SUM, &sum, 1);
    return sum;
}

static double dot(void *state, const storage *x, const storage *y) {
    double sum = nb_vector_backend_matrix.dot(state, x, y);
    reduce(NB_REDUCTION_SUM, &sum, 1);
    return sum;
}

static double scaled_square(void *state, int inverse, const storage *v) {
    double sum = nb_vector_backend_matrix.scaled_square(state, inverse, v);
    reduce(NB_REDUCTION_SUM, &sum, 1);
    return sum;
}

static nb_vector_backend_class backend;
static nb_device device = {.name = "two processes", .reduce = reduce, .NB_STORAGE_NAME(backend) = &backend};

static void make_space(void) {
    backend = nb_vector_backend_matrix;
    backend.begin_product = begin_product;
    backend.finish_pcr = finish_pcr;
    backend.finish_pcg = finish_pcg;
    backend.dot = dot;
    backend.scaled_square = scaled_square;
}

/* ---- one solve, by one process or by all ---- */

typedef struct told {
    int iterations;
    double plain[ITERATIONS + 1], weighted[ITERATIONS + 1];
} told;

static double solver_values[8], preconditioner_values[8];

typedef struct task {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    nb_system *system;
    int rank;
    double tolerance;
    nb_linear_norm norm;
    nb_status status;
    nb_solve_report report;
    told told;
    real x[MOST];
} task;

static nb_status hear(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    told *t = context;
    const double plain = iterate->residual_l2, weighted = iterate->preconditioned_residual;
    t->iterations = iteration;
    t->plain[iteration] = plain;
    t->weighted[iteration] = weighted;
    return NB_OK;
}

static void *run(void *context) {
    task *t = context;
    nb_solve *solve;
    const nb_linear_stop stop = {.iterations = ITERATIONS, .tolerance = t->tolerance, .norm = t->norm};
    rank = t->rank;
    t->status = nb_solve_create(t->solver, solver_values, t->preconditioner, preconditioner_values, &solve);
    if (t->status == NB_OK) t->status = nb_solve_run(solve, t->system, &stop, hear, &t->told, t->x, &t->report);
    nb_solve_destroy(solve);
    return NULL;
}

static void make_part(const random_system *whole, int i, part *p, nb_system **system) {
    p->whole = whole->matrix;
    p->first = i == 0 ? 0 : MIDDLE;
    int32_t rows = (i == 0 ? MIDDLE : whole->rows) - p->first;
    for (int32_t r = 0; r <= rows; r++) p->starts[r] = r;
    p->base = (nb_delassus){.type = &part_class,
                            .rows = rows,
                            .block_count = rows,
                            .block_start = p->starts,
                            .group_count = rows,
                            .group_start = p->starts};
    CHECK_OK(nb_system_create(&p->base, system));
    memcpy((*system)->c, whole->system->c + p->first, (size_t)rows * sizeof(real));
    memcpy((*system)->s, whole->system->s + p->first, (size_t)rows * sizeof(real));
    memcpy((*system)->b, whole->system->b + p->first, (size_t)rows * sizeof(real));
    (*system)->symmetric = whole->system->symmetric;
    (*system)->device = &device;
    nb_system_values_changed(*system);
}

/* P that is a diagonal but does not say so, and is applied row by row */
static nb_preconditioner_class unsaid;

/* `preconditioner` NULL: the diagonal that does not say so */
static task task_of(const random_system *whole, const char *solver, const char *preconditioner, double tolerance) {
    task t = {.system = whole->system, .tolerance = tolerance};
    CHECK_OK(nb_linear_solver_find(solver, &t.solver));
    CHECK_OK(nb_preconditioner_find(preconditioner ? preconditioner : "jacobi", &t.preconditioner));
    nb_options_standard(t.solver->options, t.solver->option_count, solver_values);
    nb_options_standard(t.preconditioner->options, t.preconditioner->option_count, preconditioner_values);
    if (strcmp(solver, "fgmres") == 0) solver_values[1] = 3; /* inner steps */
    if (!preconditioner) {
        unsaid = *t.preconditioner;
        unsaid.diagonal = NULL;
        t.preconditioner = &unsaid;
    }
    if (NB_STORAGE_BITS != NB_REAL_BITS) CHECK_OK(nb_linear_solver_take_mixed(&t.solver));
    return t;
}

static void check_alike(const task *one, const part *p, const task *both) {
    /* six products with sums in another order, which a short recurrence magnifies by the condition, of up to 100 */
    const double most = 1e4 * (double)NB_STORAGE_EPSILON;
    double size = 0;
    assert_int_equal(both->report.reason, one->report.reason);
    assert_int_equal(both->report.iterations, one->report.iterations);
    assert_int_equal(both->told.iterations, one->told.iterations);
    for (int k = 0; k <= one->told.iterations; k++) {
        CHECK_NEAR(both->told.plain[k], one->told.plain[k], most * one->told.plain[0]);
        CHECK_NEAR(both->told.weighted[k], one->told.weighted[k], most * one->told.weighted[0]);
    }
    if (one->report.reason == NB_REASON_NAN) return;
    CHECK_NEAR(both->report.residual_l2, one->report.residual_l2, most * one->report.rhs_l2);
    for (int32_t r = 0; r < one->system->rows; r++) size = fmax(size, fabs((double)one->x[r]));
    for (int32_t r = 0; r < p->base.rows; r++)
        CHECK_NEAR((double)both->x[r], (double)one->x[p->first + r], most * size);
}

/* the same task by one process, which is `one`, and by two */
static void run_both(const random_system *whole, task *one, nb_solve_report *report) {
    static task both[PROCESSES];
    static part parts[PROCESSES];
    pthread_t threads[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        both[i] = *one;
        both[i].rank = i;
        make_part(whole, i, &parts[i], &both[i].system);
    }
    run(one);
    CHECK_OK(one->status);
    alarm(PATIENCE_S);
    for (int i = 0; i < PROCESSES; i++) assert_int_equal(pthread_create(&threads[i], NULL, run, &both[i]), 0);
    for (int i = 0; i < PROCESSES; i++) pthread_join(threads[i], NULL);
    alarm(0);
    for (int i = 0; i < PROCESSES; i++) {
        CHECK_OK(both[i].status);
        check_alike(one, &parts[i], &both[i]);
        for (int k = 0; k <= both[i].told.iterations; k++) /* to the bit */
            assert_true(both[i].told.plain[k] == both[0].told.plain[k]);
        nb_system_destroy(both[i].system);
    }
    *report = one->report;
}

TEST(two_processes_do_what_one_does) {
    static const char *const solvers[] = {"pcg", "pcr", "minres", "gmres", "fgmres", "bicgstab"};
    static const char *const preconditioners[] = {"none", "jacobi", NULL};
    uint64_t seed = 91, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    make_space();
    assert_int_equal(pthread_barrier_init(&meeting, NULL, PROCESSES), 0);
    for (int trial = 0; trial < 4; trial++) {
        random_system whole;
        random_system_create(&random, trial % 2, 1, &whole);
        for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
            for (size_t k = 0; k < sizeof preconditioners / sizeof *preconditioners; k++) {
                task one = task_of(&whole, solvers[i], preconditioners[k], trial < 2 ? 0 : 0.1);
                nb_solve_report report;
                run_both(&whole, &one, &report);
                assert_int_equal(report.reason, trial < 2 ? NB_REASON_ITERATIONS : NB_REASON_CONVERGED);
            }
        random_system_destroy(&whole);
    }
    pthread_barrier_destroy(&meeting);
}

/* a breakdown in the rows of the second process alone */
static nb_status break_down(void *state, nb_system *system, nb_reason *reason) {
    (void)state;
    (void)system;
    if (rank == 1) *reason = NB_REASON_NOT_POSITIVE_DEFINITE;
    return NB_OK;
}

/* W = diag(1 in the first process's rows, 1e6 in the second's, 0 in the last one), which is coupled to the first row by
 * 0.5. Jacobi leaves the last row alone, and beside 1e6, but not beside 1, A takes its residual to nothing. */
static void weigh_the_second(random_system *whole) {
    int last = whole->rows - 1, coupled = 0;
    for (int r = 0; r < whole->rows; r++) {
        whole->system->s[r] = 1;
        whole->system->c[r] = 0;
        for (int64_t k = whole->matrix->start[r]; k < whole->matrix->start[r + 1]; k++) {
            int32_t column = whole->matrix->column[k], ends = column + r == last && (r == 0 || r == last);
            coupled += ends;
            whole->matrix->value[k] = ends ? R(0.5) : r != column || r == last ? 0 : r < MIDDLE ? 1 : R(1e6);
        }
    }
    assert_int_equal(coupled, 2);
}

/* What only one of the processes sees, both have to: a NaN in b, a row of zeros that no solver makes less, a
 * preconditioner that breaks down, and the largest entry of the diagonal. */
TEST(one_speaks_for_all) {
    static const nb_reason expected[] = {NB_REASON_NAN, NB_REASON_INCONSISTENT, NB_REASON_NOT_POSITIVE_DEFINITE,
                                         NB_REASON_INCONSISTENT};
    uint64_t seed = 17, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    make_space();
    assert_int_equal(pthread_barrier_init(&meeting, NULL, PROCESSES), 0);
    for (int trial = 0; trial < 4; trial++) {
        random_system whole;
        nb_solve_report report;
        random_system_create(&random, 0, 1, &whole);
        int last = whole.rows - 1;
        for (int r = 0; r < whole.rows && trial == 1; r++)
            for (int64_t k = whole.matrix->start[r]; k < whole.matrix->start[r + 1]; k++)
                if (r == last || whole.matrix->column[k] == last) whole.matrix->value[k] = 0;
        if (trial == 1) whole.system->c[last] = 0;
        if (trial == 3) weigh_the_second(&whole);
        if (trial != 2) whole.system->b[last] = trial == 0 ? (real)NAN : 100;
        nb_system_values_changed(whole.system);
        task one = task_of(&whole, "pcr", NULL, 0.1);
        one.norm = NB_NORM_NATURAL; /* which is met without the row that P leaves alone */
        if (trial == 2) unsaid.set_up_values = break_down;
        one.rank = 1;
        run_both(&whole, &one, &report);
        assert_int_equal(report.reason, expected[trial]);
        random_system_destroy(&whole);
    }
    pthread_barrier_destroy(&meeting);
}

/* ---- sums of a backend ---- */

typedef struct sums {
    nb_system *system;
    int rank;
    nb_status status;
    double dot, norm;
} sums;

/* b . b and |W b| for W = 2 */
static void *add_up(void *context) {
    sums *t = context;
    nb_vector_backend *s = NULL;
    real weights[MOST];
    rank = t->rank;
    for (int i = 0; i < MOST; i++) weights[i] = 2;
    t->status = nb_vector_backend_create(&s);
    if (t->status == NB_OK) t->status = nb_vector_backend_set_pattern(s, t->system);
    if (t->status == NB_OK) t->status = nb_vector_backend_set_vectors(s, 1);
    if (t->status == NB_OK) t->status = nb_vector_backend_set_weights(s, NULL, NULL);
    if (t->status == NB_OK) {
        nb_vector_backend_take(s, t->system->b, nb_vector_backend_vector(s, 0));
        t->dot = nb_vector_backend_dot(s, nb_vector_backend_vector(s, 0), nb_vector_backend_vector(s, 0));
        t->norm = nb_vector_backend_weighted_norm(s, weights, nb_vector_backend_vector(s, 0));
    }
    nb_vector_backend_destroy(s);
    return NULL;
}

TEST(sums_are_over_all_rows) {
    uint64_t random = 5;
    random_system whole;
    sums both[PROCESSES] = {{0}};
    part parts[PROCESSES];
    pthread_t threads[PROCESSES];
    double square = 0;
    make_space();
    assert_int_equal(pthread_barrier_init(&meeting, NULL, PROCESSES), 0);
    random_system_create(&random, 0, 1, &whole);
    for (int r = 0; r < whole.rows; r++) square += (double)whole.system->b[r] * (double)whole.system->b[r];
    for (int i = 0; i < PROCESSES; i++) {
        both[i].rank = i;
        make_part(&whole, i, &parts[i], &both[i].system);
    }
    alarm(PATIENCE_S);
    for (int i = 0; i < PROCESSES; i++) assert_int_equal(pthread_create(&threads[i], NULL, add_up, &both[i]), 0);
    for (int i = 0; i < PROCESSES; i++) pthread_join(threads[i], NULL);
    alarm(0);
    for (int i = 0; i < PROCESSES; i++) {
        CHECK_OK(both[i].status);
        CHECK_NEAR(both[i].dot, square, 4 * (double)NB_STORAGE_EPSILON * square); /* numbers rounded to storage */
        CHECK_NEAR(both[i].norm, 2 * sqrt(square), 4 * (double)NB_STORAGE_EPSILON * sqrt(square));
        nb_system_destroy(both[i].system);
    }
    random_system_destroy(&whole);
    pthread_barrier_destroy(&meeting);
}

RUN_TESTS(two_processes_do_what_one_does, one_speaks_for_all, sums_are_over_all_rows)
