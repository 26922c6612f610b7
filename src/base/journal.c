#include "base/journal.h"

#include "base/crc.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAGIC "TLUJRNL1"
#define MAGIC_SIZE 8
#define HEAD_SIZE 16
#define RECORD_MOST ((uint32_t)1 << 30)

struct journal {
    char *path;
    int descriptor;
    uint64_t size;   // of the file, all records whole
    uint64_t before; // the last of them
};

static tlu_status fail(const struct journal *journal, const char *doing, tlu_error *error)
{
    return error_system(error, "the journal %s cannot be %s: %s", error_file_name(journal->path),
                        doing, strerror(errno));
}

static void put_number(unsigned char *out, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(number >> 8 * i);
}

static uint64_t get_number(const unsigned char *in, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t)in[i] << 8 * i;
    return number;
}

// All of it, or -1.
static int write_all(int descriptor, struct iovec *parts, int count)
{
    while (count) {
        if (fault_hit(FAULT_WRITE)) {
            errno = ENOSPC;
            return -1;
        }
        ssize_t n = writev(descriptor, parts, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        for (; count && (size_t)n >= parts->iov_len; parts++, count--)
            n -= (ssize_t)parts->iov_len;
        if (count) {
            parts->iov_base = (char *)parts->iov_base + n;
            parts->iov_len -= (size_t)n;
        }
    }
    return 0;
}

static int sync_data(int descriptor)
{
    if (fault_hit(FAULT_FSYNC)) {
        errno = EIO;
        return -1;
    }
    return fdatasync(descriptor);
}

// Up to `size` bytes at a place of the file; fewer only at its end. -1: an error.
static ssize_t read_at(int descriptor, void *bytes, size_t size, uint64_t place)
{
    size_t got = 0;
    while (got < size) {
        if (fault_hit(FAULT_READ)) {
            errno = EIO;
            return -1;
        }
        ssize_t n = pread(descriptor, (char *)bytes + got, size - got, (off_t)(place + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

// ---- replay ----

// One record at journal->size, which moves behind it. *end: there is no whole record any more.
static tlu_status replay_one(struct journal *journal, uint64_t file_size, char **bytes,
                             size_t *capacity, journal_function *replay, void *context, bool *end,
                             tlu_error *error)
{
    unsigned char head[HEAD_SIZE];
    uint64_t left = file_size - journal->size;
    *end = left < HEAD_SIZE;
    if (*end)
        return TLU_OK;
    if (read_at(journal->descriptor, head, HEAD_SIZE, journal->size) != HEAD_SIZE)
        return fail(journal, "read", error);
    uint32_t size = (uint32_t)get_number(head, 4), crc = (uint32_t)get_number(head + 4, 4);
    *end = size > left - HEAD_SIZE;
    if (*end)
        return TLU_OK;
    if (!memory_reserve(bytes, capacity, (size_t)size + 1, 1))
        return error_memory(error);
    if (read_at(journal->descriptor, *bytes, size, journal->size + HEAD_SIZE) != (ssize_t)size)
        return fail(journal, "read", error);
    if (crc32_add(crc32_add(0, head + 8, 8), *bytes, size) != crc) {
        *end = size == left - HEAD_SIZE; // the last: written in part
        return *end ? TLU_OK
                    : error_input(error,
                                  "the journal %s is damaged at byte %llu: %llu bytes behind it "
                                  "cannot be replayed; to go on without them, move it away",
                                  error_file_name(journal->path), (unsigned long long)journal->size,
                                  (unsigned long long)(left - HEAD_SIZE - size));
    }
    tlu_status status = replay(context, get_number(head + 8, 8), *bytes, size, error);
    if (status == TLU_OK)
        journal->size += HEAD_SIZE + size;
    return status;
}

static tlu_status start_file(struct journal *journal, tlu_error *error)
{
    struct iovec part = {(char *)MAGIC, MAGIC_SIZE};
    if (ftruncate(journal->descriptor, 0) != 0 || write_all(journal->descriptor, &part, 1) != 0 ||
        sync_data(journal->descriptor) != 0)
        return fail(journal, "written", error);
    int failed = file_sync_folder(journal->path);
    if (failed) {
        errno = failed;
        return fail(journal, "made", error);
    }
    journal->size = MAGIC_SIZE;
    return TLU_OK;
}

static tlu_status replay_all(struct journal *journal, journal_function *replay, void *context,
                             tlu_error *error)
{
    struct stat about;
    char magic[MAGIC_SIZE], *bytes = NULL;
    size_t capacity = 0;
    bool end = false;
    if (fstat(journal->descriptor, &about) != 0)
        return fail(journal, "read", error);
    ssize_t got = read_at(journal->descriptor, magic, MAGIC_SIZE, 0);
    if (got < 0)
        return fail(journal, "read", error);
    if (memcmp(magic, MAGIC, (size_t)got) != 0)
        return error_input(error, "%s is not a journal of tlu", error_file_name(journal->path));
    if (got < MAGIC_SIZE)
        return start_file(journal, error);
    journal->size = MAGIC_SIZE;
    tlu_status status = TLU_OK;
    while (status == TLU_OK && !end)
        status = replay_one(journal, (uint64_t)about.st_size, &bytes, &capacity, replay, context,
                            &end, error);
    memory_free(bytes);
    if (status == TLU_OK && journal->size < (uint64_t)about.st_size &&
        ftruncate(journal->descriptor, (off_t)journal->size) != 0)
        return fail(journal, "cut", error);
    return status;
}

tlu_status journal_open(struct journal **out, const char *path, journal_function *replay,
                        void *context, tlu_error *error)
{
    *out = NULL;
    struct journal *journal = memory_new(1, sizeof *journal);
    if (!journal || !(journal->path = memory_copy_text(path, strlen(path)))) {
        memory_free(journal);
        return error_memory(error);
    }
    journal->descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    tlu_status status = TLU_OK;
    if (journal->descriptor < 0)
        status = fail(journal, "opened", error);
    else if (flock(journal->descriptor, LOCK_EX | LOCK_NB) != 0)
        status = errno == EWOULDBLOCK
                     ? error_input(error, "the journal %s is in use by another process",
                                   error_file_name(path))
                     : fail(journal, "locked", error);
    if (status == TLU_OK)
        status = replay_all(journal, replay, context, error);
    if (status != TLU_OK)
        journal_close(journal);
    else
        *out = journal;
    return status;
}

tlu_status journal_append(struct journal *journal, uint64_t number, const void *bytes, size_t size,
                          tlu_error *error)
{
    unsigned char head[HEAD_SIZE];
    if (size > RECORD_MOST)
        return error_input(error, "a record of the journal has at most 1 GB");
    put_number(head, size, 4);
    put_number(head + 8, number, 8);
    put_number(head + 4, crc32_add(crc32_add(0, head + 8, 8), bytes, size), 4);
    struct iovec parts[] = {{head, HEAD_SIZE}, {(void *)(uintptr_t)bytes, size}};
    if (write_all(journal->descriptor, parts, 2) != 0 || sync_data(journal->descriptor) != 0) {
        tlu_status status = fail(journal, "written", error);
        // What is there of it must not be taken for a record that was acknowledged.
        if (ftruncate(journal->descriptor, (off_t)journal->size) != 0)
            return status;
        return status;
    }
    journal->before = journal->size;
    journal->size += HEAD_SIZE + size;
    return TLU_OK;
}

tlu_status journal_undo(struct journal *journal, tlu_error *error)
{
    if (ftruncate(journal->descriptor, (off_t)journal->before) != 0 ||
        sync_data(journal->descriptor) != 0)
        return fail(journal, "cut", error);
    journal->size = journal->before;
    return TLU_OK;
}

tlu_status journal_clear(struct journal *journal, tlu_error *error)
{
    if (ftruncate(journal->descriptor, MAGIC_SIZE) != 0 || sync_data(journal->descriptor) != 0)
        return fail(journal, "emptied", error);
    journal->size = MAGIC_SIZE;
    return TLU_OK;
}

void journal_close(struct journal *journal)
{
    if (!journal)
        return;
    if (journal->descriptor >= 0)
        close(journal->descriptor);
    memory_free(journal->path);
    memory_free(journal);
}
