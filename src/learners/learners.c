#include "learners/learners.h"

#include <string.h>

const struct learner_names learner_names = {
#define LEARNER_NAME(id, name) .id = name,
    LEARNERS(LEARNER_NAME)
#undef LEARNER_NAME
};

const char learner_choices[] =
#define LEARNER_CHOICE(id, name) "|" name
    LEARNERS(LEARNER_CHOICE)
#undef LEARNER_CHOICE
        "|auto";

static const struct learner_kind *const kinds[] = {
#define LEARNER_ROW(id, name) &learner_##id,
    LEARNERS(LEARNER_ROW)
#undef LEARNER_ROW
};

const struct learner_kind *learner_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof kinds[0] ? kinds[index] : NULL;
}

static const struct learner_functions *const functions[] = {
#define LEARNER_ROW(id, name) &learner_functions_##id,
    LEARNERS(LEARNER_ROW)
#undef LEARNER_ROW
};

const struct learner_functions *learner_functions_at(size_t index)
{
    return index < sizeof functions / sizeof functions[0] ? functions[index] : NULL;
}

static size_t place_of(const tlu_options *options)
{
    static const char usual[] = "alma";
    size_t place = (size_t)options_choice(options, OPTION_LEARNER);
    for (size_t i = 0; place == LEARNER_AUTO && i < LEARNER_AUTO; i++)
        if (strcmp(kinds[i]->info.name, usual) == 0)
            place = i;
    return place;
}

static bool is_logistic_dual(const tlu_options *options)
{
    return options_choice(options, OPTION_SOLVER) == SOLVER_DUAL &&
           learner_kind_at(place_of(options)) == &learner_logistic;
}

const struct learner_kind *learner_kind_of(const tlu_options *options)
{
    return is_logistic_dual(options) ? &learner_logistic_dual : learner_kind_at(place_of(options));
}

const struct learner_functions *learner_functions_of(const tlu_options *options)
{
    return is_logistic_dual(options) ? &learner_functions_logistic_dual
                                     : learner_functions_at(place_of(options));
}

const tlu_learner_info *tlu_learner_at(size_t index)
{
    const struct learner_kind *kind = learner_kind_at(index);
    return kind ? &kind->info : NULL;
}
