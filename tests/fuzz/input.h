/* What a fuzz target of a file reader reads: the fuzzer's bytes as a file, in one of two ways (one source file each).
 *
 * input_bytes.c: the bytes are the file.
 * input_edits.c: the bytes are a list of edits of a good file, made with the HDF5 library: the result is a well-formed
 * HDF5 file whose contents make no sense. Checksums stop most of what the first way finds before it comes to this
 * project's code; this way all of it does. */
#ifndef NB_TESTS_FUZZ_INPUT_H
#define NB_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The path of the file; valid until the next call. NULL where no file could be made of the bytes. */
const char *fuzz_input(const uint8_t *bytes, size_t size);

/* Ends the program where the reader left something of HDF5 open; only after files that HDF5 itself wrote, since with
 * damaged ones HDF5 may be at fault for it. */
void fuzz_check_closed(void);

/* Makes `bytes` the whole content of one temporary file in memory, of this process alone (in TMPDIR, where that is
 * set); gives its path, or NULL. */
const char *fuzz_file(const void *bytes, size_t size);

/* Ends the program where a status and its message break the house rules: a fault says one line. */
void fuzz_check_status(nb_status status);

#endif
