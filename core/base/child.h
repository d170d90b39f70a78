/* Work in a process of its own: what crashes there, never returns or overwrites memory costs that process alone. */
#ifndef NB_BASE_CHILD_H
#define NB_BASE_CHILD_H

#include <signal.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"

enum {
    NB_CHILD_SILENT = 1, /* it prints nothing: the parent says what there is to say */
    /* An interrupt is the parent's to decide on. What the parent has open, such as a record and its lock, is closed in
     * the child, but for the standard streams. */
    NB_CHILD_BOUND = 2
};

typedef struct nb_child {
    pid_t process;   /* 0: none, or it is over */
    int alive;       /* a descriptor that is readable when the process is over, whatever that leaves running */
    FILE *answer;    /* without a name, open on both sides; NULL: none was started */
    int exit_status; /* once it is over; -1: a signal ended it */
    int signal;      /* that signal */
    int late;        /* 1: it was ended at its limit of time */
} nb_child;

/* What the child does; returns its exit status. Standard output is for what the parent prints: a bound child's goes to
 * standard error. */
typedef int nb_child_work(const void *context, FILE *answer);

/* Starts it; it dies with its parent. The caller ends it with nb_child_clear. Where there is none to be had:
 * NB_ERROR_IO, "no process to " and `purpose`, and nothing to clear. */
nb_status nb_child_start(const char *purpose, nb_child_work *work, const void *context, int flags, nb_child *child);

/* Waits until it is over, and puts the answer at its beginning. After limit_s seconds (0: any), or once *stop is set
 * (NULL: never), the child is killed. */
void nb_child_await(nb_child *child, double limit_s, const volatile sig_atomic_t *stop);

/* How it ended: "(Segmentation fault)", "(exit status 3)". */
void nb_child_end(const nb_child *child, char text[64]);

/* Kills it where it is not over, and closes what is open; {0} allowed. */
void nb_child_clear(nb_child *child);

#endif
