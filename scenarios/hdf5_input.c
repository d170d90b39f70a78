#include "hdf5_input.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_lock.h"
#include "base/memory.h"

enum {
    LONGEST_NAME = 256,
    LONGEST_TEXT = 65536
};

struct nb_hdf5_input {
    hid_t file;
    int64_t bytes; /* size of the file */
    char *path;
    H5E_auto2_t printer; /* what printed HDF5's own errors before */
    void *printer_data;
};

const char *nb_hdf5_path(const nb_hdf5_input *input) {
    return input->path;
}

void nb_hdf5_close(nb_hdf5_input *input) {
    if (!input) return;
    if (input->file >= 0) H5Fclose(input->file);
    H5Eset_auto2(H5E_DEFAULT, input->printer, input->printer_data);
    nb_free(input->path);
    nb_free(input);
}

static nb_status check_file(const char *path, int64_t *bytes) {
    struct stat entry;
    if (stat(path, &entry) != 0) return nb_fail(NB_ERROR_IO, "cannot read '%s': %s", path, strerror(errno));
    if (S_ISDIR(entry.st_mode)) return nb_fail(NB_ERROR_IO, "cannot read '%s': it is a folder", path);
    if (!S_ISREG(entry.st_mode)) return nb_fail(NB_ERROR_IO, "cannot read '%s': it is not a regular file", path);
    *bytes = (int64_t)entry.st_size;
    return NB_OK;
}

/* the innermost description of HDF5's error, the one that says what happened */
static herr_t innermost(unsigned n, const H5E_error2_t *error, void *text) {
    if (n == 0 && error->desc) snprintf(text, 200, "%s", error->desc);
    return 0;
}

/* Files of newer formats note in their head that a program writes them, and keep that if it dies. */
static nb_status cannot_open(const char *path) {
    char cause[200] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, cause);
    if (strstr(cause, "already open for"))
        return nb_fail(NB_ERROR_IO,
                       "cannot read '%.200s': it is open elsewhere, or a program that wrote it died (then: h5clear -s)",
                       path);
    return nb_fail(NB_ERROR_INPUT, "'%.200s' is a damaged HDF5 file: it cannot be opened%s%s", path, *cause ? ": " : "",
                   cause);
}

/* Locked as HDF5 does it, or not where the file system has no locks. */
static nb_status open_file(const char *path, hid_t *file) {
    int absent;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, 1, 0);
    *file = H5Fopen(path, H5F_ACC_RDONLY, access);
    nb_status status = *file < 0 ? nb_file_lock_explain(path, path, 0, &absent) : NB_OK;
    if (*file < 0 && status == NB_OK && absent) {
        H5Pset_file_locking(access, 0, 1);
        *file = H5Fopen(path, H5F_ACC_RDONLY, access);
    }
    if (*file < 0 && status == NB_OK) status = cannot_open(path); /* before the next call, which drops the message */
    H5Pclose(access);
    return status;
}

nb_status nb_hdf5_open(const char *path, nb_hdf5_input **input) {
    nb_status status;
    nb_hdf5_input *in = NULL;
    NB_TRY(NB_ALLOCATE(1, &in));
    in->file = H5I_INVALID_HID;
    H5dont_atexit(); /* after a damaged file the clean-up of HDF5 1.10 at exit may never end */
    H5Eget_auto2(H5E_DEFAULT, &in->printer, &in->printer_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    NB_TRY(nb_copy_text(path, &in->path));
    NB_TRY(check_file(path, &in->bytes));
    FILE *probe = fopen(path, "rb");
    if (!probe) NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%s': %s", path, strerror(errno)));
    fclose(probe);
    if (H5Fis_hdf5(path) <= 0)
        NB_TRY(nb_fail(NB_ERROR_INPUT,
                       "'%s' is not an HDF5 file, and in no other format of problems (Siconos's text, Matrix Market)",
                       path));
    NB_TRY(open_file(path, &in->file));
out:
    if (status != NB_OK) {
        nb_hdf5_close(in);
        in = NULL;
    }
    *input = in;
    return status;
}

int nb_hdf5_has(const nb_hdf5_input *input, const char *group, const char *name) {
    char full[LONGEST_NAME];
    H5L_info_t link;
    snprintf(full, sizeof full, "%s/%s", group, name);
    return H5Lexists(input->file, full, H5P_DEFAULT) > 0 && H5Lget_info(input->file, full, &link, H5P_DEFAULT) >= 0 &&
           link.type == H5L_TYPE_HARD;
}

static nb_status bad(const nb_hdf5_input *input, const char *group, const char *name, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "'%s': %s/%s %s", input->path, group, name, what);
}

/* Data kept in other files, or more elements than bytes that could hold them, even deflated (1032 to 1 at best). */
static int is_honest(const nb_hdf5_input *input, hid_t dataset, int64_t count, size_t size) {
    hid_t plist = H5Dget_create_plist(dataset);
    if (plist < 0) return 0;
    H5D_layout_t layout = H5Pget_layout(plist);
    int own = layout != H5D_VIRTUAL && layout >= 0 && H5Pget_external_count(plist) == 0;
    int plain = H5Pget_nfilters(plist) == 0;
    H5Pclose(plist);
    double stored = fmin((double)H5Dget_storage_size(dataset), (double)input->bytes);
    return own && (double)count * (double)size <= (plain ? 1 : 1100) * stored;
}

/* opens GROUP/NAME and checks class, width and shape */
static nb_status open_dataset(const nb_hdf5_input *input, const char *group, const char *name, H5T_class_t kind,
                              size_t widest, hid_t *dataset, int64_t *count) {
    nb_status status = NB_OK;
    char full[LONGEST_NAME];
    hid_t type = H5I_INVALID_HID, space = H5I_INVALID_HID;
    *dataset = H5I_INVALID_HID;
    snprintf(full, sizeof full, "%s/%s", group, name);
    if (!nb_hdf5_has(input, group, name)) NB_TRY(bad(input, group, name, "is missing"));
    *dataset = H5Dopen2(input->file, full, H5P_DEFAULT);
    if (*dataset < 0) NB_TRY(bad(input, group, name, "is no readable dataset"));
    type = H5Dget_type(*dataset);
    space = H5Dget_space(*dataset);
    if (type < 0 || space < 0 || H5Tget_class(type) != kind || H5Tget_size(type) > widest)
        NB_TRY(bad(input, group, name,
                   kind == H5T_INTEGER ? "does not hold 32-bit integers" : "does not hold float64 numbers"));
    int rank = H5Sget_simple_extent_ndims(space);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    if (rank < 0 || rank > 1 || points < 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
        NB_TRY(bad(input, group, name, "is not one-dimensional"));
    if (points > INT32_MAX) NB_TRY(bad(input, group, name, "has more than 2^31 - 1 elements"));
    if (points > 0 && !is_honest(input, *dataset, points, H5Tget_size(type)))
        NB_TRY(bad(input, group, name, "claims more elements than the file holds"));
    *count = points;
out:
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (status != NB_OK && *dataset >= 0) H5Dclose(*dataset);
    return status;
}

/* reads a checked dataset into `count` elements of `size` bytes; closes it in every case */
static nb_status read_elements(const nb_hdf5_input *input, const char *group, const char *name, hid_t dataset,
                               hid_t memory_type, size_t size, int64_t count, void *values) {
    void *data = NULL;
    nb_status status = nb_allocate(count, size, &data);
    if (status == NB_OK && count > 0 && H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        nb_free(data);
        data = NULL;
        status = bad(input, group, name, "cannot be read: the file is damaged");
    }
    H5Dclose(dataset);
    memcpy(values, &data, sizeof data);
    return status;
}

nb_status nb_hdf5_read_integers(const nb_hdf5_input *input, const char *group, const char *name, int64_t *count,
                                int32_t **values) {
    hid_t dataset;
    *values = NULL;
    nb_status status = open_dataset(input, group, name, H5T_INTEGER, sizeof(int32_t), &dataset, count);
    if (status != NB_OK) return status;
    return read_elements(input, group, name, dataset, H5T_NATIVE_INT32, sizeof(int32_t), *count, values);
}

nb_status nb_hdf5_read_integer(const nb_hdf5_input *input, const char *group, const char *name, int32_t *value) {
    int64_t count;
    int32_t *values;
    nb_status status = nb_hdf5_read_integers(input, group, name, &count, &values);
    if (status != NB_OK) return status;
    if (count == 1) *value = values[0];
    nb_free(values);
    return count == 1 ? NB_OK : bad(input, group, name, "is not one number");
}

nb_status nb_hdf5_read_numbers(const nb_hdf5_input *input, const char *group, const char *name, int64_t *count,
                               double **values) {
    nb_status status;
    hid_t dataset;
    *values = NULL;
    NB_TRY(open_dataset(input, group, name, H5T_FLOAT, sizeof(double), &dataset, count));
    NB_TRY(read_elements(input, group, name, dataset, H5T_NATIVE_DOUBLE, sizeof(double), *count, values));
    for (int64_t i = 0; i < *count; i++)
        if (!isfinite((*values)[i])) {
            double found = (*values)[i];
            nb_free(*values);
            *values = NULL;
            return nb_fail(NB_ERROR_INPUT, "'%s': %s/%s holds %g at index %lld", input->path, group, name, found,
                           (long long)i);
        }
out:
    return status;
}

/* the bytes of a fixed-length string, or 0 where the dataset is none */
static size_t text_bytes(hid_t dataset, hid_t type) {
    hid_t space = H5Dget_space(dataset);
    hssize_t points = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    if (space >= 0) H5Sclose(space);
    if (type < 0 || points != 1 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) return 0;
    size_t size = H5Tget_size(type);
    return size <= LONGEST_TEXT ? size : 0;
}

nb_status nb_hdf5_read_text(const nb_hdf5_input *input, const char *group, const char *name, char **text) {
    char full[LONGEST_NAME];
    snprintf(full, sizeof full, "%s/%s", group, name);
    hid_t dataset = nb_hdf5_has(input, group, name) ? H5Dopen2(input->file, full, H5P_DEFAULT) : H5I_INVALID_HID;
    hid_t type = dataset < 0 ? H5I_INVALID_HID : H5Dget_type(dataset);
    size_t size = dataset < 0 ? 0 : text_bytes(dataset, type);
    nb_status status = nb_allocate((int64_t)size + 1, 1, text); /* one zero more than the file has */
    if (status == NB_OK && size > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0) (*text)[0] = 0;
    if (status == NB_OK)
        for (char *c = *text; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    if (type >= 0) H5Tclose(type);
    if (dataset >= 0) H5Dclose(dataset);
    return status;
}
