-- A name for a parameter of a generated function: `name`, with underscores behind it if the set `used` has it; it is in
-- `used` then.
return function(name, used)
    while used[name] do
        name = name .. "_"
    end
    used[name] = true
    return name
end
