#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "runtime.h"

extern nb_status nb_launch_emulated_f32(const struct nb_view_f32 *view, const struct nb_pass_f32 *pass);
extern nb_status nb_launch_emulated_f64(const struct nb_view_f64 *view, const struct nb_pass_f64 *pass);
extern nb_status nb_launch_emulated_mixed(const struct nb_view_mixed *view, const struct nb_pass_mixed *pass);
extern nb_status nb_islands_emulated_f32(const struct nb_island_f32 *islands, int32_t count, int32_t threads,
                                         int64_t shared_bytes, const struct nb_island_settings_f32 *settings);
extern nb_status nb_islands_emulated_f64(const struct nb_island_f64 *islands, int32_t count, int32_t threads,
                                         int64_t shared_bytes, const struct nb_island_settings_f64 *settings);
extern nb_status nb_launch_tiles_emulated(const struct nb_tiles *tiles, const struct nb_tile_pass *pass,
                                          int32_t blocks);

static int64_t launches_left = -1; /* before the device is lost; negative: it never is */

void nb_emulated_lose_after(int64_t successes) {
    launches_left = successes;
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
    return NB_OK;
}

/* one launch is asked for, or none where `launches` is 0 */
static nb_status stand(int launches) {
    if (launches_left == 0) return nb_fail(NB_ERROR_DEVICE, "device emulated: it was lost");
    if (launches_left > 0) launches_left -= launches;
    return NB_OK;
}

static nb_status wait_for_all(void) {
    return stand(0);
}

/* filled with bytes that are no number, so that what a device's memory happens to hold cannot be taken for zeros */
static nb_status allocate(int64_t bytes, void **memory) {
    nb_status status = nb_allocate(bytes, 1, memory);
    if (status == NB_OK) memset(*memory, 0xff, (size_t)bytes);
    return status;
}

static nb_status copy(void *to, const void *from, int64_t bytes) {
    nb_status status = stand(0);
    if (status != NB_OK) return status;
    if (bytes > 0) memcpy(to, from, (size_t)bytes);
    return NB_OK;
}

static nb_status clear(void *memory, int64_t bytes) {
    nb_status status = stand(0);
    if (status != NB_OK) return status;
    memset(memory, 0, (size_t)bytes);
    return NB_OK;
}

static nb_status launch_f32(const struct nb_view_f32 *view, const struct nb_pass_f32 *pass) {
    nb_status status = stand(1);
    return status == NB_OK ? nb_launch_emulated_f32(view, pass) : status;
}

static nb_status launch_f64(const struct nb_view_f64 *view, const struct nb_pass_f64 *pass) {
    nb_status status = stand(1);
    return status == NB_OK ? nb_launch_emulated_f64(view, pass) : status;
}

static nb_status launch_mixed(const struct nb_view_mixed *view, const struct nb_pass_mixed *pass) {
    nb_status status = stand(1);
    return status == NB_OK ? nb_launch_emulated_mixed(view, pass) : status;
}

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

static nb_status islands_f32(const struct nb_island_f32 *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                             const struct nb_island_settings_f32 *settings) {
    nb_status status = stand(1);
    return status == NB_OK ? nb_islands_emulated_f32(islands, count, threads, shared_bytes, settings) : status;
}

static nb_status islands_f64(const struct nb_island_f64 *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                             const struct nb_island_settings_f64 *settings) {
    nb_status status = stand(1);
    return status == NB_OK ? nb_islands_emulated_f64(islands, count, threads, shared_bytes, settings) : status;
}

static nb_status tiles(const struct nb_tiles *tiles, const struct nb_tile_pass *pass, int32_t blocks) {
    nb_status status = stand(1);
    return status == NB_OK ? nb_launch_tiles_emulated(tiles, pass, blocks) : status;
}

const nb_runtime nb_runtime_emulated = {
    .open = open_it,
    .allocate = allocate,
    .free = nb_free,
    .allocate_shared = allocate,
    .free_shared = nb_free,
    .upload = copy,
    .download = copy,
    .clear = clear,
    .wait = wait_for_all,
    .mark = mark,
    .take_times = take_times,
    .launch_f32 = launch_f32,
    .launch_f64 = launch_f64,
    .launch_mixed = launch_mixed,
    .islands_f32 = islands_f32,
    .islands_f64 = islands_f64,
    .tiles = tiles,
};
