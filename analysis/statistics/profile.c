#include "statistics/profile.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "table/statistics.h"

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

/* the shares in problems drawn with replacement; bin: of each the first point that reaches it */
static void draw_shares(const int *bin, int64_t tried, int points, uint64_t *state, double *share) {
    for (int k = 0; k < points; k++) share[k] = 0;
    for (int64_t i = 0; i < tried; i++) {
        uint64_t p = nb_random_bits(state) % (uint64_t)tried;
        if (bin[p] < points) share[bin[p]]++;
    }
    for (int k = 1; k < points; k++) share[k] += share[k - 1];
    for (int k = 0; k < points; k++) share[k] /= (double)tried;
}

static nb_status add_bands(const int *bin, int64_t tried, uint64_t seed, int points, nb_profile_point *curve) {
    nb_status status;
    double *drawn = NULL, *column = NULL;
    NB_TRY(NB_ALLOCATE((int64_t)NB_PROFILE_DRAWS * points, &drawn));
    NB_TRY(NB_ALLOCATE(NB_PROFILE_DRAWS, &column));
    for (int64_t d = 0; d < NB_PROFILE_DRAWS; d++) draw_shares(bin, tried, points, &seed, drawn + d * points);
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

nb_status nb_profile_curve(const double *quantity, int64_t problems, int stride, uint64_t seed, int points,
                           nb_profile_point *curve) {
    nb_status status;
    int64_t tried = 0;
    int *bin = NULL;
    NB_TRY(NB_ALLOCATE(problems, &bin));
    for (int64_t p = 0; p < problems; p++)
        if (!isnan(quantity[p * stride])) bin[tried++] = reaching(quantity[p * stride], points, curve);
    for (int k = 0; k < points; k++) curve[k].share = 0;
    for (int k = 0; k < points; k++) curve[k].low = curve[k].high = NAN;
    if (tried == 0) goto out;
    for (int64_t p = 0; p < tried; p++)
        if (bin[p] < points) curve[bin[p]].share++;
    for (int k = 1; k < points; k++) curve[k].share += curve[k - 1].share;
    for (int k = 0; k < points; k++) curve[k].share /= (double)tried;
    if (tried >= NB_PROFILE_LEAST) NB_TRY(add_bands(bin, tried, seed, points, curve));
out:
    nb_free(bin);
    return status;
}
