/* What a device offers of whole steps: all Newton iterations of a step in a launch (method/newton/device_step.h), and
 * trajectories of many steps. */
#ifndef NB_STEP_DEVICE_STEP_CLASS_H
#define NB_STEP_DEVICE_STEP_CLASS_H

#include "constraint/ncp.h"
#include "method.h"
#include "trajectory.h"

#define nb_device_step_class NB_REAL_NAME(nb_device_step_class)

enum {
    NB_DEVICE_STEP_JACOBI_DAMPED = 1, /* values of jacobi's first option (linear/jacobi.c); its second is omega */
    NB_DEVICE_STEP_JACOBI_L1 = 2,
    /* those of gauss-seidel (linear/gauss_seidel.c): the first, and the third; the second is omega */
    NB_DEVICE_STEP_GAUSS_SEIDEL_SYMMETRIC = 1,
    NB_DEVICE_STEP_GAUSS_SEIDEL_NATURAL = 1
};

/* the iteration that is to be made, of the Newton method's options */
typedef struct nb_device_step_way {
    nb_ncp_function ncp;
    nb_ncp_scaling scaling;
    int paper_row_scaling, regularization_absolute, islands;
    double damping, regularization, alpha_minimum;
} nb_device_step_way;

struct nb_runtime;

/* What a device offers. Its functions are called with its runtime. */
typedef struct nb_device_step_class {
    const struct nb_runtime *runtime;
    /* What settings->newton_iterations from the problem's present iterate take, which is left as it is; the problem is
     * the step of a world (core/constraint/step.h). NB_ERROR_UNSUPPORTED where it does not fit the device's blocks.
     * Nothing is asked of the device but whether it is there. */
    nb_status (*build)(const struct nb_runtime *runtime, nb_problem *problem, const nb_method_settings *settings,
                       const nb_device_step_way *way, void **outcome);
    /* Makes the iterations of all these [count], built with the same settings, in one launch. */
    nb_status (*launch)(const struct nb_runtime *runtime, void *const *outcomes, int32_t count);
    /* The iterate after `iteration` into the problem, and what is known of that iteration into *report, whose solves
     * were begun (columns.h): residuals, step, work and reason of its linear solve. */
    void (*take)(const void *outcome, int32_t iteration, nb_problem *problem, nb_newton_report *report);
    void (*destroy)(void *outcome); /* NULL allowed */
    /* Copies of a scene that the device takes through many such steps by itself (trajectory.h), with linear contacts
     * and from zeros. NB_ERROR_UNSUPPORTED with one line where the scene has what it does not take. */
    nb_status (*trajectories)(const struct nb_runtime *runtime, const nb_trajectories_start *start,
                              const nb_method_settings *settings, const nb_device_step_way *way,
                              nb_trajectories **trajectories);
    /* The same with steps by the loop of method interior-point (interior_point/island_loop.h), in f64. */
    nb_status (*exact_trajectories)(const struct nb_runtime *runtime, const nb_trajectories_start *start,
                                    const nb_method_settings *settings, nb_trajectories **trajectories);
} nb_device_step_class;

#endif
