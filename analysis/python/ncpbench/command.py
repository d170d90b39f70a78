"""What commands of the package end by: a status, and one line where they are interrupted."""
import os
import signal
import sys
import time
import traceback

INTERRUPTED = 130
PATIENCE = 1  # seconds in which a command that is interrupted may remove what it had begun to write


def stop_in_a_line(name):
    """Ctrl-C ends the process with a line: for the time in which modules are loaded."""
    def stop(*_):
        os.write(2, f"{name}: interrupted\n".encode())
        os._exit(INTERRUPTED)
    signal.signal(signal.SIGINT, stop)


def child_status(main):
    """of main() in the process that is there for it"""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    status = 1
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        status = main()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except Exception:
        traceback.print_exc()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        status = 3
    return status


def run(name, main):
    """The exit status of main(), which a process of its own runs: libraries in C never see a Ctrl-C."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until both processes have a handler
    child = os.fork()
    if child == 0:
        os._exit(child_status(main))

    def stop(*_):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.write(2, f"{name}: interrupted\n".encode())
        os.kill(child, signal.SIGINT)
        give_up = time.monotonic() + PATIENCE
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            if time.monotonic() > give_up:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.01)
        os._exit(INTERRUPTED)

    signal.signal(signal.SIGINT, stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code
