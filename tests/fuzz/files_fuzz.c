/* files_fuzz.c - for libFuzzer: any bytes are a file that lun.load reads, or refuses by nil and a
 * message.  FUZZ_KIND is its extension: npy, csv, pnm or png.  The readers are Lua above C: what
 * the compiler instruments sees the C, and a line hook adds the lines of Lua, each pair of lines a
 * counter of libFuzzer's. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "lunarray.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { COUNTERS = 1 << 14 };
__attribute__((used,
               section("__libfuzzer_extra_counters"))) static unsigned char counters[COUNTERS];

static void at_line(lua_State *L, lua_Debug *ar)
{
    static unsigned last;
    lua_getinfo(L, "S", ar);
    unsigned here = (unsigned)ar->currentline * 2654435761u;
    for (const char *p = ar->source; *p; p++)
        here = here * 31 + (unsigned char)*p;
    unsigned char *c = &counters[(here ^ last >> 1) % COUNTERS];
    if (*c < 255)
        ++*c;
    last = here;
}

/* What a user does with what was read. */
static const char script[] =
    "local path = ...\n"
    "local function look(value, message, code)\n"
    "    if value == nil then\n"
    "        assert(type(message) == 'string' and #message > 0, 'refused without a reason')\n"
    "        assert(type(code) == 'string' or math.type(code) == 'integer', 'refused without a "
    "code')\n"
    "        return\n"
    "    end\n"
    "    for _, a in pairs(type(value) == 'table' and value or { value }) do\n"
    "        if type(a) == 'userdata' and #a < 10000 then\n"
    "            tostring(a)\n"
    "            assert(#a:totable() == #a and a:ismissing():count() <= #a)\n"
    "            if #a > 0 and a:dtype() ~= 'text' and not a:ismissing():any() then\n"
    "                assert(a:count() <= #a * #a:tobytes())\n"
    "            end\n"
    "        end\n"
    "    end\n"
    "end\n"
    "return function() look(lun.load(path)) end\n";

static char path[64];

static lua_State *start(void)
{
    const char *kind = getenv("FUZZ_KIND");
    lua_State *L = luaL_newstate();
    if (!L)
        abort();
    luaL_openlibs(L);
    luaL_requiref(L, "lunarray", luaopen_lunarray, 0);
    lua_setglobal(L, "lun");
    snprintf(path, sizeof path, "/tmp/lunarray-fuzz-%d.%s", (int)getpid(), kind ? kind : "npy");
    if (luaL_loadstring(L, script))
        abort();
    lua_pushstring(L, path);
    lua_call(L, 1, 1);
    lua_sethook(L, at_line, LUA_MASKLINE, 0);
    return L;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static lua_State *L;
    if (!L)
        L = start();
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
    lua_pushvalue(L, 1);
    if (lua_pcall(L, 0, 0, 0)) {
        fprintf(stderr, "raised: %s\n", lua_tostring(L, -1));
        abort();
    }
    unlink(path);
    return 0;
}
