// For LD_PRELOAD: the n-th call of a wrapper of a system call fails.
//
//     FAIL_CALL   which: open (and openat, creat), read (and readv), write (and writev), ...
//     FAIL_AT     n, from 1; that call fails, no other
//     FAIL_ERRNO  the number that errno is set to
//     FAIL_MARK   a file that is made when it happens
//
// What the C library calls inside itself (stdio, malloc, the loader) is not seen.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
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

// Whether this call is the one, which sets errno.
static bool fails(const char *call)
{
    const char *chosen = getenv("FAIL_CALL"), *at = getenv("FAIL_AT"), *number, *mark;
    if (!chosen || !at || strcmp(chosen, call) != 0 || atomic_fetch_add(&calls, 1) + 1 != atol(at))
        return false;
    if ((mark = getenv("FAIL_MARK")))
        syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0666));
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
        return fails("open") ? -1 : next arguments;                                                \
    }

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
WRAP_OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

WRAP("access", -1, int, access, (const char *path, int mode), (path, mode))
WRAP("stat", -1, int, stat, (const char *path, struct stat *about), (path, about))
WRAP("stat", -1, int, fstat, (int file, struct stat *about), (file, about))
WRAP("read", -1, ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size))
WRAP("read", -1, ssize_t, readv, (int file, const struct iovec *parts, int count),
     (file, parts, count))
WRAP("pread", -1, ssize_t, pread, (int file, void *bytes, size_t size, off_t place),
     (file, bytes, size, place))
WRAP("pread", -1, ssize_t, pread64, (int file, void *bytes, size_t size, off64_t place),
     (file, bytes, size, place))
WRAP("write", -1, ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size))
WRAP("write", -1, ssize_t, writev, (int file, const struct iovec *parts, int count),
     (file, parts, count))
WRAP("write", -1, ssize_t, pwrite, (int file, const void *bytes, size_t size, off_t place),
     (file, bytes, size, place))
WRAP("write", -1, ssize_t, pwrite64, (int file, const void *bytes, size_t size, off64_t place),
     (file, bytes, size, place))
WRAP("fsync", -1, int, fsync, (int file), (file))
WRAP("fdatasync", -1, int, fdatasync, (int file), (file))
WRAP("rename", -1, int, rename, (const char *from, const char *to), (from, to))
WRAP("ftruncate", -1, int, ftruncate, (int file, off_t size), (file, size))
WRAP("ftruncate", -1, int, ftruncate64, (int file, off64_t size), (file, size))
WRAP("posix_fallocate", errno, int, posix_fallocate, (int file, off_t place, off_t size),
     (file, place, size))
WRAP("posix_fallocate", errno, int, posix_fallocate64, (int file, off64_t place, off64_t size),
     (file, place, size))
WRAP("mmap", MAP_FAILED, void *, mmap,
     (void *at, size_t size, int protection, int flags, int file, off_t place),
     (at, size, protection, flags, file, place))
WRAP("mmap", MAP_FAILED, void *, mmap64,
     (void *at, size_t size, int protection, int flags, int file, off64_t place),
     (at, size, protection, flags, file, place))

// The file is closed all the same, as the system does.
int close(int file)
{
    int (*next)(int);
    void *found = real("close");
    memcpy(&next, &found, sizeof next);
    int result = next(file);
    return fails("close") ? -1 : result;
}
