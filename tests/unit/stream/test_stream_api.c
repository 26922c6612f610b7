// A model that learns from a stream: the same answers and the same model however the stream is cut,
// interrupted or journalled, checked against a learner that is given the rows one by one.
#include "predicting.h"
#include "stream_test.h"

static void any_pieces_give_the_same(void **state)
{
    (void)state;
    static const size_t most[] = {1, 2, 5, 30, 200, 1000};
    for (size_t f = 0; f < FORMATS; f++) {
        struct answers whole, parts;
        size_t size;
        make_stream(&formats[f], 11 + f);
        char *model = run_whole(formats[f].settings, 0, 0, &whole, &size);
        for (size_t k = 0; k < sizeof most / sizeof most[0]; k++) {
            size_t again_size;
            char *again = run_whole(formats[f].settings, most[k], k, &parts, &again_size);
            assert_string_equal(parts.text, whole.text);
            assert_int_equal(again_size, size);
            assert_memory_equal(again, model, size);
            free(again);
        }
        free(model);
    }
}

// ---- Against a learner that gets the rows one by one --------------------------------------------

static const char *next_line(const char *at, char *line, size_t size)
{
    size_t length = strcspn(at, "\n");
    assert_true(length < size && at[length] == '\n');
    memcpy(line, at, length);
    line[length] = '\0';
    return at + length + 1;
}

// One row the slow way: what would be answered, then learning. Tells whether it was right. Scores
// may differ in the last bits, as the learner sorts the features of a row.
static bool slow_row(tlu_learner *learner, const struct row *row, const char *answer)
{
    const char *label, *tab = strchr(answer, '\t');
    tlu_error error;
    double score;
    if (tlu_learner_predict(learner, row->features, row->count, &label, &score, &error) != TLU_OK)
        fail_msg("%s", error.text);
    score = label ? score : 0;
    label = label ? label : "?";
    bool right = row->label && strcmp(label, row->label) == 0;
    assert_non_null(tab);
    double found = strtod(tab + 1, NULL); // of several labels, each has one: the highest is meant
    for (const char *comma = tab; (comma = strchr(comma, ',')); comma++)
        found = fmax(found, strtod(comma + 1, NULL));
    if (strncmp(answer, label, strlen(label)) != 0 || tab != answer + strlen(label) ||
        (*label && fabs(found - score) > 1e-13 * (1 + fabs(score))))
        fail_msg("'%s', not '%s' with %.17g", answer, label, score);
    if (row->label && tlu_learner_learn(learner, row->features, row->count, row->label, row->weight,
                                        NULL, &error) != TLU_OK)
        fail_msg("%s", error.text);
    return right;
}

// The learner does not know CSV, whose columns of numbers are scaled: here nothing is.
static tlu_options *learning_options(const char *settings)
{
    const char *learner = strstr(settings, "learner="), *decide = strstr(settings, "decide=");
    tlu_options *options = options_as_said(learner ? learner : decide ? decide : "");
    assert_int_equal(tlu_options_set(options, "scale", "none", NULL), TLU_OK);
    if (strstr(settings, "multilabel"))
        set_option(options, "multilabel", "yes");
    return options;
}

static void answers_are_those_of_a_learner(void **state)
{
    (void)state;
    const size_t window = 7;
    for (size_t f = 0; f < FORMATS; f++) {
        struct answers answers = {.size = 0};
        bool right[ROWS];
        size_t labelled = 0, correct = 0, lately = 0;
        make_stream(&formats[f], 40 + f);
        forget();
        char settings[128];
        sprintf(settings, "scale=none %s", formats[f].settings);
        tlu_stream *stream = open_stream(
            settings, &(tlu_stream_settings){
                          .size = sizeof(tlu_stream_settings), .window = window, .scores = 1});
        take_pieces(stream, 0, text_size, 0, NULL, true, &answers);

        tlu_options *options = learning_options(formats[f].settings);
        tlu_learner *learner;
        assert_int_equal(tlu_learner_new(options, &learner, NULL), TLU_OK);
        const char *at = answers.text;
        for (size_t i = 0; i < ROWS; i++) {
            char line[96];
            at = next_line(at, line, sizeof line);
            bool ok = slow_row(learner, &rows[i], line);
            if (rows[i].label)
                right[labelled++] = ok;
        }
        assert_int_equal(*at, '\0');
        for (size_t i = 0; i < labelled; i++) {
            correct += right[i];
            lately += i + window >= labelled && right[i];
        }
        tlu_stream_stats counts = *tlu_stream_get_stats(stream);
        assert_int_equal(counts.rows, ROWS);
        assert_int_equal(counts.examples, labelled);
        assert_int_equal(counts.learned, labelled);
        assert_int_equal(counts.correct, correct);
        assert_int_equal(counts.window, window);
        assert_int_equal(counts.window_correct, lately);
        assert_int_equal(counts.classes, 3);

        // What came of it is the learner's model.
        tlu_model *model, *saved;
        save_and_close(stream);
        assert_int_equal(tlu_learner_make_model(learner, &model, NULL), TLU_OK);
        assert_int_equal(tlu_model_load(MODEL, &saved, NULL), TLU_OK);
        for (size_t i = 0; i < ROWS; i++) {
            double a[3], b[3];
            assert_int_equal(class_of_named(model, rows[i].features, rows[i].count, a),
                             class_of_named(saved, rows[i].features, rows[i].count, b));
            for (size_t c = 0; c < 3; c++)
                assert_true(fabs(a[c] - b[c]) <= 1e-13 * (1 + fabs(a[c])));
        }
        assert_int_equal(tlu_model_feature_find(saved, "unheard"), TLU_NONE);
        tlu_model_free(saved);
        tlu_model_free(model);
        tlu_learner_free(learner);
        tlu_options_free(options);
    }
}

// ---- Rows without a label -----------------------------------------------------------------------

static char *model_of_text(const char *settings, const char *stream, struct answers *answers,
                           size_t *size)
{
    text_size = strlen(stream);
    memcpy(text, stream, text_size + 1);
    return run_whole(settings, 0, 0, answers, size);
}

static void unlabelled_rows_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *with, *without;
    } cases[] = {
        {"", "a 1:1\nb 2:1\n3:1 2:5 9999999:1\na 1:2\n2:7\n", "a 1:1\nb 2:1\na 1:2\n"},
        {"format=vw", "a |n x\n |n y z\nb |n x w\n |n q\n", "a |n x\nb |n x w\n"},
        {"format=csv", "x,y,label\n1,u,a\n5,new,\n2,v,b\n", "x,y,label\n1,u,a\n2,v,b\n"},
        {"format=jsonl",
         "{\"label\":\"a\",\"text\":\"u v\"}\n{\"text\":\"w\"}\n{\"label\":\"b\","
         "\"text\":\"v\"}\n",
         "{\"label\":\"a\",\"text\":\"u v\"}\n{\"label\":\"b\",\"text\":\"v\"}\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct answers answers;
        size_t size, other_size;
        char *a = model_of_text(cases[i].settings, cases[i].with, &answers, &size);
        char *b = model_of_text(cases[i].settings, cases[i].without, &answers, &other_size);
        assert_int_equal(size, other_size);
        assert_memory_equal(a, b, size);
        free(a);
        free(b);
    }
}

// ---- Malformed rows -----------------------------------------------------------------------------

struct malformed {
    const char *settings, *stream;
    uint64_t line, column;
    const char *before; // the rows before it
    bool loose;         // cut after its first line, it is that line that is wrong
};

static const struct malformed malformed[] = {
    {"", "a 1:1\n\nb 2:1\nb 2:x\na 1:1\n", 4, 5, "a 1:1\n\nb 2:1\n", false},
    {"", "a 1:1\nb 2:1\na 3:1 2\n", 3, 8, "a 1:1\nb 2:1\n", false},
    {"format=csv", "x,label\n1,a\n2,b\nz,b\n", 4, 1, "x,label\n1,a\n2,b\n", false},
    {"format=csv", "x,y,label\n1,\"u\nv\",a\n2,v,b\n3,\"p\nq\",b,c\n1,v,a\n", 6, 0,
     "x,y,label\n1,\"u\nv\",a\n2,v,b\n", false},
    {"format=csv", "x,y,label\n1,\"u\nv\",a\n2,v,b\n3,\"p\nq\"z,b\n1,v,a\n", 6, 3,
     "x,y,label\n1,\"u\nv\",a\n2,v,b\n", true},
    {"format=vw", "a | x\nb | y\na -1 | x\n", 3, 0, "a | x\nb | y\n", false},
    {"format=jsonl", "{\"label\":\"a\",\"text\":\"u\"}\n{\"label\":\"b\",\"text\":\"v\"}\n{\n", 3,
     0, "{\"label\":\"a\",\"text\":\"u\"}\n{\"label\":\"b\",\"text\":\"v\"}\n", false},
    {"positive=a", "a 1:1\nb 2:1\nc 2:1\n", 3, 0, "a 1:1\nb 2:1\n", false},
    {"positive=z", "b 1:1\nb 2:1\nc 2:1\n", 3, 0, "b 1:1\nb 2:1\n", false},
};

// Line and column are those of the stream, whatever the piece.
static void errors_have_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++)
        for (size_t most = 0; most < 40; most += most < 3 ? 1 : 9) {
            const struct malformed *it = &malformed[i];
            struct answers answers = {.size = 0}, expected = {.size = 0};
            struct random random;
            tlu_error error = {.status = TLU_OK};
            tlu_status status = TLU_OK;
            size_t size = strlen(it->stream), from = 0, limit = 0, used;
            random_seed(&random, most);
            forget();
            tlu_stream *stream = open_stream(
                it->settings,
                &(tlu_stream_settings){.size = sizeof(tlu_stream_settings), .journal = JOURNAL});
            while (status == TLU_OK && limit < size) {
                limit = most ? limit + 1 + random_below(&random, most) : size;
                limit = limit < size ? limit : size;
                status = take(stream, it->stream + from, limit - from, limit == size, &used,
                              &answers, &error);
                from += used;
            }
            assert_int_equal(status, TLU_ERROR_INPUT);
            if (error.line != it->line && !(it->loose && error.line == it->line - 1))
                fail_msg("case %zu in pieces of %zu: %s", i, most, error.text);
            if (it->column && error.line == it->line)
                assert_int_equal(error.column, it->column);
            assert_int_equal(from, strlen(it->before));
            tlu_stream_stats counts = *tlu_stream_get_stats(stream);
            tlu_stream_close(stream);

            // The journal has the rows before it, and none of it.
            stream = open_stream(
                it->settings,
                &(tlu_stream_settings){.size = sizeof(tlu_stream_settings), .journal = JOURNAL});
            assert_int_equal(tlu_stream_get_stats(stream)->replayed, counts.learned);
            assert_int_equal(counts.learned, counts.rows);
            tlu_stream_close(stream);
            forget();
            stream = open_stream(it->settings, NULL);
            assert_int_equal(
                take(stream, it->before, strlen(it->before), true, &used, &expected, NULL), TLU_OK);
            assert_int_equal(tlu_stream_get_stats(stream)->learned, counts.learned);
            assert_string_equal(answers.text, expected.text);
            tlu_stream_close(stream);
        }
}

static void bad_rows_are_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *with, *without;
        size_t skipped;
    } cases[] = {
        {"skip-bad=yes", "a 1:1\nb 2:1\na 3:x\nb 1\na 2:1\n", "a 1:1\nb 2:1\na 2:1\n", 2},
        {"skip-bad=yes format=csv", "x,label\n1,a\n2,b\nz,b\n\"3\"q,a\n4,a\n",
         "x,label\n1,a\n2,b\n4,a\n", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct answers answers = {.size = 0}, other = {.size = 0};
        size_t used;
        forget();
        tlu_stream *stream = open_stream(
            cases[i].settings,
            &(tlu_stream_settings){.size = sizeof(tlu_stream_settings), .journal = JOURNAL});
        assert_int_equal(
            take(stream, cases[i].with, strlen(cases[i].with), true, &used, &answers, NULL),
            TLU_OK);
        assert_int_equal(tlu_stream_get_stats(stream)->skipped, cases[i].skipped);
        tlu_stream_close(stream); // and once more, from the journal
        stream = open_stream(
            cases[i].settings,
            &(tlu_stream_settings){.size = sizeof(tlu_stream_settings), .journal = JOURNAL});
        save_and_close(stream);
        size_t size;
        char *model = read_bytes(MODEL, &size);
        forget();
        stream = open_stream(cases[i].settings, NULL);
        assert_int_equal(
            take(stream, cases[i].without, strlen(cases[i].without), true, &used, &other, NULL),
            TLU_OK);
        save_and_close(stream);
        assert_string_equal(answers.text, other.text);
        expect_model(model, size);
        free(model);
    }
}

// ---- The journal --------------------------------------------------------------------------------

// Closed without saving, opened again, saved now and then: as if nothing had happened. Each run is
// a stream of its own, which in CSV has the header again or, as the columns are known, has not. An
// array has its bracket again.
static void survives_being_cut(bool header_again, size_t f, uint64_t seed)
{
    struct answers whole, answers = {.size = 0};
    struct random random;
    size_t size, starts[ROWS + 1], header = 0, rows_done = 0;
    make_stream(&formats[f], seed);
    char *model = run_whole(formats[f].settings, 0, 0, &whole, &size);

    // Where the rows begin, by a stream that is given byte by byte.
    forget();
    tlu_stream *stream = open_stream(formats[f].settings, NULL);
    size_t from = 0, used;
    for (size_t limit = 1; limit <= text_size; limit++) {
        uint64_t before = tlu_stream_get_stats(stream)->rows;
        assert_int_equal(take(stream, text + from, limit - from,
                              formats[f].array && limit == text_size, &used, &answers, NULL),
                         TLU_OK);
        for (uint64_t i = before; used && i < tlu_stream_get_stats(stream)->rows; i++)
            starts[i] = from; // of the first rows, that come together, only the first
        from += used;
    }
    tlu_stream_close(stream);
    starts[ROWS] = text_size;
    if (formats[f].write == put_csv)
        header = (size_t)(strstr(text, "colour\n") + 7 - text);
    if (formats[f].array)
        header = (size_t)(strchr(text, '[') + 1 - text);

    forget();
    answers.size = 0;
    random_seed(&random, seed);
    while (rows_done < ROWS) {
        stream = open_stream(
            formats[f].settings,
            &(tlu_stream_settings){.size = sizeof(tlu_stream_settings), .journal = JOURNAL});
        size_t stop = rows_done + 1 + random_below(&random, 12);
        size_t begin = rows_done ? starts[rows_done] : 0;
        if (rows_done < 2)
            begin = 0, stop = stop < 3 ? 3 : stop;
        stop = stop < ROWS ? stop : ROWS;
        bool end = formats[f].array && stop == ROWS;
        if ((header_again || formats[f].array) && rows_done && header) {
            const char *said;
            size_t length;
            char *input = malloc(header + starts[stop] - begin);
            memcpy(input, text, header);
            memcpy(input + header, text + begin, starts[stop] - begin);
            size_t all = header + starts[stop] - begin;
            assert_int_equal(tlu_stream_feed(stream, input, all, end, &used, &said, &length, NULL),
                             TLU_OK);
            assert_int_equal(used, all);
            memcpy(answers.text + answers.size, said, length);
            answers.size += length;
            answers.text[answers.size] = '\0';
            free(input);
        } else {
            take_pieces(stream, begin, starts[stop], 50, &random, end, &answers);
        }
        assert_int_equal(tlu_stream_get_stats(stream)->rows, stop - rows_done);
        if (random_below(&random, 3) == 0)
            assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        if (stop < ROWS)
            tlu_stream_close(stream);
        else
            save_and_close(stream);
        rows_done = stop;
    }
    assert_string_equal(answers.text, whole.text);
    expect_model(model, size);
    free(model);
}

static void journal_loses_nothing(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMATS; f++)
        for (uint64_t seed = 1; seed <= 4; seed++)
            survives_being_cut(seed % 2, f, seed);
}

// A checkpoint in the middle of a CSV stream: the columns of what comes after it are those of its
// header, also if they are not in the order of the model's.
static void header_stays_after_a_checkpoint(void **state)
{
    (void)state;
    static const char first[] = "x,y,label\n1,u,a\n-2,v,b\n3,u,a\n";
    static const char second[] = "label,y,x\nb,u,-1\n", third[] = "a,v,4\nb,v,-3\n";
    struct answers answers = {.size = 0};
    tlu_stream_settings journalled = {.size = sizeof journalled, .journal = JOURNAL};
    char *models[2];
    size_t used, sizes[2];
    for (int cut = 0; cut < 2; cut++) {
        forget();
        tlu_stream *stream = open_stream("", &journalled);
        assert_int_equal(take(stream, first, strlen(first), 1, &used, &answers, NULL), TLU_OK);
        save_and_close(stream);
        stream = open_stream("", &journalled);
        assert_int_equal(take(stream, second, strlen(second), 0, &used, &answers, NULL), TLU_OK);
        assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        assert_int_equal(take(stream, third, strlen(third), 0, &used, &answers, NULL), TLU_OK);
        if (cut) {
            tlu_stream_close(stream);
            stream = open_stream("", &journalled);
            assert_int_equal(tlu_stream_get_stats(stream)->replayed, 2);
        }
        save_and_close(stream);
        models[cut] = read_bytes(MODEL, &sizes[cut]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(models[0], models[1], sizes[0]);
    free(models[0]);
    free(models[1]);
}

static void journal_of_another_model_is_refused(void **state)
{
    (void)state;
    static const char five[] = "a 1:1\nb 2:1\na 1:1\nb 2:1\na 1:2\n", two[] = "a 1:1\nb 2:1\n";
    tlu_stream_settings journalled = {.size = sizeof journalled, .journal = JOURNAL};
    struct answers answers = {.size = 0};
    tlu_stream *stream;
    tlu_error error;
    size_t used;
    for (int more = 0; more < 2; more++) {
        forget(); // a model of two rows or five, a journal that goes on after five or two
        stream = open_stream("", &journalled);
        assert_int_equal(
            take(stream, more ? five : two, strlen(more ? five : two), 1, &used, &answers, NULL),
            TLU_OK);
        assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        tlu_stream_close(stream);
        assert_int_equal(rename(MODEL, "other.tlu"), 0);
        forget();
        stream = open_stream("", &journalled);
        assert_int_equal(
            take(stream, more ? two : five, strlen(more ? two : five), 1, &used, &answers, NULL),
            TLU_OK);
        if (!more)
            assert_int_equal(tlu_stream_save(stream, NULL), TLU_OK);
        assert_int_equal(take(stream, "a 2:2\n", 6, 1, &used, &answers, NULL), TLU_OK);
        tlu_stream_close(stream);
        assert_int_equal(rename("other.tlu", MODEL), 0);
        assert_int_equal(tlu_stream_open(MODEL, NULL, &journalled, &stream, &error),
                         TLU_ERROR_INPUT);
        assert_null(stream);
        assert_non_null(strstr(error.text, "another model than " MODEL));
    }
}

// ---- Models of training -------------------------------------------------------------------------

static void trained_models_go_on(void **state)
{
    (void)state;
    static const char more[] = "b 2:1 7:1\na 1:2\nc 9:1\nc 9:1\n 9:1\n";
    static const tlu_feature features[][2] = {
        {{"2", 1}, {"7", 1}}, {{"1", 2}, {"1000", 0}}, {{"9", 1}, {"1000", 0}}};
    static const char *const labels[] = {"b", "a", "c", "c"};
    struct answers answers = {.size = 0};
    tlu_model *model, *next;
    tlu_learner *learner;
    size_t used;
    forget();
    write_text("train.svm", "a 1:1\nb 2:1\na 1:1 3:1\nb 2:2 3:1\na 2:1 1:0.5\n");
    tlu_options *options = options_of("epochs=3");
    assert_int_equal(tlu_train("train.svm", options, &model, NULL), TLU_OK);
    assert_int_equal(tlu_model_save(model, MODEL, NULL), TLU_OK);
    assert_int_equal(tlu_learner_resume(model, &learner, NULL), TLU_OK);
    tlu_stream *stream = open_stream("", NULL);
    assert_int_equal(take(stream, more, strlen(more), 1, &used, &answers, NULL), TLU_OK);
    assert_int_equal(used, strlen(more));
    save_and_close(stream);
    for (size_t i = 0; i < 4; i++) {
        const tlu_feature *row = features[i < 2 ? i : 2];
        assert_int_equal(tlu_learner_learn(learner, row, i ? 1 : 2, labels[i], 1, NULL, NULL),
                         TLU_OK);
    }
    tlu_model *expected;
    assert_int_equal(tlu_learner_make_model(learner, &expected, NULL), TLU_OK);
    assert_int_equal(tlu_model_load(MODEL, &next, NULL), TLU_OK);
    assert_int_equal(tlu_model_class_count(next), 3);
    for (size_t i = 0; i < 3; i++) {
        double a[3], b[3];
        class_of_named(expected, features[i], 2, a);
        class_of_named(next, features[i], 2, b);
        assert_memory_equal(a, b, sizeof a);
    }
    tlu_model_free(expected);
    tlu_model_free(next);
    tlu_model_free(model);
    tlu_learner_free(learner);
    tlu_options_free(options);

    // Other options than those of the model are refused.
    tlu_error error;
    options = options_of("learner=pa");
    assert_int_equal(tlu_stream_open(MODEL, options, NULL, &stream, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "--learner"));
    tlu_options_free(options);
}

// ---- Reports ------------------------------------------------------------------------------------

struct reports {
    uint64_t examples[16], correct[16];
    size_t count;
};

static int collect(void *context, const tlu_stream_stats *counts)
{
    struct reports *reports = context;
    reports->examples[reports->count] = counts->examples;
    reports->correct[reports->count++] = counts->correct;
    return 0;
}

static void reports_are_on_time(void **state)
{
    (void)state;
    for (size_t most = 0; most < 3000; most = 10 * most + 1) {
        struct answers answers = {.size = 0};
        struct reports reports = {.count = 0};
        struct random random;
        random_seed(&random, 5);
        make_stream(&formats[0], 77);
        forget();
        tlu_stream *stream =
            open_stream("", &(tlu_stream_settings){.size = sizeof(tlu_stream_settings),
                                                   .report = collect,
                                                   .report_context = &reports});
        take_pieces(stream, 0, text_size, most, &random, true, &answers);
        tlu_stream_close(stream);
        assert_int_equal(reports.count, 6); // 48 of the 60 rows have a label
        const char *at = answers.text;
        uint64_t labelled = 0, correct = 0;
        for (size_t i = 0, k = 0; i < ROWS; i++) {
            char line[64];
            at = next_line(at, line, sizeof line);
            if (!rows[i].label)
                continue;
            correct += strcmp(line, rows[i].label) == 0;
            if (++labelled != (uint64_t)1 << k)
                continue;
            assert_int_equal(reports.examples[k], labelled);
            assert_int_equal(reports.correct[k++], correct);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_pieces_give_the_same),
        cmocka_unit_test(answers_are_those_of_a_learner),
        cmocka_unit_test(unlabelled_rows_change_nothing),
        cmocka_unit_test(errors_have_their_place),
        cmocka_unit_test(bad_rows_are_left_out),
        cmocka_unit_test(journal_loses_nothing),
        cmocka_unit_test(header_stays_after_a_checkpoint),
        cmocka_unit_test(journal_of_another_model_is_refused),
        cmocka_unit_test(trained_models_go_on),
        cmocka_unit_test(reports_are_on_time),
    };
    return cmocka_run_group_tests(tests, go_to_memory, leave_memory);
}
