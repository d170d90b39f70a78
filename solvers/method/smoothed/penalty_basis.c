#include "penalty_basis.h"

#include <string.h>

#include "base/memory.h"
#include "constraint/cone_law.h"
#include "constraint/step.h"

NB_PRECISIONS(f32, f64);

void nb_penalty_basis_clear(nb_penalty_basis *b) {
    nb_free(b->change);
    nb_free(b->end);
    nb_free(b->turn);
    nb_free(b->u);
    *b = (nb_penalty_basis){0};
}

static nb_status lay_out_bodies(nb_penalty_basis *b, const nb_world *world, const nb_problem *p, double h) {
    nb_status status;
    NB_TRY(NB_RESERVE(world->body_count, &b->capacity[0], &b->end));
    NB_TRY(NB_RESERVE(world->body_count, &b->capacity[1], &b->turn));
    NB_TRY(NB_RESERVE(6 * (int64_t)world->body_count, &b->capacity[2], &b->u));
    nb_penalty_move_bodies(world, p, h, b->end, b->turn, b->u);
out:
    return status;
}

nb_status nb_penalty_basis_find(nb_penalty_basis *b, const nb_penalty_rows *rows, nb_problem *p, const int64_t *place,
                                const double *t) {
    nb_status status;
    double h;
    const nb_step *step = nb_step_of(p);
    const nb_world *world = nb_step_world(step, &h);
    nb_world end = *world;
    const int32_t *order = nb_step_contact_order(step);
    int32_t contact = 0;
    NB_TRY(lay_out_bodies(b, world, p, h));
    end.bodies = b->end;
    const nb_penalty_place at = {world, &end, h, b->u, b->turn, rows, p, 1};
    b->count = 0;
    NB_TRY(NB_RESERVE(p->contacts, &b->capacity[3], &b->change));
    for (int32_t k = 0; k < p->range_count; k++) {
        const nb_law_range *range = &p->ranges[k];
        if (range->law->type != &nb_cone_class) continue;
        for (int32_t i = 0; i < range->blocks; i++, contact++) {
            const ptrdiff_t r = range->first_row + 3 * (ptrdiff_t)i;
            const nb_contact *item = &nb_step_contacts(step)->items[order[contact]];
            if (!(p->z[r] > 0) || item->body_a >= world->body_count || item->body_b >= world->body_count) continue;
            if (nb_penalty_change_of_contact(&at, item, p->value + r, p->z + r, t + place[range->first_block + i],
                                             &b->change[b->count]) == NB_OK)
                nb_penalty_change_keep_moving(&at, item, t + place[range->first_block + i], &b->change[b->count++]);
        }
    }
out:
    return status;
}
