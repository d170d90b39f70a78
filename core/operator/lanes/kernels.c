/* The kernels of one instruction set (kernels.h). A block of NB_LANES pairs is worked on in slices of WIDTH pairs, as
 * many as a register holds; a slice's numbers lie `slice` entries into the block's. */
#include "operator/kernels.h"
#include "lanes.h"

NB_PRECISIONS(f32, f64, mixed);

/* nb_kernels_avx512_f64, ... */
#define KERNELS_OF(set) KERNELS_OF_(set)
#define KERNELS_OF_(set) NB_STORAGE_NAME(nb_kernels_##set)
#define NAME_OF(set) NAME_OF_(set)
#define NAME_OF_(set) #set

/* a pair's frame: n, t1 and t2 in the world */
typedef struct frame {
    lanes n[3], t1[3], t2[3];
} frame;

static INLINE void cross(const lanes a[3], const lanes b[3], lanes c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static INLINE void add_cross(const lanes a[3], const lanes b[3], lanes c[3]) {
    c[0] += a[1] * b[2] - a[2] * b[1];
    c[1] += a[2] * b[0] - a[0] * b[2];
    c[2] += a[0] * b[1] - a[1] * b[0];
}

static INLINE void load3(const storage *from, lanes to[3]) {
    for (int k = 0; k < 3; k++) to[k] = load(from + k * NB_LANES);
}

static INLINE frame load_frame(const storage *geometry) {
    frame f;
    load3(geometry, f.n);
    load3(geometry + 3 * NB_LANES, f.t1);
    cross(f.n, f.t1, f.t2);
    return f;
}

static INLINE void to_world(const frame *f, const lanes v[3], lanes world[3]) {
    for (int k = 0; k < 3; k++) world[k] = v[0] * f->n[k] + v[1] * f->t1[k] + v[2] * f->t2[k];
}

static INLINE void to_frame(const frame *f, const lanes world[3], lanes v[3]) {
    v[0] = f->n[0] * world[0] + f->n[1] * world[1] + f->n[2] * world[2];
    v[1] = f->t1[0] * world[0] + f->t1[1] * world[1] + f->t1[2] * world[2];
    v[2] = f->t2[0] * world[0] + f->t2[1] * world[1] + f->t2[2] * world[2];
}

/* ---- forces ---- */

/* one row: y = a x + b y, with its sums (NULL: none); returns s y */
static INLINE lanes combine(const nb_packed *p, int64_t at, real a, const storage *x, real b, storage *y,
                            lanes sums[2]) {
    lanes value = load(y + at);
    if (x) {
        value = (storage)a * load(x + at) + (storage)b * value;
        store(y + at, value);
    }
    if (sums) {
        sums[0] += value * value;
        sums[1] += load(p->c + at) * value * value;
    }
    return load(p->s + at) * value;
}

static INLINE void forces_of_contacts(const nb_packed *p, const nb_packed_block *block, int contacts, int slice,
                                      const int32_t *bodies, real *force, real a, const storage *x, real b, storage *y,
                                      lanes sums[2]) {
    const storage *geometry = p->geometry + block->geometry + slice, *arms = geometry + NB_FRAME_NUMBERS * NB_LANES;
    lanes total[3] = {{0}}, turn_a[3] = {{0}}, turn_b[3] = {{0}}, on_a[8] = {{0}}, on_b[8] = {{0}};
    for (int i = 0; i < contacts; i++, arms += NB_ARM_NUMBERS * NB_LANES) {
        int64_t at = block->vector + slice + 3 * i * NB_LANES;
        lanes f[3], arm[3];
        for (int k = 0; k < 3; k++) {
            f[k] = combine(p, at + k * NB_LANES, a, x, b, y, sums);
            total[k] += f[k];
        }
        load3(arms, arm);
        add_cross(arm, f, turn_a);
        load3(arms + 3 * NB_LANES, arm);
        add_cross(arm, f, turn_b);
    }
    frame world = load_frame(geometry);
    to_world(&world, total, on_a);
    to_world(&world, turn_a, on_a + 3);
    to_world(&world, turn_b, on_b + 3);
    for (int k = 0; k < 3; k++) {
        on_b[k] = -on_a[k];
        on_b[3 + k] = -on_b[3 + k];
    }
    add_to_bodies(on_a, bodies, force);
    add_to_bodies(on_b, bodies + NB_LANES, force);
}

static INLINE void forces_of_joints(const nb_packed *p, const nb_packed_block *block, int slice, const int32_t *bodies,
                                    real *force, real a, const storage *x, real b, storage *y, lanes sums[2]) {
    const storage *row = p->geometry + block->geometry + slice;
    lanes on_a[8] = {{0}}, on_b[8] = {{0}};
    for (int i = 0; i < block->rows; i++, row += NB_JOINT_ROW_NUMBERS * NB_LANES) {
        lanes f = combine(p, block->vector + slice + i * NB_LANES, a, x, b, y, sums);
        for (int k = 0; k < 6; k++) {
            on_a[k] += load(row + k * NB_LANES) * f;
            on_b[k] += load(row + (6 + k) * NB_LANES) * f;
        }
    }
    add_to_bodies(on_a, bodies, force);
    add_to_bodies(on_b, bodies + NB_LANES, force);
}

static INLINE void forces_of(const nb_packed *p, int32_t begin, int32_t end, real *force, real a, const storage *x,
                             real b, storage *y, double results[2]) {
    sum_lanes totals[2] = {{0}};
    for (int32_t i = begin; i < end; i++) {
        const nb_packed_block *block = &p->blocks[i];
        lanes part[2] = {{0}}, *sums = results ? part : NULL;
        for (int slice = 0; slice < NB_LANES; slice += WIDTH) {
            const int32_t *bodies = p->block_bodies + 2 * NB_LANES * (ptrdiff_t)i + slice;
            switch (block->contacts) {
            case 0: forces_of_joints(p, block, slice, bodies, force, a, x, b, y, sums); break;
            case 1: forces_of_contacts(p, block, 1, slice, bodies, force, a, x, b, y, sums); break;
            case 2: forces_of_contacts(p, block, 2, slice, bodies, force, a, x, b, y, sums); break;
            case 3: forces_of_contacts(p, block, 3, slice, bodies, force, a, x, b, y, sums); break;
            default: forces_of_contacts(p, block, 4, slice, bodies, force, a, x, b, y, sums);
            }
        }
        for (int k = 0; results && k < 2; k++) add_to(&totals[k], part[k]);
    }
    for (int k = 0; results && k < 2; k++) results[k] += add_up(totals[k]);
}

static void forces(const nb_packed *p, int32_t begin, int32_t end, real *force, real a, const storage *x, real b,
                   storage *y, double sums[2]) {
    if (x)
        forces_of(p, begin, end, force, a, x, b, y, sums);
    else if (sums)
        forces_of(p, begin, end, force, 0, NULL, 1, y, sums);
    else
        forces_of(p, begin, end, force, 0, NULL, 1, y, NULL);
}

/* ---- bodies ---- */

static double bodies(const nb_packed *p, int32_t begin, int32_t end) {
    sum_lanes total = {0};
    for (int32_t first = begin; first < end; first += BODY_WIDTH) {
        const real *m = p->inverse_mass + 8 * (ptrdiff_t)(first - first % NB_LANES) + first % NB_LANES;
        ptrdiff_t place = (ptrdiff_t)first * NB_BODY_STRIDE;
        body_lanes f[8], v[8] = {{0}};
        take_bodies(p->force + place, f);
        for (int part = 1; part < p->parts; part++) {
            body_lanes more[8];
            take_bodies(p->force + (ptrdiff_t)part * p->body_count * NB_BODY_STRIDE + place, more);
            for (int k = 0; k < 6; k++) f[k] += more[k];
        }
        body_lanes mass = load_real(m), xx = load_real(m + NB_LANES), yy = load_real(m + 2 * NB_LANES),
                   zz = load_real(m + 3 * NB_LANES), xy = load_real(m + 4 * NB_LANES), xz = load_real(m + 5 * NB_LANES),
                   yz = load_real(m + 6 * NB_LANES);
        for (int k = 0; k < 3; k++) v[k] = mass * f[k];
        v[3] = xx * f[3] + xy * f[4] + xz * f[5];
        v[4] = xy * f[3] + yy * f[4] + yz * f[5];
        v[5] = xz * f[3] + yz * f[4] + zz * f[5];
        add_to_real(&total, f[0] * v[0] + f[1] * v[1] + f[2] * v[2] + f[3] * v[3] + f[4] * v[4] + f[5] * v[5]);
        put_bodies(v, p->velocity + place);
    }
    return add_up(total);
}

/* ---- products ---- */

typedef enum ending {
    PRODUCT,
    PCR,
    PCG
} ending;

/* what a product ends in */
typedef struct target {
    const storage *y;
    real alpha, beta;
    storage *x, *d, *ad, *r, *out;
} target;

/* one row: A y = s velocity + c y, and what becomes of it */
static INLINE void finish(const nb_packed *p, ending how, const target *t, int64_t at, lanes velocity,
                          lanes *sum_of_squares) {
    lanes y = load(t->y + at), ay = load(p->s + at) * velocity + load(p->c + at) * y;
    if (how == PCR) {
        lanes d = load(t->d + at);
        store(t->x + at, load(t->x + at) + (storage)t->alpha * d);
        store(t->d + at, y + (storage)t->beta * d);
        lanes ad = ay + (storage)t->beta * load(t->ad + at);
        store(t->ad + at, ad);
        *sum_of_squares += ad * ad;
    } else if (how == PCG) {
        store(t->x + at, load(t->x + at) + (storage)t->alpha * y);
        lanes r = load(t->r + at) - (storage)t->alpha * ay;
        store(t->r + at, r);
        *sum_of_squares += r * r;
    } else {
        store(t->out + at, ay);
    }
}

static INLINE void finish_contacts(const nb_packed *p, const nb_packed_block *block, int contacts, int slice,
                                   const int32_t *bodies, ending how, const target *t, lanes *sum_of_squares) {
    const storage *geometry = p->geometry + block->geometry + slice, *arms = geometry + NB_FRAME_NUMBERS * NB_LANES;
    lanes of_a[8], of_b[8], slide[3], turn_a[3], turn_b[3];
    load_bodies(p->velocity, bodies, of_a);
    load_bodies(p->velocity, bodies + NB_LANES, of_b);
    frame world = load_frame(geometry);
    to_frame(&world, of_a + 3, turn_a);
    to_frame(&world, of_b + 3, turn_b);
    for (int k = 0; k < 3; k++) {
        of_a[k] -= of_b[k];
        turn_b[k] = -turn_b[k];
    }
    to_frame(&world, of_a, slide);
    for (int i = 0; i < contacts; i++, arms += NB_ARM_NUMBERS * NB_LANES) {
        int64_t at = block->vector + slice + 3 * i * NB_LANES;
        lanes relative[3] = {slide[0], slide[1], slide[2]}, arm[3];
        load3(arms, arm);
        add_cross(turn_a, arm, relative);
        load3(arms + 3 * NB_LANES, arm);
        add_cross(turn_b, arm, relative);
        for (int k = 0; k < 3; k++) finish(p, how, t, at + k * NB_LANES, relative[k], sum_of_squares);
    }
}

static INLINE void finish_joints(const nb_packed *p, const nb_packed_block *block, int slice, const int32_t *bodies,
                                 ending how, const target *t, lanes *sum_of_squares) {
    const storage *row = p->geometry + block->geometry + slice;
    lanes of_a[8], of_b[8];
    load_bodies(p->velocity, bodies, of_a);
    load_bodies(p->velocity, bodies + NB_LANES, of_b);
    for (int i = 0; i < block->rows; i++, row += NB_JOINT_ROW_NUMBERS * NB_LANES) {
        lanes velocity = {0};
        for (int k = 0; k < 6; k++)
            velocity += load(row + k * NB_LANES) * of_a[k] + load(row + (6 + k) * NB_LANES) * of_b[k];
        finish(p, how, t, block->vector + slice + i * NB_LANES, velocity, sum_of_squares);
    }
}

static INLINE double finish_blocks(const nb_packed *p, int32_t begin, int32_t end, ending how, const target *t) {
    sum_lanes total = {0};
    for (int32_t i = begin; i < end; i++) {
        const nb_packed_block *block = &p->blocks[i];
        lanes part = {0};
        for (int slice = 0; slice < NB_LANES; slice += WIDTH) {
            const int32_t *bodies = p->block_bodies + 2 * NB_LANES * (ptrdiff_t)i + slice;
            switch (block->contacts) {
            case 0: finish_joints(p, block, slice, bodies, how, t, &part); break;
            case 1: finish_contacts(p, block, 1, slice, bodies, how, t, &part); break;
            case 2: finish_contacts(p, block, 2, slice, bodies, how, t, &part); break;
            case 3: finish_contacts(p, block, 3, slice, bodies, how, t, &part); break;
            default: finish_contacts(p, block, 4, slice, bodies, how, t, &part);
            }
        }
        add_to(&total, part);
    }
    return add_up(total);
}

static void product(const nb_packed *p, int32_t begin, int32_t end, const storage *y, storage *out) {
    finish_blocks(p, begin, end, PRODUCT, &(target){.y = y, .out = out});
}

static double pcr(const nb_packed *p, int32_t begin, int32_t end, const storage *y, real alpha, real beta, storage *x,
                  storage *d, storage *ad) {
    return finish_blocks(p, begin, end, PCR, &(target){.y = y, .alpha = alpha, .beta = beta, .x = x, .d = d, .ad = ad});
}

static double pcg(const nb_packed *p, int32_t begin, int32_t end, const storage *y, real alpha, storage *x,
                  storage *r) {
    return finish_blocks(p, begin, end, PCG, &(target){.y = y, .alpha = alpha, .x = x, .r = r});
}

extern const nb_kernel_set KERNELS_OF(NB_INSTRUCTION_SET);
const nb_kernel_set KERNELS_OF(NB_INSTRUCTION_SET) = {NAME_OF(NB_INSTRUCTION_SET), forces, bodies, product, pcr, pcg};
