/* spawn.h - a program run as a child process, without a shell: started, looked after, ended. */
#ifndef LUN_SPAWN_H
#define LUN_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/strbuf.h"

enum { LUN_SPAWN_WORDS = 64 << 10 }; /* bytes kept of what a program says */

typedef enum lun_spawn_state {
    LUN_SPAWN_RUNNING,
    LUN_SPAWN_DONE,   /* ended with status 0 */
    LUN_SPAWN_FAILED, /* ended otherwise */
    LUN_SPAWN_UNKNOWN /* ended, but another part of the host took its status */
} lun_spawn_state;

/* The file that a name means, as a shell would find it; NULL: there is none that can be run. */
char *lun__spawn_find(const char *name);

/* Starts path with argv in a process group of its own: nothing to read, temporary files in
 * `temporary`, messages in English; it inherits the descriptors `kept`.  *pipe is the end from
 * which its words come, not blocking.  errno, 0: well. */
int lun__spawn_start(const char *path, char *const *argv, const char *temporary, const int *kept,
                     int kept_count, pid_t *pid, int *pipe);
/* Reads the output so far, keeps at most LUN_SPAWN_WORDS; closes *pipe at its end (-1). */
void lun__spawn_listen(int *pipe, lun_strbuf *words);
/* Lets the program and what it starts give way to others. */
void lun__spawn_yield(pid_t pid);
/* Does not wait.  how: "exit status 1", when it has ended. */
lun_spawn_state lun__spawn_look(pid_t pid, char how[64]);
/* Ends the whole group and waits for it. */
void lun__spawn_end(pid_t pid);
/* Waits a little for words or the end. */
void lun__spawn_pause(int pipe, int ms);

#endif
