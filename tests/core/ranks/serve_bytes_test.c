/* serve_bytes_test.c - checksums of files, and elements that stand apart in them, by ranks that
 * serve. The oracles: CRC-32 bit by bit, and the file's own numbers. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* unshare */
#endif
#include <string.h>

#include "serve_scenes.h"

enum { BYTES = N * (int)sizeof(double) };

static unsigned char all[BYTES];

static void read_all(void)
{
    FILE *f = fopen(own, "rb");
    assert_non_null(f);
    assert_int_equal(fread(all, 1, BYTES, f), BYTES);
    assert_int_equal(fclose(f), 0);
}

static uint32_t crc_of(int64_t at, int64_t count)
{
    uint32_t crc = 0xffffffff;
    for (int64_t i = at; i < at + count; i++) {
        crc ^= all[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static int64_t bytes_sent(void)
{
    lun_stats now = {.size = sizeof now};
    lun_stats_get(e, &now);
    return now.bytes_sent + now.bytes_to_device + now.bytes_to_host;
}

/* One of five ranks sees the file; the others' shares are read here, and no byte is sent. */
static void test_crc(void **state)
{
    static const int64_t parts[][2] = {{0, BYTES}, {3, BYTES - 10}, {77, 0},
                                       {BYTES, 0}, {5, 1},          {9, 5},
                                       {9, 6},     {9, 7},          {1, 65536 * 6 + 1}};
    static const char *const sets[] = {"mpi", "mpi:1,mpi:2", "mpi:2", "mpi:3,mpi:2,mpi:4",
                                       "reference"};
    lun_array *bytes;
    uint32_t crc;
    (void)state;
    read_all();
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        OK(lun_use(e, sets[k]));
        OK(lun_open_file(e, path, &bytes));
        const int64_t sent = bytes_sent();
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            OK(lun_file_crc(e, bytes, parts[i][0], parts[i][1], &crc));
            assert_int_equal(crc, crc_of(parts[i][0], parts[i][1]));
        }
        assert_int_equal(bytes_sent(), sent);
        FAILS(lun_file_crc(e, bytes, 1, BYTES, &crc), LUN_ERANGE, "480000 bytes from byte 1 on");
        FAILS(lun_file_crc(e, bytes, -1, 1, &crc), LUN_ERANGE, "from byte -1 on");
        FAILS(lun_file_crc(e, bytes, 1, -1, &crc), LUN_ERANGE, "-1 bytes");
        lun_release(bytes);
    }
}

/* What a rank has open changes, or ends early: the failure of one machine, and all goes on. */
static void test_changes(void **state)
{
    lun_array *bytes, *none;
    uint32_t crc;
    (void)state;
    read_all();
    OK(lun_use(e, "mpi:1,mpi:2"));
    OK(lun_open_file(e, path, &bytes));
    OK(lun_file_crc(e, bytes, 0, BYTES, &crc));
    assert_int_equal(truncate(own, 10), 0);
    FAILS(lun_file_crc(e, bytes, 0, BYTES, &crc), LUN_EIO,
          "the file has changed since it was opened (480000 bytes then, 10 now); open it");
    lun_release(bytes);
    fill(own, 0);
    OK(lun_open_file(e, path, &bytes));
    OK(lun_file_crc(e, bytes, 0, BYTES, &crc));
    assert_int_equal(crc, crc_of(0, BYTES));
    OK(lun_number(e, 1, &none));
    FAILS(lun_file_crc(e, none, 0, 1, &crc), LUN_EARG, "the bytes of a file");
    lun_release(none);
    lun_release(bytes);
}

/* A rank meets the change itself, and answers with the failure, as often as it is asked. */
static void test_one_fails(void **state)
{
    int descriptor;
    bool begun;
    uint32_t crc;
    (void)state;
    OK(lun_use(e, "mpi:2"));
    lun_file f = file_of(&descriptor);
    const lun_backend_slot *at = e->backends[e->current];
    const lun_backend *b = at->backend;
    read_all();
    for (int k = 0; k < 3; k++) {
        OK(b->remote->crc(at->state, &f, 8, 1000, &begun));
        assert_true(begun);
        if (k == 1)
            assert_int_equal(truncate(own, 10), 0);
        if (k > 0)
            FAILS(b->remote->crc_found(at->state, &crc), LUN_EIO, "x.raw: the file has changed");
        else
            OK(b->remote->crc_found(at->state, &crc));
        assert_int_equal(crc, crc_of(8, 1000));
    }
    b->remote->unload(at->state, f.number);
    close(descriptor);
    f.number++;
    f.is.inode++; /* another file */
    OK(b->remote->crc(at->state, &f, 8, 1000, &begun));
    assert_false(begun);
}

static void check_apart(lun_array *a, int64_t offset, int64_t step, int64_t n)
{
    uint16_t *got = calloc((size_t)n + 1, sizeof *got);
    assert_non_null(got);
    OK(lun_read(e, a, got, 0, n));
    for (int64_t i = 0; i < n; i++) {
        const unsigned char *p = all + offset + i * step;
        assert_int_equal(got[i], p[0] << 8 | p[1]); /* this machine has low bytes first */
    }
    free(got);
}

/* Every step-th pair of bytes, swapped. */
static void test_apart(void **state)
{
    static const int64_t cases[][3] = {{0, 0, BYTES / 2}, {1, 3, BYTES / 3 - 1}, {7, 8, N - 1},
                                       {6, 8, N},         {5, 65536, 7},         {5, 70000, 6},
                                       {0, 479990, 1},    {0, 479998, 2},        {3, 1, 0}};
    static const char *const sets[] = {"mpi", "mpi:1,mpi:2", "mpi:2", "reference"};
    lun_array *bytes, *a;
    (void)state;
    read_all();
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        OK(lun_use(e, sets[k]));
        OK(lun_open_file(e, path, &bytes));
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const int64_t *c = cases[i];
            if (c[1] == 1) {
                FAILS(lun_file_load(e, bytes, c[0], c[1], LUN_U16, true, 1, &c[2], &a), LUN_ERANGE,
                      "elements of 2 bytes stand 1 bytes apart");
                continue;
            }
            OK(lun_file_load(e, bytes, c[0], c[1], LUN_U16, true, 1, &c[2], &a));
            check_apart(a, c[0], c[1] ? c[1] : 2, c[2]);
            lun_release(a);
        }
        const int64_t n = N, huge = INT64_MAX / 2;
        FAILS(lun_file_load(e, bytes, 7, 8, LUN_U16, true, 1, &n, &a), LUN_ERANGE, "do not fit");
        FAILS(lun_file_load(e, bytes, 0, huge, LUN_U16, true, 1, &n, &a), LUN_ERANGE, "do not fit");
        lun_release(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_crc, open_first, close_first),
        cmocka_unit_test_setup_teardown(test_changes, open_first, close_first),
        cmocka_unit_test_setup_teardown(test_one_fails, open_first, close_first),
        cmocka_unit_test_setup_teardown(test_apart, open_first, close_first),
    };
    if (!mkdtemp(top))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed | rmdir(top);
}
