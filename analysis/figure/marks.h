/* The contacts of a state, as pictures show them: forces, errors or modes (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_MARKS_H
#define NB_ANALYSIS_FIGURE_MARKS_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"
#include "record/run.h"

typedef enum nb_show {
    NB_SHOW_FORCES, /* an arrow for each pair of bodies: the force on the one with the higher number */
    NB_SHOW_ERRORS,
    NB_SHOW_MODES
} nb_show;

typedef struct nb_mark {
    nb_vec3 point, force; /* [m], [N] on the first body */
    double error;         /* larger natural map of normal and friction [m/s]; NaN: not known */
    int mode;             /* an nb_contact_mode; -1: not known */
    int32_t body[2];      /* -1: the world, or particles */
    int32_t contact;      /* of the state, from 0 */
} nb_mark;

typedef struct nb_marks {
    nb_mark *items; /* [count] owned, by ascending error */
    int32_t count;
    const double *momentum_error; /* [bodies] [m/s], borrowed from the run; NULL: not known */
} nb_marks;

/* what is shown, and what the colours and the longest arrow stand for */
typedef struct nb_mark_scale {
    nb_show show;
    double low, high; /* errors [m/s], powers of ten; high: the largest force [N] */
} nb_mark_scale;

/* The contacts of recorded frame `frame`, of the final state where it is below 0. NB_ERROR_INPUT where the run is of
 * no scene, or the record holds no points and forces of its frames' contacts. */
nb_status nb_marks_read(const nb_run *run, int32_t frame, nb_marks *marks);
void nb_marks_clear(nb_marks *marks);

/* Gives the contacts of a recorded frame, not merged, the errors of an iterate of its step, and their order; errors of
 * momentum are not known there. */
void nb_marks_take_iterate(const nb_run *run, int32_t frame, int64_t iterate, nb_marks *marks);

/* Replaces the contacts of each pair of bodies by one: their resultant force at their mean point, weighted by force,
 * and the largest of their errors. Contacts between particles stay apart. The split between them is not unique, the
 * resultant of two bodies is. */
void nb_marks_merge_pairs(nb_marks *marks);

/* The colour, from 0 to 1, of an error on the scale: lighter is smaller. NaN is white. */
void nb_mark_error_colour(const nb_mark_scale *scale, double error, double colour[3]);
void nb_mark_mode_colour(int mode, double colour[3]);

#endif
