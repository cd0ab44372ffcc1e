/* cfunction_fuzz.c - for libFuzzer: any text is a C function or refused with a
 * reason, at no harm. */
#include <stdlib.h>
#include <string.h>

#include "ctext/text_function.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = malloc(size + 1);
    lun_ir_function *f = NULL;
    lun_strbuf error = LUN_STRBUF_INIT;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    lun_status s = lun__cfunc_parse(text, false, &f, NULL, &error);
    if (s == LUN_OK)
        lun__cwrite_function_free(f);
    else if (!error.length && s != LUN_ENOMEM)
        abort(); /* refused without a reason */
    lun__strbuf_free(&error);
    free(text);
    return 0;
}
