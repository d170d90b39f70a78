/* Preconditioners with values of their options, and P by columns, for tests: the whole table, and each option changed
 * by itself. */
#ifndef NB_TESTS_PRECONDITIONER_VARIANTS_H
#define NB_TESTS_PRECONDITIONER_VARIANTS_H

#include "base/memory.h"
#include "preconditioner.h"
#include "random_system.h"
#include "registry.h"

enum {
    MOST_OPTIONS = 8,
    MOST_VARIANTS = 96
};

typedef struct variant {
    const nb_preconditioner_class *type;
    double values[MOST_OPTIONS];
    const char *option; /* that was changed; NULL: as it comes */
} variant;

typedef struct applied {
    const nb_preconditioner_class *type;
    void *state;
    nb_reason reason;     /* of the last set-up */
    double p[MOST][MOST]; /* P, by columns applied */
    double largest;       /* max |P_ij| */
} applied;

static inline variant variant_of(const nb_preconditioner_class *type) {
    variant v = {.type = type};
    assert_true(type->option_count <= MOST_OPTIONS);
    nb_options_standard(type->options, type->option_count, v.values);
    return v;
}

static inline variant variant_named(const char *name, const char *option, const char *value) {
    const nb_preconditioner_class *type;
    CHECK_OK(nb_preconditioner_find(name, &type));
    variant v = variant_of(type);
    v.option = option;
    if (option) CHECK_OK(nb_options_set(type->options, type->option_count, name, option, value, v.values));
    return v;
}

/* The table: each entry as it comes, with each choice of its options, and with each number a quarter of the way to its
 * largest (or one more). Returns how many there are. */
static inline int each_variant(variant variants[MOST_VARIANTS]) {
    int count = 0;
    for (int i = 0; nb_preconditioners[i]; i++) {
        const nb_preconditioner_class *type = nb_preconditioners[i];
        variants[count++] = variant_of(type);
        for (int k = 0; k < type->option_count; k++) {
            const nb_option *option = &type->options[k];
            double most = fmin(option->maximum, option->standard + 4);
            int choices = 0;
            while (option->choices && option->choices[choices]) choices++;
            for (int c = 0; c < (choices ? choices : 1); c++) {
                assert_true(count < MOST_VARIANTS);
                if (strcmp(option->name, "coarse") == 0 && c > 0) continue; /* takes the rows of a form */
                variant *v = &variants[count++];
                *v = variant_of(type);
                v->option = option->name;
                v->values[k] = choices ? c : option->standard + (most - option->standard) / 4;
                if (option->integer) v->values[k] = round(v->values[k]);
            }
        }
    }
    return count;
}

static inline void say(const variant *v) {
    print_message("  %s", v->type->name);
    for (int k = 0; v->option && k < v->type->option_count; k++)
        print_message(" %s=%g", v->type->options[k].name, v->values[k]);
    print_message("\n");
}

/* P of the system as it now is */
static inline void refresh(applied *a, random_system *t) {
    a->reason = NB_REASON_NONE;
    CHECK_OK(a->type->set_up_values(a->state, t->system, &a->reason));
    a->largest = 0;
    memset(a->p, 0, sizeof a->p);
    for (int j = 0; j < t->rows && a->reason == NB_REASON_NONE; j++) {
        real r[MOST] = {0}, z[MOST];
        r[j] = 1;
        for (int i = 0; i < t->rows; i++) z[i] = (real)NAN; /* whatever was there */
        a->type->apply(a->state, r, z);
        for (int i = 0; i < t->rows; i++) {
            a->p[i][j] = (double)z[i];
            a->largest = fmax(a->largest, fabs(a->p[i][j])); /* a NaN does not count */
        }
    }
}

static inline void apply_to(const variant *v, random_system *t, applied *a) {
    a->type = v->type;
    CHECK_OK(a->type->create(v->values, &a->state));
    CHECK_OK(a->type->set_up_pattern(a->state, t->system));
    refresh(a, t);
}

/* M P = 1, to the round-off of two triangular solutions: rows |M| |P| epsilon */
static inline void check_inverse(int rows, double m[MOST][MOST], applied *a) {
    double allowed = 8 * rows * (double)NB_REAL_EPSILON * largest_row_sum(rows, m) * a->largest;
    assert_int_equal(a->reason, NB_REASON_NONE);
    assert_true(allowed < 0.5); /* else nothing would be tested */
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int k = 0; k < rows; k++) sum += m[i][k] * a->p[k][j];
            CHECK_NEAR(sum, i == j, allowed);
        }
}

#endif
