/* What a device does not take is refused, in words that name all that it takes: those that the classes say, no more. */
#include "run/resolve.h"

#include <string.h>

#include "check.h"
#include "registry.h"

NB_PRECISIONS(f64);

enum {
    MOST_NAMES = 64
};

/* whether `name` is one of the list that the message ends with, "...; use a, b, c" */
static int is_named(const char *message, const char *name) {
    const char *at = strstr(message, "; use ");
    const size_t length = strlen(name);
    while (at && (at = strchr(at, ' ')) != NULL) {
        at++;
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0)) return 1;
    }
    return 0;
}

typedef struct entry {
    const char *name;
    int taken; /* by a device */
} entry;

static nb_status ask(const char *method, const char *solver, const char *preconditioner) {
    nb_request request;
    nb_request_standard(&request);
    snprintf(request.info.scenario, NB_NAME_LENGTH, "arch");
    snprintf(request.info.method, NB_NAME_LENGTH, "%s", method);
    snprintf(request.info.linear_solver, NB_NAME_LENGTH, "%s", solver);
    snprintf(request.info.preconditioner, NB_NAME_LENGTH, "%s", preconditioner);
    snprintf(request.info.device, NB_NAME_LENGTH, "emulated");
    const nb_method_class *type;
    CHECK_OK(nb_method_find(method, &type));
    if (type->friction_laws == NB_FRICTION_FACETED) request.scene.friction_law = NB_FRICTION_POLYHEDRAL;
    nb_status status = nb_request_resolve(&request);
    return status == NB_OK ? nb_request_check(&request) : status;
}

/* the table is `entries`, of which place `of` (0 method, 1 solver, 2 preconditioner) is asked for */
static void check_table(const entry *entries, int count, int of) {
    int refused = 0, taken = 0;
    for (int i = 0; i < count; i++) {
        const char *names[] = {"newton", "", ""}; /* the rest is the method's own */
        names[of] = entries[i].name;
        nb_status status = ask(names[0], names[1], names[2]);
        taken += entries[i].taken;
        if (entries[i].taken) {
            CHECK_OK(status);
            continue;
        }
        print_message("%s\n", nb_error_message());
        assert_int_equal(status, NB_ERROR_UNSUPPORTED);
        for (int k = 0; k < count; k++)
            if (is_named(nb_error_message(), entries[k].name) != entries[k].taken)
                fail_msg("%s: %s", entries[k].name, nb_error_message());
        refused++;
    }
    assert_true(refused > 0 && taken > 0);
}

TEST(devices_name_what_they_take) {
    entry entries[MOST_NAMES];
    int count = 0;
    for (int i = 0; nb_method_at(i); i++)
        entries[count++] = (entry){nb_method_at(i)->name, nb_method_at(i)->on_devices};
    check_table(entries, count, 0);
    count = 0;
    for (int i = 0; nb_linear_solver_at(i); i++)
        entries[count++] = (entry){nb_linear_solver_at(i)->name, nb_linear_solver_at(i)->on_devices};
    check_table(entries, count, 1);
    count = 0;
    for (int i = 0; nb_preconditioner_at(i); i++)
        entries[count++] =
            (entry){nb_preconditioner_at(i)->name, nb_preconditioner_works_on_devices(nb_preconditioner_at(i))};
    check_table(entries, count, 2);
}

RUN_TESTS(devices_name_what_they_take)
