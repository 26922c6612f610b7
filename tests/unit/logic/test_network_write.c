// Networks as text and JSON, word for word.
#include "base/fault.h"
#include "networks.h"
#include "tlu_logic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// The parity of a and of what was before: q is the parity so far.
static struct tlu_network *parity(void)
{
    struct tlu_network *network = network_new(1, 1);
    bool made = network && network_name_input(network, 0, "a") &&
                network_name_delay(network, 0, "q", false);
    uint32_t both = made ? network_add_unit(network, "both", (struct link[]){{1, 1}, {0, 1}}, 2, 2)
                         : SIGNAL_NONE;
    uint32_t odd =
        both != SIGNAL_NONE
            ? network_add_unit(network, "odd", (struct link[]){{0, 1}, {1, 1}, {both, -2}}, 3, 1)
            : SIGNAL_NONE;
    if (odd != SIGNAL_NONE)
        network_connect_delay(network, 0, odd);
    if (odd != SIGNAL_NONE && network_add_output(network, "odd", odd))
        return network;
    tlu_network_free(network);
    return NULL;
}

static void expect(struct tlu_network *network, const char *language, const char *expected)
{
    tlu_error error;
    char *text = written_as(network, language, &error);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void test_text_and_json(void **state)
{
    (void)state;
    struct tlu_network *network = parity();
    assert_non_null(network);
    expect(network, "text",
           "inputs a\n"
           "delay q = odd start 0\n"
           "unit both = 1 a + 1 q >= 2\n"
           "unit odd = 1 a + 1 q - 2 both >= 1\n"
           "output odd = odd\n");
    expect(network, "json",
           "{\"inputs\": [\"a\"],\n"
           " \"delays\": [\n"
           "   {\"name\": \"q\", \"from\": \"odd\", \"start\": 0}],\n"
           " \"units\": [\n"
           "   {\"name\": \"both\", \"weights\": {\"a\": 1, \"q\": 1}, \"threshold\": 2},\n"
           "   {\"name\": \"odd\", \"weights\": {\"a\": 1, \"q\": 1, \"both\": -2}, "
           "\"threshold\": 1}],\n"
           " \"outputs\": [\n"
           "   {\"name\": \"odd\", \"from\": \"odd\"}]}\n");
    tlu_network_free(network);
}

// Names that need quotes, are no UTF-8, or are those of two signals; a unit without links.
static void test_names(void **state)
{
    (void)state;
    struct tlu_network *network = network_new(4, 0);
    assert_true(network && network_name_input(network, 0, "colour=\"red\"") &&
                network_name_input(network, 1, "u1") && network_name_input(network, 2, "\xFFz\n") &&
                network_name_input(network, 3, "H\xC3\xB6he"));
    network_add_unit(network, NULL, (struct link[]){{0, -1}, {3, 5}, {2, 0}, {3, -2}}, 4, -7);
    uint32_t none = network_add_unit(network, NULL, NULL, 0, 0);
    assert_true(network_add_output(network, "u1", 4) && network_add_output(network, "u1", none));
    expect(network, "text",
           "inputs \"colour=\\\"red\\\"\" u1 \"\\xffz\\x0a\" H\xC3\xB6he\n"
           "unit u1_2 = -1 \"colour=\\\"red\\\"\" + 3 H\xC3\xB6he >= -7\n"
           "unit u2 = 0 >= 0\n"
           "output u1 = u1_2\n"
           "output u1_2 = u2\n");
    expect(network, "json",
           "{\"inputs\": [\"colour=\\\"red\\\"\", \"u1\", \"\xEF\xBF\xBDz\\u000a\", "
           "\"H\xC3\xB6he\"],\n"
           " \"units\": [\n"
           "   {\"name\": \"u1_2\", \"weights\": {\"colour=\\\"red\\\"\": -1, \"H\xC3\xB6he\": 3}, "
           "\"threshold\": -7},\n"
           "   {\"name\": \"u2\", \"weights\": {}, \"threshold\": 0}],\n"
           " \"outputs\": [\n"
           "   {\"name\": \"u1\", \"from\": \"u1_2\"},\n"
           "   {\"name\": \"u1_2\", \"from\": \"u2\"}]}\n");
    tlu_network_free(network);
}

// Lines of many parts are cut before column 100.
static void test_long_lines(void **state)
{
    tlu_error error;
    (void)state;
    struct tlu_network *network = network_new(300, 0);
    struct link links[300];
    assert_non_null(network);
    for (uint32_t i = 0; i < 300; i++) {
        assert_true(network_name_input(network, i, i % 2 ? "odd" : "even"));
        links[i] = (struct link){i, i % 3 ? 12345 : -9};
    }
    uint32_t unit = network_add_unit(network, "u", links, 300, 1);
    assert_true(network_add_output(network, "u", unit));
    for (int json = 0; json < 2; json++) {
        char *text = written_as(network, json ? "json" : "text", &error), *rest = text;
        assert_non_null(text);
        for (char *line; (line = strsep(&rest, "\n"));)
            assert_true(strlen(line) <= 100);
        free(text);
    }
    tlu_network_free(network);
}

static int stop(void *context, const char *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return 1;
}

static void test_failures(void **state)
{
    tlu_error error;
    (void)state;
    struct tlu_network *network = parity();
    assert_non_null(network);
    assert_int_equal(tlu_network_write(network, "vhdl", stop, NULL, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(
        error.text, "no language 'vhdl' for a network: there are text, json, dot, verilog, c"));
    assert_int_equal(tlu_network_write(network, "text", stop, NULL, &error), TLU_INTERRUPTED);
    tlu_network_free(network);
    static const char *const languages[] = {"text", "json", "dot", "verilog", "c"};
    for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++) {
        bool failed = true;
        for (long n = 1; failed; n++) {
            fault_at(FAULT_MEMORY, n);
            char *text = NULL;
            if ((network = parity()))
                text = written_as(network, languages[i], &error);
            failed = text == NULL;
            fault_at(FAULT_MEMORY, 0);
            free(text);
            tlu_network_free(network);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_and_json),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
