#include "claims/page.h"

#include <string.h>

#include "text/plain.h"

static const char *or_dash(const char *text) {
    return text && *text ? text : "-";
}

void nb_claims_print(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, FILE *stream) {
    nb_print(stream, "claim\tpublished\tmeasured\tverdict\treason\n");
    for (int i = 0; i < claims->count; i++)
        if (chosen[i])
            nb_print(stream, "%s\t%s\t%s\t%s\t%s\n", claims->claims[i].id, or_dash(claims->claims[i].published),
                     or_dash(judgements[i].measured), nb_claim_verdict_names[judgements[i].verdict],
                     judgements[i].reason);
}

/* ---- papers ---- */

static int same_paper(const nb_claim *a, const nb_claim *b) {
    int length = nb_claim_paper_length(a);
    return length == nb_claim_paper_length(b) && strncmp(a->id, b->id, (size_t)length) == 0;
}

/* the first chosen claim of the next paper from `i` on, or the number of claims */
static int next_paper(const nb_claims *claims, const char *chosen, int i, const nb_claim *last) {
    while (i < claims->count && !(chosen[i] && !(last && same_paper(last, &claims->claims[i])))) i++;
    return i;
}

static void print_counts(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, int first,
                         FILE *stream) {
    int counts[NB_CLAIM_VERDICTS] = {0}, named = 0;
    for (int i = first; i < claims->count; i++)
        if (chosen[i] && same_paper(&claims->claims[first], &claims->claims[i])) counts[judgements[i].verdict]++;
    for (int v = 0; v < NB_CLAIM_VERDICTS; v++)
        if (counts[v] > 0) nb_print(stream, "%s%d %s", named++ ? ", " : "", counts[v], nb_claim_verdict_names[v]);
}

void nb_claims_print_counts(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, FILE *stream) {
    const nb_claim *last = NULL;
    for (int i = 0; (i = next_paper(claims, chosen, i, last)) < claims->count; last = &claims->claims[i]) {
        const nb_claim *claim = &claims->claims[i];
        nb_print(stream, "%.*s: ", nb_claim_paper_length(claim), claim->id);
        print_counts(claims, chosen, judgements, i, stream);
        nb_print(stream, "\n");
    }
}

/* ---- the page ---- */

/* text in a cell of a table: no bars, and nothing that Markdown reads as more than text */
static void write_cell(const char *text, FILE *page) {
    for (; *text; text++) {
        if (strchr("|*_<>`", *text)) fputc('\\', page);
        fputc(*text, page);
    }
}

static void write_runs(const nb_claim *claim, FILE *page) {
    nb_print(page, "`ncpbench reproduce --claims %s`", claim->id);
    if (claim->script) {
        const int length = (int)strcspn(claim->script, " ");
        nb_print(page, "; [%.*s](scripts/%.*s)", length, claim->script, length, claim->script);
    }
    if (claim->figure) nb_print(page, "; figure `%s`", claim->figure);
}

static void write_row(const nb_claim *claim, const nb_judgement *j, FILE *page) {
    nb_print(page, "| %s | ", claim->id);
    write_cell(claim->text, page);
    nb_print(page, " (");
    write_cell(claim->place, page);
    nb_print(page, ") | ");
    write_cell(or_dash(claim->published), page);
    nb_print(page, " | ");
    write_cell(or_dash(j->measured), page);
    nb_print(page, " | %s | ", nb_claim_verdict_names[j->verdict]);
    write_cell(j->reason, page);
    if (claim->note) {
        nb_print(page, "<br>");
        write_cell(claim->note, page);
    }
    nb_print(page, " | ");
    if (claim->holds)
        write_runs(claim, page);
    else
        write_cell(or_dash(claim->hint), page);
    nb_print(page, " |\n");
}

static void write_head(FILE *page) {
    nb_print(page, "%s\n\n", NB_CLAIMS_PAGE_TITLE);
    nb_print(
        page,
        "`ncpbench reproduce --claims --write FILE` writes this page. A rule gives each verdict from recorded runs.\n"
        "The column reason has the part of the rule that decided; [the rules](.) have all of it. Ranges in round\n"
        "brackets are the least and the most of several values; those in square brackets are 95 %% intervals of a\n"
        "median by the percentile bootstrap. A claim is open where there is no rule yet, a run failed, or a number is\n"
        "missing. The last column has the command that makes a claim's runs, or a hint for who writes its rule. Where\n"
        "runs alone do not tell, the numbers are those of [a script](scripts), which is named there.\n");
}

nb_status nb_claims_write_page(const nb_claims *claims, const char *chosen, const nb_judgement *judgements,
                               FILE *page) {
    const nb_claim *last = NULL;
    write_head(page);
    for (int i = 0; (i = next_paper(claims, chosen, i, last)) < claims->count; last = &claims->claims[i]) {
        nb_print(page, "\n## %s\n\n", claims->claims[i].paper);
        print_counts(claims, chosen, judgements, i, page);
        nb_print(
            page,
            ".\n\n| id | claim | published | measured | verdict | reason | runs |\n|---|---|---|---|---|---|---|\n");
        for (int k = i; k < claims->count; k++)
            if (chosen[k] && same_paper(&claims->claims[i], &claims->claims[k]))
                write_row(&claims->claims[k], &judgements[k], page);
    }
    return ferror(page) ? nb_fail(NB_ERROR_IO, "the page of claims could not be written whole") : NB_OK;
}
