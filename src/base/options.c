#include "base/options.h"

#include "base/call/fp_env.h"
#include "base/memory.h"
#include "numeric/number.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define SIZE_LIMIT 1152921504606846976.0 // 2^60
#define ROW_MAX 1073741824.0             // 2^30: a record of a journal takes no more
#define COUNT_MAX 9007199254740992.0     // 2^53: every whole number up to here is a double

// "data" options describe training data and are kept in the model; "reading" ones can be given
// again when a model reads other data; "learning" ones are the learner's; "measuring" ones name
// what is measured, and "output" ones what a prediction prints besides the label.
static const tlu_option_info table[] = {
    [OPTION_FORMAT] = {"format", "reading", TLU_OPTION_CHOICE, "FORMAT", "auto", format_choices, 0,
                       0, "format of the data"},
    [OPTION_DELIMITER] = {"delimiter", "reading", TLU_OPTION_TEXT, "CHAR", "", NULL, 0, 0,
                          "separator of CSV fields: a character, or tab, space, comma, semicolon, "
                          "pipe; without it, recognised from the data"},
    [OPTION_HEADER] = {"header", "reading", TLU_OPTION_CHOICE, "WHICH", "auto", "auto|yes|no", 0, 0,
                       "whether the first CSV row names the columns"},
    [OPTION_MISSING] = {"missing", "reading", TLU_OPTION_CHOICE, "HOW", "refuse",
                        "refuse|zero|indicator", 0, 0,
                        "empty, ?, NA and nan CSV fields: an error that names the line and column, "
                        "the value 0, or 0 and a feature per column that marks them"},
    [OPTION_SKIP_BAD] = {"skip-bad", "reading", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
                         "leave out and count malformed rows, instead of stopping at the first"},
    [OPTION_THREADS] = {"threads", "reading", TLU_OPTION_COUNT, "N", "0", NULL, 0, 1024,
                        "threads for parsing; 0 is one per core; the result does not depend on it"},
    [OPTION_MAX_ROW] =
        {"max-row", "reading", TLU_OPTION_SIZE, "SIZE", "64M", NULL, 1, ROW_MAX,
         "maximum length of a row: bytes, or a number with K, M or G after it, up to 1G; a longer "
         "row is an error, so that an endless row cannot fill the memory"},
    [OPTION_LABEL] = {"label", "data", TLU_OPTION_TEXT, "COLUMN", "", NULL, 0, 0,
                      "the CSV column with the label, by name or number from 1; without it a "
                      "column called label, class, target or y, else the last"},
    [OPTION_CATEGORICAL] = {"categorical", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0,
                            "CSV columns to treat as categories even if they look like numbers"},
    [OPTION_NUMERIC] = {"numeric", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0,
                        "CSV columns that must be numbers"},
    [OPTION_IGNORE] = {"ignore", "data", TLU_OPTION_LIST, "COLUMNS", "", NULL, 0, 0,
                       "CSV columns to leave out"},
    [OPTION_NGRAMS] = {"ngrams", "data", TLU_OPTION_COUNT, "N", "1", NULL, 1, 8,
                       "for text: every sequence of up to N words is a feature"},
    [OPTION_LOWERCASE] = {"lowercase", "data", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
                          "for text: convert words to lower case"},
    [OPTION_HASH] = {"hash", "data", TLU_OPTION_COUNT, "BITS", "", NULL, 10, 30,
                     "number features by a hash of their names, modulo 2^BITS, instead of keeping "
                     "the names: memory is bounded, and names that collide share one feature"},
    [OPTION_SCALE] =
        {"scale", "data", TLU_OPTION_CHOICE, "HOW", "none",
         "none|maxabs|standard|online|recent|auto", 0, 0,
         "scale the columns: maxabs divides by the largest absolute value; standard subtracts the "
         "mean and divides by the standard deviation; online divides by the largest so far and "
         "needs no pass over the rows first; recent, for a stream, divides by the recent size of "
         "values; auto standardises the columns of a table of numbers and leaves texts, counts and "
         "categories as they are (mlp: maxabs, if a value is above 1)"},
    [OPTION_MEMORY] =
        {"memory", "data", TLU_OPTION_SIZE, "SIZE", "", NULL, 0, SIZE_LIMIT,
         "memory for rows that are kept for several passes: bytes, or a number with K, M, G or T "
         "after it (500M); other rows go to a temporary file in TMPDIR or /tmp; the result does "
         "not depend on it; without it, half of the machine's memory"},
    [OPTION_LEARNER] = {"learner", "learning", TLU_OPTION_CHOICE, "NAME", "alma",
                        learner_choices + 1, 0, 0, "the learner (tlu learners lists them)"},
    [OPTION_DECIDE] =
        {"decide", "learning", TLU_OPTION_CHOICE, "HOW", "average",
         "average|last|vote|random|best|adaptive", 0, 0,
         "the classifier: the average of the weights after every step, the last weights, the vote "
         "of all weights by how long they lasted, one of them picked at random by how long it "
         "lasted, those that lasted longest; or, for a stream, adaptive: the last weights, their "
         "average or their recent average, whichever has the best recent accuracy"},
    [OPTION_MULTICLASS] =
        {"multiclass", "learning", TLU_OPTION_CHOICE, "SCHEME", "wta", "wta|ovr|ovo|auto", 0, 0,
         "more than two classes: the winner takes all, one versus the rest, or one versus one; "
         "auto is ovo for a table of numbers with up to 32 classes, else wta (max-margin: ovr)"},
    [OPTION_KERNEL] = {"kernel", "learning", TLU_OPTION_TEXT, "KERNEL", "", NULL, 0, 0,
                       "run the dual form with linear, poly:DEGREE[,COEF] or rbf:GAMMA"},
    [OPTION_EPOCHS] =
        {"epochs", "learning", TLU_OPTION_COUNT, "N", "10", NULL, 1, COUNT_MAX,
         "maximum number of passes over the data; a pass without a mistake and without a change of "
         "weights is the last; without this option alma makes up to 50 over a table of numbers "
         "with several classes and up to 100,000 rows, and fewer over one with so many that rows "
         "times classes times passes are above 5e9"},
    [OPTION_RATE] = {"rate", "learning", TLU_OPTION_RANGE, "ETA|A:B", "1", NULL, 1e-30, 1e30,
                     "learning rate: how much of an example an update adds; A:B draws it from that "
                     "interval at each update"},
    [OPTION_MARGIN] = {"margin", "learning", TLU_OPTION_NUMBER, "M", "0", NULL, 0, 1e30,
                       "update while y times the score is not above M"},
    [OPTION_C] = {"C", "learning", TLU_OPTION_NUMBER, "C", "1", NULL, 1e-30, 1e30,
                  "largest step for a single example: smaller for noisier data (pa1, pa2, scw1, "
                  "scw2); for max-margin, the cost of examples on the wrong side"},
    [OPTION_R] = {"r", "learning", TLU_OPTION_NUMBER, "R", "10", NULL, 1e-30, 1e30,
                  "regularisation of arow: larger for noisier data"},
    [OPTION_CONFIDENCE] = {"confidence", "learning", TLU_OPTION_NUMBER, "P", "0.75", NULL, 0.51,
                           0.999999, "the probability of being right that scw1 and scw2 aim at"},
    [OPTION_DIAGONAL] = {"diagonal", "learning", TLU_OPTION_CHOICE, "OF", "covariance",
                         "covariance|precision", 0, 0,
                         "arow, scw1 and scw2 keep one variance per weight: the diagonal of the "
                         "updated covariance, or of its inverse, the precision"},
    [OPTION_ALPHA] =
        {"alpha", "learning", TLU_OPTION_NUMBER, "A", "0.9", NULL, 1e-6, 1,
         "share of the largest margin that alma may give up: lower values make more updates"},
    [OPTION_SCHEDULE] = {"schedule", "learning", TLU_OPTION_CHOICE, "HOW", "constant",
                         "constant|sqrt|adagrad", 0, 0,
                         "how the learning rate changes: constant, falling as 1/sqrt(t), or for "
                         "each feature by the sum of its squared gradients (adagrad)"},
    [OPTION_L2] = {"l2", "learning", TLU_OPTION_NUMBER, "LAMBDA", "0", NULL, 0, 1e30,
                   "L2 regularisation strength: shrinks the weights towards 0"},
    [OPTION_SMOOTHING] = {"smoothing", "learning", TLU_OPTION_NUMBER, "A", "1", NULL, 1e-30, 1e30,
                          "naive Bayes: added to each count (Laplace smoothing)"},
    [OPTION_BINARIZE] = {"binarize", "learning", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
                         "treat every value that is not 0 as 1"},
    [OPTION_HIDDEN] = {"hidden", "learning", TLU_OPTION_TEXT, "UNITS", "100", NULL, 0, 0,
                       "mlp: units of each hidden layer, such as 300 or 64,32"},
    [OPTION_ACTIVATION] = {"activation", "learning", TLU_OPTION_CHOICE, "F", "relu",
                           "relu|tanh|sigmoid", 0, 0,
                           "mlp: activation function of the hidden units"},
    [OPTION_OPTIMIZER] = {"optimizer", "learning", TLU_OPTION_CHOICE, "HOW", "adam",
                          "adam|momentum", 0, 0, "mlp: Adam, or gradient descent with momentum"},
    [OPTION_MOMENTUM] = {"momentum", "learning", TLU_OPTION_NUMBER, "SHARE", "0.9", NULL, 0, 0.9999,
                         "mlp with --optimizer momentum: fraction of the previous step that a step "
                         "keeps; 0 is plain gradient descent"},
    [OPTION_BATCH] =
        {"batch", "learning", TLU_OPTION_COUNT, "N", "", NULL, 1, 1048576,
         "mlp: rows of a minibatch; without it, one in 300 of all rows, but from 16 to 200"},
    [OPTION_BLAS] =
        {"blas", "learning", TLU_OPTION_CHOICE, "WHICH", "auto", "auto|no|yes", 0, 0,
         "mlp: multiply matrices by OpenBLAS in training, which is faster for large nets, but then "
         "the bits of the model may depend on its version, the CPU and the number of threads; auto "
         "does so if tlu was built with it and the net has a million weights or more, not counting "
         "a first layer for rows of which most entries are 0"},
    [OPTION_RATCHET] = {"ratchet", "learning", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
                        "with --decide best: check all training rows before taking new weights"},
    [OPTION_SHUFFLE] = {"shuffle", "learning", TLU_OPTION_CHOICE, "WHEN", "later", "later|all|none",
                        0, 0,
                        "random order of rows: from the second pass on (the first learns while the "
                        "file is read), in all passes, or never"},
    [OPTION_SEED] = {"seed", "learning", TLU_OPTION_COUNT, "N", "1", NULL, 0, COUNT_MAX,
                     "seed of the random numbers"},
    [OPTION_NO_BIAS] = {"no-bias", "learning", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
                        "no bias: planes through the origin only"},
    [OPTION_TIE] = {"tie", "learning", TLU_OPTION_CHOICE, "WHICH", "mistake",
                    "mistake|positive|negative", 0, 0, "how training treats a score of exactly 0"},
    [OPTION_POSITIVE] = {"positive", "learning", TLU_OPTION_TEXT, "LABEL", "", NULL, 0, 0,
                         "with two classes, the positive class; without it, the later label (1 "
                         "over 0, spam over ham)"},
    [OPTION_CLASS_WEIGHT] = {"class-weight", "learning", TLU_OPTION_LIST, "LABEL=W|balanced", "",
                             NULL, 0, 0,
                             "multiply the weights of a class's examples by W, or those of every "
                             "class by the inverse of its frequency"},
    [OPTION_HOLDOUT] = {"holdout", "learning", TLU_OPTION_NUMBER, "FRACTION", "0", NULL, 0, 0.9,
                        "hold out this fraction of the rows, measure accuracy on them after each "
                        "pass and return the best pass"},
    [OPTION_PATIENCE] = {"patience", "learning", TLU_OPTION_COUNT, "N", "3", NULL, 1, COUNT_MAX,
                         "with --holdout: stop after this many passes without improvement; mlp: "
                         "without it, a tenth of its passes"},
    [OPTION_MAX_FEATURES] =
        {"max-features", "learning", TLU_OPTION_COUNT, "N", "", NULL, 10, COUNT_MAX,
         "keep at most N names of features: if there are more, those with the smallest weights are "
         "forgotten; for a stream, or one pass over a file"},
    [OPTION_CALIBRATE] =
        {"calibrate", "learning", TLU_OPTION_CHOICE, "HOW", "none",
         "none|sigmoid|isotonic|temperature", 0, 0,
         "turn scores into probabilities, fitted to the scores of a 5-fold cross-validation: a "
         "sigmoid, isotonic regression, or one temperature for all scores"},
    [OPTION_METRIC] = {"metric", "measuring", TLU_OPTION_TEXT, "NAME", "", NULL, 0, 0,
                       "metric: accuracy, balanced-accuracy, f1, roc-auc, log-loss, cost and "
                       "others (docs/metrics.md lists all); without it, accuracy"},
    [OPTION_COSTS] =
        {"costs", "measuring", TLU_OPTION_TEXT, "FP:FN|FILE", "", NULL, 0, 0,
         "for --metric cost: the costs of a false positive and a false negative, or a file with a "
         "cost matrix: a line per true class with the cost of each predicted class"},
    [OPTION_WEIGHTED] = {"weighted", "measuring", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
                         "measure with the weights of the rows (VW's importance, JSON's weight)"},
    [OPTION_ID] = {"id", "output", TLU_OPTION_TEXT, "COLUMN", "", NULL, 0, 0,
                   "print an identifier before each label, separated by a tab: the CSV column with "
                   "this name or number from 1, the JSON member with this name, or with any name "
                   "the tag of VW's format"},
};
_Static_assert(sizeof table / sizeof table[0] == OPTION_COUNT, "every option has its row");

struct tlu_options {
    struct option_value {
        char *text;    // NULL: the default
        double number; // counts, numbers, flags; A of a range
        double high;   // B of a range
        int choice;
    } values[OPTION_COUNT];
};

size_t tlu_option_count(void)
{
    return OPTION_COUNT;
}

const tlu_option_info *tlu_option_at(size_t index)
{
    return index < OPTION_COUNT ? &table[index] : NULL;
}

const tlu_option_info *tlu_option_find(const char *name)
{
    for (size_t i = 0; name && i < OPTION_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

// Options that were renamed. Files keep the former name, so that they stay the same byte for byte.
static const struct {
    enum option option;
    const char *stored;
} renamed[] = {{OPTION_MULTICLASS, "classes"}};

const char *option_stored_name(enum option option)
{
    assert(option < OPTION_COUNT);
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
        if (renamed[i].option == option)
            return renamed[i].stored;
    return table[option].name;
}

const char *option_name_of_stored(const char *stored)
{
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
        if (strcmp(renamed[i].stored, stored) == 0)
            return table[renamed[i].option].name;
    return stored;
}

static tlu_status unknown_option(const char *name, tlu_error *error)
{
    const char *now = option_name_of_stored(name);
    if (now != name)
        return error_input(error, "--%s is now --%s", name, now);
    return error_input(error, "there is no option '%.80s'", name);
}

// The place of `text` among "a|b|c", or -1.
static int choice_of(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (int i = 0;; i++) {
        size_t n = strcspn(choices, "|");
        if (n == length && memcmp(choices, text, n) == 0)
            return i;
        if (choices[n] == '\0')
            return -1;
        choices += n + 1;
    }
}

// A, or A:B with A <= B.
static tlu_status parse_range(const tlu_option_info *info, const char *text,
                              struct option_value *value, tlu_error *error)
{
    size_t length = strcspn(text, ":");
    const char *second = text[length] ? text + length + 1 : text;
    if (!number_whole(text, length, &value->number) ||
        !number_whole(second, second == text ? length : strlen(second), &value->high) ||
        value->high < value->number)
        return error_input(error, "--%s is a number or an interval A:B, not '%.80s'", info->name,
                           text);
    if (value->number < info->min || value->high > info->max)
        return error_input(error, "--%s is from %.15g to %.15g, not '%.80s'", info->name, info->min,
                           info->max, text);
    return TLU_OK;
}

// Bytes: a number, perhaps with K, M, G or T for powers of 1024 after it. The empty text is 0.
static tlu_status parse_size(const tlu_option_info *info, const char *text,
                             struct option_value *value, tlu_error *error)
{
    static const char units[] = "KMGT";
    char quoted[80];
    size_t length = strlen(text);
    const char *unit = length ? strchr(units, text[length - 1] & ~0x20) : NULL;
    value->number = 0;
    if (length == 0 && info->value[0] == '\0') // not given
        return TLU_OK;
    if (!number_whole(text, length - (unit != NULL), &value->number) || value->number < 1)
        return error_input(error, "--%s is a size such as 500M or 2G, not '%s'", info->name,
                           error_quote(quoted, sizeof quoted, text, length));
    for (const char *u = units; unit && u <= unit; u++)
        value->number *= 1024;
    if (value->number > info->max && info->max < SIZE_LIMIT)
        return error_input(error, "--%s is at most %.15g bytes, not '%s'", info->name, info->max,
                           error_quote(quoted, sizeof quoted, text, length));
    value->number = floor(value->number < info->max ? value->number : info->max);
    return TLU_OK;
}

static tlu_status parse_value(const tlu_option_info *info, const char *text,
                              struct option_value *value, tlu_error *error)
{
    char quoted[80];
    error_quote(quoted, sizeof quoted, text, strlen(text));
    switch (info->type) {
    case TLU_OPTION_FLAG:
        if (choice_of("no|yes", text) < 0)
            return error_input(error, "--%s is yes or no, not '%s'", info->name, quoted);
        value->number = strcmp(text, "yes") == 0;
        break;
    case TLU_OPTION_CHOICE:
        value->choice = choice_of(info->choices, text);
        if (value->choice < 0)
            return error_input(error, "--%s is one of %s, not '%s'", info->name, info->choices,
                               quoted);
        break;
    case TLU_OPTION_SIZE:
        return parse_size(info, text, value, error);
    case TLU_OPTION_RANGE:
        return parse_range(info, text, value, error);
    case TLU_OPTION_COUNT:
    case TLU_OPTION_NUMBER:
        value->number = 0;
        if (text[0] == '\0' && info->value[0] == '\0') // not given
            break;
        if (!number_whole(text, strlen(text), &value->number) ||
            (info->type == TLU_OPTION_COUNT && value->number != floor(value->number)))
            return error_input(error, "--%s is a %snumber, not '%s'", info->name,
                               info->type == TLU_OPTION_COUNT ? "whole " : "", quoted);
        if (value->number < info->min && info->max >= COUNT_MAX)
            return error_input(error, "--%s is at least %.15g, not '%s'", info->name, info->min,
                               quoted);
        if (value->number < info->min || value->number > info->max)
            return error_input(error, "--%s is from %.15g to %.16g, not '%s'", info->name,
                               info->min, info->max, quoted);
        break;
    case TLU_OPTION_TEXT:
    case TLU_OPTION_LIST:
        break;
    }
    return TLU_OK;
}

static tlu_options *options_new(void)
{
    tlu_options *options = memory_new(1, sizeof *options);
    for (size_t i = 0; options && i < OPTION_COUNT; i++)
        parse_value(&table[i], table[i].value, &options->values[i], NULL);
    return options;
}

tlu_status tlu_options_new(tlu_options **options, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *options = options_new();
    return enough_memory(*options, error);
}

void tlu_options_free(tlu_options *options)
{
    for (size_t i = 0; options && i < OPTION_COUNT; i++)
        memory_free(options->values[i].text);
    memory_free(options);
}

tlu_status tlu_options_set(tlu_options *options, const char *name, const char *value,
                           tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    TRY(check_given(name != NULL, "name of the option", error));
    TRY(check_given(value != NULL, "value of the option", error));
    const tlu_option_info *info = tlu_option_find(name);
    if (!info)
        return unknown_option(name, error);
    struct option_value *old = &options->values[info - table];
    struct option_value new = *old;
    tlu_status status = parse_value(info, value, &new, error);
    if (status != TLU_OK)
        return status;
    size_t kept = info->type == TLU_OPTION_LIST && old->text ? strlen(old->text) : 0;
    size_t length = strlen(value);
    new.text = memory_new(kept + length + 2, 1);
    if (!new.text)
        return error_memory(error);
    if (kept) {
        memcpy(new.text, old->text, kept);
        new.text[kept++] = ',';
    }
    memcpy(new.text + kept, value, length);
    memory_free(old->text);
    *old = new;
    return TLU_OK;
}

tlu_status tlu_options_clear(tlu_options *options, const char *name, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    TRY(check_given(name != NULL, "name of the option", error));
    const tlu_option_info *info = tlu_option_find(name);
    if (!info)
        return unknown_option(name, error);
    struct option_value *value = &options->values[info - table];
    memory_free(value->text);
    *value = (struct option_value){0};
    return parse_value(info, info->value, value, error);
}

const char *tlu_options_get(const tlu_options *options, const char *name)
{
    const tlu_option_info *info = tlu_option_find(name);
    return info ? options_text(options, (enum option)(info - table)) : NULL;
}

bool options_flag(const tlu_options *options, enum option option)
{
    return options->values[option].number != 0;
}

uint64_t options_count(const tlu_options *options, enum option option)
{
    return (uint64_t)options->values[option].number;
}

double options_number(const tlu_options *options, enum option option)
{
    return options->values[option].number;
}

double options_high(const tlu_options *options, enum option option)
{
    return options->values[option].high;
}

int options_choice(const tlu_options *options, enum option option)
{
    return options->values[option].choice;
}

const char *options_text(const tlu_options *options, enum option option)
{
    const char *text = options->values[option].text;
    return text ? text : table[option].value;
}

bool options_is_set(const tlu_options *options, enum option option)
{
    return options->values[option].text != NULL;
}

bool options_is_auto(const tlu_options *options, enum option option)
{
    int choice = options->values[option].choice;
    return (option == OPTION_SCALE && choice == SCALE_AUTO) ||
           (option == OPTION_MULTICLASS && choice == MULTICLASS_AUTO);
}

bool options_same(const tlu_options *a, const tlu_options *b, enum option option)
{
    const struct option_value *x = &a->values[option], *y = &b->values[option];
    if (table[option].type == TLU_OPTION_TEXT || table[option].type == TLU_OPTION_LIST)
        return strcmp(options_text(a, option), options_text(b, option)) == 0;
    return x->number == y->number && x->high == y->high && x->choice == y->choice;
}

const char *options_next_item(const char **cursor, size_t *length)
{
    *cursor += strspn(*cursor, ", ");
    if (**cursor == '\0')
        return NULL;
    const char *item = *cursor;
    *length = strcspn(item, ",");
    *cursor += *length;
    while (item[*length - 1] == ' ') // it does not begin with a blank
        --*length;
    return item;
}

bool option_is_technical(enum option option)
{
    return option == OPTION_THREADS || option == OPTION_MEMORY || option == OPTION_MAX_ROW;
}

tlu_options *options_copy(const tlu_options *options)
{
    tlu_options *copy = options_new();
    for (size_t i = 0; copy && options && i < OPTION_COUNT; i++) {
        const char *text = options->values[i].text;
        copy->values[i] = options->values[i];
        copy->values[i].text = text ? memory_copy_text(text, strlen(text)) : NULL;
        if (text && !copy->values[i].text) {
            tlu_options_free(copy);
            return NULL;
        }
    }
    return copy;
}
