// The one table of options: by number inside the library, by name for everyone else.
#ifndef TLU_BASE_OPTIONS_H
#define TLU_BASE_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>

#define OPTION(number, ...) OPTION_##number,
enum option {
#include "base/options_table.h"
    OPTION_COUNT
};
#undef OPTION

// The choices of --format: auto, and those that the table of formats has (data/formats.h).
extern const char format_choices[];
// Those of --learner, each after a '|' (learners/learners.h); the last is auto.
extern const char learner_choices[];

// The values of the other choices, in the order of the table's `choices`.
enum { HEADER_AUTO, HEADER_YES, HEADER_NO };
enum { DECIMAL_SIGN_AUTO, DECIMAL_SIGN_POINT, DECIMAL_SIGN_COMMA };
enum {
    MISSING_AUTO,
    MISSING_MEAN,
    MISSING_MEDIAN,
    MISSING_MODE,
    MISSING_INDICATOR,
    MISSING_ZERO,
    MISSING_REFUSE
};
// The first three in models too.
enum { SCALE_NONE, SCALE_MAXABS, SCALE_STANDARD, SCALE_ONLINE, SCALE_RECENT, SCALE_AUTO };
enum { DECIDE_AVERAGE, DECIDE_LAST, DECIDE_VOTE, DECIDE_RANDOM, DECIDE_BEST, DECIDE_ADAPTIVE };
enum { MULTICLASS_WTA, MULTICLASS_OVR, MULTICLASS_OVO, MULTICLASS_AUTO };
enum { DIAGONAL_COVARIANCE, DIAGONAL_PRECISION };
enum { SCHEDULE_CONSTANT, SCHEDULE_SQRT, SCHEDULE_ADAGRAD };
enum { OPTIMIZER_ADAM, OPTIMIZER_MOMENTUM };
enum { BLAS_AUTO, BLAS_NO, BLAS_YES };
enum { LOSS_HINGE, LOSS_SQUARED_HINGE };
enum { SOLVER_ONLINE, SOLVER_DUAL };
enum { SHUFFLE_LATER, SHUFFLE_ALL, SHUFFLE_NONE };
enum { TIE_MISTAKE, TIE_POSITIVE, TIE_NEGATIVE };
enum { TIE_UPDATE_BOTH, TIE_UPDATE_LABEL };
enum { STOP_AUTO, STOP_CONVERGED, STOP_EPOCHS };
enum { CALIBRATE_NONE, CALIBRATE_SIGMOID, CALIBRATE_ISOTONIC, CALIBRATE_TEMPERATURE };

bool options_flag(const tlu_options *options, enum option option); // for a number: is it not 0?
uint64_t options_count(const tlu_options *options, enum option option);
double options_number(const tlu_options *options, enum option option);
double options_high(const tlu_options *options, enum option option); // B of a range A:B, else A
int options_choice(const tlu_options *options, enum option option);
const char *options_text(const tlu_options *options, enum option option); // "" if not set
bool options_is_set(const tlu_options *options, enum option option);      // by the user

// Whether both have the same value, regardless of spelling.
bool options_same(const tlu_options *a, const tlu_options *b, enum option option);
// Whether the data decides what the learner does; --format auto does not count.
bool options_is_auto(const tlu_options *options, enum option option);

// Iterates over a list: *cursor starts as the list's text, and each call returns the next item,
// trimmed but not terminated, or NULL at the end.
const char *options_next_item(const char **cursor, size_t *length);

// The name of an option in model files and journals, which keep the former name of a renamed
// option; and the name that tlu_options_set takes for one that a file has.
const char *option_stored_name(enum option option);
const char *option_name_of_stored(const char *stored);

// Options that do not affect results and are not stored in models: threads, memory, longest row.
bool option_is_technical(enum option option);

// The data in memory that the path stands for (tlu_options_set_data); NULL: a file.
const tlu_data *options_data(const tlu_options *options, const char *path);
// Forgets this data, or takes over that of other options; false: out of memory.
bool options_share_data(tlu_options *options, const tlu_options *from);

// With the data in memory.
tlu_options *
options_copy(const tlu_options *options); // of NULL: the defaults; returns NULL if out of memory

#endif
