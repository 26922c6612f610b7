// --holdout with every decision and space: the accuracy of a pass is that of the model of that pass
// on the held-out rows, which are written to a file of their own and read back.
#include "checkpointing.h"
#include "data/schema.h"

#define FEW 260

// Lines of a file, from 1.
static void copy_lines(const char *path, const char *out, const struct training *t)
{
    const struct places *places = &t->rows.held_out;
    FILE *from = fopen(path, "r"), *to = fopen(out, "w");
    assert_true(from && to);
    char line[4096];
    for (uint64_t number = 1; fgets(line, sizeof line, from); number++)
        for (size_t k = 0; k < places->count; k++)
            if (batch_line(rows_batch(&t->rows, places->items[k]), places->items[k].row) == number)
                fputs(line, to);
    fclose(from);
    assert_int_equal(fclose(to), 0);
}

// The held-out rows of these settings, in the file held.svm.
static void write_held_out(const char *settings)
{
    tlu_error error;
    tlu_options *options = options_of(settings);
    struct training training = {.rows.path = "few.svm"};
    if (training_run(&training, options, NULL, &error) != TLU_OK)
        fail_msg("%s: %s", settings, error.text);
    copy_lines("few.svm", "held.svm", &training);
    training_free(&training);
    tlu_options_free(options);
}

static double accuracy_on_held_out(const tlu_model *model)
{
    tlu_error error;
    tlu_evaluation *evaluation;
    if (tlu_evaluate(model, "held.svm", NULL, &evaluation, &error) != TLU_OK)
        fail_msg("%s", error.text);
    double accuracy = evaluation->accuracy;
    tlu_evaluation_free(evaluation);
    return accuracy;
}

static void the_accuracy_is_that_of_the_model(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "epochs=4 holdout=0.3 kernel=rbf:0.05",
        "epochs=4 holdout=0.3 kernel=rbf:0.05 decide=last classes=ovr",
        "epochs=4 holdout=0.3 kernel=poly:2,1 classes=ovo learner=pa1",
        "epochs=3 holdout=0.3 kernel=linear learner=hinge l2=0.01",
        "epochs=4 holdout=0.3 kernel=rbf:0.1 decide=best",
        "epochs=4 holdout=0.3 decide=vote",
        "epochs=4 holdout=0.3 decide=vote classes=ovr learner=alma",
        "epochs=4 holdout=0.3 decide=vote classes=ovo scale=standard",
        "epochs=4 holdout=0.3 decide=vote kernel=poly:2,1",
        "epochs=4 holdout=0.3 decide=vote learner=arow",
        "epochs=4 holdout=0.3 decide=vote learner=scw1 classes=ovr no-bias=yes",
        "epochs=4 holdout=0.3 decide=vote learner=scw2 classes=ovo scale=standard",
        "epochs=4 holdout=0.3 decide=best",
        "epochs=9 holdout=0.3 decide=vote patience=1 no-bias=yes",
        "epochs=4 holdout=0.3 learner=mlp hidden=6 scale=standard",
        "epochs=4 holdout=0.3",
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        write_held_out(settings[i]);
        tlu_model *model = part("few.svm", settings[i], NULL, 0, 1);
        const tlu_report *report = tlu_model_report(model);
        assert_true(report->held_out > 50);
        double told = report->held_out_accuracy[report->best_epoch - 1];
        for (uint64_t p = 0; p < report->epochs; p++)
            assert_true(report->held_out_accuracy[p] <= told);
        assert_true(told > 1.0 / 3); // of three classes
        if (accuracy_on_held_out(model) != told)
            fail_msg("%s: %g, and the model has %g", settings[i], told,
                     accuracy_on_held_out(model));
        tlu_model_free(model);
    }
}

// The names of features do not matter, and so neither does how many there might be: from 2^17 on
// fewer rows are scored at a time.
static void wide_rows_are_scored_as_narrow_ones(void **state)
{
    (void)state;
    static const char *const settings[] = {"epochs=2 holdout=0.3 decide=vote",
                                           "epochs=2 holdout=0.3 kernel=poly:2,1"};
    FILE *narrow = fopen("narrow.svm", "w"), *wide = fopen("wide.svm", "w");
    assert_true(narrow && wide);
    struct dense data = random_dense(17, 200, 4, 3, 0.9, true);
    for (size_t i = 0; i < data.rows; i++) {
        fprintf(narrow, "c%zu", data.class[i]);
        fprintf(wide, "c%zu", data.class[i]);
        for (size_t j = 0; j < data.features; j++) {
            fprintf(narrow, " %zu:%g", j + 1, data.x[i * data.features + j]);
            fprintf(wide, " %zu:%g", j + 150000, data.x[i * data.features + j]);
        }
        fputs("\n", narrow);
        fputs("\n", wide);
    }
    assert_int_equal(fclose(narrow) | fclose(wide), 0);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        tlu_model *a = train("narrow.svm", settings[i]), *b = train("wide.svm", settings[i]);
        for (int p = 0; p < 2; p++)
            assert_exactly(tlu_model_report(b)->held_out_accuracy[p],
                           tlu_model_report(a)->held_out_accuracy[p]);
        tlu_model_free(a);
        tlu_model_free(b);
    }
    dense_free(&data);
}

// ---- random: what a pick is expected to be right about, from the weights of a trace

#define MAX_FEATURES 400

struct picking {
    double w[3][MAX_FEATURES], bias[3]; // after the example at hand
    double right;                       // sum over the examples
    uint64_t examples;
    struct {
        char label[8];
        size_t count;
        uint32_t feature[64];
        double value[64];
    } rows[200];
    size_t count;
};

static void read_held_out(struct picking *picking)
{
    FILE *file = fopen("held.svm", "r");
    assert_non_null(file);
    char line[4096];
    while (fgets(line, sizeof line, file)) {
        size_t r = picking->count++;
        char *token = strtok(line, " \n");
        snprintf(picking->rows[r].label, 8, "%s", token);
        while ((token = strtok(NULL, " \n"))) {
            size_t n = picking->rows[r].count++;
            picking->rows[r].feature[n] = (uint32_t)strtoul(token, &token, 10);
            picking->rows[r].value[n] = (double)(float)strtod(token + 1, NULL);
        }
    }
    fclose(file);
}

static const char *winner(const struct picking *picking, size_t r)
{
    static const char *const labels[] = {"c0", "c1", "c2"};
    double scores[3];
    for (int c = 0; c < 3; c++) {
        scores[c] = picking->bias[c];
        for (size_t n = 0; n < picking->rows[r].count; n++)
            scores[c] += picking->w[c][picking->rows[r].feature[n]] * picking->rows[r].value[n];
    }
    int best = 0;
    for (int c = 1; c < 3; c++)
        if (scores[c] > scores[best])
            best = c;
    return labels[best];
}

static int pick_step(void *context, const tlu_step *step)
{
    struct picking *picking = context;
    picking->examples++;
    for (size_t c = 0; step->columns == 3 && c < 3; c++) {
        const char *label = tlu_step_column_label(step, c, NULL);
        int k = label[1] - '0';
        picking->bias[k] = tlu_step_bias(step, c);
        for (size_t f = 0; f < step->features; f++) {
            char name[16];
            tlu_step_feature_name(step, f, name, sizeof name);
            picking->w[k][strtoul(name, NULL, 10)] = tlu_step_weight(step, c, f);
        }
    }
    for (size_t r = 0; r < picking->count; r++)
        picking->right += strcmp(winner(picking, r), picking->rows[r].label) == 0;
    return 0;
}

static void pick_with(const char *settings)
{
    write_held_out(settings);
    struct picking *picking = calloc(1, sizeof *picking);
    assert_non_null(picking);
    read_held_out(picking);
    tlu_error error;
    tlu_model *model;
    tlu_options *options = options_of(settings);
    if (tlu_trace("few.svm", options, pick_step, picking, &model, &error) != TLU_OK)
        fail_msg("%s", error.text);
    double told = tlu_model_report(model)->held_out_accuracy[0];
    double expected = picking->right / (double)picking->examples / (double)picking->count;
    assert_true(picking->examples > 100 && picking->count > 50);
    if (fabs(told - expected) > 1e-12)
        fail_msg("told %.15g, expected %.15g", told, expected);
    tlu_model_free(model);
    tlu_options_free(options);
    free(picking);
}

static void a_pick_is_as_right_as_expected(void **state)
{
    (void)state;
    pick_with("epochs=1 holdout=0.3 decide=random shuffle=all");
    pick_with("epochs=1 holdout=0.3 decide=random shuffle=all learner=arow");
    pick_with("epochs=1 holdout=0.3 decide=random shuffle=all learner=scw2 no-bias=yes");
}

static int make_few(void **state)
{
    (void)state;
    write_mixed("few.svm", FEW, 3);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_accuracy_is_that_of_the_model),
        cmocka_unit_test(wide_rows_are_scored_as_narrow_ones),
        cmocka_unit_test(a_pick_is_as_right_as_expected),
    };
    return cmocka_run_group_tests(tests, make_few, NULL);
}
