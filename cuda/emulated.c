#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "runtime.h"

extern nb_launch_islands_f32 nb_islands_emulated_f32;
extern nb_launch_islands_f64 nb_islands_emulated_f64;
extern nb_launch_trajectories_f32 nb_trajectories_emulated_f32;
extern nb_launch_trajectories_f64 nb_trajectories_emulated_f64;
extern nb_status nb_launch_tiles_emulated(const struct nb_tiles *tiles, const struct nb_tile_pass *pass,
                                          int32_t blocks);

static nb_status injected = NB_OK; /* what it fails with, after so many launches */
static int64_t launches_left, launches;

void nb_emulated_fail_after(nb_status fault, int64_t successes) {
    injected = fault;
    launches_left = successes;
}

int64_t nb_emulated_launches(void) {
    return launches;
}

static nb_emulated_order order = NB_ORDER_FORWARD;

void nb_emulated_set_order(nb_emulated_order wanted) {
    order = wanted;
}

int32_t nb_emulated_turn(int32_t turn, int32_t count) {
    switch (order) {
    case NB_ORDER_BACKWARD: return count - 1 - turn;
    case NB_ORDER_MIXED: return turn < count / 2 ? 2 * turn + 1 : 2 * (turn - count / 2);
    default: return turn;
    }
}

static nb_status open_it(void) {
    if (injected != NB_ERROR_UNSUPPORTED) return NB_OK;
    return nb_fail(injected, "device emulated: its architecture is 70, and this program was built for others (a test)");
}

/* one launch is asked for, or none where `asked` is 0 */
static nb_status stand(int asked) {
    if (injected == NB_ERROR_DEVICE && launches_left == 0)
        return nb_fail(NB_ERROR_DEVICE, "device emulated: it was lost");
    if (launches_left > 0) launches_left -= asked;
    launches += asked;
    return NB_OK;
}

static nb_status wait_for_all(void) {
    return stand(0);
}

static void spoil(void *memory, int64_t bytes) {
    memset(memory, 0xff, (size_t)bytes);
}

/* filled with bytes that are no number, so that what a device's memory happens to hold cannot be taken for zeros */
static nb_status allocate(int64_t bytes, void **memory) {
    *memory = NULL;
    if (injected == NB_ERROR_MEMORY && launches_left == 0)
        return nb_fail(NB_ERROR_MEMORY, "device emulated: not enough memory for %lld bytes", (long long)bytes);
    nb_status status = nb_allocate(bytes, 1, memory);
    if (status == NB_OK) spoil(*memory, bytes);
    return status;
}

/* The emulation keeps nothing but the place: new memory each time, so that nothing is taken for what it was. */
static nb_status keep(nb_runtime_kept which, int64_t bytes, void **memory) {
    static void *kept[NB_KEPT_KINDS];
    nb_free(kept[which]);
    kept[which] = NULL;
    nb_status status = allocate(bytes, memory);
    if (status == NB_OK) kept[which] = *memory;
    return status;
}

static int64_t cache_bytes(void) {
    return 0;
}

/* as much as a multiprocessor of architecture 90 gives to a block */
static int64_t block_bytes(void) {
    return 227 * 1024;
}

static nb_status copy(void *to, const void *from, int64_t bytes) {
    nb_status status = stand(0);
    if (status != NB_OK) return status;
    if (bytes > 0) memcpy(to, from, (size_t)bytes);
    return NB_OK;
}

/* ---- launches, and recordings of them ---- */

typedef struct recorded {
    void *kept;
    nb_status (*launch)(const void *kept);
} recorded;

typedef struct recording {
    recorded *launches;
    int64_t count, capacity;
} recording;

static recording *open_recording; /* NULL: launches are made */

static void forget(void *memory) {
    recording *r = memory;
    if (!r) return;
    for (int64_t i = 0; i < r->count; i++) nb_free(r->launches[i].kept);
    nb_free(r->launches);
    nb_free(r);
}

static nb_status begin_recording(void) {
    return NB_ALLOCATE(1, &open_recording);
}

static nb_status end_recording(void **made) {
    forget(*made);
    *made = open_recording;
    open_recording = NULL;
    return NB_OK;
}

static nb_status replay(void *memory) {
    const recording *r = memory;
    nb_status status = NB_OK;
    for (int64_t i = 0; status == NB_OK && i < r->count; i++) {
        status = stand(1);
        if (status == NB_OK) status = r->launches[i].launch(r->launches[i].kept);
    }
    return status;
}

/* takes `kept` over */
static nb_status record(nb_status (*launch)(const void *kept), void *kept) {
    recording *r = open_recording;
    nb_status status = NB_RESERVE(r->count + 1, &r->capacity, &r->launches);
    if (status == NB_OK)
        r->launches[r->count++] = (recorded){kept, launch};
    else
        nb_free(kept);
    return status;
}

typedef struct cleared {
    void *memory;
    size_t bytes;
} cleared;

static nb_status clear_kept(const void *kept) {
    const cleared *c = kept;
    memset(c->memory, 0, c->bytes);
    return NB_OK;
}

static nb_status clear(void *memory, int64_t bytes) {
    cleared *kept;
    nb_status status = stand(0);
    if (status != NB_OK || bytes == 0) return status;
    if (!open_recording) {
        memset(memory, 0, (size_t)bytes);
        return NB_OK;
    }
    status = NB_ALLOCATE(1, &kept);
    if (status != NB_OK) return status;
    *kept = (cleared){memory, (size_t)bytes};
    return record(clear_kept, kept);
}

#define LAUNCH(precision)                                                                               \
    extern nb_status nb_launch_emulated_##precision(const struct nb_view_##precision *view,             \
                                                    const struct nb_pass_##precision *pass);            \
    extern nb_status nb_emulated_keep_##precision(const struct nb_view_##precision *view,               \
                                                  const struct nb_pass_##precision *pass, void **kept); \
    extern nb_status nb_emulated_launch_kept_##precision(const void *kept);                             \
    static nb_status launch_##precision(const struct nb_view_##precision *view,                         \
                                        const struct nb_pass_##precision *pass) {                       \
        void *kept;                                                                                     \
        nb_status status = open_recording ? NB_OK : stand(1);                                           \
        if (status == NB_OK && !open_recording) return nb_launch_emulated_##precision(view, pass);      \
        if (status == NB_OK) status = nb_emulated_keep_##precision(view, pass, &kept);                  \
        return status == NB_OK ? record(nb_emulated_launch_kept_##precision, kept) : status;            \
    }
LAUNCH(f32)
LAUNCH(f64)
LAUNCH(mixed)

/* per thread: copies of a scene may be made by several */
static _Thread_local struct {
    nb_runtime_time what;
    double since, totals[3];
} timing;

static void mark(nb_runtime_time what) {
    double now = nb_clock_seconds();
    timing.totals[timing.what] += now - timing.since;
    timing.what = what;
    timing.since = now;
}

static void take_times(double *work_s, double *transfer_s) {
    *work_s = timing.totals[NB_TIME_WORK];
    *transfer_s = timing.totals[NB_TIME_TRANSFER];
    timing.totals[NB_TIME_WORK] = timing.totals[NB_TIME_TRANSFER] = 0;
}

#define STEP_KERNELS(precision)                                                                                       \
    static nb_status islands_##precision(const struct nb_island_##precision *islands, int32_t count, int32_t threads, \
                                         int64_t shared_bytes,                                                        \
                                         const struct nb_island_settings_##precision *settings) {                     \
        nb_status status = stand(1);                                                                                  \
        if (status != NB_OK) return status;                                                                           \
        return nb_islands_emulated_##precision(islands, count, threads, shared_bytes, settings);                      \
    }                                                                                                                 \
    static nb_status trajectories_##precision(struct nb_trajectory_##precision *copies, int32_t count,                \
                                              int64_t shared_bytes, const struct nb_trajectory_scene *scene,          \
                                              const struct nb_island_settings_##precision *settings, int32_t steps,   \
                                              struct nb_trajectory_row *rows) {                                       \
        nb_status status = stand(1);                                                                                  \
        if (status != NB_OK) return status;                                                                           \
        return nb_trajectories_emulated_##precision(copies, count, shared_bytes, scene, settings, steps, rows);       \
    }
STEP_KERNELS(f32)
STEP_KERNELS(f64)

static nb_status tiles(const struct nb_tiles *tiles, const struct nb_tile_pass *pass, int32_t blocks) {
    nb_status status = stand(1);
    return status == NB_OK ? nb_launch_tiles_emulated(tiles, pass, blocks) : status;
}

const nb_runtime nb_runtime_emulated = {
    .open = open_it,
    .allocate = allocate,
    .free = nb_free,
    .spoil = spoil,
    .allocate_shared = allocate,
    .free_shared = nb_free,
    .keep = keep,
    .block_bytes = block_bytes,
    .cache_bytes = cache_bytes,
    .upload = copy,
    .send = copy,
    .download = copy,
    .clear = clear,
    .copy = copy,
    .wait = wait_for_all,
    .mark = mark,
    .take_times = take_times,
    .launch_f32 = launch_f32,
    .launch_f64 = launch_f64,
    .launch_mixed = launch_mixed,
    .begin_recording = begin_recording,
    .end_recording = end_recording,
    .replay = replay,
    .forget = forget,
    .islands_f32 = islands_f32,
    .islands_f64 = islands_f64,
    .tiles = tiles,
    .trajectories_f32 = trajectories_f32,
    .trajectories_f64 = trajectories_f64,
};
