// Training in several processes, which are threads here: all get the same model, one is like none,
// an error of one is the error of all.
#include "prefetching.h"
#include "tlu.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX 5

struct job {
    size_t ranks;
    pthread_barrier_t barrier;
    const tlu_message *sent[RANKS_MAX];
    const char *learner, *rows; // learner NULL: that of --learner auto
    uint64_t mix_every;
    size_t bad;             // this process has a malformed row; RANKS_MAX: none
    const tlu_model *model; // to evaluate; NULL: the job trains
    bool validates;         // by cross-validation
};

struct member {
    struct job *job;
    size_t rank;
    tlu_message kept[RANKS_MAX]; // copies of what was received
    tlu_status status;
    tlu_error error;
    void *bytes;
    size_t size;
    tlu_evaluation *evaluation;
    tlu_validation *validation;
};

static int exchange(void *context, const tlu_message *sent, tlu_message *received, tlu_error *error)
{
    struct member *member = context;
    struct job *job = member->job;
    (void)error;
    job->sent[member->rank] = sent;
    pthread_barrier_wait(&job->barrier);
    for (size_t i = 0; i < job->ranks; i++) {
        const tlu_message *message = &job->sent[i][member->rank];
        free((void *)member->kept[i].bytes);
        void *copy = malloc(message->size + 1);
        assert_non_null(copy);
        if (message->size)
            memcpy(copy, message->bytes, message->size);
        member->kept[i] = received[i] = (tlu_message){copy, message->size};
    }
    pthread_barrier_wait(&job->barrier);
    return 0;
}

static void *train_member(void *context)
{
    struct member *member = context;
    struct job *job = member->job;
    tlu_team team = {.size = sizeof team,
                     .rank = member->rank,
                     .ranks = job->ranks,
                     .exchange = exchange,
                     .exchange_context = member};
    tlu_options *options;
    tlu_model *model;
    tlu_error *error = &member->error;
    member->status = tlu_options_new(&options, error);
    if (member->status == TLU_OK && job->learner)
        member->status = tlu_options_set_learner(options, job->learner, error);
    tlu_train_settings settings = {.size = sizeof settings,
                                   .path = member->rank == job->bad ? "team-bad.svm" : job->rows,
                                   .team = &team,
                                   .mix_every = job->mix_every,
                                   .mix_weights = job->mix_every ? "cells" : NULL};
    if (member->status == TLU_OK)
        member->status = tlu_train_with(&settings, options, &model, error);
    if (member->status == TLU_OK)
        member->status = tlu_model_save_bytes(model, &member->bytes, &member->size, error);
    if (member->status == TLU_OK)
        tlu_model_free(model);
    tlu_options_free(options);
    for (size_t i = 0; i < job->ranks; i++)
        free((void *)member->kept[i].bytes);
    return NULL;
}

static tlu_options *all_metrics(bool multilabel)
{
    tlu_options *options;
    assert_int_equal(tlu_options_new(&options, NULL), TLU_OK);
    if (!multilabel)
        assert_int_equal(tlu_options_set(options, "weighted", "yes", NULL), TLU_OK);
    assert_int_equal(tlu_options_set(options, "metric", "all", NULL), TLU_OK);
    return options;
}

static void *evaluate_member(void *context)
{
    struct member *member = context;
    struct job *job = member->job;
    tlu_team team = {.size = sizeof team,
                     .rank = member->rank,
                     .ranks = job->ranks,
                     .exchange = exchange,
                     .exchange_context = member};
    tlu_options *options = all_metrics(tlu_model_is_multilabel(job->model));
    tlu_evaluate_settings settings = {.size = sizeof settings,
                                      .path = member->rank == job->bad ? "team-bad.svm" : job->rows,
                                      .curves = 1,
                                      .team = &team};
    member->status =
        tlu_evaluate_with(job->model, &settings, options, &member->evaluation, &member->error);
    tlu_options_free(options);
    for (size_t i = 0; i < job->ranks; i++)
        free((void *)member->kept[i].bytes);
    return NULL;
}

static void *validate_member(void *context)
{
    struct member *member = context;
    struct job *job = member->job;
    tlu_team team = {.size = sizeof team,
                     .rank = member->rank,
                     .ranks = job->ranks,
                     .exchange = exchange,
                     .exchange_context = member};
    tlu_options *options;
    assert_int_equal(tlu_options_new(&options, NULL), TLU_OK);
    assert_int_equal(tlu_options_set_learner(options, job->learner, NULL), TLU_OK);
    tlu_validation_settings settings = {.size = sizeof settings,
                                        .path =
                                            member->rank == job->bad ? "team-bad.svm" : job->rows,
                                        .folds = 3,
                                        .repeats = 2,
                                        .team = &team};
    member->status =
        tlu_cross_validate_with(&settings, options, &member->validation, &member->error);
    tlu_options_free(options);
    for (size_t i = 0; i < job->ranks; i++)
        free((void *)member->kept[i].bytes);
    return NULL;
}

static void run(struct job *job, struct member *members)
{
    void *(*work)(void *) = job->validates ? validate_member
                            : job->model   ? evaluate_member
                                           : train_member;
    pthread_t threads[RANKS_MAX];
    pthread_barrier_init(&job->barrier, NULL, (unsigned)job->ranks);
    for (size_t i = 0; i < job->ranks; i++) {
        members[i] = (struct member){.job = job, .rank = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &members[i]), 0);
    }
    for (size_t i = 0; i < job->ranks; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&job->barrier);
}

// Rows with names, of three classes, the last of which occurs late.
static void write_rows(const char *path, const char *last)
{
    unsigned seed = 7;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 600; i++) {
        int label = i < 500 ? i % 2 : i % 3;
        fprintf(file, "%d |", label);
        for (int k = 0; k < 6; k++) {
            seed = seed * 1103515245 + 12345;
            int word = (int)(seed >> 16) % 40;
            fprintf(file, " w%d:%d.5", word < 20 ? word : word + 100 * label, 1 + k);
        }
        fputc('\n', file);
    }
    fputs(last, file);
    fclose(file);
}

static void test_models_are_the_same(void **state)
{
    static const char *const learners[] = {"perceptron:epochs=3",
                                           "alma:epochs=3",
                                           "arow:epochs=2",
                                           "logistic:epochs=2",
                                           "pa1:epochs=2:hash=12",
                                           "hinge:epochs=3:holdout=0.2",
                                           "perceptron:multiclass=ovo",
                                           NULL};
    (void)state;
    write_rows("team.vw", "");
    for (size_t l = 0; l < sizeof learners / sizeof learners[0]; l++)
        for (size_t ranks = 1; ranks <= RANKS_MAX; ranks += 2)
            for (uint64_t every = 0; every <= 50; every += 50) {
                struct job job = {.ranks = ranks,
                                  .learner = learners[l],
                                  .rows = "team.vw",
                                  .mix_every = every,
                                  .bad = RANKS_MAX};
                struct member first[RANKS_MAX], second[RANKS_MAX];
                run(&job, first);
                run(&job, second);
                for (size_t i = 0; i < ranks; i++) {
                    if (first[i].status != TLU_OK)
                        fail_msg("%s: %s", learners[l] ? learners[l] : "auto", first[i].error.text);
                    assert_int_equal(second[i].status, TLU_OK);
                    assert_int_equal(first[i].size, first[0].size);
                    assert_memory_equal(first[i].bytes, first[0].bytes, first[0].size);
                    assert_int_equal(second[i].size, first[0].size);
                    assert_memory_equal(second[i].bytes, first[0].bytes, first[0].size);
                }
                for (size_t i = 0; i < ranks; i++) {
                    tlu_bytes_free(first[i].bytes);
                    tlu_bytes_free(second[i].bytes);
                }
            }
}

static void test_errors_are_shared(void **state)
{
    (void)state;
    write_rows("team.vw", "");
    write_rows("team-bad.svm", "| a\n");
    for (size_t bad = 0; bad < 3; bad++) {
        // The malformed row is the last, which the last part has.
        struct job job = {.ranks = 3, .learner = "perceptron", .rows = "team.vw", .bad = bad};
        struct member members[RANKS_MAX];
        run(&job, members);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(members[i].status, bad == 2 ? TLU_ERROR_INPUT : TLU_OK);
            if (bad == 2)
                assert_non_null(strstr(members[i].error.text, "team-bad.svm:601:"));
            tlu_bytes_free(members[i].bytes);
        }
    }
}

static void same_evaluation(const tlu_evaluation *found, const tlu_evaluation *expected)
{
    size_t classes = expected->classes;
    assert_int_equal(found->examples, expected->examples);
    assert_int_equal(found->correct, expected->correct);
    assert_int_equal(found->ambiguous, expected->ambiguous);
    assert_memory_equal(found->is_correct, expected->is_correct, expected->examples);
    if (expected->confusion)
        assert_memory_equal(found->confusion, expected->confusion,
                            classes * classes * sizeof *expected->confusion);
    assert_memory_equal(&found->auc, &expected->auc, sizeof found->auc);
    assert_int_equal(found->metric_count, expected->metric_count);
    for (size_t i = 0; i < expected->metric_count; i++)
        assert_memory_equal(&found->metrics[i].value, &expected->metrics[i].value, sizeof(double));
    assert_int_equal(found->reader_stats->rows, expected->reader_stats->rows);
    assert_int_equal(found->reader_stats->unknown_labels, expected->reader_stats->unknown_labels);
    assert_string_equal(found->reader_stats->unknown_label, expected->reader_stats->unknown_label);
}

// An evaluation has the bits of one process; the other processes have none.
static void check_evaluation(const char *path, const char *learner, bool multilabel)
{
    tlu_model *model;
    tlu_evaluation *expected;
    tlu_options *options;
    assert_int_equal(tlu_options_new(&options, NULL), TLU_OK);
    assert_int_equal(tlu_options_set_learner(options, learner, NULL), TLU_OK);
    if (multilabel)
        assert_int_equal(tlu_options_set(options, "multilabel", "yes", NULL), TLU_OK);
    assert_int_equal(tlu_train(path, options, &model, NULL), TLU_OK);
    tlu_options_free(options);
    options = all_metrics(multilabel);
    tlu_evaluate_settings settings = {.size = sizeof settings, .path = path, .curves = 1};
    assert_int_equal(tlu_evaluate_with(model, &settings, options, &expected, NULL), TLU_OK);
    tlu_options_free(options);
    for (size_t ranks = 1; ranks <= RANKS_MAX; ranks += 2) {
        struct job job = {.ranks = ranks, .rows = path, .bad = RANKS_MAX, .model = model};
        struct member members[RANKS_MAX];
        run(&job, members);
        for (size_t i = 0; i < ranks; i++) {
            if (members[i].status != TLU_OK)
                fail_msg("%s", members[i].error.text);
            assert_true((i == 0) == (members[i].evaluation != NULL));
        }
        same_evaluation(members[0].evaluation, expected);
        tlu_evaluation_free(members[0].evaluation);
        job.bad = ranks - 1;
        run(&job, members);
        for (size_t i = 0; ranks > 1 && i < ranks; i++) {
            assert_int_equal(members[i].status, TLU_ERROR_INPUT);
            assert_string_equal(members[i].error.text, members[0].error.text);
            assert_non_null(strstr(members[i].error.text, "team-bad.svm"));
            assert_null(members[i].evaluation);
        }
    }
    tlu_evaluation_free(expected);
    tlu_model_free(model);
}

static void test_evaluations_are_the_same(void **state)
{
    (void)state;
    FILE *file = fopen("team-bad.svm", "w");
    assert_non_null(file);
    for (int i = 0; i < 40; i++)
        fputs(i == 39 ? "1 2:x\n" : "1 2:1\n", file);
    fclose(file);
    file = fopen("team-sets.svm", "w");
    assert_non_null(file);
    for (int i = 0; i < 300; i++)
        fprintf(file, i % 7 == 0 ? "%d %d:1 %d:2\n" : "%d,7 %d:1 %d:2\n", i % 3, 1 + i % 3,
                4 + i % 5);
    fclose(file);
    file = fopen("team-two.svm", "w");
    assert_non_null(file);
    for (int i = 0; i < 500; i++)
        fprintf(file, "%d %d:1.5 %d:2\n", i % 3 ? 1 : -1, 1 + i % 3 + i % 2, 6 + i % 11);
    fclose(file);
    check_evaluation("team-two.svm", "logistic:epochs=2", false);
    check_evaluation("team-two.svm", "perceptron", false);
    check_evaluation("team-sets.svm", "perceptron", true);
}

static void same_folds(const tlu_validation *found, const tlu_validation *expected)
{
    assert_int_equal(found->rows, expected->rows);
    assert_int_equal(found->classes, expected->classes);
    assert_int_equal(found->count, expected->count);
    for (size_t i = 0; i < expected->count; i++) {
        const tlu_fold *fold = found->folds[i], *same = expected->folds[i];
        assert_int_equal(fold->examples, same->examples);
        assert_int_equal(fold->training_examples, same->training_examples);
        assert_memory_equal(fold->rows, same->rows, same->examples * sizeof *same->rows);
    }
}

// The folds are those of one process, whose results one process of a team has, too.
static void test_validations_have_the_same_folds(void **state)
{
    (void)state;
    write_rows("team.vw", "");
    write_rows("team-bad.svm", "| a\n");
    for (size_t ranks = 1; ranks <= RANKS_MAX; ranks += 2) {
        struct job job = {.ranks = ranks,
                          .learner = "perceptron:epochs=3",
                          .rows = "team.vw",
                          .bad = RANKS_MAX,
                          .validates = true};
        struct member alone, members[RANKS_MAX], again[RANKS_MAX];
        job.ranks = 1;
        run(&job, &alone);
        job.ranks = ranks;
        run(&job, members);
        run(&job, again);
        for (size_t i = 0; i < ranks; i++) {
            if (members[i].status != TLU_OK)
                fail_msg("%s", members[i].error.text);
            assert_true((i == 0) == (members[i].validation != NULL));
        }
        same_folds(members[0].validation, alone.validation);
        same_folds(again[0].validation, alone.validation);
        assert_true(members[0].validation->mean > 0.5);
        assert_true(members[0].validation->mean == again[0].validation->mean);
        if (ranks == 1)
            assert_true(members[0].validation->mean == alone.validation->mean);
        tlu_validation_free(alone.validation);
        tlu_validation_free(members[0].validation);
        tlu_validation_free(again[0].validation);
        job.bad = ranks - 1; // the last part has the malformed row
        run(&job, members);
        for (size_t i = 0; i < ranks; i++) {
            assert_int_equal(members[i].status, TLU_ERROR_INPUT);
            assert_string_equal(members[i].error.text, members[0].error.text);
            assert_non_null(strstr(members[i].error.text, "team-bad.svm:601:"));
            assert_null(members[i].validation);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_are_the_same),
        cmocka_unit_test(test_errors_are_shared),
        cmocka_unit_test(test_evaluations_are_the_same),
        cmocka_unit_test(test_validations_have_the_same_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
