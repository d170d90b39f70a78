/* Copies a Newton system into the form of the record, and the problem of a step into that of other programs. */
#ifndef NB_SYSTEM_STORE_H
#define NB_SYSTEM_STORE_H

#include "constraint/problem.h"
#include "contact_problem.h"
#include "operator/system.h"
#include "stored_system.h"

#define nb_system_store NB_REAL_NAME(nb_system_store)
#define nb_problem_store NB_REAL_NAME(nb_problem_store)

/* The assembled system of `problem` (evaluated at the iterate it came from), in double. The caller clears *stored. */
nb_status nb_system_store(nb_system *system, const nb_problem *problem, nb_stored_system *stored);

/* The contact problem of a step that was just begun (u = 0 but for bodies that are moved, z = 0); `problem` is
 * evaluated there. The caller clears *stored. */
nb_status nb_problem_store(nb_problem *problem, nb_contact_problem *stored);

#endif
