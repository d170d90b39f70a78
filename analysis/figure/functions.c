#include "figure/functions.h"

#include "constraint/ncp.h"

NB_PRECISIONS(f64);

void nb_figure_write_friction(FILE *file) {
    const double speed = 0.5, limit = 5;
    for (int function = 0; function < NB_NCP_FUNCTIONS; function++) {
        for (int i = 0; i <= 490; i++) { /* the limit is a row of the table */
            double force = 7.0 * i / 490;
            double w = nb_ncp_friction((nb_ncp_function)function, speed, force, limit, 1, 1);
            fprintf(file, "%.9g\t%.9g\t%.9g\n", force, w, speed - w * force);
        }
        fputs("\n\n", file);
    }
}

void nb_figure_write_scaling(FILE *file) {
    for (int function = 0; function < NB_NCP_FUNCTIONS; function++)
        for (int scaled = 0; scaled < 2; scaled++) {
            for (int i = 0; i <= 400; i++) {
                double lambda = -1 + 3.0 * i / 400, r = scaled ? 0.25 : 1;
                nb_ncp_normal_value value = nb_ncp_normal((nb_ncp_function)function, lambda / 4 - 0.125, r * lambda);
                fprintf(file, "%.9g\t%.9g\n", lambda, value.phi);
            }
            fputs("\n\n", file);
        }
}
