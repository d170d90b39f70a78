#include "bench/element_probe.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "constraint/problem.h"
#include "operator/system.h"

NB_PRECISIONS(f32, f64);

/* what is timed, and what it writes */
typedef struct subject {
    nb_system *system;
    nb_problem *problem;
    real *x, *y, *s, *c, *b, *update; /* [rows] */
} subject;

static nb_status begin(subject *t) {
    nb_status status;
    real **const arrays[] = {&t->x, &t->y, &t->s, &t->c, &t->b, &t->update};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) NB_TRY(NB_ALLOCATE(t->system->rows, arrays[i]));
    memcpy(t->x, t->system->b, (size_t)t->system->rows * sizeof *t->x);
out:
    return status;
}

static void end(subject *t) {
    nb_free(t->x);
    nb_free(t->y);
    nb_free(t->s);
    nb_free(t->c);
    nb_free(t->b);
    nb_free(t->update);
}

static void apply(subject *t) {
    nb_system_apply(t->system, t->x, t->y);
}

/* at the iterate as it is, so that the operator's numbers and K come out as they were */
static void find_values(subject *t) {
    nb_problem *p = t->problem;
    const nb_linearisation how = {NB_NCP_FISCHER_BURMEISTER, NB_SCALING_EFFECTIVE_MASS_CAPPED, 0, R(1e-3)};
    const nb_newton_weights weights = {t->s, t->c, t->b, t->update, t->system->k, t->system->k_place};
    p->type->evaluate(p, NULL);
    const nb_law_state state = nb_problem_state(p);
    for (int32_t i = 0; i < p->range_count; i++)
        p->ranges[i].law->type->linearise(&p->ranges[i], &state, &how, &weights);
    p->type->momentum_rows(p, t->y);
}

static double seconds_of(subject *t, void (*work)(subject *), int count) {
    double start = nb_clock_seconds();
    for (int i = 0; i < count; i++) work(t);
    return (nb_clock_seconds() - start) / count;
}

nb_status nb_element_probe(void *system, void *problem, int samples, double least_s, double *seconds) {
    static void (*const work[])(subject *) = {[NB_ELEMENT_APPLY] = apply, [NB_ELEMENT_VALUES] = find_values};
    nb_status status;
    subject t = {.system = system, .problem = problem};
    NB_TRY(begin(&t));
    for (int k = 0; k < NB_ELEMENT_PROBES; k++) {
        int count = (int)fmin(1e6, ceil(least_s / fmax(seconds_of(&t, work[k], 1), 1e-9)));
        for (int i = 0; i < samples; i++) seconds[k * samples + i] = seconds_of(&t, work[k], count);
    }
out:
    end(&t);
    return status;
}
