/* f64_wide.h - functions in f64 that neither libmvec nor the C library has within 2 ULP, for
 * instruction sets without fused multiply-add: by the C library's long double functions, lane by
 * lane; a part of f64_intrinsics.c. vecmath_table.c's table refers to them. */

#define WIDE(name)                                           \
    vector_f64 JOIN3(lun__f64, name, LUN_ISA)(vector_f64 x); \
    vector_f64 JOIN3(lun__f64, name, LUN_ISA)(vector_f64 x)  \
    {                                                        \
        for (int l = 0; l < BYTES / 8; l++)                  \
            x[l] = (double)name##l((long double)x[l]);       \
        return x;                                            \
    }

WIDE(cbrt)
WIDE(tanh)
WIDE(erfc)

#undef WIDE
