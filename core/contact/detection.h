/* Detection within a step: the contacts that bodies come to have on their way.
 *
 * A step begins with the contacts that are near at its start (contact.h), where only velocities of the start say what
 * comes near. A method may ask again where its own velocities have led (nb_problem_detect): the bodies are placed at
 * the end of their way, and both phases run there. A contact that is new is taken back to the start: its points go with
 * their bodies, its normal stays. It is then a contact of the step like the others, and has at the end of that way the
 * gap that was found there.
 *
 * Contacts are told apart by their bodies and features. Those that the step has stay in it as they are, near or not at
 * the end of the way: a contact that left could come back with the next iterate, whereas a set that only grows comes to
 * an end. What is found is what is near at the end of the way; bodies that went past each other, or so deep that
 * another face is nearer, are not parted as they came.
 *
 * Verification looks for overlap alone. Where two bodies are deeper in each other at the end of the way than they were
 * at the start, by more than what is allowed, all their contacts there come in. One that the step has is taken again as
 * it is at the end, in place of what it was, with the normal that it has there. Bodies that the way takes farther than
 * their velocities at the start tell are also looked at from the start, along the way: so nothing flies through.
 *
 * The next step begins where a verified one ends: verification detects as that step does, with the way that is before
 * the bodies by then, and its contacts are the next step's. */
#ifndef NB_CONTACT_DETECTION_H
#define NB_CONTACT_DETECTION_H

#include <stdint.h>

#include "base/status.h"
#include "contact/contact.h"
#include "model/world.h"

typedef struct nb_detection {
    const nb_contacts *contacts; /* of the step, sorted as detected; borrowed until some are added, then its own */
    nb_body *bodies;             /* the world's, where contacts are looked for */
    nb_particle *particles;      /* likewise */
    int32_t *before;             /* place of each contact in the list before the last ones were added; -1: new */
    uint8_t *late;               /* 1: found on the way, and not at the start; as long as `contacts` is its own */
    nb_contacts *own, *found;    /* private from here */
    nb_contacts some;            /* of those found, the ones to come in */
    const nb_contacts *start;    /* those that the step began with; borrowed */
    int way, renews;             /* how one that is found becomes the step's; 1: that replaces one of the step's */
    uint8_t *turning;            /* [bodies] 1: it turns far */
    int verified;                /* 1: what was found last is at the end, as the next step's detection finds it */
    double h;                    /* [s] */
    int64_t body_capacity, particle_capacity, before_capacity, late_capacity, turning_capacity;
} nb_detection; /* starts as all zeros */

/* Begins a step with these contacts, borrowed until the next begin. */
void nb_detection_begin(nb_detection *detection, const nb_contacts *contacts);

/* Fills `bodies` and `particles` with the world's at the start of the step. The caller moves them. */
nb_status nb_detection_copy_bodies(nb_detection *detection, const nb_world *world);

/* Adds the contacts that are new with the bodies as they were placed, and says how many; none leaves all as it is. The
 * world stands at the start of the step. On a fault, too, all is as it was. */
nb_status nb_detection_find(nb_detection *detection, const nb_world *world, int32_t *added);

/* what a verification looks at, and whether contacts come in */
typedef enum nb_verify_mode {
    NB_VERIFY_ONLY,   /* all bodies; none comes in */
    NB_VERIFY_TAKE,   /* all bodies */
    NB_VERIFY_TURNING /* bodies that turn so far that what moves with them leaves its tangent, by r (w h)^2/2, by more
                         than a quarter of what is allowed: of these the contacts at the start say least */
} nb_verify_mode;

/* what a verification finds */
typedef struct nb_overlap {
    double excess;          /* largest overlap of two bodies at the end, less what theirs at the start is beyond the
                               allowed one [m] */
    int32_t added, renewed; /* contacts that came in; of the step's, those that were taken again */
} nb_overlap;

/* Verifies the end of a step of length h whose contacts are linear in the velocities: the bodies were placed there,
 * with their velocities. Contacts within the margin come in where the excess of their bodies is more than `most` > 0
 * [m], with the arms and the normal of the end, and at these velocities the gap that was found. No particles. Faults as
 * there. */
nb_status nb_detection_verify(nb_detection *detection, const nb_world *world, double h, double most,
                              nb_verify_mode mode, nb_overlap *overlap);

/* Whether a body is diverted: velocities as placed take it farther than those at the start would, by more than a
 * quarter of its radius. */
int nb_detection_is_diverted(const nb_detection *detection, const nb_world *world, double h);

/* The same for what passes, where a body is diverted: bodies go to the start, with velocities as placed. Contacts come
 * in that the step has not, and that would then be deeper than `most`, as they are at the start. None is taken again,
 * and excess is 0. */
nb_status nb_detection_sweep(nb_detection *detection, const nb_world *world, double h, double most,
                             nb_overlap *overlap);

/* Ends a step: puts what its last verification found into `contacts`, which then need not be detected where the world
 * has come to what was verified (nb_contacts_detect sees to that). Without one, `contacts` stays as it is. */
void nb_detection_hand_over(nb_detection *detection, nb_contacts *contacts);

/* Whether contact i of the step was found on the way. */
int nb_detection_is_late(const nb_detection *detection, int32_t i);

void nb_detection_clear(nb_detection *detection);

#endif
