// Pictures of several models, of --lines, --sphere and --net: at every size, and without memory.
#include "base/fault.h"
#include "plot/paint/paint.h"
#include "plot/texts.h"
#include "tlu_plot.h"
#include "trials.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define KINDS 4

static tlu_model *two, *net;
static tlu_options *options;

static tlu_model *train(const char *data, const char *learner)
{
    tlu_model *model = NULL;
    tlu_error error;
    if (tlu_options_set(options, "learner", learner, &error) != TLU_OK ||
        tlu_train(data, options, &model, &error) != TLU_OK)
        fprintf(stderr, "%s\n", error.text);
    return model;
}

static int make_models(void **state)
{
    (void)state;
    FILE *file = fopen("two.csv", "w");
    if (!file)
        return -1;
    fputs("x,y,label\n0,0,no\n1,0,no\n0,1,no\n2,2,yes\n3,1,yes\n", file);
    fclose(file);
    if (!(file = fopen("three.csv", "w")))
        return -1;
    fputs("x,y,label\n0,0,a\n1,0,a\n4,0,b\n5,1,b\n2,4,c\n3,5,c\n", file);
    fclose(file);
    if (tlu_options_new(&options, NULL) != TLU_OK)
        return -1;
    net = train("three.csv", "mlp");
    two = train("two.csv", "perceptron");
    return two && net ? 0 : -1;
}

static int free_models(void **state)
{
    (void)state;
    tlu_model_free(two);
    tlu_model_free(net);
    tlu_options_free(options);
    return 0;
}

static tlu_status plot(size_t kind, const tlu_picture_style *style, tlu_picture **picture,
                       tlu_error *error)
{
    const tlu_model *const models[2] = {two, two};
    static const char *const names[2] = {"first", "second"};
    tlu_plot_data_settings settings = {.size = sizeof settings, .path = "two.csv"};
    switch (kind) {
    case 0:
        settings.models = models;
        settings.names = names;
        settings.model_count = 2;
        return tlu_plot_data(&settings, NULL, style, picture, error);
    case 1:
        settings.path = "three.csv";
        settings.lines = 1;
        return tlu_plot_data(&settings, options, style, picture, error);
    case 2:
        return tlu_plot_sphere(&settings, NULL, style, picture, error);
    default:
        return tlu_plot_net(net, style, picture, error);
    }
}

static void check(size_t kind, const tlu_picture_style *style)
{
    tlu_picture *picture;
    tlu_error error;
    if (plot(kind, style, &picture, &error) != TLU_OK)
        fail_msg("kind %zu: %s", kind, error.text);
    assert_int_equal(picture->page_count, 1);
    assert_true(*tlu_picture_title(picture) && *tlu_picture_caption(picture));
    tlu_picture_free(picture);
}

static void all_sizes(void **state)
{
    (void)state;
    static const double sizes[][2] = {{720, 480}, {240, 160}, {300, 700}, {100, 80}};
    static const size_t cells[][2] = {{80, 24}, {132, 50}, {40, 12}, {20, 8}};
    for (size_t i = 0; i < KINDS * 4; i++) {
        const tlu_picture_style paper = {.size = sizeof paper,
                                         .width = sizes[i % 4][0],
                                         .height = sizes[i % 4][1],
                                         .theme = i % 2 ? "dark" : "light"};
        const tlu_picture_style terminal = {
            .size = sizeof terminal, .columns = cells[i % 4][0], .lines = cells[i % 4][1]};
        if (font_is_there())
            check(i / 4, &paper);
        check(i / 4, &terminal);
    }
}

// Each call of the allocator fails once.
static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        const tlu_picture_style style = {.size = sizeof style, .columns = 60, .lines = 20};
        tlu_picture *picture;
        tlu_error error;
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(plot(kind, &style, &picture, &error), TLU_OK);
        long calls = fault_calls(FAULT_MEMORY);
        tlu_picture_free(picture);
        assert_true(calls > 10);
        for (long n = 1; n <= calls; n += n < 200 ? 1 : (long)unless_sanitized(37, 151)) {
            fault_at(FAULT_MEMORY, n);
            tlu_status status = plot(kind, &style, &picture, &error);
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
        cmocka_unit_test(all_sizes),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, make_models, free_models);
}
