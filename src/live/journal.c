#include "live/journal.h"

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

#define MAGIC "TLUJRNL3"
#define MAGIC_BEFORE "TLUJRNL2" // no plans
#define MAGIC_FIRST "TLUJRNL1"  // heads without a checksum
#define MAGIC_SIZE 8
#define MARK "\xFFREC" // no UTF-8: text has none
#define MARK_PLAN "\xFFPLN"
#define MARK_SIZE 4
#define PLAN_HEAD 4 // its size
#define HEAD_SIZE 24
#define RECORD_MOST ((uint32_t)1 << 30)
#define WINDOW 4096 // bytes that are searched at a time

struct journal {
    char *path;
    int descriptor;
    uint64_t size;   // of the file, all records whole
    uint64_t before; // where the record begins that can be undone; else the size
    bool unsettled;  // the file may have more than that, or have had it: to be cut before an append
    bool before_plans; // its magic is that of the version before
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

static tlu_status read_whole(const struct journal *journal, void *bytes, size_t size,
                             uint64_t place, tlu_error *error)
{
    ssize_t got = read_at(journal->descriptor, bytes, size, place);
    if (got >= 0 && (size_t)got < size)
        errno = EIO; // shorter than it was
    return got == (ssize_t)size ? TLU_OK : fail(journal, "read", error);
}

// Cuts the file at its size. That is on the disk before anything is written after it: else a crash
// could mix what comes with what was there.
static int settle(struct journal *journal)
{
    journal->unsettled = ftruncate(journal->descriptor, (off_t)journal->size) != 0 ||
                         sync_data(journal->descriptor) != 0;
    return journal->unsettled ? -1 : 0;
}

// ---- heads ----

struct head {
    uint32_t size, crc; // of the bytes after it
    uint64_t number;
    bool plan;
};

// The place is part of it: a record in a record's bytes, or at a wrong place, is none.
static uint32_t head_crc(const unsigned char *bytes, uint64_t place)
{
    unsigned char at[8];
    put_number(at, place, 8);
    return crc32_add(crc32_add(0, at, 8), bytes, HEAD_SIZE - 4);
}

static void head_put(unsigned char *bytes, struct head head, uint64_t place)
{
    memcpy(bytes, head.plan ? MARK_PLAN : MARK, MARK_SIZE);
    put_number(bytes + 4, head.size, 4);
    put_number(bytes + 8, head.number, 8);
    put_number(bytes + 16, head.crc, 4);
    put_number(bytes + 20, head_crc(bytes, place), 4);
}

static bool head_get(const unsigned char *bytes, uint64_t place, struct head *head)
{
    head->plan = memcmp(bytes, MARK_PLAN, MARK_SIZE) == 0;
    if ((!head->plan && memcmp(bytes, MARK, MARK_SIZE) != 0) ||
        get_number(bytes + 20, 4) != head_crc(bytes, place))
        return false;
    head->size = (uint32_t)get_number(bytes + 4, 4);
    head->number = get_number(bytes + 8, 8);
    head->crc = (uint32_t)get_number(bytes + 16, 4);
    return head->size <= RECORD_MOST;
}

// Whether there is a head anywhere from a place on.
static tlu_status find_head(const struct journal *journal, uint64_t place, uint64_t end,
                            bool *found, tlu_error *error)
{
    unsigned char window[WINDOW];
    struct head head;
    *found = false;
    while (end - place >= HEAD_SIZE) {
        size_t size = end - place < WINDOW ? (size_t)(end - place) : WINDOW;
        size_t starts = size - HEAD_SIZE + 1; // where one would be whole
        tlu_status status = read_whole(journal, window, size, place, error);
        if (status != TLU_OK)
            return status;
        for (const unsigned char *at = window;
             (at = memchr(at, MARK[0] & 0xFF, starts - (size_t)(at - window))); at++)
            if (head_get(at, place + (uint64_t)(at - window), &head)) {
                *found = true;
                return TLU_OK;
            }
        place += starts;
    }
    return TLU_OK;
}

// ---- replay ----

static tlu_status damaged(const struct journal *journal, uint64_t left, tlu_error *error)
{
    return error_input(error,
                       "the journal %s is damaged at byte %llu: from there on, %llu bytes cannot "
                       "be replayed; to go on without them, move it away",
                       error_file_name(journal->path), (unsigned long long)journal->size,
                       (unsigned long long)left);
}

// A head that is none, with `left` bytes from it to the end of the file. Each record is on the disk
// before the next is begun, so what a crash leaves is part of one record, with other bytes, mostly
// zeros, in place of the rest. Where there is more, rows that were acknowledged would be lost.
static tlu_status check_tail(const struct journal *journal, uint64_t left, tlu_error *error)
{
    bool found = left > (uint64_t)HEAD_SIZE + RECORD_MOST;
    tlu_status status = TLU_OK;
    if (!found)
        status = find_head(journal, journal->size + 1, journal->size + left, &found, error);
    return status == TLU_OK && found ? damaged(journal, left, error) : status;
}

// The parts of a record; false: there are not as many bytes as it says.
static bool record_of(struct head head, const char *bytes, struct journal_record *record)
{
    *record = (struct journal_record){.number = head.number, .bytes = bytes, .size = head.size};
    if (!head.plan)
        return true;
    uint64_t size = head.size < PLAN_HEAD ? 0 : get_number((const unsigned char *)bytes, PLAN_HEAD);
    if (head.size < PLAN_HEAD || size > head.size - PLAN_HEAD)
        return false;
    record->plan = bytes + PLAN_HEAD;
    record->plan_size = (size_t)size;
    record->bytes = record->plan + size;
    record->size = (size_t)(head.size - PLAN_HEAD - size);
    return true;
}

// One record at journal->size, which moves past it. *end: there is no whole record any more.
static tlu_status replay_one(struct journal *journal, uint64_t file_size, char **bytes,
                             size_t *capacity, journal_function *replay, void *context, bool *end,
                             tlu_error *error)
{
    unsigned char head_bytes[HEAD_SIZE];
    struct head head;
    struct journal_record record;
    uint64_t left = file_size - journal->size;
    *end = left < HEAD_SIZE;
    if (*end)
        return TLU_OK;
    tlu_status status = read_whole(journal, head_bytes, HEAD_SIZE, journal->size, error);
    if (status != TLU_OK)
        return status;
    if (!head_get(head_bytes, journal->size, &head)) {
        *end = true;
        return check_tail(journal, left, error);
    }
    *end = head.size > left - HEAD_SIZE;
    if (*end)
        return TLU_OK;
    if (!memory_reserve(bytes, capacity, (size_t)head.size + 1, 1))
        return error_memory(error);
    status = read_whole(journal, *bytes, head.size, journal->size + HEAD_SIZE, error);
    if (status != TLU_OK)
        return status;
    if (crc32_add(0, *bytes, head.size) != head.crc) {
        *end = head.size == left - HEAD_SIZE; // nothing was begun after it: written in part
        return *end ? TLU_OK : damaged(journal, left, error);
    }
    if (!record_of(head, *bytes, &record) || (head.plan && journal->before_plans))
        return damaged(journal, left, error);
    status = replay(context, &record, error);
    if (status == TLU_OK)
        journal->size += HEAD_SIZE + (uint64_t)head.size;
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

// Whether the first bytes are those of a journal. *start: it has no records, and is to be begun:
// it is empty, or a crash came while it was made, or it is an old one.
static tlu_status check_magic(struct journal *journal, uint64_t file_size, bool *start,
                              tlu_error *error)
{
    char magic[MAGIC_SIZE];
    size_t size = file_size < MAGIC_SIZE ? (size_t)file_size : MAGIC_SIZE, same = 0;
    tlu_status status = read_whole(journal, magic, size, 0, error);
    if (status != TLU_OK)
        return status;
    while (same < size && magic[same] == MAGIC[same])
        same++;
    bool before = size == MAGIC_SIZE && memcmp(magic, MAGIC_BEFORE, MAGIC_SIZE) == 0;
    bool first = size == MAGIC_SIZE && memcmp(magic, MAGIC_FIRST, MAGIC_SIZE) == 0;
    journal->before_plans = before && file_size > MAGIC_SIZE;
    *start = same < MAGIC_SIZE && !journal->before_plans;
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

static tlu_status replay_all(struct journal *journal, journal_function *replay, void *context,
                             tlu_error *error)
{
    struct stat about;
    char *bytes = NULL;
    size_t capacity = 0;
    bool start, end = false;
    if (fstat(journal->descriptor, &about) != 0)
        return fail(journal, "read", error);
    uint64_t file_size = (uint64_t)about.st_size;
    tlu_status status = check_magic(journal, file_size, &start, error);
    if (status == TLU_OK && start)
        return start_file(journal, error);
    journal->size = MAGIC_SIZE;
    while (status == TLU_OK && !end)
        status = replay_one(journal, file_size, &bytes, &capacity, replay, context, &end, error);
    memory_free(bytes);
    if (status == TLU_OK && journal->size < file_size && settle(journal) != 0)
        return fail(journal, "cut", error);
    return status;
}

static tlu_status in_use(const char *path, tlu_error *error)
{
    return error_input(error, "the journal %s is in use by another process", error_file_name(path));
}

tlu_status journal_open(struct journal **out, const char *path, tlu_error *error)
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
        status = errno == EWOULDBLOCK ? in_use(path, error) : fail(journal, "locked", error);
    if (status != TLU_OK)
        journal_close(journal);
    else
        *out = journal;
    return status;
}

tlu_status journal_replay(struct journal *journal, journal_function *replay, void *context,
                          tlu_error *error)
{
    tlu_status status = replay_all(journal, replay, context, error);
    journal->before = journal->size;
    return status;
}

// The magic of this version, in place: one byte, which is there or not, and the records before it
// can be read either way. What is written to a file that is open for appending goes to its end.
static int renew_magic(struct journal *journal)
{
    int descriptor = journal->descriptor, flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags & ~O_APPEND) != 0)
        return -1;
    ssize_t n = -1;
    if (fault_hit(FAULT_WRITE))
        errno = ENOSPC;
    else
        n = pwrite(descriptor, &MAGIC[MAGIC_SIZE - 1], 1, MAGIC_SIZE - 1);
    int why = errno;
    if (fcntl(descriptor, F_SETFL, flags) != 0) // it never fails; nothing may be written then
        return -1;
    errno = n == 0 ? EIO : why;
    if (n != 1 || sync_data(descriptor) != 0)
        return -1;
    journal->before_plans = false;
    return 0;
}

tlu_status journal_append(struct journal *journal, const struct journal_record *record,
                          tlu_error *error)
{
    unsigned char head[HEAD_SIZE], plan_head[PLAN_HEAD];
    size_t size = record->size + (record->plan ? PLAN_HEAD + record->plan_size : 0);
    if (size > RECORD_MOST || record->plan_size > RECORD_MOST)
        return error_input(error, "a record of the journal has at most 1 GB");
    if (journal->unsettled && settle(journal) != 0)
        return fail(journal, "cut", error);
    if (journal->before_plans && renew_magic(journal) != 0)
        return fail(journal, "written", error);
    struct iovec parts[] = {{head, HEAD_SIZE},
                            {plan_head, record->plan ? PLAN_HEAD : 0},
                            {(void *)(uintptr_t)record->plan, record->plan_size},
                            {(void *)(uintptr_t)record->bytes, record->size}};
    uint32_t crc = 0;
    put_number(plan_head, record->plan_size, PLAN_HEAD);
    for (size_t i = 1; i < 4; i++)
        crc = crc32_add(crc, parts[i].iov_base, parts[i].iov_len);
    head_put(head, (struct head){(uint32_t)size, crc, record->number, record->plan != NULL},
             journal->size);
    if (write_all(journal->descriptor, parts, 4) != 0 || sync_data(journal->descriptor) != 0) {
        tlu_status status = fail(journal, "written", error);
        settle(journal); // what is there of it must not be taken for one that was acknowledged
        return status;
    }
    journal->before = journal->size;
    journal->size += HEAD_SIZE + size;
    return TLU_OK;
}

tlu_status journal_undo(struct journal *journal, tlu_error *error)
{
    journal->size = journal->before;
    return settle(journal) == 0 ? TLU_OK : fail(journal, "cut", error);
}

tlu_status journal_clear(struct journal *journal, tlu_error *error)
{
    journal->size = journal->before = MAGIC_SIZE;
    return settle(journal) == 0 ? TLU_OK : fail(journal, "emptied", error);
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

tlu_status journal_check_unused(const char *path, tlu_error *error)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return TLU_OK;
    bool rows = fstat(file, &about) == 0 && about.st_size > MAGIC_SIZE;
    bool used = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(file);
    if (used)
        return in_use(path, error);
    if (rows)
        return error_input(error,
                           "%s has rows that were answered and may not be in the model: say "
                           "--journal to learn them again, or move it away to go on without them",
                           error_file_name(path));
    return TLU_OK;
}
