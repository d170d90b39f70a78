/* Reads a local frictional contact problem in Siconos's own text (its .dat files, as frictionContact_printInFile of
 * Siconos/Numerics 3 and 4 writes them): numbers between blanks, in this order.
 *
 *     dimension   contacts
 *     storage (0 dense, 1 sparse blocks)   rows   columns                     of W
 *     dense:          rows   columns   the entries, column by column
 *     sparse blocks:  blocks   block rows   block columns
 *                     the end of each block row, in rows of W, and of each block column
 *                     f + 1   blocks   the first block of each of f block rows, and the end;   the block column of each
 *                     for each block: its number from 0, its entries, column by column
 *     q [rows]   mu [contacts]
 *
 * (and one more number in files of Siconos 2). The compressed storage (2) is refused: Siconos prints it to six digits.
 * Memory is bounded by the size of the text, whatever it claims. */
#ifndef NB_SCENARIOS_SICONOS_TEXT_H
#define NB_SCENARIOS_SICONOS_TEXT_H

#include <stdint.h>

#include "base/status.h"
#include "fclib.h"

/* `data` [size] need not end in a zero; `name` stands in messages. NB_ERROR_INPUT with one line that names the line at
 * fault, NB_ERROR_UNSUPPORTED for rolling friction and compressed storage. The caller destroys *problem, which is NULL
 * on a fault. */
nb_status nb_siconos_parse(const char *data, int64_t size, const char *name, nb_fclib_problem **problem);

/* The same for a file; NB_ERROR_IO where it cannot be read. */
nb_status nb_siconos_read(const char *path, nb_fclib_problem **problem);

#endif
