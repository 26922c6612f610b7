#include "stream/journal/journal.h"

#include "base/crc.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/memory.h"
#include "stream/journal/internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// ---- records ----

#define MARK_SIZE 4

static const char *const marks[2][2] = {{"\xFFREC", "\xFFPLN"}, // without a model
                                        {"\xFFSAV", "\xFFMDL"}};

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

static uint32_t head_crc(const unsigned char *bytes, uint64_t place)
{
    unsigned char at[8];
    put_number(at, place, 8);
    return crc32_add(crc32_add(0, at, 8), bytes, HEAD_SIZE - 4);
}

void head_put(unsigned char *bytes, struct head head, uint64_t place)
{
    assert(head.size <= RECORD_MAX);
    memcpy(bytes, marks[head.model][head.plan], MARK_SIZE);
    put_number(bytes + 4, head.size, 4);
    put_number(bytes + 8, head.number, 8);
    put_number(bytes + 16, head.crc, 4);
    put_number(bytes + 20, head_crc(bytes, place), 4);
}

bool head_get(const unsigned char *bytes, uint64_t place, struct head *head)
{
    int kind = 0;
    while (kind < 4 && memcmp(bytes, marks[kind / 2][kind % 2], MARK_SIZE) != 0)
        kind++;
    if (kind == 4 || get_number(bytes + 20, 4) != head_crc(bytes, place))
        return false;
    head->model = kind / 2;
    head->plan = kind % 2;
    head->size = (uint32_t)get_number(bytes + 4, 4);
    head->number = get_number(bytes + 8, 8);
    head->crc = (uint32_t)get_number(bytes + 16, 4);
    return head->size <= RECORD_MAX;
}

void plan_head_put(unsigned char *bytes, size_t plan_size)
{
    put_number(bytes, plan_size, PLAN_HEAD);
}

void model_put(unsigned char *bytes, const struct journal_model *model)
{
    put_number(bytes, model->size, 8);
    put_number(bytes + 8, model->hash, 8);
}

bool record_of(struct head head, const char *bytes, struct journal_model *model,
               struct journal_record *record)
{
    size_t left = head.size;
    *record = (struct journal_record){.number = head.number};
    if (head.model) {
        if (left < MODEL_SIZE || (!head.plan && left > MODEL_SIZE))
            return false;
        model->size = get_number((const unsigned char *)bytes, 8);
        model->hash = get_number((const unsigned char *)bytes + 8, 8);
        record->model = model;
        bytes += MODEL_SIZE;
        left -= MODEL_SIZE;
    }
    if (head.plan) {
        uint64_t size = left < PLAN_HEAD ? 0 : get_number((const unsigned char *)bytes, PLAN_HEAD);
        if (left < PLAN_HEAD || size > left - PLAN_HEAD)
            return false;
        record->plan = bytes + PLAN_HEAD;
        record->plan_size = (size_t)size;
        bytes = record->plan + size;
        left -= PLAN_HEAD + (size_t)size;
    }
    record->bytes = bytes;
    record->size = left;
    return true;
}

// ---- the file ----

tlu_status journal_fail(const struct journal *journal, const char *doing, tlu_error *error)
{
    return error_system(error, "the journal %s cannot be %s: %s", error_file_name(journal->path),
                        doing, strerror(errno));
}

// All of it, or -1.
static int write_all(int descriptor, struct iovec *parts, int count)
{
    while (count) {
        if (fault_hit(FAULT_WRITE)) {
            errno = ENOSPC;
            return -1;
        }
        struct file_limit limit;
        file_limit_begin(&limit);
        ssize_t n = writev(descriptor, parts, count);
        file_limit_end(&limit);
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

// That is on the disk before anything is written after it: else a crash could mix what comes with
// what was there.
int journal_settle(struct journal *journal)
{
    struct file_limit limit;
    file_limit_begin(&limit);
    int failed = ftruncate(journal->descriptor, (off_t)journal->size);
    file_limit_end(&limit);
    journal->unsettled = failed || sync_data(journal->descriptor) != 0;
    return journal->unsettled ? -1 : 0;
}

tlu_status journal_start(struct journal *journal, tlu_error *error)
{
    struct iovec part = {(char *)MAGIC, MAGIC_SIZE};
    if (ftruncate(journal->descriptor, 0) != 0 || write_all(journal->descriptor, &part, 1) != 0 ||
        sync_data(journal->descriptor) != 0)
        return journal_fail(journal, "written", error);
    int failed = file_sync_folder(journal->path);
    if (failed) {
        errno = failed;
        return journal_fail(journal, "made", error);
    }
    journal->size = MAGIC_SIZE;
    journal->version = VERSION_MODELS;
    return TLU_OK;
}

static tlu_status in_use(const char *path, tlu_error *error)
{
    return error_input(error, "the journal %s is in use by another process", error_file_name(path));
}

static tlu_status open_file(struct journal *journal, tlu_error *error)
{
    journal->descriptor = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal->descriptor < 0)
        return journal_fail(journal, "opened", error);
    if (flock(journal->descriptor, LOCK_EX | LOCK_NB) == 0)
        return TLU_OK;
    return errno == EWOULDBLOCK ? in_use(journal->path, error)
                                : journal_fail(journal, "locked", error);
}

tlu_status journal_open(struct journal **out, const char *path, tlu_error *error)
{
    *out = NULL;
    struct journal *journal = memory_new(1, sizeof *journal);
    if (!journal || !(journal->path = memory_copy_text(path, strlen(path)))) {
        memory_free(journal);
        return error_memory(error);
    }
    tlu_status status = open_file(journal, error);
    if (status != TLU_OK)
        journal_close(journal);
    else
        *out = journal;
    return status;
}

// The magic of this version, in place: one byte, which is there or not, and the records before it
// can be read either way. What is written to a file that is open for appending goes to its end.
static int renew_magic(struct journal *journal)
{
    int descriptor = journal->descriptor, flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags & ~O_APPEND) != 0)
        return -1;
    struct file_limit limit;
    ssize_t n = -1;
    file_limit_begin(&limit);
    if (fault_hit(FAULT_WRITE))
        errno = ENOSPC;
    else
        n = pwrite(descriptor, &MAGIC[MAGIC_SIZE - 1], 1, MAGIC_SIZE - 1);
    file_limit_end(&limit);
    int why = errno;
    if (fcntl(descriptor, F_SETFL, flags) != 0) // it never fails; nothing may be written then
        return -1;
    errno = n == 0 ? EIO : why;
    if (n != 1 || sync_data(descriptor) != 0)
        return -1;
    journal->version = VERSION_MODELS;
    return 0;
}

// The checksum of a record depends on its place: after bytes of another program none could be read.
static tlu_status check_end(const struct journal *journal, tlu_error *error)
{
    struct stat about;
    if (fstat(journal->descriptor, &about) != 0 || (uint64_t)about.st_size == journal->size)
        return TLU_OK;
    return error_system(error,
                        "%s: another program writes into the journal; end it (is it the --log of "
                        "this stream?)",
                        error_file_name(journal->path));
}

enum { PARTS = 5 }; // of a record: head, model, size of the plan, plan, rows

tlu_status journal_append(struct journal *journal, const struct journal_record *record,
                          tlu_error *error)
{
    unsigned char head[HEAD_SIZE], model[MODEL_SIZE], plan_head[PLAN_HEAD];
    size_t size = record->size + (record->model ? MODEL_SIZE : 0) +
                  (record->plan ? PLAN_HEAD + record->plan_size : 0);
    assert(journal->size >= MAGIC_SIZE); // after journal_replay
    if (size > RECORD_MAX || record->plan_size > RECORD_MAX)
        return error_input(error, "a record of the journal has at most 1 GB");
    if (journal->unsettled && journal_settle(journal) != 0)
        return journal_fail(journal, "cut", error);
    TRY(check_end(journal, error));
    if (journal->version != VERSION_MODELS && renew_magic(journal) != 0)
        return journal_fail(journal, "written", error);
    struct iovec parts[] = {{head, HEAD_SIZE},
                            {model, record->model ? MODEL_SIZE : 0},
                            {plan_head, record->plan ? PLAN_HEAD : 0},
                            {(void *)(uintptr_t)record->plan, record->plan_size},
                            {(void *)(uintptr_t)record->bytes, record->size}};
    uint32_t crc = 0;
    if (record->model)
        model_put(model, record->model);
    plan_head_put(plan_head, record->plan_size);
    for (size_t i = 1; i < PARTS; i++)
        crc = crc32_add(crc, parts[i].iov_base, parts[i].iov_len);
    head_put(head,
             (struct head){(uint32_t)size, crc, record->number, record->plan != NULL,
                           record->model != NULL},
             journal->size);
    if (write_all(journal->descriptor, parts, PARTS) != 0 || sync_data(journal->descriptor) != 0) {
        tlu_status status = journal_fail(journal, "written", error);
        journal_settle(
            journal); // what is there of it must not be taken for one that was acknowledged
        return status;
    }
    journal->before = journal->size;
    journal->size += HEAD_SIZE + size;
    return TLU_OK;
}

tlu_status journal_undo(struct journal *journal, tlu_error *error)
{
    assert(journal->before <= journal->size);
    journal->size = journal->before;
    return journal_settle(journal) == 0 ? TLU_OK : journal_fail(journal, "cut", error);
}

bool journal_is_empty(const struct journal *journal)
{
    return journal->size <= MAGIC_SIZE;
}

tlu_status journal_clear(struct journal *journal, tlu_error *error)
{
    journal->size = journal->before = MAGIC_SIZE;
    return journal_settle(journal) == 0 ? TLU_OK : journal_fail(journal, "emptied", error);
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

tlu_status journal_check_unused(const char *path, const char *remedy, tlu_error *error)
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
                           "%s has rows that were answered and may not be in the model: %s, or "
                           "move it away to go on without them",
                           error_file_name(path), remedy);
    return TLU_OK;
}
