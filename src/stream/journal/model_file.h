// The file of a model that learns from a stream. One stream at a time learns from it, whatever name
// it was opened by, and a save does not replace a model that the stream neither opened nor saved.
//
// Symbolic links are followed once, when the stream is opened. The lock is on the file, not on its
// name, so all hard links to the file share it. A save creates a new file and locks it before it
// replaces the old one.
#ifndef TLU_STREAM_JOURNAL_MODEL_FILE_H
#define TLU_STREAM_JOURNAL_MODEL_FILE_H

#include "stream/journal/journal.h"

#include <sys/stat.h>

struct model_file {
    char *path;        // with symbolic links followed
    bool is_new;       // there was no model when the stream was opened
    bool is_there;     // there is one, open at `descriptor`, which holds the lock
    bool with_journal; // `content` is known, and the journal keeps rows that are not saved
    int descriptor;
    struct stat about;            // the file, or its folder if there is none; st_nlink 0: unknown
    struct journal_model content; // only with a journal; 0: there is no model
};

// Finds the file; opens and locks it if it exists. Fails if another stream has locked it.
tlu_status model_file_open(struct model_file *file, const char *path, bool with_journal,
                           tlu_error *error);
// Call it once the journal is locked: opens the file again if it was replaced in the meantime, and
// computes its content.
tlu_status model_file_settle(struct model_file *file, tlu_error *error);
// Fails unless the path still leads to the file, and, with `content`, the file is unchanged.
tlu_status model_file_check(const struct model_file *file, bool content, tlu_error *error);
// The new file of a save, open and locked.
struct model_file_new {
    int descriptor; // -1: none
    struct stat about;
    struct journal_model content;
};
// Call it before the new file replaces the old one: keeps it open and computes its content.
tlu_status model_file_keep(const struct model_file *file, struct model_file_new *new,
                           int descriptor, tlu_error *error);
// Call it after a save. A save that failed may still have put the new file in place.
void model_file_replace(struct model_file *file, const struct model_file_new *new, bool saved);
void model_file_close(struct model_file *file);

// Computes the size and hash of an open file; `path` is for messages only.
//
//     hash = 0xCBF29CE484222325
//     for each 8 bytes as a little-endian number, zeros after the last byte:
//         hash = (hash XOR number) * 0x9E3779B97F4A7C15 mod 2^64, hash = hash XOR (hash >> 32)
tlu_status model_content(int descriptor, const char *path, struct journal_model *content,
                         tlu_error *error);

#endif
