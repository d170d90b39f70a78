#!/bin/sh
# sh manual.sh NCPBENCH: the manual page ncpbench(1), which help2man makes of what the program says of itself
set -e
program=$1
help2man --version > /dev/null # in a pipe its failure would be lost
# without the day on which it is made
page() {
    help2man --no-info "$@" "$program" | sed 's/^\(\.TH [^ ]* "1"\) "[^"]*"/\1 ""/'
}
# of a command's own page the body, as a section of this one
commands() {
    echo '.SH COMMANDS'
    "$program" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | while read -r command; do
        echo ".SS \"ncpbench $command\""
        page --version-string=- --help-option="$command --help=manual" |
            sed -e '1,/^\.SH SYNOPSIS/d' -e 's/^\.SH DESCRIPTION/.sp/' -e 's/^\.SH \(.*\)/.PP\n.B \1/'
    done
}
# as they are printed, for copying; the devices are this machine's
names() {
    printf '.SH NAMES\n.nf\n'
    for kind in scenarios methods linear-solvers preconditioners ncp-functions scalings figures columns datasets; do
        "$program" list "$kind" && echo
    done | sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\\&&/"
    echo .fi
}
# those of all commands, which --help has, too
examples() {
    echo '.SH EXAMPLES'
    "$program" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | while read -r command; do
        "$program" "$command" --help | sed -n '/^Examples:$/,/^$/p' | sed -e '1d' -e '/^$/d' -e 's/-/\\-/g' -e '$a.sp'
    done | sed -e '1i.nf' -e 's/^  //' -e '$a.fi'
}
texts=$(dirname "$0")/manual.txt
page --include="$texts" | sed '/^\.SH ENVIRONMENT/,$d'
commands
names
examples
page --include="$texts" | sed -n '/^\.SH ENVIRONMENT/,$p'
