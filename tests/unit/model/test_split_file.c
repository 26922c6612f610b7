// Splitting a file from a program: divisions against plain searches, settings, interruption, and
// faults, after which no file is changed and nothing is left.
#include "base/fault.h"
#include "learning.h"
#include "model/split/parts.h"

#include <dirent.h>
#include <unistd.h>

// ---- divisions ----

static void sizes_and_classes_are_exact(void **state)
{
    (void)state;
    struct random random;
    tlu_error error;
    random_seed(&random, 1);
    for (int trial = 0; trial < 500; trial++) {
        uint64_t counts[12], left[12], rows = 0;
        uint32_t classes = 1 + (uint32_t)random_below(&random, 12);
        for (uint32_t c = 0; c < classes; c++)
            rows += left[c] = counts[c] = 1 + random_below(&random, trial % 3 ? 40 : 3);
        if (rows < classes + 2)
            continue;
        struct division division = {.next = 0};
        uint64_t others = rows - classes;
        division.sizes[PART_TEST] = 1 + random_below(&random, others - 1);
        division.sizes[PART_VALIDATION] =
            random_below(&random, others - division.sizes[PART_TEST] + 1);
        division.sizes[PART_TRAIN] =
            rows - division.sizes[PART_TEST] - division.sizes[PART_VALIDATION];
        random_seed(&division.random, (uint64_t)trial);
        assert_int_equal(division_by_class(&division, counts, classes, "data", &error), TLU_OK);
        uint64_t sizes[PARTS] = {0}, found[PARTS][12] = {{0}};
        for (uint64_t row = 0; row < rows; row++) {
            uint32_t c = (uint32_t)random_below(&random, classes);
            while (left[c] == 0)
                c = (c + 1) % classes;
            left[c]--;
            enum part part = division_next(&division, c);
            sizes[part]++;
            found[part][c]++;
        }
        for (enum part p = 0; p < PARTS; p++)
            assert_int_equal(sizes[p], division.sizes[p]);
        for (uint32_t c = 0; c < classes; c++) // a class of one row is one for training
            assert_true(found[PART_TRAIN][c] > 0);
        division_free(&division);
    }
}

// The least distance of a sum of some groups, not none and not all, from the target.
static uint64_t least_distance(const uint64_t *counts, uint32_t groups, uint64_t target)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t set = 1; set + 1 < 1u << groups; set++) {
        uint64_t sum = 0;
        for (uint32_t g = 0; g < groups; g++)
            sum += set >> g & 1 ? counts[g] : 0;
        uint64_t distance = sum < target ? target - sum : sum - target;
        least = distance < least ? distance : least;
    }
    return least;
}

static void groups_come_as_close_as_possible(void **state)
{
    (void)state;
    struct random random;
    tlu_error error;
    random_seed(&random, 2);
    for (int trial = 0; trial < 400; trial++) {
        uint64_t counts[10], rows = 0;
        uint32_t groups = 2 + (uint32_t)random_below(&random, 9);
        for (uint32_t g = 0; g < groups; g++)
            rows += counts[g] = 1 + random_below(&random, trial % 4 ? 30 : 1000);
        struct division division = {.next = 0};
        division.sizes[PART_TEST] = 1 + random_below(&random, rows - 1);
        random_seed(&division.random, (uint64_t)trial);
        assert_int_equal(division_by_group(&division, counts, groups, "data", &error), TLU_OK);
        uint64_t test = 0;
        for (uint32_t g = 0; g < groups; g++)
            test += division_next(&division, g) == PART_TEST ? counts[g] : 0;
        uint64_t target = division.sizes[PART_TEST];
        assert_int_equal(test < target ? target - test : test - target,
                         least_distance(counts, groups, target));
        division_free(&division);
    }
}

// Every part has a group, however uneven they are, and many groups come close.
static void groups_of_all_kinds(void **state)
{
    (void)state;
    static const struct {
        uint32_t groups;
        uint64_t smallest, largest, giant; // rows; giant: of group 0
    } kinds[] = {{3, 1, 1, 1},         {3, 1, 1, 1000},      {5, 1, 9, 1000000},
                 {40, 5, 9, 5},        {6000, 1, 90, 1},     {100000, 1, 1, 1},
                 {20000, 1, 5, 50000}, {70, 1, 2, 1u << 31}, {200, 1u << 24, 1u << 25, 1}};
    struct random random;
    tlu_error error;
    random_seed(&random, 3);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        uint32_t groups = kinds[k].groups;
        uint64_t *counts = calloc(groups, sizeof *counts), rows = 0, sizes[PARTS] = {0};
        assert_non_null(counts);
        for (uint32_t g = 0; g < groups; g++) {
            uint64_t span = kinds[k].largest - kinds[k].smallest + 1;
            counts[g] = g ? kinds[k].smallest + random_below(&random, span) : kinds[k].giant;
            rows += counts[g];
        }
        struct division division = {.next = 0};
        division.sizes[PART_TEST] = (rows + 2) / 5;
        division.sizes[PART_VALIDATION] = (rows + 9) / 10;
        random_seed(&division.random, k);
        assert_int_equal(division_by_group(&division, counts, groups, "data", &error), TLU_OK);
        for (uint32_t g = 0; g < groups; g++)
            sizes[division_next(&division, g)] += counts[g];
        for (enum part p = 0; p < PARTS; p++)
            assert_true(sizes[p] > 0);
        if (kinds[k].giant < rows / 2)
            for (enum part p = PART_VALIDATION; p < PARTS; p++) {
                double wrong = fabs((double)sizes[p] - (double)division.sizes[p]);
                double allowed = groups < 30    ? (double)rows
                                 : groups < 300 ? 0.01 * (double)rows
                                                : 0;
                assert_true(wrong <= allowed);
            }
        division_free(&division);
        free(counts);
    }
}

static void too_few_groups_are_refused(void **state)
{
    (void)state;
    const uint64_t counts[] = {4, 6};
    tlu_error error;
    struct division division = {.sizes = {[PART_TEST] = 2, [PART_VALIDATION] = 2}};
    random_seed(&division.random, 1);
    assert_int_equal(division_by_group(&division, counts, 2, "data", &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "2 groups, too few for 3 parts"));
    division_free(&division);
}

// ---- files ----

#define ROWS 30000

static int write_data(void **state)
{
    (void)state;
    FILE *csv = fopen("data.csv", "w"), *svm = fopen("data.svm", "w");
    FILE *small = fopen("small.csv", "w"), *json = fopen("small.jsonl", "w");
    if (!csv || !svm || !small || !json)
        return -1;
    fputs("user,text,label\n", csv);
    for (int i = 0; i < ROWS; i++) { // several chunks of the reader
        fprintf(csv, "u%d,\"row\n%d %040d\",%s\n", i % 11, i, i, i % 3 ? "ham" : "spam");
        fprintf(svm, "%s 1:1 %d:%d 4000000000:%040d\n", i % 3 ? "ham" : "spam", 10 + i % 500, i, i);
    }
    fputs("x,label\n", small);
    for (int i = 0; i < 40; i++) {
        fprintf(small, "\"%d\n\",%s\n", i, i % 3 ? "ham" : "spam");
        fprintf(json, "{\"user\": \"u%d\", \"label\": \"%s\"}\n", i % 6, i % 3 ? "ham" : "spam");
    }
    return fclose(csv) || fclose(svm) || fclose(small) || fclose(json) ? -1 : 0;
}

static tlu_split_file_settings settings_of(const char *path)
{
    return (tlu_split_file_settings){.size = sizeof(tlu_split_file_settings),
                                     .path = path,
                                     .prefix = "out",
                                     .test = 0.25,
                                     .validation = 0.1};
}

static void write_old(const char *extension)
{
    static const char *const parts[] = {"train", "validation", "test"};
    for (size_t p = 0; p < 3; p++) {
        char path[64];
        snprintf(path, sizeof path, "out-%s%s", parts[p], extension);
        write_text(path, "old");
    }
}

// How many of the files are not the old ones; and no temporary file is left.
static size_t count_new(const char *extension)
{
    static const char *const parts[] = {"train", "validation", "test"};
    size_t found = 0, size;
    for (size_t p = 0; p < 3; p++) {
        char path[64];
        snprintf(path, sizeof path, "out-%s%s", parts[p], extension);
        char *bytes = read_bytes(path, &size);
        found += strcmp(bytes, "old") != 0;
        free(bytes);
    }
    DIR *folder = opendir(".");
    const struct dirent *entry;
    assert_non_null(folder);
    while ((entry = readdir(folder)))
        assert_true(strncmp(entry->d_name, ".tlu", 4) != 0);
    closedir(folder);
    return found;
}

static void the_result_has_all(void **state)
{
    (void)state;
    tlu_error error;
    tlu_file_split *split;
    tlu_split_file_settings settings = settings_of("data.csv");
    if (tlu_split_file(&settings, NULL, &split, &error) != TLU_OK)
        fail_msg("%s", error.text);
    assert_int_equal(split->rows, ROWS);
    assert_int_equal(split->unlabelled + split->skipped, 0);
    assert_string_equal(split->format, "csv");
    assert_string_equal(split->label_column, "label");
    assert_int_equal(split->class_count, 2);
    assert_string_equal(split->labels[0], "ham");
    assert_string_equal(split->labels[1], "spam");
    assert_int_equal(split->part_count, 3);
    static const struct {
        const char *name, *path;
        uint64_t rows, ham, spam;
    } expected[] = {{"train", "out-train.csv", 19500, 13000, 6500},
                    {"validation", "out-validation.csv", 3000, 2000, 1000},
                    {"test", "out-test.csv", 7500, 5000, 2500}};
    for (size_t p = 0; p < 3; p++) {
        const tlu_split_part *part = &split->parts[p];
        assert_string_equal(part->name, expected[p].name);
        assert_string_equal(part->path, expected[p].path);
        assert_int_equal(part->rows, expected[p].rows);
        assert_int_equal(part->classes, 2);
        assert_int_equal(part->groups, 0);
        assert_int_equal(part->class_rows[0], expected[p].ham);
        assert_int_equal(part->class_rows[1], expected[p].spam);
    }
    tlu_file_split_free(split);
    tlu_file_split_free(NULL);
}

static void refuses(tlu_split_file_settings settings, const char *part)
{
    tlu_error error;
    tlu_file_split *split;
    assert_int_equal(tlu_split_file(&settings, NULL, &split, &error), TLU_ERROR_INPUT);
    assert_null(split);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not have '%s'", error.text, part);
}

#define WITH(field, value) (settings = settings_of("data.csv"), settings.field = (value), settings)

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    tlu_split_file_settings settings;
    refuses(WITH(path, NULL), "path");
    refuses(WITH(prefix, NULL), "prefix");
    refuses(WITH(prefix, ""), "is empty");
    refuses(WITH(path, "nowhere"), "cannot open");
    refuses(WITH(path, "."), "is a folder");
    refuses(WITH(prefix, "nowhere/x"), "cannot be written");
    refuses(WITH(size, 0), "size");
    static const double wrong[] = {-0.5, 1, 1.5, INFINITY, NAN, 0x1p60};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        refuses(WITH(test, wrong[i]), "--test is a fraction");
        refuses(WITH(validation, wrong[i]), "--validation is a fraction");
    }
    settings = settings_of("data.csv");
    settings.test = settings.validation = 0;
    refuses(settings, "--test or --validation");
    settings = WITH(in_order, 1);
    settings.no_stratify = 1;
    refuses(settings, "cannot be combined");
    refuses(WITH(test, ROWS), "none is left to train on");
    refuses(WITH(test, 1e-6), "less than half a row");
    refuses(WITH(group, "nobody"), "no column 'nobody'");
}

// ---- interruption ----

static int stop_later(void *context, const tlu_progress *progress)
{
    long *calls = context;
    assert_true(progress->work >= 0 && progress->work <= progress->work_expected);
    return --*calls == 0;
}

static void stopping_leaves_nothing(void **state)
{
    (void)state;
    tlu_error error;
    for (long n = 1;; n++) {
        tlu_file_split *split;
        tlu_split_file_settings settings = settings_of("data.svm");
        long calls = n;
        settings.progress = stop_later;
        settings.progress_context = &calls;
        write_old(".svm");
        tlu_status status = tlu_split_file(&settings, NULL, &split, &error);
        tlu_file_split_free(split);
        assert_int_equal(status, calls <= 0 ? TLU_INTERRUPTED : TLU_OK);
        assert_int_equal(count_new(".svm"), calls <= 0 ? 0 : 3);
        if (calls > 0) {
            assert_true(n > 4);
            return;
        }
    }
}

// The data gets shorter, or its rows get other lengths, between the passes.
static int damage(void *context, const tlu_progress *progress)
{
    bool *shorter = context;
    if (progress->work < 1) // the second pass has not begun
        return 0;
    FILE *file = fopen("damaged.csv", "r+");
    assert_non_null(file);
    if (*shorter)
        assert_int_equal(ftruncate(fileno(file), 1200000), 0);
    fseek(file, 1100000, SEEK_SET);
    for (int i = 0; i < 1000 && !*shorter; i++)
        fputs("other bytes without an end ", file);
    fclose(file);
    return 0;
}

static void changed_data_is_noticed(void **state)
{
    (void)state;
    for (int shorter = 0; shorter < 2; shorter++) {
        size_t size;
        tlu_error error;
        bool context = shorter;
        char *bytes = read_bytes("data.csv", &size);
        write_bytes("damaged.csv", bytes, size);
        free(bytes);
        tlu_split_file_settings settings = settings_of("damaged.csv");
        settings.progress = damage;
        settings.progress_context = &context;
        write_old(".csv");
        assert_int_equal(tlu_split_file(&settings, NULL, NULL, &error), TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, "was changed while it was split"));
        assert_int_equal(count_new(".csv"), 0);
    }
}

// ---- faults ----

static void check_faults(const tlu_split_file_settings *settings, const char *extension,
                         const tlu_options *options)
{
    for (enum fault_kind kind = 0; kind < FAULT_KINDS; kind++)
        for (long n = 1;; n++) {
            tlu_error error;
            tlu_file_split *split;
            write_old(extension);
            fault_at(kind, n);
            tlu_status status = tlu_split_file(settings, options, &split, &error);
            bool hit = fault_calls(kind) >= n;
            fault_at(kind, 0);
            tlu_file_split_free(split);
            assert_int_equal(status, hit ? TLU_ERROR_SYSTEM : TLU_OK);
            size_t written = count_new(extension);
            bool in_place = !hit || strstr(error.text, "power cut");
            if (kind == FAULT_RENAME && hit) // those before it were renamed
                assert_int_equal(written, n - 1);
            else
                assert_int_equal(written, in_place ? 3 : 0);
            if (!hit)
                break;
        }
}

static void every_fault_is_handled(void **state)
{
    (void)state;
    tlu_options *options = options_of("threads=1");
    tlu_split_file_settings settings = settings_of("small.csv");
    check_faults(&settings, ".csv", options);
    settings = settings_of("small.jsonl");
    settings.group = "user";
    check_faults(&settings, ".jsonl", options);
    settings.group = NULL;
    settings.in_order = 1;
    check_faults(&settings, ".jsonl", options);
    tlu_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_classes_are_exact),
        cmocka_unit_test(groups_come_as_close_as_possible),
        cmocka_unit_test(groups_of_all_kinds),
        cmocka_unit_test(too_few_groups_are_refused),
        cmocka_unit_test(the_result_has_all),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(stopping_leaves_nothing),
        cmocka_unit_test(changed_data_is_noticed),
        cmocka_unit_test(every_fault_is_handled),
    };
    return cmocka_run_group_tests(tests, write_data, NULL);
}
