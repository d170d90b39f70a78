#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[512];

nb_status nb_fail(nb_status code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    /* names and texts of files may hold anything, and a message is one line */
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    return code;
}

const char *nb_error_message(void) {
    return message;
}

int nb_status_exit_code(nb_status status) {
    switch (status) {
    case NB_OK: return 0;
    case NB_ERROR_NUMERIC: return 1;
    case NB_ERROR_INTERRUPTED: return 130;
    case NB_ERROR_USAGE:
    case NB_ERROR_UNSUPPORTED: return 64;
    case NB_ERROR_MEMORY:
    case NB_ERROR_INPUT:
    case NB_ERROR_IO:
    case NB_ERROR_DEVICE: break;
    }
    return 3;
}
