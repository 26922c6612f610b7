// The table of formats. A new format is a file in src/input with its functions, and a row here:
// --format, models, binary data files, journals, reports and messages use the row. What `tlu
// convert` writes is in input/write.h.
#ifndef TLU_DATA_FORMATS_H
#define TLU_DATA_FORMATS_H

#include "base/options.h"

#include <stdbool.h>
#include <stddef.h>

// What the features of a row are.
enum format_features {
    // Numbers from 0 on, which need no table of names. The parser stores them itself: store() in
    // input/libsvm/libsvm.c. A model trained on such a format reads this one alone.
    FEATURES_INDEXED,
    FEATURES_COLUMNS, // fields of columns, some of which may be categories: CSV alone
    // Names, numbers among them. The parser passes lines to named_parse (input/named.h), which does
    // the rest. These formats share one space of names: a model trained on one reads the others
    // too.
    FEATURES_NAMED
};

// Which features --ngrams and --lowercase apply to.
enum format_words {
    WORDS_NONE, // none
    WORDS_SOME, // some: those that are words of a text
    WORDS_ALL   // all: every feature is a word or an n-gram
};

// The rows, in the order in which --format lists them:
//
//   number      of the format in files, from 0 without gaps; it never changes
//   id          the format is DATA_id in the source
//   name        what --format takes, and what reports and journals say
//   also        "|" and another name that --format takes, or ""
//   title       for messages: "is TITLE, but the model was trained on ..."
//   features    enum format_features
//   words       enum format_words
//   turn        recognisers run in ascending order of turn; each has its own, below 32. LIBSVM and
//               CSV accept much, so they come last
//   prefix      of the functions prefix_parse and prefix_recognise, below
//   id_of       a row_id_function; no_row_id: rows have no id
//   help        what the format is and where it comes from, in one line
//   example     one row, or the header and a row
//
// clang-format off
#define FORMATS(ROW)                                                                               \
    ROW(0, LIBSVM, "libsvm", "", "LIBSVM", FEATURES_INDEXED, WORDS_NONE, 25, libsvm, no_row_id,    \
        "a label and INDEX:VALUE pairs, as in LIBSVM, LIBLINEAR and SVMlight", "+1 3:0.5 17:1")    \
    ROW(1, CSV, "csv", "|tsv", "CSV", FEATURES_COLUMNS, WORDS_NONE, 30, csv, csv_row_id,           \
        "a table with or without a header; fields are separated by commas, tabs, semicolons, "     \
        "blanks or bars; columns are numbers, categories or texts",                                \
        "length,colour,label\n3.5,red,yes")                                                        \
    ROW(2, VW, "vw", "", "Vowpal Wabbit's format", FEATURES_NAMED, WORDS_NONE, 15, vw, vw_row_id,  \
        "a label and named features in namespaces, as in Vowpal Wabbit",                           \
        "1 |size length:3.5 |colour red")                                                          \
    ROW(3, FASTTEXT, "fasttext", "", "fastText's format", FEATURES_NAMED, WORDS_ALL,               \
        10, fasttext, no_row_id, "words after a __label__, as in fastText",                        \
        "__label__spam win a prize now")                                                           \
    ROW(4, JSONL, "jsonl", "", "JSON lines", FEATURES_NAMED, WORDS_SOME, 5, jsonl, jsonl_row_id,   \
        "one JSON object per line, or one array of objects",                                       \
        "{\"label\": \"yes\", \"length\": 3.5, \"colour\": \"red\"}")                                \
    ROW(5, TEXT, "text", "", "labelled text", FEATURES_NAMED, WORDS_ALL, 20, text, no_row_id,      \
        "a label, a tab and a text", "spam\twin a prize now")
// clang-format on

enum data_format {
#define FORMAT_ID(number, id, ...) DATA_##id = (number),
    FORMATS(FORMAT_ID)
#undef FORMAT_ID
#define FORMAT_ONE(...) +1
        DATA_FORMATS = 0 FORMATS(FORMAT_ONE)
#undef FORMAT_ONE
};

// Appends the rows of a chunk, which holds whole rows, to a batch (input/parse.h).
enum parse_result { PARSE_OK, PARSE_BAD, PARSE_MEMORY };
struct parser;
struct batch;
struct bad_row;
typedef enum parse_result parse_function(const struct parser *parser, const char *bytes,
                                         size_t size, struct batch *batch, struct bad_row *bad);

// Whether text that starts with these bytes looks like the format, given that no format with an
// earlier turn was recognised. Rows may lack a label.
typedef bool recognise_function(const char *bytes, size_t size);

// Appends the id of a row that was parsed before; "" if it has none (input/ids.h). False: out of
// memory.
struct ids;
struct id_source;
typedef bool row_id_function(struct ids *ids, const struct id_source *source, const char *row,
                             size_t size);

#define FORMAT_FUNCTIONS(number, id, name, also, title, features, words, turn, prefix, id_of, ...) \
    parse_function prefix##_parse;                                                                 \
    recognise_function prefix##_recognise;                                                         \
    row_id_function id_of;
FORMATS(FORMAT_FUNCTIONS)
#undef FORMAT_FUNCTIONS

struct format {
    const char *name, *also, *title;
    enum format_features features;
    enum format_words words;
    unsigned turn;
    parse_function *parse;
    recognise_function *recognise;
    row_id_function *id_of;
    tlu_format_info info;
};

extern const struct format format_table[DATA_FORMATS]; // input/formats.c

// The format with this name; false: there is no such format.
bool format_named(const char *name, enum data_format *format);
// The format that --format names; false: auto.
bool format_chosen(const tlu_options *options, enum data_format *format);
// The format that the text looks like; false: none, or rows of a single word, which may be LIBSVM
// or CSV.
bool format_recognise(const char *bytes, size_t size, enum data_format *format);

static inline bool format_has_ids(enum data_format format)
{
    return format_table[format].id_of != no_row_id;
}
static inline bool format_is_indexed(enum data_format format)
{
    return format_table[format].features == FEATURES_INDEXED;
}
static inline bool format_has_columns(enum data_format format)
{
    return format_table[format].features == FEATURES_COLUMNS;
}
static inline bool format_is_named(enum data_format format)
{
    return format_table[format].features == FEATURES_NAMED;
}

#endif
