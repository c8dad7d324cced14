package input

import (
	"strings"
	"testing"
)

func TestMarks(t *testing.T) {
	if err := Marks([]byte(strings.Repeat("a plain line of text\n", maxMarks))); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"#\n", "a,", "[", "a=1\n", "$(", "a | "} {
		if Marks([]byte(strings.Repeat(text, maxMarks+1))) == nil {
			t.Errorf("so many of %q are read", text)
		}
	}
	if Values([]byte(strings.Repeat("[],", maxValues))) == nil {
		t.Error("so many values are read")
	}
}

func TestLevels(t *testing.T) {
	const flat = "if [ -n \"$x\" ]; then\n  a=$((1 + (2 - 3)))\nfi\n# ------ if for while ------\nfor x in a b; do echo ${x:-1}; done\n"
	if err := Levels([]byte(strings.Repeat(flat, 10_000))); err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		"(", "[", "{", "a {\n", "\"${", "$(", "((", "!", "- ", "! ", "~", "if a; then ", "while a\ndo ", "a && if ", "case x in a) ", "a ? a : ",
	} {
		if Levels([]byte(strings.Repeat(text, maxChoices+1))) == nil {
			t.Errorf("so many of %q are read", text)
		}
	}
}
