/* `compare --rank`: the solvers of one or two records, best first (private to program/). */
#ifndef NB_PROGRAM_RANKING_H
#define NB_PROGRAM_RANKING_H

#include "comparing.h"

/* Ranks the solvers of c->compared[0], which has the runs of all records, and prints the table. *above: solvers that
 * take more than c->fail_above times the baseline, or solve fewer problems; each has a line on standard error. */
nb_status nb_ranking_print(const nb_comparing *c, int *above);

#endif
