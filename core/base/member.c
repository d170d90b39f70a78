#include "base/member.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- shapes ---- */

const nb_columns *nb_member_columns(const nb_member *member, const void *owner) {
    return member->columns ? member->columns
                           : (const nb_columns *)(const void *)((const char *)owner + member->own_columns);
}

int nb_member_is_array(const nb_member *member) {
    return member->kind == NB_MEMBER_ARRAY || member->kind == NB_MEMBER_ROWS || member->kind == NB_MEMBER_STARTS ||
           member->kind == NB_MEMBER_LIST || member->kind == NB_MEMBER_STRUCTS;
}

void *nb_member_data(const nb_member *member, const void *owner) {
    const char *place = (const char *)owner + member->offset;
    void *data;
    if (member->in_place) return (void *)(uintptr_t)place;
    memcpy(&data, place, sizeof data);
    return data;
}

size_t nb_member_entry_size(const nb_member *member, const void *owner) {
    if (member->kind == NB_MEMBER_ROWS) return (size_t)nb_member_columns(member, owner)->count * sizeof(double);
    return member->part ? member->part->size : member->size;
}

int nb_member_rank(const nb_member *member) {
    int rank = 0;
    while (rank < NB_MEMBER_MOST_RANK && member->shape[rank].kind != NB_EXTENT_NONE) rank++;
    return rank;
}

int64_t nb_extent_count(const nb_extent *extent, const void *owner) {
    const char *at = (const char *)owner + extent->at;
    int64_t count = 0;
    int32_t narrow;
    switch (extent->kind) {
    case NB_EXTENT_FIXED: count = (int64_t)extent->at; break;
    case NB_EXTENT_COUNT32:
        memcpy(&narrow, at, sizeof narrow);
        count = narrow;
        break;
    case NB_EXTENT_COUNT64: memcpy(&count, at, sizeof count); break;
    case NB_EXTENT_NONE:
    case NB_EXTENT_RAGGED: break;
    }
    return count < 0 || count > INT64_MAX - extent->plus ? -1 : count + extent->plus;
}

const int64_t *nb_extent_starts(const nb_extent *extent, const void *owner) {
    const int64_t *starts;
    memcpy(&starts, (const char *)owner + extent->at, sizeof starts);
    return starts;
}

int64_t nb_member_entries(const nb_member *member, const void *owner, int open) {
    int64_t entries = 1;
    for (int i = 0; i < nb_member_rank(member); i++) {
        const nb_extent *extent = &member->shape[i];
        if (extent->kind == NB_EXTENT_RAGGED) {
            const int64_t *starts = nb_extent_starts(extent, owner);
            entries = starts ? starts[entries + open] : 0;
        } else {
            int64_t count = nb_extent_count(extent, owner);
            if (count < 0 || (entries > 0 && count > INT64_MAX / entries)) return -1;
            entries *= count;
        }
    }
    return member->kind == NB_MEMBER_STARTS ? entries + 2 : entries;
}

int64_t nb_longest_range(const int64_t *start, int64_t ranges) {
    int64_t most = 0;
    for (int64_t i = 0; i < ranges; i++)
        if (start[i + 1] - start[i] > most) most = start[i + 1] - start[i];
    return most;
}

static int part_has_any(const nb_members *members, const void *owner) {
    for (int i = 0; i < members->count; i++)
        if (nb_member_has_any(&members->items[i], owner)) return 1;
    return 0;
}

int nb_member_has_any(const nb_member *member, const void *owner) {
    if (member->kind == NB_MEMBER_PART) return part_has_any(member->part, (const char *)owner + member->offset);
    if (!nb_member_is_array(member) || member->kind == NB_MEMBER_STARTS || !nb_member_data(member, owner)) return 0;
    if (member->kind == NB_MEMBER_ROWS) return nb_member_entries(member, owner, 0) > 0;
    return nb_extent_count(&member->shape[0], owner) > 0;
}

/* ---- memory ---- */

static nb_mapped_array *room_at(const void *owner, size_t offset) {
    return (nb_mapped_array *)(void *)(uintptr_t)((const char *)owner + offset);
}

void nb_member_rest(const nb_member *member, const void *owner) {
    if (member->room) nb_mapped_array_rest(room_at(owner, member->room));
    for (int i = 0; i < nb_member_rank(member); i++)
        if (member->shape[i].room) nb_mapped_array_rest(room_at(owner, member->shape[i].room));
}

static void release(const nb_member *member, void *owner) {
    void *data = nb_member_data(member, owner), *none = NULL;
    if (member->in_place) return;
    if (member->room)
        nb_mapped_array_free(room_at(owner, member->room), data);
    else
        nb_free(data);
    memcpy((char *)owner + member->offset, &none, sizeof none);
}

/* a text of any length */
static int is_text(const nb_member *member) {
    return member->kind == NB_MEMBER_LONG_TEXT || member->kind == NB_MEMBER_VALUES;
}

static void release_all(const nb_members *members, void *owner) {
    for (int i = 0; i < members->count; i++) {
        const nb_member *member = &members->items[i];
        if (member->kind == NB_MEMBER_PART) release_all(member->part, (char *)owner + member->offset);
        if (member->kind == NB_MEMBER_STRUCTS) {
            char *items = nb_member_data(member, owner);
            for (int64_t k = 0; items && k < nb_member_entries(member, owner, 0); k++)
                release_all(member->part, items + (size_t)k * member->part->size);
        }
        if (is_text(member) || nb_member_is_array(member)) release(member, owner);
    }
}

void nb_members_clear(const nb_members *members, void *owner) {
    release_all(members, owner);
    memset(owner, 0, members->size);
}

void nb_member_take(const nb_member *member, void *owner, int64_t entries, void *data) {
    release(member, owner);
    memcpy((char *)owner + member->offset, &data, sizeof data);
    if (member->room) /* it grows along its first extent */
        room_at(owner, member->room)->capacity =
            member->kind == NB_MEMBER_ARRAY ? nb_extent_count(&member->shape[0], owner) : entries;
}

nb_status nb_member_make(const nb_member *member, void *owner, int64_t entries, void **data) {
    *data = nb_member_data(member, owner);
    if (member->in_place) return NB_OK;
    nb_status status = nb_allocate(entries, nb_member_entry_size(member, owner), data);
    if (status == NB_OK) nb_member_take(member, owner, entries, *data);
    return status;
}

nb_status nb_members_allocate(const nb_members *members, void *owner) {
    nb_status status = NB_OK;
    void *data;
    for (int i = 0; i < members->count; i++) {
        const nb_member *member = &members->items[i];
        if (member->kind == NB_MEMBER_PART)
            NB_TRY(nb_members_allocate(member->part, (char *)owner + member->offset));
        else if (nb_member_is_array(member))
            NB_TRY(nb_member_make(member, owner, nb_member_entries(member, owner, 0), &data));
    }
out:
    return status;
}

/* forgets the arrays of another structure that was copied as it is */
static void disown(const nb_members *members, void *owner) {
    void *none = NULL;
    for (int i = 0; i < members->count; i++) {
        const nb_member *member = &members->items[i];
        if (member->kind == NB_MEMBER_PART) disown(member->part, (char *)owner + member->offset);
        if (member->room) memset((char *)owner + member->room, 0, sizeof(nb_mapped_array));
        if (is_text(member) || (nb_member_is_array(member) && !member->in_place))
            memcpy((char *)owner + member->offset, &none, sizeof none);
    }
}

static nb_status copy_array(const nb_member *member, const void *from, void *to) {
    const void *source = nb_member_data(member, from);
    int64_t entries = nb_member_entries(member, from, 1);
    void *data;
    if (!source || member->in_place) return NB_OK;
    nb_status status = nb_member_make(member, to, entries, &data);
    if (status == NB_OK) memcpy(data, source, (size_t)entries * nb_member_entry_size(member, from));
    return status;
}

static nb_status copy_text(const nb_member *member, const void *from, void *to) {
    const char *text = nb_member_data(member, from);
    char *copy = NULL;
    nb_status status = text ? nb_copy_text(text, &copy) : NB_OK;
    memcpy((char *)to + member->offset, &copy, sizeof copy);
    return status;
}

static nb_status copy_arrays(const nb_members *members, const void *from, void *to) {
    nb_status status = NB_OK;
    for (int i = 0; i < members->count; i++) {
        const nb_member *member = &members->items[i];
        if (member->kind == NB_MEMBER_PART)
            NB_TRY(copy_arrays(member->part, (const char *)from + member->offset, (char *)to + member->offset));
        if (is_text(member)) NB_TRY(copy_text(member, from, to));
        if (nb_member_is_array(member)) NB_TRY(copy_array(member, from, to));
    }
out:
    return status;
}

nb_status nb_members_copy(const nb_members *members, const void *from, void *to) {
    nb_members_clear(members, to);
    memcpy(to, from, members->size);
    disown(members, to);
    nb_status status = copy_arrays(members, from, to);
    if (status != NB_OK) nb_members_clear(members, to);
    return status;
}

/* ---- texts ---- */

void nb_member_text(const nb_member *member, const void *owner, int digits, char *text, size_t size) {
    const char *at = (const char *)owner + member->offset;
    double x;
    int32_t narrow;
    int64_t wide;
    uint64_t u;
    *text = 0;
    switch (member->kind) {
    case NB_MEMBER_TEXT: snprintf(text, size, "%s", at); break;
    case NB_MEMBER_REAL:
        memcpy(&x, at, sizeof x);
        snprintf(text, size, "%.*g", digits, x);
        break;
    case NB_MEMBER_INT32:
        memcpy(&narrow, at, sizeof narrow);
        snprintf(text, size, "%d", (int)narrow);
        break;
    case NB_MEMBER_INT64:
        memcpy(&wide, at, sizeof wide);
        snprintf(text, size, "%lld", (long long)wide);
        break;
    case NB_MEMBER_UINT64:
        memcpy(&u, at, sizeof u);
        snprintf(text, size, "%llu", (unsigned long long)u);
        break;
    default: break; /* neither a text nor a number */
    }
}

uint64_t nb_text_checksum(uint64_t checksum, const char *text) {
    return nb_checksum(checksum, text, strlen(text) + 1);
}

static uint64_t add_text(uint64_t checksum, const nb_member *member, const char *text) {
    return *text || !member->optional ? nb_text_checksum(checksum, text) : checksum;
}

uint64_t nb_members_checksum(uint64_t checksum, const nb_members *members, const nb_member *end, const void *owner) {
    for (int i = 0; i < members->count && &members->items[i] != end; i++) {
        const nb_member *member = &members->items[i];
        const void *at = (const char *)owner + member->offset;
        if (member->kind == NB_MEMBER_PART && !member->name)
            checksum = nb_members_checksum(checksum, member->part, NULL, at);
        if (member->kind == NB_MEMBER_TEXT) checksum = add_text(checksum, member, at);
        if (!is_text(member)) continue;
        const char *text; /* owned elsewhere, or NULL */
        memcpy(&text, at, sizeof text);
        if (text && (*text || member->kind != NB_MEMBER_VALUES)) /* NULL holds no values, as "" */
            checksum = add_text(checksum, member, text);
    }
    return checksum;
}

/* ---- columns ---- */

#define TEXT(member, text) \
    { NB_LINE(#member, nb_column, member, TEXT), .units = "1", .long_name = (text) }

static const nb_member column[] = {
    TEXT(name, "name of the column"),
    TEXT(units, "units of the column"),
    TEXT(long_name, "meaning of the column"),
    TEXT(legend, "names of the numbers (0=none 1=...), empty for quantities"),
};
static const nb_members column_members = NB_MEMBERS(nb_column, column);

static nb_status check_columns(void *owner) {
    const nb_columns *columns = owner;
    if (columns->items || columns->count <= 0) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "rows of %d columns without their names", columns->count);
}

static const nb_member own_columns[] = {
    {NB_LINE("count", nb_columns, count, COUNT)},
    {NB_LINE_LIST(nb_columns, items, column_members, NB_COUNT32(nb_columns, count)), .most = NB_COLUMNS_MOST},
    {NB_LINE_CHECK(check_columns)},
};
const nb_members nb_own_columns_members = NB_MEMBERS(nb_columns, own_columns);
