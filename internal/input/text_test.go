package input

import (
	"strings"
	"testing"
)

func TestMarks(t *testing.T) {
	if n, err := Marks([]byte(strings.Repeat("a plain line of text\n", maxMarks))); err != nil || n != maxMarks {
		t.Error(err)
	}
	for _, text := range []string{"#\n", "a,", "[", "a=1\n", "$(", "a | ", "a."} {
		if _, err := Marks([]byte(strings.Repeat(text, maxMarks+1))); err == nil {
			t.Errorf("so many of %q are read", text)
		}
	}
	if _, err := Values([]byte(strings.Repeat("[],", maxValues))); err == nil {
		t.Error("so many values are read")
	}
}

func TestLevels(t *testing.T) {
	const flat = "if [ -n \"$x\" ]; then\n  a=$((1 + (2 - 3)))\nfi\n# ------ if for while ------\nfor x in a b; do echo ${x:-1}; done\n"
	if err := Levels([]byte(strings.Repeat(flat, 10_000))); err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		"(", "[", "{", "a {\n", "\"${", "$(", "((", "!", "- ", "! ", "~", "if a; then ", "while a\ndo ", "a && if ", "case x in a) ", "a ? a : ", "<<A\n",
	} {
		if Levels([]byte(strings.Repeat(text, maxChoices+1))) == nil {
			t.Errorf("so many of %q are read", text)
		}
	}
}

// TestConditions holds that only words where a command begins open and close levels.
func TestConditions(t *testing.T) {
	for text, want := range map[string]int{
		"if a; then\n while b; do c; done\nfi": 2,
		"if a; then if b; then c; fi; fi":      2,
		"echo if if if":                        0,
		"iffy; notif; x-if":                    0,
		"a && if b\nthen c\nfi\nif d":          1,
		"case x in a) for i":                   2,
		"fi; done; esac; if a":                 1,
		"else\tuntil a":                        1,
	} {
		if got := conditions([]byte(text)); got != want {
			t.Errorf("%q nests %d levels, not %d", text, got, want)
		}
	}
}
