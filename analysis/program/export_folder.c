#include "export_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "exchange/write_matrix_market.h"
#include "record/provenance.h"
#include "run/prepare.h"
#include "text/json.h"

/* one file of the folder: a matrix or a vector */
typedef struct part {
    const char *name, *units, *meaning;
    const nb_csr_f64 *matrix; /* or NULL */
    int64_t count;
    const double *vector; /* [count] or NULL */
} part;

enum {
    PARTS = 9
};

/* a problem file's system has no H, J and g; most have no K */
static int is_there(const part *p) {
    return p->vector || (p->matrix && p->matrix->start);
}

/* of a system over other unknowns than rows: A and b alone, whose units follow from what those are */
static void list_own_parts(const nb_stored_system *s, part parts[PARTS]) {
    for (int i = 0; i < PARTS; i++) {
        const int is_matrix = parts[i].matrix == &s->a, is_side = parts[i].vector == s->b;
        if (!is_matrix && !is_side) parts[i].matrix = NULL, parts[i].vector = NULL;
        parts[i].units = "see unknowns";
        parts[i].meaning = is_matrix
                               ? "the matrix of the Newton system A x = b, over the unknowns that system.json names"
                               : "its right-hand side";
    }
}

static void list_parts(const nb_stored_system *s, part parts[PARTS]) {
    const part all[PARTS] = {
        {"A", "1/kg", "A = S J H^-1 J^T S + C + K, the matrix of the Newton system A x = b", &s->a, 0, NULL},
        {"b", "m/s", "b = S J H^-1 g - h, its right-hand side", NULL, s->rows, s->b},
        {"H", "kg, kg m^2",
         "mass matrix, 6 a body, then 3 a particle; rows of what has no mass are empty and count as H^-1 = 0", &s->h, 0,
         NULL},
        {"J", "1, m",
         "gradients of the constraints; joints first, then normal, tangent 1, tangent 2 of each contact, then elements",
         &s->j, 0, NULL},
        {"C", "1/kg", "diagonal: compliance of joints, contacts and friction, and the regularization", &s->c, 0, NULL},
        {"K", "1/kg", "block diagonal over joints' rows, contacts and elements, perhaps not symmetric", &s->k, 0, NULL},
        {"S", "1", "row weights, the diagonal of S as a vector", NULL, s->rows, s->s},
        {"g", "N s, N m s", "momentum residual", NULL, s->velocities, s->g},
        {"h", "m/s", "residual of the weighted rows", NULL, s->rows, s->residual_h},
    };
    memcpy(parts, all, sizeof all);
    if (*s->unknowns) list_own_parts(s, parts);
}

static nb_status write_part(const char *folder, const part *p) {
    char path[4096];
    char comment[256];
    snprintf(path, sizeof path, "%s/%s.mtx", folder, p->name);
    snprintf(comment, sizeof comment, "%s [%s]: %s", p->name, p->units, p->meaning);
    return p->matrix ? nb_matrix_market_write(path, p->matrix, comment)
                     : nb_matrix_market_write_vector(path, p->count, p->vector, comment);
}

/* ---- system.json ---- */

static nb_status add_parameter(void *context, const nb_named_value *parameter) {
    if (parameter->is_number)
        nb_json_number(context, parameter->name, strtod(parameter->text, NULL));
    else
        nb_json_text(context, parameter->name, parameter->text);
    return NB_OK;
}

static nb_status describe(nb_json *json, const nb_stored_system *system, const nb_request *request, const char *command,
                          const part parts[PARTS]) {
    nb_json_object(json, NULL);
    nb_json_text(json, "about", "Newton system A x = b of a non-smooth multibody step, Matrix Market files");
    nb_json_text(json, "ncpbench_version", nb_version());
    nb_json_text(json, "command", command);
    nb_json_text(json, "scenario", request->info.scenario);
    nb_json_number(json, "step", system->step);
    nb_json_number(json, "newton", system->newton);
    nb_json_number(json, "rows", (double)system->rows);
    nb_json_number(json, "velocities", (double)system->velocities);
    if (*system->unknowns) nb_json_text(json, "unknowns", system->unknowns);
    nb_json_number(json, "time_step_s", request->info.time_step);
    nb_json_object(json, "files");
    for (int i = 0; i < PARTS; i++) {
        char name[16];
        if (!is_there(&parts[i])) continue;
        snprintf(name, sizeof name, "%s.mtx", parts[i].name);
        nb_json_object(json, name);
        nb_json_text(json, "units", parts[i].units);
        nb_json_text(json, "meaning", parts[i].meaning);
        nb_json_end(json);
    }
    nb_json_end(json);
    nb_json_object(json, "options");
    for (int i = 0; i < nb_request_field_count(); i++) {
        char text[NB_REQUEST_FIELD_TEXT];
        nb_request_field_text(i, request, text);
        nb_json_text(json, nb_request_field_name(i), text);
    }
    nb_json_end(json);
    nb_json_object(json, "parameters");
    nb_status status = nb_named_values_read(request->info.parameters, add_parameter, json);
    nb_json_end(json);
    nb_json_end(json);
    return status;
}

static nb_status write_description(const char *folder, const nb_stored_system *system, const nb_request *request,
                                   const char *command, const part parts[PARTS]) {
    char path[4096];
    snprintf(path, sizeof path, "%s/system.json", folder);
    FILE *file = fopen(path, "w");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    nb_json json = {.stream = file, .indent = 1};
    nb_status status = describe(&json, system, request, command, parts);
    int failed = fflush(file) != 0 || ferror(file), cause = errno;
    if (fclose(file) != 0 && !failed) failed = 1, cause = errno;
    if (failed && status == NB_OK) status = nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(cause));
    return status;
}

/* ---- the folder ---- */

/* whether a file of this name is one that an export writes */
static int is_part(const char *name) {
    const nb_stored_system none = {0};
    part parts[PARTS];
    char file[16];
    list_parts(&none, parts);
    for (int i = 0; i < PARTS; i++) {
        snprintf(file, sizeof file, "%s.mtx", parts[i].name);
        if (strcmp(name, file) == 0) return 1;
    }
    return strcmp(name, "system.json") == 0;
}

nb_status nb_export_check(const char *path, int force) {
    struct stat info;
    int parts = 0, others = 0;
    if (stat(path, &info) != 0) return NB_OK;
    DIR *folder = S_ISDIR(info.st_mode) ? opendir(path) : NULL;
    if (!folder) return nb_fail(NB_ERROR_USAGE, "'%.300s' is there and is no folder to write to; name a new one", path);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        is_part(entry->d_name) ? parts++ : others++;
    }
    closedir(folder);
    if (others > 0)
        return nb_fail(NB_ERROR_USAGE,
                       "the folder '%.300s' is not empty and holds other files than an export's; name a "
                       "new one",
                       path);
    if (parts == 0 || force) return NB_OK;
    return nb_fail(NB_ERROR_USAGE,
                   "the folder '%.300s' is not empty: it holds an export; name a new one (--force replaces it)", path);
}

static void remove_folder(const char *folder, const part parts[PARTS]) {
    char path[4096];
    for (int i = 0; i < PARTS; i++) {
        snprintf(path, sizeof path, "%s/%s.mtx", folder, parts[i].name);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/system.json", folder);
    unlink(path);
    rmdir(folder);
}

nb_status nb_export_folder(const char *path, int force, const nb_stored_system *system, const nb_request *request,
                           const char *command) {
    nb_status status;
    part parts[PARTS];
    char partial[4000];
    size_t length = strlen(path);
    list_parts(system, parts);
    while (length > 1 && path[length - 1] == '/') length--; /* a trailing slash is no name beside it */
    if (length > sizeof partial - 64) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': the name is too long", path);
    snprintf(partial, sizeof partial, "%.*s.partial-%ld", (int)length, path, (long)getpid());
    status = nb_export_check(path, force);
    if (status != NB_OK) return status;
    if (mkdir(partial, 0777) != 0) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    for (int i = 0; i < PARTS; i++)
        if (is_there(&parts[i])) NB_TRY(write_part(partial, &parts[i]));
    NB_TRY(write_description(partial, system, request, command, parts));
    if (force) remove_folder(path, parts);
    if (rename(partial, path) != 0) NB_TRY(nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno)));
out:
    if (status != NB_OK) remove_folder(partial, parts);
    return status;
}
