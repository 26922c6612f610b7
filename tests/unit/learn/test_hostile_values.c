// Files of hostile values, for every learner: training either refuses a row with its place, or
// makes a model that can be saved, at any step, and whose predictions are numbers, or refused with
// their place too. TLU_LONG=1 takes many more files.
#include "learning.h"
#include "model/model.h"
#include "train/train.h"

#include <unistd.h>

#define DATA "hostile.svm"
#define MODEL "hostile.tlu"

static const char *const learners[] = {"perceptron",
                                       "pa",
                                       "pa1",
                                       "pa2",
                                       "romma",
                                       "aromma",
                                       "alma",
                                       "arow",
                                       "scw1",
                                       "scw2",
                                       "hinge",
                                       "logistic",
                                       "squared",
                                       "rocchio",
                                       "bernoulli-bayes",
                                       "max-margin",
                                       "multinomial-bayes"};
enum { LEARNERS = sizeof learners / sizeof learners[0] };

// Values of one kind come together: all far apart, or tiny ones among which few are huge, so that
// weights which have grown to make up for the former meet the latter.
static double value_of(struct random *random, uint64_t kind, bool negative)
{
    static const double values[] = {1,    2,    0.5,   1e-3,    1e6,   1e-20,
                                    1e20, 3e38, 1e-38, 1.4e-45, 3.4e38};
    enum { COUNT = sizeof values / sizeof values[0] };
    double value = kind == 0   ? values[random_below(random, COUNT)]
                   : kind == 1 ? random_below(random, 25) ? 1e-38 : 3e38
                   : kind == 2 ? random_below(random, 25) ? 1.4e-45 : 3.4e38
                               : random_unit(random);
    return negative && random_below(random, 2) ? -value : value;
}

static void write_data(struct random *random, size_t rows, size_t classes, bool negative)
{
    FILE *file = fopen(DATA, "w");
    assert_non_null(file);
    uint64_t kind = random_below(random, 4), most = 1 + random_below(random, 12);
    for (size_t i = 0; i < rows; i++) {
        fprintf(file, "%d", (int)(i < classes ? i : random_below(random, classes)));
        for (uint64_t f = 1; f <= most; f++)
            if (random_below(random, 3) || i == 0)
                fprintf(file, " %d:%.9g", (int)f, value_of(random, kind, negative));
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

static void assert_placed(const tlu_error *error, const char *settings)
{
    if (error->line == 0 || strncmp(error->text, DATA ":", strlen(DATA) + 1) != 0 ||
        !strstr(error->text, "overflow"))
        fail_msg("%s: %s", settings, error->text);
}

// The model of the first examples; NULL: a row was refused.
static tlu_model *train_so_far(const char *settings, uint64_t examples)
{
    tlu_options *options = options_of(settings);
    tlu_model *model = NULL;
    tlu_error error;
    struct training training = {.rows.path = DATA, .reporter.stop_after = examples};
    tlu_status status = model_train(&training, options, NULL, &model, &error);
    tlu_options_free(options);
    if (status != TLU_OK)
        assert_placed(&error, settings);
    return model;
}

static void check_predictions(const tlu_model *model, const char *settings)
{
    tlu_error error;
    tlu_reader *reader;
    const tlu_batch *batch = NULL;
    tlu_status status = tlu_reader_open(model, DATA, NULL, &reader, &error);
    if (status == TLU_OK)
        status = tlu_reader_predict(reader, 1, NULL, NULL, &error);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, &error)) == TLU_OK &&
           batch) {
        const tlu_predictions *guesses = tlu_reader_predictions(reader);
        for (size_t i = 0; i < guesses->rows * tlu_model_score_count(model); i++)
            if (!isfinite(guesses->scores[i]))
                fail_msg("%s: a score is %g", settings, guesses->scores[i]);
    }
    if (status != TLU_OK)
        assert_placed(&error, settings);
    tlu_reader_close(reader);
}

static void save(const tlu_model *model, const char *settings)
{
    tlu_error error;
    if (tlu_model_save(model, MODEL, &error) != TLU_OK)
        fail_msg("%s: %s", settings, error.text);
}

// Whether the whole of it could be learned.
static bool check_training(const char *settings, struct random *random, size_t rows, bool whole)
{
    tlu_model *model = train_so_far(settings, 0);
    bool learned = model != NULL;
    if (model) {
        save(model, settings);
        check_predictions(model, settings);
        tlu_model_free(model);
    }
    for (int i = 0; learned && !whole && i < 3; i++) { // as a checkpoint has it
        model = train_so_far(settings, rows + random_below(random, 3 * rows));
        assert_non_null(model);
        save(model, settings);
        tlu_model_free(model);
    }
    return learned;
}

static void train_on_hostile_values(void **state)
{
    (void)state;
    static const char *const scales[] = {"none", "online", "maxabs", "standard"};
    static const char *const schemes[] = {"wta", "ovr", "ovo"};
    static const char *const more[] = {"",
                                       "l2=0.7",
                                       "schedule=constant",
                                       "schedule=sqrt",
                                       "C=1e9",
                                       "C=1e-9",
                                       "decide=last",
                                       "decide=best",
                                       "decide=vote",
                                       "kernel=poly:5",
                                       "kernel=poly:2,0",
                                       "kernel=linear",
                                       "kernel=rbf:3",
                                       "shuffle=all",
                                       "r=1e-20"};
    struct random random;
    size_t files = getenv("TLU_LONG") ? 20000 : 1500, learned = 0, refused = 0;
    random_seed(&random, 3);
    for (size_t n = 0; n < files; n++) {
        char settings[200];
        const char *learner = learners[n % LEARNERS];
        bool whole = n % LEARNERS >= 13, bayes = strstr(learner, "bayes") != NULL;
        const char *extra = more[random_below(&random, sizeof more / sizeof more[0])];
        snprintf(settings, sizeof settings, "learner=%s scale=%s multiclass=%s no-bias=%s %s %s",
                 learner, scales[bayes ? 0 : random_below(&random, whole ? 1 : 4)],
                 schemes[random_below(&random, 3)],
                 random_below(&random, 2) && !bayes ? "yes" : "no",
                 whole ? "" : "epochs=4 threads=1", whole ? "" : extra);
        size_t rows = 10 + (size_t)random_below(&random, 60);
        write_data(&random, rows, 2 + (size_t)random_below(&random, 3), !bayes);
        tlu_options *options = options_of(settings);
        tlu_model *model = NULL;
        tlu_error error;
        struct training training = {.rows.path = DATA, .reporter.stop_after = 1};
        bool fits = model_train(&training, options, NULL, &model, &error) == TLU_OK || error.line;
        tlu_model_free(model);
        tlu_options_free(options);
        if (!fits) // the learner has no such option
            continue;
        bool fine = check_training(settings, &random, rows, whole || strstr(settings, "kernel"));
        learned += fine;
        refused += !fine;
    }
    print_message("%zu learned, %zu refused\n", learned, refused);
    assert_true(learned > files / 4 && refused > 10);
}

// `pa2 --scale online` keeps no |w|^2, which would be the first number to overflow.
static void what_a_learner_does_not_need_is_no_obstacle(void **state)
{
    (void)state;
    write_text(DATA, "a 1:1.4e-45 2:1.4e-45\nb 1:3.4e38 2:1.4e-45\na 2:3.4e38\nb 1:1 2:1\n");
    for (uint64_t stop = 2; stop < 16; stop++) {
        tlu_model *model = train_so_far("learner=pa2 scale=online epochs=4", stop);
        assert_non_null(model);
        save(model, "pa2");
        tlu_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_learner_does_not_need_is_no_obstacle),
        cmocka_unit_test(train_on_hostile_values),
    };
    // Every model is brought to the disk for good, which takes long where there is one.
    char folder[] = "/dev/shm/tlu-hostile-XXXXXX";
    bool moved = mkdtemp(folder) && chdir(folder) == 0;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(DATA);
    remove(MODEL);
    if (moved)
        rmdir(folder);
    return failed;
}
