/* team_front_end.c - the front end (ir/ir.h) of C texts that write arrays in place: functions of
 * teams, which have no result, and functions that are called for each index. It makes the text for
 * a division of work and its parameters' types, or for the axes of a loop.
 *
 * What differs from other texts: pointers that are not to const are TARGETs, each the only way to
 * its elements; behind LUN_FRONT_NUMBERS parameters there are those of the text, then pointers to
 * the team's scratch (LUN_SCRATCH), numbers of elements that it has in a launch, then lengths; the
 * result is 0. With a LUN_BARRIER a call is for
 * a whole team (barrier.h). */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctext/assigned_arrays.h"
#include "ctext/maker.h"
#include "ctext/text_function.h"
#include "table/dtype.h"

/* ---- versions -------------------------------------------------------------------------------- */

/* The text for one division. */
typedef struct version {
    lun_cdivision division;
    lun_ir_function *text;
    lun_ir_function kernel; /* whose body calls it */
    lun_ir body;
    char *note[1 + 2 * LUN_FRONT_SCRATCHES]; /* of barriers, then two for each given extent */
    int notes;
    lun_front_scratch scratch[LUN_FRONT_SCRATCHES];
    int scratches;
    int length[LUN_MAX_PARAMS]; /* parameters whose lengths it takes */
    int lengths;
    struct version *next;
} version;

typedef struct team {
    lun_cmaker m;
    version *versions;
    lun_ir_function *in_place[LUN_MAX_RANK + 1]; /* by axes of a loop */
} team;

static void free_version(version *v)
{
    if (!v)
        return;
    lun__cwrite_function_free(v->text);
    lun__ir_free(&v->body);
    for (int k = 0; k < v->notes; k++)
        free(v->note[k]);
    free(v);
}

static void release(void *ctx)
{
    team *t = ctx;
    while (t->versions) {
        version *next = t->versions->next;
        free_version(t->versions);
        t->versions = next;
    }
    for (int k = 0; k <= LUN_MAX_RANK; k++)
        lun__cwrite_function_free(t->in_place[k]);
    lun__cmaker_free(&t->m);
    free(t);
}

/* ---- the body -------------------------------------------------------------------------------- */

static int32_t add(lun_ir *ir, lun_ir_kind kind, lun_dtype t, int64_t imm)
{
    return lun__ir_add(ir, (lun_ir_ins){.kind = (uint8_t)kind,
                                        .dtype = (uint8_t)t,
                                        .from = (uint8_t)t,
                                        .op = LUN_OP_COUNT,
                                        .a = -1,
                                        .b = -1,
                                        .c = -1,
                                        .imm = imm});
}

static bool argument(lun_ir *ir, lun_dtype t)
{
    const int i = lun__ir_arg_add(ir, t);
    const int32_t v = i < 0 ? -1 : add(ir, LUN_IR_ARG, t, i);
    return v >= 0 && lun__ir_operand_add(ir, v) >= 0;
}

static bool array(lun_ir *ir, lun_dtype t, bool assigned)
{
    const int i = lun__ir_slot_add(ir, t, assigned ? LUN_SLOT_TARGET : LUN_SLOT_ARRAY);
    return i >= 0 && lun__ir_operand_add(ir, -1 - i) >= 0;
}

/* What the call takes; the numbers of the team and the thread are instructions of their own. */
static bool put_operands(const lun_cmaker *m, version *v)
{
    lun_ir *ir = &v->body;
    bool well = true;
    for (int k = 0; k < LUN_FRONT_NUMBERS; k++) {
        const bool own = k == LUN_FRONT_BLOCK || k == LUN_FRONT_THREAD;
        if (!own) {
            well = well && argument(ir, LUN_I64);
            continue;
        }
        const int32_t i = add(ir, k == LUN_FRONT_BLOCK ? LUN_IR_TEAM : LUN_IR_THREAD, LUN_I64, 0);
        well =
            well && lun__ir_arg_add(ir, LUN_I64) >= 0 && i >= 0 && lun__ir_operand_add(ir, i) >= 0;
    }
    for (int k = 0; k < m->head.count; k++)
        well = well && (m->head.param[k].array
                            ? array(ir, m->head.param[k].dtype, !m->head.param[k].constant)
                            : argument(ir, m->head.param[k].dtype));
    for (int k = 0; k < v->scratches; k++)
        well = well && array(ir, v->scratch[k].dtype, true);
    for (int k = 0; k < v->scratches; k++) {
        if (!v->scratch[k].given)
            continue;
        v->scratch[k].to = (int16_t)ir->arg_count;
        well = well && argument(ir, LUN_I64);
    }
    for (int k = 0; k < v->lengths; k++)
        well = well && argument(ir, LUN_I64);
    return well;
}

/* The call; its result must be 0. */
static bool put_body(const lun_cmaker *m, version *v)
{
    lun_ir *ir = &v->body;
    if (!put_operands(m, v))
        return false;
    const int number = lun__ir_function_add(ir, v->text);
    const int32_t call = add(ir, LUN_IR_CALL, LUN_I64, number);
    const int32_t zero = add(ir, LUN_IR_CONST, LUN_I64, 0);
    const int32_t well = add(ir, LUN_IR_OP, LUN_BOOL, 0);
    const int32_t check = add(ir, LUN_IR_CHECK, LUN_I64, 0);
    if (number < 0 || call < 0 || zero < 0 || well < 0 || check < 0)
        return false;
    ir->ins[call].b = 0;
    ir->ins[call].c = ir->operand_count;
    ir->ins[well].op = LUN_OP_EQ;
    ir->ins[well].from = LUN_I64;
    ir->ins[well].a = call;
    ir->ins[well].b = zero;
    ir->ins[check].a = well;
    ir->ins[check].b = call;
    return true;
}

/* Keeps a note and begins another one. */
static bool add_note(version *v, lun_strbuf *note)
{
    const bool well = !note->failed;
    if (well)
        v->note[v->notes++] = note->text;
    else
        lun__strbuf_free(note);
    *note = (lun_strbuf)LUN_STRBUF_INIT;
    return well;
}

/* What the parameter at token `name` is among the scalars of the body. */
static int16_t scalar_of(const lun_cmaker *m, int name)
{
    int number = LUN_FRONT_NUMBERS;
    for (int k = 0; !lun__ctoken_same(&m->source.tokens, m->head.param[k].name, name); k++)
        number += !m->head.param[k].array;
    return (int16_t)number;
}

/* Memory whose first extent is that of a launch. */
static bool take_given(const lun_cmaker *m, version *v, const lun_cscratch *from,
                       lun_front_scratch *x)
{
    static const char *const wrong[] = {"%lld, not 1 to 2147483647",
                                        "%g, which is no integer of 1 to 2147483647"};
    lun_strbuf note = LUN_STRBUF_INIT;
    char shown[48];
    bool well = true;
    x->given = true;
    x->of[0] = (lun_front_extent){scalar_of(m, from->first.name), -1, (int32_t)from->first.by,
                                  (int32_t)from->first.plus};
    x->note = v->notes;
    for (int k = 0; well && k < 2; k++) {
        (void)lun__csource_error(&m->source, from->name, &note,
                                 "the number of elements of %s, a LUN_SCRATCH, is ",
                                 lun__ctoken_show(&m->source.tokens, from->name, shown));
        lun__strbuf_puts(&note, wrong[k]);
        well = add_note(v, &note);
    }
    return well;
}

static bool take_scratch(const lun_cmaker *m, version *v)
{
    bool well = true;
    for (; well && v->scratches < m->scratches.count; v->scratches++) {
        const lun_cscratch *from = &m->scratches.at[v->scratches];
        lun_front_scratch *x = &v->scratch[v->scratches];
        *x = (lun_front_scratch){
            .dtype = from->dtype, .count = from->count, .to = -1, .rank = from->rank};
        for (int k = 0; k < from->rank; k++)
            x->extent[k] = (int32_t)from->extent[k];
        if (!from->count)
            well = take_given(m, v, from, x);
    }
    return well;
}

static lun_status fill(team *t, version *v)
{
    lun_strbuf note = LUN_STRBUF_INIT;
    lun_status s = lun__cwrite_function(&t->m, &v->text);
    if (s != LUN_OK)
        return s;
    for (int k = v->text->params - v->text->lengths; k < v->text->params; k++)
        v->length[v->lengths++] = v->text->param[k].of;
    v->body.threads = (int)lun_team_product(v->division.threads, 0);
    lun__strbuf_printf(&note,
                       "%s, line %%lld: some threads of a team come to a LUN_BARRIER where others "
                       "do not",
                       t->m.source.files[0].name);
    const bool well = add_note(v, &note) && take_scratch(&t->m, v);
    v->kernel = (lun_ir_function){.body = &v->body, .note_count = v->notes};
    return well && put_body(&t->m, v) ? LUN_OK : LUN_ENOMEM;
}

/* The version for this division, made where it is new. */
static lun_status find(team *t, const lun_cdivision *d, lun_strbuf *error, version **out)
{
    for (version *v = t->versions; v; v = v->next)
        if (!memcmp(&v->division, d, sizeof *d)) {
            *out = v;
            return LUN_OK;
        }
    version *v = calloc(1, sizeof *v);
    if (!v)
        return LUN_ENOMEM;
    lun__ir_init(&v->body);
    v->division = *d;
    t->m.division = &v->division;
    t->m.error = error;
    lun_status s = fill(t, v);
    t->m.division = NULL;
    if (s != LUN_OK) {
        free_version(v);
        return s;
    }
    v->next = t->versions;
    *out = t->versions = v;
    return LUN_OK;
}

/* ---- the front end --------------------------------------------------------------------------- */

/* Whether what is given fits the text's parameters. */
static lun_status check_given(const team *t, const lun_front_param *given, int count,
                              lun_strbuf *error)
{
    const lun_csignature *head = &t->m.head;
    char name[48];
    if (count != head->count) {
        lun__strbuf_printf(error, "the C function takes %d argument%s, got %d", head->count,
                           head->count == 1 ? "" : "s", count);
        return LUN_EARG;
    }
    for (int k = 0; k < count; k++) {
        const lun_ctokens *tokens = &t->m.source.tokens;
        const char *shown = lun__ctoken_show(tokens, head->param[k].name, name);
        if (given[k].array != head->param[k].array) {
            lun__strbuf_printf(error,
                               "argument " LUN_NTH ": parameter '%s' of the C function is %s", k,
                               shown, given[k].array ? "a number, not an array" : "an array");
            return LUN_EARG;
        }
        if (given[k].array && given[k].stored != head->param[k].dtype) {
            lun__strbuf_printf(error,
                               "argument " LUN_NTH
                               ": an array of %s where parameter '%s' of the C function "
                               "points to %s: convert it, or change the parameter",
                               k, lun__dtype_get(given[k].stored)->name, shown,
                               lun__dtype_get(head->param[k].dtype)->name);
            return LUN_EDTYPE;
        }
    }
    return LUN_OK;
}

static void give(const version *v, const lun_front_param *given, lun_front_result *out)
{
    *out = (lun_front_result){.function = (lun_ir_function *)(uintptr_t)&v->kernel,
                              .scratch = v->scratch,
                              .scratches = v->scratches,
                              .notes = (const char *const *)v->note,
                              .note_count = v->notes};
    for (int k = 0; k < v->scratches; k++)
        if (v->scratch[k].given) /* the launch has it */
            out->scalar_dtype[out->scalars++] = LUN_I64;
    for (int k = 0; k < v->lengths; k++) {
        const lun_front_param *of = &given[v->length[k]];
        int64_t n = 1;
        for (int d = 0; d < of->rank; d++)
            n *= of->shape[d + (of->pitched && d == of->rank - 1)];
        out->scalar_dtype[out->scalars] = LUN_I64;
        out->scalar[out->scalars++] = (lun_value){LUN_I64, {.i = n}};
    }
}

/* Where functions that write arrays are not called. */
static lun_status refuse(const team *t, lun_strbuf *error)
{
    const lun_csignature *head = &t->m.head;
    char name[48];
    int k = 0;
    if (head->nothing >= 0)
        return lun__csignature_void(head, &t->m.source, error);
    while (!head->param[k].array || head->param[k].constant)
        k++;
    return lun__csource_error(&t->m.source, head->param[k].name, error,
                              "the function may assign elements of the array '%s', which map, zip, "
                              "each and teams allow: else let it be a pointer to const",
                              lun__ctoken_show(&t->m.source.tokens, head->param[k].name, name));
}

static lun_status specialise(void *ctx, const lun_front_param *params, int count,
                             lun_front_result *out, lun_strbuf *error)
{
    team *t = ctx;
    version *v;
    if (count < LUN_FRONT_NUMBERS || params[0].index != LUN_FRONT_TEAM)
        return refuse(t, error);
    if (t->m.head.nothing < 0) {
        lun__strbuf_puts(error, "teams takes C text without a result, which assigns elements of "
                                "arrays");
        return LUN_EARG;
    }
    const lun_front_param *given = params + LUN_FRONT_NUMBERS;
    lun_status s = check_given(t, given, count - LUN_FRONT_NUMBERS, error);
    if (s != LUN_OK)
        return s;
    lun_cdivision d = {.rank = params[LUN_TEAM_RANK].shape[0]};
    memcpy(d.threads, params[LUN_TEAM_THREADS].shape, sizeof d.threads);
    memcpy(d.elements, params[LUN_TEAM_ELEMENTS].shape, sizeof d.elements);
    s = find(t, &d, error, &v);
    if (s == LUN_OK)
        give(v, given, out);
    return s;
}

/* A stencil of it fails. */
static lun_status foresee(void *ctx, const lun_front_param *params, int count, lun_strbuf *error)
{
    const team *t = ctx;
    (void)params, (void)count;
    return refuse(t, error);
}

/* The indices of a loop. */
static lun_status check_axes(const lun_cmaker *m, int axes, lun_strbuf *error)
{
    const lun_csignature *head = &m->head;
    char name[48];
    if (axes && head->nothing < 0) {
        lun__strbuf_puts(error, "each takes C text without a result");
        return LUN_EARG;
    }
    if (axes > head->count) {
        lun__strbuf_printf(error,
                           "the C function has %d parameter%s, and the loop %d axes: its "
                           "first parameters are the indices",
                           head->count, head->count == 1 ? "" : "s", axes);
        return LUN_EARG;
    }
    for (int k = 0; k < axes; k++)
        if (head->param[k].array || !lun__dtype_is_integer(head->param[k].dtype))
            return lun__csource_error(
                &m->source, head->param[k].name, error,
                "parameter '%s' is an index of the loop: an integer",
                lun__ctoken_show(&m->source.tokens, head->param[k].name, name));
    return LUN_OK;
}

static lun_status in_place(void *ctx, int axes, lun_ir_function **out, lun_strbuf *error)
{
    team *t = ctx;
    lun_cmaker *m = &t->m;
    lun_status s = check_axes(m, axes, error);
    if (s == LUN_OK && !t->in_place[axes]) {
        s = lun__cscratch_words(&m->source, &m->units, m->entry, false, error);
        m->in_place = true;
        m->axes = axes;
        m->error = error;
        if (s == LUN_OK)
            s = lun__cwrite_function(m, &t->in_place[axes]);
        m->in_place = false;
        m->axes = 0;
    }
    *out = t->in_place[axes];
    return s;
}

lun_status lun__cteam_make(lun_cmaker *m, lun_front *out)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && m->head.nothing >= 0 && i < m->units.count; i++)
        if (i != m->entry && lun__cmaker_defines(m, i))
            s = lun__csource_error(&m->source, m->units.at[i].start, m->error,
                                   "a function without a result is defined twice: choose within "
                                   "its body");
    if (s == LUN_OK && !lun__cassigned_any(&m->head))
        s = lun__csignature_void(&m->head, &m->source, m->error);
    team *t = s == LUN_OK ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        lun__cmaker_free(m);
        return s == LUN_OK ? LUN_ENOMEM : s;
    }
    t->m = *m;
    *out = (lun_front){t, m->head.count, specialise, foresee, release, in_place};
    return LUN_OK;
}
