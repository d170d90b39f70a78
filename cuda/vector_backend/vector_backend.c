/* The backend of a device (solvers/linear/vector_backend_class.h) over bodies: every operation is a pass or a copy.
 * Written once for the GPU and its emulation, which differ in their runtime. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "element/tetrahedron_pack.h"
#include "vector_backend/backend.h"

NB_PRECISIONS(f32, f64, mixed);

#define nb_vector_backend_cuda NB_STORAGE_NAME(nb_vector_backend_cuda)
#define nb_vector_backend_emulated NB_STORAGE_NAME(nb_vector_backend_emulated)

typedef nb_device_backend backend;

enum {
    MOST_RECORDED = 25, /* iterations of PCR in a recording, at the end of which the device tells how far it came, */
    MOST_APPLIED = 8,   /* and with a preconditioner of its own passes, of which there are more */
    REPLAYS_A_LOOK = 8  /* of it before this processor looks, where nothing but their number is expected to end them */
};

/* The view or a vector changes: the recording is made again, from the old one. */
static void outdate(backend *s) {
    s->outdated = 1;
}

static void destroy(void *state) {
    backend *s = state;
    if (!s) return;
    if (s->recording) s->runtime->forget(s->recording);
    if (s->memory) s->runtime->free(s->memory);
    if (s->sweep_memory) s->runtime->free(s->sweep_memory);
    if (s->matrix_memory) s->runtime->free(s->matrix_memory);
    if (s->part_memory) s->runtime->free(s->part_memory);
    if (s->projection_memory) s->runtime->free(s->projection_memory);
    if (s->vectors) s->runtime->free(s->vectors);
    if (s->sums) s->runtime->free_shared(s->sums);
    nb_layout_destroy(s->layout);
    nb_sweep_plan_clear(&s->plan);
    nb_matrix_plan_clear(&s->matrix);
    nb_free(s->jacobians);
    nb_free(s);
}

static nb_status create_on(const nb_runtime *runtime, void **state) {
    nb_status status;
    backend *s = NULL;
    NB_TRY(runtime->open());
    NB_TRY(NB_ALLOCATE(1, &s));
    s->runtime = runtime;
    NB_TRY(nb_layout_create(&s->layout));
    void *sums;
    NB_TRY(runtime->allocate_shared((NB_REDUCED + NB_PAIRS) * sizeof(double) + sizeof(nb_pcr_slot), &sums));
    s->sums = sums;
out:
    if (status != NB_OK) {
        destroy(s);
        s = NULL;
    }
    *state = s;
    return status;
}

static nb_status create_cuda(void **state) {
    return create_on(&nb_runtime_cuda, state);
}

static nb_status create_emulated(void **state) {
    return create_on(&nb_runtime_emulated, state);
}

nb_status nb_device_grow(const backend *s, int64_t bytes, int64_t *capacity, void *pointer) {
    void **memory = pointer;
    if (*memory && bytes <= *capacity) {
        if (s->runtime->spoil) s->runtime->spoil(*memory, *capacity);
        return NB_OK;
    }
    if (*memory) s->runtime->free(*memory);
    *memory = NULL;
    *capacity = bytes + bytes / 4; /* the next pattern may have a few contacts more */
    return s->runtime->allocate(*capacity, memory);
}

/* ---- what is asked of the device; after a fault nothing ---- */

void nb_device_note(nb_device_backend *s, nb_status status) {
    if (status == NB_OK || s->fault != NB_OK) return;
    s->fault = status;
    snprintf(s->message, sizeof s->message, "%s", nb_error_message());
}

void nb_device_mark(const nb_device_backend *s, nb_runtime_time what) {
    if (s->fault == NB_OK) s->runtime->mark(what);
}

void nb_device_launch(nb_device_backend *s, nb_pass pass) {
    nb_device_mark(s, pass.kind <= NB_PASS_GIVE ? NB_TIME_TRANSFER : NB_TIME_WORK);
    pass.slot = s->slot;
    if (s->fault == NB_OK) nb_device_note(s, s->runtime->NB_STORAGE_NAME(launch)(&s->view, &pass));
}

void nb_device_upload(nb_device_backend *s, void *to, const void *from, int64_t bytes) {
    if (s->fault == NB_OK && bytes > 0) nb_device_note(s, s->runtime->upload(to, from, bytes));
}

nb_status nb_device_fault(void *state) {
    const backend *s = state;
    return s->fault == NB_OK ? NB_OK : nb_fail(s->fault, "%s", s->message);
}

int64_t nb_device_velocity_bytes(const backend *s) {
    return (s->view.bodies + (int64_t)1) * NB_VELOCITY_NUMBERS * (int64_t)sizeof(real);
}

const char *nb_device_name(const backend *s) {
    return s->runtime == &nb_runtime_cuda ? "cuda" : "emulated";
}

/* the sums that passes of these kinds left, one after the other; NAN after a fault */
static void read_sums(backend *s, int kinds, const nb_pass_kind *kind, double *sums) {
    nb_pass reduce = {.kind = NB_PASS_REDUCE};
    int count = 0;
    for (int i = 0; i < kinds; i++)
        for (int k = 0; k < nb_pass_sum_count(kind[i]); k++) reduce.counts[count++] = nb_pass_blocks(kind[i], &s->view);
    nb_device_launch(s, reduce);
    if (s->fault == NB_OK) nb_device_note(s, s->runtime->wait());
    for (int k = 0; k < count; k++) sums[k] = s->fault == NB_OK ? s->sums[k] : (double)NAN;
}

/* ---- set-up ---- */

static nb_status set_pattern(void *state, nb_system *system) {
    backend *s = state;
    nb_status status;
    nb_sum_rows source;
    if (!nb_sum_rows_of(system->delassus, &source))
        return nb_fail(NB_ERROR_UNSUPPORTED, "device %s does not support cavities and stored matrices",
                       nb_device_name(s));
    s->system = system;
    s->fault = NB_OK;
    s->planned = NULL;
    s->planned_matrix = NULL;
    for (int i = 0; i < NB_DEVICE_LISTS; i++) s->list[i].count = 0;
    outdate(s);
    NB_TRY(nb_layout_make(s->layout, &source, system->k != NULL));
    NB_TRY(nb_device_grow(s, s->layout->bytes, &s->memory_capacity, &s->memory));
    s->view = nb_layout_bind(s->layout, s->memory);
    s->view.sums = s->sums;
    s->view.told = (nb_pcr_slot *)(void *)(s->sums + NB_REDUCED + NB_PAIRS);
    NB_TRY(s->runtime->upload(s->memory, s->layout->image, s->layout->image_bytes));
    /* the world's velocity stays zero, and so does what pads weights */
    NB_TRY(s->runtime->clear(s->view.velocity, nb_device_velocity_bytes(s)));
    NB_TRY(s->runtime->clear(s->view.s, nb_view_length(&s->view) * (int64_t)sizeof(storage)));
    NB_TRY(s->runtime->clear(s->view.c, nb_view_length(&s->view) * (int64_t)sizeof(storage)));
    NB_TRY(s->runtime->clear(s->view.slots, 2 * (int64_t)sizeof *s->view.slots)); /* what lies between their members */
out:
    return status;
}

/* the numbers of pack i */
static nb_status upload_pack(backend *s, const nb_sum_rows *source, int32_t i) {
    const nb_view_pack *pack = &s->view.pack[i];
    char *to = s->view.pack_source + pack->source;
    if (pack->tetrahedra) {
        const nb_tetrahedron_pack *from = (const nb_tetrahedron_pack *)source->view->sum->pack[source->pack[i]];
        int32_t first = source->view->begin[source->pack[i]] / NB_ELEMENT_LANES;
        nb_device_upload(s, to, from->group + first,
                         nb_tetrahedron_groups(pack->lane + pack->blocks) * (int64_t)sizeof *from->group);
        return NB_OK;
    }
    int64_t length = 3 * (int64_t)pack->rows * pack->pieces * pack->blocks;
    nb_status status = NB_RESERVE(length, &s->jacobian_capacity, &s->jacobians);
    if (status != NB_OK) return status;
    nb_layout_jacobians(s->layout, source, i, s->jacobians);
    nb_device_upload(s, to, s->jacobians, length * (int64_t)sizeof *s->jacobians);
    return NB_OK;
}

/* Packs, and masses with them, which may have become others (geometric stiffness). */
static nb_status upload_packs(backend *s, const nb_sum_rows *source) {
    nb_status status = NB_OK;
    const nb_view *v = &s->view;
    if (source->packs == 0) return NB_OK;
    for (int32_t i = 0; i < source->packs; i++) NB_TRY(upload_pack(s, source, i));
    nb_layout_masses(s->layout, source);
    nb_device_upload(s, v->inverse_mass, s->layout->counts.inverse_mass,
                     NB_MASS_NUMBERS * (int64_t)v->body_stride * (int64_t)sizeof *v->inverse_mass);
out:
    return status;
}

static nb_status set_values(void *state) {
    backend *s = state;
    nb_sum_rows source;
    nb_sum_rows_of(s->system->delassus, &source);
    const nb_view *v = &s->view;
    nb_device_mark(s, NB_TIME_TRANSFER);
    nb_device_upload(s, v->contact_rows, source.rigid.contacts, v->contacts * (int64_t)sizeof *v->contact_rows);
    nb_device_upload(s, v->joint_row_source, source.rigid.joint_rows,
                     v->joint_rows * (int64_t)sizeof *v->joint_row_source);
    nb_device_note(s, upload_packs(s, &source));
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_VALUES});
    nb_device_mark(s, NB_TIME_NONE);
    return nb_device_fault(s);
}

/* K of the packs that have one; elsewhere it must be zero */
static nb_status upload_k(backend *s) {
    const nb_system *system = s->system;
    nb_sum_rows source;
    nb_sum_rows_of(system->delassus, &source);
    for (int64_t e = 0, i = 0; i <= source.packs; i++) {
        int last = i == source.packs;
        const nb_view_pack *pack = last ? NULL : &s->view.pack[i];
        int64_t first = system->k_place[last ? system->delassus->block_count : source.view->first[source.pack[i]]];
        for (; e < first; e++)
            if (system->k[e] != 0)
                return nb_fail(NB_ERROR_UNSUPPORTED, "device %s supports full blocks of compliance of elements only",
                               nb_device_name(s));
        if (last || !pack->coupled) continue;
        int64_t length = (int64_t)pack->rows * pack->rows * pack->blocks;
        nb_device_upload(s, s->view.k_source + pack->k_source, system->k + first, length * (int64_t)sizeof *system->k);
        e = first + length;
    }
    return NB_OK;
}

static nb_status set_weights(void *state, const real *diagonal) {
    backend *s = state;
    int64_t bytes = s->view.rows * (int64_t)sizeof(real);
    nb_device_mark(s, NB_TIME_TRANSFER);
    nb_device_upload(s, s->view.row_values[0], s->system->s, bytes);
    nb_device_upload(s, s->view.row_values[1], s->system->c, bytes);
    if (diagonal) nb_device_upload(s, s->view.row_values[2], diagonal, bytes);
    if (s->system->k) nb_device_note(s, upload_k(s));
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_WEIGHTS, .take_diagonal = diagonal != NULL});
    return nb_device_fault(s);
}

static nb_status reserve(void *state, int64_t length, storage **memory) {
    backend *s = state;
    nb_status status;
    outdate(s);
    NB_TRY(nb_device_grow(s, length * (int64_t)sizeof(storage), &s->vector_capacity, &s->vectors));
    NB_TRY(s->runtime->clear(s->vectors, length * (int64_t)sizeof(storage)));
out:
    *memory = s->vectors;
    return status;
}

static int64_t length(const void *state) {
    return nb_view_length(&((const backend *)state)->view);
}

/* ---- rows in and out ---- */

static void clear(void *state, storage *x) {
    backend *s = state;
    if (s->fault == NB_OK) nb_device_note(s, s->runtime->clear(x, length(s) * (int64_t)sizeof *x));
}

void nb_device_take(void *state, const real *rows, storage *v) {
    backend *s = state;
    nb_device_mark(s, NB_TIME_TRANSFER);
    clear(s, v);
    nb_device_upload(s, s->view.row_values[0], rows, s->view.rows * (int64_t)sizeof *rows);
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_TAKE, .y = v});
}

static void give(void *state, const storage *x, double a, const storage *d, real *rows) {
    backend *s = state;
    int64_t bytes = s->view.rows * (int64_t)sizeof *rows;
    nb_device_mark(s, NB_TIME_TRANSFER);
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_GIVE, .x = x, .a = (real)a, .d = (storage *)(uintptr_t)d});
    if (s->fault == NB_OK && bytes > 0) nb_device_note(s, s->runtime->download(rows, s->view.row_values[0], bytes));
    if (s->fault != NB_OK) memset(rows, 0, (size_t)bytes);
    nb_device_mark(s, NB_TIME_NONE);
}

/* ---- products ---- */

static void begin_product(void *state, double a, const storage *x, double b, storage *y, double sums[2]) {
    static const nb_pass_kind kinds[] = {NB_PASS_UPDATE, NB_PASS_BODY};
    backend *s = state;
    double three[3]; /* y . y, y . C y and force . velocity */
    nb_system_count_product(s->system);
    nb_device_launch(
        s, (nb_pass){.kind = NB_PASS_UPDATE, .with_sums = sums != NULL, .a = (real)a, .x = x, .b = (real)b, .y = y});
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_BODY, .with_sums = sums != NULL, .first_sum = 2});
    if (!sums) return;
    read_sums(s, 2, kinds, three);
    sums[0] = three[0];
    sums[1] = three[1] + three[2];
}

static void finish_product(void *state, const storage *y, storage *out) {
    nb_device_launch(state, (nb_pass){.kind = NB_PASS_PRODUCT, .y = (storage *)(uintptr_t)y, .out = out});
}

/* a pass that leaves one sum; with_sum 0: nobody waits for it */
static double launch_for_sum(backend *s, nb_pass pass, int with_sum) {
    double sum = (double)NAN;
    pass.with_sums = with_sum;
    nb_device_launch(s, pass);
    if (with_sum) read_sums(s, 1, &pass.kind, &sum);
    return sum;
}

static double finish_pcr(void *state, const storage *y, double alpha, double beta, storage *x, storage *d, storage *ad,
                         int with_sum) {
    const nb_pass pass = {.kind = NB_PASS_PCR,
                          .y = (storage *)(uintptr_t)y,
                          .a = (real)alpha,
                          .b = (real)beta,
                          .out = x,
                          .d = d,
                          .ad = ad};
    return launch_for_sum(state, pass, with_sum);
}

static double finish_pcg(void *state, const storage *y, double alpha, storage *x, storage *r, int with_sum) {
    const nb_pass pass = {.kind = NB_PASS_PCG, .y = (storage *)(uintptr_t)y, .a = (real)alpha, .out = x, .ad = r};
    return launch_for_sum(state, pass, with_sum);
}

/* ---- lists of vectors ---- */

_Static_assert((int)NB_PAIRS == (int)NB_VECTOR_BACKEND_PAIRS, "a call's vectors are a pass's");

/* the list as it is from here on, sent where it is another one */
static void send_list(backend *s, int which, int32_t count, const storage *const *vectors) {
    const storage **const places[] = {s->view.pair_x, s->view.pair_y, s->view.axpy_x};
    nb_vector_list *known = &s->list[which];
    const size_t bytes = (size_t)count * sizeof *vectors;
    if (known->count >= count && memcmp(known->vector, vectors, bytes) == 0) return;
    memcpy(known->vector, vectors, bytes);
    known->count = count;
    nb_device_upload(s, places[which], known->vector, (int64_t)bytes);
}

/* ---- PCR without the host ---- */

static void place_projection(nb_arena *a, nb_view *v, const nb_pcr_projection *p) {
    v->factor_stride = (int32_t)p->stride;
    NB_PLACE(a, NB_PAIRS, &v->products);
    NB_PLACE(a, p->count * p->stride, &v->factor);
    NB_PLACE(a, 3 * (int64_t)p->window, &v->log);
    NB_PLACE(a, p->window * (int64_t)p->count, &v->images);
}

/* what the device takes for it, before it is recorded */
static void take_projection(backend *s, const nb_pcr_projection *p) {
    nb_arena arena = {.alignment = NB_DEVICE_ALIGNMENT};
    place_projection(&arena, &s->view, p);
    nb_device_note(s, nb_device_grow(s, arena.used, &s->projection_capacity, &s->projection_memory));
    if (s->fault != NB_OK) return;
    arena = (nb_arena){.memory = s->projection_memory, .alignment = NB_DEVICE_ALIGNMENT};
    place_projection(&arena, &s->view, p);
    nb_device_upload(s, s->view.factor, p->factor, p->count * p->stride * (int64_t)sizeof *p->factor);
    send_list(s, NB_DEVICE_PAIRS_X, 2 * p->count, p->x);
    send_list(s, NB_DEVICE_PAIRS_Y, 2 * p->count, p->y);
    send_list(s, NB_DEVICE_AXPYS_X, p->count, p->x + p->count);
}

/* what it tells of so many iterations */
static void tell_projection(backend *s, const nb_pcr_projection *p, int32_t iterations) {
    const int64_t logged = iterations < p->window ? iterations : p->window;
    if (s->fault == NB_OK && logged > 0)
        nb_device_note(s, s->runtime->download(p->log, s->view.log, 3 * logged * (int64_t)sizeof *p->log));
    if (s->fault == NB_OK && logged * p->count > 0)
        nb_device_note(s, s->runtime->download(p->images, s->view.images, logged * p->count * (int64_t)sizeof(double)));
}

/* z and the log of an iteration; `first`: the number of the run's first one */
static void launch_projection(backend *s, const nb_pcr_run *run, int32_t first) {
    const nb_pcr_projection *p = run->projection;
    if (p->count > 0) {
        nb_device_launch(s, (nb_pass){.kind = NB_PASS_PAIRS, .counts = {2 * p->count}});
        nb_device_launch(s, (nb_pass){.kind = NB_PASS_PAIR_SUMS, .counts = {2 * p->count}});
        nb_device_launch(s, (nb_pass){.kind = NB_PASS_OWN_PROJECT, .counts = {p->count, first, p->window}});
        nb_device_launch(s, (nb_pass){.kind = NB_PASS_AXPYS, .counts = {p->count}, .y = run->pad});
    }
    if (p->window > 0)
        nb_device_launch(s, (nb_pass){.kind = NB_PASS_OWN_COLLECT,
                                      .counts = {first, p->window, (int32_t)p->length},
                                      .x = run->z,
                                      .y = p->directions});
}

/* `decide`: with the counts of the sums that a residual is judged by */
static void launch_iteration(backend *s, const nb_pcr_run *run, const nb_pass *decide) {
    nb_pass pcr = *decide, update = {.kind = NB_PASS_OWN_UPDATE, .with_sums = 1, .first_sum = NB_SUM_OF_RESIDUAL};
    pcr.kind = NB_PASS_OWN_PCR;
    pcr.with_sums = !run->precondition;
    pcr.first_sum = NB_SUM_OF_AD;
    pcr.y = update.y = run->z;
    pcr.out = run->x;
    pcr.d = run->d;
    pcr.ad = run->ad;
    update.x = run->pad;
    update.counts[NB_SUM_OF_AD] = nb_pass_blocks(run->precondition ? NB_PASS_DOT : NB_PASS_OWN_PCR, &s->view);
    if (run->projection) {
        update.counts[0] = s->first;
        update.counts[1] = run->projection->window;
    }
    nb_device_launch(s, pcr);
    if (run->precondition) {
        s->slot = 2;
        run->precondition(run->krylov, run->ad, run->pad);
        if (run->projection) launch_projection(s, run, s->first);
        nb_device_launch(
            s, (nb_pass){.kind = NB_PASS_DOT, .with_sums = 1, .first_sum = NB_SUM_OF_AD, .x = run->ad, .y = run->pad});
        s->slot = 0;
    }
    nb_device_launch(s, update);
    s->slot = 1;
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_BODY, .with_sums = 1, .first_sum = NB_SUM_OF_ENERGY + 1});
    if (run->precondition)
        nb_device_launch(s, (nb_pass){.kind = NB_PASS_OWN_RESIDUAL,
                                      .with_sums = 1,
                                      .first_sum = NB_SUM_OF_NORM,
                                      .inverse = run->norm == NB_NORM_TRUE,
                                      .x = run->ad,
                                      .y = run->r,
                                      .d = run->z});
    else if (run->norm >= 0)
        nb_device_launch(s, (nb_pass){.kind = NB_PASS_SCALED,
                                      .with_sums = 1,
                                      .first_sum = NB_SUM_OF_NORM,
                                      .inverse = run->norm == NB_NORM_TRUE,
                                      .x = run->z});
    s->slot = 0;
}

static void launch_some(backend *s, const nb_pcr_run *run, int32_t iterations) {
    const int32_t constraints = nb_pass_blocks(NB_PASS_OWN_UPDATE, &s->view);
    const int32_t numbers = nb_pass_blocks(NB_PASS_OWN_RESIDUAL, &s->view);
    nb_pass decide = {.kind = NB_PASS_OWN_DECIDE};
    if (run->precondition)
        decide.counts[NB_SUM_OF_NORM] = numbers;
    else if (run->norm >= 0)
        decide.counts[NB_SUM_OF_NORM] = nb_pass_blocks(NB_PASS_SCALED, &s->view);
    decide.counts[NB_SUM_OF_RESIDUAL] = run->precondition ? numbers : constraints;
    decide.counts[NB_SUM_OF_ENERGY] = constraints;
    decide.counts[NB_SUM_OF_ENERGY + 1] = nb_pass_blocks(NB_PASS_BODY, &s->view);
    for (int32_t i = 0; i < iterations; i++) launch_iteration(s, run, &decide);
    nb_device_launch(s, decide);
}

static void record(backend *s, const nb_pcr_run *run, int32_t iterations) {
    const int64_t products = s->system->products;
    nb_device_mark(s, NB_TIME_WORK); /* not to be recorded */
    if (s->fault == NB_OK) nb_device_note(s, s->runtime->begin_recording());
    if (s->fault != NB_OK) return;
    launch_some(s, run, iterations);
    nb_device_note(s, s->runtime->end_recording(&s->recording));
    s->inner = (s->system->products - products) / iterations;
    s->system->products = products;
    s->recorded = *run;
    s->iterations = iterations;
    s->outdated = 0;
}

/* some iterations, from a recording */
static void iterate(backend *s, const nb_pcr_run *run, int32_t iterations) {
    if (memcmp(&s->recorded, run, sizeof *run) != 0) outdate(s);
    if (!s->recording || s->outdated || s->iterations != iterations) record(s, run, iterations);
    nb_device_mark(s, NB_TIME_WORK);
    if (s->fault == NB_OK) nb_device_note(s, s->runtime->replay(s->recording));
}

/* In equal shares, so that few are asked for that do nothing, and solves of the same length need one recording; but
 * numbers of a preconditioner are others each time. */
static void run_pcr(void *state, nb_pcr_state *pcr, const nb_pcr_run *run) {
    backend *s = state;
    nb_pcr_slot slot = {.state = *pcr};
    const int32_t most = run->precondition ? MOST_APPLIED : MOST_RECORDED;
    int32_t left = pcr->most > pcr->iterations ? pcr->most - pcr->iterations : 1;
    int32_t shares = (left - 1) / most + 1, share = (left - 1) / shares + 1;
    if (run->precondition) outdate(s);
    s->first = pcr->iterations;
    if (run->projection) take_projection(s, run->projection);
    nb_device_upload(s, &s->view.slots[0], &slot, sizeof slot);
    while (s->fault == NB_OK && slot.state.reason == NB_REASON_NONE) {
        int32_t replays = pcr->stops.tolerance > 0 || run->norm >= 0 ? 1
                          : shares < REPLAYS_A_LOOK                  ? shares
                                                                     : REPLAYS_A_LOOK;
        for (int32_t i = 0; i < replays; i++) iterate(s, run, share);
        if (shares > replays) shares -= replays;
        if (s->fault == NB_OK) nb_device_note(s, s->runtime->wait());
        if (s->fault == NB_OK) slot = *s->view.told;
    }
    const int32_t made = slot.state.iterations - pcr->iterations;
    const int32_t applied = made + (slot.state.reason == NB_REASON_BREAKDOWN);
    s->system->products += made + s->inner * applied;
    if (run->projection) tell_projection(s, run->projection, applied);
    *pcr = slot.state;
    if (s->fault != NB_OK) pcr->reason = NB_REASON_DIVERGED; /* the solver asks for the fault */
}

/* ---- vectors ---- */

static double dot(void *state, const storage *x, const storage *y) {
    return launch_for_sum(state, (nb_pass){.kind = NB_PASS_DOT, .x = x, .y = (storage *)(uintptr_t)y}, 1);
}

static double scaled_square(void *state, int inverse, const storage *v) {
    return launch_for_sum(state, (nb_pass){.kind = NB_PASS_SCALED, .inverse = inverse, .x = v}, 1);
}

static void copy(void *state, const storage *x, storage *y) {
    nb_device_launch(state, (nb_pass){.kind = NB_PASS_COPY, .x = x, .y = y});
}

static void axpy(void *state, double a, const storage *x, storage *y) {
    nb_device_launch(state, (nb_pass){.kind = NB_PASS_AXPY, .a = (real)a, .x = x, .y = y});
}

static void combine(void *state, double a, const storage *x, double b, storage *y) {
    nb_device_launch(state, (nb_pass){.kind = NB_PASS_COMBINE, .a = (real)a, .x = x, .b = (real)b, .y = y});
}

/* ---- many vectors at once ---- */

static void dots(void *state, int32_t count, const storage *const *x, const storage *const *y, double *sums) {
    backend *s = state;
    nb_device_mark(s, NB_TIME_WORK);
    send_list(s, NB_DEVICE_PAIRS_X, count, x);
    send_list(s, NB_DEVICE_PAIRS_Y, count, y);
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_PAIRS, .counts = {count}});
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_PAIR_SUMS, .counts = {count}});
    if (s->fault == NB_OK) nb_device_note(s, s->runtime->wait());
    for (int32_t k = 0; k < count; k++) sums[k] = s->fault == NB_OK ? s->sums[NB_REDUCED + k] : (double)NAN;
}

static void axpys(void *state, int32_t count, const double *a, const storage *const *x, storage *y) {
    backend *s = state;
    real factors[NB_PAIRS];
    for (int32_t k = 0; k < count; k++) factors[k] = (real)a[k];
    nb_device_mark(s, NB_TIME_WORK);
    send_list(s, NB_DEVICE_AXPYS_X, count, x);
    nb_device_upload(s, s->view.axpy_a, factors, count * (int64_t)sizeof *factors);
    nb_device_launch(s, (nb_pass){.kind = NB_PASS_AXPYS, .counts = {count}, .y = y});
}

static double bytes(const void *state, int pcr) {
    return nb_layout_iteration_bytes(&((const backend *)state)->view, pcr);
}

#define BACKEND_ON(make)                                                                                              \
    {                                                                                                                 \
        .create = (make), .destroy = destroy, .set_pattern = set_pattern, .set_values = set_values,                   \
        .set_weights = set_weights, .length = length, .bytes = bytes, .reserve = reserve, .fault = nb_device_fault,   \
        .take_parts = nb_device_take_parts, .multiply = nb_device_multiply, .iterate = nb_device_iterate,             \
        .triangle = nb_device_triangle, .start_sweep = nb_device_start_sweep, .sweep = nb_device_sweep, .dots = dots, \
        .axpys = axpys, .take = nb_device_take, .give = give, .begin_product = begin_product,                         \
        .finish_product = finish_product, .finish_pcr = finish_pcr, .finish_pcg = finish_pcg, .run_pcr = run_pcr,     \
        .dot = dot, .scaled_square = scaled_square, .clear = clear, .copy = copy, .axpy = axpy, .combine = combine,   \
    }

const nb_vector_backend_class nb_vector_backend_cuda = BACKEND_ON(create_cuda);
const nb_vector_backend_class nb_vector_backend_emulated = BACKEND_ON(create_emulated);
