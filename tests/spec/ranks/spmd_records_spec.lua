-- Records that ranks send, gather and broadcast: both layouts, nested and array fields, small ones and such whose
-- arrays travel by themselves, among other values. Expected records are made by the same formula on the receiver.
local onranks = require "onranks"
local shell = require "shell"

local scratch = onranks.scratch(setup, teardown)

local SCRIPT <const> = [[
local s = lun.spmd
local n, me = s.npes, s.mype
for _, layout in ipairs { "aos", "soa" } do
    local P = lun.struct("P", { { "x", "f32" }, { "n", "i32" } }, { layout = layout })
    local Q = lun.struct("Q", { { "p", P }, { "v", "f64", 2 }, { "on", "bool" } }, { layout = layout })
    local function made(r, count)
        local a = lun.zeros(count, Q)
        a.p.x, a.p.n, a.on = lun.index(count) + r, lun.index(count) * r, (lun.index(count) % 2):eq(r % 2)
        a.v = (lun.index(2 * count) * 0.5):reshape(count, 2)
        return a
    end
    local function same(a, r, count)
        local shown = ("%s, %s, %d records, %s"):format(a:layout(), tostring(a:dtype()), #a, tostring(a:equals(made(r, count))))
        assert(a:layout() == "soa" and a:dtype() == Q and a:equals(made(r, count)), shown)
    end
    for _, count in ipairs { 0, 1, 5, 20000 } do
        same(s.bcast(made(me, count), 1), 1, count)
        local all = s.gather { made(me, count), me }
        for r = 0, n - 1 do
            if all then
                same(all[r + 1][1], r, count)
                assert(all[r + 1][2] == r)
            end
        end
        s.send((me + 1) % n, made(me, count))
        same(s.recv((me - 1) % n), (me - 1) % n, count)
    end
end
-- A struct that only the sender has.
if me == 0 then
    local W = lun.struct("W", { { "a", "i64" }, { "b", "f64", { 2, 2 } } })
    s.send(1, lun.full(3, W(7, { { 1, 2 }, { 3, 4 } }), W))
elseif me == 1 then
    local w = s.recv(0)
    assert(tostring(w:dtype()):find("struct W { i64 a; f64 b[2][2]; } (aos, 40", 1, true))
    assert(w[3].a == 7 and w[3].b[2][1] == 3)
end
print(true)
]]

describe("records between ranks", function()
    it("arrive as they were sent", function()
        for _, count in ipairs { 2, 3 } do
            shell.write(scratch() .. "/s.lua", SCRIPT)
            local text, status = shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 timeout 200 %s --ranks %d s.lua 2>&1"):format(
                scratch(), onranks.path, count))
            assert.are.equal(("true\n"):rep(count), text)
            assert.are.equal(0, status)
        end
    end)
end)
