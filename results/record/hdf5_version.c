#include "record/hdf5_version.h"

#include <hdf5.h>
#include <stdio.h>

#include "record/h5.h"

void nb_hdf5_version(char *text, size_t size) {
    unsigned version[3];
    nb_h5_quiet(); /* the call below starts the library */
    H5get_libversion(&version[0], &version[1], &version[2]);
    snprintf(text, size, "%u.%u.%u", version[0], version[1], version[2]);
}
