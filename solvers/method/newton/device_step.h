/* Whole Newton iterations on a device: the step goes there, all its iterations are made in one launch, and the iterates
 * come back, to be measured by the harness like any others. The steps of many scenes may share a launch. */
#ifndef NB_NEWTON_DEVICE_STEP_H
#define NB_NEWTON_DEVICE_STEP_H

#include "step/device_step_class.h"

#define nb_device_step NB_REAL_NAME(nb_device_step)
#define nb_device_step_build NB_REAL_NAME(nb_device_step_build)
#define nb_device_step_launch NB_REAL_NAME(nb_device_step_launch)
#define nb_device_step_clear NB_REAL_NAME(nb_device_step_clear)
#define nb_device_step_read NB_REAL_NAME(nb_device_step_read)

/* NB_ERROR_UNSUPPORTED with one line where whole steps do not offer the solver, preconditioner or precision. */
nb_status nb_device_step_check(const nb_method_settings *settings);

/* a step on its way; zero before and after */
typedef struct nb_device_step {
    const nb_device_step_class *type;
    void *made;
    double seconds; /* building it, and its share of the launch */
} nb_device_step;

/* Builds the step for settings->device; the caller clears *step, also after a fault. */
nb_status nb_device_step_build(nb_problem *problem, const nb_method_settings *settings, const nb_device_step_way *way,
                               nb_device_step *step);
/* Makes all these [count] in one launch, whose time they share alike. */
nb_status nb_device_step_launch(nb_device_step *const *steps, int32_t count);
void nb_device_step_clear(nb_device_step *step);

/* Takes what the launch made of the problem's present iterate. Every iteration is reported to the observer; *report
 * describes the state reached. */
nb_status nb_device_step_read(const nb_device_step *step, nb_problem *problem, const nb_method_settings *settings,
                              nb_measure *measure, const nb_observer *observer, nb_newton_report *report,
                              nb_step_outcome *outcome);

#endif
