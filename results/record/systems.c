#include "record/systems.h"

#include <stdio.h>

#include "record/group.h"
#include "record/h5.h"

/* the units of a dataset, where they are not those of rows */
static nb_status relabel(hid_t group, const char *name, const char *units) {
    nb_status status;
    if (!*units) return NB_OK;
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    if (dataset < 0) return nb_h5_fault(name);
    status = H5Adelete(dataset, "units") < 0 ? nb_h5_fault(name) : nb_h5_write_text(dataset, "units", units);
    H5Dclose(dataset);
    return status;
}

static nb_status write_system(hid_t parent, const nb_stored_system *system) {
    hid_t group;
    char name[32];
    snprintf(name, sizeof name, "%04d_%03d", (int)system->step, (int)system->newton);
    nb_status status = nb_h5_create_group(parent, name, &group);
    if (status != NB_OK) return status;
    status = nb_group_write(group, &nb_stored_system_members, system);
    if (status == NB_OK) status = relabel(group, "A/value", system->units[0]);
    if (status == NB_OK) status = relabel(group, "b", system->units[1]);
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

static nb_status read_units(hid_t group, const char *name, char units[32]) {
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    if (dataset < 0) return nb_h5_fault(name);
    nb_status status = nb_h5_read_text(dataset, "units", units, 32);
    H5Dclose(dataset);
    return status;
}

nb_status nb_read_system(hid_t run_group, nb_stored_system *system) {
    hid_t group = open_system(run_group, system->step, system->newton);
    nb_status status = group < 0 ? nb_fail(NB_ERROR_INPUT, "the system is missing")
                                 : nb_group_read(group, &nb_stored_system_members, system);
    if (status == NB_OK && *system->unknowns) status = read_units(group, "A/value", system->units[0]);
    if (status == NB_OK && *system->unknowns) status = read_units(group, "b", system->units[1]);
    if (group >= 0) H5Gclose(group);
    return status;
}
