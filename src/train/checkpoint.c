// A look at a training that goes on: what it would be if somebody had interrupted it now.
#include "base/memory.h"
#include "train/train.h"

#include <string.h>

void training_view_free(struct training *view)
{
    memory_free(view->mistakes);
    memory_free(view->accuracy);
    pause_free(view->pause);
}

// The pass at hand counts as one, as that of an interrupted training does.
static bool view_passes(struct training *view, struct training *t)
{
    size_t passes = (size_t)t->pass;
    view->mistakes = memory_new(passes + 1, sizeof *view->mistakes);
    if (!view->mistakes)
        return false;
    if (passes)
        memcpy(view->mistakes, t->mistakes, passes * sizeof *view->mistakes);
    view->mistakes[passes] = t->pass_mistakes;
    view->pass = t->pass + 1;
    if (options_number(t->learner.options, OPTION_HOLDOUT) == 0) {
        view->best_pass = view->pass;
        return true;
    }
    view->accuracy = memory_new(passes + 1, sizeof *view->accuracy);
    if (!view->accuracy)
        return false;
    if (passes)
        memcpy(view->accuracy, t->accuracy, passes * sizeof *view->accuracy);
    view->accuracy[passes] = training_accuracy(t);
    if (!t->best_pass || view->accuracy[passes] > t->accuracy[t->best_pass - 1]) {
        view->best_pass = view->pass;
        view->best = (struct weights){0}; // the learner's own are
    }
    return true;
}

tlu_status training_view(struct training *t, struct training *view, tlu_error *error)
{
    *view = *t;
    view->mistakes = NULL;
    view->accuracy = NULL;
    view->notices = NULL;
    view->notice_count = 0;
    view->stopped = STOPPED_INTERRUPTED;
    view->pause = pause_take(t);
    return view->pause && view_passes(view, t) ? TLU_OK : error_memory(error);
}
