-- Every function, method and metamethod that a script can reach, with wrong arguments of every kind in every place,
-- too few and too many: nothing crashes, every failure is an error with a message, the engine stays usable.
local kit = dofile "tests/torture/kit.lua"
local lfs = require "lfs"
local lun = require "lunarray"
local core = require "lunarray.core"

-- A map from path to function: all that tables and metatables reach from the module and from values of every kind.
local function reachable()
    local a = lun.vector { 1, 2, 3 }
    local roots = {
        lun = lun, core = core, methods = core.internal.methods, array = debug.getmetatable(a), op = lun.op,
        skeleton = debug.getmetatable(lun.map "-"), operation = debug.getmetatable(lun.op.add),
        plan = debug.getmetatable(lun.explain(a + 1)), view = debug.getmetatable(lun.zeros { 2, 2 }),
        compose = debug.getmetatable(lun.compose(lun.zip "+")),
        reduced = debug.getmetatable(lun.reduce "+"), sequence = debug.getmetatable(lun.map "-" >> lun.map "-"),
    }
    local found, seen = {}, {}
    local function visit(path, value, depth)
        if seen[value] or depth > 4 then
            return
        end
        if type(value) == "function" then
            seen[value] = true
            found[#found + 1] = { path, value }
        elseif type(value) == "table" and value ~= _G and value ~= package.loaded then
            seen[value] = true
            for k, v in pairs(value) do
                visit(path .. "." .. tostring(k), v, depth + 1)
            end
        elseif type(value) == "userdata" and debug.getmetatable(value) and debug.getmetatable(value).__call then
            found[#found + 1] = { path, value }
        end
    end
    for name, root in pairs(roots) do
        visit(name, root, 0)
    end
    table.sort(found, function(x, y) return x[1] < y[1] end)
    return found
end

local function kinds()
    local freed = lun.vector { 1 }
    freed:free()
    local odd = setmetatable({}, { __index = function() error "odd index" end, __len = function() return 1 << 40 end,
        __tostring = function() return 5 end, __name = 7, __eq = error, __close = error })
    return {
        false, true, 7, -1, 0 / 0, math.huge, 2.0 ^ 62, math.mininteger, "x", "+", ("s"):rep(100000), "\0%s%n", {}, odd,
        { 1, { 2 } }, print, function(x) return x end, coroutine.create(print), io.stdout, freed, lun.vector { 1, 2, 3 },
        lun.vector({ 1, 2 }, "u8"), lun.zeros { 2, 3 }, lun.map "-", lun.op.add, lun.zeros(0),
        kit.directory() .. "/no/such/file",
    }
end

local calls, silent, spoilt = 0, 0, 0

-- One call; a failure must have a message.
local function call(path, f, ...)
    local results = table.pack(pcall(f, ...))
    calls = calls + 1
    if not results[1] then
        local e = results[2]
        local text = type(e) == "string" and e or type(e) == "table" and e.message
        if type(text) ~= "string" or #text < 5 then
            silent = silent + 1
            if silent < 20 then
                io.stderr:write(("%s fails with %s\n"):format(path, tostring(e)))
            end
        end
    end
    if lun.use() ~= "reference" then
        lun.use "reference"
    end
    lun.math "fast"
end

-- Not called: functions that raise their argument as an error, stop the engine, or end or change the process by design.
local on_purpose = { ["error"] = true, ["lun.trim"] = true, ["core.internal.evaluation"] = true }

kit.part("wrong arguments", function()
    lun.use "reference"
    local found = reachable()
    local home = lfs.currentdir() -- whatever is taken as a file's name is a file elsewhere
    assert(lfs.chdir(kit.directory()))
    local skip = kit.factor < 0.1 and 3 or 1
    for index, row in ipairs(found) do
        local path, f = row[1], row[2]
        if not on_purpose[path] and not path:find "__gc$" and not path:find "__close$" and not path:find "internal.methods" then
            local values = kinds()
            call(path, f)
            local many = {}
            for i = 1, 60 do
                many[i] = values[i % #values + 1]
            end
            call(path, f, table.unpack(many))
            call(path, f, table.unpack({}, 1, 200))
            for k = 1 + index % skip, #values, skip do
                local v, w = values[k], values[(k * 7 + index) % #values + 1]
                call(path, f, v)
                call(path, f, v, w)
                call(path, f, w, v, 1)
                call(path, f, lun.vector { 1, 2, 3 }, v)
                call(path, f, lun.vector { 1, 2, 3 }, lun.vector { 4, 5, 6 }, v)
                call(path, f, lun.vector { 1, 2, 3 }, v, w, v)
            end
            if lun.vector { 1, 2, 3 }:sum() ~= 6 then
                spoilt = spoilt + 1
            end
        end
    end
    pcall(lun.trace) -- one that was begun ends, and writes its file
    assert(lfs.chdir(home))
    return silent == 0 and spoilt == 0 and #found > 150, "%d functions, %d calls: 0 crashes, %d without a message", #found, calls,
        silent
end)

kit.part("metatables and collection", function()
    local a = lun.vector { 1, 2, 3 }
    local mt = debug.getmetatable(a)
    local done = 0
    local function try(f, ...)
        pcall(f, ...)
        done = done + 1
    end
    -- an array's metatable on another value, and an array without its metatable
    for _, value in ipairs { io.stdout, lun.op.add, lun.map "-" } do
        local own = debug.getmetatable(value)
        debug.setmetatable(value, mt)
        for _, method in pairs(core.internal.methods) do
            try(method, value, 1, 2)
        end
        for name, event in pairs(mt) do
            if type(event) == "function" and name ~= "__gc" then
                try(event, value, value)
            end
        end
        debug.setmetatable(value, own)
    end
    for _, method in pairs(core.internal.methods) do
        local b = lun.vector { 1, 2 }
        debug.setmetatable(b, nil)
        try(method, b, 1)
        debug.setmetatable(b, mt)
    end
    debug.setmetatable(0, mt)
    try(function() return (5):sum() end)
    try(function() return 1 .. a end)
    debug.setmetatable(0, nil)
    -- cycles of __index
    local one, two = {}, {}
    setmetatable(one, { __index = two })
    setmetatable(two, { __index = one })
    try(function() return lun.vector(one) end)
    try(function() return lun.random(3, one) end)
    local endless = setmetatable({}, { __index = function(t) return t end })
    try(lun.vector, endless)
    try(lun.zeros, endless)
    try(lun.random, 3, endless)
    -- resurrection: an array kept by a finalizer, an array used by a finalizer after its own ran
    local kept = {}
    for i = 1, 100 do
        setmetatable({ lun.vector { i } + 1 }, { __gc = function(t) kept[#kept + 1] = t[1] end })
    end
    collectgarbage()
    collectgarbage()
    for _, b in ipairs(kept) do
        -- the array's finalizer has run as well: an error, or all elements
        local ok, sum = pcall(b.sum, b)
        assert(not ok or sum > 1)
    end
    local gc = mt.__gc
    if gc then
        local b = lun.vector { 1 }
        gc(b)
        try(function() return b:sum() end)
        gc(b)
        for _, value in ipairs { 1, "x", {}, io.stdout } do
            try(gc, value)
        end
        try(gc)
    end
    -- a million arguments, results and nested calls
    local list = {}
    for i = 1, 200000 do
        list[i] = a
    end
    try(function() return lun.eval(table.unpack(list)) end)
    try(function() return a:map("-", table.unpack(list)) end)
    try(function() return lun.sequence(table.unpack(list)) end)
    try(lun.vector, list)
    try(function()
        local function deep(n) return n > 0 and lun.map(function() return deep(n - 1) end)(a):sum() or 0 end
        return deep(10)
    end)
    local nested = { 1 }
    for _ = 1, 100000 do
        nested = { nested }
    end
    try(lun.vector, nested)
    try(lun.zeros, nested)
    local self = {}
    self[1] = self
    try(lun.vector, self)
    -- inside coroutines, with errors and yields in between
    for _ = 1, 200 do
        local co = coroutine.wrap(function(x)
            local b = lun.vector { x } + a
            coroutine.yield(b)
            return b:sum()
        end)
        assert(co(1):sum() == 9)
        co()
    end
    try(function() a:iter()(coroutine.running()) end)
    return lun.vector { 1, 2 }:sum() == 3 and #kept == 100, "%d tricks, 0 crashes", done
end)
