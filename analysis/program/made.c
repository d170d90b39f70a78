#include "made.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "bench/study.h"
#include "command.h"
#include "interrupt.h"

enum {
    MOST_WORDS = 64
};

const char *const *nb_made_lines(const nb_figure_class *figure, int quick) {
    return quick && figure->quick_makes ? figure->quick_makes : figure->makes;
}

/* the command's word, then its options, then -o PATH */
static nb_status run_line(const char *line, char *path, int force) {
    static char output[] = "-o", forced[] = "--force";
    char *words[MOST_WORDS + 4], *text = NULL, *rest;
    const nb_command *command = NULL;
    int count = 0, exit_status = 0;
    nb_status status;
    NB_TRY(nb_copy_text(line, &text));
    for (char *word = strtok_r(text, " ", &rest); word && count < MOST_WORDS; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    for (int i = 0; i < NB_COMMANDS && count > 0; i++)
        if (strcmp(nb_commands[i]->name, words[0]) == 0) command = nb_commands[i];
    if (!command) NB_TRY(nb_fail(NB_ERROR_INPUT, "the line of a figure '%.200s' names no command", line));
    words[count++] = output;
    words[count++] = path;
    if (force) words[count++] = forced;
    words[count] = NULL;
    status = command->run(count, words, &exit_status);
out:
    nb_free(text);
    return status == NB_ERROR_NUMERIC ? NB_OK : status;
}

nb_status nb_made_write(const nb_figure_class *figure, int quick, int force, const char *name) {
    const char *const *lines = nb_made_lines(figure, quick);
    nb_status status = NB_OK;
    for (int k = 0; lines && lines[k] && status == NB_OK && !nb_interrupted; k++) {
        char path[4200];
        snprintf(path, sizeof path, "%s-%d.h5", name, k + 1);
        status = run_line(lines[k], path, force);
    }
    return status;
}

nb_status nb_made_study(const nb_figure_class *figure, char **study) {
    *study = NULL;
    return figure->study ? nb_study_make(figure->study, study) : NB_OK;
}
