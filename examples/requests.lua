-- A server's log of an object a line: paths by how slow they are, and the answer as JSON text.
--     build/lunarray examples/requests.lua
-- prints:
--     1200 requests, 60 without a time
--     4 columns, 4 rows
--        path       n  median  failed
--        text     i64     f64     i64
--     1  /search  172   350.0      29
--     2  /report  343   346.5      57
--     3  /login   343   297.0      57
--     4  /        342    50.0      57
--     {"path":"/search","n":172,"median":350.0,"failed":29}
--     {"path":"/report","n":343,"median":346.5,"failed":57}
local log = {}
for i = 1, 1200 do
    local path = ({ "/", "/login", "/report", "/search" })[i % 7 % 4 + 1]
    local ms = i % 20 > 0 and i * 37 % 101 * #path or nil
    log[i] = lun.json.encode { path = path, ms = ms, status = i % 6 == 0 and 500 or 200 }
end

local t = assert(lun.decode(table.concat(log, "\n"), "jsonl"))
print(("%d requests, %d without a time"):format(#t, t.ms:ismissing():count()))

t.failed = t.status:ge(500):cast "i64"
local slow = t:group("path"):agg { { "n", "count" }, { "median", "median", "ms" }, { "failed", "sum", "failed" } }
slow = slow:sort "-median"
print(slow)
io.write(lun.encode(slow:head(2), "jsonl"))
