#include "base/memory.h"
#include "data/facts.h"
#include "solvers/batch_solver.h"
#include "train/team.h"
#include "train/train.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SORTED_ROWS 20  // minimum number of rows for most notes
#define DRIFT_ROWS 1000 // minimum number of rows for the note about drift
#define DRIFT 0.05      // minimum by which the error of the last pass exceeds that of the first
// Classes are skewed if the share of rows outside the largest class is below this times what it
// would be if all classes had equally many rows.
#define SKEWED 0.5

static tlu_status note(struct training *t, tlu_error *error, const char *format, ...)
    PRINTF_LIKE(3, 4);

static tlu_status note(struct training *t, tlu_error *error, const char *format, ...)
{
    char text[600], escaped[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tlu_text_escape(escaped, sizeof escaped, text, strlen(text));
    char *copy = memory_copy_text(escaped, strlen(escaped));
    struct notices *notices = &t->outcome.notices;
    if (!copy || !memory_reserve(&notices->items, &notices->capacity, notices->count + 1,
                                 sizeof *notices->items)) {
        memory_free(copy);
        return error_memory(error);
    }
    notices->items[notices->count++] = copy;
    return TLU_OK;
}

static bool is_given(const struct training *t, enum option option)
{
    const tlu_options *given = t->start.model ? t->start.given : t->given;
    return given && options_is_set(given, option);
}

// What a training does not take from the model that it starts from.
static tlu_status hints_about_start(struct training *t, tlu_error *error)
{
    if (t->start.held_out && !is_given(t, OPTION_HOLDOUT))
        TRY(note(t, error,
                 "--holdout of the model to start from is not used: this training learns from all "
                 "rows, unless --holdout is given again"));
    if (t->start.has_output)
        TRY(note(t, error,
                 "the calibration and the threshold of the model to start from are left out: they "
                 "were fitted to its weights"));
    return TLU_OK;
}

tlu_status hints_about_options(struct training *t, tlu_error *error)
{
    TRY(hints_about_start(t, error));
    for (enum option i = 0; i < OPTION_COUNT; i++) {
        char why[200];
        if (is_given(t, i) && tlu_options_no_effect(t->learner.state.options,
                                                    tlu_option_at(i)->name, why, sizeof why))
            TRY(note(t, error, "%s", why));
    }
    return TLU_OK;
}

#define BUCKETS 65536
#define FEATURES_MANY 262144 // from here on, computing ranges costs more than a counting pass

// Whether some feature may occur in half of the rows. Features share counters, so that the counters
// fit into the cache. If no counter gets that far, all features are rare.
static bool may_have_columns(const struct training *t, uint32_t *counters)
{
    for (size_t b = 0; b < t->rows.batch_count; b++)
        for (size_t r = 0; r < t->rows.batches[b]->rows; r++) {
            tlu_row row = batch_row(t->rows.batches[b], r);
            for (size_t i = 0; i < row.count; i++) {
                uint64_t count = ++counters[row_feature(&row, i) % BUCKETS];
                if (count * 2 >= t->rows.counts.rows)
                    return true;
            }
        }
    return false;
}

// *columns: some features may occur in half of the rows, so that their ranges matter.
static tlu_status look_for_columns(const struct training *t, bool *columns, tlu_error *error)
{
    *columns = true;
    if (schema_features(&t->learner.state.schema) < FEATURES_MANY)
        return TLU_OK;
    uint32_t *counters = memory_new(BUCKETS, sizeof *counters);
    TRY(enough_memory(counters != NULL, error));
    *columns = may_have_columns(t, counters);
    memory_free(counters);
    return TLU_OK;
}

tlu_status hints_about_ranges(struct training *t, tlu_error *error)
{
    if (options_choice(t->learner.state.options, OPTION_SCALE) != SCALE_NONE)
        return TLU_OK;
    bool columns;
    TRY(look_for_columns(t, &columns, error));
    if (!columns)
        return TLU_OK;
    size_t features = schema_features(&t->learner.state.schema), widest = 0, narrowest = 0;
    struct value_range *ranges = memory_new(features, sizeof *ranges);
    if (!ranges)
        return error_memory(error);
    // In a team all rows are read by now; alone, the first ones, unless more are needed.
    uint64_t rows = ranges_find(ranges, t->rows.batches, t->rows.batch_count,
                                t->team ? TRAIN_LOOKAHEAD : UINT64_MAX);
    double most = 0, least = 0;
    const struct schema *schema = &t->learner.state.schema;
    for (size_t f = schema_next(schema, 0); f < features; f = schema_next(schema, f + 1)) {
        // Ranges of rare features (words, categories) are not compared, only those of columns.
        if ((uint64_t)ranges[f].count * 2 < rows)
            continue;
        double width = range_width(&ranges[f], rows);
        if (width > most) {
            most = width;
            widest = f;
        }
        if (width > 0 && (least == 0 || width < least)) {
            least = width;
            narrowest = f;
        }
    }
    memory_free(ranges);
    if (!(most > RANGE_RATIO * least))
        return TLU_OK;
    char wide[48], narrow[48];
    schema_name(&t->learner.state.schema, (uint32_t)widest, wide, sizeof wide);
    schema_name(&t->learner.state.schema, (uint32_t)narrowest, narrow, sizeof narrow);
    return note(t, error,
                "feature %s ranges over %.3g and feature %s over %.3g; give --scale standard or "
                "--scale maxabs for equal influence",
                wide, most, narrow, least);
}

// Notes categorical columns with more values than half of the rows: they identify rows, not
// classes. With --start the values include those of earlier rows.
static tlu_status note_identifiers(struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.state.schema;
    uint64_t rows = team_rows(t);
    bool counts = rows >= SORTED_ROWS && !t->start.model;
    for (size_t i = 0; counts && i < schema->column_count; i++) {
        const char *name = schema->columns[i].name;
        size_t length = strlen(name);
        uint64_t values = 0;
        if (schema->columns[i].kind != COLUMN_CATEGORICAL)
            continue;
        for (uint32_t f = 0; f < schema->names.count; f++) {
            const char *feature = table_text(&schema->names, f);
            values += strncmp(feature, name, length) == 0 && feature[length] == '=';
        }
        if (values * 2 <= rows)
            continue;
        TRY(note(t, error,
                 "column %.60s has %llu different values in %llu rows and may only name them; "
                 "leave it out with --ignore",
                 name, (unsigned long long)values, (unsigned long long)rows));
    }
    return TLU_OK;
}

// What was assumed about the data.
static tlu_status note_facts(struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.state.schema;
    struct data_facts facts;
    tlu_status status =
        data_facts_make(&facts, schema, options_choice(t->learner.state.options, OPTION_MISSING),
                        t->rows.counts.rows, schema_classes(schema), error);
    for (size_t i = 0; status == TLU_OK && i < facts.view.notices; i++)
        status = note(t, error, "%s", facts.view.notice[i]);
    data_facts_free(&facts);
    return status;
}

// ---- how training went ----

// The error rate of the last pass, which may be incomplete. The mistakes are those of all
// processes.
static double last_error(const struct training *t)
{
    uint64_t examples = t->run.now.examples;
    return (double)t->outcome.mistakes[t->outcome.passes - 1] /
           (double)(examples ? examples : team_examples(t));
}

// Notes a model that is no better than always predicting the largest class. Not with
// --class-weight, whose users do not minimise the error rate.
static tlu_status note_no_better_than_constant(struct training *t, tlu_error *error)
{
    const struct tlu_learner *learner = &t->learner;
    uint32_t most = 0, classes = schema_classes(&learner->state.schema);
    for (uint32_t c = 1; c < classes; c++)
        if (learner->state.scheme.class_examples[c] > learner->state.scheme.class_examples[most])
            most = c;
    double constant_error =
        1 - (double)learner->state.scheme.class_examples[most] / (double)team_rows(t);
    double wrong = last_error(t);
    bool measured = t->outcome.accuracy && t->outcome.best_pass && t->holdout.plain;
    if (measured)
        wrong = 1 - t->outcome.accuracy[t->outcome.best_pass - 1];
    if (learner->state.scheme.kind == SCHEME_MULTILABEL || t->rows.counts.rows < SORTED_ROWS ||
        !t->rows.keep || wrong < constant_error ||
        (wrong == constant_error && constant_error == 0) ||
        options_text(learner->state.options, OPTION_CLASS_WEIGHT)[0])
        return TLU_OK;
    const char *why = "columns of very different range (--scale standard), columns that only name "
                      "rows (--ignore) or too few rows may be why";
    if (options_choice(learner->state.options, OPTION_SCALE) != SCALE_NONE)
        why = "columns that only name rows (--ignore) or too few rows may be why";
    if (constant_error < SKEWED * (1 - 1 / (double)classes))
        why =
            "few rows are of another class; --class-weight balanced gives the classes equal weight";
    return note(
        t, error,
        "%s wrong for %.1f%% of the rows; always predicting '%.60s' is wrong for %.1f%%: %s",
        measured ? "on held-out rows the model is" : "in its last pass the learner was",
        100 * wrong, learner->state.schema.spelled[most], 100 * constant_error, why);
}

// Later passes usually have fewer mistakes. If the first pass, in file order, has far fewer than
// the last, in random order, neighbouring rows are similar: the data drifts.
static tlu_status note_drift(struct training *t, tlu_error *error)
{
    if (t->outcome.passes < 2 || t->rows.order.count < DRIFT_ROWS || training_is_sorted(t) ||
        options_choice(t->learner.state.options, OPTION_SHUFFLE) != SHUFFLE_LATER)
        return TLU_OK;
    double rows = (double)team_examples(t), first = (double)t->outcome.mistakes[0] / rows,
           last = (double)t->outcome.mistakes[t->outcome.passes - 1] / rows;
    if (last < first + DRIFT || last < 1.5 * first)
        return TLU_OK;
    return note(t, error,
                "the first pass, in file order, was wrong for %.1f%% of the rows, the last, "
                "in random order, for %.1f%%: rows seem to change with time, and the "
                "progressive error is not an estimate for this model; tlu stream follows such "
                "rows, --shuffle all or --holdout gives an estimate",
                100 * first, 100 * last);
}

// With one pass there was no choice.
static tlu_status note_held_out(struct training *t, tlu_error *error)
{
    char metric[METRIC_NAME_SIZE];
    if (!t->outcome.accuracy || t->outcome.passes < 2)
        return TLU_OK;
    return note(t, error,
                "the held-out rows also chose the pass, so their %s is optimistic; tlu split sets "
                "rows aside to test on",
                metric_name(&t->holdout.metric, metric));
}

tlu_status hints_about_outcome(struct training *t, tlu_error *error)
{
    if (t->learner.pruning.forgotten) {
        TRY(note(t, error, "%llu names of features were forgotten: --max-features",
                 (unsigned long long)t->learner.pruning.forgotten));
    }
    const struct solution *solution = t->learner.solving.solution;
    double goal = options_number(t->learner.state.options, OPTION_GAP);
    if (solution && solution->gap > goal) {
        TRY(note(
            t, error, "the optimum is only known to a relative gap of %.1e, not to the %g wanted%s",
            solution->gap, goal, t->reporter.interrupted ? "" : ": --scale standard may help"));
    }
    TRY(note_held_out(t, error));
    TRY(note_drift(t, error));
    return note_no_better_than_constant(t, error);
}

bool training_is_sorted(const struct training *t)
{
    uint32_t classes = schema_classes(&t->learner.state.schema);
    // If every row has its own label, the file is not considered sorted.
    return t->rows.counts.class_changes == classes && t->rows.counts.rows >= SORTED_ROWS &&
           t->rows.counts.rows >= 2 * (uint64_t)classes &&
           options_choice(t->learner.state.options, OPTION_SHUFFLE) != SHUFFLE_ALL;
}

// --multilabel: labels that look like lists with another separator.
static tlu_status note_separator(struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.state.schema;
    const char *found = NULL;
    for (uint32_t c = 0; schema->multilabel && !found && c < schema_classes(schema); c++)
        found = strpbrk(schema->spelled[c], ";|") ? schema->spelled[c] : NULL;
    if (!found || strpbrk(schema->separator, ";|"))
        return TLU_OK;
    char separator = *strpbrk(found, ";|");
    return note(t, error,
                "the label '%.60s' has a '%c'; --label-separator '%c' would read it as several "
                "labels",
                found, separator, separator);
}

tlu_status hints_about_data(struct training *t, tlu_error *error)
{
    uint32_t classes = schema_classes(&t->learner.state.schema);
    TRY(note_facts(t, error));
    if (training_is_sorted(t) && !(t->learner.rule.kind->traits & LEARNER_BATCH))
        TRY(note(t, error,
                 "the file is sorted by class, which misleads a learner that reads "
                 "rows in file order; use --shuffle all"));
    TRY(note_identifiers(t, error));
    const struct scheme *scheme = &t->learner.state.scheme;
    if (classes == 2 && scheme->kind == SCHEME_TWO &&
        (scheme->class_examples_count < 2 || scheme->class_examples[1] == 0))
        TRY(note(t, error,
                 "all rows have the label %s, so training only moves them to one side of the "
                 "hyperplane; the other class, %s, has no rows",
                 t->learner.state.schema.spelled[0], t->learner.state.schema.spelled[1]));
    TRY(note_separator(t, error));
    if (classes == 2 && is_given(t, OPTION_MULTICLASS))
        TRY(note(t, error, "--multiclass has no effect on two classes"));
    if (t->learner.pruning.max_features && schema_names(&t->learner.state.schema) == 0)
        TRY(note(t, error,
                 "--max-features has no effect: it is for names of features, and "
                 "the data has numbers alone"));
    if (t->rows.counts.qid_fields)
        TRY(note(t, error, "qid: fields were ignored (%llu of them)",
                 (unsigned long long)t->rows.counts.qid_fields));
    if (t->rows.counts.multi_label_rows)
        TRY(note(t, error,
                 "%llu rows had more than one label in the text, of which the file has the first; "
                 "convert the text again, with --multilabel",
                 (unsigned long long)t->rows.counts.multi_label_rows));
    return TLU_OK;
}
