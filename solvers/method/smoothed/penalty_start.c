#include "penalty_start.h"

#include <string.h>

#include "base/largest.h"
#include "model/integration.h"
#include "penalty_rows.h"

NB_PRECISIONS(f32, f64);

/* of node i as the world has it, or as its stage leads it (nb_integration_lead) */
static void velocities_of(const nb_world *world, int32_t i, int ahead, nb_vec3 *velocity, nb_vec3 *spin) {
    *velocity = *spin = nb_vec3_of(0, 0, 0);
    if (world->integration)
        nb_integration_lead(world->integration, i, ahead, velocity, spin);
    else if (ahead && i < world->body_count) {
        *velocity = world->bodies[i].linear_velocity;
        *spin = world->bodies[i].angular_velocity;
    } else if (ahead)
        *velocity = world->particles[i - world->body_count].velocity;
}

/* Velocities that lead to where the step begins, or `ahead` as it begins; there, those without mass have what is
 * prescribed where the step starts with the world. */
static void take_velocities(const nb_problem *p, const nb_world *world, const real *start, int ahead) {
    const nb_nodes *nodes = p->nodes;
    memset(p->u, 0, (size_t)p->velocities * sizeof *p->u);
    if (ahead) memcpy(p->u, start, (size_t)p->velocities * sizeof *p->u);
    for (int32_t i = 0; i < nodes->count; i++) {
        const nb_body_kind kind = i < nodes->bodies ? world->bodies[i].kind : world->particles[i - nodes->bodies].kind;
        real *to = p->u + nodes->velocity[i];
        nb_vec3 v, w;
        if (kind == NB_BODY_FIXED || (kind == NB_BODY_KINEMATIC && !world->integration)) continue;
        velocities_of(world, i, ahead, &v, &w);
        const double parts[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int k = 0; k < nb_node_velocities(nodes, i); k++) to[k] = (real)parts[k];
    }
}

void nb_penalty_start_gaps(nb_problem *p, const nb_world *world, const real *start, real *gap, real *before) {
    const int32_t contacts = nb_penalty_rows_contacts(p);
    memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
    take_velocities(p, world, start, 1);
    p->type->evaluate(p, NULL);
    nb_penalty_rows_gaps(p, before);
    take_velocities(p, world, start, 0);
    p->type->evaluate(p, NULL);
    nb_penalty_rows_gaps(p, gap);
    memset(p->u, 0, (size_t)p->velocities * sizeof *p->u);
    for (int32_t i = 0; i < contacts; i++) before[i] = 2 * gap[i] - before[i];
}

static void add_node(nb_body_kind kind, double mass, double *whole, double *heaviest) {
    if (kind != NB_BODY_DYNAMIC) return;
    *whole += mass;
    nb_raise(heaviest, mass);
}

double nb_penalty_start_mass(const nb_world *world, double *heaviest) {
    double whole = 0;
    *heaviest = 0;
    for (int32_t i = 0; i < world->body_count; i++)
        add_node(world->bodies[i].kind, world->bodies[i].mass, &whole, heaviest);
    for (int32_t i = 0; i < world->particle_count; i++)
        add_node(world->particles[i].kind, world->particles[i].mass, &whole, heaviest);
    if (!(whole > 0)) whole = *heaviest = 1;
    return whole;
}
