// The one table of options.
#include "base/fault.h"
#include "base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_table_is_sound(void **state)
{
    (void)state;
    assert_int_equal(tlu_option_count(), OPTION_COUNT);
    assert_null(tlu_option_at(OPTION_COUNT));
    assert_null(tlu_option_find("epoch"));
    assert_null(tlu_option_find(""));
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const tlu_option_info *info = tlu_option_at(i);
        assert_ptr_equal(tlu_option_find(info->name), info); // so no name is there twice
        assert_true(strcmp(info->group, "data") == 0 || strcmp(info->group, "reading") == 0 ||
                    strcmp(info->group, "learning") == 0 || strcmp(info->group, "measuring") == 0 ||
                    strcmp(info->group, "output") == 0);
        assert_true((info->choices != NULL) == (info->type == TLU_OPTION_CHOICE));
        assert_true((info->argument == NULL) == (info->type == TLU_OPTION_FLAG));
        assert_non_null(info->value);
        assert_true(strlen(info->help) > 0);
    }
    assert_ptr_equal(tlu_option_find("epochs"), tlu_option_at(OPTION_EPOCHS));
    assert_ptr_equal(tlu_option_find("patience"), tlu_option_at(OPTION_PATIENCE));
}

// Files keep the former name; callers get an error that has the new one.
static void renamed_options_keep_their_stored_name(void **state)
{
    (void)state;
    tlu_error error;
    tlu_options *options;
    assert_int_equal(tlu_options_new(&options, &error), TLU_OK);
    assert_int_equal(tlu_options_set(options, "classes", "ovr", &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "--classes is now --multiclass");
    assert_int_equal(tlu_options_set(options, "multiclass", "ovr", &error), TLU_OK);
    assert_string_equal(option_stored_name(OPTION_MULTICLASS), "classes");
    assert_string_equal(option_name_of_stored("classes"), "multiclass");
    for (enum option i = 0; i < OPTION_COUNT; i++)
        assert_string_equal(option_name_of_stored(option_stored_name(i)), tlu_option_at(i)->name);
    tlu_options_free(options);
}

static void defaults(void **state)
{
    (void)state;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    assert_non_null(options);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const tlu_option_info *info = tlu_option_at(i);
        assert_string_equal(tlu_options_get(options, info->name), info->value);
        assert_string_equal(options_text(options, (enum option)i), info->value);
        assert_false(options_is_set(options, (enum option)i));
        // Setting the default by hand is fine, and is then known as set.
        assert_int_equal(tlu_options_set(options, info->name, info->value, NULL), TLU_OK);
        assert_true(options_is_set(options, (enum option)i));
    }
    // As the documentation promises.
    assert_int_equal(options_count(options, OPTION_EPOCHS), 10);
    assert_true(options_number(options, OPTION_RATE) == 1);
    assert_int_equal(options_count(options, OPTION_SEED), 1);
    assert_int_equal(options_choice(options, OPTION_DECIDE), DECIDE_AVERAGE);
    assert_int_equal(options_choice(options, OPTION_SHUFFLE), SHUFFLE_LATER);
    assert_int_equal(options_choice(options, OPTION_TIE), TIE_MISTAKE);
    assert_int_equal(options_choice(options, OPTION_SCALE), SCALE_NONE);
    assert_int_equal(options_choice(options, OPTION_MISSING), MISSING_AUTO);
    assert_int_equal(options_choice(options, OPTION_HEADER), HEADER_AUTO);
    assert_string_equal(options_text(options, OPTION_FORMAT), "auto");
    assert_false(options_flag(options, OPTION_NO_BIAS));
    assert_true(options_number(options, OPTION_HOLDOUT) == 0);
    assert_null(tlu_options_get(options, "nonesuch"));
    tlu_options_free(options);
    tlu_options_free(NULL);
}

static void values_are_taken(void **state)
{
    (void)state;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    static const char *const settings[][2] = {
        {"epochs", "25"},  {"rate", "0.5"},       {"no-bias", "yes"}, {"tie", "negative"},
        {"format", "tsv"}, {"shuffle", "none"},   {"header", "no"},   {"missing", "indicator"},
        {"label", "y"},    {"scale", "standard"}, {"decide", "last"}, {"seed", "9007199254740992"}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        assert_int_equal(tlu_options_set(options, settings[i][0], settings[i][1], NULL), TLU_OK);
        assert_string_equal(tlu_options_get(options, settings[i][0]), settings[i][1]);
    }
    assert_int_equal(options_count(options, OPTION_EPOCHS), 25);
    assert_true(options_number(options, OPTION_RATE) == 0.5);
    assert_true(options_flag(options, OPTION_NO_BIAS));
    assert_int_equal(options_choice(options, OPTION_TIE), TIE_NEGATIVE);
    assert_string_equal(options_text(options, OPTION_FORMAT), "tsv");
    assert_int_equal(options_choice(options, OPTION_SHUFFLE), SHUFFLE_NONE);
    assert_int_equal(options_choice(options, OPTION_HEADER), HEADER_NO);
    assert_int_equal(options_choice(options, OPTION_MISSING), MISSING_INDICATOR);
    assert_int_equal(options_choice(options, OPTION_SCALE), SCALE_STANDARD);
    assert_int_equal(options_choice(options, OPTION_DECIDE), DECIDE_LAST);
    assert_true(options_count(options, OPTION_SEED) == (uint64_t)1 << 53);
    assert_string_equal(options_text(options, OPTION_LABEL), "y");
    assert_int_equal(tlu_options_set(options, "no-bias", "no", NULL), TLU_OK);
    assert_false(options_flag(options, OPTION_NO_BIAS));
    assert_int_equal(tlu_options_set(options, "label", "class", NULL), TLU_OK); // replaces
    assert_string_equal(tlu_options_get(options, "label"), "class");
    tlu_options_free(options);
}

// Refused with a sentence that names the option and quotes the value; the old value stays.
static void check_refused(const char *name, const char *value)
{
    tlu_options *options;
    tlu_options_new(&options, NULL);
    const char *before = tlu_options_get(options, name);
    tlu_error error = {.status = TLU_OK};
    tlu_status status = tlu_options_set(options, name, value, &error);
    if (status != TLU_ERROR_INPUT || error.status != TLU_ERROR_INPUT)
        fail_msg("--%s '%s' was taken", name, value);
    if (!strstr(error.text, name) || !strstr(error.text, value) || strchr(error.text, '\n'))
        fail_msg("--%s '%s': %s", name, value, error.text);
    assert_string_equal(tlu_options_get(options, name), before);
    assert_int_equal(tlu_options_set(options, name, value, NULL), TLU_ERROR_INPUT);
    tlu_options_free(options);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const tlu_option_info *info = tlu_option_at(i);
        char number[64];
        switch (info->type) {
        case TLU_OPTION_FLAG:
            check_refused(info->name, "maybe");
            check_refused(info->name, "");
            check_refused(info->name, "Yes");
            break;
        case TLU_OPTION_CHOICE:
            check_refused(info->name, "nonesuch");
            check_refused(info->name, "");
            snprintf(number, 24, "%s", info->choices + 1); // long values are cut in messages
            check_refused(info->name, number);
            break;
        case TLU_OPTION_RANGE:
            check_refused(info->name, "2:1");
            check_refused(info->name, "1:");
            check_refused(info->name, ":1");
            check_refused(info->name, "1:2:3");
            check_refused(info->name, "0:1e31");
            check_refused(info->name, "ten");
            break;
        case TLU_OPTION_COUNT:
            check_refused(info->name, "1.5");
            check_refused(info->name, "1e300");
            check_refused(info->name, "9007199254740994"); // past 2^53
            // fallthrough
        case TLU_OPTION_NUMBER:
            snprintf(number, sizeof number, "%.17g", info->min - 1);
            check_refused(info->name, number);
            snprintf(number, sizeof number, "%.17g", info->max * 1.5 + 2);
            check_refused(info->name, number);
            if (info->value[0]) // else it stands for none
                check_refused(info->name, "");
            check_refused(info->name, "ten");
            check_refused(info->name, "1x");
            check_refused(info->name, "nan");
            check_refused(info->name, "inf");
            check_refused(info->name, "0x10");
            break;
        case TLU_OPTION_SIZE:
            check_refused(info->name, "0");
            check_refused(info->name, "-1M");
            check_refused(info->name, "M");
            check_refused(info->name, "3X");
            check_refused(info->name, "3MB");
            check_refused(info->name, "nan");
            break;
        case TLU_OPTION_TEXT:
        case TLU_OPTION_LIST:
            break; // anything goes here; readers check what it means
        }
    }
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_error error;
    assert_int_equal(tlu_options_set(options, "epoch", "3", &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "'epoch'"));
    assert_int_equal(tlu_options_set(options, "epochs", "0", &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "at least 1"));
    assert_int_equal(tlu_options_set(options, "tie", "none", &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "mistake|positive|negative"));
    tlu_options_free(options);
}

static void check_items(const char *list, size_t count, const char *const *expected)
{
    const char *cursor = list, *item;
    size_t length, i = 0;
    for (; (item = options_next_item(&cursor, &length)) != NULL; i++) {
        assert_true(i < count);
        assert_int_equal(length, strlen(expected[i]));
        assert_memory_equal(item, expected[i], length);
    }
    assert_int_equal(i, count);
    assert_null(options_next_item(&cursor, &length)); // the end stays the end
}

static void lists_append(void **state)
{
    (void)state;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    assert_int_equal(tlu_options_set(options, "ignore", "id", NULL), TLU_OK);
    assert_int_equal(tlu_options_set(options, "ignore", "name,date", NULL), TLU_OK);
    assert_string_equal(tlu_options_get(options, "ignore"), "id,name,date");
    check_items(options_text(options, OPTION_IGNORE), 3,
                (const char *const[]){"id", "name", "date"});
    check_items("", 0, NULL);
    check_items(",,", 0, NULL);
    check_items(",a,,bc,", 2, (const char *const[]){"a", "bc"});
    tlu_options_free(options);
}

static void copies_are_deep(void **state)
{
    (void)state;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_options_set(options, "epochs", "3", NULL);
    tlu_options_set(options, "ignore", "id", NULL);
    tlu_options_set(options, "tie", "positive", NULL);
    tlu_options *copy = options_copy(options);
    tlu_options_set(options, "epochs", "4", NULL);
    tlu_options_set(options, "ignore", "name", NULL);
    tlu_options_free(options);
    assert_int_equal(options_count(copy, OPTION_EPOCHS), 3);
    assert_string_equal(tlu_options_get(copy, "epochs"), "3");
    assert_string_equal(tlu_options_get(copy, "ignore"), "id");
    assert_int_equal(options_choice(copy, OPTION_TIE), TIE_POSITIVE);
    assert_true(options_is_set(copy, OPTION_EPOCHS));
    assert_false(options_is_set(copy, OPTION_RATE));
    assert_true(options_number(copy, OPTION_RATE) == 1);
    tlu_options_free(copy);

    tlu_options *plain = options_copy(NULL);
    assert_int_equal(options_count(plain, OPTION_EPOCHS), 10);
    tlu_options_free(plain);
}

static void memory_runs_out(void **state)
{
    (void)state;
    fault_at(FAULT_MEMORY, 1);
    tlu_options *none;
    assert_int_equal(tlu_options_new(&none, NULL), TLU_ERROR_SYSTEM);
    assert_null(none);
    fault_at(FAULT_MEMORY, 0);
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_options_set(options, "ignore", "id", NULL);
    tlu_options_set(options, "label", "y", NULL);

    tlu_error error;
    fault_at(FAULT_MEMORY, 1);
    assert_int_equal(tlu_options_set(options, "ignore", "name", &error), TLU_ERROR_SYSTEM);
    assert_int_equal(error.status, TLU_ERROR_SYSTEM);
    assert_string_equal(tlu_options_get(options, "ignore"), "id");
    fault_at(FAULT_MEMORY, 1);
    assert_int_equal(tlu_options_set(options, "epochs", "5", &error), TLU_ERROR_SYSTEM);
    assert_int_equal(options_count(options, OPTION_EPOCHS), 10);

    for (long n = 1; n <= 3; n++) { // the options, and two texts
        fault_at(FAULT_MEMORY, n);
        assert_null(options_copy(options));
    }
    fault_at(FAULT_MEMORY, 4);
    tlu_options *copy = options_copy(options);
    fault_at(FAULT_MEMORY, 0);
    assert_non_null(copy);
    tlu_options_free(copy);
    tlu_options_free(options);
}

static void a_value_is_cleared(void **state)
{
    (void)state;
    tlu_error error;
    static const char *const settings[][2] = {
        {"epochs", "25"}, {"rate", "0.5:2"},  {"tie", "negative"},
        {"ignore", "id"}, {"ignore", "name"}, {"hash", "12"},
        {"memory", "1G"}, {"no-bias", "yes"}, {"label", "y"}};
    tlu_options *options, *fresh;
    tlu_options_new(&options, NULL);
    tlu_options_new(&fresh, NULL);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        assert_int_equal(tlu_options_set(options, settings[i][0], settings[i][1], NULL), TLU_OK);
    assert_string_equal(tlu_options_get(options, "ignore"), "id,name");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        assert_int_equal(tlu_options_clear(options, settings[i][0], &error), TLU_OK);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        assert_int_equal(tlu_options_clear(options, tlu_option_at(i)->name, &error), TLU_OK);
        assert_true(options_same(options, fresh, (enum option)i));
        assert_false(options_is_set(options, (enum option)i));
    }
    assert_string_equal(tlu_options_get(options, "ignore"), "");
    assert_int_equal(tlu_options_clear(options, "ignored", &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "'ignored'"));
    tlu_options_free(fresh);
    tlu_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_sound),
        cmocka_unit_test(renamed_options_keep_their_stored_name),
        cmocka_unit_test(defaults),
        cmocka_unit_test(values_are_taken),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(lists_append),
        cmocka_unit_test(copies_are_deep),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(a_value_is_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
