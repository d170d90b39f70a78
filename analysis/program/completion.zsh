#compdef ncpbench
# zsh completion for ncpbench: the program says what can stand at the cursor (analysis/program/complete.h)
_ncpbench() {
    local found
    local -a all open closed
    if found=$(${(Q)words[1]} --complete "${(@)words[2,CURRENT]}" 2>/dev/null); then
        compset -P '--*='
        compset -P '*,'
        all=("${(@)${(f)found}#$IPREFIX}")
        all=("${(@)${(@)all/$'\t'/:}%:}")
        open=(${(M)all:#[^:]#=:*}) closed=(${all:#[^:]#=:*})
        _describe -V word open -S '' -- closed
    else
        compset -P '--*='
        _files
    fi
}
if [ "$funcstack[1]" = _ncpbench ]; then _ncpbench "$@"; else compdef _ncpbench ncpbench; fi
