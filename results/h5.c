#include "h5.h"

#include <errno.h>
#include <hdf5_hl.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* keeps the innermost description, the one that says what happened */
static herr_t innermost(unsigned n, const H5E_error2_t *error, void *text) {
    if (n == 0 && error->desc) snprintf(text, 200, "%s", error->desc);
    return 0;
}

nb_status nb_h5_fault(const char *what) {
    char cause[200] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, cause);
    /* HDF5 adds "errno = 28, error message = 'No space left on device', ...": the middle is what a person needs */
    char *message = strstr(cause, "error message = '"), *end;
    if (message && (end = strchr(message + 17, '\''))) {
        *end = 0;
        memmove(cause, message + 17, strlen(message + 17) + 1);
    }
    H5Eclear2(H5E_DEFAULT);
    return nb_fail(NB_ERROR_IO, "%s%s%s", what, *cause ? ": " : "", cause);
}

void nb_h5_quiet(void) {
    H5dont_atexit(); /* after a write that failed, 1.10's own clearing up at exit crashes; every file is closed here
                        anyway */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static nb_status fault_of(const char *verb, const char *name) {
    char what[200];
    snprintf(what, sizeof what, "cannot %s '%.120s'", verb, name);
    return nb_h5_fault(what);
}

nb_status nb_h5_create_group(hid_t parent, const char *name, hid_t *group) {
    *group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return *group < 0 ? fault_of("create group", name) : NB_OK;
}

static nb_status write_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *x) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t written = attribute < 0 ? -1 : H5Awrite(attribute, memory_type, x);
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return written < 0 ? fault_of("write attribute", name) : NB_OK;
}

nb_status nb_h5_write_text(hid_t object, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    nb_status status = write_attribute(object, name, type, type, text);
    H5Tclose(type);
    return status;
}

nb_status nb_h5_write_real(hid_t object, const char *name, double x) {
    return write_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &x);
}

/* the little-endian type on file for a native one */
static hid_t file_type_of(hid_t memory_type) {
    if (H5Tequal(memory_type, H5T_NATIVE_DOUBLE) > 0) return H5T_IEEE_F64LE;
    if (H5Tequal(memory_type, H5T_NATIVE_INT32) > 0) return H5T_STD_I32LE;
    if (H5Tequal(memory_type, H5T_NATIVE_UINT64) > 0) return H5T_STD_U64LE;
    return H5T_STD_I64LE;
}

nb_status nb_h5_write_integer(hid_t object, const char *name, hid_t memory_type, const void *x) {
    return write_attribute(object, name, file_type_of(memory_type), memory_type, x);
}

/* chunks of at most about 128 kB, whole in the last axes where they fit */
static hid_t creation_properties(int rank, const hsize_t *dims, size_t element) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[NB_HDF5_MAX_RANK], elements = 1, room = 131072 / element;
    for (int i = 0; i < rank; i++) elements *= dims[i];
    if (elements * element <= 1024) return properties;
    for (int i = rank - 1; i >= 0; i--) {
        chunk[i] = dims[i] < room ? dims[i] : room;
        room = room / chunk[i] > 0 ? room / chunk[i] : 1;
    }
    H5Pset_chunk(properties, rank, chunk);
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 2);
    return properties;
}

nb_status nb_h5_write_array(hid_t group, const nb_meaning *meaning, hid_t memory_type, int rank, const hsize_t *dims,
                            const void *data) {
    nb_status status;
    hsize_t elements = 1;
    for (int i = 0; i < rank; i++) elements *= dims[i];
    hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t properties = creation_properties(rank, dims, H5Tget_size(memory_type));
    hid_t dataset =
        H5Dcreate2(group, meaning->name, file_type_of(memory_type), space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (dataset < 0 || (elements > 0 && H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)) {
        status = fault_of("write", meaning->name);
    } else {
        status = nb_h5_write_text(dataset, "units", meaning->units);
        if (status == NB_OK) status = nb_h5_write_text(dataset, "long_name", meaning->long_name);
    }
    if (dataset >= 0 && H5Dclose(dataset) < 0 && status == NB_OK) status = fault_of("write", meaning->name);
    H5Pclose(properties);
    H5Sclose(space);
    return status;
}

nb_status nb_h5_attach_scale(hid_t group, const char *name, const char *scale, unsigned axis) {
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT), axis_scale = H5Dopen2(group, scale, H5P_DEFAULT);
    nb_status status = NB_OK;
    if (dataset < 0 || axis_scale < 0 || (H5DSis_scale(axis_scale) <= 0 && H5DSset_scale(axis_scale, scale) < 0) ||
        H5DSattach_scale(dataset, axis_scale, axis) < 0)
        status = fault_of("attach a dimension scale to", name);
    if (axis_scale >= 0) H5Dclose(axis_scale);
    if (dataset >= 0) H5Dclose(dataset);
    return status;
}

/* ---- reading ---- */

static nb_status no_such(const char *what, const char *name) {
    H5Eclear2(H5E_DEFAULT);
    return nb_fail(NB_ERROR_INPUT, "%s '%.120s' is missing or of the wrong kind", what, name);
}

int nb_h5_has(hid_t group, const char *name) {
    return H5Lexists(group, name, H5P_DEFAULT) > 0;
}

/* opens a scalar attribute of this class */
static hid_t open_attribute(hid_t object, const char *name, H5T_class_t class, hid_t *type) {
    *type = -1;
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (attribute < 0) return -1;
    hid_t space = H5Aget_space(attribute);
    *type = H5Aget_type(attribute);
    int good = H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(*type) == class;
    H5Sclose(space);
    if (good) return attribute;
    H5Tclose(*type);
    H5Aclose(attribute);
    return -1;
}

nb_status nb_h5_read_long_text(hid_t object, const char *name, char **text) {
    nb_status status;
    hid_t type, attribute = open_attribute(object, name, H5T_STRING, &type);
    *text = NULL;
    if (attribute < 0) return no_such("text attribute", name);
    size_t size = H5Tget_size(type);
    if (H5Tis_variable_str(type) > 0 || size > 1 << 24) {
        status = no_such("text attribute", name);
        goto out;
    }
    NB_TRY(nb_allocate((int64_t)size + 1, 1, text)); /* zeroed: ended whatever the file holds */
    if (H5Aread(attribute, type, *text) < 0) {
        nb_free(*text);
        *text = NULL;
        status = no_such("text attribute", name);
    }
out:
    H5Tclose(type);
    H5Aclose(attribute);
    return status;
}

nb_status nb_h5_read_text(hid_t object, const char *name, char *text, size_t size) {
    char *whole;
    nb_status status = nb_h5_read_long_text(object, name, &whole);
    if (status != NB_OK) return status;
    snprintf(text, size, "%s", whole);
    nb_free(whole);
    return NB_OK;
}

nb_status nb_h5_read_number(hid_t object, const char *name, hid_t memory_type, void *x) {
    hid_t type, attribute = open_attribute(object, name, H5Tget_class(memory_type), &type);
    if (attribute < 0) return no_such("number attribute", name);
    herr_t result = H5Aread(attribute, memory_type, x);
    H5Tclose(type);
    H5Aclose(attribute);
    return result < 0 ? no_such("number attribute", name) : NB_OK;
}

/* Whether so many elements, or a chunk of the data set, can come from what the file holds of it: a damaged size must
 * not make HDF5 or us clear gigabytes of memory. Deflate shrinks to a 1032nd at best. */
static int is_plausible(hid_t dataset, hsize_t elements) {
    hsize_t chunk[H5S_MAX_RANK], file_bytes = 0, stored = H5Dget_storage_size(dataset);
    hid_t type = H5Dget_type(dataset), layout = H5Dget_create_plist(dataset), file = H5Iget_file_id(dataset);
    double size = (double)H5Tget_size(type), chunk_elements = 1;
    int rank = H5Pget_layout(layout) == H5D_CHUNKED ? H5Pget_chunk(layout, H5S_MAX_RANK, chunk) : 0;
    for (int i = 0; i < rank; i++) chunk_elements *= (double)chunk[i];
    if (H5Fget_filesize(file, &file_bytes) >= 0 && stored > file_bytes) stored = file_bytes;
    H5Fclose(file);
    H5Pclose(layout);
    H5Tclose(type);
    double most = 1032 * (double)stored;
    return (double)elements * size <= most && (elements == 0 || chunk_elements * size <= most);
}

nb_status nb_h5_dimensions(hid_t group, const char *name, int rank, hsize_t *dims) {
    hid_t dataset = nb_h5_has(group, name) ? H5Dopen2(group, name, H5P_DEFAULT) : -1;
    if (dataset < 0) return no_such("dataset", name);
    hid_t space = H5Dget_space(dataset);
    hsize_t extent[H5S_MAX_RANK], elements = 1;
    int found = H5Sget_simple_extent_ndims(space), good = found == rank;
    if (good) H5Sget_simple_extent_dims(space, extent, NULL);
    for (int i = 0; good && i < rank; i++) {
        dims[i] = extent[i];
        good = extent[i] <= INT32_MAX && (extent[i] == 0 || elements <= INT32_MAX / extent[i]);
        elements *= extent[i];
    }
    good = good && is_plausible(dataset, elements);
    H5Sclose(space);
    H5Dclose(dataset);
    return good ? NB_OK : no_such("dataset", name);
}

nb_status nb_h5_read_array(hid_t group, const char *name, hid_t memory_type, size_t size, int rank, const hsize_t *dims,
                           void *data) {
    nb_status status;
    hsize_t found[NB_HDF5_MAX_RANK], elements = 1;
    hid_t dataset = -1, type = -1;
    NB_TRY(nb_h5_dimensions(group, name, rank, found));
    for (int i = 0; i < rank; i++) {
        elements *= dims[i];
        if (found[i] != dims[i])
            return nb_fail(NB_ERROR_INPUT, "dataset '%.80s' has %llu entries along axis %d where %llu belong", name,
                           (unsigned long long)found[i], i, (unsigned long long)dims[i]);
    }
    dataset = H5Dopen2(group, name, H5P_DEFAULT);
    type = H5Dget_type(dataset);
    if (H5Tget_class(type) != H5Tget_class(memory_type)) {
        status = no_such("dataset", name);
        goto out;
    }
    NB_TRY(nb_allocate((int64_t)elements, size, data));
    void *memory;
    memcpy(&memory, data, sizeof memory);
    if (elements > 0 && H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, memory) < 0) {
        nb_free(memory);
        memory = NULL;
        memcpy(data, &memory, sizeof memory);
        H5Eclear2(H5E_DEFAULT);
        status = nb_fail(NB_ERROR_INPUT, "dataset '%.80s' cannot be read: the file is damaged", name);
    }
out:
    if (type >= 0) H5Tclose(type);
    if (dataset >= 0) H5Dclose(dataset);
    return status;
}
