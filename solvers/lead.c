#include "method/stepper.h"

NB_PRECISIONS(f64);

nb_method_settings nb_lead_settings(const nb_method_settings *settings) {
    static const double none[1];
    return (nb_method_settings){
        .ncp = NB_NCP_FISCHER_BURMEISTER,
        .scaling = NB_SCALING_EFFECTIVE_MASS_CAPPED,
        .frozen_geometry = settings->frozen_geometry,
        .linear_iterations = 200,
        .damping = 0.75,
        .regularization = 1e-6,
        .alpha_minimum = 1e-3,
        .linear_solver = "pcr",
        .preconditioner = "jacobi",
        .linear_solver_values = none,
        .preconditioner_values = none,
    };
}
