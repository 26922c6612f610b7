// Regular expressions as automata and networks: by hand, and at random against regexec of the C
// library, against a matcher that follows the tree of the expression, and against the network.
#include "base/random.h"
#include "tlu.h"
#include "tlu_logic.h"
#include "trials.h"

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const encodings[] = {NULL, "onehot", "binary"};
static const char *const letter_codes[] = {"onehot", "binary"};

static tlu_automaton *automaton_of(const char *expression)
{
    tlu_automaton *automaton;
    tlu_error error;
    if (tlu_automaton_from_regex(expression, &automaton, &error) != TLU_OK)
        fail_msg("%s: %s", expression, error.text);
    return automaton;
}

static void prove(const tlu_automaton *automaton, const tlu_network *network, const char *what)
{
    tlu_equivalence *walk;
    tlu_error error;
    assert_int_equal(tlu_equivalence_check(automaton, network, &walk, &error), TLU_OK);
    if (!walk->equal)
        fail_msg("%s: '%s' tells them apart", what, walk->text);
    assert_true(walk->pairs >= tlu_automaton_get_facts(automaton)->states);
    tlu_equivalence_free(walk);
}

static int accepted(tlu_automaton_run *run, const char *text, size_t size)
{
    size_t used;
    tlu_automaton_run_reset(run);
    for (size_t at = 0; at < size; at += used) {
        used = tlu_automaton_run_feed(run, text + at, size - at);
        assert_true(used > 0);
    }
    return tlu_automaton_run_get_state(run)->accepted;
}

// ---- by hand ----

static void check(const char *expression, const char *yes, const char *no)
{
    tlu_automaton *automaton = automaton_of(expression);
    tlu_network *network;
    tlu_automaton_run *run;
    tlu_error error;
    assert_int_equal(tlu_network_from_automaton(automaton, NULL, NULL, &network, &error), TLU_OK);
    assert_int_equal(tlu_automaton_run_new(automaton, network, &run, &error), TLU_OK);
    for (int want = 1; want >= 0; want--)
        for (const char *at = want ? yes : no; *at; at += strcspn(at, " "), at += *at == ' ') {
            size_t length = strcspn(at, " ");
            const char *word = strncmp(at, "()", 2) == 0 ? "" : at; // the empty string
            length = word == at ? length : 0;
            if (accepted(run, word, length) != want)
                fail_msg("%s: %.*s is %s", expression, (int)length, word,
                         want ? "not accepted" : "accepted");
        }
    prove(automaton, network, expression);
    tlu_automaton_run_free(run);
    tlu_network_free(network);
    tlu_automaton_free(automaton);
}

static void by_hand(void **state)
{
    (void)state;
    check("a(b|c)*", "a ab acb abcbc", "() b ba aa abd");
    check("()", "()", "a b");
    check("a|()", "() a", "aa b");
    check("a{2,3}", "aa aaa", "() a aaaa");
    check("a{2}", "aa", "a aaa");
    check("a{2,}", "aa aaa aaaaaaa", "() a");
    check("a{0}b", "b", "ab a ()");
    check("(ab){1,2}c?", "ab abab abc ababc", "c a ababab abcc");
    check(".", "a \xC3\xA9 \xE2\x82\xAC \xFF", "() aa \xC3\xA9\xC3\xA9");
    check("[^a]", "b \xC3\xA9", "() a bb");
    check("[a-c]+", "a abc cba", "() d abcd");
    check("[]a]+", "] a ]a", "[ b");
    check("[^]a]", "b [", "] a");
    check("[a-]+", "a - a-", "b");
    check("[]-a]", "] ^ _ ` a", "b \\");
    check("[[:digit:][:upper:]_]+", "A 0 _ A_9", "a -");
    check("[[:alpha:]]{3}", "abC", "ab ab1");
    check("\\d+\\.\\d*", "1. 12.5 0.0", ".5 1 1,5");
    check("\\w+", "a_1 Z", "- a-b");
    check("\\W", "- \xC3\xA9", "a _ 0");
    check("\\x41\\(\\)\\\\", "A()\\", "A() A");
    check("a**", "() a aaa", "b");
    check("(a+?)*", "() a aa", "b");
    check("[\xC3\xA0-\xC3\xBF]", "\xC3\xA9 \xC3\xA0", "a \xC3\x80 \xC3");
    check("(a|b)*abb", "abb aabb babb ababb", "() ab abba");
    check("(0|1(01*0)*1)+", "0 11 110 1001 1100", "() 1 10 100 101"); // multiples of three
}

// The textbook's sizes: (a|b)*abb has a minimal automaton of 4 states; with the state for all
// strings that have another letter, 5. The n-th letter from the end being a takes 2^n, and one.
static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        size_t states, letters;
    } known[] = {
        {"(a|b)*abb", 5, 3},        {"a(b|c)*", 3, 4}, {".*", 1, 1},
        {"(a|b)*a(a|b){4}", 33, 3}, {"[a-z]+", 3, 2},  {"(0|1(01*0)*1)+", 5, 3},
        {"[^a-z]|[c-e]", 3, 3},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        tlu_automaton *automaton = automaton_of(known[i].expression);
        assert_int_equal(tlu_automaton_get_facts(automaton)->states, known[i].states);
        assert_int_equal(tlu_automaton_get_facts(automaton)->symbols, known[i].letters);
        tlu_automaton_free(automaton);
    }
}

static void letters_are_named(void **state)
{
    (void)state;
    static const char *const names[] = {"[\\x09-\\x0D ]", "[\\x2D\\x5D]", "\\x5C", "a",
                                        "[b-dx]",         "\xC3\xA9",     "other"};
    tlu_automaton *automaton = automaton_of("[[:space:]][]-]a[b-dx]\\\\\xC3\xA9");
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(tlu_automaton_symbol_name(automaton, i), names[i]);
    assert_null(tlu_automaton_symbol_name(automaton, 7));
    tlu_automaton_free(automaton);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        unsigned column;
        const char *part;
    } bad[] = {
        {"", 0, "the regular expression is empty; () is the empty string"},
        {"a(b", 2, "( is not closed by ); add it"},
        {"ab)", 3, "there is no ( for this ); remove it, or write \\)"},
        {"*a", 1, "there is nothing before it that it could repeat"},
        {"a|*", 3, "there is nothing before it"},
        {"a|", 3, "expected something to match; () is the empty string"},
        {"(|a)", 2, "expected something to match"},
        {"a{3,2}", 2, "repeats at least 3 and at most 2 times; swap the numbers"},
        {"a{,2}", 2, "expected {m}, {m,} or {m,n}"},
        {"a{2", 2, "expected {m}, {m,} or {m,n}"},
        {"a{1001}", 2, "repeats more than 1000 times"},
        {"{2}", 1, "nothing before { that it could repeat"},
        {"a{1000}{1000}", 8, "with its repeats written out, this has more than 50000 parts"},
        {"[a", 1, "[ is not closed by ]; add it"},
        {"x[]", 2, "[ is not closed by ]; add it"},
        {"[z-a]", 2, "the range goes backwards"},
        {"[[:alpha]", 2, "[: is not closed by :]; add it"},
        {"[[:alpah:]]", 4, "there is no class 'alpah'"},
        {"[[.a.]]", 2, "[. is not supported"},
        {"[a-[:digit:]]", 4, "a range ends with a character; name one"},
        {"a\\", 2, "\\ stands before the character that it is about"},
        {"(a)\\1", 4,
         "\\1 refers back to a group, which no finite automaton can do; write the group again"},
        {"\\q", 1, "\\q is unknown"},
        {"\\x4", 1, "expected \\x with two hexadecimal digits"},
        {"\\x80", 1, "expected \\x with two hexadecimal digits"},
        {"^a", 1, "anchors are not needed, as the whole string is matched"},
        {"a$", 2, "anchors are not needed"},
        {"a\xFF", 2, "this byte is not UTF-8"},
        {"(a|b)*a(a|b){16}", 0,
         "the automaton is too large: made deterministic, it has more than "
         "10000 states"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tlu_automaton *automaton = (void *)1;
        tlu_error error;
        assert_int_equal(tlu_automaton_from_regex(bad[i].expression, &automaton, &error),
                         TLU_ERROR_INPUT);
        assert_null(automaton);
        assert_int_equal(error.column, bad[i].column);
        if (!strstr(error.text, bad[i].part))
            fail_msg("%s: %s", bad[i].expression, error.text);
    }
}

static void nested_too_deep(void **state)
{
    (void)state;
    char text[5000];
    tlu_automaton *automaton;
    tlu_error error;
    memset(text, '(', 2000);
    memset(text + 2000, ')', 2000);
    text[4000] = '\0';
    assert_int_equal(tlu_automaton_from_regex(text, &automaton, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "nested more than 200 deep"));
    memset(text, '*', 4000);
    text[0] = 'a';
    assert_int_equal(tlu_automaton_from_regex(text, &automaton, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "nested too deep"));
}

// ---- at random: trees of expressions ----

#define TREE_MAX 60
#define STRING_MAX 12

struct tree {
    char kind; // a letter, '.', '[' (a or b), '^' (not a), '(' (nothing), '&', '|', '{'
    int left, right;
    int least, most; // -1: endless
};

struct trees {
    struct tree at[TREE_MAX];
    int count;
    char text[2000];
    size_t length;
    struct random random;
};

static int grow(struct trees *trees, int depth)
{
    static const char leaves[] = "aaabbbcc.[^(";
    int me = trees->count++;
    uint64_t choice = random_below(&trees->random, 8);
    struct tree tree = {0};
    if (depth == 0 || choice < 2 || trees->count > TREE_MAX - 10) {
        tree.kind = leaves[random_below(&trees->random, sizeof leaves - 1)];
    } else if (choice < 6) {
        tree.kind = choice < 4 ? '&' : '|';
        tree.left = grow(trees, depth - 1);
        tree.right = grow(trees, depth - 1);
    } else {
        static const int repeats[][2] = {{0, -1}, {1, -1}, {0, 1}, {0, 2}, {2, 2}, {1, 3}, {2, -1}};
        const int *repeat = repeats[random_below(&trees->random, 7)];
        tree.kind = '{';
        tree.least = repeat[0];
        tree.most = repeat[1];
        tree.left = grow(trees, depth - 1);
    }
    trees->at[me] = tree;
    return me;
}

static void put(struct trees *trees, const char *text)
{
    size_t length = strlen(text);
    assert_true(trees->length + length < sizeof trees->text);
    memcpy(trees->text + trees->length, text, length + 1);
    trees->length += length;
}

static void spell(struct trees *trees, int node)
{
    const struct tree *tree = &trees->at[node];
    char text[40] = {tree->kind};
    switch (tree->kind) {
    case '&':
        spell(trees, tree->left);
        spell(trees, tree->right);
        return;
    case '|':
    case '{':
        put(trees, "(");
        spell(trees, tree->left);
        if (tree->kind == '|') {
            put(trees, "|");
            spell(trees, tree->right);
        }
        put(trees, ")");
        if (tree->kind == '|')
            return;
        if (tree->most == -1 && tree->least < 2)
            put(trees, tree->least ? "+" : "*");
        else if (tree->most == 1)
            put(trees, "?");
        else {
            snprintf(text, sizeof text, tree->most == -1 ? "{%d,}" : "{%d,%d}", tree->least,
                     tree->most);
            put(trees, text);
        }
        return;
    default:
        put(trees, tree->kind == '['   ? "[ab]"
                   : tree->kind == '^' ? "[^a]"
                   : tree->kind == '(' ? "()"
                                       : text);
    }
}

static int takes(char kind, char letter)
{
    return kind == '.' || kind == letter || (kind == '[' && (letter == 'a' || letter == 'b')) ||
           (kind == '^' && letter != 'a');
}

// Where one may be after reading the node, from any of some places of the string: sets of bits.
static uint32_t places(const struct trees *trees, int node, const char *string, uint32_t from)
{
    const struct tree *tree = &trees->at[node];
    uint32_t reached = 0, all = tree->least == 0 ? from : 0;
    switch (tree->kind) {
    case '(':
        return from;
    case '&':
        return places(trees, tree->right, string, places(trees, tree->left, string, from));
    case '|':
        return places(trees, tree->left, string, from) | places(trees, tree->right, string, from);
    case '{':
        for (int times = 1; tree->most == -1 ? times <= 2 * STRING_MAX : times <= tree->most;
             times++) {
            from = places(trees, tree->left, string, from);
            if (times >= tree->least)
                all |= from;
        }
        return all;
    default:
        for (int i = 0; string[i]; i++)
            if (from >> i & 1 && takes(tree->kind, string[i]))
                reached |= 2u << i;
        return reached;
    }
}

static void random_string(struct random *random, char string[STRING_MAX + 1])
{
    size_t length = (size_t)random_below(random, STRING_MAX + 1);
    uint64_t letters = 1 + random_below(random, 4);
    for (size_t i = 0; i < length; i++)
        string[i] = "abcd"[random_below(random, letters)];
    string[length] = '\0';
}

static void compile(regex_t *regex, const struct trees *trees)
{
    char whole[2100];
    snprintf(whole, sizeof whole, "^(%s)$", trees->text);
    assert_int_equal(regcomp(regex, whole, REG_EXTENDED | REG_NOSUB), 0);
}

static int compare_strings(struct trees *trees, const tlu_automaton *automaton,
                           const tlu_network *network, int count)
{
    regex_t regex;
    tlu_automaton_run *run;
    tlu_error error;
    int matched = 0;
    compile(&regex, trees);
    assert_int_equal(tlu_automaton_run_new(automaton, network, &run, &error), TLU_OK);
    for (int i = 0; i < count; i++) {
        char string[STRING_MAX + 1];
        random_string(&trees->random, string);
        size_t length = strlen(string);
        int by_tree = places(trees, 0, string, 1) >> length & 1;
        int by_library = regexec(&regex, string, 0, NULL, 0) == 0;
        int by_network = accepted(run, string, length);
        if (by_tree != by_library || by_tree != by_network)
            fail_msg("%s with '%s': tree %d, regexec %d, network %d", trees->text, string, by_tree,
                     by_library, by_network);
        matched += by_tree;
    }
    regfree(&regex);
    tlu_automaton_run_free(run);
    return matched;
}

static void at_random(void **state)
{
    (void)state;
    int matched = 0, trials = 1000; // with ten times as many, regcomp takes hours over one of them
    for (int i = 0; i < trials; i++) {
        static struct trees trees;
        tlu_error error;
        trees.count = 0;
        trees.length = 0;
        random_seed(&trees.random, (uint64_t)i + 1);
        grow(&trees, 2 + i % 4);
        spell(&trees, 0);
        tlu_automaton *automaton = automaton_of(trees.text);
        for (size_t e = 0; e < 3; e++)
            for (size_t l = 0; l < 2; l++) {
                tlu_network *network;
                assert_int_equal(tlu_network_from_automaton(automaton, encodings[e],
                                                            letter_codes[l], &network, &error),
                                 TLU_OK);
                prove(automaton, network, trees.text);
                matched += compare_strings(&trees, automaton, network, 40);
                tlu_network_free(network);
            }
        tlu_automaton_free(automaton);
    }
    assert_true(matched > trials); // strings that match are among them
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),           cmocka_unit_test(sizes),
        cmocka_unit_test(letters_are_named), cmocka_unit_test(refusals),
        cmocka_unit_test(nested_too_deep),   cmocka_unit_test(at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
