#include "operator/contact_pack.h"

#include <string.h>

#include "base/threads.h"
#include "operator/contact_block.h"
#include "operator/contact_kernels.h"

NB_PRECISIONS(f32, f64);

static void forces(const nb_pack *p, int32_t begin, int32_t end, const real *s, const real *x, real *force) {
    const nb_contact_pack *pack = (const nb_contact_pack *)p;
    pack->kernels->add_forces(pack->contacts + begin, 0, end - begin, s, x, force);
}

static void velocities(const nb_pack *p, int32_t begin, int32_t end, const real *velocity, real *y) {
    const nb_contact_pack *pack = (const nb_contact_pack *)p;
    int32_t count = end - begin;
    int parts = nb_threads_for(count, NB_PART_CONTACTS);
    NB_EACH_PART(i, parts,
                 pack->kernels->row_velocities(pack->contacts + begin, nb_part_begin(i, parts, count, NB_PART_STEP),
                                               nb_part_begin(i + 1, parts, count, NB_PART_STEP), velocity, y););
}

static int block_nodes(const nb_pack *p, int32_t i, int32_t node[NB_BLOCK_NODES]) {
    const nb_contact_rows *contact = &((const nb_contact_pack *)p)->contacts[i];
    node[0] = contact->a;
    node[1] = contact->b;
    return 2;
}

static void block_jacobian(const nb_pack *p, int32_t i, real *out) {
    const nb_contact_rows *contact = &((const nb_contact_pack *)p)->contacts[i];
    for (int r = 0; r < 3; r++, out += 12) {
        const real *direction = contact->direction[r];
        memcpy(out, direction, 3 * sizeof *out);
        nb_cross_of(contact->arm_a, direction, out + 3);
        nb_cross_of(contact->arm_b, direction, out + 9);
        for (int k = 0; k < 3; k++) {
            out[6 + k] = -direction[k];
            out[9 + k] = -out[9 + k];
        }
    }
}

static void block_velocity(const nb_pack *p, int32_t i, const real *velocity, real *out) {
    nb_contact_velocity(&((const nb_contact_pack *)p)->contacts[i], velocity, out);
}

/* velocity += sign H^-1 (p, arm x p) where the mass of bodies is kept otherwise than by mass and inertia */
static void push_node(const nb_mass *mass, int32_t node, real sign, const real *p, const real *arm, real *v) {
    real force[6], moved[6];
    if (!mass->moves[node]) return;
    memcpy(force, p, 3 * sizeof *p);
    nb_cross_of(arm, p, force + 3);
    mass->type->solve_node(mass, node, force, moved);
    for (int k = 0; k < 6; k++) v[k] += sign * moved[k];
}

static void push_block(const nb_pack *p, const nb_mass *mass, int32_t i, const real *z, real *velocity) {
    const nb_contact_rows *contact = &((const nb_contact_pack *)p)->contacts[i];
    if (mass->type == &nb_block_mass_class) {
        nb_contact_push(contact, ((const nb_block_mass *)mass)->inverse, z, velocity);
    } else {
        real force[3];
        nb_contact_impulse(contact, z, force);
        push_node(mass, contact->a, 1, force, contact->arm_a, velocity + (ptrdiff_t)contact->a * NB_BODY_STRIDE);
        push_node(mass, contact->b, -1, force, contact->arm_b, velocity + (ptrdiff_t)contact->b * NB_BODY_STRIDE);
    }
}

const nb_pack_class nb_contact_pack_class = {
    .name = "contacts",
    .forces = forces,
    .velocities = velocities,
    .block_nodes = block_nodes,
    .block_jacobian = block_jacobian,
    .block_velocity = block_velocity,
    .push_block = push_block,
};

nb_contact_pack nb_contact_pack_of(const nb_nodes *nodes, int32_t count, const nb_contact_rows *contacts) {
    return (nb_contact_pack){
        .base = {.type = &nb_contact_pack_class, .nodes = nodes, .blocks = count, .rows_each = 3},
        .contacts = contacts,
        .kernels = nb_contact_kernels_best(),
    };
}
