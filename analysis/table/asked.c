#include "table/asked.h"

#include <string.h>

#include "base/memory.h"
#include "run/parameter_grid.h"
#include "run/prepare.h"

/* one option of a line, "--steps" with "60", its next word, or a switch without one */
static nb_status set_option(nb_parameter_grid *grid, const char *name, char **rest) {
    const struct argp_option *o = nb_request_arguments(NB_USE_RUNS);
    int known;
    for (; o->name || o->doc; o++)
        if (o->name && strcmp(o->name, name + 2) == 0)
            return nb_parameter_grid_set(grid, o->key, o->arg ? strtok_r(NULL, " ", rest) : NULL, &known);
    return nb_fail(NB_ERROR_INPUT, "a figure's runs have the option '%s', which 'run' has not", name);
}

/* the runs of a line such as "arch,beam --steps 60" */
static nb_status read_line(const char *line, nb_parameter_grid *grid) {
    nb_status status;
    char *text = NULL, *rest;
    NB_TRY(nb_copy_text(line, &text));
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strncmp(word, "--", 2) == 0)
            NB_TRY(set_option(grid, word, &rest));
        else
            NB_TRY(nb_parameter_grid_add_scenarios(grid, word));
    }
out:
    nb_free(text);
    return status;
}

/* whether it is what was asked for; what changes times alone, and what is found while a run is made, does not count */
static int is_alike(const nb_run_info *asked, const nb_run_info *made) {
    static const char *const other[] = {"threads", "repeat", "warmup", "device", "seed"};
    for (int i = 0; i < nb_run_info_members.count; i++) {
        const nb_member *f = &nb_run_info_members.items[i];
        char a[NB_NAME_LENGTH], b[NB_NAME_LENGTH];
        int counts = !nb_run_info_is_found(f->name);
        for (size_t k = 0; k < sizeof other / sizeof *other; k++) counts &= strcmp(f->name, other[k]) != 0;
        nb_member_text(f, asked, 9, a, sizeof a);
        nb_member_text(f, made, 9, b, sizeof b);
        if (counts && strcmp(a, b) != 0) return 0;
    }
    return asked->parameters && made->parameters && strcmp(asked->parameters, made->parameters) == 0;
}

nb_status nb_asked_strike(const char *line, const nb_run **left, int *count) {
    nb_status status;
    nb_parameter_grid *grid = NULL;
    int64_t runs;
    NB_TRY(nb_parameter_grid_create(&grid));
    NB_TRY(read_line(line, grid));
    NB_TRY(nb_parameter_grid_count(grid, &runs));
    for (int64_t i = 0; i<runs && * count> 0; i++) {
        nb_request request;
        NB_TRY(nb_parameter_grid_request(grid, i, &request));
        status = nb_simulate_prepare(&request);
        if (status == NB_OK)
            for (int k = *count - 1; k >= 0; k--)
                if (is_alike(&request.info, &left[k]->info)) left[k] = left[--*count];
        nb_free(request.info.parameters);
        NB_TRY(status);
    }
out:
    nb_parameter_grid_destroy(grid);
    return status;
}
