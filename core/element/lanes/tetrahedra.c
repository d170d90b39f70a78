/* The kernels over tetrahedra of one instruction set (tetrahedron_pack.h): a register of elements at a time. */
#include <string.h>

#include "element/tetrahedron_pack.h"
#include "rows_of_four.h"

NB_PRECISIONS(f32, f64);

#include "element/tetrahedron_formulas.h"

#define KERNELS_OF(set) KERNELS_OF_(set)
#define KERNELS_OF_(set) NB_REAL_NAME(nb_tetrahedron_kernels_##set)

static INLINE element_lanes load_lanes(const real *from) {
    return *(const element_lanes *)from;
}

static INLINE void store_lanes(real *to, element_lanes value) {
    *(element_lanes *)to = value;
}

enum {
    GROUPS_AHEAD = 2
};

/* a register of elements: their group, the first one's lane there, and how many of them are there and asked for */
typedef struct part {
    int32_t group;
    int lane, count;
} part;

static INLINE part part_of(int32_t first, int32_t end) {
    part p = {.group = first / NB_ELEMENT_LANES, .lane = first % NB_ELEMENT_LANES};
    p.count = end - first < ELEMENT_WIDTH ? end - first : ELEMENT_WIDTH;
    return p;
}

/* Asks for this part's share of an array of groups of `size` bytes each, in the group that comes after the next: what
 * streams by in lines of many arrays is not foreseen by the processor, and waits cost more than the work. */
static INLINE void ask_ahead(const void *array, size_t size, part p, int32_t end) {
    const char *group = (const char *)array + (ptrdiff_t)(p.group + GROUPS_AHEAD) * (ptrdiff_t)size;
    const size_t share = size / NB_ELEMENT_LANES, first = share * (size_t)p.lane;
    if (p.group + GROUPS_AHEAD > (end - 1) / NB_ELEMENT_LANES) return;
    for (size_t k = first; k < first + share * ELEMENT_WIDTH; k += 64) __builtin_prefetch(group + k);
}

/* ---- products ---- */

/* three numbers a corner, of particles with three numbers each */
static INLINE void gather_corners(const nb_tetrahedron_group *g, int lane, const real *from,
                                  element_lanes corner[4][3]) {
    for (int a = 0; a < 4; a++) {
        _Alignas(64) real x[3][ELEMENT_WIDTH];
        for (int i = 0; i < ELEMENT_WIDTH; i++) {
            const real *row = from + 3 * (ptrdiff_t)g->particle[a][lane + i];
            for (int k = 0; k < 3; k++) x[k][i] = row[k];
        }
        for (int k = 0; k < 3; k++) corner[a][k] = load_lanes(x[k]);
    }
}

_Static_assert(NB_PARTICLE_STRIDE == 4, "a particle's padded numbers are a row of four");

/* the same of padded particles */
static INLINE void gather_padded(const nb_tetrahedron_group *g, int lane, const real *from,
                                 element_lanes corner[4][3]) {
    for (int a = 0; a < 4; a++) {
        row_of_four row[ELEMENT_WIDTH];
        element_lanes x[4];
        for (int i = 0; i < ELEMENT_WIDTH; i++)
            row[i] = load_row(from + (ptrdiff_t)g->particle[a][lane + i] * NB_PARTICLE_STRIDE);
        turn_rows(row, x);
        for (int k = 0; k < 3; k++) corner[a][k] = x[k];
    }
}

/* Adds forces on corners to those of padded particles, those of elements begin .. end - 1 of the register: one element
 * after the other, whatever its width. */
static INLINE void scatter_padded(const nb_tetrahedron_group *g, int lane, int begin, int end,
                                  element_lanes corner[4][3], real *force) {
    row_of_four row[4][ELEMENT_WIDTH];
    for (int a = 0; a < 4; a++) {
        const element_lanes x[4] = {corner[a][0], corner[a][1], corner[a][2], {0}};
        turn_back(x, row[a]);
    }
    for (int i = begin; i < end; i++)
        for (int a = 0; a < 4; a++) {
            real *to = force + (ptrdiff_t)g->particle[a][lane + i] * NB_PARTICLE_STRIDE;
            store_row(to, load_row(to) + row[a][i]);
        }
}

/* six numbers an element, one element after the other in memory: the second row of four begins with the third number */
static INLINE void load_six(const real *from, const real *weight, element_lanes x[6]) {
    row_of_four first[ELEMENT_WIDTH], second[ELEMENT_WIDTH];
    element_lanes turned[4];
    for (int i = 0; i < ELEMENT_WIDTH; i++) {
        first[i] = load_row(from + 6 * i);
        second[i] = load_row(from + 6 * i + 2);
        if (!weight) continue;
        first[i] *= load_row(weight + 6 * i);
        second[i] *= load_row(weight + 6 * i + 2);
    }
    turn_rows(first, x);
    turn_rows(second, turned);
    x[4] = turned[2];
    x[5] = turned[3];
}

static INLINE void store_six(real *to, const element_lanes x[6]) {
    row_of_four first[ELEMENT_WIDTH], second[ELEMENT_WIDTH];
    turn_back(x, first);
    turn_back(x + 2, second);
    for (int i = 0; i < ELEMENT_WIDTH; i++) {
        store_row(to + 6 * i, first[i]);
        store_row(to + 6 * i + 2, second[i]);
    }
}

/* l dF of the corners' velocities */
static INLINE void gradient_of(const nb_tetrahedron_group *g, int lane, element_lanes corner[4][3],
                               element_lanes df[9]) {
    for (int i = 0; i < 3; i++) {
        element_lanes x = corner[1][i] - corner[0][i], y = corner[2][i] - corner[0][i], z = corner[3][i] - corner[0][i];
        for (int j = 0; j < 3; j++)
            df[3 * i + j] = x * load_lanes(g->gradient[j] + lane) + y * load_lanes(g->gradient[3 + j] + lane) +
                            z * load_lanes(g->gradient[6 + j] + lane);
    }
}

static INLINE void load_stretch(const nb_tetrahedron_group *g, int lane, nb_lane_stretch *at) {
    for (int k = 0; k < 9; k++) at->r[k] = load_lanes(g->rotation[k] + lane);
    for (int k = 0; k < 6; k++) {
        at->s[k] = load_lanes(g->stretch[k] + lane);
        at->turn[k] = load_lanes(g->turn[k] + lane);
    }
}

static void velocities(const nb_tetrahedron_group *group, int32_t begin, int32_t end, const real *velocity, real *y) {
    for (int32_t first = begin - begin % ELEMENT_WIDTH; first < end; first += ELEMENT_WIDTH) {
        const part p = part_of(first, end);
        const nb_tetrahedron_group *g = &group[p.group];
        const int skipped = first < begin ? begin - first : 0;
        real *to = y + 6 * (ptrdiff_t)(first + skipped - begin);
        element_lanes corner[4][3], df[9], ds[6];
        nb_lane_stretch at;
        ask_ahead(group, sizeof *group, p, end);
        gather_padded(g, p.lane, velocity, corner);
        gradient_of(g, p.lane, corner, df);
        load_stretch(g, p.lane, &at);
        nb_lane_stretch_forward(at.r, at.s, at.turn, df, ds);
        if (p.count - skipped == ELEMENT_WIDTH) {
            store_six(to, ds);
        } else {
            real out[6 * ELEMENT_WIDTH];
            store_six(out, ds);
            memcpy(to, out + 6 * skipped, 6 * (size_t)(p.count - skipped) * sizeof *out);
        }
    }
}

/* the forces on the corners of rows x */
static INLINE void corner_forces(const nb_tetrahedron_group *g, int lane, const nb_lane_stretch *at,
                                 const element_lanes x[6], element_lanes force[4][3]) {
    element_lanes p[9];
    nb_lane_stretch_backward(at->r, at->s, at->turn, x, p);
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 3; a++)
            force[1 + a][i] = p[3 * i] * load_lanes(g->gradient[3 * a] + lane) +
                              p[3 * i + 1] * load_lanes(g->gradient[3 * a + 1] + lane) +
                              p[3 * i + 2] * load_lanes(g->gradient[3 * a + 2] + lane);
        force[0][i] = -(force[1][i] + force[2][i] + force[3][i]);
    }
}

static void forces(const nb_tetrahedron_group *group, int32_t begin, int32_t end, const real *s, const real *x,
                   real *force) {
    for (int32_t first = begin - begin % ELEMENT_WIDTH; first < end; first += ELEMENT_WIDTH) {
        const part p = part_of(first, end);
        const nb_tetrahedron_group *g = &group[p.group];
        const int skipped = first < begin ? begin - first : 0;
        const ptrdiff_t row = 6 * (ptrdiff_t)(first + skipped - begin);
        element_lanes rows[6], corner[4][3];
        nb_lane_stretch at;
        ask_ahead(group, sizeof *group, p, end);
        if (p.count - skipped == ELEMENT_WIDTH) {
            load_six(x + row, s ? s + row : NULL, rows);
        } else {
            real in[6 * ELEMENT_WIDTH] = {0};
            for (int k = 0; k < 6 * (p.count - skipped); k++)
                in[6 * skipped + k] = s ? s[row + k] * x[row + k] : x[row + k];
            load_six(in, NULL, rows);
        }
        load_stretch(g, p.lane, &at);
        corner_forces(g, p.lane, &at, rows, corner);
        scatter_padded(g, p.lane, skipped, p.count, corner, force);
    }
}

static void diagonal(const nb_tetrahedron_group *group, int32_t begin, int32_t end, const real *inverse, real *out) {
    for (int32_t first = begin - begin % ELEMENT_WIDTH; first < end; first += ELEMENT_WIDTH) {
        const part p = part_of(first, end);
        const nb_tetrahedron_group *g = &group[p.group];
        _Alignas(64) real sums[6][ELEMENT_WIDTH];
        element_lanes light[4][3], corner[4][3];
        nb_lane_stretch at;
        load_stretch(g, p.lane, &at);
        for (int a = 0; a < 4; a++) {
            _Alignas(64) real x[3][ELEMENT_WIDTH];
            for (int i = 0; i < ELEMENT_WIDTH; i++)
                for (int k = 0; k < 3; k++) x[k][i] = inverse[9 * (ptrdiff_t)g->particle[a][p.lane + i] + 4 * k];
            for (int k = 0; k < 3; k++) light[a][k] = load_lanes(x[k]);
        }
        for (int r = 0; r < 6; r++) {
            element_lanes unit[6] = {{0}}, sum = {0};
            unit[r] += 1;
            corner_forces(g, p.lane, &at, unit, corner);
            for (int a = 0; a < 4; a++)
                for (int k = 0; k < 3; k++) sum += corner[a][k] * corner[a][k] * light[a][k];
            store_lanes(sums[r], sum);
        }
        for (int i = first < begin ? begin - first : 0; i < p.count; i++)
            for (int r = 0; r < 6; r++) out[6 * (ptrdiff_t)(first + i - begin) + r] = sums[r][i];
    }
}

/* ---- values ---- */

/* e of the linear material: S - 1 - a as a strain */
static INLINE void linear_strain(const element_lanes v[9], const element_lanes s[3],
                                 real (*activation)[NB_ELEMENT_LANES], int lane, element_lanes e[6]) {
    const element_lanes apart[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    nb_lane_strain_of(v, apart, e);
    for (int k = 0; k < 6; k++) e[k] -= load_lanes(activation[k] + lane);
}

/* the compliance of elements that are not linear, from that of the principal frame */
static INLINE void put_compliance(const nb_tetrahedron_pass *pass, int32_t first, part p, const element_lanes v[9],
                                  const nb_lane_principal *at, const real *linear) {
    _Alignas(64) real out[21][ELEMENT_WIDTH];
    element_lanes turned[21], factor = load_lanes(pass->factor[p.group][2] + p.lane);
    nb_lane_turned_compliance(v, at, turned);
    for (int e = 0; e < 21; e++) store_lanes(out[e], factor * turned[e]);
    for (int i = 0; i < p.count; i++) {
        real *to = pass->compliance + 36 * (ptrdiff_t)(first + i);
        for (int r = 0, e = 0; linear[i] == 0 && r < 6; r++)
            for (int c = 0; c <= r; c++, e++) to[6 * r + c] = to[6 * c + r] = out[e][i];
    }
}

static INLINE void evaluate_part(const nb_tetrahedron_pass *pass, int32_t first, part p) {
    nb_tetrahedron_group *g = &pass->group[p.group];
    _Alignas(64) real out[6][ELEMENT_WIDTH], linear[ELEMENT_WIDTH];
    element_lanes corner[4][3], f[9], e[6], way = pass->moved * load_lanes(pass->factor[p.group][0] + p.lane);
    nb_lane_svd svd;
    nb_lane_stretch at;
    gather_corners(g, p.lane, pass->u, corner);
    gradient_of(g, p.lane, corner, f);
    for (int k = 0; k < 9; k++) f[k] = load_lanes(pass->start[p.group][k] + p.lane) + way * f[k];
    nb_lane_svd_of(f, &svd);
    nb_lane_stretch_of(&svd, &at);
    for (int k = 0; k < 9; k++) store_lanes(g->rotation[k] + p.lane, at.r[k]);
    for (int k = 0; k < 6; k++) {
        store_lanes(g->stretch[k] + p.lane, at.s[k]);
        store_lanes(g->turn[k] + p.lane, at.turn[k]);
    }
    linear_strain(svd.v, svd.s, pass->activation[p.group], p.lane, e);
    const real *modulus = pass->modulus[p.group][0] + p.lane;
    int hyperelastic = 0;
    for (int i = 0; i < ELEMENT_WIDTH; i++) {
        linear[i] = modulus[i] > 0 ? 0 : 1;
        hyperelastic += modulus[i] > 0;
    }
    if (hyperelastic > 0) {
        element_lanes strain[6], mu = load_lanes(modulus), any = load_lanes(linear);
        nb_lane_principal principal;
        /* a linear one beside others: with numbers that are none of it, and are not taken */
        nb_lane_neo_hookean(mu + any, load_lanes(pass->modulus[p.group][1] + p.lane), svd.s, &principal);
        nb_lane_strain_of(svd.v, principal.strain, strain);
        for (int k = 0; k < 6; k++) e[k] = nb_lane_where(mu, strain[k], e[k]);
        put_compliance(pass, first, p, svd.v, &principal, linear);
    }
    for (int k = 0; k < 6; k++) store_lanes(out[k], e[k] * load_lanes(pass->factor[p.group][1] + p.lane));
    for (int i = 0; i < p.count; i++)
        for (int r = 0; r < 6; r++) pass->value[6 * (ptrdiff_t)(first + i) + r] = out[r][i];
}

static void evaluate(const nb_tetrahedron_pass *pass, int32_t begin, int32_t end) {
    for (int32_t first = begin; first < end; first += ELEMENT_WIDTH) evaluate_part(pass, first, part_of(first, end));
}

extern const nb_tetrahedron_kernels KERNELS_OF(NB_INSTRUCTION_SET);
const nb_tetrahedron_kernels KERNELS_OF(NB_INSTRUCTION_SET) = {evaluate, velocities, forces, diagonal};
