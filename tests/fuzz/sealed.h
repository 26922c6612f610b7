// The bytes of a model file with its head, size and checksum made right, so that what the checksum
// guards is reached.
#ifndef TLU_TESTS_FUZZ_SEALED_H
#define TLU_TESTS_FUZZ_SEALED_H

#include "base/crc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// For the caller to free; NULL if there are too few bytes, or out of memory.
static inline uint8_t *sealed_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *sealed = size < 24 ? NULL : malloc(size);
    if (!sealed)
        return NULL;
    memcpy(sealed, bytes, size);
    memcpy(sealed, "\x89TLU\r\n\x1A\n\1\0\0", 12); // the NUL at the end is the twelfth byte
    for (int i = 0; i < 8; i++)
        sealed[12 + i] = (uint8_t)((uint64_t)size >> 8 * i);
    uint32_t crc = crc32_add(0, sealed, size - 4);
    for (size_t i = 0; i < 4; i++)
        sealed[size - 4 + i] = (uint8_t)(crc >> 8 * i);
    return sealed;
}

#endif
