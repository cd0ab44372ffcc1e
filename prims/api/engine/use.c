/* use.c - chooses another backend or set of locations, threads, a math mode, a version of the bits;
 * kernels of the others are kept. */
#include "api/engine/use.h"

#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "engine/state.h"
#include "lunarray_bind.h"
#include "math/version.h"

lun_status lun_use(lun_engine *e, const char *places)
{
    LUN_NEED(e, true);
    return lun__set_use(e, places);
}

lun_status lun_use_threads(lun_engine *e, int threads, lun_bind bind)
{
    LUN_NEED(e, true);
    if (threads > LUN_MAX_THREADS)
        return lun__fail(e, LUN_EARG, "%d threads: 1 to %d expected", threads, LUN_MAX_THREADS);
    if ((int)bind < LUN_BIND_AUTO || bind > LUN_BIND_NONE)
        return lun__fail(e, LUN_EARG, "no such bind: LUN_BIND_AUTO, CORES, THREADS or NONE");
    if (threads >= 0) {
        e->services.threads = threads ? threads : e->opened_threads;
        e->services.threads_by = threads ? "lun.use" : e->opened_threads_by;
    }
    e->services.bind = (int)bind;
    return LUN_OK;
}

int lun_used_threads(lun_engine *e, lun_bind *bind)
{
    LUN_NEED_OR(e, 0);
    if (bind)
        *bind = (lun_bind)e->services.bind;
    return e->services.threads;
}

const char *lun_place_name(lun_engine *e, int index)
{
    LUN_NEED_OR(e, NULL);
    const lun_backend_slot *at = index >= 0 ? lun__set_at(e, index) : NULL;
    return at ? at->name : NULL;
}

bool lun_place_stats_get(lun_engine *e, int index, lun_place_stats *out)
{
    LUN_NEED_OR(e, false);
    const lun_backend_slot *at = index >= 0 ? lun__set_at(e, index) : NULL;
    if (!at || !out)
        return at != NULL;
    const lun_place_stats all = {.launches = e->stats.launches,
                                 .moves = e->stats.moves,
                                 .bytes_moved = e->stats.bytes_moved,
                                 .bytes_to_device = e->stats.bytes_to_device,
                                 .bytes_to_host = e->stats.bytes_to_host,
                                 .merges = e->stats.merges,
                                 .bytes_exchanged = e->stats.bytes_exchanged};
    lun__sized_give(out, e->set_count ? at->counted : &all,
                    sizeof *out); /* a single location has all of it */
    return true;
}

void lun_block_all(lun_engine *e, bool on)
{
    LUN_NEED_OR(e, );
    e->block_all = on;
}

lun_status lun_math_mode(lun_engine *e, lun_math mode)
{
    LUN_NEED(e, true);
    if (mode != LUN_MATH_FAST && mode != LUN_MATH_PRECISE)
        return lun__fail(e, LUN_EARG, "math mode must be fast or precise");
    e->math = e->services.math = (int)mode;
    return LUN_OK;
}

const char *lun_bits(const lun_engine *e)
{
    LUN_NEED_OR(e, "");
    return e->overridden ? "none" : lun__backend_bits(&e->services);
}

/* Of a version that is not known. */
static lun_status unknown_bits(lun_engine *e, const char *version, const char *variable)
{
    lun_strbuf list = LUN_STRBUF_INIT;
    lun__version_list(&list);
    lun_status s = lun__fail(e, LUN_EARG, "%sno version of bits '%s': this library knows %s",
                             variable, version, lun__strbuf_text(&list));
    lun__strbuf_free(&list);
    return s;
}

lun_status lun_set_bits(lun_engine *e, const char *version)
{
    LUN_NEED(e, version);
    const char *known = lun__version_find(version);
    if (!known)
        return unknown_bits(e, version, "");
    if (e->kernels && known != e->services.bits)
        return lun__fail(e, LUN_EARG, "bits %s are chosen before the first kernel, which has %s",
                         known, e->services.bits);
    e->services.bits = known;
    return LUN_OK;
}

lun_status lun__use_bind_wanted(lun_engine *e, int *out)
{
    static const char *const words[] = {"auto", "cores", "threads", "none"};
    const char *s = getenv("LUNARRAY_BIND");
    *out = LUN_BIND_AUTO;
    for (int i = 0; s && i < (int)(sizeof words / sizeof *words); i++)
        if (!strcmp(s, words[i])) {
            *out = i;
            return LUN_OK;
        }
    return s && *s ? lun__fail(e, LUN_EARG,
                               "LUNARRAY_BIND must be auto, cores, threads or none, not '%s'", s)
                   : LUN_OK;
}

lun_status lun__use_bits_wanted(lun_engine *e, const char **out)
{
    const char *s = getenv("LUNARRAY_BITS");
    *out = lun__version_find(s && *s ? s : LUN_BITS);
    return *out ? LUN_OK : unknown_bits(e, s, "LUNARRAY_BITS: ");
}
