// A data set in parts, parsed once, for many trainings.
#ifndef TLU_MODEL_SPLIT_SPLIT_H
#define TLU_MODEL_SPLIT_SPLIT_H

#include "data/facts.h"
#include "input/reader.h"
#include "model/model.h"

// ---- pack.c ----

struct data_summary {
    bool table;   // the first rows are a table of numbers (data/scale.h)
    bool words;   // text: --ngrams and --lowercase apply
    bool missing; // a table with missing values
    uint64_t rows, nonzeros, features;
    char *few; // CSV: columns to try as categories (pack.c); NULL: none
};

struct packed_rows {
    unsigned char *bytes; // NULL: not enough memory
    size_t size;
    // Features have numbers instead of names, which gives the same model faster; options about
    // names and words do not apply any more.
    bool numbered;
    struct data_summary summary;
    struct data_facts facts;
};

// Reads the file, or the bytes of the row source, into memory as far as --memory allows.
tlu_status pack_rows(struct packed_rows *packed, const char *path,
                     const struct row_source *row_source, const tlu_options *options,
                     tlu_error *error);

// ---- split.c ----

// As split_open (model.h), but the rows are parsed once, unless they need more than --memory. The
// row source must outlive the split. Several threads may train and evaluate on it at the same time.
tlu_status split_open_parsed(const char *path, const struct row_source *whole,
                             const tlu_options *options, size_t parts, tlu_split **split,
                             tlu_error *error);

const struct data_summary *split_summary(const tlu_split *split);
size_t split_classes(const tlu_split *split);
// The caller frees them; the split has none from then on.
struct data_facts split_take_facts(tlu_split *split);
size_t split_bytes(const tlu_split *split); // in memory; 0 if the rows are not
// Adapts options of the data to the split, in which features may have numbers instead of names
// (struct packed_rows).
tlu_status split_adapt(const tlu_split *split, tlu_options *options, tlu_error *error);

// Divides the rows as the n-th call of tlu_split_shuffle does, where opening the split is the
// first.
tlu_status split_divide(tlu_split *split, size_t division, tlu_error *error);

// tlu_split_train. A batch learner starts from the multipliers, of a training on the same rows with
// another C, and leaves its own there.
tlu_status split_train_from(const tlu_split *split, size_t part, const tlu_options *options,
                            struct multipliers *multipliers, tlu_progress_function progress,
                            void *context, tlu_model **model, tlu_error *error);

// Fills order[rows] with the rows in random order, such that the first n of them have about the
// same shares of classes for any n. Rows that are in no part are left out: their places are not
// filled.
tlu_status split_sample_order(tlu_split *split, uint64_t *order, tlu_error *error);

// ---- shards.c: the rows are those of several processes ----

struct team;
// The class of each row: the label's number, of a set that of its first label, EMPTY_SET, or
// SCHEMA_NONE: the row is in no part.
struct row_classes {
    uint32_t *of; // [count]
    uint64_t count;
};
#define EMPTY_SET (SCHEMA_NONE - 1)

// Replaces the classes of the rows of this process by those of all, in the order of the processes,
// with one numbering of their labels. *first: the first row of this process.
tlu_status shards_gather(struct team *team, const struct schema *schema, struct row_classes *rows,
                         uint32_t *classes, uint64_t *first, tlu_error *error);
// The parts of the rows of this process if blocks of rows are dealt to the processes
// (data/batch.h). *own, NULL at first, is allocated for them. False: out of memory.
bool shards_deal(const struct team *team, const uint32_t *part, uint64_t rows, uint32_t **own,
                 uint64_t *own_rows);

#endif
