/* Small wrappers around HDF5 for the record (private to results/). Their faults name the object and the cause. */
#ifndef NB_RESULTS_H5_H
#define NB_RESULTS_H5_H

#include <hdf5.h>
#include <stdint.h>

#include "base/member.h"
#include "base/status.h"

enum {
    NB_HDF5_MAX_RANK = NB_MEMBER_MOST_RANK,
    NB_HDF5_MOST_AXES = 8
};

/* Fails with NB_ERROR_IO: "WHAT: CAUSE", the cause being HDF5's innermost message or the system's. */
nb_status nb_h5_fault(const char *what);

/* Switches HDF5's own printing and clearing up at exit off; to be called before anything else of HDF5. */
void nb_h5_quiet(void);

/* "1.10.8" */
void nb_h5_version(char *text, size_t size);

/* Files whose metadata carry checksums, so that damage is seen, and that need no repair after a crash (the format of
 * HDF5 1.8). They are locked where the file system has locks (file_lock.h). Faults name `shown`, the file as the user
 * knows it. */
nb_status nb_h5_create_file(const char *path, const char *shown, hid_t *file);
/* The same in the format that HDF5 takes unless told, which every version of it reads. */
nb_status nb_h5_create_common_file(const char *path, const char *shown, hid_t *file);
nb_status nb_h5_open_file(const char *path, const char *shown, unsigned mode, hid_t *file);
/* The byte of the file where HDF5's part begins: others' bytes may stand before it. */
int64_t nb_h5_begins_at(hid_t file);

/* Reads what the disk has of a file that HDF5 has open, too, and cannot close. */
nb_status nb_h5_open_apart(const char *path, hid_t *file);

nb_status nb_h5_create_group(hid_t parent, const char *name, hid_t *group);
/* A group for a growing number of members, whose names lie in one place with room for some hundred: one more name is
 * one write. */
nb_status nb_h5_create_list(hid_t parent, const char *name, hid_t *group);
/* A group that stands nowhere yet, and vanishes where it is closed as it is. Until it gets a name it holds on to
 * itself: of a group with no reference HDF5 forgets that when its header leaves the metadata cache, and deletes it when
 * it is closed though it has a name by then. */
nb_status nb_h5_create_nameless_group(hid_t file, hid_t *group);
nb_status nb_h5_name_group(hid_t group, hid_t parent, const char *name);
void nb_h5_drop_nameless_group(hid_t group);

nb_status nb_h5_write_text(hid_t object, const char *name, const char *text);
nb_status nb_h5_write_real(hid_t object, const char *name, double x);
nb_status nb_h5_write_integer(hid_t object, const char *name, hid_t memory_type, const void *x);

/* A dataset of `rank` dimensions with units and long_name; chunked, shuffled and deflated where it is larger than
 * 256 kB. memory_type: H5T_NATIVE_DOUBLE, _FLOAT, _INT32, _INT64, _UINT8 (stored little-endian). */
nb_status nb_h5_write_array(hid_t group, const nb_meaning *meaning, hid_t memory_type, int rank, const hsize_t *dims,
                            const void *data);
/* The same; with `noise` it is not deflated: digits without a pattern shrink by little, and take long. */
nb_status nb_h5_write_noise(hid_t group, const nb_meaning *meaning, hid_t memory_type, int rank, const hsize_t *dims,
                            int noise, const void *data);

/* The same from a function that packs the rows first .. first + count - 1 of the first axis into `data`: it is called
 * for at most 256 kB at a time, or for one row where that is larger, so that memory does not grow with the first axis.
 */
typedef void nb_h5_pack(const void *context, int64_t first, int64_t count, void *data);
nb_status nb_h5_write_rows(hid_t group, const nb_meaning *meaning, hid_t memory_type, int rank, const hsize_t *dims,
                           nb_h5_pack *pack, const void *context);

/* A dataset of `count` texts of at most size - 1 bytes, the i-th at first + i * stride. */
nb_status nb_h5_write_texts(hid_t group, const nb_meaning *meaning, int count, const char *first, size_t size,
                            size_t stride);

/* Makes the datasets axes[0 .. axis_count - 1] of the group dimension scales: axis i of each dataset is axes[axis[i]],
 * or none where that is negative. All at once, for HDF5's own call reads and rewrites the scale's list of datasets
 * every time. The scales must have none yet. */
typedef struct nb_h5_scaled {
    const char *name;
    int rank, axis[NB_HDF5_MAX_RANK];
} nb_h5_scaled;
nb_status nb_h5_attach_scales(hid_t group, int axis_count, const char *const axes[], int count,
                              const nb_h5_scaled *datasets);

/* Reading: the attribute must have the class expected; text is cut to size - 1 characters. */
nb_status nb_h5_read_text(hid_t object, const char *name, char *text, size_t size);
nb_status nb_h5_read_long_text(hid_t object, const char *name, char **text);
/* Calls `take` with each attribute, in the order of their names, until one fails; its status. */
typedef nb_status nb_h5_take_attribute(void *context, hid_t object, const char *name, H5T_class_t kind);
nb_status nb_h5_each_attribute(hid_t object, nb_h5_take_attribute *take, void *context);
nb_status nb_h5_read_number(hid_t object, const char *name, hid_t memory_type, void *x);

/* The dataset's dimensions, which must be `rank` in number; at most 2^31 elements in all. */
nb_status nb_h5_dimensions(hid_t group, const char *name, int rank, hsize_t *dims);

/* Reads the whole dataset, whose dimensions must be dims[0 .. rank - 1]; *data (a `T **`) is allocated. */
nb_status nb_h5_read_array(hid_t group, const char *name, hid_t memory_type, size_t size, int rank, const hsize_t *dims,
                           void *data);

/* Reads what nb_h5_write_texts wrote; the data set must hold `count` texts. Longer ones are cut. */
nb_status nb_h5_read_texts(hid_t group, const char *name, int count, char *first, size_t size, size_t stride);

/* 1 where the group has a link of this name */
int nb_h5_has(hid_t group, const char *name);

#endif
