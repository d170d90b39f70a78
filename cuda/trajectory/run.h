/* Trajectories on a device: the GPU, or its emulation. */
#ifndef NB_TRAJECTORY_RUN_H
#define NB_TRAJECTORY_RUN_H

#include "contact/list.h"
#include "island/view.h"
#include "runtime.h"
#include "trajectory.h"

#define nb_trajectories_create NB_REAL_NAME(nb_trajectories_create)
#define nb_trajectories_contacts NB_REAL_NAME(nb_trajectories_contacts)
#define nb_trajectories_joint_row NB_REAL_NAME(nb_trajectories_joint_row)

/* Brings the copies to the device, whose steps are as the settings have them, with the worlds' compliance; `tolerance`
 * ends a step [m/s], 0: none. NB_ERROR_UNSUPPORTED with one line where the scene has what the kernel does not take, or
 * does not fit a block. */
nb_status nb_trajectories_create(const nb_runtime *runtime, const nb_trajectories_start *start,
                                 const nb_island_settings *settings, double tolerance, nb_trajectories **trajectories);

/* For tests: the contacts of a copy, [contact_slots], as the last launch found them where it ended. */
nb_status nb_trajectories_contacts(nb_trajectories *trajectories, int32_t copy, nb_contact *contacts, int32_t *count);

/* The same: row i of the joints at the start of the last step, which made no iteration: its Jacobian j of bodies a and
 * b, c/h [m/s or rad/s], e/h^2 [1/kg or 1/(kg m^2)], and where it moves from. */
nb_status nb_trajectories_joint_row(nb_trajectories *trajectories, int32_t copy, int32_t i, real j[12], real *rate,
                                    real *compliance, int32_t *motion, real start[NB_JOINT_NUMBERS]);

#endif
