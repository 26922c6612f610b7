// tlu plot: pictures. One table lists the kinds of pictures: the arguments and options that each
// takes, and the function that draws it.
#include "cli.h"
#include "progress.h"
#include "report.h"
#include "terminal.h"
#include "tlu_plot.h"

#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FPS 4 // of frames without a duration of their own

static const tlu_option_info options[] = {
    TEXT_OPTION(
        "output", "FILE",
        "where the picture goes; the ending selects the format: .svg, .png, .pdf, .gif or .txt; "
        "svg:- (png:-, ...) is standard output"),
    FLAG_OPTION("run",
                "the training run, update by update: an animation (.gif) or a strip of pictures; "
                "without --learner, of the perceptron's last weights until it converges"),
    CHOICE_OPTION(
        "truth", "KIND", "", "line|margin|blobs|xor|circle|moons|semicircles",
        "the regions learned from a few rows of tlu generate KIND, and the true ones; without "
        "--learner, by the perceptron's last weights, rows in order, until it converges"),
    FLAG_OPTION(
        "curve",
        "accuracy on training and held-out rows (--holdout, here 0.2), and mistakes, after each "
        "of --epochs passes (here 10), of --learners or --learner"),
    FLAG_OPTION(
        "learning-curve",
        "accuracy on training and validation rows by number of training rows, with its spread "
        "over folds, of --learners or --learner"),
    COUNT_OPTION("folds", "N", "5", 2, 1e6, "folds of the cross-validation (learning-curve)"),
    TEXT_OPTION("train-sizes", "LIST",
                "numbers of training rows, or shares up to 1, separated by commas; without it "
                "0.1,0.2,...,1 (learning-curve)"),
    FLAG_OPTION("progress",
                "the accuracy of a stream over time; DATA is the log of tlu stream --log"),
    FLAG_OPTION("roc", "the ROC curve: true positive rate against false positive rate"),
    FLAG_OPTION("pr", "precision against recall"),
    FLAG_OPTION("confusion", "the confusion matrix"),
    FLAG_OPTION("calibration",
                "the reliability diagram: predicted probabilities against observed frequencies"),
    FLAG_OPTION("weights", "the strongest features of a model, as bars"),
    TEXT_OPTION(
        "image", "WxH",
        "the weights of each class as pixels, for rows that are images of W times H pixels"),
    FLAG_OPTION(
        "bounds",
        "the convergence proof: |v| and v . u along a run of the perceptron, with their bounds"),
    FLAG_OPTION(
        "game",
        "the perceptron game in two dimensions, with the examples of DATA or of --adversary: u, "
        "its margin, the radius, and each v_k with its projection on u"),
    FLAG_OPTION(
        "weight-space",
        "a run in the space of two weights: each row is a line through 0, w a moving point"),
    FLAG_OPTION(
        "growth",
        "a run of the perceptron: the length of w, its bound R sqrt(k), and the digits of the "
        "largest weight"),
    FLAG_OPTION(
        "centroids",
        "Rocchio's classifier: the means u and v, w = u - v, and the perpendicular bisector"),
    FLAG_OPTION("points", "only the points, without a model"),
    FLAG_OPTION(
        "lines",
        "also the separate lines of one versus rest (one per class) or one versus one (one per "
        "pair); without MODEL and --multiclass, one versus rest is trained"),
    FLAG_OPTION("sphere",
                "rows of two features and x3 = 1 as points on a sphere, where the line is a great "
                "circle; without MODEL and --learner, that of the perceptron's last weights"),
    FLAG_OPTION("net", "the units and weights of a multilayer perceptron"),
    TEXT_OPTION("x", "NAME", "the feature on the x axis"),
    TEXT_OPTION("y", "NAME", "the feature on the y axis"),
    TEXT_OPTION("learners", "LIST",
                "learners to compare, separated by commas, as in tlu tune (curve, learning-curve)"),
    FLAG_OPTION("adversary",
                "let tlu choose the examples, like tlu game --adversary --dimension 2 (game)"),
    TEXT_OPTION(
        "u", "U1,U2",
        "the vector u, which is divided by its length; without it, the best separator of DATA "
        "(game)"),
    NUMBER_OPTION("gamma", "G", "0.2", 0, 1e300, "the margin that --adversary keeps (game)"),
    NUMBER_OPTION("squared-radius", "R", "1", 0, 1e300,
                  "R, the bound of |x|^2 for --adversary (game)"),
    COUNT_OPTION(
        "frames", "N", "", 1, 10000,
        "maximum number of pictures of a run, evenly chosen (default 200; 12 in a strip); with "
        "--game and --weight-space, draw a strip"),
    NUMBER_OPTION("fps", "N", "", 0.01, 50,
                  "frames per second (default 4; 2 if there are at most 20 frames)"),
    COUNT_OPTION("rows", "N", "25", 2, 1e6, "training rows (truth)"),
    NUMBER_OPTION(
        "noise", "X", "", 0, 1e6,
        "the share of flipped labels; of moons and circle the spread of the points (truth)"),
    COUNT_OPTION("seeds", "N", "1", 1, 1e6,
                 "trainings on different rows, for the mean accuracy (truth)"),
    COUNT_OPTION("top", "N", "20", 1, 1000, "number of features (weights)"),
    OWN_OPTION("size", TEXT, "WxH", "720x480", NULL, 0, 0,
               "width and height in points; with --term in characters"),
    NUMBER_OPTION(
        "zoom", "N", "1", 0.1, 20,
        "pixels per point (.png and .gif): 2 for screens of high density, 3 for a projector"),
    CHOICE_OPTION("theme", "NAME", "light", "light|dark",
                  "colours for paper and light screens, or for dark ones"),
    TEXT_OPTION("title", "TEXT", "the title of the picture; '' draws none"),
    FLAG_OPTION("no-caption", "draw no caption; the command still prints it"),
    CHOICE_OPTION(
        "aspect", "MODE", "", "equal|free",
        "equal: a unit is as long on both axes; free: the rows fill the picture (default: equal "
        "unless the ranges differ much)"),
    FLAG_OPTION("term", "draw on the terminal, with Unicode characters"),
    FLAG_OPTION("json", "print one JSON object"),
    FLAG_OPTION("quiet", "print no notes"),
};

// ---- the output

static const char *output_of(const struct arguments *arguments)
{
    const char *output = arguments_text(arguments, "output");
    return output ? output : "";
}

// "svg:-"
static bool is_standard_output(const char *output)
{
    const char *colon = strchr(output, ':');
    return colon && strcmp(colon, ":-") == 0;
}

// "svg": by the ending, or by what is before ":-"; "" if the output does not specify it.
static const char *format_of(const struct arguments *arguments)
{
    const char *output = output_of(arguments), *dot = strrchr(output, '.');
    const char *before = format_text("%.*s", (int)strcspn(output, ":"), output);
    if (is_standard_output(output) && list_has("svg png pdf gif txt", ' ', before))
        return before;
    return dot ? dot + 1 : "";
}

static bool is_for_terminal(const struct arguments *arguments)
{
    return arguments_flag(arguments, "term") || strcasecmp(format_of(arguments), "txt") == 0;
}

static tlu_status check_output(const struct arguments *arguments, tlu_error *error)
{
    const char *output = output_of(arguments);
    if (!*output && !arguments_flag(arguments, "term") && !arguments->json)
        return fail_input(
            error, "plot needs a place for the picture; give -o FILE.svg (or .png, .pdf, .gif), or "
                   "--term to draw here");
    if (strcmp(output, "-") == 0 || (is_standard_output(output) && !*format_of(arguments)))
        return fail_input(
            error, "standard output needs a format; use -o svg:- (or png:-, pdf:-, gif:-, txt:-)");
    if (arguments->json && is_standard_output(output))
        return fail_input(error, "-o %s and --json cannot both have standard output; choose one",
                          output);
    return TLU_OK;
}

static void print_json(const tlu_picture *picture, const char *output)
{
    struct json json = json_open(stdout);
    const char *name;
    double value;
    json_text(&json, "output", output);
    json_text(&json, "title", tlu_picture_title(picture));
    json_text(&json, "caption", tlu_picture_caption(picture));
    json_count(&json, "frames", tlu_picture_frames(picture));
    json_label_column(&json, tlu_picture_label_column(picture), tlu_picture_label_reason(picture));
    json_object(&json, "figures");
    for (size_t i = 0; (name = tlu_picture_figure(picture, i, &value)) != NULL; i++)
        json_number(&json, name, value);
    json_end(&json);
    json_array(&json, "notices");
    for (size_t i = 0; (name = tlu_picture_notice(picture, i)) != NULL; i++)
        json_text(&json, NULL, name);
    json_end(&json);
    json_end(&json);
}

static tlu_status write_picture(const struct arguments *arguments, const tlu_picture *picture,
                                tlu_error *error)
{
    const char *output = output_of(arguments);
    bool fps = arguments_given(arguments, "fps");
    void *bytes;
    size_t size;
    if (*output && !is_standard_output(output))
        return tlu_picture_save(picture, output, error);
    if (!*output && arguments->json)
        return TLU_OK;
    if (!*output)
        return screen_show(picture, fps ? arguments_number(arguments, "fps") : FPS, error);
    TRY(tlu_picture_save_bytes(picture, format_of(arguments), &bytes, &size, error));
    fwrite(bytes, 1, size, stdout);
    tlu_bytes_free(bytes);
    return TLU_OK;
}

static tlu_status finish(const struct arguments *arguments, const tlu_picture *picture,
                         tlu_error *error)
{
    const size_t indent = 10;
    const char *output = output_of(arguments), *notice;
    TRY(write_picture(arguments, picture, error));
    if (arguments->json) {
        print_json(picture, output);
    } else if (*output && !arguments->quiet && !is_standard_output(output)) {
        printf("picture   %s\nshows     ", path_text(stdout, output));
        text_write_wrapped(stdout, tlu_picture_caption(picture), indent, indent);
        if (tlu_picture_label_column(picture))
            printf("data      %s\n", label_column_text(tlu_picture_label_column(picture),
                                                       tlu_picture_label_reason(picture)));
    }
    fflush(stdout); // notes follow the picture
    if (arguments->json || arguments->quiet)
        return TLU_OK;
    for (size_t i = 0; (notice = tlu_picture_notice(picture, i)) != NULL; i++)
        fprintf(stderr, "note: %s\n", notice);
    return TLU_OK;
}

// ---- drawing, one function per kind

struct request {
    const struct arguments *arguments;
    const char *data, *model_path; // NULL: not given
    tlu_model *model;
    tlu_model **more; // [model_count] all models, if there are several; the first is `model`
    const char **names;
    size_t model_count;
    double *sizes; // of --train-sizes; NULL: not given
    tlu_picture_style style;
    struct progress progress;
};
typedef tlu_status draw_function(struct request *request, tlu_picture **picture, tlu_error *error);

static tlu_status read_size(const char *name, const char *text, const char *example, double *width,
                            double *height, tlu_error *error)
{
    unsigned across, down;
    char end;
    if (sscanf(text, "%5u%*1[xX]%5u%c", &across, &down, &end) != 2 || !across || !down)
        return fail_input(error, "--%s takes width and height, such as %s, not '%s'", name, example,
                          text);
    *width = across;
    *height = down;
    return TLU_OK;
}

static int show_progress(void *context, const tlu_progress *now)
{
    progress_show(context, now);
    return 0;
}

static tlu_status draw_data(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    const tlu_plot_data_settings settings = {.size = sizeof settings,
                                             .path = request->data,
                                             .model = request->model,
                                             .points_only = arguments_flag(arguments, "points"),
                                             .x = arguments_text(arguments, "x"),
                                             .y = arguments_text(arguments, "y"),
                                             .progress = show_progress,
                                             .progress_context = &request->progress,
                                             .lines = arguments_flag(arguments, "lines"),
                                             .models = (const tlu_model *const *)request->more,
                                             .names = request->names,
                                             .model_count = request->model_count};
    return tlu_plot_data(&settings, arguments->library, &request->style, picture, error);
}

static tlu_status draw_sphere(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    const tlu_plot_data_settings settings = {.size = sizeof settings,
                                             .path = request->data,
                                             .model = request->model,
                                             .x = arguments_text(arguments, "x"),
                                             .y = arguments_text(arguments, "y"),
                                             .progress = show_progress,
                                             .progress_context = &request->progress};
    return tlu_plot_sphere(&settings, arguments->library, &request->style, picture, error);
}

// GIF files and terminals show the frames one after the other, other files side by side.
static tlu_status draw_run(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    const char *format = format_of(arguments);
    bool fps = arguments_given(arguments, "fps");
    tlu_plot_run_settings settings = {.size = sizeof settings,
                                      .path = request->data,
                                      .strip = !is_for_terminal(arguments) &&
                                               strcasecmp(format, "gif") != 0,
                                      .x = arguments_text(arguments, "x"),
                                      .y = arguments_text(arguments, "y")};
    if (settings.strip && *format && fps)
        return fail_input(
            error,
            "--fps applies to animations (.gif or --term): a .%s has small pictures side "
            "by side",
            format);
    if (arguments_given(arguments, "frames"))
        settings.frames = arguments_count(arguments, "frames");
    if (fps)
        settings.fps = arguments_number(arguments, "fps");
    return tlu_plot_run(&settings, arguments->library, &request->style, picture, error);
}

// How the pictures of a run are arranged: an animation, a strip if --frames asks for one, or one
// picture.
struct run_form {
    int animation, strip;
    uint64_t frames;
    double fps;
};

static tlu_status find_form(const struct arguments *arguments, struct run_form *form,
                            tlu_error *error)
{
    const char *format = format_of(arguments);
    bool frames = arguments_given(arguments, "frames"), fps = arguments_given(arguments, "fps");
    form->animation = is_for_terminal(arguments) || strcasecmp(format, "gif") == 0;
    form->strip = !form->animation && frames;
    form->frames = frames ? arguments_count(arguments, "frames") : 0;
    form->fps = fps ? arguments_number(arguments, "fps") : 0;
    if (fps && !form->animation && *format)
        return fail_input(
            error, "--fps applies to animations (.gif or --term): a .%s has one picture", format);
    return TLU_OK;
}

// "0.6,0.8" as two numbers.
static tlu_status read_u(const char *text, double u[2], tlu_error *error)
{
    char end;
    if (sscanf(text, "%lf ,%lf %c", &u[0], &u[1], &end) != 2 || !isfinite(u[0]) ||
        !isfinite(u[1]) || (u[0] == 0 && u[1] == 0))
        return fail_input(
            error, "--u takes two numbers that are not both 0, such as 0.6,0.8, not '%.60s'", text);
    return TLU_OK;
}

static tlu_status draw_game(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    bool adversary = arguments_flag(arguments, "adversary");
    static const char *const rules[] = {"gamma", "squared-radius"};
    struct run_form form;
    double u[2];
    if (adversary && request->data)
        return fail_input(error, "--adversary chooses the examples itself; remove '%.200s'",
                          request->data);
    if (!adversary && !request->data)
        return fail_input(error, "--game needs DATA or --adversary; see tlu plot --help");
    for (size_t i = 0; i < COUNT_OF(rules) && !adversary; i++)
        if (arguments_given(arguments, rules[i]))
            return fail_input(
                error, "--%s applies to --adversary: the examples of DATA determine it", rules[i]);
    for (size_t i = 0; i < COUNT_OF(rules) && adversary; i++)
        if (!(arguments_number(arguments, rules[i]) > 0)) // 0 is the default in the settings
            return fail_input(error, "--%s must be above 0", rules[i]);
    TRY(find_form(arguments, &form, error));
    if (arguments_given(arguments, "u"))
        TRY(read_u(arguments_text(arguments, "u"), u, error));
    const tlu_plot_game_settings settings = {
        .size = sizeof settings,
        .path = request->data,
        .u = arguments_given(arguments, "u") ? u : NULL,
        .gamma = adversary ? arguments_number(arguments, "gamma") : 0,
        .squared_radius = adversary ? arguments_number(arguments, "squared-radius") : 0,
        .animation = form.animation,
        .strip = form.strip,
        .frames = form.frames,
        .fps = form.fps};
    return tlu_plot_game(&settings, arguments->library, &request->style, picture, error);
}

static tlu_status draw_weight_space(struct request *request, tlu_picture **picture,
                                    tlu_error *error)
{
    struct run_form form;
    TRY(find_form(request->arguments, &form, error));
    const tlu_plot_weight_space_settings settings = {.size = sizeof settings,
                                                     .path = request->data,
                                                     .animation = form.animation,
                                                     .strip = form.strip,
                                                     .frames = form.frames,
                                                     .fps = form.fps};
    return tlu_plot_weight_space(&settings, request->arguments->library, &request->style, picture,
                                 error);
}

static tlu_status draw_truth(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    tlu_recipe recipe = {.size = sizeof recipe};
    const tlu_plot_truth_settings settings = {.size = sizeof settings,
                                              .recipe = &recipe,
                                              .seeds = arguments_count(arguments, "seeds"),
                                              .progress = show_progress,
                                              .progress_context = &request->progress};
    TRY(tlu_recipe_init(arguments_text(arguments, "truth"), &recipe, error));
    recipe.rows = arguments_count(arguments, "rows");
    recipe.features = 2;
    if (arguments_given(arguments, "noise"))
        recipe.noise = arguments_number(arguments, "noise");
    if (option_is_given(arguments->library, "seed"))
        recipe.seed = strtoull(tlu_options_get(arguments->library, "seed"), NULL, 10);
    return tlu_plot_truth(&settings, arguments->library, &request->style, picture, error);
}

static tlu_status draw_curve(struct request *request, tlu_picture **picture, tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    const tlu_plot_learning_curve_settings settings = {.size = sizeof settings,
                                                       .path = request->data,
                                                       .learners =
                                                           arguments_text(arguments, "learners"),
                                                       .progress = show_progress,
                                                       .progress_context = &request->progress};
    return tlu_plot_learning_curve(&settings, arguments->library, &request->style, picture, error);
}

// "0.1,0.5,200" as numbers; *sizes is NULL without the option.
static tlu_status read_sizes(const char *text, double **sizes, size_t *count, tlu_error *error)
{
    *sizes = NULL;
    *count = 0;
    if (!text)
        return TLU_OK;
    *sizes = need(calloc(strlen(text) / 2 + 1, sizeof **sizes));
    for (const char *at = text;; at++) {
        char *end;
        double size = strtod(at, &end);
        if (end == at || (*end != ',' && *end) || !(size > 0) || !isfinite(size))
            return fail_input(error,
                              "--train-sizes takes numbers above 0, separated by commas, such as "
                              "0.1,0.5,1 or 100,1000, not '%s'",
                              text_clip(text, 60));
        (*sizes)[(*count)++] = size;
        at = end;
        if (!*at)
            return TLU_OK;
    }
}

static tlu_status draw_learning_curve(struct request *request, tlu_picture **picture,
                                      tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    tlu_plot_training_size_settings settings = {.size = sizeof settings,
                                                .path = request->data,
                                                .learners = arguments_text(arguments, "learners"),
                                                .folds = arguments_count(arguments, "folds"),
                                                .progress = show_progress,
                                                .progress_context = &request->progress};
    TRY(read_sizes(arguments_text(arguments, "train-sizes"), &request->sizes, &settings.size_count,
                   error));
    settings.sizes = request->sizes;
    return tlu_plot_training_size(&settings, arguments->library, &request->style, picture, error);
}

static tlu_status draw_bounds(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_bounds(request->data, request->arguments->library, &request->style, picture,
                           error);
}

static tlu_status draw_growth(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_growth(request->data, request->arguments->library, &request->style, picture,
                           error);
}

static tlu_status draw_centroids(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_centroids(request->data, request->arguments->library, &request->style, picture,
                              error);
}

static tlu_status draw_progress(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_progress(request->data, &request->style, picture, error);
}

#define DRAW_MODEL_ON_DATA(kind, function)                                                         \
    static tlu_status draw_##kind(struct request *request, tlu_picture **picture,                  \
                                  tlu_error *error)                                                \
    {                                                                                              \
        return function(request->model, request->data, request->arguments->library,                \
                        &request->style, picture, error);                                          \
    }
DRAW_MODEL_ON_DATA(roc, tlu_plot_roc)
DRAW_MODEL_ON_DATA(pr, tlu_plot_precision_recall)
DRAW_MODEL_ON_DATA(confusion, tlu_plot_confusion)
DRAW_MODEL_ON_DATA(calibration, tlu_plot_calibration)

static tlu_status draw_weights(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_weights(request->model, (size_t)arguments_count(request->arguments, "top"),
                            &request->style, picture, error);
}

static tlu_status draw_net(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_net(request->model, &request->style, picture, error);
}

static tlu_status draw_image(struct request *request, tlu_picture **picture, tlu_error *error)
{
    double width, height;
    TRY(read_size("image", arguments_text(request->arguments, "image"), "28x28", &width, &height,
                  error));
    return tlu_plot_weight_image(request->model, (size_t)width, (size_t)height, &request->style,
                                 picture, error);
}

// ---- kinds: which arguments and options each takes

struct plot_kind {
    const char *name; // the option that selects it; "data" has none
    bool data, model; // takes the argument
    const char *own;  // options that only some kinds take
    const char *used; // options of the library: groups and names
    const char *why;  // reason for refusing the others
    draw_function *draw;
};

#define READS "reading"
#define TRAINS "reading data learning"
#define TRAINED "the model is already trained"

static const struct plot_kind kinds[] = {
    {"data", true, true, "points lines x y aspect", TRAINS, "", draw_data},
    {"sphere", true, true, "x y", TRAINS, "", draw_sphere},
    {"run", true, false, "x y frames fps aspect", TRAINS, "", draw_run},
    {"truth", false, false, "rows noise seeds aspect", "learning scale", "its rows are generated",
     draw_truth},
    {"curve", true, false, "learners", TRAINS, "", draw_curve},
    {"learning-curve", true, false, "learners folds train-sizes", TRAINS, "", draw_learning_curve},
    {"progress", true, false, "", "", "the log is drawn as it is", draw_progress},
    {"roc", true, true, "", READS, TRAINED, draw_roc},
    {"pr", true, true, "", READS, TRAINED, draw_pr},
    {"confusion", true, true, "", READS, TRAINED, draw_confusion},
    {"calibration", true, true, "", READS, TRAINED, draw_calibration},
    {"weights", false, true, "top", "", TRAINED, draw_weights},
    {"image", false, true, "", "", TRAINED, draw_image},
    {"net", false, true, "", "", TRAINED, draw_net},
    {"bounds", true, false, "", TRAINS, "", draw_bounds},
    {"game", true, false, "adversary u gamma squared-radius frames fps", TRAINS, "", draw_game},
    {"weight-space", true, false, "frames fps", TRAINS, "", draw_weight_space},
    {"growth", true, false, "", TRAINS, "", draw_growth},
    {"centroids", true, false, "aspect", TRAINS, "", draw_centroids},
};
static const struct plot_kind *const data_kind = &kinds[0];

// Options that only some kinds take.
static const char *const particular[] = {
    "points",         "lines",  "x",     "y",          "learners", "frames", "fps",
    "rows",           "noise",  "seeds", "top",        "u",        "gamma",  "adversary",
    "squared-radius", "aspect", "folds", "train-sizes"};
// Options of the library that all kinds take.
static const char always[] = "threads memory";

// "--run", or "a picture of data", which no option selects.
static const char *kind_text(const struct plot_kind *kind)
{
    return format_text("%s%s", kind == data_kind ? "a picture of " : "--", kind->name);
}

static bool is_selected(const struct arguments *arguments, const struct plot_kind *kind)
{
    if (kind->draw == draw_truth || kind->draw == draw_image)
        return arguments_given(arguments, kind->name);
    return kind != data_kind && arguments_flag(arguments, kind->name);
}

static tlu_status find_kind(const struct arguments *arguments, const struct plot_kind **kind,
                            tlu_error *error)
{
    *kind = NULL;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (!is_selected(arguments, &kinds[i]))
            continue;
        if (*kind)
            return fail_input(error, "--%s and --%s are different kinds of pictures; choose one",
                              (*kind)->name, kinds[i].name);
        *kind = &kinds[i];
    }
    if (!*kind)
        *kind = data_kind;
    return TLU_OK;
}

static tlu_status refuse_own(const char *option, const struct plot_kind *kind, tlu_error *error)
{
    const char *others = "";
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (list_has(kinds[i].own, ' ', option))
            others = format_text("%s%s%s", others, *others ? " or " : "", kind_text(&kinds[i]));
    return fail_input(error, "--%s applies to %s, not to %s", option, others, kind_text(kind));
}

static tlu_status check_library(const struct arguments *arguments, const char *used,
                                const char *what, const char *why, tlu_error *error)
{
    const tlu_option_info *info;
    for (size_t i = 0; (info = tlu_option_at(i)) != NULL; i++)
        if (option_is_given(arguments->library, info->name) && !list_has(used, ' ', info->group) &&
            !list_has(used, ' ', info->name) && !list_has(always, ' ', info->name))
            return fail_input(error, "--%s cannot be combined with %s: %s", info->name, what, why);
    return TLU_OK;
}

// Whether the kind trains a model if none is given.
static bool trains(const struct plot_kind *kind)
{
    return kind->data && kind->model && strcmp(kind->used, TRAINS) == 0;
}

static tlu_status check_options(const struct arguments *arguments, const struct plot_kind *kind,
                                const char *model, tlu_error *error)
{
    bool points = arguments_flag(arguments, "points");
    for (size_t i = 0; i < COUNT_OF(particular); i++)
        if (arguments_given(arguments, particular[i]) && !list_has(kind->own, ' ', particular[i]))
            return refuse_own(particular[i], kind, error);
    if (points && arguments_flag(arguments, "lines"))
        return fail_input(error, "--lines draws a model and --points draws none; choose one");
    if (points && model)
        return fail_input(error, "--points draws no model; remove '%.200s' or --points", model);
    if (points)
        return check_library(arguments, "reading data", "--points", "no model is trained", error);
    if (model && trains(kind))
        return check_library(arguments, READS, "MODEL", TRAINED, error);
    return check_library(arguments, kind->used, kind_text(kind), kind->why, error);
}

// ---- arguments: DATA MODEL..., or MODEL alone

static size_t word_count(const struct arguments *arguments)
{
    return arguments->positional_count + arguments->repeated_count;
}

static const char *word_at(const struct arguments *arguments, size_t index)
{
    return index == 0 ? arguments->positional[0] : arguments->repeated[index - 1];
}

// Several models are drawn as lines.
static tlu_status check_several(const struct arguments *arguments, tlu_error *error)
{
    static const char *const alone[] = {"points", "lines"};
    for (size_t i = 0; i < COUNT_OF(alone); i++)
        if (arguments_flag(arguments, alone[i]))
            return fail_input(error, "--%s cannot be combined with several models; remove '%s'",
                              alone[i], text_clip(word_at(arguments, 2), 60));
    return TLU_OK;
}

static tlu_status check_arguments(const struct arguments *arguments, const struct plot_kind *kind,
                                  tlu_error *error)
{
    size_t count = word_count(arguments), most = (size_t)kind->data + kind->model;
    const char *shown = count > most ? text_clip(word_at(arguments, most), 60) : "";
    const char *log = kind->draw == draw_progress ? "the log of tlu stream --log" : NULL;
    const char *name = kind_text(kind);
    if (count >= 2 && strcmp(word_at(arguments, 0), "-") == 0 &&
        strcmp(word_at(arguments, 1), "-") == 0)
        return fail_input(
            error, "DATA and MODEL cannot both be standard input (-); name a file for one of them");
    if (count > most && kind == data_kind)
        return check_several(arguments, error);
    if (count > most && most == 0)
        return fail_input(error, "%s generates its rows; remove '%s'", name, shown);
    if (count > most)
        return fail_input(error, "%s takes only %s; remove '%s'", name,
                          log                         ? log
                          : kind->model && kind->data ? "DATA and MODEL"
                          : kind->model               ? "MODEL"
                                                      : "DATA",
                          shown);
    if (count == 0 && kind->draw == draw_game)
        return TLU_OK; // --adversary needs no data
    if (count == 0 && most > 0)
        return fail_input(error, "%s needs %s; see tlu plot --help", name,
                          log                            ? log
                          : kind == data_kind            ? "DATA (or --truth KIND)"
                          : !kind->data                  ? "MODEL"
                          : kind->model && !trains(kind) ? "DATA and MODEL"
                                                         : "DATA");
    if (count == 1 && most == 2 && !trains(kind))
        return fail_input(error,
                          "%s needs a model: %s DATA MODEL; tlu train DATA -o MODEL makes one",
                          name, name);
    return TLU_OK;
}

static tlu_status take_arguments(struct request *request, const struct plot_kind *kind,
                                 tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    TRY(check_arguments(arguments, kind, error));
    size_t next = 0;
    if (kind->data && word_count(arguments) > 0)
        request->data = word_at(arguments, next++);
    if (kind->model && next < word_count(arguments))
        request->model_path = word_at(arguments, next);
    return check_options(arguments, kind, request->model_path, error);
}

// ---- all of it

static tlu_status fill_style(struct request *request, tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    tlu_picture_style *style = &request->style;
    bool terminal = is_for_terminal(arguments), here = !*output_of(arguments);
    TRY(read_size("size", arguments_text(arguments, "size"), terminal ? "80x24" : "720x480",
                  &style->width, &style->height, error));
    style->scale = arguments_number(arguments, "zoom");
    style->theme = arguments_text(arguments, "theme");
    style->title = arguments_text(arguments, "title");
    style->no_caption = arguments_flag(arguments, "no-caption");
    style->aspect = arguments_text(arguments, "aspect");
    if (!terminal)
        return TLU_OK;
    style->theme = arguments_given(arguments, "theme") ? style->theme : NULL;
    screen_measure(style, here);
    if (arguments_given(arguments, "size")) {
        style->columns = (size_t)style->width;
        style->lines = (size_t)style->height;
    }
    style->width = style->height = 0;
    if (here && !arguments->quiet)
        screen_note_encoding();
    return TLU_OK;
}

// Users easily confuse the order of the two arguments.
static tlu_status load_model(struct request *request, tlu_error *error)
{
    tlu_model *other = NULL;
    tlu_status status = tlu_model_load(request->model_path, &request->model, error);
    if (status != TLU_ERROR_INPUT || !request->data || strcmp(request->data, "-") == 0 ||
        tlu_model_load(request->data, &other, NULL) != TLU_OK)
        return status;
    tlu_model_free(other);
    return fail_input(error, "%s is a model, and %s is not: expected DATA first, then MODEL",
                      request->data, request->model_path);
}

// The name of "runs/first.tlu" is "first", unless another model has the same name.
static const char *model_name(const struct arguments *arguments, size_t index)
{
    const char *path = word_at(arguments, index), *slash = strrchr(path, '/');
    const char *file = slash && slash[1] ? slash + 1 : path, *dot = strrchr(file, '.');
    const char *name =
        format_text("%.*s", (int)(dot && dot > file ? dot - file : (long)strlen(file)), file);
    for (size_t i = 1; i < word_count(arguments); i++) {
        const char *other = word_at(arguments, i), *cut = strrchr(other, '/');
        const char *rest = cut && cut[1] ? cut + 1 : other;
        size_t length = strlen(name);
        if (i != index && strncmp(rest, name, length) == 0 &&
            (rest[length] == '\0' || rest[length] == '.'))
            return path;
    }
    return name;
}

static tlu_status load_more(struct request *request, tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    size_t count = word_count(arguments) - 1; // after DATA
    request->more = need(calloc(count, sizeof *request->more));
    request->names = need(calloc(count, sizeof *request->names));
    request->more[0] = request->model;
    request->names[0] = model_name(arguments, 1);
    request->model_count = 1;
    for (size_t i = 1; i < count; i++) {
        TRY(tlu_model_load(word_at(arguments, i + 1), &request->more[i], error));
        request->names[i] = model_name(arguments, i + 1);
        request->model_count++;
    }
    return TLU_OK;
}

// Replaces the error if the data is a model. (Opening a pipe could block.)
static tlu_status explain_error(const char *data, tlu_status status, tlu_error *error)
{
    tlu_model *model;
    struct stat found;
    if (status != TLU_ERROR_INPUT || !data || stat(data, &found) != 0 || !S_ISREG(found.st_mode) ||
        tlu_model_load(data, &model, NULL) != TLU_OK)
        return status;
    tlu_model_free(model);
    return fail(error, status,
                "%s is a model, not data: tlu plot DATA %s draws its predictions on data, tlu plot "
                "--weights %s draws its strongest features",
                data, data, data);
}

static void close_request(struct request *request)
{
    tlu_model_free(request->model);
    for (size_t i = 1; i < request->model_count; i++)
        tlu_model_free(request->more[i]);
    free(request->more);
    free(request->sizes);
    free(request->names);
}

OWNED_TYPE(tlu_picture, tlu_picture_free)

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    CLEANUP(close_request)
    struct request request = {.arguments = arguments, .style.size = sizeof request.style};
    const struct plot_kind *kind = NULL;
    OWNED(tlu_picture) picture = NULL;
    TRY(check_output(arguments, error));
    for (size_t i = 0; i < word_count(arguments); i++)
        TRY(refuse_overwriting(output_of(arguments), word_at(arguments, i), error));
    TRY(find_kind(arguments, &kind, error));
    TRY(take_arguments(&request, kind, error));
    TRY(fill_style(&request, error));
    if (request.model_path)
        TRY(load_model(&request, error));
    if (word_count(arguments) > 2)
        TRY(load_more(&request, error));
    progress_begin(&request.progress, isatty(STDERR_FILENO) && !arguments->quiet);
    tlu_status status = kind->draw(&request, &picture, error);
    progress_end(&request.progress);
    TRY(explain_error(request.data, status, error));
    return finish(arguments, picture, error);
}

const struct verb plot_verb = {
    .name = "plot",
    .summary = "draw data, models, runs and curves as pictures",
    .description =
        "Draws rows as points, and a model in the plane of the picture: its regions, its line and "
        "its margin. Without MODEL, one is trained on DATA with the options of tlu train. Two "
        "features are the axes; of more, --x and --y select two, or the picture shows a "
        "projection that the caption describes. Several models are drawn as lines in one plane, "
        "each with its margin. Options such as --run select other kinds of picture. The ending of "
        "the output selects the format.",
    .arguments = {{"DATA", .help = "data to draw, or the log of a stream", .optional = true},
                  {"MODEL...",
                   .help = "a trained model; several are drawn as lines with their margins",
                   .optional = true, .repeated = true}},
    .groups = "reading data learning",
    .common = "output learning-curve confusion roc size",
    .sections = {{"Other kinds of pictures",
                  "run truth curve progress pr calibration weights image bounds game weight-space "
                  "growth centroids points lines sphere net"},
                 {"Options of single kinds",
                  "folds train-sizes x y learners adversary u gamma squared-radius frames fps rows "
                  "noise seeds top"},
                 {"Options of the picture", "zoom theme title no-caption aspect term"}},
    OPTIONS(options),
    .examples = {"tlu plot data/iris.csv -o iris.svg",
                 "tlu plot --run data/weather.csv --learner perceptron -o run.gif",
                 "tlu plot --truth line --seeds 100 -o truth.png",
                 "tlu plot --game --adversary -o game.gif", "tlu plot data/iris.csv --term"},
    .run = run,
};
