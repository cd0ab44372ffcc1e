/* plan_text.c - a plan as text: its steps on the set in use, with the moves between them, the
 * values that they read and make, by numbers, and the IR of their kernels; see plan_text.h. */
#include "placing/plan_text.h"

#include "ir/combine_order.h"
#include "kernels/pairs_kernel.h"

/* " block by remainder", as an array is distributed at this point of the plan. */
static void print_distribution(lun_plan_writer *p, const lun_node *n)
{
    int64_t offset;
    const lun_spread *x = p->e->set_count ? lun__share_look(p->share, n, &offset) : NULL;
    if (!x)
        return;
    const bool whole = x->kind == LUN_SPREAD_SINGLE || x->kind == LUN_SPREAD_COPY;
    const char *rule = whole ? NULL : lun__spread_rule_name(x->rule);
    lun__strbuf_printf(p->out, " %s%s%s", lun__spread_kind_name(x->kind), rule ? " by " : "",
                       rule ? rule : "");
}

/* " %3", with dtype, shape and distribution where it is named first. */
static void print_value(lun_plan_writer *p, const lun_node *n)
{
    lun_node *to = (lun_node *)(uintptr_t)n;
    const bool known = to->mark == p->walk;
    to->slot = known ? to->slot : p->values++;
    to->mark = p->walk;
    lun__strbuf_printf(p->out, " %%%d", to->slot);
    if (known)
        return;
    lun__print_graph_type(p->out, n);
    print_distribution(p, n);
}

/* The array of n, and what n shows of it. */
static void print_operand(lun_plan_writer *p, const lun_node *n)
{
    const lun_node *of = lun__placing_array(n);
    print_value(p, of);
    for (; n != of; n = n->in[0]) {
        lun__strbuf_puts(p->out, " as");
        lun__print_graph_type(p->out, n);
        lun__print_graph_part(p->out, n);
    }
}

static void begin(lun_plan_writer *p, const char *name)
{
    lun__strbuf_printf(p->out, "%d %s", ++p->steps, name);
}

/* Whether what the locations need of an operand is what they have, whatever their number is. */
static bool is_there(lun_plan_writer *p, const lun_share *x, const lun_need *need)
{
    const lun_lowered *l = &x->step->lowered;
    const bool launch = x->step->kind == LUN_STEP_LAUNCH;
    const bool whole =
        launch && (l->segment ? x->cut->unit % l->segment == 0
                              : !l->ir.result_count && (l->ir.scan < 0 || lun__order_free(&l->ir)));
    int64_t offset;
    const lun_spread *of = lun__share_look(p->share, need->of, &offset);
    return need->becomes && (whole || !launch) && of && !offset && lun__spread_same(of, x->cut);
}

/* Whether an operand before number i needs the same. */
static bool is_again(const lun_share *x, int i, const lun_need *need)
{
    lun_need other;
    for (int k = 0; k < i && lun__share_need(x, k, &other); k++)
        if (other.of == need->of && other.becomes == need->becomes)
            return true;
    return false;
}

static void print_moves(lun_plan_writer *p, const lun_share *x)
{
    lun_need need;
    for (int i = 0; x->cut && lun__share_need(x, i, &need); i++) {
        const lun_node *n = need.of ? lun__teller_array(p->teller, need.of) : NULL;
        if (!n || n->kind == LUN_NODE_NUMBER || n->kind == LUN_NODE_INDEX ||
            is_there(p, x, &need) || is_again(x, i, &need))
            continue;
        begin(p, "MOVE");
        print_value(p, n);
        lun__strbuf_puts(p->out, need.whole     ? " all\n"
                                 : need.becomes ? " as the next step is shared\n"
                                                : " what the next step reaches\n");
    }
}

static void print_operands(lun_plan_writer *p, const lun_step *step)
{
    const lun_lowered *l = &step->lowered;
    const lun_node *first = step->node ? lun__node_first_result(step->node) : NULL, *in;
    lun__strbuf_puts(p->out, " <-");
    for (int i = 0; i < l->ir.slot_count; i++)
        if (l->ir.slots[i].role != LUN_SLOT_OUT && l->slots[i].copy <= 0) {
            print_operand(p, l->slots[i].view ? l->slots[i].view : l->slots[i].node);
            if (l->slots[i].offset)
                lun__strbuf_printf(p->out, " from %lld", (long long)l->slots[i].offset);
        }
    for (int i = 0; i < l->ir.arg_count; i++)
        if (l->args[i].node && l->args[i].node->kind != LUN_NODE_NUMBER)
            print_value(p, l->args[i].node);
    for (int i = 0; first && (in = lun__node_operand(first, i)); i++)
        print_operand(p, in);
    if (l->unrolled)
        lun__strbuf_printf(p->out, " in segments of %lld", (long long)l->unrolled);
    if (l->needed) {
        lun__strbuf_puts(p->out, " where");
        print_value(p, l->needed);
    }
}

/* What the step gives, and of what. */
static void print_results(lun_plan_writer *p, const lun_share *x)
{
    const lun_step *step = x->step;
    const lun_node *n;
    bool folds;
    if (step->kind == LUN_STEP_ALGORITHM)
        lun__strbuf_printf(p->out, " %s",
                           lun__algorithm_rows[lun__node_first_result(step->node)->op].name);
    for (int i = 0; lun__share_gives(step, i, &n, &folds); i++)
        if (n)
            print_value(p, n);
    print_operands(p, step);
    lun__strbuf_puts(p->out, x->cut || !p->e->set_count ? "\n" : " at the first location\n");
}

lun_status lun__plan_text_step(lun_plan_writer *p, lun_share *x)
{
    static const char *const names[] = {"LAUNCH",    "COPY",    "PRODUCT",
                                        "ALGORITHM", "RUNNING", "FILL"};
    const lun_step *step = x->step;
    lun_status s = LUN_OK;
    p->share = x;
    print_moves(p, x);
    for (const lun_share_stage *at = x->stages; s == LUN_OK && *at; at++) {
        const char *text = lun__share_stages[*at].text;
        if (text) {
            begin(p, text);
            lun__strbuf_puts(p->out, "\n");
            continue;
        }
        begin(p, at[1] == LUN_STAGE_OF_PAIRS ? "CELLS" : names[step->kind]);
        print_results(p, x);
        if (step->kind == LUN_STEP_LAUNCH)
            s = lun__print_ir(step->pairs ? &step->pairs->kernel.ir : &step->lowered.ir, p->out);
    }
    return s == LUN_OK && p->out->failed ? lun__fail_nomem(p->e) : s;
}
