/* isa.h - the vector instructions of this machine that the build has loops and kernels for. */
#ifndef LUN_ISA_H
#define LUN_ISA_H

typedef enum lun_isa { LUN_ISA_BASE, LUN_ISA_AVX2, LUN_ISA_AVX512 } lun_isa;

/* What this CPU can run, limited to what the build contains and to LUNARRAY_ISA; the same for
 * the whole life of the process. */
lun_isa lun__isa_here(void);
/* Bytes of a native vector: 16, 32 or 64. */
int lun__isa_bytes(lun_isa isa);
/* "base", "avx2" or "avx512", the words of LUNARRAY_ISA. */
const char *lun__isa_name(lun_isa isa);

#endif
