/* Pictures of scenes, rendered without a display: a perspective view with shadows, by scan conversion. */
#ifndef NB_ANALYSIS_PICTURE_H
#define NB_ANALYSIS_PICTURE_H

#include "base/status.h"
#include "run.h"

/* Renders the last recorded frame of `run` (its final state where there is none) into `path`: width x height pixels of
 * three bytes (red, green, blue), row by row from the top. The view is fitted to the scene as it was built, so that all
 * runs of the same scene are seen from the same place; `reference` is another run of the same scene or `run` itself. */
nb_status nb_picture_write(const nb_run *run, const nb_run *reference, int width, int height, const char *path);

#endif
