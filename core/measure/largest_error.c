#include "measure/largest_error.h"

const char *nb_error_kind_name(nb_error_kind kind) {
    static const char *const names[NB_ERROR_KIND_COUNT] = {
        [NB_ERROR_KIND_NONE] = "none",   [NB_ERROR_KIND_NORMAL] = "normal",   [NB_ERROR_KIND_FRICTION] = "friction",
        [NB_ERROR_KIND_JOINT] = "joint", [NB_ERROR_KIND_ELEMENT] = "element", [NB_ERROR_KIND_MOMENTUM] = "momentum",
    };
    return (unsigned)kind < NB_ERROR_KIND_COUNT ? names[kind] : "unknown";
}
