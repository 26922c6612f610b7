// Bytes of a file, of standard input or of memory, unpacked if they are gzip or zstd.
#include "input/source.h"

#include "base/error.h"
#include "base/fault.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

// ---- compressed data ----

enum compression { PLAIN, GZIP, ZSTD };

struct unpacker {
    enum compression compression;
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
struct packed_bytes {
    char *bytes;
    size_t start, end;
};

#define STEP_MAX (256u * 1024) // bytes that a step of gzip makes

// A zstd frame starts with 28 B5 2F FD, one to be skipped, such as pzstd begins with, with 5? 2A 4D
// 18.
static enum compression compression_of(const char *bytes, size_t size)
{
    if (size >= 2 && memcmp(bytes, "\x1F\x8B", 2) == 0)
        return GZIP;
    bool zstd =
        size >= 4 && (memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0 ||
                      ((bytes[0] & 0xF0) == 0x50 && memcmp(bytes + 1, "\x2A\x4D\x18", 3) == 0));
    return zstd ? ZSTD : PLAIN;
}

// Whether more bytes are needed to tell: a row of plain data may have fewer than 4.
static bool may_be_packed(const char *bytes, size_t size)
{
    if (size == 0 || size >= 4)
        return size == 0;
    return (size == 1 && bytes[0] == '\x1F') || memcmp(bytes, "\x28\xB5\x2F", size) == 0 ||
           ((bytes[0] & 0xF0) == 0x50 && memcmp(bytes + 1, "\x2A\x4D", size - 1) == 0);
}

static tlu_status open_gzip(struct unpacker *unpacker, tlu_error *error)
{
#ifdef TLU_HAVE_ZLIB
    unpacker->gzip_ready = inflateInit2(&unpacker->gzip, 15 + 16) == Z_OK;
    return enough_memory(unpacker->gzip_ready, error);
#else
    return error_at(error, unpacker->path, 0, 0,
                    "is gzip, and this tlu was built without zlib; unpack it first");
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
                    "is zstd, and this tlu was built without it; unpack it first");
#endif
}

// For data that starts with these bytes, which tell the compression.
static tlu_status unpacker_open(struct unpacker *unpacker, const char *bytes, size_t size,
                                const char *path, tlu_error *error)
{
    unpacker->compression = compression_of(bytes, size);
    unpacker->path = path;
    return unpacker->compression == GZIP   ? open_gzip(unpacker, error)
           : unpacker->compression == ZSTD ? open_zstd(unpacker, error)
                                           : TLU_OK;
}

static void unpacker_close(struct unpacker *unpacker)
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
static tlu_status unpack_gzip(struct unpacker *unpacker, struct packed_bytes *from, char *bytes,
                              size_t size, size_t *got, tlu_error *error)
{
    z_stream *gzip = &unpacker->gzip;
    while (!unpacker->inside && from->start < from->end && from->bytes[from->start] == '\0')
        from->start++;
    if (!unpacker->inside && from->start == from->end)
        return TLU_OK;
    unsigned space = size < STEP_MAX ? (unsigned)size : STEP_MAX;
    gzip->next_in = (unsigned char *)from->bytes + from->start;
    gzip->avail_in = (unsigned)(from->end - from->start);
    gzip->next_out = (unsigned char *)bytes;
    gzip->avail_out = space;
    unpacker->inside = true;
    int result = inflate(gzip, Z_NO_FLUSH);
    from->start = from->end - gzip->avail_in;
    *got = space - gzip->avail_out;
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
static tlu_status unpack_zstd(struct unpacker *unpacker, struct packed_bytes *from, char *bytes,
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

// One step: takes some of the packed bytes and makes at most `size` bytes of them.
static tlu_status unpack(struct unpacker *unpacker, struct packed_bytes *from, char *bytes,
                         size_t size, size_t *got, tlu_error *error)
{
    *got = 0;
    (void)unpacker, (void)error; // plain bytes cannot be damaged
#ifdef TLU_HAVE_ZLIB
    if (unpacker->compression == GZIP)
        return unpack_gzip(unpacker, from, bytes, size, got, error);
#endif
#ifdef TLU_HAVE_ZSTD
    if (unpacker->compression == ZSTD)
        return unpack_zstd(unpacker, from, bytes, size, got, error);
#endif
    size_t n = from->end - from->start;
    *got = n < size ? n : size;
    memcpy(bytes, from->bytes + from->start, *got);
    from->start += *got;
    return TLU_OK;
}

// ---- the source ----

#define WAIT_MILLISECONDS 100
#define INPUT_SIZE (256u * 1024)
#define PIPE_SIZE (1 << 20)

struct source {
    char *path;
    int file;
    const char *memory; // [size] instead of a file; else NULL
    void *mapped;       // [size] by source_map; else NULL
    bool waits;         // not a regular file: reading may take for ever
    off_t start;        // where the file was when it was opened; negative: it cannot go back
    bool (*is_over)(void *context);
    void *context;
    uint64_t position, size;
    bool file_ended;
    struct packed_bytes input; // [INPUT_SIZE]
    bool recognised;           // the unpacker is ready
    struct unpacker unpacker;
};

void source_watch(struct source *source, bool (*is_over)(void *context), void *context)
{
    source->is_over = is_over;
    source->context = context;
}

// False if waiting was ended before there was anything to read.
static bool wait_for_data(const struct source *source)
{
    struct pollfd file = {.fd = source->file, .events = POLLIN};
    int ready;
    while ((ready = poll(&file, 1, WAIT_MILLISECONDS)) == 0 || (ready < 0 && errno == EINTR))
        if (source->is_over && source->is_over(source->context))
            return false;
    return true; // an error shows when reading
}

bool source_is_ready(const struct source *source, int milliseconds)
{
    struct pollfd file = {.fd = source->file, .events = POLLIN};
    return source->input.start < source->input.end || !source->waits ||
           poll(&file, 1, milliseconds) != 0;
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

static tlu_status recognise(struct source *source, tlu_error *error)
{
    struct packed_bytes *input = &source->input;
    while (may_be_packed(input->bytes, input->end) && !source->file_ended) {
        size_t got = 0;
        TRY(read_some(source, input->bytes + input->end, INPUT_SIZE - input->end, &got, error));
        input->end += got;
    }
    TRY(unpacker_open(&source->unpacker, input->bytes, input->end, source->path, error));
    source->recognised = true;
    return TLU_OK;
}

// 0: opens the path.
static tlu_status open_file(struct source *source, int descriptor, tlu_error *error)
{
    const char *path = source->path;
    struct stat about;
    source->file = descriptor               ? fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
                   : strcmp(path, "-") == 0 ? STDIN_FILENO
                                            : open(path, O_RDONLY | O_CLOEXEC);
    if (source->file < 0)
        return error_at(error, path, 0, 0, "cannot open: %s", strerror(errno));
    if (fstat(source->file, &about) != 0)
        return TLU_OK;
    source->waits = !S_ISREG(about.st_mode);
    if (S_ISFIFO(about.st_mode))
        fcntl(source->file, F_SETPIPE_SZ, PIPE_SIZE); // fewer switches of programs; or not
    source->start = lseek(source->file, 0, SEEK_CUR);
    if (!source->waits)
        source->size = (uint64_t)about.st_size;
    return S_ISDIR(about.st_mode) ? error_at(error, path, 0, 0, "is a folder, not a file") : TLU_OK;
}

static tlu_status begin(struct source *source, const char *path, int descriptor, const void *bytes,
                        size_t size, tlu_error *error)
{
    source->file = -1;
    source->path = memory_copy_text(path, strlen(path));
    source->input.bytes = memory_resize(NULL, INPUT_SIZE, 1);
    TRY(enough_memory(source->path && source->input.bytes, error));
    if (!bytes)
        return open_file(source, descriptor, error);
    source->memory = bytes;
    source->size = size;
    return TLU_OK;
}

static tlu_status open_source(struct source **out, const char *path, int descriptor,
                              const void *bytes, size_t size, tlu_error *error)
{
    *out = NULL;
    struct source *source = memory_new(1, sizeof *source);
    TRY(enough_memory(source, error));
    tlu_status status = begin(source, path, descriptor, bytes, size, error);
    if (status != TLU_OK)
        source_close(source);
    else
        *out = source;
    return status;
}

tlu_status source_open(struct source **source, const char *path, tlu_error *error)
{
    return open_source(source, path, 0, NULL, 0, error);
}

tlu_status source_open_bytes(struct source **source, const char *path, const void *bytes,
                             size_t size, tlu_error *error)
{
    return open_source(source, path, 0, bytes, size, error);
}

tlu_status source_open_descriptor(struct source **source, const char *path, int descriptor,
                                  tlu_error *error)
{
    return open_source(source, path, descriptor, NULL, 0, error);
}

void source_close(struct source *source)
{
    if (!source)
        return;
    unpacker_close(&source->unpacker);
    if (source->mapped)
        munmap(source->mapped, (size_t)source->size);
    if (source->file > STDIN_FILENO)
        close(source->file);
    memory_free(source->path);
    memory_free(source->input.bytes);
    memory_free(source);
}

bool source_waits(const struct source *source)
{
    return source->waits;
}

bool source_rereads(const struct source *source)
{
    return source->recognised && source->unpacker.compression == PLAIN && !source->waits &&
           source->start >= 0;
}

uint64_t source_place(const struct source *source)
{
    return source->position - (source->input.end - source->input.start);
}

tlu_status source_reread(struct source *source, uint64_t place, tlu_error *error)
{
    if (!source->memory && lseek(source->file, source->start + (off_t)place, SEEK_SET) < 0)
        return error_system(error, "%.255s: cannot read a second time: %s",
                            error_file_name(source->path), strerror(errno));
    source->position = place;
    source->input.start = source->input.end = 0;
    source->file_ended = false;
    return TLU_OK;
}

bool source_map(struct source *source, char **bytes, size_t *size, bool *pages)
{
    if (source->unpacker.compression != PLAIN || source->size == 0 || source->size > SIZE_MAX / 2)
        return false;
    *size = (size_t)source->size;
    *pages = !source->memory;
    if (source->memory) {
        *bytes = (char *)source->memory;
        return true;
    }
    // Standard input may have been read by another process before.
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

// Unpacks some bytes of the input.
static tlu_status unpack_some(struct source *source, char *bytes, size_t size, size_t *got,
                              tlu_error *error)
{
    bool dry = source->input.start == source->input.end;
    TRY(unpack(&source->unpacker, &source->input, bytes, size, got, error));
    if (dry && *got == 0)
        return error_at(error, source->path, 0, 0,
                        "the compressed data ends in the middle: the file is cut short");
    return TLU_OK;
}

// Fills `bytes`, or if it is `prompt`, stops after the first that were there.
static tlu_status read_bytes(struct source *source, char *bytes, size_t size, bool prompt,
                             size_t *got, tlu_error *error)
{
    struct packed_bytes *input = &source->input;
    *got = 0;
    if (!source->recognised) // not before the caller can be asked whether to go on waiting
        TRY(recognise(source, error));
    bool plain = source->unpacker.compression == PLAIN;
    while (*got < size && !(prompt && *got)) {
        size_t n = 0;
        if (!plain && input->start == input->end && !source->file_ended) {
            input->start = 0;
            TRY(read_some(source, input->bytes, INPUT_SIZE, &input->end, error));
        }
        bool empty = input->start == input->end;
        if (empty && (plain ? source->file_ended : !source->unpacker.inside))
            break;
        if (empty && plain) // these bytes need no stop on the way
            TRY(read_some(source, bytes + *got, size - *got, &n, error));
        else
            TRY(unpack_some(source, bytes + *got, size - *got, &n, error));
        *got += n;
    }
    return TLU_OK;
}

tlu_status source_read(struct source *source, char *bytes, size_t size, size_t *got,
                       tlu_error *error)
{
    return read_bytes(source, bytes, size, false, got, error);
}

tlu_status source_read_ready(struct source *source, char *bytes, size_t size, size_t *got,
                             tlu_error *error)
{
    return read_bytes(source, bytes, size, true, got, error);
}
