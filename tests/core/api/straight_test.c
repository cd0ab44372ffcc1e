/* straight_test.c - expressions stored from C into memory of the host that is larger than what is
 * stored there: whose rows lie apart, which is wrapped twice, while the evaluation is stopped. */
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "array_kit.h"

static int open_openmp(void **state)
{
    (void)state;
    return kit_engine_open("openmp");
}

enum { ROWS = 260, COLUMNS = 301, PITCH = 320, MARGIN = 3 };

/* 0, 1, 2, ... as an expression of rows and columns. */
static lun_array *counted(int64_t rows, int64_t columns, double more)
{
    lun_array *flat, *lazy, *out;
    lun_value first = {.dtype = LUN_F64, .as.d = 0}, step = {.dtype = LUN_F64, .as.d = 1};
    OK(lun_range(e, first, step, rows * columns, LUN_F64, &flat));
    OK(lun_reshape(e, flat, 2, (const int64_t[]){rows, columns}, &lazy));
    out = with_number(LUN_OP_ADD, lazy, more);
    lun_release(lazy);
    lun_release(flat);
    return out;
}

static void test_image(void **state)
{
    (void)state;
    static double image[(ROWS + 2 * MARGIN) * PITCH];
    double *first = image + MARGIN * PITCH + MARGIN;
    lun_array *w, *x = counted(ROWS, COLUMNS, 0.5);
    for (size_t i = 0; i < sizeof image / sizeof *image; i++)
        image[i] = -7;
    OK(lun_wrap_strided(e, first, 2, (const int64_t[]){ROWS, COLUMNS}, (const int64_t[]){PITCH, 1},
                        LUN_F64, NULL, NULL, &w));
    OK(lun_store(e, w, x));
    for (int64_t i = -MARGIN; i < ROWS + MARGIN; i++)
        for (int64_t j = -MARGIN; j < PITCH - MARGIN; j++) {
            const bool inside = i >= 0 && i < ROWS && j >= 0 && j < COLUMNS;
            const double wanted = inside ? (double)(i * COLUMNS + j) + 0.5 : -7;
            assert_true(first[i * PITCH + j] == wanted);
        }
    lun_release(x);
    lun_release(w);
}

/* Two arrays on one memory: the engine reads all of the one before it writes the other. */
static void test_wrapped_twice(void **state)
{
    (void)state;
    static double memory[ROWS * COLUMNS + COLUMNS];
    const int64_t shape[] = {ROWS, COLUMNS};
    lun_array *upper, *lower, *x;
    for (int64_t i = 0; i < ROWS * COLUMNS + COLUMNS; i++)
        memory[i] = (double)i;
    OK(lun_wrap_strided(e, memory, 2, shape, (const int64_t[]){COLUMNS, 1}, LUN_F64, NULL, NULL,
                        &upper));
    OK(lun_wrap_strided(e, memory + COLUMNS, 2, shape, (const int64_t[]){COLUMNS, 1}, LUN_F64, NULL,
                        NULL, &lower));
    x = with_number(LUN_OP_MUL, upper, 2);
    OK(lun_store(e, lower, x));
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        assert_true(memory[COLUMNS + i] == 2 * (double)i);
    lun_release(x);
    lun_release(lower);
    lun_release(upper);
}

/* ---- stopped --------------------------------------------------------------------------------- */

typedef struct stopper {
    lun_engine *e;
    int ended; /* atomic */
} stopper;

static void *stop_often(void *ctx)
{
    stopper *s = ctx;
    while (!__atomic_load_n(&s->ended, __ATOMIC_ACQUIRE)) {
        nanosleep(&(struct timespec){.tv_nsec = 700000}, NULL);
        lun_cancel(s->e);
    }
    return NULL;
}

/* Whether all elements are those of a round, in memory where each has one beside it that stays
 * 0. */
static bool holds_round(const double *memory, int64_t n, int round)
{
    bool holds = true;
    for (int64_t i = 0; i < n; i++)
        holds &= memory[2 * i] == round + (double)i && memory[2 * i + 1] == 0;
    return holds;
}

static void test_stopped(void **state)
{
    (void)state;
    enum { N = 1 << 18, ROUNDS = 60 };
    static double memory[2 * N];
    stopper s = {.e = e};
    pthread_t thread;
    int current = 0;
    bool held = true;
    lun_array *w;
    for (int64_t i = 0; i < N; i++)
        memory[2 * i] = (double)i;
    OK(lun_wrap_strided(e, memory, 1, (const int64_t[]){N}, (const int64_t[]){2}, LUN_F64, NULL,
                        NULL, &w));
    assert_int_equal(pthread_create(&thread, NULL, stop_often, &s), 0);
    for (int round = 1; round <= ROUNDS; round++) {
        lun_array *x = counted(1, N, round), *flat;
        OK(lun_reshape(e, x, 1, (const int64_t[]){N}, &flat));
        lun_status status = lun_store(e, w, flat);
        current = status == LUN_OK ? round : current;
        held &= status == LUN_OK || status == LUN_ECANCEL;
        held &= holds_round(memory, N, current);
        lun_release(flat);
        lun_release(x);
    }
    __atomic_store_n(&s.ended, 1, __ATOMIC_RELEASE);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(held);
    lun_release(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_image, open_openmp, kit_close),
        cmocka_unit_test_setup_teardown(test_wrapped_twice, open_openmp, kit_close),
        cmocka_unit_test_setup_teardown(test_stopped, open_openmp, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
