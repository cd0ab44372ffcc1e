-- Steps of random programs (programs.lua) with plain Lua functions: on i64, f64 and bool, where the Lua VM says
-- what each must give. They read numbers that the program changes (k1, k2) and whole arrays.

local dtypes = require "diff.dtypes"
local programs = require "diff.programs"

local functions = {}

-- { operands' dtypes, result's dtype, text }; k1, k2: an integer and a float of the program; W: an array of the
-- program, captured, of the dtype named fourth, with 5 elements at least.
local rows = {
    { { "i64" }, "i64", "function(x) return x * k1 + 3 end" },
    { { "i64" }, "i64", "function(x) if x > k1 then return x - k1 end return -x end" },
    { { "i64" }, "i64", "function(x) local s = 0 for i = 1, 5 do s = s + (x >> i) end return s end" },
    { { "i64" }, "i64", "function(x) local n = 0 while x > 0 and n < 20 do x = x // 2 n = n + 1 end return n end" },
    { { "i64" }, "i64", "function(x) for i = x & 7, 20, 3 do x = x ~ (i << i) if x % 5 == 0 then break end end return x end" },
    { { "i64" }, "i64", "function(x) return x % (k1 | 1) + x // -7 end" },
    { { "i64" }, "bool", "function(x) return x > k1 or x % 3 == 0 end" },
    { { "i64" }, "f64", "function(x) return x / 3 + k2 end" },
    { { "i64" }, "i64", "function(x) return W[x % 5 + 1] + W[-1 + 2] end", "i64" },
    { { "i64" }, "f64", "function(x) local s = 0.0 for i = 1, 5 do s = s + W[i] * (x & i) end return s end", "f64" },
    { { "i64" }, "i64", "function(x) return W[(x & 3) + 1] and x or k1 end", "bool" },
    { { "f64" }, "f64", "function(x) return x * k2 + 1 end" },
    { { "f64" }, "f64", "function(x) return (x > 0 and x or -x) - k1 end" },
    { { "f64" }, "f64", "function(x) return x // 1 + x % 3.0 end" },
    { { "f64" }, "f64", "function(x) return math.max(x, k2, 1.5) - math.min(x, 0.25) end" },
    { { "f64" }, "bool", "function(x) return x ~= x or x < k2 end" },
    { { "f64" }, "i64", "function(x) if x > -1e6 and x < 1e6 then return math.floor(x) end return k1 end" },
    { { "f64" }, "f64", "function(x) local y = x repeat y = y * 0.5 until not (y > 1 and y < 1e9) return y end" },
    { { "f64" }, "f64", "function(x) if x ~= x then return W[1] end return x < 0 and W[2] or W[3] end", "f64" },
    { { "bool" }, "i64", "function(b) if b then return k1 end return 0 end" },
    { { "bool" }, "bool", "function(b) return not b end" },
    { { "i64", "i64" }, "i64", "function(x, y) if x < y then return x + k1 end return y ~ x end" },
    { { "i64", "f64" }, "f64", "function(x, y) return x + y * k2 end" },
    { { "f64", "i64" }, "bool", "function(x, y) return x <= y end" },
    { { "f64", "f64" }, "f64", "function(x, y) return x > y and x - y or y - x end" },
    { { "bool", "i64" }, "i64", "function(b, y) return b and y or k1 end" },
    { { "i64", "i64" }, "i64", "function(x, y) local a, b = x & 255, y & 255 while b ~= 0 do a, b = b, a % b end return a end" },
    { { "i64", "f64" }, "f64", "function(x, y) return W[x % 5 + 1] * y end", "f64" },
}

-- What the Lua function gives for the elements of args.
local function computed(p, row, args, captured)
    local environment = { k1 = p.k1, k2 = p.k2, math = math, W = captured and programs.elements(captured) }
    local f = assert(load("return " .. row[3], "=model", "t", environment))()
    local list = {}
    for i = 1, args[1].n do
        local x, y = programs.element(args[1], i), args[2] and programs.element(args[2], i)
        list[i] = f(x, y)
        if row[2] == "f64" and math.type(list[i]) == "integer" then
            list[i] = list[i] + 0.0 -- one type per function
        end
    end
    return list
end

-- A function, its operands and what it captures: row, names, arrays, code, result; nil if nothing suits.
local function application(p, count)
    local suiting = {}
    for _, row in ipairs(rows) do
        suiting[#suiting + 1] = #row[1] == count and row or nil
    end
    local row = p.g.one_of(suiting)
    local names, args = {}, {}
    for k, t in ipairs(row[1]) do
        names[k], args[k] = p:any(function(a)
            return a.t.name == t and #a.shape > 0 and (k == 1 or programs.same_shape(a.shape, args[1].shape))
        end)
        if not args[k] then
            return nil
        end
    end
    local code, captured = row[3], nil
    if row[4] then
        local name, w = p:any(function(a)
            return a.t.name == row[4] and #a.shape == 1 and a.n >= 5
        end)
        if not w then
            return nil
        end
        captured, code = w, code:gsub("W", name)
    end
    local t = dtypes[row[2]]
    return names, code, programs.array(t, args[1].shape, computed(p, row, args, captured))
end

function functions.map(p)
    local names, code, result = application(p, 1)
    if not names then
        return
    elseif p.g.pick(4) == 1 then
        local t = p.g.one_of(dtypes.list)
        p:define(programs.array(t, result.shape, programs.convert(result.buf, result.t, t)),
            ("%s:map(%s, {out = %q})"):format(names[1], code, t.name))
    else
        p:define(result, p.g.pick(2) == 1 and ("%s:map(%s)"):format(names[1], code)
            or ("(lun.map(function(x) return x end) >> lun.map(%s))(%s)"):format(code, names[1]))
    end
end

function functions.zip(p)
    local names, code, result = application(p, 2)
    if names then
        p:define(result, p.g.pick(2) == 1 and ("%s:zip(%s, %s)"):format(names[1], names[2], code)
            or ("lun.zip(%s)(%s, %s)"):format(code, names[1], names[2]))
    end
end

-- Into elements that there are, of any dtype.
function functions.run(p)
    local count = p.g.pick(2)
    local names, code, result = application(p, count)
    if not names then
        return
    end
    local out, a = p:any(function(c)
        return programs.same_shape(c.shape, result.shape)
    end)
    if not a then
        return
    end
    programs.store(a, programs.convert(result.buf, result.t, a.t))
    p:emit("lun.%s(%s):run{%s, out = %s}", count == 1 and "map" or "zip", code, table.concat(names, ", "), out)
end

-- The numbers that functions read.
function functions.change(p)
    if p.g.pick(2) == 1 then
        p.k1 = p.g.pick(50) - 25
        p:emit("k1 = %d", p.k1)
    else
        p.k2 = p.g.one_of { 0.5, -2.25, 1e10, 0.1, -0.0, 3.0 }
        p:emit("k2 = %s", programs.number_text(p.k2))
    end
end

local folds = {
    "function(a, b) return a * b + a + b end",
    "function(a, b) if a > b then return a end return b end",
    "function(a, b) return a ~ b end",
    "function(_, b) return b end",
    "function(a) return a end",
}

-- A reduction or a scan by a Lua function.
function functions.fold(p)
    local name, a = p:any(function(c)
        return c.t.name == "i64" and #c.shape > 0
    end)
    if not a then
        return
    end
    local code, start = p.g.one_of(folds), p.g.pick(9) - 5
    local f = assert(load("return " .. code))()
    local inclusive, list, x = p.g.pick(2) == 1, {}, start
    for i = 1, a.n do
        list[i] = x
        x = f(x, programs.element(a, i))
        list[i] = inclusive and x or list[i]
    end
    if p.g.pick(2) == 1 then
        p:define(programs.array(dtypes.i64, {}, { x }), ("%s:reduce(%s, %d)"):format(name, code, start))
    else
        p:define(programs.array(dtypes.i64, a.shape, list),
            ("%s:scan(%s, %d%s)"):format(name, code, start, inclusive and ", {inclusive = true}" or ""))
    end
end

return functions
