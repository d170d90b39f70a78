/* The iterations of a problem's parts, which are solved one after another, told as if they were solved side by side
 * (private to solvers/method/interior_point): a merged iteration is one iteration of every part that is not solved yet.
 *
 * Its times and counts are sums (an iteration's count of linear iterations, its step and its residual the
 * largest), what only one can say (the phase, tau, the length of the step, ..) is of the part whose residual is the
 * largest. Its errors are the harness's, of all parts' iterates at its beginning. */
#ifndef NB_INTERIOR_POINT_ISLAND_ITERATIONS_H
#define NB_INTERIOR_POINT_ISLAND_ITERATIONS_H

#include "scaled_problem.h"

#define nb_trace NB_REAL_NAME(nb_trace)
#define nb_trace_listen NB_REAL_NAME(nb_trace_listen)
#define nb_trace_restart NB_REAL_NAME(nb_trace_restart)
#define nb_trace_clear NB_REAL_NAME(nb_trace_clear)
#define nb_island_iterations_report NB_REAL_NAME(nb_island_iterations_report)

/* what is kept of a part's iterations */
typedef struct nb_trace {
    const nb_scaled_problem *problem; /* the part */
    int32_t count;                    /* iterations */
    nb_newton_report *reports;        /* [count] */
    real *z;                          /* [count][rows of the part] the impulses that each began at */
    int64_t report_capacity, z_capacity;
} nb_trace;

/* An observer that keeps the iterations of this part; the trace is {0} or was cleared, and stays where it is. */
nb_observer nb_trace_listen(nb_trace *trace, const nb_scaled_problem *part);
void nb_trace_restart(nb_trace *trace); /* forgets them */
void nb_trace_clear(nb_trace *trace);

/* Tells the whole's observer the merged iterations of its parts. The problem is left with the impulses that the parts
 * ended with (nb_scaled_problem_conclude), and their velocities; the whole's times do not count this. */
nb_status nb_island_iterations_report(nb_scaled_problem *whole, const nb_trace *const *traces, int32_t count);

#endif
