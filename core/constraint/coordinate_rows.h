/* The rows of a world's free joint coordinates (model/coordinate.h) as rows of a step: limits, dry friction, rotors,
 * motors of limited effort and couplings, one row each, of the law of box.h. */
#ifndef NB_CONSTRAINT_COORDINATE_ROWS_H
#define NB_CONSTRAINT_COORDINATE_ROWS_H

#include "constraint/added_rows.h"
#include "model/coordinate.h"

#define nb_coordinate_row_set NB_REAL_NAME(nb_coordinate_row_set)
#define nb_coordinate_row_set_create NB_REAL_NAME(nb_coordinate_row_set_create)
#define nb_coordinate_row_set_destroy NB_REAL_NAME(nb_coordinate_row_set_destroy)
#define nb_coordinate_row_set_begin NB_REAL_NAME(nb_coordinate_row_set_begin)
#define nb_coordinate_row_set_item NB_REAL_NAME(nb_coordinate_row_set_item)
#define nb_coordinate_row_set_row NB_REAL_NAME(nb_coordinate_row_set_row)

typedef struct nb_coordinate_row_set nb_coordinate_row_set;

/* Over these nodes, which stay where they are. */
nb_status nb_coordinate_row_set_create(const nb_nodes *nodes, nb_coordinate_row_set **set);
void nb_coordinate_row_set_destroy(nb_coordinate_row_set *set); /* NULL allowed */

/* Takes the world's rows, with as many as it now has; a step of length h [s] begins with them. */
nb_status nb_coordinate_row_set_begin(nb_coordinate_row_set *set, const nb_world *world, double h);

/* To be added to a step. */
nb_step_rows *nb_coordinate_row_set_item(nb_coordinate_row_set *set);

/* what row i is of */
const nb_coordinate_row *nb_coordinate_row_set_row(const nb_coordinate_row_set *set, int32_t i);

#endif
