#include "model/file/sections.h"

static bool always(const tlu_model *model)
{
    (void)model;
    return true;
}

static bool never(const tlu_model *model)
{
    (void)model;
    return false;
}

static bool for_csv(const tlu_model *model)
{
    return schema_is_csv(&model->schema);
}

static bool for_adaptive(const tlu_model *model)
{
    return model->decide == DECIDE_ADAPTIVE;
}

static bool for_gains(const tlu_model *model)
{
    return model_keeps_gains(model) && model->replay.count;
}

static bool for_checkpoint_net(const tlu_model *model)
{
    return model->checkpoint && model_has_layers(model);
}

#define SECTION_ROW(tag, name, required) {tag, put_##name, unpack_##name, required},
const struct section model_sections[SECTION_COUNT] = {SECTIONS(SECTION_ROW)};
