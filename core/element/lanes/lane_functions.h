/* What formulas over NB_LANE take of it, where it is a vector register with an element in each lane
 * (stretch_formulas.h; private to lanes/). NB_BODY_WIDTH is how many numbers a register holds. */
#ifndef NB_ELEMENT_LANE_FUNCTIONS_H
#define NB_ELEMENT_LANE_FUNCTIONS_H

#include <stdint.h>

#include "base/features.h"
#include "base/real.h"

#define INLINE inline __attribute__((always_inline))
#define NB_LANE element_lanes

enum {
    ELEMENT_WIDTH = NB_BODY_WIDTH
};

typedef real element_lanes __attribute__((vector_size(NB_BODY_WIDTH * sizeof(real)), may_alias));
#if NB_REAL_BITS == 32
typedef int32_t lane_masks __attribute__((vector_size(NB_BODY_WIDTH * sizeof(real)), may_alias));
#else
typedef int64_t lane_masks __attribute__((vector_size(NB_BODY_WIDTH * sizeof(real)), may_alias));
#endif

NB_FN element_lanes nb_lane_sqrt(element_lanes x) {
    element_lanes root = x;
    for (int i = 0; i < NB_BODY_WIDTH; i++) root[i] = NB_SQRT(x[i]);
    return root;
}

NB_FN element_lanes nb_lane_where(element_lanes x, element_lanes a, element_lanes b) {
    lane_masks there = (lane_masks)(x > 0);
    return (element_lanes)(((lane_masks)a & there) | ((lane_masks)b & ~there));
}

NB_FN int nb_lane_any(element_lanes x) {
    int any = 0;
    for (int i = 0; i < NB_BODY_WIDTH; i++) any |= x[i] > 0;
    return any;
}

#endif
