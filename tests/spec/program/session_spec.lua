-- lunarray --session: requests in, answers out, one JSON object a line, as a program sends and reads them.

local shell = require "shell"

local json = lun.json
local ours = shell.interpreter()
if ours:sub(1, 1) ~= "/" then
    ours = shell.capture "pwd":gsub("\n$", "") .. "/" .. ours
end

local scratch

-- The answers to requests, tables or lines, in order, and the exit code.
local function session(requests, options, last)
    local lines = {}
    for i, request in ipairs(requests) do
        lines[i] = type(request) == "table" and json.encode(request) or request
    end
    shell.write(scratch .. "/in", table.concat(lines, "\n") .. (last or "\n"))
    local _, _, status = os.execute(("cd '%s' && env -u LUA_INIT '%s' --session %s <in >out 2>err"):format(scratch, ours,
        options or ""))
    local answers = {}
    for line in shell.slurp(scratch .. "/out"):gmatch "([^\n]*)\n" do
        answers[#answers + 1] = assert(json.decode(line))
    end
    return answers, status
end

-- The only answer to a request.
local function answer(request, options)
    local answers = session({ request }, options)
    assert.equal(1, #answers)
    return answers[1]
end

local function run(text, id)
    return { id = id, ["do"] = "run", text = text }
end

describe("--session", function()
    setup(function()
        scratch = shell.scratch()
    end)
    teardown(function()
        shell.discard(scratch)
    end)

    it("runs, prints as it goes, and shows what the last expression is", function()
        local answers, status = session {
            run("a = lun.index(3); a*2", 1), run("print('hä', 1) io.write 'no end' io.stdout:write('.\\n')", "two"),
            run("return 5, nil", 3), run("x = 1", 4), run("x;", 5), run("_", 6), run("nil", 7),
        }
        assert.equal(0, status)
        assert.same({
            { id = 1, ok = true, result = { text = "Composition<i64>[3] openmp (1 operation waiting)\n[2 4 6]" } },
            { id = "two", out = "hä\t1\n" },
            { id = "two", out = "no end.\n" },
            { id = "two", ok = true, result = json.object {} },
            { id = 3, ok = true, result = { text = "5\tnil" } },
            { id = 4, ok = true, result = json.object {} },
            { id = 5, ok = true, result = json.object {} },
            { id = 6, ok = true, result = { text = "1" } },
            { id = 7, ok = true, result = { text = "nil" } },
        }, answers)
    end)

    it("gives errors as --errors=json does", function()
        local answers = session {
            run("local function f()\n return nil + 1\nend\nlocal x = f()", 1), run("x = = 3", 2), run("lun.zeros(3) + lun.zeros(4)", 3),
            run("lun.index(3) // lun.vector{1, 0, 1}", 4), run("error{code = 'own', message = 'said'}", 5), run("a += 1", 6),
        }
        local function error_of(i, code, line, message)
            local e = answers[i].error
            assert.is_false(answers[i].ok)
            assert.equal(i, answers[i].id)
            assert.same({ "error", code, line }, { e.level, e.code, e.line })
            assert.equal(message, e.message)
            return e
        end
        local e = error_of(1, "runtime", 2, "attempt to perform arithmetic on a nil value")
        assert.same({ 2, 4 }, { e.traceback[1].line, e.traceback[2].line })
        assert.equal("stdin", e.file)
        error_of(2, "syntax", 1, "unexpected symbol near '='")
        error_of(3, "runtime", 1, "bad argument #2 to '+' (lengths differ: f64[3] and f64[4])")
        error_of(4, "EZERO", 1, "attempt to perform 'n//0'")
        error_of(5, "own", nil, "said")
        assert.equal("in Lua: a = a + ...", error_of(6, "syntax", 1, "syntax error near '+'").hint)
    end)

    it("shows tables as HTML and plots as SVG", function()
        local answers = session {
            run("t = lun.table{n = lun.index(20), s = lun.vector({'a<b', 'ü'}):take(lun.index(20) % 2 + 1)}", 1), run("t", 2),
            run("lun.plot(lun.index(3))", 3), run("lun.plot(lun.index(3)) lun.hist(lun.index(3)); return 'two'", 4),
            run("lun.plot(lun.index(3), {string = true, width = 20, height = 2})", 5),
            run("lun.plot(lun.index(3), {file = 'p.svg'})", 6), run("lun.bars({'a', 'b'}, lun.vector{1, 2})", 7),
            run("lun.box(lun.random(50))", 8), run("lun.image(lun.random{4, 5})", 9),
        }
        local html = answers[2].result.html
        assert.matches("^<table>\n<thead>\n<tr><th></th><th>n</th><th>s</th></tr>\n<tr><th></th><th>i64</th><th>text</th></tr>\n", html)
        assert.matches("\n<tr><td>1</td><td>1</td><td>ü</td></tr>\n<tr><td>2</td><td>2</td><td>a&lt;b</td></tr>\n", html, 1, true)
        assert.matches("\n<tr><td>...</td><td>...</td><td>...</td></tr>\n<tr><td>16</td>", html, 1, true)
        assert.matches("<p>2 columns, 20 rows</p>$", html)
        assert.matches("^2 columns, 20 rows\n", answers[2].result.text)
        assert.matches("^<svg .*</svg>\n$", answers[3].result.svg)
        assert.is_nil(answers[3].result.text)
        assert.same({ 4, "" }, { answers[4].id, answers[4].out })
        assert.matches("^<svg .*</svg>\n$", answers[4].svg)
        assert.matches("^<svg .*</svg>\n$", answers[5].result.svg)
        assert.equal("two", answers[5].result.text)
        assert.not_equal(answers[4].svg, answers[5].result.svg)
        assert.matches("⣀", answers[6].result.text)
        assert.is_nil(answers[6].result.svg)
        assert.is_nil(answers[7].result.svg)
        for i = 8, 10 do
            assert.matches("^<svg .*</svg>\n$", answers[i].result.svg)
        end
        assert.matches("^<svg ", shell.slurp(scratch .. "/p.svg"))
    end)

    it("completes, helps, says what is whole and which globals there are", function()
        local answers = session {
            run("w = lun.zeros({2, 3}, 'f32') t = lun.table{n = lun.index(4)} x = 'a'", 1),
            { id = 2, ["do"] = "complete", text = "ä = lun.linsp" }, { id = 3, ["do"] = "complete", text = "w:su(1)", cursor = 4 },
            { id = 4, ["do"] = "help", text = "lun.sum" }, { id = 5, ["do"] = "help", text = "t:filter" },
            { id = 6, ["do"] = "help", text = "" }, { id = 7, ["do"] = "whole", text = "for i = 1, 2 do" },
            { id = 8, ["do"] = "whole", text = "x = 1" }, { id = 9, ["do"] = "whole", text = "x = = 1" },
            { id = 10, ["do"] = "globals" }, { id = 11, ["do"] = "complete", text = "w:pad(" },
            { id = 12, ["do"] = "complete", text = "x = lun.full (" },
        }
        assert.same({ matches = { "linspace" }, from = #"ä = lun." }, answers[2].result)
        assert.same({ matches = { "sub", "substr", "sum" }, from = 2 }, answers[3].result)
        assert.matches("the sum", answers[4].result.text)
        assert.matches("^t:filter%(", answers[5].result.text)
        assert.matches("^Lunarray: ", answers[6].result.text)
        assert.same({ whole = false }, answers[7].result)
        assert.same({ whole = true }, answers[8].result)
        assert.same({ whole = true, message = "stdin:1: unexpected symbol near '='" }, answers[9].result)
        assert.same({ { name = "t", kind = "columns", shape = { 4, 1 } },
            { name = "w", kind = "View", dtype = "f32", shape = { 2, 3 } }, { name = "x", kind = "string" } },
            answers[10].result.globals)
        assert.equal("a:pad(n [, edge])", answers[11].result.call)
        assert.equal("lun.full(shape, x [, dtype [, opts]])", answers[12].result.call)
    end)

    it("answers what is no request, without an id, and goes on", function()
        local long = ("x"):rep(10 << 20)
        local answers, status = session({
            "nonsense", "", "[1]", "5", '{"id":7}', '{"id":8,"do":"dance"}', '{"id":9,"do":"run"}', '{"id":{},"do":"run","text":"1"}',
            '{"id":10,"do":"run","text":"1', '\0\255', ("["):rep(1000), run("return #'" .. long .. "'", 11),
            '{"id":12,"do":"run","text":"1+1"}', '{"id":13,"do":"run","te',
        }, nil, "")
        assert.equal(0, status)
        assert.equal(14, #answers)
        for i = 1, 14 do
            local ok = i == 8 or i == 12 or i == 13
            assert.equal(ok, answers[i].ok, i)
            assert.equal(not ok and "usage" or nil, not ok and answers[i].error.code or nil)
        end
        for i, id in ipairs { false, false, false, false, 7, 8, 9, false, false, false, false, 11, 12, false } do
            assert.equal(id or nil, answers[i].id)
        end
        assert.equal("unknown 'do': dance (complete, globals, help, run, whole)", answers[6].error.message)
        assert.equal("'run' needs a text", answers[7].error.message)
        assert.equal(tostring(10 << 20), answers[12].result.text)
        assert.equal("2", answers[13].result.text)
    end)

    it("keeps the protocol whole, whatever is written", function()
        local bytes = {}
        for byte = 0, 255 do
            bytes[#bytes + 1] = ("\\x%02x"):format(byte)
        end
        local answers, status = session {
            run("os.execute 'echo from a child; echo {}' print(io.read 'a')", 1),
            run("io.write '" .. table.concat(bytes) .. "'", 2), run("io.write '\\xc3' io.stdout:flush() io.write '\\xa4\\n'", 3),
            run("print(('x'):rep(10 << 20))", 4), run("io.stdout:setvbuf 'no' print 'a'", 5), run("io.stdout:close() print 'b'", 6),
            run("print = nil return tostring(_G)", 7), run("io = nil string.format = nil json = nil", 8), run("1+1", 9),
            run("os.exit(3)", 10), run("2", 11),
        }
        assert.equal(3, status)
        local out, last = {}, nil
        for _, one in ipairs(answers) do
            out[one.id] = (out[one.id] or "") .. (one.out or "")
            if one.id == 9 then
                last = one
            end
        end
        assert.equal("\n", out[1])
        assert.equal(256 + 128 * 2, #out[2])
        assert.equal("ä\n", out[3])
        assert.equal((10 << 20) + 1, #out[4])
        assert.equal("2", last.result.text)
        assert.is_nil(out[11])
        assert.matches("from a child\n{}\n", shell.slurp(scratch .. "/err"), 1, true)
    end)

    it("stops a run by SIGINT, and is there for the next", function()
        if ours:find "/tsan/" then
            print "left out: stops a run by SIGINT: ThreadSanitizer keeps a signal until the C library is called"
            return
        end
        local script = ([[
cd '%s' && mkfifo pipe
env -u LUA_INIT '%s' --session <pipe >out 2>err & pid=$!
exec 3>pipe
echo '{"id":1,"do":"run","text":"print(1) while true do pcall(function() while true do end end) end"}' >&3
%s
kill -INT $pid
while kill -0 $pid 2>/dev/null && ! grep -q interrupted out; do sleep 0.02; done
kill -INT $pid
echo '{"id":2,"do":"run","text":"1+1"}' >&3
while kill -0 $pid 2>/dev/null && ! grep -q '"id":2' out; do sleep 0.02; done
exec 3>&-
wait $pid; echo $? >status]]):format(scratch, ours, shell.computing("$pid", 20))
        shell.write(scratch .. "/command.sh", script)
        os.execute("sh " .. scratch .. "/command.sh")
        assert.equal([[
{"id":1,"out":"1\n"}
{"id":1,"ok":false,"error":{"level":"error","code":"interrupt","message":"interrupted"}}
{"id":2,"ok":true,"result":{"text":"2"}}
]], shell.slurp(scratch .. "/out"))
        assert.equal("0\n", shell.slurp(scratch .. "/status"))
    end)

    it("holds the limits of a sandbox for each run", function()
        local answers, status = session({
            run("return io == nil and os.execute == nil and require == nil", 1), run("while true do end", 2), run("1+1", 3),
            run("setmetatable(_G, {__index = function() while true do end end})", 4),
            { id = 5, ["do"] = "complete", text = "nothing." }, { id = 6, ["do"] = "globals" },
            run("local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1e6) .. i end", 7), run("return 1", 8),
            run("return setmetatable({}, {__tostring = function() while true do end end})", 9),
            { id = 10, ["do"] = "complete", text = "require 'x" }, run("rawset(_G, 'print', nil) x = 1", 11),
        }, "--time-limit 1 --memory-limit 100")
        assert.equal(0, status)
        local by = {}
        for _, one in ipairs(answers) do
            by[one.id or 0] = one
        end
        assert.equal("true", by[1].result.text)
        assert.same({ false, "ELIMIT" }, { by[2].ok, by[2].error.code })
        assert.equal("2", by[3].result.text)
        assert.same({}, by[5].result.matches)
        assert.is_true(by[6].ok)
        assert.is_false(by[7].ok)
        assert.equal("1", by[8].result.text)
        assert.same({ false, "ELIMIT" }, { by[9].ok, by[9].error.code })
        assert.is_true(by[10].ok)
        assert.is_true(by[11].ok)
    end)

    it("is a session alone", function()
        for options, text in pairs { ["--plan"] = "cannot be combined with --plan, -i or ranks", ["-i"] =
            "cannot be combined with --plan, -i or ranks", ["-e 1"] = "takes no script", ["x.lua"] = "takes no script" } do
            local out, status = shell.capture(("'%s' --session %s 2>&1 </dev/null"):format(ours, options))
            assert.equal(("'--session' %s"):format(text), out:match "lunarray: ([^\n]*)")
            assert.equal(1, status)
        end
        assert.same({ ok = true, result = { text = "true" } }, answer(run "true"))
    end)
end)
