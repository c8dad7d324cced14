// The search: all words must be in a section. Those in headings count most.
const query = document.getElementById("query"), results = document.getElementById("results")
const index = document.getElementById("index").href
let sections

const load = () => sections ??= fetch(index).then(r => r.json()).then(list =>
	list.map(s => ({ ...s, title: (s.page + " " + s.heading).toLowerCase(), low: s.text.toLowerCase() })))

const escape = s => s.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`)

function rank(s, words) {
	let sum = 0
	for (const w of words) {
		const n = (s.title.includes(w) ? 10 : 0) + Math.min(s.low.split(w).length - 1, 5)
		if (n === 0) return 0
		sum += n
	}
	return sum
}

function excerpt(s, word) {
	const at = Math.max(s.low.indexOf(word), 0), from = Math.max(at - 40, 0)
	const text = s.text.slice(from, at + 100)
	const i = at - from
	return (from ? "…" : "") + escape(text.slice(0, i)) + "<mark>" + escape(text.slice(i, i + word.length)) + "</mark>" + escape(text.slice(i + word.length)) + "…"
}

query.addEventListener("focus", load)
query.addEventListener("input", async () => {
	const words = query.value.toLowerCase().split(/\s+/).filter(Boolean)
	const list = words.length ? (await load()).map(s => [rank(s, words), s]).filter(r => r[0]).sort((a, b) => b[0] - a[0]).slice(0, 12) : []
	results.innerHTML = list.map(([, s]) =>
		`<li><a href="${new URL(s.url, index)}"><b>${escape(s.page)}${s.heading ? " › " + escape(s.heading) : ""}</b><br>${excerpt(s, words[0])}</a></li>`).join("") ||
		(words.length ? "<li class=none>Nothing is found.</li>" : "")
	results.hidden = !words.length
})
document.addEventListener("keydown", e => {
	if (e.key === "/" && document.activeElement !== query) { e.preventDefault(); query.focus() }
	if (e.key === "Escape") { results.hidden = true; query.blur() }
	const links = [...results.querySelectorAll("a")], at = links.indexOf(document.activeElement)
	if (!results.hidden && (e.key === "ArrowDown" || e.key === "ArrowUp") && links.length) {
		e.preventDefault()
		links[(at + (e.key === "ArrowDown" ? 1 : links.length - (at < 0 ? 0 : 1))) % links.length].focus()
	}
	if (e.key === "Enter" && document.activeElement === query && links.length) links[0].click()
})
document.addEventListener("click", e => { if (!e.target.closest("form")) results.hidden = true })
// A narrow screen begins with the text, not with the list of pages.
if (matchMedia("(max-width: 56rem)").matches) document.querySelector("nav details").open = false
