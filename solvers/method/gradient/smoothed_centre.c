/* Newton's method on the smoothed equations of a step. */
#include <math.h>
#include <string.h>

#include "smoothed_step.h"

NB_PRECISIONS(f32, f64);

/* what residuals are small against: kinetic energies of what the step does, and of impulses */
static double scale_of(const nb_smoothed_step *s) {
    double sum = s->rho;
    for (int32_t i = 0; i < s->bodies; i++) {
        const nb_body *body = &s->world->bodies[i];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        sum += body->mass * nb_dot(s->world->gravity, s->world->gravity) * s->h * s->h;
        for (int k = 0; k < 3; k++) sum += body->mass * s->u[6 * i + k] * s->u[6 * i + k];
    }
    for (int32_t i = 0; i < s->contact_count; i++)
        for (int k = 0; k < 3; k++) sum += s->contact[i].pair.x[k] * s->contact[i].pair.x[k];
    for (int32_t i = 0; i < s->coordinates; i++) sum += s->coordinate[i].pair.x * s->coordinate[i].pair.x;
    for (int32_t r = 0; r < s->joint_rows; r++) sum += s->weight[r] * s->zeta[r] * s->zeta[r];
    return sqrt(sum);
}

static void add(int64_t n, const double *from, double t, const double *d, double *to) {
    for (int64_t i = 0; i < n; i++) to[i] = from[i] + t * d[i];
}

/* goes along the step as far as the norm falls; returns it */
static double search(nb_smoothed_step *s, double norm) {
    int64_t n = 6 * (int64_t)s->bodies;
    double best = norm, t = 1;
    memcpy(s->try_u, s->u, (size_t)n * sizeof *s->u);
    memcpy(s->try_z, s->zeta, (size_t)s->rows * sizeof *s->zeta);
    for (int halved = 0; halved < 30; halved++, t /= 2) {
        add(n, s->try_u, -t, s->du, s->u);
        add(s->rows, s->try_z, -t, s->dz, s->zeta);
        best = nb_smoothed_step_evaluate(s);
        if (best < (1 - 1e-4 * t) * norm) return best;
    }
    memcpy(s->u, s->try_u, (size_t)n * sizeof *s->u);
    memcpy(s->zeta, s->try_z, (size_t)s->rows * sizeof *s->zeta);
    return nb_smoothed_step_evaluate(s);
}

/* Newton's method from where it is; *norm: what is left. */
static nb_status approach(nb_smoothed_step *s, double *norm, int32_t *iterations) {
    const double enough = 1e-12, direction = 1e-6;
    const int32_t most = 60;
    nb_status status = NB_OK;
    double before = INFINITY;
    for (int32_t i = 0; i < most && (*norm < before) && (*norm > enough * scale_of(s)); i++, ++*iterations) {
        before = *norm;
        nb_smoothed_step_linearise(s, 0);
        memcpy(s->try_u, s->ru, 6 * (size_t)s->bodies * sizeof *s->ru);
        memcpy(s->try_z, s->rz, (size_t)s->rows * sizeof *s->rz);
        NB_TRY(nb_smoothed_step_solve(s, 0, s->try_u, s->try_z, direction, s->du, s->dz));
        *norm = search(s, *norm);
    }
out:
    return status;
}

/* keeps the iterate */
static void keep(nb_smoothed_step *s) {
    memcpy(s->best_u, s->u, 6 * (size_t)s->bodies * sizeof *s->u);
    memcpy(s->best_z, s->zeta, (size_t)s->rows * sizeof *s->zeta);
}

/* goes back to the one that was kept; returns its norm */
static double go_back(nb_smoothed_step *s) {
    memcpy(s->u, s->best_u, 6 * (size_t)s->bodies * sizeof *s->u);
    memcpy(s->zeta, s->best_z, (size_t)s->rows * sizeof *s->zeta);
    return nb_smoothed_step_evaluate(s);
}

nb_status nb_smoothed_step_centre(nb_smoothed_step *s, double *residual, int32_t *iterations) {
    /* What is left is a small change of u~, since the products are met whatever w is: derivatives are as good as of a
     * motion that is off by as much. Where nothing slips |v_t| has a kink, which Newton's method may stop at, with
     * derivatives that are none: they are much larger, and little is left. */
    const double least = 1e-7, near = 1e-10, rho = s->rho;
    nb_status status;
    double norm = nb_smoothed_step_evaluate_again(s); /* the start was looked at when it was made */
    *iterations = 0;
    NB_TRY(approach(s, &norm, iterations));
    double best = norm;
    keep(s);
    /* Where that ends far from the path, as it may from forces that redundant contacts share by chance: by the path of
     * larger products, which begins nearer; no larger than need be, as it may lead to another of several solutions. */
    const double larger[] = {1, 1e1, 1e2, 1e3};
    const int paths = sizeof larger / sizeof *larger;
    for (int path = 1; path < paths && !(norm <= near * scale_of(s)); path++)
        for (int k = path; k >= 0; k--) {
            s->rho = larger[k] * rho;
            norm = nb_smoothed_step_evaluate_again(s);
            NB_TRY(approach(s, &norm, iterations));
            if (k > 0 || !(norm < best)) continue;
            best = norm;
            keep(s);
        }
    if (!(norm <= best)) norm = go_back(s);
    *residual = norm / scale_of(s);
    if (!(*residual <= least))
        status = nb_fail(NB_ERROR_NUMERIC,
                         "the central path at rho = %g J was not reached (relative residual %.1e after %d iterations); "
                         "another --smoothing may help",
                         s->rho, *residual, (int)*iterations);
out:
    return status;
}
