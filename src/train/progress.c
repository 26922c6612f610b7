// What a training reports about its progress, an estimate of the rest, and which function is due.
//
// Passes over rows cost the same each. With a kernel a pass costs what it updates: each updated row
// costs kernel values with all rows (space/dual.h), and later passes update fewer rows. How many
// fewer is estimated from the passes so far, as S_p = S_1 / p^a; in the first of several passes
// this is not known, and there is no estimate. Nor is there one for the search for a hyperplane:
// only the gap, and how many are found.
#include "space/dual.h"
#include "train/checkpoint/checkpoint.h"
#include "train/clock.h"
#include "train/train.h"

#include <math.h>

#define EARLY 0.25  // share of a pass that is too little to tell the rest of it
#define FASTEST 3.0 // the largest a

// How a pass goes, the `pass`-th (from 1) of these many.
struct outlook {
    double supports; // rows that it will have updated; below 0: unknown
    double decay;    // a
};

// S_p / S_(p+1) = ((p+1)/p)^a
static double decay_of(double before, double after, double pass)
{
    double a = after > 0 ? log(before / after) / log((pass + 1) / pass) : FASTEST;
    return fmin(fmax(a, 0), FASTEST);
}

static struct outlook look_ahead(const struct training *t)
{
    const struct kernel_effort *effort = &t->reporter.effort;
    double pass = (double)t->run.pass + 1;
    double share = (double)t->run.now.examples / (double)t->rows.order.count;
    double so_far = (double)dual_supports(t->learner.space.dual);
    if (share >= EARLY && t->run.pass == 0)
        return (struct outlook){so_far / share, 0};
    if (share >= EARLY)
        return (struct outlook){so_far / share, decay_of(effort->last, so_far / share, pass - 1)};
    if (t->run.pass < 2)
        return (struct outlook){-1, 0};
    double a = decay_of(effort->before_last, effort->last, pass - 2);
    return (struct outlook){effort->last * pow((pass - 1) / pass, a), a};
}

// The sum of (p/q)^a over the passes q = p + 1 to `passes`, as an integral.
static double passes_to_come(double pass, double passes, double a)
{
    double from = pass + 0.5, to = passes + 0.5;
    if (passes <= pass)
        return 0;
    if (fabs(a - 1) < 1e-9)
        return pass * log(to / from);
    return pow(pass, a) * (pow(to, 1 - a) - pow(from, 1 - a)) / (1 - a);
}

static void tell_kernel(const struct training *t, tlu_progress *progress)
{
    progress->work = dual_work(t->learner.space.dual);
    struct outlook outlook = look_ahead(t);
    if (outlook.supports < 0 || (t->run.pass == 0 && t->passes > 1))
        return;
    double passes = 1 + passes_to_come((double)t->run.pass + 1, (double)t->passes, outlook.decay);
    double expected = t->reporter.effort.work_before +
                      outlook.supports * dual_support_work(t->learner.space.dual) * passes;
    progress->work_expected = fmax(expected, progress->work);
}

static void tell_passes(tlu_progress *progress)
{
    double share = 0;
    if (progress->examples_expected)
        share = (double)progress->examples / (double)progress->examples_expected;
    else if (progress->bytes_expected)
        share = (double)progress->bytes / (double)progress->bytes_expected;
    progress->work = (double)(progress->pass - 1) + share;
    progress->work_expected = progress->work > 0 ? (double)progress->passes : 0;
}

void progress_report(struct training *t)
{
    struct progress_reporter *reporter = &t->reporter;
    if (!reporter->progress || reporter->interrupted)
        return;
    const struct tlu_learner *learner = &t->learner;
    tlu_progress progress = {.pass = t->run.pass + 1,
                             .passes = t->passes,
                             .examples = t->run.now.examples,
                             .examples_expected = t->run.pass ? t->rows.order.count : 0,
                             .mistakes = t->run.now.mistakes,
                             .bytes = t->rows.counts.bytes,
                             .bytes_expected = t->rows.reader ? reader_size(t->rows.reader) : 0,
                             .seconds = clock_seconds() - reporter->started};
    if (learner->rule.kind->traits & LEARNER_BATCH) {
        progress.passes = 1;
        progress.planes = learner->solving.planes;
        bool together = learner->solving.solution && learner->state.scheme.kind == SCHEME_WTA;
        progress.planes_expected = !reporter->solving ? 0
                                   : together         ? 1
                                                      : learner->state.weights.columns;
        progress.gap = learner->solving.gap;
    } else if (learner->space.dual) {
        progress.examples_expected = t->rows.order.count;
        if (t->run.now.examples)
            tell_kernel(t, &progress);
    } else if (!t->rows.whole || t->run.pass || t->run.now.examples) {
        tell_passes(&progress);
    }
    if (progress.work > 0 && progress.work_expected > 0)
        progress.seconds_left = (progress.seconds - reporter->effort.started) *
                                (progress.work_expected - progress.work) / progress.work;
    else
        progress.seconds_left = -1;
    reporter->interrupted = reporter->progress(reporter->context, &progress) != 0;
}

bool progress_ends(void *training)
{
    struct training *t = training;
    progress_report(t);
    return t->reporter.interrupted;
}

tlu_status progress_examples(struct training *t, tlu_error *error)
{
    t->reporter.work = 0;
    progress_report(t);
    return t->learner.space.dual ? TLU_OK
                                 : progress_checkpoint(t, error); // there between blocks alone
}

tlu_status progress_checkpoint(struct training *t, tlu_error *error)
{
    struct progress_reporter *reporter = &t->reporter;
    if (!reporter->checkpoint || reporter->interrupted || t->team ||
        t->learner.state.scheme.classes < 2 || t->run.now.examples == 0 ||
        !checkpoint_is_possible(t) || clock_seconds() < reporter->checkpoint_due)
        return TLU_OK;
    TRY(reporter->checkpoint(t, error));
    reporter->checkpoint_due =
        clock_seconds() + reporter->checkpoint_seconds; // however long it took
    return TLU_OK;
}

void progress_note_effort(struct training *t)
{
    struct kernel_effort *effort = &t->reporter.effort;
    effort->before_last = effort->last;
    effort->last = (double)dual_supports(t->learner.space.dual);
    effort->work_before = dual_work(t->learner.space.dual);
}
