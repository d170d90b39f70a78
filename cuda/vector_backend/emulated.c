/* The passes on this processor: blocks and threads one after the other, in any order (nb_emulated_set_order), sums by
 * the same tree as the kernels'. */
#include "group_stages.h"

#include "base/memory.h"
#include "base/status.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64, mixed);

#define nb_launch_emulated NB_STORAGE_NAME(nb_launch_emulated)
#define nb_emulated_keep NB_STORAGE_NAME(nb_emulated_keep)
#define nb_emulated_launch_kept NB_STORAGE_NAME(nb_emulated_launch_kept)

nb_status nb_launch_emulated(const nb_view *view, const nb_pass *pass);
nb_status nb_emulated_keep(const nb_view *view, const nb_pass *pass, void **kept);
nb_status nb_emulated_launch_kept(const void *kept);

/* a block's threads */
typedef struct block {
    double sums[NB_THREADS][NB_SUMS];
} block;

/* what lanes 0 to width - 1 hold goes to lane 0, as __shfl_down_sync takes it */
static double fold(double *lanes, int width) {
    for (int offset = width / 2; offset > 0; offset /= 2)
        for (int lane = 0; lane < offset; lane++) lanes[lane] += lanes[lane + offset];
    return lanes[0];
}

/* warp by warp, then over the warps */
static double fold_block(const block *b, int sum) {
    double warps[NB_THREADS / NB_WARP], lanes[NB_WARP];
    for (int w = 0; w < NB_THREADS / NB_WARP; w++) {
        for (int lane = 0; lane < NB_WARP; lane++) lanes[lane] = b->sums[w * NB_WARP + lane][sum];
        warps[w] = fold(lanes, NB_WARP);
    }
    return fold(warps, NB_THREADS / NB_WARP);
}

/* one body by its lanes; their totals go to lane 0, which ends it */
static double gather_and_move(const nb_view *v, int32_t body) {
    real totals[NB_BODY_LANES][6];
    for (int lane = 0; lane < NB_BODY_LANES; lane++) nb_stage_gather(v, body, lane, v->packs > 0, totals[lane]);
    for (int offset = NB_BODY_LANES / 2; offset > 0; offset /= 2)
        for (int lane = 0; lane < offset; lane++)
            for (int k = 0; k < 6; k++) totals[lane][k] += totals[lane + offset][k];
    return nb_stage_body(v, body, v->packs > 0, totals[0]);
}

/* a block of rows by the lanes of a warp */
static void multiply_rows(const nb_view *v, const nb_pass *p, int32_t at) {
    real sums[NB_WARP][NB_BLOCK_ROWS];
    for (int lane = 0; lane < NB_WARP; lane++) nb_stage_rows(v, p, at, lane, sums[lane]);
    for (int offset = NB_WARP / 2; offset > 0; offset /= 2)
        for (int lane = 0; lane < offset; lane++)
            for (int k = 0; k < NB_BLOCK_ROWS; k++) sums[lane][k] += sums[lane + offset][k];
    nb_stage_rows_end(v, p, at, sums[0]);
}

static void run_thread(const nb_view *v, const nb_pass *p, int32_t thread, int32_t threads, double sums[NB_SUMS]) {
    int64_t items = nb_pass_items(p->kind, v);
    if (p->kind == NB_PASS_REDUCE) {
        nb_stage_reduce(v, p, thread, 0, NB_REDUCED, sums);
        return;
    }
    for (int64_t i = thread; i < items; i += threads) {
        if (p->kind == NB_PASS_BODY) {
            if (i % NB_BODY_LANES == 0) sums[0] += gather_and_move(v, (int32_t)(i / NB_BODY_LANES));
        } else if (p->kind == NB_PASS_ROWS) {
            if (i % NB_WARP == 0) multiply_rows(v, p, (int32_t)(i / NB_WARP));
        } else {
            nb_stage_item(v, p, i, v->packs > 0, sums);
        }
    }
}

/* a block's threads, colour after colour */
static void run_groups(const nb_view *v, const nb_pass *p, int32_t i, int32_t blocks) {
    block b = {{{0}}};
    int32_t threads = nb_sweep_threads(p);
    for (int32_t turn = 0; turn < p->colours[1] - p->colours[0]; turn++) {
        int32_t colour = nb_sweep_colour(p, turn);
        for (int32_t t = 0; t < threads; t++) {
            int32_t thread = nb_emulated_turn(t, threads);
            for (int64_t at = v->colour_start[colour] + (int64_t)i * threads + thread; at < v->colour_start[colour + 1];
                 at += (int64_t)blocks * threads)
                nb_stage_group(v, p, (int32_t)at, b.sums[thread]);
        }
    }
    double *partial = &v->partial_sums[p->first_sum * NB_MOST_BLOCKS + i];
    if (p->with_sums) *partial = fold_block(&b, 0) + (i < p->counts[0] ? *partial : 0);
}

static void run_block(const nb_view *v, const nb_pass *p, int32_t i, int32_t blocks) {
    int sums = p->with_sums ? nb_pass_sum_count(p->kind) : 0;
    block b = {{{0}}};
    for (int32_t turn = 0; turn < NB_THREADS; turn++) {
        int32_t thread = nb_emulated_turn(turn, NB_THREADS);
        run_thread(v, p, i * NB_THREADS + thread, blocks * NB_THREADS, b.sums[thread]);
    }
    for (int k = 0; k < sums; k++) v->partial_sums[(p->first_sum + k) * NB_MOST_BLOCKS + i] = fold_block(&b, k);
    for (int k = 0; p->kind == NB_PASS_REDUCE && k < NB_REDUCED; k++) v->sums[k] = fold_block(&b, k);
}

static void run_pairs(const nb_view *v, const nb_pass *p, int32_t i) {
    const int32_t chunks = nb_pair_chunks(v);
    block b = {{{0}}};
    for (int32_t turn = 0; turn < NB_THREADS; turn++) {
        int32_t thread = nb_emulated_turn(turn, NB_THREADS);
        if (p->kind == NB_PASS_PAIR_SUMS)
            b.sums[thread][0] = nb_stage_pair_sum(v, i, thread);
        else
            nb_stage_pairs(v, p, i / chunks, (int64_t)(i % chunks) * NB_THREADS + thread, (int64_t)chunks * NB_THREADS,
                           b.sums[thread]);
    }
    for (int k = 0; p->kind == NB_PASS_PAIRS && k < NB_PAIR_GROUP; k++) {
        double *place = nb_pair_sum_place(v, p, i, k);
        if (place) *place = fold_block(&b, k);
    }
    if (p->kind == NB_PASS_PAIR_SUMS) *nb_pair_total(v, p, i) = fold_block(&b, 0);
}

/* step after step by the threads of one block */
static void project(const nb_view *v, const nb_pass *p) {
    double c[NB_PAIRS / 2], d[NB_PAIRS / 2];
    const int32_t count = p->counts[0];
    for (int32_t i = 0; i < count; i++) nb_project_begin(v, p, i, c);
    for (int32_t l = 0; l < count; l++)
        for (int32_t i = 0; i < count; i++) nb_project_lower(v, p, l, nb_emulated_turn(i, count), c, d);
    for (int32_t l = count - 1; l >= 0; l--)
        for (int32_t i = 0; i < count; i++) nb_project_upper(v, l, nb_emulated_turn(i, count), d, c);
    for (int32_t i = 0; i < count; i++) v->axpy_a[i] = (real)-c[i];
}

/* the decision that every block comes to by itself */
static nb_pcr_slot decide(const nb_view *v, const nb_pass *p) {
    block b = {{{0}}};
    double sums[NB_SUMS];
    for (int32_t thread = 0; thread < NB_THREADS; thread++) nb_own_reduce(v, p, p->kind, thread, b.sums[thread]);
    for (int k = 0; k < NB_SUMS; k++) sums[k] = fold_block(&b, k);
    const nb_pcr_slot *before = &v->slots[p->kind == NB_PASS_OWN_UPDATE];
    if (p->kind == NB_PASS_OWN_UPDATE) nb_own_log(v, p, before, sums[NB_SUM_OF_AD]);
    return nb_own_decision(before, p->kind, sums);
}

/* Each block decides by itself, while others may have run: what they wrote must not change the decision. */
static void run_own_block(const nb_view *v, const nb_pass *p, int32_t i, int32_t blocks) {
    const nb_pcr_slot slot = decide(v, p);
    const nb_pass pass = nb_own_pass(p, &slot.state);
    if (i == 0) *nb_own_target(v, p->kind) = slot;
    if (p->kind != NB_PASS_OWN_DECIDE && slot.state.reason == NB_REASON_NONE) run_block(v, &pass, i, blocks);
}

nb_status nb_launch_emulated(const nb_view *v, const nb_pass *p) {
    int32_t blocks = nb_pass_is_over(v, p) ? 0 : nb_launch_blocks(p, v);
    for (int32_t turn = 0; turn < blocks; turn++) {
        int32_t i = nb_emulated_turn(turn, blocks);
        if (p->kind >= NB_PASS_OWN_PCR)
            run_own_block(v, p, i, blocks);
        else if (nb_pass_is_sweep(p->kind))
            run_groups(v, p, i, blocks);
        else if (p->kind == NB_PASS_OWN_PROJECT)
            project(v, p);
        else if (p->kind == NB_PASS_PAIRS || p->kind == NB_PASS_PAIR_SUMS)
            run_pairs(v, p, i);
        else
            run_block(v, p, i, blocks);
    }
    return NB_OK;
}

/* ---- recordings ---- */

/* what a graph keeps of a launch: copies of its arguments, whatever becomes of what they point to */
typedef struct kept_launch {
    nb_view view;
    nb_pass pass;
} kept_launch;

nb_status nb_emulated_keep(const nb_view *view, const nb_pass *pass, void **kept) {
    kept_launch *k;
    nb_status status = NB_ALLOCATE(1, &k);
    *kept = k;
    if (status == NB_OK) *k = (kept_launch){*view, *pass};
    return status;
}

nb_status nb_emulated_launch_kept(const void *kept) {
    const kept_launch *k = kept;
    return nb_launch_emulated(&k->view, &k->pass);
}
