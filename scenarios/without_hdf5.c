/* Stands in for the reader of FCLIB files where a machine does not have HDF5. */
#include "fclib.h"

#include <stddef.h>

nb_status nb_fclib_read(const char *path, nb_fclib_problem **problem) {
    *problem = NULL;
    return nb_fail(NB_ERROR_UNSUPPORTED, "'%.200s': this program was built without HDF5, in which FCLIB files are",
                   path);
}
