/* Finding things in the tables by name. An unknown name is NB_ERROR_USAGE with the nearest known one in the message. */
#ifndef NB_REGISTRY_H
#define NB_REGISTRY_H

#include "linear_solver.h"
#include "method.h"
#include "preconditioner.h"

#define nb_linear_solver_find NB_REAL_NAME(nb_linear_solver_find)
#define nb_preconditioner_find NB_REAL_NAME(nb_preconditioner_find)
#define nb_method_find NB_REAL_NAME(nb_method_find)

nb_status nb_linear_solver_find(const char *name, const nb_linear_solver_class **solver);
nb_status nb_preconditioner_find(const char *name, const nb_preconditioner_class **preconditioner);
nb_status nb_method_find(const char *name, const nb_method_class **method);

#endif
