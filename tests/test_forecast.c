/* The time left (analysis/run/forecast.h), on histories of real commands: tests/histories/NAME.tsv holds a line a run,
 * with how much work it is, and a line a pass, in order, with the seconds that it took. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "run/forecast.h"

enum {
    MOST = 512
};

typedef struct history {
    nb_forecast forecast;
    nb_forecast_work works[MOST];
    int count, passes;
    int run[2 * MOST], repeat[2 * MOST];
    double seconds[2 * MOST], whole;
} history;

static void read_run(history *h, nb_forecast_run *runs, const char *line) {
    nb_forecast_work w = {0};
    nb_forecast_run r = {0};
    int i;
    assert_int_equal(
        sscanf(line, "run %d %d %d %d %d %lf %lf %lf %lf %lf %lf %d %d %d %d %lf %lf %lf", &i, &r.kind[0], &r.kind[1],
               &r.kind[2], &r.kind[3], &w.rows, &w.steps, &w.settle, &w.newton, &w.linear, &w.tolerance, &w.direct,
               &w.inner, &w.bound, &w.reference, &w.copies, &r.passes, &r.repeats),
        18);
    assert_in_range(i, 0, MOST - 1);
    assert_int_equal(i, h->count++);
    r.prior = nb_forecast_prior(&w, 0);
    r.repeat_prior = nb_forecast_prior(&w, 1);
    h->works[i] = w;
    runs[i] = r;
}

static void read_history(const char *name, history *h) {
    static nb_forecast_run runs[MOST];
    char path[1024], line[1024];
    const char *source = getenv("NB_SOURCE_DIR");
    memset(h, 0, sizeof *h);
    snprintf(path, sizeof path, "%s/tests/histories/%s.tsv", source ? source : ".", name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot read %s", path);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "run\t", 4) == 0) {
            read_run(h, runs, line);
        } else if (strncmp(line, "pass\t", 5) == 0) {
            int p = h->passes++;
            assert_true(p < 2 * MOST);
            assert_int_equal(sscanf(line, "pass %d %d %lf", &h->run[p], &h->repeat[p], &h->seconds[p]), 3);
            h->whole += h->seconds[p];
        }
    }
    fclose(file);
    assert_true(h->count > 0 && h->passes > 0);
    CHECK_OK(nb_forecast_create(h->count, &h->forecast));
    memcpy(h->forecast.runs, runs, (size_t)h->count * sizeof *runs);
}

/* The share of a pass that is known when it has gone on for so many of its seconds: that after its last whole step.
 * Where the steps lie within the pass the histories do not say: in proportion to their work. Repetitions report none.
 */
static double known_share(const nb_forecast_work *w, int repeat, double elapsed, double seconds) {
    double step = 0;
    if (repeat) return 0;
    while (step < w->steps && nb_forecast_share(w, step + 1) <= elapsed / seconds) step++;
    return nb_forecast_share(w, step);
}

/* what is said to be left after this share of the command's time */
static double left_after(const history *h, double share, nb_forecast_run *saved) {
    nb_forecast f = h->forecast;
    double now = share * h->whole, begun = 0;
    int p = 0;
    memcpy(saved, f.runs, (size_t)h->count * sizeof *saved);
    for (; p < h->passes && begun + h->seconds[p] <= now; begun += h->seconds[p++]) {
        nb_forecast_run *r = &f.runs[h->run[p]];
        *(h->repeat[p] ? &r->repeats_done : &r->passes_done) += 1;
        *(h->repeat[p] ? &r->repeats_s : &r->passes_s) += h->seconds[p];
    }
    f.at = -1;
    if (p < h->passes) {
        f.at = h->run[p];
        f.repeat = h->repeat[p];
        f.elapsed = now - begun;
        f.fraction = known_share(&h->works[h->run[p]], f.repeat, f.elapsed, h->seconds[p]);
    }
    double left = nb_forecast_left(&f);
    memcpy(f.runs, saved, (size_t)h->count * sizeof *saved);
    return left;
}

/* from a tenth of the time on, within a factor of two, or within a fiftieth of all of it near the end; on a machine
 * that is so many times slower as well */
static void check_history(const char *name, double slower) {
    static history h;
    static nb_forecast_run saved[MOST];
    read_history(name, &h);
    for (int p = 0; p < h.passes; p++) h.seconds[p] *= slower;
    h.whole *= slower;
    for (int k = 10; k < 100; k += 5) {
        double share = k / 100.0, left = left_after(&h, share, saved), really = (1 - share) * h.whole;
        print_message("%s, %.1f s: after %2d %% %.2f s left, of %.2f s: %.2f\n", name, h.whole, k, left, really,
                      left / really);
        if (!(left < 2 * really && left > really / 2) && !(fabs(left - really) < h.whole / 50))
            fail_msg("%s: after %d %% of the time %.3g s are said to be left, and %.3g s are", name, k, left, really);
    }
    nb_forecast_clear(&h.forecast);
}

static void test_histories(void **unused) {
    (void)unused;
    static const char *const names[] = {"reproduce",       "reproduce-quick", "four-solvers",
                                        "small-and-large", "settled",         "sizes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int k = 0; k < 3; k++) check_history(names[i], (const double[]){1, 10, 0.5}[k]);
}

/* two runs alike, of two passes each, and one of another scene */
static void make_three(nb_forecast *f) {
    CHECK_OK(nb_forecast_create(3, f));
    for (int i = 0; i < 3; i++) {
        f->runs[i] = (nb_forecast_run){.prior = 2, .repeat_prior = 1, .passes = 1, .repeats = 1};
        for (int kind = 0; kind < NB_FORECAST_KINDS; kind++) f->runs[i].kind[kind] = i == 2 ? 1 : 0;
    }
}

static void test_before_and_after(void **unused) {
    (void)unused;
    nb_forecast f;
    make_three(&f);
    f.after = 4;
    CHECK_NEAR(nb_forecast_left(&f), 13, 1e-12); /* what is expected, and what follows the runs */
    for (int i = 0; i < 3; i++) f.runs[i].passes_done = f.runs[i].repeats_done = 1, f.runs[i].passes_s = 7;
    double after = nb_forecast_left(&f); /* 7 s for 3 each: the machine is so much slower, as far as three runs tell */
    assert_true(after > 8 && after < 4.0 * 7 / 3);
    nb_forecast_clear(&f);
}

/* a run ten times as long as expected: its repetition will be, one alike about so, another scene less so */
static void test_what_is_learnt(void **unused) {
    (void)unused;
    nb_forecast f;
    make_three(&f);
    f.runs[0].passes_done = 1;
    f.runs[0].passes_s = 20;
    double all = nb_forecast_left(&f);
    f.runs[2].passes = f.runs[2].repeats = 0;
    double alike = nb_forecast_left(&f) - 10; /* the repetition of run 0 */
    assert_true(alike > 20 && alike < 30.001);
    assert_true(all - 10 - alike > 9 && all - 10 - alike < alike);
    nb_forecast_clear(&f);
}

/* within a pass, the time left falls with its share; before any is known, one that takes longer than expected is not
 * said to be nearly done */
static void test_a_pass_in_progress(void **unused) {
    (void)unused;
    nb_forecast f;
    make_three(&f);
    f.runs[1].passes = f.runs[1].repeats = f.runs[2].passes = f.runs[2].repeats = f.runs[0].repeats = 0;
    f.at = 0;
    CHECK_NEAR(nb_forecast_left(&f), 2, 1e-12);
    f.elapsed = 30;
    f.fraction = 0.5;
    CHECK_NEAR(nb_forecast_left(&f), 30, 3);
    f.fraction = 0.9;
    CHECK_NEAR(nb_forecast_left(&f), 30.0 / 9, 0.5);
    f.fraction = 0;
    assert_true(nb_forecast_left(&f) > 5);
    nb_forecast_clear(&f);
}

static void test_shares(void **unused) {
    (void)unused;
    nb_forecast_work w = {.rows = 300, .steps = 10, .newton = 20, .linear = 40};
    CHECK_NEAR(nb_forecast_share(&w, 0), 0, 0);
    CHECK_NEAR(nb_forecast_share(&w, 4), 0.4, 1e-12);
    CHECK_NEAR(nb_forecast_share(&w, 10), 1, 1e-12);
    w.settle = 100; /* was made before the first step */
    assert_true(nb_forecast_share(&w, 1) > 0.5);
    CHECK_NEAR(nb_forecast_share(&w, 10), 1, 1e-12);
    w.direct = 1; /* costs more than forty products, the more rows the more */
    nb_forecast_work large = w;
    large.rows = 3000;
    w.settle = large.settle = 0;
    assert_true(nb_forecast_prior(&large, 0) > 30 * nb_forecast_prior(&w, 0));
    w.reference = 1;
    assert_true(nb_forecast_prior(&w, 0) > nb_forecast_prior(&w, 1)); /* which repetitions do not make */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histories),      cmocka_unit_test(test_before_and_after),
        cmocka_unit_test(test_what_is_learnt), cmocka_unit_test(test_a_pass_in_progress),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
