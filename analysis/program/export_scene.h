/* A scene as a JSON file, for other programs. */
#ifndef NB_PROGRAM_EXPORT_SCENE_H
#define NB_PROGRAM_EXPORT_SCENE_H

#include "run/simulate.h"
#include "snapshot.h"

/* Writes bodies, shapes and joints of the request's scene, as they are at the start of the step that `state` ends, and
 * how the scene was come by: `command`. NB_ERROR_UNSUPPORTED for a scene with particles, NB_ERROR_IO where writing
 * fails; an earlier file is then left as it was. */
nb_status nb_export_scene(const char *path, const nb_request *request, const nb_snapshot *state, const char *command);

#endif
