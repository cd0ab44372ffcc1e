-- Compilers that are missing, fail, crash, hang, flood their output, write nothing or the wrong thing, or have unusual
-- names: ordinary kernels stay interpreted with the right results, a C function gives an error that names the compiler,
-- and no other command is executed.
local kit = dofile "tests/torture/kit.lua"

local dir = kit.directory()
local plain = [[
local x = lun.range(1, 1000) * 1.0
local y = (x * 3 + 1):eval()
for i = 1, 20 do y = (y * 0.5 + x):eval() end
print(((x * 3 + 1):eval():sum()))
]]
local wanted = "1502500.0\n"
local in_c = [[
local ok, e = pcall(function() return lun.map "(double a){ return a * 2; }"(lun.vector { 1, 2 }):sum() end)
print(ok, ok and e or e.code, tostring(e))
print(#tostring(e) < 20000, lun.vector { 1, 2, 3 }:sum())
]]

local function script(name, text)
    return kit.write(dir .. "/" .. name, "#!/bin/sh\n" .. text, "755")
end

os.execute(("mkdir -p %s"):format(kit.quote(dir .. "/it's a \"dir\" $HOME `x`")))
local victim = dir .. "/victim"
kit.write(victim, "keep")

-- name, LUNARRAY_CC, the error's text; "works": C functions compile
local find_output = 'for a; do if [ "$last" = -o ]; then out=$a; fi; last=$a; done\n'
local cases = {
    { "missing", dir .. "/no such compiler", "no such compiler" },
    { "empty name", "", "" },
    { "a directory", dir, "no such compiler" },
    { "not executable", kit.write(dir .. "/plain", "x", "644"), "no such compiler" },
    { "not a program", kit.write(dir .. "/garbage", "\1\2\3", "755"), "" },
    { "exit 1", script("exit1", "echo 'k.c:1: error: no luck' >&2; exit 1"), "no luck" },
    { "exit 1 in silence", script("exit2", "exit 1"), "exit status 1" },
    { "killed by a signal", script("killed", "kill -SEGV $$"), "signal 11" },
    { "killed by SIGKILL", script("killed9", "kill -KILL $$"), "signal 9" },
    { "writes nothing", script("nothing", "exit 0"), "no shared object" },
    { "an empty output", script("empty", find_output .. ': > "$out"'), "no shared object" },
    { "text as output", script("text", find_output .. 'echo hello > "$out"'), "no shared object" },
    { "a program as output", script("program", find_output .. 'cp /bin/true "$out"'), "" },
    { "another library", script("library", find_output .. 'cp "$(ldd /bin/ls | sed -n "s/.*=> \\(.*libc.so[^ ]*\\).*/\\1/p")" "$out"'),
        "no kernel" },
    { "half an object", script("half", find_output .. 'gcc "$@" && truncate -s 3000 "$out"'), "no shared object" },
    { "an object for another machine", script("machine", find_output ..
        'gcc "$@" && printf "\\267" | dd of="$out" bs=1 seek=18 conv=notrunc 2>/dev/null'), "no shared object" },
    { "a directory as output", script("dirout", find_output .. 'mkdir "$out"'), "no shared object" },
    { "a link as output", script("linkout", find_output .. 'ln -s /etc/passwd "$out"'), "no shared object" },
    { "a fifo as output", script("fifoout", find_output .. 'mkfifo "$out"'), "no shared object" },
    { "long output, then failure", script("spew", ("head -c %d /dev/zero | tr '\\0' e >&2; exit 1"):format(
        kit.count(1 << 30, 1 << 24))), "exit status 1" },
    { "long output, then an object", script("spew2", ("head -c %d /dev/zero | tr '\\0' e; exec gcc \"$@\""):format(
        kit.count(1 << 30, 1 << 24))), works = true },
    { "leaves a child behind", script("child", "(sleep 5 &) ; exec gcc \"$@\""), works = true },
    { "spaces and quotes", kit.write(dir .. "/it's a \"dir\" $HOME `x`/c c'c\"", '#!/bin/sh\nexec gcc "$@"', "755"),
        works = true },
    { "a command line", "gcc; rm " .. victim, "no such compiler" },
    { "a substitution", "$(rm " .. victim .. ")", "no such compiler" },
    { "backquotes", "`rm " .. victim .. "`", "no such compiler" },
    { "an option", "gcc -DX", "no such compiler" },
}

kit.part("fake compilers", function()
    local bad = 0
    for _, case in ipairs(cases) do
        local function complain(what, out, err, status)
            bad = bad + 1
            io.stderr:write(("%s: %s: status %s: %s%s\n"):format(case[1], what, status, out:sub(1, 500), err:sub(1, 500)))
        end
        for _, jit in ipairs { "sync", "auto" } do
            local env = ("LUNARRAY_BACKEND=openmp LUNARRAY_JIT=%s LUNARRAY_CC=%s LUNARRAY_CACHE_DIR=%s/c%s"):format(
                jit, kit.quote(case[2]), dir, jit)
            os.execute(("rm -rf %s/c%s"):format(dir, jit))
            local out, err, status = kit.run(plain, env, 20)
            if out ~= wanted or status ~= 0 then
                complain(jit, out, err, status)
            end
            out, err, status = kit.run(in_c, env, 30)
            local first = out:match "^[^\n]*"
            if status ~= 0 or not out:find("true\t6\n$") or
                (case.works or case[2] == "") ~= (first:find "^true\t6" ~= nil) or
                not (case.works or case[2] == "") and not (out .. err):find(case[3], 1, true) then
                complain(jit .. ", in C", out, err, status)
            end
        end
    end
    if kit.read(victim) ~= "keep" then
        return false, "a command in LUNARRAY_CC was executed"
    end
    return bad == 0, "%d compilers, %d wrong", #cases, bad
end)

-- A compiler that never ends: the program continues with interpreted kernels and leaves no process behind.
kit.part("a hanging compiler", function()
    local mark = "31" .. tostring(os.time() % 100000)
    script("hang", "exec sleep " .. mark)
    local start = os.time()
    local out, err, status = kit.run(plain, "LUNARRAY_BACKEND=openmp LUNARRAY_JIT=auto LUNARRAY_CC=" .. dir .. "/hang", 20)
    local took = os.time() - start
    local pipe = io.popen("ps -eo args | grep -c '^[s]leep " .. mark .. "'")
    local left = pipe:read "n"
    pipe:close()
    if status ~= 0 or out ~= wanted then
        return false, "status %s: %s%s", status, out, err
    end
    return took < 5 and left == 0, "ended after %d s, %d processes left", took, left
end)
