/* The runs that a figure is drawn from, chosen from a record and arranged in panels and series (private to analysis/).
 */
#ifndef NB_ANALYSIS_FIGURE_DATA_H
#define NB_ANALYSIS_FIGURE_DATA_H

#include <stdio.h>

#include "figure/script.h"
#include "record/record.h"
#include "record/run.h"
#include "record/timing.h"

enum {
    NB_FIGURE_PANELS = 24,
    NB_FIGURE_CURVES = 16, /* series of a panel, where each is a curve with a line of the legend; */
    NB_FIGURE_SERIES = 64  /* at most, where a script says that it puts them together */
};

/* the runs of a figure */
typedef struct nb_figure_runs {
    int panel_count;
    char panel_name[NB_FIGURE_PANELS][NB_NAME_LENGTH];
    int series_count[NB_FIGURE_PANELS];
    char series_name[NB_FIGURE_PANELS][NB_FIGURE_SERIES][NB_NAME_LENGTH];
    nb_run *run[NB_FIGURE_PANELS][NB_FIGURE_SERIES]; /* owned; NULL: the panel has no such curve */
    int32_t step, iteration; /* of pictures of contacts, from 0; -1: the last step, and the state that it ends with */
    int left_out;   /* runs that are not drawn, as they differ from others in neither panel nor series, are too many, or
                       have no numbers of what is drawn */
    int unfinished; /* of the figure's own runs: failed, or interrupted, and not drawn */
    /* profiles, which are of all runs: in seconds and in work (figure/profile.h), INFINITY where the accuracy was not
     * reached
     */
    double *cost[2], *ratio[2]; /* [problems][series], owned; ratio: to the best of all solvers; NaN: never tried */
    int64_t problems;
    int timed;          /* 1: made of timings of kernels (figure/tables.c, figure/devices.h) */
    nb_timing *timings; /* [timing_count] of figure/devices.h, owned */
    int timing_count;
    double accuracy;
    char *table[NB_FIGURE_PANELS]; /* of figure/classes.h, owned by the C library: its table */
    char title[256];               /* in the place of the figure's own; "": that */
    char caption[4096];
    char note[2048]; /* what speaks against the times, for the figure itself; "": nothing */
} nb_figure_runs;

/* Reads the runs that the script selects, by what its head says. NB_ERROR_INPUT where there are none. */
nb_status nb_figure_collect_selected(const nb_figure_script *script, const nb_record_table *table,
                                     const nb_figure_source *source, nb_figure_runs *runs);
/* Whether a run is one of the figure's own, by the line `select` of its head. */
int nb_figure_selects(const nb_figure_script *script, const nb_run_info *info);
/* 1 where the record has runs that the figure is drawn from, unless it is drawn only where it is asked for. */
int nb_figure_has_runs(const nb_figure_class *figure, nb_record_reader *reader);
/* The index of a panel's or a curve's name in a list, which it is added to; -1 where `most` others are there already.
 */
int nb_figure_place(const char *name, char names[][NB_NAME_LENGTH], int *count, int most);
/* Gives all panels the curves of the first: a curve has one colour and one name in every panel. */
void nb_figure_share_series(nb_figure_runs *runs);
/* Says in a text, and in the figure's note, how many runs have no repetitions, and what a record says against its
 * timings; each once. */
void nb_figure_note_cold(nb_figure_runs *runs, int64_t cold, int64_t count, char *text, size_t size);
void nb_figure_note_warnings(nb_figure_runs *runs, const nb_record_reader *reader, char *text, size_t size);
/* The provenance of the first run drawn, of several records the first one's; and " (first of several)" where others
 * were made elsewhere or with another program, else "". */
const nb_provenance *nb_figure_made_with(const nb_figure_runs *runs, const nb_figure_source *source);
const char *nb_figure_made_elsewhere(const nb_figure_runs *runs, const nb_figure_source *source);
void nb_figure_runs_clear(nb_figure_runs *runs);

/* pixels of a scene's picture */
enum {
    NB_SCENE_WIDTH = 960, /* 600 an inch at a quarter of a page's width */
    NB_SCENE_HEIGHT = 720
};

#endif
