#include "figure/paper.h"

#include <string.h>

#include "table/asked.h"

static nb_status all_are_of(const char *const *lines, const nb_figure_runs *runs, int *all) {
    const nb_run *left[NB_FIGURE_PANELS * NB_FIGURE_SERIES];
    nb_status status = NB_OK;
    int count = 0;
    *all = 0;
    for (int p = 0; p < runs->panel_count; p++)
        for (int s = 0; s < runs->series_count[p]; s++)
            if (runs->run[p][s]) left[count++] = runs->run[p][s];
    for (int i = 0; lines && lines[i] && count > 0 && status == NB_OK; i++)
        if (!strstr(lines[i], " --petsc ")) /* whose solvers may not be here */
            status = nb_asked_strike(lines[i], left, &count);
    *all = count == 0;
    return status;
}

nb_status nb_figure_find_origin(const nb_figure_class *figure, const nb_figure_runs *runs, nb_figure_origin *origin) {
    nb_status status;
    int all = 0;
    *origin = figure->runs ? NB_ORIGIN_OTHER : NB_ORIGIN_PAPER;
    if (!figure->runs || !figure->runs[0] || runs->timed) return NB_OK;
    NB_TRY(all_are_of(figure->runs, runs, &all));
    if (all) *origin = NB_ORIGIN_PAPER;
    if (!all && figure->quick_runs) {
        NB_TRY(all_are_of(figure->quick_runs, runs, &all));
        if (all) *origin = NB_ORIGIN_QUICK;
    }
out:
    return status;
}

const char *nb_figure_paper_in(const char *title) {
    static const char *const papers[] = {" (Macklin", " (Anitescu", " (Tasora", " (Le Cleac"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof papers / sizeof *papers && !found; i++) found = strstr(title, papers[i]);
    return found;
}
