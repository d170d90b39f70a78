#include "figure/functions.h"

#include "constraint/ncp.h"

NB_PRECISIONS(f64);

double nb_figure_friction(int function, double force, double *error) {
    const double speed = 0.5, limit = 5, w = nb_ncp_friction((nb_ncp_function)function, speed, force, limit, 1, 1);
    *error = speed - w * force;
    return w;
}

double nb_figure_scaled(int function, double lambda, double r) {
    return nb_ncp_normal((nb_ncp_function)function, lambda / 4 - 0.125, r * lambda).phi;
}

nb_status nb_figure_write_friction(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    (void)runs, (void)panel, (void)folder;
    for (int function = 0; function < NB_NCP_FUNCTIONS; function++) {
        for (int i = 0; i <= 490; i++) { /* the limit of 5 N is a row of the table */
            double force = 7.0 * i / 490, error, w = nb_figure_friction(function, force, &error);
            fprintf(file, "%.9g\t%.9g\t%.9g\n", force, w, error);
        }
        fputs("\n\n", file);
    }
    return NB_OK;
}

nb_status nb_figure_write_scaling(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    (void)runs, (void)panel, (void)folder;
    for (int function = 0; function < NB_NCP_FUNCTIONS; function++)
        for (int scaled = 0; scaled < 2; scaled++) {
            for (int i = 0; i <= 400; i++) {
                double lambda = -1 + 3.0 * i / 400;
                fprintf(file, "%.9g\t%.9g\n", lambda, nb_figure_scaled(function, lambda, scaled ? 0.25 : 1));
            }
            fputs("\n\n", file);
        }
    return NB_OK;
}
