/* Copies a Newton system into the form of the record. */
#ifndef NB_SYSTEM_STORE_H
#define NB_SYSTEM_STORE_H

#include "ncp/problem.h"
#include "stored_system.h"
#include "system/system.h"

#define nb_system_store NB_REAL_NAME(nb_system_store)

/* The assembled system of `problem` (evaluated at the iterate it came from), in double. The caller clears *stored. */
nb_status nb_system_store(nb_system *system, const nb_problem *problem, nb_stored_system *stored);

#endif
