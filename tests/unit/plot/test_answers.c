// Pictures of a model's answers: text that does not overlap, whatever the classes are called and
// however many there are; memory that runs out.
#include "base/fault.h"
#include "plot/paint/paint.h"
#include "plot/texts.h"
#include "tlu_plot.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct data {
    const char *file;
    size_t classes, rows;
    const char *name; // of classes, with a place for the number
};
static const struct data all_data[] = {
    {"two.csv", 2, 40, "c%zu"},
    {"long.csv", 3, 60,
     "a name with many words of which it has far more than there is room for in any picture that "
     "people would look at so that it has to be cut somewhere which is not to be at the end of "
     "it where it is told apart: %zu"},
    {"bytes.csv", 2, 40, "\xc3\x28<&\x01\xff %zu"},
    {"sixty.csv", 60, 600, "class number %zu"},
};
#define DATA (sizeof all_data / sizeof all_data[0])

static const char *const kinds[] = {"roc",         "precision_recall", "confusion",
                                    "calibration", "weights",          "weight_image"};
#define KINDS (sizeof kinds / sizeof kinds[0])

static tlu_model *models[DATA];

static void write_data(const struct data *data)
{
    FILE *file = fopen(data->file, "w");
    assert_non_null(file);
    fprintf(file, "first feature,second \xff,class\n");
    for (size_t i = 0; i < data->rows; i++) {
        size_t c = i % data->classes;
        fprintf(file, "%g,%g,", (double)(c % 8) + (double)(i * 7 % 10) / 6,
                (double)(c / 8) + (double)(i * 3 % 10) / 6);
        fprintf(file, data->name, c);
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

static int make_models(void **state)
{
    (void)state;
    tlu_error error;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    if (!options || tlu_options_set(options, "learner", "logistic", &error) != TLU_OK ||
        tlu_options_set(options, "multiclass", "wta", &error) != TLU_OK ||
        tlu_options_set(options, "epochs", "3", &error) != TLU_OK)
        return -1;
    for (size_t i = 0; i < DATA; i++) {
        write_data(&all_data[i]);
        if (tlu_train(all_data[i].file, options, &models[i], &error) != TLU_OK) {
            fprintf(stderr, "%s\n", error.text);
            return -1;
        }
    }
    tlu_options_free(options);
    return 0;
}

static int free_models(void **state)
{
    (void)state;
    for (size_t i = 0; i < DATA; i++)
        tlu_model_free(models[i]);
    return 0;
}

static tlu_status plot(size_t kind, size_t data, const tlu_picture_style *style,
                       tlu_picture **picture, tlu_error *error)
{
    const tlu_model *model = models[data];
    const char *file = all_data[data].file;
    switch (kind) {
    case 0:
        return tlu_plot_roc(model, file, NULL, style, picture, error);
    case 1:
        return tlu_plot_precision_recall(model, file, NULL, style, picture, error);
    case 2:
        return tlu_plot_confusion(model, file, NULL, style, picture, error);
    case 3:
        return tlu_plot_calibration(model, file, NULL, style, picture, error);
    case 4:
        return tlu_plot_weights(model, 0, style, picture, error);
    default:
        return tlu_plot_weight_image(model, 2, 1, style, picture, error);
    }
}

static void check(size_t kind, size_t data, const tlu_picture_style *style)
{
    tlu_picture *picture;
    tlu_error error;
    tlu_status status = plot(kind, data, style, &picture, &error);
    if (status != TLU_OK)
        fail_msg("%s of %s: %s", kinds[kind], all_data[data].file, error.text);
    assert_int_equal(picture->page_count, 1);
    if (texts_that_clash(picture->pages[0]))
        fail_msg("%s of %s, %g x %g", kinds[kind], all_data[data].file, picture->width,
                 picture->height);
    assert_true(*tlu_picture_title(picture) && *tlu_picture_caption(picture));
    tlu_picture_free(picture);
}

static void texts_do_not_overlap_on_paper(void **state)
{
    (void)state;
    static const double sizes[][2] = {{720, 480}, {400, 300}, {300, 700}, {100, 80}};
    if (!font_is_there())
        skip();
    for (size_t i = 0; i < KINDS * DATA; i++) {
        tlu_picture_style style = {.size = sizeof style};
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            style.width = sizes[s][0];
            style.height = sizes[s][1];
            style.theme = s % 2 ? "dark" : "light";
            check(i % KINDS, i / KINDS, &style);
        }
    }
}

static void texts_do_not_overlap_on_terminals(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{80, 24}, {60, 20}, {132, 50}, {40, 12}};
    for (size_t i = 0; i < KINDS * DATA; i++) {
        tlu_picture_style style = {.size = sizeof style};
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            style.columns = sizes[s][0];
            style.lines = sizes[s][1];
            check(i % KINDS, i / KINDS, &style);
        }
    }
}

// Each call of the allocator fails once, or one in so many past the first.
static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        const tlu_picture_style style = {.size = sizeof style, .columns = 60, .lines = 20};
        tlu_picture *picture;
        tlu_error error;
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(plot(kind, 1, &style, &picture, &error), TLU_OK);
        long calls = fault_calls(FAULT_MEMORY);
        tlu_picture_free(picture);
        assert_true(calls > 10);
        for (long n = 1; n <= calls; n += n < 100 ? 1 : (long)unless_sanitized(37, 151)) {
            fault_at(FAULT_MEMORY, n);
            tlu_status status = plot(kind, 1, &style, &picture, &error);
            fault_at(FAULT_MEMORY, 0);
            if (status == TLU_OK) // what only measures text goes on without
                tlu_picture_free(picture);
            else
                assert_int_equal(status, TLU_ERROR_SYSTEM);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_do_not_overlap_on_paper),
        cmocka_unit_test(texts_do_not_overlap_on_terminals),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, make_models, free_models);
}
