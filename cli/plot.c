// tlu plot: pictures.
#include "plot.h"
#include "progress.h"
#include "terminal.h"
#include "text.h"
#include "tlu_plot.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const tlu_option_info options[] = {
    {"output", "command", TLU_OPTION_TEXT, "FILE", "", NULL, 0, 0,
     "where the picture goes; its ending says what it is: .svg, .png, .pdf, .gif or .txt; svg:- "
     "(png:-, ...) is standard output"},
    {"run", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the run of the learner, update by update: an animation (.gif) or a strip of small pictures; "
     "without --learner of the perceptron with the last weights, until a pass is without a "
     "mistake"},
    {"truth", "command", TLU_OPTION_CHOICE, "KIND", "", "line|margin|blobs|xor|circle|moons", 0, 0,
     "what is learned from a few rows of tlu generate KIND, against what is true; without "
     "--learner "
     "by a perceptron: rows in their order, until none is wrong, the last weights"},
    {"curve", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "accuracy on rows learned from and held out (--holdout, here 0.2), and mistakes, after each "
     "of "
     "--epochs passes (here 10), of --learners or --learner"},
    {"progress", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the accuracy of a stream over time; DATA is the log of tlu stream --log"},
    {"roc", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "true against false positives, as the threshold moves"},
    {"pr", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "precision against recall"},
    {"confusion", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "which classes are taken for which"},
    {"calibration", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "whether rows of probability p are right p of the time"},
    {"weights", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the strongest features of a model, as bars"},
    {"image", "command", TLU_OPTION_TEXT, "WxH", "", NULL, 0, 0,
     "the weights of each class as pixels, for rows that are pictures of W times H pixels"},
    {"bounds", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the proof of convergence: |v| and v . u of a perceptron's run against their bounds"},
    {"points", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the points alone, without a model"},
    {"x", "command", TLU_OPTION_TEXT, "NAME", "", NULL, 0, 0, "the feature across"},
    {"y", "command", TLU_OPTION_TEXT, "NAME", "", NULL, 0, 0, "the feature up"},
    {"learners", "command", TLU_OPTION_TEXT, "LIST", "", NULL, 0, 0,
     "which to compare (curve): names with commas between them, as tlu tune takes them"},
    {"frames", "command", TLU_OPTION_COUNT, "N", "", NULL, 1, 10000,
     "at most so many pictures of a run, evenly chosen (default 200; of a strip 12)"},
    {"fps", "command", TLU_OPTION_NUMBER, "N", "", NULL, 0.01, 50,
     "frames per second (default 4; 2 if there are at most 20 frames)"},
    {"rows", "command", TLU_OPTION_COUNT, "N", "25", NULL, 2, 1e6, "rows to learn from (truth)"},
    {"noise", "command", TLU_OPTION_NUMBER, "X", "", NULL, 0, 1e6,
     "the share of flipped labels; for moons and circle how far the points spread (truth)"},
    {"seeds", "command", TLU_OPTION_COUNT, "N", "1", NULL, 1, 1e6,
     "learn so often from other rows, and give the mean accuracy (truth)"},
    {"top", "command", TLU_OPTION_COUNT, "N", "20", NULL, 1, 1000, "so many features (weights)"},
    {"size", "command", TLU_OPTION_TEXT, "WxH", "720x480", NULL, 0, 0,
     "width and height in points; with --term in letters"},
    {"zoom", "command", TLU_OPTION_NUMBER, "N", "1", NULL, 0.1, 20,
     "pixels per point (.png and .gif): 2 for screens of high density, or to make all of it "
     "larger: "
     "--size 640x360 --zoom 3 for a projector"},
    {"theme", "command", TLU_OPTION_CHOICE, "NAME", "light", "light|dark", 0, 0,
     "colours for paper and light screens, or for dark ones"},
    {"title", "command", TLU_OPTION_TEXT, "TEXT", "", NULL, 0, 0, "the title of the picture"},
    {"term", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "draw on the terminal, with Unicode blocks"},
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print one JSON object"},
    {"quiet", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print no notes"},
};

static tlu_status read_size(const char *name, const char *text, const char *example, double *width,
                            double *height, tlu_error *error)
{
    unsigned across, down;
    char end;
    if (sscanf(text, "%5u%*1[xX]%5u%c", &across, &down, &end) != 2 || !across || !down)
        return fail(error, TLU_ERROR_INPUT, "--%s takes width and height, such as %s, not '%s'",
                    name, example, text);
    *width = across;
    *height = down;
    return TLU_OK;
}

// ---- the terminal

static bool is_for_terminal(const struct arguments *arguments)
{
    return arguments_flag(arguments, "term") || strcasecmp(plot_format(arguments), "txt") == 0;
}

// With --size it has that many letters.
static void fill_terminal(const struct arguments *arguments, tlu_plot_settings *settings)
{
    const char *output = arguments_text(arguments, "output");
    bool here = !(output && *output);
    settings->theme = arguments_given(arguments, "theme") ? settings->theme : NULL;
    screen_measure(settings, here);
    if (arguments_given(arguments, "size")) {
        settings->columns = (size_t)settings->width;
        settings->lines = (size_t)settings->height;
    }
    settings->width = settings->height = 0;
    if (here && !arguments_flag(arguments, "quiet"))
        screen_note_encoding();
}

// ---- settings

static tlu_status fill_recipe(const struct arguments *arguments, tlu_recipe *recipe,
                              tlu_plot_settings *settings, tlu_error *error)
{
    tlu_status status = tlu_recipe_init(arguments_text(arguments, "truth"), recipe, error);
    if (status != TLU_OK)
        return status;
    recipe->rows = arguments_count(arguments, "rows");
    recipe->features = 2;
    if (arguments_given(arguments, "noise"))
        recipe->noise = arguments_number(arguments, "noise");
    if (option_is_given(arguments->library, "seed"))
        recipe->seed = strtoull(tlu_options_get(arguments->library, "seed"), NULL, 10);
    settings->recipe = recipe;
    settings->seeds = arguments_count(arguments, "seeds");
    return TLU_OK;
}

static tlu_status fill_image(const struct arguments *arguments, tlu_plot_settings *settings,
                             tlu_error *error)
{
    double width, height;
    tlu_status status =
        read_size("image", arguments_text(arguments, "image"), "28x28", &width, &height, error);
    if (status == TLU_OK) {
        settings->image_width = (size_t)width;
        settings->image_height = (size_t)height;
    }
    return status;
}

// A run is drawn frame by frame where that can be seen, and else side by side.
static tlu_status choose_strip(const struct arguments *arguments, tlu_plot_settings *settings,
                               tlu_error *error)
{
    const char *format = plot_format(arguments);
    if (strcmp(settings->kind, "run") != 0 || is_for_terminal(arguments) ||
        strcasecmp(format, "gif") == 0)
        return TLU_OK;
    settings->kind = "strip";
    if (*format && arguments_given(arguments, "fps"))
        return fail(error, TLU_ERROR_INPUT,
                    "--fps goes with an animation, .gif or --term: a .%s has small pictures side "
                    "by side",
                    format);
    return TLU_OK;
}

static tlu_status fill_kind(const struct arguments *arguments, tlu_recipe *recipe,
                            tlu_plot_settings *settings, tlu_error *error)
{
    if (strcmp(settings->kind, "truth") == 0)
        return fill_recipe(arguments, recipe, settings, error);
    if (strcmp(settings->kind, "image") == 0)
        return fill_image(arguments, settings, error);
    return choose_strip(arguments, settings, error);
}

static tlu_status fill(const struct arguments *arguments, tlu_recipe *recipe,
                       tlu_plot_settings *settings, tlu_error *error)
{
    tlu_status status = read_size("size", arguments_text(arguments, "size"),
                                  is_for_terminal(arguments) ? "80x24" : "720x480",
                                  &settings->width, &settings->height, error);
    if (status == TLU_OK)
        status = fill_kind(arguments, recipe, settings, error);
    if (status != TLU_OK)
        return status;
    settings->points = arguments_flag(arguments, "points");
    settings->x = arguments_text(arguments, "x");
    settings->y = arguments_text(arguments, "y");
    settings->learners = arguments_text(arguments, "learners");
    if (arguments_given(arguments, "frames"))
        settings->frames = arguments_count(arguments, "frames");
    if (arguments_given(arguments, "fps"))
        settings->fps = arguments_number(arguments, "fps");
    settings->top = (size_t)arguments_count(arguments, "top");
    settings->scale = arguments_number(arguments, "zoom");
    settings->theme = arguments_text(arguments, "theme");
    settings->title = arguments_text(arguments, "title");
    if (is_for_terminal(arguments))
        fill_terminal(arguments, settings);
    return TLU_OK;
}

// ---- drawing

static int show_progress(void *context, const tlu_progress *now)
{
    progress_show(context, now);
    return 0;
}

// Which is which is easily mistaken.
static tlu_status load_model(const struct arguments *arguments, const char *data, const char *path,
                             tlu_model **model, tlu_error *error)
{
    tlu_model *other = NULL;
    tlu_status status = tlu_model_load(path, model, error);
    if (status != TLU_ERROR_INPUT || !data || strcmp(data, "-") == 0 ||
        tlu_model_load(data, &other, NULL) != TLU_OK)
        return status;
    tlu_model_free(other);
    return fail(error, TLU_ERROR_INPUT,
                "%s is a model, and %s is not: tlu plot takes DATA first and MODEL after it",
                arguments->positional[0], arguments->positional[1]);
}

// A model where data is expected.
static tlu_status explain_data(const tlu_plot_settings *settings, tlu_status status,
                               tlu_error *error)
{
    tlu_model *model;
    struct stat found; // a pipe would be waited for
    if (status != TLU_ERROR_INPUT || !settings->path || stat(settings->path, &found) != 0 ||
        !S_ISREG(found.st_mode) || tlu_model_load(settings->path, &model, NULL) != TLU_OK)
        return status;
    tlu_model_free(model);
    return fail(error, status,
                "%s is a model, not data: tlu plot DATA %s draws what it makes of data, tlu plot "
                "--weights %s its strongest features",
                settings->path, settings->path, settings->path);
}

static tlu_status draw(const struct arguments *arguments, const char *model_path,
                       tlu_plot_settings *settings, tlu_picture **picture, tlu_error *error)
{
    tlu_model *model = NULL;
    struct progress progress;
    tlu_status status = TLU_OK;
    if (model_path)
        status = load_model(arguments, settings->path, model_path, &model, error);
    if (status == TLU_OK) {
        settings->model = model;
        progress_begin(&progress, isatty(STDERR_FILENO) && !arguments_flag(arguments, "quiet"));
        settings->progress = show_progress;
        settings->progress_context = &progress;
        status = tlu_plot(settings, arguments->library, picture, error);
        progress_end(&progress);
        status = explain_data(settings, status, error);
    }
    tlu_model_free(model);
    return status;
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    tlu_plot_settings settings = {.size = sizeof settings};
    tlu_recipe recipe = {.size = sizeof recipe};
    tlu_picture *picture = NULL;
    const char *model = NULL;
    tlu_status status = plot_check_output(arguments, error);
    for (size_t i = 0; status == TLU_OK && i < arguments->positional_count; i++)
        status = refuse_overwriting(arguments_text(arguments, "output"), arguments->positional[i],
                                    error);
    if (status == TLU_OK)
        status = plot_find_kind(arguments, &settings.kind, error);
    if (status == TLU_OK)
        status = plot_sort_arguments(arguments, settings.kind, &settings.path, &model, error);
    if (status == TLU_OK)
        status = fill(arguments, &recipe, &settings, error);
    if (status == TLU_OK)
        status = draw(arguments, model, &settings, &picture, error);
    if (status == TLU_OK)
        status = plot_give(arguments, picture, error);
    tlu_picture_free(picture);
    return status;
}

const struct verb plot_verb = {
    .name = "plot",
    .summary = "draw data, models, runs and curves as pictures",
    .description =
        "Draws rows as points, and what a model makes of the plane that they lie in: its regions, "
        "the line, the margin. Without MODEL one is learned from DATA, with the options of tlu "
        "train. With two features these are the plane; of more, --x and --y choose two, or the "
        "picture looks along the hyperplane, and the caption says so. Other pictures have an "
        "option each. The ending of the output says what is written.",
    .arguments = {{.name = "DATA",
                   .help = "data to draw, or the log of a stream",
                   .optional = true},
                  {.name = "MODEL", .help = "a trained model", .optional = true},
                  {0}},
    .groups = "reading data learning",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = {"tlu plot data/iris.csv -o iris.svg",
                 "tlu plot --run data/weather.csv --learner perceptron -o run.gif",
                 "tlu plot --truth line --seeds 100 -o truth.png", "tlu plot data/iris.csv --term"},
    .run = run,
};
