-- Functions whose code a script has loaded as bytes and changed: what cannot be read is refused, nothing crashes.
-- The Lua VM would believe such code, so it is never called here.

local lun = require "lunarray"

-- A dump cut in three: what stands before the instructions, these, and the rest.
local function parts(f)
    local bytes, last = string.dump(f, true), 0
    while true do
        last = assert(bytes:find("[\x47\xc7].\1\0", last + 1)) -- RETURN0 ends every function
        for count = 1, 60 do
            local first = last + 4 - 4 * count
            -- their number stands before them, in seven bits a byte, the last one marked
            if first > 30 and bytes:byte(first - 1) == 0x80 | count then
                return bytes:sub(1, first - 1), bytes:sub(first, last + 3), bytes:sub(last + 4)
            end
        end
    end
end

local a = lun.vector { 1, 2, 3 }
local n = 2
local plain = function(x) return x + 1 end
local branches = function(x) local s = 0 for i = 1, 3 do if x > i then s = s + x * 0.5 else s = s - i end end return s end
local calls = function(x) local function f(y) return y * n end return f(x) + f(1) end

local pair = function(x) local p = { x, 2 } return p end

describe("a function loaded from bytes", function()
    it("is read as ever where it is whole", function()
        local f = load(string.dump(plain), "x", "b")
        assert.same({ 2, 3, 4 }, lun.map(f)(a):totable())
    end)

    it("is refused, or computes something, where one byte of its instructions was changed", function()
        local made, refused = 0, 0
        for _, f in ipairs { plain, branches, calls, pair } do
            local before, code, after = parts(f)
            for at = 1, #code do
                for bit = 0, 255, 3 do
                    local changed = code:sub(1, at - 1) .. string.char(code:byte(at) ~ bit) .. code:sub(at + 1)
                    local g = load(before .. changed .. after, "x", "b")
                    local ok, what = pcall(function() return #lun.explain(lun.map(g)(a)) end)
                    if ok then
                        made = made + 1
                    else
                        refused = refused + 1
                        assert.is_truthy(tostring(what):find "%S")
                    end
                end
            end
        end
        assert.is_true(made > 100 and refused > 1000, ("%d made, %d refused"):format(made, refused))
    end)

    it("tells that its code cannot be read where registers, constants or functions are not there", function()
        local before, code, after = parts(plain)
        local function first(word)
            local g = load(before .. string.pack("<I4", word) .. code:sub(5) .. after, "x", "b")
            local ok, what = pcall(function() return lun.map(g)(a) end)
            assert.is_false(ok)
            return tostring(what)
        end
        local register = 0 | 200 << 7 | 0 << 16 -- MOVE 200 0
        local constant = 3 | 0 << 7 | 99 << 15 -- LOADK 0 99
        local upvalue = 9 | 0 << 7 | 77 << 16 -- GETUPVAL 0 77
        local closure = 79 | 0 << 7 | 5 << 15 -- CLOSURE 0 5
        local jump = 56 | (16777215 + 1000) << 7 -- JMP 1000
        local compare = 58 | 0 << 7 | 0 << 16 -- LT 0 0, and no jump behind it
        local list = 78 | 0 << 7 | 250 << 16 -- SETLIST 0 250
        for _, word in ipairs { register, constant, upvalue, closure, jump, compare, list } do
            assert.is_truthy(first(word):find("the bytecode of this Lua function is invalid", 1, true))
        end
    end)
end)
