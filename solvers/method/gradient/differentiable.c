#include "differentiable.h"

#include <math.h>

nb_status nb_check_differentiable(const nb_world *world) {
    nb_status status = nb_world_refuse_particles(world, "a gradient");
    if (status != NB_OK) return status;
    if (world->settings.stepping.scheme != NB_STEPPING_IMPLICIT)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "a gradient does not support linearized time stepping; use --time-stepping implicit");
    if (world->settings.friction_law != NB_FRICTION_COULOMB && world->settings.friction_law != NB_FRICTION_RELAXED)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "a gradient does not support polyhedral friction; use --friction-law coulomb or relaxed");
    if (world->settings.contacts.model != NB_CONTACTS_RIGID)
        return nb_fail(NB_ERROR_UNSUPPORTED, "a gradient does not support --contact-model %s; use rigid",
                       nb_contact_model_names[world->settings.contacts.model]);
    if (world->settings.friction_ratio != 1)
        return nb_fail(NB_ERROR_UNSUPPORTED, "a gradient does not support --friction-ratio other than 1");
    return NB_OK;
}

nb_status nb_check_undamped(const nb_world *world, const char *method) {
    for (int32_t i = 0; i < world->motor_count; i++)
        if (world->motors[i].damping > 0 && !isinf(world->motors[i].stiffness))
            return nb_fail(NB_ERROR_UNSUPPORTED,
                           "a gradient of method %s does not support damped motors (motor %d has %g)", method, (int)i,
                           world->motors[i].damping);
    for (int32_t i = 0; i < world->joint_count; i++)
        if (world->joints[i].damping[0] > 0 || world->joints[i].damping[3] > 0)
            return nb_fail(NB_ERROR_UNSUPPORTED,
                           "a gradient of method %s does not support damping of joints (joint %d)", method, (int)i);
    return NB_OK;
}
