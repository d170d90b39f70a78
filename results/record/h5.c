#include "record/h5.h"

#include <errno.h>
#include <hdf5_hl.h>
#include <stdio.h>
#include <string.h>

#include "base/file_lock.h"
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
    H5dont_atexit(); /* after a failed write the clean-up of HDF5 1.10 at exit crashes; every file is closed here anyway
                      */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void nb_h5_version(char *text, size_t size) {
    unsigned version[3];
    nb_h5_quiet(); /* the call below starts the library */
    H5get_libversion(&version[0], &version[1], &version[2]);
    snprintf(text, size, "%u.%u.%u", version[0], version[1], version[2]);
}

static nb_status fault_of(const char *verb, const char *name) {
    char what[200];
    snprintf(what, sizeof what, "cannot %s '%.120s'", verb, name);
    return nb_h5_fault(what);
}

/* how files are opened and created */
static hid_t file_access(int own_format) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (own_format) H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_file_locking(access, 1, 0);
    return access;
}

static nb_status file_fault(const char *verb, const char *shown) {
    char what[400];
    snprintf(what, sizeof what, "cannot %s '%.300s'", verb, shown);
    return nb_h5_fault(what);
}

static hid_t open_or_create(const char *path, unsigned mode, hid_t access) {
    return mode == H5F_ACC_TRUNC ? H5Fcreate(path, mode, H5P_DEFAULT, access) : H5Fopen(path, mode, access);
}

/* Locked, or not where the file system has no locks. */
static nb_status open_file(const char *path, const char *shown, unsigned mode, int own_format, hid_t *file) {
    int writes = mode != H5F_ACC_RDONLY, absent;
    hid_t access = file_access(own_format);
    *file = open_or_create(path, mode, access);
    nb_status status = *file < 0 ? nb_file_lock_explain(path, shown, writes, &absent) : NB_OK;
    if (*file < 0 && status == NB_OK && absent) {
        H5Pset_file_locking(access, 0, 1);
        *file = open_or_create(path, mode, access);
    }
    if (*file < 0 && status == NB_OK) /* before the next call, which drops the message */
        status = file_fault(mode == H5F_ACC_TRUNC ? "write" : "read", shown);
    H5Pclose(access);
    return status;
}

nb_status nb_h5_create_file(const char *path, const char *shown, hid_t *file) {
    return open_file(path, shown, H5F_ACC_TRUNC, 1, file);
}

nb_status nb_h5_create_common_file(const char *path, const char *shown, hid_t *file) {
    return open_file(path, shown, H5F_ACC_TRUNC, 0, file);
}

nb_status nb_h5_open_file(const char *path, const char *shown, unsigned mode, hid_t *file) {
    return open_file(path, shown, mode, 1, file);
}

int64_t nb_h5_begins_at(hid_t file) {
    hsize_t bytes = 0;
    const hid_t properties = H5Fget_create_plist(file);
    H5Pget_userblock(properties, &bytes);
    H5Pclose(properties);
    return (int64_t)bytes;
}

nb_status nb_h5_open_apart(const char *path, hid_t *file) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_stdio(access); /* a file that is open already is known by its driver, device and number */
    H5Pset_file_locking(access, 0, 1);
    *file = H5Fopen(path, H5F_ACC_RDONLY, access);
    nb_status status = *file < 0 ? file_fault("read", path) : NB_OK;
    H5Pclose(access);
    return status;
}

/* members and attributes within the group's header as long as these are few: smaller and quicker than HDF5's own choice
 */
static hid_t group_properties(unsigned most_members, unsigned expected_members) {
    hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_phase_change(properties, most_members, 0);
    H5Pset_est_link_info(properties, expected_members, 8);
    H5Pset_attr_phase_change(properties, 65535, 0);
    return properties;
}

static nb_status create_group(hid_t parent, const char *name, unsigned most_members, unsigned expected_members,
                              hid_t *group) {
    hid_t properties = group_properties(most_members, expected_members);
    *group = H5Gcreate2(parent, name, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    return *group < 0 ? fault_of("create group", name) : NB_OK;
}

nb_status nb_h5_create_group(hid_t parent, const char *name, hid_t *group) {
    return create_group(parent, name, 64, 8, group);
}

nb_status nb_h5_create_list(hid_t parent, const char *name, hid_t *group) {
    return create_group(parent, name, 65535, 512, group);
}

nb_status nb_h5_create_nameless_group(hid_t file, hid_t *group) {
    hid_t properties = group_properties(64, 8);
    *group = H5Gcreate_anon(file, properties, H5P_DEFAULT);
    H5Pclose(properties);
    return *group < 0 || H5Oincr_refcount(*group) < 0 ? nb_h5_fault("cannot create a group") : NB_OK;
}

/* Its own reference goes first, so that the header stays as it is on the disk: with two it would need another message.
 * What was used last leaves the cache last, so that it is still there when the name is given; else HDF5 counts two. */
nb_status nb_h5_name_group(hid_t group, hid_t parent, const char *name) {
    H5O_info_t info;
    if (H5Odecr_refcount(group) < 0 || H5Olink(group, parent, name, H5P_DEFAULT, H5P_DEFAULT) < 0 ||
        H5Oget_info2(group, &info, H5O_INFO_BASIC) < 0 || info.rc != 1)
        return fault_of("name group", name);
    return NB_OK;
}

void nb_h5_drop_nameless_group(hid_t group) {
    H5Odecr_refcount(group);
    H5Gclose(group);
    H5Eclear2(H5E_DEFAULT);
}

static nb_status write_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *x) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t written = attribute < 0 ? -1 : H5Awrite(attribute, memory_type, x);
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return written < 0 ? fault_of("write attribute", name) : NB_OK;
}

/* the type of texts of `size` bytes, ended by a zero */
static hid_t text_type(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

nb_status nb_h5_write_text(hid_t object, const char *name, const char *text) {
    hid_t type = text_type(H5T_VARIABLE); /* which h5py gives as a str and not as bytes */
    nb_status status = write_attribute(object, name, type, type, &text);
    H5Tclose(type);
    return status;
}

nb_status nb_h5_write_real(hid_t object, const char *name, double x) {
    return write_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &x);
}

/* the little-endian type on file for a native one */
static hid_t file_type_of(hid_t memory_type) {
    if (H5Tequal(memory_type, H5T_NATIVE_DOUBLE) > 0) return H5T_IEEE_F64LE;
    if (H5Tequal(memory_type, H5T_NATIVE_FLOAT) > 0) return H5T_IEEE_F32LE;
    if (H5Tequal(memory_type, H5T_NATIVE_INT32) > 0) return H5T_STD_I32LE;
    if (H5Tequal(memory_type, H5T_NATIVE_UINT64) > 0) return H5T_STD_U64LE;
    if (H5Tequal(memory_type, H5T_NATIVE_INT64) > 0) return H5T_STD_I64LE;
    return memory_type; /* texts have no order of bytes */
}

nb_status nb_h5_write_integer(hid_t object, const char *name, hid_t memory_type, const void *x) {
    return write_attribute(object, name, file_type_of(memory_type), memory_type, x);
}

/* Up to 4 kB within the header, which has a checksum, where the index of chunks (2.6 kB) would be about as large as the
 * data; else chunks of at most about 128 kB, whole in the last axes where they fit, with the checksum of what went in:
 * deflate's own would not see a chunk whose other filters are skipped because a bit of the index flipped. Deflate takes
 * 14 ms a megabyte, more than a short run spends on all else that it records, and histories shrink to two thirds: only
 * what is large is worth it, and no `noise`. *rows is a chunk's extent along the first axis. */
static hid_t creation_properties(int rank, const hsize_t *dims, size_t element, int noise, hsize_t *rows) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[NB_HDF5_MAX_RANK] = {1}, elements = 1, room = 131072 / element;
    *rows = dims[0];
    for (int i = 0; i < rank; i++) elements *= dims[i];
    if (elements * element <= 4096) {
        H5Pset_layout(properties, H5D_COMPACT);
        return properties;
    }
    for (int i = rank - 1; i >= 0; i--) {
        chunk[i] = dims[i] > 0 && dims[i] < room ? dims[i] : room;
        room = room / chunk[i] > 0 ? room / chunk[i] : 1;
    }
    *rows = chunk[0];
    H5Pset_chunk(properties, rank, chunk);
    H5Pset_fletcher32(properties);
    if (noise || elements * element <= 256 * 1024) return properties;
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 2);
    return properties;
}

/* A dataset without data yet, but with its meaning; the caller closes it. */
static nb_status create_dataset(hid_t group, const nb_meaning *meaning, hid_t memory_type, int rank,
                                const hsize_t *dims, int noise, hid_t *dataset, hsize_t *rows) {
    nb_status status;
    hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t properties = creation_properties(rank, dims, H5Tget_size(memory_type), noise, rows);
    *dataset = H5Dcreate2(group, meaning->name, file_type_of(memory_type), space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    H5Sclose(space);
    if (*dataset < 0) return fault_of("write", meaning->name);
    NB_TRY(nb_h5_write_text(*dataset, "units", meaning->units));
    NB_TRY(nb_h5_write_text(*dataset, "long_name", meaning->long_name));
out:
    return status;
}

static nb_status close_dataset(hid_t dataset, const char *name, nb_status status) {
    if (dataset >= 0 && H5Dclose(dataset) < 0 && status == NB_OK) status = fault_of("write", name);
    return status;
}

nb_status nb_h5_write_noise(hid_t group, const nb_meaning *meaning, hid_t memory_type, int rank, const hsize_t *dims,
                            int noise, const void *data) {
    hid_t dataset;
    hsize_t elements = 1, rows;
    for (int i = 0; i < rank; i++) elements *= dims[i];
    nb_status status = create_dataset(group, meaning, memory_type, rank, dims, noise, &dataset, &rows);
    if (status == NB_OK && elements > 0 && H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        status = fault_of("write", meaning->name);
    return close_dataset(dataset, meaning->name, status);
}

nb_status nb_h5_write_array(hid_t group, const nb_meaning *meaning, hid_t memory_type, int rank, const hsize_t *dims,
                            const void *data) {
    return nb_h5_write_noise(group, meaning, memory_type, rank, dims, 0, data);
}

/* the rows first .. first + count - 1 of the first axis */
static herr_t write_slab(hid_t dataset, hid_t memory_type, int rank, const hsize_t *dims, hsize_t first, hsize_t count,
                         const void *data) {
    hsize_t start[NB_HDF5_MAX_RANK] = {first}, extent[NB_HDF5_MAX_RANK] = {count};
    for (int i = 1; i < rank; i++) extent[i] = dims[i];
    hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(rank, extent, NULL);
    herr_t written = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, extent, NULL);
    if (written >= 0) written = H5Dwrite(dataset, memory_type, memory, file, H5P_DEFAULT, data);
    H5Sclose(memory);
    H5Sclose(file);
    return written;
}

nb_status nb_h5_write_rows(hid_t group, const nb_meaning *meaning, hid_t memory_type, int rank, const hsize_t *dims,
                           nb_h5_pack *pack, const void *context) {
    nb_status status;
    hid_t dataset;
    hsize_t rows, row = 1;
    void *data = NULL;
    for (int i = 1; i < rank; i++) row *= dims[i];
    NB_TRY(create_dataset(group, meaning, memory_type, rank, dims, 0, &dataset, &rows));
    NB_TRY(nb_allocate((int64_t)(rows * row), H5Tget_size(memory_type), &data));
    for (hsize_t first = 0; first < dims[0] && row > 0; first += rows) { /* whole chunks, each compressed once */
        hsize_t count = dims[0] - first < rows ? dims[0] - first : rows;
        pack(context, (int64_t)first, (int64_t)count, data);
        if (write_slab(dataset, memory_type, rank, dims, first, count, data) < 0) {
            status = fault_of("write", meaning->name);
            break;
        }
    }
out:
    nb_free(data);
    return close_dataset(dataset, meaning->name, status);
}

nb_status nb_h5_write_texts(hid_t group, const nb_meaning *meaning, int count, const char *first, size_t size,
                            size_t stride) {
    char *packed;
    hsize_t dims[1] = {(hsize_t)count};
    nb_status status = nb_allocate(count, size, &packed);
    if (status != NB_OK) return status;
    for (int i = 0; i < count; i++) memcpy(packed + (size_t)i * size, first + (size_t)i * stride, size);
    hid_t type = text_type(size);
    status = nb_h5_write_array(group, meaning, type, 1, dims, packed);
    H5Tclose(type);
    nb_free(packed);
    return status;
}

/* an entry of a scale's list of datasets, as the HDF5 dimension scale specification has it */
typedef struct scale_user {
    hobj_ref_t dataset;
    int dimension;
} scale_user;

static hid_t scale_user_type(void) {
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(scale_user));
    H5Tinsert(type, "dataset", HOFFSET(scale_user, dataset), H5T_STD_REF_OBJ);
    H5Tinsert(type, "dimension", HOFFSET(scale_user, dimension), H5T_NATIVE_INT);
    return type;
}

static herr_t write_list(hid_t object, const char *name, hid_t type, int count, const void *list) {
    hsize_t dims[1] = {(hsize_t)count};
    hid_t space = H5Screate_simple(1, dims, NULL);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t written = attribute < 0 ? -1 : H5Awrite(attribute, type, list);
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return written;
}

/* names the scales of its axes in the dataset */
static herr_t name_scales(hid_t group, const nb_h5_scaled *dataset, hobj_ref_t *scales) {
    hvl_t lists[NB_HDF5_MAX_RANK];
    hid_t object = H5Dopen2(group, dataset->name, H5P_DEFAULT), type = H5Tvlen_create(H5T_STD_REF_OBJ);
    for (int i = 0; i < dataset->rank; i++)
        lists[i] = dataset->axis[i] < 0 ? (hvl_t){0, NULL} : (hvl_t){1, &scales[dataset->axis[i]]};
    herr_t written = object < 0 ? -1 : write_list(object, "DIMENSION_LIST", type, dataset->rank, lists);
    H5Tclose(type);
    if (object >= 0) H5Dclose(object);
    return written;
}

/* makes the dataset `name`, the axis `axis`, a scale and names in it whose axes it is */
static herr_t name_users(hid_t group, const char *name, int axis, int count, const nb_h5_scaled *datasets,
                         scale_user *users) {
    hid_t object = H5Dopen2(group, name, H5P_DEFAULT), type = scale_user_type();
    herr_t good = object < 0 ? -1 : H5DSset_scale(object, name);
    int used = 0;
    for (int i = 0; i < count && good >= 0; i++)
        for (int d = 0; d < datasets[i].rank && good >= 0; d++) {
            if (datasets[i].axis[d] != axis) continue;
            users[used].dimension = d;
            good = H5Rcreate(&users[used++].dataset, group, datasets[i].name, H5R_OBJECT, -1);
        }
    if (good >= 0 && used > 0) good = write_list(object, "REFERENCE_LIST", type, used, users);
    H5Tclose(type);
    if (object >= 0) H5Dclose(object);
    return good;
}

nb_status nb_h5_attach_scales(hid_t group, int axis_count, const char *const axes[], int count,
                              const nb_h5_scaled *datasets) {
    nb_status status;
    hobj_ref_t scales[NB_HDF5_MOST_AXES];
    scale_user *users = NULL;
    herr_t good = 0;
    NB_TRY(NB_ALLOCATE((int64_t)count * NB_HDF5_MAX_RANK, &users));
    for (int i = 0; i < axis_count && good >= 0; i++) {
        good = name_users(group, axes[i], i, count, datasets, users);
        if (good >= 0) good = H5Rcreate(&scales[i], group, axes[i], H5R_OBJECT, -1);
    }
    for (int i = 0; i < count && good >= 0; i++) good = name_scales(group, &datasets[i], scales);
    if (good < 0) status = nb_h5_fault("cannot attach dimension scales");
out:
    nb_free(users);
    return status;
}

/* ---- reading ---- */

/* of the object that should have it */
static nb_status no_such(hid_t object, const char *what, const char *name) {
    char path[120] = "";
    H5Iget_name(object, path, sizeof path);
    H5Eclear2(H5E_DEFAULT);
    return nb_fail(NB_ERROR_INPUT, "%s '%s%s%.120s' is missing or of the wrong kind", what, path,
                   strcmp(path, "/") == 0 ? "" : "/", name);
}

int nb_h5_has(hid_t group, const char *name) {
    H5L_info_t link;
    int found = H5Lexists(group, name, H5P_DEFAULT) > 0;
    return found && H5Lget_info(group, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
}

/* opens a scalar attribute of this class */
static hid_t open_attribute(hid_t object, const char *name, H5T_class_t kind, hid_t *type) {
    *type = -1;
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (attribute < 0) return -1;
    hid_t space = H5Aget_space(attribute);
    *type = H5Aget_type(attribute);
    int good = H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(*type) == kind;
    H5Sclose(space);
    if (good) return attribute;
    H5Tclose(*type);
    H5Aclose(attribute);
    return -1;
}

/* the text of an open attribute as HDF5 gives it (to be freed by it), or NULL */
static char *variable_text(hid_t attribute) {
    char *text = NULL;
    hid_t type = text_type(H5T_VARIABLE);
    if (H5Aread(attribute, type, &text) < 0) text = NULL;
    H5Tclose(type);
    return text;
}

/* the same for a text of fixed length: a zero is put at its end, whatever the file holds */
static nb_status fixed_text(hid_t attribute, hid_t type, size_t size, char **text) {
    nb_status status = nb_allocate((int64_t)size + 1, 1, text);
    if (status == NB_OK && H5Aread(attribute, type, *text) < 0) {
        nb_free(*text);
        *text = NULL;
    }
    return status;
}

nb_status nb_h5_read_long_text(hid_t object, const char *name, char **text) {
    nb_status status = NB_OK;
    hid_t type, attribute = open_attribute(object, name, H5T_STRING, &type);
    *text = NULL;
    if (attribute < 0) return no_such(object, "text attribute", name);
    size_t size = H5Tget_size(type);
    if (H5Tis_variable_str(type) > 0) {
        char *found = variable_text(attribute);
        if (found) status = nb_copy_text(found, text);
        H5free_memory(found);
    } else if (size <= 1 << 24) {
        status = fixed_text(attribute, type, size, text);
    }
    if (status == NB_OK && !*text) status = no_such(object, "text attribute", name);
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
    if (attribute < 0) return no_such(object, "number attribute", name);
    herr_t result = H5Aread(attribute, memory_type, x);
    H5Tclose(type);
    H5Aclose(attribute);
    return result < 0 ? no_such(object, "number attribute", name) : NB_OK;
}

typedef struct taking {
    nb_h5_take_attribute *take;
    void *context;
    nb_status status;
} taking;

static herr_t take_attribute(hid_t object, const char *name, const H5A_info_t *about, void *context) {
    taking *t = context;
    (void)about;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return t->status = no_such(object, "attribute", name), -1;
    const hid_t type = H5Aget_type(attribute);
    const H5T_class_t kind = H5Tget_class(type);
    H5Tclose(type);
    H5Aclose(attribute);
    t->status = t->take(t->context, object, name, kind);
    return t->status == NB_OK ? 0 : -1;
}

nb_status nb_h5_each_attribute(hid_t object, nb_h5_take_attribute *take, void *context) {
    taking t = {take, context, NB_OK};
    hsize_t place = 0;
    const herr_t result = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &place, take_attribute, &t);
    if (result < 0 && t.status == NB_OK) return no_such(object, "attributes", "");
    return t.status;
}

/* Whether so many elements, or a chunk of the data set, can come from what the file holds of it: a damaged size must
 * not make HDF5 or us clear gigabytes of memory. Deflate shrinks to a 1032nd at best. Data in other files are refused.
 */
static int is_plausible(hid_t dataset, hsize_t elements) {
    hsize_t chunk[H5S_MAX_RANK], file_bytes = 0, stored = H5Dget_storage_size(dataset);
    hid_t type = H5Dget_type(dataset), layout = H5Dget_create_plist(dataset), file = H5Iget_file_id(dataset);
    double size = (double)H5Tget_size(type), chunk_elements = 1;
    int elsewhere = H5Pget_layout(layout) == H5D_VIRTUAL || H5Pget_external_count(layout) > 0;
    int rank = H5Pget_layout(layout) == H5D_CHUNKED ? H5Pget_chunk(layout, H5S_MAX_RANK, chunk) : 0;
    for (int i = 0; i < rank; i++) chunk_elements *= (double)chunk[i];
    if (H5Fget_filesize(file, &file_bytes) >= 0 && stored > file_bytes) stored = file_bytes;
    H5Fclose(file);
    H5Pclose(layout);
    H5Tclose(type);
    double most = 1032 * (double)stored;
    return !elsewhere && (double)elements * size <= most && (elements == 0 || chunk_elements * size <= most);
}

/* opens a dataset of this rank and finds its extents */
static nb_status open_dataset(hid_t group, const char *name, int rank, hsize_t *dims, hid_t *dataset) {
    *dataset = nb_h5_has(group, name) ? H5Dopen2(group, name, H5P_DEFAULT) : -1;
    if (*dataset < 0) return no_such(group, "dataset", name);
    hid_t space = H5Dget_space(*dataset);
    hsize_t extent[H5S_MAX_RANK], elements = 1;
    int found = H5Sget_simple_extent_ndims(space), good = found == rank;
    if (good) H5Sget_simple_extent_dims(space, extent, NULL);
    for (int i = 0; good && i < rank; i++) {
        dims[i] = extent[i];
        good = extent[i] <= INT32_MAX && (extent[i] == 0 || elements <= INT32_MAX / extent[i]);
        elements *= extent[i];
    }
    good = good && is_plausible(*dataset, elements);
    H5Sclose(space);
    if (good) return NB_OK;
    H5Dclose(*dataset);
    *dataset = -1;
    return no_such(group, "dataset", name);
}

nb_status nb_h5_dimensions(hid_t group, const char *name, int rank, hsize_t *dims) {
    hid_t dataset;
    nb_status status = open_dataset(group, name, rank, dims, &dataset);
    if (status == NB_OK) H5Dclose(dataset);
    return status;
}

nb_status nb_h5_read_array(hid_t group, const char *name, hid_t memory_type, size_t size, int rank, const hsize_t *dims,
                           void *data) {
    nb_status status;
    hsize_t found[NB_HDF5_MAX_RANK], elements = 1;
    hid_t dataset = -1, type = -1;
    NB_TRY(open_dataset(group, name, rank, found, &dataset));
    for (int i = 0; i < rank; i++) {
        elements *= dims[i];
        if (found[i] != dims[i])
            NB_TRY(nb_fail(NB_ERROR_INPUT, "dataset '%.80s' has %llu entries along axis %d where %llu belong", name,
                           (unsigned long long)found[i], i, (unsigned long long)dims[i]));
    }
    type = H5Dget_type(dataset);
    if (H5Tget_class(type) != H5Tget_class(memory_type)) {
        status = no_such(group, "dataset", name);
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

nb_status nb_h5_read_texts(hid_t group, const char *name, int count, char *first, size_t size, size_t stride) {
    char *packed = NULL;
    hsize_t dims[1] = {(hsize_t)count};
    hid_t type = text_type(size);
    nb_status status = nb_h5_read_array(group, name, type, size, 1, dims, &packed);
    for (int i = 0; status == NB_OK && i < count; i++) {
        memcpy(first + (size_t)i * stride, packed + (size_t)i * size, size);
        first[(size_t)i * stride + size - 1] = 0;
    }
    H5Tclose(type);
    nb_free(packed);
    return status;
}
