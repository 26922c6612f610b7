/* Grade 1 of tlu.h: a file in, a classifier out, saved and loaded again.

       train_and_predict examples/data

   Writes weather.tlu into the current folder. */
#include <stdio.h>
#include <string.h>
#include <tlu.h>

/* A call that fails leaves a sentence for the user in the error. */
static int failed(const tlu_error *error)
{
    fprintf(stderr, "train_and_predict: %s\n", error->text);
    return 1;
}

int main(int argc, char **argv)
{
    static const char day[] = "overcast,mild,normal,false";
    char path[4096];
    snprintf(path, sizeof path, "%s/weather.csv", argc > 1 ? argv[1] : "examples/data");

    /* Train. The format, the header, the label column and the categories are found by looking at
       the file; NULL stands for the default options. */
    tlu_error error;
    tlu_model *model;
    if (tlu_train(path, NULL, &model, &error) != TLU_OK)
        return failed(&error);
    printf("trained on weather.csv, classes:");
    for (size_t i = 0; i < tlu_model_class_count(model); i++)
        printf(" %s", tlu_model_class_label(model, i));
    printf("\n");

    /* Predict a row, written as in the file but without its label. A model of two classes has one
       score: from 0 on it means the positive class, here "yes". */
    const char *label;
    double score;
    if (tlu_model_predict_line(model, day, &label, &score, &error) != TLU_OK)
        return failed(&error);
    printf("%s: play outside? %s (score %.3f)\n", day, label, score);
    int good = strcmp(label, "yes") == 0 && score > 0;

    /* Save, forget, load: the model in the file gives the same score. The label belonged to
       the model, so it must not be looked at once the model is freed. */
    if (tlu_model_save(model, "weather.tlu", &error) != TLU_OK)
        return failed(&error);
    tlu_model_free(model);
    if (tlu_model_load("weather.tlu", &model, &error) != TLU_OK)
        return failed(&error);
    double again;
    if (tlu_model_predict_line(model, day, &label, &again, &error) != TLU_OK)
        return failed(&error);
    printf("saved, loaded, asked again: %s (score %.3f)\n", label, again);
    good = good && strcmp(label, "yes") == 0 && score == again;

    /* A malformed row is an error with its place. */
    if (tlu_model_predict_line(model, "overcast,mild", &label, NULL, &error) != TLU_ERROR_INPUT)
        good = 0;
    printf("half a row: %s\n", error.text);

    tlu_model_free(model);
    return good ? 0 : 1;
}
