/* Grade 2 of tlu.h: a model in a file that learns from a stream of text, as tlu stream does. Rows
   come from standard input, or from the digits of the examples; an answer goes out for each.

       live examples/data */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <tlu.h>
#include <unistd.h>

/* Returns the bytes that have arrived. It must not wait, because other threads read ahead. */
static int read_some(void *context, char *bytes, size_t size, size_t *got, int *end,
                     tlu_error *error)
{
    struct pollfd input = {.fd = *(int *)context, .events = POLLIN};
    if (poll(&input, 1, 0) <= 0)
        return 0;
    ssize_t n = read(input.fd, bytes, size);
    if (n < 0) {
        error->status = TLU_ERROR_SYSTEM;
        snprintf(error->text, sizeof error->text, "the stream cannot be read");
        return -1;
    }
    *got = (size_t)n;
    *end = n == 0;
    return 0;
}

int main(int argc, char **argv)
{
    char path[4096];
    int input = STDIN_FILENO;
    tlu_stream_state state = TLU_STREAM_WAIT;
    tlu_error error;
    tlu_stream *stream;
    tlu_stream_settings settings = {.size = sizeof settings, .journal = "live.tlu.journal"};
    if (argc > 1) {
        snprintf(path, sizeof path, "%s/digits-train.svm", argv[1]);
        input = open(path, O_RDONLY);
    }
    tlu_status status = tlu_stream_open("live.tlu", NULL, &settings, &stream, &error);
    if (status != TLU_OK) {
        fprintf(stderr, "stream: %s\n", error.text);
        return status;
    }

    while (status == TLU_OK && state != TLU_STREAM_END) {
        struct pollfd wait = {.fd = input, .events = POLLIN};
        const char *answers;
        size_t length;
        if (state == TLU_STREAM_WAIT)
            poll(&wait, 1, -1);
        status = tlu_stream_poll(stream, read_some, &input, &state, &answers, &length, &error);
        fwrite(answers, 1, length, stdout);
        fflush(stdout);
    }
    if (status != TLU_OK)
        fprintf(stderr, "stream: %s\n", error.text);

    /* The rows before an error were trained on. */
    tlu_stream_stats counts = *tlu_stream_get_stats(stream);
    fprintf(stderr, "%llu of %llu right\n", (unsigned long long)counts.correct,
            (unsigned long long)counts.examples);
    tlu_error other;
    if (tlu_stream_save(stream, &other) != TLU_OK) {
        fprintf(stderr, "stream: %s\n", other.text);
        status = TLU_ERROR_SYSTEM;
    }
    tlu_stream_close(stream);
    return status;
}
