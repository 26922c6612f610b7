// CRC-32 as in zip, gzip, PNG and zlib's crc32(): polynomial 0xEDB88320 reflected, start and end
// inverted. crc32_add(crc32_add(0, a), b) is the CRC of a followed by b.
#ifndef TLU_BASE_CRC_H
#define TLU_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t size);

#endif
