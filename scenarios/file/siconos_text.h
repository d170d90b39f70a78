/* Reads a frictional contact problem in Siconos's own text (its .dat files, as Siconos/Numerics 3 and 4 write them):
 * numbers between blanks, in this order.
 *
 *     local:  dimension   contacts   W     q [rows]         mu [contacts]            frictionContact_printInFile
 *     global: dimension   contacts   M H   q [velocities]   b [rows]   mu [contacts] globalFrictionContact_printInFile
 *
 * with mu_r [contacts] behind mu where there is rolling friction (rollingFrictionContact_printInFile, and its global
 * kind), which has the dimension 5, or 3 in two dimensions; and perhaps one more number, which is skipped (files of
 * Siconos 2, and some that were made by hand). The matrices are in any of Siconos's storages (siconos_matrix.h), each
 * in its own. A global problem
 *
 *     M v = H r + q,   u = H^T v + b
 *
 * is condensed. Plasticity problems of Siconos are refused: those with a model behind `contacts`; and older ones, which
 * look as local problems with rolling friction in two dimensions do, where their name says so. Else such a problem is
 * `ambiguous`. Whether a text is local or global follows from the size of its first matrix and, where there are as many
 * velocities as rows of contacts, from how much follows it.
 *
 * Entries of sparse storages have six digits, which is all that Siconos prints of them: the problem says so (`digits`).
 * Linear, mixed and relay complementarity problems are refused by their kind.
 *
 * Memory is bounded by the size of the text, whatever it claims, but for W of a global problem, which is bounded by the
 * squares of how many contacts act on each body. */
#ifndef NB_SCENARIOS_SICONOS_TEXT_H
#define NB_SCENARIOS_SICONOS_TEXT_H

#include <stdint.h>

#include "base/status.h"
#include "fclib.h"

/* `data` [size] need not end in a zero; `name` stands in messages. NB_ERROR_INPUT with one line that names the line at
 * fault. The caller destroys *problem, which is NULL on a fault. */
nb_status nb_siconos_parse(const char *data, int64_t size, const char *name, nb_fclib_problem **problem);

/* The same for a file; NB_ERROR_IO where it cannot be read. */
nb_status nb_siconos_read(const char *path, nb_fclib_problem **problem);

#endif
