// The file of a model that learns from a stream. One stream at a time learns from it, whatever name
// it was opened by, and a save does not replace a model that the stream neither opened nor saved.
//
// Symbolic links are followed once, when the stream is opened. The file is locked, not its name, so
// that hard links count as the file that they are. A save makes a new file, which is locked before
// it takes the place of the old one.
#ifndef TLU_LIVE_JOURNAL_MODEL_FILE_H
#define TLU_LIVE_JOURNAL_MODEL_FILE_H

#include "live/journal/journal.h"

#include <sys/stat.h>

struct model_file {
    char *path;        // symbolic links followed
    bool is_new;       // there was no model when the stream was opened
    bool is_there;     // there is one, open at `descriptor`, which has the lock
    bool with_journal; // its content is known, and rows that are not saved are not lost
    int descriptor;
    struct stat about;            // the file, or its folder if there is none; st_nlink 0: not known
    struct journal_model content; // with a journal; 0: there is no model
};

// Finds the file, and opens and locks it if it is there. An error if a stream has it.
tlu_status model_file_open(struct model_file *file, const char *path, bool with_journal,
                           tlu_error *error);
// Once the journal is locked: opens the file again if it was replaced meanwhile, and identifies it.
tlu_status model_file_settle(struct model_file *file, tlu_error *error);
// An error unless the path still leads to the file. Without `content`, its bytes are not compared.
tlu_status model_file_check(const struct model_file *file, bool content, tlu_error *error);
// The new file of a save, which is open and locked.
struct model_file_new {
    int descriptor; // -1: there is none
    struct stat about;
    struct journal_model content;
};
// Before it takes the place of the old one: keeps it open and identifies it.
tlu_status model_file_keep(const struct model_file *file, struct model_file_new *new,
                           int descriptor, tlu_error *error);
// After a save. One that has failed may have done so after the new file was in its place.
void model_file_replace(struct model_file *file, const struct model_file_new *new, bool saved);
void model_file_close(struct model_file *file);

// Size and hash of an open file, whose path is for messages.
//
//     hash = 0xCBF29CE484222325
//     for each 8 bytes as a little-endian number, zeros after the last byte:
//         hash = (hash XOR number) * 0x9E3779B97F4A7C15 mod 2^64, hash = hash XOR (hash >> 32)
tlu_status model_content(int descriptor, const char *path, struct journal_model *content,
                         tlu_error *error);

#endif
