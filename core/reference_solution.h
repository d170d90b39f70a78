/* The converged solution of a time step, which iterates are held against (core/errors.md, "The true error"). */
#ifndef NB_REFERENCE_SOLUTION_H
#define NB_REFERENCE_SOLUTION_H

#include <stdint.h>

#include "base/status.h"
#include "model/mass.h"
#include "scenario.h"
#include "snapshot.h"

enum {
    NB_SOLVER_LENGTH = 64
};

/* Natural-map error below which an iterate is taken for a solution [m/s]. Round-off leaves 1e-14 to 1e-12 (and 1e-9
 * where contacts are many and redundant); an iteration that got stuck ends at 1e-6 and above. */
#define NB_REFERENCE_REACHED 1e-8

/* Least distance of the velocities of two solutions that are taken for different ones [m/s], unless the square root of
 * the larger natural map is more: an iterate near a degenerate solution may be off by that much. */
#define NB_REFERENCE_APART 1e-6

/* how far one of the two methods came that were asked for the solution */
typedef struct nb_reference_solution_try {
    char method[NB_SOLVER_LENGTH], linear_solver[NB_SOLVER_LENGTH], preconditioner[NB_SOLVER_LENGTH];
    int32_t newton_iterations;
    double natural_map_error; /* the harness's [m/s]; infinite where it found nothing */
} nb_reference_solution_try;

typedef struct nb_reference_solution {
    int32_t step;         /* recorded step that it solves, from 0 */
    double tolerance;     /* natural-map error that both methods were to reach [m/s] */
    double seconds;       /* spent on it */
    nb_snapshot solution; /* of the method `used`; solution.q is NULL where there is none: no reference */
    double *u_of_forces;  /* [bodies, 6] u~ + M^-1 J^T z*: the velocities that its forces make */
    nb_masses masses;     /* at the start of the step */
    nb_reference_solution_try used, other;
    /* the other method's solution against it, as in nb_errors [m/s]; small unless the step has several solutions */
    double velocity_difference, force_difference;
    nb_snapshot second; /* the other solution, where the two are apart (nb_reference_solution_apart); else none */
} nb_reference_solution;

extern const nb_members nb_reference_solution_members;

void nb_reference_solution_clear(nb_reference_solution *reference);

/* Whether solutions of these natural maps, so far apart (all [m/s]), are two of one step: each is at most
 * NB_REFERENCE_REACHED, and the distance is more than NB_REFERENCE_APART says. */
int nb_reference_solutions_differ(double natural_map, double other, double distance);

/* The distance of the two solutions of a step that has several [m/s], each in the arrays; 0 where one alone is known.
 * Errors against one of several solutions mean nothing: there are none then (nb_errors), but the distance from each. */
double nb_reference_solution_apart(const nb_reference_solution *reference);

/* What the solution itself may be off by [m/s]: its natural map or, where the other method came to a solution too, the
 * distance to that one's, if it is larger. */
double nb_reference_solution_error(const nb_reference_solution *reference);

/* Adds what holds for the solution, each name with "reference: " before it: the natural map that was come to, at most
 * NB_REFERENCE_REACHED, and, where there is a solution, the invariants of nb_checks_general. `initial` as there. */
void nb_reference_solution_check(const nb_reference_solution *reference, double came_to, const nb_world *initial,
                                 nb_checks *checks);

#endif
