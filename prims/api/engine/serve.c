/* serve.c - a rank that serves rank 0, which has the script: an engine of its own, whose backend
 * does what rank 0 asks for. */
#include <stdlib.h>

#include "api/array/api.h"
#include "base/sized.h"
#include "engine/state.h"
#include "lunarray_bind.h"
#include "ranks/ranks.h"

/* An engine that computes by LUNARRAY_RANK_BACKEND, or the best of this machine.  *why: that this
 * cannot be used here; the engine has another one then, to tell rank 0 of it. */
static lun_status open_engine(const lun_config *config, lun_engine **out, lun_strbuf *why)
{
    lun_config c = {.size = sizeof c};
    const char *by = getenv("LUNARRAY_RANK_BACKEND");
    if (config)
        lun__sized_take(&c, config, sizeof c);
    c.backend = by ? by : "";
    lun_status s = lun_names_ranks(c.backend) ? LUN_EARG : lun_open(&c, out);
    if (s == LUN_OK)
        return s;
    if (*c.backend)
        lun__strbuf_printf(why, "LUNARRAY_RANK_BACKEND=%s: ", c.backend);
    lun__strbuf_puts(why, lun_names_ranks(c.backend) ? "a rank computes by another one"
                                                     : lun_error(NULL));
    c.backend = "reference"; /* ignores the environment, which may be what failed */
    c.cache_dir = "";
    c.jit = LUN_JIT_OFF;
    c.threads = c.kernels = 1;
    c.kernel_memory = c.cache_size = 1 << 20;
    return lun_open(&c, out);
}

/* why: that this rank cannot compute. */
static lun_status serve_by(lun_engine *e, const lun_backend_slot *by, const char *why)
{
    const lun_backend *ranks = NULL;
    if (e->services.link->rank == 0)
        return lun__fail(e, LUN_EARG, "rank 0 has the script: it opens an engine with backend mpi");
    for (int i = 0; i < e->backend_count; i++)
        if (e->backends[i]->backend->remote)
            ranks = e->backends[i]->backend;
    if (*why)
        return lun__fail(e, LUN_EBACKEND, "%s", why);
    return ranks ? ranks->remote->serve(&e->services, by->backend, by->device)
                 : lun__fail(e, LUN_EBACKEND, "no backend of this build serves");
}

static lun_status serve(lun_engine *e, const char *why)
{
    lun_backend_slot *by = e->backends[e->current];
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status s = lun__backend_for_rank(e, &by); /* before MPI starts, since drivers may fork */
    lun__strbuf_puts(&text, s == LUN_OK ? why : lun__fail_error_text(e));
    s = lun__ranks_link(e);
    if (s == LUN_OK)
        s = serve_by(e, by, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return s;
}

lun_status lun_serve(const lun_config *config)
{
    lun_engine *e = NULL;
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_status s = open_engine(config, &e, &why);
    if (s == LUN_OK) {
        s = serve(e, lun__strbuf_text(&why));
        lun__strbuf_clear(&why);
        if (s != LUN_OK)
            lun__strbuf_puts(&why, lun__fail_error_text(e));
        (void)lun_spmd_end(e, s == LUN_OK ? NULL : lun__strbuf_text(&why));
        lun_close(e);
        lun__fail_open(lun__strbuf_text(&why));
    }
    lun__strbuf_free(&why);
    return s;
}
