/* Solutions with the dense rows that cavities give H (operator/low_rank_mass.h), of the sparse matrix without them:
 *
 *     (B + sum_k s_k s_k^T) x = b:     x <- x - p_k (s_k . x)/(1 + s_k . p_k),
 *                                      p_k = (B + sum of those before)^-1 s_k
 *
 * by one more solution of B a cavity (Sherman, Morrison 1950). Private to methods. */
#ifndef NB_PENALTY_CAVITIES_H
#define NB_PENALTY_CAVITIES_H

#include "operator/solve.h"
#include "penalty_matrix.h"

#define nb_penalty_cavities NB_REAL_NAME(nb_penalty_cavities)
#define nb_penalty_cavities_reserve NB_REAL_NAME(nb_penalty_cavities_reserve)
#define nb_penalty_cavities_clear NB_REAL_NAME(nb_penalty_cavities_clear)
#define nb_penalty_cavities_correct NB_REAL_NAME(nb_penalty_cavities_correct)

typedef struct nb_penalty_cavities {
    int32_t rank;
    real *s, *p; /* [rank][rows] of the system */
    real *b;     /* [rows] the system's right-hand side meanwhile */
    int64_t capacity[3];
} nb_penalty_cavities; /* starts as all zeros */

/* Room for the dense rows of the problem's H, and a system of so many rows. */
nb_status nb_penalty_cavities_reserve(nb_penalty_cavities *cavities, const nb_problem *problem, int32_t rows);
void nb_penalty_cavities_clear(nb_penalty_cavities *cavities);

/* matrix->x, the solution of B, becomes that with the dense rows of the problem's H. *solved, which is of that
 * solution, takes the work of the others in. Where one of them fails its reason is the last one's. */
nb_status nb_penalty_cavities_correct(nb_penalty_cavities *cavities, const nb_problem *problem,
                                      nb_penalty_matrix *matrix, nb_solve *solve, const nb_linear_stop *stop,
                                      nb_solve_report *solved);

#endif
