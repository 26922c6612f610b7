// tlu bound: how many mistakes a perceptron can make on the data, and how many it makes.
#include "cli.h"
#include "progress.h"
#include "report.h"
#include "verdict.h"

static const tlu_option_info options[] = {
    TEXT_OPTION("positive", "LABEL", "this label against all others"),
    TEXT_OPTION("only", "LABELS", "only rows with these labels, with commas between them"),
    FLAG_OPTION("no-bias", "only planes through the origin"),
    TEXT_OPTION(
        "rate", "ETA|A:B",
        "learning rate of the runs; A:B draws it at each step, and multiplies the bound by (B / "
        "A)^2"),
    COUNT_OPTION("runs", "N", "10", 0, 1e6,
                 "runs of a perceptron, each with another order of the rows"),
    COUNT_OPTION("epochs", "N", "1000", 1, 1e9, "passes of a run at most"),
    NUMBER_OPTION("time", "SECONDS", "0", 0, 1e9,
                  "end after SECONDS, or Ctrl-C, with what is known by then; 0: never"),
    FLAG_OPTION("json", "print the figures as JSON"),
    FLAG_OPTION("quiet", "print only the bound"),
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
    if (bounds->rate_factor > 1)
        printf("bound     at most %.15g mistakes: (eta_max / eta_min)^2 (R / margin)^2 = %.9g, "
               "with rates from %g to %g;\n          (R / margin)^2 = %.9g in the notation of "
               "each of the notes:\n",
               whole_bound(bounds->bound), bounds->bound, bounds->rate_min, bounds->rate_max,
               bounds->bound / bounds->rate_factor);
    else
        printf("bound     at most %.15g mistakes: (R / margin)^2 = %.9g, in the notation of each "
               "of the notes:\n",
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

// The theorem about the vote, and what it needs.
static void print_error(const tlu_mistake_bound *bounds)
{
    printf(
        "new rows  the vote of one pass over these m = %llu rows is wrong about another one with "
        "probability\n          2 k / (m + 1) at most, if k mistakes are expected and all rows "
        "are independent and of one distribution;\n          k <= %.9g, if R and the margin "
        "hold for the other row, too: ",
        ULL(bounds->examples), bounds->bound);
    if (bounds->error_bound < 1)
        printf("at most %.4g%%\n", 100 * bounds->error_bound);
    else
        puts("above 100%, which says nothing");
    if (isfinite(bounds->error_estimate))
        printf("          the first pass of the runs makes k = %.6g on average: about %.4g%%\n",
               bounds->error_estimate * ((double)bounds->examples + 1) / 2,
               fmin(100, 100 * bounds->error_estimate));
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
    printf("data      %s: %s, %s\n", path_text(stdout, arguments->positional[0]),
           count_text(bounds->examples, "row"),
           bounds->scaled ? "scaled values as 32-bit floats" : "values as they are written");
    if (bounds->classes > 2)
        printf("classes   %llu, by winner takes all: Kesler's construction, each row against each "
               "rival class",
               ULL(bounds->classes));
    else
        printf("classes   %s is positive, ", text_clip(bounds->positive, 40));
    if (bounds->classes > 2)
        ;
    else if (bounds->negative)
        printf("%s negative", text_clip(bounds->negative, 40));
    else
        printf("all others negative");
    print_label_column(stdout, bounds->label_column, bounds->facts->label_reason);
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
    bool quiet = arguments->quiet;
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
    printf("radius    R = %.9g, %sthe largest length of %s, at line %llu\n", bounds->radius,
           bounds->classes > 2 ? "sqrt(2) times " : "", bounds->bias ? "(x, 1)" : "x",
           ULL(bounds->radius_line));
    print_margin(bounds);
    print_forms(bounds);
    print_runs(bounds, (size_t)arguments_count(arguments, "runs"));
    print_without(bounds);
    print_error(bounds);
}

// ---- JSON

static void json_forms(struct json *json, const tlu_mistake_bound *bounds)
{
    double r = bounds->radius, m = bounds->margin_low, w = 1 / m;
    const struct {
        const char *name, *symbols[3];
        double values[3], bound;
    } forms[] = {{"elkan", {"R", "delta"}, {r, m}, (r / m) * (r / m)},
                 {"palagi", {"R", "rho"}, {r, m}, r * r / (m * m)},
                 {"cohen", {"R", "gamma"}, {r * r, m}, r * r / (m * m)},
                 {"honavar", {"W", "L", "delta"}, {w, r, 1}, w * r * (w * r)}};
    json_object(json, "forms");
    for (size_t f = 0; f < COUNT_OF(forms); f++) {
        json_object(json, forms[f].name);
        for (size_t i = 0; i < 3 && forms[f].symbols[i]; i++)
            json_number(json, forms[f].symbols[i], forms[f].values[i]);
        json_number(json, "bound", forms[f].bound);
        json_end(json);
    }
    json_end(json);
}

static void json_figures(struct json *json, const tlu_mistake_bound *bounds)
{
    JSON_MEMBERS(json, bounds, margin_low, margin_high, rate_min, rate_max, rate_factor, bound);
    json_number(json, "most_mistakes", whole_bound(bounds->bound));
    json_forms(json, bounds);
    json_array(json, "runs");
    for (size_t i = 0; i < bounds->runs; i++) {
        json_object(json, NULL);
        json_count(json, "seed", i + 1);
        json_count(json, "mistakes", bounds->mistakes[i]);
        json_count(json, "first_pass", bounds->first_mistakes[i]);
        json_bool(json, "converged", bounds->converged[i]);
        json_end(json);
    }
    json_end(json);
    JSON_MEMBERS(json, bounds, error_bound, error_estimate);
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
    struct json json = json_open(stdout);
    json_text(&json, "answer", verdicts[bounds->verdict].name);
    json_count(&json, "rows", bounds->examples);
    JSON_MEMBERS(&json, bounds, classes, positive, negative);
    json_label_column(&json, bounds->label_column, bounds->facts->label_reason);
    JSON_MEMBERS(&json, bounds, ended_early, radius, radius_line);
    if (bounds->verdict == TLU_SEPARABLE)
        json_figures(&json, bounds);
    else if (bounds->verdict == TLU_NOT_DECIDED)
        json_number(&json, "margin_high", bounds->margin_high);
    json_facts(&json, bounds->facts);
    json_end(&json);
}

OWNED_TYPE(tlu_mistake_bound, tlu_mistake_bound_free)

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct proof_progress progress;
    tlu_mistake_bound_settings settings = {.size = sizeof settings,
                                           .path = arguments->positional[0],
                                           .only = arguments_text(arguments, "only"),
                                           .runs = (size_t)arguments_count(arguments, "runs"),
                                           .epochs = arguments_count(arguments, "epochs"),
                                           .seconds = arguments_number(arguments, "time"),
                                           .progress = proof_progress_show,
                                           .progress_context = &progress};
    OWNED(tlu_mistake_bound) bounds = NULL;
    const char *rate = arguments_text(arguments, "rate");
    TRY(arguments_set_question(arguments, error));
    if (rate && *rate)
        TRY(tlu_options_set(arguments->library, "rate", rate, error));
    if (settings.runs == 0 && arguments_given(arguments, "epochs"))
        return fail_input(error, "--epochs has no effect without runs; leave out --runs 0");
    proof_progress_begin(&progress, !arguments->json && !arguments->quiet);
    tlu_status status = tlu_mistake_bound_compute(&settings, arguments->library, &bounds, error);
    proof_progress_end(&progress);
    TRY(status);
    if (arguments->json)
        print_json(bounds);
    else
        print_text(arguments, bounds);
    if (!arguments->json && !arguments->quiet)
        print_facts(stderr, bounds->facts);
    verb_answer = verdicts[bounds->verdict].answer;
    return TLU_OK;
}

const struct verb bound_verb = {
    .name = "bound",
    .summary = "bound the mistakes of a perceptron, and count them in real runs",
    .description =
        "The convergence theorem for the data: R, the largest length of a row; the best margin of "
        "all planes; and the bound (R / margin)^2 on the mistakes that a perceptron makes in any "
        "order and any number of passes, in the notation of each of the lecture notes. A row is "
        "(x, 1), or x with --no-bias; values are the decimals as they are written, or with --scale "
        "the scaled 32-bit floats. With more than two classes the bound is that of winner takes "
        "all, by Kesler's construction. Also prints the mistakes of real runs over several orders "
        "of the rows, the bound without the row that costs most, and the bound on the error of a "
        "vote on other rows. Without separability there is no bound: exit code 1. If --time or "
        "Ctrl-C ends "
        "the search, the bound is that of the best plane so far; if there is none: exit code 4.",
    .arguments = {{"DATA", .help = "labelled rows; - is standard input"}},
    .unlisted = "hash memory",
    .groups = "reading data",
    .common = "rate epochs runs label positive",
    OPTIONS(options),
    .examples = {"tlu bound data/iris.csv --positive setosa",
                 "tlu bound data/iris.csv --positive setosa --scale standard --rate 0.5:2",
                 "tlu bound data/iris.csv --only setosa,virginica --runs 3 --json"},
    .run = run,
};
