// REPL: the steps that a vote goes through again.
#include "base/memory.h"
#include "model/file/sections.h"

// A step of a replay begins with a byte: two bits for the sign of each of the two parts, one that
// tells that a factor follows, and three for the amount: its number_code, or that it is the amount
// of the step before.
enum {
    STEP_SIGNS = 0, // bits 0 to 3
    STEP_FACTOR = 4,
    STEP_AMOUNT = 5, // bits 5 to 7
    STEP_SAME = CODE_DOUBLE + 1
};
enum { SIGN_NONE, SIGN_PLUS, SIGN_MINUS };

static unsigned sign_code(int8_t sign)
{
    return sign > 0 ? SIGN_PLUS : sign < 0 ? SIGN_MINUS : SIGN_NONE;
}

// Most steps add the same amount as the step before, and none has to tell the amount or the
// factor 1.
static void put_step(struct out *out, const tlu_model *model, const struct replay_step *step,
                     const struct replay_step *before)
{
    bool same = number_is_same(step->amount, before->amount);
    unsigned code = same ? STEP_SAME : (unsigned)number_code_of(step->amount);
    bool factor = !number_is_same(step->factor, 1);
    put_fixed(out,
              sign_code(step->sign[0]) << STEP_SIGNS |
                  sign_code(step->sign[1]) << (STEP_SIGNS + 2) | (unsigned)factor << STEP_FACTOR |
                  code << STEP_AMOUNT,
              1);
    put_count(out, step->time - before->time);
    put_move(out, before->support, step->support);
    if (model->scheme != SCHEME_WTA && model->scheme != SCHEME_TWO)
        put_count(out, step->group); // and the column of its one part
    for (int p = 0; p < 2 && model->scheme == SCHEME_WTA; p++)
        if (step->sign[p])
            put_count(out, step->column[p]);
    if (!same)
        put_number(out, step->amount, (enum number_code)code);
    if (factor)
        put_double(out, step->factor);
}

void put_replay(struct out *out, const tlu_model *model)
{
    const struct replay *replay = &model->replay;
    if (replay->count == 0)
        return;
    put_count(out, replay->count);
    struct replay_step start = {0};
    for (size_t n = 0; n < replay->count; n++)
        put_step(out, model, &replay->steps[n], n ? &replay->steps[n - 1] : &start);
}

static uint32_t get_index(struct unpack *in, uint32_t count, const char *what)
{
    uint64_t index = unpack_count(in);
    if (index < count)
        return (uint32_t)index;
    unpack_damaged(in, "there is no %s %llu", what, (unsigned long long)index);
    return 0;
}

static void get_sign(struct unpack *in, struct replay_step *step, int part, unsigned code)
{
    static const int8_t signs[] = {[SIGN_NONE] = 0, [SIGN_PLUS] = 1, [SIGN_MINUS] = -1};
    if (code > SIGN_MINUS || (part == 1 && code && in->model->scheme != SCHEME_WTA))
        unpack_damaged(in, "a step has a sign that cannot be");
    else
        step->sign[part] = signs[code];
}

// The group and the columns of the parts. With winner-takes-all there is one group; without, a
// column is a group.
static void get_columns(struct unpack *in, struct replay_step *step)
{
    uint32_t columns = in->model->weights.columns;
    if (in->model->scheme != SCHEME_WTA && in->model->scheme != SCHEME_TWO)
        step->group = get_index(in, columns, "column");
    for (int p = 0; p < 2; p++)
        if (step->sign[p])
            step->column[p] =
                in->model->scheme == SCHEME_WTA ? get_index(in, columns, "column") : step->group;
}

static void get_step(struct unpack *in, struct replay_step *step, const struct replay_step *before)
{
    const tlu_model *model = in->model;
    unsigned head = (unsigned)unpack_fixed(in, 1), amount = head >> STEP_AMOUNT & 7;
    get_sign(in, step, 0, head >> STEP_SIGNS & 3);
    get_sign(in, step, 1, head >> (STEP_SIGNS + 2) & 3);
    uint64_t later = unpack_count(in);
    if (later > (uint64_t)model->weights.steps - before->time)
        unpack_damaged(in, "a step comes after the end");
    step->time = before->time + later;
    if (step->time == 0)
        unpack_damaged(in, "a step comes before the first example");
    uint64_t support = unpack_moved(in, before->support);
    if (support >= model->supports.count)
        unpack_damaged(in, "there is no row %llu", (unsigned long long)support);
    step->support = (uint32_t)support;
    get_columns(in, step);
    if (amount > STEP_SAME)
        unpack_damaged(in, "the amount of a step cannot be read");
    step->amount =
        amount == STEP_SAME ? before->amount : unpack_number(in, (enum number_code)(amount & 3));
    step->factor = head >> STEP_FACTOR & 1 ? unpack_number(in, CODE_DOUBLE) : 1;
}

void unpack_replay(struct unpack *in)
{
    struct replay *replay = &in->model->replay;
    if (!model_replays(in->model))
        unpack_damaged(in, "steps should not be there");
    size_t count = (size_t)unpack_length(in, 3, "steps");
    if (count == 0)
        unpack_damaged(in, "there are no steps");
    if (unpack_failed(in))
        return;
    replay->steps = unpack_checked(in, memory_new(count, sizeof *replay->steps));
    struct replay_step start = {0};
    for (size_t n = 0; n < count && !unpack_failed(in); n++)
        get_step(in, &replay->steps[n], n ? &replay->steps[n - 1] : &start);
    if (!unpack_failed(in))
        replay->count = count;
}
