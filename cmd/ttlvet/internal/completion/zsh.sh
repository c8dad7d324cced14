#compdef ttlvet
# Completion of ttlvet for zsh: source <(ttlvet completion zsh), after compinit, or as
# the file _ttlvet in a directory of $fpath.
_ttlvet() {
	local -a lines list
	local line
	lines=("${(@f)$(ttlvet __complete "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
	for line in $lines; do
		list+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	if (( $#list )); then
		_describe ttlvet list
	else
		_files
	fi
}
if [[ $funcstack[1] == _ttlvet ]]; then
	_ttlvet "$@"
else
	compdef _ttlvet ttlvet
fi
