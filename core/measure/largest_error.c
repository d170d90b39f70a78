#include "measure/largest_error.h"

#include <stddef.h>

const char *nb_error_kind_name(nb_error_kind kind) {
    static const char *const names[NB_ERROR_KIND_COUNT] = {
        [NB_ERROR_KIND_NONE] = "none",   [NB_ERROR_KIND_NORMAL] = "normal",   [NB_ERROR_KIND_FRICTION] = "friction",
        [NB_ERROR_KIND_JOINT] = "joint", [NB_ERROR_KIND_ELEMENT] = "element", [NB_ERROR_KIND_MOMENTUM] = "momentum",
    };
    return (unsigned)kind < NB_ERROR_KIND_COUNT ? names[kind] : "unknown";
}

void nb_largest_error_report(const nb_largest_error *largest) {
    nb_contact_errors *errors = largest->errors;
    if (!errors || errors[0].serial != largest->serial) return;
    const nb_contact_errors last = errors[0];
    errors[0] = errors[1];
    errors[1] = last;
}

const nb_contact_errors *nb_largest_error_contacts(const nb_largest_error *largest) {
    const nb_contact_errors *errors = largest->errors;
    for (int i = 0; errors && i < 2; i++)
        if (errors[i].serial == largest->serial) return &errors[i];
    return NULL;
}
