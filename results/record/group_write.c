#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "record/group.h"
#include "record/h5.h"

/* A group being written: what of it has dimension scales. The scales are attached at its end, all at once. */
typedef struct writing {
    hid_t group;
    const nb_member *part; /* that it is, or NULL: gives a meaning to members that have none of their own */
    const nb_meaning *axes[NB_HDF5_MOST_AXES];
    int axis_count;
    nb_h5_scaled *datasets;
    int64_t count, capacity;
} writing;

static nb_meaning meaning_of(const writing *w, const nb_member *member) {
    const char *units = member->units || !w->part ? member->units : w->part->units;
    const char *long_name = member->long_name || !w->part ? member->long_name : w->part->long_name;
    return (nb_meaning){member->name, units, long_name};
}

/* ---- axes ---- */

static nb_status write_axis(hid_t group, const nb_meaning *meaning, hsize_t count) {
    int32_t *axis;
    nb_status status = NB_ALLOCATE((int64_t)count, &axis);
    if (status != NB_OK) return status;
    for (hsize_t i = 0; i < count; i++) axis[i] = (int32_t)i;
    status = nb_h5_write_array(group, meaning, H5T_NATIVE_INT32, 1, &count, axis);
    nb_free(axis);
    return status;
}

/* the place of the axis among those of the group, which has it from now on: 0, 1, 2, ..., or an array of its name */
static nb_status find_axis(writing *w, const nb_meaning *axis, hsize_t count, int *place) {
    for (*place = 0; *place < w->axis_count; (*place)++)
        if (w->axes[*place] == axis) return NB_OK;
    if (w->axis_count == NB_HDF5_MOST_AXES) return nb_fail(NB_ERROR_INPUT, "too many axes in one group");
    w->axes[w->axis_count++] = axis;
    return nb_h5_has(w->group, axis->name) ? NB_OK : write_axis(w->group, axis, count);
}

/* Notes the axes of a dataset, and writes those that are new. */
static nb_status note_axes(writing *w, const char *name, const nb_extent *shape, int rank, const hsize_t *dims) {
    nb_status status = NB_OK;
    nb_h5_scaled scaled = {.name = name, .rank = rank};
    int has_any = 0;
    for (int i = 0; i < rank; i++) {
        scaled.axis[i] = -1;
        if (!shape[i].axis || strcmp(shape[i].axis->name, name) == 0) continue; /* it is the axis itself */
        NB_TRY(find_axis(w, shape[i].axis, dims[i], &scaled.axis[i]));
        has_any = 1;
    }
    if (!has_any) return NB_OK;
    NB_TRY(NB_RESERVE(w->count + 1, &w->capacity, &w->datasets));
    w->datasets[w->count++] = scaled;
out:
    return status;
}

static nb_status attach_axes(const writing *w) {
    const char *names[NB_HDF5_MOST_AXES];
    for (int i = 0; i < w->axis_count; i++) names[i] = w->axes[i]->name;
    return w->count > 0 ? nb_h5_attach_scales(w->group, w->axis_count, names, (int)w->count, w->datasets) : NB_OK;
}

/* ---- rows, ragged or not ---- */

/* one column of rows, or how long their ranges are, on its way into a dataset */
typedef struct packing {
    const nb_member *member;
    const void *owner;
    hsize_t dims[NB_MEMBER_MOST_RANK];
    int rank, ragged;                          /* of the extents, ragged ones */
    const int64_t *start[NB_MEMBER_MOST_RANK]; /* of each ragged extent, and at [ragged] those that are written */
    const double *rows;
    int width, column;
} packing;

/* the extents of the member in the dataset: ragged ones as wide as the longest range */
static void begin_packing(packing *p, const nb_member *member, const void *owner) {
    int64_t ranges = 1;
    *p = (packing){.member = member, .owner = owner, .rank = nb_member_rank(member)};
    for (int i = 0; i < p->rank; i++) {
        if (member->shape[i].kind == NB_EXTENT_RAGGED) {
            const int64_t *start = p->start[p->ragged++] = nb_extent_starts(&member->shape[i], owner);
            p->dims[i] = (hsize_t)nb_longest_range(start, ranges);
            ranges = start[ranges];
        } else {
            p->dims[i] = (hsize_t)nb_extent_count(&member->shape[i], owner);
            ranges *= (int64_t)p->dims[i];
        }
    }
}

/* the entries first .. first + count - 1 of the first axis, padded with NaN */
static void pack_column(const void *context, int64_t first, int64_t count, void *data) {
    const packing *p = context;
    const double *rows = p->rows + p->column;
    const int64_t wide = p->rank > 1 ? (int64_t)p->dims[1] : 1, deep = p->rank > 2 ? (int64_t)p->dims[2] : 1;
    double *to = data;
    for (int64_t i = 0; p->ragged > 0 && i < count * wide * deep; i++) to[i] = NAN;
    for (int64_t i = 0; p->ragged == 0 && i < count * wide * deep; i++)
        to[i] = rows[(first * wide * deep + i) * p->width];
    for (int64_t s = first; p->ragged > 0 && s < first + count; s++, to += wide * deep)
        for (int64_t begin = p->start[0][s], k = begin; k < p->start[0][s + 1]; k++) {
            const int64_t from = p->ragged > 1 ? p->start[1][k] : k, end = p->ragged > 1 ? p->start[1][k + 1] : k + 1;
            for (int64_t i = from; i < end; i++) to[(k - begin) * deep + i - from] = rows[i * p->width];
        }
    nb_member_rest(p->member, p->owner);
}

/* how long the ranges are, 0 where there is none */
static void pack_lengths(const void *context, int64_t first, int64_t count, void *data) {
    const packing *p = context;
    const int64_t *start = p->start[p->ragged], wide = p->rank > 1 ? (int64_t)p->dims[1] : 1;
    int64_t *to = data;
    memset(to, 0, (size_t)(count * wide) * sizeof *to);
    for (int64_t s = first; s < first + count; s++, to += wide) {
        const int64_t from = p->ragged > 0 ? p->start[0][s] : s, end = p->ragged > 0 ? p->start[0][s + 1] : s + 1;
        for (int64_t k = from; k < end; k++) to[k - from] = start[k + 1] - start[k];
    }
    nb_member_rest(p->member, p->owner);
}

static nb_status write_legend(hid_t group, const nb_column *column) {
    hid_t dataset = H5Dopen2(group, column->name, H5P_DEFAULT);
    if (dataset < 0) return nb_h5_fault("cannot write a legend");
    nb_status status = nb_h5_write_text(dataset, "legend", column->legend);
    H5Dclose(dataset);
    return status;
}

/* whether a column that may be left out has no number */
static int is_left_out(const packing *p) {
    const int64_t rows = nb_member_entries(p->member, p->owner, 0);
    if (p->member->optional_from == 0 || p->column < p->member->optional_from) return 0;
    for (int64_t i = 0; i < rows; i++)
        if (!isnan(p->rows[i * p->width + p->column])) return 0;
    return 1;
}

static nb_status write_rows(writing *w, const nb_member *member, const void *owner) {
    nb_status status = NB_OK;
    const nb_columns *columns = nb_member_columns(member, owner);
    packing p;
    begin_packing(&p, member, owner);
    p.rows = nb_member_data(member, owner);
    p.width = columns->count;
    for (p.column = 0; p.column < columns->count; p.column++) {
        const nb_column *column = nb_columns_at(columns, p.column);
        const nb_meaning meaning = {column->name, column->units, column->long_name};
        if (is_left_out(&p)) continue;
        NB_TRY(nb_h5_write_rows(w->group, &meaning, H5T_NATIVE_DOUBLE, p.rank, p.dims, pack_column, &p));
        NB_TRY(note_axes(w, column->name, member->shape, p.rank, p.dims));
        if (*column->legend && !columns->which) NB_TRY(write_legend(w->group, column));
    }
out:
    return status;
}

static nb_status write_lengths(writing *w, const nb_member *member, const void *owner) {
    nb_status status;
    packing p;
    const nb_meaning meaning = meaning_of(w, member);
    begin_packing(&p, member, owner);
    p.start[p.ragged] = nb_member_data(member, owner);
    NB_TRY(nb_h5_write_rows(w->group, &meaning, H5T_NATIVE_INT64, p.rank, p.dims, pack_lengths, &p));
    NB_TRY(note_axes(w, member->name, member->shape, p.rank, p.dims));
out:
    return status;
}

/* ---- other arrays ---- */

static nb_status write_array(writing *w, const nb_member *member, const void *owner) {
    nb_status status;
    const void *data = nb_member_data(member, owner);
    const nb_meaning meaning = meaning_of(w, member);
    const int rank = nb_member_rank(member);
    hsize_t dims[NB_MEMBER_MOST_RANK];
    if (!data && nb_member_entries(member, owner, 0) > 0) return NB_OK;
    for (int i = 0; i < rank; i++) dims[i] = (hsize_t)nb_extent_count(&member->shape[i], owner);
    NB_TRY(nb_h5_write_noise(w->group, &meaning, nb_group_type_of(member->type, member->size), rank, dims,
                             member->noise, data));
    NB_TRY(note_axes(w, member->name, member->shape, rank, dims));
    nb_member_rest(member, owner);
out:
    return status;
}

/* one member of the structures of a list */
typedef struct list_column {
    const char *first;
    size_t stride, size;
} list_column;

static void pack_list(const void *context, int64_t first, int64_t count, void *data) {
    const list_column *c = context;
    for (int64_t i = 0; i < count; i++)
        memcpy((char *)data + (size_t)i * c->size, c->first + (size_t)(first + i) * c->stride, c->size);
}

static int has_texts(const list_column *c, hsize_t count) {
    for (hsize_t i = 0; i < count; i++)
        if (c->first[i * c->stride] != '\0') return 1;
    return 0;
}

/* a member of all structures: of the list's extent, and of those that it has itself */
static nb_status write_list_column(writing *w, const nb_member *list, const nb_member *member, hsize_t count,
                                   const char *first) {
    nb_status status;
    const nb_meaning meaning = meaning_of(w, member);
    list_column column = {first + member->offset, list->part->size, member->size};
    nb_extent shape[NB_MEMBER_MOST_RANK] = {list->shape[0]};
    hsize_t dims[NB_MEMBER_MOST_RANK] = {count};
    const int inner = nb_member_rank(member) > 0;
    if (inner) {
        shape[1] = member->shape[0];
        dims[1] = (hsize_t)nb_extent_count(&member->shape[0], first);
        column.size *= dims[1];
    }
    if (member->optional && member->kind == NB_MEMBER_TEXT && !has_texts(&column, count)) return NB_OK;
    if (member->kind == NB_MEMBER_TEXT)
        NB_TRY(nb_h5_write_texts(w->group, &meaning, (int)count, column.first, member->size, column.stride));
    else
        NB_TRY(nb_h5_write_rows(w->group, &meaning, nb_group_type_of(inner ? member->type : member->kind, member->size),
                                1 + inner, dims, pack_list, &column));
    NB_TRY(note_axes(w, member->name, shape, 1 + inner, dims));
out:
    return status;
}

static nb_status write_list(writing *w, const nb_member *list, const void *owner) {
    nb_status status = NB_OK;
    const hsize_t count = (hsize_t)nb_extent_count(&list->shape[0], owner);
    for (int i = 0; status == NB_OK && i < list->part->count; i++)
        status = write_list_column(w, list, &list->part->items[i], count, nb_member_data(list, owner));
    return status;
}

/* ---- named values ---- */

static nb_status write_value(void *context, const nb_named_value *value) {
    const hid_t group = *(const hid_t *)context;
    char name[256];
    snprintf(name, sizeof name, "%s%s", strchr(value->name, '.') ? "" : NB_SCENE_PREFIX, value->name);
    return value->is_number ? nb_h5_write_real(group, name, strtod(value->text, NULL))
                            : nb_h5_write_text(group, name, value->text);
}

/* ---- members ---- */

static nb_status write_members(writing *w, const nb_members *members, const void *owner);

static nb_status write_group(hid_t group, const nb_member *part, const nb_members *members, const void *owner) {
    writing w = {.group = group, .part = part};
    nb_status status = write_members(&w, members, owner);
    if (status == NB_OK) status = attach_axes(&w);
    nb_free(w.datasets);
    return status;
}

static nb_status write_part(writing *w, const nb_member *part, const void *owner) {
    hid_t group;
    const char *at = (const char *)owner + part->offset;
    if (!part->name) return write_members(w, part->part, at);
    nb_status status = nb_h5_create_group(w->group, part->name, &group);
    if (status != NB_OK) return status;
    status = write_group(group, part, part->part, at);
    H5Gclose(group);
    return status;
}

static nb_status write_member(writing *w, const nb_members *members, const nb_member *member, const void *owner) {
    const void *at = (const char *)owner + member->offset;
    uint64_t checksum;
    double x;
    switch (member->kind) {
    case NB_MEMBER_TEXT: return nb_h5_write_text(w->group, member->name, at);
    case NB_MEMBER_LONG_TEXT: return nb_h5_write_text(w->group, member->name, nb_member_data(member, owner));
    case NB_MEMBER_VALUES: return nb_named_values_read(nb_member_data(member, owner), write_value, &w->group);
    case NB_MEMBER_REAL: memcpy(&x, at, sizeof x); return nb_h5_write_real(w->group, member->name, x);
    case NB_MEMBER_INT32: return nb_h5_write_integer(w->group, member->name, H5T_NATIVE_INT32, at);
    case NB_MEMBER_INT64: return nb_h5_write_integer(w->group, member->name, H5T_NATIVE_INT64, at);
    case NB_MEMBER_UINT64: return nb_h5_write_integer(w->group, member->name, H5T_NATIVE_UINT64, at);
    case NB_MEMBER_ARRAY: return write_array(w, member, owner);
    case NB_MEMBER_ROWS: return write_rows(w, member, owner);
    case NB_MEMBER_STARTS: return write_lengths(w, member, owner);
    case NB_MEMBER_LIST: return write_list(w, member, owner);
    case NB_MEMBER_PART: return write_part(w, member, owner);
    case NB_MEMBER_CHECKSUM:
        checksum = nb_members_checksum(NB_CHECKSUM_OF_NOTHING, members, member, owner);
        return nb_h5_write_integer(w->group, member->name, H5T_NATIVE_UINT64, &checksum);
    case NB_MEMBER_COUNT:
    case NB_MEMBER_STRUCTS:
    case NB_MEMBER_CHECK: break;
    }
    return NB_OK;
}

/* whether it has something to say */
static int is_there(const nb_member *member, const void *owner) {
    if (member->left_out & NB_RECORD) return 0;
    if (!member->optional || (member->kind >= NB_MEMBER_REAL && member->kind <= NB_MEMBER_UINT64)) return 1;
    if (member->kind == NB_MEMBER_TEXT) return *((const char *)owner + member->offset) != 0;
    return nb_member_has_any(member, owner);
}

static nb_status write_members(writing *w, const nb_members *members, const void *owner) {
    nb_status status = NB_OK;
    for (int i = 0; status == NB_OK && i < members->count; i++)
        if (is_there(&members->items[i], owner)) status = write_member(w, members, &members->items[i], owner);
    return status;
}

nb_status nb_group_write(hid_t group, const nb_members *members, const void *owner) {
    return write_group(group, NULL, members, owner);
}
