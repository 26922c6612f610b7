#include "input/packed_file.h"

#include "base/file.h"
#include "base/memory.h"

#include <string.h>
#include <strings.h>

#ifdef TLU_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef TLU_HAVE_ZSTD
#include <zstd.h>
#endif

#define BUFFER_SIZE 65536

enum packing { PLAIN, GZIP, ZSTD };

struct packed_file {
    enum packing packing;
    struct file_writer *file;
    bool memory; // the library ran out of it
    // Of gzip and zstd alone: bytes that are not compressed yet, and compressed ones.
    size_t used;
    char plain[BUFFER_SIZE], compressed[BUFFER_SIZE];
#ifdef TLU_HAVE_ZLIB
    z_stream gzip;
#endif
#ifdef TLU_HAVE_ZSTD
    ZSTD_CStream *zstd;
#endif
};

static enum packing packing_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".gz") == 0    ? GZIP
           : dot && strcasecmp(dot, ".zst") == 0 ? ZSTD
                                                 : PLAIN;
}

static tlu_status open_gzip(struct packed_file *packed, const char *path, tlu_error *error)
{
#ifdef TLU_HAVE_ZLIB
    (void)path;
    return enough_memory(deflateInit2(&packed->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                                      Z_DEFAULT_STRATEGY) == Z_OK,
                         error);
#else
    (void)packed;
    return error_at(error, path, 0, 0,
                    "would be gzip, and this tlu was built without zlib; unpack the data first");
#endif
}

static tlu_status open_zstd(struct packed_file *packed, const char *path, tlu_error *error)
{
#ifdef TLU_HAVE_ZSTD
    (void)path;
    packed->zstd = ZSTD_createCStream();
    return enough_memory(packed->zstd, error);
#else
    (void)packed;
    return error_at(error, path, 0, 0,
                    "would be zstd, and this tlu was built without it; unpack the data first");
#endif
}

tlu_status packed_file_begin(struct packed_file **out, const char *path, tlu_error *error)
{
    *out = NULL;
    struct packed_file *packed = memory_new(1, sizeof *packed);
    TRY(enough_memory(packed, error));
    packed->packing = packing_of(path);
    tlu_status status = packed->packing == GZIP   ? open_gzip(packed, path, error)
                        : packed->packing == ZSTD ? open_zstd(packed, path, error)
                                                  : TLU_OK;
    if (status == TLU_OK)
        status = file_begin(&packed->file, path, error);
    if (status == TLU_OK)
        *out = packed;
    else
        packed_file_abort(packed);
    return status;
}

// Packs the bytes of the buffer; at the end of the data, all that the library still has.
#ifdef TLU_HAVE_ZLIB
static void pack_gzip(struct packed_file *packed, bool end)
{
    z_stream *gzip = &packed->gzip;
    int result = Z_OK;
    gzip->next_in = (unsigned char *)packed->plain;
    gzip->avail_in = (unsigned)packed->used;
    do {
        gzip->next_out = (unsigned char *)packed->compressed;
        gzip->avail_out = BUFFER_SIZE;
        result = deflate(gzip, end ? Z_FINISH : Z_NO_FLUSH);
        file_put(packed->file, packed->compressed, BUFFER_SIZE - gzip->avail_out);
    } while (gzip->avail_out == 0);
    packed->memory |= result == Z_MEM_ERROR || result == Z_STREAM_ERROR;
}
#endif

#ifdef TLU_HAVE_ZSTD
static void pack_zstd(struct packed_file *packed, bool end)
{
    ZSTD_inBuffer in = {packed->plain, packed->used, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {packed->compressed, BUFFER_SIZE, 0};
        left = ZSTD_compressStream2(packed->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        file_put(packed->file, packed->compressed, out.pos);
    } while (!ZSTD_isError(left) && (end ? left > 0 : in.pos < in.size));
    packed->memory |= ZSTD_isError(left) != 0;
}
#endif

static void pack(struct packed_file *packed, bool end)
{
    (void)end; // without the libraries
#ifdef TLU_HAVE_ZLIB
    if (packed->packing == GZIP)
        pack_gzip(packed, end);
#endif
#ifdef TLU_HAVE_ZSTD
    if (packed->packing == ZSTD)
        pack_zstd(packed, end);
#endif
    packed->used = 0;
}

void packed_file_put(struct packed_file *packed, const void *bytes, size_t size)
{
    if (packed->packing == PLAIN) {
        file_put(packed->file, bytes, size);
        return;
    }
    for (const char *at = bytes; size;) {
        size_t space = BUFFER_SIZE - packed->used, some = size < space ? size : space;
        memcpy(packed->plain + packed->used, at, some);
        packed->used += some;
        at += some;
        size -= some;
        if (packed->used == BUFFER_SIZE)
            pack(packed, false);
    }
}

bool packed_file_has_failed(const struct packed_file *packed)
{
    return packed->memory || file_has_failed(packed->file);
}

static void packed_file_free(struct packed_file *packed)
{
#ifdef TLU_HAVE_ZLIB
    if (packed->packing == GZIP)
        deflateEnd(&packed->gzip);
#endif
#ifdef TLU_HAVE_ZSTD
    ZSTD_freeCStream(packed->zstd);
#endif
    memory_free(packed);
}

tlu_status packed_file_commit_all(struct packed_file **files, size_t count, tlu_error *error)
{
    struct file_writer *writers[PACKED_FILES];
    tlu_status status = TLU_OK;
    for (size_t i = 0; i < count && status == TLU_OK; i++) {
        pack(files[i], true);
        status = enough_memory(!files[i]->memory, error);
        writers[i] = files[i]->file;
    }
    if (status == TLU_OK)
        status = file_commit_all(writers, count, error);
    else
        for (size_t i = 0; i < count; i++)
            file_abort(files[i]->file);
    for (size_t i = 0; i < count; i++)
        packed_file_free(files[i]);
    return status;
}

void packed_file_abort(struct packed_file *packed)
{
    if (!packed)
        return;
    file_abort(packed->file);
    packed_file_free(packed);
}
