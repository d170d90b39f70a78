/* How a form is added: the symmetric saddle form
 *
 *     [ H    J^T S   ] [du ]   [-g]
 *     [ S J  -(C + K)] [-y ] = [ b]
 *
 * for solvers that take symmetric indefinite systems, kept as a full matrix for the sake of brevity. It stands in this
 * file alone; whatever takes a form works with it. */
#include "check.h"

#include <string.h>

#include "base/largest.h"
#include "operator/primal.h"
#include "operator/solve.h"
#include "random_scene.h"
#include "registry.h"

NB_PRECISIONS(f64);

/* ---- the form: unknowns are the velocities of all nodes, those without mass have rows of their own, then the rows'
 * --- */

typedef struct symmetric_form {
    nb_form base; /* first */
    int32_t velocities;
} symmetric_form;

static nb_status create(nb_form *form, const nb_system *rows) {
    symmetric_form *f = (symmetric_form *)form;
    const nb_nodes *nodes = rows->delassus->mass->nodes;
    nb_csr *matrix;
    f->velocities = nodes->velocity[nodes->count];
    int32_t n = f->velocities + rows->rows;
    nb_status status = nb_csr_create(n, n, (int64_t)n * n, &matrix);
    if (status != NB_OK) return status;
    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = 0; c < n; c++) matrix->column[(int64_t)r * n + c] = c;
        matrix->start[r + 1] = (int64_t)(r + 1) * n;
    }
    return nb_form_take_matrix(form, matrix, 0, NULL);
}

static real *entry(const nb_form *form, int32_t r, int32_t c) {
    return form->matrix->value + form->matrix->start[r] + c;
}

static void set_mass(const nb_form *form, const nb_mass *mass) {
    for (int32_t i = 0; i < mass->nodes->count; i++) {
        int n = nb_node_velocities(mass->nodes, i);
        int32_t first = mass->nodes->velocity[i];
        real block[NB_NODE_WIDEST * NB_NODE_WIDEST] = {0};
        if (mass->moves[i]) mass->type->block(mass, i, block);
        for (int e = 0; e < n * n; e++)
            *entry(form, first + e / n, first + e % n) = mass->moves[i] ? block[e] : e / n == e % n;
    }
}

static nb_status set_values(nb_form *form, const nb_system *rows) {
    const nb_delassus *d = rows->delassus;
    int32_t velocities = ((symmetric_form *)form)->velocities, node[NB_BLOCK_NODES];
    real block[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    memset(form->matrix->value, 0, (size_t)nb_csr_nonzeros(form->matrix) * sizeof(real));
    set_mass(form, d->mass);
    for (int32_t i = 0; i < d->block_count; i++) {
        int nodes = d->type->block_jacobian(d, i, node, block);
        const real *from = block;
        for (int32_t r = d->block_start[i]; r < d->block_start[i + 1]; r++) {
            for (int e = 0; e < nodes; e++)
                for (int32_t c = d->mass->nodes->velocity[node[e]]; c < d->mass->nodes->velocity[node[e] + 1]; c++)
                    *entry(form, velocities + r, c) = *entry(form, c, velocities + r) = rows->s[r] * *from++;
            for (int32_t k = d->block_start[i], column = 0; rows->k && k < d->block_start[i + 1]; k++, column++)
                *entry(form, velocities + r, velocities + k) = -nb_system_block_place(
                    rows, i)[(r - d->block_start[i]) * (d->block_start[i + 1] - d->block_start[i]) + column];
            *entry(form, velocities + r, velocities + r) -= rows->c[r];
        }
    }
    return NB_OK;
}

static void set_right_hand_side(nb_form *form, const nb_system *rows, const real *momentum) {
    const nb_mass *mass = rows->delassus->mass;
    int32_t velocities = ((symmetric_form *)form)->velocities;
    for (int32_t i = 0; i < mass->nodes->count; i++)
        for (int32_t r = mass->nodes->velocity[i]; r < mass->nodes->velocity[i + 1]; r++)
            form->system->b[r] = mass->moves[i] ? -momentum[r] : 0;
    memcpy(form->system->b + velocities, rows->b, (size_t)rows->rows * sizeof(real));
}

static void recover(nb_form *form, const nb_system *rows, real *du, real *y) {
    int32_t velocities = ((symmetric_form *)form)->velocities;
    memcpy(du, form->x, (size_t)velocities * sizeof(real));
    for (int32_t r = 0; r < rows->rows; r++) y[r] = -form->x[velocities + r];
}

static void clear(nb_form *form) {
    (void)form; /* it holds nothing of its own */
}

static const nb_form_class symmetric_saddle = {
    .name = "symmetric-saddle",
    .size = sizeof(symmetric_form),
    .symmetric = 1,
    .create = create,
    .set_values = set_values,
    .set_right_hand_side = set_right_hand_side,
    .recover = recover,
    .clear = clear,
};

/* ---- it gives what the primal form gives ---- */

static void solve(const nb_form_class *type, const scene *s, const char *solver_name, real *du, real *y) {
    const nb_linear_solver_class *solver;
    double standard[16];
    nb_form *form;
    nb_solve *state;
    nb_solve_report report;
    CHECK_OK(nb_linear_solver_find(solver_name, &solver));
    nb_options_standard(solver->options, solver->option_count, standard);
    CHECK_OK(nb_form_create(type, s->system, &form));
    CHECK_OK(nb_form_assemble(form, s->system, nb_step_problem(s->step)->momentum));
    for (int32_t r = 0; r < form->matrix->rows; r++)
        for (int64_t e = form->matrix->start[r]; type == &symmetric_saddle && e < form->matrix->start[r + 1]; e++)
            assert_true(form->matrix->value[e] == *entry(form, form->matrix->column[e], r));
    CHECK_OK(nb_solve_create(solver, standard, NULL, NULL, &state));
    CHECK_OK(nb_solve_run(state, form->system, &(nb_linear_stop){.iterations = 1, .tolerance = 0}, NULL, NULL, form->x,
                          &report));
    form->type->recover(form, s->system, du, y);
    nb_solve_destroy(state);
    nb_form_destroy(form);
}

static void a_form_of_ones_own(void **unused) {
    (void)unused;
    uint64_t seed = test_seed();
    for (int blocks = 0; blocks < 2; blocks++) {
        static scene s;
        static real du[2][6 * MOST_BODIES], y[2][MOST_ROWS];
        begin_scene(&s, &seed, 8, 2, 4);
        const nb_problem *p = nb_step_problem(s.step);
        for (int32_t r = 0; r < p->rows; r++) s.system->c[r] += R(0.01);
        if (blocks) {
            CHECK_OK(nb_system_use_blocks(s.system));
            for (int32_t i = 0; i < p->delassus->block_count; i++) /* K = 1 over all entries: symmetric */
                for (int64_t e = s.system->k_place[i]; e < s.system->k_place[i + 1]; e++) s.system->k[e] = 1;
            s.system->symmetric = 1;
        }
        nb_system_values_changed(s.system);
        solve(&nb_primal_form, &s, "cholesky", du[0], y[0]);
        solve(&symmetric_saddle, &s, "umfpack", du[1], y[1]);
        double largest = 0;
        for (int32_t i = 0; i < p->velocities; i++) nb_raise(&largest, fabs((double)du[0][i]));
        for (int32_t r = 0; r < p->rows; r++) nb_raise(&largest, fabs((double)y[0][r]));
        assert_true(largest > 0.1);
        /* entries of size one, C of 0.01 and more: conditions of order 1e4 */
        for (int32_t i = 0; i < p->velocities; i++)
            CHECK_NEAR(du[0][i], du[1][i], 1e4 * (double)NB_REAL_EPSILON * largest);
        for (int32_t r = 0; r < p->rows; r++) CHECK_NEAR(y[0][r], y[1][r], 1e4 * (double)NB_REAL_EPSILON * largest);
        end_scene(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_form_of_ones_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
