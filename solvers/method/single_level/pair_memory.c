#include "pair_memory.h"

#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

void nb_pair_memory_forget(nb_pair_memory *m) {
    m->count = 0;
}

void nb_pair_memory_clear(nb_pair_memory *m) {
    nb_free(m->of);
    nb_free(m->first);
    nb_free(m->x);
    *m = (nb_pair_memory){0};
}

nb_status nb_pair_memory_keep(nb_pair_memory *m, const nb_pair_problem *s) {
    nb_status status;
    int64_t numbers = 0;
    for (int32_t i = 0; i < s->found.count; i++) numbers += s->pairs[i].size;
    nb_pair_memory_forget(m);
    NB_TRY(NB_RESERVE(s->found.count, &m->of_capacity, &m->of));
    NB_TRY(NB_RESERVE((int64_t)s->found.count + 1, &m->first_capacity, &m->first));
    NB_TRY(NB_RESERVE(numbers, &m->x_capacity, &m->x));
    m->first[0] = 0;
    for (int32_t i = 0; i < s->found.count; i++) {
        const nb_contact_pair *pair = &s->pairs[i];
        nb_vec3 way = s->body[pair->body[0]].way;
        double *x = m->x + m->first[i];
        memcpy(x, pair->x, (size_t)pair->size * sizeof *x);
        x[0] -= way.x;
        x[1] -= way.y;
        x[2] -= way.z;
        m->of[i] = s->found.items[i];
        m->first[i + 1] = m->first[i] + pair->size;
    }
    m->count = s->found.count;
    m->numbers = numbers;
    m->length = s->length;
    m->speed = s->speed;
out:
    return status;
}

int nb_pair_memory_recall(const nb_pair_memory *m, const nb_pair_problem *s, int32_t i, double more) {
    nb_contact_pair *pair = &s->pairs[i];
    int64_t low = 0, high = m->count;
    if (m->count == 0 || m->length != s->length || m->speed != s->speed) return 0;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (nb_set_pair_compare(&m->of[middle], &s->found.items[i]) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == m->count || nb_set_pair_compare(&m->of[low], &s->found.items[i]) != 0) return 0;
    if (m->first[low + 1] - m->first[low] != pair->size) return 0;
    int32_t first = pair->apart ? pair->gamma : 0;
    memcpy(pair->x + first, m->x + m->first[low] + first, (size_t)(pair->size - first) * sizeof *pair->x);
    nb_contact_pair_widen(pair, more);
    return 1;
}

nb_status nb_pair_memory_save(const nb_pair_memory *m, nb_stream *stream) {
    nb_status status;
    int64_t there = m->count > 0;
    NB_TRY(nb_stream_put(stream, &m->length, sizeof m->length));
    NB_TRY(nb_stream_put(stream, &m->speed, sizeof m->speed));
    NB_TRY(nb_stream_put_array(stream, m->count, sizeof *m->of, m->of));
    NB_TRY(nb_stream_put_array(stream, there ? m->count + 1 : 0, sizeof *m->first, m->first));
    NB_TRY(nb_stream_put_array(stream, there ? m->numbers : 0, sizeof *m->x, m->x));
out:
    return status;
}

nb_status nb_pair_memory_load(nb_pair_memory *m, nb_stream *stream) {
    nb_status status;
    int64_t places;
    NB_TRY(nb_stream_get(stream, &m->length, sizeof m->length));
    NB_TRY(nb_stream_get(stream, &m->speed, sizeof m->speed));
    NB_TRY(nb_stream_get_array(stream, &m->count, sizeof *m->of, &m->of_capacity, &m->of));
    NB_TRY(nb_stream_get_array(stream, &places, sizeof *m->first, &m->first_capacity, &m->first));
    NB_TRY(nb_stream_get_array(stream, &m->numbers, sizeof *m->x, &m->x_capacity, &m->x));
out:
    return status;
}
