/* build_call.c - calls: captured and local functions are inlined.
 *
 * The body of an inlined function is built by build.c, which calls this file (build.h). */
#include "luafn/ssa/assigned_array.h"
#include "luafn/ssa/build.h"
#include "luafn/ssa/captured_record.h"
#include "luafn/ssa/complex_value.h"

#include <string.h>

/* Is the function of a frame being inlined already? Two closures of the same code are two
 * functions. */
static bool is_recursive(const lf_compile *c, const lf_frame *frame)
{
    for (const lf_frame *up = frame->caller; up; up = up->caller) {
        if (up->proto != frame->proto)
            continue;
        if (frame->closure ? up->closure == frame->closure
                           : up->source >= 0 && c->source[up->source].capture.closure ==
                                                    c->source[frame->source].capture.closure)
            return true;
    }
    return false;
}

/* Is it a function of real and imaginary parts around the script's
 * (lua/lunarray/function/complexcall.lua)? */
static bool is_wrapper(const lf_proto *p)
{
    return p->source && strcmp(p->source, "=(complex)") == 0;
}

static void inline_call(lf_builder *b, const lf_value *f, const char *name, const lf_list *args,
                        lf_list *results)
{
    lf_compile *c = b->c;
    lf_graph *g = b->g;
    lf_frame *frame = LF_NEW(&c->unit, lf_frame, 1);
    bool captured = f->kind == LF_FUNCTION;
    frame->proto = captured ? c->source[f->as.i].capture.program->proto : f->as.closure->proto;
    frame->source = captured ? (int)f->as.i : -1;
    frame->closure = captured ? NULL : f->as.closure;
    frame->built_in = !captured && f->as.closure->built_in;
    frame->caller = b->f;
    frame->call_pc = b->pc;
    frame->depth = b->f->depth + 1;
    if (is_recursive(c, frame))
        luafn_builder_stop(b, "a recursive call%s%s%s is not supported: write it as a loop",
                           name ? " of '" : "", name ? name : "", name ? "'" : "");
    if (frame->depth > LF_MAX_CALLS)
        luafn_builder_stop(
            b, "calls nested more than %d levels deep are not supported: write them as a loop",
            LF_MAX_CALLS);
    if (++g->inlined > LF_MAX_INLINED)
        luafn_builder_too_large(b);
    if (c->shown == c->root->proto && is_wrapper(c->root->proto)) {
        c->shown = frame->proto;
        c->shown_args = *args;
    }
    frame->entry = g->now;
    frame->base = luafn_graph_vars(g, frame, frame->proto->stack + LF_SPARE, 0);
    for (int k = 0; k < frame->proto->params; k++)
        luafn_graph_write(g, frame->base + k, g->now,
                          k < args->count ? args->at[k] : luafn_graph_nil(g));
    luafn_build_body(c, frame, b->rounds, results);
}

/* Is a captured function one of the module's own, in Lua, that a script calls, and no kernel
 * form? */
static bool is_library(const lf_builder *b, const lf_value *f)
{
    static const char folder[] = "@lua/lunarray/";
    const lf_capture *capture = &b->c->source[f->as.i].capture;
    const char *own = capture->program->proto->source, *caller = b->f->proto->source;
    return !capture->kernel_form && own && strncmp(own, folder, strlen(folder)) == 0 &&
           !(caller && strncmp(caller, folder, strlen(folder)) == 0);
}

/* The arguments of a kernel form are whole numbers: others are a fault of the call, not of the code
 * within. */
static lf_list *whole_args(lf_builder *b, const lf_value *f, const lf_list *args)
{
    const lf_source *s = &b->c->source[f->as.i];
    const int params = s->capture.program->proto->params;
    lf_list *whole = LF_NEW(&b->c->unit, lf_list, 1);
    if (args->count != params)
        luafn_builder_stop(b, "wrong number of arguments to %s (%d expected, got %d)", s->name,
                           params, args->count);
    for (int k = 0; k < params; k++) {
        luafn_builder_need_number(b, args->at[k], -1, s->name);
        luafn_arena_push(
            &b->c->unit, whole,
            luafn_builder_emit2(b, LF_ARITH, LF_BOR, args->at[k], luafn_graph_int(b->g, 0)));
    }
    return whole;
}

static void refuse_call(lf_builder *b, const lf_value *f)
{
    luafn_builder_stop(
        b, "a call of %s is not supported: %s", luafn_captured_source_name(b->c, (int)f->as.i),
        !strcmp(b->c->source[f->as.i].name, "math.random")
            ? "draw element k with lun.uniform(seed, k), or all beforehand with lun.random"
            : "only plain Lua functions, those of math and the operations of lun.op "
              "can be called");
}

/* The complex element around an index, of a parameter of a stencil. */
static lf_value *around(lf_builder *b, const lf_value *f, const lf_list *args)
{
    const lf_value *re = luafn_graph_find(f->arg[0]), *im = luafn_graph_find(f->arg[1]);
    if (re->kind != LF_AROUND || im->kind != LF_AROUND)
        luafn_builder_stop(b, "a call of a complex array: index an element");
    return luafn_complex_value_of(b, luafn_neighbour(b, re, args), luafn_neighbour(b, im, args));
}

void luafn_build_call_apply(lf_builder *b, const lf_value *f, const char *name, const lf_list *args,
                            lf_list *results)
{
    switch ((lf_kind)f->kind) {
    case LF_BUILTIN:
    case LF_ROW:
        luafn_builtin(b, f, args, results);
        break;
    case LF_ATOMIC:
        luafn_arena_push(&b->c->unit, results, luafn_assigned_change(b, f, args));
        break;
    case LF_FUNCTION:
        if (is_library(b, f))
            refuse_call(b, f);
        if (b->c->source[f->as.i].capture.kernel_form)
            args = whole_args(b, f, args);
        inline_call(b, f, b->c->source[f->as.i].name, args, results);
        break;
    case LF_CLOSURE: {
        const lf_value *alive = luafn_graph_read(b->g, f->as.closure->alive, b->g->now);
        if (alive->kind != LF_CONST || !alive->as.i)
            luafn_builder_stop(b,
                               "a local function is called outside the block of a variable that it "
                               "uses: declare the variable before the block");
        inline_call(b, f, f->as.closure->name, args, results);
        break;
    }
    case LF_METHOD:
        if (args->count && ((const lf_value *)args->at[0])->kind == LF_TEAM)
            luafn_team_object_call(b, f, args, results);
        else
            luafn_complex_value_method(b, f->as.s, args, results);
        break;
    case LF_FORMER:
        luafn_complex_value_call(b, f, args, results);
        break;
    case LF_COMPLEXES:
        luafn_arena_push(&b->c->unit, results, around(b, f, args));
        break;
    case LF_STRUCT:
        luafn_arena_push(&b->c->unit, results, luafn_captured_record_make(b, f, args));
        break;
    case LF_AROUND:
        luafn_arena_push(&b->c->unit, results, luafn_neighbour(b, f, args));
        break;
    case LF_OTHER:
        if (b->c->source[f->as.i].capture.kind == LF_CAPTURE_OTHER)
            refuse_call(b, f);
        /* fall through */
    default:
        luafn_builder_stop(
            b,
            "a call of %s%s%s%s is not supported: the function must be known before the "
            "kernel runs",
            luafn_builder_describe(f), name ? " (local '" : "", name ? name : "", name ? "')" : "");
    }
}

void luafn_build_call(lf_builder *b, uint32_t w, lf_list *results)
{
    const lf_value *f = luafn_builder_get(b, lf_a(w));
    lf_list args = {0};
    int last = lf_b(w) ? lf_a(w) + lf_b(w) - 1 : b->top - 1;
    for (int r = lf_a(w) + 1; r <= last; r++)
        luafn_arena_push(&b->c->unit, &args, luafn_builder_get(b, r));
    luafn_build_call_apply(b, f, luafn_debug_local_name(b->f->proto, lf_a(w), b->pc), &args,
                           results);
}
