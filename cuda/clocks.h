/* The clocks that a GPU runs at, from the library that comes with its driver. */
#ifndef NB_CUDA_CLOCKS_H
#define NB_CUDA_CLOCKS_H

#include <stddef.h>

/* "1980 MHz, memory 3201 MHz" of the GPU at this address of the bus, at this moment; "clocks unknown" where the library
 * is missing or does not tell. */
void nb_clocks_now(const char *address, char *text, size_t size);

#endif
