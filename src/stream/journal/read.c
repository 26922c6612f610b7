// Reads a journal: its records in order, and tells damage from what a crash may leave.
#include "base/crc.h"
#include "base/fault.h"
#include "base/memory.h"
#include "stream/journal/internal.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW 4096 // bytes that are searched at a time

ssize_t journal_read_at(int descriptor, void *bytes, size_t size, uint64_t place)
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

static tlu_status read_whole(const struct journal *journal, void *bytes, size_t size,
                             uint64_t place, tlu_error *error)
{
    ssize_t got = journal_read_at(journal->descriptor, bytes, size, place);
    if (got >= 0 && (size_t)got < size)
        errno = EIO; // shorter than it was
    return got == (ssize_t)size ? TLU_OK : journal_fail(journal, "read", error);
}

// Whether there is a head anywhere from `place` on.
static tlu_status find_head(const struct journal *journal, uint64_t place, uint64_t end,
                            bool *found, tlu_error *error)
{
    unsigned char window[WINDOW];
    struct head head;
    *found = false;
    while (end - place >= HEAD_SIZE) {
        size_t size = end - place < WINDOW ? (size_t)(end - place) : WINDOW;
        size_t starts = size - HEAD_SIZE + 1; // where one would be whole
        TRY(read_whole(journal, window, size, place, error));
        for (const unsigned char *at = window;
             (at = memchr(at, HEAD_FIRST, starts - (size_t)(at - window))); at++)
            if (head_get(at, place + (uint64_t)(at - window), &head)) {
                *found = true;
                return TLU_OK;
            }
        place += starts;
    }
    return TLU_OK;
}

static tlu_status damaged(const struct journal *journal, uint64_t left, tlu_error *error)
{
    return error_input(error,
                       "the journal %s is damaged at byte %llu: from there on, %llu bytes cannot "
                       "be replayed; to go on without them, move it away",
                       error_file_name(journal->path), (unsigned long long)journal->size,
                       (unsigned long long)left);
}

// A head that is not right, with `left` bytes from it to the end of the file. Each record is on the
// disk before the next is begun, so what a crash leaves is part of one record, with other bytes,
// mostly zeros, in place of the rest. If there is more, rows that were acknowledged would be lost.
static tlu_status check_tail(const struct journal *journal, uint64_t left, tlu_error *error)
{
    bool found = left > (uint64_t)HEAD_SIZE + RECORD_MAX;
    if (!found)
        TRY(find_head(journal, journal->size + 1, journal->size + left, &found, error));
    return found ? damaged(journal, left, error) : TLU_OK;
}

// The records that follow one another.
struct record_loop {
    struct journal *journal; // its size is where the next record begins
    uint64_t file_size;
    char *bytes;                // of the record
    struct journal_model model; // the same
    size_t capacity;
    journal_function *replay;
    void *context;
    bool end; // there is no whole record any more
};

static tlu_status replay_one(struct record_loop *loop, tlu_error *error)
{
    struct journal *journal = loop->journal;
    unsigned char head_bytes[HEAD_SIZE];
    struct head head;
    struct journal_record record;
    uint64_t left = loop->file_size - journal->size;
    loop->end = left < HEAD_SIZE;
    if (loop->end)
        return TLU_OK;
    TRY(read_whole(journal, head_bytes, HEAD_SIZE, journal->size, error));
    if (!head_get(head_bytes, journal->size, &head)) {
        loop->end = true;
        return check_tail(journal, left, error);
    }
    loop->end = head.size > left - HEAD_SIZE;
    if (loop->end)
        return TLU_OK;
    TRY(enough_memory(memory_reserve(&loop->bytes, &loop->capacity, (size_t)head.size + 1, 1),
                      error));
    TRY(read_whole(journal, loop->bytes, head.size, journal->size + HEAD_SIZE, error));
    if (crc32_add(0, loop->bytes, head.size) != head.crc) {
        loop->end = head.size == left - HEAD_SIZE; // nothing was begun after it: written in part
        return loop->end ? TLU_OK : damaged(journal, left, error);
    }
    if (!record_of(head, loop->bytes, &loop->model, &record) ||
        (head.plan && journal->version < VERSION_PLANS) ||
        (head.model && journal->version < VERSION_MODELS))
        return damaged(journal, left, error);
    TRY(loop->replay(loop->context, &record, error));
    journal->size += HEAD_SIZE + (uint64_t)head.size;
    return TLU_OK;
}

// Checks the first bytes. *start: the journal has no records and must be started: it is empty, a
// crash interrupted its creation, or it is of an old version.
static tlu_status check_magic(struct journal *journal, uint64_t file_size, bool *start,
                              tlu_error *error)
{
    char magic[MAGIC_SIZE];
    size_t size = file_size < MAGIC_SIZE ? (size_t)file_size : MAGIC_SIZE, same = 0;
    TRY(read_whole(journal, magic, size, 0, error));
    while (same < size && magic[same] == MAGIC[same])
        same++;
    char version = same == MAGIC_SIZE - 1 && size == MAGIC_SIZE ? magic[same] : '\0';
    bool first = version == VERSION_FIRST;
    bool before = version == VERSION_ROWS || version == VERSION_PLANS;
    journal->version = before ? version : VERSION_MODELS;
    *start = same < MAGIC_SIZE && !(before && file_size > MAGIC_SIZE);
    if (!*start || before)
        return TLU_OK;
    if (first && file_size > MAGIC_SIZE)
        return error_input(error,
                           "the journal %s was written by an earlier version of tlu: run that one "
                           "with it once more, which saves the model and empties the journal, or "
                           "move it away to go on without it",
                           error_file_name(journal->path));
    while (same < size && magic[same] == '\0')
        same++;
    if (!first && (same < size || file_size > MAGIC_SIZE))
        return error_input(error, "%s is not a journal of tlu", error_file_name(journal->path));
    return TLU_OK;
}

static tlu_status replay_all(struct record_loop *loop, tlu_error *error)
{
    struct journal *journal = loop->journal;
    struct stat about;
    bool start;
    if (fstat(journal->descriptor, &about) != 0)
        return journal_fail(journal, "read", error);
    loop->file_size = (uint64_t)about.st_size;
    TRY(check_magic(journal, loop->file_size, &start, error));
    if (start)
        return journal_start(journal, error);
    journal->size = MAGIC_SIZE;
    while (!loop->end)
        TRY(replay_one(loop, error));
    if (journal->size < loop->file_size && journal_settle(journal) != 0)
        return journal_fail(journal, "cut", error);
    return TLU_OK;
}

tlu_status journal_replay(struct journal *journal, journal_function *replay, void *context,
                          tlu_error *error)
{
    assert(journal->size == 0); // the first call
    struct record_loop loop = {.journal = journal, .replay = replay, .context = context};
    tlu_status status = replay_all(&loop, error);
    memory_free(loop.bytes);
    journal->before = journal->size;
    return status;
}
