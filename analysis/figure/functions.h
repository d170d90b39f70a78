/* Curves of the complementarity functions, which need no record (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_FUNCTIONS_H
#define NB_ANALYSIS_FIGURE_FUNCTIONS_H

#include "figure/data.h"

/* fig. 6: W and phi_f = v - W lambda_f against lambda_f, for one particle sliding at 0.5 m/s under 10 N with mu = 0.5
 */
nb_status nb_figure_write_friction(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

/* fig. 9: phi(c, r lambda) for c = lambda/4 - 1/8, with r = 1 and with r = 1/4 */
nb_status nb_figure_write_scaling(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

/* One point of them: W of fig. 6 at this force [N], and phi_f there; phi of fig. 9. `function` is an nb_ncp_function.
 */
double nb_figure_friction(int function, double force, double *error);
double nb_figure_scaled(int function, double lambda, double r);

#endif
