// The largest contributions to a row's score (explain.c, layers.c).
#ifndef TLU_MODEL_EXPLAINED_H
#define TLU_MODEL_EXPLAINED_H

#include "model/model.h"

struct strongest {
    tlu_contribution *pushes; // [capacity], the strongest first
    size_t count, capacity;
};

void explain_offer(struct strongest *strongest, size_t feature, double value, double push);
// For a model with layers. Returns false if out of memory.
bool explain_layers(const tlu_model *model, const tlu_row *row, size_t class_index,
                    struct strongest *strongest);

#endif
