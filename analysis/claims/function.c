#include "claims/function.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "constraint/ncp.h"
#include "figure/functions.h"

NB_PRECISIONS(f64);

typedef enum function {
    FRICTION_ERROR,
    FRICTION_COMPLIANCE,
    SCALED,
    FUNCTIONS
} function;

static const char *name_at(const void *context, int i) {
    static const char *const names[FUNCTIONS] = {"friction_error", "friction_compliance", "scaled"};
    (void)context;
    return names[i];
}

static double value_of(int which, int ncp, const double x[2]) {
    double error, compliance;
    if (which == SCALED) return nb_figure_scaled(ncp, x[0], x[1]);
    compliance = nb_figure_friction(ncp, x[0], &error);
    return which == FRICTION_ERROR ? error : compliance;
}

nb_status nb_claim_function(const char *name, const char *argument, double *value) {
    const int which = nb_name_find(name, FUNCTIONS, name_at, NULL), numbers = which == SCALED ? 2 : 1;
    const size_t length = strcspn(argument, ",");
    const char *at = argument + length;
    double x[2] = {0, 0};
    int ncp = 0;
    char *end = NULL;
    if (which < 0) return nb_name_unknown("function", name, FUNCTIONS, name_at, NULL);
    while (ncp < NB_NCP_FUNCTIONS && !nb_name_is(nb_ncp_function_names[ncp], argument, length)) ncp++;
    for (int i = 0; i < numbers && at; i++) {
        x[i] = *at == ',' ? strtod(at + 1, &end) : (double)NAN;
        at = *at == ',' && end != at + 1 ? end : NULL;
    }
    if (ncp == NB_NCP_FUNCTIONS || !at || *at)
        return nb_fail(NB_ERROR_INPUT, "'%.40s(%.60s)': it takes a complementarity function and %d number(s)", name,
                       argument, numbers);
    *value = value_of(which, ncp, x);
    return NB_OK;
}
