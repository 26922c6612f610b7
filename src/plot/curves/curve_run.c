#include "plot/curves/curve_run.h"

#include "base/memory.h"
#include "model/make.h"
#include "model/split/split.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PARTS_MAX 20
#define LOOKS_MAX 100 // passes that are looked at

// ---- rows

tlu_status curve_data_open(struct curve_data *data, double share, tlu_error *error)
{
    double best = 1;
    data->held_out = 0;
    data->parts = 1;
    for (uint32_t parts = 2; share > 0 && parts <= PARTS_MAX; parts++) {
        double held_out = fmax(1, floor(share * parts + 0.5)), off = fabs(held_out / parts - share);
        if (held_out < parts && off < best - 1e-9) {
            best = off;
            data->held_out = (uint32_t)held_out;
            data->parts = parts;
        }
    }
    return split_spool(data->path, &data->whole, &data->bytes, error);
}

void curve_data_close(struct curve_data *data)
{
    memory_free(data->bytes);
    data->bytes = NULL;
}

// The rows of a run: parsed once, dealt out into those to learn from and those to measure on.
struct desk {
    const struct curve_data *data;
    tlu_split *split;
    tlu_options *options; // of the run, for rows as the split has them
    uint32_t *part;       // [rows] 0: held out; NULL: no row is
    struct row_source learned, held_out;
};

static tlu_status deal(struct desk *desk, tlu_error *error)
{
    uint64_t rows = tlu_split_row_count(desk->split);
    desk->learned = desk->held_out = split_row_source(desk->split, TLU_NONE, false);
    if (desk->data->held_out == 0)
        return TLU_OK;
    desk->part = memory_new(rows, sizeof *desk->part);
    TRY(enough_memory(desk->part, error));
    for (uint64_t i = 0; i < rows; i++)
        desk->part[i] = tlu_split_row_part(desk->split, i) >= desk->data->held_out;
    desk->learned.subset = (struct subset){desk->part, rows, 0, true};
    desk->held_out.subset = (struct subset){desk->part, rows, 0, false};
    return TLU_OK;
}

static tlu_status desk_open(struct desk *desk, const struct curve_run *run, tlu_error *error)
{
    const struct curve_data *data = desk->data;
    desk->options = options_copy(run->options);
    TRY(enough_memory(desk->options, error));
    TRY(split_open_parsed(data->path, &data->whole, desk->options, data->parts, &desk->split,
                          error));
    TRY(split_adapt(desk->split, desk->options, error));
    return deal(desk, error);
}

static void desk_close(struct desk *desk)
{
    memory_free(desk->part);
    tlu_options_free(desk->options);
    tlu_split_free(desk->split);
}

// ---- one look

static struct training training_on(const struct desk *desk)
{
    return (struct training){
        .rows = {.path = desk->data->path, .row_source = desk->learned},
        .reporter = {.progress = desk->data->progress, .context = desk->data->progress_context}};
}

// Goes on from the model of fewer passes, which comes to the same as beginning again.
static tlu_status go_on(const struct desk *desk, const tlu_model *before, tlu_model **model,
                        tlu_error *error)
{
    struct resumption resumption;
    struct training training = training_on(desk);
    tlu_status status = resume_begin(&resumption, before, desk->options, error);
    if (status == TLU_OK)
        status = model_train(&training, resumption.options, resumption.checkpoint, model, error);
    resume_end(&resumption);
    return status;
}

// `model` is that of fewer passes, or NULL, and then that of these.
static tlu_status train(struct desk *desk, uint64_t passes, tlu_model **model, tlu_error *error)
{
    char text[24];
    tlu_model *after = NULL;
    snprintf(text, sizeof text, "%llu", (unsigned long long)passes);
    TRY(tlu_options_set(desk->options, "epochs", text, error));
    // Not every model has what going on takes: then it is an input error.
    tlu_status status = *model ? go_on(desk, *model, &after, error) : TLU_ERROR_INPUT;
    if (status == TLU_ERROR_INPUT) {
        struct training training = training_on(desk);
        status = model_train(&training, desk->options, NULL, &after, error);
    }
    TRY(status);
    tlu_model_free(*model);
    *model = after;
    if (strcmp(tlu_model_report(after)->stopped, "interrupted") == 0)
        return error_interrupted(error, "the learning was stopped");
    return TLU_OK;
}

static tlu_status measure(const struct desk *desk, const struct row_source *row_source,
                          const tlu_model *model, double *accuracy, tlu_error *error)
{
    tlu_evaluation *evaluation;
    TRY(model_evaluate(model, desk->data->path, row_source, desk->options, &evaluation, error));
    *accuracy = evaluation->accuracy;
    tlu_evaluation_free(evaluation);
    return TLU_OK;
}

// ---- all of them

static tlu_status make_room(struct curve_run *run, tlu_error *error)
{
    uint64_t apart = (run->passes + LOOKS_MAX - 1) / LOOKS_MAX;
    if (run->whole)
        apart = run->passes;
    run->count = (size_t)((run->passes + apart - 1) / apart);
    run->pass = memory_new(run->count, sizeof *run->pass);
    run->learned = memory_new(run->count, sizeof *run->learned);
    run->held_out = memory_new(run->count, sizeof *run->held_out);
    TRY(enough_memory(run->pass && run->learned && run->held_out, error));
    for (size_t i = 0; i < run->count; i++)
        run->pass[i] = i + 1 < run->count ? (i + 1) * apart : run->passes;
    return TLU_OK;
}

static tlu_status keep_report(struct curve_run *run, const tlu_report *report, uint64_t held_out,
                              tlu_error *error)
{
    run->rows = report->examples;
    run->rows_held_out = held_out;
    run->made = run->whole ? 0 : report->epochs;
    run->mistakes = memory_new((size_t)run->made + 1, sizeof *run->mistakes);
    TRY(enough_memory(run->mistakes, error));
    for (uint64_t i = 0; i < run->made; i++)
        run->mistakes[i] = (double)report->mistakes[i];
    return TLU_OK;
}

// Once a training has ended by itself, more passes give the same model.
static tlu_status look(struct curve_run *run, struct desk *desk, tlu_model **model,
                       tlu_error *error)
{
    bool ended = false;
    for (size_t i = 0; i < run->count; i++) {
        run->learned[i] = i ? run->learned[i - 1] : NAN;
        run->held_out[i] = i ? run->held_out[i - 1] : NAN;
        if (ended)
            continue;
        TRY(train(desk, run->pass[i], model, error));
        TRY(measure(desk, &desk->learned, *model, &run->learned[i], error));
        if (desk->part)
            TRY(measure(desk, &desk->held_out, *model, &run->held_out[i], error));
        ended = strcmp(tlu_model_report(*model)->stopped, "epochs") != 0;
    }
    if (desk->data->picture)
        TRY(picture_note(desk->data->picture, tlu_model_report(*model), error));
    uint64_t held_out = 0;
    for (uint64_t i = 0; desk->part && i < tlu_split_row_count(desk->split); i++)
        held_out += desk->part[i] == 0;
    return keep_report(run, tlu_model_report(*model), held_out, error);
}

tlu_status curve_run_train(struct curve_run *run, const struct curve_data *data, tlu_error *error)
{
    struct desk desk = {.data = data};
    tlu_model *model = NULL;
    char why[8];
    run->whole = tlu_options_no_effect(run->options, "epochs", why, sizeof why) > 0;
    tlu_status status = make_room(run, error);
    if (status == TLU_OK)
        status = desk_open(&desk, run, error);
    if (status == TLU_OK)
        status = look(run, &desk, &model, error);
    tlu_model_free(model);
    desk_close(&desk);
    return status;
}

void curve_run_free(struct curve_run *run)
{
    memory_free(run->name);
    memory_free(run->words);
    tlu_options_free(run->options);
    memory_free(run->pass);
    memory_free(run->learned);
    memory_free(run->held_out);
    memory_free(run->mistakes);
    *run = (struct curve_run){0};
}
