/* log.c - see log.h. */
#include "engine/log.h"

#include "engine/failure.h"
#include "engine/state.h"
#include "lunarray_bind.h"

void lun__log_open(lun_logger *l, void (*plain)(void *ctx, const char *text), void *plain_ctx)
{
    *l = (lun_logger){.plain = plain, .plain_ctx = plain_ctx};
    pthread_mutex_init(&l->lock, NULL);
}

void lun__log_close(lun_logger *l)
{
    pthread_mutex_destroy(&l->lock);
}

bool lun__log_is_read(lun_logger *l, lun_log_level level)
{
    pthread_mutex_lock(&l->lock);
    const bool read = (l->plain && level <= LUN_LOG_INFO) || (l->call && level <= l->most);
    pthread_mutex_unlock(&l->lock);
    return read;
}

void lun__log(lun_logger *l, lun_log_level level, const char *subject, const char *text)
{
    if (l->plain && level <= LUN_LOG_INFO)
        l->plain(l->plain_ctx, text);
    pthread_mutex_lock(&l->lock);
    if (l->call && level <= l->most)
        l->call(l->ctx, level, subject, text);
    pthread_mutex_unlock(&l->lock);
}

void lun__log_compile(void *l, const char *text)
{
    lun__log(l, LUN_LOG_WARN, "compile", text);
}

void lun__log_cache(void *l, const char *text)
{
    lun__log(l, LUN_LOG_WARN, "cache", text);
}

void lun_host_log(lun_engine *e, lun_log_level level, const char *subject, const char *text)
{
    if (e && subject && text)
        lun__log(&e->logger, level, subject, text);
}

lun_status lun_on_log(lun_engine *e, lun_log_level most,
                      void (*call)(void *ctx, lun_log_level level, const char *subject,
                                   const char *text),
                      void *ctx)
{
    LUN_NEED(e, (unsigned)most <= LUN_LOG_DEBUG);
    lun_logger *l = &e->logger;
    pthread_mutex_lock(&l->lock);
    l->most = most;
    l->call = call;
    l->ctx = ctx;
    pthread_mutex_unlock(&l->lock);
    return LUN_OK;
}
