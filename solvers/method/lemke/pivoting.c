#include "pivoting.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/dense_room.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"

static const double least_pivot = 1e-10; /* of the largest number in its column */
static const double tie = 1e-11;         /* ratios this close are taken for the same */

/* x_B = rhs - T x_N. Variables: w 0 .. n - 1, z n .. 2 n - 1, z_0 2 n. */
typedef struct tableau {
    int32_t n, width; /* rows; n + 2 columns: of x_N, and rhs */
    double *t;        /* [n][width] */
    int32_t *basic;   /* [n] the variable of a row */
    int32_t *other;   /* [n + 1] that of a column */
    int32_t *place;   /* [2 n + 1] the row of a variable, or -1 - its column */
    int32_t *rows;    /* [n] scratch: rows that tie */
    uint64_t basis;   /* a hash of the set of basic variables */
} tableau;

static uint64_t hash_of(int32_t variable) {
    uint64_t z = ((uint64_t)variable + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double *row_of(const tableau *t, int32_t i) {
    return t->t + (int64_t)i * t->width;
}

static void destroy(tableau *t) {
    nb_free(t->t);
    nb_free(t->basic);
    nb_free(t->other);
    nb_free(t->place);
    nb_free(t->rows);
}

/* at a fault *t holds what was made, for `destroy` */
static nb_status create(int32_t n, const double *m, const double *q, double shift, tableau *t) {
    nb_status status;
    *t = (tableau){.n = n, .width = n + 2};
    NB_TRY(NB_ALLOCATE((int64_t)n * t->width, &t->t));
    NB_TRY(NB_ALLOCATE(n, &t->basic));
    NB_TRY(NB_ALLOCATE(n + 1, &t->other));
    NB_TRY(NB_ALLOCATE(2 * (int64_t)n + 1, &t->place));
    NB_TRY(NB_ALLOCATE(n, &t->rows));
    for (int32_t i = 0; i < n; i++) {
        double *row = row_of(t, i);
        for (int32_t j = 0; j < n; j++) row[j] = -m[(int64_t)i * n + j];
        row[i] -= shift;
        row[n] = -1;
        row[n + 1] = q[i];
        t->basic[i] = t->place[i] = i;
        t->basis ^= hash_of(i);
    }
    for (int32_t j = 0; j <= n; j++) {
        t->other[j] = n + j;
        t->place[n + j] = -1 - j;
    }
out:
    return status;
}

/* The variable of column c takes the place of that of row r. */
static void exchange(tableau *t, int32_t r, int32_t c) {
    const int32_t width = t->width, leaves = t->basic[r], enters = t->other[c];
    double *own = row_of(t, r);
    const double inverse = 1 / own[c];
    for (int32_t j = 0; j < width; j++) own[j] *= inverse;
    own[c] = inverse;
    for (int32_t i = 0; i < t->n; i++) {
        double *row = row_of(t, i);
        const double factor = row[c];
        if (i == r || factor == 0) continue;
        row[c] = 0;
        for (int32_t j = 0; j < width; j++) row[j] -= factor * own[j];
    }
    t->basic[r] = enters;
    t->other[c] = leaves;
    t->place[enters] = r;
    t->place[leaves] = -1 - c;
    t->basis ^= hash_of(leaves) ^ hash_of(enters);
}

/* ---- the ratio test ---- */

/* entry of row i in the column that w_j has in the whole tableau */
static double entry(const tableau *t, int32_t i, int32_t j) {
    const int32_t place = t->place[j];
    return place >= 0 ? (place == i ? 1 : 0) : row_of(t, i)[-1 - place];
}

/* Keeps those of `count` rows whose entry in column w_j (j = n: rhs) over that in column c is the least. */
static int32_t keep_least(tableau *t, int32_t count, int32_t j, int32_t c) {
    const int32_t n = t->n;
    double least = INFINITY;
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        const double *row = row_of(t, t->rows[k]);
        least = fmin(least, (j == n ? fmax(row[n + 1], 0) : entry(t, t->rows[k], j)) / row[c]);
    }
    for (int32_t k = 0; k < count; k++) {
        const double *row = row_of(t, t->rows[k]);
        const double ratio = (j == n ? fmax(row[n + 1], 0) : entry(t, t->rows[k], j)) / row[c];
        if (ratio - least <= tie * (fabs(ratio) + fabs(least)) + 1e-2 * tie) t->rows[kept++] = t->rows[k];
    }
    return kept;
}

/* the row that limits the variable of column c, that of z_0 wherever it is among them; -1: none does */
static int32_t limiting_row(tableau *t, int32_t c) {
    double largest = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < t->n; i++) nb_raise(&largest, row_of(t, i)[c]);
    for (int32_t i = 0; i < t->n; i++)
        if (row_of(t, i)[c] > 0 && row_of(t, i)[c] > least_pivot * fmax(largest, 1)) t->rows[count++] = i;
    if (count == 0) return -1;
    count = keep_least(t, count, t->n, c);
    for (int32_t k = 0; k < count; k++)
        if (t->basic[t->rows[k]] == 2 * t->n) return t->rows[k];
    for (int32_t j = 0; j < t->n && count > 1; j++) count = keep_least(t, count, j, c);
    return t->rows[0];
}

/* ---- what came of it ---- */

double nb_lcp_error(int32_t n, const double *m, const double *q, const double *z) {
    double largest = 0;
    for (int32_t i = 0; i < n; i++) {
        double w = q[i];
        for (int32_t j = 0; j < n; j++) w += m[(int64_t)i * n + j] * z[j];
        nb_raise(&largest, fabs(fmin(w, z[i])));
    }
    return largest;
}

/* z of the basis by a factorisation of M itself, where that is better: pivots gather round-off, and a shift is not M's
 */
static nb_status refine(const tableau *t, const double *m, const double *q, double *z) {
    nb_status status = NB_OK;
    const int32_t n = t->n;
    double *a = NULL, *x = NULL, *trial = NULL;
    int32_t *own = NULL, count = 0;
    lapack_int *pivots = NULL;
    NB_TRY(nb_dense_room());
    NB_TRY(NB_ALLOCATE(n, &own));
    for (int32_t i = 0; i < n; i++)
        if (t->place[n + i] >= 0) own[count++] = i;
    if (count == 0) goto out;
    NB_TRY(NB_ALLOCATE((int64_t)count * count, &a));
    NB_TRY(NB_ALLOCATE(count, &x));
    NB_TRY(NB_ALLOCATE(n, &trial));
    NB_TRY(NB_ALLOCATE(count, &pivots));
    for (int32_t i = 0; i < count; i++) {
        x[i] = -q[own[i]];
        for (int32_t j = 0; j < count; j++) a[(int64_t)j * count + i] = m[(int64_t)own[i] * n + own[j]];
    }
    if (LAPACKE_dgesv_work(LAPACK_COL_MAJOR, count, 1, a, count, pivots, x, count) != 0) goto out; /* singular */
    for (int32_t i = 0; i < count; i++) trial[own[i]] = fmax(x[i], 0);
    if (nb_lcp_error(n, m, q, trial) < nb_lcp_error(n, m, q, z)) memcpy(z, trial, (size_t)n * sizeof *z);
out:
    nb_free(own);
    nb_free(a);
    nb_free(x);
    nb_free(trial);
    nb_free(pivots);
    return status;
}

static void read_solution(const tableau *t, double *z) {
    for (int32_t i = 0; i < t->n; i++) {
        const int32_t row = t->place[t->n + i];
        z[i] = row >= 0 ? fmax(row_of(t, row)[t->n + 1], 0) : 0;
    }
}

static void read_ray(const tableau *t, int32_t c, double *ray) {
    for (int32_t i = 0; i < t->n; i++) {
        const int32_t row = t->place[t->n + i];
        ray[i] = row >= 0 ? fmax(-row_of(t, row)[c], 0) : t->other[c] == t->n + i ? 1 : 0;
    }
}

/* the first row of q - z_0 that is negative as z_0 falls: the last of those that tie */
static int32_t first_row(int32_t n, const double *q) {
    int32_t least = 0;
    for (int32_t i = 1; i < n; i++)
        if (q[i] <= q[least]) least = i;
    return least;
}

nb_status nb_lemke(int32_t n, const double *m, const double *q, double shift, int32_t most_pivots, double *z,
                   double *ray, nb_lemke_outcome *outcome) {
    nb_status status = NB_OK;
    tableau t = {0};
    *outcome = (nb_lemke_outcome){NB_LEMKE_SOLVED, 0};
    memset(z, 0, (size_t)n * sizeof *z);
    memset(ray, 0, (size_t)n * sizeof *ray);
    if (n == 0) return NB_OK;
    int32_t row = first_row(n, q), column = n;
    if (q[row] >= 0) return NB_OK;
    NB_TRY(create(n, m, q, shift, &t));
    /* a state seen before comes again (Brent): one is kept for twice as many pivots as the one before */
    for (uint64_t kept = 0, keep_at = 1;; row = limiting_row(&t, column)) {
        NB_TRY(nb_interrupt_check());
        if (row < 0) {
            outcome->end = NB_LEMKE_RAY;
            read_ray(&t, column, ray);
            break;
        }
        const int32_t leaves = t.basic[row];
        exchange(&t, row, column);
        outcome->pivots++;
        if (leaves == 2 * n) {
            read_solution(&t, z);
            NB_TRY(refine(&t, m, q, z));
            break;
        }
        const int32_t enters = leaves < n ? leaves + n : leaves - n;
        const uint64_t now = t.basis ^ (hash_of(enters) * 3);
        if (now == kept) outcome->end = NB_LEMKE_CYCLED;
        if (outcome->pivots >= most_pivots) outcome->end = NB_LEMKE_PIVOTS;
        if (outcome->end != NB_LEMKE_SOLVED) break;
        if ((uint64_t)outcome->pivots == keep_at) {
            kept = now;
            keep_at *= 2;
        }
        column = -1 - t.place[enters];
    }
out:
    destroy(&t);
    return status;
}
