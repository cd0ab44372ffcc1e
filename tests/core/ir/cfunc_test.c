/* cfunc_test.c - C functions given as strings: what is taken, what is refused and with which
 * words, and that compilers (C: cc and clang, OpenCL C: clang) take every text that comes out. */
#include "cfunc_check.h"

static lun_ir_function *parse(const char *text)
{
    lun_ir_function *f = NULL;
    lun_strbuf error = LUN_STRBUF_INIT;
    lun_status status = lun__cfunc_parse(text, false, &f, NULL, &error);
    taken(status, f, &error, text);
    lun__strbuf_free(&error);
    return f;
}

static void refuse(const char *text, const char *words)
{
    lun_ir_function *f = NULL;
    lun_strbuf error = LUN_STRBUF_INIT;
    check_refused(lun__cfunc_parse(text, false, &f, NULL, &error), LUN_EARG, f, &error, words,
                  text);
}

/* ---- strings --------------------------------------------------------------------------------- */

static const struct {
    const char *text, *signature;
} accepted[] = {
    {"(float x, float y){ return x*y; }", "f32(f32,f32)"},
    {"float (float x) { return x; }", "f32(f32)"},
    {"float mul(float x, float y) { return x * y; }", "f32(f32,f32)"},
    {"mul(double x, double y) { return x * y; }", "f64(f64,f64)"},
    {"double (float x, int n) { return x * n; }", "f64(f32,i32)"},
    {"static inline float m(const float x, float const y) { return x + y; };", "f32(f32,f32)"},
    {"int\nfact(int n)\n{\n    int r = 1;\n    while (n > 1) r *= n--;\n    return r;\n}\n",
     "i32(i32)"},
    {"(float local, global const float *kernel, float constant, constant int *t) { private float\n"
     "half = local; return half + kernel[0] + constant * t[0]; }",
     "f32(f32,f32*,f32,i32*)"},
    {"constant float G[2] = {1, 2};\nfloat f(int i, float global *w) { return G[i & 1] + w[i]; }",
     "f32(i32,f32*)"},
    {"(float x, __global const float *restrict w, int k) { return x * w[k]; }",
     "f32(f32,f32*,i32)"},
    {"(float x, volatile float w[], const int k[4]) { return x * w[k[0]]; }", "f32(f32,f32*,i32*)"},
    {"bool (bool a, const bool *m) { return a && m[0]; }", "bool(bool,bool*)"},
    {"_Bool (_Bool a, float x) { return a || x > 0; }", "bool(bool,f32)"},
    {"(int8_t a, uint8_t b, int16_t c, uint16_t d) { return a + b + c + d; }", "i8(i8,u8,i16,u16)"},
    {"int64_t (int32_t a, uint32_t b, int64_t c, uint64_t d) { return a + b + c + d; }",
     "i64(i32,u32,i64,u64)"},
    {"(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h) { return a; }",
     "i8(i8,u8,i16,u16,i32,u32,i64,u64)"},
    {"unsigned (unsigned int a, long long b, unsigned long long int c, signed char d) { return a; "
     "}",
     "u32(u32,i64,u64,i8)"},
    {"short int (long int a, int long unsigned b, signed c, short unsigned int d) { return a; }",
     "i16(i64,u64,i32,u16)"},
    {"__attribute__((always_inline)) inline float f(float x) { return x; }", "f32(f32)"},
    /* what could be taken for structure */
    {"(int x) { /* } */ char c = '}'; // }\n return x + c + sizeof(\"}\\\"{\") + '\\''; }",
     "i32(i32)"},
    {"(int x) {\n#define OPEN {\n#define TWICE(a) \\\n  ((a) + (a))\n return TWICE(x); }",
     "i32(i32)"},
    {"(int x) {\n#ifdef NONE\n if (x > 1) {\n#else\n if (x > 2) {\n#endif\n x = 0; }\n return x; }",
     "i32(i32)"},
    {"(int x) {\n#ifdef NONE\n return x; }\n#else\n return -x; }\n#endif", "i32(i32)"},
    {"#define f 1.0f\nfloat g(float x) { return x + f; }", "f32(f32)"},
    {"(float x) { return x * 1.f + 1e+5f + 0x1p-3f; }", "f32(f32)"},
    {"(float x) <% return x; %>", "f32(f32)"},
    {"(float x) { // a joined \\\n comment }\n return x; }", "f32(f32)"},
    {"/* one */ (float /* two */ x /* three\n */, // four )\n float y) /* { */ { return x - y; }",
     "f32(f32,f32)"},
    {"#include <math.h>\n#include <stdint.h>\r\n(float x) { return sqrtf(x); }\r\n", "f32(f32)"},
    /* several functions */
    {"float sq(float x) { return x * x; } float norm(float x, float y) { return sqrtf(sq(x) + "
     "sq(y)); }",
     "f32(f32,f32)"},
    {"float norm(float x); int a(int n) { return n; } float norm(float x) { return a((int)x); }",
     "f32(f32)"},
    {"float f(float x) { return x; } int g(int x) { return x; }", "f32(f32)"},
    {"float g(float x) { return x; } int <f>(int x) { return x < 1 ? 0 : g(x - 1); }", "i32(i32)"},
    {"int g(float x) { return (int)x; } (double x) { return g(x); }", "f64(f64)"},
    {"int even(int n); int odd(int n) { return n ? even(n - 1) : 0; }\n"
     "int even(int n) { return n ? 1 : n; } int f(int n) { return odd(n); }",
     "i32(i32)"},
    {"extern float h(float x); inline float h(float x) { return x; } float f(float x) { return "
     "h(x); }",
     "f32(f32)"},
    {"bool f(__global bool *m, int i); bool f(__global bool *m, int i) { return m[i]; }",
     "bool(bool*,i32)"},
    {"#define once 2\nconst int line = 1, define = once, pragma = 3, ifdef = 4;\n"
     "#pragma GCC diagnostic ignored \"-Wundef\"\n#define line2 line\n"
     "(int x) { return x + line2 + define; }",
     "i32(i32)"},
    /* names of its own that are those of functions: parameters, variables, members, labels, tags */
    {"int f(int k, const float *f) { return k + (int)f[1]; }", "i32(i32,f32*)"},
    {"int f(int f) { return f + 1; }", "i32(i32)"},
    {"int f(int k) { int r = 2, f = k + 1; return r * f; }", "i32(i32)"},
    {"int f(int k) { const int *f = &k; { float f[2] = {1, 2}; k += f[1]; } return *f; }",
     "i32(i32)"},
    {"int f(int k) { for (int f = 0; f < 3; f++) if (k > f) k -= f; else k++; return k; }",
     "i32(i32)"},
    {"typedef struct P { int f, g; } P;\n"
     "int f(int k) { P p = {.f = k, .g = 2}, *q = &p; return p.f + q->f; }",
     "i32(i32)"},
    {"int f(int k) { if (k > 3) goto f; k++; f: return k; }", "i32(i32)"},
    {"int f(int k) { struct f { int x; } a = {k}; return a.x; }", "i32(i32)"},
    {"int f(int k) { switch (k) { case 1: k++; default:; int f = k; k = 2 * f; } return k; }",
     "i32(i32)"},
    {"int h(int g) { return g + 1; } int g(int h) { return h; } int f(int k) { return g(h(k)); }",
     "i32(i32)"},
    {"int help(int main) { return main + 1; } int main(int k) { return help(k); }", "i32(i32)"},
    /* types, constants, tags and enumerators beside it */
    {"typedef unsigned uint; typedef struct P { float x, y; } P; enum { A, B = 3 };\n"
     "__constant float G = 9.81f, H[2] = {1, 2};\n"
     "float len(P p) { return p.x + p.y; }\n"
     "(float x) { P p = {x, G}; uint u = B; return len(p) * u + H[A]; }",
     "f32(f32)"},
    /* elements around an index: parameters of their own, in the order in which they are read */
    {"(float x) { return get(x, -1) + get(x, +1) - get(x, -1); }", "f32(f32,f32)"},
    {"(float x) { return get(x, -1, 0) * x; }", "f32(f32,f32)"},
    {"double f(const float *x, __global int y[], float z, const double *w)\n"
     "{ return get( x, 0 , 1 ) + get(y, 2 * (1 - 3), -0x2) + get(x, (0), -(-1)) + z * w[0]; }",
     "f64(f32,i32,f32,f64*)"},
    {"int h(int a) { return 7 - a; }\nint f(int x, int n) {\n#define TWICE(a) ((a) + (a))\n"
     " return h(get(x,\n 1)) * get(x, 2) + TWICE(get(x, 3)) - n; }",
     "i32(i32,i32,i32,i32)"},
    {"(int x) {\n#ifdef NONE\n return get(x, 1); }\n#else\n return -get(x, 2); }\n#endif",
     "i32(i32,i32)"},
    {"bool (bool x, uchar y) { return get(x, 1) && get(y, 1); }", "bool(bool,u8)"},
    {"float get(float x, int i) { return x * i; }\nfloat f(float x) { return get(x, 2); }",
     "f32(f32)"},
    {"#define get(x, i) ((x) + (i))\n(int x) { int get = 1; return get(x, get); }", "i32(i32)"},
};

static void test_accepted(void **state)
{
    (void)state;
    size_t n = sizeof accepted / sizeof accepted[0];
    lun_strbuf all = LUN_STRBUF_INIT;
    for (size_t i = 0; i < n; i++) {
        lun_ir_function *f = parse(accepted[i].text);
        check_signature(f, accepted[i].signature);
        check_compiles(cc, prelude_c, f->text);
        lun__strbuf_puts(&all, f->text);
        lun__cwrite_function_free(f);
    }
    /* each with names of its own: all of them in one unit, in both languages */
    check_compiles(cc, prelude_c, lun__strbuf_text(&all));
    check_compiles(clang, prelude_c, lun__strbuf_text(&all));
    check_compiles(opencl, prelude_cl, lun__strbuf_text(&all));
    lun__strbuf_free(&all);
}

static const struct {
    const char *text, *words;
} refused[] = {
    {"", "C function, line 1: no function found"},
    {" // nothing\n/* at all */", "line 1: no function found"},
    {"x * 2", "C function, line 1: the function has no parameter list"},
    {"\n{ return x; }", "C function, line 2: no parameter list"},
    {"float x;", "line 1: the function has no parameter list"},
    {"(float x)", "line 1: the function has no body"},
    {"\nfloat f(float x)\n;", "line 3: the function has no body"},
    {"(float x) {\n return x;\n", "line 1: unbalanced braces: '{' without '}'"},
    {"(float x) {\n return x; }\n }", "line 3: unbalanced braces: '}' without '{'"},
    {"(float x { return x; }", "unbalanced parentheses: '(' without ')'"},
    {"float x) { return x; }", "line 1: unbalanced parentheses"},
    {"(float x) { return x; /* open }", "line 1: unterminated comment"},
    {"(\nreal x) { return x; }", "line 2: unknown type 'real': the types are float"},
    {"(x) { return x; }", "unknown type 'x'"},
    {"(half x) { return x; }", "half exists only in OpenCL"},
    {"(float x) { local float y = x; return y; }", "functions of lun.teams have LUN_SCRATCH"},
    {"kernel float f(float x) { return x; }", "kernel exists only in OpenCL"},
    {"(int x) {\n static int n = 0; return x + n++; }", "line 2: static variable"},
    {"int f(int n) { return n < 2 ? 1 : n * f(n - 1); }", "line 1: recursive call of f"},
    /* the name is a variable's elsewhere, or not yet */
    {"int f(int n) {\n { int f = 2; n += f; }\n return f(n); }", "line 3: recursive call of f"},
    {"int f(int n) {\n int k = f(n - 1), f = 2;\n return k * f; }", "line 2: recursive call of f"},
    {"int f(int n) {\n for (int f = 0; f < 3; f++) if (n) n -= f; else n++;\n return f(n); }",
     "line 3: recursive call of f"},
    {"int f(int n) { int k = n;\n return k * f(n) + k, (f)(n); }", "line 2: recursive call of f"},
    {"int f(int n) {\n int g = f(n), h = (f)(n); return g + h; }", "line 2: recursive call of f"},
    {"int f(int n) {\n int (*g)(int) = f; return g(n); }", "line 2: recursive call of f"},
    {"int f(int n) {\n int f(int); return f(n - 1); }", "line 2: recursive call of f"},
    {"int f(int n) {\n int k = (*f)(n - 1); return k; }", "line 2: recursive call of f"},
    {"int f(int n) {\n#define AGAIN f(n - 1)\n int f = AGAIN; return f; }",
     "line 2: recursive call of f"},
    {"int g(int f) { return f; } int f(int n) {\n return n < 1 ? 0 : g(n) + f(n - 1); }",
     "line 2: recursive call of f"},
    {"(float x) {\n return get(x, i); }", "line 2: offset 1 of get(x, ...) is not an integer"},
    {"(float x) { return get(x, 0, 1.5); }", "offset 2 of get(x, ...) is not an integer constant"},
    {"(float x) { return get(x, 1, ); }", "offset 2 of get(x, ...) is not an integer constant"},
    {"(float x) { return get(x, (1); }", "offset 1 of get(x, ...) is not an integer constant"},
    {"(float x) { return get(x, 1 2); }", "offset 1 of get(x, ...) is not an integer constant"},
    {"(float x) { return get(x, 9999999999); }", "offset 1 of get(x, ...)"},
    {"(float x) { return get(x, 2000000000 * 2000000000 * 16); }", "offset 1 of get(x, ...)"},
    {"(float x) { return get(x, ((((((((((((((((((1)))))))))))))))))))); }", "offset 1 of get"},
    {"(float x) { return get(x, 0, 0, 0, 0, 0, 0, 0, 0, 0); }", "at most 8 axes"},
    {"(float x) { return get(x); }", "needs the name of a parameter of this function"},
    {"(float x) { return get(y, 1); }", "needs the name of a parameter of this function"},
    {"(float x) { return get(x, 1)\n + get(x, 1, 0); }",
     "line 2: get(x, ...) with 2 offsets, but with 1 before"},
    {"float h(float x) {\n return get(x, 1); }\nfloat f(float x) { return h(x); }",
     "line 2: get(x, ...) in a helper function"},
    {"#define AT(i) get(x, i)\n(float x) { return AT(1); }", "line 1: get(x, ...) in a macro"},
    {"(float x) {\n#define AT(i) get(x, i)\n return AT(1); }", "line 2: get(x, ...) in a macro"},
    {"float f(const float *x) {\n return get(x, 1) + x[0]; }",
     "line 2: an array that get(x, ...) reads has no other use"},
    {"int even(int n);\nint odd(int n) { return n && even(n - 1); }\n"
     "int even(int n) { return !n || odd(n - 1); }\nint f(int n) { return odd(n); }",
     "line 3: recursive call of odd"},
    {"real f(float x) { return x; }", "unknown type 'real'"},
    {"(size_t x) { return x; }", "size_t has no fixed width: write uint64_t"},
    {"size_t (int x) { return x; }", "size_t has no fixed width"},
    {"(struct P p) { return 1; }", "a struct cannot be a parameter"},
    {"struct P f(float x) { struct P p; return p; }", "a struct cannot be a parameter"},
    {"(long double x) { return x; }", "unsupported type"},
    {"(long float x) { return x; }", "unsupported type"},
    {"(float float x) { return x; }", "'float' cannot follow"},
    {"(unsigned uint x) { return x; }", "'uint' cannot follow"},
    {"(long long long x) { return x; }", "'long' cannot follow"},
    {"void (float x) { }", "line 1: the result is void"},
    {"float *f(float x) { return 0; }", "the result is a pointer"},
    {"(float *w) { return w[0]; }", "the result type is missing"},
    {"float f(void) { return 1; }", "the function has no parameters"},
    {"float f() { return 1; }", "the function has no parameters"},
    {"(float x, void y) { return x; }", "parameter 2 is void"},
    {"(float x, float) { return x; }", "parameter 2 has no name"},
    {"(float x, ) { return x; }", "parameter 2 is missing"},
    {"(float x, const y) { return x; }", "unknown type 'y'"},
    {"(float x y) { return x; }", "unexpected 'y' after the parameter's name"},
    {"(float x, ...) { return x; }", "variable number of parameters"},
    {"(float x, float **w) { return x; }", "a pointer to a pointer"},
    {"(float x, float *w[2]) { return x; }", "a pointer to a pointer"},
    {"(float x, float (*g)(float)) { return x; }", "a function cannot be a parameter"},
    {"(float x = 1) { return x; }", "unexpected '='"},
    {"(float x,\n#if 1\n float y) { return x; }\n#endif\n",
     "preprocessor directive is not allowed"},
    {"(float x) {\n#if 1\n return x; }", "line 2: #if without #endif"},
    {"(float x) {\n#else\n return x; }", "line 2: #else or #elif without #if"},
    {"(float x) {\n#endif\n return x; }", "line 2: #endif without #if"},
    {"(float x) {\n#if 1\n return x; }\n int k;\n#else\n return -x; }\n#endif",
     "line 6: unbalanced braces: a function ends in only one branch of an #if"},
    {"#if 1\n(float x) {\n#else\n(int x) {\n#endif\n return x; }",
     "line 2: the brace opened here is closed in only one branch of an #if"},
    {"float a(float x) { return x; } float b(float x) { return x; }",
     "the entry function is ambiguous: call it f or write its name as <f>; candidates are a, b"},
    {"float f(float x) { return x; }\nfloat f(float x) { return x; }",
     "line 2: the entry f is defined twice, also on line 1"},
    {"float <f>(float x) { return x; } float <f>(float x) { return x; }", "a second function is"},
    {"float <g>(float x) { return x; }", "must be <f>"},
    {"(float x) { return x; } (int x) { return x; }", "a second function without a name"},
    {"float f(float x) { return x; }\n(int x) { return x; }", "line 2: an unnamed function"},
    {"g(int x) { return x; } float f(float x) { return g(x); }", "result type of g is missing"},
    {"#include \"x.h\"\n(float x) { return x; }", "a C string cannot include a file"},
    {"#include <stdio.h>\n(float x) { return x; }", "line 1: only the system headers"},
    {"#include NAME\n(float x) { return x; }", "a file name in double quotes"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        refuse(refused[i].text, refused[i].words);
}

static void test_limits(void **state)
{
    (void)state;
    lun_strbuf s = LUN_STRBUF_INIT;
    for (int count = 32; count <= 33; count++) {
        lun__strbuf_clear(&s);
        for (int k = 0; k < count; k++)
            lun__strbuf_printf(&s, "%sint p%d", k ? ", " : "(", k);
        lun__strbuf_puts(&s, ") { return p0; }");
        if (count == 33) {
            refuse(lun__strbuf_text(&s), "more than 32 parameters");
        } else {
            lun_ir_function *f = parse(lun__strbuf_text(&s));
            assert_int_equal(f->params, 32);
            lun__cwrite_function_free(f);
        }
    }
    for (int n = 40; n < 60; n++) { /* names cut in messages */
        lun__strbuf_clear(&s);
        lun__strbuf_printf(&s, "(%0*d x) { return x; }", n, 0);
        for (char *p = s.text; *p; p++)
            if (*p == '0')
                *p = 'n';
        refuse(lun__strbuf_text(&s), n > 47 ? "nnn...'" : "nnn'");
    }
    lun__strbuf_clear(&s);
    lun__strbuf_puts(&s, "(float x) { return x; }");
    while (s.length < 1 << 20)
        lun__strbuf_puts(&s, " ");
    lun__cwrite_function_free(parse(lun__strbuf_text(&s)));
    lun__strbuf_puts(&s, " ");
    refuse(lun__strbuf_text(&s), "larger than 1 MB");
    lun__strbuf_clear(&s);
    lun__strbuf_puts(&s, "(float x) ");
    for (int k = 0; k < 200000; k++)
        lun__strbuf_puts(&s, "{");
    refuse(lun__strbuf_text(&s), "unbalanced braces");
    lun__strbuf_free(&s);
}

/* ---- the text that comes out ----------------------------------------------------------------- */

static void test_same_text_same_name(void **state)
{
    (void)state;
    lun_ir_function *a = parse("(float x) { return x; }"), *b = parse("(float x) { return x; }"),
                    *c = parse("(float x) { return  x; }");
    assert_string_equal(a->text, b->text);
    assert_string_equal(a->name, b->name);
    assert_string_not_equal(a->name, c->name);
    lun__cwrite_function_free(a);
    lun__cwrite_function_free(b);
    lun__cwrite_function_free(c);
    lun__cwrite_function_free(NULL);
}

static void test_lines(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "(float x) {\n  float y = x;\n  return wrong;\n}",
        "float\nf(float x) { return wrong; }",
        "#define ONE 1\nfloat g(float x) { return x; }\nfloat f(float x) { return wrong; }",
        "(float x, // one\n const float *w, /* two\n three */ int k) { return wrong; }",
        "(float x,\n float\n y\n) { float x; return y; }",
        "(float x) {\n return x;\n} int g(int n) { return wrong; }",
    };
    static const char *const places[] = {"C function:3:", "C function:2:", "C function:3:",
                                         "C function:3:", "C function:4:", "C function:3:"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        lun_ir_function *f = parse(texts[i]);
        check_blamed(f->text, places[i]);
        lun__cwrite_function_free(f);
    }
}

/* Macros, helpers, types and constants of one text are unknown to the next. */
static void test_runs_in_one_unit(void **state)
{
    (void)state;
    lun_ir_function *f[] = {
        parse("int fact(int n) { int r = 1; while (n > 1) r *= n--; return r; }"),
        parse("#define K 2\ntypedef int T; const T c = K; T g(T x) { return x * c; }\n"
              "(int x) { return g(x); }"),
        parse("#define K 3\ntypedef double T; const T c = K; T g(T x) { return x * c; }\n"
              "(double x) { return g(x) + 0.5; }"),
        parse("(double x) {\n#ifdef K\n return 0;\n#else\n return x;\n#endif\n}"),
        parse("#undef true\n#define true 7\n(int x) { return true; }"),
        parse("(int x) { return true; }"),
        parse("(uint8_t x) { return x - 6; }"),
        parse("(char x) { return x - 6; }"),
    };
    double expected[] = {120, 10, 15.5, 5, 7, 1, 255, -1};
    check_runs(f, 8, expected);
}

/* Whatever is cut off or left out: a function or an error with its place, nothing else. */
static void test_damaged(void **state)
{
    (void)state;
    char text[512];
    for (size_t i = 0; i < 2 * sizeof accepted / sizeof accepted[0]; i++) {
        const char *whole = accepted[i / 2].text;
        for (size_t at = 0; at < strlen(whole); at++) {
            size_t n = (size_t)snprintf(text, sizeof text, "%s", whole);
            assert_true(n < sizeof text);
            if (i % 2)
                memmove(text + at, text + at + 1, n - at);
            else
                text[at] = '\0';
            lun_ir_function *f = NULL;
            lun_strbuf error = LUN_STRBUF_INIT;
            lun_status status = lun__cfunc_parse(text, false, &f, NULL, &error);
            if (status == LUN_OK)
                assert_non_null(f);
            else
                check_refused(status, LUN_EARG, f, &error, "C function, line ", text);
            lun__cwrite_function_free(f);
            lun__strbuf_free(&error);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),   cmocka_unit_test(test_same_text_same_name),
        cmocka_unit_test(test_lines),    cmocka_unit_test(test_runs_in_one_unit),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
