#include "open_velocities.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/random.h"

NB_PRECISIONS(f32, f64);

/* the largest change of a body's velocities, turning included [m/s] */
static double largest_of(const nb_smoothed_step *s, const double *u) {
    double most = 0;
    for (int32_t i = 0; i < s->bodies; i++) {
        const nb_body *body = &s->world->bodies[i];
        const double *v = u + 6 * (ptrdiff_t)i;
        const nb_vec3 linear = nb_vec3_of(v[0], v[1], v[2]), angular = nb_vec3_of(v[3], v[4], v[5]);
        if (body->kind != NB_BODY_DYNAMIC) continue;
        const double turning = nb_dot(nb_mat3_apply(&s->moments[i], angular), angular) / body->mass;
        nb_raise(&most, sqrt(nb_dot(linear, linear) + turning));
    }
    return most;
}

/* The answer to changes of the contacts' normal rows by up to 1 m/s, the same ones each time, at products `rho` with
 * the unknowns as they are [m/s]. */
static nb_status respond(nb_smoothed_step *s, double rho, double *fu, double *fz, double *su, double *sz,
                         double *answer) {
    const double precision = 1e-10; /* answers are held against each other by factors */
    nb_status status;
    uint64_t state = 1;
    s->rho = rho;
    nb_smoothed_step_evaluate(s);
    nb_smoothed_step_linearise(s, 0);
    memset(fu, 0, 6 * (size_t)s->bodies * sizeof *fu);
    memset(fz, 0, (size_t)s->rows * sizeof *fz);
    for (int32_t i = 0; i < s->contact_count; i++) {
        const nb_smoothed_contact *c = &s->contact[i];
        const double row = c->s / (c->mu > 0 ? c->mu : 1); /* y for a = 1 m/s */
        fz[s->block[s->joints + i].first] = row * nb_random_uniform(&state, -1, 1);
    }
    NB_TRY(nb_smoothed_step_solve(s, 0, fu, fz, precision, su, sz));
    *answer = largest_of(s, su);
out:
    return status;
}

nb_status nb_open_velocities(nb_smoothed_step *s, double *fu, double *fz, double *su, double *sz, int *open) {
    /* Open velocities answer in proportion to 1/rho, a hundred times more; others alike. Of contacts that smoothing
     * rules, of light bodies, answers grow likewise, and stay below what the rows change by. */
    const double less = 1e-2, growth = 2, least = 10;
    const double rho = s->rho;
    nb_status status;
    double at, below;
    *open = 0;
    if (s->contact_count == 0) return NB_OK;
    NB_TRY(respond(s, less * rho, fu, fz, su, sz, &below));
    NB_TRY(respond(s, rho, fu, fz, su, sz, &at));
    *open = below > growth * at && below > least;
out:
    if (status != NB_OK) { /* as it was */
        s->rho = rho;
        nb_smoothed_step_evaluate(s);
        nb_smoothed_step_linearise(s, 0);
    }
    return status;
}
