// tlu generate: data sets made to order.
#include "cli.h"

#include <errno.h>

static const tlu_option_info options[] = {
    TEXT_OPTION("output", "FILE", "where the data goes; without it, standard output"),
    CHOICE_OPTION("format", "FORMAT", "", "libsvm|csv", "how it is written"),
    COUNT_OPTION("rows", "N", "", 1, COUNT_MAX, "number of rows"),
    COUNT_OPTION("features", "N", "", 1, 4294967295.0,
                 "number of features (sparse, margin, blobs)"),
    COUNT_OPTION("nonzeros", "N", "", 1, 4294967295.0, "features in a row (sparse)"),
    COUNT_OPTION("classes", "N", "", 2, 1e6, "number of classes (blobs)"),
    NUMBER_OPTION("noise", "X", "", 0, 1e6,
                  "share of flipped labels; of moons and circle the spread of the points"),
    NUMBER_OPTION("margin", "X", "", 0, 1e30,
                  "least distance of a row to the plane (margin, semicircles)"),
    NUMBER_OPTION("radius", "X", "", 0, 1e30,
                  "largest length of a row (margin); radius of the circle (semicircles)"),
    COUNT_OPTION("seed", "N", "", 0, COUNT_MAX, "seed of the random numbers"),
};

// Where the data goes. The file is opened at the first byte, so that a recipe that cannot be made
// leaves an old file alone.
struct sink {
    struct output output; // .file is NULL so far
    const char *path;
    tlu_error error; // of opening
};

static int write_bytes(void *context, const char *bytes, size_t size)
{
    struct sink *sink = context;
    if (!sink->output.file && output_open(&sink->output, sink->path, &sink->error) != TLU_OK)
        return -1;
    if (fwrite(bytes, 1, size, sink->output.file) == size)
        return 0;
    sink->output.why = errno;
    return -1;
}

static void set_count(const struct arguments *arguments, const char *name, uint64_t *value)
{
    if (arguments_text(arguments, name))
        *value = arguments_count(arguments, name);
}

static void set_number(const struct arguments *arguments, const char *name, double *value)
{
    if (arguments_text(arguments, name))
        *value = arguments_number(arguments, name);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    tlu_recipe recipe = {.size = sizeof recipe};
    TRY(tlu_recipe_init(arguments->positional[0], &recipe, error));
    set_count(arguments, "rows", &recipe.rows);
    set_count(arguments, "features", &recipe.features);
    set_count(arguments, "nonzeros", &recipe.nonzeros);
    set_count(arguments, "classes", &recipe.classes);
    set_count(arguments, "seed", &recipe.seed);
    set_number(arguments, "noise", &recipe.noise);
    set_number(arguments, "margin", &recipe.margin);
    set_number(arguments, "radius", &recipe.radius);
    if (arguments_text(arguments, "format"))
        recipe.format = arguments_text(arguments, "format");

    struct sink sink = {.path = arguments_text(arguments, "output")};
    tlu_status status = tlu_generate(&recipe, write_bytes, &sink, error);
    // If a write failed, the sink has the reason; the library only knows that it failed.
    if (sink.output.file && (status == TLU_OK || sink.output.why))
        return output_close(&sink.output, TLU_OK, error);
    if (sink.output.file)
        return output_close(&sink.output, status, error);
    if (sink.error.status != TLU_OK)
        *error = sink.error;
    return sink.error.status != TLU_OK ? sink.error.status : status;
}

const struct verb generate_verb = {
    .name = "generate",
    .summary = "write a data set made to order",
    .description =
        "Writes random data to learn from. line: points of the unit square, labelled by the side "
        "of y = 1 - x. sparse: like texts, few of many features in a row, the first ones much more "
        "often. margin: two classes that a plane separates with a given margin. blobs: round "
        "clouds, one per class. xor, circle, moons: figures of the plane that no line separates. "
        "semicircles: points of a circle, positive above y = 0 and negative below. "
        "What is not given has a default that suits the kind; the same seed gives the same data.",
    .arguments = {{"KIND", "line|sparse|margin|blobs|xor|circle|moons|semicircles",
                   .help = "what the data is like"}},
    .common = "output rows features noise seed",
    OPTIONS(options),
    .examples = {"tlu generate line --rows 5 --format csv",
                 "tlu generate sparse --rows 1000 --noise 0.1 -o sparse.svm",
                 "tlu generate blobs --classes 4 --seed 7 | tlu train - -o blobs.tlu"},
    .run = run,
};
