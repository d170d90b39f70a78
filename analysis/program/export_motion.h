/* What a scene prescribes, as tables of a scene file (model/track.h). */
#ifndef NB_PROGRAM_EXPORT_MOTION_H
#define NB_PROGRAM_EXPORT_MOTION_H

#include "model/world.h"
#include "text/json.h"

/* Lets what is prescribed go on by this many steps of h. Other bodies and particles keep their velocities. */
void nb_tracks_replay(nb_world *world, int32_t steps, double h);

/* Samples what the world prescribes in its next steps of h, and puts tracks that say the same in its place. Objects
 * that stay as they are have none; objects that move alike share one. The world is left as the last step begins. */
nb_status nb_tracks_sample(nb_world *world, int32_t steps, double h);

/* the member "motion"; nothing where there are no tracks (NULL allowed) */
void nb_export_motion(nb_json *json, const nb_tracks *tracks);

#endif
