// Model files that are cut, flipped or forged, and files that are no models: always a clean error
// that says what is wrong.
#include "model_bytes.h"
#include "model_shapes.h"

static void assert_refused(const struct bytes *file, const char *message)
{
    tlu_model *model = NULL;
    tlu_error error = {0};
    // In memory of just this size, so that a read past the end is seen.
    unsigned char *exact = malloc(file->size ? file->size : 1);
    assert_non_null(exact);
    if (file->size)
        memcpy(exact, file->data, file->size);
    tlu_status status = tlu_model_load_bytes(exact, file->size, &model, &error);
    free(exact);
    if (status != TLU_ERROR_INPUT)
        fail_msg("loaded, but expected: %s", message);
    assert_null(model);
    if (!strstr(error.text, message))
        fail_msg("expected: %s\nfound: %s", message, error.text);
}

// Scores can be anything but not out of bounds.
static void use(const tlu_model *model)
{
    size_t features = tlu_model_feature_count(model);
    double *scores = malloc(tlu_model_score_count(model) * sizeof *scores);
    uint32_t last = features ? (uint32_t)features - 1 : 0;
    tlu_row row = {.count = features > 0, .features = &last};
    assert_non_null(scores);
    size_t class_index; // damaged weights may be so large that a score overflows
    if (tlu_model_predict(model, &row, &class_index, scores, NULL) == TLU_OK)
        assert_true(class_index < tlu_model_class_count(model));
    for (size_t i = 0; i < tlu_model_support_count(model); i++) {
        tlu_support support;
        assert_int_equal(tlu_model_support(model, i, &support, NULL), TLU_OK);
        assert_true(support.class_index < tlu_model_class_count(model) ||
                    (support.class_index == TLU_NONE && tlu_model_is_multilabel(model)));
    }
    free(scores);
}

// Loads or does not, but cleanly; what was loaded can be used, saved and loaded again.
static void load_somehow(const struct bytes *file, size_t *loaded)
{
    tlu_model *model = NULL;
    tlu_error error = {0};
    unsigned char *exact = malloc(file->size);
    assert_non_null(exact);
    memcpy(exact, file->data, file->size);
    tlu_status status = tlu_model_load_bytes(exact, file->size, &model, &error);
    free(exact);
    if (status == TLU_OK)
        use(model);
    if (status == TLU_OK && ++*loaded % 16 == 0) { // writing takes time
        struct bytes again = saved(model);
        tlu_model_free(load(&again));
        free(again.data);
    } else if (status != TLU_OK) {
        assert_int_equal(status, TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, "the model"));
        assert_null(model);
    }
    tlu_model_free(model);
}

static void says_what_a_file_is_instead(void **state)
{
    (void)state;
    static const struct {
        struct payload start;
        const char *message;
    } cases[] = {
        {PAYLOAD(""), "not a tlu model: it is empty"},
        {PAYLOAD("+1 1:0.5 2:3\n"),
         "not a tlu model, but text, perhaps data; give a model that tlu train made"},
        {PAYLOAD("\xC3\xA4,b\r\n1,2\r\n"),
         "not a tlu model, but text, perhaps data; give a model that tlu train made"},
        {PAYLOAD("\x1F\x8B\x08\0\0"),
         "not a tlu model, but a compressed file; give a model that tlu train made"},
        {PAYLOAD("\x28\xB5\x2F\xFD\0"),
         "not a tlu model, but a compressed file; give a model that tlu train made"},
        {PAYLOAD("\x7F"
                 "ELF\2\1\1\0\0\0\0\0\0\0\0\0\0\0\0"),
         "not a tlu model"},
        {PAYLOAD("\x89TLU\n\x1A\n\1\0\0\0\0\0\0\0\0"), "line ends were changed"},
        {PAYLOAD("\x89TL"), "cut short: it has only 3 bytes"},
        {PAYLOAD("\x89TLU\r\n\x1A\n\3\0\0\0"),
         "made by a newer version (format 3), and this is tlu " TLU_VERSION
         ", which reads format 2; install the newer one, or train again"},
        {PAYLOAD("\x89TLU\r\n\x1A\n\0\0\0\0"), "damaged: there is no format 0"},
    };
    tlu_error error;
    tlu_model *model = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes file = {0};
        put(&file, cases[i].start.bytes, cases[i].start.size);
        assert_refused(&file, cases[i].message);
        FILE *stream = fopen("other", "wb"); // from a file, with its name
        assert_non_null(stream);
        if (file.size)
            assert_int_equal(fwrite(file.data, 1, file.size, stream), file.size);
        assert_int_equal(fclose(stream), 0);
        assert_int_equal(tlu_model_load("other", &model, &error), TLU_ERROR_INPUT);
        assert_ptr_equal(strstr(error.text, "other: "), error.text);
        assert_non_null(strstr(error.text, cases[i].message));
        free(file.data);
    }
    assert_int_equal(tlu_model_load("no such file", &model, &error), TLU_ERROR_INPUT);
    assert_int_equal(tlu_model_load(".", &model, &error), TLU_ERROR_INPUT);
}

static void every_cut_is_noticed(void **state)
{
    (void)state;
    size_t loaded = 0;
    for (int i = 0; i < ALL_MODELS; i++) {
        struct bytes file = whole(all_models[i]), longer = {0};
        put(&longer, file.data, file.size);
        put(&longer, "x", 1);
        assert_refused(&longer, "damaged: 1 bytes follow its end");
        free(longer.data);
        for (size_t size = 1; size < file.size; size++) {
            struct bytes cut = {file.data, size, 0};
            assert_refused(&cut, "the model is cut short");
        }
        for (size_t size = file.size - 1; size >= 24; size--) { // with size and checksum made right
            file.size = size;
            seal(&file);
            load_somehow(&file, &loaded);
        }
        free(file.data);
    }
    assert_int_equal(loaded, 0);
}

// A section that is cut, with its length made right.
static void every_cut_of_a_section_is_noticed(void **state)
{
    (void)state;
    size_t loaded = 0;
    for (int i = 0; i < ALL_MODELS; i++)
        for (int which = 0; which < SECTIONS; which++)
            for (size_t size = 0; size < all_models[i][which].size; size++) {
                struct payload cut = {all_models[i][which].bytes, size};
                struct bytes file = assemble(all_models[i], which, cut);
                load_somehow(&file, &loaded);
                free(file.data);
            }
    assert_int_equal(loaded, 0);
}

static void every_flip_is_noticed(void **state)
{
    (void)state;
    for (int k = 0; k < ALL_MODELS; k++) {
        struct bytes file = whole(all_models[k]);
        for (size_t i = 0; i < file.size; i++) {
            for (int bit = 0; bit < 8; bit++) {
                file.data[i] ^= (unsigned char)(1 << bit);
                assert_refused(&file, i < 8 ? "" : "the model ");
                file.data[i] ^= (unsigned char)(1 << bit);
            }
        }
        free(file.data);
    }
}

// Larger models with random bytes in them.
static void forged_shapes_do_no_harm(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 7);
    size_t loaded = 0;
    for (int k = 0; k < 60; k++) {
        struct shape shape;
        some_shape(&random, &shape);
        tlu_model *model = some_model(&random, &shape);
        struct bytes original = saved(model), file = {0};
        tlu_model_free(model);
        for (int i = 0; i < 100; i++) {
            file.size = 0;
            put(&file, original.data, original.size);
            file.data[20 + random_below(&random, file.size - 24)] =
                (unsigned char)random_bits(&random);
            seal(&file);
            load_somehow(&file, &loaded);
        }
        free(original.data);
        free(file.data);
    }
    assert_true(loaded > 100);
}

// With the checksum made right, so that what comes after it has to notice.
static void forged_files_do_no_harm(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 5);
    size_t loaded = 0, tries = 0;
    for (int k = 0; k < ALL_MODELS; k++) {
        struct bytes original = whole(all_models[k]), file = {0};
        for (size_t i = 20; i < original.size - 4; i++) {
            for (int value = 0; value < 256; value += value < 8 || value > 246 ? 1 : 17) {
                file.size = 0;
                put(&file, original.data, original.size);
                file.data[i] = (unsigned char)value;
                seal(&file);
                load_somehow(&file, &loaded);
                tries++;
            }
        }
        for (int i = 0; i < 3000; i++) {
            file.size = 0;
            put(&file, original.data, original.size);
            for (uint64_t n = 1 + random_below(&random, 4); n > 0; n--)
                file.data[20 + random_below(&random, file.size - 24)] =
                    (unsigned char)random_bits(&random);
            seal(&file);
            load_somehow(&file, &loaded);
            tries++;
        }
        free(original.data);
        free(file.data);
    }
    assert_in_range(loaded, 100, tries / 2);
}

#define COUNT_HUGE "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"   // 2^63 - 1
#define COUNT_64 "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01" // 2^64 - 1
#define COUNT_65 "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"
#define ZERO "\x00\x00\x00\x00\x00\x00\x00\x00"
#define HALF "\x00\x00\x00\x00\x00\x00\xE0\x3F"
#define SCALES "\x16\0\0\0\x3F\1\0\1\0" // of `alive`
#define LINES "\2\2\1\2\5\1\0\1\0"      // of `voted`: lines, classes, alphas

// clang-format off
static const struct forgery {
    const struct payload *payloads;
    int which;
    struct payload other;
    const char *message;
} forgeries[] = {
    {small, VERS, PAYLOAD("\4a\0bc"), "VERS: a text has a NUL inside"},
    {small, VERS, PAYLOAD("\3abcd"), "VERS: bytes are left over"},
    {small, VERS, PAYLOAD("\5abcd"), "VERS: the section is too short for 5 bytes of text"},
    {small, VERS, PAYLOAD(COUNT_64), "VERS: the section is too short for 18446744073709551615 bytes"},
    {small, VERS, PAYLOAD(COUNT_65), "VERS: a count has more than 64 bits"},
    {small, VERS, PAYLOAD(""), "VERS: it ends too early"},
    {small, VERS, {NULL, 0}, "section VERS is missing"},
    {small, REPT, {NULL, 0}, "section REPT is missing"},
    {small, CLAS, {NULL, 0}, "section CLAS is missing"},
    {tall, COLS, {NULL, 0}, "section COLS is missing"},
    {small, COLS, PAYLOAD(",\1\1\1y\2"), "COLS: the model is not of a table"},

    {small, OPTS, PAYLOAD("\1\006decide\004luck\1"), "--decide luck, which tlu " TLU_VERSION},
    {small, OPTS, PAYLOAD("\1\007learner\004spam\1"), "--learner spam, which tlu " TLU_VERSION},
    {dual, OPTS, PAYLOAD("\1\007classes\004tree\1"), "--multiclass tree, which tlu " TLU_VERSION},
    {dual, OPTS, PAYLOAD("\1\006kernel\006cosine\1"), "--kernel cosine, which tlu " TLU_VERSION},
    {dual, OPTS, PAYLOAD("\1\010schedule\003log\1"), "--schedule log, which tlu " TLU_VERSION},
    {small, OPTS, PAYLOAD("\2\006decide\004last\1\006decide\004last\1"), "decide is there twice"},
    {small, OPTS, PAYLOAD("\1\006decide\004last\2"), "OPTS: a flag is 2"},
    {small, OPTS, PAYLOAD(COUNT_HUGE), "OPTS: the section is too short for"},
    {small, OPTS, PAYLOAD("\0"), "WGHT: the sums for the average are missing"},
    {tall, OPTS, PAYLOAD("\1\006decide\004last\1"), "WGHT: the sums for the average should not"},

    {small, FEAT, PAYLOAD("\6\0\0"), "FEAT: the kind of data is 6"},
    {small, FEAT, PAYLOAD("\1\3\1\1\1\0"), "FEAT: only LIBSVM has numbered features"},
    {small, FEAT, PAYLOAD("\0" COUNT_HUGE), "FEAT: the section is too short for"},
    {small, FEAT, PAYLOAD("\0\1" COUNT_64 "\0"), "FEAT: the index of a feature is past 1048575"},
    {small, FEAT, PAYLOAD("\0\2\xFF\xFF\x3F\0\0"), "FEAT: the index of a feature is past 1048575"},
    {small, FEAT, PAYLOAD("\0\0" COUNT_HUGE), "FEAT: the section is too short for"},
    {small, FEAT, PAYLOAD("\0\0\3\1a\1b\1a"), "FEAT: two names of features are the same"},
    {small, FEAT, PAYLOAD("\0\2\1\1\1\0013"), "FEAT: feature 3 is there twice"},

    {tall, COLS, PAYLOAD("\"\1\1\1y\2"), "COLS: byte 34 is no delimiter"},
    {tall, COLS, PAYLOAD("\0\1\1\1y\2"), "COLS: byte 0 is no delimiter"},
    {tall, COLS, PAYLOAD(",\1\1\1y\5"), "COLS: the kind of a column is 5"},
    {tall, COLS, PAYLOAD(",\1\2\1y\2\1z\2"), "COLS: not exactly one column is the label"},
    {tall, COLS, PAYLOAD(",\1\1\1z\3"), "COLS: not exactly one column is the label"},
    {tall, COLS, PAYLOAD(",\1\2\1y\2\1z\0\2"), "COLS: a column has feature 2"},
    {tall, COLS, PAYLOAD(",\1\2\1y\2\1z\0" COUNT_64), "COLS: a column has feature 18446744073709"},
    {tall, COLS, PAYLOAD(",\1" COUNT_HUGE), "COLS: the section is too short for"},

    {small, CLAS, PAYLOAD("\1\0\1a\1a\1"), "CLAS: a model cannot have 1 classes"},
    {small, CLAS, PAYLOAD("\0"), "CLAS: a model cannot have 0 classes"},
    {small, CLAS, PAYLOAD(COUNT_HUGE), "CLAS: the section is too short for"},
    {small, CLAS, PAYLOAD("\2\2\1a\1a\1\1b\1b\1"), "CLAS: the positive class is 2"},
    {small, CLAS, PAYLOAD("\2\1\1a\1a\1\1a\1b\1"), "CLAS: two labels are the same"},
    {small, CLAS, PAYLOAD("\2\1\1a\1a\1\1b\1a\1"), "CLAS: label 1 is not spelled as it is"},
    {small, CLAS, PAYLOAD("\2\1\1a\1a\1\002+1\002+1\1"), "CLAS: label 1 is not spelled as it is"},
    {small, CLAS, PAYLOAD("\3\1a\1a\1\1b\1b\1\1c\1c\1"), "WGHT: "}, // another number of columns

    {tall, SCAL, PAYLOAD("\0\5\1\0\1\0\0"), "SCAL: the kind of scaling is 0"},
    {tall, SCAL, PAYLOAD("\3\5\1\0\1\0\0"), "SCAL: the kind of scaling is 3"},
    {tall, SCAL, PAYLOAD("\2\2\x00\x00\x80\x7F\0"), "SCAL: a number is not finite"},
    {tall, SCAL, PAYLOAD("\2\x15\1\0\1\0\0"), "SCAL: there are codes after the last number"},

    {dual, SUPP, PAYLOAD("\0\2\0"), "SUPP: a model cannot keep 0 rows"},
    {dual, SUPP, PAYLOAD(COUNT_HUGE), "SUPP: the section is too short for"},
    {dual, SUPP, PAYLOAD("\2\3\2" LINES "\1\1\0\2"), "SUPP: the kind of rows is 3"},
    {dual, SUPP, PAYLOAD("\2\0" LINES), "SUPP: the rows are missing"},
    {widest, SUPP, PAYLOAD("\2\1\2" LINES "\1\1\0\2"), "SUPP: the rows should not be there"},
    {small, SUPP, PAYLOAD("\2\0" LINES), "SUPP: rows should not be there"},
    {voted, SUPP, PAYLOAD("\2\1" COUNT_HUGE), "SUPP: the section is too short for"},
    {voted, SUPP, PAYLOAD("\2\1\2\2\2\1\3\5\1\0\1\0\1\1\0\2"), "SUPP: a row is of class 3"},
    {voted, SUPP, PAYLOAD("\2\1\2\2\2\1\2\5\1\0\xFF\xFF\1\1\0\2"), "SUPP: an alpha is negative"},
    {voted, SUPP, PAYLOAD("\2\1\2" LINES "\1\2\0\2"), "SUPP: the rows have more entries than"},
    {voted, SUPP, PAYLOAD("\2\1\2" LINES "\0\1\0\2"), "SUPP: the rows have fewer entries than"},
    {voted, SUPP, PAYLOAD("\2\1\2" LINES "\1\1\0\4"), "SUPP: a row has feature 2, which is not"},
    {voted, SUPP, PAYLOAD("\2\1\2" LINES "\1\1\0\1"), "SUPP: a row has feature 1844674407"},
    {voted, SUPP, PAYLOAD("\2\1\2" LINES "\2\0\2\0"), "SUPP: a row has feature 1 twice"},
    {voted, SUPP, PAYLOAD("\2\2\2" LINES "\1\1\0\2\1\1\0"), "SUPP: a value is 0"},
    {voted, SUPP, PAYLOAD("\2\2\2" LINES "\1\1\0\2\7" HALF "\1\0"), "SUPP: a value has too many"},
    {voted, SUPP, PAYLOAD("\2\2\2" LINES "\1\1\0\2\xA\0\0\x80\x7F\0\0\x80\x3F"),
     "SUPP: a number is not finite"},
    {dual, SUPP, {NULL, 0}, "WGHT: bytes are left over"},

    {small, WGHT, PAYLOAD("\0\0" STEPS_3 "\0\3\x00\x00\x00\x00\x00\x00\xF8\x7F"),
     "WGHT: a number is not finite"},
    {small, WGHT, PAYLOAD("\0\0\x00\x00\x00\x00\x00\x00\xF0\xBF\0\0"),
     "WGHT: the number of steps is too small"},
    {tall, WGHT, PAYLOAD("\1\0" ZERO "\0\0\0\0\0\0"), "WGHT: the number of steps is too small"},
    {tall, WGHT, PAYLOAD("\1\0" STEPS_3 "\0\0\0\0\0"), "WGHT: it ends too early"},
    {tall, WGHT, PAYLOAD("\1\0" STEPS_3 "\0\0\0\0\0\0\0"), "WGHT: bytes are left over"},
    {small, WGHT, PAYLOAD("\0\0" STEPS_3 "\0\x40"), "WGHT: there are codes after the last"},
    {voted, WGHT, PAYLOAD("\0\0\0\0\0\0\0\0\xF0\xFE\0\0\0"), // about -1e303
     "WGHT: the number of steps is too small"},
    {voted, WGHT, PAYLOAD("\0\0" ZERO "\0\0\0"), "WGHT: the number of steps is too small"},
    {small, WGHT, PAYLOAD("\0\0\0\0\0\0\0\0\x50\x43\0\0\0"), // 2^54; 1.5 is that of a mixture
     "WGHT: the number of steps is not whole"},
    {voted, WGHT, PAYLOAD("\0\0\0\0\0\0\0\0\xF8\x3F\0\0\0"), // 1.5
     "WGHT: the number of steps is not whole"},
    {voted, WGHT, PAYLOAD("\0\0\0\0\0\0\0\0\x50\x43\0\0\0"), // 2^54
     "WGHT: the number of steps is not whole"},
    {small, WGHT, PAYLOAD("\0\1" STEPS_3 ZERO "\0\0\0\0"), "WGHT: the states should not be"},
    {stated, WGHT, PAYLOAD("\0\0" STEPS_3 "\0\0"), "WGHT: the states are missing"},
    {dual, OPTS, PAYLOAD("\3\007classes\003ovr\1\006kernel\6poly:2\1\010schedule\007adagrad\1"),
     "WGHT: the states are missing"},
    {widest, WGHT, PAYLOAD("\1\0" STEPS_3 "\0\0\0\0"), "WGHT: the sums for the average should not"},

    {small, REPL, PAYLOAD("\1\x21\1\0\1\0"), "REPL: steps should not be there"},
    {voted, REPL, PAYLOAD("\0"), "REPL: there are no steps"},
    {voted, REPL, PAYLOAD(COUNT_HUGE), "REPL: the section is too short for"},
    {voted, REPL, PAYLOAD("\1\x23\1\0\1\1\0"), "REPL: a step has a sign that cannot be"},
    {voted, REPL, PAYLOAD("\1\xA1\1\0\1"), "REPL: the amount of a step cannot be read"},
    {voted, REPL, PAYLOAD("\1\x01\0\0\1"), "REPL: a step comes before the first example"},
    {voted, REPL, PAYLOAD("\1\x01\5\0\1"), "REPL: a step comes after the end"},
    {voted, REPL, PAYLOAD("\1\x01" COUNT_64 "\0\1"), "REPL: a step comes after the end"},
    {voted, REPL, PAYLOAD("\2\x01\4\0\1\x01\1\0\1"), "REPL: a step comes after the end"},
    {voted, REPL, PAYLOAD("\1\x01\1\4\1"), "REPL: there is no row 2"},
    {voted, REPL, PAYLOAD("\1\x01\1\1\1"), "REPL: there is no row 18446744073709551615"},
    {voted, REPL, PAYLOAD("\1\x01\1\0\3"), "REPL: there is no column 3"},
    {voted, REPL, PAYLOAD("\1\x10\1\0\0\0\0\0\0\0\xF0\x7F"), "REPL: a number is not finite"},
    {voted, OPTS, PAYLOAD("\2\006decide\004vote\1\007classes\003ovr\1"),
     "REPL: a step has a sign that cannot be"},
    {voted, SUPP, {NULL, 0}, "REPL: there is no row 0"},

    {voted, GAIN, PAYLOAD("\0"), "GAIN: gains are kept without need"},
    {gained, REPL, {NULL, 0}, "GAIN: gains are kept without need"},
    {gained, GAIN, {NULL, 0}, "section GAIN is missing"},
    {gained, GAIN, PAYLOAD(COUNT_HUGE), "GAIN: the section is too short for"},
    {gained, GAIN, PAYLOAD(COUNT_64), "GAIN: the section is too short for"},
    {gained, GAIN, PAYLOAD("\3\0"), "GAIN: the steps do not have 3 gains"},
    {gained, GAIN, PAYLOAD("\5\0\0"), "GAIN: the steps do not have 5 gains"},
    {gained, GAIN, PAYLOAD("\4\0\0"), "GAIN: bytes are left over"},
    {gained, GAIN, PAYLOAD("\4\1"), "GAIN: it ends too early"},
    {gained, GAIN, PAYLOAD("\4\3\0\0\0\0\0\0\xF0\x7F"), "GAIN: a number is not finite"},
    {gained, OPTS, PAYLOAD("\3\7learner\4arow\1\6decide\4vote\1\7no-bias\3yes\1"),
     "GAIN: the steps do not have 4 gains"},

    {small, RAND, PAYLOAD("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
     "RAND: a state of nothing but zeros"},
    {small, RAND, PAYLOAD("\1\0\0\0\0\0\0\0"), "RAND: it ends too early"},

    {small, ORIG, PAYLOAD("\0"), "ORIG: it should not be there"},
    {small, ORIG, PAYLOAD("\4"), "ORIG: how the model was made is 4, which is past 3"},
    {small, ORIG, PAYLOAD("\1\1"), "ORIG: bytes are left over"},
    {small, REPT, PAYLOAD("\0\0\0\0\0\0\0\4soon\0\0\0\0\0"), "REPT: a name is not one of those"},
    {small, REPT, PAYLOAD("\0\0\0\0\0\0\0\0\0\2xy\0\0\0"), "REPT: a name is not one of those"},
    {small, REPT, PAYLOAD("\0\0\0\0\0\0\0\0\0\0\2\1\7\0"), "REPT: the best pass is past the last"},
    {small, REPT, PAYLOAD("\0\0\0\0\0\0\0\0\0\0\0" COUNT_HUGE), "REPT: the section is too short for"},

    {dual, LIVE, PAYLOAD("\1\2\1\0"), "LIVE: it should not be there"},
    {voted, LIVE, PAYLOAD("\1\2\1\0"), "LIVE: it should not be there"},
    {widest, LIVE, PAYLOAD("\1\1\0"), "LIVE: it should not be there"},
    {small, LIVE, PAYLOAD("\0"), "LIVE: it has no part"},
    {small, LIVE, PAYLOAD("\x20"), "LIVE: the list of parts is 32"},
    {small, LIVE, PAYLOAD("\1\0"), "LIVE: it ends too early"},
    {small, LIVE, PAYLOAD("\1\1\0\0"), "LIVE: bytes are left over"},
    {small, LIVE, PAYLOAD("\1\1\2"), "LIVE: there is no class 2"},
    {small, LIVE, PAYLOAD("\1" COUNT_64 "\0"), "LIVE: there is no class 18446744073709551615"},
    {alive, LIVE, PAYLOAD("\1\2\0\2"), "LIVE: class 2 is there twice"},
    {tall, LIVE, PAYLOAD("\2\1\0"), "LIVE: only LIBSVM has numbered features"},
    {small, LIVE, PAYLOAD("\2\4\4"), "LIVE: there are no indices from 4 to before 4"},
    {small, LIVE, PAYLOAD("\2\x81\x80\x40\1"), "LIVE: there are no indices from 1 to before 104"},
    {small, LIVE, PAYLOAD("\2" COUNT_64 "\1"), "LIVE: there are no indices from 1 to before 18446"},
    {small, LIVE, PAYLOAD("\2\3\1"), "LIVE: a feature is not among the indices that occurred"},
    {small, LIVE, PAYLOAD("\2\4\2"), "LIVE: a feature is not among the indices that occurred"},
    {small, LIVE, PAYLOAD("\2\0"), "LIVE: a feature is not among the indices that occurred"},
    {small, LIVE, PAYLOAD("\4\0\0"), "LIVE: squares and updates should not be there"},
    {small, LIVE, PAYLOAD("\x08" SCALES), "LIVE: scales should not be there"},
    {alive, LIVE, PAYLOAD("\4\2\0\0\x80\x7F\0\0\0"), "LIVE: a number is not finite"},
    {alive, LIVE, PAYLOAD("\4\0\0\0" COUNT_65), "LIVE: a count has more than 64 bits"},
    {alive, LIVE, PAYLOAD("\4\0\0\0"), "LIVE: it ends too early"},
    {alive, LIVE, PAYLOAD("\x08\x15\1\0\1\0\1\0\0\0\0\0"), "LIVE: scales should not be there"},
    {alive, LIVE, PAYLOAD("\x08\x14\1\0\1\0\0\0\0\0"), "LIVE: a scale is not between 1e-05 and"},
    {alive, LIVE, PAYLOAD("\x08\x16\0\0\x80\x4F\1\0\1\0\0\0\0\0"), // 2^32
     "LIVE: a scale is not between 1e-05 and"},
    {alive, LIVE, PAYLOAD("\x08" SCALES "\0\1\4\0\0\0"), "LIVE: a sum is of a step that is still"},
    {alive, LIVE, PAYLOAD("\x08" SCALES "\0\1\xFF\xFF\0\0"), "LIVE: a sum is of a step that is"},
    {alive, LIVE, PAYLOAD("\x08" SCALES "\0\0\0"), "LIVE: it ends too early"}, // no u
    {alive, LIVE, PAYLOAD("\x08" SCALES "\0\0\0\0\0"), "LIVE: bytes are left over"},
    {small, LIVE, PAYLOAD("\x10\1\0"), "LIVE: states that were written should not be there"},
    {stated, LIVE, PAYLOAD("\x10\0"), "LIVE: there are no states that were written"},
    {stated, LIVE, PAYLOAD("\x10\1\0"), "LIVE: a state is not what it started with"},
    {stated, LIVE, PAYLOAD("\x10\1\2"), "LIVE: there is no such state"},
    {stated, LIVE, PAYLOAD("\x10\2\1\0"), "LIVE: there is no such state"},
    {stated, LIVE, PAYLOAD("\x10\1" COUNT_64), "LIVE: there is no such state"},
    {stated, LIVE, PAYLOAD("\x10\2\1"), "LIVE: the section is too short for 2 states"},
    {stated, LIVE, PAYLOAD("\x10\1\1\0"), "LIVE: bytes are left over"},
};
// clang-format on

static void forgeries_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
        const struct forgery *f = &forgeries[i];
        struct bytes file = assemble(f->payloads, f->which, f->other);
        assert_refused(&file, f->message);
        free(file.data);
    }
}

// The pairs of many classes: they are no more believed in, and their number has to fit.
static void pairs_are_not_believed(void **state)
{
    (void)state;
    static const int counts[] = {3000, 70000};
    static const char *const messages[] = {"WGHT: the section is too short for 4498500 numbers",
                                           "CLAS: 70000 classes have too many pairs"};
    for (int k = 0; k < 2; k++) {
        struct bytes classes = {0};
        for (int n = counts[k]; n; n >>= 7) {
            unsigned char byte = (unsigned char)((n & 127) | (n >> 7 ? 128 : 0));
            put(&classes, &byte, 1);
        }
        for (int i = 0; i < counts[k]; i++) {
            char label[24];
            int n = snprintf(label, sizeof label, "\6%06d\6%06d\1", i + 100000, i + 100000);
            put(&classes, label, (size_t)n);
        }
        struct payload sections[SECTIONS] = {
            [VERS] = small[VERS],
            [OPTS] = PAYLOAD("\2\006decide\004last\1\007classes\003ovo\1"),
            [FEAT] = PAYLOAD("\0\0\0"),
            [CLAS] = {(const char *)classes.data, classes.size},
            [WGHT] = PAYLOAD("\0\0" STEPS_3 "\0\0"),
        };
        struct bytes file = whole(sections);
        assert_refused(&file, messages[k]);
        free(classes.data);
        free(file.data);
    }
}

static void sections_have_their_order(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        struct bytes file = {0};
        put(&file, "\x89TLU\r\n\x1A\n\1\0\0\0\0\0\0\0\0\0\0\0", 20);
        put_section(&file, tags[VERS], small[VERS].bytes, small[VERS].size);
        put_section(&file, tags[twice ? VERS : FEAT], small[twice ? VERS : FEAT].bytes,
                    small[twice ? VERS : FEAT].size);
        put(&file, "crc?", 4);
        seal(&file);
        assert_refused(&file, twice ? "section VERS is there twice" : "section OPTS is missing");
        free(file.data);
    }
    struct bytes file = {0}; // a section that would go on after the end
    put(&file, "\x89TLU\r\n\x1A\n\1\0\0\0\0\0\0\0\0\0\0\0VERS\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 32);
    put(&file, "crc?", 4);
    seal(&file);
    assert_refused(&file, "a section is longer than the file");
    free(file.data);
}

// Few bytes that claim many weights: 2^20 features and 3000 classes would take 25 GB.
static void claims_are_not_believed(void **state)
{
    (void)state;
    struct bytes features = {0}, classes = {0}, file = {0};
    put(&features, "\0\xC0\x84\x3D", 4); // 1000000
    for (int i = 0; i < 1000000; i++)
        put(&features, "", 1);
    put(&features, "", 1);
    put(&classes, "\xB8\x17", 2); // 3000
    for (int i = 0; i < 3000; i++) {
        char label[16];
        int n = snprintf(label, sizeof label, "\4%04d\4%04d\1", i, i);
        put(&classes, label, (size_t)n);
    }
    put(&file, "\x89TLU\r\n\x1A\n\1\0\0\0\0\0\0\0\0\0\0\0", 20);
    put_section(&file, "VERS", small[VERS].bytes, small[VERS].size);
    put_section(&file, "OPTS", small[OPTS].bytes, small[OPTS].size);
    put_section(&file, "FEAT", features.data, features.size);
    put_section(&file, "CLAS", classes.data, classes.size);
    put_section(&file, "WGHT", small[WGHT].bytes, small[WGHT].size);
    put(&file, "crc?", 4);
    seal(&file);
    assert_refused(&file, "WGHT: the section is too short for 3000000000 numbers");
    free(features.data);
    free(classes.data);
    free(file.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_a_file_is_instead),
        cmocka_unit_test(every_cut_is_noticed),
        cmocka_unit_test(every_cut_of_a_section_is_noticed),
        cmocka_unit_test(forged_shapes_do_no_harm),
        cmocka_unit_test(pairs_are_not_believed),
        cmocka_unit_test(every_flip_is_noticed),
        cmocka_unit_test(forged_files_do_no_harm),
        cmocka_unit_test(forgeries_are_named),
        cmocka_unit_test(sections_have_their_order),
        cmocka_unit_test(claims_are_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
