#include "record/merge.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/group.h"
#include "record/h5.h"
#include "record/record_file.h"

enum {
    NAME = 64
};

/* ---- dimension scales ---- */

/* The scale's address: its name would be searched for in the whole file. */
static herr_t take_scale(hid_t dataset, unsigned dimension, hid_t scale, void *address) {
    H5O_info_t info;
    (void)dataset, (void)dimension;
    if (H5Oget_info2(scale, &info, H5O_INFO_BASIC) < 0) return -1;
    *(haddr_t *)address = info.addr;
    return 1; /* the first will do */
}

/* a group whose copies of datasets refer to scales of the group that they were copied from */
typedef struct relinking {
    hid_t from, to;
    haddr_t *addresses; /* [links] of the group's datasets, with their names */
    char (*links)[NAME];
    int64_t link_count, address_capacity, link_capacity;
    char (*names)[NAME]; /* [capacity] of datasets that have scales */
    nb_h5_scaled *datasets;
    int64_t count, name_capacity, capacity;
    char axes[NB_HDF5_MOST_AXES][NAME];
    int axis_count;
} relinking;

static int find_axis(relinking *r, haddr_t address) {
    int64_t k = 0;
    int i = 0;
    while (k < r->link_count && r->addresses[k] != address) k++;
    if (k == r->link_count) return -1;
    const char *name = r->links[k];
    while (i < r->axis_count && strcmp(r->axes[i], name) != 0) i++;
    if (i == r->axis_count && i < NB_HDF5_MOST_AXES) snprintf(r->axes[r->axis_count++], NAME, "%s", name);
    return i < NB_HDF5_MOST_AXES ? i : -1;
}

static nb_status look_at(relinking *r, const char *name) {
    nb_status status = NB_OK;
    hid_t dataset = H5Dopen2(r->from, name, H5P_DEFAULT), space = H5Dget_space(dataset), copy = -1;
    nb_h5_scaled scaled = {.rank = H5Sget_simple_extent_ndims(space)};
    if (dataset < 0 || H5Aexists(dataset, "DIMENSION_LIST") <= 0) goto out;
    for (int d = 0; d < scaled.rank; d++) {
        haddr_t address = HADDR_UNDEF;
        H5DSiterate_scales(dataset, (unsigned)d, NULL, take_scale, &address);
        scaled.axis[d] = address != HADDR_UNDEF ? find_axis(r, address) : -1;
    }
    NB_TRY(NB_RESERVE(r->count + 1, &r->name_capacity, &r->names));
    NB_TRY(NB_RESERVE(r->count + 1, &r->capacity, &r->datasets));
    snprintf(r->names[r->count], NAME, "%s", name);
    r->datasets[r->count++] = scaled;
    copy = H5Dopen2(r->to, name, H5P_DEFAULT);
    if (H5Adelete(copy, "DIMENSION_LIST") < 0) status = nb_h5_fault("cannot copy a dataset's scales");
out:
    if (copy >= 0) H5Dclose(copy);
    if (space >= 0) H5Sclose(space);
    if (dataset >= 0) H5Dclose(dataset);
    return status;
}

static nb_status attach(relinking *r) {
    const char *axes[NB_HDF5_MOST_AXES];
    for (int i = 0; i < r->axis_count; i++) {
        axes[i] = r->axes[i];
        hid_t scale = H5Dopen2(r->to, axes[i], H5P_DEFAULT);
        if (H5Aexists(scale, "REFERENCE_LIST") > 0) H5Adelete(scale, "REFERENCE_LIST");
        H5Dclose(scale);
    }
    for (int64_t i = 0; i < r->count; i++) r->datasets[i].name = r->names[i];
    return r->count > 0 ? nb_h5_attach_scales(r->to, r->axis_count, axes, (int)r->count, r->datasets) : NB_OK;
}

static nb_status add_link(relinking *r, const char *name, haddr_t address) {
    nb_status status;
    NB_TRY(NB_RESERVE(r->link_count + 1, &r->address_capacity, &r->addresses));
    NB_TRY(NB_RESERVE(r->link_count + 1, &r->link_capacity, &r->links));
    r->addresses[r->link_count] = address;
    snprintf(r->links[r->link_count++], NAME, "%s", name);
out:
    return status;
}

/* what H5Ocopy leaves without scales gets those of its own group */
static nb_status relink(hid_t from, hid_t to) {
    nb_status status = NB_OK;
    relinking r = {.from = from, .to = to};
    H5G_info_t info;
    if (H5Gget_info(from, &info) < 0) NB_TRY(nb_h5_fault("cannot list a group"));
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[NAME];
        H5O_info_t object;
        H5Lget_name_by_idx(from, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (H5Oget_info_by_name2(from, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0) continue;
        if (object.type == H5O_TYPE_DATASET) NB_TRY(add_link(&r, name, object.addr));
        if (object.type != H5O_TYPE_GROUP) continue;
        hid_t inner_from = H5Gopen2(from, name, H5P_DEFAULT), inner_to = H5Gopen2(to, name, H5P_DEFAULT);
        status = relink(inner_from, inner_to);
        H5Gclose(inner_from);
        H5Gclose(inner_to);
        NB_TRY(status);
    }
    for (int64_t k = 0; k < r.link_count; k++) NB_TRY(look_at(&r, r.links[k]));
    NB_TRY(attach(&r));
out:
    nb_free(r.addresses);
    nb_free(r.links);
    nb_free(r.names);
    nb_free(r.datasets);
    return status;
}

/* ---- provenances and runs ---- */

nb_status nb_record_copy_provenance(nb_record *record, const nb_record_reader *reader, int place, int32_t *added) {
    return nb_record_file_outcome(record, nb_record_file_add_provenance(record, nb_record_created_at(reader, place),
                                                                        nb_record_command_at(reader, place),
                                                                        nb_record_provenance_at(reader, place), added));
}

nb_status nb_record_end_copies(nb_record *record) {
    return nb_record_file_outcome(record, nb_record_file_flush(record));
}

nb_status nb_record_reserve(nb_record *record, int64_t bytes) {
    return nb_record_file_reserve(record, bytes);
}

static nb_status set_provenance(hid_t run, int32_t provenance) {
    if (H5Aexists(run, "provenance") > 0) H5Adelete(run, "provenance");
    return nb_h5_write_integer(run, "provenance", H5T_NATIVE_INT32, &provenance);
}

nb_status nb_record_copy_run(nb_record *record, const nb_record_reader *reader, int i, int32_t provenance) {
    nb_status status = NB_OK;
    char from[NB_RUN_NAME], to[NB_RUN_NAME];
    hid_t source = -1, copy = -1, runs = nb_record_file_runs(record), all = nb_record_reader_runs(reader);
    nb_record_run_name(from, i, nb_record_digits(all));
    nb_record_next_name(record, to);
    source = H5Gopen2(all, from, H5P_DEFAULT);
    if (H5Ocopy(all, from, runs, to, H5P_DEFAULT, H5P_DEFAULT) < 0) NB_TRY(nb_h5_fault("cannot copy a run"));
    copy = H5Gopen2(runs, to, H5P_DEFAULT);
    NB_TRY(relink(source, copy));
    NB_TRY(set_provenance(copy, provenance));
    NB_TRY(nb_record_file_counted(record));
out:
    if (source >= 0) H5Gclose(source);
    if (copy >= 0) H5Gclose(copy);
    return nb_record_file_outcome(record, status);
}

/* ---- whether runs are the same ---- */

/* in seconds, or the order in which repetitions were made */
static int is_of_time(hid_t dataset, const char *name) {
    char units[16] = "";
    if (H5Aexists(dataset, "units") > 0) nb_h5_read_text(dataset, "units", units, sizeof units);
    return strcmp(units, "s") == 0 || strcmp(name, "order") == 0;
}

static nb_status read_bytes(hid_t dataset, void **data, int64_t *size) {
    nb_status status = NB_OK;
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    *size = (int64_t)H5Tget_size(type) * H5Sget_simple_extent_npoints(space);
    NB_TRY(nb_allocate(*size + 1, 1, data));
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0)
        *size = 0; /* texts stand in attributes */
    else if (*size > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) < 0)
        NB_TRY(nb_h5_fault("cannot read a dataset"));
out:
    H5Tclose(type);
    H5Sclose(space);
    return status;
}

static nb_status compare_datasets(hid_t a, hid_t b, const char *name, int *same) {
    nb_status status = NB_OK;
    void *x = NULL, *y = NULL;
    int64_t size_x, size_y;
    hid_t of_a = H5Dopen2(a, name, H5P_DEFAULT), of_b = H5Dopen2(b, name, H5P_DEFAULT);
    if (of_b < 0 || of_a < 0) *same = 0;
    if (!*same || is_of_time(of_a, name)) goto out;
    NB_TRY(read_bytes(of_a, &x, &size_x));
    NB_TRY(read_bytes(of_b, &y, &size_y));
    *same = size_x == size_y && memcmp(x, y, (size_t)size_x) == 0;
out:
    nb_free(x);
    nb_free(y);
    if (of_a >= 0) H5Dclose(of_a);
    if (of_b >= 0) H5Dclose(of_b);
    return status;
}

static nb_status compare_groups(hid_t a, hid_t b, int *same) {
    nb_status status = NB_OK;
    H5G_info_t info, other;
    if (H5Gget_info(a, &info) < 0 || H5Gget_info(b, &other) < 0) NB_TRY(nb_h5_fault("cannot list a group"));
    *same = info.nlinks == other.nlinks;
    for (hsize_t i = 0; *same && i < info.nlinks; i++) {
        char name[NAME];
        H5O_info_t object;
        H5Lget_name_by_idx(a, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (H5Oget_info_by_name2(a, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0) continue;
        if (object.type == H5O_TYPE_DATASET) NB_TRY(compare_datasets(a, b, name, same));
        if (object.type != H5O_TYPE_GROUP) continue;
        *same = nb_h5_has(b, name);
        if (!*same) break;
        hid_t inner_a = H5Gopen2(a, name, H5P_DEFAULT), inner_b = H5Gopen2(b, name, H5P_DEFAULT);
        status = compare_groups(inner_a, inner_b, same);
        H5Gclose(inner_a);
        H5Gclose(inner_b);
        NB_TRY(status);
    }
out:
    return status;
}

nb_status nb_record_same_results(const nb_record_reader *a, int i, const nb_record_reader *b, int j, int *same) {
    char of_a[NB_RUN_NAME], of_b[NB_RUN_NAME];
    hid_t runs_a = nb_record_reader_runs(a), runs_b = nb_record_reader_runs(b);
    nb_record_run_name(of_a, i, nb_record_digits(runs_a));
    nb_record_run_name(of_b, j, nb_record_digits(runs_b));
    hid_t x = H5Gopen2(runs_a, of_a, H5P_DEFAULT), y = H5Gopen2(runs_b, of_b, H5P_DEFAULT);
    const nb_status status = x < 0 || y < 0 ? nb_h5_fault("cannot open a run") : compare_groups(x, y, same);
    if (x >= 0) H5Gclose(x);
    if (y >= 0) H5Gclose(y);
    return status;
}
