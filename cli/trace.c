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
    COUNT_OPTION("steps", "N", "1000", 1, COUNT_MAX,
                 "stop after this many steps; with --mistakes, after this many rows of the table"),
    FLAG_OPTION("mistakes",
                "a row per mistake instead of per step, for two classes: the weights v_k after k "
                "mistakes, for how many examples they lasted, and what the theorem says of them"),
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
    bool tie_is_mistake;      // a tie predicts no class
};

// ---- names

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

static const char *feature_name(const tlu_step *step, size_t feature)
{
    char name[NAME_SIZE];
    tlu_step_feature_name(step, feature, name, sizeof name);
    return format_text("%s", name);
}

// The name of a feature; "x3" for LIBSVM's 3.
static const char *symbol_of(const tlu_step *step, size_t feature)
{
    const char *name = feature_name(step, feature);
    return format_text("%s%.*s", is_number(name) ? "x" : "", NAME_SIZE - 2, name);
}

// "versicolor", or in one versus one "versicolor/setosa".
static const char *column_name(const tlu_step *step, size_t column)
{
    const char *against, *label = tlu_step_column_label(step, column, &against);
    return format_text("%.70s%s%.70s", label, against ? "/" : "", against ? against : "");
}

// "w", or with several columns "w versicolor"; and the end, which is "" or " after".
static const char *column_heading(const char *word, const char *end, const tlu_step *step,
                                  size_t column)
{
    return step->columns == 1 ? format_text("%s%s", word, end)
                              : format_text("%s %s%s", word, column_name(step, column), end);
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

enum vector { EXAMPLE, WEIGHTS_BEFORE, WEIGHTS, ALPHAS_BEFORE, ALPHAS };

static double entry_of(const tlu_step *step, enum vector vector, size_t column, size_t i)
{
    switch (vector) {
    case EXAMPLE:
        return value_of(step, i);
    case WEIGHTS_BEFORE:
        return tlu_step_weight_before(step, column, i);
    case WEIGHTS:
        return tlu_step_weight(step, column, i);
    case ALPHAS_BEFORE:
        return tlu_step_alpha_before(step, column, i + 1);
    case ALPHAS:
        return tlu_step_alpha(step, column, i + 1);
    }
    return 0;
}

// All entries: "(1, -1)", or in CSV a field each.
static void put_tuple(struct trace *trace, const tlu_step *step, const char *heading,
                      enum vector vector, size_t column)
{
    struct text_table *table = &trace->table;
    bool alphas = vector == ALPHAS || vector == ALPHAS_BEFORE;
    size_t count = alphas ? (size_t)step->examples : step->features;
    if (table->form != TABLE_CSV)
        table_begin_cell(table, heading, true);
    for (size_t i = 0; i < count; i++) {
        const char *name = alphas ? format_text("%zu", i + 1) : symbol_of(step, i);
        if (table->form == TABLE_CSV)
            table_begin_cell(table, format_text("%s %s", heading, name), true);
        else
            table_add(table, i ? ", " : "(");
        table_add_number(table, entry_of(step, vector, column, i));
    }
    if (table->form != TABLE_CSV)
        table_add(table, count ? ")" : "()");
}

// The entries of the example's own features: "3:0.5 7:1".
static void put_sparse(struct trace *trace, const tlu_step *step, const char *heading,
                       enum vector vector, size_t column)
{
    struct text_table *table = &trace->table;
    size_t count = step->example.count;
    size_t most = table->form == TABLE_CSV || count <= ENTRIES ? count : ENTRIES - 1;
    table_begin_cell(table, heading, false);
    for (size_t i = 0; i < most; i++) {
        size_t feature = step->example.features[i];
        table_add(table, i ? " " : "");
        table_add(table, feature_name(step, feature));
        table_add(table, ":");
        table_add_number(table, entry_of(step, vector, column, feature));
    }
    if (most < count)
        table_add(table, " ...");
}

static void put_vector(struct trace *trace, const tlu_step *step, const char *heading,
                       enum vector vector, size_t column)
{
    (step->features <= FEW ? put_tuple : put_sparse)(trace, step, heading, vector, column);
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
    const char *names = "";
    bool fits = step->features <= FEW && trace->table.form != TABLE_CSV;
    for (size_t i = 0; fits && i < step->features; i++) {
        const char *shown = text_clip(symbol_of(step, i), NAMES);
        fits = strlen(names) + strlen(shown) + 2 < NAMES;
        names = format_text("%s%s%s", names, i ? ", " : "", shown);
    }
    put_vector(trace, step, fits && *names ? format_text("example (%s)", names) : "example",
               EXAMPLE, 0);
}

// The column whose weights are shown if there are too many: that of the example's label.
static bool is_labels_column(const tlu_step *step, size_t column)
{
    const char *against, *label = tlu_step_column_label(step, column, &against);
    return !against && strcmp(label, step->label) == 0;
}

// The weights and the bias of a column, or the alphas, before or after the step.
static void put_column(struct trace *trace, const tlu_step *step, size_t column, bool after)
{
    const char *end = after ? " after" : "";
    bool few = step->examples <= FEW;
    if (step->dual && few)
        put_tuple(trace, step, column_heading("alphas", end, step, column),
                  after ? ALPHAS : ALPHAS_BEFORE, column);
    else if (step->dual)
        put_number(trace, column_heading("alpha", end, step, column),
                   (after ? tlu_step_alpha : tlu_step_alpha_before)(step, column, step->row));
    else if (step->columns == 1 || step->features <= FEW)
        put_vector(trace, step, column_heading("w", end, step, column),
                   after ? WEIGHTS : WEIGHTS_BEFORE, column);
    if (trace->bias)
        put_number(trace, column_heading("b", end, step, column),
                   (after ? tlu_step_bias : tlu_step_bias_before)(step, column));
}

// With too many weights to show, those of the label's class.
static void put_label_column(struct trace *trace, const tlu_step *step, bool after)
{
    if (step->columns == 1 || step->dual || step->features <= FEW)
        return;
    for (size_t c = 0; c < step->columns; c++)
        if (is_labels_column(step, c))
            put_vector(trace, step, after ? "w of the label after" : "w of the label",
                       after ? WEIGHTS : WEIGHTS_BEFORE, c);
}

// The signs of the coefficients: "(+, -, 0)".
static void put_signs(struct trace *trace, const tlu_step *step, size_t column)
{
    static const char *const signs[] = {"-", "0", "+"};
    bool few = step->examples <= FEW, csv = trace->table.form == TABLE_CSV;
    const char *heading = column_heading(few ? "signs" : "sign", "", step, column);
    if (!few || !csv)
        table_begin_cell(&trace->table, heading, true);
    for (uint64_t row = few ? 1 : step->row; row <= (few ? step->examples : step->row); row++) {
        if (few && csv)
            table_begin_cell(&trace->table, format_text("%s %llu", heading, ULL(row)), true);
        else if (few)
            table_add(&trace->table, row > 1 ? ", " : "(");
        table_add(&trace->table, signs[1 + tlu_step_alpha_sign(step, column, row)]);
    }
    if (few && !csv)
        table_add(&trace->table, ")");
}

static const char *prediction_text(const struct trace *trace, const tlu_step *step)
{
    if (step->tie && trace->tie_is_mistake)
        return "tie";
    const char *predicted = step->predicted[0] ? step->predicted : "?";
    return step->tie ? format_text("%s (tie)", predicted) : predicted;
}

// Kesler's vector that the step added: "A - C" has the example in the block of A, minus it in C's.
static void put_kesler(struct trace *trace, const tlu_step *step)
{
    const char *rival = tlu_step_rival(step);
    if (rival)
        put_text(trace, "Kesler", *rival ? format_text("%s - %s", step->label, rival) : "");
}

static void put_step(struct trace *trace, const tlu_step *step)
{
    put_number(trace, "step", (double)step->step);
    put_number(trace, "pass", (double)step->pass);
    put_number(trace, "line", (double)step->line);
    put_example(trace, step);
    put_text(trace, "label", step->label);
    for (size_t c = 0; c < step->columns; c++)
        put_column(trace, step, c, false);
    put_label_column(trace, step, false);
    for (size_t c = 0; c < step->columns; c++)
        put_number(trace, column_heading("score", "", step, c), step->scores[c]);
    put_text(trace, "predicted", prediction_text(trace, step));
    put_text(trace, "update", step->updated ? "yes" : "no");
    put_kesler(trace, step);
    for (size_t c = 0; c < step->columns; c++)
        put_column(trace, step, c, true);
    put_label_column(trace, step, true);
    for (size_t c = 0; c < step->columns && step->dual; c++)
        put_signs(trace, step, c);
    table_end_row(&trace->table);
}

// ---- a step in JSON

static void json_vector(struct trace *trace, const tlu_step *step, const char *key,
                        enum vector vector, size_t column)
{
    struct json *json = &trace->json;
    bool few = step->features <= FEW;
    size_t count = few ? step->features : step->example.count;
    json_object(json, key);
    for (size_t i = 0; i < count; i++) {
        size_t feature = few ? i : step->example.features[i];
        json_number(json, feature_name(step, feature), entry_of(step, vector, column, feature));
    }
    json_end(json);
}

// The alphas by row, or the signs of their coefficients.
enum json_alphas { JSON_BEFORE, JSON_AFTER, JSON_SIGNS };

static void json_alphas(struct trace *trace, const tlu_step *step, enum json_alphas which,
                        size_t column)
{
    bool few = step->examples <= FEW;
    json_object(&trace->json, column_name(step, column));
    for (uint64_t row = few ? 1 : step->row; row <= (few ? step->examples : step->row); row++) {
        double value = which == JSON_BEFORE  ? tlu_step_alpha_before(step, column, row)
                       : which == JSON_AFTER ? tlu_step_alpha(step, column, row)
                                             : tlu_step_alpha_sign(step, column, row);
        json_number(&trace->json, format_text("%llu", ULL(row)), value);
    }
    json_end(&trace->json);
}

// The weights and biases of all columns, or the alphas, before or after the step.
static void json_columns(struct trace *trace, const tlu_step *step, bool after)
{
    struct json *json = &trace->json;
    const char *end = after ? "after" : "before";
    json_object(json, format_text("%s_%s", step->dual ? "alphas" : "weights", end));
    for (size_t c = 0; c < step->columns; c++)
        if (step->dual)
            json_alphas(trace, step, after ? JSON_AFTER : JSON_BEFORE, c);
        else
            json_vector(trace, step, column_name(step, c), after ? WEIGHTS : WEIGHTS_BEFORE, c);
    json_end(json);
    json_object(json, format_text("bias_%s", end));
    for (size_t c = 0; c < step->columns; c++)
        json_number(json, column_name(step, c),
                    (after ? tlu_step_bias : tlu_step_bias_before)(step, c));
    json_end(json);
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
    json_object(json, NULL);
    JSON_MEMBERS(json, step, step, pass, row, line);
    json_vector(trace, step, "example", EXAMPLE, 0);
    json_text(json, "label", step->label);
    json_columns(trace, step, false);
    json_object(json, "scores");
    for (size_t c = 0; c < step->columns; c++)
        json_number(json, column_name(step, c), step->scores[c]);
    json_end(json);
    json_text(json, "predicted", step->predicted[0] ? step->predicted : NULL);
    json_bool(json, "tie", step->tie);
    JSON_MEMBERS(json, step, mistake, updated);
    const char *rival = tlu_step_rival(step);
    if (rival)
        json_text(json, "rival", *rival ? rival : NULL);
    json_columns(trace, step, true);
    if (step->dual) {
        json_object(json, "signs");
        for (size_t c = 0; c < step->columns; c++)
            json_alphas(trace, step, JSON_SIGNS, c);
        json_end(json);
    }
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
    JSON_MEMBERS(json, report, epochs, updates);
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
    fprintf(stderr, "note: %s, %s", count_text(report->epochs, "pass"),
            count_text(report->updates, "update"));
    if (report->cycle)
        fprintf(stderr, "; the weights repeat after %s: training would never end",
                count_text(report->cycle, "pass"));
    else if (report->converged)
        fprintf(stderr, "; the last pass made no mistake");
    else if (strcmp(report->stopped, "epochs") == 0)
        fprintf(stderr, "; stopped at the limit of --epochs, not converged");
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
                          .tie_is_mistake =
                              strcmp(tlu_options_get(options_given, "tie"), "mistake") == 0,
                          .json = {.file = stdout}};
    table_open(&trace.table, stdout, settings->form);
    tlu_status status = tlu_trace_with(data, options_given, on_step, &trace, model, error);
    table_close(&trace.table);
    if (status == TLU_OK && trace.as_json)
        json_ending(&trace, *model);
    fflush(stdout); // before the notes, if both go to one terminal
    *cut = trace.cut;
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    if (arguments_flag(arguments, "mistakes"))
        return mistakes_print(arguments, error);
    struct trace_settings settings = {.form = arguments_text(arguments, "as"),
                                      .steps = arguments_count(arguments, "steps")};
    tlu_train_settings data = {.size = sizeof data, .path = arguments->positional[0]};
    OWNED(tlu_model) model = NULL;
    bool cut;
    if (!option_is_given(arguments->library, "learner")) // what lecture notes show
        TRY(tlu_options_set(arguments->library, "learner", "perceptron", error));
    TRY(trace_print(&data, arguments->library, &settings, &model, &cut, error));
    if (strcmp(settings.form, "json") != 0 && !arguments->quiet)
        print_notes(cut, settings.steps, model);
    return TLU_OK;
}

const struct verb trace_verb = {
    .name = "trace",
    .summary = "print the training step by step",
    .description =
        "Trains on DATA as tlu train does, saves nothing, and prints every step: the example, its "
        "label, the weights (w) and the bias (b) before, the score, the prediction, whether there "
        "was an update, and the weights and the bias after. A score of 0 is a tie: with --tie "
        "positive or negative the prediction is followed by (tie). With more than two classes "
        "there is a score and a weight vector per class, or per pair of classes. If the winner "
        "takes "
        "all, the column Kesler names the row of tlu convert --kesler that a step of the "
        "perceptron adds: A - C has the example for A, and minus it for C. With --kernel, an "
        "alpha per example, which counts its mistakes, and the signs of the coefficients. With "
        "more than 8 features only those of the example are shown. "
        "For learners that update row by row; without --learner it is the perceptron. --mistakes "
        "prints a row for each guess v_k of a perceptron, the weights and the bias after k "
        "mistakes: the row that made it, m_k, the number of examples it was used for (over T "
        "passes these add up to m T), Elkan's count c_k, v_k . u against k gamma and |v_k|^2 "
        "against k R^2, the angle to u, the best separator, the error rate 1/m_k and that on all "
        "rows, and the probability m_k/m of being picked; then both of Cohen's averages.",
    .arguments = {{"DATA", .help = "the training data; - is standard input"}},
    .groups = "reading data learning",
    .common = "learner steps as label mistakes",
    OPTIONS(options),
    .examples = {"tlu trace data/iris.csv --steps 20",
                 "tlu trace data/weather.csv --no-shuffle --as markdown",
                 "tlu trace data/iris.csv --learner pa1 --multiclass ovr --steps 5 --as json",
                 "tlu trace data/digits-train.svm --kernel poly:2 --steps 100 --as csv",
                 "tlu trace data/weather.csv --mistakes --no-shuffle"},
    .run = run,
};
