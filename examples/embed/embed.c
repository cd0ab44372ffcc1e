/* A C program that lets its users' scripts work on its own memory:
 *
 *     cc embed.c $(pkg-config --cflags --libs lunarray) -o embed && ./embed
 *
 * prints:
 *     mean square 2.5, computed without a copy
 *     script: ok
 *     peak 6 at second 3, smoothed samples start with 0.5 1.5 2.5
 *     script: [string "samples[9] = 1"]:1: bad argument #2 to 'A[i] = x' (index 9 is out of range: 1 to 4, or -1 to -4 from the end)
 *     script: [string "while true do end"]:1: time limit reached: 1 seconds
 *     script: [string "io.open('/etc/passwd')"]:1: attempt to index a nil value (global 'io')
 *     samples are 2 4 6 4, given back
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lunarray.h>

/* Every call but a few gives a status; this host gives up at the first that it does not expect. */
static void need(lun_engine *e, lun_status s)
{
    if (s == LUN_OK)
        return;
    fprintf(stderr, "embed: %s: %s\n", lun_status_name(s), lun_error(e));
    exit(EXIT_FAILURE);
}

/* A user's script may fail; the host only reports it. */
static void run(lun_engine *e, const char *script)
{
    const char *text = "ok";
    if (lun_dostring(e, script) != LUN_OK)
        text = lun_error(e);
    printf("script: %.*s\n", (int)strcspn(text, "\n"), text);
}

static void given_back(void *data, void *ctx)
{
    const float *x = data;
    printf("samples are %g %g %g %g, %s\n", x[0], x[1], x[2], x[3], (const char *)ctx);
}

int main(void)
{
    /* Scripts get no files, no C, 64 MB and a second each. */
    lun_config config = {
        .size = sizeof config, .sandbox = 1, .time_limit = 1, .memory_limit = 64 << 20};
    lun_engine *e = NULL;
    need(NULL, lun_open(&config, &e));

    /* The host's own memory becomes an array, not copied; given_back is told when
     * it is free again. */
    static float samples[4] = {1, 2, 2, 1};
    lun_array *a = NULL;
    need(e, lun_wrap(e, samples, 4, LUN_F32, given_back, "given back", &a));

    /* An expression built from C: nothing runs before its value is asked for. */
    lun_array *square = NULL;
    lun_value mean;
    need(e, lun_mul(e, a, a, &square));
    need(e, lun_total(e, LUN_MEAN, square, 0, &mean));
    printf("mean square %g, computed without a copy\n", mean.as.d);
    lun_release(square);

    /* A script sees it under a name. What it writes is in the host's memory. */
    need(e, lun_setglobal(e, "samples", a));
    need(e, lun_setnumber(e, "gain", 2));
    run(e, "samples:set(samples * gain + lun.vector{0, 0, 2, 2})\n"
           "smoothed = samples:map(function(x) return x / 2 end) - 0.5\n"
           "peak, at = samples:max(), samples:argmax()");
    double peak = 0, at = 0;
    float first[3];
    lun_array *smoothed = NULL;
    need(e, lun_getnumber(e, "peak", &peak));
    need(e, lun_getnumber(e, "at", &at));
    need(e, lun_getglobal(e, "smoothed", &smoothed));
    need(e, lun_read(e, smoothed, first, 0, 3));
    printf("peak %g at second %g, smoothed samples start with %g %g %g\n", peak, at, first[0],
           first[1], first[2]);
    lun_release(smoothed);

    /* Nothing that a script does wrong ends the host. */
    run(e, "samples[9] = 1");
    run(e, "while true do end");
    run(e, "io.open('/etc/passwd')");

    lun_release(a);
    lun_close(e);
    return 0;
}
