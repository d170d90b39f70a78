#include "motion.h"

#include <stdio.h>

#include "arguments.h"
#include "base/memory.h"
#include "interrupt.h"
#include "overwrite.h"
#include "run/blas.h"
#include "text/plain.h"

nb_status nb_motion_set(nb_motion *m, int key, const char *text) {
    nb_status status;
    int known;
    switch (key) {
    case 'o': m->path = text; return NB_OK;
    case NB_FORCE_KEY: m->force = 1; return NB_OK;
    case ARGP_KEY_ARG:
        status = nb_command_take(m->command, text, &m->scenario);
        return status == NB_OK ? nb_parameter_grid_add_scenarios(m->grid, text) : status;
    default: return nb_parameter_grid_set(m->grid, key, text, &known);
    }
}

nb_status nb_motion_begin(nb_motion *m, int argc, char **argv, nb_option_setter *set, void *context) {
    const char *name = m->command->name;
    nb_status status;
    int64_t count;
    NB_TRY(nb_command_line(argc, argv, &m->line)); /* before argp sorts the words */
    NB_TRY(nb_parameter_grid_create(&m->grid));
    NB_TRY(nb_command_parse(m->command, argc, argv, set, context));
    if (!m->scenario) return nb_fail(NB_ERROR_USAGE, "%s: a scenario is missing; see 'ncpbench list scenarios'", name);
    if (!m->path || !*m->path) return nb_fail(NB_ERROR_USAGE, "%s: the file to write is missing: -o FILE.h5", name);
    NB_TRY(nb_overwrite_check(m->path, m->writes, m->force));
    NB_TRY(nb_parameter_grid_count(m->grid, &count));
    if (count != 1)
        return nb_fail(NB_ERROR_USAGE, "%s: one run at a time: the lists of values give %lld", name, (long long)count);
    NB_TRY(nb_plan_add(&m->plan, m->grid));
    m->request = m->plan.requests[0];
    if (m->request->info.repeats > 1) return nb_fail(NB_ERROR_USAGE, "%s does not support --repeat; use run", name);
    if (m->request->choices.device) return nb_fail(NB_ERROR_UNSUPPORTED, "%s supports --device cpu only", name);
    nb_interrupt_catch();
    nb_blas_set_threads(m->request->info.threads);
out:
    return status;
}

void nb_motion_clear(nb_motion *m) {
    nb_plan_clear(&m->plan);
    nb_parameter_grid_destroy(m->grid);
    nb_free(m->line);
}

nb_status nb_motion_end(const nb_motion *m, nb_status status, int *ended, int *exit_status) {
    *ended = nb_interrupted;
    if (!*ended) return status;
    nb_print(stderr, "nothing was recorded; %s %s\n", m->path, nb_overwrite_left(m->path));
    *exit_status = NB_EXIT_INTERRUPTED;
    return NB_OK;
}
