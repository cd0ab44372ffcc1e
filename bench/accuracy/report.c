/* report.c - docs/accuracy.md of a measurement. */
#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "accuracy.h"

static const double limits[2] = {4.0, 2.0};
static const char *const titles[VARIANTS] = {"AVX-512", "AVX2", "SSE2", "precise", "OpenCL"};

static const char method[] =
    "The largest error observed, in ULP (units in the last place of the result; 0.5 is the least "
    "possible),\n"
    "and the arguments at which it occurs. Bold: larger than promised. Functions that are not "
    "listed "
    "are exact\n"
    "or correctly rounded, which is tested elsewhere (`tests/diff`).\n"
    "\n"
    "- **AVX-512, AVX2, SSE2**: the functions that kernels use on processors with these "
    "instructions. The\n"
    "  backends `openmp` and `reference` share them and were checked to give the same bits.\n"
    "- **precise**: `lun.math \"precise\"`: the scalar functions of the C library, to which the "
    "promise does not apply.\n"
    "- **OpenCL**: the device named above. Its functions are the driver's, except those in "
    "`backends/render/opencl/quirks.c`.\n"
    "\n"
    "f32, one argument: %s for this machine's variant, one in %llu for the others,\n"
    "one in %llu on OpenCL. f32, two arguments: %.2g pairs (other variants: a quarter of them, "
    "OpenCL: a\n"
    "sixteenth). f64: %.2g arguments (OpenCL: %.2g), half of them from the range where the "
    "function "
    "varies, half\n"
    "from all binades; and all pairs of special values. Wrong results of another kind (NaN, "
    "infinity, sign of\n"
    "zero) would be counted in parentheses.\n"
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
           "%s, gcc %s, glibc %s, MPFR %s. OpenCL: %s.\n\n",
           option, date, seconds / 60, cpu, system, __VERSION__, gnu_get_libc_version(),
           mpfr_get_version(), m->there[OPENCL] ? variant_device() : "none");
    char numbers[64] = "all 2^32 numbers";
    if (m->stride > 1)
        snprintf(numbers, sizeof numbers, "one in %llu numbers", (unsigned long long)m->stride);
    printf(method, numbers, (unsigned long long)(OTHERS * m->stride),
           (unsigned long long)(DEVICE * m->stride), m->pairs, m->samples, m->device,
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

/* True where the promise is not kept. */
static bool put_cell(const function *f, bool is_double, const worst *w)
{
    bool over = w->ulp > limits[is_double] || w->wrong;
    printf(over ? " **%.2f** at " : " %.2f at ", w->ulp);
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
    printf("\n## %s: at most %g ULP\n\n| function |", is_double ? "f64" : "f32", limits[is_double]);
    for (int v = 0; v < VARIANTS; v++)
        printf(" %s%s |", titles[v], v == (int)m->host ? " (this machine)" : "");
    printf("\n|---|");
    for (int v = 0; v < VARIANTS; v++)
        printf("---|");
    printf("\n");
    for (int i = 0; i < function_count; i++) {
        if (!m->measured[i])
            continue;
        printf("| `%s` |", functions[i].name);
        for (int v = 0; v < VARIANTS; v++) {
            if (!m->there[v])
                printf(" - |");
            else if (put_cell(&functions[i], is_double, &m->table[i][is_double][v]))
                missed += v <= BASE;
        }
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
