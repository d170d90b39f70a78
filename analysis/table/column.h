/* Columns of a table over the rows of a run: what a word of a figure's head or of a claim's measure means.
 *
 * A column is [NAME=]VALUE[:DIGITS], DIGITS significant ones (9). Its VALUE is
 *
 *   NAME               in a row of linear or newton, that column of the record, or iteration, its number from 0;
 *                      of a step the same, or step; of a run, an attribute of it, repetitions or peak_bytes
 *                      of a copy an attribute of its run, or copy, its number from 0
 *   NAME/start         over that of the first row
 *   FUNCTION(NAME[+NAME...])   of newton at the step `all` and of a run: of the column's values in all steps, and for
 *                      times in all timed repetitions; without any, in the recorded pass. FUNCTION is least, quarter,
 *                      median, three_quarters, most, spread (between the quarters), mean, count, sum, first, last (in
 *                      the last step) or worst (as most, but no number where one of them is none). Of a copy: of the
 *                      column of batch/, over its steps. Of a run: a column of newton/ that steps do not have, over
 *                      the Newton iterations of all steps
 *   FUNCTION(NAME@ACCURACY)    of a run: the same of newton_iterations, factorisations, linear_iterations or step_ms
 *                      that a step took to this natural-map error [m/s]; steps that did not reach it do not count.
 *                      energy_iterations and energy_flops are of its linear solves, to this energy error relative to
 *                      the solution; residual_iterations, residual_flops and residual_s to this true residual relative
 *                      to the first (table/linear_cost.h)
 *   before(NAME[+NAME...])     of newton: the sum over the rows before; of a step: with its own. Of linear also
 *                      before(flops): operations until the iterate
 *
 * A time NAME_s is there in milliseconds as well, as NAME_ms. Times in rows of newton are those of the recorded pass,
 * scaled to the median repetition. */
#ifndef NB_ANALYSIS_TABLE_COLUMN_H
#define NB_ANALYSIS_TABLE_COLUMN_H

#include "base/status.h"
#include "record/run.h"
#include "table/known_columns.h"

enum {
    NB_COLUMN_TERMS = 4 /* of a sum at most */
};

/* what a row is */
enum {
    NB_ROWS_RUN,
    NB_ROWS_BATCH, /* a copy of the run's batch */
    NB_ROWS_STEP,
    NB_ROWS_NEWTON,
    NB_ROWS_LINEAR,
    NB_ROWS_KINDS
};

typedef enum nb_column_function {
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
    NB_FUNCTION_SUM,
    NB_FUNCTION_FIRST,
    NB_FUNCTION_LAST,
    NB_FUNCTION_WORST
} nb_column_function;

enum {
    NB_TERM_ITERATION = -1,   /* its number, or the step's */
    NB_TERM_REPETITIONS = -2, /* of a run */
    NB_TERM_MEMORY = -4,      /* of a run: peak_bytes */
    NB_TERM_NONE = -3         /* the table has no such column: no number, or a share of that of the Newton iteration */
};

typedef enum nb_column_cost {
    NB_COST_NEWTON_ITERATIONS,
    NB_COST_FACTORISATIONS,
    NB_COST_LINEAR_ITERATIONS,
    NB_COST_STEP_S,
    NB_COST_ENERGY_ITERATIONS, /* this and the next: to an energy error */
    NB_COST_ENERGY_FLOPS,
    NB_COST_RESIDUAL_ITERATIONS, /* this and the next two: to a residual */
    NB_COST_RESIDUAL_FLOPS,
    NB_COST_RESIDUAL_S,
    NB_COSTS
} nb_column_cost;

typedef struct nb_record_column {
    char name[NB_NAME_LENGTH]; /* in a table of numbers, and in at_NAME */
    nb_column_function function;
    int terms, term[NB_COLUMN_TERMS]; /* columns of the record whose sum it is, or an NB_TERM_ */
    char of[NB_COLUMN_TERMS]
           [NB_NAME_LENGTH]; /* in rows of newton, in whose place each run may have another, and shares: its name */
    int time;                /* 1: of seconds, or milliseconds */
    double unit;             /* 1e3 of milliseconds */
    double accuracy;         /* 0: none; else term[0] is an nb_column_cost */
    int digits;
} nb_record_column;

/* the table that a column is read for */
typedef struct nb_column_reading {
    const char *owner; /* for messages: "figure macklin-fig06" */
    int rows;
    int all_steps;          /* 1: a row of newton is of all steps */
    int asked_linear;       /* 1: columns of newton that are asked for in rows of linear are none, and no fault */
    nb_known_columns known; /* of newton */
} nb_column_reading;

/* NB_ERROR_INPUT with one line that names the owner, the text and what there is where it is wrong. */
nb_status nb_column_read(const nb_column_reading *reading, const char *text, nb_record_column *column);

/* The function of this name; NB_ERROR_INPUT with one line that names the owner. */
nb_status nb_column_function_read(const char *owner, const char *name, nb_column_function *function);

/* The column of the record of this name, whatever else the word means. */
nb_status nb_column_read_name(const nb_column_reading *reading, const char *name, nb_record_column *column);

/* The column of steps that a name means, and its unit: 1, or 1e3 for "NAME_ms" of a column NAME_s; -1: none. */
int nb_step_column_find(const char *name, double *unit);

/* nb_name_unknown, with the owner before it */
nb_status nb_column_unknown(const char *owner, const char *kind, const char *name, int count,
                            const char *(*at)(const void *context, int i), const void *context);

#endif
