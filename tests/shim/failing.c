// For LD_PRELOAD: the n-th call of a wrapper of a system call fails.
//
//     FAIL_CALL   which: open (and openat, creat), read (and readv), write (and writev), ...;
//                 any: all of them; change: those after which files or what was written are others
//     FAIL_AT     n, from 1; that call fails, no other
//     FAIL_HOW    error: it fails, which is the default
//                 kill: before it the process gets SIGKILL
//                 full: the disk is full from then on: of what is written to files half is, once
//     FAIL_ERRNO  the number that errno is set to
//     FAIL_MARK   a file that is made when it happens
//     READ_MAX   bytes that a read of standard input gives at a time, at most
//
// What the C library calls inside itself (stdio, malloc, the loader) is not seen.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static atomic_bool is_full;

static bool is_setting(const char *name, const char *value)
{
    const char *set = getenv(name);
    return set && strcmp(set, value) == 0;
}

static bool changes(const char *call)
{
    static const char *const those[] = {"create", "write",           "rename",
                                        "unlink", "posix_fallocate", "ftruncate"};
    for (size_t i = 0; i < sizeof those / sizeof those[0]; i++)
        if (strcmp(call, those[i]) == 0)
            return true;
    return false;
}

// Whether it is among those that are counted. To create a file is to open it.
static bool is_chosen(const char *call)
{
    if (is_setting("FAIL_CALL", "change"))
        return changes(call);
    return is_setting("FAIL_CALL", "any") || is_setting("FAIL_CALL", call) ||
           (strcmp(call, "create") == 0 && is_setting("FAIL_CALL", "open"));
}

// Whether this call is the one, which sets errno.
static bool fails(const char *call)
{
    const char *at = getenv("FAIL_AT"), *number, *mark;
    if (!at || !is_chosen(call) || atomic_fetch_add(&calls, 1) + 1 != atol(at))
        return false;
    if ((mark = getenv("FAIL_MARK")))
        syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0666));
    if (is_setting("FAIL_HOW", "kill"))
        kill(getpid(), SIGKILL);
    if (is_setting("FAIL_HOW", "full")) {
        is_full = true;
        return false;
    }
    number = getenv("FAIL_ERRNO");
    errno = number ? atoi(number) : EIO;
    return true;
}

static void *real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    return found;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(arguments, unsigned) : 0;
}

#define WRAP(call, failed, type, name, parameters, arguments)                                      \
    type name parameters                                                                           \
    {                                                                                              \
        type(*next) parameters;                                                                    \
        void *found = real(#name);                                                                 \
        memcpy(&next, &found, sizeof next);                                                        \
        return fails(call) ? (failed) : next arguments;                                            \
    }

#define WRAP_OPEN(name, parameters, arguments)                                                     \
    int name parameters                                                                            \
    {                                                                                              \
        int(*next) parameters;                                                                     \
        void *found = real(#name);                                                                 \
        memcpy(&next, &found, sizeof next);                                                        \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        mode_t mode = mode_of(flags, list);                                                        \
        va_end(list);                                                                              \
        return fails(flags & O_CREAT ? "create" : "open") ? -1 : next arguments;                   \
    }

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
WRAP_OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

WRAP("access", -1, int, access, (const char *path, int mode), (path, mode))
WRAP("stat", -1, int, stat, (const char *path, struct stat *about), (path, about))
WRAP("stat", -1, int, fstat, (int file, struct stat *about), (file, about))
WRAP("read", -1, ssize_t, readv, (int file, const struct iovec *parts, int count),
     (file, parts, count))
WRAP("pread", -1, ssize_t, pread, (int file, void *bytes, size_t size, off_t place),
     (file, bytes, size, place))
WRAP("pread", -1, ssize_t, pread64, (int file, void *bytes, size_t size, off64_t place),
     (file, bytes, size, place))
WRAP("fsync", -1, int, fsync, (int file), (file))
WRAP("fdatasync", -1, int, fdatasync, (int file), (file))
WRAP("rename", -1, int, rename, (const char *from, const char *to), (from, to))
WRAP("ftruncate", -1, int, ftruncate, (int file, off_t size), (file, size))
WRAP("ftruncate", -1, int, ftruncate64, (int file, off64_t size), (file, size))
WRAP("unlink", -1, int, unlink, (const char *path), (path))
WRAP("mmap", MAP_FAILED, void *, mmap,
     (void *at, size_t size, int protection, int flags, int file, off_t place),
     (at, size, protection, flags, file, place))
WRAP("mmap", MAP_FAILED, void *, mmap64,
     (void *at, size_t size, int protection, int flags, int file, off64_t place),
     (at, size, protection, flags, file, place))

ssize_t read(int file, void *bytes, size_t size)
{
    ssize_t (*next)(int, void *, size_t);
    void *found = real("read");
    memcpy(&next, &found, sizeof next);
    const char *most = getenv("READ_MAX");
    if (most && file == STDIN_FILENO && size > (size_t)atol(most))
        size = (size_t)atol(most);
    return fails("read") ? -1 : next(file, bytes, size);
}

// Whether the disk is full for this file; *size: what there is room for, once.
static bool lacks_room(int file, size_t *size)
{
    static atomic_bool half_gone;
    int (*look)(int, struct stat *);
    void *found = real("fstat");
    memcpy(&look, &found, sizeof look);
    struct stat about;
    if (!is_full || look(file, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    if (size && *size > 1 && !atomic_exchange(&half_gone, true)) {
        *size /= 2;
        return false;
    }
    errno = ENOSPC;
    return true;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    ssize_t (*next)(int, const void *, size_t);
    void *found = real("write");
    memcpy(&next, &found, sizeof next);
    return fails("write") || lacks_room(file, &size) ? -1 : next(file, bytes, size);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    ssize_t (*next)(int, const struct iovec *, int);
    void *found = real("writev");
    memcpy(&next, &found, sizeof next);
    struct iovec some[8];
    size_t size = 0, left;
    if (fails("write") || count > 8)
        return -1;
    for (int i = 0; i < count; i++)
        size += parts[i].iov_len;
    left = size;
    if (lacks_room(file, &left))
        return -1;
    for (int i = 0; i < count; i++) {
        some[i] = parts[i];
        some[i].iov_len = left < parts[i].iov_len ? left : parts[i].iov_len;
        left -= some[i].iov_len;
    }
    return next(file, some, count);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t place)
{
    ssize_t (*next)(int, const void *, size_t, off_t);
    void *found = real("pwrite");
    memcpy(&next, &found, sizeof next);
    return fails("write") || lacks_room(file, NULL) ? -1 : next(file, bytes, size, place);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t place)
{
    return pwrite(file, bytes, size, (off_t)place); // files of tests are small
}

int posix_fallocate(int file, off_t place, off_t size)
{
    int (*next)(int, off_t, off_t);
    void *found = real("posix_fallocate");
    memcpy(&next, &found, sizeof next);
    return fails("posix_fallocate") || lacks_room(file, NULL) ? errno : next(file, place, size);
}

int posix_fallocate64(int file, off64_t place, off64_t size)
{
    return posix_fallocate(file, (off_t)place, (off_t)size);
}

// The file is closed all the same, as the system does.
int close(int file)
{
    int (*next)(int);
    void *found = real("close");
    memcpy(&next, &found, sizeof next);
    int result = next(file);
    return fails("close") ? -1 : result;
}
