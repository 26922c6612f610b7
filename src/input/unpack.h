// Compressed data: gzip and zstd, recognised by their first bytes.
#ifndef TLU_INPUT_UNPACK_H
#define TLU_INPUT_UNPACK_H

#include "base/error.h"

#ifdef TLU_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef TLU_HAVE_ZSTD
#include <zstd.h>
#endif

enum packing { PLAIN, GZIP, ZSTD };

struct unpacker {
    enum packing packing;
    const char *path; // for messages
    bool inside;      // a compressed member or frame has begun and not ended
#ifdef TLU_HAVE_ZLIB
    z_stream gzip;
    bool gzip_ready;
#endif
#ifdef TLU_HAVE_ZSTD
    ZSTD_DStream *zstd;
#endif
};

// Bytes of a file that are not yet handed out or unpacked: from start to end.
struct packed {
    char *bytes;
    size_t start, end;
};

// For data that starts with these bytes, of which there are at least 4 unless it has fewer.
tlu_status unpacker_open(struct unpacker *unpacker, const char *bytes, size_t size,
                         const char *path, tlu_error *error);
void unpacker_close(struct unpacker *unpacker);
// One step: takes some of the packed bytes and makes at most `size` bytes of them.
tlu_status unpack(struct unpacker *unpacker, struct packed *from, char *bytes, size_t size,
                  size_t *got, tlu_error *error);

#endif
