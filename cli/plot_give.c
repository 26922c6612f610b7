// Where the picture of tlu plot goes, and what is said about it.
#include "json.h"
#include "plot.h"
#include "terminal.h"
#include "text.h"
#include "tlu_plot.h"

#include <string.h>

#define FPS 4 // of frames that do not say how long they are to be seen

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

const char *plot_format(const struct arguments *arguments)
{
    static const char *const formats[] = {"svg", "png", "pdf", "gif", "txt"};
    const char *output = output_of(arguments), *point = strrchr(output, '.');
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (is_standard_output(output) && strncmp(output, formats[i], 3) == 0 && output[3] == ':')
            return formats[i];
    return point ? point + 1 : "";
}

tlu_status plot_check_output(const struct arguments *arguments, tlu_error *error)
{
    const char *output = output_of(arguments);
    bool json = arguments_flag(arguments, "json");
    if (!*output && !arguments_flag(arguments, "term") && !json)
        return fail(error, TLU_ERROR_INPUT,
                    "where should the picture go? -o FILE.svg (or .png, .pdf, .gif) writes a file, "
                    "--term draws here");
    if (strcmp(output, "-") == 0 || (is_standard_output(output) && !*plot_format(arguments)))
        return fail(error, TLU_ERROR_INPUT,
                    "what should the picture on standard output be? -o svg:- (or png:-, pdf:-, "
                    "gif:-, txt:-) says so");
    if (json && is_standard_output(output))
        return fail(error, TLU_ERROR_INPUT,
                    "-o %s and --json cannot both have standard output: expected one of them",
                    output);
    return TLU_OK;
}

// ---- what is said

static void print_caption(const tlu_picture *picture, const char *output)
{
    const size_t indent = 10;
    printf("picture   %s\nshows     ", path_text(stdout, output));
    text_write_wrapped(stdout, tlu_picture_caption(picture), indent, indent);
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

// Below the picture, where they are seen.
static void print_notices(const tlu_picture *picture)
{
    const char *notice;
    fflush(stdout);
    for (size_t i = 0; (notice = tlu_picture_notice(picture, i)) != NULL; i++)
        fprintf(stderr, "note: %s\n", notice);
}

// ---- where it goes

static tlu_status print_picture(const tlu_picture *picture, const char *format, tlu_error *error)
{
    void *bytes;
    size_t size;
    tlu_status status = tlu_picture_save_bytes(picture, format, &bytes, &size, error);
    if (status != TLU_OK)
        return status;
    fwrite(bytes, 1, size, stdout);
    tlu_bytes_free(bytes);
    return TLU_OK;
}

static tlu_status put(const struct arguments *arguments, const tlu_picture *picture,
                      tlu_error *error)
{
    const char *output = output_of(arguments);
    bool fps = arguments_given(arguments, "fps");
    if (is_standard_output(output))
        return print_picture(picture, plot_format(arguments), error);
    if (*output)
        return tlu_picture_save(picture, output, error);
    if (arguments_flag(arguments, "json"))
        return TLU_OK;
    return screen_show(picture, fps ? arguments_number(arguments, "fps") : FPS, error);
}

tlu_status plot_give(const struct arguments *arguments, const tlu_picture *picture,
                     tlu_error *error)
{
    const char *output = output_of(arguments);
    bool json = arguments_flag(arguments, "json"), quiet = arguments_flag(arguments, "quiet");
    tlu_status status = put(arguments, picture, error);
    if (status != TLU_OK)
        return status;
    if (json)
        print_json(picture, output);
    else if (*output && !quiet && !is_standard_output(output))
        print_caption(picture, output);
    if (!json && !quiet)
        print_notices(picture);
    return TLU_OK;
}
