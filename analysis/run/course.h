/* A scene in the course of its steps: built, settled, advanced, checked. A run is one that is recorded (simulate.c), a
 * copy of a batch one of which little is kept (copies.c). */
#ifndef NB_ANALYSIS_COURSE_H
#define NB_ANALYSIS_COURSE_H

#include <signal.h>

#include "method/stepper.h"
#include "run/recorder.h"
#include "run/request.h"

typedef struct nb_course {
    const nb_request *request;    /* prepared; set by the caller, who does not move it from `choose` on */
    int32_t copy;                 /* of a batch, likewise; 0: the scene itself */
    const nb_stepper_class *type; /* NULL before `choose` */
    void *stepper;
    nb_measure *measure;
    nb_world *world;
    nb_contacts *contacts;
    char words[128];                 /* a method's own on the last step */
    double started, detected, begun; /* of the step at hand [s] */
} nb_course;

/* Makes the stepper that the request names. */
nb_status nb_course_choose(nb_course *course);
/* The same, and the scene. */
nb_status nb_course_build(nb_course *course);
void nb_course_clear(nb_course *course); /* also of one that is zero */

/* Steps that bring every run of a comparison to the same state, whatever solver it compares. */
nb_status nb_course_settle(nb_course *course, const volatile sig_atomic_t *interrupted);

/* One time step, in one row of the record; *final is filled where it is not NULL. `recorder` is NULL where nothing else
 * is recorded. */
nb_status nb_course_advance(nb_course *course, nb_recorder *recorder, int warm_start, nb_snapshot *final,
                            double row[NB_STEP_COLUMNS]);

/* The same in three parts, of which the second makes a step of many courses of one request in one launch of a device.
 */
nb_status nb_course_begin(nb_course *course, nb_recorder *recorder, int warm_start);
nb_status nb_course_launch(nb_course *const *courses, int32_t count);
nb_status nb_course_end(nb_course *course, nb_recorder *recorder, int warm_start, nb_snapshot *final,
                        double row[NB_STEP_COLUMNS]);

/* Holds the final state against the scenario's known values and the invariants of every scene, and the run's reference,
 * where one was asked for, against these. `run` NULL: of a copy, which has none. */
nb_status nb_course_check(const nb_course *course, const nb_snapshot *final, const nb_run *run, nb_checks *checks);

/* [m] */
double nb_course_largest_penetration(const nb_snapshot *state);

#endif
