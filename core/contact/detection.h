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
 * another face is nearer, are not parted as they came. */
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
    int64_t body_capacity, particle_capacity, before_capacity, late_capacity;
} nb_detection; /* starts as all zeros */

/* Begins a step with these contacts, borrowed until the next begin. */
void nb_detection_begin(nb_detection *detection, const nb_contacts *contacts);

/* Fills `bodies` and `particles` with the world's at the start of the step. The caller moves them. */
nb_status nb_detection_place(nb_detection *detection, const nb_world *world);

/* Adds the contacts that are new with the bodies as they were placed, and says how many; none leaves all as it is. The
 * world stands at the start of the step. On a fault, too, all is as it was. */
nb_status nb_detection_find(nb_detection *detection, const nb_world *world, int32_t *added);

/* Whether contact i of the step was found on the way. */
int nb_detection_is_late(const nb_detection *detection, int32_t i);

void nb_detection_clear(nb_detection *detection);

#endif
