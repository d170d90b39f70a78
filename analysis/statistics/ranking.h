/* A ranking of solvers over problems, with bootstrap intervals. */
#ifndef NB_ANALYSIS_RANKING_H
#define NB_ANALYSIS_RANKING_H

#include "statistics/solver_costs.h"
#include "table/statistics.h"

enum {
    NB_RANKING_LEVELS = 4,
    NB_RANKING_LEAST = 5,    /* problems that an interval needs at least */
    NB_RANKING_PENALTY = 10, /* a failure costs this many times the most that a solver took for the problem */
};
extern const double
    nb_ranking_levels[NB_RANKING_LEVELS]; /* natural-map errors [m/s], of problem files over ||q||: 1e-2 to 1e-8 */
extern const double nb_ranking_shift[2];  /* of the geometric means: 1e-4 s, and 10 of work */

typedef struct nb_ranked {
    int64_t solver;                  /* of the matrix */
    int64_t tried, solved;           /* problems */
    double share[NB_RANKING_LEVELS]; /* of the tried problems whose error is at most the level */
    nb_interval cost;                /* shifted geometric mean over the common problems, of what ranks; NaN: none */
    nb_interval seconds;             /* the same, where times rank, else NaN */
    nb_interval ratio;               /* of these means, over the baseline's; the draws are of the same problems */
    double work;                     /* shifted geometric mean */
    int group;                       /* from 0; -1: there are no intervals */
} nb_ranked;

/* Best first by the mean time, or with costs->by_work the mean work, over the common problems: all solvers tried them,
 * and one at least solved them; *common is their number. A failure costs NB_RANKING_PENALTY times the most that any
 * solver took for the problem. `baseline` is a solver, or -1 for the best. 95 % percentile bootstrap over problems,
 * which are to be independent, from a fixed seed. A group begins with its best; a solver belongs to it where the
 * interval of its mean over that best's holds 1. rows [solvers], which the caller frees (nb_free). */
nb_status nb_rank(const nb_solver_costs *costs, int64_t baseline, int64_t *common, nb_ranked **rows);

#endif
