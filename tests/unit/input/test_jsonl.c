// JSON: lines, arrays and objects of several lines; objects with "features", and records.
#include "base/fault.h"
#include "base/random.h"
#include "input/ids.h"
#include "input/json/objects.h"
#include "input/parse.h"
#include "reading.h"
#include "trials.h"

#define J "format=jsonl"

static void rows(void **state)
{
    (void)state;
    assert_string_equal(
        rows_of("{\"label\": \"spam\", \"text\": \"win a prize, win\", \"features\": "
                "{\"length\": 11.5, \"from\": \"x\"}, \"weight\": 2}\n",
                NULL),
        "spam text:win:2 text:a:1 text:prize:1 text:,:1 length:11.5 from=x:1\n");
    assert_string_equal(rows_of("{\"label\":1}\n {\"label\":-1.5e0 } \r\n\n{\"label\":true}\n", J),
                        "1\n-1.5e0\ntrue\n");
    assert_string_equal(rows_of("{\"label\":[\"a\"],\"text\":null,\"features\":null}\n", J), "a\n");
    // Without "features", other members make it a record.
    assert_string_equal(
        rows_of("{\"id\":[1e999,{\"label\":\"no\"}],\"features\":{},\"label\":\"a\"}\n", J), "a\n");
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
        {"7", "1:1: expected an object"},
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
        {"{\"label\":\"a}", "1:10: this quote is never closed; add the closing one"},
        {"{\"label\":\"\\x\"}", "1:11: expected an escape such as"},
        {"{\"label\":\"\\u12g4\"}", "1:11: expected an escape such as"},
        {"{\"label\":\"\\uD800\"}", "1:11: expected an escape such as"},
        {"{\"label\":\"\\uDC00\"}", "1:11: expected an escape such as"},
        {"{\"label\":\"\\u0000\"}", "1:11: expected a character other than NUL"},
        {"{\"label\":\"a\tb\"}", "1:12: a control character (\\x09) in a string"},
        {"{\"label\":\"a\xff\"}", "1:12: byte \\xff is not UTF-8"},
        {"{\"label\":\"a\\", "1:13: expected a character after '\\'"},
        {"{\"label\":\"\"}", "1:10: the label is empty; write it, or null"},
        {"{\"label\":{}}", "1:10: expected a JSON value, found '{'"},
        {"{\"label\":null}", "1:1: the row has no \"label\""},
        {"{\"label\":[]}", "1:12: the list of labels is empty; --multilabel"},
        {"{\"text\":\"a\"}", "1:1: the row has no \"label\""},
        {"{\"label\":1,\"label\":2}", "1:12: the key \"label\" occurs twice; write it once"},
        {"{\"label\":1,\"text\":2}", "1:19: expected a string in double quotes, found '2'"},
        {"{\"label\":1,\"features\":2}", "1:23: expected an object or an array, found '2'"},
        {"{\"label\":1,\"weight\":-2}", "1:21: expected a weight of 0 or more, found '-2'"},
        {"{\"label\":1,\"weight\":\"2\"}", "1:21: expected a number"},
        {"{\"label\":1,\"features\":{\"a\":1e39}}", "1:28: the value 1e39 is too large"},
        {"{\"label\":1,\"features\":{\"\":1}}", "1:28: a feature without a name; write its name"},
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
        snprintf(lines, sizeof lines,
                 "{\"label\":\"u\",\"text\":\"p\",\"features\":[]}\n%s\n{\"label\":\"v\"}\n",
                 cases[i].line);
        assert_string_equal(rows_of(lines, "format=jsonl skip-bad=yes"), "u text:p:1\nv\n");
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

// ---- records ----

// Single quotes in the place of double quotes.
static const char *quoted(const char *text)
{
    static char out[4][4000];
    static size_t next;
    char *copy = out[next++ % 4];
    assert_true(strlen(text) < sizeof out[0]);
    strcpy(copy, text);
    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return copy;
}

#define ROWS(text, settings) rows_of(quoted(text), settings)

static void records(void **state)
{
    (void)state;
    assert_string_equal(
        ROWS("{'age': 30, 'label': 'x', 'city': 'Paris', 'ok': true, 'no': false}\n"
             "{'label': 'y', 'later': {'a': [2, 'z']}, 'city': 'Rome', 'age': 0.5, 'weight': 3}\n",
             NULL),
        "x age:30 city=Paris:1 ok:1\ny later^a^0:2 later^a=z:1 city=Rome:1 age:0.5 weight:3\n");
    // Rows with "features" are not records, and neither are rows without other members.
    assert_string_equal(ROWS("{'label':'x','a':1}\n{'label':'y','features':{'a':2}}\n", NULL),
                        "x\ny a:2\n");
    assert_string_equal(ROWS("{'label':'x','text':'a b'}\n{'label':'y','weight':2}\n", NULL),
                        "x a:1 b:1\ny\n");
    // The type of each value counts: of members with several types, and of those that come later.
    assert_string_equal(
        ROWS("{'a':1,'b':'2','label':'x'}\n{'a':'1','b':3,'c':'z','label':'y'}\n", NULL),
        "x a:1 b=2:1\ny a=1:1 b:3 c=z:1\n");
    // A member occurs once: two numbers would add up, and a null beside a number is not missing.
    assert_string_equal(ROWS("{'a':1,'label':'x','a':2}\n", NULL),
                        "! the given text:1:20: the key \"a\" occurs twice; write it once");
    assert_string_equal(ROWS("{'a':1,'a':null,'label':'x'}\n", NULL),
                        "! the given text:1:8: the key \"a\" occurs twice; write it once");
    // Each row has its own.
    assert_string_equal(ROWS("{'a':1,'label':'x'}\n{'b':2,'a':1,'label':'y'}\n", NULL),
                        "x a:1\ny b:2 a:1\n");
    assert_string_equal(ROWS("{'a':1,'label':'x','label':'y'}\n", NULL),
                        "! the given text:1:20: the key \"label\" occurs twice; write it once");
    assert_string_equal(ROWS("{'':1,'label':'x'}\n", NULL),
                        "! the given text:1:6: a feature without a name; write its name");
}

static void label_of_records(void **state)
{
    (void)state;
    assert_string_equal(ROWS("{'a':1,'Class':'x'}\n", NULL), "x a:1\n");
    assert_string_equal(ROWS("{'a':1,'is_new':true}\n{'a':2,'is_new':false}\n", NULL),
                        "true a:1\nfalse a:2\n");
    assert_string_equal(ROWS("{'a':1,'c':2.50}\n", "label=c"), "2.50 a:1\n");
    assert_string_equal(ROWS("{'v1':'ham','v2':'see you at home then'}\n"
                             "{'v1':'spam','v2':'win a prize right now'}\n",
                             NULL),
                        "ham v2:see:1 v2:you:1 v2:at:1 v2:home:1 v2:then:1\n"
                        "spam v2:win:1 v2:a:1 v2:prize:1 v2:right:1 v2:now:1\n");
    assert_string_equal(ROWS("{'a':1,'label':['x']}\n", NULL), "x a:1\n");
    assert_string_equal(ROWS("{'a':1,'label':['x','y']}\n", "multilabel=yes"), "{x,y} a:1\n");
    assert_string_equal(ROWS("{'a':1,'label':['x','y']}\n", NULL),
                        "! the given text:1:21: the row has several labels; give --multilabel to "
                        "learn all of them");
    assert_string_equal(ROWS("{'a':1,'b':2}\n", NULL),
                        "! the given text: no member has a common label name such as label or "
                        "class; choose the label with --label NAME; the members are a, b");
    // A number is not the place of a member.
    assert_string_equal(
        ROWS("{'a':1,'b':2}\n", "label=1"),
        "! the given text: there is no member '1' for --label; the members are a, b");
    assert_string_equal(ROWS("{'a':1,'label':'x'}\n{'a':1}\n", NULL),
                        "! the given text:2:1: the row has no \"label\", which is the label");
    assert_string_equal(ROWS("{'a':1,'label':null}\n", NULL),
                        "! the given text:1:1: the row has no \"label\", which is the label");
}

static void options_for_records(void **state)
{
    (void)state;
#define TABLE "{'n':1,'s':'2','t':'a b','id':7,'label':'x'}\n"
    assert_string_equal(ROWS(TABLE, NULL), "x n:1 s=2:1 t=a b:1\n");
    assert_string_equal(ROWS(TABLE, "categorical=n numeric=s,id text=t"),
                        "x n=1:1 s:2 t:a:1 t:b:1 id:7\n");
    assert_string_equal(ROWS(TABLE, "ignore=n,s text=n,t"),
                        "! the given text: member 'n' is in --text and in --ignore; name it "
                        "in only one of them");
    assert_string_equal(ROWS(TABLE, "ignore=n,s,t"), "x id:7\n"); // there is nothing else
    assert_string_equal(ROWS(TABLE, "ignore=n,s,t,id"),
                        "! the given text: there is nothing to learn from: no member is left "
                        "besides the label 'label'; check --ignore");
    assert_string_equal(ROWS(TABLE, "numeric=t"),
                        "! the given text:1:20: expected a number in member 't', found 'a b'");
    assert_string_equal(ROWS(TABLE, "numeric=label label=label"),
                        "! the given text: member 'label' is the label and cannot be in --numeric");
    assert_string_equal(ROWS(TABLE, "header=no"),
                        "! the given text: --header is for CSV, and this is JSON lines by its "
                        "looks; give --format if that is wrong");
    assert_string_equal(ROWS(TABLE, "lowercase=yes"),
                        "! the given text: --lowercase is for text, and no column holds texts: "
                        "--text COLUMN names one");
    assert_string_equal(ROWS(TABLE, "text=t,n ngrams=2 ignore=s"), "x n:1:1 t:a:1 t:b:1 t:a b:1\n");
    // --numeric: a string has to be a number that is written out.
    assert_string_equal(ROWS("{'n':'1e2','label':'x'}\n{'n':true,'label':'y'}\n", "numeric=n"),
                        "x n:100\ny n:1\n");
    assert_string_equal(ROWS("{'n':'\\u0031','label':'x'}\n", "numeric=n"),
                        "! the given text:1:6: expected a number in member 'n', found '1'");
    assert_string_equal(
        ROWS("{'n':'1e99','label':'x'}\n", "numeric=n"),
        "! the given text:1:6: the value 1e99 is too large: values go up to 3.4e38");
    // --categorical: all plain values are categories.
    assert_string_equal(
        ROWS("{'n':1.0,'label':'x'}\n{'n':true,'label':'y'}\n{'n':[2],'label':'x'}\n",
             "categorical=n"),
        "x n=1.0:1\ny n=true:1\nx n^0:2\n");
    // --text: numbers are words; objects and arrays are what they are elsewhere.
    assert_string_equal(ROWS("{'n':-1.5,'label':'x'}\n{'n':false,'label':'y'}\n"
                             "{'n':['a b',2],'label':'x'}\n",
                             "text=n"),
                        "x n:-:1 n:1:1 n:.:1 n:5:1\ny n:false:1\nx n=a b:1 n^1:2\n");
    // In JSON that is not records, label and text have these names.
    assert_string_equal(ROWS("{'text':'a','label':'x'}\n", "label=label text=text"), "x a:1\n");
    assert_string_equal(ROWS("{'text':'a','label':'x'}\n", "label=text"),
                        "! the given text: --label is for tables, and these JSON objects are not "
                        "records; their label is in \"label\", and their features are in \"text\" "
                        "and \"features\"");
}

// A member with identifiers is left out, a member with texts becomes words.
static void recognised_members(void **state)
{
    (void)state;
    char *text = malloc(1 << 20), *at = text;
    for (int i = 0; i < 300; i++)
        at += sprintf(at,
                      "{\"row\": %d, \"note\": \"number %d of many\", \"label\": \"%s\", "
                      "\"user_id\": \"u%d\", \"kind\": \"k %d\"}\n",
                      i + 5, i, i % 2 ? "x" : "y", i, i % 3);
    const char *found = rows_of(text, NULL);
    static const char first[] = "y note:number:1 note:0:1 note:of:1 note:many:1 kind=k 0:1\n"
                                "x note:number:1 note:1:1 note:of:1 note:many:1 kind=k 1:1\n";
    assert_int_equal(strncmp(found, first, strlen(first)), 0);
    // Not if its name would make the names of words long.
    char *long_name = malloc(1 << 20);
    at = long_name;
    for (int i = 0; i < 20; i++)
        at += sprintf(at, "{\"%01001d\": \"number %d of many\", \"label\": \"%d\"}\n", 7, i, i % 2);
    found = rows_of(long_name, NULL);
    assert_null(strstr(found, ":number"));
    assert_int_equal(got.rows, 20);
    free(long_name);
    found = rows_of(text, "numeric=row categorical=note,user_id");
    static const char other[] = "y row:5 note=number 0 of many:1 user_id=u0:1 kind=k 0:1\n";
    assert_int_equal(strncmp(found, other, strlen(other)), 0);
    free(text);
}

static void missing_members(void **state)
{
    (void)state;
#define NULLS                                                                                      \
    "{'n':null,'s':'a','t':null,'label':'x','o':{'p':null,'q':[null,1]}}\n"                        \
    "{'n':2,'s':null,'t':'b c','label':'y'}\n"
    static const char *const marked[] = {"", "missing=indicator ", "missing=mean ",
                                         "missing=median ", "missing=most-frequent "};
    for (size_t i = 0; i < sizeof marked / sizeof marked[0]; i++) {
        char settings[60];
        snprintf(settings, sizeof settings, "%stext=t", marked[i]);
        assert_string_equal(ROWS(NULLS, settings),
                            "x n=(missing):1 s=a:1 o^p=(missing):1 o^q^0=(missing):1 o^q^1:1\n"
                            "y n:2 s=(missing):1 t:b:1 t:c:1\n");
    }
    assert_string_equal(ROWS(NULLS, "text=t missing=zero"), "x s=a:1 o^q^1:1\ny n:2 t:b:1 t:c:1\n");
    assert_string_equal(ROWS(NULLS, "text=t missing=refuse"),
                        "! the given text:1:6: the value of 'n' is missing: found null; --missing "
                        "auto would replace it, --ignore leave the member out");
    assert_string_equal(ROWS("{'t':null,'label':'x','n':1}\n", "text=t missing=refuse"),
                        "! the given text:1:6: the value of 't' is missing: found null; --missing "
                        "auto would replace it, --ignore leave the member out");
    // A value that is left out is nothing; one that is ignored does not matter.
    assert_string_equal(
        ROWS("{'n':1,'i':null,'label':'x'}\n{'label':'y'}\n", "ignore=i missing=refuse"),
        "x n:1\ny\n");
    assert_string_equal(ROWS("{'n':null,'label':'x'}\n{'n':'b','label':'y'}\n", "categorical=n"),
                        "x n=(missing):1\ny n=b:1\n");
    assert_string_equal(ROWS("{'n':'(missing)','label':'x'}\n", NULL),
                        "! the given text:1:6: the value '(missing)' of 'n' means a missing value; "
                        "write null, or spell it differently");
    assert_string_equal(ROWS("{'n':'(missing)','label':'x'}\n", "missing=zero"),
                        "x n=(missing):1\n");
    // In other JSON null is nothing.
    assert_string_equal(ROWS("{'label':'x','features':{'n':null}}\n", NULL), "x\n");
}

static void prediction_of_records(void **state)
{
    (void)state;
    tlu_model *model = model_of(quoted("{'n':1,'s':'a','label':'x','t':'one two','i':5,'m':'3'}\n"
                                       "{'n':2,'s':'b','label':'y','t':'two three','m':'4'}\n"),
                                "text=t ignore=i numeric=m");
    assert_string_equal(rows_for(model,
                                 quoted("{'t':'three four','s':'c','n':3,'new':1}\n"
                                        "{'label':'z','s':'b','i':'?','m':5}\n{'label':'y'}\n"),
                                 NULL),
                        "- t:three:1 n:3\n? s=b:1 m:5\ny\n");
    // An array is read like lines.
    assert_string_equal(rows_for(model, quoted("[{'label':'x','n':1},\n{'n':2}]"), NULL),
                        "x n:1\n- n:2\n");
    assert_string_equal(rows_for(model, "[]", NULL), "");
    assert_string_equal(rows_for(model, quoted("{'m':'four'}\n"), NULL),
                        "! data:1:6: expected a number in member 'm', found 'four'");
    assert_string_equal(rows_for(model, quoted("{'features':{'n':1}}\n"), NULL),
                        "! data: has rows with a member \"features\", but the model was trained on "
                        "JSON records, whose members are the features themselves");
    // CSV has its columns by name, in any order.
    assert_string_equal(rows_for(model, "new,m,label,t,s,n\n1,5,z,,b,\n2,,y,three,c,3\n", NULL),
                        "? m:5 s=b:1 n:1.5\ny m:3.5 t:three:1 n:3\n");
    assert_string_equal(rows_for(model, "n,s,label\n1,a,x\n2,b,y\n", NULL),
                        "! data:1:1: the columns differ from those that the model was trained on: "
                        "missing 't', 'm'; rename or add columns in the data");
    assert_string_equal(
        rows_for(model, "__label__x one\n", "format=fasttext"),
        "! data: is fastText's format, but the model was trained on JSON records, "
        "which are objects such as {\"length\": 7}; give --format if that is wrong");
    const char *label;
    assert_int_equal(tlu_model_predict_line(model, quoted("{'s':'b','n':2}"), &label, NULL, NULL),
                     TLU_OK);
    assert_string_equal(label, "y");
    assert_string_equal(tlu_model_label_column(model), "label");
    tlu_model_free(model);
    // A model of words reads "text" and "features" of any object.
    model = model_of("__label__x one\n__label__y two\n", NULL);
    assert_string_equal(rows_for(model, quoted("{'t':'one','text':'two','label':'x'}\n"), NULL),
                        "x two:1\n");
    tlu_model_free(model);
}

// The model has its columns again after it was saved.
static void saved_records(void **state)
{
    (void)state;
    static const char *const hashed[] = {"text=t numeric=n", "text=t numeric=n hash=12"};
    for (size_t i = 0; i < 2; i++) {
        tlu_model *model =
            model_of(quoted("{'n':'1','s':'a','label':'x','t':'one two','id':5,'k':2}\n"
                            "{'n':2,'s':'b','label':'y','t':'two three','id':6,'k':3}\n"),
                     hashed[i]);
        tlu_error error;
        if (tlu_model_save(model, "saved.tlu", &error) != TLU_OK)
            fail_msg("%s", error.text);
        static const char rows[] =
            "[{'n':'7','t':'two','id':'z','k':1,'s':null},{'k':'x','s':1,'label':'y'}]";
        char *before = strdup(rows_for(model, quoted(rows), NULL));
        tlu_model_free(model);
        assert_int_equal(tlu_model_load("saved.tlu", &model, &error), TLU_OK);
        assert_string_equal(rows_for(model, quoted(rows), NULL), before);
        if (i == 0)
            assert_string_equal(before, "- n:7 t:two:1 k:1\ny\n");
        free(before);
        tlu_model_free(model);
    }
}

// ---- arrays, and objects of several lines ----

static void shapes_of_rows(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "[{'a':1,'label':'x'},{'label':'y','a':2}]",
        " \n[\n{'a':1,'label':'x'} ,\n {'label':'y','a':2}\n]\n\n",
        "[{\n'a'\n:\n1\n,\n'label':'x'\n}\n,{'label':'y',\r\n'a':2}\r\n]",
        "\xEF\xBB\xBF[{'a':1,'label':'x'},{'label':'y','a':2}]",
        "{\n'a':1,'label':'x'\n}\n{'label':'y','a':2}\n",
        "{'a':1,\n'label':'x'}{'label':'y','a':2}",
        "  {\r\n'a':1,\r\n'label':'x'}\r\n\r\n\t{'label':'y','a':2}  \r\n",
        "# a comment\n\n[{'a':1,'label':'x'},{'label':'y','a':2}]",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        assert_string_equal(ROWS(shapes[i], NULL), "x a:1\ny a:2\n");
    assert_string_equal(
        ROWS("[{'label':'x','features':{'a':[1,'}']}},\n{'label':'y','text':'{'}]", NULL),
        "x a^0:1 a=}:1\ny text:{:1\n");
    // Braces and quotes in strings do not count.
    assert_string_equal(ROWS("[{'a':'}','label':'x{'},{'a':'\\\\','label':'\\'}, {'}]", NULL),
                        "x{ a=}:1\n\"}, { a=\\:1\n");
    assert_string_equal(ROWS("[]", NULL), "! the given text: has no examples");
    assert_string_equal(ROWS("[\n\n]\n", J), "! the given text: has no examples");
}

static void refused_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[{'a':1,'label':'x'}",
         "1:21: expected ',' or ']' after the object, found the end of the data"},
        {"[{'a':1,'label':'x'}\n\n",
         "3:1: expected ',' or ']' after the object, found the end of the data"},
        {"[{'a':1,'label':'x'},",
         "1:22: expected an object, found the end of the data: the array is "
         "not closed; add ']'"},
        {"[{'a':1,'label':'x'},\n {'a'", "2:6: expected ':', found the end of the data"},
        {"[{'a':1,'label':'x'},,{}]", "1:22: expected an object such as {\"label\": \"spam\", "
                                      "\"length\": 7}, found ','"},
        {"[{'a':1,'label':'x'},]", "1:22: expected an object such as {\"label\": \"spam\", "
                                   "\"length\": 7}, found ']'"},
        {"[{'a':1,'label':'x'},\n[]]", "2:1: expected an object such as {\"label\": \"spam\", "
                                       "\"length\": 7}, found '['"},
        {"[{'a':1,'label':'x'}}", "1:21: expected ',' or ']' after the object, found '}'"},
        {"[{'a':1,'label':'x'}]\n]",
         "2:1: expected the end of the data after the array, found ']'"},
        {"[{'a':1,'label':'x'}]{}",
         "1:22: expected the end of the data after the array, found '{'"},
        {"[\n{'a':1,\n 'label':'x' 'b'}]", "3:14: expected ',' or '}', found '\"'"},
        {"[{'a':1,'label':'x'},{'a':1,\n'label':'x\n'}]", "2:11: a control character (\\x0a) in a "
                                                          "string must be escaped"},
        {"{\n'a':1,'label':'x'}\n,{}", "3:1: expected an object such as {\"label\": \"spam\", "
                                       "\"length\": 7}, found ','"},
        {"{\n'a':1,'label':'x'}\n}", "3:1: expected an object such as {\"label\": \"spam\", "
                                     "\"length\": 7}, found '}'"},
        {"{\n'a':1,'label':'x'}\n{'a':1,\n",
         "4:1: expected a key in double quotes, found the end of "
         "the data"},
        {"{\n'a':1,'label':'x'}\n{'a':[1,\n2}}\n", "4:2: expected ',' or ']', found '}'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[300];
        snprintf(expected, sizeof expected, "! the given text:%s", cases[i].message);
        const char *found = ROWS(cases[i].text, "label=label");
        const char *error = strchr(found, '!'); // after the rows before it
        if (!error || strcmp(error, expected) != 0)
            fail_msg("%s: expected %s, found %s", cases[i].text, expected, found);
    }
    // A malformed object is left out; what is between objects is an error all the same.
    assert_string_equal(ROWS("[{'a':1,'label':'x'},{'a':},\n{'a':2,'label':'y'}]", "skip-bad=yes"),
                        "x a:1\ny a:2\n");
    assert_int_equal(got.skipped, 1);
    assert_string_equal(ROWS("[{'a':1,'label':'x'} {'a':2,'label':'y'}]", "skip-bad=yes"),
                        "! the given text:1:22: expected ',' or ']' after the object, found '{'");
    assert_string_equal(ROWS("[{'a':1,'label':'x'},{'a':2", "skip-bad=yes"),
                        "! the given text:1:28: expected ',' or '}', found the end of the data");
}

static void other_shapes(void **state)
{
    (void)state;
    static const char columns[] = "! the given text: is one JSON object whose members are columns";
    static const char items[] = "! the given text: is a JSON array whose items are not objects";
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{'a':{'0':1,'1':2},'label':{'0':'x','1':'y'}}", columns},
        {"{'a':{'k':1,'l':2},\n'label':{'k':'x','l':'y'}}\n", columns},
        {"{'a':[1,2],'label':['x','y']}", columns},
        {"{'columns':['a','label'],'index':[0,1],'data':[[1,'x'],[2,'y']]}", columns},
        {"[[1,'x'],[2,'y']]", items},
        {"[[null,'x'],\n[2,'y']]\n", items},
        {"{'rows':[{'a':1,'label':'x'},{'a':2,'label':'y'}]}",
         "! the given text: is one JSON object that has an array of rows in one of its members"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *found = ROWS(cases[i].text, NULL);
        if (strncmp(found, cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("%s: %s", cases[i].text, found);
    }
    assert_int_equal(strncmp(ROWS("[1,2]", J), items, strlen(items)), 0);
    // Rows may have such members.
    assert_string_equal(ROWS("{'a':{'0':1},'b':{'0':2},'label':'x'}\n", NULL), "x a^0:1 b^0:2\n");
    // Text that only looks alike is text.
    assert_string_equal(rows_of("a\t[[note]] one\nb\t[ {two\na\tthree\nb\tfour\n", "format=text"),
                        "a [[:1 note:1 ]]:1 one:1\nb [:1 {:1 two:1\na three:1\nb four:1\n");
    enum data_format format;
    assert_false(format_recognise("[[note]] one\n", 13, &format) && format == DATA_JSONL);
    assert_false(format_recognise("[x] one\n", 8, &format) && format == DATA_JSONL);
}

// The same rows and errors, however the text is cut into chunks.
static const char *in_chunks(const char *bytes, size_t size, size_t chunk, const char *settings)
{
    struct row_source source = {.bytes = bytes, .size = size, .chunk_size = chunk};
    return rows_of_source("the given text", &source, settings);
}

static void any_chunks(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[{'a':1,'label':'x'},{'label':'y','a':2},{'a':[3,4],'label':'x'}]",
        "\n[\n  {\n    'a': 1,\n    'label': 'x'\n  },\n  {'label': 'y', 'b': '}'}\n]\n",
        "{\n'a':1,'label':'x'\n}\n{'label':'y','a':2}\n{\n'label':'x'}\n",
        "[{'a':1,'label':'x'},{'label':'y','a':zwei},{'a':[3,4],'label':'x'}]",
        "[\n{'a':1,'label':'x'}\n,{'label':\n'y','a':2}\n,{'a':\n[3,4}]",
        "[{'a':1,'label':'x'},{'label':'y','a':2},",
        "[{'a':1,'label':'x'},{'label':'y','a':2}",
        "[{'a':1,'label':'x'},{'label':'y','a':2}] \n\n  {'a':3}",
        "[{'a':1,'label':'x'}\n{'label':'y','a':2}]",
        "{\n'a':1,'label':'x'\n}\nhuh\n{'label':'y','a':2}\n",
        "{'label':'x','a\n{'label':'y','a':2}\n{'label':'x','a':3}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *text = quoted(texts[i]);
        size_t size = strlen(text);
        char *whole = strdup(in_chunks(text, size, 0, "format=jsonl label=label numeric=a"));
        for (size_t chunk = 1; chunk <= size + 1; chunk += 1 + chunk / 8) {
            const char *found = in_chunks(text, size, chunk, "format=jsonl label=label numeric=a");
            // The rows before an error depend on how much was parsed at once.
            const char *error = strchr(found, '!'), *expected = strchr(whole, '!');
            bool same =
                expected ? error && strcmp(error, expected) == 0 : strcmp(found, whole) == 0;
            if (!same)
                fail_msg("%s in chunks of %zu: %s, and not %s", text, chunk, found, whole);
        }
        free(whole);
    }
}

// An array in one line that is longer than a row may be.
static void long_line(void **state)
{
    (void)state;
    size_t rows = unless_sanitized(50000, 5000);
    char *text = malloc(rows * 40 + 10), *at = text;
    *at++ = '[';
    for (size_t i = 0; i < rows; i++)
        at +=
            sprintf(at, "%s{\"a\":%zu,\"label\":\"%s\"}", i ? ", " : "", i + 1, i % 2 ? "x" : "y");
    *at++ = ']';
    in_chunks(text, (size_t)(at - text), 4096, "max-row=100 numeric=a");
    assert_int_equal(got.rows, rows);
    assert_true(got.batches > rows * 20 / 4096);
    // The column of an error counts from the start of the line.
    char *last = at - 5;
    assert_int_equal(last[0], '"');
    last[1] = '\n';
    const char *found = in_chunks(text, (size_t)(at - text), 4096, "max-row=100 numeric=a");
    char expected[100];
    snprintf(expected, sizeof expected,
             "! the given text:1:%zu: a control character (\\x0a) in a string must be escaped",
             (size_t)(last + 1 - text) + 1);
    assert_string_equal(strchr(found, '!'), expected);
    // A row that is too long.
    last[1] = 'x';
    memset(text + 1000, ' ', 200);
    text[999] = '{';
    found = in_chunks(text, (size_t)(at - text), 4096, "max-row=100 numeric=a");
    assert_non_null(strstr(found, "1: the row has more than 100 bytes (a brace may not be closed); "
                                  "--max-row SIZE allows longer ones"));
    free(text);
}

// ---- where objects end ----

// By the definition: a string ends with a quote that is not escaped, or with its line.
static const char *end_of_object(const char *at, const char *limit)
{
    size_t depth = 0;
    bool string = false;
    for (; at < limit; at++) {
        if (string && *at == '\\' && at + 1 < limit && at[1] != '\n')
            at++;
        else if (string)
            string = *at != '"' && *at != '\n';
        else if (*at == '"')
            string = true;
        else if (*at == '{')
            depth++;
        else if (*at == '}' && --depth == 0)
            return at + 1;
    }
    return NULL;
}

static void ends_of_objects(void **state)
{
    (void)state;
    static const char letters[] = "{}{}\"\"\\\nabcd,: ";
    struct random random;
    random_seed(&random, 5);
    for (int round = 0; round < 3000; round++) {
        size_t size = 1 + (size_t)random_below(&random, 300), rare = random_below(&random, 8);
        char *text = malloc(size); // of its own, so that the sanitizer sees what is read after it
        text[0] = '{';
        for (size_t i = 1; i < size; i++)
            text[i] = random_below(&random, rare + 1)
                          ? 'x'
                          : letters[random_below(&random, sizeof letters - 1)];
        assert_ptr_equal(json_object_end(text, text + size), end_of_object(text, text + size));
        free(text);
    }
}

// ---- ids and texts of rows ----

static void ids_of_objects(void **state)
{
    (void)state;
    tlu_model *model = model_of(quoted("{'n':1,'label':'x'}\n{'n':-1,'label':'y'}\n"), NULL);
    static const char *const shapes[] = {
        "{'n':1,'key':'a'}\n{'key':[1, 2] ,'n':-1}\n{'n':1}\n",
        "[{'n':1,'key':'a'},{'key':[1, 2] ,'n':-1},{'n':1}]",
        "{'n':1,'key':'a'\n}\n{'key':[1, 2]\n,'n':-1}\n{'n':\n1}",
    };
    for (size_t i = 0; i < 3; i++) {
        tlu_options *options = options_of("id=key");
        tlu_reader *reader;
        tlu_error error;
        const tlu_batch *batch;
        const char *text = quoted(shapes[i]);
        write_file("data", text, strlen(text));
        if (tlu_reader_open(model, "data", options, &reader, &error) != TLU_OK ||
            tlu_reader_predict(reader, false, NULL, NULL, &error) != TLU_OK ||
            tlu_reader_next(reader, &batch, &error) != TLU_OK)
            fail_msg("%s", error.text);
        assert_int_equal(batch->rows, 3);
        const tlu_predictions *predictions = tlu_reader_predictions(reader);
        assert_string_equal(predictions->ids[0], "a");
        assert_string_equal(predictions->ids[1], "[1, 2]");
        assert_string_equal(predictions->ids[2], "");
        tlu_reader_close(reader);
        tlu_options_free(options);
    }
    tlu_model_free(model);
}

// ---- out of memory ----

static void without_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[{'a':1,'t':'one two','label':'x','n':null},{'label':'y','s':'b','i':2,'c':3}]",
        "{\n'label':'x','features':{'a':1}}\n{'label':'y','text':'z'}\n",
    };
    for (size_t i = 0; i < 2; i++) {
        const char *settings = i ? J : "text=t ignore=i categorical=c";
        const char *text = quoted(texts[i]);
        char *whole = strdup(rows_of(text, settings));
        for (long n = 1;; n++) {
            struct schema schema;
            struct reader *reader = NULL;
            struct batch *batch;
            tlu_error error;
            tlu_options *options = options_of(settings);
            schema_init(&schema);
            fault_at(FAULT_MEMORY, n);
            tlu_status status =
                reader_open_bytes(&reader, text, strlen(text), options, &schema, &error);
            if (status == TLU_OK)
                status = reader_next(reader, &batch, &error);
            bool hit = fault_calls(FAULT_MEMORY) >= n;
            fault_at(FAULT_MEMORY, 0);
            assert_true(hit ? status != TLU_ERROR_INPUT : status == TLU_OK);
            if (status == TLU_OK)
                reader_recycle(reader, batch);
            reader_close(reader);
            schema_free(&schema);
            tlu_options_free(options);
            if (!hit)
                break;
        }
        assert_string_equal(rows_of(text, settings), whole);
        free(whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(features),
        cmocka_unit_test(strings),
        cmocka_unit_test(refused),
        cmocka_unit_test(depth_and_length),
        cmocka_unit_test(weights),
        cmocka_unit_test(prediction),
        cmocka_unit_test(records),
        cmocka_unit_test(label_of_records),
        cmocka_unit_test(options_for_records),
        cmocka_unit_test(recognised_members),
        cmocka_unit_test(missing_members),
        cmocka_unit_test(prediction_of_records),
        cmocka_unit_test(saved_records),
        cmocka_unit_test(shapes_of_rows),
        cmocka_unit_test(refused_shapes),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(any_chunks),
        cmocka_unit_test(long_line),
        cmocka_unit_test(ends_of_objects),
        cmocka_unit_test(ids_of_objects),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, free_reading);
}
