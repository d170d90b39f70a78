#include "profile.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "statistics.h"

void nb_profile_ratios(const double *cost, int64_t problems, int solvers, double *ratio) {
    for (int64_t p = 0; p < problems; p++) {
        const double *row = cost + p * solvers;
        double least = INFINITY;
        for (int s = 0; s < solvers; s++) least = fmin(least, row[s]);
        for (int s = 0; s < solvers; s++) {
            double r = row[s] == least ? 1 : row[s] / least;
            ratio[p * solvers + s] = isfinite(row[s]) ? r : INFINITY;
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

/* the shares of one sample of problems drawn with replacement */
static void draw_shares(const int *bin, int64_t problems, int points, uint64_t *state, double *share) {
    for (int k = 0; k < points; k++) share[k] = 0;
    for (int64_t p = 0; p < problems; p++) {
        int k = bin[nb_random_bits(state) % (uint64_t)problems];
        if (k < points) share[k] += 1.0 / (double)problems;
    }
    for (int k = 1; k < points; k++) share[k] += share[k - 1];
}

static nb_status add_bands(const int *bin, int64_t problems, uint64_t seed, int points, nb_profile_point *curve) {
    nb_status status;
    double *drawn = NULL, *column = NULL;
    NB_TRY(NB_ALLOCATE((int64_t)NB_PROFILE_DRAWS * points, &drawn));
    NB_TRY(NB_ALLOCATE(NB_PROFILE_DRAWS, &column));
    for (int64_t d = 0; d < NB_PROFILE_DRAWS; d++) draw_shares(bin, problems, points, &seed, drawn + d * points);
    for (int k = 0; k < points; k++) {
        for (int64_t d = 0; d < NB_PROFILE_DRAWS; d++) column[d] = drawn[d * points + k];
        nb_sort_sample(column, NB_PROFILE_DRAWS);
        curve[k].low = nb_quantile(column, NB_PROFILE_DRAWS, 0.025);
        curve[k].high = fmin(1, nb_quantile(column, NB_PROFILE_DRAWS, 0.975)); /* sums of 1/n round up */
    }
out:
    nb_free(drawn);
    nb_free(column);
    return status;
}

nb_status nb_profile_curve(const double *quantity, int64_t problems, int stride, uint64_t seed, int points,
                           nb_profile_point *curve) {
    nb_status status;
    int *bin = NULL;
    NB_TRY(NB_ALLOCATE(problems, &bin));
    for (int k = 0; k < points; k++) curve[k].share = curve[k].low = curve[k].high = 0;
    if (problems == 0) goto out;
    for (int64_t p = 0; p < problems; p++) {
        bin[p] = reaching(quantity[p * stride], points, curve);
        if (bin[p] < points) curve[bin[p]].share++;
    }
    for (int k = 1; k < points; k++) curve[k].share += curve[k - 1].share;
    for (int k = 0; k < points; k++) curve[k].share /= (double)problems;
    NB_TRY(add_bands(bin, problems, seed, points, curve));
out:
    nb_free(bin);
    return status;
}
