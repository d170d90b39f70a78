#include <string.h>

#include "device.h"
#include "device_step.h"

NB_PRECISIONS(f64);

static nb_status lacks(const nb_method_settings *s, const char *what) {
    return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps does not support %s on device %s", what, s->device->name);
}

nb_status nb_device_step_check(const nb_method_settings *s) {
    const char *solver = s->linear_solver;
    if (!s->device || !s->device->step_f64)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps requires a device such as cuda (got '%s')",
                       s->device ? s->device->name : "cpu");
    if (strcmp(solver, "pcr") != 0 && strcmp(solver, "pcg") != 0 && strcmp(solver, "jacobi") != 0 &&
        strcmp(solver, "gauss-seidel") != 0)
        return lacks(s, "a linear solver other than pcr, pcg, jacobi, gauss-seidel");
    if (solver[0] == 'p' && s->linear_solver_values[0] > 0) return lacks(s, "--recycle");
    if (strcmp(solver, "gauss-seidel") == 0 && s->linear_solver_values[2] == NB_DEVICE_STEP_GAUSS_SEIDEL_NATURAL)
        return lacks(s, "gauss-seidel order=natural (use order=colour)");
    if (strcmp(solver, "jacobi") == 0 && s->linear_solver_values[0] == NB_DEVICE_STEP_JACOBI_L1)
        return lacks(s, "jacobi variant=l1 (use variant=plain or damped)");
    if (strcmp(solver, "gauss-seidel") != 0 && strcmp(s->preconditioner, "none") != 0 &&
        strcmp(s->preconditioner, "jacobi") != 0)
        return lacks(s, "a preconditioner other than none, jacobi");
    if (s->mixed) return lacks(s, "--precision mixed");
    return NB_OK;
}
