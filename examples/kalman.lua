-- A Kalman filter: a body on a line is seen each second through noise; position, velocity and how sure they are follow
-- from what was seen so far. A step predicts by matrices, then corrects by the gain that solve gives.
-- prints:
--     seen: 1.87 off, filtered: 0.80 off, expected: 1.04
--         off, as seen
--      4 ┤  ⡇       ⡀             ⢀  ⡀    ⢰     ⡄
--      2 ┤ ⢠⢻     ⣄ ⣇⢀⢰   ⢀⢀⢀⡠⢄⡀⢀⡆⡸⡆ ⡇⡀ ⣾ ⡿⣠⢠⢆⡄ ⣧⡄⡀⡀    ⡄ ⡀ ⡀⢰
--      0 ┤ ⡾⠘⡄⣶⢠⢄⢀⠏⣾⢸⢸⡜⣇⢇⡇⡸⠹⡸ ⠈⢱⢸⠸⠇⡇⢸⢇⣇⢸⠘⣤⠃⡟⡎⠈⢸⢸⠸⠙⢇⡇⣦⢸⢣⡜⢣⡷⢇⣧⡇⡎
--     -2 ┤⢶⠁ ⠹⠈⡞⠈⠾ ⠈⠘⡇⠇⠘⠸⢸⠇ ⠇  ⠈⡇  ⢸⠏⢸⢻⡎ ⡟ ⠃   ⡿  ⢸⢸⠛⡎⠈ ⠸ ⠸ ⢸⠇
--     -4 ┤⠈    ⠃     ⠁             ⠘ ⢸             ⠘ ⠁      ⠈
--        └──────────┬─────────┬─────────┬──────────┬─────────┬
--                  20        40        60         80       100
--         off, filtered
--      2 ┤  ⡷⡀                ⢀⣀
--        │ ⢠⠃⢇      ⣄ ⢀⡀⡀  ⢀⢀⠔⠁⠈⣆⢄⢠⡄    ⢀ ⢀  ⡔⠙⣄⠖⠢⢆       ⡀ ⡀
--      0 ┤ ⡸ ⠘⠙⣄⣀ ⡜⠙ ⠋⠊⠘⠙⠱⡠⠃⠁     ⠁⠘⢤⢣⣄⢀⠎⠣⠃⠋⠊  ⠈  ⠈⢣⡀ ⡀⡠⠓⠉⠘⠉⠘⠜
--     -2 ┤⡄⡇   ⠁ ⠙                   ⠈⠈⠊            ⠈⠖⠉
--        │⢹
--        └──────────┬─────────┬─────────┬──────────┬─────────┬
--                  20        40        60         80       100
local lun = require "lunarray"

local n, seen_error, push = 200, 2.0, 0.1

-- The true movement: random pushes change the velocity.
local pushes = lun.random(n, { dist = "normal", std = push, seed = 1 })
local velocity = pushes:cumsum():eval()
local position = velocity:cumsum():eval()
local seen = (position + lun.random(n, { dist = "normal", std = seen_error, seed = 2 })):eval()

local F = lun.vector { { 1.0, 1.0 }, { 0.0, 1.0 } } -- a second later
local H = lun.vector { { 1.0, 0.0 } }               -- what is seen: the position
local Q = lun.vector { { 1.0, 1.0 }, { 1.0, 1.0 } } * push ^ 2
local R = lun.vector { { seen_error ^ 2 } }

local x, P = lun.zeros { 2, 1 }, lun.eye(2) * 100
local places, errors = {}, {}
for k = 1, n do
    x, P = F:matmul(x), F:matmul(P):matmul(F:transpose()) + Q
    local S = H:matmul(P):matmul(H:transpose()) + R
    local K = S:solve(H:matmul(P)):transpose() -- P is symmetric
    x = x + K:matmul(seen[k] - H:matmul(x))
    P = P - K:matmul(H):matmul(P)
    x, P = lun.eval(x, P)
    places[k], errors[k] = x[1][1], P[1][1] ^ 0.5
end
places = lun.vector(places)

local function miss(a) return ((a - position):sub(20) ^ 2):mean() ^ 0.5 end
print(("seen: %.2f off, filtered: %.2f off, expected: %.2f"):format(miss(seen), miss(places), errors[n]))
print(lun.plot((seen - position):sub(1, 100), { width = 64, height = 5, string = true, title = "off, as seen" }))
print(lun.plot((places - position):sub(1, 100), { width = 64, height = 5, string = true, title = "off, filtered" }))

-- In the long run the covariance no longer changes: it is a fixed point of the step.
local ahead = F:matmul(P):matmul(F:transpose()) + Q
local gain = ahead:matmul(H:transpose()) / (ahead[1][1] + seen_error ^ 2)
assert((ahead - gain:matmul(H):matmul(ahead) - P):abs():max() < 1e-9)
