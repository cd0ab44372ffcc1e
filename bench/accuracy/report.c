/* report.c - docs/accuracy.md of a measurement. */
#include <gnu/libc-version.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "accuracy.h"
#include "math/sequence.h"

static const char *const titles[VARIANTS] = {"v1", "precise"};

static const char method[] =
    "The largest error observed, in ULP (units in the last place of the result; 0.5 is the least "
    "possible),\n"
    "and the arguments at which it occurs. Bold: larger than promised. Functions that are not "
    "listed "
    "are exact\n"
    "or correctly rounded, which is tested elsewhere (`tests/diff`).\n"
    "\n"
    "- **at most**: what is promised (`prims/math/functions.def`).\n"
    "- **v1**: the sequences of `prims/math`, which all backends, processors and devices compute, "
    "with the same\n"
    "  bits: `openmp`, `reference` and, where there is a device, `opencl` were compared.\n"
    "- **precise**: `lun.math \"precise\"`: the scalar functions of the C library, to which the "
    "promise does not apply.\n"
    "\n"
    "f32, one argument: %s (precise: one in %llu). f32, two arguments: %.2g pairs (precise: a "
    "quarter).\n"
    "f64: %.2g arguments, half of them from the range where the function varies, a quarter from "
    "all binades, a\n"
    "quarter next to multiples of pi/2 and of powers of two; and all pairs of special values. "
    "Wrong "
    "results of\n"
    "another kind (NaN, infinity, sign of zero) would be counted in parentheses.\n"
    "\n"
    "Functions of higher precision select the candidates; the errors in the table are computed "
    "with "
    "MPFR.\n"
    "Compared with MPFR, those functions are off by at most %.1g ULP (f32) and %.1g ULP "
    "(f64).\n";

static void line_of(const char *path, const char *key, char *to, size_t room)
{
    char line[512];
    FILE *f = fopen(path, "r");
    snprintf(to, room, "unknown");
    while (f && fgets(line, sizeof line, f)) {
        char *value = strpbrk(line, ":=");
        if (strncmp(line, key, strlen(key)) || !value)
            continue;
        value += 1 + strspn(value + 1, " \"");
        value[strcspn(value, "\"\n")] = 0;
        snprintf(to, room, "%s", value);
        break;
    }
    if (f)
        fclose(f);
}

static void put_head(const measurement *m, double seconds)
{
    char cpu[256], system[256], date[32];
    time_t now = time(NULL);
    line_of("/proc/cpuinfo", "model name", cpu, sizeof cpu);
    line_of("/etc/os-release", "PRETTY_NAME", system, sizeof system);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    char option[32] = "";
    if (m->share < 1)
        snprintf(option, sizeof option, " ACCURACY=%g", m->share);
    printf("# Accuracy\n\nMade by `make accuracy%s` on %s, in %.0f minutes of processor time: %s,\n"
           "%s, gcc %s, glibc %s, MPFR %s.\n\n",
           option, date, seconds / 60, cpu, system, __VERSION__, gnu_get_libc_version(),
           mpfr_get_version());
    char numbers[64] = "all 2^32 numbers";
    if (m->stride > 1)
        snprintf(numbers, sizeof numbers, "one in %llu numbers", (unsigned long long)m->stride);
    printf(method, numbers, (unsigned long long)(OTHERS * m->stride), m->pairs, m->samples,
           m->screen_error[0], m->screen_error[1]);
}

static void put_place(const function *f, bool is_double, const double at[2])
{
    const char *form = is_double ? "%.17g" : "%.9g";
    printf(form, at[0]);
    if (f->arity == 2) {
        printf(", ");
        printf(form, at[1]);
    }
}

/* What is promised; division and the square root are correctly rounded. */
static double limit(const function *f, bool is_double)
{
    const lun_sequence *q = lun__sequence(f->op, is_double ? LUN_F64 : LUN_F32, 0);
    return q->name ? q->bound : 0.5;
}

/* True where the promise is not kept. */
static bool put_cell(const function *f, bool is_double, const worst *w, double most)
{
    bool over = w->ulp > most || w->wrong;
    printf(over ? " **%.3f** at " : " %.3f at ", w->ulp);
    put_place(f, is_double, w->at);
    if (w->wrong) {
        printf(" (%lld wrong in kind, first at ", (long long)w->wrong);
        put_place(f, is_double, w->wrong_at);
        printf(")");
    }
    printf(" |");
    return over;
}

static int put_table(const measurement *m, bool is_double)
{
    int missed = 0;
    printf("\n## %s\n\n| function | at most |", is_double ? "f64" : "f32");
    for (int v = 0; v < VARIANTS; v++)
        printf(" %s |", titles[v]);
    printf("\n|---|---|");
    for (int v = 0; v < VARIANTS; v++)
        printf("---|");
    printf("\n");
    for (int i = 0; i < function_count; i++) {
        if (!m->measured[i])
            continue;
        double most = limit(&functions[i], is_double);
        printf("| `%s` | %.1f |", functions[i].name, most);
        missed += put_cell(&functions[i], is_double, &m->table[i][is_double][V1], most);
        put_cell(&functions[i], is_double, &m->table[i][is_double][PRECISE], INFINITY);
        printf("\n");
    }
    return missed;
}

int report(const measurement *m, double seconds)
{
    put_head(m, seconds);
    int missed = put_table(m, false);
    return missed + put_table(m, true);
}
