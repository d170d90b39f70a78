#include "run/standard_set.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum {
    MOST_COLUMNS = 64,
    MOST_LINE = 8192
};

static const char table_name[] = "standard.tsv";
static const char changed[] = "is not the problem of this name in the standard set";

/* ---- places ---- */

static int is_there(const char *folder, const char *name) {
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && access(path, R_OK) == 0;
}

/* the folder beside the program as it is installed, or that of the sources */
static nb_status find_home(char home[PATH_MAX]) {
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        char *slash = strrchr(program, '/');
        if (slash) *slash = '\0';
        if (snprintf(home, PATH_MAX, "%.4000s/../" NB_STANDARD_INSTALLED, program) < PATH_MAX &&
            is_there(home, table_name))
            return NB_OK;
    }
    snprintf(home, PATH_MAX, "%s", NB_STANDARD_SOURCE);
    if (is_there(home, table_name)) return NB_OK;
    return nb_fail(NB_ERROR_IO, "the standard set is neither installed with the program nor in '%s'", home);
}

/* a name is part of a path: no place elsewhere */
static int is_name(const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    return *name && *name != '.' && strlen(name) < NB_NAME_LENGTH && strspn(name, allowed) == strlen(name);
}

static int find_scene(const char *home, const char *name, char *path, size_t size) {
    static const char *const parts[] = {"small/", "full/", "failures/", ""};
    char file[2 * NB_NAME_LENGTH];
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        snprintf(file, sizeof file, "%s%s.json.gz", parts[k], name);
        if (is_there(home, file)) return snprintf(path, size, "%s/%s", home, file) < (int)size;
    }
    return 0;
}

static nb_status find_file(const char *home, nb_standard_problem *problem) {
    char path[PATH_MAX];
    if (!find_scene(home, problem->name, path, sizeof path))
        return nb_fail(NB_ERROR_INPUT, "'%s.json.gz' is not in '%.200s', nor in its folders small, full and failures",
                       problem->name, home);
    return nb_copy_text(path, &problem->path);
}

/* the name without its prefix */
static const char *bare(const char *name) {
    static const char prefix[] = "standard/";
    return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
}

int nb_standard_scene(const char *name, char *path, size_t size) {
    char home[PATH_MAX];
    name = bare(name);
    return is_name(name) && find_home(home) == NB_OK && find_scene(home, name, path, size);
}

/* ---- the table ---- */

enum {
    NAME,
    SET,
    CLASS,
    SHA256,
    BEST,
    FIELDS
};
static const char *const fields[FIELDS] = {"name", "set", "class", "sha256", "best"};

typedef struct table {
    const char *path, *home; /* of the table, of the files */
    FILE *file;
    const char *which; /* the set wanted: small, full (with small) or failures; NULL: all rows */
    int line;
    int place[FIELDS]; /* of the columns; -1: not yet known */
} table;

static nb_status bad(const table *t, const char *what, const char *value) {
    return nb_fail(NB_ERROR_INPUT, "'%.200s', line %d: %s '%.80s'", t->path, t->line, what, value);
}

/* cuts a line at its tabs */
static int split(char *line, char *cells[MOST_COLUMNS]) {
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *rest = line, *cell; count < MOST_COLUMNS && (cell = strsep(&rest, "\t")) != NULL;) cells[count++] = cell;
    return count;
}

static nb_status take_header(table *t, int count, char *const cells[]) {
    for (int f = 0; f < FIELDS; f++) {
        for (int i = 0; i < count; i++)
            if (strcmp(cells[i], fields[f]) == 0) t->place[f] = i;
        if (t->place[f] < 0) return bad(t, "the table lacks the column", fields[f]);
    }
    return NB_OK;
}

static nb_status copy_cell(const table *t, int field, char *const cells[], size_t room, char *to) {
    const char *cell = cells[t->place[field]];
    if (strlen(cell) >= room) return bad(t, "too long is", cell);
    snprintf(to, room, "%s", cell);
    return NB_OK;
}

static nb_status check_names(const table *t, const nb_standard_set *set, const nb_standard_problem *p) {
    if (!is_name(p->name)) return bad(t, "no name of a problem is", p->name);
    for (int64_t i = 0; i < set->count; i++)
        if (strcmp(set->items[i].name, p->name) == 0) return bad(t, "there is another problem", p->name);
    if (*p->sha256 &&
        (strlen(p->sha256) != NB_SHA256_TEXT - 1 || strspn(p->sha256, "0123456789abcdef") != strlen(p->sha256)))
        return bad(t, "no SHA-256 in lower case is", p->sha256);
    return NB_OK;
}

static int is_own(const char *set) {
    return strcmp(set, "small") == 0 || strcmp(set, "full") == 0 || strcmp(set, "failures") == 0;
}

static nb_status take_problem(const table *t, int count, char *const cells[], nb_standard_set *set) {
    nb_status status;
    nb_standard_problem p = {.path = NULL};
    for (int f = 0; f < FIELDS; f++)
        if (t->place[f] >= count) return bad(t, "the line lacks the column", fields[f]);
    const char *in = cells[t->place[SET]];
    const int small = strcmp(in, "small") == 0;
    if (!is_own(in)) return bad(t, "the set is small, full or failures, not", in);
    if (t->which && strcmp(t->which, in) != 0 && !(small && strcmp(t->which, "full") == 0)) return NB_OK;
    if (strcmp(cells[t->place[SHA256]], "-") == 0) *cells[t->place[SHA256]] = '\0';
    NB_TRY(copy_cell(t, NAME, cells, sizeof p.name, p.name));
    NB_TRY(copy_cell(t, CLASS, cells, sizeof p.class, p.class));
    NB_TRY(copy_cell(t, SHA256, cells, sizeof p.sha256, p.sha256));
    NB_TRY(copy_cell(t, BEST, cells, sizeof p.best, p.best));
    NB_TRY(check_names(t, set, &p));
    NB_TRY(NB_RESERVE(set->count + 1, &set->capacity, &set->items));
    NB_TRY(find_file(t->home, &p));
    set->items[set->count++] = p;
out:
    return status;
}

static nb_status read_lines(table *t, nb_standard_set *set) {
    nb_status status = NB_OK;
    char line[MOST_LINE], *cells[MOST_COLUMNS];
    for (int headed = 0; fgets(line, sizeof line, t->file);) {
        t->line++;
        if (!strchr(line, '\n')) return bad(t, "too long, or without its end, is", line);
        if (*line == '#') continue;
        const int count = split(line, cells);
        NB_TRY(headed ? take_problem(t, count, cells, set) : take_header(t, count, cells));
        headed = 1;
    }
    if (set->count == 0) status = nb_fail(NB_ERROR_INPUT, "'%.200s' names no problems", t->path);
out:
    return status;
}

nb_status nb_standard_set_find(const char *which, nb_standard_set *set) {
    nb_status status;
    char home[PATH_MAX], path[PATH_MAX + sizeof table_name + 1];
    const int own = is_own(which);
    if (strlen(which) >= sizeof home) return nb_fail(NB_ERROR_USAGE, "--standard '%.80s...' is too long", which);
    if (own)
        NB_TRY(find_home(home));
    else
        snprintf(home, sizeof home, "%s", which);
    if (!own && !is_there(home, table_name))
        return nb_fail(NB_ERROR_IO, "--standard is small, full, failures or a folder with a file %s, not '%.200s'",
                       table_name, which);
    snprintf(path, sizeof path, "%s/%s", home, table_name);
    table t = {.path = path, .home = home, .which = own ? which : NULL, .place = {-1, -1, -1, -1, -1}};
    NB_TRY(nb_file_open(path, 'r', &t.file));
    status = read_lines(&t, set);
    fclose(t.file);
out:
    return status;
}

void nb_standard_set_clear(nb_standard_set *set) {
    for (int64_t i = 0; i < set->count; i++) nb_free(set->items[i].path);
    nb_free(set->items);
    *set = (nb_standard_set){0};
}

/* ---- its problems ---- */

nb_status nb_standard_class(const char *name, char class[NB_NAME_LENGTH]) {
    static const char *const sets[] = {"full", "failures"};
    nb_status status = NB_OK;
    *class = '\0';
    for (int k = 0; k < 2 && status == NB_OK; k++) {
        nb_standard_set set = {NULL};
        status = nb_standard_set_find(sets[k], &set);
        for (int64_t i = 0; i < set.count; i++)
            if (strcmp(set.items[i].name, bare(name)) == 0) snprintf(class, NB_NAME_LENGTH, "%s", set.items[i].class);
        nb_standard_set_clear(&set);
    }
    return status;
}

nb_status nb_standard_problem_check(const nb_standard_problem *problem, const nb_file_data *data) {
    char sum[NB_SHA256_TEXT];
    if (!*problem->sha256) return NB_OK;
    nb_file_data_checksum(data, sum);
    if (strcmp(sum, problem->sha256) == 0) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "'%s' %s: its numbers have the SHA-256 %.16s..., and the table says %.16s...",
                   problem->name, changed, sum, problem->sha256);
}

int nb_standard_is_changed(const char *fault) {
    return strstr(fault, changed) != NULL;
}

int nb_standard_is_infeasible(const char *best) {
    return strcmp(best, "infeasible") == 0;
}
