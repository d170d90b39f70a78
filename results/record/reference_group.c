#include "record/reference_group.h"

#include <math.h>

#include "base/stream.h"
#include "record/h5.h"
#include "record/reader.h"
#include "record/writer.h"

static const nb_meaning of_forces = {"u_of_forces", "m/s, rad/s",
                                     "velocities that the forces make: those without constraints + M^-1 J^T lambda h"},
                        mass = {"mass", "kg", "mass of each body; 0: fixed or prescribed"},
                        inertia = {"inertia", "kg m^2", "inertia of each body in the world frame, at the start"};

static uint64_t texts_of(const nb_reference_solution *reference) {
    return nb_fields_checksum(NB_CHECKSUM_OF_NOTHING, nb_reference_solution_fields, nb_reference_solution_field_count,
                              reference);
}

nb_status nb_write_reference(hid_t run_group, const nb_reference_solution *reference) {
    nb_status status;
    hid_t group = -1;
    const nb_snapshot *solution = &reference->solution;
    const hsize_t bodies = (hsize_t)solution->bodies, velocities[2] = {bodies, 6}, matrices[3] = {bodies, 3, 3};
    if (!solution->q) return NB_OK;
    NB_TRY(nb_h5_create_group(run_group, "reference", &group));
    NB_TRY(nb_write_fields(group, nb_reference_solution_fields, nb_reference_solution_field_count, reference));
    NB_TRY(nb_write_texts_checksum(group, texts_of(reference)));
    NB_TRY(nb_h5_write_real(group, "time", solution->time));
    NB_TRY(nb_h5_write_real(group, "time_step", solution->time_step));
    NB_TRY(nb_write_snapshot(group, solution));
    NB_TRY(nb_h5_write_array(group, &of_forces, H5T_NATIVE_DOUBLE, 2, velocities, reference->u_of_forces));
    NB_TRY(nb_h5_write_array(group, &mass, H5T_NATIVE_DOUBLE, 1, &bodies, reference->masses.mass));
    NB_TRY(nb_h5_write_array(group, &inertia, H5T_NATIVE_DOUBLE, 3, matrices, reference->masses.inertia));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

/* numbers that others divide by, or index with */
static nb_status check(const nb_reference_solution *reference, const nb_run *run) {
    double total = 0;
    if (!reference->solution.q || reference->solution.bodies != run->final.bodies)
        return nb_fail(NB_ERROR_INPUT, "a reference of %d bodies in a run of %d", (int)reference->solution.bodies,
                       (int)run->final.bodies);
    if (reference->step < 0 || reference->step >= run->step_count)
        return nb_fail(NB_ERROR_INPUT, "a reference of step %d in a run of %d", (int)reference->step,
                       (int)run->step_count);
    for (int32_t i = 0; i < reference->masses.bodies; i++) {
        if (!(reference->masses.mass[i] >= 0 && isfinite(reference->masses.mass[i])))
            return nb_fail(NB_ERROR_INPUT, "reference/mass holds %g", reference->masses.mass[i]);
        total += reference->masses.mass[i];
    }
    if (!(fabs(total - reference->masses.total) <= 1e-9 * total))
        return nb_fail(NB_ERROR_INPUT, "reference/total_mass is %g where the masses sum to %g", reference->masses.total,
                       total);
    return NB_OK;
}

nb_status nb_read_reference(hid_t run_group, nb_run *run) {
    nb_status status;
    nb_reference_solution *reference = &run->reference;
    nb_snapshot *solution = &reference->solution;
    if (!nb_h5_has(run_group, "reference")) return NB_OK;
    hid_t group = H5Gopen2(run_group, "reference", H5P_DEFAULT);
    if (group < 0) return nb_fail(NB_ERROR_INPUT, "group 'reference' cannot be read: the file is damaged");
    NB_TRY(nb_read_fields(group, nb_reference_solution_fields, nb_reference_solution_field_count, reference));
    NB_TRY(nb_check_texts(group, texts_of(reference)));
    NB_TRY(nb_h5_read_number(group, "time", H5T_NATIVE_DOUBLE, &solution->time));
    NB_TRY(nb_h5_read_number(group, "time_step", H5T_NATIVE_DOUBLE, &solution->time_step));
    NB_TRY(nb_read_snapshot(group, solution));
    solution->error = reference->used.natural_map_error;
    solution->step_count = run->final.step_count;
    const hsize_t bodies = (hsize_t)solution->bodies, velocities[2] = {bodies, 6}, matrices[3] = {bodies, 3, 3};
    NB_TRY(nb_h5_read_array(group, of_forces.name, H5T_NATIVE_DOUBLE, sizeof(double), 2, velocities,
                            &reference->u_of_forces));
    NB_TRY(nb_h5_read_array(group, mass.name, H5T_NATIVE_DOUBLE, sizeof(double), 1, &bodies, &reference->masses.mass));
    NB_TRY(nb_h5_read_array(group, inertia.name, H5T_NATIVE_DOUBLE, sizeof(double), 3, matrices,
                            &reference->masses.inertia));
    reference->masses.bodies = solution->bodies;
    NB_TRY(check(reference, run));
out:
    H5Gclose(group);
    return status;
}
