#include "contact/impacts.h"

#include "base/memory.h"

void nb_impacts_clear(nb_impacts *i) {
    nb_free(i->closed);
    nb_free(i->noted);
    *i = (nb_impacts){0};
}

void nb_impacts_begin(nb_impacts *i) {
    i->noted_count = 0;
    i->differs = 0;
    i->left = i->closed_count;
}

static int compare(const nb_impact_key *a, const nb_impact_key *b) {
    if (a->body_a != b->body_a) return a->body_a < b->body_a ? -1 : 1;
    if (a->body_b != b->body_b) return a->body_b < b->body_b ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

static int was_closed(const nb_impacts *i, const nb_impact_key *key) {
    int64_t low = 0, high = i->closed_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (compare(&i->closed[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < i->closed_count && compare(&i->closed[low], key) == 0;
}

nb_status nb_impacts_note(nb_impacts *i, int32_t body_a, int32_t body_b, uint64_t feature, nb_closure closure) {
    nb_status status;
    const nb_impact_key key = {body_a, body_b, feature};
    const int was = was_closed(i, &key), is = closure == NB_CONTACT_CLOSED || (closure == NB_CONTACT_EITHER && was);
    i->left -= was;
    i->differs |= was != is;
    if (!is) return NB_OK;
    NB_TRY(NB_RESERVE(i->noted_count + 1, &i->noted_capacity, &i->noted));
    i->noted[i->noted_count++] = key;
out:
    return status;
}

int nb_impacts_differ(const nb_impacts *i) {
    return i->differs || i->left > 0;
}

void nb_impacts_end_step(nb_impacts *i) {
    nb_impact_key *const keys = i->closed;
    const int64_t capacity = i->closed_capacity;
    i->closed = i->noted;
    i->closed_count = i->noted_count;
    i->closed_capacity = i->noted_capacity;
    i->noted = keys;
    i->noted_count = 0;
    i->noted_capacity = capacity;
}

nb_status nb_impacts_save(const nb_impacts *i, nb_stream *stream) {
    return nb_stream_put_array(stream, i->closed_count, sizeof *i->closed, i->closed);
}

nb_status nb_impacts_load(nb_impacts *i, nb_stream *stream) {
    return nb_stream_get_array(stream, &i->closed_count, sizeof *i->closed, &i->closed_capacity, &i->closed);
}
