// Refinement: tries neighbours of the best candidates. A neighbour differs from its parent in one
// point: a number is halved or doubled; --tfidf, --normalize or --scale changes; or the data is
// read in another way.
#include "base/memory.h"
#include "numeric/number.h"
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARENTS 3      // number of the best whose neighbours are tried first
#define PARENTS_MAX 12 // and if there is time

static tlu_status enlist(struct tune *tune, struct candidate *candidate, tlu_error *error)
{
    struct candidate **racing =
        memory_resize(tune->racing, tune->racing_count + 1, sizeof *tune->racing);
    TRY(enough_memory(racing != NULL, error));
    tune->racing = racing;
    tune->racing[tune->racing_count++] = candidate;
    return TLU_OK;
}

// Adds a candidate that differs from its parent in one option, or if `value` is NULL, in the view.
static tlu_status add(struct tune *tune, const struct candidate *parent, enum option option,
                      const char *value, const struct data_view *view, tlu_error *error)
{
    struct candidate *added;
    tlu_options *options = options_copy(parent->options);
    TRY(enough_memory(options != NULL, error));
    tlu_error why;
    tlu_status status = TLU_OK;
    for (size_t i = 0; i < VIEW_OPTIONS && status == TLU_OK; i++)
        if (parent->view->values[i] && view != parent->view)
            status = tlu_options_clear(options, view_options[i], error);
    if (status == TLU_OK && view != parent->view)
        status = view_set(view, options, error);
    if (status == TLU_OK && value)
        status = tlu_options_set(options, tlu_option_at(option)->name, value, &why);
    if (status == TLU_ERROR_INPUT) { // out of the option's range
        tlu_options_free(options);
        return TLU_OK;
    }
    if (status != TLU_OK) {
        tlu_options_free(options);
        return status;
    }
    TRY(candidate_add(tune, options, view, &added, error));
    if (!added)
        return TLU_OK;
    added->parent = parent;
    return enlist(tune, added, error);
}

tlu_status value_of(const tlu_options *options, enum option option, double *value, tlu_error *error)
{
    char text[64] = "";
    *value = NAN;
    tlu_options_default(options, tlu_option_at(option)->name, text, sizeof text);
    tlu_options *own = options_copy(options);
    TRY(enough_memory(own != NULL, error));
    bool fine =
        options_is_set(own, option) ||
        (text[0] && tlu_options_set(own, tlu_option_at(option)->name, text, NULL) == TLU_OK);
    if (fine && tlu_option_at(option)->type == TLU_OPTION_COUNT)
        *value = (double)options_count(own, option);
    else if (fine && (tlu_option_at(option)->type != TLU_OPTION_RANGE ||
                      options_high(own, option) == options_number(own, option)))
        *value = options_number(own, option);
    tlu_options_free(own);
    return TLU_OK;
}

// Adds half and twice each number. Alpha is below 1, so its distance from 1 is halved and doubled.
static tlu_status add_numbers(struct tune *tune, const struct candidate *parent, tlu_error *error)
{
    static const enum option steps[] = {OPTION_RATE,      OPTION_C,     OPTION_R,
                                        OPTION_SMOOTHING, OPTION_ALPHA, OPTION_EPOCHS};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        enum option option = steps[i];
        char text[64];
        double value;
        if (options_is_set(tune->given, option) ||
            tlu_options_no_effect(parent->options, tlu_option_at(option)->name, text, 2) > 0)
            continue;
        TRY(value_of(parent->options, option, &value, error));
        if (option == OPTION_EPOCHS && candidate_passes(tune, parent) > 0)
            value = (double)candidate_passes(tune, parent);
        for (double factor = 0.5; value > 0 && factor <= 2; factor *= 4) {
            double other = option == OPTION_ALPHA ? 1 - (1 - value) * factor : value * factor;
            if (tlu_option_at(option)->type == TLU_OPTION_COUNT)
                other = floor(other);
            tlu_number_format(text, sizeof text, other);
            TRY(add(tune, parent, option, text, parent->view, error));
        }
    }
    return TLU_OK;
}

// Halves and doubles gamma of rbf:GAMMA, and the units of a net with one hidden layer.
static tlu_status add_texts(struct tune *tune, const struct candidate *parent, tlu_error *error)
{
    const char *kernel = options_text(parent->options, OPTION_KERNEL);
    const char *hidden = options_text(parent->options, OPTION_HIDDEN);
    char text[64] = "rbf:", why[2];
    double gamma = 0;
    bool rbf = strncmp(kernel, "rbf:", 4) == 0 && !options_is_set(tune->given, OPTION_KERNEL) &&
               number_whole(kernel + 4, strlen(kernel + 4), &gamma);
    for (double factor = 0.5; rbf && factor <= 2; factor *= 4) {
        tlu_number_format(text + 4, sizeof text - 4, gamma * factor);
        TRY(add(tune, parent, OPTION_KERNEL, text, parent->view, error));
    }
    double units = (double)strtoull(hidden, NULL, 10);
    if (tlu_options_no_effect(parent->options, "hidden", why, sizeof why) > 0 || units < 2 ||
        options_is_set(tune->given, OPTION_HIDDEN) || strchr(hidden, ','))
        return TLU_OK;
    for (double factor = 0.5; factor <= 2; factor *= 4) {
        tlu_number_format(text, sizeof text, floor(units * factor));
        TRY(add(tune, parent, OPTION_HIDDEN, text, parent->view, error));
    }
    return TLU_OK;
}

static tlu_status add_flags(struct tune *tune, const struct candidate *parent, tlu_error *error)
{
    bool words = split_summary(parent->view->rows)->words;
    enum option flags[] = {OPTION_NORMALIZE, OPTION_TFIDF};
    for (size_t i = 0; i < (words ? 2 : 1); i++)
        if (!options_is_set(tune->given, flags[i]))
            TRY(add(tune, parent, flags[i], options_flag(parent->options, flags[i]) ? "no" : "yes",
                    parent->view, error));
    static const char *const scales[] = {"standard", "maxabs", "none"};
    bool kernel = options_is_set(parent->options, OPTION_KERNEL) || parent->effort == EFFORT_NET;
    for (size_t i = 0; kernel && i < 3 && !options_is_set(tune->given, OPTION_SCALE); i++)
        TRY(add(tune, parent, OPTION_SCALE, scales[i], parent->view, error));
    return TLU_OK;
}

static tlu_status add_neighbours(struct tune *tune, struct candidate *parent, tlu_error *error)
{
    parent->refined = true;
    TRY(add_numbers(tune, parent, error));
    TRY(add_texts(tune, parent, error));
    TRY(add_flags(tune, parent, error));
    for (size_t v = 0; v < tune->view_count; v++)
        if (&tune->views[v] != parent->view)
            TRY(add(tune, parent, OPTION_COUNT, NULL, &tune->views[v], error));
    return TLU_OK;
}

// Sets the racing candidates to the neighbours of the `most` best, except those tried before.
static tlu_status find_neighbours(struct tune *tune, size_t most, tlu_error *error)
{
    tune->racing_count = 0;
    tune_sort(tune->candidates, tune->shown.count);
    if (most > tune->shown.count)
        most = tune->shown.count;
    for (size_t i = 0; i < most; i++) { // neighbours are appended after these
        struct candidate *parent = tune->candidates[i];
        // If twice the epochs changed no prediction, still more epochs are not worth trying.
        if (parent->shown.folds >= tune->settings->folds && !parent->refined && !parent->fixed &&
            !equals_parent(tune, parent))
            TRY(add_neighbours(tune, parent, error));
    }
    return TLU_OK;
}

static bool is_left(const struct tune *tune, const struct candidate *candidate)
{
    return (candidate->fate == NOT_TRIED || candidate->fate == OUT_OF_TIME) &&
           candidate->shown.folds < tune->settings->folds;
}

// Sets the racing candidates to those that were skipped for lack of time.
static tlu_status find_left(struct tune *tune, tlu_error *error)
{
    tune->racing_count = 0;
    for (size_t i = 0; i < tune->shown.count; i++)
        if (is_left(tune, tune->candidates[i]))
            TRY(enlist(tune, tune->candidates[i], error));
    return TLU_OK;
}

// Tries neighbours of the best candidates until none is left or the time of this stage is used up.
// `most` limits the number of parents, `used` is the share of the time used before this stage.
static tlu_status race_neighbours(struct tune *tune, size_t most, double used, tlu_error *error)
{
    for (;;) {
        double share = tune_refine_share(tune, used);
        if (tune->stopped || (tune->open = !tune_has_time(tune, share)))
            return TLU_OK;
        for (size_t parents = PARENTS; !tune->racing_count && parents <= most; parents *= 2)
            TRY(find_neighbours(tune, parents, error));
        if (!tune->racing_count)
            return TLU_OK;
        TRY(tune_race(tune, share, tune->best, error));
        tune_sort(tune->candidates, tune->shown.count);
        tune->best = tune->candidates[0];
        tune->racing_count = 0;
    }
}

tlu_status refine(struct tune *tune, tlu_error *error)
{
    double used = tune_used_share(tune);
    bool again = tune->more_views;
    tune->stage = "refine";
    tune->racing_count = 0;
    tune->open = true;
    if (!tune_has_time(tune, tune_refine_share(tune, used)))
        return TLU_OK;
    if (again)
        TRY(find_left(tune, error));
    else
        TRY(views_open_more(tune, error));
    tune->more_views = true;
    for (size_t v = 0; v < tune->view_count; v++)
        TRY(split_divide(tune->views[v].rows, 1, error));
    // In the second call, finalists measured on more folds come before the other candidates.
    TRY(race_neighbours(tune, again ? 2 * PARENTS_MAX : PARENTS_MAX, used, error));
    tune->racing_count = 0;
    for (size_t i = 0; i < tune->shown.count; i++)
        tune->open = tune->open || is_left(tune, tune->candidates[i]);
    return TLU_OK;
}
