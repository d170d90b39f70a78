/* Pictures of scenes, rendered without a display: a perspective view, by scan conversion. */
#ifndef NB_ANALYSIS_PICTURE_H
#define NB_ANALYSIS_PICTURE_H

#include "base/status.h"
#include "record/run.h"

/* Renders the last recorded frame of `run` (its final state where there is none) into `path`: width x height pixels of
 * three bytes (red, green, blue), row by row from the top. The view is fitted to the `count` runs of `scene`, all of
 * the same scene, `run` among them, so that all are seen from the same place. */
nb_status nb_picture_write(const nb_run *run, nb_run *const *scene, int count, int width, int height, const char *path);

#endif
