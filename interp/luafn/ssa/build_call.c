/* build_call.c - calls: of captured and local functions, which are put in place, and of the math
 * library.
 *
 * The body of a function that is put in place is built by build.c, which calls this file (build.h). */
#include "luafn/ssa/build.h"

#include <string.h>

/* ---- the math library ---- */

static void math_call(lf_builder *b, lf_math f, const lf_list *args, lf_list *results)
{
    static const char *const names[] = {
#define LF_MATH_NAME(id, name) name,
        LF_MATHS(LF_MATH_NAME)
#undef LF_MATH_NAME
    };
    lf_unit *u = &b->c->unit;
    lf_value *x = args->count > 0 ? args->at[0] : NULL, *y = args->count > 1 ? args->at[1] : NULL;
    int want = f == LF_MATH_FMOD || f == LF_MATH_ULT ? 2 : 1;
    if (args->count < want)
        luafn_stop(b, "math.%s with %d argument%s: it takes %d", names[f], args->count,
                   args->count == 1 ? "" : "s", want);
    for (int k = 0; k < args->count; k++)
        luafn_need_number(b, args->at[k], -1, "math");
    if (f == LF_MATH_MAX || f == LF_MATH_MIN) {
        for (int k = 1; k < args->count; k++)
            x = luafn_emit2(b, LF_MATH, f, x, args->at[k]);
        if (args->count == 1)
            x = luafn_emit1(b, LF_MATH, f, x);
        luafn_push(u, results, x);
    } else if (f == LF_MATH_MODF) {
        luafn_push(u, results, luafn_emit1(b, LF_MATH, LF_MATH_MODF, x));
        luafn_push(u, results, luafn_emit1(b, LF_MATH, LF_MATH_FRACTION, x));
    } else if (want == 2) {
        luafn_push(u, results, luafn_emit2(b, LF_MATH, f, x, y));
    } else if (y && (f == LF_MATH_ATAN || f == LF_MATH_LOG) && !lf_is_const(y, LF_NIL)) {
        lf_math two = f == LF_MATH_ATAN ? LF_MATH_ATAN2 : LF_MATH_LOG_BASE;
        luafn_push(u, results, luafn_emit2(b, LF_MATH, two, x, y));
    } else {
        luafn_push(u, results, luafn_emit1(b, LF_MATH, f, x));
    }
}

/* ---- inlining ---- */

static void inline_call(lf_builder *b, const lf_value *f, const char *name, const lf_list *args,
                        lf_list *results)
{
    lf_compile *c = b->c;
    lf_graph *g = b->g;
    lf_frame *frame = LF_NEW(&c->unit, lf_frame, 1);
    bool captured = f->kind == LF_FUNCTION;
    frame->proto = captured ? c->source[f->as.i].sight.program->proto : f->as.closure->proto;
    frame->source = captured ? (int)f->as.i : -1;
    frame->closure = captured ? NULL : f->as.closure;
    frame->caller = b->f;
    frame->call_pc = b->pc;
    frame->depth = b->f->depth + 1;
    for (const lf_frame *up = b->f; up; up = up->caller)
        if (up->proto == frame->proto && (captured || up->closure == frame->closure))
            luafn_stop(b, "a recursive call%s%s%s: write it as a loop", name ? " of '" : "",
                       name ? name : "", name ? "'" : "");
    if (frame->depth > LF_MAX_CALLS)
        luafn_stop(b, "functions that call functions, more than %d deep: write it as a loop",
                   LF_MAX_CALLS);
    if (++g->inlined > LF_MAX_INLINED)
        luafn_too_large(b);
    frame->entry = g->now;
    frame->base = luafn_vars(g, frame, frame->proto->stack + LF_SPARE, 0);
    for (int k = 0; k < frame->proto->params; k++)
        luafn_write(g, frame->base + k, g->now, k < args->count ? args->at[k] : luafn_nil(g));
    luafn_body(c, frame, results);
}

void luafn_call(lf_builder *b, uint32_t w, lf_list *results)
{
    lf_value *f = luafn_get(b, lf_a(w));
    const char *name = luafn_local_name(b->f->proto, lf_a(w), b->pc);
    lf_list args = {0};
    int last = lf_b(w) ? lf_a(w) + lf_b(w) - 1 : b->top - 1;
    for (int r = lf_a(w) + 1; r <= last; r++)
        luafn_push(&b->c->unit, &args, luafn_get(b, r));
    switch ((lf_kind)f->kind) {
    case LF_BUILTIN:
        math_call(b, (lf_math)f->sub, &args, results);
        break;
    case LF_FUNCTION:
        inline_call(b, f, b->c->source[f->as.i].name, &args, results);
        break;
    case LF_CLOSURE: {
        const lf_value *alive = luafn_read(b->g, f->as.closure->alive, b->g->now);
        if (alive->kind != LF_CONST || !alive->as.i)
            luafn_stop(b, "a call of a local function outside the block of a variable that it "
                          "uses: declare the variable before the block");
        inline_call(b, f, f->as.closure->name, &args, results);
        break;
    }
    case LF_OTHER:
        if (b->c->source[f->as.i].sight.seen == LF_SEEN_OTHER)
            luafn_stop(b, "a call of %s: %s", luafn_source_name(b->c, (int)f->as.i),
                       !strcmp(b->c->source[f->as.i].name, "math.random")
                           ? "make the random numbers before, with lun.random"
                           : "only plain Lua functions and those of math on numbers can be used");
        /* fall through */
    default:
        luafn_stop(b, "a call of %s%s%s%s: it must be one function, known before the run",
                   luafn_describe(f), name ? " (local '" : "", name ? name : "", name ? "')" : "");
    }
}
