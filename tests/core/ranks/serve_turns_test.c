/* serve_turns_test.c - launches with turns on a rank that serves: segments that a layout places,
 * and such as no engine sends, which reach beyond buffers or are no turns: the rank refuses
 * them. */
#include <pthread.h>
#include <stdlib.h>

#include "backend.h"
#include "ranks/ranks_state.h"

#include "engine_kit.h"
#include "kernels.h"

enum { LINE = 64, N = 6 * LINE, ROOM = 2 * N };

static lun_ranks *group;

static lun_config config_of(int rank)
{
    return (lun_config){.size = sizeof(lun_config),
                        .backend = "mpi",
                        .cache_dir = "",
                        .ranks = group,
                        .rank = rank};
}

static void *serve(void *arg)
{
    const lun_config c = config_of(1);
    *(lun_status *)arg = lun_serve(&c);
    return NULL;
}

static const lun_backend *find_backend(void)
{
    int i = 0;
    while (strcmp(lun__backends_all[i]->name, "mpi") != 0)
        i++;
    return lun__backends_all[i];
}

/* A launch that copies segments: where they are read and written, by how many turns. */
typedef struct segments {
    int64_t n, segment, turns;
    lun_layout in, out;
} segments;

static const lun_layout dense = {.rank = 2, .extent = {6, LINE}, .stride = {LINE, 1}};

/* What becomes of it on rank 1, and of that; got: elements of the target. */
static lun_status run(const segments *x, lun_status *served, double got[ROOM])
{
    const lun_backend *b = find_backend();
    lun_buffer *from = NULL, *to = NULL;
    lun_kernel *k = NULL;
    void *state = NULL;
    lun_abilities can;
    pthread_t thread;
    double given[ROOM];
    lun_ir ir;
    for (int i = 0; i < ROOM; i++)
        given[i] = i;
    setenv("LUNARRAY_RANK_BACKEND", "reference", 1);
    assert_int_equal(lun_ranks_new(2, &group), LUN_OK);
    assert_int_equal(pthread_create(&thread, NULL, serve, served), 0);
    const lun_config c = config_of(0);
    OK(lun_open(&c, &e));
    OK(b->open(&e->services, &(lun_opening){.device = 2}, &state, &can));
    assert_true(can.turns);
    lun__ir_init(&ir);
    assert_int_equal(lun__ir_slot_add(&ir, LUN_F64, LUN_SLOT_IN), 0);
    assert_int_equal(lun__ir_slot_add(&ir, LUN_F64, LUN_SLOT_OUT), 1);
    ir_store(&ir, 1, ir_load(&ir, 0));
    OK(b->build(state, &ir, "", &k));
    OK(b->buffer_new(state, sizeof given, &from));
    OK(b->buffer_new(state, sizeof given, &to));
    OK(b->write(state, from, 0, given, sizeof given, NULL));
    OK(b->write(state, to, 0, given, sizeof given, NULL));
    const lun_stream streams[] = {{.layout = &x->in}, {.layout = &x->out}};
    void *slots[] = {from, to};
    const int64_t room[] = {INT64_MAX, INT64_MAX}, origin[] = {0, 0};
    lun_launch l = {.n = x->n,
                    .count = x->n,
                    .segment = x->segment,
                    .turns = x->turns,
                    .slots = slots,
                    .room = room,
                    .origin = origin,
                    .streams = streams,
                    .trap = -1};
    const lun_work work = lun__work_launch(k, &l);
    lun_status s = lun__backend_work_do(b, state, &work);
    if (s == LUN_OK)
        s = b->wait(state, 0, LUN_WAIT_ALL, NULL);
    if (s == LUN_OK)
        s = b->read(state, to, 0, got, sizeof given, NULL);
    b->buffer_free(state, from);
    b->buffer_free(state, to);
    b->release(state, k);
    b->close(state);
    lun_close(e);
    pthread_join(thread, NULL);
    lun_ranks_free(group);
    lun__ir_free(&ir);
    return s;
}

static void test_segments(void **state)
{
    (void)state;
    static const int64_t turns[] = {1, 2, 3, 6};
    for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
        /* read 70 elements apart, written backwards */
        const segments x = {
            .n = N,
            .segment = LINE,
            .turns = turns[t],
            .in = {.rank = 2, .extent = {6, LINE}, .offset = 3, .stride = {70, 1}},
            .out = {.rank = 2, .extent = {6, LINE}, .offset = 5 * LINE, .stride = {-LINE, 1}}};
        double got[ROOM];
        lun_status served;
        assert_int_equal(run(&x, &served, got), LUN_OK);
        assert_int_equal(served, LUN_OK);
        for (int64_t i = 0; i < ROOM; i++) {
            const int64_t segment = 5 - i / LINE, from = 3 + segment * 70 + i % LINE;
            assert_true(got[i] == (double)(i < N ? from : i));
        }
    }
}

static void test_nonsense(void **state)
{
    (void)state;
    const lun_layout beyond = {.rank = 2, .extent = {6, LINE}, .stride = {150, 1}},
                     before = {.rank = 2, .extent = {6, LINE}, .offset = 40, .stride = {-LINE, 1}},
                     late = {.rank = 2, .extent = {6, LINE}, .offset = N + 1, .stride = {LINE, 1}},
                     few = {.rank = 2, .extent = {5, LINE}, .stride = {LINE, 1}},
                     huge = {.rank = 2, .extent = {6, LINE}, .stride = {INT64_MAX / 4, 1}},
                     /* places 0, 448, 0, 448 ...: the third segment of a run would be at 896 */
        uneven = {.rank = 3, .extent = {3, 2, LINE}, .stride = {0, 448, 1}};
    const segments all[] = {
        {N, LINE, 2, beyond, dense}, {N, LINE, 2, dense, beyond},
        {N, LINE, 2, before, dense}, {N, LINE, 2, dense, before},
        {N, LINE, 6, late, dense},   {N, LINE, 1, dense, late},
        {N, LINE, 2, few, dense},    {N, LINE, 2, dense, huge},
        {N, LINE, 6, uneven, dense}, {N, LINE, 6, dense, uneven},
        {N, LINE, 4, dense, dense},  {N, LINE, N, dense, dense},
        {N, LINE, -1, dense, dense}, {N, LINE, 0, dense, dense},
        {N, 48, 2, dense, dense},    {N, 0, 2, dense, dense},
        {N, 2 * N, 1, dense, dense}, {N, LINE, INT64_MAX, dense, dense},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double got[ROOM];
        lun_status served;
        if (run(&all[i], &served, got) == LUN_OK || served != LUN_EARG)
            fail_msg("launch %d is taken", (int)i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
