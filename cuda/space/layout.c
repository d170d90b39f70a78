#include "layout.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64, mixed);

nb_status nb_layout_create(nb_layout **layout) {
    return NB_ALLOCATE(1, layout);
}

void nb_layout_destroy(nb_layout *layout) {
    if (!layout) return;
    nb_free(layout->image);
    nb_free(layout->rank);
    nb_free(layout->number);
    nb_free(layout);
}

/* ---- places ---- */

/* the parts that the image holds */
static void place_image(nb_arena *a, nb_view *v) {
    NB_PLACE(a, v->rows, &v->place);
    NB_PLACE(a, v->contact_stride, &v->contact_a);
    NB_PLACE(a, v->contact_stride, &v->contact_b);
    NB_PLACE(a, v->contact_stride, &v->contact_source);
    NB_PLACE(a, v->joint_stride, &v->joint_a);
    NB_PLACE(a, v->joint_stride, &v->joint_b);
    NB_PLACE(a, v->bodies + 1, &v->contact_start);
    NB_PLACE(a, v->contact_sides, &v->contact_list);
    NB_PLACE(a, v->bodies + 1, &v->joint_start);
    NB_PLACE(a, v->joint_sides, &v->joint_list);
    NB_PLACE(a, 7 * (int64_t)v->body_stride, &v->inverse_mass);
}

/* the parts behind it */
static void place_rest(nb_arena *a, nb_view *v) {
    int64_t contacts = v->contact_stride, joint_rows = v->joint_stride, length = nb_view_length(v);
    NB_PLACE(a, v->contacts, &v->contact_rows);
    NB_PLACE(a, v->joint_rows, &v->joint_row_source);
    NB_PLACE(a, 6 * contacts, &v->frame);
    NB_PLACE(a, 6 * contacts, &v->arm);
    NB_PLACE(a, 12 * joint_rows, &v->row);
    NB_PLACE(a, 3 * (int64_t)v->contact_sides, &v->side_arm);
    NB_PLACE(a, 6 * (int64_t)v->joint_sides, &v->side_row);
    NB_PLACE(a, length, &v->s);
    NB_PLACE(a, length, &v->c);
    NB_PLACE(a, v->rows, &v->root);
    NB_PLACE(a, length, &v->force);
    NB_PLACE(a, NB_VELOCITY_NUMBERS * (v->bodies + (int64_t)1), &v->velocity);
    for (int k = 0; k < 3; k++) NB_PLACE(a, v->rows, &v->row_values[k]);
    NB_PLACE(a, 2, &v->slots);
    NB_PLACE(a, NB_SUMS * NB_MOST_BLOCKS, &v->partial_sums);
}

nb_view nb_layout_bind(const nb_layout *layout, void *memory) {
    nb_view v = layout->counts;
    nb_arena a = {.memory = memory, .alignment = NB_DEVICE_ALIGNMENT};
    place_image(&a, &v);
    place_rest(&a, &v);
    return v;
}

int32_t nb_layout_place_of(const nb_layout *l, int32_t block) {
    const nb_view *v = &l->counts;
    return block < v->joint_rows ? v->contact_stride + block : l->number[block - v->joint_rows];
}

/* ---- lists ---- */

static int32_t padded(int32_t count) {
    return (count + NB_WARP - 1) / NB_WARP * NB_WARP;
}

/* a body's number; `bodies` for the world and whatever has no mass */
static int32_t number_of(const nb_layout *l, int32_t body) {
    int32_t rank = body < 0 ? 0 : l->rank[body];
    return rank > 0 ? rank - 1 : l->counts.bodies;
}

static const nb_contact_rows *contacts_of(const nb_rigid_rows *source) {
    return source->contacts;
}

static const nb_jacobian_row *joint_rows_of(const nb_rigid_rows *source) {
    return source->joint_rows;
}

static void count_all(nb_layout *l, const nb_rigid_rows *source) {
    nb_view *v = &l->counts;
    *v = (nb_view){.rows = source->joint_row_count + 3 * source->contact_count,
                   .contacts = source->contact_count,
                   .joint_rows = source->joint_row_count,
                   .bodies = source->dynamic_count};
    v->contact_stride = padded(v->contacts);
    v->joint_stride = padded(v->joint_rows);
    v->body_stride = padded(v->bodies);
    for (int32_t i = 0; i < v->contacts; i++)
        v->contact_sides +=
            (number_of(l, contacts_of(source)[i].a) < v->bodies) + (number_of(l, contacts_of(source)[i].b) < v->bodies);
    for (int32_t j = 0; j < v->joint_rows; j++)
        v->joint_sides += (number_of(l, joint_rows_of(source)[j].a) < v->bodies) +
                          (number_of(l, joint_rows_of(source)[j].b) < v->bodies);
}

/* Contacts by the lower of their bodies, in the source's order where that is one; `start` is scratch. */
static void order_contacts(nb_layout *l, const nb_rigid_rows *source) {
    nb_view *v = &l->counts;
    int32_t *start = v->contact_start, begin = 0;
    memset(start, 0, ((size_t)v->bodies + 1) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < v->contacts; i++) {
            int32_t a = number_of(l, contacts_of(source)[i].a), b = number_of(l, contacts_of(source)[i].b);
            int32_t *slot = &start[a < b ? a : b];
            if (pass == 0)
                ++*slot;
            else
                l->number[i] = (*slot)++;
        }
        for (int32_t k = 0; pass == 0 && k <= v->bodies; k++) {
            int32_t count = start[k];
            start[k] = begin;
            begin += count;
        }
    }
}

static void place_contacts(nb_layout *l, const nb_rigid_rows *source) {
    nb_view *v = &l->counts;
    for (int32_t i = v->contacts; i < v->contact_stride; i++) {
        v->contact_a[i] = v->contact_b[i] = v->bodies;
        v->contact_source[i] = 0;
    }
    for (int32_t i = 0; i < v->contacts; i++) {
        int32_t at = l->number[i];
        v->contact_a[at] = number_of(l, contacts_of(source)[i].a);
        v->contact_b[at] = number_of(l, contacts_of(source)[i].b);
        v->contact_source[at] = i;
        for (int k = 0; k < 3; k++) v->place[v->joint_rows + 3 * i + k] = k * v->contact_stride + at;
    }
}

static void place_joint_rows(nb_layout *l, const nb_rigid_rows *source) {
    nb_view *v = &l->counts;
    for (int32_t j = 0; j < v->joint_stride; j++) {
        int idle = j >= v->joint_rows;
        v->joint_a[j] = idle ? v->bodies : number_of(l, joint_rows_of(source)[j].a);
        v->joint_b[j] = idle ? v->bodies : number_of(l, joint_rows_of(source)[j].b);
        if (!idle) v->place[j] = 3 * v->contact_stride + j;
    }
}

/* the sides of `count` constraints between bodies a and b, listed by body */
static void list_sides(int32_t count, const int32_t *a, const int32_t *b, int32_t bodies, int32_t *start,
                       int32_t *list) {
    int32_t begin = 0;
    memset(start, 0, ((size_t)bodies + 1) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < 2 * count; i++) {
            int32_t body = i % 2 ? b[i / 2] : a[i / 2];
            if (body == bodies) continue;
            if (pass == 0)
                start[body]++;
            else
                list[start[body]++] = i;
        }
        for (int32_t k = 0; pass == 0 && k < bodies; k++) {
            int32_t entries = start[k];
            start[k] = begin;
            begin += entries;
        }
    }
    memmove(start + 1, start, (size_t)bodies * sizeof *start); /* each is where the next one begins */
    start[0] = 0;
}

static void place_masses(const nb_view *v, const nb_rigid_rows *source) {
    for (int32_t i = 0; i < v->body_stride; i++) {
        static const nb_inverse_mass none;
        const nb_inverse_mass *m = i < v->bodies ? &source->inverse[source->dynamic[i]] : &none;
        for (int k = 0; k < 7; k++) v->inverse_mass[k * (int64_t)v->body_stride + i] = m->numbers[k];
    }
}

nb_status nb_layout_make(nb_layout *l, const nb_rigid_rows *source) {
    nb_status status;
    nb_view *v = &l->counts;
    nb_arena all = {.alignment = NB_DEVICE_ALIGNMENT}, image = all;
    status = NB_RESERVE(source->bodies, &l->rank_capacity, &l->rank);
    if (status != NB_OK) return status;
    NB_TRY(NB_RESERVE(source->contact_count, &l->number_capacity, &l->number));
    v->bodies = source->dynamic_count;
    for (int32_t i = 0; i < source->dynamic_count; i++) l->rank[source->dynamic[i]] = i + 1;
    count_all(l, source);
    place_image(&all, v);
    l->image_bytes = all.used;
    place_rest(&all, v);
    l->bytes = all.used;
    NB_TRY(NB_RESERVE(l->image_bytes, &l->image_capacity, &l->image));
    image.memory = l->image;
    place_image(&image, v);
    order_contacts(l, source);
    place_contacts(l, source);
    place_joint_rows(l, source);
    list_sides(v->contacts, v->contact_a, v->contact_b, v->bodies, v->contact_start, v->contact_list);
    list_sides(v->joint_rows, v->joint_a, v->joint_b, v->bodies, v->joint_start, v->joint_list);
    place_masses(v, source);
out:
    for (int32_t i = 0; i < source->dynamic_count; i++) l->rank[source->dynamic[i]] = 0;
    return status;
}
