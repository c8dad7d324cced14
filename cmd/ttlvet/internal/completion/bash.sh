# Completion of ttlvet for bash: source <(ttlvet completion bash)
_ttlvet() {
	local line=${COMP_LINE:0:COMP_POINT} IFS=$'\n' word part
	word=${line##*[[:space:]]}
	mapfile -t COMPREPLY < <(ttlvet __complete "$line" 2>/dev/null | cut -f1)
	# bash replaces what stands behind the last = or : of the word.
	part=${word%"${word##*[=:]}"}
	COMPREPLY=("${COMPREPLY[@]#"$part"}")
}
complete -o default -F _ttlvet ttlvet
