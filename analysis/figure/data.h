/* The tables that figure scripts draw: runs chosen from a record, arranged in panels and series, written as
 * tab-separated text that gnuplot reads (one file a panel, one index block a series). */
#ifndef NB_ANALYSIS_FIGURE_DATA_H
#define NB_ANALYSIS_FIGURE_DATA_H

#include <stdio.h>

#include "figure/script.h"
#include "record/record.h"
#include "record/run.h"
#include "record/timing.h"

enum {
    NB_FIGURE_PANELS = 12,
    NB_FIGURE_SERIES = 16
};

/* the runs of a figure */
typedef struct nb_figure_runs {
    int panel_count;
    char panel_name[NB_FIGURE_PANELS][NB_NAME_LENGTH];
    int series_count[NB_FIGURE_PANELS];
    char series_name[NB_FIGURE_PANELS][NB_FIGURE_SERIES][NB_NAME_LENGTH];
    nb_run *run[NB_FIGURE_PANELS][NB_FIGURE_SERIES]; /* owned; NULL: the panel has no such curve */
    int left_out; /* runs that are not drawn, as they differ from others in neither panel nor series, or are too many */
    /* profiles, which are of all runs: in seconds and in work (figure/profile.h), INFINITY where the accuracy was not
     * reached
     */
    double *cost[2], *ratio[2]; /* [problems][series], owned; ratio: to the best of all solvers; NaN: never tried */
    int64_t *scene;             /* [problems] that are steps of one scene have the same number, ascending; owned */
    int64_t problems;
    int timed;          /* 1: made of timings of kernels (figure/timings.h, figure/devices.h) */
    nb_timing *timings; /* [timing_count] of figure/devices.h, owned */
    int timing_count;
    double accuracy;
    int linear, column, axis; /* of figure/convergence.h: column of linear/ or newton/, an nb_convergence_axis */
    int32_t step, newton;     /* likewise, -1: the last step, its first iteration */
    char caption[4096];
    char note[2048]; /* what speaks against the times, for the figure itself; "": nothing */
} nb_figure_runs;

/* Reads the runs that the script selects. NB_ERROR_INPUT where there are none. */
nb_status nb_figure_collect(const nb_figure_script *script, const nb_figure_source *source, nb_figure_runs *runs);
/* The index of a panel's or a curve's name in a list, which it is added to; -1 where `most` others are there already.
 */
int nb_figure_place(const char *name, char names[][NB_NAME_LENGTH], int *count, int most);
/* Gives all panels the curves of the first: a curve has one colour and one name in every panel. */
void nb_figure_share_series(nb_figure_runs *runs);
/* Says in a text, and in the figure's note, how many runs have no repetitions, and what a record says against its
 * timings; each once. */
void nb_figure_note_cold(nb_figure_runs *runs, int64_t cold, int64_t count, char *text, size_t size);
void nb_figure_note_warnings(nb_figure_runs *runs, const nb_provenance *where, char *text, size_t size);
void nb_figure_runs_clear(nb_figure_runs *runs);

/* Writes the tables of the script's kind of data into `folder`:
 *
 *   devices     contacts and times: figure/devices.h
 *   convergence iteration, work, time, a quantity: figure/convergence.h
 *   profile     x, share of the problems, its interval: figure/profile.h
 *   cost        as summary
 *   reach       a line a run: steps, contacts, the largest natural-map error at the end of a step; then for 1e-6 m/s
 *               and for 1e-8 m/s the steps that reached it, and over these the mean iterations, factorisations,
 *               linear iterations, and the median time of a step [ms]
 *   linear      iteration, residual_l2, preconditioned_residual of the last step's first linear solve, relative to
 *               their start
 *   newton      iteration and all Newton columns of the last step; scripts find column NAME at at_NAME. Times are those
 *               of the recorded pass, scaled to the median repetition
 *   quartiles   iteration and minimum, quartiles, maximum over all steps of natural_map_error, then of
 *               complementarity
 *   summary     a line a run: bodies, joints, tetrahedra, contacts, largest island, Newton and linear iterations,
 *               median and interquartile range, over steps and timed repetitions, of assembly and of set-up and solve
 *               times [ms]; the quartiles of both; median and quartiles of the sum; repetitions (0: times of the
 *               recorded pass, which is cold)
 *   scene       a line a recorded state: its time [s], the height of the highest centre of a body with mass [m], the
 *               deepest penetration since the state before and so far [m]; and a picture of the last of them:
 *               panel_P_S.rgb, raw 8-bit colours
 *   friction, scaling   curves of the complementarity functions; no runs */
nb_status nb_figure_write_data(const nb_figure_script *script, const nb_figure_runs *runs, const char *folder);

/* pixels of a scene's picture */
enum {
    NB_SCENE_WIDTH = 960, /* 600 an inch at a quarter of a sheet's width */
    NB_SCENE_HEIGHT = 720
};

#endif
