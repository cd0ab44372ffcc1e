/* clc_teams_test.c - texts in OpenCL C of kernels of teams, without any device: a team as a
 * work-group or as a work-item, and the atomic operations that a device has. */
#include "kernels.h"

#include "ir/fission.h"
#include "render/render.h"
#include "table/atomic.h"

static lun_strbuf text = LUN_STRBUF_INIT;

static lun_status render(const lun_ir *ir, const lun_cl_target *target, lun_cl_shape *shape)
{
    lun__strbuf_clear(&text);
    return lun__cl_dialect_render(ir, target, &text, shape);
}

static void expect(const char *part)
{
    if (!strstr(lun__strbuf_text(&text), part))
        fail_msg("not found:\n%s\nin:\n%s", part, lun__strbuf_text(&text));
}

static void expect_none(const char *part)
{
    if (strstr(lun__strbuf_text(&text), part))
        fail_msg("found:\n%s\nin:\n%s", part, lun__strbuf_text(&text));
}

/* Threads of a team swap numbers in memory that they share: slot 1. */
static void make_team(lun_ir *ir)
{
    lun__ir_init(ir);
    ir->threads = 4;
    (void)ir_arg(ir, LUN_I64); /* the first team */
    lun__ir_slot_add(ir, LUN_I64, LUN_SLOT_TARGET);
    lun__ir_slot_add(ir, LUN_I64, LUN_SLOT_TARGET);
    int32_t thread = ir_add(ir, (lun_ir_ins){.kind = LUN_IR_THREAD, .dtype = LUN_I64}),
            three = ir_const(ir, LUN_I64, 3);
    ir_add(ir,
           (lun_ir_ins){
               .kind = LUN_IR_PUT, .dtype = LUN_I64, .imm = 1, .a = thread, .b = thread, .c = -1});
    ir_add(ir, (lun_ir_ins){.kind = LUN_IR_BARRIER, .a = -1, .b = -1, .c = -1});
    int32_t other = ir_op(ir, LUN_OP_SUB, LUN_I64, three, thread, -1),
            x = ir_add(ir, (lun_ir_ins){.kind = LUN_IR_GATHER,
                                        .dtype = LUN_I64,
                                        .imm = 1,
                                        .a = other,
                                        .b = -1,
                                        .c = -1});
    ir_add(ir, (lun_ir_ins){
                   .kind = LUN_IR_PUT, .dtype = LUN_I64, .imm = 0, .a = x, .b = thread, .c = -1});
}

/* A team is a work-group with local memory, or a work-item without any. */
static void test_team_texts(void **state)
{
    const lun_cl_target target = {.form = LUN_CL_SCALAR};
    lun_cl_shape shape;
    lun_fission apart;
    lun_ir ir;
    (void)state;
    make_team(&ir);
    assert_int_equal(lun__ir_fission(&ir, 0, false, false, &apart), LUN_OK);
    assert_true(apart.together);
    assert_int_equal(render(&apart.ir, &target, &shape), LUN_OK);
    assert_int_equal(shape.team, 0);
    expect_none("__local");
    expect_none("barrier(");
    lun__ir_fission_free(&apart);
    ir.slots[1].shared = 4;
    assert_int_equal(render(&ir, &target, &shape), LUN_OK);
    assert_int_equal(shape.team, 4);
    expect("__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void lun_kernel(");
    expect("__local lun_i64 m1[4]");
    expect("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)");
    lun__ir_free(&ir);
}

/* Which operations of the language a device gets, and what it lacks for others. */
static void test_atomic_texts(void **state)
{
    static const struct {
        lun_atomic which;
        lun_dtype dtype;
        bool wide, more;
        const char *has; /* NULL: it is refused */
    } cases[] = {
        {LUN_ATOMIC_ADD, LUN_I32, false, false,
         "return atomic_add((volatile __global lun_i32 *)p, x)"},
        {LUN_ATOMIC_MIN, LUN_I32, false, false,
         "return atomic_min((volatile __global lun_i32 *)p, x)"},
        {LUN_ATOMIC_ADD, LUN_U64, true, false,
         "return atom_add((volatile __global lun_u64 *)p, x)"},
        {LUN_ATOMIC_MAX, LUN_I64, true, true, "return atom_max((volatile __global lun_i64 *)p, x)"},
        {LUN_ATOMIC_MAX, LUN_I64, true, false, "ulong o = atom_add(q, 0)"},
        {LUN_ATOMIC_ADD, LUN_F32, false, false, "uint o = atomic_add(q, 0)"},
        {LUN_ATOMIC_ADD, LUN_F64, true, true, "ulong o = atom_add(q, 0)"},
        {LUN_ATOMIC_EXCHANGE, LUN_F32, false, false, "atomic_xchg((volatile __global uint *)p, "},
        {LUN_ATOMIC_ADD, LUN_I64, false, false, NULL},
        {LUN_ATOMIC_EXCHANGE, LUN_F64, false, false, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lun_dtype t = cases[i].dtype;
        const lun_cl_target target = {.form = LUN_CL_SCALAR,
                                      .fp64 = true,
                                      .wide_atomics = cases[i].wide,
                                      .more_atomics = cases[i].more};
        lun_cl_shape shape;
        lun_ir ir;
        lun__ir_init(&ir);
        lun__ir_slot_add(&ir, t, LUN_SLOT_TARGET);
        int32_t x = ir_arg(&ir, t), at = ir_arg(&ir, LUN_I64);
        ir_add(&ir, (lun_ir_ins){.kind = LUN_IR_ATOMIC,
                                 .dtype = (uint8_t)t,
                                 .op = (int32_t)cases[i].which,
                                 .a = x,
                                 .b = at,
                                 .c = -1});
        lun_status s = render(&ir, &target, &shape);
        assert_int_equal(s, cases[i].has ? LUN_OK : LUN_EDTYPE);
        expect(cases[i].has ? cases[i].has : "the extension cl_khr_int64_base_atomics, which");
        lun__ir_free(&ir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_team_texts),
                                       cmocka_unit_test(test_atomic_texts)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lun__strbuf_free(&text);
    return failed;
}
