// The perceptron on rows scaled to length 1, in floating point. After a pass without mistakes its
// weights are rounded to integers and checked.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "proof/exact.h"
#include "proof/task.h"

#include <math.h>
#include <string.h>

struct steps {
    const struct separation_task *task;
    double *w;      // [dims]
    double *length; // [rows]
};

static double score(const struct steps *steps, size_t i, size_t base)
{
    const struct examples *examples = steps->task->examples;
    double sum = 0;
    for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++)
        sum += steps->w[base + examples->columns[k]] * examples->near[k];
    return sum;
}

static void add(struct steps *steps, size_t i, size_t base, double amount)
{
    const struct examples *examples = steps->task->examples;
    for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++)
        steps->w[base + examples->columns[k]] += amount * examples->near[k];
}

// Whether the row was right. A score close to 0 counts as wrong: it would not survive rounding.
static bool step(struct steps *steps, size_t i)
{
    const struct separation_task *task = steps->task;
    uint32_t own = task->examples->group[i];
    size_t width = task->examples->width;
    double length = steps->length[i];
    if (task->blocks == 1) {
        double y = own ? 1 : -1;
        if (y * score(steps, i, 0) > 1e-3 * length)
            return true;
        add(steps, i, 0, y / length);
        return false;
    }
    double mine = score(steps, i, own * width), best = -INFINITY;
    uint32_t rival = 0;
    for (uint32_t k = 0; k < task->blocks; k++) {
        double other = k == own ? -INFINITY : score(steps, i, k * width);
        if (other > best) {
            best = other;
            rival = k;
        }
    }
    if (mine - best > 1e-3 * length)
        return true;
    add(steps, i, own * width, 1 / length);
    add(steps, i, rival * width, -1 / length);
    return false;
}

static bool passes_end(struct steps *steps, size_t passes)
{
    size_t count = steps->task->examples->count;
    for (size_t pass = 0; pass < passes; pass++) {
        size_t mistakes = 0;
        for (size_t i = 0; i < count; i++) {
            mistakes += !is_gone(steps->task, i) && !step(steps, i);
            if (i % 256 == 255 && is_late(steps->task->deadline))
                return false;
        }
        if (mistakes == 0)
            return true;
    }
    return false;
}

static struct steps steps_new(const struct separation_task *task)
{
    size_t count = task->examples->count;
    struct steps steps = {task, exact_new(task->dims, sizeof(double)),
                          exact_new(count, sizeof(double))};
    for (size_t i = 0; i < count; i++) {
        double length = examples_length(task->examples, i);
        steps.length[i] = length > 0 && isfinite(length) ? length : 1;
    }
    return steps;
}

enum finding find_by_steps(const struct separation_task *task, size_t passes,
                           struct certificate *found)
{
    struct steps steps = steps_new(task);
    witness_init(&found->weights, task->dims);
    if (passes_end(&steps, passes) && witness_try(task, steps.w, &found->weights))
        return FOUND_WEIGHTS;
    witness_free(&found->weights);
    return FOUND_NOTHING;
}

static size_t count_wrong(const struct steps *steps)
{
    size_t wrong = 0;
    const struct separation_task *task = steps->task;
    size_t width = task->examples->width;
    for (size_t i = 0; i < task->examples->count; i++) {
        uint32_t own = task->examples->group[i];
        double mine = score(steps, i, task->blocks == 1 ? 0 : own * width);
        bool right = task->blocks > 1 || (own ? mine > 0 : mine < 0);
        for (uint32_t k = 0; right && task->blocks > 1 && k < task->blocks; k++)
            right = k == own || score(steps, i, k * width) < mine;
        wrong += !right;
    }
    return wrong;
}

// The pocket algorithm (Gallant 1990); the pocket is updated after each pass.
void pocket(const struct separation_task *task, size_t passes, double *best)
{
    struct steps steps = steps_new(task);
    size_t least = SIZE_MAX;
    for (size_t pass = 0; pass < passes && !is_late(task->deadline); pass++) {
        passes_end(&steps, 1);
        size_t wrong = count_wrong(&steps);
        if (wrong >= least)
            continue;
        least = wrong;
        memcpy(best, steps.w, task->dims * sizeof *best);
    }
}
#endif
