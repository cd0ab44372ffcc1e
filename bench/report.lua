-- Makes the table and the JSON file of the lines that bench/run.sh collected.
-- usage: lunarray bench/report.lua lines bench.json mode
-- In each round the ratio of ours to the plain variant, and to the fastest of the others, which is the
-- limit; reported is the median of the rounds. Peers are told in multiples of ours. It measures nothing.

local path, json_path, mode = table.unpack(arg)

local PEERS = { "numpy", "numexpr", "luajit", "lua" }

-- name, what it is, unit, plain variant, the largest ratio to plain and to the limit, the largest time, how
-- many times as long a peer must take
local rows = {
    { "W1", "(a+b)*(c+d), f32, 2^25", "ms", "plain", 0.90, 1.05 },
    { "W2", "b + s*c", "ms", "plain", 0.80, 1.05 },
    { "W3sum", "sum", "ms", "plain", 1.03 },
    { "W3dot", "dot", "ms", "plain", 1.03 },
    { "W3mv", "mean and variance", "ms", "two_pass", 0.52 },
    { "W4i32", "exclusive scan, i32", "ms", "plain_two_pass", 0.65, 1.1 },
    { "W4f32", "exclusive scan, f32", "ms", "plain_two_pass", 0.55, 1.1 },
    { "W6_256", "Mandelbrot, f32, 256 rounds", "ms", "plain_static", 0.04, 1.25 },
    { "W7bs", "Black-Scholes, f32, 2^22", "ms", "plain" },
    { "W7box", "17 neighbours, f32, 2^24", "ms", "plain" },
    { "W7csr5", "sparse matrix by vector, rows of 0 to 10, f64, 2^18", "ms", "plain" },
    { "W7csr50", "the same, rows of 0 to 100", "ms", "plain" },
    { "W10", "Monte Carlo pi, 1e8 points", "ms", "plain", 0.45 },
    { "W12_100", "(a+b)*(c+d), n = 100", "us", "1thread", nil, nil, 0.6 },
    { "W12_100_61", "the same, 61 arrays in turn", "us" },
    { "W12_10000", "(a+b)*(c+d), n = 10000", "us", "1thread", nil, nil, 1.5 },
    { "W12_10000_61", "the same, 61 arrays in turn", "us" },
    { "W12_chain", "20 operations, n = 100", "us", nil, nil, nil, nil, { numpy = 5 } },
    { "W13sum", "sum of a file, f32, from cache", "ms", "cat", 1.25 },
    { "W13map", "sum(f*f + f) of it", "ms", "cat", 1.25 },
    { "W13disk", "sum of it, from disk", "ms", "cat", 1.25 },
    { "first", "result, empty cache, n = 1e5", "ms", nil, nil, nil, 2 },
    { "next", "new expression after it", "ms", nil, nil, nil, 2 },
    { "kernel", "from the cache, 2nd process", "ms", nil, nil, nil, 1 },
    { "compiles", "in the 2nd process", "", nil, nil, nil, 0 },
    { "start", "and end (plain: lua5.4)", "ms", "plain", nil, nil, 5 },
}

-- the math functions, one thread, against loops through libmvec
for name in ("exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    .. "erf erfc cbrt pow atan2 hypot"):gmatch "%a[%w]*" do
    for _, dtype in ipairs { "f64", "f32" } do
        rows[#rows + 1] = { name .. "_" .. dtype, "libmvec, 2^18", "ms", "libmvec" }
    end
end

-- ---------------------------------------------------------------- reading

local rounds = {}
for line in io.lines(path) do
    if line:find "^ROUND" then
        rounds[#rounds + 1] = {}
    else
        local name, variant, ms = line:match "^(%S+)%s+(%S+)%s+(%S+)"
        local round = rounds[#rounds]
        round[name] = round[name] or {}
        round[name][variant] = tonumber(ms)
    end
end

local function median(list)
    table.sort(list)
    local n = #list
    if n == 0 then
        return nil
    end
    return n % 2 == 1 and list[n // 2 + 1] or (list[n // 2] + list[n // 2 + 1]) / 2
end

-- The fastest variant of a round that is neither ours, nor plain, nor a peer.
local function limit_of(times, plain)
    local others = { ours = true, [plain or "plain"] = true }
    for _, peer in ipairs(PEERS) do
        others[peer] = true
    end
    local least
    for variant, ms in pairs(times) do
        if not others[variant] and (not least or ms < least) then
            least = ms
        end
    end
    return least
end

local results = {}
for _, row in ipairs(rows) do
    local name, plain = row[1], row[4]
    local lists = {}
    local function add(list, x)
        if x then
            lists[list] = lists[list] or {}
            table.insert(lists[list], x)
        end
    end
    for _, round in ipairs(rounds) do
        local times = round[name] or {}
        local limit, ours, p = limit_of(times, plain), times.ours, plain and times[plain]
        add("ours", ours)
        add("plain", p)
        add("limit", limit)
        for _, peer in ipairs(PEERS) do
            add(peer, times[peer])
        end
        add("to_plain", p and ours and ours / p)
        add("to_limit", limit and ours and ours / limit)
    end
    local r = { name = name, what = row[2], unit = row[3], goal_plain = row[5], goal_limit = row[6],
        goal_time = row[7], goal_peers = row[8] or {} }
    for key, list in pairs(lists) do
        r[key] = median(list)
    end
    results[#results + 1] = r
end

-- ---------------------------------------------------------------- the table

local function cell(x, format)
    return x and (format or "%.2f"):format(x) or "-"
end

-- A figure and its goal; "!" where it is missed.
local function against(x, goal)
    if not x then
        return "-"
    elseif not goal then
        return cell(x)
    end
    return ("%.2f (%s%.2f)"):format(x, x <= goal and "<= " or "! ", goal)
end

-- How many times as long the peers take.
local function peers_of(r)
    local list = {}
    for _, peer in ipairs(PEERS) do
        if r[peer] then
            local times, goal = r[peer] / r.ours, r.goal_peers[peer]
            local mark = goal and (" (%s%.3gx)"):format(times >= goal and ">= " or "! ", goal) or ""
            list[#list + 1] = ("%s %.3gx%s"):format(peer, times, mark)
        end
    end
    return table.concat(list, ", ")
end

local LINE = "%-38s %9s %9s %9s  %-17s %-17s %-17s %s"
print(LINE:format("workload", "ours", "plain", "limit", "ours/plain (goal)", "ours/limit (goal)", "time (goal)",
    "peers"))
for _, r in ipairs(results) do
    if r.ours then
        local format = r.unit == "" and "%.0f" or r.ours < 10 and "%.3f" or "%.1f"
        local title = r.name .. " " .. r.what .. (r.unit ~= "" and ", " .. r.unit or "")
        print(LINE:format(title, cell(r.ours, format), cell(r.plain, format), cell(r.limit, format),
            against(r.to_plain, r.goal_plain), against(r.to_limit, r.goal_limit),
            r.goal_time and against(r.ours, r.goal_time) or "", peers_of(r)))
    end
end

-- ---------------------------------------------------------------- JSON

local function json_number(x)
    return x and ("%.6g"):format(x) or "null"
end

local lines = {}
for _, r in ipairs(results) do
    local fields = { ('"name": "%s"'):format(r.name), ('"what": "%s"'):format(r.what), ('"unit": "%s"'):format(r.unit) }
    for _, key in ipairs { "ours", "plain", "limit", "to_plain", "to_limit", "goal_plain", "goal_limit", "goal_time",
        table.unpack(PEERS) } do
        fields[#fields + 1] = ('"%s": %s'):format(key, json_number(r[key]))
    end
    lines[#lines + 1] = "    {" .. table.concat(fields, ", ") .. "}"
end
local file = assert(io.open(json_path, "w"))
file:write(('{\n  "mode": "%s",\n  "rounds": %d,\n  "workloads": [\n%s\n  ]\n}\n'):format(mode, #rounds,
    table.concat(lines, ",\n")))
file:close()
