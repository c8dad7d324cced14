# Completion of ttlvet for PowerShell: ttlvet completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ttlvet -ScriptBlock {
	param($word, $ast, $cursor)
	$line = $ast.ToString().PadRight($cursor - $ast.Extent.StartOffset).Substring(0, $cursor - $ast.Extent.StartOffset)
	ttlvet __complete "$line" 2>$null | ForEach-Object {
		$name, $about = $_ -split "`t", 2
		if (-not $about) { $about = $name }
		[System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $about)
	}
}
