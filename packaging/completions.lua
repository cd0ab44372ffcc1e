-- Writes the completions of bash and fish from the program's table of options: packaging/lunarray.bash and
-- packaging/lunarray.fish, which make install puts where those shells look. Run by make docs.

local BACKENDS <const> = "reference openmp openmp/2 opencl opencl:0 mpi"

-- The rows of options.def: kind, text, name of the value, help.
local function options()
    local file = assert(io.open("interp/program/options.def"))
    local text = file:read("a"):gsub("/%*.-%*/", "")
    file:close()
    local rows = {}
    for kind, arguments in text:gmatch "LUN_(%u+)(%b())" do
        local strings = {}
        for s in arguments:gsub('"%s*\n%s*"', ""):gmatch '"(.-)"' do
            strings[#strings + 1] = s
        end
        rows[#rows + 1] = { kind = kind, text = strings[1], value = kind == "FLAG" and "" or strings[2], help = strings[#strings] }
    end
    return rows
end

local function joined(rows, keep)
    local out, seen = {}, {}
    for _, row in ipairs(rows) do
        if keep(row) and not seen[row.text] then
            seen[row.text], out[#out + 1] = true, row.text
        end
    end
    return table.concat(out, " ")
end

local BASH <const> = [==[
# Completion of lunarray for bash, made by packaging/completions.lua from interp/program/options.def.
_lunarray() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} i
    COMPREPLY=()
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    fi
    case $before in
        --backend) COMPREPLY=($(compgen -W "@BACKENDS@" -- "$word")); return ;;
        @VALUED@) return ;;
    esac
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            --backend | @VALUED@) ((i++)) ;;
            -*) ;;
            *) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;; # an argument of the script
        esac
    done
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "@OPTIONS@" -- "$word"))
    else
        mapfile -t COMPREPLY < <(compgen -f -X '!*.lua' -- "$word"; compgen -d -- "$word")
    fi
}
complete -o filenames -F _lunarray lunarray
]==]

local function bash(rows)
    local fill = {
        BACKENDS = BACKENDS,
        OPTIONS = joined(rows, function() return true end),
        VALUED = joined(rows, function(row)
            return row.value ~= "" and row.text ~= "--backend"
        end):gsub(" ", " | "),
    }
    return (BASH:gsub("@(%u+)@", fill))
end

local function fish(rows)
    local out, seen = {
        "# Completion of lunarray for fish, made by packaging/completions.lua from interp/program/options.def.",
        "complete -c lunarray -n __fish_use_subcommand -k -a '(__fish_complete_suffix .lua)'",
    }, {}
    for _, row in ipairs(rows) do
        local name = row.text:match "^%-%-(.+)"
        local letter = row.text:match "^%-(%a)$"
        if (name or letter) and not seen[row.text] then
            seen[row.text] = true
            local value = row.value == "" and "" or row.text == "--backend" and " -xa '" .. BACKENDS .. "'" or " -x"
            out[#out + 1] = ("complete -c lunarray %s %s%s -d '%s'"):format(
                name and "-l" or "-s", name or letter, value, (row.help:gsub("'", "\\'")))
        end
    end
    return table.concat(out, "\n") .. "\n"
end

local rows = options()
for name, text in pairs { bash = bash(rows), fish = fish(rows) } do
    local file = assert(io.open((arg[1] or "packaging") .. "/lunarray." .. name, "w"))
    file:write(text)
    file:close()
end
