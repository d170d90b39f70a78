/* The trajectory kernel on this processor, as island/emulated.c has it. */
#include "trajectory/view.h"

#include <string.h>

#include "base/memory.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64);

#include "island/emulated_threads.h"
#include "trajectory/steps.h"

#define nb_trajectories_emulated NB_REAL_NAME(nb_trajectories_emulated)
NB_REAL_NAME(nb_launch_trajectories) nb_trajectories_emulated;

nb_status nb_trajectories_emulated(nb_trajectory *copies, int32_t count, int64_t shared_bytes,
                                   const nb_trajectory_scene *scene, const nb_island_settings *settings, int32_t steps,
                                   nb_trajectory_row *rows) {
    nb_status status;
    nb_island_lane *lanes = NULL;
    nb_exact_lane *exact = NULL;
    double *memory = NULL;
    NB_TRY(NB_ALLOCATE(scene->threads, &lanes));
    NB_TRY(NB_ALLOCATE(scene->threads, &exact));
    NB_TRY(NB_ALLOCATE(shared_bytes / (int64_t)sizeof *memory + 1, &memory));
    for (int32_t turn = 0; turn < count; turn++) {
        const int32_t i = nb_emulated_turn(turn, count);
        nb_island island = copies[i].island;
        nb_island_shared shared;
        memset(memory, 0xff, (size_t)shared_bytes); /* no numbers: a block finds anything */
        nb_island_share(&island, scene->threads, memory, &shared);
        nb_exact at;
        if (scene->exact) nb_exact_share(&copies[i], scene, &island, memory, &at);
        nb_trajectory_program(&copies[i], scene, &island, settings, &shared, lanes, scene->exact ? &at : NULL, exact,
                              steps, rows + (int64_t)i * steps);
    }
out:
    nb_free(lanes);
    nb_free(exact);
    nb_free(memory);
    return status;
}
