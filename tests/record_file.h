/* What tests of records share: a folder of their own, and things done in a process of their own. */
#ifndef NB_TESTS_RECORD_FILE_H
#define NB_TESTS_RECORD_FILE_H

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "random_run.h"
#include "record/record.h"

static char test_folder[64];

static inline int test_folder_create(void **state) {
    (void)state;
    snprintf(test_folder, sizeof test_folder, "/tmp/ncpbench-record-XXXXXX");
    return mkdtemp(test_folder) ? 0 : -1;
}

/* the path of a file in the folder; valid until the fourth call after it */
static inline const char *test_path(const char *name) {
    static char paths[4][400];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

/* how many files the folder has whose names contain `word` */
static inline int test_count_files(const char *word) {
    int count = 0;
    DIR *folder = opendir(test_folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += *entry->d_name != '.' && strstr(entry->d_name, word) != NULL;
    if (folder) closedir(folder);
    return count;
}

static inline int test_folder_empty(void **state) {
    (void)state;
    DIR *folder = opendir(test_folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) remove(test_path(entry->d_name));
    if (folder) closedir(folder);
    return 0;
}

static inline int test_folder_destroy(void **state) {
    test_folder_empty(state);
    return rmdir(test_folder);
}

static inline unsigned char *test_read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void test_write_bytes(const char *path, const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static inline void test_random_provenance(uint64_t *state, nb_provenance *provenance) {
    memset(provenance, 0, sizeof *provenance);
    test_random_members(state, &nb_provenance_members, provenance);
}

/* a record of `count` random runs, the i-th made from the seed `seed + i` */
static inline void test_write_record(const char *path, uint64_t seed, int count, const random_sizes *most) {
    nb_provenance provenance;
    nb_record *record;
    test_random_provenance(&seed, &provenance);
    CHECK_OK(nb_record_create(path, "a title", "ncpbench run", &provenance, &record));
    for (int i = 0; i < count; i++) {
        uint64_t own = seed + (uint64_t)i;
        nb_run *run = test_random_run(&own, most);
        CHECK_OK(nb_record_write_run(record, run));
        nb_run_destroy(run);
    }
    CHECK_OK(nb_record_close(record, 1));
}

/* run `i` with its systems, which random runs number on */
static inline nb_status test_read_run(nb_record_reader *reader, int i, nb_run **run) {
    nb_status status = nb_record_read_run(reader, i, run);
    for (int k = 0; status == NB_OK; k++) {
        nb_stored_system system;
        nb_status read = nb_record_read_system(reader, i, k / 2, k % 2, &system);
        if (read == NB_ERROR_INPUT) return NB_OK; /* there is none of this number */
        status = read == NB_OK ? nb_run_add_system(*run, &system) : read;
    }
    return status;
}

/* reads all there is; the first fault otherwise */
static inline nb_status test_read_record(const char *path) {
    nb_status status;
    nb_record_reader *reader = NULL;
    NB_TRY(nb_record_open(path, &reader));
    for (int i = 0; i < nb_record_run_count(reader) && status == NB_OK; i++) {
        nb_run *run;
        status = test_read_run(reader, i, &run);
        nb_run_destroy(run);
    }
out:
    nb_record_reader_close(reader);
    return status;
}

#endif
