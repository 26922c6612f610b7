#include "base/options.h"

#include "base/call/fp_env.h"
#include "base/foreign_names.h"
#include "base/memory.h"
#include "base/settings.h"
#include "numeric/number.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define SIZE_LIMIT 1152921504606846976.0 // 2^60
#define ROW_MAX 1073741824.0             // 2^30: a record of a journal takes no more
#define COUNT_MAX 9007199254740992.0     // 2^53: every whole number up to here is a double

#define OPTION(number, ...) [OPTION_##number] = {__VA_ARGS__},
static const tlu_option_info table[] = {
#include "base/options_table.h"
};
#undef OPTION

struct tlu_options {
    struct option_value {
        char *text;    // NULL: the default
        double number; // counts, numbers, flags; A of a range
        double high;   // B of a range
        int choice;
    } values[OPTION_COUNT];
    tlu_data data; // in memory; name is NULL: none
    char *data_name;
};

size_t tlu_option_count(void)
{
    return OPTION_COUNT;
}

const tlu_option_info *tlu_option_at(size_t index)
{
    return index < OPTION_COUNT ? &table[index] : NULL;
}

const tlu_option_info *tlu_option_find(const char *name)
{
    for (size_t i = 0; name && i < OPTION_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

// Options that were renamed. Files keep the former name, so that they stay the same byte for byte.
static const struct {
    enum option option;
    const char *stored;
} renamed[] = {{OPTION_MULTICLASS, "classes"}};

const char *option_stored_name(enum option option)
{
    assert(option < OPTION_COUNT);
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
        if (renamed[i].option == option)
            return renamed[i].stored;
    return table[option].name;
}

const char *option_name_of_stored(const char *stored)
{
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
        if (strcmp(renamed[i].stored, stored) == 0)
            return table[renamed[i].option].name;
    return stored;
}

static tlu_status unknown_option(const char *name, tlu_error *error)
{
    const char *now = option_name_of_stored(name);
    if (now != name)
        return error_input(error, "--%s is now --%s", name, now);
    return error_input(error, "there is no option '%.80s'", name);
}

// The place of `text` among "a|b|c", or -1.
static int choice_of(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (int i = 0;; i++) {
        size_t n = strcspn(choices, "|");
        if (n == length && memcmp(choices, text, n) == 0)
            return i;
        if (choices[n] == '\0')
            return -1;
        choices += n + 1;
    }
}

// A, or A:B with A <= B.
static tlu_status parse_range(const tlu_option_info *info, const char *text,
                              struct option_value *value, tlu_error *error)
{
    size_t length = strcspn(text, ":");
    const char *second = text[length] ? text + length + 1 : text;
    value->number = value->high = 0;
    if (text[0] == '\0' && info->value[0] == '\0') // not given
        return TLU_OK;
    if (!number_whole(text, length, &value->number) ||
        !number_whole(second, second == text ? length : strlen(second), &value->high) ||
        value->high < value->number)
        return error_input(error, "--%s is a number or an interval A:B, not '%.80s'", info->name,
                           text);
    if (value->number < info->min || value->high > info->max)
        return error_input(error, "--%s is from %.15g to %.15g, not '%.80s'", info->name, info->min,
                           info->max, text);
    return TLU_OK;
}

// Bytes: a number, perhaps with K, M, G or T for powers of 1024 after it. The empty text is 0.
static tlu_status parse_size(const tlu_option_info *info, const char *text,
                             struct option_value *value, tlu_error *error)
{
    static const char units[] = "KMGT";
    char quoted[80];
    size_t length = strlen(text);
    const char *unit = length ? strchr(units, text[length - 1] & ~0x20) : NULL;
    value->number = 0;
    if (length == 0 && info->value[0] == '\0') // not given
        return TLU_OK;
    if (!number_whole(text, length - (unit != NULL), &value->number) || value->number < 1)
        return error_input(error, "--%s is a size such as 500M or 2G, not '%s'", info->name,
                           error_quote(quoted, sizeof quoted, text, length));
    for (const char *u = units; unit && u <= unit; u++)
        value->number *= 1024;
    if (value->number > info->max && info->max < SIZE_LIMIT)
        return error_input(error, "--%s is at most %.15g bytes, not '%s'", info->name, info->max,
                           error_quote(quoted, sizeof quoted, text, length));
    value->number = floor(value->number < info->max ? value->number : info->max);
    return TLU_OK;
}

static tlu_status parse_value(const tlu_option_info *info, const char *text,
                              struct option_value *value, tlu_error *error)
{
    char quoted[80];
    error_quote(quoted, sizeof quoted, text, strlen(text));
    switch (info->type) {
    case TLU_OPTION_FLAG:
        if (choice_of("no|yes", text) < 0)
            return error_input(error, "--%s is yes or no, not '%s'", info->name, quoted);
        value->number = strcmp(text, "yes") == 0;
        break;
    case TLU_OPTION_CHOICE:
        value->choice = choice_of(info->choices, text);
        if (value->choice < 0 && info == tlu_option_at(OPTION_LEARNER))
            return unknown_learner(text, error);
        if (value->choice < 0)
            return error_input(error, "--%s is one of %s, not '%s'", info->name, info->choices,
                               quoted);
        break;
    case TLU_OPTION_SIZE:
        return parse_size(info, text, value, error);
    case TLU_OPTION_RANGE:
        return parse_range(info, text, value, error);
    case TLU_OPTION_COUNT:
    case TLU_OPTION_NUMBER:
        value->number = 0;
        if (text[0] == '\0' && info->value[0] == '\0') // not given
            break;
        if (!number_whole(text, strlen(text), &value->number) ||
            (info->type == TLU_OPTION_COUNT && value->number != floor(value->number)))
            return error_input(error, "--%s is a %snumber, not '%s'", info->name,
                               info->type == TLU_OPTION_COUNT ? "whole " : "", quoted);
        if (value->number < info->min && info->max >= COUNT_MAX)
            return error_input(error, "--%s is at least %.15g, not '%s'", info->name, info->min,
                               quoted);
        if (value->number < info->min || value->number > info->max)
            return error_input(error, "--%s is from %.15g to %.16g, not '%s'", info->name,
                               info->min, info->max, quoted);
        break;
    case TLU_OPTION_TEXT:
    case TLU_OPTION_LIST:
        break;
    }
    return TLU_OK;
}

static tlu_options *options_new(void)
{
    tlu_options *options = memory_new(1, sizeof *options);
    for (size_t i = 0; options && i < OPTION_COUNT; i++)
        parse_value(&table[i], table[i].value, &options->values[i], NULL);
    return options;
}

tlu_status tlu_options_new(tlu_options **options, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *options = options_new();
    return enough_memory(*options, error);
}

void tlu_options_free(tlu_options *options)
{
    for (size_t i = 0; options && i < OPTION_COUNT; i++)
        memory_free(options->values[i].text);
    if (options)
        memory_free(options->data_name);
    memory_free(options);
}

tlu_status tlu_options_set(tlu_options *options, const char *name, const char *value,
                           tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    TRY(check_given(name != NULL, "name of the option", error));
    TRY(check_given(value != NULL, "value of the option", error));
    const tlu_option_info *info = tlu_option_find(name);
    if (!info)
        return unknown_option(name, error);
    struct option_value *old = &options->values[info - table];
    struct option_value new = *old;
    tlu_status status = parse_value(info, value, &new, error);
    if (status != TLU_OK)
        return status;
    size_t kept = info->type == TLU_OPTION_LIST && old->text ? strlen(old->text) : 0;
    size_t length = strlen(value);
    new.text = memory_new(kept + length + 2, 1);
    if (!new.text)
        return error_memory(error);
    if (kept) {
        memcpy(new.text, old->text, kept);
        new.text[kept++] = ',';
    }
    memcpy(new.text + kept, value, length);
    memory_free(old->text);
    *old = new;
    return TLU_OK;
}

tlu_status tlu_options_clear(tlu_options *options, const char *name, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    TRY(check_given(name != NULL, "name of the option", error));
    const tlu_option_info *info = tlu_option_find(name);
    if (!info)
        return unknown_option(name, error);
    struct option_value *value = &options->values[info - table];
    memory_free(value->text);
    *value = (struct option_value){0};
    return parse_value(info, info->value, value, error);
}

const char *tlu_options_get(const tlu_options *options, const char *name)
{
    const tlu_option_info *info = tlu_option_find(name);
    return info ? options_text(options, (enum option)(info - table)) : NULL;
}

bool options_flag(const tlu_options *options, enum option option)
{
    return options->values[option].number != 0;
}

uint64_t options_count(const tlu_options *options, enum option option)
{
    return (uint64_t)options->values[option].number;
}

double options_number(const tlu_options *options, enum option option)
{
    return options->values[option].number;
}

double options_high(const tlu_options *options, enum option option)
{
    return options->values[option].high;
}

int options_choice(const tlu_options *options, enum option option)
{
    return options->values[option].choice;
}

const char *options_text(const tlu_options *options, enum option option)
{
    const char *text = options->values[option].text;
    return text ? text : table[option].value;
}

bool options_is_set(const tlu_options *options, enum option option)
{
    return options->values[option].text != NULL;
}

bool options_is_auto(const tlu_options *options, enum option option)
{
    int choice = options->values[option].choice;
    return (option == OPTION_LEARNER && choice_of("auto", options_text(options, option)) == 0) ||
           (option == OPTION_SCALE && choice == SCALE_AUTO) ||
           (option == OPTION_MULTICLASS && choice == MULTICLASS_AUTO);
}

bool options_same(const tlu_options *a, const tlu_options *b, enum option option)
{
    const struct option_value *x = &a->values[option], *y = &b->values[option];
    if (table[option].type == TLU_OPTION_TEXT || table[option].type == TLU_OPTION_LIST)
        return strcmp(options_text(a, option), options_text(b, option)) == 0;
    return x->number == y->number && x->high == y->high && x->choice == y->choice;
}

const char *options_next_item(const char **cursor, size_t *length)
{
    *cursor += strspn(*cursor, ", ");
    if (**cursor == '\0')
        return NULL;
    const char *item = *cursor;
    *length = strcspn(item, ",");
    *cursor += *length;
    while (item[*length - 1] == ' ') // it does not begin with a blank
        --*length;
    return item;
}

// ---- data in memory ----

static bool set_data(tlu_options *options, const tlu_data *data)
{
    char *name = data->name ? memory_copy_text(data->name, strlen(data->name)) : NULL;
    if (data->name && !name)
        return false;
    memory_free(options->data_name);
    options->data_name = name;
    options->data = *data;
    options->data.name = name;
    return true;
}

tlu_status tlu_options_set_data(tlu_options *options, const tlu_data *data, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    tlu_data own;
    TRY(settings_take(&own, sizeof own, data, "tlu_data", error));
    if (data && (!own.name || !own.name[0] || !own.bytes == !own.rows))
        return error_input(error, "data in memory needs a name, and bytes or rows");
    return enough_memory(set_data(options, &own), error);
}

const tlu_data *options_data(const tlu_options *options, const char *path)
{
    const char *name = options ? options->data.name : NULL;
    return name && path && strcmp(name, path) == 0 ? &options->data : NULL;
}

bool options_share_data(tlu_options *options, const tlu_options *from)
{
    return set_data(options, from ? &from->data : &(tlu_data){0});
}

bool option_is_technical(enum option option)
{
    return option == OPTION_THREADS || option == OPTION_MEMORY || option == OPTION_MAX_ROW;
}

tlu_options *options_copy(const tlu_options *options)
{
    tlu_options *copy = options_new();
    for (size_t i = 0; copy && options && i < OPTION_COUNT; i++) {
        const char *text = options->values[i].text;
        copy->values[i] = options->values[i];
        copy->values[i].text = text ? memory_copy_text(text, strlen(text)) : NULL;
        if (text && !copy->values[i].text) {
            tlu_options_free(copy);
            return NULL;
        }
    }
    if (copy && options && !options_share_data(copy, options)) {
        tlu_options_free(copy);
        return NULL;
    }
    return copy;
}
