/* override_test.c - libraries in place of an algorithm by the C interface: names, what a missing
 * one leaves behind, a product by one that is made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lunarray.h"

static char folder[] = "/tmp/override_XXXXXX";

/* A BLAS whose products are 7 everywhere. */
static void make(void)
{
    char command[1024];
    snprintf(
        command, sizeof command,
        "printf 'void cblas_dgemm(int o, int a, int b, int m, int n, int k, double x, double *p,"
        " int u, double *q, int v, double y, double *c, int w) {\\n"
        "for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) c[i * w + j] = 7; }\\n"
        "void cblas_sgemm(void) {}\\n' > %s/a.c && cc -w -shared -fPIC -o %s/blas.so %s/a.c",
        folder, folder, folder);
    assert_int_equal(0, system(command));
}

static double product(lun_engine *e)
{
    const int64_t shape[] = {2, 2};
    const double x[] = {1, 2, 3, 4};
    lun_array *a, *flat, *c;
    double got[4];
    assert_int_equal(LUN_OK, lun_vector(e, x, 4, LUN_F64, &flat));
    assert_int_equal(LUN_OK, lun_reshape(e, flat, 2, shape, &a));
    assert_int_equal(LUN_OK, lun_matmul(e, a, a, &c));
    assert_int_equal(LUN_OK, lun_read(e, c, got, 0, 4));
    lun_release(c);
    lun_release(a);
    lun_release(flat);
    return got[3];
}

static void test_override(void **state)
{
    (void)state;
    lun_engine *e;
    const char *by = NULL, *library = "";
    char path[1024];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(LUN_OK, lun_open(NULL, &e));
    assert_string_equal("matmul", lun_override_at(e, 0, &by, &library));
    assert_string_equal("own", by);
    assert_null(library);
    assert_string_equal("fft", lun_override_at(e, 1, NULL, NULL));
    assert_string_equal("linalg", lun_override_at(e, 2, NULL, NULL));
    assert_null(lun_override_at(e, 3, NULL, NULL));
    assert_null(lun_override_at(e, -1, NULL, NULL));
    assert_int_equal(LUN_EARG, lun_override(e, "sort", "blas"));
    assert_string_equal("no library does 'sort', only matmul, fft, linalg", lun_error(e));
    assert_int_equal(LUN_EARG, lun_override(e, "matmul", "mkl"));
    assert_int_equal(LUN_EARG, lun_override(e, NULL, "blas"));
    assert_int_equal(LUN_EARG, lun_override(NULL, "matmul", "blas"));

    snprintf(path, sizeof path, "%s/blas.so", folder);
    assert_int_equal(0, setenv("LUNARRAY_BLAS", path, 1));
    assert_int_equal(LUN_EBACKEND, lun_override(e, "matmul", "blas"));
    assert_non_null(strstr(lun_error(e), "blas.so: not found\nInstall the package libopenblas0"));
    assert_string_equal(LUN_BITS, lun_bits(e));
    assert_true(product(e) == 22);

    make();
    snprintf(path, sizeof path, "%s/./blas.so", folder); /* the failure of the other is kept */
    assert_int_equal(0, setenv("LUNARRAY_BLAS", path, 1));
    assert_int_equal(LUN_OK, lun_override(e, "matmul", "blas"));
    assert_true(product(e) == 7);
    assert_string_equal("none", lun_bits(e));
    assert_string_equal("matmul", lun_override_at(e, 0, &by, &library));
    assert_string_equal("blas", by);
    assert_non_null(strstr(library, "BLAS, /tmp/override_"));
    assert_int_equal(LUN_OK, lun_override(e, "matmul", NULL));
    assert_true(product(e) == 22);
    assert_string_equal(LUN_BITS, lun_bits(e));
    assert_int_equal(LUN_OK, lun_override(e, "matmul", "blas"));
    assert_true(product(e) == 7);
    assert_int_equal(LUN_OK, lun_override(e, "matmul", "own"));
    lun_close(e);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(0, system(path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_override)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
