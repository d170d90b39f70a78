/* The parts of a scene file (scene_file.h), each read into a world that has those before it (private to this folder).
 */
#ifndef NB_FILE_SCENE_PARTS_H
#define NB_FILE_SCENE_PARTS_H

#include "file/json_input.h"
#include "model/world.h"

/* Of the scene as a whole: the arrays "shapes"; "bodies", "joints", "motors" and "pairs"; and those of deformable
 * bodies. */
nb_status nb_scene_read_shapes(const nb_input_at *scene, nb_world *world);
nb_status nb_scene_read_bodies(const nb_input_at *scene, nb_world *world);
nb_status nb_scene_read_soft(const nb_input_at *scene, nb_world *world);
/* "motion", of a world that has all else */
nb_status nb_scene_read_motion(const nb_input_at *scene, nb_world *world);

/* What stands for friction that was left out, as nb_scene_file_friction has it. */
void nb_scene_tell_friction(const nb_input_at *scene, const nb_world *world, char *text, size_t size);

/* One shape, the caller's, `depth` bundles and sums deep; `placed`: with members that say where a bundle has it. */
nb_status nb_scene_read_shape(const nb_input_at *at, int depth, int placed, nb_shape **shape);
/* of kinds from capsule on (scene_solids.c) */
nb_status nb_scene_read_solid(const nb_input_at *at, nb_shape_kind kind, int depth, nb_shape **shape);
/* a polyhedron of one part */
nb_status nb_scene_read_polyhedron(const nb_input_at *at, nb_shape **shape);

/* A fault of the world's own checks, said of this place. */
nb_status nb_scene_explain(const nb_input_at *at, nb_status status);

/* Leave *x as it is where there is no such member. */
nb_status nb_scene_maybe_real(const nb_input_at *object, const char *key, double *x);
nb_status nb_scene_maybe_vec3(const nb_input_at *object, const char *key, nb_vec3 *x);
nb_status nb_scene_maybe_quat(const nb_input_at *object, const char *key, nb_quat *x);
nb_status nb_scene_real(const nb_input_at *object, const char *key, double *x); /* must be there */
nb_status nb_scene_vec3(const nb_input_at *object, const char *key, nb_vec3 *x);

#endif
