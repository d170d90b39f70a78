#include "warm_start.h"

#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

enum {
    MANY = 1000 /* contacts: from here on their memory counts for more than the time to take it anew */
};

void nb_warm_start_clear(nb_warm_start *w) {
    nb_free(w->contacts);
    nb_free(w->bilaterals);
    nb_free(w->added);
    *w = (nb_warm_start){0};
}

int32_t nb_added_rows(const nb_problem *p) {
    return p->rows - p->bilaterals - 3 * p->contacts;
}

static int compare_keys(const nb_contact_memory *m, const nb_contact *c) {
    if (m->body_a != c->body_a) return m->body_a < c->body_a ? -1 : 1;
    if (m->body_b != c->body_b) return m->body_b < c->body_b ? -1 : 1;
    return m->feature < c->feature ? -1 : m->feature > c->feature;
}

/* impulses of contacts that were there in the last step; both lists are sorted alike */
static void recall_contacts(const nb_warm_start *w, const nb_step *step, const nb_contacts *contacts, nb_problem *p) {
    const int32_t *order = nb_step_contact_order(step);
    for (int32_t i = 0; i < p->contacts; i++) {
        const nb_contact *contact = &contacts->items[order[i]];
        int32_t low = 0, high = w->contact_count;
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            if (compare_keys(&w->contacts[middle], contact) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < w->contact_count && compare_keys(&w->contacts[low], contact) == 0)
            memcpy(p->z + p->bilaterals + 3 * (ptrdiff_t)i, w->contacts[low].z, 3 * sizeof(real));
    }
}

void nb_warm_start_recall(const nb_warm_start *w, const nb_step *step, const nb_contacts *contacts, nb_problem *p) {
    const int32_t *joints = nb_step_bilateral_order(step);
    recall_contacts(w, step, contacts, p);
    for (int32_t i = 0; w->bilateral_count == p->bilaterals && i < p->bilaterals; i++)
        p->z[i] = w->bilaterals[joints[i]];
    if (w->added_count > 0 && w->added_count == nb_added_rows(p))
        memcpy(p->z + (p->rows - w->added_count), w->added, (size_t)w->added_count * sizeof *w->added);
}

nb_status nb_warm_start_remember(nb_warm_start *w, const nb_step *step, const nb_contacts *contacts,
                                 const nb_problem *p) {
    nb_status status;
    const int32_t *order = nb_step_contact_order(step), *joints = nb_step_bilateral_order(step);
    NB_TRY(NB_RESERVE(p->contacts, &w->contact_capacity, &w->contacts));
    NB_TRY(NB_RESERVE(p->bilaterals, &w->bilateral_capacity, &w->bilaterals));
    w->contact_count = p->contacts;
    w->bilateral_count = p->bilaterals;
    for (int32_t i = 0; i < p->contacts; i++) {
        const nb_contact *contact = &contacts->items[order[i]];
        nb_contact_memory *m = &w->contacts[order[i]];
        *m = (nb_contact_memory){contact->body_a, contact->body_b, contact->feature, {0}};
        memcpy(m->z, p->z + p->bilaterals + 3 * (ptrdiff_t)i, sizeof m->z);
    }
    for (int32_t i = 0; i < p->bilaterals; i++) w->bilaterals[joints[i]] = p->z[i];
    w->added_count = nb_added_rows(p);
    NB_TRY(NB_RESERVE(w->added_count, &w->added_capacity, &w->added));
    memcpy(w->added, p->z + (p->rows - w->added_count), (size_t)w->added_count * sizeof *w->added);
out:
    return status;
}

void nb_warm_start_release(nb_warm_start *w) {
    if (w->contact_count < MANY) return;
    nb_free(w->contacts);
    w->contacts = NULL;
    w->contact_count = 0;
    w->contact_capacity = 0;
}

static nb_status put_reals(nb_stream *stream, int32_t count, const real *values) {
    nb_status status = nb_stream_put(stream, &count, sizeof count);
    for (int32_t i = 0; status == NB_OK && i < count; i++) {
        const double value = (double)values[i];
        status = nb_stream_put(stream, &value, sizeof value);
    }
    return status;
}

static nb_status get_reals(nb_stream *stream, int32_t *count, int64_t *capacity, real **values) {
    nb_status status;
    double value;
    *count = 0;
    int32_t stored;
    NB_TRY(nb_stream_get(stream, &stored, sizeof stored));
    if (stored < 0 || stored > stream->left / (int64_t)sizeof value)
        return nb_fail(NB_ERROR_INPUT, "%s: %d impulses cannot be there", stream->path, (int)stored);
    NB_TRY(NB_RESERVE(stored, capacity, values));
    for (; *count < stored; ++*count) {
        NB_TRY(nb_stream_get(stream, &value, sizeof value));
        (*values)[*count] = (real)value;
    }
out:
    return status;
}

/* Field by field: the padding of a struct has no defined value. */
nb_status nb_warm_start_save(const nb_warm_start *w, nb_stream *stream) {
    nb_status status;
    NB_TRY(put_reals(stream, w->bilateral_count, w->bilaterals));
    NB_TRY(put_reals(stream, w->added_count, w->added));
    NB_TRY(nb_stream_put(stream, &w->contact_count, sizeof w->contact_count));
    for (int32_t i = 0; i < w->contact_count; i++) {
        const nb_contact_memory *m = &w->contacts[i];
        const double z[3] = {(double)m->z[0], (double)m->z[1], (double)m->z[2]};
        NB_TRY(nb_stream_put(stream, &m->body_a, sizeof m->body_a));
        NB_TRY(nb_stream_put(stream, &m->body_b, sizeof m->body_b));
        NB_TRY(nb_stream_put(stream, &m->feature, sizeof m->feature));
        NB_TRY(nb_stream_put(stream, z, sizeof z));
    }
out:
    return status;
}

nb_status nb_warm_start_load(nb_warm_start *w, nb_stream *stream) {
    nb_status status;
    double z[3];
    int32_t stored;
    const int64_t bytes = 2 * sizeof stored + sizeof w->contacts->feature + sizeof z;
    w->contact_count = 0;
    NB_TRY(get_reals(stream, &w->bilateral_count, &w->bilateral_capacity, &w->bilaterals));
    NB_TRY(get_reals(stream, &w->added_count, &w->added_capacity, &w->added));
    NB_TRY(nb_stream_get(stream, &stored, sizeof stored));
    if (stored < 0 || stored > stream->left / bytes)
        return nb_fail(NB_ERROR_INPUT, "%s: %d contacts cannot be there", stream->path, (int)stored);
    NB_TRY(NB_RESERVE(stored, &w->contact_capacity, &w->contacts));
    for (; w->contact_count < stored; w->contact_count++) {
        nb_contact_memory *m = &w->contacts[w->contact_count];
        NB_TRY(nb_stream_get(stream, &m->body_a, sizeof m->body_a));
        NB_TRY(nb_stream_get(stream, &m->body_b, sizeof m->body_b));
        NB_TRY(nb_stream_get(stream, &m->feature, sizeof m->feature));
        NB_TRY(nb_stream_get(stream, z, sizeof z));
        for (int k = 0; k < 3; k++) m->z[k] = (real)z[k];
    }
out:
    return status;
}
