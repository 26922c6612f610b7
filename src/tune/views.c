// The data, parsed once for each way of reading it: text as words, as words in lower case, and as
// these and pairs of them; CSV with columns of few different numbers as numbers and as categories.
// The rows are the same, and so are the parts that they are in.
#include "model/model.h"
#include "tune/tune.h"

#include <math.h>

#define LIKE 0.01 // less is no other way of reading

tlu_status view_set(const struct view *view, tlu_options *options, tlu_error *error)
{
    if (view->ngrams)
        TRY(tlu_options_set(options, "ngrams", view->ngrams, error));
    if (view->lowercase)
        TRY(tlu_options_set(options, "lowercase", view->lowercase, error));
    if (view->categorical)
        TRY(tlu_options_set(options, "categorical", view->categorical, error));
    return TLU_OK;
}

static tlu_status open_view(struct tune *tune, struct view *view, tlu_error *error)
{
    size_t parts = tune->settings->folds;
    tlu_options *options = options_copy(tune->given);
    tlu_status status = enough_memory(options != NULL, error);
    if (status == TLU_OK)
        status = view_set(view, options, error);
    if (status == TLU_OK)
        status = split_open_parsed(tune->settings->path, &tune->whole, options, parts, &view->rows,
                                   error);
    tlu_options_free(options);
    return status;
}

// Whether there are other words than in the first view. Text may be in lower case as it is, and
// data of a format for text may have none.
static bool is_another(const struct view *view, const struct view *first)
{
    double features = (double)split_summary(first->rows)->features;
    double others = (double)split_summary(view->rows)->features;
    return fabs(others - features) > LIKE * features;
}

// Data that is in a file already parsed says how, and is taken as it is.
static tlu_status open_variant(struct tune *tune, struct view variant, tlu_error *error)
{
    struct view *view = &tune->views[tune->view_count];
    *view = variant;
    tlu_error why;
    tlu_status status = open_view(tune, view, &why);
    if (status == TLU_OK && is_another(view, &tune->views[0])) {
        tune->view_count++;
        return TLU_OK;
    }
    tlu_split_free(view->rows);
    *view = (struct view){0};
    if (status == TLU_ERROR_SYSTEM && error)
        *error = why;
    return status == TLU_ERROR_SYSTEM ? status : TLU_OK;
}

static tlu_status open_text(struct tune *tune, tlu_error *error)
{
    bool ngrams = !options_is_set(tune->given, OPTION_NGRAMS);
    bool lowercase = !options_is_set(tune->given, OPTION_LOWERCASE);
    if (ngrams)
        TRY(open_variant(tune, (struct view){.ngrams = "2", .lowercase = lowercase ? "yes" : NULL},
                         error));
    return lowercase ? open_variant(tune, (struct view){.lowercase = "yes"}, error) : TLU_OK;
}

tlu_status views_open(struct tune *tune, tlu_error *error)
{
    TRY(split_spool(tune->settings->path, &tune->whole, &tune->bytes, error));
    TRY(open_view(tune, &tune->views[0], error));
    tune->view_count = 1;
    const struct data_summary *look = split_summary(tune->views[0].rows);
    if (look->words)
        return open_text(tune, error);
    bool decided = options_is_set(tune->given, OPTION_CATEGORICAL) ||
                   options_is_set(tune->given, OPTION_NUMERIC);
    if (!look->few || decided)
        return TLU_OK;
    return open_variant(tune, (struct view){.categorical = look->few}, error);
}

void views_close(struct tune *tune)
{
    for (size_t i = 0; i < tune->view_count; i++)
        tlu_split_free(tune->views[i].rows);
    tune->view_count = 0;
}
