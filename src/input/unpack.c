#include "input/unpack.h"

#include <string.h>

#ifdef TLU_HAVE_ZSTD
#include <zstd_errors.h>
#endif

#define STEP_MAX (256u * 1024) // bytes that a step of gzip makes

// A zstd frame starts with 28 B5 2F FD, one to be skipped, such as pzstd begins with, with 5? 2A 4D
// 18.
static bool is_zstd(const char *bytes)
{
    return memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0 ||
           ((bytes[0] & 0xF0) == 0x50 && memcmp(bytes + 1, "\x2A\x4D\x18", 3) == 0);
}

static enum packing packing_of(const char *bytes, size_t size)
{
    if (size >= 2 && memcmp(bytes, "\x1F\x8B", 2) == 0)
        return GZIP;
    return size >= 4 && is_zstd(bytes) ? ZSTD : PLAIN;
}

static tlu_status open_gzip(struct unpacker *unpacker, tlu_error *error)
{
#ifdef TLU_HAVE_ZLIB
    unpacker->gzip_ready = inflateInit2(&unpacker->gzip, 15 + 16) == Z_OK;
    return enough_memory(unpacker->gzip_ready, error);
#else
    return error_at(error, unpacker->path, 0, 0,
                    "is gzip, and this tlu was built without zlib: unpack it first");
#endif
}

static tlu_status open_zstd(struct unpacker *unpacker, tlu_error *error)
{
#ifdef TLU_HAVE_ZSTD
    unpacker->zstd = ZSTD_createDStream();
    if (unpacker->zstd) // zstd --long=31 is fine: the memory is taken as it is needed
        ZSTD_DCtx_setParameter(unpacker->zstd, ZSTD_d_windowLogMax,
                               ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
    return enough_memory(unpacker->zstd, error);
#else
    return error_at(error, unpacker->path, 0, 0,
                    "is zstd, and this tlu was built without it: unpack it first");
#endif
}

tlu_status unpacker_open(struct unpacker *unpacker, const char *bytes, size_t size,
                         const char *path, tlu_error *error)
{
    unpacker->packing = packing_of(bytes, size);
    unpacker->path = path;
    switch (unpacker->packing) {
    case GZIP:
        return open_gzip(unpacker, error);
    case ZSTD:
        return open_zstd(unpacker, error);
    case PLAIN:
        break;
    }
    return TLU_OK;
}

void unpacker_close(struct unpacker *unpacker)
{
    (void)unpacker; // without the libraries there is nothing to close
#ifdef TLU_HAVE_ZLIB
    if (unpacker->gzip_ready)
        inflateEnd(&unpacker->gzip);
#endif
#ifdef TLU_HAVE_ZSTD
    ZSTD_freeDStream(unpacker->zstd);
#endif
}

#ifdef TLU_HAVE_ZLIB
// Gzip files may consist of several members one after the other, padded with zeros.
static tlu_status unpack_gzip(struct unpacker *unpacker, struct packed *from, char *bytes,
                              size_t size, size_t *got, tlu_error *error)
{
    z_stream *gzip = &unpacker->gzip;
    while (!unpacker->inside && from->start < from->end && from->bytes[from->start] == '\0')
        from->start++;
    if (!unpacker->inside && from->start == from->end)
        return TLU_OK;
    unsigned room = size < STEP_MAX ? (unsigned)size : STEP_MAX;
    gzip->next_in = (unsigned char *)from->bytes + from->start;
    gzip->avail_in = (unsigned)(from->end - from->start);
    gzip->next_out = (unsigned char *)bytes;
    gzip->avail_out = room;
    unpacker->inside = true;
    int result = inflate(gzip, Z_NO_FLUSH);
    from->start = from->end - gzip->avail_in;
    *got = room - gzip->avail_out;
    if (result == Z_STREAM_END) {
        unpacker->inside = false;
        inflateReset(gzip);
        return TLU_OK;
    }
    if (result == Z_MEM_ERROR)
        return error_memory(error);
    if (result != Z_OK && result != Z_BUF_ERROR)
        return error_at(error, unpacker->path, 0, 0, "the gzip data is damaged (%s)",
                        gzip->msg ? gzip->msg : "no reason given");
    return TLU_OK;
}
#endif

#ifdef TLU_HAVE_ZSTD
static tlu_status unpack_zstd(struct unpacker *unpacker, struct packed *from, char *bytes,
                              size_t size, size_t *got, tlu_error *error)
{
    ZSTD_inBuffer in = {from->bytes, from->end, from->start};
    ZSTD_outBuffer out = {bytes, size, 0};
    size_t result = ZSTD_decompressStream(unpacker->zstd, &out, &in);
    if (ZSTD_isError(result) && ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return error_memory(error);
    if (ZSTD_isError(result))
        return error_at(error, unpacker->path, 0, 0, "the zstd data is damaged (%s)",
                        ZSTD_getErrorName(result));
    from->start = in.pos;
    unpacker->inside = result != 0; // 0: a frame has ended
    *got = out.pos;
    return TLU_OK;
}
#endif

tlu_status unpack(struct unpacker *unpacker, struct packed *from, char *bytes, size_t size,
                  size_t *got, tlu_error *error)
{
    *got = 0;
    (void)unpacker, (void)error; // plain bytes cannot be damaged
#ifdef TLU_HAVE_ZLIB
    if (unpacker->packing == GZIP)
        return unpack_gzip(unpacker, from, bytes, size, got, error);
#endif
#ifdef TLU_HAVE_ZSTD
    if (unpacker->packing == ZSTD)
        return unpack_zstd(unpacker, from, bytes, size, got, error);
#endif
    size_t n = from->end - from->start;
    *got = n < size ? n : size;
    memcpy(bytes, from->bytes + from->start, *got);
    from->start += *got;
    return TLU_OK;
}
