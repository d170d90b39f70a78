#include "interrupt.h"

#include <signal.h>
#include <string.h>
#include <time.h>

/* The signal that is asked twice within this time was sent twice: `timeout` sends its own to the program and then to
 * the whole group, and a terminal's reaches a program beside the one that a wrapper hands on. */
static const double one_wish_s = 1;

static volatile sig_atomic_t first_s, first_ms; /* of the monotonic clock, at the first one */

static double since_first(const struct timespec *now) {
    const long ms = now->tv_nsec / 1000000;
    return (double)(now->tv_sec - first_s) + 1e-3 * (double)(ms - first_ms);
}

static void note(int number) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (nb_interrupted && since_first(&now) > one_wish_s) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    if (nb_interrupted) return;
    first_s = (sig_atomic_t)now.tv_sec;
    first_ms = (sig_atomic_t)(now.tv_nsec / 1000000);
    nb_interrupted = 1;
}

void nb_interrupt_catch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        struct sigaction before;
        sigaction(numbers[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL); /* nohup stays nohup */
    }
    signal(SIGPIPE, SIG_IGN);
}
