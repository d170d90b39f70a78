#include "hdf5_input.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/file_lock.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "bytes.h"

enum {
    LONGEST_NAME = 256,
    LONGEST_TEXT = 65536
};

struct nb_hdf5_input {
    hid_t file, links; /* how links are followed: within the file alone */
    int64_t bytes;     /* size of the file */
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
    if (input->links >= 0) H5Pclose(input->links);
    H5Eset_auto2(H5E_DEFAULT, input->printer, input->printer_data);
    nb_free(input->path);
    nb_free(input);
}

/* a regular file, and not one that is known to be no HDF5 file by its first bytes */
static nb_status check_file(const char *path, int64_t *bytes) {
    char begin[8];
    FILE *probe;
    struct stat entry = {.st_size = 0};
    nb_status status = nb_file_open(path, 'r', &probe);
    if (status != NB_OK) return status;
    if (fstat(fileno(probe), &entry) != 0)
        status = nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno));
    *bytes = (int64_t)entry.st_size;
    if (status == NB_OK) status = nb_bytes_check(path, begin, (int64_t)fread(begin, 1, sizeof begin, probe));
    fclose(probe);
    return status;
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

/* for HDF5 to ask before it opens another file */
static herr_t refuse_link(const char *file, const char *group, const char *other, const char *object, unsigned *flags,
                          hid_t access, void *context) {
    (void)file, (void)group, (void)other, (void)object, (void)flags, (void)access, (void)context;
    return -1;
}

nb_status nb_hdf5_open(const char *path, nb_hdf5_input **input) {
    nb_status status;
    nb_hdf5_input *in = NULL;
    NB_TRY(NB_ALLOCATE(1, &in));
    in->file = in->links = H5I_INVALID_HID;
    H5dont_atexit(); /* after a damaged file the clean-up of HDF5 1.10 at exit may never end */
    H5Eget_auto2(H5E_DEFAULT, &in->printer, &in->printer_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    NB_TRY(nb_copy_text(path, &in->path));
    NB_TRY(check_file(path, &in->bytes));
    if (H5Fis_hdf5(path) <= 0)
        NB_TRY(nb_fail(NB_ERROR_INPUT,
                       "'%s' is not an HDF5 file, and in no other format of problems (Siconos's text, Matrix Market)",
                       path));
    in->links = H5Pcreate(H5P_DATASET_ACCESS); /* which is one for links as well */
    H5Pset_elink_cb(in->links, refuse_link, NULL);
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
    snprintf(full, sizeof full, "%s/%s", group, name);
    return H5Lexists(input->file, full, input->links) > 0;
}

static nb_status bad(const nb_hdf5_input *input, const char *group, const char *name, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "'%s': %s/%s %s", input->path, group, name, what);
}

/* Why there is no object of this path: the first part of it at which the way ends. */
static nb_status explain_missing(const nb_hdf5_input *input, const char *full) {
    char part[LONGEST_NAME];
    H5L_info_t link;
    for (size_t end = strcspn(full + 1, "/") + 1;; end += strcspn(full + end + 1, "/") + 1) {
        snprintf(part, sizeof part, "%.*s", (int)end, full);
        htri_t there = H5Lexists(input->file, part, input->links);
        if (there == 0 || (there > 0 && H5Lget_info(input->file, part, &link, input->links) < 0))
            return bad(input, "", part + 1, "is missing");
        if (there < 0) break; /* what stands before it is no group */
        if (link.type != H5L_TYPE_HARD && H5Oexists_by_name(input->file, part, input->links) <= 0)
            return bad(input, "", part + 1,
                       link.type == H5L_TYPE_EXTERNAL ? "is a link into another file: these are not followed"
                                                      : "is a link to what this file does not have");
        if (!full[end]) break;
    }
    return bad(input, "", full + 1, "is no readable dataset");
}

/* Where the numbers are: not in other files, and no more of them than bytes that could hold them, even deflated (1032
 * to 1 at best). */
static nb_status check_storage(const nb_hdf5_input *input, const char *group, const char *name, hid_t dataset,
                               int64_t count, size_t size) {
    hid_t plist = H5Dget_create_plist(dataset);
    H5D_layout_t layout = plist < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(plist);
    int own = layout >= 0 && layout != H5D_VIRTUAL && H5Pget_external_count(plist) == 0;
    int plain = layout >= 0 && H5Pget_nfilters(plist) == 0;
    if (plist >= 0) H5Pclose(plist);
    if (!own) return bad(input, group, name, "has its numbers in other files: these are not read");
    double stored = fmin((double)H5Dget_storage_size(dataset), (double)input->bytes);
    if ((double)count * (double)size <= (plain ? 1 : 1100) * stored) return NB_OK;
    return bad(input, group, name, "claims more elements than the file holds");
}

/* NB_OK where HDF5 can undo what was done to the stored numbers. */
static nb_status check_filters(const nb_hdf5_input *input, const char *group, const char *name, hid_t dataset) {
    nb_status status = NB_OK;
    hid_t plist = H5Dget_create_plist(dataset);
    int count = plist < 0 ? 0 : H5Pget_nfilters(plist);
    for (int i = 0; i < count && status == NB_OK; i++) {
        char filter[64] = "";
        unsigned flags, config;
        size_t values = 0;
        H5Z_filter_t id = H5Pget_filter2(plist, (unsigned)i, &flags, &values, NULL, sizeof filter, filter, &config);
        if (id < 0 || H5Zfilter_avail(id) <= 0)
            status = nb_fail(NB_ERROR_INPUT,
                             "'%s': %s/%s is compressed by HDF5's filter %d%s%.40s%s, which is not installed: write it "
                             "with gzip, or without",
                             input->path, group, name, (int)id, *filter ? " (" : "", filter, *filter ? ")" : "");
    }
    if (plist >= 0) H5Pclose(plist);
    return status;
}

/* whole numbers and floating-point ones of at most 8 bytes: MATLAB has indices as the latter, numpy coefficients as the
 * former */
static nb_status check_type(const nb_hdf5_input *input, const char *group, const char *name, hid_t type) {
    H5T_class_t kind = H5Tget_class(type);
    if (kind != H5T_INTEGER && kind != H5T_FLOAT)
        return bad(input, group, name, kind == H5T_STRING ? "holds text, expected numbers" : "does not hold numbers");
    if (H5Tget_size(type) > sizeof(double)) return bad(input, group, name, "holds numbers of more than 64 bits");
    return NB_OK;
}

/* one dimension, where those of extent 1 are no dimensions: n, n x 1, 1 x n, 1, or one number without any */
static nb_status check_shape(const nb_hdf5_input *input, const char *group, const char *name, hid_t space,
                             int64_t *count) {
    hsize_t extent[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(space, extent, NULL), longer = 0;
    hssize_t points = H5Sget_simple_extent_npoints(space);
    if (rank < 0 || points < 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
        return bad(input, group, name, "holds nothing");
    for (int i = 0; i < rank; i++) longer += extent[i] != 1;
    if (longer > 1)
        return nb_fail(NB_ERROR_INPUT, "'%s': %s/%s has %d dimensions (%llu x %llu%s), expected one", input->path,
                       group, name, rank, (unsigned long long)extent[0], (unsigned long long)extent[1],
                       rank > 2 ? " x .." : "");
    if (points > INT32_MAX) return bad(input, group, name, "has more than 2^31 - 1 elements");
    *count = points;
    return NB_OK;
}

/* opens GROUP/NAME and checks type, shape and storage */
static nb_status open_dataset(const nb_hdf5_input *input, const char *group, const char *name, hid_t *dataset,
                              hid_t *type, int64_t *count) {
    nb_status status = NB_OK;
    char full[LONGEST_NAME];
    hid_t space = H5I_INVALID_HID;
    *dataset = *type = H5I_INVALID_HID;
    NB_TRY(nb_interrupt_check());
    snprintf(full, sizeof full, "%s/%s", group, name);
    *dataset = H5Dopen2(input->file, full, input->links);
    if (*dataset < 0) NB_TRY(explain_missing(input, full));
    *type = H5Dget_type(*dataset);
    space = H5Dget_space(*dataset);
    if (*type < 0 || space < 0) NB_TRY(bad(input, group, name, "is no readable dataset"));
    NB_TRY(check_type(input, group, name, *type));
    NB_TRY(check_shape(input, group, name, space, count));
    NB_TRY(check_filters(input, group, name, *dataset));
    if (*count > 0) NB_TRY(check_storage(input, group, name, *dataset, *count, H5Tget_size(*type)));
out:
    if (space >= 0) H5Sclose(space);
    if (status != NB_OK && *type >= 0) H5Tclose(*type);
    if (status != NB_OK && *dataset >= 0) H5Dclose(*dataset);
    return status;
}

/* the elements as they are in memory, of `size` bytes */
static nb_status read_elements(const nb_hdf5_input *input, const char *group, const char *name, hid_t dataset,
                               hid_t memory_type, size_t size, int64_t count, void *values) {
    void *data = NULL;
    nb_status status = nb_allocate(count, size, &data);
    if (status == NB_OK && count > 0 && H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        nb_free(data);
        data = NULL;
        status = bad(input, group, name, "cannot be read: the file is damaged");
    }
    memcpy(values, &data, sizeof data);
    return status;
}

/* 32-bit integers of numbers that may be none; whole ones of 64 bits lose digits only where they are too large */
static nb_status read_whole(const nb_hdf5_input *input, const char *group, const char *name, hid_t dataset,
                            int64_t count, int32_t **values) {
    double *found = NULL;
    nb_status status;
    NB_TRY(read_elements(input, group, name, dataset, H5T_NATIVE_DOUBLE, sizeof *found, count, &found));
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(found[i]) <= INT32_MAX) || found[i] != floor(found[i]))
            NB_TRY(nb_fail(NB_ERROR_INPUT, "'%s': %s/%s holds %g at index %lld: expected a whole number below 2^31",
                           input->path, group, name, found[i], (long long)i));
    NB_TRY(NB_ALLOCATE(count, values));
    for (int64_t i = 0; i < count; i++) (*values)[i] = (int32_t)found[i];
out:
    nb_free(found);
    return status;
}

nb_status nb_hdf5_read_integers(const nb_hdf5_input *input, const char *group, const char *name, int64_t *count,
                                int32_t **values) {
    hid_t dataset, type;
    *values = NULL;
    nb_status status = open_dataset(input, group, name, &dataset, &type, count);
    if (status != NB_OK) return status;
    int fits = H5Tget_class(type) == H5T_INTEGER && (H5Tget_size(type) < 4 || H5Tget_sign(type) == H5T_SGN_2) &&
               H5Tget_size(type) <= sizeof(int32_t);
    status = fits ? read_elements(input, group, name, dataset, H5T_NATIVE_INT32, sizeof(int32_t), *count, values)
                  : read_whole(input, group, name, dataset, *count, values);
    H5Tclose(type);
    H5Dclose(dataset);
    return status;
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
    hid_t dataset, type;
    *values = NULL;
    nb_status status = open_dataset(input, group, name, &dataset, &type, count);
    if (status != NB_OK) return status;
    status = read_elements(input, group, name, dataset, H5T_NATIVE_DOUBLE, sizeof(double), *count, values);
    H5Tclose(type);
    H5Dclose(dataset);
    for (int64_t i = 0; status == NB_OK && i < *count; i++)
        if (!isfinite((*values)[i])) {
            double found = (*values)[i];
            nb_free(*values);
            *values = NULL;
            return nb_fail(NB_ERROR_INPUT, "'%s': %s/%s holds %g at index %lld", input->path, group, name, found,
                           (long long)i);
        }
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
    hid_t dataset = nb_hdf5_has(input, group, name) ? H5Dopen2(input->file, full, input->links) : H5I_INVALID_HID;
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
