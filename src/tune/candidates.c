// The candidates: learners with their options.
#include "base/memory.h"
#include "learn/learner.h"
#include "tune/spec.h"
#include "tune/tune.h"

#include <assert.h>
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
    VIEWS = 32,  // every view of the data; otherwise only the first
    WORDS = 64,  // texts
    KERNEL = 128 // few rows: a training takes time and memory for all pairs of rows
};
#define KERNEL_ROWS 6000

// The values span the range of the best ones by cross-validation on the training parts of the sets
// in docs/tuning.md. The most promising come first, one per learner before its variants, because a
// budget may not reach the end; kernels and nets, which take the longest, come last. rbf:@X is the
// kernel with gamma = X / (values of a row that are not zero, on average).
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
    {"logistic:rate=3:tfidf:normalize", WORDS | VIEWS},
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
    {"hinge:rate=3:tfidf:normalize", WORDS | VIEWS},
    {"alma:tfidf:normalize", WORDS | VIEWS},
    {"logistic:rate=10:epochs=30:tfidf:normalize", WORDS | VIEWS},
    {"alma:kernel=rbf:@1:scale=standard", KERNEL},
    {"perceptron:kernel=rbf:@1:scale=standard", KERNEL},
    {"alma:kernel=rbf:@0.3:scale=standard", KERNEL},
    {"alma:kernel=rbf:@3:scale=standard", KERNEL},
    {"perceptron:kernel=poly:2:scale=standard", KERNEL},
    {"alma:kernel=poly:2:scale=standard", KERNEL},
    {"mlp:hidden=32:scale=standard", 0},
    {"mlp:scale=standard", 0},
    {"mlp", 0},
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
           (split_summary(rows)->words || !(kind & WORDS)) &&
           (tlu_split_row_count(rows) <= SMALL_ROWS || !(kind & SMALL)) &&
           (tlu_split_row_count(rows) <= KERNEL_ROWS || !(kind & KERNEL) || named);
}

// ---- one candidate ----

static void fold_result_free(struct fold_result *result)
{
    memory_free(result->right);
    memory_free(result->multipliers.alpha);
}

void candidate_free(struct candidate *candidate)
{
    if (!candidate)
        return;
    tlu_options_free(candidate->options);
    memory_free(candidate->name);
    memory_free(candidate->reason);
    for (size_t i = 0; i < candidate->capacity; i++)
        fold_result_free(&candidate->results[i]);
    memory_free(candidate->results);
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
            if (i == VIEW_NGRAMS || i == VIEW_MISSING)
                strcat(strcat(name, "="), view->values[i]);
        }
    return name;
}

// Whether the options are the same, except one (OPTION_COUNT: none).
static bool is_same(const struct candidate *a, const struct candidate *b, enum option except)
{
    for (enum option i = 0; i < OPTION_COUNT; i++)
        if (i != except && !options_same(a->options, b->options, i))
            return false;
    return true;
}

// Number of a comma-separated list's first item: "64,32".
static double first_number(const char *text)
{
    return (double)strtoull(text, NULL, 10);
}

// Sets what kind of effort a training is, and roughly how many operations it takes.
static void set_work(const struct tune *tune, struct candidate *candidate)
{
    const struct data_summary *summary = split_summary(candidate->view->rows);
    const tlu_options *options = candidate->options;
    size_t learner = (size_t)options_choice(options, OPTION_LEARNER);
    double passes = (double)candidate_passes(tune, candidate), rows = (double)summary->rows;
    double entries = (double)summary->nonzeros,
           classes = (double)split_classes(tune->views[0].rows);
    char why[2];
    candidate->effort = EFFORT_ONLINE;
    candidate->work = passes * entries * (classes > 2 ? classes - 1 : 1);
    if (options_is_set(options, OPTION_KERNEL)) {
        candidate->effort = EFFORT_KERNEL;
        candidate->work = rows * (entries + passes * rows) * (classes > 2 ? classes - 1 : 1);
    } else if (learner_functions_at(learner)->choose) {
        candidate->effort = EFFORT_NET;
        candidate->work =
            passes * (entries + rows) * first_number(options_text(options, OPTION_HIDDEN));
    } else if (learner_kind_at(learner)->info.complexity > 1 &&
               tlu_options_no_effect(options, "epochs", why, sizeof why) > 0) {
        candidate->effort = EFFORT_SOLVER;
        candidate->work = rows * entries;
    }
}

double candidate_seconds(const struct tune *tune, const struct candidate *candidate)
{
    static const double usual[EFFORTS] = {4e-9, 1e-9, 5e-9, 1e-9}; // per operation
    const struct tune_speed *speed = &tune->speed[candidate->effort];
    if (candidate->trainings)
        return candidate->clock / (double)candidate->trainings;
    return candidate->work *
           (speed->work > 0 ? speed->seconds / speed->work : usual[candidate->effort]);
}

static bool is_known(const struct tune *tune, const struct candidate *candidate)
{
    for (size_t i = 0; i < tune->shown.count; i++)
        if (is_same(candidate, tune->candidates[i], OPTION_COUNT))
            return true;
    return false;
}

// Finds the path of a candidate: itself if it is the first, or is not trained by a batch solver.
static struct candidate *find_path(const struct tune *tune, struct candidate *candidate)
{
    bool solver = learner_kind_of(candidate->options)->traits & LEARNER_BATCH;
    for (size_t i = 0; solver && i < tune->shown.count; i++)
        if (is_same(candidate, tune->candidates[i], OPTION_C))
            return tune->candidates[i]->path.of;
    return candidate;
}

// Adds a candidate that has its options and name. The user's options can make candidates equal:
// only the first is kept.
static tlu_status enlist(struct tune *tune, struct candidate *candidate, bool *added,
                         tlu_error *error)
{
    *added = false;
    if (is_known(tune, candidate))
        return TLU_OK;
    if (!memory_reserve(&tune->candidates, &tune->capacity, tune->shown.count + 1,
                        sizeof *tune->candidates))
        return error_memory(error);
    TRY(value_of(candidate->options, OPTION_C, &candidate->path.C, error));
    candidate->path.of = find_path(tune, candidate);
    candidate->place = tune->shown.count;
    candidate->fate = NOT_TRIED;
    candidate->shown.score = NAN;
    candidate->shown.name = candidate->name;
    candidate->shown.options = candidate->options;
    set_work(tune, candidate);
    tune->candidates[tune->shown.count++] = candidate;
    *added = true;
    return TLU_OK;
}

// "logistic:rate=0.5:scale=standard": the options that the user did not give, except the usual ones
// and those of the view.
static char *spell(const struct tune *tune, const tlu_options *options)
{
    size_t size = 64;
    for (enum option i = 0; i < OPTION_COUNT; i++)
        size += strlen(tlu_option_at(i)->name) + strlen(options_text(options, i)) + 2;
    char *name = memory_new(size, 1);
    if (!name)
        return NULL;
    strcat(name, options_text(options, OPTION_LEARNER));
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        const char *text = options_text(options, i);
        bool viewed = i == OPTION_NGRAMS || i == OPTION_LOWERCASE || i == OPTION_CATEGORICAL ||
                      i == OPTION_MISSING;
        if (i == OPTION_LEARNER || viewed || !options_is_set(options, i) ||
            options_is_set(tune->given, i) || strcmp(text, "auto") == 0)
            continue;
        strcat(strcat(name, ":"), tlu_option_at(i)->name);
        if (tlu_option_at(i)->type != TLU_OPTION_FLAG)
            strcat(strcat(name, "="), text);
    }
    return name;
}

// The name says which options hold. An option that the user gives apart holds for all candidates,
// and not beside another value in --learners.
static tlu_status set_name(struct candidate *candidate, const struct tune *tune, const char *spec,
                           size_t length, enum option overruled, tlu_error *error)
{
    char quoted[80];
    char *spelled = NULL;
    if (overruled < OPTION_COUNT && candidate->fixed)
        return error_input(error, "--%s is given, and '%s' sets it, too; leave one of them out",
                           tlu_option_at(overruled)->name,
                           error_quote(quoted, sizeof quoted, spec, length));
    if (overruled < OPTION_COUNT) {
        spelled = spell(tune, candidate->options);
        TRY(enough_memory(spelled != NULL, error));
        spec = spelled;
        length = strlen(spelled);
    }
    candidate->name = name_of(spec, length, candidate->view);
    memory_free(spelled);
    return enough_memory(candidate->name != NULL, error);
}

static tlu_status fill(struct candidate *candidate, const struct tune *tune, const char *spec,
                       size_t length, tlu_error *error)
{
    enum option overruled;
    candidate->options = options_copy(tune->given);
    TRY(enough_memory(candidate->options != NULL, error));
    TRY(spec_set(candidate->options, spec, length, tune->given, &overruled, error));
    TRY(set_name(candidate, tune, spec, length, overruled, error));
    TRY(view_set(candidate->view, candidate->options, error));
    TRY(set_usual(candidate->options, split_classes(candidate->view->rows), error));
    return leave_out(candidate->options, error);
}

static tlu_status add(struct tune *tune, const char *spec, size_t length,
                      const struct data_view *view, bool fixed, tlu_error *error)
{
    struct candidate *candidate = memory_new(1, sizeof *candidate);
    bool added = false;
    TRY(enough_memory(candidate != NULL, error));
    candidate->view = view;
    candidate->fixed = fixed;
    tlu_status status = fill(candidate, tune, spec, length, error);
    if (status == TLU_OK)
        status = enlist(tune, candidate, &added, error);
    if (!added)
        candidate_free(candidate);
    return status;
}

// ---- neighbours ----

tlu_status candidate_add(struct tune *tune, tlu_options *options, const struct data_view *view,
                         struct candidate **out, tlu_error *error)
{
    bool added = false;
    *out = NULL;
    struct candidate *candidate = memory_new(1, sizeof *candidate);
    if (!candidate) {
        tlu_options_free(options);
        return error_memory(error);
    }
    candidate->options = options;
    candidate->view = view;
    tlu_status status = leave_out(options, error);
    char *spec = status == TLU_OK ? spell(tune, options) : NULL;
    if (status == TLU_OK)
        candidate->name = spec ? name_of(spec, strlen(spec), view) : NULL;
    memory_free(spec);
    if (status == TLU_OK)
        status = enough_memory(candidate->name != NULL, error);
    if (status == TLU_OK)
        status = enlist(tune, candidate, &added, error);
    if (added)
        *out = candidate;
    else
        candidate_free(candidate);
    return status;
}

// ---- all of them ----

#define SPEC_SIZE 128

// Replaces @X of a kernel by its value for the data.
static void fill_in(char text[SPEC_SIZE], const char *spec, const struct data_summary *summary)
{
    const char *at = strchr(spec, '@');
    char *after;
    assert(strlen(spec) + 32 < SPEC_SIZE);
    strcpy(text, spec);
    if (!at)
        return;
    // Factors of the table are short decimals: "1", "0.3".
    double factor = (double)strtoull(at + 1, &after, 10);
    if (*after == '.')
        factor += (double)strtoull(after + 1, &after, 10) / 10;
    double mean = (double)summary->nonzeros / (double)(summary->rows ? summary->rows : 1);
    double gamma = factor / (mean > 1 ? mean : 1), unit = 1;
    while (gamma * unit < 10) // two digits are enough
        unit *= 10;
    tlu_number_format(text + (at - spec), 32, rint(gamma * unit) / unit);
    strcat(text, after);
}

// ---- all of them ----

static tlu_status add_row(struct tune *tune, size_t row, bool named, tlu_error *error)
{
    size_t views = table[row].kind & VIEWS ? tune->view_count : 1;
    for (size_t v = 0; v < views; v++)
        if (suits(tune->views[v].rows, table[row].kind, named)) {
            char spec[SPEC_SIZE];
            fill_in(spec, table[row].spec, split_summary(tune->views[v].rows));
            TRY(add(tune, spec, strlen(spec), &tune->views[v], false, error));
        }
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
        TRY(add(tune, item, length, &tune->views[v], !alone, error));
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
    if (kind->table_passes && split_summary(candidate->view->rows)->table &&
        split_classes(tune->views[0].rows) > 2)
        return kind->table_passes;
    const struct learner_functions *functions = learner_functions_of(options);
    if (functions->choose) {
        struct tlu_learner learner = {.state.options = candidate->options};
        return functions->choose(&learner, split_summary(candidate->view->rows)->rows).passes;
    }
    tlu_options_default(options, "epochs", text, sizeof text);
    return strtoull(text, NULL, 10);
}
