#include "stepper.h"

NB_PRECISIONS(f64);

nb_method_settings nb_lead_settings(void) {
    static const double none[1];
    return (nb_method_settings){
        .linear = {.iterations = 200},
        .linear_solver = "pcr",
        .preconditioner = "jacobi",
        .linear_solver_values = none,
        .preconditioner_values = none,
    };
}
