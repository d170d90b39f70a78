/* A step whose contacts are verified at its end: the method solves it, bodies are looked at where its velocities lead,
 * and where they overlap contacts come in and the method goes on from where it is (core/contact/detection.h). */
#ifndef NB_STEP_VERIFIED_STEP_H
#define NB_STEP_VERIFIED_STEP_H

#include "base/real.h"
#include "method.h"
#include "verification.h"

#define nb_verified_step NB_REAL_NAME(nb_verified_step)

enum {
    NB_VERIFY_ROUNDS = 5 /* at most, of one step */
};

/* Bodies that turn far in the step by the velocities of an iterate (NB_VERIFY_TURNING) are also looked at on the way:
 * once the error is below most/h, if the method can (nb_halfway). That takes a part of a solve, where a round takes a
 * whole one. It is no round.
 *
 * The method's step, and again at most NB_VERIFY_ROUNDS times, as long as two bodies overlap at its end by more than
 * `most` > 0 [m], and by more than at its start. The outcome has the sums of all rounds, and the reason and errors of
 * the last; its remark tells where the overlap stays. `verification` receives what it came to. An observer
 * hears one step. Faults are those of the method and of nb_measure_verify. */
nb_status nb_verified_step(nb_method *method, nb_problem *problem, nb_measure *measure, double most,
                           const nb_observer *observer, nb_step_outcome *outcome, nb_verification *verification);

#endif
