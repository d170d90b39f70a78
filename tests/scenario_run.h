/* Whole runs of scenarios, and their checks. */
#ifndef NB_TESTS_SCENARIO_RUN_H
#define NB_TESTS_SCENARIO_RUN_H

#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "run/simulate.h"

/* the scenario with parameters "name=value ...", whatever its paper makes its steps by: implicit, with Coulomb's law,
 * by newton with cholesky, 60 iterations to `tolerance` at most */
static inline nb_request request_of_scenario(const char *scenario, const char *settings, int steps, double tolerance) {
    nb_request request;
    nb_request_standard(&request);
    snprintf(request.info.scenario, sizeof request.info.scenario, "%s", scenario);
    strcpy(request.info.method, "newton");
    strcpy(request.info.linear_solver, "cholesky");
    request.scene.stepping.scheme = NB_STEPPING_IMPLICIT;
    request.scene.friction_law = NB_FRICTION_COULOMB;
    request.info.steps = steps;
    request.info.newton_iterations = 60;
    request.info.newton_tolerance = tolerance;
    request.linear_history = 0;
    while (*settings) {
        nb_setting *setting = &request.settings[request.setting_count++];
        size_t length = strcspn(settings, " ");
        const char *equals = memchr(settings, '=', length);
        snprintf(setting->name, sizeof setting->name, "%.*s", (int)(equals - settings), settings);
        snprintf(setting->value, sizeof setting->value, "%.*s", (int)(settings + length - equals - 1), equals + 1);
        settings += length + strspn(settings + length, " ");
    }
    return request;
}

/* options of the method, and linear-solver: "name=value ..." */
static inline void set_options(const char *options, nb_request *request) {
    while (*options) {
        char name[64], value[64];
        assert_int_equal(sscanf(options, "%63[^=]=%63s", name, value), 2);
        if (strcmp(name, "linear-solver") == 0)
            strcpy(request->info.linear_solver, value);
        else
            CHECK_OK(nb_request_set_option(request, name, value));
        options += strcspn(options, " ");
        options += strspn(options, " ");
    }
}

/* the caller destroys it */
static inline nb_run *run(nb_request *request) {
    nb_run *run;
    CHECK_OK(nb_simulate_prepare(request));
    CHECK_OK(nb_simulate(request, NULL, NULL, &run));
    nb_free(request->info.parameters);
    return run;
}

/* how many of its checks failed; `say`: with their numbers */
static inline int failures(const nb_run *run, int say) {
    int failed = 0;
    for (int i = 0; i < run->checks.count; i++) {
        const nb_check *check = &run->checks.items[i];
        failed += !check->passed;
        if (say && !check->passed)
            print_message("%s %s: %s is %.9g, expected %.9g, tolerance %.3g\n", run->info.scenario,
                          run->info.parameters, check->name, check->actual, check->expected, check->tolerance);
    }
    return failed;
}

#endif
