-- Names that turn, repeat, split and join arrays, or read and write along an axis.

local call = require "lunarray.names.call"
local core = require "lunarray.core"

local rows, row = call.rows "Shapes"
local array, bad, rank_of, shaped, whole = call.array, call.bad, call.rank, call.shaped, call.whole

-- ---------------------------------------------------------------- repeated, moved round

-- Elements along an axis at the indices, a Vector.
local function taken(a, indices, axis)
    return a:take(indices, { axis = axis })
end

row("tile", "a:tile(n)", "a repeated: n times along the last axis, or {n1, n2, ...} times along the axes",
    "lun.vector{1, 2}:tile{2, 2}", "{{1, 2, 1, 2}, {1, 2, 1, 2}}",
    function(a, n)
        array(a, 1)
        local times, shape = call.extents(n, 2), { a:shape() }
        while #times < #shape do
            table.insert(times, 1, 1)
        end
        while #shape < #times do
            table.insert(shape, 1, 1)
        end
        a = shaped(a, #shape == 0 and { 1 } or shape)
        for axis, count in ipairs(times) do
            if count == 0 or shape[axis] == 0 then
                shape[axis] = 0
                a = call.part(a, axis, 1, 0)
            elseif count > 1 then
                a = taken(a, (core.index(count * shape[axis]) - 1) % shape[axis] + 1, axis)
            end
        end
        return a
    end)

row("repeat_", "a:repeat_(counts [, {axis=1}])",
    "a:spread: each element, or slice along the axis, as often as counts says, one number for each or a single number",
    "lun.vector{1, 2}:repeat_(2)", "{1, 1, 2, 2}",
    function(a, counts, options)
        array(a, 1)
        options = call.options(options, 3, "axis")
        local axis = options.axis and call.axis(rank_of(a), options.axis, 3)
        if core.isarray(counts) and rank_of(counts) == 1 and #counts == 1 then
            counts = counts:broadcast { (select(axis or 1, a:shape())) }
        end
        return core.internal.methods.spread(a, counts, axis and { axis = axis })
    end)

-- The elements moved by k along an axis, those at the end to the beginning.
local function rolled(a, k, axis)
    local n = (select(axis, a:shape()))
    k = n > 0 and k % n or 0
    return k == 0 and a or a:shift(k, { axis = axis, edge = "wrap" })
end

row("roll", "a:roll(k [, {axis=}])",
    "a value: the elements moved by k, the last ones to the beginning; without an axis in row-major order; k and axis\n"
        .. "may be lists",
    "lun.vector{1, 2, 3}:roll(1)", "{3, 1, 2}",
    function(a, k, options)
        array(a, 1)
        options = call.options(options, 3, "axis")
        local steps = type(k) == "table" and k or { k }
        for i, step in ipairs(steps) do
            whole(step, 2)
            steps[i] = step
        end
        if options.axis == nil then
            if #steps ~= 1 then
                bad(2, "%d steps without an axis", #steps)
            end
            local shape = { a:shape() }
            return #shape <= 1 and (#shape == 0 and a or rolled(a, steps[1], 1))
                or rolled(a:flatten(), steps[1], 1):reshape(shape)
        end
        local axes = type(options.axis) == "table" and options.axis or { options.axis }
        if #steps ~= 1 and #steps ~= #axes then
            bad(2, "%d steps for %d axes", #steps, #axes)
        end
        for i, axis in ipairs(axes) do
            a = rolled(a, steps[#steps == 1 and 1 or i], call.axis(rank_of(a), axis, 3))
        end
        return a
    end)

-- ---------------------------------------------------------------- windows

row("flip", "a:flip([axes])", "a window with the order along these axes reversed: a number, a list, by default all",
    "lun.vector{{1, 2}, {3, 4}}:flip(2)", "{{2, 1}, {4, 3}}",
    function(a, axes)
        local rank = rank_of(array(a, 1))
        local cuts = {}
        for k = 1, rank do
            cuts[k] = axes == nil and { -1, 1, -1 } or {}
        end
        for _, axis in ipairs(axes == nil and {} or call.axes(rank, axes, 2)) do
            cuts[axis] = { -1, 1, -1 }
        end
        return rank == 0 and a or a:sub(table.unpack(cuts))
    end)

-- The order of axes with two exchanged.
local function exchanged(rank, i, j)
    local order = {}
    for k = 1, rank do
        order[k] = k
    end
    order[i], order[j] = j, i
    return order
end

row("swapaxes", "a:swapaxes(i, j)", "a window with two axes exchanged", "lun.vector{{1, 2}, {3, 4}}:swapaxes(1, 2)",
    "{{1, 3}, {2, 4}}",
    function(a, i, j)
        local rank = rank_of(array(a, 1))
        return a:transpose(exchanged(rank, call.axis(rank, i, 2), call.axis(rank, j, 3)))
    end)

row("matrix_transpose", "A:matrix_transpose()", "a window with the last two axes exchanged",
    "lun.vector{{1, 2}, {3, 4}}:matrix_transpose()", "{{1, 3}, {2, 4}}",
    function(A)
        local rank = rank_of(array(A, 1))
        if rank < 2 then
            bad(1, "an array of rank 2 or more expected, got %s", call.described(A))
        end
        return A:transpose(exchanged(rank, rank - 1, rank))
    end)

row("moveaxis", "a:moveaxis(from, to)",
    "a window with axis `from` at `to`, the others in their order; lists move several",
    "lun.zeros{2, 3, 4}:moveaxis(1, -1):shape()", "3, 4, 2",
    function(a, from, to)
        local rank = rank_of(array(a, 1))
        from, to = call.axes(rank, from, 2), call.axes(rank, to, 3)
        if #from ~= #to then
            bad(3, "%d axes to %d", #from, #to)
        end
        local order, moved = {}, {}
        for i, axis in ipairs(from) do
            order[to[i]] = axis
            moved[axis] = true
        end
        local k = 1
        for axis = 1, rank do
            if not moved[axis] then
                while order[k] do
                    k = k + 1
                end
                order[k] = axis
            end
        end
        return rank == 0 and a or a:transpose(order)
    end)

row("rot90", "A:rot90([k=1])", "a window: the first two axes turned by k right angles, from the first to the second",
    "lun.vector{{1, 2}, {3, 4}}:rot90()", "{{2, 4}, {1, 3}}",
    function(A, k)
        local rank = rank_of(array(A, 1))
        if rank < 2 then
            bad(1, "an array of rank 2 or more expected, got %s", call.described(A))
        end
        k = k == nil and 1 or whole(k, 2) % 4
        if k % 2 == 1 then
            A = A:transpose(exchanged(rank, 1, 2))
        end
        local first, second = k == 1 or k == 2, k == 2 or k == 3
        return A:sub(first and { -1, 1, -1 } or {}, second and { -1, 1, -1 } or {})
    end)

row("expand_dims", "a:expand_dims(axis)", "a window with a new axis of extent 1, which is axis `axis` of the result",
    "lun.vector{1, 2}:expand_dims(2)", "{{1}, {2}}",
    function(a, axis)
        local shape = { array(a, 1):shape() }
        table.insert(shape, call.axis(#shape + 1, axis, 2), 1)
        return shaped(a, shape)
    end)

row("squeeze", "a:squeeze([axes])", "a window without these axes, whose extents are 1, by default all such",
    "lun.zeros{1, 3, 1}:squeeze()", "{0.0, 0.0, 0.0}",
    function(a, axes)
        local shape, gone = { array(a, 1):shape() }, {}
        for _, axis in ipairs(axes == nil and {} or call.axes(#shape, axes, 2)) do
            if shape[axis] ~= 1 then
                bad(2, "axis %d has extent %d, not 1: %s", axis, shape[axis], call.described(a))
            end
            gone[axis] = true
        end
        local left = {}
        for axis, n in ipairs(shape) do
            if not gone[axis] and (axes ~= nil or n ~= 1) then
                left[#left + 1] = n
            end
        end
        if #left == 0 then
            return #shape == 0 and a or shaped(a, { 1 }):select(1, 1)
        end
        return shaped(a, left)
    end)

row("broadcast_to", "a:broadcast_to(shape)",
    "a:broadcast: a window that repeats axes of extent 1 and adds axes in front",
    "lun.vector{1, 2}:broadcast_to{2, 2}", "{{1, 2}, {1, 2}}",
    function(a, shape)
        array(a, 1)
        return a:broadcast(call.extents(shape, 2))
    end)

row("broadcast_arrays", "lun.broadcast_arrays(a, b, ...)", "windows on all of them in the shape that they broadcast to",
    "lun.broadcast_arrays(lun.vector{1, 2}, lun.vector{{3}, {4}})", "{{1, 2}, {1, 2}}, {{3, 3}, {4, 4}}",
    function(...)
        local list = { ... }
        for k = 1, select("#", ...) do
            array(list[k], k)
        end
        local extents = call.common_shape(list, #list)
        for k, a in ipairs(list) do
            list[k] = #extents == 0 and a or a:broadcast(extents)
        end
        return table.unpack(list)
    end)

row("unstack", "a:unstack([axis=1])", "a list of windows, one for each index along the axis, which is gone",
    "#lun.zeros{3, 2}:unstack()", "3",
    function(a, axis)
        axis = call.axis(rank_of(array(a, 1)), axis == nil and 1 or axis, 2)
        local list = {}
        for i = 1, (select(axis, a:shape())) do
            list[i] = a:select(axis, i)
        end
        return list
    end)

row("split", "a:split(n [, {axis=1}])",
    "a list of windows: n of equal extent, or those that begin at 1 and at each index of a list; lun.split(seed, i):\n"
        .. "the i-th seed that is made of a seed, an i64; i may be an array",
    "lun.index(5):split{3, 4}[2]", "{3}",
    function(a, n, options)
        if math.type(a) == "integer" and options == nil then
            return require("lunarray.names.random").part_of_seed(a, n)
        end
        options = call.options(options, 3, "axis")
        local axis = call.axis(rank_of(array(a, 1)), options.axis == nil and 1 or options.axis, 3)
        local extent = (select(axis, a:shape()))
        local starts = { 1 }
        if type(n) == "table" then
            for k, i in ipairs(n) do
                starts[k + 1] = whole(i, 2, starts[k], extent + 1)
            end
        else
            whole(n, 2, 1, math.max(extent, 100000))
            if extent % n ~= 0 then
                bad(2, "axis %d of extent %d cannot be split into %d equal parts: give the indices at which parts "
                    .. "begin",
                    axis, extent, n)
            end
            for k = 1, n - 1 do
                starts[k + 1] = k * (extent // n) + 1
            end
        end
        local list = {}
        for k, first in ipairs(starts) do
            local last = (starts[k + 1] or extent + 1) - 1
            list[k] = call.part(a, axis, first, last)
        end
        return list
    end)

-- ---------------------------------------------------------------- joined

-- The list of arrays, each of rank `least` at least: axes are added by `add`.
local function raised(list, least, add)
    if type(list) ~= "table" or core.isarray(list) or #list == 0 then
        bad(1, "a list of arrays expected, got %s", core.isarray(list) and "an array" or core.internal.kind_of(list))
    end
    local result = {}
    for k, a in ipairs(list) do
        if not core.isarray(a) then
            bad(1, "array expected in the list, got %s", core.internal.kind_of(a))
        end
        result[k] = rank_of(a) < least and shaped(a, add { a:shape() }) or a
    end
    return result
end

local function as_row(shape)
    return { 1, shape[1] or 1 }
end

row("hstack", "lun.hstack(list)", "Vectors joined one after the other, other arrays along the second axis",
    "lun.hstack{lun.vector{{1}, {2}}, lun.vector{{3}, {4}}}", "{{1, 3}, {2, 4}}",
    function(list)
        list = raised(list, 1, function() return { 1 } end)
        return core.concat(list, rank_of(list[1]) > 1 and 2 or 1)
    end)

row("vstack", "lun.vstack(list)", "arrays joined along the first axis, Vectors as rows",
    "lun.vstack{lun.vector{1, 2}, lun.vector{3, 4}}", "{{1, 2}, {3, 4}}",
    function(list) return core.concat(raised(list, 2, as_row), 1) end)

row("dstack", "lun.dstack(list)", "arrays joined along the third axis, n x m ones as n x m x 1, Vectors as 1 x n x 1",
    "lun.dstack{lun.vector{1, 2}, lun.vector{3, 4}}", "{{{1, 3}, {2, 4}}}",
    function(list)
        return core.concat(raised(list, 3, function(shape)
            return #shape == 2 and { shape[1], shape[2], 1 } or { 1, shape[1] or 1, 1 }
        end), 3)
    end)

-- ---------------------------------------------------------------- along an axis

-- The positions, row-major, of the elements that indices along an axis name; the other axes broadcast.
local function positions(a, indices, axis, argument)
    local shape = { a:shape() }
    if not (core.isarray(indices) and indices:dtype():find "^[iu]%d") then
        bad(argument, "an array of integers expected, got %s", core.isarray(indices) and call.described(indices) or
            core.internal.kind_of(indices))
    elseif rank_of(indices) ~= #shape then
        bad(argument, "indices of rank %d for an array of rank %d", rank_of(indices), #shape)
    end
    local n, extents = shape[axis], { indices:shape() }
    for k, extent in ipairs(extents) do
        if k ~= axis and extent ~= shape[k] and extent ~= 1 and shape[k] ~= 1 then
            bad(argument, "shapes do not broadcast: %s and %s, axis %d: %d and %d", call.described(a),
                call.described(indices), k, shape[k], extent)
        end
        extents[k] = k == axis and extent or (extent == 1 and shape[k] or extent)
    end
    local i = indices:cast "i64"
    if i:size() > 0 then
        local least, most = core.eval(i:lazy "min", i:lazy "max")
        if least < -n or most > n or i:eq(0):any() then
            bad(argument, "index %d is out of range for axis %d of length %d",
                (least < -n and least) or (most > n and most) or 0, axis, n)
        end
    end
    local position = core.where(i:lt(0), i + n, i - 1)
    local stride = 1
    local sum = 1
    for k = #shape, 1, -1 do
        if k == axis then
            sum = sum + position * stride
        elseif shape[k] > 1 then
            sum = sum + (call.along(shape[k], k, #shape) - 1) * stride
        end
        stride = stride * shape[k]
    end
    return sum:broadcast(extents)
end

row("take_along_axis", "a:take_along_axis(i [, {axis=-1}])",
    "the elements at i along the axis, as argsort gives them: i has a's rank, the other axes broadcast",
    "lun.vector{{3, 1}, {2, 4}}:take_along_axis(lun.vector{{2}, {1}})", "{{1}, {2}}",
    function(a, i, options)
        options = call.options(options, 3, "axis")
        local axis = call.axis(rank_of(array(a, 1)), options.axis == nil and -1 or options.axis, 3)
        return a:flatten():take(positions(a, i, axis, 2))
    end)

row("put_along_axis", "a:put_along_axis(i, x [, {axis=-1}])",
    "writes x to the elements at i along the axis; of equal indices the last one wins; returns a",
    "lun.vector{{3, 1}, {2, 4}}:put_along_axis(lun.vector{{2}, {1}}, 0)", "{{3, 0}, {0, 4}}",
    function(a, i, x, options)
        options = call.options(options, 4, "axis")
        local axis = call.axis(rank_of(array(a, 1)), options.axis == nil and -1 or options.axis, 4)
        local at = positions(a, i, axis, 2)
        if not core.isarray(x) then
            call.number(x, 3)
        end
        a:set(a:copy():flatten():put(at, x):reshape { a:shape() })
        return a
    end)

-- An axis and the array in which it is one: without an axis the elements in row-major order.
local function flat_or_along(a, options, argument)
    if options.axis == nil then
        return rank_of(a) == 1 and a or a:flatten(), 1
    end
    return a, call.axis(rank_of(a), options.axis, argument)
end

-- A Vector of i64 from 1 to n of the indices in x; negative ones count from the end.
local function indices_of(x, n, argument)
    local list = core.isarray(x) and call.of_rank(x, 1, argument):totable() or type(x) == "table" and x or { x }
    local result = {}
    for k, i in ipairs(list) do
        whole(i, argument, nil, nil, "index")
        if i == 0 or i > n or i < -n then
            bad(argument, "index %d is out of range: the axis has %d", i, n)
        end
        result[k] = i < 0 and n + 1 + i or i
    end
    return result
end

row("delete", "a:delete(i [, {axis=}])",
    "a value without the elements at i, an index or several; without an axis in row-major order",
    "lun.vector{5, 6, 7}:delete(2)", "{5, 7}",
    function(a, i, options)
        array(a, 1)
        local axis
        a, axis = flat_or_along(a, call.options(options, 3, "axis"), 3)
        local n = (select(axis, a:shape()))
        local keeps = core.ones(n, "u8")
        local gone = indices_of(i, n, 2)
        if #gone > 0 then
            keeps:put(core.vector(gone, "i64"), 0)
        end
        return taken(a, keeps:ne(0):indices(), axis)
    end)

row("insert", "a:insert(i, x [, {axis=}])",
    "a value with x before the elements at i, an index or several up to one past the end; x is cast to a's dtype;\n"
        .. "without an axis in row-major order",
    "lun.vector{5, 6}:insert(2, 9)", "{5, 9, 6}",
    function(a, i, x, options)
        array(a, 1)
        local axis
        a, axis = flat_or_along(a, call.options(options, 4, "axis"), 4)
        local shape = { a:shape() }
        local n = shape[axis]
        if not core.isarray(x) then
            x = type(x) == "table" and call.vector(x, 3) or core.full(1, call.number(x, 3))
        end
        local at = indices_of(i, n + 1, 2)
        if #at == 1 and #shape == 1 then -- as many as x has
            for k = 2, x:size() do
                at[k] = at[1]
            end
        end
        if #at == 0 then
            return a
        end
        -- element k of x stands before the at[k]-th of a, and those of one place in their order
        local keys = core.concat { core.index(n) * 2, core.vector(at, "i64") * 2 - 1 }
        shape[axis] = #at
        local ok, new = pcall(x.broadcast, x:cast(a:dtype()), shape)
        if not ok then
            bad(3, "%s does not broadcast to the %d elements or slices inserted", call.described(x), #at)
        end
        return taken(core.concat({ a, new }, axis), keys:argsort(), axis)
    end)

row("trim_zeros", "a:trim_zeros()", "a window on a Vector without the zeros at its ends",
    "lun.vector{0, 1, 0, 2, 0}:trim_zeros()", "{1, 0, 2}",
    function(a)
        local at = call.vector(a, 1):ne(0):indices()
        return #at == 0 and a:sub(1, 0) or a:sub(at[1], at[#at])
    end)

return rows
