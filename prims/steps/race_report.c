/* race_report.c - see race_report.h.  Knows no launch. */
#include "steps/race_report.h"

/* "A[2][3]": of memory of a team the element within that. */
static void put_element(const lun_team_run *r, const lun_races *races, lun_strbuf *out)
{
    const int slot = races->at;
    int64_t place = races->element;
    lun__strbuf_puts(out, r->names ? r->names[slot] : "an array");
    if (slot >= r->first && slot < r->first + r->scratches) {
        lun__strbuf_printf(out, "[" LUN_NTH_LONG "]",
                           (long long)(place % r->scratch[slot - r->first].count));
        return;
    }
    const lun_node *n = r->arrays[slot];
    int64_t below = n->n, shape[LUN_MAX_RANK];
    lun__node_shape(n, shape);
    for (int k = 0; k < n->rank; k++) {
        below /= shape[k];
        lun__strbuf_printf(out, "[" LUN_NTH_LONG "]", (long long)(place / below));
        place %= below;
    }
}

lun_status lun__explain_race(lun_engine *e, const lun_team_run *r, const lun_races *races)
{
    static const char *const does[] = {"written", "read", "changed at once"};
    const int64_t lanes = races->lanes;
    long long thread[2], team[2];
    lun_strbuf text = LUN_STRBUF_INIT;
    for (int k = 0; k < 2; k++) {
        thread[k] = races->thread[k] % lanes;
        team[k] = races->thread[k] / lanes;
    }
    put_element(r, races, &text);
    lun__strbuf_printf(&text, " is %s by thread", does[races->kind[0]]);
    if (team[0] != team[1])
        lun__strbuf_printf(&text, " " LUN_NTH_LONG " of team " LUN_NTH_LONG " and", thread[0],
                           team[0]);
    else if (races->kind[0] == races->kind[1])
        lun__strbuf_printf(&text, "s " LUN_NTH_LONG " and " LUN_NTH_LONG " of team " LUN_NTH_LONG,
                           thread[0], thread[1], team[1]);
    else
        lun__strbuf_printf(&text, " " LUN_NTH_LONG " and", thread[0]);
    if (races->kind[0] != races->kind[1])
        lun__strbuf_printf(&text, " %s by thread", does[races->kind[1]]);
    else if (team[0] != team[1])
        lun__strbuf_puts(&text, " thread");
    if (team[0] != team[1] || races->kind[0] != races->kind[1])
        lun__strbuf_printf(&text, " " LUN_NTH_LONG " of team " LUN_NTH_LONG, thread[1], team[1]);
    lun__fail(e, LUN_EARG, "%s", lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return LUN_EARG;
}
