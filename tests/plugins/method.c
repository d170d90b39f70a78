/* A method for contact problems: a projection in every contact in turn, after a step along its own velocity
 * (Gauss-Seidel over contacts). It starts from what it is given, tells the record of some iterates, and stops where the
 * natural map, computed here as the harness will, is small enough. */
#include <math.h>
#include <ncpbench/plugin.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct sweeper {
    double relaxation, told;
} sweeper;

static const char *create(const double *values, int32_t precision, void **state) {
    sweeper *s = malloc(sizeof *s);
    (void)precision; /* f64: methods offer nothing else */
    *state = s;
    if (!s) return "out of memory";
    *s = (sweeper){values[0], values[1]};
    return NULL;
}

static void destroy(void *state) {
    free(state);
}

/* the velocity of a row */
static double velocity(const ncpbench_contacts_f64 *p, int32_t row, const double *r) {
    double u = p->q[row];
    for (int64_t k = p->w.start[row]; k < p->w.start[row + 1]; k++) u += p->w.value[k] * r[p->w.column[k]];
    return u;
}

static double diagonal(const ncpbench_contacts_f64 *p, int32_t row) {
    for (int64_t k = p->w.start[row]; k < p->w.start[row + 1]; k++)
        if (p->w.column[k] == row) return p->w.value[k];
    return 0;
}

/* v = the projection of v on {|v_T| <= mu v_N} */
static void project(double mu, double v[3]) {
    double tangent = hypot(v[1], v[2]), normal = (v[0] + mu * tangent) / (1 + mu * mu);
    if (tangent <= mu * v[0]) return;
    if (mu * tangent <= -v[0]) normal = 0;
    v[0] = normal;
    v[1] *= tangent > 0 ? mu * normal / tangent : 0;
    v[2] *= tangent > 0 ? mu * normal / tangent : 0;
}

/* z = the projection of r - rho u^ in contact c */
static void step(const ncpbench_contacts_f64 *p, int32_t c, double rho, const double *r, double z[3]) {
    int32_t row = p->joints + 3 * c;
    double u[3];
    for (int k = 0; k < 3; k++) u[k] = velocity(p, row + k, r);
    u[0] += p->mu[c] * hypot(u[1], u[2]);
    for (int k = 0; k < 3; k++) z[k] = r[row + k] - rho * u[k];
    project(p->mu[c], z);
}

static double natural_map(const ncpbench_contacts_f64 *p, const double *r) {
    double sum = 0, z[3];
    for (int32_t i = 0; i < p->joints; i++) sum += velocity(p, i, r) * velocity(p, i, r);
    for (int32_t c = 0; c < p->contacts; c++) {
        step(p, c, 1, r, z);
        for (int k = 0; k < 3; k++) z[k] -= r[p->joints + 3 * c + k];
        sum += z[0] * z[0] + z[1] * z[1] + z[2] * z[2];
    }
    return sqrt(sum);
}

static void sweep(const sweeper *s, const ncpbench_contacts_f64 *p, double *r) {
    for (int32_t i = 0; i < p->joints; i++)
        if (diagonal(p, i) > 0) r[i] -= s->relaxation * velocity(p, i, r) / diagonal(p, i);
    for (int32_t c = 0; c < p->contacts; c++) {
        int32_t row = p->joints + 3 * c;
        double z[3], largest = fmax(diagonal(p, row), fmax(diagonal(p, row + 1), diagonal(p, row + 2)));
        if (largest <= 0) continue;
        step(p, c, s->relaxation / largest, r, z);
        for (int k = 0; k < 3; k++) r[row + k] = z[k];
    }
}

static const char *solve(void *state, const ncpbench_contacts_f64 *p, const ncpbench_method_request_f64 *request,
                         double *r, ncpbench_method_outcome *outcome) {
    const sweeper *s = state;
    outcome->reason = NCPBENCH_ITERATIONS;
    for (int32_t k = 0; k < request->iterations; k++) {
        if (request->tolerance > 0 && natural_map(p, r) <= request->tolerance * p->norm_q) {
            outcome->reason = NCPBENCH_CONVERGED;
            break;
        }
        sweep(s, p, r);
        outcome->iterations++;
        if (request->monitor && s->told > 0 && k % (int32_t)s->told == 0) request->monitor(request->host, r);
    }
    snprintf(outcome->words, sizeof outcome->words, "%d sweeps", (int)outcome->iterations);
    return NULL;
}

static const ncpbench_option options[] = {
    {.name = "relaxation", .summary = "of a sweep", .standard = 1, .minimum = 0.01, .maximum = 1},
    {.name = "told", .summary = "every so many iterates; 0: none", .minimum = 0, .maximum = 1000000, .whole = 1},
};
static const ncpbench_method_f64 method = {.size = sizeof method, .iterations = 20000, .solve = solve};
static const ncpbench_class sweeps = {.size = sizeof sweeps,
                                      .name = "example-sweeps",
                                      .summary = "projected Gauss-Seidel over contacts",
                                      .options = options,
                                      .option_count = sizeof options / sizeof *options,
                                      .option_size = sizeof *options,
                                      .create = create,
                                      .destroy = destroy,
                                      .method_f64 = &method};
static const ncpbench_class *const classes[] = {&sweeps, NULL};
static const ncpbench_plugin plugin = {.abi = NCPBENCH_PLUGIN_ABI, .size = sizeof plugin, .classes = classes};

NCPBENCH_EXPORT const ncpbench_plugin *ncpbench_plugin_entry(uint32_t host_abi) {
    (void)host_abi;
    return &plugin;
}
