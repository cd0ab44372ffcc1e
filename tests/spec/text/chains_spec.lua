-- Chains of .. whose metamethods make the stack grow: Lua 5.4.4 with Debian's patches goes on with the old stack.
local lun = require "lunarray"

local a, b = lun.vector({ "x", "y" }, "text"), lun.vector({ "1", "2" }, "text")

local function texts()
    for k = 1, 200 do
        local r = a .. "-" .. b .. "!"
        if k % 50 == 0 then
            collectgarbage()
        end
        assert.same({ "x-1!", "y-2!" }, r:totable())
    end
    return true
end

-- Objects of a script, whose metamethod goes deep.
local function objects()
    local kind = {}
    local function deep(n)
        return n == 0 and 0 or 1 + deep(n - 1)
    end
    function kind.__concat(x, y)
        deep(40)
        return setmetatable({ text = (x.text or x) .. (y.text or y) }, kind)
    end
    for _ = 1, 50 do
        local x, y = setmetatable({ text = "x" }, kind), setmetatable({ text = "y" }, kind)
        assert.equal("x-y+x", (x .. "-" .. y .. "+" .. x).text)
    end
    return true
end

describe("chains of ..", function()
    for name, f in pairs { ["of text arrays"] = texts, ["of objects"] = objects } do
        it(name .. " join all, also within pcall and in coroutines", function()
            assert.is_true(f())
            assert.same({ true, true }, { pcall(f) })
            assert.same({ true, true }, { coroutine.resume(coroutine.create(f)) })
            assert.is_true(coroutine.wrap(f)())
        end)
    end

    it("leave coroutine's functions as they are", function()
        assert.same({ 1, 2 }, { coroutine.wrap(function(...) return coroutine.yield(...) end)(1, 2) })
        local ok, message = pcall(coroutine.create, 1)
        assert.is_false(ok)
        assert.matches("function expected, got number", message)
    end)
end)
