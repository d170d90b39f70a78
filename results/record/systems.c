#include "record/systems.h"

#include <stdio.h>

#include "record/group.h"
#include "record/h5.h"

static nb_status write_system(hid_t parent, const nb_stored_system *system) {
    hid_t group;
    char name[32];
    snprintf(name, sizeof name, "%04d_%03d", (int)system->step, (int)system->newton);
    nb_status status = nb_h5_create_group(parent, name, &group);
    if (status != NB_OK) return status;
    status = nb_group_write(group, &nb_stored_system_members, system);
    H5Gclose(group);
    return status;
}

nb_status nb_write_systems(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    if (run->system_count == 0) return NB_OK;
    NB_TRY(nb_h5_create_group(run_group, "systems", &group));
    for (int32_t i = 0; i < run->system_count; i++) NB_TRY(write_system(group, &run->systems[i]));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

/* the group of a system; negative where there is none */
static hid_t open_system(hid_t run_group, int32_t step, int32_t newton) {
    char name[32];
    if (!nb_h5_has(run_group, "systems")) return -1;
    hid_t systems = H5Gopen2(run_group, "systems", H5P_DEFAULT);
    if (systems < 0) return -1;
    snprintf(name, sizeof name, "%04d_%03d", (int)step, (int)newton);
    hid_t group = nb_h5_has(systems, name) ? H5Gopen2(systems, name, H5P_DEFAULT) : -1;
    H5Gclose(systems);
    return group;
}

int nb_has_system(hid_t run_group, int32_t step, int32_t newton) {
    hid_t group = open_system(run_group, step, newton);
    if (group >= 0) H5Gclose(group);
    return group >= 0;
}

nb_status nb_read_system(hid_t run_group, nb_stored_system *system) {
    hid_t group = open_system(run_group, system->step, system->newton);
    nb_status status = group < 0 ? nb_fail(NB_ERROR_INPUT, "the system is missing")
                                 : nb_group_read(group, &nb_stored_system_members, system);
    if (group >= 0) H5Gclose(group);
    return status;
}
