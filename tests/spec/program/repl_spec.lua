-- The prompt, as someone at a terminal meets it: driven through a pseudo terminal.

package.path = "tests/?.lua;" .. package.path
local shell = require "shell"
local terminal = require "terminal"

local dialogue, run = terminal.dialogue, terminal.run
local directory
-- ThreadSanitizer keeps a signal back until the program does something atomic or calls what it intercepts: Lua's own
-- loops and string.find do neither.
local stops_lua = not terminal.build:find "/tsan"

setup(function()
    directory = terminal.directory()
end)

teardown(function()
    terminal.remove(directory)
end)

local function shows(text, part)
    assert.is_truthy(text:find(part, 1, true), ("no %q in:\n%s"):format(part, text))
end

local function hides(text, part)
    assert.is_falsy(text:find(part, 1, true), ("%q in:\n%s"):format(part, text))
end

local function write(name, content, mode)
    local path = directory .. "/" .. name
    local file = assert(io.open(path, "wb"))
    file:write(content)
    file:close()
    os.execute(("chmod %s '%s'"):format(mode or "644", path))
    return path
end

describe("showing values", function()
    it("prints what an expression gives, with and without =", function()
        local text = dialogue { "1 + 1", "=2, nil, 's'", "x = 5", "x", "print 'p'" }
        shows(text, "> 1 + 1\n2\n")
        shows(text, "\n2\tnil\ts\n")
        shows(text, "> x = 5\n> x\n5\n")
        shows(text, "> print 'p'\np\n> ")
        shows(text, "[exit 0]")
    end)

    it("says once that the first line of a csv was taken as a row", function()
        local path = write("numbers.csv", "1.5,2\n3,4\n")
        local names = write("names.csv", "a,b\n3,4\n")
        local load = ("t = lun.load %q"):format(path)
        local text = dialogue { ("t = lun.load %q"):format(names), "'before'", load, "#t", load, "'again'" }
        local note = path .. ": line 1 is numbers: taken as data; {header = true} makes it names\n"
        shows(text, "before\n> " .. load .. "\n" .. note .. "> #t\n2\n> " .. load .. "\n> 'again'\n")
    end)

    it("is silent after a semicolon, and keeps the last value in _", function()
        local text = dialogue { "6 * 7;", "_", "_ + 1", "y = 1", "_", "'a', 'b'", "_ ;", "_" }
        shows(text, "> 6 * 7;\n> _\n42\n> _ + 1\n43\n> y = 1\n> _\n43\n")
        shows(text, "> _ ;\n> _\na\n")
    end)

    it("shows what plain tables hold, one level deep", function()
        local text = dialogue { "{}", "{ 1, 'two', { 3 }, x = lun.index(4), ['a b'] = true }", "lun.devices()[1]",
            "(function() local t = {} for i = 1, 100 do t[i] = i end return t end)()", "{ ('x'):rep(100) }",
            "setmetatable({}, { __tostring = function() return 'mine' end })", "_G ~= nil, {}" }
        shows(text, "> {}\n{}\n")
        shows(text, '{1, "two", {...}, ["a b"] = true, x = Vector<i64>[4]}\n')
        shows(text, 'backend = "openmp",\n')
        shows(text, "  20,\n  ... 80 more\n}")
        shows(text, ("x"):rep(60) .. '"...')
        shows(text, "\nmine\n")
        shows(text, "\ntrue\t{}\n")
    end)

    it("summarises arrays, and computes only what it shows", function()
        local text = run({
            { "wait", "> " },
            { "send", "(lun.index(4) + 0.5)\r" }, { "wait", "> " },
            { "send", "(lun.index(1 << 61) + 1)^2\r" }, { "wait", "]\r\n" }, { "wait", "> " }, -- no machine computes all
            { "send", "\4" },
        })
        shows(text, "Composition<f64>[4] openmp (1 operation waiting)\n[1.5 2.5 3.5 4.5]\n")
        shows(text, "Composition<f64>[2305843009213693952] openmp (3 operations waiting)\n[4.00000e+00 9.00000e+00")
    end)

    it("shows errors without the prompt's own frames, and goes on", function()
        local text = dialogue {
            "error 'broken'", "local function f() error 'deep' end f()", "error {}",
            "error(setmetatable({}, { __tostring = function() return 'described' end }))",
            "lun.vector{1} // 0", "x = = 1", "lun.vector{1}:cast 'f99'", "1 + 1",
        }
        shows(text, "> error 'broken'\nstdin:1: broken\n> ")
        shows(text, "stdin:2: deep\n  stdin:2: in local 'f'\n  stdin:2: in main chunk\n> ")
        shows(text, "(error object is a table value)\n")
        shows(text, "\ndescribed\n")
        shows(text, "stdin:5: attempt to perform 'n//0'\n> ")
        shows(text, "stdin:6: unexpected symbol near '='\n")
        shows(text, "bad argument #1 to 'cast'")
        shows(text, "> 1 + 1\n2\n")
        hides(text, "lunarray/")
    end)
end)

describe("a script that changes what the prompt stands on", function()
    it("may forbid new globals", function()
        local text = dialogue { "setmetatable(_G, { __index = function(_, k) error('no ' .. k) end, __newindex = error })",
            "1 + 1", "_ + 1", "nothing" }
        shows(text, "> 1 + 1\n2\n> _ + 1\n3\n")
        shows(text, "no nothing")
        shows(text, "[exit 0]")
    end)

    it("may overflow the stack", function()
        local text = dialogue { "local function f() return 1 + f() end f()", "1 + 1" }
        shows(text, "stack overflow")
        shows(text, "\n2\n")
    end)

    it("may take away a library", function()
        local text = dialogue { "kept = 5", "string.find = nil string.match = nil string.gsub = nil", "lost", "kept + 1" }
        shows(text, "the prompt has failed; continuing with a plain one")
        shows(text, "\n6\n")
        shows(text, "[exit 0]")
    end)
end)

describe("input", function()
    it("goes over several lines where it has to", function()
        local text = dialogue { "for i = 1, 2 do", "print(i * 10)", "end", "s = [[a", "b]]", "s", "f(" , ")" }
        shows(text, "> for i = 1, 2 do\n>> print(i * 10)\n>> end\n10\n20\n> ")
        shows(text, "> s\na\nb\n")
        shows(text, "attempt to call a nil value (global 'f')")
    end)

    it("uses _PROMPT and _PROMPT2", function()
        local text = dialogue({ "a =", "3", "a" }, { arguments = [[-e '_PROMPT = "ask> " _PROMPT2 = "more> "' -i]] })
        shows(text, "ask> a =\nmore> 3\nask> a\n3\n")
    end)

    it("is edited: arrows, home, end, backspace", function()
        local text = run {
            { "wait", "> " }, { "send", "12 + 4\27[D\27[D\27[D\127" }, { "idle" }, { "send", "3\27[H1\27[F0\r" },
            { "wait", "1163\r\n" }, { "wait", "> " }, { "send", "\27[A\r" }, { "wait", "1163\r\n" }, { "wait", "> " },
            { "send", "\4" },
        }
        shows(text, "[exit 0]")
        shows(text, "\n1163\n") -- 1123 + 40, and again from the history
        assert.equal(2, select(2, text:gsub("\n1163\n", "")))
    end)

    it("takes pasted text as it is, and runs it at Enter", function()
        local text = run {
            { "wait", "> " },
            { "send", "\27[200~local k = 20\nfor i = 1, 2 do\n\tprint(k + i)\nend\n\27[201~" },
            { "idle" }, { "mark", "before Enter" }, { "send", "\r" }, { "wait", "22" }, { "wait", "> " },
            { "send", "\27[200~z = 5\nz + 1\nz * 2\27[201~\r" }, { "wait", "10" }, { "wait", "> " },
            { "send", "\4" },
        }
        local before, after = text:match "^(.-)before Enter(.*)$"
        hides(before, "\n21\n")
        shows(after, "21\n22\n")
        shows(after, "6\n10\n")
    end)

    -- Pastes texts one after another, each with what is waited for in the answer.
    local function pasted(...)
        local steps = { { "wait", "> " } }
        for _, paste in ipairs { ... } do
            table.move({ { "send", "\27[200~" .. paste[1] .. "\27[201~\r" }, { "wait", paste[2] .. "\r\n" },
                { "wait", "> " } }, 1, 3, #steps + 1, steps)
        end
        steps[#steps + 1] = { "send", "\4" }
        return run(steps)
    end

    it("prints the value of the expression that ends pasted text", function()
        local text = pasted({ "local k = 20\nk + 1", "21" }, { "z = 5\nz", "5" },
            { "function f(x)\n  return x\nend\nf(lun.index(3))", "[1 2 3]" },
            { "s = [[a\nb\n]]\n\n#s\n-- done", "4" }, { "for i = 1, 2 do\n  z = z + i\nend\nz,\nz * 2", "8\t16" },
            { "local a = 3\n\na + 1\nlocal b = a + 7\nb + 1\na + b", "13" }, { "_ * 2", "26" })
        shows(text, "a + b\n4\n11\n13\n> ")
        shows(text, "[exit 0]")
    end)

    it("splits no statement for the value of its end, hides after a semicolon, counts lines", function()
        local text = pasted({ "function f(x) return x * 11 end\ny = f\n(3)\nw = 8\n- 3\ny = y\n.. 'a'\ny, w", "33a\t5" },
            { "y = f\n(3)\nu = 6\nu * 7;\nprint(u .. '!')", "6!" },
            { "q1 = 1\n\n\nq1 + 1\nlocal c = 2\nnothing.at = c\nc", "stdin:19: attempt to index a nil value (global 'nothing')" })
        hides(text, "\n42\n")
        shows(text, "\n2\nstdin:19")
        shows(text, "[exit 0]")
    end)

    it("prints what return gives, as through a pipe", function()
        local inputs = { "return 5", "return 1, 'a', nil", "do return 2 end", "return", "_ + 40" }
        local text = dialogue(inputs)
        shows(text, "> return 5\n5\n> return 1, 'a', nil\n1\ta\tnil\n> do return 2 end\n2\n> return\n> _ + 40\n42\n> ")
        local pipe = io.popen(("printf '%%s\\n' 'return 5' 'do return 2 end' | '%s' -i"):format(terminal.program))
        shows(pipe:read "a", "> return 5\n5\n> do return 2 end\n2\n> ")
        pipe:close()
        shows(dialogue { "return 6 * 7;", "'next'" }, "> return 6 * 7;\n> 'next'\n")
    end)

    it("tells once that a local ends with its input", function()
        local text = dialogue { "local q = 5", "q", "q", "q + 1" }
        shows(text, "> q\nnil ('q' was local to the input that declared it; without 'local' it stays)\n> q\nnil\n")
        assert.equal(1, select(2, text:gsub("was local", "")))
        text = dialogue { "local a <const>, b = 1, 2", "local function g() end", "g()", "b + 1" }
        shows(text, "attempt to call a nil value (global 'g')\n'g' was local")
        assert.equal(1, select(2, text:gsub("was local", "")))
        text = dialogue { "local a <const>, b = 1, 2", "b + 1" }
        shows(text, "(global 'b')\n'b' was local")
        hides(dialogue { "local a = 1", "a = 2", "a", "lun.local_a" }, "was local")
    end)

    it("shows NaN without a sign", function()
        shows(dialogue { "0/0, -(0/0), { 0/0, x = -(0/0) }" }, "\nnan\tnan\t{nan, x = nan}\n")
    end)

    it("ends at Ctrl-D, which an unfinished line keeps", function()
        local text = run { { "wait", "> " }, { "send", "x\4" }, { "idle" }, { "send", "\127\4" } }
        shows(text, "[exit 0]")
    end)

    it("takes characters beyond ASCII", function()
        for _, locale in ipairs { "C", "C.UTF-8" } do
            local text = dialogue({ "#'\u{e9}\u{2200}', '\u{2200}'" }, { environment = "LC_ALL=" .. locale })
            shows(text, "5\t\u{2200}\n")
        end
    end)
end)

-- the editor's own modes of a terminal: pasted text comes between marks
local PASTE_ON, PASTE_OFF = "\27[?2004h", "\27[?2004l"

describe("signals while a line is edited", function()
    it("a window that changes its width: the line stays", function()
        local text = run {
            { "wait", "> " }, { "send", "x = 6 * 7 -- " .. ("y"):rep(50) }, { "idle" }, { "columns", 40 },
            { "idle" }, { "send", "\r" }, { "wait", "> " }, { "columns", 120 }, { "idle" },
            { "send", "x .. '!'\r" }, { "wait", "42!" }, { "wait", "> " }, { "send", "\4" },
        }
        shows(text, "[exit 0]")
    end)

    for name, number in pairs { SIGTERM = 15, SIGHUP = 1, SIGQUIT = 3 } do
        it(name .. " ends the program, and the terminal is as it was", function()
            local text, raw = run({
                { "wait", "> " }, { "send", "1 + " }, { "idle" }, { "signal", number },
            }, { environment = "sh -c 'ulimit -c 0; exec \"$@\"' sh" })
            shows(text, ("[signal %d]"):format(number))
            local at = raw:match ".*()\27%[%?2004"
            assert.equal(PASTE_OFF, raw:sub(at, at + #PASTE_OFF - 1))
        end)
    end

    it("Ctrl-Z gives the terminal back to the shell; fg goes on with the line", function()
        local text, raw = run({
            { "wait", "> " }, { "send", "x = 6 * " }, { "wait", "6 * " }, { "send", "\26" }, { "wait", "stopped" },
            { "wait", PASTE_ON }, { "send", "7\r" }, { "wait", "> " }, { "send", "x .. '!'\r" }, { "wait", "42!" },
            { "wait", "> " }, { "send", "\4" }, { "wait", "ended 0" },
        }, { program = "sh", arguments = ("-mc '%s -i; echo stopped; fg; echo ended $?'"):format(terminal.program) })
        shows(text, "[exit 0]")
        local before = raw:match "^(.-)stopped"
        local at = before:match ".*()\27%[%?2004"
        assert.equal(PASTE_OFF, before:sub(at, at + #PASTE_OFF - 1))
        shows(raw:match "stopped(.*)$", PASTE_ON)
    end)

    it("a paste that never ends: the input does", function()
        local text = run { { "wait", "> " }, { "send", "\27[200~1 + 1\4" }, { "idle" }, { "send", "\3" },
            { "wait", "> " }, { "send", "6 * 7\r" }, { "wait", "42" }, { "wait", "> " }, { "send", "\4" } }
        shows(text, "[exit 0]")
    end)
end)

describe("history", function()
    local function session(inputs, home)
        return dialogue(inputs, { directory = home })
    end

    it("is kept, several lines as one entry, readable by nobody else", function()
        local home = terminal.directory()
        session({ "1 + 1", "for i = 1, 2 do", "print(i) end", "'\\n'" }, home)
        local path = home .. "/lunarray/history"
        assert.equal("1 + 1\nfor i = 1, 2 do\\nprint(i) end\n'\\\\n'\n", shell.slurp(path))
        assert.equal("600", io.popen(("stat -c %%a '%s'"):format(path)):read "l")
        local text = run({
            { "wait", "> " }, { "send", "\27[A\27[A\r" }, { "wait", "2\r\n" }, { "wait", "> " },
            { "send", "\27[A\27[A\27[A\27[A\r" }, { "wait", "2\r\n" }, { "wait", "> " }, { "send", "\4" },
        }, { directory = home })
        shows(text, "\n1\n2\n")
        assert.is_truthy(text:find "1 %+ 1\n+2\n", text)
        terminal.remove(home)
    end)

    it("keeps what two sessions at once typed", function()
        local home = terminal.directory()
        write("outer.lua", ([[
            os.execute("mkdir -p '%s/inner'")
            package.path = "%s/?.lua"
            print(#require("terminal").dialogue({ "'inner'" }, { directory = "%s/inner", environment = "XDG_STATE_HOME=%s" }))
        ]]):format(home, os.getenv "PWD" .. "/tests", home, home))
        session({ "'first'", ("dofile '%s/outer.lua';"):format(directory), "'last'" }, home)
        local entries = shell.slurp(home .. "/lunarray/history")
        assert.equal("'first'\ndofile '" .. directory .. "/outer.lua';\n'inner'\n'last'\n", entries)
        terminal.remove(home)
    end)

    it("is in the home directory where no other is named", function()
        local home = terminal.directory()
        dialogue({ "1 + 1" }, { directory = home, environment = ("XDG_STATE_HOME= HOME='%s'"):format(home) })
        shows(shell.slurp(home .. "/.local/state/lunarray/history"), "1 + 1")
        terminal.remove(home)
    end)

    it("does not grow without end", function()
        local home = terminal.directory()
        os.execute(("mkdir -p '%s/lunarray'"):format(home))
        local file = assert(io.open(home .. "/lunarray/history", "wb"))
        for i = 1, 5000 do
            file:write("x", i, "\n")
        end
        file:close()
        session({ "1" }, home)
        local content = shell.slurp(home .. "/lunarray/history")
        assert.equal("x3001\n", content:match "^[^\n]*\n")
        assert.is_truthy(content:find "x5000\n1\n$")
        terminal.remove(home)
    end)

    it("is no reason to fail", function()
        shows(dialogue({ "1 + 1" }, { environment = "XDG_STATE_HOME=/proc/nowhere" }), "\n2\n")
        shows(dialogue({ "1 + 1" }, { environment = "HOME= XDG_STATE_HOME=" }), "\n2\n")
    end)
end)

describe("completion", function()
    -- What stands in the line after the keys.
    local function completed(keys, before)
        local steps = { { "wait", "> " } }
        for _, line in ipairs(before or {}) do
            table.move({ { "send", line .. "\r" }, { "wait", "\n" }, { "wait", "> " } }, 1, 3, #steps + 1, steps)
        end
        table.move({
            { "mark", "from here" }, { "send", keys }, { "idle" }, { "send", "\21\4" },
        }, 1, 4, #steps + 1, steps)
        return run(steps, { directory = directory }):match "from here\n(.*)$"
    end

    it("knows globals and fields", function()
        shows(completed "collectg\t", "collectgarbage")
        shows(completed "lun.linsp\t", "lun.linspace")
        shows(completed "lun.red\t\t", "reduce    reduceat  reduceby")
        shows(completed("a.long_f\t", { "a = { long_field = 1 }" }), "a.long_field")
        shows(completed "print(string.for\t", "print(string.format")
    end)

    it("knows the columns of tables", function()
        local made = { 't = lun.table{temp_max = lun.index(2), ["wind (m/s)"] = lun.index(2)}' }
        shows(completed("t.te\t", made), "t.temp_max")
        shows(completed("t['wi\t", made), "t['wind (m/s)")
    end)

    it("knows tables and columns in the text of a query", function()
        local made = { "flights = lun.table{carrier = lun.index(2), dep_delay = lun.index(2)}  fares = lun.table{fare = lun.index(2)}" }
        shows(completed('lun.sql "select car\t', made), 'lun.sql "select carrier')
        shows(completed('lun.sql("select avg(dep\t', made), 'lun.sql("select avg(dep_delay')
        shows(completed('lun.sql "select * from fl\t', made), 'lun.sql "select * from flights')
        shows(completed("lun.sql [[select flights.dep\t", made), "lun.sql [[select flights.dep_delay")
        shows(completed("lun.sql 'select * from fa\t\t", made), "lun.sql 'select * from fares")
        hides(completed("lun.sql 'select fares.c\t\t", made), "carrier")
        hides(completed("print 'select car\t", made), "carrier")
        hides(completed("x:sql 'select 1 from \t\t", { "x = {tables = function() print 'ra' .. 'n' end}" }), "ran")
    end)

    it("follows __index", function()
        shows(completed("o.inh\t", { "o = setmetatable({}, { __index = { inherited = 1 } })" }), "o.inherited")
        shows(completed("s:rev\t", { "s = 'text'" }), "s:reverse")
        shows(completed("f = io.stdout; io.stdout:setv\t"), "io.stdout:setvbuf")
    end)

    it("knows the methods of arrays, also of what a call gives", function()
        shows(completed("v:argm\t\t", { "v = lun.index(3)" }), "argmax  argmin")
        shows(completed("v:pad(\t\t", { "v = lun.index(3)" }), "\na:pad(n [, edge])\n")
        shows(completed "lun.vector{1}:tota\t", "lun.vector{1}:totable")
        shows(completed("v:nothing_such\t", { "v = lun.index(3)" }), "v:nothing_such")
    end)

    it("runs no code of the user's", function()
        hides(completed("t.a\tb", { "t = setmetatable({}, { __index = function() print 'ran' end })" }), "ran")
    end)

    it("knows modules after require, and files in other strings", function()
        write("some_data.csv", "a\n1\n")
        write("some_module.lua", "return 1")
        shows(completed "require 'lunarray.chart.rast\t", "require 'lunarray.chart.raster")
        shows(completed "require 'some_m\t", "require 'some_module")
        shows(completed "lun.load 'some_d\t", "lun.load 'some_data.csv")
        os.execute(("mkdir -p '%s/folder'"):format(directory))
        write("folder/inside.npy", "")
        shows(completed "lun.load('fold\tin\t", "lun.load('folder/inside.npy")
    end)

    it("knows commands", function()
        shows(completed ":dev\t", ":devices")
    end)
end)

describe("did you mean", function()
    it("suggests globals, fields and methods", function()
        local text = dialogue {
            "pritn(1)", "lun.rnage(1, 2)", "a = lun.index(3)", "a:summ()", "lnu", "lun.vectro",
            "local b = a; b:maen()", "(a + 1):summ()", "string.fromat('x')", "xyzzy.q",
        }
        shows(text, "did you mean 'print'?")
        shows(text, "did you mean 'lun.range'?")
        shows(text, "did you mean 'a:sum'?")
        shows(text, "nil (did you mean 'lun'?)")
        shows(text, "nil (did you mean 'lun.vector'?)")
        shows(text, "did you mean 'b:mean'?")
        shows(text, "did you mean 'sum'?")
        shows(text, "did you mean 'string.format'?")
        shows(text, "attempt to index a nil value (global 'xyzzy')\n> ")
    end)

    it("says what names of other libraries are here", function()
        local text = dialogue({ "a = lun.index(3)", "a:astype 'f32'", "lun.arange(3)", "np.zeros(3)", "lun.arctan",
            "(a + 1):fliplr()", "zeros(3)", "a:hist()", "lun.reshape(a, 3)", "a:conv2d(a)", "concatenate(a, a)",
            "help 'astype'" }, { columns = 120 })
        shows(text, "(method 'astype')\n'astype' is a:cast \"f32\" here\n")
        shows(text, "'arange' is lun.index(10), lun.range(0, 9) here\n")
        shows(text, "(global 'np')\n'np' is lun here\n")
        shows(text, "nil ('arctan' is b:atan() here)\n")
        shows(text, "'fliplr' is M:flip(2) here\n")
        shows(text, "did you mean 'lun.zeros'?")
        shows(text, "did you mean 'lun.hist'?")
        shows(text, "did you mean 'a:reshape'?")
        shows(text, "there is no 'conv2d' yet; instead: a:convolve(b)")
        shows(text, "'concatenate' is a .. b here\n")
        shows(text, "> help 'astype'\n'astype' is a:cast \"f32\" here\n")
    end)

    it("says how verbs of other libraries are written for tables, and nothing of columns", function()
        local text = dialogue({ "t = lun.table{x = {1, 2}}", "t:query('x > 1')", "t:merge(t)", "t:count()", "t.loc" },
            { columns = 120 })
        shows(text, "no column 'query' (t:has \"query\" tests for it)\n'query' is t:filter(t.temp:gt(8)) here\n")
        shows(text, "'merge' is t:join(u, \"city\") here\n")
        shows(text, "'count' is t:agg() here\n")
        hides(text, "'loc' is")
    end)

    it("says so of nothing else: variables, texts, tables", function()
        local text = dialogue { "row", "T", "row + 1", "('x'):astype()", "t = {}", "t.astype", "t.sort(1)", "math.sort" }
        hides(text, " here")
        hides(text, "instead")
        shows(text, "did you mean 'math.sqrt'?")
    end)

    it("reads the line of a script", function()
        write("misspelt.lua", "local v = lun.index(3)\nreturn v:proud()\n")
        shows(dialogue({ "dofile 'misspelt.lua'" }, { directory = directory }), "did you mean 'v:prod'?")
    end)
end)

describe("commands", function()
    it("are listed, and close ones suggested", function()
        local text = dialogue { ":help", ":tiem on", ":", ":cache maybe" }
        for _, part in ipairs { ":time e|on|off", ":timeit e", ":explain e", ":devices", ":cache [clear]", ":quit" } do
            shows(text, part)
        end
        shows(text, "unknown command :tiem; did you mean ':time'?\nthe commands are :help :time")
        shows(text, ":cache [clear], not 'maybe'")
    end)

    it(":time tells compile, transfer and run apart", function()
        local text = dialogue({ ":time on", "lun.index(1000):sum()", ":time off", "1 + 1" },
            { environment = ("LUNARRAY_JIT=sync LUNARRAY_CACHE_DIR='%s/timed'"):format(directory) })
        local compile, rest = text:match "500500\n[%d.]+ %w+: compile ([%d.]+ %w+), transfer 0 us, run [%d.]+ %w+, Lua [%d.]+ %w+ (%b())"
        assert.equal("(launches 1, compiles 1, cache hits 0)", rest)
        assert.is_truthy(compile, text)
        assert.is_truthy(compile:find "ms" or compile:find "s$")
        shows(text, "> 1 + 1\n2\n> ")
    end)

    it(":time and :timeit run an input and say how long it took", function()
        local text = dialogue { ":time lun.index(1000):sum()", ":time x = 5", "x", ":timeit lun.index(10) + 1", ":time",
            ":time", ":time 1 +", ":timeit", ":timeit error 'no'" }
        assert.matches("sum%(%)\n[%d.]+ %w+: compile [%d.]+ %w+, transfer 0 us, run [^\n]+%(launches 1, ", text)
        shows(text, "> x\n5\n")
        assert.matches("%+ 1\n[%d.]+ %w+ a run, the median of %d+; half of them took [%d.]+ %w+ to [%d.]+ %w+\n", text)
        shows(text, "timing is on\n> :time\ntiming is off\n")
        shows(text, "> :time 1 +\nstdin:1: unexpected symbol near <eof>\n")
        shows(text, ":timeit expects an expression or statements\n")
        shows(text, "\nstdin:1: no\n")
    end)

    it(":history, :save and :run keep what was typed", function()
        local script = directory .. "/saved.lua"
        local text = dialogue { ":history", "x = 6", "x * 7", "= x, 'a'", "print 'p'", "error 'no'", "for i = 1, 2 do",
            "x = x + i end", "x;", ":history x +", ":history nothing", ":save " .. script, ":save " .. script,
            ":save " .. script .. "2 2-3", ":save", "x = 0", ":run " .. script, "x", ":run " .. script .. "3" }
        shows(text, "> :history\nthere are no inputs yet\n")
        shows(text, "> :history x +\n    6  for i = 1, 2 do\n       x = x + i end\n> ")
        shows(text, "no input contains 'nothing'\n")
        shows(text, "6 inputs in " .. script .. "\n")
        shows(text, script .. " is there already: :save writes a new file\n")
        shows(text, "2 inputs in " .. script .. "2\n")
        shows(text, ":save expects a file")
        shows(text, "> :run " .. script .. "\n42\n6\ta\np\n> x\n9\n")
        shows(text, "saved.lua3: No such file or directory")
        local file = assert(io.open(script, "rb"))
        assert.equal("x = 6\nprint(x * 7)\nprint( x, 'a')\nprint 'p'\nfor i = 1, 2 do\nx = x + i end\n_ = x;\n", file:read "a")
        file:close()
    end)

    it(":edit runs what an editor leaves of an input", function()
        local editor = write("editor", "#!/bin/sh\nsed -i s/20/30/ \"$1\"\n", "755")
        local environment = ("VISUAL= EDITOR='%s'"):format(editor)
        local text = dialogue({ "20 + 1", "'other'", ":edit 1", ":edit 9", ":edit" }, { environment = environment })
        shows(text, "> :edit 1\n30 + 1\n31\n")
        shows(text, "there is no input at line 9\n")
        shows(text, "> :edit\n30 + 1\n31\n")
        shows(dialogue({ ":edit" }, { environment = "VISUAL= EDITOR=" }), "neither is set\n")
        text = dialogue({ "a = 1", ":edit" }, { environment = "VISUAL= EDITOR=false" })
        shows(text, "'false' has failed, so nothing is run\n")
        assert.is_nil(io.popen("ls /tmp/lua_*.lua 2>/dev/null"):read "l")
    end)

    it(":explain shows the plan without running it", function()
        local text = dialogue { ":explain lun.index(10) + 1", "lun.stats().launches", ":explain", ":explain 1 +",
            ":explain lun.index(3), 5" }
        shows(text, "plan: 1 kernel, 1 operation")
        shows(text, "> lun.stats().launches\n0\n")
        shows(text, ":explain expects an expression")
        shows(text, "near <eof>")
        shows(text, ":explain expects arrays, not number")
    end)

    it(":devices and :cache tell what there is", function()
        local cache = directory .. "/kernels"
        local text = dialogue({ ":devices", "lun.index(100):sum()", ":cache", ":cache clear", ":cache" },
            { environment = ("LUNARRAY_JIT=sync LUNARRAY_CACHE_DIR='%s'"):format(cache) })
        shows(text, "* openmp")
        shows(text, cache .. ": 1 kernel, ")
        shows(text, "removed 1 kernel ")
        shows(text, cache .. ": 0 kernels, 0 bytes")
        shows(dialogue({ ":cache" }, { environment = "LUNARRAY_CACHE_DIR=" }), "there is no kernel cache")
    end)

    it(":quit leaves, and so do quit and exit where they mean nothing else", function()
        for _, word in ipairs { ":quit", "quit", "exit", "exit()", " quit ;" } do
            shows(run { { "wait", "> " }, { "send", word .. "\r" } }, "[exit 0]")
        end
        local text = dialogue { "quit = 5", "quit", "function exit() return 'mine' end", "exit()" }
        shows(text, "> quit\n5\n")
        shows(text, "> exit()\nmine\n")
    end)
end)

describe("help", function()
    it("is a function and a word", function()
        local text = dialogue { "help", "help 'reduce'", "help(lun.scan)", "help(lun.index(2))" }
        shows(text, "making arrays")
        shows(text, "a:reduce(f, id, extra...")
        shows(text, "lun.scan(f, id")
        shows(text, "of dtype i64")
    end)

    it("leaves a global of that name alone", function()
        shows(dialogue({ "help" }, { arguments = [[-e 'help = "mine"' -i]] }), "\nmine\n")
    end)
end)

describe("Ctrl-C", function()
    -- Types the input, which would take very long, Ctrl-C once `sign` is shown or it says that it has begun, and an
    -- expression that shows that all is well and that x was not computed to its end.
    local function interrupt(input, sign, opts)
        local steps = { { "wait", "> " }, { "send", "kept = 41\r" }, { "wait", "\n" }, { "wait", "> " } }
        local text = run(table.move({
            { "send", "io.write('be', 'gun\\n'); " .. input .. "\r" }, { "wait", sign or "begun" }, { "busy" }, { "send", "\3" },
            { "wait", "interrupted" }, { "wait", "> " },
            { "send", "x == nil or x:pending() > 0, kept + 1\r" }, { "wait", "true\t42" }, { "wait", "> " }, { "send", "\4" },
        }, 1, 10, #steps + 1, steps), opts)
        shows(text, "[exit 0]")
    end

    it("stops a loop", function()
        if not stops_lua then
            return
        end
        interrupt "while true do end"
    end)

    it("stops a loop that catches errors", function()
        if not stops_lua then
            return
        end
        interrupt "while true do pcall(function() while true do end end) end"
    end)

    it("stops a loop in a coroutine", function()
        if not stops_lua then
            return
        end
        interrupt "coroutine.wrap(function() coroutine.wrap(function() while true do end end)() end)()"
        interrupt "while true do coroutine.resume(coroutine.create(function() while true do end end)) end"
    end)

    local long = "x = lun.random(2e7) for i = 1, 200 do x = x:sin() + x:exp() end x:eval()"

    it("stops an elementwise kernel", function()
        interrupt(long, " elements, ")
    end)

    it("stops a reduction", function()
        interrupt("(lun.index(1000000000000):cast 'f64' * 0.5):sum()", " elements, ")
    end)

    it("stops the reference backend", function()
        interrupt("(lun.index(1000000000000) * 3):sum()", " elements, ", { arguments = "--backend reference" })
    end)

    it("stops OpenCL, and its compiler", function()
        local has = false
        for _, name in ipairs(lun.backends()) do
            has = has or name == "opencl"
        end
        if not has then
            return -- no device here
        end
        -- what a kernel that does not end may still read is left to it, for which LeakSanitizer would end the program
        local opts = { arguments = "--backend opencl", environment = "ASAN_OPTIONS=detect_leaks=0" }
        interrupt("(lun.index(100000000000) * 3):sum()", " elements, ", opts) -- cells of 49 MB
        interrupt(long, nil, opts) -- a driver's compiler cannot be stopped
    end)

    it("stops printing", function()
        interrupt "for i = 1, 1e9 do print(i) end"
    end)

    it("stops reading and waiting", function()
        interrupt "io.read()"
        interrupt([[os.execute "echo a''sleep; sleep 1000" error 'interrupted anyway']], "asleep")
    end)

    it("stops waiting for the compiler", function()
        local compiler = write("slow-cc", "#!/bin/sh\nsleep 1000\n", "755")
        interrupt("lun.index(1000):sum()", "compile ",
            { environment = ("LUNARRAY_JIT=sync LUNARRAY_CC='%s' LUNARRAY_CACHE_DIR='%s/slow'"):format(compiler, directory) })
    end)

    it("gives a fresh line at the prompt, and drops an unfinished input", function()
        local text = run {
            { "wait", "> " }, { "send", "unfinished(" }, { "idle" }, { "send", "\3" }, { "wait", "> " },
            { "send", "for i = 1, 2 do\r" }, { "wait", ">> " }, { "send", "\3" }, { "wait", "> " },
            { "send", "6 * 7\r" }, { "wait", "42" }, { "wait", "> " }, { "send", "\4" },
        }
        shows(text, "[exit 0]")
    end)

    it("pressed twice within a second ends what does not stop, with 130", function()
        if not stops_lua then
            return
        end
        local steps = { { "wait", "> " },
            { "send", "io.write('be', 'gun\\n'); string.find(string.rep('a', 300000), '.-.-b')\r" }, { "wait", "begun" } }
        steps[#steps + 1] = { "busy" } -- before the search begins Ctrl-C stops the line
        steps[#steps + 1] = { "press", "\3" } -- until it ends: two may come as one
        local text = run(steps)
        shows(text, "[exit 130]")
    end)
end)

describe("a long evaluation", function()
    local long = "x = lun.random(1e7) for i = 1, 12 do x = x:sin() + x:exp() end x:eval();"

    it("shows how far it is, and erases that", function()
        local steps = { { "wait", "> " }, { "send", "(lun.index(1000000000000) * 2):sum()\r" },
            { "wait", "reduce " }, { "wait", " % of 1000000000000 elements, " }, { "wait", " left" }, { "send", "\3" },
            { "wait", "\27[K" }, { "wait", "interrupted" }, { "wait", "> " }, { "send", "\4" } }
        shows(run(steps), "[exit 0]")
    end)

    it("shows percents that grow, and how long the rest takes", function()
        local steps = { { "wait", "> " }, { "send", "(lun.index(1000000000000) * 2):sum()\r" } }
        for _ = 1, 8 do
            steps[#steps + 1] = { "wait", " left" }
        end
        table.move({ { "send", "\3" }, { "wait", "interrupted" }, { "wait", "> " }, { "send", "\4" } }, 1, 4, #steps + 1,
            steps)
        local _, raw = run(steps)
        local lines, before = 0, 0
        for percent, left in raw:gmatch "reduce [%d.]+ s, (%d+) %% of 1000000000000 elements, ([^\27]*) left" do
            assert.matches("^[1-9]%d* s$", (left:gsub("min$", "s"):gsub("h$", "s"):gsub("days$", "s")))
            assert.is_true(tonumber(percent) >= before and tonumber(percent) < 100)
            before = tonumber(percent)
            lines = lines + 1
        end
        assert.is_true(lines >= 8, lines .. " lines")
    end)

    it("over a file shows how much is read, unless it is told not to", function()
        local path = directory .. "/long.csv"
        local f <close> = assert(io.open(path, "w"))
        f:write "a,pad\n"
        for i = 1, 300000 do
            f:write(i, ",", ("x"):rep(100), "\n")
        end
        f:flush()
        -- at row 100000 more than a second goes by, so the next rows are behind the first report
        local script = ("t = lun.open '%s'; print(#t:filter(function(r) if r.a == 100000 then local now = os.time() "
            .. "while os.time() < now + 3 do end end return true end))\r"):format(path)
        local steps = { { "wait", "> " }, { "send", script }, { "wait", "300000" }, { "wait", "> " }, { "send", "\4" } }
        local _, raw = run(steps)
        assert.matches("read %d%.%d s, %d+ %% of 32 MB, %d+ MB a second", raw)
        _, raw = run(steps, { environment = "LUNARRAY_PROGRESS=0" })
        assert.is_nil(raw:find "MB a second")
    end)

    it("shows that it waits for the compiler", function()
        local compiler = write("slow-cc", "#!/bin/sh\nuntil test -e shown; do sleep 0.1; done\nexit 1\n", "755")
        local text = run({ { "wait", "> " }, { "send", "lun.index(1000):sum()\r" }, { "wait", "compile " }, { "touch", "shown" },
            { "wait", "\27[K" }, { "wait", "500500" }, { "wait", "> " }, { "send", "\4" } }, { directory = directory,
            environment = ("LUNARRAY_JIT=sync LUNARRAY_CC='%s' LUNARRAY_CACHE_DIR='%s/slow'"):format(compiler, directory) })
        shows(text, "[exit 0]")
    end)

    it("shows nothing in a pipe or a dumb terminal", function()
        local pipe = io.popen(("TERM=xterm '%s' -e \"%s\" 2>&1"):format(terminal.program, long))
        assert.equal("", pipe:read "a")
        pipe:close()
        hides((select(2, dialogue({ long }, { environment = "TERM=dumb" }))), " elements")
    end)
end)

describe("terminals that can do less", function()
    it("get plain lines: dumb ones", function()
        local text, raw = dialogue({ "1 + 1", "for i = 1, 1 do", "print(i + 6) end", ":devices", "lun.rnage" },
            { environment = "TERM=dumb" })
        hides(raw, "\27")
        shows(text, "> 1 + 1\n2\n> for i = 1, 1 do\n>> print(i + 6) end\n7\n")
        shows(text, "* openmp")
        shows(text, "did you mean")
        shows(text, "[exit 0]")
    end)

    it("get plain lines: stdout that is none", function()
        local text = run({ { "wait", "> " }, { "send", "1 + 1\r" }, { "wait", "2" }, { "wait", "> " }, { "send", "\4" } },
            { program = "sh", arguments = ("-c '%s | cat'"):format(terminal.program) })
        shows(text, "> 1 + 1\n2\n> ")
    end)

    it("stop a loop too", function()
        if not stops_lua then
            return
        end
        local text = run({ { "wait", "> " }, { "send", "io.write('be', 'gun\\n'); while true do end\r" }, { "wait", "begun" },
            { "send", "\3" }, { "wait", "interrupted" }, { "wait", "> " }, { "send", "typed\3" }, { "wait", "> " },
            { "send", "1 + 1\r" }, { "wait", "2" }, { "send", "\4" } }, { environment = "TERM=dumb" })
        shows(text, "[exit 0]")
    end)

    it("take Ctrl-C the moment the prompt is there, and lines that a script left unread", function()
        local steps = { { "wait", "> " } }
        for _ = 1, 30 do
            table.move({ { "send", "typed\3" }, { "wait", "> " } }, 1, 2, #steps + 1, steps)
        end
        table.move({ { "send", "n = io.read 'n'\r" }, { "wait", "\n" }, { "send", "12 + 30\r" }, { "wait", "30" },
            { "wait", "> " }, { "send", "n * 2\r" }, { "wait", "24" }, { "send", "\4" } }, 1, 8, #steps + 1, steps)
        shows(run(steps, { environment = "TERM=dumb" }), "[exit 0]")
    end)

    it("show colours unless NO_COLOR is set", function()
        local _, raw = run({ { "wait", ">" }, { "idle" }, { "send", "error 'x'\r" }, { "wait", "stdin:1: x" },
            { "idle" }, { "send", "\4" } }, { environment = "NO_COLOR=" })
        shows(raw, "\27[31mstdin:1: x\27[0m")
        _, raw = dialogue { "error 'x'" }
        assert.is_falsy(raw:find "\27%[%d*m")
    end)
end)

describe("the way in", function()
    it("is the terminal, -i after other options, -e alone runs and ends", function()
        shows(dialogue({ "x" }, { arguments = "-e 'x = 7' -i" }), "> x\n7\n")
        local text = run({}, { arguments = "-e 'print(6 * 7)'" })
        assert.equal("42\n\n[exit 0]\n", text)
        write("script.lua", "y = arg[1]")
        shows(dialogue({ "y" }, { arguments = "-i script.lua word", directory = directory }), "\nword\n")
    end)

    it("runs a script from the terminal with -", function()
        local text = run({ { "idle" }, { "send", "print(6 * 7)\r\4" } }, { arguments = "-" })
        shows(text, "42\n\n[exit 0]")
    end)
end)

describe("what Lua answers without asking arrays", function()
    it("is noted behind the value, which stays", function()
        local text = dialogue { "a = lun.vector{1, 2}", 'a == "x"', "3 ~= a", "a == lun.vector{1, 2}", "(a and 5)", "a and 5",
            "a or b", "not a", "not a:sum()", "if a then print 'yes' end", "n = 0", "function f() n = n + 1 return a end",
            "f() == 'x'", "n", "f() and n", "#a == 2", "nil == 1", "a == 1, 7" }
        shows(text, "> a == \"x\"\nfalse\n'==' of an array and a string is always false; a:eq \"x\" compares elements\n> ")
        shows(text, "> 3 ~= a\ntrue\n'~=' of an array and a number is always true; a:ne(3) compares elements\n> ")
        shows(text, "> a == lun.vector{1, 2}\ntrue\n> ")
        shows(text, "> (a and 5)\n5\n> a and 5\n5\nLua takes any array as true; m1 & m2 combines masks\n> ")
        shows(text, "Lua takes any array as true; m1 | m2 combines masks\n")
        shows(text, "> not a\nfalse\nLua takes any array as true; ~m inverts a mask\n")
        shows(text, "yes\nLua takes any array as true; m:any() and m:all() give true or false\n")
        shows(text, "> n\n1\n> f() and n\n2\nLua takes") -- each operand once
        shows(text, "> #a == 2\ntrue\n> nil == 1\nfalse\n> a == 1, 7\nfalse\t7\n> ")
    end)

    it("the reason of a failure is shown where an assignment drops it", function()
        local text = dialogue { 'w = lun.load "nothing.csv"', 'w = lun.load "nothing.csv"; w', "x, why = lun.load 'no.csv'",
            "x = tonumber 'a'", "x = (function() return nil, 'mine' end)()", "local y = io.open 'nothing.csv'" }
        shows(text, '> w = lun.load "nothing.csv"\nnothing.csv: No such file or directory\n> ')
        shows(text, "; w\nnil\nnothing.csv: No such file or directory\n> x, why = lun.load 'no.csv'\n> x = tonumber 'a'\n> ")
        shows(text, "'mine' end)()\n> local y = io.open 'nothing.csv'\nnothing.csv: No such file or directory\n> ")
    end)
end)

describe("inputs in the words of other languages", function()
    local EXPECTED = {
        ["a[1:2]"] = "elements first to last, both included, are a:sub(first, last)",
        ["a != 2"] = "'not equal' is ~= ; of arrays a:ne(b)",
        ["a += 2"] = "a = a + ...",
        ["a**2"] = "a power is a ^ 2",
        ["a:sum(axis=1)"] = "options are a table: f{axis = ...}",
        ["lambda x: x"] = "function(x) return ... end",
        ["import numpy as np"] = 'a module is loaded by name = require "name"; lun is there already',
        ["def f(x):"] = "function f(...) ... end",
        ["print a"] = "print(...) takes its arguments in brackets",
        ["for i in range(3):"] = "for i = 1, n do ... end",
        ["a[m, 2]"] = "an element is a[i][j], a column a:col(j), chosen rows a:take{i, j}",
        ["x = [1, 2]"] = "a list is {1, 2, 3}; lun.vector{1, 2, 3} an array of it",
        ["x = {'k': 1}"] = 'a table is {name = value} or {["a name"] = value}',
        ["x && y"] = "'and' of conditions; of masks m1 & m2",
        ["x <- c(1, 2)"] = "an assignment is x = ...",
        ["x = y if z else w"] = "c and x or y chooses; of arrays lun.where(c, x, y)",
        ["select city from t"] = 't:filter(m):select("x", "y") takes rows and columns of a table',
    }

    it("get a line of what Lua says, at the prompt and in scripts", function()
        for input, line in pairs(EXPECTED) do
            local expected = "\nin Lua: " .. line .. "\n"
            local script = write("other.lua", "local a = 1\n\n" .. input .. "\n")
            local pipe = io.popen(("'%s' '%s' 2>&1"):format(terminal.program, script))
            local text = pipe:read "a"
            pipe:close()
            if input ~= "x <- c(1, 2)" then -- an expression at the prompt: x < -c(1, 2)
                shows(dialogue { input }, expected)
            end
            shows(text, expected)
            assert.matches("other.lua:[34]: ", text)
        end
    end)

    it("get no line where they are Lua with a mistake", function()
        for _, input in ipairs { "x = = 1", "f(1, 2", "a b", "local = 3", "x = 'a", "end" } do
            hides(dialogue({ input, ")" }), "in Lua")
        end
    end)

    it("are named where they are values", function()
        local text = dialogue { "True", "None", "x = 1", "x + None" }
        shows(text, "> True\nnil ('True' is true here)\n> None\nnil ('None' is nil here)\n")
        shows(text, "(global 'None')\n'None' is nil here\n")
    end)

    it("or of Lua's own functions get the call that takes arrays", function()
        local text = dialogue { "a = lun.vector{1, 4}", "a.sum()", "a:sort().mean()", "math.sqrt(a)", "math.max(a, 2)",
            '"x" + a', "math.sqrt 'x'" }
        shows(text, "'sum' (array expected, got no value)\na method is called with a colon: a:sum()\n")
        shows(text, "a method is called with a colon: a:mean()\n")
        shows(text, "math.sqrt takes plain numbers; of arrays a:sqrt()\n")
        shows(text, "math.max takes plain numbers; of arrays a:max(b)\n")
        shows(text, 'texts are joined by .. : "x" .. a\n')
        assert.matches("'sqrt' %(number expected, got string%)\n> ", text)
        local pipe = io.popen(("'%s' -e 'print(math.sqrt(lun.vector{4}))' 2>&1"):format(terminal.program))
        shows(pipe:read "a", "got Vector)\nmath.sqrt takes plain numbers; of arrays a:sqrt()\nstack traceback:")
        pipe:close()
    end)
end)

describe("a question", function()
    it("is a name and a question mark, or a method without a call", function()
        local text = dialogue({ "w = lun.table{x = lun.index(3)}", "w.x:mean", "w.x:mean?", "lun.gather?", "w:filter",
            "w?", "nothing?", ":doc zeros", "w.x?" }, { columns = 200 })
        local _, count = text:gsub("a:mean%(%[axis%]%), lun.mean%(a%): the arithmetic mean", "")
        assert.equal(2, count)
        shows(text, "> w:filter\nt:filter(m, ...): the rows where all hold")
        shows(text, "> w?\na table of 1 column and 3 rows; its methods")
        shows(text, "no help for 'nothing'")
        shows(text, "> :doc zeros\nlun.zeros(shape")
        shows(text, "a Vector of dtype i64")
    end)

    it("is answered in lines that fit the terminal", function()
        local text = dialogue({ "help 'map'" }, { columns = 60 })
        for line in text:match("help 'map'\n(.-)\n> "):gmatch "[^\n]+" do
            assert.is_true(#line <= 60, line)
        end
    end)
end)

describe("t:info()", function()
    it("is shown once", function()
        local text = dialogue { "t = lun.table{x = lun.index(3)}", "t:info()", "i = t:info()", "i" }
        assert.equal(3, select(2, text:gsub("5 columns, 1 row\n", "")))
    end)
end)

describe("printed lines", function()
    it("fill the terminal, unless lun.width says how many columns", function()
        local inputs = { "lun.index(60)", "lun.width(50)", "lun.index(60)", "lun.width(nil)" }
        local text = dialogue(inputs, { columns = 120 })
        local widest = {}
        for part in text:gmatch "%[ 1.-%]\n" do
            widest[#widest + 1] = 0
            for line in part:gmatch "[^\n]+" do
                widest[#widest] = math.max(widest[#widest], #line)
            end
        end
        assert.is_true(widest[1] > 100 and widest[1] <= 120, text)
        assert.is_true(widest[2] > 40 and widest[2] <= 50, text)
        shows(text, "> lun.width(nil)\n120\n")
        shows(dialogue({ "lun.width()" }, { columns = 12 }), "\n20\n")
    end)
end)

describe("a transcript that is pasted", function()
    it("loses its marks and results", function()
        local pasted = "> x = 20\n> x + 1\n21\n> for i = 1, 2 do\n>> x = x + i\n>> end\n> x\n23"
        local text = run { { "wait", "> " }, { "send", "\27[200~" .. pasted .. "\27[201~\r" },
            { "wait", "21\r\n23\r\n" }, { "wait", "> " }, { "send", "\4" } }
        shows(text, "[exit 0]")
    end)
end)
