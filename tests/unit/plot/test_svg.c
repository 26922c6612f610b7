// SVG in fewer bytes: what is left of what cairo writes, by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/memory.h"
#include "plot/paint/paint.h"

#include <string.h>

#include <cmocka.h>

static void check(const char *svg, const char *expected)
{
    struct byte_buffer made = {0};
    svg_shorten(svg, strlen(svg), &made);
    assert_false(made.failed);
    buffer_add(&made, "", 1);
    assert_string_equal((char *)made.data, expected);
    memory_free(made.data);
}

static void paths_go_from_point_to_point(void **state)
{
    (void)state;
    check("<path d=\"M 60 340 L 700.5 140.254 \"/>", "<path d=\"M60 340l640.5-199.75\"/>\n");
    check("<path d=\"M 1 1 L 2 1 L 2 2 Z M 1 1 \"/>", "<path d=\"M1 1l1 0l0 1z\"/>\n");
    check("<path d=\"M 1 1 L 2 1 Z M 5 5 L 5.05 5 \"/>", "<path d=\"M1 1l1 0zm4 4l.05 0\"/>\n");
    check("<path d=\"M 0 0 C 1 2 3 4 5 6 C 5 6 5 6 5 6 \"/>",
          "<path d=\"M0 0c1 2 3 4 5 6c0 0 0 0 0 0\"/>\n");
    check("<path d=\"M -0.004 -0.005 L 10.999 0.995 \"/>", "<path d=\"M0-.01l11 1.01\"/>\n");
}

// Places are rounded, not ways: nothing adds up.
static void nothing_drifts(void **state)
{
    (void)state;
    check("<path d=\"M 0 0 L 0.333 0 L 0.666 0 L 0.999 0 L 1.332 0 \"/>",
          "<path d=\"M0 0l.33 0l.34 0l.33 0l.33 0\"/>\n");
}

static void what_is_not_known_stays(void **state)
{
    (void)state;
    check("<path d=\"M 1 1 A 2 3 \"/>", "<path d=\"M 1 1 A 2 3 \"/>\n");
    check("<path d=\"M 1e-5 1 L 2 2\"/>", "<path d=\"M 1e-5 1 L 2 2\"/>\n");
    check("<path d=\"M 1 1 L 2\"/>", "<path d=\"M 1 1 L 2\"/>\n");
    check("<rect x=\"1.23456\" y=\"10%\" width=\"720px\" foo=\"1.23456\"/>",
          "<rect x=\"1.23\" y=\"10%\" width=\"720px\" foo=\"1.23456\"/>\n");
    check("<g><defs/></g>", "<g>\n<defs/>\n</g>\n");
    check("<use transform=\"matrix(0.123456,0,0,1,2,3)\"/>",
          "<use transform=\"matrix(0.123456,0,0,1,2,3)\"/>\n");
}

static void looks_are_short(void **state)
{
    (void)state;
    check("<path style=\" stroke:none;fill-rule:evenodd;fill:rgb(12.156863%,13.72549%,15.686275%);"
          "fill-opacity:1;\" d=\"\"/>",
          "<path fill-rule=\"evenodd\" fill=\"#1f2328\" d=\"\"/>\n");
    check("<path fill=\"none\" stroke=\"rgb(100%, 0%, 50%)\" stroke-opacity=\"0.5\" d=\"\"/>",
          "<path fill=\"none\" stroke=\"#ff0080\" stroke-opacity=\"0.5\" d=\"\"/>\n");
    check("<path fill=\"rgb(1,2,3)\" d=\"\"/>", "<path fill=\"rgb(1,2,3)\" d=\"\"/>\n");
    check("<path style=\"stroke-width:1.5000001;stroke:rgb(100%,0%,50%);stroke-dasharray:4,4;\" "
          "d=\"\"/>",
          "<path stroke-width=\"1.5\" stroke=\"#ff0080\" stroke-dasharray=\"4,4\" d=\"\"/>\n");
}

static void what_paths_share_is_said_once(void **state)
{
    (void)state;
    check("<path style=\"a:1;\" d=\"M 1 1 L 2 2 \"/>\n<path style=\"a:1;\" d=\"M 3 3 L 4 4 \"/>\n"
          "<path style=\"a:2;\" d=\"M 5 5 L 6 6 \"/>\n<g>\n</g>",
          "<g a=\"1\">\n<path d=\"M1 1l1 1\"/>\n<path d=\"M3 3l1 1\"/>\n</g>\n"
          "<path a=\"2\" d=\"M5 5l1 1\"/>\n<g>\n</g>\n");
}

static void images_are_numbered_within_the_file(void **state)
{
    (void)state;
    check("<image id=\"image42\"/><image id=\"image7\"/><use xlink:href=\"#image7\"/>"
          "<g id=\"surface9\"></g>",
          "<image id=\"image0\" image-rendering=\"optimizeSpeed\" "
          "style=\"image-rendering:pixelated\"/>\n"
          "<image id=\"image1\" image-rendering=\"optimizeSpeed\" "
          "style=\"image-rendering:pixelated\"/>\n"
          "<use xlink:href=\"#image1\"/>\n<g>\n</g>\n");
}

// Nothing that cairo could ever write makes it read past the end.
static void cut_files_end(void **state)
{
    (void)state;
    static const char svg[] = "<svg a=\"1\"><g id=\"image3\"><path style=\"fill:rgb(1%,2%,3%);\" "
                              "d=\"M 1 2 L -3 4 C 1 2 3 4 5 6 Z M 1 2 \"/></g></svg>";
    for (size_t size = 0; size < sizeof svg; size++) {
        struct byte_buffer made = {0};
        char *copy = memory_copy(svg, size + 1, 1); // with nothing after it that a sanitizer allows
        svg_shorten(copy, size, &made);
        assert_false(made.failed);
        memory_free(copy);
        memory_free(made.data);
    }
}

static void failing_memory_is_reported(void **state)
{
    (void)state;
    static const char svg[] = "<image id=\"image1\"/><path style=\"a:1;\" d=\"M 1 1 L 2 2 \"/>";
    bool hit = true;
    for (long n = 1; hit; n++) {
        struct byte_buffer made = {0};
        fault_at(FAULT_MEMORY, n);
        svg_shorten(svg, sizeof svg - 1, &made);
        hit = fault_calls(FAULT_MEMORY) >= n;
        fault_at(FAULT_MEMORY, 0);
        assert_int_equal(made.failed, hit);
        memory_free(made.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_go_from_point_to_point),
        cmocka_unit_test(nothing_drifts),
        cmocka_unit_test(what_is_not_known_stays),
        cmocka_unit_test(looks_are_short),
        cmocka_unit_test(what_paths_share_is_said_once),
        cmocka_unit_test(images_are_numbered_within_the_file),
        cmocka_unit_test(cut_files_end),
        cmocka_unit_test(failing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
