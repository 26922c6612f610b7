#include "input/formats.h"

#include <stdint.h>
#include <string.h>

#define ROW(number, id, name, also, title, features, words, turn, parse, recognise)                \
    [DATA_##id] = {name, also, title, features, words, turn, parse, recognise},
const struct format format_table[DATA_FORMATS] = {FORMATS(ROW)};
#undef ROW

#define CHOICE(number, id, name, also, ...) "|" name also
const char format_choices[] = "auto" FORMATS(CHOICE);
#undef CHOICE

// A sum of distinct powers of two is their union.
#define NUMBER_BIT(number, ...) | UINT64_C(1) << (number)
#define TURN_BIT(number, id, name, also, title, features, words, turn, ...) | UINT64_C(1) << (turn)
#define TURN_SUM(number, id, name, also, title, features, words, turn, ...) +(UINT64_C(1) << (turn))
_Static_assert((0 FORMATS(NUMBER_BIT)) == (UINT64_C(1) << DATA_FORMATS) - 1,
               "formats are numbered from 0 without gaps, each once");
_Static_assert((0 FORMATS(TURN_BIT)) == (0 FORMATS(TURN_SUM)), "no two formats have the same turn");
_Static_assert((0 FORMATS(TURN_BIT)) < UINT64_C(1) << 32, "turns are below 32");

bool format_named(const char *name, enum data_format *format)
{
    for (size_t i = 0; i < DATA_FORMATS; i++)
        if (strcmp(format_table[i].name, name) == 0) {
            *format = (enum data_format)i;
            return true;
        }
    return false;
}

bool format_chosen(const tlu_options *options, enum data_format *format)
{
    const char *chosen = options_text(options, OPTION_FORMAT);
    if (format_named(chosen, format))
        return true;
    for (size_t i = 0; i < DATA_FORMATS; i++)
        if (format_table[i].also[0] && strcmp(format_table[i].also + 1, chosen) == 0) {
            *format = (enum data_format)i;
            return true;
        }
    return false;
}

bool format_recognise(const char *bytes, size_t size, enum data_format *format)
{
    for (unsigned turn = 0; turn < 32; turn++)
        for (size_t i = 0; i < DATA_FORMATS; i++)
            if (format_table[i].turn == turn && format_table[i].recognise(bytes, size)) {
                *format = (enum data_format)i;
                return true;
            }
    return false;
}
