/* What a scene file expects of the end of a run: its member "expect" (scenarios/scene.schema.json). */
#ifndef NB_FILE_SCENE_EXPECT_H
#define NB_FILE_SCENE_EXPECT_H

#include "file/scene_members.h"
#include "scenario.h"

typedef struct nb_scene_expectations {
    int64_t count;
    nb_scene_expectation *items; /* [count] */
} nb_scene_expectations;

/* Of the scene, whose world is this. Faults as of other parts; those held are given back with
 * nb_scene_expectations_clear, also on a fault. */
nb_status nb_scene_expectations_read(const nb_input_at *scene, const nb_world *world,
                                     nb_scene_expectations *expectations);
/* Adds one check each; those of a motion presuppose the file's own integrator. */
void nb_scene_expectations_check(const nb_scene_expectations *expectations, nb_integrator own, const nb_world *initial,
                                 const nb_snapshot *final, nb_checks *checks);
void nb_scene_expectations_clear(nb_scene_expectations *expectations);

#endif
