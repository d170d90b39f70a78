/* A figure's script and its head, which says what the figure draws of a record (private to analysis/).
 *
 * A script is a gnuplot file. Its first lines are comments of the form "# KEY: VALUE":
 *
 *   title    one line, for `list`
 *   run      arguments of `ncpbench run` that `reproduce` makes the runs with; any number of lines
 *   quick    the same for --quick
 *   any      instead of these, in words: it is drawn from whatever runs a record holds
 *   all      the same, and the figure is one of "all" figures of a record
 *   select   KEY=VALUE[|VALUE...] ...   which runs belong to the figure, by their attributes
 *   also     KEY=VALUE[|VALUE...] ... | any   which runs are drawn where a record has none of these
 *   with     NAME   `reproduce NAME` makes this figure, too
 *   timings  newton: where a record has no runs at all, each timing of a Newton iteration counts as a run
 *   panel    KEY[+KEY...]   the attributes that split the runs into panels; @NAME: a parameter of the scenario;
 *            *: the scenario, and what else of the scene differs
 *   series   KEY[+KEY...]   the attributes that tell the curves of a panel apart; KEY?: one that counts only where runs
 *            that agree in the others differ in it; *: the linear solver, and what else of the settings differs
 *   gathered series: they are no curves of their own, so that there may be more of them (figure/data.h)
 *   rows     what a line of the table is: an iteration (linear, newton), a step (step), a run (run), a copy of its
 *            batch (batch), or what a function of C makes (tables.h): profile, devices, scene, moments, extension,
 *            forces, friction, scaling, gradient-error, gradient-friction, course, spectra
 *
 *   at       STEP[:NEWTON]   of which step, and of linear iterations in which Newton iteration: a number from 0, or
 *            last; all: line k tells of iteration k in all steps [last:0]
 *
 *   columns  COLUMN ...   the columns of the table, as below
 *
 *   y        the column that `y` stands for in `columns`. Such a figure has options: --y and --at take the place of
 *            what the head says, and --x says which of the columns before `y` is drawn along the axis
 *
 *   times    shown: the figure shows times, so that it says what they were measured on
 *
 * A column is [NAME=]VALUE[:DIGITS], DIGITS significant ones (9). Its VALUE is
 *
 *   NAME               in a row of linear or newton, that column of the record, or iteration, its number from 0;
 *                      of a step the same, or step; of a run, an attribute of it, repetitions or peak_bytes
 *                      of a copy an attribute of its run, or copy, its number from 0
 *   NAME/start         over that of the first row
 *   all                every column of newton/
 *   FUNCTION(NAME[+NAME...])   of newton at the step `all` and of a run: of the column's values in all steps, and for
 *                      times in all timed repetitions; without any, in the recorded pass. FUNCTION is least, quarter,
 *                      median, three_quarters, most, spread (between the quarters), mean, count, last (in the last
 *                      step) or worst (as most, but no number where one of them is none). Of a copy: of the column of
 *                      batch/, over its steps
 *   FUNCTION(NAME@ACCURACY)    of a run: the same of newton_iterations, factorisations, linear_iterations or step_ms
 *                      that a step took to this natural-map error [m/s]; steps that did not reach it do not count.
 *                      energy_iterations and energy_flops are of its linear solves, to this energy error relative to
 *                      the solution (statistics/energy_cost.h)
 *   before(NAME[+NAME...])     of newton: the sum over the rows before
 *
 * A time NAME_s is there in milliseconds as well, as NAME_ms. Times in rows of newton are those of the recorded pass,
 * scaled to the median repetition.
 *
 * The rest of a script is run after common.gp and after variables that describe the tables (figure.c), of which
 * at_NAME is the place of column NAME. */
#ifndef NB_ANALYSIS_FIGURE_SCRIPT_H
#define NB_ANALYSIS_FIGURE_SCRIPT_H

#include <stdint.h>

#include "figure/source.h"

enum {
    NB_SCRIPT_RUNS = 16,    /* lines of a key at most */
    NB_SCRIPT_COLUMNS = 96, /* of a table at most */
    NB_SCRIPT_TERMS = 4     /* of a sum at most */
};

/* a script as it is embedded at build time */
typedef struct nb_script_source {
    const char *name;        /* "macklin-fig06"; NULL ends the table */
    const char *const *head; /* "KEY: VALUE", NULL-terminated */
    const char *const *text; /* the other lines, NULL-terminated */
} nb_script_source;

extern const nb_script_source nb_script_sources[];
extern const char *const nb_figure_common[]; /* the lines of common.gp, NULL-terminated */

typedef enum nb_script_rows {
    NB_ROWS_RUN,
    NB_ROWS_BATCH,
    NB_ROWS_STEP,
    NB_ROWS_NEWTON,
    NB_ROWS_LINEAR,
    NB_ROWS_PROFILE, /* and what follows: made by functions of C */
    NB_ROWS_DEVICES,
    NB_ROWS_SCENE,
    NB_ROWS_MOMENTS,
    NB_ROWS_EXTENSION,
    NB_ROWS_FORCES,
    NB_ROWS_FRICTION,
    NB_ROWS_SCALING,
    NB_ROWS_GRADIENT,
    NB_ROWS_GRADIENT_FRICTION,
    NB_ROWS_OPTIMIZATION,
    NB_ROWS_SPECTRA,
    NB_SCRIPT_ROWS
} nb_script_rows;

/* a table that a function of C makes */
typedef struct nb_script_made {
    const char *columns;       /* their names, a space between */
    const char *const *curves; /* NULL-terminated names, where no record is needed; else NULL */
    int of_timings;            /* 1: made of a record's timings, not of its runs */
} nb_script_made;

typedef enum nb_script_function {
    NB_FUNCTION_NONE, /* the value itself */
    NB_FUNCTION_START,
    NB_FUNCTION_BEFORE,
    NB_FUNCTION_LEAST,
    NB_FUNCTION_QUARTER,
    NB_FUNCTION_MEDIAN,
    NB_FUNCTION_THREE_QUARTERS,
    NB_FUNCTION_MOST,
    NB_FUNCTION_SPREAD,
    NB_FUNCTION_MEAN,
    NB_FUNCTION_COUNT,
    NB_FUNCTION_LAST,
    NB_FUNCTION_WORST
} nb_script_function;

enum {
    NB_TERM_ITERATION = -1,   /* its number, or the step's */
    NB_TERM_REPETITIONS = -2, /* of a run */
    NB_TERM_MEMORY = -4,      /* of a run: peak_bytes */
    NB_TERM_NONE = -3         /* the table has no such column: no number, or a share of that of the Newton iteration */
};

typedef struct nb_script_column {
    char name[NB_NAME_LENGTH]; /* in a table of numbers, and in at_NAME */
    nb_script_function function;
    int terms, term[NB_SCRIPT_TERMS]; /* columns of the record whose sum it is, or an NB_TERM_ */
    char of[NB_SCRIPT_TERMS]
           [NB_NAME_LENGTH]; /* in rows of newton, in whose place each run may have another, and shares: its name */
    int time;                /* 1: of seconds, or milliseconds */
    double unit;             /* 1e3 of milliseconds */
    double accuracy;         /* 0: none; else term[0] is an nb_script_cost */
    int digits;
} nb_script_column;

typedef enum nb_script_cost {
    NB_COST_NEWTON_ITERATIONS,
    NB_COST_FACTORISATIONS,
    NB_COST_LINEAR_ITERATIONS,
    NB_COST_STEP_S,
    NB_COST_ENERGY_ITERATIONS, /* this and the next: to an energy error */
    NB_COST_ENERGY_FLOPS,
    NB_COSTS
} nb_script_cost;

/* what a table is made of */
typedef struct nb_script_table {
    nb_script_rows rows;
    const nb_script_made *made; /* NULL: rows and columns of a record, as the rest says */
    int all_steps;              /* 1: at the step `all` */
    int32_t step, newton;       /* from 0; -1: the last */
    int y;                      /* the column that `y` stands for, or -1 */
    int count;
    nb_script_column columns[NB_SCRIPT_COLUMNS];
} nb_script_table;

typedef struct nb_figure_script {
    nb_figure_class type; /* first */
    const nb_script_source *source;
    const char *runs[NB_SCRIPT_RUNS + 1], *quick[NB_SCRIPT_RUNS + 1]; /* NULL-terminated: type.runs, type.quick_runs */
    const char *any, *all, *select, *also, *timings, *panel, *series, *gathered, *rows, *at, *columns, *y,
        *times; /* NULL: none */
} nb_figure_script;

extern nb_figure_script nb_scripts[]; /* one a source, for nb_figure_at to read into */

/* Figure `i`; NULL after the last. */
const nb_figure_class *nb_figure_at(int i);

/* Reads a script's head, and checks what it says. NB_ERROR_INPUT with one line that names the script, the key and what
 * there is where one is wrong; what was right up to there is in *script. */
nb_status nb_script_read(const nb_script_source *source, nb_figure_script *script);

/* The table that the script draws, with what was asked for in the place of what its head says; `choice` may be NULL. */
nb_status nb_script_make_table(const nb_figure_script *script, const nb_figure_choice *choice, nb_script_table *table);

/* "FUNCTION(NAME...)" as above, in rows of a run, or with `of_copies` of a copy of its batch, for who computes with
 * such a value and draws nothing (figure/rows.h). NB_ERROR_INPUT as nb_script_read, with `owner` in the place of a
 * name. */
nb_status nb_script_read_value(const char *owner, const char *text, int of_copies, nb_script_column *column);

#endif
