/* print_graph.c - the graph as text, for explain. Where the graph is cut is the plan's. */
#include "graph/node.h"

#include "engine/state.h"
#include "graph/walk.h"
#include "table/op.h"

/* By kind of node: its name, NULL where an operation or function gives it. */
static const char *const names[LUN_NODE_KINDS] = {[LUN_NODE_LEAF] = "array",
                                                  [LUN_NODE_NUMBER] = "number",
                                                  [LUN_NODE_INDEX] = "index",
                                                  [LUN_NODE_RANDOM] = "random",
                                                  [LUN_NODE_CAST] = "cast",
                                                  [LUN_NODE_CALL] = "call",
                                                  [LUN_NODE_OUTPUT] = "result",
                                                  [LUN_NODE_REDUCE] = "reduce",
                                                  [LUN_NODE_SCAN] = "scan",
                                                  [LUN_NODE_VIEW] = "view",
                                                  [LUN_NODE_CONCAT] = "concat",
                                                  [LUN_NODE_RESHAPE] = "reshape",
                                                  [LUN_NODE_SOURCE_LINE] = "written at",
                                                  [LUN_NODE_PAD] = "pad",
                                                  [LUN_NODE_MATMUL] = "matmul",
                                                  [LUN_NODE_RESULT] = "result",
                                                  [LUN_NODE_RUNNING] = "running"};

typedef struct printer {
    lun_engine *e;
    lun_strbuf *out;
    int count;
} printer;

void lun__print_graph_type(lun_strbuf *out, const lun_node *n)
{
    int64_t shape[LUN_MAX_RANK];
    lun__node_shape(n, shape);
    lun__strbuf_printf(out, " %s", lun_dtype_name((lun_dtype)n->dtype));
    for (int i = 0; i < n->rank; i++)
        lun__strbuf_printf(out, "%s%lld", i ? ", " : "[", (long long)shape[i]);
    if (n->rank)
        lun__strbuf_puts(out, "]");
}

static void print_number(lun_strbuf *out, const lun_node *n)
{
    char text[LUN_NUMBER_TEXT];
    lun_value v = lun__dtype_cell_to_value((lun_dtype)n->dtype, n->cell);
    if (lun__dtype_value_is_float(v))
        lun__strbuf_printf(out, " %s", lun__strbuf_number(v.as.d, text));
    else if (lun__dtype_value_is_unsigned(v))
        lun__strbuf_printf(out, " %llu", (unsigned long long)v.as.u);
    else
        lun__strbuf_printf(out, " %lld", (long long)v.as.i);
}

static void print_strides(lun_strbuf *out, const lun_node *n)
{
    lun_layout l;
    lun__node_layout(n, &l);
    lun__strbuf_printf(out, " from %lld strides", (long long)l.offset);
    for (int i = 0; i < l.rank; i++)
        lun__strbuf_printf(out, "%s %lld", i ? "," : "", (long long)l.stride[i]);
}

static void print_padding(lun_strbuf *out, const lun_node *n)
{
    static const char *const rules[] = {
        [LUN_PAD_VALUE] = "value", [LUN_PAD_WRAP] = "wrap", [LUN_PAD_NEAREST] = "nearest"};
    lun_padding p;
    lun__node_padding(n, &p);
    for (int k = 0; k < p.rank; k++)
        lun__strbuf_printf(out, "%s %lld %s %lld", k ? "," : "", (long long)p.before[k],
                           rules[p.rule[k]], (long long)(p.extent[k] - p.inner[k] - p.before[k]));
}

void lun__print_graph_part(lun_strbuf *out, const lun_node *n)
{
    if (n->kind == LUN_NODE_VIEW)
        print_strides(out, n);
    if (n->kind == LUN_NODE_PAD)
        print_padding(out, n);
}

static const char *name_of(const lun_node *n)
{
    return n->kind == LUN_NODE_OP          ? lun__op_get((lun_op)n->op)->name
           : n->kind == LUN_NODE_ALGORITHM ? lun__algorithm_rows[n->op].name
                                           : names[n->kind];
}

/* What distinguishes n beside its kind, type and operands. */
static void print_details(const printer *p, const lun_node *n)
{
    bool operation = n->kind == LUN_NODE_REDUCE || n->kind == LUN_NODE_SCAN;
    if (n->kind == LUN_NODE_NUMBER)
        print_number(p->out, n);
    if (operation)
        lun__strbuf_printf(p->out, " by %s",
                           n->op < LUN_OP_COUNT ? lun__op_get((lun_op)n->op)->name : "function");
    if (n->kind == LUN_NODE_REDUCE && n->folds == LUN_FOLDS_INDEX)
        lun__strbuf_puts(p->out, ": its place");
    if (lun__node_in_blocks(n))
        lun__strbuf_puts(p->out, " in blocks");
    if (lun__node_needed(n))
        lun__strbuf_puts(p->out, " where needed");
    if (n->kind == LUN_NODE_SCAN)
        lun__strbuf_puts(p->out, n->inclusive ? " inclusive" : " exclusive");
    if (n->kind == LUN_NODE_OUTPUT || n->kind == LUN_NODE_RESULT)
        lun__strbuf_printf(p->out, " %d", n->op + 1);
    lun__print_graph_part(p->out, n);
    const char *label = p->e->labels ? p->e->label_of(p->e, n) : NULL;
    if (label)
        lun__strbuf_printf(p->out, " '%s'", label);
    if (n->where && n->kind != LUN_NODE_NUMBER)
        lun__strbuf_printf(p->out, " (%s)", lun__source_mark_text(p->e, n->where));
}

static bool print_node(void *ctx, lun_node *n, const lun_node *user)
{
    (void)user;
    printer *p = ctx;
    lun_node *in;
    n->slot = p->count++;
    lun__strbuf_printf(p->out, "%%%d = %s", n->slot, name_of(n));
    lun__print_graph_type(p->out, n);
    for (int k = 0; (in = lun__node_operand(n, k)); k++)
        lun__strbuf_printf(p->out, " %%%d", in->slot);
    print_details(p, n);
    lun__strbuf_puts(p->out, "\n");
    return !p->out->failed;
}

bool lun__print_graph(lun_engine *e, lun_node *const *roots, int count, lun_strbuf *out)
{
    printer p = {e, out, 0};
    const lun_visitor v = {LUN_WALK_MARK, NULL, print_node, &p};
    uint64_t walk = ++e->walk;
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        ok = lun__walk(walk, roots[i], &v);
    return ok && !out->failed;
}
