// tlu convert: data in another format.
#include "cli.h"

#include <errno.h>

static const tlu_option_info options[] = {
    TEXT_OPTION("output", "FILE", "where the data goes; without it, standard output"),
    CHOICE_OPTION(
        "to", "FORMAT", "", "libsvm|csv|tsv|binary",
        "format to write; without it, by the ending of the output: .svm, .libsvm and .txt "
        "libsvm, .csv csv, .tsv tsv, .tlud binary"),
    TEXT_OPTION(
        "names", "FILE",
        "libsvm from data with names: write the number and the name of each feature to FILE, a "
        "line each"),
    FLAG_OPTION(
        "kesler",
        "several classes as one: for a row x of class k and each other class j, a row with x in "
        "the columns of k, -x in those of j and the label 1; train a perceptron on it with "
        "--no-bias"),
    FLAG_OPTION("no-bias", "with --kesler: no column of ones for the bias in each block"),
    FLAG_OPTION("quiet", "print no summary"),
};

// The format that a name stands for; NULL if it says nothing.
static tlu_status format_of(const char *name, const char **format, tlu_error *error)
{
    static const char *const endings[][2] = {{".svm", "libsvm"},
                                             {".libsvm", "libsvm"},
                                             {".txt", "libsvm"},
                                             {".csv", "csv"},
                                             {".tsv", "tsv"},
                                             {".tlud", "binary"},
                                             {NULL}};
    const char *dot = name ? strrchr(name, '.') : NULL;
    if (dot && (strcmp(dot, ".gz") == 0 || strcmp(dot, ".zst") == 0))
        return fail_input(error,
                          "convert does not compress; leave %s out, or use -o - and a pipe to %s",
                          dot, dot[1] == 'g' ? "gzip" : "zstd");
    if (dot && !*format)
        *format = text_of_pair(endings, dot, NULL);
    if (!*format)
        return fail_input(
            error,
            "convert needs a format; give --to libsvm, csv, tsv or binary, or an output that "
            "ends with .svm, .csv, .tsv or .tlud");
    return TLU_OK;
}

static int write_bytes(void *context, const char *bytes, size_t size)
{
    struct output *output = context;
    if (fwrite(bytes, 1, size, output->file) == size)
        return 0;
    output->why = errno;
    return -1;
}

static int write_to_memory(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) != size;
}

static tlu_status write_names(const char *names, size_t size, const char *path, tlu_error *error)
{
    struct output output;
    TRY(output_open(&output, path, error));
    fwrite(names, 1, size, output.file);
    return output_close(&output, TLU_OK, error);
}

static void print_summary(const tlu_conversion *conversion)
{
    fprintf(stderr, "converted %s, %s, %s\n", count_text(conversion->rows, "row"),
            count_text(conversion->features, "feature"), count_text(conversion->classes, "class"));
    if (conversion->skipped)
        fprintf(stderr, "note: %s left out\n", count_text(conversion->skipped, "malformed row"));
}

static tlu_status check_paths(const struct arguments *arguments, const char **format,
                              tlu_error *error)
{
    const char *path = arguments_text(arguments, "output"), *data = arguments->positional[0];
    const char *names = arguments_text(arguments, "names");
    TRY(format_of(path, format, error));
    TRY(refuse_overwriting(path, data, error));
    if (names)
        TRY(refuse_overwriting(names, data, error));
    if (names && same_output(path ? path : "-", names))
        return fail_input(error,
                          "the data and the names would both go to '%s'; give --names another file",
                          names);
    if (names && strcmp(*format, "libsvm") != 0)
        return fail_input(error, "--names is for libsvm, and %s has the names in it; leave it out",
                          *format);
    return TLU_OK;
}

OWNED_TYPE(tlu_conversion, tlu_conversion_free)

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    const char *names_path = arguments_text(arguments, "names");
    const char *format = arguments_text(arguments, "to");
    struct output output;
    OWNED(char) names = NULL; // few beside the data: they wait until that is written
    size_t names_size;
    TRY(check_paths(arguments, &format, error));
    bool kesler = arguments_flag(arguments, "kesler");
    if (arguments_flag(arguments, "no-bias") && !kesler)
        return fail_input(
            error,
            "--no-bias is for --kesler: other rows have no column for the bias; leave it out");
    if (arguments_flag(arguments, "no-bias"))
        TRY(tlu_options_set(arguments->library, "no-bias", "yes", error));
    TRY(output_open(&output, arguments_text(arguments, "output"), error));
    output.sync = true;
    FILE *name_list = need(open_memstream(&names, &names_size));
    OWNED(tlu_conversion) conversion = NULL;
    tlu_convert_settings settings = {.size = sizeof settings,
                                     .path = arguments->positional[0],
                                     .format = format,
                                     .write = write_bytes,
                                     .write_context = &output,
                                     .write_names = names_path ? write_to_memory : NULL,
                                     .names_context = name_list,
                                     .kesler = kesler};
    tlu_status status = tlu_convert(&settings, arguments->library, &conversion, error);
    // If a write failed, the sink has the reason; the library only knows that it failed.
    status = output_close(&output, output.why ? TLU_OK : status, error);
    need(fclose(name_list) == 0 ? names : NULL);
    TRY(status);
    if (names_path)
        TRY(write_names(names, names_size, names_path, error));
    if (!arguments->quiet)
        print_summary(conversion);
    return TLU_OK;
}

const struct verb convert_verb = {
    .name = "convert",
    .summary = "write data in another format",
    .description =
        "Reads DATA as train does and writes it as LIBSVM, CSV, TSV or in tlu's binary format, "
        "which every verb reads without parsing. Values are written so that they read back the "
        "same. From LIBSVM, CSV has the column label and one column per index. From CSV, LIBSVM "
        "has the features numbered from 1: numeric columns first, then one per category.",
    .arguments = {{"DATA", .help = "data in any format that tlu reads; - is standard input"}},
    .groups = "reading data",
    .without = "scale",
    .common = "output to label names hash",
    OPTIONS(options),
    .examples = {"tlu convert data/digits-train.svm -o digits.tlud",
                 "tlu train digits.tlud -o digits.tlu",
                 "tlu convert data/weather.csv -o weather.svm --names weather.names",
                 "tlu convert data/weather.csv --to tsv",
                 "gzip -c data/digits-test.svm | tlu convert - -o digits-test.csv"},
    .run = run,
};
