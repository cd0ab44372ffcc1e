/* faults.c - failures in users' C texts, and the word that stops their loops.  On the host
 * variables of the thread keep the first failure and the address of the word, so that functions
 * keep their types; languages without such variables hand on a pointer to both.  The text goes on
 * with a harmless value, which the failure of the launch discards. */
#include "render/user/faults.h"

#include <inttypes.h>

#include "render/text/text.h"

static const char of_thread[] =
    "static __thread int64_t lun_fault;\n"
    "static __attribute__((noinline, cold)) int lun_fail(int64_t what)\n"
    "{\n    if (!lun_fault) lun_fault = what;\n    return 0;\n}\n"
    "#define LUN_FAULT_FIRST\n#define LUN_FAULT_ONLY void\n#define LUN_FAULT_PASS\n"
    "#define LUN_FAILED lun_fault\n";

static const char handed_on[] =
    "struct lun_here { int64_t fault; @atomic_int *stop; int asked, stopped; };\n"
    "@inline int lun_fail(struct lun_here *lun_here, int64_t what)\n"
    "{\n    if (!lun_here->fault) lun_here->fault = what;\n    return 0;\n}\n"
    "#define LUN_FAULT_ONLY struct lun_here *lun_here\n"
    "#define LUN_FAULT_FIRST LUN_FAULT_ONLY,\n"
    "#define LUN_FAULT_HERE lun_here\n#define LUN_FAULT_PASS lun_here,\n"
    "#define LUN_FAILED lun_here->fault\n";

/* For loops (prims/ctext/stop_checks.h). */
static const char not_asked[] =
    "#define LUN_STOPPED 0\n#define LUN_ASKED 0\n#define LUN_ASKED_FOR 0\n#define LUN_ASK(leave)\n"
    "#define LUN_JUMP(leave)\n#define LUN_ASK_FOR(leave)\n";

/* Loops as they are written, for compilers that make vectors of those that count. */
static const char plain[] =
    "#define LUN_ROUNDS(c)\n#define LUN_STEP(...) __VA_ARGS__\n#define LUN_STEPS(c, ...)\n";

static const char asked_of_thread[] =
    "static __thread const volatile int *lun_stop;\n"
    "#define LUN_STOPPED __builtin_expect(__atomic_load_n(lun_stop, __ATOMIC_RELAXED), 0)\n#define "
    "LUN_ASKED LUN_STOPPED\n"
    "#define LUN_ASKED_FOR 0\n#define LUN_ASK_FOR(leave)\n";

static const char asked_each[] = "#define LUN_STOPPED __builtin_expect(*lun_here->stop, 0)\n"
                                 "#define LUN_ASKED LUN_STOPPED\n";

/* Where questions are far, most of them read nothing. */
static const char asked_seldom[] =
    "@inline int lun_ask(struct lun_here *lun_here)\n{\n"
    "    if ((++lun_here->asked & 255) == 0 && *lun_here->stop) lun_here->stopped = 1;\n"
    "    return lun_here->stopped;\n}\n"
    "#define LUN_STOPPED lun_here->stopped\n#define LUN_ASKED lun_ask(lun_here)\n";

static const char asked[] =
    "#define LUN_ASK(leave) && __extension__({ if (LUN_ASKED) leave; 1; })\n"
    "#define LUN_JUMP(leave) if (LUN_ASKED) leave;\n";

static const char in_rounds[] =
    "#define LUN_ASK_FOR LUN_ASK\n#define LUN_ASKED_FOR LUN_ASKED\n"
    "#define LUN_ROUNDS(c) for (int lun_n = 0; lun_n < 256 && (c); lun_n++)\n"
    "#define LUN_STEP(...)\n"
    "#define LUN_STEPS(c, ...) for (int lun_n = 0; lun_n < 256 && (c); lun_n++, __VA_ARGS__)\n";

static const char asked_checked[] =
    "#define LUN_ASK_CHECKED(leave) && __extension__({ \\\n"
    "    if (__builtin_expect(LUN_ASKED || LUN_FAILED, 0)) leave; 1; })\n"
    "#define LUN_ASK_FOR_CHECKED(leave) && __extension__({ \\\n"
    "    if (__builtin_expect(LUN_ASKED_FOR || LUN_FAILED, 0)) leave; 1; })\n"
    "#define LUN_JUMP_CHECKED(leave) \\\n"
    "    if (__builtin_expect(LUN_ASKED || LUN_FAILED, 0)) leave;\n";

/* Behind the word for functions of ours.  The index in a failure is cut to 51 bits. */
static const char index_function[] =
    " int64_t lun_checked_index(LUN_FAULT_FIRST int64_t k, int64_t i, int64_t n)\n{\n"
    "    const int64_t most = (int64_t)1 << 50;\n"
    "    if ((uint64_t)i < (uint64_t)n) return i;\n"
    "    lun_fail(LUN_FAULT_PASS (i > most ? most : i < -most ? -most : i) * 4096 + k);\n"
    "    return 0;\n}\n"
    "#define LUN_WITHIN(k, i, n) lun_checked_index(LUN_FAULT_PASS k, i, n)\n";

/* A quotient by -1 is a negation: x86 traps where the least integer is divided by it.  Of floats
 * nothing is left but the division. */
static const char checks[] =
    "#define LUN_DIVIDE(k, a, b) __extension__({ __auto_type lun_a = +(a); \\\n"
    "    __auto_type lun_b = +(b); (__typeof__(lun_a / lun_b))0.5f == 0 && lun_b == 0 \\\n"
    "    ? (__typeof__(lun_a / lun_b))lun_fail(LUN_FAULT_PASS k) \\\n"
    "    : (__typeof__(lun_a / lun_b))0.5f == 0 && (__typeof__(lun_a / lun_b))-1 < 0 && \\\n"
    "    lun_b == (__typeof__(lun_a / lun_b))-1 ? -(__typeof__(lun_a / lun_b))lun_a \\\n"
    "    : lun_a / lun_b; })\n"
    "#define LUN_MODULO(k, a, b) __extension__({ __auto_type lun_a = +(a); \\\n"
    "    __auto_type lun_b = +(b); lun_b == 0 \\\n"
    "    ? (__typeof__(lun_a % lun_b))lun_fail(LUN_FAULT_PASS k) \\\n"
    "    : (__typeof__(lun_a % lun_b))-1 < 0 && lun_b == (__typeof__(lun_a % lun_b))-1 \\\n"
    "    ? (__typeof__(lun_a % lun_b))0 : lun_a % lun_b; })\n";

_Static_assert(1 << LUN_IR_FAULT_BITS == 4096, "the text above says so");

void lun__faults_write(lun_renderer *r, lun_strbuf *out)
{
    bool faults = false, asks = false;
    for (int i = 0; i < r->ir->function_count; i++) {
        faults |= r->ir->functions[i]->fault_count > 0;
        asks |= r->ir->functions[i]->asks;
    }
    if (!faults && !asks)
        return;
    if (r->dialect->words)
        lun__text_put(r, out, "%s", handed_on);
    else
        lun__strbuf_puts(out, of_thread);
    if (asks && r->stops) {
        lun__text_put(r, out, "%s",
                      !r->dialect->words     ? asked_of_thread
                      : r->dialect->far_stop ? asked_seldom
                                             : asked_each);
        lun__strbuf_puts(out, asked);
    } else if (asks) {
        lun__strbuf_puts(out, not_asked);
    }
    if (asks)
        lun__strbuf_puts(out, r->dialect->words && r->stops ? in_rounds : plain);
    if (asks && faults)
        lun__strbuf_puts(out, asked_checked);
    if (!faults)
        return;
    lun__text_put(r, out, r->dialect->words ? "@inline" : "static inline");
    lun__strbuf_puts(out, index_function);
    lun__strbuf_puts(out, checks);
}

bool lun__faults_handed(const lun_renderer *r, const lun_ir_function *f)
{
    return f->fault_count || (f->asks && (r->dialect->words || r->stops));
}

/* Where the failure of the call in instruction v is kept. */
static lun_snippet variable(const lun_renderer *r, int32_t v)
{
    return r->dialect->words ? lun__text_name("lun_here%" PRId32, v) : lun__text_name("lun_fault");
}

static bool is_local(const lun_renderer *r, const lun_ir_function *f)
{
    return r->dialect->words && lun__faults_handed(r, f);
}

lun_snippet lun__faults_before(const lun_renderer *r, const lun_ir_function *f, int32_t v)
{
    if (!is_local(r, f))
        return lun__text_name("%s", f->asks && r->stops ? "    lun_stop = f->cancel;\n" : "");
    return lun__text_name("    struct lun_here %s = {0, %s, 0, 0};\n", variable(r, v).s,
                          r->stops ? "f->stop" : "0");
}

lun_snippet lun__faults_argument(const lun_renderer *r, const lun_ir_function *f, int32_t v)
{
    return lun__text_name(is_local(r, f) ? "&%s, " : "%.0s", variable(r, v).s);
}

void lun__faults_behind(const lun_renderer *r, const lun_ir_function *f, int32_t v, lun_strbuf *out)
{
    if (!f->fault_count)
        return;
    lun_snippet kept = lun__text_name(is_local(r, f) ? "%s.fault" : "%s", variable(r, v).s);
    lun__strbuf_printf(
        out, "    if (%s) {\n        if (f->trap < 0) f->trap = %" PRId32 ", f->trap_value = %s;\n",
        kept.s, v, kept.s);
    if (!r->dialect->words)
        lun__strbuf_printf(out, "        %s = 0;\n", kept.s);
    lun__strbuf_puts(out, "    }\n");
}
