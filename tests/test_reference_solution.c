/* The converged solution of a step and the true errors: known solutions, the null space of J^T, one method against the
 * other, and what happens where memory fails. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "measure/measure.h"
#include "measure/momentum.h"
#include "registry.h"
#include "run/converge.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "table/outcome.h"

typedef struct bench {
    nb_request *request;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    nb_reference_solution reference;
    double h;
} bench;

/* the first step of a scene, begun; `settings`: NAME=VALUE pairs, NULL-terminated */
static bench make_bench(const char *scenario, const char *const *settings, int frozen) {
    bench b = {0};
    nb_request *request = calloc(1, sizeof *request);
    assert_non_null(request);
    nb_request_standard(request);
    strcpy(request->info.scenario, scenario);
    for (; *settings; settings += 2) {
        nb_setting *setting = &request->settings[request->setting_count++];
        strcpy(setting->name, settings[0]);
        strcpy(setting->value, settings[1]);
    }
    CHECK_OK(nb_simulate_prepare(request));
    b.request = request;
    b.h = request->info.time_step;
    CHECK_OK(request->choices.scenario->build(request->choices.parameters, 1, &b.world));
    CHECK_OK(nb_contacts_create(&b.contacts));
    CHECK_OK(nb_measure_create(&b.measure));
    CHECK_OK(nb_contacts_detect(b.world, b.h, b.contacts));
    CHECK_OK(nb_measure_begin(b.measure, b.world, b.contacts, b.h, frozen));
    CHECK_OK(nb_converge(b.world, b.contacts, b.h, frozen, NULL, &b.reference));
    return b;
}

static void drop_bench(bench *b) {
    nb_reference_solution_clear(&b->reference);
    nb_measure_destroy(b->measure);
    nb_contacts_destroy(b->contacts);
    nb_world_destroy(b->world);
    nb_free(b->request->info.parameters);
    free(b->request);
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})
static const char *const no_settings[] = {NULL};

/* both methods came to the tolerance, and to the same velocities */
static void check_agreement(const nb_reference_solution *reference) {
    CHECK_BELOW(reference->used.natural_map_error, NB_REFERENCE_TOLERANCE);
    CHECK_BELOW(reference->other.natural_map_error, NB_REFERENCE_TOLERANCE);
    /* a natural map of 1e-11 is an error in velocities of as much, times a condition of some tens */
    CHECK_BELOW(reference->velocity_difference, 1e-9);
    CHECK_BELOW(reference->force_difference, 1e-9);
}

/* ---- known solutions ---- */

TEST(a_block_slides) {
    for (int frozen = 0; frozen < 2; frozen++) {
        bench b = make_bench("incline", SETTINGS("angle", "0.5", "mu", "0.3", "mass", "3"), frozen);
        const nb_snapshot *s = &b.reference.solution;
        const double *u = s->u + 6 * (s->bodies - 1);
        double normal = 0, friction = 0;
        check_agreement(&b.reference);
        CHECK_NEAR(sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), b.h * 9.81 * (sin(0.5) - 0.3 * cos(0.5)), 1e-10);
        for (int32_t i = 0; i < s->contacts; i++) {
            normal += s->lambda_normal[i];
            friction += hypot(s->lambda_friction[2 * i], s->lambda_friction[2 * i + 1]);
        }
        /* 1e-11 m/s over h, times the mass */
        CHECK_NEAR(normal, 3 * 9.81 * cos(0.5), 1e-7);
        CHECK_NEAR(friction, 0.3 * 3 * 9.81 * cos(0.5), 1e-7);
        drop_bench(&b);
    }
}

TEST(a_block_rests) {
    bench b = make_bench("incline", SETTINGS("angle", "0.25", "mu", "0.5"), 0);
    const nb_snapshot *s = &b.reference.solution;
    for (int k = 0; k < 6; k++) CHECK_NEAR(s->u[6 * (s->bodies - 1) + k], 0, 1e-10);
    check_agreement(&b.reference);
    drop_bench(&b);
}

/* the ground carries five boxes of 8, 64, 512, 4096, 32768 kg; the highest interface the last */
TEST(the_stack_bears_its_weight) {
    bench b = make_bench("heavy-stack", no_settings, 0);
    const nb_snapshot *s = &b.reference.solution;
    double least = INFINITY, ground = 0;
    check_agreement(&b.reference);
    for (int32_t i = 0; i < s->contacts; i++) least = fmin(least, s->contact_point[3 * i + 2]);
    for (int32_t i = 0; i < s->contacts; i++)
        if (s->contact_point[3 * i + 2] < least + 0.5) ground += s->lambda_normal[i];
    CHECK_NEAR(ground, 9.81 * (8 + 64 + 512 + 4096 + 32768), 1e-3); /* 1e-11 m/s x 37448 kg over h is 5e-5 N */
    CHECK_NEAR(b.reference.masses.total, 8 + 64 + 512 + 4096 + 32768, 1e-9);
    drop_bench(&b);
}

TEST(methods_agree_on_the_scenes) {
    static const char *const scenes[] = {"arch", "beam", "wall"};
    for (int i = 0; i < 3; i++) {
        bench b = make_bench(scenes[i], no_settings, 0);
        check_agreement(&b.reference);
        drop_bench(&b);
    }
    bench b = make_bench("piling", SETTINGS("count", "12", "shape", "box"), 0);
    check_agreement(&b.reference);
    drop_bench(&b);
}

/* ---- the errors ---- */

static nb_errors errors_of(const bench *b, const nb_snapshot *solution) {
    nb_errors errors;
    nb_measure_solution_errors(b->measure, solution, &errors);
    return errors;
}

TEST(none_without_a_reference) {
    bench b = make_bench("incline", no_settings, 0);
    assert_true(isnan(errors_of(&b, &b.reference.solution).velocity_error));
    assert_true(isnan(errors_of(&b, &b.reference.solution).force_error));
    CHECK_OK(nb_measure_set_reference(b.measure, &b.reference.solution));
    CHECK_NEAR(errors_of(&b, &b.reference.solution).velocity_error, 0, 0);
    CHECK_NEAR(errors_of(&b, &b.reference.solution).force_error, 0, 0);
    CHECK_OK(nb_measure_begin(b.measure, b.world, b.contacts, b.h, NB_GEOMETRY_UPDATED)); /* a new step */
    assert_true(isnan(errors_of(&b, &b.reference.solution).velocity_error));
    drop_bench(&b);
}

/* a block of 2 kg, 1 x 1 x 0.1 m: what a change of velocity, turn and force is worth */
TEST(errors_are_norms_of_velocities) {
    bench b = make_bench("incline", SETTINGS("mass", "2"), 1);
    nb_snapshot *s = &b.reference.solution;
    double *u = s->u + 6 * (s->bodies - 1);
    CHECK_OK(nb_measure_set_reference(b.measure, s));
    double z = s->lambda_normal[0];
    u[0] += 0.3, u[1] -= 0.4;
    CHECK_NEAR(errors_of(&b, s).velocity_error, 0.5, 1e-14);
    CHECK_NEAR(errors_of(&b, s).force_error, 0, 1e-14); /* a frozen geometry knows no other arms */
    u[0] -= 0.3, u[1] += 0.4;
    u[4] += 0.6; /* about the axis across the slope: moment 2 (1 + 0.01)/12 kg m^2 */
    CHECK_NEAR(errors_of(&b, s).velocity_error, 0.6 * sqrt(1.01 / 12), 1e-14);
    u[4] -= 0.6;
    s->lambda_normal[0] += 1 / b.h; /* 1 N s at a corner */
    /* |J^T|_{M^-1}: 1/m for the push, r^2/I for the turn about the diagonal, over the total mass; a corner is half the
     * square's diagonal away */
    CHECK_NEAR(errors_of(&b, s).force_error, sqrt((0.5 + 0.5 / (2 * 1.01 / 12)) / 2), 1e-12);
    CHECK_NEAR(errors_of(&b, s).velocity_error, 0, 1e-14);
    s->lambda_normal[0] = z;
    CHECK_NEAR(errors_of(&b, s).force_error, 0, 1e-14);
    drop_bench(&b);
}

/* what the four corners of a block can bear beside each other: no force and no torque */
static void add_null_vector(const nb_snapshot *s, const bench *b, double size, nb_snapshot *to) {
    const double *x = s->q_before + 7 * (s->bodies - 1);
    assert_int_equal(s->contacts, 4);
    for (int32_t i = 0; i < 4; i++) {
        const double *point = s->contact_point + 3 * i, *t = s->contact_tangent + 6 * i;
        double arm[3] = {point[0] - x[0], point[1] - x[1], point[2] - x[2]};
        double along = arm[0] * t[0] + arm[1] * t[1] + arm[2] * t[2];
        double across = arm[0] * t[3] + arm[1] * t[4] + arm[2] * t[5];
        /* +, -, +, - round the block; the tangents of a plane are alike in all, and are square to its sides */
        to->lambda_normal[i] += (along * across > 0 ? size : -size) / b->h;
    }
}

TEST(redundant_forces_do_not_count) {
    bench b = make_bench("incline", SETTINGS("angle", "0.5", "mu", "0.3"), 0);
    nb_snapshot *s = &b.reference.solution;
    CHECK_OK(nb_measure_set_reference(b.measure, s));
    /* an iterate that is wrong by 1 N s at one corner */
    s->lambda_normal[1] += 1 / b.h;
    double error = errors_of(&b, s).force_error;
    assert_true(error > 1);
    add_null_vector(s, &b, 2.5, s);
    CHECK_NEAR(errors_of(&b, s).force_error, error, 1e-12); /* round-off of impulses of order one */
    /* it is nothing that a measure of its own impulses would miss */
    assert_true(errors_of(&b, s).natural_map > 0.1);
    s->lambda_normal[1] -= 1 / b.h;
    CHECK_NEAR(errors_of(&b, s).force_error, 0, 1e-12);
    /* another choice of the reference's own forces: the same error of the same iterate */
    CHECK_OK(nb_measure_set_reference(b.measure, s));
    add_null_vector(s, &b, -2.5, s);
    s->lambda_normal[1] += 1 / b.h;
    CHECK_NEAR(errors_of(&b, s).force_error, error, 1e-12);
    drop_bench(&b);
}

/* where momentum is balanced, in a frozen geometry, forces and velocities are wrong alike */
TEST(errors_agree_where_momentum_is_balanced) {
    bench b = make_bench("arch", no_settings, 1);
    nb_snapshot *s = &b.reference.solution;
    uint64_t seed = 3;
    CHECK_OK(nb_measure_set_reference(b.measure, s));
    for (int32_t i = 0; i < s->contacts; i++) s->lambda_normal[i] += test_random(&seed, -1, 1) / b.h;
    nb_errors errors = errors_of(&b, s);
    memcpy(s->u, nb_measure_velocities_of_forces(b.measure), 6 * (size_t)s->bodies * sizeof *s->u);
    assert_true(errors.force_error > 1e-3);
    CHECK_NEAR(errors_of(&b, s).velocity_error, errors.force_error, 1e-10); /* the reference's own momentum error */
    drop_bench(&b);
}

/* ---- whose solution it is ---- */

static nb_reference_solution reference_of(const bench *b, const char *own) {
    nb_reference_solution reference = {0};
    CHECK_OK(nb_converge(b->world, b->contacts, b->h, NB_GEOMETRY_UPDATED, own, &reference));
    return reference;
}

/* A run is held against the other method's solution. */
TEST(a_method_is_not_its_own_reference) {
    static const char *const methods[] = {"interior-point", "newton"};
    bench b = make_bench("incline", SETTINGS("angle", "0.5", "mu", "0.3"), 0);
    for (int i = 0; i < 2; i++) {
        nb_reference_solution reference = reference_of(&b, methods[i]);
        assert_string_equal(reference.used.method, methods[!i]);
        assert_string_equal(reference.other.method, methods[i]);
        CHECK_BELOW(reference.used.natural_map_error, NB_REFERENCE_REACHED);
        assert_true(reference.velocity_difference > 0);
        CHECK_BELOW(reference.velocity_difference, NB_REFERENCE_REACHED);
        nb_reference_solution_clear(&reference);
    }
    drop_bench(&b);
}

/* A hair above the angle of friction newton's lagged friction leaves even the solution (formulation.md, "Scalings"):
 * interior-point's stands alone, is the others' reference and not its own. */
TEST(a_lonely_solution_judges_the_others) {
    bench b = make_bench("incline", SETTINGS("angle", "0.5", "mu", "0.5463"), 0);
    nb_reference_solution of_newton = reference_of(&b, "newton"), of_itself = reference_of(&b, "interior-point");
    assert_string_equal(of_newton.used.method, "interior-point");
    assert_true(of_newton.other.natural_map_error > NB_REFERENCE_REACHED);
    assert_non_null(of_newton.solution.q);
    assert_null(of_itself.solution.q);
    assert_string_equal(of_itself.used.method, "interior-point");
    CHECK_BELOW(of_itself.used.natural_map_error, NB_REFERENCE_REACHED);
    nb_reference_solution_clear(&of_newton);
    nb_reference_solution_clear(&of_itself);
    drop_bench(&b);
}

/* A box between the ground and a press that comes down has no place to go: there is no solution, and none is made up.
 */
TEST(no_solution_is_no_reference) {
    bench b = make_bench("incline", SETTINGS("angle", "0"), 0);
    int32_t press, shape = b.world->bodies[1].shape;
    CHECK_OK(nb_world_add_solid(b.world, NB_BODY_KINEMATIC, shape, 0, 0.3, nb_vec3_of(0, 0, 0.15), nb_quat_identity(),
                                &press));
    b.world->bodies[press].linear_velocity = nb_vec3_of(0, 0, -1);
    CHECK_OK(nb_contacts_detect(b.world, b.h, b.contacts));
    for (int i = 0; i < 3; i++) {
        nb_reference_solution reference = reference_of(&b, (const char *const[]){NULL, "newton", "interior-point"}[i]);
        nb_checks checks = {0};
        assert_null(reference.solution.q);
        assert_true(reference.used.natural_map_error > NB_REFERENCE_REACHED);
        nb_reference_solution_check(&reference, reference.used.natural_map_error, b.world, &checks);
        assert_int_equal(checks.count, 1);
        assert_false(checks.items[0].passed);
        nb_reference_solution_clear(&reference);
    }
    drop_bench(&b);
}

/* The second time it comes from memory, to the last bit, and for another method too; another step does not. */
/* ---- several solutions ---- */

/* A block on level ground that slides and spins: its four corners' normal forces are open by (1, -1, 1, -1), and as
 * slips differ in direction, so are friction's force and torque, and the velocities. */
static bench make_spinning_block(const char *own) {
    bench b = make_bench("incline", SETTINGS("angle", "0", "mu", "0.5"), 1);
    nb_body *block = &b.world->bodies[b.world->body_count - 1];
    block->linear_velocity = nb_vec3_of(0.5, 0.3, 0);
    block->angular_velocity = nb_vec3_of(0, 0, 1.5);
    CHECK_OK(nb_contacts_detect(b.world, b.h, b.contacts));
    CHECK_OK(nb_measure_begin(b.measure, b.world, b.contacts, b.h, 1));
    CHECK_OK(nb_converge(b.world, b.contacts, b.h, 1, own, &b.reference));
    return b;
}

/* by the snapshot alone: momentum, the cone, and friction at its bound against the slip */
static void check_exact(const bench *b, const nb_snapshot *s) {
    nb_momentum_defect defect;
    CHECK_OK(nb_momentum_balance(b->world, s, &defect));
    CHECK_BELOW(defect.linear, 1e-9);
    CHECK_BELOW(defect.angular, 1e-9);
    assert_int_equal(s->contacts, 4);
    for (int i = 0; i < 4; i++) {
        const double *force = s->lambda_friction + 2 * (ptrdiff_t)i, *slip = s->slip + 2 * (ptrdiff_t)i;
        const double bound = 0.5 * s->lambda_normal[i], speed = hypot(slip[0], slip[1]);
        assert_true(s->lambda_normal[i] >= 0);
        CHECK_NEAR(s->gap[i], 0, 1e-10);
        assert_true(speed > 0.01); /* every corner slides */
        /* 1e-8 m/s over h times the mass of 1 kg, relative to the weight of 10 N */
        for (int k = 0; k < 2; k++) CHECK_NEAR(force[k], -bound * slip[k] / speed, 1e-6);
    }
}

TEST(a_block_that_slides_and_spins_has_several) {
    static const char *const methods[] = {NULL, "newton", "interior-point"};
    for (int i = 0; i < 3; i++) { /* whichever asks, the first is interior-point's */
        bench b = make_spinning_block(methods[i]);
        const nb_reference_solution *r = &b.reference;
        assert_string_equal(r->used.method, "interior-point");
        assert_string_equal(r->other.method, "newton");
        check_exact(&b, &r->solution);
        check_exact(&b, &r->second);
        assert_true(nb_reference_solution_apart(r) > 1e-4);
        CHECK_NEAR(nb_reference_solution_apart(r), r->velocity_difference, 0);
        /* no errors against either, but the distances */
        CHECK_OK(nb_measure_set_solutions(b.measure, &r->solution, &r->second));
        const nb_errors first = errors_of(&b, &r->solution), second = errors_of(&b, &r->second);
        assert_true(isnan(first.velocity_error) && isnan(first.force_error));
        CHECK_NEAR(first.distance[0], 0, 0);
        CHECK_NEAR(second.distance[1], 0, 0);
        CHECK_NEAR(first.distance[1], r->velocity_difference, 1e-12);
        CHECK_NEAR(second.distance[0], r->velocity_difference, 1e-12);
        drop_bench(&b);
    }
    bench one = make_bench("incline", no_settings, 1); /* one solution: errors, and no distances */
    assert_null(one.reference.second.q);
    CHECK_NEAR(nb_reference_solution_apart(&one.reference), 0, 0);
    CHECK_OK(nb_measure_set_reference(one.measure, &one.reference.solution));
    assert_true(isnan(errors_of(&one, &one.reference.solution).distance[0]));
    drop_bench(&one);
}

/* a run of one step and two iterates, whose reference is the first solution and whose end is the second one, with this
 * natural map; `agreed` 1: the reference's two methods are taken to have agreed */
static nb_run *make_run(const bench *b, double natural_map, int agreed) {
    const nb_reference_solution *r = &b->reference;
    const double apart = r->velocity_difference;
    double row[NB_NEWTON_COLUMNS + NB_SOLUTION_COLUMNS] = {0}, step[NB_STEP_COLUMNS] = {0};
    nb_run *run;
    CHECK_OK(nb_run_create(&run));
    strcpy(run->info.method, "psor");
    CHECK_OK(nb_run_set_newton_columns(run, nb_solution_columns, NB_SOLUTION_COLUMNS));
    CHECK_OK(nb_members_copy(&nb_reference_solution_members, r, &run->reference));
    CHECK_OK(nb_snapshot_copy(&r->second, &run->final));
    run->final.error = natural_map;
    if (agreed) {
        nb_snapshot_clear(&run->reference.second);
        run->reference.velocity_difference = 1e-12;
    }
    for (int i = 0; i < 2; i++) {
        row[NB_NEWTON_NATURAL_MAP_ERROR] = i ? natural_map : 0.1;
        row[NB_NEWTON_VELOCITY_ERROR] = agreed ? (i ? apart : 0.2) : NAN;
        row[NB_NEWTON_FORCE_ERROR] = row[NB_NEWTON_VELOCITY_ERROR];
        row[NB_NEWTON_COLUMNS] = agreed ? NAN : i ? apart : 0.2;
        row[NB_NEWTON_COLUMNS + 1] = agreed ? NAN : i ? 0 : 0.3;
        CHECK_OK(nb_run_add_newton(run, row));
    }
    CHECK_OK(nb_run_add_step(run, step));
    return run;
}

/* Where both methods agree and the run ends at another solution, that is the second one; errors become distances. */
TEST(a_run_may_find_the_second) {
    bench b = make_spinning_block(NULL);
    const double apart = b.reference.velocity_difference;
    double distance[2];
    nb_run *run = make_run(&b, 1e-11, 1);
    CHECK_OK(nb_run_take_second_solution(run));
    assert_string_equal(run->reference.other.method, "psor");
    CHECK_NEAR(nb_reference_solution_apart(&run->reference), apart, 0);
    assert_memory_equal(run->reference.second.u, run->final.u, 12 * sizeof(double));
    for (int i = 0; i < 2; i++) {
        const double *row = nb_run_newton_row(run, i);
        assert_true(isnan(row[NB_NEWTON_VELOCITY_ERROR]) && isnan(row[NB_NEWTON_FORCE_ERROR]));
        CHECK_NEAR(row[NB_NEWTON_COLUMNS], i ? apart : 0.2, 0);
    }
    assert_int_equal(nb_run_solution(run, distance), NB_SOLUTION_SECOND);
    CHECK_NEAR(distance[0], apart, 0);
    CHECK_NEAR(distance[1], 0, 0);
    nb_run_destroy(run);
    run = make_run(&b, 1e-7, 1); /* no solution: its error stays one */
    CHECK_OK(nb_run_take_second_solution(run));
    assert_null(run->reference.second.q);
    CHECK_NEAR(nb_run_newton_row(run, 1)[NB_NEWTON_VELOCITY_ERROR], apart, 0);
    assert_int_equal(nb_run_solution(run, NULL), NB_SOLUTION_NONE);
    nb_run_destroy(run);
    run = make_run(&b, 1e-11, 0); /* known before: nothing changes */
    CHECK_OK(nb_run_take_second_solution(run));
    assert_string_equal(run->reference.other.method, "newton");
    assert_int_equal(nb_run_solution(run, NULL), NB_SOLUTION_SECOND);
    nb_run_destroy(run);
    run = make_run(&b, 1e-7, 0); /* near the second one, and no solution */
    assert_int_equal(nb_run_solution(run, NULL), NB_SOLUTION_NONE);
    nb_run_destroy(run);
    drop_bench(&b);
}

/* far apart: a root of the natural map, at least 1e-6 m/s; and both are solutions */
TEST(what_is_apart) {
    assert_true(nb_reference_solutions_differ(1e-14, 1e-14, 1.1e-6));
    assert_false(nb_reference_solutions_differ(1e-14, 1e-14, 0.9e-6));
    assert_false(nb_reference_solutions_differ(1e-14, 1e-10, 0.9e-5));
    assert_true(nb_reference_solutions_differ(1e-10, 1e-14, 1.1e-5));
    assert_false(nb_reference_solutions_differ(1e-14, 1.1e-8, 1));
    assert_false(nb_reference_solutions_differ(1e-14, 1e-14, NAN));
    assert_false(nb_reference_solutions_differ(NAN, 1e-14, 1));
    assert_false(nb_reference_solutions_differ(1e-14, NAN, 1));
}

TEST(the_same_step_is_solved_once) {
    bench b = make_bench("heavy-stack", no_settings, 0);
    nb_reference_solution again = reference_of(&b, NULL);
    CHECK_NEAR(again.seconds, b.reference.seconds, 0);
    assert_memory_equal(again.solution.u, b.reference.solution.u, 6 * (size_t)again.solution.bodies * sizeof(double));
    CHECK_NEAR(again.velocity_difference, b.reference.velocity_difference, 0);
    nb_reference_solution of_newton = reference_of(&b, "newton"), of_other = reference_of(&b, "interior-point");
    CHECK_NEAR(of_newton.seconds, again.seconds, 0);
    assert_string_not_equal(of_newton.used.method, of_other.used.method);
    double mass = b.world->bodies[1].mass;
    b.world->bodies[1].mass *= 1 + 1e-15;
    nb_reference_solution heavier = reference_of(&b, NULL);
    assert_true(heavier.seconds != again.seconds);
    b.world->bodies[1].mass = mass; /* another step in between */
    nb_reference_solution between = reference_of(&b, NULL);
    b.world->bodies[1].mass *= 1 + 1e-15;
    nb_reference_solution anew = reference_of(&b, NULL);
    assert_true(anew.seconds != heavier.seconds);
    assert_memory_equal(anew.solution.u, heavier.solution.u, 6 * (size_t)anew.solution.bodies * sizeof(double));
    nb_reference_solution *all[] = {&again, &of_newton, &of_other, &heavier, &between, &anew};
    for (int i = 0; i < 6; i++) nb_reference_solution_clear(all[i]);
    drop_bench(&b);
}

/* ---- side effects ---- */

TEST(the_world_stays) {
    bench b = make_bench("beam", no_settings, 0);
    size_t size = (size_t)b.world->body_count * sizeof *b.world->bodies;
    nb_body *before = malloc(size);
    assert_non_null(before);
    double time = b.world->time;
    memcpy(before, b.world->bodies, size);
    for (int left = 0, failing = 1; failing; left = left * 5 / 4 + 1) {
        nb_reference_solution reference = {0};
        double h = b.h * (1 + 1e-12 * (1 + left)); /* no step that was solved before */
        nb_allocation_fail_after(left);
        nb_status status = nb_converge(b.world, b.contacts, h, NB_GEOMETRY_UPDATED, "newton", &reference);
        nb_allocation_fail_after(-1);
        failing = status != NB_OK;
        if (failing) {
            assert_int_equal(status, NB_ERROR_MEMORY);
            assert_null(reference.solution.q);
        }
        assert_memory_equal(before, b.world->bodies, size);
        CHECK_NEAR(b.world->time, time, 0);
        nb_reference_solution_clear(&reference);
    }
    free(before);
    drop_bench(&b);
}

TEST(checks_name_the_reference) {
    bench b = make_bench("heavy-stack", no_settings, 0);
    nb_checks checks = {0};
    nb_reference_solution_check(&b.reference, b.reference.used.natural_map_error, b.world, &checks);
    assert_true(checks.count > 5);
    for (int i = 0; i < checks.count; i++) {
        assert_non_null(strstr(checks.items[i].name, "reference: "));
        assert_true(checks.items[i].passed);
    }
    b.reference.used.natural_map_error = 1e-6;
    b.reference.solution.lambda_normal[0] = -1e5;
    checks.count = 0;
    nb_reference_solution_check(&b.reference, b.reference.used.natural_map_error, b.world, &checks);
    int failed = 0;
    for (int i = 0; i < checks.count; i++) failed += !checks.items[i].passed;
    assert_true(failed >= 3); /* the natural map, the pull, and momentum */
    drop_bench(&b);
}

RUN_TESTS(a_block_slides, a_block_rests, the_stack_bears_its_weight, methods_agree_on_the_scenes,
          none_without_a_reference, errors_are_norms_of_velocities, redundant_forces_do_not_count,
          errors_agree_where_momentum_is_balanced, a_method_is_not_its_own_reference,
          a_lonely_solution_judges_the_others, no_solution_is_no_reference, a_block_that_slides_and_spins_has_several,
          a_run_may_find_the_second, what_is_apart, the_same_step_is_solved_once, the_world_stays,
          checks_name_the_reference)
