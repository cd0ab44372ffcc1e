/* text_functions.h - text_functions.def expanded: functions of one text. */
#ifndef LUN_TEXT_FUNCTIONS_H
#define LUN_TEXT_FUNCTIONS_H

#include "base/strbuf.h"
#include "lunarray_bind.h"
#include "text/texts.h"

typedef enum lun_text_result {
    LUN_TEXT_RESULT_TEXT,
    LUN_TEXT_RESULT_I64,
    LUN_TEXT_RESULT_F64,
    LUN_TEXT_RESULT_BOOL
} lun_text_result;

/* One value and the arguments of the call; the result: a text in out (cleared before), or number;
 * missing: there is none.  Where it is no text, out is room for the function. */
typedef struct lun_text_call {
    const char *s;
    int64_t n;
    lun_string text[2];
    int64_t number[2];
    lun_strbuf out;
    int64_t result;
    bool missing;
} lun_text_call;

typedef struct lun_text_function {
    lun_text_function_info info;
    lun_text_result result;
    void (*run)(lun_text_call *c);
} lun_text_function;

/* The row of that number; NULL past the last one. */
const lun_text_function *lun__text_functions_row(int which);

#define LUN_TEXT_FUNCTION(name, result, texts, numbers, doc) \
    void lun__text_run_##name(lun_text_call *c);
#include "text/text_functions.def"
#undef LUN_TEXT_FUNCTION

#endif
