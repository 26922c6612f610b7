// tlu split: data in parts, one to train on and others to measure on.
#include "cli.h"
#include "command_line.h"
#include "progress.h"

static const tlu_option_info options[] = {
    TEXT_OPTION(
        "output", "PREFIX",
        "the files are PREFIX-train, PREFIX-validation and PREFIX-test with the extension of "
        "DATA; .gz and .zst are compressed"),
    NUMBER_OPTION(
        "test", "SIZE", "0.2", 0, COUNT_MAX,
        "size of the test part: a fraction of the rows below 1, or a number of rows from 2 on; "
        "0: none"),
    NUMBER_OPTION("validation", "SIZE", "0", 0, COUNT_MAX,
                  "size of the validation part, to choose options on; 0: none"),
    TEXT_OPTION(
        "group", "COLUMN",
        "keep rows with the same value together: of a CSV column (name, or number from 1) or "
        "JSON member; of VW's tag, by any name; sizes are as close as whole groups allow"),
    FLAG_OPTION(
        "in-order",
        "the last rows are the test part, those before them the validation part; labels are not "
        "needed"),
    FLAG_OPTION("no-stratify", "divide at random, whatever the class; labels are not needed"),
    FLAG_OPTION("json", "print one JSON object on standard output, and no summary"),
    FLAG_OPTION("quiet", "print no progress, summary and notes"),
};

OWNED_TYPE(tlu_file_split, tlu_file_split_free)

static int show_progress(void *context, const tlu_progress *progress)
{
    if (progress_is_due(context, progress->seconds))
        status_line("%s, %.0f%%", progress->work < 1 ? "reading" : "writing",
                    100 * progress->work / progress->work_expected);
    return interrupt_requested();
}

// "class", "group", "order" or "random"
static const char *way_of(const struct arguments *arguments)
{
    return arguments_text(arguments, "group")         ? "group"
           : arguments_flag(arguments, "in-order")    ? "order"
           : arguments_flag(arguments, "no-stratify") ? "random"
                                                      : "class";
}

// ---- notes

static uint64_t rows_of_class(const tlu_file_split *split, size_t class_index)
{
    uint64_t rows = 0;
    for (size_t p = 0; p < split->part_count; p++)
        rows += split->parts[p].class_rows[class_index];
    return rows;
}

// Classes of one row: a split by class leaves them in the training part.
static void note_single_rows(const tlu_file_split *split, struct json *notices)
{
    size_t count = 0, first = 0;
    for (size_t c = split->class_count; c-- > 0;)
        if (rows_of_class(split, c) == 1) {
            count++;
            first = c;
        }
    if (count == 1)
        note(notices, "the class %s has a single row, which is in the training part",
             text_clip(split->labels[first], 60));
    else if (count > 1)
        note(notices,
             "%zu classes, such as %s, have a single row each, which is in the training part",
             count, text_clip(split->labels[first], 60));
}

static void each_note(const struct arguments *arguments, const tlu_file_split *split,
                      struct json *notices)
{
    if (strcmp(way_of(arguments), "class") == 0)
        note_single_rows(split, notices);
    if (arguments_flag(arguments, "in-order") && option_is_given(arguments->library, "seed"))
        note(notices, "--seed has no effect with --in-order; leave one of them out");
    if (split->skipped)
        note(notices, "%s left out", count_text(split->skipped, "malformed row"));
}

// ---- the summary

#define SHOWN_CLASSES 6

static void print_part(const tlu_file_split *split, const tlu_split_part *part)
{
    fprintf(stderr, "%-11s %s: %s", part->name, path_text(stderr, part->path),
            count_text(part->rows, "row"));
    if (part->groups)
        fprintf(stderr, ", %s", count_text(part->groups, "group"));
    if (split->class_count)
        fprintf(stderr, ", %s", count_text(part->classes, "class"));
    for (size_t c = 0; split->class_count <= SHOWN_CLASSES && c < split->class_count; c++) {
        const char *label = split->labels[c][0] ? text_clip(split->labels[c], 24) : "no label";
        fprintf(stderr, "%s%s %llu%s", c ? ", " : " (", label, ULL(part->class_rows[c]),
                c + 1 == split->class_count ? ")" : "");
    }
    fputc('\n', stderr);
}

static void print_next(const struct arguments *arguments, const tlu_file_split *split)
{
    static const char *const done[] = {"seed", "threads", "skip-bad"}; // splitting has used them
    for (size_t i = 0; i < COUNT_OF(done); i++)
        tlu_options_clear(arguments->library, done[i], NULL);
    fputs("next        ", stderr);
    write_train(stderr, arguments->library, split->class_count, split->parts[0].path, "m.tlu");
    for (size_t p = 1; p < split->part_count; p++) {
        fputs("\n            tlu eval m.tlu ", stderr);
        write_word(stderr, split->parts[p].path);
    }
    fputc('\n', stderr);
}

static void print_summary(const struct arguments *arguments, const tlu_file_split *split)
{
    static const char *const ways[][2] = {
        {"class", "by class"}, {"order", "in file order"}, {"random", "at random"}, {NULL}};
    const char *group = arguments_text(arguments, "group");
    const char *data = arguments->positional[0];
    fprintf(stderr, "data        %s: %s",
            strcmp(data, "-") == 0 ? "standard input" : path_text(stderr, data),
            count_text(split->rows, "row"));
    if (split->class_count)
        fprintf(stderr, ", %s", count_text(split->class_count, "class"));
    if (split->class_count && split->label_column)
        fprintf(stderr, " in column %s", text_clip(split->label_column, 60));
    if (split->unlabelled)
        fprintf(stderr, ", %s without a label", count_text(split->unlabelled, "row"));
    fprintf(stderr, "; split %s\n",
            group ? format_text("by group: %.200s", text_clip(group, 60))
                  : text_of_pair(ways, way_of(arguments), ""));
    for (size_t p = 0; p < split->part_count; p++)
        print_part(split, &split->parts[p]);
    each_note(arguments, split, NULL);
    print_next(arguments, split);
}

// ---- JSON

static void print_json(const struct arguments *arguments, const tlu_file_split *split)
{
    struct json json = json_open(stdout);
    json_text(&json, "data", arguments->positional[0]);
    json_text(&json, "format", split->format);
    json_text(&json, "label", split->label_column);
    json_text(&json, "by", way_of(arguments));
    json_text(&json, "group", arguments_text(arguments, "group"));
    JSON_MEMBERS(&json, split, rows, unlabelled, skipped);
    json_array(&json, "parts");
    for (size_t p = 0; p < split->part_count; p++) {
        const tlu_split_part *part = &split->parts[p];
        json_object(&json, NULL);
        json_text(&json, "part", part->name);
        json_text(&json, "file", part->path);
        json_count(&json, "rows", part->rows);
        if (part->groups)
            json_count(&json, "groups", part->groups);
        json_object(&json, "classes");
        for (size_t c = 0; c < split->class_count; c++)
            json_count(&json, split->labels[c], part->class_rows[c]);
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
    json_array(&json, "notices");
    each_note(arguments, split, &json);
    json_end(&json);
    json_end(&json);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    OWNED(tlu_file_split) split = NULL;
    struct proof_progress progress;
    if (!arguments_text(arguments, "output"))
        return fail_input(error, "split needs -o PREFIX: it writes PREFIX-train, PREFIX-test and, "
                                 "with --validation, PREFIX-validation");
    tlu_split_file_settings settings = {.size = sizeof settings,
                                        .path = arguments->positional[0],
                                        .prefix = arguments_text(arguments, "output"),
                                        .test = arguments_number(arguments, "test"),
                                        .validation = arguments_number(arguments, "validation"),
                                        .group = arguments_text(arguments, "group"),
                                        .in_order = arguments_flag(arguments, "in-order"),
                                        .no_stratify = arguments_flag(arguments, "no-stratify"),
                                        .progress = show_progress,
                                        .progress_context = &progress};
    proof_progress_begin(&progress, arguments_progress(arguments));
    tlu_status status = tlu_split_file(&settings, arguments->library, &split, error);
    proof_progress_end(&progress);
    TRY(status);
    if (arguments->json)
        print_json(arguments, split);
    else if (!arguments->quiet)
        print_summary(arguments, split);
    return TLU_OK;
}

const struct verb split_verb = {
    .name = "split",
    .summary = "split data into training, validation and test rows",
    .description =
        "Writes the rows of DATA to PREFIX-train, PREFIX-test and, with --validation, "
        "PREFIX-validation: byte for byte, in the order of the file, and the header to each. The "
        "sizes are exact, and every part has its share of each class, chosen at random by --seed; "
        "a class with a single row stays in the training part. Memory does not grow with the size "
        "of the rows. The files are replaced when all of them are complete.",
    .arguments = {{"DATA", .help =
                               "data in any format of text that tlu reads, plain or compressed; "
                               "- is standard input"}},
    .only =
        "format delimiter header skip-bad threads max-row label multilabel label-separator seed",
    .common = "output test validation group label",
    OPTIONS(options),
    .examples = {"tlu split data/iris.csv -o iris", "tlu train iris-train.csv -o iris.tlu",
                 "tlu eval iris.tlu iris-test.csv",
                 "tlu split data/digits-train.svm --test 200 --validation 0.1 -o digits",
                 "tlu split data/weather.csv --test 0.3 --in-order -o weather",
                 "gzip -c data/iris.csv | tlu split - --test 0.5 -o parts"},
    .run = run,
};
