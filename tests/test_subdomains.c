/* Subdomains of contacts: every contact once, and no two lists of a phase with a body in common that moves; sweeps on
 * several threads are the same every time, and come to what one thread comes to. */
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "check.h"
#include "method/projected/subdomains.h"
#include "scenario_run.h"

NB_PRECISIONS(f64);

enum {
    BODIES = 300,
    CONTACTS = 900
};

/* ---- lists ---- */

typedef struct scene {
    nb_inverse_mass inverse[BODIES];
    nb_contact_rows contacts[CONTACTS];
    int32_t dynamic[BODIES];
    nb_rigid_rows rows;
} scene;

/* contacts between bodies that are near by number, in several groups, and some with bodies that do not move */
static void draw(uint64_t *random, int32_t reach, scene *s) {
    memset(s, 0, sizeof *s);
    s->rows = (nb_rigid_rows){.bodies = BODIES, .inverse = s->inverse, .contacts = s->contacts, .dynamic = s->dynamic};
    for (int32_t b = 0; b < BODIES; b++)
        if (b % 10 != 3) s->dynamic[s->rows.dynamic_count++] = b;
    while (s->rows.contact_count < CONTACTS) {
        const int32_t a = (int32_t)(test_random_bits(random) % BODIES),
                      b = a + 1 + (int32_t)(test_random_bits(random) % (uint64_t)reach);
        if (b >= BODIES || a / 100 != b / 100 || (a % 10 == 3 && b % 10 == 3)) continue;
        const int swapped = (int)(test_random_bits(random) & 1);
        s->contacts[s->rows.contact_count].a = swapped ? b : a;
        s->contacts[s->rows.contact_count++].b = swapped ? a : b;
    }
}

static int phase_of(const nb_subdomains *subdomains, int32_t list) {
    return list < subdomains->count ? 0 : 1 + (list - subdomains->count) % 2;
}

static double length_of(const nb_subdomains *subdomains, int32_t list) {
    return subdomains->start[list + 1] - subdomains->start[list];
}

/* of all contacts, half of one counting to each of its bodies */
static double share_of(const nb_subdomains *subdomains, int32_t subdomain) {
    const double below = subdomain > 0 ? length_of(subdomains, subdomains->count + subdomain - 1) : 0,
                 above = subdomain < subdomains->count - 1 ? length_of(subdomains, subdomains->count + subdomain) : 0;
    return length_of(subdomains, subdomain) + (below + above) / 2;
}

TEST(lists_of_a_phase_share_nothing) {
    static scene s;
    uint64_t random = test_seed();
    int between = 0;
    for (int trial = 0; trial < 60; trial++) {
        nb_subdomains subdomains;
        int32_t seen[CONTACTS] = {0};
        draw(&random, trial % 3 == 0 ? 99 : 1 + trial % 7, &s);
        const int32_t count = 2 + trial % 5;
        CHECK_OK(nb_subdomains_make(&s.rows, count, &subdomains));
        assert_int_equal(subdomains.count, count);
        assert_int_equal(subdomains.start[subdomains.lists], CONTACTS);
        int32_t owner[3][BODIES];
        memset(owner, 0xff, sizeof owner);
        for (int32_t list = 0; list < subdomains.lists; list++) {
            between += list >= count ? subdomains.start[list + 1] - subdomains.start[list] : 0;
            for (int32_t k = subdomains.start[list]; k < subdomains.start[list + 1]; k++) {
                const nb_contact_rows *contact = &s.contacts[subdomains.contact[k]];
                const int32_t body[2] = {contact->a, contact->b};
                seen[subdomains.contact[k]]++;
                assert_true(k == subdomains.start[list] || subdomains.contact[k] > subdomains.contact[k - 1]);
                for (int side = 0; side < 2; side++) {
                    int32_t *of = &owner[phase_of(&subdomains, list)][body[side]];
                    if (body[side] % 10 == 3) continue;
                    assert_true(*of < 0 || *of == list);
                    *of = list;
                }
            }
        }
        for (int32_t i = 0; i < CONTACTS; i++) assert_int_equal(seen[i], 1);
        /* where bodies have few neighbours the subdomains are even, but for a body's contacts at each end */
        for (int32_t k = 0; trial % 3 && trial % 7 < 4 && k < count; k++)
            CHECK_NEAR(share_of(&subdomains, k), (double)CONTACTS / count, 12);
        nb_subdomains_clear(&subdomains);
    }
    assert_true(between > 500);
}

/* ---- sweeps ---- */

static nb_run *sweep(const char *method, int threads, int iterations, double tolerance) {
    nb_request request = request_of_scenario("wall", "width=24 height=24", 1, tolerance);
    strcpy(request.info.method, method);
    *request.info.linear_solver = 0;
    request.info.threads = threads;
    request.info.newton_iterations = iterations;
    request.scene.friction_law = strcmp(method, "nsgs") == 0 ? NB_FRICTION_COULOMB : NB_FRICTION_RELAXED;
    if (strcmp(method, "nsgs") == 0) set_options("order=coloured", &request);
    nb_threads_set(threads);
    nb_run *done = run(&request);
    nb_threads_set(1);
    return done;
}

static double difference(const nb_run *a, const nb_run *b) {
    double largest = 0;
    assert_int_equal(a->final.contacts, b->final.contacts);
    for (int32_t i = 0; i < a->final.contacts; i++)
        largest = fmax(largest, fabs(a->final.lambda_normal[i] - b->final.lambda_normal[i]));
    return largest;
}

TEST(sweeps_repeat_bit_by_bit) {
    static const char *const methods[] = {"psor", "pssor"};
    for (int k = 0; k < 2; k++) {
        nb_run *one = sweep(methods[k], 1, 15, 0), *two = sweep(methods[k], 2, 15, 0),
               *three = sweep(methods[k], 3, 15, 0);
        assert_true(one->final.contacts > 6000);
        for (int again = 0; again < 3; again++) {
            nb_run *other = sweep(methods[k], 2 + again % 2, 15, 0);
            CHECK_NEAR(difference(again % 2 ? three : two, other), 0, 0);
            nb_run_destroy(other);
        }
        /* another order, other bits: the subdomains were taken */
        assert_true(difference(one, two) > 0 && difference(two, three) > 0);
        /* and the same method: after as many sweeps they are as far */
        const double *by_one = one->steps, *by_two = two->steps;
        assert_true(by_two[NB_STEP_NATURAL_MAP_ERROR] < 2 * by_one[NB_STEP_NATURAL_MAP_ERROR]);
        nb_run_destroy(one);
        nb_run_destroy(two);
        nb_run_destroy(three);
    }
}

TEST(colours_make_the_same_bits_on_any_threads) {
    nb_run *one = sweep("nsgs", 1, 15, 0);
    assert_true(one->final.contacts > 6000);
    for (int threads = 2; threads < 5; threads++) {
        nb_run *other = sweep("nsgs", threads, 15, 0);
        CHECK_NEAR(difference(one, other), 0, 0);
        nb_run_destroy(other);
    }
    nb_run_destroy(one);
}

RUN_TESTS(lists_of_a_phase_share_nothing, sweeps_repeat_bit_by_bit, colours_make_the_same_bits_on_any_threads)
