/* user_text.c - the texts of a user's C functions in the generated one. */
#include "render/user/user_text.h"

#include "render/user/faults.h"

void lun__user_texts(lun_renderer *r, lun_strbuf *out)
{
    bool first = true;
    for (int i = 0; i < r->ir->function_count; i++) {
        const char *text = r->ir->functions[i]->text;
        if (!text)
            continue;
        if (first) {
            r->dialect->prelude(r, out);
            lun__faults_write(r, out);
            lun__user_atomics(r, out);
            r->libs |= LUN_RENDER_USER;
        }
        first = false;
        lun__strbuf_printf(out, "#line 1 \"C function\"\n%s\n", text);
    }
    lun__strbuf_puts(out, lun__strbuf_text(&r->after));
    if (!first)
        lun__strbuf_puts(out, "#line 1 \"kernel\"\n");
}
