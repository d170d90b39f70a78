#include "record/writer.h"

#include "base/clock.h"
#include "record/group.h"
#include "record/systems.h"
#include "record/write_states.h"

nb_status nb_write_run(hid_t group, const nb_run *run, int32_t provenance) {
    nb_status status;
    double start = nb_clock_seconds();
    nb_run_usage usage = run->usage;
    nb_run shown = *run;
    shown.provenance = provenance;
    if (!run->reference.solution.q) shown.reference = (nb_reference_solution){0}; /* masses alone are none */
    NB_TRY(nb_group_write(group, &nb_run_members, &shown));
    NB_TRY(nb_write_states(group, run));
    NB_TRY(nb_write_systems(group, run));
    usage.record_s += nb_clock_seconds() - start;
    NB_TRY(nb_group_write(group, &nb_run_usage_members, &usage));
out:
    return status;
}
