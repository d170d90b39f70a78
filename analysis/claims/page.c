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

/* ---- beside figures ---- */

static int is_shown(const nb_claim *claim, const char *figure) {
    return claim->figure && strcmp(claim->figure, figure) == 0;
}

void nb_claims_quote(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, const char *figure,
                     char *text, size_t size) {
    const nb_claim *last = NULL;
    FILE *stream = fmemopen(text, size, "w");
    *text = '\0';
    if (!stream) return;
    for (int v = 0; v < NB_CLAIM_OPEN; v++) {
        int named = 0;
        for (int i = 0; i < claims->count; i++) {
            const nb_claim *claim = &claims->claims[i];
            if (!chosen[i] || !is_shown(claim, figure) || (int)judgements[i].verdict != v) continue;
            if (!named) nb_print(stream, "%s%s: ", last ? "; " : "Claims: ", nb_claim_verdict_names[v]);
            nb_print(stream, "%s%s", named++ ? ", " : "",
                     claim->id + (last && same_paper(last, claim) ? nb_claim_paper_length(claim) + 1 : 0));
            last = claim;
        }
    }
    fclose(stream);
}

static void write_claim(const nb_claim *claim, const nb_judgement *j, FILE *page) {
    nb_print(page, "| %s: ", claim->id);
    write_cell(claim->text, page);
    nb_print(page, " (");
    write_cell(claim->place, page);
    nb_print(page, ")");
    if (*or_dash(claim->published) != '-') {
        nb_print(page, "<br>Published: ");
        write_cell(claim->published, page);
    }
    nb_print(page, " | **%s**", nb_claim_verdict_names[j->verdict]);
    if (j->verdict == NB_CLAIM_OPEN)
        nb_print(page, ": `ncpbench reproduce --claims %s` judges it", claim->id);
    else if (*j->measured)
        nb_print(page, ": ");
    if (j->verdict != NB_CLAIM_OPEN) write_cell(j->measured, page);
    nb_print(page, " |\n");
}

nb_status nb_claims_write_figures(const nb_claims *claims, const char *chosen, const nb_judgement *judgements,
                                  const char *paper, const nb_figure_class *const *figures, int count,
                                  const char *ending, FILE *page) {
    const size_t length = strlen(paper);
    int first = 0;
    while (first < claims->count - 1 && strncmp(claims->claims[first].id, paper, length) != 0) first++;
    nb_print(page, "%s: %s\n\n", NB_CLAIMS_PAGE_TITLE, claims->claims[first].paper);
    nb_print(page,
             "`ncpbench reproduce` writes this page next to its figures. Rules give the verdicts from the runs that\n"
             "are here; results/claims of the sources has these rules, and the other claims.\n");
    for (int k = 0; k < count; k++) {
        const char *name = figures[k]->name;
        int rows = 0;
        for (int i = first; i < claims->count; i++)
            rows += chosen[i] && is_shown(&claims->claims[i], name) &&
                    same_paper(&claims->claims[first], &claims->claims[i]);
        if (rows == 0 && !(strncmp(name, paper, length) == 0 && name[length] == '-')) continue;
        nb_print(page, "\n## %s\n\n![%s](%s.%s)\n", name, figures[k]->summary, name, ending);
        if (rows > 0) nb_print(page, "\n| what the paper says | what came out |\n|---|---|\n");
        for (int i = first; rows > 0 && i < claims->count; i++)
            if (chosen[i] && is_shown(&claims->claims[i], name) &&
                same_paper(&claims->claims[first], &claims->claims[i]))
                write_claim(&claims->claims[i], &judgements[i], page);
    }
    return ferror(page) ? nb_fail(NB_ERROR_IO, "the page of %s could not be written whole", paper) : NB_OK;
}
