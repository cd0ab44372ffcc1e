/* override.c - libraries of the system in place of an algorithm, where a user asks for it; see
 * lun_override and lun__overrides_all. */
#include <stdio.h>
#include <string.h>

#include "engine/state.h"

static bool is_own(const char *by)
{
    return !by || strcmp(by, "own") == 0;
}

/* Appends what stands in the rows, of one algorithm what does it, each name once. */
static void list_names(lun_strbuf *out, const char *algorithm)
{
    const char *last = "";
    for (int k = 0; k < LUN_OVERRIDES; k++) {
        const lun_override_row *row = &lun__overrides_all[k];
        const char *name = algorithm ? row->by : row->algorithm;
        if ((algorithm && strcmp(row->algorithm, algorithm)) || strcmp(name, last) == 0)
            continue;
        lun__strbuf_printf(out, "%s%s", *last ? ", " : "", name);
        last = name;
    }
}

static lun_status fail_unknown(lun_engine *e, const char *algorithm, const char *by)
{
    lun_strbuf names = LUN_STRBUF_INIT;
    list_names(&names, by ? algorithm : NULL);
    const char *list = lun__strbuf_text(&names);
    const lun_status s =
        by ? lun__fail(e, LUN_EARG, "no library '%s' does %s, only %s; \"own\": the engine itself",
                       by, algorithm, list)
           : lun__fail(e, LUN_EARG, "no library does '%s', only %s", algorithm, list);
    lun__strbuf_free(&names);
    return s;
}

/* In the words of the backend that could not be opened. */
static lun_status fail_open(lun_engine *e)
{
    lun_strbuf why = LUN_STRBUF_INIT;
    lun__strbuf_puts(&why, e->error.length ? e->error.text : "out of memory");
    const lun_status s = lun__fail_text(e, LUN_EBACKEND, lun__strbuf_text(&why));
    lun__strbuf_free(&why);
    return s;
}

lun_status lun_override(lun_engine *e, const char *algorithm, const char *by)
{
    LUN_NEED(e, algorithm);
    unsigned rows = 0, chosen = 0;
    for (int k = 0; k < LUN_OVERRIDES; k++) {
        const lun_override_row *row = &lun__overrides_all[k];
        rows |= strcmp(row->algorithm, algorithm) ? 0 : 1u << k;
        chosen |=
            strcmp(row->algorithm, algorithm) || is_own(by) || strcmp(row->by, by) ? 0 : 1u << k;
    }
    if (!rows || (!chosen && !is_own(by)))
        return fail_unknown(e, algorithm, rows ? by : NULL);
    if (chosen && e->sandbox && e->stretch)
        return lun__fail(e, LUN_EBACKEND, "a script in a sandbox opens no library for %s",
                         algorithm);
    for (int k = 0; k < LUN_OVERRIDES; k++)
        if (chosen >> k & 1 && lun__backend_override(e, k) != LUN_OK)
            return fail_open(e);
    e->overridden = (e->overridden & ~rows) | chosen;
    return LUN_OK;
}

const char *lun_override_at(lun_engine *e, int index, const char **by, const char **library)
{
    LUN_NEED_OR(e, NULL);
    if (index < 0 || index >= LUN_OVERRIDES)
        return NULL;
    const lun_backend_slot *b = &e->overrides[index];
    const bool on = e->overridden >> index & 1;
    lun_device row = {0};
    if (on)
        (void)b->backend->devices(&e->services, b->state, &row, 1);
    if (by)
        *by = on ? b->backend->name : "own";
    if (library && on)
        snprintf(e->override_text, sizeof e->override_text, "%s, %s", row.name, row.machine);
    if (library)
        *library = on ? e->override_text : NULL;
    return lun__overrides_all[index].algorithm;
}
