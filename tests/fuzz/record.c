/* The reader of records, and the checks that are computed from what it read. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "input.h"
#include "record/record.h"
#include "table/recheck.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

extern volatile double kept;
volatile double kept; /* so that no sum is left out */

/* reads every number, so that the address sanitizer sees an array that is too short */
static double sum(const double *x, int64_t count) {
    double total = 0;
    for (int64_t i = 0; x && i < count; i++) total += x[i];
    return total;
}

static double sum_matrix(const nb_csr_f64 *m) {
    double total = 0;
    for (int64_t i = 0; m->start && i < m->rows; i++)
        for (int64_t k = m->start[i]; k < m->start[i + 1]; k++) {
            if (m->column[k] < 0 || m->column[k] >= m->columns) abort();
            total += m->value[k];
        }
    return total;
}

static double sum_run(const nb_run *run) {
    int64_t newtons = run->newton_start[run->step_count];
    double total = sum(run->steps, (int64_t)run->step_count * NB_STEP_COLUMNS);
    if (run->newton_start[0] != 0 || run->linear_start[0] != 0) abort();
    for (int32_t s = 0; s < run->step_count; s++)
        if (run->newton_start[s + 1] < run->newton_start[s]) abort();
    for (int64_t r = 0; r < newtons; r++)
        if (run->linear_start[r + 1] < run->linear_start[r]) abort();
    total += sum(run->newton, newtons * run->newton_columns.count);
    total += sum(run->linear, run->linear_start[newtons] * NB_LINEAR_COLUMNS);
    const double *repeats[4] = {run->repeat_setup_s, run->repeat_solve_s, run->repeat_assembly_s, run->repeat_step_s};
    for (int i = 0; i < 4; i++) total += sum(repeats[i], (int64_t)run->repeat_count * run->step_count);
    total += sum(run->reaction, run->reaction_count) + sum(run->velocity, run->reaction_count);
    total += sum(run->frame_time, run->frame_count);
    total += sum(run->frames, (int64_t)run->frame_count * run->info.bodies * 7);
    return total;
}

static void read_system(nb_record_reader *reader, int run, int32_t step, int32_t newton) {
    nb_stored_system s;
    nb_status status = nb_record_read_system(reader, run, step, newton, &s);
    fuzz_check_status(status);
    if (status != NB_OK) return;
    kept += sum_matrix(&s.a) + sum_matrix(&s.h) + sum_matrix(&s.j) + sum_matrix(&s.c);
    kept += sum(s.b, s.rows) + sum(s.s, s.rows) + sum(s.g, s.velocities) + sum(s.residual_h, s.rows);
    nb_stored_system_clear(&s);
}

static void read_run(nb_record_reader *reader, int i) {
    nb_run *run = NULL;
    nb_checks checks;
    int recomputed;
    nb_status status = nb_record_read_run(reader, i, &run);
    fuzz_check_status(status);
    if (status != NB_OK) return;
    kept = sum_run(run);
    for (int32_t s = 0; s < 4; s++) read_system(reader, i, s / 2, s % 2); /* as random runs number them */
    fuzz_check_status(nb_run_recheck(run, &checks, &recomputed));
    nb_run_destroy(run);
}

static void read_timings(nb_record_reader *reader) {
    nb_timing *timings;
    int count;
    nb_status status = nb_record_read_timings(reader, &timings, &count);
    fuzz_check_status(status);
    for (int i = 0; status == NB_OK && i < count; i++)
        kept +=
            timings[i].median + sum(timings[i].samples, timings[i].sample_count) + (double)strlen(timings[i].kernel);
    nb_free(timings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    nb_record_reader *reader = NULL;
    const char *path = fuzz_input(bytes, size);
    if (!path) return 0;
    nb_status status = nb_record_open(path, &reader);
    fuzz_check_status(status);
    for (int i = 0; status == NB_OK && i < nb_record_run_count(reader) && i < 4; i++) read_run(reader, i);
    if (status == NB_OK) read_timings(reader);
    nb_record_reader_close(reader);
    fuzz_check_closed();
    return 0;
}
