/* A structure as a group of the record, and back, by the table of its members (private to results/): texts and numbers
 * are attributes, arrays datasets, parts with a name groups. */
#ifndef NB_RESULTS_GROUP_H
#define NB_RESULTS_GROUP_H

#include <hdf5.h>

#include "base/member.h"

/* The attribute of a named value: its name has a dot in it, the first word before which says what the value belongs to.
 */
#define NB_SCENE_PREFIX "scene." /* of those that have no such word in memory */

/* how numbers of this kind stand in memory */
static inline hid_t nb_group_type_of(nb_member_kind kind, size_t size) {
    if (kind == NB_MEMBER_REAL && size == sizeof(float)) return H5T_NATIVE_FLOAT;
    return kind == NB_MEMBER_INT32 ? H5T_NATIVE_INT32 : kind == NB_MEMBER_INT64 ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
}

/* The members into the open group, with the dimension scales of their axes. */
nb_status nb_group_write(hid_t group, const nb_members *members, const void *owner);

/* The members from the open group; what the structure held before is replaced. Counts are found from the extents of
 * the datasets, each by the first that has it. NB_ERROR_INPUT, with one line, where something is missing or does not
 * fit; the structure is then incomplete, to be cleared. */
nb_status nb_group_read(hid_t group, const nb_members *members, void *owner);

/* Whether the texts of an object are those that were written; who changed one deletes the checksum. */
nb_status nb_group_check_texts(hid_t group, const char *name, uint64_t checksum);

/* Opens the group `name` of `parent`. Where there is none *group < 0, and with `needed` a fault; what is there and is
 * no readable group is always one. */
nb_status nb_group_open(hid_t parent, const char *name, int needed, hid_t *group);

#endif
