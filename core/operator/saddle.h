/* The saddle form of a Newton system: velocities and rows at once,
 *
 *     [ H    -J^T S ] [du]   [-g]
 *     [ S J   C + K ] [y ] = [ b]
 *
 * in one sparse matrix, which is not symmetric, but would be with the rows of y times -1 (nb_system.mirrored); its
 * symmetric part is that of H and C + K, so that it is regular
 * wherever C + K is positive definite. Nothing is eliminated: rows may have no compliance, and H may couple nodes. For
 * solvers that take unsymmetric systems, and MINRES with the preconditioner `schur`. */
#ifndef NB_OPERATOR_SADDLE_H
#define NB_OPERATOR_SADDLE_H

#include "operator/form.h"

#define nb_saddle_form NB_REAL_NAME(nb_saddle_form)

/* Unknowns: the velocities of all nodes with mass, in their order, a block each; then y. */
extern const nb_form_class nb_saddle_form;

#endif
