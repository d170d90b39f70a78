#include "statistics/ranking.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

const double nb_ranking_levels[NB_RANKING_LEVELS] = {1e-2, 1e-4, 1e-6, 1e-8};
const double nb_ranking_shift[2] = {1e-4, 10};

/* the matrix in use: of the problems that all solvers tried and any solved, failures with their price */
typedef struct priced {
    int64_t problems;
    int solvers, measure; /* measure: that solvers are ranked by, 0 seconds, 1 work */
    double *logs[2];      /* [problems][solvers] of the shifted costs */
    double *drawn;        /* [NB_BOOTSTRAP_DRAWS][solvers] mean costs */
} priced;

static nb_status price(const nb_solver_costs *costs, priced *m) {
    nb_status status = NB_OK;
    const int64_t n = costs->solvers;
    m->solvers = (int)n;
    m->measure = costs->by_work;
    for (int k = 0; k < 2; k++) NB_TRY(NB_ALLOCATE(costs->problems * n, &m->logs[k]));
    for (int64_t p = 0; p < costs->problems; p++) {
        double most[2] = {-1, -1};
        int tried = 1;
        for (int64_t s = 0; s < n; s++) {
            tried &= !isnan(costs->cost[0][p * n + s]);
            for (int k = 0; k < 2; k++)
                if (isfinite(costs->cost[k][p * n + s])) most[k] = fmax(most[k], costs->cost[k][p * n + s]);
        }
        if (!tried || most[0] < 0) continue;
        for (int k = 0; k < 2; k++)
            for (int64_t s = 0; s < n; s++) {
                const double cost = costs->cost[k][p * n + s];
                m->logs[k][m->problems * n + s] =
                    log((isinf(cost) ? NB_RANKING_PENALTY * most[k] : cost) + nb_ranking_shift[k]);
            }
        m->problems++;
    }
out:
    return status;
}

/* the mean of solver s over the problems, each as often as `times` says (NULL: once) */
static double mean_of(const priced *m, int measure, int s, const int32_t *times) {
    double sum = 0, weight = 0;
    for (int64_t p = 0; p < m->problems; p++) {
        const double x = m->logs[measure][p * m->solvers + s], w = times ? times[p] : 1;
        sum += w * x;
        weight += w;
    }
    return weight > 0 ? exp(sum / weight) - nb_ranking_shift[measure] : (double)NAN;
}

static nb_status draw(priced *m) {
    nb_status status;
    uint64_t state = 1;
    int32_t *times = NULL;
    NB_TRY(NB_ALLOCATE(m->problems, &times));
    NB_TRY(NB_ALLOCATE((int64_t)NB_BOOTSTRAP_DRAWS * m->solvers, &m->drawn));
    for (int64_t d = 0; d < NB_BOOTSTRAP_DRAWS; d++) {
        for (int64_t p = 0; p < m->problems; p++) times[p] = 0;
        for (int64_t p = 0; p < m->problems; p++) times[nb_random_bits(&state) % (uint64_t)m->problems]++;
        for (int s = 0; s < m->solvers; s++) m->drawn[d * m->solvers + s] = mean_of(m, m->measure, s, times);
    }
out:
    nb_free(times);
    return status;
}

/* the interval of solver s's mean, over that of solver `of` unless it is -1 */
static nb_status interval_of(const priced *m, int64_t s, int64_t of, nb_interval *interval) {
    nb_status status;
    double *sample = NULL;
    const double base = of < 0 ? 1 : mean_of(m, m->measure, (int)of, NULL);
    *interval = (nb_interval){mean_of(m, m->measure, (int)s, NULL) / base, NAN, NAN};
    if (!m->drawn) return NB_OK;
    NB_TRY(NB_ALLOCATE(NB_BOOTSTRAP_DRAWS, &sample));
    for (int64_t d = 0; d < NB_BOOTSTRAP_DRAWS; d++)
        sample[d] = m->drawn[d * m->solvers + s] / (of < 0 ? 1 : m->drawn[d * m->solvers + of]);
    const int64_t count = nb_sort_sample(sample, NB_BOOTSTRAP_DRAWS);
    if (count == 0) goto out;
    interval->low = nb_quantile(sample, count, 0.025);
    interval->high = nb_quantile(sample, count, 0.975);
out:
    nb_free(sample);
    return status;
}

static void count_shares(const nb_solver_costs *costs, nb_ranked *row) {
    int64_t below[NB_RANKING_LEVELS] = {0};
    for (int64_t p = 0; p < costs->problems; p++) {
        const int64_t entry = p * costs->solvers + row->solver;
        if (isnan(costs->cost[0][entry])) continue;
        row->tried++;
        row->solved += isfinite(costs->cost[0][entry]) != 0;
        for (int k = 0; k < NB_RANKING_LEVELS; k++) below[k] += costs->error[entry] <= nb_ranking_levels[k];
    }
    for (int k = 0; k < NB_RANKING_LEVELS; k++) row->share[k] = (double)below[k] / (double)row->tried;
}

static int compare_rows(const void *x, const void *y) {
    const nb_ranked *a = x, *b = y;
    const double s = isnan(a->cost.value) ? (double)INFINITY : a->cost.value;
    const double t = isnan(b->cost.value) ? (double)INFINITY : b->cost.value;
    if (s != t) return s < t ? -1 : 1;
    if (a->solved != b->solved) return a->solved > b->solved ? -1 : 1;
    return a->solver < b->solver ? -1 : a->solver > b->solver;
}

/* a group is of those that the intervals do not separate from its best */
static nb_status mark_groups(const priced *m, nb_ranked *rows) {
    nb_status status = NB_OK;
    int group = 0;
    int64_t best = rows[0].solver;
    for (int i = 0; i < m->solvers; i++) {
        nb_interval over;
        rows[i].group = -1;
        if (!m->drawn || isnan(rows[i].cost.value)) continue;
        NB_TRY(interval_of(m, rows[i].solver, best, &over));
        if (over.low > 1) {
            best = rows[i].solver;
            group++;
        }
        rows[i].group = group;
    }
out:
    return status;
}

nb_status nb_rank(const nb_solver_costs *costs, int64_t baseline, int64_t *common, nb_ranked **rows) {
    nb_status status;
    priced m = {0};
    NB_TRY(price(costs, &m));
    *common = m.problems;
    if (m.problems >= NB_RANKING_LEAST) NB_TRY(draw(&m));
    NB_TRY(NB_ALLOCATE(costs->solvers, rows));
    for (int64_t s = 0; s < costs->solvers; s++) {
        nb_ranked *row = &(*rows)[s];
        *row = (nb_ranked){.solver = s, .work = mean_of(&m, 1, (int)s, NULL)};
        count_shares(costs, row);
        NB_TRY(interval_of(&m, s, -1, &row->cost));
        row->seconds = costs->by_work ? (nb_interval){NAN, NAN, NAN} : row->cost;
    }
    qsort(*rows, (size_t)costs->solvers, sizeof **rows, compare_rows);
    if (baseline < 0) baseline = (*rows)[0].solver;
    for (int64_t i = 0; i < costs->solvers; i++)
        NB_TRY(interval_of(&m, (*rows)[i].solver, baseline, &(*rows)[i].ratio));
    NB_TRY(mark_groups(&m, *rows));
out:
    nb_free(m.logs[0]);
    nb_free(m.logs[1]);
    nb_free(m.drawn);
    return status;
}
