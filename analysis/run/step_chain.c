#include "run/step_chain.h"

#include <string.h>

#include "derivative/contact_rows.h"

static nb_vec3 take(const double *from) {
    return nb_vec3_of(from[0], from[1], from[2]);
}

static void put(nb_vec3 from, double *to) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

nb_status nb_step_chain_forward(nb_step_gradient *g, const nb_world *world, const double *inputs, double *du,
                                double *state) {
    nb_status status = g->type->forward(g, inputs, du);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < g->bodies; i++) {
        const double *in = inputs + NB_INPUTS * (ptrdiff_t)i, *faster = du + 6 * (ptrdiff_t)i;
        double *after = state + NB_INPUT_FORCE * (ptrdiff_t)i;
        if (world->bodies[i].kind != NB_BODY_DYNAMIC) continue;
        /* x+ = x + h v+, R+ = C R */
        nb_body_turn turn = nb_body_turn_of(g->h, take(g->u + 6 * (ptrdiff_t)i + 3));
        put(nb_add_scaled(take(in), g->h, take(faster)), after);
        put(nb_add(nb_body_turn_apply(&turn, take(in + 3)), nb_body_turn_change(&turn, g->h, take(faster + 3))),
            after + 3);
        memcpy(after + 6, faster, 6 * sizeof *faster);
    }
    return NB_OK;
}
