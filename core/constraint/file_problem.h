/* The NCP of a problem file, for the methods: no bodies, only W, q and mu (file_data.h).
 *
 * The velocities are those of the rows themselves, so that J = 1, H^-1 = W and u~ = q; `momentum` is H^-1 g = u - q - W
 * z. A method that starts at u = q, z = 0 (the iterate of a new problem) and takes symmetric steps keeps it at zero;
 * the paper's literal row scaling weighs the forces in it as in any other problem. h = 1.
 *
 * Rows: bilaterals first, then three a contact in the file's order, or five where there is rolling friction. A 2D
 * problem is given a second tangent row (and one of rolling) that is coupled with nothing: zero velocity at zero
 * impulse, the first one's diagonal; z stays exactly zero there.
 *
 * Values come from W as it stands. The Delassus operator, which the linear solvers factorise, is the symmetric part
 * (W + W^T)/2: the same where W is symmetric, as it should be; `exact` is W itself. The pattern is by whole blocks, so
 * that the three rows of a contact have the same columns. */
#ifndef NB_NCP_FILE_PROBLEM_H
#define NB_NCP_FILE_PROBLEM_H

#include "constraint/problem.h"
#include "file_data.h"

#define nb_file_problem_create NB_REAL_NAME(nb_file_problem_create)
#define nb_file_problem_destroy NB_REAL_NAME(nb_file_problem_destroy)

/* A problem of its own (the data may go away), with the iterate z = 0, u = q. NB_ERROR_INPUT where W has a negative
 * diagonal entry or an entry has no value in this precision. The caller destroys it. */
nb_status nb_file_problem_create(const nb_file_data *data, nb_problem **problem);
void nb_file_problem_destroy(nb_problem *problem); /* NULL allowed */

#endif
