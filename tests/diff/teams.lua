-- Random functions of lun.teams, as text: threads that meet at barriers, in branches and loops that all of them take
-- alike, memory of the team and of the thread, atomic changes. No element is written by one thread and used by another
-- without a barrier between, so there is one result. All numbers are integers.
local teams = {}

local OPS = { "+", "-", "*", "&", "|", "~" }
local NAMES = { "a", "b", "c" }

local Writer = {}
Writer.__index = Writer

function Writer:pick(list) return list[self.random(#list)] end

function Writer:line(text, ...) self.lines[#self.lines + 1] = ("    "):rep(self.depth) .. text:format(...) end

-- A value; common: one that all threads have.
function Writer:leaf(common)
    local own = { "t:block()", "n", tostring(self.random(9)), "u", "x[t:block()]" }
    if self.loop then own[#own + 1] = self.loop end
    if common then return self:pick(own) end
    for _, name in ipairs { "me", "a", "b", "c", "own[2]" } do own[#own + 1] = name end
    return self:pick(own)
end

function Writer:value(common, deep)
    if deep == 0 or self.random(3) == 1 then return self:leaf(common) end
    local x, y = self:value(common, (deep or 2) - 1), self:value(common, (deep or 2) - 1)
    local op = self.random(8)
    if op == 7 then return ("(%s) %% %d"):format(x, self.random(2, 9)) end
    if op == 8 then return ("(%s) // %d"):format(x, self.random(2, 9)) end
    return ("(%s %s %s)"):format(x, OPS[op], y)
end

function Writer:condition(common)
    return ("(%s) %% %d %s %d"):format(self:value(common), self.random(2, 5), self:pick { "==", "<", ">", "~=" },
        self.random(0, 3))
end

function Writer:barrier()
    self:line(self.random(4) == 1 and "t:single(function() end)" or "t:barrier()")
    self.state = {}
end

-- The element of bank k of the team's memory; how: "own" or another thread's, or "all": of each(i).
function Writer:bank(how)
    local k = self.random(0, 1)
    local kept = self.state[k]
    if kept and kept ~= how then self:barrier() end
    self.state[k] = how
    if how == "own" then return ("s[%d * n + me]"):format(k) end
    return ("s[%d * n + (me + %s) %% n + 1]"):format(k, self:value(false, 1))
end

-- An element changed at once: each by operations whose order does not matter, the real ones by whole numbers.
function Writer:change()
    local kind = self.random(8)
    if kind <= 3 then
        self:line("atomic.%s(h, (%s) %% 4 + 1, %s)", self:pick { "add", "sub" }, self:value(), self:value())
    elseif kind <= 6 then
        local which = self.random(4)
        self:line("atomic.%s(h, %d, %s)", ({ "max", "min", "bxor", "bor" })[which], which + 4, self:value())
    else
        local which = self.random(2)
        self:line("atomic.%s(r, %d, (%s) %% 1000)", ({ "add", "max" })[which], which, self:value())
    end
end

-- What a thread does alone: no barrier.
function Writer:alone(deep)
    local kind = self.random(deep > 0 and 8 or 5)
    local name = self:pick(NAMES)
    if kind == 1 then
        self:line("own[%d] = own[1] + %s", self.random(2), self:value())
    elseif kind == 2 then
        self:line("%s = %s", name, self:value())
    elseif kind == 3 then
        self:change()
    elseif kind == 4 then
        self:line("w[(t:block() - 1) * n + me] = w[(t:block() - 1) * n + me] * 3 + %s", self:value())
    elseif kind == 5 then -- along its memory, in loops of known and of other lengths
        self:line("for q = %s, %s do own[q] = own[q] * 3 + own[%s] + %s end",
            self.random(2) == 1 and "1" or ("(%s) %% 5 + 1"):format(self:value()),
            self.random(2) == 1 and "10" or ("(%s) %% 8 + 3"):format(self:value()),
            self:pick { "q", "q % 10 + 1", "11 - q", "3" }, self:value())
    elseif kind == 6 then
        self:line("if %s then", self:condition())
        self:inside(self.alone, deep - 1)
        if self.random(2) == 1 then
            self:line("else")
            self:inside(self.alone, deep - 1)
        end
        self:line("end")
    else
        self:line("for q = 1, (%s) %% 4 do", self:value())
        self:inside(self.alone, deep - 1)
        if self.random(2) == 1 then
            self:line("    if %s then break end", self:condition())
        end
        self:line("end")
    end
end

function Writer:inside(f, deep)
    self.depth = self.depth + 1
    for _ = 1, self.random(3) do f(self, deep) end
    self.depth = self.depth - 1
end

-- A block that all threads enter together: what stood before it has been seen, and what stands in it is.
function Writer:block(deep)
    self.depth = self.depth + 1
    self:barrier()
    for _ = 1, self.random(4) do self:together(deep) end
    self:barrier()
    self.depth = self.depth - 1
end

function Writer:loop_of(deep)
    local name, before = ("k%d"):format(deep), self.loop
    self:line("for %s = 1, (%s) %% 3 + 1 do", name, self:value(true))
    self.loop = name
    self:block(deep - 1)
    if self.random(3) == 1 then self:line("    if %s then break end", self:condition(true)) end
    self:line("end")
    self.loop = before
    self.state = {}
end

-- What all threads of a team come to.
function Writer:together(deep)
    local kind, name = self.random(deep > 0 and 13 or 11), self:pick(NAMES)
    if kind <= 3 then
        self:alone(2)
    elseif kind == 4 then
        local at = self:bank "own"
        self:line("%s = %s + %s", at, at, self:value())
    elseif kind == 5 then
        local at = self:bank "others"
        self:line("%s = %s ~ %s", name, name, at)
    elseif kind == 6 then
        self:barrier()
    elseif kind == 7 then
        self:line("%s = t:broadcast(%s, (%s) %% n + 1)", self:pick { "u", name }, self:value(), self:value(true))
    elseif kind == 8 then
        self:line("%s = t:reduce(%s, %s)", self:pick { "u", name },
            self:pick { "'+'", "'max'", "'~'", "function(p, q) return p * 3 - q end" }, self:value())
    elseif kind == 9 then
        self:line("%s, %s = t:scan('+', %s)", name, self:pick { "u", "own[1]" }, self:value())
    elseif kind == 10 then
        self:barrier()
        self:line("t:each(2 * n, function(i) s[i] = s[i] + i * %s end)", self:value(true))
    elseif kind == 11 then
        self:barrier()
        self:line("t:single(function() s[n] = s[n] + %s end)", self:value())
    elseif kind == 12 then
        self:barrier() -- there is none where the branch is not taken
        self:line("if %s then", self:condition(true))
        self:block(deep - 1)
        if self.random(2) == 1 then
            self:line("else")
            self:block(deep - 1)
        end
        self:line("end")
        self.state = {}
    else
        self:loop_of(deep)
    end
end

-- The text of a chunk that takes lun.atomic, or what is that in plain Lua, and gives a function of t, w, h, r and x: arrays
-- of integers, an element of w for each thread, 8 of h, one of x for each team; r: 2 floats. random: math.random's like.
function teams.write(random)
    local writer = setmetatable({ random = random, lines = {}, depth = 1, state = {} }, Writer)
    for _ = 1, random(3, 9) do writer:together(2) end
    if random(2) == 1 then
        writer:line("if %s then return end", writer:condition())
        for _ = 1, random(2) do writer:alone(1) end
    end
    writer:line("w[(t:block() - 1) * n + me] = w[(t:block() - 1) * n + me] + a * 7 + b * 5 + c + u + own[1] - own[2] + own[9] + s[me]")
    return ([[
local atomic = ...
return function(t, w, h, r, x)
    local me, n = t:thread(), t:threads()
    local s, own = t:scratch("i64", 2 * n), t:private("i64", 10)
    local a, b, c, u = me, t:block(), 1, 2
    w[(t:block() - 1) * n + me] = me
%s
end
]]):format(table.concat(writer.lines, "\n"))
end

return teams
