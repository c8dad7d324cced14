package docs

import (
	"regexp"
	"strings"
)

// site is where the pages stand on the web.
const site = "https://github.com/ttlvet/ttlvet/blob/main/"

// Reference returns, for a link on a page, what a reader of the page in the
// terminal goes on with: the command that shows what the link leads to, or
// its address on the web.
func Reference(page, link string) string {
	if strings.Contains(link, "://") {
		return link
	}
	file, section, _ := strings.Cut(link, "#")
	target, isPage := strings.CutSuffix(file, ".md")
	if file == "" {
		target, isPage = page, true
	}
	if _, ok := Section(target); !isPage || !ok {
		return web(link)
	}
	if _, ok := Section(target + "/" + section); ok {
		return "ttlvet explain " + target + "/" + section
	}
	return "ttlvet explain " + target + ".md"
}

// web is the address of a file that a page links to.
func web(link string) string {
	if rest, up := strings.CutPrefix(link, "../"); up {
		return site + rest
	}
	return site + "docs/" + link
}

var linked = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Absolute returns a text of a page with all links leading to the web, for
// readers elsewhere.
func Absolute(page, text string) string {
	return linked.ReplaceAllStringFunc(text, func(s string) string {
		link := s[2 : len(s)-1]
		switch {
		case strings.Contains(link, "://"):
		case strings.HasPrefix(link, "#"):
			link = web(page + ".md" + link)
		default:
			link = web(link)
		}
		return "](" + link + ")"
	})
}
