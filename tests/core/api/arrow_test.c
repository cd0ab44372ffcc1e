/* arrow_test.c - tables and columns by Arrow's C interface: whose memory stands where, whose
 * release is called when and on which thread, also after lun_close, and what is refused. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "engine_kit.h"
#include "lunarray_arrow.h"
#include "lunarray_bind.h"

static int open_engine(void **state)
{
    (void)state;
    return kit_engine_open(NULL);
}

static int64_t copied(void)
{
    lun_stats s = {.size = sizeof s};
    lun_stats_get(e, &s);
    return s.bytes_copied;
}

/* ---- a producer ------------------------------------------------------------------------------ */

/* Arrays and schemas of static memory; `released` counts those given up. */
static int released;

static void release_array(struct ArrowArray *a)
{
    __atomic_add_fetch(&released, 1, __ATOMIC_RELAXED);
    a->release = NULL;
}

static void release_schema(struct ArrowSchema *s)
{
    s->release = NULL;
}

static struct ArrowSchema schema_of(const char *format, const char *name)
{
    return (struct ArrowSchema){.format = format, .name = name, .release = release_schema};
}

static struct ArrowArray array_of(int64_t length, int64_t count, const void **buffers)
{
    return (struct ArrowArray){.length = length,
                               .null_count = -1,
                               .n_buffers = count,
                               .buffers = buffers,
                               .release = release_array};
}

/* ---- out ------------------------------------------------------------------------------------- */

/* A table of numbers, texts with a gap, and bools. */
static lun_table *make_table(lun_array *columns[3])
{
    const double x[3] = {1.5, 2.5, 3.5};
    const bool b[3] = {true, false, true};
    const lun_string s[3] = {{"a", 1}, {NULL, 0}, {"a text of more than twelve bytes", 32}};
    const char *const names[3] = {"x", "s", "b"};
    lun_table *t;
    OK(lun_vector(e, x, 3, LUN_F64, &columns[0]));
    OK(lun_text(e, s, 3, &columns[1]));
    OK(lun_vector(e, b, 3, LUN_BOOL, &columns[2]));
    OK(lun_table_make(e, names, columns, 3, &t));
    return t;
}

static void release_all(lun_array *columns[3], lun_table *t)
{
    for (int k = 0; k < 3; k++)
        lun_release(columns[k]);
    lun_table_release(t);
}

/* The values of that table as arrays show them. */
static void check_values(const struct ArrowArray *a)
{
    const struct ArrowArray *s = a->children[1], *d = s->dictionary;
    const double *x = a->children[0]->buffers[1];
    const uint8_t *codes = s->buffers[1], *bits = a->children[2]->buffers[1];
    const int32_t *far = (const int32_t *)d->buffers[1] + 4L * codes[2];
    assert_true(x[0] == 1.5 && x[2] == 3.5);
    assert_int_equal(s->null_count, 1);
    assert_int_equal(*(const uint8_t *)s->buffers[0], 5);
    assert_int_equal(codes[1], 0);
    assert_int_equal(far[0], 32);
    assert_memory_equal((const char *)d->buffers[2 + far[2]] + far[3],
                        "a text of more than twelve bytes", 32);
    assert_int_equal(*bits, 5);
}

static void test_out(void **state)
{
    lun_array *columns[3], *x;
    struct ArrowSchema s;
    struct ArrowArray a;
    const void *data;
    (void)state;
    lun_table *t = make_table(columns);
    assert_int_equal(lun_table_rows(t), 3);
    assert_int_equal(lun_table_width(t), 3);
    assert_string_equal(lun_table_name(t, 2), "b");
    assert_null(lun_table_name(t, 3));
    OK(lun_table_column(e, t, "x", &x));
    OK(lun_to_arrow(e, t, &s, &a));
    assert_string_equal(s.format, "+s");
    assert_string_equal(s.children[0]->format, "g");
    assert_string_equal(s.children[1]->format, "C");
    assert_string_equal(s.children[1]->dictionary->format, "vu");
    assert_string_equal(s.children[1]->name, "s");
    OK(lun_data(e, columns[0], &data));
    assert_ptr_equal(a.children[0]->buffers[1], data);
    assert_int_equal(copied(), 0);
    OK(lun_set(e, x, 0, (lun_value){.dtype = LUN_F64, .as.d = 99})); /* seen by nobody there */
    OK(lun_text_set(e, columns[1], 1, (lun_string){"another text that is long", 25}));
    lun_release(x);
    release_all(columns, t);
    check_values(&a);
    struct ArrowArray moved = *a.children[1]; /* outlives its parent */
    a.children[1]->release = NULL;
    struct ArrowSchema name = *s.children[1];
    s.children[1]->release = NULL;
    a.release(&a);
    s.release(&s);
    assert_null(a.release);
    assert_string_equal(name.name, "s");
    assert_memory_equal((const char *)moved.dictionary->buffers[1] + 16 + 4, "a", 1);
    moved.release(&moved);
    name.release(&name);
}

/* ---- threads, and after the engine ----------------------------------------------------------- */

static void *release_there(void *a)
{
    ((struct ArrowArray *)a)->release(a);
    return NULL;
}

static void on_a_thread(struct ArrowArray *a)
{
    pthread_t thread;
    assert_int_equal(0, pthread_create(&thread, NULL, release_there, a));
    assert_int_equal(0, pthread_join(thread, NULL));
}

/* Threads that never saw the engine give up what it gave, while it works and when it has ended. */
static void test_threads(void **state)
{
    enum { ROUNDS = 50 };
    lun_array *columns[3];
    struct ArrowSchema s[ROUNDS];
    struct ArrowArray a[ROUNDS], last;
    pthread_t threads[ROUNDS];
    (void)state;
    lun_table *t = make_table(columns);
    for (int k = 0; k < ROUNDS; k++) {
        OK(lun_to_arrow(e, t, &s[k], &a[k]));
        s[k].release(&s[k]);
        assert_int_equal(0, pthread_create(&threads[k], NULL, release_there, &a[k]));
        OK(lun_text_set(e, columns[1], 0, (lun_string){k % 2 ? "b" : "a", 1}));
    }
    for (int k = 0; k < ROUNDS; k++)
        assert_int_equal(0, pthread_join(threads[k], NULL));
    OK(lun_text_set(e, columns[1], 0, (lun_string){"a", 1}));
    OK(lun_to_arrow(e, t, &s[0], &last));
    release_all(columns, t);
    lun_close(e);
    check_values(&last);
    on_a_thread(&last);
    assert_string_equal(s[0].children[0]->name, "x");
    s[0].release(&s[0]);
    assert_int_equal(0, kit_engine_open(NULL));
}

/* A stream outlives its engine; memory that came in goes out again, and its producer's release is
 * called when the last one has ended. */
static void test_after_close(void **state)
{
    static const double x[3] = {1, 2, 3};
    const void *buffers[2] = {NULL, x};
    struct ArrowSchema s = schema_of("g", "x"), column;
    struct ArrowArray a = array_of(3, 2, buffers), shown, batch;
    struct ArrowArrayStream stream;
    lun_array *columns[3], *v;
    (void)state;
    released = 0;
    lun_table *t = make_table(columns);
    OK(lun_to_arrow_stream(e, t, "{rows = 2}", &stream));
    release_all(columns, t);
    OK(lun_array_from_arrow(e, &s, &a, &v));
    OK(lun_array_to_arrow(e, v, &column, &shown));
    assert_ptr_equal(shown.buffers[1], x);
    lun_release(v);
    lun_close(e);
    assert_int_equal(released, 0);
    on_a_thread(&shown);
    column.release(&column);
    assert_int_equal(released, 1);
    assert_int_equal(0, stream.get_schema(&stream, &column));
    column.release(&column);
    for (int64_t rows = 2; rows >= 0; rows--) {
        assert_int_equal(0, stream.get_next(&stream, &batch));
        assert_true(rows ? batch.release != NULL : batch.release == NULL);
        if (!rows)
            break;
        assert_int_equal(batch.length, rows);
        assert_int_equal(batch.children[1]->null_count, rows == 2);
        batch.release(&batch);
    }
    stream.release(&stream);
    assert_int_equal(0, kit_engine_open(NULL));
}

/* ---- in -------------------------------------------------------------------------------------- */

static void test_in(void **state)
{
    static int64_t values[5] = {10, 20, 30, 40, 50};
    const void *buffers[2] = {NULL, values}, *data;
    struct ArrowSchema s = schema_of("l", "n");
    struct ArrowArray a = array_of(3, 2, buffers);
    lun_value x;
    lun_array *v;
    (void)state;
    released = 0;
    a.offset = 1;
    OK(lun_array_from_arrow(e, &s, &a, &v));
    assert_null(a.release);
    assert_null(s.release);
    OK(lun_data(e, v, &data));
    assert_ptr_equal(data, values + 1);
    assert_int_equal(copied(), 0);
    OK(lun_set(e, v, 0, (lun_value){.dtype = LUN_I64, .as.i = 99}));
    OK(lun_get(e, v, 0, &x));
    assert_int_equal(x.as.i, 99);
    assert_int_equal(values[1], 20); /* which is never written */
    lun_release(v);
    assert_int_equal(released, 1);
    FAILS(lun_array_from_arrow(e, &s, &a, &v), LUN_EARG, "the schema is released already");
    s = schema_of("l", "n");
    FAILS(lun_array_from_arrow(e, &s, &a, &v), LUN_EARG, "the array is released already");
}

/* Missing elements: slots that are blank stay where they are, others are copied. */
static void test_missing(void **state)
{
    static const int32_t values[4] = {1, 0, 3, 4}, junk[4] = {1, 77, 3, 4};
    static const uint8_t bits[1] = {0x0d};
    const void *buffers[2] = {bits, values}, *other[2] = {bits, junk};
    const void *const *const all[2] = {buffers, other};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct ArrowSchema s = schema_of("i", "n");
        struct ArrowArray a = array_of(4, 2, (const void **)all[k]);
        lun_array *v, *filled;
        bool is;
        int32_t back[4];
        const int64_t before = copied();
        OK(lun_array_from_arrow(e, &s, &a, &v));
        assert_int_equal(copied() - before, k ? 16 : 0);
        OK(lun_is_missing(e, v, 1, &is));
        assert_true(is);
        OK(lun_is_missing(e, v, 2, &is));
        assert_false(is);
        OK(lun_with_missing(e, v, NULL, &filled));
        OK(lun_read(e, filled, back, 0, 4));
        assert_memory_equal(back, values, sizeof back);
        lun_release(filled);
        lun_release(v);
    }
}

/* Elements at an odd address are copied. */
static void test_odd(void **state)
{
    static _Alignas(8) char bytes[8 * 3 + 1];
    const double x[3] = {1.5, 2.5, 3.5};
    const void *buffers[2] = {NULL, memcpy(bytes + 1, x, sizeof x)};
    struct ArrowSchema s = schema_of("g", NULL);
    struct ArrowArray a = array_of(3, 2, buffers);
    double back[3];
    lun_array *v;
    (void)state;
    released = 0;
    OK(lun_array_from_arrow(e, &s, &a, &v));
    assert_int_equal(released, 1); /* not needed any more */
    OK(lun_read(e, v, back, 0, 3));
    assert_memory_equal(back, x, sizeof x);
    lun_release(v);
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* A column that fails with these words, and stays the caller's. */
static void refuse(const char *format, struct ArrowArray a, lun_status status, const char *words)
{
    struct ArrowSchema s = schema_of(format, "c");
    const struct ArrowArray before = a;
    lun_array *v = NULL;
    released = 0;
    FAILS(lun_array_from_arrow(e, &s, &a, &v), status, words);
    assert_memory_equal(&a, &before, sizeof a);
    assert_non_null(s.release);
    assert_int_equal(released, 0);
    assert_null(v);
}

static void test_values(void **state)
{
    static const int32_t descends[3] = {0, 2, 1}, below[3] = {-1, 1, 2}, good[3] = {0, 1, 2};
    static const char bytes[4] = "a\xff", nul[4] = {'a', 0};
    static const int32_t beyond[4] = {20, 0, 0, 0}, second[4] = {20, 0, 1, 0},
                         negative[4] = {-1, 0, 0, 0}, offset[4] = {20, 0, 0, -4};
    static const int64_t sizes[1] = {19};
    static const char data[32] = "bytes of a text";
    (void)state;
    refuse("u", array_of(2, 3, (const void *[]){NULL, descends, "ab"}), LUN_EARG,
           "column 'c': row 2 has offsets that descend");
    refuse("u", array_of(2, 3, (const void *[]){NULL, below, bytes}), LUN_EARG,
           "column 'c': row 1 has offsets that descend");
    refuse("u", array_of(2, 3, (const void *[]){NULL, good, bytes}), LUN_EARG,
           "column 'c': row 2 is not UTF-8 text");
    refuse("u", array_of(2, 3, (const void *[]){NULL, good, nul}), LUN_EARG,
           "column 'c': row 2 holds a NUL byte");
    refuse("u", array_of(2, 3, (const void *[]){NULL, good, NULL}), LUN_EARG, "are missing (NULL)");
    refuse("vu", array_of(1, 4, (const void *[]){NULL, beyond, data, sizes}), LUN_EARG,
           "row 1 is a view beyond its buffer");
    refuse("vu", array_of(1, 4, (const void *[]){NULL, second, data, sizes}), LUN_EARG,
           "row 1 is a view beyond its buffer");
    refuse("vu", array_of(1, 4, (const void *[]){NULL, offset, data, sizes}), LUN_EARG,
           "row 1 is a view beyond its buffer");
    refuse("vu", array_of(1, 4, (const void *[]){NULL, negative, data, sizes}), LUN_EARG,
           "row 1 has a negative length");
}

static void test_structure(void **state)
{
    static const int64_t x[3] = {1, 2, 3};
    const void *buffers[2] = {NULL, x}, *none[2] = {NULL, NULL};
    struct ArrowArray a = array_of(3, 2, buffers);
    (void)state;
    refuse("l", array_of(-1, 2, buffers), LUN_EARG, "length or offset is negative");
    a.offset = -1;
    refuse("l", a, LUN_EARG, "length or offset is negative");
    a.offset = INT64_MAX - 1;
    refuse("l", a, LUN_EARG, "length or offset is negative");
    refuse("l", array_of(3, 3, buffers), LUN_EARG, "another number of buffers");
    refuse("vu", array_of(3, 2, buffers), LUN_EARG, "another number of buffers");
    refuse("l", array_of(3, 2, NULL), LUN_EARG, "it has no buffers");
    refuse("l", array_of(3, 2, none), LUN_EARG, "a buffer is missing (NULL)");
    a = array_of(3, 2, buffers);
    a.dictionary = &a;
    refuse("l", a, LUN_EARG, "one of them has a dictionary");
    refuse("", array_of(3, 2, buffers), LUN_EDTYPE, "no dtype corresponds to it");
    refuse("ll", array_of(3, 2, buffers), LUN_EDTYPE, "no dtype corresponds to it");
    refuse("d:10", array_of(3, 2, buffers), LUN_EDTYPE, "no dtype corresponds to it");
    refuse("d:70,2,256", array_of(3, 2, buffers), LUN_EDTYPE, "no dtype corresponds to it");
    refuse("w:-1", array_of(3, 2, buffers), LUN_EDTYPE, "no dtype corresponds to it");
    refuse("tiM", array_of(3, 2, buffers), LUN_EDTYPE, "column 'c' is interval");
    refuse("z", array_of(3, 2, buffers), LUN_EDTYPE, "bytes are no text");
    refuse("+l", array_of(3, 2, buffers), LUN_EDTYPE, "column 'c' is list<>: unnest it first");
}

/* A dictionary whose codes are out of range. */
static void test_codes(void **state)
{
    static const int8_t codes[3][3] = {{0, 1, 2}, {0, -1, 1}, {0, 1, 1}};
    static const int32_t values[2] = {10, 20};
    const void *inner[2] = {NULL, values};
    lun_array *v;
    (void)state;
    for (int k = 0; k < 3; k++) {
        const void *buffers[2] = {NULL, codes[k]};
        struct ArrowSchema s = schema_of("c", "c"), d = schema_of("i", "");
        struct ArrowArray a = array_of(3, 2, buffers), of = array_of(2, 2, inner);
        int32_t back[3];
        s.dictionary = &d;
        a.dictionary = &of;
        if (k == 2) {
            OK(lun_array_from_arrow(e, &s, &a, &v));
            OK(lun_read(e, v, back, 0, 3));
            assert_true(back[0] == 10 && back[2] == 20);
            lun_release(v);
        } else {
            FAILS(lun_array_from_arrow(e, &s, &a, &v), LUN_EARG,
                  k ? "the code of row 2 is not among the 2 values"
                    : "the code of row 3 is not among the 2 values");
        }
    }
}

/* Struct arrays that are not as their schema says. */
static void test_structs(void **state)
{
    static const int64_t x[3] = {1, 2, 3};
    static const uint8_t bits[1] = {5};
    const void *buffers[2] = {NULL, x}, *outer[1] = {NULL}, *gaps[1] = {bits};
    struct ArrowSchema s = schema_of("+s", ""), child = schema_of("l", "x"),
                       *children[2] = {&child, &child};
    struct ArrowArray a = array_of(3, 1, outer), column = array_of(3, 2, buffers),
                      *columns[2] = {&column, &column};
    lun_table *t;
    (void)state;
    s.n_children = 1;
    s.children = children;
    FAILS(lun_from_arrow(e, &s, &a, &t), LUN_EARG, "not as its schema says: 0 columns and 1");
    a.n_children = 1;
    FAILS(lun_from_arrow(e, &s, &a, &t), LUN_EARG, "not as its schema says");
    a.children = columns;
    a.buffers = gaps;
    FAILS(lun_from_arrow(e, &s, &a, &t), LUN_EARG, "row 2 of the struct is missing");
    a.buffers = outer;
    a.length = 4;
    FAILS(lun_from_arrow(e, &s, &a, &t), LUN_EARG,
          "column 'x': the array is not as its schema "
          "says: it has too few rows");
    a.length = 2;
    columns[0] = NULL;
    FAILS(lun_from_arrow(e, &s, &a, &t), LUN_EARG, "column 'x'");
    columns[0] = &column;
    s.children = NULL;
    FAILS(lun_from_arrow(e, &s, &a, &t), LUN_EARG, "missing (NULL)");
    s = schema_of("l", "");
    FAILS(lun_from_arrow(e, &s, &a, &t), LUN_EDTYPE, "a table comes in as a struct (+s), got 'l'");
    FAILS(lun_from_arrow(e, NULL, &a, &t), LUN_EARG, "");
}

static void test_tables(void **state)
{
    const double x[3] = {1, 2, 3};
    lun_array *a, *b, *m;
    lun_table *t;
    (void)state;
    OK(lun_vector(e, x, 3, LUN_F64, &a));
    OK(lun_vector(e, x, 2, LUN_F64, &b));
    OK(lun_reshape(e, a, 2, (const int64_t[]){3, 1}, &m));
    FAILS(lun_table_make(e, (const char *[]){"a", "b"}, (lun_array *[]){a, b}, 2, &t), LUN_ESHAPE,
          "column 'b' has 2 rows, the table 3");
    FAILS(lun_table_make(e, (const char *[]){"a", "a"}, (lun_array *[]){a, a}, 2, &t), LUN_EARG,
          "two columns have the name 'a'");
    FAILS(lun_table_make(e, (const char *[]){"m"}, (lun_array *[]){m}, 1, &t), LUN_ESHAPE,
          "column 'm': a column is of rank 1");
    FAILS(lun_table_make(e, (const char *[]){""}, (lun_array *[]){a}, 1, &t), LUN_EARG, "no name");
    FAILS(lun_table_make(e, (const char *[]){"\xff"}, (lun_array *[]){a}, 1, &t), LUN_EARG,
          "not UTF-8");
    OK(lun_table_make(e, NULL, NULL, 0, &t));
    FAILS(lun_table_column(e, t, "x", &m), LUN_EARG, "no column 'x'");
    lun_table_retain(t);
    lun_table_release(t);
    lun_table_release(t);
    lun_release(a);
    lun_release(b);
    lun_release(m);
}

/* ---- streams that fail ----------------------------------------------------------------------- */

/* A stream of that many batches, then a failure. */
typedef struct failing {
    int batches;
    bool schema_fails;
} failing;

static int fail_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    *out = schema_of("l", "x");
    return ((failing *)s->private_data)->schema_fails ? EINVAL : 0;
}

static int fail_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    static const int64_t x[3] = {1, 2, 3};
    static const void *buffers[2] = {NULL, x};
    failing *f = s->private_data;
    if (!f->batches--)
        return EIO;
    *out = array_of(3, 2, buffers);
    return 0;
}

static const char *fail_text(struct ArrowArrayStream *s)
{
    return ((failing *)s->private_data)->schema_fails ? NULL : "the disk is gone";
}

static void release_failing(struct ArrowArrayStream *s)
{
    s->release = NULL;
}

static void test_streams(void **state)
{
    failing f = {.batches = 3};
    struct ArrowArrayStream s = {fail_schema, fail_next, fail_text, release_failing, &f};
    lun_table *t;
    (void)state;
    released = 0;
    FAILS(lun_from_arrow_stream(e, &s, NULL, &t), LUN_EIO,
          "the Arrow stream ends with an error: the disk is gone");
    assert_int_equal(released, 3);
    assert_non_null(s.release);
    f.schema_fails = true;
    FAILS(lun_from_arrow_stream(e, &s, NULL, &t), LUN_EIO, "Invalid argument");
    FAILS(lun_from_arrow_stream(e, &s, "{rows = 3}", &t), LUN_EARG, "unknown option 'rows'");
    FAILS(lun_from_arrow_stream(e, &s, "blobs", &t), LUN_EARG, "no table of constants");
    FAILS(lun_from_arrow_stream(e, &s, "{blobs = 'hex'", &t), LUN_EARG, "no table of constants");
    FAILS(lun_from_arrow_stream(e, &s, "{blobs = hex}", &t), LUN_EARG, "one of the texts");
    s.release(&s);
    FAILS(lun_from_arrow_stream(e, &s, NULL, &t), LUN_EARG, "released already");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_out, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_threads, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_after_close, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_in, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_missing, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_odd, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_values, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_structure, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_codes, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_structs, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_tables, open_engine, kit_close),
        cmocka_unit_test_setup_teardown(test_streams, open_engine, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
