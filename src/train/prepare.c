// Before the first example: options are checked, the first rows are read, or all of them, and the
// data decides what the options leave open.
#include "base/memory.h"
#include "base/parallel.h"
#include "data/impute.h"
#include "data/large.h"
#include "learn/conflicts.h"
#include "learn/decision.h"
#include "mlp/layers.h"
#include "solvers/batch_solver.h"
#include "space/dual.h"
#include "train/checkpoint/checkpoint.h"
#include "train/clock.h"
#include "train/team.h"
#include "train/train.h"

#include <assert.h>
#include <stdio.h>

#define TABLE_ROWS 100000        // of a table that more passes are made over
#define TABLE_SCORES 5000000000u // rows times classes times passes: a few seconds

// ---- options and the first rows ----

// The scaling that is fitted to all rows before the first example, SCALE_... The first rows decide
// whether `auto` is one.
static int fitted_scale(const struct tlu_learner *learner)
{
    int scale = options_choice(learner->state.options, OPTION_SCALE);
    return scale == SCALE_ONLINE || scale == SCALE_AUTO ? SCALE_NONE : scale;
}

static tlu_status check_options(struct training *t, tlu_error *error)
{
    const struct tlu_learner *learner = &t->learner;
    TRY(conflicts_check(learner, SITUATION_TRAINING, error));
    TRY(holdout_choose_metric(t, error));
    if (t->reporter.on_step)
        TRY(conflicts_check(learner, SITUATION_TRACE, error));
    if (t->team || t->start.model)
        TRY(conflicts_check(learner, SITUATION_MIX, error));
    if (t->team && options_number(learner->state.options, OPTION_HOLDOUT) > 0 && !t->holdout.plain)
        return error_input(error, "--metric cannot be combined with several processes: they count "
                                  "the held-out rows that are right; leave it out");
    if (t->reporter.checkpoint && checkpoint_obstacle(learner))
        return error_input(error, "no checkpoints: this training could not be resumed from one: %s",
                           checkpoint_obstacle(learner));
    return TLU_OK;
}

// Whether values are missing, or may be, that are replaced by what all rows tell. If none are, the
// means of auto and mean, for prediction, are computed while the rows are read.
static bool fits_missing_values(const struct tlu_learner *learner)
{
    const struct schema *schema = &learner->state.schema;
    int missing = options_choice(learner->state.options, OPTION_MISSING);
    bool fits = impute_fits(missing) && schema_is_table(schema) && !schema->slots.bits;
    bool some = !schema_is_csv(schema) || (missing != MISSING_AUTO && missing != MISSING_MEAN);
    for (size_t i = 0; i < schema->column_count; i++)
        some |= column_has_features(schema->columns[i].kind) && schema->columns[i].missing > 0 &&
                schema->columns[i].kind != COLUMN_TEXT;
    return fits && some;
}

// Whether the lines of rows are for messages alone. Supports of a kernel and traces keep them, and
// batch solvers have messages of their own.
static bool needs_no_lines(const struct training *t)
{
    const struct tlu_learner *learner = &t->learner;
    bool known = options_choice(learner->state.options, OPTION_LEARNER) != LEARNER_AUTO;
    return (known || t->team) && !t->reporter.on_step && !learner->state.kernel.kind &&
           !(learner->rule.kind->traits & LEARNER_BATCH);
}

static tlu_status open_rows(struct training *t, tlu_error *error)
{
    tlu_options *options = t->learner.state.options;
    struct rows *rows = &t->rows;
    rows->scaling.kind = fitted_scale(&t->learner);
    rows->keep |= t->passes > 1 || options_number(options, OPTION_HOLDOUT) > 0;
    rows->row_source.seeks = needs_no_lines(t);
    rows->row_source.is_over = progress_ends;
    rows->row_source.context = t;
    TRY(rows_open(rows, options, &t->learner.state.schema, error));
    if (t->team) // the model is not that of a part
        TRY(tlu_options_clear(options, "part", error));
    TRY(automatic_read(&t->learner, reader_is_parsed(rows->reader), error));
    rows->whole |= learner_needs_all_rows(&t->learner) || fits_missing_values(&t->learner) ||
                   t->start.model || t->team;
    const struct schema *schema = &t->learner.state.schema;
    const struct scale_rule rule = scale_rule_of(options, SCALE_NONE);
    if (scale_rule_counts(&rule) && !schema_has_texts(schema))
        return error_at(error, rows->path, 0, 0,
                        "--%s is for words, and the data has no text; name a text column of a "
                        "table with --text",
                        rule.tfidf ? "tfidf" : "min-count");
    if (scale_rule_counts(&rule) && schema->slots.bits && schema->column_count > 0)
        return error_at(error, rows->path, 0, 0,
                        "--%s cannot be combined with --hash in a table: hashed features have no "
                        "names to tell words by",
                        rule.tfidf ? "tfidf" : "min-count");
    return TLU_OK;
}

tlu_status training_read(struct training *t, bool keep, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    TRY(rows_read(&t->rows, learner->state.options, keep, error));
    if (!t->rows.ended) {
        const struct batch *batch = rows_newest(&t->rows);
        bool sets = learner->state.schema.multilabel;
        for (size_t i = 0; sets && i < batch->rows; i++)
            TRY(enough_memory(learner_count_set(learner, batch_set(batch, i)), error));
        for (size_t i = 0; !sets && i < batch->rows; i++)
            TRY(enough_memory(learner_count(learner, batch->labels[i]), error));
        TRY(enough_memory(learner->state.kernel.kind || learner_reserve(learner), error));
        if (!t->rows.whole && schema_is_csv(&learner->state.schema) &&
            !learner->state.schema.slots.bits &&
            impute_fits(options_choice(learner->state.options, OPTION_MISSING)))
            TRY(enough_memory(impute_count(&learner->state.schema, batch), error));
    }
    progress_report(t);
    return TLU_OK;
}

// Whether the first rows are those of a table of numbers.
static tlu_status looks_like_table(struct training *t, bool *table, tlu_error *error)
{
    *table = false;
    if (t->learner.state.kernel.kind || t->learner.pruning.max_features)
        return TLU_OK;
    return scaling_wanted(&t->learner.state.schema, t->rows.batches, t->rows.batch_count,
                          TRAIN_LOOKAHEAD, table, error);
}

// Several processes read all rows first, but seldom to change them: whether these rows will stay as
// they are, as the first ones tell.
static tlu_status expect_no_changes(struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.state.schema;
    struct scale_rule rule = scale_rule_of(t->learner.state.options, t->rows.scaling.kind);
    bool table;
    TRY(looks_like_table(t, &table, error));
    t->rows.copies = !table && rule.kind == SCALE_NONE && !rule.normalize &&
                     !schema_is_table(schema) && !schema_has_texts(schema);
    return TLU_OK;
}

// The first rows, or all of them; they stay in memory.
static tlu_status read_ahead(struct training *t, tlu_error *error)
{
    struct rows *rows = &t->rows;
    bool expects = t->team && !t->start.model;
    while (!rows->ended && !t->reporter.interrupted &&
           (rows->whole || rows->counts.rows < TRAIN_LOOKAHEAD)) {
        TRY(training_read(t, true, error));
        if (expects && rows->counts.rows >= TRAIN_LOOKAHEAD) {
            TRY(expect_no_changes(t, error));
            expects = false;
        }
    }
    return TLU_OK;
}

static tlu_status check_rows(const struct training *t, tlu_error *error)
{
    const struct rows *rows = &t->rows;
    if (team_rows(t) == 0)
        return error_at(error, rows->path, 0, 0,
                        schema_is_csv(&t->learner.state.schema) && t->learner.state.schema.header &&
                                !rows->counts.skipped
                            ? "has a header and no rows"
                            : "has no examples");
    if (schema_columns(&t->learner.state.schema) == 0 && rows->row_source.next_rows)
        return error_at(error, rows->path, 0, 0, "no row has a feature");
    if (schema_columns(&t->learner.state.schema) == 0 &&
        (schema_is_table(&t->learner.state.schema) || t->learner.state.schema.stop_words.count))
        return error_at(error, rows->path, 0, 0,
                        "no row has a word%s; choose the text with --text, or add columns",
                        t->learner.state.schema.stop_words.count ? " besides the stop words" : "");
    if (schema_columns(&t->learner.state.schema) == 0)
        return error_at(
            error, rows->path, 0, 0,
            "no row has a feature: is it really %s? (give another --format, or none, if it "
            "is not)",
            format_table[t->learner.state.schema.format].title);
    return TLU_OK;
}

// ---- what is left to the data ----

// Layers start with weights for values of about 1: whether some are larger.
static bool has_large_values(const struct rows *rows)
{
    for (size_t b = 0; b < rows->batch_count; b++)
        for (size_t i = 0; i < rows->batches[b]->rows; i++) {
            tlu_row row = batch_row(rows->batches[b], i);
            for (size_t k = 0; row.values && k < row.count; k++)
                if (row.values[k] > 1 || row.values[k] < -1)
                    return true;
        }
    return false;
}

// Of a table with several classes each pair has few rows: more passes pay (docs/accuracy.md), if
// there are not too many rows for that. With as many classes as rows, the time of a pass grows
// with their square, so fewer passes are made.
static tlu_status choose_passes(struct training *t, tlu_error *error)
{
    const struct tlu_learner *learner = &t->learner;
    uint64_t passes = learner->rule.kind->table_passes, rows = team_rows(t);
    uint32_t classes = schema_classes(&learner->state.schema);
    if (!passes || learner->rule.epochs_given || classes <= 2)
        return TLU_OK;
    uint64_t affordable = TABLE_SCORES / (rows * classes) + 1;
    if (rows > TABLE_ROWS)
        passes = t->passes;
    if (passes > affordable)
        passes = affordable;
    if (passes == t->passes)
        return TLU_OK;
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)passes);
    t->passes = passes;
    return tlu_options_set(learner->state.options, "epochs", text, error);
}

// A net makes many short passes over few rows, and begins slowly: a tenth of them is what it may go
// on without a better one, if that is left to it.
static tlu_status choose_patience(struct training *t, tlu_error *error)
{
    char passes[24];
    tlu_options *options = t->learner.state.options;
    if (options_is_set(options, OPTION_PATIENCE) || options_number(options, OPTION_HOLDOUT) == 0 ||
        t->passes / 10 <= options_count(options, OPTION_PATIENCE))
        return TLU_OK;
    snprintf(passes, sizeof passes, "%llu", (unsigned long long)(t->passes / 10));
    return tlu_options_set(options, "patience", passes, error);
}

// --learner auto: several processes choose by the rows of the first that has some.
static tlu_status choose_learner(struct training *t, bool table, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    if (!learner->automatic.on)
        return TLU_OK;
    bool own = automatic_has_texts(&learner->automatic), texts = own, sparse;
    TRY(automatic_find_sparse(&learner->state.schema, t->rows.batches, t->rows.batch_count,
                              TRAIN_LOOKAHEAD, &sparse, error));
    TRY(team_agree(t, &sparse, error));
    TRY(team_agree(t, &texts, error));
    if (texts != own)
        return error_at(error, t->rows.path, 0, 0,
                        "%s, unlike the data of another process; name a learner with --learner",
                        own ? "has texts" : "has no texts");
    TRY(automatic_choose(learner, t->given, table, sparse, error));
    t->passes = options_count(learner->state.options, OPTION_EPOCHS);
    return TLU_OK;
}

static tlu_status choose_options(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    bool scale = options_choice(learner->state.options, OPTION_SCALE) == SCALE_AUTO;
    bool table = false;
    if (t->start.model) // its options say what was chosen
        return learner_choose(learner, false, error);
    if (scale || learner->automatic.on ||
        options_choice(learner->state.options, OPTION_MULTICLASS) == MULTICLASS_AUTO ||
        (learner->rule.kind->table_rate > 0 && !learner->rule.rate_given))
        TRY(looks_like_table(t, &table, error));
    TRY(team_agree(t, &table, error));
    TRY(choose_learner(t, table, error));
    bool layers = learner->rule.kind->traits & LEARNER_LAYERS;
    if (scale && (table || (layers && has_large_values(&t->rows)))) {
        t->rows.whole = true; // columns are fitted to all rows
        t->rows.scaling.kind = table ? SCALE_AUTO : SCALE_MAXABS;
        while (!t->rows.ended && !t->reporter.interrupted)
            TRY(training_read(t, true, error));
    }
    TRY(learner_choose(learner, table, error));
    if (learner->rule.functions->choose && !learner->rule.epochs_given)
        t->passes = learner->rule.functions->choose(learner, t->rows.counts.rows).passes;
    if (layers)
        TRY(choose_patience(t, error));
    return table && t->rows.whole ? choose_passes(t, error) : TLU_OK;
}

// ---- what needs all rows ----

// n / (classes * n_c): every class counts the same in sum. With --multilabel, the two classes are
// the rows with a label and those without it.
static tlu_status balance_classes(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    struct scheme *scheme = &learner->state.scheme;
    const struct places *order = &t->rows.order;
    bool labels = scheme->kind == SCHEME_MULTILABEL;
    double all = (double)team_examples(t),
           *rows = memory_new(scheme->classes, sizeof *rows); // [classes] to learn from
    TRY(enough_memory(rows != NULL, error));
    for (size_t k = 0; k < order->count; k++) {
        struct place place = order->items[k];
        const uint32_t *set = batch_set(rows_batch(&t->rows, place), place.row);
        for (uint32_t i = 1; set && i <= set[0]; i++)
            rows[set[i]] += 1;
        if (!set)
            rows[rows_label(&t->rows, place)] += 1;
    }
    if (t->team && team_sum(t->team, rows, scheme->classes, error) != TLU_OK) {
        memory_free(rows);
        return t->team->over ? TLU_ERROR_SYSTEM : error_memory(error);
    }
    double classes = labels ? 2 : scheme->classes;
    for (uint32_t c = 0; c < scheme->classes; c++) {
        if (rows[c] == 0 || (labels && rows[c] == all))
            continue;
        scheme->class_weight[c] *= all / (classes * rows[c]);
        if (labels)
            scheme->rest_weight[c] = all / (classes * (all - rows[c]));
    }
    memory_free(rows);
    return TLU_OK;
}

// --ratchet: the rows that the current weights of a group get right.
static uint64_t count_right(void *context, uint32_t group)
{
    struct training *t = context;
    struct tlu_learner *learner = &t->learner;
    const struct places *order = &t->rows.order;
    uint64_t right = 0;
    for (size_t k = 0; k < order->count; k++) {
        struct place place = order->items[k];
        enum scheme_kind kind = learner->state.scheme.kind;
        tlu_row row = rows_row(&t->rows, place);
        weights_find_scores(&learner->state.weights, &row, learner->space.scratch);
        if (kind == SCHEME_OVR || kind == SCHEME_OVO || kind == SCHEME_MULTILABEL)
            right += batch_sign(learner, group, rows_batch(&t->rows, place), place.row) *
                         learner->space.scratch[group] >
                     0;
        else
            right += learner_elect(learner, learner->space.scratch) == rows_label(&t->rows, place);
    }
    return right;
}

static tlu_status has_no_value(const struct rows *rows, const char *column, size_t length,
                               tlu_error *error)
{
    int shown = length < 80 ? (int)length : 80;
    return error_at(error, rows->path, 0, 0,
                    "column '%.*s' has no value; leave it out with --ignore %.*s", shown, column,
                    shown, column);
}

// How many rows are not held out. *marked: how many of these have the feature; SCHEMA_NONE: none.
static uint64_t count_fitted(const struct rows *rows, uint32_t feature, uint64_t *marked)
{
    uint64_t fitted = 0;
    *marked = 0;
    for (size_t b = 0; b < rows->batch_count; b++)
        for (size_t r = 0; r < rows->batches[b]->rows; r++) {
            if (batch_is_held_out(rows->batches[b], r))
                continue;
            tlu_row row = batch_row(rows->batches[b], r);
            fitted++;
            for (size_t k = 0; feature != SCHEMA_NONE && k < row.count; k++)
                *marked += row_feature(&row, k) == feature;
        }
    return fitted;
}

// A member of JSON records that is always null is not among the columns: the first rows do not tell
// what it is. Its marker is in the first row.
static tlu_status check_members(const struct rows *rows, const struct schema *schema,
                                tlu_error *error)
{
    static const char marker[] = "=" MISSING_VALUE;
    char scratch[LARGE_SCRATCH];
    const size_t end = sizeof marker - 1;
    if (!schema_is_records(schema) || rows->batch_count == 0 || rows->batches[0]->rows == 0)
        return TLU_OK;
    tlu_row row = batch_row(rows->batches[0], 0);
    for (size_t k = 0; k < row.count; k++) {
        size_t length;
        uint64_t marked;
        const char *name = schema_name_at(schema, row_feature(&row, k), scratch, &length);
        if (length <= end || memcmp(name + length - end, marker, end) != 0 ||
            memchr(name, '^', length))
            continue;
        bool column = false;
        for (size_t i = 0; i < schema->column_count; i++)
            column |= strlen(schema->columns[i].name) == length - end &&
                      memcmp(schema->columns[i].name, name, length - end) == 0;
        if (!column && count_fitted(rows, row_feature(&row, k), &marked) == marked)
            return has_no_value(rows, name, length - end, error);
    }
    return TLU_OK;
}

// Every column has a value in some row. The training rows of a fold may lack all values of a
// column.
static tlu_status check_values(const struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.state.schema;
    const struct rows *rows = &t->rows;
    int missing = options_choice(t->learner.state.options, OPTION_MISSING);
    uint64_t marked;
    if (!impute_fits(missing) || !schema_is_table(schema) || schema->slots.bits ||
        rows->row_source.subset.part)
        return TLU_OK;
    uint64_t fitted = count_fitted(rows, SCHEMA_NONE, &marked);
    for (size_t i = 0; fitted && i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        if ((column->kind == COLUMN_NUMERIC || column->kind == COLUMN_CATEGORICAL) &&
            column->missing == fitted)
            return has_no_value(rows, column->name, strlen(column->name), error);
    }
    return check_members(rows, schema, error);
}

// --min-count leaves a feature.
static tlu_status check_words(const struct training *t, uint64_t min_count, tlu_error *error)
{
    const struct learner_state *state = &t->learner.state;
    bool left = !state->words.counts || min_count < 2;
    for (uint32_t f = 0; !left && f < schema_features(&state->schema); f++) {
        uint32_t count = word_count(&state->words, f);
        left = count == 0 || count >= min_count; // 0: it is not a word
    }
    return left ? TLU_OK
                : error_at(error, t->rows.path, 0, 0,
                           "no word occurs in %llu rows; give a smaller --min-count",
                           (unsigned long long)min_count);
}

// The values that replace missing ones would be fitted to the rows of one process.
static tlu_status refuse_missing(const struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.state.schema;
    bool fits = impute_fits(options_choice(t->learner.state.options, OPTION_MISSING)) &&
                schema_is_table(schema) && !schema->slots.bits;
    for (size_t i = 0; fits && i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        uint32_t marker = SCHEMA_NONE;
        if (column_has_features(column->kind) && column->kind != COLUMN_TEXT)
            TRY(enough_memory(schema_find_value(schema, column, MISSING_VALUE, &marker), error));
        if (marker != SCHEMA_NONE)
            return error_at(error, t->rows.path, 0, 0,
                            "column '%.80s' has missing values, and several processes cannot fit "
                            "what replaces them: use --missing indicator, zero or refuse",
                            column->name);
    }
    return TLU_OK;
}

static tlu_status scale_rows(struct training *t, tlu_error *error)
{
    struct rows *rows = &t->rows;
    const tlu_options *options = t->learner.state.options;
    struct scale_rule rule = scale_rule_of(options, rows->scaling.kind);
    if (t->team)
        TRY(refuse_missing(t, error));
    TRY(impute_rows(&t->learner.state.schema, options_choice(options, OPTION_MISSING),
                    rows->batches, rows->batch_count, error));
    if (t->team)
        TRY(team_fill(t, error));
    else
        TRY(check_values(t, error));
    const struct scale_reduction reduction = {team_reduce_sum, team_reduce_largest, t->team};
    if (!t->start.model) // else its scaling
        TRY(scaling_fit(&rows->scaling, &rule, &t->learner.state.schema, rows->batches,
                        rows->batch_count, &t->learner.state.words, t->team ? &reduction : NULL,
                        error));
    TRY(check_words(t, rule.min_count, error));
    for (size_t b = 0; b < rows->batch_count; b++) {
        TRY(scaling_apply(&rows->scaling, rows->batches[b], error));
        TRY(cache_keep(&rows->cache, rows->batches[b], error));
    }
    return TLU_OK;
}

static tlu_status make_dual(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    TRY(enough_memory(weights_reserve(&learner->state.weights, (size_t)t->rows.counts.rows),
                      error));
    if (learner->rule.kind->traits & LEARNER_BATCH) // it keeps no scores between examples
        return TLU_OK;
    return dual_new(&learner->space.dual, &learner->state.kernel, t->rows.batches,
                    t->rows.batch_count, learner->state.weights.columns,
                    parallel_threads(options_count(learner->state.options, OPTION_THREADS)), error);
}

static tlu_status make_layers(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    const tlu_options *options = learner->state.options;
    struct layers_plan plan = {
        .shape = {.activation = (enum activation)options_choice(options, OPTION_ACTIVATION),
                  .bias = learner->rule.bias,
                  .adam = options_choice(options, OPTION_OPTIMIZER) == OPTIMIZER_ADAM},
        .batch_rows = (size_t)learner->rule.functions->choose(learner, t->rows.counts.rows).batch,
        .threads = parallel_threads(options_count(options, OPTION_THREADS)),
        .seed = options_count(options, OPTION_SEED) + 0x6E6574, // not the numbers of the shuffles
        .blas = (enum layers_blas)options_choice(options, OPTION_BLAS)};
    TRY(net_parse_hidden(&plan.shape, options_text(options, OPTION_HIDDEN), error));
    plan.shape.sizes[plan.shape.depth] = learner_columns(learner);
    tlu_status status = layers_new(&learner->space.layers, &plan, &learner->state.schema,
                                   t->rows.batches, t->rows.batch_count, error);
    if (learner->space.layers)
        learner->state.net = learner->space.layers->net;
    TRY(status);
    if (plan.blas != LAYERS_BLAS_AUTO || !learner->space.layers->wants_blas)
        return TLU_OK;
    // A run that is resumed on another machine continues as it began.
    return tlu_options_set(learner->state.options, "blas",
                           learner->space.layers->scratch.blas ? "yes" : "no", error);
}

static tlu_status prepare_all_rows(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    uint32_t classes = schema_classes(&learner->state.schema);
    TRY(learner_add_classes(learner, classes, error));
    TRY(rows_hold_out(&t->rows, learner->state.options, classes, error));
    TRY(team_count(t, error));
    if (options_number(learner->state.options, OPTION_HOLDOUT) > 0 && team_held_out(t) == 0 &&
        !t->reporter.interrupted)
        return error_input(error, "--holdout: %llu rows are too few to split",
                           (unsigned long long)team_rows(t));
    if (options_number(learner->state.options, OPTION_HOLDOUT) > 0)
        TRY(enough_memory(
            memory_reserve(&t->run.accuracy, &t->run.accuracy_capacity, 1, sizeof *t->run.accuracy),
            error));
    if (learner->state.scheme.balanced)
        TRY(balance_classes(t, error));
    TRY(scale_rows(t, error));
    if (learner->state.kernel.kind)
        TRY(make_dual(t, error));
    if (learner->rule.kind->traits & LEARNER_LAYERS)
        TRY(make_layers(t, error));
    if (learner->state.decision.pocket && options_flag(learner->state.options, OPTION_RATCHET)) {
        learner->state.decision.pocket->count_right = count_right;
        learner->state.decision.pocket->context = t;
    }
    return TLU_OK;
}

// The classes that are in play from the first example on: those of the first rows.
static uint32_t classes_ahead(const struct rows *rows)
{
    uint32_t classes = 0;
    uint64_t seen = 0;
    for (size_t b = 0; b < rows->batch_count; b++)
        for (size_t i = 0; i < rows->batches[b]->rows && seen < TRAIN_LOOKAHEAD; i++, seen++) {
            const uint32_t *set = batch_set(rows->batches[b], i);
            uint32_t label = !set ? rows->batches[b]->labels[i] : set[0] ? set[set[0]] : 0;
            if (label >= classes && (!set || set[0]))
                classes = label + 1;
        }
    return classes;
}

static tlu_status prepare_rows(struct training *t, tlu_error *error)
{
    if (t->start.model)
        TRY(t->start.load(t, error));
    if (t->rows.whole)
        return prepare_all_rows(t, error);
    return learner_add_classes(&t->learner, classes_ahead(&t->rows), error);
}

tlu_status training_begin(struct training *t, const tlu_options *options, tlu_error *error)
{
    assert(t->rows.path);
    t->reporter.started = clock_seconds();
    t->reporter.checkpoint_due = t->reporter.started + t->reporter.checkpoint_seconds;
    TRY(learner_init(&t->learner, options, error));
    t->passes = options_count(t->learner.state.options, OPTION_EPOCHS);
    TRY(hints_about_options(t, error));
    TRY(check_options(t, error));
    TRY(open_rows(t, error));
    TRY(read_ahead(t, error));
    TRY(team_unite(t, error));
    TRY(check_rows(t, error));
    TRY(hints_about_ranges(t, error));
    TRY(choose_options(t, error));
    return prepare_rows(t, error);
}
