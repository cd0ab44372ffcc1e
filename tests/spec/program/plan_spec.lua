-- lunarray --plan: scripts as files, what is printed and the exit code. What a plan says is compared with what the same
-- script does when it runs.

local shell = require "shell"

local ours = shell.interpreter()
if ours:sub(1, 1) ~= "/" then
    ours = shell.capture "pwd":gsub("\n$", "") .. "/" .. ours
end

local scratch

-- Standard output, standard error and status of a script, planned unless `options` are others.
local function run(text, options, arguments)
    local path = shell.write(scratch .. "/s.lua", text)
    local _ = path
    local command = ("cd '%s' && env -u LUA_INIT '%s' %s s.lua %s >out 2>err </dev/null"):format(scratch, ours,
        options or "--plan", arguments or "")
    local _, _, status = os.execute(command)
    local function output(name)
        return (shell.slurp(scratch .. "/" .. name):gsub("[^\n]*build[^\n:]*/lunarray: ", ""))
    end
    return output "out", output "err", status
end

describe("--plan", function()
    setup(function()
        scratch = shell.scratch()
    end)
    teardown(function()
        shell.discard(scratch)
    end)

    it("lists what each line would run, and ends with the sum", function()
        local out, err, status = run [[
local A, B = lun.linspace(0, 1, 10000000), lun.random(10000000)
local c = (A + B) * (A - B)
lun.eval(c)
local d = c - c:mean()
d:eval()
]]
        assert.equal("", err)
        assert.equal(0, status)
        assert.equal([[
line 3: 1 kernel, 3 operations, 0 bytes read, 80 MB written
line 4: 2 kernels, 8 operations, 80 MB read, 8 bytes written
line 5: 1 kernel, 1 operation, 80 MB read, 80 MB written
ok: 4 kernels, about 160 MB at most
]], out)
    end)

    it("counts the kernels that the script runs", function()
        local text = [[
local A, B = lun.linspace(0, 1, 100000), lun.index(100000)
local c = (A + B) * (A - B)
lun.eval(c)
for i = 1, 3 do
    c = lun.sqrt(c * c + i)
    c:eval()
end
local h = c:map(function(x) if x > 1 then return x else return 1 / x end end)
h:eval()
]]
        local planned = run(text):match "ok: (%d+) kernels"
        local ran = run(text .. "print(lun.stats().launches)", "")
        assert.equal(5, tonumber(ran))
        assert.equal(5, tonumber(planned))
    end)

    it("stops where a value is needed", function()
        for line, text in pairs {
            ["if s > 0 then end"] = "2", ["if s == 0 then end"] = "2", ["local z = lun.zeros(s)"] = "2",
            ["for i = 1, s do end"] = "2", ["local t = { [s] = 1 }"] = "2", ["local x = A[s]"] = "2",
            ["local x = #A:compress(A:gt(3))"] = "2", ["if A:any() then end"] = "2", ["while s < 3 do end"] = "2",
            ["local t = A:totable()"] = "2", ["pcall(function() return s > 0 end)"] = "2",
            ["local t = { s = s } if t.s == 1 then end"] = "2", ["local function f() return s end if f() == 1 then end"] = "2",
            ["io.read()"] = "2", ["local t = {} local x = t[s + 1]"] = "2",
            ["coroutine.wrap(function() return s < 1 end)()"] = "2",
        } do
            local out, err, status = run("local A = lun.index(10) local s = A:sum()\n" .. line .. "\nos.remove 's.lua'")
            assert.equal("", err, line)
            assert.equal(0, status, line)
            assert.matches(("line %s: a value is needed here; planned so far\nso far: "):format(text), out, line)
        end
    end)

    it("goes on with what any number would do", function()
        local out, err = run [[
local A = lun.index(10)
local s, k = A:sum(), 3
local t = { s = s, k = k }
assert(type(s) == "number" and math.type(s) == "integer" and math.type(s / 2) == "float")
if k == 3 then t[k] = s end
for i = 1, 3 do t[i] = i == k and s or i end
print(("%d of %s"):format(s, tostring(s)), s .. "", -s ^ 2 // 1 % 3)
local B = A:map(function(x) return x * s + t.k end) - s + s * A
assert(B:dtype() == "i64" and #B == 10)
B:eval()
]]
        assert.equal("", err)
        assert.matches("line 10: 1 kernel, %d operations, 0 bytes read, 80 bytes written\n", out)
        assert.matches("\nok: %d kernels, about 80 bytes at most\n$", out)
    end)

    it("writes, shows and removes nothing", function()
        shell.write(scratch .. "/kept", "as it was")
        local out, _, status = run [[
print "a" io.write "b" io.stdout:write "c"
lun.save("made.npy", lun.index(3) + 1)
lun.plot(lun.index(3))
]]
        assert.equal(0, status)
        assert.equal([[
line 1: print: nothing is shown or written
line 1: io.write: nothing is shown or written
line 1: write: nothing is shown or written
line 2: 1 kernel, 1 operation, 0 bytes read, 24 bytes written
line 2: lun.save: nothing is shown or written
line 3: 1 kernel, 0 operations, 0 bytes read, 24 bytes written
line 3: lun.plot: nothing is shown or written
ok: 2 kernels, about 48 bytes at most
]], out)
        for _, line in ipairs { "os.remove 'kept'", "os.rename('kept', 'x')", "io.open('kept', 'w')", "os.execute 'rm kept'",
            "io.popen 'rm kept'",
            "lun.open 'kept.db'", "lun.open 'kept.duckdb'", "lun.cache.export 'kept'",
            "io.output 'kept'", "os.tmpname()", "pcall(os.remove, 'kept')" } do
            out, _, status = run(line .. "\nlun.nothing()")
            assert.equal("", out)
            assert.equal(1, status)
            out, _, status = run(line .. "\nlocal x = y or 1")
            assert.matches("line 1: %S+ .*has effects, so it is not called; planned so far", out)
            assert.equal(0, status)
            assert.equal("as it was", shell.slurp(scratch .. "/kept"))
        end
        assert.is_nil(io.open(scratch .. "/made.npy"))
    end)

    it("ends before what computes beside the script", function()
        local out, err, status = run "local q = lun.queue 'reference'\nq:wait()"
        assert.equal("", err)
        assert.equal(0, status)
        assert.equal("line 1: lun.queue has effects, so it is not called; planned so far\n"
            .. "so far: 0 kernels, about 0 bytes at most\n", out)
        out = run [[lun.sql "copy (select 1) to 'made.csv'"]]
        assert.matches("^line 1: lun.sql has effects, so it is not called; planned so far\n", out)
        assert.is_nil(io.open(scratch .. "/made.csv"))
    end)

    it("finds names that there are not, all of them, and no others", function()
        local out, err, status = run [[
local A = lun.index(10)
print(lun.maen(A), A:sun())
pritn(A)
local unpack = table.unpack or unpack
print(string.formt("x"), math.sqr(3))
local t = {} function t.mine() end t.mine() t:own()
function helper() end helper()
if jit then print(jit.version) end
local up = function() return lun.zeroes(3) end
]]
        assert.equal("", out)
        assert.equal(1, status)
        assert.equal([[
s.lua:2: lun has no 'maen'; did you mean 'lun.mean'?
s.lua:2: no value has a method 'sun'; did you mean 'sin'?
s.lua:3: global 'pritn' is never set; did you mean 'print'?
s.lua:5: math has no 'sqr'; did you mean 'math.sqrt'?
s.lua:5: string has no 'formt'; did you mean 'string.format'?
s.lua:6: no value has a method 'own'
s.lua:8: global 'jit' is never set
s.lua:9: lun has no 'zeroes'; did you mean 'lun.zeros'?
]], err)
        out, err, status = run [[
local lun, own = require "lunarray", require "own"
own:method() Global.x()
print(lun.maen)
]]
        assert.equal("s.lua:3: lun has no 'maen'; did you mean 'lun.mean'?\n", err)
        assert.equal(1, status, out)
    end)

    it("finds wrong shapes and functions that are not compiled, by their lines", function()
        local _, err, status = run "local A = lun.index(10)\nlocal function f(x) return x + lun.zeros(11) end\nf(A)"
        assert.matches("^s.lua:2: bad argument #2 to '%+' %(lengths differ: i64%[10%] and f64%[11%]%)\n", err)
        assert.equal(1, status)
        _, err, status = run "local A = lun.index(10)\nA:map(function(x) return\n io.read() end):eval()"
        assert.matches("s.lua:3: a call of 'io.read' is not supported", err)
        assert.equal(1, status)
        _, err, status = run "local x = 1\nlocal y = = 2"
        assert.equal("s.lua:2: unexpected symbol near '='\n", err)
        assert.equal(1, status)
        _, err = run("assert(arg[1] == 'a' and ... == 'a')\nassert(lun.load 'none.npy')", nil, "a")
        assert.matches("^s.lua:2: none.npy: No such file or directory", err)
    end)

    it("opens files for dtypes and shapes", function()
        shell.write(scratch .. "/t.csv", "city,temp\nOslo,7.5\nRome,21\n")
        local out, err = run [[
local t = assert(lun.load "t.csv")
assert(#t == 2 and t.temp:dtype() == "f64")
local f = t.temp * 1.8 + 32
f:eval()
]]
        assert.equal("", err)
        assert.matches("line 4: 1 kernel, 2 operations, 16 bytes read, 16 bytes written\nok: 1 kernel, about %d+ bytes at most\n", out)
    end)

    it("writes a line of JSON each", function()
        local out, err, status = run("local s = lun.index(3):sum()\nif s > 0 then end", "--plan --errors=json")
        assert.equal("", err)
        assert.equal(0, status)
        local rows = {}
        for line in out:gmatch "[^\n]+" do
            rows[#rows + 1] = assert(require("lunarray").json.decode(line))
        end
        assert.equal(3, #rows)
        assert.same({ "plan", 1, 1, "s.lua" }, { rows[1].level, rows[1].line, rows[1].kernels, rows[1].file })
        assert.same({ "stopped", 2 }, { rows[2].level, rows[2].line })
        assert.same({ "so far", 1, 0 }, { rows[3].level, rows[3].kernels, rows[3].bytes })
        out, err, status = run("lun.maen()", "--plan --errors=json")
        assert.equal("", out)
        assert.equal(1, status)
        assert.equal([[{"level":"error","code":"name","file":"s.lua","line":1,"message":"lun has no 'maen'; ]]
            .. [[did you mean 'lun.mean'?"}]] .. "\n", err)
    end)

    it("needs a script, and no sandbox or ranks", function()
        local said, failed = shell.capture(("'%s' --plan -e 'x = 1' 2>&1"):format(ours))
        assert.equal("'--plan' needs a script", said:match "lunarray: ([^\n]*)")
        assert.equal(1, failed)
        for options, text in pairs { ["--plan --sandbox"] = "cannot be combined with a sandbox",
            ["--plan --ranks 2"] = "cannot be combined with ranks" } do
            local _, err, status = run("", options)
            assert.equal(("'--plan' %s\n"):format(text), err:match "^[^\n]*\n")
            assert.equal(1, status)
        end
    end)

    it("plans the examples or stops in them: none is wrong", function()
        local data = "examples/data/"
        local arguments = { airports = data .. "airports.csv", heatmap = data .. "seattle-weather.csv",
            kmeans = data .. "china.png", picture = data .. "china.png", sobel = data .. "china.png",
            digits = data .. "digits.npy", weather = data .. "seattle-weather.csv", pipeline = data .. "seattle-weather.csv never.csv" }
        local pipe = assert(io.popen "ls examples/*.lua")
        for path in pipe:lines() do
            local name = path:match "([%w_]+)%.lua$"
            local out, status = shell.capture(("'%s' --plan %s %s 2>&1 </dev/null"):format(ours, path,
                arguments[name] or ""))
            assert.equal(0, status, path .. ": " .. out)
            assert.matches("at most\n$", out, path)
        end
        pipe:close()
    end)
end)
