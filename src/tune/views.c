// The views of the data, each parsed once: text as words, as lower-case words, and as lower-case
// words with pairs or triples; CSV columns with few distinct numbers as numbers and as categories;
// missing values in several ways. All views have the same rows in the same folds.
#include "model/model.h"
#include "tune/tune.h"

#include <assert.h>
#include <math.h>

#define SHARE_MIN 0.01 // of features that differ; with fewer, a view is not worth trying

const char *const view_options[] = {[VIEW_NGRAMS] = "ngrams",
                                    [VIEW_LOWERCASE] = "lowercase",
                                    [VIEW_CATEGORICAL] = "categorical",
                                    [VIEW_MISSING] = "missing"};

tlu_status view_set(const struct data_view *view, tlu_options *options, tlu_error *error)
{
    for (size_t i = 0; i < VIEW_OPTIONS; i++)
        if (view->values[i])
            TRY(tlu_options_set(options, view_options[i], view->values[i], error));
    return TLU_OK;
}

static tlu_status open_view(struct tune *tune, struct data_view *view, tlu_error *error)
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

// Whether the view has other words than the first view: text may already be in lower case, and a
// format for text may contain none.
static bool is_another(const struct data_view *view, const struct data_view *first)
{
    double features = (double)split_summary(first->rows)->features;
    double others = (double)split_summary(view->rows)->features;
    if (view->values[VIEW_MISSING])
        return true;
    return fabs(others - features) > SHARE_MIN * features;
}

// A binary data file fixes how it was read, so it has one view.
static tlu_status open_variant(struct tune *tune, struct data_view variant, tlu_error *error)
{
    assert(tune->view_count < VIEWS_MAX);
    struct data_view *view = &tune->views[tune->view_count];
    *view = variant;
    tlu_error why;
    tlu_status status = open_view(tune, view, &why);
    if (status == TLU_OK && is_another(view, &tune->views[0])) {
        tune->view_count++;
        return TLU_OK;
    }
    tlu_split_free(view->rows);
    *view = (struct data_view){0};
    if (status == TLU_ERROR_SYSTEM && error)
        *error = why;
    return status == TLU_ERROR_SYSTEM ? status : TLU_OK;
}

static tlu_status open_text(struct tune *tune, tlu_error *error)
{
    bool ngrams = !options_is_set(tune->given, OPTION_NGRAMS);
    const char *lowercase = options_is_set(tune->given, OPTION_LOWERCASE) ? NULL : "yes";
    if (ngrams)
        TRY(open_variant(tune, (struct data_view){.values = {"2", lowercase}}, error));
    return lowercase ? open_variant(tune, (struct data_view){.values = {NULL, lowercase}}, error)
                     : TLU_OK;
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
    return open_variant(tune, (struct data_view){.values = {NULL, NULL, look->few}}, error);
}

tlu_status views_open_more(struct tune *tune, tlu_error *error)
{
    static const char *const ways[] = {"most-frequent", "zero", "mean"};
    const struct data_summary *look = split_summary(tune->views[0].rows);
    if (look->words && !options_is_set(tune->given, OPTION_NGRAMS)) {
        const char *lowercase = options_is_set(tune->given, OPTION_LOWERCASE) ? NULL : "yes";
        TRY(open_variant(tune, (struct data_view){.values = {"3", lowercase}}, error));
    }
    bool missing = look->missing && !options_is_set(tune->given, OPTION_MISSING);
    for (size_t i = 0; missing && i < sizeof ways / sizeof ways[0]; i++)
        TRY(open_variant(tune, (struct data_view){.values = {[VIEW_MISSING] = ways[i]}}, error));
    return TLU_OK;
}

void views_close(struct tune *tune)
{
    for (size_t i = 0; i < tune->view_count; i++)
        tlu_split_free(tune->views[i].rows);
    tune->view_count = 0;
}
