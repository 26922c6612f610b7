// CSV: fields, the delimiter, the header, kinds of columns, missing values, files for a model.
#include "reading.h"

// Without a header, so that rows of words are rows.
#define PLAIN "header=no"

static void quotes(void **state)
{
    (void)state;
    assert_string_equal(rows_of("\"a,b\",x\n\"say \"\"hi\"\"\",y\n", PLAIN),
                        "x 1=a,b:1\ny 1=say \"hi\":1\n");
    assert_string_equal(rows_of("\"two\nlines\",x\n\"two\r\nlines\",y\n", PLAIN),
                        "x 1=two\nlines:1\ny 1=two\r\nlines:1\n");
    assert_string_equal(rows_of("\"\"\"\",x\r\n\"1\",\"y\"\r\n\"\"\"\"\"\",x", PLAIN),
                        "x 1=\":1\ny 1=1:1\nx 1=\"\":1\n");
    // Blanks around a field do not count, those inside quotes do; quoted numbers are numbers.
    assert_string_equal(rows_of(" a b ,x\n  \" c \"  ,  y  \n", PLAIN), "x 1=a b:1\ny 1= c :1\n");
    assert_string_equal(rows_of("\"1.5\",x\n2,\"y\"\n", PLAIN), "x 1:1.5\ny 1:2\n");
}

static void broken_quotes(void **state)
{
    (void)state;
    assert_string_equal(rows_of("1,2,x\n1,\"2,x\n", PLAIN),
                        "! the given text:2:3: this quote is never closed; add the closing one");
    assert_string_equal(rows_of("1,2,x\n1,2\",x\n", PLAIN),
                        "! the given text:2:4: a quote in the middle of a field; put the whole "
                        "field in quotes and write each quote inside it twice");
    assert_string_equal(rows_of("\"p\nq\",2,x\n1,\"2\"3,x\n", PLAIN),
                        "! the given text:3:6: expected the delimiter or the end of the row after "
                        "a quoted field; a quote inside it is written twice");
}

static void broken_quotes_cost_one_row(void **state)
{
    (void)state;
    // A quote in the middle, text after a quote, a quote that is not closed: each a row. Quoted
    // line ends in good rows do no harm.
    assert_string_equal(rows_of("\"a\nb\",x\nc\"c,y\n\"d\nd\",x\n\"e\"e,y\n\"f,x\ng,y\n\"h\",x\n",
                                "header=no skip-bad=yes"),
                        "x 1=a\nb:1\nx 1=d\nd:1\ny 1=g:1\nx 1=h:1\n");
    assert_int_equal(got.skipped, 3);
    assert_int_equal(got.lines, 9);
    assert_string_equal(rows_of("1,x\n2,y\n3,\"x\n4,y\n5,x", "skip-bad=yes"),
                        "x 1:1\ny 1:2\ny 1:4\nx 1:5\n");
    assert_int_equal(got.skipped, 1);
    // A row whose quotes are right is skipped as a whole, however many lines it has.
    assert_string_equal(rows_of("1,x\n2,y\n3,x,\"more\nand\nmore\"\n4,y\n", "skip-bad=yes"),
                        "x 1:1\ny 1:2\ny 1:4\n");
    assert_int_equal(got.skipped, 1);
    assert_int_equal(got.lines, 6);
}

static void delimiters(void **state)
{
    (void)state;
    const char *expected = "x a:1 b=p:1\ny a:2.5 b=q:1\n";
    assert_string_equal(rows_of("a,b,c\n1,p,x\n2.5,q,y\n", NULL), expected);
    assert_string_equal(rows_of("a;b;c\n1;p;x\n2.5;q;y\n", NULL), expected);
    assert_string_equal(rows_of("a\tb\tc\n1\tp\tx\n2.5\tq\ty\n", NULL), expected);
    assert_string_equal(rows_of("a|b|c\n1|p|x\n2.5|q|y\n", NULL), expected);
    assert_string_equal(rows_of("a b c\n1 p x\n2.5 q y\n", NULL), expected);
    assert_string_equal(rows_of(" a  b c \r\n1  p   x\n2.5 \"q\" y  \n", NULL), expected);
    assert_string_equal(rows_of("a:b:c\n1:p:x\n2.5:q:y\n", "delimiter=: format=csv"), expected);
    assert_string_equal(rows_of("a;b;c\n1;p;x\n2.5;q;y\n", "delimiter=semicolon"), expected);
    assert_string_equal(rows_of("a\tb\tc\n1\tp\tx\n2.5\tq\ty\n", "format=tsv"), expected);
    // Commas in the fields, and quoted delimiters, do not mislead.
    assert_string_equal(rows_of("a,5;x\nb,5;y\n", PLAIN), "x 1=a,5:1\ny 1=b,5:1\n");
    // A comma in a number is a decimal sign if no number has a point. Else it is refused, unless
    // the column is said to be one of categories.
    assert_string_equal(rows_of("1,5;x\n2,5;y\n", PLAIN), "x 1:1.5\ny 1:2.5\n");
    assert_string_equal(rows_of("-1,5;0,25;x\n,5;+2;y\n", PLAIN), "x 1:-1.5 2:0.25\ny 1:0.5 2:2\n");
    assert_string_equal(rows_of("1.5;2;x\n2,5;3;y\n1;1;y\n", PLAIN " decimal=comma numeric=1"),
                        "! the given text:1:1: expected a number in column '1', found '1.5'");
    assert_string_equal(
        rows_of("1,5;1.5;x\n2,5;2;y\n", PLAIN),
        "! the given text:1:1: expected a number in column '1', found '1,5': numbers "
        "take a decimal point and no commas; change the data, or give "
        "--categorical 1 for categories");
    assert_string_equal(
        rows_of("1,5;x\n2,5;y\n", PLAIN " decimal=point"),
        "! the given text:1:1: expected a number in column '1', found '1,5': numbers "
        "take a decimal point and no commas; change the data, or give "
        "--categorical 1 for categories");
    assert_string_equal(rows_of("1,5;x\n2,5;y\n", PLAIN " categorical=1"),
                        "x 1=1,5:1\ny 1=2,5:1\n");
    assert_string_equal(rows_of("\"1;2;3\",x\n\"4;5;6\",y\n", PLAIN), "x 1=1;2;3:1\ny 1=4;5;6:1\n");
    assert_string_equal(rows_of("1,2,x\n", "delimiter=ab"),
                        "! --delimiter is one character, or tab, space, comma, semicolon or pipe, "
                        "not 'ab'");
    // In tab-separated data a blank is text.
    assert_string_equal(rows_of("a b\tx y\nc d\tz\n", PLAIN), "x y 1=a b:1\nz 1=c d:1\n");
    // A carriage return inside a line is text too.
    assert_string_equal(rows_of("1 2 x\n3 4 \ry\n", PLAIN), "x 1:1 2:2\n\ry 1:3 2:4\n");
}

static void header(void **state)
{
    (void)state;
    assert_string_equal(rows_of("size,kind\n1,x\n2,y\n", NULL), "x size:1\ny size:2\n");
    assert_string_equal(rows_of("1,x\n2,y\n", NULL), "x 1:1\ny 1:2\n"); // a number in it
    assert_string_equal(rows_of("red,x\nblue,y\nred,y\n", NULL),        // turns up again
                        "x 1=red:1\ny 1=blue:1\ny 1=red:1\n");
    assert_string_equal(rows_of("red,x\nblue,y\n", NULL), "y red=blue:1\n");
    assert_string_equal(rows_of("red,x\nblue,y\n", PLAIN), "x 1=red:1\ny 1=blue:1\n");
    assert_string_equal(rows_of("1,2\n3,x\n4,y\n", "header=yes"), "x 1:3\ny 1:4\n");
    // Columns with numbers for names, as they come out of data frames.
    assert_string_equal(rows_of("0,1,label\n1,5,x\n0,7,y\n", NULL), "x 0:1 1:5\ny 1:7\n");
    assert_string_equal(rows_of("y,1\nn,2\ny,3\n", NULL), "1 1=y:1\n2 1=n:1\n3 1=y:1\n");
    assert_string_equal(rows_of("\"the\nsize\",label\n1,x\n2,?\n", NULL),
                        "! the given text:4:3: the label in column 'label' is missing: found '?'");
    assert_string_equal(rows_of("\n\n# c\nsize,label\n\n1,x\n2,y\n", NULL), "x size:1\ny size:2\n");
    assert_string_equal(rows_of("#id,label\n1,x\n2,y\n", NULL), "x #id:1\ny #id:2\n");
    assert_string_equal(rows_of("a,b,label\n", NULL), "");
    assert_string_equal(rows_of("\n# a\n\n", NULL), "! the given text: has no examples");
}

static void names_of_columns(void **state)
{
    (void)state;
    assert_string_equal(rows_of("a,a,,a,label\n1,2,3,4,x\n", NULL), "x a:1 a.2:2 3:3 a.3:4\n");
    assert_string_equal(rows_of("a.2,a,a,label\n1,2,3,x\n", NULL), "x a.2:1 a:2 a.3:3\n");
    assert_string_equal(rows_of("a,a,a.2,label\n1,2,3,x\n", NULL), "x a:1 a.2:2 a.2.2:3\n");
    assert_string_equal(rows_of("2,,label\n1,2,x\n", "header=yes"), "x 2:1 2.2:2\n");
}

static void which_column_is_the_label(void **state)
{
    (void)state;
    assert_string_equal(rows_of("p,Class,q\n1,x,2\n", NULL), "x p:1 q:2\n");
    assert_string_equal(rows_of("y,target,q\n1,x,2\n", NULL), "x y:1 q:2\n");
    assert_string_equal(rows_of("Y,p,q\n1,x,2\n", NULL), "1 p=x:1 q:2\n");
    assert_string_equal(rows_of("class,label\nx,1\n", NULL), "1 class=x:1\n");
    assert_string_equal(rows_of("p,q\n1,x\n", NULL), "x p:1\n"); // the last
    assert_string_equal(rows_of("p,label\n1,x\n", "label=p"), "1 label=x:1\n");
    assert_string_equal(rows_of("p,label\n1,x\n", "label=1"), "1 label=x:1\n");
    assert_string_equal(rows_of("5,6,x\n", "label=2"), "6 1:5 3=x:1\n");
    assert_string_equal(rows_of("2,1,q\n5,6,x\n", "label=2 header=yes"), "5 1:6 q=x:1\n"); // a name
    assert_string_equal(rows_of("p,label\n1,x\n", "label=r"),
                        "! the given text: there is no column 'r' for --label; the columns are p, "
                        "label");
    assert_string_equal(rows_of("p,label\n1,x\n", "label=0"),
                        "! the given text: there is no column '0' for --label; the columns are p, "
                        "label");
}

static void kinds_of_columns(void **state)
{
    (void)state;
    const char *text = "n,c,label\n1,red,x\n2,1,y\n";
    assert_string_equal(rows_of(text, NULL), "x n:1 c=red:1\ny n:2 c=1:1\n");
    assert_string_equal(rows_of(text, "categorical=n"), "x n=1:1 c=red:1\ny n=2:1 c=1:1\n");
    assert_string_equal(rows_of(text, "categorical=1,2"), "x n=1:1 c=red:1\ny n=2:1 c=1:1\n");
    assert_string_equal(rows_of(text, "ignore=c"), "x n:1\ny n:2\n");
    assert_string_equal(rows_of(text, "numeric=c"),
                        "! the given text:2:3: expected a number in column 'c', found 'red'");
    assert_string_equal(rows_of(text, "numeric=c skip-bad=yes"), "y n:2 c:1\n");
    assert_string_equal(rows_of(text, "numeric=label"),
                        "! the given text: column 'label' is the label and cannot be in --numeric; "
                        "choose another label with --label");
    // What is ignored may be anything but malformed.
    assert_string_equal(rows_of("a,b,c,label\n,\"p\nq\",1,x\n?,inf,2,y\n", "ignore=a ignore=b"),
                        "x c:1\ny c:2\n");
    // Zeros are left out of numeric columns; infinite is a number, and refused as such.
    assert_string_equal(rows_of("0,1,x\n1,-0.0,y\n", NULL), "x 2:1\ny 1:1\n");
    assert_string_equal(rows_of("inf,x\n1,y\n", NULL),
                        "! the given text:1:1: the value inf in column '1' is not a finite number");
}

static void a_few_words_among_many_numbers(void **state)
{
    (void)state;
    char text[400] = "n,label\n", expected[400] = "";
    for (int i = 1; i <= 10; i++) {
        snprintf(text + strlen(text), 20, "%d,x\n", i);
        snprintf(expected + strlen(expected), 20, "x n:%d\n", i);
    }
    size_t length = strlen(text);
    strcpy(text + length, "1l,y\n");
    assert_string_equal(
        rows_of(text, NULL),
        "! the given text:12:1: expected a number in column 'n', as in 10 other "
        "rows, found '1l'; --categorical n would take all its values as categories");
    assert_string_equal(rows_of(text, "skip-bad=yes"), expected);
    assert_int_equal(got.skipped, 1);
    strcpy(text + length, "1l,y\nmany,y\n"); // one in six: a category
    rows_of(text, NULL);
    assert_non_null(strstr(got.text, "x n=10:1\ny n=1l:1\ny n=many:1\n"));
    rows_of(text, "categorical=n");
    assert_int_equal(got.columns, 12);
    // A row with a field too few is no evidence about its columns.
    strcpy(text + length, "y\n");
    assert_string_equal(
        rows_of(text, NULL),
        "! the given text:12:1: expected 2 fields as in the first row, found only 1");
}

static void missing_values(void **state)
{
    (void)state;
    static const char *const words[] = {"", "?", "NA", "N/A", "nan", "NaN", "null", "NULL", "\"\""};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[100], expected[200], found[40] = "the field is empty";
        if (words[i][0] && words[i][0] != '"')
            snprintf(found, sizeof found, "found '%s'", words[i]);
        snprintf(
            expected, sizeof expected,
            "! the given text:3:1: the value in column 'n' is missing: %s; --missing auto would "
            "replace it, --ignore leave the column out",
            found);
        snprintf(text, sizeof text, "n,c,label\n1,red,x\n%s,blue,y\n2,%s,y\n", words[i], words[i]);
        assert_string_equal(rows_of(text, "missing=refuse"), expected);
        assert_string_equal(rows_of(text, "missing=zero"), "x n:1 c=red:1\ny c=blue:1\ny n:2\n");
        assert_string_equal(rows_of(text, "missing=indicator"),
                            "x n:1 c=red:1\ny n=(missing):1 c=blue:1\ny n:2 c=(missing):1\n");
        // What is fitted later is marked when it is read.
        assert_string_equal(rows_of(text, NULL),
                            "x n:1 c=red:1\ny n=(missing):1 c=blue:1\ny n:2 c=(missing):1\n");
        assert_string_equal(rows_of(text, "missing=refuse skip-bad=yes"), "x n:1 c=red:1\n");
        assert_int_equal(got.skipped, 2);
        snprintf(expected, sizeof expected, "1,%s\n2,x\n", words[i]); // as a label
        rows_of(expected, "missing=zero header=no");
        assert_int_equal(strncmp(got.text, "! ", 2) == 0, i < 2 || i == 8);
    }
    assert_string_equal(
        rows_of("1,\n2,x\n", "missing=zero"),
        "! the given text:1:3: the label in column '2' is missing: the field is empty");
}

static void features_of_two_columns(void **state)
{
    (void)state;
    const char *shared = "! the given text: columns 'o' and 'o=1' could give features of the same "
                         "name; rename one, or leave one out with --ignore";
    assert_string_equal(rows_of("o,o=1,label\nred,1,x\n1,2,y\n", NULL), shared);
    assert_string_equal(rows_of("o=1,o,label\n2,1=c,x\nc,red,y\n", NULL), shared);
    assert_string_equal(rows_of("o,o=1,label\nred,1,x\n1,2,y\n", "ignore=o"), "x o=1:1\ny o=1:2\n");
    // Numbers take no values into their names, but for those that are missing.
    assert_string_equal(rows_of("o,o=1,label\n3,4,x\n5,6,y\n", NULL), "x o:3 o=1:4\ny o:5 o=1:6\n");
    assert_string_equal(rows_of("o,o=(missing),label\n3,4,x\n5,6,y\n", NULL),
                        "! the given text: columns 'o' and 'o=(missing)' could give features of "
                        "the same name; rename one, or leave one out with --ignore");
    assert_string_equal(rows_of("c,label\n,x\n(missing),y\n", "missing=indicator"),
                        "! the given text:3:1: the value '(missing)' in column 'c' means a "
                        "missing value; leave the field empty, or spell it differently");
    assert_string_equal(rows_of("c,label\nred,x\n(missing),y\n", "missing=refuse"),
                        "x c=red:1\ny c=(missing):1\n");
}

static void lists_of_columns(void **state)
{
    (void)state;
    const char *text = "a,b,c\n1,2,x\n3,4,y\n";
    assert_string_equal(rows_of(text, "numeric=a ignore=b"), "x a:1\ny a:3\n");
    assert_string_equal(rows_of(text, "numeric=a categorical=1"),
                        "! the given text: column 'a' is in --numeric and in --categorical; "
                        "name it in only one of them");
    assert_string_equal(rows_of(text, "ignore=a,1"), "x b:2\ny b:4\n");
    assert_string_equal(rows_of(text, "ignore=a,b"),
                        "! the given text: there is nothing to learn from: no column is left "
                        "besides the label 'c'; check --ignore");
    assert_string_equal(rows_of(text, "label=C"),
                        "! the given text: there is no column 'C' for --label; did you mean 'c'?");
}

static void header_in_a_comment(void **state)
{
    (void)state;
    const char *expected = "x a:1 b:2\ny a:3 b:4\n";
    assert_string_equal(rows_of("# a,b,label\n1,2,x\n3,4,y\n", NULL), expected);
    assert_int_equal(got.lines, 2);
    assert_string_equal(rows_of("# made by hand\n\n#a b label\n1 2 x\n3 4 y\n", NULL),
                        "x #a:1 b:2\ny #a:3 b:4\n");
    assert_string_equal(rows_of("# one\n# a b label\r\n1 2 x\r\n3 4 y\r\n", "header=yes"),
                        expected);
    // A comment where it has another number of fields, where it is a row, where it is not directly
    // above the first row, and where the first row is a header.
    const char *by_number = "x 1:1 2:2\ny 1:3 2:4\n";
    assert_string_equal(rows_of("# a,b\n1,2,x\n3,4,y\n", NULL), by_number);
    assert_string_equal(rows_of("# 7,8,x\n1,2,x\n3,4,y\n", NULL), by_number);
    assert_string_equal(rows_of("# a,b,label\n\n1,2,x\n3,4,y\n", NULL), by_number);
    assert_string_equal(rows_of("# a,b,label\n1,2,x\n3,4,y\n", PLAIN), by_number);
    assert_string_equal(rows_of("# some, more, text\na,b,label\n1,2,x\n3,4,y\n", NULL), expected);
    assert_string_equal(rows_of("\n# a,b,label\n1,2,x\n3,oops\n", NULL),
                        "! the given text:4:3: expected 3 fields as in the first row, found only "
                        "2");
    tlu_model *model = model_of("# a,b,label\n1,2,x\n-3,4,y\n", NULL);
    assert_string_equal(rows_for(model, "# label,b,a\ny,7,8\n", NULL), "y b:7 a:8\n");
    assert_string_equal(rows_for(model, "label,b,a\ny,7,8\n", NULL), "y b:7 a:8\n");
    assert_string_equal(rows_for(model, "# 1,2,3\n7,8,y\n", NULL), "y a:7 b:8\n");
    assert_string_equal(rows_for(model, "\n# p,q,r\n7,oops,y\n", NULL),
                        "! data:3:3: expected a number in column 'b', found 'oops'");
    tlu_model_free(model);
}

static void another_delimiter_than_in_training(void **state)
{
    (void)state;
    tlu_model *model = model_of("a,b,label\n1,2,x\n-3,4,y\n", NULL);
    assert_string_equal(rows_for(model, "a;b;label\n7;8;y\n", NULL), "y a:7 b:8\n");
    assert_string_equal(rows_for(model, "7\t8\n", NULL), "- a:7 b:8\n");
    assert_string_equal(rows_for(model, "# a;b;label\n7;8;y\n", NULL), "y a:7 b:8\n");
    assert_string_equal(rows_for(model, "7;8;y\n", "delimiter=,"),
                        "! data:1:1: expected 3 columns as in training, or 2 without the label, "
                        "found 1");
    tlu_model_free(model);
    // One field is all that this model needs.
    model = model_of("town,label\nnew york,x\nparis,y\n", NULL);
    assert_string_equal(rows_for(model, "new york\nparis\n", "header=no"),
                        "- town=new york:1\n- town=paris:1\n");
    tlu_model_free(model);
}

static void options_for_libsvm(void **state)
{
    (void)state;
    static const char *const settings[] = {"label=1", "delimiter=;", "header=no", "missing=zero"};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        char expected[200];
        snprintf(expected, sizeof expected,
                 "! the given text: --%.*s is for %s, and this is LIBSVM by its looks; give "
                 "--format if that is wrong",
                 (int)strcspn(settings[i], "="), settings[i],
                 strchr("dh", settings[i][0]) ? "CSV" : "tables (CSV, JSON records)");
        assert_string_equal(rows_of("+1 1:1\n-1 2:1\n", settings[i]), expected);
    }
    assert_string_equal(rows_of("+1 1:1\n-1 2:1\n", "header=auto missing=auto"),
                        "+1 1:1\n-1 2:1\n");
}

static void numbers_of_fields(void **state)
{
    (void)state;
    assert_string_equal(
        rows_of("1,2,x\n3,y\n", NULL),
        "! the given text:2:3: expected 3 fields as in the first row, found only 2");
    assert_string_equal(
        rows_of("1,2,x\n3,4,y,\n", NULL),
        "! the given text:2:7: expected 3 fields as in the first row, found 4; put a field "
        "that contains the delimiter in quotes");
    assert_string_equal(rows_of("1,2,x\n3,y\n4,5,6,y\n7,8,y\n", "skip-bad=yes"),
                        "x 1:1 2:2\ny 1:7 2:8\n");
    assert_int_equal(got.skipped, 2);
    assert_string_equal(rows_of("1\n2\n", "format=csv"),
                        "! the given text:1:1: expected at least two columns, a feature and the "
                        "label, found one; give --delimiter if there are more");
}

static void another_file_with_a_header(void **state)
{
    (void)state;
    tlu_model *model = model_of("n,c,label\n1,red,x\n-2,blue,y\n", NULL);
    const char *expected = "x n:3 c=red:1\n";
    assert_string_equal(rows_for(model, "n,c,label\n3,red,x\n", NULL), expected);
    assert_string_equal(rows_for(model, "label,c,n\nx,red,3\n", NULL), "x c=red:1 n:3\n");
    assert_string_equal(rows_for(model, "id,n,note,c,label\n7,3,\"a,\nb\",red,x\n", NULL),
                        expected);
    assert_string_equal(rows_for(model, "c,n\nred,3\n", NULL), "- c=red:1 n:3\n");
    assert_string_equal(
        rows_for(model, "n,label\n3,x\n", NULL),
        "! data:1:1: the columns differ from those that the model was trained on: missing 'c'; "
        "rename or add columns in the data");
    // Other names than those of the model, by which the first row is not a row of data.
    static const char names[] = "! data:1:1: the columns differ from those that the model was "
                                "trained on: missing 'n', 'c'; new 'm', 'd'; rename them, or give "
                                "--header no if the first row is data";
    assert_string_equal(rows_for(model, "m,d,label\n3,red,x\n", NULL), names);
    assert_string_equal(rows_for(model, "m,d\n3,red\n", NULL), names);
    assert_string_equal(rows_for(model, "m,d\n3,red\n", "header=no"),
                        "! data:1:1: expected a number in column 'n', found 'm'");
    assert_string_equal(rows_for(model, "m,d\n3,red\n", "skip-bad=yes"), "- n:3 c=red:1\n");
    assert_string_equal(rows_for(model, "?,d\n3,red\n", NULL),
                        "- n:-0.5\n- n:3 c=red:1\n"); // data, whose mean is (1 - 2) / 2
    assert_string_equal(rows_for(model, "n,c,label\n", NULL), "");
    // Unseen categories and labels are counted; a missing label is no label.
    assert_string_equal(
        rows_for(model, "n,c,label\n1,green,x\n1,blue,z\n1,black,\n1,red,?\n", NULL),
        "x n:1\n? n:1 c=blue:1\n- n:1\n- n:1 c=red:1\n");
    assert_int_equal(got.unseen, 2);
    assert_int_equal(got.unknown, 1);
    // Without a header by place, and with another delimiter.
    assert_string_equal(rows_for(model, "3,red,x\n", NULL), expected);
    assert_string_equal(rows_for(model, "3,red\n", NULL), "- n:3 c=red:1\n");
    assert_string_equal(rows_for(model, "3;red\n", "delimiter=;"), "- n:3 c=red:1\n");
    assert_string_equal(rows_for(model, "p,q,r\n3,red,x\n", "header=no"),
                        "! data:1:1: expected a number in column 'n', found 'p'");
    assert_string_equal(rows_for(model, "3\n", NULL),
                        "! data:1:1: expected 3 columns as in training, or 2 without the label, "
                        "found 1");
    assert_string_equal(rows_for(model, "n,c\n3,red\nx,red\n4,red,x\n\"5\n", "skip-bad=yes"),
                        "- n:3 c=red:1\n");
    assert_int_equal(got.skipped, 3);
    tlu_model_free(model);
}

static void another_file_without_a_header(void **state)
{
    (void)state;
    tlu_model *model = model_of("1,x,red\n-2,y,blue\n", "label=2 missing=zero");
    assert_string_equal(rows_for(model, "3,x,red\n", NULL), "x 1:3 3=red:1\n");
    assert_string_equal(rows_for(model, "3,red\n", NULL), "- 1:3 3=red:1\n");
    assert_string_equal(rows_for(model, "a,b\n3,red\n", "header=yes"), "- 1:3 3=red:1\n");
    assert_string_equal(rows_for(model, ",red\n", NULL), "- 3=red:1\n"); // as in training
    assert_string_equal(
        rows_for(model, ",red\n", "missing=refuse"),
        "! data:1:1: the value in column '1' is missing: the field is empty; --missing auto would "
        "replace it, --ignore leave the column out");
    tlu_model_free(model);
}

static void names_twice_in_another_file(void **state)
{
    (void)state;
    const char *text = "a,a,,label\n1,2,3,x\n-1,-2,-3,y\n";
    tlu_model *model = model_of(text, NULL);
    assert_string_equal(rows_for(model, text, NULL), "x a:1 a.2:2 3:3\ny a:-1 a.2:-2 3:-3\n");
    tlu_model_free(model);
    // A word of a row that is also a column's name makes no header of it.
    model = model_of("red,size,age,label\nyes,1,2,x\nred,3,4,y\n", "header=yes");
    assert_string_equal(rows_for(model, "red,7,8,x\n", NULL), "x red=red:1 size:7 age:8\n");
    tlu_model_free(model);
}

static void one_line(void **state)
{
    (void)state;
    tlu_model *model = model_of("n,c,label\n1,red,x\n-1,blue,y\n", NULL);
    const char *label = NULL;
    double score = 0;
    tlu_error error;
    assert_int_equal(tlu_model_predict_line(model, "5,red", &label, &score, &error), TLU_OK);
    assert_string_equal(label, "x");
    assert_int_equal(tlu_model_predict_line(model, "-5,blue,x", &label, &score, &error), TLU_OK);
    assert_string_equal(label, "y");
    assert_int_equal(tlu_model_predict_line(model, "", &label, &score, &error), TLU_ERROR_INPUT);
    assert_string_equal(error.text, "expected one row of data, found none");
    assert_int_equal(tlu_model_predict_line(model, "1,red\n2,red\n", &label, &score, &error),
                     TLU_ERROR_INPUT);
    assert_string_equal(error.text, "expected one row of data, found more");
    tlu_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes),
        cmocka_unit_test(broken_quotes),
        cmocka_unit_test(broken_quotes_cost_one_row),
        cmocka_unit_test(delimiters),
        cmocka_unit_test(header),
        cmocka_unit_test(names_of_columns),
        cmocka_unit_test(which_column_is_the_label),
        cmocka_unit_test(kinds_of_columns),
        cmocka_unit_test(a_few_words_among_many_numbers),
        cmocka_unit_test(missing_values),
        cmocka_unit_test(features_of_two_columns),
        cmocka_unit_test(lists_of_columns),
        cmocka_unit_test(header_in_a_comment),
        cmocka_unit_test(another_delimiter_than_in_training),
        cmocka_unit_test(options_for_libsvm),
        cmocka_unit_test(numbers_of_fields),
        cmocka_unit_test(another_file_with_a_header),
        cmocka_unit_test(another_file_without_a_header),
        cmocka_unit_test(names_twice_in_another_file),
        cmocka_unit_test(one_line),
    };
    return cmocka_run_group_tests(tests, NULL, free_reading);
}
