/* How the equations of a pair change where its bodies are put elsewhere, grow, or have other friction. */
#include <string.h>

#include "contact_pair.h"

static void write3(nb_vec3 v, double *to) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

/* the slacks of the rows of set i: s = alpha b - A (R^T y - c) - E epsilon, where A shrinks and c grows with the shape
 */
static void change_slacks(nb_contact_pair *pair, int i, const nb_pair_body *body, int32_t first,
                          const nb_pair_inputs *in) {
    const nb_pair_set *set = pair->set[i];
    double *r = pair->r + pair->s + first;
    for (int32_t k = 0; k < set->rows; k++) {
        nb_vec3 a = nb_mat3_apply(&body->frame, set->a[k]), y = pair->arm[i];
        r[k] = -(nb_dot(a, in->way[i]) + nb_dot(nb_cross(y, a), in->turn[i]) + in->size[i] * nb_dot(a, y));
    }
}

/* the products against their targets */
static void change_targets(nb_contact_pair *pair, int i, int32_t first, double change) {
    const nb_pair_set *set = pair->set[i];
    double *r = pair->r + pair->lambda + first;
    for (int32_t k = 0, cone = 0; k < set->rows; k += k < set->linear ? 1 : set->cone_rows[cone++]) r[k] = -change;
}

void nb_contact_pair_change(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b,
                            const nb_pair_inputs *in, double wrench[NB_PAIR_MOTION]) {
    const nb_pair_body *body[2] = {a, b};
    const double *x = pair->x;
    double *r = pair->r;
    nb_vec3 normals = {0}, slip = nb_cross(pair->g[1], in->carried), beta = {0};
    if (pair->mu > 0) beta = nb_vec3_of(x[pair->psi + 1], x[pair->psi + 2], x[pair->psi + 3]);
    memset(r, 0, (size_t)pair->size * sizeof *r);
    for (int i = 0, first = 0; i < 2; first += pair->set[i++]->rows) {
        nb_vec3 g = pair->g[i], dg = nb_sub(nb_cross(in->turn[i], g), nb_scale(in->size[i], g));
        nb_vec3 df = nb_sub(nb_scale(-x[pair->gamma], dg), nb_cross(dg, beta));
        change_slacks(pair, i, body[i], first, in);
        if (in->target != 0) change_targets(pair, i, first, in->target);
        normals = nb_add(normals, dg);
        slip = nb_add(slip, nb_sub(nb_cross(dg, pair->velocity[i]), nb_cross(g, nb_cross(body[i]->w, in->way[i]))));
        write3(df, wrench + 6 * i);
        write3(nb_sub(nb_cross(pair->arm[i], df), nb_cross(in->way[i], pair->force[i])), wrench + 6 * i + 3);
    }
    write3(normals, r);
    if (!(pair->mu > 0)) return;
    write3(nb_scale(-1, slip), r + pair->psi + 4);
    r[pair->psi] = in->mu * x[pair->gamma] * x[pair->psi];
    for (int c = 1; c < 4; c++) r[pair->psi + c] = in->mu * x[pair->gamma] * x[pair->psi + 3 + c];
}
