#include "base/file.h"

#include "base/fault.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

enum { TEMPORARY_SIZE = 48, TRIES = 100, LINKS_MAX = 40 };

struct file_writer {
    char name[PATH_MAX];                       // as the user gave it, for messages
    char target[PATH_MAX];                     // what it leads to
    char temporary[PATH_MAX + TEMPORARY_SIZE]; // "": written to directly
    int descriptor;
    int lock;           // the same file, and its lock, until it has its name; -1: none
    _Atomic int failed; // errno of the first failure; 0: none so far
    size_t used;
    unsigned char buffer[1 << 16];
};

// Whether a failure is the user's to mend (a wrong path) and not the machine's.
static bool is_input(int number)
{
    static const int numbers[] = {ENOENT, ENOTDIR, EISDIR,       EACCES, EPERM,
                                  EROFS,  ELOOP,   ENAMETOOLONG, ENXIO};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

tlu_status file_fail(const char *name, const char *doing, int number, tlu_error *error)
{
    if (number == ENOMEM)
        return error_memory(error);
    if (is_input(number))
        return error_at(error, name, 0, 0, "cannot be %s: %s", doing, strerror(number));
    return error_system(error, "%s: cannot be %s: %s", error_file_name(name), doing,
                        strerror(number));
}

// ---- The limit on the size of files ----------------------------------------------------------

void file_limit_begin(struct file_limit *limit)
{
    sigset_t blocked, pending;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &blocked, &limit->before);
    limit->was_pending = sigismember(&limit->before, SIGXFSZ) == 1 && sigpending(&pending) == 0 &&
                         sigismember(&pending, SIGXFSZ) == 1;
}

void file_limit_end(const struct file_limit *limit)
{
    int failed = errno;
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGXFSZ);
    // The system sends SIGXFSZ to the thread that made the call, so it is pending for this one.
    if (failed == EFBIG && !limit->was_pending)
        sigtimedwait(&own, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &limit->before, NULL);
    errno = failed;
}

// ---- The calls that tests can make fail ------------------------------------------------------

static bool fails(enum fault_kind kind, int number)
{
    bool hit = fault_hit(kind);
    if (hit)
        errno = number;
    return hit;
}

static ssize_t try_write(int descriptor, const void *bytes, size_t size)
{
    if (fails(FAULT_WRITE, ENOSPC))
        return -1;
    struct file_limit limit;
    file_limit_begin(&limit);
    ssize_t n = write(descriptor, bytes, size);
    file_limit_end(&limit);
    return n;
}

static ssize_t try_read(int descriptor, void *bytes, size_t size)
{
    return fails(FAULT_READ, EIO) ? -1 : read(descriptor, bytes, size);
}

static int try_fsync(int descriptor)
{
    return fails(FAULT_FSYNC, EIO) ? -1 : fsync(descriptor);
}

static int try_rename(const char *from, const char *to)
{
    return fails(FAULT_RENAME, EIO) ? -1 : rename(from, to);
}

// ---- Writing ---------------------------------------------------------------------------------

// The length of the folder's part of a path, with its slash; 0: no folder.
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// Replaces a symbolic link by what it leads to, which need not exist; 0, or errno.
static int follow_links(char path[PATH_MAX])
{
    char link[PATH_MAX];
    for (int i = 0; i < LINKS_MAX; i++) {
        ssize_t n = readlink(path, link, sizeof link);
        if (n < 0)
            return errno == EINVAL || errno == ENOENT ? 0 : errno; // no link, or nothing there
        size_t length = (size_t)n, folder = link[0] == '/' ? 0 : folder_length(path);
        if (folder + length >= PATH_MAX)
            return ENAMETOOLONG;
        memcpy(path + folder, link, length);
        path[folder + length] = '\0';
    }
    return ELOOP;
}

int file_follow_links(const char *path, char **target)
{
    char followed[PATH_MAX];
    size_t length = strlen(path);
    *target = NULL;
    if (length >= sizeof followed)
        return ENAMETOOLONG;
    memcpy(followed, path, length + 1);
    int failed = follow_links(followed);
    if (!failed)
        *target = memory_copy_text(followed, strlen(followed));
    return failed || *target ? failed : ENOMEM;
}

static int close_descriptor(int *descriptor)
{
    int closing = *descriptor;
    *descriptor = -1;
    return closing >= 0 && close(closing) != 0 && errno != EINTR ? errno : 0;
}

// A temporary file is locked while it is written, which ends with the process, however that ends.
// False if another process that tidies up was faster: then it is gone, or will be.
static bool lock_temporary(struct file_writer *writer)
{
    struct stat about;
    if (flock(writer->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    if (fstat(writer->descriptor, &about) == 0 && about.st_nlink == 0)
        return false;
    // Closing shows errors of writing and comes before the rename; the lock stays until after it.
    writer->lock = fcntl(writer->descriptor, F_DUPFD_CLOEXEC, 0);
    return true;
}

// Makes a new file in the folder of the target. Its name is short, so that a target with the
// longest name that the file system takes can be written too.
static int open_temporary(struct file_writer *writer)
{
    size_t folder = folder_length(writer->target);
    memcpy(writer->temporary, writer->target, folder);
    errno = EEXIST;
    for (unsigned i = 0; i < TRIES; i++) {
        snprintf(writer->temporary + folder, TEMPORARY_SIZE, ".tlu-%ld-%u.tmp", (long)getpid(), i);
        writer->descriptor = open(writer->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (writer->descriptor >= 0 && lock_temporary(writer))
            return 0;
        if (writer->descriptor < 0 && errno != EEXIST)
            break;
        close_descriptor(&writer->descriptor);
        errno = EEXIST;
    }
    int failed = errno;
    writer->temporary[0] = '\0';
    return failed;
}

// ---- What a killed process left ----

static bool is_temporary_name(const char *name)
{
    long process;
    unsigned number;
    int length = 0;
    return sscanf(name, ".tlu-%ld-%u.tmp%n", &process, &number, &length) == 2 && length > 0 &&
           name[length] == '\0';
}

// Removes a temporary file that is no longer written to: it is not locked, and was last written
// to long before `now`. The second is for file systems that other machines write to and whose locks
// they do not share.
static void remove_leftover(int folder, const char *name, time_t now)
{
    int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    if (file < 0)
        return;
    // With the lock, and a name left, no other process can have replaced it by a new one.
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_nlink == 1 && about.st_uid == geteuid() &&
        now - about.st_mtime >= FILE_LEFTOVER_SECONDS)
        unlinkat(folder, name, 0);
    close(file);
}

// A failure here is no reason not to write the file.
static void remove_leftovers(const struct file_writer *writer)
{
    char name[PATH_MAX] = ".";
    size_t length = folder_length(writer->target);
    struct stat about;
    if (length)
        memcpy(name, writer->target, length);
    DIR *folder = opendir(name);
    const struct dirent *entry;
    if (!folder)
        return;
    // The time as the file system has it, which may not be this machine's.
    if (fstat(writer->descriptor, &about) == 0)
        while ((entry = readdir(folder)))
            if (is_temporary_name(entry->d_name) &&
                strcmp(entry->d_name, writer->temporary + length) != 0)
                remove_leftover(dirfd(folder), entry->d_name, about.st_mtime);
    closedir(folder);
}

// The owner of the old file is kept if that is allowed, the permissions always: 0, or errno.
static int copy_permissions(int descriptor, const struct stat *old)
{
    struct stat new;
    if (fstat(descriptor, &new) != 0)
        return errno;
    if ((old->st_uid != new.st_uid || old->st_gid != new.st_gid) &&
        fchown(descriptor, old->st_uid, old->st_gid) != 0)
        errno = 0;
    bool same = (old->st_mode & 0777) == (new.st_mode & 0777);
    return !same && fchmod(descriptor, old->st_mode & 0777) != 0 ? errno : 0;
}

// Opens what is to be written to: 0, or errno.
static int open_target(struct file_writer *writer)
{
    struct stat old;
    bool exists = stat(writer->target, &old) == 0;
    if (!exists && errno != ENOENT)
        return errno;
    if (exists && !S_ISREG(old.st_mode)) {
        writer->descriptor = open(writer->target, O_WRONLY | O_CLOEXEC);
        return writer->descriptor < 0 ? errno : 0;
    }
    // A rename would replace a write-protected file without asking.
    if (exists && access(writer->target, W_OK) != 0)
        return errno;
    int failed = follow_links(writer->target);
    if (!failed)
        failed = open_temporary(writer);
    if (!failed)
        remove_leftovers(writer);
    return failed || !exists ? failed : copy_permissions(writer->descriptor, &old);
}

tlu_status file_begin(struct file_writer **writer, const char *path, tlu_error *error)
{
    *writer = NULL;
    TRY(check_given(path != NULL, "path", error));
    size_t length = strlen(path);
    if (length == 0)
        return error_input(error, "the name of the file to write is empty");
    if (length >= PATH_MAX)
        return error_at(error, path, 0, 0, "cannot be written: %s", strerror(ENAMETOOLONG));
    struct file_writer *new = memory_new(1, sizeof *new);
    if (!new)
        return error_memory(error);
    memcpy(new->name, path, length);
    memcpy(new->target, path, length);
    new->descriptor = new->lock = -1;
    int failed = open_target(new);
    if (failed) {
        file_abort(new);
        return file_fail(path, "written", failed, error);
    }
    *writer = new;
    return TLU_OK;
}

static void write_all(struct file_writer *writer, const unsigned char *bytes, size_t size)
{
    while (size > 0 && !writer->failed) {
        ssize_t n = try_write(writer->descriptor, bytes, size);
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            writer->failed = n == 0 ? EIO : errno;
        }
    }
}

static void flush(struct file_writer *writer)
{
    write_all(writer, writer->buffer, writer->used);
    writer->used = 0;
}

void file_put(struct file_writer *writer, const void *bytes, size_t size)
{
    if (size > sizeof writer->buffer - writer->used)
        flush(writer);
    if (size > sizeof writer->buffer) {
        write_all(writer, bytes, size);
    } else if (size > 0) {
        memcpy(writer->buffer + writer->used, bytes, size);
        writer->used += size;
    }
}

// After a power cut the folder may still lead to the old file unless it is synchronised too. Some
// file systems cannot do that, and some folders may be written to but not opened: no error.
int file_sync_folder(const char *path)
{
    char name[PATH_MAX] = ".";
    size_t length = folder_length(path);
    if (length >= sizeof name)
        return ENAMETOOLONG;
    if (length)
        memcpy(name, path, length);
    int folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return errno == EACCES || errno == EPERM ? 0 : errno;
    int failed = try_fsync(folder) != 0 ? errno : 0;
    close(folder);
    return failed == EINVAL || failed == ENOTSUP ? 0 : failed;
}

static void put_on_disk(struct file_writer *writer)
{
    flush(writer);
    if (!writer->failed && writer->temporary[0] != '\0' && try_fsync(writer->descriptor) != 0)
        writer->failed = errno;
}

// Closes the file, which is on the disk, and renames it.
static void replace_target(struct file_writer *writer)
{
    bool renames = writer->temporary[0] != '\0';
    int failed = close_descriptor(&writer->descriptor);
    if (!writer->failed)
        writer->failed = failed;
    if (writer->failed || !renames)
        return;
    if (try_rename(writer->temporary, writer->target) != 0)
        writer->failed = errno;
    else
        writer->temporary[0] = '\0'; // nothing to remove any more
}

static tlu_status sync_folder_of(const struct file_writer *writer, tlu_error *error)
{
    int failed = file_sync_folder(writer->target);
    return failed ? error_system(error, "%s: written, but a power cut may undo it: %s",
                                 error_file_name(writer->name), strerror(failed))
                  : TLU_OK;
}

tlu_status file_commit(struct file_writer *writer, file_ready *ready, void *context,
                       tlu_error *error)
{
    bool renames = writer->temporary[0] != '\0';
    tlu_status status = TLU_OK;
    put_on_disk(writer);
    if (!writer->failed && renames && ready)
        status = ready(context, writer->descriptor, error);
    if (status == TLU_OK)
        replace_target(writer);
    if (writer->failed)
        status = file_fail(writer->name, "written", writer->failed, error);
    else if (status == TLU_OK && renames)
        status = sync_folder_of(writer, error);
    file_abort(writer);
    return status;
}

tlu_status file_commit_all(struct file_writer **writers, size_t count, tlu_error *error)
{
    static void (*const steps[])(struct file_writer *) = {put_on_disk, replace_target};
    tlu_status status = TLU_OK;
    for (size_t step = 0; step < 2; step++)
        for (size_t i = 0; i < count && status == TLU_OK; i++) {
            steps[step](writers[i]);
            if (writers[i]->failed)
                status = file_fail(writers[i]->name, "written", writers[i]->failed, error);
        }
    if (count && status == TLU_OK)
        status = sync_folder_of(writers[0], error);
    for (size_t i = 0; i < count; i++)
        file_abort(writers[i]);
    return status;
}

bool file_has_failed(const struct file_writer *writer)
{
    return writer->failed != 0;
}

void file_abort(struct file_writer *writer)
{
    if (!writer)
        return;
    close_descriptor(&writer->descriptor);
    if (writer->temporary[0] != '\0')
        unlink(writer->temporary);
    close_descriptor(&writer->lock);
    memory_free(writer);
}

// ---- Files without a name --------------------------------------------------------------------

const char *file_temporary_folder(void)
{
    const char *name = getenv("TMPDIR");
    return name && name[0] ? name : "/tmp";
}

int file_open_unnamed(int *descriptor)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/tlu-temporary-XXXXXX", file_temporary_folder());
    if (length < 0 || (size_t)length >= sizeof path)
        return ENAMETOOLONG;
    *descriptor = mkstemp(path);
    if (*descriptor < 0)
        return errno;
    unlink(path);
    fcntl(*descriptor, F_SETFD, FD_CLOEXEC);
    return 0;
}

static tlu_status fail_unnamed(int why, tlu_error *error)
{
    return error_system(error,
                        "the temporary file in %.200s cannot be written: %s; TMPDIR names another "
                        "folder",
                        file_temporary_folder(), strerror(why));
}

tlu_status file_begin_unnamed(struct file_writer **writer, tlu_error *error)
{
    *writer = memory_new(1, sizeof **writer);
    TRY(enough_memory(*writer, error));
    (*writer)->descriptor = (*writer)->lock = -1;
    int failed = file_open_unnamed(&(*writer)->descriptor);
    if (!failed)
        return TLU_OK;
    file_abort(*writer);
    *writer = NULL;
    return fail_unnamed(failed, error);
}

tlu_status file_end_unnamed(struct file_writer *writer, int *descriptor, tlu_error *error)
{
    flush(writer);
    int failed = writer->failed;
    if (!failed && lseek(writer->descriptor, 0, SEEK_SET) < 0)
        failed = errno;
    if (!failed) {
        *descriptor = writer->descriptor;
        writer->descriptor = -1;
    }
    file_abort(writer);
    return failed ? fail_unnamed(failed, error) : TLU_OK;
}

// ---- Reading ---------------------------------------------------------------------------------

struct read_bytes {
    unsigned char *bytes; // [capacity]
    size_t size, capacity;
};

// Reads up to `max` bytes in all: 0, or errno. *ended is set at the end of the file.
static int read_up_to(int descriptor, uint64_t max, struct read_bytes *read, bool *ended)
{
    while (read->size < max && !*ended) {
        if (!memory_reserve(&read->bytes, &read->capacity, read->size + 1, 1))
            return ENOMEM;
        uint64_t space = read->capacity - read->size, wanted = max - read->size;
        size_t some = (size_t)(space < wanted ? space : wanted);
        ssize_t n = try_read(descriptor, read->bytes + read->size, some);
        if (n > 0)
            read->size += (size_t)n;
        else if (n < 0 && errno != EINTR)
            return errno;
        *ended = n == 0;
    }
    return 0;
}

// Reads the start of the file first, so that `check` can refuse an endless file.
static tlu_status read_all(int descriptor, const char *path, uint64_t max, file_check *check,
                           struct read_bytes *read, tlu_error *error)
{
    struct stat about;
    uint64_t limit = max;
    bool ended = false;
    int why = memory_reserve(&read->bytes, &read->capacity, FILE_HEAD, 1)
                  ? read_up_to(descriptor, FILE_HEAD, read, &ended)
                  : ENOMEM;
    if (!why && check)
        TRY(check(path, read->bytes, read->size, &limit, error));
    uint64_t stop = limit < UINT64_MAX ? limit + 1 : limit; // one more shows that it is too large
    if (!why && !ended && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_size > 0 && (uint64_t)about.st_size < limit &&
        !memory_reserve(&read->bytes, &read->capacity, (uint64_t)about.st_size + 1, 1))
        why = ENOMEM;
    if (!why)
        why = read_up_to(descriptor, stop, read, &ended);
    if (why && why != EISDIR && why != ENOMEM) // the path was right, or it would not be open
        return error_system(error, "%s: cannot be read: %s", error_file_name(path), strerror(why));
    if (why)
        return file_fail(path, "read", why, error);
    if (read->size <= limit)
        return TLU_OK;
    if (limit < max)
        return error_at(error, path, 0, 0, "is damaged: it is longer than its start says");
    return error_at(error, path, 0, 0, "is larger than %llu bytes", (unsigned long long)max);
}

tlu_status file_read(const char *path, uint64_t max, file_check *check, unsigned char **bytes,
                     size_t *size, tlu_error *error)
{
    TRY(check_given(path != NULL, "path", error));
    bool standard = strcmp(path, "-") == 0;
    int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && is_input(errno))
        return error_at(error, path, 0, 0, "cannot open: %s", strerror(errno));
    if (descriptor < 0)
        return file_fail(path, "read", errno, error);
    struct read_bytes read = {0};
    tlu_status status = read_all(descriptor, path, max, check, &read, error);
    if (!standard)
        close(descriptor);
    if (status != TLU_OK) {
        memory_free(read.bytes);
        return status;
    }
    *bytes = read.bytes;
    *size = read.size;
    return TLU_OK;
}

tlu_status file_check_text(const char *path, const unsigned char *bytes, size_t size, uint64_t *max,
                           tlu_error *error)
{
    (void)max;
    if (size == 0 || !memchr(bytes, '\0', size))
        return TLU_OK;
    size_t line = 1, column = 1;
    for (; *bytes; bytes++) {
        line += *bytes == '\n';
        column = *bytes == '\n' ? 1 : column + 1;
    }
    return error_at(error, path, line, column, "this is not text: it has a byte 0");
}
