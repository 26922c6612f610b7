#include "stream/journal/model_file.h"

#include "base/file.h"
#include "base/memory.h"
#include "stream/journal/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define READ_SIZE 8192 // a multiple of 8
#define HASH_START UINT64_C(0xCBF29CE484222325)
#define HASH_FACTOR UINT64_C(0x9E3779B97F4A7C15)

// ---- Content ----

// `size` is a multiple of 8, except at the end of the file. `bytes` has space for 7 zeros after it.
static uint64_t hash_add(uint64_t hash, unsigned char *bytes, size_t size)
{
    memset(bytes + size, 0, 7);
    for (const unsigned char *at = bytes; at < bytes + size; at += 8) {
        uint64_t number = 0;
        for (unsigned i = 0; i < 8; i++)
            number |= (uint64_t)at[i] << 8 * i;
        hash = (hash ^ number) * HASH_FACTOR;
        hash ^= hash >> 32;
    }
    return hash;
}

tlu_status model_content(int descriptor, const char *path, struct journal_model *content,
                         tlu_error *error)
{
    unsigned char bytes[READ_SIZE + 7];
    *content = (struct journal_model){.hash = HASH_START};
    for (;;) {
        ssize_t n = journal_read_at(descriptor, bytes, READ_SIZE, content->size);
        if (n < 0)
            return file_fail(path, "read", errno, error);
        content->size += (uint64_t)n;
        content->hash = hash_add(content->hash, bytes, (size_t)n);
        if (n < READ_SIZE)
            return TLU_OK;
    }
}

// ---- Opening ----

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// The folder that a path is in.
static int stat_folder(const char *path, struct stat *about)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return stat(".", about);
    char *folder = memory_copy_text(path, (size_t)(slash - path) + 1);
    int result = folder ? stat(folder, about) : -1;
    memory_free(folder);
    return result;
}

static tlu_status take(struct model_file *file, tlu_error *error)
{
    file->descriptor = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    file->is_there = file->descriptor >= 0;
    file->is_new = !file->is_there && errno == ENOENT;
    if (!file->is_there && !file->is_new)
        return file_fail(file->path, "read", errno, error);
    if (file->is_new) {
        if (stat_folder(file->path, &file->about) != 0)
            file->about.st_nlink = 0;
        return TLU_OK;
    }
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return error_input(error,
                           "the model %s is in use by another process: a stream learns from it, "
                           "under this or another name; wait until it ends",
                           error_file_name(file->path));
    return fstat(file->descriptor, &file->about) == 0 ? TLU_OK
                                                      : file_fail(file->path, "read", errno, error);
}

static void release(struct model_file *file)
{
    if (file->is_there)
        close(file->descriptor);
    file->is_there = false;
}

tlu_status model_file_open(struct model_file *file, const char *path, bool with_journal,
                           tlu_error *error)
{
    int failed = file_follow_links(path, &file->path);
    if (failed)
        return file_fail(path, "read", failed, error);
    file->with_journal = with_journal;
    return take(file, error);
}

tlu_status model_file_settle(struct model_file *file, tlu_error *error)
{
    if (model_file_check(file, false, NULL) != TLU_OK) {
        release(file);
        TRY(take(file, error));
    }
    if (!file->with_journal || !file->is_there || !S_ISREG(file->about.st_mode))
        return TLU_OK;
    return model_content(file->descriptor, file->path, &file->content, error);
}

// ---- Before a save ----

static tlu_status replaced(const struct model_file *file, tlu_error *error)
{
    const char *name = error_file_name(file->path);
    if (!file->with_journal)
        return error_input(error,
                           "%s was replaced or changed by another program while the stream "
                           "learned: it is left as it is, and what was learned since the last "
                           "checkpoint is not saved; --journal would have kept the rows",
                           name);
    return error_input(error,
                       "%s was replaced or changed by another program while the stream learned: "
                       "it is left as it is, and the journal has the rows since the last "
                       "checkpoint; put the stream's model back, or move the journal away to go on "
                       "without them",
                       name);
}

// There is no file at the path. If the old file has no name left, only this process still has its
// content, and the save creates the file again.
static tlu_status check_gone(const struct model_file *file, tlu_error *error)
{
    const char *name = error_file_name(file->path);
    struct stat now;
    if (!file->is_there)
        return !file->about.st_nlink ||
                       (stat_folder(file->path, &now) == 0 && is_same_file(&now, &file->about))
                   ? TLU_OK
                   : error_input(error, "%s: its folder is not the one in which the stream began",
                                 name);
    bool lost = fstat(file->descriptor, &now) == 0 && now.st_nlink == 0;
    if (lost || !file->with_journal)
        return TLU_OK;
    return error_input(error,
                       "%s was renamed or removed while the stream learned, and is not created "
                       "again; the journal has the rows since the last checkpoint; rename the "
                       "model back and start again",
                       name);
}

tlu_status model_file_check(const struct model_file *file, bool content, tlu_error *error)
{
    struct stat now;
    if (stat(file->path, &now) != 0)
        return errno == ENOENT ? check_gone(file, error)
                               : file_fail(file->path, "read", errno, error);
    if (!file->is_there || !is_same_file(&now, &file->about))
        return replaced(file, error);
    if (!S_ISREG(now.st_mode) || !content)
        return TLU_OK;
    if (now.st_size != file->about.st_size)
        return replaced(file, error);
    if (!file->with_journal)
        return now.st_mtim.tv_sec == file->about.st_mtim.tv_sec &&
                       now.st_mtim.tv_nsec == file->about.st_mtim.tv_nsec
                   ? TLU_OK
                   : replaced(file, error);
    struct journal_model found;
    TRY(model_content(file->descriptor, file->path, &found, error));
    return journal_same_model(&found, &file->content) ? TLU_OK : replaced(file, error);
}

// ---- A save ----

tlu_status model_file_keep(const struct model_file *file, struct model_file_new *new,
                           int descriptor, tlu_error *error)
{
    if (fstat(descriptor, &new->about) != 0)
        return file_fail(file->path, "written", errno, error);
    if (file->with_journal)
        TRY(model_content(descriptor, file->path, &new->content, error));
    new->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return new->descriptor >= 0 ? TLU_OK : file_fail(file->path, "written", errno, error);
}

void model_file_replace(struct model_file *file, const struct model_file_new *new, bool saved)
{
    struct stat now;
    if (new->descriptor < 0)
        return;
    if (!saved && (stat(file->path, &now) != 0 || !is_same_file(&now, &new->about))) {
        close(new->descriptor);
        return;
    }
    release(file);
    file->descriptor = new->descriptor;
    file->is_there = true;
    file->about = new->about;
    file->content = new->content;
}

void model_file_close(struct model_file *file)
{
    release(file);
    memory_free(file->path);
}
