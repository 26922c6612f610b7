// Error estimates of the report, from the mistakes of a run.
#include "metrics/metrics.h"
#include "model/model.h"
#include "solvers/batch_solver.h"

#include <math.h>
#include <string.h>

const char *model_stopped_name(enum stopped why)
{
#define STOPPED_NAME(reason, name) name,
    static const char *const names[] = {STOPPED_REASONS(STOPPED_NAME)};
    return why < STOPPED_COUNT ? names[why] : NULL;
}

static bool is_stopped(const tlu_model *model, enum stopped why)
{
    return strcmp(model->report.stopped, model_stopped_name(why)) == 0;
}

// -1: there are none.
static double share(uint64_t mistakes, uint64_t examples)
{
    return examples ? (double)mistakes / (double)examples : -1;
}

// The number of rows in the last pass; 0 if it is not known any more.
static uint64_t last_examples(const tlu_model *model)
{
    if (!is_stopped(model, STOPPED_INTERRUPTED))
        return model->report.examples;
    return model->checkpoint.examples;
}

// Freund and Schapire 1999, theorem 3 (after Helmbold and Warmuth): with E mistakes expected in one
// pass over m + 1 independent rows, weights picked at random among those of a pass over m rows are
// wrong about one more with a probability of at most E/(m + 1), and their vote with at most twice
// that: it is wrong only if half of them are. Here the mistakes seen stand for E. The theorem's
// picks include the weights 0 of the start, ours do not: they do no better than the others if
// ties are mistakes. In one versus the rest and one versus one that does not hold, and the vectors
// of each problem vote among themselves, which is not the vote of the theorem.
static double bound(const tlu_model *model)
{
    const tlu_report *report = &model->report;
    if (!model_replays(model) ||
        (model->state.scheme.kind != SCHEME_TWO && model->state.scheme.kind != SCHEME_WTA) ||
        report->counted_epochs != 1 || report->sorted_by_class || report->progressive_error < 0 ||
        is_stopped(model, STOPPED_INTERRUPTED) ||
        options_choice(model->state.options, OPTION_TIE) != TIE_MISTAKE)
        return -1;
    return (model->state.decision.kind == DECIDE_VOTE ? 2 : 1) * (double)report->mistakes[0] /
           ((double)report->examples + 1);
}

// The report does not show the first two; the file has had them from the first version.
void model_set_figures(struct tlu_model *model, bool sorted, double margin)
{
    const tlu_report *report = &model->report;
    double examples = (double)report->examples, mistakes = 0;
    for (uint64_t i = 0; i < report->epochs; i++)
        mistakes += (double)report->mistakes[i];
    model->recorded.figures[0] = mistakes / (examples * (double)report->epochs);
    model->recorded.figures[1] = sorted ? -1 : 2 * (double)report->mistakes[0] / (examples + 1);
    model->recorded.figures[2] = isfinite(margin) ? margin : 0;
}

static uint64_t count_epochs(const tlu_model *model)
{
    const tlu_report *report = &model->report;
    bool skips = is_stopped(model, STOPPED_CONVERGED) || is_stopped(model, STOPPED_CYCLE);
    if (!skips || !report->examples || !options_count_all_passes(model->state.options))
        return report->epochs;
    uint64_t counted = (uint64_t)(model->state.weights.steps / (double)report->examples);
    return counted > report->epochs ? counted : report->epochs;
}

void model_set_errors(struct tlu_model *model)
{
    tlu_report *report = &model->report;
    report->counted_epochs = count_epochs(model);
    uint64_t epochs = report->epochs;
    bool hard = max_margin_is_hard(model->state.options);
    const char *metric = metric_asked(model->state.options);
    report->held_out_metric = metric[0] ? metric : "accuracy";
    report->margin = hard ? model->recorded.figures[2] : 0;
    report->soft_margin = hard ? 0 : model->recorded.figures[2];
    report->sorted_by_class = model->recorded.figures[1] < 0;
    report->progressive_error = report->training_error = report->bound = -1;
    if (epochs == 0 || is_stopped(model, STOPPED_SOLVED) || strcmp(report->format, "stream") == 0)
        return;
    report->progressive_error =
        share(report->mistakes[0], epochs == 1 ? last_examples(model) : report->examples);
    if (epochs > 1)
        report->training_error = share(report->mistakes[epochs - 1], last_examples(model));
    report->bound = bound(model);
}
