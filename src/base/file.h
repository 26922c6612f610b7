// Writes a file completely or not at all: to a temporary file beside it, fsync, rename, fsync of
// the folder. A target that is not a regular file (a device, a pipe) is written to directly; if it
// is a symbolic link, the file that it leads to is replaced. Temporary files that killed processes
// left beside it at least FILE_LEFTOVER_SECONDS ago are removed.
#ifndef TLU_BASE_FILE_H
#define TLU_BASE_FILE_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>

#define FILE_LEFTOVER_SECONDS 60

struct file_writer; // opaque

tlu_status file_begin(struct file_writer **writer, const char *path, tlu_error *error);
// A failure is remembered and reported by file_commit, so that callers need not check each write.
void file_put(struct file_writer *writer, const void *bytes, size_t size);
// Called before the new file replaces the old one. The new file is on the disk. `descriptor` is
// open for reading, holds a lock on it, and is closed afterwards. On an error the old file stays.
typedef tlu_status file_ready(void *context, int descriptor, tlu_error *error);
// Frees the writer, also on an error. `ready` may be NULL; it is not called for a target that is
// written to directly. A failed fsync of the folder is an error, although the new file is in place.
tlu_status file_commit(struct file_writer *writer, file_ready *ready, void *context,
                       tlu_error *error);
void file_abort(struct file_writer *writer); // removes the temporary file; frees; NULL is fine
// Commits several files in one folder: all are on the disk before the first is renamed, so that
// none is replaced if a disk is full. Frees the writers, also on an error.
tlu_status file_commit_all(struct file_writer **writers, size_t count, tlu_error *error);
// Whether a write has failed, which file_commit will report. Other threads may ask.
bool file_has_failed(const struct file_writer *writer);

// The folder of temporary files: TMPDIR or /tmp.
const char *file_temporary_folder(void);
// Opens a new file there that has no name: it goes when the process ends, for any reason. Returns 0
// or errno.
int file_open_unnamed(int *descriptor);
// A writer of such a file.
tlu_status file_begin_unnamed(struct file_writer **writer, tlu_error *error);
// Ends it: *descriptor is open for reading and writing, at its start, and is the caller's. Frees
// the writer, also on an error.
tlu_status file_end_unnamed(struct file_writer *writer, int *descriptor, tlu_error *error);

// Reports a call that failed with this errno: an input error if the path is wrong, else a system
// error. `doing` is "read" or "written".
tlu_status file_fail(const char *name, const char *doing, int number, tlu_error *error);

// Follows symbolic links to a file that need not exist; links among its folders are kept. Returns 0
// or errno; the caller frees *target with memory_free.
int file_follow_links(const char *path, char **target);

// Begin and end enclose a call that may enlarge a file. Beyond the file size limit of the process
// (`ulimit -f`) the call fails with EFBIG, and SIGXFSZ does not end the program.
struct file_limit {
    sigset_t before;  // signals that the thread had blocked
    bool was_pending; // SIGXFSZ was pending before, and is the program's own
};
void file_limit_begin(struct file_limit *limit);
void file_limit_end(const struct file_limit *limit); // keeps errno

// Makes the folder's names survive a power cut: returns 0 or errno.
int file_sync_folder(const char *path);

#define FILE_HEAD 65536 // bytes that are checked before the rest of a file is read

// Checks the first FILE_HEAD bytes of a file, or all of a shorter one. An error stops the reading.
// It may lower *max to the size that the file states.
typedef tlu_status file_check(const char *path, const unsigned char *bytes, size_t size,
                              uint64_t *max, tlu_error *error);
// Fails on a zero byte: for text formats.
tlu_status file_check_text(const char *path, const unsigned char *bytes, size_t size, uint64_t *max,
                           tlu_error *error);

// Reads a whole regular file or stream into memory. More than `max` bytes are an input error.
// `check` may be NULL. The caller frees *bytes with memory_free.
tlu_status file_read(const char *path, uint64_t max, file_check *check, unsigned char **bytes,
                     size_t *size, tlu_error *error);

#endif
