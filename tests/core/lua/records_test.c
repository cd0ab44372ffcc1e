/* records_test.c - a host's structs as arrays of records: fields as windows, what is refused, what
 * scripts see and what they give back. */
#include <stdlib.h>
#include <string.h>

#include "engine_kit.h"
#include "lunarray_bind.h"

typedef struct particle {
    float x, y;
    double mass;
    int32_t id;
    bool alive;
} particle;

static const lun_field fields[] = {LUN_FIELD(particle, x, LUN_F32), LUN_FIELD(particle, y, LUN_F32),
                                   LUN_FIELD(particle, mass, LUN_F64),
                                   LUN_FIELD(particle, id, LUN_I32),
                                   LUN_FIELD(particle, alive, LUN_BOOL)};
static const lun_struct type = {.size = sizeof type,
                                .name = "Particle",
                                .fields = fields,
                                .count = 5,
                                .bytes = sizeof(particle)};

static particle some[3];
static int ended; /* how often the memory was given back */

static void end(void *data, void *ctx)
{
    assert_ptr_equal(data, some);
    assert_ptr_equal(ctx, &ended);
    ended++;
}

static int open(void **state)
{
    const particle first[3] = {{1, 2, 0.5, 7, true}, {3, 4, 1.5, 8, false}, {5, 6, 2.5, 9, true}};
    (void)state;
    memcpy(some, first, sizeof some);
    ended = 0;
    return kit_engine_open("reference");
}

static lun_array *wrapped(void)
{
    lun_array *a;
    OK(lun_wrap_records(e, some, 3, &type, end, &ended, &a));
    return a;
}

static lun_array *field_of(lun_array *a, const char *name)
{
    lun_array *out;
    OK(lun_record_field(e, a, name, &out));
    return out;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static void test_windows(void **state)
{
    (void)state;
    lun_array *a = wrapped(), *x = field_of(a, "x"), *id = field_of(a, "id"), *sum;
    lun_value v;
    int64_t shape[LUN_MAX_RANK];
    assert_int_equal(lun_dtype_of(a), LUN_RECORD);
    assert_int_equal(lun_shape(a, shape), 1);
    assert_int_equal(shape[0], 3);
    assert_int_equal(lun_dtype_of(x), LUN_F32);
    OK(lun_add(e, x, x, &sum));
    OK(lun_get(e, sum, 2, &v));
    assert_true(v.as.d == 10);
    lun_release(sum);
    OK(lun_set(e, id, 1, (lun_value){.dtype = LUN_I64, .as.i = -8}));
    OK(lun_fill(e, x, (lun_value){.dtype = LUN_F64, .as.d = 0.25}));
    for (int i = 0; i < 3; i++)
        assert_true(some[i].x == 0.25F);
    assert_int_equal(some[1].id, -8);
    assert_int_equal(some[0].id, 7);
    assert_true(some[1].y == 4 && some[1].mass == 1.5 && !some[1].alive);
    lun_release(a);
    lun_release(id);
    assert_int_equal(ended, 0); /* x is a window on it */
    OK(lun_get(e, x, 0, &v));
    lun_release(x);
    assert_int_equal(ended, 1);
}

/* A struct in a struct, a vector and a matrix in it, some bytes that are no field's. */
typedef struct body {
    struct {
        float x, y;
    } at;
    int16_t unused;
    int16_t code[3];
    double turn[2][2];
} body;

static const lun_field point_fields[] = {{"x", LUN_F32, 0, NULL, 0, {0}},
                                         {"y", LUN_F32, 4, NULL, 0, {0}}};
static const lun_struct point = {sizeof point, "Point", point_fields, 2, 8};
static const lun_field body_fields[] = {
    {.name = "at", .offset = offsetof(body, at), .record = &point},
    {.name = "code", .dtype = LUN_I16, .offset = offsetof(body, code), .rank = 1, .extent = {3}},
    {.name = "turn",
     .dtype = LUN_F64,
     .offset = offsetof(body, turn),
     .rank = 2,
     .extent = {2, 2}}};
static const lun_struct body_type = {sizeof body_type, "Body", body_fields, 3, sizeof(body)};

static void test_nested(void **state)
{
    (void)state;
    body two[2] = {{{1, 2}, 99, {3, 4, 5}, {{1, 2}, {3, 4}}},
                   {{6, 7}, 98, {8, 9, 10}, {{5, 6}, {7, 8}}}};
    int64_t shape[LUN_MAX_RANK];
    double turn[8];
    int16_t code[6];
    lun_array *a;
    OK(lun_wrap_records(e, two, 2, &body_type, NULL, NULL, &a));
    lun_array *y = field_of(a, "at.y"), *points = field_of(a, "at"), *x = field_of(points, "x");
    lun_array *codes = field_of(a, "code"), *turns = field_of(a, "turn");
    assert_string_equal(lun_record_struct(a)->name, "Body");
    assert_string_equal(lun_record_struct(points)->name, "Point");
    assert_string_equal(lun_record_struct(a)->fields[0].record->fields[1].name, "y");
    assert_null(lun_record_struct(y));
    assert_int_equal(lun_shape(codes, shape), 2);
    assert_true(shape[0] == 2 && shape[1] == 3);
    assert_int_equal(lun_shape(turns, shape), 3);
    OK(lun_read(e, codes, code, 0, 6));
    assert_memory_equal(code, ((int16_t[]){3, 4, 5, 8, 9, 10}), sizeof code);
    OK(lun_read(e, turns, turn, 0, 8));
    assert_memory_equal(turn, ((double[]){1, 2, 3, 4, 5, 6, 7, 8}), sizeof turn);
    OK(lun_fill(e, codes, (lun_value){.dtype = LUN_I64, .as.i = 1}));
    OK(lun_store(e, y, x));
    assert_true(two[0].at.y == 1 && two[1].at.y == 6 && two[1].unused == 98);
    assert_int_equal(two[1].code[2], 1);
    FAILS(lun_record_field(e, a, "at.z", &y), LUN_EARG, "Point has no field 'z'");
    FAILS(lun_record_field(e, a, "code.x", &y), LUN_EDTYPE, "records expected, got i16");
    lun_array *const all[] = {a, points, x, y, codes, turns};
    for (int k = 0; k < 6; k++)
        lun_release(all[k]);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(lun_struct r, lun_status status, const char *words)
{
    lun_array *a = NULL;
    lun_status s = lun_wrap_records(e, some, 3, &r, end, &ended, &a);
    if (s != status || !strstr(lun_error(e), words))
        fail_msg("%s: %s\n%s: %s expected", lun_status_name(s), lun_error(e),
                 lun_status_name(status), words);
    assert_null(a);
    assert_int_equal(ended, 0);
}

/* One field, or two, in a struct of `bytes` bytes. */
static lun_struct of(const lun_field *list, int count, size_t bytes)
{
    return (lun_struct){sizeof(lun_struct), "P", list, count, bytes};
}

#define ONE(...) of((const lun_field[]){__VA_ARGS__}, 1, 8)
#define TWO(...) of((const lun_field[]){__VA_ARGS__}, 2, 8)

static void test_structs(void **state)
{
    (void)state;
    lun_field many[65], deep[9] = {{0}};
    lun_struct level[9];
    refused(ONE({.name = "x", .dtype = LUN_F64, .offset = 4}), LUN_ERANGE,
            "field 'x' of P: bytes 4 to 12 are beyond the struct's 8");
    refused(ONE({.name = "x", .dtype = LUN_F32, .offset = SIZE_MAX}), LUN_ERANGE, "beyond");
    refused(ONE({.name = "x", .dtype = LUN_F32, .offset = 2}), LUN_EARG,
            "field 'x' of P: 2, its byte in a struct of 8, and that have to be multiples of 4, the "
            "size of a f32");
    refused(of((const lun_field[]){{.name = "x", .dtype = LUN_F32}}, 1, 6), LUN_EARG, "of 6,");
    refused(TWO({.name = "x", .dtype = LUN_F32}, {.name = "n", .dtype = LUN_I16, .offset = 2}),
            LUN_EARG, "fields 'x' and 'n' of P share bytes");
    refused(TWO({.name = "x", .dtype = LUN_F32}, {.name = "x", .dtype = LUN_I16, .offset = 4}),
            LUN_EARG, "two fields of P have the name 'x'");
    refused(ONE({.name = "x y", .dtype = LUN_F32}), LUN_EARG, "field 0 of P has no name");
    refused(ONE({.name = "", .dtype = LUN_F32}), LUN_EARG, "field 0 of P has no name");
    refused(ONE({.dtype = LUN_F32}), LUN_EARG, "field 0 of P has no name");
    refused(ONE({.name = "x", .dtype = LUN_TEXT}), LUN_EDTYPE,
            "field 'x' of P: records have no fields of text");
    refused(ONE({.name = "x", .dtype = LUN_DATE}), LUN_EDTYPE, "no fields of date");
    refused(ONE({.name = "x", .dtype = LUN_RECORD}), LUN_EDTYPE, "no fields of record");
    refused(ONE({.name = "x", .dtype = (lun_dtype)77}), LUN_EDTYPE, "no fields of that dtype");
    refused(ONE({.name = "x", .dtype = LUN_F32, .rank = 3}), LUN_ESHAPE, "its rank is 3");
    refused(ONE({.name = "x", .dtype = LUN_F32, .rank = 1}), LUN_ESHAPE, "extent 0 is 0");
    refused(ONE({.name = "x", .dtype = LUN_F32, .rank = 1, .extent = {3}}), LUN_ERANGE,
            "bytes 0 to 12");
    refused(ONE({.name = "x", .dtype = LUN_U8, .rank = 2, .extent = {INT64_MAX, INT64_MAX}}),
            LUN_EARG, "P has more than 64 elements in its fields");
    refused(of(NULL, 1, 8), LUN_EARG, "P has 0 fields: 1 to 64 expected");
    refused(of(fields, 0, 8), LUN_EARG, "P has 0 fields");
    refused(of(many, 65, 65), LUN_EARG, "P has 65 fields");
    refused((lun_struct){sizeof(lun_struct), NULL, fields, 1, 8}, LUN_EARG, "a struct has no name");
    refused((lun_struct){sizeof(lun_struct), "a.b", fields, 1, 8}, LUN_EARG, "has no name");
    refused((lun_struct){0, "P", fields, 1, 8}, LUN_EARG, "a lun_struct without its size");
    refused(of(fields, 1, SIZE_MAX), LUN_ERANGE, "a struct of");
    for (int k = 8; k >= 0; k--) {
        deep[k] = k < 8 ? (lun_field){.name = "in", .record = &level[k + 1]}
                        : (lun_field){.name = "x", .dtype = LUN_F32};
        level[k] = of(&deep[k], 1, 8);
    }
    refused(level[0], LUN_EARG, "field 'in' of P: structs in structs, more than 8 deep");
    level[1].fields = deep; /* itself */
    refused(level[0], LUN_EARG, "more than 8 deep");
    refused(ONE({.name = "in", .record = &type}), LUN_ERANGE, "beyond the struct's 8");
    refused(ONE({.name = "in", .record = &level[8], .rank = 1, .extent = {1}}), LUN_ESHAPE,
            "arrays of structs are no fields");
}

static void test_memory(void **state)
{
    (void)state;
    lun_array *a = NULL;
    FAILS(lun_wrap_records(e, some, -1, &type, end, &ended, &a), LUN_EARG,
          "the length is negative");
    FAILS(lun_wrap_records(e, NULL, 3, &type, end, &ended, &a), LUN_EARG,
          "the data of 3 records is missing (NULL)");
    FAILS(lun_wrap_records(e, some, INT64_MAX, &type, end, &ended, &a), LUN_ERANGE,
          "more than can be addressed");
    FAILS(lun_wrap_records(e, (char *)some + 1, 2, &type, end, &ended, &a), LUN_EARG,
          "data must be aligned to 4 bytes");
    FAILS(lun_wrap_records(e, some, 3, NULL, end, &ended, &a), LUN_EARG, "");
    assert_int_equal(lun_wrap_records(NULL, some, 3, &type, end, &ended, &a), LUN_EARG);
    assert_null(a);
    assert_int_equal(ended, 0);
    OK(lun_wrap_records(e, NULL, 0, &type, NULL, NULL, &a));
    lun_array *x = field_of(a, "x");
    assert_int_equal(lun_size(x), 0);
    lun_release(x);
    lun_release(a);
}

/* What takes arrays refuses records in one sentence, and the engine goes on. */
static void test_operands(void **state)
{
    (void)state;
    lun_array *a = wrapped(), *x = field_of(a, "x"), *out = NULL;
    const int64_t three = 3;
    const void *data;
    lun_value v;
    lun_table *t = NULL;
    lun_function *add;
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    const char *said = "record; take a field of the records";
    FAILS(lun_add(e, a, x, &out), LUN_EDTYPE, "record and f32; take a field of the records");
    FAILS(lun_eq(e, a, a, &out), LUN_EDTYPE, "take a field");
    FAILS(lun_neg(e, a, &out), LUN_EDTYPE, said);
    FAILS(lun_cast(e, a, LUN_F64, &out), LUN_EDTYPE, said);
    FAILS(lun_cast(e, x, LUN_RECORD, &out), LUN_EDTYPE, said);
    FAILS(lun_copy(e, a, &out), LUN_EDTYPE, said);
    FAILS(lun_slice(e, a, 0, 1, 1, &out), LUN_EDTYPE, said);
    FAILS(lun_reshape(e, a, 1, &three, &out), LUN_EDTYPE, said);
    FAILS(lun_total(e, LUN_SUM, a, 0, &v), LUN_EDTYPE, said);
    FAILS(lun_map(e, add, a, NULL, 0, &out), LUN_EDTYPE, said);
    FAILS(lun_sort(e, a, 0, 0, &out), LUN_EDTYPE, said);
    FAILS(lun_take(e, a, x, 0, NULL, &out), LUN_EDTYPE, said);
    FAILS(lun_concat(e, a, a, &out), LUN_EDTYPE, said);
    FAILS(lun_read(e, a, some, 0, 1), LUN_EDTYPE, said);
    FAILS(lun_get(e, a, 0, &v), LUN_EDTYPE, said);
    FAILS(lun_set(e, a, 0, (lun_value){.dtype = LUN_I64}), LUN_EDTYPE, said);
    FAILS(lun_fill(e, a, (lun_value){.dtype = LUN_I64}), LUN_EDTYPE, said);
    FAILS(lun_store(e, a, x), LUN_EDTYPE, said);
    FAILS(lun_store(e, x, a), LUN_EDTYPE, said);
    FAILS(lun_data(e, a, &data), LUN_EDTYPE, said);
    FAILS(lun_eval(e, &a, 1), LUN_EDTYPE, said);
    FAILS(lun_missing(e, a, &out), LUN_EDTYPE, said);
    FAILS(lun_real(e, a, &out), LUN_EDTYPE, said);
    FAILS(lun_table_make(e, (const char *[]){"p"}, &a, 1, &t), LUN_EDTYPE, said);
    FAILS(lun_record_field(e, a, "z", &out), LUN_EARG, "Particle has no field 'z'");
    FAILS(lun_record_field(e, x, "x", &out), LUN_EDTYPE, "records expected, got f32");
    FAILS(lun_record_field(e, NULL, "x", &out), LUN_EARG, "");
    assert_false(lun_dtype_find("record", &(lun_dtype){LUN_F32}));
    assert_null(out);
    assert_null(lun_record_struct(NULL));
    lun_function_release(add);
    lun_release(x);
    OK(lun_free(e, a));
    assert_int_equal(ended, 1);
    FAILS(lun_record_field(e, a, "x", &out), LUN_EFREED, "freed");
    assert_null(lun_record_struct(a));
    lun_release(a);
}

static void test_close(void **state)
{
    (void)state;
    lun_array *a = wrapped();
    (void)field_of(a, "x");
    lun_close(e);
    assert_int_equal(ended, 1);
    assert_int_equal(kit_engine_open("reference"), 0);
}

/* ---- scripts --------------------------------------------------------------------------------- */

static void run(const char *text)
{
    OK(lun_dostring(e, text));
}

static void test_seen(void **state)
{
    (void)state;
    lun_array *a = wrapped();
    OK(lun_setglobal(e, "p", a));
    lun_release(a);
    run("assert(#p == 3 and p:layout() == 'aos' and tostring(p:dtype()) == 'struct Particle "
        "{ f32 x; f32 y; f64 mass; i32 id; bool alive; } (aos, 24 bytes)')\n"
        "assert(p[2].mass == 1.5 and p[2].alive == false and p.id:sum() == 24)\n"
        "p.x = p.x + p.y * p.mass\n"
        "p[3] = {x = 1, y = 2, mass = 3, id = 4, alive = false}\n"
        "local faster = p:map(function(q) return q.x * q.mass end)\n"
        "assert(faster[2] == 13.5)");
    assert_true(some[0].x == 2 && some[1].x == 9 && some[2].x == 1 && some[2].mass == 3);
    assert_true(some[2].id == 4 && !some[2].alive && some[1].id == 8);
    run("p = nil collectgarbage() collectgarbage()");
    assert_int_equal(ended, 1);
}

/* One description is one struct; bytes that are no field's stay as they are. */
static void test_dtype(void **state)
{
    (void)state;
    lun_array *a, *b;
    const lun_struct few = {sizeof few, "Particle", fields + 2, 2, sizeof(particle)};
    OK(lun_wrap_records(e, some, 2, &few, NULL, NULL, &a));
    OK(lun_wrap_records(e, some + 2, 1, &few, NULL, NULL, &b));
    OK(lun_setglobal(e, "a", a));
    OK(lun_setglobal(e, "b", b));
    run("assert(a:dtype() == b:dtype() and #(a .. b) == 3)\n"
        "a:set {mass = 9, id = 9}\n"
        "local mass, id = string.unpack('<di', a:tobytes():sub(9, 20))\n"
        "assert(#a:tobytes() == 48 and mass == 9 and id == 9)");
    assert_true(some[1].mass == 9 && some[1].y == 4 && some[2].mass == 2.5);
    run("a, b = nil, nil collectgarbage() collectgarbage()");
    lun_release(a);
    lun_release(b);
}

/* Structs and arrays in a struct, to scripts and back. */
static void test_seen_nested(void **state)
{
    (void)state;
    body two[2] = {{{1, 2}, 99, {3, 4, 5}, {{1, 2}, {3, 4}}},
                   {{6, 7}, 98, {8, 9, 10}, {{5, 6}, {7, 8}}}};
    lun_array *a, *y;
    lun_value v;
    OK(lun_wrap_records(e, two, 2, &body_type, NULL, NULL, &a));
    OK(lun_setglobal(e, "b", a));
    lun_release(a);
    run("assert(tostring(b:dtype()) == 'struct Body { Point at; i16 code[3]; f64 turn[2][2]; } "
        "(aos, 48 bytes)')\n"
        "assert(b[2].at.y == 7 and b[2].code[3] == 10 and b[1].turn[2][1] == 3)\n"
        "b.at.x = b.at.y + b.turn:sub({}, {2, 2}, {2, 2}):flatten()\n"
        "b.code:fill(-1)\n"
        "b[1] = {at = {x = 0.5, y = 1.5}, code = {1, 2, 3}, turn = {{9, 8}, {7, 6}}}\n"
        "c = b:map(function(q) return q.at.x * q.code[1] end)\n"
        "assert(c[1] == 0.5 and c[2] == -15)\n"
        "c = b:copy {layout = 'soa'}");
    assert_true(two[0].at.x == 0.5F && two[1].at.x == 15 && two[1].unused == 98);
    assert_true(two[1].code[1] == -1 && two[0].code[2] == 3 && two[0].turn[1][0] == 7);
    OK(lun_getglobal(e, "c", &a));
    y = field_of(a, "at.y");
    OK(lun_get(e, y, 1, &v));
    assert_true(v.as.d == 7);
    assert_int_equal(lun_record_struct(a)->fields[2].extent[1], 2);
    lun_release(y);
    lun_release(a);
    run("b, c = nil, nil collectgarbage() collectgarbage()");
}

static lun_status moved(void *ctx, lun_engine *engine, const lun_variant *args, int count,
                        lun_variant *results, int *given)
{
    lun_array *x, *one, *sum;
    (void)ctx;
    if (count != 1 || args[0].type != LUN_TYPE_ARRAY || !lun_record_struct(args[0].as.array))
        return lun_fail(engine, LUN_EARG, "records expected");
    OK(lun_record_field(engine, args[0].as.array, "x", &x));
    OK(lun_number(engine, 1, &one));
    OK(lun_add(engine, x, one, &sum));
    OK(lun_store(engine, x, sum));
    lun_retain(args[0].as.array);
    results[0] = args[0];
    *given = 1;
    lun_release(x);
    lun_release(one);
    lun_release(sum);
    return LUN_OK;
}

/* Records that a script has made. */
typedef struct wave {
    float k, z[2]; /* z and a: a real and an imaginary part */
    double a[2];
    float v[2][2];
} wave;

static void test_complex(void **state)
{
    const lun_field of[] = {
        LUN_FIELD(wave, k, LUN_F32),
        LUN_FIELD(wave, z, LUN_C64),
        LUN_FIELD(wave, a, LUN_C128),
        {.name = "v", .dtype = LUN_C64, .offset = offsetof(wave, v), .rank = 1, .extent = {2}}};
    const lun_struct waves = {
        .size = sizeof waves, .name = "Wave", .fields = of, .count = 4, .bytes = sizeof(wave)};
    wave own[2] = {{1, {2, 3}, {4, 5}, {{6, 7}, {8, 9}}}, {2, {0, 1}, {0, -1}, {{1, 1}, {2, 2}}}};
    float pair[2];
    (void)state;
    lun_array *a;
    OK(lun_wrap_records(e, own, 2, &waves, NULL, NULL, &a));
    lun_array *z = field_of(a, "z"), *v = field_of(a, "v");
    assert_int_equal(lun_dtype_of(z), LUN_C64);
    OK(lun_read(e, z, pair, 1, 1));
    assert_float_equal(pair[1], 1, 0);
    OK(lun_setcomplex(e, z, 1, 7, 8));
    assert_float_equal(own[1].z[0], 7, 0);
    assert_float_equal(own[1].z[1], 8, 0);
    OK(lun_setcomplex(e, v, 3, 5, 6)); /* the second one of own[1] */
    assert_float_equal(own[1].v[1][1], 6, 0);
    assert_float_equal(own[1].v[0][1], 1, 0);
    lun_array *doubled;
    OK(lun_add(e, z, z, &doubled));
    OK(lun_read(e, doubled, pair, 0, 1));
    assert_float_equal(pair[0], 4, 0);
    assert_float_equal(pair[1], 6, 0);
    lun_release(doubled);
    lun_release(z);
    lun_release(v);
    lun_release(a);
    lun_field late[4];
    memcpy(late, of, sizeof of);
    late[1].offset = 6; /* not aligned for parts */
    lun_struct bad = waves;
    bad.fields = late;
    refused(bad, LUN_EARG, "multiples of 4");
}

static void test_given(void **state)
{
    (void)state;
    lun_array *a, *x;
    float values[2];
    int64_t shape[LUN_MAX_RANK];
    OK(lun_register(e, "moved", moved, NULL));
    run("local P = lun.struct('Spot', {{'x', 'f32'}, {'n', 'i64'}}, {layout = 'soa'})\n"
        "spots = lun.vector({{x = 1, n = 2}, {x = 3, n = 4}}, P)\n"
        "grid = lun.zeros(2, 3, P)\n"
        "assert(moved(spots).x[2] == 4 and spots.x[1] == 2)");
    OK(lun_getglobal(e, "spots", &a));
    x = field_of(a, "x");
    OK(lun_read(e, x, values, 0, 2));
    assert_true(values[0] == 2 && values[1] == 4);
    assert_int_equal(lun_record_struct(a)->bytes, 16);
    assert_int_equal(lun_record_struct(a)->fields[1].offset, 8);
    lun_release(x);
    lun_release(a);
    OK(lun_getglobal(e, "grid", &a));
    assert_int_equal(lun_shape(a, shape), 2);
    assert_int_equal(shape[1], 3);
    lun_release(a);
    run("P = lun.struct('Spot', {{'x', 'f32'}})");
    FAILS(lun_getglobal(e, "P", &a), LUN_EARG, "is a table, not an array");
    assert_int_equal(lun_dostring(e, "moved {}"), LUN_ESCRIPT);
    run("spots, grid = nil, nil collectgarbage() collectgarbage()");
}

static void test_parts(void **state)
{
    (void)state;
    const int64_t two = 2, three = 3;
    lun_array *x, *y, *out = NULL;
    lun_struct r = {sizeof r, "P", (const lun_field[]){{.name = "x", .dtype = LUN_F32}}, 1, 4};
    OK(lun_full(e, 1, &two, LUN_F32, (lun_value){.dtype = LUN_F64}, &x));
    OK(lun_full(e, 1, &two, LUN_F64, (lun_value){.dtype = LUN_F64}, &y));
    FAILS(lun_records_of(e, &r, 1, &three, &x, &out), LUN_ESHAPE,
          "field 'x' of P: f32[2] has another shape");
    FAILS(lun_records_of(e, &r, 1, &two, &y, &out), LUN_EDTYPE, "field 'x' of P: f64[2], not f32");
    FAILS(lun_records_of(e, &r, 1, &two, (lun_array *[]){NULL}, &out), LUN_EARG, "");
    assert_null(out);
    OK(lun_records_of(e, &r, 1, &two, &x, &out));
    lun_release(out);
    lun_release(x);
    lun_release(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_windows, open, kit_close),
        cmocka_unit_test_setup_teardown(test_nested, open, kit_close),
        cmocka_unit_test_setup_teardown(test_structs, open, kit_close),
        cmocka_unit_test_setup_teardown(test_memory, open, kit_close),
        cmocka_unit_test_setup_teardown(test_operands, open, kit_close),
        cmocka_unit_test_setup_teardown(test_close, open, kit_close),
        cmocka_unit_test_setup_teardown(test_seen, open, kit_close),
        cmocka_unit_test_setup_teardown(test_seen_nested, open, kit_close),
        cmocka_unit_test_setup_teardown(test_dtype, open, kit_close),
        cmocka_unit_test_setup_teardown(test_complex, open, kit_close),
        cmocka_unit_test_setup_teardown(test_given, open, kit_close),
        cmocka_unit_test_setup_teardown(test_parts, open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
