/* The columns that the harness's own methods have in common, and each of them first: of an iteration's system and of
 * its linear solves (private to solvers). */
#ifndef NB_STEP_COLUMNS_H
#define NB_STEP_COLUMNS_H

#include "method.h"
#include "operator/solve.h"

enum {
    NB_COLUMN_RESIDUAL_LINF, /* of the system's right-hand side; also of the state after the last iteration */
    NB_COLUMN_RESIDUAL_L2,
    NB_COLUMN_STEP_LINF, /* largest w |dz| applied [m/s] */
    NB_COLUMN_LINEAR_ITERATIONS,
    NB_COLUMN_OPERATOR_APPLICATIONS, /* an island's count by its share of the rows */
    NB_COLUMN_PRECONDITIONER_APPLICATIONS,
    NB_COLUMN_LINEAR_RESIDUAL, /* true ||b - A x|| / ||b|| */
    NB_COLUMN_LINEAR_REASON,
    NB_COLUMN_FACTOR_NONZEROS,
    NB_COLUMN_COLOURS,  /* of the linear solver's or preconditioner's sweeps; 0: natural order or none */
    NB_COLUMN_RECYCLED, /* vectors of earlier systems that solves deflated by, at most; -1: dropped */
    NB_COLUMN_UNKNOWNS, /* this and those after it: of the system, and what its preconditioner or factors take */
    NB_COLUMN_SYSTEM_NONZEROS,
    NB_COLUMN_PRODUCT_FLOPS,
    NB_COLUMN_PRECONDITIONER_NONZEROS,
    NB_COLUMN_SETUP_FLOPS,
    NB_COLUMN_APPLY_FLOPS,
    NB_COLUMN_APPLY_BYTES,
    NB_COLUMN_ASSEMBLY_FLOPS,
    NB_COLUMN_OWN /* the first of a method's own */
};

/* what stands at the beginning of a method's table */
#define NB_COLUMNS_OF_SOLVES                                                                                         \
    [NB_COLUMN_RESIDUAL_LINF] = {"residual_linf", "m/s", "largest entry of the Newton system's right-hand side"},    \
    [NB_COLUMN_RESIDUAL_L2] = {"residual_l2", "m/s", "2-norm of the Newton system's right-hand side"},               \
    [NB_COLUMN_STEP_LINF] = {"step_linf", "m/s",                                                                     \
                             "largest change of an impulse applied, times its effective inverse mass w"},            \
    [NB_COLUMN_LINEAR_ITERATIONS] = {"linear_iterations", "1", "linear iterations done"},                            \
    [NB_COLUMN_OPERATOR_APPLICATIONS] = {"operator_applications", "1", "operator applications in the linear solve"}, \
    [NB_COLUMN_PRECONDITIONER_APPLICATIONS] = {"preconditioner_applications", "1",                                   \
                                               "calls of the preconditioner in the linear solve"},                   \
    [NB_COLUMN_LINEAR_RESIDUAL] = {"linear_residual", "1", "true relative residual at the end of the linear solve"}, \
    [NB_COLUMN_LINEAR_REASON] = {"linear_reason", "1", "why the linear solve ended (see the attribute legend)",      \
                                 NB_REASON_LEGEND},                                                                  \
    [NB_COLUMN_FACTOR_NONZEROS] = {"factor_nonzeros", "1", "nonzeros of a direct solver's factor"},                  \
    [NB_COLUMN_COLOURS] = {"colours", "1", "colors of the order in which a linear solver or preconditioner sweeps"}, \
    [NB_COLUMN_RECYCLED] = {"recycled", "1",                                                                         \
                            "vectors of earlier systems that the solve deflated by; -1: of another size, dropped"},  \
    [NB_COLUMN_UNKNOWNS] = {"unknowns", "1", "unknowns of the linear system"},                                       \
    [NB_COLUMN_SYSTEM_NONZEROS] = {"system_nonzeros", "1", "numbers read by an operator application"},               \
    [NB_COLUMN_PRODUCT_FLOPS] = {"product_flops", "1", "operations of an operator application"},                     \
    [NB_COLUMN_PRECONDITIONER_NONZEROS] =                                                                            \
        {"preconditioner_nonzeros", "1",                                                                             \
         "numbers that the preconditioner, or a direct solver's factor, is stored in"},                              \
    [NB_COLUMN_SETUP_FLOPS] = {"setup_flops", "1", "operations of the set-up of preconditioner or direct solver"},   \
    [NB_COLUMN_APPLY_FLOPS] = {"apply_flops", "1",                                                                   \
                               "operations of one application of the preconditioner, or of a direct solve"},         \
    [NB_COLUMN_APPLY_BYTES] = {"apply_bytes", "B", "memory that one application reads and writes at least"},         \
    [NB_COLUMN_ASSEMBLY_FLOPS] = {"assembly_flops", "1", "operations of making A's entries"}

/* those of interior-point, behind them */
enum {
    NB_COLUMN_PHASE = NB_COLUMN_OWN,
    NB_COLUMN_STEP_LENGTH,
    NB_COLUMN_CENTRING,
    NB_COLUMN_THETA,
    NB_COLUMN_TAU,
    NB_COLUMN_FACTORISATIONS,
    NB_COLUMN_BEHIND_INTERIOR
};

#define NB_COLUMNS_OF_INTERIOR_POINT                                                                               \
    [NB_COLUMN_PHASE] = {"phase", "1", "kind of iteration (see the attribute legend)",                             \
                         "1=interior-point 2=semismooth-newton 3=proximal-point 4=certificate 5=island-loop"},     \
    [NB_COLUMN_STEP_LENGTH] = {"step_length", "1", "length of the step taken"},                                    \
    [NB_COLUMN_CENTRING] = {"centring", "1", "sigma of an interior-point iteration"},                              \
    [NB_COLUMN_THETA] = {"theta", "1", "share of the De Saxce term in the matrix of an interior-point iteration"}, \
    [NB_COLUMN_TAU] = {"tau", "1", "x.y a contact before an interior-point iteration, scaled variables"},          \
    [NB_COLUMN_FACTORISATIONS] = {"factorisations", "1", "matrices factorized"}

/* An iteration begins in which nothing was solved yet. */
static inline void nb_columns_begin_solves(nb_newton_report *report) {
    for (int i = NB_COLUMN_STEP_LINF; i < NB_COLUMN_OWN; i++) report->values[i] = 0;
    report->solved = 1;
}

/* What a linear solve worked with: with the same system as the iteration's last one, or (`part`) with another part of
 * the iteration's whole, whose sizes add up. Set-ups add up in any case. */
static inline void nb_columns_add_work(const nb_solve_report *solved, int part, nb_newton_report *report) {
    const double sizes[] = {solved->size.unknowns,    solved->size.nonzeros,    solved->size.product_flops,
                            solved->work.nonzeros,    solved->work.setup_flops, solved->work.apply_flops,
                            solved->work.apply_bytes, solved->assembly_flops};
    for (int i = NB_COLUMN_UNKNOWNS; i < NB_COLUMN_OWN; i++)
        report->values[i] =
            sizes[i - NB_COLUMN_UNKNOWNS] +
            (part || i == NB_COLUMN_SETUP_FLOPS || i == NB_COLUMN_ASSEMBLY_FLOPS ? report->values[i] : 0);
}

/* Adds what a linear solve took; `share` of its products count; `part` as above. */
static inline void nb_columns_add_solve(const nb_solve_report *solved, double share, int part,
                                        nb_newton_report *report) {
    double *v = report->values;
    report->setup_s += solved->setup_s;
    report->solve_s += solved->solve_s;
    v[NB_COLUMN_OPERATOR_APPLICATIONS] += share * (double)solved->products;
    v[NB_COLUMN_PRECONDITIONER_APPLICATIONS] += share * (double)solved->preconditionings;
    if (v[NB_COLUMN_COLOURS] < solved->colours) v[NB_COLUMN_COLOURS] = solved->colours;
    if (v[NB_COLUMN_RECYCLED] <= 0) v[NB_COLUMN_RECYCLED] = solved->recycled;
    nb_columns_add_work(solved, part, report);
}

/* An iteration ends: adds it, its times and its products to the step's. */
static inline void nb_columns_end_iteration(const nb_newton_report *report, nb_step_outcome *outcome) {
    outcome->newton_iterations++;
    outcome->assembly_s += report->assembly_s;
    outcome->setup_s += report->setup_s;
    outcome->solve_s += report->solve_s;
    outcome->operator_applications += report->values[NB_COLUMN_OPERATOR_APPLICATIONS];
    outcome->preconditioner_applications += report->values[NB_COLUMN_PRECONDITIONER_APPLICATIONS];
}

#endif
