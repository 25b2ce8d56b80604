/* SHA-256 (FIPS 180-4), for the checksums of test vectors. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

enum { SHA256_HEX = 64 };

/* Writes the digest of some bytes as 64 hexadecimal digits, and a zero after them. */
void sha256(const unsigned char *bytes, size_t length, char hex[SHA256_HEX + 1]);

#endif
