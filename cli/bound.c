// tlu bound: how many mistakes a perceptron can make on the data, and how many it makes.
#include "cli.h"
#include "progress.h"
#include "tlu_proof.h"

static const tlu_option_info options[] = {
    TEXT_OPTION("positive", "LABEL", "take this label as one class and all others as the other"),
    TEXT_OPTION("only", "LABELS",
                "leave out rows with other labels than these, which have commas between them"),
    FLAG_OPTION("no-bias", "only planes through the origin"),
    COUNT_OPTION("runs", "N", "10", 0, 1e6,
                 "runs of a perceptron, each with a seed of its own for the order of the rows"),
    COUNT_OPTION("epochs", "N", "1000", 1, 1e9,
                 "passes of a run at most, if it does not converge before"),
    NUMBER_OPTION(
        "time", "SECONDS", "0", 0, 1e9,
        "end after SECONDS with what is known by then, as Ctrl-C does at any time; 0: never"),
    FLAG_OPTION("json", "print the figures as JSON"),
    FLAG_OPTION("quiet", "print no progress, and of the figures the bound alone"),
};

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// ---- text

// The theorem as each of the notes has it.
static void print_forms(const tlu_mistake_bound *bounds)
{
    double r = bounds->radius, margin = bounds->margin_low;
    printf("bound     at most %.15g mistakes: (R / margin)^2 = %.9g, in the notation of each of "
           "the notes:\n",
           whole_bound(bounds->bound), bounds->bound);
    printf("          Elkan    (R / delta)^2        R = %.7g, delta = %.7g\n", r, margin);
    printf("          Palagi   R^2 / rho^2          R = %.7g, rho = %.7g\n", r, margin);
    printf("          Cohen    R / gamma^2          R = %.7g (squared), gamma = %.7g\n", r * r,
           margin);
    printf("          Honavar  (|W*| L / delta)^2   |W*| = %.7g, L = %.7g, delta = 1\n", 1 / margin,
           r);
}

static void print_spread(const uint64_t *sorted, size_t count)
{
    unsigned long long least = sorted[0], most = sorted[count - 1];
    double median = ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]) / 2;
    if (count == 1)
        printf("mistakes  %llu in 1 run\n", least);
    else if (least == most)
        printf("mistakes  %llu in each of %zu runs\n", least, count);
    else
        printf("mistakes  %llu to %llu in %zu runs, median %.15g\n", least, most, count, median);
}

static void print_runs(const tlu_mistake_bound *bounds, size_t wanted)
{
    size_t stopped = 0;
    if (wanted == 0)
        return;
    if (bounds->runs == 0) {
        puts("mistakes  not known: ended before a run was");
        return;
    }
    uint64_t *sorted = need(calloc(bounds->runs, sizeof *sorted));
    for (size_t i = 0; i < bounds->runs; i++) {
        sorted[i] = bounds->mistakes[i];
        stopped += !bounds->converged[i];
    }
    qsort(sorted, bounds->runs, sizeof *sorted, by_size);
    print_spread(sorted, bounds->runs);
    if (bounds->runs < wanted)
        printf("          ended before the other %s\n", count_text(wanted - bounds->runs, "run"));
    if (stopped)
        printf("          %s ended by --epochs before a pass without a mistake\n",
               count_text(stopped, "run"));
    free(sorted);
}

static void print_without(const tlu_mistake_bound *bounds)
{
    if (bounds->dropped_line)
        printf("without   the row at line %llu: R = %.7g, margin %.7g, at most %.15g mistakes\n",
               ULL(bounds->dropped_line), bounds->dropped_radius, bounds->dropped_margin,
               whole_bound(bounds->dropped_bound));
    else if (bounds->ended_early)
        puts("without   not known: ended before all rows in question were tried");
    else
        puts("without   no row: each of those that make R and the margin is the only one of its "
             "class");
}

static void print_data(const struct arguments *arguments, const tlu_mistake_bound *bounds)
{
    printf("data      %s: %s, values as 32-bit floats\n",
           path_text(stdout, arguments->positional[0]), count_text(bounds->examples, "row"));
    printf("classes   %s is positive, ", text_clip(bounds->positive, 40));
    if (bounds->negative)
        printf("%s negative", text_clip(bounds->negative, 40));
    else
        printf("all others negative");
    if (bounds->label_column)
        printf(", in column %s", text_clip(bounds->label_column, 60));
    printf("\n");
}

static void print_no_bound(const tlu_mistake_bound *bounds)
{
    if (bounds->verdict == TLU_NOT_SEPARABLE)
        puts("not separable, so there is no bound on the mistakes; tlu separable --approximate "
             "finds the fewest that a plane makes");
    else if (isfinite(bounds->margin_high))
        printf("not decided: if there is a margin, it is below %.9g\n", bounds->margin_high);
    else
        puts("not decided");
}

static void print_margin(const tlu_mistake_bound *bounds)
{
    double low = bounds->margin_low, high = bounds->margin_high;
    if (!isfinite(high))
        printf("margin    at least %.9g, that of the best plane so far\n", low);
    else if (high - low <= 1e-9 * high)
        printf("margin    %.9g, the best of all planes\n", low);
    else
        printf("margin    %.9g, that of the best plane so far; none has more than %.9g\n", low,
               high);
}

static void print_text(const struct arguments *arguments, const tlu_mistake_bound *bounds)
{
    bool quiet = arguments_flag(arguments, "quiet");
    if (!quiet)
        print_data(arguments, bounds);
    if (bounds->verdict != TLU_SEPARABLE) {
        print_no_bound(bounds);
        return;
    }
    if (quiet) {
        printf("at most %.15g mistakes\n", whole_bound(bounds->bound));
        return;
    }
    printf("radius    R = %.9g, the largest length of %s, at line %llu\n", bounds->radius,
           bounds->bias ? "(x, 1)" : "x", ULL(bounds->radius_line));
    print_margin(bounds);
    print_forms(bounds);
    print_runs(bounds, (size_t)arguments_count(arguments, "runs"));
    print_without(bounds);
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

static void json_forms(struct json *json, const tlu_mistake_bound *bounds)
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

static void json_figures(struct json *json, const tlu_mistake_bound *bounds)
{
    json_number(json, "margin_low", bounds->margin_low);
    json_number(json, "margin_high", bounds->margin_high);
    json_number(json, "bound", bounds->bound);
    json_number(json, "most_mistakes", whole_bound(bounds->bound));
    json_forms(json, bounds);
    json_array(json, "runs");
    for (size_t i = 0; i < bounds->runs; i++) {
        json_object(json, NULL);
        json_count(json, "seed", i + 1);
        json_count(json, "mistakes", bounds->mistakes[i]);
        json_bool(json, "converged", bounds->converged[i]);
        json_end(json);
    }
    json_end(json);
    if (bounds->dropped_line == 0)
        return;
    json_object(json, "without");
    json_count(json, "line", bounds->dropped_line);
    json_number(json, "radius", bounds->dropped_radius);
    json_number(json, "margin", bounds->dropped_margin);
    json_number(json, "bound", bounds->dropped_bound);
    json_end(json);
}

static void print_json(const tlu_mistake_bound *bounds)
{
    struct json json = {.file = stdout};
    json_object(&json, NULL);
    json_text(&json, "answer",
              bounds->verdict == TLU_SEPARABLE       ? "separable"
              : bounds->verdict == TLU_NOT_SEPARABLE ? "not separable"
                                                     : "not decided");
    json_count(&json, "rows", bounds->examples);
    json_text(&json, "positive", bounds->positive);
    json_text(&json, "negative", bounds->negative);
    json_text(&json, "label", bounds->label_column);
    json_bool(&json, "ended_early", bounds->ended_early);
    json_number(&json, "radius", bounds->radius);
    json_count(&json, "radius_line", bounds->radius_line);
    if (bounds->verdict == TLU_SEPARABLE)
        json_figures(&json, bounds);
    else if (bounds->verdict == TLU_NOT_DECIDED)
        json_number(&json, "margin_high", bounds->margin_high);
    json_end(&json);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    const char *positive = arguments_text(arguments, "positive");
    tlu_mistake_bound_settings settings = {.size = sizeof settings,
                                           .path = arguments->positional[0]};
    bool json = arguments_flag(arguments, "json");
    struct proof_progress progress;
    tlu_mistake_bound *bounds = NULL;
    tlu_status status = TLU_OK;
    settings.only = arguments_text(arguments, "only");
    settings.runs = (size_t)arguments_count(arguments, "runs");
    settings.epochs = arguments_count(arguments, "epochs");
    settings.seconds = arguments_number(arguments, "time");
    settings.progress = proof_progress_show;
    settings.progress_context = &progress;
    if (arguments_flag(arguments, "no-bias"))
        status = tlu_options_set(arguments->library, "no-bias", "yes", error);
    if (status == TLU_OK && positive && *positive)
        status = tlu_options_set(arguments->library, "positive", positive, error);
    if (status != TLU_OK)
        return status;
    proof_progress_begin(&progress, !json && !arguments_flag(arguments, "quiet"));
    status = tlu_mistake_bound_compute(&settings, arguments->library, &bounds, error);
    proof_progress_end(&progress);
    if (status != TLU_OK)
        return status;
    if (json)
        print_json(bounds);
    else
        print_text(arguments, bounds);
    verb_answer = bounds->verdict == TLU_SEPARABLE       ? ANSWER_YES
                  : bounds->verdict == TLU_NOT_SEPARABLE ? ANSWER_NO
                                                         : ANSWER_OPEN;
    tlu_mistake_bound_free(bounds);
    return TLU_OK;
}

const struct verb bound_verb = {
    .name = "bound",
    .summary = "bound the mistakes of a perceptron, and count them in real runs",
    .description =
        "The convergence theorem for the data: R, the largest length of a row; the best margin of "
        "all planes; and the bound (R / margin)^2 on the mistakes that a perceptron makes in any "
        "order and any number of passes, in the notation of each of the lecture notes. A row is "
        "(x, 1), or x with --no-bias; values are 32-bit floats and are not scaled. Also prints the "
        "mistakes of real runs over several orders of the rows, and the bound without the row that "
        "costs most. Without separability there is no bound: exit code 1. If --time or Ctrl-C ends "
        "the search, the bound is that of the best plane so far; if there is none: exit code 4.",
    .arguments = {{"DATA", NULL, .help = "labelled rows of two classes; - is standard input"}, {0}},
    .unlisted = "scale hash memory",
    .groups = "reading data",
    OPTIONS(options),
    .examples = {"tlu bound data/iris.csv --positive setosa",
                 "tlu bound data/iris.csv --only setosa,virginica --runs 3 --json"},
    .run = run,
};
