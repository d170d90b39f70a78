#include "base/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

enum {
    BLOCK = 64,
    LENGTH_BYTES = 8
};

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

static void schedule(const uint8_t *block, uint32_t w[64]) {
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] =
            w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

/* Round i. Its variables a to h are s[-i & 7], s[(1 - i) & 7], ...: instead of moving along, they are renamed. */
static inline void make_round(uint32_t s[8], int i, uint32_t word) {
    const uint32_t a = s[-i & 7], b = s[(1 - i) & 7], c = s[(2 - i) & 7], e = s[(4 - i) & 7], f = s[(5 - i) & 7],
                   g = s[(6 - i) & 7];
    uint32_t *h = &s[(7 - i) & 7];
    const uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
    const uint32_t first = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + constants[i] + word;
    s[(3 - i) & 7] += first;
    *h = first + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
}

static void take_block(nb_sha256 *sha) {
    uint32_t w[64], s[8];
    schedule(sha->block, w);
    memcpy(s, sha->state, sizeof s);
#pragma GCC unroll 8 /* the variables are registers only where i & 7 is known */
    for (int i = 0; i < 64; i++) make_round(s, i, w[i]);
    for (int i = 0; i < 8; i++) sha->state[i] += s[i];
}

void nb_sha256_begin(nb_sha256 *sha) {
    *sha = (nb_sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void nb_sha256_add(nb_sha256 *sha, const void *data, size_t bytes) {
    const uint8_t *from = data;
    while (bytes > 0) {
        const size_t used = sha->bytes % BLOCK, taken = bytes < BLOCK - used ? bytes : BLOCK - used;
        memcpy(sha->block + used, from, taken);
        sha->bytes += taken;
        from += taken;
        bytes -= taken;
        if (used + taken == BLOCK) take_block(sha);
    }
}

void nb_sha256_end(nb_sha256 *sha, char text[NB_SHA256_TEXT]) {
    static const uint8_t padding[BLOCK] = {0x80};
    uint8_t length[LENGTH_BYTES];
    const size_t used = sha->bytes % BLOCK, room = BLOCK - LENGTH_BYTES;
    for (int i = 0; i < LENGTH_BYTES; i++) length[i] = (uint8_t)(8 * sha->bytes >> (56 - 8 * i));
    nb_sha256_add(sha, padding, used < room ? room - used : BLOCK + room - used);
    nb_sha256_add(sha, length, sizeof length);
    for (int i = 0; i < 8; i++) snprintf(text + 8 * (ptrdiff_t)i, 9, "%08x", (unsigned)sha->state[i]);
}

void nb_sha256_add_integer(nb_sha256 *sha, int64_t number) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)number >> (8 * i));
    nb_sha256_add(sha, bytes, sizeof bytes);
}

void nb_sha256_add_real(nb_sha256 *sha, double number) {
    int64_t bits;
    const double positive = number == 0 ? 0 : number;
    memcpy(&bits, &positive, sizeof bits);
    nb_sha256_add_integer(sha, bits);
}

nb_status nb_sha256_file(const char *path, char text[NB_SHA256_TEXT]) {
    char buffer[1 << 14];
    nb_sha256 sha;
    FILE *file;
    size_t got;
    nb_status status = nb_file_open(path, 'r', &file);
    *text = '\0';
    if (status != NB_OK) return status;
    nb_sha256_begin(&sha);
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) nb_sha256_add(&sha, buffer, got);
    if (ferror(file)) status = nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno));
    fclose(file);
    if (status == NB_OK) nb_sha256_end(&sha, text);
    return status;
}
