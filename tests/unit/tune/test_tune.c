// Tuning, against a second implementation that parses the data again for each training, knows no
// threads and no time, and takes the rule from docs/tuning.md.
#include "base/fault.h"
#include "learning.h"
#include "model/split/split.h"
#include "trials.h"
#include "tune/tune.h"

#include <math.h>

#define FOLDS 5
#define MOST 16

// ---- data ----

// Two noisy classes; the second column matters less, the third not at all.
static void write_table(const char *path, size_t rows)
{
    FILE *file = fopen(path, "w");
    uint32_t random = 12345;
    assert_non_null(file);
    fputs("a,b,c,class\n", file);
    for (size_t i = 0; i < rows; i++) {
        double x[4];
        for (size_t k = 0; k < 4; k++) {
            random = random * 1664525 + 1013904223;
            x[k] = (double)(random >> 8) / 8388608 - 1;
        }
        fprintf(file, "%g,%g,%g,%s\n", x[0], 10 * x[1], x[2],
                x[0] + 0.4 * x[1] + 0.5 * x[3] > 0 ? "yes" : "no");
    }
    assert_int_equal(fclose(file), 0);
}

// Word order and capitals say something.
static void write_words(const char *path, size_t rows)
{
    static const char *const words[] = {"not", "Good", "good", "bad", "Bad", "film", "The", "the"};
    FILE *file = fopen(path, "w");
    uint32_t random = 99;
    assert_non_null(file);
    for (size_t i = 0; i < rows; i++) {
        int score = 0;
        char text[200] = "";
        for (size_t k = 0, negated = 0; k < 7; k++) {
            random = random * 1664525 + 1013904223;
            size_t w = random >> 29;
            strcat(strcat(text, " "), words[w]);
            score += w == 1 || w == 2 ? (negated ? -1 : 1) : w == 3 || w == 4 ? -1 : 0;
            negated = w == 0;
        }
        fprintf(file, "%s\t%s\n", score > 0 ? "pos" : "neg", text + 1);
    }
    assert_int_equal(fclose(file), 0);
}

static int make_data(void **state)
{
    (void)state;
    write_table("table.csv", 400);
    write_table("small.csv", 40);
    write_words("words.tsv", 300);
    write_text("one.svm", "a 1:1\na 2:1\na 3:1\na 1:1\na 2:1\n");
    write_text("few.svm", "a 1:1\nb 2:1\na 1:1\nb 2:2\n");
    return 0;
}

// ---- running it ----

static tlu_tuning *tune(tlu_tune_settings settings, const char *given)
{
    tlu_tuning *tuning;
    tlu_error error;
    tlu_options *options = options_of(given);
    settings.size = sizeof settings;
    if (tlu_tune(&settings, options, &tuning, &error) != TLU_OK)
        fail_msg("%s", error.text);
    tlu_options_free(options);
    return tuning;
}

static void refuse(tlu_tune_settings settings, const char *part)
{
    tlu_tuning *tuning;
    tlu_error error;
    settings.size = sizeof settings;
    assert_int_equal(tlu_tune(&settings, NULL, &tuning, &error), TLU_ERROR_INPUT);
    assert_null(tuning);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
}

// ---- the second implementation ----

struct slow {
    const tlu_candidate *candidate;
    size_t folds, place;
    double score;
    unsigned char right[8000];
    size_t examples;
    const char *fate;
};

// The parts go by the seed that was given, which some learners have no other use for.
static void measure_slowly(struct slow *slow, const char *path, size_t fold, const char *given)
{
    tlu_split *split;
    tlu_model *model;
    tlu_evaluation *evaluation;
    const tlu_options *options = slow->candidate->options;
    tlu_options *dealing = options_of(given);
    assert_int_equal(tlu_split_new(path, dealing, FOLDS, &split, NULL), TLU_OK);
    tlu_options_free(dealing);
    for (size_t repeat = 0; repeat < fold / FOLDS; repeat++)
        assert_int_equal(tlu_split_shuffle(split, NULL), TLU_OK);
    size_t part = fold % FOLDS;
    assert_int_equal(tlu_split_train(split, part, options, NULL, NULL, &model, NULL), TLU_OK);
    assert_int_equal(tlu_split_evaluate(split, part, model, options, &evaluation, NULL), TLU_OK);
    for (uint64_t i = 0; i < evaluation->examples; i++)
        slow->right[slow->examples++] = evaluation->is_correct[i];
    slow->folds = fold + 1;
    slow->score =
        slow->score * (double)fold / (double)(fold + 1) + evaluation->accuracy / (double)(fold + 1);
    tlu_evaluation_free(evaluation);
    tlu_model_free(model);
    tlu_split_free(split);
}

static bool comes_before(const struct slow *a, const struct slow *b)
{
    if (a->folds != b->folds)
        return a->folds > b->folds;
    return a->score > b->score + 1e-12 || (a->score > b->score - 1e-12 && a->place < b->place);
}

static void sort_slowly(struct slow *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (comes_before(&all[j], &all[i])) {
                struct slow swap = all[i];
                all[i] = all[j];
                all[j] = swap;
            }
}

// McNemar: of the rows that one alone gets right, how many standard deviations more are the best's.
static bool worse_slowly(const struct slow *best, const struct slow *other)
{
    double lead = 0, differ = 0;
    for (size_t i = 0; i < best->examples; i++) {
        lead += (double)best->right[i] - (double)other->right[i];
        differ += best->right[i] != other->right[i];
    }
    double repeats = best->folds > FOLDS ? (double)best->folds / FOLDS : 1;
    return lead > 0 && lead / sqrt(differ) / sqrt(repeats) > 2.32635;
}

// The rows are dealt out again for those that were measured on all folds and are not worse.
static void repeat_slowly(struct slow *all, size_t count, const char *path, size_t repeats,
                          const char *given)
{
    size_t racing = 0;
    while (racing < count && all[racing].folds == FOLDS && !worse_slowly(&all[0], &all[racing]))
        racing++;
    for (size_t repeat = 1; repeat < repeats && racing > 1; repeat++) {
        for (size_t fold = 0; fold < FOLDS; fold++)
            for (size_t i = 0; i < racing; i++)
                measure_slowly(&all[i], path, repeat * FOLDS + fold, given);
        sort_slowly(all, racing);
        size_t kept = 0, most = (racing + 1) / 2 > 4 ? (racing + 1) / 2 : 4;
        for (size_t i = 0; i < racing; i++)
            all[i].fate = i && worse_slowly(&all[0], &all[i]) ? "worse"
                          : i >= most                         ? "halved"
                                                              : "done";
        while (kept < racing && strcmp(all[kept].fate, "done") == 0)
            kept++;
        for (size_t i = kept; i < racing; i++) // in the tests none after one that is worse goes on
            assert_string_not_equal(all[i].fate, "done");
        racing = kept;
    }
}

static void race_slowly(struct slow *all, size_t count, const char *path, bool stopping,
                        const char *given)
{
    size_t racing = count;
    for (size_t fold = 0; fold < FOLDS; fold++) {
        for (size_t i = 0; i < racing; i++)
            measure_slowly(&all[i], path, fold, given);
        sort_slowly(all, racing);
        if (!stopping || fold + 1 == FOLDS)
            continue;
        size_t half = (racing + 1) / 2, kept = 0, most = half > 3 ? half : racing < 3 ? racing : 3;
        for (size_t i = 0; i < racing; i++)
            all[i].fate = i && worse_slowly(&all[0], &all[i]) ? "worse"
                          : i >= most                         ? "halved"
                                                              : "done";
        for (size_t i = 0; i < racing; i++)
            kept += strcmp(all[i].fate, "done") == 0;
        for (size_t i = 0, next = 0; next < kept; i++) // those that go on come first
            if (strcmp(all[i].fate, "done") == 0) {
                struct slow swap = all[i];
                memmove(&all[next + 1], &all[next], (i - next) * sizeof *all);
                all[next++] = swap;
            }
        racing = kept;
    }
    sort_slowly(all, count);
}

static const char specs[] = "perceptron:scale=auto,pa:scale=none,alma:alpha=0.9,alma:alpha=0.5,"
                            "logistic:rate=0.5,logistic:rate=0.1,arow:r=0.1,hinge:rate=1,"
                            "squared:rate=0.1,rocchio,pa1:C=0.01";

static size_t place_of(const char *name)
{
    const char *cursor = specs;
    for (size_t place = 0;; place++) {
        size_t length = strcspn(cursor, ",");
        if (strncmp(cursor, name, length) == 0 && (name[length] == '\0'))
            return place;
        assert_true(cursor[length]);
        cursor += length + 1;
    }
}

static void compare_with_slow(const char *path, bool exhaustive, size_t repeats, const char *given)
{
    static struct slow all[MOST];
    tlu_tuning *tuning = tune((tlu_tune_settings){.path = path,
                                                  .learners = specs,
                                                  .budget = 1000000,
                                                  .exhaustive = exhaustive,
                                                  .repeats = repeats},
                              given);
    assert_true(tuning->count > 8 && tuning->count <= MOST);
    for (size_t i = 0; i < tuning->count; i++)
        all[i] = (struct slow){.candidate = tuning->candidates[i],
                               .fate = "done",
                               .place = place_of(tuning->candidates[i]->name)};
    race_slowly(all, tuning->count, path, !exhaustive, given);
    repeat_slowly(all, tuning->count, path, repeats, given);
    assert_true(repeats == 1 || tuning->repeats > 1);
    for (size_t i = 0; i < tuning->count; i++) {
        const tlu_candidate *found = tuning->candidates[i];
        assert_string_equal(found->name, all[i].candidate->name);
        assert_int_equal(found->folds, all[i].folds);
        assert_true(fabs(found->score - all[i].score) < 1e-12);
        assert_string_equal(found->outcome, all[i].fate);
    }
    tlu_tuning_free(tuning);
}

static void races_as_a_slow_one(void **state)
{
    (void)state;
    compare_with_slow("table.csv", false, 1, "");
    compare_with_slow("small.csv", false, 1, "seed=3");
    compare_with_slow("words.tsv", false, 1, "ngrams=1 lowercase=yes");
    compare_with_slow("table.csv", false, 4, "");
    compare_with_slow("small.csv", false, 6, "seed=3");
}

static void exhausts_as_a_slow_one(void **state)
{
    (void)state;
    compare_with_slow("table.csv", true, 1, "");
    compare_with_slow("words.tsv", true, 1, "ngrams=2 lowercase=no");
}

// With so few that halving leaves all of them, and none worse by more than chance, the winner is
// that of measuring everything.
static void few_are_all_measured(void **state)
{
    (void)state;
    for (int exhaustive = 0; exhaustive < 2; exhaustive++) {
        tlu_tuning *tuning =
            tune((tlu_tune_settings){.path = "small.csv",
                                     .learners = "alma,alma:alpha=0.8,logistic:rate=1",
                                     .budget = 100000,
                                     .exhaustive = exhaustive},
                 "");
        for (size_t i = 0; exhaustive && i < tuning->count; i++)
            assert_int_equal(tuning->candidates[i]->folds, FOLDS);
        assert_string_equal(tuning->stopped, "done");
        tlu_tuning_free(tuning);
    }
}

// ---- the end ----

// With far more time than it needs, the search ends by itself: everything was tried, and the lead
// of the winner is beyond the chance of the divisions, or that chance is negligible. Both are
// computed here from new divisions.
static void ends_when_settled(void **state)
{
    (void)state;
    static struct slow best, second;
    tlu_tuning *tuning = tune((tlu_tune_settings){.path = "small.csv",
                                                  .learners = "alma,alma:alpha=0.8,logistic:rate=1",
                                                  .seconds = 1e7},
                              "");
    assert_string_equal(tuning->stopped, "done");
    for (size_t i = 0; i < tuning->count; i++) {
        assert_true(tuning->candidates[i]->folds > 0);
        assert_string_not_equal(tuning->candidates[i]->outcome, "time");
    }
    size_t divisions = tuning->repeats;
    assert_true(divisions >= 20 && divisions * 40 <= sizeof best.right);
    best = (struct slow){.candidate = tuning->candidates[0]};
    second = (struct slow){.candidate = tuning->candidates[1]};
    assert_int_equal(second.candidate->folds, divisions * FOLDS);
    double sum = 0, squares = 0;
    for (size_t d = 0; d < divisions; d++) {
        double before = best.score * (double)d - second.score * (double)d;
        for (size_t fold = d * FOLDS; fold < (d + 1) * FOLDS; fold++) {
            measure_slowly(&best, "small.csv", fold, "");
            measure_slowly(&second, "small.csv", fold, "");
        }
        double lead = (best.score - second.score) * (double)(d + 1) - before;
        sum += lead;
        squares += lead * lead;
    }
    assert_true(fabs(best.score - best.candidate->score) < 1e-9);
    double n = (double)divisions, mean = sum / n;
    double error = sqrt(fmax(squares / n - mean * mean, 0) / (n - 1));
    assert_true(mean >= -1e-9);
    assert_true(mean > 2.76 * error || error < 0.0501 * best.candidate->standard_error);
    tlu_tuning_free(tuning);
}

// Divisions come in the order in which shuffling makes them, also if an earlier one is wanted
// again.
static void divisions_come_again(void **state)
{
    (void)state;
    static uint32_t parts[6][400];
    tlu_split *split;
    tlu_options *options = options_of("seed=5");
    assert_int_equal(tlu_split_new("table.csv", options, FOLDS, &split, NULL), TLU_OK);
    for (size_t d = 1; d < 6; d++) {
        memcpy(parts[d], split_row_source(split, 0, false).subset.part, sizeof parts[d]);
        for (size_t before = 1; before < d; before++)
            assert_memory_not_equal(parts[d], parts[before], sizeof parts[d]);
        assert_int_equal(tlu_split_shuffle(split, NULL), TLU_OK);
    }
    static const size_t wanted[] = {2, 5, 5, 1, 3};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_int_equal(split_divide(split, wanted[i], NULL), TLU_OK);
        assert_memory_equal(split_row_source(split, 0, false).subset.part, parts[wanted[i]],
                            sizeof parts[0]);
    }
    tlu_split_free(split);
    tlu_options_free(options);
}

// ---- views ----

// Every candidate's score, of text in each of its views, is what cross-validation of the text with
// its options gives.
static void views_are_the_text(void **state)
{
    (void)state;
    tlu_tuning *tuning = tune((tlu_tune_settings){.path = "words.tsv",
                                                  .learners = "logistic,multinomial-bayes",
                                                  .budget = 1000000,
                                                  .exhaustive = 1},
                              "");
    size_t pairs = 0, lower = 0;
    for (size_t i = 0; i < tuning->count; i++) {
        const tlu_candidate *candidate = tuning->candidates[i];
        tlu_validation *validation;
        assert_int_equal(tlu_cross_validate("words.tsv", candidate->options, FOLDS, 1, NULL, NULL,
                                            &validation, NULL),
                         TLU_OK);
        assert_true(candidate->score == validation->mean);
        assert_true(candidate->deviation == validation->deviation);
        pairs += strcmp(tlu_options_get(candidate->options, "ngrams"), "2") == 0;
        lower += strcmp(tlu_options_get(candidate->options, "lowercase"), "yes") == 0;
        tlu_validation_free(validation);
    }
    assert_true(pairs > 0 && lower > pairs);
    // "not good" can only be known by pairs.
    assert_string_equal(tlu_options_get(tuning->candidates[0]->options, "ngrams"), "2");
    tlu_tuning_free(tuning);
}

// Months say something that no line through their numbers does; the size has too many values to be
// a category, the flag has two, which are the same either way.
static void few_numbers_are_categories_too(void **state)
{
    (void)state;
    FILE *file = fopen("months.csv", "w");
    assert_non_null(file);
    fputs("month,size,flag,warm\n", file);
    for (unsigned i = 0; i < 480; i++)
        fprintf(file, "%u,%u,%u,%s\n", i * 7 % 12 + 1, i * 37 % 461, i / 5 % 2,
                i * 7 % 12 > 3 && i * 7 % 12 < 9 ? "yes" : "no");
    assert_int_equal(fclose(file), 0);
    tlu_tuning *tuning =
        tune((tlu_tune_settings){.path = "months.csv", .budget = 1000, .repeats = 1}, "");
    const tlu_candidate *best = tuning->candidates[0];
    assert_non_null(strstr(best->name, ":categorical"));
    assert_string_equal(tlu_options_get(best->options, "categorical"), "month");
    assert_true(best->score == 1);
    tlu_validation *validation;
    assert_int_equal(
        tlu_cross_validate("months.csv", best->options, FOLDS, 1, NULL, NULL, &validation, NULL),
        TLU_OK);
    assert_true(best->score == validation->mean);
    tlu_validation_free(validation);
    tlu_tuning_free(tuning);
    tuning = tune((tlu_tune_settings){.path = "months.csv", .budget = 1000}, "numeric=month");
    assert_null(strstr(tuning->candidates[0]->name, ":categorical"));
    tlu_tuning_free(tuning);
}

// ---- the same on every machine ----

static void same_with_any_threads(void **state)
{
    (void)state;
    static const char *const threads[] = {"threads=1", "threads=2", "threads=7"};
    tlu_tuning *first = NULL;
    for (size_t t = 0; t < 3; t++) {
        tlu_tuning *tuning =
            tune((tlu_tune_settings){.path = "table.csv", .budget = 1500}, threads[t]);
        if (!first) {
            first = tuning;
            continue;
        }
        assert_int_equal(tuning->count, first->count);
        assert_int_equal(tuning->passes, first->passes);
        assert_true(tuning->passes <= 1500);
        for (size_t i = 0; i < tuning->count; i++) {
            assert_string_equal(tuning->candidates[i]->name, first->candidates[i]->name);
            assert_string_equal(tuning->candidates[i]->outcome, first->candidates[i]->outcome);
            assert_int_equal(tuning->candidates[i]->folds, first->candidates[i]->folds);
            if (tuning->candidates[i]->folds)
                assert_true(tuning->candidates[i]->score == first->candidates[i]->score);
        }
        tlu_tuning_free(tuning);
    }
    tlu_tuning_free(first);
}

// On each fold, candidates that differ only in C are trained in ascending order, each from the
// multipliers of the one before, with the same bits for any number of threads.
static void paths_of_C(void **state)
{
    (void)state;
    static const char *const threads[] = {"threads=1", "threads=2", "threads=7"};
    static const tlu_tune_settings settings = {
        .path = "table.csv",
        .budget = 10000,
        .exhaustive = true,
        .learners =
            "svm:C=10,max-margin:C=0.3,arow:r=1,svm:C=0.1,svm,max-margin:C=3,svm:C=3:gap=0.1"};
    tlu_tuning *first = NULL;
    for (size_t t = 0; t < 3; t++) {
        tlu_tuning *tuning = tune(settings, threads[t]);
        if (!first)
            first = tuning;
        for (size_t i = 0; i < tuning->count; i++) {
            const struct candidate *candidate = (const struct candidate *)tuning->candidates[i];
            const struct candidate *other = (const struct candidate *)first->candidates[i];
            const char *name = candidate->shown.name;
            double last = strstr(name, "gap") || strstr(name, "max-margin") ? 3 : 10;
            assert_string_equal(name, other->shown.name);
            assert_true(candidate->shown.score == other->shown.score);
            assert_true((candidate->path.of == candidate) ==
                        (strcmp(name, "svm") != 0 && strcmp(name, "svm:C=0.1") != 0 &&
                         strcmp(name, "max-margin:C=3") != 0));
            for (size_t fold = 0; fold < FOLDS; fold++) {
                const struct multipliers *found = &candidate->path.of->results[fold].multipliers;
                const struct multipliers *same = &other->path.of->results[fold].multipliers;
                if (strcmp(name, "arow:r=1") == 0) {
                    assert_int_equal(found->count, 0);
                    continue;
                }
                assert_true(found->C == last && found->count >= 320);
                assert_memory_equal(found->alpha, same->alpha, found->count * sizeof(double));
            }
        }
        if (tuning != first)
            tlu_tuning_free(tuning);
    }
    tlu_tuning_free(first);
}

// The neighbours of a candidate have half and twice its numbers.
static void numbers_are_halved_and_doubled(void **state)
{
    (void)state;
    static const char *const expected[] = {"svm:C=0.5", "svm:C=2"};
    tlu_tuning *tuning =
        tune((tlu_tune_settings){.path = "table.csv", .budget = 3000, .learners = "svm"}, "");
    for (size_t e = 0; e < 2; e++) {
        bool found = false;
        for (size_t i = 0; i < tuning->count; i++)
            found |= strcmp(tuning->candidates[i]->name, expected[e]) == 0;
        assert_true(found);
    }
    tlu_tuning_free(tuning);
}

// A smaller budget starts with fewer, in the same order, and is never passed.
static void budgets_are_kept(void **state)
{
    (void)state;
    size_t before = 0;
    for (uint64_t budget = 10; budget < 3000; budget = budget * 2 + 7) {
        tlu_tuning *tuning = tune((tlu_tune_settings){.path = "small.csv", .budget = budget}, "");
        size_t measured = 0;
        for (size_t i = 0; i < tuning->count; i++)
            measured += tuning->candidates[i]->folds > 0;
        assert_true(tuning->passes <= budget);
        assert_true(measured >= before && measured > 0);
        before = measured;
        tlu_tuning_free(tuning);
    }
    assert_true(before > 20);
}

// ---- the model ----

static void model_is_that_of_the_options(void **state)
{
    (void)state;
    static const char *const paths[] = {"table.csv", "words.tsv"};
    for (size_t k = 0; k < 2; k++) {
        tlu_tuning *tuning = tune((tlu_tune_settings){.path = paths[k], .budget = 500}, "");
        tlu_model *tuned, *trained;
        assert_int_equal(tlu_tuning_train(tuning, 0, NULL, NULL, &tuned, NULL), TLU_OK);
        assert_int_equal(tlu_train(paths[k], tuning->candidates[0]->options, &trained, NULL),
                         TLU_OK);
        void *bytes[2];
        size_t sizes[2];
        assert_int_equal(tlu_model_save_bytes(tuned, &bytes[0], &sizes[0], NULL), TLU_OK);
        assert_int_equal(tlu_model_save_bytes(trained, &bytes[1], &sizes[1], NULL), TLU_OK);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(bytes[0], bytes[1], sizes[0]);
        tlu_bytes_free(bytes[0]);
        tlu_bytes_free(bytes[1]);
        tlu_model_free(tuned);
        tlu_model_free(trained);
        assert_int_equal(tlu_tuning_train(tuning, tuning->count, NULL, NULL, &tuned, NULL),
                         TLU_ERROR_INPUT);
        tlu_tuning_free(tuning);
    }
}

// ---- interrupted ----

struct stopper {
    size_t fold, calls;
};

static int stop_at(void *context, const tlu_tune_progress *progress)
{
    struct stopper *stopper = context;
    stopper->calls++;
    assert_true(progress->fold >= 1 && progress->fold <= progress->folds);
    assert_true(progress->done <= progress->racing);
    bool first = strcmp(progress->stage, "table") == 0 && progress->fold == 1;
    assert_true((progress->best != NULL) == !first);
    if (progress->best) {
        const char *learner = tlu_options_get(progress->best->options, "learner");
        assert_int_equal(strncmp(progress->best->name, learner, strlen(learner)), 0);
        assert_true(progress->best->folds >= 1 && progress->best->score > 0);
        assert_true(progress->best->seconds > 0);
        assert_null(progress->best->outcome);
    }
    return progress->fold >= stopper->fold;
}

static void can_be_interrupted(void **state)
{
    (void)state;
    static const char *const threads[] = {"threads=1", "threads=3"};
    for (size_t t = 0; t < 2; t++) {
        for (size_t fold = 2; fold <= FOLDS; fold++) {
            struct stopper stopper = {.fold = fold};
            tlu_tuning *tuning = tune((tlu_tune_settings){.path = "table.csv",
                                                          .budget = 100000,
                                                          .progress = stop_at,
                                                          .progress_context = &stopper},
                                      threads[t]);
            assert_string_equal(tuning->stopped, "interrupted");
            assert_true(tuning->candidates[0]->folds >= fold - 1);
            assert_true(stopper.calls >= fold);
            tlu_tuning_free(tuning);
        }
        struct stopper at_once = {.fold = 1};
        tlu_options *options = options_of(threads[t]);
        tlu_tune_settings settings = {.size = sizeof settings,
                                      .path = "table.csv",
                                      .learners = "max-margin:C=1000",
                                      .progress = stop_at,
                                      .progress_context = &at_once};
        tlu_tuning *tuning;
        tlu_status status = tlu_tune(&settings, options, &tuning, NULL);
        assert_true(status == TLU_INTERRUPTED || (status == TLU_OK && t == 0));
        tlu_tuning_free(tuning);
        tlu_options_free(options);
    }
}

// ---- what is wrong ----

static void refuses(void **state)
{
    (void)state;
    refuse((tlu_tune_settings){.path = NULL}, "path");
    refuse((tlu_tune_settings){.path = "table.csv", .folds = 1}, "2 folds");
    refuse((tlu_tune_settings){.path = "absent.csv"}, "absent.csv");
    refuse((tlu_tune_settings){.path = "few.svm"}, "4 rows, too few for 5 parts");
    refuse((tlu_tune_settings){.path = "one.svm"}, "class");
    refuse((tlu_tune_settings){.path = "table.csv", .learners = "logistc"},
           "'logistc'; did you mean logistic?");
    refuse((tlu_tune_settings){.path = "table.csv", .learners = "alma,zebra"},
           "'zebra'; tlu learners");
    refuse((tlu_tune_settings){.path = "table.csv", .learners = ","}, "no learner");
    refuse((tlu_tune_settings){.path = "table.csv", .learners = "arow:q=1"}, "'q' is not one");
    refuse((tlu_tune_settings){.path = "table.csv", .learners = "arow:r=many"}, "--r is a number");
    refuse((tlu_tune_settings){.path = "table.csv", .budget = 9}, "not enough for one training");
    refuse((tlu_tune_settings){.path = "table.csv", .seconds = NAN}, "seconds");
}

static void specs_are_options(void **state)
{
    (void)state;
    tlu_error error;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    assert_int_equal(tlu_options_set_learner(options, "pa1:C=0.5:kernel=poly:3:no-bias", &error),
                     0);
    assert_string_equal(tlu_options_get(options, "learner"), "pa1");
    assert_string_equal(tlu_options_get(options, "C"), "0.5");
    assert_string_equal(tlu_options_get(options, "kernel"), "poly:3");
    assert_string_equal(tlu_options_get(options, "no-bias"), "yes");
    assert_int_equal(tlu_options_set_learner(options, "perceptron:rate=0.1:0.5:epochs=3", &error),
                     0);
    assert_string_equal(tlu_options_get(options, "rate"), "0.1:0.5");
    assert_string_equal(tlu_options_get(options, "epochs"), "3");
    assert_int_equal(tlu_options_set_learner(options, "pa1:learner=pa", &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_options_set_learner(options, "pa1:", &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_options_set_learner(options, "", &error), TLU_ERROR_INPUT);
    tlu_options_free(options);
}

// One that cannot take the data is left out with its reason.
static void one_may_refuse(void **state)
{
    (void)state;
    tlu_tuning *tuning = tune((tlu_tune_settings){.path = "table.csv",
                                                  .learners = "multinomial-bayes:smoothing=1,alma",
                                                  .budget = 999},
                              "");
    const tlu_candidate *last = NULL;
    for (size_t i = 0; i < tuning->count; i++)
        if (strcmp(tuning->candidates[i]->name, "multinomial-bayes:smoothing=1") == 0)
            last = tuning->candidates[i];
    assert_non_null(last);
    assert_string_equal(last->outcome, "refused");
    assert_non_null(last->reason);
    assert_true(isnan(last->score) && last->folds == 0);
    tlu_tuning_free(tuning);
}

// ---- machines that fail ----

static const char *data;

static tlu_status tunes(tlu_error *error)
{
    tlu_tuning *tuning;
    tlu_model *model = NULL;
    tlu_options *options;
    tlu_options_new(&options, NULL);
    tlu_tune_settings settings = {.size = sizeof settings,
                                  .path = data,
                                  .learners = "perceptron:epochs=2,rocchio",
                                  .folds = 2,
                                  .repeats = 2,
                                  .budget = 30};
    if (!options)
        return TLU_ERROR_SYSTEM;
    tlu_status status = tlu_options_set(options, "threads", "1", error);
    if (status == TLU_OK)
        status = tlu_tune(&settings, options, &tuning, error);
    if (status == TLU_OK) {
        status = tlu_tuning_train(tuning, 0, NULL, NULL, &model, error);
        tlu_model_free(model);
        tlu_tuning_free(tuning);
    }
    tlu_options_free(options);
    return status;
}

static void every_failure(enum fault_kind kind)
{
    long n = 1;
    for (bool hit = true; hit; n++) {
        tlu_error error = {0};
        fault_at(kind, n);
        tlu_status status = tunes(&error);
        hit = fault_calls(kind) >= n;
        fault_at(kind, 0);
        if (!hit && status != TLU_OK)
            fail_msg("without a failure: %s", error.text);
        if (status != TLU_OK)
            assert_int_equal(status, TLU_ERROR_SYSTEM);
    }
    assert_true(n > 2);
}

static void failures_are_clean(void **state)
{
    (void)state;
    write_text("tiny.svm", "few 1:1 2:1\nmany 1:2 3:1\nfew 2:1\nmany 3:2\nmany 1:3 3:1\nfew 1:1\n");
    write_text("tiny.tsv", "few\tA b\nmany\tc a\nfew\tb b\nmany\tc C\n");
    static const char *const paths[] = {"tiny.svm", "tiny.tsv"};
    for (size_t k = 0; k < 2; k++) {
        data = paths[k];
        every_failure(FAULT_MEMORY);
        every_failure(FAULT_READ);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(races_as_a_slow_one),
        cmocka_unit_test(exhausts_as_a_slow_one),
        cmocka_unit_test(few_are_all_measured),
        cmocka_unit_test(ends_when_settled),
        cmocka_unit_test(divisions_come_again),
        cmocka_unit_test(views_are_the_text),
        cmocka_unit_test(few_numbers_are_categories_too),
        cmocka_unit_test(same_with_any_threads),
        cmocka_unit_test(paths_of_C),
        cmocka_unit_test(numbers_are_halved_and_doubled),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(model_is_that_of_the_options),
        cmocka_unit_test(can_be_interrupted),
        cmocka_unit_test(refuses),
        cmocka_unit_test(specs_are_options),
        cmocka_unit_test(one_may_refuse),
        cmocka_unit_test(failures_are_clean),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
