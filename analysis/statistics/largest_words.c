#include "statistics/largest_words.h"

#include <math.h>
#include <stdio.h>

#include "measure/largest_error.h"

double nb_largest_number(const nb_run *run, int64_t row, nb_place_column column) {
    return nb_run_newton_number(run, row, nb_run_newton_column(run, nb_place_columns[column].name));
}

static void name_node(const nb_run *run, double node, char text[32]) {
    if (node < 0)
        snprintf(text, 32, "the world");
    else if (node < run->final.bodies || run->final.bodies == 0)
        snprintf(text, 32, "body %.0f", node);
    else
        snprintf(text, 32, "particle %.0f", node - run->final.bodies);
}

void nb_largest_words(const nb_run *run, int64_t row, char *text, size_t size) {
    static const char *const of[NB_ERROR_KIND_COUNT] = {[NB_ERROR_KIND_NORMAL] = "contact",
                                                        [NB_ERROR_KIND_FRICTION] = "contact",
                                                        [NB_ERROR_KIND_ELEMENT] = "element row"};
    const double kind = nb_largest_number(run, row, NB_PLACE_KIND);
    char a[32], b[32];
    *text = '\0';
    if (!(kind > NB_ERROR_KIND_NONE && kind < NB_ERROR_KIND_COUNT)) return;
    const char *name = nb_error_kind_name((nb_error_kind)kind);
    const double index = nb_largest_number(run, row, NB_PLACE_INDEX);
    name_node(run, nb_largest_number(run, row, NB_PLACE_NODE_A), a);
    name_node(run, nb_largest_number(run, row, NB_PLACE_NODE_B), b);
    if (kind == NB_ERROR_KIND_MOMENTUM)
        snprintf(text, size, "%s of %s", name, a);
    else if (kind == NB_ERROR_KIND_ELEMENT)
        snprintf(text, size, "%s %.0f", of[(int)kind], index);
    else if (kind == NB_ERROR_KIND_JOINT)
        snprintf(text, size, "%s %.0f of %s and %s", name, index, a, b);
    else
        snprintf(text, size, "%s of %s %.0f between %s and %s", name, of[(int)kind], index, a, b);
}
