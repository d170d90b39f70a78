#include "island_phase.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/threads.h"
#include "constraint/bilateral.h"
#include "constraint/box.h"
#include "constraint/cone_law.h"
#include "island_polish.h"
#include "measure/iterate.h"
#include "scaled_problem.h"

NB_PRECISIONS(f32, f64);

enum {
    STRIDE = NB_BODY_LU_STRIDE,
    PART_CONTACTS = 64, /* that a thread has at least */
    /* of 500 falling boxes to 1e-4 m/s the loop takes up to 98, all but 83 of 2739 islands up to 30 */
    LOOP_STEPS = 120,
    POLISHED_LOOP_STEPS = 20,
    ISLAND_STEPS = 320 /* of the loop and its polish: 500 falling boxes to 1e-8 m/s take up to 280 */
};

static const double loop_end = 1e-6; /* the error at which the polish takes over [m/s] */

static const double warm_tau = 1; /* of the step before */

/* ---- what it is for ---- */

/* the range of all contacts, between those of joints and of their coordinates; NULL where there are others */
static const nb_law_range *range_of_contacts(const nb_problem *p) {
    const nb_law_range *contacts = NULL;
    for (int32_t i = 0; i < p->range_count; i++) {
        const nb_law_range *range = &p->ranges[i];
        if (range->law->type == &nb_cone_class && range->blocks == p->contacts)
            contacts = range;
        else if (range->law->type != &nb_box_class && (range->law->type != &nb_bilateral_class || i > 0))
            return NULL;
    }
    return contacts;
}

/* island i of the step; returns whether the loop takes it */
static int takes(nb_problem *p, int32_t i, nb_step_range *range) {
    nb_step_range_of(nb_step_of(p), i, range);
    return range->dynamic_count <= NB_BODY_LU_MOST && range->contact_begin < range->contact_end &&
           range->bilateral_begin == range->bilateral_end;
}

int nb_island_phase_applies(nb_problem *p) {
    nb_step_range range;
    if (NB_REAL_BITS != 64 || !nb_step_of(p) || p->whole || !range_of_contacts(p)) return 0;
    if (p->exact->mass->type != &nb_block_mass_class || p->exact->mass->nodes->bodies != p->nodes->count) return 0;
    for (int32_t i = 0; i < p->island_count; i++)
        if (takes(p, i, &range)) return 1;
    return 0;
}

int nb_island_phase_polishes(const nb_problem *p) {
    return p->frozen || p->contacts_linear;
}

/* ---- its memory ---- */

static void lay_out(nb_arena *a, nb_island_phase *s) {
    nb_island *w = &s->whole;
    const int64_t n = s->bodies;
    double **six[] = {&w->inertia, &w->free}, **padded[] = {&w->u, &w->du, &w->momentum, &w->inverse};
    NB_PLACE(a, n, &w->mass);
    for (size_t i = 0; i < sizeof six / sizeof *six; i++) NB_PLACE(a, 6 * n, six[i]);
    for (size_t i = 0; i < sizeof padded / sizeof *padded; i++) NB_PLACE(a, STRIDE * n, padded[i]);
    NB_PLACE(a, s->contacts, &w->slot);
    NB_PLACE(a, n, &w->lu.order);
    NB_PLACE(a, n, &w->lu.later);
    NB_PLACE(a, s->places, &w->lu.place);
    NB_PLACE(a, s->count, &s->island);
    NB_PLACE(a, n, &s->body);
    NB_PLACE(a, s->count, &s->number);
    NB_PLACE(a, s->count, &s->contact);
    NB_PLACE(a, s->p->island_count, &s->done);
    NB_PLACE(a, s->p->velocities, &s->held);
    NB_PLACE(a, s->step.bodies, &s->local);
    NB_PLACE(a, (int64_t)s->p->velocities + s->p->rows, &s->kept);
}

/* what is largest, and written before it is read */
static void lay_out_contacts(nb_arena *a, nb_island_phase *s) {
    NB_PLACE(a, s->contact_blocks, &s->whole.block);
    NB_PLACE(a, s->contacts, &s->given);
}

static void count(nb_island_phase *s) {
    nb_step_range range;
    s->count = s->bodies = s->contacts = s->contact_blocks = 0;
    s->places = 0;
    for (int32_t i = 0; i < s->p->island_count; i++) {
        if (!takes(s->p, i, &range)) continue;
        s->count++;
        s->contacts += range.contact_end - range.contact_begin;
        s->contact_blocks += nb_island_blocks(range.contact_end - range.contact_begin);
        s->bodies += range.dynamic_count;
        s->places += (int64_t)range.dynamic_count * range.dynamic_count;
    }
}

/* ---- an island of the step ---- */

/* whether bodies move a contact's arms: not where contacts are linear */
static int turns(const nb_island_phase *s) {
    return s->step.start && !nb_island_phase_polishes(s->p);
}

static void copy_contact(const nb_island_phase *s, int32_t i, nb_island_contact *c) {
    const nb_contact_rows *rows = &s->step.contacts[i];
    const nb_law_range *range = s->range;
    const int32_t node[2] = {rows->a, rows->b};
    const real *start = s->step.start ? s->step.start + 8 * (ptrdiff_t)i : NULL, *moved = turns(s) ? start : NULL;
    *c = (nb_island_contact){.mu = (double)((const nb_cone_law *)range->law)->mu[range->first + i],
                             .rate = (double)(start ? start[6] : s->step.rate[i]),
                             .turns = moved ? (double)moved[7] : 0};
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) c->direction[k][j] = (double)rows->direction[k][j];
        c->start[0][k] = (double)(moved ? moved[k] : rows->arm_a[k]);
        c->start[1][k] = (double)(moved ? moved[3 + k] : rows->arm_b[k]);
        c->impulse[k] = (double)s->p->z[range->first_row + 3 * (ptrdiff_t)i + k];
    }
    for (int e = 0; e < 2; e++) {
        c->body[e] = s->local[node[e]];
        for (int k = 0; c->body[e] < 0 && k < 6; k++) c->prescribed[e][k] = (double)s->p->u[6 * (ptrdiff_t)node[e] + k];
    }
}

static void copy_body(const nb_island_phase *s, int32_t i) {
    const nb_block_mass *mass = (const nb_block_mass *)s->p->exact->mass;
    const nb_island *w = &s->whole;
    const ptrdiff_t body = s->body[i];
    w->mass[i] = (double)mass->mass[body];
    for (int k = 0; k < 6; k++) {
        w->inertia[6 * (ptrdiff_t)i + k] = (double)mass->inertia[6 * body + k];
        w->free[6 * (ptrdiff_t)i + k] = (double)s->step.u_free[6 * body + k];
        w->u[STRIDE * (ptrdiff_t)i + k] = (double)s->p->u[6 * body + k];
    }
    double *inverse = w->inverse + STRIDE * (ptrdiff_t)i;
    for (int k = 0; k < 7; k++) inverse[k] = (double)mass->inverse[body].numbers[k];
    inverse[7] = sqrt(3 * inverse[0] / (inverse[1] + inverse[2] + inverse[3]));
}

/* what of the arrays is taken */
typedef struct shares {
    int32_t island, body, contact, block;
    int64_t place;
} shares;

/* its shares of the arrays, behind those that are taken */
static void assign_shares(const nb_island_phase *s, const shares *taken, nb_island *island) {
    const int32_t first = taken->body;
    const nb_island *w = &s->whole;
    island->mass = w->mass + first;
    island->inertia = w->inertia + 6 * (ptrdiff_t)first;
    island->free = w->free + 6 * (ptrdiff_t)first;
    island->inverse = w->inverse + STRIDE * (ptrdiff_t)first;
    island->u = w->u + STRIDE * (ptrdiff_t)first;
    island->du = w->du + STRIDE * (ptrdiff_t)first;
    island->momentum = w->momentum + STRIDE * (ptrdiff_t)first;
    island->lu.order = w->lu.order + first;
    island->lu.later = w->lu.later + first;
    island->lu.place = w->lu.place + taken->place;
    island->slot = w->slot + taken->contact;
    island->block = w->block + taken->block;
}

static void analyse(nb_island *island, const nb_island_contact *contact) {
    uint64_t neighbours[NB_BODY_LU_MOST] = {0};
    island->lu.bodies = island->bodies;
    for (int32_t i = 0; i < island->contacts; i++) {
        const int32_t *body = contact[i].body;
        if (body[0] < 0 || body[1] < 0 || body[0] == body[1]) continue;
        neighbours[body[0]] |= UINT64_C(1) << body[1];
        neighbours[body[1]] |= UINT64_C(1) << body[0];
    }
    nb_body_lu_analyse(&island->lu, neighbours);
}

static void build_island(nb_island_phase *s, const nb_step_range *range, shares *taken) {
    const nb_cone_law *law = (const nb_cone_law *)s->range->law;
    const int32_t first = taken->body;
    nb_island *island = &s->island[taken->island];
    assign_shares(s, taken, island);
    s->contact[taken->island] = range->contact_begin;
    island->bodies = range->dynamic_count;
    island->contacts = range->contact_end - range->contact_begin;
    island->h = (double)s->p->h;
    island->soft = (double)law->soft;
    island->ratio = (double)law->ratio;
    island->turns = turns(s);
    island->warm = 0;
    island->kernels = s->whole.kernels;
    island->lu_kernels = s->whole.lu_kernels;
    for (int32_t i = 0; i < island->bodies; i++) {
        s->body[first + i] = range->dynamic[i];
        s->local[range->dynamic[i]] = i;
        copy_body(s, first + i);
    }
    for (int32_t i = 0; i < island->contacts; i++) {
        nb_island_contact *c = &s->given[taken->contact + i];
        copy_contact(s, range->contact_begin + i, c);
        for (int k = 0; k < 3; k++) island->warm |= c->impulse[k] != 0;
    }
    nb_island_set_contacts(island, s->given + taken->contact);
    analyse(island, s->given + taken->contact);
    taken->island++;
    taken->body += island->bodies;
    taken->contact += island->contacts;
    taken->block += nb_island_blocks(island->contacts);
    taken->place += (int64_t)island->bodies * island->bodies;
}

/* the blocks of all islands, once these are analysed */
static nb_status lay_out_blocks(nb_island_phase *s) {
    double **all = &s->whole.lu.block, *next;
    int64_t blocks = 0;
    for (int32_t i = 0; i < s->count; i++) blocks += s->island[i].lu.blocks;
    nb_arena_measure(&s->blocks);
    NB_PLACE(&s->blocks, blocks * NB_BODY_LU_BLOCK, all);
    nb_status status = nb_arena_reuse(&s->blocks);
    if (status != NB_OK) return status;
    NB_PLACE(&s->blocks, blocks * NB_BODY_LU_BLOCK, all);
    next = *all;
    for (int32_t i = 0; i < s->count; i++) {
        s->island[i].lu.block = next;
        next += (ptrdiff_t)s->island[i].lu.blocks * NB_BODY_LU_BLOCK;
    }
    return NB_OK;
}

static nb_status build_islands(nb_island_phase *s, nb_problem *p) {
    nb_status status;
    nb_step_range range;
    shares taken = {0};
    s->p = p;
    s->range = range_of_contacts(p);
    nb_step_arrays_of(nb_step_of(p), &s->step);
    count(s);
    nb_arena_measure(&s->arena);
    lay_out(&s->arena, s);
    NB_TRY(nb_arena_reserve(&s->arena));
    lay_out(&s->arena, s);
    nb_arena_measure(&s->contact_arena);
    lay_out_contacts(&s->contact_arena, s);
    NB_TRY(nb_arena_reuse(&s->contact_arena));
    lay_out_contacts(&s->contact_arena, s);
    if (!s->whole.kernels) s->whole.kernels = nb_island_kernels_get();
    if (!s->whole.lu_kernels) s->whole.lu_kernels = nb_body_lu_kernels_get();
    memcpy(s->kept, p->u, (size_t)p->velocities * sizeof *p->u);
    memcpy(s->kept + p->velocities, p->z, (size_t)p->rows * sizeof *p->z);
    for (int32_t k = 0; k < s->step.bodies; k++) s->local[k] = -1;
    for (int32_t k = 0; k < p->island_count; k++) {
        const int own = takes(p, k, &range);
        for (int32_t i = 0; !own && i < range.dynamic_count; i++) s->local[range.dynamic[i]] = -2;
        if (!own) continue;
        s->number[taken.island] = k;
        build_island(s, &range, &taken);
    }
    NB_TRY(lay_out_blocks(s));
out:
    return status;
}

/* ---- back to the step ---- */

/* the island's iterate, or what the step began with */
static void write_back(const nb_island_phase *s, int32_t i, int own) {
    const nb_island *island = &s->island[i];
    const int32_t *body = s->body + (island->u - s->whole.u) / STRIDE;
    for (int32_t k = 0; k < island->bodies; k++) {
        const real *kept = s->kept + 6 * (ptrdiff_t)body[k];
        for (int j = 0; j < 6; j++)
            s->p->u[6 * (ptrdiff_t)body[k] + j] = own ? (real)island->u[STRIDE * (ptrdiff_t)k + j] : kept[j];
    }
    for (int32_t k = 0; k < island->contacts; k++) {
        const ptrdiff_t row = s->range->first_row + 3 * (ptrdiff_t)(s->contact[i] + k);
        double z[3];
        nb_island_impulse(island, k, z);
        for (int j = 0; j < 3; j++) s->p->z[row + j] = own ? (real)z[j] : s->kept[s->p->velocities + row + j];
    }
}

/* the islands that were solved, and their velocities */
static void note_solved(nb_island_phase *s) {
    memset(s->done, 0, (size_t)s->p->island_count * sizeof *s->done);
    memset(s->held, 0, (size_t)s->p->velocities * sizeof *s->held);
    s->done_count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const nb_island *island = &s->island[i];
        const int32_t *body = s->body + (island->u - s->whole.u) / STRIDE;
        if (!island->solved) continue;
        s->done[s->number[i]] = 1;
        s->done_count++;
        for (int32_t k = 0; k < island->bodies; k++) memset(s->held + 6 * (ptrdiff_t)body[k], 1, 6);
    }
}

/* bodies without joints and contacts */
static void move_freely(const nb_island_phase *s) {
    for (int32_t i = 0; i < s->step.bodies; i++)
        for (int k = 0; s->local[i] == -1 && s->p->exact->mass->moves[i] && k < 6; k++)
            s->p->u[6 * (ptrdiff_t)i + k] = s->step.u_free[6 * (ptrdiff_t)i + k];
}

/* ---- iterations ---- */

static int parts_of(const nb_island_phase *s) {
    return nb_threads_for(s->contacts, PART_CONTACTS);
}

static int waits(const nb_island_phase *s, const nb_island *island) {
    return island->ended || island->error <= s->near;
}

/* Has the polish take over where the loop has ended, short of the tolerance. */
static void hand_over(nb_island *island) {
    if (!island->ended || island->polish.begun || !(island->polish.most > 0) || !(island->error < INFINITY)) return;
    if (!(island->error <= island->polish.tolerance)) nb_island_polish_begin(island);
}

static void begin(nb_island *island) {
    island->polish.begun = 0;
    nb_island_begin(island);
    hand_over(island);
}

static void iterate_once(nb_island *island) {
    if (island->polish.begun)
        nb_island_polish_iterate(island);
    else
        nb_island_iterate(island);
    hand_over(island);
}

/* The number of iterations that one island made by itself, until it waits. */
static int32_t iterate_alone(const nb_island_phase *s, nb_island *island, int begins) {
    if (begins) begin(island);
    const int32_t before = island->iterations;
    while (!waits(s, island)) iterate_once(island);
    return island->iterations - before;
}

/* every island; the longest counts */
static void iterate_apart(nb_island_phase *s, int begins, nb_step_outcome *outcome) {
    const int parts = s->count > 1 ? parts_of(s) : 1; /* OpenMP takes longer to begin than a small island */
    int32_t most = 0;
    if (parts == 1) {
        for (int32_t i = 0; i < s->count; i++) {
            const int32_t made = iterate_alone(s, &s->island[i], begins);
            if (made > most) most = made;
        }
    } else {
#pragma omp parallel for num_threads(parts) schedule(dynamic, 1) reduction(max : most)
        for (int32_t i = 0; i < s->count; i++) {
            const int32_t made = iterate_alone(s, &s->island[i], begins);
            if (made > most) most = made;
        }
    }
    outcome->newton_iterations += most;
}

static void iterate_if_due(const nb_island_phase *s, nb_island *island) {
    island->alpha = 0;
    if (!waits(s, island)) iterate_once(island);
}

/* one iteration of all that do not wait */
static void iterate_together(nb_island_phase *s) {
    const int parts = s->count > 1 ? parts_of(s) : 1;
    if (parts == 1) {
        for (int32_t i = 0; i < s->count; i++) iterate_if_due(s, &s->island[i]);
    } else {
#pragma omp parallel for num_threads(parts) schedule(dynamic, 1)
        for (int32_t i = 0; i < s->count; i++) iterate_if_due(s, &s->island[i]);
    }
}

/* what is known of an iteration as it begins; returns the island of the largest error of those that take part, or NULL
 * where none does */
static const nb_island *describe(const nb_island_phase *s, nb_newton_report *report) {
    double *v = report->values, *largest = &v[NB_COLUMN_RESIDUAL_LINF];
    const nb_island *worst = NULL;
    nb_columns_begin_solves(report);
    *largest = 0;
    v[NB_COLUMN_PHASE] = NB_PHASE_ISLAND_LOOP;
    v[NB_COLUMN_FACTORISATIONS] = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const nb_island *island = &s->island[i];
        nb_raise(largest, island->error);
        if (waits(s, island)) continue;
        v[NB_COLUMN_FACTORISATIONS] += (double)island->contacts / s->p->contacts;
        if (!worst || island->error > worst->error) worst = island;
    }
    if (!worst) return NULL;
    if (worst->polish.begun) {
        v[NB_COLUMN_PHASE] = worst->polish.eps > 0 ? NB_PHASE_PROXIMAL : NB_PHASE_SEMISMOOTH;
        return worst;
    }
    v[NB_COLUMN_THETA] = worst->theta;
    v[NB_COLUMN_TAU] = worst->tau;
    return worst;
}

/* the largest w |dz| of the last iteration */
static double largest_step(const nb_island_phase *s) {
    double largest = 0;
    for (int32_t i = 0; i < s->count; i++)
        for (int32_t k = 0; k < s->island[i].contacts; k++) {
            const int32_t slot = s->island[i].slot[k], n = slot % NB_ISLAND_LANES;
            const nb_island_block *c = &s->island[i].block[slot / NB_ISLAND_LANES];
            const double part = s->island[i].alpha * s->island[i].unit;
            for (int j = 0; j < 3; j++) nb_raise(&largest, part * c->w[j > 0][n] * c->s[j][n] * fabs(c->dx[j][n]));
        }
    return largest;
}

/* The same for a listener: all islands side by side, each iteration told with the errors of the iterate that it begins
 * at. */
static nb_status iterate_heard(nb_island_phase *s, int begins, nb_measure *measure, const nb_observer *observer,
                               nb_step_outcome *outcome) {
    nb_status status = NB_OK;
    for (int32_t i = 0; begins && i < s->count; i++) begin(&s->island[i]);
    for (;;) {
        nb_newton_report report;
        nb_errors errors;
        NB_TRY(nb_interrupt_check());
        for (int32_t i = 0; i < s->count; i++) write_back(s, i, 1);
        nb_measure_iterate(measure, s->p, &errors);
        nb_measure_report(s->p, &errors, &report);
        const nb_island *worst = describe(s, &report);
        if (!worst) return NB_OK;
        double start = nb_clock_seconds();
        iterate_together(s);
        report.assembly_s = nb_clock_seconds() - start;
        report.values[NB_COLUMN_STEP_LENGTH] = worst->alpha;
        report.values[NB_COLUMN_CENTRING] = worst->sigma;
        report.values[NB_COLUMN_STEP_LINF] = largest_step(s);
        nb_columns_end_iteration(&report, outcome);
        NB_TRY(observer->newton(observer->context, &report));
    }
out:
    return status;
}

/* Islands iterate until all wait for an error of `near`, by themselves or told to a listener. */
static nb_status iterate(nb_island_phase *s, int begins, double near, nb_measure *measure, const nb_observer *observer,
                         nb_step_outcome *outcome) {
    const double start = nb_clock_seconds();
    s->near = near;
    if (observer && observer->newton) return iterate_heard(s, begins, measure, observer, outcome);
    iterate_apart(s, begins, outcome);
    outcome->assembly_s += nb_clock_seconds() - start;
    return NB_OK;
}

static int32_t smaller(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static nb_status begin_phase(nb_island_phase *s, nb_problem *p, double tolerance, int32_t most,
                             nb_step_outcome *outcome) {
    const double start = nb_clock_seconds();
    nb_status status = build_islands(s, p);
    if (status != NB_OK) return status;
    const int polished = nb_island_phase_polishes(p);
    const int32_t sure = smaller(most / 2, ISLAND_STEPS);
    const int32_t loop = smaller(polished ? POLISHED_LOOP_STEPS : LOOP_STEPS, sure);
    for (int32_t i = 0; i < s->count; i++) {
        nb_island *island = &s->island[i];
        island->start_tau = s->start_tau;
        island->tolerance = polished ? fmax(tolerance, loop_end) : tolerance;
        island->most = loop;
        island->polish.tolerance = tolerance;
        island->polish.sure = sure;
        island->polish.most = polished ? smaller(most, ISLAND_STEPS) : 0;
    }
    move_freely(s);
    outcome->assembly_s += nb_clock_seconds() - start;
    return NB_OK;
}

/* where on the central path islands go on that have come half the way */
static double reached_tau(const nb_island_phase *s) {
    const double back = 10; /* new contacts are not centred */
    double most = 0;
    for (int32_t i = 0; i < s->count; i++) nb_raise(&most, s->island[i].tau);
    return fmin(warm_tau, back * most);
}

nb_status nb_island_phase_run(nb_island_phase *s, nb_problem *p, double tolerance, int32_t most, nb_measure *measure,
                              const nb_observer *observer, const nb_halfway *halfway, nb_step_outcome *outcome,
                              int *solved) {
    nb_status status;
    int changed = 1;
    NB_TRY(nb_interrupt_check());
    s->start_tau = warm_tau;
    NB_TRY(begin_phase(s, p, tolerance, most, outcome));
    if (halfway && halfway->near > tolerance) {
        NB_TRY(iterate(s, 1, halfway->near, measure, observer, outcome));
        for (int32_t i = 0; i < s->count; i++) write_back(s, i, 1);
        NB_TRY(halfway->look(halfway->context, p, measure, &changed));
        if (changed) s->start_tau = reached_tau(s);
        if (changed) NB_TRY(begin_phase(s, p, tolerance, most, outcome));
    }
    NB_TRY(iterate(s, changed, 0, measure, observer, outcome));
    const int spent = outcome->newton_iterations >= most; /* the other phases have none left */
    for (int32_t i = 0; i < s->count; i++)
        write_back(s, i, s->island[i].solved || (spent && s->island[i].error < INFINITY));
    note_solved(s);
    *solved = s->done_count == p->island_count;
out:
    return status;
}

void nb_island_phase_clear(nb_island_phase *s) {
    nb_arena_clear(&s->arena);
    nb_arena_clear(&s->contact_arena);
    nb_arena_clear(&s->blocks);
}
