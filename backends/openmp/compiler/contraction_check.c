/* contraction_check.c - see jit_run.h.  gcc from 12 on makes these instructions of sums
 * and differences side by side, in spite of -ffp-contract=off, and has no option against it.
 * Generated text has a barrier around products; a user's C function stays as it is, so its code is
 * read.
 *
 * The bytes are searched, not decoded: where they mean something else a kernel loses the
 * vectors of the compiler's making, no result changes. */
#include "openmp/compiler/jit_run.h"

#include <link.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
/* The opcodes 96, 97, a6, a7, b6, b7 of the map 0f38 with the prefix 66, behind VEX or EVEX. */
static bool is_one(const unsigned char *p, size_t left)
{
    const unsigned char *opcode = p[0] == 0xc4 ? p + 3 : p + 4;
    if ((size_t)(opcode - p) >= left)
        return false;
    bool known = (*opcode >> 4 == 9 || *opcode >> 4 == 0xa || *opcode >> 4 == 0xb) &&
                 (*opcode & 0xe) == 6 && (p[2] & 3) == 1;
    return known && (p[0] == 0xc4 ? (p[1] & 0x1f) == 2 : (p[1] & 0xf) == 2 && (p[2] & 4));
}

static bool has_one(const unsigned char *code, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((code[i] == 0xc4 || code[i] == 0x62) && is_one(code + i, length - i))
            return true;
    return false;
}

bool lun__contraction_check(const void *bytes, size_t length)
{
    const unsigned char *file = bytes;
    ElfW(Ehdr) e;
    if (length < sizeof e)
        return false;
    memcpy(&e, file, sizeof e);
    for (int i = 0; i < e.e_phnum; i++) {
        ElfW(Phdr) p;
        memcpy(&p, file + e.e_phoff + (size_t)i * sizeof p, sizeof p);
        if (p.p_type == PT_LOAD && (p.p_flags & PF_X) && has_one(file + p.p_offset, p.p_filesz))
            return true;
    }
    return false;
}
#else
bool lun__contraction_check(const void *bytes, size_t length)
{
    (void)bytes;
    (void)length;
    return false;
}
#endif
