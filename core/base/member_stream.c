/* Structures in a stream of plain numbers: what one process hands to another, and checkpoints. */
#include <string.h>

#include "base/member.h"
#include "base/memory.h"

static int is_carried(const nb_member *member, nb_carrier carrier) {
    return !(member->left_out & (unsigned)carrier);
}

/* ---- writing ---- */

/* An array that grows may be in a file, and need not be in memory as a whole. */
static nb_status put_bytes(const nb_member *member, const void *owner, const char *bytes, size_t count,
                           nb_stream *stream) {
    nb_status status = NB_OK;
    const size_t most = (size_t)1 << 20;
    for (size_t at = 0; at < count; at += most) {
        NB_TRY(nb_stream_put(stream, bytes + at, count - at < most ? count - at : most));
        nb_member_rest(member, owner);
    }
out:
    return status;
}

static nb_status put_array(const nb_member *member, nb_carrier carrier, const void *owner, nb_stream *stream) {
    nb_status status;
    const char *data = nb_member_data(member, owner);
    const int64_t entries = data ? nb_member_entries(member, owner, 1) : -1;
    const size_t size = nb_member_entry_size(member, owner);
    NB_TRY(nb_stream_put(stream, &entries, sizeof entries));
    if (member->kind != NB_MEMBER_STRUCTS && entries > 0)
        NB_TRY(put_bytes(member, owner, data, (size_t)entries * size, stream));
    for (int64_t i = 0; member->kind == NB_MEMBER_STRUCTS && i < entries; i++)
        NB_TRY(nb_members_put(member->part, carrier, data + (size_t)i * size, stream));
out:
    return status;
}

static nb_status put_member(const nb_member *member, nb_carrier carrier, const void *owner, nb_stream *stream) {
    const char *at = (const char *)owner + member->offset, *text;
    switch (member->kind) {
    case NB_MEMBER_TEXT:
    case NB_MEMBER_REAL:
    case NB_MEMBER_INT32:
    case NB_MEMBER_INT64:
    case NB_MEMBER_UINT64:
    case NB_MEMBER_COUNT: return nb_stream_put(stream, at, member->size);
    case NB_MEMBER_LONG_TEXT:
    case NB_MEMBER_VALUES:
        text = nb_member_data(member, owner);
        return nb_stream_put_array(stream, text ? (int64_t)strlen(text) + 1 : 0, 1, text);
    case NB_MEMBER_PART: return nb_members_put(member->part, carrier, at, stream);
    case NB_MEMBER_CHECKSUM:
    case NB_MEMBER_CHECK: return NB_OK;
    default: return put_array(member, carrier, owner, stream);
    }
}

nb_status nb_members_put(const nb_members *members, nb_carrier carrier, const void *owner, nb_stream *stream) {
    nb_status status = NB_OK;
    for (int i = 0; status == NB_OK && i < members->count; i++)
        if (is_carried(&members->items[i], carrier)) status = put_member(&members->items[i], carrier, owner, stream);
    return status;
}

/* ---- reading ---- */

static nb_status makes_no_sense(const nb_stream *stream, const nb_member *member, int64_t entries) {
    return nb_fail(NB_ERROR_INPUT, "'%.200s': %lld entries of '%.60s' make no sense", stream->path, (long long)entries,
                   member->name ? member->name : "a list");
}

/* ranges follow each other from 0 on */
static int are_starts(const int64_t *start, int64_t count) {
    int good = start[0] == 0;
    for (int64_t i = 1; good && i < count; i++) good = start[i] >= start[i - 1];
    return good;
}

/* texts of structures that came as they were */
static void end_texts(const nb_members *members, char *items, int64_t count) {
    for (int i = 0; i < members->count; i++)
        for (int64_t k = 0; members->items[i].kind == NB_MEMBER_TEXT && k < count; k++)
            items[(size_t)k * members->size + members->items[i].offset + members->items[i].size - 1] = 0;
}

static nb_status get_entries(const nb_member *member, nb_carrier carrier, int64_t entries, void *owner,
                             nb_stream *stream) {
    nb_status status = NB_OK;
    const size_t size = nb_member_entry_size(member, owner);
    void *data;
    NB_TRY(nb_member_make(member, owner, entries, &data));
    for (int64_t i = 0; member->kind == NB_MEMBER_STRUCTS && i < entries; i++)
        NB_TRY(nb_members_get(member->part, carrier, (char *)data + (size_t)i * size, stream));
    if (member->kind == NB_MEMBER_STRUCTS) goto out;
    NB_TRY(nb_stream_get(stream, data, (size_t)entries * size));
    if (member->kind == NB_MEMBER_LIST) end_texts(member->part, data, entries);
    if (member->kind == NB_MEMBER_STARTS && !are_starts(data, entries))
        status = makes_no_sense(stream, member, entries);
out:
    return status;
}

/* An array holds as many entries as its shape says, and no more than the stream has bytes for; -1: there is none. */
static nb_status get_array(const nb_member *member, nb_carrier carrier, void *owner, nb_stream *stream) {
    nb_status status;
    int64_t entries;
    const size_t size = member->kind == NB_MEMBER_STRUCTS ? 1 : nb_member_entry_size(member, owner);
    NB_TRY(nb_stream_get(stream, &entries, sizeof entries));
    int none = entries == -1 && !member->in_place && member->kind != NB_MEMBER_STARTS;
    if (!none && (entries < 0 || entries != nb_member_entries(member, owner, 1) ||
                  (member->most && entries > member->most) || (size > 0 && entries > stream->left / (int64_t)size)))
        return makes_no_sense(stream, member, entries);
    if (none)
        nb_member_take(member, owner, 0, NULL);
    else
        NB_TRY(get_entries(member, carrier, entries, owner, stream));
out:
    return status;
}

static nb_status get_text(const nb_member *member, void *owner, nb_stream *stream) {
    int64_t count, capacity = 0;
    char *text = NULL;
    nb_status status = nb_stream_get_array(stream, &count, 1, &capacity, &text);
    if (status == NB_OK && count > 0 && text[count - 1]) status = makes_no_sense(stream, member, count);
    if (status != NB_OK || count == 0) {
        nb_free(text);
        text = NULL;
    }
    nb_free(nb_member_data(member, owner));
    memcpy((char *)owner + member->offset, &text, sizeof text);
    return status;
}

static nb_status get_member(const nb_member *member, nb_carrier carrier, void *owner, nb_stream *stream) {
    char *at = (char *)owner + member->offset;
    nb_status status;
    switch (member->kind) {
    case NB_MEMBER_TEXT:
        status = nb_stream_get(stream, at, member->size);
        at[member->size - 1] = 0;
        return status;
    case NB_MEMBER_REAL:
    case NB_MEMBER_INT32:
    case NB_MEMBER_INT64:
    case NB_MEMBER_UINT64:
    case NB_MEMBER_COUNT: return nb_stream_get(stream, at, member->size);
    case NB_MEMBER_LONG_TEXT:
    case NB_MEMBER_VALUES: return get_text(member, owner, stream);
    case NB_MEMBER_PART: return nb_members_get(member->part, carrier, at, stream);
    case NB_MEMBER_CHECKSUM: return NB_OK;
    case NB_MEMBER_CHECK: return member->check(owner);
    default: return get_array(member, carrier, owner, stream);
    }
}

nb_status nb_members_get(const nb_members *members, nb_carrier carrier, void *owner, nb_stream *stream) {
    nb_status status = NB_OK;
    for (int i = 0; status == NB_OK && i < members->count; i++)
        if (is_carried(&members->items[i], carrier)) status = get_member(&members->items[i], carrier, owner, stream);
    return status;
}
