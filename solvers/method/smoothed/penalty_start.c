#include "penalty_start.h"

#include <string.h>

#include "base/largest.h"
#include "model/integration.h"
#include "penalty_rows.h"

NB_PRECISIONS(f32, f64);

/* of node i as the world has it, or as its stage leads it (nb_integration_lead); kinematic ones come with the
 * velocities of the step before */
static void velocities_of(const nb_world *world, int32_t i, int ahead, nb_vec3 *velocity, nb_vec3 *spin) {
    const nb_body *body = i < world->body_count ? &world->bodies[i] : NULL;
    const nb_particle *particle = body ? NULL : &world->particles[i - world->body_count];
    const nb_body_kind kind = body ? body->kind : particle->kind;
    const int kinematic = kind == NB_BODY_KINEMATIC;
    *velocity = *spin = nb_vec3_of(0, 0, 0);
    if (kind == NB_BODY_FIXED) return;
    if (world->integration)
        nb_integration_lead(world->integration, i, ahead, velocity, spin);
    else if (ahead && body) {
        *velocity = kinematic ? body->linear_before : body->linear_velocity;
        *spin = kinematic ? body->angular_before : body->angular_velocity;
    } else if (ahead)
        *velocity = kinematic ? particle->before : particle->velocity;
}

/* Velocities that lead to where the step begins, or `ahead` as it begins. */
static void set_velocities(const nb_problem *p, const nb_world *world, int ahead) {
    const nb_nodes *nodes = p->nodes;
    for (int32_t i = 0; i < nodes->count; i++) {
        real *to = p->u + nodes->velocity[i];
        nb_vec3 v, w;
        velocities_of(world, i, ahead, &v, &w);
        const double parts[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int k = 0; k < nb_node_velocities(nodes, i); k++) to[k] = (real)parts[k];
    }
}

void nb_penalty_start_gaps(nb_problem *p, const nb_world *world, real *gap, real *before) {
    const int32_t contacts = nb_penalty_rows_contacts(p);
    memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
    set_velocities(p, world, 1);
    p->type->evaluate(p, NULL);
    nb_penalty_rows_gaps(p, before);
    set_velocities(p, world, 0);
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
