/* The figures of a report, each drawn by a process of its own while the report's runs are read (private to analysis/).
 */
#ifndef NB_ANALYSIS_REPORT_FIGURES_H
#define NB_ANALYSIS_REPORT_FIGURES_H

#include <signal.h>
#include <stdio.h>

#include "base/child.h"
#include "figure/figure.h"

enum {
    NB_REPORT_MOST_FIGURES = 64
};

typedef struct nb_report_figures {
    char folder[256];                                      /* of the drawings, "" before there is one */
    const nb_figure_class *figure[NB_REPORT_MOST_FIGURES]; /* those whose runs the record has */
    nb_child child[NB_REPORT_MOST_FIGURES];
    int exit_status[NB_REPORT_MOST_FIGURES]; /* of the child: 0: drawn; else what went wrong (nb_status) */
    int count, begun, ended;
    int drawn, undrawn;
} nb_report_figures;

/* Begins to draw every figure whose runs the record has, as many at once as there are processors. The caller ends it
 * with nb_report_figures_clear, also after a fault. */
nb_status nb_report_figures_begin(nb_record_reader *reader, nb_report_figures *figures);

/* Waits for all of them and writes them into the page. A drawing that fails costs its figure, not the page. Once *stop
 * is set no further one is begun, and it is NB_ERROR_IO; NULL: never. */
nb_status nb_report_figures_write(nb_record_reader *reader, const volatile sig_atomic_t *stop,
                                  nb_report_figures *figures, FILE *page);

/* Waits for those that are still going on, and removes the folder. */
void nb_report_figures_clear(nb_report_figures *figures);

#endif
