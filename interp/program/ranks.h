/* ranks.h - the program as one of several ranks: threads of it (--ranks), or one of the processes
 * of a launcher. Private to the program. */
#ifndef LUN_PROGRAM_RANKS_H
#define LUN_PROGRAM_RANKS_H

#include <lua.h>

#include "lunarray.h"
#include "program/options.h"

/* Raises errors: makes the engine of L, which has the module, a rank; where it is one of several,
 * print writes whole lines and os.exit ends the rank, in step with the others. self: what
 * lun__ranks_run gave to the protected function, or NULL. */
void lun__rank_begin(lua_State *L, void *self);
/* Raises an error if several ranks have no script: a terminal, or standard input, belongs to one
 * rank. */
void lun__rank_needs_script(lua_State *L);
/* Whether standard input, which launchers connect to rank 0, is the script of several ranks. */
bool lun__rank_shares_input(lua_State *L);
/* As luaL_loadfilex of standard input, on all ranks at once: rank 0 reads it. */
int lun__rank_load(lua_State *L, const char *mode);
/* This rank's script has ended; why: NULL for the last error that was reported. Ranks that serve
 * this one continue, for finalisers, until its engine closes. */
void lun__rank_end(lua_State *L, const char *why);
/* Runs that protected function, with the options and a pointer for lun__rank_begin, in --ranks
 * threads, each with a state of its own. The program's exit code: the first in rank order that is
 * not 0. */
int lun__ranks_run(const lun_options *o, lua_CFunction run);

/* ---- ranks that serve (--backend mpi) ---- */

/* Starts the other ranks of --ranks, threads that serve this one; *own: the configuration of this
 * one, for lun__host_rank. False with a complaint. */
bool lun__rank_servers_start(const lun_options *o, lun_config *own);
/* Joins them; they end with the engine of this rank, or if it cannot be opened. code: the
 * program's. */
void lun__rank_servers_end(int code);
/* Serves as a process of a launcher; the exit code. */
int lun__rank_serve(const lun_options *o);

#endif
