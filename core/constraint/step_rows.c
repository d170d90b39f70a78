/* Rows that somebody adds to a step, beside joints and contacts. */
#include "constraint/step.h"
#include "constraint/step_state.h"

NB_PRECISIONS(f32, f64);

static int32_t rows_of(const nb_pack *pack) {
    return nb_pack_row(pack, pack->blocks);
}

nb_status nb_step_add_rows(nb_step *s, nb_step_rows *rows) {
    if (s->added_count == NB_PACKS_ADDED)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "a step supports rows of %d packs in addition to joints and contacts; %s is one more",
                       NB_PACKS_ADDED, rows->pack->type->name);
    s->added[s->added_count++] = rows;
    return NB_OK;
}

nb_status nb_step_begin_coordinates(nb_step *s, double h) {
    nb_status status = NB_OK;
    if (!s->coordinates && nb_coordinate_rows(s->world, NULL) == 0) return NB_OK;
    if (!s->coordinates) {
        NB_TRY(nb_coordinate_row_set_create(&s->nodes, &s->coordinates));
        NB_TRY(nb_step_add_rows(s, nb_coordinate_row_set_item(s->coordinates)));
        for (int32_t i = s->added_count - 1; i > 0; i--) s->added[i] = s->added[i - 1];
        s->added[0] = nb_coordinate_row_set_item(s->coordinates);
    }
    NB_TRY(nb_coordinate_row_set_begin(s->coordinates, s->world, h));
out:
    return status;
}

nb_status nb_step_begin_elements(nb_step *s, double h) {
    nb_status status = NB_OK;
    if (!s->elements && s->world->tetrahedron_count + s->world->spring_count == 0) return NB_OK;
    if (!s->elements) {
        NB_TRY(nb_element_rows_create(&s->nodes, &s->elements));
        for (int i = 0; i < NB_ELEMENT_ROWS; i++) NB_TRY(nb_step_add_rows(s, nb_element_rows_item(s->elements, i)));
    }
    NB_TRY(nb_element_rows_begin(s->elements, s->world, h));
out:
    return status;
}

nb_status nb_step_check_rows(nb_step *s) {
    s->added_rows = 0;
    for (int32_t k = 0; k < s->added_count; k++) {
        const nb_pack *pack = s->added[k]->pack;
        const nb_law_class *law = s->added[k]->law->type;
        for (int32_t i = 0; i < pack->blocks; i++)
            if (nb_pack_row(pack, i + 1) - nb_pack_row(pack, i) != law->rows)
                return nb_fail(NB_ERROR_INPUT, "blocks of the law %s have %d rows; block %d of the pack %s has %d",
                               law->name, (int)law->rows, (int)i, pack->type->name,
                               (int)(nb_pack_row(pack, i + 1) - nb_pack_row(pack, i)));
        s->added_rows += rows_of(pack);
    }
    return NB_OK;
}

/* how many packs of added rows the step has, which may be less than there will be in the next one */
static int32_t placed(const nb_step *s) {
    return s->sum.packs - NB_PACKS_OF_STEP;
}

nb_status nb_step_place_rows(nb_step *s) {
    for (int32_t k = 0; k < s->added_count; k++) {
        const nb_pack *pack = s->added[k]->pack;
        int32_t last = s->sum.packs - 1;
        for (int32_t i = 0; i < pack->blocks; i++) {
            int32_t node[NB_BLOCK_NODES];
            int moving = 0;
            for (int n = pack->type->block_nodes(pack, i, node) - 1; n >= 0; n--) moving += s->moves[node[n]];
            if (moving == 0)
                return nb_fail(NB_ERROR_INPUT, "block %d of the pack %s acts on no node that has mass", (int)i,
                               pack->type->name);
        }
        s->sum.first_row[last + 1] = s->sum.first_row[last] + rows_of(s->sum.pack[last]);
        s->sum.pack[s->sum.packs++] = pack;
    }
    return NB_OK;
}

/* values of all added rows at the positions after `moved` */
static void evaluate(nb_step *s, double moved, real *value) {
    for (int32_t k = 0; k < placed(s); k++) {
        s->added[k]->evaluate(s->added[k], s->world, &s->problem, moved, value);
        value += rows_of(s->added[k]->pack);
    }
}

void nb_step_begin_rows(nb_step *s) {
    s->problem.u = s->u;
    evaluate(s, 0, s->added_rate);
    nb_step_weigh_rows(s);
}

void nb_step_evaluate_rows(nb_step *s, real *value) {
    evaluate(s, (double)s->problem.h, value + (s->whole.base.rows - s->added_rows));
    nb_step_weigh_rows(s);
}

void nb_step_weigh_rows(nb_step *s) {
    int32_t row = s->whole.base.rows - s->added_rows;
    for (int32_t k = 0; k < placed(s); k++) {
        int32_t pack = NB_PACKS_OF_STEP + k, first = s->whole.first[pack], blocks = s->added[k]->pack->blocks;
        nb_sum_block_diagonal(&s->weighing, first, first + blocks, s->diagonal + row);
        for (int32_t i = 0; i < blocks; i++, row += s->added[k]->law->type->rows) {
            for (int32_t r = row; r < row + s->added[k]->law->type->rows; r++) s->w[r] = s->diagonal[r];
            if (nb_law_is_friction(s->added[k]->law->type))
                s->w[row + 1] = s->w[row + 2] = (s->diagonal[row + 1] + s->diagonal[row + 2]) / 2;
        }
    }
}

void nb_step_publish_rows(nb_step *s) {
    nb_problem *p = &s->problem;
    int32_t row = p->rows - s->added_rows;
    for (int32_t k = 0; k < placed(s); k++) {
        const nb_pack *pack = s->added[k]->pack;
        if (pack->blocks == 0) continue;
        s->ranges[p->range_count++] = (nb_law_range){.law = s->added[k]->law,
                                                     .blocks = pack->blocks,
                                                     .first_block = s->whole.first[NB_PACKS_OF_STEP + k],
                                                     .first_row = row};
        row += rows_of(pack);
    }
}
