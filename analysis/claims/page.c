#include "claims/page.h"

#include <stdlib.h>
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

/* of the chosen claims of the paper whose first this is */
static void count_verdicts(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, int first,
                           int counts[NB_CLAIM_VERDICTS]) {
    memset(counts, 0, NB_CLAIM_VERDICTS * sizeof *counts);
    for (int i = first; i < claims->count; i++)
        if (chosen[i] && same_paper(&claims->claims[first], &claims->claims[i])) counts[judgements[i].verdict]++;
}

void nb_claims_print_counts(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, FILE *stream) {
    const nb_claim *last = NULL;
    for (int i = 0; (i = next_paper(claims, chosen, i, last)) < claims->count; last = &claims->claims[i]) {
        const nb_claim *claim = &claims->claims[i];
        int counts[NB_CLAIM_VERDICTS], named = 0;
        count_verdicts(claims, chosen, judgements, i, counts);
        nb_print(stream, "%.*s: ", nb_claim_paper_length(claim), claim->id);
        for (int v = 0; v < NB_CLAIM_VERDICTS; v++)
            if (counts[v] > 0) nb_print(stream, "%s%d %s", named++ ? ", " : "", counts[v], nb_claim_verdict_names[v]);
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

static void write_runs(const nb_claim *claim, const nb_judgement *j, FILE *page) {
    nb_print(page, "`ncpbench reproduce --claims %s`", claim->id);
    if (j->runs > 0) nb_print(page, ", %d run%s", j->runs, j->runs == 1 ? "" : "s");
    if (claim->script) {
        const int length = (int)strcspn(claim->script, " ");
        nb_print(page, "; [%.*s](scripts/%.*s)", length, claim->script, length, claim->script);
    }
    if (claim->figure) nb_print(page, "; figure `%s`", claim->figure);
}

/* "<br>TITLE: TEXT", where there is one */
static void write_detail(const char *title, const char *text, FILE *page) {
    if (!text || !*text) return;
    nb_print(page, "<br>%s: ", title);
    write_cell(text, page);
}

/* what a reader opens: set-up, rule, numbers, and what they do not show */
static void write_details(const nb_claim *claim, const nb_judgement *j, FILE *page) {
    nb_print(page, "<details><summary>rule</summary>");
    write_cell(j->reason, page);
    if (claim->setup) {
        nb_print(page, "<br>Set-up: %s", nb_claim_setup_names[claim->setup]);
        if (*claim->setup_note) nb_print(page, "; ");
        write_cell(claim->setup_note, page);
    }
    write_detail("Holds", claim->holds, page);
    write_detail("In part", claim->in_part, page);
    if (claim->says) write_detail("Numbers", j->numbers, page);
    write_detail("Note", claim->note, page);
    write_detail("First rule", claim->first_rule, page);
    nb_print(page, "</details>");
}

static void write_row(const nb_claim *claim, const nb_judgement *j, FILE *page) {
    nb_print(page, "| <a id=\"%s\"></a>%s | ", claim->id, claim->id);
    if (claim->quote) {
        nb_print(page, "“");
        write_cell(claim->quote, page);
        nb_print(page, "”<br>");
    }
    write_cell(claim->text, page);
    nb_print(page, " (");
    write_cell(claim->place, page);
    nb_print(page, ")");
    write_detail("Published", claim->published, page);
    nb_print(page, " | ");
    write_cell(or_dash(j->measured), page);
    nb_print(page, " | **%s**", nb_claim_verdict_names[j->verdict]);
    write_details(claim, j, page);
    nb_print(page, " | ");
    if (nb_claim_is_judged(claim))
        write_runs(claim, j, page);
    else
        write_cell(or_dash(claim->hint), page);
    nb_print(page, " |\n");
}

static const char *const meanings[NB_CLAIM_VERDICTS] = {
    [NB_CLAIM_HOLDS] = "the rule's condition is met",
    [NB_CLAIM_IN_PART] = "the weaker condition of the rule is met",
    [NB_CLAIM_DOES_NOT_HOLD] = "neither is met, with the paper's step, precision, method, counts, start and length",
    [NB_CLAIM_SETUP_MISSING] = "neither is met, but the paper's set-up is unpublished or was not run",
    [NB_CLAIM_NOT_TESTABLE] = "the program has no means to test it",
    [NB_CLAIM_MISPRINT] = "no claim: a formula as printed is wrong; not counted",
    [NB_CLAIM_OPEN] = "a run failed, a number is missing, or there is no rule",
};

static void write_origins(const nb_claims_origins *origins, FILE *page) {
    char now[32];
    nb_time_now(now);
    nb_print(page, "\nWritten on %.10s. Runs are in f64 where their command names no precision.\n", now);
    if (origins->count == 0) return;
    nb_print(page, "\n| processor | kernels | commit | runs |\n|---|---|---|---|\n");
    for (int i = 0; i < origins->count; i++) {
        const nb_claims_origin *o = &origins->origins[i];
        nb_print(page, "| %s | %s | %.12s | %lld |\n", o->processor, o->kernels, o->commit, (long long)o->runs);
    }
}

static void write_head(const nb_claims_origins *origins, FILE *page) {
    nb_print(page, "%s\n\n", NB_CLAIMS_PAGE_TITLE);
    nb_print(
        page,
        "`ncpbench reproduce --claims --write FILE` writes this page. [A rule](.) gives each verdict from recorded\n"
        "runs, or from the numbers of [a script](scripts). Round brackets have the least and the most of several\n"
        "values, square brackets a 95 %% interval: of a median by the percentile bootstrap, of a share by Wilson's\n"
        "score. *Set-up* says whether the runs have the paper's step, precision, method, counts, start and length.\n"
        "\n| verdict | meaning |\n|---|---|\n");
    for (int v = 0; v < NB_CLAIM_VERDICTS; v++) nb_print(page, "| %s | %s |\n", nb_claim_verdict_names[v], meanings[v]);
    write_origins(origins, page);
}

/* a row a paper, with how many claims of it have each verdict */
static void write_counts(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, FILE *page) {
    const nb_claim *last = NULL;
    nb_print(page, "\n| paper |");
    for (int v = 0; v < NB_CLAIM_VERDICTS; v++) nb_print(page, " %s |", nb_claim_verdict_names[v]);
    nb_print(page, "\n|---|");
    for (int v = 0; v < NB_CLAIM_VERDICTS; v++) nb_print(page, "---|");
    nb_print(page, "\n");
    for (int i = 0; (i = next_paper(claims, chosen, i, last)) < claims->count; last = &claims->claims[i]) {
        int counts[NB_CLAIM_VERDICTS];
        count_verdicts(claims, chosen, judgements, i, counts);
        nb_print(page, "| %s |", claims->claims[i].paper);
        for (int v = 0; v < NB_CLAIM_VERDICTS; v++) nb_print(page, " %d |", counts[v]);
        nb_print(page, "\n");
    }
}

static void write_summary(const nb_claims *claims, const nb_claim *first, FILE *page) {
    const int length = nb_claim_paper_length(first);
    for (int i = 0; claims->summaries[i]; i++)
        if (strncmp(claims->summaries[i], first->id, (size_t)length) == 0 && claims->summaries[i][length] == ' ')
            nb_print(page, "%s\n\n", claims->summaries[i] + length + 1);
}

nb_status nb_claims_write_page(const nb_claims *claims, const char *chosen, const nb_judgement *judgements,
                               const nb_claims_origins *origins, FILE *page) {
    const nb_claim *last = NULL;
    write_head(origins, page);
    write_counts(claims, chosen, judgements, page);
    for (int i = 0; (i = next_paper(claims, chosen, i, last)) < claims->count; last = &claims->claims[i]) {
        nb_print(page, "\n## %s\n\n", claims->claims[i].paper);
        write_summary(claims, &claims->claims[i], page);
        nb_print(page, "| id | claim | measured | verdict | runs |\n|---|---|---|---|---|\n");
        for (int k = i; k < claims->count; k++)
            if (chosen[k] && same_paper(&claims->claims[i], &claims->claims[k]))
                write_row(&claims->claims[k], &judgements[k], page);
    }
    return ferror(page) ? nb_fail(NB_ERROR_IO, "the page of claims could not be written whole") : NB_OK;
}

void nb_claims_origins_add(nb_claims_origins *origins, const nb_provenance *p) {
    nb_claims_origin *o = origins->origins;
    for (; o < origins->origins + origins->count; o++)
        if (strcmp(o->processor, p->cpu_model) == 0 && strcmp(o->commit, p->git_commit) == 0 &&
            strcmp(o->kernels, p->simd) == 0)
            break;
    if (o == origins->origins + NB_CLAIMS_ORIGINS) o--;
    if (o == origins->origins + origins->count) {
        snprintf(o->processor, sizeof o->processor, "%s", p->cpu_model);
        snprintf(o->commit, sizeof o->commit, "%s", p->git_commit);
        snprintf(o->kernels, sizeof o->kernels, "%s", p->simd);
        origins->count++;
    }
    o->runs++;
}

/* ---- beside figures ---- */

static int is_shown(const nb_claim *claim, const char *figure) {
    return claim->figure && strcmp(claim->figure, figure) == 0;
}

enum {
    SHOWN = 64 /* claims of a verdict that a caption names at most */
};

/* those of this paper and verdict that the figure shows: [count] */
static int find_shown(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, const char *figure,
                      const nb_claim *paper, int verdict, const nb_claim **shown) {
    int count = 0;
    for (int i = 0; i < claims->count && count < SHOWN; i++) {
        const nb_claim *claim = &claims->claims[i];
        if (chosen[i] && same_paper(paper, claim) && is_shown(claim, figure) && (int)judgements[i].verdict == verdict)
            shown[count++] = claim;
    }
    return count;
}

/* "Claims 27 and 28 of Macklin et al. 2019 hold." */
static void quote(const nb_claim *const *shown, int count, int verdict, int name_paper, FILE *stream) {
    static const char *const verbs[NB_CLAIM_OPEN][2] = {{"holds", "hold"},
                                                        {"holds in part", "hold in part"},
                                                        {"does not hold", "do not hold"},
                                                        {"lacks the paper's set-up", "lack the paper's set-up"},
                                                        {"is not testable", "are not testable"},
                                                        {"is a misprint", "are misprints"}};
    nb_print(stream, "%s", count > 1 ? "Claims" : "Claim");
    for (int i = 0; i < count; i++)
        nb_print(stream, "%s%d",
                 i == 0           ? " "
                 : i == count - 1 ? " and "
                                  : ", ",
                 atoi(shown[i]->id + nb_claim_paper_length(shown[i]) + 1));
    if (name_paper) nb_print(stream, " of %s", shown[0]->paper);
    nb_print(stream, " %s.", verbs[verdict][count > 1]);
}

void nb_claims_quote(const nb_claims *claims, const char *chosen, const nb_judgement *judgements, const char *figure,
                     char *text, size_t size) {
    const nb_claim *last = NULL, *shown[SHOWN];
    FILE *stream = fmemopen(text, size, "w");
    int sentences = 0;
    *text = '\0';
    if (!stream) return;
    for (int i = 0; (i = next_paper(claims, chosen, i, last)) < claims->count; last = &claims->claims[i])
        for (int v = 0, named = 0; v < NB_CLAIM_OPEN; v++) {
            const int count = find_shown(claims, chosen, judgements, figure, &claims->claims[i], v, shown);
            if (count == 0) continue;
            if (sentences++) fputc(' ', stream);
            quote(shown, count, v, named++ == 0, stream);
        }
    fclose(stream);
}

static void write_claim(const nb_claim *claim, const nb_judgement *j, FILE *page) {
    nb_print(page, "| ");
    if (claim->quote) {
        nb_print(page, "“");
        write_cell(claim->quote, page);
        nb_print(page, "” ");
    }
    nb_print(page, "%s: ", claim->id);
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
