#include "no_slip.h"

#include <tgmath.h>

#include "base/largest.h"
#include "base/memory.h"
#include "constraint/cone_rows.h"
#include "operator/system.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_STEPS = 50 /* of Newton's method, which takes a few */
};

typedef struct no_slip {
    nb_problem *p;
    nb_cone_rows laws;
    real *velocity; /* [nodes, padded] what changes of impulses have changed of it */
} no_slip;

/* z [2] of least z.A z/2 + b.z in the disc of this radius; a: A_11, A_12, A_22. On its circle z = -(A + s)^-1 b, and
 * Newton's method on 1/|z| - 1/radius comes from below. */
static void solve_disc(const double a[3], const double b[2], double radius, double z[2]) {
    double s = 1e-14 * (a[0] + a[2]);
    z[0] = z[1] = 0;
    if (!(s > 0) || !(radius > 0)) return;
    for (int k = 0; k < MOST_STEPS; k++) {
        const double p = a[0] + s, q = a[1], r = a[2] + s, det = p * r - q * q;
        z[0] = (q * b[1] - r * b[0]) / det;
        z[1] = (q * b[0] - p * b[1]) / det;
        const double square = z[0] * z[0] + z[1] * z[1], size = sqrt(square);
        if (size <= radius * (1 + 1e-14)) return;
        s += (size / radius - 1) * square * det / (r * z[0] * z[0] - 2 * q * z[0] * z[1] + p * z[1] * z[1]);
    }
    const double size = hypot(z[0], z[1]);
    for (int k = 0; k < 2; k++) z[k] *= radius / size;
}

/* The largest change of a contact's friction, as a velocity. */
static double relax_contact(const no_slip *n, int32_t i) {
    const nb_problem *p = n->p;
    const nb_delassus *d = p->exact;
    const int32_t r = 3 * i;
    const nb_softness *soft = &n->laws.cone->softness[i];
    real own[9], v[3], dz[3] = {0}, *z = p->z + r;
    double b[2], to[2], largest = 0;
    if (!(z[0] > 0)) return 0;
    d->type->block(d, i, i, own);
    d->type->block_velocity(d, i, n->velocity, v);
    const double a[] = {(double)own[4], (double)own[5], (double)own[8]}, before[] = {(double)z[1], (double)z[2]};
    for (int k = 0; k < 2; k++)
        b[k] = (double)(p->value[r + 1 + k] + v[1 + k] + soft->shift[1 + k]) - a[k] * before[0] - a[k + 1] * before[1];
    solve_disc(a, b, (double)(n->laws.cone->mu[i] * z[0]), to);
    for (int k = 0; k < 2; k++) {
        dz[1 + k] = (real)(to[k] - before[k]);
        z[1 + k] += dz[1 + k];
        nb_raise(&largest, fabs(a[2 * k] * (double)dz[1 + k]));
    }
    d->type->push_block(d, i, dz, n->velocity);
    return largest;
}

nb_status nb_no_slip(nb_problem *p, int32_t sweeps) {
    nb_status status;
    no_slip n = {.p = p};
    NB_TRY(nb_any_friction_rows_of(p, "--noslip", &n.laws));
    if (p->rows > 3 * p->contacts) return nb_fail(NB_ERROR_UNSUPPORTED, "--noslip does not support joints");
    if (p->contacts == 0) return NB_OK;
    if (n.laws.cone->ratio != 1)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--noslip does not support --friction-ratio other than 1");
    NB_TRY(NB_ALLOCATE(nb_nodes_length(p->nodes), &n.velocity));
    p->type->evaluate(p, NULL);
    const double least = (double)NB_REAL_EPSILON * nb_problem_velocity_scale(p);
    for (int32_t k = 0; k < sweeps; k++) {
        double largest = 0;
        for (int32_t i = 0; i < p->contacts; i++) nb_raise(&largest, relax_contact(&n, i));
        if (largest <= least) break;
    }
    for (int32_t i = 0; i < p->nodes->count; i++)
        for (int k = 0; p->exact->mass->moves[i] && k < nb_node_velocities(p->nodes, i); k++)
            p->u[p->nodes->velocity[i] + k] += n.velocity[p->nodes->place[i] + k];
out:
    nb_free(n.velocity);
    return status;
}
