/* Lemke's pivots on random linear complementarity problems, against all complementary bases: what is solved is solved,
 * and a ray of a semidefinite problem is one without a solution. */
#include <string.h>

#include "check.h"
#include "method/lemke/pivoting.h"
#include "random_lcp.h"

enum {
    TRIALS = 400,
    MOST_ENUMERATED = 10
};

/* x of a x = b [n], by rows, with row pivots; 0 where it is singular */
static int solve_dense(int n, double a[MOST_ENUMERATED][MOST_ENUMERATED], double *x) {
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c; i < n; i++)
            if (fabs(a[i][c]) > fabs(a[pivot][c])) pivot = i;
        if (fabs(a[pivot][c]) < 1e-11) return 0;
        for (int j = 0; j < n; j++) {
            double kept = a[c][j];
            a[c][j] = a[pivot][j];
            a[pivot][j] = kept;
        }
        double kept = x[c];
        x[c] = x[pivot];
        x[pivot] = kept;
        for (int i = 0; i < n; i++) {
            if (i == c) continue;
            double factor = a[i][c] / a[c][c];
            for (int j = c; j < n; j++) a[i][j] -= factor * a[c][j];
            x[i] -= factor * x[c];
        }
    }
    for (int i = 0; i < n; i++) x[i] /= a[i][i];
    return 1;
}

/* how many complementary bases are feasible: every solvable problem has one */
static int count_solutions(const random_lcp *p) {
    int found = 0;
    for (int set = 0; set < 1 << p->n; set++) { /* z_i is basic for i in the set, w_i for the others */
        double b[MOST_ENUMERATED][MOST_ENUMERATED], x[MOST_ENUMERATED];
        for (int i = 0; i < p->n; i++) {
            x[i] = p->q[i];
            for (int j = 0; j < p->n; j++) b[i][j] = set >> j & 1 ? -p->m[i * p->n + j] : i == j;
        }
        int feasible = solve_dense(p->n, b, x);
        for (int i = 0; feasible && i < p->n; i++) feasible = x[i] >= -1e-9;
        found += feasible;
    }
    return found;
}

typedef struct tally {
    int solved, ray, other, holds; /* holds: of those solved, to 1e-6 */
} tally;

/* by Lemke's method; whether it says that there is a solution */
static int solve(const random_lcp *p, double shift, tally *count) {
    nb_lemke_outcome outcome;
    double z[MOST_UNKNOWNS], ray[MOST_UNKNOWNS];
    CHECK_OK(nb_lemke(p->n, p->m, p->q, shift, 1000, z, ray, &outcome));
    if (outcome.end == NB_LEMKE_SOLVED) {
        const double error = nb_lcp_error(p->n, p->m, p->q, z);
        /* by the basis's own factorisation: round-off of numbers of size one, over bases that are nearly singular;
         * with a shift another problem is solved, which may have a solution where this one has none */
        if (shift == 0) CHECK_BELOW(error, 1e-8);
        count->holds += error < 1e-6;
        for (int i = 0; i < p->n; i++) assert_true(z[i] >= 0);
    } else {
        for (int i = 0; i < p->n; i++) CHECK_NEAR(z[i], 0, 0);
    }
    count->solved += outcome.end == NB_LEMKE_SOLVED;
    count->ray += outcome.end == NB_LEMKE_RAY;
    count->other += outcome.end == NB_LEMKE_CYCLED || outcome.end == NB_LEMKE_PIVOTS;
    return outcome.end == NB_LEMKE_SOLVED;
}

/* Of a semidefinite M: solved wherever a basis is, a ray wherever none is. The ray is the proof: z >= 0, M^T z <= 0 and
 * q.z < 0, so that no w = M x + q >= 0 has x >= 0. */
TEST(semidefinite_problems) {
    uint64_t random = test_seed();
    tally count = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        const int n = 1 + trial % 8, rank = trial % 3 == 0 ? n : 1 + (int)(test_random_bits(&random) % (uint64_t)n);
        random_lcp p;
        make_semidefinite(&random, n, rank, trial % 2, &p);
        if (trial % 5 == 0) /* degenerate: zeros in q, and rows that are the same */
            for (int i = 0; i < n; i += 2) p.q[i] = 0;
        const int solutions = count_solutions(&p);
        assert_int_equal(solve(&p, 0, &count), solutions > 0);
        nb_lemke_outcome outcome;
        double z[MOST_UNKNOWNS], ray[MOST_UNKNOWNS], work = 0, size = 0;
        if (solutions > 0) continue;
        CHECK_OK(nb_lemke(n, p.m, p.q, 0, 1000, z, ray, &outcome));
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum += p.m[j * n + i] * ray[j];
            work += p.q[i] * ray[i];
            size = fmax(size, ray[i]);
            assert_true(ray[i] >= 0 && sum <= 1e-9 * (1 + size));
        }
        assert_true(work < -1e-6 * size);
    }
    assert_true(count.solved > TRIALS / 2 && count.ray > 10 && count.other == 0);
    print_message("semidefinite: %d solved, %d rays\n", count.solved, count.ray);
}

/* Friction that is not relaxed: what is solved is solved, and nothing is said to be that is not. With a shift the
 * solution of nearly every problem that has one is still one, to 1e-6, and of next to none that has none. */
TEST(copositive_problems) {
    uint64_t random = test_seed();
    tally plain = {0}, shifted = {0};
    int solvable = 0, missed = 0, nearly = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        const int contacts = 1 + trial % 2, facets = contacts == 1 ? 2 + trial % 5 : 2 + trial % 2;
        random_lcp p;
        make_frictional(&random, contacts, facets, 1 + (int)(test_random_bits(&random) % 6), &p);
        const int solutions = count_solutions(&p), found = solve(&p, 0, &plain);
        assert_true(solutions > 0 || !found);
        solvable += solutions > 0;
        missed += solutions > 0 && !found;
        const int before = shifted.holds;
        solve(&p, 1e-9, &shifted);
        nearly += solutions == 0 && shifted.holds > before; /* to 1e-6, at impulses of 1e6 */
    }
    print_message(
        "copositive: %d of %d solvable, %d of these not solved (%d rays, %d others); shifted %d solved, %d hold\n",
        solvable, TRIALS, missed, plain.ray, plain.other, shifted.solved, shifted.holds);
    assert_true(shifted.holds > 0.9 * solvable && nearly <= TRIALS / 100);
    assert_true(solvable > TRIALS / 2 && missed <= solvable / 20);
}

/* rows that repeat tie in every ratio; rays, ends and edges */
TEST(small_cases) {
    nb_lemke_outcome outcome;
    double z[3], ray[3];
    CHECK_OK(nb_lemke(0, NULL, NULL, 0, 10, z, ray, &outcome));
    assert_int_equal(outcome.end, NB_LEMKE_SOLVED);
    const double ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, down[3] = {-1, -1, -1}, up[3] = {1, 0, 2};
    CHECK_OK(nb_lemke(3, ones, down, 0, 10, z, ray, &outcome));
    assert_int_equal(outcome.end, NB_LEMKE_SOLVED);
    CHECK_NEAR(z[0] + z[1] + z[2], 1, 1e-15);
    CHECK_OK(nb_lemke(3, ones, up, 0, 10, z, ray, &outcome));
    assert_int_equal(outcome.pivots, 0);
    const double zero[1] = {0}, minus[1] = {-1};
    CHECK_OK(nb_lemke(1, zero, minus, 0, 10, z, ray, &outcome));
    assert_int_equal(outcome.end, NB_LEMKE_RAY);
    CHECK_NEAR(ray[0], 1, 0);
    CHECK_OK(nb_lemke(1, zero, minus, 0.5, 10, z, ray, &outcome)); /* solved with the shift, and not without it */
    assert_int_equal(outcome.end, NB_LEMKE_SOLVED);
    CHECK_NEAR(nb_lcp_error(1, zero, minus, z), 1, 0);
    const double chain[4] = {1, 2, 0, 1}; /* z = (0, 1): two pivots, or more */
    CHECK_OK(nb_lemke(2, chain, down, 0, 1, z, ray, &outcome));
    assert_int_equal(outcome.end, NB_LEMKE_PIVOTS);
}

RUN_TESTS(semidefinite_problems, copositive_problems, small_cases)
