/* What a measure has one value of: a run, a copy of its batch, a step, a Newton iteration or a timed repetition of it;
 * and the names of the measure's expression there (claims/measure.h; private to the folder). */
#ifndef NB_ANALYSIS_CLAIMS_ELEMENT_H
#define NB_ANALYSIS_CLAIMS_ELEMENT_H

#include "base/status.h"
#include "record/run.h"

typedef enum nb_element_kind {
    NB_ELEMENT_RUN,
    NB_ELEMENT_COPY,
    NB_ELEMENT_STEP,
    NB_ELEMENT_ITERATION,
    NB_ELEMENT_REPEAT,
    NB_ELEMENT_KINDS
} nb_element_kind;

typedef struct nb_element {
    const nb_run *run;
    nb_element_kind kind;
    int64_t place;     /* of the copy, the step, the iteration or the repetition, from 0 */
    const char *claim; /* for messages */
} nb_element;

/* "runs", "copies", "steps", "iterations", "repeats" */
const char *nb_element_kind_at(const void *context, int i);

/* how many of the kind the run has */
int64_t nb_element_count(const nb_run *run, nb_element_kind kind);

/* an nb_expression_lookup, of an nb_element */
nb_status nb_element_value(void *element, const char *name, const char *argument, double *value);

#endif
