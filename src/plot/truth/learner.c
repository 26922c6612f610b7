// Which learner a picture of the truth is about.
#include "base/memory.h"
#include "base/options.h"
#include "plot/truth/internal.h"

// The perceptron of the notes: rows in the order in which they come, as they are, until none of
// them is wrong; the last weights decide.
static const struct {
    enum option option;
    const char *value;
} of_the_notes[] = {{OPTION_LEARNER, "perceptron"},
                    {OPTION_DECIDE, "last"},
                    {OPTION_SHUFFLE, "none"},
                    {OPTION_EPOCHS, "1000"}};

tlu_status truth_learner(const tlu_options *given, tlu_options **options, tlu_error *error)
{
    *options = options_copy(given);
    TRY(enough_memory(*options, error));
    if (options_is_set(*options, OPTION_LEARNER))
        return TLU_OK;
    for (size_t i = 0; i < sizeof of_the_notes / sizeof of_the_notes[0]; i++)
        if (!options_is_set(*options, of_the_notes[i].option))
            TRY(tlu_options_set(*options, tlu_option_at(of_the_notes[i].option)->name,
                                of_the_notes[i].value, error));
    return TLU_OK;
}
