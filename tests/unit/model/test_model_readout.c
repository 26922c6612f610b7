// The sections CALB and THRS of the model file: byte by byte as docs/model-format.md has them, and
// not believed if they are forged.
#include "base/crc.h"
#include "base/fault.h"
#include "learning.h"
#include "predicting.h"

struct file {
    unsigned char *bytes;
    size_t size;
};

static int make_data(void **state)
{
    static const char *const labels[] = {"a", "b", "c"};
    (void)state;
    for (size_t classes = 2; classes <= 3; classes++) {
        char path[16];
        struct dense data = random_dense(classes, 100, 4, classes, 0.8, true);
        snprintf(path, sizeof path, "%zu.svm", classes);
        write_libsvm(path, &data, labels);
        dense_free(&data);
    }
    return 0;
}

static struct file saved(const tlu_model *model)
{
    void *bytes;
    struct file file;
    assert_int_equal(tlu_model_save_bytes(model, &bytes, &file.size, NULL), TLU_OK);
    file.bytes = malloc(file.size);
    assert_non_null(file.bytes);
    memcpy(file.bytes, bytes, file.size);
    tlu_bytes_free(bytes);
    return file;
}

static void put_number(unsigned char *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static size_t length_at(const struct file *file, size_t at)
{
    size_t length = 0;
    for (size_t i = 8; i-- > 0;)
        length = length << 8 | file->bytes[at + 4 + i];
    return length;
}

// Where the section is; 0: it is not there.
static size_t find(const struct file *file, const char *tag)
{
    for (size_t at = 20; at + 4 < file->size; at += 12 + length_at(file, at))
        if (memcmp(file->bytes + at, tag, 4) == 0)
            return at;
    return 0;
}

// The same file with another content of the section.
static struct file with(const struct file *file, const char *tag, const void *content, size_t size)
{
    size_t at = find(file, tag);
    assert_true(at);
    size_t old = length_at(file, at);
    struct file new = {malloc(file->size - old + size), file->size - old + size};
    assert_non_null(new.bytes);
    memcpy(new.bytes, file->bytes, at + 12);
    memcpy(new.bytes + at + 12, content, size);
    memcpy(new.bytes + at + 12 + size, file->bytes + at + 12 + old, file->size - at - 12 - old);
    put_number(new.bytes + at + 4, size, 8);
    put_number(new.bytes + 12, new.size, 8);
    put_number(new.bytes + new.size - 4, crc32_add(0, new.bytes, new.size - 4), 4);
    return new;
}

// `wrong`: what it says; NULL: it loads.
static void expect(const struct file *file, const char *tag, const void *content, size_t size,
                   const char *wrong)
{
    tlu_model *model;
    tlu_error error;
    struct file new = with(file, tag, content, size);
    tlu_status status = tlu_model_load_bytes(new.bytes, new.size, &model, &error);
    if (wrong && (status != TLU_ERROR_INPUT || !strstr(error.text, wrong)))
        fail_msg("%s: '%s' is not '%s'", tag, status == TLU_OK ? "" : error.text, wrong);
    if (!wrong && status != TLU_OK)
        fail_msg("%s: %s", tag, error.text);
    tlu_model_free(model);
    free(new.bytes);
}

// Whatever becomes of it, it does no harm; what loads is used.
static void use(const unsigned char *bytes, size_t size)
{
    tlu_model *model;
    tlu_feature feature = {"1", 1};
    double scores[3], probabilities[3], sum = 0;
    if (tlu_model_load_bytes(bytes, size, &model, NULL) != TLU_OK)
        return;
    size_t classes = tlu_model_class_count(model);
    assert_true(class_of_named(model, &feature, 1, scores) < classes);
    if (tlu_model_probabilities(model, scores, probabilities, NULL) == TLU_OK) {
        for (size_t k = 0; k < classes; k++)
            sum += probabilities[k];
        assert_true(fabs(sum - 1) < 1e-12);
    }
    tlu_model_free(model);
}

static void calibrations_byte_by_byte(void **state)
{
    // Slope 2 and offset -0.5 as a short and a single; the codes before them.
    static const unsigned char sigmoid[] = {1, 1, 2, 0, 2, 0, 0, 0, 0xBF};
    static const unsigned char heat[] = {3, 1, 3, 0};
    // Knots at -1, 0 and 2, with the probabilities 0, 0.25 and 1.
    static const unsigned char curve[] = {2,    3, 0x11, 0xFF, 0xFF, 2, 0,
                                          0x18, 0, 0,    0x80, 0x3E, 1, 0};
    tlu_model *model, *loaded;
    struct file file, new;
    (void)state;
    model = train("2.svm", "calibrate=sigmoid");
    file = saved(model);
    new = with(&file, "CALB", sigmoid, sizeof sigmoid);
    assert_int_equal(tlu_model_load_bytes(new.bytes, new.size, &loaded, NULL), TLU_OK);
    tlu_calibration_curve found;
    assert_int_equal(tlu_model_calibration_curve(loaded, 1, &found, NULL), TLU_OK);
    assert_true(found.slope == 2 && found.offset == -0.5 && found.knots == 0);
    double score = 0.75, probabilities[2];
    assert_int_equal(tlu_model_probabilities(loaded, &score, probabilities, NULL), TLU_OK);
    assert_true(fabs(probabilities[1] - 1 / (1 + exp(-1.0))) < 1e-15);
    struct file again = saved(loaded);
    assert_int_equal(again.size, new.size);
    assert_memory_equal(again.bytes, new.bytes, new.size);
    free(again.bytes);
    free(new.bytes);
    tlu_model_free(loaded);

    new = with(&file, "CALB", curve, sizeof curve);
    tlu_error error;
    if (tlu_model_load_bytes(new.bytes, new.size, &loaded, &error) != TLU_OK)
        fail_msg("%s", error.text);
    score = -0.5;
    assert_int_equal(tlu_model_probabilities(loaded, &score, probabilities, NULL), TLU_OK);
    assert_true(probabilities[1] == 0.125 && probabilities[0] == 0.875);
    free(new.bytes);
    tlu_model_free(loaded);
    expect(&file, "CALB", heat, sizeof heat, NULL);
    free(file.bytes);
    tlu_model_free(model);
}

// Replaces *model by one with another threshold. The old one is freed first: they share memory.
static void set_threshold(tlu_model **model, double threshold)
{
    tlu_model *copy;
    assert_int_equal(tlu_model_with_threshold(*model, threshold, &copy, NULL), TLU_OK);
    tlu_model_free(*model);
    *model = copy;
}

static void a_model_with_a_threshold_leaves_the_first_alone(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        tlu_model *model = train("2.svm", "learner=alma decide=vote"), *one, *two;
        assert_int_equal(tlu_model_with_threshold(model, 0.5, &one, NULL), TLU_OK);
        assert_int_equal(tlu_model_with_threshold(one, -0.5, &two, NULL), TLU_OK);
        double threshold = 0;
        assert_false(tlu_model_has_threshold(model, NULL, NULL));
        assert_true(tlu_model_has_threshold(one, &threshold, NULL) && threshold == 0.5);
        assert_true(tlu_model_has_threshold(two, &threshold, NULL) && threshold == -0.5);
        tlu_model_free(order ? two : model);
        tlu_feature feature = {"1", 1};
        assert_true(class_of_named(one, &feature, 1, NULL) < 2);
        tlu_model_free(order ? model : one);
        tlu_model *left = order ? one : two;
        assert_true(class_of_named(left, &feature, 1, NULL) < 2);
        assert_non_null(tlu_model_report(left));
        tlu_model_free(left);
    }
    tlu_model *model = train("2.svm", ""), *copy = model;
    fault_at(FAULT_MEMORY, 1);
    assert_int_equal(tlu_model_with_threshold(model, 0.5, &copy, NULL), TLU_ERROR_SYSTEM);
    fault_at(FAULT_MEMORY, 0);
    assert_null(copy);
    tlu_model_free(model);
}

// A model that is loaded and gets a threshold is the same file but for that, whatever it is: one
// that can go on with a stream, one of an interrupted training.
static void a_threshold_changes_nothing_else(void **state)
{
    static const char *const settings[] = {"", "learner=arow calibrate=isotonic", "kernel=rbf:1",
                                           "learner=alma decide=vote", "scale=standard"};
    (void)state;
    for (size_t s = 0; s < 5; s++) {
        tlu_model *model = train("2.svm", settings[s]), *loaded;
        struct file before = saved(model);
        assert_int_equal(tlu_model_load_bytes(before.bytes, before.size, &loaded, NULL), TLU_OK);
        set_threshold(&loaded, 0.5);
        struct file after = saved(loaded);
        size_t at = find(&after, "THRS");
        assert_int_equal(after.size, before.size + 12 + 9);
        assert_memory_equal(after.bytes + 20, before.bytes + 20, at - 20);
        assert_memory_equal(after.bytes + at + 21, before.bytes + at, before.size - at - 4);
        free(before.bytes);
        free(after.bytes);
        tlu_model_free(loaded);
        tlu_model_free(model);
    }
}

static void forged_calibrations_are_named(void **state)
{
    tlu_model *model = train("2.svm", "calibrate=isotonic");
    struct file file = saved(model);
    (void)state;
    expect(&file, "CALB", "\0", 1, "the kind of calibration is 0");
    expect(&file, "CALB", "\4", 1, "the kind of calibration is 4");
    expect(&file, "CALB", "\1", 1, "");
    expect(&file, "CALB", "\3\1\xFF\xFF", 4, "a temperature is below 0");
    expect(&file, "CALB", "\2\0", 2, "a curve has 0 knots");
    expect(&file, "CALB", "\2\xFF\xFF\xFF\xFF\x7F", 6, "knots");
    expect(&file, "CALB", "\2\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1", 11, "knots");
    expect(&file, "CALB", "\2\2\5\2\0\1\0\0", 8, "falls"); // scores 2, 1
    expect(&file, "CALB", "\2\2\4\1\0\1\1\0", 8, "falls"); // probabilities 1, 0
    expect(&file, "CALB", "\2\1\0\1\2\0", 6, "falls");     // a probability of 2
    expect(&file, "CALB", "\2\1\0\1\1\0\0", 7, "bytes are left over");
    free(file.bytes);
    tlu_model_free(model);
}

static void forged_thresholds_are_named(void **state)
{
    static const unsigned char half[] = {2, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F},
                               score[] = {1, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F},
                               none[] = {0, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F},
                               infinite[] = {2, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F};
    (void)state;
    tlu_model *model = train("2.svm", "calibrate=sigmoid"), *plain = train("2.svm", "");
    tlu_model *copy;
    set_threshold(&model, 0.25);
    set_threshold(&plain, 0.25);
    assert_int_equal(tlu_model_with_threshold(plain, INFINITY, &copy, NULL), TLU_ERROR_INPUT);
    struct file file = saved(model), other = saved(plain);
    expect(&file, "THRS", half, 9, NULL);
    expect(&file, "THRS", none, 9, "it should not be there");
    expect(&file, "THRS", infinite, 9, "");
    expect(&file, "THRS", "\3", 1, "the kind of threshold is 3");
    expect(&file, "THRS", half, 8, "");
    expect(&other, "THRS", score, 9, NULL);
    expect(&other, "THRS", half, 9, "which the model does not have");
    double threshold;
    int on_probability;
    assert_true(tlu_model_has_threshold(plain, &threshold, &on_probability));
    assert_true(threshold == 0.25 && !on_probability);
    set_threshold(&plain, NAN);
    assert_false(tlu_model_has_threshold(plain, NULL, NULL));
    free(other.bytes);
    other = saved(plain);
    assert_false(find(&other, "THRS")); // as it was before
    free(file.bytes);
    free(other.bytes);
    tlu_model_free(model);
    tlu_model_free(plain);
    model = train("3.svm", "");
    assert_int_equal(tlu_model_with_threshold(model, 0, &copy, NULL), TLU_ERROR_INPUT);
    tlu_model_free(model);
}

// Every cut of the section, and every byte of it changed in some ways, with a checksum that fits.
static void changes_do_no_harm(void **state)
{
    static const char *const settings[] = {"calibrate=sigmoid multiclass=ovr", "calibrate=isotonic",
                                           "calibrate=temperature"};
    (void)state;
    for (size_t s = 0; s < 6; s++) {
        tlu_model *model = train(s % 2 ? "2.svm" : "3.svm", settings[s / 2]);
        struct file file = saved(model);
        size_t at = find(&file, "CALB") + 12, size = length_at(&file, at - 12);
        for (size_t cut = 0; cut < size; cut++)
            expect(&file, "CALB", file.bytes + at, cut, "");
        for (size_t i = 0; i < size; i++)
            for (unsigned change = 1; change < 256; change *= 2) {
                file.bytes[at + i] ^= (unsigned char)change;
                struct file new = with(&file, "CALB", file.bytes + at, size);
                file.bytes[at + i] ^= (unsigned char)change;
                use(new.bytes, new.size);
                free(new.bytes);
            }
        free(file.bytes);
        tlu_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calibrations_byte_by_byte),
        cmocka_unit_test(a_model_with_a_threshold_leaves_the_first_alone),
        cmocka_unit_test(a_threshold_changes_nothing_else),
        cmocka_unit_test(forged_calibrations_are_named),
        cmocka_unit_test(forged_thresholds_are_named),
        cmocka_unit_test(changes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
