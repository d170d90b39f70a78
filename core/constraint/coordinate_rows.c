#include "constraint/coordinate_rows.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "constraint/box.h"
#include "constraint/moved_body.h"
#include "constraint/step_rate.h"
#include "operator/general_pack.h"
#include "operator/joint_pack.h"

NB_PRECISIONS(f32, f64);

/* a coordinate of a row at the start of the step */
typedef struct term {
    nb_coordinate coordinate;
    double factor;
    double s; /* there */
    nb_joint_row row;
    int place[2]; /* of its bodies among the block's nodes; -1: the world */
} term;

/* a row there */
typedef struct start {
    int32_t first, terms;
    double held; /* what the sum of factor times s is held against */
    double rate; /* of a rotor: ds/dt in the step before */
} start;

struct nb_coordinate_row_set {
    nb_step_rows base;     /* first */
    nb_joint_pack pack;    /* where no row has more than one coordinate; it is faster */
    nb_general_pack wider; /* else */
    nb_box_law law;
    const nb_world *world;
    nb_arena arena;
    nb_coordinate_row *of; /* [blocks] */
    start *start;          /* [blocks] */
    term *term;            /* [NB_COUPLED a coupling, else 1] */
    real *lower, *upper, *compliance;
    nb_jacobian_row *jacobian;              /* [blocks] of the pack */
    int32_t *row_start, *node_start, *node; /* of the wider one, as the next two */
    int64_t *value_start;
    real *value;
};

static void lay_out(nb_arena *a, nb_coordinate_row_set *s, int32_t rows, int32_t terms) {
    NB_PLACE(a, rows, &s->of);
    NB_PLACE(a, rows, &s->start);
    NB_PLACE(a, terms, &s->term);
    NB_PLACE(a, rows, &s->lower);
    NB_PLACE(a, rows, &s->upper);
    NB_PLACE(a, rows, &s->compliance);
    NB_PLACE(a, rows, &s->jacobian);
    NB_PLACE(a, rows + 1, &s->row_start);
    NB_PLACE(a, rows + 1, &s->node_start);
    NB_PLACE(a, rows + 1, &s->value_start);
    NB_PLACE(a, 2 * terms, &s->node);
    NB_PLACE(a, 12 * (int64_t)terms, &s->value);
}

/* ---- the start of a step ---- */

/* the row's coordinates; they begin at term `first` */
static void begin_terms(nb_coordinate_row_set *s, int32_t i, int32_t first) {
    const nb_world *world = s->world;
    nb_coordinate of[NB_COUPLED];
    double factor[NB_COUPLED];
    const int terms = nb_coordinate_terms(world, &s->of[i], of, factor);
    s->start[i] = (start){.first = first, .terms = terms};
    for (int k = 0; k < terms; k++) {
        const int32_t joint = s->of[i].coupling < 0 ? s->of[i].joint : world->couplings[s->of[i].coupling].joint[k];
        term *at = &s->term[first + k];
        *at = (term){.coordinate = of[k], .factor = factor[k]};
        at->row = nb_coordinate_now(world, &at->coordinate, nb_coordinate_near(world, joint));
        at->s = at->row.value;
    }
}

/* the bodies of the row, each once, ascending */
static void begin_nodes(nb_coordinate_row_set *s, int32_t i) {
    const start *at = &s->start[i];
    int32_t *node = s->node + s->node_start[i], count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t k = 0; k < 2 * at->terms; k++) {
            term *of = &s->term[at->first + k / 2];
            const int32_t body = k % 2 ? of->coordinate.body_b : of->coordinate.body_a;
            int32_t place = 0;
            while (place < count && node[place] < body) place++;
            if (pass) {
                of->place[k % 2] = body < 0 ? -1 : place;
            } else if (body >= 0 && (place == count || node[place] != body)) {
                for (int32_t j = count++; j > place; j--) node[j] = node[j - 1];
                node[place] = body;
            }
        }
    if (s->world->coupling_count == 0) { /* a block has both its bodies, in their order */
        const nb_coordinate *c = &s->term[at->first].coordinate;
        s->jacobian[i].a = c->body_a;
        s->jacobian[i].b = c->body_b;
        for (int k = 0; k < 2; k++) s->term[at->first].place[k] = (k ? c->body_b : c->body_a) < 0 ? -1 : k;
    }
    s->row_start[i + 1] = i + 1;
    s->node_start[i + 1] = s->node_start[i] + count;
    s->value_start[i + 1] = s->value_start[i] + 6 * count; /* nodes are numbered later */
}

/* what the coordinate is held against, with its bounds and compliance over h^2 */
static void begin_row(nb_coordinate_row_set *s, int32_t i, double h) {
    const term *first = &s->term[s->start[i].first];
    const nb_coordinate_start from = nb_coordinate_begin(s->world, &s->of[i], &first->coordinate, &first->row, h);
    s->start[i].held = from.held;
    s->start[i].rate = from.rate;
    s->lower[i] = (real)from.lower;
    s->upper[i] = (real)from.upper;
    s->compliance[i] = (real)from.compliance;
}

nb_status nb_coordinate_row_set_begin(nb_coordinate_row_set *s, const nb_world *world, double h) {
    const int32_t rows = nb_coordinate_rows(world, NULL), terms = rows + (NB_COUPLED - 1) * world->coupling_count;
    nb_status status;
    s->world = world;
    nb_arena_measure(&s->arena);
    lay_out(&s->arena, s, rows, terms);
    NB_TRY(nb_arena_reserve(&s->arena));
    lay_out(&s->arena, s, rows, terms);
    nb_coordinate_rows(world, s->of);
    s->row_start[0] = s->node_start[0] = 0;
    s->value_start[0] = 0;
    for (int32_t i = 0, first = 0; i < rows; first += s->start[i++].terms) {
        NB_TRY(nb_coordinate_check(world, s->of[i].joint));
        begin_terms(s, i, first);
        begin_nodes(s, i);
        begin_row(s, i, h);
    }
    const nb_nodes *nodes = s->pack.base.nodes;
    s->pack = nb_joint_pack_of(nodes, rows, s->jacobian);
    s->wider = nb_general_pack_of(nodes, rows,
                                  (nb_general_blocks){s->row_start, s->node_start, s->node, s->value_start, s->value});
    s->base.pack = world->coupling_count > 0 ? &s->wider.base : &s->pack.base;
    s->law = (nb_box_law){{&nb_box_class}, s->lower, s->upper, s->compliance};
out:
    return status;
}

/* ---- evaluation ---- */

static void add_to(double factor, nb_vec3 from, real *to) {
    to[0] += (real)(factor * from.x);
    to[1] += (real)(factor * from.y);
    to[2] += (real)(factor * from.z);
}

/* whether blocks are those of the wider pack */
static int is_wide(const nb_coordinate_row_set *s) {
    return s->base.pack == &s->wider.base;
}

static real *jacobian_of(const nb_coordinate_row_set *s, int32_t i) {
    return is_wide(s) ? s->value + s->value_start[i] : s->jacobian[i].j;
}

/* the rate of a row of one coordinate by the velocities of the iterate */
static double rate_of(const nb_coordinate_row_set *s, int32_t i, const nb_problem *at) {
    const term *of = &s->term[s->start[i].first];
    const real *j = jacobian_of(s, i);
    double rate = 0;
    for (int side = 0; side < 2; side++) {
        const int32_t body = side ? of->coordinate.body_b : of->coordinate.body_a;
        for (int k = 0; of->place[side] >= 0 && k < 6; k++)
            rate += (double)j[6 * of->place[side] + k] * (double)at->u[6 * (ptrdiff_t)body + k];
    }
    return rate;
}

/* of the sum `apart` of its coordinates less what it is held against; `moved` 0: without the velocities, as other rows
 * have it */
static double value_of(const nb_coordinate_row_set *s, int32_t i, const nb_problem *at, double moved, double apart) {
    const start *from = &s->start[i];
    const double h = (double)at->h;
    double slope;
    switch (s->of[i].kind) {
    case NB_COORDINATE_LOWER:
    case NB_COORDINATE_UPPER: return nb_gap_rate(s->world, apart, h);
    case NB_COORDINATE_COUPLING:
    case NB_COORDINATE_MOTOR: return apart / h;
    case NB_COORDINATE_ARMATURE:
        return nb_coordinate_rate_of_change(&s->term[from->first].coordinate, apart, h, &slope) - from->rate;
    default: return moved > 0 ? rate_of(s, i, at) : 0;
    }
}

/* the coordinate where the bodies are after moving */
static nb_joint_row row_after(const term *of, const nb_world *world, const nb_problem *at, double moved) {
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    nb_moved_body(world, at->u, of->coordinate.body_a, moved, &xa, &qa);
    nb_moved_body(world, at->u, of->coordinate.body_b, moved, &xb, &qb);
    return nb_coordinate_at(&of->coordinate, of->s, xa, qa, xb, qb);
}

static void evaluate(nb_step_rows *rows, const nb_world *world, const nb_problem *at, double moved, real *value) {
    nb_coordinate_row_set *s = (nb_coordinate_row_set *)rows;
    for (int32_t i = 0; i < rows->pack->blocks; i++) {
        const start *from = &s->start[i];
        real *j = jacobian_of(s, i);
        double apart = -from->held;
        memset(j, 0,
               is_wide(s) ? (size_t)(s->value_start[i + 1] - s->value_start[i]) * sizeof *j : sizeof s->jacobian->j);
        for (int32_t k = from->first; k < from->first + from->terms; k++) {
            const term *of = &s->term[k];
            nb_joint_row row = of->row;
            if (moved > 0 && s->of[i].kind != NB_COORDINATE_FRICTION) row = row_after(of, world, at, moved);
            for (int side = 0; side < 2; side++) {
                if (of->place[side] < 0) continue;
                add_to(of->factor, side ? row.linear_b : row.linear_a, j + 6 * of->place[side]);
                add_to(of->factor, side ? row.angular_b : row.angular_a, j + 6 * of->place[side] + 3);
            }
            apart += of->factor * row.value;
        }
        value[i] = (real)value_of(s, i, at, moved, apart);
    }
}

/* ---- all of them ---- */

nb_step_rows *nb_coordinate_row_set_item(nb_coordinate_row_set *set) {
    return &set->base;
}

const nb_coordinate_row *nb_coordinate_row_set_row(const nb_coordinate_row_set *set, int32_t i) {
    return &set->of[i];
}

nb_status nb_coordinate_row_set_create(const nb_nodes *nodes, nb_coordinate_row_set **set) {
    nb_status status = NB_ALLOCATE(1, set);
    if (status != NB_OK) return status;
    nb_coordinate_row_set *s = *set;
    s->pack = nb_joint_pack_of(nodes, 0, NULL);
    s->law.base.type = &nb_box_class;
    s->base = (nb_step_rows){&s->pack.base, &s->law.base, evaluate};
    return NB_OK;
}

void nb_coordinate_row_set_destroy(nb_coordinate_row_set *set) {
    if (!set) return;
    nb_arena_clear(&set->arena);
    nb_free(set);
}
