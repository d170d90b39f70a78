/* A problem in parts that have nothing to do with each other: islands, small ones together. Each has rows of its own
 * numbers, in the order that they have in the problem. */
#ifndef NB_CONSTRAINT_PARTS_H
#define NB_CONSTRAINT_PARTS_H

#include "constraint/problem.h"

#define nb_part NB_REAL_NAME(nb_part)
#define nb_parts NB_REAL_NAME(nb_parts)
#define nb_parts_create NB_REAL_NAME(nb_parts_create)
#define nb_parts_copy_values NB_REAL_NAME(nb_parts_copy_values)
#define nb_parts_destroy NB_REAL_NAME(nb_parts_destroy)

typedef struct nb_part {
    nb_delassus *delassus; /* its share of the problem's `exact` */
    int32_t *row;          /* [delassus->rows] which row of the problem each is */
    nb_law_range *ranges;  /* [range_count] in its own rows and blocks; `first` as in the problem's */
    int32_t range_count;
} nb_part;

typedef struct nb_parts {
    int32_t count;
    nb_part *part; /* [count] */
    int32_t *row;  /* the parts' arrays, one after the other */
    nb_law_range *range;
    int32_t *part_of; /* [rows of the problem] where that is a matrix; NULL: parts are views of it */
} nb_parts;

/* The parts of a problem, of `least` blocks at least but for the last: islands in their order, each in the part before
 * where that is too small. No parts (count 0) where there would be one, or where the problem cannot tell. They borrow
 * from the problem: until its pattern changes. The caller destroys them. `left_out` NULL, or [island_count] of a step:
 * islands that are 1 there are in no part. A part is then of islands that follow each other, and there may be one. */
nb_status nb_parts_create(const nb_problem *problem, int32_t least, const uint8_t *left_out, nb_parts **parts);
void nb_parts_destroy(nb_parts *parts); /* NULL allowed */

/* After the values of a problem's matrix changed (that of elements folded into the mass: problem->whole): the parts
 * take them over. Nothing to do where parts are views. */
void nb_parts_copy_values(nb_parts *parts, const nb_problem *problem);

#endif
