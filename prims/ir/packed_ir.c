/* packed_ir.c - kernel IR as bytes and back; see packed_ir.h.  Fields are checked here for their
 * range alone, so that the verifier may look at them; what they mean is verify.c's, but for the
 * types of functions, which producers see to by themselves.
 *
 * The bytes, in the machine's byte order, one behind the other without padding; n[...]: a number of
 * 4 bytes, and so many rows of what stands in the brackets:
 *
 *   kernel     code, n[function]
 *   code       4 threads
 *              n[1 kind, 1 dtype, 1 from, 1 inclusive or places, 4 op, 4 a, 4 b, 4 c, 4 captured,
 *                4 arrays, 8 imm]  instructions
 *              n[1 dtype, 1 role, 1 settled]  slots
 *              n[1 dtype]  arguments
 *              n[4 operand]  operands
 *              n[1 dtype]  results
 *   function   1 whether it is C text, then of C text
 *                8 l, l bytes of the text
 *                1 1, 8 l, l bytes of its name
 *                n[1 dtype, 1 pointer, 4 of]  parameters
 *                4 operands, 4 lengths
 *                n[4 param, 4 dtype, n[8 by]]  neighbours and their steps along axes
 *                4 faults, 1 asks, 1 dtype of the result
 *              else code, without operands and results, and n[4 instruction]  outputs
 *
 * What the fields mean: see ir.def and ir.h. */
#include "ir/packed_ir.h"

#include <stdlib.h>

/* The least bytes of an instruction, and of other rows. */
enum { INS_BYTES = 4 + 6 * 4 + 8, NEIGHBOUR_BYTES = 3 * 4 };

/* ---- writing --------------------------------------------------------------------------------- */

static void put_ins(lun_strbuf *to, const lun_ir_ins *x)
{
    lun__bytes_put_u8(to, x->kind);
    lun__bytes_put_u8(to, x->dtype);
    lun__bytes_put_u8(to, x->from);
    lun__bytes_put_u8(to, x->inclusive);
    const int32_t fields[] = {x->op, x->a, x->b, x->c, x->captured, x->arrays};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        lun__bytes_put_i32(to, fields[k]);
    lun__bytes_put_i64(to, x->imm);
}

/* All but functions. */
static void put_plain(lun_strbuf *to, const lun_ir *ir)
{
    lun__bytes_put_i32(to, ir->threads);
    lun__bytes_put_i32(to, ir->count);
    for (int k = 0; k < ir->count; k++)
        put_ins(to, &ir->ins[k]);
    lun__bytes_put_i32(to, ir->slot_count);
    for (int k = 0; k < ir->slot_count; k++) {
        lun__bytes_put_u8(to, ir->slots[k].dtype);
        lun__bytes_put_u8(to, ir->slots[k].role);
        lun__bytes_put_u8(to, ir->slots[k].settled);
    }
    lun__bytes_put_i32(to, ir->arg_count);
    for (int k = 0; k < ir->arg_count; k++)
        lun__bytes_put_u8(to, ir->args[k]);
    lun__bytes_put_i32(to, ir->operand_count);
    for (int k = 0; k < ir->operand_count; k++)
        lun__bytes_put_i32(to, ir->operands[k]);
    lun__bytes_put_i32(to, ir->result_count);
    for (int k = 0; k < ir->result_count; k++)
        lun__bytes_put_u8(to, ir->results[k]);
}

static void put_neighbour(lun_strbuf *to, const lun_neighbour *x)
{
    lun__bytes_put_i32(to, x->param);
    lun__bytes_put_i32(to, (int32_t)x->dtype);
    lun__bytes_put_i32(to, x->axes);
    for (int k = 0; k < x->axes; k++)
        lun__bytes_put_i64(to, x->by[k]);
}

static void put_text_form(lun_strbuf *to, const lun_ir_function *f)
{
    lun__bytes_put_text(to, f->name);
    lun__bytes_put_i32(to, f->params);
    for (int k = 0; k < f->params; k++) {
        lun__bytes_put_u8(to, f->param[k].dtype);
        lun__bytes_put_u8(to, f->param[k].pointer);
        lun__bytes_put_i32(to, f->param[k].of);
    }
    lun__bytes_put_i32(to, f->operands);
    lun__bytes_put_i32(to, f->lengths);
    lun__bytes_put_i32(to, f->neighbours);
    for (int k = 0; k < f->neighbours; k++)
        put_neighbour(to, &f->neighbour[k]);
    lun__bytes_put_i32(to, f->fault_count);
    lun__bytes_put_u8(to, f->asks);
    lun__bytes_put_u8(to, f->result);
}

static lun_status put_function(lun_strbuf *to, const lun_ir_function *f)
{
    if (f->body && (f->body->function_count || f->body->operand_count))
        return LUN_EARG;
    lun__bytes_put_text(to, f->text);
    if (f->text) {
        put_text_form(to, f);
        return LUN_OK;
    }
    put_plain(to, f->body);
    lun__bytes_put_i32(to, f->outputs);
    for (int k = 0; k < f->outputs; k++)
        lun__bytes_put_i32(to, f->output[k]);
    return LUN_OK;
}

lun_status lun__packed_ir_write(const lun_ir *ir, lun_strbuf *to)
{
    lun_status s = LUN_OK;
    put_plain(to, ir);
    lun__bytes_put_i32(to, ir->function_count);
    for (int k = 0; s == LUN_OK && k < ir->function_count; k++)
        s = put_function(to, ir->functions[k]);
    return s == LUN_OK && to->failed ? LUN_ENOMEM : s;
}

/* ---- reading --------------------------------------------------------------------------------- */

static unsigned take_dtype(lun_bytes *from)
{
    const unsigned t = lun__bytes_take_u8(from);
    if (t < LUN_DTYPE_COUNT)
        return t;
    from->bad = true;
    return 0;
}

/* A number from low to high. */
static int32_t take_from(lun_bytes *from, int32_t low, int32_t high)
{
    const int32_t x = lun__bytes_take_i32(from);
    if (x >= low && x <= high)
        return x;
    from->bad = true;
    return low;
}

static lun_ir_ins take_ins(lun_bytes *from)
{
    lun_ir_ins x = {.kind = (uint8_t)lun__bytes_take_u8(from)};
    x.dtype = (uint8_t)take_dtype(from);
    x.from = (uint8_t)take_dtype(from);
    x.inclusive = (uint8_t)lun__bytes_take_u8(from);
    x.op = lun__bytes_take_i32(from);
    x.a = lun__bytes_take_i32(from);
    x.b = lun__bytes_take_i32(from);
    x.c = lun__bytes_take_i32(from);
    x.captured = lun__bytes_take_i32(from);
    x.arrays = lun__bytes_take_i32(from);
    x.imm = lun__bytes_take_i64(from);
    return x;
}

/* Appended, one by one; false without memory. */
static bool take_rows(lun_bytes *from, lun_ir *ir)
{
    bool room = true;
    for (int n = lun__bytes_take_count(from, 3); room && n > 0; n--) {
        const unsigned dtype = take_dtype(from), role = lun__bytes_take_u8(from);
        from->bad |= role > LUN_SLOT_TARGET;
        const int at = lun__ir_slot_add(ir, (lun_dtype)dtype, (lun_ir_role)role);
        const bool settled = lun__bytes_take_u8(from);
        room = at >= 0;
        if (room)
            ir->slots[at].settled = settled;
    }
    for (int n = lun__bytes_take_count(from, 1); room && n > 0; n--)
        room = lun__ir_arg_add(ir, (lun_dtype)take_dtype(from)) >= 0;
    for (int n = lun__bytes_take_count(from, 4); room && n > 0; n--)
        room = lun__ir_operand_add(ir, lun__bytes_take_i32(from)) >= 0;
    for (int n = lun__bytes_take_count(from, 1); room && n > 0; n--)
        room = lun__ir_result_add(ir, (lun_dtype)take_dtype(from)) >= 0;
    return room;
}

/* Whether the verifier can look at it: sums of these fields are small numbers. */
static bool is_sane(const lun_ir *ir, const lun_ir_ins *x)
{
    int32_t most = ir->operand_count > ir->count ? ir->operand_count : ir->count;
    most = most > LUN_IR_INPUTS ? most : LUN_IR_INPUTS;
    return x->kind < LUN_IR_KIND_COUNT && x->captured >= 0 && x->captured <= ir->arg_count &&
           x->arrays >= 0 && x->arrays <= ir->slot_count && x->b >= -1 && x->b <= most &&
           x->c >= -1 && x->c <= most &&
           (lun__ir_row(x->kind)->imm != LUN_IMM_DEPTH || x->imm >= 0);
}

static bool take_plain(lun_bytes *from, lun_ir *ir)
{
    enum { MOST_THREADS = 1 << 20 };
    bool room = true;
    lun__ir_init(ir);
    ir->threads = take_from(from, 0, MOST_THREADS);
    const int count = lun__bytes_take_count(from, INS_BYTES);
    for (int k = 0; room && k < count; k++)
        room = lun__ir_add(ir, take_ins(from)) >= 0;
    room = room && take_rows(from, ir);
    for (int k = 0; room && k < ir->count; k++)
        from->bad |= !is_sane(ir, &ir->ins[k]);
    return room;
}

static bool take_neighbours(lun_bytes *from, lun_ir_function *f)
{
    const int count = lun__bytes_take_count(from, NEIGHBOUR_BYTES);
    f->neighbour = count ? calloc((size_t)count, sizeof *f->neighbour) : NULL;
    for (int k = 0; f->neighbour && k < count; k++) {
        lun_neighbour *x = &f->neighbour[k];
        x->param = lun__bytes_take_i32(from);
        x->dtype = (lun_dtype)take_from(from, 0, LUN_DTYPE_COUNT - 1);
        x->axes = take_from(from, 0, LUN_MAX_RANK);
        for (int i = 0; i < x->axes; i++)
            x->by[i] = lun__bytes_take_i64(from);
    }
    f->neighbours = f->neighbour ? count : 0;
    return f->neighbour || !count;
}

static bool is_name(const char *s)
{
    for (const char *at = s; at && *at; at++)
        if (!((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_' ||
              (at > s && *at >= '0' && *at <= '9')))
            return false;
    return s && *s;
}

static bool take_text_form(lun_bytes *from, lun_ir_function *f)
{
    bool nomem = false;
    f->name = lun__bytes_take_text(from, &nomem);
    from->bad |= !nomem && !is_name(f->name);
    f->params = take_from(from, 0, LUN_IR_INPUTS);
    for (int k = 0; k < f->params; k++) {
        f->param[k].dtype = (uint8_t)take_dtype(from);
        f->param[k].pointer = (uint8_t)lun__bytes_take_u8(from);
        f->param[k].of = lun__bytes_take_i32(from);
    }
    f->operands = take_from(from, 0, LUN_IR_INPUTS);
    f->lengths = take_from(from, 0, LUN_IR_INPUTS);
    if (!take_neighbours(from, f) || nomem)
        return false;
    f->fault_count = take_from(from, 0, (1 << LUN_IR_FAULT_BITS) - 1);
    f->asks = lun__bytes_take_u8(from);
    f->result = (uint8_t)take_dtype(from);
    return true;
}

static bool take_function(lun_bytes *from, lun_ir_function *f)
{
    bool nomem = false;
    f->text = lun__bytes_take_text(from, &nomem);
    if (f->text || nomem || from->bad)
        return !nomem && (!f->text || take_text_form(from, f));
    f->body = malloc(sizeof *f->body);
    if (!f->body)
        return false;
    if (!take_plain(from, f->body))
        return false;
    f->outputs = take_from(from, 0, LUN_MAX_OUTPUTS);
    for (int k = 0; k < f->outputs; k++)
        f->output[k] = lun__bytes_take_i32(from);
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool wrong(lun_strbuf *why, const char *what)
{
    lun__strbuf_puts(why, what);
    lun__strbuf_puts(why, "\n");
    return false;
}

/* A body: outputs are values outside of blocks, and nothing in it belongs to kernels alone. */
static lun_status check_body(const lun_ir_function *f, lun_strbuf *why)
{
    const lun_ir *b = f->body;
    int depth = 0, next = 0;
    lun_status s =
        b->operand_count || b->result_count || b->threads ? LUN_EARG : lun__ir_verify(b, why);
    for (int k = 0; s == LUN_OK && k < b->count; k++) {
        const int kind = b->ins[k].kind;
        if (kind == LUN_IR_LOAD || kind == LUN_IR_STORE || kind == LUN_IR_REDUCE ||
            kind == LUN_IR_SCAN || kind == LUN_IR_CALL)
            s = LUN_EARG;
    }
    for (int k = 0; s == LUN_OK && k < b->count; k++) {
        const int flow = lun__ir_row(b->ins[k].kind)->flow;
        depth += (flow == LUN_FLOW_OPEN || flow == LUN_FLOW_BRANCH) - (flow == LUN_FLOW_CLOSE);
        for (int j = 0; j < f->outputs; j++)
            next += f->output[j] == k && !depth && lun__ir_has_value(&b->ins[k]);
    }
    if (s == LUN_OK && next == f->outputs && f->outputs > 0)
        return LUN_OK;
    wrong(why, "a function's body is none");
    return s == LUN_ENOMEM ? s : LUN_EARG;
}

static int result_of(const lun_ir_function *f)
{
    return f->body ? f->body->ins[f->output[0]].dtype : f->result;
}

/* A combiner takes two values of its dtype and gives one. */
static bool check_combiner(const lun_ir *ir, const lun_ir_ins *x, lun_strbuf *why)
{
    if (!(lun__ir_row(x->kind)->fields & LUN_FIELD_COMBINER) || x->op != LUN_OP_COUNT)
        return true;
    const lun_ir_function *f = ir->functions[x->c];
    return (lun__ir_function_params(f) >= 2 && lun__ir_function_param(f, 0) == x->dtype &&
            lun__ir_function_param(f, 1) == x->dtype && result_of(f) == x->dtype) ||
           wrong(why, "a function combines values of another dtype");
}

/* Operands of a CALL are of its parameters' dtypes. */
static bool check_call(const lun_ir *ir, const lun_ir_ins *x, lun_strbuf *why)
{
    if (x->kind != LUN_IR_CALL)
        return true;
    const lun_ir_function *f = ir->functions[x->imm];
    bool right = f->result == x->dtype;
    for (int k = 0; k < x->c; k++) {
        const int32_t o = ir->operands[x->b + k];
        const int dtype = o < 0 ? ir->slots[-1 - o].dtype : ir->ins[o].dtype;
        right = right && dtype == f->param[k].dtype;
    }
    return right || wrong(why, "a call of a function of other dtypes");
}

static lun_status verify(lun_ir_packed *p, lun_strbuf *why)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < p->count; k++)
        if (p->own[k].body)
            s = check_body(&p->own[k], why);
    if (s == LUN_OK)
        s = lun__ir_verify(&p->ir, why);
    for (int k = 0; s == LUN_OK && k < p->ir.count; k++)
        if (!check_combiner(&p->ir, &p->ir.ins[k], why) || !check_call(&p->ir, &p->ir.ins[k], why))
            s = LUN_EARG;
    return s;
}

lun_status lun__packed_ir_read(lun_bytes *from, lun_ir_packed *out, lun_strbuf *why)
{
    *out = (lun_ir_packed){0};
    bool room = take_plain(from, &out->ir);
    const int count = room ? lun__bytes_take_count(from, 1) : 0;
    out->own = count ? calloc((size_t)count, sizeof *out->own) : NULL;
    room = room && (out->own || !count);
    for (int k = 0; room && !from->bad && k < count; k++) {
        out->count++;
        room =
            take_function(from, &out->own[k]) && lun__ir_function_add(&out->ir, &out->own[k]) >= 0;
    }
    if (!room && !from->bad)
        return LUN_ENOMEM;
    if (!from->bad)
        return verify(out, why);
    wrong(why, "no kernel");
    return LUN_EARG;
}

void lun__packed_ir_free(lun_ir_packed *p)
{
    for (int k = 0; k < p->count; k++) {
        lun_ir_function *f = &p->own[k];
        free(f->text);
        free(f->name);
        free(f->neighbour);
        if (f->body)
            lun__ir_free(f->body);
        free(f->body);
    }
    free(p->own);
    lun__ir_free(&p->ir);
    *p = (lun_ir_packed){0};
}
