// Scores of rows for each decision and space: weights of features, a kernel over supports,
// or the replay of a run for vote and random.

#include "model/score/score.h"
#include "base/memory.h"
#include "model/score/score_cache.h"

#include <string.h>

// ---- weights of features ----

static void score_weights(const struct tlu_model *model, const tlu_row *row, double *scores)
{
    const struct weights *weights = &model->weights;
    const double *w = model->decided.folded ? model->decided.folded : model->decided.w;
    const double *bias =
        model->decided.folded_bias ? model->decided.folded_bias : model->decided.bias;
    if (weights->columns == 1) {
        double dot = weights->routines->dot(w, row->features, row->values, row->count);
        scores[0] = (bias[0] + dot) / model->decided.divisor;
        return;
    }
    memcpy(scores, bias, weights->columns * sizeof *scores);
    weights->routines->scores(w, weights->columns, row->features, row->values, row->count, scores);
    for (uint32_t c = 0; c < weights->columns; c++)
        scores[c] /= model->decided.divisor;
}

// ---- kernel values with the supports ----

// Values of this many supports at a time.
static size_t tile_end(size_t first, size_t count)
{
    return count - first < GRAM_TILE ? count : first + GRAM_TILE;
}

// Zeroed room for `count` numbers; false: out of memory.
static bool clean_room(double **array, size_t *capacity, size_t count)
{
    if (!memory_reserve(array, capacity, count, sizeof **array))
        return false;
    if (count)
        memset(*array, 0, count * sizeof **array);
    return true;
}

// scores[rows][columns] from those side by side.
static void give_scores(const double *from, size_t lanes, size_t rows, uint32_t columns,
                        double divisor, double *scores)
{
    for (size_t i = 0; i < rows; i++)
        for (uint32_t c = 0; c < columns; c++)
            scores[i * columns + c] = from[c * lanes + i] / divisor;
}

// Supports first to last - 1, for all groups of mapped rows: sums[groups][columns][lanes].
static void add_supports(const struct tlu_model *model, const struct gram *gram,
                         struct score_room *room, size_t first, size_t last)
{
    size_t columns = model->weights.columns, lanes = room->gram.lanes;
    for (size_t start = 0; start < room->gram.count; start += lanes) {
        gram_values(gram, &room->gram, start, first, last, room->values);
        for (size_t s = first; s < last; s++)
            play_add(room->values + (s - first) * lanes, lanes, model->decided.w + s * columns,
                     (uint32_t)columns, room->now + start * columns);
    }
}

// Rows that are mapped at once.
static bool score_mapped(const struct tlu_model *model, const struct gram *gram,
                         const tlu_row *rows, size_t count, double *scores, struct score_room *room)
{
    uint32_t columns = model->weights.columns;
    size_t supports = model->supports.count, lanes = count > 1 ? GRAM_LANES : 1;
    size_t cells = (count + lanes - 1) / lanes * lanes * columns;
    if (!clean_room(&room->now, &room->now_capacity, cells) ||
        !clean_room(&room->values, &room->values_capacity, tile_end(0, supports) * lanes) ||
        !gram_seat(gram, &room->gram, rows, count))
        return false;
    for (size_t i = 0; i < cells; i++)
        room->now[i] = model->decided.bias[i / lanes % columns];
    for (size_t first = 0; first < supports; first = tile_end(first, supports))
        add_supports(model, gram, room, first, tile_end(first, supports));
    gram_leave(&room->gram);
    for (size_t start = 0; start < count; start += lanes)
        give_scores(room->now + start * columns, lanes,
                    count - start < lanes ? count - start : lanes, columns, model->decided.divisor,
                    scores + start * columns);
    return true;
}

static bool score_kernel(const struct tlu_model *model, const tlu_row *rows, size_t count,
                         double *scores, struct score_room *room)
{
    struct score_cache *score_cache = model_score_cache(model);
    const struct gram *gram = score_cache ? score_cache_gram(score_cache, count) : NULL;
    bool fine = gram != NULL;
    for (size_t i = 0, some; fine && i < count; i += some) {
        some = gram_seats(gram, rows + i, count - i);
        fine = score_mapped(model, gram, rows + i, some, scores + i * model->weights.columns, room);
    }
    return fine;
}

// ---- all of them ----

void score_room_free(struct score_room *room)
{
    gram_room_free(&room->gram);
    panel_free(&room->panel);
    memory_free(room->scores);
    memory_free(room->values);
    memory_free(room->now);
    memory_free(room->votes);
    batch_free(room->scaled);
    minibatch_free(&room->net_rows);
    net_room_free(&room->net);
    *room = (struct score_room){0};
}

static bool score_plain(const struct tlu_model *model, const tlu_row *rows, size_t count,
                        double *scores, struct score_room *room)
{
    uint32_t columns = model->weights.columns;
    if (model->net)
        return score_layers(model, rows, count, scores, room);
    if (model_replays(model))
        return score_replay(model, rows, count, scores, room);
    if (model->kernel.kind)
        return score_kernel(model, rows, count, scores, room);
    for (size_t i = 0; i < count; i++)
        score_weights(model, &rows[i], scores + i * columns);
    return true;
}

bool model_prepare_scores(const struct tlu_model *model, size_t rows)
{
    if (!model_replays(model) && !model->kernel.kind)
        return true;
    struct score_cache *score_cache = model_score_cache(model);
    return score_cache && (model->replay.gains || score_cache_gram(score_cache, rows));
}

bool model_is_quick(const struct tlu_model *model)
{
    return !model->kernel.kind && !model_replays(model) && !model->net &&
           (model->scaling.kind == SCALE_NONE || model->decided.folded);
}

// The rows scaled, in room->scaled; false: out of memory.
static bool scale_rows(const struct tlu_model *model, const tlu_row *rows, size_t count,
                       struct score_room *room)
{
    if (!room->scaled)
        room->scaled = batch_new();
    struct batch *batch = room->scaled;
    if (!batch)
        return false;
    batch_clear(batch);
    for (size_t i = 0; i < count; i++) {
        size_t start = batch_nonzeros(batch);
        if (!batch_reserve(batch, 1, rows[i].count))
            return false;
        for (size_t k = 0; k < rows[i].count; k++) {
            batch->indices[start + k] = row_feature(&rows[i], k);
            batch->values[start + k] = rows[i].values ? rows[i].values[k] : 1;
        }
        batch->offsets[++batch->rows] = (uint32_t)(start + rows[i].count);
    }
    batch->ones = false;
    return scaling_apply(&model->scaling, batch, NULL) == TLU_OK;
}

bool model_take_rows(const struct tlu_model *model, tlu_row *rows, size_t count,
                     struct score_room *room)
{
    if (options_flag(model->options, OPTION_BINARIZE)) // as in training
        for (size_t i = 0; i < count; i++)
            rows[i].values = NULL;
    if (model->scaling.kind == SCALE_NONE || model->decided.folded)
        return true;
    // They must be scaled before they meet the supports, or a net.
    if (!scale_rows(model, rows, count, room))
        return false;
    for (size_t i = 0; i < count; i++)
        rows[i] = batch_row(room->scaled, i);
    return true;
}

bool model_scores(const struct tlu_model *model, const tlu_row *rows, size_t count, double *scores,
                  struct score_room *room)
{
    tlu_row changed[SCORE_ROWS];
    bool scaled = model->scaling.kind != SCALE_NONE && !model->decided.folded;
    if (!scaled && !options_flag(model->options, OPTION_BINARIZE))
        return score_plain(model, rows, count, scores, room);
    memcpy(changed, rows, count * sizeof *rows);
    return model_take_rows(model, changed, count, room) &&
           score_plain(model, changed, count, scores, room);
}

void model_user_scores(const struct tlu_model *model, const double *columns, double *scores)
{
    if (model->scheme == SCHEME_OVO)
        scheme_votes(columns, schema_classes(&model->schema), scores);
    else
        memcpy(scores, columns, model->weights.columns * sizeof *scores);
}
