#include "constraint/ncp.h"

NB_PRECISIONS(f64);

const char *const nb_ncp_function_names[NB_NCP_FUNCTIONS + 1] = {
    [NB_NCP_FISCHER_BURMEISTER] = "fischer-burmeister",
    [NB_NCP_MINIMUM_MAP] = "minimum-map",
};

const char *const nb_ncp_function_summaries[NB_NCP_FUNCTIONS] = {
    [NB_NCP_FISCHER_BURMEISTER] = "a + b - sqrt(a^2 + b^2), eq. (23): smooth but for one point",
    [NB_NCP_MINIMUM_MAP] = "min(a, b), eq. (18): an active-set method",
};

const char *const nb_scaling_names[NB_SCALINGS + 1] = {
    [NB_SCALING_IDENTITY] = "identity",
    [NB_SCALING_TIME_STEP] = "time-step",
    [NB_SCALING_EFFECTIVE_MASS] = "effective-mass",
    [NB_SCALING_EFFECTIVE_MASS_CAPPED] = "effective-mass-capped",
};

const char *const nb_scaling_summaries[NB_SCALINGS] = {
    [NB_SCALING_IDENTITY] = "r = 1",
    [NB_SCALING_TIME_STEP] = "r = h^2 (normal), h (friction)",
    [NB_SCALING_EFFECTIVE_MASS] = "r = h^2 w, w = [J M^-1 J^T]_ii, eq. (66)",
    [NB_SCALING_EFFECTIVE_MASS_CAPPED] = "the same, friction's r at most max(v, 1e-4)/(2 mu lambda_n)",
};
