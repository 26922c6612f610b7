// A batch: examples as compressed sparse rows, the common data structure of the library. Nothing
// downstream of a format knows where the bytes came from.
//
// A parser works alone on its chunk of the file, so it cannot number new labels and feature names.
// It adds them to small tables of the batch. schema_merge() then replaces their numbers by those of
// the whole data set, batch by batch in file order, so the numbering does not depend on the number
// of threads. Names that the schema has from earlier batches get its numbers at once
// (parser.lasting).
#ifndef TLU_DATA_BATCH_H
#define TLU_DATA_BATCH_H

#include "base/error.h"
#include "base/table.h"
#include "numeric/decimal.h"

#include <assert.h>
#include <stdbool.h>

// A feature index with this bit is a number in batch.names, or in batch.large.
#define BATCH_LOCAL 0x80000000u

// The lowest and highest of some indices; lowest > highest: there are none.
struct index_range {
    uint32_t lowest, highest;
};
#define NO_INDICES ((struct index_range){UINT32_MAX, 0})

static inline void index_range_add(struct index_range *range, uint32_t index)
{
    range->lowest = index < range->lowest ? index : range->lowest;
    range->highest = index > range->highest ? index : range->highest;
}

// Who owns the arrays of a batch, and how large they are.
struct batch_memory {
    size_t offsets_capacity, indices_capacity, values_capacity;
    size_t labels_capacity, sets_capacity, weights_capacity, line_capacity;
    // Arrays that the batch does not own, such as those of a mapped file. The batch never frees or
    // resizes them; they live as long as the reader or the cache that the batch comes from.
    bool lent_entries; // offsets, indices, values
    bool lent_rows;    // labels, sets, line, weights
    void *block;       // memory that the batch owns and such arrays are in, or NULL
    size_t block_size;
    size_t kept; // bytes that a cache has counted for the batch
    // The result of the function that reader_work sets; the batch frees it.
    struct batch_made {
        void *result;
        void (*free)(void *result);
    } made;
};

// Where in its file a batch comes from.
struct batch_place {
    uint64_t first_line; // lines of the file before this batch
    uint64_t lines;      // of the file in this batch
    uint64_t bytes;      // of the file read so far, at the end of this batch
    size_t file;         // its number, if the data has several
    // JSON objects, which need not end with a line:
    uint64_t column; // bytes after the last newline
    bool closed;     // the array has ended
};

struct batch_counts {
    uint64_t skipped_rows;     // malformed rows left out
    uint64_t unknown_values;   // categorical values that are not in a frozen schema
    uint64_t unknown_rows;     // rows with entries, none of which is in a frozen schema
    uint64_t multi_label_rows; // of a binary file: rows whose other labels were dropped
    uint64_t qid_fields;       // "qid:" fields ignored
    uint64_t unknown_labels;
    char unknown_label[64]; // the first of them
};

// Numbers as they are written (parser.exact); batch.values are the nearest floats.
struct batch_exact {
    struct decimal *values; // [entries]; NULL: not wanted, or the floats are exact
    size_t capacity;
    char *texts; // digits of numbers that have many, each with a NUL after it
    size_t size, texts_capacity;
    size_t known; // named features: entries that have a value so far
};

// Memory that parsers use while they fill a batch.
struct batch_scratch {
    char *text; // [text_capacity]
    size_t text_capacity;
    void *csv_quick;  // struct csv_quick, too large for a stack; NULL: not needed yet
    bool large;       // entries may be LIBSVM indices from SCHEMA_DIRECT on (large.h)
    uint32_t *places; // [places_capacity] where a feature was last stored
    size_t places_capacity;
    struct table compared; // labels of sets, in the form that is compared
    uint64_t *set_of;      // [set_of_capacity] by number in `compared`: the last set that has it
    size_t set_of_capacity;
    uint64_t set_number; // of the last set, from 1
    struct batch_exact exact;
    // JSON objects that are not lines: where the rows start in the chunk. 0 of them: rows are
    // lines.
    uint32_t *starts; // [starts_count]
    size_t starts_count, starts_capacity;
    char *source; // [source_size] the bytes that the batch was parsed from, if they are kept
    size_t source_size, source_capacity;
};

// --hash: the slots of the names and indices of a batch (hash.h).
struct hashed_names {
    struct hashed_name {
        uint32_t feature, mark;
    } * items; // [count] some may be there twice
    size_t count, capacity;
};

// Names that are LIBSVM indices (large.h). One may be there several times.
struct large_names {
    uint64_t *items; // [count]
    size_t capacity;
    uint32_t count;
};

struct batch {
    size_t rows;
    uint64_t first_row; // rows before this batch
    uint32_t *offsets;  // [rows + 1]
    uint32_t *indices;  // [offsets[rows]]; if rows are alike, those of one row, or NULL
    bool alike;         // batch_share: all rows have the same indices
    float *values;      // [offsets[rows]], never 0
    bool ones;          // every value is 1
    // [rows] class, TLU_NO_LABEL or TLU_UNKNOWN_LABEL; if there are sets, the place of the row's
    // set, or TLU_NO_LABEL.
    uint32_t *labels;
    // [set_cells] --multilabel: sets of labels, each its number of labels and then these, ascending
    // (before schema_merge in the order of the text). Rows may share a set. TLU_UNKNOWN_LABEL
    // stands for each label that the model does not know.
    uint32_t *sets;
    size_t set_cells; // 0: no row has a set
    float *weights;   // [rows]; unused unless `weighted`
    bool weighted;    // else every row has weight 1
    // [rows] 1: a row of --holdout, which no learner or scaling uses; NULL: none. Owned by the
    // caller.
    const uint8_t *held_out;
    uint32_t *line; // [rows] of the chunk that the row starts at, from 1

    struct table names;        // feature names of this batch
    struct large_names large;  // or names that are LIBSVM indices
    struct table classes;      // labels of this batch
    struct index_range direct; // indices without BATCH_LOCAL
    struct hashed_names hashed;

    struct batch_memory memory;
    struct batch_place place;
    struct batch_counts counts;
    struct batch_scratch scratch;
};

struct batch *batch_new(void);
void batch_free(struct batch *batch);
void batch_clear(struct batch *batch); // no rows; keeps the memory
// Drops all entries and names; keeps rows and labels.
void batch_drop_entries(struct batch *batch);

// Reserves memory for `rows` more rows and `nonzeros` more entries; false: out of memory.
bool batch_reserve(struct batch *batch, size_t rows, size_t nonzeros);
// Reserves memory for `count` entries in all.
bool batch_reserve_entries(struct batch *batch, size_t count);

// A part of the rows of a data set: those of one part alone, or those of all others. If blocks of
// rows are dealt to processes, the row numbers of the parts count the rows of one process.
struct subset {
    const uint32_t *part; // [rows] the part of each row of the file, or SUBSET_NONE; NULL: all rows
    uint64_t rows;
    uint32_t chosen;
    bool others; // all but the chosen part
    // --part: of every share_count blocks of SUBSET_BLOCK rows, the block number share; 0: all
    uint64_t share, share_count;
};
#define SUBSET_BLOCK 64

#define SUBSET_NONE UINT32_MAX // in no part
static inline bool subset_is_all(const struct subset *subset)
{
    return !subset->part && !subset->share_count;
}
bool subset_has(const struct subset *subset, uint64_t row);

// Removes the rows that are not in the subset, with the names and labels that only they have.
// `first` is the number of the batch's first row in the file. False: out of memory.
bool batch_select(struct batch *batch, const struct subset *subset, uint64_t first);
// Frees what a kept batch does not need: scratch memory, tables, and the values if all are 1.
void batch_shrink(struct batch *batch);
// For a kept batch that does not grow any more: if all rows have the same indices, as in dense data
// without zeros, keeps them once; if these are 0, 1, 2, ..., not at all. From then on use batch_row
// and row_feature alone.
void batch_share(struct batch *batch);
// Whether all rows of a batch that was not shared have the same indices.
bool batch_is_alike(const struct batch *batch);
// Replaces the labels of all sets by numbers[label], and sorts them.
void batch_renumber_sets(struct batch *batch, const uint32_t *numbers);
// Sorts the labels of a set.
void batch_sort_set(uint32_t *set);
// Takes over the entries of another batch with as many rows, and frees that batch.
void batch_take_entries(struct batch *batch, struct batch *from);
// Bytes of the arrays that the batch owns.
size_t batch_bytes(const struct batch *batch);

// The number of names in its own tables.
static inline uint32_t batch_names(const struct batch *batch)
{
    return batch->names.count + batch->large.count;
}

static inline bool batch_is_held_out(const struct batch *batch, size_t row)
{
    return batch->held_out && batch->held_out[row];
}

static inline size_t batch_nonzeros(const struct batch *batch)
{
    return batch->rows ? batch->offsets[batch->rows] : 0;
}

// The line of the file that a row starts at.
static inline uint64_t batch_line(const struct batch *batch, size_t i)
{
    return batch->place.first_line + batch->line[i];
}

static inline float batch_weight(const struct batch *batch, size_t i)
{
    return batch->weighted ? batch->weights[i] : 1;
}

// The set of labels of a row: their number, then the labels, ascending. NULL: rows have one label.
static inline const uint32_t *batch_set(const struct batch *batch, size_t i)
{
    assert(!batch->set_cells || batch->labels[i] < batch->set_cells);
    return batch->set_cells ? batch->sets + batch->labels[i] : NULL;
}

// The class by which rows are stratified: the label, or the first of a set; `classes` if it is
// empty.
static inline uint32_t batch_stratum(const struct batch *batch, size_t i, uint32_t classes)
{
    const uint32_t *set = batch_set(batch, i);
    return !set ? batch->labels[i] : set[0] ? set[1] : classes;
}

static inline tlu_row batch_row(const struct batch *batch, size_t i)
{
    assert(i < batch->rows);
    uint32_t start = batch->offsets[i];
    return (tlu_row){.count = batch->offsets[i + 1] - start,
                     .features = batch->alike ? batch->indices : batch->indices + start,
                     .values = batch->ones ? NULL : batch->values + start};
}

// The feature of entry i of a row.
static inline uint32_t row_feature(const tlu_row *row, size_t i)
{
    assert(i < row->count);
    return row->features ? row->features[i] : (uint32_t)i;
}

static inline double row_value(const tlu_row *row, size_t i)
{
    return row->values ? (double)row->values[i] : 1;
}

#endif
