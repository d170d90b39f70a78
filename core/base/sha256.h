/* SHA-256 (FIPS 180-4) of bytes that come in pieces. */
#ifndef NB_BASE_SHA256_H
#define NB_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    NB_SHA256_TEXT = 65 /* 64 hexadecimal digits and a zero byte */
};

typedef struct nb_sha256 {
    uint32_t state[8];
    uint64_t bytes; /* so far */
    uint8_t block[64];
} nb_sha256;

void nb_sha256_begin(nb_sha256 *sha);
void nb_sha256_add(nb_sha256 *sha, const void *data, size_t bytes);
void nb_sha256_end(nb_sha256 *sha, char text[NB_SHA256_TEXT]); /* lower case */

/* Of the bytes of a regular file; NB_ERROR_IO where it cannot be read. */
nb_status nb_sha256_file(const char *path, char text[NB_SHA256_TEXT]);

/* Numbers as little-endian 64 bits on any machine: of a double its IEEE bits, with a zero below zero as zero. */
void nb_sha256_add_integer(nb_sha256 *sha, int64_t number);
void nb_sha256_add_real(nb_sha256 *sha, double number);

#endif
