// Distances of points from the hyperplanes of a model (Honavar): the signed distance of x from the
// plane w . x + b = 0 is (w . x + b) / |w|, positive on the side of the positive class. With more
// classes the plane between k and j is (w_k - w_j) . x + b_k - b_j = 0; one versus one has a plane
// per pair of its own.
//
// Scaling is folded into the weights, so distances are in the space of the data. If the scaling is
// not a linear map of the data, they are in the scaled space.
#include "base/call/fp_env.h"
#include "base/memory.h"
#include "model/caller_row.h"
#include "model/model.h"
#include "model/score/score.h"
#include "tlu_proof.h"

#include <math.h>
#include <stdio.h>

struct tlu_planes {
    const tlu_model *model;
    uint32_t classes;
    double *lengths; // [classes (classes - 1) / 2] |w| of the plane of a pair; 0: not known yet
    struct score_scratch scratch;
    double *scores; // [columns]
    double limit;   // two classes: the score of the plane, 0 without a threshold (output.h)
};

// The weight of a feature in the plane of a pair, positive for the later class.
static double pair_weight(const tlu_model *model, const double *w, size_t feature, uint32_t pair)
{
    size_t at = feature * model->state.weights.columns;
    uint32_t i, j;
    if (model->state.scheme.kind == SCHEME_TWO)
        return model->state.scheme.positive == 1 ? w[at] : -w[at];
    if (model->state.scheme.kind == SCHEME_OVO)
        return w[at + pair];
    scheme_unpair(pair, &i, &j);
    return w[at + j] - w[at + i];
}

static double pair_length(tlu_planes *planes, uint32_t pair)
{
    const tlu_model *model = planes->model;
    const double *w = model->decided.folded ? model->decided.folded : model->decided.w;
    if (planes->lengths[pair] != 0)
        return planes->lengths[pair];
    double largest = 0, sum = 0; // dividing by the largest avoids overflow and underflow
    for (size_t f = 0; f < model->state.weights.features; f++)
        largest = fmax(largest, fabs(pair_weight(model, w, f, pair)));
    for (size_t f = 0; f < model->state.weights.features && largest > 0; f++) {
        double part = pair_weight(model, w, f, pair) / largest;
        sum += part * part;
    }
    return planes->lengths[pair] = largest * sqrt(sum) / model->decided.divisor;
}

// Score of class k minus score of class j, on their plane.
static double lead(const tlu_planes *planes, uint32_t k, uint32_t j)
{
    const tlu_model *model = planes->model;
    const double *scores = planes->scores;
    if (model->state.scheme.kind == SCHEME_TWO)
        return k == model->state.scheme.positive ? scores[0] - planes->limit
                                                 : planes->limit - scores[0];
    if (model->state.scheme.kind == SCHEME_OVO)
        return k > j ? scores[scheme_pair(j, k)] : -scores[scheme_pair(k, j)];
    return scores[k] - scores[j];
}

static double ratio(double score, double length)
{
    return length > 0 ? score / length : score == 0 ? 0 : copysign(INFINITY, score);
}

// The class whose plane with class k is nearest, and its distance.
static uint32_t nearest(tlu_planes *planes, uint32_t k, double *distance)
{
    uint32_t best = k;
    *distance = INFINITY;
    for (uint32_t j = 0; j < planes->classes; j++) {
        if (j == k)
            continue;
        uint32_t pair = k < j ? scheme_pair(k, j) : scheme_pair(j, k);
        double found = ratio(lead(planes, k, j), pair_length(planes, pair));
        if (best == k || found < *distance) {
            best = j;
            *distance = found;
        }
    }
    return best;
}

tlu_status tlu_planes_new(const tlu_model *model, tlu_planes **planes, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *planes = NULL;
    if (model->scaling.normalize)
        return error_input(error, "the model divides each row by its length, so that distances in "
                                  "the data mean nothing to it; train without --normalize");
    if (!tlu_model_has_weights(model))
        return error_input(error, "the model has a kernel, and so no hyperplane in the space of "
                                  "its features; train without --kernel");
    if (model_replays(model))
        return error_input(error,
                           "the model decides by %s over many weight vectors, and so has no "
                           "hyperplane; train with --decide average",
                           tlu_model_decision(model));
    if (model->state.scheme.kind == SCHEME_MULTILABEL)
        return error_input(error,
                           "the model has a hyperplane for each label and none between them; "
                           "train a model on the rows of one label against the others");
    double limit = model->state.scheme.kind == SCHEME_TWO ? output_limit(&model->state.output) : 0;
    if (!isfinite(limit))
        return error_input(error,
                           "the threshold of the model gives every row the same label, and so "
                           "it has no hyperplane; tlu threshold --remove takes it out");
    uint32_t classes = schema_classes(&model->state.schema);
    struct tlu_planes *own = memory_new(1, sizeof *own);
    if (own) {
        own->model = model;
        own->classes = classes;
        own->limit = limit;
        own->lengths = memory_new((size_t)classes * (classes - 1) / 2, sizeof *own->lengths);
        own->scores = memory_new(model->state.weights.columns, sizeof *own->scores);
    }
    if (!own || !own->lengths || !own->scores) {
        tlu_planes_free(own);
        return error_memory(error);
    }
    *planes = own;
    return TLU_OK;
}

void tlu_planes_free(tlu_planes *planes)
{
    if (!planes)
        return;
    score_scratch_free(&planes->scratch);
    memory_free(planes->lengths);
    memory_free(planes->scores);
    memory_free(planes);
}

int tlu_planes_are_scaled(const tlu_planes *planes)
{
    return planes->model->scaling.kind != SCALE_NONE && !planes->model->decided.folded;
}

// The distance of the row whose scores have been computed.
static void find_distance(tlu_planes *planes, uint32_t label, tlu_distance *distance)
{
    const tlu_model *model = planes->model;
    uint32_t predicted = (uint32_t)model_elect(model, planes->scores, NULL);
    double found, margin = NAN;
    uint32_t against = nearest(planes, predicted, &found);
    distance->predicted = predicted;
    distance->against = against;
    distance->score = lead(planes, predicted, against);
    if (model->state.scheme.kind == SCHEME_TWO && predicted != model->state.scheme.positive) {
        distance->score = -distance->score;
        found = -found;
    }
    distance->distance = found;
    if (label < planes->classes)
        nearest(planes, label, &margin);
    distance->margin = margin;
}

tlu_status tlu_planes_distance(tlu_planes *planes, const tlu_row *given, uint32_t label,
                               tlu_distance *distance, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    const tlu_model *model = planes->model;
    struct caller_row row;
    if (label >= planes->classes && label < TLU_UNKNOWN_LABEL)
        return error_input(error, "there is no class %u: the model has %u", (unsigned)label,
                           (unsigned)planes->classes);
    tlu_status status = caller_row_take(&row, given, schema_features(&model->state.schema), error);
    if (status == TLU_OK && !model_scores(model, &row.row, 1, planes->scores, &planes->scratch))
        status = error_memory(error);
    caller_row_free(&row);
    if (status == TLU_OK)
        find_distance(planes, label, distance);
    return status;
}

double tlu_planes_distance_between(tlu_planes *planes, size_t class_index, size_t other)
{
    FP_ENV_DEFAULT(caller);
    uint32_t k = (uint32_t)class_index, j = (uint32_t)other;
    if (class_index >= planes->classes || other >= planes->classes || k == j)
        return NAN;
    return ratio(lead(planes, k, j),
                 pair_length(planes, k < j ? scheme_pair(k, j) : scheme_pair(j, k)));
}
