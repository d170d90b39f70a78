#include "figure/forces.h"

static void write_run(const nb_snapshot *final, FILE *file) {
    int lines = 0;
    for (int32_t i = 0; i < final->contacts; i++) {
        const int32_t *pair = final->contact_bodies + 2 * (int64_t)i;
        const double *at = final->contact_point + 3 * (int64_t)i;
        if (!(final->lambda_normal[i] > 0)) continue;
        int swap = pair[1] < pair[0];
        fprintf(file, "%d\t%d\t%.9g\t%.9g\t%.9g\t%.9g\n", (int)pair[swap], (int)pair[!swap], at[0], at[1], at[2],
                final->lambda_normal[i]);
        lines++;
    }
    if (lines == 0) fputs("nan\tnan\tnan\tnan\tnan\tnan\n", file);
}

nb_status nb_figure_write_forces(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    static const nb_snapshot none;
    (void)folder;
    for (int s = 0; s < runs->series_count[panel]; s++) {
        const nb_run *run = runs->run[panel][s];
        write_run(run ? &run->final : &none, file);
        fputs("\n\n", file);
    }
    return NB_OK;
}
