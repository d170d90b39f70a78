/* export: one Newton system of a scenario or a record as Matrix Market files, the contact problem of a step for FCLIB,
 * the scene itself, or the stored states of a record as an animation. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "base/memory.h"
#include "base/named_values.h"
#include "exchange/write_fclib.h"
#include "exchange/write_matrix_market.h"
#include "exchange/write_petsc.h"
#include "export_problem.h"
#include "export_scene.h"
#include "figure/gltf.h"
#include "file/scene_file.h"
#include "file_readers.h"
#include "interrupt.h"
#include "isolate.h"
#include "overwrite.h"
#include "plan.h"
#include "reason.h"
#include "record/provenance.h"
#include "record/record.h"
#include "run/blas.h"
#include "run/prepare.h"
#include "run/simulate.h"
#include "stored_system.h"
#include "table/outcome.h"
#include "text/json.h"

/* A Newton system as a folder of Matrix Market files. */

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
        parts[i].units = s->units[is_side];
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

/* the formats that --format names; those of a folder first */
enum {
    MATRIX_MARKET,
    GINKGO,
    PETSC,
    FOLDER_FORMATS,
    FCLIB = FOLDER_FORMATS,
    FCLIB_GLOBAL,
    SCENE,
    GLTF,
    CHECKSUM,
    FORMATS
};
static const char *const formats[FORMATS] = {"matrix-market", "ginkgo", "petsc", "fclib",
                                             "fclib-global",  "scene",  "gltf",  "checksum"};
static const char *const endings[FOLDER_FORMATS] = {"mtx", "mtx", "petsc"};

static nb_status write_part(const char *folder, int format, const part *p) {
    char path[4096];
    char comment[256];
    snprintf(path, sizeof path, "%s/%s.%s", folder, p->name, endings[format]);
    if (format == PETSC)
        return p->matrix ? nb_petsc_write(path, p->matrix) : nb_petsc_write_vector(path, p->count, p->vector);
    snprintf(comment, sizeof comment, "%s [%s]: %s", p->name, p->units, p->meaning);
    return p->matrix ? nb_matrix_market_write(path, p->matrix, comment)
                     : nb_matrix_market_write_array(path, p->count, 1, p->vector, comment);
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
                          int format, const part parts[PARTS]) {
    nb_json_object(json, NULL);
    nb_json_text(json, "about",
                 format == PETSC ? "Newton system A x = b of a non-smooth multibody step, PETSc's binary files"
                                 : "Newton system A x = b of a non-smooth multibody step, Matrix Market files");
    nb_json_text(json, "ncpbench_version", nb_version());
    nb_json_text(json, "command", command);
    nb_json_text(json, "scenario", request->info.scenario);
    nb_json_number(json, "step", system->step);
    nb_json_number(json, "newton", system->newton);
    nb_json_number(json, "rows", (double)system->rows);
    nb_json_number(json, "velocities", (double)system->velocities);
    nb_json_number(json, "bodies", request->info.bodies);
    if (*system->unknowns) nb_json_text(json, "unknowns", system->unknowns);
    nb_json_number(json, "time_step_s", request->info.time_step);
    nb_json_object(json, "files");
    for (int i = 0; i < PARTS; i++) {
        char name[16];
        if (!is_there(&parts[i])) continue;
        snprintf(name, sizeof name, "%s.%s", parts[i].name, endings[format]);
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

static nb_status end_json(const char *path, FILE *file, nb_status status) {
    int failed = fflush(file) != 0 || ferror(file), cause = errno;
    if (fclose(file) != 0 && !failed) failed = 1, cause = errno;
    if (failed && status == NB_OK) status = nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(cause));
    return status;
}

static nb_status write_description(const char *folder, const nb_stored_system *system, const nb_request *request,
                                   const char *command, int format, const part parts[PARTS]) {
    char path[4096];
    snprintf(path, sizeof path, "%s/system.json", folder);
    FILE *file = fopen(path, "w");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    nb_json json = {.stream = file, .indent = 1};
    return end_json(path, file, describe(&json, system, request, command, format, parts));
}

/* what Ginkgo's benchmark of solvers reads on standard input, in the folder */
static nb_status write_ginkgo(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/ginkgo.json", folder);
    FILE *file = fopen(path, "w");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    fprintf(file, "[{\"filename\": \"A.mtx\", \"optimal\": {\"spmv\": \"csr\"}, \"rhs\": \"b.mtx\"}]\n");
    return end_json(path, file, NB_OK);
}

/* ---- the folder ---- */

/* whether a file of this name is one that an export writes */
static int is_part(const char *name) {
    const nb_stored_system none = {0};
    part parts[PARTS];
    char file[16];
    list_parts(&none, parts);
    for (int i = 0; i < PARTS * FOLDER_FORMATS; i++) {
        snprintf(file, sizeof file, "%s.%s", parts[i % PARTS].name, endings[i / PARTS]);
        if (strcmp(name, file) == 0) return 1;
    }
    return strcmp(name, "system.json") == 0 || strcmp(name, "ginkgo.json") == 0;
}

/* Whether the folder may be written; NB_ERROR_USAGE where not. */
static nb_status check_folder(const char *path, int force) {
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
                       "the folder '%.300s' is not empty and holds other files than an export's; name a new one", path);
    if (parts == 0 || force) return NB_OK;
    return nb_fail(NB_ERROR_USAGE,
                   "the folder '%.300s' is not empty: it holds an export; name a new one (--force replaces it)", path);
}

static void remove_folder(const char *folder, const part parts[PARTS]) {
    char path[4096];
    for (int i = 0; i < PARTS * FOLDER_FORMATS; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, parts[i % PARTS].name, endings[i / PARTS]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/system.json", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/ginkgo.json", folder);
    unlink(path);
    rmdir(folder);
}

/* Writes A, b, H, J, C, S, g, h in the format and system.json, which describes them and the run that `command` made,
 * into the folder `path`, which must not exist, or be empty, or with `force` hold nothing but such files. It appears
 * whole or not at all. */
static nb_status write_folder(const char *path, int format, int force, const nb_stored_system *system,
                              const nb_request *request, const char *command) {
    nb_status status;
    part parts[PARTS];
    char partial[4000];
    size_t length = strlen(path);
    list_parts(system, parts);
    while (length > 1 && path[length - 1] == '/') length--; /* a trailing slash is no name beside it */
    if (length > sizeof partial - 64) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': the name is too long", path);
    snprintf(partial, sizeof partial, "%.*s.partial-%ld", (int)length, path, (long)getpid());
    status = check_folder(path, force);
    if (status != NB_OK) return status;
    if (mkdir(partial, 0777) != 0) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    for (int i = 0; i < PARTS; i++)
        if (is_there(&parts[i])) NB_TRY(write_part(partial, format, &parts[i]));
    NB_TRY(write_description(partial, system, request, command, format, parts));
    if (format == GINKGO) NB_TRY(write_ginkgo(partial));
    if (force) remove_folder(path, parts);
    if (rename(partial, path) != 0) NB_TRY(nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno)));
out:
    if (status != NB_OK) remove_folder(partial, parts);
    return status;
}

enum {
    KEY_AT = 700,
    KEY_FORMAT,
    KEY_SHOW,
    KEY_STANDARD
};

typedef struct arguments {
    nb_parameter_grid *grid;
    const char *scenario, *path, *at, *standard;
    char *record;   /* path of a record or, for FCLIB, of a problem, instead of a scenario; or NULL */
    int run;        /* of the record */
    int run_option; /* 1: an option of run was given */
    int format, force;
    int forces; /* 1: --show forces */
    int32_t step, newton;
    char *line; /* the command line */
} arguments;

/* "STEP" or "STEP:NEWTON", both from 0 */
static nb_status set_at(arguments *a, const char *text) {
    int step, newton = 0, used = 0;
    int count = sscanf(text, "%7d%n:%7d%n", &step, &used, &newton, &used);
    if (count < 1 || text[used] || step < 0 || newton < 0 || strspn(text, "0123456789:") != strlen(text))
        return nb_fail(NB_ERROR_USAGE, "--at '%.80s': expected STEP:NEWTON, two numbers from 0, such as 3:0", text);
    a->at = text;
    a->step = step;
    a->newton = newton;
    return NB_OK;
}

/* "FILE.h5" or "FILE.h5#RUN"; scenarios have no dot in their name, but for those of scene files */
static nb_status set_source(arguments *a, const char *text) {
    nb_status status;
    char *number, *end;
    NB_TRY(nb_command_take(&nb_command_export, text, &a->scenario));
    if (!strchr(text, '.') || nb_scene_file_is(text)) return nb_parameter_grid_add_scenarios(a->grid, text);
    NB_TRY(nb_copy_text(text, &a->record));
    number = strrchr(a->record, '#');
    if (!number) return NB_OK;
    a->run = (int)strtol(number + 1, &end, 10);
    if (end == number + 1 || *end || a->run < 0 || end - number > 7)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "export: '%.200s': expected the number of a run after '#', from 0", text));
    *number = '\0';
out:
    return status;
}

static nb_status set_show(arguments *a, const char *text) {
    static const char *const shown[] = {"forces"};
    int choice;
    a->forces = 1;
    return nb_name_choose("--show", text, shown, 1, &choice);
}

static nb_status set(void *context, int key, const char *text) {
    arguments *a = context;
    int known;
    switch (key) {
    case 'o': a->path = text; return NB_OK;
    case KEY_AT: return set_at(a, text);
    case KEY_FORMAT: return nb_name_choose("--format", text, formats, FORMATS, &a->format);
    case KEY_SHOW: return set_show(a, text);
    case KEY_STANDARD: a->standard = text; return NB_OK;
    case NB_FORCE_KEY: a->force = 1; return NB_OK;
    case NB_PLUGIN_KEY: return nb_plugin_load(text);
    case NB_PLUGIN_LIMIT_KEY: return nb_isolated_limit(text);
    case ARGP_KEY_ARG: return set_source(a, text);
    default: a->run_option = 1; return nb_parameter_grid_set(a->grid, key, text, &known);
    }
}

/* what --format checksum takes: the file alone */
static nb_status check_checksum(const arguments *a) {
    if (a->path || a->at || a->run_option || a->force)
        return nb_fail(NB_ERROR_USAGE, "export: --format checksum prints a line for a problem file or a scene file; it "
                                       "takes no other option");
    return NB_OK;
}

/* what --format gltf takes: a record and a file */
static nb_status check_gltf(const arguments *a) {
    if (!a->record || a->at || a->run_option || !a->path || !*a->path)
        return nb_fail(NB_ERROR_USAGE, "export: --format gltf takes a record made with --store-states, -o FILE.glb, "
                                       "and nothing else but --show forces and --force");
    const nb_status status = nb_overwrite_check(a->path, NB_WRITTEN_ANIMATION, a->force);
    return status == NB_OK ? nb_overwrite_check_input(a->path, a->record, a->force) : status;
}

/* what --standard takes: --format fclib and a folder */
static nb_status check_standard(const arguments *a) {
    if (a->scenario || a->at || a->run_option || a->format != FCLIB || !a->path || !*a->path)
        return nb_fail(NB_ERROR_USAGE,
                       "export: --standard %.80s takes --format fclib and -o FOLDER, and nothing else but --force",
                       a->standard);
    return NB_OK;
}

/* The system of --form saddle, which the standard solver does not take, needs none where nobody solves it. */
static nb_status choose_solver(const arguments *a) {
    int64_t forms, solvers;
    int known, i = 0;
    char *const *form = nb_parameter_grid_values(a->grid, "--form", &forms);
    nb_parameter_grid_values(a->grid, "--linear-solver", &solvers);
    if (forms != 1 || strcmp(form[0], "saddle") != 0 || solvers > 0) return NB_OK;
    while (strcmp(nb_request_option_at(i)->option.name, "--linear-solver") != 0) i++;
    return nb_parameter_grid_set(a->grid, NB_OPTION_KEY + i, "umfpack", &known);
}

static nb_status parse(int argc, char **argv, arguments *a) {
    nb_status status;
    int64_t count;
    NB_TRY(nb_command_line(argc, argv, &a->line)); /* before argp sorts the words */
    NB_TRY(nb_plugin_load_list(getenv("NCPBENCH_PLUGINS")));
    NB_TRY(nb_parameter_grid_create(&a->grid));
    NB_TRY(nb_command_parse(&nb_command_export, argc, argv, set, a));
    if (a->forces && a->format != GLTF) NB_TRY(nb_fail(NB_ERROR_USAGE, "export: --show is of --format gltf alone"));
    NB_TRY(choose_solver(a));
    if (a->standard) return check_standard(a);
    if (!a->scenario) NB_TRY(nb_fail(NB_ERROR_USAGE, "export: a scenario is missing; see 'ncpbench list scenarios'"));
    if (a->format == CHECKSUM) return check_checksum(a);
    if (a->format == GLTF) return check_gltf(a);
    int of_problem = a->record && (a->format == FCLIB || a->format == FCLIB_GLOBAL);
    if (!a->at && !of_problem)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "export: --at STEP:NEWTON is missing: which system to write"));
    if (!a->path || !*a->path)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "export: the %s to write is missing: -o %s",
                       a->format < FOLDER_FORMATS ? "folder" : "file", a->format < FOLDER_FORMATS ? "DIR" : "FILE"));
    if (of_problem && (a->run_option || a->at))
        NB_TRY(nb_fail(NB_ERROR_USAGE,
                       "export: --format fclib writes a problem file as it is: no options of run, and no --at; a "
                       "record's systems have --format matrix-market"));
    if (a->record && !of_problem && (a->run_option || a->format >= FOLDER_FORMATS))
        NB_TRY(nb_fail(NB_ERROR_USAGE, "export: a record holds systems as they are: no options of run, and no --format "
                                       "but matrix-market"));
    NB_TRY(a->format < FOLDER_FORMATS
               ? check_folder(a->path, a->force)
               : nb_overwrite_check(a->path, a->format == SCENE ? NB_WRITTEN_SCENE : NB_WRITTEN_PROBLEM, a->force));
    if (of_problem) NB_TRY(nb_overwrite_check_input(a->path, a->record, a->force));
    NB_TRY(nb_parameter_grid_count(a->grid, &count));
    if (!a->record && count != 1)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "export: one run at a time: the lists of values give %lld", (long long)count));
out:
    return status;
}

/* ---- what the run gave ---- */

static nb_status write_system(const arguments *a, nb_request *request, const nb_run *run) {
    int64_t last =
        run->newton_start[a->step + 1] - run->newton_start[a->step] - 2; /* the last row is the state after */
    if (run->system_count == 0 && last < 0)
        return nb_fail(NB_ERROR_USAGE, "--at %s: step %d was solved without a Newton system", a->at, (int)a->step);
    if (run->system_count == 0)
        return nb_fail(NB_ERROR_USAGE,
                       "--at %s: step %d had the Newton systems 0 to %lld; --newton-iterations sets "
                       "how many there are at most",
                       a->at, (int)a->step, (long long)last);
    if (run->systems[0].rows == 0)
        return nb_fail(NB_ERROR_USAGE, "--at %s: the system of step %d has no rows: nothing touches yet", a->at,
                       (int)a->step);
    request->info.bodies = run->info.bodies;
    return write_folder(a->path, a->format, a->force, &run->systems[0], request, a->line);
}

static nb_status write_problem(const arguments *a, const nb_request *request, const nb_contact_problem *problem) {
    char title[160], description[1000];
    snprintf(title, sizeof title, "%s, step %d (ncpbench)", request->info.scenario, (int)a->step);
    snprintf(description, sizeof description, "%.900s; h = %.17g s", a->line, problem->time_step);
    return nb_fclib_write(a->path, problem, a->format == FCLIB_GLOBAL, title, description);
}

/* [s] of the start of the step, to the last bit; NaN: as the scene begins */
static double start_time(const arguments *a, const nb_request *request, const nb_run *run) {
    if (a->step > 0) return run->steps[(int64_t)(a->step - 1) * NB_STEP_COLUMNS + NB_STEP_TIME];
    return request->info.settle > 0 ? run->final.time - run->final.time_step : NAN;
}

static nb_status make(arguments *a, nb_request *request, int *exit_status) {
    nb_status status;
    nb_run *run = NULL;
    nb_contact_problem problem = {0};
    const int32_t steps = request->info.steps; /* of a run from the scene that is written */
    request->store_step = a->step;
    request->store_newton = a->newton;
    request->store_one = request->store_systems = a->format < FOLDER_FORMATS;
    request->contact_problem = a->format == FCLIB || a->format == FCLIB_GLOBAL ? &problem : NULL;
    request->linear_history = 0;
    request->frame_interval = 0;
    request->info.steps = a->step + 1;
    if (a->format == SCENE && a->step + request->info.settle == 0) /* as it begins: no step leads there */
        return nb_export_scene(a->path, request, NULL, NAN, 0, steps, a->line);
    nb_interrupt_catch();
    nb_blas_set_threads(request->info.threads);
    NB_TRY(nb_isolated_simulate(request, &run));
    if (*run->fault)
        status = nb_fail(strcmp(nb_run_reason(run), nb_reason_name(NB_REASON_REFUSED)) == 0 ? NB_ERROR_UNSUPPORTED
                                                                                            : NB_ERROR_NUMERIC,
                         "%s", run->fault);
    else if (run->usage.settle_unsolved > 0)
        status = nb_settle_fault(run->usage.settle_unsolved, request->info.settle, request->info.settle_tolerance,
                                 run->usage.settle_error);
    else if (!run->finished)
        *exit_status = NB_EXIT_INTERRUPTED;
    else if (a->format < FOLDER_FORMATS)
        NB_TRY(write_system(a, request, run));
    else if (a->format == SCENE)
        NB_TRY(nb_export_scene(a->path, request, &run->final, start_time(a, request, run), a->step, steps, a->line));
    else
        NB_TRY(write_problem(a, request, &problem));
out:
    nb_contact_problem_clear(&problem);
    nb_run_destroy(run);
    return status;
}

/* ---- from a record ---- */

static const arguments *wanted; /* what read_stored and write_animation read: nb_safe_read hands it the path alone */

static nb_status read_record(const arguments *a, nb_run **run, nb_stored_system *system) {
    nb_status status;
    nb_record_reader *reader = NULL;
    NB_TRY(nb_record_open(a->record, &reader));
    NB_TRY(nb_record_read_run(reader, a->run, run));
    NB_TRY(nb_record_read_system(reader, a->run, a->step, a->newton, system));
out:
    nb_record_reader_close(reader);
    return status;
}

static nb_status read_stored(const char *path) {
    nb_run *run = NULL;
    nb_stored_system system = {0};
    (void)path;
    nb_status status = read_record(wanted, &run, &system);
    nb_stored_system_clear(&system);
    nb_run_destroy(run);
    return status;
}

static nb_status copy_from_record(const arguments *a) {
    nb_status status;
    nb_run *run = NULL;
    nb_stored_system system = {0};
    nb_request *request = NULL;
    wanted = a;
    NB_TRY(nb_safe_read(a->record, read_stored));
    NB_TRY(read_record(a, &run, &system));
    NB_TRY(NB_ALLOCATE(1, &request));
    nb_request_standard(request);
    request->info = run->info; /* its parameters stay the run's */
    NB_TRY(write_folder(a->path, a->format, a->force, &system, request, a->line));
out:
    nb_free(request);
    nb_stored_system_clear(&system);
    nb_run_destroy(run);
    return status;
}

/* in the process that tries whether the record can be read: large ones are read once */
static nb_status write_animation(const char *path) {
    nb_status status;
    nb_record_reader *reader = NULL;
    nb_run *run = NULL;
    NB_TRY(nb_record_open(path, &reader));
    NB_TRY(nb_record_read_run(reader, wanted->run, &run));
    NB_TRY(nb_gltf_write(wanted->path, run, wanted->forces));
out:
    nb_run_destroy(run);
    nb_record_reader_close(reader);
    return status;
}

static nb_status animate(const arguments *a) {
    wanted = a;
    return nb_safe_read(a->record, write_animation);
}

/* whose start of a step is no state that is kept */
static nb_status refuse_stages(const nb_request *request, int32_t step) {
    const nb_integrator integrator = nb_request_scene(request).integrator;
    if (integrator == NB_INTEGRATOR_BE || step + request->info.settle == 0) return NB_OK;
    return nb_fail(NB_ERROR_UNSUPPORTED,
                   "--format scene requires --at 0 without --settle, or --integrator be (got %s), whose steps have one "
                   "stage",
                   nb_integrator_names[integrator]);
}

static nb_status export(int argc, char **argv, int *exit_status) {
    arguments a = {0};
    nb_plan plan = {0};
    nb_status status;
    NB_TRY(parse(argc, argv, &a));
    if (a.standard)
        NB_TRY(nb_export_standard(a.standard, a.path, a.force, a.line));
    else if (a.format == CHECKSUM)
        NB_TRY(nb_export_checksum(a.scenario));
    else if (a.format == GLTF)
        NB_TRY(animate(&a));
    else if (a.record)
        NB_TRY(a.format < FOLDER_FORMATS ? copy_from_record(&a)
                                         : nb_export_problem(a.record, a.path, a.format == FCLIB_GLOBAL, a.line));
    if (a.standard || a.format == CHECKSUM || a.record) goto out;
    NB_TRY(nb_plan_add(&plan, a.grid));
    if (a.format == SCENE) NB_TRY(refuse_stages(plan.requests[0], a.step));
    NB_TRY(make(&a, plan.requests[0], exit_status));
out:
    nb_plan_clear(&plan);
    nb_parameter_grid_destroy(a.grid);
    nb_free(a.line);
    nb_free(a.record);
    return status;
}

static const struct argp_option options[] = {
    {.doc = "Export:", .group = -2},
    {.name = "at", .key = KEY_AT, .arg = "STEP:NEWTON", .doc = "which Newton system, counted from 0", .group = -2},
    {.name = "output",
     .key = 'o',
     .arg = "PATH",
     .doc = "the new folder to write; for fclib, scene and gltf the file",
     .group = -2},
    NB_FORCE_OPTION(-2),
    {.name = "format",
     .key = KEY_FORMAT,
     .arg = "matrix-market|ginkgo|petsc|fclib|fclib-global|scene|gltf|checksum",
     .doc =
         "what to write; ginkgo: with the list that Ginkgo's benchmark reads; petsc: binary files; fclib: the step's "
         "problem, local; fclib-global: with the bodies' velocities; scene: the scene, as JSON; gltf: a record's "
         "stored states, as an animation; checksum: a line [matrix-market]",
     .group = -2},
    {.name = "show",
     .key = KEY_SHOW,
     .arg = "forces",
     .doc = "arrows for contact forces, with --format gltf; a resultant for each pair of bodies",
     .group = -2},
    {.name = "standard",
     .key = KEY_STANDARD,
     .arg = "small|full|failures|FOLDER",
     .doc = "instead of a scenario; all problems of this standard set (suite), with --format fclib into the folder -o",
     .group = -2},
    {.doc = "Plugins:", .group = 100},
    NB_PLUGIN_OPTION(100),
    NB_PLUGIN_LIMIT_OPTION(100),
    {0},
};

const nb_command nb_command_export = {
    .name = "export",
    .arguments = "SCENARIO|RECORD.h5[#RUN]|PROBLEM --at STEP:NEWTON -o PATH\nRECORD.h5[#RUN] --format gltf -o "
                 "FILE.glb\n--standard SET --format fclib -o FOLDER",
    .summary = "write a Newton system, scene or contact problem for other programs",
    .details =
        "The scenario is simulated up to this step with the options of run (one value each). In the Matrix Market "
        "format the folder holds A, b and the factors H, J, C, S, g, h of\n\n"
        "  A x = b,   A = S J H^-1 J^T S + C,   b = S J H^-1 g - h\n\n"
        "and system.json, which says what each is. With another --form, and of methods with other systems, it holds A "
        "and b alone, over the unknowns that system.json names. For FCLIB the file holds the frictional contact "
        "problem of the whole step with its geometry frozen at the start, as --geometry frozen solves it: W, q, mu "
        "(fclib) or M, H, f, w, mu (fclib-global), in SI units and impulses; NEWTON may be left out. Of format scene "
        "is a JSON file with the scene at the start of the step, which commands take in the place of a scenario "
        "(scenarios/scene.schema.json); it has no history, such as impulses.\n\n"
        "Of a problem file, in FCLIB's format or Siconos's text, --format fclib writes the problem, and fclib-global "
        "a global one in its global form: rolling friction, two dimensions and W as it stands included; no --at.\n\n"
        "Of a problem file, or of the first step of a scene file, --format checksum prints the SHA-256 of the numbers "
        "W, q and mu, which no format changes (core/file_data.h says of which bytes); no --at, no -o.\n\n"
        "Of a record that was made with --store-states, --format gltf writes the states as an animation for Blender "
        "and slides: bodies, deformable bodies, a camera and a sun.\n\n"
        "With --standard every problem of the set becomes FOLDER/NAME.hdf5, held to the SHA-256 of the table "
        "first.\n\n"
        "Of a record that was made with --store-systems the system is taken as it stands; RUN counts from 0.",
    .examples = "  # A, b and its factors of the first Newton iteration of step 2, in a folder\n"
                "  ncpbench export arch --at 2:0 -o system\n"
                "  # the stored states as an animation\n"
                "  ncpbench run wall --steps 50 --store-states 1 -o wall.h5\n"
                "  ncpbench export wall.h5 --format gltf -o wall.glb\n",
    .options = options,
    .takes = NB_USE_RUNS,
    .as = &nb_command_run,
    .run = export,
};
