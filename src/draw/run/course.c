#include "draw/run/course.h"
#include "base/memory.h"
#include "base/options.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_SIZE 4096
#define FEW_PASSES "10"     // of one that does not
#define PASSES "1000"       // of a perceptron that ends by itself, as tlu bound has them
#define LONG 20000000       // entries of rows to go through, to see whether it ends by itself
#define TOO_LONG 1000000000 // and at all
#define TOO_MUCH 100000000  // entries of rows to keep

// ---- what is trained

// A pipe that has been read would be waited for.
static bool is_read_once(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 || (stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
}

// *patient: how many passes there are was left open.
static tlu_status take_options(struct course *course, const struct plot *plot, bool *patient,
                               tlu_error *error)
{
    tlu_options *options = options_copy(plot->options);
    course->options = options;
    *patient = false;
    TRY(enough_memory(options != NULL, error));
    *patient = !options_is_set(options, OPTION_LEARNER) && !options_is_set(options, OPTION_EPOCHS);
    if (!options_is_set(options, OPTION_LEARNER)) {
        TRY(tlu_options_set(options, "learner", "perceptron", error));
        if (!options_is_set(options, OPTION_DECIDE))
            TRY(tlu_options_set(options, "decide", "last", error));
        if (*patient)
            TRY(tlu_options_set(options, "epochs", PASSES, error));
    }
    if (*options_text(options, OPTION_KERNEL))
        return error_input(error, "with --kernel a step changes the coefficients of rows, and "
                                  "there is no line to follow: tlu plot DATA draws the regions at "
                                  "the end, and tlu trace prints the steps");
    if (is_read_once(course->path))
        return error_input(error,
                           "a run is gone through several times, and %s can be read once: put the "
                           "data into a file",
                           strcmp(course->path, "-") == 0 ? "standard input" : course->path);
    return TLU_OK;
}

// ---- the first time

struct counting {
    struct course *course;
    uint64_t entries, most;
    bool too_long;
};

static int count_step(void *context, const tlu_step *step)
{
    struct counting *counting = context;
    struct course *course = counting->course;
    course->steps++;
    course->updates += step->updated != 0;
    course->mistakes += step->mistake != 0;
    counting->entries += step->example.count + 1;
    counting->too_long = counting->entries > counting->most;
    return counting->too_long;
}

// *ended: it has been ended after so many entries.
static tlu_status count(struct course *course, uint64_t entries, bool *ended, tlu_error *error)
{
    struct counting counting = {.course = course, .most = entries};
    tlu_train_settings data = {.size = sizeof data, .path = course->path};
    course->steps = course->updates = course->mistakes = 0;
    tlu_model_free(course->model);
    course->model = NULL;
    TRY(tlu_trace_with(&data, course->options, count_step, &counting, &course->model, error));
    *ended = counting.too_long;
    course->features = tlu_model_feature_count(course->model);
    return TLU_OK;
}

tlu_status course_open(struct course *course, const struct plot *plot, bool all, tlu_error *error)
{
    *course = (struct course){.path = plot->settings->path};
    bool patient, ended;
    TRY(take_options(course, plot, &patient, error));
    TRY(count(course, patient ? LONG : TOO_LONG, &ended, error));
    const tlu_report *report = tlu_model_report(course->model);
    if (patient && !report->converged && !report->cycle && (ended || !all)) {
        course->gave_up = true;
        TRY(tlu_options_set(course->options, "epochs", FEW_PASSES, error));
        TRY(count(course, TOO_LONG, &ended, error));
    }
    if (!ended)
        return picture_note(plot->picture, tlu_model_report(course->model), error);
    return error_input(error,
                       "this run has more than %llu steps, too many to draw: --epochs N ends it "
                       "after N passes",
                       (unsigned long long)course->steps);
}

void course_free(struct course *course)
{
    tlu_options_free(course->options);
    tlu_model_free(course->model);
    memory_free(course->numbers);
}

// ---- again

tlu_status course_go(struct course *course, tlu_step_function function, void *context,
                     tlu_error *error)
{
    tlu_train_settings data = {.size = sizeof data, .path = course->path};
    course->known = 0;
    return tlu_trace_with(&data, course->options, function, context, NULL, error);
}

static size_t number_of(const struct course *course, const tlu_step *step, size_t feature)
{
    char name[NAME_SIZE];
    if (tlu_step_feature_name(step, feature, name, sizeof name) >= sizeof name)
        return SIZE_MAX;
    return tlu_model_feature_find(course->model, name);
}

// A LIBSVM file that has an index 0 late in it moves all numbers by one.
static bool has_moved(const struct course *course, const tlu_step *step)
{
    return course->known > 0 &&
           (course->known > step->features || number_of(course, step, 0) != course->numbers[0] ||
            number_of(course, step, course->known - 1) != course->numbers[course->known - 1]);
}

bool course_number(struct course *course, const tlu_step *step)
{
    if (course->known == step->features)
        return true;
    if (!memory_reserve(&course->numbers, &course->capacity, step->features,
                        sizeof *course->numbers))
        return false;
    if (has_moved(course, step))
        course->known = 0;
    for (; course->known < step->features; course->known++)
        course->numbers[course->known] = number_of(course, step, course->known);
    return true;
}

// ---- in words

const char *course_ending(const struct course *course, char *out, size_t size)
{
    const tlu_report *report = tlu_model_report(course->model);
    char mistakes[COUNTED_SIZE], passes[COUNTED_SIZE], cycle[COUNTED_SIZE];
    counted(mistakes, course->mistakes, "mistake", "mistakes");
    counted(passes, report->epochs, "pass", "passes");
    if (report->converged)
        snprintf(out, size, "converged after %s in %s", mistakes, passes);
    else if (report->cycle)
        snprintf(out, size, "%s in %s: the weights came back after %s, so it never ends", mistakes,
                 passes, counted(cycle, report->cycle, "pass", "passes"));
    else if (course->gave_up)
        snprintf(out, size, "not converged, %s in the first %s", mistakes, passes);
    else
        snprintf(out, size, "not converged, %s in %s", mistakes, passes);
    return out;
}

// ---- rows

struct gathering {
    struct lessons *lessons;
    struct course *course;
    bool failed, too_much;
};

static bool make_room(struct lessons *lessons, size_t entries)
{
    return memory_reserve(&lessons->offsets, &lessons->offsets_capacity, lessons->count + 2,
                          sizeof *lessons->offsets) &&
           memory_reserve(&lessons->classes, &lessons->classes_capacity, lessons->count + 1,
                          sizeof *lessons->classes) &&
           memory_reserve(&lessons->features, &lessons->features_capacity, entries,
                          sizeof *lessons->features) &&
           memory_reserve(&lessons->values, &lessons->values_capacity, entries,
                          sizeof *lessons->values);
}

static int gather_row(void *context, const tlu_step *step)
{
    struct gathering *gathering = context;
    struct lessons *lessons = gathering->lessons;
    const struct course *course = gathering->course;
    if (step->pass > 1)
        return 1;
    size_t entry = lessons->count ? (size_t)lessons->offsets[lessons->count] : 0;
    gathering->too_much = entry > TOO_MUCH;
    gathering->failed = !course_number(gathering->course, step) ||
                        !make_room(lessons, entry + step->example.count + 1);
    if (gathering->too_much || gathering->failed)
        return 1;
    for (size_t i = 0; i < step->example.count; i++) {
        size_t number = course->numbers[step->example.features[i]];
        if (number >= course->features)
            continue;
        lessons->features[entry] = (uint32_t)number;
        lessons->values[entry++] = step->example.values ? step->example.values[i] : 1;
    }
    lessons->classes[lessons->count] = (uint32_t)tlu_model_class_find(course->model, step->label);
    if (lessons->count == 0)
        lessons->offsets[0] = 0;
    lessons->offsets[++lessons->count] = entry;
    return 0;
}

tlu_status lessons_gather(struct lessons *lessons, struct course *course, tlu_error *error)
{
    struct gathering gathering = {.lessons = lessons, .course = course};
    *lessons = (struct lessons){.count = 0};
    TRY(course_go(course, gather_row, &gathering, error));
    TRY(enough_memory(!gathering.failed, error));
    if (gathering.too_much)
        return error_input(error, "the data is too large to draw a run of: a part of its "
                                  "rows will do");
    return TLU_OK;
}

void lessons_free(struct lessons *lessons)
{
    memory_free(lessons->offsets);
    memory_free(lessons->features);
    memory_free(lessons->values);
    memory_free(lessons->classes);
}
