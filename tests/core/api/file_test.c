/* file_test.c - arrays on files as a C host sees them: the memory limit, what needs memory, a
 * forked child, calls that make no sense. */
#include "engine_kit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 300000 };
static char path[] = "/tmp/lunarray-file-test-XXXXXX";

/* i64 elements 1 .. N behind 3 bytes. */
static int set_up(void **state)
{
    (void)state;
    int64_t *x = malloc(N * sizeof *x);
    int descriptor = mkstemp(path);
    FILE *f = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!x || !f)
        return 1;
    for (int64_t i = 0; i < N; i++)
        x[i] = i + 1;
    size_t written = fwrite("abc", 1, 3, f) + fwrite(x, sizeof *x, N, f);
    free(x);
    return fclose(f) || written != N + 3;
}

static int tear_down(void **state)
{
    (void)state;
    return remove(path);
}

static int open_engine(void **state)
{
    (void)state;
    lun_config c = {.size = sizeof c, .cache_dir = "", .memory_limit = 1 << 20};
    return lun_open(&c, &e) != LUN_OK;
}

static lun_array *elements(void)
{
    lun_array *bytes, *a;
    int64_t n = N;
    OK(lun_open_file(e, path, &bytes));
    assert_int_equal(lun_length(bytes), N * 8 + 3);
    assert_int_equal(lun_dtype_of(bytes), LUN_U8);
    OK(lun_file_elements(e, bytes, 3, LUN_I64, false, 1, &n, &a));
    lun_release(bytes);
    return a;
}

static int64_t total(lun_array *a)
{
    lun_value v;
    OK(lun_total(e, LUN_SUM, a, 0, &v));
    return v.as.i;
}

static const int64_t sum = (int64_t)N * (N + 1) / 2;

static void test_beyond_the_memory_limit(void **state)
{
    (void)state;
    lun_array *a = elements(), *two, *b;
    const void *data;
    lun_stats s = {.size = sizeof s};
    assert_int_equal(total(a), sum);
    OK(lun_integer(e, 2, &two));
    OK(lun_mul(e, a, two, &b));
    assert_true(lun_is_streamed(a) && lun_is_streamed(b) && !lun_is_streamed(two));
    assert_int_equal(total(b), 2 * sum);
    lun_stats_get(e, &s);
    assert_int_equal(s.peak, 0);
    assert_int_equal(s.allocations, 0);
    assert_int_equal(s.bytes_read, 2 * N * 8);
    assert_int_equal(lun_eval(e, &b, 1), LUN_ELIMIT); /* its elements have no place */
    assert_int_equal(lun_data(e, a, &data), LUN_ELIMIT);
    assert_non_null(strstr(lun_error(e), "from a file"));
    assert_int_equal(lun_set(e, a, 0, (lun_value){.dtype = LUN_I64, .as.i = 7}), LUN_ELIMIT);
    assert_int_equal(total(a), sum);
    int64_t part[100];
    OK(lun_read(e, b, part, N - 100, 100));
    assert_int_equal(part[99], 2 * N);
    lun_release(two);
    lun_release(b);
    lun_release(a);
}

static void test_a_part_in_memory(void **state)
{
    (void)state;
    lun_array *a = elements(), *part;
    const void *data;
    OK(lun_slice(e, a, 1000, 50, 1, &part));
    OK(lun_data(e, part, &data));
    assert_int_equal(((const int64_t *)data)[49], 1050);
    OK(lun_set(e, part, 0, (lun_value){.dtype = LUN_I64, .as.i = 0}));
    assert_int_equal(total(part), 50 * 1025 + 25 - 1001);
    assert_int_equal(total(a), sum);
    lun_release(part);
    lun_release(a);
}

/* A child goes on with the file that its parent opened. */
static void test_fork(void **state)
{
    (void)state;
    lun_array *a = elements();
    int status;
    assert_int_equal(total(a), sum);
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            lun_value v;
            alarm(120);
            _exit(lun_total(e, LUN_SUM, a, 0, &v) != LUN_OK || v.as.i != sum);
        }
        assert_true(child > 0);
        assert_int_equal(total(a), sum);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    lun_release(a);
}

static void test_senseless(void **state)
{
    (void)state;
    lun_array *bytes, *a = NULL, *plain, *reals;
    int64_t n = N, more = N + 1, negative = -1;
    assert_int_equal(lun_open_file(e, "/proc/nothing", &a), LUN_EIO);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(lun_open_file(e, NULL, &a), LUN_EARG);
    assert_int_equal(lun_open_file(e, path, NULL), LUN_EARG);
    assert_int_equal(lun_open_file(NULL, path, &a), LUN_EARG);
    OK(lun_open_file(e, path, &bytes));
    OK(lun_vector(e, NULL, 10, LUN_U8, &plain));
    OK(lun_file_elements(e, bytes, 0, LUN_F32, false, 1, &n, &reals));
    assert_int_equal(lun_file_elements(e, plain, 0, LUN_U8, false, 0, NULL, &a), LUN_EARG);
    assert_int_equal(lun_file_elements(e, reals, 0, LUN_U8, false, 0, NULL, &a), LUN_EARG);
    assert_int_equal(lun_file_elements(e, bytes, 3, LUN_I64, false, 1, &more, &a), LUN_ERANGE);
    assert_int_equal(lun_file_elements(e, bytes, 4, LUN_I64, false, 1, &n, &a), LUN_ERANGE);
    assert_int_equal(lun_file_elements(e, bytes, -1, LUN_I64, false, 1, &n, &a), LUN_ERANGE);
    assert_int_equal(lun_file_elements(e, bytes, 3, LUN_I64, false, 1, &negative, &a), LUN_ERANGE);
    assert_int_equal(lun_file_elements(e, bytes, 3, LUN_I64, false, 9, &n, &a), LUN_ESHAPE);
    assert_int_equal(lun_file_elements(e, bytes, 3, LUN_DTYPE_COUNT, false, 1, &n, &a), LUN_EDTYPE);
    assert_int_equal(lun_file_elements(e, bytes, 3, LUN_I64, false, 1, NULL, &a), LUN_EARG);
    assert_int_equal(lun_file_elements(e, bytes, 3, LUN_I64, false, 1, &n, NULL), LUN_EARG);
    assert_null(a);
    lun_release(bytes);
    lun_release(plain);
    lun_release(reals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_beyond_the_memory_limit, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_a_part_in_memory, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_fork, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_senseless, open_engine, kit_close),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
