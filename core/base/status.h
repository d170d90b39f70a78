/* Status codes with a message: how every fallible function of ncpbench reports a fault.
 *
 * A fault is a bad input, an exhausted resource or a failed library call. A linear or Newton solve that does not
 * converge is no fault: it is a *reason* (see linear_solver.h, method.h).
 *
 * Functions return nb_status and put outputs last. The message names the thing, its value and what would do; it is kept
 * per thread until the next fault. */
#ifndef NB_BASE_STATUS_H
#define NB_BASE_STATUS_H

typedef enum nb_status {
    NB_OK = 0,
    NB_ERROR_MEMORY,      /* an allocation failed */
    NB_ERROR_USAGE,       /* an unknown name or an impossible option: exit status 64 */
    NB_ERROR_INPUT,       /* data that makes no sense (a hostile file, NaN in a system): exit status 3 */
    NB_ERROR_IO,          /* a file cannot be read or written: exit status 3 */
    NB_ERROR_NUMERIC,     /* a factorisation or a solve broke down beyond use: exit status 1 */
    NB_ERROR_UNSUPPORTED, /* valid, but not built in or not offered for this combination: exit status 64 */
    NB_ERROR_DEVICE,      /* an accelerator failed or was lost: exit status 3 */
    NB_ERROR_INTERRUPTED  /* somebody asked to stop (interrupt.h), and what was being made is dropped: 130 */
} nb_status;

/* Records the message (printf style) for this thread and returns `code`, so that `return nb_fail(...)` reads well. The
 * message is one line: control characters become '?'. */
nb_status nb_fail(nb_status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The message of this thread's last fault; "" when there was none. Owned by the library. */
const char *nb_error_message(void);

/* The program's exit status for a fault (design: 1 not converged, 3 input/output, 64 usage, 130 interrupted). */
int nb_status_exit_code(nb_status status);

/* Runs `call`; on a fault leaves through the label `out` with `status` set. Needs a local `nb_status status`. */
#define NB_TRY(call)                   \
    do {                               \
        status = (call);               \
        if (status != NB_OK) goto out; \
    } while (0)

#endif
