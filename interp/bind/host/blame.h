/* blame.h - errors name the function that the script called and the script's source line, though
 * the check may fail deeper, in a function that a Lua file of the module calls with the script's
 * arguments. lauxlib's errors name the innermost call, so its raising functions are replaced here
 * in all files of the binding.
 *
 * It keeps no state: names and levels are found when an error is raised. */
#ifndef LUN_BLAME_H
#define LUN_BLAME_H

#include <lauxlib.h>
#include <lua.h>

/* Raises "bad argument #arg to 'f' (message)"; f is the script's spelling, '-' and not 'sub' for an
 * operator. Without a number if the script did not pass the value. */
int lun__blame_argument(lua_State *L, int arg, const char *message);
/* Raises a text with the script's source line; a function named in it by "to 'f'" is replaced by
 * the one that the script called. */
int lun__blame_error(lua_State *L, const char *format, ...);

int lun__blame_type_error(lua_State *L, int arg, const char *expected);
void lun__blame_check_any(lua_State *L, int arg);
void lun__blame_check_type(lua_State *L, int arg, int type);
lua_Integer lun__blame_check_integer(lua_State *L, int arg);
lua_Integer lun__blame_opt_integer(lua_State *L, int arg, lua_Integer otherwise);
lua_Number lun__blame_check_number(lua_State *L, int arg);
const char *lun__blame_check_string(lua_State *L, int arg, size_t *length);
const char *lun__blame_opt_string(lua_State *L, int arg, const char *otherwise, size_t *length);
void *lun__blame_check_userdata(lua_State *L, int arg, const char *name);
int lun__blame_check_choice(lua_State *L, int arg, const char *otherwise, const char *const list[]);

#undef luaL_checkstring
#undef luaL_optstring
#undef luaL_argcheck
#undef luaL_argexpected
#define luaL_argerror  lun__blame_argument
#define luaL_error     lun__blame_error
#define luaL_typeerror lun__blame_type_error
#define luaL_argcheck(L, good, arg, message) \
    ((void)((good) || lun__blame_argument(L, arg, message)))
#define luaL_argexpected(L, good, arg, expected) \
    ((void)((good) || lun__blame_type_error(L, arg, expected)))
#define luaL_checkany                     lun__blame_check_any
#define luaL_checktype                    lun__blame_check_type
#define luaL_checkinteger                 lun__blame_check_integer
#define luaL_optinteger                   lun__blame_opt_integer
#define luaL_checknumber                  lun__blame_check_number
#define luaL_checkstring(L, arg)          lun__blame_check_string(L, arg, NULL)
#define luaL_checklstring                 lun__blame_check_string
#define luaL_optstring(L, arg, otherwise) lun__blame_opt_string(L, arg, otherwise, NULL)
#define luaL_optlstring                   lun__blame_opt_string
#define luaL_checkudata                   lun__blame_check_userdata
#define luaL_checkoption                  lun__blame_check_choice

#endif
