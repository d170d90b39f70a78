/* The kernels over contacts of one instruction set (contact_kernels.h): BODY_WIDTH contacts at a time, whose rows and
 * bodies are loaded whole and transposed in registers. */
#include "lanes.h"
#include "operator/contact_kernels.h"

NB_PRECISIONS(f32, f64);

#define NB_LANE body_lanes
#include "operator/contact_formulas.h"

#include <string.h>

#define KERNELS_OF(set) KERNELS_OF_(set)
#define KERNELS_OF_(set) NB_REAL_NAME(nb_contact_kernels_##set)

enum {
    FRAME = 0, /* numbers of an nb_contact_rows */
    ARM_A = 9,
    ARM_B = 12,
    ROW_NUMBERS = 16 /* the last of them belongs to the bodies' numbers and is only carried along */
};

/* the contacts of a register and their bodies: where each one's numbers are */
typedef struct rows {
    const real *contact[BODY_WIDTH];
    int32_t index[BODY_WIDTH], a[BODY_WIDTH], b[BODY_WIDTH];
    int count; /* of those that are there; the others repeat the last */
} rows;

static INLINE rows rows_from(const nb_contact_rows *contacts, int32_t first, int32_t end) {
    rows r = {.count = end - first < BODY_WIDTH ? end - first : BODY_WIDTH};
    for (int lane = 0; lane < BODY_WIDTH; lane++) {
        int32_t i = first + (lane < r.count ? lane : r.count - 1);
        r.contact[lane] = contacts[i].direction[0];
        r.index[lane] = i;
        r.a[lane] = contacts[i].a;
        r.b[lane] = contacts[i].b;
    }
    return r;
}

/* numbers `first` to first + count - 1 of every contact */
static INLINE void load_numbers(const rows *r, int first, int count, body_lanes *v) {
    const int beside = (ROWS - 1) * PIECE;
    for (int k = 0; k < count; k += PIECE) {
        for (int i = 0; i < PIECE; i++)
            v[k + i] = load_row(r->contact[i] + first + k, r->contact[beside + i] + first + k);
        transpose(v + k);
    }
}

/* all 8 numbers of rows of NB_BODY_STRIDE numbers */
static INLINE void load_eight(const real *base, const int32_t *row, body_lanes v[8]) {
    const int beside = (ROWS - 1) * PIECE;
    for (int piece = 0; piece < 8 / PIECE; piece++) {
        for (int i = 0; i < PIECE; i++)
            v[piece * PIECE + i] = load_row(row_of(base, row, i, piece), row_of(base, row, beside + i, piece));
        transpose(v + piece * PIECE);
    }
}

/* 8 numbers a contact into a row each */
static INLINE void store_eight(body_lanes v[8], real out[BODY_WIDTH][8]) {
    const int beside = (ROWS - 1) * PIECE;
    for (int piece = 0; piece < 8 / PIECE; piece++) {
        transpose(v + piece * PIECE);
        for (int i = 0; i < PIECE; i++)
            store_row(v[piece * PIECE + i], out[i] + piece * PIECE, out[beside + i] + piece * PIECE);
    }
}

static void evaluate(const nb_contact_pass *pass, int32_t begin, int32_t end) {
    _Alignas(64) real out[BODY_WIDTH][8];
    for (int32_t first = begin; first < end; first += BODY_WIDTH) {
        const rows r = rows_from(pass->contacts, first, end);
        body_lanes numbers[ROW_NUMBERS], start[8], motion[8], moved_a[3], moved_b[3], slip_a[3], slip_b[3];
        body_lanes result[8] = {{0}}, inverse[8];
        load_numbers(&r, 0, ROW_NUMBERS, numbers);
        load_eight(pass->start, r.index, start);
        load_eight(pass->motion, r.a, motion);
        nb_lane_advance_contact(motion, pass->h, start, start[7], numbers + ARM_A, moved_a);
        nb_lane_velocity_at(motion, numbers + ARM_A, slip_a);
        load_eight(pass->motion, r.b, motion);
        nb_lane_advance_contact(motion, pass->h, start + 3, start[7], numbers + ARM_B, moved_b);
        nb_lane_velocity_at(motion, numbers + ARM_B, slip_b);
        for (int k = 0; k < 3; k++) {
            moved_a[k] -= moved_b[k];
            slip_a[k] -= slip_b[k];
        }
        result[0] = start[6] + nb_lane_dot(numbers + FRAME, moved_a);
        result[1] = nb_lane_dot(numbers + FRAME + 3, slip_a);
        result[2] = nb_lane_dot(numbers + FRAME + 6, slip_a);
        load_eight(pass->inverse_mass[0].numbers, r.a, inverse);
        nb_lane_add_share(inverse, numbers + ARM_A, numbers + FRAME, result + 3);
        load_eight(pass->inverse_mass[0].numbers, r.b, inverse);
        nb_lane_add_share(inverse, numbers + ARM_B, numbers + FRAME, result + 3);
        result[6] = (result[4] + result[5]) * R(0.5);
        store_eight(result, out);
        /* the numbers from 8 on go back as they came, but for the arms */
        _Alignas(64) real back[BODY_WIDTH][8];
        store_eight(numbers + 8, back);
        for (int lane = 0; lane < r.count; lane++) {
            ptrdiff_t i = first + lane;
            memcpy((real *)&pass->contacts[i] + ARM_A, back[lane] + ARM_A - 8, 6 * sizeof(real));
            memcpy(pass->value + 3 * i, out[lane], 3 * sizeof(real));
            memcpy(pass->diagonal + 3 * i, out[lane] + 3, 3 * sizeof(real));
            real weight[3] = {out[lane][3], out[lane][6], out[lane][6]};
            memcpy(pass->weight + 3 * i, weight, sizeof weight);
        }
    }
}

static void row_velocities(const nb_contact_rows *contacts, int32_t begin, int32_t end, const real *velocity, real *y) {
    _Alignas(64) real out[BODY_WIDTH][8];
    for (int32_t first = begin; first < end; first += BODY_WIDTH) {
        const rows r = rows_from(contacts, first, end);
        body_lanes numbers[ROW_NUMBERS], motion[8], of_a[3], of_b[3], result[8] = {{0}};
        load_numbers(&r, 0, ROW_NUMBERS, numbers);
        load_eight(velocity, r.a, motion);
        nb_lane_velocity_at(motion, numbers + ARM_A, of_a);
        load_eight(velocity, r.b, motion);
        nb_lane_velocity_at(motion, numbers + ARM_B, of_b);
        for (int k = 0; k < 3; k++) of_a[k] -= of_b[k];
        for (int k = 0; k < 3; k++) result[k] = nb_lane_dot(numbers + FRAME + 3 * k, of_a);
        store_eight(result, out);
        for (int lane = 0; lane < r.count; lane++) memcpy(y + 3 * (ptrdiff_t)(first + lane), out[lane], 3 * sizeof *y);
    }
}

/* three numbers of a contact as they lie in memory, and one that belongs to what follows them */
typedef real quad __attribute__((vector_size(4 * sizeof(real)), may_alias));
typedef real loose_quad __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real)), may_alias));

static INLINE quad load_quad(const real *from) {
    return *(const loose_quad *)from;
}

/* (y, z, x) */
static INLINE quad turned(quad v) {
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}

/* what a run of contacts between the same two bodies does to them: neighbours mostly are of one */
typedef struct wrench {
    quad force, turn_a, turn_b; /* the turns as (z, x, y) */
} wrench;

static INLINE void add_contact(const nb_contact_rows *contact, const real x[3], wrench *sum) {
    const real *numbers = contact->direction[0];
    quad p = x[0] * load_quad(numbers + FRAME) + x[1] * load_quad(numbers + FRAME + 3) +
             x[2] * load_quad(numbers + FRAME + 6);
    quad a = load_quad(numbers + ARM_A), before_b = load_quad(numbers + ARM_B - 1); /* after b come numbers of bodies */
    quad b = __builtin_shufflevector(before_b, before_b, 1, 2, 3, 0);
    sum->force += p;
    sum->turn_a += a * turned(p) - turned(a) * p;
    sum->turn_b += b * turned(p) - turned(b) * p;
}

static INLINE void add_wrench(quad force, quad turn, real sign, real *on) {
    turn = turned(turn);
    for (int k = 0; k < 3; k++) {
        on[k] += sign * force[k];
        on[3 + k] += sign * turn[k];
    }
}

static void add_forces(const nb_contact_rows *contacts, int32_t begin, int32_t end, const real *s, const real *x,
                       real *force) {
    for (int32_t i = begin; i < end;) {
        int32_t a = contacts[i].a, b = contacts[i].b;
        wrench sum = {{0}, {0}, {0}};
        do {
            ptrdiff_t r = 3 * (ptrdiff_t)i;
            real weighted[3];
            for (int k = 0; k < 3; k++) weighted[k] = s ? s[r + k] * x[r + k] : x[r + k];
            add_contact(&contacts[i++], weighted, &sum);
        } while (i < end && contacts[i].a == a && contacts[i].b == b);
        add_wrench(sum.force, sum.turn_a, 1, force + (ptrdiff_t)a * NB_BODY_STRIDE);
        add_wrench(sum.force, sum.turn_b, -1, force + (ptrdiff_t)b * NB_BODY_STRIDE);
    }
}

extern const nb_contact_kernels KERNELS_OF(NB_INSTRUCTION_SET);
const nb_contact_kernels KERNELS_OF(NB_INSTRUCTION_SET) = {evaluate, row_velocities, add_forces};
