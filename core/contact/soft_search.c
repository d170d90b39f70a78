#include "contact/soft_search.h"

#include <stdlib.h>

#include "base/memory.h"

nb_status nb_soft_add(const nb_soft_search *s, const nb_soft_contact *contact) {
    nb_soft_collider *of = s->of;
    nb_status status = NB_RESERVE(of->found_count + 1, &of->found_capacity, &of->found);
    if (status == NB_OK) of->found[of->found_count++] = *contact;
    return status;
}

static int same_corner(const nb_soft_candidate *a, const nb_soft_candidate *b) {
    return a->contact.contact.body_b == b->contact.contact.body_b && a->part == b->part && a->corner == b->corner;
}

/* by corners, and of one corner the nearest face first */
static int compare_candidates(const void *x, const void *y) {
    const nb_soft_candidate *a = x, *b = y;
    if (a->contact.contact.body_b != b->contact.contact.body_b)
        return a->contact.contact.body_b < b->contact.contact.body_b ? -1 : 1;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    if (a->corner != b->corner) return a->corner < b->corner ? -1 : 1;
    double far_a = fabs(a->height), far_b = fabs(b->height);
    if (far_a < far_b || far_b < far_a) return far_a < far_b ? -1 : 1;
    return (a->contact.contact.feature > b->contact.contact.feature) -
           (a->contact.contact.feature < b->contact.contact.feature);
}

nb_status nb_soft_take_candidates(const nb_soft_search *s) {
    nb_soft_collider *of = s->of;
    nb_status status = NB_OK;
    if (of->candidate_count > 1)
        qsort(of->candidates, (size_t)of->candidate_count, sizeof *of->candidates, compare_candidates);
    for (int64_t i = 0; i < of->candidate_count && status == NB_OK; i++) {
        int nearest = i == 0 || !same_corner(&of->candidates[i - 1], &of->candidates[i]);
        if (nearest || of->candidates[i].height >= 0) status = nb_soft_add(s, &of->candidates[i].contact);
    }
    return status;
}
