/* A host with a sensor that gives a block of samples a thousand times a second. What is computed of
 * them is its users' script, which may be wrong, may change while it runs, and may never end.
 *
 *     cc sensor.c $(pkg-config --cflags --libs lunarray) -pthread -lm -o sensor && ./sensor
 *
 * With an argument, as ./sensor times, it also tells how late the blocks were. It
 *
 * prints:
 *     script: filter ready for mV
 *     block 150: alarm at 4.0 mV
 *     block 200: new script refused: [string "function process("]:1: <name> or '...' expected near <eof>
 *     block 250: script stopped: interrupted
 *     400 blocks of 64 samples, 399 results, 1 alarm, last rms 0.707
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lunarray.h>

enum { SAMPLES = 64, BLOCKS = 400, PERIOD = 1000000 }; /* nanoseconds */

static const char filter[] = "local level = 0\n"
                             "function process(block, gain)\n"
                             "  local v = block * gain\n"
                             "  local rms, peak = (v * v):mean() ^ 0.5, v:abs():max()\n"
                             "  if peak > 3 then alarm(peak) end\n"
                             "  return rms, v\n"
                             "end\n"
                             "print('filter ready for ' .. unit)";

typedef struct host {
    lun_engine *e;
    int block, results, alarms;
    double rms;
} host;

static void need(const host *h, lun_status s)
{
    if (s == LUN_OK)
        return;
    fprintf(stderr, "sensor: %s: %s\n", lun_status_name(s), lun_error(h->e));
    exit(EXIT_FAILURE);
}

/* What scripts print goes to the host's log. */
static void log_line(void *ctx, const char *text, size_t length)
{
    (void)ctx;
    printf("script: %.*s\n", (int)length, text);
}

/* What scripts call as alarm(level). */
static lun_status alarm_at(void *ctx, lun_engine *e, const lun_variant *args, int count,
                           lun_variant *results, int *given)
{
    host *h = ctx;
    (void)results;
    if (count != 1 || args[0].type != LUN_TYPE_NUMBER)
        return lun_fail(e, LUN_EARG, "a level is needed");
    printf("block %d: alarm at %.1f mV\n", h->block, args[0].as.number);
    h->alarms++;
    *given = 0;
    return LUN_OK;
}

/* The sensor: a sine, and one spike. */
static void sample(int block, float *x)
{
    for (int i = 0; i < SAMPLES; i++)
        x[i] = sinf((float)i * (6.2831853f / SAMPLES));
    if (block == 150)
        x[7] = 4;
}

/* One block: its samples go into an array that is there for good, the script's function is called
 * with it. A failure costs this block and nothing else. */
static void process(host *h, lun_array *block, const char *function)
{
    float x[SAMPLES];
    lun_variant args[2] = {{.type = LUN_TYPE_ARRAY, .as.array = block},
                           {.type = LUN_TYPE_NUMBER, .as.number = 1}};
    lun_variant results[2];
    sample(h->block, x);
    need(h, lun_write(h->e, block, x, 0, SAMPLES));
    lun_status s = lun_callglobal(h->e, function, args, 2, results, 2, NULL);
    if (s != LUN_OK) {
        const char *colon = strrchr(lun_error(h->e), ':');
        printf("block %d: script stopped%.13s\n", h->block, colon ? colon : "");
        return;
    }
    if (results[0].type == LUN_TYPE_NUMBER) {
        h->rms = results[0].as.number;
        h->results++;
    }
    if (results[1].type == LUN_TYPE_ARRAY)
        lun_release(results[1].as.array);
}

/* A user's Stop button: any thread may press it. */
static void *press_stop(void *e)
{
    const struct timespec soon = {.tv_nsec = 30 * PERIOD};
    nanosleep(&soon, NULL);
    lun_cancel(e);
    return NULL;
}

/* What users do while the sensor runs. Gives the function to call for this block. */
static const char *interfere(host *h, pthread_t *stop)
{
    if (h->block == 200 && lun_dostring(h->e, "function process(") != LUN_OK)
        printf("block 200: new script refused: %.*s\n", (int)strcspn(lun_error(h->e), "\n"),
               lun_error(h->e));
    if (h->block != 250)
        return "process";
    need(h, lun_dostring(h->e, "function endless() while true do end end"));
    if (pthread_create(stop, NULL, press_stop, h->e) != 0)
        exit(EXIT_FAILURE);
    return "endless";
}

static double seconds(struct timespec t)
{
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    host h = {.rms = 0};
    const lun_config config = {.size = sizeof config, .print = log_line};
    lun_array *block = NULL;
    struct timespec next, now;
    pthread_t stop;
    double late = 0, latest = 0;
    (void)argv;

    need(&h, lun_open(&config, &h.e));
    need(&h, lun_register(h.e, "alarm", alarm_at, &h));
    need(&h, lun_settext(h.e, "unit", "mV"));
    need(&h, lun_dostring(h.e, filter));
    need(&h, lun_vector(h.e, NULL, SAMPLES, LUN_F32, &block));

    clock_gettime(CLOCK_MONOTONIC, &next);
    for (h.block = 0; h.block < BLOCKS; h.block++) {
        process(&h, block, interfere(&h, &stop));
        clock_gettime(CLOCK_MONOTONIC, &now);
        next.tv_nsec += PERIOD;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        if (seconds(now) > seconds(next)) {
            late += 1;
            latest = fmax(latest, seconds(now) - seconds(next));
        }
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
            ;
    }
    pthread_join(stop, NULL);
    printf("%d blocks of %d samples, %d results, %d alarm, last rms %.3f\n", BLOCKS, SAMPLES,
           h.results, h.alarms, h.rms);
    if (argc > 1)
        printf("%g blocks late, at most by %.3f ms\n", late, latest * 1000);
    lun_release(block);
    lun_close(h.e);
    return 0;
}
