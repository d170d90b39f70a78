/* Small wrappers around HDF5 for the record (private to results/). Their faults name the object and the cause. */
#ifndef NB_RESULTS_H5_H
#define NB_RESULTS_H5_H

#include <hdf5.h>
#include <stdint.h>

#include "base/status.h"

enum {
    NB_HDF5_MAX_RANK = 3
};

/* what a dataset holds, for those who read the file */
typedef struct nb_meaning {
    const char *name, *units, *long_name;
} nb_meaning;

/* Fails with NB_ERROR_IO: "WHAT: CAUSE", the cause being HDF5's innermost message or the system's. */
nb_status nb_h5_fault(const char *what);

/* Switches HDF5's own printing and clearing up at exit off; to be called before anything else of HDF5. */
void nb_h5_quiet(void);

nb_status nb_h5_create_group(hid_t parent, const char *name, hid_t *group);

nb_status nb_h5_write_text(hid_t object, const char *name, const char *text);
nb_status nb_h5_write_real(hid_t object, const char *name, double x);
nb_status nb_h5_write_integer(hid_t object, const char *name, hid_t memory_type, const void *x);

/* A dataset of `rank` dimensions with units and long_name; chunked, shuffled and deflated where it is larger than a
 * kilobyte. memory_type: H5T_NATIVE_DOUBLE, _INT32, _INT64 (stored little-endian). */
nb_status nb_h5_write_array(hid_t group, const nb_meaning *meaning, hid_t memory_type, int rank, const hsize_t *dims,
                            const void *data);

/* Makes the dataset `scale` of the group the dimension scale of axis `axis` of its dataset `name`. */
nb_status nb_h5_attach_scale(hid_t group, const char *name, const char *scale, unsigned axis);

/* Reading: the attribute must have the class expected; text is cut to size - 1 characters. */
nb_status nb_h5_read_text(hid_t object, const char *name, char *text, size_t size);
nb_status nb_h5_read_long_text(hid_t object, const char *name, char **text);
nb_status nb_h5_read_number(hid_t object, const char *name, hid_t memory_type, void *x);

/* The dataset's dimensions, which must be `rank` in number; at most 2^31 elements in all. */
nb_status nb_h5_dimensions(hid_t group, const char *name, int rank, hsize_t *dims);

/* Reads the whole dataset, whose dimensions must be dims[0 .. rank - 1]; *data (a `T **`) is allocated. */
nb_status nb_h5_read_array(hid_t group, const char *name, hid_t memory_type, size_t size, int rank, const hsize_t *dims,
                           void *data);

/* 1 where the group has a link of this name */
int nb_h5_has(hid_t group, const char *name);

#endif
