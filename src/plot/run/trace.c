// The trace of a training run, its rows, and their best separator.
#include "plot/run/trace.h"
#include "base/memory.h"
#include "base/options.h"
#include "tlu_proof.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_SIZE 4096
#define FEW_PASSES "10"     // of one that does not converge
#define PASSES "1000"       // as in tlu bound
#define LONG 20000000       // maximum number of row entries when testing for convergence
#define TOO_LONG 1000000000 // and in any case
#define TOO_MUCH 100000000  // entries of rows to keep

// ---- options

// Reading a pipe a second time would block.
static bool is_read_once(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 || (stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
}

// *patient: the number of passes is not specified.
static tlu_status take_options(struct run_trace *trace, const struct plot *plot, bool *patient,
                               tlu_error *error)
{
    tlu_options *options = options_copy(plot->options);
    trace->options = options;
    *patient = false;
    TRY(enough_memory(options != NULL, error));
    *patient = !options_is_set(options, OPTION_LEARNER) && !options_is_set(options, OPTION_EPOCHS);
    if (!options_is_set(options, OPTION_LEARNER)) {
        TRY(tlu_options_set(options, "learner", "perceptron", error));
        if (!options_is_set(options, OPTION_DECIDE))
            TRY(tlu_options_set(options, "decide", "last", error));
        if (*patient)
            TRY(tlu_options_set(options, "epochs", PASSES, error));
    }
    if (*options_text(options, OPTION_KERNEL))
        return error_input(error, "with --kernel a step changes the coefficients of rows, and "
                                  "there is no line to follow: tlu plot DATA draws the regions at "
                                  "the end, and tlu trace prints the steps");
    if (is_read_once(trace->path))
        return error_input(error,
                           "a run is repeated several times, but %s can be read only once: put the "
                           "data into a file",
                           strcmp(trace->path, "-") == 0 ? "standard input" : trace->path);
    return TLU_OK;
}

// ---- the first time

struct counting {
    struct run_trace *trace;
    uint64_t entries, most;
    bool too_long;
};

static int count_step(void *context, const tlu_step *step)
{
    struct counting *counting = context;
    struct run_trace *trace = counting->trace;
    trace->steps++;
    trace->updates += step->updated != 0;
    trace->mistakes += step->mistake != 0;
    counting->entries += step->example.count + 1;
    counting->too_long = counting->entries > counting->most;
    return counting->too_long;
}

// *ended: stopped after this many entries.
static tlu_status count(struct run_trace *trace, uint64_t entries, bool *ended, tlu_error *error)
{
    struct counting counting = {.trace = trace, .most = entries};
    tlu_train_settings data = {.size = sizeof data, .path = trace->path};
    trace->steps = trace->updates = trace->mistakes = 0;
    tlu_model_free(trace->model);
    trace->model = NULL;
    TRY(tlu_trace_with(&data, trace->options, count_step, &counting, &trace->model, error));
    *ended = counting.too_long;
    trace->features = tlu_model_feature_count(trace->model);
    return TLU_OK;
}

tlu_status trace_open(struct run_trace *trace, const struct plot *plot, bool all, tlu_error *error)
{
    *trace = (struct run_trace){.path = plot->path};
    bool patient, ended;
    TRY(take_options(trace, plot, &patient, error));
    TRY(count(trace, patient ? LONG : TOO_LONG, &ended, error));
    const tlu_report *report = tlu_model_report(trace->model);
    if (patient && !report->converged && !report->cycle && (ended || !all)) {
        trace->gave_up = true;
        TRY(tlu_options_set(trace->options, "epochs", FEW_PASSES, error));
        TRY(count(trace, TOO_LONG, &ended, error));
    }
    if (!ended)
        return picture_note(plot->picture, tlu_model_report(trace->model), error);
    return error_input(error,
                       "this run has more than %llu steps, too many to draw: --epochs N ends it "
                       "after N passes",
                       (unsigned long long)trace->steps);
}

void trace_free(struct run_trace *trace)
{
    tlu_options_free(trace->options);
    tlu_model_free(trace->model);
    memory_free(trace->numbers);
}

// ---- repeating

tlu_status trace_run(struct run_trace *trace, tlu_step_function function, void *context,
                     tlu_error *error)
{
    tlu_train_settings data = {.size = sizeof data, .path = trace->path};
    trace->known = 0;
    return tlu_trace_with(&data, trace->options, function, context, NULL, error);
}

static size_t number_of(const struct run_trace *trace, const tlu_step *step, size_t feature)
{
    char name[NAME_SIZE];
    if (tlu_step_feature_name(step, feature, name, sizeof name) >= sizeof name)
        return SIZE_MAX;
    return tlu_model_feature_find(trace->model, name);
}

// An index 0 late in a LIBSVM file shifts all feature numbers by one.
static bool has_moved(const struct run_trace *trace, const tlu_step *step)
{
    return trace->known > 0 &&
           (trace->known > step->features || number_of(trace, step, 0) != trace->numbers[0] ||
            number_of(trace, step, trace->known - 1) != trace->numbers[trace->known - 1]);
}

bool trace_number(struct run_trace *trace, const tlu_step *step)
{
    if (trace->known == step->features)
        return true;
    if (!memory_reserve(&trace->numbers, &trace->capacity, step->features, sizeof *trace->numbers))
        return false;
    if (has_moved(trace, step))
        trace->known = 0;
    for (; trace->known < step->features; trace->known++)
        trace->numbers[trace->known] = number_of(trace, step, trace->known);
    return true;
}

// ---- in words

const char *trace_ending(const struct run_trace *trace, char *out, size_t size)
{
    const tlu_report *report = tlu_model_report(trace->model);
    char mistakes[COUNTED_SIZE], passes[COUNTED_SIZE], cycle[COUNTED_SIZE];
    counted(mistakes, trace->mistakes, "mistake", "mistakes");
    counted(passes, report->epochs, "pass", "passes");
    if (report->converged)
        snprintf(out, size, "converged after %s in %s", mistakes, passes);
    else if (report->cycle)
        snprintf(out, size, "%s in %s: the weights came back after %s, so it never ends", mistakes,
                 passes, counted(cycle, report->cycle, "pass", "passes"));
    else if (trace->gave_up)
        snprintf(out, size, "not converged, %s in the first %s", mistakes, passes);
    else
        snprintf(out, size, "not converged, %s in %s", mistakes, passes);
    return out;
}

// ---- rows

struct row_collector {
    struct trace_rows *examples;
    struct run_trace *trace;
    bool failed, too_much;
};

static bool reserve_row(struct trace_rows *examples, size_t entries)
{
    return memory_reserve(&examples->offsets, &examples->offsets_capacity, examples->count + 2,
                          sizeof *examples->offsets) &&
           memory_reserve(&examples->classes, &examples->classes_capacity, examples->count + 1,
                          sizeof *examples->classes) &&
           memory_reserve(&examples->features, &examples->features_capacity, entries,
                          sizeof *examples->features) &&
           memory_reserve(&examples->values, &examples->values_capacity, entries,
                          sizeof *examples->values);
}

static int gather_row(void *context, const tlu_step *step)
{
    struct row_collector *collector = context;
    struct trace_rows *examples = collector->examples;
    const struct run_trace *trace = collector->trace;
    if (step->pass > 1)
        return 1;
    assert(!collector->failed);
    size_t entry = examples->count ? (size_t)examples->offsets[examples->count] : 0;
    collector->too_much = entry > TOO_MUCH;
    collector->failed = !trace_number(collector->trace, step) ||
                        !reserve_row(examples, entry + step->example.count + 1);
    if (collector->too_much || collector->failed)
        return 1;
    for (size_t i = 0; i < step->example.count; i++) {
        size_t number = trace->numbers[step->example.features[i]];
        if (number >= trace->features)
            continue;
        examples->features[entry] = (uint32_t)number;
        examples->values[entry++] = step->example.values ? step->example.values[i] : 1;
    }
    examples->classes[examples->count] = (uint32_t)tlu_model_class_find(trace->model, step->label);
    if (examples->count == 0)
        examples->offsets[0] = 0;
    examples->offsets[++examples->count] = entry;
    return 0;
}

tlu_status trace_rows_gather(struct trace_rows *examples, struct run_trace *trace, tlu_error *error)
{
    struct row_collector collector = {.examples = examples, .trace = trace};
    *examples = (struct trace_rows){.count = 0};
    TRY(trace_run(trace, gather_row, &collector, error));
    TRY(enough_memory(!collector.failed, error));
    if (collector.too_much)
        return error_input(error, "the data is too large to draw a run of: a part of its "
                                  "rows will do");
    return TLU_OK;
}

void trace_rows_free(struct trace_rows *examples)
{
    memory_free(examples->offsets);
    memory_free(examples->features);
    memory_free(examples->values);
    memory_free(examples->classes);
}

// ---- the best separator of the rows

struct extended { // the rows z
    uint64_t *offsets;
    uint32_t *features, *labels;
    float *values;
};

static void extended_free(struct extended *rows)
{
    memory_free(rows->offsets);
    memory_free(rows->features);
    memory_free(rows->labels);
    memory_free(rows->values);
}

static bool extended_new(struct extended *rows, size_t count, size_t entries)
{
    rows->offsets = memory_new(count + 1, sizeof *rows->offsets);
    rows->features = memory_new(entries + 1, sizeof *rows->features);
    rows->labels = memory_new(count, sizeof *rows->labels);
    rows->values = memory_new(entries + 1, sizeof *rows->values);
    return rows->offsets && rows->features && rows->labels && rows->values;
}

// Label 1 is the positive class. Returns max |z|.
static double extend(struct extended *rows, const struct run_trace *trace,
                     const struct trace_rows *examples)
{
    bool bias = !options_flag(trace->options, OPTION_NO_BIAS);
    size_t entry = 0, positive = tlu_model_positive_class(trace->model);
    double longest = 0;
    for (size_t i = 0; i < examples->count; i++) {
        double square = bias ? 1 : 0;
        for (uint64_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++, entry++) {
            rows->features[entry] = examples->features[k];
            rows->values[entry] = examples->values[k];
            square += (double)examples->values[k] * (double)examples->values[k];
        }
        if (bias) {
            rows->features[entry] = (uint32_t)trace->features;
            rows->values[entry++] = 1;
        }
        rows->offsets[i + 1] = entry;
        rows->labels[i] = examples->classes[i] == positive;
        longest = fmax(longest, square);
    }
    return sqrt(longest);
}

static void take_answer(struct separator *separator, const tlu_separability *answer, size_t size)
{
    double sign = answer->positive && strcmp(answer->positive, "0") == 0 ? -1 : 1;
    separator->margin = answer->margin_low;
    separator->best = answer->margin_high <= answer->margin_low * (1 + 1e-9);
    separator->bound = pow(separator->radius / separator->margin, 2);
    for (size_t i = 0; i < answer->weight_count; i++) {
        const tlu_plane_weight *weight = &answer->weights[i];
        size_t feature = weight->feature ? strtoul(weight->feature, NULL, 10) : size;
        if (feature < size)
            separator->u[feature] = sign * weight->weight;
    }
}

static tlu_status ask(struct separator *separator, const struct extended *extended, size_t count,
                      size_t size, double seconds, tlu_error *error)
{
    const tlu_rows rows = {.size = sizeof rows,
                           .rows = count,
                           .offsets = extended->offsets,
                           .features = extended->features,
                           .values = extended->values,
                           .labels = extended->labels};
    tlu_separability_settings settings = {
        .size = sizeof settings, .rows = &rows, .seconds = seconds};
    tlu_options *options = options_copy(NULL);
    tlu_separability *answer = NULL;
    tlu_status status = enough_memory(options != NULL, error);
    if (status == TLU_OK)
        status = tlu_options_set(options, "no-bias", "yes", error); // the bias is a feature
    if (status == TLU_OK)
        status = tlu_separability_decide(&settings, options, &answer, error);
    if (status == TLU_OK) {
        separator->verdict = answer->verdict;
        if (answer->verdict == TLU_SEPARABLE && !(answer->margin_low > 0))
            separator->verdict = TLU_NOT_DECIDED; // timed out before finding a margin
        if (separator->verdict == TLU_SEPARABLE)
            take_answer(separator, answer, size);
    }
    tlu_separability_free(answer);
    tlu_options_free(options);
    return status;
}

tlu_status separator_find(struct separator *separator, const struct run_trace *trace,
                          const struct trace_rows *examples, double seconds, tlu_error *error)
{
    struct extended rows;
    size_t count = examples->count, size = trace->features + 1;
    *separator = (struct separator){.u = memory_new(size, sizeof *separator->u)};
    bool made = extended_new(&rows, count, (size_t)examples->offsets[count] + count);
    tlu_status status = enough_memory(separator->u && made, error);
    if (status == TLU_OK) {
        separator->radius = extend(&rows, trace, examples);
        status = ask(separator, &rows, count, size, seconds, error);
    }
    extended_free(&rows);
    return status;
}

void separator_free(struct separator *separator)
{
    memory_free(separator->u);
}
