#include "statistics/check_reason.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/largest.h"
#include "measure/largest_error.h"
#include "reason.h"
#include "statistics/largest_words.h"
#include "statistics/penetrating.h"
#include "statistics/unsolved.h"
#include "table/outcome.h"
#include "table/settings.h"

typedef struct survey {
    int32_t unsolved, at_limit; /* steps above NB_SOLVED; of these, those that ended at their iterations */
    int64_t solves, cut;        /* linear solves of unsolved steps; of these, those that ended at their iterations */
    double worst;               /* natural map at the end of a step [m/s], */
    int32_t worst_step;         /* and whose it is */
    double reason;              /* of the last step that is unsolved and not at its limit; NaN: none */
} survey;

static void survey_step(const nb_run *run, int32_t step, survey *s) {
    const double *row = run->steps + (int64_t)step * NB_STEP_COLUMNS;
    double error = row[NB_STEP_NATURAL_MAP_ERROR];
    if (!(error <= s->worst)) s->worst_step = step;
    nb_raise(&s->worst, error);
    if (error <= NB_SOLVED) return;
    s->unsolved++;
    if (row[NB_STEP_REASON] == NB_REASON_ITERATIONS)
        s->at_limit++;
    else
        s->reason = row[NB_STEP_REASON];
    const int column = nb_run_newton_column(run, "linear_reason");
    for (int64_t r = run->newton_start[step]; r < run->newton_start[step + 1]; r++) {
        double reason = nb_run_newton_number(run, r, column);
        if (!isfinite(reason)) continue;
        s->solves++;
        s->cut += reason == NB_REASON_ITERATIONS;
    }
}

/* The point of contact `index` of a step, of the final state or a stored one; NULL: it is not in the record. */
static const double *find_point(const nb_run *run, int32_t step, double index) {
    const int32_t frame = nb_run_frame_after(run, step + 1);
    if (step + 1 == run->step_count)
        return index < run->final.contacts ? run->final.contact_point + 3 * (int64_t)index : NULL;
    if (frame < 0 || index >= (double)(run->frame_contact_start[frame + 1] - run->frame_contact_start[frame]))
        return NULL;
    return run->frame_contacts + (run->frame_contact_start[frame] + (int64_t)index) * NB_FRAME_CONTACT_COLUMNS +
           NB_FRAME_CONTACT_POINT;
}

/* where the step with the largest natural map has it at its end */
static void tell_place(const nb_run *run, int32_t step, char *text, size_t size) {
    const int64_t row = run->newton_start[step + 1] - 1;
    char place[160] = "", at[80] = "";
    *text = '\0';
    if (row >= run->newton_start[step]) nb_largest_words(run, row, place, sizeof place);
    if (!*place) return;
    const double kind = nb_largest_number(run, row, NB_PLACE_KIND);
    const double *x = kind == NB_ERROR_KIND_NORMAL || kind == NB_ERROR_KIND_FRICTION
                          ? find_point(run, step, nb_largest_number(run, row, NB_PLACE_INDEX))
                          : NULL;
    if (x && isfinite(x[0] + x[1] + x[2])) snprintf(at, sizeof at, " at (%.3g, %.3g, %.3g) m", x[0], x[1], x[2]);
    snprintf(text, size, "; the largest error, of step %d, is %s%s; %.0f open, %.0f sticking, %.0f sliding contacts",
             (int)step, place, at, nb_largest_number(run, row, NB_PLACE_OPEN),
             nb_largest_number(run, row, NB_PLACE_STICKING), nb_largest_number(run, row, NB_PLACE_SLIDING));
}

static void tell_unsolved(const nb_run *run, const survey *s, char *text, size_t size) {
    char place[320];
    if (s->at_limit == 0 && s->reason == NB_REASON_CONVERGED) {
        snprintf(
            text, size,
            "%d of %d step(s) met their tolerance and left a natural map of %.2g m/s at most, which a check may find "
            "too much",
            (int)s->unsolved, (int)run->step_count, s->worst);
        return;
    }
    int used = snprintf(text, size, "%s%d of %d step(s) not converged (natural map up to %.2g m/s), ",
                        s->at_limit > 0 ? "probably too few iterations: " : "", (int)s->unsolved, (int)run->step_count,
                        s->worst);
    if (s->at_limit > 0)
        used +=
            snprintf(text + used, size - (size_t)used, "%d at the limit of %d Newton iterations (--newton-iterations)",
                     (int)s->at_limit, (int)run->info.newton_iterations);
    if (s->reason >= 0 && s->reason < NB_REASON_COUNT)
        used += snprintf(text + used, size - (size_t)used, "%s%s", s->at_limit > 0 ? ", others " : "",
                         nb_reason_name((nb_reason)s->reason));
    if (2 * s->cut > s->solves)
        used += snprintf(text + used, size - (size_t)used, "; linear solves at theirs of %d (--linear-iterations)",
                         (int)run->info.linear_iterations);
    tell_place(run, s->worst_step, place, sizeof place);
    used += snprintf(text + used, size - (size_t)used, "%s", place);
    const char *advice =
        s->at_limit > 0 && run->final.particles > 0 ? nb_setting_advice(&run->info, NB_SHORT_WITH_ELEMENTS) : NULL;
    if (advice) snprintf(text + used, size - (size_t)used, "; %s", advice);
}

void nb_check_reason(const nb_run *run, char *text, size_t size) {
    survey s = {.reason = NAN};
    nb_penetrating deep = {0};
    nb_penetrating_add(run, &deep);
    for (int32_t step = 0; step < run->step_count; step++) survey_step(run, step, &s);
    if (*run->fault)
        snprintf(text, size, "%s", run->fault);
    else if (!run->finished)
        snprintf(text, size, "the run was interrupted after %d of %d steps", (int)run->step_count,
                 (int)run->info.steps);
    else if (s.unsolved > 0 && strcmp(run->info.precision, "f32") == 0 && s.worst < 1e-3)
        snprintf(text, size, "precision f32 left a natural map of %.2g m/s, and checks require that of f64", s.worst);
    else if (s.unsolved > 0)
        tell_unsolved(run, &s, text, size);
    else if (*run->start_words)
        snprintf(text, size, "%s", run->start_words);
    else if (deep.steps > 0)
        snprintf(text, size,
                 "%lld of %lld step(s) end with penetration of up to %.3g m, where a solved one leaves %.3g m; a "
                 "smaller --time-step, or --verify-contacts where it is off",
                 (long long)deep.steps, (long long)deep.of, deep.worst, deep.allowed);
    else
        snprintf(
            text, size,
            "every step converged, to a natural map of %.2g m/s at most%s; after %.3g s the scene may not be what the "
            "check expects, such as at rest",
            s.worst, s.worst > 1e-10 ? ", which a check may find too much" : "", run->final.time);
}
