#include "data/source.h"

#include "base/fault.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef TLU_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef TLU_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#define WAIT_MILLISECONDS 100
#define INPUT_SIZE (256u * 1024)

enum packing { PLAIN, GZIP, ZSTD };

struct source {
    char *path;
    int file;
    const char *memory; // [size] instead of a file; else NULL
    void *mapped;       // [size] by source_map; else NULL
    bool waits;         // no regular file: reading may take for ever
    off_t start;        // where the file was when it was opened; negative where it cannot go back
    bool (*is_over)(void *context);
    void *context;
    uint64_t position, size;
    enum packing packing;
    bool recognised;
    char *input; // [INPUT_SIZE] bytes of the file not yet handed out or unpacked
    size_t input_start, input_end;
    bool file_ended;
    bool inside; // a compressed member or frame has begun and not ended
#ifdef TLU_HAVE_ZLIB
    z_stream gzip;
    bool gzip_ready;
#endif
#ifdef TLU_HAVE_ZSTD
    ZSTD_DStream *zstd;
#endif
};

void source_watch(struct source *source, bool (*is_over)(void *context), void *context)
{
    source->is_over = is_over;
    source->context = context;
}

// False where waiting was ended before there was anything to read.
static bool wait_for_data(const struct source *source)
{
    struct pollfd file = {.fd = source->file, .events = POLLIN};
    int ready;
    while ((ready = poll(&file, 1, WAIT_MILLISECONDS)) == 0 || (ready < 0 && errno == EINTR))
        if (source->is_over && source->is_over(source->context))
            return false;
    return true; // an error shows when reading
}

static tlu_status read_some(struct source *source, char *bytes, size_t size, size_t *got,
                            tlu_error *error)
{
    if (source->memory) {
        uint64_t left = source->size - source->position;
        *got = size < left ? size : (size_t)left;
        memcpy(bytes, source->memory + source->position, *got);
        source->position += *got;
        source->file_ended = *got == 0;
        return TLU_OK;
    }
    if (source->waits && !wait_for_data(source)) {
        source->file_ended = true;
        *got = 0;
        return TLU_OK;
    }
    ssize_t n;
    do {
        n = fault_hit(FAULT_READ) ? (errno = EIO, -1) : read(source->file, bytes, size);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return error_system(error, "%.255s: cannot read: %s", error_file_name(source->path),
                            strerror(errno));
    source->position += (uint64_t)n;
    source->file_ended = n == 0;
    *got = (size_t)n;
    return TLU_OK;
}

// Gets input where there is none left.
static tlu_status refill(struct source *source, tlu_error *error)
{
    if (source->input_start < source->input_end || source->file_ended)
        return TLU_OK;
    source->input_start = 0;
    return read_some(source, source->input, INPUT_SIZE, &source->input_end, error);
}

static tlu_status unpacking_ready(struct source *source, tlu_error *error)
{
    switch (source->packing) {
    case PLAIN:
        return TLU_OK;
    case GZIP:
#ifdef TLU_HAVE_ZLIB
        source->gzip_ready = inflateInit2(&source->gzip, 15 + 16) == Z_OK;
        return source->gzip_ready ? TLU_OK : error_memory(error);
#else
        return error_at(error, source->path, 0, 0,
                        "is gzip, and this tlu was built without zlib: unpack it first");
#endif
    case ZSTD:
#ifdef TLU_HAVE_ZSTD
        source->zstd = ZSTD_createDStream();
        if (source->zstd) // zstd --long=31 is fine: the memory is taken as it is needed
            ZSTD_DCtx_setParameter(source->zstd, ZSTD_d_windowLogMax,
                                   ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
        return source->zstd ? TLU_OK : error_memory(error);
#else
        return error_at(error, source->path, 0, 0,
                        "is zstd, and this tlu was built without it: unpack it first");
#endif
    }
    return TLU_OK;
}

// A zstd frame starts with 28 B5 2F FD, one to be skipped, such as pzstd begins with, with 5? 2A 4D
// 18.
static bool is_zstd(const char *bytes)
{
    return memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0 ||
           ((bytes[0] & 0xF0) == 0x50 && memcmp(bytes + 1, "\x2A\x4D\x18", 3) == 0);
}

// The first bytes tell; those of gzip are 1F 8B.
static tlu_status recognise(struct source *source, tlu_error *error)
{
    while (source->input_end < 4 && !source->file_ended) {
        size_t got = 0;
        tlu_status status = read_some(source, source->input + source->input_end,
                                      INPUT_SIZE - source->input_end, &got, error);
        if (status != TLU_OK)
            return status;
        source->input_end += got;
    }
    if (source->input_end >= 2 && memcmp(source->input, "\x1F\x8B", 2) == 0)
        source->packing = GZIP;
    else if (source->input_end >= 4 && is_zstd(source->input))
        source->packing = ZSTD;
    return unpacking_ready(source, error);
}

tlu_status source_open_bytes(struct source **out, const char *path, const void *bytes, size_t size,
                             tlu_error *error)
{
    *out = NULL;
    struct source *source = memory_new(1, sizeof *source);
    if (!source)
        return error_memory(error);
    source->file = -1;
    source->path = memory_copy_text(path, strlen(path));
    source->input = memory_resize(NULL, INPUT_SIZE, 1);
    tlu_status status = TLU_OK;
    if (!source->path || !source->input) {
        status = error_memory(error);
    } else if (bytes) {
        source->memory = bytes;
        source->size = size;
    } else {
        source->file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
        if (source->file < 0)
            status = error_at(error, path, 0, 0, "cannot open: %s", strerror(errno));
    }
    struct stat about;
    if (status == TLU_OK && !bytes && fstat(source->file, &about) == 0) {
        source->waits = !S_ISREG(about.st_mode);
        source->start = lseek(source->file, 0, SEEK_CUR);
        if (!source->waits)
            source->size = (uint64_t)about.st_size;
        if (S_ISDIR(about.st_mode))
            status = error_at(error, path, 0, 0, "is a folder, not a file");
    }
    if (status != TLU_OK) {
        source_close(source);
        return status;
    }
    *out = source;
    return TLU_OK;
}

tlu_status source_open(struct source **source, const char *path, tlu_error *error)
{
    return source_open_bytes(source, path, NULL, 0, error);
}

void source_close(struct source *source)
{
    if (!source)
        return;
#ifdef TLU_HAVE_ZLIB
    if (source->gzip_ready)
        inflateEnd(&source->gzip);
#endif
#ifdef TLU_HAVE_ZSTD
    ZSTD_freeDStream(source->zstd);
#endif
    if (source->mapped)
        munmap(source->mapped, (size_t)source->size);
    if (source->file > STDIN_FILENO)
        close(source->file);
    memory_free(source->path);
    memory_free(source->input);
    memory_free(source);
}

bool source_waits(const struct source *source)
{
    return source->waits;
}

bool source_rereads(const struct source *source)
{
    return source->recognised && source->packing == PLAIN && !source->waits && source->start >= 0;
}

uint64_t source_place(const struct source *source)
{
    return source->position - (source->input_end - source->input_start);
}

tlu_status source_reread(struct source *source, uint64_t place, tlu_error *error)
{
    if (!source->memory && lseek(source->file, source->start + (off_t)place, SEEK_SET) < 0)
        return error_system(error, "%.255s: cannot read a second time: %s",
                            error_file_name(source->path), strerror(errno));
    source->position = place;
    source->input_start = source->input_end = 0;
    source->file_ended = false;
    return TLU_OK;
}

bool source_map(struct source *source, char **bytes, size_t *size, bool *pages)
{
    if (source->packing != PLAIN || source->size == 0 || source->size > SIZE_MAX / 2)
        return false;
    *size = (size_t)source->size;
    *pages = !source->memory;
    if (source->memory) {
        *bytes = (char *)source->memory;
        return true;
    }
    // Standard input may have been read by somebody else before.
    if (source->waits || lseek(source->file, 0, SEEK_CUR) != (off_t)source->position)
        return false;
    // Private and writable: what a reader changes is its own, and pages it leaves alone stay the
    // file's, of which the kernel needs no copy.
    void *map =
        mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, source->file, 0);
    if (map == MAP_FAILED)
        return false;
    *bytes = source->mapped = map;
    return true;
}

uint64_t source_position(const struct source *source)
{
    return source->position;
}

uint64_t source_size(const struct source *source)
{
    return source->size;
}

#ifdef TLU_HAVE_ZLIB
// One step of unpacking; gzip files may consist of several members one behind the other, padded
// with zeros.
static tlu_status unpack_gzip(struct source *source, char *bytes, size_t size, size_t *got,
                              tlu_error *error)
{
    z_stream *gzip = &source->gzip;
    while (!source->inside && source->input_start < source->input_end &&
           source->input[source->input_start] == '\0')
        source->input_start++;
    if (!source->inside && source->input_start == source->input_end)
        return TLU_OK;
    unsigned room = size < INPUT_SIZE ? (unsigned)size : INPUT_SIZE;
    gzip->next_in = (unsigned char *)source->input + source->input_start;
    gzip->avail_in = (unsigned)(source->input_end - source->input_start);
    gzip->next_out = (unsigned char *)bytes;
    gzip->avail_out = room;
    source->inside = true;
    int result = inflate(gzip, Z_NO_FLUSH);
    source->input_start = source->input_end - gzip->avail_in;
    *got = room - gzip->avail_out;
    if (result == Z_STREAM_END) {
        source->inside = false;
        inflateReset(gzip);
        return TLU_OK;
    }
    if (result == Z_MEM_ERROR)
        return error_memory(error);
    if (result != Z_OK && result != Z_BUF_ERROR)
        return error_at(error, source->path, 0, 0, "the gzip data is damaged (%s)",
                        gzip->msg ? gzip->msg : "no reason given");
    return TLU_OK;
}
#endif

#ifdef TLU_HAVE_ZSTD
static tlu_status unpack_zstd(struct source *source, char *bytes, size_t size, size_t *got,
                              tlu_error *error)
{
    ZSTD_inBuffer in = {source->input, source->input_end, source->input_start};
    ZSTD_outBuffer out = {bytes, size, 0};
    size_t result = ZSTD_decompressStream(source->zstd, &out, &in);
    if (ZSTD_isError(result) && ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return error_memory(error);
    if (ZSTD_isError(result))
        return error_at(error, source->path, 0, 0, "the zstd data is damaged (%s)",
                        ZSTD_getErrorName(result));
    source->input_start = in.pos;
    source->inside = result != 0; // 0: a frame has ended
    *got = out.pos;
    return TLU_OK;
}
#endif

static tlu_status unpack(struct source *source, char *bytes, size_t size, size_t *got,
                         tlu_error *error)
{
    *got = 0;
    (void)error; // plain bytes cannot be damaged
#ifdef TLU_HAVE_ZLIB
    if (source->packing == GZIP)
        return unpack_gzip(source, bytes, size, got, error);
#endif
#ifdef TLU_HAVE_ZSTD
    if (source->packing == ZSTD)
        return unpack_zstd(source, bytes, size, got, error);
#endif
    size_t n = source->input_end - source->input_start;
    *got = n < size ? n : size;
    memcpy(bytes, source->input + source->input_start, *got);
    source->input_start += *got;
    return TLU_OK;
}

tlu_status source_read(struct source *source, char *bytes, size_t size, size_t *got,
                       tlu_error *error)
{
    *got = 0;
    if (!source->recognised) { // not before somebody can be asked whether to go on waiting
        tlu_status status = recognise(source, error);
        if (status != TLU_OK)
            return status;
        source->recognised = true;
    }
    while (*got < size) {
        size_t n = 0;
        bool direct = source->packing == PLAIN && source->input_start == source->input_end;
        tlu_status status;
        if (direct) { // plain bytes need no stop on the way
            if (source->file_ended)
                break;
            status = read_some(source, bytes + *got, size - *got, &n, error);
        } else {
            status = refill(source, error);
            if (status == TLU_OK && source->input_start == source->input_end && !source->inside)
                break;
            bool dry = source->input_start == source->input_end;
            if (status == TLU_OK)
                status = unpack(source, bytes + *got, size - *got, &n, error);
            if (status == TLU_OK && dry && n == 0)
                return error_at(error, source->path, 0, 0,
                                "the compressed data ends in the middle: the file is cut short");
        }
        if (status != TLU_OK)
            return status;
        *got += n;
    }
    return TLU_OK;
}
