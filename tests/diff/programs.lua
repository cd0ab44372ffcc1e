-- Random whole programs for the difference tests: variables that are made, computed, written in place, seen
-- through rows, saved, opened, freed, while expressions on their old elements wait. Beside the text stands a
-- model in plain Lua, eager and on tables, which says what each variable must hold whenever the text asks
-- check(name, number). What a program does is in program_steps.lua; this file has the variables and the model.

local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"

local programs = {}
local program = {}
program.__index = program

-- ---------------------------------------------------------------- arrays of the model

-- An array of dtype t: element i is buf[places[i]], without places buf[i]; windows share buf with their array.
function programs.array(t, shape, buf, places)
    local n = 1
    for _, extent in ipairs(shape) do
        n = n * extent
    end
    return { t = t, shape = shape, n = n, buf = buf, places = places }
end

local function place(a, i)
    return a.places and a.places[i] or i
end

function programs.element(a, i)
    return a.buf[place(a, i)]
end

function programs.elements(a)
    local list = {}
    for i = 1, a.n do
        list[i] = a.buf[place(a, i)]
    end
    return list
end

-- The window of a whose elements are those of a with the numbers in list.
function programs.window(a, shape, list)
    local places = {}
    for i, k in ipairs(list) do
        places[i] = place(a, k)
    end
    return programs.array(a.t, shape, a.buf, places)
end

-- Writes x, of a's dtype, into element i.
function programs.write(a, i, x)
    a.buf[place(a, i)] = x
end

-- Writes a list of a's dtype into a.
function programs.store(a, list)
    for i = 1, a.n do
        a.buf[place(a, i)] = list[i]
    end
end

local function single(a)
    return a.n == 1 and #a.shape <= 1
end

local function same_shape(a, b)
    if #a ~= #b then
        return false
    end
    for i, extent in ipairs(a) do
        if extent ~= b[i] then
            return false
        end
    end
    return true
end
programs.same_shape = same_shape

-- The shape of an elementwise result; nil where the operands do not go together.
function programs.meet(args)
    local shape
    for _, a in ipairs(args) do
        if a.shape and not single(a) then
            if shape and not same_shape(shape, a.shape) then
                return nil
            end
            shape = a.shape
        end
    end
    if not shape then
        for _, a in ipairs(args) do
            if a.shape and (not shape or #a.shape > #shape) then
                shape = a.shape
            end
        end
    end
    return shape
end

function programs.convert(list, from, to)
    local result = {}
    for i, x in ipairs(list) do
        result[i] = dtypes.convert(x, from, to)
    end
    return result
end

-- ---------------------------------------------------------------- variables

function program:emit(format, ...)
    self.lines[#self.lines + 1] = select("#", ...) > 0 and format:format(...) or format
end

-- A variable that holds the model's array a; name: an old one gets it.
function program:define(a, code, name)
    self.made = name and self.made or self.made + 1
    name = name or "x" .. self.made
    self.vars[name] = a
    local known = false
    for _, other in ipairs(self.names) do
        known = known or other == name
    end
    if not known then
        self.names[#self.names + 1] = name
    end
    self:emit("%s = %s", name, code)
    return name
end

-- The name is gone.
function program:forget(name)
    self.vars[name] = nil
    for i, other in ipairs(self.names) do
        if other == name then
            table.remove(self.names, i)
            return
        end
    end
end

-- A variable that `suits` (all do by default): its name and array; nil if there is none.
function program:any(suits)
    local found = {}
    for _, name in ipairs(self.names) do
        if not suits or suits(self.vars[name]) then
            found[#found + 1] = name
        end
    end
    if #found == 0 then
        return nil
    end
    local name = self.g.one_of(found)
    return name, self.vars[name]
end

-- Whether another variable shows the elements of a.
function program:shared(a)
    local count = 0
    for _, name in ipairs(self.names) do
        count = self.vars[name].buf == a.buf and count + 1 or count
    end
    return count > 1
end

function program:snapshot(a)
    self.snapshots[#self.snapshots + 1] =
        { t = a.t, shape = { table.unpack(a.shape) }, list = programs.elements(a) }
    return #self.snapshots
end

function program:check(name)
    self:emit("check(%q, %s, %d)", name, name, self:snapshot(self.vars[name]))
end

-- ---------------------------------------------------------------- numbers

local function number_text(x)
    if math.type(x) ~= "float" then
        return x == math.mininteger and "math.mininteger" or tostring(x)
    elseif x ~= x then
        return "(0/0)"
    elseif math.abs(x) == math.huge then
        return x < 0 and "(-1/0)" or "(1/0)"
    end
    return (("%a"):format(x):gsub(",", "."))
end
programs.number_text = number_text

-- Whether an integer number may meet arrays of dtype t.
local function fits(x, t)
    if math.type(x) ~= "integer" or not t.is_integer then
        return true
    elseif t.is_wide then
        return x >= 0
    end
    return x >= t.low and x <= t.high
end
programs.fits = fits

local literals = { 0, 1, 2, 3, -1, 7, 100, 0.5, -0.0, 2.5, 1e10, 1 / 3, -3.75, 255, -128 }

-- A number for an array of dtype t: a literal, or a number that the program has. nil if it does not fit.
function program:number(t)
    if #self.numbers > 0 and self.g.pick(3) == 1 then
        local n = self.g.one_of(self.numbers)
        return fits(n.value, t) and { number = n.value, name = n.name } or nil
    end
    local x = self.g.one_of(literals)
    return fits(x, t) and { number = x, name = number_text(x) } or nil
end

-- ---------------------------------------------------------------- elementwise operations of the model

local function at(a, i)
    return programs.element(a, a.n == 1 and 1 or i)
end

-- What row gives for args (arrays, or { number = }): dtype, shape and list; nil where it refuses them.
function programs.compute(row, args)
    local shape = programs.meet(args)
    local meeting, number
    for k = row.rule == "selection" and 2 or 1, #args do
        if args[k].shape then
            meeting = meeting and dtypes.common(meeting, args[k].t) or args[k].t
        else
            number = args[k].number
        end
    end
    if not shape or not meeting or meeting == dtypes.none then
        return nil
    elseif number ~= nil then
        if not fits(number, meeting) or row.rule == "logic" or row.rule == "selection" and meeting.kind == "bool" then
            return nil
        end
        meeting = dtypes.with_number(meeting, number)
    end
    local computed, given = oracle.result(row, meeting)
    if not computed then
        return nil
    end
    local result = programs.array(given, shape, {})
    local f = oracle.element(row, computed)
    for i = 1, result.n do
        local x = {}
        for k, a in ipairs(args) do
            local to = row.rule == "selection" and k == 1 and dtypes.bool or computed
            if a.shape then
                x[k] = dtypes.convert(at(a, i), a.t, to)
            else
                x[k] = dtypes.number(a.number, to)
            end
        end
        if row.trap and computed.is_integer and x[2] == 0 then
            return nil
        end
        result.buf[i] = f(computed, x[1], x[2], x[3])
    end
    return result
end

-- A zero whose sign is left open loses it: x + 0.0.
function programs.settle(row, a, code)
    if row.any_zero and a.t.is_float then
        for i = 1, a.n do
            a.buf[i] = a.buf[i] + 0.0
        end
        return "((" .. code .. ") + 0.0)"
    end
    return code
end

-- ---------------------------------------------------------------- whole programs

-- A program of a seed: { text, snapshots, lines }. options: length (of arrays), steps, directory (for files),
-- uses (names of backends to switch between).
function programs.make(seed, options)
    local steps = require "diff.program_steps"
    local self = setmetatable({
        g = operands.generator(seed), lines = {}, vars = {}, names = {}, numbers = {}, skeletons = {}, snapshots = {},
        made = 0, options = options, length = options.length, k1 = 3, k2 = 0.5, files = 0,
    }, program)
    self:emit("k1, k2 = 3, 0.5")
    for _ = 1, 3 do
        steps.leaf(self)
    end
    for _ = 1, options.steps do
        steps.step(self)
        while #self.names > 14 do
            steps.drop(self)
        end
    end
    for _, name in ipairs(self.names) do
        self:check(name)
    end
    self.text = table.concat(self.lines, "\n")
    return self
end

return programs
