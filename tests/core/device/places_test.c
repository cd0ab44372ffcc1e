/* places_test.c - sets of places and distributions from C: names, what belongs where, what moves,
 * what is refused, and structs of other sizes. */
#include <string.h>

#include "array_kit.h"

enum { N = 10 };

#define TEST(f) cmocka_unit_test_setup_teardown(f, kit_reference_open, kit_close)

static lun_array *counted(void)
{
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = i + 1;
    return vector(x, N);
}

static void distribute(lun_array *a, lun_distribution d)
{
    d.size = sizeof d;
    OK(lun_distribute(e, a, &d));
}

static void expect_counts(lun_array *a, const char *kind, const int64_t *counts)
{
    lun_distribution_state s = {.size = sizeof s};
    OK(lun_distribution_get(e, a, &s));
    assert_string_equal(s.kind, kind);
    for (int k = 0; k < s.places; k++)
        assert_int_equal(s.count[k], counts[k]);
}
#define COUNTS(...)   \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

static lun_stats stats_now(void)
{
    lun_stats s = {.size = sizeof s};
    lun_stats_get(e, &s);
    return s;
}

static void test_names(void **state)
{
    (void)state;
    OK(lun_use(e, "reference/3"));
    assert_string_equal(lun_place_name(e, 0), "reference.1");
    assert_string_equal(lun_place_name(e, 2), "reference.3");
    assert_null(lun_place_name(e, 3));
    assert_null(lun_place_name(e, -1));
    assert_null(lun_place_name(NULL, 0));
    assert_string_equal(lun_backend_name(e), "reference.1");
    assert_int_equal(lun_use(e, "reference,reference"), LUN_EARG);
    assert_string_equal(lun_error(e), "place 'reference' appears twice in the set");
    assert_int_equal(lun_use(e, "reference/2,nix"), LUN_EARG);
    assert_int_equal(lun_use(e, NULL), LUN_EARG);
    assert_string_equal(lun_place_name(e, 2), "reference.3");
    OK(lun_use(e, "reference"));
    assert_string_equal(lun_place_name(e, 0), "reference");
    assert_null(lun_place_name(e, 1));
}

static void test_parts_and_moves(void **state)
{
    (void)state;
    OK(lun_use(e, "reference/3"));
    lun_array *a = counted(), *b;
    const double weights[] = {1, 0, 1};
    expect_counts(a, "none", COUNTS(0, 0, 0));
    distribute(a, (lun_distribution){.kind = "block"});
    expect_counts(a, "block", COUNTS(3, 3, 4));
    distribute(a, (lun_distribution){.kind = "overlap", .rule = "balanced", .halo = 2});
    expect_counts(a, "overlap", COUNTS(4, 3, 3));
    distribute(a, (lun_distribution){.kind = "block", .weights = weights, .weight_count = 3});
    expect_counts(a, "block", COUNTS(5, 0, 5));
    lun_stats before = stats_now();
    b = with_number(LUN_OP_MUL, a, 2);
    OK(lun_eval(e, &b, 1));
    lun_stats after = stats_now();
    assert_int_equal(after.moves - before.moves, 2);
    assert_int_equal(after.bytes_to_device - before.bytes_to_device, 80);
    assert_int_equal(after.launches - before.launches, 2);
    expect_counts(b, "block", COUNTS(5, 0, 5));
    lun_distribution_state s = {.size = sizeof s};
    OK(lun_distribution_get(e, b, &s));
    assert_true(s.fresh[0] && s.fresh[2] && !s.fresh_host);
    assert_int_equal(s.start[2], 5);
    assert_string_equal(s.device[2], "reference.3");
    assert_true(at(b, 9) == 20);
    lun_place_stats p = {.size = sizeof p};
    assert_true(lun_place_stats_get(e, 2, &p));
    assert_int_equal(p.bytes_to_device, 40);
    assert_false(lun_place_stats_get(e, 3, &p));
    release_all((lun_array *[]){a, b}, 2);
}

static void test_plan(void **state)
{
    (void)state;
    OK(lun_use(e, "reference/2"));
    lun_array *a = counted(), *b;
    lun_plan *p;
    distribute(a, (lun_distribution){.kind = "single", .device = 1});
    b = with_number(LUN_OP_ADD, a, 1);
    OK(lun_explain(e, &b, 1, &p));
    const lun_plan_move *m = lun_plan_move_at(p, 0);
    assert_string_equal(m->from, "host");
    assert_string_equal(m->to, "reference.2");
    assert_string_equal(m->why, "first use");
    assert_int_equal(m->bytes, 80);
    assert_null(lun_plan_move_at(p, 1));
    const lun_plan_place *place = lun_plan_place_at(p, 0);
    assert_string_equal(place->name, "reference.2");
    assert_int_equal(place->first, 0);
    assert_int_equal(place->count, 10);
    assert_null(lun_plan_place_at(p, 1));
    assert_null(lun_plan_place_at(p, -1));
    lun_plan_release(p);
    release_all((lun_array *[]){a, b}, 2);
}

static void refused(lun_array *a, lun_distribution d, const char *text)
{
    d.size = sizeof d;
    assert_int_equal(lun_distribute(e, a, &d), LUN_EARG);
    assert_non_null(strstr(lun_error(e), text));
}

static void test_refusals(void **state)
{
    (void)state;
    OK(lun_use(e, "reference/2"));
    lun_array *a = counted(), *number;
    OK(lun_number(e, 1, &number));
    refused(a, (lun_distribution){.kind = NULL}, "unknown distribution '(nil)'");
    refused(a, (lun_distribution){.kind = "rows"}, "unknown distribution 'rows'");
    refused(a, (lun_distribution){.kind = "block", .rule = "odd"}, "unknown rule 'odd'");
    refused(a, (lun_distribution){.kind = "single", .device = 2}, "there is no place 2: 2 are");
    refused(a, (lun_distribution){.kind = "single", .device = -1}, "there is no place -1");
    refused(a, (lun_distribution){.kind = "overlap", .halo = -1}, "a halo of -1");
    refused(number, (lun_distribution){.kind = "copy"}, "a single number");
    assert_int_equal(lun_distribute(e, a, NULL), LUN_EARG);
    expect_counts(a, "none", COUNTS(0, 0));
    distribute(a, (lun_distribution){.kind = "none"});
    distribute(a, (lun_distribution){.kind = "copy"});
    refused(a, (lun_distribution){.kind = "none"}, "cannot be taken back");
    release_all((lun_array *[]){a, number}, 2);
}

/* A program that was built with a shorter struct, or a longer one. */
static void test_sizes(void **state)
{
    (void)state;
    OK(lun_use(e, "reference/2"));
    lun_array *a = counted();
    lun_distribution d = {.size = offsetof(lun_distribution, rule), .kind = "block", .rule = "x"};
    OK(lun_distribute(e, a, &d)); /* what stands behind is not read */
    struct {
        lun_distribution_state s;
        char more[8];
    } room;
    memset(&room, 7, sizeof room);
    room.s.size = offsetof(lun_distribution_state, places);
    OK(lun_distribution_get(e, a, &room.s));
    assert_string_equal(room.s.kind, "block");
    assert_int_equal(room.s.places, 0x07070707);
    room.s.size = sizeof room;
    OK(lun_distribution_get(e, a, &room.s));
    assert_int_equal(room.s.places, 2);
    assert_int_equal(room.more[0], 7);
    lun_release(a);
}

/* An array of a set that is used no more. */
static void test_other_sets(void **state)
{
    (void)state;
    OK(lun_use(e, "reference/2"));
    lun_array *a = counted(), *b, *c;
    distribute(a, (lun_distribution){.kind = "copy"});
    b = with_number(LUN_OP_MUL, a, 3);
    OK(lun_eval(e, &b, 1));
    OK(lun_use(e, "reference/3"));
    expect_counts(b, "none", COUNTS(0, 0, 0));
    c = binary(LUN_OP_ADD, a, b);
    OK(lun_eval(e, &c, 1));
    expect_counts(c, "block", COUNTS(3, 3, 4));
    OK(lun_use(e, "reference"));
    for (int i = 0; i < N; i++)
        assert_true(at(c, i) == 4 * (i + 1));
    release_all((lun_array *[]){a, b, c}, 3);
}

static lun_distribution_state state_of(lun_array *a)
{
    lun_distribution_state s = {.size = sizeof s};
    OK(lun_distribution_get(e, a, &s));
    return s;
}

/* Copies that are said to differ, and the function that merges them. */
static void test_merges(void **state)
{
    (void)state;
    lun_function *sum, *text;
    lun_place_stats place = {.size = sizeof place};
    OK(lun_use(e, "reference/3"));
    lun_array *a = counted(), *b;
    OK(lun_function_op(e, LUN_OP_ADD, &sum));
    OK(lun_function_c(e, "(double x, double y) { return x - y; }", &text));
    assert_int_equal(lun_touched(e, a), LUN_EARG);
    assert_non_null(strstr(lun_error(e), "only copies can differ"));
    distribute(a, (lun_distribution){.kind = "copy", .combine = sum});
    assert_false(state_of(a).diverged);
    assert_string_equal(state_of(a).combine, "+");
    assert_ptr_equal(state_of(a).function, sum);
    lun_function_release(sum); /* the array keeps it */
    OK(lun_touched(e, a));
    OK(lun_touched(e, a));
    assert_true(state_of(a).diverged);
    assert_int_equal(stats_now().merges, 0);
    b = with_number(LUN_OP_ADD, a, 1);
    OK(lun_eval(e, &b, 1));
    for (int i = 0; i < N; i++) {
        assert_true(at(a, i) == 3 * (i + 1));
        assert_true(at(b, i) == 3 * (i + 1) + 1);
    }
    assert_int_equal(stats_now().merges, 1);
    OK(lun_touched(e, a));
    distribute(a, (lun_distribution){.kind = "block", .combine = text});
    assert_string_equal(state_of(a).combine, "function");
    for (int i = 0; i < N; i++)
        assert_true(at(a, i) == -3 * (i + 1));
    assert_int_equal(stats_now().merges, 2);
    assert_true(lun_place_stats_get(e, 2, &place));
    assert_int_equal(place.merges, 2);
    lun_function_release(text);
    release_all((lun_array *[]){a, b}, 2);
}

/* A function that cannot merge the array is refused, and so is none that is kept. */
static void test_bad_merges(void **state)
{
    (void)state;
    lun_function *f;
    OK(lun_use(e, "reference/2"));
    lun_array *a = counted();
    OK(lun_function_op(e, LUN_OP_SUB, &f));
    refused(a, (lun_distribution){.kind = "copy", .combine = f}, "sub is not associative");
    lun_function_release(f);
    OK(lun_function_op(e, LUN_OP_BAND, &f));
    const lun_distribution d = {.size = sizeof d, .kind = "copy", .combine = f};
    assert_int_equal(lun_distribute(e, a, &d), LUN_EDTYPE);
    lun_function_release(f);
    expect_counts(a, "none", COUNTS(0, 0));
    assert_null(state_of(a).combine);
    lun_release(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_names), TEST(test_parts_and_moves), TEST(test_plan),   TEST(test_refusals),
        TEST(test_sizes), TEST(test_other_sets),      TEST(test_merges), TEST(test_bad_merges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
