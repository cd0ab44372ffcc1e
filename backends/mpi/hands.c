/* hands.c - work in another thread; see hands.h. */
#include "mpi/hands.h"

#include "base/clock.h"
#include "base/thread.h"

static void *wait_for_work(void *self)
{
    lun_hands *h = self;
    pthread_mutex_lock(&h->lock);
    while (!h->ends) {
        if (!h->work) {
            pthread_cond_wait(&h->changed, &h->lock);
            continue;
        }
        lun_hands_work *work = h->work;
        pthread_mutex_unlock(&h->lock);
        const lun_status s = work(h->ctx);
        pthread_mutex_lock(&h->lock);
        h->status = s;
        h->work = NULL;
        pthread_cond_broadcast(&h->changed);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

void lun__hands_open(lun_hands *h)
{
    *h = (lun_hands){.started = false};
    pthread_mutex_init(&h->lock, NULL);
    lun__thread_condition(&h->changed);
}

void lun__hands_close(lun_hands *h)
{
    if (h->started) {
        pthread_mutex_lock(&h->lock);
        h->ends = true;
        pthread_cond_broadcast(&h->changed);
        pthread_mutex_unlock(&h->lock);
        pthread_join(h->thread, NULL);
    }
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
}

lun_status lun__hands_do(lun_hands *h, lun_hands_work *work, void *ctx,
                         void (*listen)(void *ctx, const char *what, int64_t done, int64_t total),
                         void *listen_ctx)
{
    const double pace = 0.01; /* seconds between looks at what rank 0 says */
    if (!h->started)
        h->started = lun__thread_start(&h->thread, wait_for_work, h);
    if (!h->started || !listen)
        return work(ctx);
    pthread_mutex_lock(&h->lock);
    h->ctx = ctx;
    h->work = work;
    pthread_cond_broadcast(&h->changed);
    while (h->work) {
        lun__thread_wait(&h->changed, &h->lock, lun__clock_now() + pace);
        pthread_mutex_unlock(&h->lock);
        listen(listen_ctx, "", 0, 0);
        pthread_mutex_lock(&h->lock);
    }
    const lun_status s = h->status;
    pthread_mutex_unlock(&h->lock);
    return s;
}
