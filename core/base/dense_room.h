/* Room for dense algebra: the BLAS library OpenBLAS takes a buffer of its own at its first call, and where address
 * space is limited (ulimit -v) and there is none left for it, it tries for ever. To be asked before a call that may be
 * the first: of BLAS, of LAPACK, and of libraries that work with them. */
#ifndef NB_BASE_DENSE_ROOM_H
#define NB_BASE_DENSE_ROOM_H

#include "base/status.h"

enum {
    NB_DENSE_ROOM = 136 /* [MiB] for one thread: its buffer has 128 on x86-64, and it is aligned */
};

/* NB_ERROR_MEMORY where the buffer cannot be had, now or when it was asked for last. */
nb_status nb_dense_room(void);

#endif
