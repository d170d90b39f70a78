/* Siconos's solvers of 3D frictional contact problems (Acary et al.; Debian's libsiconos-numerics-dev) as methods of
 * ncpbench, to be timed and judged alike.
 *
 *     cc -O2 -fPIC -shared siconos.c -o siconos.so $(pkg-config --cflags ncpbench) \
 *        -I/usr/include/siconos -I/usr/include/siconos/numerics -lsiconos_numerics
 *
 * Options are Siconos's own defaults but for tolerance and iterations. Siconos measures its error relative to the
 * largest of ||q||, ||r||, ||u||; where that leaves the natural map above what was asked for relative to ||q||, the
 * solver goes on from there with a smaller tolerance. W is handed over in sparse blocks of 3 x 3, or by columns to the
 * solver that takes nothing else; making these is not timed. Problems with joints are refused: Siconos's local solvers
 * know contacts alone. */
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <math.h>
#include <ncpbench/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CALLS = 10
};

typedef struct solver {
    int id;      /* SICONOS_FRICTION_3D_... */
    int columns; /* 1: takes W by columns */
    FrictionContactProblem *problem;
} solver;

static void drop(solver *s) {
    if (!s->problem) return;
    NM_clear(s->problem->M);
    free(s->problem->M);
    free(s->problem->q);
    free(s->problem->mu);
    free(s->problem);
    s->problem = NULL;
}

static void destroy(void *state) {
    solver *s = state;
    if (s) drop(s);
    free(s);
}

static const char *create(int id, int columns, void **state) {
    solver *s = calloc(1, sizeof *s);
    *state = s;
    if (!s) return "out of memory";
    s->id = id;
    s->columns = columns;
    return NULL;
}

#define CREATE(name, id, columns)                                                             \
    static const char *create_##name(const double *values, int32_t precision, void **state) { \
        (void)values, (void)precision;                                                        \
        return create(SICONOS_FRICTION_3D_##id, columns, state);                              \
    }
CREATE(nsgs, NSGS, 0)
CREATE(nsn_ac, NSN_AC, 0)
CREATE(prox, PROX, 0)
CREATE(admm, ADMM, 1)

static double *copy(const double *from, size_t count) {
    double *to = malloc((count ? count : 1) * sizeof *to);
    if (to) memcpy(to, from, count * sizeof *to);
    return to;
}

/* W as Siconos's matrix by columns, or in blocks */
static NumericsMatrix *make_matrix(const ncpbench_matrix_f64 *w, int columns) {
    NumericsMatrix *m = NM_create(NM_SPARSE, w->rows, w->rows);
    NM_triplet_alloc(m, w->start[w->rows] + 1);
    for (int32_t i = 0; i < w->rows; i++)
        for (int64_t k = w->start[i]; k < w->start[i + 1]; k++)
            if (w->value[k] != 0) NM_entry(m, i, w->column[k], w->value[k]);
    if (columns) return m;
    NumericsMatrix *blocks = NM_create(NM_SPARSE_BLOCK, w->rows, w->rows);
    if (!blocks->matrix1) blocks->matrix1 = SBM_new();
    SBM_from_csparse(3, NM_csc(m), blocks->matrix1);
    NM_clear(m);
    free(m);
    return blocks;
}

static const char *convert(void *state, const ncpbench_contacts_f64 *problem) {
    solver *s = state;
    if (problem->joints > 0) return "takes contacts alone, and the problem has joints";
    drop(s);
    s->problem = calloc(1, sizeof *s->problem);
    if (!s->problem) return "out of memory";
    s->problem->dimension = 3;
    s->problem->numberOfContacts = problem->contacts;
    s->problem->M = make_matrix(&problem->w, s->columns);
    s->problem->q = copy(problem->q, (size_t)problem->w.rows);
    s->problem->mu = copy(problem->mu, (size_t)problem->contacts);
    return s->problem->q && s->problem->mu ? NULL : "out of memory";
}

/* v = the projection of v on {|v_T| <= mu v_N} */
static void project(double mu, double v[3]) {
    double tangent = hypot(v[1], v[2]);
    if (tangent <= mu * v[0]) return;
    double normal = (v[0] + mu * tangent) / (1 + mu * mu);
    if (mu * tangent <= -v[0]) normal = 0;
    v[0] = normal;
    double scale = tangent > 0 ? mu * normal / tangent : 0;
    v[1] *= scale;
    v[2] *= scale;
}

/* || r - P_K(r - u - mu |u_T| e_N) ||, u = W r + q */
static double natural_map(const ncpbench_contacts_f64 *problem, const double *r) {
    const ncpbench_matrix_f64 *w = &problem->w;
    double sum = 0;
    for (int32_t c = 0; c < problem->contacts; c++) {
        double u[3], v[3];
        for (int k = 0; k < 3; k++) {
            u[k] = problem->q[3 * c + k];
            for (int64_t e = w->start[3 * c + k]; e < w->start[3 * c + k + 1]; e++)
                u[k] += w->value[e] * r[w->column[e]];
        }
        u[0] += problem->mu[c] * hypot(u[1], u[2]);
        for (int k = 0; k < 3; k++) v[k] = r[3 * c + k] - u[k];
        project(problem->mu[c], v);
        for (int k = 0; k < 3; k++) sum += (r[3 * c + k] - v[k]) * (r[3 * c + k] - v[k]);
    }
    return sqrt(sum);
}

static const char *solve(void *state, const ncpbench_contacts_f64 *problem, const ncpbench_method_request_f64 *request,
                         double *r, ncpbench_method_outcome *outcome) {
    solver *s = state;
    SolverOptions *options = solver_options_create(s->id);
    double *velocity = calloc((size_t)problem->w.rows + 1, sizeof *velocity);
    if (!options || !velocity) return "out of memory";
    double tolerance = request->tolerance > 0 ? request->tolerance : 1e-16, wanted = tolerance * problem->norm_q;
    int info = 0, calls = 0;
    while (info == 0 && calls < MOST_CALLS && outcome->iterations < request->iterations) {
        options->dparam[SICONOS_DPARAM_TOL] = tolerance;
        options->iparam[SICONOS_IPARAM_MAX_ITER] = request->iterations - (int)outcome->iterations;
        info = fc3d_driver(s->problem, r, velocity, options);
        outcome->iterations += options->iparam[SICONOS_IPARAM_ITER_DONE];
        calls++;
        double error = natural_map(problem, r);
        if (error <= wanted || request->tolerance == 0) break;
        tolerance *= 0.5 * wanted / error;
    }
    outcome->reason = info == 0 ? NCPBENCH_CONVERGED : NCPBENCH_ITERATIONS;
    snprintf(outcome->words, sizeof outcome->words, "%s: info %d, residual %.3g, %d calls",
             solver_options_id_to_name(s->id), info, options->dparam[SICONOS_DPARAM_RESIDU], calls);
    solver_options_delete(options);
    free(options);
    free(velocity);
    return NULL;
}

#define CLASS(name_, title, summary_, iterations_)                                                     \
    static const ncpbench_method_f64 method_##name_ = {                                                \
        .size = sizeof method_##name_, .iterations = iterations_, .convert = convert, .solve = solve}; \
    static const ncpbench_class class_##name_ = {.size = sizeof class_##name_,                         \
                                                 .name = title,                                        \
                                                 .summary = summary_,                                  \
                                                 .create = create_##name_,                             \
                                                 .destroy = destroy,                                   \
                                                 .method_f64 = &method_##name_};
CLASS(nsgs, "siconos-nsgs", "Siconos's non-smooth Gauss-Seidel over contacts", 1000000)
CLASS(nsn_ac, "siconos-nsn-ac", "Siconos's non-smooth Newton on the Alart-Curnier function", 10000)
CLASS(prox, "siconos-prox", "Siconos's proximal point method", 10000)
CLASS(admm, "siconos-admm", "Siconos's alternating directions of multipliers", 1000000)

static const ncpbench_class *const classes[] = {&class_nsgs, &class_nsn_ac, &class_prox, &class_admm, NULL};
static const ncpbench_plugin plugin = {.abi = NCPBENCH_PLUGIN_ABI, .size = sizeof plugin, .classes = classes};

NCPBENCH_EXPORT const ncpbench_plugin *ncpbench_plugin_entry(uint32_t host_abi) {
    (void)host_abi;
    return &plugin;
}
