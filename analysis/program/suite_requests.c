#include "suite_requests.h"

#include <string.h>

#include "base/memory.h"
#include "run/prepare.h"
#include "run/request_fields.h"
#include "run/unused_options.h"

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

nb_status nb_suite_combine(nb_suite *suite) {
    nb_status status;
    int64_t count = 0, made = 0;
    nb_unused_options *unused = NULL;
    nb_request *request = NULL;
    char **identity = NULL; /* [made], of the combinations so far */
    const nb_suite_file *file = &suite->files.items[0];
    NB_TRY(nb_parameter_grid_replace_problem(suite->grid, file->path));
    NB_TRY(nb_parameter_grid_count(suite->grid, &count));
    NB_TRY(nb_unused_options_create(suite->grid, &unused));
    NB_TRY(NB_ALLOCATE(1, &request));
    NB_TRY(NB_ALLOCATE(count, &identity));
    NB_TRY(NB_ALLOCATE(count, &suite->which));
    for (int64_t c = 0; c < count; c++) {
        int known = 0;
        NB_TRY(prepare(suite, file, c, request));
        nb_unused_options_look(unused, request);
        NB_TRY(nb_request_identity(request, &identity[made]));
        for (int64_t i = 0; i < made && !known; i++) known = strcmp(identity[i], identity[made]) == 0;
        if (!known)
            suite->which[made++] = c;
        else
            nb_free(identity[made]);
    }
    suite->combinations = made;
    NB_TRY(nb_unused_options_check(unused));
    nb_unused_options_note(unused, stderr);
out:
    for (int64_t c = 0; identity && c < made; c++) nb_free(identity[c]);
    nb_free(identity);
    nb_unused_options_destroy(unused);
    if (request) nb_free(request->info.parameters);
    nb_free(request);
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
