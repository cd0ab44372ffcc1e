/* log.h - messages that are no failure of a call. */
#ifndef LUN_LOG_H
#define LUN_LOG_H

#include <pthread.h>
#include <stdbool.h>

#include "lunarray.h"

/* Who receives messages. Invariant: `lock` is held while `call` is called, and while it and what
 * belongs to it change; `plain` never changes. */
typedef struct lun_logger {
    pthread_mutex_t lock;
    void (*plain)(void *ctx, const char *text); /* lun_config.log */
    void *plain_ctx;
    lun_log_level most; /* of call, NULL: nobody */
    void (*call)(void *ctx, lun_log_level level, const char *subject, const char *text);
    void *ctx;
} lun_logger;

void lun__log_open(lun_logger *l, void (*plain)(void *ctx, const char *text), void *plain_ctx);
void lun__log_close(lun_logger *l);
/* Whether somebody receives messages of that level. From any thread, as all of these. */
bool lun__log_is_read(lun_logger *l, lun_log_level level);
void lun__log(lun_logger *l, lun_log_level level, const char *subject, const char *text);
/* A warning about kernels, or about the cache, with the logger as ctx. */
void lun__log_compile(void *l, const char *text);
void lun__log_cache(void *l, const char *text);

#endif
