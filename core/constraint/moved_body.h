/* Where an iterate's velocities lead a body (private to core/constraint). */
#ifndef NB_CONSTRAINT_MOVED_BODY_H
#define NB_CONSTRAINT_MOVED_BODY_H

#include <stddef.h>

#include "base/real.h"
#include "model/drive.h"

/* position and orientation of body i after moving with u for h; the world where i is -1 */
static inline void nb_moved_body(const nb_world *world, const real *u, int32_t i, double h, nb_vec3 *x, nb_quat *q) {
    *x = nb_vec3_of(0, 0, 0);
    *q = nb_quat_identity();
    if (i < 0) return;
    const nb_body *body = &world->bodies[i];
    u += 6 * (ptrdiff_t)i;
    nb_body_after(body, h, nb_vec3_of((double)u[0], (double)u[1], (double)u[2]),
                  nb_vec3_of((double)u[3], (double)u[4], (double)u[5]), x, q);
}

#endif
