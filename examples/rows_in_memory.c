/* Grade 2: trains on rows in memory, and keeps the model in memory.

       cc rows_in_memory.c $(pkg-config --cflags --libs tlu) -o rows_in_memory && ./rows_in_memory
 */
#include <stdio.h>
#include <tlu.h>

enum { POINTS = 200, BLOCK = 50 };

struct points {
    float values[POINTS][2];
    uint32_t labels[POINTS];
    size_t given;
    tlu_rows block;
};

static const char *const sides[] = {"below", "above"};
static const char *const axes[] = {"x", "y"};

/* Points of a grid, labelled by their side of the line y = x / 2 + 0.2. */
static void make(struct points *points)
{
    for (size_t i = 0; i < POINTS; i++) {
        float x = (float)(i * 7 % POINTS) / POINTS, y = (float)(i * 31 % POINTS) / POINTS;
        points->values[i][0] = x;
        points->values[i][1] = y;
        points->labels[i] = y > x / 2 + 0.2F;
    }
}

/* Some of them, as a table: two values per row. */
static tlu_rows table(const struct points *points, size_t first, size_t count)
{
    tlu_rows rows = {.size = sizeof rows,
                     .rows = count,
                     .columns = 2,
                     .values = points->values[first],
                     .labels = points->labels + first,
                     .label_names = sides,
                     .label_count = 2,
                     .feature_names = axes,
                     .feature_count = 2};
    return rows;
}

/* Returns the points block by block, as a program does that cannot hold all of them. */
static int next_block(void *context, const tlu_rows **rows, tlu_error *error)
{
    struct points *points = context;
    (void)error;
    if (points->given == POINTS)
        return 0; /* the end */
    points->block = table(points, points->given, BLOCK);
    points->given += BLOCK;
    *rows = &points->block;
    return 0;
}

static int failed(const tlu_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return (int)error->status;
}

int main(void)
{
    static struct points points;
    tlu_error error;
    tlu_model *model, *other, *loaded;
    make(&points);

    tlu_rows all = table(&points, 0, POINTS);
    tlu_train_settings settings = {.size = sizeof settings, .rows = &all};
    if (tlu_train_with(&settings, NULL, &model, &error) != TLU_OK)
        return failed(&error);
    tlu_train_settings in_blocks = {
        .size = sizeof in_blocks, .next_rows = next_block, .next_context = &points};
    if (tlu_train_with(&in_blocks, NULL, &other, &error) != TLU_OK)
        return failed(&error);

    /* Both ways give the same weights; here are all of them at once. */
    double weights[2], same[2];
    size_t above = tlu_model_class_find(model, "above");
    if (tlu_model_weights(model, above, weights, 2) != 2 ||
        tlu_model_weights(other, above, same, 2) != 2)
        return 1;
    printf("above if %+.3g x %+.3g y %+.3g >= 0\n", weights[0], weights[1],
           tlu_model_bias(model, above));

    /* A model as bytes, for a database or a message, and back. */
    void *bytes;
    size_t size;
    if (tlu_model_save_bytes(model, &bytes, &size, &error) != TLU_OK ||
        tlu_model_load_bytes(bytes, size, &loaded, &error) != TLU_OK)
        return failed(&error);
    tlu_bytes_free(bytes);
    tlu_feature point[] = {{"x", 0.5}, {"y", 0.9}};
    size_t winner;
    if (tlu_model_predict_named(loaded, point, 2, &winner, NULL, &error) != TLU_OK)
        return failed(&error);
    printf("(0.5, 0.9) is %s the line\n", tlu_model_class_label(loaded, winner));

    int good = winner == above && weights[0] == same[0] && weights[1] == same[1];
    tlu_model_free(model);
    tlu_model_free(other);
    tlu_model_free(loaded);
    return good ? 0 : 1;
}
