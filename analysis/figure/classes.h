/* The table of how preconditioners do on classes of problems (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_CLASSES_H
#define NB_ANALYSIS_FIGURE_CLASSES_H

#include "figure/data.h"

/* Reads the runs that the script selects. A panel is a method, a curve a preconditioner (a linear solver that takes
 * none by its own name), a row a class of the standard set (scene.class; of another scene its name). A problem is
 * solved where all linear solves came to the accuracy (source->accuracy, or 1e-6 of the first residual). The caption
 * names what each did not solve. NB_ERROR_INPUT where there are no such runs. */
nb_status nb_figure_collect_classes(const nb_figure_script *script, const nb_figure_source *source,
                                    nb_figure_runs *runs);

/* class, problems tried, share of them that is solved, share that is solved within twice the least time of all */
nb_status nb_figure_write_classes(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif
