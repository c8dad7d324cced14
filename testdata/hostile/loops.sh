cbt createtable t families=f:maxage=1s
f() { f "$@" "$@"; g; }
g() { f; f; f; f; g; }
f a
a='eval "$a"; eval "$a"'
eval "$a"
for a in {1..1000000000}; do for b in {1..1000000000}; do cbt createfamily t $a$b; done; done
while true; do cbt createfamily t x; done
alias cbt='cbt cbt'
b=$(printf '%1000000000d' 1)
cbt createfamily t "${b//0/${b}}"
source /dev/zero
cbt createtable "$(printf '\033]0;owned\007')" families=$'\e[2J':maxage=1s
