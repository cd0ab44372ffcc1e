/* cfunc_file_test.c - C functions given as files: includes, the places that messages name, and
 * files that cannot be read. */
#include "cfunc_check.h"

static lun_ir_function *parse_file(const char *name)
{
    char path[256];
    lun_ir_function *f = NULL;
    lun_strbuf error = LUN_STRBUF_INIT;
    lun_status status = lun__cfunc_file(in_directory(path, name), false, &f, NULL, &error);
    taken(status, f, &error, name);
    lun__strbuf_free(&error);
    return f;
}

static void refuse_file(const char *name, lun_status wanted, const char *words)
{
    char path[256];
    lun_ir_function *f = NULL;
    lun_strbuf error = LUN_STRBUF_INIT;
    check_refused(lun__cfunc_file(in_directory(path, name), false, &f, NULL, &error), wanted, f,
                  &error, words, name);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_files(void **state)
{
    (void)state;
    char path[256];
    assert_int_equal(mkdir(in_directory(path, "sub"), 0700), 0);
    assert_int_equal(symlink("sub", in_directory(path, "link")), 0);
    write_text("a.c", "\xef\xbb\xbf#include \"sub/h.h\" // the helper\n#include \"link/h.h\"\n"
                      "int f(int x) { return h(x) + N; }");
    write_text("b.c", "#pragma once\n#define N 1\n#include \"b.c\"\n#include <stdbool.h>\n"
                      "static int h(int x) { return x; }\nint <f>(int x) { return h(x) + N; }\n"
                      "int g(int x) { return x; }");
    write_text("sub/h.h", "#ifndef H_H\n#define H_H\n#include \"../a.c\"\n#include \"k.h\"\n"
                          "int h(int x)\n{ return x * k; }\n#endif\n#define N 100");
    write_text("sub/k.h", "/* #include \"none.h\" */ const int k = 2;\nint unused(int x);\n");
    lun_ir_function *f[] = {parse_file("a.c"), parse_file("b.c")};
    check_signature(f[0], "i32(i32)");
    check_compiles(clang, prelude_c, f[0]->text);
    check_compiles(opencl, prelude_cl, f[1]->text);
    double expected[] = {110, 6};
    check_runs(f, 2, expected);
}

/* Compilers and refusals name the file and the line in which something stands. */
static void test_file_lines(void **state)
{
    (void)state;
    char place[300];
    write_text("good.h", "int good(int x) { return x; }\n");
    write_text("wrong.h", "\nint bad(int x) { return wrong; }\n");
    write_text("c1.c", "#include \"good.h\"\n#include \"wrong.h\"\nint f(int x) { return x; }\n");
    write_text("c2.c", "#include \\\n \"good.h\"\n\nint f(int x) { return wrong; }\n");
    write_text(
        "c3.c",
        "#include \"good.h\"\n#include \\\n \"good.h\"\n#pragma once\n(int x) { return wrong; }");
    static const char *const names[] = {"c1.c", "c2.c", "c3.c"};
    static const char *const places[] = {"wrong.h:2:", "c2.c:4:", "c3.c:5:"};
    for (int i = 0; i < 3; i++) {
        lun_ir_function *f = parse_file(names[i]);
        snprintf(place, sizeof place, "%s/%s", directory, places[i]);
        check_blamed(f->text, place);
        lun__cwrite_function_free(f);
    }
    /* a name that could end its quotes, or the line */
    static const char evil[] = "e\"; int \?\?/\n\\.c";
    assert_int_equal(mkdir(in_directory(place, "e\"; int \?\?"), 0700), 0);
    write_text(evil, "(int x) { return wrong; }");
    lun_ir_function *f = parse_file(evil);
    check_blamed(f->text, ":1:");
    lun__cwrite_function_free(f);
    write_text(evil, "(int x) { return x; }");
    f = parse_file(evil);
    check_compiles(cc, prelude_c, f->text);
    check_compiles(opencl, prelude_cl, f->text);
    lun__cwrite_function_free(f);

    write_text("d.c", "#include \"good.h\"\n#include \"d.h\"\n(int x) { return x; }");
    write_text("d.h", "int a(int x) { return x; }\n}\n");
    refuse_file("d.c", LUN_EARG, "/d.h, line 2: unbalanced braces");
    write_text("d.h", "int a;\n\n/* open");
    refuse_file("d.c", LUN_EARG, "/d.h, line 3: unterminated comment");
    write_text("d.h", "#include \"no\\ne.h\"");
    refuse_file("d.c", LUN_EIO, "/d.h, line 1: cannot read \"");
    write_text("d.h", "#include <stdio.h>");
    refuse_file("d.c", LUN_EARG, "/d.h, line 1: only the system headers");
    write_text("d.h", "#import \"good.h\"");
    refuse_file("d.c", LUN_EARG, "/d.h, line 1: only #include \"file\" is supported");
    write_text("d.h", "int h(int);");
    write_text("d.c", "#include \"good.h\"\n#include \"d.h\"\n\n(int x) { { return x; }");
    refuse_file("d.c", LUN_EARG, "/d.c, line 4: unbalanced braces");
}

static void test_unreadable_files(void **state)
{
    (void)state;
    char path[256], name[32], text[64];
    refuse_file("none.c", LUN_EIO, "No such file");
    refuse_file("", LUN_EIO, "it is a directory");
    assert_int_equal(mkfifo(in_directory(path, "fifo"), 0600), 0);
    refuse_file("fifo", LUN_EIO, "it is not a regular file");
    write_text("empty.c", "");
    refuse_file("empty.c", LUN_EARG, "/empty.c, line 1: no function found");
    write_bytes("nul.c", "(int x) { return x;\0 }", 22);
    refuse_file("nul.c", LUN_EARG, "NUL");
    char *large = malloc((1 << 20) + 1);
    assert_non_null(large);
    memset(large, ' ', (1 << 20) + 1);
    write_bytes("large.c", large, (1 << 20) + 1);
    refuse_file("large.c", LUN_EARG, "larger than 1 MB");
    write_bytes("half.h", large, 1 << 19);
    write_bytes("half2.h", large, 1 << 19);
    write_text("large.c", "#include \"half.h\"\n#include \"half2.h\"\n(int x) { return x; }");
    refuse_file("large.c", LUN_EARG, "larger than 1 MB");
    free(large);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "deep%d.h", i);
        snprintf(text, sizeof text, "#include \"deep%d.h\"\n", i + 1);
        write_text(name, text);
    }
    refuse_file("deep0.h", LUN_EARG,
                "/deep31.h, line 1: includes are nested more than 32 levels deep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_file_lines),
        cmocka_unit_test(test_unreadable_files),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
