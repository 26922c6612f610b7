// Divides a data set into stratified parts, to evaluate on rows that were not used for training.
//
// A part has no influence on a training on the others: its rows are removed before the schema sees
// them, so that labels, categories, scaling and class weights come from the others alone.

#include "model/split/split.h"

#include "base/call/callback.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/settings.h"
#include "input/reader.h"
#include "metrics/metrics.h"
#include "model/model.h"
#include "train/clock.h"
#include "train/team.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct tlu_split {
    char *path;
    struct row_source whole; // the rows to divide, among those of the path
    unsigned char *bytes;    // data that can be read only once, owned; else NULL
    uint64_t rows;
    uint32_t parts;
    uint32_t *class_of; // [rows] see struct row_classes
    uint32_t classes;
    uint32_t *part; // [rows]
    // Several processes: each reads its rows, whose parts are own_part[own_rows].
    struct team *team; // NULL: this process reads all rows
    bool dealt;        // in blocks; else its rows are those from `first`
    uint64_t first, own_rows;
    uint32_t *own_part;          // allocated if they are dealt, else a place in `part`
    struct random random, start; // now, and before the first division
    size_t divisions;            // of the rows into parts so far
    struct data_summary summary;
    struct data_facts facts;
    bool has_facts;
    bool numbered;  // see struct packed_rows
    const char *of; // for messages: " of --calibrate" or ""
};

struct row_source split_row_source(const tlu_split *split, size_t part, bool others)
{
    struct row_source row_source = split->whole;
    if (part != TLU_NONE)
        row_source.subset = (struct subset){.part = split->team ? split->own_part : split->part,
                                            .rows = split->team ? split->own_rows : split->rows,
                                            .chosen = (uint32_t)part,
                                            .others = others};
    return row_source;
}

// ---- parts ----

// No data begins with this many zeros, but an endless device does.
static tlu_status look(const char *path, const unsigned char *bytes, size_t size, uint64_t *most,
                       tlu_error *error)
{
    (void)most;
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return TLU_OK;
    return size < FILE_HEAD ? TLU_OK
                            : error_at(error, path, 0, 0, "is not data: it begins with zeros");
}

tlu_status split_spool(const char *path, struct row_source *row_source, unsigned char **bytes,
                       tlu_error *error)
{
    struct stat about;
    if (row_source->bytes || row_source->next_rows)
        return TLU_OK;
    if (strcmp(path, "-") != 0 &&
        (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)))
        return TLU_OK; // errors are reported when it is read
    TRY(file_read(path, SIZE_MAX / 4, look, bytes, &row_source->size, error));
    row_source->bytes = (const char *)*bytes;
    return row_source->size ? TLU_OK : error_at(error, path, 0, 0, "is empty");
}

static tlu_status read_batches(tlu_split *split, struct reader *reader, tlu_error *error)
{
    struct batch *batch;
    size_t capacity = 0;
    for (;;) {
        TRY(reader_next(reader, &batch, error));
        if (!batch)
            return TLU_OK;
        if (!memory_reserve(&split->class_of, &capacity, split->rows + batch->rows,
                            sizeof *split->class_of)) {
            batch_free(batch);
            return error_memory(error);
        }
        for (size_t i = 0; i < batch->rows; i++)
            split->class_of[split->rows + i] = batch_stratum(batch, i, EMPTY_SET);
        split->rows += batch->rows;
        reader_recycle(reader, batch);
    }
}

// Labels of a subset of the rows were read: moves them to the rows' places in the data.
static tlu_status place_labels(tlu_split *split, const struct subset *subset, tlu_error *error)
{
    uint32_t *placed = memory_new(subset->rows, sizeof *placed);
    TRY(enough_memory(placed, error));
    for (uint64_t i = 0, read = 0; i < subset->rows; i++) {
        bool inside = subset_has(subset, i) && read < split->rows;
        placed[i] = inside ? split->class_of[read++] : SCHEMA_NONE;
    }
    memory_free(split->class_of);
    split->class_of = placed;
    split->rows = subset->rows;
    return TLU_OK;
}

// If blocks of rows are dealt to the processes, each parses all rows, and keeps all labels here.
static tlu_status open_labels(tlu_split *split, struct reader **reader,
                              const struct row_source *all, const tlu_options *options,
                              struct schema *schema, tlu_error *error)
{
    TRY(reader_open_source(reader, split->path, all, options, schema, error));
    if (!split->team || reader_takes_all(*reader))
        return TLU_OK;
    split->dealt = true;
    reader_close(*reader);
    *reader = NULL;
    schema_free(schema);
    schema_init(schema);
    tlu_options *whole = options_copy(options);
    tlu_status status = enough_memory(whole != NULL, error);
    if (status == TLU_OK)
        status = tlu_options_clear(whole, "part", error);
    if (status == TLU_OK)
        status = reader_open_source(reader, split->path, all, whole, schema, error);
    tlu_options_free(whole);
    return status;
}

// The classes of the rows of all processes.
static tlu_status gather_labels(tlu_split *split, const struct schema *schema, tlu_error *error)
{
    struct row_classes rows = {split->class_of, split->rows};
    if (!split->team || split->dealt)
        return TLU_OK;
    split->own_rows = rows.count;
    tlu_status status =
        shards_gather(split->team, schema, &rows, &split->classes, &split->first, error);
    split->class_of = rows.of;
    split->rows = rows.count;
    return status;
}

static tlu_status read_labels(tlu_split *split, const tlu_options *options, tlu_error *error)
{
    struct schema schema;
    struct reader *reader = NULL;
    struct row_source all = split_row_source(split, TLU_NONE, false);
    schema_init(&schema);
    tlu_status status = open_labels(split, &reader, &all, options, &schema, error);
    if (status == TLU_OK)
        status = read_batches(split, reader, error);
    split->classes = schema_classes(&schema);
    if (status == TLU_OK)
        status = gather_labels(split, &schema, error);
    if (status == TLU_OK && !split->has_facts) {
        status = data_facts_make(&split->facts, &schema, options_choice(options, OPTION_MISSING),
                                 split->rows, split->classes, error);
        split->has_facts = true;
    }
    for (uint64_t i = 0; i < split->rows; i++)
        if (split->class_of[i] == EMPTY_SET)
            split->class_of[i] = split->classes;
    reader_close(reader);
    schema_free(&schema);
    TRY(status);
    if (split->rows < split->parts)
        return error_at(error, split->path, 0, 0, "has %llu rows, too few for %u parts%s",
                        (unsigned long long)split->rows, split->parts, split->of);
    return all.subset.part ? place_labels(split, &all.subset, error) : TLU_OK;
}

// Sorts rows[] by class, and finds the end of each class. Rows without labels are a class, the
// last.
static void list_by_class(const tlu_split *split, uint64_t *rows, size_t *ends)
{
    for (uint64_t i = 0; i < split->rows; i++)
        if (split->class_of[i] != SCHEMA_NONE)
            ends[split->class_of[i] + 1]++;
    for (uint32_t c = 0; c <= split->classes; c++)
        ends[c + 1] += ends[c];
    for (uint64_t i = 0; i < split->rows; i++)
        if (split->class_of[i] != SCHEMA_NONE)
            rows[ends[split->class_of[i]]++] = i;
        else
            split->part[i] = SUBSET_NONE;
}

// Assigns the rows of each class, in random order, to the parts in turn: the sizes of parts differ
// by one row at most, and so do their rows of each class.
tlu_status tlu_split_shuffle(tlu_split *split, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    if (split->parts < 2)
        return TLU_OK;
    split->divisions++;
    uint64_t *rows = memory_new(split->rows, sizeof *rows), next = 0;    // by class
    size_t *ends = memory_new((size_t)split->classes + 2, sizeof *ends); // of a class in rows
    if (rows && ends)
        list_by_class(split, rows, ends);
    size_t first = 0;
    for (uint32_t c = 0; rows && ends && c <= split->classes; first = ends[c++])
        for (size_t i = ends[c]; i > first; i--) {
            size_t j = first + (size_t)random_below(&split->random, i - first);
            split->part[rows[j]] = (uint32_t)(next++ % split->parts);
            rows[j] = rows[i - 1];
        }
    bool fine = rows && ends;
    memory_free(rows);
    memory_free(ends);
    if (fine && split->team && split->dealt)
        fine =
            shards_deal(split->team, split->part, split->rows, &split->own_part, &split->own_rows);
    else if (split->team)
        split->own_part = split->part + split->first;
    return fine ? TLU_OK : error_memory(error);
}

tlu_status split_divide(tlu_split *split, size_t division, tlu_error *error)
{
    if (division < split->divisions) {
        split->random = split->start;
        split->divisions = 0;
    }
    while (split->divisions < division)
        TRY(tlu_split_shuffle(split, error));
    return TLU_OK;
}

struct ranked_row {
    double rank; // its place among the rows of its class, as a share of them
    uint64_t row;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked_row *one = a, *two = b;
    if (one->rank != two->rank)
        return one->rank < two->rank ? -1 : 1;
    return one->row < two->row ? -1 : one->row > two->row;
}

tlu_status split_sample_order(tlu_split *split, uint64_t *order, tlu_error *error)
{
    struct ranked_row *ranked = memory_new(split->rows, sizeof *ranked);
    size_t *ends = memory_new((size_t)split->classes + 2, sizeof *ends);
    size_t first = 0;
    if (ranked && ends)
        list_by_class(split, order, ends);
    for (uint32_t c = 0; ranked && ends && c <= split->classes; first = ends[c++])
        for (size_t i = first; i < ends[c]; i++) {
            size_t j = i + (size_t)random_below(&split->random, ends[c] - i);
            ranked[i] =
                (struct ranked_row){(double)(i - first) / (double)(ends[c] - first), order[j]};
            order[j] = order[i];
        }
    if (ranked && ends)
        qsort(ranked, first, sizeof *ranked, by_rank);
    for (size_t i = 0; ranked && ends && i < first; i++)
        order[i] = ranked[i].row;
    bool fine = ranked && ends;
    memory_free(ranked);
    memory_free(ends);
    return fine ? TLU_OK : error_memory(error);
}

// ---- parsing once ----

tlu_status split_adapt(const tlu_split *split, tlu_options *options, tlu_error *error)
{
    static const char *const names[] = {"format", "ngrams", "lowercase", "chars", "stop-words"};
    for (size_t i = 0; split->numbered && i < sizeof names / sizeof names[0]; i++)
        TRY(tlu_options_clear(options, names[i], error));
    return TLU_OK;
}

static tlu_status parse_once(tlu_split *split, tlu_options *options, tlu_error *error)
{
    struct packed_rows packed;
    tlu_status status = pack_rows(&packed, split->path, &split->whole, options, error);
    split->summary = packed.summary;
    split->facts = packed.facts;
    split->has_facts = true;
    TRY(status);
    if (!packed.bytes)
        return TLU_OK; // it is parsed each time
    memory_free(split->bytes);
    split->bytes = packed.bytes;
    split->whole = (struct row_source){
        .bytes = (const char *)packed.bytes, .size = packed.size, .chosen = true};
    split->numbered = packed.numbered;
    return split_adapt(split, options, error);
}

// ---- opening ----

static tlu_status fill_split(tlu_split *split, const char *path, tlu_options *options, bool parse,
                             tlu_error *error)
{
    split->path = memory_copy_text(path, strlen(path));
    TRY(enough_memory(split->path && options, error));
    // A generator of its own, so that the split is independent of the row order in training.
    random_seed(&split->random, options_count(options, OPTION_SEED) ^ 0x5851F42D4C957F2Du);
    split->start = split->random;
    TRY(split_spool(path, &split->whole, &split->bytes, error));
    if (split->parts == 1)
        return TLU_OK;
    if (parse)
        TRY(parse_once(split, options, error));
    TRY(read_labels(split, options, error));
    split->part = memory_new(split->rows, sizeof *split->part);
    TRY(enough_memory(split->part, error));
    return tlu_split_shuffle(split, error);
}

// `parse`: the rows are parsed once, if memory allows.
static tlu_status new_split(const char *path, const struct row_source *whole, size_t parts,
                            const char *of, bool parse, struct team *team,
                            const tlu_options *options, tlu_split **out, tlu_error *error)
{
    *out = NULL;
    if (parts == 0 || parts > UINT32_MAX - 1)
        return error_input(error, "a data set is split into 1 part or more");
    TRY(check_given(path != NULL, "path", error));
    tlu_split *split = memory_new(1, sizeof *split);
    TRY(enough_memory(split, error));
    split->parts = (uint32_t)parts;
    split->of = of;
    split->team = team;
    split->whole = *whole;
    tlu_options *own = options_copy(options);
    tlu_status status = fill_split(split, path, own, parse, error);
    tlu_options_free(own);
    if (status != TLU_OK)
        tlu_split_free(split);
    else
        *out = split;
    return status;
}

tlu_status split_open(const char *path, const struct row_source *whole, const tlu_options *options,
                      size_t parts, const char *of, tlu_split **split, tlu_error *error)
{
    return new_split(path, whole, parts, of, false, NULL, options, split, error);
}

tlu_status split_open_parsed(const char *path, const struct row_source *whole,
                             const tlu_options *options, size_t parts, tlu_split **split,
                             tlu_error *error)
{
    return new_split(path, whole, parts, "", true, NULL, options, split, error);
}

const struct data_summary *split_summary(const tlu_split *split)
{
    return &split->summary;
}

struct data_facts split_take_facts(tlu_split *split)
{
    struct data_facts facts = split->facts;
    split->facts = (struct data_facts){0};
    return facts;
}

size_t split_classes(const tlu_split *split)
{
    return split->classes;
}

size_t split_bytes(const tlu_split *split)
{
    return split->whole.bytes ? split->whole.size : 0;
}

tlu_status tlu_split_new(const char *path, const tlu_options *options, size_t parts,
                         tlu_split **split, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    return split_open(path, &(struct row_source){0}, options, parts, "", split, error);
}

void tlu_split_free(tlu_split *split)
{
    if (!split)
        return;
    memory_free(split->path);
    memory_free(split->bytes);
    memory_free(split->summary.few);
    data_facts_free(&split->facts);
    memory_free(split->class_of);
    memory_free(split->part);
    if (split->dealt)
        memory_free(split->own_part);
    memory_free(split);
}

bool split_has_single(const tlu_split *split, uint64_t *row)
{
    uint64_t *rows = memory_new((uint64_t)split->classes + 1, sizeof *rows); // of each class
    for (uint64_t i = 0; rows && i < split->rows; i++)
        if (split->class_of[i] != SCHEMA_NONE)
            rows[split->class_of[i]]++;
    bool found = false;
    for (uint64_t i = 0; rows && !found && i < split->rows; i++) {
        found = split->class_of[i] != SCHEMA_NONE && rows[split->class_of[i]] == 1;
        *row = i;
    }
    memory_free(rows);
    return found;
}

const tlu_data_facts *tlu_split_get_facts(const tlu_split *split)
{
    return &split->facts.view;
}

uint64_t tlu_split_row_count(const tlu_split *split)
{
    return split->rows;
}

size_t tlu_split_row_part(const tlu_split *split, uint64_t row)
{
    return split->part && row < split->rows ? split->part[row] : TLU_NONE;
}

// ---- training and evaluation ----

static tlu_status check_part(const tlu_split *split, size_t part, tlu_error *error)
{
    if (part != TLU_NONE && (split->parts < 2 || part >= split->parts))
        return error_input(error, "there is no part %zu: the data has %u", part, split->parts);
    return TLU_OK;
}

tlu_status split_train_from(const tlu_split *split, size_t part, const tlu_options *options,
                            struct multipliers *multipliers, tlu_progress_function progress,
                            void *context, tlu_model **model, tlu_error *error)
{
    *model = NULL;
    TRY(check_part(split, part, error));
    struct training training = {
        .rows = {.path = split->path, .row_source = split_row_source(split, part, true)},
        .team = split->team,
        .reporter = {.progress = progress, .context = context},
        .multipliers = multipliers};
    return model_train(&training, options, NULL, model, error);
}

tlu_status tlu_split_train(const tlu_split *split, size_t part, const tlu_options *options,
                           tlu_progress_function progress, void *context, tlu_model **model,
                           tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct callback own;
    CALLBACK(own, progress, progress, context, caller);
    return split_train_from(split, part, options, NULL, progress, context, model, error);
}

tlu_status tlu_split_evaluate(const tlu_split *split, size_t part, const tlu_model *model,
                              const tlu_options *options, tlu_evaluation **evaluation,
                              tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *evaluation = NULL;
    TRY(check_part(split, part, error));
    struct row_source row_source = split_row_source(split, part, false);
    return model_evaluate(model, split->path, &row_source, split->team, options, evaluation, error);
}

// ---- cross-validation ----

// Keeps all metrics of a fold, and at the first fold their names.
static bool keep_metrics(tlu_validation *validation, tlu_fold *fold,
                         const tlu_evaluation *evaluation)
{
    size_t count = evaluation->metric_count;
    double *values = memory_new(count, sizeof *values);
    tlu_fold_metric *metrics = (tlu_fold_metric *)validation->metrics;
    fold->values = values;
    if (!metrics)
        validation->metrics = metrics = memory_new(count, sizeof *metrics);
    if (!values || !metrics)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *name = evaluation->metrics[i].name;
        values[i] = evaluation->metrics[i].value;
        if (i < validation->metric_count)
            continue;
        metrics[i].name = memory_copy_text(name, strlen(name));
        if (!metrics[i].name)
            return false;
        validation->metric_count++;
    }
    return true;
}

// The labels of --multilabel over the folds, by their number in `schema`.
struct label_counts {
    struct schema schema;
    tlu_fold_label *of; // [schema_classes()]
    size_t capacity;
};

static bool count_labels(struct label_counts *counts, const tlu_model *model,
                         const tlu_evaluation *evaluation)
{
    for (size_t c = 0; c < evaluation->classes; c++) {
        const char *label = tlu_model_class_label(model, c);
        uint32_t known = schema_classes(&counts->schema);
        uint32_t k = schema_class_add(&counts->schema, label, strlen(label));
        if (k == SCHEMA_NONE ||
            !memory_reserve(&counts->of, &counts->capacity, (uint64_t)k + 1, sizeof *counts->of))
            return false;
        const tlu_class_quality *quality = &evaluation->per_class[c];
        if (k == known)
            counts->of[k] = (tlu_fold_label){0};
        counts->of[k].support += quality->support;
        counts->of[k].predictions += evaluation->predicted_counts[c];
        counts->of[k].hits += (uint64_t)(quality->recall * (double)quality->support + 0.5);
    }
    return true;
}

static int by_label(const void *a, const void *b)
{
    return schema_label_compare(((const tlu_fold_label *)a)->label,
                                ((const tlu_fold_label *)b)->label);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

// Moves the counts to the validation.
static bool keep_labels(tlu_validation *validation, struct label_counts *counts)
{
    size_t count = schema_classes(&counts->schema);
    validation->labels = counts->of;
    for (size_t k = 0; k < count; k++) {
        tlu_fold_label *of = &counts->of[k];
        const char *label = counts->schema.spelled[k];
        of->precision = ratio((double)of->hits, (double)of->predictions);
        of->recall = ratio((double)of->hits, (double)of->support);
        of->f1 = ratio(2 * (double)of->hits, (double)(of->predictions + of->support));
        of->label = memory_copy_text(label, strlen(label));
        if (!of->label)
            return false;
        validation->label_count++;
    }
    if (count)
        qsort(counts->of, count, sizeof *counts->of, by_label);
    return true;
}

static bool keep_learner(tlu_validation *validation, const tlu_model *model)
{
    const char *name = tlu_model_learner(model), *reason = model->report.learner_reason;
    validation->learner = memory_copy_text(name, strlen(name));
    if (reason)
        validation->learner_reason = memory_copy_text(reason, strlen(reason));
    return validation->learner && (validation->learner_reason || !reason);
}

static tlu_status run_fold(tlu_validation *validation, struct label_counts *labels,
                           const tlu_split *split, size_t part, const tlu_options *options,
                           const tlu_validation_settings *settings, tlu_fold *fold,
                           tlu_error *error)
{
    tlu_model *model;
    tlu_evaluation *evaluation = NULL;
    double start = clock_seconds();
    TRY(tlu_split_train(split, part, options, settings->progress, settings->progress_context,
                        &model, error));
    if (settings->progress && strcmp(model->report.stopped, "interrupted") == 0) {
        tlu_model_free(model);
        return error_interrupted(error, "stopped before the end of a fold");
    }
    fold->seconds = clock_seconds() - start;
    fold->training_examples = model->report.examples + model->report.held_out;
    tlu_status status =
        enough_memory(validation->learner || keep_learner(validation, model), error);
    if (status == TLU_OK)
        status = tlu_split_evaluate(split, part, model, options, &evaluation, error);
    if (status == TLU_OK && evaluation) { // process 0 has it
        fold->examples = evaluation->examples;
        fold->correct = evaluation->correct;
        fold->accuracy = evaluation->accuracy;
        fold->value = evaluation->metrics[0].value;
        status = enough_memory(
            keep_metrics(validation, fold, evaluation) &&
                (!tlu_model_is_multilabel(model) || count_labels(labels, model, evaluation)),
            error);
    }
    tlu_evaluation_free(evaluation);
    tlu_model_free(model);
    return status;
}

// The numbers of the rows of a part, [fold->examples] from 1.
static bool list_rows(const tlu_split *split, size_t part, tlu_fold *fold)
{
    uint64_t *rows = memory_new(fold->examples, sizeof *rows);
    size_t count = 0;
    for (uint64_t i = 0; rows && i < split->rows && count < fold->examples; i++)
        if (split->part[i] == part)
            rows[count++] = i + 1;
    fold->rows = rows;
    return rows != NULL;
}

// The mean of a metric over the folds for which it is defined. Returns how many there are.
static size_t sum_up_metric(const tlu_validation *validation, size_t metric, double *mean,
                            double *deviation)
{
    double squares = 0;
    size_t defined = 0;
    *mean = 0;
    for (size_t i = 0; i < validation->count; i++)
        defined += isnan(validation->folds[i]->values[metric]) ? 0 : 1;
    double count = (double)defined;
    for (size_t i = 0; i < validation->count; i++)
        if (!isnan(validation->folds[i]->values[metric]))
            *mean += validation->folds[i]->values[metric] / count;
    for (size_t i = 0; i < validation->count; i++) {
        double distance = validation->folds[i]->values[metric] - *mean;
        squares += isnan(distance) ? 0 : distance * distance;
    }
    *deviation = defined > 1 ? sqrt(squares / (count - 1)) : 0;
    return defined;
}

static void sum_up(tlu_validation *validation)
{
    tlu_fold_metric *metrics = (tlu_fold_metric *)validation->metrics;
    for (size_t i = 0; i < validation->metric_count; i++) {
        size_t defined = sum_up_metric(validation, i, &metrics[i].mean, &metrics[i].deviation);
        if (defined == 0)
            metrics[i].mean = metrics[i].deviation = NAN;
        if (i > 0 || defined == 0)
            continue;
        validation->defined = defined;
        validation->mean = metrics[i].mean;
        validation->deviation = metrics[i].deviation;
    }
}

// Folds are measured by one metric, which names the validation.
static tlu_status set_metric(tlu_validation *validation, const tlu_options *options,
                             tlu_error *error)
{
    struct chosen_metric chosen;
    char name[METRIC_NAME_SIZE];
    TRY(metric_choose(metric_asked(options), &chosen, error));
    metric_name(&chosen, name);
    validation->metric = memory_copy_text(name, strlen(name));
    validation->higher_is_better = chosen.metric->info.higher_is_better;
    return enough_memory(validation->metric, error);
}

struct owned_validation {
    tlu_validation view;
    struct data_facts facts;
};

static tlu_status validate(tlu_validation *validation, struct label_counts *labels,
                           tlu_split *split, const tlu_options *options,
                           const tlu_validation_settings *settings, tlu_error *error)
{
    const size_t repeats = settings->repeats;
    const tlu_fold **folds = memory_new(split->parts * repeats, sizeof *folds);
    TRY(enough_memory(folds, error));
    validation->folds = folds;
    validation->rows = split->rows;
    validation->classes = split->classes;
    bool stopped = false;
    for (size_t i = 0; i < repeats * split->parts && !stopped; i++) {
        size_t part = i % split->parts;
        if (i > 0 && part == 0)
            TRY(tlu_split_shuffle(split, error));
        tlu_fold *fold = memory_new(1, sizeof *fold);
        TRY(enough_memory(fold != NULL, error));
        folds[validation->count++] = fold;
        *fold = (tlu_fold){.repeat = i / split->parts + 1, .fold = part + 1};
        tlu_status status =
            run_fold(validation, labels, split, part, options, settings, fold, error);
        if (status == TLU_INTERRUPTED && i > 0) { // the folds before count
            validation->count--;
            memory_free(fold);
            break;
        }
        TRY(status);
        TRY(enough_memory(list_rows(split, part, fold), error));
        bool first = !split->team || split->team->rank == 0;
        double stop = first && settings->function && settings->function(settings->context, fold);
        if (split->team)
            TRY(team_largest(split->team, &stop, 1, error));
        stopped = stop > 0;
    }
    if (split->team && split->team->rank > 0)
        return TLU_OK; // process 0 has the results
    sum_up(validation);
    TRY(enough_memory(keep_labels(validation, labels), error));
    if (validation->defined == 0)
        return error_input(error,
                           "--metric %s is not defined on any of the folds: no fold has rows of "
                           "every class; give fewer --folds or another --metric",
                           validation->metric);
    return TLU_OK;
}

static tlu_status cross_validate(const tlu_validation_settings *settings, struct team *team,
                                 const tlu_options *options, tlu_validation **out, tlu_error *error)
{
    const size_t folds = settings->folds, repeats = settings->repeats;
    *out = NULL;
    if (folds < 2 || repeats < 1 || folds > SIZE_MAX / repeats)
        return error_input(error, "cross-validation takes 2 folds or more, 1 repeat or more");
    struct label_counts labels = {.of = NULL};
    tlu_split *split = NULL;
    struct owned_validation *owned = memory_new(1, sizeof *owned);
    TRY(enough_memory(owned, error));
    tlu_validation *validation = &owned->view;
    schema_init(&labels.schema);
    tlu_status status = set_metric(validation, options, error);
    if (status == TLU_OK)
        status = new_split(settings->path, &(struct row_source){0}, folds, "", false, team, options,
                           &split, error);
    if (status == TLU_OK)
        status = validate(validation, &labels, split, options, settings, error);
    if (status == TLU_OK)
        owned->facts = split_take_facts(split);
    validation->facts = &owned->facts.view;
    tlu_split_free(split);
    schema_free(&labels.schema);
    if (!validation->labels)
        memory_free(labels.of);
    if (status != TLU_OK || (team && team->rank > 0))
        tlu_validation_free(validation);
    else
        *out = validation;
    return status;
}

// All processes fail if one does.
static tlu_status cross_validate_in_team(const tlu_validation_settings *settings,
                                         const tlu_team *out, const tlu_options *options,
                                         tlu_validation **validation, tlu_error *error)
{
    struct team *team;
    tlu_options *parts = NULL;
    tlu_error own = {0};
    TRY(team_for_training(&team, out, settings->mix_every, settings->mix_weights, error));
    own.status = model_part_options(&parts, team, true, options, &own);
    if (own.status == TLU_OK)
        own.status = cross_validate(settings, team, parts, validation, &own);
    tlu_status status = own.status;
    if (!team->over)
        status = team_join(team, &own, &own);
    if (status != TLU_OK) {
        tlu_validation_free(*validation);
        *validation = NULL;
        if (error)
            *error = own;
    }
    tlu_options_free(parts);
    team_free(team);
    return status;
}

tlu_status tlu_cross_validate(const char *path, const tlu_options *options, size_t folds,
                              size_t repeats, tlu_fold_function function, void *context,
                              tlu_validation **validation, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct callback own;
    CALLBACK(own, fold, function, context, caller);
    const tlu_validation_settings settings = {
        .path = path, .folds = folds, .repeats = repeats, .function = function, .context = context};
    return cross_validate(&settings, NULL, options, validation, error);
}

tlu_status tlu_cross_validate_with(const tlu_validation_settings *given, const tlu_options *options,
                                   tlu_validation **validation, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_validation_settings settings;
    tlu_team team;
    struct callback fold, progress, exchange;
    *validation = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_validation_settings", error));
    if (!settings.path)
        return error_input(error, "cross-validation needs a path");
    if (settings.folds == 0)
        settings.folds = 5;
    if (settings.repeats == 0)
        settings.repeats = 1;
    CALLBACK(fold, fold, settings.function, settings.context, caller);
    CALLBACK(progress, progress, settings.progress, settings.progress_context, caller);
    if (settings.team) {
        TRY(team_take(&team, settings.team, error));
        CALLBACK(exchange, exchange, team.exchange, team.exchange_context, caller);
    }
    return settings.team && team.ranks > 1
               ? cross_validate_in_team(&settings, &team, options, validation, error)
               : cross_validate(&settings, NULL, options, validation, error);
}

void tlu_validation_free(tlu_validation *validation)
{
    if (!validation)
        return;
    for (size_t i = 0; i < validation->count; i++) {
        memory_free((void *)validation->folds[i]->rows);
        memory_free((void *)validation->folds[i]->values);
        memory_free((void *)validation->folds[i]);
    }
    for (size_t i = 0; i < validation->metric_count; i++)
        memory_free((void *)validation->metrics[i].name);
    for (size_t i = 0; i < validation->label_count; i++)
        memory_free((void *)validation->labels[i].label);
    memory_free((void *)validation->labels);
    memory_free((void *)validation->metrics);
    memory_free((void *)validation->folds);
    memory_free((void *)validation->metric);
    memory_free((void *)validation->learner);
    memory_free((void *)validation->learner_reason);
    data_facts_free(&((struct owned_validation *)validation)->facts);
    memory_free(validation);
}
