/* job.h - one run of the compiler: its files, its process, what it says and makes.  Knows no
 * kernels.
 *
 * Invariant: while busy, source and output are files that process `owner` made and removes; pid
 * > 0 until the compiler was waited for, then 0; pipe >= 0 until its end was read. A child of
 * fork closes and frees its copies and touches neither process nor files. Not busy: pid 0, pipe
 * -1, all else NULL. */
#ifndef LUN_JOB_H
#define LUN_JOB_H

#include <sys/types.h>

#include "base/strbuf.h"
#include "openmp/compiler/compiler.h"

typedef enum lun_job_state {
    LUN_JOB_RUNNING,
    LUN_JOB_DONE,    /* ended well */
    LUN_JOB_UNKNOWN, /* ended; another part of the host took its status */
    LUN_JOB_FAILED,
    LUN_JOB_LATE,   /* has taken too long and was ended */
    LUN_JOB_FOREIGN /* this process is a child of the one that it belongs to */
} lun_job_state;

typedef struct lun_job {
    bool busy;
    pid_t pid, owner; /* the compiler, the process that started it */
    int pipe;         /* its words come from here; -1: closed */
    lun_strbuf words;
    char *source, *output; /* files */
    int64_t started;       /* ns */
} lun_job;

/* Nanoseconds of a clock that only goes forward. */
int64_t lun__job_now(void);

void lun__job_init(lun_job *j);
/* Starts the compiler on a text, with files in scratch; it inherits the descriptors `kept`.
 * polite: at the lowest priority.  errno, 0: well. */
int lun__job_start(lun_job *j, const lun_compiler *c, const char *text, unsigned needs,
                   const char *scratch, unsigned serial, bool polite, const int *kept,
                   int kept_count);
/* Does not wait.  how: "exit status 1", when it failed. */
lun_job_state lun__job_look(lun_job *j, int64_t timeout_ms, char how[64]);
/* Waits a little for words or the end. */
void lun__job_wait(const lun_job *j, int ms);
/* The bytes that it made, for the caller to free; NULL: none. */
char *lun__job_output(const lun_job *j, size_t *length);
/* Seconds that it took.  Its end may be noticed late, so the files that it read and wrote say. */
double lun__job_seconds(const lun_job *j);
/* Ends what still runs, removes the files; nothing of another process' job. */
void lun__job_clear(lun_job *j);

#endif
