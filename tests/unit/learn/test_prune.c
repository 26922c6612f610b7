// --max-features against a list of names in plain loops, and for ever new names.
#include "base/fault.h"
#include "learn/learner.h"
#include "learn/online_scale.h"
#include "learn/prune.h"
#include "model/model.h"
#include "prefetching.h"

// ---- The perceptron with a list ----

enum { WIDTH = 6, MOST = 40 };

struct item {
    char name[24];
    double w, sum; // sum: of w after each example since it was added
};

struct list {
    struct item items[MOST + WIDTH];
    size_t count;
    double bias, bias_sum, examples;
    bool average;
    size_t forgotten;
};

static struct item *list_find(struct list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

static double list_strength(const struct list *list, size_t i)
{
    return fabs(list->average ? list->items[i].sum : list->items[i].w);
}

// One by one: the weakest, the first of equals.
static void list_prune(struct list *list, size_t target)
{
    while (list->count > target) {
        size_t weakest = 0;
        for (size_t i = 1; i < list->count; i++)
            if (list_strength(list, i) < list_strength(list, weakest))
                weakest = i;
        memmove(list->items + weakest, list->items + weakest + 1,
                (--list->count - weakest) * sizeof *list->items);
        list->forgotten++;
    }
}

static double list_score(struct list *list, const tlu_feature *features, bool decided)
{
    bool sums = decided && list->average;
    double score = sums ? list->bias_sum : list->bias;
    for (size_t k = 0; k < WIDTH; k++) {
        struct item *item = list_find(list, features[k].name);
        if (item)
            score += features[k].value * (sums ? item->sum : item->w);
    }
    return sums ? score / list->examples : score;
}

static void list_learn(struct list *list, const tlu_feature *features, double y)
{
    for (size_t k = 0; k < WIDTH; k++)
        if (!list_find(list, features[k].name)) {
            struct item *item = &list->items[list->count++];
            *item = (struct item){.w = 0};
            strcpy(item->name, features[k].name);
        }
    if (y * list_score(list, features, false) <= 0) {
        for (size_t k = 0; k < WIDTH; k++)
            list_find(list, features[k].name)->w += y * features[k].value;
        list->bias += y;
    }
    for (size_t i = 0; i < list->count; i++)
        list->items[i].sum += list->items[i].w;
    list->bias_sum += list->bias;
    list->examples++;
    if (list->count > MOST)
        list_prune(list, MOST * 9 / 10);
}

static void forgets_what_the_list_forgets(void **state)
{
    (void)state;
    for (int average = 0; average < 2; average++) {
        tlu_learner *learner =
            learner_of(average ? "max-features=40" : "max-features=40 decide=last");
        struct list list = {.average = average};
        struct random random;
        random_seed(&random, 21);
        for (size_t i = 0; i < 3000; i++) {
            tlu_feature features[WIDTH];
            char names[WIDTH][24];
            int sum = 0;
            for (size_t k = 0; k < WIDTH; k++) { // some names often, most now and then
                size_t n = (size_t)random_below(&random, k < 3 ? 8 : 400);
                sprintf(names[k], "%zu of %zu", n, k);
                int value = (int)random_below(&random, 5) - 2;
                features[k] = (tlu_feature){names[k], value ? value : 3};
                sum += (n % 2 ? 1 : -1) * (int)features[k].value;
            }
            const char *label = sum + (int)random_below(&random, 3) > 0 ? "yes" : "no", *guess;
            double score;
            assert_int_equal(tlu_learner_predict(learner, features, WIDTH, &guess, &score, NULL),
                             TLU_OK);
            if (i > 20) {
                double expected = list_score(&list, features, true);
                assert_same_number(strcmp(guess, "yes") == 0 ? score : 0 - score, expected, 1e-9,
                                   "the score");
            }
            assert_int_equal(tlu_learner_learn(learner, features, WIDTH, label, 1, NULL, NULL),
                             TLU_OK);
            list_learn(&list, features, strcmp(label, "yes") == 0 ? 1 : -1);
            assert_int_equal(learner->state.schema.names.count, list.count);
            for (uint32_t n = 0; n < list.count; n++)
                assert_string_equal(table_text(&learner->state.schema.names, n),
                                    list.items[n].name);
            if (i % 700 != 300)
                continue;
            tlu_model *model; // a model knows the order too
            assert_int_equal(tlu_learner_make_model(learner, &model, NULL), TLU_OK);
            tlu_learner_free(learner);
            assert_int_equal(tlu_learner_resume(model, &learner, NULL), TLU_OK);
            tlu_model_free(model);
        }
        assert_true(list.forgotten > 1000);
        tlu_learner_free(learner);
    }
}

// ---- All parts of the weights ----

// What stays has all its numbers, what comes anew has none.
static void moves_everything(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "learner=arow", "learner=arow scale=maxabs multiclass=ovr",
        "learner=logistic l2=0.01 scale=online", "learner=alma decide=last"};
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        tlu_learner *learner = learner_of(settings[s]);
        struct random random;
        random_seed(&random, 22);
        static const char *const labels[] = {"a", "b", "c"};
        for (size_t i = 0; i < 300; i++) {
            tlu_feature features[4];
            char names[4][24];
            for (size_t k = 0; k < 4; k++) {
                sprintf(names[k], "%zu %zu", k, (size_t)random_below(&random, 30));
                features[k] = (tlu_feature){names[k], random_unit(&random) * 4 + 0.1};
            }
            assert_int_equal(tlu_learner_learn(learner, features, 4,
                                               labels[random_below(&random, s == 1 ? 3 : 2)], 1,
                                               NULL, NULL),
                             TLU_OK);
        }
        struct weights before, *weights = &learner->state.weights;
        uint32_t columns = weights->columns, names_before = learner->state.schema.names.count;
        assert_true(weights_copy(&before, weights));
        float *largest = malloc(names_before * sizeof *largest);
        struct schema *schema = &learner->state.schema;
        struct table old = {0};
        for (uint32_t i = 0; i < names_before; i++) {
            largest[i] = learner->state.online.on ? learner->state.online.units[i].size : 0;
            assert_int_equal(
                table_add(&old, table_text(&schema->names, i), table_length(&schema->names, i)), i);
        }
        assert_int_equal(learner_prune(learner, 50, NULL), TLU_OK);
        assert_int_equal(schema->names.count, 45);
        assert_int_equal(weights->features, 45);
        for (uint32_t i = 0; i < 45; i++) {
            uint32_t from =
                table_find(&old, table_text(&schema->names, i), table_length(&schema->names, i));
            assert_true(from != TABLE_NONE);
            for (uint32_t c = 0; c < columns; c++) {
                size_t a = i * columns + c, b = from * columns + c;
                assert_exactly(weights->w[a], before.w[b]);
                if (weights->u)
                    assert_exactly(weights->u[a], before.u[b]);
                if (weights->state)
                    assert_exactly(weights->state[a], before.state[b]);
            }
            if (learner->state.online.on)
                assert_true(learner->state.online.units[i].size == largest[from]);
        }
        for (size_t at = 45 * columns; at < weights->capacity * columns; at++)
            assert_true(weights->w[at] == 0 && (!weights->u || weights->u[at] == 0) &&
                        (!weights->state || weights->state[at] == 0));
        for (size_t i = 45; learner->state.online.on && i < learner->state.online.capacity; i++)
            assert_true(learner->state.online.units[i].size == 0);
        if (s == 3) {
            double norm = weights_norm(weights, 0);
            assert_true(fabs(learner->state.group_norm[0] - norm) < 1e-9 * (1 + norm));
        }
        free(largest);
        table_free(&old);
        weights_free(&before);
        tlu_learner_free(learner);
    }
}

static size_t bytes_of_texts(const struct table *table)
{
    size_t bytes = 0;
    for (const struct table_block *block = table->blocks; block; block = block->next)
        bytes += block->size;
    return bytes;
}

static void memory_stays_flat(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("max-features=1000");
    size_t capacity = 0, bytes = 0, slots = 0;
    for (size_t i = 0; i < 200000; i++) {
        char a[32], b[32];
        sprintf(a, "name %zu", i);
        sprintf(b, "another name %zu", i);
        tlu_feature features[] = {{a, 1}, {b, 2}, {i % 2 ? "odd" : "even", 1}};
        assert_int_equal(
            tlu_learner_learn(learner, features, 3, i % 2 ? "odd" : "even", 1, NULL, NULL), TLU_OK);
        assert_true(learner->state.schema.names.count <= 1000);
        if (i == 2000) {
            capacity = learner->state.weights.capacity;
            bytes = 4 * bytes_of_texts(&learner->state.schema.names); // names get longer
            slots = table_slots(&learner->state.schema.names)->mask;
        }
    }
    assert_int_equal(learner->state.weights.capacity, capacity);
    assert_int_equal(table_slots(&learner->state.schema.names)->mask, slots);
    assert_true(bytes_of_texts(&learner->state.schema.names) <= bytes);
    assert_true(learner->pruning.forgotten > 390000);
    tlu_feature parity = {"odd", 1};
    const char *label;
    assert_int_equal(tlu_learner_predict(learner, &parity, 1, &label, NULL, NULL), TLU_OK);
    assert_string_equal(label, "odd");
    tlu_learner_free(learner);
}

// A piece of a stream: rows with up to eight names that nobody has met, all of one length, and one
// that tells the class.
static size_t put_piece(char *out, size_t *name, struct random *random, bool csv, size_t classes)
{
    size_t size = 0;
    for (size_t row = 0; row < 10; row++) {
        size_t class = (size_t)random_below(random, classes), fresh = 8;
        if (csv) {
            size += (size_t)sprintf(out + size, "c%zu,%zu,n%09zu,t%zu\n", class,
                                    1 + (size_t)random_below(random, 9), (*name)++, class);
            continue;
        }
        fresh -= *name < 2000 ? 0 : (size_t)random_below(random, 8); // the longest come first
        size += (size_t)sprintf(out + size, "c%zu | t%zu", class, class);
        for (size_t k = 0; k < fresh; k++)
            size += (size_t)sprintf(out + size, " n%09zu:%zu", (*name)++,
                                    1 + (size_t)random_below(random, 9));
        out[size++] = '\n';
    }
    return size;
}

// Once there have been a few prunings, no memory is asked for any more, however many follow.
static void steady_state_allocates_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        size_t classes;
    } cases[] = {
        {"format=vw max-features=500", 2},
        {"format=vw max-features=500 learner=arow scale=online", 3},
        {"format=vw max-features=500 decide=last learner=pa multiclass=ovr", 4},
        {"format=vw max-features=500 learner=logistic l2=0.001", 2},
        {"format=csv header=no label=1 max-features=500", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tlu_options *options = options_of(cases[i].settings);
        bool csv = strstr(cases[i].settings, "csv") != NULL;
        struct random random;
        random_seed(&random, 24);
        tlu_stream *stream;
        tlu_error error;
        if (tlu_stream_open("prune-none.tlu", options, NULL, &stream, &error) != TLU_OK)
            fail_msg("%s", error.text);
        char text[10 * 128];
        size_t name = 0, warm = 0, before = 0, prunings = 0;
        for (size_t piece = 0; piece < 6000; piece++) {
            size_t size = put_piece(text, &name, &random, csv, cases[i].classes), used, length;
            const char *answers;
            if (tlu_stream_feed(stream, text, size, 0, &used, &answers, &length, &error) != TLU_OK)
                fail_msg("%s", error.text);
            assert_int_equal(used, size);
            size_t features = (size_t)tlu_stream_get_stats(stream)->features;
            assert_true(features <= 500);
            prunings += features < before;
            before = features;
            if (piece == 500) {
                warm = prunings;
                fault_at(FAULT_MEMORY, 0);
            }
        }
        assert_true(warm > 10 && prunings > 10 * warm);
        assert_int_equal(fault_calls(FAULT_MEMORY), 0);
        tlu_stream_close(stream);
        tlu_options_free(options);
    }
}

// Memory that runs out while pruning: the learner is as it was, and the next time goes well.
static void pruning_that_fails_changes_nothing(void **state)
{
    (void)state;
    tlu_learner *learner = learner_of("");
    for (size_t i = 0; i < 100; i++) {
        char name[24];
        sprintf(name, "n%zu", i);
        tlu_feature feature = {name, (double)(i + 1)};
        assert_int_equal(tlu_learner_learn(learner, &feature, 1, i % 2 ? "a" : "b", 1, NULL, NULL),
                         TLU_OK);
    }
    for (long n = 1; n <= 2; n++) {
        struct weights before;
        tlu_error error;
        assert_true(weights_copy(&before, &learner->state.weights));
        fault_at(FAULT_MEMORY, n);
        assert_int_equal(learner_prune(learner, 50, &error), TLU_ERROR_SYSTEM);
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(learner->state.schema.names.count, 100);
        assert_int_equal(learner->pruning.forgotten, 0);
        assert_int_equal(learner->state.weights.features, before.features);
        assert_memory_equal(learner->state.weights.w, before.w,
                            100 * before.columns * sizeof *before.w);
        assert_string_equal(table_text(&learner->state.schema.names, 99), "n99");
        weights_free(&before);
    }
    assert_int_equal(learner_prune(learner, 50, NULL), TLU_OK);
    assert_int_equal(learner->state.schema.names.count, 45);
    tlu_learner_free(learner);
}

// ---- Files ----

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// Few rows are read before the first is learned: the strongest of all weights stay.
static void a_file_keeps_the_strongest(void **state)
{
    (void)state;
    for (int csv = 0; csv < 2; csv++) {
        FILE *file = fopen("prune.data", "w");
        assert_non_null(file);
        struct random random;
        random_seed(&random, 23);
        if (csv)
            fprintf(file, "x,colour,y,class\n");
        for (int i = 0; i < 500; i++) {
            int n = (int)random_below(&random, 300), m = (int)random_below(&random, 300);
            if (csv)
                fprintf(file, "%d,c%d,0,%s\n", n % 7, m, (n + m) % 2 ? "yes" : "no");
            else
                fprintf(file, "%s | a%d b%d:3 c\n", (n + m) % 3 ? "yes" : "no", n, m);
        }
        assert_int_equal(fclose(file), 0);
        const char *format = csv ? "format=csv epochs=1" : "format=vw epochs=1";
        char settings[64];
        sprintf(settings, "%s max-features=100", format);
        tlu_model *all = train("prune.data", format), *few = train("prune.data", settings);
        size_t count = tlu_model_feature_count(all);
        assert_true(count > 200);
        assert_int_equal(tlu_model_feature_count(few), 90);
        assert_int_equal(tlu_model_report(few)->notices - tlu_model_report(all)->notices, 1);
        double *sizes = malloc(count * sizeof *sizes);
        size_t class = tlu_model_class_find(all, "yes");
        for (size_t f = 0; f < count; f++)
            sizes[f] = fabs(tlu_model_weight(all, class, f));
        qsort(sizes, count, sizeof *sizes, by_size);
        for (size_t f = 0; f < count; f++) {
            char name[32];
            double weight = tlu_model_weight(all, class, f);
            tlu_model_feature_name(all, f, name, sizeof name);
            bool there = tlu_model_feature_find(few, name) != TLU_NONE;
            bool column = csv && (strcmp(name, "x") == 0 || strcmp(name, "y") == 0);
            if (there)
                assert_exactly(weight_of(few, "yes", name), weight);
            if (column || fabs(weight) > sizes[90 - 2 * csv - 1])
                assert_true(there);
            else if (fabs(weight) < sizes[89])
                assert_false(there);
        }
        free(sizes);
        tlu_model_free(all);
        tlu_model_free(few);
    }
}

static void what_does_not_go_is_refused(void **state)
{
    (void)state;
    write_text("prune.vw", "a | x y\nb | y z\n");
    assert_refused("prune.vw", "max-features=10", "--epochs 1");
    assert_refused("prune.vw", "max-features=10 epochs=1 shuffle=all", "all rows");
    assert_refused("prune.vw", "max-features=10 epochs=1 holdout=0.5", "all rows");
    assert_refused("prune.vw", "max-features=10 epochs=1 decide=best", "all rows");
    assert_refused("prune.vw", "max-features=10 epochs=1 kernel=linear", "all rows");
    assert_refused("prune.vw", "max-features=10 epochs=1 hash=10", "--hash keeps none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forgets_what_the_list_forgets),
        cmocka_unit_test(moves_everything),
        cmocka_unit_test(memory_stays_flat),
        cmocka_unit_test(steady_state_allocates_nothing),
        cmocka_unit_test(pruning_that_fails_changes_nothing),
        cmocka_unit_test(a_file_keeps_the_strongest),
        cmocka_unit_test(what_does_not_go_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
