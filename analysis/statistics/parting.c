#include "statistics/parting.h"

#include <string.h>

#include "base/memory.h"
#include "statistics/compared_run.h"

void nb_parting_clear(nb_parting *parting) {
    nb_free(parting->problem);
    nb_free(parting->trace);
    *parting = (nb_parting){.runs = parting->runs, .first = parting->first};
}

nb_status nb_parting_add(nb_parting *p, const nb_run *run) {
    nb_status status;
    char *problem = NULL;
    nb_trace *trace = NULL;
    if (run->step_count < 2 || *run->fault) return NB_OK;
    NB_TRY(nb_compared_key(&run->info, NB_COMPARED_PROBLEM, &problem));
    NB_TRY(nb_trace_take(run, &trace));
    if (!p->problem || strcmp(p->problem, problem) != 0) {
        nb_parting_clear(p);
        p->problem = problem;
        p->trace = trace;
        p->steps = run->step_count;
        return NB_OK;
    }
    const int32_t step = nb_trace_parting(p->trace, p->steps, trace, run->step_count);
    if (step >= 0 && (p->runs == 0 || step < p->first)) p->first = step;
    p->runs += step >= 0;
out:
    nb_free(problem);
    nb_free(trace);
    return status;
}
