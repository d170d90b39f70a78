/* Operations of this processor on vectors by rows (vector_operations.h). */
#ifndef NB_PRECOND_ROW_OPERATIONS_H
#define NB_PRECOND_ROW_OPERATIONS_H

#include "operator/system.h"
#include "vector_operations.h"

#define nb_row_operations NB_REAL_NAME(nb_row_operations)

/* products with A of the system, whose count they raise, and vectors [rows] to work in; both are borrowed */
nb_vector_operations nb_row_operations(nb_system *system, void *const *vector);

#endif
