/* What units a problem is written in changes neither what methods do nor what they say. In powers of two nothing rounds
 * otherwise, and all is the same bit by bit; in others but for round-off. And what "converged" says of light bodies,
 * and of contacts that contradict each other. */
#include <math.h>
#include <string.h>

#include "file_run.h"
#include "random_file_data.h"

enum {
    ROLLING_CONTACTS = 4,
    OWN_OF_ROLLING = NB_FRICTION_LAWS /* the law behind the others here */
};

/* units: W times `mobility`, velocities times `velocity`, lengths times `length` */
typedef struct units {
    const char *name;
    double mobility, velocity, length;
} units;

static const units binary[] = {
    {"W x 2^30", 0x1p30, 1, 1},
    {"W / 2^30", 0x1p-30, 1, 1},
    {"lengths x 128, times x 8, masses x 1024", 0x1p-10, 16, 128},
    {"velocities / 2^40", 1, 0x1p-40, 1},
};
static const units decimal[] = {
    {"W x 1e9", 1e9, 1, 1},
    {"W / 1e9", 1e-9, 1, 1},
    {"lengths x 100, times x 10, masses x 1000", 1e-3, 10, 100},
};

/* a problem, and its moments' limits where there is rolling friction */
typedef struct problem {
    random_file_data file;
    double mu_r[ROLLING_CONTACTS];
} problem;

/* whether row r is a rate of rotation */
static int is_rate(const problem *p, int r) {
    const nb_file_data *d = &p->file.data;
    return d->mu_r && r >= d->bilaterals && (r - d->bilaterals) % d->dimension >= 3;
}

static void point_to_own(problem *p) {
    random_file_data *f = &p->file;
    f->w.start = f->start;
    f->w.column = f->column;
    f->w.value = f->value;
    f->data.w = &f->w;
    f->data.q = f->q;
    f->data.mu = f->mu;
    if (f->data.mu_r) f->data.mu_r = p->mu_r;
}

/* by one of the laws of friction, or with rolling friction */
static void draw(uint64_t *random, int law, int trial, problem *p) {
    const int rolls = law == OWN_OF_ROLLING;
    if (!rolls) {
        make_random(random, trial % 3, 1 + trial % 8, 12, 1, (nb_friction_law)law, &p->file);
        return;
    }
    make_random(random, 5 * ROLLING_CONTACTS, 0, 24, 1, NB_FRICTION_COULOMB, &p->file);
    for (int i = 0; i < ROLLING_CONTACTS; i++) {
        p->file.mu[i] = test_random(random, 0, 1);
        p->mu_r[i] = i == 0 ? 0 : test_random(random, 0, 0.2);
    }
    p->file.data.dimension = 5;
    p->file.data.bilaterals = 0;
    p->file.data.contacts = ROLLING_CONTACTS;
    p->file.data.mu_r = p->mu_r;
}

static void write_in(const problem *from, const units *to, problem *p) {
    *p = *from;
    point_to_own(p);
    random_file_data *f = &p->file;
    for (int r = 0; r < f->w.rows; r++) {
        f->q[r] *= to->velocity / (is_rate(p, r) ? to->length : 1);
        for (int64_t k = f->start[r]; k < f->start[r + 1]; k++)
            f->value[k] *=
                to->mobility / (is_rate(p, r) ? to->length : 1) / (is_rate(p, f->column[k]) ? to->length : 1);
    }
    for (int i = 0; i < ROLLING_CONTACTS; i++) p->mu_r[i] *= to->length;
}

/* what a method comes to */
typedef struct result {
    nb_step_outcome outcome;
    double z[MOST_FILE_ROWS];
} result;

/* to a tolerance relative to |q|, or to one in the units' m/s */
static void solve(const nb_method_class *method, const problem *p, int absolute, double velocity, result *r) {
    const nb_method_settings settings = {.newton_iterations = 500,
                                         .relative_tolerance = absolute ? 0 : 1e-8,
                                         .newton_tolerance = absolute ? 1e-8 * velocity : 0};
    solve_file_data(method->name, settings, &p->file.data, NULL, &r->outcome, r->z);
}

static int knows(const nb_method_class *method, int law) {
    const unsigned laws = method->friction_laws ? method->friction_laws : 1U << NB_FRICTION_COULOMB;
    if (method->finds_contacts || method->springs || method->gives_way) return 0; /* no files */
    if (law == OWN_OF_ROLLING)
        return strcmp(method->name, "newton") == 0 || strcmp(method->name, "interior-point") == 0;
    return (laws & 1U << law) != 0;
}

/* newton's standard scaling has a floor of 1e-4 m/s in the slip that caps friction, which no unit of velocity scales */
static int knows_units(const nb_method_class *method, const units *to) {
    return to->velocity == 1 || strcmp(method->name, "newton") != 0;
}

/* the largest difference of impulses in the first units over the largest of them */
static double apart(const problem *p, const units *to, const result *was, const result *is) {
    double difference = 0, size = 0;
    for (int r = 0; r < p->file.w.rows; r++) {
        const double unit = to->velocity / to->mobility * (is_rate(p, r) ? to->length : 1);
        difference = fmax(difference, fabs(is->z[r] / unit - was->z[r]));
        size = fmax(size, fabs(was->z[r]));
    }
    return size > 0 ? difference / size : difference;
}

TEST(powers_of_two_change_no_bit) {
    static problem p, other;
    static result was, is;
    uint64_t random = test_seed();
    for (int trial = 0; trial < 20; trial++)
        for (int law = 0; law <= OWN_OF_ROLLING; law++) {
            draw(&random, law, trial, &p);
            for (int m = 0; nb_method_at(m); m++) {
                if (!knows(nb_method_at(m), law)) continue;
                /* rates of rotation stand beside velocities in m/s: a tolerance in m/s knows one unit of length */
                const int absolute = trial % 2 == 1 && law != OWN_OF_ROLLING;
                solve(nb_method_at(m), &p, absolute, 1, &was);
                assert_int_not_equal(was.outcome.reason, NB_REASON_INFEASIBLE); /* all have solutions */
                for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
                    if (!knows_units(nb_method_at(m), &binary[i])) continue;
                    write_in(&p, &binary[i], &other);
                    solve(nb_method_at(m), &other, absolute, binary[i].velocity, &is);
                    if (is.outcome.reason != was.outcome.reason ||
                        is.outcome.newton_iterations != was.outcome.newton_iterations ||
                        apart(&p, &binary[i], &was, &is) > 1e-300) /* the range's end */
                        fail_msg("trial %d, law %d, %s, %s: %s after %d, and %s after %d, %g apart", trial, law,
                                 nb_method_at(m)->name, binary[i].name, nb_reason_name(was.outcome.reason),
                                 was.outcome.newton_iterations, nb_reason_name(is.outcome.reason),
                                 is.outcome.newton_iterations, apart(&p, &binary[i], &was, &is));
                }
            }
        }
}

/* What rounds otherwise may take an iteration more, or, where Coulomb's law is solved by rounds, end a round earlier or
 * later; pgs, whose shares of facets are not unique and may be others after each round, some more. What was solved
 * stays so. */
TEST(other_units_change_round_off_alone) {
    static problem p, other;
    static result was, is;
    uint64_t random = test_seed();
    int solved = 0, all = 0;
    for (int trial = 0; trial < 10; trial++)
        for (int law = 0; law <= OWN_OF_ROLLING; law++) {
            draw(&random, law, trial, &p);
            for (int m = 0; nb_method_at(m); m++) {
                if (!knows(nb_method_at(m), law)) continue;
                solve(nb_method_at(m), &p, 0, 1, &was);
                for (size_t i = 0; i < sizeof decimal / sizeof *decimal; i++) {
                    if (!knows_units(nb_method_at(m), &decimal[i])) continue;
                    write_in(&p, &decimal[i], &other);
                    solve(nb_method_at(m), &other, 0, decimal[i].velocity, &is);
                    const int before = was.outcome.newton_iterations, after = is.outcome.newton_iterations;
                    const int met = was.outcome.reason == NB_REASON_CONVERGED;
                    const int share = strcmp(nb_method_at(m)->name, "pgs") == 0 ? 2 : 4;
                    all++;
                    solved += met;
                    if (is.outcome.reason != was.outcome.reason || (met && abs(after - before) > 1 + before / share))
                        fail_msg("trial %d, law %d, %s, %s: %s after %d, and %s after %d", trial, law,
                                 nb_method_at(m)->name, decimal[i].name, nb_reason_name(was.outcome.reason), before,
                                 nb_reason_name(is.outcome.reason), after);
                }
            }
        }
    assert_true(solved > all / 2);
}

/* W = w 1, q = (-1, 0, 0): r_n = 1/w, and the body stays */
TEST(light_bodies_are_held) {
    static int64_t start[] = {0, 1, 2, 3};
    static int32_t column[] = {0, 1, 2};
    const double q[] = {-1, 0, 0}, mu = 0.5;
    for (int digits = -12; digits <= 12; digits += 3) {
        const double w = pow(10, digits), value[] = {w, w, w};
        const nb_csr_f64 matrix = {
            .rows = 3, .columns = 3, .start = start, .column = column, .value = (double *)(uintptr_t)value};
        const nb_file_data data = {3, 0, 1, &matrix, q, &mu, NB_FRICTION_COULOMB, NULL, NB_FACETS};
        for (int m = 0; nb_method_at(m); m++) {
            static result r;
            if (!knows(nb_method_at(m), NB_FRICTION_COULOMB)) continue;
            const nb_method_settings settings = {.newton_iterations = 100, .relative_tolerance = 1e-8};
            solve_file_data(nb_method_at(m)->name, settings, &data, NULL, &r.outcome, r.z);
            assert_int_equal(r.outcome.reason, NB_REASON_CONVERGED);
            CHECK_NEAR(w * r.z[0], 1, 1e-8); /* the tolerance: u_n is all of the error */
        }
    }
}

/* Two contacts that press one body from opposite sides and both close in: u_n + u_n' = -2 whatever impulses are. */
TEST(contradictions_are_not_converged) {
    static const char *const proving[] = {"interior-point", "auto", "psor", "apgd"};
    static problem p;
    static result r;
    uint64_t random = test_seed();
    for (int trial = 0; trial < 20; trial++)
        for (int law = 0; law < NB_FRICTION_LAWS; law++) {
            double h[6][6];
            make_random(&random, 0, 2, 12, 1, (nb_friction_law)law, &p.file);
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 6; k++) h[3 + i][k] = -(h[i][k] = test_random(&random, -1, 1));
            for (int i = 0; i < 6; i++) {
                p.file.start[i + 1] = 6 * (i + 1);
                p.file.q[i] = i % 3 == 0 ? -1 : 0;
                for (int j = 0; j < 6; j++) {
                    double sum = 0;
                    for (int k = 0; k < 6; k++) sum += h[i][k] * h[j][k];
                    p.file.column[6 * i + j] = j;
                    p.file.value[6 * i + j] = sum;
                }
            }
            for (int m = 0; nb_method_at(m); m++) {
                if (!knows(nb_method_at(m), law)) continue;
                const nb_method_settings settings = {.newton_iterations = 3000, .relative_tolerance = 1e-8};
                solve_file_data(nb_method_at(m)->name, settings, &p.file.data, NULL, &r.outcome, r.z);
                int proves = 0;
                for (int i = 0; i < 4; i++) proves |= strcmp(nb_method_at(m)->name, proving[i]) == 0;
                if (!(r.outcome.errors.file.relative > 0.1) || nb_reason_converged(r.outcome.reason) ||
                    (proves && r.outcome.reason != NB_REASON_INFEASIBLE))
                    fail_msg("trial %d, law %d, %s: %s at %g", trial, law, nb_method_at(m)->name,
                             nb_reason_name(r.outcome.reason), r.outcome.errors.file.relative);
            }
        }
}

RUN_TESTS(powers_of_two_change_no_bit, other_units_change_round_off_alone, light_bodies_are_held,
          contradictions_are_not_converged)
