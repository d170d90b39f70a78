#include "model/integrator.h"

#include <math.h>
#include <stddef.h>

const char *const nb_integrator_names[NB_INTEGRATORS + 1] = {[NB_INTEGRATOR_BE] = "be",
                                                             [NB_INTEGRATOR_TR] = "tr",
                                                             [NB_INTEGRATOR_BDF2] = "bdf2",
                                                             [NB_INTEGRATOR_TR_BDF2] = "tr-bdf2",
                                                             [NB_INTEGRATOR_SDIRK2] = "sdirk2",
                                                             [NB_INTEGRATOR_DECOUPLED_TR] = "decoupled-tr",
                                                             NULL};

const char *const nb_impacts_names[NB_IMPACTS_KINDS + 1] = {
    [NB_IMPACTS_BY_BE] = "be", [NB_IMPACTS_INTEGRATOR] = "integrator", NULL};

static const nb_integrator_stage backward_euler = {.length = 1, .start = 1, .end = 1, .contact = 1};

/* tr over gamma h */
static nb_integrator_stage trapezoid(double gamma) {
    return (nb_integrator_stage){.length = gamma / 2, .start = 1, .rate = gamma / 2, .end = gamma, .contact = 1};
}

static void tr_bdf2(nb_integrator_stages *s) {
    const double gamma = 2 - sqrt(2), unit = 1 / (gamma * (2 - gamma));
    s->count = 2;
    s->stage[0] = trapezoid(gamma);
    s->stage[1] = (nb_integrator_stage){.length = (1 - gamma) / (2 - gamma),
                                        .start = -unit * (1 - gamma) * (1 - gamma),
                                        .first = unit,
                                        .end = 1,
                                        .contact = 1};
}

/* the first stage's rate is (y_1 - y_n)/(gamma h) */
static void sdirk2(nb_integrator_stages *s) {
    const double gamma = 1 - sqrt(0.5), share = (1 - gamma) / gamma;
    s->count = 2;
    s->stage[0] = (nb_integrator_stage){.length = gamma, .start = 1, .end = gamma, .contact = 1};
    s->stage[1] = (nb_integrator_stage){.length = gamma, .start = 1 - share, .first = share, .end = 1, .contact = 1};
}

void nb_integrator_stages_of(nb_integrator integrator, int has_previous, nb_integrator_stages *stages) {
    *stages =
        (nb_integrator_stages){.count = 1, .stage = {backward_euler}, .order = integrator == NB_INTEGRATOR_BE ? 1 : 2};
    switch (integrator) {
    case NB_INTEGRATOR_TR: stages->stage[0] = trapezoid(1); break;
    case NB_INTEGRATOR_DECOUPLED_TR:
        stages->stage[0] = trapezoid(1);
        stages->stage[0].contact = 2;
        stages->decoupled = 1;
        break;
    case NB_INTEGRATOR_TR_BDF2: tr_bdf2(stages); break;
    case NB_INTEGRATOR_SDIRK2: sdirk2(stages); break;
    case NB_INTEGRATOR_BDF2:
        stages->needs_previous = 1;
        if (has_previous)
            stages->stage[0] =
                (nb_integrator_stage){.length = 2. / 3, .start = 4. / 3, .previous = -1. / 3, .end = 1, .contact = 1};
        break;
    default: break;
    }
    stages->needs_rate = stages->stage[0].rate > 0;
}

void nb_integrator_stage_start(const nb_integrator_stage *stage, int count, double h, const double *start,
                               const double *previous, const double *first, const double *rate, double *from) {
    for (int i = 0; i < count; i++) {
        from[i] = stage->start * start[i];
        if (stage->previous != 0) from[i] += stage->previous * previous[i];
        if (stage->first != 0) from[i] += stage->first * first[i];
        if (stage->rate != 0) from[i] += stage->rate * h * rate[i];
    }
}

/* to += weight q, in the sense of `like` */
static void add_turn(double weight, nb_quat q, nb_quat like, nb_quat *to) {
    if (weight == 0) return;
    if (q.w * like.w + q.x * like.x + q.y * like.y + q.z * like.z < 0) weight = -weight;
    to->w += weight * q.w;
    to->x += weight * q.x;
    to->y += weight * q.y;
    to->z += weight * q.z;
}

nb_quat nb_integrator_stage_turn(const nb_integrator_stage *stage, double h, nb_quat start, nb_quat previous,
                                 nb_quat first, nb_vec3 rate) {
    nb_quat sum = {0, 0, 0, 0};
    add_turn(stage->start, start, start, &sum);
    add_turn(stage->previous, previous, start, &sum);
    add_turn(stage->first, first, start, &sum);
    if (stage->rate != 0) {
        const nb_quat turning = nb_quat_product(nb_quat_of(0, rate.x, rate.y, rate.z), start);
        const double weight = 0.5 * h * stage->rate;
        sum.w += weight * turning.w;
        sum.x += weight * turning.x;
        sum.y += weight * turning.y;
        sum.z += weight * turning.z;
    }
    return nb_quat_normalized(sum);
}
