/* The pressure of cavities in a step: a force that follows the iterate, and dense rows of H.
 *
 *     g(u) = M (u - u~) - J^T z - h P(V) dV/dx,     H = M + h^2 (d2W/dV2) (dV/dx) (dV/dx)^T,     at x + h u
 *
 * H leaves out -h^2 P d2V/dx2, which is indefinite: it changes how fast iterations converge, not where to. In steps
 * that are linear the pressure is linearised at the start, P - h (d2W/dV2) dV/dx . u, and H is then exact. */
#include <math.h>
#include <string.h>

#include "constraint/step_state.h"
#include "operator/low_rank_mass.h"

NB_PRECISIONS(f32, f64);

static void lay_out(nb_arena *a, nb_step_cavities *c, int32_t velocities, int32_t particles) {
    NB_PLACE(a, 3 * (int64_t)particles, &c->start);
    NB_PLACE(a, 3 * (int64_t)particles, &c->x);
    NB_PLACE(a, c->count * (int64_t)velocities, &c->gradient);
    NB_PLACE(a, c->count, &c->weight);
    NB_PLACE(a, c->count, &c->pressure);
}

void nb_step_clear_cavities(nb_step *s) {
    nb_low_rank_mass_destroy(s->cavities.mass);
    nb_arena_clear(&s->cavities.arena);
    s->cavities.mass = NULL;
    s->cavities.count = 0;
}

/* dV/dx of cavity k over all velocities */
static double *gradient_of(const nb_step *s, int32_t k) {
    return s->cavities.gradient + (ptrdiff_t)k * s->nodes.velocity[s->nodes.count];
}

/* where the particles' velocities begin */
static int32_t first_velocity(const nb_step *s) {
    return s->nodes.velocity[s->nodes.bodies];
}

/* Volumes, their gradients and what the pressures make of them, at the positions after `moved`. */
static void evaluate_volumes(nb_step *s, double moved) {
    nb_step_cavities *c = &s->cavities;
    const int32_t first = first_velocity(s), numbers = s->nodes.velocity[s->nodes.count] - first;
    const double h = s->h;
    for (int32_t i = 0; i < numbers; i++) c->x[i] = c->start[i] + (moved > 0 ? moved * (double)s->u[first + i] : 0);
    for (int32_t k = 0; k < c->count; k++) {
        const nb_filled_cavity *of = &s->world->cavities[k];
        const double volume = nb_cavity_volume(&of->surface, c->x);
        double *gradient = gradient_of(s, k);
        memset(gradient, 0, ((size_t)first + (size_t)numbers) * sizeof *gradient);
        nb_cavity_add_gradient(&of->surface, c->x, 1, gradient + first);
        const int held = volume > 0 || of->law.model == NB_VOLUME_QUADRATIC;
        c->pressure[k] = held ? nb_volume_pressure(&of->law, volume) : (double)NAN;
        c->weight[k] = held ? h * h * nb_volume_stiffness(&of->law, volume) : 0;
    }
}

/* A cavity without a pressure has one that is no number: with it the method ends the step. */
void nb_step_renew_cavities(nb_step *s) {
    const nb_step_cavities *c = &s->cavities;
    if (c->count > 0 && nb_low_rank_mass_set_values(c->mass, c->weight, c->gradient) != NB_OK)
        c->pressure[0] = (double)NAN;
}

nb_status nb_step_begin_cavities(nb_step *s) {
    nb_status status = NB_OK;
    nb_step_cavities *c = &s->cavities;
    const nb_world *world = s->world;
    nb_low_rank_mass_destroy(c->mass);
    c->mass = NULL;
    c->count = world->cavity_count;
    if (c->count == 0) return NB_OK;
    if (world->tetrahedron_count + world->spring_count == 0)
        return nb_fail(NB_ERROR_UNSUPPORTED, "a cavity needs elements between its particles, and this world has none");
    nb_arena_measure(&c->arena);
    lay_out(&c->arena, c, s->nodes.velocity[s->nodes.count], world->particle_count);
    NB_TRY(nb_arena_reserve(&c->arena));
    lay_out(&c->arena, c, s->nodes.velocity[s->nodes.count], world->particle_count);
    nb_world_particle_positions(world, c->start);
    for (int32_t k = 0; k < c->count; k++) NB_TRY(nb_cavity_check_volume(&world->cavities[k].surface, c->start));
    evaluate_volumes(s, 0);
    NB_TRY(nb_low_rank_mass_create(&s->mass_of_nodes.base, c->count, &c->mass));
    NB_TRY(nb_low_rank_mass_set_values(c->mass, c->weight, c->gradient));
    s->sum.mass = c->mass;
out:
    return status;
}

void nb_step_evaluate_cavities(nb_step *s) {
    if (s->cavities.count == 0) return;
    evaluate_volumes(s, s->h);
    nb_step_renew_cavities(s);
}

void nb_step_push_cavities(nb_step *s) {
    const nb_step_cavities *c = &s->cavities;
    const nb_nodes *nodes = &s->nodes;
    for (int32_t k = 0; k < c->count; k++) {
        const double *gradient = gradient_of(s, k);
        double impulse = s->h * c->pressure[k];
        for (int32_t r = first_velocity(s); s->problem.frozen && r < nodes->velocity[nodes->count]; r++)
            impulse -= c->weight[k] * gradient[r] * (double)s->u[r];
        for (int32_t i = nodes->bodies; i < nodes->count; i++)
            for (int32_t r = nodes->velocity[i]; s->moves[i] && r < nodes->velocity[i + 1]; r++)
                s->momentum[r] -= (real)(impulse * gradient[r]);
    }
}
