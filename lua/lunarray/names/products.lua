-- Products of arrays, and norms: over matmul, products of elements and sums.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local making = require "lunarray.names.making"

local rows, row = call.rows "Products and norms"
local array, bad, rank_of, shaped, whole = call.array, call.bad, call.rank, call.shaped, call.whole

-- ---------------------------------------------------------------- shapes

local function product(list, from, to)
    local n = 1
    for k = from or 1, to or #list do
        n = n * list[k]
    end
    return n
end

local function append(list, ...)
    for _, other in ipairs { ... } do
        table.move(other, 1, #other, #list + 1, list)
    end
    return list
end

-- The extents of these axes.
local function extents(a, axes)
    local shape, list = { a:shape() }, {}
    for k, axis in ipairs(axes) do
        list[k] = shape[axis]
    end
    return list
end

-- a with its axes in that order, in groups that become one axis each.
local function grouped(a, ...)
    local order, shape = {}, {}
    for k, axes in ipairs { ... } do
        append(order, axes)
        shape[k] = product(extents(a, axes))
    end
    return (#order > 1 and a:transpose(order) or a):reshape(shape)
end

-- The sum of products along the axes of both that are in `along`, those of `batch` side by side; the shape that it has:
-- batch axes, a's others, b's others.
local function contracted(a, b, batch, along)
    local used, rest = { {}, {} }, { {}, {} }
    for _, list in ipairs { batch, along } do
        for k = 1, 2 do
            for _, axis in ipairs(list[k]) do
                used[k][axis] = true
            end
        end
    end
    for k, x in ipairs { a, b } do
        for axis = 1, rank_of(x) do
            if not used[k][axis] then
                table.insert(rest[k], axis)
            end
        end
    end
    local shape = append(extents(a, batch[1]), extents(a, rest[1]), extents(b, rest[2]))
    local x = grouped(a, batch[1], rest[1], along[1])
    local y = grouped(b, batch[2], along[2], rest[2])
    local result
    if #along[1] == 0 then
        result = x * y
    elseif product({ x:shape() }) * product({ y:shape() }) == 0 then
        result = core.zeros(#shape == 0 and 1 or shape, (x:reshape(-1):sub(1, 0) * y:reshape(-1):sub(1, 0)):dtype())
    else
        result = x:matmul(y)
    end
    return result, shape
end

-- An array of that shape; without axes its number.
local function given(a, shape)
    return #shape == 0 and a:reshape(1)[1] or shaped(a, shape)
end

-- ---------------------------------------------------------------- products

row("outer", "a:outer(b)", "the products of each element of a with each of b, as a matrix",
    "lun.vector{1, 2}:outer(lun.vector{3, 4})", "{{3, 4}, {6, 8}}",
    function(a, b)
        return array(a, 1):reshape(-1, 1) * array(b, 2):reshape(1, -1)
    end)

-- The axes of both as lists, from 1.
local function axes_of_both(a, b, axes)
    local list = { {}, {} }
    if type(axes) == "table" then
        list[1], list[2] = call.axes(rank_of(a), axes[1], 3), call.axes(rank_of(b), axes[2], 3)
        if #list[1] ~= #list[2] then
            bad(3, "%d axes of one array and %d of the other", #list[1], #list[2])
        end
    else
        whole(axes, 3, 0, math.min(rank_of(a), rank_of(b)), "number of axes")
        for k = 1, axes do
            list[1][k], list[2][k] = rank_of(a) - axes + k, k
        end
    end
    for k, n in ipairs(extents(a, list[1])) do
        local m = extents(b, list[2])[k]
        if m ~= n then
            bad(2, "axis %d of %s and axis %d of %s differ", list[1][k], call.described(a), list[2][k],
                call.described(b))
        end
    end
    return list
end

row("tensordot", "a:tensordot(b [, axes=2])",
    "sums of products along the last axes of a and the first of b, so many; or along {{axes of a}, {axes of b}}",
    "lun.vector{{1, 2}, {3, 4}}:tensordot(lun.vector{1, 10}, 1)", "{21, 43}",
    function(a, b, axes)
        array(a, 1)
        array(b, 2)
        local list = axes_of_both(a, b, axes == nil and 2 or axes)
        return given(contracted(a, b, { {}, {} }, list))
    end)

row("inner", "a:inner(b)", "sums of products along the last axes of both; of Vectors a number",
    "lun.vector{{1, 2}, {3, 4}}:inner(lun.vector{1, 10})", "{21, 43}",
    function(a, b)
        array(a, 1)
        array(b, 2)
        return given(contracted(a, b, { {}, {} }, axes_of_both(a, b, { { -1 }, { -1 } })))
    end)

-- The extent of the axis that stands `from_last` before the last one, 0 or less; 1: there is none.
local function extent_of(a, from_last)
    local axis = rank_of(a) + from_last
    return axis > 0 and (select(axis, a:shape())) or 1
end

row("vecdot", "a:vecdot(b [, {axis=-1}])",
    "sums of products along an axis, the others broadcast; of Vectors a number; of a complex a its conjugate counts",
    "lun.vector{{1, 2}, {3, 4}}:vecdot(lun.vector{1, 10})", "{21, 43}",
    function(a, b, options)
        array(a, 1)
        array(b, 2)
        options = call.options(options, 3, "axis")
        local rank = #call.common_shape({ a, b }, 2)
        local axis = call.axis(rank, options.axis == nil and -1 or options.axis, 3)
        local n, m = extent_of(a, axis - rank), extent_of(b, axis - rank)
        if n ~= m then
            bad(2, "%d elements along the axis of %s, and %d of %s", n, call.described(a), m, call.described(b))
        end
        local p = (core.iscomplex(a) and a:conj() or a) * b
        if rank_of(p) == 1 then
            return p:sum()
        end
        return p:sum { axis = axis }
    end)

-- Checks that the last axis, along which vectors stand by default, has 3 elements.
local function check_threes(x, argument)
    local shape = { x:shape() }
    if shape[#shape] == 3 then
        return
    end
    for axis, n in ipairs(shape) do
        if n == 3 then
            bad(argument, "3 elements along the last axis expected, got %s: {axis=%d} takes the axis that has 3",
                call.described(x), axis)
        end
    end
    bad(argument, "vectors of 3 elements expected, got %s", call.described(x))
end

row("cross", "a:cross(b [, {axis=-1}])", "the vector product of vectors of 3 elements along an axis",
    "lun.vector{1, 0, 0}:cross(lun.vector{0, 1, 0})", "{0, 0, 1}",
    function(a, b, options)
        array(a, 1)
        array(b, 2)
        options = call.options(options, 3, "axis")
        if options.axis == nil then
            check_threes(a, 1)
            check_threes(b, 2)
        end
        local shape = call.common_shape({ a, b }, 2)
        a, b = a:broadcast(shape), b:broadcast(shape)
        local axis = call.axis(#shape, options.axis == nil and -1 or options.axis, 3)
        if shape[axis] ~= 3 then
            bad(1, "3 elements along axis %d expected, got %s", axis, call.described(a))
        end
        local x, y = {}, {}
        for k = 1, 3 do
            x[k], y[k] = a:select(axis, k), b:select(axis, k)
        end
        if #shape == 1 then
            x, y = { a:sub(1, 1), a:sub(2, 2), a:sub(3, 3) }, { b:sub(1, 1), b:sub(2, 2), b:sub(3, 3) }
            return core.concat { x[2] * y[3] - x[3] * y[2], x[3] * y[1] - x[1] * y[3], x[1] * y[2] - x[2] * y[1] }
        end
        return core.stack({ x[2] * y[3] - x[3] * y[2], x[3] * y[1] - x[1] * y[3], x[1] * y[2] - x[2] * y[1] }, axis)
    end)

row("kron", "a:kron(b)", "each element of a times all of b, as blocks (Kronecker's product)",
    "lun.vector{1, 10}:kron(lun.vector{1, 2})", "{1, 2, 10, 20}",
    function(a, b)
        local left, right = { array(a, 1):shape() }, { array(b, 2):shape() }
        for _ = #left + 1, #right do
            table.insert(left, 1, 1)
        end
        for _ = #right + 1, #left do
            table.insert(right, 1, 1)
        end
        local wide, high, all = {}, {}, {}
        for k, n in ipairs(left) do
            wide[2 * k - 1], wide[2 * k] = n, 1
            high[2 * k - 1], high[2 * k] = 1, right[k]
            all[k] = n * right[k]
        end
        return (a:reshape(wide) * b:reshape(high)):reshape(all)
    end)

row("matrix_power", "A:matrix_power(k)", "A times itself, k factors, by squaring; k < 0: of the inverse",
    "lun.vector{{1, 1}, {0, 1}}:matrix_power(5)", "{{1, 5}, {0, 1}}",
    function(A, k)
        local shape = { array(A, 1, "matrix"):shape() }
        local n = shape[#shape]
        if #shape < 2 or shape[#shape - 1] ~= n then
            bad(1, "square matrices expected, got %s", call.described(A))
        end
        k = whole(k, 2, -math.maxinteger)
        if k < 0 then
            A, k = require("lunarray.names.matrices").inv(A), -k
        elseif k == 0 then
            return making.eye(n, A:dtype()):broadcast(shape):copy()
        end
        local power
        for bit = 62, 0, -1 do
            power = power and power:matmul(power)
            if k >> bit & 1 == 1 then
                power = power and power:matmul(A) or A
            end
        end
        return power
    end)

-- Of matrices from i to j, the least number of products, and after which the last one is: by lengths of edges.
local function best_order(edges)
    local least, cut = {}, {}
    for length = 0, #edges - 2 do
        for i = 1, #edges - 1 - length do
            local j = i + length
            least[i], cut[i] = least[i] or {}, cut[i] or {}
            least[i][j] = length == 0 and 0 or math.huge
            for k = i, j - 1 do
                local n = least[i][k] + least[k + 1][j] + 1.0 * edges[i] * edges[k + 1] * edges[j + 1]
                if n < least[i][j] then
                    least[i][j], cut[i][j] = n, k
                end
            end
        end
    end
    return cut
end

row("multi_dot", "lun.multi_dot({A, B, ...})", "the product of matrices, in the order that takes the fewest operations",
    "lun.multi_dot{lun.vector{{1, 2}}, lun.eye(2), lun.vector{{3}, {4}}}", "{{11.0}}",
    function(list)
        if type(list) ~= "table" or #list < 2 then
            bad(1, "a list of two or more matrices expected")
        end
        local edges = {}
        for k, A in ipairs(list) do
            if not core.isarray(A) or rank_of(A) ~= 2 then
                bad(1, "number %d: a matrix expected, got %s", k, core.isarray(A) and call.described(A) or type(A))
            end
            local n, m = A:shape()
            if k > 1 and edges[k] ~= n then
                bad(1, "number %d: %d rows expected, got %s", k, edges[k], call.described(A))
            end
            edges[k], edges[k + 1] = n, m
        end
        local cut = best_order(edges)
        local function multiplied(i, j)
            local k = cut[i][j]
            return i == j and list[i] or multiplied(i, k):matmul(multiplied(k + 1, j))
        end
        return multiplied(1, #list)
    end)

-- ---------------------------------------------------------------- einsum

-- The letters of an operand, `...` as as many digits as there are axes for it, the last one 9.
local function letters(text, a, number)
    local list, rank = {}, rank_of(a)
    local before, after = text:match "^(%a*)%.%.%.(%a*)$"
    if not before and not text:find "^%a*$" then
        bad(1, "'%s': letters and ... expected", text)
    end
    local rest = rank - #(before and before .. after or text)
    if rest < 0 or rest > 0 and not before then
        bad(number + 1, "'%s' has other axes than %s", text, call.described(a))
    end
    for letter in (before or text):gmatch "." do
        list[#list + 1] = letter
    end
    for k = 1, before and rest or 0 do
        list[#list + 1] = tostring(9 - rest + k)
    end
    for letter in (after or ""):gmatch "." do
        list[#list + 1] = letter
    end
    return list
end

local function place(list, letter)
    for k, x in ipairs(list) do
        if x == letter then
            return k
        end
    end
end

-- An operand: an array and the letters of its axes. A letter twice is the diagonal.
local function without_twins(a, names)
    for k = #names, 2, -1 do
        local twin = place(names, names[k])
        if twin < k then
            local order, shape = {}, { a:shape() }
            for axis = 1, #names do
                if axis ~= twin and axis ~= k then
                    order[#order + 1] = axis
                end
            end
            if shape[twin] ~= shape[k] then
                bad(1, "letter '%s' has extents %d and %d", names[k], shape[twin], shape[k])
            end
            local n = shape[k]
            local others = extents(a, order)
            local all = append({}, order, { twin, k })
            local moved = a:transpose(all):reshape(product(others), n * n)
            a = moved:sub({}, { 1, n * n, n + 1 }):reshape(append(others, { n }))
            local left = {}
            for i, axis in ipairs(order) do
                left[i] = names[axis]
            end
            left[#left + 1] = names[twin]
            return without_twins(a, left)
        end
    end
    return a, names
end

-- Sums away the letters that are not needed.
local function summed(a, names, needed)
    local axes, left = {}, {}
    for k, letter in ipairs(names) do
        if needed[letter] then
            left[#left + 1] = letter
        else
            axes[#axes + 1] = k
        end
    end
    if #axes == 0 then
        return a, names
    elseif #left == 0 then
        return a:reshape(1, -1):sum { axis = 2 }:reshape(1), left
    end
    return a:sum { axis = axes }, left
end

local function pair(a, left, b, right, needed)
    local batch, along, names = { {}, {} }, { {}, {} }, {}
    for k, letter in ipairs(left) do
        local other = place(right, letter)
        local list = other and (needed[letter] and batch or along)
        if list then
            table.insert(list[1], k)
            table.insert(list[2], other)
        end
        if list == batch then
            names[#names + 1] = letter
        end
    end
    for _, list in ipairs { left, right } do
        for _, letter in ipairs(list) do
            if not (place(left, letter) and place(right, letter)) then
                names[#names + 1] = letter
            end
        end
    end
    local result, shape = contracted(a, b, batch, along)
    return #shape == 0 and result:reshape(1) or shaped(result, shape), names
end

-- The operands of the text, the letters of the result, the extent of each letter.
local function parse(text, list)
    local left, right = text:gsub("%s", ""):match "^([^>]*)%->(.*)$"
    left = left or text:gsub("%s", "")
    local names, seen, size = {}, {}, {}
    for part in (left .. ","):gmatch "(.-)," do
        local k = #names + 1
        if not core.isarray(list[k]) then
            bad(k + 1, "array expected, got %s", list[k] == nil and "no value" or type(list[k]))
        end
        names[k] = letters(part, list[k], k)
        for axis, letter in ipairs(names[k]) do
            local extent = (select(axis, list[k]:shape()))
            if size[letter] and size[letter] ~= extent then
                bad(k + 1, "letter '%s' has extents %d and %d", letter, size[letter], extent)
            end
            seen[letter], size[letter] = (seen[letter] or 0) + 1, extent
        end
    end
    if #names ~= #list then
        bad(1, "%d operands are named, %d given", #names, #list)
    end
    local dots, single = {}, {}
    for letter, n in pairs(seen) do
        if letter:find "%d" then
            dots[#dots + 1] = letter
        elseif n == 1 then
            single[#single + 1] = letter
        end
    end
    table.sort(dots)
    table.sort(single)
    local out = {}
    if not right then
        out = append({}, dots, single)
    else
        local before, after = right:match "^(%a*)%.%.%.(%a*)$"
        if not before and not right:find "^%a*$" then
            bad(1, "'%s': letters and ... expected", right)
        end
        for letter in (before or right):gmatch "." do
            out[#out + 1] = letter
        end
        append(out, before and dots or {})
        for letter in (after or ""):gmatch "." do
            out[#out + 1] = letter
        end
    end
    for k, letter in ipairs(out) do
        if not seen[letter] then
            bad(1, "letter '%s' of the result is in no operand", letter)
        elseif place(out, letter) < k then
            bad(1, "letter '%s' is twice in the result", letter)
        end
    end
    return names, out
end

row("einsum", 'lun.einsum("ij,jk->ik", A, B, ...)',
    "sums of products: an axis for each letter, summed where the result, by default the letters that occur once,\n"
        .. "in their order, has it not; a letter twice in an operand is its diagonal; ... are all other axes; from\n"
        .. "the left, two at a time, by matmul",
    'lun.einsum("ij,j->i", lun.vector{{1, 2}, {3, 4}}, lun.vector{1, 10})', "{21, 43}",
    function(text, ...)
        if type(text) ~= "string" then
            bad(1, "text expected, got %s", core.isarray(text) and "an array" or type(text))
        end
        local list = { ... }
        local names, out = parse(text, list)
        local a, left
        for k, b in ipairs(list) do
            local needed = {}
            for _, letter in ipairs(out) do
                needed[letter] = true
            end
            for later = k + 1, #list do
                for _, letter in ipairs(names[later]) do
                    needed[letter] = true
                end
            end
            local right
            b, right = without_twins(b, names[k])
            if a then
                a, left = pair(a, left, b, right, needed)
            else
                a, left = b, right
            end
            a, left = summed(a, left, needed)
        end
        if #out == 0 then
            return a:reshape(1)[1]
        end
        local order = {}
        for k, letter in ipairs(out) do
            order[k] = place(left, letter)
        end
        return #order > 1 and a:transpose(order) or a
    end)

-- ---------------------------------------------------------------- norms

local function is_infinite(x)
    return x == math.huge or x == -math.huge
end

-- What a norm is of: the moduli of complex elements.
local function moduli(a)
    return core.iscomplex(a) and a:abs() or a
end

row("vector_norm", "a:vector_norm([{ord=2, axis=, keep=false}])",
    "of the elements of all axes or of some: the root of the sum of powers; ord: also 1, 0 (how many are not 0),\n"
        .. "math.huge and -math.huge (the greatest and the least modulus)",
    "lun.vector{3, -4}:vector_norm{ord = 1}", "7.0",
    function(a, options)
        a = moduli(array(a, 1))
        options = call.options(options, 2, "ord axis keep")
        local ord = options.ord == nil and 2 or call.number(options.ord, 2)
        local axes = options.axis
        axes = axes ~= nil and call.axes(rank_of(a), axes, 2) or nil
        local how = { axis = axes, keep = options.keep }
        a = call.floating(a)
        if axes == nil and not options.keep then
            how = nil
        elseif axes == nil then
            how.axis = call.axes(rank_of(a), { table.unpack({ 1, 2, 3, 4, 5, 6, 7, 8 }, 1, rank_of(a)) }, 2)
        end
        if ord == 2 then
            return a:norm(how)
        elseif ord == 0 then
            local n = a:ne(0):cast(a:dtype()):sum(how)
            return n
        elseif is_infinite(ord) then
            local m = a:abs()
            if ord > 0 then
                return m:max(how)
            end
            return m:min(how)
        elseif ord == 1 then
            return a:abs():sum(how)
        end
        return (a:abs() ^ ord):sum(how) ^ (1 / ord)
    end)

row("matrix_norm", 'A:matrix_norm([{ord="fro", keep=false}])',
    'of matrices: "fro" (the root of the sum of squares), 1 and -1 (the greatest and the least sum of moduli of a\n'
        .. 'column), math.huge and -math.huge (of a row), 2 and -2 (the greatest and the least singular value), "nuc"\n'
        .. "(their sum)",
    "lun.vector{{1, -2}, {3, 4}}:matrix_norm{ord = 1}", "6.0",
    function(A, options)
        local rank = rank_of(array(A, 1, "matrix"))
        if rank < 2 then
            bad(1, "a matrix expected, got %s", call.described(A))
        end
        options = call.options(options, 2, "ord keep")
        local ord, keep = options.ord == nil and "fro" or options.ord, options.keep
        local of_elements = ord == "fro" or ord == 1 or ord == -1 or math.type(ord) and is_infinite(ord)
        A = of_elements and moduli(A) or A
        A = core.iscomplex(A) and A or call.floating(A)
        local result
        if ord == "fro" then
            result = A:norm { axis = { rank - 1, rank }, keep = true }
        elseif ord == 1 or ord == -1 or is_infinite(ord) then
            local column = ord == 1 or ord == -1
            local sums = A:abs():sum { axis = column and rank - 1 or rank, keep = true }
            local name = ord > 0 and "max" or "min"
            result = sums[name](sums, { axis = column and rank or rank - 1, keep = true })
        elseif ord == 2 or ord == -2 or ord == "nuc" then
            local name = ord == 2 and "max" or ord == -2 and "min" or "sum"
            local values = A:svdvals()
            result = values[name](values, { axis = -1, keep = true }):expand_dims(-1)
        else
            bad(2, "unknown 'ord' %s: \"fro\", \"nuc\", 1, -1, 2, -2, math.huge and -math.huge are known",
                tostring(ord))
        end
        if keep then
            return result
        end
        local shape = { A:shape() }
        return given(result, table.move(shape, 1, rank - 2, 1, {}))
    end)

return rows
