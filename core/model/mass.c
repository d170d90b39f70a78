#include "model/mass.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define BODIES NB_COUNT32(nb_masses, bodies)

static const nb_member members[] = {
    {NB_LINE("bodies", nb_masses, bodies, COUNT), .left_out = NB_RECORD}, /* a state's, which stands before it */
    {NB_LINE("total_mass", nb_masses, total, REAL)},
    {NB_LINE_ARRAY("mass", "kg", "mass of each body; 0: fixed or kinematic", nb_masses, mass, REAL, BODIES)},
    {NB_LINE_ARRAY("inertia", "kg m^2", "inertia of each body in the world frame, at the start", nb_masses, inertia,
                   REAL, BODIES, NB_EACH(3), NB_EACH(3))},
};
const nb_members nb_masses_members = NB_MEMBERS(nb_masses, members);

void nb_masses_clear(nb_masses *masses) {
    nb_members_clear(&nb_masses_members, masses);
}

nb_status nb_masses_of_world(const nb_world *world, nb_masses *masses) {
    nb_status status;
    nb_masses_clear(masses);
    NB_TRY(NB_ALLOCATE(world->body_count, &masses->mass));
    NB_TRY(NB_ALLOCATE(9 * (int64_t)world->body_count, &masses->inertia));
    masses->bodies = world->body_count;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *body = &world->bodies[i];
        const nb_mat3 principal = {{{body->inertia.x, 0, 0}, {0, body->inertia.y, 0}, {0, 0, body->inertia.z}}};
        if (body->kind != NB_BODY_DYNAMIC) continue;
        const nb_mat3 inertia = nb_mat3_rotated(body->orientation, &principal);
        masses->mass[i] = body->mass;
        masses->total += body->mass;
        memcpy(masses->inertia + 9 * (int64_t)i, inertia.m, sizeof inertia.m);
    }
out:
    if (status != NB_OK) nb_masses_clear(masses);
    return status;
}

double nb_masses_distance(const nb_masses *masses, const double *a, const double *b) {
    double sum = 0;
    if (!(masses->total > 0)) return 0;
    for (int64_t i = 0; i < masses->bodies; i++) {
        double d[6];
        const double *inertia = masses->inertia + 9 * i;
        for (int k = 0; k < 6; k++) d[k] = a[6 * i + k] - b[6 * i + k];
        if (!(masses->mass[i] > 0)) continue;
        for (int k = 0; k < 3; k++) {
            sum += masses->mass[i] * d[k] * d[k];
            for (int j = 0; j < 3; j++) sum += d[3 + k] * inertia[3 * k + j] * d[3 + j];
        }
    }
    return sqrt(sum / masses->total);
}
