// The schema: which feature has which number, which label which class, and back. It grows while
// training data is read and is frozen in the model.
//
// Feature numbers while growing: a LIBSVM index below SCHEMA_DIRECT is its own number, so the usual
// case needs no look-up. Every other feature is a name in a table, numbered from `base` on
// (SCHEMA_DIRECT for LIBSVM, 0 for all others). Names that are LIBSVM indices are in a table of
// their own (large.h). Numbers without a feature cost address space, not memory; with many classes,
// weights skip them (space/feature_slots.h).
//
// Feature numbers when frozen: 0, 1, 2... without gaps. The first `numbered` features are those of
// ids[], ascending; the rest are names[]. rank[] maps a LIBSVM index to its feature.
//
// With --hash there are no names: while growing the number is the slot (hash.h); when frozen ids[]
// are the slots that are kept.
#ifndef TLU_DATA_SCHEMA_H
#define TLU_DATA_SCHEMA_H

#include "data/batch.h"
#include "data/formats.h"
#include "data/indices.h"

#include <assert.h>

#define SCHEMA_DIRECT (1u << 20)
#define SCHEMA_NONE UINT32_MAX

// How text becomes features (input/text/words.h).
struct word_rule {
    uint32_t ngrams; // the longest run of words that is a feature; 0: no words
    bool lowercase;
    uint32_t chars_min, chars_max; // characters of a run of characters; 0: no such runs
};

enum column_kind { COLUMN_NUMERIC, COLUMN_CATEGORICAL, COLUMN_LABEL, COLUMN_IGNORED, COLUMN_TEXT };

// Whether the values of a column are features.
static inline bool column_has_features(enum column_kind kind)
{
    return kind != COLUMN_LABEL && kind != COLUMN_IGNORED;
}

// How the label column was found, in training.
enum label_reason { LABEL_UNKNOWN, LABEL_GIVEN, LABEL_BY_NAME, LABEL_LAST };

// The VALUE in the feature COLUMN=VALUE of a missing value.
#define MISSING_VALUE "(missing)"

// What a missing value of a column becomes (data/impute.h).
struct fill {
    bool known;
    double value; // of a numeric column
    char *text;   // of a categorical column; NULL: it is a value of its own
    // The mean of a numeric column, so that a stream can continue it.
    double sum;
    uint64_t count; // values that are not missing
};

struct column { // of CSV, or a member of JSON records
    char *name; // from the header, else its number from 1
    enum column_kind kind;
    uint32_t feature; // of a numeric column; SCHEMA_NONE else
    bool recognised;  // in training: no option told that it is a text, or to be ignored
    uint64_t missing; // in training: values that are missing; UINT64_MAX: not counted
    struct fill fill;
    bool by_type; // of JSON: numeric or categorical in the first rows; any type may follow
};

// The kind in files: kinds of columns, then numeric and categorical ones with by_type.
#define COLUMN_CODES (COLUMN_TEXT + 3)
static inline unsigned column_code(const struct column *column)
{
    return column->kind + (column->by_type ? COLUMN_TEXT + 1u : 0);
}
static inline void column_set_code(struct column *column, unsigned code)
{
    assert(code < COLUMN_CODES);
    column->by_type = code > COLUMN_TEXT;
    column->kind = (enum column_kind)(column->by_type ? code - COLUMN_TEXT - 1 : code);
}
#define SEPARATOR_SIZE 8 // of --label-separator, with its NUL

// --hash. All zero if features are not hashed.
struct slots {
    uint32_t bits; // 2^bits slots; 0: features are not hashed
    // Growing: [2^bits] the mark of the first name in the slot, with the lowest bit set if another
    // name has the same slot; 0: none.
    uint32_t *marks;
    uint32_t used, shared; // slots with a name, slots with several
    uint64_t *met;         // growing: [2^bits / 64] a bit for each slot in use
    // Frozen: [2^bits / 64] a bit for each slot that is kept; the number of kept slots before each
    // word with such bits.
    uint64_t *kept;
    uint32_t *before;
};

struct schema {
    bool frozen;
    bool known; // growing: format and columns are settled, names and labels may be added
    enum data_format format; // DATA_LIBSVM for a stream of rows that are given as numbers
    struct word_rule words;
    bool numbered_words;     // binary data: words have numbers in place of names
    struct table stop_words; // in the form in which words are compared

    uint32_t base;             // growing: the number of names[0]
    struct index_range direct; // growing: the LIBSVM indices met below SCHEMA_DIRECT
    uint32_t *ids; // frozen: [numbered] LIBSVM indices, ascending, below SCHEMA_DIRECT; or slots
    uint32_t numbered;
    uint32_t *rank; // frozen: [rank_count] feature of a LIBSVM index, or SCHEMA_NONE
    uint32_t rank_count;
    struct table names;
    struct indices large; // LIBSVM indices from SCHEMA_DIRECT on, in place of names[] (large.h)
    struct slots slots;

    // Labels: "+1", "1" and "1.0" are one class. `labels` has the form that is compared, `spelled`
    // the one that is printed, both numbered by class.
    struct table labels;
    char **spelled;
    size_t spelled_capacity;
    bool multilabel;                // --multilabel: a row has a set of labels (batch.sets)
    char separator[SEPARATOR_SIZE]; // --label-separator

    struct column *columns; // of CSV, or of JSON records: those that are decided on
    size_t column_count;
    bool header;
    char delimiter;
    bool decimal_comma; // CSV numbers have a comma
    bool plain;         // to copy CSV columns: texts are categories, and identifiers are kept
    enum label_reason label_reason;
};

static inline bool schema_is_csv(const struct schema *schema)
{
    return format_has_columns(schema->format);
}
// JSON with columns: records, which are rows of a table, or objects with a member "features", whose
// only column is "text".
static inline bool schema_has_members(const struct schema *schema)
{
    return schema->format == DATA_JSONL && schema->column_count > 0;
}
bool schema_is_records(const struct schema *schema);
static inline bool schema_is_table(const struct schema *schema)
{
    return schema_is_csv(schema) || schema_is_records(schema);
}
// Frozen: whether rows of CSV and JSON records are both read by the names of their columns.
static inline bool schema_names_columns(const struct schema *schema)
{
    return schema->frozen && !schema->slots.bits && schema_is_table(schema) &&
           (schema->header || !schema_is_csv(schema));
}
// Whether one column is the label, or the columns are those of objects with "features".
bool schema_columns_fit(const struct schema *schema);
// Whether format and columns are fixed.
static inline bool schema_is_settled(const struct schema *schema)
{
    return schema->frozen || schema->known;
}
static inline bool schema_is_named(const struct schema *schema)
{
    return format_is_named(schema->format);
}
// Whether features are numbers, which are their own names.
static inline bool schema_is_indexed(const struct schema *schema)
{
    return format_is_indexed(schema->format);
}

// Whether parsers look features up; else they store names and indices (batch.h).
static inline bool schema_looks_up(const struct schema *schema)
{
    return schema->frozen && !schema->slots.bits;
}

// Frozen: whether the LIBSVM indices of a model have no gaps.
static inline bool schema_is_run(const struct schema *schema)
{
    uint32_t count = schema->numbered;
    return count && schema->ids[count - 1] - schema->ids[0] == count - 1;
}

static inline uint32_t schema_names(const struct schema *schema)
{
    return schema->names.count + schema->large.count;
}
// The text of a name, numbered from 0. It may be in `scratch`, which has LARGE_SCRATCH bytes.
const char *schema_name_at(const struct schema *schema, uint32_t name, char *scratch,
                           size_t *length);

void schema_init(struct schema *schema);
void schema_free(struct schema *schema);

// --multilabel, --label-separator: how the labels of a row are read.
tlu_status schema_set_labels(struct schema *schema, const tlu_options *options, tlu_error *error);
tlu_status separator_of(const tlu_options *options, char separator[SEPARATOR_SIZE],
                        tlu_error *error);

// One more than the largest feature number: the length of a weight vector.
size_t schema_features(const struct schema *schema);
// Growing: the first number from this one on that may have a feature; past the last, any number
// from schema_features on.
size_t schema_next_slot(const struct schema *schema, size_t number);
static inline size_t schema_next(const struct schema *schema, size_t number)
{
    return schema->slots.bits ? schema_next_slot(schema, number) : number;
}
// Growing: the first numbers, some of which may have no feature.
size_t schema_gaps(const struct schema *schema);
// What a user would count: LIBSVM's highest index (one more if index 0 occurs) plus the names.
uint64_t schema_columns(const struct schema *schema);

// Features by name, as printed: "17", "age", "outlook=rainy". SCHEMA_NONE: no such feature (find),
// or out of memory (add; growing only).
uint32_t schema_find(const struct schema *schema, const char *name, size_t length);
uint32_t schema_add(struct schema *schema, const char *name, size_t length);
// Returns the length of the whole name, like snprintf.
size_t schema_name(const struct schema *schema, uint32_t feature, char *out, size_t size);

// Makes a growing schema without features use slots; false: out of memory.
bool schema_hash(struct schema *schema, uint32_t bits);
// Growing: records a name with this mark in its slot.
void schema_note(struct schema *schema, uint32_t slot, uint32_t mark);
// Growing: marks a slot of a model that is trained further as in use.
static inline void schema_meet(struct schema *schema, uint32_t slot)
{
    schema->slots.met[slot / 64] |= (uint64_t)1 << slot % 64;
}
// Frozen: the feature of a slot, or SCHEMA_NONE.
static inline uint32_t schema_slot_feature(const struct schema *schema, uint32_t slot)
{
    const struct slots *slots = &schema->slots;
    assert(schema->frozen && slot >> slots->bits == 0);
    uint64_t word = slots->kept[slot / 64], bit = (uint64_t)1 << slot % 64;
    if (!(word & bit))
        return SCHEMA_NONE;
    return slots->before[slot / 64] + (uint32_t)__builtin_popcountll(word & (bit - 1));
}

// Whether a feature is a word of a text, or a run of words or characters. Not for hashed features
// of a table.
bool schema_is_word(const struct schema *schema, uint32_t feature);
// Whether a feature is a number of a table, or of a format that has no categories and words.
bool schema_is_number(const struct schema *schema, uint32_t feature);
// The column whose missing values a feature of this name marks, or SCHEMA_NONE.
uint32_t schema_marked_column(const struct schema *schema, const char *name, size_t length);
// The feature COLUMN=VALUE, or SCHEMA_NONE. False: out of memory.
bool schema_find_value(const struct schema *schema, const struct column *column, const char *value,
                       uint32_t *feature);
bool schema_has_texts(const struct schema *schema); // some features may be words
// Of a table: the column of texts if no other column has features, else NULL.
const struct column *schema_text_column(const struct schema *schema);
void column_free(struct column *column);
bool column_copy(struct column *to, const struct column *from); // false: out of memory

// The form in which labels are compared: "1" for "+1" and "1.0", any other label as it is.
const char *schema_compared_form(const char *label, size_t *length);
uint32_t schema_class_find(const struct schema *schema, const char *label, size_t length);
uint32_t schema_class_add(struct schema *schema, const char *label, size_t length);
static inline uint32_t schema_classes(const struct schema *schema)
{
    return schema->labels.count;
}
// The label most similar to an unknown one, or NULL if none is similar.
const char *schema_near_label(const struct schema *schema, const char *label);
// Writes the labels for a message, the most similar ones first: "'a', 'b' and 7 more".
const char *schema_list_labels(const struct schema *schema, const char *label, char *out,
                               size_t size);
// Orders labels: numbers by value, then texts by their bytes.
int schema_label_compare(const char *a, const char *b);

// Growing: replaces the batch's own numbers by the schema's (batch.h); false: out of memory.
bool schema_merge(struct schema *schema, struct batch *batch);

// Frozen: fills rank[], or the index of slots, from ids[]; false: out of memory.
bool schema_rank(struct schema *schema);

#endif
