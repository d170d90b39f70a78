#include "run_lines.h"

#include <string.h>

#include "arguments.h"
#include "base/memory.h"

enum {
    MOST_WORDS = 64
};

nb_status nb_run_lines_add(nb_run_lines *lines, const char *line) {
    char *words[MOST_WORDS + 1] = {"run"}, *text = NULL, *rest;
    nb_arguments arguments = {.command = &nb_command_run};
    int count = 1;
    nb_status status;
    NB_TRY(nb_copy_text(line, &text));
    for (char *word = strtok_r(text, " ", &rest); word && count < MOST_WORDS; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    NB_TRY(nb_arguments_parse(&arguments, count, words));
    NB_TRY(nb_plan_add(&lines->plan, arguments.grid));
    if (lines->count == NB_MOST_RUN_LINES)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "reproduce: more than %d lines of runs", (int)NB_MOST_RUN_LINES));
    lines->grids[lines->count++] = arguments.grid;
    arguments.grid = NULL;
out:
    nb_arguments_clear(&arguments);
    nb_free(text);
    return status;
}

void nb_run_lines_clear(nb_run_lines *lines) {
    nb_plan_clear(&lines->plan);
    for (int i = 0; i < lines->count; i++) nb_parameter_grid_destroy(lines->grids[i]);
    *lines = (nb_run_lines){.count = 0};
}
