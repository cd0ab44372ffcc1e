-- lun.generate and lun.each of random functions of their indices against the plain Lua loop, on every backend: the same
-- elements, bit for bit, or an error on both sides, after which nothing has changed.
local harness = require "diff.harness"
local lun = require "lunarray"
local functions = require "diff.index_functions"

local SEED <const> = 20250611

local layouts = {
    function(a) return a end,
    function(a) return a:copy { layout = "left" } end,
    function(a) return a:transpose():copy():transpose() end,
    function(a)
        local shape, cut = { a:shape() }, {}
        for k, n in ipairs(shape) do
            shape[k], cut[k] = 2 * n + 3, { 2 * n, 2, -2 }
        end
        local window = lun.full(shape, 77, a:dtype()):sub(table.unpack(cut))
        window:set(a)
        return window
    end,
    function(a) return a * 1 end,
}

local function given_to(case, number)
    local given = {}
    for k, a in ipairs(case.arrays) do
        given[k] = layouts[(number + k) % #layouts + 1](lun.vector(a.elements, case.real and "f64" or "i64"))
    end
    return given, assert(load(case.text, "=script"))(table.unpack(given))
end

local function generated(case, number)
    local _, f = given_to(case, number)
    return lun.generate(case.box, f):flatten():totable()
end

local function same(a, b)
    return math.type(a) == math.type(b) and (a == b or (a ~= a and b ~= b))
end

local function place(case, number, backend)
    local list = {}
    for k, r in ipairs(case.box) do list[k] = r[1] .. " to " .. r[2] end
    return ("number %d on %s, of %s:\n%s"):format(number, backend, table.concat(list, ", "), case.text)
end

-- Whether both ended well or both failed for an index.
local function agree(ok, message, wanted, where)
    if ok ~= wanted then
        harness.fail("%s\n%s", ok and "no error" or tostring(message), where)
    elseif not ok and not tostring(message):find "^script:%d+: index %-?%d+ is out of range for " then
        harness.fail("another error: %s\n%s", message, where)
    end
end

local function compare_lists(got, wanted, where)
    harness.elements = harness.elements + #wanted
    if #got ~= #wanted then harness.fail("%d elements, not %d\n%s", #got, #wanted, where) end
    for at = 1, #wanted do
        if not same(got[at], wanted[at]) then
            return harness.fail("element %d is %s, not %s\n%s", at, got[at], wanted[at], where)
        end
    end
end

local function compare(number, backends)
    local case = functions.case(SEED, number)
    local wanted = functions.by_vm(case)
    for _, backend in ipairs(backends) do
        lun.use(backend)
        local ok, got = pcall(generated, case, number)
        local where = place(case, number, backend)
        agree(ok, got, wanted ~= nil, where)
        if ok and wanted then compare_lists(got, wanted, where) end
    end
    lun.use(harness.backends[1])
    return wanted ~= nil
end

local function flat(t, list)
    list = list or {}
    for at = 1, #t do
        local x = t[at]
        if type(x) == "table" then flat(x, list) else list[#list + 1] = x end
    end
    return list
end

-- The same of lun.each: all arrays afterwards.
local function compare_each(number, backends)
    local case = functions.each_case(SEED, number)
    local wanted, arrays = functions.by_vm(case)
    for _, backend in ipairs(backends) do
        lun.use(backend)
        local given, f = given_to(case, number)
        local ok, message = pcall(lun.each, case.box, f)
        local where = place(case, number, backend)
        agree(ok, message, wanted ~= nil, where)
        for k, a in ipairs(given) do
            local after = wanted and arrays[k] or case.arrays[k].elements
            compare_lists(a:flatten():totable(), flat(after), ("%s, of %s"):format(case.arrays[k].name, where))
        end
    end
    lun.use(harness.backends[1])
    return wanted ~= nil
end

-- Some numbers on the backends that compile.
local function on_all(count, f)
    for number = 1, count do
        local backends = { table.unpack(harness.backends) }
        if harness.device and number % (harness.device_every == 1 and 4 or 20) == 0 then
            backends[#backends + 1] = harness.device
        end
        f(number, backends)
    end
    harness.finish()
end

-- Many on the interpreter; of these some fail in the VM.
local function on_reference(count, f)
    local right = 0
    for number = 1, count do
        right = right + (f(number, { "reference" }) and 1 or 0)
    end
    harness.finish()
    assert.is_true(right > count / 2 and right < count)
end

describe("lun.generate", function()
    it("gives what the loop gives", function() on_reference(400, compare) end)
    it("gives the same on every backend", function() on_all(40, compare) end)
end)

describe("lun.each", function()
    it("does what the loop does", function() on_reference(400, compare_each) end)
    it("does the same on every backend", function() on_all(40, compare_each) end)
end)

teardown(harness.report)
