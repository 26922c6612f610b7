#include "logic/truth.h"

#include "base/memory.h"

#include <string.h>

bool truth_init(struct truth *truth, unsigned inputs, bool with_open)
{
    memset(truth, 0, sizeof *truth);
    truth->inputs = inputs;
    size_t words = truth_words(truth);
    truth->ones = memory_new(words, sizeof *truth->ones);
    truth->open = with_open ? memory_new(words, sizeof *truth->open) : NULL;
    if (truth->ones && (truth->open || !with_open))
        return true;
    truth_free(truth);
    return false;
}

void truth_free(struct truth *truth)
{
    memory_free(truth->ones);
    memory_free(truth->open);
    memset(truth, 0, sizeof *truth);
}
