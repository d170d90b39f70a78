/* Scenes from files: what `export --format scene` writes, and scenes of one's own (scenarios/scene.schema.json). A file
 * is a scenario. Its name, which records have, is its path, or of a path of more than 63 characters as many of its last
 * components as 63 characters hold (of a longer file name its end). Its one parameter is mu, the friction of all bodies
 * and particles. Its known values are what it expects (scene_expect.h). */
#ifndef NB_FILE_SCENE_FILE_H
#define NB_FILE_SCENE_FILE_H

#include "scenario.h"

/* whether a scenario's name is a path of a scene file: it ends with ".json", or compressed by gzip with ".json.gz" */
int nb_scene_file_is(const char *name);

/* The scenario of this path, or of this name among those that were read; it is read once and kept as long as the
 * program runs. `name`: what records call it, of at most 63 characters; NULL: its path, as above. NB_ERROR_INPUT or
 * NB_ERROR_IO with the line and the place; NB_ERROR_USAGE where another file has its name. Not to be called by several
 * threads at once. */
nb_status nb_scene_file_find(const char *path, const char *name, const nb_scenario_class **scenario);

/* The i-th of those that were read so far; NULL after the last. */
const nb_scenario_class *nb_scene_file_at(int64_t i);

/* What is said of the file where it was written ("scenario", "command" or ""), and the FNV-1a of its text, expanded, in
 * 16 digits: of a scenario that nb_scene_file_find gave. */
const char *nb_scene_file_text(const nb_scenario_class *scenario, const char *name);
const char *nb_scene_file_path(const nb_scenario_class *scenario);
const char *nb_scene_file_checksum(const nb_scenario_class *scenario);

/* A line where bodies or particles without member "friction", whose coefficient is 0, may touch others that have one:
 * mu of these contacts is 0. "" where none are, and where parameter mu is of all. */
const char *nb_scene_file_friction(const nb_scenario_class *scenario, const double *values);

/* The world of a file, of which nothing is kept and whose path may have any length, and the length of its steps [s];
 * faults as above. The caller destroys the world. */
nb_status nb_scene_file_world(const char *path, nb_world **world, double *time_step);

/* Reads a text as a scene, builds its world and forgets both: what fuzzing feeds. */
nb_status nb_scene_file_try(const char *text, int64_t size);

#endif
