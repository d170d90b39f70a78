#include "claims/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "claims/script.h"
#include "text/plain.h"

const char *const nb_claim_verdict_names[NB_CLAIM_VERDICTS] = {
    "holds", "in part", "does not hold", "set-up missing", "not testable", "misprint", "open"};

void nb_judgement_open(nb_judgement *judgement, const char *format, ...) {
    va_list arguments;
    judgement->verdict = NB_CLAIM_OPEN;
    va_start(arguments, format);
    vsnprintf(judgement->reason, sizeof judgement->reason, format, arguments);
    va_end(arguments);
}

/* "value [low, high]" */
static void write_number(const nb_measured *m, FILE *to) {
    nb_print(to, "%.4g", m->value);
    if (m->interval == NB_INTERVAL_RANGE)
        nb_print(to, " (%.3g to %.3g)", m->low, m->high);
    else if (m->interval != NB_INTERVAL_NONE)
        nb_print(to, " [%.3g, %.3g]", m->low, m->high);
}

/* "name value [low, high], ...", the names with spaces */
static void write_numbers(const nb_claim *claim, const nb_measured *measured, int count, FILE *to) {
    for (int i = 0; i < count; i++) {
        if (i > 0) nb_print(to, ", ");
        for (const char *c = claim->measures[i].name; *c; c++) fputc(*c == '_' ? ' ' : *c, to);
        fputc(' ', to);
        write_number(&measured[i], to);
    }
}

/* the rule's sentence, with the value of each {NAME} */
static void write_sentence(const nb_claim *claim, const nb_measured *measured, FILE *to) {
    for (const char *at = claim->says; *at; at++) {
        if (*at != '{') {
            fputc(*at, to);
            continue;
        }
        const size_t length = strcspn(at + 1, "}");
        int i = 0;
        while (!nb_name_is(claim->measures[i].name, at + 1, length)) i++;
        write_number(&measured[i], to);
        at += length + (at[length + 1] == '}');
    }
}

/* the first `count` measures, as text */
static void write_measured(const nb_claim *claim, const nb_measured *measured, int count, nb_judgement *j) {
    FILE *numbers = fmemopen(j->numbers, sizeof j->numbers, "w"), *sentence = NULL;
    if (numbers) write_numbers(claim, measured, count, numbers);
    if (claim->says && count == claim->measure_count) sentence = fmemopen(j->measured, sizeof j->measured, "w");
    if (sentence) write_sentence(claim, measured, sentence);
    if (numbers) fclose(numbers);
    if (sentence)
        fclose(sentence);
    else
        snprintf(j->measured, sizeof j->measured, "%s", j->numbers);
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

/* the conditions that `and` joins, outside of brackets; of an expression with `or` there: the whole one. Returns what
 * follows the first, or NULL, and copies that to `term` */
static const char *next_condition(const char *text, char *term, size_t size) {
    int depth = 0;
    const char *end = NULL;
    for (const char *c = text; *c && !end; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth == 0 && strncmp(c, " and ", 5) == 0 && !strstr(text, " or ")) end = c;
    }
    snprintf(term, size, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
    return end ? end + 5 : NULL;
}

/* appends "; not met: A, B", the conditions of the text that are false */
static nb_status add_unmet(const nb_claim *claim, const char *text, const nb_measured *measured, nb_judgement *j) {
    nb_status status = NB_OK;
    char term[512];
    int named = 0;
    while (text) {
        double value;
        text = next_condition(text, term, sizeof term);
        NB_TRY(nb_claim_evaluate(claim, term, measured, claim->measure_count, &value));
        if (value != 0) continue;
        size_t used = strlen(j->reason);
        snprintf(j->reason + used, sizeof j->reason - used, "%s%s",
                 named++ ? ", "
                 : used  ? "; not met: "
                         : "not met: ",
                 term);
    }
out:
    return status;
}

/* the verdict where neither condition is met */
static nb_status refute(const nb_claim *claim, const nb_measured *measured, nb_judgement *j) {
    nb_status status;
    j->verdict = claim->setup == NB_SETUP_PUBLISHED ? NB_CLAIM_DOES_NOT_HOLD : NB_CLAIM_SETUP_MISSING;
    if (j->verdict == NB_CLAIM_SETUP_MISSING)
        snprintf(j->reason, sizeof j->reason, "set-up %s%s%s", nb_claim_setup_names[claim->setup],
                 claim->setup ? ": " : "", claim->setup ? claim->setup_note : "");
    NB_TRY(add_unmet(claim, claim->in_part ? claim->in_part : claim->holds, measured, j));
out:
    return status;
}

/* the verdict of all measures */
static nb_status decide(const nb_claim *claim, const nb_measured *measured, nb_judgement *j) {
    double holds = 0, in_part = 0;
    nb_status status = NB_OK;
    const char *first = claim->misprint ? claim->misprint : claim->holds;
    if (first) NB_TRY(nb_claim_evaluate(claim, first, measured, claim->measure_count, &holds));
    if (claim->in_part) NB_TRY(nb_claim_evaluate(claim, claim->in_part, measured, claim->measure_count, &in_part));
    if (holds != 0) {
        j->verdict = claim->misprint ? NB_CLAIM_MISPRINT : NB_CLAIM_HOLDS;
        snprintf(j->reason, sizeof j->reason, "%s", first);
    } else if (claim->misprint)
        nb_judgement_open(j, "the formulas as printed are right: not %s", claim->misprint);
    else if (in_part != 0) {
        j->verdict = NB_CLAIM_IN_PART;
        snprintf(j->reason, sizeof j->reason, "%s", claim->in_part);
        if (claim->holds) NB_TRY(add_unmet(claim, claim->holds, measured, j));
    } else
        NB_TRY(refute(claim, measured, j));
out:
    return status;
}

nb_status nb_claim_judge(const nb_claim *claim, nb_run *const *runs, int count, const char *printed, nb_judgement *j) {
    nb_measured measured[NB_CLAIM_MEASURES];
    *j = (nb_judgement){.verdict = NB_CLAIM_OPEN, .runs = count};
    if (claim->not_testable) {
        j->verdict = NB_CLAIM_NOT_TESTABLE;
        snprintf(j->reason, sizeof j->reason, "%s", claim->not_testable);
        return NB_OK;
    }
    if (!nb_claim_is_judged(claim)) {
        nb_judgement_open(j, "no rule yet");
        return NB_OK;
    }
    for (int i = 0; i < count; i++)
        if (is_missing(claim, runs[i], j)) return NB_OK;
    if (nb_claim_read_printed(claim, printed, measured) != NB_OK) return open_by(NB_ERROR_INPUT, j);
    for (int i = 0; i < claim->measure_count; i++) {
        nb_status status = claim->measures[i].text ? nb_claim_take_measure(claim, i, runs, count, measured) : NB_OK;
        if (status != NB_OK) {
            write_measured(claim, measured, i, j);
            return open_by(status, j);
        }
        if (!isnan(measured[i].value)) continue;
        write_measured(claim, measured, i + 1, j);
        nb_judgement_open(j, "%s has no number", claim->measures[i].name);
        return NB_OK;
    }
    write_measured(claim, measured, claim->measure_count, j);
    return open_by(decide(claim, measured, j), j);
}
