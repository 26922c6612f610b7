// Generated data sets. Everything follows from the seed through base/random.h and through
// operations that IEEE 754 rounds exactly, so that the same recipe gives the same bytes everywhere.
// (The one exception is the logarithm inside random_normal, whose last bit six printed digits hide;
// no label depends on it.)
#include "data/generate/internal.h"

#include "base/call/callback.h"
#include "base/memory.h"
#include "base/settings.h"

#include <math.h>
#include <string.h>

// ---- numbers and rows as text ----

#define ITEM_MAX 64 // bytes of a separator, an index and a number

static void output_write_out(struct row_output *out)
{
    if (out->used && !out->failed)
        out->failed = out->write(out->context, out->bytes, out->used) != 0;
    out->used = 0;
}

static void flush_if_full(struct row_output *out)
{
    if (out->used + ITEM_MAX > OUTPUT_SIZE)
        output_write_out(out);
}

static void put_text(struct row_output *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out->bytes + out->used, text, length);
    out->used += length;
}

static void put_whole(struct row_output *out, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count)
        out->bytes[out->used++] = digits[--count];
}

// Digits of a number below 10^6, and 10^exponent for the first of them.
static uint32_t six_digits(double magnitude, int *exponent)
{
    *exponent = 5;
    for (; magnitude >= 999999.5; ++*exponent)
        magnitude /= 10;
    for (; magnitude < 99999.95; --*exponent)
        magnitude *= 10;
    return (uint32_t)(magnitude + 0.5);
}

// Six significant digits without trailing zeros: 0.25, -31.4159, 1.5e-07.
static void put_number(struct row_output *out, double value)
{
    char *p = out->bytes + out->used;
    if (value < 0)
        *p++ = '-';
    if (value == 0) {
        out->bytes[out->used++] = '0';
        return;
    }
    int exponent;
    uint32_t number = six_digits(fabs(value), &exponent);
    char digits[6];
    for (int i = 5; i >= 0; i--, number /= 10)
        digits[i] = (char)('0' + number % 10);
    int count = 6;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    bool scientific = exponent < -5 || exponent > 5;
    int point = scientific ? 0 : exponent; // the place of the digit before the point
    if (point < 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = -1; i > point; i--)
            *p++ = '0';
    }
    for (int i = 0; i < count || i <= point; i++) {
        *p++ = i < count ? digits[i] : '0';
        if (i == point && i + 1 < count)
            *p++ = '.';
    }
    out->used = (size_t)(p - out->bytes);
    if (scientific) {
        put_text(out, exponent < 0 ? "e-" : "e+");
        put_whole(out, (uint64_t)(exponent < 0 ? -exponent : exponent));
    }
}

static void output_header(struct row_output *out, uint64_t features)
{
    for (uint64_t i = 1; out->csv && i <= features && !out->failed; i++) {
        flush_if_full(out);
        put_text(out, "x");
        put_whole(out, i);
        put_text(out, i == features ? ",label\n" : ",");
    }
}

static void put_label(struct row_output *out, int64_t label, bool plus)
{
    flush_if_full(out);
    if (label < 0 || plus)
        put_text(out, label < 0 ? "-" : "+");
    put_whole(out, (uint64_t)(label < 0 ? -label : label));
}

void output_row(struct row_output *out, uint64_t features, const uint32_t *indices,
                const double *values, size_t count, int64_t label, bool plus)
{
    if (!out->csv)
        put_label(out, label, plus);
    uint64_t column = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t index = indices ? indices[i] : i;
        for (; out->csv && column < index; column++) {
            flush_if_full(out);
            put_text(out, "0,");
        }
        column = index + 1;
        flush_if_full(out);
        if (!out->csv) {
            put_text(out, " ");
            put_whole(out, index + 1);
            put_text(out, ":");
        }
        put_number(out, values[i]);
        if (out->csv)
            put_text(out, ",");
    }
    for (; out->csv && column < features; column++) {
        flush_if_full(out);
        put_text(out, "0,");
    }
    if (out->csv)
        put_label(out, label, plus);
    put_text(out, "\n");
}

// ---- recipes ----

#define FEATURES_MAX ((uint64_t)1 << 31)
#define CLASSES_MAX 1000000

#define RECIPE(name, ...)                                                                          \
    {                                                                                              \
        .size = sizeof(tlu_recipe), .kind = name, .format = "libsvm", .seed = 1, __VA_ARGS__       \
    }

static const struct recipe_kind {
    tlu_recipe recipe;              // good values; what the kind does not take is 0
    draw_row *draw;                 // NULL: make_sparse
    const struct truth_kind *truth; // NULL: its rows are not of the plane
    bool spread;                    // noise is not a share of labels but a distance
} kinds[] = {
    {RECIPE("line", .rows = 200, .features = 2, .classes = 2), draw_line, &truth_of_line, false},
    {RECIPE("sparse", .rows = 10000, .features = 20000, .nonzeros = 50, .classes = 2,
            .noise = 0.03),
     NULL, NULL, false},
    {RECIPE("margin", .rows = 1000, .features = 10, .classes = 2, .margin = 0.1, .radius = 1),
     draw_margin, &truth_of_margin, false},
    {RECIPE("blobs", .rows = 300, .features = 2, .classes = 3), draw_blobs, &truth_of_blobs, false},
    {RECIPE("xor", .rows = 200, .features = 2, .classes = 2), draw_xor, &truth_of_xor, false},
    {RECIPE("circle", .rows = 200, .features = 2, .classes = 2, .noise = 0.05), draw_circle,
     &truth_of_circle, true},
    {RECIPE("moons", .rows = 200, .features = 2, .classes = 2, .noise = 0.1), draw_moons,
     &truth_of_moons, true},
    {RECIPE("semicircles", .rows = 100, .features = 2, .classes = 2, .margin = 0.1, .radius = 1),
     draw_semicircles, &truth_of_semicircles, false},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static tlu_status find_kind(const struct recipe_kind **kind, const char *name, tlu_error *error)
{
    char names[128] = "", quoted[80];
    for (size_t i = 0; i < KINDS; i++) {
        *kind = &kinds[i];
        if (strcmp(kinds[i].recipe.kind, name) == 0)
            return TLU_OK;
        strcat(names, i == 0 ? "" : i + 1 < KINDS ? ", " : " and ");
        strcat(names, kinds[i].recipe.kind);
    }
    error_quote(quoted, sizeof quoted, name, strlen(name));
    return error_input(error, "there is no kind of data '%s'; there are %s", quoted, names);
}

// What a kind does not take has to be as in its recipe.
static tlu_status check_unused(const tlu_recipe *recipe, const tlu_recipe *good, tlu_error *error)
{
    const char *unused = NULL;
    if (recipe->nonzeros && !good->nonzeros)
        unused = "number of nonzeros";
    if (recipe->margin != 0 && good->margin == 0)
        unused = "margin";
    if (recipe->radius != 0 && good->radius == 0)
        unused = "radius";
    if (unused)
        return error_input(error, "%s data has no %s to choose", good->kind, unused);
    if (recipe->classes != 2 && strcmp(good->kind, "blobs") != 0)
        return error_input(error, "%s data has 2 classes, not %llu; blobs can have more",
                           good->kind, (unsigned long long)recipe->classes);
    bool plane = good->features == 2 && strcmp(good->kind, "blobs") != 0;
    if (plane && recipe->features != 2)
        return error_input(error, "%s data is drawn in the plane: it has 2 features, not %llu",
                           good->kind, (unsigned long long)recipe->features);
    return TLU_OK;
}

static tlu_status check_used(const tlu_recipe *recipe, const struct recipe_kind *kind,
                             tlu_error *error)
{
    unsigned long long features = recipe->features, nonzeros = recipe->nonzeros;
    if (recipe->rows == 0)
        return error_input(error, "the number of rows must be at least 1");
    if (features == 0 || features > FEATURES_MAX)
        return error_input(error, "the number of features must be from 1 to %llu, not %llu",
                           (unsigned long long)FEATURES_MAX, features);
    if (recipe->classes < 2 || recipe->classes > CLASSES_MAX)
        return error_input(error, "the number of classes must be from 2 to %d, not %llu",
                           CLASSES_MAX, (unsigned long long)recipe->classes);
    if (kind->recipe.nonzeros && (nonzeros == 0 || nonzeros > features))
        return error_input(error,
                           "the number of nonzeros in a row must be from 1 to the number of "
                           "features (%llu), not %llu",
                           features, nonzeros);
    if (kind->spread && !(recipe->noise >= 0 && recipe->noise <= 1e6))
        return error_input(error, "for %s the noise is a distance from 0 to 1000000", recipe->kind);
    if (!kind->spread && !(recipe->noise >= 0 && recipe->noise <= 1))
        return error_input(error, "for %s the noise is a share of labels from 0 to 1",
                           recipe->kind);
    if (kind->recipe.radius == 0)
        return TLU_OK;
    if (!(recipe->radius >= 1e-30 && recipe->radius <= 1e30))
        return error_input(error, "the radius must be from 1e-30 to 1e30");
    if (!(recipe->margin >= 0 && recipe->margin <= 0.999 * recipe->radius))
        return error_input(error, "the margin must be from 0 to 0.999 times the radius, "
                                  "or no row has room for both");
    return TLU_OK;
}

tlu_status tlu_recipe_init(const char *name, tlu_recipe *recipe, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    const struct recipe_kind *kind;
    tlu_recipe good;
    TRY(check_given(name != NULL, "kind of data", error));
    TRY(check_given(recipe != NULL, "recipe", error));
    TRY(find_kind(&kind, name, error));
    TRY(settings_take(&good, sizeof good, recipe, "tlu_recipe", error));
    good = kind->recipe;
    settings_give(recipe, &good);
    return TLU_OK;
}

static tlu_status make_dense(struct generator *generator, const struct recipe_kind *kind,
                             tlu_error *error)
{
    const tlu_recipe *recipe = generator->recipe;
    size_t features = (size_t)recipe->features;
    double *values = memory_new(features, sizeof *values);
    TRY(enough_memory(values, error));
    for (uint64_t row = 0; row < recipe->rows && !generator->out.failed; row++) {
        int64_t label = kind->draw(generator, row, values);
        output_row(&generator->out, features, NULL, values, features, label, !kind->truth->counted);
    }
    memory_free(values);
    return TLU_OK;
}

static tlu_status run(struct generator *generator, const struct recipe_kind *kind, tlu_error *error)
{
    output_header(&generator->out, generator->recipe->features);
    TRY(kind->draw ? make_dense(generator, kind, error) : make_sparse(generator, error));
    output_write_out(&generator->out);
    if (generator->out.failed)
        return error_interrupted(error, "the generated data could not be written");
    return TLU_OK;
}

static tlu_status check(const tlu_recipe *given, tlu_recipe *recipe,
                        const struct recipe_kind **kind, tlu_error *error)
{
    TRY(settings_take(recipe, sizeof *recipe, given, "tlu_recipe", error));
    TRY(find_kind(kind, recipe->kind ? recipe->kind : "", error));
    TRY(check_used(recipe, *kind, error));
    return check_unused(recipe, &(*kind)->recipe, error);
}

// The plan is the first that is drawn with a seed; NULL if the kind has none.
static tlu_status make_plan(const struct recipe_kind *kind, const tlu_recipe *recipe,
                            struct random *random, double **plan, tlu_error *error)
{
    *plan = NULL;
    random_seed(random, recipe->seed);
    if (!kind->truth || !kind->truth->size)
        return TLU_OK;
    *plan = memory_new(kind->truth->size(recipe), sizeof **plan);
    TRY(enough_memory(*plan, error));
    kind->truth->draw(random, recipe, *plan);
    return TLU_OK;
}

tlu_status generate_and_more(const tlu_recipe *given, uint64_t more, tlu_write_function write,
                             void *context, tlu_error *error)
{
    const struct recipe_kind *kind;
    tlu_recipe recipe;
    TRY(check(given, &recipe, &kind, error));
    const char *format = recipe.format ? recipe.format : "";
    bool csv = strcmp(format, "csv") == 0;
    if (!csv && strcmp(format, "libsvm") != 0)
        return error_input(error, "data is generated as libsvm or csv, not as '%.80s'", format);
    struct generator generator = {.recipe = &recipe,
                                  .flipped = recipe.rows,
                                  .out = {.csv = csv, .write = write, .context = context}};
    recipe.rows += more;
    double *plan;
    TRY(make_plan(kind, &recipe, &generator.random, &plan, error));
    generator.plan = plan;
    generator.out.bytes = memory_new(OUTPUT_SIZE, 1);
    tlu_status status = enough_memory(generator.out.bytes, error);
    if (status == TLU_OK)
        status = run(&generator, kind, error);
    memory_free(generator.out.bytes);
    memory_free(plan);
    return status;
}

tlu_status tlu_generate(const tlu_recipe *recipe, tlu_write_function write, void *context,
                        tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    TRY(check_given(write != NULL, "function to write with", error));
    struct callback own;
    CALLBACK(own, write, write, context, caller);
    return generate_and_more(recipe, 0, write, context, error);
}

// ---- what is true

tlu_status truth_find(const tlu_recipe *given, struct recipe_truth *truth, tlu_error *error)
{
    const struct recipe_kind *kind;
    struct random random;
    *truth = (struct recipe_truth){0};
    TRY(check(given, &truth->recipe, &kind, error));
    if (!kind->truth)
        return error_input(error, "%s data is not of the plane", truth->recipe.kind);
    if (truth->recipe.features != 2)
        return error_input(error,
                           "%s data of %llu features is not of the plane: expected 2 of them",
                           truth->recipe.kind, (unsigned long long)truth->recipe.features);
    truth->kind = kind->truth;
    return make_plan(kind, &truth->recipe, &random, &truth->plan, error);
}

int64_t truth_label(const struct recipe_truth *truth, double x, double y)
{
    return truth->kind->label(&truth->recipe, truth->plan, x, y);
}

struct truth_range truth_range(const struct recipe_truth *truth)
{
    struct truth_range range = truth->kind->range;
    if (truth->kind->find_range)
        truth->kind->find_range(&truth->recipe, truth->plan, &range);
    return range;
}

void truth_end(struct recipe_truth *truth)
{
    memory_free(truth->plan);
    truth->plan = NULL;
}
