// GAIN: what the steps of REPL add, for learners with states.
#include "base/memory.h"
#include "model/file/sections.h"

void put_gains(struct out *out, const tlu_model *model)
{
    const struct replay *replay = &model->replay;
    if (!model_keeps_gains(model) || replay->count == 0)
        return;
    put_count(out, replay->gain_count);
    put_numbers(out, replay->gains, replay->gain_count);
}

// Whether the steps have so many.
static bool is_their_count(const tlu_model *model, uint64_t count)
{
    bool with_bias = !options_flag(model->options, OPTION_NO_BIAS);
    for (size_t n = 0; n < model->replay.count; n++) {
        const struct replay_step *step = &model->replay.steps[n];
        size_t gains = step_gains(step->sign, model->supports.row[step->support].count, with_bias);
        if (gains > count)
            return false;
        count -= gains;
    }
    return count == 0;
}

void unpack_gains(struct unpack *in)
{
    struct replay *replay = &in->model->replay;
    if (!model_keeps_gains(in->model) || replay->count == 0)
        unpack_damaged(in, "gains are kept without need");
    uint64_t count = unpack_count(in);
    if (unpack_failed(in) || !unpack_numbers_fit(in, count))
        return;
    if (!is_their_count(in->model, count)) {
        unpack_damaged(in, "the steps do not have %llu gains", (unsigned long long)count);
        return;
    }
    replay->gains = unpack_new_numbers(in, (size_t)count);
    replay->gain_count = unpack_failed(in) ? 0 : (size_t)count;
}
