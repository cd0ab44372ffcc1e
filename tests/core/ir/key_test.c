/* key_test.c - what stands in the keys of compiled kernels: each ingredient that decides how
 * machine code looks, changed alone, makes another key, and an entry under the old one is a miss.
 * And a cache that was filled on a machine with other instruction sets is not used. */
#include "openmp_square.h"

#include "gpu/gpu.h"
#include "gpu/gpu_device.h"

enum { KEYS = 32 };

/* A key and the name of what was changed to make it. */
typedef struct key {
    const char *changed;
    lun_strbuf text;
} key;

typedef struct keys {
    key list[KEYS];
    int count;
} keys;

static lun_strbuf *add(keys *k, const char *changed)
{
    assert_true(k->count < KEYS);
    k->list[k->count].changed = changed;
    k->list[k->count].text = (lun_strbuf)LUN_STRBUF_INIT;
    return &k->list[k->count++].text;
}

/* All differ, and in a cache on disk each finds its own entry alone. */
static void check_and_free(keys *k)
{
    char dir[] = "/tmp/lunarray-test-XXXXXX";
    lun_cache *cache;
    void *bytes;
    size_t length;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(lun__cache_open(dir, LUN_CACHE_SIZE, NULL, NULL, &cache), LUN_OK);
    for (int i = 0; i < k->count; i++) {
        const lun_strbuf *a = &k->list[i].text;
        assert_false(a->failed);
        for (int j = 0; j < i; j++)
            if (a->length == k->list[j].text.length &&
                !memcmp(a->text, k->list[j].text.text, a->length))
                fail_msg("%s and %s have the same key", k->list[i].changed, k->list[j].changed);
        if (lun__cache_entry_load(cache, a->text, a->length, &bytes, &length))
            fail_msg("%s: served before it was stored", k->list[i].changed);
        lun__cache_entry_store(cache, a->text, a->length, &i, sizeof i);
    }
    for (int i = 0; i < k->count; i++) {
        const lun_strbuf *a = &k->list[i].text;
        assert_true(lun__cache_entry_load(cache, a->text, a->length, &bytes, &length));
        assert_int_equal(length, sizeof i);
        assert_memory_equal(bytes, &i, sizeof i);
        free(bytes);
        lun__strbuf_free(&k->list[i].text);
    }
    lun__cache_close(cache);
    kit_remove(dir);
}

static void test_openmp(void **state)
{
    (void)state;
    keys k = {.count = 0};
    char path[] = "/usr/bin/cc", other[] = "/usr/bin/cc-2";
    const char source[] = "void lun_kernel(void) {}";
    const lun_compiler cc = {.path = path, .size = 1000, .seconds = 5, .nanoseconds = 7};
    lun_compiler c = cc;
    lun__compiler_key(&c, source, 0, LUN_BITS, add(&k, "nothing"));
    c.path = other;
    lun__compiler_key(&c, source, 0, LUN_BITS, add(&k, "the compiler's path"));
    c = cc, c.size++;
    lun__compiler_key(&c, source, 0, LUN_BITS, add(&k, "the compiler's size"));
    c = cc, c.seconds++;
    lun__compiler_key(&c, source, 0, LUN_BITS, add(&k, "the compiler's time"));
    c = cc, c.nanoseconds++;
    lun__compiler_key(&c, source, 0, LUN_BITS, add(&k, "nanoseconds of that"));
    c = cc, c.isa = LUN_ISA_AVX2;
    lun__compiler_key(&c, source, 0, LUN_BITS, add(&k, "AVX2"));
    c.isa = LUN_ISA_AVX512;
    lun__compiler_key(&c, source, 0, LUN_BITS, add(&k, "AVX-512"));
    c = cc;
    lun__compiler_key(&c, source, 0, "none", add(&k, "the version of the bits"));
    lun__compiler_key(&c, source, LUN_RENDER_LOOPS, LUN_BITS, add(&k, "the level"));
    lun__compiler_key(&c, source, LUN_RENDER_LIBM, LUN_BITS, add(&k, "the libraries"));
    lun__compiler_key(&c, "void lun_kernel(void) { }", 0, LUN_BITS, add(&k, "a blank"));
    lun__compiler_key(&c, "", 0, LUN_BITS, add(&k, "no source"));
    /* the flags and the protocol stand in it by their words */
    const char *text = lun__strbuf_text(&k.list[0].text);
    char abi[32];
    snprintf(abi, sizeof abi, "abi %d\n", (int)LUN_RENDER_ABI);
    assert_non_null(strstr(text, abi));
    char *words[LUN_COMPILER_WORDS], from[] = "k.c", to[] = "k.so";
    lun__compiler_command(&cc, LUN_RENDER_LIBM | LUN_RENDER_LOOPS, from, to, words);
    lun_strbuf full = LUN_STRBUF_INIT;
    lun__compiler_key(&cc, source, LUN_RENDER_LIBM | LUN_RENDER_LOOPS, LUN_BITS, &full);
    for (int i = 1; words[i]; i++)
        if (words[i] != from && words[i] != to && strcmp(words[i], "-o") &&
            !strstr(lun__strbuf_text(&full), words[i]))
            fail_msg("the flag %s is not in the key", words[i]);
    lun__strbuf_free(&full);
    check_and_free(&k);
}

static void test_opencl(void **state)
{
    (void)state;
    keys k = {.count = 0};
    const char source[] = "__kernel void lun_kernel(void) {}";
    const lun_gpu_device same = {.name = "pthread-x",
                                 .driver = "P; 3.1 LLVM 15; x; 3",
                                 .options = LUN_CL_OPTIONS,
                                 .host = 99};
    lun_gpu_device d = same;
    lun__gpu_program_key("opencl", &d, LUN_BITS, source, add(&k, "nothing"));
    lun__gpu_program_key("opencl", &d, "v0", source, add(&k, "the version of the bits"));
    snprintf(d.name, sizeof d.name, "pthread-y");
    lun__gpu_program_key("opencl", &d, LUN_BITS, source, add(&k, "the device"));
    d = same;
    snprintf(d.driver, sizeof d.driver, "P; 3.1 LLVM 16; x; 3");
    lun__gpu_program_key("opencl", &d, LUN_BITS, source, add(&k, "the platform's version"));
    d = same;
    snprintf(d.driver, sizeof d.driver, "P; 3.1 LLVM 15; x; 4");
    lun__gpu_program_key("opencl", &d, LUN_BITS, source, add(&k, "the driver's version"));
    d = same, d.host++;
    lun__gpu_program_key("opencl", &d, LUN_BITS, source, add(&k, "the processor's features"));
    d = same, d.options = LUN_CL_OPTIONS " " LUN_CL_ROUNDED;
    lun__gpu_program_key("opencl", &d, LUN_BITS, source, add(&k, "the options"));
    d = same;
    lun__gpu_program_key("opencl", &d, LUN_BITS, "__kernel void lun_kernel(void) { }",
                         add(&k, "a blank"));
    assert_non_null(strstr(lun__strbuf_text(&k.list[0].text), LUN_CL_OPTIONS));
    check_and_free(&k);
}

/* What a processor can do is a line of the system's text about it. */
static void test_features(void **state)
{
    (void)state;
    const char some[] =
        "processor\t: 0\nflags\t\t: fpu avx2 avx512f\nbugs\t: x\n\nprocessor\t: 1\n";
    const char fewer[] = "processor\t: 0\nflags\t\t: fpu avx2\nbugs\t: x\n";
    const char others[] = "processor\t: 0\nflags\t\t: fpu avx2 avx512f\nbugs\t: y\n";
    const char arm[] = "processor\t: 0\nFeatures\t: fp asimd sve\n";
    assert_true(lun__gpu_device_host(some) != lun__gpu_device_host(fewer));
    assert_true(lun__gpu_device_host(some) == lun__gpu_device_host(others));
    assert_true(lun__gpu_device_host(arm) != 0);
    assert_true(lun__gpu_device_host("nothing\n") == 0);
}

#ifdef __x86_64__
/* A machine of another kind has filled the cache under the same compiler: all that
 * it holds is a miss. */
static void test_other_machine(void **state)
{
    (void)state;
    kit k;
    lun_isa here = lun__isa_here();
    kit_open(&k, NULL, "cc", LUN_JIT_SYNC, 1, LUN_MATH_FAST);
    for (int isa = LUN_ISA_BASE; isa <= LUN_ISA_AVX512; isa++) {
        if ((lun_isa)isa == here)
            continue;
        lun_jit_compiler jit;
        lun_unit unit = {.needs = 0};
        lun_strbuf text = LUN_STRBUF_INIT;
        lun_ir ir;
        write_square(&ir, 6);
        lun__jit_init(&jit, &k.services, (lun_isa)isa);
        lun_render_target target = {(lun_isa)isa, 0};
        assert_int_equal(lun__gnu_render(&ir, &target, &text, &unit.needs), LUN_OK);
        unit.source = text.text;
        assert_int_equal(lun__jit_wait(&jit, &unit), LUN_OK); /* compiled and stored, never run */
        lun__unit_result_free(&unit);
        lun__jit_finish(&jit);
        lun__ir_free(&ir);
    }
    assert_int_equal(k.stats.compiles, 2);
    lun_kernel *a = build_square(&k, 6);
    check_square(&k, a, 6, 100); /* what is loaded runs here */
    assert_int_equal(k.stats.cache_hits, 0);
    assert_int_equal(k.stats.compiles, 3);
    lun__backend_openmp.release(k.state, a);
    kit_close(&k, true);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openmp),
        cmocka_unit_test(test_opencl),
        cmocka_unit_test(test_features),
#ifdef __x86_64__
        cmocka_unit_test(test_other_machine),
#endif
    };
    for (int i = 0; i < N; i++)
        in[i] = (float)(i % 100);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
