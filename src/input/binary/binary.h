// The binary data file (docs/data-format.md): batches as they are in memory, so that a mapped file
// needs no parsing and no copying.
//
// A header describes the columns; then come blocks, one per batch, each with the names and
// labels that it is the first to use, so that the file can be written and read as a stream; then a
// block that says how many there were.
//
// Reading a block takes three steps. binary_next finds it and reads its names, one block after the
// other. binary_batch checks the arrays and makes the batch, in parallel on worker threads.
// binary_merge adds its names and labels to a growing schema, in file order.
#ifndef TLU_INPUT_BINARY_BINARY_H
#define TLU_INPUT_BINARY_BINARY_H

#include "base/options.h"
#include "input/parse.h"
#include "input/source.h"

#define BINARY_MAGIC "\x89TLUD\r\n\x1A"
#define BINARY_MAGIC_SIZE 8
#define BINARY_VERSION 2 // 1 if rows have one label
#define BINARY_ORDER 0x01020304u
#define BINARY_ALIGNMENT 64
#define BINARY_HEADER 64 // bytes before the columns
#define BINARY_BLOCK 128 // bytes of a block before its texts

// Flags of the file: its features are columns; columns have names; rows have sets of labels;
// features, which have numbers, are words.
enum { BINARY_CSV = 1, BINARY_NAMED = 2, BINARY_SETS = 4, BINARY_WORDS = 8 };
enum { BINARY_ONES = 1, BINARY_WEIGHTED = 2 };   // flags of a block
enum { BINARY_IS_BLOCK = 1, BINARY_IS_END = 2 }; // kinds of a block

// As in the file; all sizes are multiples of 64.
struct binary_header {
    char magic[BINARY_MAGIC_SIZE];
    uint32_t version;
    uint32_t order; // BINARY_ORDER as the writing machine has it
    uint64_t size;  // of the header with the columns and settings after it
    uint32_t flags;
    uint32_t delimiter; // of CSV
    uint32_t columns, settings;
    uint32_t format;    // enum data_format if features are names, else 0
    uint32_t unused[4]; // 0
    uint32_t crc;       // of the header without this field
};

struct binary_block_header {
    uint32_t kind;
    uint32_t crc;  // of the head from the next field on
    uint64_t size; // of the block
    uint64_t head; // of the part before the arrays: this and the texts
    uint32_t arrays_crc;
    uint32_t flags;
    uint64_t rows, nonzeros;
    uint32_t labels, names; // new ones
    uint64_t first_line;    // lines of the text before the block
    uint64_t lines, skipped, queries;
    uint32_t lowest, highest; // LIBSVM indices that are their own numbers; lowest > highest: none
    uint64_t more_labels;     // rows with more than one label
    uint64_t set_cells;       // BINARY_SETS: numbers in the array of sets
    uint32_t unused[4];       // 0
};
// The last block has the same header, of the whole: rows, nonzeros, labels, names, and in lines the
// number of blocks before it. It has no arrays.

_Static_assert(sizeof(struct binary_header) == BINARY_HEADER, "no gaps");
_Static_assert(sizeof(struct binary_block_header) == BINARY_BLOCK, "no gaps");

struct binary;

// A block that was found.
struct binary_block {
    struct binary_block_header header;
    const char *bytes; // [header.size]
    char *owned;       // the same, if it was read into memory and not mapped
    bool end;          // no rows: this is the last one
    uint64_t number;   // of blocks before it
    uint32_t labels_before, names_before;
    uint64_t position; // bytes of the file read by its end
};

bool binary_is(const char *bytes, size_t size);

// `first` is what has been read from the source already. A growing schema gets the file's columns;
// a frozen one is what the file's features and labels are translated to.
tlu_status binary_open(struct binary **binary, struct source *source, const char *path,
                       const char *first, size_t size, const struct parser *parser,
                       struct schema *schema, tlu_error *error);
void binary_close(struct binary *binary);
enum data_format binary_format(const struct binary *binary); // of the file
bool binary_has_sets(const struct binary *binary);           // rows have sets of labels

// The options about the data that the file was made with. Those that `options` leaves open are set
// there; an error if it says otherwise.
tlu_status binary_adopt(const struct binary *binary, tlu_options *options, tlu_error *error);

tlu_status binary_next(struct binary *binary, struct binary_block *block, tlu_error *error);
// Frees what is left of a block that became no batch.
void binary_drop(struct binary_block *block);
// *batch, if not NULL, is one to use again.
tlu_status binary_batch(const struct binary *binary, struct binary_block *block,
                        struct batch **batch, tlu_error *error);
// Growing only, before the first block: features become slots of 2^bits (data/hash.h). The file's
// names stay in memory nevertheless. False if out of memory.
bool binary_hash(struct binary *binary, uint32_t bits);
// Growing only. Keeps the rows of the subset alone; `first` is the number of the first row in the
// file.
tlu_status binary_merge(struct binary *binary, const struct binary_block *block,
                        struct batch **batch, const struct subset *subset, uint64_t first,
                        tlu_error *error);
// Drops the pages of a batch that is no longer used.
void binary_forget(const struct binary *binary, const struct batch *batch);

// ---- rows.c: names and labels of the file in a model ----

#define BINARY_NONE UINT32_MAX          // not in the frozen schema
#define BINARY_IGNORED (UINT32_MAX - 1) // of a column that the model ignores
#define BINARY_MARKER BATCH_LOCAL       // plus the model's column: the value is missing there

// An array that grows while other threads read it: no entry ever moves.
#define NUMBERS_SEGMENT 65536u
struct numbers {
    uint32_t *segments[32768]; // [NUMBERS_SEGMENT] each
    uint32_t count;
};
static inline uint32_t numbers_at(const struct numbers *numbers, uint32_t i)
{
    return numbers->segments[i / NUMBERS_SEGMENT][i % NUMBERS_SEGMENT];
}

// The columns of the file, and the numbers that its features and labels have in the schema.
struct binary_names {
    struct schema file;       // columns alone; of LIBSVM none
    struct table columns;     // names of the file's columns, numbered by their places
    uint32_t *place;          // [column_count] the model's column for the file's; SCHEMA_NONE: none
    bool labels_differ;       // the file's labels are not what the model predicts
    bool markers;             // some feature is a BINARY_MARKER
    struct numbers *feature;  // of each name, in a frozen schema
    struct numbers *class_of; // of each label
};

// Of a feature COLUMN=VALUE: the place of the column, and where the value starts. SCHEMA_NONE if
// there is no such column.
uint32_t binary_column_of(const struct schema *schema, const struct table *columns,
                          const char *name, size_t length, size_t *value);
// Frozen: which of the model's columns the file's are.
tlu_status binary_match_columns(struct binary_names *names, const struct schema *model,
                                const char *path, tlu_error *error);
// The next name or label of the file; false if out of memory.
bool binary_add_name(struct binary_names *names, const struct schema *model, const char *name,
                     size_t length);
bool binary_add_label(struct binary_names *names, const struct schema *model, const char *label,
                      size_t length);
void binary_names_free(struct binary_names *names);

// ---- write.c ----

struct binary_writer {
    tlu_write_function write;
    void *context;
    bool failed;
    uint64_t blocks, rows, nonzeros;
    uint32_t labels, names; // written so far
};

// All return false if writing failed or out of memory.
bool binary_write_header(struct binary_writer *writer, const struct schema *schema,
                         const tlu_options *options);
bool binary_write_batch(struct binary_writer *writer, const struct schema *schema,
                        const struct batch *batch);
bool binary_write_end(struct binary_writer *writer);

#endif
