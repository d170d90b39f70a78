#include "linear/krylov.h"

#include <tgmath.h>

NB_PRECISIONS(f32, f64, mixed);

void nb_krylov_report(const nb_krylov *p, const storage *x, double a, const storage *d) {
    if (!p->request->monitor) return;
    nb_vector_backend_give(p->backend, x, a, d, p->rows);
    p->request->monitor(p->request->monitor_context, p->outcome->iterations, p->rows);
}

void nb_krylov_report_step(nb_krylov *p, double decrease, const storage *x, double a, const storage *d) {
    if (p->request->energy_decrease) *p->request->energy_decrease = decrease + p->projected_decrease;
    p->projected_decrease = 0;
    nb_krylov_report(p, x, a, d);
}

void nb_krylov_precondition(const nb_krylov *p, const storage *r, storage *z) {
    nb_vector_backend_precondition(p->backend, r, z);
    if (p->deflation) nb_deflation_project(p->deflation, r, z);
}

/* ---- when to stop ---- */

double nb_krylov_norm(const nb_krylov *p, const storage *r, const storage *z) {
    nb_linear_norm norm = p->request->stop.norm;
    if (z == r) return nb_vector_backend_norm(p->backend, norm, r);
    const storage *v = norm == NB_NORM_TRUE ? r : z;
    if (p->deflation && v == z) { /* which is not P r */
        nb_vector_backend_precondition(p->backend, r, p->deflation->spare);
        v = p->deflation->spare;
    }
    return sqrt(nb_vector_backend_dot(p->backend, v, v));
}

double nb_krylov_bound(const nb_krylov *p) {
    return fmax(p->request->stop.tolerance, p->stops.tiny) * p->start;
}

nb_krylov nb_krylov_begin(nb_vector_backend *s, nb_deflation *deflation, const nb_system *system,
                          const nb_linear_request *request, real *rows, nb_linear_outcome *outcome, storage *r) {
    const nb_linear_stop *stop = &request->stop;
    int verifies = stop->tolerance > 0 && stop->norm != NB_NORM_NATURAL;
    if (deflation) /* whose vectors are not to be scaled */
        nb_vector_backend_set_weights_apart(s, request->preconditioner, request->preconditioner_state);
    else
        nb_vector_backend_set_weights(s, request->preconditioner, request->preconditioner_state);
    nb_vector_backend_take(s, system->b, r);
    nb_vector_backend_mirror(s, r);
    int other_norm = verifies && !nb_vector_backend_has_no_preconditioner(s); /* without one all norms are the same */
    return (nb_krylov){.backend = s,
                       .system = system,
                       .request = request,
                       .outcome = outcome,
                       .rows = rows,
                       .verifies = verifies,
                       .other_norm = other_norm,
                       .deflation = deflation,
                       .stops = {.tolerance = other_norm ? 0 : stop->tolerance,
                                 .elsewhere = other_norm,
                                 .epsilon = (double)NB_STORAGE_EPSILON,
                                 .tiny = NB_STORAGE_BITS == 32 ? 1e-6 : 1e-12}};
}

void nb_krylov_open_cycle(nb_krylov *p, double weighted, const storage *x, const storage *r, const storage *z) {
    p->outcome->reason = NB_REASON_NONE;
    if (p->cycles++) return;
    p->stops.start = weighted;
    if (p->verifies) p->start = p->verified = p->other_norm ? nb_krylov_norm(p, r, z) : sqrt(fmax(weighted, 0));
    nb_krylov_report(p, x, 0, NULL);
    if (weighted == 0) p->outcome->reason = NB_REASON_CONVERGED;
}

/* reason to stop at a residual b - A x of this norm; none: restart from it */
static nb_reason reason_at(const nb_krylov *p, double norm, const storage *x) {
    if (!isfinite(norm)) return NB_REASON_DIVERGED;
    if (norm <= p->request->stop.tolerance * p->start) return NB_REASON_CONVERGED;
    if (norm <= p->stops.tiny * p->start) return NB_REASON_ROUND_OFF;
    if (norm > 0.5 * p->verified) /* the recurrence is off */
        return norm <= sqrt(p->stops.epsilon) * p->start ||
                       nb_vector_backend_is_round_off(p->backend, x, norm, p->start)
                   ? NB_REASON_ROUND_OFF
                   : NB_REASON_STAGNATED;
    return p->outcome->iterations >= p->request->stop.iterations ? NB_REASON_ITERATIONS : NB_REASON_NONE;
}

int nb_krylov_restarts(nb_krylov *p, storage *x, storage *r, storage *z, storage *scratch) {
    if (!p->verifies || p->outcome->reason != NB_REASON_CONVERGED || p->start == 0) return 0;
    nb_vector_backend_residual(p->backend, p->system->b, x, r, scratch);
    if (z != r && !p->deflation && p->request->stop.norm != NB_NORM_TRUE)
        nb_vector_backend_precondition(p->backend, r, z);
    const double norm = nb_krylov_norm(p, r, z);
    p->outcome->reason = reason_at(p, norm, x);
    p->verified = norm;
    return p->outcome->reason == NB_REASON_NONE;
}
