/* The members of a structure, in one table beside it, which says of each member what it is called and where it stands.
 * Whatever goes through all of them walks the table: giving memory back, copying, handing a structure from one process
 * to another, a checkpoint, and the groups, datasets and attributes of a record (results/record). A new member of the
 * structure is a line in its table.
 *
 * The counts that an array's shape names stand before it in the table, so that who reads knows them. */
#ifndef NB_BASE_MEMBER_H
#define NB_BASE_MEMBER_H

#include <stddef.h>
#include <stdint.h>

#include "base/column.h"
#include "base/mapped_array.h"
#include "base/status.h"
#include "base/stream.h"

enum {
    NB_MEMBER_MOST_RANK = 3
};

typedef enum nb_member_kind {
    NB_MEMBER_TEXT,      /* char [size]; in a record an attribute, as the next four */
    NB_MEMBER_REAL,      /* double */
    NB_MEMBER_INT32,     /* int32_t */
    NB_MEMBER_INT64,     /* int64_t */
    NB_MEMBER_UINT64,    /* uint64_t */
    NB_MEMBER_LONG_TEXT, /* char *, owned or NULL; an attribute */
    NB_MEMBER_VALUES,    /* char *, owned or NULL: named_values.h; an attribute each, whose name has a dot in it: of one
                            that has none, "scene." stands before it */
    NB_MEMBER_COUNT,     /* int32_t or int64_t: entries of arrays; a record says it by their extents */
    NB_MEMBER_ARRAY,     /* T *, owned or NULL, or T [most]; a dataset */
    NB_MEMBER_ROWS,      /* double *, owned or NULL: rows of `columns`; a dataset a column */
    NB_MEMBER_STARTS,    /* int64_t *, owned: see nb_extent; the dataset holds how long the ranges are */
    NB_MEMBER_PART,      /* members of this structure or of one within it, as a group if it has a name */
    NB_MEMBER_LIST,      /* S *, owned or NULL, or S [most]: structures without arrays; a dataset a member of theirs */
    NB_MEMBER_STRUCTS,   /* S *, owned or NULL: structures with arrays; no part of a record's table */
    NB_MEMBER_CHECKSUM,  /* attribute alone: of all texts before it in the table */
    NB_MEMBER_CHECK      /* what is called when all before it in the table was read */
} nb_member_kind;

/* what a dataset holds, for those who read the file */
typedef struct nb_meaning {
    const char *name, *units, *long_name;
} nb_meaning;

typedef enum nb_extent_kind {
    NB_EXTENT_NONE,
    NB_EXTENT_FIXED,   /* `at` entries */
    NB_EXTENT_COUNT32, /* as many as the int32_t at offset `at` says, and `plus` */
    NB_EXTENT_COUNT64, /* the same, an int64_t */
    /* The int64_t * at offset `at` holds starts: entry i of the extent before this one has the rows start[i] ..
     * start[i + 1] - 1. Behind the last range stands the end of one that is still open: two starts more than ranges. */
    NB_EXTENT_RAGGED
} nb_extent_kind;

/* one extent of an array */
typedef struct nb_extent {
    nb_extent_kind kind;
    int plus;
    size_t at;
    const nb_meaning *axis; /* in a record the dimension scale 0, 1, 2, ... of this name; NULL: none */
    size_t room;            /* RAGGED: offset of the nb_mapped_array of the starts, or 0 */
} nb_extent;

#define NB_EACH(number) \
    { NB_EXTENT_FIXED, 0, (number), NULL, 0 }
#define NB_COUNT32(type, member) \
    { NB_EXTENT_COUNT32, 0, offsetof(type, member), NULL, 0 }
#define NB_COUNT64(type, member) \
    { NB_EXTENT_COUNT64, 0, offsetof(type, member), NULL, 0 }

#define NB_ONE_MORE64(type, member) \
    { NB_EXTENT_COUNT64, 1, offsetof(type, member), NULL, 0 }
#define NB_ONE_MORE32(type, member) \
    { NB_EXTENT_COUNT32, 1, offsetof(type, member), NULL, 0 }

/* what carries members away */
typedef enum nb_carrier {
    NB_RECORD = 1,
    NB_TRANSFER = 2,
    NB_CHECKPOINT = 4
} nb_carrier;

typedef struct nb_members nb_members;

typedef struct nb_member {
    const char *name, *units, *long_name; /* in a record */
    nb_member_kind kind;
    nb_member_kind type; /* ARRAY: REAL (of size 4 a float), INT32 or INT64 */
    /* 1: a record has it only where there is any: a text that is not "", an array that is not NULL, a part with
     * entries; a number may be absent from records made before it was there, and is then 0 */
    int optional;
    unsigned left_out;   /* nb_carrier bits of those that do not carry it, nor what is within it */
    size_t offset, size; /* in the structure; of it, or of one entry [bytes] */
    nb_extent shape[NB_MEMBER_MOST_RANK];
    int in_place;              /* 1: its entries are in the structure; 0: it holds a pointer */
    int32_t most;              /* entries at most; 0: any number */
    size_t room;               /* offset of the nb_mapped_array of an array that grows, or 0 */
    const nb_members *part;    /* PART, LIST, STRUCTS */
    const nb_columns *columns; /* ROWS; NULL: those in the structure, */
    size_t own_columns;        /* at this offset */
    int noise;                 /* ARRAY: 1: a record does not compress it */
    int32_t optional_from;     /* ROWS: a record has columns from this one on only where they hold a number; 0: all */
    nb_status (*check)(void *owner);
} nb_member;

struct nb_members {
    const nb_member *items;
    int count;
    size_t size; /* of the structure [bytes] */
};

#define NB_MEMBERS(type, table) \
    { (table), (int)(sizeof(table) / sizeof *(table)), sizeof(type) }

#define NB_ENTRIES_OF(T, m) ((int32_t)(sizeof(((T *)0)->m) / sizeof(*((T *)0)->m)))

/* The beginnings of lines, of the member `m` of the structure T. KIND is what stands behind NB_MEMBER_, of an array
 * that of its entries; the extents of its shape follow. */
#define NB_LINE(title, T, m, KIND) \
    .name = (title), .kind = NB_MEMBER_##KIND, .offset = offsetof(T, m), .size = sizeof(((T *)0)->m)
#define NB_LINE_ARRAY(title, unit, text, T, m, KIND, ...)                                                     \
    .name = (title), .units = (unit), .long_name = (text), .kind = NB_MEMBER_ARRAY, .type = NB_MEMBER_##KIND, \
    .offset = offsetof(T, m), .size = sizeof(*((T *)0)->m), .shape = {__VA_ARGS__}
#define NB_LINE_IN_PLACE(title, unit, text, T, m, KIND, ...) \
    NB_LINE_ARRAY(title, unit, text, T, m, KIND, __VA_ARGS__), .in_place = 1, .most = NB_ENTRIES_OF(T, m)
#define NB_LINE_ROWS(T, m, of_columns, ...) \
    .kind = NB_MEMBER_ROWS, .offset = offsetof(T, m), .columns = &(of_columns), .shape = {__VA_ARGS__}
#define NB_LINE_OWN_ROWS(T, m, of_columns, ...) \
    .kind = NB_MEMBER_ROWS, .offset = offsetof(T, m), .own_columns = offsetof(T, of_columns), .shape = {__VA_ARGS__}
#define NB_LINE_STARTS(title, text, T, m, ...)                                                              \
    .name = (title), .units = "1", .long_name = (text), .kind = NB_MEMBER_STARTS, .offset = offsetof(T, m), \
    .size = sizeof(int64_t), .shape = {__VA_ARGS__}
#define NB_LINE_LIST(T, m, members, ...) \
    .kind = NB_MEMBER_LIST, .offset = offsetof(T, m), .part = &(members), .shape = {__VA_ARGS__}
#define NB_LINE_STRUCTS(T, m, members, ...) \
    .kind = NB_MEMBER_STRUCTS, .offset = offsetof(T, m), .part = &(members), .shape = {__VA_ARGS__}
#define NB_LINE_PART(T, m, members) .kind = NB_MEMBER_PART, .offset = offsetof(T, m), .part = &(members)
#define NB_LINE_GROUP(title, members) .name = (title), .kind = NB_MEMBER_PART, .part = &(members)
#define NB_LINE_CHECKSUM(title) .name = (title), .kind = NB_MEMBER_CHECKSUM
#define NB_LINE_CHECK(function) .kind = NB_MEMBER_CHECK, .check = (function)

/* Gives back what the structure holds and sets all of it to zero. */
void nb_members_clear(const nb_members *members, void *owner);

/* Room for every array that is pointed to, all zero, by the counts that stand in the structure; it must not hold any.
 * On a fault the caller clears. */
nb_status nb_members_allocate(const nb_members *members, void *owner);

/* All of `from`; an earlier content of `to` is dropped, and on a fault `to` is empty. Of STRUCTS there must be none. */
nb_status nb_members_copy(const nb_members *members, const void *from, void *to);

/* The structure in the stream and back: exact, for this program alone. What is read takes the place of what was there.
 * Sizes are held against what the stream has left, and checks are made: NB_ERROR_INPUT where something makes no sense;
 * the structure is then incomplete, to be cleared. */
nb_status nb_members_put(const nb_members *members, nb_carrier carrier, const void *owner, nb_stream *stream);
nb_status nb_members_get(const nb_members *members, nb_carrier carrier, void *owner, nb_stream *stream);

/* The entries of an array, rows or starts; of rows that an extent is ragged of those of closed ranges, or with `open`
 * also those of the open one. -1 where the counts make no sense. */
int64_t nb_member_entries(const nb_member *member, const void *owner, int open);

/* Whether it is an array of any kind: ARRAY, ROWS, STARTS, LIST, STRUCTS. Where its entries are, and the size of one.
 */
int nb_member_is_array(const nb_member *member);
void *nb_member_data(const nb_member *member, const void *owner);
size_t nb_member_entry_size(const nb_member *member, const void *owner);

/* Hands memory back that a long array took where it was looked at: it is in a file. */
void nb_member_rest(const nb_member *member, const void *owner);

/* Room for so many entries in place of those that it has, all zero; what lies within the structure stays as it is. */
nb_status nb_member_make(const nb_member *member, void *owner, int64_t entries, void **data);
/* Takes over an array of so many entries in place of that which is pointed to. */
void nb_member_take(const nb_member *member, void *owner, int64_t entries, void *data);

/* The count that an extent has in the structure, `plus` included, or -1; the starts of a ragged one. */
int64_t nb_extent_count(const nb_extent *extent, const void *owner);
const int64_t *nb_extent_starts(const nb_extent *extent, const void *owner);

/* The most entries that one of so many ranges has. */
int64_t nb_longest_range(const int64_t *start, int64_t ranges);

/* of columns that a structure holds itself, an nb_columns: they stand before the rows in its table */
extern const nb_members nb_own_columns_members;

/* The columns of rows. */
const nb_columns *nb_member_columns(const nb_member *member, const void *owner);

/* How many extents its shape has. */
int nb_member_rank(const nb_member *member);

/* Whether a part or an array has any entries. */
int nb_member_has_any(const nb_member *member, const void *owner);

/* The text or number as text; a real with at most `digits` digits. */
void nb_member_text(const nb_member *member, const void *owner, int digits, char *text, size_t size);

/* A checksum of the texts, without those of arrays: HDF5 has none for texts of any length. With `checksum`
 * NB_CHECKSUM_OF_NOTHING, or that of other texts; of the members before `end`, or of all (NULL). */
uint64_t nb_members_checksum(uint64_t checksum, const nb_members *members, const nb_member *end, const void *owner);
uint64_t nb_text_checksum(uint64_t checksum, const char *text);

#endif
