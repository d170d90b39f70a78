/* Whole Newton iterations on a device: the step goes there, all its iterations are made in one launch, and the iterates
 * come back, to be measured by the harness like any others. */
#ifndef NB_METHOD_WHOLE_H
#define NB_METHOD_WHOLE_H

#include "method.h"

#define nb_whole_class NB_REAL_NAME(nb_whole_class)
#define nb_whole_iterate NB_REAL_NAME(nb_whole_iterate)

enum {
    NB_WHOLE_JACOBI_DAMPED = 1, /* values of jacobi's first option (linear/jacobi.c); its second is omega */
    NB_WHOLE_JACOBI_L1 = 2
};

/* What a device offers. */
typedef struct nb_whole_class {
    /* Makes settings->newton_iterations from the problem's present iterate, which is left as it is; the problem is the
     * step of a world (core/system/step.h). NB_ERROR_UNSUPPORTED where it does not fit the device's blocks. */
    nb_status (*run)(nb_problem *problem, const nb_method_settings *settings, void **outcome);
    /* The iterate after `iteration` into the problem, and what is known of that iteration into *report: residuals,
     * step, work and reason of its linear solve. */
    void (*take)(const void *outcome, int32_t iteration, nb_problem *problem, nb_newton_report *report);
    void (*destroy)(void *outcome); /* NULL allowed */
} nb_whole_class;

/* NB_ERROR_UNSUPPORTED with one line where settings ask for what whole steps do not offer. */
nb_status nb_whole_check(const nb_method_settings *settings);

/* Makes the step on settings->device. Every iteration is reported to the observer; *report describes the state reached.
 * u [velocities] and z [rows] are scratch. */
nb_status nb_whole_iterate(nb_problem *problem, const nb_method_settings *settings, nb_measure *measure, double *u,
                           double *z, const nb_observer *observer, nb_newton_report *report, nb_step_outcome *outcome);

#endif
