/* compiler.c - the C compiler's file, flags and key; see compiler.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* st_mtim */
#endif
#include "openmp/compiler/compiler.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "openmp/compiler/spawn.h"
#include "render/render.h"

bool lun__compiler_find(lun_compiler *c)
{
    static const char *const others[] = {"gcc", "clang"};
    struct stat st;
    if (c->looked)
        return c->path != NULL;
    c->looked = true;
    c->path = lun__spawn_find(c->name);
    for (int i = 0; i < 2 && !c->path && !strcmp(c->name, "cc"); i++)
        c->path = lun__spawn_find(others[i]);
    if (c->path && stat(c->path, &st))
        lun__compiler_free(c);
    if (!c->path)
        return false;
    c->size = (long long)st.st_size;
    c->seconds = (long long)st.st_mtim.tv_sec;
    c->nanoseconds = (long long)st.st_mtim.tv_nsec;
    return true;
}

void lun__compiler_free(lun_compiler *c)
{
    free(c->path);
    c->path = NULL;
}

/* The part of the command line that decides what comes out; NULL at the end. */
static const char *const common_flags[] = {"-std=gnu11",
                                           "-fno-math-errno",
                                           "-ffp-contract=off",
                                           "-fwrapv",
                                           "-fno-strict-aliasing",
                                           "-fvisibility=hidden",
                                           "-fno-stack-protector",
                                           "-fno-asynchronous-unwind-tables",
                                           "-fdiagnostics-color=never",
                                           "-pipe",
                                           "-fPIC",
                                           "-shared",
                                           "-nostdlib",
                                           NULL};

/* What may trap is not computed before the branch that decides whether it is needed.  Vectors have
 * no such branches, and gain where the compiler need not know; single elements are as in other C
 * programs. */
static const char *const *branch_flags(unsigned needs)
{
    static const char *const vectors[] = {"-fno-trapping-math", NULL}, *const single[] = {NULL};
    return needs & LUN_RENDER_SINGLE ? single : vectors;
}

static const char *const *isa_flags(lun_isa isa)
{
    static const char *const none[] = {NULL};
#ifdef __x86_64__
    static const char *const base[] = {"-march=x86-64", NULL},
                             *const avx2[] = {"-march=x86-64-v3", NULL},
                             *const avx512[] = {"-march=x86-64-v4", "-mprefer-vector-width=512",
                                                NULL};
    return isa == LUN_ISA_AVX512 ? avx512
           : isa == LUN_ISA_AVX2 ? avx2
           : isa == LUN_ISA_BASE ? base
                                 : none;
#else
    (void)isa;
    return none;
#endif
}

static const char *const *level_flags(unsigned needs)
{
    static const char *const all[] = {"-O3", NULL}, *const usual[] = {"-O2", NULL},
                             *const none[] = {"-O2", "-fno-tree-vectorize", NULL};
    return needs & LUN_COMPILER_NO_VECTORS ? none : needs & LUN_RENDER_LOOPS ? all : usual;
}

/* Calls of functions that are nowhere defined are errors, as warnings they would be silent; gcc
 * has no errors under -w. */
static const char *const *warning_flags(unsigned needs)
{
    static const char *const users[] = {"-Werror=implicit-function-declaration", NULL},
                             *const none[] = {"-w", NULL};
    return needs & LUN_RENDER_USER ? users : none;
}

static const char *const *library_flags(unsigned needs)
{
    static const char *const none[] = {NULL}, *const m[] = {"-lm", NULL};
    return needs & LUN_RENDER_LIBM ? m : none;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static const char first_line[] = "lunarray openmp\n";

/* For which machines code is: by the names of x86's levels. */
static const char *machine(void)
{
#ifdef __x86_64__
    lun_isa isa = lun__isa_here();
    return isa == LUN_ISA_AVX512 ? "x86-64-v4" : isa == LUN_ISA_AVX2 ? "x86-64-v3" : "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "another machine";
#endif
}

lun_cache_machine lun__compiler_machine(void)
{
    lun_cache_machine m;
    snprintf(m.first, sizeof m.first, "%s", first_line);
    snprintf(m.kind, sizeof m.kind, "isa %d", (int)lun__isa_here());
    snprintf(m.name, sizeof m.name, "%s", machine());
    return m;
}

void lun__compiler_key(const lun_compiler *c, const char *text, unsigned needs, const char *bits,
                       lun_strbuf *key)
{
    lun__strbuf_printf(key,
                       "%sobject 3\nabi %d\nbits %s\nisa %d\ncompiler %s\nsize "
                       "%lld\ntime %lld.%09lld\n"
                       "flags",
                       first_line, (int)LUN_RENDER_ABI, bits, (int)c->isa, c->path ? c->path : "",
                       c->size, c->seconds, c->nanoseconds);
    const char *const *lists[] = {common_flags,        warning_flags(needs), level_flags(needs),
                                  branch_flags(needs), isa_flags(c->isa),    library_flags(needs)};
    for (int k = 0; k < 6; k++)
        for (const char *const *p = lists[k]; *p; p++)
            lun__strbuf_printf(key, " %s", *p);
    lun__strbuf_puts(key, "\n\n");
    lun__strbuf_puts(key, text);
}

void lun__compiler_command(const lun_compiler *c, unsigned needs, char *from, char *to,
                           char *words[LUN_COMPILER_WORDS])
{
    static char output[] = "-o";
    int n = 0;
    const char *const *lists[] = {common_flags, warning_flags(needs), level_flags(needs),
                                  branch_flags(needs), isa_flags(c->isa)};
    words[n++] = c->path;
    for (int k = 0; k < 5; k++)
        for (const char *const *p = lists[k]; *p; p++)
            words[n++] = (char *)(uintptr_t)*p;
    words[n++] = output;
    words[n++] = to;
    words[n++] = from;
    for (const char *const *p = library_flags(needs); *p; p++)
        words[n++] = (char *)(uintptr_t)*p;
    words[n] = NULL;
}
