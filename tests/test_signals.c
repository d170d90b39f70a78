/* What SIGINT, SIGTERM and SIGHUP do to a command that catches them: the first one asks it to stop, however often it
 * was sent at once (timeout(1) sends SIGTERM to the program, and then to its group), and a later one kills. */
#include "program/interrupt.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum {
    ASKED = 40 /* exit status of one that was asked and goes on */
};

/* a process in which `count` signals come, the last one after some more microseconds; how it ends */
static int end_of(const int *signals, int count, unsigned later_us) {
    int how;
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        for (int i = 0; i < 3; i++) signal((int[]){SIGINT, SIGTERM, SIGHUP}[i], SIG_DFL);
        nb_interrupt_catch();
        for (int i = 0; i < count; i++) {
            if (i + 1 == count) usleep(later_us);
            raise(signals[i]);
        }
        _exit(nb_interrupted ? ASKED : 0);
    }
    assert_int_equal(waitpid(process, &how, 0), process);
    return WIFSIGNALED(how) ? -WTERMSIG(how) : WEXITSTATUS(how);
}

TEST(test_one_asks) {
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    assert_int_equal(end_of(signals, 0, 0), 0);
    for (int i = 0; i < 3; i++) assert_int_equal(end_of(signals + i, 1, 0), ASKED);
}

/* it would be killed before it has left its checkpoint, and begin anew when it is to go on */
TEST(test_many_at_once_are_one) {
    assert_int_equal(end_of((int[]){SIGTERM, SIGTERM}, 2, 0), ASKED);
    assert_int_equal(end_of((int[]){SIGINT, SIGTERM, SIGINT}, 3, 0), ASKED);
}

TEST(test_a_later_one_kills) {
    assert_int_equal(end_of((int[]){SIGTERM, SIGTERM}, 2, 1100000), -SIGTERM);
    assert_int_equal(end_of((int[]){SIGTERM, SIGINT}, 2, 1100000), -SIGINT);
}

RUN_TESTS(test_one_asks, test_many_at_once_are_one, test_a_later_one_kills)
