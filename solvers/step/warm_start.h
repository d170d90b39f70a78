/* What a warm start takes from the last step: the impulses of joint rows, contacts and added rows. A contact is known
 * again by its bodies and its feature. */
#ifndef NB_STEP_WARM_START_H
#define NB_STEP_WARM_START_H

#include "base/stream.h"
#include "constraint/step.h"

#define nb_contact_memory NB_REAL_NAME(nb_contact_memory)
#define nb_warm_start NB_REAL_NAME(nb_warm_start)
#define nb_warm_start_clear NB_REAL_NAME(nb_warm_start_clear)
#define nb_warm_start_recall NB_REAL_NAME(nb_warm_start_recall)
#define nb_warm_start_remember NB_REAL_NAME(nb_warm_start_remember)
#define nb_warm_start_release NB_REAL_NAME(nb_warm_start_release)
#define nb_warm_start_save NB_REAL_NAME(nb_warm_start_save)
#define nb_warm_start_load NB_REAL_NAME(nb_warm_start_load)
#define nb_added_rows NB_REAL_NAME(nb_added_rows)

typedef struct nb_contact_memory {
    int32_t body_a, body_b;
    uint64_t feature;
    real z[3]; /* impulses [N s] */
} nb_contact_memory;

/* zero: nothing is remembered */
typedef struct nb_warm_start {
    int32_t contact_count, bilateral_count, added_count;
    nb_contact_memory *contacts; /* sorted as detected */
    real *bilaterals;            /* in the order of the world's joints */
    real *added;                 /* of the rows behind those of joints and contacts, as they stand */
    int64_t contact_capacity, bilateral_capacity, added_capacity;
} nb_warm_start;

void nb_warm_start_clear(nb_warm_start *w);

/* The rows of a problem behind those of joints and contacts. */
int32_t nb_added_rows(const nb_problem *p);

/* Fills z of the step's problem: impulses of the contacts that were there in the last step. Joint rows and added rows
 * have theirs where there are as many as then. Others keep their z. */
void nb_warm_start_recall(const nb_warm_start *w, const nb_step *step, const nb_contacts *contacts, nb_problem *p);

/* Takes z of the step's problem, which was solved with these contacts. */
nb_status nb_warm_start_remember(nb_warm_start *w, const nb_step *step, const nb_contacts *contacts,
                                 const nb_problem *p);

/* Gives the memory of many contacts back until the next nb_warm_start_remember: a step that took them in has its
 * impulses, and methods have better use for the memory. */
void nb_warm_start_release(nb_warm_start *w);

/* Impulses in double, exact both ways in one precision; `load` takes those of the other one, too. */
nb_status nb_warm_start_save(const nb_warm_start *w, nb_stream *stream);
nb_status nb_warm_start_load(nb_warm_start *w, nb_stream *stream);

#endif
