/* Whole Newton iterations on a device: the step goes there, all its iterations are made in one launch, and the iterates
 * come back, to be measured by the harness like any others. The steps of many scenes may share a launch. */
#ifndef NB_METHOD_WHOLE_H
#define NB_METHOD_WHOLE_H

#include "constraint/ncp.h"
#include "method.h"

#define nb_whole_class NB_REAL_NAME(nb_whole_class)
#define nb_whole NB_REAL_NAME(nb_whole)
#define nb_whole_build NB_REAL_NAME(nb_whole_build)
#define nb_whole_launch NB_REAL_NAME(nb_whole_launch)
#define nb_whole_clear NB_REAL_NAME(nb_whole_clear)
#define nb_whole_take NB_REAL_NAME(nb_whole_take)

enum {
    NB_WHOLE_JACOBI_DAMPED = 1, /* values of jacobi's first option (linear/jacobi.c); its second is omega */
    NB_WHOLE_JACOBI_L1 = 2,
    /* those of gauss-seidel (linear/gauss_seidel.c): the first, and the third; the second is omega */
    NB_WHOLE_GAUSS_SEIDEL_SYMMETRIC = 1,
    NB_WHOLE_GAUSS_SEIDEL_NATURAL = 1
};

/* the iteration that is to be made, of the Newton method's options */
typedef struct nb_whole_way {
    nb_ncp_function ncp;
    nb_ncp_scaling scaling;
    int paper_row_scaling, regularization_absolute, islands;
    double damping, regularization, alpha_minimum;
} nb_whole_way;

/* What a device offers. */
typedef struct nb_whole_class {
    /* What settings->newton_iterations from the problem's present iterate take, which is left as it is; the problem is
     * the step of a world (core/constraint/step.h). NB_ERROR_UNSUPPORTED where it does not fit the device's blocks.
     * Nothing is asked of the device but whether it is there. */
    nb_status (*build)(nb_problem *problem, const nb_method_settings *settings, const nb_whole_way *way,
                       void **outcome);
    /* Makes the iterations of all these [count], built with the same settings, in one launch. */
    nb_status (*launch)(void *const *outcomes, int32_t count);
    /* The iterate after `iteration` into the problem, and what is known of that iteration into *report: residuals,
     * step, work and reason of its linear solve. */
    void (*take)(const void *outcome, int32_t iteration, nb_problem *problem, nb_newton_report *report);
    void (*destroy)(void *outcome); /* NULL allowed */
} nb_whole_class;

/* NB_ERROR_UNSUPPORTED with one line where a solver, preconditioner or precision is none that whole steps offer. */
nb_status nb_whole_check(const nb_method_settings *settings);

/* a step on its way; zero before and after */
typedef struct nb_whole {
    const nb_whole_class *type;
    void *made;
    double seconds; /* building it, and its share of the launch */
} nb_whole;

/* Builds the step for settings->device; the caller clears *whole, also after a fault. */
nb_status nb_whole_build(nb_problem *problem, const nb_method_settings *settings, const nb_whole_way *way,
                         nb_whole *whole);
/* Makes all these [count] in one launch, whose time they share alike. */
nb_status nb_whole_launch(nb_whole *const *wholes, int32_t count);
void nb_whole_clear(nb_whole *whole);

/* Takes what the launch made of the problem's present iterate. Every iteration is reported to the observer; *report
 * describes the state reached. u [velocities] and z [rows] are scratch. */
nb_status nb_whole_take(const nb_whole *whole, nb_problem *problem, const nb_method_settings *settings,
                        nb_measure *measure, double *u, double *z, const nb_observer *observer,
                        nb_newton_report *report, nb_step_outcome *outcome);

#endif
