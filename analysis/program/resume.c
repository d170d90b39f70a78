#include "resume.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "file_readers.h"
#include "record/record.h"
#include "text/plain.h"

/* ---- the command ---- */

/* takes the next word off *line into *out, without its quotes; 0 at the end */
static int next_word(const char **line, char **out) {
    const char *in = *line + strspn(*line, " ");
    char *to = *out;
    int quoted = 0;
    if (!*in) return 0;
    for (; *in && (quoted || *in != ' '); in++) {
        if (*in == '\'')
            quoted = !quoted;
        else if (*in == '\\' && !quoted && in[1])
            *to++ = *++in;
        else
            *to++ = *in;
    }
    *to++ = '\0';
    *line = in;
    *out = to;
    return 1;
}

nb_status nb_resume_words(const char *line, const char *name, int *count, char ***words) {
    int64_t most = 2 + (int64_t)strlen(line); /* words, and the NULL behind them */
    nb_status status = nb_allocate(most * (int64_t)sizeof(char *) + most, 1, words);
    if (status != NB_OK) return status;
    char *out = (char *)(*words + most), *program = out;
    const char *whole = line;
    *count = 0;
    if (!next_word(&line, &out)) program = NULL;
    for (char *word = out; program && next_word(&line, &out); word = out) (*words)[(*count)++] = word;
    if (*count > 0 && strcmp((*words)[0], name) == 0) return NB_OK;
    nb_free(*words);
    *words = NULL;
    return nb_fail(NB_ERROR_INPUT, "the checkpoint is of no 'ncpbench %s'; it is of: %.300s", name, whole);
}

nb_status nb_resume_is_whole(const char *record, const char *name, int *whole) {
    nb_status status;
    nb_record_reader *reader = NULL;
    char path[4200], start[64];
    *whole = 0;
    snprintf(path, sizeof path, "%s.checkpoint", record);
    if (access(path, F_OK) == 0 || access(record, F_OK) != 0) return NB_OK; /* there is something, or nothing at all */
    NB_TRY(nb_safe_read(record, nb_read_record));
    NB_TRY(nb_record_open(record, &reader));
    snprintf(start, sizeof start, "ncpbench %s ", name);
    *whole = strncmp(nb_record_attribute(reader, "command"), start, strlen(start)) == 0;
    if (*whole)
        nb_print(stderr, "nothing to resume: %s is complete (%d run%s)\n", record, nb_record_run_count(reader),
                 nb_record_run_count(reader) == 1 ? "" : "s");
    else
        status = nb_fail(NB_ERROR_INPUT, "nothing to resume: '%.200s' is of another command (%.200s)", record,
                         nb_record_attribute(reader, "command"));
out:
    nb_record_reader_close(reader);
    return status;
}

/* ---- its recorded runs ---- */

int nb_resume_is_run_of(const nb_request *request, const nb_run_info *info) {
    for (int i = 0; i < nb_run_info_members.count; i++) {
        const nb_member *f = &nb_run_info_members.items[i];
        const char *a = (const char *)&request->info + f->offset, *b = (const char *)info + f->offset;
        if (nb_run_info_is_found(f->name)) continue;
        if (f->kind == NB_MEMBER_TEXT ? strcmp(a, b) != 0 : memcmp(a, b, f->kind == NB_MEMBER_INT32 ? 4 : 8) != 0)
            return 0;
    }
    return strcmp(request->info.parameters, info->parameters) == 0;
}

/* whether the record was begun by the command itself, and is not one that it was to replace */
static int is_own(const nb_record_reader *reader, const nb_checkpoint *checkpoint) {
    char started[32];
    struct tm utc;
    time_t seconds = (time_t)checkpoint->started;
    if (checkpoint->before > 0) return nb_record_run_count(reader) >= checkpoint->before;
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    return strcmp(nb_record_attribute(reader, "created"), started) >= 0 &&
           strcmp(nb_record_attribute(reader, "command"), checkpoint->command) == 0;
}

/* a command's recorded runs being shown */
typedef struct showing {
    const nb_checkpoint *checkpoint;
    nb_resume_visitor *visit;
    void *context;
    int64_t *count;
} showing;

static nb_status show_run(const showing *s, nb_record_reader *reader, int k) {
    nb_run *run = NULL;
    int own = 0;
    nb_status status = nb_record_read_run(reader, k, &run);
    if (status == NB_OK) status = s->visit(s->context, run, &own);
    *s->count += own;
    nb_run_destroy(run);
    return status;
}

/* looks for runs in one file; *found: it is the command's own */
static nb_status look_into(const showing *s, const char *path, int *found) {
    nb_status status;
    nb_record_reader *reader = NULL;
    *found = 0;
    if (access(path, F_OK) != 0 || nb_safe_read(path, nb_read_whole_record) != NB_OK) return NB_OK;
    NB_TRY(nb_record_open(path, &reader));
    if (!is_own(reader, s->checkpoint)) goto out;
    for (int k = s->checkpoint->before; k < nb_record_run_count(reader); k++) NB_TRY(show_run(s, reader, k));
    *found = 1;
out:
    nb_record_reader_close(reader);
    return status;
}

nb_status nb_resume_find(const nb_checkpoint *checkpoint, const char *record, nb_resume_visitor *visit, void *context,
                         char **source, int64_t *count) {
    const showing s = {checkpoint, visit, context, count};
    nb_status status;
    char partial[4200];
    int found;
    *source = NULL;
    snprintf(partial, sizeof partial, "%s.partial-%lld", record, (long long)checkpoint->process);
    NB_TRY(look_into(&s, partial, &found));
    if (found) return nb_copy_text(partial, source);
    NB_TRY(look_into(&s, record, &found));
    if (found) return nb_copy_text(record, source);
out:
    return status;
}

/* the text with what glob takes for patterns escaped */
static void escape(const char *text, char *out) {
    for (; *text; text++) {
        if (strchr("*?[]\\", *text)) *out++ = '\\';
        *out++ = *text;
    }
    *out = '\0';
}

void nb_resume_tidy(const char *record, const char *kept) {
    char pattern[8500], own[4200];
    glob_t found;
    if (strlen(record) > 4096) return;
    escape(record, pattern);
    snprintf(pattern + strlen(pattern), sizeof pattern - strlen(pattern), ".partial-[0-9]*");
    snprintf(own, sizeof own, "%s.partial-%ld", record, (long)getpid());
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (strcmp(found.gl_pathv[i], own) != 0 && !(kept && strcmp(found.gl_pathv[i], kept) == 0))
            unlink(found.gl_pathv[i]);
    globfree(&found);
}
