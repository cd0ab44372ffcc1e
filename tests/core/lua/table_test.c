/* Tables from C without a line of Lua: verbs, files and bytes of any format, tables as values of
 * scripts. What they compute is compared with values written here. */
#include "engine_kit.h"
#include "left_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lunarray_bind.h"

#define NAMES(...) ((const char *[]){__VA_ARGS__})
#define TEXT(s)          \
    {                    \
        s, sizeof(s) - 1 \
    }

/* A column of f64, missing where x is below 0. */
static lun_array *numbers(const double *x, int64_t n)
{
    lun_array *a, *zero, *mask, *out;
    OK(lun_vector(e, x, n, LUN_F64, &a));
    OK(lun_number(e, 0, &zero));
    OK(lun_lt(e, a, zero, &mask));
    OK(lun_with_missing(e, a, mask, &out));
    lun_release(a);
    lun_release(zero);
    lun_release(mask);
    return out;
}

static lun_array *texts(const lun_string *s, int64_t n)
{
    lun_array *out;
    OK(lun_text(e, s, n, &out));
    return out;
}

/* A table of two columns, whose references it takes. */
static lun_table *table_of(const char *first, lun_array *a, const char *second, lun_array *b)
{
    lun_table *t;
    OK(lun_table_make(e, NAMES(first, second), (lun_array *[]){a, b}, 2, &t));
    lun_release(a);
    lun_release(b);
    return t;
}

/* k: b a - a c, x: 5 - 1 3 2. */
static lun_table *sample(void)
{
    const lun_string s[] = {TEXT("b"), TEXT("a"), {NULL, 0}, TEXT("a"), TEXT("c")};
    return table_of("k", texts(s, 5), "x", numbers((double[]){5, -1, 1, 3, 2}, 5));
}

/* The column has these elements, below 0 where one is missing. */
static void has_numbers(lun_table *t, const char *name, const double *x, int64_t n)
{
    lun_array *a, *f, *gone;
    bool missing[16];
    double found[16];
    assert_int_equal(lun_table_rows(t), n);
    OK(lun_table_column(e, t, name, &a));
    OK(lun_missing(e, a, &gone));
    OK(lun_cast(e, a, LUN_F64, &f));
    OK(lun_read(e, gone, missing, 0, n));
    OK(lun_read(e, f, found, 0, n));
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(missing[i], x[i] < 0);
        assert_true(missing[i] || found[i] == x[i]);
    }
    lun_release(a);
    lun_release(f);
    lun_release(gone);
}

/* The texts of a column, "-" where one is missing, with a blank after each. */
static void has_texts(lun_table *t, const char *name, const char *wanted)
{
    lun_array *a;
    lun_string s[16];
    char found[256] = "";
    const int64_t n = lun_table_rows(t);
    OK(lun_table_column(e, t, name, &a));
    OK(lun_text_read(e, a, 0, n, s));
    for (int64_t i = 0; i < n; i++)
        snprintf(found + strlen(found), 64, "%.*s ", s[i].data ? (int)s[i].length : 1,
                 s[i].data ? s[i].data : "-");
    assert_string_equal(found, wanted);
    lun_release(a);
}

static void has_names(const lun_table *t, const char *wanted)
{
    char found[256] = "";
    for (int64_t k = 0; k < lun_table_width(t); k++)
        snprintf(found + strlen(found), 64, "%s ", lun_table_name(t, k));
    assert_string_equal(found, wanted);
}

/* ---- verbs ----------------------------------------------------------------------------------- */

static void test_rows(void **state)
{
    lun_table *t = sample(), *u;
    lun_array *mask, *rows, *gone, *gapped;
    (void)state;
    OK(lun_vector(e, (bool[]){true, false, true, false, true}, 5, LUN_BOOL, &mask));
    OK(lun_table_filter(e, t, mask, &u));
    has_names(u, "k x ");
    has_texts(u, "k", "b - c ");
    has_numbers(u, "x", (double[]){5, 1, 2}, 3);
    lun_table_release(u);
    OK(lun_vector(e, (int32_t[]){4, 0, -1, 1}, 4, LUN_I32, &rows));
    OK(lun_table_take(e, t, rows, &u));
    has_texts(u, "k", "c b c a ");
    has_numbers(u, "x", (double[]){2, 5, 2, -1}, 4);
    lun_table_release(u);
    OK(lun_vector(e, (bool[]){false, true, false, false}, 4, LUN_BOOL, &gone));
    OK(lun_with_missing(e, rows, gone, &gapped));
    OK(lun_table_take(e, t, gapped, &u));
    has_texts(u, "k", "c - c a ");
    has_numbers(u, "x", (double[]){2, -1, 2, -1}, 4);
    lun_table_release(u);
    FAILS(lun_table_filter(e, t, rows, &u), LUN_EARG, "mask 1 has 4 rows, the table 5");
    FAILS(lun_table_take(e, t, mask, &u), LUN_EARG, "a Vector of integers expected");
    OK(lun_set(e, rows, 2, (lun_value){.dtype = LUN_I64, .as.i = 5}));
    FAILS(lun_table_take(e, t, rows, &u), LUN_EARG,
          "row 5 (element 2) is out of range for a table of 5 rows");
    OK(lun_set(e, rows, 2, (lun_value){.dtype = LUN_I64, .as.i = -6}));
    FAILS(lun_table_take(e, t, rows, &u), LUN_EARG, "row -6 (element 2)");
    lun_release(mask);
    lun_release(rows);
    lun_release(gone);
    lun_release(gapped);
    lun_table_release(t);
}

static void test_sort(void **state)
{
    lun_table *t = sample(), *u;
    const bool down[] = {true, false};
    lun_table_sort_options o = {.size = sizeof o, .descending = down};
    (void)state;
    OK(lun_table_sort(e, t, NAMES("x"), 1, NULL, &u));
    has_texts(u, "k", "- c a b a ");
    lun_table_release(u);
    OK(lun_table_sort(e, t, NAMES("k", "x"), 2, &o, &u));
    has_texts(u, "k", "c b a a - ");
    has_numbers(u, "x", (double[]){2, 5, 3, -1, 1}, 5);
    lun_table_release(u);
    o = (lun_table_sort_options){.size = sizeof o, .missing_first = true};
    OK(lun_table_sort(e, t, NAMES("k"), 1, &o, &u));
    has_texts(u, "k", "- a a b c ");
    lun_table_release(u);
    FAILS(lun_table_sort(e, t, NAMES("y"), 1, NULL, &u), LUN_EARG, "no column 'y'");
    FAILS(lun_table_sort(e, t, NULL, 0, NULL, &u), LUN_EARG, "name of a column");
    FAILS(lun_table_sort(e, t, NAMES(NULL), 1, NULL, &u), LUN_EARG, "missing (NULL)");
    o.size = 0;
    FAILS(lun_table_sort(e, t, NAMES("x"), 1, &o, &u), LUN_EARG, "without their size");
    lun_table_release(t);
}

static void test_concat(void **state)
{
    lun_table *t = sample(), *v, *u;
    (void)state;
    v = table_of("x", numbers((double[]){7}, 1), "y", numbers((double[]){8}, 1));
    OK(lun_table_concat(e, (lun_table *[]){t, t}, 2, false, &u));
    has_texts(u, "k", "b a - a c b a - a c ");
    lun_table_release(u);
    FAILS(lun_table_concat(e, (lun_table *[]){t, v}, 2, false, &u), LUN_EARG, "it lacks 'k'");
    OK(lun_table_concat(e, (lun_table *[]){t, v}, 2, true, &u));
    has_names(u, "k x y ");
    has_texts(u, "k", "b a - a c - ");
    has_numbers(u, "y", (double[]){-1, -1, -1, -1, -1, 8}, 6);
    lun_table_release(u);
    FAILS(lun_table_concat(e, NULL, 0, false, &u), LUN_EARG, "no tables");
    FAILS(lun_table_concat(e, (lun_table *[]){t, NULL}, 2, false, &u), LUN_EARG,
          "table 1 is a table");
    lun_table_release(t);
    lun_table_release(v);
}

static void test_groups(void **state)
{
    lun_table *t = sample(), *u;
    const lun_table_aggregate what[] = {
        {.name = "n", .function = "count"},
        {.name = "there", .function = "count", .column = "x"},
        {.name = "sum", .function = "sum", .column = "x"},
        {.name = "half", .function = "quantile", .column = "x", .quantile = 0.5}};
    const lun_table_aggregate joined = {"all", "concat", "k", "+", 0};
    lun_table_group_options o = {.size = sizeof o, .first_order = true, .drop_missing = true};
    (void)state;
    OK(lun_table_group_agg(e, t, NAMES("k"), 1, what, 4, NULL, &u));
    has_names(u, "k n there sum half ");
    has_texts(u, "k", "a b c - ");
    has_numbers(u, "n", (double[]){2, 1, 1, 1}, 4);
    has_numbers(u, "there", (double[]){1, 1, 1, 1}, 4);
    has_numbers(u, "sum", (double[]){3, 5, 2, 1}, 4);
    has_numbers(u, "half", (double[]){3, 5, 2, 1}, 4);
    lun_table_release(u);
    OK(lun_table_group_agg(e, t, NAMES("k"), 1, what, 1, &o, &u));
    has_texts(u, "k", "b a c ");
    lun_table_release(u);
    OK(lun_table_group_agg(e, t, NULL, 0, &joined, 1, NULL, &u));
    has_texts(u, "all", "b+a+a+c ");
    lun_table_release(u);
    OK(lun_table_group_agg(e, t, NAMES("k"), 1, NULL, 0, NULL, &u));
    has_names(u, "k ");
    lun_table_release(u);
    FAILS(lun_table_group_agg(e, t, NAMES("k"), 1,
                              &(lun_table_aggregate){"a", "maen", "x", NULL, 0}, 1, NULL, &u),
          LUN_EARG, "unknown function 'maen'");
    FAILS(lun_table_group_agg(e, t, NAMES("k"), 1, &(lun_table_aggregate){"a", "sum", "k", NULL, 0},
                              1, NULL, &u),
          LUN_EARG, "text");
    FAILS(lun_table_group_agg(e, t, NAMES("k"), 1,
                              &(lun_table_aggregate){NULL, "sum", "k", NULL, 0}, 1, NULL, &u),
          LUN_EARG, "missing (NULL)");
    lun_table_release(t);
}

static void test_joins(void **state)
{
    lun_table *t = sample(), *v, *u;
    const lun_string s[] = {TEXT("a"), TEXT("c"), {NULL, 0}};
    lun_table_join_options o = {.size = sizeof o, .how = "left"};
    (void)state;
    v = table_of("key", texts(s, 3), "x", numbers((double[]){10, 30, 40}, 3));
    o.right = NAMES("key");
    OK(lun_table_join(e, t, v, NAMES("k"), 1, &o, &u));
    has_names(u, "k x x_right ");
    has_texts(u, "k", "b a - a c ");
    has_numbers(u, "x_right", (double[]){-1, 10, -1, 10, 30}, 5);
    lun_table_release(u);
    o = (lun_table_join_options){
        .size = sizeof o, .right = o.right, .suffix = "_v", .match_missing = true};
    OK(lun_table_join(e, t, v, NAMES("k"), 1, &o, &u));
    has_names(u, "k x x_v ");
    has_numbers(u, "x_v", (double[]){10, 40, 10, 30}, 4);
    lun_table_release(u);
    o = (lun_table_join_options){
        .size = sizeof o, .how = "asof", .direction = "nearest", .tolerance = "7"};
    OK(lun_table_join(e, t, v, NAMES("x"), 1, &o, &u));
    has_numbers(u, "x", (double[]){5, -1, 1, 3, 2}, 5);
    has_texts(u, "key", "a - - a - ");
    lun_table_release(u);
    o = (lun_table_join_options){.size = sizeof o, .how = "sideways"};
    FAILS(lun_table_join(e, t, v, NAMES("x"), 1, &o, &u), LUN_EARG, "asof expected, got sideways");
    o = (lun_table_join_options){.size = sizeof o, .validate = "1:1", .right = NAMES("key")};
    FAILS(lun_table_join(e, t, v, NAMES("k"), 1, &o, &u), LUN_EARG, "repeat");
    FAILS(lun_table_join(e, t, v, NAMES("k"), 1, NULL, &u), LUN_EARG, "no column 'k'");
    FAILS(lun_table_join(e, t, NULL, NAMES("k"), 1, NULL, &u), LUN_EARG,
          "argument 2 is a table whose pointer is NULL");
    lun_table_release(t);
    lun_table_release(v);
}

/* ---- files and bytes ------------------------------------------------------------------------- */

static void test_files(void **state)
{
    lun_table *t = sample(), *u = NULL;
    lun_variant v = {.type = LUN_TYPE_TABLE, .as.table = t};
    lun_array *a;
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "/tmp/lunarray-table-%d.csv", (int)getpid());
    OK(lun_save_any(e, path, &v, "{sep = ';'}"));
    OK(lun_table_load(e, path, NULL, &u));
    has_texts(u, "k", "b a - a c ");
    has_numbers(u, "x", (double[]){5, -1, 1, 3, 2}, 5);
    lun_table_release(u);
    OK(lun_load_any(e, path, "{columns = {'x'}, nrows = 2}", &v));
    assert_int_equal(v.type, LUN_TYPE_TABLE);
    has_names(v.as.table, "x ");
    has_numbers(v.as.table, "x", (double[]){5, -1}, 2);
    lun_table_release(v.as.table);
    FAILS(lun_load(e, path, &a), LUN_EARG, "several columns, not one array: lun_table_load");
    FAILS(lun_load_any(e, path, "{nosuch = 1}", &v), LUN_EARG, "unknown option 'nosuch'");
    unlink(path);
    FAILS(lun_table_load(e, path, NULL, &u), LUN_EIO, "No such file");
    FAILS(lun_load_any(e, "x.nosuch", NULL, &v), LUN_EARG, "unknown extension");
    lun_table_release(t);
}

/* Texts that are no table of constants; none is run. */
static void test_options(void **state)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "{sep}",
                                      "{sep =}",
                                      "{sep = ';'",
                                      "{sep = ';'} x",
                                      "{sep = f()}",
                                      "{sep = 1 + 1}",
                                      "{['sep'] ';'}",
                                      "{sep = 'a\nb'}",
                                      "{sep = '\\q'}",
                                      "{sep = ';', sep = ';'}",
                                      "sep = ';'",
                                      "{a = {{{{{{{{{1}}}}}}}}}}",
                                      "{sep = nil}",
                                      "{sep = ';;",
                                      "{,}",
                                      "{sep = '\\u{3b}'}"};
    lun_variant v;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        v.type = LUN_TYPE_NIL;
        FAILS(lun_decode(e, "a\n1\n", 4, "csv", bad[i], &v), LUN_EARG,
              "the options are no table of constants");
    }
    OK(lun_decode(e, "a;b\n1;x\n", 8, "csv",
                  " { [\"sep\"] = \";\" ; header = true, nrows = 0x1, } ", &v));
    assert_int_equal(lun_table_width(v.as.table), 2);
    lun_table_release(v.as.table);
}

static void test_bytes(void **state)
{
    static const char *const formats[] = {"png", "pgm", "npy"};
    lun_table *t = sample();
    lun_variant v = {.type = LUN_TYPE_TABLE, .as.table = t}, out;
    uint8_t pixels[6] = {0, 1, 2, 253, 254, 255}, found[6];
    void *bytes = NULL;
    size_t n = 0;
    (void)state;
    OK(lun_encode(e, &v, "csv", NULL, &bytes, &n));
    assert_int_equal(n, strlen("k,x\nb,5.0\na,\n,1.0\na,3.0\nc,2.0\n"));
    assert_memory_equal(bytes, "k,x\nb,5.0\na,\n,1.0\na,3.0\nc,2.0\n", n);
    OK(lun_decode(e, bytes, n, "csv", NULL, &out));
    has_numbers(out.as.table, "x", (double[]){5, -1, 1, 3, 2}, 5);
    lun_table_release(out.as.table);
    lun_bytes_free(e, bytes);
    v.type = LUN_TYPE_ARRAY;
    OK(lun_tensor(e, pixels, 2, (int64_t[]){2, 3}, LUN_U8, &v.as.array));
    for (size_t k = 0; k < 3; k++) {
        OK(lun_encode(e, &v, formats[k], NULL, &bytes, &n));
        OK(lun_decode(e, bytes, n, formats[k], NULL, &out));
        assert_int_equal(out.type, LUN_TYPE_ARRAY);
        OK(lun_read(e, out.as.array, found, 0, 6));
        assert_memory_equal(found, pixels, 6);
        lun_release(out.as.array);
        for (size_t cut = 0; cut < n; cut++) /* no prefix of it is such a file */
            assert_int_equal(lun_decode(e, bytes, cut, formats[k], NULL, &out), LUN_EIO);
        lun_bytes_free(e, bytes);
    }
    FAILS(lun_encode(e, &v, "csv", NULL, &bytes, &n), LUN_EARG, "table of columns expected");
    FAILS(lun_encode(e, &v, "parquet", NULL, &bytes, &n), LUN_EARG,
          "unknown format 'parquet'; supported: csv");
    FAILS(lun_decode(e, NULL, 3, "csv", NULL, &out), LUN_EARG, "the bytes are missing");
    FAILS(lun_decode(e, "x", 1, NULL, NULL, &out), LUN_EARG, "missing (NULL)");
    lun_release(v.as.array);
    lun_table_release(t);
}

/* Files by a library of the system, where it is installed: an array, a part of one, a refusal. */
static void test_door(void **state)
{
    char path[] = "/tmp/lunarray-XXXXXX.h5";
    double x[6] = {1, 2, 3, 4, 5, 6}, found[3];
    lun_variant v = {.type = LUN_TYPE_ARRAY}, out;
    (void)state;
    if (lun_door_open(e, "hdf5", NULL) != LUN_OK)
        LEAVE_OUT("no HDF5 library");
    const int fd = mkstemps(path, 3);
    assert_true(fd >= 0);
    close(fd);
    OK(lun_tensor(e, x, 2, (int64_t[]){2, 3}, LUN_F64, &v.as.array));
    OK(lun_save_any(e, path, &v, "{dataset = 'g/a', compression = 3}"));
    OK(lun_load_any(e, path, "{dataset = 'g/a', part = {2, 2}}", &out));
    assert_int_equal(out.type, LUN_TYPE_ARRAY);
    OK(lun_read(e, out.as.array, found, 0, 3));
    assert_memory_equal(found, x + 3, sizeof found);
    lun_release(out.as.array);
    FAILS(lun_load_any(e, path, "{dataset = 'b'}", &out), LUN_EIO, "no dataset 'b'");
    FAILS(lun_save_any(e, path, &v, NULL), LUN_EARG, "dataset is not given");
    lun_release(v.as.array);
    unlink(path);
}

/* ---- values of scripts ----------------------------------------------------------------------- */

/* Gives its table back, and its number of rows. */
static lun_status rows_of(void *ctx, lun_engine *engine, const lun_variant *args, int count,
                          lun_variant *results, int *given)
{
    (void)ctx;
    if (count != 1 || args[0].type != LUN_TYPE_TABLE)
        return lun_fail(engine, LUN_EARG, "a table is needed");
    lun_table_retain(args[0].as.table);
    results[0] = args[0];
    results[1] =
        (lun_variant){.type = LUN_TYPE_INTEGER, .as.integer = lun_table_rows(args[0].as.table)};
    *given = 2;
    return LUN_OK;
}

static void test_variants(void **state)
{
    lun_table *t = sample();
    const lun_variant arg = {.type = LUN_TYPE_TABLE, .as.table = t};
    lun_variant out[2];
    int given;
    (void)state;
    OK(lun_dostring(e, "function f(t) return t:filter(t.x:gt(1)):sort('k'), #t end\n"
                       "function g() return {1} end\n"
                       "function h(t) local u, n = rows_of(t) return u:head(n - 3), n end"));
    OK(lun_callglobal(e, "f", &arg, 1, out, 2, &given));
    assert_int_equal(out[0].type, LUN_TYPE_TABLE);
    has_texts(out[0].as.table, "k", "a b c ");
    assert_int_equal(out[1].as.integer, 5);
    lun_table_release(out[0].as.table);
    OK(lun_register(e, "rows_of", rows_of, NULL));
    OK(lun_callglobal(e, "h", &arg, 1, out, 2, &given));
    has_texts(out[0].as.table, "k", "b a ");
    lun_table_release(out[0].as.table);
    FAILS(lun_callglobal(e, "g", NULL, 0, out, 1, &given), LUN_EARG,
          "is a table, not nil, a boolean");
    FAILS(lun_dostring(e, "rows_of({1})"), LUN_ESCRIPT, "table of columns expected, got a table");
    FAILS(lun_dostring(e, "rows_of(1)"), LUN_ESCRIPT, "a table is needed");
    lun_table_release(t);
}

/* Rounds of all that leave nothing: handles, and memory after the first of them. */
static void test_rounds(void **state)
{
    lun_stats s = {.size = sizeof s};
    int64_t nodes = 0;
    (void)state;
    for (int round = 0; round < 1000; round++) {
        lun_table *t = sample(), *u, *g;
        const lun_table_aggregate sum = {"s", "sum", "x", NULL, 0};
        const lun_variant v = {.type = LUN_TYPE_TABLE, .as.table = t};
        void *bytes;
        size_t n;
        OK(lun_table_group_agg(e, t, NAMES("k"), 1, &sum, 1, NULL, &g));
        OK(lun_table_join(e, t, g, NAMES("k"), 1, NULL, &u));
        OK(lun_encode(e, &v, "csv", NULL, &bytes, &n));
        lun_bytes_free(e, bytes);
        lun_table_release(t);
        lun_table_release(u);
        lun_table_release(g);
        if (round % 100 == 99) {
            OK(lun_dostring(e, "collectgarbage() collectgarbage()"));
            lun_stats_get(e, &s);
            nodes = nodes ? nodes : s.nodes;
            assert_int_equal(s.nodes, nodes);
        }
    }
}

/* Values of Lua that nobody has any more are collected first. */
static int end(void **state)
{
    OK(lun_dostring(e, "collectgarbage() collectgarbage()"));
    return kit_close(state);
}

static int open_sandbox(void **state)
{
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = "", .sandbox = 1};
    (void)state;
    return lun_open(&c, &e) != LUN_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows, kit_reference_open, end),
        cmocka_unit_test_setup_teardown(test_sort, kit_reference_open, end),
        cmocka_unit_test_setup_teardown(test_concat, kit_reference_open, end),
        cmocka_unit_test_setup_teardown(test_groups, kit_reference_open, end),
        cmocka_unit_test_setup_teardown(test_joins, kit_reference_open, end),
        cmocka_unit_test_setup_teardown(test_files, open_sandbox, end),
        cmocka_unit_test_setup_teardown(test_options, open_sandbox, end),
        cmocka_unit_test_setup_teardown(test_bytes, open_sandbox, end),
        cmocka_unit_test_setup_teardown(test_door, kit_reference_open, end),
        cmocka_unit_test_setup_teardown(test_variants, kit_reference_open, end),
        cmocka_unit_test_setup_teardown(test_rounds, kit_reference_open, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
