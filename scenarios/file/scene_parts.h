/* The parts of a scene file (scene_file.h), each read into a world that has those before it (private to this folder).
 */
#ifndef NB_FILE_SCENE_PARTS_H
#define NB_FILE_SCENE_PARTS_H

#include "file/json_input.h"
#include "model/world.h"

/* Of the scene as a whole: the arrays "shapes"; "bodies", "joints" and "motors"; and those of deformable bodies. */
nb_status nb_scene_read_shapes(const nb_input_at *scene, nb_world *world);
nb_status nb_scene_read_bodies(const nb_input_at *scene, nb_world *world);
nb_status nb_scene_read_soft(const nb_input_at *scene, nb_world *world);

/* A fault of the world's own checks, said of this place. */
nb_status nb_scene_explain(const nb_input_at *at, nb_status status);

/* Leave *x as it is where there is no such member. */
nb_status nb_scene_maybe_real(const nb_input_at *object, const char *key, double *x);
nb_status nb_scene_maybe_vec3(const nb_input_at *object, const char *key, nb_vec3 *x);
nb_status nb_scene_maybe_quat(const nb_input_at *object, const char *key, nb_quat *x);
nb_status nb_scene_maybe_kind(const nb_input_at *object, int count, const char *const *names, int *kind);
nb_status nb_scene_real(const nb_input_at *object, const char *key, double *x); /* must be there */
nb_status nb_scene_vec3(const nb_input_at *object, const char *key, nb_vec3 *x);

#endif
