#include "interrupt.h"

#include <string.h>

volatile sig_atomic_t nb_interrupted;

static void note(int number) {
    (void)number;
    nb_interrupted = 1;
}

void nb_interrupt_catch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND;
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        struct sigaction before;
        sigaction(numbers[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL); /* nohup stays nohup */
    }
    signal(SIGPIPE, SIG_IGN);
}
