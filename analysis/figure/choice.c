#include "figure/choice.h"

#include <stdio.h>
#include <string.h>

#include "table/known_columns.h"
#include "table/outcome.h"

const char *const nb_convergence_axes[NB_CONVERGENCE_AXES] = {"iteration", "work", "time"};

void nb_figure_choice_standard(nb_figure_choice *choice) {
    *choice = (nb_figure_choice){.step = -1, .newton = -1};
}

void nb_figure_choice_name(const char *quantity, char name[NB_NAME_LENGTH]) {
    if (strncmp(quantity, "newton/", 7) == 0) quantity += 7;
    snprintf(name, NB_NAME_LENGTH, "%s", quantity);
    for (char *c = name; *c; c++)
        if (*c == '-') *c = '_';
}

int nb_figure_choice_linear(const char *quantity) {
    static const char folder[] = "linear/";
    char name[NB_NAME_LENGTH];
    int of_linear = strncmp(quantity, folder, sizeof folder - 1) == 0;
    nb_figure_choice_name(of_linear ? quantity + sizeof folder - 1 : quantity, name);
    if (nb_figure_choice_relative(quantity)) return NB_LINEAR_RESIDUAL_L2;
    if (!of_linear && nb_known_columns_have(name)) return -1; /* what linear/ alone has needs no folder */
    for (int i = 0; i < NB_LINEAR_COLUMNS; i++)
        if (strcmp(nb_linear_columns[i].name, name) == 0) return i;
    return -1;
}

static const char relative[] = "relative_residual";

int nb_figure_choice_relative(const char *quantity) {
    char name[NB_NAME_LENGTH];
    nb_figure_choice_name(strncmp(quantity, "linear/", 7) == 0 ? quantity + 7 : quantity, name);
    return strcmp(name, relative) == 0;
}

nb_status nb_figure_choice_default(const nb_conditions *where, nb_record_reader *reader, const char **quantity) {
    *quantity = NULL;
    for (int i = 0; i < nb_record_run_count(reader); i++) {
        const nb_run_head *head;
        nb_run *run = NULL;
        nb_status status = nb_record_read_head(reader, i, &head);
        if (status != NB_OK) return status;
        if (!head->finished || head->step_count == 0 || !nb_conditions_hold(where, &head->info)) continue;
        status = nb_record_read_run(reader, i, &run);
        if (status == NB_OK && nb_run_is_system(run)) *quantity = relative;
        nb_run_destroy(run);
        return status;
    }
    return NB_OK;
}
