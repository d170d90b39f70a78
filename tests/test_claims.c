/* Claims: expressions and rules are read, what they cannot mean is refused in one line, and a rule gives each kind of
 * verdict on made-up runs on both sides of its limits. */
#include "claims/claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/memory.h"
#include "base/named_values.h"
#include "check.h"
#include "claims/page.h"
#include "claims/script.h"
#include "claims/verdict.h"
#include "figure/script.h"
#include "reason.h"
#include "record/run.h"
#include "table/expression.h"

/* ---- expressions ---- */

static nb_status look_up(void *context, const char *name, const char *argument, double *value) {
    (void)context;
    if (strcmp(name, "nan") == 0) *value = (double)NAN;
    if (strcmp(name, "two") == 0) *value = 2;
    if (strcmp(name, "length") == 0) *value = argument ? (double)strlen(argument) : -1;
    if (!strchr("ntl", *name)) return nb_fail(NB_ERROR_INPUT, "no such name");
    return NB_OK;
}

static double value_of(const char *text) {
    double value;
    CHECK_OK(nb_expression_value(text, look_up, NULL, &value));
    return value;
}

TEST(expressions_have_their_values) {
    CHECK_NEAR(value_of("1 + 2 * 3 - 8 / 4"), 5, 0);
    CHECK_NEAR(value_of("-2 ^ 2 + 2 ^ -1 + (1 - 3)"), -5.5, 0);
    CHECK_NEAR(value_of("min(3, two, 5) + max(1e-3, .5) + abs(-1) + sqrt(4) + log10(1000)"), 8.5, 1e-15);
    CHECK_NEAR(value_of("0 < two <= 2 and not two > 2"), 1, 0);
    CHECK_NEAR(value_of("0 < two < 2 or 1 > 2"), 0, 0);
    CHECK_NEAR(value_of("1 == 2 or 2 != 3 and 1 >= 1"), 1, 0);
    CHECK_NEAR(value_of("length(most a+b@1e-6) + length"), 12, 0);
    /* what is no number meets no condition, and is the least and the most of a list */
    CHECK_NEAR(value_of("nan < 1 or nan >= 1 or nan == nan or nan != 1"), 0, 0);
    assert_true(isnan(value_of("min(1, nan)")) && isnan(value_of("max(nan, 1)")));
}

TEST(bad_expressions_are_refused) {
    static const char *const bad[] = {"",      "1 +",      "1 2",   "(1",        "1)",      "min(1",       "two(1",
                                      "< 1",   "abs(1,2)", "1 and", "not",       "1 = 2",   "3 ** 2",      "other",
                                      "min()", "#",        "andy",  "1 < 2 two", "two two", "length((1))", "1 <> 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value;
        if (nb_expression_value(bad[i], look_up, NULL, &value) != NB_ERROR_INPUT) fail_msg("'%s' is taken", bad[i]);
        assert_null(strchr(nb_error_message(), '\n'));
    }
    char deep[400];
    double value;
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    CHECK_FAULT(nb_expression_value(deep, look_up, NULL, &value), NB_ERROR_INPUT, "too many brackets");
    CHECK_FAULT(nb_expression_value("1 + * 2", look_up, NULL, &value), NB_ERROR_INPUT, "a value is expected at '* 2'");
    CHECK_FAULT(nb_expression_value("1 <", look_up, NULL, &value), NB_ERROR_INPUT, "ends where a value");
}

/* ---- the project's own ---- */

/* its runs are commands, too */
static void check_rival(const nb_claim *claim) {
    nb_claim rival;
    nb_run_lines lines = {.count = 0};
    char *text = NULL;
    CHECK_OK(nb_claim_make_rival(claim, &rival, &text));
    for (int i = 0; rival.runs[i]; i++) CHECK_OK(nb_run_lines_add(&lines, rival.runs[i]));
    nb_run_lines_clear(&lines);
    free(text);
}

static void check_rule(const nb_claim *claim) {
    nb_measured ones[NB_CLAIM_MEASURES];
    nb_run_lines lines = {.count = 0};
    double value;
    const char *const conditions[] = {claim->misprint, claim->holds, claim->in_part};
    if (!nb_claim_is_judged(claim)) return;
    for (int i = 0; i < NB_CLAIM_MEASURES; i++) ones[i] = (nb_measured){1, 1, 1, NB_INTERVAL_RANGE};
    for (int i = 0; claim->runs[i]; i++) CHECK_OK(nb_run_lines_add(&lines, claim->runs[i]));
    for (int i = 0; i < 3; i++)
        if (conditions[i]) CHECK_OK(nb_claim_evaluate(claim, conditions[i], ones, claim->measure_count, &value));
    if ((claim->runs[0] || claim->from || claim->script) && !(claim->takes > 0))
        fail_msg("%s does not say what it takes", claim->id);
    nb_run_lines_clear(&lines);
    if (claim->rival_count > 0) check_rival(claim);
}

TEST(every_rule_is_right) {
    static const struct {
        const char *paper;
        int count;
    } papers[] = {{"macklin", 99}, {"tasora", 30}, {"anitescu", 26}, {"lecleach", 39}, {"larionov", 66}};
    nb_claims claims;
    int all = 0;
    CHECK_OK(nb_claims_read(nb_claim_list, nb_claim_rules, &claims)); /* ids are unique, figures and claims are there */
    for (size_t p = 0; p < sizeof papers / sizeof *papers; p++, all += papers[p - 1].count)
        for (int i = 0; i < papers[p].count; i++) {
            char id[32];
            snprintf(id, sizeof id, "%s-%02d", papers[p].paper, i + 1);
            assert_true(all + i < claims.count);
            assert_string_equal(claims.claims[all + i].id, id);
        }
    assert_int_equal(claims.count, all);
    for (int i = 0; i < claims.count; i++) check_rule(&claims.claims[i]);
    nb_claims_clear(&claims);
}

/* ---- what is refused ---- */

static const char *const list[] = {"id\tpaper\tplace\tclaim\tpublished\tset-up\thint", "mine-01\tM\t1\tA\t-\t-\t-",
                                   "mine-02\tM\t2\tB\t3\t-\t-", NULL};

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define REFUSED(word, ...)                                                                       \
    do {                                                                                         \
        nb_claims claims_;                                                                       \
        CHECK_FAULT(nb_claims_read(list, LINES(__VA_ARGS__), &claims_), NB_ERROR_INPUT, (word)); \
        assert_null(strchr(nb_error_message(), '\n'));                                           \
        nb_claims_clear(&claims_);                                                               \
    } while (0)

TEST(bad_rules_are_refused) {
    nb_claims claims;
    REFUSED("the list has no 'mine-03'", "claim: mine-03");
    REFUSED("two rules", "claim: mine-01", "holds: 1", "claim: mine-01");
    REFUSED("before the first claim", "run: arch");
    REFUSED("before the first claim", "x = mean steps");
    REFUSED("did you mean 'holds'", "claim: mine-01", "hold: 1");
    REFUSED("neither KEY: VALUE nor NAME = MEASURE", "claim: mine-01", "holds 1");
    REFUSED("no such figure", "claim: mine-01", "from: fig", "holds: 1");
    REFUSED("no such figure", "claim: mine-01", "figure: fig", "holds: 1");
    REFUSED("'holds' or 'in part' or both", "claim: mine-01", "run: arch");
    REFUSED("'holds' or 'in part' or both", "claim: mine-01", "holds: 1", "misprint: 1");
    REFUSED("published, ours or unpublished", "claim: mine-01", "set-up: theirs", "holds: 1");
    REFUSED("what differs or is missing", "claim: mine-01", "set-up: ours", "holds: 1");
    REFUSED("such a line already", "claim: mine-01", "set-up: published", "set-up: ours; h", "holds: 1");
    REFUSED("OLD => NEW", "claim: mine-01", "rival: arch", "holds: 1");
    REFUSED("no such measure", "claim: mine-01", "a = mean steps", "says: {b} steps", "holds: 1");
    REFUSED("there is such a line already", "claim: mine-01", "holds: 1", "holds: 0");
    REFUSED("such a measure already", "claim: mine-01", "x = mean steps", "x = mean steps");
    REFUSED("means something else", "claim: mine-01", "sum = mean steps");
    REFUSED("seconds are expected", "claim: mine-01", "takes: long");
    REFUSED("times are quiet", "claim: mine-01", "times: loud");
    REFUSED("it says nothing", "claim: mine-01", "holds: ");
    REFUSED("there is no such script", "claim: mine-01", "script: mine.py", "prints: x", "holds: x");
    REFUSED("belong together", "claim: mine-01", "script: common.py", "holds: 1");
    REFUSED("belong together", "claim: mine-01", "prints: x", "holds: x");
    REFUSED("stands before all measures", "claim: mine-01", "script: common.py", "x = mean steps", "prints: y");
    REFUSED("such a measure already", "claim: mine-01", "script: common.py", "prints: x", "x = mean steps");
    REFUSED("it has measures", "claim: mine-01", "not testable: no", "x = mean steps");
    CHECK_FAULT(
        nb_claims_read(LINES("id", "mine-01\tM\t1\tA\t-\t-\t-", "mine-01\tM\t1\tA\t-\t-\t-"), LINES(""), &claims),
        NB_ERROR_INPUT, "'mine-01' is there twice");
    nb_claims_clear(&claims);
    CHECK_FAULT(nb_claims_read(LINES("id", "mine-01\tM"), LINES(""), &claims), NB_ERROR_INPUT, "fewer than 7 columns");
    nb_claims_clear(&claims);
}

/* ---- verdicts ---- */

/* a run of `steps` steps, of which the first `solved` are solved to 1e-7 m/s, the others to 1 m/s; it took 1, 2, ... s
 * a step */
static nb_run *make_run(const char *scenario, int steps, int solved) {
    nb_run *run;
    CHECK_OK(nb_run_create(&run));
    snprintf(run->info.scenario, sizeof run->info.scenario, "%s", scenario);
    run->info.steps = steps;
    CHECK_OK(nb_copy_text("scene.mass=2\n", &run->info.parameters));
    for (int i = 0; i < steps; i++) {
        double row[NB_STEP_COLUMNS];
        for (int c = 0; c < NB_STEP_COLUMNS; c++) row[c] = (double)NAN;
        row[NB_STEP_NATURAL_MAP_ERROR] = i < solved ? 1e-7 : 1;
        row[NB_STEP_STEP_S] = i + 1;
        CHECK_OK(nb_run_add_step(run, row));
    }
    run->finished = 1;
    return run;
}

/* the verdict on mine-01 by these lines */
static nb_judgement judge(const char *const *rules, nb_run *const *runs, int count) {
    nb_claims claims;
    nb_judgement judgement;
    CHECK_OK(nb_claims_read(list, rules, &claims));
    CHECK_OK(nb_claim_judge(&claims.claims[0], runs, count, NULL, &judgement));
    nb_claims_clear(&claims);
    return judgement;
}

static void check_verdict(const nb_judgement *judgement, nb_claim_verdict verdict, const char *reason) {
    if (judgement->verdict != verdict)
        fail_msg("%s (%s), expected %s", nb_claim_verdict_names[judgement->verdict], judgement->reason,
                 nb_claim_verdict_names[verdict]);
    if (!strstr(judgement->reason, reason)) fail_msg("'%s' lacks '%s'", judgement->reason, reason);
}

#define RULE                                                                                                          \
    LINES("claim: mine-01", "run: arch", "solved = share natural_map_error <= 1e-6 of steps", "holds: solved >= 0.8", \
          "in part: solved >= 0.4", "set-up: published")

TEST(a_rule_gives_each_verdict) {
    static const struct {
        int solved;
        nb_claim_verdict verdict;
        const char *reason;
    } cases[] = {{10, NB_CLAIM_HOLDS, "solved >= 0.8"},
                 {8, NB_CLAIM_HOLDS, "solved >= 0.8"},
                 {7, NB_CLAIM_IN_PART, "solved >= 0.4; not met: solved >= 0.8"},
                 {4, NB_CLAIM_IN_PART, "solved >= 0.4"},
                 {3, NB_CLAIM_DOES_NOT_HOLD, "not met: solved >= 0.4"},
                 {0, NB_CLAIM_DOES_NOT_HOLD, "not met: solved >= 0.4"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nb_run *run = make_run("arch", 10, cases[i].solved);
        nb_judgement j = judge(RULE, &run, 1);
        char measured[32];
        snprintf(measured, sizeof measured, "solved %.4g", 0.1 * cases[i].solved);
        check_verdict(&j, cases[i].verdict, cases[i].reason);
        assert_string_equal(j.measured, measured);
        nb_run_destroy(run);
    }
}

/* without the paper's set-up nothing is refuted; the conditions that fail are named */
TEST(a_refutation_requires_the_papers_setup) {
    nb_run *run = make_run("arch", 10, 3);
    nb_judgement j = judge(LINES("claim: mine-01", "set-up: unpublished; masses of the arm", "run: arch",
                                 "solved = share natural_map_error <= 1e-6 of steps", "says: {solved} of all steps.",
                                 "holds: solved >= 0.8 and solved <= 1 and (solved > 0.5 or solved < 0.1)"),
                           &run, 1);
    check_verdict(&j, NB_CLAIM_SETUP_MISSING, "set-up unpublished: masses of the arm; not met: solved >= 0.8");
    assert_string_equal(j.measured, "0.3 of all steps.");
    assert_string_equal(j.numbers, "solved 0.3");
    j = judge(LINES("claim: mine-01", "set-up: published", "solved = share natural_map_error <= 1e-6 of steps",
                    "holds: solved >= 0.8 and solved <= 1 and max(solved, 0) > 0.2"),
              &run, 1);
    check_verdict(&j, NB_CLAIM_DOES_NOT_HOLD, "not met: solved >= 0.8");
    assert_null(strstr(j.reason, "<= 1"));
    nb_run_destroy(run);
}

TEST(misprints_are_no_claims) {
    nb_judgement j = judge(LINES("claim: mine-01", "error = abs(-2)", "misprint: error > 1"), NULL, 0);
    check_verdict(&j, NB_CLAIM_MISPRINT, "error > 1");
    j = judge(LINES("claim: mine-01", "error = abs(0)", "misprint: error > 1"), NULL, 0);
    check_verdict(&j, NB_CLAIM_OPEN, "are right");
}

/* every text of the rule but its conditions is replaced, from left to right */
TEST(rivals_replace_runs_script_and_measures) {
    nb_claims claims;
    nb_claim rival;
    char *text = NULL;
    CHECK_OK(nb_claims_read(
        list,
        LINES("claim: mine-01", "run: arch --form compliance", "run: wall", "script: common.py --form compliance",
              "prints: a", "b = one steps where form=compliance", "rival: compliance => stiffness",
              "rival: arch => beam", "holds: a", "claim: mine-02", "run: arch", "rival: wall => arch", "holds: 1"),
        &claims));
    CHECK_OK(nb_claim_make_rival(&claims.claims[0], &rival, &text));
    assert_string_equal(rival.runs[0], "beam --form stiffness");
    assert_string_equal(rival.runs[1], "wall");
    assert_null(rival.runs[2]);
    assert_string_equal(rival.script, "common.py --form stiffness");
    assert_null(rival.measures[0].text);
    assert_string_equal(rival.measures[1].text, "one steps where form=stiffness");
    assert_string_equal(claims.claims[0].runs[0], "arch --form compliance");
    free(text);
    text = NULL;
    CHECK_FAULT(nb_claim_make_rival(&claims.claims[1], &rival, &text), NB_ERROR_INPUT, "finds it nowhere");
    free(text);
    nb_claims_clear(&claims);
}

TEST(what_is_missing_leaves_a_claim_open) {
    nb_run *run = make_run("arch", 10, 10), *runs[2] = {run, NULL};
    nb_judgement j = judge(RULE, runs, 2);
    check_verdict(&j, NB_CLAIM_OPEN, "a run was not made");
    j = judge(LINES("claim: mine-02", "holds: 1"), &run, 1);
    check_verdict(&j, NB_CLAIM_OPEN, "no rule yet");
    j = judge(LINES("claim: mine-01", "not testable: no GPU"), NULL, 0);
    check_verdict(&j, NB_CLAIM_NOT_TESTABLE, "no GPU");
    j = judge(LINES("claim: mine-01", "deep = most max_penetration of steps", "holds: deep < 1"), &run, 1);
    check_verdict(&j, NB_CLAIM_OPEN, "deep has no number");
    j = judge(LINES("claim: mine-01", "a = mean steps where mass=3", "holds: a < 1"), &run, 1);
    check_verdict(&j, NB_CLAIM_OPEN, "no run has such values");
    j = judge(LINES("claim: mine-01", "a = mean nothing", "holds: a < 1"), &run, 1);
    check_verdict(&j, NB_CLAIM_OPEN, "has no 'nothing'");
    j = judge(LINES("claim: mine-01", "a = mean most(nothing)", "holds: a < 1"), &run, 1);
    check_verdict(&j, NB_CLAIM_OPEN, "unknown column 'nothing'");
    j = judge(LINES("claim: mine-01", "a = mean steps of flies", "holds: a < 1"), &run, 1);
    check_verdict(&j, NB_CLAIM_OPEN, "unknown values 'flies'");
    j = judge(LINES("claim: mine-01", "a = mean steps", "holds: b < 1"), &run, 1);
    check_verdict(&j, NB_CLAIM_OPEN, "unknown measure 'b'");

    snprintf(run->fault, sizeof run->fault, "diverged");
    j = judge(RULE, &run, 1);
    check_verdict(&j, NB_CLAIM_OPEN, "a run of arch failed: diverged");
    j = judge(
        LINES("claim: mine-01", "failures: count", "lost = share failed", "holds: lost == 0", "set-up: published"),
        &run, 1);
    check_verdict(&j, NB_CLAIM_DOES_NOT_HOLD, "not met: lost == 0");
    nb_run_destroy(run);
}

TEST(measures_are_of_what_they_name) {
    nb_run *runs[6];
    for (int i = 0; i < 6; i++) {
        runs[i] = make_run(i < 5 ? "arch" : "wall", 5, i);
        runs[i]->info.seed = (uint64_t)i;
    }
    nb_judgement j = judge(LINES("claim: mine-01", "least_seed = least seed", "most_time = most last(step_s)",
                                 "middle = median seed where scenario=arch", "few = median seed where seed=0,1",
                                 "added = sum steps * mass where scenario=wall", "all = number failed of steps",
                                 "solved = mean count(newton_iterations@1e-6)", "ms = one median(step_ms) where seed=3",
                                 "repeats = mean step_ms of repeats where seed=3", "both = added / all", "holds: 1"),
                           runs, 5);
    check_verdict(&j, NB_CLAIM_OPEN, "no run has such values"); /* the wall is left out here */
    j = judge(LINES("claim: mine-01", "least_seed = least seed", "most_time = most last(step_s)",
                    "middle = median seed where scenario=arch", "few = mean seed where seed=0,1",
                    "added = sum steps * mass where scenario=wall", "all = number failed of steps",
                    "ms = one median(step_ms) where seed=3", "repeats = mean step_ms of repeats where seed=3",
                    "both = added / all", "holds: 1"),
              runs, 6);
    check_verdict(&j, NB_CLAIM_HOLDS, "1");
    assert_non_null(strstr(j.measured, "least seed 0, most time 5, middle 2 ["));
    assert_non_null(strstr(j.measured, "], few 0.5 (0 to 1), added 10, all 30, ms 3000, repeats 3000, both 0.3333"));
    j = judge(LINES("claim: mine-01", "a = one seed", "holds: 1"), runs, 6);
    check_verdict(&j, NB_CLAIM_OPEN, "6 values in the place of one");
    for (int i = 0; i < 6; i++) nb_run_destroy(runs[i]);
}

/* five copies of a batch, of which the first two take 30 iterations in their second step */
TEST(copies_are_counted) {
    nb_run *run = make_run("drop", 2, 2);
    CHECK_OK(nb_batch_allocate(&run->batch, 5, 2));
    for (int i = 0; i < 10; i++)
        run->batch.rows[i * NB_BATCH_COLUMNS + NB_BATCH_NEWTON_ITERATIONS] = i == 1 || i == 3 ? 30 : 4;
    nb_judgement j = judge(LINES("claim: mine-01", "failed = share most(newton_iterations) >= 30 of copies",
                                 "runs = sum most(newton_iterations) >= 30 of copies",
                                 "holds: low(failed) > 0.1 and high(failed) < 0.7", "in part: failed < 0.5"),
                           &run, 1);
    check_verdict(&j, NB_CLAIM_IN_PART, "failed < 0.5; not met: high(failed) < 0.7");
    assert_string_equal(j.measured, "failed 0.4 [0.118, 0.769], runs 2"); /* Wilson's score: scipy's binomtest(2, 5) */
    nb_run_destroy(run);
}

/* rows of newton/ of the last step: 8, 1, 2, 1 m/s */
TEST(histories_are_those_of_the_last_step) {
    nb_run *run;
    static const double errors[] = {7, 8, 1, 2, 1};
    CHECK_OK(nb_run_create(&run));
    CHECK_OK(nb_run_set_newton_columns(run, NULL, 0));
    for (int i = 0; i < 5; i++) {
        double row[NB_NEWTON_COLUMNS] = {0}, step[NB_STEP_COLUMNS] = {0}, linear[NB_LINEAR_COLUMNS] = {0};
        row[NB_NEWTON_NATURAL_MAP_ERROR] = errors[i];
        for (int k = 0; i == 1 && k < 3; k++) {
            linear[NB_LINEAR_RESIDUAL_L2] = k == 1 ? 5 : 4 - k;
            CHECK_OK(nb_run_add_linear(run, linear));
        }
        CHECK_OK(nb_run_add_newton(run, row));
        if (i == 0 || i == 4) CHECK_OK(nb_run_add_step(run, step));
    }
    CHECK_OK(nb_copy_text("", &run->info.parameters));
    nb_judgement j = judge(LINES("claim: mine-01", "start = one newton(natural_map_error, 0)",
                                 "end = one newton(natural_map_error)", "up = one rises(natural_map_error)",
                                 "early = one rises(natural_map_error, 1)", "first = one linear(residual_l2, 1)",
                                 "late = one linear(residual_l2, 9)", "linear = one rises(residual_l2)", "holds: 1"),
                           &run, 1);
    assert_string_equal(j.measured, "start 8, end 1, up 1, early 0, first 5, late 2, linear 1");
    j = judge(LINES("claim: mine-01", "added = sum natural_map_error of iterations",
                    "all = number failed of iterations", "fast = one superlinear(1)", "holds: 1"),
              &run, 1);
    assert_string_equal(j.measured, "added 11, all 3, fast 0"); /* 8, 1, 2: a step's last row is no iteration */
    j = judge(LINES("claim: mine-01", "a = one newton(nothing)", "holds: 1"), &run, 1);
    check_verdict(&j, NB_CLAIM_OPEN, "no column 'nothing'");
    j = judge(LINES("claim: mine-01", "a = one place(0, w)", "holds: 1"), &run, 1);
    check_verdict(&j, NB_CLAIM_OPEN, "place x, y or z");
    nb_run_destroy(run);
}

/* 1, 0.5, 0.1, 1e-3, 1e-7: factors 2, 5, 100, 1e4; and linear steps */
TEST(superlinear_steps_are_told_from_linear_ones) {
    nb_run *run;
    static const double factors[3][5] = {
        {1, 0.5, 0.1, 1e-3, 1e-7}, {1, 0.1, 0.01, 1e-3, 1e-4}, {1, 0.5, 0.2, 0.05, 0.01}};
    CHECK_OK(nb_run_create(&run));
    CHECK_OK(nb_run_set_newton_columns(run, NULL, 0));
    for (int i = 0; i < 15; i++) {
        double row[NB_NEWTON_COLUMNS] = {0}, step[NB_STEP_COLUMNS] = {0};
        row[NB_NEWTON_NATURAL_MAP_ERROR] = factors[i / 5][i % 5];
        CHECK_OK(nb_run_add_newton(run, row));
        if (i % 5 == 4) CHECK_OK(nb_run_add_step(run, step));
    }
    CHECK_OK(nb_copy_text("", &run->info.parameters));
    nb_judgement j = judge(LINES("claim: mine-01", "tight = one superlinear(1e-6)", "loose = one superlinear(1e-3)",
                                 "late = one superlinear(0.01)", "holds: 1"),
                           &run, 1);
    assert_string_equal(j.measured, "tight 1, loose 1, late 1"); /* the third step's last factor is below ten */
    nb_run_destroy(run);
}

/* ---- scripts ---- */

#define PRINTS                                                                                                      \
    LINES("claim: mine-01", "script: common.py", "prints: far near", "far_again = 2 * far", "holds: far_again > 4", \
          "in part: near < 1")

static nb_judgement judge_printed(const char *printed) {
    nb_claims claims;
    nb_judgement judgement;
    CHECK_OK(nb_claims_read(list, PRINTS, &claims));
    CHECK_OK(nb_claim_judge(&claims.claims[0], NULL, 0, printed, &judgement));
    nb_claims_clear(&claims);
    return judgement;
}

/* names in another order than the rule's, and several values, which stand for their median */
TEST(what_a_script_prints_is_measured) {
    nb_judgement j = judge_printed("# title\nnear 1e-3\nfar 5 1 3\n");
    check_verdict(&j, NB_CLAIM_HOLDS, "far_again > 4");
    assert_string_equal(j.measured, "far 3 (1 to 5), near 0.001, far again 6");
    j = judge_printed("near 0.5\nfar 2");
    check_verdict(&j, NB_CLAIM_IN_PART, "near < 1");
    j = judge_printed("near 1\n\nfar 2\n");
    check_verdict(&j, NB_CLAIM_SETUP_MISSING, "set-up unstated; not met: near < 1");

    static const char *const open[][2] = {{"near 1\n", "did not print 'far'"},
                                          {"", "did not print 'far'"},
                                          {"near 1\nfar 2\nfa 3\n", "'fa', which its rule does not name"},
                                          {"far_again 1\n", "'far_again', which its rule does not name"},
                                          {"near 1\nnear 2\n", "'near', which is there twice"},
                                          {"near far\n", "printed 'near far': NAME VALUE"},
                                          {"near 1 x\n", "printed 'near 1 x': NAME VALUE"},
                                          {"near\nfar 1\n", "printed 'near': NAME VALUE"},
                                          {"near 1\nfar nan\n", "far has no number"}};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        j = judge_printed(open[i][0]);
        check_verdict(&j, NB_CLAIM_OPEN, open[i][1]);
        assert_null(strchr(j.reason, '\n'));
    }
}

TEST(scripts_are_run) {
    static const char *const lib[] = {"def say(name, value): print(name, value)\n", NULL};
    static const char *const good[] = {"import os, sys\n", "from common import say\n",
                                       "assert os.access(os.environ['NCPBENCH'], os.X_OK)\n",
                                       "say(sys.argv[1], len(os.listdir()) + len(sys.argv))\n", NULL};
    static const char *const bad[] = {"print('near 1')\n", "raise ValueError('no root')\n", NULL};
    static const char *const lost[] = {"import os\n", "os.kill(os.getpid(), 9)\n", NULL};
    static const nb_claim_source sources[] = {
        {"common.py", lib}, {"good.py", good}, {"bad.py", bad}, {"lost.py", lost}, {NULL, NULL}};
    char title[NB_CLAIM_TITLE], other[NB_CLAIM_TITLE], *printed = NULL;
    CHECK_OK(nb_claim_script_run(sources, "good.py near far", &printed));
    nb_claim_script_title(sources, "good.py near far", title);
    nb_claim_script_title(sources, "bad.py near far", other);
    assert_memory_equal(printed, title, strlen(title));
    char *said = printed + strlen(title); /* script, common.py, complaints; three words */
    assert_memory_equal(said, "near 6\n# whole: ", strlen("near 6\n# whole: "));
    assert_true(nb_claim_script_is_whole(said));
    said[5] = '7';
    assert_false(nb_claim_script_is_whole(said));
    said[5] = '6';
    for (size_t length = strlen(said); length-- > 0;) {
        said[length] = '\0';
        assert_false(nb_claim_script_is_whole(said));
    }
    assert_string_not_equal(strchr(title, '('), strchr(other, '('));
    nb_free(printed);
    printed = NULL;
    CHECK_FAULT(nb_claim_script_run(sources, "bad.py", &printed), NB_ERROR_INPUT,
                "script bad.py failed: ValueError: no root");
    CHECK_FAULT(nb_claim_script_run(sources, "lost.py", &printed), NB_ERROR_INPUT, "script lost.py failed: (Killed)");
    CHECK_FAULT(nb_claim_script_run(sources, "none.py", &printed), NB_ERROR_INPUT, "no script 'none.py'");
    assert_null(printed);
}

/* fig. 6 and 9 by hand: min(v, limit - force) and min(c, r lambda) */
TEST(functions_need_no_run) {
    nb_judgement j =
        judge(LINES("claim: mine-01", "limit = friction_error(minimum-map, 5)",
                    "compliance = friction_compliance(fischer-burmeister, 5)", "line = scaled(minimum-map, 2, 0.25)",
                    "corner = scaled(minimum-map, -1, 1)", "holds: abs(limit) < 1e-15"),
              NULL, 0);
    check_verdict(&j, NB_CLAIM_HOLDS, "abs(limit)");
    assert_non_null(strstr(j.measured, "compliance 0.1, line 0.375, corner -1"));
    j = judge(LINES("claim: mine-01", "a = friction_error(maximum-map, 5)", "holds: 1"), NULL, 0);
    check_verdict(&j, NB_CLAIM_OPEN, "it takes a complementarity function");
    j = judge(LINES("claim: mine-01", "a = scaled(minimum-map, 5)", "holds: 1"), NULL, 0);
    check_verdict(&j, NB_CLAIM_OPEN, "2 number(s)");
}

/* ---- beside figures ---- */

/* what is open is not quoted, nor what another figure shows; a page has the figures of its paper alone */
TEST(figures_quote_verdicts) {
    nb_claim said[] = {{.id = "mine-01", .paper = "Mine 2001", .place = "1", .text = "a < b", .figure = "mine-fig01"},
                       {.id = "mine-02", .paper = "Mine 2001", .place = "2", .text = "c", .figure = "mine-fig01"},
                       {.id = "mine-03", .paper = "Mine 2001", .place = "3", .text = "d", .figure = "mine-fig01"},
                       {.id = "yours-01", .paper = "Yours 2002", .place = "4", .text = "e", .figure = "mine-fig01"},
                       {.id = "yours-02", .paper = "Yours 2002", .place = "5", .text = "f", .figure = "mine-fig02"}};
    said[0].published = "7";
    said[1].published = said[2].published = said[3].published = said[4].published = "";
    const nb_claims claims = {.claims = said, .count = 5};
    const nb_judgement judgements[] = {{.verdict = NB_CLAIM_IN_PART, .measured = "x 1"},
                                       {.verdict = NB_CLAIM_HOLDS, .measured = "y_2 2"},
                                       {.verdict = NB_CLAIM_OPEN},
                                       {.verdict = NB_CLAIM_HOLDS},
                                       {.verdict = NB_CLAIM_HOLDS}};
    const nb_figure_class first = {.name = "mine-fig01", .summary = "one"},
                          second = {.name = "mine-fig02", .summary = "two"},
                          none = {.name = "mine-fig03", .summary = "three"},
                          other = {.name = "yours-fig01", .summary = "four"};
    const nb_figure_class *const figures[] = {&first, &second, &none, &other};
    const char chosen[] = {1, 1, 1, 1, 0};
    char text[256], *page = NULL;
    size_t size;
    nb_claims_quote(&claims, chosen, judgements, "mine-fig01", text, sizeof text);
    assert_string_equal(text, "Claim 2 of Mine 2001 holds. Claim 1 holds in part. Claim 1 of Yours 2002 holds.");
    nb_claims_quote(&claims, chosen, judgements, "mine-fig02", text, sizeof text);
    assert_string_equal(text, "");
    FILE *file = open_memstream(&page, &size);
    assert_non_null(file);
    CHECK_OK(nb_claims_write_figures(&claims, chosen, judgements, "mine", figures, 4, "svg", file));
    fclose(file);
    assert_ptr_equal(strstr(page, "# The claims of the papers: Mine 2001\n"), page);
    assert_non_null(strstr(page, "## mine-fig01\n\n![one](mine-fig01.svg)\n"));
    assert_non_null(strstr(page, "| mine-01: a \\< b (1)<br>Published: 7 | **in part**: x 1 |\n"));
    assert_non_null(strstr(page, "| mine-02: c (2) | **holds**: y\\_2 2 |\n"));
    assert_non_null(strstr(page, "| mine-03: d (3) | **open**: `ncpbench reproduce --claims mine-03` judges it |\n"));
    assert_non_null(strstr(page, "![three](mine-fig03.svg)"));
    assert_null(strstr(page, "yours"));
    free(page);
}

RUN_TESTS(expressions_have_their_values, bad_expressions_are_refused, every_rule_is_right, bad_rules_are_refused,
          a_rule_gives_each_verdict, a_refutation_requires_the_papers_setup, misprints_are_no_claims,
          rivals_replace_runs_script_and_measures, what_is_missing_leaves_a_claim_open, measures_are_of_what_they_name,
          copies_are_counted, histories_are_those_of_the_last_step, superlinear_steps_are_told_from_linear_ones,
          what_a_script_prints_is_measured, scripts_are_run, functions_need_no_run, figures_quote_verdicts)
