/* A figure's script and its head, which says what the figure draws of a record (private to analysis/).
 *
 * A script is a gnuplot file. Its first lines are comments of the form "# KEY: VALUE":
 *
 *   title    one line, for `list`
 *   run      arguments of `ncpbench run` that `reproduce` makes the runs with; any number of lines
 *   quick    the same for --quick
 *   make     another command line of `ncpbench` without -o, whose files the figure is drawn from beside the runs; any
 *            number of lines
 *   quickmake   the same for --quick; with `any`, the first of these files is the record that it is drawn from
 *   files    the command that makes the runs' scene files; `reproduce` leaves a figure out where they are not there
 *   any      instead of these, in words: it is drawn from whatever runs a record holds
 *   all      the same, and the figure is one of "all" figures of a record
 *   apart    in words, why reproduce makes it by its name alone, and not among "all"
 *   select   KEY=VALUE[|VALUE...] ...   which runs belong to the figure, by their attributes
 *   also     KEY=VALUE[|VALUE...] ... | any   which runs are drawn where a record has none of these
 *   timings  newton: where a record has no runs at all, each timing of a Newton iteration counts as a run
 *   panel    KEY[+KEY...]   the attributes that split the runs into panels; @NAME: a parameter of the scenario;
 *            *: the scenario, and what else of the scene differs
 *   series   KEY[+KEY...]   the attributes that tell the curves of a panel apart; KEY?: one that counts only where runs
 *            that agree in the others differ in it; *: the linear solver, and what else of the settings differs
 *   gathered series: they are no curves of their own, so that there may be more of them (figure/data.h)
 *   rows     what a line of the table is: an iteration (linear, newton), a step (step), a run (run), a copy of its
 *            batch (batch), or what a function of C makes (tables.h): profile, devices, scene, moments, scene-forces,
 *            scene-errors, scene-modes, contacts, extension, forces, friction, scaling, course, spectra, classes,
 *            field, bandwidth; or a study (bench/study.h): gradient-error, gradient-friction
 *
 *   at       STEP[:NEWTON]   of which step, and of linear iterations in which Newton iteration: a number from 0, or
 *            last; all: line k tells of iteration k in all steps [last:0]
 *
 *   columns  COLUMN ...   the columns of the table, as below
 *
 *   y        the column that `y` stands for in `columns`. Such a figure has options: --y and --at take the place of
 *            what the head says, and --x says which of the columns before `y` is drawn along the axis
 *
 *   number   NAME=FUNCTION(EXPRESSION[ where CONDITION])   a number over the rows of each curve (table/row_number.h),
 *            number_of("NAME", p, s) in the script; any number of lines
 *
 *   times    shown: the figure shows times, so that it says what they were measured on
 *
 * A column is a value of table/column.h, or all: every column of newton/.
 *
 * The rest of a script is run after common.gp and after variables that describe the tables (figure.c), of which
 * at_NAME is the place of column NAME. */
#ifndef NB_ANALYSIS_FIGURE_SCRIPT_H
#define NB_ANALYSIS_FIGURE_SCRIPT_H

#include <stdint.h>

#include "figure/source.h"
#include "table/row_number.h"
#include "table/rows.h"

enum {
    NB_SCRIPT_RUNS = 16 /* lines of a key at most */
};

/* a script as it is embedded at build time */
typedef struct nb_script_source {
    const char *name;        /* "macklin-fig06"; NULL ends the table */
    const char *const *head; /* "KEY: VALUE", NULL-terminated */
    const char *const *text; /* the other lines, NULL-terminated */
} nb_script_source;

extern const nb_script_source nb_script_sources[];
extern const char *const nb_figure_common[]; /* the lines of common.gp, NULL-terminated */

/* rows beside those of table/column.h, which functions of C make */
enum {
    NB_ROWS_PROFILE = NB_ROWS_KINDS,
    NB_ROWS_DEVICES,
    NB_ROWS_SCENE,
    NB_ROWS_MOMENTS,
    NB_ROWS_SCENE_FORCES,
    NB_ROWS_SCENE_ERRORS,
    NB_ROWS_SCENE_MODES,
    NB_ROWS_CONTACTS,
    NB_ROWS_EXTENSION,
    NB_ROWS_FORCES,
    NB_ROWS_FRICTION,
    NB_ROWS_SCALING,
    NB_ROWS_GRADIENT,
    NB_ROWS_GRADIENT_FRICTION,
    NB_ROWS_OPTIMIZATION,
    NB_ROWS_SPECTRA,
    NB_ROWS_CLASSES,
    NB_ROWS_FIELD,
    NB_ROWS_BANDWIDTH,
    NB_SCRIPT_ROWS
};

/* a table that a function of C makes */
typedef struct nb_made_table {
    const char *name;          /* as a head has it */
    const char *columns;       /* their names, a space between */
    const char *const *curves; /* NULL-terminated names, where no record is needed; else NULL */
    int of_timings;            /* 1: made of a record's timings, not of its runs */
    int of_study;              /* 1: of the study that the rows are named after (bench/study.h) */
} nb_made_table;

typedef struct nb_figure_script {
    nb_figure_class type; /* first */
    const nb_script_source *source;
    /* NULL-terminated: type.runs, type.quick_runs, type.makes, type.quick_makes */
    const char *runs[NB_SCRIPT_RUNS + 1], *quick[NB_SCRIPT_RUNS + 1];
    const char *makes[NB_SCRIPT_RUNS + 1], *quick_makes[NB_SCRIPT_RUNS + 1];
    const char *numbers[NB_SCRIPT_RUNS + 1];
    const char *files, *any, *all, *apart, *select, *also, *timings, *panel, *series, *gathered, *rows, *at, *columns,
        *y, *times; /* NULL: none */
} nb_figure_script;

extern nb_figure_script nb_scripts[]; /* one a source, for nb_figure_at to read into */

/* Figure `i`; NULL after the last. */
const nb_figure_class *nb_figure_at(int i);

/* Reads a script's head, and checks what it says. NB_ERROR_INPUT with one line that names the script, the key and what
 * there is where one is wrong; what was right up to there is in *script. */
nb_status nb_script_read(const nb_script_source *source, nb_figure_script *script);

/* The table that the script draws, with what was asked for in the place of what its head says; `choice` may be NULL. */
nb_status nb_script_make_table(const nb_figure_script *script, const nb_figure_choice *choice, nb_record_table *table);

/* Reads the lines `number` into numbers [NB_ROW_NUMBERS]. */
nb_status nb_script_read_numbers(const nb_figure_script *script, nb_row_number *numbers, int *count);

#endif
