#include "statistics/trace.h"

#include <math.h>

#include "base/largest.h"
#include "base/memory.h"
#include "base/random.h"

/* Relative. Other vector instructions change places by 4e-13 in 20 steps of a wall; methods that end at a natural map
 * of 1e-8 m/s by 1e-10 m in one step, and by more in the next ones. */
static const double round_off = 1e-10;

/* a difference of one coordinate shows as it is; round-off of n of them as sqrt(n) times its size */
static void add_places(const double *x, int64_t count, uint64_t *signs, nb_trace *to) {
    double largest = 1;
    for (int64_t i = 0; i < count; i++) {
        to->place += nb_random_bits(signs) & 1 ? x[i] : -x[i];
        nb_raise(&largest, fabs(x[i]));
    }
    to->round_off += round_off * largest * sqrt((double)count);
}

static void take_frame(const nb_run *run, int32_t frame, nb_trace *to) {
    const int64_t bodies = run->info.bodies, particles = run->frame_particles;
    uint64_t signs = 1; /* the same of every state */
    to->place = to->round_off = 0;
    add_places(run->frames + 7 * bodies * frame, 7 * bodies, &signs, to);
    if (particles > 0) add_places(run->frame_x + 3 * particles * frame, 3 * particles, &signs, to);
}

nb_status nb_trace_take(const nb_run *run, nb_trace **trace) {
    nb_status status = NB_ALLOCATE(run->step_count, trace);
    int32_t frame = 0;
    for (int32_t s = 0; s < run->step_count && status == NB_OK; s++) {
        const double *row = run->steps + (int64_t)s * NB_STEP_COLUMNS;
        (*trace)[s] = (nb_trace){row[NB_STEP_KINETIC_ENERGY], row[NB_STEP_POTENTIAL_ENERGY], NAN, NAN};
        if (frame < run->frame_count && run->frame_time[frame] == row[NB_STEP_TIME])
            take_frame(run, frame++, &(*trace)[s]);
    }
    return status;
}

static int differ(const nb_trace *a, const nb_trace *b) {
    const double scale = fmax(fabs(a->kinetic) + fabs(a->potential), fabs(b->kinetic) + fabs(b->potential));
    return fabs(a->kinetic - b->kinetic) + fabs(a->potential - b->potential) > round_off * scale ||
           fabs(a->place - b->place) > fmax(a->round_off, b->round_off);
}

int32_t nb_trace_parting(const nb_trace *a, int32_t a_steps, const nb_trace *b, int32_t b_steps) {
    for (int32_t s = 0; s + 1 < a_steps && s + 1 < b_steps; s++)
        if (differ(&a[s], &b[s])) return s + 1;
    return -1;
}
