#include "record/result_file.h"

#include <string.h>

#include "base/memory.h"
#include "record/group.h"
#include "record/h5.h"
#include "record/partial.h"
#include "record/whole.h"

static nb_status write_file(hid_t file, const nb_result_file *about, const nb_members *members, const void *data) {
    nb_status status;
    const int32_t version = 2;
    char now[32];
    hid_t group = -1;
    nb_time_now(now);
    NB_TRY(nb_h5_write_text(file, "schema", about->schema));
    NB_TRY(nb_h5_write_integer(file, "schema_version", H5T_NATIVE_INT32, &version));
    NB_TRY(nb_h5_write_text(file, "created", now));
    NB_TRY(nb_h5_write_text(file, "command", about->command));
    NB_TRY(nb_h5_write_text(file, "inputs", about->inputs));
    NB_TRY(nb_group_write(file, members, data));
    NB_TRY(nb_h5_create_group(file, "provenance", &group));
    NB_TRY(nb_group_write(group, &nb_provenance_members, about->provenance));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

nb_status nb_result_file_write(const char *path, const nb_result_file *about, const nb_members *members,
                               const void *data) {
    char *partial;
    hid_t file = -1;
    nb_h5_quiet();
    nb_status status = nb_partial_begin(path, &partial);
    if (status != NB_OK) return status;
    status = nb_h5_create_file(partial, path, &file);
    if (status == NB_OK) status = write_file(file, about, members, data);
    if (file >= 0 && H5Fclose(file) < 0 && status == NB_OK) status = nb_h5_fault(path);
    if (status == NB_OK) status = nb_whole_written(partial, path);
    status = nb_partial_end(status, partial, path);
    nb_free(partial);
    return status;
}

nb_status nb_result_file_read(const char *path, const char *schema, const nb_members *members, void *data) {
    nb_status status;
    hid_t file = -1;
    char text[64];
    nb_h5_quiet();
    NB_TRY(nb_h5_open_file(path, path, H5F_ACC_RDONLY, &file));
    if (nb_h5_read_text(file, "schema", text, sizeof text) != NB_OK || strcmp(text, schema) != 0)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.200s': schema is not %s", path, schema));
    NB_TRY(nb_group_read(file, members, data));
out:
    if (file >= 0) H5Fclose(file);
    return status;
}
