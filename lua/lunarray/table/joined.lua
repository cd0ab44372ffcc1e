-- t:join: the rows of two tables that have equal keys, over lun.join; by the nearest time, over asof.lua.

local core = require "lunarray.core"
local asof = require "lunarray.table.asof"
local column = require "lunarray.table.column"
local fault = require "lunarray.base.fault"
local frame = require "lunarray.show.frame"
local group = require "lunarray.table.group"
local join = require "lunarray.table.join"
local object = require "lunarray.table.object"
local rows = require "lunarray.table.rows"

local M = {}

local MOST <const> = 1 << 40 -- rows of a result

-- The names of the keys in t and in u.
local function keys_of(t, u, on)
    local left, right = {}, {}
    if on == nil then
        for _, name in ipairs(frame.ordered(t)) do
            left[#left + 1] = u:has(name) and name or nil
        end
        if #left == 0 then
            fault("'join': the tables have no column in common; say which are the keys")
        end
        return left, left
    elseif type(on) == "string" then
        on = { on }
    elseif not column.is_list(on) or next(on) == nil then
        fault("'join': name of a column, list of names or table {left = right} expected, got %s",
            core.internal.kind_of(on))
    end
    for _, name in ipairs(on) do
        left[#left + 1], right[#right + 1] = name, name
    end
    for _, name in ipairs(frame.ordered(on)) do
        if type(name) == "string" then
            left[#left + 1], right[#right + 1] = name, on[name]
        end
    end
    return object.names(t, left), object.names(u, right)
end

local function columns_of(t, names)
    local list = {}
    for k, name in ipairs(names) do
        list[k] = frame.column(t, name)
    end
    return list
end

-- Refuses keys that cannot be equal; integers of several dtypes meet in i64, and in f64 with floats.
local function alike(t, u, left, right)
    local a, b = columns_of(t, left), columns_of(u, right)
    for k = 1, #left do
        local x, y = column.dtype(a[k]), column.dtype(b[k])
        if x ~= y then
            if not (column.is_number(a[k]) and column.is_number(b[k])) then
                fault("keys differ: '%s' is %s, '%s' is %s", left[k], x, right[k], y)
            elseif x:find "f%d" or y:find "f%d" then
                a[k], b[k] = a[k]:cast "f64", b[k]:cast "f64"
            elseif x == "u64" or y == "u64" then
                fault("keys differ: '%s' is %s, '%s' is %s; cast one of them", left[k], x, right[k], y)
            else
                a[k], b[k] = a[k]:cast "i64", b[k]:cast "i64"
            end
        end
    end
    return a, b
end

-- Refuses keys that repeat in a table that validate says has each once.
local function check_once(list, names, side, validate)
    local keys = table.move(list, 1, #list, 1, {})
    keys[#keys + 1] = { dropna = true }
    local counts = group.group(table.unpack(keys)):count()
    if #counts > 0 and counts:max() > 1 then
        fault("'join': validate = %q: %d keys (%s) of the %s table repeat", validate, counts:gt(1):count(),
            table.concat(names, ", "), side)
    end
end

local HOW <const> = {
    inner = true, left = true, right = true, full = true, outer = true, semi = true, anti = true, cross = true,
    asof = true,
}
local OF_ASOF <const> = { "by", "direction", "tolerance" }

local OPTIONS <const> = "by direction how na source suffix tolerance validate"

-- Refuses options where the keys belong, and a word where the options do.
local function check_places(t, on, opts)
    if HOW[opts] then
        fault("'join': table of options expected, got \"%s\": write {how = \"%s\"}", opts, opts)
    elseif opts == nil and type(on) == "table" and column.is_list(on) and #on == 0 then
        for name in pairs(on) do
            local known = type(name) == "string" and (" " .. OPTIONS .. " "):find(" " .. name .. " ", 1, true)
            if known and not t:has(name) then
                fault("'join': '%s' is an option, and options stand behind the keys: t:join(u, \"key\", {%s = ...})",
                    name, name)
            end
        end
    end
end

local function options_of(opts)
    opts = object.options(opts, "join", OPTIONS)
    local how = opts.how or "inner"
    if not HOW[how] then
        fault("'join': option 'how': inner, left, right, full, semi, anti, cross or asof expected, got %s",
            column.shown(how))
    end
    for _, name in ipairs(OF_ASOF) do
        if opts[name] ~= nil and how ~= "asof" then
            fault("'join': option '%s' goes with how = \"asof\"", name)
        end
    end
    local validate = opts.validate
    if validate ~= nil and validate ~= "1:1" and validate ~= "1:m" and validate ~= "m:1" then
        fault("'join': option 'validate': \"1:1\", \"1:m\" or \"m:1\" expected, got %s", column.shown(validate))
    elseif opts.suffix ~= nil and type(opts.suffix) ~= "string" then
        fault("'join': option 'suffix': text expected, got %s", core.internal.kind_of(opts.suffix))
    elseif opts.na ~= nil and opts.na ~= "match" then
        fault("'join': option 'na': \"match\" expected, got %s", column.shown(opts.na))
    elseif how == "asof" and validate ~= nil then
        fault("'join': option 'validate' does not go with how = \"asof\"")
    end
    return opts, how == "outer" and "full" or how
end

-- The rows of t and of u that go together, 0 where there is none.
local function matches(a, b, n, m, how, na)
    local function found(x, y, kind)
        return join.join(x, y, kind, { na = na })
    end
    if how == "cross" then
        if n > 0 and m > MOST // n then
            fault("'join': the result would have %d times %d rows", n, m)
        end
        local i = core.index(n * m) - 1
        return m > 0 and i // m + 1 or i, m > 0 and i % m + 1 or i
    elseif how == "right" then
        local j, i = found(b, a, "left")
        return i, j
    end
    local i, j = found(a, b, how == "full" and "left" or how)
    if how == "full" then
        local free = core.full(m + 1, true):put(j + 1, core.full(#j, false)):sub(2, -1):indices()
        return i .. core.zeros(#free, "i64"), j .. free
    end
    return i, j
end

-- Rows of t that have a match in u, or that have none.
local function semi(t, a, b, wanted, na)
    local i = join.join(a, b, "inner", { na = na })
    local mask = core.full(#t, not wanted):put(i, core.full(#i, wanted))
    return rows.keep(t, mask)
end

-- The keys of the result: from the side that has them.
local function key_column(x, y, i, j, how)
    if how ~= "right" and how ~= "full" then
        return column.take(x, i)
    elseif how == "right" then
        return column.take(y, j)
    end
    local here = i:gt(0):count() -- rows of t come first
    return column.concat { column.take(x, i:sub(1, here)), column.take(y, j:sub(here + 1, -1)) }
end

-- "both", "left" or "right" for each row.
local function sources(i, j)
    local which = core.where(i:eq(0), 3, core.where(j:eq(0), 2, 1))
    return core.vector({ "both", "left", "right" }, "text"):take(which)
end

-- The rows of t and of u that go together by time, and the names of keys: that of the time, then those of `by`.
local function by_time(t, u, on, opts)
    local left, right = keys_of(t, u, on)
    if #left ~= 1 or on == nil then
        fault("'join': how = \"asof\" takes one time; the keys that are equal are the option 'by'")
    end
    local by, by_right = {}, {}
    if opts.by ~= nil then
        by, by_right = keys_of(t, u, opts.by)
    end
    local j = asof.matches(frame.column(t, left[1]), frame.column(u, right[1]), { left[1], right[1] },
        { alike(t, u, by, by_right) }, opts)
    return core.index(#t), j, table.move(by, 1, #by, 2, left), table.move(by_right, 1, #by_right, 2, right)
end

-- The table of the rows i of t beside the rows j of u; left, right: the names of the keys.
local function joined(t, u, how, opts, i, j, left, right)
    i, j = core.eval(i, j)
    local columns, order, is_key, list = {}, {}, {}, {}
    local function add(name, x)
        if columns[name] ~= nil then
            fault("'join': two columns would be called '%s'; give another suffix", name)
        end
        columns[name], order[#order + 1], list[#list + 1] = x, name, x
    end
    for k, name in ipairs(left) do
        is_key[name], is_key[k] = k, right[k]
    end
    for name, x in pairs(t) do
        local k = is_key[name]
        add(name, k and key_column(x, frame.column(u, right[k]), i, j, how) or column.take(x, i, how == "right"
            or how == "full"))
    end
    local dropped = {}
    for _, name in ipairs(right) do
        dropped[name] = true
    end
    for name, x in pairs(u) do
        if not dropped[name] then
            add(t:has(name) and name .. (opts.suffix or "_right") or name,
                column.take(x, j, how ~= "inner" and how ~= "right" and how ~= "cross"))
        end
    end
    if opts.source then
        add("_join", sources(i, j))
    end
    column.evaluate(list)
    return object.make(columns, order, #i)
end

-- t:join(u, on [, opts]): docs/tables.md.
function M.join(t, u, on, opts)
    if not frame.of(u) then
        fault("'join': table of columns expected, got %s", core.internal.kind_of(u))
    elseif column.is_list(on) and opts == nil and on.how == "cross" and not t:has "how" then
        on, opts = nil, on
    end
    check_places(t, on, opts)
    local how
    opts, how = options_of(opts)
    if how == "asof" then
        return joined(t, u, how, opts, by_time(t, u, on, opts))
    end
    local left, right = {}, {}
    if how ~= "cross" then
        left, right = keys_of(t, u, on)
    end
    local a, b = alike(t, u, left, right)
    if opts.validate == "1:1" or opts.validate == "1:m" then
        check_once(a, left, "left", opts.validate)
    end
    if opts.validate == "1:1" or opts.validate == "m:1" then
        check_once(b, right, "right", opts.validate)
    end
    if how == "semi" or how == "anti" then
        return semi(t, a, b, how == "semi", opts.na)
    end
    local i, j = matches(a, b, #t, #u, how, opts.na)
    return joined(t, u, how, opts, i, j, left, right)
end

return M
