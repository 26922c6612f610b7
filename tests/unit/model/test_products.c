// Kernel values by postings, by small whole numbers and by panels, votes of many rows side by side,
// and the dual form: to the bit what plain loops over the rows give, with every set of
// instructions.
#include "learning.h"
#include "model/score/score.h"
#include "model/score/score_cache.h"
#include "space/dual_internal.h"

#include <sys/wait.h>
#include <unistd.h>

// ---- random rows ----

enum style { SPARSE, SPARSE_WHOLE, JUMBLED_WHOLE, JUMBLED, PIXELS, COUNTS, LARGE, DENSE, STYLES };

struct sample {
    size_t count, features;
    tlu_row *rows;
    double *norms;
};

static float value_of(struct random *random, enum style style)
{
    switch (style) {
    case SPARSE_WHOLE:
    case JUMBLED_WHOLE:
        return (float)(1 + random_below(random, 9));
    case PIXELS:
        return (float)(1 + random_below(random, 255)) * (random_below(random, 5) ? 1 : -1);
    case COUNTS:
        return 1;
    case LARGE: // too large for 16 bits
        return (float)(40000 + random_below(random, 9));
    default:
        return (float)random_normal(random);
    }
}

static size_t features_of(enum style style)
{
    return style == JUMBLED_WHOLE ? 9000 : style < PIXELS ? 3000 : 37;
}

// How likely a row has a feature: some are in many rows, most in few.
static double share_of(enum style style, size_t feature)
{
    return style >= PIXELS ? 0.6 : feature % 100 == 7 ? 0.4 : 0.004;
}

static tlu_row random_row(struct random *random, enum style style)
{
    size_t features = features_of(style), count = 0;
    uint32_t *indices = malloc(features * sizeof *indices);
    float *values = malloc(features * sizeof *values);
    assert_true(indices && values);
    for (size_t f = 0; f < features; f++)
        if (random_unit(random) < share_of(style, f)) {
            indices[count] = (uint32_t)f;
            values[count++] = value_of(random, style);
        }
    for (size_t i = 1; i < count && (style == JUMBLED || style == JUMBLED_WHOLE); i++) {
        size_t other = random_below(random, i + 1);
        uint32_t swap = indices[i];
        indices[i] = indices[other];
        indices[other] = swap;
    }
    if (style == COUNTS) { // as rows whose values are all 1
        free(values);
        values = NULL;
    }
    return (tlu_row){count, indices, values};
}

static struct sample random_sample(uint64_t seed, enum style style, size_t count)
{
    struct random random;
    struct sample sample = {count, features_of(style), calloc(count, sizeof *sample.rows),
                            calloc(count, sizeof *sample.norms)};
    random_seed(&random, seed);
    for (size_t i = 0; i < count; i++) {
        sample.rows[i] = random_row(&random, style);
        sample.norms[i] = panel_norm(&sample.rows[i]);
    }
    return sample;
}

static void sample_free(struct sample *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        free((void *)sample->rows[i].features);
        free((void *)sample->rows[i].values);
    }
    free(sample->rows);
    free(sample->norms);
}

// ---- kernel values ----

// In the order of the entries of x.
static double slow_dot(const tlu_row *x, const tlu_row *z)
{
    static double of_z[10000]; // by feature; zeros before and after
    double sum = 0;
    for (size_t k = 0; k < z->count; k++) {
        assert_true(z->features[k] < 10000);
        of_z[z->features[k]] = z->values ? (double)z->values[k] : 1;
    }
    for (size_t i = 0; i < x->count; i++)
        if (of_z[x->features[i]] != 0)
            sum += (x->values ? (double)x->values[i] : 1) * of_z[x->features[i]];
    for (size_t k = 0; k < z->count; k++)
        of_z[z->features[k]] = 0;
    return sum;
}

static double slow_value(const struct kernel *kernel, const tlu_row *x, const tlu_row *z)
{
    return kernel_value(kernel, slow_dot(x, z), panel_norm(x), panel_norm(z));
}

static void assert_same_bits(double found, double expected)
{
    if (memcmp(&found, &expected, sizeof found) != 0)
        fail_msg("%.17g is not %.17g", found, expected);
}

static const char *const routines[] = {"linear", "poly:4", "poly:3,0.25", "rbf:0.01"};

static void check_values(const struct sample *kept, const struct sample *asked, size_t count,
                         const char *text)
{
    struct kernel kernel;
    assert_int_equal(kernel_parse(&kernel, text, NULL), TLU_OK);
    struct gram *slow = gram_new(&kernel, kept->rows, kept->norms, kept->count, kept->features);
    struct gram *gram = slow ? gram_faster(slow) : NULL;
    struct gram_scratch scratch = {0};
    double *values = calloc(kept->count * GRAM_LANES, sizeof *values);
    assert_true(gram && values);
    for (size_t i = 0; i < asked->count; i += count) {
        size_t some = asked->count - i < count ? asked->count - i : count;
        some = gram_rows_at_once(gram, asked->rows + i, some);
        count = some;
        assert_true(gram_load(gram, &scratch, asked->rows + i, some, 0));
        for (size_t start = 0; start < some; start += scratch.lanes) {
            for (size_t first = 0; first < kept->count; first += 700) {
                size_t last = first + 700 < kept->count ? first + 700 : kept->count;
                gram_values(gram, &scratch, start, first, last, values + first * scratch.lanes);
            }
            for (size_t s = 0; s < kept->count; s += 1 + s % 7)
                for (size_t k = 0; k < scratch.lanes && start + k < some; k++)
                    assert_same_bits(
                        values[s * scratch.lanes + k],
                        slow_value(&kernel, &kept->rows[s], &asked->rows[i + start + k]));
        }
        gram_unload(&scratch);
    }
    free(values);
    gram_scratch_free(&scratch);
    gram_free(slow);
    gram_free(gram);
}

static void values_are_those_of_plain_loops(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 8, 9, 16, 17, 40};
    static const size_t sizes[] = {1, 50, 1100}; // of more than a tile
    for (int style = 0; style < STYLES; style++)
        for (size_t s = 0; s < 3; s++) {
            // A model may be asked about rows that are not like its own.
            enum style other = s == 1 ? (style < PIXELS ? SPARSE : DENSE) : (enum style)style;
            struct sample kept = random_sample(s + 1, (enum style)style, sizes[s]);
            struct sample asked = random_sample(s + 10, other, 40);
            for (size_t k = 0; k < 4; k++)
                check_values(&kept, &asked, counts[(s * 4 + k + (size_t)style) % 7], routines[k]);
            sample_free(&kept);
            sample_free(&asked);
        }
}

static void the_way_is_the_one_that_pays(void **state)
{
    (void)state;
    static const enum gram_way ways[STYLES] = {
        [SPARSE] = GRAM_POSTINGS, [SPARSE_WHOLE] = GRAM_SMALL, [JUMBLED_WHOLE] = GRAM_POSTINGS,
        [JUMBLED] = GRAM_PANEL,   [PIXELS] = GRAM_SMALL,       [COUNTS] = GRAM_SMALL,
        [LARGE] = GRAM_PANEL,     [DENSE] = GRAM_PANEL};
    struct kernel kernel = {.kind = KERNEL_LINEAR};
    for (int style = 0; style < STYLES; style++) {
        struct sample kept = random_sample(3, (enum style)style, 1200);
        struct gram *slow = gram_new(&kernel, kept.rows, kept.norms, kept.count, kept.features);
        assert_non_null(slow);
        assert_int_equal(slow->way, GRAM_PANEL);
        struct gram *gram = gram_faster(slow);
        assert_non_null(gram);
        assert_int_equal(gram->way, ways[style]);
        gram_free(slow);
        gram_free(gram);
        sample_free(&kept);
    }
}

// ---- votes ----

static void slow_replay(const struct tlu_model *model, const tlu_row *x, double *votes)
{
    struct kernel linear = {.kind = KERNEL_LINEAR};
    const struct kernel *kernel = model->state.kernel.kind ? &model->state.kernel : &linear;
    size_t columns = model->state.weights.columns;
    bool wta = model->state.scheme.kind == SCHEME_WTA;
    double bias = !options_flag(model->state.options, OPTION_NO_BIAS), now[64] = {0};
    uint64_t since[64], end = (uint64_t)model->state.weights.steps + 1;
    assert_true(columns <= 64);
    memset(votes, 0, columns * sizeof *votes);
    for (size_t c = 0; c < columns; c++)
        since[c] = 1;
    for (size_t n = 0; n <= model->state.decision.history->count; n++) {
        const struct history_step *step = &model->state.decision.history->steps[n];
        bool over = n == model->state.decision.history->count;
        for (size_t g = 0; g < (wta ? 1 : columns); g++) {
            if (!over && step->group != g)
                continue;
            double lasted = (double)((over ? end : step->time) - since[g]);
            size_t winner = 0;
            for (size_t c = 1; c < columns; c++)
                winner = now[c] > now[winner] ? c : winner;
            if (wta)
                votes[winner] += lasted;
            else
                votes[g] += now[g] >= 0 ? lasted : -lasted;
            since[g] = over ? end : step->time;
        }
        for (size_t c = 0; !over && c < columns; c++)
            if (step->factor != 1 && (wta || c == step->group))
                now[c] *= step->factor;
        for (int p = 0; !over && p < 2; p++)
            if (step->sign[p] && step->amount != 0)
                now[step->column[p]] +=
                    step->amount * step->sign[p] *
                    (slow_value(kernel, &model->supports.row[step->id], x) + bias);
    }
    for (size_t c = 0; c < columns; c++)
        votes[c] /= model->state.weights.steps;
}

static void slow_kernel(const struct tlu_model *model, const tlu_row *x, double *scores)
{
    size_t columns = model->state.weights.columns;
    memcpy(scores, model->decided.bias, columns * sizeof *scores);
    for (size_t s = 0; s < model->supports.count; s++)
        for (size_t c = 0; c < columns; c++)
            if (model->decided.w[s * columns + c] != 0)
                scores[c] += model->decided.w[s * columns + c] *
                             slow_value(&model->state.kernel, &model->supports.row[s], x);
    for (size_t c = 0; c < columns; c++)
        scores[c] /= model->decided.divisor;
}

static void write_sample(const char *path, const struct sample *sample, size_t classes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < sample->count; i++) {
        const tlu_row *row = &sample->rows[i];
        fprintf(file, "%zu", ((size_t)sample->norms[i] + i / 3) % classes);
        for (size_t k = 0; k < row->count; k++)
            fprintf(file, " %u:%.9g", row->features[k] + 1,
                    row->values ? (double)row->values[k] : 1);
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

static void check_model(const tlu_model *model)
{
    const struct supports *supports = &model->supports;
    struct score_scratch scratch = {0};
    double found[64 * 64], expected[64];
    size_t columns = model->state.weights.columns,
           rows = supports->count < 70 ? supports->count : 70;
    for (size_t i = 0, count = 1; i < rows; i += count, count = 1 + count * 5 % 64) {
        count = rows - i < count ? rows - i : count;
        assert_true(model_scores(model, supports->row + i, count, found, &scratch));
        for (size_t k = 0; k < count; k++) {
            if (model_replays(model))
                slow_replay(model, &supports->row[i + k], expected);
            else
                slow_kernel(model, &supports->row[i + k], expected);
            for (size_t c = 0; c < columns; c++)
                assert_same_bits(found[k * columns + c], expected[c]);
        }
    }
    score_scratch_free(&scratch);
}

static void votes_are_those_of_plain_loops(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "learner=perceptron decide=vote epochs=1 shuffle=none",
        "learner=perceptron decide=vote epochs=2 shuffle=all no-bias=yes",
        "learner=alma decide=vote epochs=1",
        "learner=pa decide=vote epochs=2 multiclass=ovr",
        "learner=romma decide=vote epochs=1 multiclass=ovo",
        "learner=perceptron kernel=poly:2 decide=vote epochs=2 multiclass=ovr",
        "learner=perceptron kernel=rbf:0.1 decide=vote epochs=2",
        "learner=perceptron kernel=poly:3 decide=last epochs=2",
        "learner=pa kernel=linear decide=average epochs=2 multiclass=ovr",
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        for (size_t classes = 2; classes < 5; classes += 2) {
            enum style style = (enum style[]){SPARSE, PIXELS, DENSE, COUNTS}[(i + classes / 2) % 4];
            struct sample sample = random_sample(i + 5, style, style == SPARSE ? 1500 : 300);
            write_sample("votes.svm", &sample, classes);
            tlu_model *model = train("votes.svm", settings[i]);
            check_model(model);
            tlu_model_free(model);
            sample_free(&sample);
        }
}

// A time that is picked is that of the row, however many rows stand side by side.
static void picks_are_those_of_rows_alone(void **state)
{
    (void)state;
    struct sample sample = random_sample(8, SPARSE, 400);
    write_sample("picks.svm", &sample, 3);
    static const char *const settings[] = {"decide=random epochs=2 learner=perceptron",
                                           "decide=random epochs=2 learner=arow multiclass=ovr",
                                           "decide=vote epochs=2 learner=scw1"};
    for (size_t s = 0; s < 3; s++) {
        tlu_model *model = train("picks.svm", settings[s]);
        const struct supports *supports = &model->supports;
        struct score_scratch scratch = {0}, alone = {0};
        double found[32 * 3], expected[3];
        for (size_t i = 0; i + 29 <= supports->count; i += 29) {
            assert_true(model_scores(model, supports->row + i, 29, found, &scratch));
            for (size_t k = 0; k < 29; k++) {
                assert_true(model_scores(model, supports->row + i + k, 1, expected, &alone));
                for (size_t c = 0; c < 3; c++)
                    assert_same_bits(found[k * 3 + c], expected[c]);
            }
        }
        score_scratch_free(&scratch);
        score_scratch_free(&alone);
        tlu_model_free(model);
    }
    sample_free(&sample);
}

// ---- the dual form ----

// The rows as a batch; with one more, whose feature no panel of small numbers has room for.
static struct batch *batch_of(const struct sample *sample, bool one_more)
{
    struct batch *batch = batch_new();
    assert_non_null(batch);
    for (size_t i = 0; i < sample->count + one_more; i++) {
        uint32_t far = 9000;
        float one = 1;
        tlu_row row = i < sample->count ? sample->rows[i] : (tlu_row){1, &far, &one};
        size_t start = batch_nonzeros(batch);
        assert_true(batch_reserve(batch, 1, row.count));
        for (size_t k = 0; k < row.count; k++) {
            batch->indices[start + k] = row.features[k];
            batch->values[start + k] = row.values ? row.values[k] : 1;
        }
        batch->offsets[++batch->rows] = (uint32_t)(start + row.count);
    }
    batch->ones = false;
    return batch;
}

// Passes over all rows, with updates at random, as they depend on nothing else.
static void run_passes(struct dual *dual, size_t rows, uint32_t columns, double *scores)
{
    struct random random;
    random_seed(&random, 77);
    for (int pass = 0; pass < 3; pass++) {
        dual_pass_begin(dual);
        for (size_t first = 0; first < rows; first += DUAL_BLOCK) {
            uint64_t ids[DUAL_BLOCK];
            size_t count = 0;
            for (; count < DUAL_BLOCK && first + count < rows; count++)
                ids[count] = (first + count) * 7 % rows;
            assert_int_equal(dual_block(dual, ids, count, NULL), TLU_OK);
            for (size_t i = 0; i < count; i++)
                if (random_below(&random, pass ? 9 : 2) == 0)
                    for (uint32_t c = 0; c < columns; c += 1 + (uint32_t)random_below(&random, 3))
                        dual_update(dual, ids[i], c, random_normal(&random));
            if (first == 256)
                dual_rescale(dual, 0, 0.75);
            memcpy(scores, dual_scores(dual, ids[count / 2]), columns * sizeof *scores);
            scores += columns;
        }
        assert_int_equal(dual_pass_end(dual, NULL), TLU_OK);
    }
    memcpy(scores, dual_all_scores(dual), rows * columns * sizeof *scores);
}

static void small_numbers_change_no_score(void **state)
{
    (void)state;
    enum { ROWS = 500, COLUMNS = 3, SEEN = (ROWS + 3 * 4) * COLUMNS };
    struct sample sample = random_sample(12, PIXELS, ROWS);
    for (size_t k = 0; k < 4; k++) {
        double *scores[3];
        struct kernel kernel;
        assert_int_equal(kernel_parse(&kernel, routines[k], NULL), TLU_OK);
        for (int i = 0; i < 3; i++) { // small, small with threads, doubles
            struct batch *batch = batch_of(&sample, i == 2);
            struct dual *dual;
            scores[i] = calloc(SEEN, sizeof *scores[i]);
            assert_int_equal(dual_new(&dual, &kernel, &batch, 1, COLUMNS, i ? 3 : 1, NULL), TLU_OK);
            assert_int_equal(dual->small.on, i < 2);
            run_passes(dual, ROWS, COLUMNS, scores[i]);
            dual_free(dual);
            batch_free(batch);
        }
        assert_memory_equal(scores[0], scores[1], SEEN * sizeof(double));
        assert_memory_equal(scores[0], scores[2], SEEN * sizeof(double));
        for (int i = 0; i < 3; i++)
            free(scores[i]);
    }
    sample_free(&sample);
}

// For each set of instructions a process of its own: the choice is made once.
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_plain_loops),
        cmocka_unit_test(the_way_is_the_one_that_pays),
        cmocka_unit_test(votes_are_those_of_plain_loops),
        cmocka_unit_test(picks_are_those_of_rows_alone),
        cmocka_unit_test(small_numbers_change_no_score),
    };
#ifdef __SANITIZE_ADDRESS__ // several times as slow
    static const char *const levels[] = {"plain", "avx2"};
#else
    static const char *const levels[] = {"plain", "sse2", "avx2", "avx512"};
#endif
    int failed = 0;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        pid_t child = fork();
        if (child == 0) {
            setenv("TLU_SIMD", levels[i], 1);
            exit(cmocka_run_group_tests_name(levels[i], tests, NULL, NULL) != 0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        failed |= status != 0;
    }
    return failed;
}
