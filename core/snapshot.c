#include "snapshot.h"

#include <string.h>

#include "base/memory.h"

void nb_snapshot_clear(nb_snapshot *snapshot) {
    void *arrays[] = {snapshot->q,
                      snapshot->u,
                      snapshot->u_before,
                      snapshot->q_before,
                      snapshot->lambda_bilateral,
                      snapshot->lambda_normal,
                      snapshot->lambda_friction,
                      snapshot->contact_bodies,
                      snapshot->contact_point,
                      snapshot->contact_normal,
                      snapshot->contact_tangent,
                      snapshot->gap,
                      snapshot->slip,
                      snapshot->mu};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) nb_free(arrays[i]);
    *snapshot = (nb_snapshot){0};
}

nb_status nb_snapshot_resize(nb_snapshot *snapshot, int32_t bodies, int32_t bilaterals, int32_t contacts) {
    nb_status status;
    int32_t steps = snapshot->step_count;
    nb_snapshot_clear(snapshot);
    snapshot->step_count = steps;
    snapshot->bodies = bodies;
    snapshot->bilaterals = bilaterals;
    snapshot->contacts = contacts;
    int64_t n = bodies, m = contacts;
    NB_TRY(NB_ALLOCATE(7 * n, &snapshot->q));
    NB_TRY(NB_ALLOCATE(6 * n, &snapshot->u));
    NB_TRY(NB_ALLOCATE(6 * n, &snapshot->u_before));
    NB_TRY(NB_ALLOCATE(7 * n, &snapshot->q_before));
    NB_TRY(NB_ALLOCATE(bilaterals, &snapshot->lambda_bilateral));
    NB_TRY(NB_ALLOCATE(m, &snapshot->lambda_normal));
    NB_TRY(NB_ALLOCATE(2 * m, &snapshot->lambda_friction));
    NB_TRY(NB_ALLOCATE(2 * m, &snapshot->contact_bodies));
    NB_TRY(NB_ALLOCATE(3 * m, &snapshot->contact_point));
    NB_TRY(NB_ALLOCATE(3 * m, &snapshot->contact_normal));
    NB_TRY(NB_ALLOCATE(6 * m, &snapshot->contact_tangent));
    NB_TRY(NB_ALLOCATE(m, &snapshot->gap));
    NB_TRY(NB_ALLOCATE(2 * m, &snapshot->slip));
    NB_TRY(NB_ALLOCATE(m, &snapshot->mu));
out:
    if (status != NB_OK) nb_snapshot_clear(snapshot);
    return status;
}

nb_status nb_snapshot_copy(const nb_snapshot *from, nb_snapshot *to) {
    int64_t n = from->bodies, m = from->contacts;
    nb_status status = nb_snapshot_resize(to, from->bodies, from->bilaterals, from->contacts);
    if (status != NB_OK) return status;
    to->step_count = from->step_count;
    to->time = from->time;
    to->time_step = from->time_step;
    to->error = from->error;
#define COPY(member, count) memcpy(to->member, from->member, (size_t)(count) * sizeof *to->member)
    COPY(q, 7 * n);
    COPY(u, 6 * n);
    COPY(u_before, 6 * n);
    COPY(q_before, 7 * n);
    COPY(lambda_bilateral, from->bilaterals);
    COPY(lambda_normal, m);
    COPY(lambda_friction, 2 * m);
    COPY(contact_bodies, 2 * m);
    COPY(contact_point, 3 * m);
    COPY(contact_normal, 3 * m);
    COPY(contact_tangent, 6 * m);
    COPY(gap, m);
    COPY(slip, 2 * m);
    COPY(mu, m);
#undef COPY
    return NB_OK;
}

nb_vec3 nb_snapshot_contact_force(const nb_snapshot *snapshot, int32_t i) {
    const double *n = snapshot->contact_normal + 3 * (int64_t)i, *t = snapshot->contact_tangent + 6 * (int64_t)i;
    const double *f = snapshot->lambda_friction + 2 * (int64_t)i;
    double normal = snapshot->lambda_normal[i];
    return nb_vec3_of(normal * n[0] + f[0] * t[0] + f[1] * t[3], normal * n[1] + f[0] * t[1] + f[1] * t[4],
                      normal * n[2] + f[0] * t[2] + f[1] * t[5]);
}
