/* tsan_stack.c - for make tsan alone: frames below main's on ThreadSanitizer's stack of calls.
 * After an error that Lua raised out of an evaluation that stack is one short at the program's end,
 * and archer, called by libomp's exit handler, writes below it, where nothing may be mapped. */
void __tsan_func_entry(void *pc);

__attribute__((constructor, no_sanitize("thread"))) static void lay(void)
{
    for (int i = 0; i < 64; i++)
        __tsan_func_entry(__builtin_return_address(0));
}
