// tlu bound: how many mistakes a perceptron can make on the data, and how many it makes.
#include "arguments.h"
#include "json.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

static const tlu_option_info options[] = {
    {"positive", "command", TLU_OPTION_TEXT, "LABEL", "", NULL, 0, 0,
     "take this label as one class and all others as the other"},
    {"only", "command", TLU_OPTION_TEXT, "LABELS", "", NULL, 0, 0,
     "leave out rows with other labels than these, which have commas between them"},
    {"no-bias", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "only planes through the origin"},
    {"runs", "command", TLU_OPTION_COUNT, "N", "10", NULL, 0, 1e6,
     "runs of a perceptron, each with a seed of its own for the order of the rows"},
    {"epochs", "command", TLU_OPTION_COUNT, "N", "1000", NULL, 1, 1e9,
     "passes of a run at most, if it does not converge before"},
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print the figures as JSON"},
};

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// ---- text

// The theorem as each of the notes has it.
static void print_forms(const tlu_bounds *bounds)
{
    double r = bounds->radius, margin = bounds->margin_low;
    printf("bound     at most %.10g mistakes, in each notation of the notes:\n", bounds->bound);
    printf("          Elkan    (R / delta)^2        R = %.7g, delta = %.7g\n", r, margin);
    printf("          Palagi   R^2 / rho^2          R = %.7g, rho = %.7g\n", r, margin);
    printf("          Cohen    R / gamma^2          R = %.7g (squared), gamma = %.7g\n", r * r,
           margin);
    printf("          Honavar  (|W*| L / delta)^2   |W*| = %.7g, L = %.7g, delta = 1\n", 1 / margin,
           r);
}

static void print_runs(const tlu_bounds *bounds)
{
    size_t stopped = 0;
    char runs[64];
    if (bounds->runs == 0)
        return;
    uint64_t *sorted = need(calloc(bounds->runs, sizeof *sorted));
    for (size_t i = 0; i < bounds->runs; i++) {
        sorted[i] = bounds->mistakes[i];
        stopped += !bounds->converged[i];
    }
    qsort(sorted, bounds->runs, sizeof *sorted, by_size);
    printf("mistakes  %llu to %llu in %s, in the middle %llu\n", (unsigned long long)sorted[0],
           (unsigned long long)sorted[bounds->runs - 1], count_text(runs, bounds->runs, "run"),
           (unsigned long long)sorted[bounds->runs / 2]);
    if (stopped)
        printf("          %s ended by --epochs before a pass without a mistake\n",
               count_text(runs, stopped, "run"));
    free(sorted);
}

static void print_text(const struct arguments *arguments, const tlu_bounds *bounds)
{
    char rows[64];
    const char *z = bounds->bias ? "(x, 1)" : "x";
    printf("data      %s: %s\n", arguments->positional[0],
           count_text(rows, bounds->examples, "row"));
    if (bounds->verdict != TLU_SEPARABLE) {
        printf("%s, so there is no bound on the mistakes; tlu separable --approximate finds the "
               "fewest that a plane makes\n",
               bounds->verdict == TLU_NOT_SEPARABLE ? "not separable" : "not decided");
        return;
    }
    printf("radius    R = %.10g, the largest length of %s, at line %llu\n", bounds->radius, z,
           (unsigned long long)bounds->radius_line);
    printf("margin    %.10g, the best of all planes (at most %.10g)\n", bounds->margin_low,
           bounds->margin_high);
    print_forms(bounds);
    print_runs(bounds);
    if (bounds->dropped_line)
        printf("without   line %llu: R = %.7g, margin %.7g, at most %.10g mistakes\n",
               (unsigned long long)bounds->dropped_line, bounds->dropped_radius,
               bounds->dropped_margin, bounds->dropped_bound);
}

// ---- JSON

static void json_form(struct json *json, const char *name, const char *symbols[3],
                      const double values[3], double bound)
{
    json_object(json, name);
    for (size_t i = 0; i < 3; i++)
        if (symbols[i])
            json_number(json, symbols[i], values[i]);
    json_number(json, "bound", bound);
    json_end(json);
}

static void json_forms(struct json *json, const tlu_bounds *bounds)
{
    double r = bounds->radius, m = bounds->margin_low, w = 1 / m;
    json_object(json, "forms");
    json_form(json, "elkan", (const char *[3]){"R", "delta"}, (double[3]){r, m}, (r / m) * (r / m));
    json_form(json, "palagi", (const char *[3]){"R", "rho"}, (double[3]){r, m}, r * r / (m * m));
    json_form(json, "cohen", (const char *[3]){"R", "gamma"}, (double[3]){r * r, m},
              r * r / (m * m));
    json_form(json, "honavar", (const char *[3]){"W", "L", "delta"}, (double[3]){w, r, 1},
              w * r * (w * r));
    json_end(json);
}

static void print_json(const tlu_bounds *bounds)
{
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_text(&json, "answer",
              bounds->verdict == TLU_SEPARABLE       ? "separable"
              : bounds->verdict == TLU_NOT_SEPARABLE ? "not separable"
                                                     : "not decided");
    json_count(&json, "rows", bounds->examples);
    json_number(&json, "radius", bounds->radius);
    json_count(&json, "radius_line", bounds->radius_line);
    if (bounds->verdict == TLU_SEPARABLE) {
        json_number(&json, "margin_low", bounds->margin_low);
        json_number(&json, "margin_high", bounds->margin_high);
        json_number(&json, "bound", bounds->bound);
        json_forms(&json, bounds);
        json_array(&json, "runs");
        for (size_t i = 0; i < bounds->runs; i++) {
            json_object(&json, NULL);
            json_count(&json, "seed", i + 1);
            json_count(&json, "mistakes", bounds->mistakes[i]);
            json_bool(&json, "converged", bounds->converged[i]);
            json_end(&json);
        }
        json_end(&json);
        if (bounds->dropped_line) {
            json_object(&json, "without");
            json_count(&json, "line", bounds->dropped_line);
            json_number(&json, "radius", bounds->dropped_radius);
            json_number(&json, "margin", bounds->dropped_margin);
            json_number(&json, "bound", bounds->dropped_bound);
            json_end(&json);
        }
    }
    json_end(&json);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    const char *positive = arguments_text(arguments, "positive");
    tlu_bound_settings settings = {.size = sizeof settings, .path = arguments->positional[0]};
    tlu_bounds *bounds = NULL;
    tlu_status status = TLU_OK;
    settings.only = arguments_text(arguments, "only");
    settings.runs = (size_t)arguments_count(arguments, "runs");
    settings.epochs = arguments_count(arguments, "epochs");
    if (arguments_flag(arguments, "no-bias"))
        status = tlu_options_set(arguments->library, "no-bias", "yes", error);
    if (status == TLU_OK && positive && *positive)
        status = tlu_options_set(arguments->library, "positive", positive, error);
    if (status == TLU_OK)
        status = tlu_bound(&settings, arguments->library, &bounds, error);
    if (status != TLU_OK)
        return status;
    if (arguments_flag(arguments, "json"))
        print_json(bounds);
    else
        print_text(arguments, bounds);
    verb_answer = bounds->verdict == TLU_SEPARABLE       ? ANSWER_YES
                  : bounds->verdict == TLU_NOT_SEPARABLE ? ANSWER_NO
                                                         : ANSWER_OPEN;
    tlu_bounds_free(bounds);
    return TLU_OK;
}

const struct verb bound_verb = {
    .name = "bound",
    .summary = "bound the mistakes of a perceptron, and count them in real runs",
    .description =
        "The convergence theorem for the data: R, the largest length of a row; the best margin of "
        "all planes; and the bound (R / margin)^2 on the mistakes that a perceptron makes in any "
        "order and any number of passes, as each of the lecture notes writes it. A row is (x, 1), "
        "or x with --no-bias, and nothing is scaled. Beside it the mistakes of real runs over "
        "several orders of the rows, and what the bound would be without the one example that "
        "costs most. If the data is not separable there is no bound: exit code 1.",
    .arguments = {{"DATA", NULL, "labelled rows of two classes; - is standard input"}, {0}},
    .unlisted = "scale hash memory",
    .groups = "reading data",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu bound data/iris.csv --positive setosa",
                 "tlu bound data/iris.csv --only setosa,virginica --runs 3 --json"},
    .run = run,
};
