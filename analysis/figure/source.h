/* What a figure is, what it is drawn from, and how it is set on paper. */
#ifndef NB_ANALYSIS_FIGURE_SOURCE_H
#define NB_ANALYSIS_FIGURE_SOURCE_H

#include <stdio.h>

#include "figure/choice.h"
#include "record/record.h"
#include "table/cost.h"

typedef struct nb_figure_class {
    const char *name;              /* "macklin-fig06" */
    const char *summary;           /* one line, for list */
    const char *const *runs;       /* what `reproduce` runs: arguments of `ncpbench run` without -o, NULL-terminated;
                                      NULL where the figure needs no record, empty where any runs will do */
    const char *const *quick_runs; /* the same for --quick; NULL: as `runs` */
    const char *const *makes, *const *quick_makes; /* other command lines without -o whose files it is drawn from,
                                      NULL-terminated; NULL: none, and for --quick as `makes` */
    const char *files; /* the command that makes the files of its runs, which are not of the program; NULL: none */
    const char *study; /* whose rows it draws (bench/study.h); NULL: none */
    int of_all;        /* 1: one of "all" figures of a record, though any runs will do */
    int apart;         /* 1: its runs are not made among "all" */
} nb_figure_class;

typedef enum nb_figure_caption {
    NB_CAPTION_BELOW, /* two lines on the figure, and all of it in a text beside it */
    NB_CAPTION_FILE,  /* in the text alone */
    NB_CAPTION_OFF    /* nowhere */
} nb_figure_caption;

enum {
    NB_FIGURE_FONT_LENGTH = 64
};

/* How a figure is set on paper; all zero: as a journal has it over both columns. */
typedef struct nb_figure_style {
    double width_mm;                  /* 0: 178 */
    char font[NB_FIGURE_FONT_LENGTH]; /* "": DejaVu Sans, which gnuplot brings along */
    double font_size;                 /* of labels [pt]; 0: 8 */
    int no_title;                     /* 1: without a title, for a caption set elsewhere */
    nb_figure_caption caption;
} nb_figure_style;
#define NB_FIGURE_WIDTH 178.0
#define NB_FIGURE_FONT_SIZE 8.0

/* Whose runs a figure draws. */
typedef enum nb_figure_origin {
    NB_ORIGIN_UNKNOWN, /* to be found out, from what they were asked for */
    NB_ORIGIN_OTHER,   /* someone's own: the figure does not name the paper's, nor what that says */
    NB_ORIGIN_QUICK,   /* all are of the figure's smaller runs */
    NB_ORIGIN_PAPER    /* all are those that `reproduce` makes for it */
} nb_figure_origin;

/* Where a figure's runs are. */
typedef struct nb_figure_source {
    nb_record_reader *const *readers; /* [count], borrowed */
    int count;                        /* several: only for figures that draw any runs; else the first counts */
    double accuracy;                /* natural-map error that profiles are to [m/s], of problem files relative to ||q||;
                                       0: the first run's --relative-tolerance, or NB_FIGURE_ACCURACY */
    nb_cost_error error;            /* that it is of */
    const char *record;             /* the record's name, for the caption; NULL: unknown */
    const nb_figure_style *style;   /* NULL: all zero */
    const nb_figure_choice *choice; /* NULL: the standard one */
    const nb_conditions *where;     /* which runs; NULL: all */
    nb_figure_origin origin;        /* NB_ORIGIN_UNKNOWN unless it is known */
    const char *claims;             /* what came out of the claims that it shows, by its runs; NULL: nothing */
    const char *made;               /* FOLDER/NAME of the files NAME-1.h5, ... of the lines `makes`; NULL: none */
    const char *study;              /* the rows of the figure's study; NULL: none */
    FILE *places;                   /* where a table of the errors' places goes (figure/places.h); NULL: nowhere */
    const char *csv;                /* where the drawn numbers go as well, as a table; NULL: nowhere */
} nb_figure_source;
#define NB_FIGURE_ACCURACY 1e-4 /* where none is asked for */

#endif
