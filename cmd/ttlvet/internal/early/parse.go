package early

// A unit is what is read of a unit's configuration.
type unit struct {
	Compiler    string
	Dir         string
	ImportPath  string
	ImportMap   map[string]string
	PackageVetx map[string]string
	VetxOnly    bool
	VetxOutput  string
}

// parse reads a configuration as the go command writes it: JSON with a line for
// each value. It reports whether it is certain of what it has read; package
// encoding/json would be, in any case, and is initialised too late.
func parse(config string) (u unit, ok bool) {
	var object map[string]string // whose lines these are
	for config != "" {
		var line string
		line, config, _ = cut(config, "\n")
		if !hasPrefix(line, "\t") {
			continue // the braces around it all
		}
		key, value, found := cut(line[1:], ": ")
		if hasPrefix(key, "\t") { // of an object or a list
			if found && object != nil {
				k, ok1 := unquoted(key[1:])
				v, ok2 := unquoted(value)
				if !ok1 || !ok2 {
					return u, false
				}
				object[k] = v
			}
			continue
		}
		object = nil
		var text *string
		switch key {
		case `"VetxOnly"`:
			u.VetxOnly = value == "true" || value == "true,"
		case `"Compiler"`:
			text = &u.Compiler
		case `"Dir"`:
			text = &u.Dir
		case `"ImportPath"`:
			text = &u.ImportPath
		case `"VetxOutput"`:
			text = &u.VetxOutput
		case `"ImportMap"`:
			u.ImportMap = map[string]string{}
			object = u.ImportMap
		case `"PackageVetx"`:
			u.PackageVetx = map[string]string{}
			object = u.PackageVetx
		}
		if text != nil {
			if *text, ok = unquoted(value); !ok {
				return u, false
			}
		}
	}
	return u, u.Dir != "" && u.ImportPath != ""
}

// unquoted returns a string without its quotes and the comma behind it, or false
// where more than backslashes is escaped in it.
func unquoted(s string) (string, bool) {
	if hasSuffix(s, ",") {
		s = s[:len(s)-1]
	}
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	plain := ""
	for {
		before, after, escaped := cut(s, `\`)
		if contains(before, `"`) || escaped && !hasPrefix(after, `\`) {
			return "", false
		}
		if plain += before; !escaped {
			return plain, true
		}
		plain += `\`
		s = after[1:]
	}
}
