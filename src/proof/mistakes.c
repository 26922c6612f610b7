// The table per mistake: every guess v_k of a perceptron, and what the lecture notes say about it.
//
// A trace reports which row of which pass was a mistake. That determines the guesses, since
// v_k = v_(k-1) + rate y x. They are replayed here over all T passes. Passes that training counted
// without making them repeat the last pass, which made no mistake, or the last cycle of passes.
#include "base/call/callback.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/settings.h"
#include "proof/built.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUESSES_MAX 1000
#define WORK_MAX 4e9 // multiplications for the errors on all rows

struct mistake {
    size_t example; // index into the examples
    uint64_t step;  // counted from 0 over all passes
};

struct run_example {
    size_t first, count; // range in the entries
    uint64_t row, line;
    int label; // index of its label, 0 or 1; later y, once the positive label is known
};

// The results of the trace, and the table.
struct mistake_table {
    tlu_mistake_table table; // first: the caller gets its address
    struct run_example *examples;
    uint32_t *features; // [entries]
    float *values;      // [entries]
    size_t *by_row;     // [row] the example, plus 1
    struct mistake *mistakes;
    char **names;
    char *labels[2], *positive;
    size_t entries, mistake_count, label_count, name_count;
    size_t examples_capacity, features_capacity, values_capacity, by_row_capacity;
    size_t mistakes_capacity, names_capacity;
    uint64_t steps; // made
    uint64_t tie;   // TIE_...
    double squared_radius;
    double *u, *average, *average_used;
    double *vectors; // [count][dimension]
    tlu_guess *guesses;
    tlu_error failure; // an error in on_step
};

// ---- the trace

static bool add_label(struct mistake_table *t, const char *label, int *number)
{
    for (size_t i = 0; i < t->label_count; i++)
        if (strcmp(t->labels[i], label) == 0) {
            *number = (int)i;
            return true;
        }
    assert(t->label_count < 2); // there is one column
    *number = (int)t->label_count;
    t->labels[t->label_count] = memory_copy_text(label, strlen(label));
    return t->labels[t->label_count++] != NULL;
}

static bool add_names(struct mistake_table *t, const tlu_step *step)
{
    if (!memory_reserve(&t->names, &t->names_capacity, step->features + 1, sizeof *t->names))
        return false;
    for (; t->name_count < step->features; t->name_count++) {
        size_t length = tlu_step_feature_name(step, t->name_count, NULL, 0);
        char *name = memory_new(length + 1, 1);
        if (!name)
            return false;
        tlu_step_feature_name(step, t->name_count, name, length + 1);
        t->names[t->name_count] = name;
    }
    return true;
}

static bool add_example(struct mistake_table *t, const tlu_step *step)
{
    const tlu_row *x = &step->example;
    size_t count = (size_t)t->table.examples, old = t->by_row_capacity;
    if (!memory_reserve(&t->examples, &t->examples_capacity, count + 1, sizeof *t->examples) ||
        !memory_reserve(&t->features, &t->features_capacity, t->entries + x->count,
                        sizeof *t->features) ||
        !memory_reserve(&t->values, &t->values_capacity, t->entries + x->count,
                        sizeof *t->values) ||
        !memory_reserve(&t->by_row, &t->by_row_capacity, (size_t)step->row + 1, sizeof *t->by_row))
        return false;
    if (t->by_row_capacity > old)
        memset(t->by_row + old, 0, (t->by_row_capacity - old) * sizeof *t->by_row);
    struct run_example *example = &t->examples[count];
    *example = (struct run_example){t->entries, x->count, step->row, step->line, 0};
    for (size_t i = 0; i < x->count; i++, t->entries++) {
        t->features[t->entries] = x->features[i];
        t->values[t->entries] = x->values ? x->values[i] : 1;
    }
    t->by_row[step->row] = (size_t)++t->table.examples;
    return add_label(t, step->label, &example->label);
}

// Whether the step added the rate times x or -x.
static bool is_plain_update(const struct mistake_table *t, const tlu_step *step)
{
    for (size_t i = 0; i < step->example.count; i++) {
        size_t f = step->example.features[i];
        double x = step->example.values ? (double)step->example.values[i] : 1;
        double before = tlu_step_weight_before(step, 0, f), after = tlu_step_weight(step, 0, f);
        double size = fmax(fabs(before), fabs(after));
        if (fabs(fabs(after - before) - t->table.rate * fabs(x)) > 1e-9 * size)
            return false;
    }
    return true;
}

static int on_step(void *context, const tlu_step *step)
{
    struct mistake_table *t = context;
    bool known = step->row < t->by_row_capacity && t->by_row[step->row];
    if (step->columns != 1) {
        error_input(&t->failure,
                    "a table per mistake needs two classes; write several classes as rows of one "
                    "perceptron with tlu convert --kesler, and trace those with --no-bias");
        return 1;
    }
    if (!add_names(t, step) || (!known && !add_example(t, step)) ||
        !memory_reserve(&t->mistakes, &t->mistakes_capacity, t->mistake_count + 1,
                        sizeof *t->mistakes)) {
        error_memory(&t->failure);
        return 1;
    }
    if (step->updated && !is_plain_update(t, step)) {
        error_input(&t->failure,
                    "a table per mistake needs updates by the same rate times x, and the update at "
                    "step %llu differs; remove the weights of rows and classes",
                    (unsigned long long)step->step);
        return 1;
    }
    if (step->updated)
        t->mistakes[t->mistake_count++] = (struct mistake){t->by_row[step->row] - 1, t->steps};
    t->steps++;
    if (!t->positive || strcmp(t->positive, tlu_step_column_label(step, 0, NULL)) != 0) {
        const char *label = tlu_step_column_label(step, 0, NULL);
        memory_free(t->positive);
        t->positive = memory_copy_text(label, strlen(label));
    }
    return 0;
}

static tlu_status check_options(struct mistake_table *t, const tlu_options *options,
                                tlu_error *error)
{
    const char *rate = tlu_options_get(options, "rate");
    char usual[64];
    if (strcmp(tlu_options_get(options, "learner"), "perceptron") != 0)
        return error_input(error, "a table per mistake needs --learner perceptron, not %s",
                           tlu_options_get(options, "learner"));
    if (tlu_options_get(options, "kernel")[0])
        return error_input(error, "a table per mistake shows weights, and --kernel has none; "
                                  "remove it (linear gives the same run)");
    if (atof(tlu_options_get(options, "margin")) > 0)
        return error_input(error, "with --margin the perceptron also updates without a mistake; "
                                  "remove it");
    if (!rate[0]) {
        tlu_options_default(options, "rate", usual, sizeof usual);
        rate = usual;
    }
    char *end;
    t->table.rate = strtod(rate, &end);
    if (*end || !(t->table.rate > 0))
        return error_input(error, "a table per mistake needs a constant rate, not --rate %s", rate);
    t->tie = (uint64_t)options_choice(options, OPTION_TIE);
    return TLU_OK;
}

static tlu_status trace_run(struct mistake_table *t, const char *path, const tlu_options *options,
                            tlu_error *error)
{
    tlu_model *model = NULL;
    tlu_mistake_table *table = &t->table;
    t->failure.status = TLU_OK;
    tlu_status status = tlu_trace(path, options, on_step, t, &model, error);
    if (t->failure.status != TLU_OK) {
        tlu_model_free(model);
        if (error)
            *error = t->failure;
        return t->failure.status;
    }
    TRY(status);
    const tlu_report *report = tlu_model_report(model);
    table->epochs_made = report->epochs;
    table->epochs = report->counted_epochs;
    table->cycle = report->cycle;
    tlu_model_free(model);
    table->steps = table->examples * table->epochs;
    table->bias = !options_flag(options, OPTION_NO_BIAS);
    table->dimension = t->name_count + (size_t)table->bias;
    table->positive = t->positive;
    if (!t->positive)
        return error_memory(error);
    assert(t->steps == table->examples * table->epochs_made);
    if (table->bias && !(t->names[t->name_count++] = memory_copy_text("(bias)", 6)))
        return error_memory(error);
    table->names = (const char *const *)t->names;
    for (size_t i = 0; i < table->examples; i++) {
        struct run_example *x = &t->examples[i];
        x->label = strcmp(t->labels[x->label], t->positive) == 0 ? 1 : -1;
    }
    return TLU_OK;
}

// ---- vectors

static double product(const struct mistake_table *t, const struct run_example *x, const double *v)
{
    double sum = 0;
    for (size_t k = x->first; k < x->first + x->count; k++)
        sum += (double)t->values[k] * v[t->features[k]];
    return t->table.bias ? sum + v[t->table.dimension - 1] : sum;
}

static void add_to(const struct mistake_table *t, const struct run_example *x, double *v)
{
    double amount = t->table.rate * x->label;
    for (size_t k = x->first; k < x->first + x->count; k++)
        v[t->features[k]] += amount * (double)t->values[k];
    if (t->table.bias)
        v[t->table.dimension - 1] += amount;
}

static void add_times(double *sum, const double *v, double factor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += factor * v[i];
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// ---- u

static tlu_status find_u(struct mistake_table *t, double seconds, tlu_error *error)
{
    tlu_mistake_table *table = &t->table;
    size_t count = (size_t)table->examples, entry = 0, size = t->entries + count;
    uint64_t *offsets = memory_new(count + 1, sizeof *offsets);
    uint32_t *features = memory_new(size, sizeof *features), *labels = memory_new(count, 4);
    float *values = memory_new(size, sizeof *values);
    bool enough = offsets && features && labels && values;
    for (size_t i = 0; enough && i < count; i++) { // the rows y x have a single label
        const struct run_example *x = &t->examples[i];
        for (size_t k = x->first; k < x->first + x->count; k++, entry++) {
            features[entry] = t->features[k];
            values[entry] = (float)x->label * t->values[k];
        }
        if (table->bias) {
            features[entry] = (uint32_t)table->dimension - 1;
            values[entry++] = (float)x->label;
        }
        offsets[i + 1] = entry;
    }
    static const char *const names[] = {"1"};
    tlu_rows rows = {.size = sizeof rows,
                     .rows = count,
                     .offsets = offsets,
                     .features = features,
                     .values = values,
                     .labels = labels,
                     .label_names = names,
                     .label_count = 1};
    tlu_separability_settings settings = {
        .size = sizeof settings, .rows = &rows, .seconds = seconds};
    tlu_separability *answer = NULL;
    tlu_options *options = options_copy(NULL);
    tlu_status status =
        enough && options ? tlu_options_set(options, "no-bias", "yes", error) : error_memory(error);
    if (status == TLU_OK)
        status = tlu_separability_decide(&settings, options, &answer, error);
    if (status == TLU_OK && (table->verdict = answer->verdict) == TLU_SEPARABLE) {
        t->u = memory_new(table->dimension, sizeof *t->u);
        for (size_t i = 0; t->u && i < answer->weight_count; i++)
            if (answer->weights[i].feature)
                t->u[strtoul(answer->weights[i].feature, NULL, 10)] = answer->weights[i].weight;
        if (t->u) {
            double length = sqrt(dot(t->u, t->u, table->dimension));
            if (product(t, &t->examples[0], t->u) * t->examples[0].label < 0)
                length = -length; // the single label was the negative one
            for (size_t i = 0; i < table->dimension; i++)
                t->u[i] /= length;
            table->u = t->u;
            table->gamma = answer->margin_low;
        }
        status = t->u ? TLU_OK : error_memory(error);
    }
    tlu_separability_free(answer);
    tlu_options_free(options);
    memory_free(offsets);
    memory_free(features);
    memory_free(labels);
    memory_free(values);
    return status;
}

static tlu_status find_margin(struct mistake_table *t, double seconds, tlu_error *error)
{
    double longest = 0;
    for (size_t i = 0; i < t->table.examples; i++) {
        const struct run_example *x = &t->examples[i];
        double square = t->table.bias;
        for (size_t k = x->first; k < x->first + x->count; k++)
            square += (double)t->values[k] * (double)t->values[k];
        longest = fmax(longest, square);
    }
    t->squared_radius = longest;
    t->table.radius = sqrt(longest);
    t->table.gamma = NAN;
    t->table.verdict = TLU_NOT_DECIDED;
#ifdef TLU_PROVES
    return find_u(t, seconds, error);
#else
    (void)seconds, (void)error, (void)find_u;
    return TLU_OK;
#endif
}

// ---- the replay

// Number of mistakes before a pass, which must be one that training made.
static size_t mistakes_before(const struct mistake_table *t, uint64_t pass)
{
    size_t low = 0, high = t->mistake_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->mistakes[middle].step < pass * t->table.examples)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct repetition {
    uint64_t start, length;         // the `length` passes from `start` on repeat
    uint64_t whole, rest;           // complete repetitions, and passes of the last, incomplete one
    size_t mistakes, mistakes_rest; // in all repeating passes, and in the first `rest` of them
    size_t first;                   // index of their first mistake
};

static struct repetition find_repetition(const struct mistake_table *t)
{
    const tlu_mistake_table *table = &t->table;
    struct repetition r = {.length = table->cycle ? table->cycle : 1};
    r.start = table->epochs_made - r.length;
    r.whole = (table->epochs - table->epochs_made) / r.length;
    r.rest = (table->epochs - table->epochs_made) % r.length;
    r.first = mistakes_before(t, r.start);
    r.mistakes = t->mistake_count - r.first;
    r.mistakes_rest = mistakes_before(t, r.start + r.rest) - r.first;
    return r;
}

// Mistake k, counted from 0 over all T passes. Its step also counts passes that were not made.
static struct mistake mistake_at(const struct mistake_table *t, const struct repetition *r,
                                 uint64_t k)
{
    if (k < t->mistake_count)
        return t->mistakes[k];
    uint64_t later = k - t->mistake_count;
    struct mistake mistake = t->mistakes[r->first + (size_t)(later % r->mistakes)];
    mistake.step += (later / r->mistakes + 1) * r->length * t->table.examples;
    return mistake;
}

// Adds v before each step from *step to `end` - 1 to the sum, and advances *next, *step and v.
static void sum_until(const struct mistake_table *t, size_t *next, uint64_t *step, uint64_t end,
                      double *v, double *sum)
{
    size_t dimension = t->table.dimension;
    for (; *next < t->mistake_count && t->mistakes[*next].step < end; ++*next) {
        const struct mistake *mistake = &t->mistakes[*next];
        add_times(sum, v, (double)(mistake->step + 1 - *step), dimension);
        *step = mistake->step + 1;
        add_to(t, &t->examples[mistake->example], v);
    }
    add_times(sum, v, (double)(end - *step), dimension);
    *step = end;
}

// Computes both averages. The sum of v over the T passes is the sum over the passes made, plus that
// over the repeating passes times the number of repetitions.
static tlu_status find_averages(struct mistake_table *t, const struct repetition *r,
                                tlu_error *error)
{
    size_t d = t->table.dimension, next = 0;
    uint64_t step = 0, m = t->table.examples;
    double *v = memory_new(d, sizeof *v), *once = memory_new(d, sizeof *once),
           *last = memory_new(d, sizeof *last);
    double *sum = t->average_used = memory_new(d, sizeof *sum);
    t->average = memory_new(d, sizeof *t->average);
    tlu_status status = TLU_OK;
    if (v && once && last && sum && t->average) {
        sum_until(t, &next, &step, r->start * m, v, sum);
        sum_until(t, &next, &step, (r->start + r->rest) * m, v, once); // the first `rest` passes
        memcpy(last, v, d * sizeof *v);
        add_times(sum, once, (double)(r->whole + 2), d);
        memset(once, 0, d * sizeof *once);
        sum_until(t, &next, &step, t->steps, v, once);
        add_times(sum, once, (double)(r->whole + 1), d);
        if (r->rest == 0)
            memcpy(last, v, d * sizeof *v);
        for (size_t i = 0; i < d; i++) {
            t->average[i] = (sum[i] + last[i]) / (double)t->table.steps;
            sum[i] /= (double)t->table.steps;
        }
    } else {
        status = error_memory(error);
    }
    memory_free(v);
    memory_free(once);
    memory_free(last);
    t->table.average = t->average;
    t->table.average_used = t->average_used;
    return status;
}

static bool is_wrong(const struct mistake_table *t, double score, int label)
{
    if (score == 0)
        return t->tie == TIE_MISTAKE || (t->tie == TIE_POSITIVE) != (label > 0);
    return (score > 0) != (label > 0);
}

static double error_on_all(const struct mistake_table *t, const double *v)
{
    size_t wrong = 0;
    for (size_t i = 0; i < t->table.examples; i++)
        wrong += is_wrong(t, product(t, &t->examples[i], v), t->examples[i].label);
    return (double)wrong / (double)t->table.examples;
}

static void measure(const struct mistake_table *t, tlu_guess *guess)
{
    const tlu_mistake_table *table = &t->table;
    size_t d = table->dimension;
    double k = (double)guess->k, rate = table->rate;
    guess->v_squared = dot(guess->v, guess->v, d);
    guess->v_squared_max = k * rate * rate * t->squared_radius;
    guess->v_dot_u = guess->v_dot_u_min = guess->angle = NAN;
    if (!table->u)
        return;
    guess->v_dot_u = dot(guess->v, table->u, d);
    guess->v_dot_u_min = k * rate * table->gamma;
    if (guess->v_squared > 0) {
        double cosine = guess->v_dot_u / sqrt(guess->v_squared);
        guess->angle = acos(fmax(-1, fmin(1, cosine))) * (180 / acos(-1.0));
    }
}

static tlu_status make_guesses(struct mistake_table *t, const struct repetition *r,
                               size_t guesses_max, tlu_error *error)
{
    tlu_mistake_table *table = &t->table;
    size_t d = table->dimension;
    table->mistakes = t->mistake_count + r->whole * r->mistakes + r->mistakes_rest;
    table->count = table->mistakes < guesses_max ? (size_t)table->mistakes + 1 : guesses_max;
    t->guesses = memory_new(table->count, sizeof *t->guesses);
    t->vectors = memory_new((uint64_t)table->count * d, sizeof *t->vectors);
    if (!t->guesses || (d && !t->vectors))
        return error_memory(error);
    bool all = (double)table->count * (double)t->entries <= WORK_MAX;
    uint64_t step = 0; // the first step that the guess predicts
    for (size_t k = 0; k < table->count; k++) {
        tlu_guess *guess = &t->guesses[k];
        double *v = t->vectors + k * d;
        guess->k = k;
        guess->v = v;
        if (k > 0) {
            struct mistake made_by = mistake_at(t, r, k - 1);
            const struct run_example *x = &t->examples[made_by.example];
            memcpy(v, v - d, d * sizeof *v);
            add_to(t, x, v);
            guess->row = x->row;
            guess->line = x->line;
        }
        bool wrong = k < table->mistakes;
        uint64_t end = wrong ? mistake_at(t, r, k).step + 1 : table->steps;
        guess->used = end - step;
        guess->survived = guess->used - wrong + (k > 0);
        guess->probability = (double)guess->used / (double)table->steps;
        guess->error = guess->used ? (double)wrong / (double)guess->used : NAN;
        guess->error_all = all ? error_on_all(t, v) : NAN;
        measure(t, guess);
        step = end;
    }
    table->guesses = t->guesses;
    return TLU_OK;
}

static tlu_status compute(struct mistake_table *t, const tlu_mistake_table_settings *settings,
                          tlu_options *options, tlu_error *error)
{
    if (!settings->path)
        return error_input(error, "tlu_mistake_table_settings needs a path");
    if (!options_is_set(options, OPTION_LEARNER))
        TRY(tlu_options_set(options, "learner", "perceptron", error));
    TRY(check_options(t, options, error));
    TRY(trace_run(t, settings->path, options, error));
    TRY(find_margin(t, settings->seconds, error));
    struct repetition repetition = find_repetition(t);
    TRY(find_averages(t, &repetition, error));
    return make_guesses(t, &repetition, settings->guesses_max ? settings->guesses_max : GUESSES_MAX,
                        error);
}

tlu_status tlu_mistake_table_compute(const tlu_mistake_table_settings *given,
                                     const tlu_options *options, tlu_mistake_table **table,
                                     tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_mistake_table_settings settings;
    *table = NULL;
    TRY(settings_take(&settings, sizeof settings, given, "tlu_mistake_table_settings", error));
    struct mistake_table *t = memory_new(1, sizeof *t);
    tlu_options *own = options_copy(options);
    tlu_status status = t && own ? compute(t, &settings, own, error) : error_memory(error);
    tlu_options_free(own);
    if (status == TLU_OK)
        *table = &t->table;
    else
        tlu_mistake_table_free(t ? &t->table : NULL);
    return status;
}

void tlu_mistake_table_free(tlu_mistake_table *table)
{
    struct mistake_table *t = (struct mistake_table *)table;
    if (!t)
        return;
    for (size_t i = 0; i < t->name_count; i++)
        memory_free(t->names[i]);
    memory_free(t->names);
    memory_free(t->labels[0]);
    memory_free(t->labels[1]);
    memory_free(t->positive);
    memory_free(t->examples);
    memory_free(t->features);
    memory_free(t->values);
    memory_free(t->by_row);
    memory_free(t->mistakes);
    memory_free(t->u);
    memory_free(t->average);
    memory_free(t->average_used);
    memory_free(t->vectors);
    memory_free(t->guesses);
    memory_free(t);
}
