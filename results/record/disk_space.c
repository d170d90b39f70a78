#include "record/disk_space.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* attributes, headers of groups and data sets, partly filled chunks */
static const int64_t overhead_bytes = 1 << 19;

static int64_t matrix_numbers(const nb_stored_matrix *m) {
    return m->rows + 1 + 2 * m->nonzeros;
}

/* with the points' places and two velocities a cell, each three singles, and the offsets of the frame */
static int64_t frame_numbers(const nb_run *run) {
    return run->frame_count *
           (13 * (int64_t)run->final.bodies + 2 * run->mesh.point_count + 3 * run->mesh.cell_count + 12);
}

static int64_t mesh_numbers(const nb_mesh *mesh) {
    return 3 * mesh->cell_count + mesh->corner_count;
}

int64_t nb_disk_space_of_run(const nb_run *run) {
    int64_t steps = run->step_count, newtons = steps ? run->newton_start[steps] : 0;
    int64_t linears = newtons && run->linear_start ? run->linear_start[newtons] : 0;
    int64_t padded = steps * nb_run_most_newton(run), numbers = NB_STEP_COLUMNS * steps;
    numbers += NB_NEWTON_COLUMNS * newtons + NB_LINEAR_COLUMNS * linears + run->repeat_count * (1 + 4 * steps);
    const nb_snapshot *states[2] = {&run->final, &run->reference.solution};
    for (int i = 0; i < 2; i++) /* with the masses and velocities of a reference */
        numbers += 66 * (int64_t)states[i]->bodies + states[i]->bilaterals + 32 * (int64_t)states[i]->contacts;
    numbers += 2 * run->reaction_count;
    numbers += (int64_t)run->batch.scenes * (NB_BATCH_COLUMNS * (int64_t)run->batch.steps + 3) + run->batch.pass_count;
    numbers += frame_numbers(run) + mesh_numbers(&run->mesh);
    for (int32_t i = 0; i < run->system_count; i++) {
        const nb_stored_system *s = &run->systems[i];
        numbers += matrix_numbers(&s->a) + matrix_numbers(&s->h) + matrix_numbers(&s->j) + matrix_numbers(&s->c);
        numbers += 3 * s->rows + s->velocities + overhead_bytes / 16;
    }
    /* deflate leaves less than a hundredth of padding, and adds less than a tenth to what it cannot shrink */
    int64_t padding = NB_NEWTON_COLUMNS * padded + NB_LINEAR_COLUMNS * padded * nb_run_most_linear(run);
    return 8 * (numbers + numbers / 10 + padding / 100) + overhead_bytes;
}

nb_status nb_disk_space_reserve(const char *path, const char *shown, int64_t bytes) {
    struct stat info;
    int file = open(path, O_WRONLY | O_CLOEXEC), error = file < 0 ? errno : 0;
    if (!error && fstat(file, &info) != 0) error = errno;
    if (!error) {
        error = posix_fallocate(file, info.st_size, bytes);
        if (error && ftruncate(file, info.st_size) != 0) error = errno;
    }
    if (file >= 0) close(file);
    /* a file system that knows no reserving is left to find out by itself */
    if (error && error != EINVAL && error != EOPNOTSUPP)
        return nb_fail(NB_ERROR_IO, "cannot write '%.300s' (%lld bytes more): %s", shown, (long long)bytes,
                       strerror(error));
    return NB_OK;
}
