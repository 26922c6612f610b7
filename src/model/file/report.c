// REPT: what the training has told.
#include "base/memory.h"
#include "model/file/sections.h"

#include <string.h>

// How the rows were held out whose accuracies the report has: none were, each by itself (earlier
// versions), or a share of each class (train/holdout.c).
enum { HELD_NONE, HELD_BY_ROW, HELD_BY_CLASS };

void put_report(struct out *out, const tlu_model *model)
{
    const tlu_report *report = &model->report;
    put_count(out, report->examples);
    put_count(out, report->held_out);
    put_count(out, report->nonzeros);
    put_count(out, report->features);
    put_count(out, report->updates);
    put_count(out, report->skipped);
    put_fixed(out, report->converged != 0, 1);
    put_text(out, report->stopped);
    put_text(out, report->data);
    put_text(out, report->format);
    put_count(out, report->best_epoch);
    put_count(out, report->epochs);
    for (uint64_t i = 0; i < report->epochs; i++)
        put_count(out, report->mistakes[i]);
    put_fixed(out,
              !report->held_out_accuracy      ? HELD_NONE
              : model->recorded.held_by_class ? HELD_BY_CLASS
                                              : HELD_BY_ROW,
              1);
    if (report->held_out_accuracy)
        put_numbers(out, report->held_out_accuracy, (size_t)report->epochs);
    put_count(out, report->cycle);
    put_numbers(out, model->recorded.figures, 3);
}

static const char *stopped_name(size_t i)
{
    return model_stopped_name((enum stopped)i);
}

static const char *format_name(size_t i)
{
    static const char *const others[] = {"tsv", "stream", NULL};
    return i < DATA_FORMATS ? format_table[i].name : others[i - DATA_FORMATS];
}

// "", or one of the names: name(0) to before the first that is NULL.
static const char *get_name(struct unpack *in, const char *(*name)(size_t i))
{
    size_t length;
    const char *text = unpack_text(in, &length);
    if (length == 0)
        return "";
    for (size_t i = 0; name(i); i++)
        if (strlen(name(i)) == length && memcmp(name(i), text, length) == 0)
            return name(i);
    unpack_damaged(in, "a name is not one of those known");
    return "";
}

static void get_passes(struct unpack *in)
{
    tlu_model *model = in->model;
    tlu_report *report = &model->report;
    report->best_epoch = unpack_count(in);
    size_t epochs = (size_t)unpack_length(in, 1, "passes");
    if (report->best_epoch > epochs)
        unpack_damaged(in, "the best pass is past the last one");
    model->recorded.mistakes = unpack_checked(in, memory_new(epochs, sizeof *report->mistakes));
    for (size_t i = 0; i < epochs && !unpack_failed(in); i++)
        model->recorded.mistakes[i] = unpack_count(in);
    unsigned held_out = unpack_choice(in, HELD_BY_CLASS, "how rows were held out");
    model->recorded.held_by_class = held_out == HELD_BY_CLASS;
    if (held_out != HELD_NONE)
        model->recorded.accuracy = unpack_new_numbers(in, epochs);
    report->epochs = epochs;
    report->mistakes = model->recorded.mistakes;
    report->held_out_accuracy = model->recorded.accuracy;
}

void unpack_report(struct unpack *in)
{
    tlu_model *model = in->model;
    tlu_report *report = &model->report;
    report->examples = unpack_count(in);
    report->held_out = unpack_count(in);
    report->nonzeros = unpack_count(in);
    report->features = unpack_count(in);
    report->updates = unpack_count(in);
    report->skipped = unpack_count(in);
    report->converged = (int)unpack_choice(in, 1, "a flag");
    report->stopped = get_name(in, stopped_name);
    report->data = model->recorded.data = unpack_copy_text(in);
    report->format = get_name(in, format_name);
    report->classes = schema_classes(&model->schema);
    report->supports = model->supports.count;
    get_passes(in);
    report->cycle = unpack_count(in);
    unpack_numbers(in, model->recorded.figures, 3);
}
