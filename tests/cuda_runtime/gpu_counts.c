/* How often a solve on the stand-in launches kernels, waits and copies, per iteration: no time, but what time is made
 * of. */
#include "counts.h"
#include "device_packs.h"
#include "runtime.h"

NB_PRECISIONS(f64);

/* of a second solve of the case in so many iterations, which the first one leaves a basis to; the tolerance is of the
 * true norm and is not met */
static struct nb_counts count(const solver_case *c, scene *s, int iterations, double tolerance) {
    static real x[MOST_ROWS];
    const nb_linear_stop stop = {.iterations = iterations, .tolerance = tolerance};
    nb_solve_report report;
    struct nb_counts of[3] = {nb_counted}, second = {0};
    for (int times = 1; times <= 2; times++) {
        CHECK_OK(run_to(c, s->system, &nb_device_cuda, &stop, times, NULL, x, &report));
        assert_int_equal(report.iterations, iterations);
        of[times] = nb_counted;
    }
    second.launches = of[2].launches - 2 * of[1].launches + of[0].launches;
    second.waits = of[2].waits - 2 * of[1].waits + of[0].waits;
    for (int k = 1; k < 4; k++) {
        second.copies[k] = of[2].copies[k] - 2 * of[1].copies[k] + of[0].copies[k];
        second.bytes[k] = of[2].bytes[k] - 2 * of[1].bytes[k] + of[0].bytes[k];
    }
    return second;
}

/* By itself the device is looked at every 8th or 25th iteration, and at the end where that is known. */
TEST(iterations_wait_for_nobody) {
    static const struct {
        solver_case of;
        double tolerance, launches, waits; /* of an iteration, at most */
    } rows[] = {
        {{"pcr", NULL, "jacobi", NULL}, 0, 3, 0},
        {{"pcr", NULL, "jacobi", NULL}, 1e-300, 4, 0.1},
        {{"pcr", NULL, "block-jacobi", NULL}, 0, 6.2, 0},
        {{"pcr", NULL, "chebyshev", NULL}, 0, 29.2, 0}, /* with joints its steps are of seven passes */
        {{"pcr", NULL, "chebyshev", "inner=jacobi"}, 1e-300, 12.2, 0.13},
        {{"pcr", NULL, "fsai", NULL}, 0, 7.2, 0},
        {{"pcr", NULL, "fsai", NULL}, 1e-300, 7.2, 0.13},
        {{"pcr", NULL, "ssor", NULL}, 0, 7.2, 0},
        {{"pcr", "recycle=4", "jacobi", NULL}, 0, 11.2, 0},
        {{"pcr", "recycle=4", "chebyshev", "inner=jacobi"}, 1e-300, 17.2, 0.13},
    };
    enum {
        SHORT = 8,
        LONG = 24
    };
    static const int size[] = {60, 20, 20};
    static scene s;
    uint64_t seed = 31;
    make_scene(&s, &seed, size);
    for (int32_t r = 0; r < s.system->rows; r++) s.system->c[r] = R(1e-4); /* so that none converges */
    nb_system_values_changed(s.system);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const solver_case *c = &rows[k].of;
        const struct nb_counts one = count(c, &s, SHORT, rows[k].tolerance);
        const struct nb_counts other = count(c, &s, LONG, rows[k].tolerance);
        const double n = LONG - SHORT, launches = (double)(other.launches - one.launches) / n;
        const double waits = (double)(other.waits - one.waits) / n;
        print_message("%s%s%s%s%s, tolerance %g: %.2f launches, %.2f waits, %.2f copies of %.0f bytes\n",
                      c->preconditioner, c->preconditioner_option ? " " : "",
                      c->preconditioner_option ? c->preconditioner_option : "", c->option ? " " : "",
                      c->option ? c->option : "", rows[k].tolerance, launches, waits,
                      (double)(other.copies[1] + other.copies[2] - one.copies[1] - one.copies[2]) / n,
                      (double)(other.bytes[1] + other.bytes[2] - one.bytes[1] - one.bytes[2]) / n);
        assert_true(launches <= rows[k].launches);
        assert_true(waits <= rows[k].waits);
    }
    end_scene(&s);
}

RUN_TESTS(iterations_wait_for_nobody)
