#include "penalty_start.h"

#include <string.h>

#include "base/largest.h"
#include "penalty_rows.h"

NB_PRECISIONS(f32, f64);

/* velocities of the world as the step begins; those without mass keep what is prescribed */
static void take_velocities(const nb_problem *p, const nb_world *world, const real *start) {
    const nb_nodes *nodes = p->nodes;
    memcpy(p->u, start, (size_t)p->velocities * sizeof *p->u);
    for (int32_t i = 0; i < nodes->count; i++) {
        const int32_t particle = i - nodes->bodies;
        const nb_body *body = particle < 0 ? &world->bodies[i] : NULL;
        const nb_vec3 v = body ? body->linear_velocity : world->particles[particle].velocity;
        real *to = p->u + nodes->velocity[i];
        if ((body ? body->kind : world->particles[particle].kind) != NB_BODY_DYNAMIC) continue;
        const double parts[6] = {v.x,
                                 v.y,
                                 v.z,
                                 body ? body->angular_velocity.x : 0,
                                 body ? body->angular_velocity.y : 0,
                                 body ? body->angular_velocity.z : 0};
        for (int k = 0; k < nb_node_velocities(nodes, i); k++) to[k] = (real)parts[k];
    }
}

void nb_penalty_start_gaps(nb_problem *p, const nb_world *world, const real *start, real *gap, real *before) {
    const int32_t contacts = nb_penalty_rows_contacts(p);
    memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
    take_velocities(p, world, start);
    p->type->evaluate(p, NULL);
    nb_penalty_rows_gaps(p, before);
    memset(p->u, 0, (size_t)p->velocities * sizeof *p->u);
    p->type->evaluate(p, NULL);
    nb_penalty_rows_gaps(p, gap);
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
