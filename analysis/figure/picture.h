/* Pictures of scenes, rendered without a display: a perspective view, by scan conversion. */
#ifndef NB_ANALYSIS_PICTURE_H
#define NB_ANALYSIS_PICTURE_H

#include "base/status.h"
#include "figure/marks.h"
#include "record/run.h"

/* where bodies and particles are */
typedef struct nb_picture_state {
    double time;     /* [s] */
    const double *q; /* [bodies, 7] */
    const double *x; /* [particles, 3], NULL where there are none */
} nb_picture_state;

/* Pictures that stand side by side: all are seen from the same place, and the same colour means the same in each. */
typedef struct nb_picture {
    const nb_world *world;
    const nb_picture_state *states; /* [count], the first of which is in the middle of the view */
    int count;
    double strain;         /* J - 1 of the strongest colours: nb_picture_strain_limit */
    const nb_marks *marks; /* [count] of contacts, before pale bodies; NULL: none */
    nb_mark_scale scale;   /* what they show */
} nb_picture;

enum {
    NB_PICTURE_TINTS = 8
};
/* of bodies, red, green and blue in linear light: Okabe and Ito's colours, lightened, then grey, of what is held */
extern const float nb_picture_tints[NB_PICTURE_TINTS][3];
/* which of them body `index` has */
int nb_picture_tint(const nb_body *body, int32_t index);

/* The state of recorded frame `frame`, or the final one where it is below 0. NB_ERROR_INPUT where the run has none of
 * this world's bodies and particles. */
nb_status nb_picture_state_of(const nb_run *run, const nb_world *world, int32_t frame, nb_picture_state *state);

/* The least and the most volumetric strain J - 1 of the tetrahedra; NaN where there are none. */
void nb_picture_strain(const nb_world *world, const nb_picture_state *state, double *least, double *most);
/* 1, 2 or 5 times a power of ten: no strain of these states is larger; 0 where there are no tetrahedra. */
double nb_picture_strain_limit(const nb_world *world, const nb_picture_state *states, int count);

/* Renders state `i` into `path`: width x height pixels of three bytes (red, green, blue), row by row from the top.
 * Bodies, the surface of tetrahedra in the colour of its elements' strain, springs, and rods from bodies without a
 * shape to their joints. What does not move is drawn as its edges alone where it would hide what does. */
nb_status nb_picture_write(const nb_picture *picture, int i, int width, int height, const char *path);

#endif
