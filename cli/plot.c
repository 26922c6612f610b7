// tlu plot: pictures. One table lists the kinds of pictures: the arguments and options that each
// takes, and the function that draws it.
#include "arguments.h"
#include "json.h"
#include "progress.h"
#include "terminal.h"
#include "text.h"
#include "tlu_plot.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FPS 4 // of frames without a duration of their own
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const tlu_option_info options[] = {
    {"output", "command", TLU_OPTION_TEXT, "FILE", "", NULL, 0, 0,
     "where the picture goes; its ending selects the format: .svg, .png, .pdf, .gif or .txt; svg:- "
     "(png:-, ...) is standard output"},
    {"run", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the training run, update by update: an animation (.gif) or a strip of small pictures; "
     "without --learner, of the perceptron with the last weights until it converges"},
    {"truth", "command", TLU_OPTION_CHOICE, "KIND", "", "line|margin|blobs|xor|circle|moons", 0, 0,
     "the regions learned from a few rows of tlu generate KIND, compared with the true ones; "
     "without --learner, by the perceptron with the last weights, rows in order, until it "
     "converges"},
    {"curve", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the learning curve: accuracy on training and held-out rows (--holdout, here 0.2), and "
     "mistakes, after each of --epochs passes (here 10), of --learners or --learner"},
    {"progress", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the accuracy of a stream over time; DATA is the log of tlu stream --log"},
    {"roc", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the ROC curve: true positive rate against false positive rate"},
    {"pr", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "precision against recall"},
    {"confusion", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "the confusion matrix"},
    {"calibration", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the reliability diagram: predicted probabilities against observed frequencies"},
    {"weights", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the strongest features of a model, as bars"},
    {"image", "command", TLU_OPTION_TEXT, "WxH", "", NULL, 0, 0,
     "the weights of each class as pixels, for rows that are images of W times H pixels"},
    {"bounds", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "the convergence proof: |v| and v . u along a run of the perceptron, and their bounds"},
    {"points", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "only the points, without a model"},
    {"x", "command", TLU_OPTION_TEXT, "NAME", "", NULL, 0, 0, "the feature on the x axis"},
    {"y", "command", TLU_OPTION_TEXT, "NAME", "", NULL, 0, 0, "the feature on the y axis"},
    {"learners", "command", TLU_OPTION_TEXT, "LIST", "", NULL, 0, 0,
     "learners to compare (curve): names separated by commas, as in tlu tune"},
    {"frames", "command", TLU_OPTION_COUNT, "N", "", NULL, 1, 10000,
     "maximum number of pictures of a run, evenly chosen (default 200; of a strip 12)"},
    {"fps", "command", TLU_OPTION_NUMBER, "N", "", NULL, 0.01, 50,
     "frames per second (default 4; 2 if there are at most 20 frames)"},
    {"rows", "command", TLU_OPTION_COUNT, "N", "25", NULL, 2, 1e6, "training rows (truth)"},
    {"noise", "command", TLU_OPTION_NUMBER, "X", "", NULL, 0, 1e6,
     "the share of flipped labels; for moons and circle the spread of the points (truth)"},
    {"seeds", "command", TLU_OPTION_COUNT, "N", "1", NULL, 1, 1e6,
     "number of trainings on different rows, for the mean accuracy (truth)"},
    {"top", "command", TLU_OPTION_COUNT, "N", "20", NULL, 1, 1000, "number of features (weights)"},
    {"size", "command", TLU_OPTION_TEXT, "WxH", "720x480", NULL, 0, 0,
     "width and height in points; with --term in characters"},
    {"zoom", "command", TLU_OPTION_NUMBER, "N", "1", NULL, 0.1, 20,
     "pixels per point (.png and .gif): 2 for screens of high density; --size 640x360 --zoom 3 for "
     "a projector"},
    {"theme", "command", TLU_OPTION_CHOICE, "NAME", "light", "light|dark", 0, 0,
     "colours for paper and light screens, or for dark ones"},
    {"title", "command", TLU_OPTION_TEXT, "TEXT", "", NULL, 0, 0, "the title of the picture"},
    {"term", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0,
     "draw on the terminal, with Unicode characters"},
    {"json", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print one JSON object"},
    {"quiet", "command", TLU_OPTION_FLAG, NULL, "no", NULL, 0, 0, "print no notes"},
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
    static const char *const formats[] = {"svg", "png", "pdf", "gif", "txt"};
    const char *output = output_of(arguments), *dot = strrchr(output, '.');
    for (size_t i = 0; i < COUNT(formats); i++)
        if (is_standard_output(output) && strncmp(output, formats[i], 3) == 0 && output[3] == ':')
            return formats[i];
    return dot ? dot + 1 : "";
}

static bool is_for_terminal(const struct arguments *arguments)
{
    return arguments_flag(arguments, "term") || strcasecmp(format_of(arguments), "txt") == 0;
}

static tlu_status check_output(const struct arguments *arguments, tlu_error *error)
{
    const char *output = output_of(arguments);
    bool json = arguments_flag(arguments, "json");
    if (!*output && !arguments_flag(arguments, "term") && !json)
        return fail(error, TLU_ERROR_INPUT,
                    "where should the picture go? -o FILE.svg (or .png, .pdf, .gif) writes a file, "
                    "--term draws here");
    if (strcmp(output, "-") == 0 || (is_standard_output(output) && !*format_of(arguments)))
        return fail(error, TLU_ERROR_INPUT,
                    "standard output needs a format: use -o svg:- (or png:-, pdf:-, gif:-, txt:-)");
    if (json && is_standard_output(output))
        return fail(error, TLU_ERROR_INPUT,
                    "-o %s and --json cannot both have standard output: expected one of them",
                    output);
    return TLU_OK;
}

static void print_json(const tlu_picture *picture, const char *output)
{
    struct json json = {.file = stdout};
    const char *name;
    double value;
    json_object(&json, NULL);
    json_text(&json, "output", output);
    json_text(&json, "title", tlu_picture_title(picture));
    json_text(&json, "caption", tlu_picture_caption(picture));
    json_count(&json, "frames", tlu_picture_frames(picture));
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
    if (*output && !is_standard_output(output))
        return tlu_picture_save(picture, output, error);
    if (!*output)
        return arguments_flag(arguments, "json")
                   ? TLU_OK
                   : screen_show(picture, fps ? arguments_number(arguments, "fps") : FPS, error);
    void *bytes;
    size_t size;
    tlu_status status = tlu_picture_save_bytes(picture, format_of(arguments), &bytes, &size, error);
    if (status == TLU_OK) {
        fwrite(bytes, 1, size, stdout);
        tlu_bytes_free(bytes);
    }
    return status;
}

static tlu_status finish(const struct arguments *arguments, const tlu_picture *picture,
                         tlu_error *error)
{
    const size_t indent = 10;
    const char *output = output_of(arguments), *notice;
    bool json = arguments_flag(arguments, "json"), quiet = arguments_flag(arguments, "quiet");
    tlu_status status = write_picture(arguments, picture, error);
    if (status != TLU_OK)
        return status;
    if (json) {
        print_json(picture, output);
    } else if (*output && !quiet && !is_standard_output(output)) {
        printf("picture   %s\nshows     ", path_text(stdout, output));
        text_write_wrapped(stdout, tlu_picture_caption(picture), indent, indent);
    }
    fflush(stdout); // notes follow the picture
    for (size_t i = 0; !json && !quiet && (notice = tlu_picture_notice(picture, i)) != NULL; i++)
        fprintf(stderr, "note: %s\n", notice);
    return TLU_OK;
}

// ---- drawing, one function per kind

struct request {
    const struct arguments *arguments;
    const char *data, *model_path; // NULL: not given
    tlu_model *model;
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
        return fail(error, TLU_ERROR_INPUT, "--%s takes width and height, such as %s, not '%s'",
                    name, example, text);
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
                                             .progress_context = &request->progress};
    return tlu_plot_data(&settings, arguments->library, &request->style, picture, error);
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
        return fail(error, TLU_ERROR_INPUT,
                    "--fps applies to animations (.gif or --term): a .%s has small pictures side "
                    "by side",
                    format);
    if (arguments_given(arguments, "frames"))
        settings.frames = arguments_count(arguments, "frames");
    if (fps)
        settings.fps = arguments_number(arguments, "fps");
    return tlu_plot_run(&settings, arguments->library, &request->style, picture, error);
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
    tlu_status status = tlu_recipe_init(arguments_text(arguments, "truth"), &recipe, error);
    if (status != TLU_OK)
        return status;
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

static tlu_status draw_bounds(struct request *request, tlu_picture **picture, tlu_error *error)
{
    return tlu_plot_bounds(request->data, request->arguments->library, &request->style, picture,
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

static tlu_status draw_image(struct request *request, tlu_picture **picture, tlu_error *error)
{
    double width, height;
    tlu_status status = read_size("image", arguments_text(request->arguments, "image"), "28x28",
                                  &width, &height, error);
    if (status != TLU_OK)
        return status;
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
    {"data", true, true, "points x y", TRAINS, "", draw_data},
    {"run", true, false, "x y frames fps", TRAINS, "", draw_run},
    {"truth", false, false, "rows noise seeds", "learning scale", "its rows are generated",
     draw_truth},
    {"curve", true, false, "learners", TRAINS, "", draw_curve},
    {"progress", true, false, "", "", "the log is drawn as it is", draw_progress},
    {"roc", true, true, "", READS, TRAINED, draw_roc},
    {"pr", true, true, "", READS, TRAINED, draw_pr},
    {"confusion", true, true, "", READS, TRAINED, draw_confusion},
    {"calibration", true, true, "", READS, TRAINED, draw_calibration},
    {"weights", false, true, "top", "", TRAINED, draw_weights},
    {"image", false, true, "", "", TRAINED, draw_image},
    {"bounds", true, false, "", TRAINS, "", draw_bounds},
};
static const struct plot_kind *const data_kind = &kinds[0];

// Options that only some kinds take.
static const char *const particular[] = {"points", "x",    "y",     "learners", "frames",
                                         "fps",    "rows", "noise", "seeds",    "top"};
// Options of the library that all kinds take.
static const char always[] = "threads memory";

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, word, length) == 0)
            return true;
    return false;
}

// "--run", or "a picture of data", which no option selects.
#define SHOWN_SIZE 40
static const char *show_kind(char out[SHOWN_SIZE], const struct plot_kind *kind)
{
    snprintf(out, SHOWN_SIZE, "%s%.20s", kind == data_kind ? "a picture of " : "--", kind->name);
    return out;
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
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!is_selected(arguments, &kinds[i]))
            continue;
        if (*kind)
            return fail(error, TLU_ERROR_INPUT,
                        "--%s and --%s are different kinds of pictures: expected one of them",
                        (*kind)->name, kinds[i].name);
        *kind = &kinds[i];
    }
    if (!*kind)
        *kind = data_kind;
    return TLU_OK;
}

static tlu_status refuse_own(const char *option, const struct plot_kind *kind, tlu_error *error)
{
    char shown[SHOWN_SIZE], takes[SHOWN_SIZE], others[4 * SHOWN_SIZE] = "";
    size_t used = 0;
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (has_word(kinds[i].own, option) && used < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s",
                                     used ? " or " : "", show_kind(takes, &kinds[i]));
    return fail(error, TLU_ERROR_INPUT, "--%s applies to %s, not to %s", option, others,
                show_kind(shown, kind));
}

static tlu_status check_library(const struct arguments *arguments, const char *used,
                                const char *what, const char *why, tlu_error *error)
{
    const tlu_option_info *info;
    for (size_t i = 0; (info = tlu_option_at(i)) != NULL; i++)
        if (option_is_given(arguments->library, info->name) && !has_word(used, info->group) &&
            !has_word(used, info->name) && !has_word(always, info->name))
            return fail(error, TLU_ERROR_INPUT, "--%s cannot be combined with %s: %s", info->name,
                        what, why);
    return TLU_OK;
}

static tlu_status check_options(const struct arguments *arguments, const struct plot_kind *kind,
                                const char *model, tlu_error *error)
{
    char shown[SHOWN_SIZE];
    bool points = arguments_flag(arguments, "points");
    for (size_t i = 0; i < COUNT(particular); i++)
        if (arguments_given(arguments, particular[i]) && !has_word(kind->own, particular[i]))
            return refuse_own(particular[i], kind, error);
    if (points && model)
        return fail(error, TLU_ERROR_INPUT, "--points draws no model: remove '%.200s' or --points",
                    model);
    if (points)
        return check_library(arguments, "reading data", "--points", "no model is trained", error);
    if (kind == data_kind && model)
        return check_library(arguments, READS, "MODEL", TRAINED, error);
    return check_library(arguments, kind->used, show_kind(shown, kind), kind->why, error);
}

static tlu_status check_arguments(const struct arguments *arguments, const struct plot_kind *kind,
                                  tlu_error *error)
{
    size_t count = arguments->positional_count, most = (size_t)kind->data + kind->model;
    const char *extra = count > most ? arguments->positional[most] : "";
    const char *log = kind->draw == draw_progress ? "the log of tlu stream --log" : NULL;
    char shown[80], name[SHOWN_SIZE];
    text_show(shown, sizeof shown, extra, 60);
    show_kind(name, kind);
    if (count > most && most == 0)
        return fail(error, TLU_ERROR_INPUT, "%s generates its rows: remove '%s'", name, shown);
    if (count > most)
        return fail(error, TLU_ERROR_INPUT, "%s takes only %s: remove '%s'", name,
                    log           ? log
                    : kind->model ? "MODEL"
                                  : "DATA",
                    shown);
    if (count == 0 && most > 0)
        return fail(error, TLU_ERROR_INPUT, "%s needs %s; see tlu plot --help", name,
                    log                 ? log
                    : kind == data_kind ? "DATA (or --truth KIND)"
                    : !kind->data       ? "MODEL"
                    : kind->model       ? "DATA and MODEL"
                                        : "DATA");
    if (count == 1 && most == 2 && kind != data_kind)
        return fail(error, TLU_ERROR_INPUT,
                    "%s needs a model: %s DATA MODEL; tlu train DATA -o MODEL makes one", name,
                    name);
    return TLU_OK;
}

static tlu_status take_arguments(struct request *request, const struct plot_kind *kind,
                                 tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    tlu_status status = check_arguments(arguments, kind, error);
    if (status != TLU_OK)
        return status;
    size_t next = 0;
    if (kind->data)
        request->data = arguments->positional[next++];
    if (kind->model && next < arguments->positional_count)
        request->model_path = arguments->positional[next];
    return check_options(arguments, kind, request->model_path, error);
}

// ---- all of it

static tlu_status fill_style(struct request *request, tlu_error *error)
{
    const struct arguments *arguments = request->arguments;
    tlu_picture_style *style = &request->style;
    bool terminal = is_for_terminal(arguments), here = !*output_of(arguments);
    tlu_status status =
        read_size("size", arguments_text(arguments, "size"), terminal ? "80x24" : "720x480",
                  &style->width, &style->height, error);
    if (status != TLU_OK)
        return status;
    style->scale = arguments_number(arguments, "zoom");
    style->theme = arguments_text(arguments, "theme");
    style->title = arguments_text(arguments, "title");
    if (!terminal)
        return TLU_OK;
    style->theme = arguments_given(arguments, "theme") ? style->theme : NULL;
    screen_measure(style, here);
    if (arguments_given(arguments, "size")) {
        style->columns = (size_t)style->width;
        style->lines = (size_t)style->height;
    }
    style->width = style->height = 0;
    if (here && !arguments_flag(arguments, "quiet"))
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
    return fail(error, TLU_ERROR_INPUT,
                "%s is a model, and %s is not: expected DATA first, then MODEL", request->data,
                request->model_path);
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

static tlu_status draw(struct request *request, draw_function *draw_kind, tlu_picture **picture,
                       tlu_error *error)
{
    bool quiet = arguments_flag(request->arguments, "quiet");
    tlu_status status = request->model_path ? load_model(request, error) : TLU_OK;
    if (status != TLU_OK)
        return status;
    progress_begin(&request->progress, isatty(STDERR_FILENO) && !quiet);
    status = draw_kind(request, picture, error);
    progress_end(&request->progress);
    return explain_error(request->data, status, error);
}

static tlu_status run(const struct arguments *arguments, tlu_error *error)
{
    struct request request = {.arguments = arguments, .style.size = sizeof request.style};
    const struct plot_kind *kind = NULL;
    tlu_picture *picture = NULL;
    tlu_status status = check_output(arguments, error);
    for (size_t i = 0; status == TLU_OK && i < arguments->positional_count; i++)
        status = refuse_overwriting(output_of(arguments), arguments->positional[i], error);
    if (status == TLU_OK)
        status = find_kind(arguments, &kind, error);
    if (status == TLU_OK)
        status = take_arguments(&request, kind, error);
    if (status == TLU_OK)
        status = fill_style(&request, error);
    if (status == TLU_OK)
        status = draw(&request, kind->draw, &picture, error);
    if (status == TLU_OK)
        status = finish(arguments, picture, error);
    tlu_model_free(request.model);
    tlu_picture_free(picture);
    return status;
}

const struct verb plot_verb = {
    .name = "plot",
    .summary = "draw data, models, runs and curves as pictures",
    .description =
        "Draws rows as points, and a model in the plane of the picture: its regions, its line and "
        "its margin. Without MODEL, one is trained on DATA with the options of tlu train. Two "
        "features are the axes; of more, --x and --y select two, or the picture shows a "
        "projection that the caption describes. An option selects each other kind of picture. The "
        "ending of the output selects the format.",
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
