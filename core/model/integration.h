/* A step of an integrator on a world (model/integrator.h). Each stage is a step of backward Euler. The world is put to
 * y*, at the time from which a step of length a h ends with the stage. Whoever solves steps makes that one, and the
 * state that it ends at is taken.
 *
 *     count = nb_integration_begin(integration, world, h);
 *     for (k = 0; k < count; k++) {
 *         h_k = nb_integration_begin_stage(integration, world, k);
 *         do
 *             ... contacts, and a step of h_k, which moves the world
 *         while (nb_integration_repeats_stage(integration, world, k));
 *         if (nb_integration_end_stage(integration, world, k)) k = -1, count = 1;
 *     }
 *
 * All forces of a stage are those at its end, M v' = f with v' = (v - v*)/(a h). The last stage of a step gives the
 * next one its rate at the start: of contacts that is their impulses over a h. With decoupled-tr it is without them,
 * and whoever solves steps hands them over. A first step has neither rate nor previous state: bdf2 makes it by be,
 * those that need a rate by sdirk2.
 *
 * Spins are combined in the bodies' frames, and turn with them. Inertia and gyroscopic torque are those of the stage's
 * end: at first where bodies are without constraints, which is exact for free ones, and then with the torques of
 * constraints. A stage is made again until that changes nothing, each time by about h |w| less. Balls, and what turns
 * about a principal axis, need no second time.
 *
 * With settings.impacts NB_IMPACTS_BY_BE a stage that opens or closes contacts (contact/impacts.h) is dropped with the
 * whole step, which be makes in its place, with inertia and torque as above. The next step is a first one again: the
 * impulse of an impact is no rate. So is the first step of all where contacts are closed in it.
 *
 * What is prescribed is combined as all else is, so that what sticks to it follows it. A kinematic body is at a stage's
 * end where its prescribed velocities from the start on lead, and its velocity is what leads there from y*. Motors have
 * the targets of the stage's end; their rates are of the stage, by mean or by its end as the scenario gives them. */
#ifndef NB_MODEL_INTEGRATION_H
#define NB_MODEL_INTEGRATION_H

#include "base/stream.h"
#include "contact/impacts.h"
#include "model/integrator.h"
#include "model/world.h"

/* For the world's integrator (its settings), bodies and particles; no step was made. */
nb_status nb_integration_create(const nb_world *world, nb_integration **integration);
void nb_integration_destroy(nb_integration *integration); /* NULL allowed */

/* The step of length h [s] from the world's state: how many stages it has. h is that of the step before, if any. */
int nb_integration_begin(nb_integration *integration, const nb_world *world, double h);

/* Puts the world to the start of the stage, with what is prescribed for its end; the length of the stage [s]. The next
 * calls nb_contacts_detect and the step, not nb_world_begin_step. */
double nb_integration_begin_stage(nb_integration *integration, nb_world *world, int stage);

/* 1: the stage is to be made again, from the world as it is now, with the inertia and gyroscopic torque of the end that
 * it was moved to. */
int nb_integration_repeats_stage(nb_integration *integration, nb_world *world, int stage);

/* Takes the state that the world was moved to; after the last stage that of the step's end. 1: the step is to be made
 * again from its start, to which the world is put, in one stage of be. */
int nb_integration_end_stage(nb_integration *integration, nb_world *world, int stage);

/* Between the two: where the contacts of the stage that was solved last are noted. */
nb_impacts *nb_integration_impacts(nb_integration *integration);

/* what the last step was */
typedef enum nb_integration_step {
    NB_STEP_WITHOUT_CONTACTS, /* that are closed */
    NB_STEP_WITH_CONTACTS,
    NB_STEP_WITH_IMPACTS, /* it opened or closed some */
    NB_STEP_MADE_BY_BE    /* in place of the integrator, for that */
} nb_integration_step;
nb_integration_step nb_integration_last_step(const nb_integration *integration);

/* Between the two: the velocities by which the stage leads node `node` (bodies come first, then particles) from y* to
 * where the step's start has it. With `ahead` 1 to where its velocities at the step's start bring it by the stage's
 * end. */
void nb_integration_lead(const nb_integration *integration, int32_t node, int ahead, nb_vec3 *velocity, nb_vec3 *spin);

/* Between the two: where node `node` was as the step started [m]. Of the point that prescribed body `body` then had at
 * `place`: where the stage's sum of earlier states has it, in *from, and the velocity from there to where the body's
 * end has it [m/s]. */
nb_vec3 nb_integration_start_position(const nb_integration *integration, int32_t node);
nb_vec3 nb_integration_carried(const nb_integration *integration, int32_t body, nb_vec3 place, nb_vec3 *from);

/* Between the two: over how many lengths of the stage contact forces act. A law of forces, not of impulses, has so many
 * times its length (nb_integrator_stage). */
double nb_integration_contact_weight(const nb_integration *integration);

/* After a step, before the world's next call above: the impulses of contacts on node `node` in it [N s], [N m s]. Only
 * needed where the next function says so. */
void nb_integration_add_contact_impulse(nb_integration *integration, const nb_world *world, int32_t node,
                                        nb_vec3 impulse, nb_vec3 turning);
int nb_integration_needs_contacts(const nb_integration *integration);

/* What the next step takes over from the last one, beside the world, exactly. */
nb_status nb_integration_save(const nb_integration *integration, nb_stream *stream);
nb_status nb_integration_load(nb_integration *integration, nb_stream *stream);

#endif
