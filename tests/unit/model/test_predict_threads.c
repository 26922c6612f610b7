// Predicting by the threads that read: whatever their number and wherever the file is cut, the
// rows, scores and texts are those of going through the data row by row.
#include "input/reader.h"
#include "learning.h"
#include "model/model.h"
#include "predicting.h"
#include "trials.h"

enum { SMALL = 700, MOST = 1 << 22 }; // bytes of a chunk, of a text

static const char *const two[] = {"-1", "+1"};
static const char *const five[] = {"a", "b\tc", "c", "d", "e"};
static const char *twenty[20];

static int make_data(void **state)
{
    (void)state;
    static char names[20][8];
    for (size_t i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "n%zu", i);
        twenty[i] = names[i];
    }
    struct dense data = random_dense(1, 900, 12, 2, 0.6, false);
    write_libsvm("two.svm", &data, two);
    dense_free(&data);
    data = random_dense(2, 700, 9, 5, 0.7, false);
    write_csv("five.csv", &data, five);
    dense_free(&data);
    data = random_dense(3, 800, 10, 5, 0.5, true);
    write_libsvm("five.svm", &data, twenty);
    dense_free(&data);
    data = random_dense(4, 1500, 10, 20, 0.5, false);
    write_libsvm("twenty.svm", &data, twenty);
    dense_free(&data);
    // Labels that no model knows, and rows without one.
    size_t size;
    char *text = read_bytes("two.svm", &size);
    FILE *file = fopen("strange.svm", "w");
    assert_non_null(file);
    size_t row = 0;
    for (char *rest = text, *line; (line = strtok_r(rest, "\n", &rest)); row++)
        fprintf(file, "%s%s\n", row % 7 == 3 ? "odd" : "",
                row % 5 == 4   ? strchr(line, ' ') + 1
                : row % 7 == 3 ? strchr(line, ' ')
                               : line);
    assert_int_equal(fclose(file), 0);
    free(text);
    return 0;
}

// ---- Row by row
// ----------------------------------------------------------------------------------

static char *put_line(char *to, const tlu_model *model, size_t class_index, const double *scores)
{
    to += sprintf(to, "%s", tlu_model_class_label(model, class_index));
    for (size_t c = 0; c < tlu_model_score_count(model); c++)
        to += sprintf(to, " %.17g", scores[c]);
    return to + sprintf(to, "\n");
}

static char *row_by_row(const tlu_model *model, const char *path)
{
    char *text = malloc(MOST), *to = text;
    assert_non_null(text);
    tlu_options *options = options_of("threads=1");
    tlu_reader *reader;
    const tlu_batch *batch;
    double scores[32];
    assert_int_equal(tlu_reader_open(model, path, options, &reader, NULL), TLU_OK);
    while (tlu_reader_next(reader, &batch, NULL) == TLU_OK && batch) {
        assert_null(tlu_reader_predictions(reader));
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            to = put_line(to, model, class_of_row(model, &row, scores), scores);
            assert_true(to - text < MOST - 1000);
        }
    }
    tlu_reader_close(reader);
    tlu_options_free(options);
    return text;
}

// ---- By threads
// ----------------------------------------------------------------------------------

static int put_rows(void *context, const tlu_predictions *guesses, tlu_output *text)
{
    const tlu_model *model = context;
    size_t wide = tlu_model_score_count(model);
    assert_null(guesses->text);
    for (size_t i = 0; i < guesses->rows; i++) {
        char *to;
        if (tlu_output_reserve(text, 30 * wide + 20, &to, NULL) != TLU_OK)
            return 1;
        char *end = put_line(to, model, guesses->classes[i], guesses->scores + i * wide);
        if (tlu_output_commit(text, (size_t)(end - to), NULL) != TLU_OK)
            return 1;
    }
    return 0;
}

struct outcome_of_run {
    char *text, *end;
    uint64_t rows;
    size_t pieces;
    tlu_status status;
    tlu_error error;
};

static void free_outcome(struct outcome_of_run *run)
{
    free(run->text);
}

// The text that the threads made, where the texts made here of the same guesses are no other.
static struct outcome_of_run by_threads(const tlu_model *model, const char *path, int threads,
                                        size_t chunk)
{
    struct outcome_of_run run = {.text = malloc(MOST)};
    char settings[40], *own = malloc(MOST), *own_end = own;
    assert_true(run.text && own);
    run.end = run.text;
    snprintf(settings, sizeof settings, "threads=%d", threads);
    tlu_options *options = options_of(settings);
    struct row_source row_source = {.chunk_size = chunk};
    tlu_reader *reader;
    const tlu_batch *batch;
    size_t wide = tlu_model_score_count(model);
    run.status = model_read(model, path, &row_source, options, &reader, &run.error);
    assert_int_equal(run.status, TLU_OK);
    assert_int_equal(tlu_reader_predict(reader, 1, put_rows, (void *)model, NULL), TLU_OK);
    while ((run.status = tlu_reader_next(reader, &batch, &run.error)) == TLU_OK && batch) {
        const tlu_predictions *guesses = tlu_reader_predictions(reader);
        assert_int_equal(guesses->rows, batch->rows);
        assert_int_equal(batch->first_row, run.rows);
        assert_true(run.end + guesses->text_size < run.text + MOST);
        if (guesses->text_size)
            memcpy(run.end, guesses->text, guesses->text_size);
        run.end += guesses->text_size;
        for (size_t i = 0; i < guesses->rows; i++)
            own_end = put_line(own_end, model, guesses->classes[i], guesses->scores + i * wide);
        run.rows += batch->rows;
        run.pieces++;
    }
    assert_int_equal(tlu_reader_get_stats(reader)->rows, run.rows);
    *run.end = '\0';
    assert_int_equal(own_end - own, run.end - run.text);
    assert_memory_equal(own, run.text, (size_t)(run.end - run.text));
    tlu_reader_close(reader);
    tlu_options_free(options);
    free(own);
    return run;
}

static const struct {
    const char *train, *settings, *path;
} cases[] = {
    {"two.svm", "epochs=2", "two.svm"},
    {"two.svm", "epochs=2 scale=standard", "strange.svm"},
    {"two.svm", "epochs=2 decide=vote", "two.svm"},
    {"two.svm", "epochs=2 decide=random", "two.svm"},
    {"two.svm", "epochs=2 kernel=rbf:0.1 scale=standard", "strange.svm"},
    {"two.svm", "epochs=1 kernel=poly:2 decide=random", "two.svm"},
    {"five.csv", "epochs=2", "five.csv"},
    {"five.csv", "epochs=2 multiclass=ovo", "five.csv"},
    {"five.svm", "epochs=2 multiclass=ovr", "five.svm"},
    {"two.svm", "learner=bernoulli-bayes binarize=yes", "two.svm"},
    {"five.svm", "epochs=2 kernel=poly:2 decide=vote", "five.svm"},
    {"five.svm", "epochs=2 decide=random", "five.svm"},
    {"five.svm", "epochs=2 learner=mlp hidden=20 scale=standard", "five.svm"},
    {"twenty.svm", "epochs=1", "twenty.svm"}, // too many scores to run ahead with
    {"twenty.svm", "epochs=1 kernel=poly:2", "twenty.svm"},
};

static void as_row_by_row(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tlu_model *model = train(cases[i].train, cases[i].settings);
        char *expected = row_by_row(model, cases[i].path);
        for (size_t k = 0; k < 8; k += unless_sanitized(1, 3)) {
            size_t chunk = k < 4 ? SMALL : 0;
            struct outcome_of_run run = by_threads(model, cases[i].path, threads[k % 4], chunk);
            assert_int_equal(run.status, TLU_OK);
            assert_true(chunk ? run.pieces > 20 : run.pieces < 5);
            if (strcmp(run.text, expected) != 0)
                fail_msg("%s on %s: another text with %d threads", cases[i].settings, cases[i].path,
                         threads[k % 4]);
            free_outcome(&run);
        }
        free(expected);
        tlu_model_free(model);
    }
}

// A row is told before the bad one where its chunk is whole, and the message is the same.
static void the_rows_before_a_bad_one(void **state)
{
    (void)state;
    size_t size;
    char *text = read_bytes("two.svm", &size), *bad = text + size / 2;
    bad = strchr(bad, '\n');
    uint64_t line = 1;
    for (const char *c = text; c <= bad; c++)
        line += *c == '\n';
    *strchr(bad, ':') = ';';
    write_bytes("bad.svm", text, size);
    free(text);
    static const char *const settings[] = {"epochs=1", "epochs=1 kernel=rbf:0.1"};
    for (size_t i = 0; i < 2; i++) {
        tlu_model *model = train("two.svm", settings[i]);
        char *all = row_by_row(model, "two.svm"), first[sizeof(tlu_error)] = "";
        uint64_t rows = 0;
        for (int threads = 1; threads <= 8; threads++) {
            struct outcome_of_run run = by_threads(model, "bad.svm", threads, SMALL);
            assert_int_equal(run.status, TLU_ERROR_INPUT);
            assert_int_equal(run.error.line, line);
            if (threads == 1) {
                strcpy(first, run.error.text);
                rows = run.rows;
                // A chunk has a dozen rows or so.
                assert_true(rows <= line - 1 && rows + 20 > line - 1);
            }
            assert_string_equal(run.error.text, first);
            assert_int_equal(run.rows, rows);
            assert_memory_equal(run.text, all, (size_t)(run.end - run.text));
            free_outcome(&run);
        }
        free(all);
        tlu_model_free(model);
    }
}

// ---- Measuring
// -----------------------------------------------------------------------------------

// Every pair of a positive and a negative row.
static double auc_by_pairs(const tlu_model *model, const char *path)
{
    double *scores[2] = {calloc(2000, sizeof(double)), calloc(2000, sizeof(double))}, won = 0;
    size_t counts[2] = {0, 0};
    tlu_reader *reader;
    const tlu_batch *batch;
    assert_int_equal(tlu_reader_open(model, path, NULL, &reader, NULL), TLU_OK);
    while (tlu_reader_next(reader, &batch, NULL) == TLU_OK && batch)
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            double score;
            class_of_row(model, &row, &score);
            size_t side = batch->labels[i] == tlu_model_positive_class(model);
            if (batch->labels[i] < 2)
                scores[side][counts[side]++] = score;
        }
    tlu_reader_close(reader);
    for (size_t p = 0; p < counts[1]; p++)
        for (size_t n = 0; n < counts[0]; n++)
            won += scores[1][p] > scores[0][n] ? 1 : scores[1][p] == scores[0][n] ? 0.5 : 0;
    free(scores[0]);
    free(scores[1]);
    return won / ((double)counts[0] * (double)counts[1]);
}

static void measuring(void **state)
{
    (void)state;
    static const char *const settings[][2] = {
        {"two.svm", "epochs=1"},     {"two.svm", "epochs=1 decide=vote"},
        {"strange.svm", "epochs=1"}, {"strange.svm", "epochs=1 kernel=poly:2"},
        {"five.svm", "epochs=1"},    {"five.svm", "epochs=1 multiclass=ovr"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        bool binary = strncmp(settings[i][0], "five", 4) != 0;
        tlu_model *model = train(binary ? "two.svm" : "five.svm", settings[i][1]);
        tlu_evaluation *first = NULL;
        for (int threads = 1; threads <= 8; threads += threads / 2 + 1) {
            char text[40];
            snprintf(text, sizeof text, "threads=%d", threads);
            tlu_options *options = options_of(text);
            struct row_source row_source = {.chunk_size = first ? SMALL : 0};
            tlu_evaluation *found;
            assert_int_equal(
                model_evaluate(model, settings[i][0], &row_source, NULL, options, &found, NULL),
                TLU_OK);
            tlu_options_free(options);
            if (!first) {
                first = found;
                if (binary)
                    assert_same_number(found->auc, auc_by_pairs(model, settings[i][0]), 1e-12,
                                       "the area");
                else
                    assert_true(isnan(found->auc));
                continue;
            }
            assert_memory_equal(&found->auc, &first->auc, sizeof found->auc);
            assert_int_equal(found->correct, first->correct);
            assert_int_equal(found->examples, first->examples);
            assert_int_equal(found->ambiguous, first->ambiguous);
            assert_memory_equal(found->reader_stats, first->reader_stats,
                                sizeof *found->reader_stats);
            assert_memory_equal(found->confusion, first->confusion,
                                found->classes * found->classes * sizeof *found->confusion);
            tlu_evaluation_free(found);
        }
        tlu_evaluation_free(first);
        tlu_model_free(model);
    }
}

// The scores of a row with a huge value are not numbers, or infinite: it is refused, by whatever
// way its model is read, and the rows before it are handed out.
static void scores_that_are_no_numbers(void **state)
{
    (void)state;
    write_text("huge.svm", "+1 1:1\n-1 2:1\n+1 1:3e38 2:1\n-1 1:-3e38 3:1\n-1 2:1\n");
    tlu_model *model = train("two.svm", "epochs=1 kernel=poly:100");
    tlu_evaluation *found;
    tlu_error error;
    assert_int_equal(tlu_evaluate(model, "huge.svm", NULL, &found, &error), TLU_ERROR_INPUT);
    assert_int_equal(error.line, 3);
    assert_non_null(strstr(error.text, "huge.svm:3: "));
    for (int ahead = 0; ahead < 2; ahead++) {
        tlu_reader *reader;
        const tlu_batch *batch;
        if (ahead) { // a weight that is as large as it can be
            tlu_model_free(model);
            model = train("two.svm", "epochs=1");
            for (size_t i = 0; i < model->state.weights.features * model->state.weights.columns;
                 i++)
                model->decided.w[i] = 1e300;
        }
        assert_int_equal(tlu_reader_open(model, "huge.svm", NULL, &reader, NULL), TLU_OK);
        assert_int_equal(tlu_reader_predict(reader, ahead, NULL, NULL, NULL), TLU_OK);
        assert_int_equal(tlu_reader_next(reader, &batch, &error), TLU_OK);
        assert_int_equal(batch->rows, 2);
        assert_int_equal(tlu_reader_predictions(reader)->rows, 2);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(tlu_reader_next(reader, &batch, &error), TLU_ERROR_INPUT);
            assert_int_equal(error.line, 3);
        }
        tlu_reader_close(reader);
    }
    tlu_model_free(model);
}

// ---- Order of calls, leaving early
// ---------------------------------------------------------------

static int stop_at_once(void *context, const tlu_predictions *guesses, tlu_output *text)
{
    (void)context, (void)guesses, (void)text;
    return 1;
}

static void calls_in_another_order(void **state)
{
    (void)state;
    static const char *const settings[] = {"epochs=1", "epochs=1 kernel=rbf:0.1"};
    for (size_t k = 0; k < 2; k++) {
        tlu_model *model = train("two.svm", settings[k]);
        tlu_options *options = options_of("threads=3");
        tlu_reader *reader;
        const tlu_batch *batch;
        struct row_source small = {.chunk_size = SMALL};
        assert_int_equal(tlu_reader_open(model, "two.svm", NULL, &reader, NULL), TLU_OK);
        assert_int_equal(tlu_reader_next(reader, &batch, NULL), TLU_OK);
        assert_int_equal(tlu_reader_predict(reader, 0, NULL, NULL, NULL), TLU_ERROR_INPUT);
        tlu_reader_close(reader);
        for (int batches = 0; batches < 4; batches++) {
            assert_int_equal(model_read(model, "two.svm", &small, options, &reader, NULL), TLU_OK);
            assert_int_equal(tlu_reader_predict(reader, 0, NULL, NULL, NULL), TLU_OK);
            assert_int_equal(tlu_reader_predict(reader, 0, NULL, NULL, NULL), TLU_ERROR_INPUT);
            for (int i = 0; i < batches; i++)
                assert_int_equal(tlu_reader_next(reader, &batch, NULL), TLU_OK);
            assert_true(batches == 0 || tlu_reader_predictions(reader)->scores == NULL);
            tlu_reader_close(reader);
        }
        assert_int_equal(model_read(model, "two.svm", &small, options, &reader, NULL), TLU_OK);
        assert_int_equal(tlu_reader_predict(reader, 0, stop_at_once, NULL, NULL), TLU_OK);
        assert_int_equal(tlu_reader_next(reader, &batch, NULL), TLU_INTERRUPTED);
        tlu_reader_close(reader);
        tlu_options_free(options);
        tlu_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_row_by_row),
        cmocka_unit_test(the_rows_before_a_bad_one),
        cmocka_unit_test(measuring),
        cmocka_unit_test(scores_that_are_no_numbers),
        cmocka_unit_test(calls_in_another_order),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
