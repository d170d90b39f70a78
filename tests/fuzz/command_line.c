/* The command line: parsing, and for `run` the plan of the runs; nothing is run. The input's lines are its words. */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/memory.h"
#include "drawing.h"
#include "input.h"
#include "plan.h"

enum {
    MOST_WORDS = 32
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const nb_command *const others[] = {&nb_command_list,      &nb_command_solve, &nb_command_figure,
                                           &nb_command_reproduce, &nb_command_check, &nb_command_info};

/* for commands whose own setters act at once: takes what comes */
static nb_status take(void *context, int key, const char *text) {
    nb_figure_list figures;
    int json;
    (void)context;
    if (!text) return NB_OK;
    if (key == ARGP_KEY_ARG) fuzz_check_status(nb_figures_parse(text, 1, &figures));
    return nb_command_format(text, &json);
}

static void parse_run(int count, char **words) {
    nb_arguments arguments = {.command = &nb_command_run};
    nb_plan plan = {0};
    char label[256];
    nb_status status = nb_arguments_parse(&arguments, count, words);
    fuzz_check_status(status);
    if (status == NB_OK && arguments.given) {
        int64_t runs = 0;
        status = nb_parameter_grid_count(arguments.grid, &runs);
        fuzz_check_status(status);
        if (status == NB_OK && runs <= 64) { /* a plan compares each run with all others */
            status = nb_plan_add(&plan, arguments.grid);
            fuzz_check_status(status);
        }
        for (int64_t i = 0; i < plan.count && status == NB_OK; i++) nb_plan_label(&plan, i, label, sizeof label);
    }
    nb_plan_clear(&plan);
    nb_arguments_clear(&arguments);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *text = malloc(size + 1), *words[MOST_WORDS + 1] = {0}, *rest = text, *line = NULL;
    int count = 0;
    if (!text) return 0;
    memcpy(text, bytes, size);
    text[size] = 0;
    for (char *word; count < MOST_WORDS && (word = strsep(&rest, "\n"));) words[count++] = word;
    fuzz_check_status(nb_command_line(count, words, &line));
    nb_free(line);
    size_t other = (size_t)(words[0][0] - '0');
    if (other < sizeof others / sizeof *others)
        fuzz_check_status(nb_command_parse(others[other], count, words, take, NULL));
    else
        parse_run(count, words);
    free(text);
    return 0;
}
