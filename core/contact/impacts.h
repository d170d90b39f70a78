/* Which contacts a step opens or closes: those that press before it and part in it, or the reverse. Whoever solves
 * steps notes every contact of a solved stage; the set of those that are closed at the end of the last step is kept.
 *
 * A contact is closed where it has an impulse, and open where it has a gap, both beyond the error e of the solution
 * [m/s]: w z_n > e, or C_n/h > e. What has neither stays what it was: of redundant contacts, some have no impulse by
 * chance. Contacts are known again by their bodies and features. */
#ifndef NB_CONTACT_IMPACTS_H
#define NB_CONTACT_IMPACTS_H

#include <stdint.h>

#include "base/status.h"
#include "base/stream.h"

typedef enum nb_closure {
    NB_CONTACT_OPEN,
    NB_CONTACT_CLOSED,
    NB_CONTACT_EITHER /* neither a gap nor an impulse */
} nb_closure;

typedef struct nb_impact_key {
    int32_t body_a, body_b;
    uint64_t feature;
} nb_impact_key;

/* starts as all zeros: no contact is closed */
typedef struct nb_impacts {
    int64_t closed_count, noted_count;
    nb_impact_key *closed, *noted; /* [..] that were closed at the end of the last step; that are in the stage */
    int differs;                   /* 1: the stage opened or closed one */
    int64_t left;                  /* of the closed ones, those that the stage has not been seen to have */
    int64_t closed_capacity, noted_capacity;
} nb_impacts;

void nb_impacts_clear(nb_impacts *impacts);

/* Begins a stage. Its contacts are noted after that, sorted by bodies and features, as detection has them. */
void nb_impacts_begin(nb_impacts *impacts);
nb_status nb_impacts_note(nb_impacts *impacts, int32_t body_a, int32_t body_b, uint64_t feature, nb_closure closure);

/* When all are noted: whether the stage opened or closed a contact. Closed ones that are detected no more have opened.
 */
int nb_impacts_differ(const nb_impacts *impacts);

/* The stage was the last of its step: what is closed in it is closed at the step's end. */
void nb_impacts_end_step(nb_impacts *impacts);

/* The closed ones, exactly. */
nb_status nb_impacts_save(const nb_impacts *impacts, nb_stream *stream);
nb_status nb_impacts_load(nb_impacts *impacts, nb_stream *stream);

#endif
