// Writing a file whole or not at all: to a temporary file beside it, fsync, rename, fsync of the
// folder. If the target is not a regular file (a device, a pipe) it is written to directly;
// if it is a symbolic link, the file that it leads to is replaced. Temporary files that killed
// processes have left beside it, FILE_LEFTOVER_SECONDS ago or more, are removed on the way.
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
// Called before a new file takes the place of the old one. The file is on the disk, and
// `descriptor`, which can be read from and has a lock on it, is closed afterwards. An error leaves
// the old file.
typedef tlu_status file_ready(void *context, int descriptor, tlu_error *error);
// Frees the writer either way. `ready` may be NULL, and is not called for what is written to
// directly. A folder that cannot be synchronised is an error too, after which
// the new file is in place.
tlu_status file_commit(struct file_writer *writer, file_ready *ready, void *context,
                       tlu_error *error);
void file_abort(struct file_writer *writer); // removes the temporary file; frees; NULL is fine

// The error of a call that failed with this errno: of input if the path is wrong, else the
// system's. `doing` is "read" or "written".
tlu_status file_fail(const char *name, const char *doing, int number, tlu_error *error);

// Follows symbolic links to a file that need not exist; the folders on the way stay as they are
// named. 0, or errno; the caller frees *target with memory_free.
int file_follow_links(const char *path, char **target);

// Around a call that makes a file larger. Beyond the limit of the process on the size of files
// (`ulimit -f`) the call fails with EFBIG, and SIGXFSZ does not end the program.
struct file_limit {
    sigset_t before;  // signals that the thread had blocked
    bool was_pending; // the signal was waiting already, and is the program's own
};
void file_limit_begin(struct file_limit *limit);
void file_limit_end(const struct file_limit *limit); // errno stays as it is

// Makes the names of the folder that a file is in outlast a power cut: 0, or errno.
int file_sync_folder(const char *path);

#define FILE_HEAD 65536 // bytes of a file that are looked at before the others are read

// Looks at the first bytes of a file, FILE_HEAD or all that it has. An error ends the reading;
// *most may be lowered to the size of which the file says that it has it.
typedef tlu_status file_look(const char *path, const unsigned char *bytes, size_t size,
                             uint64_t *most, tlu_error *error);
// Refuses a byte 0: for formats of text.
tlu_status file_look_text(const char *path, const unsigned char *bytes, size_t size, uint64_t *most,
                          tlu_error *error);

// The whole of a regular file or stream in memory, at most `most` bytes (else an input error);
// `look` may be NULL. The caller frees *bytes with memory_free.
tlu_status file_read(const char *path, uint64_t most, file_look *look, unsigned char **bytes,
                     size_t *size, tlu_error *error);

#endif
