#include "contact/soft_contacts.h"

#include <stdlib.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "contact/soft_search.h"

/* false for NaN and for numbers whose squares would overflow */
static int is_measurable(nb_vec3 v) {
    return fabs(v.x) < 1e100 && fabs(v.y) < 1e100 && fabs(v.z) < 1e100;
}

static nb_status check_particles(const nb_soft_search *s) {
    for (int32_t i = 0; i < s->of->surface.point_count; i++) {
        const nb_particle *p = &s->world->particles[s->of->surface.points[i]];
        if (!is_measurable(p->position) || !is_measurable(p->velocity))
            return nb_fail(NB_ERROR_NUMERIC, "particle %d has no finite place or velocity at time %g s",
                           (int)s->of->surface.points[i], s->world->time);
    }
    return NB_OK;
}

/* ---- where contacts may be ---- */

static nb_vec3 least(nb_vec3 a, nb_vec3 b) {
    return nb_vec3_of(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static nb_vec3 most(nb_vec3 a, nb_vec3 b) {
    return nb_vec3_of(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

/* points, faces and edges */
static int64_t parts_of(const nb_surface *surface) {
    return (int64_t)surface->point_count + surface->face_count + surface->edge_count;
}

/* Where these particles may be during the step, and half the margin around it. */
static nb_bounds bounds_of(const nb_soft_search *s, int count, const int32_t *particle) {
    nb_bounds box = {0};
    for (int k = 0; k < count; k++) {
        const nb_particle *p = &s->world->particles[particle[k]];
        const double around =
            0.5 * (s->world->settings.contact_margin + s->world->settings.contact_thickness) + p->radius;
        nb_vec3 room = {around, around, around}, end = nb_add_scaled(p->position, s->h, nb_soft_velocity(s, p));
        nb_vec3 low = nb_sub(least(p->position, end), room), high = nb_add(most(p->position, end), room);
        box.low = k ? least(box.low, low) : low;
        box.high = k ? most(box.high, high) : high;
        box.active |= p->kind == NB_BODY_DYNAMIC;
    }
    return box;
}

/* The boxes of pieces, then those of points, faces (as deep as their tetrahedra) and edges. Their groups are apart from
 * those of bodies, and of each point and edge its own, since they touch each other. */
static nb_status find_bounds(const nb_soft_search *s) {
    const nb_surface *surface = &s->of->surface;
    nb_status status = NB_RESERVE(s->pieces->count + parts_of(surface), &s->of->bounds_capacity, &s->of->bounds);
    if (status != NB_OK) return status;
    nb_bounds *next = s->of->bounds;
    for (int32_t i = 0; i < s->pieces->count; i++) *next++ = s->pieces->bounds[i];
    nb_bounds *first = next;
    for (int32_t i = 0; i < surface->point_count; i++) *next++ = bounds_of(s, 1, &surface->points[i]);
    for (int32_t i = 0; i < surface->face_count; i++)
        *next++ = bounds_of(s, nb_surface_of_sheet(&surface->faces[i]) ? 3 : 4, surface->faces[i].particle);
    for (int32_t i = 0; i < surface->edge_count; i++) *next++ = bounds_of(s, 2, surface->edges[i].particle);
    for (int32_t i = 0; first + i < next; i++) first[i].group = -1 - i;
    return NB_OK;
}

static nb_status update_trees(const nb_soft_search *s) {
    nb_status status;
    nb_soft_collider *of = s->of;
    const nb_surface *surface = &of->surface;
    const int32_t points = s->pieces->count, faces = points + surface->point_count, edges = faces + surface->face_count;
    NB_TRY(nb_box_tree_update(&of->pieces, 0, s->pieces->count, of->bounds));
    NB_TRY(nb_box_tree_update(&of->points, points, surface->point_count, of->bounds));
    NB_TRY(nb_box_tree_update(&of->faces, faces, surface->face_count, of->bounds));
    NB_TRY(nb_box_tree_update(&of->edges, edges, surface->edge_count, of->bounds));
out:
    return status;
}

/* ---- contacts ---- */

/* the particle against a piece, one of which has mass */
static nb_status collide_point(const nb_soft_search *s, int32_t particle, const nb_piece *piece) {
    const nb_world *world = s->world;
    const nb_particle *p = &world->particles[particle];
    const nb_body *body = &world->bodies[piece->body];
    const nb_piece point = {
        .kind = NB_SHAPE_SPHERE, .body = world->body_count + particle, .centre = p->position, .radius = p->radius};
    const nb_encounter encounter = {
        .a = {.piece = &point, .origin = p->position, .linear = nb_soft_velocity(s, p)},
        .b = nb_piece_moving(world, s->h, piece),
        .margin = world->settings.contact_margin + world->settings.contact_thickness,
        .h = s->h,
        .friction = sqrt(p->friction * body->friction),
        .contacts = s->contacts,
    };
    int32_t before = s->contacts->count;
    if (p->kind != NB_BODY_DYNAMIC && body->kind != NB_BODY_DYNAMIC) return NB_OK;
    nb_status status = nb_encounter_collide(&encounter);
    for (int32_t i = before; i < s->contacts->count && status == NB_OK; i++) {
        const nb_soft_contact found = {s->contacts->items[i], {1, 0, {particle}, {1}}};
        status = nb_soft_add(s, &found);
    }
    s->contacts->count = before; /* it waits with the others */
    return status;
}

/* the i-th of points, faces and edges against a piece */
static nb_status collide_part(const nb_soft_search *s, int32_t i, const nb_piece *piece) {
    const nb_surface *surface = &s->of->surface;
    if (i < surface->point_count) return collide_point(s, surface->points[i], piece);
    i -= surface->point_count;
    return i < surface->face_count ? nb_soft_collide_face(s, i, piece)
                                   : nb_soft_collide_edge(s, i - surface->face_count, piece);
}

static int compare_contacts(const void *x, const void *y) {
    const nb_contact *a = &((const nb_soft_contact *)x)->contact, *b = &((const nb_soft_contact *)y)->contact;
    if (a->body_a != b->body_a) return a->body_a < b->body_a ? -1 : 1;
    if (a->body_b != b->body_b) return a->body_b < b->body_b ? -1 : 1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

/* puts what was found into the list, in order */
static nb_status append_found(const nb_soft_search *s) {
    nb_soft_collider *of = s->of;
    nb_contacts *contacts = s->contacts;
    nb_status status;
    NB_TRY(NB_RESERVE(contacts->count + of->found_count, &contacts->capacity, &contacts->items));
    NB_TRY(NB_RESERVE(of->found_count, &contacts->side_capacity, &contacts->sides));
    if (of->found_count > 1) qsort(of->found, (size_t)of->found_count, sizeof *of->found, compare_contacts);
    for (int64_t i = 0; i < of->found_count; i++) {
        contacts->items[contacts->count++] = of->found[i].contact;
        contacts->sides[contacts->soft_count++] = of->found[i].side;
    }
out:
    return status;
}

static nb_status collide_pieces(const nb_soft_search *s) {
    const nb_surface *surface = &s->of->surface;
    nb_broad_phase *broad = &s->of->broad;
    const nb_pieces *pieces = s->pieces;
    const nb_box_tree *trees[] = {&s->of->points, &s->of->faces, &s->of->edges};
    nb_status status = NB_OK;
    for (int t = 0; t < 3; t++) {
        NB_TRY(nb_broad_phase_between(broad, &s->of->pieces, trees[t], s->of->bounds));
        s->of->tests += broad->tests;
        for (int64_t k = 0; k < broad->pair_count; k++) {
            NB_TRY(nb_interrupt_check());
            NB_TRY(collide_part(s, broad->pairs[k][1] - pieces->count, &pieces->items[broad->pairs[k][0]]));
        }
    }
    for (int32_t k = 0; k < pieces->half_space_count; k++)
        for (int32_t i = 0; i < surface->point_count; i++)
            NB_TRY(collide_point(s, surface->points[i], &pieces->items[pieces->count + k]));
out:
    return status;
}

nb_status nb_soft_contacts_find(nb_soft_collider *collider, const nb_world *world, double h, const nb_pieces *pieces,
                                nb_contacts *contacts) {
    const nb_soft_search s = {collider, world, h, pieces, contacts};
    nb_status status;
    if (world->particle_count == 0) return NB_OK;
    collider->candidate_count = collider->found_count = collider->tests = 0;
    NB_TRY(nb_surface_update(&collider->surface, world));
    if (pieces->count + pieces->half_space_count + collider->surface.face_count == 0) return NB_OK;
    NB_TRY(check_particles(&s));
    NB_TRY(find_bounds(&s));
    NB_TRY(update_trees(&s));
    NB_TRY(collide_pieces(&s));
    NB_TRY(nb_soft_collide_surfaces(&s));
    NB_TRY(nb_soft_take_candidates(&s));
    NB_TRY(append_found(&s));
out:
    return status;
}

void nb_soft_collider_clear(nb_soft_collider *collider) {
    nb_surface_clear(&collider->surface);
    nb_broad_phase_clear(&collider->broad);
    nb_box_tree_clear(&collider->pieces);
    nb_box_tree_clear(&collider->points);
    nb_box_tree_clear(&collider->faces);
    nb_box_tree_clear(&collider->edges);
    nb_free(collider->bounds);
    nb_free(collider->placed_faces);
    nb_free(collider->placed_edges);
    nb_free(collider->candidates);
    nb_free(collider->found);
    *collider = (nb_soft_collider){0};
}
