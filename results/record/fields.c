#include "record/fields.h"

#include <stdio.h>
#include <string.h>

#include "base/stream.h"

#define TEXT(owner, name) \
    { #name, NB_FIELD_TEXT, offsetof(owner, name), sizeof((owner *)0)->name }
#define REAL(owner, name) \
    { #name, NB_FIELD_REAL, offsetof(owner, name), 0 }
#define INT32(owner, name) \
    { #name, NB_FIELD_INT32, offsetof(owner, name), 0 }
#define UINT64(owner, name) \
    { #name, NB_FIELD_UINT64, offsetof(owner, name), 0 }

const nb_field nb_info_fields[] = {
    TEXT(nb_run_info, scenario),
    TEXT(nb_run_info, method),
    TEXT(nb_run_info, linear_solver),
    TEXT(nb_run_info, preconditioner),
    TEXT(nb_run_info, ncp),
    TEXT(nb_run_info, scaling),
    TEXT(nb_run_info, device),
    TEXT(nb_run_info, precision),
    TEXT(nb_run_info, form),
    TEXT(nb_run_info, row_scaling),
    TEXT(nb_run_info, geometry),
    TEXT(nb_run_info, line_search),
    TEXT(nb_run_info, finish),
    TEXT(nb_run_info, regularization_kind),
    REAL(nb_run_info, time_step),
    REAL(nb_run_info, damping),
    REAL(nb_run_info, regularization),
    REAL(nb_run_info, newton_tolerance),
    REAL(nb_run_info, linear_tolerance),
    INT32(nb_run_info, newton_iterations),
    INT32(nb_run_info, linear_iterations),
    INT32(nb_run_info, steps),
    INT32(nb_run_info, settle),
    INT32(nb_run_info, lead),
    INT32(nb_run_info, threads),
    INT32(nb_run_info, warmup),
    {"repeat", NB_FIELD_INT32, offsetof(nb_run_info, repeats), 0},
    INT32(nb_run_info, warm_start),
    INT32(nb_run_info, islands),
    UINT64(nb_run_info, seed),
    INT32(nb_run_info, bodies),
    INT32(nb_run_info, joints),
    INT32(nb_run_info, tetrahedra),
    INT32(nb_run_info, whole_steps),
    INT32(nb_run_info, batch),
    INT32(nb_run_info, reference),
    REAL(nb_run_info, batch_perturbation),
};
const int nb_info_field_count = sizeof nb_info_fields / sizeof *nb_info_fields;

const char *const nb_info_method_options[] = {
    "ncp",    "scaling", "form",           "row_scaling",         "line_search",
    "finish", "damping", "regularization", "regularization_kind", "islands",
    NULL,
};

const nb_field nb_usage_fields[] = {
    REAL(nb_run_usage, peak_bytes),      REAL(nb_run_usage, peak_resident_bytes), REAL(nb_run_usage, wall_s),
    REAL(nb_run_usage, record_s),        REAL(nb_run_usage, device_work_s),       REAL(nb_run_usage, device_transfer_s),
    REAL(nb_run_usage, reference_error),
};
const int nb_usage_field_count = sizeof nb_usage_fields / sizeof *nb_usage_fields;

const nb_field nb_provenance_fields[] = {
    TEXT(nb_provenance, ncpbench_version),
    TEXT(nb_provenance, git_commit),
    INT32(nb_provenance, git_dirty),
    TEXT(nb_provenance, compiler),
    TEXT(nb_provenance, compiler_flags),
    TEXT(nb_provenance, build_type),
    TEXT(nb_provenance, os),
    TEXT(nb_provenance, cpu_model),
    INT32(nb_provenance, cores),
    INT32(nb_provenance, threads),
    TEXT(nb_provenance, simd),
    TEXT(nb_provenance, blas),
    TEXT(nb_provenance, blas_core),
    TEXT(nb_provenance, cholmod),
    TEXT(nb_provenance, hdf5),
    TEXT(nb_provenance, cuda),
    TEXT(nb_provenance, gpu),
    TEXT(nb_provenance, gpu_kernels),
    TEXT(nb_provenance, clocks),
    UINT64(nb_provenance, seed),
    TEXT(nb_provenance, warnings),
};
const int nb_provenance_field_count = sizeof nb_provenance_fields / sizeof *nb_provenance_fields;

#define MEMBER(name, kind, member) \
    { name, kind, offsetof(nb_reference_solution, member), sizeof((nb_reference_solution *)0)->member }

const nb_field nb_reference_solution_fields[] = {
    MEMBER("step", NB_FIELD_INT32, step),
    MEMBER("tolerance", NB_FIELD_REAL, tolerance),
    MEMBER("seconds", NB_FIELD_REAL, seconds),
    MEMBER("total_mass", NB_FIELD_REAL, masses.total),
    MEMBER("method", NB_FIELD_TEXT, used.method),
    MEMBER("linear_solver", NB_FIELD_TEXT, used.linear_solver),
    MEMBER("preconditioner", NB_FIELD_TEXT, used.preconditioner),
    MEMBER("newton_iterations", NB_FIELD_INT32, used.newton_iterations),
    MEMBER("natural_map_error", NB_FIELD_REAL, used.natural_map_error),
    MEMBER("other_method", NB_FIELD_TEXT, other.method),
    MEMBER("other_linear_solver", NB_FIELD_TEXT, other.linear_solver),
    MEMBER("other_preconditioner", NB_FIELD_TEXT, other.preconditioner),
    MEMBER("other_newton_iterations", NB_FIELD_INT32, other.newton_iterations),
    MEMBER("other_natural_map_error", NB_FIELD_REAL, other.natural_map_error),
    MEMBER("velocity_difference", NB_FIELD_REAL, velocity_difference),
    MEMBER("force_difference", NB_FIELD_REAL, force_difference),
};
const int nb_reference_solution_field_count =
    sizeof nb_reference_solution_fields / sizeof *nb_reference_solution_fields;

void nb_field_text(const nb_field *field, const void *owner, int digits, char *text, size_t size) {
    const char *member = (const char *)owner + field->offset;
    double x;
    int32_t n;
    uint64_t u;
    switch (field->kind) {
    case NB_FIELD_TEXT: snprintf(text, size, "%s", member); break;
    case NB_FIELD_REAL:
        memcpy(&x, member, sizeof x);
        snprintf(text, size, "%.*g", digits, x);
        break;
    case NB_FIELD_INT32:
        memcpy(&n, member, sizeof n);
        snprintf(text, size, "%d", (int)n);
        break;
    case NB_FIELD_UINT64:
        memcpy(&u, member, sizeof u);
        snprintf(text, size, "%llu", (unsigned long long)u);
        break;
    }
}

uint64_t nb_text_checksum(uint64_t checksum, const char *text) {
    return nb_checksum(checksum, text, strlen(text) + 1);
}

uint64_t nb_fields_checksum(uint64_t checksum, const nb_field *fields, int count, const void *owner) {
    for (int i = 0; i < count; i++)
        if (fields[i].kind == NB_FIELD_TEXT)
            checksum = nb_text_checksum(checksum, (const char *)owner + fields[i].offset);
    return checksum;
}

#define ARRAY(member, units, long_name, extent, width, inner, integer) \
    { #member, units, long_name, extent, width, inner, integer, offsetof(nb_snapshot, member) }

const nb_final_array nb_final_arrays[] = {
    ARRAY(q, "m, 1", "centre of mass and quaternion w x y z of each body after the last step", NB_FINAL_BODIES, 7, 0,
          0),
    ARRAY(u, "m/s, rad/s", "linear and angular velocity of each body after the last step", NB_FINAL_BODIES, 6, 0, 0),
    ARRAY(q_before, "m, 1", "positions at the start of the last step", NB_FINAL_BODIES, 7, 0, 0),
    ARRAY(u_before, "m/s, rad/s", "velocities at the start of the last step", NB_FINAL_BODIES, 6, 0, 0),
    ARRAY(lambda_bilateral, "N, N m", "multipliers of joint rows", NB_FINAL_BILATERALS, 1, 0, 0),
    ARRAY(lambda_normal, "N", "normal force of each contact", NB_FINAL_CONTACTS, 1, 0, 0),
    ARRAY(lambda_friction, "N", "friction force along the two tangents", NB_FINAL_CONTACTS, 2, 0, 0),
    ARRAY(contact_bodies, "1", "the two bodies; the normal points from the second to the first; -1: the world",
          NB_FINAL_CONTACTS, 2, 0, 1),
    ARRAY(contact_point, "m", "contact point on the first body at the start of the step", NB_FINAL_CONTACTS, 3, 0, 0),
    ARRAY(contact_normal, "1", "contact normal", NB_FINAL_CONTACTS, 3, 0, 0),
    ARRAY(contact_tangent, "1", "the two tangents", NB_FINAL_CONTACTS, 2, 3, 0),
    ARRAY(gap, "m", "gap at the end of the step", NB_FINAL_CONTACTS, 1, 0, 0),
    ARRAY(slip, "m/s", "tangential velocity at the end of the step, along the two tangents", NB_FINAL_CONTACTS, 2, 0,
          0),
    ARRAY(mu, "1", "friction coefficient", NB_FINAL_CONTACTS, 1, 0, 0),
};
const int nb_final_array_count = sizeof nb_final_arrays / sizeof *nb_final_arrays;
