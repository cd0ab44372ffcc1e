/* check_test.c - LUNARRAY_CHECK=1: an array on a set whose invariants were broken is found before a
 * step uses it, and a step that is as explain says succeeds. */
#include "api/array/array.h"
#include "store/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "array_kit.h"

enum { N = 1000 };

/* An array in blocks on three locations, each of which has its elements. */
static lun_array *shared(void)
{
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = i;
    lun_array *a = vector(x, N), *b;
    OK(lun_use(e, "reference/3"));
    OK(lun_distribute(e, a,
                      &(lun_distribution){.size = sizeof(lun_distribution), .kind = "block"}));
    OK(lun_add(e, a, a, &b));
    OK(lun_eval(e, &b, 1));
    lun_release(a);
    return b;
}

static lun_storage *storage(const lun_array *a)
{
    return a->node->storage;
}

/* a + a is evaluated. */
static lun_status use(lun_array *a)
{
    lun_array *b;
    OK(lun_add(e, a, a, &b));
    const lun_status s = lun_eval(e, &b, 1);
    lun_release(b);
    return s;
}

static void lose(lun_array *a)
{
    lun__intervals_clear(&storage(a)->placed->pieces[1]->fresh);
}

static void reach(lun_array *a)
{
    lun_piece *x = storage(a)->placed->pieces[0];
    assert_true(lun__intervals_add(&x->fresh, x->hi, x->hi + 5));
}

static void overlap(lun_array *a)
{
    lun_spread *x = storage(a)->placed->spread;
    x->bound[1] = x->bound[2] + 1;
}

static const struct {
    void (*fault)(lun_array *a);
    const char *says;
} cases[] = {
    {lose, "LUNARRAY_CHECK: before a step on 3 locations: elements are nowhere"},
    {reach,
     "LUNARRAY_CHECK: before a step on 3 locations: a location has elements beyond its memory"},
    {overlap, "LUNARRAY_CHECK: before a step on 3 locations: parts do not cover it"},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lun_array *a = shared();
        OK(use(a));
        cases[i].fault(a);
        assert_int_equal(use(a), LUN_EBACKEND);
        assert_string_equal(lun_error(e), cases[i].says);
        lun_release(a);
    }
}

static void test_bad_value(void **state)
{
    lun_engine *other = NULL;
    (void)state;
    setenv("LUNARRAY_CHECK", "often", 1);
    assert_int_equal(lun_open(NULL, &other), LUN_EARG);
    setenv("LUNARRAY_CHECK", "1", 1);
    assert_non_null(strstr(lun_error(NULL), "LUNARRAY_CHECK must be a positive number"));
}

int main(void)
{
    setenv("LUNARRAY_CHECK", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_faults, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_bad_value, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
