#include "statistics/profile.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "statistics/statistics.h"

void nb_profile_ratios(const double *cost, int64_t problems, int solvers, double *ratio) {
    for (int64_t p = 0; p < problems; p++) {
        const double *row = cost + p * solvers;
        double least = INFINITY;
        for (int s = 0; s < solvers; s++) least = fmin(least, row[s]);
        for (int s = 0; s < solvers; s++) {
            double r = row[s] == least ? 1 : row[s] / least;
            ratio[p * solvers + s] = isfinite(row[s]) ? r : row[s];
        }
    }
}

/* the first point of the curve that reaches the quantity; `points` where none does */
static int reaching(double quantity, int points, const nb_profile_point *curve) {
    int low = 0, high = points;
    while (low < high) {
        int middle = (low + high) / 2;
        if (quantity <= curve[middle].x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Problems by the first point that reaches them, group after group: those of group g are bin[start[g]] ... */
typedef struct sample {
    int *bin;
    int64_t *start; /* [groups + 1] */
    int64_t groups;
} sample;

static nb_status take_sample(const double *quantity, int64_t problems, int stride, const int64_t *group, int points,
                             const nb_profile_point *curve, sample *s) {
    int64_t tried = 0, last = -1;
    nb_status status;
    NB_TRY(NB_ALLOCATE(problems, &s->bin));
    NB_TRY(NB_ALLOCATE(problems + 1, &s->start));
    for (int64_t p = 0; p < problems; p++) {
        if (isnan(quantity[p * stride])) continue;
        int64_t own = group ? group[p] : p;
        if (own != last) s->start[s->groups++] = tried;
        last = own;
        s->bin[tried++] = reaching(quantity[p * stride], points, curve);
    }
    s->start[s->groups] = tried;
out:
    return status;
}

static void clear_sample(sample *s) {
    nb_free(s->bin);
    nb_free(s->start);
}

/* the shares in groups drawn with replacement */
static void draw_shares(const sample *s, int points, uint64_t *state, double *share) {
    int64_t drawn = 0;
    for (int k = 0; k < points; k++) share[k] = 0;
    for (int64_t i = 0; i < s->groups; i++) {
        uint64_t g = nb_random_bits(state) % (uint64_t)s->groups;
        drawn += s->start[g + 1] - s->start[g];
        for (int64_t p = s->start[g]; p < s->start[g + 1]; p++)
            if (s->bin[p] < points) share[s->bin[p]]++;
    }
    for (int k = 1; k < points; k++) share[k] += share[k - 1];
    for (int k = 0; k < points; k++) share[k] /= (double)drawn;
}

static nb_status add_bands(const sample *s, uint64_t seed, int points, nb_profile_point *curve) {
    nb_status status;
    double *drawn = NULL, *column = NULL;
    NB_TRY(NB_ALLOCATE((int64_t)NB_PROFILE_DRAWS * points, &drawn));
    NB_TRY(NB_ALLOCATE(NB_PROFILE_DRAWS, &column));
    for (int64_t d = 0; d < NB_PROFILE_DRAWS; d++) draw_shares(s, points, &seed, drawn + d * points);
    for (int k = 0; k < points; k++) {
        for (int64_t d = 0; d < NB_PROFILE_DRAWS; d++) column[d] = drawn[d * points + k];
        nb_sort_sample(column, NB_PROFILE_DRAWS);
        curve[k].low = nb_quantile(column, NB_PROFILE_DRAWS, 0.025);
        curve[k].high = nb_quantile(column, NB_PROFILE_DRAWS, 0.975);
    }
out:
    nb_free(drawn);
    nb_free(column);
    return status;
}

nb_status nb_profile_curve(const double *quantity, int64_t problems, int stride, const int64_t *group, uint64_t seed,
                           int points, nb_profile_point *curve) {
    nb_status status;
    sample s = {0};
    NB_TRY(take_sample(quantity, problems, stride, group, points, curve, &s));
    int64_t tried = s.start[s.groups];
    for (int k = 0; k < points; k++) curve[k].share = 0;
    for (int k = 0; k < points; k++) curve[k].low = curve[k].high = NAN;
    if (tried == 0) goto out;
    for (int64_t p = 0; p < tried; p++)
        if (s.bin[p] < points) curve[s.bin[p]].share++;
    for (int k = 1; k < points; k++) curve[k].share += curve[k - 1].share;
    for (int k = 0; k < points; k++) curve[k].share /= (double)tried;
    if (s.groups >= NB_PROFILE_LEAST) NB_TRY(add_bands(&s, seed, points, curve));
out:
    clear_sample(&s);
    return status;
}
