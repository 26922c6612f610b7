// The candidates: learners with their options.
#include "base/memory.h"
#include "learn/learner.h"
#include "tune/spec.h"
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOLVER_PASSES 10 // passes that a batch solver counts as
#define SMALL_ROWS 2000  // maximum number of rows for which batch solvers are tried by default

// The kind of data that a candidate is for.
enum {
    TABLE = 1,   // tables of numbers
    SPARSE = 2,  // what is not a table: counts, categories, words
    SEVERAL = 4, // more than two classes
    SMALL = 8,   // few rows
    NAMED = 16,  // only if the user names the learner
    VIEWS = 32   // every view of the data; otherwise only the first
};

// The values span the range of the best ones by cross-validation on the training parts of the sets
// in docs/tuning.md. The most promising come first, one per learner before its variants, because a
// budget may not reach the end.
static const struct {
    const char *spec;
    unsigned kind;
} table[] = {
    {"alma", VIEWS},
    {"multinomial-bayes", SPARSE | VIEWS},
    {"logistic", VIEWS},
    {"arow", TABLE | VIEWS},
    {"bernoulli-bayes:binarize", SPARSE | VIEWS},
    {"hinge", VIEWS},
    {"logistic:rate=0.1", TABLE | VIEWS},
    {"scw1:C=1:confidence=0.9", SPARSE | VIEWS},
    {"multinomial-bayes:smoothing=0.1", SPARSE | VIEWS},
    {"pa2:C=0.01", 0},
    {"alma:alpha=0.5", 0},
    {"max-margin:C=1", SMALL},
    {"logistic:rate=1", SPARSE},
    {"pa1:C=0.1", 0},
    {"arow:epochs=3", TABLE},
    {"logistic:rate=0.3:epochs=30", SPARSE},
    {"bernoulli-bayes:binarize:smoothing=0.1", SPARSE},
    {"arow", SPARSE},
    {"hinge:rate=1", SPARSE},
    {"hinge:rate=0.1", TABLE},
    {"pa2:C=0.001:epochs=3", TABLE},
    {"squared", 0},
    {"scw1", 0},
    {"arow:r=1", 0},
    {"logistic:scale=maxabs", TABLE},
    {"max-margin:C=0.1", SMALL},
    {"max-margin:C=10", SMALL},
    {"alma:alpha=0.95:epochs=30", 0},
    {"perceptron", 0},
    {"logistic:rate=1:epochs=30", 0},
    {"scw2", 0},
    {"pa1:C=0.01", 0},
    {"multinomial-bayes:smoothing=0.01", SPARSE},
    {"arow:r=100", 0},
    {"scw1:C=0.01", 0},
    {"arow:scale=maxabs", TABLE},
    {"logistic:rate=3:epochs=30", SPARSE},
    {"hinge:rate=3:epochs=30", SPARSE},
    {"squared:rate=0.3", 0},
    {"alma:multiclass=ovr", SEVERAL},
    {"logistic:multiclass=ovr", SEVERAL},
    {"pa", NAMED},
    {"romma", NAMED},
    {"aromma", NAMED},
    {"rocchio", NAMED},
    {"pa1:C=0.001", NAMED},
    {"pa2:C=0.1", NAMED},
    {"pa2:C=1", NAMED},
    {"arow:r=0.1", NAMED},
    {"scw2:C=0.01", NAMED},
    {"scw2:C=1", NAMED},
    {"perceptron:margin=1", NAMED},
    {"multinomial-bayes:binarize", NAMED},
    {"max-margin:C=1", NAMED},
    {"max-margin:C=0.1", NAMED},
    {"max-margin:C=10", NAMED},
    {"max-margin:C=0.01", NAMED},
};
#define TABLE_ROWS (sizeof table / sizeof table[0])

static bool suits(const tlu_split *rows, unsigned kind, bool named)
{
    return !(kind & (split_summary(rows)->table ? SPARSE : TABLE)) && (named || !(kind & NAMED)) &&
           (split_classes(rows) > 2 || !(kind & SEVERAL)) &&
           (tlu_split_row_count(rows) <= SMALL_ROWS || !(kind & SMALL));
}

// ---- one candidate ----

void candidate_free(struct candidate *candidate)
{
    if (!candidate)
        return;
    tlu_options_free(candidate->options);
    memory_free(candidate->name);
    memory_free(candidate->reason);
    memory_free(candidate->scores);
    memory_free(candidate->right);
    memory_free(candidate);
}

// Sets the scaling and the scheme for several classes, unless the user did; naive Bayes needs
// counts, so its columns are not scaled.
static tlu_status set_usual(tlu_options *options, size_t classes, tlu_error *error)
{
    bool bayes = strstr(options_text(options, OPTION_LEARNER), "bayes") != NULL;
    if (!bayes && !options_is_set(options, OPTION_SCALE))
        TRY(tlu_options_set(options, "scale", "auto", error));
    if (!bayes && classes > 2 && !options_is_set(options, OPTION_MULTICLASS))
        TRY(tlu_options_set(options, "multiclass", "auto", error));
    return TLU_OK;
}

// Leaves out options that equal the defaults, so that the model is that of the shortest command.
static tlu_status leave_out(tlu_options *options, tlu_error *error)
{
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        const char *name = tlu_option_at(i)->name;
        char usual[64] = "", why[2];
        if (!options_is_set(options, i))
            continue;
        tlu_options_default(options, name, usual, sizeof usual);
        if (strcmp(options_text(options, i), usual) == 0 ||
            tlu_options_no_effect(options, name, why, sizeof why) > 0)
            TRY(tlu_options_clear(options, name, error));
    }
    return TLU_OK;
}

// The spec with the options of the view: "logistic:rate=1:ngrams=2". Columns are not listed.
static char *name_of(const char *spec, size_t length, const struct data_view *view)
{
    char *name = memory_new(length + 64, 1); // all options take less
    if (!name)
        return NULL;
    memcpy(name, spec, length);
    for (size_t i = 0; i < VIEW_OPTIONS; i++)
        if (view->values[i]) {
            strcat(strcat(name, ":"), view_options[i]);
            if (i == VIEW_NGRAMS)
                strcat(strcat(name, "="), view->values[i]);
        }
    return name;
}

static bool is_same(const struct candidate *a, const struct candidate *b)
{
    for (enum option i = 0; i < OPTION_COUNT; i++)
        if (!options_same(a->options, b->options, i))
            return false;
    return true;
}

static tlu_status fill(struct candidate *candidate, const struct tune *tune, const char *spec,
                       size_t length, const struct data_view *view, tlu_error *error)
{
    candidate->rows = view->rows;
    candidate->options = options_copy(tune->given);
    candidate->name = name_of(spec, length, view);
    candidate->scores = memory_new(tune->settings->folds, sizeof *candidate->scores);
    TRY(enough_memory(candidate->options && candidate->name && candidate->scores, error));
    TRY(spec_set(candidate->options, spec, length, tune->given, error));
    TRY(view_set(view, candidate->options, error));
    TRY(set_usual(candidate->options, split_classes(view->rows), error));
    return leave_out(candidate->options, error);
}

// The user's options can make candidates equal: only the first is kept.
static tlu_status add(struct tune *tune, const char *spec, size_t length,
                      const struct data_view *view, tlu_error *error)
{
    if (!memory_reserve(&tune->candidates, &tune->capacity, tune->shown.count + 1,
                        sizeof *tune->candidates))
        return error_memory(error);
    struct candidate *candidate = memory_new(1, sizeof *candidate);
    TRY(enough_memory(candidate != NULL, error));
    tlu_status status = fill(candidate, tune, spec, length, view, error);
    bool known = false;
    for (size_t i = 0; status == TLU_OK && i < tune->shown.count; i++)
        known = known || is_same(candidate, tune->candidates[i]);
    if (status != TLU_OK || known) {
        candidate_free(candidate);
        return status;
    }
    candidate->place = tune->shown.count;
    candidate->fate = NOT_TRIED;
    candidate->shown.score = NAN;
    tune->candidates[tune->shown.count++] = candidate;
    return TLU_OK;
}

// ---- all of them ----

static tlu_status add_row(struct tune *tune, size_t row, bool named, tlu_error *error)
{
    size_t views = table[row].kind & VIEWS ? tune->view_count : 1;
    for (size_t v = 0; v < views; v++)
        if (suits(tune->views[v].rows, table[row].kind, named))
            TRY(add(tune, table[row].spec, strlen(table[row].spec), &tune->views[v], error));
    return TLU_OK;
}

static size_t learner_length(const char *spec)
{
    return strcspn(spec, ":");
}

// A learner's name selects its rows of the table; a name with options is a candidate of its own.
static tlu_status add_asked(struct tune *tune, const char *item, size_t length, tlu_error *error)
{
    bool alone = learner_length(item) >= length;
    size_t before = tune->shown.count;
    for (size_t i = 0; alone && i < TABLE_ROWS; i++)
        if (learner_length(table[i].spec) == length && memcmp(table[i].spec, item, length) == 0)
            TRY(add_row(tune, i, true, error));
    for (size_t v = 0; tune->shown.count == before && v < tune->view_count; v++)
        TRY(add(tune, item, length, &tune->views[v], error));
    return TLU_OK;
}

tlu_status candidates_make(struct tune *tune, tlu_error *error)
{
    const char *list = tune->settings->learners, *item;
    size_t length;
    while (list && (item = options_next_item(&list, &length)) != NULL)
        TRY(add_asked(tune, item, length, error));
    for (size_t i = 0; !tune->settings->learners && i < TABLE_ROWS; i++)
        TRY(add_row(tune, i, false, error));
    return tune->shown.count ? TLU_OK : error_input(error, "there is no learner to try");
}

uint64_t candidate_passes(const struct tune *tune, const struct candidate *candidate)
{
    const tlu_options *options = candidate->options;
    const struct learner_kind *kind = learner_kind_of(options);
    char text[32];
    if (tlu_options_no_effect(options, "epochs", text, sizeof text) > 0)
        return kind->info.complexity > 1 ? SOLVER_PASSES : 1;
    if (options_is_set(options, OPTION_EPOCHS))
        return options_count(options, OPTION_EPOCHS);
    if (kind->table_passes && split_summary(candidate->rows)->table &&
        split_classes(tune->views[0].rows) > 2)
        return kind->table_passes;
    const struct learner_functions *functions = learner_functions_of(options);
    if (functions->choose) {
        struct tlu_learner learner = {.state.options = candidate->options};
        return functions->choose(&learner, split_summary(candidate->rows)->rows).passes;
    }
    tlu_options_default(options, "epochs", text, sizeof text);
    return strtoull(text, NULL, 10);
}
