/* reproduce: make the runs that figures need, and draw them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "base/memory.h"
#include "claims.h"
#include "claims/page.h"
#include "drawing.h"
#include "execute.h"
#include "interrupt.h"
#include "made.h"
#include "overwrite.h"
#include "plugin/load.h"
#include "record/partial.h"
#include "record/record.h"
#include "report/report.h"
#include "run_output.h"
#include "shard.h"
#include "text/plain.h"

enum {
    KEY_QUICK = 500,
    KEY_FORMAT,
    KEY_LIST,
    KEY_CLAIMS,
    KEY_WRITE,
    KEY_RIVALS
};

static const struct argp_option options[] = {
    {.name = "output",
     .key = 'o',
     .arg = "DIR",
     .doc = "the folder for the record and the figures; made where missing [figures, with --quick figures-quick]"},
    {.name = "quick", .key = KEY_QUICK, .doc = "smaller runs, to see that everything works; the figures say so"},
    NB_FORCE_OPTION(0),
    {.name = "format", .key = KEY_FORMAT, .arg = "svg|pdf|png|tex", .doc = "a comma list of endings to draw [svg]"},
    {.name = "show-runs", .key = KEY_LIST, .doc = "only print the commands that would be run"},
    NB_SHARD_OPTION(0),
    {.name = "claims",
     .key = KEY_CLAIMS,
     .doc = "judge claims of the papers in the place of drawing figures: those that are named by their ids or their "
            "paper (macklin-68, tasora), else all. A table of the verdicts goes to standard output"},
    {.name = "write", .key = KEY_WRITE, .arg = "FILE.md", .doc = "with --claims: also write the verdicts as a page"},
    {.name = "rivals",
     .key = KEY_RIVALS,
     .doc = "with --claims: judge for each claim a program that must fail its rule, which the rule names; the exit "
            "status is 2 where one holds"},
    {0},
};

typedef struct reproduction {
    const char *names, *folder;
    int quick, show, force, claims, rivals;
    const char *page;
    int formats[NB_FORMATS]; /* 1: draw it */
    int32_t shard, shards;   /* of the runs; 0: all */
    nb_figure_list figures;
    nb_run_lines lines;
} reproduction;

static nb_status set(void *context, int key, const char *text) {
    reproduction *r = context;
    switch (key) {
    case ARGP_KEY_ARG: return nb_command_take(&nb_command_reproduce, text, &r->names);
    case 'o': r->folder = text; return NB_OK;
    case KEY_QUICK: r->quick = 1; return NB_OK;
    case NB_FORCE_KEY: r->force = 1; return NB_OK;
    case KEY_LIST: r->show = 1; return NB_OK;
    case KEY_CLAIMS: r->claims = 1; return NB_OK;
    case KEY_WRITE: r->page = text; return NB_OK;
    case KEY_RIVALS: r->rivals = 1; return NB_OK;
    case NB_SHARD_KEY: return nb_shard_parse(text, &r->shard, &r->shards);
    default: return nb_formats_parse(text, r->formats);
    }
}

/* the first file that the figure's runs read and that is not there, or an empty text */
static void find_missing(const nb_figure_class *f, char file[256]) {
    *file = '\0';
    for (int k = 0; f->files && f->runs && f->runs[k]; k++) {
        const char *at = f->runs[k], *end = at + strcspn(at, " ");
        for (; at < end; at += strcspn(at, ", ") + 1) {
            snprintf(file, 256, "%.*s", (int)strcspn(at, ", "), at);
            if (access(file, R_OK) != 0) return;
        }
    }
    *file = '\0';
}

/* whether the figure's runs need PETSc, and this build has none of it */
static int lacks_petsc(const nb_figure_class *f) {
    if (!f->runs || !f->runs[0] || !strstr(f->runs[0], " --petsc ")) return 0;
    return nb_plugin_load_own("petsc", 0, NULL) != NB_OK;
}

/* Leaves figures out whose files or solvers are not there, and says so. */
static void leave_out(reproduction *r) {
    int kept = 0;
    for (int i = 0; i < r->figures.count; i++) {
        const nb_figure_class *f = r->figures.figures[i];
        char file[256];
        find_missing(f, file);
        if (*file)
            nb_print(stderr, "figure %s is left out: there is no '%s'; %s makes it\n", f->name, file, f->files);
        else if (lacks_petsc(f))
            nb_print(stderr, "figure %s is left out: %s\n", f->name, nb_error_message());
        else
            r->figures.figures[kept++] = f;
    }
    r->figures.count = kept;
}

/* all runs that the figures need, each once, or the shard's of them; plan.sweep is of all */
static nb_status make_plan(reproduction *r) {
    nb_plan *plan = &r->lines.plan;
    plan->shard = plan->sweep.shard = r->shards > 0 ? r->shard : 1;
    plan->shards = plan->sweep.shards = r->shards > 0 ? r->shards : 1;
    for (int i = 0; i < r->figures.count; i++) {
        const nb_figure_class *f = r->figures.figures[i];
        if (f->runs && !f->runs[0] && !f->makes)
            return nb_fail(NB_ERROR_USAGE,
                           "reproduce: figure %s has no runs; use ncpbench figure %s --from FILE.h5 -o FILE.svg",
                           f->name, f->name);
        const char *const *lines = r->quick && f->quick_runs ? f->quick_runs : f->runs;
        for (int k = 0; lines && lines[k]; k++) {
            if (r->show) nb_print(stdout, "ncpbench run %s -o %s.h5%s\n", lines[k], f->name, k > 0 ? " --append" : "");
            nb_status status = nb_run_lines_add(&r->lines, lines[k]);
            if (status != NB_OK) return status;
        }
        lines = nb_made_lines(f, r->quick);
        for (int k = 0; r->show && lines && lines[k]; k++)
            nb_print(stdout, "ncpbench %s -o %s-%d.h5\n", lines[k], f->name, k + 1);
    }
    return NB_OK;
}

/* calls back with the path of every drawing to make, until an interrupt */
typedef nb_status drawing_visitor(const nb_figure_class *figure, const char *path, void *context);

static nb_status visit_drawings(const reproduction *r, drawing_visitor *visit, void *context) {
    nb_status status = NB_OK;
    for (int i = 0; i < r->figures.count && !nb_interrupted; i++) {
        for (int f = 0; f < NB_FORMATS; f++) {
            char path[4096];
            if (!r->formats[f]) continue;
            NB_TRY(nb_drawing_path(r->folder, r->figures.figures[i]->name, nb_formats[f], path, sizeof path));
            NB_TRY(visit(r->figures.figures[i], path, context));
        }
    }
out:
    return status;
}

static nb_status check_drawing(const nb_figure_class *figure, const char *path, void *force) {
    (void)figure;
    return nb_drawing_check(path, *(int *)force);
}

/* what all drawings are made of */
typedef struct drawn {
    nb_figure_source source;
    const nb_claims_kept *kept;
    const reproduction *reproduction;
    const nb_figure_class *made_for; /* the figure of which the next two are */
    char *study, name[4096];
} drawn;

/* what the figure needs beside the record, once for all its formats */
static nb_status make_parts(const nb_figure_class *figure, drawn *of) {
    const reproduction *r = of->reproduction;
    nb_status status = NB_OK;
    if (of->made_for == figure) return NB_OK;
    free(of->study); /* the C library's own */
    of->study = NULL;
    snprintf(of->name, sizeof of->name, "%s/%s", r->folder, figure->name);
    NB_TRY(nb_made_write(figure, r->quick, r->force, of->name));
    NB_TRY(nb_made_study(figure, &of->study));
    of->made_for = figure;
out:
    return status;
}

enum {
    MOST_MADE = 16
};

/* a figure of any records is drawn from the files that were made for it */
static nb_status open_made(const nb_figure_class *figure, int quick, nb_record_reader *readers[MOST_MADE],
                           nb_figure_source *source, char path[4200]) {
    const char *const *lines = nb_made_lines(figure, quick);
    nb_status status = NB_OK;
    if (!lines || !figure->runs || figure->runs[0]) return NB_OK;
    source->readers = readers;
    source->count = 0;
    for (int k = 0; k < MOST_MADE && lines[k] && status == NB_OK; k++) {
        snprintf(path, 4200, "%s-%d.h5", source->made, k + 1);
        status = nb_record_open(path, &readers[k]);
        source->count += status == NB_OK;
    }
    source->record = nb_path_name(path);
    return status;
}

static nb_status make_drawing(const nb_figure_class *figure, const char *path, void *context) {
    drawn *of = context;
    char claims[1024] = "", record[4200];
    nb_record_reader *made[MOST_MADE] = {NULL};
    nb_status status = make_parts(figure, of);
    if (status != NB_OK || nb_interrupted) return status;
    nb_figure_source source = of->source;
    source.study = of->study;
    source.made = of->name;
    NB_TRY(open_made(figure, of->reproduction->quick, made, &source, record));
    if (!figure->quick_runs && !figure->quick_makes) source.origin = NB_ORIGIN_PAPER; /* they are the same */
    if (of->kept->claims.count > 0)
        nb_claims_quote(&of->kept->claims, of->kept->chosen, of->kept->judgements, figure->name, claims, sizeof claims);
    source.claims = claims;
    NB_TRY(nb_figure_draw_from(figure, &source, path));
    nb_print(stdout, "%s\n", path);
    fflush(stdout);
out:
    for (int k = 0; k < MOST_MADE; k++) nb_record_reader_close(made[k]);
    return status;
}

/* PAPER.md, where all figures of a paper were asked for; *given: there is one */
static nb_status page_path(const reproduction *r, const char *paper, size_t length, int *given, char path[4096]) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, paper);
    *given = !r->quick && (!r->names || strcmp(r->names, "all") == 0 || strcmp(r->names, name) == 0);
    return nb_drawing_path(r->folder, name, "md", path, 4096);
}

/* the page of one paper */
typedef struct paper_page {
    const reproduction *reproduction;
    const nb_claims_kept *kept;
    const char *paper;
} paper_page;

static const char *first_format(const reproduction *r) {
    int format = 0;
    while (format < NB_FORMATS - 1 && !r->formats[format]) format++;
    return nb_formats[format];
}

static nb_status write_page(const void *context, FILE *page) {
    const paper_page *p = context;
    const reproduction *r = p->reproduction;
    return nb_claims_write_figures(&p->kept->claims, p->kept->chosen, p->kept->judgements, p->paper, r->figures.figures,
                                   r->figures.count, first_format(r), page);
}

/* a page each of the papers that were asked for */
static nb_status write_pages(const reproduction *r, const nb_claims_kept *kept) {
    nb_status status = NB_OK;
    for (int i = 0; i < kept->claims.count; i++) {
        const nb_claim *claim = &kept->claims.claims[i];
        const size_t length = (size_t)nb_claim_paper_length(claim);
        char path[4096], paper[64];
        int given;
        if (i > 0 && strncmp(claim[-1].id, claim->id, length + 1) == 0) continue;
        NB_TRY(page_path(r, claim->id, length, &given, path));
        if (!given) continue;
        snprintf(paper, sizeof paper, "%.*s", (int)length, claim->id);
        NB_TRY(nb_overwrite_check(path, NB_WRITTEN_CLAIMS, r->force));
        NB_TRY(nb_partial_write(path, write_page, &(paper_page){r, kept, paper}));
        nb_print(stdout, "%s\n", path);
    }
out:
    return status;
}

/* index.html, which shows all figures */
static nb_status write_index(const reproduction *r) {
    nb_status status;
    char path[4096];
    NB_TRY(nb_drawing_path(r->folder, "index", "html", path, sizeof path));
    NB_TRY(nb_overwrite_check(path, NB_WRITTEN_PAGE, r->force));
    NB_TRY(nb_report_write_index(path, "Figures of smaller runs (--quick)", r->figures.figures, r->figures.count,
                                 first_format(r)));
    nb_print(stdout, "%s\n", path);
out:
    return status;
}

/* draws every figure; an interrupt ends it after the present one */
static nb_status draw(const reproduction *r, const char *record) {
    nb_record_reader *reader = NULL;
    nb_claims_kept kept = {.chosen = NULL};
    drawn of = {.kept = &kept, .reproduction = r};
    nb_status status = NB_OK;
    if (!r->quick) NB_TRY(nb_claims_judge_kept(r->folder, &r->figures, &kept));
    if (r->lines.plan.count > 0) NB_TRY(nb_record_open(record, &reader));
    of.source = (nb_figure_source){.readers = &reader,
                                   .count = reader != NULL,
                                   .record = nb_path_name(record),
                                   .origin = r->quick ? NB_ORIGIN_QUICK : NB_ORIGIN_PAPER};
    NB_TRY(visit_drawings(r, make_drawing, &of));
    if (!nb_interrupted) NB_TRY(write_pages(r, &kept));
    if (r->quick && r->figures.count > 1 && !nb_interrupted) NB_TRY(write_index(r));
out:
    free(of.study); /* the C library's own */
    nb_record_reader_close(reader);
    nb_claims_kept_clear(&kept);
    return status;
}

/* ---- what an earlier call left in the folder ---- */

static const char quick_mark[] = "(quick)";

/* the figures in full are not lost to smaller ones of the same names */
static nb_status check_size(const reproduction *r, const char *record) {
    nb_record_reader *reader = NULL;
    nb_status status = NB_OK;
    if (!r->quick || r->force || access(record, F_OK) != 0) return NB_OK;
    NB_TRY(nb_overwrite_check(record, NB_WRITTEN_RECORD, 0));
    NB_TRY(nb_record_open_any_version(record, &reader));
    if (strncmp(nb_record_attribute(reader, "command"), "ncpbench reproduce", 18) == 0 &&
        !strstr(nb_record_attribute(reader, "title"), quick_mark))
        status = nb_fail(NB_ERROR_USAGE,
                         "'%.200s' and its figures are of the size that the papers have; name another folder "
                         "for --quick with -o (--force replaces them)",
                         record);
out:
    nb_record_reader_close(reader);
    return status;
}

/* whether the interrupted command of this line asks for the same runs */
static nb_status asks_for_same(const reproduction *r, const char *line, int *same) {
    nb_status status;
    reproduction other = {0};
    char **words = NULL;
    int count;
    NB_TRY(nb_resume_words(line, nb_command_reproduce.name, &count, &words));
    NB_TRY(nb_command_parse(&nb_command_reproduce, count, words, set, &other));
    *same = other.quick == r->quick && strcmp(other.names ? other.names : "all", r->names ? r->names : "all") == 0;
out:
    nb_free(words);
    return status;
}

/* Where the same command was interrupted in this folder, it goes on: its line takes the place of this one's. Another
 * one's checkpoint is met when the record is opened. */
static nb_status look_for_interrupted(const reproduction *r, const char *record, char **line, int *resume) {
    nb_status status = NB_OK;
    nb_checkpoint *checkpoint = NULL;
    if (r->force || nb_checkpoint_read(record, &checkpoint) != NB_OK) return NB_OK;
    if (asks_for_same(r, checkpoint->command, resume) == NB_OK && *resume) {
        nb_free(*line);
        *line = NULL;
        status = nb_copy_text(checkpoint->command, line);
    }
    nb_checkpoint_destroy(checkpoint);
    return status;
}

/* Whether the record has been merged of all runs; one of some of them is refused. */
static nb_status look_for_merged(const reproduction *r, const char *record, int *merged) {
    const nb_sweep *all = &r->lines.plan.sweep;
    nb_status status = NB_OK;
    nb_record_reader *reader = NULL;
    nb_sweep sweep = {0};
    char *command = NULL;
    if (r->force || access(record, F_OK) != 0 || nb_record_open(record, &reader) != NB_OK) return NB_OK;
    NB_TRY(nb_record_read_sweep(reader, &sweep, &command));
    if (sweep.runs != all->runs || sweep.checksum != all->checksum) goto out;
    *merged = nb_record_run_count(reader) == sweep.runs;
    if (!*merged)
        status = nb_fail(NB_ERROR_INPUT,
                         "'%.200s' has %d of %d runs; ncpbench merge --missing prints the commands that make the "
                         "others (--force makes all)",
                         record, nb_record_run_count(reader), (int)sweep.runs);
out:
    nb_free(command);
    nb_record_reader_close(reader);
    return status;
}

static nb_output output_to(const reproduction *r, const char *record) {
    return (nb_output){.path = record,
                       .title = r->quick ? "figures of the papers (quick)" : "figures of the papers",
                       .force = r->force,
                       .resumable = 1,
                       .again = "the same command",
                       .interval = NB_CHECKPOINT_STANDARD_INTERVAL,
                       .accept_unmet = 1};
}

/* the runs, and the drawings of them; the checkpoint stays until all is there */
static nb_status make(reproduction *r, char **line, const char *record, int *exit_status) {
    nb_status status;
    char checkpoint[4200];
    int merged = 0;
    nb_output output = output_to(r, record);
    output.continued = 1;
    r->lines.plan.shards = 0;
    NB_TRY(check_size(r, record));
    NB_TRY(visit_drawings(r, check_drawing, &r->force));
    if (r->lines.plan.count > 0) NB_TRY(look_for_merged(r, record, &merged));
    if (r->lines.plan.count > 0 && !merged) NB_TRY(look_for_interrupted(r, record, line, &output.resume));
    output.command = *line;
    if (r->lines.plan.count > 0 && !merged) NB_TRY(nb_execute(&r->lines.plan, &output, exit_status));
    if (nb_interrupted) return NB_OK;
    status = draw(r, record);
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", record);
    if (status == NB_OK && !nb_interrupted && r->lines.plan.count > 0) unlink(checkpoint);
out:
    return status;
}

/* the shard's runs alone, in DIR/reproduce-I.h5 */
static nb_status make_shard(const reproduction *r, const char *line, const char *sweep, int *exit_status) {
    nb_status status;
    char name[32], record[4096];
    int whole = 0;
    if (r->lines.plan.count == 0) {
        nb_print(stderr, "--shard %d/%d has no run: the figures take %d\n", (int)r->shard, (int)r->shards,
                 (int)r->lines.plan.sweep.runs);
        return NB_OK;
    }
    snprintf(name, sizeof name, "reproduce-%d", (int)r->shard);
    NB_TRY(nb_drawing_path(r->folder, name, "h5", record, sizeof record));
    NB_TRY(check_size(r, record));
    nb_output output = output_to(r, record);
    output.command = line;
    output.sweep = sweep;
    NB_TRY(nb_shard_resume(nb_command_reproduce.name, line, r->shard, r->shards, &output, &whole));
    if (!whole) NB_TRY(nb_execute(&r->lines.plan, &output, exit_status));
out:
    return status;
}

static nb_status reproduce(int argc, char **argv, int *exit_status) {
    reproduction r = {.formats = {1}};
    char record[4096], *line = NULL, *sweep = NULL;
    nb_status status;
    NB_TRY(nb_command_line(argc, argv, &line));
    NB_TRY(nb_shard_sweep(argc, argv, &sweep));
    NB_TRY(nb_command_parse(&nb_command_reproduce, argc, argv, set, &r));
    if (!r.claims && r.page) NB_TRY(nb_fail(NB_ERROR_USAGE, "reproduce: --write requires --claims"));
    if (!r.claims && r.rivals) NB_TRY(nb_fail(NB_ERROR_USAGE, "reproduce: --rivals requires --claims"));
    if (r.claims && r.shards > 0) NB_TRY(nb_fail(NB_ERROR_USAGE, "reproduce: --claims does not support --shard"));
    if (r.claims) {
        const nb_claims_request request = {
            r.names, r.folder ? r.folder : "figures", r.page, line, r.quick, r.show, r.rivals, r.force};
        NB_TRY(nb_claims_reproduce(&request, exit_status));
        goto out;
    }
    if (!r.folder) r.folder = r.quick ? "figures-quick" : "figures";
    NB_TRY(nb_figures_parse(r.names ? r.names : "all", 0, &r.figures));
    leave_out(&r);
    if (r.figures.count == 0) goto out;
    NB_TRY(make_plan(&r));
    if (r.show && r.lines.plan.count == 0) nb_print(stderr, "the figures that were named are drawn without runs\n");
    if (r.show) goto out;
    if (r.shards == 0) NB_TRY(nb_figure_ready());
    NB_TRY(nb_folder_make(r.folder));
    if (r.shards > 0) {
        status = make_shard(&r, line, sweep, exit_status);
        goto out;
    }
    NB_TRY(nb_drawing_path(r.folder, "reproduce", "h5", record, sizeof record));
    status = make(&r, &line, record, exit_status);
    if (nb_interrupted) { /* perhaps it was gnuplot that the interrupt ended */
        status = NB_OK;
        *exit_status = NB_EXIT_INTERRUPTED;
    }
out:
    nb_free(line);
    nb_free(sweep);
    nb_run_lines_clear(&r.lines);
    return status;
}

const nb_command nb_command_reproduce = {
    .name = "reproduce",
    .arguments = "[NAME[,NAME...]|all] [-o DIR]\n--claims [PAPER|ID][,...] [-o DIR]",
    .summary = "make the runs that a paper's figures or claims need, and draw or judge them",
    .details =
        "The runs are written to DIR/reproduce.h5, the figures next to it. 'ncpbench list figures' shows the names; "
        "the part before the first dash stands for all figures of a paper (larionov). All leaves out the study of "
        "preconditioners, preconditioner-study, which takes about as long as all others. Interrupted (Ctrl-C, kill, a "
        "power cut), it goes on where it stopped when the same command is given again; with --force it restarts. A run "
        "that does not meet its tolerance is a result which "
        "its figure shows: the exit status is 0. Captions quote the verdicts of claims whose runs are in the folder; "
        "for a whole paper, or all, DIR/PAPER.md has its figures and what the paper says. With --quick DIR/index.html "
        "shows all of several figures. --shard I/N writes DIR/reproduce-I.h5 alone; merge the parts to "
        "DIR/reproduce.h5, and the same command without --shard draws from it.\n\n"
        "With --claims the runs of a claim are added to DIR/ID.h5; those that stand there, in another claim's record "
        "or in DIR/reproduce.h5 are not made again, unless another version or commit made them. A stated rule makes "
        "each verdict from the record, or from what a script prints (DIR/ID.txt): holds, in part, does not hold, "
        "set-up missing (it does not hold, but not in the paper's set-up), not testable, misprint, or open, where a "
        "run failed or there is no rule yet. With --quick the runs take five minutes in all, and the other claims say "
        "what they take.",
    .options = options,
    .run = reproduce,
};
