/* Advances a world by one time step with a method, in one precision: what lies between a world in double and a method
 * in f32 or f64. Callers choose the precision by the class they take; nothing here names `real`. */
#ifndef NB_STEP_STEPPER_H
#define NB_STEP_STEPPER_H

#include "base/stream.h"
#include "constraint/file_problem.h"
#include "contact/contact.h"
#include "contact_problem.h"
#include "measure/measure.h"
#include "method.h"
#include "model/world.h"
#include "snapshot.h"
#include "stored_system.h"
#include "verification.h"

/* where the iteration of a step starts: `warm_start` below */
enum {
    NB_START_ZERO,
    NB_START_PREVIOUS,     /* from the last step's velocities and impulses, unless zero has the smaller error */
    NB_START_UNCONSTRAINED /* without impulses, from the velocities that bodies have without them */
};

/* what a step was made of */
typedef struct nb_step_counts {
    int32_t contacts, rows, islands, largest_island;
    nb_verification verification;
} nb_step_counts;

struct nb_step_f64; /* constraint/step.h */

typedef struct nb_stepper_class {
    const char *precision; /* "f32", "f64" */
    /* `settings` is copied; what it points to is borrowed */
    nb_status (*create)(const char *method, const nb_method_settings *settings, void **stepper);
    /* Goes on with another method and settings; what a warm start needs is kept. */
    nb_status (*configure)(void *stepper, const char *method, const nb_method_settings *settings);
    /* Takes in the world and its contacts for a step of length h [s]: the assembly that happens once a step. */
    nb_status (*begin)(void *stepper, const nb_world *world, const nb_contacts *contacts, double h,
                       nb_geometry geometry);
    /* the rows of the step that was begun, where they are in double; else NULL */
    const struct nb_step_f64 *(*rows)(const void *stepper);
    /* The first part of `step`, for steps that a device makes as a whole: prepare takes the start and gets the step
     * ready, launch makes those of several steppers of one method and settings in one launch; step then takes what came
     * of it. Without the two, step makes them itself. */
    nb_status (*prepare)(void *stepper, const nb_world *world, const nb_contacts *contacts, int warm_start,
                         nb_measure *measure);
    nb_status (*launch)(void *const *steppers, int32_t count);
    /* Copies of a scene that a device takes through steps of this stepper's method and settings by itself. */
    nb_status (*trajectories)(const void *stepper, const nb_trajectories_start *start, nb_trajectories **trajectories);
    /* Solves the step that was begun with the same arguments and moves the world to its end. `measure` was begun on the
     * same step. With `warm_start` the last step's velocities and matched impulses are the start, unless zero has the
     * smaller natural-map error. *final is filled where it is not NULL. */
    nb_status (*step)(void *stepper, nb_world *world, const nb_contacts *contacts, double h, int warm_start,
                      nb_measure *measure, const nb_observer *observer, nb_step_outcome *outcome,
                      nb_step_counts *counts, nb_snapshot *final);
    /* Puts the contacts that the last step's verification found at its end into the list that the step was made with,
     * if there was one: nb_contacts_detect, at the start of the next step, has nothing left to look for. */
    void (*hand_over)(void *stepper, nb_contacts *contacts);
    /* From now on `step` differentiates what it solved, smoothed by `smoothing` [J] (or NB_SMOOTHING_OWN), or by 0 no
     * more. A fault where the method has no derivatives. take_gradient: of the last step, the caller's from then on;
     * NULL: there is none. */
    nb_status (*differentiate)(void *stepper, double smoothing);
    nb_step_gradient *(*take_gradient)(void *stepper);
    /* Solves a problem from a file; impulse [rows] in the problem's rows */
    nb_status (*solve)(void *stepper, const nb_file_data *data, nb_measure *measure, const nb_observer *observer,
                       nb_step_outcome *outcome, nb_step_counts *counts, double *impulse);
    /* For an observer: the system and problem that it was handed, as a record keeps them; the caller clears *stored. */
    nb_status (*store)(void *system, const void *problem, nb_stored_system *stored);
    /* What the next step takes over from the last one, the world left out: the impulses of a warm start and the
     * method's own unknowns. `load` brings a new stepper to where `save` was called, bit by bit. */
    nb_status (*save)(const void *stepper, nb_stream *stream);
    nb_status (*load)(void *stepper, nb_stream *stream);
    /* Of it the impulses alone, which another method and a stepper of the other precision take, too. */
    nb_status (*save_impulses)(const void *stepper, nb_stream *stream);
    nb_status (*load_impulses)(void *stepper, nb_stream *stream);
    /* The contact problem of the step that was begun and not yet made; the caller clears *stored. */
    nb_status (*store_problem)(void *stepper, nb_contact_problem *stored);
    /* linear systems from files; see step/linear_system.h */
    nb_status (*create_linear)(const nb_method_settings *settings, const nb_csr_f64 *a, double asymmetry,
                               void **system);
    nb_status (*solve_linear)(void *system, const double *b, const nb_observer *observer, nb_step_outcome *outcome,
                              double *x);
    void (*destroy_linear)(void *system);
    const nb_columns *linear_columns; /* of its reports */
    void (*destroy)(void *stepper);
} nb_stepper_class;

/* The settings of the reference that leads steps: PCR, 200 iterations to round-off, with the
 * standard options of the method. */
nb_method_settings nb_lead_settings(void);

extern const nb_stepper_class nb_stepper_f32, nb_stepper_f64;

#endif
