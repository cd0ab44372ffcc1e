/* runtime_checks.c - run-time assertions: expressions whose kernel fails where a bool is false. */
#include "api/array/api.h"

#include "ir/ir.h"

static const lun_ir_ins steps[] = {
    {.kind = LUN_IR_ARG, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1, .imm = 0},
    {.kind = LUN_IR_ARG, .dtype = LUN_BOOL, .a = -1, .b = -1, .c = -1, .imm = 1},
    {.kind = LUN_IR_ARG, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1, .imm = 2},
    {.kind = LUN_IR_CHECK, .a = 1, .b = 2, .c = -1, .imm = 0}};

/* Inputs: a number, whether it holds, its index. */
static const lun_ir body = {.ins = (lun_ir_ins *)(uintptr_t)steps, .count = 4, .scan = -1};
static const lun_ir_function demanded = {
    .body = (lun_ir *)(uintptr_t)&body, .output = {0}, .outputs = 1, .note_count = 1, .params = 3};

/* 1, 2, ... in n's shape. */
static lun_status indices(lun_engine *e, const lun_node *n, lun_node **out)
{
    lun_node *index = NULL, *shaped = NULL, *one = NULL;
    int64_t shape[LUN_MAX_RANK];
    lun__node_shape(n, shape);
    lun_status s = lun__node_index(e, n->n, &index);
    if (s == LUN_OK)
        s = lun__view_node_reshape(e, index, n->rank, shape, &shaped);
    if (s == LUN_OK)
        s = lun__node_number(e, LUN_I64, 1, 0, NULL, &one);
    if (s == LUN_OK)
        s = lun__elementwise_op(e, LUN_OP_ADD, (lun_node *[]){shaped, one}, out);
    lun__node_release(e, index);
    lun__node_release(e, shaped);
    lun__node_release(e, one);
    return s;
}

lun_status lun__runtime_check(lun_engine *e, lun_node *n, lun_node *holds, const char *const *note,
                              lun_node **out)
{
    lun_node *at = NULL;
    lun_status s = n->rank ? indices(e, n, &at) : lun__node_number(e, LUN_I64, 1, 0, NULL, &at);
    if (s == LUN_OK)
        s = lun__node_call(e, NULL, &demanded, (lun_node *[]){n, holds, at}, 3, 3, LUN_I64, n, out);
    if (s == LUN_OK)
        (*out)->notes = note;
    lun__node_release(e, at);
    return s;
}
