#include "constraint/step_rate.h"

#include <math.h>
#include <stddef.h>

#include "model/coordinate.h"
#include "model/drive.h"

/* how gravity changes the velocity of a body within a step */
static nb_vec3 pulled(const nb_world *world, const nb_body *body, double h) {
    return body->kind == NB_BODY_DYNAMIC ? nb_scale(h, world->gravity) : nb_vec3_of(0, 0, 0);
}

double nb_gap_rate(const nb_world *world, double gap, double h) {
    const nb_time_stepping *way = &world->settings.stepping;
    if (way->scheme == NB_STEPPING_IMPLICIT) return gap / h;
    /* K on an open gap brakes what comes near before it meets anything, which then parts more slowly */
    double part = way->restitution > 0 && gap > 0 ? 1 : way->stabilization;
    return fmax(part * gap / h, -way->recovery_speed);
}

double nb_contact_rate(const nb_world *world, const nb_contact *contact, double h) {
    const nb_time_stepping *way = &world->settings.stepping;
    double rate = nb_gap_rate(world, contact->gap, h);
    if (way->scheme == NB_STEPPING_IMPLICIT || !(way->restitution > 0)) return rate;
    const nb_body *a = &world->bodies[contact->body_a], *b = &world->bodies[contact->body_b];
    double approach = nb_dot(
        contact->normal, nb_sub(nb_body_velocity_at(a, contact->point_a), nb_body_velocity_at(b, contact->point_b)));
    double faster = nb_dot(contact->normal, nb_sub(pulled(world, a, h), pulled(world, b, h)));
    /* what does not arrive within the step has nothing to bounce off yet */
    int meets = approach < 0 && contact->gap + h * (approach + fmin(0, faster)) <= 0;
    return meets ? fmin(rate, way->restitution * approach) : rate;
}

/* How fast a motor that does not give way moves the row, -dC/dt. */
static double driven_rate(const nb_world *world, int32_t joint, int row) {
    return row == nb_driven_row(world, joint) ? world->motors[nb_motor_of(world, joint)].rate : 0;
}

double nb_joint_rate(const nb_world *world, int32_t joint, int row, double value, double compliance, double h) {
    const nb_time_stepping *way = &world->settings.stepping;
    if (way->scheme == NB_STEPPING_IMPLICIT || compliance > 0) return value / h;
    /* the value is against the target at the end of the step: C at its start is larger by what that moves */
    double driven = driven_rate(world, joint, row), error = way->stabilization * (value / h + driven);
    return fmin(fmax(error, -way->recovery_speed), way->recovery_speed) - driven;
}
