/* cfunc_check.h - for the tests of C functions: a directory of the test's own, compilers that must
 * take or refuse a text, checks of what lun__cfunc_parse and lun__cfunc_file answer. */
#ifndef LUN_CFUNC_CHECK_H
#define LUN_CFUNC_CHECK_H

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctext/text_function.h"
#include "table/dtype.h"

static const char prelude_c[] =
    "typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t;\n"
    "typedef unsigned short uint16_t; typedef int int32_t; typedef unsigned uint32_t;\n"
    "typedef long int64_t; typedef unsigned long uint64_t; typedef _Bool bool;\n"
    "typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned uint;\n"
    "typedef unsigned long ulong;\n"
    "#define true 1\n#define false 0\n"
    "#define LUN_GLOBAL\n#define LUN_CONSTANT\n#define __global\n#define __constant const\n"
    "#define __private\n"
    "#define LUN_FAULT_FIRST\n#define LUN_FAULT_ONLY void\n#define LUN_STOPPED 0\n"
    "#define LUN_ASK(leave)\n#define LUN_ASK_FOR(leave)\n#define LUN_JUMP(leave)\n#define "
    "LUN_ROUNDS(c)\n#define LUN_STEP(...) "
    "__VA_ARGS__\n"
    "#define LUN_STEPS(c, ...)\n"
    "float sqrtf(float); double sqrt(double);\n";
static const char prelude_cl[] =
    "typedef char int8_t; typedef uchar uint8_t; typedef short int16_t;\n"
    "typedef ushort uint16_t; typedef int int32_t; typedef uint uint32_t;\n"
    "typedef long int64_t; typedef ulong uint64_t;\n"
    "#define LUN_GLOBAL __global\n#define LUN_CONSTANT __constant\n#define sqrtf sqrt\n"
    "#define LUN_FAULT_ONLY int *lun_here\n#define LUN_FAULT_FIRST LUN_FAULT_ONLY,\n"
    "#define LUN_FAULT_HERE lun_here\n#define LUN_STOPPED *lun_here\n"
    "#define LUN_ASK(leave) && __extension__({ if (LUN_STOPPED) leave; 1; })\n"
    "#define LUN_ASK_FOR LUN_ASK\n#define LUN_JUMP(leave) if (LUN_STOPPED) leave;\n"
    "#define LUN_ROUNDS(c) for (int lun_n = 0; lun_n < 64 && (c); lun_n++)\n#define LUN_STEP(...)\n"
    "#define LUN_STEPS(c, ...) for (int lun_n = 0; lun_n < 64 && (c); lun_n++, __VA_ARGS__)\n";
static const char cc[] = "cc -std=gnu11 -Wall -Wno-unused -Wno-comment -Werror -fsyntax-only";
static const char clang[] = "clang -std=gnu11 -Wall -Wno-unused -Wno-comment -Werror -fsyntax-only";
static const char opencl[] = "clang -x cl -cl-std=CL1.2 -Wno-unused -Werror -fsyntax-only "
                             "-Xclang -finclude-default-header";

/* ---- a directory of the test's own, and compilers -------------------------------------------- */

static char directory[] = "/tmp/lunarray-cfunc-XXXXXX";

static inline int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static inline int remove_directory(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

/* A path in the directory, in a buffer of the caller's. */
static inline const char *in_directory(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", directory, name);
    return path;
}

static inline void write_bytes(const char *name, const char *bytes, size_t length)
{
    char path[256];
    FILE *file = fopen(in_directory(path, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

/* Runs a compiler on prelude and text; what it says goes to said[4096].  Returns its status. */
static inline int compile(const char *compiler, const char *prelude, const char *text, char *said)
{
    char command[1024], path[256];
    lun_strbuf all = LUN_STRBUF_INIT;
    lun__strbuf_puts(&all, prelude);
    lun__strbuf_puts(&all, text);
    write_text("unit.c", lun__strbuf_text(&all));
    lun__strbuf_free(&all);
    snprintf(command, sizeof command, "cd '%s' && LC_ALL=C %s unit.c >said 2>&1", directory,
             compiler);
    int status = system(command);
    FILE *file = fopen(in_directory(path, "said"), "rb");
    assert_non_null(file);
    said[fread(said, 1, 4095, file)] = '\0';
    fclose(file);
    return status;
}

static inline void check_compiles(const char *compiler, const char *prelude, const char *text)
{
    char said[4096];
    if (compile(compiler, prelude, text, said))
        fail_msg("%s\n%s\nin\n%s", compiler, said, text);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* "f32(f32,f32*)" */
static inline void check_signature(const lun_ir_function *f, const char *expected)
{
    lun_strbuf s = LUN_STRBUF_INIT;
    lun__strbuf_printf(&s, "%s(", lun__dtype_get((lun_dtype)f->result)->name);
    for (int k = 0; k < f->params; k++)
        lun__strbuf_printf(&s, "%s%s%s", k ? "," : "",
                           lun__dtype_get((lun_dtype)f->param[k].dtype)->name,
                           f->param[k].pointer ? "*" : "");
    lun__strbuf_puts(&s, ")");
    assert_string_equal(lun__strbuf_text(&s), expected);
    lun__strbuf_free(&s);
}

static inline lun_ir_function *taken(lun_status status, lun_ir_function *f, lun_strbuf *error,
                                     const char *input)
{
    if (status != LUN_OK)
        fail_msg("refused: %s\n%s", lun__strbuf_text(error), input);
    assert_int_equal(error->length, 0);
    assert_null(f->body);
    assert_true(strncmp(f->name, "lun_user_", 9) == 0 && strlen(f->name) == 25);
    assert_non_null(strstr(f->text, f->name));
    return f;
}

static inline void check_refused(lun_status got, lun_status wanted, const lun_ir_function *f,
                                 lun_strbuf *error, const char *words, const char *input)
{
    if (got != wanted || !strstr(lun__strbuf_text(error), words))
        fail_msg("status %d, \"%s\" instead of %d, \"%s\" for\n%.200s", (int)got,
                 lun__strbuf_text(error), (int)wanted, words, input);
    assert_null(f);
    lun__strbuf_free(error);
}

static inline void check_blamed(const char *text, const char *place)
{
    char said[4096];
    assert_int_not_equal(compile(cc, prelude_c, text, said), 0);
    if (!strstr(said, place))
        fail_msg("no %s in\n%s", place, said);
    assert_int_not_equal(compile(clang, prelude_c, text, said), 0);
    if (!strstr(said, place))
        fail_msg("no %s in\n%s", place, said);
}

/* Compiles texts with functions run_0, run_1, ... that call them, and calls these. */
static inline void check_runs(lun_ir_function **f, int count, const double *expected)
{
    char name[32], path[256], said[4096];
    lun_strbuf text = LUN_STRBUF_INIT;
    for (int i = 0; i < count; i++)
        lun__strbuf_puts(&text, f[i]->text);
    for (int i = 0; i < count; i++)
        lun__strbuf_printf(&text, "double run_%d(double x) { return %s(x); }\n", i, f[i]->name);
    if (compile("cc -std=gnu11 -shared -fPIC -o unit.so", prelude_c, lun__strbuf_text(&text), said))
        fail_msg("%s\n%s", said, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    void *unit = dlopen(in_directory(path, "unit.so"), RTLD_NOW | RTLD_LOCAL);
    assert_non_null(unit);
    for (int i = 0; i < count; i++) {
        double (*run)(double);
        snprintf(name, sizeof name, "run_%d", i);
        *(void **)&run = dlsym(unit, name);
        assert_non_null(run);
        assert_float_equal(run(5), expected[i], 0);
        lun__cwrite_function_free(f[i]);
    }
    dlclose(unit);
}

#endif
