// SCAL, UNIT: how values are scaled, and how the units of --scale recent came about.
#include "base/memory.h"
#include "learn/online_scale.h"
#include "model/file/sections.h"

// What UNIT has of a feature beside its mean square: values met, plus this times their kinds.
#define UNIT_KINDS 2048

void put_scaling(struct out *out, const tlu_model *model)
{
    const struct scaling *scaling = &model->scaling;
    if (scaling->kind == SCALE_NONE)
        return;
    put_fixed(out, (uint64_t)scaling->kind, 1);
    put_numbers(out, scaling->factor, scaling->features);
    put_numbers(out, scaling->shift, scaling->features);
}

void unpack_scaling(struct unpack *in)
{
    struct scaling *scaling = &in->model->scaling;
    // Those from online on are ways to come to one of the others.
    scaling->kind = (int)unpack_choice(in, SCALE_ONLINE - 1, "the kind of scaling");
    if (scaling->kind == SCALE_NONE)
        unpack_damaged(in, "the kind of scaling is 0");
    scaling->features = schema_features(&in->model->schema);
    scaling->factor = unpack_new_numbers(in, scaling->features);
    scaling->shift = unpack_new_numbers(in, scaling->features);
    if (!unpack_failed(in) && !scaling_index(scaling))
        unpack_checked(in, NULL);
}

// ---- UNIT ----

void put_units(struct out *out, const tlu_model *model)
{
    const struct scale_unit *units = model->stream.units;
    size_t features = model->scaling.features;
    if (!units)
        return;
    for (size_t f = 0; f < features; f++)
        put_count(out, units[f].met + (uint64_t)UNIT_KINDS * units[f].kind);
    for (size_t f = 0; f < features; f++)
        if (units[f].met)
            put_double(out, units[f].square);
}

void unpack_units(struct unpack *in)
{
    struct tlu_model *model = in->model;
    size_t features = schema_features(&model->schema);
    if (options_choice(model->options, OPTION_SCALE) != SCALE_RECENT ||
        model->scaling.features != features)
        unpack_damaged(in, "it should not be there");
    if (!unpack_failed(in) && features > unpack_left(in)) // a byte each at least
        unpack_damaged(in, "it is too short for the features");
    if (unpack_failed(in))
        return;
    model->stream.units = unpack_checked(in, memory_new(features, sizeof *model->stream.units));
    for (size_t f = 0; f < features && !unpack_failed(in); f++) {
        uint64_t about = unpack_count(in), met = about % UNIT_KINDS, kind = about / UNIT_KINDS;
        if (met > ONLINE_SCALE_VALUES || kind > (UNIT_ONE | UNIT_FRACTION) ||
            !met != !(model->scaling.factor[f] > 0))
            unpack_damaged(in, "the values met of a feature are %llu", (unsigned long long)about);
        if (unpack_failed(in))
            return;
        model->stream.units[f].met = (uint16_t)met;
        model->stream.units[f].kind = (uint16_t)kind;
    }
    for (size_t f = 0; f < features && !unpack_failed(in); f++) {
        if (!model->stream.units[f].met)
            continue;
        model->stream.units[f].square = unpack_number(in, CODE_DOUBLE);
        if (!(model->stream.units[f].square >= 0))
            unpack_damaged(in, "a mean square is below 0");
    }
}
