/* The Newton stiffness form, eq. (64), in impulses (private to solvers/method):
 *
 *     (H + J^T S C^-1 S J) du = J^T S C^-1 b - g,    y = C^-1 (b - S J du)
 *
 * for the rows S J du + C y = b. It needs C > 0 in every row, which the regularisation gives, and loses digits where C
 * is small; it is smaller than the compliance form where contacts outnumber velocities. */
#ifndef NB_METHOD_STIFFNESS_H
#define NB_METHOD_STIFFNESS_H

#include "method.h"

#define nb_stiffness NB_REAL_NAME(nb_stiffness)
#define nb_stiffness_create NB_REAL_NAME(nb_stiffness_create)
#define nb_stiffness_destroy NB_REAL_NAME(nb_stiffness_destroy)
#define nb_stiffness_system NB_REAL_NAME(nb_stiffness_system)
#define nb_stiffness_unknowns NB_REAL_NAME(nb_stiffness_unknowns)
#define nb_stiffness_assemble NB_REAL_NAME(nb_stiffness_assemble)
#define nb_stiffness_recover NB_REAL_NAME(nb_stiffness_recover)

typedef struct nb_stiffness nb_stiffness;

/* For the bodies with mass of this problem; NB_ERROR_UNSUPPORTED where it has no velocities (problem files). */
nb_status nb_stiffness_create(nb_problem *p, nb_stiffness **stiffness);
void nb_stiffness_destroy(nb_stiffness *stiffness);

/* The system in the velocities of the bodies with mass, six rows a block; owned by *stiffness. */
nb_system *nb_stiffness_system(nb_stiffness *stiffness);
real *nb_stiffness_unknowns(nb_stiffness *stiffness);

/* Fills the system from the rows' S, C and b (in `rows`). NB_ERROR_NUMERIC where a C is not positive. */
nb_status nb_stiffness_assemble(nb_stiffness *stiffness, const nb_problem *p, const nb_system *rows);

/* du [velocities] and y [rows] from the unknowns */
void nb_stiffness_recover(const nb_stiffness *stiffness, const nb_problem *p, const nb_system *rows, real *du, real *y);

#endif
