# Completion of ttlvet for fish: ttlvet completion fish | source
complete -c ttlvet -a '(ttlvet __complete (commandline -cp) 2>/dev/null)'
