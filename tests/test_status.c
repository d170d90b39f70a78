/* Faults: codes, messages, exit statuses, and the names of reasons. */
#include "base/status.h"

#include <pthread.h>
#include <string.h>

#include "check.h"
#include "reason.h"

static nb_status fails_when(int fault, int *reached_end) {
    nb_status status = NB_OK;
    NB_TRY(fault ? nb_fail(NB_ERROR_IO, "file %d is gone", fault) : NB_OK);
    *reached_end = 1;
out:
    return status;
}

TEST(test_try_leaves_on_a_fault) {
    int reached = 0;
    assert_int_equal(fails_when(7, &reached), NB_ERROR_IO);
    assert_int_equal(reached, 0);
    assert_string_equal(nb_error_message(), "file 7 is gone");
    assert_int_equal(fails_when(0, &reached), NB_OK);
    assert_int_equal(reached, 1);
}

TEST(test_long_message_is_cut) {
    char text[4096];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(nb_fail(NB_ERROR_INPUT, "begins: %s", text), NB_ERROR_INPUT);
    assert_true(strlen(nb_error_message()) < sizeof text);
    assert_memory_equal(nb_error_message(), "begins: xxx", 11);
}

TEST(test_message_is_one_line) {
    nb_fail(NB_ERROR_INPUT, "'%s' is no name", "a\nb\x1b[1m\t\x7f\u00e9");
    assert_string_equal(nb_error_message(), "'a?b?[1m??\u00e9' is no name");
}

static void *fail_elsewhere(void *seen) {
    strcpy(seen, nb_error_message());
    nb_fail(NB_ERROR_IO, "of the other thread");
    return NULL;
}

TEST(test_each_thread_has_its_message) {
    char seen[512] = "unset";
    pthread_t thread;
    nb_fail(NB_ERROR_IO, "of this thread");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(seen, "");
    assert_string_equal(nb_error_message(), "of this thread");
}

/* the command line's contract: 0 success, 1 not converged, 3 input/output, 64 usage */
TEST(test_exit_codes) {
    static const struct {
        nb_status status;
        int code;
    } cases[] = {{NB_OK, 0},           {NB_ERROR_NUMERIC, 1},      {NB_ERROR_INPUT, 3},
                 {NB_ERROR_IO, 3},     {NB_ERROR_MEMORY, 3},       {NB_ERROR_DEVICE, 3},
                 {NB_ERROR_USAGE, 64}, {NB_ERROR_UNSUPPORTED, 64}, {NB_ERROR_INTERRUPTED, 130}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(nb_status_exit_code(cases[i].status), cases[i].code);
}

TEST(test_reason_names) {
    for (int i = 0; i < NB_REASON_COUNT; i++) {
        const char *name = nb_reason_name((nb_reason)i);
        assert_non_null(name);
        assert_string_not_equal(name, "unknown");
        for (int k = 0; k < i; k++) assert_string_not_equal(name, nb_reason_name((nb_reason)k));
    }
    assert_string_equal(nb_reason_name(NB_REASON_COUNT), "unknown");
    assert_string_equal(nb_reason_name((nb_reason)-1), "unknown");
}

TEST(test_reasons_that_converged) {
    for (int i = 0; i < NB_REASON_COUNT; i++) {
        int good = i == NB_REASON_CONVERGED || i == NB_REASON_EXACT || i == NB_REASON_ROUND_OFF;
        assert_int_equal(nb_reason_converged((nb_reason)i), good);
    }
}

RUN_TESTS(test_try_leaves_on_a_fault, test_long_message_is_cut, test_message_is_one_line,
          test_each_thread_has_its_message, test_exit_codes, test_reason_names, test_reasons_that_converged)
