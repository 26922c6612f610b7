// Threads of the library in somebody else's program: they leave its signals to its own threads, and
// have stack enough wherever the default is small. (Not for the thread sanitizer, which gives
// threads stacks and signals of its own.)
#include "base/thread.h"
#include "learning.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define TASKS_MAX 64

// ---- What one thread is started with ------------------------------------------------------------

struct seen {
    sigset_t mask;
    size_t stack;
};

static void *look_at_self(void *argument)
{
    struct seen *seen = argument;
    pthread_attr_t attributes;
    pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &seen->stack);
        pthread_attr_destroy(&attributes);
    }
    return NULL;
}

static void a_thread_blocks_what_is_not_its_own(void **state)
{
    (void)state;
    static const int others[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM,
                                 SIGCHLD, SIGPIPE, SIGURG,  SIGIO,   SIGPROF, SIGWINCH};
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct seen seen = {.stack = 0};
    sigset_t before, after;
    pthread_t thread;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_true(thread_start(&thread, look_at_self, &seen));
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(sigismember(&seen.mask, others[i]), 1);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        assert_int_equal(sigismember(&seen.mask, own[i]), 0);
    for (int i = 1; i < 32; i++) // the caller's are as they were
        assert_int_equal(sigismember(&after, i), sigismember(&before, i));
}

static void a_thread_has_stack_enough(void **state)
{
    (void)state;
    pthread_attr_t small, before;
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    assert_int_equal(pthread_attr_init(&small), 0);
    for (size_t size = 128; size <= 4096; size *= 2) { // kB; the first is what musl has
        struct seen seen = {.stack = 0};
        pthread_t thread;
        size_t bytes = 1024 * size;
        assert_int_equal(pthread_attr_setstacksize(&small, bytes), 0);
        assert_int_equal(pthread_setattr_default_np(&small), 0);
        assert_true(thread_start(&thread, look_at_self, &seen));
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(seen.stack >= (bytes < THREAD_STACK_MIN ? THREAD_STACK_MIN : bytes));
    }
    pthread_setattr_default_np(&before);
    pthread_attr_destroy(&small);
    pthread_attr_destroy(&before);
}

// ---- Every place that starts threads ------------------------------------------------------------

struct watch {
    atomic_bool stop;
    long known[TASKS_MAX]; // threads of the test itself and of a sanitizer
    size_t known_count;
    size_t closed, open; // looks at threads that block signals, and that do not
};

static bool is_known(const struct watch *watch, long task)
{
    for (size_t i = 0; i < watch->known_count; i++)
        if (watch->known[i] == task)
            return true;
    return false;
}

// The signals that a thread blocks, as bits; false where it has ended.
static bool blocked_of(const char *task, unsigned long long *blocked)
{
    char path[300], line[200];
    bool found = false;
    unsigned threads = 0; // of one that is ending, no signals and no threads are shown
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        sscanf(line, "Threads: %u", &threads);
        found = sscanf(line, "SigBlk: %llx", blocked) == 1;
    }
    if (file)
        fclose(file);
    return found && threads > 0;
}

static void look_at_tasks(struct watch *watch, bool learn)
{
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        unsigned long long blocked, wanted = 0;
        static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM};
        long number = strtol(task->d_name, NULL, 10);
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            wanted |= 1ull << (signals[i] - 1);
        if (number == 0)
            continue;
        if (learn && watch->known_count < TASKS_MAX)
            watch->known[watch->known_count++] = number;
        else if (!is_known(watch, number) && blocked_of(task->d_name, &blocked))
            *((blocked & wanted) == wanted ? &watch->closed : &watch->open) += 1;
    }
    if (tasks)
        closedir(tasks);
}

static void *run_watch(void *argument)
{
    struct watch *watch = argument;
    look_at_tasks(watch, true);
    while (!watch->stop)
        look_at_tasks(watch, false);
    return NULL;
}

// What starts threads, again and again until some were seen.
static void expect_blocked(void (*work)(void))
{
    struct watch watch = {.stop = false};
    for (int i = 0; i < 200 && watch.closed + watch.open == 0; i++) {
        pthread_t reporter;
        watch.stop = false;
        watch.known_count = 0;
        assert_int_equal(pthread_create(&reporter, NULL, run_watch, &watch), 0);
        work();
        watch.stop = true;
        assert_int_equal(pthread_join(reporter, NULL), 0);
    }
    assert_true(watch.closed > 0);
    assert_int_equal(watch.open, 0);
}

static void read_libsvm(void)
{
    tlu_model_free(train("large.svm", "threads=3 epochs=1"));
}

static void read_csv(void)
{
    tlu_model_free(train("large.csv", "threads=3 epochs=1"));
}

static void shuffle(void)
{
    tlu_model_free(train("large.svm", "threads=2 epochs=3 shuffle=all"));
}

static void use_a_kernel(void)
{
    tlu_model_free(train("small.svm", "threads=3 epochs=2 kernel=poly:2"));
}

struct bytes_left {
    char *bytes;
    size_t size, given;
};

static int read_stream(void *context, char *bytes, size_t size, size_t *got, int *end,
                       tlu_error *error)
{
    struct bytes_left *input = context;
    size_t left = input->size - input->given;
    (void)error;
    *got = size < left ? size : left;
    memcpy(bytes, input->bytes + input->given, *got);
    input->given += *got;
    *end = left == 0;
    return TLU_OK;
}

static void learn_from_a_stream(void)
{
    struct bytes_left input = {.given = 0};
    tlu_options *options = options_of("threads=3");
    tlu_stream *stream;
    tlu_error error;
    tlu_stream_state state = TLU_STREAM_WAIT;
    input.bytes = read_bytes("large.svm", &input.size);
    if (tlu_stream_open("live.tlu", options, NULL, &stream, &error) != TLU_OK)
        fail_msg("%s", error.text);
    while (state != TLU_STREAM_END) {
        const char *said;
        size_t length;
        if (tlu_stream_poll(stream, read_stream, &input, &state, &said, &length, &error) != TLU_OK)
            fail_msg("%s", error.text);
    }
    tlu_stream_close(stream);
    tlu_options_free(options);
    free(input.bytes);
}

static void make_file(const char *path, const char *kind, const char *format, uint64_t rows)
{
    tlu_recipe recipe = {.size = sizeof recipe};
    tlu_error error;
    assert_int_equal(tlu_recipe_init(kind, &recipe, &error), TLU_OK);
    recipe.format = format;
    recipe.rows = rows;
    generate_file(path, &recipe);
}

static void every_kind_of_thread_blocks_signals(void **state)
{
    (void)state;
    if (access("/proc/self/task", R_OK) != 0)
        skip();
    make_file("large.svm", "sparse", "libsvm", 20000);
    make_file("large.csv", "blobs", "csv", 200000);
    make_file("small.svm", "blobs", "libsvm", 2000);
    expect_blocked(read_libsvm);
    expect_blocked(read_csv);
    expect_blocked(shuffle);
    expect_blocked(use_a_kernel);
    expect_blocked(learn_from_a_stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_blocks_what_is_not_its_own),
        cmocka_unit_test(a_thread_has_stack_enough),
        cmocka_unit_test(every_kind_of_thread_blocks_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
