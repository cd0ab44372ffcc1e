/* probe_test.c - a driver is asked in a child process; in a second one where the first child does
 * not come back; and no child waits for a lock of this process. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/loading_lock.h"
#include "gpu/probe.h"

/* Children that have been asked; all processes' own memory. */
static int *asked;

static int one_more(void)
{
    return __atomic_add_fetch(asked, 1, __ATOMIC_SEQ_CST);
}

static void well(void)
{
    one_more();
}

static void hangs_first(void)
{
    while (one_more() == 1)
        pause();
}

static void crashes_first(void)
{
    if (one_more() == 1)
        abort();
}

static void crashes(void)
{
    one_more();
    abort();
}

static void hangs(void)
{
    one_more();
    while (true)
        pause();
}

static void loads(void)
{
    void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    one_more();
    if (!library)
        abort();
}

static bool probe(void (*ask)(void), const char *seconds, char *said, size_t room)
{
    const lun_gpu_question question = {
        .ask = ask, .who = "a driver", .timeout = "LUNARRAY_TEST_SECONDS", .hint = "see there"};
    lun_strbuf why = LUN_STRBUF_INIT;
    *asked = 0;
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
        {hangs_first, "2", NULL, 2},
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
        lun__loading_begin();
        void *library = dlopen("libxxhash.so.0", RTLD_NOW | RTLD_LOCAL);
        void *other = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library)
            dlclose(library);
        if (other)
            dlclose(other);
        lun__loading_end();
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
    asked = mmap(NULL, sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (asked == MAP_FAILED)
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers),
                                       cmocka_unit_test(test_loading)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
