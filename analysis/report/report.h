/* Reports: a record as one HTML page that needs nothing else. */
#ifndef NB_ANALYSIS_REPORT_H
#define NB_ANALYSIS_REPORT_H

#include <signal.h>

#include "base/status.h"
#include "figure/source.h"
#include "record/record.h"

/* what a report holds */
typedef struct nb_report_contents {
    int runs, checks, failed, left_out;
    int figures; /* drawn */
    int undrawn; /* whose runs are there but which could not be drawn: the page says why */
} nb_report_contents;

/* Writes the page to `path`, which appears whole or not at all: provenance, runs, their checks computed again, and
 * every figure whose runs the record has. `name` is what the page calls the record. It refers to nothing outside
 * itself, and what the record says is shown as text, whatever it is. `replay`: with a player of stored states.
 * NB_ERROR_INPUT where the record holds no runs, or none to replay.
 * Once *stop is set no further figure is drawn and no page written, which is NB_ERROR_IO; NULL: never. */
nb_status nb_report_write(nb_record_reader *reader, const char *name, const char *path, int replay,
                          const volatile sig_atomic_t *stop, nb_report_contents *contents);

/* Writes a page that shows the drawings NAME.ENDING of figures [count] beside it, with links to their texts. */
nb_status nb_report_write_index(const char *path, const char *title, const nb_figure_class *const *figures, int count,
                                const char *ending);

#endif
