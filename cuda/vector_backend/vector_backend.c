/* The backend of a device (solvers/linear/vector_backend_class.h) over bodies: every operation is a pass or a copy.
 * Written once for the GPU and its emulation, which differ in their runtime. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "element/tetrahedron_pack.h"
#include "layout.h"
#include "linear/vector_backend_class.h"
#include "runtime.h"
#include "vector_backend/polynomial.h"
#include "vector_backend/sweeps.h"
#include "view.h"

NB_PRECISIONS(f32, f64, mixed);

#define nb_vector_backend_cuda NB_STORAGE_NAME(nb_vector_backend_cuda)
#define nb_vector_backend_emulated NB_STORAGE_NAME(nb_vector_backend_emulated)

typedef struct backend {
    const nb_runtime *runtime;
    nb_status fault; /* the first, with its message; nothing is done after it */
    char message[512];
    nb_system *system; /* borrowed */
    nb_layout *layout;
    nb_view view;
    char *memory, *block_memory, *sweep_memory, *polynomial_memory; /* of the device */
    storage *vectors;
    int64_t memory_capacity, block_capacity, sweep_capacity, polynomial_capacity, vector_capacity; /* [bytes] */
    nb_sweep_plan plan;          /* of the colouring below */
    const nb_colouring *planned; /* NULL: none of this pattern */
    real omega;
    nb_linear_norm norm; /* of the sweeps */
    nb_polynomial_plan polynomial;
    void *recording;     /* of some iterations of PCR, or NULL */
    int outdated;        /* 1: it is of another view */
    nb_pass recorded[3]; /* its passes */
    int32_t iterations;  /* and how many iterations of them it has */
    double *sums;        /* [NB_SUMS] shared with the device */
    real *jacobians;     /* of a pack, on their way */
    int64_t jacobian_capacity;
} backend;

enum {
    MOST_RECORDED = 25, /* iterations of PCR in a recording, at the end of which the device tells how far it came */
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
    if (s->block_memory) s->runtime->free(s->block_memory);
    if (s->sweep_memory) s->runtime->free(s->sweep_memory);
    if (s->polynomial_memory) s->runtime->free(s->polynomial_memory);
    if (s->vectors) s->runtime->free(s->vectors);
    if (s->sums) s->runtime->free_shared(s->sums);
    nb_layout_destroy(s->layout);
    nb_sweep_plan_clear(&s->plan);
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
    NB_TRY(runtime->allocate_shared(NB_SUMS * sizeof(double), &sums));
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

/* device memory of at least so many bytes; what it held is lost where it grows */
static nb_status grow(const backend *s, int64_t bytes, int64_t *capacity, void *pointer) {
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

static void note(backend *s, nb_status status) {
    if (status == NB_OK || s->fault != NB_OK) return;
    s->fault = status;
    snprintf(s->message, sizeof s->message, "%s", nb_error_message());
}

static void mark(const backend *s, nb_runtime_time what) {
    if (s->fault == NB_OK) s->runtime->mark(what);
}

static void launch(backend *s, nb_pass pass) {
    mark(s, pass.kind <= NB_PASS_GIVE ? NB_TIME_TRANSFER : NB_TIME_WORK);
    if (s->fault == NB_OK) note(s, s->runtime->NB_STORAGE_NAME(launch)(&s->view, &pass));
}

static void upload(backend *s, void *to, const void *from, int64_t bytes) {
    if (s->fault == NB_OK && bytes > 0) note(s, s->runtime->upload(to, from, bytes));
}

static nb_status fault(void *state) {
    const backend *s = state;
    return s->fault == NB_OK ? NB_OK : nb_fail(s->fault, "%s", s->message);
}

/* the sums that passes of these kinds left, one after the other; NAN after a fault */
static void read_sums(backend *s, int kinds, const nb_pass_kind *kind, double *sums) {
    nb_pass reduce = {.kind = NB_PASS_REDUCE};
    int count = 0;
    for (int i = 0; i < kinds; i++)
        for (int k = 0; k < nb_pass_sum_count(kind[i]); k++) reduce.counts[count++] = nb_pass_blocks(kind[i], &s->view);
    launch(s, reduce);
    if (s->fault == NB_OK) note(s, s->runtime->wait());
    for (int k = 0; k < count; k++) sums[k] = s->fault == NB_OK ? s->sums[k] : (double)NAN;
}

/* ---- set-up ---- */

static int64_t velocity_bytes(const backend *s) {
    return (s->view.bodies + (int64_t)1) * NB_VELOCITY_NUMBERS * (int64_t)sizeof(real);
}

static const char *device_name(const backend *s) {
    return s->runtime == &nb_runtime_cuda ? "cuda" : "emulated";
}

static nb_status set_pattern(void *state, nb_system *system) {
    backend *s = state;
    nb_status status;
    nb_sum_rows source;
    if (!nb_sum_rows_of(system->delassus, &source))
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "device %s: takes scenes of bodies and particles without cavities, no stored matrices",
                       device_name(s));
    s->system = system;
    s->fault = NB_OK;
    s->planned = NULL;
    outdate(s);
    NB_TRY(nb_layout_make(s->layout, &source, system->k != NULL));
    NB_TRY(grow(s, s->layout->bytes, &s->memory_capacity, &s->memory));
    s->view = nb_layout_bind(s->layout, s->memory);
    s->view.sums = s->sums;
    NB_TRY(s->runtime->upload(s->memory, s->layout->image, s->layout->image_bytes));
    /* the world's velocity stays zero, and so does what pads weights */
    NB_TRY(s->runtime->clear(s->view.velocity, velocity_bytes(s)));
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
        upload(s, to, from->group + first,
               nb_tetrahedron_groups(pack->lane + pack->blocks) * (int64_t)sizeof *from->group);
        return NB_OK;
    }
    int64_t length = 3 * (int64_t)pack->rows * pack->pieces * pack->blocks;
    nb_status status = NB_RESERVE(length, &s->jacobian_capacity, &s->jacobians);
    if (status != NB_OK) return status;
    nb_layout_jacobians(s->layout, source, i, s->jacobians);
    upload(s, to, s->jacobians, length * (int64_t)sizeof *s->jacobians);
    return NB_OK;
}

/* Packs, and masses with them, which may have become others (geometric stiffness). */
static nb_status upload_packs(backend *s, const nb_sum_rows *source) {
    nb_status status = NB_OK;
    const nb_view *v = &s->view;
    if (source->packs == 0) return NB_OK;
    for (int32_t i = 0; i < source->packs; i++) NB_TRY(upload_pack(s, source, i));
    nb_layout_masses(s->layout, source);
    upload(s, v->inverse_mass, s->layout->counts.inverse_mass,
           NB_MASS_NUMBERS * (int64_t)v->body_stride * (int64_t)sizeof *v->inverse_mass);
out:
    return status;
}

static nb_status set_values(void *state) {
    backend *s = state;
    nb_sum_rows source;
    nb_sum_rows_of(s->system->delassus, &source);
    const nb_view *v = &s->view;
    mark(s, NB_TIME_TRANSFER);
    upload(s, v->contact_rows, source.rigid.contacts, v->contacts * (int64_t)sizeof *v->contact_rows);
    upload(s, v->joint_row_source, source.rigid.joint_rows, v->joint_rows * (int64_t)sizeof *v->joint_row_source);
    note(s, upload_packs(s, &source));
    launch(s, (nb_pass){.kind = NB_PASS_VALUES});
    mark(s, NB_TIME_NONE);
    return fault(s);
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
                return nb_fail(NB_ERROR_UNSUPPORTED, "device %s: takes full blocks of compliance from elements alone",
                               device_name(s));
        if (last || !pack->coupled) continue;
        int64_t length = (int64_t)pack->rows * pack->rows * pack->blocks;
        upload(s, s->view.k_source + pack->k_source, system->k + first, length * (int64_t)sizeof *system->k);
        e = first + length;
    }
    return NB_OK;
}

static nb_status set_weights(void *state, const real *diagonal) {
    backend *s = state;
    int64_t bytes = s->view.rows * (int64_t)sizeof(real);
    mark(s, NB_TIME_TRANSFER);
    upload(s, s->view.row_values[0], s->system->s, bytes);
    upload(s, s->view.row_values[1], s->system->c, bytes);
    if (diagonal) upload(s, s->view.row_values[2], diagonal, bytes);
    if (s->system->k) note(s, upload_k(s));
    launch(s, (nb_pass){.kind = NB_PASS_WEIGHTS, .take_diagonal = diagonal != NULL});
    return fault(s);
}

static nb_status reserve(void *state, int64_t length, storage **memory) {
    backend *s = state;
    nb_status status;
    outdate(s);
    NB_TRY(grow(s, length * (int64_t)sizeof(storage), &s->vector_capacity, &s->vectors));
    NB_TRY(s->runtime->clear(s->vectors, length * (int64_t)sizeof(storage)));
out:
    *memory = s->vectors;
    return status;
}

static void place_blocks(nb_arena *a, const nb_preconditioner_blocks *blocks, nb_view *v) {
    NB_PLACE(a, blocks->count + (int64_t)1, &v->block_start);
    NB_PLACE(a, blocks->count + (int64_t)1, &v->block_place);
    NB_PLACE(a, blocks->place[blocks->count], &v->block_factors);
}

static nb_status take_blocks(void *state, const nb_preconditioner_blocks *blocks) {
    backend *s = state;
    nb_view *v = &s->view;
    int64_t starts = (blocks->count + (int64_t)1) * (int64_t)sizeof *blocks->start;
    int64_t places = (blocks->count + (int64_t)1) * (int64_t)sizeof *blocks->place;
    int64_t factors = blocks->place[blocks->count] * (int64_t)sizeof *blocks->factors;
    nb_arena arena = {.alignment = NB_DEVICE_ALIGNMENT};
    place_blocks(&arena, blocks, v);
    note(s, grow(s, arena.used, &s->block_capacity, &s->block_memory));
    if (s->fault != NB_OK) return fault(s);
    v->blocks = blocks->count;
    arena = (nb_arena){.memory = s->block_memory, .alignment = NB_DEVICE_ALIGNMENT};
    place_blocks(&arena, blocks, v);
    upload(s, v->block_start, blocks->start, starts);
    upload(s, v->block_place, blocks->place, places);
    upload(s, v->block_factors, blocks->factors, factors);
    return fault(s);
}

static nb_status take_sweeps(void *state, const nb_sweeps *sweeps) {
    backend *s = state;
    if (s->view.packs > 0)
        note(s, nb_fail(NB_ERROR_UNSUPPORTED, "device %s: sweeps in colour order are for scenes of rigid bodies alone",
                        device_name(s)));
    if (s->fault == NB_OK && s->planned != sweeps->colouring) {
        note(s, nb_sweep_plan_make(&s->plan, s->layout, s->system->delassus, sweeps->colouring));
        if (s->fault == NB_OK) note(s, grow(s, s->plan.bytes, &s->sweep_capacity, &s->sweep_memory));
        if (s->fault != NB_OK) return fault(s);
        nb_sweep_plan_bind(&s->plan, s->sweep_memory, &s->view);
        upload(s, s->sweep_memory, s->plan.lists, s->plan.list_bytes);
        s->planned = sweeps->colouring;
    }
    s->omega = sweeps->omega;
    s->norm = sweeps->norm;
    launch(s, (nb_pass){.kind = NB_PASS_PIVOTS, .by_rows = sweeps->by_rows});
    return fault(s);
}

static int64_t length(const void *state) {
    return nb_view_length(&((const backend *)state)->view);
}

/* the same of packs: numbers and places of pieces twice, K twice, forces written and gathered, velocities read */
static double pack_bytes(const nb_view *v, double vectors) {
    double w = sizeof(storage), r = sizeof(real), pieces = (double)v->pieces;
    return vectors * (double)v->pack_length * w + 2 * (double)v->numbers * w + 2 * (double)v->k_length * w +
           pieces * (9 * r + sizeof(int32_t)) + v->piece_sides * (double)sizeof(int32_t);
}

/* Each pass reads and writes what it has to once. */
static double bytes(const void *state, int pcr) {
    const nb_view *v = &((const backend *)state)->view;
    double contacts = v->contacts, joint_rows = v->joint_rows, bodies = v->bodies, w = sizeof(storage),
           r = sizeof(real);
    /* of a row: y and s twice, c, the result; PCR: ad and y written for the update, x, d and ad read and written */
    double vectors = pcr ? 14 : 6, rows = 3 * contacts + joint_rows;
    double lists = (v->contact_sides + (double)v->joint_sides) * sizeof(int32_t) + 2 * bodies * sizeof(int32_t);
    double frames = 2 * 6 * contacts * w + 6 * contacts * w + 12 * joint_rows * w; /* n, t1 twice; arms; rows of J */
    double gathered = (3 * r + 3 * w) * v->contact_sides + (r + 6 * w) * v->joint_sides;
    double moved = bodies * (7 + 2 * NB_VELOCITY_NUMBERS) * r; /* H^-1, velocities written and read */
    double ends = (contacts + joint_rows) * 2 * sizeof(int32_t), forces = (3 * contacts + joint_rows) * r;
    return vectors * rows * w + lists + frames + gathered + moved + ends + forces + pack_bytes(v, vectors);
}

/* ---- rows in and out ---- */

static void clear(void *state, storage *x) {
    backend *s = state;
    if (s->fault == NB_OK) note(s, s->runtime->clear(x, length(s) * (int64_t)sizeof *x));
}

static void take(void *state, const real *rows, storage *v) {
    backend *s = state;
    mark(s, NB_TIME_TRANSFER);
    clear(s, v);
    upload(s, s->view.row_values[0], rows, s->view.rows * (int64_t)sizeof *rows);
    launch(s, (nb_pass){.kind = NB_PASS_TAKE, .y = v});
}

static void give(void *state, const storage *x, double a, const storage *d, real *rows) {
    backend *s = state;
    int64_t bytes = s->view.rows * (int64_t)sizeof *rows;
    mark(s, NB_TIME_TRANSFER);
    launch(s, (nb_pass){.kind = NB_PASS_GIVE, .x = x, .a = (real)a, .d = (storage *)(uintptr_t)d});
    if (s->fault == NB_OK && bytes > 0) note(s, s->runtime->download(rows, s->view.row_values[0], bytes));
    if (s->fault != NB_OK) memset(rows, 0, (size_t)bytes);
    mark(s, NB_TIME_NONE);
}

/* ---- products ---- */

static void begin_product(void *state, double a, const storage *x, double b, storage *y, double sums[2]) {
    static const nb_pass_kind kinds[] = {NB_PASS_UPDATE, NB_PASS_BODY};
    backend *s = state;
    double three[3]; /* y . y, y . C y and force . velocity */
    nb_system_count_product(s->system);
    launch(s, (nb_pass){.kind = NB_PASS_UPDATE, .with_sums = sums != NULL, .a = (real)a, .x = x, .b = (real)b, .y = y});
    launch(s, (nb_pass){.kind = NB_PASS_BODY, .with_sums = sums != NULL, .first_sum = 2});
    if (!sums) return;
    read_sums(s, 2, kinds, three);
    sums[0] = three[0];
    sums[1] = three[1] + three[2];
}

static void finish_product(void *state, const storage *y, storage *out) {
    launch(state, (nb_pass){.kind = NB_PASS_PRODUCT, .y = (storage *)(uintptr_t)y, .out = out});
}

/* a pass that leaves one sum; with_sum 0: nobody waits for it */
static double launch_for_sum(backend *s, nb_pass pass, int with_sum) {
    double sum = (double)NAN;
    pass.with_sums = with_sum;
    launch(s, pass);
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

/* ---- PCR without the host ---- */

static void launch_some(backend *s, const nb_pass passes[3], int32_t iterations) {
    for (int32_t i = 0; i < iterations; i++)
        for (int k = 0; k < 3; k++) launch(s, passes[k]);
    launch(s, (nb_pass){.kind = NB_PASS_OWN_DECIDE});
}

static void record(backend *s, const nb_pass passes[3], int32_t iterations) {
    mark(s, NB_TIME_WORK); /* not to be recorded */
    if (s->fault == NB_OK) note(s, s->runtime->begin_recording());
    if (s->fault != NB_OK) return;
    launch_some(s, passes, iterations);
    note(s, s->runtime->end_recording(&s->recording));
    memcpy(s->recorded, passes, sizeof s->recorded);
    s->iterations = iterations;
    s->outdated = 0;
}

/* some iterations, from a recording */
static void iterate(backend *s, const nb_pass passes[3], int32_t iterations) {
    const nb_pass *old = &s->recorded[0], *new = &passes[0];
    if (old->y != new->y || old->out != new->out || old->d != new->d || old->ad != new->ad) outdate(s);
    if (!s->recording || s->outdated || s->iterations != iterations) record(s, passes, iterations);
    mark(s, NB_TIME_WORK);
    if (s->fault == NB_OK) note(s, s->runtime->replay(s->recording));
}

/* In equal shares, so that few are asked for that do nothing, and solves of the same length need one recording. */
static void run_pcr(void *state, nb_pcr_state *pcr, storage *x, storage *d, storage *ad, storage *z) {
    backend *s = state;
    const nb_pass passes[3] = {{.kind = NB_PASS_OWN_PCR, .y = z, .out = x, .d = d, .ad = ad},
                               {.kind = NB_PASS_OWN_UPDATE, .x = ad, .y = z},
                               {.kind = NB_PASS_OWN_BODY}};
    nb_pcr_slot slot = {.state = *pcr};
    int32_t left = pcr->most > pcr->iterations ? pcr->most - pcr->iterations : 1;
    int32_t shares = (left - 1) / MOST_RECORDED + 1, share = (left - 1) / shares + 1;
    upload(s, &s->view.slots[0], &slot, sizeof slot);
    while (s->fault == NB_OK && slot.state.reason == NB_REASON_NONE) {
        int32_t replays = pcr->stops.tolerance > 0 ? 1 : shares < REPLAYS_A_LOOK ? shares : REPLAYS_A_LOOK;
        for (int32_t i = 0; i < replays; i++) iterate(s, passes, share);
        if (shares > replays) shares -= replays;
        if (s->fault == NB_OK) note(s, s->runtime->download(&slot, &s->view.slots[1], sizeof slot));
    }
    for (int32_t i = pcr->iterations; i < slot.state.iterations; i++) nb_system_count_product(s->system);
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
    launch(state, (nb_pass){.kind = NB_PASS_COPY, .x = x, .y = y});
}

static void axpy(void *state, double a, const storage *x, storage *y) {
    launch(state, (nb_pass){.kind = NB_PASS_AXPY, .a = (real)a, .x = x, .y = y});
}

static void combine(void *state, double a, const storage *x, double b, storage *y) {
    launch(state, (nb_pass){.kind = NB_PASS_COMBINE, .a = (real)a, .x = x, .b = (real)b, .y = y});
}

static void apply_blocks(void *state, const storage *r, storage *z) {
    launch(state, (nb_pass){.kind = NB_PASS_BLOCKS, .x = r, .out = z});
}

/* ---- sweeps ---- */

static void start_sweep(void *state) {
    backend *s = state;
    mark(s, NB_TIME_WORK);
    if (s->fault == NB_OK) note(s, s->runtime->clear(s->view.velocity, velocity_bytes(s)));
}

/* a sweep of such passes; returns the blocks that left a sum of theirs */
static int32_t launch_sweep(backend *s, nb_pass pass, int backward) {
    for (int32_t i = 0; i < nb_sweep_plan_launches(&s->plan); i++) {
        nb_sweep_plan_range(&s->plan, i, backward, &pass);
        launch(s, pass);
        if (nb_sweep_blocks(&pass) > pass.counts[0]) pass.counts[0] = nb_sweep_blocks(&pass);
    }
    return pass.counts[0];
}

static double sweep(void *state, int backward, const storage *b, storage *x) {
    backend *s = state;
    nb_pass reduce = {.kind = NB_PASS_REDUCE};
    reduce.counts[0] = launch_sweep(
        s, (nb_pass){.kind = NB_PASS_RELAX, .with_sums = !backward, .norm = s->norm, .a = s->omega, .x = b, .out = x},
        backward);
    if (backward) return 0;
    launch(s, reduce);
    if (s->fault == NB_OK) note(s, s->runtime->wait());
    return s->fault == NB_OK ? s->sums[0] : (double)NAN;
}

static void apply_sweeps(void *state, const storage *r, storage *z) {
    backend *s = state;
    nb_pass pass = {.kind = NB_PASS_TRIANGLE, .a = s->omega, .b = s->omega * (2 - s->omega), .x = r, .out = z};
    for (int backward = 0; backward < 2; backward++) {
        start_sweep(s);
        launch_sweep(s, pass, backward);
    }
}

/* ---- polynomials ---- */

extern const nb_vector_backend_class nb_vector_backend_cuda, nb_vector_backend_emulated;

/* the operations of both devices */
static const nb_vector_backend_class *const operations = &nb_vector_backend_emulated;

static void launch_on(void *state, nb_pass pass) {
    launch(state, pass);
}

/* The largest eigenvalue is found here where it is not known, and its products are none of the solve's. */
static nb_status take_polynomial(void *state, const nb_polynomial *polynomial) {
    backend *s = state;
    nb_polynomial_plan *plan = &s->polynomial;
    const int64_t length = nb_view_length(&s->view), products = s->system->products;
    nb_polynomial_plan_make(plan, s->layout, polynomial, length);
    if (!polynomial->diagonal) note(s, take_blocks(s, &polynomial->blocks));
    if (s->fault == NB_OK) note(s, grow(s, plan->bytes, &s->polynomial_capacity, &s->polynomial_memory));
    if (s->fault != NB_OK) return fault(s);
    nb_polynomial_plan_bind(plan, s->polynomial_memory, length, &s->view);
    note(s, s->runtime->clear(s->polynomial_memory, plan->bytes)); /* what pads vectors */
    if (polynomial->diagonal) take(s, polynomial->diagonal, plan->inner);
    if (plan->by_factors) launch(s, (nb_pass){.kind = NB_PASS_FACTORS});
    if (*polynomial->top == 0) nb_polynomial_plan_top(plan, operations, s, launch_on, polynomial);
    s->system->products = products;
    plan->top = *polynomial->top;
    return fault(s);
}

static void apply_polynomial(void *state, const storage *r, storage *z) {
    backend *s = state;
    nb_polynomial_plan_apply(&s->polynomial, operations, s, launch_on, r, z);
    for (int i = 1; s->polynomial.by_steps && i < s->polynomial.degree; i++) nb_system_count_product(s->system);
}

#define BACKEND_ON(make)                                                                                              \
    {                                                                                                                 \
        .create = (make), .destroy = destroy, .set_pattern = set_pattern, .set_values = set_values,                   \
        .set_weights = set_weights, .length = length, .bytes = bytes, .reserve = reserve, .fault = fault,             \
        .take_blocks = take_blocks, .apply_blocks = apply_blocks, .take_sweeps = take_sweeps,                         \
        .start_sweep = start_sweep, .sweep = sweep, .apply_sweeps = apply_sweeps, .take_polynomial = take_polynomial, \
        .apply_polynomial = apply_polynomial, .take = take, .give = give, .begin_product = begin_product,             \
        .finish_product = finish_product, .finish_pcr = finish_pcr, .finish_pcg = finish_pcg, .run_pcr = run_pcr,     \
        .dot = dot, .scaled_square = scaled_square, .clear = clear, .copy = copy, .axpy = axpy, .combine = combine,   \
    }

const nb_vector_backend_class nb_vector_backend_cuda = BACKEND_ON(create_cuda);
const nb_vector_backend_class nb_vector_backend_emulated = BACKEND_ON(create_emulated);
