// --holdout: which rows are held out, and how well the run predicts them.
#include "train/holdout.h"
#include "train/kernel_scores.h"

#include "base/memory.h"
#include "data/stratify.h"
#include "learn/replay.h"
#include "metrics/costs.h"
#include "train/team.h"
#include "train/train.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define FASTER_GRAM_ROWS 32 // held-out rows from which on a faster gram pays for itself

// ---- which rows ----
//
// Every class gives its share (data/stratify.h), and keeps at least one row to learn from. With
// --multilabel the class of a row is its first label, and rows without labels are a class of their
// own.

static tlu_status hold_out(struct rows *rows, struct place place, tlu_error *error)
{
    struct places *held_out = &rows->held_out;
    TRY(cache_reserve(&rows->cache, &held_out->where, &held_out->items, &held_out->capacity,
                      held_out->count + 1, sizeof place, error));
    held_out->items[held_out->count++] = place;
    rows->mask[rows_id(rows, place)] = 1;
    return TLU_OK;
}

static uint32_t stratum_of(const struct rows *rows, struct place place, uint32_t classes)
{
    return batch_stratum(rows_batch(rows, place), place.row, classes);
}

// Splits the rows, all of which are in the order, in file order.
static tlu_status split(struct rows *rows, struct class_share *shares, uint32_t classes,
                        struct random *random, tlu_error *error)
{
    size_t kept = 0;
    for (size_t k = 0; k < rows->order.count; k++) {
        struct place place = rows->order.items[k];
        if (!share_draw(&shares[stratum_of(rows, place, classes)], random))
            rows->order.items[kept++] = place;
        else
            TRY(hold_out(rows, place, error));
    }
    rows->order.count = kept;
    return TLU_OK;
}

tlu_status rows_hold_out(struct rows *rows, const tlu_options *options, uint32_t classes,
                         tlu_error *error)
{
    double fraction = options_number(options, OPTION_HOLDOUT);
    if (fraction == 0)
        return TLU_OK;
    assert(rows->order.count == rows->counts.rows);
    rows->mask = memory_new((size_t)rows->counts.rows, sizeof *rows->mask);
    TRY(enough_memory(rows->mask != NULL, error));
    for (size_t b = 0; b < rows->batch_count; b++)
        rows->batches[b]->held_out = rows->mask + rows->batches[b]->first_row;
    struct class_share *shares = memory_new((size_t)classes + 1, sizeof *shares);
    TRY(enough_memory(shares != NULL, error));
    for (size_t k = 0; k < rows->order.count; k++)
        shares[stratum_of(rows, rows->order.items[k], classes)].rows++;
    for (uint32_t c = 0; c <= classes; c++)
        shares[c].exact = fraction * (double)shares[c].rows;
    uint64_t wanted = (uint64_t)floor(fraction * (double)rows->counts.rows + 0.5), missing;
    tlu_status status = shares_round(shares, classes + 1, wanted, &missing, error);
    // A second stream of random numbers, so that holding rows out does not change the shuffling.
    struct random random;
    random_seed(&random, ~options_count(options, OPTION_SEED));
    if (status == TLU_OK)
        status = split(rows, shares, classes, &random, error);
    memory_free(shares);
    return status;
}

// ---- the metric ----

static void metric_free(struct holdout *holdout)
{
    memory_free(holdout->costs);
    memory_free(holdout->places);
    memory_free(holdout->scores);
    memory_free(holdout->sets);
    memory_free(holdout->row_scratch);
    measure_free(&holdout->measure);
    holdout->costs = holdout->scores = holdout->row_scratch = NULL;
    holdout->places = holdout->sets = NULL;
    holdout->measure = (struct measure){0};
}

void holdout_free(struct holdout *holdout)
{
    metric_free(holdout);
    memory_free(holdout->now);
    memory_free(holdout->votes);
    memory_free(holdout->right);
    memory_free(holdout->since);
}

// A calibration comes after the passes.
static tlu_status refuse_losses(const struct training *t, tlu_error *error)
{
    return error_input(error,
                       "--metric %s with --holdout needs probabilities after each pass: those of "
                       "--learner logistic, and with several classes --multiclass wta or ovr (a "
                       "calibration comes after the last pass); or measure by another metric",
                       t->holdout.metric.metric->info.name);
}

tlu_status holdout_choose_metric(struct training *t, tlu_error *error)
{
    struct holdout *holdout = &t->holdout;
    const tlu_options *options = t->learner.state.options;
    char name[METRIC_NAME_SIZE];
    TRY(metric_choose(metric_asked(options), &holdout->metric, error));
    TRY(metric_check(&holdout->metric, options_flag(options, OPTION_MULTILABEL), error));
    metric_name(&holdout->metric, name);
    holdout->plain =
        holdout->metric.metric == metric_at(0).metric && !options_flag(options, OPTION_WEIGHTED);
    if (options_number(options, OPTION_HOLDOUT) == 0 || holdout->plain)
        return TLU_OK;
    if (holdout->metric.metric->keeps & KEEP_COSTS && !options_text(options, OPTION_COSTS)[0])
        return error_input(error, "--metric cost needs --costs FP:FN, or --costs FILE with a cost "
                                  "matrix");
    if (holdout->metric.metric->keeps & KEEP_LOSSES &&
        !(t->learner.rule.kind->traits & LEARNER_LOGITS))
        return refuse_losses(t, error);
    if (t->learner.state.decision.kind == DECIDE_RANDOM)
        return error_input(
            error,
            "--metric %s cannot be combined with --holdout and --decide random: of a pick "
            "at random only the accuracy to be expected is known",
            name);
    return TLU_OK;
}

static bool order_classes(struct holdout *holdout, const struct tlu_learner *learner)
{
    uint32_t classes = learner->state.scheme.classes, *order = learner_order_classes(learner);
    holdout->places = memory_new(classes, sizeof *holdout->places);
    holdout->scores = memory_new(classes, sizeof *holdout->scores);
    holdout->sets = memory_new(2 * (size_t)classes, sizeof *holdout->sets);
    holdout->row_scratch = memory_new(classes, sizeof *holdout->row_scratch);
    bool fine =
        order && holdout->places && holdout->scores && holdout->sets && holdout->row_scratch;
    for (uint32_t c = 0; fine && c < classes; c++)
        holdout->places[order[c]] = c;
    memory_free(order);
    return fine;
}

static tlu_status begin_metric(struct training *t, tlu_error *error)
{
    struct holdout *holdout = &t->holdout;
    const struct scheme *scheme = &t->learner.state.scheme;
    const char *costs = options_text(t->learner.state.options, OPTION_COSTS);
    if (holdout->plain)
        return TLU_OK;
    metric_free(holdout);
    holdout->status = TLU_OK;
    holdout->logits = rule_logits(t->learner.state.options, scheme->kind);
    if (holdout->metric.metric->keeps & KEEP_LOSSES && holdout->logits == LOGITS_NONE)
        return refuse_losses(t, error);
    TRY(enough_memory(order_classes(holdout, &t->learner), error));
    size_t positive = scheme->kind == SCHEME_TWO ? holdout->places[scheme->positive] : 0;
    if (holdout->metric.metric->keeps & KEEP_COSTS)
        TRY(costs_read(costs, scheme->classes, positive, &holdout->costs, error));
    unsigned sets = scheme->kind == SCHEME_MULTILABEL ? KEEP_SETS : 0;
    return enough_memory(measure_begin(&holdout->measure, scheme->classes, positive,
                                       holdout->metric.metric->keeps | sets, holdout->costs),
                         error);
}

static void order_scores(struct holdout *holdout, const struct tlu_learner *learner,
                         const double *columns)
{
    const struct election election = learner_election(learner);
    const double *scores = columns;
    if (election.kind == SCHEME_TWO) {
        holdout->scores[0] = columns[0];
        return;
    }
    if (election.kind == SCHEME_OVO) {
        scheme_votes(&election, columns, holdout->row_scratch);
        scores = holdout->row_scratch;
    }
    for (uint32_t c = 0; c < election.classes; c++)
        holdout->scores[holdout->places[c]] = scores[c];
}

static double weight_of(const struct training *t, struct place place)
{
    return options_flag(t->learner.state.options, OPTION_WEIGHTED)
               ? (double)rows_weight(&t->rows, place)
               : 1;
}

// Adds a row with this set of labels to the metric.
static tlu_status add_set(struct training *t, struct place place, const uint32_t *set,
                          const double *columns)
{
    struct holdout *holdout = &t->holdout;
    uint32_t classes = t->learner.state.scheme.classes, count = 0;
    uint32_t *labels = holdout->sets, *predictions = holdout->sets + classes;
    for (uint32_t i = 0; i < set[0]; i++)
        labels[i] = holdout->places[set[i + 1]];
    for (uint32_t c = 0; c < classes; c++)
        if (learner_gives_label(&t->learner, c, columns[c]))
            predictions[count++] = holdout->places[c];
    const uint64_t label_offsets[] = {0, set[0]}, prediction_offsets[] = {0, count};
    double weight = weight_of(t, place);
    order_scores(holdout, &t->learner, columns);
    tlu_metric_data answers = {.rows = 1,
                               .classes = classes,
                               .labels = labels,
                               .predictions = predictions,
                               .scores = holdout->scores,
                               .weights = &weight,
                               .label_offsets = label_offsets,
                               .prediction_offsets = prediction_offsets};
    return measure_add(&holdout->measure, &answers, NULL);
}

bool holdout_add_row(struct training *t, const double *columns, size_t k)
{
    struct holdout *holdout = &t->holdout;
    struct place place = t->rows.held_out.items[k];
    const uint32_t *set = batch_set(rows_batch(&t->rows, place), place.row);
    if (set && !holdout->plain && holdout->status == TLU_OK)
        holdout->status = add_set(t, place, set, columns);
    if (set)
        return learner_is_right(&t->learner, columns, 0, set);
    uint32_t label = rows_label(&t->rows, place), guess = learner_elect(&t->learner, columns);
    if (holdout->plain || holdout->status != TLU_OK)
        return guess == label;
    uint32_t own_label = holdout->places[label], own_guess = holdout->places[guess];
    double weight = weight_of(t, place);
    order_scores(holdout, &t->learner, columns);
    if (holdout->metric.metric->keeps & KEEP_LOSSES)
        output_probabilities(&(struct score_output){0}, holdout->logits, holdout->scores,
                             t->learner.state.scheme.classes, (uint32_t)holdout->measure.positive,
                             holdout->row_scratch);
    tlu_metric_data answers = {.rows = 1,
                               .classes = t->learner.state.scheme.classes,
                               .positive = holdout->measure.positive,
                               .labels = &own_label,
                               .predictions = &own_guess,
                               .scores = holdout->scores,
                               .probabilities = holdout->row_scratch,
                               .weights = &weight};
    holdout->status = measure_add(&holdout->measure, &answers, NULL);
    return guess == label;
}

static tlu_status end_metric(struct training *t, double *value, tlu_error *error)
{
    struct holdout *holdout = &t->holdout;
    char name[METRIC_NAME_SIZE];
    if (holdout->plain)
        return TLU_OK;
    TRY(enough_memory(holdout->status == TLU_OK, error)); // which is all that can fail
    TRY(measure_value(&holdout->measure, &holdout->metric, value, error));
    if (isnan(*value))
        return error_input(error,
                           "--metric %s is not defined on the rows that are held out: some class "
                           "has none of them; give a larger --holdout or another --metric",
                           metric_name(&holdout->metric, name));
    return TLU_OK;
}

// ---- the replay of the run: --decide vote and random ----

static bool reserve_replay(struct training *t)
{
    struct holdout *holdout = &t->holdout;
    size_t rows = t->rows.held_out.count, columns = learner_columns(&t->learner);
    size_t cells = (rows + GRAM_LANES - 1) / GRAM_LANES * GRAM_LANES * columns;
    if (holdout->now)
        return true;
    holdout->now = memory_new(cells, sizeof *holdout->now);
    holdout->votes = memory_new(cells, sizeof *holdout->votes);
    holdout->right = memory_new(rows, sizeof *holdout->right);
    holdout->since = memory_new(columns, sizeof *holdout->since);
    for (size_t c = 0; holdout->since && c < columns; c++)
        holdout->since[c] = 1;
    return holdout->now && holdout->votes && holdout->right && holdout->since;
}

// Held-out rows from `first` on.
struct held_out_group {
    struct replay_group group;
    struct training *training;
    size_t first;
};

static struct held_out_group group_at(struct training *t, const struct replay_run *run,
                                      size_t first)
{
    size_t left = t->rows.held_out.count - first;
    struct replay_group group = {.run = run,
                                 .lanes = left > 1 ? GRAM_LANES : 1,
                                 .count = left < GRAM_LANES ? left : GRAM_LANES,
                                 .now = t->holdout.now + first * run->columns,
                                 .votes = t->holdout.votes + first * run->columns};
    return (struct held_out_group){group, t, first};
}

// scores[columns] of row i of a group, from now or votes.
static double *scores_of(const struct held_out_group *group, const double *cells, size_t i)
{
    double *scores = group->training->learner.space.scratch;
    for (uint32_t c = 0; c < group->group.run->columns; c++)
        scores[c] = cells[c * group->group.lanes + i];
    return scores;
}

// random: the weights so far were in use for `lasted` examples.
static void count_right(const struct held_out_group *group, double lasted)
{
    struct training *t = group->training;
    for (size_t i = 0; lasted > 0 && i < group->group.count; i++) {
        struct place place = t->rows.held_out.items[group->first + i];
        const double *scores = scores_of(group, group->group.now, i);
        const struct batch *batch = rows_batch(&t->rows, place);
        if (learner_is_right(&t->learner, scores, batch->labels[place.row],
                             batch_set(batch, place.row)))
            t->holdout.right[group->first + i] += lasted;
    }
}

static bool count_before(struct replay_group *group, size_t update)
{
    count_right((struct held_out_group *)group, group->run->updates[update].lasted);
    return true;
}

// The updates since the last replay, and their rows.
struct new_updates {
    struct replay_update *updates; // [count]
    tlu_row *rows;                 // [supports]
    double *norms;                 // [supports]
    size_t count, supports;
    struct gram *gram;
};

static void new_updates_free(struct new_updates *new)
{
    memory_free(new->updates);
    memory_free(new->rows);
    memory_free(new->norms);
    gram_free(new->gram);
}

static bool make_gram(struct training *t, struct new_updates *new)
{
    new->gram = gram_new(&t->learner.state.kernel, new->rows, new->norms, new->supports,
                         schema_features(&t->learner.state.schema));
    if (!new->gram || t->rows.held_out.count < FASTER_GRAM_ROWS ||
        t->learner.state.decision.history->gain_count)
        return new->gram;
    struct gram *faster = gram_faster(new->gram);
    gram_free(new->gram);
    new->gram = faster;
    return faster;
}

static bool collect_updates(struct training *t, struct new_updates *new)
{
    const struct history *history = t->learner.state.decision.history;
    struct holdout *holdout = &t->holdout;
    bool votes = t->learner.state.decision.kind == DECIDE_VOTE;
    *new = (struct new_updates){.count = history->count - holdout->updates};
    new->updates = memory_new(new->count, sizeof *new->updates);
    new->rows = memory_new(new->count, sizeof *new->rows);
    new->norms = memory_new(new->count, sizeof *new->norms);
    if (!new->updates || !new->rows || !new->norms)
        return false;
    for (size_t n = 0; n < new->count; n++) {
        const struct history_step *step = &history->steps[holdout->updates + n];
        if (n == 0 || step->id != step[-1].id) {
            tlu_row row = rows_row(&t->rows, rows_find(&t->rows, step->id));
            new->rows[new->supports] = row;
            new->norms[new->supports++] = panel_norm(&row);
        }
        new->updates[n] = replay_update_of(step, (uint32_t) new->supports - 1,
                                           &holdout->since[votes ? step->group : 0]);
    }
    return make_gram(t, new);
}

static bool replay_new_updates(struct training *t, const struct replay_run *run)
{
    struct gram_scratch scratch = {0};
    tlu_row rows[GRAM_LANES];
    bool fine = true;
    for (size_t k = 0; fine && k < t->rows.held_out.count; k += GRAM_LANES) {
        struct held_out_group group = group_at(t, run, k);
        struct replay_group *groups[] = {&group.group};
        group.group.before = t->learner.state.decision.kind == DECIDE_VOTE ? NULL : count_before;
        for (size_t i = 0; i < group.group.count; i++)
            rows[i] = rows_row(&t->rows, t->rows.held_out.items[k + i]);
        fine = replay_rows(groups, rows, group.group.count, &scratch);
    }
    gram_scratch_free(&scratch);
    return fine;
}

// The number of right rows if the run ended now: the current weights vote, too, or are picked.
// Below 0: out of memory.
static double right_now(struct training *t, const struct replay_run *run)
{
    double whole = t->learner.state.weights.steps, right = 0;
    double *left = memory_new(run->columns, sizeof *left);
    double *votes = memory_new((size_t)run->columns * GRAM_LANES, sizeof *votes);
    bool fine = left && votes, all = run->scheme == SCHEME_WTA;
    for (uint32_t c = 0; fine && c < run->columns; c++)
        left[c] = (double)((uint64_t)whole + 1 - t->holdout.since[c]);
    for (size_t k = 0; fine && k < t->rows.held_out.count; k += GRAM_LANES) {
        struct held_out_group group = group_at(t, run, k);
        if (t->learner.state.decision.kind == DECIDE_VOTE) {
            memcpy(votes, group.group.votes, run->columns * group.group.lanes * sizeof *votes);
            group.group.votes = votes;
            replay_last_votes(&group.group, left);
            for (size_t i = 0; i < group.group.count; i++) {
                double *scores = scores_of(&group, votes, i);
                for (uint32_t c = 0; !all && c < run->columns; c++)
                    scores[c] = 2 * scores[c] - whole; // for minus against
                right += holdout_add_row(t, scores, k + i);
            }
        } else {
            double before[GRAM_LANES];
            memcpy(before, t->holdout.right + k, group.group.count * sizeof *before);
            count_right(&group, left[0]);
            for (size_t i = 0; i < group.group.count; i++)
                right += t->holdout.right[k + i] / whole;
            memcpy(t->holdout.right + k, before, group.group.count * sizeof *before);
        }
    }
    memory_free(left);
    memory_free(votes);
    return fine ? right : -1;
}

// The columns of pairs whose positive side has the earlier label, from the classes in the order of
// their labels. NULL: out of memory.
static bool *find_reversed(const struct tlu_learner *learner, const uint32_t *order)
{
    bool *reversed = memory_new(learner_columns(learner), sizeof *reversed);
    for (uint32_t later = 1; reversed && order && later < learner->state.scheme.classes; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++)
            reversed[scheme_pair(order[earlier], order[later])] = order[earlier] > order[later];
    return reversed;
}

static bool right_by_replay(struct training *t, double *right)
{
    const struct history *history = t->learner.state.decision.history;
    struct new_updates new = {0};
    bool pairs = t->learner.state.scheme.kind == SCHEME_OVO;
    uint32_t *order = learner_order_classes(&t->learner);
    bool *reversed = pairs ? find_reversed(&t->learner, order) : NULL;
    bool fine = order && (reversed || !pairs) && reserve_replay(t) && collect_updates(t, &new);
    struct replay_run run = {.scheme = t->learner.state.scheme.kind,
                             .columns = learner_columns(&t->learner),
                             .bias = t->learner.rule.bias,
                             .updates = new.updates,
                             .count = new.count,
                             .in_order = true,
                             .gram = new.gram,
                             .gains =
                                 history->gain_count ? history->gains + t->holdout.gains : NULL,
                             .tie = t->learner.rule.tie,
                             .order = t->learner.state.scheme.kind == SCHEME_WTA ? order : NULL,
                             .reversed = reversed};
    fine = fine && replay_new_updates(t, &run);
    t->holdout.updates = history->count;
    t->holdout.gains = history->gain_count;
    *right = fine ? right_now(t, &run) : -1;
    new_updates_free(&new);
    memory_free(order);
    memory_free(reversed);
    return *right >= 0;
}

// ---- a kernel ----

struct right_rows {
    struct training *t;
    double count;
};

static void add_scored(void *context, const double *scores, size_t k)
{
    struct right_rows *right = context;
    right->count += holdout_add_row(right->t, scores, k);
}

static bool right_by_kernel(struct training *t, double *right)
{
    struct right_rows rows = {t, 0};
    if (!kernel_scores(t, &t->rows.held_out, add_scored, &rows))
        return false;
    *right = rows.count;
    return true;
}

// ---- all of them ----

// The number of held-out rows that are right now; with --decide random the number to be expected.
static tlu_status count_right_rows(struct training *t, double *right, tlu_error *error)
{
    const struct places *held_out = &t->rows.held_out;
    *right = 0;
    if (t->learner.space.layers)
        return pass_score_layers(t, right, error);
    if (t->learner.state.decision.history)
        return enough_memory(right_by_replay(t, right), error);
    if (t->learner.state.kernel.kind)
        return enough_memory(right_by_kernel(t, right), error);
    for (size_t k = 0; k < held_out->count; k++) {
        tlu_row row = rows_row(&t->rows, held_out->items[k]);
        learner_decide(&t->learner, &row);
        *right += holdout_add_row(t, t->learner.space.scores, k);
    }
    return TLU_OK;
}

tlu_status holdout_quality(struct training *t, double *quality, tlu_error *error)
{
    double right;
    *quality = 0;
    if (team_held_out(t) == 0)
        return TLU_OK;
    TRY(begin_metric(t, error));
    TRY(count_right_rows(t, &right, error));
    if (t->team)
        TRY(team_sum(t->team, &right, 1, error));
    *quality = right / (double)team_held_out(t);
    return end_metric(t, quality, error);
}
