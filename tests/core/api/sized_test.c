/* sized_test.c - structs of lunarray_bind.h between versions: smaller ones of older programs,
 * larger ones of newer programs, and those without a size. */
#include "engine_kit.h"

#include <stdlib.h>

#include "lunarray_bind.h"

#define UNSIZED(call) FAILS(call, LUN_EARG, "without its size")

/* ---- without a size -------------------------------------------------------------------------- */

static void test_unsized(void **state)
{
    lun_part_loop loop = {.rank = 1, .extent = {4}, .whole_extent = {4}};
    lun_reach reached[LUN_MAX_REACHES] = {{0}};
    lun_logged logged[LUN_MAX_OUTPUTS] = {{0}};
    lun_part part = {.elements = NULL};
    lun_whose whose = {.pe = 0};
    lun_depends depends = {.lasts = false};
    lun_agreed agreed = {.most = 1};
    lun_said said = {.doing = "gathers", .noun = "a gather"};
    lun_blocks blocks = {.rank = 1, .npes = 1, .extent = {4}, .grid = {1}};
    lun_blocking how = {.rank = 1, .extent = {4}, .blocked = {true}};
    lun_array *v, *out = NULL;
    int64_t *counts = NULL, gets, count;
    void *all = NULL;
    const void *none[1] = {NULL};
    int length;
    (void)state;
    OK(lun_vector(e, NULL, 4, LUN_U32, &v));
    UNSIZED(lun_loop_reach(e, NULL, &loop, reached, &length, NULL));
    UNSIZED(lun_loop_run(e, NULL, &loop, NULL, 0, logged, &length));
    UNSIZED(lun_loop_wanted(e, NULL, &loop, NULL, 0, &whose, &out, &gets));
    UNSIZED(lun_loop_depends(e, NULL, &loop, NULL, &depends));
    loop.size = sizeof loop; /* of the loop alone it is not enough */
    UNSIZED(lun_loop_reach(e, NULL, &loop, reached, &length, NULL));
    UNSIZED(lun_loop_run(e, NULL, &loop, NULL, 0, logged, &length));
    UNSIZED(lun_loop_run(e, NULL, &loop, &part, 1, logged, &length));
    UNSIZED(lun_loop_wanted(e, NULL, &loop, NULL, 0, &whose, &out, &gets));
    UNSIZED(lun_loop_depends(e, NULL, &loop, NULL, &depends));
    UNSIZED(lun_store_logged(e, v, logged, 1, &out));
    UNSIZED(lun_spmd_agree(e, "agrees", "an agreement", NULL, &agreed));
    UNSIZED(lun_spmd_gather_said(e, &said, "x", 1, &counts, &all));
    UNSIZED(lun_blocks_cut(e, &how, 1, &blocks));
    how.size = sizeof how;
    UNSIZED(lun_blocks_cut(e, &how, 1, &blocks));
    UNSIZED(lun_blocks_gather(e, NULL, &blocks, v, &out));
    UNSIZED(lun_marks_request(e, v, &blocks, 0, &all, &count, &gets));
    UNSIZED(lun_marks_fill(e, v, &blocks, 0, v, none, &(int64_t){0}, &part));
    lun_depends_release(&depends);
    lun_logged_release(logged, 1);
    lun_release(v);
}

/* ---- larger and smaller ---------------------------------------------------------------------- */

enum { LATER = 77 };

static void test_blocks(void **state)
{
    struct {
        lun_blocking s;
        int64_t later;
    } how = {{.size = sizeof how, .rank = 1, .extent = {10}, .blocked = {true}}, LATER};
    struct {
        lun_blocks s;
        int64_t later;
    } blocks = {{.size = sizeof blocks}, LATER};
    lun_blocking old = {.size = offsetof(lun_blocking, rule),
                        .rank = 1,
                        .extent = {10},
                        .blocked = {true},
                        .rule = "no such rule"}; /* which it does not have yet */
    int64_t first, count, index = 7, inside;
    (void)state;
    OK(lun_blocks_cut(e, &how.s, 3, &blocks.s));
    assert_true(blocks.s.size == sizeof blocks && blocks.later == LATER);
    assert_int_equal(blocks.s.npes, 3);
    lun_blocks_box(&blocks.s, 2, &first, &count);
    assert_true(first == 8 && count == 2);
    assert_int_equal(lun_blocks_home(&blocks.s, &index, &inside), 1);
    assert_int_equal(inside, 3);
    blocks.s = (lun_blocks){.size = sizeof blocks.s};
    OK(lun_blocks_cut(e, &old, 3, &blocks.s));
    assert_int_equal(blocks.s.extent[0], 10);
}

static void test_agreements(void **state)
{
    struct {
        lun_agreed s;
        int64_t later;
    } agreed = {{.size = sizeof agreed, .value = 4, .most = 2, .yes = true}, LATER};
    const lun_said said = {.size = offsetof(lun_said, options),
                           .doing = "gathers",
                           .noun = "a gather",
                           .options = (const char *)1}; /* not to be read */
    int64_t *counts = NULL;
    void *all = NULL;
    (void)state;
    OK(lun_spmd_agree(e, "agrees", "an agreement", NULL, &agreed.s));
    assert_true(agreed.s.same && agreed.s.yes && agreed.later == LATER);
    OK(lun_spmd_gather_said(e, &said, "x", 1, &counts, &all));
    assert_int_equal(counts[0], 1);
    free(counts);
    free(all);
}

/* A list whose elements are larger: they stand as far apart as the first one says. */
static void test_lists(void **state)
{
    struct {
        lun_logged s;
        int64_t later;
    } logs[2] = {{{.size = sizeof logs[0]}, LATER}, {{.size = sizeof logs[0]}, LATER}};
    const int64_t rounds[2] = {1, 2}, places[2][2] = {{0, 1}, {1, 2}};
    const double values[2][2] = {{1, 2}, {3, 4}};
    double got[3] = {0};
    lun_array *to, *out;
    (void)state;
    OK(lun_vector(e, NULL, 3, LUN_F64, &to));
    for (int k = 0; k < 2; k++) {
        OK(lun_vector(e, rounds, 2, LUN_I64, &logs[k].s.rounds));
        OK(lun_vector(e, places[k], 2, LUN_I64, &logs[k].s.places));
        OK(lun_vector(e, values[k], 2, LUN_F64, &logs[k].s.values));
    }
    OK(lun_store_logged(e, to, &logs[0].s, 2, &out));
    OK(lun_read(e, out, got, 0, 3));
    /* by rounds: 1 to 0 and 3 to 1, then 2 to 1 and 4 to 2 */
    assert_true(got[0] == 1 && got[1] == 2 && got[2] == 4);
    lun_release(out);
    for (int k = 0; k < 2; k++)
        lun_release(logs[k].s.rounds);
    lun_logged_release(&logs[0].s, 2);
    lun_release(to);
}

/* An older struct of a result: what it does not have is not written. */
static void test_part(void **state)
{
    const double own[4] = {1, 2, 3, 4};
    const void *none[1] = {NULL};
    double got[4] = {0};
    lun_blocking how = {.size = sizeof how, .rank = 1, .extent = {4}, .blocked = {true}};
    lun_blocks blocks = {.size = sizeof blocks};
    lun_part part = {.size = offsetof(lun_part, count), .step = {LATER}};
    lun_array *marks, *v;
    (void)state;
    OK(lun_vector(e, NULL, 1, LUN_U32, &marks));
    OK(lun_vector(e, own, 4, LUN_F64, &v));
    OK(lun_blocks_cut(e, &how, 1, &blocks));
    OK(lun_marks_fill(e, marks, &blocks, 0, v, none, &(int64_t){0}, &part));
    assert_true(part.computed && part.step[0] == LATER);
    OK(lun_read(e, part.elements, got, 0, 4));
    assert_memory_equal(got, own, sizeof own);
    lun_release(part.elements);
    lun_release(part.words);
    lun_release(marks);
    lun_release(v);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, kit_reference_open, kit_close)
    const struct CMUnitTest tests[] = {CASE(test_unsized), CASE(test_blocks), CASE(test_agreements),
                                       CASE(test_lists), CASE(test_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
