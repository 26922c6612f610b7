// Data sets made to order. Everything follows from the seed through base/random.h and through
// operations that IEEE 754 rounds exactly, so that the same recipe gives the same bytes everywhere.
// (The one exception is the logarithm inside random_normal, whose last bit six printed digits hide;
// no label depends on it.)
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/settings.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// ---- Output: numbers and rows into one large buffer ---------------------------------------------

#define BUFFER_SIZE ((size_t)1 << 18)
#define ITEM_MOST 64 // bytes of a separator, an index and a number

struct output {
    char *bytes; // [BUFFER_SIZE]
    size_t used;
    bool csv;
    bool failed; // the caller's function refused; nothing more is handed to it
    tlu_write_function write;
    void *context;
};

static void flush(struct output *out)
{
    if (out->used && !out->failed)
        out->failed = out->write(out->context, out->bytes, out->used) != 0;
    out->used = 0;
}

static void make_room(struct output *out)
{
    if (out->used + ITEM_MOST > BUFFER_SIZE)
        flush(out);
}

static void put_text(struct output *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out->bytes + out->used, text, length);
    out->used += length;
}

static void put_whole(struct output *out, uint64_t number)
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
static void put_number(struct output *out, double value)
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

static void put_header(struct output *out, uint64_t features)
{
    for (uint64_t i = 1; out->csv && i <= features && !out->failed; i++) {
        make_room(out);
        put_text(out, "x");
        put_whole(out, i);
        put_text(out, i == features ? ",label\n" : ",");
    }
}

static void put_label(struct output *out, int64_t label, bool plus)
{
    make_room(out);
    if (label < 0 || plus)
        put_text(out, label < 0 ? "-" : "+");
    put_whole(out, (uint64_t)(label < 0 ? -label : label));
}

// A row of `count` entries; `indices`, in rising order, is NULL where the row is dense.
static void put_row(struct output *out, uint64_t features, const uint32_t *indices,
                    const double *values, size_t count, int64_t label, bool plus)
{
    if (!out->csv)
        put_label(out, label, plus);
    uint64_t column = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t index = indices ? indices[i] : i;
        for (; out->csv && column < index; column++) {
            make_room(out);
            put_text(out, "0,");
        }
        column = index + 1;
        make_room(out);
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
        make_room(out);
        put_text(out, "0,");
    }
    if (out->csv)
        put_label(out, label, plus);
    put_text(out, "\n");
}

// ---- The kinds ----------------------------------------------------------------------------------

struct job {
    const tlu_recipe *recipe;
    struct random random;
    struct output out;
};

// +1 or -1, now and then the wrong one.
static int64_t noisy(struct job *job, int64_t label)
{
    return random_unit(&job->random) < job->recipe->noise ? -label : label;
}

static double between(struct random *random, double least, double most)
{
    return least + (most - least) * random_unit(random);
}

static void put_point(struct job *job, double x, double y, int64_t label)
{
    double values[2] = {x, y};
    put_row(&job->out, 2, NULL, values, 2, label, true);
}

// Points of a grid of millionths, so that what is printed is what the label was decided on.
static tlu_status make_line(struct job *job, tlu_error *error)
{
    (void)error;
    for (uint64_t row = 0; row < job->recipe->rows && !job->out.failed; row++) {
        uint64_t x = random_below(&job->random, 1000000);
        uint64_t y = random_below(&job->random, 1000000);
        int64_t label = noisy(job, x + y > 1000000 ? 1 : -1);
        put_point(job, (double)x / 1e6, (double)y / 1e6, label);
    }
    return TLU_OK;
}

// The four corners themselves come first, then points around them.
static tlu_status make_xor(struct job *job, tlu_error *error)
{
    (void)error;
    static const int corners[4][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    for (uint64_t row = 0; row < job->recipe->rows && !job->out.failed; row++) {
        const int *corner = corners[row % 4];
        double spread = row < 4 ? 0 : 0.1;
        double x = corner[0] + spread * random_normal(&job->random);
        double y = corner[1] + spread * random_normal(&job->random);
        put_point(job, x, y, noisy(job, row % 4 < 2 ? 1 : -1));
    }
    return TLU_OK;
}

static void put_spread_point(struct job *job, double x, double y, int64_t label)
{
    x += job->recipe->noise * random_normal(&job->random);
    y += job->recipe->noise * random_normal(&job->random);
    put_point(job, x, y, label);
}

// A square with a disc of half its area: inside is positive.
static tlu_status make_circle(struct job *job, tlu_error *error)
{
    (void)error;
    const double radius_squared = 0.63661977236758134; // 2 / pi
    for (uint64_t row = 0; row < job->recipe->rows && !job->out.failed; row++) {
        double x = between(&job->random, -1, 1), y = between(&job->random, -1, 1);
        put_spread_point(job, x, y, x * x + y * y < radius_squared ? 1 : -1);
    }
    return TLU_OK;
}

// Two half circles that reach into one another; the upper one is positive.
static tlu_status make_moons(struct job *job, tlu_error *error)
{
    (void)error;
    for (uint64_t row = 0; row < job->recipe->rows && !job->out.failed; row++) {
        double x, y, square;
        do { // a direction of the upper half, from a point in the half disc
            x = between(&job->random, -1, 1);
            y = random_unit(&job->random);
            square = x * x + y * y;
        } while (square > 1 || square < 0.01);
        x /= sqrt(square);
        y /= sqrt(square);
        if (row % 2 == 0)
            put_spread_point(job, x, y, 1);
        else
            put_spread_point(job, 1 - x, 0.5 - y, -1);
    }
    return TLU_OK;
}

// Classes in turn, each a cloud of deviation 1 around a centre in a box of 20.
static tlu_status make_blobs(struct job *job, tlu_error *error)
{
    const tlu_recipe *recipe = job->recipe;
    size_t features = (size_t)recipe->features, classes = (size_t)recipe->classes;
    double *centres = classes < SIZE_MAX / features // [classes][features]
                          ? memory_new(classes * features, sizeof *centres)
                          : NULL;
    double *values = memory_new(features, sizeof *values);
    for (size_t i = 0; centres && i < classes * features; i++)
        centres[i] = between(&job->random, -10, 10);
    for (uint64_t row = 0; centres && values && row < recipe->rows && !job->out.failed; row++) {
        uint64_t class = row % classes;
        for (size_t i = 0; i < features; i++)
            values[i] = centres[class * features + i] + random_normal(&job->random);
        if (random_unit(&job->random) < recipe->noise)
            class = (class + 1 + random_below(&job->random, classes - 1)) % classes;
        put_row(&job->out, features, NULL, values, features, (int64_t) class + 1, false);
    }
    tlu_status status = centres && values ? TLU_OK : error_memory(error);
    memory_free(values);
    memory_free(centres);
    return status;
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void scale(double *a, double factor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] *= factor;
}

// A row x with normal.x from `least` to `most` and |x| at most `most`: a part along the normal,
// more often short than long, and one across it.
static void draw_beside_plane(struct random *random, const double *normal, double *x,
                              size_t features, double least, double most)
{
    double along, across;
    do {
        double t = random_unit(random);
        double part = least + (most - least) * t * t;
        for (size_t i = 0; i < features; i++)
            x[i] = random_normal(random);
        along = dot(normal, x, features);
        for (size_t i = 0; i < features; i++)
            x[i] -= along * normal[i];
        across = sqrt(dot(x, x, features));
        double reach = sqrt(most * most - part * part) * (1 - random_unit(random) / 2);
        scale(x, across > 0 ? reach / across : 0, features);
        for (size_t i = 0; i < features; i++)
            x[i] += part * normal[i];
        // Rounding can spoil a row whose part across was almost nothing: then draw again.
        along = dot(normal, x, features);
    } while (along < least * (1 - 1e-9) || dot(x, x, features) > most * most * (1 + 1e-9));
}

// Printing six digits moves a row by at most 5e-6 of its length, so with twice that in hand margin
// and radius hold for what is printed.
static tlu_status make_margin(struct job *job, tlu_error *error)
{
    const tlu_recipe *recipe = job->recipe;
    size_t features = (size_t)recipe->features;
    double *normal = memory_new(features, sizeof *normal);
    double *values = memory_new(features, sizeof *values);
    if (!normal || !values) {
        memory_free(normal);
        memory_free(values);
        return error_memory(error);
    }
    double square = 0;
    while (square == 0) {
        for (size_t i = 0; i < features; i++)
            normal[i] = random_normal(&job->random);
        square = dot(normal, normal, features);
    }
    scale(normal, 1 / sqrt(square), features);
    double least = recipe->margin + 1e-5 * recipe->radius;
    double most = recipe->radius * (1 - 1e-5);
    for (uint64_t row = 0; row < recipe->rows && !job->out.failed; row++) {
        draw_beside_plane(&job->random, normal, values, features, least, most);
        int64_t label = random_bits(&job->random) >> 63 ? 1 : -1;
        scale(values, (double)label, features);
        put_row(&job->out, features, NULL, values, features, noisy(job, label), true);
    }
    memory_free(normal);
    memory_free(values);
    return TLU_OK;
}

// ---- Text-like rows -----------------------------------------------------------------------------

// A cell of an alias table (Walker 1977): a draw lands in a cell and takes one of its two features.
struct cell {
    uint32_t threshold; // of 2^32, for the first
    uint32_t first, second;
};

struct corpus {
    size_t features;
    struct cell *cells; // [features]
    double *rarity;     // [features] the rarer a feature, the more an occurrence says
    double *hidden;     // [features] the weights that decide the labels
    double *mass;       // [features] by rank: frequency over the mean frequency
    uint32_t *by_rank;  // [features]
    uint32_t *times;    // [features] occurrences in the row being made
    uint32_t *chosen;   // [features] those of the row
    double *values;     // [features] and what they are worth
};

static void corpus_free(struct corpus *corpus)
{
    void *arrays[] = {corpus->cells, corpus->rarity,  corpus->hidden, corpus->mass,
                      corpus->times, corpus->by_rank, corpus->chosen, corpus->values};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        memory_free(arrays[i]);
}

// The base-2 logarithm of x >= 1, straight between powers of two: the same on every machine.
static double rough_log(double x)
{
    int exponent;
    double fraction = frexp(x, &exponent); // from 1/2 to 1
    return exponent - 2 + 2 * fraction;
}

// Masses fall with the rank, so the first of those left is always the richest. The poorest fills
// its cell with what the rich one can spare; one that has become poor that way is next.
static void fill_cells(struct corpus *corpus)
{
    size_t rich = 0, poor = corpus->features;
    double left = corpus->mass[0]; // of the rich one
    while (rich < poor) {
        size_t from = rich;
        double part = left;
        if (left >= 1 && poor - 1 > rich) {
            from = --poor;
            part = corpus->mass[from];
            left -= 1 - part;
        } else {
            rich++;
            left = rich < corpus->features ? corpus->mass[rich] - (1 - part) : 0;
        }
        part = part < 0 ? 0 : part > 1 ? 1 : part;
        size_t to = rich < corpus->features ? rich : from;
        corpus->cells[from] = (struct cell){(uint32_t)(part * UINT32_MAX), corpus->by_rank[from],
                                            corpus->by_rank[to]};
    }
}

// Zipf's law without its commonest words: the r-th feature occurs in proportion to 1 / (r + 10).
static bool corpus_make(struct corpus *corpus, size_t features, struct random *random)
{
    corpus->features = features;
    corpus->cells = memory_new(features, sizeof *corpus->cells);
    corpus->rarity = memory_new(features, sizeof *corpus->rarity);
    corpus->hidden = memory_new(features, sizeof *corpus->hidden);
    corpus->mass = memory_new(features, sizeof *corpus->mass);
    corpus->by_rank = memory_new(features, sizeof *corpus->by_rank);
    corpus->times = memory_new(features, sizeof *corpus->times);
    corpus->chosen = memory_new(features, sizeof *corpus->chosen);
    corpus->values = memory_new(features, sizeof *corpus->values);
    if (!corpus->cells || !corpus->rarity || !corpus->hidden || !corpus->mass || !corpus->by_rank ||
        !corpus->times || !corpus->chosen || !corpus->values)
        return false;
    double sum = 0;
    for (size_t i = 0; i < features; i++) {
        size_t other = (size_t)random_below(random, i + 1); // a random order, as it grows
        corpus->by_rank[i] = corpus->by_rank[other];
        corpus->by_rank[other] = (uint32_t)i;
        corpus->mass[i] = 1 / ((double)i + 11);
        sum += corpus->mass[i];
    }
    for (size_t i = 0; i < features; i++) {
        corpus->mass[i] *= (double)features / sum;
        corpus->rarity[corpus->by_rank[i]] = 1 + rough_log((double)i + 1);
        corpus->hidden[i] = between(random, -1, 1);
    }
    fill_cells(corpus);
    return true;
}

static bool take(struct corpus *corpus, uint32_t feature, size_t *count)
{
    if (corpus->times[feature]++ != 0)
        return false;
    corpus->chosen[(*count)++] = feature;
    return true;
}

static void sort_rising(uint32_t *items, size_t count)
{
    static const size_t gaps[] = {1 << 20, 1 << 17, 1 << 14, 3281, 1093, 364, 121, 40, 13, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) // Shell 1959
        for (size_t i = gaps[g]; i < count; i++) {
            uint32_t item = items[i];
            size_t j = i;
            for (; j >= gaps[g] && items[j - gaps[g]] > item; j -= gaps[g])
                items[j] = items[j - gaps[g]];
            items[j] = item;
        }
}

// Draws words until there are `wanted` distinct ones, and sorts them.
static void draw_words(struct corpus *corpus, struct random *random, size_t wanted)
{
    size_t count = 0;
    for (size_t draws = 0; count < wanted && draws < 8 * wanted; draws++) {
        uint64_t bits = random_bits(random);
        const struct cell *cell = &corpus->cells[((bits >> 32) * corpus->features) >> 32];
        take(corpus, (uint32_t)bits < cell->threshold ? cell->first : cell->second, &count);
    }
    // Where almost all features are wanted, the rarest would take for ever: the commonest of those
    // that are still missing fill the row.
    for (size_t rank = 0; count < wanted; rank++)
        if (corpus->times[corpus->by_rank[rank]] == 0)
            take(corpus, corpus->by_rank[rank], &count);
    sort_rising(corpus->chosen, wanted);
}

static void put_words(struct job *job, struct corpus *corpus, size_t count)
{
    double square = 0, score = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t feature = corpus->chosen[i];
        double value = (1 + rough_log(corpus->times[feature])) * corpus->rarity[feature];
        corpus->times[feature] = 0;
        corpus->values[i] = value;
        square += value * value;
        score += value * corpus->hidden[feature];
    }
    scale(corpus->values, 1 / sqrt(square), count);
    put_row(&job->out, corpus->features, corpus->chosen, corpus->values, count,
            noisy(job, score > 0 ? 1 : -1), true);
}

static tlu_status make_sparse(struct job *job, tlu_error *error)
{
    const tlu_recipe *recipe = job->recipe;
    struct corpus corpus = {0};
    if (!corpus_make(&corpus, (size_t)recipe->features, &job->random)) {
        corpus_free(&corpus);
        return error_memory(error);
    }
    uint64_t half = recipe->nonzeros / 2;
    for (uint64_t row = 0; row < recipe->rows && !job->out.failed; row++) {
        uint64_t count = recipe->nonzeros - half + random_below(&job->random, 2 * half + 1);
        count = count < recipe->features ? count : recipe->features;
        draw_words(&corpus, &job->random, (size_t)count);
        put_words(job, &corpus, (size_t)count);
    }
    corpus_free(&corpus);
    return TLU_OK;
}

// ---- Recipes ------------------------------------------------------------------------------------

#define FEATURES_MOST ((uint64_t)1 << 31)
#define CLASSES_MOST 1000000

static const struct kind {
    tlu_recipe recipe; // good values; what the kind does not take is 0
    bool spread;       // noise is not a share of labels but a distance
    tlu_status (*make)(struct job *job, tlu_error *error);
} kinds[] = {
    {{sizeof(tlu_recipe), "line", "libsvm", 200, 2, 0, 2, 0, 0, 0, 1}, false, make_line},
    {{sizeof(tlu_recipe), "sparse", "libsvm", 10000, 20000, 50, 2, 0.03, 0, 0, 1},
     false,
     make_sparse},
    {{sizeof(tlu_recipe), "margin", "libsvm", 1000, 10, 0, 2, 0, 0.1, 1, 1}, false, make_margin},
    {{sizeof(tlu_recipe), "blobs", "libsvm", 300, 2, 0, 3, 0, 0, 0, 1}, false, make_blobs},
    {{sizeof(tlu_recipe), "xor", "libsvm", 200, 2, 0, 2, 0, 0, 0, 1}, false, make_xor},
    {{sizeof(tlu_recipe), "circle", "libsvm", 200, 2, 0, 2, 0.05, 0, 0, 1}, true, make_circle},
    {{sizeof(tlu_recipe), "moons", "libsvm", 200, 2, 0, 2, 0.1, 0, 0, 1}, true, make_moons},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static const struct kind *kind_named(const char *name, tlu_error *error)
{
    char names[128] = "", quoted[80];
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].recipe.kind, name) == 0)
            return &kinds[i];
        strcat(names, i == 0 ? "" : i + 1 < KINDS ? ", " : " and ");
        strcat(names, kinds[i].recipe.kind);
    }
    error_quote(quoted, sizeof quoted, name, strlen(name));
    error_input(error, "there is no kind of data '%s'; there are %s", quoted, names);
    return NULL;
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

static tlu_status check_used(const tlu_recipe *recipe, const struct kind *kind, tlu_error *error)
{
    unsigned long long features = recipe->features, nonzeros = recipe->nonzeros;
    if (recipe->rows == 0)
        return error_input(error, "the number of rows must be at least 1");
    if (features == 0 || features > FEATURES_MOST)
        return error_input(error, "the number of features must be from 1 to %llu, not %llu",
                           (unsigned long long)FEATURES_MOST, features);
    if (recipe->classes < 2 || recipe->classes > CLASSES_MOST)
        return error_input(error, "the number of classes must be from 2 to %d, not %llu",
                           CLASSES_MOST, (unsigned long long)recipe->classes);
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

tlu_status tlu_recipe_for(const char *kind, tlu_recipe *recipe, tlu_error *error)
{
    const struct kind *found = kind_named(kind, error);
    if (!found)
        return TLU_ERROR_INPUT;
    tlu_recipe good;
    TRY(settings_take(&good, sizeof good, recipe, "tlu_recipe", error));
    good = found->recipe;
    settings_give(recipe, &good);
    return TLU_OK;
}

tlu_status tlu_generate(const tlu_recipe *given, tlu_write_function write, void *context,
                        tlu_error *error)
{
    tlu_recipe own, *recipe = &own;
    TRY(settings_take(&own, sizeof own, given, "tlu_recipe", error));
    const struct kind *kind = kind_named(recipe->kind ? recipe->kind : "", error);
    if (!kind || check_used(recipe, kind, error) != TLU_OK ||
        check_unused(recipe, &kind->recipe, error) != TLU_OK)
        return TLU_ERROR_INPUT;
    const char *format = recipe->format ? recipe->format : "";
    bool csv = strcmp(format, "csv") == 0;
    if (!csv && strcmp(format, "libsvm") != 0)
        return error_input(error, "data is generated as libsvm or csv, not as '%.80s'", format);
    struct job job = {.recipe = recipe, .out = {.csv = csv, .write = write, .context = context}};
    job.out.bytes = memory_new(BUFFER_SIZE, 1);
    if (!job.out.bytes)
        return error_memory(error);
    random_seed(&job.random, recipe->seed);
    put_header(&job.out, recipe->features);
    tlu_status status = kind->make(&job, error);
    if (status == TLU_OK)
        flush(&job.out);
    memory_free(job.out.bytes);
    if (status == TLU_OK && job.out.failed)
        return error_interrupted(error, "the generated data could not be written");
    return status;
}
