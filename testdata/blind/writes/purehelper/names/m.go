package names

import "time"

type Family string

const Token Family = "token"

func (f Family) String() string { return string(f) }

func UTC() time.Time { return time.Now().UTC() }
