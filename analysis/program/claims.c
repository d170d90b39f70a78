#include "claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "claims/page.h"
#include "claims/script.h"
#include "command.h"
#include "drawing.h"
#include "execute.h"
#include "figure/files.h"
#include "file_readers.h"
#include "interrupt.h"
#include "overwrite.h"
#include "record/partial.h"
#include "record/record.h"
#include "run_output.h"
#include "text/plain.h"

enum {
    QUICK_S = 300 /* all runs of --quick together take so long on one core, by what the rules say */
};

typedef struct session {
    const nb_claims_request *request;
    nb_claims claims;
    char *chosen, *left_out; /* [claims.count] left_out: not within --quick */
    nb_judgement *judgements;
    /* [claims.count + 1] the record of each claim's runs, and behind them that of the figures; NULL: not open */
    nb_record_reader **readers;
    char **rival_texts;        /* [claims.count] of what their rules are written in; NULL: not a rival */
    nb_claims_origins origins; /* of the runs that claims were judged by */
    char *begun;               /* [claims.count + 1] 1: written by this command */
    int busy;                  /* 1: a run of the present claim was made on a busy machine */
    nb_provenance here;        /* of this program */
    nb_provenance other;       /* that made runs of the present claim which are no evidence for this one; else empty */
} session;

/* ---- which claims ---- */

static const char *name_at(const void *claims, int i) {
    return ((const nb_claims *)claims)->claims[i].id;
}

/* whether the name is the claim's id, or that of its paper */
static int is_named(const nb_claim *claim, const char *name, size_t length) {
    size_t paper = (size_t)nb_claim_paper_length(claim);
    if (strncmp(claim->id, name, length) != 0) return 0;
    return length == paper || claim->id[length] == '\0';
}

static nb_status unknown(const session *s, const char *name) {
    char hint[256], papers[256] = "";
    nb_name_hint("", name, s->claims.count, name_at, &s->claims, hint, sizeof hint);
    for (int i = 0; i < s->claims.count; i++) {
        const nb_claim *claim = &s->claims.claims[i];
        size_t used = strlen(papers), length = (size_t)nb_claim_paper_length(claim);
        if (i > 0 && is_named(&s->claims.claims[i - 1], claim->id, length)) continue;
        snprintf(papers + used, sizeof papers - used, "%s%.*s", used ? ", " : "", (int)length, claim->id);
    }
    return nb_fail(NB_ERROR_USAGE, "reproduce: no claim or paper is called '%.60s'%s (papers: %s)", name, hint, papers);
}

static nb_status choose(session *s) {
    const char *names = s->request->names;
    int all = !names || strcmp(names, "all") == 0;
    if (all) memset(s->chosen, 1, (size_t)s->claims.count);
    for (const char *name = all ? "" : names; *name;) {
        size_t length = strcspn(name, ",");
        int found = 0;
        for (int i = 0; i < s->claims.count; i++) {
            if (!is_named(&s->claims.claims[i], name, length)) continue;
            s->chosen[i] = 1;
            found = 1;
        }
        if (!found) {
            char word[64];
            snprintf(word, sizeof word, "%.*s", (int)length, name);
            return unknown(s, word);
        }
        name += length + (name[length] == ',');
    }
    return NB_OK;
}

/* puts the rivals of the chosen claims in their place, and leaves out those that have none */
static nb_status choose_rivals(session *s) {
    nb_status status = NB_OK;
    for (int i = 0; i < s->claims.count; i++) {
        nb_claim *claim = &s->claims.claims[i];
        if (claim->rival_count == 0) s->chosen[i] = 0;
        if (s->chosen[i]) NB_TRY(nb_claim_make_rival(claim, claim, &s->rival_texts[i]));
    }
out:
    return status;
}

/* leaves out the longest claims, until the others take five minutes */
static void choose_quick(session *s) {
    double all = 0;
    for (int i = 0; i < s->claims.count; i++)
        if (s->chosen[i]) all += s->claims.claims[i].takes;
    while (s->request->quick && all > QUICK_S) {
        int longest = -1;
        for (int i = 0; i < s->claims.count; i++)
            if (s->chosen[i] && !s->left_out[i] &&
                (longest < 0 || s->claims.claims[i].takes > s->claims.claims[longest].takes))
                longest = i;
        s->left_out[longest] = 1;
        all -= s->claims.claims[longest].takes;
    }
}

/* ---- runs ---- */

/* the lines of the figure's runs, or NULL */
static const char *const *lines_of(const char *name) {
    const nb_figure_class *figure;
    for (int i = 0; name && (figure = nb_figure_at(i)) != NULL; i++)
        if (strcmp(figure->name, name) == 0) return figure->runs;
    return NULL;
}

/* line `k` of the claim's runs, its own before the figure's; NULL: there are no more */
static const char *run_line(const nb_claim *claim, int k) {
    const char *const *from = lines_of(claim->from);
    int own = 0;
    while (claim->runs[own]) own++;
    return k < own ? claim->runs[k] : from ? from[k - own] : NULL;
}

static nb_status make_plan(const nb_claim *claim, nb_run_lines *lines) {
    nb_status status = NB_OK;
    const char *line;
    for (int k = 0; (line = run_line(claim, k)) != NULL; k++) NB_TRY(nb_run_lines_add(lines, line));
out:
    return status;
}

/* the path of claim k's record or text; of those that figures share where k is the number of claims */
static nb_status kept_path(const session *s, int k, const char *ending, char path[4096]) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", k < s->claims.count ? s->claims.claims[k].id : "reproduce",
             s->request->rivals && k < s->claims.count ? "-rival" : "");
    return nb_drawing_path(s->request->folder, name, ending, path, 4096);
}

/* record k's reader, where there is such a record; with --force those of earlier commands do not count */
static nb_status open_record(session *s, int k) {
    char path[4096];
    nb_status status = NB_OK;
    if (s->readers[k] || (s->request->force && !s->begun[k])) return NB_OK;
    NB_TRY(kept_path(s, k, "h5", path));
    if (access(path, F_OK) != 0) return NB_OK;
    NB_TRY(nb_safe_read(path, nb_read_record));
    NB_TRY(nb_record_open(path, &s->readers[k]));
out:
    return status;
}

static void close_record(session *s, int k) {
    nb_record_reader_close(s->readers[k]);
    s->readers[k] = NULL;
}

/* whether linear iterations were made, whose residuals are wanted, and were not recorded (--linear-history off) */
static int lacks_history(const nb_request *request, const nb_run *run) {
    const int column = nb_run_newton_column(run, "linear_iterations");
    const int64_t rows = run->step_count > 0 ? run->newton_start[run->step_count] : 0;
    if (!request->linear_history || column < 0 || rows == 0 || run->linear_start[rows] > 0) return 0;
    for (int64_t row = 0; row < rows; row++)
        if (nb_run_newton_number(run, row, column) > 0) return 1;
    return 0;
}

/* whether this program made the run of record k; if not, by which */
static int is_ours(session *s, int k, int provenance) {
    const nb_provenance *where = nb_record_provenance_at(s->readers[k], provenance);
    if (where && nb_provenance_same_program(where, &s->here)) return 1;
    if (where) s->other = *where;
    return 0;
}

/* the request's run in record k, or NULL: it was not made by this program, or not to its end */
static nb_status look_into(session *s, int k, const nb_request *request, nb_run **run) {
    nb_status status = NB_OK;
    NB_TRY(open_record(s, k));
    for (int i = 0; s->readers[k] && i < nb_record_run_count(s->readers[k]) && !*run; i++) {
        const nb_run_head *head;
        NB_TRY(nb_record_read_head(s->readers[k], i, &head));
        nb_run_info info = head->info; /* one with more repetitions is as good */
        if (info.repeats > request->info.repeats) info.repeats = request->info.repeats;
        if (!nb_resume_is_run_of(request, &info)) continue;
        NB_TRY(nb_record_read_run(s->readers[k], i, run));
        if (((*run)->finished || *(*run)->fault) && !lacks_history(request, *run) &&
            is_ours(s, k, (*run)->provenance)) {
            const nb_provenance *where = nb_record_provenance_at(s->readers[k], (*run)->provenance);
            s->busy |= where && strstr(where->warnings, "the machine was busy") != NULL;
            if (where) nb_claims_origins_add(&s->origins, where);
            break;
        }
        nb_run_destroy(*run);
        *run = NULL;
    }
out:
    return status;
}

/* the run in the claim's record, or in any other */
static nb_status find_run(session *s, int claim, const nb_request *request, nb_run **run) {
    nb_status status = look_into(s, claim, request, run);
    for (int k = s->claims.count; k >= 0 && !*run && status == NB_OK; k--) status = look_into(s, k, request, run);
    return status;
}

static nb_status find_runs(session *s, int claim, const nb_plan *plan, nb_run **runs, int64_t *missing) {
    nb_status status = NB_OK;
    *missing = 0;
    for (int64_t i = 0; i < plan->count; i++) {
        if (!runs[i]) NB_TRY(find_run(s, claim, plan->requests[i], &runs[i]));
        *missing += !runs[i];
    }
out:
    return status;
}

/* makes those that are missing, and adds them to the claim's record */
static nb_status make_runs(session *s, int claim, const nb_plan *plan, nb_run *const *runs) {
    nb_status status;
    int exit_status;
    char path[4096], *made = NULL;
    NB_TRY(kept_path(s, claim, "h5", path));
    NB_TRY(NB_ALLOCATE(plan->count, &made));
    for (int64_t i = 0; i < plan->count; i++) made[i] = runs[i] != NULL;
    const nb_output output = {.path = path,
                              .title = s->claims.claims[claim].id,
                              .command = s->request->command,
                              .append = !s->request->force,
                              .force = s->request->force,
                              .quiet = 1,
                              .made = made,
                              .accept_unmet = 1};
    close_record(s, claim);
    NB_TRY(nb_execute(plan, &output, &exit_status));
    s->begun[claim] = 1;
out:
    nb_free(made);
    return status;
}

/* ---- scripts ---- */

/* the rest of the file, where it begins with the title; else *text stays NULL */
static nb_status read_printed(const char *path, const char *title, char **text) {
    char line[NB_CLAIM_TITLE];
    FILE *file;
    nb_status status;
    int64_t count, capacity = 0;
    size_t got;
    NB_TRY(nb_file_open(path, 'r', &file));
    if (fgets(line, sizeof line, file) && strcmp(line, title) == 0) {
        for (count = 0;; count += (int64_t)got) {
            status = NB_RESERVE(count + 4096, &capacity, text);
            if (status != NB_OK) break;
            got = fread(*text + count, 1, 4095, file);
            (*text)[count + (int64_t)got] = '\0';
            if (got == 0) break;
        }
    }
    fclose(file);
out:
    return status;
}

/* what the script printed for an earlier command, else NULL; with --force, or cut short, that does not count */
static nb_status find_printed(const session *s, int i, const char *path, char **printed) {
    char title[NB_CLAIM_TITLE];
    nb_status status = NB_OK;
    if (s->request->force || access(path, F_OK) != 0) return NB_OK;
    NB_TRY(nb_overwrite_check(path, NB_WRITTEN_PRINTED, 0));
    nb_claim_script_title(nb_claim_sources, s->claims.claims[i].script, title);
    NB_TRY(read_printed(path, title, printed));
    if (*printed && nb_claim_script_is_whole(*printed)) return NB_OK;
    nb_free(*printed);
    *printed = NULL;
out:
    return status;
}

/* runs the script, and keeps what it printed where the rule can read it */
static nb_status make_printed(const session *s, int i, const char *path, char **printed) {
    const nb_claim *claim = &s->claims.claims[i];
    nb_measured measured[NB_CLAIM_MEASURES];
    nb_figure_files files = {.count = 0};
    nb_status status;
    nb_print(stderr, "%s\n", claim->id);
    NB_TRY(nb_claim_script_run(nb_claim_sources, claim->script, printed));
    NB_TRY(nb_claim_read_printed(claim, *printed, measured));
    NB_TRY(nb_overwrite_check(path, NB_WRITTEN_PRINTED, s->request->force));
    NB_TRY(nb_figure_files_add_text(&files, path, *printed));
    NB_TRY(nb_figure_files_put(&files));
out:
    nb_figure_files_clear(&files);
    return status;
}

/* *printed: NULL where the claim has no script, or --quick leaves it out */
static nb_status get_printed(const session *s, int i, char **printed) {
    char path[4096];
    nb_status status = NB_OK;
    if (!s->claims.claims[i].script) return NB_OK;
    NB_TRY(kept_path(s, i, "txt", path));
    NB_TRY(find_printed(s, i, path, printed));
    if (!*printed && !s->left_out[i]) NB_TRY(make_printed(s, i, path, printed));
out:
    return status;
}

/* ---- verdicts ---- */

/* what a fault of one claim's runs means for the others: nothing, unless it would meet them too */
static nb_status open_by(nb_status status, nb_judgement *j) {
    if (status == NB_OK || status == NB_ERROR_MEMORY || status == NB_ERROR_IO) return status;
    *j = (nb_judgement){.verdict = NB_CLAIM_OPEN};
    nb_judgement_open(j, "%s", nb_error_message());
    return NB_OK;
}

/* the claim whose runs are made, and why those that stand in the folder do not do */
static void name_claim(const session *s, int i) {
    const nb_provenance *p = &s->other;
    if (!*p->ncpbench_version)
        nb_print(stderr, "%s\n", s->claims.claims[i].id);
    else
        nb_print(stderr, "%s: its runs are of ncpbench %s (%.12s%s) and are made again\n", s->claims.claims[i].id,
                 p->ncpbench_version, p->git_commit, p->git_dirty ? " changed" : "");
}

static nb_status judge_by_runs(session *s, int i, const nb_plan *plan) {
    nb_status status;
    nb_run **runs = NULL;
    char *printed = NULL;
    nb_judgement *j = &s->judgements[i];
    int64_t missing = 0;
    s->busy = 0;
    *s->other.ncpbench_version = '\0';
    NB_TRY(NB_ALLOCATE(plan->count, &runs));
    NB_TRY(find_runs(s, i, plan, runs, &missing));
    NB_TRY(get_printed(s, i, &printed));
    if (s->left_out[i] && (missing > 0 || (s->claims.claims[i].script && !printed))) {
        nb_judgement_open(j, "its runs %stake about %.0f s: not with --quick",
                          *s->other.ncpbench_version ? "are of another version or commit, and " : "",
                          s->claims.claims[i].takes);
        goto out;
    }
    if (missing > 0) {
        name_claim(s, i);
        NB_TRY(make_runs(s, i, plan, runs));
        NB_TRY(find_runs(s, i, plan, runs, &missing));
    }
    NB_TRY(nb_claim_judge(&s->claims.claims[i], runs, (int)plan->count, printed, j));
    if (s->claims.claims[i].quiet && s->busy && missing == 0)
        nb_judgement_open(j, "the machine was busy, and its times say nothing; use --force to repeat the runs");
out:
    for (int64_t k = 0; runs && k < plan->count; k++) nb_run_destroy(runs[k]);
    nb_free(runs);
    nb_free(printed);
    return status;
}

static nb_status judge(session *s, int i) {
    const nb_claim *claim = &s->claims.claims[i];
    nb_run_lines lines = {.count = 0};
    nb_status status;
    if (!nb_claim_is_judged(claim)) return nb_claim_judge(claim, NULL, 0, NULL, &s->judgements[i]);
    NB_TRY(make_plan(claim, &lines));
    NB_TRY(judge_by_runs(s, i, &lines.plan));
out:
    nb_run_lines_clear(&lines);
    return open_by(status, &s->judgements[i]);
}

/* ---- what comes out ---- */

static void show_runs(const session *s) {
    for (int i = 0; i < s->claims.count; i++) {
        const nb_claim *claim = &s->claims.claims[i];
        const char *line;
        if (!s->chosen[i] || s->left_out[i]) continue;
        for (int k = 0; (line = run_line(claim, k)) != NULL; k++)
            nb_print(stdout, "ncpbench run %s -o %s.h5%s\n", line, claim->id, k > 0 ? " --append" : "");
        if (claim->script) nb_print(stdout, "NCPBENCH=ncpbench python3 results/claims/scripts/%s\n", claim->script);
    }
}

static nb_status write_page(const void *context, FILE *page) {
    const session *s = context;
    return nb_claims_write_page(&s->claims, s->chosen, s->judgements, &s->origins, page);
}

/* names the rules that their rivals pass */
static void name_weak(const session *s, int *exit_status) {
    for (int i = 0; i < s->claims.count; i++) {
        if (!s->chosen[i] || s->judgements[i].verdict != NB_CLAIM_HOLDS) continue;
        nb_print(stderr, "%s: its rival holds, too: the rule does not test the claim\n", s->claims.claims[i].id);
        if (*exit_status == NB_EXIT_OK) *exit_status = NB_EXIT_CHECK_FAILED;
    }
}

static nb_status judge_all(session *s, int *exit_status) {
    nb_status status = NB_OK;
    const char *page = s->request->page;
    if (page) NB_TRY(nb_overwrite_check(page, NB_WRITTEN_CLAIMS, s->request->force));
    NB_TRY(nb_folder_make(s->request->folder));
    for (int i = 0; i < s->claims.count; i++) {
        if (!nb_interrupted && s->chosen[i]) NB_TRY(judge(s, i));
        if (nb_interrupted) s->chosen[i] = 0; /* what was judged before is shown */
    }
    if (nb_interrupted) *exit_status = NB_EXIT_INTERRUPTED;
    nb_claims_print(&s->claims, s->chosen, s->judgements, stdout);
    fflush(stdout);
    nb_claims_print_counts(&s->claims, s->chosen, s->judgements, stderr);
    if (s->request->rivals) name_weak(s, exit_status);
    if (page && !nb_interrupted) NB_TRY(nb_partial_write(page, write_page, s));
out:
    return status;
}

static nb_status begin(session *s) {
    nb_status status;
    nb_provenance_fill(&s->here);
    NB_TRY(nb_claims_read(nb_claim_list, nb_claim_rules, &s->claims));
    NB_TRY(NB_ALLOCATE(s->claims.count, &s->chosen));
    NB_TRY(NB_ALLOCATE(s->claims.count, &s->left_out));
    NB_TRY(NB_ALLOCATE(s->claims.count, &s->rival_texts));
    NB_TRY(NB_ALLOCATE(s->claims.count, &s->judgements));
    NB_TRY(NB_ALLOCATE(s->claims.count + 1, &s->readers));
    NB_TRY(NB_ALLOCATE(s->claims.count + 1, &s->begun));
out:
    return status;
}

static void end(session *s) {
    for (int k = 0; s->readers && k <= s->claims.count; k++) close_record(s, k);
    for (int i = 0; s->rival_texts && i < s->claims.count; i++) free(s->rival_texts[i]);
    nb_free(s->rival_texts);
    nb_free(s->readers);
    nb_free(s->begun);
    nb_free(s->chosen);
    nb_free(s->left_out);
    nb_free(s->judgements);
    nb_claims_clear(&s->claims);
}

nb_status nb_claims_reproduce(const nb_claims_request *request, int *exit_status) {
    session s = {.request = request};
    nb_status status;
    NB_TRY(begin(&s));
    NB_TRY(choose(&s));
    if (request->rivals) NB_TRY(choose_rivals(&s));
    choose_quick(&s);
    if (request->show)
        show_runs(&s);
    else
        NB_TRY(judge_all(&s, exit_status));
out:
    end(&s);
    return status;
}

/* ---- beside figures ---- */

static int is_in(const nb_figure_list *figures, const char *name) {
    for (int k = 0; name && k < figures->count; k++)
        if (strcmp(figures->figures[k]->name, name) == 0) return 1;
    return 0;
}

nb_status nb_claims_judge_kept(const char *folder, const nb_figure_list *figures, nb_claims_kept *kept) {
    const nb_claims_request request = {.folder = folder};
    session s = {.request = &request};
    nb_status status;
    NB_TRY(begin(&s));
    memset(s.left_out, 1, (size_t)s.claims.count);
    for (int i = 0; i < s.claims.count; i++) {
        if (!is_in(figures, s.claims.claims[i].figure)) continue;
        s.chosen[i] = 1;
        NB_TRY(judge(&s, i));
    }
    *kept = (nb_claims_kept){s.claims, s.chosen, s.judgements};
    for (int k = 0; k <= s.claims.count; k++) close_record(&s, k);
    s.claims = (nb_claims){.count = 0};
    s.chosen = NULL;
    s.judgements = NULL;
out:
    end(&s);
    return status;
}

void nb_claims_kept_clear(nb_claims_kept *kept) {
    nb_free(kept->chosen);
    nb_free(kept->judgements);
    nb_claims_clear(&kept->claims);
}
