/* The elements of a world as rows of a step: tetrahedra with six rows each and with three, and springs.
 *
 * Frames and values follow the iterate: F(u) = F + h dF(u) from the start of the step on, so that in f32 no digits are
 * lost to world coordinates. Rest shapes and materials are the world's. */
#ifndef NB_ELEMENT_ELEMENT_ROWS_H
#define NB_ELEMENT_ELEMENT_ROWS_H

#include "constraint/added_rows.h"
#include "model/world.h"

#define nb_element_rows NB_REAL_NAME(nb_element_rows)
#define nb_element_rows_create NB_REAL_NAME(nb_element_rows_create)
#define nb_element_rows_destroy NB_REAL_NAME(nb_element_rows_destroy)
#define nb_element_rows_begin NB_REAL_NAME(nb_element_rows_begin)
#define nb_element_rows_item NB_REAL_NAME(nb_element_rows_item)

enum {
    NB_ELEMENT_ROWS = 3 /* packs of elements */
};

typedef struct nb_element_rows nb_element_rows;

/* Over these nodes, which stay where they are. */
nb_status nb_element_rows_create(const nb_nodes *nodes, nb_element_rows **rows);
void nb_element_rows_destroy(nb_element_rows *rows);

/* Takes the world's elements, with as many rows as it now has; a step of length h [s] begins with them. */
nb_status nb_element_rows_begin(nb_element_rows *rows, const nb_world *world, double h);

/* The i-th pack with its law, as rows to be added to a step; without blocks where the world has none. */
nb_step_rows *nb_element_rows_item(nb_element_rows *rows, int i);

#endif
