/* Lets a world play tracks (track.h). */
#ifndef NB_MODEL_TRACK_PLAYER_H
#define NB_MODEL_TRACK_PLAYER_H

#include "model/track.h"
#include "model/world.h"

/* Takes over the track (also on a fault), whose indices are of the world, and lets the world's `prescribe` play it. */
nb_status nb_world_add_track(nb_world *world, nb_track *track);

#endif
