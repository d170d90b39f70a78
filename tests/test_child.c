/* Work in a process of its own: its answer, how it ended, and who ends it. */
#include "base/child.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "check.h"

static int say_and_end(const void *text, FILE *answer) {
    fputs(text, answer);
    return 7;
}

static int print(const void *text, FILE *answer) {
    (void)answer;
    return write(STDOUT_FILENO, text, strlen(text)) < 0 || write(STDERR_FILENO, text, strlen(text)) < 0;
}

static pid_t test;

static void kill_children(void) {
    if (getpid() != test) raise(SIGKILL);
}

/* handlers of the program's end must not run in a child */
static int leave_with_3(const void *context, FILE *answer) {
    (void)context;
    fputs("lost", answer);
    exit(3);
}

static int crash(const void *context, FILE *answer) {
    (void)context, (void)answer;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler of its own */
    return raise(SIGSEGV);
}

static int wait_long(const void *context, FILE *answer) {
    (void)context, (void)answer;
    sleep(60);
    return 0;
}

static int ask_itself_to_end(const void *context, FILE *answer) {
    (void)context, (void)answer;
    return raise(SIGINT) || raise(SIGTERM) || raise(SIGHUP);
}

static int has_open(const void *file, FILE *answer) {
    (void)answer;
    return fcntl(*(const int *)file, F_GETFD) >= 0;
}

/* a process that stays for ten seconds */
static int leave_one_behind(const void *context, FILE *answer) {
    (void)context, (void)answer;
    if (fork() != 0) return 0;
    for (int file = 0; file <= STDERR_FILENO; file++) close(file);
    sleep(10);
    _exit(0);
}

static nb_child start(nb_child_work *work, const void *context, int flags) {
    nb_child child;
    assert_int_equal(nb_child_start("test in", work, context, flags, &child), NB_OK);
    return child;
}

TEST(an_answer_and_an_exit_status_come_back) {
    char line[16];
    nb_child child = start(say_and_end, "forty-two", 0);
    nb_child_await(&child, 0, NULL);
    assert_int_equal(child.process, 0);
    assert_int_equal(child.exit_status, 7);
    assert_string_equal(fgets(line, sizeof line, child.answer), "forty-two");
    nb_child_clear(&child);
    assert_null(child.answer);
}

/* in a child of a child: what this program prints would be the test's */
static int be_silent_parent(const void *context, FILE *answer) {
    (void)context;
    dup2(fileno(answer), STDOUT_FILENO);
    dup2(fileno(answer), STDERR_FILENO);
    for (int flags = 0; flags <= NB_CHILD_SILENT; flags += NB_CHILD_SILENT) {
        nb_child child = start(print, flags ? "silent" : "plain", flags);
        nb_child_await(&child, 0, NULL);
        nb_child_clear(&child);
    }
    return 0;
}

TEST(a_silent_one_prints_nothing) {
    char line[32];
    nb_child child = start(be_silent_parent, NULL, 0);
    nb_child_await(&child, 0, NULL);
    assert_string_equal(fgets(line, sizeof line, child.answer), "plainplain");
    nb_child_clear(&child);
}

TEST(its_end_is_told) {
    char end[64];
    nb_child child = start(leave_with_3, NULL, 0);
    nb_child_await(&child, 0, NULL);
    nb_child_end(&child, end);
    assert_string_equal(end, "(exit status 3)");
    assert_int_equal(fgetc(child.answer), EOF);
    nb_child_clear(&child);
    child = start(crash, NULL, 0);
    nb_child_await(&child, 0, NULL);
    nb_child_end(&child, end);
    assert_string_equal(end, "(Segmentation fault)");
    assert_int_equal(child.exit_status, -1);
    assert_false(child.late);
    nb_child_clear(&child);
}

/* each would take a minute */
TEST(it_can_be_ended) {
    volatile sig_atomic_t stop = 1, go_on = 0;
    double began = nb_clock_seconds();
    nb_child child = start(wait_long, NULL, 0);
    nb_child_await(&child, 0.2, &go_on);
    assert_true(child.late);
    assert_int_equal(child.signal, SIGKILL);
    nb_child_clear(&child);
    child = start(wait_long, NULL, 0);
    nb_child_await(&child, 0, &stop);
    assert_false(child.late);
    assert_int_equal(child.signal, SIGKILL);
    nb_child_clear(&child);
    child = start(wait_long, NULL, 0);
    nb_child_clear(&child);
    assert_true(nb_clock_seconds() - began < 50);
}

TEST(a_bound_one_has_nothing_of_its_parents) {
    const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_true(file >= 0);
    for (int flags = 0; flags <= NB_CHILD_BOUND; flags += NB_CHILD_BOUND) {
        nb_child child = start(has_open, &file, flags);
        nb_child_await(&child, 0, NULL);
        assert_int_equal(child.exit_status, flags == 0);
        nb_child_clear(&child);
    }
    close(file);
}

TEST(it_is_over_whatever_it_leaves) {
    volatile sig_atomic_t go_on = 0;
    double began = nb_clock_seconds();
    nb_child child = start(leave_one_behind, NULL, NB_CHILD_BOUND);
    nb_child_await(&child, 60, &go_on);
    assert_int_equal(child.exit_status, 0);
    nb_child_clear(&child);
    assert_true(nb_clock_seconds() - began < 8);
}

TEST(a_bound_one_leaves_interrupts_to_its_parent) {
    nb_child child = start(ask_itself_to_end, NULL, NB_CHILD_BOUND);
    nb_child_await(&child, 0, NULL);
    assert_int_equal(child.exit_status, 0);
    nb_child_clear(&child);
    child = start(ask_itself_to_end, NULL, 0);
    nb_child_await(&child, 0, NULL);
    assert_int_equal(child.signal, SIGINT);
    nb_child_clear(&child);
}

/* starts a bound child, says its number and goes: that child must not be left behind */
static int orphan_one(const void *context, FILE *answer) {
    (void)context;
    nb_child child = start(wait_long, NULL, NB_CHILD_BOUND);
    usleep(200 * 1000); /* it is bound by then */
    return fwrite(&child.process, sizeof child.process, 1, answer) != 1;
}

TEST(a_bound_one_dies_with_its_parent) {
    pid_t orphan;
    nb_child child = start(orphan_one, NULL, 0);
    nb_child_await(&child, 0, NULL);
    assert_int_equal(fread(&orphan, sizeof orphan, 1, child.answer), 1);
    nb_child_clear(&child);
    char path[64], line[64] = "";
    snprintf(path, sizeof path, "/proc/%d/status", (int)orphan);
    for (int tries = 0; tries < 200; tries++) {
        FILE *file = fopen(path, "r");
        int gone = !file;
        while (file && fgets(line, sizeof line, file))
            gone |= strncmp(line, "State:\tZ", 8) == 0; /* nobody waits for it */
        if (file) fclose(file);
        if (gone) return;
        usleep(50 * 1000);
    }
    fail_msg("process %d outlives its parent", (int)orphan);
}

int main(void) {
    test = getpid();
    atexit(kill_children);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_and_an_exit_status_come_back),
        cmocka_unit_test(a_silent_one_prints_nothing),
        cmocka_unit_test(its_end_is_told),
        cmocka_unit_test(it_can_be_ended),
        cmocka_unit_test(a_bound_one_has_nothing_of_its_parents),
        cmocka_unit_test(it_is_over_whatever_it_leaves),
        cmocka_unit_test(a_bound_one_leaves_interrupts_to_its_parent),
        cmocka_unit_test(a_bound_one_dies_with_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
