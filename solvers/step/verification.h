/* What the verification of a step's contacts came to (verified_step.h). */
#ifndef NB_STEP_VERIFICATION_H
#define NB_STEP_VERIFICATION_H

#include <stdint.h>

typedef struct nb_verification {
    int32_t rounds, contacts; /* solves after the first; contacts that came in or were taken anew; -1: not verified */
    double overlap;           /* largest at the end of the step, as nb_overlap has its excess [m] */
    double look_s;            /* time of looking, and of the rows that came of it [s] */
} nb_verification;

#endif
