/* flights.c - see flights.h.  Devices run by themselves, and take a launch in parts: while one is
 * given more, another one or the host works. */
#include "launch/flights.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/fetch.h"

enum { KEPT = 16 }; /* flights, at most, whose memory an engine keeps */

lun_status lun__flights_open(lun_engine *e, int places, lun_flights *out)
{
    const bool kept = e->flights && places <= e->flights_room;
    *out = (lun_flights){.e = e, .places = places, .failed = -1};
    out->room = kept ? e->flights_room : places;
    /* bindings, which are large, are opened, not cleared, and their memory is used again */
    out->at = kept ? e->flights : malloc((size_t)places * sizeof *out->at);
    e->flights = kept ? NULL : e->flights;
    for (int k = 0; out->at && k < places; k++) {
        lun_flight *x = &out->at[k];
        x->kernel = NULL;
        x->count = 0;
        x->open = x->under_way = x->ran = false;
        x->failed = LUN_OK;
    }
    return out->at ? LUN_OK : lun__fail_nomem(e);
}

void lun__flight_close(lun_flight *x)
{
    if (x->open)
        lun__bind_close(&x->binding);
    x->open = false;
}

void lun__flights_close(lun_flights *f)
{
    for (int k = 0; f->at && k < f->places; k++)
        lun__flight_close(&f->at[k]);
    if (f->at && !f->e->flights && f->room <= KEPT) {
        f->e->flights = f->at;
        f->e->flights_room = f->room;
    } else {
        free(f->at);
    }
    free(f->text);
}

void lun__flights_fail(lun_flights *f, int k, lun_status s, bool ran)
{
    lun_flight *x = &f->at[k];
    x->under_way = false;
    x->failed = s;
    x->ran = ran;
    if (f->failed >= 0 && f->failed < k)
        return;
    free(f->text); /* others replace the engine's */
    f->text = strdup(lun__strbuf_text(&f->e->error));
    f->failed = k;
}

/* Gives all locations under way more of their launches; whether that was all. */
static bool advance_each(lun_flights *f)
{
    bool all = true;
    for (int k = 0; k < f->places; k++) {
        bool given = true;
        const lun_backend_slot *b = f->at[k].binding.b;
        const lun_status s = f->at[k].under_way && b->can.parts
                                 ? b->backend->wait(b->state, 0, LUN_WAIT_GIVE, &given)
                                 : LUN_OK;
        if (s != LUN_OK)
            lun__flights_fail(f, k, s, true);
        all &= given;
    }
    return all;
}

void lun__flights_begin(lun_flights *f, int k, int64_t count, uint64_t *partials)
{
    lun_flight *x = &f->at[k];
    if (!x->binding.b->can.parts) /* it runs all of its part now: others are to be under way */
        (void)advance_each(f);
    x->count = count;
    x->under_way = true;
    const lun_status s =
        lun__launch_run_submit(f->e, &x->binding, x->kernel, count, 0, count, partials);
    if (s != LUN_OK)
        lun__flights_fail(f, k, s, true);
}

/* Gives them what is left, in turn, so that none waits for another one's end. */
static void advance(lun_flights *f)
{
    struct timespec pause = {.tv_nsec = 20000};
    while (!advance_each(f)) {
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < 1000000 ? 2 * pause.tv_nsec : pause.tv_nsec;
    }
}

void lun__flights_end(lun_flights *f)
{
    advance(f);
    for (int k = 0; k < f->places; k++) {
        lun_flight *x = &f->at[k];
        const lun_status s =
            x->under_way ? lun__launch_run_collect(f->e, &x->binding, x->kernel) : LUN_OK;
        x->under_way = false;
        if (s != LUN_OK)
            lun__flights_fail(f, k, s, true);
    }
}

lun_status lun__flights_failure(lun_flights *f)
{
    const lun_flight *x = f->failed < 0 ? NULL : &f->at[f->failed];
    if (!x)
        return LUN_OK;
    lun__fail_clear(f->e);
    if (f->text && *f->text)
        lun__strbuf_marked(&f->e->error, f->text);
    else if (x->failed == LUN_ENOMEM)
        lun__fail_nomem(f->e);
    return x->ran ? lun__launch_run_failed(f->e, &x->binding, x->failed, x->count) : x->failed;
}
