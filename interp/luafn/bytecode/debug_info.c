/* debug_info.c - source lines and names of a script, for messages. */
#include "luafn/bytecode/debug_info.h"

#include <stdarg.h>
#include <string.h>

int luafn_debug_line(const lf_proto *p, int pc)
{
    return p->line && pc >= 0 && pc < p->codes ? p->line[pc] : p->line_defined;
}

/* The chunk's name as Lua's messages show it. */
static void put_source(const char *source, lun_strbuf *out)
{
    if (!source) {
        lun__strbuf_puts(out, "?");
    } else if (*source == '@' || *source == '=') {
        lun__strbuf_puts(out, source + 1);
    } else {
        size_t n = strcspn(source, "\n");
        bool cut = n > 40 || source[n] != 0;
        if (n > 40)
            n = 40;
        lun__strbuf_puts(out, "[string \"");
        lun__strbuf_add(out, source, n);
        lun__strbuf_puts(out, cut ? "...\"]" : "\"]");
    }
}

void luafn_debug_where(const lf_proto *p, int pc, lun_strbuf *out)
{
    put_source(p ? p->source : NULL, out);
    lun__strbuf_printf(out, ":%d", p ? luafn_debug_line(p, pc) : 0);
}

/* The last local variable that has begun at pc, or -1: they are in the order of their first
 * instructions. */
static int last_begun(const lf_proto *p, int pc)
{
    int low = 0, high = p->locals;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->local[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

const char *luafn_debug_local_name(const lf_proto *p, int reg, int pc)
{
    int last = last_begun(p, pc), alive = 0;
    for (int i = last; i >= 0; i = p->local[i].below)
        alive += pc < p->local[i].end;
    for (int i = last; i >= 0; i = p->local[i].below)
        if (pc < p->local[i].end && --alive == reg) {
            const char *name = p->local[i].name;
            return name && *name != '(' ? name : NULL;
        }
    return NULL;
}

void luafn_debug_fail(lf_unit *u, const lf_proto *p, int pc, const char *format, ...)
{
    va_list args;
    u->status = LUN_EARG;
    lun__strbuf_clear(u->error);
    luafn_debug_where(p, pc, u->error);
    lun__strbuf_puts(u->error, ": ");
    va_start(args, format);
    lun__strbuf_vprintf(u->error, format, args);
    va_end(args);
    if (u->error->failed)
        u->status = LUN_ENOMEM;
    longjmp(u->escape, 1);
}
