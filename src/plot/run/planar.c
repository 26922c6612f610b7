#include "plot/run/planar.h"
#include "base/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define UPDATES_MAX 1000000
#define DOTS_MAX 2000
#define LOW 240 // points: lower pages have no caption

// ---- the rows

static void take_rows(struct planar *planar)
{
    const struct trace_rows *gathered = &planar->gathered;
    size_t positive = tlu_model_positive_class(planar->trace.model);
    for (size_t i = 0; i < gathered->count; i++) {
        struct planar_row *row = &planar->rows[i];
        *row = (struct planar_row){.sign = gathered->classes[i] == positive ? 1 : -1,
                                   .class_index = gathered->classes[i]};
        for (uint64_t k = gathered->offsets[i]; k < gathered->offsets[i + 1]; k++) {
            double value = (double)gathered->values[k];
            if (gathered->features[k] == 0)
                row->at.x += value;
            else
                row->at.y += value; // the second feature, or the bias
        }
    }
    planar->row_count = gathered->count;
}

// ---- the updates

struct taking {
    struct planar *planar;
    bool failed; // out of memory
};

static double weight_of(const struct planar *planar, const tlu_step *step, size_t feature)
{
    for (size_t i = 0; i < step->features; i++)
        if (planar->trace.numbers[i] == feature)
            return tlu_step_weight(step, 0, i);
    return 0;
}

static int take_update(void *context, const tlu_step *step)
{
    struct taking *taking = context;
    struct planar *planar = taking->planar;
    struct run_trace *trace = &planar->trace;
    if (!step->updated)
        return 0;
    taking->failed = !trace_number(trace, step);
    if (taking->failed)
        return 1;
    assert(planar->update_count < trace->updates);
    uint32_t class_index = (uint32_t)tlu_model_class_find(trace->model, step->label);
    struct planar_update *update = &planar->updates[++planar->update_count];
    *update = (struct planar_update){
        .w = {weight_of(planar, step, 0),
              planar->bias ? tlu_step_bias(step, 0) : weight_of(planar, step, 1)},
        .row = {.at = {0, planar->bias ? 1 : 0},
                .sign = class_index == tlu_model_positive_class(trace->model) ? 1 : -1,
                .class_index = class_index,
                .number = step->row},
        .pass = step->pass};
    for (size_t i = 0; i < step->example.count; i++) {
        size_t feature = trace->numbers[step->example.features[i]];
        double value = step->example.values ? (double)step->example.values[i] : 1;
        update->row.at.x += feature == 0 ? value : 0;
        update->row.at.y += feature == 1 ? value : 0;
    }
    return 0;
}

// ---- making a run

static tlu_status set_options(tlu_options *options, tlu_error *error)
{
    if (!options_is_set(options, OPTION_SHUFFLE))
        TRY(tlu_options_set(options, "shuffle", "none", error));
    return tlu_options_set(options, "no-bias", "yes", error);
}

static tlu_status check_data(const struct planar *planar, const char *kind, bool one_feature,
                             tlu_error *error)
{
    const struct run_trace *trace = &planar->trace;
    const char *file = error_file_name(trace->plot->path);
    size_t classes = tlu_model_class_count(trace->model);
    if (classes != 2)
        return error_input(error,
                           "%s: --%s draws two classes, and the data has %zu; keep the rows of two "
                           "of them; tlu plot --run draws several",
                           file, kind, classes);
    if (trace->features != (planar->bias ? 1 : 2))
        return error_input(
            error,
            "%s: --%s draws two features without a bias%s, and the data has %zu: "
            "--ignore COLUMNS leaves columns out; tlu plot --run and --bounds draw any number",
            file, kind, one_feature ? " (or one feature and the bias)" : "", trace->features);
    if (trace->updates > UPDATES_MAX)
        return error_input(error,
                           "%s: this run has %llu updates, too many to draw: --epochs N ends it "
                           "after N passes",
                           file, (unsigned long long)trace->updates);
    return TLU_OK;
}

static tlu_status name_parts(struct planar *planar, struct plot *plot, tlu_error *error)
{
    const tlu_model *model = planar->trace.model;
    planar->names[0] = plot_feature_name(plot, model, 0);
    planar->names[1] = planar->bias ? NULL : plot_feature_name(plot, model, 1);
    for (size_t i = 0; i < 2; i++)
        planar->labels[i] = tlu_model_class_label(model, i);
    return enough_memory(planar->names[0] && (planar->names[1] || planar->bias), error);
}

tlu_status planar_make(struct planar *planar, struct plot *plot, const char *kind, bool one_feature,
                       tlu_error *error)
{
    bool no_bias = options_flag(plot->options, OPTION_NO_BIAS);
    *planar = (struct planar){.update_count = 0};
    TRY(check_plain_steps(plot->options, kind, false, error));
    TRY(set_options(plot->options, error));
    TRY(trace_open(&planar->trace, plot, false, error));
    planar->bias = one_feature && !no_bias && planar->trace.features == 1;
    if (planar->bias) {
        trace_free(&planar->trace);
        TRY(tlu_options_set(plot->options, "no-bias", "no", error));
        TRY(trace_open(&planar->trace, plot, false, error));
    }
    TRY(check_data(planar, kind, one_feature, error));
    TRY(name_parts(planar, plot, error));
    TRY(trace_rows_gather(&planar->gathered, &planar->trace, error));
    planar->rows = plot_new(plot, planar->gathered.count + 1, sizeof *planar->rows);
    planar->updates = plot_new(plot, planar->trace.updates + 1, sizeof *planar->updates);
    TRY(enough_memory(planar->rows && planar->updates, error));
    take_rows(planar);
    struct taking taking = {.planar = planar};
    TRY(trace_run(&planar->trace, take_update, &taking, error));
    return enough_memory(!taking.failed, error);
}

size_t planar_moments(uint64_t updates, const struct arrangement *arrangement)
{
    uint64_t most = arrangement->animation ? FRAMES_MAX : PICTURES_MAX;
    return count_moments(updates, arrangement->frames ? arrangement->frames : most);
}

// ---- drawing

void planar_draw_rows(struct chart *chart, struct plot *plot, const struct planar_row *rows,
                      size_t count)
{
    size_t shown = count < DOTS_MAX ? count : DOTS_MAX;
    struct point *at = plot_new(plot, shown + 1, sizeof *at);
    if (!at) {
        plot->picture->failed = true;
        return;
    }
    for (uint32_t c = 0; c < 2; c++) {
        struct style style = class_style(plot->theme, c);
        size_t found = 0;
        for (size_t i = 0; i < shown; i++) { // evenly chosen
            const struct planar_row *row = &rows[i * count / shown];
            if (row->class_index == c)
                at[found++] = row->at;
        }
        chart_dots(chart, at, found, class_shape(c), chart->small ? 2.5 : 4, &style);
    }
}

tlu_status planar_page(struct plot *plot, struct page **page, struct box *box, bool *small,
                       tlu_error *error)
{
    *small = !picture_is_text(plot->picture) && plot->picture->height < LOW;
    if (!*small)
        return plot_page(plot, page, box, error);
    TRY(picture_add_page(plot->picture, page, error));
    *box = page_whole(*page);
    chart_frame(*page, plot_drawn_title(plot), NULL, true, box);
    return TLU_OK;
}

const char *pair_text(char out[PAIR_SIZE], struct point at)
{
    char x[AMOUNT_SIZE], y[AMOUNT_SIZE];
    snprintf(out, PAIR_SIZE, "(%s, %s)", to_digits(x, 4, at.x == 0 ? 0 : at.x),
             to_digits(y, 4, at.y == 0 ? 0 : at.y)); // never "-0"
    return out;
}
