/* The functions of example.c for one type of numbers: REAL, with names NAME(...) and the spacing EPSILON of its numbers
 * at 1. Read twice, hence no include guard around the functions. */
#ifndef NB_EXAMPLE_REAL_H
#define NB_EXAMPLE_REAL_H

typedef struct richardson {
    double omega;
    void *work; /* [3 rows]: residual, preconditioned residual, and image */
} richardson;

typedef struct diagonal {
    int32_t rows;
    int weight;    /* 0: row sums, 1: the diagonal */
    void *inverse; /* [rows] */
} diagonal;

#endif

/* ---- x <- x + omega P (b - A x) ---- */

static const char *NAME(richardson_set_up_pattern)(void *state, const NAME(ncpbench_system) * system) {
    richardson *s = state;
    free(s->work);
    s->work = calloc(3 * (size_t)system->rows + 1, sizeof(REAL));
    return s->work ? NULL : "out of memory";
}

static double NAME(norm)(int32_t n, const REAL *x) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

static const char *NAME(richardson_solve)(void *state, const NAME(ncpbench_system) * system,
                                          const NAME(ncpbench_request) * request, REAL *x, ncpbench_outcome *outcome) {
    const richardson *s = state;
    int32_t n = system->rows;
    REAL *r = s->work, *z = r + n, *image = z + n;
    double start = NAME(norm)(n, system->b), tolerance = fmax(request->tolerance, EPSILON);
    for (int32_t k = 0;; k++) {
        if (request->monitor) request->monitor(request->host, k, x);
        system->apply(system->host, x, image);
        for (int32_t i = 0; i < n; i++) r[i] = system->b[i] - image[i];
        double length = NAME(norm)(n, r);
        outcome->iterations = k;
        outcome->reason = length <= tolerance * start ? NCPBENCH_CONVERGED
                          : !(length <= 1e8 * start)  ? NCPBENCH_DIVERGED
                          : k == request->iterations  ? NCPBENCH_ITERATIONS
                                                      : NCPBENCH_NONE;
        if (outcome->reason != NCPBENCH_NONE) return NULL;
        request->precondition(request->host, r, z);
        for (int32_t i = 0; i < n; i++) x[i] += (REAL)s->omega * z[i];
    }
}

static const NAME(ncpbench_solver) NAME(richardson) = {
    .size = sizeof(NAME(ncpbench_solver)),
    .set_up_pattern = NAME(richardson_set_up_pattern),
    .solve = NAME(richardson_solve),
};

/* ---- P = diag(1 / sum_j |a_ij|), with which the eigenvalues of P A lie in [0, 1], or diag(1 / a_ii) ---- */

static const char *NAME(diagonal_set_up_pattern)(void *state, const NAME(ncpbench_system) * system) {
    diagonal *s = state;
    free(s->inverse);
    s->rows = system->rows;
    s->inverse = calloc((size_t)system->rows + 1, sizeof(REAL));
    return s->inverse ? NULL : "out of memory";
}

static const char *NAME(diagonal_set_up_values)(void *state, const NAME(ncpbench_system) * system,
                                                ncpbench_outcome *outcome) {
    diagonal *s = state;
    REAL *inverse = s->inverse;
    NAME(ncpbench_matrix) a;
    (void)outcome; /* this cannot break down */
    if (s->weight == 1) {
        system->diagonal(system->host, inverse);
    } else {
        const char *fault = system->matrix(system->host, &a);
        if (fault) return fault;
        for (int32_t i = 0; i < a.rows; i++) {
            inverse[i] = 0;
            for (int64_t k = a.start[i]; k < a.start[i + 1]; k++) inverse[i] += (REAL)fabs((double)a.value[k]);
        }
    }
    for (int32_t i = 0; i < s->rows; i++) inverse[i] = inverse[i] > 0 ? 1 / inverse[i] : 0;
    return NULL;
}

static void NAME(diagonal_apply)(void *state, const REAL *r, REAL *z) {
    const diagonal *s = state;
    const REAL *inverse = s->inverse;
    for (int32_t i = 0; i < s->rows; i++) z[i] = inverse[i] * r[i];
}

static const NAME(ncpbench_precond) NAME(diagonal) = {
    .size = sizeof(NAME(ncpbench_precond)),
    .set_up_pattern = NAME(diagonal_set_up_pattern),
    .set_up_values = NAME(diagonal_set_up_values),
    .apply = NAME(diagonal_apply),
};
