#include "figure/reference.h"

#include <math.h>

#include "table/outcome.h"

void nb_figure_write_reference(int panel, int series, const nb_run *run, FILE *file) {
    if (!run) return;
    if (!run->reference.solution.q) {
        if (isfinite(run->usage.reference_error))
            fprintf(file, "unsolved_%d_%d = %.9g\n", panel, series, run->usage.reference_error);
        return;
    }
    if (nb_reference_solution_apart(&run->reference) > 0) {
        fprintf(file, "apart_%d_%d = %.9g\n", panel, series, nb_reference_solution_apart(&run->reference));
        fprintf(file, "solution_%d_%d = %d\n", panel, series, (int)nb_run_solution(run, NULL));
        return;
    }
    double error = nb_reference_solution_error(&run->reference);
    fprintf(file, isfinite(error) ? "reference_%d_%d = %.9g\n" : "reference_%d_%d = NaN\n", panel, series, error);
}
