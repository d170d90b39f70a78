#include "model/time_stepping.h"

#include <math.h>
#include <stddef.h>

const char *const nb_stepping_names[NB_STEPPING_SCHEMES + 1] = {[NB_STEPPING_IMPLICIT] = "implicit",
                                                                [NB_STEPPING_ANITESCU_HART] = "anitescu-hart",
                                                                [NB_STEPPING_TASORA] = "tasora",
                                                                NULL};

const char *const nb_geometry_names[NB_GEOMETRIES + 1] = {
    [NB_GEOMETRY_UPDATED] = "updated", [NB_GEOMETRY_FROZEN] = "frozen", [NB_GEOMETRY_JOINTS] = "joints", NULL};

const char *const nb_relaxation_names[NB_RELAXATIONS + 1] = {[NB_RELAX_OFF] = "off", [NB_RELAX_ON] = "on", NULL};

nb_time_stepping nb_time_stepping_relaxed(const nb_time_stepping *stepping) {
    return (nb_time_stepping){NB_STEPPING_ANITESCU_HART, 1, 0, stepping->active_set, stepping->restitution};
}

nb_time_stepping nb_time_stepping_of(nb_stepping_scheme scheme) {
    return (nb_time_stepping){scheme, scheme == NB_STEPPING_TASORA ? 0.5 : 1, INFINITY, INFINITY, 0};
}
