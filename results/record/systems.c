#include "record/systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* step and iteration from a name like 0012_003 */
static int parse_name(const char *name, int32_t *step, int32_t *newton) {
    int s, k, end = 0;
    if (strspn(name, "0123456789_") != strlen(name) || sscanf(name, "%8d_%8d%n", &s, &k, &end) != 2 || name[end])
        return 0;
    *step = s;
    *newton = k;
    return 1;
}

/* the i-th system by name, added to the run */
static nb_status add_system(hid_t systems, hsize_t i, nb_run *run) {
    nb_status status;
    char name[32] = "", message[300];
    nb_stored_system system = {0};
    ssize_t length = H5Lget_name_by_idx(systems, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    if (length <= 0 || length >= (ssize_t)sizeof name || !parse_name(name, &system.step, &system.newton))
        return nb_fail(NB_ERROR_INPUT, "the group 'systems' has a member that is no system");
    hid_t group = nb_h5_has(systems, name) ? H5Gopen2(systems, name, H5P_DEFAULT) : -1;
    status =
        group < 0 ? nb_fail(NB_ERROR_INPUT, "not a group") : nb_group_read(group, &nb_stored_system_members, &system);
    if (group >= 0) H5Gclose(group);
    if (status == NB_OK) return nb_run_add_system(run, &system);
    nb_stored_system_clear(&system);
    if (status == NB_ERROR_MEMORY) return status;
    snprintf(message, sizeof message, "%.280s", nb_error_message());
    return nb_fail(status, "system '%s': %s", name, message);
}

static int by_step_and_newton(const void *a, const void *b) {
    const nb_stored_system *x = a, *y = b;
    return x->step != y->step ? (x->step > y->step) - (x->step < y->step)
                              : (x->newton > y->newton) - (x->newton < y->newton);
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

nb_status nb_read_systems(hid_t run_group, nb_run *run) {
    nb_status status = NB_OK;
    H5G_info_t info;
    if (!nb_h5_has(run_group, "systems")) return NB_OK;
    hid_t group = H5Gopen2(run_group, "systems", H5P_DEFAULT);
    if (group < 0 || H5Gget_info(group, &info) < 0) NB_TRY(nb_fail(NB_ERROR_INPUT, "'systems' is no group"));
    for (hsize_t i = 0; i < info.nlinks; i++) NB_TRY(add_system(group, i, run));
    /* names of more than four digits are not in order */
    if (run->system_count > 0) qsort(run->systems, (size_t)run->system_count, sizeof *run->systems, by_step_and_newton);
out:
    if (group >= 0) H5Gclose(group);
    return status;
}
