// The one table of formats. A new format is a file with its parser and its recogniser, and a row
// here: --format, models, binary data files, journals, reports and messages go by the row.
#ifndef TLU_INPUT_FORMATS_H
#define TLU_INPUT_FORMATS_H

#include "base/options.h"

#include <stdbool.h>
#include <stddef.h>

// What a row says its features are.
enum format_features {
    FEATURES_INDEXED, // numbers from 0 on, which need no table of names
    FEATURES_COLUMNS, // fields of columns, some of which may be categories
    FEATURES_NAMED    // names: these formats share one space of names, so that a model of one of
                      // them reads the others too
};

// What --ngrams and --lowercase are about.
enum format_words {
    WORDS_NONE, // no text becomes words
    WORDS_SOME, // some features are words of a text
    WORDS_ALL   // every feature is a word or a run of them
};

// The rows, in the order in which --format lists them:
//
//   number      of the format in files, from 0 without gaps; never to be changed
//   id          the format is DATA_id in the source
//   name        as --format takes it, and as reports and journals have it
//   also        "|" and another name that --format takes, or ""
//   title       "is TITLE, but the model was trained on ..."
//   features    enum format_features
//   words       enum format_words
//   turn        recognisers are asked by ascending turn; each has its own, below 32
//   parse       a parse_function
//   recognise   a recognise_function
//
// clang-format off
#define FORMATS(ROW)                                                                               \
    ROW(0, LIBSVM, "libsvm", "", "LIBSVM", FEATURES_INDEXED, WORDS_NONE,                           \
        25, libsvm_parse, libsvm_recognise)                                                        \
    ROW(1, CSV, "csv", "|tsv", "CSV", FEATURES_COLUMNS, WORDS_NONE,                                \
        30, csv_parse, csv_recognise)                                                              \
    ROW(2, VW, "vw", "", "Vowpal Wabbit's format", FEATURES_NAMED, WORDS_NONE,                     \
        15, vw_parse, vw_recognise)                                                                \
    ROW(3, FASTTEXT, "fasttext", "", "fastText's format", FEATURES_NAMED, WORDS_ALL,               \
        10, fasttext_parse, fasttext_recognise)                                                    \
    ROW(4, JSONL, "jsonl", "", "JSON lines", FEATURES_NAMED, WORDS_SOME,                           \
        5, jsonl_parse, jsonl_recognise)                                                           \
    ROW(5, TEXT, "text", "", "labelled text", FEATURES_NAMED, WORDS_ALL,                           \
        20, text_parse, text_recognise)
// clang-format on

enum data_format {
#define FORMAT_ID(number, id, ...) DATA_##id = (number),
    FORMATS(FORMAT_ID)
#undef FORMAT_ID
#define FORMAT_ONE(...) +1
        DATA_FORMATS = 0 FORMATS(FORMAT_ONE)
#undef FORMAT_ONE
};

// A parser makes a batch of the bytes of a chunk, which holds whole rows (parse.h).
enum parse_result { PARSE_OK, PARSE_BAD, PARSE_MEMORY };
struct parser;
struct batch;
struct bad_row;
typedef enum parse_result parse_function(const struct parser *parser, const char *bytes,
                                         size_t size, struct batch *batch, struct bad_row *bad);

// Whether text that starts so is in the format, by its looks. The formats whose turns come before
// have been found not to be it. Data for a model of named features goes by its looks too, and its
// rows may have no label.
typedef bool recognise_function(const char *bytes, size_t size);

#define FORMAT_FUNCTIONS(number, id, name, also, title, features, words, turn, parse, recognise)   \
    parse_function parse;                                                                          \
    recognise_function recognise;
FORMATS(FORMAT_FUNCTIONS)
#undef FORMAT_FUNCTIONS

struct format {
    const char *name, *also, *title;
    enum format_features features;
    enum format_words words;
    unsigned turn;
    parse_function *parse;
    recognise_function *recognise;
};

extern const struct format format_table[DATA_FORMATS];

// The format with this name; false: no format has it.
bool format_named(const char *name, enum data_format *format);
// The format that --format says; false: it is left to the data.
bool format_chosen(const tlu_options *options, enum data_format *format);
// The format that the text is in, by its looks; false: it looks like none of them, or has rows of a
// single word, which may be LIBSVM or CSV.
bool format_recognise(const char *bytes, size_t size, enum data_format *format);

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
