// Writes a file completely or not at all (base/file.h), packed as its name says: .gz gzip, .zst
// zstd, any other name plain.
#ifndef TLU_INPUT_PACKED_FILE_H
#define TLU_INPUT_PACKED_FILE_H

#include "base/error.h"

struct packed_file;

tlu_status packed_file_begin(struct packed_file **file, const char *path, tlu_error *error);
// A failure is remembered and reported by packed_file_commit_all.
void packed_file_put(struct packed_file *packed, const void *bytes, size_t size);
bool packed_file_has_failed(const struct packed_file *packed);
// Ends the files, at most PACKED_FILES of one folder, and gives them their names when all of them
// are on the disk. Frees them, also on an error.
#define PACKED_FILES 3
tlu_status packed_file_commit_all(struct packed_file **files, size_t count, tlu_error *error);
void packed_file_abort(struct packed_file *packed); // removes what was written; frees; NULL is fine

#endif
