#include "record/whole.h"

#include <hdf5.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/safe_read.h"
#include "record/h5.h"

enum {
    MOST_DEPTH = 64,            /* of groups in groups: ours have 5 */
    BLOCK_BYTES = 1 << 20,      /* of data that are not in chunks */
    MOST_BLOCK_BYTES = 1 << 28, /* of a chunk or an attribute: ours have 128 kB */
    NAME_SIZE = 300
};

static nb_status cannot_read(hid_t object, const char *name) {
    char at[NAME_SIZE] = "";
    if (object >= 0) H5Iget_name(object, at, sizeof at);
    H5Eclear2(H5E_DEFAULT);
    return nb_fail(NB_ERROR_INPUT, "'%s%s%.100s' cannot be read: the file is damaged", at,
                   *name && at[0] && at[1] ? "/" : "", name);
}

/* ---- numbers ---- */

/* room for `elements` of the type */
static nb_status make_room(hsize_t elements, hid_t type, void **room) {
    const size_t size = H5Tget_size(type);
    if (size == 0 || elements > MOST_BLOCK_BYTES / size)
        return nb_fail(NB_ERROR_INPUT, "a block of %llu elements is larger than any", (unsigned long long)elements);
    return nb_allocate((int64_t)elements + 1, size, room);
}

/* gives back what HDF5 allocated for elements without a fixed size */
static void let_go(hid_t type, hid_t space, void *data) {
    if (H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, data);
}

static nb_status read_attribute(void *context, hid_t object, const char *name, H5T_class_t kind) {
    nb_status status = NB_OK;
    void *data = NULL;
    (void)context, (void)kind;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return cannot_read(object, name);
    const hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count > 0) {
        NB_TRY(make_room((hsize_t)count, type, &data));
        if (H5Aread(attribute, type, data) < 0)
            status = cannot_read(object, name);
        else
            let_go(type, space, data);
    }
out:
    nb_free(data);
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return status;
}

/* a dataset being read block by block */
typedef struct blocks {
    hid_t dataset, type, space;
    int rank;
    hsize_t extent[H5S_MAX_RANK], block[H5S_MAX_RANK], start[H5S_MAX_RANK];
} blocks;

/* the chunks that the file has, each of which is then unpacked once; else as many rows as a block may have */
static void find_block(blocks *b) {
    const hid_t layout = H5Dget_create_plist(b->dataset);
    hsize_t row = H5Tget_size(b->type);
    if (H5Pget_layout(layout) != H5D_CHUNKED || H5Pget_chunk(layout, b->rank, b->block) != b->rank) {
        for (int i = 0; i < b->rank; i++) b->block[i] = b->extent[i];
        for (int i = 1; i < b->rank; i++) row *= b->extent[i];
        const hsize_t rows = row > 0 && row < BLOCK_BYTES ? BLOCK_BYTES / row : 1;
        if (b->rank > 0 && b->block[0] > rows) b->block[0] = rows;
    }
    H5Pclose(layout);
}

static int next_block(blocks *b) {
    for (int i = b->rank - 1; i >= 0; b->start[i--] = 0)
        if ((b->start[i] += b->block[i]) < b->extent[i]) return 1;
    return 0;
}

static nb_status read_block(const blocks *b, void *data) {
    hsize_t count[H5S_MAX_RANK];
    for (int i = 0; i < b->rank; i++) {
        const hsize_t left = b->extent[i] - b->start[i];
        count[i] = left < b->block[i] ? left : b->block[i];
    }
    const hid_t memory = H5Screate_simple(b->rank, count, NULL);
    herr_t read = b->rank > 0 ? H5Sselect_hyperslab(b->space, H5S_SELECT_SET, b->start, NULL, count, NULL) : 0;
    if (read >= 0) read = H5Dread(b->dataset, b->type, memory, b->space, H5P_DEFAULT, data);
    if (read >= 0) let_go(b->type, memory, data);
    H5Sclose(memory);
    return read < 0 ? cannot_read(b->dataset, "") : NB_OK;
}

static nb_status read_blocks(blocks *b) {
    nb_status status;
    hsize_t elements = 1;
    void *data = NULL;
    find_block(b);
    for (int i = 0; i < b->rank; i++) {
        if (b->block[i] > b->extent[i]) b->block[i] = b->extent[i];
        elements *= b->block[i];
        if (b->block[i] == 0 || elements > MOST_BLOCK_BYTES) return cannot_read(b->dataset, "");
    }
    NB_TRY(make_room(elements, b->type, &data));
    do NB_TRY(read_block(b, data));
    while (next_block(b));
out:
    nb_free(data);
    return status;
}

static nb_status read_dataset(hid_t dataset) {
    blocks b = {.dataset = dataset, .type = H5Dget_type(dataset), .space = H5Dget_space(dataset)};
    b.rank = H5Sget_simple_extent_ndims(b.space);
    nb_status status = b.type < 0 || b.rank < 0 ? cannot_read(dataset, "") : NB_OK;
    if (b.rank > 0) H5Sget_simple_extent_dims(b.space, b.extent, NULL);
    if (status == NB_OK && H5Sget_simple_extent_npoints(b.space) > 0) status = read_blocks(&b);
    if (b.space >= 0) H5Sclose(b.space);
    if (b.type >= 0) H5Tclose(b.type);
    return status;
}

/* ---- objects ---- */

typedef struct walk {
    int depth;
    nb_status status;
} walk;

static nb_status read_group(hid_t group, int depth);

static nb_status read_object(hid_t object, int depth) {
    nb_status status = nb_h5_each_attribute(object, read_attribute, NULL);
    const H5I_type_t kind = H5Iget_type(object);
    if (status == NB_OK && kind == H5I_GROUP) status = read_group(object, depth);
    if (status == NB_OK && kind == H5I_DATASET) status = read_dataset(object);
    return status;
}

/* Other names of an object are only opened. */
static herr_t read_link(hid_t group, const char *name, const H5L_info_t *link, void *context) {
    walk *w = context;
    if (link->type != H5L_TYPE_HARD && link->type != H5L_TYPE_SOFT) return 0;
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0) return w->status = cannot_read(group, name), -1;
    if (link->type == H5L_TYPE_HARD) w->status = read_object(object, w->depth + 1);
    H5Oclose(object);
    return w->status == NB_OK ? 0 : -1;
}

static nb_status read_group(hid_t group, int depth) {
    walk w = {depth, NB_OK};
    if (depth > MOST_DEPTH) return cannot_read(group, "");
    const herr_t done = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, read_link, &w);
    return done < 0 && w.status == NB_OK ? cannot_read(group, "") : w.status;
}

nb_status nb_whole_read(const char *path) {
    nb_status status;
    char cause[NAME_SIZE];
    hid_t file = -1, root = -1;
    NB_TRY(nb_h5_open_apart(path, &file));
    root = H5Gopen2(file, "/", H5P_DEFAULT);
    NB_TRY(root < 0 ? cannot_read(-1, "/") : read_object(root, 0));
out:
    if (root >= 0) H5Gclose(root);
    if (file >= 0) H5Fclose(file);
    H5Eclear2(H5E_DEFAULT);
    if (status != NB_ERROR_INPUT) return status;
    snprintf(cause, sizeof cause, "%s", nb_error_message());
    return nb_fail(status, "'%.200s': %s", path, cause);
}

nb_status nb_whole_written(const char *path, const char *shown) {
    char cause[NAME_SIZE + 200];
    const nb_status status = nb_safe_read(path, nb_whole_read);
    if (status == NB_OK || status == NB_ERROR_MEMORY) return status;
    snprintf(cause, sizeof cause, "%s", nb_error_message());
    return nb_fail(NB_ERROR_IO, "cannot write '%.200s': what was written cannot be read back: %s", shown, cause);
}
