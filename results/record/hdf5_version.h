/* Private to results/. */
#ifndef NB_RESULTS_HDF5_VERSION_H
#define NB_RESULTS_HDF5_VERSION_H

#include <stddef.h>

/* "1.10.8", or "none" in a program that is built without the library. */
void nb_hdf5_version(char *text, size_t size);

#endif
