-- Random Lua functions on the backends, see luafn_compare.lua.
--
--   build/lunarray tests/fuzz/luafn_run.lua [SEED [COUNT [f64|f32|both[+ranks] [BACKEND...]]]]
--
-- With +ranks the functions index arrays of two and three dimensions, too.
--
-- COUNT is a number of functions, or "20s" for twenty seconds. Ends with "N passed, N failed", and with status
-- 1 if anything differs; what differs is printed with what repeats it.
local compare = dofile "tests/fuzz/luafn_compare.lua"

local seed, count, mode = tonumber(arg[1]) or 1, arg[2] or "100", arg[3] or "f64"
local ranks = mode:find("+ranks", 1, true) ~= nil
mode = mode:match "^%w+"
local seconds = tonumber(count:match "^(%d+)s$")
local backends = { table.unpack(arg, 4) }
if #backends == 0 then backends = { "reference", "openmp" } end

local counts = { same = 0, skipped = 0, different = 0 }
local start, number = os.time(), 0
while true do
    if seconds and os.time() - start >= seconds or not seconds and number >= tonumber(count) then break end
    number = number + 1
    local kind = mode ~= "both" and mode or number % 2 == 0 and "f32" or "f64"
    local verdict, message = compare(seed, number, kind, backends, ranks)
    counts[verdict] = counts[verdict] + 1
    if message then print(message) end
end
print(("seed %d, %s: %d functions skipped"):format(seed, table.concat(backends, ", "), counts.skipped))
print(("%d passed, %d failed"):format(counts.same, counts.different))
os.exit(counts.different == 0 and counts.same > 0)
