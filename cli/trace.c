// tlu trace: training step by step, as lecture notes print it.
#include "trace.h"
#include "cli.h"
#include "table.h"

#define FEW 8     // features (or examples) whose weights are all shown
#define ENTRIES 8 // of a longer example that a table shows
#define NAMES 40  // columns for the names of the features above an example
#define NAME_SIZE 80

static const tlu_option_info options[] = {
    CHOICE_OPTION("as", "FORM", "text", "text|markdown|csv|json|latex", "how to print it"),
    COUNT_OPTION("steps", "N", "1000", 1, COUNT_MAX, "stop after this many steps"),
    FLAG_OPTION("quiet", "print no notes"),
};

struct trace {
    struct text_table table;
    bool as_json;
    bool begun; // the JSON
    struct json json;
    bool bias;
    uint64_t steps;           // to show
    bool to_the_end;          // go on without showing them
    bool cut;                 // there were more
    size_t features, columns; // of the step before: a change of shape needs another heading
    double *before;           // [FEW + 1] weights and bias before the step, with two classes
};

// ---- names

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

// The name of a feature; "x3" for LIBSVM's 3.
static const char *feature_name(char out[NAME_SIZE], const tlu_step *step, size_t feature)
{
    char name[NAME_SIZE - 1];
    tlu_step_feature_name(step, feature, name, sizeof name);
    snprintf(out, NAME_SIZE, "%s%s", is_number(name) ? "x" : "", name);
    return out;
}

// "versicolor", or in one versus one "versicolor/setosa".
static const char *column_name(char out[2 * NAME_SIZE], const tlu_step *step, size_t column)
{
    const char *against, *label = tlu_step_column_label(step, column, &against);
    snprintf(out, 2 * NAME_SIZE, "%.70s%s%.70s", label, against ? "/" : "", against ? against : "");
    return out;
}

static double value_of(const tlu_step *step, size_t feature)
{
    const tlu_row *row = &step->example;
    for (size_t i = 0; i < row->count; i++)
        if (row->features[i] == feature)
            return row->values ? (double)row->values[i] : 1;
    return 0;
}

// ---- vectors in a table

static double weight_of(const struct trace *trace, const tlu_step *step, size_t column,
                        size_t feature)
{
    (void)trace;
    return tlu_step_weight(step, column, feature);
}

static double example_of(const struct trace *trace, const tlu_step *step, size_t column,
                         size_t feature)
{
    (void)trace;
    (void)column;
    return value_of(step, feature);
}

static double before_of(const struct trace *trace, const tlu_step *step, size_t column,
                        size_t feature)
{
    (void)step;
    (void)column;
    return trace->before[feature];
}

static double alpha_of(const struct trace *trace, const tlu_step *step, size_t column,
                       size_t example)
{
    (void)trace;
    return tlu_step_alpha(step, column, example + 1);
}

typedef double entry_function(const struct trace *, const tlu_step *, size_t, size_t);

// All `count` entries: "(1, -1)", or in CSV a field each.
static void put_tuple(struct trace *trace, const tlu_step *step, const char *heading,
                      entry_function *entry, size_t column, size_t count, bool features)
{
    struct text_table *table = &trace->table;
    if (table->form != TABLE_CSV)
        table_begin_cell(table, heading, true);
    for (size_t i = 0; i < count; i++) {
        char name[NAME_SIZE], field[4 * NAME_SIZE];
        if (features)
            feature_name(name, step, i);
        else
            snprintf(name, sizeof name, "%zu", i + 1);
        snprintf(field, sizeof field, "%s %s", heading, name);
        if (table->form == TABLE_CSV)
            table_begin_cell(table, field, true);
        else
            table_add(table, i ? ", " : "(");
        table_add_number(table, entry(trace, step, column, i));
    }
    if (table->form != TABLE_CSV)
        table_add(table, count ? ")" : "()");
}

// The entries of the example's own features: "3:0.5 7:1".
static void put_sparse(struct trace *trace, const tlu_step *step, const char *heading,
                       entry_function *entry, size_t column)
{
    struct text_table *table = &trace->table;
    size_t count = step->example.count;
    size_t most = table->form == TABLE_CSV || count <= ENTRIES ? count : ENTRIES - 1;
    table_begin_cell(table, heading, false);
    for (size_t i = 0; i < most; i++) {
        char name[NAME_SIZE];
        size_t feature = step->example.features[i];
        tlu_step_feature_name(step, feature, name, sizeof name);
        table_add(table, i ? " " : "");
        table_add(table, name);
        table_add(table, ":");
        table_add_number(table, entry(trace, step, column, feature));
    }
    if (most < count)
        table_add(table, " ...");
}

static void put_vector(struct trace *trace, const tlu_step *step, const char *heading,
                       entry_function *entry, size_t column)
{
    if (step->features <= FEW)
        put_tuple(trace, step, heading, entry, column, step->features, true);
    else
        put_sparse(trace, step, heading, entry, column);
}

static void put_number(struct trace *trace, const char *heading, double value)
{
    table_begin_cell(&trace->table, heading, true);
    table_add_number(&trace->table, value);
}

static void put_text(struct trace *trace, const char *heading, const char *text)
{
    table_begin_cell(&trace->table, heading, false);
    table_add(&trace->table, text);
}

// ---- a step in a table

// "example (x1, x2)" if the names are short enough.
static void put_example(struct trace *trace, const tlu_step *step)
{
    char heading[64 + NAMES] = "example", names[NAMES * 4];
    size_t used = 0;
    bool fits = step->features <= FEW && trace->table.form != TABLE_CSV;
    for (size_t i = 0; fits && i < step->features; i++) {
        char name[NAME_SIZE];
        const char *shown = text_clip(feature_name(name, step, i), NAMES);
        fits = used + strlen(shown) + 2 < NAMES;
        if (fits)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", shown);
    }
    if (fits && used)
        snprintf(heading, sizeof heading, "example (%.*s)", NAMES, names);
    put_vector(trace, step, heading, example_of, 0);
}

// The column whose weights are shown if there are too many: that of the example's label.
static bool is_labels_column(const tlu_step *step, size_t column)
{
    const char *against, *label = tlu_step_column_label(step, column, &against);
    return !against && strcmp(label, step->label) == 0;
}

static void put_after(struct trace *trace, const tlu_step *step, size_t column)
{
    char name[2 * NAME_SIZE], heading[3 * NAME_SIZE];
    bool alone = step->columns == 1;
    column_name(name, step, column);
    if (step->dual) {
        bool few = step->examples <= FEW;
        snprintf(heading, sizeof heading, alone ? "%s" : "%s %s", few ? "alphas" : "alpha", name);
        if (few)
            put_tuple(trace, step, heading, alpha_of, column, (size_t)step->examples, false);
        else
            put_number(trace, heading, tlu_step_alpha(step, column, step->row));
    } else if (alone || step->features <= FEW) {
        snprintf(heading, sizeof heading, alone ? "w after" : "w %s", name);
        put_vector(trace, step, heading, weight_of, column);
    }
    snprintf(heading, sizeof heading, alone ? "b after" : "b %s", name);
    if (trace->bias)
        put_number(trace, heading, tlu_step_bias(step, column));
}

static void put_step(struct trace *trace, const tlu_step *step)
{
    bool alone = step->columns == 1, before = alone && !step->dual && step->features <= FEW;
    put_number(trace, "step", (double)step->step);
    put_number(trace, "pass", (double)step->pass);
    put_number(trace, "line", (double)step->line);
    put_example(trace, step);
    put_text(trace, "label", step->label);
    if (before) {
        put_vector(trace, step, "w", before_of, 0);
        if (trace->bias)
            put_number(trace, "b", trace->before[FEW]);
    }
    for (size_t c = 0; c < step->columns; c++) {
        char name[2 * NAME_SIZE], heading[3 * NAME_SIZE];
        snprintf(heading, sizeof heading, alone ? "score" : "score %s", column_name(name, step, c));
        put_number(trace, heading, step->scores[c]);
    }
    put_text(trace, "predicted", step->predicted[0] ? step->predicted : "?");
    put_text(trace, "update", step->updated ? "yes" : "no");
    for (size_t c = 0; c < step->columns; c++)
        put_after(trace, step, c);
    for (size_t c = 0; c < step->columns && !alone && !step->dual && step->features > FEW; c++)
        if (is_labels_column(step, c))
            put_vector(trace, step, "w of the label", weight_of, c);
    table_end_row(&trace->table);
}

// ---- a step in JSON

static void json_vector(struct trace *trace, const tlu_step *step, const char *key,
                        entry_function *entry, size_t column)
{
    struct json *json = &trace->json;
    bool few = step->features <= FEW;
    size_t count = few ? step->features : step->example.count;
    json_object(json, key);
    for (size_t i = 0; i < count; i++) {
        char name[NAME_SIZE];
        size_t feature = few ? i : step->example.features[i];
        tlu_step_feature_name(step, feature, name, sizeof name);
        json_number(json, name, entry(trace, step, column, feature));
    }
    json_end(json);
}

static void json_alphas(struct trace *trace, const tlu_step *step, const char *key, size_t column)
{
    bool few = step->examples <= FEW;
    json_object(&trace->json, key);
    for (uint64_t row = few ? 1 : step->row; row <= (few ? step->examples : step->row); row++) {
        char name[24];
        snprintf(name, sizeof name, "%llu", ULL(row));
        json_number(&trace->json, name, tlu_step_alpha(step, column, row));
    }
    json_end(&trace->json);
}

// Nothing is printed before the first step: there may be none, but an error.
static void json_begin(struct trace *trace)
{
    if (trace->begun)
        return;
    trace->begun = true;
    json_object(&trace->json, NULL);
    json_array(&trace->json, "steps");
}

static void json_step(struct trace *trace, const tlu_step *step)
{
    json_begin(trace);
    struct json *json = &trace->json;
    char name[2 * NAME_SIZE];
    json_object(json, NULL);
    json_count(json, "step", step->step);
    json_count(json, "pass", step->pass);
    json_count(json, "row", step->row);
    json_count(json, "line", step->line);
    json_vector(trace, step, "example", example_of, 0);
    json_text(json, "label", step->label);
    json_object(json, "scores");
    for (size_t c = 0; c < step->columns; c++)
        json_number(json, column_name(name, step, c), step->scores[c]);
    json_end(json);
    json_text(json, "predicted", step->predicted[0] ? step->predicted : NULL);
    json_bool(json, "mistake", step->mistake);
    json_bool(json, "updated", step->updated);
    json_object(json, step->dual ? "alphas" : "weights");
    for (size_t c = 0; c < step->columns; c++) {
        if (step->dual)
            json_alphas(trace, step, column_name(name, step, c), c);
        else
            json_vector(trace, step, column_name(name, step, c), weight_of, c);
    }
    json_end(json);
    json_object(json, "bias");
    for (size_t c = 0; c < step->columns; c++)
        json_number(json, column_name(name, step, c), tlu_step_bias(step, c));
    json_end(json);
    json_end(json);
}

static void json_ending(struct trace *trace, const tlu_model *model)
{
    json_begin(trace);
    const tlu_report *report = tlu_model_report(model);
    struct json *json = &trace->json;
    json_end(json);
    json_text(json, "learner", tlu_model_learner(model));
    json_bool(json, "cut", trace->cut);
    json_count(json, "epochs", report->epochs);
    json_count(json, "updates", report->updates);
    bool stopped = trace->cut && !trace->to_the_end;
    json_text(json, "stopped", stopped ? "steps" : report->stopped);
    json_count(json, "cycle", report->cycle);
    json_end(json);
}

// ---- the verb

static int on_step(void *context, const tlu_step *step)
{
    struct trace *trace = context;
    if (step->step > trace->steps) {
        trace->cut = true;
        return !trace->to_the_end;
    }
    if (trace->as_json) {
        json_step(trace, step);
        return ferror(stdout) != 0;
    }
    if (trace->features != step->features || trace->columns != step->columns) {
        trace->table.heading = true;
        put_step(trace, step);
        trace->table.heading = false;
        trace->features = step->features;
        trace->columns = step->columns;
    }
    put_step(trace, step);
    for (size_t i = 0; i < FEW && i < step->features; i++)
        trace->before[i] = tlu_step_weight(step, 0, i);
    trace->before[FEW] = tlu_step_bias(step, 0);
    return ferror(stdout) != 0;
}

static void print_notes(bool cut, uint64_t steps, const tlu_model *model)
{
    const tlu_report *report = tlu_model_report(model);
    if (cut) {
        fprintf(stderr, "note: these are the first %s; --steps N shows more\n",
                count_text(steps, "step"));
        return;
    }
    fprintf(stderr, "note: %s, ", count_text(report->epochs, "pass"));
    fprintf(stderr, "%s", count_text(report->updates, "update"));
    if (report->cycle)
        fprintf(stderr, "; the weights repeat after %s: training would never end",
                count_text(report->cycle, "pass"));
    else if (report->converged)
        fprintf(stderr, "; the last pass made no mistake");
    fputc('\n', stderr);
}

tlu_status trace_print(const tlu_train_settings *data, const tlu_options *options_given,
                       const struct trace_settings *settings, tlu_model **model, bool *cut,
                       tlu_error *error)
{
    struct trace trace = {.steps = settings->steps,
                          .to_the_end = settings->to_the_end,
                          .as_json = strcmp(settings->form, "json") == 0,
                          .bias = strcmp(tlu_options_get(options_given, "no-bias"), "yes") != 0,
                          .json = {.file = stdout},
                          .before = need(calloc(FEW + 1, sizeof(double)))};
    table_open(&trace.table, stdout, settings->form);
    tlu_status status = tlu_trace_with(data, options_given, on_step, &trace, model, error);
    table_close(&trace.table);
    if (status == TLU_OK && trace.as_json)
        json_ending(&trace, *model);
    fflush(stdout); // before the notes, if both go to one terminal
    free(trace.before);
    *cut = trace.cut;
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct trace_settings settings = {.form = arguments_text(arguments, "as"),
                                      .steps = arguments_count(arguments, "steps")};
    tlu_train_settings data = {.size = sizeof data, .path = arguments->positional[0]};
    tlu_model *model = NULL;
    tlu_status status = TLU_OK;
    bool cut;
    if (!option_is_given(arguments->library, "learner")) // what lecture notes show
        status = tlu_options_set(arguments->library, "learner", "perceptron", error);
    if (status == TLU_OK)
        status = trace_print(&data, arguments->library, &settings, &model, &cut, error);
    if (status == TLU_OK && strcmp(settings.form, "json") != 0 &&
        !arguments_flag(arguments, "quiet"))
        print_notes(cut, settings.steps, model);
    tlu_model_free(model);
    return status;
}

const struct verb trace_verb = {
    .name = "trace",
    .summary = "print the training step by step",
    .description =
        "Trains on DATA as tlu train does, saves nothing, and prints every step: the example, its "
        "label, the weights (w) and the bias (b) before, the score, the prediction, whether there "
        "was an update, and the weights and the bias after. With more than two classes there is a "
        "score and a weight vector per class, or per pair of classes; with --kernel, coefficients "
        "(alphas) of the examples. With more than 8 features only those of the example are shown. "
        "For learners that update row by row; without --learner it is the perceptron.",
    .arguments = {{"DATA", NULL, .help = "the training data; - is standard input"}, {0}},
    .groups = "reading data learning",
    OPTIONS(options),
    .examples = {"tlu trace data/iris.csv --steps 20",
                 "tlu trace data/weather.csv --no-shuffle --as markdown",
                 "tlu trace data/iris.csv --learner pa1 --multiclass ovr --steps 5 --as json",
                 "tlu trace data/digits-train.svm --kernel poly:2 --steps 100 --as csv"},
    .run = run,
};
