// tlu approximate: fits one hidden layer, with more and more units, to a function of one variable.
#include "cli.h"
#include "table.h"
#include "terminal.h"
#include "tlu_plot.h"

#include <strings.h>
#include <unistd.h>

#define UNITS_MAX 64 // in the list

static const tlu_option_info options[] = {
    TEXT_OPTION("from", "A", "where the interval begins, such as 0 or -pi (default -4)"),
    TEXT_OPTION("to", "B", "where it ends (default 4)"),
    OWN_OPTION("units", TEXT, "LIST", "1,2,4,8,16", NULL, 0, 0,
               "numbers of hidden units, ascending, separated by commas"),
    CHOICE_OPTION("activation", "NAME", "tanh", "tanh|sigmoid|relu|step",
                  "what a hidden unit computes from w x + t; step is the threshold unit"),
    COUNT_OPTION("points", "N", "401", 2, 10000,
                 "equally spaced points of a function; those of a file are its rows"),
    COUNT_OPTION("seed", "N", "0", 0, COUNT_MAX, "seed of the random starting units"),
    TEXT_OPTION(
        "output", "PICTURE",
        "draw the function, the networks and their errors; the ending selects the format: .svg, "
        ".png, .pdf, .gif or .txt"),
    FLAG_OPTION("term", "draw on the terminal, with Unicode characters"),
    OWN_OPTION("size", TEXT, "WxH", "720x400", NULL, 0, 0,
               "width and height of the picture in points; with --term in characters"),
    NUMBER_OPTION("zoom", "N", "1", 0.1, 20, "pixels per point (.png and .gif)"),
    CHOICE_OPTION("theme", "NAME", "light", "light|dark",
                  "colours for paper and light screens, or for dark ones"),
    TEXT_OPTION("title", "TEXT", "the title of the picture"),
    CHOICE_OPTION("as", "FORM", "text", "text|markdown|csv|json|latex", "how to print the table"),
    FLAG_OPTION("json", "the same as --as json: one object, with the weights"),
    FLAG_OPTION("quiet", "print no notes"),
};

OWNED_TYPE(tlu_approximation, tlu_approximation_free)
OWNED_TYPE(tlu_picture, tlu_picture_free)

// ---- arguments

static bool is_file(const char *text)
{
    size_t length = strlen(text);
    return strcmp(text, "-") == 0 || (length > 4 && strcasecmp(text + length - 4, ".csv") == 0);
}

// An end of the interval: a number, or an expression such as 2*pi.
static tlu_status read_end(const struct arguments *arguments, const char *name, double *value,
                           tlu_error *error)
{
    const char *text = arguments_text(arguments, name);
    double other;
    if (!arguments_given(arguments, name))
        return TLU_OK;
    if (tlu_formula_value(text, 0, value, error) != TLU_OK)
        return fail_input(error, "--%s: %s", name, format_text("%s", error->text));
    TRY(tlu_formula_value(text, 1, &other, error));
    if (!isfinite(*value) || *value != other)
        return fail_input(error, "--%s takes a number, such as 2 or -pi, not '%s'", name,
                          text_clip(text, 60));
    return TLU_OK;
}

static tlu_status read_units(const char *text, size_t units[UNITS_MAX], size_t *count,
                             tlu_error *error)
{
    static const char what[] = "--units takes numbers in ascending order with commas between them, "
                               "such as 1,2,4,8";
    for (*count = 0;; text++) {
        char *end;
        size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > 9)
            return fail_input(error, "%s; found '%s'", what, text_clip(text, 40));
        if (*count == UNITS_MAX)
            return fail_input(error, "--units takes at most %d numbers", UNITS_MAX);
        units[(*count)++] = strtoul(text, &end, 10);
        text = end;
        if (!*text)
            return TLU_OK;
        if (*text != ',')
            return fail_input(error, "%s; found '%s'", what, text_clip(text, 40));
    }
}

static tlu_status fill_settings(const struct arguments *arguments, size_t units[UNITS_MAX],
                                tlu_approximate_settings *settings, tlu_error *error)
{
    const char *what = arguments->positional[0];
    bool from = arguments_given(arguments, "from"), to = arguments_given(arguments, "to");
    if (is_file(what))
        settings->path = what;
    else
        settings->formula = what;
    if (settings->path && arguments_given(arguments, "points"))
        return fail_input(error,
                          "--points applies only to a function, and the points of a file are "
                          "its rows; remove it");
    settings->from = settings->path ? -INFINITY : -4;
    settings->to = settings->path ? INFINITY : 4;
    settings->interval_given = from || to;
    TRY(read_end(arguments, "from", &settings->from, error));
    TRY(read_end(arguments, "to", &settings->to, error));
    if (!settings->path)
        settings->points = arguments_count(arguments, "points");
    settings->activation = arguments_text(arguments, "activation");
    settings->seed = arguments_count(arguments, "seed");
    if (strcmp(settings->activation, "step") == 0 && arguments_given(arguments, "seed"))
        return fail_input(error, "--seed has no effect with --activation step, which is not "
                                 "trained; remove it");
    settings->units = units;
    return read_units(arguments_text(arguments, "units"), units, &settings->unit_count, error);
}

// A formula that is not understood may be the name of a file.
static tlu_status explain_error(const char *what, tlu_status status, tlu_error *error)
{
    if (status != TLU_ERROR_INPUT || is_file(what) || error->column == 0 || access(what, R_OK) != 0)
        return status;
    return fail(error, status,
                "%s; a file has this name, but the name of a file of points must end in .csv",
                format_text("%s", error->text));
}

// ---- the picture

static bool draws(const struct arguments *arguments)
{
    return arguments_given(arguments, "output") || arguments_flag(arguments, "term");
}

static tlu_status fill_style(const struct arguments *arguments, tlu_picture_style *style,
                             tlu_error *error)
{
    const char *size = arguments_text(arguments, "size"), *output;
    unsigned across, down;
    char end;
    output = arguments_given(arguments, "output") ? arguments_text(arguments, "output") : "";
    size_t length = strlen(output);
    bool term = arguments_flag(arguments, "term") ||
                (length > 4 && strcasecmp(output + length - 4, ".txt") == 0);
    static const char *const of_pictures[] = {"size", "zoom", "theme", "title"};
    for (size_t i = 0; i < COUNT_OF(of_pictures) && !draws(arguments); i++)
        if (arguments_given(arguments, of_pictures[i]))
            return fail_input(error, "--%s applies only to a picture; add -o PICTURE or --term",
                              of_pictures[i]);
    if (strcmp(output, "-") == 0)
        return fail_input(error, "the table goes to standard output; name a file for the picture, "
                                 "such as -o picture.svg");
    if (arguments_flag(arguments, "term") && *output)
        return fail_input(error, "--term and -o cannot be combined; choose one");
    if (sscanf(size, "%5u%*1[xX]%5u%c", &across, &down, &end) != 2 || !across || !down)
        return fail_input(error, "--size takes width and height, such as %s, not '%s'",
                          term ? "80x24" : "720x400", text_clip(size, 40));
    style->scale = arguments_number(arguments, "zoom");
    style->theme = arguments_text(arguments, "theme");
    style->title = arguments_text(arguments, "title");
    if (!term) {
        style->width = across;
        style->height = down;
        return TLU_OK;
    }
    style->theme = arguments_given(arguments, "theme") ? style->theme : NULL;
    screen_measure(style, !*output);
    if (arguments_given(arguments, "size")) {
        style->columns = across;
        style->lines = down;
    }
    return TLU_OK;
}

static tlu_status draw(const struct arguments *arguments, const tlu_approximation *approximation,
                       const tlu_picture_style *style, tlu_error *error)
{
    OWNED(tlu_picture) picture = NULL;
    if (!draws(arguments))
        return TLU_OK;
    TRY(tlu_plot_approximation(approximation, style, &picture, error));
    if (arguments_given(arguments, "output"))
        return tlu_picture_save(picture, arguments_text(arguments, "output"), error);
    if (!arguments->quiet)
        screen_note_encoding();
    return screen_show(picture, 1, error);
}

// ---- the table

static const char *error_text(double value)
{
    return format_text("%.4g", value);
}

static void put(struct text_table *table, const char *heading, double value, bool shortened)
{
    table_begin_cell(table, heading, true);
    if (shortened && table->form != TABLE_CSV)
        table_add(table, error_text(value));
    else
        table_add_number(table, value);
}

static void put_net(struct text_table *table, const tlu_approximation_net *net)
{
    put(table, "units", (double)net->units, false);
    put(table, "max error", net->max_error, true);
    put(table, "at x", net->max_error_at, true);
    put(table, "RMS error", net->rms_error, true);
    table_end_row(table);
}

static void print_table(const tlu_approximation *approximation, const char *form)
{
    struct text_table table;
    table_open(&table, stdout, form);
    table.heading = true;
    put_net(&table, &approximation->nets[0]);
    table.heading = false;
    for (size_t i = 0; i < approximation->net_count; i++)
        put_net(&table, &approximation->nets[i]);
    table_close(&table);
}

static void print_json(const tlu_approximation *approximation, const char *picture)
{
    struct json json = json_open(stdout);
    json_text(&json, approximation->is_file ? "file" : "function", approximation->name);
    JSON_MEMBERS(&json, approximation, activation, from, to, points);
    json_text(&json, "picture", picture);
    json_array(&json, "networks");
    for (size_t i = 0; i < approximation->net_count; i++) {
        const tlu_approximation_net *net = &approximation->nets[i];
        json_object(&json, NULL);
        JSON_MEMBERS(&json, net, units, max_error, max_error_at, rms_error, bias);
        json_numbers(&json, "w", net->w, net->units);
        json_numbers(&json, "t", net->t, net->units);
        json_numbers(&json, "c", net->c, net->units);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    OWNED(tlu_approximation) approximation = NULL;
    tlu_approximate_settings settings = {.size = sizeof settings};
    tlu_picture_style style = {.size = sizeof style};
    size_t units[UNITS_MAX];
    const char *what = arguments->positional[0], *form = arguments_text(arguments, "as");
    const char *output =
        arguments_given(arguments, "output") ? arguments_text(arguments, "output") : NULL;
    bool json = arguments->json || strcmp(form, "json") == 0;
    if (arguments->json && arguments_given(arguments, "as") && !json)
        return fail_input(error, "--json and --as %s cannot be combined; remove one", form);
    if (json && arguments_flag(arguments, "term"))
        return fail_input(error, "--term and --json cannot both use standard output; choose one");
    TRY(fill_settings(arguments, units, &settings, error));
    TRY(fill_style(arguments, &style, error));
    if (settings.path)
        TRY(refuse_overwriting(output, what, error));
    TRY(explain_error(what, tlu_approximate(&settings, &approximation, error), error));
    TRY(draw(arguments, approximation, &style, error));
    if (json) {
        streams_json();
        print_json(approximation, output);
        return TLU_OK;
    }
    print_table(approximation, form);
    fflush(stdout);
    if (!arguments->quiet)
        fprintf(stderr, "note: errors of %s units at %s from %s to %s\n", approximation->activation,
                count_text(approximation->points, "point"), brief_text(approximation->from),
                brief_text(approximation->to));
    return TLU_OK;
}

const struct verb approximate_verb = {
    .name = "approximate",
    .summary = "approximate a function by hidden layers of more and more units",
    .description =
        "Approximates a function of one variable by a network with one hidden layer, "
        "b + sum of c_j s(w_j x + t_j), for each number of units in --units. Prints the maximum "
        "error and the root mean squared error (RMS) at the points. With enough units, such a "
        "network approximates every continuous function on an interval arbitrarily well. A network "
        "with more units is never worse than one with fewer. FUNCTION is an expression in x: "
        "numbers, pi, e, "
        "+ - * / ^, parentheses, sin, cos, tan, exp, log, sqrt, abs, tanh, floor, sign, min, max. "
        "FILE.csv has two columns of numbers, x and y; a heading is optional, and --from and --to "
        "select rows.",
    .arguments = {{"FUNCTION", .help =
                                   "an expression in x, such as 'sin(x)', or FILE.csv, a file of "
                                   "two columns; - is standard input"}},
    .common = "units activation from to output",
    OPTIONS(options),
    .examples = {"tlu approximate 'sin(x)' --from -pi --to pi",
                 "tlu approximate 'abs(x)' --activation relu --units 1,2,3 --as markdown",
                 "tlu approximate 'exp(x) * sin(3*x)' --from -2 --to 2 -o picture.svg",
                 "tlu approximate 'x^2' --activation step --json"},
    .run = run,
};
