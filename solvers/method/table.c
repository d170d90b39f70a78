#include <stddef.h>

#include "newton.h"

const nb_method_class *const nb_methods[] = {
    &nb_newton_method,
    NULL,
};
