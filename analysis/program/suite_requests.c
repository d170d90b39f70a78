#include "suite_requests.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/stream.h"
#include "plan.h"
#include "run/setting_effect.h"

/* run `c` of the grid, for one file */
static nb_status prepare(const nb_suite *suite, const nb_suite_file *file, int64_t c, nb_request *request) {
    nb_status status;
    nb_free(request->info.parameters);
    request->info.parameters = NULL;
    NB_TRY(nb_parameter_grid_request(suite->grid, c, request));
    request->problem_path = ""; /* nothing is read yet, and nothing is taken for a linear system */
    request->info.time_limit = suite->time_limit;
    request->standard = file->standard;
    request->problem_sha256 = *file->sha256 ? file->sha256 : NULL;
    memcpy(request->info.scenario, file->name, sizeof file->name);
    NB_TRY(nb_simulate_prepare(request));
    request->problem_path = file->path;
out:
    return status;
}

static nb_status prepare_first(const void *suite, int64_t combination, nb_request *request) {
    return prepare(suite, &((const nb_suite *)suite)->files.items[0], combination, request);
}

nb_status nb_suite_combine(nb_suite *suite) {
    nb_status status;
    nb_plan plan = {.prepare = prepare_first, .context = suite};
    NB_TRY(nb_parameter_grid_replace_problem(suite->grid, suite->files.items[0].path));
    NB_TRY(nb_plan_add(&plan, suite->grid));
    NB_TRY(NB_ALLOCATE(plan.count, &suite->which));
    for (int64_t i = 0; i < plan.count; i++) suite->which[i] = plan.runs[i].combination;
    suite->combinations = plan.count;
    nb_unused_options_note(plan.unused, stderr);
out:
    nb_plan_clear(&plan);
    return status;
}

nb_status nb_suite_prepare(const nb_suite *suite, int64_t problem, nb_request *requests) {
    nb_status status = NB_OK;
    const nb_suite_file *file = &suite->files.items[problem];
    NB_TRY(nb_parameter_grid_replace_problem(suite->grid, file->path));
    for (int64_t c = 0; c < suite->combinations; c++) NB_TRY(prepare(suite, file, suite->which[c], &requests[c]));
out:
    return status;
}

void nb_suite_clear_requests(const nb_suite *suite, nb_request *requests) {
    for (int64_t c = 0; requests && c < suite->combinations; c++) nb_free(requests[c].info.parameters);
    nb_free(requests);
}

/* The problem files of a folder, or of a standard set. */

enum {
    MOST_DEPTH = 64,
    SUM_DIGITS = 8
};

static int has_ending(const char *name) {
    static const char *const endings[] = {".hdf5", ".h5", ".dat", ".json", ".json.gz"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcasecmp(name + length - ending, endings[i]) == 0) return 1;
    }
    return 0;
}

/* the name within the folder; where it is too long for a record, its end, told apart by a checksum of the whole */
static void name_file(const char *inside, char name[NB_NAME_LENGTH]) {
    size_t length = strlen(inside), kept = NB_NAME_LENGTH - SUM_DIGITS - 2;
    if (length < NB_NAME_LENGTH) {
        memcpy(name, inside, length + 1);
        return;
    }
    uint32_t sum = (uint32_t)nb_checksum(NB_CHECKSUM_OF_NOTHING, inside, length);
    snprintf(name, NB_NAME_LENGTH, "%0*x~%s", (int)SUM_DIGITS, (unsigned)sum, inside + length - kept);
}

static int is_same_file(const struct stat *info, const char *path) {
    struct stat other;
    return path && stat(path, &other) == 0 && other.st_dev == info->st_dev && other.st_ino == info->st_ino;
}

static nb_status add_file(nb_suite_files *files, const char *path) {
    nb_status status = NB_RESERVE(files->count + 1, &files->capacity, &files->items);
    if (status == NB_OK) status = nb_copy_text(path, &files->items[files->count].path);
    if (status != NB_OK) return status;
    (void)nb_sha256_file(path, files->items[files->count++].sha256); /* one that cannot be read is a failed run */
    return NB_OK;
}

static nb_status look_into(const char *folder, const char *except, int depth, nb_suite_files *files);

/* a problem file to take (what it is shows when it is read), a folder to look into, or something else */
static nb_status visit(const char *folder, const char *name, const char *except, int depth, nb_suite_files *files) {
    struct stat info, link;
    char *path = NULL;
    nb_status status = nb_allocate((int64_t)(strlen(folder) + strlen(name) + 2), 1, &path);
    if (status != NB_OK) return status;
    stpcpy(stpcpy(stpcpy(path, folder), "/"), name);
    const int there = lstat(path, &link) == 0, leads = there && stat(path, &info) == 0;
    if (there && S_ISDIR(link.st_mode))
        status = look_into(path, except, depth + 1, files);
    else if (there && has_ending(name) && !(leads && (S_ISDIR(info.st_mode) || is_same_file(&info, except))))
        status = add_file(files, path);
    nb_free(path);
    return status;
}

static nb_status look_into(const char *folder, const char *except, int depth, nb_suite_files *files) {
    nb_status status = NB_OK;
    DIR *list = opendir(folder);
    if (!list) return nb_fail(NB_ERROR_IO, "cannot read the folder '%.300s': %s", folder, strerror(errno));
    if (depth > MOST_DEPTH)
        status = nb_fail(NB_ERROR_IO, "'%.300s': more than %d folders within each other", folder, (int)MOST_DEPTH);
    for (const struct dirent *entry = readdir(list); entry && status == NB_OK; entry = readdir(list))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = visit(folder, entry->d_name, except, depth, files);
    closedir(list);
    return status;
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(((const nb_suite_file *)a)->path, ((const nb_suite_file *)b)->path);
}

nb_status nb_suite_files_find(const char *folder, const char *except, nb_suite_files *files) {
    nb_status status;
    NB_TRY(look_into(folder, except, 0, files));
    if (files->count == 0)
        return nb_fail(NB_ERROR_INPUT,
                       "'%.300s' holds no problem files: none that end in .hdf5, .h5, .dat, .json or .json.gz", folder);
    qsort(files->items, (size_t)files->count, sizeof *files->items, compare_paths);
    for (int64_t i = 0; i < files->count; i++)
        name_file(files->items[i].path + strlen(folder) + 1, files->items[i].name);
out:
    return status;
}

int nb_suite_file_changed(const nb_suite_file *file) {
    char now[NB_SHA256_TEXT];
    (void)nb_sha256_file(file->path, now);
    return strcmp(now, file->sha256) != 0;
}

nb_status nb_suite_files_of_set(const char *which, nb_suite_files *files) {
    nb_status status;
    NB_TRY(nb_standard_set_find(which, &files->set));
    for (int64_t i = 0; i < files->set.count; i++) {
        const nb_standard_problem *of = &files->set.items[i];
        NB_TRY(add_file(files, of->path));
        nb_suite_file *file = &files->items[i];
        memcpy(file->name, of->name, sizeof file->name);
        file->standard = of;
    }
out:
    return status;
}

void nb_suite_files_clear(nb_suite_files *files) {
    for (int64_t i = 0; i < files->count; i++) nb_free(files->items[i].path);
    nb_free(files->items);
    nb_standard_set_clear(&files->set);
    *files = (nb_suite_files){0};
}
