/* protected_call.c - protected calls as a stand-alone interpreter makes them: traceback, Ctrl-C,
 * messages on stderr, for the command line and the interactive mode.
 *
 * Invariant: the state here is that of the process, since a signal handler gets no argument. `top`
 * is the list of running Lua threads while a call runs, else NULL; only the thread of the calls
 * changes it. The handler sets `asked` and `noted`, that thread clears them. The handler is
 * installed while a call runs, in a session always. */
#include "program/protected_call.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <lauxlib.h>

#include "bind/host/bind.h"
#include "program/advice.h"
#include "program/errors_json.h"
#include "state/sandbox.h"
#include "state/traceback.h"

/* ---- what a signal handler must know --------------------------------------------------------- */

/* The running Lua threads, innermost first; the list is on the C stack. */
typedef struct frame {
    lua_State *L;
    struct frame *below;
} frame;

/* `top` is set only while a call runs, and only in the program: the library never touches
 * signals. */
static frame *volatile top;
static lun_engine *volatile engine;
static volatile sig_atomic_t in_session; /* see lun__call_session_begin */
static volatile sig_atomic_t asked;      /* Ctrl-C was pressed during this call */
static volatile sig_atomic_t noted;      /* Ctrl-C was pressed while nothing ran */
static pthread_t session_thread;         /* that of the prompt */
static struct timespec asked_at;
static int patience; /* instructions until a session's next "interrupted!" */

/* After the first "interrupted!" a script may clean up for so many instructions. */
enum { PATIENCE = 1 << 14 };

static void on_signal(int number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* ---- the hook -------------------------------------------------------------------------------- */

/* A script may catch "interrupted!" once and go on. In a session it is raised again, after half as
 * many instructions each time, until the whole input has ended. */
static void raise_interrupt(lua_State *L, lua_Debug *where)
{
    if (!in_session || !top || !asked) {
        lua_sethook(L, NULL, 0, 0);
        if (!top)
            return;
        if (engine) { /* the script may catch it, and evaluate again */
            lun_host_end(engine);
            lun_host_begin(engine);
        }
    } else {
        lua_sethook(L, raise_interrupt, LUA_MASKCOUNT, patience);
        patience = patience > 1 ? patience / 2 : 1;
    }
    /* As in Lua, without a line where a C function has called the one that is interrupted, which
     * an error of that one would have (bind/host/blame.h). */
    lua_Debug caller;
    if (lua_getinfo(L, "S", where) && where->what[0] == 'C' && lua_getstack(L, 1, &caller) &&
        lua_getinfo(L, "S", &caller) && caller.what[0] == 'C') {
        lua_pushliteral(L, "interrupted!");
        lua_error(L);
    }
    luaL_error(L, "interrupted!");
}

static void set_hook(lua_State *L)
{
    lua_sethook(L, raise_interrupt, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

static void clear_hook(lua_State *L)
{
    if (lua_gethook(L) == raise_interrupt)
        lua_sethook(L, NULL, 0, 0);
}

/* The first Ctrl-C asks the script to stop at its next instruction; a second one ends the process
 * by the default action, even if no Lua instruction runs. lua_sethook is safe here. */
static void interrupt_script(int number)
{
    int error = errno;
    on_signal(number, SIG_DFL, 0);
    asked = 1;
    if (top) {
        set_hook(top->L);
        if (engine)
            lun_cancel(engine);
    }
    errno = error;
}

static void interrupt_session(int number)
{
    int error = errno;
    struct timespec now;
    if (!pthread_equal(pthread_self(),
                       session_thread)) { /* a thread of a library: it may wait for a key */
        pthread_kill(session_thread, number);
        errno = error;
        return;
    }
    if (!top) {
        noted = 1;
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since =
        (double)(now.tv_sec - asked_at.tv_sec) + 1e-9 * (double)(now.tv_nsec - asked_at.tv_nsec);
    if (asked && since < 1) {
        (void)!write(STDERR_FILENO, "\n", 1);
        _exit(128 + SIGINT);
    }
    asked_at = now;
    asked = 1;
    for (frame *f = top; f; f = f->below)
        set_hook(f->L);
    if (engine)
        lun_cancel(engine);
    errno = error;
}

/* ---- coroutines ------------------------------------------------------------------------------ */

/* The program is linked so that Lua's own library calls this instead of lua_resume: a hook acts on
 * one Lua thread, so the running one must be known. */
int __real_lua_resume(lua_State *L, lua_State *from, int nargs, int *nresults);
int __wrap_lua_resume(lua_State *L, lua_State *from, int nargs, int *nresults);

int __wrap_lua_resume(lua_State *L, lua_State *from, int nargs, int *nresults)
{
    if (!top)
        return __real_lua_resume(L, from, nargs, nresults);
    frame here = {L, top};
    top = &here;
    int status = __real_lua_resume(L, from, nargs, nresults);
    top = here.below;
    clear_hook(L);
    return status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int protected(lua_State *L, int nargs, int nresults, int handler)
{
    frame here = {L, NULL};
    asked = 0;
    patience = PATIENCE;
    engine = lun__host_engine(L);
    lun_engine *taken = NULL;
    if (engine) {
        (void)lun_thread_enter(engine, &taken); /* once for all that the script calls */
        lun_host_begin(engine);                 /* a cancellation holds until the end of the call */
    }
    top = &here;
    int status = lua_pcall(L, nargs, nresults, handler);
    top = NULL;
    lun_engine *e = lun__host_engine(L); /* a script may have closed it */
    if (engine && e == engine) {
        lun_host_end(e);
        lun_thread_leave(&taken);
    }
    if (e && status != LUA_OK && asked && !in_session)
        lun_cancel(e); /* the program ends now, and nothing waits for a compiler */
    clear_hook(L);
    return status;
}

/* Makes text of an error object and appends the traceback; a value with __tostring is described by
 * that. */
int lun__call_describe(lua_State *L)
{
    if (lun__errors_json_on()) {
        lun__errors_json_push(L);
        return 1;
    }
    const char *text = lua_tostring(L, 1);
    if (text) {
        lun__advice_error(L);
        text = lua_tostring(L, 1);
    } else {
        if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING)
            return 1;
        text = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
    }
    lun__traceback(L, text, 1);
    return 1;
}

/* The running thread is one of several that run scripts. */
static _Thread_local bool is_rank, is_leaving;

void lun__call_as_rank(void)
{
    is_rank = true;
}

void lun__call_leaves(void)
{
    is_leaving = true;
}

int lun__call(lua_State *L, int nargs, int nresults)
{
    return lun__call_with(L, nargs, nresults, lun__call_describe);
}

int lun__call_with(lua_State *L, int nargs, int nresults, lua_CFunction describe)
{
    int status, handler = lua_gettop(L) - nargs;
    lua_pushcfunction(L, describe);
    lua_insert(L, handler);
    if (is_rank) {
        status = lua_pcall(L, nargs, nresults, handler);
    } else {
        on_signal(SIGINT, interrupt_script, 0);
        status = protected(L, nargs, nresults, handler);
        on_signal(SIGINT, SIG_DFL, 0);
    }
    lua_remove(L, handler);
    return status;
}

void lun__call_session_begin(void)
{
    in_session = 1;
    noted = 0;
    session_thread = pthread_self();
    on_signal(SIGINT, interrupt_session, 0);
}

void lun__call_session_end(void)
{
    on_signal(SIGINT, SIG_DFL, 0);
    in_session = 0;
}

int lun__call_input(lua_State *L, int nargs, int nresults, int handler, bool *interrupted)
{
    int status = protected(L, nargs, nresults, handler);
    *interrupted = asked != 0;
    asked = 0;
    return status;
}

void lun__call_forget_interrupt(lua_State *L)
{
    clear_hook(L);
}

bool lun__call_was_interrupted(void)
{
    bool was = noted != 0;
    noted = 0;
    return was;
}

/* ---- messages -------------------------------------------------------------------------------- */

void lun__call_complain(const char *program, const char *message)
{
    if (lun__errors_json_on()) {
        lun__errors_json_write("error", "runtime", message);
        return;
    }
    /* in one call: other ranks write at the same time */
    const char *format = program ? "%s: %s\n" : "%s%s\n", *name = program ? program : "";
    const int length = snprintf(NULL, 0, format, name, message);
    char *text = length > 0 ? malloc((size_t)length + 1) : NULL;
    if (text) {
        snprintf(text, (size_t)length + 1, format, name, message);
        fwrite(text, 1, (size_t)length, stderr);
        free(text);
    } else {
        fprintf(stderr, format, name, message);
    }
    fflush(stderr);
}

/* The first line of the running thread's last message. Nothing of it is in Lua: outside of
 * protected calls, where messages are written, Lua ends the process if it has no memory. */
static _Thread_local char last[256];

/* The code of an error of Lua's that no handler has described. */
static const char *code_of(int status)
{
    return status == LUA_ERRSYNTAX ? "syntax" : status == LUA_ERRMEM ? "memory" : "runtime";
}

int lun__call_report(lua_State *L, const char *program, int status)
{
    if (status == LUA_OK)
        return status;
    if (!is_leaving) {
        /* strings only: lua_tostring would allocate strings for numbers */
        const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1)
                                                             : "(error message is not a string)";
        if (status == LUA_ERRMEM && lun__sandbox_refused(L))
            message = "memory limit reached";
        if (lun__errors_json_on())
            lun__errors_json_write("error", code_of(status), message);
        else
            lun__call_complain(program, message);
        snprintf(last, sizeof last, "%.*s", (int)strcspn(message, "\n"), message);
    }
    lua_pop(L, 1);
    return status;
}

const char *lun__call_last_report(void)
{
    return last;
}
