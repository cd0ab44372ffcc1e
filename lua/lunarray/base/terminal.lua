-- What is known of the terminal: whether a prompt reads from it, and what it answers.
--
-- Invariant: `prompt` is true while a prompt runs. `sixel` is nil until the terminal has been asked, once in a session.

local internal = require("lunarray.core").internal

local terminal = { prompt = false }

local WAIT = 100 -- milliseconds
local QUESTION, LAST = "\27[c", "c" -- for its attributes, and the end of the answer
local SIXEL = "4"

-- Whether an answer to QUESTION lists sixel among the attributes.
function terminal.has_sixel(answer)
    local list = answer and answer:match "\27%[%?([%d;]*)c$"
    for attribute in (list or ""):gmatch "%d+" do
        if attribute == SIXEL then
            return true
        end
    end
    return false
end

-- Whether the terminal shows sixel, by its own words.
function terminal.shows_sixel()
    if terminal.sixel == nil then
        terminal.sixel = terminal.has_sixel(internal.ask_terminal(QUESTION, LAST, WAIT))
    end
    return terminal.sixel
end

return terminal
