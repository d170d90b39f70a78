/* What the back end asks of a device: memory, copies, passes, and how to wait. One device, one queue: what is asked for
 * happens in the order of the calls. A fault is one line: NB_ERROR_UNSUPPORTED where the device cannot be used at all,
 * NB_ERROR_MEMORY where its memory does not do, NB_ERROR_DEVICE where it failed or was lost. */
#ifndef NB_CUDA_RUNTIME_H
#define NB_CUDA_RUNTIME_H

#include <stdint.h>

#include "base/status.h"
#include "device.h"

struct nb_view_f32;
struct nb_view_f64;
struct nb_view_mixed;
struct nb_pass_f32;
struct nb_pass_f64;
struct nb_pass_mixed;
struct nb_tiles;
struct nb_tile_pass;
struct nb_trajectory_scene;
struct nb_trajectory_row;

enum {
    NB_DEVICE_ALIGNMENT = 256 /* [bytes] of device memory, and of each array in it */
};

typedef enum nb_runtime_time {
    NB_TIME_NONE,
    NB_TIME_WORK,
    NB_TIME_TRANSFER
} nb_runtime_time;

/* memory that a runtime keeps from launch to launch */
typedef enum nb_runtime_kept {
    NB_KEPT_GIVEN, /* of the device: what islands take, what they make, the islands */
    NB_KEPT_MADE,
    NB_KEPT_ISLANDS,
    NB_KEPT_LEAVING, /* of the host, where what is sent comes straight from, */
    NB_KEPT_LANDING, /* and where a download goes straight to */
    NB_KEPT_KINDS
} nb_runtime_kept;

/* Kernels that make whole steps: that of island/view.h on islands [count] in device memory, of which none has more than
 * `threads` elements or takes more than `shared_bytes` of a block's shared memory; that of trajectory/view.h on copies
 * [count], with rows [count][steps], in device memory. */
#define NB_STEP_KERNELS(precision)                                                                                     \
    struct nb_island_##precision;                                                                                      \
    struct nb_island_settings_##precision;                                                                             \
    struct nb_trajectory_##precision;                                                                                  \
    typedef nb_status nb_launch_islands_##precision(const struct nb_island_##precision *islands, int32_t count,        \
                                                    int32_t threads, int64_t shared_bytes,                             \
                                                    const struct nb_island_settings_##precision *settings);            \
    typedef nb_status nb_launch_trajectories_##precision(                                                              \
        struct nb_trajectory_##precision *copies, int32_t count, int64_t shared_bytes,                                 \
        const struct nb_trajectory_scene *scene, const struct nb_island_settings_##precision *settings, int32_t steps, \
        struct nb_trajectory_row *rows)
NB_STEP_KERNELS(f32);
NB_STEP_KERNELS(f64);

typedef struct nb_runtime {
    /* Opens the device once; later calls return what the first one did. Nothing else is called before it succeeded. */
    nb_status (*open)(void);
    /* `bytes` of device memory, aligned to 256 bytes, holding anything; `free` takes NULL */
    nb_status (*allocate)(int64_t bytes, void **memory);
    void (*free)(void *memory);
    /* The content of this memory is no longer needed, though the memory is kept: tests fill it with bytes that are no
     * number. NULL: nothing to do
     */
    void (*spoil)(void *memory, int64_t bytes);
    /* `bytes` that the device and the host read and write at one address, after a wait */
    nb_status (*allocate_shared)(int64_t bytes, void **memory);
    void (*free_shared)(void *memory);
    /* Memory of at least `bytes` that is kept until the program ends or a call of the same kind asks for more, from
     * when on it is elsewhere. It holds anything. */
    nb_status (*keep)(nb_runtime_kept which, int64_t bytes, void **memory);
    int64_t (*block_bytes)(void); /* of shared memory that a block of threads may have */
    int64_t (*cache_bytes)(void); /* of the last cache before its memory; 0: it has none of its own */
    /* to the device; `from` may be changed at once. Does not wait for what was asked for before. */
    nb_status (*upload)(void *to, const void *from, int64_t bytes);
    /* to the device from memory of NB_KEPT_LEAVING, which the caller does not change before a wait: no copy is made
     * here */
    nb_status (*send)(void *to, const void *from, int64_t bytes);
    /* from the device, after all that was asked for before; waits for it */
    nb_status (*download)(void *to, const void *from, int64_t bytes);
    nb_status (*clear)(void *memory, int64_t bytes);              /* to zero */
    nb_status (*copy)(void *to, const void *from, int64_t bytes); /* within the device */
    nb_status (*wait)(void);                                      /* until all that was asked for has been done */
    /* From here on time counts as that of work or of transfers, or of nothing; totals as in device.h, after a wait. */
    void (*mark)(nb_runtime_time what);
    void (*take_times)(double *work_s, double *transfer_s);
    void (*describe)(nb_device_facts *facts); /* NULL: there is nothing to say */
    /* one pass (view.h) */
    nb_status (*launch_f32)(const struct nb_view_f32 *view, const struct nb_pass_f32 *pass);
    nb_status (*launch_f64)(const struct nb_view_f64 *view, const struct nb_pass_f64 *pass);
    nb_status (*launch_mixed)(const struct nb_view_mixed *view, const struct nb_pass_mixed *pass);
    /* The launches of passes between the two calls are not made but kept in *recording, to be made again and again by
     * replay. *recording is NULL or an earlier one, which becomes the new one with less work where it has the same
     * passes; forget takes NULL. After a fault in between, end_recording has to follow. */
    nb_status (*begin_recording)(void);
    nb_status (*end_recording)(void **recording);
    nb_status (*replay)(void *recording);
    void (*forget)(void *recording);
    nb_launch_islands_f32 *islands_f32;
    nb_launch_islands_f64 *islands_f64;
    /* one launch of Cholesky in tiles (tiles.h) */
    nb_status (*tiles)(const struct nb_tiles *tiles, const struct nb_tile_pass *pass, int32_t blocks);
    nb_launch_trajectories_f32 *trajectories_f32;
    nb_launch_trajectories_f64 *trajectories_f64;
} nb_runtime;

extern const nb_runtime nb_runtime_cuda;     /* runtime.cu; absent.c where the program is built without CUDA */
extern const nb_runtime nb_runtime_emulated; /* the passes in a loop over threads, in this processor's memory */

/* For tests on a GPU: from here on its memory is handed out full of bytes that are no number, as the emulation's always
 * is. (Not always, as compute-sanitizer's initcheck would take it for filled.) */
void nb_cuda_poison(void);

/* For tests: after `successes` more launches the emulation fails as a device does. NB_ERROR_DEVICE: it is lost, and so
 * is all that follows; NB_ERROR_MEMORY: it has no memory left; NB_ERROR_UNSUPPORTED: it cannot be opened (whatever the
 * count); NB_OK: it works again. */
void nb_emulated_fail_after(nb_status fault, int64_t successes);

/* how many launches the emulation has made, of passes and of islands */
int64_t nb_emulated_launches(void);

/* The order in which the emulation runs the blocks of a pass or launch, and the threads of a block between two barriers
 * (for tests). A GPU keeps none, so that the same bits have to come of each. */
typedef enum nb_emulated_order {
    NB_ORDER_FORWARD, /* at the start */
    NB_ORDER_BACKWARD,
    NB_ORDER_MIXED, /* those with odd numbers first */
    NB_ORDERS
} nb_emulated_order;

void nb_emulated_set_order(nb_emulated_order order);

/* the one of `count` that is run as number `turn` */
int32_t nb_emulated_turn(int32_t turn, int32_t count);

#endif
