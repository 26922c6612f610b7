// SUPP, REPL, GAIN: the training rows that a model keeps, and the updates that a vote replays.
#include "base/memory.h"
#include "model/file/sections.h"
#include "space/panel.h"

// The rows of supports: not kept, or with values 1 alone, or with others.
enum { ROWS_NONE, ROWS_ONES, ROWS_VALUES };

// A kernel needs the rows, and so does the replay of a run. The largest margin tells of its rows,
// but needs them no more.
static bool needs_rows(const struct tlu_model *model)
{
    return model->state.kernel.kind || model_replays(model);
}

// In the order of the row's features, which is that of the sums over them.
static void put_rows(struct packer *out, const struct supports *supports, bool ones)
{
    for (size_t i = 0; i < supports->count; i++)
        put_count(out, supports->row[i].count);
    for (size_t i = 0; i < supports->count; i++) {
        const tlu_row *row = &supports->row[i];
        for (size_t k = 0; k < row->count; k++)
            put_move(out, k ? row->features[k - 1] : 0, row->features[k]);
    }
    if (!ones)
        put_singles(out, supports->values, supports->nonzeros);
}

void put_supports(struct packer *out, const tlu_model *model)
{
    const struct supports *supports = &model->supports;
    bool rows = needs_rows(model), ones = true;
    if (supports->count == 0)
        return;
    for (size_t i = 0; i < supports->nonzeros && ones; i++)
        ones = supports->values[i] == 1;
    put_count(out, supports->count);
    put_fixed(out, !rows ? ROWS_NONE : ones ? ROWS_ONES : ROWS_VALUES, 1);
    if (rows)
        put_count(out, supports->nonzeros);
    for (size_t i = 0; i < supports->count; i++)
        put_move(out, i ? supports->line[i - 1] : 0, supports->line[i]);
    for (size_t i = 0; i < supports->count; i++)
        put_count(out, supports->classes[i]);
    put_numbers(out, supports->alpha, supports->count);
    if (rows)
        put_rows(out, supports, ones);
}

static bool may_keep_supports(const tlu_model *model)
{
    const struct learner_kind *kind = learner_kind_of(model->state.options);
    return needs_rows(model) || kind->traits & LEARNER_BATCH;
}

static void get_lines(struct unpack *in, struct supports *supports)
{
    uint64_t line = 0;
    for (size_t i = 0; i < supports->count && !unpack_failed(in); i++)
        supports->line[i] = line = unpack_moved(in, line);
    uint32_t classes = schema_classes(&in->model->state.schema);
    classes += in->model->state.schema.multilabel; // C: a row without labels
    for (size_t i = 0; i < supports->count && !unpack_failed(in); i++) {
        uint64_t class_index = unpack_count(in);
        if (class_index >= classes)
            unpack_damaged(in, "a row is of class %llu, which is not there",
                           (unsigned long long)class_index);
        else
            supports->classes[i] = (uint32_t)class_index;
    }
    unpack_numbers(in, supports->alpha, supports->count);
    for (size_t i = 0; i < supports->count && !unpack_failed(in); i++)
        if (supports->alpha[i] < 0)
            unpack_damaged(in, "an alpha is negative");
}

// Where the entries of each row are, one row after the other.
static void get_row_counts(struct unpack *in, struct supports *supports)
{
    uint64_t start = 0;
    for (size_t i = 0; i < supports->count && !unpack_failed(in); i++) {
        uint64_t count = unpack_count(in);
        if (count > supports->nonzeros - start) {
            unpack_damaged(in, "the rows have more entries than were announced");
            return;
        }
        supports->row[i] =
            (tlu_row){(size_t)count, supports->features + start, supports->values + start};
        start += count;
    }
    if (start != supports->nonzeros)
        unpack_damaged(in, "the rows have fewer entries than were announced");
}

// The features of a row; last_row[feature] is the last row that had it, counted from 1.
static void get_row(struct unpack *in, struct supports *supports, uint32_t i, uint32_t *last_row)
{
    size_t features = schema_features(&in->model->state.schema);
    uint32_t *to = supports->features + (supports->row[i].features - supports->features);
    uint64_t feature = 0;
    for (size_t k = 0; k < supports->row[i].count && !unpack_failed(in); k++) {
        feature = unpack_moved(in, feature);
        if (feature >= features) {
            unpack_damaged(in, "a row has feature %llu, which is not there",
                           (unsigned long long)feature);
        } else if (last_row[feature] == i + 1) {
            unpack_damaged(in, "a row has feature %llu twice", (unsigned long long)feature);
        } else {
            last_row[feature] = i + 1;
            to[k] = (uint32_t)feature;
        }
    }
}

static void get_rows(struct unpack *in, struct supports *supports, bool ones)
{
    uint32_t *last_row =
        unpack_checked(in, memory_new(schema_features(&in->model->state.schema), sizeof *last_row));
    get_row_counts(in, supports);
    for (uint32_t i = 0; i < supports->count && !unpack_failed(in); i++)
        get_row(in, supports, i, last_row);
    memory_free(last_row);
    for (size_t k = 0; ones && k < supports->nonzeros; k++)
        supports->values[k] = 1;
    if (!ones)
        unpack_singles(in, supports->values, supports->nonzeros);
    for (size_t i = 0; i < supports->count && !unpack_failed(in); i++)
        supports->norm[i] = panel_norm(&supports->row[i]);
}

void unpack_supports(struct unpack *in)
{
    struct supports *supports = &in->model->supports;
    if (!may_keep_supports(in->model))
        unpack_damaged(in, "rows should not be there");
    uint64_t count = unpack_length(in, 2, "rows");
    if (count == 0 || count >= BATCH_LOCAL)
        unpack_damaged(in, "a model cannot keep %llu rows", (unsigned long long)count);
    unsigned kind = unpack_choice(in, ROWS_VALUES, "the kind of rows");
    if ((kind != ROWS_NONE) != needs_rows(in->model))
        unpack_damaged(in, "the rows %s", kind ? "should not be there" : "are missing");
    uint64_t nonzeros = kind == ROWS_NONE ? 0 : unpack_length(in, 1, "entries of rows");
    if (unpack_failed(in))
        return;
    if (!supports_new(supports, (size_t)count, (size_t)nonzeros))
        unpack_checked(in, NULL);
    else
        get_lines(in, supports);
    if (kind != ROWS_NONE && !unpack_failed(in))
        get_rows(in, supports, kind == ROWS_ONES);
}

// ---- REPL ----

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
static void put_step(struct packer *out, const tlu_model *model, const struct history_step *step,
                     const struct history_step *before)
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
    put_move(out, before->id, step->id);
    if (model->state.scheme.kind != SCHEME_WTA && model->state.scheme.kind != SCHEME_TWO)
        put_count(out, step->group); // and the column of its one part
    for (int p = 0; p < 2 && model->state.scheme.kind == SCHEME_WTA; p++)
        if (step->sign[p])
            put_count(out, step->column[p]);
    if (!same)
        put_number(out, step->amount, (enum number_code)code);
    if (factor)
        put_double(out, step->factor);
}

void put_replay(struct packer *out, const tlu_model *model)
{
    const struct history *history = model->state.decision.history;
    if (!history || history->count == 0)
        return;
    put_count(out, history->count);
    struct history_step start = {0};
    for (size_t n = 0; n < history->count; n++)
        put_step(out, model, &history->steps[n], n ? &history->steps[n - 1] : &start);
}

static uint32_t get_index(struct unpack *in, uint32_t count, const char *what)
{
    uint64_t index = unpack_count(in);
    if (index < count)
        return (uint32_t)index;
    unpack_damaged(in, "there is no %s %llu", what, (unsigned long long)index);
    return 0;
}

static void get_sign(struct unpack *in, struct history_step *step, int part, unsigned code)
{
    static const int8_t signs[] = {[SIGN_NONE] = 0, [SIGN_PLUS] = 1, [SIGN_MINUS] = -1};
    if (code > SIGN_MINUS || (part == 1 && code && in->model->state.scheme.kind != SCHEME_WTA))
        unpack_damaged(in, "a step has a sign that cannot be");
    else
        step->sign[part] = signs[code];
}

// The group and the columns of the parts. With winner-takes-all there is one group; without, a
// column is a group.
static void get_columns(struct unpack *in, struct history_step *step)
{
    uint32_t columns = in->model->state.weights.columns;
    if (in->model->state.scheme.kind != SCHEME_WTA && in->model->state.scheme.kind != SCHEME_TWO)
        step->group = get_index(in, columns, "column");
    for (int p = 0; p < 2; p++)
        if (step->sign[p])
            step->column[p] = in->model->state.scheme.kind == SCHEME_WTA
                                  ? get_index(in, columns, "column")
                                  : step->group;
}

static void get_step(struct unpack *in, struct history_step *step,
                     const struct history_step *before)
{
    const tlu_model *model = in->model;
    unsigned head = (unsigned)unpack_fixed(in, 1), amount = head >> STEP_AMOUNT & 7;
    get_sign(in, step, 0, head >> STEP_SIGNS & 3);
    get_sign(in, step, 1, head >> (STEP_SIGNS + 2) & 3);
    uint64_t later = unpack_count(in);
    if (later > (uint64_t)model->state.weights.steps - before->time)
        unpack_damaged(in, "a step comes after the end");
    step->time = before->time + later;
    if (step->time == 0)
        unpack_damaged(in, "a step comes before the first example");
    uint64_t support = unpack_moved(in, before->id);
    if (support >= model->supports.count)
        unpack_damaged(in, "there is no row %llu", (unsigned long long)support);
    step->id = support;
    get_columns(in, step);
    if (amount > STEP_SAME)
        unpack_damaged(in, "the amount of a step cannot be read");
    step->amount =
        amount == STEP_SAME ? before->amount : unpack_number(in, (enum number_code)(amount & 3));
    step->factor = head >> STEP_FACTOR & 1 ? unpack_number(in, CODE_DOUBLE) : 1;
}

void unpack_replay(struct unpack *in)
{
    struct history *history = in->model->state.decision.history;
    if (!model_replays(in->model))
        unpack_damaged(in, "steps should not be there");
    size_t count = (size_t)unpack_length(in, 3, "steps");
    if (count == 0)
        unpack_damaged(in, "there are no steps");
    if (unpack_failed(in))
        return;
    history->steps = unpack_checked(in, memory_new(count, sizeof *history->steps));
    struct history_step start = {0};
    for (size_t n = 0; n < count && !unpack_failed(in); n++)
        get_step(in, &history->steps[n], n ? &history->steps[n - 1] : &start);
    if (!unpack_failed(in))
        history->count = count;
}

// ---- GAIN ----

void put_gains(struct packer *out, const tlu_model *model)
{
    const struct history *history = model->state.decision.history;
    if (!model_keeps_gains(model) || history->count == 0)
        return;
    put_count(out, history->gain_count);
    put_numbers(out, history->gains, history->gain_count);
}

// Whether the steps have so many.
static bool is_their_count(const tlu_model *model, uint64_t count)
{
    bool with_bias = !options_flag(model->state.options, OPTION_NO_BIAS);
    for (size_t n = 0; n < model->state.decision.history->count; n++) {
        const struct history_step *step = &model->state.decision.history->steps[n];
        size_t gains = step_gains(step->sign, model->supports.row[step->id].count, with_bias);
        if (gains > count)
            return false;
        count -= gains;
    }
    return count == 0;
}

void unpack_gains(struct unpack *in)
{
    struct history *history = in->model->state.decision.history;
    if (!model_keeps_gains(in->model) || history->count == 0)
        unpack_damaged(in, "gains are kept without need");
    uint64_t count = unpack_count(in);
    if (unpack_failed(in) || !unpack_numbers_fit(in, count))
        return;
    if (!is_their_count(in->model, count)) {
        unpack_damaged(in, "the steps do not have %llu gains", (unsigned long long)count);
        return;
    }
    history->gains = unpack_new_numbers(in, (size_t)count);
    history->gain_count = unpack_failed(in) ? 0 : (size_t)count;
}
