#include "island/build.h"

#include <string.h>

#include "base/memory.h"
#include "constraint/cone_rows.h"
#include "model/joint.h"
#include "operator/colouring.h"

NB_PRECISIONS(f32, f64);

/* ---- memory ---- */

void nb_island_place(nb_island *v, int32_t newton_iterations, int history, nb_arena *given, nb_arena *made) {
    int64_t threads = v->threads, slots = v->slots;
    NB_PLACE(given, slots, &v->body);
    NB_PLACE(given, threads, &v->a);
    NB_PLACE(given, threads, &v->b);
    NB_PLACE(given, v->bodies + 1, &v->side_start);
    NB_PLACE(given, nb_island_sides(v), &v->side_list);
    NB_PLACE(given, v->relaxes ? threads : 0, &v->turn);
    NB_PLACE(given, v->joints_move ? threads : 0, &v->motion);
    NB_PLACE(given, v->joints_move ? NB_JOINT_NUMBERS * threads : 0, &v->joint);
    NB_PLACE(given, 12 * threads, &v->geometry);
    NB_PLACE(given, threads, &v->offset);
    NB_PLACE(given, threads, &v->arms_turn);
    NB_PLACE(given, threads, &v->coefficient);
    NB_PLACE(given, 7 * slots, &v->inverse_mass);
    NB_PLACE(given, 6 * slots, &v->u_free);
    NB_PLACE(given, 6 * slots, &v->u);
    NB_PLACE(given, 3 * threads, &v->z);
    v->kept = history ? newton_iterations : 1;
    NB_PLACE(made, newton_iterations, &v->reports);
    NB_PLACE(made, v->kept * (6 * slots + 3 * threads), &v->iterates);
    nb_arena_align(given, 256);
    nb_arena_align(made, 256);
}

void nb_island_set_clear(nb_island_set *set) {
    nb_free(set->islands);
    nb_free(set->given);
    nb_free(set->made);
    *set = (nb_island_set){0};
}

/* ---- counts and slots ---- */

static int32_t whole_warps(int32_t count) {
    return (count + NB_ISLAND_WARP - 1) / NB_ISLAND_WARP * NB_ISLAND_WARP;
}

/* what a build works with */
typedef struct build {
    nb_problem *problem;
    nb_cone_rows laws;
    nb_step_arrays arrays;
    nb_step_range range;
    int32_t *slot;  /* [bodies] of the island being built, or -1 */
    int32_t *owned; /* [bodies] the bodies of its slots */
    int32_t slots;
    int by_island, frozen, relaxes;
    nb_colouring colouring; /* of the island being built */
    int32_t *alone;         /* [alone_count] bodies with mass that are in no island */
    int32_t alone_count;
} build;

static void add_slot(build *b, int32_t body) {
    if (body < 0 || b->slot[body] >= 0) return;
    b->slot[body] = b->slots;
    b->owned[b->slots++] = body;
}

/* the rows and bodies of one of the set's islands */
static void choose_range(build *b, const nb_step *step, int32_t i) {
    nb_step_range_of(step, b->by_island && i < b->problem->island_count ? i : -1, &b->range);
    if (!b->by_island || i < b->problem->island_count) return;
    b->range.bilateral_end = b->range.bilateral_begin;
    b->range.contact_end = b->range.contact_begin;
    int32_t first = (i - b->problem->island_count) * NB_ISLAND_MOST_THREADS, left = b->alone_count - first;
    b->range.dynamic = b->alone + first;
    b->range.dynamic_count = left < NB_ISLAND_MOST_THREADS ? left : NB_ISLAND_MOST_THREADS;
}

/* Islands that so many bodies on their own make: any number of them in one would not fit a block's shared memory. */
static int32_t groups_of(int32_t alone) {
    return (alone + NB_ISLAND_MOST_THREADS - 1) / NB_ISLAND_MOST_THREADS;
}

static nb_status find_alone(build *b, const nb_step *step) {
    nb_step_range whole;
    char *in_island = NULL;
    nb_status status;
    nb_step_range_of(step, -1, &whole);
    NB_TRY(NB_ALLOCATE(whole.dynamic_count, &b->alone));
    NB_TRY(NB_ALLOCATE(b->arrays.bodies, &in_island));
    for (int32_t i = 0; i < b->problem->island_count; i++) {
        choose_range(b, step, i);
        for (int32_t k = 0; k < b->range.dynamic_count; k++) in_island[b->range.dynamic[k]] = 1;
    }
    for (int32_t k = 0; k < whole.dynamic_count; k++)
        if (!in_island[whole.dynamic[k]]) b->alone[b->alone_count++] = whole.dynamic[k];
out:
    nb_free(in_island);
    return status;
}

/* numbers the bodies of the range: those with mass, then the others that it touches */
static void number_slots(build *b) {
    for (int32_t i = 0; i < b->slots; i++) b->slot[b->owned[i]] = -1;
    b->slots = 0;
    for (int32_t i = 0; i < b->range.dynamic_count; i++) add_slot(b, b->range.dynamic[i]);
    for (int32_t i = b->range.contact_begin; i < b->range.contact_end; i++) {
        add_slot(b, b->arrays.contacts[i].a);
        add_slot(b, b->arrays.contacts[i].b);
    }
    for (int32_t i = b->range.bilateral_begin; i < b->range.bilateral_end; i++) {
        add_slot(b, b->arrays.bilaterals[i].a);
        add_slot(b, b->arrays.bilaterals[i].b);
    }
}

static nb_status count_island(const build *b, nb_island *v) {
    const nb_step_range *r = &b->range;
    v->contacts = r->contact_end - r->contact_begin;
    v->joint_rows = r->bilateral_end - r->bilateral_begin;
    v->contact_begin = r->contact_begin;
    v->joint_begin = r->bilateral_begin;
    v->bodies = r->dynamic_count;
    v->slots = b->slots;
    v->relaxes = b->relaxes;
    v->joints_move = v->joint_rows > 0 && !b->frozen;
    int64_t elements = (int64_t)v->contacts + v->joint_rows;
    if (elements > NB_ISLAND_MOST_THREADS ||
        whole_warps(v->contacts) + whole_warps(v->joint_rows) > NB_ISLAND_MOST_THREADS)
        return nb_fail(
            NB_ERROR_UNSUPPORTED,
            "an island of %d contacts and %d rows of joints: one block of threads takes %d in " NB_REAL_NAMED,
            (int)v->contacts, (int)v->joint_rows, NB_ISLAND_MOST_THREADS);
    v->joint_first = whole_warps(v->contacts);
    v->threads = elements > 0 ? v->joint_first + whole_warps(v->joint_rows) : NB_ISLAND_WARP;
    return NB_OK;
}

/* ---- filling ---- */

static void put(real *array, int32_t stride, int32_t at, int count, const real *from) {
    for (int k = 0; k < count; k++) array[(int64_t)k * stride + at] = from[k];
}

static void fill_bodies(const build *b, nb_island *v) {
    memcpy(v->body, b->owned, (size_t)b->slots * sizeof *v->body);
    for (int32_t i = 0; i < v->slots; i++) {
        int32_t body = v->body[i];
        put(v->inverse_mass, v->slots, i, 7, b->arrays.inverse_mass[body].numbers);
        put(v->u_free, v->slots, i, 6, b->arrays.u_free + 6 * (ptrdiff_t)body);
        put(v->u, v->slots, i, 6, b->problem->u + 6 * (ptrdiff_t)body);
    }
}

static void fill_contacts(const build *b, nb_island *v) {
    for (int32_t i = 0; i < v->contacts; i++) {
        int32_t contact = v->contact_begin + i;
        const nb_contact_rows *rows = &b->arrays.contacts[contact];
        const real *start = b->arrays.start ? b->arrays.start + 8 * (ptrdiff_t)contact : NULL;
        v->a[i] = b->slot[rows->a];
        v->b[i] = b->slot[rows->b];
        put(v->geometry, v->threads, i, 6, rows->direction[0]);
        put(v->geometry + 6 * v->threads, v->threads, i, 6, start ? start : rows->arm_a);
        v->offset[i] = start ? start[6] : b->arrays.rate[contact];
        v->arms_turn[i] = start ? start[7] : 0;
        v->coefficient[i] = b->laws.cone->mu[contact];
        put(v->z, v->threads, i, 3, b->problem->z + b->problem->bilaterals + 3 * (ptrdiff_t)contact);
    }
}

static void fill_joint_rows(const build *b, nb_island *v) {
    for (int32_t i = 0; i < v->joint_rows; i++) {
        int32_t row = v->joint_begin + i, at = v->joint_first + i;
        const nb_jacobian_row *source = &b->arrays.bilaterals[row];
        v->a[at] = source->a < 0 ? -1 : b->slot[source->a];
        v->b[at] = source->b < 0 ? -1 : b->slot[source->b];
        put(v->geometry, v->threads, at, 12, source->j);
        v->offset[at] = b->arrays.bilateral_rate[row];
        v->coefficient[at] = b->laws.bilateral->compliance[row];
        v->z[at] = b->problem->z[row];
    }
}

/* where rows start that move, joint after joint */
static void fill_joints(const nb_step *step, nb_island *v) {
    int32_t motion[NB_JOINT_MAX_ROWS], rows = 0;
    real start[NB_JOINT_MAX_ROWS * NB_JOINT_NUMBERS];
    for (int32_t i = 0; v->joints_move && i < v->joint_rows; i += rows) {
        rows = nb_step_joint_starts(step, v->joint_begin + i, motion, start);
        for (int32_t k = 0; k < rows; k++) {
            v->motion[v->joint_first + i + k] = motion[k];
            put(v->joint, v->threads, v->joint_first + i + k, NB_JOINT_NUMBERS, start + k * NB_JOINT_NUMBERS);
        }
    }
}

/* each body's sides, by element */
static void list_sides(nb_island *v) {
    int32_t ends[2] = {v->contacts, v->joint_first + v->joint_rows}, begins[2] = {0, v->joint_first};
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        for (int kind = 0; kind < 2; kind++)
            for (int32_t e = begins[kind]; e < ends[kind]; e++)
                for (int side = 0; side < 2; side++) {
                    int32_t slot = side ? v->b[e] : v->a[e];
                    if (slot < 0 || slot >= v->bodies) continue;
                    if (pass == 0) v->side_start[slot + 1]++;
                    if (pass == 1) v->side_list[v->side_start[slot]++] = 2 * e + side;
                }
        for (int32_t i = 0; pass == 0 && i < v->bodies; i++) v->side_start[i + 1] += v->side_start[i];
    }
    for (int32_t i = v->bodies; i > 0; i--) v->side_start[i] = v->side_start[i - 1];
    v->side_start[0] = 0;
}

/* the order of sweeps: in each colour, first the first blocks of all its groups, then the second ones, ... */
static nb_status fill_turns(build *b, int32_t i, nb_island *v) {
    nb_status status = NB_OK;
    const nb_problem *p = b->problem;
    nb_colouring *c = &b->colouring;
    v->colours = v->turns = 0;
    if (!v->relaxes || v->contacts + v->joint_rows == 0) return NB_OK;
    const nb_delassus *d = b->by_island ? p->type->island(p, i, NULL) : p->delassus;
    NB_TRY(nb_colouring_over_nodes(d, c));
    v->colours = c->colours;
    for (int32_t colour = 0; colour < c->colours; colour++) {
        int32_t longest = 0;
        for (int32_t k = c->start[colour]; k < c->start[colour + 1]; k++) {
            int32_t first = d->group_start[c->group[k]], count = d->group_start[c->group[k] + 1] - first;
            for (int32_t block = first; block < first + count; block++)
                v->turn[block < v->joint_rows ? v->joint_first + block : block - v->joint_rows] =
                    v->turns + block - first;
            if (count > longest) longest = count;
        }
        v->turns += longest;
    }
out:
    return status;
}

static nb_status measure_islands(build *b, const nb_step *step, nb_island_set *set) {
    nb_status status = NB_OK;
    nb_arena given = {0}, made = {0};
    for (int32_t i = 0; i < set->count; i++) {
        nb_island *v = &set->islands[i];
        choose_range(b, step, i);
        number_slots(b);
        NB_TRY(count_island(b, v));
        if (v->threads > set->most_threads) set->most_threads = v->threads;
        int64_t bytes = nb_island_shared_bytes(v);
        if (bytes > set->shared_bytes) set->shared_bytes = bytes;
        nb_island_place(v, set->iterations, set->history, &given, &made);
    }
    set->given_bytes = given.used;
    set->made_bytes = made.used;
out:
    return status;
}

nb_status nb_island_set_build(nb_step *step, int by_island, int frozen, int32_t newton_iterations, int history,
                              int relaxes, nb_island_set *set) {
    nb_status status;
    build b = {.problem = nb_step_problem(step), .by_island = by_island, .frozen = frozen, .relaxes = relaxes};
    *set = (nb_island_set){.iterations = newton_iterations, .history = history};
    NB_TRY(nb_cone_rows_of(b.problem, "--whole-steps", &b.laws));
    nb_step_arrays_of(step, &b.arrays);
    if (by_island) NB_TRY(find_alone(&b, step));
    set->count = by_island ? b.problem->island_count + groups_of(b.alone_count) : 1;
    NB_TRY(NB_ALLOCATE(set->count, &set->islands));
    NB_TRY(NB_ALLOCATE(b.arrays.bodies, &b.slot));
    NB_TRY(NB_ALLOCATE(b.arrays.bodies, &b.owned));
    for (int32_t i = 0; i < b.arrays.bodies; i++) b.slot[i] = -1;
    NB_TRY(measure_islands(&b, step, set));
    NB_TRY(NB_ALLOCATE(set->given_bytes, &set->given));
    NB_TRY(NB_ALLOCATE(set->made_bytes, &set->made));
    nb_arena given = {.memory = set->given}, made = {.memory = set->made};
    for (int32_t i = 0; i < set->count; i++) {
        nb_island *v = &set->islands[i];
        nb_island_place(v, newton_iterations, history, &given, &made);
        choose_range(&b, step, i);
        number_slots(&b);
        fill_bodies(&b, v);
        fill_contacts(&b, v);
        fill_joint_rows(&b, v);
        fill_joints(step, v);
        list_sides(v);
        NB_TRY(fill_turns(&b, i, v));
    }
out:
    nb_colouring_clear(&b.colouring);
    nb_free(b.slot);
    nb_free(b.owned);
    nb_free(b.alone);
    return status;
}

void nb_island_set_take(const nb_island_set *set, int32_t iteration, nb_problem *p) {
    for (int32_t i = 0; i < set->count; i++) {
        const nb_island *v = &set->islands[i];
        int32_t place = iteration < 0 ? v->kept - 1 : iteration;
        const real *u = v->iterates + place * nb_island_iterate_length(v), *z = u + 6 * v->slots;
        for (int32_t k = 0; k < v->bodies; k++)
            for (int j = 0; j < 6; j++) p->u[6 * (ptrdiff_t)v->body[k] + j] = u[(ptrdiff_t)j * v->slots + k];
        for (int32_t k = 0; k < v->contacts; k++)
            for (int j = 0; j < 3; j++)
                p->z[p->bilaterals + 3 * (ptrdiff_t)(v->contact_begin + k) + j] = z[(ptrdiff_t)j * v->threads + k];
        for (int32_t k = 0; k < v->joint_rows; k++) p->z[v->joint_begin + k] = z[v->joint_first + k];
    }
}
