/* What scenes of soft bodies use. */
#ifndef NB_SCENARIOS_SOFT_H
#define NB_SCENARIOS_SOFT_H

#include "common.h"
#include "model/cavity.h"
#include "soft_mesh.h"

/* sums over a part's particles in a state: mass [kg], its middle [m], momentum [N s] at the end of a step, and how fast
 * that grew in the step [N] */
typedef struct nb_soft_state {
    double mass;
    nb_vec3 middle, momentum, rate;
} nb_soft_state;

nb_soft_state nb_soft_state_of(const nb_world *initial, const nb_snapshot *final, int32_t first_particle,
                               int32_t count);

/* How many edges of triangles pass through triangles that they share no particle with, with the particles at x
 * [particles, 3]: 0 where no sheet goes through another or itself. Every edge against every triangle. */
int32_t nb_pierced_triangles(const nb_world *world, const double *x);

/* The force [N] of contacts on these particles, of one body or (-1) of all. */
nb_vec3 nb_force_on_particles(const nb_snapshot *final, int32_t first_particle, int32_t count, int32_t body);

/* In the words of the command line, what a cavity of the scenario cannot hold: no volume has the pressure [atm] by the
 * law with the compression [1/atm]. `model` is an nb_volume_model; beyond these nothing is in it, at no pressure. */
nb_status nb_check_filling(const char *scenario, double model, double compression, double pressure);

#endif
