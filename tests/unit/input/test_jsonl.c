// JSON lines.
#include "input/parse.h"
#include "reading.h"

#define J "format=jsonl"

static void rows(void **state)
{
    (void)state;
    assert_string_equal(
        rows_of("{\"label\": \"spam\", \"text\": \"win a prize, win\", \"features\": "
                "{\"length\": 11.5, \"from\": \"x\"}, \"weight\": 2}\n",
                NULL),
        "spam win:2 a:1 prize:1 ,:1 length:11.5 from=x:1\n");
    assert_string_equal(rows_of("{\"label\":1}\n {\"label\":-1.5e0 } \r\n\n{\"label\":true}\n", J),
                        "1\n-1.5e0\ntrue\n");
    assert_string_equal(rows_of("{\"label\":[\"a\"],\"text\":null,\"features\":null}\n", J), "a\n");
    assert_string_equal(rows_of("{\"id\":[1e999,{\"label\":\"no\"}],\"label\":\"a\"}\n", J), "a\n");
}

static void features(void **state)
{
    (void)state;
#define F(features) "{\"label\":\"x\",\"features\":" features "}\n"
    assert_string_equal(
        rows_of(F("{\"a\":1,\"b\":true,\"c\":false,\"d\":null,\"e\":0,\"f\":\"\"}"), J),
        "x a:1 b:1 f=:1\n");
    assert_string_equal(rows_of(F("{\"u\":{\"age\":30,\"city\":\"Paris\",\"v\":{\"w\":-2}}}"), J),
                        "x u^age:30 u^city=Paris:1 u^v^w:-2\n");
    assert_string_equal(rows_of(F("{\"v\":[1,0,2.5],\"tags\":[\"p\",\"q\",true,[7]]}"), J),
                        "x v^0:1 v^2:2.5 tags=p:1 tags=q:1 tags^2:1 tags^3^0:7\n");
    assert_string_equal(rows_of(F("[0.5, \"red\", 0, {\"k\": 3}]"), J), "x 0:0.5 red:1 3^k:3\n");
    // The same name again adds up.
    assert_string_equal(rows_of(F("{\"a\":1,\"a\":2,\"b\":1,\"b\":-1}"), J), "x a:3\n");
    assert_string_equal(rows_of(F("{}"), J), "x\n");
}

static void strings(void **state)
{
    (void)state;
    assert_string_equal(rows_of("{\"label\":\"\\u0041\\u00e9\\n\\\"\\/\\\\\"}\n", J),
                        "A\xc3\xa9\n\"/\\\n");
    assert_string_equal(rows_of("{\"label\":\"\\uD83D\\uDE00\",\"text\":\"a\\tb\\u00a0c\"}\n", J),
                        "\xf0\x9f\x98\x80 a:1 b:1 c:1\n");
    assert_string_equal(rows_of("{\"l\\u0061bel\":\"x\"}\n", J), "x\n");
}

// What RFC 8259 does not allow.
static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *place;
    } cases[] = {
        {"[]", "1:1: expected an object"},
        {"{\"label\":\"a\"", "1:13: expected ',' or '}', found the end of the line"},
        {"{\"label\":\"a\"} x", "1:15: expected the end of the line, found 'x'"},
        {"{\"label\":\"a\",}", "1:14: expected a key in double quotes, found '}'"},
        {"{label:\"a\"}", "1:2: expected a key in double quotes, found 'label'"},
        {"{'label':\"a\"}", "1:2: expected a key"},
        {"{\"label\" \"a\"}", "1:10: expected ':', found '\"'"},
        {"{\"label\":a}", "1:10: expected a JSON value, found 'a'"},
        {"{\"label\":True}", "1:10: expected a JSON value, found 'True'"},
        {"{\"label\":nul}", "1:10: expected a JSON value"},
        {"{\"label\":01}", "1:10: expected a number, found '01'"},
        {"{\"label\":1.}", "1:10: expected a number"},
        {"{\"label\":.5}", "1:10: expected a JSON value"},
        {"{\"label\":+1}", "1:10: expected a JSON value"},
        {"{\"label\":-}", "1:10: expected a number"},
        {"{\"label\":1e}", "1:10: expected a number"},
        {"{\"label\":0x1}", "1:10: expected a number"},
        {"{\"label\":\"a}", "1:10: this quote is never closed"},
        {"{\"label\":\"\\x\"}", "1:11: expected an escape such as"},
        {"{\"label\":\"\\u12g4\"}", "1:11: expected an escape such as"},
        {"{\"label\":\"\\uD800\"}", "1:11: expected an escape such as"},
        {"{\"label\":\"\\uDC00\"}", "1:11: expected an escape such as"},
        {"{\"label\":\"\\u0000\"}", "1:11: expected a character other than NUL"},
        {"{\"label\":\"a\tb\"}", "1:12: a control character (\\x09) in a string"},
        {"{\"label\":\"a\xff\"}", "1:12: byte \\xff is not UTF-8"},
        {"{\"label\":\"a\\", "1:13: expected a character after '\\'"},
        {"{\"label\":\"\"}", "1:10: the label is empty"},
        {"{\"label\":{}}", "1:10: expected a JSON value, found '{'"},
        {"{\"label\":null}", "1:1: the row has no \"label\""},
        {"{\"label\":[]}", "1:1: the row has no \"label\""},
        {"{\"text\":\"a\"}", "1:1: the row has no \"label\""},
        {"{\"label\":1,\"label\":2}", "1:12: the key \"label\" occurs twice"},
        {"{\"label\":1,\"text\":2}", "1:19: expected a string in double quotes, found '2'"},
        {"{\"label\":1,\"features\":2}", "1:23: expected an object or an array, found '2'"},
        {"{\"label\":1,\"weight\":-2}", "1:21: expected a weight of 0 or more, found '-2'"},
        {"{\"label\":1,\"weight\":\"2\"}", "1:21: expected a number"},
        {"{\"label\":1,\"features\":{\"a\":1e39}}", "1:28: the value 1e39 is too large"},
        {"{\"label\":1,\"features\":{\"\":1}}", "1:28: a feature without a name"},
        {"{\"label\":1,\"features\":{\"a\":[1,]}}", "1:31: expected a JSON value, found ']'"},
        {"{\"label\":1,\"features\":{\"a\":3e38,\"a\":3e38}}",
         "1:41: the values of 'a' add up to more than 3.4e38"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "! the given text:%s", cases[i].place);
        const char *found = rows_of(cases[i].line, J);
        if (strncmp(found, expected, strlen(expected)) != 0)
            fail_msg("%s: expected %s, found %s", cases[i].line, expected, found);
        // Left out, it leaves nothing behind.
        char lines[300];
        snprintf(lines, sizeof lines, "{\"label\":\"u\",\"text\":\"p\"}\n%s\n{\"label\":\"v\"}\n",
                 cases[i].line);
        assert_string_equal(rows_of(lines, "format=jsonl skip-bad=yes"), "u p:1\nv\n");
        assert_int_equal(got.skipped, 1);
    }
}

static void depth_and_length(void **state)
{
    (void)state;
    char line[4000] = "{\"label\":\"x\",\"id\":";
    char *at = line + strlen(line);
    memset(at, '[', 63); // and the object around them
    memset(at + 63, ']', 63);
    strcpy(at + 126, "}\n");
    assert_string_equal(rows_of(line, J), "x\n");
    memset(at, '[', 64);
    memset(at + 64, ']', 64);
    strcpy(at + 128, "}\n");
    assert_non_null(
        strstr(rows_of(line, J), "more than 64 objects and arrays nested in one another"));
    strcpy(line, "{\"label\":\"x\",\"features\":{\"");
    at = line + strlen(line);
    memset(at, 'k', 1000);
    strcpy(at + 1000, "\":{\"a\":0}}}\n");
    assert_string_equal(rows_of(line, J), "x\n");
    memset(at, 'k', 1001);
    strcpy(at + 1001, "\":{\"a\":0}}}\n");
    assert_non_null(strstr(rows_of(line, J), "longer than 1000 bytes"));
}

static void weights(void **state)
{
    (void)state;
    static const char text[] =
        "{\"label\":\"x\"}\n{\"weight\":2.5,\"label\":\"x\"}\n{\"label\":\"y\"}\n";
    struct schema schema;
    schema_init(&schema);
    schema.format = DATA_JSONL;
    struct parser parser = {.schema = &schema, .labelled = true};
    struct bad_row bad;
    struct batch *batch = batch_new();
    assert_non_null(batch);
    assert_int_equal(jsonl_parse(&parser, text, strlen(text), batch, &bad), PARSE_OK);
    assert_int_equal(batch->rows, 3);
    assert_float_equal(batch_weight(batch, 0), 1, 0);
    assert_float_equal(batch_weight(batch, 1), 2.5, 0);
    assert_float_equal(batch_weight(batch, 2), 1, 0);
    // A part of the rows keeps its weights.
    struct subset subset = {.part = (uint32_t[]){0, 1, 1}, .rows = 3, .chosen = 1};
    assert_true(batch_select(batch, &subset, 0));
    assert_int_equal(batch->rows, 2);
    assert_float_equal(batch_weight(batch, 0), 2.5, 0);
    assert_float_equal(batch_weight(batch, 1), 1, 0);
    batch_free(batch);
    schema_free(&schema);
}

static void prediction(void **state)
{
    (void)state;
    tlu_model *model =
        model_of("{\"label\":\"a\",\"text\":\"x\"}\n{\"label\":\"b\",\"text\":\"y\"}\n", NULL);
    assert_string_equal(
        rows_for(model, "{\"text\":\"x new\"}\n{\"label\":\"c\",\"text\":\"y\"}\n{}\n", NULL),
        "- x:1\n? y:1\n-\n");
    assert_string_equal(rows_for(model, "__label__b y\n", NULL), "b y:1\n");
    const char *label;
    assert_int_equal(tlu_model_predict_line(model, "{\"text\":\"y\"}", &label, NULL, NULL), TLU_OK);
    assert_string_equal(label, "b");
    tlu_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),       cmocka_unit_test(features),         cmocka_unit_test(strings),
        cmocka_unit_test(refused),    cmocka_unit_test(depth_and_length), cmocka_unit_test(weights),
        cmocka_unit_test(prediction),
    };
    return cmocka_run_group_tests(tests, NULL, free_reading);
}
