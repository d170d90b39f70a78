/* A figure's script and its header, as embedded at build time (private to analysis/).
 *
 * A script is a gnuplot file whose first comment lines say:
 *
 *     # title: one line, for `list`
 *     # run: ARGUMENTS      what `reproduce` runs, as for `ncpbench run`; any number of lines
 *     # quick: ARGUMENTS    the same for --quick
 *     # any: TEXT            instead of these: drawn from whatever runs a record holds
 *     # all: TEXT            the same, and one of all the figures of a record
 *     # select: KEY=VALUE[|VALUE...] ...   which runs of a record belong to the figure, by their attributes
 *     # also: KEY=VALUE[|VALUE...] ... | any   which runs are drawn where a record has none of these
 *     # panel: KEY[+KEY...]    the attributes that split the runs into panels; @NAME: a parameter of the scenario
 *     # series: KEY[+KEY...]   likewise those that tell the curves of a panel apart; KEY?: an attribute that counts
 *                            only where runs that agree in the others differ in it
 *     # data: KIND          the table that the script draws: see figure/data.h
 *
 * It is run after common.gp and after variables that describe the tables (figure.c). */
#ifndef NB_ANALYSIS_FIGURE_SCRIPT_H
#define NB_ANALYSIS_FIGURE_SCRIPT_H

#include "figure/figure.h"

typedef struct nb_figure_script {
    nb_figure_class type; /* first */
    const char *select;
    const char *also; /* NULL: none */
    const char *panel, *series, *data;
    const char *const *text; /* its lines, NULL-terminated */
} nb_figure_script;

extern const char *const nb_figure_common[]; /* the lines of common.gp, NULL-terminated */

#endif
