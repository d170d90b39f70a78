#include "contact/frame.h"

#include <math.h>

void nb_contact_tangents(const nb_world *world, nb_vec3 n, nb_vec3 *t1, nb_vec3 *t2) {
    const double least = 1e-6; /* shorter than that, it has no direction */
    if (world->planar) {
        *t1 = nb_vec3_of(n.z, 0, -n.x);
        *t2 = nb_vec3_of(0, 1, 0);
        return;
    }
    nb_tangents(n, t1, t2);
    if (world->settings.friction_ratio == 1) return;
    const nb_vec3 along =
        nb_vec3_of(cos(world->settings.friction_direction), sin(world->settings.friction_direction), 0);
    nb_vec3 laid = nb_add_scaled(along, -nb_dot(along, n), n);
    if (nb_norm(laid) < least) laid = nb_add_scaled(nb_vec3_of(0, 0, 1), -n.z, n);
    if (nb_norm(laid) < least) return;
    *t1 = nb_normalized(laid);
    *t2 = nb_cross(n, *t1);
}
