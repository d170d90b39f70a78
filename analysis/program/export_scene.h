/* A scene as a JSON file, for other programs and for this one (scenarios/file/scene_file.h). */
#ifndef NB_PROGRAM_EXPORT_SCENE_H
#define NB_PROGRAM_EXPORT_SCENE_H

#include "run/simulate.h"
#include "snapshot.h"

/* Writes the request's scene as it is at the start of step `step`, which `state` ends (NULL: as the scene begins), at
 * `time` [s] (NaN: when it begins), its settings, what it prescribes in `steps` steps from there on, and how it was
 * come by: `command`. NB_ERROR_IO where writing fails; an earlier file is then left as it was. */
nb_status nb_export_scene(const char *path, const nb_request *request, const nb_snapshot *state, double time,
                          int32_t step, int32_t steps, const char *command);

#endif
