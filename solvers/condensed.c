#include "condensed.h"

#include <string.h>

#include "base/memory.h"
#include "operator/block_inverse.h"
#include "operator/low_rank_mass.h"
#include "operator/primal.h"
#include "operator/sum.h"
#include "sparse_mass.h"

NB_PRECISIONS(f32, f64);

/* the rows of the system in some of its packs, as a source and a system of their own */
typedef struct share {
    nb_sum_view view;
    nb_system *system;
    int32_t *block_start, *group_start; /* the view's */
    int32_t *row;                       /* [rows] which row of the whole system each is */
    int32_t *block;                     /* [blocks] likewise */
} share;

typedef struct condensed {
    nb_form base;   /* first; its system is `others.system` */
    share elements; /* over the system's own mass */
    share others;   /* over H_e */
    nb_sum own;     /* of the elements: over the mass without its dense rows */
    nb_sum sum;     /* of the others */
    nb_island_rows island_rows;
    real *diagonal;      /* [rows of the whole] of that sum */
    nb_primal primal;    /* of the elements: T, J_e, H_e */
    nb_csr_f64 *matrix;  /* H_e over all velocities */
    nb_mass *sparse;     /* H_e without dense rows, of that matrix */
    nb_mass *low_rank;   /* H_e where the step's mass has dense rows, else NULL */
    const nb_mass *mass; /* H_e: one of these */
    double *force;       /* [unknowns of H_e] f */
    double *velocity;    /* [unknowns of H_e] scratch */
} condensed;

/* ---- some of the rows ---- */

static void clear_share(share *s) {
    nb_system_destroy(s->system);
    nb_free(s->block_start);
    nb_free(s->group_start);
    nb_free(s->row);
    nb_free(s->block);
}

/* how many blocks of the whole are in pack k */
static int32_t blocks_in(const nb_sum_view *whole, int32_t k) {
    return whole->end[k] - whole->begin[k];
}

/* Lists the rows, blocks and groups of pack k, whose first block is `first` of the whole; a group is of one pack. */
static void list_pack(share *s, const nb_sum_view *whole, int32_t k, int32_t *group) {
    const nb_delassus *of = &whole->base;
    nb_delassus *d = &s->view.base;
    int32_t first = whole->first[k], end = first + blocks_in(whole, k);
    while (*group < of->group_count && of->group_start[*group] < end) {
        if (of->group_start[*group] >= first)
            s->group_start[d->group_count++] = d->block_count + of->group_start[*group] - first;
        ++*group;
    }
    for (int32_t i = first; i < end; i++) {
        s->block[d->block_count] = i;
        s->block_start[d->block_count++] = d->rows;
        for (int32_t r = of->block_start[i]; r < of->block_start[i + 1]; r++) s->row[d->rows++] = r;
    }
}

/* The rows of packs that are of elements, or of those that are not; with the sum and its mass. */
static nb_status make_share(share *s, const nb_system *rows, int of_elements, const nb_sum *sum) {
    nb_status status;
    const nb_sum_view *whole = nb_sum_view_of(rows->delassus);
    int32_t group = 0;
    s->view = *whole;
    s->view.sum = sum;
    NB_TRY(NB_ALLOCATE((int64_t)whole->base.block_count + 1, &s->block_start));
    NB_TRY(NB_ALLOCATE((int64_t)whole->base.group_count + 1, &s->group_start));
    NB_TRY(NB_ALLOCATE(whole->base.rows, &s->row));
    NB_TRY(NB_ALLOCATE(whole->base.block_count, &s->block));
    s->view.base = (nb_delassus){
        .type = nb_sum_class_for(sum->mass),
        .block_start = s->block_start,
        .group_start = s->group_start,
        .mass = sum->mass,
    };
    for (int32_t k = 0; k < sum->packs; k++)
        if (sum->pack[k]->of_elements == of_elements)
            list_pack(s, whole, k, &group);
        else
            s->view.end[k] = s->view.begin[k];
    s->block_start[s->view.base.block_count] = s->view.base.rows;
    s->group_start[s->view.base.group_count] = s->view.base.block_count;
    nb_sum_count_blocks(&s->view);
    NB_TRY(nb_system_create(&s->view.base, &s->system));
    if (rows->k) NB_TRY(nb_system_use_blocks(s->system));
out:
    return status;
}

static void take_right_hand_side(const share *s, const nb_system *rows) {
    for (int32_t r = 0; r < s->view.base.rows; r++) s->system->b[r] = rows->b[s->row[r]];
}

/* S, C and K of the whole */
static void take_values(const share *s, const nb_system *rows) {
    const nb_delassus *d = &s->view.base;
    for (int32_t r = 0; r < d->rows; r++) {
        s->system->s[r] = rows->s[s->row[r]];
        s->system->c[r] = rows->c[s->row[r]];
    }
    for (int32_t i = 0; rows->k && i < d->block_count; i++) {
        size_t n = (size_t)(d->block_start[i + 1] - d->block_start[i]);
        memcpy(nb_system_diagonal_block(s->system, i), nb_system_diagonal_block(rows, s->block[i]),
               n * n * sizeof *rows->k);
    }
}

/* ---- making ---- */

/* the pattern of H_e over all velocities: rows of nodes without mass are empty */
static nb_status make_matrix(condensed *f, const nb_nodes *nodes) {
    nb_status status;
    const nb_node_pairs *pairs = &f->primal.pairs;
    int32_t velocities = nodes->velocity[nodes->count];
    int64_t used = 0;
    NB_TRY(nb_csr_create_f64(velocities, velocities, pairs->entry[pairs->nodes], &f->matrix));
    for (int32_t node = 0; node < nodes->count; node++)
        for (int32_t r = nodes->velocity[node]; r < nodes->velocity[node + 1]; r++) {
            int32_t slot = pairs->slot[node];
            for (int64_t e = slot < 0 ? 0 : pairs->start[slot]; slot >= 0 && e < pairs->start[slot + 1]; e++) {
                int32_t other = pairs->node[pairs->neighbour[e]];
                for (int32_t c = nodes->velocity[other]; c < nodes->velocity[other + 1]; c++)
                    f->matrix->column[used++] = c;
            }
            f->matrix->start[r + 1] = used;
        }
out:
    return status;
}

static void form_clear(nb_form *form) {
    condensed *f = (condensed *)form;
    form->system = NULL; /* the share's */
    clear_share(&f->elements);
    clear_share(&f->others);
    nb_island_rows_clear(&f->island_rows);
    nb_primal_clear(&f->primal);
    nb_csr_destroy_f64(f->matrix);
    nb_low_rank_mass_destroy(f->low_rank);
    nb_sparse_mass_destroy(f->sparse);
    nb_free(f->diagonal);
    nb_free(f->force);
    nb_free(f->velocity);
}

static void form_inherit(nb_form *form, nb_form *before) {
    ((condensed *)form)->sparse = ((condensed *)before)->sparse;
    ((condensed *)before)->sparse = NULL;
}

/* H_e, whose values are still to be set */
static nb_status make_mass(condensed *f, const nb_mass *of_step) {
    nb_status status;
    const int32_t rank = nb_low_rank_mass_rank(of_step);
    NB_TRY(make_matrix(f, of_step->nodes));
    NB_TRY(nb_sparse_mass_make(of_step->nodes, of_step->moves, f->matrix, &f->sparse));
    if (rank > 0) NB_TRY(nb_low_rank_mass_create(f->sparse, rank, &f->low_rank));
    f->mass = f->low_rank ? f->low_rank : f->sparse;
out:
    return status;
}

static nb_status form_create(nb_form *form, const nb_system *rows) {
    condensed *f = (condensed *)form;
    nb_status status;
    const nb_sum_view *whole = nb_sum_view_of(rows->delassus);
    if (!whole) return nb_fail(NB_ERROR_UNSUPPORTED, "the condensed form requires the rows of a step");
    f->own = *whole->sum;
    f->own.mass = nb_low_rank_mass_base(whole->sum->mass);
    NB_TRY(make_share(&f->elements, rows, 1, &f->own));
    if (f->elements.view.base.rows == 0)
        NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "the condensed form requires elements (scene has none)"));
    NB_TRY(nb_primal_set_pattern(&f->primal, &f->elements.view.base, 1, NULL));
    NB_TRY(make_mass(f, whole->sum->mass));
    NB_TRY(NB_ALLOCATE(rows->rows, &f->diagonal));
    NB_TRY(NB_ALLOCATE(f->primal.pairs.row[f->primal.pairs.nodes], &f->force));
    NB_TRY(NB_ALLOCATE(f->primal.pairs.row[f->primal.pairs.nodes], &f->velocity));
    f->sum = *whole->sum;
    f->sum.mass = f->mass;
    f->sum.diagonal = f->diagonal;
    NB_TRY(make_share(&f->others, rows, 0, &f->sum));
    NB_TRY(nb_island_rows_make(&f->others.view, &f->island_rows));
    f->others.view.island_rows = &f->island_rows;
    form->system = f->others.system;
    NB_TRY(NB_ALLOCATE(form->system->rows, &form->x));
out:
    return status;
}

/* ---- the values ---- */

/* f . B^-1 f, B the block of H_e of one node */
static double response(const condensed *f, int32_t node, int width, const double *force) {
    const nb_node_pairs *pairs = &f->primal.pairs;
    int32_t slot = pairs->slot[node];
    const double *from = f->matrix->value + pairs->entry[slot] + nb_node_pairs_find(pairs, slot, slot);
    double a[NB_NODE_WIDEST * NB_NODE_WIDEST], x[NB_NODE_WIDEST * NB_NODE_WIDEST], d[NB_NODE_WIDEST],
        y[NB_NODE_WIDEST * NB_NODE_WIDEST], sum = 0;
    for (int r = 0; r < width; r++)
        for (int c = 0; c < width; c++) a[r * width + c] = from[(int64_t)r * pairs->length[slot] + c];
    nb_block_invert(width, a, x, d, y);
    for (int k = 0; k < width; k++) {
        double left = 0, right = 0;
        for (int c = 0; c < width; c++) {
            left += force[c] * x[c * width + k];
            right += y[k * width + c] * force[c];
        }
        sum += left * d[k] * right;
    }
    return sum;
}

/* what preconditioners get as the diagonal of D_e */
static void estimate_diagonal(condensed *f) {
    const nb_delassus *d = &f->others.view.base;
    const nb_nodes *nodes = d->mass->nodes;
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t node[NB_BLOCK_NODES];
        real j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
        int count = d->type->block_jacobian(d, i, node, j);
        const real *at = j;
        for (int32_t r = d->block_start[i]; r < d->block_start[i + 1]; r++) {
            double sum = 0, force[NB_NODE_WIDEST];
            for (int n = 0; n < count; n++) {
                int width = nb_node_velocities(nodes, node[n]);
                for (int k = 0; k < width; k++) force[k] = (double)*at++;
                sum += response(f, node[n], width, force);
            }
            f->diagonal[f->others.row[r]] = (real)sum;
        }
    }
}

static nb_status form_set_values(nb_form *form, const nb_system *rows) {
    condensed *f = (condensed *)form;
    nb_status status;
    take_values(&f->elements, rows);
    take_values(&f->others, rows);
    int32_t singular = nb_primal_set_values(&f->primal, f->elements.system, 0, f->matrix->value);
    if (singular >= 0)
        return nb_fail(NB_ERROR_NUMERIC,
                       "the condensed form requires an invertible compliance in every block of an element's "
                       "rows; that of row %d cannot",
                       (int)f->elements.row[singular]);
    NB_TRY(nb_sparse_mass_set_values(f->sparse, f->matrix));
    if (f->low_rank) NB_TRY(nb_low_rank_mass_copy_rows(f->low_rank, rows->delassus->mass));
    form->factor_nonzeros = nb_sparse_mass_factor_nonzeros(f->sparse);
    estimate_diagonal(f);
out:
    return status;
}

/* ---- right-hand side and recovery ---- */

/* f->velocity = H_e^-1 f->velocity */
static void solve(condensed *f) {
    nb_sparse_mass_solve(f->sparse, f->velocity);
    if (f->low_rank) nb_low_rank_mass_correct(f->low_rank, f->velocity);
}

/* what J_c multiplies: the velocities in the sum's scratch, where those of nodes without mass stay zero */
static real *spread_velocity(const condensed *f) {
    const nb_node_pairs *pairs = &f->primal.pairs;
    const int32_t *place = f->sum.mass->nodes->place;
    for (int32_t i = 0; i < pairs->nodes; i++)
        for (int32_t r = pairs->row[i], k = place[pairs->node[i]]; r < pairs->row[i + 1]; r++)
            f->sum.velocity[k++] = (real)f->velocity[r];
    return f->sum.velocity;
}

static void form_set_right_hand_side(nb_form *form, const nb_system *rows, const real *momentum) {
    condensed *f = (condensed *)form;
    const nb_node_pairs *pairs = &f->primal.pairs;
    const int32_t *velocity = f->mass->nodes->velocity;
    nb_system *system = form->system;
    take_right_hand_side(&f->elements, rows);
    take_right_hand_side(&f->others, rows);
    const double *force = nb_primal_begin(&f->primal, f->elements.system->b);
    for (int32_t i = 0; i < pairs->nodes; i++)
        for (int32_t r = pairs->row[i], k = velocity[pairs->node[i]]; r < pairs->row[i + 1]; r++)
            f->velocity[r] = f->force[r] = force[r] - (double)momentum[k++];
    if (system->rows == 0) return;
    solve(f);
    nb_sum_row_velocities(&f->others.view, spread_velocity(f), form->x);
    for (int32_t r = 0; r < system->rows; r++) system->b[r] -= system->s[r] * form->x[r];
}

/* velocity = H_e^-1 (f + J_c^T S y_c) */
static void find_velocity(condensed *f, const real *y) {
    const nb_node_pairs *pairs = &f->primal.pairs;
    const int32_t *place = f->sum.mass->nodes->place;
    real *force = f->sum.force;
    for (int32_t i = 0; i < pairs->nodes; i++)
        for (int32_t k = place[pairs->node[i]]; k < place[pairs->node[i]] + nb_node_pairs_width(pairs, i); k++)
            force[k] = 0;
    nb_sum_add_forces(&f->others.view, f->others.system->s, y, force);
    for (int32_t i = 0; i < pairs->nodes; i++)
        for (int32_t r = pairs->row[i], k = place[pairs->node[i]]; r < pairs->row[i + 1]; r++)
            f->velocity[r] = f->force[r] + (double)force[k++];
    solve(f);
}

static void form_recover(nb_form *form, const nb_system *rows, real *du, real *y) {
    condensed *f = (condensed *)form;
    const nb_node_pairs *pairs = &f->primal.pairs;
    const nb_nodes *nodes = f->mass->nodes;
    real *own = f->elements.system->b; /* which y_e takes the place of */
    take_right_hand_side(&f->elements, rows);
    find_velocity(f, form->x);
    memset(du, 0, (size_t)nodes->velocity[nodes->count] * sizeof *du);
    for (int32_t i = 0; i < pairs->nodes; i++)
        for (int32_t r = pairs->row[i], k = nodes->velocity[pairs->node[i]]; r < pairs->row[i + 1]; r++)
            du[k++] = (real)f->velocity[r];
    nb_primal_finish(&f->primal, own, f->velocity, own);
    for (int32_t r = 0; r < f->elements.view.base.rows; r++) y[f->elements.row[r]] = own[r];
    for (int32_t r = 0; r < f->others.view.base.rows; r++) y[f->others.row[r]] = form->x[r];
}

const nb_form_class nb_condensed_form = {
    .name = "condensed",
    .unknowns = "y of the rows of joints, then of contacts, three each (N s, N m s); those of elements are eliminated",
    .units = {"1/kg", "m/s"},
    .size = sizeof(condensed),
    .symmetric = 1,
    .create = form_create,
    .inherit = form_inherit,
    .set_values = form_set_values,
    .set_right_hand_side = form_set_right_hand_side,
    .recover = form_recover,
    .clear = form_clear,
};
