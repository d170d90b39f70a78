/* Contacts of particles: rows like those between bodies, by Jacobians over one to three particles and a body, or two to
 * four particles. */
#include <string.h>

#include "constraint/step_state.h"
#include "operator/contact_kernels.h"

NB_PRECISIONS(f32, f64);

#define NB_LANE real
#include "operator/contact_formulas.h"

static int32_t rigid_count(const nb_step *s) {
    return s->contact_count - s->soft_count;
}

/* the first row of all */
static int32_t first_row(const nb_step *s) {
    return s->bilateral_count + 3 * rigid_count(s);
}

void nb_step_begin_soft(nb_step *s, const nb_contacts *contacts) {
    for (int32_t i = 0; i < s->soft_count; i++) {
        const int32_t from = s->order[rigid_count(s) + i];
        const nb_contact_side *side = nb_contacts_side(contacts, from);
        int32_t first = s->soft_node_start[i];
        int32_t nodes = side->second > 0 ? side->count : side->count + 1;
        for (int k = 0; k < side->count; k++) {
            s->soft_node[first + k] = s->nodes.bodies + side->particle[k];
            s->soft_weight[NB_CONTACT_PARTICLES * (ptrdiff_t)i + k] = (real)side->weight[k];
        }
        if (nodes > side->count) s->soft_node[first + side->count] = contacts->items[from].body_b;
        s->soft_row_start[i + 1] = 3 * (i + 1);
        s->soft_node_start[i + 1] = first + nodes;
        s->soft_value_start[i + 1] = s->soft_value_start[i] + 3 * (3 * side->count + 6 * (nodes - side->count));
    }
}

/* J of a contact from its frame and the arm on its body; NULL: there is none */
static void fill_jacobian(const nb_contact_rows *rows, int particles, const real *weight, const real *arm, real *j) {
    for (int r = 0; r < 3; r++) {
        real turn[3];
        for (int n = 0; n < particles; n++)
            for (int k = 0; k < 3; k++) *j++ = weight[n] * rows->direction[r][k];
        if (!arm) continue;
        nb_lane_cross(arm, rows->direction[r], turn);
        for (int k = 0; k < 3; k++) *j++ = -rows->direction[r][k];
        for (int k = 0; k < 3; k++) *j++ = -turn[k];
    }
}

static void evaluate_contact(nb_step *s, int32_t i, real value[3]) {
    const nb_contact_rows *rows = &s->contacts[rigid_count(s) + i];
    const real *start = s->start + NB_ARM_STRIDE * (ptrdiff_t)(rigid_count(s) + i),
               *weight = s->soft_weight + NB_CONTACT_PARTICLES * (ptrdiff_t)i;
    const int32_t *node = s->soft_node + s->soft_node_start[i];
    const int nodes = (int)(s->soft_node_start[i + 1] - s->soft_node_start[i]);
    const int with_body = node[nodes - 1] < s->nodes.bodies, particles = nodes - with_body;
    real moved[3] = {0, 0, 0}, slip[3] = {0, 0, 0}, arm[3];
    if (with_body) {
        const real *motion = s->motion + s->place[node[particles]];
        nb_lane_advance_contact(motion, s->problem.h, start + 3, start[7], arm, moved);
        nb_lane_velocity_at(motion, arm, slip);
    }
    for (int k = 0; k < 3; k++) {
        real velocity = 0;
        for (int n = 0; n < particles; n++) velocity += weight[n] * s->motion[s->place[node[n]] + k];
        moved[k] = velocity - moved[k];
        slip[k] = velocity - slip[k];
    }
    value[0] = start[6] + nb_lane_dot(rows->direction[0], moved);
    for (int r = 1; r < 3; r++) value[r] = nb_lane_dot(rows->direction[r], slip);
    fill_jacobian(rows, particles, weight, with_body ? arm : NULL, s->soft_value + s->soft_value_start[i]);
}

void nb_step_weigh_soft(nb_step *s) {
    int32_t row = first_row(s), first = s->whole.first[NB_PACK_SOFT];
    nb_sum_block_diagonal(&s->weighing, first, first + s->soft_count, s->diagonal + row);
    for (int32_t i = 0; i < s->soft_count; i++, row += 3) {
        s->w[row] = s->diagonal[row];
        s->w[row + 1] = s->w[row + 2] = (s->diagonal[row + 1] + s->diagonal[row + 2]) / 2;
    }
}

void nb_step_evaluate_soft(nb_step *s) {
    for (int32_t i = 0; i < s->soft_count; i++) evaluate_contact(s, i, s->value + first_row(s) + 3 * (ptrdiff_t)i);
    nb_step_weigh_soft(s);
}

void nb_step_publish_soft(nb_step *s) {
    nb_problem *p = &s->problem;
    p->contacts = s->contact_count;
    if (s->soft_count == 0) return;
    s->ranges[p->range_count++] = (nb_law_range){.law = &s->laws.cone.base,
                                                 .blocks = s->soft_count,
                                                 .first_block = s->whole.first[NB_PACK_SOFT],
                                                 .first_row = first_row(s),
                                                 .first = rigid_count(s)};
}
