/* What formulas over NB_LANE take of it, where it is a `real` (stretch_formulas.h). */
#ifndef NB_ELEMENT_SCALAR_LANE_H
#define NB_ELEMENT_SCALAR_LANE_H

#include "base/features.h"
#include "base/real.h"

#define NB_LANE real

NB_FN real nb_lane_sqrt(real x) {
    return NB_SQRT(x);
}

NB_FN real nb_lane_where(real x, real a, real b) {
    return x > 0 ? a : b;
}

NB_FN int nb_lane_any(real x) {
    return x > 0;
}

#endif
