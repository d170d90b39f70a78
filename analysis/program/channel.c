#include "channel.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

nb_status nb_channel_open(const char *purpose, FILE **answer, int alive[2]) {
    alive[0] = alive[1] = -1;
    int file = memfd_create("answer", MFD_CLOEXEC);
    *answer = file >= 0 ? fdopen(file, "w+") : NULL;
    if (*answer && pipe(alive) == 0) return NB_OK;
    nb_status status = nb_fail(NB_ERROR_IO, "a process for %s cannot be set up: %s", purpose, strerror(errno));
    if (*answer)
        fclose(*answer);
    else if (file >= 0)
        close(file);
    *answer = NULL;
    return status;
}
