#include "penalty_contacts.h"

#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "constraint/step.h"
#include "contact/contact.h"

NB_PRECISIONS(f32, f64);

void nb_penalty_contacts_clear(nb_penalty_contacts *c) {
    nb_contacts_destroy(c->found);
    for (int k = 0; k < 2; k++) nb_contacts_destroy(c->list[k]);
    nb_free(c->order);
    nb_free(c->of_item);
    nb_free(c->bodies);
    nb_free(c->particles);
    nb_free(c->velocity);
    *c = (nb_penalty_contacts){0};
}

/* ---- where everything comes to be ---- */

static nb_vec3 vector_at(const real *u) {
    return nb_vec3_of((double)u[0], (double)u[1], (double)u[2]);
}

static nb_status move_world(nb_penalty_contacts *c, const nb_world *world, const nb_problem *p, double h) {
    nb_status status;
    NB_TRY(NB_RESERVE(world->body_count, &c->body_capacity, &c->bodies));
    NB_TRY(NB_RESERVE(world->particle_count, &c->particle_capacity, &c->particles));
    for (int32_t i = 0; i < world->body_count; i++) {
        const real *u = p->u + p->nodes->velocity[i];
        nb_body *body = &c->bodies[i];
        *body = world->bodies[i];
        if (body->kind == NB_BODY_FIXED) continue;
        body->position = nb_add_scaled(body->position, h, vector_at(u));
        body->orientation = nb_quat_advance(body->orientation, h, vector_at(u + 3));
    }
    for (int32_t i = 0; i < world->particle_count; i++) {
        nb_particle *particle = &c->particles[i];
        *particle = world->particles[i];
        if (particle->kind != NB_BODY_FIXED)
            particle->position =
                nb_add_scaled(particle->position, h, vector_at(p->u + p->nodes->velocity[p->nodes->bodies + i]));
    }
out:
    return status;
}

/* ---- rows that say so ---- */

/* The point of a body such that the step's arm is that at the end: as it is, or, where arms turn, turned back. */
static nb_vec3 point_at_start(const nb_body *start, const nb_body *end, nb_vec3 point, int turns) {
    if (start->kind == NB_BODY_FIXED) return point;
    nb_vec3 arm = nb_sub(point, end->position);
    if (turns) arm = nb_quat_rotate(start->orientation, nb_quat_rotate(nb_quat_conjugate(end->orientation), arm));
    return nb_add(start->position, arm);
}

static nb_vec3 velocity_of(const nb_penalty_contacts *c, const nb_problem *p, int32_t body, nb_vec3 point) {
    const real *u = p->u + p->nodes->velocity[body];
    return nb_add(vector_at(u), nb_cross(vector_at(u + 3), nb_sub(point, c->bodies[body].position)));
}

/* of the contact's first point against the second one */
static nb_vec3 slip_of(const nb_penalty_contacts *c, const nb_problem *p, const nb_contact *at,
                       const nb_contact_side *side) {
    nb_vec3 v = {0, 0, 0};
    for (int k = 0; side && k < side->count; k++)
        v = nb_add_scaled(v, side->weight[k],
                          vector_at(p->u + p->nodes->velocity[p->nodes->bodies + side->particle[k]]));
    if (!side) v = velocity_of(c, p, at->body_a, at->point_a);
    return side && side->second > 0 ? v : nb_sub(v, velocity_of(c, p, at->body_b, at->point_b));
}

/* a contact that was found at the end, as a row of the step */
static void bring_back(const nb_penalty_contacts *c, const nb_world *world, const nb_problem *p, double h,
                       nb_contact *at, const nb_contact_side *side) {
    const int turns = !p->contacts_linear;
    const int32_t a = at->body_a, b = at->body_b;
    const nb_vec3 slip = slip_of(c, p, at, side);
    if (!side) at->point_a = point_at_start(&world->bodies[a], &c->bodies[a], at->point_a, turns);
    if (!side || side->second == 0) at->point_b = point_at_start(&world->bodies[b], &c->bodies[b], at->point_b, turns);
    for (int k = 0; side && k < side->count; k++) {
        const int32_t i = side->particle[k];
        const nb_vec3 way = nb_sub(c->particles[i].position, world->particles[i].position);
        const int first = k < side->count - side->second;
        nb_vec3 *point = first ? &at->point_a : &at->point_b;
        *point = nb_add_scaled(*point, first ? -side->weight[k] : side->weight[k], way);
    }
    if (turns)
        at->gap = nb_dot(at->normal, nb_sub(at->point_a, at->point_b)) - world->settings.contact_thickness;
    else
        at->gap -= h * nb_dot(at->normal, slip);
}

/* ---- names ---- */

static int compare(const nb_contact *x, const nb_contact *y) {
    if (x->body_a != y->body_a) return x->body_a < y->body_a ? -1 : 1;
    if (x->body_b != y->body_b) return x->body_b < y->body_b ? -1 : 1;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

static nb_status keep_order(nb_penalty_contacts *c, const nb_step *step) {
    nb_status status;
    c->before = nb_step_contacts(step);
    c->order_count = c->before->count;
    NB_TRY(NB_RESERVE(c->order_count, &c->order_capacity, &c->order));
    NB_TRY(NB_RESERVE(c->order_count, &c->item_capacity, &c->of_item));
    if (c->order_count > 0) memcpy(c->order, nb_step_contact_order(step), (size_t)c->order_count * sizeof *c->order);
out:
    return status;
}

static int are_same(const nb_penalty_contacts *c, const nb_step *step) {
    const nb_contacts *now = nb_step_contacts(step);
    const int32_t *order = nb_step_contact_order(step);
    if (now->count != c->before->count || now->soft_count != c->before->soft_count) return 0;
    for (int32_t i = 0; i < now->count; i++)
        if (order[i] != c->order[i] || compare(&now->items[i], &c->before->items[i]) != 0) return 0;
    for (int32_t i = 0; i < now->soft_count; i++) {
        const nb_contact_side *x = &now->sides[i], *y = &c->before->sides[i];
        if (x->count != y->count || memcmp(x->particle, y->particle, (size_t)x->count * sizeof *x->particle) != 0)
            return 0;
    }
    return 1;
}

void nb_penalty_contacts_carry(nb_penalty_contacts *c, nb_problem *p, const real *from, real *to) {
    const nb_step *step = nb_step_of(p);
    const nb_contacts *now = nb_step_contacts(step), *before = c->before;
    const int32_t *order = nb_step_contact_order(step);
    for (int32_t i = 0; i < before->count; i++) c->of_item[c->order[i]] = from[i];
    for (int32_t i = 0; i < now->count; i++) {
        int32_t low = 0, high = before->count;
        while (high - low > 1) {
            const int32_t middle = low + (high - low) / 2;
            if (compare(&before->items[middle], &now->items[order[i]]) <= 0)
                low = middle;
            else
                high = middle;
        }
        to[i] = before->count > 0 && compare(&before->items[low], &now->items[order[i]]) == 0 ? c->of_item[low] : R(0);
    }
}

/* ---- the whole ---- */

/* whether contact i of those before the last find is to stay, of which found's are from *k on */
static int is_lost(const nb_contacts *before, int32_t i, const nb_contacts *found, int32_t *k) {
    while (*k < found->count && compare(&found->items[*k], &before->items[i]) < 0) ++*k;
    return *k == found->count || compare(&found->items[*k], &before->items[i]) != 0;
}

static void append(const nb_contacts *from, int32_t i, nb_contacts *list) {
    const nb_contact_side *side = nb_contacts_side(from, i);
    list->items[list->count++] = from->items[i];
    if (side) list->sides[list->soft_count++] = *side;
}

/* What was found, as rows of the step, and where `keep` is 1 what the step had besides: both are sorted. */
static nb_status make_list(const nb_penalty_contacts *c, const nb_world *world, const nb_problem *p, double h, int keep,
                           nb_contacts *list) {
    const nb_contacts *found = c->found, *before = c->before;
    const int32_t kept = keep ? before->count : 0, soft_kept = keep ? before->soft_count : 0;
    nb_status status;
    NB_TRY(NB_RESERVE((int64_t)found->count + kept, &list->capacity, &list->items));
    NB_TRY(NB_RESERVE((int64_t)found->soft_count + soft_kept, &list->side_capacity, &list->sides));
    list->count = list->soft_count = 0;
    for (int32_t i = 0, j = 0, k = 0; i < found->count || j < kept;) {
        if (j < kept && (i == found->count || compare(&before->items[j], &found->items[i]) <= 0)) {
            if (is_lost(before, j, found, &k)) append(before, j, list);
            j++;
            continue;
        }
        append(found, i, list);
        bring_back(c, world, p, h, &list->items[list->count - 1], nb_contacts_side(found, i++));
    }
out:
    return status;
}

nb_status nb_penalty_contacts_find(nb_penalty_contacts *c, nb_problem *p, nb_measure *measure, double tolerance,
                                   int keep, int *same) {
    nb_step *step = nb_step_of(p);
    nb_status status;
    double h;
    const nb_world *world = nb_step_world(step, &h);
    nb_world moved = *world;
    if (!c->found) NB_TRY(nb_contacts_create(&c->found));
    for (int k = 0; k < 2; k++)
        if (!c->list[k]) NB_TRY(nb_contacts_create(&c->list[k]));
    NB_TRY(keep_order(c, step));
    NB_TRY(move_world(c, world, p, h));
    nb_contacts *list = c->list[c->now = !c->now];
    moved.bodies = c->bodies;
    moved.particles = c->particles;
    moved.settings.contact_margin = fmax(moved.settings.contact_margin, tolerance);
    NB_TRY(nb_contacts_detect(&moved, 0, c->found));
    NB_TRY(make_list(c, world, p, h, keep, list));
    NB_TRY(NB_RESERVE(p->velocities, &c->velocity_capacity, &c->velocity));
    memcpy(c->velocity, p->u, (size_t)p->velocities * sizeof *p->u);
    NB_TRY(nb_step_set_contacts(step, list));
    memcpy(p->u, c->velocity, (size_t)p->velocities * sizeof *p->u);
    NB_TRY(nb_measure_set_contacts(measure, list));
    *same = are_same(c, step);
out:
    return status;
}

nb_status nb_penalty_contacts_depth(nb_penalty_contacts *c, nb_problem *p, double *depth) {
    nb_status status;
    double h;
    const nb_world *world = nb_step_world(nb_step_of(p), &h);
    nb_world moved = *world;
    if (!c->found) NB_TRY(nb_contacts_create(&c->found));
    NB_TRY(move_world(c, world, p, h));
    moved.bodies = c->bodies;
    moved.particles = c->particles;
    NB_TRY(nb_contacts_deepest(&moved, c->found, depth));
out:
    return status;
}
