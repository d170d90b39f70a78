/* Contacts detected again within a step, by a method of this file that alternates with the Newton method until no more
 * come: answers worked out by hand, random scenes, islands, and scenes in which there is nothing to find. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "constraint/step.h"
#include "contact/detection.h"
#include "measure/iterate.h"
#include "model/drive.h"
#include "registry.h"
#include "run/resolve.h"
#include "step/stepper.h"

NB_PRECISIONS(f32, f64);

#define nb_stepper NB_REAL_NAME(nb_stepper)
#define nb_newton_method NB_REAL_NAME(nb_newton_method)

static const double h = 0.01, margin = 1e-3, tolerance = NB_REAL_BITS == 32 ? 2e-5 : 1e-9; /* of velocities [m/s] */

/* ---- a method that detects: Newton's, again as long as contacts come ---- */

typedef struct detecting {
    nb_method base;
    nb_method *newton;
} detecting;

/* what the last step made */
static int32_t solves, islands_before, islands_after;

static void detecting_destroy(nb_method *self) {
    detecting *d = (detecting *)self;
    if (d && d->newton) d->newton->type->destroy(d->newton);
    nb_free(d);
}

static nb_status detecting_create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    nb_status status;
    detecting *d;
    const nb_method_class *newton;
    NB_TRY(nb_method_find("newton", &newton));
    NB_TRY(NB_ALLOCATE(1, &d));
    d->base.type = type;
    *self = &d->base;
    NB_TRY(newton->create(newton, settings, &d->newton));
out:
    return status;
}

static nb_status detecting_step(nb_method *self, nb_problem *problem, nb_measure *measure, const nb_observer *observer,
                                nb_step_outcome *outcome) {
    detecting *d = (detecting *)self;
    nb_status status;
    int32_t added = 1;
    islands_before = problem->island_count;
    for (solves = 0; added > 0 && solves < 50; solves++) {
        NB_TRY(d->newton->type->step(d->newton, problem, measure, observer, outcome));
        NB_TRY(nb_measure_detect(measure, problem, &added));
    }
    islands_after = problem->island_count;
out:
    return status;
}

static const nb_method_class detecting_method = {
    .name = "detecting",
    .summary = "Newton's method, and detection again, until no contacts come",
    .newton_iterations = 0,
    .create = detecting_create,
    .step = detecting_step,
    .destroy = detecting_destroy,
};

/* in place of the table of solvers/method */
extern const nb_method_class nb_newton_method;
const nb_method_class *const nb_methods[] = {&nb_newton_method, &detecting_method, NULL};

/* ---- a world and a method ---- */

typedef struct bench {
    nb_request request;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    void *stepper;
    nb_snapshot final;
    nb_step_outcome outcome;
    nb_step_counts counts;
} bench;

static bench open_bench(void) {
    bench b = {0};
    CHECK_OK(nb_world_create(&b.world));
    CHECK_OK(nb_contacts_create(&b.contacts));
    CHECK_OK(nb_measure_create(&b.measure));
    b.world->settings.contact_margin = margin;
    b.world->gravity = nb_vec3_of(0, 0, 0);
    return b;
}

static void close_bench(bench *b) {
    nb_world_destroy(b->world);
    nb_contacts_destroy(b->contacts);
    nb_measure_destroy(b->measure);
    if (b->stepper) nb_stepper.destroy(b->stepper);
    nb_snapshot_clear(&b->final);
}

/* the world's next step by this method */
static void make_step(bench *b, const char *method, const char *islands, int frozen) {
    if (!b->stepper) {
        nb_request *request = &b->request;
        nb_request_standard(request);
        strcpy(request->info.scenario, "wall"); /* any: the options are those of newton */
        strcpy(request->info.linear_solver, "dense-cholesky");
        strcpy(request->info.preconditioner, "none");
        request->info.newton_iterations = 300;
        request->info.newton_tolerance = tolerance;
        CHECK_OK(nb_request_set_option(request, "islands", islands));
        CHECK_OK(nb_request_resolve(request));
        const nb_method_settings settings = nb_request_settings(request);
        CHECK_OK(nb_stepper.create(method, &settings, &b->stepper));
    }
    CHECK_OK(nb_contacts_detect(b->world, h, b->contacts));
    CHECK_OK(nb_stepper.begin(b->stepper, b->world, b->contacts, h, frozen));
    CHECK_OK(nb_measure_begin(b->measure, b->world, b->contacts, h, frozen));
    CHECK_OK(
        nb_stepper.step(b->stepper, b->world, b->contacts, h, 0, b->measure, NULL, &b->outcome, &b->counts, &b->final));
}

static int32_t add_shape(bench *b, nb_shape *shape) {
    int32_t index;
    CHECK_OK(nb_world_add_shape(b->world, shape, &index));
    return index;
}

static int32_t sphere(bench *b, double radius) {
    nb_shape *shape;
    CHECK_OK(nb_shape_sphere(radius, &shape));
    return add_shape(b, shape);
}

static int32_t box(bench *b, double x, double y, double z) {
    nb_shape *shape;
    CHECK_OK(nb_shape_box(nb_vec3_of(x, y, z), &shape));
    return add_shape(b, shape);
}

static nb_body *add(bench *b, nb_body_kind kind, int32_t shape, nb_vec3 position) {
    int32_t index;
    CHECK_OK(nb_world_add_solid(b->world, kind, shape, 1, 0.5, position, nb_quat_identity(), &index));
    return &b->world->bodies[index];
}

static void add_floor(bench *b) {
    nb_shape *shape;
    CHECK_OK(nb_shape_half_space(&shape));
    add(b, NB_BODY_FIXED, add_shape(b, shape), nb_vec3_of(0, 0, 0));
}

/* ---- answers by hand ---- */

/* Spheres of 1 kg in a row, `gap` apart; the first one comes with 20 m/s. Each is pushed into the next, which only the
 * velocities of the iterate tell. At the end neighbours are in touch: velocities fall by gap/h from one to the next. */
TEST(a_row_of_spheres) {
    enum {
        SPHERES = 5
    };
    const double gap = 0.01, radius = 0.1;
    for (int frozen = 0; frozen < 2; frozen++) {
        bench b = open_bench();
        int32_t shape = sphere(&b, radius);
        for (int i = 0; i < SPHERES; i++) add(&b, NB_BODY_DYNAMIC, shape, nb_vec3_of(i * (2 * radius + gap), 0, 0));
        b.world->bodies[0].linear_velocity.x = 20;
        make_step(&b, "detecting", "off", frozen);
        assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
        assert_int_equal(solves, SPHERES - 1); /* each finds one contact more, the last none */
        assert_int_equal(b.counts.contacts, SPHERES - 1);
        assert_int_equal(b.final.contacts, SPHERES - 1);
        CHECK_BELOW(b.outcome.errors.natural_map, tolerance);
        double last = (20 - gap / h * SPHERES * (SPHERES - 1) / 2) / SPHERES, impulse = 20;
        for (int i = 0; i < SPHERES; i++) {
            double v = last + gap / h * (SPHERES - 1 - i);
            CHECK_NEAR(b.final.u[6 * i], v, 20 * tolerance);
            CHECK_NEAR(b.world->bodies[i].linear_velocity.x, v, 20 * tolerance);
            impulse -= v;
            if (i + 1 == SPHERES) break;
            assert_int_equal(b.final.contact_bodies[2 * i], i);
            assert_int_equal(b.final.contact_bodies[2 * i + 1], i + 1);
            CHECK_NEAR(b.final.lambda_normal[i] * h, impulse, 20 * tolerance);
            CHECK_NEAR(b.final.gap[i], 0, h * 20 * tolerance);
        }
        close_bench(&b);
    }
    /* what it takes: without detection the second one goes through the third */
    bench b = open_bench();
    int32_t shape = sphere(&b, radius);
    for (int i = 0; i < 3; i++) add(&b, NB_BODY_DYNAMIC, shape, nb_vec3_of(i * (2 * radius + gap), 0, 0));
    b.world->bodies[0].linear_velocity.x = 20;
    make_step(&b, "newton", "off", 0);
    assert_int_equal(b.final.contacts, 1);
    CHECK_NEAR(b.final.u[6], 9.5, 20 * tolerance);
    CHECK_NEAR(b.final.u[12], 0, 0);
    close_bench(&b);
}

/* A box at rest over the floor, out of reach, with a force that takes it there within the step: detection at the start
 * knows velocities and gravity alone. It ends on its four lower vertices, and the floor takes what is left. */
TEST(a_force_takes_a_box_to_the_floor) {
    const double gap = 0.02, speed = 5;
    bench b = open_bench();
    add_floor(&b);
    nb_body *body = add(&b, NB_BODY_DYNAMIC, box(&b, 0.1, 0.2, 0.1), nb_vec3_of(0.3, -2, 0.1 + gap));
    body->force.z = -speed / h;
    make_step(&b, "detecting", "off", 0);
    assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
    assert_int_equal(solves, 2);
    assert_int_equal(b.final.contacts, 4);
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += b.final.lambda_normal[i] * h;
    CHECK_NEAR(sum, speed - gap / h, 10 * tolerance);
    for (int k = 0; k < 6; k++) CHECK_NEAR(b.final.u[6 + k], k == 2 ? -gap / h : 0, 10 * tolerance);
    CHECK_NEAR(b.world->bodies[1].position.z, 0.1, h * 10 * tolerance);
    /* the next step has them from its start, and their impulses from this one */
    b.world->bodies[1].force.z = -1 / h;
    make_step(&b, "detecting", "off", 0);
    assert_int_equal(solves, 1);
    CHECK_NEAR(b.final.u[6 + 2], 0, 10 * tolerance);
    close_bench(&b);
}

/* Two pairs of spheres in a row are an island each until the first pair reaches the second. */
TEST(islands_meet) {
    const double x[] = {0, 0.21, 0.43, 0.63}, v[] = {4.25, 3.25, 1.25, 1.25}; /* gaps 0.01, 0.02, 0; 20 m/s less */
    static const char *const choice[] = {"off", "on"};
    for (int islands = 0; islands < 2; islands++) {
        bench b = open_bench();
        int32_t shape = sphere(&b, 0.1);
        for (int i = 0; i < 4; i++) add(&b, NB_BODY_DYNAMIC, shape, nb_vec3_of(x[i], 0, 0));
        b.world->bodies[0].linear_velocity.x = 10;
        make_step(&b, "detecting", choice[islands], 0);
        assert_int_equal(islands_before, 2);
        assert_int_equal(islands_after, 1);
        assert_int_equal(b.counts.islands, 1);
        assert_int_equal(b.counts.largest_island, 3);
        for (int i = 0; i < 4; i++) CHECK_NEAR(b.final.u[6 * i], v[i], 20 * tolerance);
        close_bench(&b);
    }
}

/* ---- where there is nothing to find ---- */

static void stack_boxes(bench *b) {
    int32_t shape = box(b, 0.2, 0.2, 0.1);
    b->world->gravity.z = -9.81;
    add_floor(b);
    for (int i = 0; i < 3; i++) add(b, NB_BODY_DYNAMIC, shape, nb_vec3_of(0.05 * i, 0.02 * i, 0.1 + 0.2 * i));
}

TEST(nothing_new_changes_nothing) {
    bench plain = open_bench(), detected = open_bench();
    stack_boxes(&plain);
    stack_boxes(&detected);
    for (int step = 0; step < 5; step++) {
        make_step(&plain, "newton", "off", 0);
        make_step(&detected, "detecting", "off", 0);
        assert_int_equal(solves, 1);
        assert_true(plain.final.contacts >= 12);
        assert_int_equal(plain.final.contacts, detected.final.contacts);
        assert_memory_equal(plain.final.u, detected.final.u, 24 * sizeof(double));
        assert_memory_equal(plain.final.q, detected.final.q, 28 * sizeof(double));
        size_t bytes = (size_t)plain.final.contacts * sizeof(double);
        assert_memory_equal(plain.final.lambda_normal, detected.final.lambda_normal, bytes);
        assert_memory_equal(plain.final.lambda_friction, detected.final.lambda_friction, 2 * bytes);
        assert_memory_equal(plain.final.gap, detected.final.gap, bytes);
    }
    close_bench(&plain);
    close_bench(&detected);
}

/* ---- any way ---- */

/* boxes and spheres at random about a fixed box, over a floor, two and two joined, the last one prescribed */
static void random_world(bench *b, uint64_t *seed) {
    enum {
        BODIES = 14
    };
    const double compliance[6] = {0};
    b->world->settings.contact_thickness = 2e-3;
    int32_t ball = sphere(b, 0.15), brick = box(b, 0.1, 0.15, 0.2), joint;
    add_floor(b);
    add(b, NB_BODY_FIXED, brick, nb_vec3_of(0, 0, 0.5));
    for (int i = 0; i < BODIES; i++) {
        nb_vec3 place = {test_random(seed, -1, 1), 0, 0};
        place.y = test_random(seed, -1, 1);
        place.z = test_random(seed, 0.2, 1.2);
        nb_body *body = add(b, i == BODIES - 1 ? NB_BODY_KINEMATIC : NB_BODY_DYNAMIC, i % 3 == 0 ? ball : brick, place);
        body->orientation = nb_quat_about(nb_normalized(place), test_random(seed, -3, 3));
        if (i == BODIES - 1) body->linear_velocity = body->angular_velocity = nb_vec3_of(2, -1, 1);
    }
    for (int i = 0; i < 2; i++) /* the first one between later bodies */
        CHECK_OK(nb_world_add_joint_at(b->world, i == 0 ? NB_JOINT_REVOLUTE : NB_JOINT_SPHERICAL, 6 - 4 * i, 7 - 4 * i,
                                       nb_vec3_of(i, 0, 1), nb_quat_identity(), compliance, &joint));
}

static void random_iterate(nb_problem *p, int32_t bodies, uint64_t *seed, double speed) {
    for (int32_t i = 0; i < 6 * (bodies - 1); i++)
        p->u[i] = i < 12 ? R(0) : R(test_random(seed, -speed, speed)); /* the first two are fixed */
    for (int32_t r = 0; r < p->rows; r++) p->z[r] = R(test_random(seed, 0, 1));
    p->type->evaluate(p, NULL);
}

static int same_name(const nb_contact *a, const nb_contact *b) {
    return a->body_a == b->body_a && a->body_b == b->body_b && a->feature == b->feature;
}

/* the place of a contact of this name in the list, or -1 */
static int32_t place_of(const nb_contacts *contacts, const nb_contact *contact) {
    for (int32_t i = 0; i < contacts->count; i++)
        if (same_name(&contacts->items[i], contact)) return i;
    return -1;
}

/* what a step had before a detection */
typedef struct past {
    nb_contacts *contacts; /* copies */
    real *z, *u, *joints;  /* by contacts as listed; by velocities; by rows of the world's joints */
    int32_t joints_count;
} past;

static void *copy_of(const void *from, size_t size) {
    void *to = test_malloc(size + 1);
    if (size > 0) memcpy(to, from, size);
    return to;
}

static past remember(nb_step *step) {
    const nb_problem *p = nb_step_problem(step);
    const nb_contacts *contacts = nb_step_contacts(step);
    past was = {.contacts = test_calloc(1, sizeof *was.contacts)};
    was.contacts->count = contacts->count;
    was.contacts->items = copy_of(contacts->items, (size_t)contacts->count * sizeof *contacts->items);
    was.u = copy_of(p->u, (size_t)p->velocities * sizeof(real));
    was.z = test_malloc((size_t)(3 * p->contacts + 1) * sizeof(real));
    was.joints = test_malloc((size_t)(p->bilaterals + 1) * sizeof(real));
    for (int32_t r = 0; r < p->bilaterals; r++) was.joints[nb_step_bilateral_order(step)[r]] = p->z[r];
    for (int32_t i = 0; i < p->contacts; i++)
        memcpy(was.z + 3 * nb_step_contact_order(step)[i], p->z + p->bilaterals + 3 * i, 3 * sizeof(real));
    return was;
}

static void forget(past *was) {
    test_free(was->contacts->items);
    test_free(was->contacts);
    test_free(was->u);
    test_free(was->z);
    test_free(was->joints);
}

/* the contacts of the world with its bodies where u takes them */
static void look(const nb_world *world, const nb_problem *p, nb_contacts *found) {
    nb_world moved = *world;
    moved.bodies = copy_of(world->bodies, (size_t)world->body_count * sizeof *world->bodies);
    for (int32_t i = 0; i < world->body_count; i++) {
        const real *u = p->u + 6 * (ptrdiff_t)i;
        nb_body *body = &moved.bodies[i];
        nb_vec3 v = {(double)u[0], (double)u[1], (double)u[2]}, omega = {(double)u[3], (double)u[4], (double)u[5]};
        body->position = nb_add_scaled(body->position, h, v);
        body->orientation = nb_quat_advance(body->orientation, h, omega);
    }
    CHECK_OK(nb_contacts_detect(&moved, 0, found));
    test_free(moved.bodies);
}

/* What holds after every detection: what was there is as it was, what is near is there, new contacts have the gaps that
 * they were found with, and a joint's or contact's impulse is its own whatever row it has. Returns how many are new. */
static int32_t check_detected(nb_step *step, const nb_world *world, const past *was, nb_contacts *found) {
    const nb_problem *p = nb_step_problem(step);
    const nb_contacts *now = nb_step_contacts(step);
    int32_t fresh = 0;
    assert_int_equal(p->contacts, now->count);
    assert_memory_equal(p->u, was->u, (size_t)p->velocities * sizeof(real));
    for (int32_t r = 0; r < p->bilaterals; r++) assert_true(p->z[r] == was->joints[nb_step_bilateral_order(step)[r]]);
    for (int32_t i = 0; i < was->contacts->count; i++) assert_true(place_of(now, &was->contacts->items[i]) >= 0);
    look(world, p, found);
    for (int32_t i = 0; i < found->count; i++) assert_true(place_of(now, &found->items[i]) >= 0);
    for (int32_t i = 0; i < p->contacts; i++) {
        int32_t at = nb_step_contact_order(step)[i];
        const nb_contact *contact = &now->items[at];
        ptrdiff_t row = p->bilaterals + 3 * (ptrdiff_t)i;
        int32_t before = place_of(was->contacts, contact), new_one = place_of(found, contact);
        if (before >= 0) {
            assert_memory_equal(p->z + row, was->z + 3 * before, 3 * sizeof(real));
            assert_memory_equal(contact, &was->contacts->items[before], sizeof *contact);
            continue;
        }
        fresh++;
        for (int k = 0; k < 3; k++) assert_true(p->z[row + k] == 0);
        assert_true(new_one >= 0);
        /* some twenty roundings of lengths about 1 m, over h; nothing but the words of the file would be exact */
        CHECK_NEAR((double)p->value[row], found->items[new_one].gap / h, 40 * (double)NB_REAL_EPSILON / h);
    }
    return fresh;
}

TEST(random_ways) {
    uint64_t seed = test_seed();
    int64_t all = 0;
    for (int trial = 0; trial < 30; trial++) {
        bench b = open_bench();
        nb_step *step;
        nb_contacts *found;
        random_world(&b, &seed);
        CHECK_OK(nb_step_create(&step));
        CHECK_OK(nb_contacts_create(&found));
        for (int begun = 0; begun < 2; begun++) { /* a step after one that grew begins with its own contacts alone */
            CHECK_OK(nb_contacts_detect(b.world, h, b.contacts));
            CHECK_OK(nb_step_begin(step, b.world, b.contacts, h, NB_GEOMETRY_UPDATED));
            assert_ptr_equal(nb_step_contacts(step), b.contacts);
            for (int round = 0; round < 4; round++) {
                nb_problem *p = nb_step_problem(step);
                random_iterate(p, b.world->body_count, &seed, 10);
                past was = remember(step);
                int64_t epoch = p->pattern_epoch;
                int32_t added;
                CHECK_OK(nb_problem_detect(p, &added));
                assert_int_equal(check_detected(step, b.world, &was, found), added);
                assert_int_equal(p->pattern_epoch > epoch, added > 0);
                all += added;
                /* once more from there: there is nothing left to find, and nothing moves */
                const nb_problem stood = *p;
                real *value = copy_of(p->value, (size_t)p->rows * sizeof(real));
                for (int64_t again = 0, allocations = 0; again < 3; again++) { /* what stands is kept */
                    CHECK_OK(nb_problem_detect(p, &added));
                    assert_int_equal(added, 0);
                    if (again == 2) assert_int_equal(nb_allocation_count(), allocations);
                    allocations = nb_allocation_count();
                }
                assert_memory_equal(p, &stood, sizeof stood);
                assert_memory_equal(p->value, value, (size_t)p->rows * sizeof(real));
                test_free(value);
                forget(&was);
            }
        }
        nb_contacts_destroy(found);
        nb_step_destroy(step);
        close_bench(&b);
    }
    print_message("%lld contacts were found on the way\n", (long long)all);
    assert_true(all > 500);
}

/* ---- the end of a step ---- */

/* the excess that verification tells of these contacts at the end, detected without a way ahead */
static double excess_of(const nb_contacts *start, const nb_contacts *end, double most) {
    double largest = 0;
    for (int32_t i = 0; i < end->count; i++) {
        const nb_contact *at = &end->items[i];
        double before = 0;
        for (const nb_contact *c = start->items; c < start->items + start->count; c++)
            if (c->body_a == at->body_a && c->body_b == at->body_b) before = fmax(before, -c->gap);
        largest = fmax(largest, -at->gap - fmax(0, before - most));
    }
    return largest;
}

static void move_by(nb_world *world, const nb_problem *p) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const real *u = p->u + 6 * i;
        if (world->bodies[i].kind != NB_BODY_DYNAMIC) continue;
        world->bodies[i].linear_velocity = nb_vec3_of((double)u[0], (double)u[1], (double)u[2]);
        world->bodies[i].angular_velocity = nb_vec3_of((double)u[3], (double)u[4], (double)u[5]);
    }
    nb_world_move(world, h);
}

/* Verification looks along the way ahead of the end, and hides no overlap by that. What it found is handed over, bit by
 * bit what a list that knows nothing finds: `mark` tells that it was not found again. Nor is it taken where a body was
 * moved or got another shape since. */
TEST(an_end_is_the_next_start) {
    const double most = 1e-4, zero = 1e-7; /* [m] more than NB_TOUCHING times the size of a body */
    uint64_t seed = test_seed();
    int32_t overlapping = 0;
    for (int trial = 0; trial < 60; trial++) {
        const int moves = trial % 6 == 2, changes = trial % 6 == 5;
        const int32_t mark = moves || changes ? 0 : 12345;
        bench b = open_bench();
        nb_contacts *anew;
        nb_step *step;
        nb_overlap overlap;
        CHECK_OK(nb_contacts_create(&anew));
        random_world(&b, &seed);
        if (trial % 2) b.world->settings.contact_thickness = 0;
        CHECK_OK(nb_step_create(&step));
        CHECK_OK(nb_contacts_detect(b.world, h, b.contacts));
        CHECK_OK(nb_step_begin(step, b.world, b.contacts, h, NB_GEOMETRY_FROZEN));
        random_iterate(nb_step_problem(step), b.world->body_count - 1, &seed, 10);
        CHECK_OK(nb_problem_verify(nb_step_problem(step), most, NB_VERIFY_ONLY, &overlap));
        move_by(b.world, nb_step_problem(step));
        CHECK_OK(nb_contacts_detect(b.world, 0, anew));
        const double excess = excess_of(b.contacts, anew, most);
        assert_true(excess <= overlap.excess + zero && (trial % 2 == 0 || overlap.excess <= excess + zero));
        overlapping += excess > most;
        nb_step_hand_over(step, b.contacts);
        if (moves) b.world->bodies[trial % 5].position.z += 0.01;
        if (changes) b.world->bodies[trial % 5].shape = b.world->bodies[trial % 5 + 1].shape;
        for (int32_t i = 0; i < b.contacts->count; i++) b.contacts->items[i].body_b += mark;
        CHECK_OK(nb_contacts_detect(b.world, h, b.contacts));
        for (int32_t i = 0; i < b.contacts->count; i++) b.contacts->items[i].body_b -= mark;
        CHECK_OK(nb_contacts_detect(b.world, h, anew));
        assert_int_equal(b.contacts->count, anew->count);
        assert_memory_equal(b.contacts->items, anew->items, (size_t)anew->count * sizeof *anew->items);
        nb_contacts_destroy(anew);
        nb_step_destroy(step);
        close_bench(&b);
    }
    assert_in_range(overlapping, 10, 60);
}

/* ---- faults ---- */

TEST(memory_fails) {
    nb_status status = NB_ERROR_MEMORY;
    for (int successes = 0; status != NB_OK; successes++) {
        bench b = open_bench();
        nb_step *step;
        int32_t added;
        uint64_t same = 5;
        random_world(&b, &same);
        CHECK_OK(nb_step_create(&step));
        CHECK_OK(nb_contacts_detect(b.world, h, b.contacts));
        CHECK_OK(nb_step_begin(step, b.world, b.contacts, h, NB_GEOMETRY_UPDATED));
        nb_problem *p = nb_step_problem(step);
        random_iterate(p, b.world->body_count, &same, 10);
        nb_allocation_fail_after(successes);
        status = nb_problem_detect(p, &added);
        nb_allocation_fail_after(-1);
        assert_true((status == NB_OK || status == NB_ERROR_MEMORY) && successes < 100);
        CHECK_OK(nb_step_begin(step, b.world, b.contacts, h, NB_GEOMETRY_UPDATED)); /* as good as new */
        random_iterate(p, b.world->body_count, &same, 10);
        CHECK_OK(nb_problem_detect(p, &added));
        assert_true(added > 0);
        nb_step_destroy(step);
        close_bench(&b);
    }
}

TEST(what_cannot_be_detected) {
    const int64_t start[] = {0, 1, 2, 3};
    const int32_t column[] = {0, 1, 2};
    const double value[] = {1, 1, 1}, q[] = {-1, 0, 0}, mu = 0.5;
    const nb_csr_f64 w = {.rows = 3,
                          .columns = 3,
                          .capacity = 3,
                          .start = (int64_t *)start,
                          .column = (int32_t *)column,
                          .value = (double *)value};
    const nb_file_data data = {3, 0, 1, &w, q, &mu, NB_FRICTION_COULOMB, NULL, 0};
    nb_problem *p;
    nb_measure *measure;
    int32_t added = 7;
    nb_overlap overlap;
    CHECK_OK(nb_file_problem_create(&data, &p));
    CHECK_OK(nb_measure_create_file(&data, &measure));
    CHECK_FAULT(nb_problem_detect(p, &added), NB_ERROR_UNSUPPORTED, "rows and no bodies");
    assert_int_equal(added, 0);
    CHECK_FAULT(nb_measure_detect(measure, p, &added), NB_ERROR_UNSUPPORTED, "rows and no bodies");
    CHECK_FAULT(nb_measure_verify(measure, p, 1, NB_VERIFY_TAKE, &overlap), NB_ERROR_UNSUPPORTED, "rows and no bodies");
    nb_measure_destroy(measure);
    nb_file_problem_destroy(p);

    /* an iterate that is no number */
    bench b = open_bench();
    nb_step *step;
    add_floor(&b);
    add(&b, NB_BODY_DYNAMIC, sphere(&b, 0.1), nb_vec3_of(0, 0, 1));
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_contacts_detect(b.world, h, b.contacts));
    CHECK_OK(nb_step_begin(step, b.world, b.contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_FAULT(nb_problem_verify(nb_step_problem(step), 1, NB_VERIFY_ONLY, &overlap), NB_ERROR_UNSUPPORTED, "linear");
    nb_step_problem(step)->u[8] = (real)NAN;
    CHECK_FAULT(nb_problem_detect(nb_step_problem(step), &added), NB_ERROR_NUMERIC, "body 1");
    nb_step_destroy(step);
    close_bench(&b);
}

RUN_TESTS(a_row_of_spheres, a_force_takes_a_box_to_the_floor, islands_meet, nothing_new_changes_nothing, random_ways,
          an_end_is_the_next_start, memory_fails, what_cannot_be_detected)
