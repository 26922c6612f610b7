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

#define FEATURE_NAME_SIZE 4096
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
static tlu_status take_options(const struct plot *plot, bool *patient, tlu_error *error)
{
    tlu_options *options = plot->options;
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
    if (is_read_once(plot->path))
        return error_input(error,
                           "a run is repeated several times, but %s can be read only once; put the "
                           "data into a file",
                           error_file_name(plot->path));
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
    if (step->pass == 1) {
        trace->rows++;
        trace->entries += step->example.count;
    }
    counting->entries += step->example.count + 1;
    counting->too_long = counting->entries > counting->most;
    return counting->too_long;
}

// *ended: stopped after this many entries.
static tlu_status count(struct run_trace *trace, uint64_t entries, bool *ended, tlu_error *error)
{
    struct counting counting = {.trace = trace, .most = entries};
    tlu_train_settings data = {.size = sizeof data, .path = trace->plot->path};
    trace->steps = trace->updates = trace->mistakes = 0;
    trace->rows = trace->entries = 0;
    tlu_model_free(trace->model);
    trace->model = NULL;
    TRY(tlu_trace_with(&data, trace->plot->options, count_step, &counting, &trace->model, error));
    *ended = counting.too_long;
    trace->features = tlu_model_feature_count(trace->model);
    return TLU_OK;
}

tlu_status trace_open(struct run_trace *trace, struct plot *plot, bool all, tlu_error *error)
{
    *trace = (struct run_trace){.plot = plot};
    bool patient, ended;
    TRY(take_options(plot, &patient, error));
    TRY(count(trace, patient ? LONG : TOO_LONG, &ended, error));
    const tlu_report *report = tlu_model_report(trace->model);
    if (patient && !report->converged && !report->cycle && (ended || !all)) {
        trace->gave_up = true;
        TRY(tlu_options_set(plot->options, "epochs", FEW_PASSES, error));
        TRY(count(trace, TOO_LONG, &ended, error));
    }
    picture_note(plot->picture, trace->model);
    if (!ended)
        return TLU_OK;
    return error_input(error,
                       "this run has more than %llu steps, too many to draw: --epochs N ends it "
                       "after N passes",
                       (unsigned long long)trace->steps);
}

void trace_free(struct run_trace *trace)
{
    tlu_model_free(trace->model);
    memory_free(trace->numbers);
}

// ---- repeating

tlu_status trace_run(struct run_trace *trace, tlu_step_function function, void *context,
                     tlu_error *error)
{
    tlu_train_settings data = {.size = sizeof data, .path = trace->plot->path};
    trace->known = 0;
    return tlu_trace_with(&data, trace->plot->options, function, context, NULL, error);
}

static size_t number_of(const struct run_trace *trace, const tlu_step *step, size_t feature)
{
    char name[FEATURE_NAME_SIZE];
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
    struct trace_rows *rows;
    struct run_trace *trace;
    bool bias;
    bool failed; // out of memory
};

// Appends to the row that is being read.
static void add_entry(struct trace_rows *rows, size_t feature, float value)
{
    uint64_t entry = rows->offsets[rows->count + 1]++;
    rows->features[entry] = (uint32_t)feature;
    rows->values[entry] = value;
}

static int gather_row(void *context, const tlu_step *step)
{
    struct row_collector *collector = context;
    struct trace_rows *rows = collector->rows;
    struct run_trace *trace = collector->trace;
    if (step->pass > 1)
        return 1;
    collector->failed = !trace_number(trace, step);
    if (collector->failed)
        return 1;
    assert(rows->count < trace->rows);
    rows->offsets[rows->count + 1] = rows->offsets[rows->count];
    for (size_t i = 0; i < step->example.count; i++) {
        size_t number = trace->numbers[step->example.features[i]];
        if (number >= trace->features)
            continue;
        add_entry(rows, number, step->example.values ? step->example.values[i] : 1);
        rows->entries++;
    }
    if (collector->bias)
        add_entry(rows, trace->features, 1);
    rows->classes[rows->count++] = (uint32_t)tlu_model_class_find(trace->model, step->label);
    return 0;
}

tlu_status trace_rows_gather(struct trace_rows *rows, struct run_trace *trace, tlu_error *error)
{
    struct plot *plot = trace->plot;
    struct row_collector collector = {
        .rows = rows, .trace = trace, .bias = !options_flag(plot->options, OPTION_NO_BIAS)};
    if (trace->entries > TOO_MUCH)
        return error_input(error, "the data is too large to draw a run of: a part of its "
                                  "rows will do");
    size_t entries = trace->entries + trace->rows;
    *rows = (struct trace_rows){.offsets = plot_new(plot, trace->rows + 1, sizeof *rows->offsets),
                                .features = plot_new(plot, entries, sizeof *rows->features),
                                .values = plot_new(plot, entries, sizeof *rows->values),
                                .classes = plot_new(plot, trace->rows, sizeof *rows->classes)};
    TRY(enough_memory(rows->offsets && rows->features && rows->values && rows->classes, error));
    TRY(trace_run(trace, gather_row, &collector, error));
    return enough_memory(!collector.failed, error);
}

// ---- what the convergence theorem covers

tlu_status check_plain_steps(const tlu_options *options, const char *kind, bool rates,
                             tlu_error *error)
{
    static const struct {
        enum option option;
        const char *name;
    } others[] = {{OPTION_RATE, "rate"},         {OPTION_MARGIN, "margin"},
                  {OPTION_SCHEDULE, "schedule"}, {OPTION_L2, "l2"},
                  {OPTION_RATCHET, "ratchet"},   {OPTION_CLASS_WEIGHT, "class-weight"}};
    tlu_options *defaults = options_copy(NULL);
    tlu_status status = enough_memory(defaults != NULL, error);
    const char *learner = options_is_set(options, OPTION_LEARNER)
                              ? tlu_options_get(options, "learner")
                              : "perceptron";
    if (status == TLU_OK && strcmp(learner, "perceptron") != 0)
        status =
            error_input(error,
                        "the proof covers only the perceptron: --learner %s cannot be combined "
                        "with --%s",
                        learner, kind);
    for (size_t i = 0; i < sizeof others / sizeof others[0] && status == TLU_OK; i++)
        if (!options_same(options, defaults, others[i].option) &&
            !(rates && others[i].option == OPTION_RATE))
            status = error_input(error,
                                 "the proof covers only steps y x of constant size: --%s cannot be "
                                 "combined with --%s",
                                 others[i].name, kind);
    tlu_options_free(defaults);
    return status;
}

bool trace_is_drawn(uint64_t k, uint64_t all, uint64_t most)
{
    return k <= most / 2 || all <= most || k * (most / 2) / all != (k - 1) * (most / 2) / all;
}

// ---- the best separator of the rows

// The largest length of a row.
static double radius_of(const struct trace_rows *rows)
{
    bool bias = rows->offsets[rows->count] > rows->entries;
    double longest = 0;
    for (size_t i = 0; i < rows->count; i++) {
        double square = bias ? 1 : 0;
        for (uint64_t k = rows->offsets[i]; k < rows->offsets[i + 1] - bias; k++)
            square += (double)rows->values[k] * (double)rows->values[k];
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

tlu_status separator_find(struct separator *separator, const struct run_trace *trace,
                          const struct trace_rows *rows, double seconds, tlu_error *error)
{
    size_t size = trace->features + 1, positive = tlu_model_positive_class(trace->model);
    assert(positive != TLU_NONE);
    uint32_t *labels = plot_new(trace->plot, rows->count, sizeof *labels);
    *separator = (struct separator){.radius = radius_of(rows),
                                    .u = plot_new(trace->plot, size, sizeof *separator->u)};
    TRY(enough_memory(labels && separator->u, error));
    for (size_t i = 0; i < rows->count; i++)
        labels[i] = rows->classes[i] == positive;
    const tlu_rows given = {.size = sizeof given,
                            .rows = rows->count,
                            .offsets = rows->offsets,
                            .features = rows->features,
                            .values = rows->values,
                            .labels = labels};
    tlu_separability_settings settings = {
        .size = sizeof settings, .rows = &given, .seconds = seconds};
    tlu_separability *answer = NULL;
    tlu_options *options = options_copy(NULL);
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
