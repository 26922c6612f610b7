#include "stream/fixed.h"

#include <string.h>

bool fixed_option(enum option option)
{
    return strcmp(tlu_option_at(option)->group, "learning") == 0 || option == OPTION_HASH ||
           option == OPTION_SCALE || option == OPTION_NGRAMS || option == OPTION_LOWERCASE;
}

tlu_status fixed_options_check(const char *what, const tlu_options *own, const tlu_options *given,
                               tlu_error *error)
{
    for (enum option i = 0; i < OPTION_COUNT; i++)
        if (fixed_option(i) && options_is_set(given, i) && !options_is_auto(given, i) &&
            !options_same(own, given, i))
            return error_input(error,
                               "the %s was made with --%s '%.80s', not '%.80s': leave the option "
                               "out to go on with it",
                               what, tlu_option_at(i)->name, options_text(own, i),
                               options_text(given, i));
    return TLU_OK;
}
