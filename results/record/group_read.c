#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "record/group.h"
#include "record/h5.h"

/* a count that no dataset has told yet */
static const int32_t unknown32 = INT32_MIN;
static const int64_t unknown64 = INT64_MIN;

nb_status nb_group_open(hid_t parent, const char *name, int needed, hid_t *group) {
    *group = nb_h5_has(parent, name) ? H5Gopen2(parent, name, H5P_DEFAULT) : -1;
    if (*group >= 0) return NB_OK;
    if (H5Lexists(parent, name, H5P_DEFAULT) != 0)
        return nb_fail(NB_ERROR_INPUT, "group '%s' cannot be read: the file is damaged", name);
    return needed ? nb_fail(NB_ERROR_INPUT, "the group '%s' is missing", name) : NB_OK;
}

nb_status nb_group_check_texts(hid_t group, const char *name, uint64_t checksum) {
    uint64_t written = checksum;
    nb_status status = NB_OK;
    if (H5Aexists(group, name) > 0) status = nb_h5_read_number(group, name, H5T_NATIVE_UINT64, &written);
    if (status != NB_OK || written == checksum) return status;
    return nb_fail(NB_ERROR_INPUT,
                   "a text attribute, or one with a dot in its name, is damaged or missing (where that is on purpose: "
                   "delete its checksum, the attribute '%s')",
                   name);
}

/* ---- counts and extents ---- */

static int is_unknown(const nb_extent *extent, const void *owner) {
    const char *at = (const char *)owner + extent->at;
    return (extent->kind == NB_EXTENT_COUNT32 && memcmp(at, &unknown32, sizeof unknown32) == 0) ||
           (extent->kind == NB_EXTENT_COUNT64 && memcmp(at, &unknown64, sizeof unknown64) == 0);
}

static void set_count(const nb_extent *extent, hsize_t found, void *owner) {
    int64_t count = (int64_t)found - extent->plus;
    int32_t narrow = (int32_t)count; /* datasets have at most 2^31 entries */
    char *at = (char *)owner + extent->at;
    if (extent->kind == NB_EXTENT_COUNT32) memcpy(at, &narrow, sizeof narrow);
    if (extent->kind == NB_EXTENT_COUNT64) memcpy(at, &count, sizeof count);
}

/* What the extents of the dataset must be; counts that are not known are what it says they are. A ragged extent is at
 * least as wide as its longest range, at present of `ranges`. */
static nb_status find_extents(hid_t group, const char *name, const nb_extent *shape, int rank, void *owner,
                              hsize_t *dims) {
    nb_status status;
    hsize_t found[NB_HDF5_MAX_RANK];
    int64_t ranges = 1;
    NB_TRY(nb_h5_dimensions(group, name, rank, found));
    for (int i = 0; i < rank; i++) {
        const int64_t *start = NULL;
        if (is_unknown(&shape[i], owner)) set_count(&shape[i], found[i], owner);
        if (shape[i].kind == NB_EXTENT_RAGGED) start = nb_extent_starts(&shape[i], owner);
        int64_t count = start ? nb_longest_range(start, ranges) : nb_extent_count(&shape[i], owner);
        if (count < 0 || (start ? (int64_t)found[i] < count : (int64_t)found[i] != count))
            return nb_fail(NB_ERROR_INPUT, "dataset '%.80s' has %llu entries along axis %d where %lld belong", name,
                           (unsigned long long)found[i], i, (long long)count);
        dims[i] = found[i];
        ranges = start ? start[ranges] : ranges * count;
    }
out:
    return status;
}

/* sets the counts of this table: all, or those that are unknown */
static void set_counts(const nb_members *members, void *owner, int32_t narrow, int64_t wide, int all) {
    for (int i = 0; i < members->count; i++) {
        const nb_member *member = &members->items[i];
        char *at = (char *)owner + member->offset;
        if (member->kind != NB_MEMBER_COUNT || member->left_out & NB_RECORD) continue;
        if (member->size == sizeof narrow && (all || memcmp(at, &unknown32, sizeof narrow) == 0))
            memcpy(at, &narrow, sizeof narrow);
        if (member->size == sizeof wide && (all || memcmp(at, &unknown64, sizeof wide) == 0))
            memcpy(at, &wide, sizeof wide);
    }
}

/* ---- rows, ragged or not ---- */

/* where the rows of a dataset stand in it */
typedef struct unpacking {
    int rank, ragged;
    hsize_t dims[NB_MEMBER_MOST_RANK];
    const int64_t *start[NB_MEMBER_MOST_RANK];
} unpacking;

static nb_status begin_unpacking(hid_t group, const char *name, const nb_member *member, void *owner, unpacking *u) {
    *u = (unpacking){.rank = nb_member_rank(member)};
    for (int i = 0; i < u->rank; i++)
        if (member->shape[i].kind == NB_EXTENT_RAGGED)
            u->start[u->ragged++] = nb_extent_starts(&member->shape[i], owner);
    return find_extents(group, name, member->shape, u->rank, owner, u->dims);
}

/* The rows of the dataset in their order, each from where it stands, with the `width` of theirs between them: 8 bytes
 * each. */
static void unpack(const unpacking *u, const void *padded, int64_t rows, int width, void *to) {
    const char *from = padded;
    char *at = to;
    const int64_t wide = u->rank > 1 ? (int64_t)u->dims[1] : 1, deep = u->rank > 2 ? (int64_t)u->dims[2] : 1;
    for (int64_t i = 0; u->ragged == 0 && i < rows; i++) memcpy(at + i * width * 8, from + i * 8, 8);
    for (int64_t s = 0; u->ragged > 0 && s < (int64_t)u->dims[0]; s++)
        for (int64_t begin = u->start[0][s], k = begin; k < u->start[0][s + 1]; k++) {
            const int64_t first = u->ragged > 1 ? u->start[1][k] : k, end = u->ragged > 1 ? u->start[1][k + 1] : k + 1;
            for (int64_t i = first; i < end; i++)
                memcpy(at + i * width * 8, from + 8 * (((int64_t)s * wide + k - begin) * deep + i - first), 8);
        }
}

static nb_status read_column(hid_t group, const nb_column *column, const unpacking *u, int64_t rows, int width,
                             double *to) {
    double *padded;
    nb_status status =
        nb_h5_read_array(group, column->name, H5T_NATIVE_DOUBLE, sizeof *padded, u->rank, u->dims, &padded);
    if (status != NB_OK) return status;
    unpack(u, padded, rows, width, to);
    nb_free(padded);
    return NB_OK;
}

/* Whether the group has an optional column; what has other extents is of records that were made before there was one.
 * What cannot be opened is there: to read it is the fault. */
static int has_column(hid_t group, const nb_column *column, int rank) {
    hsize_t dims[NB_HDF5_MAX_RANK];
    if (!nb_h5_has(group, column->name)) return 0;
    const hid_t dataset = H5Dopen2(group, column->name, H5P_DEFAULT);
    if (dataset < 0) return 1;
    H5Dclose(dataset);
    return nb_h5_dimensions(group, column->name, rank, dims) == NB_OK;
}

static nb_status read_rows(hid_t group, const nb_member *member, void *owner) {
    nb_status status;
    unpacking u;
    void *data;
    const nb_columns *columns = nb_member_columns(member, owner);
    NB_TRY(begin_unpacking(group, nb_columns_at(columns, 0)->name, member, owner, &u));
    int64_t rows = nb_member_entries(member, owner, 0);
    NB_TRY(nb_member_make(member, owner, rows, &data));
    for (int c = 0; c < columns->count; c++) {
        const nb_column *column = nb_columns_at(columns, c);
        const int optional = member->optional_from > 0 && c >= member->optional_from;
        if (!optional || has_column(group, column, u.rank))
            NB_TRY(read_column(group, column, &u, rows, columns->count, (double *)data + c));
        else
            for (int64_t i = 0; i < rows; i++) ((double *)data)[i * columns->count + c] = NAN;
    }
out:
    return status;
}

/* starts in place of lengths, none of which is negative or longer than a dataset can be; nothing is in the open range
 */
static nb_status sum_lengths(int64_t count, int64_t *start) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t length = start[i];
        if (length < 0 || length > INT32_MAX)
            return nb_fail(NB_ERROR_INPUT, "a row count of %lld makes no sense", (long long)length);
        start[i] = sum;
        sum += length;
    }
    start[count] = start[count + 1] = sum;
    return NB_OK;
}

static nb_status read_lengths(hid_t group, const nb_member *member, void *owner) {
    nb_status status;
    unpacking u;
    int64_t *padded = NULL;
    void *data;
    NB_TRY(begin_unpacking(group, member->name, member, owner, &u));
    NB_TRY(nb_h5_read_array(group, member->name, H5T_NATIVE_INT64, sizeof *padded, u.rank, u.dims, &padded));
    int64_t ranges = nb_member_entries(member, owner, 0) - 2;
    NB_TRY(nb_member_make(member, owner, ranges + 2, &data));
    unpack(&u, padded, ranges, 1, data);
    NB_TRY(sum_lengths(ranges, data));
out:
    nb_free(padded);
    return status;
}

/* ---- other arrays ---- */

static nb_status read_array(hid_t group, const nb_member *member, void *owner) {
    nb_status status;
    const int rank = nb_member_rank(member);
    hsize_t dims[NB_MEMBER_MOST_RANK];
    void *data = NULL;
    if (member->optional && !nb_h5_has(group, member->name)) return NB_OK;
    NB_TRY(find_extents(group, member->name, member->shape, rank, owner, dims));
    int64_t entries = nb_member_entries(member, owner, 0);
    if (member->most && entries > member->most)
        return nb_fail(NB_ERROR_INPUT, "more than %d entries of '%s'", (int)member->most, member->name);
    NB_TRY(nb_h5_read_array(group, member->name, nb_group_type_of(member->type, member->size), member->size, rank, dims,
                            &data));
    if (member->in_place) {
        memcpy((char *)owner + member->offset, data, (size_t)entries * member->size);
        nb_free(data);
    } else {
        nb_member_take(member, owner, entries, data);
    }
out:
    return status;
}

/* a member of all structures of a list */
static nb_status read_list_column(hid_t group, const nb_members *part, const nb_member *member, hsize_t count,
                                  char *items) {
    const int inner = nb_member_rank(member) > 0;
    const hsize_t each = inner ? (hsize_t)nb_extent_count(&member->shape[0], items) : 1, dims[2] = {count, each};
    const size_t size = member->size * each;
    char *data;
    if (member->optional && !nb_h5_has(group, member->name)) return NB_OK; /* "", as the structure began */
    if (member->kind == NB_MEMBER_TEXT)
        return nb_h5_read_texts(group, member->name, (int)count, items + member->offset, member->size, part->size);
    nb_status status =
        nb_h5_read_array(group, member->name, nb_group_type_of(inner ? member->type : member->kind, member->size),
                         member->size, 1 + inner, dims, &data);
    if (status != NB_OK) return status;
    for (hsize_t i = 0; i < count; i++) memcpy(items + i * part->size + member->offset, data + i * size, size);
    nb_free(data);
    return NB_OK;
}

static nb_status read_list(hid_t group, const nb_member *list, void *owner) {
    nb_status status;
    hsize_t count = 0;
    void *items;
    if (list->optional && !nb_h5_has(group, list->part->items[0].name)) return NB_OK;
    NB_TRY(find_extents(group, list->part->items[0].name, list->shape, 1, owner, &count));
    if (list->most && count > (hsize_t)list->most)
        return nb_fail(NB_ERROR_INPUT, "%llu entries of '%s' where at most %d are believed", (unsigned long long)count,
                       list->part->items[0].name, (int)list->most);
    NB_TRY(nb_member_make(list, owner, (int64_t)count, &items));
    for (int i = 0; i < list->part->count; i++)
        NB_TRY(read_list_column(group, list->part, &list->part->items[i], count, items));
out:
    return status;
}

/* ---- members ---- */

static nb_status read_long_text(hid_t group, const nb_member *member, void *owner) {
    char *text;
    nb_status status = nb_h5_read_long_text(group, member->name, &text);
    if (status != NB_OK) return status;
    nb_free(nb_member_data(member, owner));
    memcpy((char *)owner + member->offset, &text, sizeof text);
    return NB_OK;
}

/* one attribute, where it is a named value */
static nb_status read_value(void *context, hid_t group, const char *name, H5T_class_t kind) {
    FILE *stream = context;
    nb_status status;
    char *text = NULL;
    int64_t whole;
    double x;
    const size_t scene = sizeof NB_SCENE_PREFIX - 1;
    const char *own = strncmp(name, NB_SCENE_PREFIX, scene) == 0 ? name + scene : name;
    if (!strchr(name, '.')) return NB_OK;
    switch (kind) {
    case H5T_STRING:
        NB_TRY(nb_h5_read_long_text(group, name, &text));
        nb_named_text_write(stream, "", own, text);
        break;
    case H5T_INTEGER:
        NB_TRY(nb_h5_read_number(group, name, H5T_NATIVE_INT64, &whole));
        nb_named_number_write(stream, "", own, (double)whole);
        break;
    default: NB_TRY(nb_h5_read_number(group, name, H5T_NATIVE_DOUBLE, &x)); nb_named_number_write(stream, "", own, x);
    }
out:
    nb_free(text);
    return status;
}

static nb_status read_values(hid_t group, const nb_member *member, void *owner) {
    nb_status status;
    size_t length;
    char *lines = NULL, *sorted = NULL;
    FILE *stream = open_memstream(&lines, &length);
    if (!stream) return nb_fail(NB_ERROR_MEMORY, "out of memory for attributes");
    status = nb_h5_each_attribute(group, read_value, stream);
    if (fclose(stream) != 0 && status == NB_OK) status = nb_fail(NB_ERROR_MEMORY, "out of memory for attributes");
    if (status == NB_OK) status = nb_named_values_sort(lines, &sorted);
    free(lines);
    if (status != NB_OK) return status;
    nb_free(nb_member_data(member, owner));
    memcpy((char *)owner + member->offset, &sorted, sizeof sorted);
    return NB_OK;
}

/* the dataset by which a part that is no group is known to be there */
static const char *first_dataset(const nb_members *members) {
    for (int i = 0; i < members->count; i++) {
        const nb_member *member = &members->items[i];
        if (member->kind == NB_MEMBER_ARRAY || member->kind == NB_MEMBER_STARTS) return member->name;
        if (member->kind == NB_MEMBER_LIST) return member->part->items[0].name;
    }
    return "";
}

/* a part that is not there has no rows */
static nb_status leave_empty(const nb_members *members, void *owner) {
    nb_status status = NB_OK;
    void *data;
    for (int i = 0; status == NB_OK && i < members->count; i++)
        if (members->items[i].kind == NB_MEMBER_STARTS)
            status = nb_member_make(&members->items[i], owner, nb_member_entries(&members->items[i], owner, 0), &data);
    return status;
}

/* puts the group's name before a fault's message */
static nb_status name_part(nb_status status, const char *name) {
    char message[300];
    if (status != NB_ERROR_INPUT) return status;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_fail(status, "%s: %s", name, message);
}

static nb_status read_part(hid_t parent, const nb_member *part, void *owner) {
    nb_status status;
    hid_t group;
    void *at = (char *)owner + part->offset;
    if (!part->name && part->optional && !nb_h5_has(parent, first_dataset(part->part)))
        return leave_empty(part->part, at);
    if (!part->name) return nb_group_read(parent, part->part, at);
    NB_TRY(nb_group_open(parent, part->name, !part->optional, &group));
    if (group < 0) return leave_empty(part->part, at);
    status = name_part(nb_group_read(group, part->part, at), part->name);
    H5Gclose(group);
out:
    return status;
}

static nb_status read_member(hid_t group, const nb_members *members, const nb_member *member, void *owner) {
    void *at = (char *)owner + member->offset;
    switch (member->kind) {
    case NB_MEMBER_TEXT: return nb_h5_read_text(group, member->name, at, member->size);
    case NB_MEMBER_REAL: return nb_h5_read_number(group, member->name, H5T_NATIVE_DOUBLE, at);
    case NB_MEMBER_INT32: return nb_h5_read_number(group, member->name, H5T_NATIVE_INT32, at);
    case NB_MEMBER_INT64: return nb_h5_read_number(group, member->name, H5T_NATIVE_INT64, at);
    case NB_MEMBER_UINT64: return nb_h5_read_number(group, member->name, H5T_NATIVE_UINT64, at);
    case NB_MEMBER_LONG_TEXT: return read_long_text(group, member, owner);
    case NB_MEMBER_VALUES: return read_values(group, member, owner);
    case NB_MEMBER_ARRAY: return read_array(group, member, owner);
    case NB_MEMBER_ROWS: return read_rows(group, member, owner);
    case NB_MEMBER_STARTS: return read_lengths(group, member, owner);
    case NB_MEMBER_LIST: return read_list(group, member, owner);
    case NB_MEMBER_PART: return read_part(group, member, owner);
    case NB_MEMBER_CHECKSUM:
        return nb_group_check_texts(group, member->name,
                                    nb_members_checksum(NB_CHECKSUM_OF_NOTHING, members, member, owner));
    case NB_MEMBER_CHECK: return member->check(owner);
    case NB_MEMBER_COUNT:
    case NB_MEMBER_STRUCTS: break;
    }
    return NB_OK;
}

/* whether it is an attribute that need not be there, and is not */
static int is_absent(hid_t group, const nb_member *member) {
    return member->optional && member->kind <= NB_MEMBER_LONG_TEXT && H5Aexists(group, member->name) <= 0;
}

nb_status nb_group_read(hid_t group, const nb_members *members, void *owner) {
    nb_status status = NB_OK;
    set_counts(members, owner, unknown32, unknown64, 1);
    for (int i = 0; status == NB_OK && i < members->count; i++) {
        const nb_member *member = &members->items[i];
        if (!(member->left_out & NB_RECORD) && !is_absent(group, member))
            status = read_member(group, members, member, owner);
    }
    set_counts(members, owner, 0, 0, 0);
    return status;
}
