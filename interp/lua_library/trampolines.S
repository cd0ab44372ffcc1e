/* trampolines.S - Lua's functions in the shared library, hidden: jumps to those that find.c found.  Jumps,
 * since some take any number of arguments. */
#if defined __x86_64__
#define LUA(name)               \
    .globl name;                \
    .hidden name;               \
    .type name, @function;      \
    .balign 16;                 \
name:                           \
    jmp *lun__to_##name(%rip);  \
    .size name, .- name;
#elif defined __aarch64__
#define LUA(name)                        \
    .globl name;                         \
    .hidden name;                        \
    .type name, %function;               \
    .balign 16;                          \
name:                                    \
    adrp x16, lun__to_##name;            \
    ldr x16, [x16, :lo12:lun__to_##name]; \
    br x16;                              \
    .size name, .- name;
#endif

    .text
#include "lua_names.h"

    .section .note.GNU-stack, "", %progbits
