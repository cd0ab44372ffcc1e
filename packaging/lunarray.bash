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
        --backend) COMPREPLY=($(compgen -W "reference openmp openmp/2 opencl opencl:0 mpi" -- "$word")); return ;;
        -e | -l | --threads | --bind | --ranks | --time-limit | --memory-limit | --trace | --errors) return ;;
    esac
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            --backend | -e | -l | --threads | --bind | --ranks | --time-limit | --memory-limit | --trace | --errors) ((i++)) ;;
            -*) ;;
            *) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;; # an argument of the script
        esac
    done
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "-e -i -l -v -E -W -- - --backend --threads --bind --ranks --check --plan --session --sandbox --time-limit --memory-limit --trace --errors --info --version --help" -- "$word"))
    else
        mapfile -t COMPREPLY < <(compgen -f -X '!*.lua' -- "$word"; compgen -d -- "$word")
    fi
}
complete -o filenames -F _lunarray lunarray
