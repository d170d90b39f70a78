/* Runs full of random numbers, ragged as real ones are, and their comparison bit by bit: for tests of runs and records.
 */
#ifndef NB_TESTS_RANDOM_RUN_H
#define NB_TESTS_RANDOM_RUN_H

#include <string.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "check.h"
#include "record/run.h"

/* how large a random run may get; each count is drawn from 0 .. most */
typedef struct random_sizes {
    int steps, newtons, linears, bodies, bilaterals, contacts, repeats, frames, systems, reactions;
} random_sizes;

static inline int test_random_below(uint64_t *state, int most) {
    return (int)(test_random_bits(state) % (uint64_t)(most + 1));
}

/* mostly ordinary numbers, with those among them that a careless writer loses */
static inline double test_random_double(uint64_t *state) {
    static const double odd[] = {0.0, -0.0, 5e-324, 1e308, -1e-308};
    int pick = test_random_below(state, 40);
    if (pick == 39) return (double)NAN;
    if (pick == 40) return (double)INFINITY;
    return pick < 5 ? odd[pick] : test_random(state, -1e3, 1e3);
}

/* What a snapshot knows of its contacts but bodies, modes and errors: all of it from the same 6 numbers a contact. */
static inline void test_give_contacts(nb_snapshot *at, double *numbers) {
    at->contact_point = at->contact_normal = at->contact_tangent = numbers;
    at->gap = at->slip = at->lambda_normal = at->lambda_friction = numbers;
}

static inline void test_random_fill(uint64_t *state, double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) x[i] = test_random_double(state);
}

/* letters, and now and then what files and shells trip over */
static inline void test_random_text(uint64_t *state, char *text, size_t size) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-0123456789 '\"\\/%";
    size_t length = (size_t)test_random_below(state, (int)size - 1);
    for (size_t i = 0; i < length; i++) text[i] = letters[test_random_bits(state) % (sizeof letters - 1)];
    text[length] = 0;
}

/* texts and numbers; arrays are as they were */
static inline void test_random_members(uint64_t *state, const nb_members *members, void *to) {
    for (int i = 0; i < members->count; i++) {
        const nb_member *member = &members->items[i];
        char *at = (char *)to + member->offset;
        double x = test_random(state, 0, 10);
        int32_t n = (int32_t)(test_random_bits(state) >> 33);
        uint64_t seed = test_random_bits(state);
        if (member->kind == NB_MEMBER_TEXT) test_random_text(state, at, member->size);
        if (member->kind == NB_MEMBER_REAL) memcpy(at, &x, sizeof x);
        if (member->kind == NB_MEMBER_INT32) memcpy(at, &n, sizeof n);
        if (member->kind == NB_MEMBER_UINT64) memcpy(at, &seed, sizeof seed);
    }
}

static inline void test_random_matrix(uint64_t *state, int64_t rows, int64_t columns, nb_csr_f64 *matrix) {
    *matrix = (nb_csr_f64){.rows = (int32_t)rows, .columns = (int32_t)columns};
    CHECK_OK(NB_ALLOCATE(rows + 1, &matrix->start));
    for (int64_t i = 0; i < rows; i++)
        matrix->start[i + 1] = matrix->start[i] + test_random_below(state, columns < 3 ? (int)columns : 3);
    matrix->capacity = matrix->start[rows];
    CHECK_OK(NB_ALLOCATE(matrix->capacity, &matrix->column));
    CHECK_OK(NB_ALLOCATE(matrix->capacity, &matrix->value));
    for (int64_t i = 0; i < rows; i++) /* ascending */
        for (int64_t k = matrix->start[i], least = 0; k < matrix->start[i + 1]; k++, least++) {
            int64_t left = matrix->start[i + 1] - k - 1;
            least += test_random_below(state, (int)(columns - 1 - left - least));
            matrix->column[k] = (int32_t)least;
        }
    test_random_fill(state, matrix->value, matrix->capacity);
}

/* the system of a step and Newton iteration; now and then one without bodies, as problem files give it */
static inline void test_random_system(uint64_t *state, int step, int newton, nb_stored_system *system) {
    int bodies = test_random_below(state, 3) > 0;
    *system = (nb_stored_system){.step = step, .newton = newton, .rows = 1 + test_random_below(state, 8)};
    test_random_matrix(state, system->rows, system->rows, &system->a);
    test_random_matrix(state, system->rows, system->rows, &system->c);
    if (test_random_below(state, 2) > 0) test_random_matrix(state, system->rows, system->rows, &system->k);
    double **vectors[3] = {&system->s, &system->b, &system->residual_h};
    for (int i = 0; i < 3; i++) {
        CHECK_OK(NB_ALLOCATE(system->rows, vectors[i]));
        test_random_fill(state, *vectors[i], system->rows);
    }
    if (!bodies) return;
    system->velocities = 6 * (1 + test_random_below(state, 2));
    test_random_matrix(state, system->velocities, system->velocities, &system->h);
    test_random_matrix(state, system->rows, system->velocities, &system->j);
    CHECK_OK(NB_ALLOCATE(system->velocities, &system->g));
    test_random_fill(state, system->g, system->velocities);
}

static inline void test_random_steps(uint64_t *state, const random_sizes *most, nb_run *run) {
    static const nb_column own[] = {{"own_a", "1", "a column of a method's own", ""},
                                    {"own_b", "m/s", "another", "0=none 1=some"},
                                    {"own_c", "1", "one more", ""}};
    int steps = test_random_below(state, most->steps);
    CHECK_OK(nb_run_set_newton_columns(run, own, test_random_below(state, 3)));
    for (int s = 0; s < steps; s++) {
        int newtons = test_random_below(state, most->newtons);
        for (int k = 0; k < newtons; k++) {
            double row[NB_NEWTON_COLUMNS + 4], step[NB_LINEAR_COLUMNS];
            for (int i = test_random_below(state, most->linears); i > 0; i--) {
                test_random_fill(state, step, NB_LINEAR_COLUMNS);
                CHECK_OK(nb_run_add_linear(run, step));
            }
            test_random_fill(state, row, run->newton_columns.count);
            CHECK_OK(nb_run_add_newton(run, row));
        }
        double row[NB_STEP_COLUMNS];
        test_random_fill(state, row, NB_STEP_COLUMNS);
        CHECK_OK(nb_run_add_step(run, row));
    }
}

static inline void test_random_arrays(uint64_t *state, const nb_members *members, nb_snapshot *final) {
    for (int i = 0; i < members->count; i++) {
        const nb_member *a = &members->items[i];
        if (a->kind == NB_MEMBER_PART) test_random_arrays(state, a->part, final);
        if (a->kind != NB_MEMBER_ARRAY) continue;
        int64_t count = nb_member_entries(a, final, 0);
        void *data = nb_member_data(a, final);
        for (int64_t k = 0; a->type == NB_MEMBER_INT32 && k < count; k++)
            ((int32_t *)data)[k] =
                test_random_below(state, data == final->soft_particle ? final->particles : final->bodies) - 1;
        if (a->type == NB_MEMBER_REAL) test_random_fill(state, data, count);
    }
}

static inline void test_random_snapshot(uint64_t *state, const random_sizes *most, const nb_run *run,
                                        nb_snapshot *final) {
    int32_t contacts = run->info.bodies ? test_random_below(state, most->contacts) : 0;
    int32_t particles = run->info.bodies ? test_random_below(state, 3) : 0;
    CHECK_OK(nb_snapshot_resize_soft(final, run->info.bodies, test_random_below(state, most->bilaterals), contacts,
                                     run->info.bodies ? test_random_below(state, 3) : 0,
                                     run->info.bodies ? test_random_below(state, 3) : 0, particles,
                                     run->info.bodies ? test_random_below(state, 3) : 0,
                                     particles > 0 ? test_random_below(state, contacts) : 0));
    final->step_count = run->step_count;
    final->time = test_random(state, 0, 9);
    final->time_step = 0.01;
    final->contact_weight = test_random(state, 1, 2);
    final->error = test_random(state, 0, 1e-3);
    test_random_arrays(state, &nb_snapshot_arrays, final);
}

/* half of the runs that can have one; masses are numbers that make sense */
static inline void test_random_reference(uint64_t *state, const random_sizes *most, nb_run *run) {
    nb_reference_solution *reference = &run->reference;
    int64_t n = run->info.bodies;
    if (n == 0 || run->step_count == 0 || test_random_below(state, 1) == 0) return;
    test_random_members(state, &nb_reference_solution_members, reference);
    test_random_snapshot(state, most, run, &reference->solution);
    if (test_random_below(state, 1)) test_random_snapshot(state, most, run, &reference->second);
    reference->solution.error = reference->used.natural_map_error;
    reference->step = test_random_below(state, run->step_count - 1);
    reference->masses.bodies = (int32_t)n;
    CHECK_OK(NB_ALLOCATE(n, &reference->masses.mass));
    CHECK_OK(NB_ALLOCATE(9 * n, &reference->masses.inertia));
    CHECK_OK(NB_ALLOCATE(6 * n, &reference->u_of_forces));
    reference->masses.total = 0;
    for (int64_t i = 0; i < n; i++) reference->masses.total += reference->masses.mass[i] = test_random(state, 0, 9);
    test_random_fill(state, reference->masses.inertia, 9 * n);
    test_random_fill(state, reference->u_of_forces, 6 * n);
}

/* a mesh as ragged as any; whether it makes sense is nobody's matter here */
static inline void test_random_mesh(uint64_t *state, const random_sizes *most, int32_t bodies, nb_mesh *mesh) {
    if (bodies == 0) return;
    mesh->point_count = test_random_below(state, most->contacts);
    mesh->cell_count = test_random_below(state, most->contacts);
    mesh->corner_count = test_random_below(state, most->reactions);
    CHECK_OK(NB_ALLOCATE(mesh->point_count, &mesh->points));
    CHECK_OK(NB_ALLOCATE(mesh->point_count, &mesh->point_body));
    CHECK_OK(NB_ALLOCATE(mesh->cell_count + 1, &mesh->cell_start));
    CHECK_OK(NB_ALLOCATE(mesh->corner_count, &mesh->corners));
    CHECK_OK(NB_ALLOCATE(mesh->cell_count, &mesh->cell_kind));
    CHECK_OK(NB_ALLOCATE(mesh->cell_count, &mesh->cell_body));
    test_random_fill(state, (double *)mesh->points, 3 * mesh->point_count);
    for (int64_t i = 0; i < mesh->corner_count; i++) mesh->corners[i] = test_random_below(state, 99);
    for (int64_t i = 0; i < mesh->point_count; i++) mesh->point_body[i] = test_random_below(state, bodies - 1);
    for (int64_t i = 0; i < mesh->cell_count; i++) mesh->cell_body[i] = test_random_below(state, bodies - 1);
    for (int64_t i = 0; i < mesh->cell_count; i++) mesh->cell_kind[i] = test_random_below(state, 12);
}

static inline void test_random_extras(uint64_t *state, const random_sizes *most, nb_run *run) {
    double *q;
    double **repeats[4] = {&run->repeat_setup_s, &run->repeat_solve_s, &run->repeat_assembly_s, &run->repeat_step_s};
    run->repeat_count = run->step_count ? test_random_below(state, most->repeats) : 0;
    for (int i = 0; i < 4 && run->repeat_count; i++) {
        CHECK_OK(NB_ALLOCATE((int64_t)run->repeat_count * run->step_count, repeats[i]));
        test_random_fill(state, *repeats[i], (int64_t)run->repeat_count * run->step_count);
    }
    if (run->repeat_count) {
        CHECK_OK(NB_ALLOCATE(run->repeat_count, &run->repeat_order));
        test_random_fill(state, run->repeat_order, run->repeat_count);
    }
    CHECK_OK(NB_ALLOCATE(13 * run->info.bodies, &q));
    int32_t particles = run->info.bodies ? test_random_below(state, 2) * 3 : 0;
    int32_t joint_rows = test_random_below(state, 2);
    for (int i = run->info.bodies ? test_random_below(state, most->frames) : 0; i > 0; i--) {
        double x[2][3 * 6], contacts[18];
        int32_t pairs[6];
        for (int k = 0; k < 2; k++) test_random_fill(state, x[k], 3 * 6);
        for (int k = 0; k < 6; k++) pairs[k] = test_random_below(state, run->info.bodies) - 1;
        test_random_fill(state, q, 13 * run->info.bodies);
        nb_snapshot at = {.bodies = run->info.bodies, .particles = particles, .q = q, .u = q + 7 * run->info.bodies};
        at.particle_x = at.contact_error = x[0];
        at.particle_v = at.bilateral_error = x[1];
        at.bilaterals = joint_rows;
        at.contacts = test_random_below(state, 3);
        at.contact_bodies = at.contact_mode = pairs;
        at.momentum_error = q;
        for (int k = 0; k < 18; k++) contacts[k] = test_random(state, -1, 1); /* products of others may be NaN */
        test_give_contacts(&at, contacts);
        float errors[4] = {0, NAN, 0, 0};
        for (int k = test_random_below(state, 3); k > 0; k--) {
            for (int c = 2; c < 4; c++) errors[c] = (float)test_random(state, 0, 1);
            const nb_contact_errors iterate = {.count = at.contacts, .error = errors};
            CHECK_OK(nb_run_add_iterate(run, test_random(state, 0, 9), &iterate));
        }
        CHECK_OK(nb_run_add_frame(run, test_random(state, 0, 9), &at));
    }
    nb_free(q);
    int systems = test_random_below(state, most->systems);
    for (int i = 0; i < systems; i++) {
        nb_stored_system system;
        test_random_system(state, i / 2, i % 2, &system);
        CHECK_OK(nb_run_add_system(run, &system));
    }
    run->reaction_count = test_random_below(state, most->reactions);
    if (!run->reaction_count) return;
    CHECK_OK(NB_ALLOCATE(run->reaction_count, &run->reaction));
    CHECK_OK(NB_ALLOCATE(run->reaction_count, &run->velocity));
    test_random_fill(state, run->reaction, run->reaction_count);
    test_random_fill(state, run->velocity, run->reaction_count);
}

static inline void test_random_checks(uint64_t *state, nb_checks *checks) {
    checks->count = test_random_below(state, NB_CHECK_MAX);
    for (int i = 0; i < checks->count; i++) {
        nb_check *check = &checks->items[i];
        test_random_text(state, check->name, sizeof check->name);
        test_random_text(state, check->units, sizeof check->units);
        check->expected = test_random_double(state);
        check->actual = test_random_double(state);
        check->tolerance = test_random_double(state);
        check->passed = test_random_below(state, 1);
        if (test_random_below(state, 3) == 0) test_random_text(state, check->premise, sizeof check->premise);
    }
}

/* half of the runs are batches */
static inline void test_random_batch(uint64_t *state, const random_sizes *most, nb_batch *batch) {
    if (test_random_below(state, 1) == 0) return;
    CHECK_OK(
        nb_batch_allocate(batch, 1 + test_random_below(state, most->bodies), test_random_below(state, most->steps)));
    test_random_fill(state, batch->rows, (int64_t)batch->scenes * batch->steps * NB_BATCH_COLUMNS);
    for (int32_t k = 0; k < batch->scenes; k++) batch->failed_checks[k] = test_random_below(state, 9);
    for (int i = test_random_below(state, most->repeats); i >= 0; i--)
        CHECK_OK(nb_batch_add_pass(batch, test_random(state, 0, 9), test_random(state, 0, 9), NAN));
    for (int32_t k = batch->scenes - 1; k >= 0; k -= 3) {
        char text[200];
        test_random_text(state, text, sizeof text);
        CHECK_OK(nb_batch_add_fault(batch, k, test_random_below(state, batch->steps), text));
    }
    test_random_checks(state, &batch->worst);
    for (int i = 0; i < batch->worst.count; i++) {
        batch->worst_scene[i] = test_random_below(state, batch->scenes - 1);
        batch->failed_scenes[i] = test_random_below(state, batch->scenes);
    }
}

/* what a run was asked for by name: numbers and texts, with any bytes in them */
static inline void test_random_values(uint64_t *state, char **values) {
    char *lines = NULL, text[2000];
    size_t size;
    FILE *stream = open_memstream(&lines, &size);
    for (int i = test_random_below(state, 40); i > 0; i--) {
        char name[NB_NAME_LENGTH];
        snprintf(name, sizeof name, "%sn%d", i % 3 ? "" : i % 2 ? "method." : "linear-solver.", i);
        test_random_text(state, text, sizeof text);
        if (i % 4)
            nb_named_number_write(stream, "", name, test_random(state, -9, 9));
        else
            nb_named_text_write(stream, "", name, text);
    }
    fclose(stream);
    CHECK_OK(nb_named_values_sort(lines, values));
    free(lines);
}

static inline nb_run *test_random_run(uint64_t *state, const random_sizes *most) {
    nb_run *run;
    CHECK_OK(nb_run_create(&run));
    test_random_members(state, &nb_run_info_members, &run->info);
    test_random_members(state, &nb_run_usage_members, &run->usage);
    test_random_values(state, &run->info.parameters);
    run->info.bodies = test_random_below(state, most->bodies);
    run->finished = test_random_below(state, 1);
    test_random_steps(state, most, run);
    test_random_snapshot(state, most, run, &run->final);
    test_random_reference(state, most, run);
    test_random_extras(state, most, run);
    test_random_checks(state, &run->checks);
    test_random_batch(state, most, &run->batch);
    return run;
}

/* the same bytes, NaN and -0 included; `what` names the place in a failure */
static inline void check_same_bytes(const char *what, const void *a, const void *b, int64_t count, size_t size) {
    if (count == 0) return;
    assert_non_null(a);
    assert_non_null(b);
    for (int64_t i = 0; i < count; i++)
        if (memcmp((const char *)a + (size_t)i * size, (const char *)b + (size_t)i * size, size) != 0)
            fail_msg("%s[%lld] differs", what, (long long)i);
}

/* texts and numbers */
static inline void check_same_members(const nb_members *members, const void *a, const void *b) {
    for (int i = 0; i < members->count; i++) {
        const nb_member *member = &members->items[i];
        const char *x = (const char *)a + member->offset, *y = (const char *)b + member->offset;
        if (member->kind == NB_MEMBER_TEXT)
            assert_string_equal(x, y);
        else if (member->kind < NB_MEMBER_LONG_TEXT)
            check_same_bytes(member->name, x, y, 1, member->size);
    }
}

static inline void check_same_matrix(const char *what, const nb_csr_f64 *a, const nb_csr_f64 *b) {
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    assert_int_equal(a->capacity, b->capacity);
    assert_int_equal(!a->start, !b->start);
    if (!a->start) return;
    check_same_bytes(what, a->start, b->start, a->rows + (int64_t)1, sizeof *a->start);
    check_same_bytes(what, a->column, b->column, a->capacity, sizeof *a->column);
    check_same_bytes(what, a->value, b->value, a->capacity, sizeof *a->value);
}

static inline void check_same_vector(const char *what, const double *a, const double *b, int64_t count) {
    assert_int_equal(!a, !b);
    check_same_bytes(what, a, b, a ? count : 0, sizeof *a);
}

static inline void check_same_system(const nb_stored_system *a, const nb_stored_system *b) {
    assert_int_equal(a->step, b->step);
    assert_int_equal(a->newton, b->newton);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->velocities, b->velocities);
    check_same_matrix("A", &a->a, &b->a);
    check_same_matrix("H", &a->h, &b->h);
    check_same_matrix("J", &a->j, &b->j);
    check_same_matrix("C", &a->c, &b->c);
    check_same_matrix("K", &a->k, &b->k);
    check_same_vector("s", a->s, b->s, a->rows);
    check_same_vector("b", a->b, b->b, a->rows);
    check_same_vector("g", a->g, b->g, a->velocities);
    check_same_vector("h", a->residual_h, b->residual_h, a->rows);
}

static inline void check_same_snapshot(const nb_snapshot *a, const nb_snapshot *b) {
    assert_int_equal(a->step_count, b->step_count);
    check_same_bytes("time", &a->time, &b->time, 1, sizeof a->time);
    check_same_bytes("time_step", &a->time_step, &b->time_step, 1, sizeof a->time_step);
    check_same_bytes("contact_weight", &a->contact_weight, &b->contact_weight, 1, sizeof a->contact_weight);
    check_same_bytes("error", &a->error, &b->error, 1, sizeof a->error);
    assert_int_equal(a->bodies, b->bodies);
    assert_int_equal(a->bilaterals, b->bilaterals);
    assert_int_equal(a->contacts, b->contacts);
    for (int i = 0; i < nb_snapshot_arrays.count; i++) {
        const nb_member *m = &nb_snapshot_arrays.items[i];
        if (m->kind == NB_MEMBER_ARRAY)
            check_same_bytes(m->name, nb_member_data(m, a), nb_member_data(m, b), nb_member_entries(m, a, 0), m->size);
    }
}

static inline void check_same_reference(const nb_reference_solution *a, const nb_reference_solution *b) {
    int64_t n = a->solution.bodies;
    check_same_snapshot(&a->solution, &b->solution);
    assert_int_equal(!a->solution.q, !b->solution.q);
    if (!a->solution.q) return;
    check_same_members(&nb_reference_solution_members, a, b);
    assert_int_equal(a->masses.bodies, b->masses.bodies);
    check_same_bytes("mass", a->masses.mass, b->masses.mass, n, sizeof(double));
    check_same_bytes("inertia", a->masses.inertia, b->masses.inertia, 9 * n, sizeof(double));
    check_same_bytes("u_of_forces", a->u_of_forces, b->u_of_forces, 6 * n, sizeof(double));
}

static inline void check_same_checks(const nb_checks *a, const nb_checks *b) {
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        assert_string_equal(a->items[i].name, b->items[i].name);
        assert_string_equal(a->items[i].units, b->items[i].units);
        check_same_bytes("expected", &a->items[i].expected, &b->items[i].expected, 1, sizeof(double));
        check_same_bytes("actual", &a->items[i].actual, &b->items[i].actual, 1, sizeof(double));
        check_same_bytes("tolerance", &a->items[i].tolerance, &b->items[i].tolerance, 1, sizeof(double));
        assert_int_equal(a->items[i].passed, b->items[i].passed);
        assert_string_equal(a->items[i].premise, b->items[i].premise);
    }
}

static inline void check_same_batch(const nb_batch *a, const nb_batch *b) {
    assert_int_equal(a->scenes, b->scenes);
    assert_int_equal(a->steps, b->steps);
    assert_int_equal(a->pass_count, b->pass_count);
    check_same_bytes("rows", a->rows, b->rows, (int64_t)a->scenes * a->steps * NB_BATCH_COLUMNS, sizeof(double));
    check_same_bytes("failed_checks", a->failed_checks, b->failed_checks, a->scenes, sizeof(int32_t));
    check_same_bytes("pass_s", a->pass_s, b->pass_s, a->pass_count, sizeof(double));
    check_same_bytes("device_work_s", a->device_work_s, b->device_work_s, a->pass_count, sizeof(double));
    check_same_bytes("device_transfer_s", a->device_transfer_s, b->device_transfer_s, a->pass_count, sizeof(double));
    assert_int_equal(a->fault_count, b->fault_count);
    for (int32_t i = 0; i < a->fault_count; i++) {
        assert_int_equal(a->faults[i].scene, b->faults[i].scene);
        assert_int_equal(a->faults[i].step, b->faults[i].step);
        assert_string_equal(a->faults[i].text, b->faults[i].text);
    }
    check_same_checks(&a->worst, &b->worst);
    check_same_bytes("worst_scene", a->worst_scene, b->worst_scene, a->worst.count, sizeof(int32_t));
    check_same_bytes("failed_scenes", a->failed_scenes, b->failed_scenes, a->worst.count, sizeof(int32_t));
}

static inline void check_same_mesh(const nb_mesh *a, const nb_mesh *b) {
    assert_int_equal(a->point_count, b->point_count);
    assert_int_equal(a->cell_count, b->cell_count);
    assert_int_equal(a->corner_count, b->corner_count);
    check_same_bytes("points", a->points, b->points, a->point_count, sizeof *a->points);
    check_same_bytes("point_body", a->point_body, b->point_body, a->point_count, sizeof *a->point_body);
    assert_int_equal(!a->cell_start, !b->cell_start);
    if (!a->cell_start) return;
    check_same_bytes("cell_start", a->cell_start, b->cell_start, a->cell_count + 1, sizeof *a->cell_start);
    check_same_bytes("corners", a->corners, b->corners, a->corner_count, sizeof *a->corners);
    check_same_bytes("cell_kind", a->cell_kind, b->cell_kind, a->cell_count, sizeof *a->cell_kind);
    check_same_bytes("cell_body", a->cell_body, b->cell_body, a->cell_count, sizeof *a->cell_body);
}

static inline void check_same_columns(const nb_columns *a, const nb_columns *b) {
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        const nb_column *x = nb_columns_at(a, i), *y = nb_columns_at(b, i);
        assert_string_equal(x->name, y->name);
        assert_string_equal(x->units, y->units);
        assert_string_equal(x->long_name, y->long_name);
        assert_string_equal(x->legend, y->legend);
    }
}

static inline void check_same_run(const nb_run *a, const nb_run *b) {
    check_same_members(&nb_run_info_members, &a->info, &b->info);
    assert_string_equal(a->info.parameters, b->info.parameters);
    assert_true(a->usage.peak_bytes == b->usage.peak_bytes);
    assert_true(a->usage.peak_resident_bytes == b->usage.peak_resident_bytes);
    assert_true(a->usage.wall_s == b->usage.wall_s);
    assert_true(a->usage.device_work_s == b->usage.device_work_s);
    assert_true(a->usage.device_transfer_s == b->usage.device_transfer_s);
    assert_true(a->usage.reference_error == b->usage.reference_error ||
                (isnan(a->usage.reference_error) && isnan(b->usage.reference_error)));
    assert_true(a->usage.record_s <= b->usage.record_s); /* writing it down adds to it */
    assert_int_equal(a->finished, b->finished);
    assert_int_equal(a->step_count, b->step_count);
    check_same_bytes("steps", a->steps, b->steps, a->step_count, NB_STEP_COLUMNS * sizeof(double));
    check_same_bytes("newton_start", a->newton_start, b->newton_start, a->step_count + 1, sizeof(int64_t));
    int64_t newtons = a->newton_start[a->step_count];
    check_same_columns(&a->newton_columns, &b->newton_columns);
    check_same_bytes("newton", a->newton, b->newton, newtons, (size_t)a->newton_columns.count * sizeof(double));
    check_same_bytes("linear_start", a->linear_start, b->linear_start, newtons + 1, sizeof(int64_t));
    check_same_bytes("linear", a->linear, b->linear, a->linear_start[newtons], NB_LINEAR_COLUMNS * sizeof(double));
    assert_int_equal(a->repeat_count, b->repeat_count);
    int64_t repeats = (int64_t)a->repeat_count * a->step_count;
    check_same_bytes("repeat_setup_s", a->repeat_setup_s, b->repeat_setup_s, repeats, sizeof(double));
    check_same_bytes("repeat_solve_s", a->repeat_solve_s, b->repeat_solve_s, repeats, sizeof(double));
    check_same_bytes("repeat_assembly_s", a->repeat_assembly_s, b->repeat_assembly_s, repeats, sizeof(double));
    check_same_bytes("repeat_order", a->repeat_order, b->repeat_order, a->repeat_count, sizeof(double));
    check_same_bytes("repeat_step_s", a->repeat_step_s, b->repeat_step_s, repeats, sizeof(double));
    check_same_snapshot(&a->final, &b->final);
    check_same_reference(&a->reference, &b->reference);
    assert_int_equal(a->reaction_count, b->reaction_count);
    check_same_bytes("reaction", a->reaction, b->reaction, a->reaction_count, sizeof(double));
    check_same_bytes("velocity", a->velocity, b->velocity, a->reaction_count, sizeof(double));
    assert_int_equal(a->frame_count, b->frame_count);
    check_same_bytes("frame_time", a->frame_time, b->frame_time, a->frame_count, sizeof(double));
    check_same_bytes("frames", a->frames, b->frames, (int64_t)a->frame_count * a->info.bodies, 7 * sizeof(double));
    check_same_bytes("frame_u", a->frame_u, b->frame_u, (int64_t)a->frame_count * a->info.bodies, 6 * sizeof(double));
    assert_int_equal(a->frame_particles, b->frame_particles);
    assert_true(!a->frame_x == !b->frame_x);
    check_same_bytes("frame_x", a->frame_x, b->frame_x, (int64_t)a->frame_count * a->frame_particles,
                     3 * sizeof(double));
    check_same_bytes("frame_v", a->frame_v, b->frame_v, (int64_t)a->frame_count * a->frame_particles,
                     3 * sizeof(double));
    assert_int_equal(a->frame_bilaterals, b->frame_bilaterals);
    check_same_bytes("frame_bilateral_error", a->frame_bilateral_error, b->frame_bilateral_error,
                     (int64_t)a->frame_count * a->frame_bilaterals, sizeof(double));
    check_same_bytes("frame_contact_start", a->frame_contact_start, b->frame_contact_start, a->frame_count + 1,
                     sizeof(int64_t));
    check_same_bytes("frame_contacts", a->frame_contacts, b->frame_contacts, a->frame_contact_start[a->frame_count],
                     NB_FRAME_CONTACT_COLUMNS * sizeof(double));
    const int64_t iterates = a->frame_iterate_start[a->frame_count];
    check_same_bytes("frame_iterate_start", a->frame_iterate_start, b->frame_iterate_start, a->frame_count + 1,
                     sizeof(int64_t));
    check_same_bytes("frame_iterates", a->frame_iterates, b->frame_iterates, iterates, sizeof(double));
    assert_true(a->iterate_error_count == b->iterate_error_count);
    check_same_bytes("iterate_errors", a->iterate_errors, b->iterate_errors, a->iterate_error_count, sizeof(float));
    assert_int_equal(a->system_count, b->system_count);
    for (int32_t i = 0; i < a->system_count; i++) check_same_system(&a->systems[i], &b->systems[i]);
    check_same_checks(&a->checks, &b->checks);
    check_same_batch(&a->batch, &b->batch);
}

#endif
