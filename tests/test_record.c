/* Records: what is written comes back bit by bit; nothing that goes wrong costs what was there before. */
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "record/timing.h"
#include "record/whole.h"
#include "record_file.h"

/* Timings full of random numbers and their comparison, for tests of records and texts. */

static nb_timing test_random_timing(uint64_t *seed) {
    nb_timing t = {.contacts = 1 + (int32_t)nb_random_uniform(seed, 0, 1e6),
                   .scenes = 1 + (int32_t)nb_random_uniform(seed, 0, 1e4),
                   .threads = 1 + (int32_t)nb_random_uniform(seed, 0, 64),
                   .sample_count = 1 + (int32_t)nb_random_uniform(seed, 0, NB_TIMING_SAMPLES),
                   .median = nb_random_uniform(seed, 0, 1e3),
                   .least = nb_random_uniform(seed, 0, 1e3),
                   .most = nb_random_uniform(seed, 0, 1e3),
                   .triad = nb_random_uniform(seed, 0, 1e3),
                   .bytes = nb_random_bits(seed) % 2 ? NAN : nb_random_uniform(seed, 0, 1e3),
                   .fraction = nb_random_uniform(seed, 0, 1)};
    snprintf(t.kernel, sizeof t.kernel, "%.*s", (int)(nb_random_bits(seed) % 32),
             "a name as long as there is room for");
    snprintf(t.precision, sizeof t.precision, nb_random_bits(seed) % 2 ? "f32" : "f64");
    snprintf(t.device, sizeof t.device, nb_random_bits(seed) % 2 ? "cpu" : "emulated");
    snprintf(t.order, sizeof t.order, nb_random_bits(seed) % 2 ? "built" : "shuffled");
    for (int i = 0; i < NB_TIMING_SAMPLES; i++)
        t.samples[i] = i < t.sample_count ? nb_random_uniform(seed, 0, 1e3) : NAN;
    return t;
}

/* texts, then integers and numbers bit by bit, NaN included */
static void check_same_timing(const nb_timing *a, const nb_timing *b) {
    assert_string_equal(a->kernel, b->kernel);
    assert_string_equal(a->device, b->device);
    assert_string_equal(a->precision, b->precision);
    assert_string_equal(a->order, b->order);
    size_t first = offsetof(nb_timing, contacts);
    assert_memory_equal((const char *)a + first, (const char *)b + first, sizeof *a - first);
}

static const random_sizes small = {4, 4, 5, 4, 6, 7, 3, 3, 3, 9};
static const random_sizes large = {60, 12, 40, 30, 50, 200, 5, 20, 6, 300}; /* several chunks a dataset */
static const random_sizes nothing = {0};

/* opened to add runs, with a provenance of no words */
static nb_status continue_record(const char *path, nb_record **record) {
    const nb_provenance provenance = {0};
    return nb_record_continue(path, path, "ncpbench run more", &provenance, record);
}

TEST(test_round_trip) {
    enum {
        RUNS = 24
    };
    uint64_t seed = test_seed(), p = seed;
    nb_provenance provenance;
    nb_record *record;
    nb_record_reader *reader;
    nb_run *runs[RUNS], *back;
    test_random_provenance(&p, &provenance);
    CHECK_OK(nb_record_create(test_path("a.h5"), "a \"title\" of \xc3\xa9toiles", "ncpbench run 'x y'", &provenance,
                              &record));
    for (int i = 0; i < RUNS; i++) {
        uint64_t own = seed + (uint64_t)i;
        runs[i] = test_random_run(&own, i == 0 ? &nothing : i % 4 == 3 ? &large : &small);
        CHECK_OK(nb_record_write_run(record, runs[i]));
    }
    CHECK_OK(nb_record_close(record, 1));
    CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
    assert_int_equal(nb_record_run_count(reader), RUNS);
    check_same_members(&nb_provenance_members, nb_record_provenance(reader), &provenance);
    assert_string_equal(nb_record_attribute(reader, "title"), "a \"title\" of \xc3\xa9toiles");
    assert_string_equal(nb_record_attribute(reader, "command"), "ncpbench run 'x y'");
    assert_int_equal(strlen(nb_record_attribute(reader, "created")), strlen("2026-01-01T00:00:00Z"));
    assert_string_equal(nb_record_attribute(reader, "nothing of this kind"), "");
    for (int i = RUNS - 1; i >= 0; i--) { /* in any order */
        CHECK_OK(test_read_run(reader, i, &back));
        check_same_run(runs[i], back);
        nb_run_destroy(back);
        nb_run_destroy(runs[i]);
    }
    CHECK_FAULT(nb_record_read_run(reader, RUNS, &back), NB_ERROR_INPUT, "a.h5");
    CHECK_FAULT(nb_record_read_run(reader, -1, &back), NB_ERROR_INPUT, "a.h5");
    assert_null(back);
    nb_record_reader_close(reader);
    assert_int_equal(test_count_files(""), 1); /* no partial file, no lock */
}

TEST(test_timings_round_trip) {
    enum {
        ROWS = 200
    };
    uint64_t seed = test_seed();
    nb_provenance provenance;
    nb_record *record;
    nb_record_reader *reader;
    nb_timing rows[ROWS], *back;
    int count;
    test_random_provenance(&seed, &provenance);
    for (int i = 0; i < ROWS; i++) rows[i] = test_random_timing(&seed);
    CHECK_OK(nb_record_create(test_path("a.h5"), "", "ncpbench bench", &provenance, &record));
    CHECK_OK(nb_record_write_timings(record, rows, ROWS));
    CHECK_FAULT(nb_record_write_timings(record, rows, ROWS), NB_ERROR_IO, "bench");
    CHECK_OK(nb_record_close(record, 1));
    CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
    CHECK_FAULT(nb_record_expect_runs(reader, "a.h5"), NB_ERROR_INPUT, "timings");
    CHECK_OK(nb_record_read_timings(reader, &back, &count));
    assert_int_equal(count, ROWS);
    for (int i = 0; i < ROWS; i++) check_same_timing(&back[i], &rows[i]);
    nb_free(back);
    nb_record_reader_close(reader);
    assert_int_equal(test_count_files(""), 1);
}

TEST(test_timings_that_cannot_be) {
    static const int32_t bad[][4] = {{0, 1, 1, 1},  {10, 0, 1, 1}, {10, 1, 0, 1}, {10, 1, NB_TIMING_SAMPLES + 1, 1},
                                     {-1, 1, 1, 1}, {10, 1, 1, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nb_provenance provenance = {0};
        nb_timing row = {.contacts = bad[i][0], .threads = bad[i][1], .sample_count = bad[i][2], .scenes = bad[i][3]},
                  *back;
        nb_record *record;
        nb_record_reader *reader;
        int count;
        CHECK_OK(nb_record_create(test_path("a.h5"), "", "ncpbench bench", &provenance, &record));
        CHECK_OK(nb_record_write_timings(record, &row, 1));
        CHECK_OK(nb_record_close(record, 1));
        CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
        CHECK_FAULT(nb_record_read_timings(reader, &back, &count), NB_ERROR_INPUT, "a.h5");
        assert_null(back);
        nb_record_reader_close(reader);
    }
    test_write_record(test_path("b.h5"), 42, 1, &small); /* a record of runs has none */
    nb_record_reader *reader;
    nb_timing *back;
    int count;
    CHECK_OK(nb_record_open(test_path("b.h5"), &reader));
    CHECK_OK(nb_record_expect_runs(reader, "b.h5"));
    CHECK_OK(nb_record_read_timings(reader, &back, &count));
    assert_int_equal(count, 0);
    nb_record_reader_close(reader);
}

/* a run that was read can be gone on with */
TEST(test_read_runs_grow) {
    uint64_t seed = 7;
    nb_record_reader *reader;
    nb_run *expected, *run;
    double row[NB_STEP_COLUMNS + NB_NEWTON_COLUMNS] = {1, 2, 3}, *q;
    double places[3 * 6] = {4, 5, 6};
    int32_t pairs[4] = {0, -1, 0, -1};
    do {
        nb_run_destroy(seed == 7 ? NULL : expected);
        uint64_t own = ++seed;
        expected = test_random_run(&own, &small);
    } while (expected->frame_count == 0 || expected->newton_start[expected->step_count] == 0);
    test_write_record(test_path("a.h5"), 0, 0, &small);
    nb_record *record;
    CHECK_OK(continue_record(test_path("a.h5"), &record));
    CHECK_OK(nb_record_write_run(record, expected));
    CHECK_OK(nb_record_close(record, 1));
    CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
    CHECK_OK(test_read_run(reader, 0, &run));
    nb_record_reader_close(reader);
    CHECK_OK(NB_ALLOCATE(7 * run->info.bodies + 12, &q));
    nb_run *both[2] = {expected, run};
    for (int i = 0; i < 2; i++) {
        nb_stored_system system;
        uint64_t own = 3;
        CHECK_OK(nb_run_add_linear(both[i], row));
        CHECK_OK(nb_run_add_newton(both[i], row));
        CHECK_OK(nb_run_add_newton(both[i], row));
        CHECK_OK(nb_run_add_step(both[i], row));
        nb_snapshot at = {.bodies = run->info.bodies, .particles = run->frame_particles, .contacts = 2, .q = q, .u = q};
        at.particle_x = at.particle_v = places;
        at.contact_error = q;
        at.contact_bodies = at.contact_mode = pairs;
        at.momentum_error = run->frame_momentum_error ? q : NULL;
        test_give_contacts(&at, q);
        at.bilaterals = run->frame_bilaterals;
        at.bilateral_error = run->frame_bilaterals > 0 ? q : NULL;
        CHECK_OK(nb_run_add_frame(both[i], 0.5, &at));
        test_random_system(&own, 9, 9, &system);
        CHECK_OK(nb_run_add_system(both[i], &system));
        both[i]->repeat_count = 0; /* these have the steps' number */
    }
    nb_free(q);
    check_same_run(expected, run);
    nb_run_destroy(expected);
    nb_run_destroy(run);
}

/* a ragged run of so many steps, of at most 11 Newton rows with at most 60 linear rows each */
static nb_run *make_long_run(int steps) {
    nb_run *run;
    uint64_t state = (uint64_t)steps;
    CHECK_OK(nb_run_create(&run));
    CHECK_OK(nb_copy_text("", &run->info.parameters));
    for (int s = 0; s < steps; s++) {
        double row[NB_NEWTON_COLUMNS] = {0}, linear[NB_LINEAR_COLUMNS], step[NB_STEP_COLUMNS] = {0};
        for (int k = s == 0 ? 11 : test_random_below(&state, 11); k > 0; k--) {
            for (int i = k == 11 ? 60 : test_random_below(&state, 60); i > 0; i--) {
                test_random_fill(&state, linear, NB_LINEAR_COLUMNS);
                CHECK_OK(nb_run_add_linear(run, linear));
            }
            test_random_fill(&state, row, NB_NEWTON_COLUMNS);
            CHECK_OK(nb_run_add_newton(run, row));
        }
        CHECK_OK(nb_run_add_step(run, step));
    }
    return run;
}

/* what writing the run holds at most, besides the run [bytes]; the file then holds the same run */
static int64_t writing_peak(int steps) {
    nb_provenance provenance = {0};
    nb_record *record;
    nb_record_reader *reader;
    nb_run *run = make_long_run(steps), *back;
    CHECK_OK(nb_record_create(test_path("a.h5"), "", "", &provenance, &record));
    int64_t before = nb_allocation_held();
    nb_allocation_peak_reset();
    CHECK_OK(nb_record_write_run(record, run));
    int64_t peak = nb_allocation_peak() - before;
    CHECK_OK(nb_record_close(record, 1));
    CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
    CHECK_OK(test_read_run(reader, 0, &back));
    check_same_run(run, back);
    nb_record_reader_close(reader);
    nb_run_destroy(back);
    nb_run_destroy(run);
    return peak;
}

/* Padded, the linear history of the longest has 15 MiB a column. What is left to grow are the columns of steps, 8 bytes
 * each, two at a time. */
TEST(test_writing_takes_little_memory) {
    const int steps[] = {30, 300, 3000};
    for (int i = 0; i < 3; i++) {
        int64_t peak = writing_peak(steps[i]);
        print_message("%lld bytes to write %d steps\n", (long long)peak, steps[i]);
        assert_true(peak < 270000 + 2 * 8 * steps[i]);
    }
}

TEST(test_append) {
    uint64_t seed = 99;
    size_t before_size, after_size;
    nb_record *record;
    nb_record_reader *reader;
    nb_run *run, *back;
    test_write_record(test_path("a.h5"), 42, 3, &small);
    unsigned char *before = test_read_bytes(test_path("a.h5"), &before_size);

    run = test_random_run(&seed, &small);
    CHECK_OK(continue_record(test_path("a.h5"), &record));
    CHECK_OK(nb_record_write_run(record, run));
    CHECK_OK(nb_record_close(record, 0)); /* dropped */
    unsigned char *after = test_read_bytes(test_path("a.h5"), &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, before_size);
    free(before);
    free(after);

    CHECK_OK(continue_record(test_path("a.h5"), &record));
    CHECK_OK(nb_record_write_run(record, run));
    CHECK_OK(nb_record_close(record, 1));
    CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
    assert_int_equal(nb_record_run_count(reader), 4);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(test_read_run(reader, i, &back));
        if (i == 3) check_same_run(run, back);
        nb_run_destroy(back);
    }
    nb_record_reader_close(reader);
    nb_run_destroy(run);
    assert_int_equal(test_count_files(""), 1);
}

/* Names of five digits, which sort as runs do; those that are added later get them too. */
TEST(test_more_than_ten_thousand_runs) {
    uint64_t seed = 7;
    nb_provenance provenance = {0};
    nb_record *record;
    nb_record_reader *reader;
    nb_run *run = test_random_run(&seed, &small), *back;
    CHECK_OK(nb_record_create(test_path("a.h5"), "", "", &provenance, &record));
    nb_record_expect(record, 10001);
    CHECK_OK(nb_record_write_run(record, run));
    CHECK_OK(nb_record_close(record, 1));
    CHECK_OK(continue_record(test_path("a.h5"), &record));
    CHECK_OK(nb_record_write_run(record, run));
    CHECK_OK(nb_record_close(record, 1));
    hid_t file = H5Fopen(test_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Lexists(file, "runs/00000", H5P_DEFAULT) > 0 && H5Lexists(file, "runs/00001", H5P_DEFAULT) > 0);
    H5Fclose(file);
    CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
    assert_int_equal(nb_record_run_count(reader), 2);
    CHECK_OK(test_read_run(reader, 1, &back));
    check_same_run(run, back);
    nb_run_destroy(back);
    nb_run_destroy(run);
    nb_record_reader_close(reader);
}

/* A system without entries whose vectors are too long to stand in their headers: HDF5 keeps 13 kB about it. */
static void wide_system(int i, nb_stored_system *system) {
    double **vectors[3] = {&system->s, &system->b, &system->residual_h};
    *system = (nb_stored_system){.step = i / 2, .newton = i % 2, .rows = 1200};
    system->a = system->c = (nb_csr_f64){.rows = 1200, .columns = 1200};
    CHECK_OK(NB_ALLOCATE(system->rows + 1, &system->a.start));
    CHECK_OK(NB_ALLOCATE(system->rows + 1, &system->c.start));
    for (int k = 0; k < 3; k++) {
        CHECK_OK(NB_ALLOCATE(system->rows, vectors[k]));
        (*vectors[k])[i] = i;
    }
}

/* More headers than HDF5 keeps in memory: that of the run, which has no name yet, leaves it, too. */
TEST(test_a_run_of_many_objects) {
    enum {
        SYSTEMS = 600
    };
    nb_record *record;
    nb_record_reader *reader;
    nb_run *run = make_long_run(3), *back;
    for (int i = 0; i < SYSTEMS; i++) {
        nb_stored_system system;
        wide_system(i, &system);
        CHECK_OK(nb_run_add_system(run, &system));
    }
    test_write_record(test_path("a.h5"), 1, 1, &small);
    CHECK_OK(continue_record(test_path("a.h5"), &record));
    for (int i = 0; i < 2; i++) CHECK_OK(nb_record_write_run(record, run));
    CHECK_OK(nb_record_close(record, 1));
    CHECK_OK(nb_whole_read(test_path("a.h5")));
    CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
    assert_int_equal(nb_record_run_count(reader), 3);
    for (int i = 1; i < 3; i++) {
        CHECK_OK(test_read_run(reader, i, &back));
        check_same_run(run, back);
        nb_run_destroy(back);
    }
    nb_record_reader_close(reader);
    nb_run_destroy(run);
}

/* Bytes of what was written are lost: the record does not take its place, wherever that is. */
TEST(test_a_record_that_cannot_be_read_back) {
    enum {
        PLACES = 8
    };
    uint64_t seed = 8;
    char partial[64];
    size_t size, before_size, after_size;
    int refused = 0;
    signal(SIGSEGV, SIG_DFL); /* reading may crash in its process, where the test must not go on */
    test_write_record(test_path("a.h5"), 42, 3, &small);
    unsigned char *before = test_read_bytes(test_path("a.h5"), &before_size);
    snprintf(partial, sizeof partial, "a.h5.partial-%ld", (long)getpid());
    for (int i = 0; i < PLACES; i++) {
        nb_record *record;
        nb_run *run = test_random_run(&seed, &small);
        CHECK_OK(continue_record(test_path("a.h5"), &record));
        CHECK_OK(nb_record_write_run(record, run));
        nb_run_destroy(run);
        unsigned char *bytes = test_read_bytes(test_path(partial), &size);
        const size_t from = before_size + (size - before_size) * (size_t)i / PLACES;
        for (size_t k = from; k < from + 64 && k < size; k++) bytes[k] ^= 0xff;
        test_write_bytes(test_path(partial), bytes, size);
        free(bytes);
        if (nb_record_close(record, 1) == NB_OK) { /* nothing stands there */
            CHECK_OK(nb_whole_read(test_path("a.h5")));
            test_write_bytes(test_path("a.h5"), before, before_size);
            continue;
        }
        refused++;
        assert_non_null(strstr(nb_error_message(), "a.h5': what was written cannot be read back: "));
        assert_null(strchr(nb_error_message(), '\n'));
        assert_int_equal(test_count_files(""), 2);
        unlink(test_path(partial));
        unsigned char *after = test_read_bytes(test_path("a.h5"), &after_size);
        assert_int_equal(before_size, after_size);
        assert_memory_equal(before, after, before_size);
        free(after);
    }
    assert_true(refused > PLACES / 2);
    free(before);
}

TEST(test_a_dropped_record_leaves_nothing) {
    nb_provenance provenance = {0};
    nb_record *record;
    CHECK_OK(nb_record_create(test_path("a.h5"), "", "", &provenance, &record));
    assert_int_equal(test_count_files("partial"), 1);
    CHECK_OK(nb_record_close(record, 0));
    assert_int_equal(test_count_files(""), 0);
    CHECK_OK(nb_record_close(NULL, 1));
}

/* a link stays a link, to the new record */
TEST(test_through_a_link) {
    struct stat info;
    test_write_record(test_path("real.h5"), 1, 1, &small);
    assert_int_equal(symlink("real.h5", test_path("link.h5")), 0);
    test_write_record(test_path("link.h5"), 1, 2, &small);
    assert_int_equal(lstat(test_path("link.h5"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    nb_record_reader *reader;
    CHECK_OK(nb_record_open(test_path("real.h5"), &reader));
    assert_int_equal(nb_record_run_count(reader), 2);
    nb_record_reader_close(reader);
}

TEST(test_impossible_places) {
    nb_provenance provenance = {0};
    nb_record *record;
    nb_record_reader *reader;
    const char *places[] = {test_path("none/a.h5"), "/dev/full", test_folder, "/proc/a.h5"};
    for (int i = 0; i < 4; i++) {
        CHECK_FAULT(nb_record_create(places[i], "", "", &provenance, &record), NB_ERROR_IO, places[i]);
        assert_null(record);
        assert_null(strchr(nb_error_message(), '\n'));
    }
    CHECK_FAULT(continue_record(test_path("none.h5"), &record), NB_ERROR_IO, "none.h5");
    assert_null(record);
    CHECK_FAULT(nb_record_open(test_path("none.h5"), &reader), NB_ERROR_IO, "none.h5");
    assert_null(reader);
    CHECK_FAULT(nb_record_open(test_folder, &reader), NB_ERROR_IO, test_folder);
    test_write_bytes(test_path("text.h5"), (const unsigned char *)"no record\n", 10);
    CHECK_FAULT(continue_record(test_path("text.h5"), &record), NB_ERROR_INPUT, "text.h5");
    assert_int_equal(test_count_files(""), 1);
}

/* ---- other processes ---- */

/* the exit status of a child; it must not have died of a signal */
static int status_of(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status)) fail_msg("the child died of signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

TEST(test_two_writers) {
    nb_provenance provenance = {0};
    nb_record *record = NULL;
    nb_record_reader *reader;
    int ready[2];
    char byte;
    test_write_record(test_path("a.h5"), 1, 1, &small);
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        uint64_t seed = 5;
        if (continue_record(test_path("a.h5"), &record) != NB_OK) _exit(1);
        for (int i = 0; i < 3; i++) {
            nb_run *run = test_random_run(&seed, &large);
            if (nb_record_write_run(record, run) != NB_OK) _exit(2);
        }
        if (write(ready[1], "x", 1) != 1) _exit(3);
        for (;;) pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    CHECK_FAULT(nb_record_create(test_path("a.h5"), "", "", &provenance, &record), NB_ERROR_IO, "another process");
    CHECK_FAULT(continue_record(test_path("a.h5"), &record), NB_ERROR_IO, "another process");
    assert_non_null(strstr(nb_error_message(), "a.h5"));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    /* what it had finished is there beside the good file, and its lock bars nobody */
    char partial[32];
    snprintf(partial, sizeof partial, "a.h5.partial-%ld", (long)child);
    CHECK_OK(nb_record_open(test_path(partial), &reader));
    assert_int_equal(nb_record_run_count(reader), 4);
    nb_record_reader_close(reader);
    CHECK_OK(test_read_record(test_path(partial)));
    CHECK_OK(test_read_record(test_path("a.h5")));
    test_write_record(test_path("a.h5"), 1, 2, &small);
    CHECK_OK(test_read_record(test_path("a.h5")));
    assert_int_equal(test_count_files("lock"), 0);
    close(ready[0]);
    close(ready[1]);
}

/* Appends runs until the disk is full at `limit` bytes, as SIGXFSZ and RLIMIT_FSIZE make it seem. Exit status: the
 * number of runs that were written; 100 and more where something was not as it should be. */
static void fill_disk(rlim_t limit) {
    uint64_t seed = 1234;
    nb_record *record = NULL;
    nb_status status;
    int written = 0;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
    status = continue_record(test_path("a.h5"), &record);
    for (; status == NB_OK && written < 50; written++) {
        nb_run *run = test_random_run(&seed, &small);
        status = nb_record_write_run(record, run);
        nb_run_destroy(run);
    }
    if (status != NB_ERROR_IO) _exit(100);
    if (!strstr(nb_error_message(), "a.h5") || strchr(nb_error_message(), '\n')) _exit(101);
    if (!record) _exit(0);
    _exit(nb_record_close(record, written > 1) == NB_OK ? written - 1 : 102);
}

/* Whatever the size at which the disk is full: the runs from before are whole, and so is each that was reported as
 * written; nothing is left beside the record. */
TEST(test_full_disk) {
    size_t size;
    nb_record_reader *reader;
    test_write_record(test_path("a.h5"), 42, 2, &small);
    unsigned char *before = test_read_bytes(test_path("a.h5"), &size);
    int most = 0;
    for (int i = 0; i < 40; i++) {
        test_write_bytes(test_path("a.h5"), before, size);
        pid_t child = fork();
        if (child == 0) fill_disk((rlim_t)(i < 5 ? size * (size_t)i / 5 : size + 65536 * (size_t)(i - 5)));
        int written = status_of(child);
        if (written >= 100) fail_msg("limit %d: %d", i, written);
        if (written > most) most = written;
        CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
        assert_int_equal(nb_record_run_count(reader), 2 + written);
        nb_record_reader_close(reader);
        CHECK_OK(test_read_record(test_path("a.h5")));
        assert_int_equal(test_count_files(""), 1);
    }
    assert_true(most > 1); /* some of the limits let runs through */
    free(before);
}

/* every allocation fails once, in writing and in reading */
TEST(test_memory_runs_out) {
    uint64_t seed = 4321;
    nb_record *record;
    nb_record_reader *reader = NULL;
    nb_run *run = test_random_run(&seed, &large), *back = NULL;
    nb_status status = NB_ERROR_MEMORY;
    int faults = 0;
    test_write_record(test_path("a.h5"), 42, 2, &small);
    for (int left = 0; status != NB_OK; left++, faults++) {
        nb_allocation_fail_after(left);
        status = continue_record(test_path("a.h5"), &record);
        if (status == NB_OK) status = nb_record_write_run(record, run);
        nb_allocation_fail_after(-1);
        if (status != NB_OK) assert_int_equal(status, NB_ERROR_MEMORY);
        if (status != NB_OK && record) CHECK_OK(nb_record_close(record, 0));
    }
    CHECK_OK(nb_record_close(record, 1));
    assert_true(faults > 20);
    status = NB_ERROR_MEMORY;
    for (int left = 0; status != NB_OK; left++, faults++) {
        nb_allocation_fail_after(left);
        status = nb_record_open(test_path("a.h5"), &reader);
        back = NULL;
        if (status == NB_OK) status = test_read_run(reader, 2, &back);
        nb_allocation_fail_after(-1);
        if (status != NB_OK) assert_int_equal(status, NB_ERROR_MEMORY);
        if (status != NB_OK) {
            nb_run_destroy(back);
            nb_record_reader_close(reader);
        }
    }
    check_same_run(run, back);
    nb_run_destroy(back);
    nb_run_destroy(run);
    nb_record_reader_close(reader);
    assert_int_equal(test_count_files(""), 1);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, test_folder_empty, test_folder_empty)

/* Each command's runs have its provenance, which stands once in the record, and its words. */
TEST(test_provenance_of_added_runs) {
    uint64_t seed = test_seed();
    nb_provenance made[2];
    nb_record_reader *reader;
    const int order[] = {0, 1, 1, 0};
    for (int i = 0; i < 2; i++) test_random_provenance(&seed, &made[i]);
    for (int i = 0; i < 4; i++) {
        nb_record *record;
        nb_run *run = test_random_run(&seed, &small);
        CHECK_OK(i ? nb_record_continue(test_path("a.h5"), test_path("a.h5"), "ncpbench more", &made[order[i]], &record)
                   : nb_record_create(test_path("a.h5"), "", "ncpbench first", &made[0], &record));
        CHECK_OK(nb_record_write_run(record, run));
        CHECK_OK(nb_record_close(record, 1));
        nb_run_destroy(run);
    }
    CHECK_OK(nb_record_open(test_path("a.h5"), &reader));
    assert_int_equal(nb_record_provenance_count(reader), 2);
    assert_string_equal(nb_record_command_at(reader, 0), "ncpbench first");
    assert_string_equal(nb_record_command_at(reader, 1), "ncpbench more");
    for (int i = 0; i < 2; i++)
        check_same_members(&nb_provenance_members, nb_record_provenance_at(reader, i), &made[i]);
    for (int i = 0; i < 4; i++) {
        nb_run *run;
        CHECK_OK(nb_record_read_run(reader, i, &run));
        assert_int_equal(run->provenance, order[i]);
        nb_run_destroy(run);
    }
    nb_record_reader_close(reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(test_round_trip),
        WITH_FOLDER(test_provenance_of_added_runs),
        WITH_FOLDER(test_read_runs_grow),
        WITH_FOLDER(test_writing_takes_little_memory),
        WITH_FOLDER(test_a_run_of_many_objects),
        WITH_FOLDER(test_a_record_that_cannot_be_read_back),
        WITH_FOLDER(test_append),
        WITH_FOLDER(test_more_than_ten_thousand_runs),
        WITH_FOLDER(test_a_dropped_record_leaves_nothing),
        WITH_FOLDER(test_through_a_link),
        WITH_FOLDER(test_impossible_places),
        WITH_FOLDER(test_two_writers),
        WITH_FOLDER(test_full_disk),
        WITH_FOLDER(test_memory_runs_out),
        WITH_FOLDER(test_timings_round_trip),
        WITH_FOLDER(test_timings_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, test_folder_create, test_folder_destroy);
}
