/* probe_test.c - a driver is asked in a child process; in a second one where the first child does
 * not come back; and no child waits for a lock of this process.  The probe's clock and its wait are
 * the test's: time passes as soon as all children that live are known to hang, and only then. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ppoll */
#endif
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/loading_lock.h"
#include "gpu/probe.h"

/* Children that have been asked, and those that hang; all processes' own memory. */
static int *asked, *hanging;

static int one_more(int *number)
{
    return __atomic_add_fetch(number, 1, __ATOMIC_SEQ_CST);
}

/* ---- the probe's time ------------------------------------------------------------------------ */

static int64_t passed; /* milliseconds */

int clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    *t = (struct timespec){.tv_sec = passed / 1000, .tv_nsec = passed % 1000 * 1000000};
    return 0;
}

int poll(struct pollfd *given, nfds_t count, int milliseconds)
{
    enum { HANGS = 12000 }; /* looks, two minutes: then a child hangs that should not */
    static const struct timespec look = {.tv_nsec = 10000000};
    struct pollfd *volatile hidden = given; /* gcc takes it for written alone */
    struct pollfd *p = hidden;
    int living = 0, heard = 0;
    for (nfds_t i = 0; i < count; i++)
        living += p[i].fd >= 0;
    for (int i = 0; i < HANGS && !heard; i++) {
        const bool all = __atomic_load_n(hanging, __ATOMIC_SEQ_CST) >= living;
        heard = ppoll(p, count, &look, NULL);
        if (all)
            break;
    }
    if (!heard)
        passed += milliseconds;
    return heard;
}

/* ---- drivers --------------------------------------------------------------------------------- */

static void well(void)
{
    one_more(asked);
}

static void hangs(void)
{
    one_more(asked);
    one_more(hanging);
    while (true)
        pause();
}

static void hangs_first(void)
{
    if (one_more(asked) > 1)
        return;
    one_more(hanging);
    while (true)
        pause();
}

static void crashes_first(void)
{
    if (one_more(asked) == 1)
        abort();
}

static void crashes(void)
{
    one_more(asked);
    abort();
}

static void loads(void)
{
    void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    one_more(asked);
    if (!library)
        abort();
}

static bool probe(void (*ask)(void), const char *seconds, char *said, size_t room)
{
    const lun_gpu_question question = {
        .ask = ask, .who = "a driver", .timeout = "LUNARRAY_TEST_SECONDS", .hint = "see there"};
    lun_strbuf why = LUN_STRBUF_INIT;
    *asked = *hanging = 0;
    setenv("LUNARRAY_TEST_SECONDS", seconds, 1);
    const bool ok = lun__gpu_probe(&question, &why);
    strncpy(said, lun__strbuf_text(&why), room - 1);
    said[room - 1] = '\0';
    lun__strbuf_free(&why);
    return ok;
}

static void test_answers(void **state)
{
    (void)state;
    static const struct {
        void (*ask)(void);
        const char *seconds, *said; /* said: NULL, it is well */
        int asked;
    } rows[] = {
        {well, "100", NULL, 1},
        {hangs_first, "100", NULL, 2},
        {crashes_first, "100", NULL, 2},
        {crashes, "100", "a driver crashes when it lists its devices", 2},
        {hangs, "1", "a driver did not answer within 1 seconds (LUNARRAY_TEST_SECONDS)", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char said[256];
        assert_int_equal(probe(rows[i].ask, rows[i].seconds, said, sizeof said), !rows[i].said);
        assert_int_equal(strncmp(said, rows[i].said ? rows[i].said : "",
                                 rows[i].said ? strlen(rows[i].said) : 1),
                         0);
        assert_int_equal(*asked, rows[i].asked);
    }
}

static bool over;

static void *load_on(void *arg)
{
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        lun__loading_lock_begin();
        void *library = dlopen("libxxhash.so.0", RTLD_NOW | RTLD_LOCAL);
        void *other = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library)
            dlclose(library);
        if (other)
            dlclose(other);
        lun__loading_lock_end();
    }
    return arg;
}

/* Without the lock one child in seven hangs. */
static void test_loading(void **state)
{
    enum { ROUNDS = 40 };
    pthread_t other;
    (void)state;
    assert_int_equal(pthread_create(&other, NULL, load_on, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        char said[256];
        assert_true(probe(loads, "60", said, sizeof said));
        assert_int_equal(*asked, 1);
    }
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
}

int main(void)
{
    asked =
        mmap(NULL, 2 * sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (asked == MAP_FAILED)
        return 1;
    hanging = asked + 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers),
                                       cmocka_unit_test(test_loading)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
