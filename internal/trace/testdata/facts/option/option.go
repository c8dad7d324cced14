package option // want package:`reaches Bigtable`

import "cloud.google.com/go/bigtable"

type Writer struct {
	family string
	ts     bigtable.Timestamp
}

type Option func(*Writer)

func Family(name string) Option { // want Family:`returns Family\$1\(family: \$0\)`
	return func(w *Writer) { w.family = name }
}

func Server(w *Writer) { w.ts = bigtable.ServerTime } // want Server:`sets \$0\.ts to -1`

func New(opts ...Option) *Writer { // want New:`returns example\.com/facts/option\.Writer\{family: optioned\("token", \$0, "family"\), ts: optioned\(0, \$0, "ts"\)\}`
	w := &Writer{family: "token"}
	for _, o := range opts {
		o(w)
	}
	return w
}

func (w *Writer) Put(mut *bigtable.Mutation) { // want Put:`bigtable\.Mutation\.Set\(\$1, `
	mut.Set(w.family, "jwt", w.ts, nil)
}
