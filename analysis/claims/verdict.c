#include "claims/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "claims/script.h"

const char *const nb_claim_verdict_names[NB_CLAIM_VERDICTS] = {"holds", "in part", "does not hold", "not testable",
                                                               "open"};

void nb_judgement_open(nb_judgement *judgement, const char *format, ...) {
    va_list arguments;
    judgement->verdict = NB_CLAIM_OPEN;
    va_start(arguments, format);
    vsnprintf(judgement->reason, sizeof judgement->reason, format, arguments);
    va_end(arguments);
}

/* "name value [low, high]", the name with spaces */
static void write_measured(const char *name, const nb_measured *m, nb_judgement *j) {
    char label[NB_NAME_LENGTH], interval[80] = "";
    size_t used = strlen(j->measured);
    snprintf(label, sizeof label, "%s", name);
    for (char *c = label; *c; c++)
        if (*c == '_') *c = ' ';
    if (m->interval == NB_INTERVAL_RANGE)
        snprintf(interval, sizeof interval, " (%.3g to %.3g)", m->low, m->high);
    else if (m->interval == NB_INTERVAL_BOOTSTRAP)
        snprintf(interval, sizeof interval, " [%.3g, %.3g]", m->low, m->high);
    snprintf(j->measured + used, sizeof j->measured - used, "%s%s %.4g%s", used ? ", " : "", label, m->value, interval);
}

/* whether a run speaks against judging; then the claim is open */
static int is_missing(const nb_claim *claim, const nb_run *run, nb_judgement *j) {
    if (!run)
        nb_judgement_open(j, "a run was not made");
    else if (*run->fault && !claim->failures_count)
        nb_judgement_open(j, "a run of %s failed: %s", run->info.scenario, run->fault);
    else
        return 0;
    return 1;
}

/* a fault of a rule, which is of the data as well, leaves the claim open */
static nb_status open_by(nb_status status, nb_judgement *j) {
    if (status == NB_OK || status == NB_ERROR_MEMORY) return status;
    nb_judgement_open(j, "%s", nb_error_message());
    return NB_OK;
}

/* the verdict of all measures */
static nb_status decide(const nb_claim *claim, const nb_measured *measured, nb_judgement *j) {
    double holds, in_part = 0;
    nb_status status;
    NB_TRY(nb_claim_evaluate(claim, claim->holds, measured, claim->measure_count, &holds));
    if (claim->in_part) NB_TRY(nb_claim_evaluate(claim, claim->in_part, measured, claim->measure_count, &in_part));
    j->verdict = holds != 0 ? NB_CLAIM_HOLDS : in_part != 0 ? NB_CLAIM_IN_PART : NB_CLAIM_DOES_NOT_HOLD;
    if (j->verdict == NB_CLAIM_DOES_NOT_HOLD)
        snprintf(j->reason, sizeof j->reason, claim->in_part ? "neither %s, nor %s" : "not %s", claim->holds,
                 claim->in_part);
    else
        snprintf(j->reason, sizeof j->reason, "%s", holds != 0 ? claim->holds : claim->in_part);
out:
    return status;
}

nb_status nb_claim_judge(const nb_claim *claim, nb_run *const *runs, int count, const char *printed, nb_judgement *j) {
    nb_measured measured[NB_CLAIM_MEASURES];
    *j = (nb_judgement){.verdict = NB_CLAIM_OPEN};
    if (claim->not_testable) {
        j->verdict = NB_CLAIM_NOT_TESTABLE;
        snprintf(j->reason, sizeof j->reason, "%s", claim->not_testable);
        return NB_OK;
    }
    if (!claim->holds) {
        nb_judgement_open(j, "no rule yet");
        return NB_OK;
    }
    for (int i = 0; i < count; i++)
        if (is_missing(claim, runs[i], j)) return NB_OK;
    if (nb_claim_read_printed(claim, printed, measured) != NB_OK) return open_by(NB_ERROR_INPUT, j);
    for (int i = 0; i < claim->measure_count; i++) {
        nb_status status = claim->measures[i].text ? nb_claim_take_measure(claim, i, runs, count, measured) : NB_OK;
        if (status != NB_OK) return open_by(status, j);
        write_measured(claim->measures[i].name, &measured[i], j);
        if (!isnan(measured[i].value)) continue;
        nb_judgement_open(j, "%s has no number", claim->measures[i].name);
        return NB_OK;
    }
    return open_by(decide(claim, measured, j), j);
}
