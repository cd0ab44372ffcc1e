/* take_nodes.c - the nodes of take_nodes.h: their bodies, one for each dtype and with or without a
 * base.  Knows no array. */
#include "graph/take_nodes.h"

#include "ir/ir.h"

/* The operands behind the elementwise ones. */
enum { LENGTH, FIRST, NONE, LENIENT, INNER, COUNT, AXIS, STEP, SOURCE, EXTRAS };

static const char *const notes[] = {"an index is out of range"};

#define ARG(t, number)                                                                   \
    {                                                                                    \
        .kind = LUN_IR_ARG, .dtype = LUN_##t, .a = -1, .b = -1, .c = -1, .imm = (number) \
    }
#define OP(name, t, operands, x, y, z)                                                    \
    {                                                                                     \
        .kind = LUN_IR_OP, .dtype = LUN_##t, .from = LUN_##operands, .op = LUN_OP_##name, \
        .a = (x), .b = (y), .c = (z)                                                      \
    }
#define UNSIGNED(x)                                                                        \
    {                                                                                      \
        .kind = LUN_IR_CAST, .dtype = LUN_U64, .from = LUN_I64, .a = (x), .b = -1, .c = -1 \
    }

/* The index along the axis is value 16, or 0 where there is none; `more`: elementwise operands
 * behind index and number. */
#define PLACE_STEPS(more)                                                                      \
    ARG(I64, 0), ARG(I64, 2 + (more) + LENGTH), ARG(I64, 2 + (more) + FIRST),                  \
        ARG(I64, 2 + (more) + NONE), ARG(BOOL, 2 + (more) + LENIENT),                          \
        {.kind = LUN_IR_CONST, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1},                   \
        OP(LT, BOOL, I64, 0, 5, -1), OP(SUB, I64, I64, 0, 2, -1), OP(ADD, I64, I64, 0, 1, -1), \
        OP(WHERE, I64, I64, 6, 8, 7), UNSIGNED(9), UNSIGNED(1), OP(LT, BOOL, U64, 10, 11, -1), \
        OP(EQ, BOOL, I64, 0, 3, -1), OP(LAND, BOOL, BOOL, 13, 4, -1),                          \
        OP(LOR, BOOL, BOOL, 12, 14, -1), OP(WHERE, I64, I64, 12, 9, 5),                        \
    {                                                                                          \
        .kind = LUN_IR_CHECK, .a = 15, .b = 0, .c = -1                                         \
    }
#define GATHER(t, index)                                                    \
    {                                                                       \
        .kind = LUN_IR_GATHER, .dtype = (t), .a = (index), .b = -1, .c = -1 \
    }

/* A segment, and one of several. */
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute, \
                  sum, suffix, npy, doc)                                                        \
    static const lun_ir_ins segment_##ID[] = {PLACE_STEPS(0), GATHER(LUN_##ID, 16)};            \
    static const lun_ir_ins segments_##ID[] = {PLACE_STEPS(1),                                  \
                                               ARG(I64, 2),                                     \
                                               ARG(I64, 3 + STEP),                              \
                                               OP(MUL, I64, I64, 16, 19, -1),                   \
                                               OP(ADD, I64, I64, 18, 20, -1),                   \
                                               OP(WHERE, I64, I64, 12, 21, 5),                  \
                                               GATHER(LUN_##ID, 22)};
#include "table/dtypes.def"
#undef LUN_DTYPE

#define BODY(what, ID)                                                 \
    {                                                                  \
        .ins = (lun_ir_ins *)(uintptr_t)what##_##ID,                   \
        .count = sizeof what##_##ID / sizeof *what##_##ID, .scan = -1, \
    }
#define FUNCTION(what, ID, more)                                                                 \
    {                                                                                            \
        .body = (lun_ir *)(uintptr_t)&what##_bodies[LUN_##ID],                                   \
        .output = {sizeof what##_##ID / sizeof *what##_##ID - 1}, .outputs = 1, .note_count = 1, \
        .params = 2 + (more) + SOURCE,                                                           \
    }
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute, \
                  sum, suffix, npy, doc)                                                        \
    [LUN_##ID] = BODY(segment, ID),
static const lun_ir segment_bodies[LUN_DTYPE_COUNT] = {
#include "table/dtypes.def"
};
#undef LUN_DTYPE
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute, \
                  sum, suffix, npy, doc)                                                        \
    [LUN_##ID] = BODY(segments, ID),
static const lun_ir segments_bodies[LUN_DTYPE_COUNT] = {
#include "table/dtypes.def"
};
#undef LUN_DTYPE
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute, \
                  sum, suffix, npy, doc)                                                        \
    [LUN_##ID] = {FUNCTION(segment, ID, 0), FUNCTION(segments, ID, 1)},
static const lun_ir_function functions[LUN_DTYPE_COUNT][2] = {
#include "table/dtypes.def"
};
#undef LUN_DTYPE

/* The indices alone: bodies without their last step, whatever they gather. */
static const lun_ir index_bodies[] = {{.ins = (lun_ir_ins *)(uintptr_t)segment_BOOL,
                                       .count = sizeof segment_BOOL / sizeof *segment_BOOL - 1,
                                       .scan = -1},
                                      {.ins = (lun_ir_ins *)(uintptr_t)segments_BOOL,
                                       .count = sizeof segments_BOOL / sizeof *segments_BOOL - 1,
                                       .scan = -1}};
static const lun_ir_function indices[] = {{.body = (lun_ir *)(uintptr_t)&index_bodies[0],
                                           .output = {16},
                                           .outputs = 1,
                                           .note_count = 1,
                                           .params = 2 + SOURCE},
                                          {.body = (lun_ir *)(uintptr_t)&index_bodies[1],
                                           .output = {22},
                                           .outputs = 1,
                                           .note_count = 1,
                                           .params = 3 + SOURCE}};

lun_status lun__take_node(lun_engine *e, const lun_taking *x, lun_node **out)
{
    const int elements = x->base ? 3 : 2;
    const lun_dtype t = x->source ? (lun_dtype)x->source->dtype : LUN_I64;
    const lun_ir_function *f = x->source ? functions[t] : indices;
    const int64_t numbers[SOURCE] = {x->length, x->first, x->none, x->lenient,
                                     x->inner,  x->count, x->axis, x->step};
    lun_node *in[3 + EXTRAS] = {x->index, x->number, x->base};
    lun_status s = LUN_OK;
    int made = 0;
    for (; s == LUN_OK && made < SOURCE; made++)
        s = lun__node_number(e, made == LENIENT ? LUN_BOOL : LUN_I64, (uint64_t)numbers[made], 0,
                             NULL, &in[elements + made]);
    in[elements + SOURCE] = x->source;
    if (s == LUN_OK)
        s = lun__node_call(e, NULL, &f[x->base != NULL], in, elements + EXTRAS - !x->source,
                           elements, t, x->index, out);
    if (s == LUN_OK) {
        lun_node *call = (*out)->kind == LUN_NODE_SOURCE_LINE ? (*out)->in[0] : *out;
        call->notes = notes;
    }
    while (made)
        lun__node_release(e, in[elements + --made]);
    return s;
}

bool lun__take_node_of(const lun_node *n, lun_taking *out)
{
    if (n->kind != LUN_NODE_CALL || n->notes != notes)
        return false;
    lun_node *const *behind = n->more + n->elements;
    *out = (lun_taking){.source = n->count > n->elements + SOURCE ? behind[SOURCE] : NULL,
                        .index = n->more[0],
                        .number = n->more[1],
                        .base = n->elements > 2 ? n->more[2] : NULL,
                        .length = (int64_t)behind[LENGTH]->cell,
                        .inner = (int64_t)behind[INNER]->cell,
                        .count = (int64_t)behind[COUNT]->cell,
                        .first = (int64_t)behind[FIRST]->cell,
                        .lenient = behind[LENIENT]->cell != 0,
                        .none = (int64_t)behind[NONE]->cell,
                        .step = (int64_t)behind[STEP]->cell,
                        .axis = (int)behind[AXIS]->cell};
    return true;
}

bool lun__take_nodes_failed(const char *note)
{
    return note == notes[0];
}

int64_t lun__take_nodes_index(const lun_taking *t, int64_t index)
{
    int64_t at = (int64_t)((uint64_t)index + (uint64_t)(index < 0 ? t->length : -t->first));
    return at >= 0 && at < t->length ? at : -1;
}
