-- Shared by the Lua parts of the torture suite: sizes scaled by TORTURE, result lines, programs run with an
-- environment of their own, seeded random numbers.
local kit = {}

kit.factor = tonumber(os.getenv "TORTURE") or 0.01
kit.build = os.getenv "BUILD" or "build"

function kit.count(full, least)
    return math.max(least, math.ceil(full * kit.factor))
end

-- A result line for run.sh: what was tested, and its figure or what went wrong.
function kit.report(good, name, format, ...)
    io.write(good and "ok" or "FAIL", "\t", name, "\t", (format:format(...):gsub("[\n\t]", " ")), "\n")
    io.flush()
end

-- Runs f, which returns success, a format and its values, and reports that; an error of f is a failure.
function kit.part(name, f)
    local result = table.pack(xpcall(f, debug.traceback))
    if not result[1] then
        io.stderr:write(tostring(result[2]), "\n")
        kit.report(false, name, "%s", tostring(result[2]):match "^[^\n]*")
    else
        kit.report(result[2], name, table.unpack(result, 3, result.n))
    end
end

function kit.quote(s)
    return "'" .. s:gsub("'", "'\\''") .. "'"
end

local directory
-- A scratch directory for this part's files.
function kit.directory()
    if not directory then
        local pipe = assert(io.popen("mktemp -d " .. (os.getenv "TORTURE_SCRATCH" or "/tmp") .. "/part-XXXXXX"))
        directory = assert(pipe:read "l")
        pipe:close()
    end
    return directory
end

function kit.write(path, text, mode)
    local f = assert(io.open(path, "wb"))
    f:write(text)
    f:close()
    if mode then
        assert(os.execute(("chmod %s %s"):format(mode, kit.quote(path))))
    end
    return path
end

function kit.read(path)
    local f = io.open(path, "rb")
    if not f then
        return ""
    end
    local text = f:read "a"
    f:close()
    return text
end

-- Runs the text of a script with the environment "NAME=value ..." for at most `seconds`. Returns its standard output, its
-- standard error and its exit status (128 + signal).
function kit.run(text, environment, seconds, before)
    local dir = kit.directory()
    local script, out, err = dir .. "/script.lua", dir .. "/out", dir .. "/err"
    kit.write(script, text)
    -- in a subshell: the message of a shell that reports signals then goes to `err`
    local _, _, status = os.execute(("{ %s env %s timeout -s KILL %d %s/lunarray %s >%s; } 2>%s"):format(before or "",
        environment or "", seconds or 60, kit.build, script, out, err))
    return kit.read(out), kit.read(err), status
end

local ends = {
    { "", 0 }, { "os.exit(true)", 0 }, { "os.exit(true, true)", 0 }, { "os.exit(false)", 1 }, { "os.exit(7, true)", 7 },
    { "error 'x'", 1 }, { "error({})", 1 }, { "error(setmetatable({}, { __tostring = error }))", 1 },
    { "(x // 0):eval()", 1 }, { "lun.eval(w) error({})", 1 },
    { "setmetatable({}, { __gc = function() print(w:sum()) end })", 0 },
    { "setmetatable({}, { __gc = function() error 'x' end }) lun.eval(w)", 0 },
    { "local c <close> = setmetatable({}, { __close = function() lun.eval(w) end })", 0 },
    { "coroutine.wrap(function() lun.eval(w) os.exit(3, true) end)()", 3 },
    { "io.popen 'true':close() os.execute 'true' lun.eval(w)", 0 },
    { "local _ = w:map '-' os.exit(4)", 4 },
    { "io.popen('kill -TERM ' .. io.open '/proc/self/stat':read 'n') while true do w:max() lun.eval(x + 1) end", 143 },
    { "local k = lun.map(function(i) for j = 1, 1000 do i = i * 3 ~ j end return i end)(lun.index(1e6)) os.exit(5)", 5 },
}

-- Runs 1000 programs at full size, at least `least` (nil: each of `ends` twice), with environment(round). Returns what
-- kit.part expects.
function kit.ends(least, environment)
    local runs = kit.count(1000, least or 2 * #ends)
    local head = "local x = lun.range(1, 1e5):eval() local y = (x * 2 + 1):sum() "
        .. "local z = lun.map(function(a) return a + 1 end)(x) z:eval() local w = x + y "
    local bad = 0
    for i = 1, runs do
        local row = ends[i * 5 % #ends + 1] -- stride 5: a short run meets different kinds
        local out, err, status = kit.run(head .. row[1], environment((i - 1) // #ends), 60)
        if status ~= row[2] then
            bad = bad + 1
            io.stderr:write(("%s: status %s, not %d: %s%s\n"):format(row[1], status, row[2], out, err))
        end
    end
    return bad == 0, "%d programs, %d crashed, hung or ended with another status", runs, bad
end

-- A generator of random integers in 1 .. n (splitmix64).
function kit.generator(seed)
    local state = seed
    return function(n)
        state = state + 0x9e3779b97f4a7c15
        local z = state
        z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
        z = (z ~ (z >> 27)) * 0x94d049bb133111eb
        return ((z ~ (z >> 31)) >> 1) % n + 1
    end
end

return kit
