/* All methods, one line each: the order is that of `ncpbench list`. */
#include <stddef.h>

#include "method.h"

NB_PRECISIONS(f32, f64);

#define ENTRIES                     \
    ENTRY(nb_newton_method)         \
    ENTRY(nb_sap_method)            \
    ENTRY(nb_interior_point_method) \
    ENTRY(nb_auto_method)           \
    ENTRY(nb_psor_method)           \
    ENTRY(nb_pssor_method)          \
    ENTRY(nb_nsgs_method)           \
    ENTRY(nb_admm_method)           \
    ENTRY(nb_fbf_method)            \
    ENTRY(nb_apgd_method)           \
    ENTRY(nb_lemke_method)          \
    ENTRY(nb_pgs_method) ENTRY(nb_single_level_method) ENTRY(nb_bilevel_method) ENTRY(nb_smoothed_method)

#define ENTRY(name) extern const nb_method_class NB_REAL_NAME(name);
ENTRIES
#undef ENTRY

#define ENTRY(name) &NB_REAL_NAME(name),
const nb_method_class *const nb_methods[] = {ENTRIES NULL};
