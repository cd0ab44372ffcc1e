-- The command line: every case runs under build/lunarray and, where there is a stock lua5.4, under
-- that too; output, errors (program's name replaced) and exit code must be the same. What the
-- program adds to the stock interpreter is tested below that.

local shell = require "shell"

local here = shell.capture "pwd":gsub("\n$", "")
local ours = shell.interpreter()
if ours:sub(1, 1) ~= "/" then
    ours = here .. "/" .. ours
end
local stock = shell.capture "command -v lua5.4":gsub("\n$", "")
local sanitized = ours:find "/asan/" or ours:find "/tsan/"
-- ThreadSanitizer keeps a signal back until the program does something atomic or calls what it intercepts: Lua's own
-- loops and string.find do neither.
local stops_lua = not ours:find "/tsan/"

-- A scratch directory with the files of all cases; each command runs in it.
local scratch
local files = {
    ["args.lua"] = [[print(#arg, ...) for i = -4, 4 do print(i, arg[i]) end]],
    ["fail.lua"] = "local function inner()\n  error 'broken'\nend\n\ninner()\n",
    ["syntax.lua"] = "local x = = 1\n",
    ["shebang.lua"] = "#!/usr/bin/env lua\nprint 'after the first line'\n",
    ["bom.lua"] = "\xEF\xBB\xBFprint 'after the mark'",
    ["bombang.lua"] = "\xEF\xBB\xBF# comment\nprint 'after both'",
    ["badbom.lua"] = "\xEF\xBBprint 'never'",
    ["chunk.luac"] = "# first line\n" .. string.dump(load "print('binary', ...)"),
    ["read.lua"] = "print(io.read 'l'); print(io.read 'n'); print(#io.read 'a')",
    ["init.lua"] = "print('init', arg and #arg) x = 5",
    ["mod.lua"] = "print('mod loaded', ...) return { name = 'mod' }",
    ["nomod.lua"] = "error 'this module fails'",
    ["-"] = "print 'a file called -'",
    ["close.lua"] = [[
        local a <close> = setmetatable({}, { __close = function(_, e) print("closed", e) end })
        setmetatable({}, { __gc = function() print "collected" end })
        os.exit(true, true)]],
    ["gc.lua"] = [[
        one = setmetatable({}, { __gc = function() error "in one" end })
        two = setmetatable({}, { __gc = function() print "two" end })]],
    ["warn.lua"] = [[
        warn("@allow") warn("@off", "XXX", "@off") warn("@off") warn("@on", "YYY", "@on")
        warn("@off") warn("@on") warn("", "@on") warn("@on") warn("Z", "Z", "Z")]],
    ["tostring.lua"] = [[error(setmetatable({}, { __tostring = function() return "described" end }))]],
    ["levels.lua"] = [[
        local debug = require "debug"
        local value = setmetatable({ x = 0 }, { __tostring = function(self)
            return tostring(debug.getinfo(4).currentline + self.x)
        end })
        error(value)]],
    ["coroutine.lua"] = [[
        local co = coroutine.wrap(function() error { code = 1 } end)
        print(pcall(co)) coroutine.wrap(function() error "inside" end)()]],
    ["deep.lua"] = "local function f(n) return 1 + f(n + 1) end\nf(1)",
    ["lunarray.lua"] = "error 'a file shadows the module'",
}

-- Runs a shell command with `lua` and "$LUA" (for a process of its own, in the background) meaning
-- the interpreter; gives stdout, stderr, status.
local function run(interpreter, command)
    local script = ([[cd '%s' && LUA='%s' && lua() { "$LUA" "$@"; } && { %s
} >out 2>err; echo $? >status]]):format(scratch, interpreter, command)
    local path = scratch .. "/command.sh"
    local file = assert(io.open(path, "wb"))
    file:write(script, "\n")
    file:close()
    -- each test says itself for which threads, vectors and caches it is
    os.execute("env -u LUA_INIT -u LUA_PATH -u LUA_CPATH -u LUNARRAY_THREADS -u LUNARRAY_ISA -u HWLOC_SYNTHETIC sh " .. path)
    local function output(name)
        local text = shell.slurp(scratch .. "/" .. name)
        local start, stop = text:find(interpreter, 1, true)
        while start do
            text = text:sub(1, start - 1) .. "LUA" .. text:sub(stop + 1)
            start, stop = text:find(interpreter, start, true)
        end
        -- Addresses differ from run to run, the depth of the stack from program to program.
        return (text:gsub("0x%x+", "0xADDRESS"):gsub("skipping %d+ levels", "skipping levels"))
    end
    return output "out", output "err", tonumber(shell.slurp(scratch .. "/status"))
end

setup(function()
    scratch = shell.capture "mktemp -d":gsub("\n$", "")
    for name, text in pairs(files) do
        local file = assert(io.open(scratch .. "/" .. name, "wb"))
        file:write(text)
        file:close()
    end
end)

teardown(function()
    os.execute(("rm -rf '%s'"):format(scratch))
end)

-- A command, then what stock Lua 5.4 was seen to do: a part of its stdout, of its stderr, its status.
-- Where we differ from it on purpose, the reason stands beside.
local cases = {
    -- statements
    { "lua -e 'print(1 + 1)'", "2\n", "", 0 },
    { "lua -e 'x = 7' -e 'print(x)'", "7\n", "", 0 },
    { "lua '-eprint(1)' -ea=3 -e 'print(a)'", "1\n3\n", "", 0 },
    { "lua -e 'a ='", "", "LUA: (command line):1: unexpected symbol near <eof>", 1 },
    { "lua -e 'error \"broken\"'", "", "LUA: (command line):1: broken\nstack traceback:\n", 1 },
    { "lua -e 'error(\"broken\", 0)'", "", "LUA: broken\nstack traceback:\n", 1 },
    { "lua -e 'error {}'", "", "LUA: (error object is a table value)\n", 1 },
    { "lua -e 'error(nil)'", "", "LUA: ", 1 },
    { "lua -e 'error(42)'", "", "LUA: ", 1 },
    { "lua -e 'local t; t.x = 1'", "", "attempt to index a nil value (local 't')", 1 },
    { "lua -e 'coroutine.yield()'", "", "attempt to yield from outside a coroutine", 1 },
    { "lua -e 'error \"first\"' -e 'print \"never\"'", "", "first", 1 },
    { "lua -e ''", "", "", 0 },
    { "lua -e ' '", "", "", 0 },
    { "lua -e 'print(1)\nprint(2)'", "1\n2\n", "", 0 },
    -- wrong options
    { "lua -e", "", "LUA: '-e' needs argument\nusage: LUA [options]", 1 },
    { "lua -l", "", "LUA: '-l' needs argument\nusage: LUA [options]", 1 },
    { "lua -e -v", "", "LUA: '-e' needs argument\nusage:", 1 },
    { "lua -x", "", "LUA: unrecognized option '-x'\nusage:", 1 },
    { "lua -h", "", "LUA: unrecognized option '-h'\nusage:", 1 },
    { "lua ---", "", "LUA: unrecognized option '---'\nusage:", 1 },
    { "lua --nothing", "", "LUA: unrecognized option '--nothing'\nusage:", 1 },
    { "lua -Ex", "", "LUA: unrecognized option '-Ex'\nusage:", 1 },
    { "lua -vv", "", "LUA: unrecognized option '-vv'\nusage:", 1 },
    { "lua -iv", "", "LUA: unrecognized option '-iv'\nusage:", 1 },
    { "lua -Wx", "", "LUA: unrecognized option '-Wx'\nusage:", 1 },
    { "lua -e 'print \"never\"' -x", "", "LUA: unrecognized option '-x'\nusage:", 1 },
    -- version
    { "lua -v", "PUC-Rio\n", "", 0 },
    { "lua -v -e 'print \"hello\"'", "PUC-Rio\nhello\n", "", 0 },
    { "echo 'print(1)' | lua -v", "PUC-Rio\n", "", 0 },
    { "echo 'print(1)' | lua -v -", "PUC-Rio\n1\n", "", 0 },
    -- modules
    { "lua -l string -e 'print(string.upper \"a\")'", "A\n", "", 0 },
    { "LUA_PATH='?.lua' lua -lmod -e 'print(mod.name)'", "mod loaded\tmod\tmod.lua\nmod\n", "", 0 },
    { "LUA_PATH='?.lua' lua -l mod -l mod -e 'print(mod.name)'", "mod\n", "", 0 },
    { "lua -l 's=string' '-lm=math' -e 'print(s.upper \"x\", m.max(10, 20), m)'", "", "", 0 },
    { "LUA_PATH='?.lua' lua -l nomod -e 'print \"never\"'", "", "this module fails", 1 },
    { "LUA_PATH=nothing LUA_CPATH=nowhere lua -l missing", "", "module 'missing' not found", 1 },
    -- standard input
    { "echo 'print(10) print(2)' | lua", "10\n2\n", "", 0 },
    { "echo 'print(...) print(arg[0])' | lua - -h x", "-h\tx\n-\n", "", 0 },
    { "lua - </dev/null", "", "", 0 },
    { "lua </dev/null", "", "", 0 },
    { "echo 'print(' | lua", "", "LUA: stdin:2: unexpected symbol near <eof>", 0 }, -- sic
    { "echo 'error \"x\"' | lua", "", "LUA: stdin:1: x\nstack traceback:", 0 },
    { "echo 'error \"x\"' | lua -", "", "LUA: stdin:1: x\nstack traceback:", 1 },
    { "printf 'line\\n12 rest' | lua read.lua", "line\n12\n5\n", "", 0 },
    -- scripts and arg
    { "lua args.lua", "0\n-4\tnil\n", "", 0 },
    { "lua args.lua a 'b c' ''", "3\ta\tb c\t\n", "", 0 },
    { "lua -e 'y = 1' -W -- args.lua -e x", "2\t-e\tx\n-4\t-e\n-3\ty = 1\n-2\t-W\n", "", 0 },
    { "lua -- -", "a file called -\n", "", 0 },
    { "lua args.lua a -v --help -- -", "5\ta\t-v\t--help\t--\t-\n", "", 0 },
    { "echo 'print(...)' | lua -e 'arg[1] = 100' -", "100\n", "", 0 },
    { "echo | lua -e 'arg = 1' -", "", "LUA: 'arg' is not a table\n", 1 },
    { "lua -e 'print(arg[0], #arg, arg[1])'", "LUA\t2\t-e\n", "", 0 },
    { "lua missing.lua", "", "LUA: cannot open missing.lua", 1 },
    { "lua .", "", "LUA: cannot read .", 1 },
    { "lua fail.lua", "", "LUA: fail.lua:2: broken\nstack traceback:\n\t[C]: in function 'error'\n", 1 },
    { "lua syntax.lua", "", "LUA: syntax.lua:1: unexpected symbol near '='\n", 1 },
    { "lua shebang.lua", "after the first line\n", "", 0 },
    { "lua bom.lua", "after the mark\n", "", 0 },
    { "lua bombang.lua", "after both\n", "", 0 },
    { "lua badbom.lua", "", "unexpected symbol near '<\\239>'", 1 },
    { "lua chunk.luac 1 2", "binary\t1\t2\n", "", 0 },
    { "lua tostring.lua", "", "LUA: described\n", 1 },
    { "lua levels.lua", "", "LUA: 5\n", 1 },
    { "lua coroutine.lua", "false\ttable: 0xADDRESS\n", "coroutine.lua:2: inside\n", 1 },
    { "lua deep.lua", "", "stack overflow", 1 },
    { "lua args.lua $(seq 1 300)", "300\t1\t2\t3", "", 0 },
    -- the environment
    { "LUA_INIT='x = 3' lua -e 'print(x)'", "3\n", "", 0 },
    { "LUA_INIT='x = 3' LUA_INIT_5_4='x = 4' lua -e 'print(x)'", "4\n", "", 0 },
    { "LUA_INIT='x = arg[1]' lua -e 'print(x)' args.lua first", "first\n", "", 0 },
    { "LUA_INIT=@init.lua lua -e 'print(x)'", "init\t2\n5\n", "", 0 },
    { "LUA_INIT=@missing.lua lua -e 'print(x)'", "", "LUA: cannot open missing.lua", 1 },
    { "LUA_INIT='error \"bad\"' lua -e 'print(x)'", "", "LUA: LUA_INIT:1: bad\nstack traceback:", 1 },
    { "LUA_INIT_5_4='error \"bad\"' lua -e 'print(x)'", "", "LUA: LUA_INIT_5_4:1: bad\n", 1 },
    { "LUA_INIT='error(1)' LUA_PATH=x LUA_CPATH=y lua -E -e 'print(package.path, package.cpath)'",
      "lua/5.4/?.lua", "", 0 },
    { "LUA_PATH=x LUA_PATH_5_4='y;;z' lua -e 'print(package.path)'", "y;/", "", 0 },
    { "lua -e 'print(package.path, package.cpath, package.config)'", "lua/5.4", "", 0 },
    -- warnings
    { "lua -e 'warn \"unseen\"'", "", "", 0 },
    { "lua -W -e 'warn(\"se\", \"en\")'", "", "Lua warning: seen\n", 0 },
    { "lua -e 'warn \"unseen\"' -W -e 'warn \"seen\"'", "", "Lua warning: seen\n", 0 },
    { "lua -W warn.lua", "", "Lua warning: @offXXX@off\nLua warning: @on\nLua warning: ZZZ\n", 0 },
    { "lua -W gc.lua", "two\n", "in one", 0 },
    { "lua gc.lua", "two\n", "", 0 },
    -- leaving
    { "lua -e 'os.exit(3)'", "", "", 3 },
    { "lua -e 'os.exit(false)'", "", "", 1 },
    { "lua -e 'os.exit(true, true)'", "", "", 0 },
    { "lua close.lua", "closed\tnil\ncollected\n", "", 0 },
    { "lua -e 'io.stdout:write \"unflushed\"'", "unflushed", "", 0 },
    { "lua -e 'io.output \"kept\" io.write \"text\"' && cat kept", "text", "", 0 },
    -- the state that scripts start with
    { "lua -e 'print(_VERSION, collectgarbage \"incremental\", getmetatable(_G))'",
      "Lua 5.4\tgenerational\tnil\n", "", 0 },
    { "lua -e 'print(debug.gethook(), #debug.traceback())'", "nil\t", "", 0 },
    { "lua -e 'for k in pairs(_G) do if k ~= \"lun\" then print(k) end end' | sort", "print\n", "", 0 },
    { "echo 'cont' | lua -e 'debug.debug() print(1)'", "1\n", "lua_debug> ", 0 },
    -- the prompt (its first line, the version, is each interpreter's own)
    { "printf '1 + 1\\n' | lua -i | tail -n +2", "> 1 + 1\n2\n> ", "", 0 },
    { "printf '= 1, nil, \"s\"\\n' | lua -i | tail -n +2", "1\tnil\ts\n", "", 0 },
    { "printf 'a =\\n10\\na\\n' | lua -i | tail -n +2", ">> 10\n> a\n10\n", "", 0 },
    { "printf 'a = [[b\\nc\\nd]]\\n=a\\n' | lua -i | tail -n +2", "b\nc\nd\n", "", 0 },
    { "printf 'for i = 1, 2 do\\n\\nprint(i)\\nend' | lua -i | tail -n +2", "1\n2\n", "", 0 },
    { "printf 'x = (\\n' | lua -i | tail -n +2", ">> ", "stdin:1: unexpected symbol near <eof>", 0,
      differs = true }, -- stock says "(null)"
    { "printf 'error \"x\"\\n1\\n' | lua -i | tail -n +2", "> 1\n1\n", "stdin:1: x\nstack traceback", 0 },
    { "printf 'error {}\\n2\\n' | lua -i | tail -n +2", "2\n", "(error object is a table value)", 0 },
    { "printf 'local a = 1\\na\\nprint \"s\"\\n' | lua -i | tail -n +2", "s\n", "", 0 },
    { "printf '\\n\\n3\\n' | lua -i | tail -n +2", "> \n> \n> 3\n3\n", "", 0 },
    { "echo 10 | lua -e 'print = nil' -i | tail -n +2", "", "error calling 'print' (attempt to call a nil", 0 },
    { "printf 'a = 2\\nb =\\n1\\n' | lua -e '_PROMPT = \"ask \" _PROMPT2 = 7' -i | tail -n +2",
      "ask a = 2\nask b =\n71\nask ", "", 0 },
    { "printf '1\\n2\\n' | lua -e 'C = 0 _PROMPT = setmetatable({}, { __tostring = function()"
        .. " C = C + 1 return C .. \" \" end })' -i | tail -n +2", "1 1\n1\n2 2\n2\n3 ", "", 0 },
    { "printf 'print(...)\\n' | lua -i args.lua a | tail -n +2", "1\ta\n", "", 0 },
    { "printf 'print \"never\"\\n' | lua -i fail.lua | tail -n +2", "", "fail.lua:2: broken", 0 },
    { "printf 'print \"never\"\\n' | lua -e 'error \"x\"' -i >/dev/null", "", "(command line):1: x", 1 },
    { "printf 'os.exit(4)\\n' | lua -i >all; test $? = 4", "", "", 0 },
}

-- Runs a chunk in the background, which calls begin() where it can be interrupted, and sends it SIGINT then.
local function interrupted(chunk, signals)
    return "rm -f begun; \"$LUA\" -e 'function begin() io.open(\"begun\", \"w\"):close() end " .. chunk .. "' &"
        .. " until test -e begun; do sleep 0.02; done; " .. shell.computing("$!", 10) .. "; " .. (signals or "kill -INT $!") .. "; wait $!"
end

local interrupts = {
    -- Ctrl-C: caught by pcall, the script goes on; not caught, it ends the script
    { interrupted "print(pcall(function() begin() while true do end end)) print \"on\"", "false\t", "", 0, lua = true },
    { interrupted "begin() while true do end", "", "interrupted!", 1, lua = true },
    -- also in a coroutine, where stock Lua's goes on, and in an evaluation; a script may catch it and evaluate again
    { interrupted "coroutine.wrap(function() begin() while true do end end)()", "", "interrupted!", 1, differs = true,
      lua = true },
    { interrupted "begin(); (lun.index(1000000000000) * 2):sum()", "", "interrupted", 1, differs = true },
    { interrupted("print(pcall(function() begin() pcall(lun.eval, (lun.index(1000000000000) * 2):lazy \"sum\") end))"
        .. " print(lun.index(4):sum())"), "interrupted!\n10\n", "", 0, differs = true },
}

local function check(case)
    local command, out_part, err_part, status = table.unpack(case)
    local out, err, code = run(ours, command)
    assert.is_truthy(out:find(out_part, 1, true), "stdout: " .. out)
    assert.is_truthy(err:find(err_part, 1, true), "stderr: " .. err)
    assert.equal(status, code)
    if stock == "" or case.differs then
        return
    end
    local stock_out, stock_err, stock_code = run(stock, command)
    if stock_err:find("\nusage:", 1, true) then
        -- Ours lists more options after the stock ones.
        err = err:sub(1, #stock_err)
    end
    assert.equal(stock_out, out)
    assert.equal(stock_err, err)
    assert.equal(stock_code, code)
end

describe("the program as a Lua interpreter", function()
    for _, case in ipairs(cases) do
        it(case[1], function()
            check(case)
        end)
    end

    for _, case in ipairs(interrupts) do
        it(case[1], function()
            if stops_lua or not case.lua then
                check(case)
            end
        end)
    end

    it("ends at the second Ctrl-C where no Lua instruction runs", function()
        if not stops_lua then
            return
        end
        local _, _, code = run(ours, interrupted("begin() string.find(string.rep(\"a\", 200000), \".*b\")",
            "while kill -INT $! 2>/dev/null; do sleep 0.02; done")) -- two may come as one
        assert.equal(128 + 2, code)
    end)
end)

describe("--errors=json", function()
    -- Status, standard error and standard output of the program with these words.
    local function json(words)
        local out, errors, code = run(ours, "lua --errors=json " .. words)
        return errors, out, code
    end

    local CASES = {
        { "fail.lua", '{"level":"error","code":"runtime","file":"fail.lua","line":2,"message":"broken",'
            .. '"traceback":[{"file":"fail.lua","line":2,"name":"inner"},{"file":"fail.lua","line":5}]}' },
        { "syntax.lua", '{"level":"error","code":"syntax","file":"syntax.lua","line":1,"message":"unexpected symbol near \'=\'"}' },
        { "-e 'x != 1'", '{"level":"error","code":"syntax","file":"(command line)","line":1,"message":"syntax error near \'!\'",'
            .. '"hint":"in Lua: \'not equal\' is ~= ; of arrays a:ne(b)"}' },
        { "tostring.lua", '{"level":"error","code":"runtime","message":"described","traceback":[{"file":"tostring.lua","line":1}]}' },
        { "-e 'error { code = \"mine\", message = \"own\" }'", '{"level":"error","code":"mine","message":"own",'
            .. '"traceback":[{"file":"(command line)","line":1}]}' },
        { "-e 'local z = lun.vector { 1 } // 0\nprint(z)'", '{"level":"error","code":"EZERO","file":"(command line)","line":1,'
            .. '"message":"attempt to perform \'n//0\'","traceback":[{"file":"(command line)","line":2}]}' },
        { "-e 'error(\"a\\n\\t\\\\\\255\\\"\\1\u{e9}\", 0)'", '{"level":"error","code":"runtime","message":'
            .. '"a\\n\\t\\\\\\ufffd\\"\\u0001\u{e9}","traceback":[{"file":"(command line)","line":1}]}' },
        { "-e 'print(lun.arange(3))'", '{"level":"error","code":"runtime","file":"(command line)","line":1,'
            .. '"message":"attempt to call a nil value (field \'arange\')","hint":"\'arange\' is lun.index(10), lun.range(0, 9) here",'
            .. '"traceback":[{"file":"(command line)","line":1}]}' },
        { "nothing.lua", '{"level":"error","code":"runtime","message":"cannot open nothing.lua: No such file or directory"}' },
        { "--nothing", '{"level":"error","code":"usage","message":"unrecognized option \'--nothing\'"}' },
        { "--sandbox -e 'x.y = 1'", '{"level":"error","code":"runtime","file":"(command line)","line":1,'
            .. '"message":"attempt to index a nil value (global \'x\')","traceback":[{"file":"(command line)","line":1}]}' },
    }

    for _, case in ipairs(CASES) do
        it("describes the failure of " .. case[1], function()
            local errors, out, code = json(case[1])
            assert.equal(case[2] .. "\n", errors)
            assert.equal("", out)
            assert.equal(1, code)
        end)
    end

    it("writes warnings, each error of finalisers among them, and leaves output alone", function()
        local errors, out, code = json "-W warn.lua"
        assert.equal('{"level":"warning","code":"warning","message":"@offXXX@off"}\n'
            .. '{"level":"warning","code":"warning","message":"@on"}\n'
            .. '{"level":"warning","code":"warning","message":"ZZZ"}\n', errors)
        assert.equal(0, code)
        assert.equal("", out)
        errors, out = json "-W gc.lua"
        assert.matches('^{"level":"warning","code":"warning","message":"error in __gc', errors)
        assert.equal("two\n", out)
        assert.equal("3\n", select(2, json "-e 'print(1 + 2)'"))
        assert.matches("^LUA: '%-%-errors=xml' needs text or json\nusage:", (select(2, run(ours, "lua --errors=xml"))))
    end)
end)

describe("the program's own options", function()
    it("runs these specs itself", function()
        local running = shell.capture "readlink /proc/$PPID/exe":gsub("\n$", "")
        assert.equal(shell.capture(("readlink -f '%s'"):format(ours)):gsub("\n$", ""), running)
        assert.is_truthy(running:find "/lunarray$")
        assert.equal("Lua 5.4", _VERSION)
    end)

    it("presets lun to the module", function()
        assert.equal("true\ttable\n",
            (run(ours, "lua -e 'print(lun == require \"lunarray\", type(lun))'")))
    end)

    it("presets lun before LUA_INIT, and leaves it to scripts to change", function()
        assert.equal("table\nnil\n",
            (run(ours, "LUA_INIT='print(type(lun)) lun = nil' lua -e 'print(lun)'")))
    end)

    it("takes the module from inside itself, whatever lies on the path", function()
        local out, err, code = run(ours,
            "LUA_PATH='./?.lua' LUA_CPATH='./?.so' lua -e 'print(type(require \"lunarray\"))'")
        assert.equal("table\n", out)
        assert.equal("", err)
        assert.equal(0, code)
    end)

    it("says behind an error what a name that is not there is called here, unless it is the script's own", function()
        local function said(code)
            return (select(2, run(ours, ("lua -e '%s'"):format(code))))
        end
        assert.is_truthy(said "a = lun.ones(2)\nprint(a:astype \"f32\")":find(
            "(command line):2: attempt to call a nil value (method 'astype')\n'astype' is a:cast \"f32\" here\nstack", 1, true))
        assert.is_truthy(said "help \"sum\"":find("(global 'help')\ndid you mean 'lun.help'?\n", 1, true))
        assert.is_truthy(said "a = lun.ones(2) print(a.shape[1])":find("\na method is called with a colon: a:shape()\n", 1, true))
        assert.is_truthy(said "print(lun.random.normal(3))":find("\nlun.random(n, {dist = \"normal\"})", 1, true))
        local file = shell.capture "mktemp":gsub("\n$", "")
        for _, code in ipairs { "local t = {} t.apply(3)", "local t = setmetatable({}, {__index = {}}) t:append(3)", "local x x.T = 1" } do
            local out = assert(io.open(file, "w"))
            out:write(code, "\n")
            out:close()
            assert.is_truthy(select(2, run(ours, ("lua '%s'"):format(file))):find("a nil value %b()\nstack"), code)
        end
        os.remove(file)
    end)

    it("works in a directory it was not built in, with an empty environment", function()
        assert.equal("table\n", (run(ours, "cd / && env -i '" .. ours .. "' -e 'print(type(lun))'")))
    end)

    it("says its version", function()
        local out, err, code = run(ours, "lua --version")
        assert.is_truthy(out:find "^Lunarray %d+%.%d+%.%d+ %(Lua 5%.4%.%d+%)\nbits v1 (%x+)\n$")
        assert.equal(shell.slurp "tests/bits/v1.txt":match "all (%x+)\n$", out:match "bits v1 (%x+)")
        assert.equal("", err)
        assert.equal(0, code)
    end)

    it("shows its options on request", function()
        local out, err, code = run(ours, "lua --help")
        for _, option in ipairs { "-e", "-l g=mod", "--backend", "--threads", "--info", "--version" } do
            assert.is_truthy(out:find("\n  " .. option, 1, true), option)
        end
        assert.equal("", err)
        assert.equal(0, code)
    end)

    it("shows what it computes with", function()
        local out, err, code = run(ours, "lua --info")
        assert.equal("", err)
        assert.equal(0, code)
        assert.is_truthy(out:find "^version    Lunarray %d+%.%d+%.%d+, Lua 5%.4%.%d+\n")
        for _, name in ipairs { "backend", "backends", "devices", "machine", "math", "bits", "isa", "compiler", "cache" } do
            assert.is_truthy(out:find("\n" .. name .. " +%S"), name)
        end
        assert.is_truthy(out:find "reference")
        assert.is_truthy(out:find "%d+ cores?, %d+ hardware threads?")
        local server = "HWLOC_SYNTHETIC='pack:2 numa:1 l3:1(size=8388608) core:8 pu:2' "
        local simulated = run(ours, server .. "lua --info")
        assert.is_truthy(simulated:find("\nmachine    2 packages, 2 memory nodes, 16 cores, 32 hardware threads, "
            .. "L3 8 MiB (simulated)\n", 1, true))
        assert.is_truthy(simulated:find "%(cpu, openmp%): %d+ units")
        out = run(ours, "LUNARRAY_CC=/no/such/cc LUNARRAY_CACHE_DIR= lua --info")
        assert.is_truthy(out:find("/no/such/cc: not found; kernels stay interpreted", 1, true))
        assert.is_truthy(out:find "\ncache      none: ")
    end)

    it("keeps threads on the memory nodes of their chunks, unless told otherwise; never the caller's", function()
        local script = [[
            local a = lun.random(3e6, { seed = 1 }):eval()
            print(a:sum() == 3e6 * a:mean())
            for i = 1, 8 do a = (a * 0.5):eval() end
            local me = io.open "/proc/self/stat":read "n"
            for task in io.popen("ls /proc/" .. me .. "/task"):lines() do
                local status = io.open("/proc/" .. me .. "/task/" .. task .. "/status"):read "a"
                print(tonumber(task) == me and "caller" or "thread", status:match "Cpus_allowed_list:%s*(%S+)")
            end]]
        local nodes = "HWLOC_THISSYSTEM=1 HWLOC_SYNTHETIC='numa:2 core:1 pu:1' LUNARRAY_THREADS=2 taskset -c 0,1 \"$LUA\" -e '"
            .. script .. "'"
        if sanitized or select(3, run(ours, "taskset -c 0,1 true")) ~= 0 then
            return -- the OpenMP runtime is another object, or there is one CPU
        end
        local text = run(ours, nodes)
        assert.matches("^true\n", text)
        assert.matches("\ncaller\t0[,-]1\n", text)
        for cpus in text:gmatch "thread\t(%S+)" do -- a thread that is there already stays free
            assert.is_true(cpus == "1" or cpus == "0-1" or cpus == "0,1", text)
        end
        text = run(ours, "OMP_PROC_BIND=false " .. nodes)
        assert.matches("^true\n", text)
        assert.is_falsy(text:find("thread\t1\n", 1, true), text)
    end)

    it("moves its threads off the caller's hardware thread, unless told otherwise", function()
        local script = [[
            local function tasks()
                local me, list = io.open "/proc/self/stat":read "n", {}
                for task in io.popen("ls /proc/" .. me .. "/task"):lines() do
                    local status = io.open("/proc/" .. me .. "/task/" .. task .. "/status"):read "a"
                    list[#list + 1] = { task, status:match "Cpus_allowed_list:%s*(%S+)" }
                end
                return list
            end
            local a = lun.random(6e6, { seed = 1 }):eval()
            a = (a * 0.5):eval()
            for _, t in ipairs(tasks()) do os.execute("taskset -p -c 0 " .. t[1] .. " >/dev/null") end
            for i = 1, 3 do a = (a * 0.5):eval() end
            for k, t in ipairs(tasks()) do print(k == 1 and "caller" or "thread", t[2]) end]]
        local command = "LUNARRAY_THREADS=2 \"$LUA\" -e '" .. script .. "'"
        if sanitized or select(3, run(ours, "taskset -c 0,1 true")) ~= 0
            or (run(ours, "taskset -p -c $$")):match "list: (%S+)" ~= "0,1" then
            return -- the OpenMP runtime is another object, or there are not two CPUs
        end
        local text = run(ours, command)
        assert.matches("^caller\t0\n", text)
        assert.matches("thread\t1\n", text)
        text = run(ours, "OMP_PROC_BIND=false " .. command)
        assert.is_falsy(text:find("thread\t1\n", 1, true), text)
    end)

    it("complains in a sandbox too", function()
        local _, err, code = run(ours, "LUNARRAY_BACKEND=nothing lua --sandbox -e 'print(1)'")
        assert.equal("LUA: no backend 'nothing'; available are openmp, opencl, reference, mpi\n", err)
        assert.equal(1, code)
        local out
        out, err, code = run(ours, "LUNARRAY_CC=/bin/false LUNARRAY_JIT=sync LUNARRAY_CACHE_DIR= lua --sandbox --backend openmp "
            .. "-e 'print((lun.index(100000) + 1):sum())'")
        assert.equal("5000150000\n", out)
        assert.matches("^LUA: kernels stay interpreted: /bin/false: exit status 1", err)
        assert.equal(0, code)
    end)

    it("refuses words of the environment that it does not know", function()
        for _, row in ipairs {
            { "LUNARRAY_JIT=synch", "LUNARRAY_JIT must be auto, sync or off, not 'synch'" },
            { "LUNARRAY_BITS=v9", "LUNARRAY_BITS: no version of bits 'v9': this library knows v1" },
            { "LUNARRAY_THREADS=two", "LUNARRAY_THREADS must be a positive number, not 'two'" },
            { "LUNARRAY_THREADS=0", "LUNARRAY_THREADS must be a positive number, not '0'" },
            { "LUNARRAY_THREADS=-1", "LUNARRAY_THREADS must be a positive number, not '-1'" },
        } do
            local _, err, code = run(ours, row[1] .. " lua -e 'print(1)'")
            assert.is_truthy(err:find(row[2], 1, true), err)
            assert.equal(1, code)
        end
        for _, well in ipairs { "LUNARRAY_JIT=", "LUNARRAY_JIT=auto", "LUNARRAY_BITS=", "LUNARRAY_BITS=v1",
            "LUNARRAY_THREADS=", "LUNARRAY_THREADS=99999999999" } do
            assert.equal("6.0\n", (run(ours, well .. " lua -e 'print(lun.vector { 1.5, 4.5 }:sum())'")))
        end
    end)

    it("shows it before it runs a script", function()
        assert.is_truthy(run(ours, "lua --info -e 'x = 1' args.lua end"):find "\n1\tend\n")
    end)

    for _, form in ipairs { "--backend reference", "--backend=reference" } do
        it("passes " .. form .. " to the engine", function()
            local out = run(ours, "LUNARRAY_BACKEND=nothing lua " .. form
                .. " -e 'print(os.getenv \"LUNARRAY_BACKEND\")' args.lua x")
            assert.is_truthy(out:find "^reference\n1\tx\n")
        end)
    end

    for _, form in ipairs { "--threads 3", "--threads=3" } do
        it("passes " .. form .. " to the engine", function()
            assert.equal("3\n", (run(ours, "lua " .. form
                .. " -e 'print(os.getenv \"LUNARRAY_THREADS\")'")))
        end)
    end

    it("takes OMP_NUM_THREADS where nothing of its own says how many threads, and tells which it was", function()
        for _, row in ipairs {
            { "OMP_NUM_THREADS=3", "3 threads: OMP_NUM_THREADS" },
            { "OMP_NUM_THREADS=' 1 , 4'", "1 thread: OMP_NUM_THREADS" },
            { "OMP_NUM_THREADS=5 LUNARRAY_THREADS=2", "2 threads: LUNARRAY_THREADS" },
            { "OMP_NUM_THREADS=5 LUNARRAY_THREADS=", "5 threads: OMP_NUM_THREADS" },
        } do
            local out = run(ours, row[1] .. " lua --info")
            assert.is_truthy(out:find("\nthreads    " .. row[2] .. "\n", 1, true), out)
        end
        assert.is_truthy(run(ours, "OMP_NUM_THREADS=5 lua --threads 4 --info"):find("\nthreads    4 threads: ", 1, true))
        for _, wrong in ipairs { "", "many", "0", "-2", "2x" } do
            local out = run(ours, ("OMP_NUM_THREADS='%s' lua --info"):format(wrong))
            assert.matches("\nthreads    %d+ threads?: as many as this process may use\n", out)
        end
        local count = [[lua -e 'print(lun.index(1e6):sum())
            local n = 0
            for _ in io.popen("ls /proc/" .. io.open "/proc/self/stat":read "n" .. "/task"):lines() do n = n + 1 end
            print(n)']]
        assert.equal("500000500000\n1\n", (run(ours, "OMP_NUM_THREADS=1 LUNARRAY_JIT=off " .. count)))
    end)

    it("shows the script's calls in a traceback, not the library's", function()
        local _, err = run(ours, "lua -e 'local function f() lun.vector { 1 }:round(1, 2) end f()'")
        assert.equal("LUA: (command line):1: wrong number of arguments to 'round' (at most 1 expected, got 2)\nstack traceback:\n"
            .. "\t(command line):1: in local 'f'\n\t(command line):1: in main chunk\n\t[C]: in ?\n", err)
        _, err = run(ours, "lua -e 't = lun.table { a = { 1 } } t:sort(\"a\", \"desc\")'")
        assert.truthy(err:find("descends: t:sort \"-a\"\nstack traceback:\n\t(command line):1: in main chunk\n\t[C]: in ?\n", 1, true), err)
    end)

    it("computes with instructions no higher than LUNARRAY_ISA", function()
        local sums = {}
        for i, word in ipairs { "", "base", "avx2", "avx512" } do
            sums[i] = run(ours, "LUNARRAY_JIT=sync LUNARRAY_ISA=" .. word
                .. " lua -e 'print((\"%.17g\"):format((lun.index(100001) * 0.1):sum()))'")
            assert.equal(sums[1], sums[i])
        end
        assert.is_truthy(run(ours, "LUNARRAY_ISA=base lua --info"):find("\nisa        base\n", 1, true))
        assert.matches("^500", sums[1])
        local _, err, code = run(ours, "LUNARRAY_ISA=mmx lua -e 'print(1)'")
        assert.is_truthy(err:find("LUNARRAY_ISA must be base, avx2 or avx512, not 'mmx'", 1, true), err)
        assert.equal(1, code)
    end)

    for _, wrong in ipairs {
        { "--backend", "LUA: '--backend' needs argument\nusage:" },
        { "--backend=", "LUA: '--backend=' needs argument\nusage:" },
        { "--backend -e x", "LUA: '--backend' needs argument\nusage:" },
        { "--threads", "LUA: '--threads' needs a positive number\nusage:" },
        { "--threads 0", "LUA: '--threads' needs a positive number\nusage:" },
        { "--threads -1", "LUA: '--threads' needs a positive number\nusage:" },
        { "--time-limit", "LUA: '--time-limit' needs a positive number of seconds\nusage:" },
        { "--time-limit 0", "LUA: '--time-limit' needs a positive number of seconds\nusage:" },
        { "--time-limit=-1", "LUA: '--time-limit=-1' needs a positive number of seconds\nusage:" },
        { "--memory-limit 1x", "LUA: '--memory-limit' needs a positive number of megabytes\nusage:" },
        { "--memory-limit nan", "LUA: '--memory-limit' needs a positive number of megabytes\nusage:" },
        { "--threads two", "LUA: '--threads' needs a positive number\nusage:" },
        { "--threads 99999999999999999999", "LUA: '--threads' needs a positive number\nusage:" },
        { "--threadsome 2", "LUA: unrecognized option '--threadsome'\nusage:" },
    } do
        it("refuses " .. wrong[1], function()
            local out, err, code = run(ours, "lua " .. wrong[1] .. " -e 'print \"never\"'")
            assert.equal("", out)
            assert.equal(wrong[2], err:sub(1, #wrong[2]))
            assert.equal(1, code)
        end)
    end

    it("limits the spinning of OpenMP's idle threads, unless told otherwise", function()
        if sanitized then
            return -- another OpenMP runtime, or another order of initialisation
        end
        local show = "lua -e 'print(os.getenv \"GOMP_SPINCOUNT\")' 2>&1 | grep -E '^nil|SPINCOUNT|^[0-9]'"
        assert.equal("  GOMP_SPINCOUNT = '10000'\nnil\n", (run(ours, "OMP_DISPLAY_ENV=VERBOSE " .. show)))
        assert.equal("  GOMP_SPINCOUNT = '77'\n77\n",
            (run(ours, "GOMP_SPINCOUNT=77 OMP_DISPLAY_ENV=VERBOSE " .. show)))
        assert.is_falsy(run(ours, "OMP_WAIT_POLICY=active OMP_DISPLAY_ENV=VERBOSE " .. show)
            :find("'10000'", 1, true))
    end)

    -- how long that takes: bench/start.c
    it("starts with one thread, no device, no child and few files and pages", function()
        if sanitized or ours:find "/coverage/" then
            return
        end
        local text, complaint = run(ours, [[lua -e '
            local function word(path, pattern)
                local file <close> = io.open(path)
                return file and file:read "a":match(pattern) or "?"
            end
            print("reads", word("/proc/self/io", "syscr: (%d+)"))
            print("bytes", word("/proc/self/io", "rchar: (%d+)"))
            print("threads", word("/proc/self/status", "Threads:%s+(%d+)"))
            print("pages", word("/proc/self/stat", "^%d+ %b() %S+ %S+ %S+ %S+ %S+ %S+ %S+ (%d+)"))
            print("children", word("/proc/self/stat", "^%d+ %b() %S+ %S+ %S+ %S+ %S+ %S+ %S+ %d+ (%d+)"))
            for line in io.lines "/proc/self/maps" do print(line:match "/%S+$") end
        ']])
        local function count(what)
            return tonumber(text:match(what .. "\t(%d+)")) or assert(nil, what .. " is not in " .. text .. complaint)
        end
        assert.equal(1, count "threads")
        assert.equal(0, count "children") -- pages that ended children have touched
        assert.is_true(count "reads" < 100 and count "bytes" < 100000 and count "pages" < 1000, text)
        for _, library in ipairs { "libOpenCL", "libpocl", "LLVM", "libcuda", "libgomp" } do
            assert.is_nil(text:find(library, 1, true), text)
        end
    end)
end)
