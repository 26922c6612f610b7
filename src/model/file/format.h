// What the two sides of the model file share. docs/model-format.md describes every byte.
#ifndef TLU_MODEL_FILE_FORMAT_H
#define TLU_MODEL_FILE_FORMAT_H

#include "model/model.h"

// As in PNG: a byte that is no ASCII, a name, and line ends that a transfer as text would spoil.
#define FORMAT_MAGIC "\x89TLU\r\n\x1A\n"

enum {
    FORMAT_VERSION = 1,
    FORMAT_MAGIC_SIZE = 8,
    FORMAT_HEADER_SIZE = 20,  // magic, version (4), size of the file (8)
    FORMAT_SECTION_SIZE = 12, // tag (4), length (8)
    FORMAT_CHECKSUM_SIZE = 4,
    FORMAT_TAG_SIZE = 4
};

// In the order in which they stand in the file, so that a section needs only those before it.
enum section {
    SECTION_VERSION,
    SECTION_OPTIONS,
    SECTION_FEATURES,
    SECTION_COLUMNS, // CSV alone
    SECTION_CLASSES,
    SECTION_SCALING,  // not without scaling
    SECTION_SUPPORTS, // where rows of the training are kept
    SECTION_WEIGHTS,
    SECTION_REPLAY, // vote and random alone
    SECTION_RANDOM,
    SECTION_LIVE,     // where a stream needs more than the others say
    SECTION_ADAPTIVE, // decide adaptive alone
    SECTION_UNITS,    // scale recent alone
    SECTION_REPORT,
    SECTION_RUN, // of an interrupted training alone
    SECTION_COUNT
};
#define FORMAT_TAGS                                                                                \
    "VERS", "OPTS", "FEAT", "COLS", "CLAS", "SCAL", "SUPP", "WGHT", "REPL", "RAND", "LIVE",        \
        "ADPT", "UNIT", "REPT", "RUN "

// Added to the kind of data: ids are slots of hashed names, and no older version takes them for
// something else.
#define FORMAT_HASHED 128u

// Arrays of numbers: two bits a number say how it is stored. Most weights of a sparse problem are
// 0, and the perceptron's are whole numbers wherever the data is.
enum number_code {
    CODE_ZERO,   // not at all
    CODE_SHORT,  // a whole number in 2 bytes
    CODE_SINGLE, // a float, where that is exact
    CODE_DOUBLE
};

// The rows of supports: not kept, or with values 1 alone, or with others.
enum { ROWS_NONE, ROWS_ONES, ROWS_VALUES };

// A kernel needs the rows, and so does the replay of a run. The largest margin tells of its rows,
// but needs them no more.
static inline bool format_needs_rows(const struct tlu_model *model)
{
    return model->kernel.kind || model->decide == DECIDE_VOTE || model->decide == DECIDE_RANDOM;
}

// A step of a replay begins with a byte: two bits for the sign of each of the two parts, one that
// tells that a factor follows, and three for the amount: its number_code, or that it is the amount
// of the step before.
enum {
    STEP_SIGNS = 0, // bits 0 to 3
    STEP_FACTOR = 4,
    STEP_AMOUNT = 5, // bits 5 to 7
    STEP_SAME = CODE_DOUBLE + 1
};
enum { SIGN_NONE, SIGN_PLUS, SIGN_MINUS };

// How the rows were held out whose accuracies the report has: none were, each by itself (earlier
// versions), or a share of each class (train/holdout.c).
enum { HELD_NONE, HELD_BY_ROW, HELD_BY_CLASS };

// What UNIT has of a feature beside its mean square: values met plus so many times their kinds.
#define UNIT_KINDS 2048

// The parts of LIVE, bits of its first byte.
enum {
    LIVE_ORDER = 1,
    LIVE_INDICES = 2,
    LIVE_GROUPS = 4,
    LIVE_SCALES = 8,
    LIVE_WRITTEN = 16,
    LIVE_ALL = 31
};

#endif
