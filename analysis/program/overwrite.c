#include "overwrite.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "claims/page.h"
#include "claims/script.h"
#include "file_readers.h"
#include "record/record.h"
#include "run/checkpoint.h"
#include "text/plain.h"

/* how to know a file that ncpbench wrote: how it begins, and a mark in it */
typedef struct form {
    const char *what, *start, *mark;
} form;

static const form forms[] = {
    [NB_WRITTEN_RECORD] = {"record", NULL, NULL}, /* by reading it */
    [NB_WRITTEN_PAGE] = {"report", "<!DOCTYPE html>", "Written by ncpbench"},
    [NB_WRITTEN_PROBLEM] = {"exported problem", "\x89HDF\r\n", "(ncpbench)"},
    [NB_WRITTEN_SCENE] = {"exported scene", "{\n  \"about\": \"SI", "\"contact_margin_m\""},
    [NB_WRITTEN_ANIMATION] = {"exported animation", "glTF", "\"generator\": \"ncpbench"},
    [NB_WRITTEN_SOLUTION] = {"solution", "%%MatrixMarket matrix array", "\n% solution x\n"},
    [NB_WRITTEN_NUMBERS] = {"table of a figure's numbers", "figure,panel,curve,", ""},
    [NB_WRITTEN_GRADIENT] = {"gradient", "\x89HDF\r\n", "ncpbench-gradient"},
    [NB_WRITTEN_OPTIMIZATION] = {"optimization", "\x89HDF\r\n", "ncpbench-optimization"},
    [NB_WRITTEN_CLAIMS] = {"page of claims", NB_CLAIMS_PAGE_TITLE, ""},
    [NB_WRITTEN_PRINTED] = {"text of a claim's script", NB_CLAIM_SCRIPT_MARK, ""},
};

/* what gnuplot makes of figures */
static const struct drawing {
    const char *ending;
    form form;
} drawings[] = {
    {".svg", {"figure", "<?xml", "Produced by GNUPLOT"}},
    {".pdf", {"figure", "%PDF-", "/Producer (cairo"}},
    {".png", {"figure", "\x89PNG\r\n", "bKGD"}},
    {".tex", {"figure", "% GNUPLOT: LaTeX", ""}}, /* pictures are gnuplot's own, tables common.gp's */
};
enum {
    DRAWINGS = sizeof drawings / sizeof *drawings
};

/* ---- what a file is ---- */

/* whether the mark stands anywhere in the file; an empty one does */
static int has_mark(FILE *file, const char *mark) {
    char window[1 << 14];
    size_t length = strlen(mark), kept = 0, got;
    if (length == 0) return 1;
    while ((got = fread(window + kept, 1, sizeof window - kept, file)) > 0) {
        size_t held = kept + got;
        for (size_t i = 0; i + length <= held; i++)
            if (window[i] == mark[0] && memcmp(window + i, mark, length) == 0) return 1;
        kept = held < length ? held : length - 1;
        memmove(window, window + held - kept, kept);
    }
    return 0;
}

/* `cut_too`: also one that was cut short within its beginning, which is made again */
static nb_status look(const char *path, const form *f, int cut_too, int *own) {
    char start[64];
    FILE *file;
    nb_status status = nb_file_open(path, 'r', &file);
    if (status != NB_OK) return status;
    size_t length = strlen(f->start);
    const size_t got = fread(start, 1, length, file);
    *own = memcmp(start, f->start, got) == 0 && (got == length ? has_mark(file, f->mark) : cut_too);
    fclose(file);
    return NB_OK;
}

/* the form that a drawing of this name has, or NULL */
static const form *drawing_form(const char *path) {
    const char *ending = strrchr(path, '.');
    for (int i = 0; ending && i < DRAWINGS; i++)
        if (strcmp(ending, drawings[i].ending) == 0) return &drawings[i].form;
    return NULL;
}

static nb_status read_head(const char *path) {
    nb_record_reader *reader = NULL;
    nb_status status = nb_record_open_any_version(path, &reader);
    nb_record_reader_close(reader);
    return status;
}

/* whether ncpbench wrote the file in this form */
static nb_status find_own(const char *path, nb_written kind, int *own) {
    const form *f = kind == NB_WRITTEN_DRAWING ? drawing_form(path) : &forms[kind];
    *own = 1; /* a name that the drawing itself will refuse */
    if (!f) return NB_OK;
    if (kind != NB_WRITTEN_RECORD) return look(path, f, kind == NB_WRITTEN_PRINTED, own);
    nb_status status = nb_safe_read(path, read_head);
    *own = status == NB_OK;
    return status == NB_ERROR_INPUT ? NB_OK : status; /* that it cannot be read says nothing of what it is */
}

static const char *name_of(const char *path, nb_written kind) {
    const form *f = kind == NB_WRITTEN_DRAWING ? drawing_form(path) : &forms[kind];
    return f ? f->what : "file";
}

/* ---- refusals ---- */

static int is_protected(const char *path, const struct stat *info) {
    return (info->st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 || access(path, W_OK) != 0;
}

nb_status nb_overwrite_check(const char *path, nb_written kind, int force) {
    struct stat info;
    int own;
    nb_status status = nb_file_check_target(path);
    if (status != NB_OK || force || stat(path, &info) != 0) return status;
    if (is_protected(path, &info))
        return nb_fail(NB_ERROR_USAGE, "'%.300s' is write-protected; name another file (--force replaces it)", path);
    status = find_own(path, kind, &own);
    if (status != NB_OK || own) return status;
    return nb_fail(NB_ERROR_USAGE,
                   "'%.300s' is there and is no %s of ncpbench; name another file (--force replaces it)", path,
                   name_of(path, kind));
}

nb_status nb_overwrite_check_input(const char *path, const char *input, int force) {
    struct stat to, from;
    if (force || !path || !input || stat(path, &to) != 0 || stat(input, &from) != 0) return NB_OK;
    if (to.st_dev != from.st_dev || to.st_ino != from.st_ino) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "'%.300s' is read by this command; name another file to write (--force replaces it)",
                   path);
}

/* where the record really is, for the caller to free; NULL: `path` says it */
static char *behind_link(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode) ? realpath(path, NULL) : NULL;
}

static int has_checkpoint(const char *record, char *checkpoint, size_t size) {
    int length = snprintf(checkpoint, size, "%s.checkpoint", record);
    return length > 0 && (size_t)length < size && access(checkpoint, F_OK) == 0;
}

/* how the command of this line is made whole */
static void say_how(const char *command, const char *record, char *text, size_t size) {
    if (strncmp(command, "ncpbench reproduce", 18) == 0)
        snprintf(text, size, "%.300s", command);
    else
        snprintf(text, size, "ncpbench %s --resume %.300s", strncmp(command, "ncpbench suite ", 15) ? "run" : "suite",
                 record);
}

static nb_status refuse_interrupted(const char *record) {
    char how[400];
    nb_checkpoint *checkpoint = NULL;
    if (nb_checkpoint_read(record, &checkpoint) == NB_OK) {
        say_how(checkpoint->command, record, how, sizeof how);
        nb_checkpoint_destroy(checkpoint);
        return nb_fail(NB_ERROR_USAGE,
                       "'%.200s.checkpoint' is of an interrupted command; resume with: %s (--force restarts)", record,
                       how);
    }
    snprintf(how, sizeof how, "%s", nb_error_message());
    return nb_fail(NB_ERROR_USAGE, "%s (--force restarts)", how);
}

/* the text with what glob takes for patterns escaped */
static void escape(const char *text, char *out) {
    for (; *text; text++) {
        if (strchr("*?[]\\", *text)) *out++ = '\\';
        *out++ = *text;
    }
    *out = '\0';
}

void nb_overwrite_tidy(const char *record, const char *kept) {
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

/* removes what interrupted writers left: the record has another one now */
static void give_up(const char *record, const char *target) {
    char left[4200];
    for (int i = 0; i < 2; i++) {
        int length = snprintf(left, sizeof left, "%s.checkpoint%s", record, i ? "-new" : "");
        if (length > 0 && (size_t)length < sizeof left) unlink(left);
    }
    nb_overwrite_tidy(target, NULL);
}

nb_status nb_overwrite_check_interrupted(const char *path, int force) {
    char found[4200], *target = behind_link(path);
    const char *record = has_checkpoint(path, found, sizeof found)               ? path
                         : target && has_checkpoint(target, found, sizeof found) ? target
                                                                                 : NULL;
    nb_status status = record && !force ? refuse_interrupted(record) : NB_OK;
    if (force) give_up(record ? record : path, target ? target : path);
    free(target);
    return status;
}

/* ---- finished records ---- */

/* takes the next word off *line; the word --force, which changes nothing in the record, is left out */
static size_t next_word(const char **line, const char **word) {
    size_t length;
    do {
        *word = *line + strspn(*line, " ");
        length = strcspn(*word, " ");
        *line = *word + length;
    } while (length == 7 && strncmp(*word, "--force", 7) == 0);
    return length;
}

static int same_command(const char *a, const char *b) {
    const char *word_a, *word_b;
    size_t length;
    do {
        length = next_word(&a, &word_a);
        if (next_word(&b, &word_b) != length || strncmp(word_a, word_b, length) != 0) return 0;
    } while (length > 0);
    return 1;
}

int nb_overwrite_keeps(const char *path, const char *command, int64_t runs, int force) {
    nb_record_reader *reader = NULL;
    if (access(path, F_OK) != 0) return 0;
    if (nb_safe_read(path, read_head) != NB_OK || nb_record_open_any_version(path, &reader) != NB_OK) return !force;
    int same = nb_record_run_count(reader) <= runs && same_command(nb_record_attribute(reader, "command"), command);
    int keeps = nb_record_version(reader) != NB_SCHEMA_VERSION || !(same || force);
    nb_record_reader_close(reader);
    return keeps;
}

nb_status nb_overwrite_close(nb_record *record, const char *path, int keeps) {
    char kept[4200] = "";
    if (keeps) nb_record_set_aside(path, kept, sizeof kept);
    nb_status status = nb_record_close(record, 1);
    if (*kept && !nb_record_restore(path, kept)) nb_print(stderr, "the earlier %s is kept as %s\n", path, kept);
    return status;
}

const char *nb_overwrite_left(const char *path) {
    return access(path, F_OK) == 0 ? "is left as it was" : "is not written";
}
