/* Random linear complementarity problems by Siconos's Lemke (Debian's libsiconos-numerics-dev) and by ours. Built only
 * where that library is installed. */
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <string.h>

#include "check.h"
#include "method/lemke/pivoting.h"
#include "random_lcp.h"

/* its solvers keep what they took */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libsiconos_numerics";
}

enum {
    TRIALS = 300
};

/* whether Siconos says that it has solved it */
static int solve_by_siconos(const random_lcp *p, double *z) {
    LinearComplementarityProblem theirs = {.size = p->n, .q = (double *)p->q};
    double w[MOST_UNKNOWNS] = {0};
    int info;
    SolverOptions *options = solver_options_create(SICONOS_LCP_LEMKE);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-12;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000;
    theirs.M = NM_create(NM_DENSE, p->n, p->n);
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++) theirs.M->matrix0[i + j * p->n] = p->m[i * p->n + j];
    memset(z, 0, sizeof w);
    lcp_lexicolemke(&theirs, z, w, &info, options);
    solver_options_delete(options);
    free(options);
    NM_clear(theirs.M);
    free(theirs.M);
    return info == 0;
}

/* Both solve the definite ones, and come to the one solution; of others both say the same, or one has a solution that
 * holds. */
TEST(both_solve_the_same) {
    uint64_t random = test_seed();
    int solved = 0, theirs_alone = 0, ours_alone = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        const int kind = trial % 3, n = 2 + trial % 20;
        random_lcp p;
        nb_lemke_outcome outcome;
        double z[MOST_UNKNOWNS], theirs[MOST_UNKNOWNS], ray[MOST_UNKNOWNS];
        if (kind < 2)
            make_semidefinite(&random, n, kind == 0 ? n : 1 + n / 2, kind, &p);
        else
            make_frictional(&random, 1 + trial % 3, 4, 1 + trial % 9, &p);
        CHECK_OK(nb_lemke(p.n, p.m, p.q, 0, 10000, z, ray, &outcome));
        const int own = outcome.end == NB_LEMKE_SOLVED;
        const int other = solve_by_siconos(&p, theirs) && nb_lcp_error(p.n, p.m, p.q, theirs) < 1e-8;
        if (own) CHECK_BELOW(nb_lcp_error(p.n, p.m, p.q, z), 1e-8);
        if (kind == 0) assert_true(own);
        for (int i = 0; kind == 0 && other && i < p.n; i++) CHECK_NEAR(z[i], theirs[i], 1e-5 * (1 + fabs(z[i])));
        solved += own && other;
        ours_alone += own && !other;
        theirs_alone += other && !own;
    }
    print_message("of %d both solve %d, we alone %d, Siconos alone %d\n", (int)TRIALS, solved, ours_alone,
                  theirs_alone);
    assert_true(solved > TRIALS / 2 && theirs_alone <= TRIALS / 50);
}

RUN_TESTS(both_solve_the_same)
