/* Stands in for the files that use HDF5 where a machine does not have it: nothing can be recorded or read back, and
 * whoever tries is told. What works on an open record is never reached, for none can be opened. */
#include <stdio.h>

#include "exchange/write_fclib.h"
#include "record/hdf5_version.h"
#include "record/record.h"

static nb_status lacks(const char *path) {
    return nb_fail(NB_ERROR_UNSUPPORTED,
                   "'%.200s': this program was built without HDF5 and has no records; 'ncpbench bench -o FILE.tsv' "
                   "leaves text, of which 'ncpbench import' makes a record elsewhere",
                   path);
}

void nb_hdf5_version(char *text, size_t size) {
    snprintf(text, size, "none");
}

nb_status nb_record_create_at(const char *path, const char *title, const char *command, const char *created,
                              const nb_provenance *provenance, nb_record **record) {
    (void)title, (void)command, (void)created, (void)provenance;
    *record = NULL;
    return lacks(path);
}

nb_status nb_record_create(const char *path, const char *title, const char *command, const nb_provenance *provenance,
                           nb_record **record) {
    return nb_record_create_at(path, title, command, NULL, provenance, record);
}

nb_status nb_record_append(const char *path, nb_record **record) {
    *record = NULL;
    return lacks(path);
}

nb_status nb_record_continue(const char *path, const char *source, nb_record **record) {
    (void)source;
    *record = NULL;
    return lacks(path);
}

int nb_record_count(const nb_record *record) {
    (void)record;
    return 0;
}

nb_status nb_record_write_run(nb_record *record, const nb_run *run) {
    (void)record, (void)run;
    return lacks("record");
}

nb_status nb_record_write_timings(nb_record *record, const nb_timing *timings, int count) {
    (void)record, (void)timings, (void)count;
    return lacks("record");
}

nb_status nb_record_close(nb_record *record, int keep) {
    (void)record, (void)keep;
    return NB_OK;
}

nb_status nb_record_open(const char *path, nb_record_reader **reader) {
    *reader = NULL;
    return lacks(path);
}

int nb_record_run_count(const nb_record_reader *reader) {
    (void)reader;
    return 0;
}

nb_status nb_record_expect_runs(const nb_record_reader *reader, const char *name) {
    (void)reader;
    return lacks(name);
}

const nb_provenance *nb_record_provenance(const nb_record_reader *reader) {
    static const nb_provenance none;
    (void)reader;
    return &none;
}

const char *nb_record_attribute(const nb_record_reader *reader, const char *name) {
    (void)reader, (void)name;
    return "";
}

nb_status nb_record_read_head(nb_record_reader *reader, int i, const nb_run_head **head) {
    (void)reader, (void)i;
    *head = NULL;
    return lacks("record");
}

nb_status nb_record_read_run(nb_record_reader *reader, int i, nb_run **run) {
    (void)reader, (void)i;
    *run = NULL;
    return lacks("record");
}

nb_status nb_record_read_system(nb_record_reader *reader, int run, int32_t step, int32_t newton,
                                nb_stored_system *system) {
    (void)reader, (void)run;
    *system = (nb_stored_system){.step = step, .newton = newton};
    return lacks("record");
}

nb_status nb_record_read_systems(nb_record_reader *reader, int i, nb_run *run) {
    (void)reader, (void)i, (void)run;
    return lacks("record");
}

nb_status nb_record_read_timings(nb_record_reader *reader, nb_timing **timings, int *count) {
    (void)reader;
    *timings = NULL;
    *count = 0;
    return lacks("record");
}

void nb_record_reader_close(nb_record_reader *reader) {
    (void)reader;
}

nb_status nb_fclib_write(const char *path, const nb_contact_problem *problem, int global, const char *title,
                         const char *description) {
    (void)problem, (void)global, (void)title, (void)description;
    return nb_fail(NB_ERROR_UNSUPPORTED, "'%.200s': this program was built without HDF5, in which FCLIB files are",
                   path);
}
