/* Pictures of scenes, rendered without a display: a perspective view, by scan conversion. */
#ifndef NB_ANALYSIS_PICTURE_H
#define NB_ANALYSIS_PICTURE_H

#include "base/status.h"
#include "record/run.h"

/* what a picture shows */
typedef struct nb_picture {
    const nb_run *run;
    int32_t frame; /* of the states recorded, from 0; where there are none, it is the final one */
} nb_picture;

/* Renders it into `path`: width x height pixels of three bytes (red, green, blue), row by row from the top. The view is
 * fitted to all `count` pictures beside it, of the same scene, itself among them, so that all are seen from the same
 * place; those of one run stay where they are in the picture. Walls between the scene and the eye are drawn as edges.
 */
nb_status nb_picture_write(const nb_picture *picture, const nb_picture *beside, int count, int width, int height,
                           const char *path);

#endif
