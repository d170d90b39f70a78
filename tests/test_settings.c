/* The settings in which runs differ, against all pairs of random runs, what a record lacks, and conditions on them. */
#include "table/settings.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "table/conditions.h"

enum {
    RUNS = 4,
    ROUNDS = 300
};

/* a run, whose parameters are a text of its own */
typedef struct one_run {
    nb_run_info info;
    char parameters[200];
    int mu, variant, damping; /* the drawn values of a scenario's, a solver's and a method's setting */
} one_run;

static int draw(uint64_t *seed, int count) {
    return (int)(test_random(seed, 0, count));
}

static void fill(one_run *run, uint64_t *seed) {
    static const char *const scenarios[] = {"arch", "wall"}, *const solvers[] = {"jacobi", "pcr"};
    static const char *const methods[] = {"newton", "interior-point"};
    *run = (one_run){.mu = draw(seed, 2), .variant = draw(seed, 2), .damping = draw(seed, 2)};
    nb_run_info *info = &run->info;
    snprintf(info->scenario, sizeof info->scenario, "%s", scenarios[draw(seed, 2)]);
    snprintf(info->method, sizeof info->method, "%s", methods[draw(seed, 2)]);
    snprintf(info->linear_solver, sizeof info->linear_solver, "%s", solvers[draw(seed, 2)]);
    snprintf(info->preconditioner, sizeof info->preconditioner, "none");
    info->steps = 3;
    char damping[32] = "";
    if (strcmp(info->method, "newton") == 0)
        snprintf(damping, sizeof damping, "method.damping=0.%d\n", 5 + run->damping);
    snprintf(run->parameters, sizeof run->parameters, "linear-solver.variant:v%d\n%smu=0.%d\n", run->variant, damping,
             run->mu + 3);
    info->parameters = run->parameters;
}

/* whether another of the runs that are compared in it has another value */
static int expected(const one_run *runs, int i, const char *name) {
    const one_run *a = &runs[i];
    int differs = 0;
    for (int j = 0; j < RUNS; j++) {
        const one_run *b = &runs[j];
        int scene = strcmp(a->info.scenario, b->info.scenario) == 0;
        int solver = strcmp(a->info.linear_solver, b->info.linear_solver) == 0;
        int method =
            strcmp(a->info.method, "newton") == 0 && strcmp(b->info.method, "newton") == 0; /* which alone has it */
        if (strcmp(name, "mu") == 0) differs |= scene && a->mu != b->mu;
        if (strcmp(name, "linear-solver.variant") == 0) differs |= solver && a->variant != b->variant;
        if (strcmp(name, "linear_solver") == 0) differs |= !solver;
        if (strcmp(name, "scenario") == 0) differs |= !scene;
        if (strcmp(name, "method.damping") == 0)
            for (int k = 0; k < RUNS; k++)
                differs |= method && strcmp(runs[k].info.method, "newton") == 0 && b->damping != runs[k].damping;
    }
    return differs;
}

TEST(runs_differ_where_two_of_one_owner_do) {
    static const char *const names[] = {"mu",       "linear-solver.variant", "linear_solver",
                                        "scenario", "method.damping",        "steps"};
    uint64_t seed = test_seed();
    for (int round = 0; round < ROUNDS; round++) {
        one_run runs[RUNS];
        nb_differing *differing;
        CHECK_OK(nb_differing_create(0, &differing));
        for (int i = 0; i < RUNS; i++) {
            fill(&runs[i], &seed);
            CHECK_OK(nb_differing_add(differing, &runs[i].info));
        }
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            int any = 0, listed = 0;
            const char *name;
            for (int i = 0; i < RUNS; i++) {
                assert_int_equal(nb_differing_in(differing, &runs[i].info, names[n]), expected(runs, i, names[n]));
                any |= expected(runs, i, names[n]);
            }
            for (int64_t k = 0; (name = nb_differing_at(differing, k)) != NULL; k++)
                listed += strcmp(name, names[n]) == 0;
            assert_int_equal(listed, any); /* once */
        }
        nb_differing_destroy(differing);
    }
}

/* the same runs, each compared with those of its scenario */
TEST(runs_differ_within_their_scenarios) {
    static const char *const names[] = {"mu", "linear_solver", "method"};
    uint64_t seed = test_seed();
    for (int round = 0; round < ROUNDS; round++) {
        one_run runs[RUNS];
        nb_differing *differing;
        CHECK_OK(nb_differing_create(1, &differing));
        for (int i = 0; i < RUNS; i++) {
            fill(&runs[i], &seed);
            CHECK_OK(nb_differing_add(differing, &runs[i].info));
        }
        for (int n = 0; n < 3; n++)
            for (int i = 0; i < RUNS; i++) {
                int differs = 0;
                for (int j = 0; j < RUNS; j++) {
                    char a[NB_NAME_LENGTH], b[NB_NAME_LENGTH];
                    assert_true(nb_setting_value(&runs[i].info, names[n], a));
                    assert_true(nb_setting_value(&runs[j].info, names[n], b));
                    differs |= strcmp(runs[i].info.scenario, runs[j].info.scenario) == 0 && strcmp(a, b) != 0;
                }
                assert_int_equal(nb_differing_in(differing, &runs[i].info, names[n]), differs);
            }
        nb_differing_destroy(differing);
    }
}

/* a record of before --friction-law has it not, and is one of Coulomb's */
TEST(what_is_left_out_is_standard) {
    const char *const laws[] = {"", "friction-law:coulomb\n", "friction-law:relaxed\n"};
    for (int other = 1; other < 3; other++)
        for (int first = 0; first < 2; first++) {
            uint64_t seed = 1;
            one_run runs[2];
            nb_differing *differing;
            char text[NB_NAME_LENGTH];
            CHECK_OK(nb_differing_create(0, &differing));
            for (int i = 0; i < 2; i++) {
                fill(&runs[i], &seed);
                snprintf(runs[i].parameters, sizeof runs[i].parameters, "%s", laws[i == first ? 0 : other]);
                CHECK_OK(nb_differing_add(differing, &runs[i].info));
            }
            assert_int_equal(nb_differing_in(differing, &runs[0].info, "friction-law"), other == 2);
            nb_setting_text(&runs[first].info, "friction-law", text);
            assert_string_equal(text, "coulomb");
            nb_differing_destroy(differing);
        }
}

TEST(a_setting_of_no_use_is_a_dash) {
    uint64_t seed = 1;
    one_run run;
    char text[NB_NAME_LENGTH];
    fill(&run, &seed);
    snprintf(run.info.method, sizeof run.info.method, "psor");
    snprintf(run.info.linear_solver, sizeof run.info.linear_solver, "none");
    nb_setting_text(&run.info, "method.damping", text);
    assert_string_equal(text, "-");
    nb_setting_text(&run.info, "no-such-setting", text);
    assert_string_equal(text, "-");
    nb_setting_text(&run.info, "preconditioner", text);
    assert_string_equal(text, "none");
}

/* a value is met as a text or as a number, among those that the separator parts; a setting that is not there by none */
TEST(conditions_hold_for_values_of_the_list) {
    char parameters[] = "mu=0.5\nmethod.damping=0.75\n";
    nb_run_info info = {.parameters = parameters, .warm_start = 1};
    snprintf(info.scenario, sizeof info.scenario, "arch");
    snprintf(info.linear_solver, sizeof info.linear_solver, "pcr");
    static const struct {
        const char *text;
        char separator;
        int holds;
    } cases[] = {{"scenario=arch", ',', 1},
                 {"scenario=wall,arch", ',', 1},
                 {"scenario=wall|arch", ',', 0},
                 {"scenario=wall|arch", '|', 1},
                 {"scenario=arc", ',', 0},
                 {"solver=pcg,pcr", ',', 1},
                 {"mu=0.50", ',', 1},
                 {"mu=0.5,", ',', 1},
                 {"mu=5e-1x", ',', 0},
                 {"damping=0.75", ',', 1},
                 {"warm-start=on", ',', 1},
                 {"warm_start=off,1", ',', 1},
                 {"omega=1", ',', 0},
                 {"mu", ',', 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (nb_condition_holds(cases[i].text, strlen(cases[i].text), cases[i].separator, &info) != cases[i].holds)
            fail_msg("%s", cases[i].text);
    nb_conditions both = {.count = 0};
    CHECK_OK(nb_conditions_add(&both, "mu=0.5"));
    assert_int_equal(nb_conditions_hold(&both, &info), 1);
    CHECK_OK(nb_conditions_add(&both, "scenario=wall"));
    assert_int_equal(nb_conditions_hold(&both, &info), 0);
    CHECK_FAULT(nb_conditions_add(&both, "mu="), NB_ERROR_USAGE, "NAME=VALUE");
    assert_int_equal(nb_conditions_hold(NULL, &info), 1);
}

RUN_TESTS(runs_differ_where_two_of_one_owner_do, runs_differ_within_their_scenarios, what_is_left_out_is_standard,
          a_setting_of_no_use_is_a_dash, conditions_hold_for_values_of_the_list)
