// Texts, tf-idf, missing values and sets of labels, in CSV and in JSON records: a model that is
// trained without a part of the rows is that of the other rows alone, and a row by itself is
// predicted as in its file.
#include "learning.h"

#include <unistd.h>

enum { ROWS = 120, PARTS_OF_SPLIT = 3, LINE = 400 };

static const char *const texts[] = {"tfidf=yes", "tfidf=yes normalize=yes min-count=2",
                                    "chars=2:3 scale=standard",
                                    "stop-words=sea,the ngrams=2 normalize=yes learner=pa1"};

// Appends to a line. A text of some words, none of them with a quote.
static void add(char *line, const char *text)
{
    assert_true(strlen(line) + strlen(text) < LINE);
    strcat(line, text);
}

static void add_words(char *line, struct random *random, size_t count)
{
    static const char *const words[] = {"sea", "the", "Rain", "road", "w,x", "hill", "it;", "sun"};
    for (size_t i = 0; i < count; i++) {
        char rare[16];
        snprintf(rare, sizeof rare, "w%d", (int)random_below(random, 60));
        add(line, i ? " " : "");
        add(line, random_below(random, 3) ? words[random_below(random, 8)] : rare);
    }
}

// A field of a row, or a member with its key; NULL: the value is missing.
static void add_value(char *line, bool json, const char *key, const char *value, bool quoted)
{
    char member[LINE];
    const char *quote = quoted && value ? "\"" : "";
    snprintf(member, sizeof member, "%s%s%s%s%s%s%s",
             strcmp(key, "size") != 0 ? ","
             : json                   ? "{"
                                      : "",
             json ? "\"" : "", json ? key : "", json ? "\":" : "", quote,
             value  ? value
             : json ? "null"
                    : "",
             quote);
    add(line, member);
}

// Row i of a random table, the same for each format.
static void make_row(char *line, uint64_t i, bool json, bool sets)
{
    struct random random;
    random_seed(&random, i);
    char number[32], words[LINE / 2] = "", label[64] = "";
    bool missing = random_below(&random, 4) == 0;
    snprintf(number, sizeof number, "%d.25", (int)random_below(&random, 200) - 90);
    line[0] = '\0';
    add_value(line, json, "size", missing ? NULL : number, false);
    snprintf(number, sizeof number, "%d", (int)random_below(&random, 3));
    add_value(line, json, "count", random_below(&random, 9) ? number : NULL, false);
    static const char *const places[] = {"u", "v", "x y"};
    add_value(line, json, "place",
              random_below(&random, 6) ? places[random_below(&random, 3)] : NULL,
              random_below(&random, 2) || json);
    add_words(words, &random, random_below(&random, 7));
    add_value(line, json, "note", words, true);
    for (uint32_t c = 0; sets && c < 3; c++)
        if (random_below(&random, 2)) {
            add(label, label[0] ? json ? "\",\"" : "+" : "");
            add(label, (const char *const[]){"art", "law", "war"}[c]);
        }
    if (!sets)
        strcpy(label, strstr(words, "sea") || missing ? "yes" : "no");
    if (json && sets) {
        add(line, ",\"label\":[");
        add(line, label[0] ? "\"" : "");
        add(line, label);
        add(line, label[0] ? "\"]" : "]");
    } else {
        add_value(line, json, "label", label, true);
    }
    add(line, json ? "}\n" : "\n");
}

// The rows that are not in a part of the split; NULL: all rows.
static void write_rows(const char *path, bool json, bool sets, const tlu_split *split, size_t part)
{
    FILE *file = fopen(path, "wb");
    char line[LINE];
    assert_non_null(file);
    if (!json)
        fputs("size,count,place,note,label\n", file);
    for (uint64_t i = 0; i < ROWS; i++) {
        make_row(line, i, json, sets);
        if (!split || tlu_split_row_part(split, i) != part)
            fputs(line, file);
    }
    assert_int_equal(fclose(file), 0);
}

static tlu_options *settings_of(bool json, bool sets, const char *words, const char *missing)
{
    char settings[300];
    snprintf(settings, sizeof settings,
             "text=note categorical=place numeric=size,count label=label epochs=2 %s missing=%s%s",
             words, missing,
             !sets  ? ""
             : json ? " multilabel=yes"
                    : " multilabel=yes label-separator=+");
    return options_of(settings);
}

static void expect_same_models(const tlu_model *a, const tlu_model *b, const char *what)
{
    size_t features = tlu_model_feature_count(a), classes = tlu_model_class_count(a);
    char one[200], two[200];
    if (features != tlu_model_feature_count(b) || classes != tlu_model_class_count(b))
        fail_msg("%s: %zu and %zu features", what, features, tlu_model_feature_count(b));
    for (size_t c = 0; c < classes; c++)
        if (tlu_model_bias(a, c) != tlu_model_bias(b, c))
            fail_msg("%s: other biases", what);
    for (size_t f = 0; f < features; f++) {
        tlu_model_feature_name(a, f, one, sizeof one);
        tlu_model_feature_name(b, f, two, sizeof two);
        for (size_t c = 0; c < classes; c++)
            if (strcmp(one, two) != 0 || tlu_model_weight(a, c, f) != tlu_model_weight(b, c, f))
                fail_msg("%s: '%s' and '%s' have other weights", what, one, two);
    }
}

// Also with the fitted values: those of rows without any.
static void expect_same_scores(const tlu_model *a, const tlu_model *b, bool json, const char *what)
{
    const char *line =
        json ? "{\"size\":null,\"count\":null,\"place\":null,\"note\":\"sea w1 hill\"}"
             : ",,,\"sea w1 hill\"";
    double one[8], two[8];
    const char *label;
    tlu_error error;
    if (tlu_model_predict_line(a, line, &label, one, &error) != TLU_OK ||
        tlu_model_predict_line(b, line, &label, two, &error) != TLU_OK)
        fail_msg("%s: %s", what, error.text);
    assert_memory_equal(one, two, tlu_model_score_count(a) * sizeof *one);
}

static void check_folds(bool json, bool sets, const char *words, const char *missing)
{
    char what[100];
    tlu_error error;
    tlu_split *split;
    tlu_options *options = settings_of(json, sets, words, missing);
    const char *all = json ? "all.jsonl" : "all.csv", *rest = json ? "rest.jsonl" : "rest.csv";
    write_rows(all, json, sets, NULL, 0);
    if (tlu_split_new(all, options, PARTS_OF_SPLIT, &split, &error) != TLU_OK)
        fail_msg("%s", error.text);
    for (size_t part = 0; part < PARTS_OF_SPLIT; part++) {
        tlu_model *fold, *alone;
        snprintf(what, sizeof what, "%s %s %s, part %zu", all, words, missing, part);
        write_rows(rest, json, sets, split, part);
        if (tlu_split_train(split, part, options, NULL, NULL, &fold, &error) != TLU_OK ||
            tlu_train(rest, options, &alone, &error) != TLU_OK)
            fail_msg("%s: %s", what, error.text);
        expect_same_models(fold, alone, what);
        expect_same_scores(fold, alone, json, what);
        tlu_model_free(fold);
        tlu_model_free(alone);
    }
    tlu_split_free(split);
    tlu_options_free(options);
}

static void folds_know_their_rows_alone(void **state)
{
    (void)state;
    static const char *const missing[] = {"auto", "mean", "median", "most-frequent", "zero"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int json = 0; json < 2; json++) {
            check_folds(json, false, texts[i], missing[i]);
            check_folds(json, i % 2, texts[i], missing[i + 1]);
        }
}

static void check_rows(bool json, bool sets, const char *words, const char *missing)
{
    tlu_error error;
    tlu_model *model;
    tlu_reader *reader;
    const tlu_batch *batch;
    tlu_options *options = settings_of(json, sets, words, missing);
    const char *path = json ? "all.jsonl" : "all.csv";
    char line[LINE];
    uint64_t row = 0;
    write_rows(path, json, sets, NULL, 0);
    if (tlu_train(path, options, &model, &error) != TLU_OK ||
        tlu_reader_open(model, path, NULL, &reader, &error) != TLU_OK)
        fail_msg("%s", error.text);
    size_t scores = tlu_model_score_count(model);
    double found[8], expected[8];
    assert_true(scores <= 8);
    for (;;) {
        assert_int_equal(tlu_reader_next(reader, &batch, &error), TLU_OK);
        if (!batch)
            break;
        for (size_t i = 0; i < batch->rows; i++, row++) {
            tlu_row entries = tlu_batch_row(batch, i);
            size_t class_index;
            const char *label;
            assert_int_equal(tlu_model_predict(model, &entries, &class_index, expected, &error),
                             TLU_OK);
            make_row(line, row, json, sets);
            line[strcspn(line, "\n")] = '\0';
            if (tlu_model_predict_line(model, line, &label, found, &error) != TLU_OK)
                fail_msg("%s: %s", line, error.text);
            assert_memory_equal(found, expected, scores * sizeof *found);
            assert_string_equal(label, tlu_model_class_label(model, class_index));
        }
    }
    assert_int_equal(row, ROWS);
    tlu_reader_close(reader);
    tlu_model_free(model);
    tlu_options_free(options);
}

static void rows_are_predicted_as_in_their_file(void **state)
{
    (void)state;
    static const char *const missing[] = {"auto", "median", "most-frequent", "indicator"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int json = 0; json < 2; json++) {
            check_rows(json, false, texts[i], missing[i]);
            check_rows(json, true, texts[i], missing[3 - i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_know_their_rows_alone),
        cmocka_unit_test(rows_are_predicted_as_in_their_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
