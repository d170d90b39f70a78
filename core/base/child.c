#include "base/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum {
    ATTENTION_MS = 100
};

/* ---- in the child ---- */

/* What calls exit must not reach the exit handlers of the HDF5 library, which would close the parent's record with what
 * the child knows of it. The latest handler is called first. */
static void leave_at_once(int exit_status, void *context) {
    (void)context;
    _exit(exit_status);
}

static void bind_to(pid_t parent, int interrupts) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    if (!interrupts) return;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* A plugin shall not write into the record, nor hand on its lock to a process that it leaves behind. */
static void close_all_but(int answer, int end) {
    DIR *list = opendir("/proc/self/fd");
    const int most = list ? 0 : (int)sysconf(_SC_OPEN_MAX);
    for (const struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
        const int file = (int)strtol(entry->d_name, NULL, 10); /* 0 of "." */
        if (file > STDERR_FILENO && file != answer && file != end && file != dirfd(list)) close(file);
    }
    for (int file = STDERR_FILENO + 1; file < most; file++)
        if (file != answer && file != end) close(file);
    if (list) closedir(list);
}

static void fall_silent(void) {
    int silent = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (silent >= 0) dup2(silent, STDOUT_FILENO), dup2(silent, STDERR_FILENO);
}

/* ---- in the parent ---- */

/* the answer and the pipe, whose other end is the child's */
static int open_channels(nb_child *child, int *end) {
    int ends[2], file = memfd_create("answer", MFD_CLOEXEC);
    child->answer = file >= 0 ? fdopen(file, "w+") : NULL;
    if (!child->answer || pipe2(ends, O_CLOEXEC) != 0) {
        if (file >= 0 && !child->answer) close(file);
        return 0;
    }
    child->alive = ends[0];
    *end = ends[1];
    return 1;
}

/* The pipe is closed when all who have its end are over; the process itself is better watched, where the kernel can. */
static void watch_process(nb_child *child, pid_t process) {
    const int watch = (int)syscall(SYS_pidfd_open, process, 0); /* closed on exec by itself */
    if (watch < 0) return;
    close(child->alive);
    child->alive = watch;
}

nb_status nb_child_start(const char *purpose, nb_child_work *work, const void *context, int flags, nb_child *child) {
    pid_t parent = getpid();
    int end = -1;
    *child = (nb_child){.alive = -1};
    fflush(NULL); /* else the child would print it again */
    pid_t process = open_channels(child, &end) ? fork() : -1;
    if (process == 0) {
        bind_to(parent, flags & NB_CHILD_BOUND);
        if (flags & NB_CHILD_BOUND) close_all_but(fileno(child->answer), end);
        if (flags & NB_CHILD_SILENT) fall_silent();
        on_exit(leave_at_once, NULL);
        int exit_status = work(context, child->answer);
        fflush(stdout);
        _exit(fflush(child->answer) == 0 ? exit_status : 1);
    }
    nb_status status = process > 0 ? NB_OK : nb_fail(NB_ERROR_IO, "no process to %s: %s", purpose, strerror(errno));
    if (end >= 0) close(end);
    child->process = process > 0 ? process : 0;
    if (process > 0) watch_process(child, process);
    if (process < 0) nb_child_clear(child);
    return status;
}

void nb_child_await(nb_child *child, double limit_s, const volatile sig_atomic_t *stop) {
    double start = nb_clock_seconds();
    struct pollfd alive = {.fd = child->alive, .events = POLLIN};
    int how = 0;
    if (!child->process) return;
    while ((limit_s > 0 || stop) && poll(&alive, 1, ATTENTION_MS) <= 0) { /* ready when it is over */
        child->late = limit_s > 0 && nb_clock_seconds() - start > limit_s;
        if (!child->late && !(stop && *stop)) continue;
        kill(child->process, SIGKILL);
        break;
    }
    while (waitpid(child->process, &how, 0) < 0 && errno == EINTR) continue;
    child->process = 0;
    child->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    child->exit_status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    rewind(child->answer);
}

void nb_child_end(const nb_child *child, char text[64]) {
    if (child->signal)
        snprintf(text, 64, "(%s)", strsignal(child->signal));
    else
        snprintf(text, 64, "(exit status %d)", child->exit_status);
}

void nb_child_clear(nb_child *child) {
    if (child->process) kill(child->process, SIGKILL);
    nb_child_await(child, 0, NULL);
    if (child->answer) fclose(child->answer);
    if (child->answer && child->alive >= 0) close(child->alive);
    *child = (nb_child){0};
}
