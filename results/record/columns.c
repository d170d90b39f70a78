#include "record/columns.h"

#include <stdio.h>
#include <string.h>

#include "reason.h"

/* the reasons: 'none' is 0, and so on */
static void legend(char *text, size_t size) {
    *text = 0;
    for (int i = 0; i < NB_REASON_COUNT; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%d=%s", i ? " " : "", i, nb_reason_name((nb_reason)i));
    }
}

const nb_column nb_step_columns[NB_STEP_COLUMNS] = {
    [NB_STEP_TIME] = {"time", "s", "time at the end of the step"},
    [NB_STEP_CONTACTS] = {"contacts", "1", "contacts"},
    [NB_STEP_ROWS] = {"rows", "1", "constraint rows"},
    [NB_STEP_LARGEST_ISLAND] = {"largest_island", "1", "contacts in the largest island"},
    [NB_STEP_ISLANDS] = {"islands", "1", "islands that have constraints"},
    [NB_STEP_NEWTON_ITERATIONS] = {"newton_iterations", "1", "Newton iterations done"},
    [NB_STEP_REASON] = {"reason", "1", "why the Newton iteration ended (see the attribute legend)", legend},
    [NB_STEP_NATURAL_MAP_ERROR] = {"natural_map_error", "m/s", "natural-map error of the step's solution"},
    [NB_STEP_MAX_PENETRATION] = {"max_penetration", "m", "deepest penetration at the end of the step"},
    [NB_STEP_KINETIC_ENERGY] = {"kinetic_energy", "J", "kinetic energy at the end of the step"},
    [NB_STEP_POTENTIAL_ENERGY] = {"potential_energy", "J", "potential energy at the end of the step"},
    [NB_STEP_DETECT_S] = {"detect_s", "s", "time of collision detection"},
    [NB_STEP_ASSEMBLY_S] = {"assembly_s", "s", "time of assembly and updates"},
    [NB_STEP_SETUP_S] = {"setup_s", "s", "time of linear solvers' set-up"},
    [NB_STEP_SOLVE_S] = {"solve_s", "s", "time of linear solves"},
    [NB_STEP_STEP_S] = {"step_s", "s", "time of the step, measures and recording left out"},
    [NB_STEP_NATURAL_MAP_FCLIB] = {"natural_map_fclib", "1", "natural map of a problem file over 1 + sqrt(norm of q)"},
    [NB_STEP_NATURAL_MAP_RELATIVE] = {"natural_map_relative", "1", "natural map of a problem file over the norm of q"},
    [NB_STEP_NATURAL_MAP_SICONOS] = {"natural_map_siconos", "1",
                                     "natural map of a problem file over the largest norm of q, r, u"},
    [NB_STEP_OPERATOR_APPLICATIONS] = {"operator_applications", "1", "products with A in the step's linear solves"},
    [NB_STEP_PRECONDITIONER_APPLICATIONS] = {"preconditioner_applications", "1",
                                             "calls of the preconditioner in the step's linear solves"},
    [NB_STEP_LIMIT_NORM_A] = {"limit_norm_a", "1", "largest row sum of A diag(A)^-1 in the last Newton system"},
    [NB_STEP_LIMIT_NORM_A_INVERSE] = {"limit_norm_a_inverse", "1", "largest row sum of its inverse"},
};

const nb_column nb_newton_columns[NB_NEWTON_COLUMNS] = {
    [NB_NEWTON_RESIDUAL_LINF] = {"residual_linf", "m/s", "largest entry of the Newton system's right-hand side"},
    [NB_NEWTON_RESIDUAL_L2] = {"residual_l2", "m/s", "2-norm of the Newton system's right-hand side"},
    [NB_NEWTON_CONSTRAINT_ERROR] = {"constraint_error", "m/s", "largest joint error or penetration, over h"},
    [NB_NEWTON_COMPLEMENTARITY_ERROR] = {"complementarity_error", "m/s", "largest normal complementarity error e_n"},
    [NB_NEWTON_FRICTION_ERROR] = {"friction_error", "m/s", "largest friction error e_f"},
    [NB_NEWTON_BILATERAL_ERROR] = {"bilateral_error", "m/s", "largest joint error over h"},
    [NB_NEWTON_MOMENTUM_ERROR] = {"momentum_error", "m/s", "largest entry of M^-1 g"},
    [NB_NEWTON_NATURAL_MAP_ERROR] = {"natural_map_error", "m/s", "largest of normal, friction, joint, momentum errors"},
    [NB_NEWTON_STEP_LINF] = {"step_linf", "m/s",
                             "largest change of an impulse applied, times its effective inverse mass w"},
    [NB_NEWTON_LIMIT_RESIDUAL] = {"limit_residual", "m/s", "Tisseur's bound on the residual, eq. (92)"},
    [NB_NEWTON_LIMIT_STEP] = {"limit_step", "m/s", "Tisseur's bound on the step, eq. (91)"},
    [NB_NEWTON_LINEAR_ITERATIONS] = {"linear_iterations", "1", "linear iterations done"},
    [NB_NEWTON_OPERATOR_APPLICATIONS] = {"operator_applications", "1", "products with A in the linear solve"},
    [NB_NEWTON_PRECONDITIONER_APPLICATIONS] = {"preconditioner_applications", "1",
                                               "calls of the preconditioner in the linear solve"},
    [NB_NEWTON_LINEAR_RESIDUAL] = {"linear_residual", "1", "true relative residual at the end of the linear solve"},
    [NB_NEWTON_LINEAR_REASON] = {"linear_reason", "1", "why the linear solve ended (see the attribute legend)", legend},
    [NB_NEWTON_ASSEMBLY_S] = {"assembly_s", "s", "time of assembly and update"},
    [NB_NEWTON_SETUP_S] = {"setup_s", "s", "time of the linear solver's set-up"},
    [NB_NEWTON_SOLVE_S] = {"solve_s", "s", "time of the linear solve"},
    [NB_NEWTON_FACTOR_NONZEROS] = {"factor_nonzeros", "1", "nonzeros of a direct solver's factor"},
    [NB_NEWTON_COLOURS] = {"colours", "1", "colours of the order in which a linear solver or preconditioner sweeps"},
    [NB_NEWTON_FINISH] = {"finish", "1", "1 in iterations of the exact finish"},
    [NB_NEWTON_PHASE] = {"phase", "1",
                         "1: interior point, 2: semismooth Newton, 3: proximal point, 4: search for a certificate, 5: "
                         "a plugin's; NaN for other "
                         "methods, as the next five"},
    [NB_NEWTON_STEP_LENGTH] = {"step_length", "1", "length of the step taken"},
    [NB_NEWTON_CENTRING] = {"centring", "1", "sigma of an interior-point iteration"},
    [NB_NEWTON_THETA] = {"theta", "1", "share of the De Saxce term in the matrix of an interior-point iteration"},
    [NB_NEWTON_TAU] = {"tau", "1", "x.y a contact before an interior-point iteration, scaled variables"},
    [NB_NEWTON_FACTORISATIONS] = {"factorisations", "1", "matrices factorised"},
    [NB_NEWTON_NATURAL_MAP_RELATIVE] = {"natural_map_relative", "1",
                                        "natural map of a problem file over the norm of q"},
    [NB_NEWTON_VELOCITY_ERROR] = {"velocity_error", "m/s", "true error of the velocities, against the reference"},
    [NB_NEWTON_FORCE_ERROR] = {"force_error", "m/s",
                               "true error of the forces, as velocities that they make, against the reference"},
};

const nb_column nb_linear_columns[NB_LINEAR_COLUMNS] = {
    [NB_LINEAR_RESIDUAL_L2] = {"residual_l2", "m/s", "2-norm of the true residual b - A x"},
    [NB_LINEAR_PRECONDITIONED_RESIDUAL] = {"preconditioned_residual", "sqrt(J)",
                                           "true residual in the norm of the preconditioner, sqrt(r . P r)"},
};
