#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

int64_t nb_sort_sample(double *sample, int64_t count) {
    if (count > 0) qsort(sample, (size_t)count, sizeof *sample, compare);
    while (count > 0 && isnan(sample[count - 1])) count--;
    return count;
}

double nb_quantile(const double *sorted, int64_t count, double p) {
    if (count == 0) return NAN;
    double place = p * (double)(count - 1);
    int64_t below = (int64_t)place;
    if (below >= count - 1) return sorted[count - 1];
    if (place == (double)below || sorted[below] == sorted[below + 1]) return sorted[below]; /* also beside infinity */
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double nb_mean(const double *sample, int64_t count) {
    double sum = 0;
    int64_t used = 0;
    for (int64_t i = 0; i < count; i++)
        if (!isnan(sample[i])) {
            sum += sample[i];
            used++;
        }
    return used > 0 ? sum / (double)used : NAN;
}

/* ---- the bootstrap ---- */

/* the median of a sample drawn with replacement; `room` [count] */
static double resampled_median(const double *sample, int64_t count, uint64_t *state, double *room) {
    for (int64_t i = 0; i < count; i++) room[i] = sample[nb_random_bits(state) % (uint64_t)count];
    nb_sort_sample(room, count);
    return nb_quantile(room, count, 0.5);
}

/* the sample without NaN, sorted, and room for one drawn from it */
static nb_status take_sample(const double *sample, int64_t count, double **sorted, double **room, int64_t *used) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(count, sorted));
    NB_TRY(NB_ALLOCATE(count, room));
    for (int64_t i = 0; i < count; i++) (*sorted)[i] = sample[i];
    *used = nb_sort_sample(*sorted, count);
out:
    return status;
}

/* the middle 95 in 100 of the drawn values; left open where some are no number (0/0) and could lie anywhere */
static void close_interval(double *drawn, nb_interval *interval) {
    int64_t count = nb_sort_sample(drawn, NB_BOOTSTRAP_DRAWS);
    if (count < NB_BOOTSTRAP_DRAWS) return;
    interval->low = nb_quantile(drawn, count, 0.025);
    interval->high = nb_quantile(drawn, count, 0.975);
}

nb_status nb_bootstrap_median(const double *sample, int64_t count, uint64_t seed, nb_interval *interval) {
    nb_status status;
    double *sorted = NULL, *room = NULL, *drawn = NULL;
    int64_t used;
    *interval = (nb_interval){NAN, NAN, NAN};
    NB_TRY(take_sample(sample, count, &sorted, &room, &used));
    NB_TRY(NB_ALLOCATE(NB_BOOTSTRAP_DRAWS, &drawn));
    interval->value = nb_quantile(sorted, used, 0.5);
    if (used < NB_BOOTSTRAP_LEAST) goto out;
    for (int i = 0; i < NB_BOOTSTRAP_DRAWS; i++) drawn[i] = resampled_median(sorted, used, &seed, room);
    close_interval(drawn, interval);
out:
    nb_free(sorted);
    nb_free(room);
    nb_free(drawn);
    return status;
}

nb_status nb_bootstrap_ratio(const double *a, int64_t a_count, const double *b, int64_t b_count, uint64_t seed,
                             nb_interval *interval) {
    nb_status status;
    double *sorted_a = NULL, *room_a = NULL, *sorted_b = NULL, *room_b = NULL, *drawn = NULL;
    *interval = (nb_interval){NAN, NAN, NAN};
    NB_TRY(take_sample(a, a_count, &sorted_a, &room_a, &a_count));
    NB_TRY(take_sample(b, b_count, &sorted_b, &room_b, &b_count));
    NB_TRY(NB_ALLOCATE(NB_BOOTSTRAP_DRAWS, &drawn));
    interval->value = nb_quantile(sorted_b, b_count, 0.5) / nb_quantile(sorted_a, a_count, 0.5);
    if (a_count < NB_BOOTSTRAP_LEAST || b_count < NB_BOOTSTRAP_LEAST) goto out;
    for (int i = 0; i < NB_BOOTSTRAP_DRAWS; i++) {
        double below = resampled_median(sorted_a, a_count, &seed, room_a);
        drawn[i] = resampled_median(sorted_b, b_count, &seed, room_b) / below;
    }
    close_interval(drawn, interval);
out:
    nb_free(sorted_a);
    nb_free(room_a);
    nb_free(sorted_b);
    nb_free(room_b);
    nb_free(drawn);
    return status;
}

void nb_share_interval(double share, int64_t count, nb_interval *interval) {
    const double z = 1.959963984540054, n = (double)count, shrink = 1 / (1 + z * z / n);
    const double center = shrink * (share + z * z / (2 * n));
    const double half = shrink * z * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    *interval = (nb_interval){share, share > 0 ? center - half : 0, share < 1 ? center + half : 1};
}
