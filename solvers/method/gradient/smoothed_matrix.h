/* The matrix over the velocities of bodies that smoothed steps (smoothed_step.h) are reduced to: its pattern, values
 * and LU factors (private to solvers/method/gradient).
 *
 * A step mostly couples the bodies that the step before did, so a method keeps the matrix for the next one, and all
 * steps of one pattern share it, on one thread: values and factors are those of the step that was factorised last. */
#ifndef NB_GRADIENT_SMOOTHED_MATRIX_H
#define NB_GRADIENT_SMOOTHED_MATRIX_H

#include "base/arena.h"
#include "constraint/problem.h"
#include "linear/lu.h"
#include "operator/node_pairs.h"

#define nb_smoothed_matrix NB_REAL_NAME(nb_smoothed_matrix)
#define nb_smoothed_matrix_hold NB_REAL_NAME(nb_smoothed_matrix_hold)
#define nb_smoothed_matrix_release NB_REAL_NAME(nb_smoothed_matrix_release)
#define nb_smoothed_matrix_add NB_REAL_NAME(nb_smoothed_matrix_add)

typedef struct nb_smoothed_matrix {
    nb_node_pairs pairs; /* of all bodies with mass, and of those that a block is between */
    int32_t velocities;  /* its rows */
    nb_lu_matrix lu;
    void *library;     /* state of the factorisation */
    const void *owner; /* the step that the factors are of; NULL: of none */
    nb_arena spare;    /* memory of a step that is gone, for the next one */
    /* private */
    int32_t holders;
    int32_t *known; /* [known_count] what it was made for */
    int64_t known_count;
} nb_smoothed_matrix;

/* The matrix for the bodies and blocks of a problem, which the caller then holds: *kept where that fits, else a new one
 * that takes its place. *kept is NULL or held by whoever keeps it, as the one that comes back there. */
nb_status nb_smoothed_matrix_hold(nb_smoothed_matrix **kept, const nb_problem *problem, nb_smoothed_matrix **matrix);

/* One holder less; without any it is gone. NULL allowed. */
void nb_smoothed_matrix_release(nb_smoothed_matrix *matrix);

/* A 12 x 12 block, its rows over the velocities of two slots, its columns over those of others, into the matrix; a slot
 * of -1 does not move. */
void nb_smoothed_matrix_add(nb_smoothed_matrix *matrix, const int32_t rows[2], const int32_t columns[2],
                            const double block[144]);

#endif
