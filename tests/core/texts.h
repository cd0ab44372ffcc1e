/* texts.h - golden texts of kernels: IR, OpenMP C for every instruction set and OpenCL C in every
 * form are rendered for each kernel that a test builds, and their hash compared with
 * tests/golden/NAME.txt, a line for each different one.  What a text computes is tested elsewhere;
 * this says that it has not changed unnoticed.
 *
 *   TEXTS=write build/tests/NAME      writes the golden file anew
 *   TEXTS=FILE build/tests/NAME       writes all texts to FILE, to be compared by diff
 */
#ifndef TEST_TEXTS_H
#define TEST_TEXTS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "render/render.h"

#ifdef __clang__
enum { TEXTS_FOREIGN = 1 };
#else
enum { TEXTS_FOREIGN = 0 };
#endif

static lun_strbuf texts_lines = LUN_STRBUF_INIT;
static FILE *texts_file;

static inline void texts_add(lun_strbuf *all, const char *title, lun_status s, lun_strbuf *text)
{
    lun__strbuf_printf(all, "---- %s: %s\n%s\n", title, lun_status_name(s), lun__strbuf_text(text));
    lun__strbuf_clear(text);
}

static inline void texts_openmp(const lun_ir *ir, lun_strbuf *all)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    for (int isa = LUN_ISA_BASE; isa <= LUN_ISA_AVX512; isa++)
        for (int math = 0; math < 2; math++) {
            char title[64];
            unsigned needs = 0;
            lun_render_target target = {(lun_isa)isa, math ? 0 : LUN_VERSION_NONE};
            lun_status s = lun__gnu_render(ir, &target, &text, &needs);
            snprintf(title, sizeof title, "openmp, isa %d, vector math %d, needs %u", isa, math,
                     needs);
            texts_add(all, title, s, &text);
        }
    lun__strbuf_free(&text);
}

static inline void texts_opencl(const lun_ir *ir, lun_strbuf *all)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    for (int bytes = 8; bytes <= 64; bytes *= 2)
        for (int fp64 = 0; fp64 < 2; fp64++) {
            char title[96];
            lun_cl_shape shape = {.cost = 0};
            lun_cl_form form = bytes < 16 ? LUN_CL_SCALAR : LUN_CL_VECTOR;
            lun_cl_target target = {form, fp64, .wide_atomics = true, .coherent = bytes > 16,
                                    .bytes = bytes};
            lun_status s = lun__cl_dialect_render(ir, &target, &text, &shape);
            snprintf(title, sizeof title, "opencl, %d bytes, fp64 %d, cost %lld, local %zu", bytes,
                     fp64, (long long)shape.cost, shape.local_bytes);
            texts_add(all, title, s, &text);
        }
    lun__strbuf_free(&text);
}

/* Ends a kernel: its line, unless there is one like it, and where TEXTS names a file its texts.  A
 * test that runs the same kernel for each instruction set of the processor thus says the same on
 * every one. */
static inline void texts_end(lun_strbuf *all)
{
    const char *to = getenv("TEXTS");
    char line[32];
    if (all->failed)
        abort();
    snprintf(line, sizeof line, "%016" PRIx64 "\n", (uint64_t)XXH3_64bits(all->text, all->length));
    if (!strstr(lun__strbuf_text(&texts_lines), line))
        lun__strbuf_puts(&texts_lines, line);
    if (to && strcmp(to, "write") != 0) {
        texts_file = texts_file ? texts_file : fopen(to, "w");
        if (!texts_file)
            abort();
        fprintf(texts_file, "%s", all->text);
    }
    lun__strbuf_free(all);
}

/* Notes the text of a function's IR. */
static inline void texts_note_ir(const lun_ir *ir)
{
    lun_strbuf all = LUN_STRBUF_INIT, text = LUN_STRBUF_INIT;
    texts_add(&all, "ir", lun__print_ir(ir, &text), &text);
    lun__strbuf_free(&text);
    texts_end(&all);
}

/* Notes every text of a kernel. */
static inline void texts_note(const lun_ir *ir)
{
    lun_strbuf all = LUN_STRBUF_INIT, text = LUN_STRBUF_INIT;
    texts_add(&all, "ir", lun__print_ir(ir, &text), &text);
    lun__strbuf_free(&text);
    texts_openmp(ir, &all);
    texts_opencl(ir, &all);
    texts_end(&all);
}

/* The golden file's text, "" without one. */
static inline char *texts_golden(const char *path)
{
    char *text = calloc(1, 1 << 22);
    FILE *file = fopen(path, "r");
    if (text && file)
        text[fread(text, 1, (1 << 22) - 1, file)] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* Compares all that was noted with tests/golden/NAME.txt; `failed` and one more where they differ.
 * Where random kernels are chosen by hand (TEST_SEEDS) there is nothing to compare with; nor where
 * clang built the engine: it evaluates arguments in another order than gcc, which the order of
 * independent values and helpers in a text shows. */
static inline int texts_check(int failed, const char *test)
{
    char path[256];
    const char *name = strrchr(test, '/'), *to = getenv("TEXTS");
    name = name ? name + 1 : test;
    snprintf(path, sizeof path, "tests/golden/%.*s.txt", (int)strcspn(name, "."), name);
    FILE *file = to && !strcmp(to, "write") ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%s", lun__strbuf_text(&texts_lines));
        fclose(file);
    }
    char *golden = texts_golden(path);
    const char *a = golden ? golden : "", *b = lun__strbuf_text(&texts_lines);
    int line = 1;
    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    if (*a != *b && !TEXTS_FOREIGN && !getenv("TEST_SEEDS")) {
        fprintf(stderr, "the texts of kernel %d differ from %s; see tests/core/texts.h\n", line,
                path);
        failed++;
    }
    free(golden);
    lun__strbuf_free(&texts_lines);
    if (texts_file)
        fclose(texts_file);
    return failed;
}

#endif
