-- Damaged and forged npy, csv, pgm, ppm and raw files: each is read, or refused by nil and a message, within memory in
-- proportion to its length. Mutations of valid files, from a seed.
local kit = dofile "tests/torture/kit.lua"
local lun = require "lunarray"

local dir = kit.directory()

local function npy(header, data)
    header = header .. (" "):rep(63 - (10 + #header) % 64) .. "\n"
    return "\x93NUMPY\1\0" .. string.pack("<I2", #header) .. header .. data
end

local seeds = {
    npy = {
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", ("\0"):rep(32)),
        npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }", ("\1"):rep(24)),
        npy("{'descr': '|b1', 'fortran_order': False, 'shape': (), }", "\1"),
    },
    csv = { "a,b\n1,2\n3,4\n", "x;y\n1.5;\"a \"\"b\"\"\"\n2;z\n", "n\n1e308\nnan\n-inf\n0x10\n", "\xef\xbb\xbfa,b\r\n1,\r\n,2\r\n" },
    pgm = { "P5\n3 2\n255\nabcdef", "P2\n# x\n2 2 15\n1 2 3 15\n", "P5 1 1 65535\nab" },
    ppm = { "P6\n2 1\n255\nabcdef", "P3\n1 1\n255\n1 2 3\n" },
}

local pieces = { "99999999999999999999", "-1", "(", ")", "'", "\0", "\xff\xff\xff\xff", "1e999", ",", "\"", "\n", "P5",
    "4611686018427387904",
    "shape", "__import__", "{", "|O", ">f8", ("9"):rep(400) }

local function mutate(random, text)
    for _ = 1, random(4) do
        local at, way = random(#text + 1), random(6)
        if way == 1 then
            text = text:sub(1, at - 1) .. string.char(random(256) - 1) .. text:sub(at + 1)
        elseif way == 2 then
            text = text:sub(1, at - 1)
        elseif way == 3 then
            text = text:sub(1, at - 1) .. pieces[random(#pieces)] .. text:sub(at)
        elseif way == 4 then
            text = text:sub(1, at - 1) .. pieces[random(#pieces)] .. text:sub(at + random(6))
        elseif way == 5 then
            text = text .. text:sub(at)
        else
            text = text:sub(1, at - 1) .. text:sub(at + random(20))
        end
    end
    return text
end

-- Whether lun.open accepts a .npy file as lun.load does. It accepts all bytes as truth values: any but 0 is true.
local function opens_alike(path, loaded)
    local ok, opened, message = pcall(lun.open, path)
    if not ok or opened == nil and type(message) ~= "string" then
        return false
    elseif opened and opened:dtype() == "bool" then
        return true
    elseif not opened or not loaded then
        return not opened == not loaded
    end
    local _ <close> = opened
    return opened:tobytes() == loaded:tobytes() and tostring(opened:sum()) == tostring(loaded:sum())
end

kit.part("damaged files", function()
    local random = kit.generator(tonumber(os.getenv "TORTURE_SEED") or 11)
    local tries, read, refused, bad = kit.count(200000, 3000), 0, 0, 0
    local kinds = { "npy", "csv", "pgm", "ppm" }
    for i = 1, tries do
        local kind = kinds[i % #kinds + 1]
        local text = mutate(random, seeds[kind][random(#seeds[kind])])
        local path = dir .. "/f." .. kind
        kit.write(path, text)
        local before = lun.stats().peak
        local ok, value, message = pcall(lun.load, path)
        if not ok or value == nil and type(message) ~= "string" or kind == "npy" and not opens_alike(path, value) then
            bad = bad + 1
            kit.write(dir .. "/bad", text)
            io.stderr:write(("%s: %q: %s\n"):format(kind, text, tostring(value)))
        elseif value == nil then
            refused = refused + 1
        else
            read = read + 1
            tostring(value)
        end
        if lun.stats().peak > before + (64 << 20) then
            bad = bad + 1
            io.stderr:write(("%s of %d bytes took %d\n"):format(kind, #text, lun.stats().peak - before))
        end
    end
    return bad == 0 and read > 0 and refused > 0, "%d files: %d read, %d refused, %d raised or took too much", tries, read, refused, bad
end)

-- C functions: random bytes and mutations of valid ones give functions or errors.
kit.part("damaged C functions", function()
    local random = kit.generator(tonumber(os.getenv "TORTURE_SEED") or 12)
    local good = {
        "(float x, float y){ return x*y; }", "float f(float x) { return sqrtf(x); }", "(int x, __global int *t, int n){ return t[x % n]; }",
        "#include \"a\"\nlong <f>(long x) { /* } */ return x; // }\n}", "static int g(int a) { return a; } int f(int x) { return g(x); }",
        "(double x){ char c = '}'; const char *s = \"}{\"; return x; }",
    }
    local odd = { "{", "}", "(", ")", "\"", "'", "\\", "/*", "*/", "//", "#", "<f>", "const", "unsigned", "??/", "\0", "\n", "*", "...",
        "[", "]",
        ("("):rep(5000), ("{"):rep(5000), ("a"):rep(70000), "float", ";", "typedef struct { int a; } s;" }
    local tries, made, refused, bad = kit.count(300000, 3000), 0, 0, 0
    for _ = 1, tries do
        local text = good[random(#good)]
        for _ = 1, random(5) do
            local at = random(#text + 1)
            text = text:sub(1, at - 1) .. odd[random(#odd)] .. text:sub(at + random(8) - 1)
        end
        local ok, e = pcall(function() return lun.map(text)(lun.vector { 1, 2 }) end)
        if ok then
            made = made + 1
        elseif tostring(e):find "%S" then
            refused = refused + 1
        else
            bad = bad + 1
        end
    end
    return bad == 0 and refused > 0, "%d texts: %d functions, %d refused", tries, made, refused
end)
