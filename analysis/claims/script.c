#include "claims/script.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/stream.h"
#include "record/provenance.h"
#include "table/statistics.h"

static const char common[] = "common.py"; /* of all scripts */

/* ---- a script's folder ---- */

static uint64_t checksum_of(const nb_claim_source *source, uint64_t checksum) {
    for (const char *const *line = source ? source->text : NULL; line && *line; line++)
        checksum = nb_checksum(checksum, *line, strlen(*line));
    return checksum;
}

void nb_claim_script_title(const nb_claim_source *sources, const char *line, char title[NB_CLAIM_TITLE]) {
    uint64_t checksum = checksum_of(nb_claim_source_find(sources, line), NB_CHECKSUM_OF_NOTHING);
    checksum = checksum_of(nb_claim_source_find(sources, common), checksum);
    nb_provenance here;
    nb_provenance_fill(&here);
    checksum = nb_checksum(checksum, here.ncpbench_version, strlen(here.ncpbench_version));
    checksum = nb_checksum(checksum, here.git_commit, strlen(here.git_commit));
    checksum = nb_checksum(checksum, &here.git_dirty, sizeof here.git_dirty);
    snprintf(title, NB_CLAIM_TITLE, NB_CLAIM_SCRIPT_MARK "%.400s (%016" PRIx64 ")\n", line, checksum);
}

static nb_status write_source(const char *folder, const nb_claim_source *source) {
    char path[600];
    FILE *file;
    if (!source) return NB_OK;
    snprintf(path, sizeof path, "%s/%.200s", folder, source->name);
    nb_status status = nb_file_open(path, 'w', &file);
    if (status != NB_OK) return status;
    for (const char *const *line = source->text; *line; line++) fputs(*line, file);
    return fclose(file) == 0 ? NB_OK : nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info, (void)kind, (void)place;
    return remove(path);
}

/* ---- Python ---- */

enum {
    MOST_WORDS = 32,
    NO_PROGRAM = 127 /* what execvp has no program for */
};

typedef struct job {
    char folder[300], program[4096], line[400];
    char *words[MOST_WORDS + 3]; /* NULL-terminated; but for the first two they are of the line */
} job;

/* what a script starts belongs to its group of processes, which ends with it */
static int be_python(const void *context, FILE *answer) {
    const job *j = context;
    int nothing = open("/dev/null", O_RDONLY), complaints;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (chdir(j->folder) != 0 || nothing < 0 || setenv("NCPBENCH", j->program, 1) != 0) return 126;
    if ((complaints = open("complaints", O_WRONLY | O_CREAT | O_TRUNC, 0600)) < 0) return 126;
    dup2(nothing, STDIN_FILENO);
    dup2(fileno(answer), STDOUT_FILENO);
    dup2(complaints, STDERR_FILENO);
    execvp("python3", j->words);
    return NO_PROGRAM;
}

static nb_status make_job(const char *line, job *j) {
    static char python[] = "python3", writes_no_cache[] = "-B";
    const char *temporary = getenv("TMPDIR");
    char *rest;
    int count = 2;
    ssize_t length = readlink("/proc/self/exe", j->program, sizeof j->program - 1);
    j->program[length > 0 ? length : 0] = '\0';
    snprintf(j->line, sizeof j->line, "%s", line);
    j->words[0] = python;
    j->words[1] = writes_no_cache;
    for (char *word = strtok_r(j->line, " ", &rest); word && count < MOST_WORDS + 2; word = strtok_r(NULL, " ", &rest))
        j->words[count++] = word;
    snprintf(j->folder, sizeof j->folder, "%.200s/ncpbench-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(j->folder)) return NB_OK;
    nb_status status =
        nb_fail(NB_ERROR_IO, "cannot make the temporary folder '%s' (TMPDIR): %s", j->folder, strerror(errno));
    j->folder[0] = '\0';
    return status;
}

/* the last line on standard error that says something */
static void read_complaint(const job *j, char *text, size_t size) {
    char path[400], line[400];
    FILE *file;
    *text = '\0';
    snprintf(path, sizeof path, "%s/complaints", j->folder);
    if (nb_file_open(path, 'r', &file) != NB_OK) return;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line) snprintf(text, size, "%.290s", line);
    }
    fclose(file);
}

enum {
    END = 40 /* bytes of the last line */
};

/* the last line, of all that stands before it */
static void make_end(const char *text, size_t length, char end[END]) {
    snprintf(end, END, "# whole: %016" PRIx64 "\n", nb_checksum(NB_CHECKSUM_OF_NOTHING, text, length));
}

int nb_claim_script_is_whole(const char *printed) {
    char end[END];
    const size_t length = strlen(printed), own = strlen("# whole: ") + 17;
    if (length < own) return 0;
    make_end(printed, length - own, end);
    return strcmp(printed + length - own, end) == 0;
}

static nb_status take_answer(FILE *answer, const char *title, char **printed) {
    long length = fseek(answer, 0, SEEK_END) == 0 ? ftell(answer) : -1;
    size_t begin = strlen(title);
    if (length < 0) return nb_fail(NB_ERROR_IO, "what a script printed cannot be read: %s", strerror(errno));
    nb_status status = NB_ALLOCATE((int64_t)begin + length + 1 + END, printed);
    if (status != NB_OK) return status;
    rewind(answer);
    memcpy(*printed, title, begin);
    length = (long)fread(*printed + begin, 1, (size_t)length, answer);
    char *text = *printed + begin;
    if (length > 0 && text[length - 1] != '\n') text[length++] = '\n';
    make_end(text, (size_t)length, text + length);
    return NB_OK;
}

/* NB_ERROR_IO, which ends the command, where the machine lacks something: that is no verdict on a claim */
static nb_status explain_failure(const job *j, const char *complaint) {
    char module[80];
    if (sscanf(complaint, "ModuleNotFoundError: No module named '%79[A-Za-z0-9_]", module) == 1)
        return nb_fail(NB_ERROR_IO, "script %s requires Python's module '%s': apt-get install python3-%s", j->words[2],
                       module, module);
    return nb_fail(NB_ERROR_INPUT, "script %s failed: %s", j->words[2], complaint);
}

static nb_status run_python(const job *j, const char *title, char **printed) {
    char complaint[300], end[64];
    nb_child child;
    nb_status status = nb_child_start("run python3 in", be_python, j, 0, &child);
    if (status != NB_OK) return status;
    pid_t group = child.process;
    nb_child_await(&child, 0, &nb_interrupted);
    kill(-group, SIGKILL);
    read_complaint(j, complaint, sizeof complaint);
    nb_child_end(&child, end);
    if (nb_interrupted)
        status = nb_interrupt_check();
    else if (child.exit_status == NO_PROGRAM)
        status = nb_fail(NB_ERROR_IO, "python3 is not installed; scripts of claims are run by it");
    else if (child.exit_status != 0)
        status = explain_failure(j, *complaint ? complaint : end);
    else
        status = take_answer(child.answer, title, printed);
    nb_child_clear(&child);
    return status;
}

nb_status nb_claim_script_run(const nb_claim_source *sources, const char *line, char **printed) {
    nb_status status;
    char title[NB_CLAIM_TITLE];
    job j = {.folder = ""};
    const nb_claim_source *source = nb_claim_source_find(sources, line);
    if (!source) return nb_fail(NB_ERROR_INPUT, "there is no script '%.80s'", line);
    nb_claim_script_title(sources, line, title);
    NB_TRY(make_job(line, &j));
    NB_TRY(write_source(j.folder, source));
    NB_TRY(write_source(j.folder, nb_claim_source_find(sources, common)));
    NB_TRY(run_python(&j, title, printed));
out:
    if (*j.folder) nftw(j.folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return status;
}

/* ---- what it printed ---- */

static nb_status read_values(const char *line, const char *at, const char *end, nb_measured *measured) {
    double values[64];
    int64_t count = 0;
    char *next;
    while (at < end && count < (int64_t)(sizeof values / sizeof *values)) {
        values[count++] = strtod(at, &next);
        if (next == at) break;
        at = next + strspn(next, " ");
    }
    if (count == 0 || at != end)
        return nb_fail(NB_ERROR_INPUT, "a script printed '%.*s': NAME VALUE ... is expected",
                       (int)(end - line < 80 ? end - line : 80), line);
    const int64_t numbers = nb_sort_sample(values, count);
    *measured = (nb_measured){.value = numbers == count ? nb_quantile(values, count, 0.5) : (double)NAN,
                              .low = values[0],
                              .high = values[count - 1],
                              .interval = count > 1 && numbers == count ? NB_INTERVAL_RANGE : NB_INTERVAL_NONE};
    return NB_OK;
}

static nb_status read_line(const nb_claim *claim, const char *line, const char *end, char *found,
                           nb_measured *measured) {
    size_t length = strcspn(line, " \n");
    int i = 0;
    while (i < claim->measure_count && !claim->measures[i].text &&
           !(strlen(claim->measures[i].name) == length && strncmp(claim->measures[i].name, line, length) == 0))
        i++;
    if (i == claim->measure_count || claim->measures[i].text || found[i])
        return nb_fail(
            NB_ERROR_INPUT, "a script printed '%.*s', which %s", (int)(length < 60 ? length : 60), line,
            i < claim->measure_count && !claim->measures[i].text ? "is there twice" : "its rule does not name");
    found[i] = 1;
    length += strspn(line + length, " ");
    return read_values(line, line + length, end, &measured[i]);
}

nb_status nb_claim_read_printed(const nb_claim *claim, const char *printed, nb_measured *measured) {
    char found[NB_CLAIM_MEASURES] = {0};
    while (printed && *printed) {
        size_t length = strcspn(printed, "\n");
        if (length > 0 && *printed != '#') {
            nb_status status = read_line(claim, printed, printed + length, found, measured);
            if (status != NB_OK) return status;
        }
        printed += length + (printed[length] == '\n');
    }
    for (int i = 0; i < claim->measure_count && !claim->measures[i].text; i++)
        if (!found[i]) return nb_fail(NB_ERROR_INPUT, "its script did not print '%.60s'", claim->measures[i].name);
    return NB_OK;
}
