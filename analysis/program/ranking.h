/* `compare --rank`: the solvers of one or two records, best first (private to program/). */
#ifndef NB_PROGRAM_RANKING_H
#define NB_PROGRAM_RANKING_H

#include "comparing.h"

/* a value of the setting --by */
typedef struct nb_ranking_value {
    char text[NB_NAME_LENGTH];
} nb_ranking_value;

/* Ranks the solvers of c->compared[0], which has the runs of all records, and prints the table: one, or of the runs of
 * each of these values of the setting c->by one of its own. *above, from 0: solvers that
 * take more than c->fail_above times the baseline, or solve fewer problems; each has a line on standard error. */
nb_status nb_ranking_print(const nb_comparing *c, int64_t values, const nb_ranking_value *value, int *above);

#endif
