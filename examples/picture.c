/* Pictures: a model and its data as SVG and as the bytes of a PNG, and the regions that a learner
   finds in 25 generated rows.

       picture examples/data

   Writes iris.svg and truth.svg into the current folder. */
#include <stdio.h>
#include <string.h>
#include <tlu.h>
#include <tlu_plot.h>

/* Without cairo the program exits with 77, which test programs count as skipped. */
static int failed(const tlu_error *error)
{
    fprintf(stderr, "picture: %s\n", error->text);
    return error->status == TLU_ERROR_SYSTEM && !strstr(tlu_built_with(), "cairo") ? 77 : 1;
}

static void show_words(const tlu_picture *picture)
{
    const char *name, *notice;
    double value;
    printf("%s\n%s\n", tlu_picture_title(picture), tlu_picture_caption(picture));
    for (size_t i = 0; (name = tlu_picture_figure(picture, i, &value)) != NULL; i++)
        printf("  %s = %g\n", name, value);
    for (size_t i = 0; (notice = tlu_picture_notice(picture, i)) != NULL; i++)
        printf("note: %s\n", notice);
}

/* A picture is drawn once and can be saved more than once. */
static tlu_status draw_iris(const tlu_model *model, const char *path, int *is_png, tlu_error *error)
{
    tlu_plot_data_settings settings = {.size = sizeof settings,
                                       .path = path,
                                       .model = model,
                                       .x = "petal_length",
                                       .y = "petal_width"};
    tlu_picture_style style = {.size = sizeof style, .scale = 2};
    tlu_picture *picture;
    void *bytes;
    size_t size;
    tlu_status status = tlu_plot_data(&settings, NULL, &style, &picture, error);
    if (status != TLU_OK)
        return status;
    show_words(picture);
    status = tlu_picture_save(picture, "iris.svg", error);
    if (status == TLU_OK)
        status = tlu_picture_save_bytes(picture, "png", &bytes, &size, error);
    if (status == TLU_OK) {
        printf("as PNG it has %zu bytes\n", size);
        *is_png = size > 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0;
        tlu_bytes_free(bytes);
    }
    tlu_picture_free(picture);
    return status;
}

/* Fields of a recipe that are 0 have a default for its kind. */
static tlu_status draw_truth(tlu_error *error)
{
    tlu_recipe recipe = {.size = sizeof recipe, .kind = "line", .seed = 1};
    tlu_plot_truth_settings settings = {.size = sizeof settings, .recipe = &recipe, .seeds = 10};
    tlu_picture_style style = {.size = sizeof style, .theme = "dark"};
    tlu_picture *picture;
    tlu_status status = tlu_plot_truth(&settings, NULL, &style, &picture, error);
    if (status != TLU_OK)
        return status;
    show_words(picture);
    status = tlu_picture_save(picture, "truth.svg", error);
    tlu_picture_free(picture);
    return status;
}

int main(int count, char **words)
{
    char path[4096];
    tlu_model *model;
    tlu_error error;
    int is_png = 0;
    if (count != 2) {
        fprintf(stderr, "usage: picture FOLDER, the one that iris.csv is in\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/iris.csv", words[1]);
    if (tlu_train(path, NULL, &model, &error) != TLU_OK)
        return failed(&error);
    tlu_status status = draw_iris(model, path, &is_png, &error);
    if (status == TLU_OK)
        status = draw_truth(&error);
    tlu_model_free(model);
    if (status != TLU_OK)
        return failed(&error);
    return is_png ? 0 : 1;
}
