#include "snapshot.h"

#define BODIES NB_COUNT32(nb_snapshot, bodies)
#define CONTACTS NB_COUNT32(nb_snapshot, contacts)
#define ARRAY(member, type, unit, text, ...) \
    { NB_LINE_ARRAY(#member, unit, text, nb_snapshot, member, type, __VA_ARGS__) }

/* bodies in range, so that nobody indexes beyond them */
static nb_status check_contact_bodies(void *owner) {
    const nb_snapshot *snapshot = owner;
    for (int64_t i = 0; snapshot->contact_bodies && i < 2 * (int64_t)snapshot->contacts; i++)
        if (snapshot->contact_bodies[i] < -1 || snapshot->contact_bodies[i] >= snapshot->bodies)
            return nb_fail(NB_ERROR_INPUT, "contact_bodies names body %d of %d", (int)snapshot->contact_bodies[i],
                           (int)snapshot->bodies);
    return NB_OK;
}

#define PARTICLES NB_COUNT32(nb_snapshot, particles)
static const nb_member of_particles[] = {
    {NB_LINE("particles", nb_snapshot, particles, COUNT)},
    ARRAY(particle_x, REAL, "m", "position of each particle after the final step", PARTICLES, NB_EACH(3)),
    ARRAY(particle_v, REAL, "m/s", "velocity of each particle after the final step", PARTICLES, NB_EACH(3)),
    ARRAY(particle_x_before, REAL, "m", "positions at the start of the final step", PARTICLES, NB_EACH(3)),
    ARRAY(particle_v_before, REAL, "m/s", "velocities at the start of the final step", PARTICLES, NB_EACH(3)),
};
static const nb_members particle_arrays = NB_MEMBERS(nb_snapshot, of_particles);

/* in range likewise */
static nb_status check_soft_contacts(void *owner) {
    const nb_snapshot *snapshot = owner;
    if (snapshot->soft_contacts > snapshot->contacts)
        return nb_fail(NB_ERROR_INPUT, "%d of %d contacts are of particles", (int)snapshot->soft_contacts,
                       (int)snapshot->contacts);
    for (int64_t i = 0; snapshot->soft_particle && i < 4 * (int64_t)snapshot->soft_contacts; i++)
        if (snapshot->soft_particle[i] < -1 || snapshot->soft_particle[i] >= snapshot->particles)
            return nb_fail(NB_ERROR_INPUT, "soft_particle names particle %d of %d", (int)snapshot->soft_particle[i],
                           (int)snapshot->particles);
    return NB_OK;
}

#define SOFT_CONTACTS NB_COUNT32(nb_snapshot, soft_contacts)
static const nb_member of_soft_contacts[] = {
    {NB_LINE("soft_contacts", nb_snapshot, soft_contacts, COUNT)},
    ARRAY(soft_particle, INT32, "1", "particles of each of the last contacts; -1: none", SOFT_CONTACTS, NB_EACH(4)),
    ARRAY(soft_weight, REAL, "1", "weight of each particle in the contact point; negative: second side", SOFT_CONTACTS,
          NB_EACH(4)),
    {NB_LINE_CHECK(check_soft_contacts)},
};
static const nb_members soft_contact_arrays = NB_MEMBERS(nb_snapshot, of_soft_contacts);

static const nb_member of_elements[] = {
    {NB_LINE("element_rows", nb_snapshot, element_rows, COUNT)},
    ARRAY(lambda_element, REAL, "N", "multipliers of the rows of elements", NB_COUNT32(nb_snapshot, element_rows)),
};
static const nb_members element_arrays = NB_MEMBERS(nb_snapshot, of_elements);

static const nb_member of_coordinates[] = {
    {NB_LINE("coordinate_rows", nb_snapshot, coordinate_rows, COUNT)},
    ARRAY(lambda_coordinate, REAL, "N, N m",
          "multipliers of limits, friction, rotors and efforts, joint by joint, then of couplings",
          NB_COUNT32(nb_snapshot, coordinate_rows)),
};
static const nb_members coordinate_arrays = NB_MEMBERS(nb_snapshot, of_coordinates);

static const nb_member of_joints[] = {
    {NB_LINE("joints", nb_snapshot, joints, COUNT)},
    ARRAY(joint_coordinate, REAL, "rad, m", "free coordinates of joints after the final step, turns counted; else 0",
          NB_COUNT32(nb_snapshot, joints)),
};
static const nb_members joint_arrays = NB_MEMBERS(nb_snapshot, of_joints);

static const nb_member arrays[] = {
    {NB_LINE("bodies", nb_snapshot, bodies, COUNT)},
    {NB_LINE("bilaterals", nb_snapshot, bilaterals, COUNT)},
    {NB_LINE("contacts", nb_snapshot, contacts, COUNT)},
    ARRAY(q, REAL, "m, 1", "center of mass and quaternion w x y z after the final step", BODIES, NB_EACH(7)),
    ARRAY(u, REAL, "m/s, rad/s", "linear and angular velocity after the final step", BODIES, NB_EACH(6)),
    ARRAY(q_before, REAL, "m, 1", "positions at the start of the final step", BODIES, NB_EACH(7)),
    ARRAY(u_before, REAL, "m/s, rad/s", "velocities at the start of the final step", BODIES, NB_EACH(6)),
    ARRAY(lambda_bilateral, REAL, "N, N m", "multipliers of joint rows", NB_COUNT32(nb_snapshot, bilaterals)),
    ARRAY(lambda_normal, REAL, "N", "normal force of each contact", CONTACTS),
    ARRAY(lambda_friction, REAL, "N", "friction force along the two tangents", CONTACTS, NB_EACH(2)),
    ARRAY(contact_bodies, INT32, "1", "the two bodies, normal from second to first; -1: world or particles", CONTACTS,
          NB_EACH(2)),
    ARRAY(contact_point, REAL, "m", "contact point on the first body at the start of the step", CONTACTS, NB_EACH(3)),
    ARRAY(contact_normal, REAL, "1", "contact normal", CONTACTS, NB_EACH(3)),
    ARRAY(contact_tangent, REAL, "1", "the two tangents", CONTACTS, NB_EACH(2), NB_EACH(3)),
    ARRAY(gap, REAL, "m", "gap at the end of the step", CONTACTS),
    ARRAY(slip, REAL, "m/s", "tangential velocity at the end of the step, along the two tangents", CONTACTS,
          NB_EACH(2)),
    ARRAY(mu, REAL, "1", "friction coefficient", CONTACTS),
    {NB_LINE_ARRAY("contact_error", "m/s", "natural map of each contact: normal complementarity e_n, friction e_f",
                   nb_snapshot, contact_error, REAL, CONTACTS, NB_EACH(2)),
     .optional = 1},
    {NB_LINE_ARRAY("contact_mode", "1", "0 open, 1 sticking, 2 sliding, by the projection of the natural map",
                   nb_snapshot, contact_mode, INT32, CONTACTS),
     .optional = 1},
    {NB_LINE_ARRAY("bilateral_error", "m/s", "natural map of each joint row", nb_snapshot, bilateral_error, REAL,
                   NB_COUNT32(nb_snapshot, bilaterals)),
     .optional = 1},
    {NB_LINE_ARRAY("momentum_error", "m/s", "momentum error of each body as a velocity", nb_snapshot, momentum_error,
                   REAL, BODIES),
     .optional = 1},
    {NB_LINE_CHECK(check_contact_bodies)},
    {NB_LINE_GROUP(NULL, coordinate_arrays), .optional = 1},
    {NB_LINE_GROUP(NULL, joint_arrays), .optional = 1},
    {NB_LINE_GROUP(NULL, particle_arrays), .optional = 1},
    {NB_LINE_GROUP(NULL, element_arrays), .optional = 1},
    {NB_LINE_GROUP(NULL, soft_contact_arrays), .optional = 1},
};
const nb_members nb_snapshot_arrays = NB_MEMBERS(nb_snapshot, arrays);

static const nb_member all[] = {
    {NB_LINE("step_count", nb_snapshot, step_count, INT32)},
    {NB_LINE("time", nb_snapshot, time, REAL)},
    {NB_LINE("time_step", nb_snapshot, time_step, REAL)},
    {NB_LINE("error", nb_snapshot, error, REAL)},
    {NB_LINE("contact_weight", nb_snapshot, contact_weight, REAL), .optional = 1},
    {NB_LINE_GROUP(NULL, nb_snapshot_arrays), .optional = 1}, /* a problem file has no bodies */
};
const nb_members nb_snapshot_members = NB_MEMBERS(nb_snapshot, all);

void nb_snapshot_clear(nb_snapshot *snapshot) {
    nb_members_clear(&nb_snapshot_members, snapshot);
}

nb_status nb_snapshot_resize(nb_snapshot *snapshot, int32_t bodies, int32_t bilaterals, int32_t contacts) {
    return nb_snapshot_resize_soft(snapshot, bodies, bilaterals, contacts, 0, 0, 0, 0, 0);
}

nb_status nb_snapshot_resize_soft(nb_snapshot *snapshot, int32_t bodies, int32_t bilaterals, int32_t contacts,
                                  int32_t coordinate_rows, int32_t joints, int32_t particles, int32_t element_rows,
                                  int32_t soft_contacts) {
    int32_t steps = snapshot->step_count;
    nb_snapshot_clear(snapshot);
    snapshot->step_count = steps;
    snapshot->bodies = bodies;
    snapshot->bilaterals = bilaterals;
    snapshot->contacts = contacts;
    snapshot->coordinate_rows = coordinate_rows;
    snapshot->joints = joints;
    snapshot->particles = particles;
    snapshot->element_rows = element_rows;
    snapshot->soft_contacts = soft_contacts;
    nb_status status = nb_members_allocate(&nb_snapshot_members, snapshot);
    if (status != NB_OK) nb_snapshot_clear(snapshot);
    return status;
}

nb_status nb_snapshot_copy(const nb_snapshot *from, nb_snapshot *to) {
    return nb_members_copy(&nb_snapshot_members, from, to);
}

nb_vec3 nb_snapshot_contact_force(const nb_snapshot *snapshot, int32_t i) {
    const double *n = snapshot->contact_normal + 3 * (int64_t)i, *t = snapshot->contact_tangent + 6 * (int64_t)i;
    const double *f = snapshot->lambda_friction + 2 * (int64_t)i;
    double normal = snapshot->lambda_normal[i];
    return nb_vec3_of(normal * n[0] + f[0] * t[0] + f[1] * t[3], normal * n[1] + f[0] * t[1] + f[1] * t[4],
                      normal * n[2] + f[0] * t[2] + f[1] * t[5]);
}
