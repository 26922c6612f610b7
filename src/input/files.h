// The files of a data set, and the part of them that a process reads.
#ifndef TLU_INPUT_FILES_H
#define TLU_INPUT_FILES_H

#include "base/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file_list {
    char **paths; // [count]
    size_t count;
};

// The files that a path of a public function names: one file; several, with a newline between them;
// or those that match a pattern, in the order of their names. A name that exists is never a
// pattern.
tlu_status file_list_make(struct file_list *list, const char *path, tlu_error *error);
void file_list_free(struct file_list *list);

// --part K/N: part `number`, from 1, of `count`.
struct data_part {
    uint64_t number, count;
};
// {1, 1} if the option is not set.
tlu_status data_part_of(struct data_part *part, const tlu_options *options, tlu_error *error);
// Where the part begins and ends among `total` bytes, files or rows.
uint64_t data_part_start(const struct data_part *part, uint64_t total);
uint64_t data_part_end(const struct data_part *part, uint64_t total);

#endif
