/* hands.h - a thread that does what may last, while the one that serves listens: what rank 0 says
 * meanwhile may stop it.  Knows no request. */
#ifndef LUN_MPI_HANDS_H
#define LUN_MPI_HANDS_H

#include <pthread.h>

#include "backend.h"

typedef lun_status lun_hands_work(void *ctx);

typedef struct lun_hands {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    lun_hands_work *work; /* to be done; NULL: nothing, or it has been done */
    void *ctx;
    lun_status status; /* of what was done last */
    bool started, ends;
} lun_hands;

void lun__hands_open(lun_hands *h);
void lun__hands_close(lun_hands *h);
/* Does the work there, and listens; here, where there is no thread for it. */
lun_status lun__hands_do(lun_hands *h, lun_hands_work *work, void *ctx,
                         void (*listen)(void *ctx, const char *what, int64_t done, int64_t total),
                         void *listen_ctx);

#endif
