/* serve_files_test.c - files that ranks which serve read: what a rank does not see as rank 0 does
 * comes from there, and goes there; reads that fail are told, and tried again. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* unshare */
#endif
#include <sys/resource.h>

#include "serve_scenes.h"

static char out_path[] = "/proc/thread-self/cwd/out.raw";

static void open_elements(lun_array **out)
{
    const int64_t n = N;
    lun_array *bytes;
    OK(lun_open_file(e, path, &bytes));
    OK(lun_file_elements(e, bytes, 0, LUN_F64, false, 1, &n, out));
    lun_release(bytes);
}

/* 0 + 1 + ... of a file that one of five ranks sees as rank 0 does. */
static void test_who_sees(void **state)
{
    lun_array *a;
    lun_value total;
    lun_stats before = {.size = sizeof before}, after = {.size = sizeof after};
    (void)state;
    open_elements(&a);
    lun_stats_get(e, &before);
    OK(lun_total(e, LUN_SUM, a, 0, &total));
    lun_stats_get(e, &after);
    assert_true(total.as.d == (double)N * (N - 1) / 2);
    /* each part is 10000 elements, or whole chunks near that: rank 1's are not sent */
    const int64_t sent = after.bytes_sent - before.bytes_sent;
    const int64_t all = after.bytes_to_device - before.bytes_to_device;
    assert_true(all > sent && sent > 0);
    lun_release(a);
    OK(lun_use(e, "mpi:1,mpi:2"));
    open_elements(&a);
    lun_stats_get(e, &before);
    OK(lun_total(e, LUN_SUM, a, 0, &total));
    lun_stats_get(e, &after);
    assert_true(total.as.d == (double)N * (N - 1) / 2);
    assert_int_equal(after.bytes_sent, before.bytes_sent);
    lun_release(a);
    for (int rank = 2; rank < RANKS; rank++) {
        char name[8];
        snprintf(name, sizeof name, "mpi:%d", rank + 1);
        OK(lun_use(e, name));
        open_elements(&a);
        lun_stats_get(e, &before);
        OK(lun_total(e, LUN_MAX, a, 0, &total));
        lun_stats_get(e, &after);
        assert_true(total.as.d == N - 1);
        assert_int_equal(after.bytes_sent - before.bytes_sent, N * (int64_t)sizeof(double));
        lun_release(a);
    }
}

/* The same of elements that are read at once: they do not need the file any more. */
static void test_loaded(void **state)
{
    const int64_t n = N;
    lun_array *a, *bytes;
    lun_value total;
    lun_stats before = {.size = sizeof before}, after = {.size = sizeof after};
    (void)state;
    for (int two = 0; two < 2; two++) {
        OK(lun_use(e, two ? "mpi:1,mpi:2" : "mpi"));
        fill(own, 0);
        OK(lun_open_file(e, path, &bytes));
        lun_stats_get(e, &before);
        OK(lun_file_load(e, bytes, 0, 0, LUN_F64, false, 1, &n, &a));
        lun_stats_get(e, &after);
        lun_release(bytes);
        assert_int_equal(after.bytes_sent - before.bytes_sent, two ? 0 : 4 * N / RANKS * 8);
        assert_false(lun_is_streamed(a));
        assert_int_equal(truncate(own, 10), 0);
        OK(lun_total(e, LUN_SUM, a, 0, &total));
        assert_true(total.as.d == (double)N * (N - 1) / 2);
        lun_release(a);
    }
}

/* What is loaded is read when it is wanted: a file that has changed by then, or ends before, is
 * told; one that is there again is read. */
static void test_changes(void **state)
{
    const lun_infile_form form = {.bytes = sizeof(double), .step = sizeof(double)};
    int descriptor;
    bool done;
    double x;
    (void)state;
    OK(lun_use(e, "mpi:2"));
    const lun_file f = file_of(&descriptor);
    const lun_backend_slot *at = e->backends[e->current];
    const lun_backend *b = at->backend;
    lun_buffer *to;
    OK(b->buffer_new(at->state, N * (int64_t)sizeof x, &to));
    OK(b->remote->load(at->state, to, 0, &f, 0, N, form, &done));
    assert_true(done);
    OK(b->wait(at->state, 0, LUN_WAIT_ALL, NULL));
    assert_int_equal(truncate(own, 10), 0);
    FAILS(b->read(at->state, to, 8, &x, sizeof x, NULL), LUN_EIO,
          "x.raw: the file has changed since it was opened (480000 bytes then, 10 now); open it");
    assert_int_equal(strncmp(lun_error(e), "x.raw", 5), 0);
    FAILS(b->remote->loaded(at->state), LUN_EIO, "has changed");
    OK(b->remote->loaded(at->state)); /* nothing was loaded since */
    fill(own, 0);
    const struct timespec times[] = {{f.is.seconds, f.is.nanoseconds},
                                     {f.is.seconds, f.is.nanoseconds}};
    assert_int_equal(utimensat(AT_FDCWD, own, times, 0), 0);
    OK(b->read(at->state, to, 8 * (N - 1), &x, sizeof x, NULL));
    assert_true(x == N - 1);
    assert_int_equal(truncate(own, 10), 0); /* it has been read */
    OK(b->read(at->state, to, 8, &x, sizeof x, NULL));
    assert_true(x == 1);
    b->remote->unload(at->state, f.number);
    b->remote->unload(at->state, f.number);
    b->buffer_free(at->state, to);
    close(descriptor);
}

/* A file that is closed is read before; where that fails, what needs the elements fails. */
static void test_closed_before(void **state)
{
    const lun_infile_form form = {.bytes = sizeof(double), .step = sizeof(double)};
    int descriptor;
    bool done;
    double x;
    (void)state;
    OK(lun_use(e, "mpi:2"));
    for (int cut = 0; cut < 2; cut++) {
        const lun_file f = file_of(&descriptor);
        const lun_backend_slot *at = e->backends[e->current];
        const lun_backend *b = at->backend;
        lun_buffer *to;
        OK(b->buffer_new(at->state, N * (int64_t)sizeof x, &to));
        OK(b->remote->load(at->state, to, 0, &f, 0, N / 2, form, &done));
        OK(b->remote->load(at->state, to, N / 2 * 8, &f, N / 2 * 8, N / 2, form, &done));
        OK(b->wait(at->state, 0, LUN_WAIT_ALL, NULL));
        if (cut)
            assert_int_equal(truncate(own, 10), 0);
        b->remote->unload(at->state, f.number);
        if (cut)
            FAILS(b->read(at->state, to, 0, &x, sizeof x, NULL), LUN_EIO, "has changed");
        else
            OK(b->read(at->state, to, 8 * (N - 2), &x, sizeof x, NULL));
        assert_true(cut || x == N - 2);
        b->buffer_free(at->state, to);
        close(descriptor);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static lun_status write_out(lun_array *a)
{
    const int fd = open(target, O_WRONLY);
    assert_true(fd >= 0);
    const lun_write_to to = {.size = sizeof to,
                             .descriptor = fd,
                             .path = out_path,
                             .at = HEAD,
                             .mark_at = OUT_BYTES,
                             .mark = mark,
                             .mark_bytes = sizeof mark};
    const lun_status s = lun_write_file(e, a, &to);
    const int reason = errno;
    close(fd);
    errno = reason;
    return s;
}

/* 2 * (1 ... N), distributed. */
static void make_elements(lun_array **made)
{
    const lun_value one = {.dtype = LUN_F64, .as.d = 1};
    lun_array *a;
    OK(lun_range(e, one, one, N, LUN_F64, &a));
    OK(lun_add(e, a, a, made));
    OK(lun_eval(e, made, 1));
    lun_release(a);
}

static void check_out(void)
{
    FILE *f = fopen(target, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, HEAD, SEEK_SET), 0);
    for (int i = 1; i <= N; i++) {
        double x;
        assert_int_equal(fread(&x, sizeof x, 1, f), 1);
        assert_true(x == 2 * i);
    }
    assert_int_equal(fclose(f), 0);
}

/* Each of six ranks has 10000 elements; two of the five others see the file, or one. */
static void test_who_writes(void **state)
{
    enum { PART = N / RANKS * (int)sizeof(double) };
    char name[96], there[sizeof mark];
    lun_stats before = {.size = sizeof before}, after = {.size = sizeof after};
    lun_array *a;
    (void)state;
    make_elements(&a);
    lun_stats_get(e, &before);
    OK(write_out(a));
    lun_stats_get(e, &after);
    assert_int_equal(after.bytes_to_host - before.bytes_to_host, 4 * PART);
    assert_int_equal(after.moves - before.moves, 4);
    assert_int_equal(after.bytes_sent - before.bytes_sent, 0);
    check_out();
    snprintf(name, sizeof name, "%s/3/out.raw", top); /* another file stays as it was */
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    assert_int_equal(fgetc(f), 0);
    assert_int_equal(fseek(f, OUT_BYTES, SEEK_SET), 0);
    assert_int_equal(fread(there, sizeof there, 1, f), 1);
    assert_string_equal(there, "0123456780");
    assert_int_equal(fclose(f), 0);
    lun_release(a);
}

/* A limit on the length of files stands for a full disk: rank 0's own part fits, others do not. */
static void test_full(void **state)
{
    struct rlimit before, few;
    lun_array *a;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    few = before;
    for (int k = 0; k < 2; k++) {
        OK(lun_use(e, k ? "mpi" : "mpi:1,mpi:2"));
        make_elements(&a);
        few.rlim_cur = OUT_BYTES / 4 * 3;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
        const lun_status s = write_out(a);
        const int reason = errno;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(s, LUN_EIO);
        assert_int_equal(reason, EFBIG);
        OK(write_out(a)); /* nothing is lost */
        check_out();
        lun_release(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_who_sees, open_first, close_first),
        cmocka_unit_test_setup_teardown(test_loaded, open_first, close_first),
        cmocka_unit_test_setup_teardown(test_changes, open_first, close_first),
        cmocka_unit_test_setup_teardown(test_closed_before, open_first, close_first),
        cmocka_unit_test_setup_teardown(test_who_writes, open_first, close_first),
        cmocka_unit_test_setup_teardown(test_full, open_first, close_first),
    };
    if (!mkdtemp(top))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed | rmdir(top);
}
