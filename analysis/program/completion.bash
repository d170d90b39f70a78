# bash completion for ncpbench: the program says what can stand at the cursor (analysis/program/complete.h)
_ncpbench() {
    local found current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    if found=$("${COMP_WORDS[0]}" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); then
        [ -n "$found" ] && mapfile -t COMPREPLY < <(cut -f 1 <<<"$found")
        case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "${current#=}")
    fi
}
complete -F _ncpbench ncpbench
